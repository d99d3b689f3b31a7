//! The variables of a PKGBUILD at one point of its text.

use std::collections::BTreeMap;
use std::ops::Range;

/// A place in a PKGBUILD that only bash can evaluate, with the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Stop {
    /// The range of bytes of the place in the PKGBUILD.
    pub(crate) at: Range<usize>,
    /// The reason, as a sentence without its period.
    pub(crate) reason: String,
}

/// The value of a variable that is set.
#[derive(Clone, Debug)]
pub(super) enum Variable {
    Text(String),
    List(Vec<String>),
    /// A variable whose value only bash can compute.
    Unknown(Stop),
}

/// The variables of the PKGBUILD that are set, with their values.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    all: BTreeMap<String, Variable>,
    /// Names of variables that makepkg itself sets to other values before it evaluates the text.
    pub(super) shadowed: &'static [&'static str],
}

impl Values {
    pub(super) fn set(&mut self, name: &str, variable: Variable) {
        self.all.insert(name.to_owned(), variable);
    }

    pub(super) fn unset(&mut self, name: &str) {
        self.all.remove(name);
    }

    pub(super) fn get(&self, name: &str) -> Option<&Variable> {
        self.all.get(name)
    }

    /// Returns the elements of a variable; `None` for a variable that is not set. A variable that
    /// is no array has one element.
    pub(crate) fn elements(&self, name: &str) -> Result<Option<Vec<String>>, Stop> {
        match self.all.get(name) {
            None => Ok(None),
            Some(Variable::Text(text)) => Ok(Some(vec![text.clone()])),
            Some(Variable::List(list)) => Ok(Some(list.clone())),
            Some(Variable::Unknown(stop)) => Err(stop.clone()),
        }
    }

    /// Removes the variable `name`, and returns its value with `new` appended, as `+=` does in
    /// bash.
    pub(super) fn added(&mut self, name: &str, new: Variable) -> Variable {
        match (self.all.remove(name), new) {
            (None, new) => new,
            (Some(Variable::Unknown(stop)), _) | (_, Variable::Unknown(stop)) => {
                Variable::Unknown(stop)
            }
            (Some(Variable::Text(old)), Variable::Text(new)) => Variable::Text(old + &new),
            (Some(Variable::Text(old)), Variable::List(mut new)) => {
                new.insert(0, old);
                Variable::List(new)
            }
            (Some(Variable::List(mut old)), Variable::List(new)) => {
                old.extend(new);
                Variable::List(old)
            }
            (Some(Variable::List(mut old)), Variable::Text(new)) => {
                match old.first_mut() {
                    Some(first) => first.push_str(&new),
                    None => old.push(new),
                }
                Variable::List(old)
            }
        }
    }
}

/// Names that makepkg unsets before it reads a PKGBUILD (`util/schema.sh`).
const FIELDS: &str = "pkgname pkgbase pkgver pkgrel epoch pkgdesc url install changelog arch \
backup checkdepends conflicts depends groups license makedepends noextract optdepends options \
provides replaces source validpgpkeys cksums md5sums sha1sums sha224sums sha256sums sha384sums \
sha512sums b2sums";

/// Returns true for a name that only the PKGBUILD sets: a field, with or without an architecture,
/// or a name that begins with `_`, which makepkg reserves for recipes.
pub(super) fn is_own(name: &str) -> bool {
    let is_field = |name: &str| FIELDS.split_whitespace().any(|field| field == name);
    let head = name.split_once('_').map_or(name, |(head, _)| head);
    (name.starts_with('_') && name.len() > 1) || is_field(head)
}
