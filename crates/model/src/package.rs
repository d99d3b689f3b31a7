//! A package as written: what is true upstream, and what a distribution's file lays over it.
//!
//! The same record serves `components/NAME.yaml` and `distros/DISTRO/NAME.yaml`: the second is laid
//! over the first before it is read, so a distribution's file holds only what differs there.

use crate::cond::When;
use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::ebuild::Ebuild;
use crate::finding::Findings;
use crate::misfit::without_misfits;
use crate::nixpkg::NixPackage;
use crate::node::Node;
use crate::pkgbuild::Pkgbuild;
use crate::project::{EnvironmentVariable, FlagEdit, Project};
use crate::resources::Resources;
use crate::step::Step;
use crate::text::Text;
use crate::upstream::{Content, Part, Programs, TestData, UpstreamOption};
use crate::ypkg::Ypkg;
use indexmap::IndexMap;

record! {
    /// One package of one distribution, after its layers were merged.
    pub struct Package {
        /// Upstream's spelling, such as `rocBLAS`.
        title: Option<Spanned<String>>,
        /// The distribution's name for it, where its naming rule does not give it.
        name: Option<Spanned<String>>,
        /// Its own version, where it does not bear the release's: that is what recipes print and
        /// what `${version}` of its own tags and addresses stands for. Conditions over the release
        /// go on being about ROCm's.
        version: Option<Spanned<String>>,
        /// The components it is made of, the first one being laid below it; its own name when
        /// absent.
        of: Vec<Spanned<String>>,
        /// The component that is built into it and whose keys lie below its own, such as the
        /// library that upstream copied into its tree.
        based_on: Option<Spanned<String>>,
        /// One line about it, without a full stop.
        summary: Spanned<String>,
        /// Its home page.
        homepage: Option<Spanned<String>>,
        /// Its documentation.
        documentation: Option<Spanned<String>>,
        /// SPDX licence expressions; all of them apply.
        licence: Vec<Spanned<String>>,
        /// Why it is the way it is; becomes a comment.
        comment: Option<String>,
        /// The licence's text, below the project's folder.
        licence_file: Option<Text>,
        /// What it consists of; `library` when absent.
        content: Content = Content::Library,
        /// Upstream's CMake switches by name.
        options: IndexMap<String, UpstreamOption>,
        /// The release whose CMake files the defaults of `options` were read from.
        options_read_at: Option<Spanned<String>>,
        /// The shared libraries that it installs, without `lib` and `.so`, such as `amdhip64`: by
        /// these, built files name what they need.
        libraries: Vec<Spanned<String>>,
        /// Programs built beside the library, by the feature that builds them.
        programs: IndexMap<String, Programs>,
        /// Archives that its tests read.
        test_data: Option<TestData>,
        /// Groups of goals, for those who build it in parts.
        parts: IndexMap<String, Part>,
        /// Sources by name; the first one is the main one.
        sources: IndexMap<String, Source>,
        /// Local or fetched patches, in order.
        patches: Vec<Patch>,
        /// Dependencies by neutral name.
        depends: IndexMap<String, OneOrMany<Edge>>,
        /// USE flags or optional inputs, by name.
        features: IndexMap<String, Feature>,
        /// What must hold between features and targets.
        constraints: Vec<Constraint>,
        /// GPU targets; absent when it holds no device code.
        targets: Option<Targets>,
        /// The compiler that builds it.
        compiler: Option<Compiler>,
        /// CMake's build type, such as `Release`; the distribution's when absent.
        build_type: Option<Spanned<String>>,
        /// CMake's generator.
        generator: Option<Generator>,
        /// Compiler and linker flags to add, filter or replace, in order.
        flags: Vec<FlagEdit>,
        /// Variables of the environment by phase, then by name.
        environment: IndexMap<String, IndexMap<String, OneOrMany<EnvironmentVariable>>>,
        /// CMake projects by name, in build order. `main` is there unsaid, and first, where no
        /// other says whose options it takes. What stands under `all` is given to each.
        cmake: IndexMap<String, Project>,
        /// Steps by phase, beside or instead of the standard ones.
        phases: IndexMap<String, Vec<Step>>,
        /// How it is tested.
        tests: Option<Tests>,
        /// What a build needs, row by row; of rows that say the same, the first counts.
        resources: OneOrMany<Resources>,
        /// What is said of it although nobody saw it. It is rendered only where guesses are
        /// allowed.
        guesses: Vec<Guess>,
        /// What only an ebuild can say.
        ebuild: Option<Ebuild>,
        /// What only a PKGBUILD can say.
        pkgbuild: Option<Pkgbuild>,
        /// What only a Nix expression can say.
        nix: Option<NixPackage>,
        /// What only a recipe of Solus can say.
        ypkg: Option<Ypkg>,
    }
}

