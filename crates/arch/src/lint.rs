//! What makepkg lets pass although it is wrong. What it refuses of versions, architectures, options and names, it tells itself.

use crate::ir::{Field, Pkgbuild};
use crate::places::{of_part, of_value};
use rocpkg_model::{Finding, Findings, Span};
use rocpkg_resolve::{Planned, Saved, check_saved};

/// Checks a PKGBUILD; every fault points at the value of its profile, else at the package's entry.
pub(crate) fn lint(p: &Planned, b: &Pkgbuild, findings: &mut Findings) {
    let scope = b.scope();
    let parts = b.parts.iter().map(|part| &part.overrides);
    for (field, value) in parts.chain([&b.fields]).flatten() {
        for v in scope.evaluate(value).iter().filter(|v| v.contains(['\n', '\r'])) {
            let message = format!("`{}` of {} holds a line's end", v.escape_debug(), field.name());
            let finding = Finding::error("E0426", of_value(p, v), message);
            findings.push(finding.label("a .SRCINFO has one line for each value"));
        }
    }
    // They are part of the names of functions.
    for part in b.parts.iter().filter(|part| !is_name(&part.name)) {
        let message = format!("`{}` can't be a pkgname", part.name.escape_debug());
        let label = "expected letters, digits and `@._+-`, not starting with `-` or `.`";
        findings.push(Finding::error("E0425", of_part(p, &part.name), message).label(label));
    }
    // Sources and patches stand first, in this order.
    let places = p.fetched().map(|s| s.span).chain(p.applied().map(|f| f.file.span));
    let sources = b.fields.get(&Field::Source).map(|v| scope.evaluate(v));
    let own = p.node.get("pkgbuild").map_or_else(|| p.place(), |own| own.span);
    let places = places.chain(std::iter::repeat(own));
    let saved: Vec<Saved> = sources.unwrap_or_default().into_iter().zip(places).map(saved).collect();
    check_saved(&saved, findings);
}

/// The file or folder that makepkg makes of an entry of `source` (`util/source.sh`).
fn saved((entry, span): (String, Span)) -> Saved {
    let (name, address) = match entry.split_once("::") {
        Some((name, address)) => (name.to_owned(), address.to_owned()),
        None => (entry.rsplit('/').next().unwrap_or_default().to_owned(), entry.clone()),
    };
    Saved { name, address, span }
}

/// What makepkg takes for a package's name (`lint_pkgbuild/util.sh`).
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && !name.starts_with(['-', '.'])
        && name.bytes().all(|c| c.is_ascii_alphanumeric() || b"@._+-".contains(&c))
}
