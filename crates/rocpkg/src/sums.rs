//! Findings about unknown checksums that recipes need. Only this module reports them. A recipe with
//! an unknown checksum has a stand-in in its place: zeros, or `sha256-AAAA…=` in Nix.

use crate::backend::Backend;
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Owner, Severity};
use rocpkg_render::Pinned;
use std::collections::BTreeMap;

/// Returns a finding for each of `unknown`, the sources and files without a known checksum: an
/// error, or a warning if `allowed` is true.
pub(crate) fn findings<'a>(
    unknown: impl IntoIterator<Item = (Backend, &'a Pinned)>,
    allowed: bool,
) -> Findings {
    let mut findings = Findings::default();
    for (backend, u) in unknown {
        let all = u.kinds.join(", ");
        let lacks = all
            .rsplit_once(", ")
            .map_or(all.clone(), |(head, last)| format!("{head} and {last}"));
        let message = format!("unknown {lacks} of `{}` at {}", u.of, u.version);
        let name = Some(&u.name)
            .filter(|name| !name.is_empty())
            .map(|name| format!("{name} from "));
        if u.is_version() {
            let message = format!("unknown version of `{}` in {}", u.of, u.version);
            let finding = Finding::error("E0237", u.span, message)
                .label(format!(
                    "{} states the version of upstream's component",
                    u.path
                ))
                .hint(format!(
                    "state it in the release's table: `own: {{{}: VERSION}}`",
                    u.of
                ));
            let severity = if allowed {
                Severity::Warning
            } else {
                Severity::Error
            };
            let mut own = Findings::default();
            own.push(Finding {
                severity,
                ..finding
            });
            findings.append_of(&Owner::package(backend.distro(), &u.package), own);
            continue;
        }
        let label = format!(
            "{} needs it for {}{}",
            u.path,
            name.unwrap_or_default(),
            u.address
        );
        let finding = Finding::error("E0237", u.span, message).label(label);
        let mut own = Findings::default();
        own.push(if allowed {
            Finding { severity: Severity::Warning, ..finding }
        } else {
            finding.hint(
                "add it to the release's table, or to the patch; a checksum in a checkout's Manifest or recipe counts, too; \
                 --allow-missing writes recipes without it",
            )
        });
        findings.append_of(&Owner::package(backend.distro(), &u.package), own);
    }
    findings
}

/// Returns a warning that a distribution lacks the packages `names`, because a checksum is unknown.
pub(crate) fn left_out(backend: Backend, names: &[String]) -> Findings {
    let distro = backend.distro();
    let message = format!(
        "left out of {distro}, because a checksum is unknown: {}",
        names.join(", ")
    );
    let finding = Finding::warning("W0202", None, message);
    let mut own = Findings::default();
    own.push(
        finding
            .hint("--allow-missing renders them anyway; `rocpkg sums` lists the missing checksums"),
    );
    let mut findings = Findings::default();
    findings.append_of(&Owner::Distribution(distro.to_owned()), own);
    findings
}

/// Returns a list for each file with unknown checksums, by path. The list has one `bool` for each
/// checksum in the file, in the file's order: true if the checksum is a stand-in. A PKGBUILD with
/// one known checksum and one unknown -> `[false, true]`.
pub(crate) fn lacking(tree: &Tree) -> BTreeMap<String, Vec<bool>> {
    let paths = tree.unknown_sums.iter().map(|(_, u)| &u.path);
    paths
        .filter_map(|path| Some((path.clone(), stand_ins(tree.text(path)?))))
        .collect()
}

/// Removes from `tree.unknown_sums` the checksums that the files of `tree` state by now, because
/// edits took them over from the existing recipes. `before` is the result of [`lacking`] before
/// these edits.
pub(crate) fn take_stated(tree: &mut Tree, before: &BTreeMap<String, Vec<bool>>) {
    let mut stated = BTreeMap::new();
    for (path, before) in before {
        let after: Vec<bool> = tree.text(path).map(stand_ins).unwrap_or_default();
        // If the number of checksums changed, because sources were added by hand, the old and new
        // checksums can't be matched. All count as unknown then if one of them is a stand-in.
        let is_same = before.len() == after.len();
        let place = |(i, _): (usize, &bool)| {
            if is_same {
                !after[i]
            } else {
                !after.contains(&true)
            }
        };
        let lacked = before.iter().enumerate().filter(|(_, lacks)| **lacks);
        stated.insert(
            path.clone(),
            lacked.map(place).collect::<Vec<bool>>().into_iter(),
        );
    }
    tree.unknown_sums.retain(|(_, u)| {
        !stated
            .get_mut(&u.path)
            .and_then(Iterator::next)
            .unwrap_or(false)
    });
}

/// Returns true if the text is nothing but a stand-in for one unknown checksum. The checksum's name
/// may precede it: `hash = "sha256-AAAA…="`.
#[cfg(feature = "checkout")]
pub(crate) fn is_stand_in(text: &str) -> bool {
    let value = text.rsplit_once(" = ").map_or(text, |(_, value)| value);
    let word = value.trim_matches(['"', '\'', ';', ' ']);
    !word.contains(char::is_whitespace) && stand_ins(word) == [true]
}

/// Returns one `bool` for each checksum in a text, in order: true if the checksum is a stand-in,
/// that is, all zeros or `sha256-AAAA…=`.
fn stand_ins(text: &str) -> Vec<bool> {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric() && !"+/=-".contains(c));
    let sums = words.filter_map(|word| match word.strip_prefix("sha256-") {
        Some(hash) => Some(hash.trim_matches(['A', '=']).is_empty()),
        None if word.len() < 64 || word.bytes().any(|b| !b.is_ascii_hexdigit()) => None,
        None => Some(word.bytes().all(|b| b == b'0')),
    });
    sums.collect()
}

#[cfg(all(test, feature = "checkout"))]
mod tests {
    use super::is_stand_in;

    #[test]
    fn a_stand_in_is_a_checksum_alone() {
        let zeros = "0".repeat(64);
        let hash = format!("sha256-{}=", "A".repeat(43));
        for text in [
            format!("'{zeros}'"),
            format!("\"{hash}\""),
            format!("hash = \"{hash}\";"),
        ] {
            assert!(is_stand_in(&text), "{text}");
        }
        for text in [
            format!("('{zeros}' '1')"),
            format!("src = f {{\n  repo = \"b\";\n  hash = \"{hash}\";\n}};"),
            "sha256-BAAA=".to_owned(),
            "1".repeat(64),
        ] {
            assert!(!is_stand_in(&text), "{text}");
        }
    }
}