choice! {
    /// How a source is fetched.
    pub enum Fetch {
        /// An asset of a release of a monorepo: one archive for each project.
        Asset = "asset",
        /// The archive that GitHub makes of a tag of the repository.
        Archive = "archive",
        /// A git checkout at a tag.
        Git = "git",
        /// A checkout at a tag of some folders of a repository, as nixpkgs fetches.
        Tree = "tree",
        /// A file at a stated address.
        File = "file",
        /// Taken from another package, which fetched it.
        Inherited = "inherited",
    }
}

record! {
    /// A source.
    pub struct Source {
        /// How it is fetched; the distribution's way when absent.
        fetch: Option<Fetch>,
        /// The repository's owner; that of `upstream.yaml` when absent.
        owner: Option<Spanned<String>>,
        /// The repository.
        repository: Option<Spanned<String>>,
        /// The folder inside the repository that holds the project.
        path: Option<Spanned<String>>,
        /// The asset's file name without `.tar.gz`.
        asset: Option<Spanned<String>>,
        /// The address of a `file`, or another address of what `fetch` says; `${version}` stands
        /// for the version, `${tag}` for the release's tag.
        url: Option<Text>,
        /// The tag, where the release's scheme does not give it; `${version}` stands for the
        /// version, `${line}` for its first two numbers.
        tag: Option<Text>,
        /// A commit instead of a tag.
        revision: Option<Spanned<String>>,
        /// The source's own version, where it is not the package's.
        version: Option<Spanned<String>>,
        /// The file's or checkout's local name; `${version}` stands for the version.
        save_as: Option<Text>,
        /// The folder that it unpacks to, when not the usual one.
        folder: Option<Text>,
        /// Folders to check out, of a `tree`.
        sparse: Vec<Spanned<String>>,
        /// Submodules are fetched as well.
        submodules: bool,
        /// Shell text run after fetching, of a `tree`; part of the checksum.
        post_fetch: Option<Spanned<String>>,
        /// Fetched only under this condition.
        when: Option<When>,
        /// The checksum's name in the release's table, where the usual name does not serve.
        checksum: Option<Spanned<String>>,
        /// Its content is checked elsewhere (a git submodule), so the sum is skipped, with this
        /// reason.
        unchecked: Option<Spanned<String>>,
    }
}

record! {
    /// A patch: a local file of the distribution's, or a commit fetched from a forge.
    pub struct Patch {
        /// The file's name, for a local one also under the files folder.
        file: Spanned<String>,
        /// The address of a fetched one.
        url: Option<Text>,
        /// The folder inside the patched repository that its paths are relative to; where the
        /// component lies in that repository when absent.
        relative: Option<Spanned<String>>,
        /// The checksum of a fetched one (SRI) or, in Arch, of a local one (SHA-256).
        hash: Option<Spanned<String>>,
        /// Files of the patch that are left out.
        excludes: Vec<Spanned<String>>,
        /// Leading path components to strip; 1 when absent.
        strip: u64 = 1,
        /// The places of `isa-compat` in targets.yaml that it patches.
        site: OneOrMany<Spanned<String>>,
        /// Where it is applied, relative to the source folder.
        inside: Option<Text>,
        /// The releases that it is known to fit, instead of the one at which its folder was read.
        checked: Option<Spanned<String>>,
        /// Why.
        comment: Option<String>,
    }
}

