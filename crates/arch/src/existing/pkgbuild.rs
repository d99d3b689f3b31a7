//! Existing PKGBUILDs: rules for reading them, and the values that a rendered PKGBUILD takes over
//! from the existing one.

use crate::check::values;
use crate::value::ir::Field;
use crate::value::srcinfo::read_srcinfo;
use rocpkg_syntax::{Language, List, Node, NormalText, Outline, Reading, Rules};
use std::cell::LazyCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// The kinds of lists in the variables of a PKGBUILD (PKGBUILD(5)).
static RULES: Rules = Rules {
    version: "pkgver",
    lists: &[
        ("source*", List::Sources),
        ("*sums", List::Sums),
        ("depends*", List::Packages),
        ("makedepends*", List::Packages),
        ("checkdepends*", List::Packages),
        ("optdepends*", List::Packages),
        ("provides*", List::Packages),
        ("conflicts*", List::Packages),
        ("replaces*", List::Packages),
    ],
    of_sources: &["_dirname"],
    source_folder: "srcdir",
    phases: &["prepare()"],
    ..Rules::NONE
};

/// Returns the rules for reading a PKGBUILD.
pub fn reading() -> Reading {
    Reading {
        language: Language::Bash,
        rules: &RULES,
        given: Vec::new(),
    }
}

/// Returns the name of a PKGBUILD: `pkgbase`, or the first name in `pkgname` (PKGBUILD(5)). Returns
/// `None` if the text is no valid bash, or if the name is not written literally.
pub fn base(pkgbuild: &str) -> Option<String> {
    let read = reading().read(pkgbuild).ok()?;
    let named = read.get(&["pkgbase"]).or_else(|| read.get(&["pkgname"]))?;
    let first = named
        .body
        .as_ref()
        .map_or(Some(named), |body| body.nodes.first())?;
    let text = if named.body.is_some() {
        &first.key.real
    } else {
        &first.value.real
    };
    Some(text.clone()).filter(|name| !name.is_empty() && !name.contains('$'))
}

/// Returns the rendered PKGBUILD `pkgbuild` with the counters of the existing PKGBUILD `there`.
///
/// If both have the same version (`is_same`), pkgrel is kept. If the package is also built again
/// (`again`), pkgrel is increased by one, unless it is no number. For another version, pkgrel is 1.
/// The epoch never decreases.
pub fn counted(pkgbuild: &str, there: &str, is_same: bool, again: bool) -> String {
    let (Ok(new), Ok(old)) = (reading().read(pkgbuild), reading().read(there)) else {
        return pkgbuild.to_owned();
    };
    let value = |read: &Outline, field: Field| Some(read.get(&[field.name()])?.value.real.clone());
    let (Some(before), Some(place)) =
        (value(&old, Field::Pkgrel), new.get(&[Field::Pkgrel.name()]))
    else {
        return pkgbuild.to_owned();
    };
    let pkgrel = match is_same {
        true if again => match next(&before) {
            Some(next) => next,
            None => return pkgbuild.to_owned(),
        },
        true => before,
        false => "1".to_owned(),
    };
    let mut text = pkgbuild.to_owned();
    // A new epoch is inserted below pkgrel.
    let epoch = |read: &Outline| value(read, Field::Epoch)?.parse::<u64>().ok();
    if let Some(kept) = epoch(&old).filter(|old| epoch(&new).is_none_or(|new| new < *old)) {
        match new.get(&[Field::Epoch.name()]) {
            Some(place) => text.replace_range(place.value_at.clone(), &kept.to_string()),
            None => text.insert_str(place.at.end, &format!("\nepoch={kept}")),
        }
    }
    if place.value.real != pkgrel {
        text.replace_range(place.value_at.clone(), &pkgrel);
    }
    text
}

/// Returns the next pkgrel: `3` -> `4`, `1.1` -> `1.2`. Returns `None` if it is no number.
fn next(pkgrel: &str) -> Option<String> {
    let (head, last) = pkgrel
        .rsplit_once('.')
        .map_or((String::new(), pkgrel), |(h, l)| (format!("{h}."), l));
    Some(format!(
        "{head}{}",
        last.parse::<u64>().ok()?.checked_add(1)?
    ))
}

