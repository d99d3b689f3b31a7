//! What a distribution does everywhere: stated once, so that no package has to repeat it.

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
    /// What a distribution does with a feature.
    pub enum FeatureHabit {
        /// The user decides.
        Offered = "offered",
        /// Always on.
        On = "on",
        /// Always off.
        Off = "off",
        /// As it is by default.
        Default = "default",
        /// Offered where upstream builds programs of that name, else off.
        WithPrograms = "with-programs",
    }
}

choice! {
    /// When one of upstream's options is passed.
    pub enum OptionHabit {
        /// Whenever a feature or a value stands behind it.
        Always = "always",
        /// Only where upstream would do something else unasked.
        UnlessDefault = "unless-default",
        /// As `unless-default`; one that follows a feature is passed when that feature is on.
        WhenOn = "when-on",
    }
}

choice! {
    /// What becomes of the programs built beside a library.
    pub enum ProgramHabit {
        /// Each kind moves to an output of its own.
        OwnOutput = "own-output",
        /// Benchmarks are installed from the build tree; tests are run there.
        InstalledByHand = "installed-by-hand",
        /// They stay where upstream installs them.
        LeftInPlace = "left-in-place",
    }
}

choice! {
    /// What becomes of a licence file.
    pub enum LicenceHabit {
        /// It is installed with the package.
        Installed = "installed",
        /// The distribution keeps the texts itself.
        None = "none",
    }
}

choice! {
    /// What is done about data that upstream's tests read.
    pub enum TestDataHabit {
        /// It is fetched with the sources.
        Fetched = "fetched",
        /// A package brings it itself, and what rules say of packages with `test-data` converts it.
        Brought = "brought",
        /// The tests that need it are not run, or a package brings it itself.
        None = "none",
    }
}

choice! {
    /// Which tests a distribution runs while it packages.
    pub enum TestHabit {
        /// Those that need no GPU; the build machine has none.
        WithoutDevice = "without-device",
        /// None, or where the user asks for them.
        None = "none",
    }
}

choice! {
    /// Where a package's own steps of a phase stand.
    pub enum Beside {
        /// Before the standard step.
        Before = "before",
        /// After the standard step.
        After = "after",
    }
}

/// A part of a package as written, laid under the overlays of the packages it holds for.
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

/// A list of steps as written, put among those of the packages it holds for.
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
    /// What holds for all packages of a kind.
    pub struct Rule {
        /// The packages: `device` (holds device code), `library`, `headers`, `scripts`, `python`
        /// (what they consist of), `limited` (can be built for some targets only), `monorepo` (the
        /// source is a folder of a repository), `repository-NAME` (the main source's),
        /// `own-version` (it has a version beside the release's), `large` (its build as a whole
        /// needs much of a machine), `demanding` (something that its build needs is stated),
        /// `parts` (it has groups of goals), `test-data` (it is fetched for the tests, and
        /// converted before they read it). All packages when absent.
        when: Option<When>,
        /// Only at these releases, such as `<7.0`; at all when absent.
        releases: Option<Spanned<String>>,
        /// Only packages made of one of these components.
        components: Vec<Spanned<String>>,
        /// Only packages that depend on this.
        depends_on: Option<Spanned<String>>,
        /// Only where that dependency is of this kind.
        kind as "as": Option<EdgeKind>,
        /// Only packages that have this feature, whoever decides it.
        feature: Option<Spanned<String>>,
        /// Only packages that have this one of upstream's options.
        option: Option<Spanned<String>>,
        /// Keys of a package; `~` takes back what the component says.
        package: Option<Tree>,
        /// Steps by phase that follow the standard one, whatever other steps a package has.
        after: IndexMap<String, Steps>,
        /// Steps by phase that stand before those of a package, or before the standard one where it
        /// has none of its own.
        first: IndexMap<String, Steps>,
        /// Phases whose steps don't name the standard one: where those stand beside it.
        own_steps: IndexMap<String, Beside>,
    }
}

record! {
    /// The habits of a distribution.
    pub struct Habits {
        /// Features by name. What a rule says of one under `fixed` goes before it, and what an
        /// overlay says before both.
        features: IndexMap<String, FeatureHabit>,
        /// All other features; offered when absent.
        other_features: Option<FeatureHabit>,
        /// When upstream's options are passed; `always` when absent.
        options: OptionHabit = OptionHabit::Always,
        /// Values that it gives to upstream's options wherever a component has them.
        option_values: IndexMap<String, Text>,
        /// Programs built beside a library; left in place when absent.
        programs: Option<ProgramHabit>,
        /// Licence files; none when absent.
        licence_files: Option<LicenceHabit>,
        /// Tests that are run without being asked for; none when absent.
        tests: Option<TestHabit>,
        /// Data for tests; none when absent.
        test_data: Option<TestDataHabit>,
        /// Packages that are programs of the build wherever they are linked against: compilers that
        /// bring a library.
        tools: Vec<Spanned<String>>,
        /// The releases at which a package bears upstream's own version of its component, where
        /// that is known, and not that of ROCm. `package.yml` alone reads it.
        own_versions: Option<Spanned<String>>,
        /// A package bears the number of its release's tag, such as 10.0 of `therock-10.0`, and not
        /// the release with its patch level.
        tagged_versions: bool,
        /// Folders that every sparse checkout of a monorepo takes beside the project's.
        sparse: Vec<Spanned<String>>,
        /// The variable for GPU targets that is passed where upstream reads several; all of them
        /// when absent.
        target_variable: Option<Spanned<String>>,
        /// Packages, and things outside, whose recipes build upstream's development branch too,
        /// under the version `9999`. Ebuilds alone do.
        live: Vec<Spanned<String>>,
        /// What holds for all packages of a kind, in order; a later rule is laid over an earlier
        /// one.
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