choice! {
    /// What a dependency is for.
    pub enum EdgeKind {
        /// Linked against, and needed when run.
        Link = "link",
        /// Headers or static libraries: needed to build, not to run.
        Build = "build",
        /// A program run while building.
        Tool = "tool",
        /// Needed when run only.
        Run = "run",
        /// Needed when run and by everything that builds against it.
        Propagated = "propagated",
        /// Loaded when present (dlopen), or of use to some.
        Optional = "optional",
        /// Needed to test.
        Test = "test",
        /// Must come after it is installed.
        Post = "post",
        /// Can't be installed beside it.
        Conflict = "conflict",
    }
}

impl EdgeKind {
    /// Whether a package can't be built, or not run, without what such an edge leads to.
    pub fn is_needed(self) -> bool {
        matches!(
            self,
            Self::Link | Self::Build | Self::Tool | Self::Run | Self::Propagated
        )
    }
}

choice! {
    /// How the GPU targets of the two ends of an edge relate.
    pub enum TargetRelation {
        /// Both must be built for the same targets.
        Same = "same",
        /// The dependency must be built for at least the targets of the package.
        Covers = "covers",
        /// Any target of the dependency serves.
        Any = "any",
        /// Targets don't matter over this edge.
        None = "none",
    }
}

record! {
    /// A dependency edge.
    pub struct Edge {
        /// What it is for; several kinds are allowed.
        kind: OneOrMany<EdgeKind>,
        /// Only under this condition.
        when: Option<When>,
        /// How GPU targets relate over it; required between two packages with device code.
        targets: Option<Spanned<TargetRelation>>,
        /// What becomes of the package for a target that the dependency is not built for, where it
        /// is chosen only at run time.
        without: Option<Without>,
        /// `same` (release), `slot`, `any`, or a range such as `>=6.0.0`; what the backend asks by
        /// default when absent.
        version: Option<Spanned<String>>,
        /// What an optional dependency is good for.
        reason: Option<Spanned<String>>,
        /// The distribution's exact spelling of the dependency, where its table of names does not
        /// serve.
        spelt: Option<Spanned<String>>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// A USE flag of an ebuild, an optional input of a Nix expression.
    pub struct Feature {
        /// One line about what it does.
        summary: Option<Spanned<String>>,
        /// On unless the user says otherwise.
        default: bool,
        /// The distribution's name for it, such as `buildTests`.
        name: Option<Spanned<String>>,
        /// The distribution does not offer it, and builds as if it had this value.
        fixed: Option<Spanned<bool>>,
        /// Only these targets can be built with it.
        targets: Vec<Spanned<String>>,
    }
}

record! {
    /// What must hold between features: when `when`, then `need`.
    pub struct Constraint {
        /// Under this condition; always when absent.
        when: Option<When>,
        /// This condition must hold.
        need: Option<When>,
        /// Exactly one of these features must be on.
        exactly_one: Vec<Spanned<String>>,
        /// At most one of these features may be on.
        at_most_one: Vec<Spanned<String>>,
        /// At least one of these features or targets must be on.
        any_of: Vec<Spanned<String>>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// The GPU targets of a package.
    pub struct Targets {
        /// The variables that upstream's build reads, such as `GPU_TARGETS`.
        variable: OneOrMany<Spanned<String>>,
        /// Every variable that upstream's build reads, with the releases that know it; `*` for all
        /// of them.
        variables: IndexMap<String, Option<Spanned<String>>>,
        /// The targets that it can be built for; all of the distribution's when empty.
        supports: Vec<TargetRule>,
        /// The targets that it can't be built for.
        excludes: Vec<TargetRule>,
        /// At least one of these must be among the targets that are asked for, else it can't be
        /// built.
        needs: Vec<TargetRule>,
        /// What it does with an empty list, in upstream's own terms.
        empty: Option<Spanned<String>>,
        /// What is done about a target that it can't be built for.
        policy: Option<Policy>,
        /// The release whose list of the distribution is offered, where that is not the package's;
        /// of an ebuild, `ROCM_VERSION`.
        release: Option<Spanned<String>>,
        /// Only under this condition: of a package whose tests alone hold device code.
        when: Option<When>,
        /// Where the list to build comes from; `all` when absent.
        list: TargetList = TargetList::All,
    }
}

record! {
    /// A set of targets with its range of releases and its reason.
    pub struct TargetRule {
        /// Targets, generics or family names.
        targets: Vec<Spanned<String>>,
        /// The releases it holds for; all when absent.
        releases: Option<Spanned<String>>,
        /// Among `supports`: upstream builds these when it is given no list.
        default: bool,
        /// Why: an upstream file or issue.
        reason: Spanned<String>,
    }
}

choice! {
    /// What a package is where an optional part is missing.
    pub enum Without {
        /// It does the same in another way.
        Slower = "slower",
    }
}

choice! {
    /// What is done about a target that a package can't be built for.
    pub enum Policy {
        /// It is built without device code.
        Stub = "stub",
        /// It is built for another target that nobody runs.
        Throwaway = "throwaway",
        /// The target can't be chosen.
        Mask = "mask",
        /// The build stops.
        Fail = "fail",
    }
}

choice! {
    /// Where the list of targets to build comes from.
    pub enum TargetList {
        /// All that the user chose out of the distribution's list.
        All = "all",
        /// The user's choice cut down to what the package supports.
        Intersection = "intersection",
        /// The package's own list.
        Own = "own",
        /// None is passed on.
        None = "none",
    }
}

choice! {
    /// The compiler that builds a package.
    pub enum Compiler {
        /// The distribution's C and C++ compiler.
        System = "system",
        /// AMD's clang driver.
        Amdclang = "amdclang",
        /// The clang that fits the HIP in use.
        Clang = "clang",
        /// The hipcc wrapper.
        Hipcc = "hipcc",
    }
}

choice! {
    /// CMake's generator.
    pub enum Generator {
        /// Ninja.
        Ninja = "ninja",
        /// Make.
        Make = "make",
    }
}

record! {
    /// How a package is tested.
    pub struct Tests {
        /// Needs a GPU that the build may use.
        device: bool,
        /// What runs the tests: `ctest`, or a program.
        runner: Option<Spanned<String>>,
        /// The CMake goal that runs them, where ctest alone does not.
        goal: Option<Spanned<String>>,
        /// Arguments of the program.
        arguments: Vec<Text>,
        /// Where it runs.
        folder: Option<Text>,
        /// Variables of the environment while testing.
        environment: IndexMap<String, Text>,
        /// Tests that are left out.
        skip: Vec<Spanned<String>>,
        /// Why they are.
        skip_reason: Option<String>,
        /// Tests run at once.
        jobs: Option<u64>,
        /// Why they run that way; becomes a comment.
        comment: Option<String>,
        /// Never run while packaging, for this reason.
        never: Option<Spanned<String>>,
    }
}

record! {
    /// A fact that was not seen.
    pub struct Guess {
        /// What is guessed, such as `version` or `cmake.main.arguments`.
        about: Spanned<String>,
        /// What it was guessed from, and what would settle it.
        reason: Spanned<String>,
    }
}

impl Package {
    /// What recipes ask a machine for: the first number of this kind that is no rule of thumb.
    pub fn asks(&self, of: impl Fn(&Resources) -> Option<u64>) -> Option<u64> {
        self.resources.0.iter().filter(|r| !r.rough).find_map(of)
    }

    /// A layer without the lists and texts that stand where a package has mappings, each of which
    /// is told.
    #[must_use]
    pub fn without_misfits(layer: &Node, findings: &mut Findings) -> Node {
        without_misfits(layer, &Self::RECORD, findings)
    }
}
