//! The eclass of GPU targets, such as rocm.eclass.

use crate::lower::expand::Expand;
use crate::value::eclass::{Eclass, EclassFunction, EclassVariable};
use crate::value::patterns;
use crate::value::tokens::{comment, texts};
use minijinja::{Value, context};
use rocpkg_core::{Offer, UseExpand};
use rocpkg_model::TargetDefaults;
use rocpkg_render::bash::{Stmt, Word, identifier};
use rocpkg_render::ready;

impl Eclass {
    /// Returns the eclass of a `USE_EXPAND` variable for GPU targets, such as rocm.eclass.
    ///
    /// An ebuild states a release. From the release the eclass derives the flags that are offered,
    /// the `REQUIRED_USE` that requires one of them, and the USE dependency that passes the flags
    /// on. `rows` is the table of GPU targets by release: each range of releases, such as `>=3.0,
    /// <4`, with the targets that are offered; the first row that matches a release counts. `title`
    /// names the software of the releases, such as ROCm. `on_by_default` explains which targets are
    /// on by default; it is printed as a comment above the table. `blurb` and `years` are those of
    /// [`Eclass::new`].
    ///
    /// The names in the eclass follow from `name` and `expand`: `NAME_VERSION`,
    /// `NAME_SKIP_GLOBALS`, `NAME_REQUIRED_USE`, `NAME_USEDEP`, and `get_EXPAND_flags`.
    pub fn for_targets<'r>(
        of: (&str, &UseExpand, &str),
        head: (&str, &str),
        rows: impl IntoIterator<Item = (&'r str, Offer)>,
        on_by_default: Option<&str>,
    ) -> Self {
        let row = |(releases, offer): (&str, Offer)| {
            TargetDefaults::new(releases, offer.default, offer.offered)
        };
        let rows: Vec<TargetDefaults> = rows.into_iter().map(row).collect();
        Self::of_rows(of, head, &rows, on_by_default)
    }

    /// Returns the eclass of GPU targets, as [`Eclass::for_targets`] does.
    pub(crate) fn of_rows(
        (name, expand, title): (&str, &UseExpand, &str),
        (blurb, years): (&str, &str),
        rows: &[TargetDefaults],
        on_by_default: Option<&str>,
    ) -> Self {
        let names = Expand {
            name,
            values: expand.clone(),
        };
        let (version, skip) = (names.version(), names.skip());
        let (required_use, usedep) = (names.required_use(), names.usedep());
        let globals = names.internal("set_globals");
        let body = from_template(
            "gentoo/target-globals.j2",
            names.globals(rows, on_by_default),
        );
        let list = from_template(
            "gentoo/target-list.j2",
            context! { of_targets => ready(format!("${{{}[*]}}", identifier(expand.variable()))) },
        );
        let mut eclass = Self::new(name, blurb, years);
        eclass.is_without_targets = rows.is_empty();
        eclass
            .variable(
                EclassVariable::new(
                    &version,
                    &format!(
                        "The release of {title} whose targets are offered, with all of its three parts.\n\
                         A library of {title} says ${{PV}}, anything else the release that it needs."
                    ),
                )
                .required()
                .pre_inherit(),
            )
            .variable(
                EclassVariable::new(
                    &skip,
                    &format!(
                        "Not empty: the functions alone are wanted, and IUSE, {required_use} and\n\
                         {usedep} are left as they are. For packages without device code, or with\n\
                         an own list of targets."
                    ),
                )
                .pre_inherit()
                .default_unset(),
            )
            .variable(
                EclassVariable::new(
                    &required_use,
                    "Asks for at least one target. To be put into REQUIRED_USE, under a flag where\n\
                     device code is optional.",
                )
                .output(),
            )
            .variable(
                EclassVariable::new(
                    &usedep,
                    "A USE dependency by which another package is built for every target that this\n\
                     one is built for.",
                )
                .output(),
            )
            .function(
                EclassFunction::new(
                    &globals,
                    &format!("Sets IUSE, {required_use} and {usedep} from {version}."),
                    body,
                )
                .internal()
                .called_once(),
            )
            .function(EclassFunction::new(
                &names.list(),
                "Prints the targets that are on, each followed by a semicolon, which is the\n\
                 list that CMake reads. Without a target it is a semicolon alone.",
                list,
            ))
    }
}

/// Returns lines of bash from a template.
fn from_template(template: &str, context: Value) -> Vec<Stmt> {
    vec![Stmt::Raw(Word::lit(
        crate::value::TEMPLATES.print(template, context),
    ))]
}

impl Expand<'_> {
    /// Returns the context of the template `target-globals.j2`, whose table has one branch for each
    /// range of releases. Neighbouring rows with the same targets become one branch.
    fn globals(&self, rows: &[TargetDefaults], on_by_default: Option<&str>) -> Value {
        let mut table: Vec<(String, Vec<String>, Vec<String>)> = Vec::new();
        for row in patterns::rows(rows) {
            let (official, unofficial) = (texts(&row.set.default), texts(&row.set.offered));
            match table.last_mut() {
                Some((pattern, a, b)) if *a == official && *b == unofficial => {
                    pattern.push('|');
                    pattern.push_str(&row.pattern);
                }
                _ => table.push((row.pattern, official, unofficial)),
            }
        }
        let table = table.into_iter().map(|(pattern, official, unofficial)| {
            context! {
                pattern => ready(patterns::joined(&pattern)),
                official => ready(wrapped(&official)),
                unofficial => ready(wrapped(&unofficial)),
            }
        });
        context! {
            version => ready(self.version()),
            of_version => ready(format!("${{{}}}", self.version())),
            of_skip => ready(format!("${{{}}}", self.skip())),
            required_use => ready(self.required_use()),
            usedep => ready(self.usedep()),
            prefix => ready(self.prefix()),
            reason => on_by_default.map(|reason| ready(comment(reason))),
            table => table.collect::<Vec<_>>(),
        }
    }
}

/// Returns `names` separated by blanks, on lines of at most seventy columns, indented for the table
/// of the eclass.
fn wrapped(names: &[String]) -> String {
    let mut lines: Vec<String> = Vec::new();
    for name in names {
        // Names are quoted if they are no plain words. Such a name is reported elsewhere, and here
        // it must not become code.
        let name = Word::lit(name.as_str()).print(rocpkg_render::bash::Quoting::Whole);
        match lines.last_mut() {
            Some(line) if line.len() + 1 + name.len() <= 54 => {
                line.push(' ');
                line.push_str(&name);
            }
            _ => lines.push(name),
        }
    }
    lines
        .iter()
        .map(|l| format!("\t\t\t{l}"))
        .collect::<Vec<_>>()
        .join("\n")
}