/// A checksum in a PKGBUILD or a .SRCINFO.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedSum {
    /// The address of the source, with the tag or commit of a checkout.
    pub address: String,
    /// The kind of the checksum.
    pub field: Field,
    /// The name of the list that states the checksum: `sha256sums_x86_64`.
    pub list: String,
    /// The bytes of the word in the PKGBUILD; empty for a .SRCINFO.
    pub at: Range<usize>,
    /// The checksum; zeros stand for an unknown one.
    pub sum: String,
}

impl StatedSum {
    /// Returns true if the checksum is zeros, which stand for an unknown one.
    pub fn is_unknown(&self) -> bool {
        self.sum.bytes().all(|b| b == b'0')
    }
}

/// The elements of a list, each with the bytes of its word.
type Elements = Vec<(Range<usize>, String)>;

/// Returns the checksums in a PKGBUILD or a .SRCINFO, those of single architectures included.
/// Values that only bash can evaluate are left out.
pub fn stated_sums(text: &str) -> Vec<StatedSum> {
    let mut all = if let Ok(info) = read_srcinfo(text) {
        let names = info.fields.iter().map(|(name, _)| name.as_str());
        paired(names, &|list| {
            let own = info.fields.iter().filter(|(name, _)| name == list);
            own.map(|(_, value)| (0..0, value.clone())).collect()
        })
    } else if let Ok(read) = reading().read(text) {
        let name = |node: &Node| {
            let name = NormalText::base(&node.key.open);
            name.trim_end_matches("+=").to_owned()
        };
        let names: Vec<String> = read.root.nodes.iter().map(name).collect();
        let known = LazyCell::new(|| values(text));
        paired(names.iter().map(String::as_str), &|list| {
            let nodes = read.root.nodes.iter().filter(|node| name(node) == list);
            let words = nodes.flat_map(Node::nodes);
            let elements = words.flat_map(|word| {
                let values = read.expanded(&word.at).into_iter();
                values.map(|value| (word.at.clone(), value))
            });
            let elements: Elements = elements.collect();
            let other = elements.iter().find(|(_, word)| word.contains("[@]"));
            match other.and_then(|(at, _)| Some((at, known.get(list)?))) {
                Some((at, known)) if known.open.is_none() => {
                    let words = known.words.iter();
                    words.map(|word| (at.clone(), word.clone())).collect()
                }
                _ => elements,
            }
        })
    } else {
        Vec::new()
    };
    let is_sum = |sum: &str| !sum.is_empty() && sum.bytes().all(|b| b.is_ascii_hexdigit());
    all.retain(|own| is_sum(&own.sum));
    all
}

/// Returns the elements of lists of checksums with the sources at the same index. `names` are the
/// names of all lists, and `elements` returns the elements of a list.
fn paired<'a>(
    names: impl Iterator<Item = &'a str>,
    elements: &dyn Fn(&str) -> Elements,
) -> Vec<StatedSum> {
    let ends = names.filter_map(|name| name.strip_prefix("source"));
    let ends = ends.filter(|end| end.is_empty() || end.starts_with('_'));
    let mut out = Vec::new();
    for end in ends.collect::<BTreeSet<&str>>() {
        let sources = elements(&format!("source{end}"));
        for field in Field::ALL.iter().copied().filter(|f| f.is_sums()) {
            let list = format!("{}{end}", field.name());
            let sums = elements(&list);
            if sources.len() == sums.len() {
                let each = sources.iter().zip(sums);
                out.extend(each.map(|((_, source), (at, sum))| StatedSum {
                    address: address(source).to_owned(),
                    field,
                    list: list.clone(),
                    at,
                    sum,
                }));
            }
        }
    }
    out
}

/// Returns the address of an element of `source`: `a.tar.gz::https://b` -> `https://b`.
fn address(entry: &str) -> &str {
    entry.split_once("::").map_or(entry, |(_, address)| address)
}
