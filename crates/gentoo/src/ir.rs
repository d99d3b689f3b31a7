//! What an ebuild says, typed.

use indexmap::IndexMap;
use rocpkg_pms::{Atom, FlagState, Iuse, License, Restriction, Spec};
use rocpkg_render::bash::{Item, Stmt, Word};
use rocpkg_resolve::Builds;
use std::fmt;

/// The array of those of a package's own GPU targets that are on by default.
pub(crate) const SUPPORTED_TARGETS: &str = "SUPPORTED_TARGETS";

/// The array of those that are off unless asked for.
pub(crate) const OFFERED_TARGETS: &str = "OFFERED_TARGETS";

/// One ebuild with the facts of its `metadata.xml` and Manifest, which are written from the same value.
#[derive(Clone, Debug)]
pub struct Ebuild {
    /// The package's id in the plan.
    pub id: String,
    /// The category.
    pub category: String,
    /// The package's name, `PN`.
    pub name: String,
    /// The version, `PV`.
    pub version: String,
    /// The revision, the digit of `-r2`.
    pub revision: Option<u64>,
    /// Why the ebuild is the way it is.
    pub comment: Option<String>,
    /// The last year of the copyright line.
    pub year: String,
    /// Variables that eclasses read when they are inherited.
    pub early: Vec<Variable>,
    /// The eclasses, sorted.
    pub inherit: Vec<String>,
    /// Commits that sources are fetched at, as variables.
    pub commits: Vec<Variable>,
    /// `DESCRIPTION`.
    pub description: String,
    /// `HOMEPAGE`.
    pub homepage: String,
    /// `SRC_URI`.
    pub sources: Spec<Uri>,
    /// `S` and the folders of further sources.
    pub folders: Vec<Variable>,
    /// What the live version has in place of `SRC_URI`, `KEYWORDS` and those folders.
    pub live: Option<Live>,
    /// What `SLOT` says between its quotes, and why where it is not what the version gives.
    pub slot: (String, Option<&'static str>),
    /// `LICENSE`.
    pub license: Spec<License>,
    /// `KEYWORDS`.
    pub keywords: String,
    /// The package's own GPU targets, when it does not take the eclass's.
    pub own_targets: Vec<String>,
    /// It was looked up which GPU targets upstream has kernels for at this release.
    pub targets_known: bool,
    /// Those of the package's own GPU targets that are off unless asked for.
    pub offered_targets: Vec<String>,
    /// `IUSE` without what eclasses add.
    pub iuse: Iuse,
    /// `REQUIRED_USE`.
    pub required_use: Spec<Required>,
    /// `RESTRICT`.
    pub restrict: Spec<Restriction>,
    /// Why tests are restricted.
    pub restrict_reason: Option<String>,
    /// The five dependency variables.
    pub depends: Dependencies,
    /// Why `REQUIRED_USE` asks for what it asks for.
    pub required_reasons: Vec<String>,
    /// Variables that stand before the phases.
    pub late: Vec<Variable>,
    /// Why some of them are set, by name.
    pub reasons: IndexMap<String, String>,
    /// The plug-ins of pytest, when distutils-r1.eclass runs the tests.
    pub pytest: Vec<String>,
    /// `PATCHES`.
    pub patches: Vec<Item>,
    /// Functions in the order of the phases.
    pub functions: Vec<(String, Vec<Stmt>)>,
    /// Patch files of the `files` folder.
    pub files: Vec<String>,
    /// What the sources are stored as in DISTDIR, with their checksums where known.
    pub distfiles: Vec<Distfile>,
    /// `owner/repository` on GitHub.
    pub remote: Option<String>,
    /// The address of upstream's documentation.
    pub documentation: Option<String>,
    /// Local USE flags and what they do.
    pub flags: IndexMap<String, String>,
    /// What upstream's build is given for GPU targets; nothing where the package has no device code.
    pub builds: Option<Builds>,
    /// It asks dependencies to be built for what it is built for.
    pub hands_on: bool,
}

impl Ebuild {
    /// `category/name`.
    pub fn folder(&self) -> String {
        format!("{}/{}", self.category, self.name)
    }

