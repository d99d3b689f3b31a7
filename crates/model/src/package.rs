//! The record of a package: the facts about upstream's component, with the changes of a
//! distribution merged over them.
//!
//! The files `components/NAME.yaml` and `distros/DISTRO/NAME.yaml` use the same record. The second
//! file is merged over the first one before the record is read, so a distribution's file contains
//! only the differences.

use crate::cond::When;
use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::ebuild::Ebuild;
use crate::finding::Findings;
use crate::llvm::PackageLlvm;
use crate::nixpkg::NixPackage;
use crate::node::Node;
use crate::obstacle::{Cycle, Obstacle};
use crate::pkgbuild::Pkgbuild;
use crate::project::{EnvironmentVariable, FlagEdit, Project};
use crate::resources::Resources;
use crate::step::Step;
use crate::text::Text;
use crate::type_mismatch::without_misfits;
use crate::upstream::{Content, Part, Programs, TestData, UpstreamOption};
use crate::ypkg::Ypkg;
use indexmap::IndexMap;

record! {
    /// A package of a distribution, after its layers are merged.
    pub struct Package {
        /// Upstream's spelling of the package's name, such as `rocBLAS`.
        title: Option<Spanned<String>>,
        /// The distribution's name for the package, if it does not follow from the distribution's
        /// naming rule (`naming`).
        name: Option<Spanned<String>>,
        /// The package's own version, such as `"4.1.0"`, if it is not the version of the ROCm
        /// release. Recipes print this version, and `${version}` in the package's own tags and
        /// addresses stands for it. Conditions over releases still refer to ROCm's release. A
        /// version that changes with the release has a row for each range of releases.
        version: Option<Spanned<String>>,
        /// The range of ROCm's releases that the package was made for, such as `>=7.1`; all
        /// releases when absent. At another release, the distribution does not have the package,
        /// nor those that need it.
        releases: Option<Spanned<String>>,
        /// The components that the package is made of. The package is merged over the first of
        /// them. When absent, the component with the package's own name.
        of: Vec<Spanned<String>>,
        /// Another component that is built into this one, such as a library that upstream copied
        /// into its source tree. The keys of this component are merged over those of the other
        /// component.
        based_on: Option<Spanned<String>>,
        /// The component into which upstream merged this one. Errors about the name name it.
        merged_into: Option<MergedInto>,
        /// A one-line description, without a full stop.
        summary: Spanned<String>,
        /// The address of the home page.
        homepage: Option<Spanned<String>>,
        /// The address of the documentation.
        documentation: Option<Spanned<String>>,
        /// SPDX licence expressions; all of them apply.
        licence: Vec<Spanned<String>>,
        /// Obstacles to shipping the package, such as a binary without source.
        obstacles: Vec<Obstacle>,
        /// Cycles of dependencies between the package and other components, by the component.
        cycles: IndexMap<String, Cycle>,
        /// The reason for peculiarities of the package. Becomes a comment in the recipe.
        comment: Option<String>,
        /// The path of the file with the licence's text, relative to the project's folder.
        licence_file: Option<Text>,
        /// The content of the package; `library` when absent.
        content: Content = Content::Library,
        /// Upstream's CMake options, such as `BUILD_TESTS`, by name.
        options: IndexMap<String, UpstreamOption>,
        /// The release whose CMake files the defaults of `options` were read from, such as
        /// `"6.2.2"`.
        options_checked_at: Option<Spanned<String>>,
        /// The shared libraries that the package installs, without `lib` and `.so`, such as
        /// `amdhip64`. Built files refer to the libraries that they need by these names.
        libraries: Vec<Spanned<String>>,
        /// Programs that are built beside the library, by the feature that builds them (`test`,
        /// `benchmark`).
        programs: IndexMap<String, Programs>,
        /// Archives with data that the tests read.
        test_data: Option<TestData>,
        /// Groups of CMake targets to build (goals), for distributions that build the package in
        /// parts. Each group has a name.
        parts: IndexMap<String, Part>,
        /// Sources by name; the first source is the main source.
        sources: IndexMap<String, Source>,
        /// Local or fetched patches, in the order in which they are applied.
        patches: Vec<Patch>,
        /// Dependencies by neutral name: the name of a component, or of a row in `externals.yaml`.
        depends: IndexMap<String, OneOrMany<Edge>>,
        /// Features that can be on or off, by name: USE flags of an ebuild, or optional inputs of a
        /// Nix expression.
        features: IndexMap<String, Feature>,
        /// Conditions that must hold between the package's features and GPU targets.
        constraints: Vec<Constraint>,
        /// The settings for GPU targets. Absent if the package contains no device code.
        targets: Option<Targets>,
        /// The compiler that builds the package. When absent, the distribution's usual compiler. In
        /// Gentoo, packages with flags for GPU targets then use `clang`.
        compiler: Option<Compiler>,
        /// The versions of LLVM that the package can be built with. When absent, those of the
        /// release line.
        llvm: Option<PackageLlvm>,
        /// CMake's build type, such as `Release`. When absent, the backend's usual build type, such
        /// as `None` in Arch.
        build_type: Option<Spanned<String>>,
        /// CMake's generator; the distribution's usual generator when absent.
        generator: Option<Generator>,
        /// Compiler and linker flags to add, filter or replace, in order.
        flags: Vec<FlagEdit>,
        /// Environment variables by phase (`build`, `check` …), then by name.
        environment: IndexMap<String, IndexMap<String, OneOrMany<EnvironmentVariable>>>,
        /// CMake projects by name, in build order. The project `main` needs no entry and is the
        /// first project, unless another project states whose options it takes (`of`). The
        /// arguments under `all` are passed to every project.
        cmake: IndexMap<String, Project>,
        /// Steps by phase. They replace the standard step of the phase, unless the list contains
        /// `standard` or a habit of the distribution adds the standard step.
        phases: IndexMap<String, Vec<Step>>,
        /// The settings for running the package's tests.
        tests: Option<Tests>,
        /// The resources that a build needs of a machine, as rows of measurements. If several rows
        /// state the same key, the first of these rows is used.
        resources: OneOrMany<Resources>,
        /// Facts about the package that nobody has verified. A package with guesses is rendered
        /// only with `--allow-guesses`.
        guesses: Vec<Guess>,
        /// Facts that only an ebuild can express.
        ebuild: Option<Ebuild>,
        /// Facts that only a PKGBUILD can express.
        pkgbuild: Option<Pkgbuild>,
        /// Facts that only a Nix expression can express.
        nix: Option<NixPackage>,
        /// Facts that only a recipe of Solus can express.
        ypkg: Option<Ypkg>,
    }
}

