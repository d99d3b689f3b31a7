//! What an ebuild says, typed.

use indexmap::IndexMap;
use rocpkg_pms::{Atom, FlagState, Iuse, License, Restriction, Spec};
use rocpkg_render::Pinned;
use rocpkg_render::bash::{Item, Stmt, Word};
use rocpkg_resolve::{Builds, Planned};
use std::fmt;

/// The array of those of a package's own GPU targets that are on by default.
pub(crate) const SUPPORTED_TARGETS: &str = "SUPPORTED_TARGETS";

/// The array of those that are off unless asked for.
pub(crate) const OFFERED_TARGETS: &str = "OFFERED_TARGETS";

/// One ebuild with the facts of its `metadata.xml` and Manifest, which are written from the same value.
pub(crate) struct Ebuild<'a> {
    pub(crate) p: &'a Planned,
    pub(crate) category: String,
    /// The version: that of the package, or the live one.
    pub(crate) version: String,
    /// The revision, the digit of `-r2`.
    pub(crate) revision: Option<u64>,
    pub(crate) year: String,
    /// Variables that eclasses read when they are inherited.
    pub(crate) early: Vec<Variable>,
    pub(crate) inherit: Vec<String>,
    /// Commits that sources are fetched at, as variables.
    pub(crate) commits: Vec<Variable>,
    pub(crate) homepage: String,
    pub(crate) sources: Spec<String>,
    /// What git-r3.eclass checks out for the live ebuild: `EGIT_REPO_URI`, `EGIT_BRANCH` and `EGIT_SUBMODULES`.
    pub(crate) checkout: Vec<Variable>,
    /// `S` and the folders of further sources.
    pub(crate) folders: Vec<Variable>,
    /// What `SLOT` says between its quotes.
    pub(crate) slot: String,
    /// What `SLOT_NOLIVE` says: the slot of what a live ebuild needs and has no live version.
    pub(crate) slot_of_release: Option<String>,
    pub(crate) license: Spec<License>,
    pub(crate) keywords: String,
    /// The package's own GPU targets, when it does not take the eclass's.
    pub(crate) own_targets: Vec<String>,
    /// Those of the package's own GPU targets that are off unless asked for.
    pub(crate) offered_targets: Vec<String>,
    /// `IUSE` without what eclasses add.
    pub(crate) iuse: Iuse,
    pub(crate) required_use: Spec<Required>,
    pub(crate) restrict: Spec<Restriction>,
    pub(crate) restrict_reason: Option<String>,
    pub(crate) depends: Dependencies,
    /// Variables that stand before the phases.
    pub(crate) late: Vec<Variable>,
    pub(crate) patches: Vec<Item>,
    /// Functions in the order of the phases.
    pub(crate) functions: Vec<(String, Vec<Stmt>)>,
    /// Patch files of the `files` folder.
    pub(crate) files: Vec<String>,
    /// What the sources are stored as in DISTDIR, with their checksums where known.
    pub(crate) distfiles: Vec<Distfile>,
    /// `owner/repository` on GitHub.
    pub(crate) remote: Option<String>,
    /// Local USE flags and what they do.
    pub(crate) flags: IndexMap<String, String>,
    /// What upstream's build is given for GPU targets; nothing where the package has no device code.
    pub(crate) builds: Option<Builds>,
    /// It asks dependencies to be built for what it is built for.
    pub(crate) hands_on: bool,
}

impl Ebuild<'_> {
    pub(crate) fn folder(&self) -> String {
        format!("{}/{}", self.category, self.p.name)
    }

    /// `name-version.ebuild`, with the revision.
    pub(crate) fn file_name(&self) -> String {
        let revision = self.revision.map(|r| format!("-r{r}")).unwrap_or_default();
        format!("{}-{}{revision}.ebuild", self.p.name, self.version)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl Variable {
    pub(crate) fn new(name: &str, word: Word) -> Self {
        Self { name: name.to_owned(), value: Value::Word(word) }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Word(Word),
    Array(Vec<Item>),
}

/// The five variables of PMS 8.1, each complete: none refers to another yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Dependencies {
    pub(crate) run: Spec<Dep>,
    pub(crate) build: Spec<Dep>,
    pub(crate) tool: Spec<Dep>,
    pub(crate) post: Spec<Dep>,
    /// What single dependencies are there for, by variable.
    pub(crate) notes: Vec<(&'static str, String)>,
}

impl Dependencies {
    /// Whether one of them speaks of a variable.
    pub(crate) fn mention(&self, variable: &str) -> bool {
        let all = [&self.run, &self.build, &self.tool, &self.post];
        all.iter().flat_map(|spec| spec.leaves()).any(|dep| dep.to_string().contains(variable))
    }
}

/// A leaf of a dependency variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Dep {
    /// An atom: the value it has once variables are expanded, and its text with them.
    Atom(Box<Atom>, String),
    /// A variable that an eclass sets, such as `${PYTHON_DEPS}`.
    Expansion(String),
    /// Atoms repeated by a function of an eclass for each version of LLVM or Python.
    Generated(Generator, Vec<(Atom, String)>),
}

/// A function of an eclass that repeats atoms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Generator {
    /// `llvm_gen_dep` of `llvm-r2.eclass`.
    Llvm,
    /// `python_gen_any_dep` of `python-any-r1.eclass`.
    PythonAny,
    /// `python_gen_cond_dep` of `python-single-r1.eclass`.
    PythonCond,
}

impl Generator {
    pub(crate) fn function(self) -> &'static str {
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
pub(crate) enum Required {
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

/// A file in DISTDIR.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Distfile {
    pub(crate) name: String,
    /// Size in bytes, BLAKE2B and SHA512 in hexadecimal, when all three are known.
    pub(crate) sums: Option<(u64, String, String)>,
    /// What the Manifest states of it.
    pub(crate) pinned: Pinned,
}
