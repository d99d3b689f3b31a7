//! Fields that the function of a package sets (`package_NAME`). As makepkg does
//! (`util/pkgbuild.sh`), this module reads the lines of the function and evaluates each line that
//! assigns a field.

use super::makepkg::{Makepkg, Stop, texts};
use rocpkg_bash::evaluate::{Run, Value, Variable};
use rocpkg_syntax::words::split;
use rocpkg_syntax::{ListedFunction, ListedSet, Listing, Position};

/// Variables of makepkg itself that have other values while makepkg evaluates such a line.
const SHADOWED: &[&str] = &[
    "a",
    "arch_attrs",
    "attr",
    "attr_regex",
    "attrname",
    "basever",
    "decl",
    "funcname",
    "isarray",
    "multivalued",
    "multivalued_arch_attrs",
    "outputvar",
    "outvalue",
    "package_arch",
    "pkg",
    "pkgdir",
    "pkgdirbase",
    "r",
    "shellopts",
    "singlevalued",
    "srcdir",
    "REPLY",
];

/// A package of the PKGBUILD with the function that may set its fields.
pub(super) struct Package<'a> {
    text: &'a str,
    function: Option<&'a ListedFunction>,
    values: Run<Makepkg>,
}

impl<'a> Package<'a> {
    pub(super) fn new(
        text: &'a str,
        listing: &'a Listing,
        name: &str,
        values: &Run<Makepkg>,
    ) -> Self {
        let own = format!("package_{name}");
        let named = |name: &str| {
            listing
                .functions
                .iter()
                .rfind(|function| function.name == name)
        };
        let mut values = values.clone();
        values.set("pkgname", Variable::Text(name.into()));
        for name in SHADOWED {
            let reason = format!("makepkg sets `{name}` here");
            values.set(name, Variable::Open(reason.into()));
        }
        let function = named(&own).or_else(|| named("package"));
        Self {
            text,
            function,
            values,
        }
    }

    /// Returns the elements of the field `name` that the function sets; `None` if the function does
    /// not set the field. `is_list` is true for an array.
    pub(super) fn field(&self, name: &str, is_list: bool) -> Result<Option<Vec<String>>, Stop> {
        let Some(function) = self.function else {
            return Ok(None);
        };
        self.hidden(function, name)?;
        let sets: Vec<&ListedSet> = function
            .sets
            .iter()
            .filter(|set| set.name == name)
            .collect();
        if sets.is_empty() {
            return Ok(None);
        }
        // Lines may append to the global value.
        let before = self.values.variables.get(name);
        let mut value = match before {
            Some(Variable::Open(reason) | Variable::Partly(_, reason)) => {
                return Err(Stop::from(reason));
            }
            Some(Variable::Text(text)) if is_list => Variable::Array(vec![text.clone()]),
            Some(Variable::Array(all)) if is_list => Variable::Array(all.clone()),
            Some(other) => Variable::Text(other.text()),
            None if is_list => Variable::Array(Vec::new()),
            None => Variable::Text(Value::default()),
        };
        let mut out = None;
        for set in sets.iter().filter(|set| set.position != Position::Inside) {
            let Some((is_added, new)) = self.line(set, is_list)? else {
                continue;
            };
            value = if is_added { value.added(new) } else { new };
            out = Some(texts(&value).map_err(|stop| placed(stop, set))?);
        }
        Ok(out)
    }

    /// Returns true if the line `set` appends to the field, and the value that it assigns or
    /// appends. Returns `None` for a line that makepkg does not accept for this kind of field: an
    /// array if `is_list` is false, or one value if it is true.
    fn line(&self, set: &ListedSet, is_list: bool) -> Result<Option<(bool, Variable)>, Stop> {
        let stop = |reason: &str| Stop {
            at: set.at.clone(),
            reason: reason.to_owned(),
        };
        let written = &self.text[set.at.clone()];
        let mut values = self.values.clone();
        let Some((_, is_added, value)) = values.assigned(written, set.at.start) else {
            return Err(stop("the assignment can't be read"));
        };
        let sign = written.find('=').map_or(written.len(), |at| at + 1);
        let written = &written[sign..];
        if written.starts_with('(') != is_list {
            return Ok(None);
        }
        let behind = self.text[set.at.end..].trim_start_matches([' ', '\t']);
        let is_whole = behind.starts_with(['\n', ';', '#', '}']) && set.position == Position::Whole;
        if !is_whole {
            return Err(stop("the line contains more than the assignment"));
        }
        // A line is evaluated without the lines below it.
        let is_cut = if is_list {
            let words = split(written, 1, written.len() - 1);
            words
                .iter()
                .any(|word| written[word.at.clone()].contains('\n'))
        } else {
            if written.is_empty() {
                return Err(stop("the value is empty and has no quotes"));
            }
            written.contains('\n')
        };
        if is_cut {
            return Err(stop("makepkg only reads the first line of the value"));
        }
        Ok(Some((is_added, value)))
    }

    /// Returns an error for a line that looks like an assignment of the field `name` but is part of
    /// something else, such as a text in quotes or a here-document. makepkg reads this line as an
    /// assignment.
    fn hidden(&self, function: &ListedFunction, name: &str) -> Result<(), Stop> {
        let mut start = function.at.start;
        for line in self.text[function.at.clone()].split_inclusive('\n') {
            let own = line.trim_start_matches([' ', '\t', '\r', '\u{b}', '\u{c}']);
            let at = start + line.len() - own.len();
            start += line.len();
            let Some(rest) = own.strip_prefix(name) else {
                continue;
            };
            let is_set = rest.starts_with('=') || rest.starts_with("+=");
            if is_set && !function.sets.iter().any(|set| set.at.start == at) {
                return Err(Stop {
                    at: at..at + name.len(),
                    reason: "makepkg reads this line as an assignment".into(),
                });
            }
        }
        Ok(())
    }
}

/// Returns the stop with the place of the line, if it has none.
fn placed(stop: Stop, set: &ListedSet) -> Stop {
    if stop.at.is_empty() {
        let at = set.at.clone();
        return Stop { at, ..stop };
    }
    stop
}
