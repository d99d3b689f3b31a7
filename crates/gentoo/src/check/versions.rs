//! `ver_cut` and `ver_rs` (PMS 12.3.14).

/// Returns the components of a version that `range` names, with the separators between them (PMS
/// 12.3.14): `7.2.0_p3` and `1-2` → `7.2`. Returns `None` for an invalid range, and for a first
/// component that the version lacks.
pub(super) fn ver_cut(version: &str, range: &str) -> Option<String> {
    let (first, last) = bounds(range)?;
    let parts = components(version);
    let (from, _) = parts.get(first.checked_sub(1)?)?;
    let (_, to) = parts.get(last.min(parts.len()).checked_sub(1)?)?;
    version.get(*from..*to).map(str::to_owned)
}

/// Returns a version whose separators in `range` are replaced by `new` (PMS 12.3.14): `1.2.3`,
/// `2` and `-` → `1.2-3`. Returns `None` for an invalid range.
pub(super) fn ver_rs(version: &str, range: &str, new: &str) -> Option<String> {
    let (first, last) = bounds(range)?;
    let parts = components(version);
    let mut out = String::new();
    let mut at = 0;
    for (i, (from, to)) in parts.iter().enumerate() {
        let own = version.get(at..*from)?;
        // There is no separator before the first component, unless one is written.
        let is_there = i > 0 || !own.is_empty();
        let is_replaced = is_there && (first..=last).contains(&i);
        out += if is_replaced { new } else { own };
        out += version.get(*from..*to)?;
        at = *to;
    }
    let end = version.get(at..)?;
    let is_replaced = !end.is_empty() && (first..=last).contains(&parts.len());
    Some(out + if is_replaced { new } else { end })
}

/// Returns the first and the last number of `2`, `2-3` or `2-`.
fn bounds(range: &str) -> Option<(usize, usize)> {
    let (first, last) = range.split_once('-').unwrap_or((range, range));
    let last = if last.is_empty() {
        usize::MAX
    } else {
        last.parse().ok()?
    };
    Some((first.parse().ok()?, last))
}

/// Returns the bytes of the components of a version: its runs of digits and of letters.
fn components(version: &str) -> Vec<(usize, usize)> {
    let kind = |c: char| (c.is_ascii_digit(), c.is_ascii_alphabetic());
    let mut parts: Vec<(usize, usize)> = Vec::new();
    let mut before = (false, false);
    for (at, c) in version.char_indices() {
        let own = kind(c);
        match parts.last_mut() {
            Some(part) if own == before && own != (false, false) => part.1 = at + c.len_utf8(),
            _ if own != (false, false) => parts.push((at, at + c.len_utf8())),
            _ => {}
        }
        before = own;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_of_versions() {
        assert_eq!(ver_cut("7.2.0_p3", "1-2").as_deref(), Some("7.2"));
        assert_eq!(ver_cut("7.2.0_p3", "3").as_deref(), Some("0"));
        assert_eq!(ver_cut("7.2.0_p3", "2-").as_deref(), Some("2.0_p3"));
        assert_eq!(ver_cut("7.2", "3"), None);
    }
}
