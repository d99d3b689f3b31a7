//! The eclasses, source folders and files that an ebuild needs. They are collected from its
//! statements, so the lowering need not keep track of them.

use crate::value::ebuild::{Variable, VariableValue};
use rocpkg_render::bash::{Seen, Stmt, Word, visit, visit_word};
use rocpkg_resolve::Planned;
use std::collections::BTreeSet;

/// The first letters of functions, each with the eclass that defines them: `append-` of
/// `append-flags` is defined by `flag-o-matic`.
const ECLASSES: &[(&str, &str)] = &[
    ("append-", "flag-o-matic"),
    ("edob", "edo"),
    ("filter-", "flag-o-matic"),
    ("makeopts_jobs", "multiprocessing"),
    ("prefixify_ro", "prefix"),
    ("replace-flags", "flag-o-matic"),
    ("strip-unsupported-flags", "flag-o-matic"),
    ("tc-get", "toolchain-funcs"),
    ("test-flags-", "flag-o-matic"),
];

/// The eclasses, variables and files that statements refer to.
#[derive(Debug, Default)]
pub(crate) struct Needs {
    pub(crate) eclasses: BTreeSet<&'static str>,
    variables: BTreeSet<String>,
    /// The files of the `files` folder that are named, in order.
    pub(crate) files: Vec<String>,
}

impl Needs {
    /// Collects the needs of an ebuild's functions and variables.
    pub(crate) fn of(
        p: &Planned,
        functions: &[(String, Vec<Stmt>)],
        variables: &[Variable],
    ) -> Self {
        let mut needs = Self::default();
        let mut see = |seen: Seen<'_>| match seen {
            Seen::Word(word) => {
                needs.variables.extend(word.variables().map(str::to_owned));
                needs.files.extend(file(p, word));
            }
            Seen::Command(words) => {
                let called = words.first().and_then(Word::as_literal);
                let eclass =
                    called.and_then(|w| ECLASSES.iter().find(|(start, _)| w.starts_with(start)));
                needs.eclasses.extend(eclass.map(|(_, eclass)| *eclass));
            }
            Seen::Variable(_) | Seen::Function(_) | Seen::Raw(_) | Seen::Expansion(_) => {}
        };
        for (_, body) in functions {
            visit(body, &mut see);
        }
        for v in variables {
            match &v.value {
                VariableValue::Word(word) => visit_word(word, &mut see),
                VariableValue::Array(items) => {
                    for item in items {
                        visit_word(&item.word, &mut see);
                    }
                }
            }
        }
        needs
    }

    /// Returns true if a function or a variable of the ebuild refers to the variable `name`.
    pub(crate) fn variable(&self, name: &str) -> bool {
        self.variables.contains(name)
    }
}

/// Returns the name of the file in a word such as `${FILESDIR}/NAME`, with its variables expanded:
/// `${FILESDIR}/${P}-cmake.patch` → `hip-7.2.4-cmake.patch`. Returns `None` for a word of another
/// form, or with other variables than `PN`, `PV` and `P`.
fn file(p: &Planned, word: &Word) -> Option<String> {
    let name = word
        .behind("FILESDIR")?
        .text_with(|variable| match variable {
            "PN" => Some(p.name.clone()),
            "PV" => Some(p.version.to_string()),
            "P" => Some(format!("{}-{}", p.name, p.version)),
            _ => None,
        })?;
    let name = name.strip_prefix('/')?;
    let plain = !name.is_empty() && !name.contains("..") && !name.contains(char::is_whitespace);
    plain.then(|| name.to_owned())
}
