//! The records of upstream's build: its options, the programs that it builds beside the library,
//! and the data that its tests read.
//!
//! Components contain these keys. A distribution's habits (`habits` of `distros/NAME.yaml`) decide
//! how they are used.

use crate::cond::When;
use crate::day::Day;
use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::resources::Resources;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The content of a component, on which rules for packages depend.
    pub enum Content {
        /// The component consists of compiled code.
        Library = "library",
        /// The component consists of headers and CMake files. Only tests and benchmarks are
        /// compiled.
        Headers = "headers",
        /// The component consists of scripts and CMake modules.
        Scripts = "scripts",
        /// The component is a Python package.
        Python = "python",
    }
}

record! {
    /// One of upstream's CMake options.
    pub struct UpstreamOption {
        /// Upstream's default: `on`, `off` or text. Absent if nobody has read the default.
        default: Option<Spanned<String>>,
        /// The condition over features and targets under which the option is on; else it is off.
        /// Example: `test`.
        feature: Option<When>,
        /// The value that every packager has to pass: `on`, `off` or text. Absent if the default
        /// suits.
        value: Option<Text>,
        /// The condition under which the option is passed; always when absent.
        when: Option<When>,
        /// The reason for passing the option. Becomes a comment in the recipe.
        comment: Option<String>,
    }
}

record! {
    /// Programs that are built beside the library if the feature with the same name is on.
    pub struct Programs {
        /// The releases that have the programs; all releases when absent.
        releases: Option<Spanned<String>>,
        /// The folder of the build tree in which the build creates the programs, such as `bin`.
        folder: Option<Text>,
        /// The names of the programs. Patterns such as `test_*` are allowed.
        files: Vec<Text>,
        /// Set if upstream installs the programs; true when absent. If false, they stay in
        /// `folder`.
        installed: bool = true,
        /// Other files that upstream installs for these programs, relative to the folder of
        /// installed programs. A distribution that moves the programs removes these files.
        leftovers: Vec<Text>,
        /// Set if upstream may install files of others in the same folder. A distribution that
        /// moves the programs then keeps the folder.
        keep_other_files: bool,
        /// Set if the programs are built and installed even if the distribution does not offer the
        /// feature.
        always: bool,
    }
}

record! {
    /// Archives with data that upstream's tests read. The address of each archive is
    /// `BASE/FILE.tar.gz`.
    pub struct TestData {
        /// The common beginning of the addresses, without the last `/`.
        base: Spanned<String>,
        /// The beginning of the local name of each archive; `${name}_` when absent.
        prefix: Option<Text>,
        /// The rest of each address, without `.tar.gz`, such as `Williams/cant`.
        files: Vec<Spanned<String>>,
        /// The program that converts the data into the form that the tests read: the name of its
        /// source file without `.cpp`.
        converter: Option<Text>,
        /// The folder inside the build tree in which the tests look for the data.
        folder: Option<Text>,
        /// The ending of the names of converted files, such as `.bin`.
        suffix: Option<Text>,
        /// The condition over features under which the data is needed; `test` when absent.
        when: Option<When>,
    }
}

record! {
    /// A group of CMake targets to build (goals), of a library that is too large for one build.
    pub struct Part {
        /// The goals that are built together, such as `[device_mha_instance]`.
        goals: Vec<Spanned<String>>,
        /// The condition under which the group is built; always when absent.
        when: Option<When>,
        /// GPU targets of which one must be requested for the group to be built. When empty, the
        /// group is built for any targets.
        only_for: Vec<Spanned<String>>,
        /// Further CMake arguments for the group, by name.
        arguments: IndexMap<String, Text>,
        /// The reason why this is a group of its own.
        comment: Option<String>,
        /// The resources that the build of the group needs of a machine.
        resources: OneOrMany<Resources>,
    }
}

record! {
    /// Facts that hold for all of upstream's components. They are merged below every component. A
    /// component states only what differs, with `~` to remove a fact.
    pub struct Upstream {
        /// The name of the software stack, such as `ROCm`.
        name: Option<Spanned<String>>,
        /// The owner of repositories on GitHub, for sources that state no owner.
        owner: Option<Spanned<String>>,
        /// The component that builds the stack's own LLVM, such as `rocm-llvm`.
        llvm: Option<Spanned<String>>,
        /// The major versions of plain LLVM that are released, each with the day of its first
        /// release. Any other version is not released, as far as the model knows.
        llvm_releases: IndexMap<String, Day>,
        /// The repository that builds the whole stack, such as `TheRock`. It states the GPUs for
        /// which a component is not built.
        superbuild: Option<Spanned<String>>,
        /// Environment variables that upstream's builds read, in addition to those of compilers.
        environment: Vec<Spanned<String>>,
        /// Repositories that contain many projects (monorepos), by name.
        repositories: IndexMap<String, Repository>,
        /// The home page of a project with a repository of its own. In this key and the three keys
        /// below, `${title}`, `${owner}`, `${repository}`, `${branch}` and `${path}` stand for the
        /// component's values. `${owner}`, `${repository}` and `${path}` are those of the main
        /// source for the package's release.
        homepage: Option<Text>,
        /// The home page of a project that is a folder of a monorepo.
        folder_homepage: Option<Text>,
        /// The address of the documentation of a component whose main source has the owner in
        /// `owner`.
        documentation: Option<Text>,
        /// The path of the file with the licence's text, relative to the project's folder.
        licence_file: Option<Text>,
        /// The packages that people run or build on, by their names in the profiles. Reports on
        /// GPUs begin with these packages, in this order.
        applications: Vec<Spanned<String>>,
        /// Features that have the same meaning in all components, by name. A component has those of
        /// these features that its options, dependencies and programs name.
        features: IndexMap<String, StandardFeature>,
        /// The resources that a build is assumed to need if nobody has measured it, by the
        /// component's `content`, or under `device` for components with device code.
        resources: IndexMap<String, OneOrMany<Resources>>,
    }
}

record! {
    /// A repository that contains many projects (a monorepo).
    pub struct Repository {
        /// The branch of development, for links and for builds of that branch.
        branch: Spanned<String>,
        /// The range of releases that have an archive for each project as an asset, such as
        /// `>=7.1.1`. The archive has the name of the project's folder.
        assets: Option<Spanned<String>>,
        /// Set if the repository has git submodules. They seldom belong to the project that is
        /// built.
        submodules: bool,
    }
}

record! {
    /// A feature that has the same meaning in all components.
    pub struct StandardFeature {
        /// A one-line description of the feature.
        summary: Spanned<String>,
    }
}