choice! {
    /// The method for fetching a source.
    pub enum Fetch {
        /// A file that upstream attaches to a release of a monorepo: an archive for each project.
        Asset = "asset",
        /// The archive that GitHub creates for a tag of the repository.
        Archive = "archive",
        /// A checkout of the git repository at a tag.
        Git = "git",
        /// A checkout of some folders of a repository at a tag, as nixpkgs fetches sources.
        Tree = "tree",
        /// A file at the address in `url`.
        File = "file",
        /// The source is taken from another package, which has fetched it.
        Inherited = "inherited",
    }
}

record! {
    /// A source of a package: an archive, a checkout or a file.
    pub struct Source {
        /// The method for fetching the source; the distribution's method when absent.
        fetch: Option<Fetch>,
        /// The repository's owner; the owner in `upstream.yaml` when absent.
        owner: Option<Spanned<String>>,
        /// The name of the repository, such as `rocm-libraries`.
        repository: Option<Spanned<String>>,
        /// The folder inside the repository that contains the project, such as `projects/amdsmi`.
        /// Absent if the repository contains only the project.
        path: Option<Spanned<String>>,
        /// The asset's file name without `.tar.gz`.
        asset: Option<Spanned<String>>,
        /// The address of a `file`, or an address that replaces the address that follows from
        /// `fetch`. `${version}` stands for the version, `${tag}` for the release's tag.
        url: Option<Text>,
        /// The tag, if it does not follow from the `tag` of the release line. `${version}` stands
        /// for the version, `${line}` for its first two numbers.
        tag: Option<Text>,
        /// The hash of a commit that is checked out instead of a tag.
        revision: Option<Spanned<String>>,
        /// The source's own version, such as `"2.7.4"`, if it is not the package's version.
        version: Option<Spanned<String>>,
        /// The name under which the file or the checkout is saved. `${version}` stands for the
        /// version. When absent, the backend's usual name.
        save_as: Option<Text>,
        /// The folder that the source unpacks to, if it is not the folder that follows from
        /// `fetch`, `repository` and `tag`.
        folder: Option<Text>,
        /// The folders to check out, for the method `tree`.
        sparse: Vec<Spanned<String>>,
        /// Set if the git submodules of the repository are fetched too.
        submodules: bool,
        /// Shell text that runs after fetching, for the method `tree`. The checksum includes its
        /// effects.
        post_fetch: Option<Spanned<String>>,
        /// The condition under which the source is fetched.
        when: Option<When>,
        /// The key of the source's checksum in `checksums` of the release, such as
        /// `rocMLIR/archive/rocm-7.1`, if it is not the usual key.
        checksum: Option<Spanned<String>>,
        /// The reason why no checksum is stated: the content is checked elsewhere, as of a git
        /// submodule.
        unchecked: Option<Spanned<String>>,
    }
}

