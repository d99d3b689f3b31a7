//! References `${…}` in texts for recipes without switches, which are those of Arch and Solus. A
//! reference means the same in both distributions, and each replaces it by words of its own:
//! `${jobs}` -> `%YJOBS%` in Solus.

use crate::dialect::{Dialect, Inputs};
use rocpkg_model::{Finding, Text};
use rocpkg_render::bash::Word;
use rocpkg_resolve::ResolvedSource;
use std::collections::BTreeSet;

/// Variables that the packaging tools set in every build.
const COMMON: &[&str] = &[
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "FFLAGS",
    "FCFLAGS",
    "RUSTFLAGS",
    "PATH",
    "PWD",
];

/// References to parts of the package, such as the folder of its source.
const PARTS: &[&str] = &["source", "checkout", "build", "targets", "prefix"];

/// The name of a reference, and the function that returns its word.
pub type Fixed = (&'static str, fn() -> Word);

/// The references of a distribution's recipes.
#[derive(Debug)]
pub struct References {
    /// The code of the finding about an unknown reference.
    pub code: &'static str,
    /// The text before the name in the message of that finding, such as `a PKGBUILD has no
    /// reference`.
    pub message: &'static str,
    /// The label of that finding, which names the expected references.
    pub expected: &'static str,
    /// The references whose word is the same for every package.
    pub fixed: &'static [Fixed],
    /// The variables that the packaging tool sets and that a profile may refer to, such as
    /// `pkgdir`.
    pub variables: &'static [&'static str],
}

/// References that end with a name. The part in capitals stands for a name of this kind, such as a
/// source of the package.
const NAMED: &[&str] = &[
    "source:SOURCE",
    "checkout:SOURCE",
    "build:PROJECT",
    "pkg:PACKAGE",
    "glob:PATTERN",
];

impl References {
    /// Returns all references of the distribution's recipes. A part in capitals stands for any name
    /// of that kind: `source:SOURCE`.
    pub fn words(&self) -> Vec<String> {
        let fixed = self.fixed.iter().map(|(name, _)| name);
        let all = PARTS
            .iter()
            .chain(NAMED)
            .chain(fixed)
            .chain(COMMON)
            .chain(self.variables);
        all.map(|word| (*word).to_owned()).collect()
    }

    /// Returns the finding about the unknown reference `${name}` in `text`. `expected` is its
    /// label. Its hint is the nearest name among `known`.
    pub fn unknown(
        &self,
        name: &str,
        text: &Text,
        expected: &str,
        known: &BTreeSet<String>,
    ) -> Finding {
        Finding::error(
            self.code,
            text.span,
            format!("{} `${{{name}}}` here", self.message),
        )
        .label(expected)
        .nearest(name, known.iter().map(String::as_str))
    }
}

/// A dialect of recipes without switches: the words that a recipe contains for the parts of a
/// package, such as the folder of a source.
pub trait Vocabulary: Dialect {
    /// The references that are the same for every package.
    const REFERENCES: &'static References;

    /// Returns the folder in which the files of a source are when a recipe's steps run.
    fn checkout(&self, source: &ResolvedSource) -> Word;

    /// Returns the folder `path` inside a source, or the source's own folder if `path` is `None`.
    fn folder(&self, source: &ResolvedSource, path: Option<&str>) -> Word {
        match path {
            Some(path) => self.checkout(source).literal(format!("/{path}")),
            None => self.checkout(source),
        }
    }

    /// Returns the folder of the main source's project, such as `projects/hipblas` in a monorepo.
    /// Returns `None` for a package without sources.
    fn project_folder(&self) -> Option<Word> {
        self.inputs()
            .planned
            .sources
            .first()
            .map(|s| self.folder(s, s.project()))
    }

    /// Returns the build folder of a CMake project.
    fn build_folder(&mut self, project: &str) -> Word;
}

/// Returns the word for the reference `${name}` in `text`. An unknown name is reported as a
/// finding, and its word is empty.
pub fn reference<V: Vocabulary>(v: &mut V, name: &str, text: &Text) -> Word {
    meaning(v, name).unwrap_or_else(|| {
        let finding = V::REFERENCES.unknown(name, text, V::REFERENCES.expected, &names(v));
        v.report(finding);
        Word::default()
    })
}

fn meaning<V: Vocabulary>(v: &mut V, name: &str) -> Option<Word> {
    let table = V::REFERENCES;
    if let Some((_, word)) = table.fixed.iter().find(|(fixed, _)| *fixed == name) {
        return Some(word());
    }
    let Inputs {
        plan,
        planned: p,
        own,
        ..
    } = v.inputs();
    match name.split_once(':') {
        None => match name {
            "source" => v.project_folder(),
            "checkout" => p.sources.first().map(|s| v.checkout(s)),
            "build" => {
                let first = p
                    .package
                    .cmake
                    .keys()
                    .next()
                    .map_or("main", String::as_str)
                    .to_owned();
                Some(v.build_folder(&first))
            }
            "targets" => v.targets().map(|t| t.word),
            "prefix" => Some(Word::lit(plan.prefix())),
            _ => {
                let known =
                    COMMON.contains(&name) || table.variables.contains(&name) || own.contains(name);
                known.then(|| Word::var(name))
            }
        },
        Some(("source", of)) => match p.source(of) {
            Some(source) => Some(v.folder(source, source.project())),
            None => Some(v.folder(p.sources.first()?, Some(p.carried.get(of)?))),
        },
        Some(("checkout", of)) => p.source(of).map(|s| v.checkout(s)),
        Some(("build", of)) => p.package.cmake.contains_key(of).then(|| v.build_folder(of)),
        Some(("contents", file)) => Some(contents(file)),
        Some(("env", name)) => inherited(name),
        Some(("pkg", of)) => plan.knows(of).then(|| Word::lit(plan.prefix())),
        Some(_) => None,
    }
}

/// Returns the word for the content of a file, which bash reads without a program: `$(< FILE)`.
pub fn contents(file: &str) -> Word {
    Word::cmd(vec![Word::pattern("<"), Word::lit(file)])
}

/// Returns the word `$NAME` for a variable of the environment, or `None` if `name` is not a valid
/// name of a variable.
pub fn inherited(name: &str) -> Option<Word> {
    let is_name = rocpkg_render::bash::is_identifier(name);
    is_name.then(|| Word::var(name))
}

/// Returns all references that the texts of the package may contain, to find the name nearest to an
/// unknown one. References to other packages (`pkg:NAME`) are left out.
fn names<V: Vocabulary>(v: &V) -> BTreeSet<String> {
    let table = V::REFERENCES;
    let Inputs {
        planned: p, own, ..
    } = v.inputs();
    let fixed = table
        .fixed
        .iter()
        .map(|(name, _)| name)
        .chain(PARTS)
        .chain(COMMON)
        .chain(table.variables);
    let sources = p
        .sources
        .iter()
        .flat_map(|s| ["source", "checkout"].map(|kind| format!("{kind}:{}", s.name)));
    let builds = p
        .package
        .cmake
        .keys()
        .map(|project| format!("build:{project}"));
    fixed
        .map(|name| (*name).to_owned())
        .chain(sources)
        .chain(builds)
        .chain(own.iter().cloned())
        .collect()
}
