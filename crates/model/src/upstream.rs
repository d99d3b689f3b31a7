//! The records of upstream's build: its options, the programs that it builds beside the library,
//! and the data that its tests read.
//!
//! Components contain these keys. A distribution's habits (`habits` of `distros/NAME.yaml`) decide
//! how they are used.

use crate::cond::When;
use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::resources::Resources;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The content of a component.
    pub enum Content {
        /// Compiled code.
        Library = "library",
        /// Headers and CMake files. Only tests and benchmarks are compiled.
        Headers = "headers",
        /// Scripts and CMake modules.
        Scripts = "scripts",
        /// A Python package.
        Python = "python",
    }
}

record! {
    /// One of upstream's CMake switches.
    pub struct UpstreamOption {
        /// Upstream's default: `on`, `off` or text. Absent if nobody has read the default.
        default: Option<Spanned<String>>,
        /// A condition over features and targets. The option is on if the condition holds, else
        /// off.
        feature: Option<When>,
        /// The value that every packager has to pass: `on`, `off` or text.
        value: Option<Text>,
        /// The condition under which the option is passed.
        when: Option<When>,
        /// The reason. Becomes a comment.
        comment: Option<String>,
    }
}

record! {
    /// Programs that are built beside the library if the feature with the same name is on.
    pub struct Programs {
        /// The folder inside the build tree in which the build creates the programs.
        folder: Option<Text>,
        /// The names of the programs. Patterns are allowed.
        files: Vec<Text>,
        /// Set if upstream installs the programs. Otherwise they stay in `folder`.
        installed: bool = true,
        /// Other files that upstream installs in the folder of programs for these programs. A
        /// distribution that moves the programs removes these files.
        leftovers: Vec<Text>,
        /// Set if upstream may install other files in the same folder. The folder is then kept.
        others_stay: bool,
        /// Set if the programs are built and installed even if the feature is not offered.
        always: bool,
    }
}

record! {
    /// Archives that upstream's tests read. Each is a file below a common address.
    pub struct TestData {
        /// The address without its last parts.
        base: Spanned<String>,
        /// The beginning of the local name of each archive; `${name}_` when absent.
        prefix: Option<Text>,
        /// The last parts of the addresses, without `.tar.gz`.
        files: Vec<Spanned<String>>,
        /// The program that converts the data into the form that the tests read: the name of its
        /// source file without `.cpp`.
        converter: Option<Text>,
        /// The folder inside the build tree in which the tests look for the data.
        folder: Option<Text>,
        /// The ending of the names of converted files.
        suffix: Option<Text>,
        /// The features that read the data; only `test` when absent.
        when: Option<When>,
    }
}

record! {
    /// A group of CMake goals of a library that is too large for one build.
    pub struct Part {
        /// The goals.
        goals: Vec<Spanned<String>>,
        /// The condition under which the group is built.
        when: Option<When>,
        /// GPU targets of which one must be requested for the group to be built.
        only_for: Vec<Spanned<String>>,
        /// Further CMake arguments.
        arguments: IndexMap<String, Text>,
        /// The reason why this is a group of its own.
        comment: Option<String>,
        /// The resources that the build of the group needs.
        resources: OneOrMany<Resources>,
    }
}

record! {
    /// Facts that hold for all of upstream's components. They are merged below every component. A
    /// component states where it differs, with `~` too.
    pub struct Upstream {
        /// The name of the software stack.
        name: Option<Spanned<String>>,
        /// The owner of repositories, for sources that state no owner.
        owner: Option<Spanned<String>>,
        /// The component that builds the stack's own LLVM.
        llvm: Option<Spanned<String>>,
        /// The repository that builds the whole stack, and states the GPUs for which a component is
        /// not built.
        superbuild: Option<Spanned<String>>,
        /// Environment variables that upstream's builds read, in addition to those of compilers.
        environment: Vec<Spanned<String>>,
        /// Repositories that contain many projects, by name.
        repositories: IndexMap<String, Repository>,
        /// The home page of a project with a repository of its own. Here and below, `${title}`,
        /// `${owner}`, `${repository}`, `${branch}` and `${path}` stand for the component's values.
        /// If a component has several sources, these are the values of the newest one.
        homepage: Option<Text>,
        /// The home page of a project that is a folder of a repository.
        folder_homepage: Option<Text>,
        /// The address of the documentation.
        documentation: Option<Text>,
        /// The file with the licence's text, below the project's folder.
        licence_file: Option<Text>,
        /// Features that have the same meaning in all components. A component has those that its
        /// options, dependencies and programs name.
        features: IndexMap<String, StandardFeature>,
        /// The assumed needs of a build that nobody has measured, by the component's `content`, or
        /// under `device` for components with device code.
        resources: IndexMap<String, OneOrMany<Resources>>,
    }
}

record! {
    /// A repository that contains many projects.
    pub struct Repository {
        /// The branch of development, for links and for builds of that branch.
        branch: Spanned<String>,
        /// The releases that have an archive for each project, with the name of the project's
        /// folder.
        assets: Option<Spanned<String>>,
        /// Set if the repository has submodules. They seldom belong to the project that is built.
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