record! {
    /// A patch: a local file of the distribution, or a file that is fetched, such as a commit on
    /// GitHub.
    pub struct Patch {
        /// The file name of the patch. A local patch has this name in the distribution's folder of
        /// files, such as Gentoo's `files/`.
        file: Spanned<String>,
        /// The address of a fetched patch; absent for a local patch.
        url: Option<Text>,
        /// The folder of the patched repository that the paths in the patch are relative to. When
        /// absent, the component's folder in that repository.
        relative: Option<Spanned<String>>,
        /// The checksum: of a fetched patch as SRI (`sha256-…`), in Arch in hexadecimal digits and
        /// of the kind in `pkgbuild.sums`. Local patches have a checksum only in Arch.
        hash: Option<Spanned<String>>,
        /// Paths in the patch whose changes are left out.
        excludes: Vec<Spanned<String>>,
        /// The number of leading path components to strip; 1 when absent.
        strip: u64 = 1,
        /// The places in upstream's sources that the patch changes, as `site` of `isa-compat` in
        /// `targets.yaml` names them.
        site: OneOrMany<Spanned<String>>,
        /// The folder in which the patch is applied, such as `${source}`; the folder of the main
        /// source when absent.
        inside: Option<Text>,
        /// The range of releases that the patch is known to fit, such as `">=6.4, <7.1"`. When
        /// absent, the release that `checked-at` states for the patch's folder of profiles.
        checked: Option<Spanned<String>>,
        /// The reason for the patch. Becomes a comment in the recipe.
        comment: Option<String>,
    }
}

choice! {
    /// The purpose of a dependency.
    pub enum EdgeKind {
        /// The package links against the dependency, and needs it at run time.
        Link = "link",
        /// The dependency contains headers or static libraries, which the package needs at build
        /// time and not at run time.
        Build = "build",
        /// The dependency contains a program that runs during the build.
        Tool = "tool",
        /// The package needs the dependency at run time only.
        Run = "run",
        /// The package needs the dependency at run time, and everything that builds against the
        /// package needs it too.
        Propagated = "propagated",
        /// The package loads the dependency at run time if it is installed (dlopen), or some users
        /// want it beside the package.
        Optional = "optional",
        /// The tests of the package need the dependency.
        Test = "test",
        /// The dependency must be installed with the package, but may be installed after it
        /// (Gentoo's `PDEPEND`).
        Post = "post",
        /// The dependency can't be installed together with the package.
        Conflict = "conflict",
    }
}

