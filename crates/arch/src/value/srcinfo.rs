//! .SRCINFO, byte for byte as `makepkg --printsrcinfo` prints it, and a reader of it.

use crate::value::ir::Field;
use std::fmt;

/// A section of a .SRCINFO: pairs of a field's name and a value, in order. An array has a pair for
/// each element.
pub type Section = Vec<(String, String)>;

/// The contents of a .SRCINFO.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Srcinfo {
    /// The name in `pkgbase`.
    pub base: String,
    /// The fields of the global section.
    pub fields: Section,
    /// The packages, each with the fields that its function sets.
    pub packages: Vec<(String, Section)>,
}

/// Prints a .SRCINFO by the rules of makepkg's `srcinfo.sh`.
impl fmt::Display for Srcinfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = |fields: &Section, f: &mut fmt::Formatter<'_>| {
            fields
                .iter()
                .try_for_each(|(name, value)| writeln!(f, "\t{name} = {value}"))
        };
        writeln!(f, "pkgbase = {}", self.base)?;
        lines(&self.fields, f)?;
        for (name, fields) in &self.packages {
            writeln!(f, "\npkgname = {name}")?;
            lines(fields, f)?;
        }
        Ok(())
    }
}

/// Parses a .SRCINFO.
///
/// # Errors
/// Returns the number of the first invalid line, counted from 1.
pub fn read_srcinfo(text: &str) -> Result<Srcinfo, usize> {
    let mut out = Srcinfo::default();
    // Lines end with a line feed only. A carriage return before it would be part of the value.
    for (i, line) in text.split_terminator('\n').enumerate() {
        let at = i + 1;
        let (key, value) = match line.split_once(" = ") {
            Some(pair) => pair,
            None if line.is_empty() && !out.base.is_empty() => continue,
            None => return Err(at),
        };
        match key {
            "pkgbase" if i == 0 => value.clone_into(&mut out.base),
            "pkgname" if i > 0 => out.packages.push((value.to_owned(), Section::new())),
            _ => {
                let name = key.strip_prefix('\t').filter(|n| is_field(n)).ok_or(at)?;
                let fields = out.packages.last_mut().map_or(&mut out.fields, |(_, f)| f);
                fields.push((name.to_owned(), value.to_owned()));
            }
        }
    }
    if out.base.is_empty() { Err(1) } else { Ok(out) }
}

/// Returns true for the name of a field, with or without an architecture: `depends`,
/// `depends_x86_64`.
pub(crate) fn is_field(name: &str) -> bool {
    let plain = |n: &str| Field::from_name(n).is_some();
    plain(name)
        || name
            .split_once('_')
            .is_some_and(|(field, arch)| plain(field) && !arch.is_empty())
}

/// Returns a value as makepkg prints it: every run of white space is one blank, and none is at
/// either end.
pub(crate) fn normal(text: &str) -> String {
    text.split(|c: char| c.is_ascii_whitespace() || c == '\u{b}')
        .filter(|w| !w.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}
