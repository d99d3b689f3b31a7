//! What history decides goes on from the PKGBUILD that lies where a new one is written: pkgrel, epoch, and sums that no table has.

use crate::ir::Field;
use crate::srcinfo::{Section, print_srcinfo, read_srcinfo};
use rocpkg_render::bash::{Assigned, Value, replaced};
use std::fmt;
use std::ops::Range;

/// What stands at some bytes, and what is to stand there.
type Edits = Vec<(Range<usize>, String)>;

/// A field of a PKGBUILD that counts and can't be read without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unread {
    /// The field; none where the text is no bash.
    pub field: Option<&'static str>,
    /// The line of the PKGBUILD, from 1.
    pub line: usize,
}

impl fmt::Display for Unread {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.field {
            Some(field) => {
                write!(
                    f,
                    "line {}: `{field}` must be set once, to a plain value, to go on from it",
                    self.line
                )
            }
            None => f.write_str("a quote or a parenthesis is not closed"),
        }
    }
}

impl std::error::Error for Unread {}

/// What a PKGBUILD counts.
struct Counted {
    version: String,
    pkgrel: String,
    epoch: Option<u64>,
}

/// A rendered PKGBUILD and its .SRCINFO, going on from the PKGBUILD that lies there: pkgrel is kept for the same version and begins
/// anew for another, one more where the package is built again; the epoch never goes back; and a sum that the model lacks is what
/// lies there for the same source of the same version.
///
/// # Errors
/// When what lies there counts in a way that can't be read plainly.
pub fn continued(
    pkgbuild: &str,
    srcinfo: &str,
    present: &str,
    rebuild: bool,
) -> Result<(String, String), Unread> {
    let there = Assigned::read(present).ok_or(Unread { field: None, line: 1 })?;
    let as_rendered = || Ok((pkgbuild.to_owned(), srcinfo.to_owned()));
    let (Some(new), Ok(mut info)) = (Assigned::read(pkgbuild), read_srcinfo(srcinfo)) else {
        return as_rendered();
    };
    let (Some(before), Some(now)) = (counted(&there, present)?, counted(&new, pkgbuild)?) else {
        return as_rendered();
    };
    let is_same = before.version == now.version;
    let pkgrel = match is_same {
        true if rebuild => next(&before.pkgrel),
        true => before.pkgrel,
        false => "1".to_owned(),
    };
    let mut edits = Edits::new();
    let mut count = |field: Field, value: &str| {
        set(&mut info.fields, field, value);
        let at = |field: Field| new.one(field.name()).ok().flatten().map(|set| set.at.clone());
        // A new epoch stands below pkgrel.
        edits.push(match (at(field), at(Field::Pkgrel)) {
            (None, Some(above)) => (above.end..above.end, format!("\n{}={value}", field.name())),
            (old, _) => (old.unwrap_or_default(), format!("{}={value}", field.name())),
        });
    };
    count(Field::Pkgrel, &pkgrel);
    if let Some(epoch) = before.epoch.max(now.epoch).filter(|epoch| Some(*epoch) != now.epoch) {
        count(Field::Epoch, &epoch.to_string());
    }
    for name in new.names().filter(|_| is_same) {
        let known = pairs(&there, name);
        for (i, (source, sum)) in
            pairs(&new, name).into_iter().enumerate().filter(|(_, (_, sum))| is_stand_in(&sum.text))
        {
            let same = known.iter().find(|(other, _)| address(other) == address(&source));
            if let Some(taken) = same.map(|(_, s)| &s.text).filter(|s| is_sum(s, sum.text.len())) {
                edits.push((sum.at, taken.clone()));
                if let Some((_, said)) = info.fields.iter_mut().filter(|(field, _)| field == name).nth(i) {
                    said.clone_from(taken);
                }
            }
        }
    }
    Ok((replaced(pkgbuild, edits), print_srcinfo(&info)))
}

/// The PKGBUILD that lies there with what history decides as `base` says it, which is what was rendered last: what is left of a
/// difference between the two was made by hand.
pub fn comparable(present: &str, base: &str) -> String {
    with_history(present, base, true)
}

