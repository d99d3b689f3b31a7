//! Existing PKGBUILDs: rules for reading them, and the values that a rendered PKGBUILD takes over
//! from the existing one.

use crate::ir::Field;
use crate::srcinfo::read_srcinfo;
use rocpkg_syntax::{Language, List, Outline, Reading, Rules};

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
    asks: &[],
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

/// Returns the checksums in a PKGBUILD or a .SRCINFO: the address of the source (with the tag or
/// commit of a checkout), the field of the checksum, and the checksum. Zeros are left out, as they
/// stand for unknown checksums. Values that only bash can evaluate are left out too.
pub fn stated_sums(text: &str) -> Vec<(String, Field, String)> {
    let mut all = sums(text);
    all.retain(|(_, _, sum)| !is_unknown(sum));
    all
}

/// Returns the addresses of sources whose checksums are zeros, each with the field of the checksum.
/// Zeros stand for an unknown checksum.
pub fn unknown_sums(text: &str) -> Vec<(String, Field)> {
    let all = sums(text).into_iter().filter(|(_, _, sum)| is_unknown(sum));
    all.map(|(address, field, _)| (address, field)).collect()
}

fn is_unknown(sum: &str) -> bool {
    sum.bytes().all(|b| b == b'0')
}

/// Returns the checksums of a PKGBUILD or a .SRCINFO like [`stated_sums`], including those of
/// zeros.
fn sums(text: &str) -> Vec<(String, Field, String)> {
    let mut out = Vec::new();
    let fields = Field::ALL.iter().copied().filter(|f| f.is_sums());
    let mut take = |sources: &[String], field: Field, sums: &[String]| {
        if sources.len() == sums.len() {
            let each = sources.iter().zip(sums);
            out.extend(each.map(|(source, sum)| (address(source).to_owned(), field, sum.clone())));
        }
    };
    if let Ok(info) = read_srcinfo(text) {
        let all = |name: &str| -> Vec<String> {
            info.fields
                .iter()
                .filter(|(n, _)| n == name)
                .map(|(_, value)| value.clone())
                .collect()
        };
        fields.for_each(|field| take(&all("source"), field, &all(field.name())));
    } else if let Ok(read) = reading().read(text) {
        let all = |name: &str| -> Vec<String> {
            let nodes = read
                .get(&[name])
                .and_then(|node| node.body.as_ref())
                .map(|body| body.nodes.as_slice());
            nodes
                .unwrap_or_default()
                .iter()
                .flat_map(|node| read.expanded(&node.at))
                .collect()
        };
        fields.for_each(|field| take(&all("source"), field, &all(field.name())));
    }
    out.retain(|(_, _, sum)| sum.bytes().all(|b| b.is_ascii_hexdigit()));
    out
}

/// Returns the address of an element of `source`: `a.tar.gz::https://b` -> `https://b`.
fn address(entry: &str) -> &str {
    entry.split_once("::").map_or(entry, |(_, address)| address)
}
