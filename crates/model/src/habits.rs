//! The habits of a distribution: rules that hold for all its packages and are stated once.

use crate::cond::When;
use crate::decode::{Decode, Spanned, choice, record, wrong_type};
use crate::describe::{Book, Shape};
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::package::{EdgeKind, Package};
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The way in which a distribution treats a feature of a package, such as `test`.
    pub enum FeatureHabit {
        /// The user chooses whether the feature is on.
        Offered = "offered",
        /// The feature is always on.
        On = "on",
        /// The feature is always off.
        Off = "off",
        /// The feature is always on or always off, as its key `default` states.
        Default = "default",
        /// The feature is offered if the package has programs under the feature's name in
        /// `programs`, else it is always off.
        WithPrograms = "with-programs",
    }
}

choice! {
    /// The rule for passing upstream's CMake options.
    pub enum OptionHabit {
        /// The option is passed if its key `feature` or `value` determines its value.
        Always = "always",
        /// The option is passed, unless its value is known to be upstream's default.
        UnlessDefault = "unless-default",
        /// Like `unless-default`, but an option with a `feature` is passed only if that feature is
        /// on.
        WhenOn = "when-on",
    }
}

choice! {
    /// The treatment of programs that are built beside a library.
    pub enum ProgramHabit {
        /// The programs of each feature (`test`, `benchmark`) move to an output of their own.
        OwnOutput = "own-output",
        /// The recipe installs benchmarks from the build tree. Tests are run in the build tree.
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
        /// The test data is fetched with the sources of the package.
        Fetched = "fetched",
        /// The package's own file in the distribution's folder states the data. The rules for
        /// packages of the kind `test-data` convert the data.
        Brought = "brought",
        /// Tests that need data are not run, unless the package's own file in the distribution's
        /// folder states the data.
        None = "none",
    }
}

choice! {
    /// The tests that a distribution runs while it builds packages.
    pub enum TestHabit {
        /// Tests that need no GPU. The build machine has none.
        WithoutDevice = "without-device",
        /// No tests are run, unless the user requests them.
        None = "none",
    }
}

choice! {
    /// The position of a package's own steps in a phase, relative to the standard step.
    pub enum Beside {
        /// The package's own steps come before the standard step.
        Before = "before",
        /// The package's own steps come after the standard step.
        After = "after",
    }
}

/// A part of a package's record, as written in a rule. It is merged below the overlays of the
/// packages that the rule is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Tree(pub Node);

impl Decode for Tree {
    const EXPECTED: &'static str = "a mapping with keys of a package";
    fn decode(node: &Node, _: &mut Findings) -> Option<Self> {
        Some(Self(node.clone()))
    }

    fn shape(book: &mut Book) -> Shape {
        Package::shape(book)
    }
}

/// A list of steps, as written in a rule. It is inserted into the steps of the packages that the
/// rule is about.
#[derive(Clone, Debug, PartialEq)]
pub struct Steps(pub Node);

impl Decode for Steps {
    const EXPECTED: &'static str = "a list of steps";
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
    /// A rule for all packages of a kind: keys and steps that these packages get.
    pub struct Rule {
        /// A condition over kinds of packages: `device` (contains device code), `library`,
        /// `headers`, `scripts`, `python` (the package's `content`), `limited` (can be built for
        /// some targets only), `monorepo` (the source is a folder of a repository),
        /// `repository-NAME` (the repository of the main source), `own-version` (has a version of
        /// its own instead of the release's), `large` (`resources` states the disk space or memory
        /// of the whole build, or a need for each GPU target), `demanding` (`resources` states any
        /// need of the build), `parts` (has groups in `parts`), `test-data` (data is fetched for
        /// the tests, and converted before the tests read it). All packages when absent.
        when: Option<When>,
        /// The range of releases for which the rule holds, such as `<7.0`; all releases when
        /// absent.
        releases: Option<Spanned<String>>,
        /// The rule applies only to packages that are made of one of these components; all packages
        /// when empty.
        components: Vec<Spanned<String>>,
        /// The rule applies only to packages with this dependency, by neutral name.
        depends_on: Option<Spanned<String>>,
        /// The rule applies only to packages that have the dependency in `depends-on` with this
        /// kind, such as `link`.
        kind as "as": Option<EdgeKind>,
        /// The rule applies only to packages with this feature, even if the distribution does not
        /// offer the feature.
        feature: Option<Spanned<String>>,
        /// The rule applies only to packages with this one of upstream's options.
        option: Option<Spanned<String>>,
        /// Keys of a package that the packages get. `~` removes a key that the component states.
        package: Option<Tree>,
        /// Steps by phase that the packages get after the standard step, in addition to their other
        /// steps.
        after: IndexMap<String, Steps>,
        /// Steps by phase that the packages get before their own steps, or before the standard step
        /// if they have no own steps.
        first: IndexMap<String, Steps>,
        /// Phases to which the standard step is added if a package's own steps in the phase do not
        /// contain it. The value is the position of the own steps: `{install: after}`.
        own_steps: IndexMap<String, Beside>,
    }
}

record! {
    /// The habits of a distribution: rules that hold for all its packages.
    pub struct Habits {
        /// The treatment of features, by the feature's name. The key `fixed` of a feature in a rule
        /// takes precedence over this habit, and an overlay takes precedence over both.
        features: IndexMap<String, FeatureHabit>,
        /// The treatment of features that `features` does not name; `offered` when absent.
        other_features: Option<FeatureHabit>,
        /// The rule for passing upstream's options; `always` when absent.
        options: OptionHabit = OptionHabit::Always,
        /// Values of upstream's options, by name of the option. They are passed for all components
        /// that have the option and state no `value`.
        option_values: IndexMap<String, Text>,
        /// The treatment of programs that are built beside a library; `left-in-place` when absent.
        programs: Option<ProgramHabit>,
        /// The treatment of licence files; `none` when absent.
        licence_files: Option<LicenceHabit>,
        /// The tests that recipes run by default; `none` when absent.
        tests: Option<TestHabit>,
        /// The treatment of data for tests; `none` when absent.
        test_data: Option<TestDataHabit>,
        /// The dependencies that count as tools even if a package links against them: compilers
        /// that contain a library.
        tools: Vec<Spanned<String>>,
        /// The range of releases for which recipes have the version that upstream gives to the
        /// component itself, such as rocBLAS' own 5.2.0, instead of ROCm's version. Components
        /// without a known version of their own keep ROCm's version. Only Solus reads this key.
        own_versions: Option<Spanned<String>>,
        /// Set if recipes have the version in the tag of the release, such as 10.0 of
        /// `therock-10.0`, instead of the release with its patch level.
        tagged_versions: bool,
        /// Folders that every sparse checkout of a monorepo contains, in addition to the project's
        /// folder.
        sparse: Vec<Spanned<String>>,
        /// The CMake variable for GPU targets that is passed if upstream's build reads several,
        /// such as `GPU_TARGETS`. When absent, all of them are passed.
        target_variable: Option<Spanned<String>>,
        /// The packages of the model, and the dependencies outside the model, that also have an
        /// ebuild for upstream's development branch (version `9999`). Only Gentoo reads this key.
        live: Vec<Spanned<String>>,
        /// Rules for packages of a kind, in order. A later rule is merged over earlier ones.
        rules: Vec<Rule>,
    }
}
