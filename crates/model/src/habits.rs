//! The habits of a distribution: rules that hold for all its packages and are stated once.

use crate::cond::When;
use crate::decode::{Decode, Spanned, choice, record, wrong_type};
use crate::describe::{Book, Shape};
use crate::encode::Encode;
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::package::{EdgeKind, Package};
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The way in which a distribution treats a feature.
    pub enum FeatureHabit {
        /// The user chooses whether the feature is on.
        Offered = "offered",
        /// The feature is always on.
        On = "on",
        /// The feature is always off.
        Off = "off",
        /// The feature is fixed to its default.
        Default = "default",
        /// The feature is offered if upstream builds programs of the same name, else it is always
        /// off.
        WithPrograms = "with-programs",
    }
}

choice! {
    /// The rule for passing one of upstream's options.
    pub enum OptionHabit {
        /// The option is passed whenever a feature or a value determines it.
        Always = "always",
        /// The option is passed, unless its value is known to be upstream's default.
        UnlessDefault = "unless-default",
        /// Like `unless-default`, but an option that follows a feature is passed only if that
        /// feature is on.
        WhenOn = "when-on",
    }
}

choice! {
    /// The treatment of programs that are built beside a library.
    pub enum ProgramHabit {
        /// Each kind of program moves to an output of its own.
        OwnOutput = "own-output",
        /// Benchmarks are installed from the build tree. Tests are run in the build tree.
        InstalledByHand = "installed-by-hand",
        /// The programs stay where upstream installs them.
        LeftInPlace = "left-in-place",
    }
}

choice! {
    /// The treatment of licence files.
    pub enum LicenceHabit {
        /// The licence file is installed with the package.
        Installed = "installed",
        /// The licence file is not installed, since the distribution has the texts of licences
        /// itself.
        None = "none",
    }
}

choice! {
    /// The treatment of data that upstream's tests read.
    pub enum TestDataHabit {
        /// The data is fetched with the sources.
        Fetched = "fetched",
        /// The package's own file states the data, and the rules for packages of the kind
        /// `test-data` convert the data.
        Brought = "brought",
        /// Tests that need data are not run, or the package's own file states the data.
        None = "none",
    }
}

choice! {
    /// The tests that a distribution runs while it builds packages.
    pub enum TestHabit {
        /// Tests that need no GPU. The build machine has none.
        WithoutDevice = "without-device",
        /// No tests, unless the user requests them.
        None = "none",
    }
}

choice! {
    /// The position of a package's own steps in a phase.
    pub enum Beside {
        /// Before the standard step.
        Before = "before",
        /// After the standard step.
        After = "after",
    }
}

/// A part of a package as written. It is merged below the overlays of the packages that the rule is
/// about.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(pub Node);

impl Decode for Tree {
    const EXPECTED: &'static str = "keys of a package";
    fn decode(node: &Node, _: &mut Findings) -> Option<Self> {
        Some(Self(node.clone()))
    }

    fn shape(book: &mut Book) -> Shape {
        Package::shape(book)
    }
}

/// A list of steps as written. It is inserted into the steps of the packages that the rule is
/// about.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(pub Node);

impl Decode for Steps {
    const EXPECTED: &'static str = "list of steps";
    fn decode(node: &Node, findings: &mut Findings) -> Option<Self> {
        if matches!(node.value, Value::Seq(_)) {
            return Some(Self(node.clone()));
        }
        wrong_type(node, findings)
    }

    fn shape(book: &mut Book) -> Shape {
        Vec::<Step>::shape(book)
    }
}

record! {
    /// A rule for all packages of a kind.
    pub struct Rule {
        /// A condition over kinds of packages: `device` (contains device code), `library`,
        /// `headers`, `scripts`, `python` (the package's `content`), `limited` (can be built for
        /// some targets only), `monorepo` (the source is a folder of a repository),
        /// `repository-NAME` (the repository of the main source), `own-version` (has a version of
        /// its own beside the release's), `large` (the build as a whole needs much of a machine),
        /// `demanding` (a need of the build is stated), `parts` (has groups of goals), `test-data`
        /// (data is fetched for the tests, and converted before they read it). All packages when
        /// absent.
        when: Option<When>,
        /// The releases for which the rule holds, such as `<7.0`; all releases when absent.
        releases: Option<Spanned<String>>,
        /// The rule is only about packages that are made of one of these components.
        components: Vec<Spanned<String>>,
        /// The rule is only about packages with this dependency.
        depends_on: Option<Spanned<String>>,
        /// The rule is only about packages for which that dependency is of this kind.
        kind as "as": Option<EdgeKind>,
        /// The rule is only about packages with this feature, whether it is offered or fixed.
        feature: Option<Spanned<String>>,
        /// The rule is only about packages with this one of upstream's options.
        option: Option<Spanned<String>>,
        /// Keys of a package. `~` removes a key of the component.
        package: Option<Tree>,
        /// Steps by phase that follow the standard step, whatever other steps a package has.
        after: IndexMap<String, Steps>,
        /// Steps by phase that come before a package's own steps, or before the standard step if
        /// the package has none of its own.
        first: IndexMap<String, Steps>,
        /// Phases to which the standard step is added if a package's own steps do not contain it.
        /// The value is the position of the own steps.
        own_steps: IndexMap<String, Beside>,
    }
}

record! {
    /// The habits of a distribution.
    pub struct Habits {
        /// The treatment of features, by name. A rule's `fixed` takes precedence over this habit,
        /// and an overlay takes precedence over both.
        features: IndexMap<String, FeatureHabit>,
        /// The treatment of all other features; `offered` when absent.
        other_features: Option<FeatureHabit>,
        /// The rule for passing upstream's options; `always` when absent.
        options: OptionHabit = OptionHabit::Always,
        /// Values of upstream's options, for all components that have the option and state no
        /// `value`.
        option_values: IndexMap<String, Text>,
        /// The treatment of programs that are built beside a library; `left-in-place` when absent.
        programs: Option<ProgramHabit>,
        /// The treatment of licence files; `none` when absent.
        licence_files: Option<LicenceHabit>,
        /// The tests that are run by default; `none` when absent.
        tests: Option<TestHabit>,
        /// The treatment of data for tests; `none` when absent.
        test_data: Option<TestDataHabit>,
        /// Packages that count as tools even if a package links against them: compilers that
        /// contain a library.
        tools: Vec<Spanned<String>>,
        /// The releases for which a package has upstream's own version of its component, if that
        /// version is known, instead of ROCm's version. Only `package.yml` uses this key.
        own_versions: Option<Spanned<String>>,
        /// Set if a package's version is the number in the tag of its release, such as 10.0 of
        /// `therock-10.0`, instead of the release with its patch level.
        tagged_versions: bool,
        /// Folders that every sparse checkout of a monorepo includes in addition to the project's
        /// folder.
        sparse: Vec<Spanned<String>>,
        /// The variable for GPU targets that is passed if upstream's build reads several. All of
        /// them are passed when absent.
        target_variable: Option<Spanned<String>>,
        /// Packages and dependencies outside the model that also have a recipe for upstream's
        /// development branch, with the version `9999`. Only ebuilds have such recipes.
        live: Vec<Spanned<String>>,
        /// Rules for all packages of a kind, in order. Later rules are merged over earlier ones.
        rules: Vec<Rule>,
    }
}

impl Encode for Tree {
    fn encode(&self) -> Option<Node> {
        Some(self.0.clone())
    }
}

impl Encode for Steps {
    fn encode(&self) -> Option<Node> {
        Some(self.0.clone())
    }
}