    /// `name-version.ebuild`, with the revision.
    pub fn file_name(&self) -> String {
        let revision = self.revision.map(|r| format!("-r{r}")).unwrap_or_default();
        format!("{}-{}{revision}.ebuild", self.name, self.version)
    }
}

/// Upstream's development branch, which the same ebuild builds under the version 9999 (git-r3.eclass).
#[derive(Clone, Debug)]
pub struct Live {
    /// `EGIT_REPO_URI`, `EGIT_BRANCH` and `EGIT_SUBMODULES`.
    pub repository: Vec<Variable>,
    /// `S` and the folders of further sources.
    pub folders: Vec<Variable>,
    /// What is fetched besides: `SRC_URI`.
    pub sources: Spec<Uri>,
}

/// A variable of the ebuild.
#[derive(Clone, Debug)]
pub struct Variable {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Value,
}

/// The value of a variable.
#[derive(Clone, Debug)]
pub enum Value {
    /// One word.
    Word(Word),
    /// An array.
    Array(Vec<Item>),
}

/// The five variables of PMS 8.1, each complete: none refers to another yet.
#[derive(Clone, Debug, Default)]
pub struct Dependencies {
    /// `RDEPEND`.
    pub run: Spec<Dep>,
    /// `DEPEND`.
    pub build: Spec<Dep>,
    /// `BDEPEND`.
    pub tool: Spec<Dep>,
    /// `PDEPEND`.
    pub post: Spec<Dep>,
    /// What single dependencies are there for, by variable.
    pub notes: Vec<(&'static str, String)>,
}

/// A leaf of a dependency variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dep {
    /// An atom: the value it has once variables are expanded, and its text with them.
    Atom(Box<Atom>, String),
    /// A variable that an eclass sets, such as `${PYTHON_DEPS}`.
    Expansion(String),
    /// Atoms repeated by a function of an eclass for each version of LLVM or Python.
    Generated(Generator, Vec<(Atom, String)>),
}

/// A function of an eclass that repeats atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Generator {
    /// `llvm_gen_dep` of `llvm-r2.eclass`.
    Llvm,
    /// `python_gen_any_dep` of `python-any-r1.eclass`.
    PythonAny,
    /// `python_gen_cond_dep` of `python-single-r1.eclass`.
    PythonCond,
}

impl Generator {
    /// The function's name.
    pub fn function(self) -> &'static str {
        match self {
            Self::Llvm => "llvm_gen_dep",
            Self::PythonAny => "python_gen_any_dep",
            Self::PythonCond => "python_gen_cond_dep",
        }
    }
}

impl fmt::Display for Dep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Atom(_, text) => f.write_str(text),
            Self::Expansion(name) => write!(f, "${{{name}}}"),
            Self::Generated(generator, atoms) => {
                write!(f, "$({} \"", generator.function())?;
                for (i, (_, text)) in atoms.iter().enumerate() {
                    write!(f, "{}{}", if i > 0 { " " } else { "" }, text.replace("${", "\\${"))?;
                }
                f.write_str("\")")
            }
        }
    }
}

/// A leaf of `REQUIRED_USE`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Required {
    /// A flag.
    Flag(FlagState),
    /// A variable that an eclass or the ebuild sets, such as `${ROCM_REQUIRED_USE}`.
    Expansion(&'static str),
}

impl fmt::Display for Required {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Flag(state) => state.fmt(f),
            Self::Expansion(name) => write!(f, "${{{name}}}"),
        }
    }
}

/// A leaf of `SRC_URI`, as text with variables; checked with their values in place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uri(pub String);

impl fmt::Display for Uri {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// A file in DISTDIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Distfile {
    /// Its name there.
    pub name: String,
    /// Size in bytes, BLAKE2B and SHA512 in hexadecimal, when all three are known.
    pub sums: Option<(u64, String, String)>,
}
