//! Lowers the sources of a package to the key `source`: addresses with their checksums. Selects the
//! patches that lie beside the recipe.

use crate::lower::vocabulary::{Context, FILES};
use crate::value::ir::Source;
use rocpkg_model::{Cond, Fetch, Finding, Findings, Node, Patch, Span, Value, When};
use rocpkg_render::Pinned;
use rocpkg_resolve::{ResolvedSource, with_version};

/// The number of digits of a SHA-256.
pub(crate) const DIGITS: usize = 64;

/// Returns the entries of the key `source`. An unknown checksum is written as zeros, which no file
/// has as its checksum. The checksums that the entries need are added to `pinned`, known or not.
pub(crate) fn sources(cx: &Context, pinned: &mut Vec<Pinned>) -> Vec<Source> {
    cx.p.fetched()
        .map(|s| (address(cx, s), pin(s, pinned)))
        .collect()
}

fn address(cx: &Context, s: &ResolvedSource) -> String {
    let url = with_version(&s.url, &s.version);
    match s.fetch {
        Fetch::Git | Fetch::Tree => {
            let own =
                cx.p.package
                    .sources
                    .get(&s.name)
                    .is_some_and(|w| w.url.is_some());
            // An address that the package itself writes is kept unchanged.
            format!("git|{url}{}", if own { "" } else { ".git" })
        }
        _ => match file(cx, s) {
            Some(name) => format!("{url}#{name}"),
            None => url,
        },
    }
}

/// Returns the name that an archive is saved under, or `None` if ypkg saves it under the last part
/// of its address. An archive that is not the first source always has a name, because all archives
/// of one tag have the same last part, such as `rocm-7.2.4.tar.gz`.
pub(crate) fn file(cx: &Context, s: &ResolvedSource) -> Option<String> {
    let first = cx.p.fetched().next().is_some_and(|f| f.name == s.name);
    match (&s.save_as, s.fetch) {
        (Some(name), _) => Some(with_version(name, &s.version).replace("${name}", &cx.p.name)),
        (None, Fetch::Archive) if !first => Some(match s.own_archive() {
            Some(name) => with_version(&name, &s.version),
            None => format!("{}-{}.tar.gz", s.name, s.version),
        }),
        _ => None,
    }
}

/// The suffixes of names by which archives are recognised.
const ARCHIVES: [&str; 6] = [".gz", ".xz", ".bz2", ".zst", ".tgz", ".zip"];

/// Reports steps that read an archive `${sources}/NAME` if the recipe has no source of this name at
/// this release.
pub(crate) fn check_read(cx: &Context, findings: &mut Findings) {
    let archives =
        cx.p.fetched()
            .filter(|s| !matches!(s.fetch, Fetch::Git | Fetch::Tree));
    let names: Vec<String> = archives
        .map(|s| file(cx, s).unwrap_or_else(|| with_version(&s.url, &s.version)))
        .map(|name| name.rsplit('/').next().unwrap_or_default().to_owned())
        .collect();
    if let Some(phases) = cx.p.node.get("phases") {
        read(phases, &names, cx, findings);
    }
}

fn read(node: &Node, names: &[String], cx: &Context, findings: &mut Findings) {
    match &node.value {
        Value::Seq(items) => items.iter().for_each(|n| read(n, names, cx, findings)),
        Value::Map(entries) => {
            // A step whose condition does not hold is not part of the recipe.
            let when = node.get("when");
            let when = when.and_then(|n| {
                Some(When {
                    cond: Cond::parse(n.text()?).ok()?,
                    span: n.span,
                })
            });
            for (_, n) in entries.iter().filter(|_| cx.p.settles(when.as_ref())) {
                read(n, names, cx, findings);
            }
        }
        Value::Null => {}
        Value::Scalar { text, .. } => {
            let text = text
                .replace("$sources/", "${sources}/")
                .replace("${version}", cx.p.version.as_str());
            for behind in text.split("${sources}/").skip(1) {
                let end = |c: char| c.is_whitespace() || "\"';|&)/".contains(c);
                let word = behind.split(end).next().unwrap_or_default();
                let name = word
                    .strip_prefix("${glob:")
                    .and_then(|w| w.strip_suffix('}'))
                    .unwrap_or(word);
                let told =
                    !name.contains(['$', '?', '[']) && ARCHIVES.iter().any(|a| name.ends_with(a));
                if told && !names.iter().any(|n| fits(n, name)) {
                    findings.push(missing(name, names, node.span, cx));
                }
            }
        }
    }
}

fn missing(name: &str, names: &[String], span: Span, cx: &Context) -> Finding {
    let message = format!("{} {} has no source `{name}`", cx.p.id, cx.p.version);
    Finding::error("E0416", span, message)
        .label(format!("expected one of: {}", names.join(", ")))
        .nearest(name, names.iter().map(String::as_str))
        .hint("limit the step to its releases, such as `when: release:<7.0`")
}

/// Returns true if `name` matches `pattern`, in which the first `*` stands for any text.
fn fits(name: &str, pattern: &str) -> bool {
    match pattern.split_once('*') {
        None => name == pattern,
        Some((head, tail)) => {
            name.len() >= head.len() + tail.len() && name.starts_with(head) && name.ends_with(tail)
        }
    }
}

fn pin(s: &ResolvedSource, pinned: &mut Vec<Pinned>) -> String {
    if matches!(s.fetch, Fetch::Git | Fetch::Tree) {
        return s
            .revision
            .clone()
            .unwrap_or_else(|| with_version(&s.tag, &s.version));
    }
    let sum = s
        .checksum
        .as_ref()
        .and_then(|c| c.sha256.as_ref())
        .map(|sum| sum.value.to_ascii_lowercase());
    if !s.key.is_empty() {
        pinned.push(Pinned {
            of: s.key.clone(),
            version: s.version.to_string(),
            address: with_version(&s.url, &s.version),
            kinds: &["sha256"],
            known: sum.is_some(),
            span: s.span,
            ..Pinned::default()
        });
    }
    sum.unwrap_or_else(|| "0".repeat(DIGITS))
}

/// Returns the patches that no step of the profile applies, in order. The standard step of `setup`
/// applies these.
pub(crate) fn standing<'a>(cx: &'a Context) -> Vec<&'a Patch> {
    let by_steps = rocpkg_shell::patched(cx.p.package.phases.values().flatten(), FILES);
    cx.p.applied()
        .filter(|p| !by_steps.contains(&p.file.value))
        .collect()
}

/// Returns true if the overlay's `series` is set: patches are listed in `files/series`, and
/// `%apply_patches` applies them.
pub(crate) fn in_series(cx: &Context) -> bool {
    cx.own
        .and_then(|o| o.series.as_ref())
        .and_then(|a| cx.switched(a))
        .unwrap_or(false)
}
