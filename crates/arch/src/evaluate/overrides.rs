//! Fields that the function of a package sets (`package_NAME`). As makepkg does
//! (`util/pkgbuild.sh`), this module reads the lines of the function and evaluates each line that
//! assigns a field.

use super::margin::{Written, assignment, evaluated};
use super::values::{Stop, Values, Variable};
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
    values: Values,
}

impl<'a> Package<'a> {
    pub(super) fn new(text: &'a str, listing: &'a Listing, name: &str, values: &Values) -> Self {
        let own = format!("package_{name}");
        let named = |name: &str| {
            listing
                .functions
                .iter()
                .rfind(|function| function.name == name)
        };
        let mut values = values.clone();
        values.set("pkgname", Variable::Text(name.to_owned()));
        values.shadowed = SHADOWED;
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
        let mut sets = function
            .sets
            .iter()
            .filter(|set| set.name == name)
            .peekable();
        let mut out = None;
        if sets.peek().is_none() {
            return Ok(out);
        }
        // Lines may append to the global value.
        let mut value = match self.values.elements(name)? {
            Some(all) if is_list => Variable::List(all),
            Some(all) => Variable::Text(all.into_iter().next().unwrap_or_default()),
            None if is_list => Variable::List(Vec::new()),
            None => Variable::Text(String::new()),
        };
        for set in sets.filter(|set| set.position != Position::Inside) {
            let Some(new) = self.line(set, is_list)? else {
                continue;
            };
            value = match new {
                (true, new) => {
                    let mut own = Values::default();
                    own.set(name, value);
                    own.added(name, new)
                }
                (false, new) => new,
            };
            out = Some(match &value {
                Variable::Text(text) => vec![text.clone()],
                Variable::List(all) => all.clone(),
                Variable::Unknown(stop) => return Err(stop.clone()),
            });
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
        let read = assignment(self.text, set.at.start).filter(|read| read.end == set.at.end);
        let read = read.ok_or_else(|| stop("the assignment can't be read"))?;
        if matches!(read.written, Written::List(_)) != is_list {
            return Ok(None);
        }
        let behind = self.text[set.at.end..].trim_start_matches([' ', '\t']);
        let is_whole = behind.starts_with(['\n', ';', '#', '}']) && set.position == Position::Whole;
        if !is_whole {
            return Err(stop("the line contains more than the assignment"));
        }
        // A line is evaluated without the lines below it.
        let is_cut = match &read.written {
            Written::Text("", _) => return Err(stop("the value is empty and has no quotes")),
            Written::Text(written, _) => written.contains('\n'),
            Written::List(all) => all.iter().any(|at| self.text[at.clone()].contains('\n')),
            Written::Element => true,
        };
        if is_cut {
            return Err(stop("makepkg only reads the first line of the value"));
        }
        let value = evaluated(self.text, &read, &set.at, &self.values);
        Ok(Some((read.is_added, value)))
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