impl EdgeKind {
    /// Returns true if a package can't be built or can't run without a dependency of this kind.
    pub fn is_needed(self) -> bool {
        matches!(
            self,
            Self::Link | Self::Build | Self::Tool | Self::Run | Self::Propagated
        )
    }
}

choice! {
    /// The relation between the GPU targets of a package and those of its dependency.
    pub enum TargetRelation {
        /// Both packages must be built for the same targets.
        Same = "same",
        /// The dependency must be built for at least the targets of the package.
        Covers = "covers",
        /// The dependency may be built for any targets.
        Any = "any",
        /// The targets of the two packages are independent.
        None = "none",
    }
}

record! {
    /// A dependency of a package.
    pub struct Edge {
        /// The purpose of the dependency. Several kinds are allowed.
        kind: OneOrMany<EdgeKind>,
        /// The condition under which the package has the dependency.
        when: Option<When>,
        /// The relation between the GPU targets of the two packages. Required if both contain
        /// device code.
        targets: Option<Spanned<TargetRelation>>,
        /// The effect on the package if a GPU lacks code in the dependency. Only for a dependency
        /// that the package can do without at run time.
        without: Option<Without>,
        /// The required version: `same` (the package's own version), `slot` (the same slot, such as
        /// any 7.2), `any`, or a range such as `>=6.0.0`. When absent, the default of the backend:
        /// in Gentoo, `slot` for packages of the model that are no tools, else `any`.
        version: Option<Spanned<String>>,
        /// The purpose of an optional dependency, as users read it.
        reason: Option<Spanned<String>>,
        /// The dependency exactly as the recipe states it, if the distribution's name for it does
        /// not fit here.
        exact_name: Option<Spanned<String>>,
        /// The reason for the dependency. Becomes a comment in some recipes.
        comment: Option<String>,
    }
}

record! {
    /// A feature that can be on or off: a USE flag of an ebuild, or an optional input of a Nix
    /// expression.
    pub struct Feature {
        /// A one-line description of the feature, without a full stop.
        summary: Option<Spanned<String>>,
        /// Set if the feature is on by default.
        default: bool,
        /// The distribution's name for the feature, such as `buildTests`; the feature's own name
        /// when absent.
        name: Option<Spanned<String>>,
        /// The fixed value of a feature that the distribution does not offer to users. Packages are
        /// built as if the feature had this value.
        fixed: Option<Spanned<bool>>,
        /// The GPU targets that can be built with the feature; all targets when empty.
        targets: Vec<Spanned<String>>,
    }
}

record! {
    /// A condition that must hold between features: if `when` holds, then `need` must hold. It
    /// becomes a part of `REQUIRED_USE` in Gentoo.
    pub struct Constraint {
        /// The condition under which the constraint applies; always when absent.
        when: Option<When>,
        /// The condition that must hold if `when` holds.
        need: Option<When>,
        /// Features of which exactly one must be on.
        exactly_one: Vec<Spanned<String>>,
        /// Features of which at most one may be on.
        at_most_one: Vec<Spanned<String>>,
        /// Features or targets of which at least one must be on.
        any_of: Vec<Spanned<String>>,
        /// The reason for the constraint. Becomes a comment in some recipes.
        comment: Option<String>,
    }
}

