//! Lowers edits of compiler flags, such as a flag that is appended to `CXXFLAGS`.

use crate::dialect::{Dialect, conditional};
use crate::operation::Place;
use rocpkg_model::{Finding, FlagAction, FlagEdit, Span, Text};
use rocpkg_render::bash::{Scope, Stmt, Word};

/// The names of flags in a profile, each with the variables that it stands for.
const FLAGS: &[(&str, &[&str])] = &[
    ("c", &["CFLAGS"]),
    ("cxx", &["CXXFLAGS"]),
    ("cpp", &["CPPFLAGS"]),
    ("ld", &["LDFLAGS"]),
    ("fortran", &["FFLAGS", "FCFLAGS"]),
    ("hip", &["HIPFLAGS"]),
    ("all", &["CFLAGS", "CXXFLAGS"]),
];

/// Returns the variables that a name of flags in a profile stands for: `fortran` -> `FFLAGS`,
/// `FCFLAGS`. An unknown name has no variables, and is reported by the plan.
pub fn flag_variables(flags: &str) -> &'static [&'static str] {
    FLAGS
        .iter()
        .find(|(name, _)| *name == flags)
        .map_or(&[], |(_, variables)| *variables)
}

/// Returns the statements of each edit in `list`, with its comment above and under its condition.
pub fn edits<'e, D: Dialect>(
    d: &mut D,
    list: impl Iterator<Item = &'e FlagEdit>,
) -> Vec<Vec<Stmt>> {
    list.map(|edit| {
        let body = d.flag_edit(edit);
        conditional(d, edit.when.as_ref(), edit.comment.as_deref(), body)
    })
    .collect()
}

/// Returns the statements that edit flags by assignments and patterns of bash:
/// `CXXFLAGS="${CXXFLAGS//-O2/-O3}"`. It is for distributions that have no functions for such
/// edits. `scope` is the scope of the assignments. `FlagAction::NoLto` yields no statement, because
/// such recipes turn off link-time optimisation elsewhere.
pub fn by_assignment<D: Dialect>(d: &mut D, edit: &FlagEdit, scope: Scope) -> Vec<Stmt> {
    let mut out = Vec::new();
    let mut script = None;
    for name in edit.on.0.iter().flat_map(|on| flag_variables(&on.value)) {
        let assign = |append, value| Stmt::Assign {
            scope,
            name: (*name).to_owned(),
            append,
            value,
        };
        match edit.action {
            FlagAction::Append => {
                let flags = joined(d, &edit.flags);
                out.push(assign(true, Word::lit(" ").then(flags)));
            }
            FlagAction::Filter => {
                let script = script
                    .get_or_insert_with(|| filter(d, &edit.flags, &mut out))
                    .clone();
                let words = [
                    Word::lit("sed"),
                    Word::lit("-E"),
                    script,
                    Word::pattern("<<<"),
                    Word::var(*name),
                ];
                // Some packaging tools don't export the Fortran flags.
                let scope = if name.starts_with('F') {
                    Scope::Export
                } else {
                    scope
                };
                out.push(Stmt::assign(scope, *name, Word::cmd(words.into())));
            }
            FlagAction::Replace => {
                let with = edit
                    .with
                    .as_ref()
                    .map_or_else(String::new, |t| literal(d, t));
                for flag in &edit.flags {
                    let text = literal(d, flag);
                    if is_flag(&text) && is_flag(&with) {
                        out.push(assign(false, Word::var(format!("{name}//{text}/{with}"))));
                    } else {
                        d.report(no_flag(flag.span));
                    }
                }
            }
            FlagAction::NoLto => {}
        }
    }
    out
}