/// The PKGBUILD that lies there with what history decides as `rendered` says it where that says something else, and all else of it
/// as it stands: what becomes of one that hands changed where nothing else is new. One of another version counts for itself.
pub fn recounted(present: &str, rendered: &str) -> String {
    let version = |text: &str| Assigned::read(text)?.value(Field::Pkgver.name()).ok();
    if version(present) != version(rendered) {
        return present.to_owned();
    }
    with_history(present, rendered, false)
}

/// A PKGBUILD with pkgrel, epoch and sums of another one, in its words or only where they say something else.
fn with_history(present: &str, other: &str, in_its_words: bool) -> String {
    let (Some(there), Some(was)) = (Assigned::read(present), Assigned::read(other)) else {
        return present.to_owned();
    };
    let mut edits = Edits::new();
    for field in [Field::Pkgrel, Field::Epoch] {
        let (Ok(set), Ok(old)) = (there.one(field.name()), was.one(field.name())) else { continue };
        if !in_its_words && there.value(field.name()) == was.value(field.name()) {
            continue;
        }
        let text = old.map(|old| was.source(old.at.clone()));
        match (set, text) {
            (Some(set), Some(text)) => edits.push((set.at.clone(), text.to_owned())),
            (Some(set), None) if field == Field::Epoch => {
                let (at, end) = (set.at.start, set.at.end);
                let alone = present[..at].ends_with('\n') && present[end..].starts_with('\n');
                edits.push((at..end + usize::from(alone), String::new()));
            }
            (None, Some(text)) if field == Field::Epoch => {
                if let Ok(Some(above)) = there.one(Field::Pkgrel.name()) {
                    edits.push((above.at.end..above.at.end, format!("\n{text}")));
                }
            }
            _ => {}
        }
    }
    for name in was.names() {
        edits.extend(sums_of(name, &there, &was, in_its_words).unwrap_or_default());
    }
    replaced(present, edits)
}

/// What brings a list of sums to what another PKGBUILD says, but for those of sources that were added by hand.
fn sums_of(name: &str, there: &Assigned, was: &Assigned, in_its_words: bool) -> Option<Edits> {
    let sources = there.list(&source_of(name)?)?;
    let (own, old, known) = (there.list(name)?, was.list(name)?, pairs(was, name));
    let sum = |i: usize| {
        let source = sources.get(i)?;
        known.iter().find(|(other, _)| address(other) == address(&source.text)).map(|(_, sum)| sum)
    };
    if !in_its_words {
        let new = own.iter().enumerate().filter_map(|(i, was)| Some((was, &sum(i)?.text)));
        return Some(
            new.filter(|(was, new)| was.text != **new)
                .map(|(was, new)| (was.at.clone(), new.clone()))
                .collect(),
        );
    }
    let word = |i: usize| sum(i).map(|sum| was.source(sum.at.clone()));
    let words = own.iter().enumerate().map(|(i, sum)| word(i).unwrap_or(&sum.text)).collect::<Vec<_>>();
    let whole = there.one(name).ok()?.filter(|set| !there.source(set.at.clone()).contains('#'));
    let Some(whole) = whole else {
        // Comments between the sums stay.
        return Some(own.iter().zip(words).map(|(sum, word)| (sum.at.clone(), word.to_owned())).collect());
    };
    let same = words.iter().copied().eq(old.iter().map(|sum| was.source(sum.at.clone())));
    let text = match was.one(name).ok()? {
        Some(set) if same => was.source(set.at.clone()).to_owned(),
        _ if words.len() > 1 => format!("{name}=(\n  {}\n)", words.join("\n  ")),
        _ => format!("{name}=({})", words.concat()),
    };
    Some(vec![(whole.at.clone(), text)])
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|c| c.is_ascii_digit())
}

/// What a PKGBUILD counts; none where it sets neither version nor pkgrel.
fn counted(text: &Assigned, whole: &str) -> Result<Option<Counted>, Unread> {
    let value = |field: Field| {
        let unread =
            |at: usize| Unread { field: Some(field.name()), line: whole[..at].matches('\n').count() + 1 };
        let value = text.value(field.name()).map_err(unread)?;
        let at = text.one(field.name()).ok().flatten().map_or(0, |set| set.at.start);
        let plain = |v: &str| match field {
            // A number, or two with a point between them.
            Field::Pkgrel => v.split('.').count() <= 2 && v.split('.').all(is_number),
            Field::Epoch => is_number(v),
            _ => !v.is_empty(),
        };
        if value.as_deref().is_some_and(|v| !plain(v)) { Err(unread(at)) } else { Ok(value) }
    };
    let (version, pkgrel) = (value(Field::Pkgver)?, value(Field::Pkgrel)?);
    let epoch = value(Field::Epoch)?.and_then(|e| e.parse().ok());
    match (version, pkgrel) {
        (None, None) => Ok(None),
        (Some(version), Some(pkgrel)) => Ok(Some(Counted { version, pkgrel, epoch })),
        (version, _) => {
            let field = if version.is_none() { Field::Pkgver } else { Field::Pkgrel };
            Err(Unread { field: Some(field.name()), line: 1 })
        }
    }
}

