//! Upstream's own interface: what its build can switch, what it builds beside the library, what its
//! tests read.
//!
//! These keys stand in components. A distribution's habits (`habits` of `distros/NAME.yaml`) decide
//! what becomes of them.

use crate::cond::When;
use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::resources::Resources;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// What a component consists of.
    pub enum Content {
        /// Compiled code.
        Library = "library",
        /// Headers and CMake files; nothing is compiled unless tests or benchmarks are.
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
        /// What upstream does unasked: `on`, `off` or text. Absent when it was not read.
        default: Option<Spanned<String>>,
        /// On when this condition over features and targets holds, else off.
        feature: Option<When>,
        /// What every packager has to pass: `on`, `off` or text.
        value: Option<Text>,
        /// Passed only under this condition.
        when: Option<When>,
        /// Why; becomes a comment.
        comment: Option<String>,
    }
}

record! {
    /// Programs that are built beside the library when the feature of that name is on.
    pub struct Programs {
        /// Where the build leaves them, inside the build tree.
        folder: Option<Text>,
        /// Their names; patterns may be used.
        files: Vec<Text>,
        /// Upstream installs them; else they stay in that folder.
        installed: bool = true,
        /// What else upstream installs among programs for their sake; whoever moves them removes
        /// it.
        leftovers: Vec<Text>,
        /// Upstream may install more than these beside them, so their folder stays.
        others_stay: bool,
        /// They are built and installed even where the feature is not offered.
        always: bool,
    }
}

record! {
    /// Archives that upstream's tests read, one file each below a common address.
    pub struct TestData {
        /// The address without its last parts.
        base: Spanned<String>,
        /// What the local name of each archive begins with; `${name}_` when absent.
        prefix: Option<Text>,
        /// The last parts of the addresses, without `.tar.gz`.
        files: Vec<Spanned<String>>,
        /// The program that converts them into what the tests read, without the `.cpp` of its
        /// source.
        converter: Option<Text>,
        /// Where the tests look for them, inside the build tree.
        folder: Option<Text>,
        /// What the names of converted ones end in.
        suffix: Option<Text>,
        /// The features that read it; the tests alone when absent.
        when: Option<When>,
    }
}

record! {
    /// A group of CMake goals of a library that is too large for one build.
    pub struct Part {
        /// The goals.
        goals: Vec<Spanned<String>>,
        /// Only under this condition.
        when: Option<When>,
        /// Only when one of these GPU targets is asked for.
        only_for: Vec<Spanned<String>>,
        /// More CMake arguments.
        arguments: IndexMap<String, Text>,
        /// Why it is a group of its own.
        comment: Option<String>,
        /// What its build needs.
        resources: OneOrMany<Resources>,
    }
}

record! {
    /// What upstream does everywhere, laid below every component; a component says where it
    /// differs, `~` included.
    pub struct Upstream {
        /// What the stack is called.
        name: Option<Spanned<String>>,
        /// Who owns the repositories of sources that name no owner.
        owner: Option<Spanned<String>>,
        /// The component that makes the stack's own LLVM.
        llvm: Option<Spanned<String>>,
        /// The repository that builds the whole stack, and says what is not built for which GPU.
        superbuild: Option<Spanned<String>>,
        /// Variables of the environment that its builds read, beside those of compilers.
        environment: Vec<Spanned<String>>,
        /// Repositories that hold many projects, by name.
        repositories: IndexMap<String, Repository>,
        /// The home page of a project with a repository of its own. Here and below, `${title}`,
        /// `${owner}`, `${repository}`, `${branch}` and `${path}` stand for what the component
        /// says, of several sources for what the newest says.
        homepage: Option<Text>,
        /// The home page of a project that is a folder of a repository.
        folder_homepage: Option<Text>,
        /// The documentation.
        documentation: Option<Text>,
        /// The licence's text, below the project's folder.
        licence_file: Option<Text>,
        /// Features that mean the same wherever they are; a component has those that its options,
        /// dependencies and programs name.
        features: IndexMap<String, StandardFeature>,
        /// What is taken for needed where nobody saw it: by what a component consists of, or
        /// `device` where that holds device code.
        resources: IndexMap<String, OneOrMany<Resources>>,
    }
}

record! {
    /// A repository that holds many projects.
    pub struct Repository {
        /// The branch on which it is developed, for links and for those who build it.
        branch: Spanned<String>,
        /// The releases that have an archive for each project, called like its folder.
        assets: Option<Spanned<String>>,
        /// It has submodules, which are seldom those of the project that is built.
        submodules: bool,
    }
}

record! {
    /// A feature that means the same wherever it is.
    pub struct StandardFeature {
        /// One line about what it does.
        summary: Spanned<String>,
    }
}