/// Returns the statements that replace one exact text in each variable:
/// `export CXXFLAGS="${CXXFLAGS/text/with}"`. `held` returns the value of a variable and the name
/// of the program that sets it, or `None` if the value is not known. If the value does not contain
/// the text, a finding is reported, because bash would replace nothing without a message.
pub fn by_text<'k, D: Dialect>(
    d: &mut D,
    edit: &FlagEdit,
    held: &dyn Fn(&str) -> Option<(&'k str, String)>,
) -> Vec<Stmt> {
    let text = |texts: &[Text]| {
        texts
            .iter()
            .filter_map(Text::as_literal)
            .collect::<Vec<_>>()
            .join(" ")
    };
    let (from, with) = (text(&edit.flags), text(edit.with.as_slice()));
    let span = edit.flags.first().map(|f| f.span).unwrap_or_default();
    if !is_flag(&from.replace(' ', "")) || !is_flag(&with.replace(' ', "")) {
        d.report(no_flag(span));
        return Vec::new();
    }
    let mut out = Vec::new();
    for name in edit.on.0.iter().flat_map(|on| flag_variables(&on.value)) {
        if let Some((flags, whose)) = held(name)
            && !format!(" {flags} ").contains(&format!(" {from} "))
        {
            d.report(
                Finding::error(
                    "E0706",
                    span,
                    format!("`{from}` is not in {name} of {whose}"),
                )
                .label("bash would replace nothing, without an error")
                .hint(format!("the flags are {flags}")),
            );
        }
        let value = Word::var(format!("{name}/{from}/{with}"));
        out.push(Stmt::assign(Scope::Export, *name, value));
    }
    out
}

/// Returns one word that contains the flags, separated by blanks.
fn joined<D: Dialect>(d: &mut D, flags: &[Text]) -> Word {
    flags
        .iter()
        .enumerate()
        .fold(Word::default(), |all, (i, flag)| {
            let all = if i > 0 { all.literal(" ") } else { all };
            all.then(d.word(flag, Place::One))
        })
}

/// Returns the sed script that removes `flags` from a list of flags. In `flags`, `*` stands for the
/// rest of a flag: `-march=*`. The script loops, because two adjacent flags share the blank between
/// them. If the patterns are too long for a line, the script refers to a variable, `_unwanted`. The
/// statements that set this variable are added to `out`.
fn filter<D: Dialect>(d: &mut D, flags: &[Text], out: &mut Vec<Stmt>) -> Word {
    let mut lines: Vec<String> = Vec::new();
    for flag in flags {
        let text = literal(d, flag);
        if !is_flag(&text.replace('*', "")) {
            d.report(no_flag(flag.span));
        }
        let pattern = text
            .replace('.', "\\.")
            .replace('+', "\\+")
            .replace('*', "[^ ]*");
        match lines.last_mut() {
            Some(line) if line.len() + pattern.len() < 80 => *line = format!("{line}|{pattern}"),
            Some(_) => lines.push(format!("|{pattern}")),
            None => lines.push(pattern),
        }
    }
    let wrap = |patterns: Word| {
        Word::lit(":a; s@(^| )(")
            .then(patterns)
            .literal(")( |$)@ @; ta")
    };
    if lines.len() < 2 {
        return wrap(Word::lit(lines.concat()));
    }
    out.extend(lines.into_iter().enumerate().map(|(i, line)| {
        let scope = if i == 0 {
            d.own_variables()
        } else {
            Scope::Plain
        };
        Stmt::Assign {
            scope,
            name: "_unwanted".into(),
            append: i > 0,
            value: Word::lit(line),
        }
    }));
    wrap(Word::var("_unwanted"))
}

/// Returns the characters of a text that contains no reference. For any other text, a finding is
/// reported, and the result is empty.
fn literal<D: Dialect>(d: &mut D, text: &Text) -> String {
    text.as_literal().unwrap_or_else(|| {
        d.report(
            Finding::error("E0422", text.span, "a flag can't contain a reference here")
                .label("expected plain text"),
        );
        String::new()
    })
}

fn is_flag(text: &str) -> bool {
    text.bytes()
        .all(|b| b.is_ascii_alphanumeric() || b"-_=+.,".contains(&b))
}

fn no_flag(span: Span) -> Finding {
    Finding::error("E0421", span, "this is not a valid compiler flag")
        .label("expected letters, digits and `-_=+.,`, and `*` in a filter")
}