/// One more: of `3`, `4`; of `1.1`, `1.2`.
fn next(pkgrel: &str) -> String {
    let (head, last) = pkgrel.rsplit_once('.').map_or((String::new(), pkgrel), |(h, l)| (format!("{h}."), l));
    format!("{head}{}", last.parse::<u64>().map_or(1, |n| n.saturating_add(1)))
}

/// Sets a single value, behind pkgrel where it is new.
fn set(fields: &mut Section, field: Field, value: &str) {
    if let Some((_, old)) = fields.iter_mut().find(|(name, _)| name == field.name()) {
        return value.clone_into(old);
    }
    let at = fields.iter().position(|(name, _)| name == Field::Pkgrel.name()).map_or(0, |at| at + 1);
    fields.insert(at, (field.name().to_owned(), value.to_owned()));
}

/// What a PKGBUILD or a .SRCINFO says of its sources: their addresses, with the tag or commit of a checkout, each with a field of sums
/// and the sum. What only a run could tell is left out.
pub fn stated_sums(text: &str) -> Vec<(String, Field, String)> {
    let mut out = Vec::new();
    let field = |name: &str| Field::ALL.iter().copied().find(|f| f.is_sums() && f.name() == name);
    if let Ok(info) = read_srcinfo(text) {
        let all = |name: &str| -> Vec<String> {
            info.fields.iter().filter(|(n, _)| n == name).map(|(_, value)| value.clone()).collect()
        };
        for field in Field::ALL.iter().filter(|f| f.is_sums()) {
            let (sources, sums) = (all("source"), all(field.name()));
            if sources.len() == sums.len() {
                let each = sources.iter().zip(sums);
                out.extend(each.map(|(source, sum)| (address(source).to_owned(), *field, sum)));
            }
        }
    } else if let Some(read) = Assigned::read(text) {
        for (name, field) in read.names().filter_map(|name| Some((name, field(name)?))) {
            if read.list("source").map(|all| all.len()) == read.list(name).map(|all| all.len()) {
                let each = pairs(&read, name).into_iter();
                out.extend(each.map(|(source, sum)| (address(&source).to_owned(), field, sum.text)));
            }
        }
    }
    out.retain(|(_, _, sum)| sum.bytes().all(|b| b.is_ascii_hexdigit()) && !is_stand_in(sum));
    out
}

/// The sources that a list of sums is for: `source_x86_64` for `sha256sums_x86_64`. None for what is no such list.
fn source_of(name: &str) -> Option<String> {
    let field = Field::ALL.iter().filter(|f| f.is_sums());
    let behind =
        field.filter_map(|f| name.strip_prefix(f.name())).find(|b| b.is_empty() || b.starts_with('_'))?;
    Some(format!("source{behind}"))
}

/// The sources with their sums; nothing where only a run could tell which belong together.
fn pairs(text: &Assigned, sums: &str) -> Vec<(String, Value)> {
    let all =
        || Some(text.list(&source_of(sums)?)?.into_iter().map(|s| s.text).zip(text.list(sums)?).collect());
    all().unwrap_or_default()
}

/// The address of an entry of `source`, without the name that it is saved by.
fn address(entry: &str) -> &str {
    entry.split_once("::").map_or(entry, |(_, address)| address)
}

/// True for the zeros that stand for a sum that nobody knows.
fn is_stand_in(sum: &str) -> bool {
    !sum.is_empty() && sum.bytes().all(|b| b == b'0')
}

/// True for a sum of so many digits.
fn is_sum(sum: &str, digits: usize) -> bool {
    sum.len() == digits && sum.bytes().all(|b| b.is_ascii_hexdigit()) && !is_stand_in(sum)
}
