//! Evaluates the statements in the global scope of a PKGBUILD in order.

use super::expand;
use super::scan;
use super::values::{Stop, Values, Variable, is_own};
use rocpkg_syntax::Listing;
use std::ops::Range;

/// The greatest number of elements of an array.
const MOST_ELEMENTS: usize = 10_000;

/// Variables that change the way in which bash or makepkg reads the rest of the PKGBUILD.
const SPECIAL: &str = "IFS PATH LANG LANGUAGE LIBRARY GLOBIGNORE POSIXLY_CORRECT SHELLOPTS \
BASHOPTS RANDOM SRANDOM SECONDS LINENO EPOCHSECONDS EPOCHREALTIME FUNCNAME GROUPS UID EUID PPID \
DIRSTACK PIPESTATUS OPTIND known_hash_algos pkgbuild_schema_arrays pkgbuild_schema_strings \
pkgbuild_schema_arch_arrays pkgbuild_schema_package_overrides";

/// Functions and commands that makepkg itself calls to read a PKGBUILD.
const CALLED: &str = "have_function grep_function array_build get_pkgbuild_attribute \
extract_global_variable extract_function_variable source_safe grep printf declare local eval shopt \
unset export true echo read";

/// An assignment in the text of a PKGBUILD: `name=value`, `name+=value`.
#[derive(Debug)]
pub(super) struct Assignment<'a> {
    pub(super) name: &'a str,
    pub(super) is_added: bool,
    pub(super) written: Written<'a>,
    /// The offset behind the assignment.
    pub(super) end: usize,
}

/// The value of an assignment as it is written, with the range of its bytes.
#[derive(Debug)]
pub(super) enum Written<'a> {
    Text(&'a str, Range<usize>),
    List(Vec<Range<usize>>),
    /// An element of an array: `a[1]=b`.
    Element,
}

/// Evaluates the statements in the global scope. Returns the variables, and the statements that
/// can't be evaluated.
pub(super) fn values(text: &str, listing: &Listing) -> (Values, Vec<Stop>) {
    let mut values = Values::default();
    values.set("CARCH", Variable::Text("x86_64".into()));
    let mut stops = Vec::new();
    for at in &listing.statements {
        let function = listing.functions.iter().find(|function| function.at == *at);
        let followed = match function {
            Some(function) if is_reserved(&function.name) => Err(stop(
                at,
                format!("makepkg itself calls `{}`", function.name),
            )),
            Some(_) => Ok(()),
            None => statement(text, at, &mut values),
        };
        stops.extend(followed.err());
    }
    (values, stops)
}

fn is_reserved(name: &str) -> bool {
    name.contains("srcinfo") || CALLED.split_whitespace().any(|called| called == name)
}

fn stop(at: &Range<usize>, reason: impl Into<String>) -> Stop {
    let (at, reason) = (at.clone(), reason.into());
    Stop { at, reason }
}

/// Evaluates the statement at `at`, and sets the variables that it assigns.
fn statement(text: &str, at: &Range<usize>, values: &mut Values) -> Result<(), Stop> {
    let behind = text[at.end..].trim_start_matches([' ', '\t']);
    let is_whole = behind.is_empty() || behind.starts_with(['\n', ';', '#']);
    let head = scan::word(text, at.start).filter(|_| is_whole && !behind.starts_with(";;"));
    let head = head.ok_or_else(|| not_followed(text, at))?;
    let mut position = at.start;
    match &text[at.start..head] {
        "export" => position = blanks(text, head),
        "unset" => return unset(text, head..at.end, values).ok_or_else(|| not_followed(text, at)),
        ":" | "true" => {
            let is_plain = !text[head..at.end].contains(['$', '`', '<', '>']);
            return if is_plain {
                Ok(())
            } else {
                Err(not_followed(text, at))
            };
        }
        _ => {}
    }
    let is_export = position > at.start;
    while position < at.end {
        let Some(assignment) = assignment(text, position) else {
            let end = scan::word(text, position).unwrap_or(position);
            let is_name = scan::name(&text[position..end]) == Some(end - position);
            if !(is_export && is_name) {
                return Err(not_followed(text, at));
            }
            position = blanks(text, end);
            continue;
        };
        if assignment.end > at.end {
            return Err(not_followed(text, at));
        }
        let name = assignment.name;
        if SPECIAL.split_whitespace().any(|own| own == name)
            || name.starts_with("LC_")
            || name.starts_with("BASH")
        {
            return Err(stop(
                at,
                format!("`{name}` changes how bash reads the rest"),
            ));
        }
        let place = position..assignment.end;
        let new = evaluated(text, &assignment, &place, values);
        let new = match (assignment.is_added, new) {
            (true, new) if values.get(name).is_none() && !is_own(name) => {
                Variable::Unknown(match new {
                    Variable::Unknown(stop) => stop,
                    _ => stop(&place, format!("`{name}` is not set in the PKGBUILD")),
                })
            }
            (true, new) => values.added(name, new),
            (false, new) => new,
        };
        // A scalar that is assigned to an array becomes its first element.
        let new = match (values.get(name), new) {
            (Some(Variable::List(old)), Variable::Text(first)) if !assignment.is_added => {
                let rest = old.get(1..).unwrap_or_default();
                Variable::List([&[first], rest].concat())
            }
            (_, new) => new,
        };
        values.set(name, limited(new, &place));
        position = blanks(text, assignment.end);
    }
    Ok(())
}