record! {
    /// The GPU targets of a package.
    pub struct Targets {
        /// The CMake variables in which upstream's build takes the list of targets, such as
        /// `GPU_TARGETS`.
        variable: OneOrMany<Spanned<String>>,
        /// Every variable in which upstream's build takes the list of targets, with the range of
        /// releases in which the build reads the variable. `*` is all releases.
        variables: IndexMap<String, Option<Spanned<String>>>,
        /// The targets that the package can be built for; all targets of the distribution when
        /// empty.
        supports: Vec<TargetRule>,
        /// Upstream's default list, as it was read in a state of its sources: the targets that are
        /// built when no list is given. It limits nothing, and answers about GPUs call it a guess,
        /// since a release may have others. Modes such as `:xnack-` are left out.
        defaults: Vec<TargetRule>,
        /// The targets that the package can't be built for.
        excludes: Vec<TargetRule>,
        /// Targets of which at least one must be requested. Otherwise the package can't be built.
        needs: Vec<TargetRule>,
        /// The effect of an empty list of targets on upstream's build, as a note: `a sole
        /// unsupported target makes a dummy target`.
        empty: Option<Spanned<String>>,
        /// The treatment of a requested target that the package can't be built for. When absent,
        /// upstream's build decides.
        policy: Option<Policy>,
        /// The release whose list under `targets` of the distribution's file is offered to users,
        /// if it is not the package's release. In an ebuild, this is `ROCM_VERSION`.
        release: Option<Spanned<String>>,
        /// The condition under which the package contains device code: `test` for a package of
        /// which only the tests contain device code. Always when absent.
        when: Option<When>,
        /// The source of the list of targets to build; `all` when absent.
        list: TargetList = TargetList::All,
        /// The packing of the bundles in which upstream's build puts the device code. It is not
        /// known at releases without a row. Flags of the recipe count before these rows.
        bundles: Vec<BundleRule>,
        /// The sizes that libraries with device code were seen to have.
        sizes: Vec<LibrarySize>,
    }
}

record! {
    /// The component into which upstream merged another one.
    pub struct MergedInto {
        /// The component that has the source now.
        component: Spanned<String>,
        /// The first release at which it has the source.
        since: Spanned<String>,
    }
}

record! {
    /// The size that a library was seen to have, in mebibytes.
    pub struct LibrarySize {
        /// The library, such as `librccl.so`.
        library: Spanned<String>,
        /// The size without compression of the device code.
        plain: Option<u64>,
        /// The size with compression of the device code.
        compressed: Option<u64>,
        /// The GPU targets for which the library was built. When absent, they are not known.
        built_for: Vec<Spanned<String>>,
        /// The source of the numbers: a measurement or an issue.
        source: Spanned<String>,
    }
}

record! {
    /// The packing of bundles of device code by upstream's build, with its range of releases and
    /// its source.
    pub struct BundleRule {
        /// The range of releases for which the rule holds, such as `>=7.1`; all releases when
        /// absent.
        releases: Option<Spanned<String>>,
        /// The packing by default.
        packing: BundlePacking,
        /// The CMake argument that turns compression off, such as `BUILD_OFFLOAD_COMPRESS=OFF`.
        plain_by: Option<Spanned<String>>,
        /// The component whose static libraries are linked in. If its bundles are compressed, so
        /// are some of this package's.
        linked: Option<Spanned<String>>,
        /// The file or the issue of upstream that states the packing, and the release or the day
        /// of it.
        source: Spanned<String>,
    }
}

choice! {
    /// The packing of bundles of device code.
    pub enum BundlePacking {
        /// The bundles are compressed.
        Compressed = "compressed",
        /// The bundles are not compressed.
        Plain = "plain",
    }
}

record! {
    /// A rule about GPU targets, with its range of releases and its reason.
    pub struct TargetRule {
        /// Names of GPU targets, generic targets or families, such as `gfx1100` or `gfx101X-all`.
        targets: Vec<Spanned<String>>,
        /// The range of releases for which the rule holds, such as `>=7.1`; all releases when
        /// absent.
        releases: Option<Spanned<String>>,
        /// Set if upstream builds these targets when it is given no list. Only for rules in
        /// `supports`.
        default: bool,
        /// The reason for the rule: a file or an issue of upstream.
        reason: Spanned<String>,
    }
}

choice! {
    /// The effect on a package if an optional dependency lacks code for a GPU.
    pub enum Without {
        /// The package computes the same results without the dependency, but slower.
        Slower = "slower",
    }
}

choice! {
    /// The treatment of a target that a package can't be built for.
    pub enum Policy {
        /// The package is built without device code.
        Stub = "stub",
        /// The package is built for one stated target instead, so that the build succeeds
        /// (`nix.gpu-targets.throwaway`).
        Throwaway = "throwaway",
        /// Users can't select the target.
        Mask = "mask",
        /// The build stops with an error.
        Fail = "fail",
    }
}

choice! {
    /// The source of the list of targets to build.
    pub enum TargetList {
        /// All targets that the user selected from the distribution's list.
        All = "all",
        /// Those of the user's selected targets that the package supports.
        Intersection = "intersection",
        /// The package's own list of targets: those in `supports`.
        Own = "own",
        /// No list of targets is passed to upstream's build, so upstream's default applies.
        None = "none",
    }
}

choice! {
    /// The compiler that builds a package.
    pub enum Compiler {
        /// The distribution's C and C++ compiler.
        System = "system",
        /// AMD's driver for clang, `amdclang` and `amdclang++`.
        Amdclang = "amdclang",
        /// The version of clang that matches the version of HIP in use.
        Clang = "clang",
        /// AMD's wrapper around the compiler, `hipcc`.
        Hipcc = "hipcc",
    }
}

choice! {
    /// CMake's generator.
    pub enum Generator {
        /// Ninja (`-G Ninja`).
        Ninja = "ninja",
        /// Make (`-G "Unix Makefiles"`).
        Make = "make",
    }
}

record! {
    /// The settings for running a package's tests.
    pub struct Tests {
        /// Set if the tests need a GPU, and access to it while the package is built.
        device: bool,
        /// The program that runs the tests, such as `amdsmitst`; `ctest` when absent.
        runner: Option<Spanned<String>>,
        /// The CMake target (goal) that builds and runs the tests, such as `check`, if `ctest`
        /// alone does not run them.
        goal: Option<Spanned<String>>,
        /// Arguments of the program in `runner`.
        arguments: Vec<Text>,
        /// The folder in which the program in `runner` runs.
        folder: Option<Text>,
        /// Environment variables that are set while the tests run, by name.
        environment: IndexMap<String, Text>,
        /// The names or patterns of the tests that are left out.
        skip: Vec<Spanned<String>>,
        /// The reason why the tests in `skip` are left out.
        skip_reason: Option<String>,
        /// The number of tests that run at once; the backend's default when absent.
        jobs: Option<u64>,
        /// The reason for these settings. Becomes a comment in the recipe.
        comment: Option<String>,
        /// The reason why no recipe runs the tests. Absent if the tests can run.
        never: Option<Spanned<String>>,
    }
}

record! {
    /// A fact that nobody has verified.
    pub struct Guess {
        /// The keys that the guess is about, joined by dots, such as `version` or
        /// `cmake.main.arguments`.
        about: Spanned<String>,
        /// The basis of the guess, and a way to verify it.
        reason: Spanned<String>,
    }
}

impl Package {
    /// Returns the number of the resource that recipes require of a machine. `of` picks this number
    /// from a row of `resources`, such as `|r| r.memory`. The first number counts. Rows that are
    /// rules of thumb (`rough`) do not count. Returns `None` if no row states the number.
    pub fn asks(&self, of: impl Fn(&Resources) -> Option<u64>) -> Option<u64> {
        self.resources.0.iter().filter(|r| !r.rough).find_map(of)
    }

    /// Returns `layer` without the lists and texts under keys whose values must be mappings, such
    /// as `depends: [clr]`. Adds a finding for each of them.
    #[must_use]
    pub fn without_misfits(layer: &Node, findings: &mut Findings) -> Node {
        without_misfits(layer, &Self::RECORD, findings)
    }
}