fn limited(new: Variable, place: &Range<usize>) -> Variable {
    let is_short = |text: &String| text.len() <= 1 << 16;
    let is_small = match &new {
        Variable::Text(text) => is_short(text),
        Variable::List(all) => all.len() <= MOST_ELEMENTS && all.iter().all(is_short),
        Variable::Unknown(_) => true,
    };
    if is_small {
        new
    } else {
        Variable::Unknown(stop(place, "the value is too long"))
    }
}

/// Returns the refusal of the statement at `at`, which is not supported. The message contains its
/// first word.
fn not_followed(text: &str, at: &Range<usize>) -> Stop {
    let end = text[at.clone()].find([' ', '\t', '\n', ';']);
    let end = end.map_or(at.end, |end| at.start + end.max(1));
    let first: String = text[at.start..end].chars().take(40).collect();
    stop(&(at.start..end), format!("only bash can run `{first}`"))
}

fn unset(text: &str, at: Range<usize>, values: &mut Values) -> Option<()> {
    for name in text[at].split_whitespace() {
        (scan::name(name) == Some(name.len())).then_some(())?;
        values.unset(name);
    }
    Some(())
}

/// Returns the offset of the first byte from `at` on that is behind blanks and line continuations.
fn blanks(text: &str, at: usize) -> usize {
    let mut at = at;
    loop {
        let rest = &text[at..];
        if rest.starts_with([' ', '\t']) {
            at += 1;
        } else if rest.starts_with("\\\n") {
            at += 2;
        } else {
            return at;
        }
    }
}

/// Parses the assignment that begins at the byte `start`. Returns `None` if no assignment begins
/// there.
pub(super) fn assignment(text: &str, start: usize) -> Option<Assignment<'_>> {
    let end = start + scan::name(&text[start..])?;
    let name = &text[start..end];
    if text[end..].starts_with('[') {
        let end = scan::word(text, start)?;
        let is_set = text[start..end].contains("]=") || text[start..end].contains("]+=");
        let written = Written::Element;
        let is_added = false;
        return is_set.then_some(Assignment {
            name,
            is_added,
            written,
            end,
        });
    }
    let is_added = text[end..].starts_with("+=");
    let value = end + if is_added { 2 } else { 1 };
    if !is_added && !text[end..].starts_with('=') {
        return None;
    }
    if !text[value..].starts_with('(') {
        let end = scan::word(text, value)?;
        let written = Written::Text(&text[value..end], value..end);
        return Some(Assignment {
            name,
            is_added,
            written,
            end,
        });
    }
    let mut all = Vec::new();
    let mut at = value + 1;
    loop {
        at = blanks(text, at);
        let rest = text.get(at..)?;
        match rest.chars().next()? {
            ')' => break,
            '\n' => at += 1,
            '#' => at += rest.find('\n')?,
            _ => {
                let end = scan::word(text, at)?;
                (end > at).then_some(())?;
                all.push(at..end);
                at = end;
            }
        }
    }
    let written = Written::List(all);
    Some(Assignment {
        name,
        is_added,
        written,
        end: at + 1,
    })
}

/// Returns the value of an assignment. `place` is its place in the PKGBUILD, and `values` are the
/// variables that are set before it.
pub(super) fn evaluated(
    text: &str,
    assignment: &Assignment,
    place: &Range<usize>,
    values: &Values,
) -> Variable {
    let new = match &assignment.written {
        Written::Text(written, at) => expand::text(written, at, values).map(Variable::Text),
        Written::List(elements) => {
            let mut all = Vec::new();
            let read = elements.iter().try_for_each(|at| {
                all.extend(expand::words(&text[at.clone()], at, values)?);
                Ok(())
            });
            read.map(|()| Variable::List(all))
        }
        Written::Element => Err(stop(place, "a single element of an array is set")),
    };
    new.unwrap_or_else(Variable::Unknown)
}
