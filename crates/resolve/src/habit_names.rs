//! The names that a distribution's habits mention, and the habits that its backend does not read.

use crate::load::Model;
use rocpkg_model::{Distro, Finding, Findings, Span, Spanned};

/// Reports habits that speak of nothing, and those that nobody hears.
pub(crate) fn check(model: &Model, distro_name: &str, distro: &Distro, findings: &mut Findings) {
    let Some(habits) = &distro.habits else { return };
    for name in habits.rules.iter().flat_map(|rule| &rule.components) {
        if !model.components.contains_key(&name.value) && !is_broken(model, &name.value) {
            findings.push(
                Finding::error("E0242", name.span, format!("there is no component `{}`", name.value))
                    .label("expected the name of a file of `components`")
                    .nearest(&name.value, model.components.keys().map(String::as_str)),
            );
        }
    }
    for Spanned { value, span } in &habits.live {
        let outside = model.externals.contains_key(value);
        if !distro.packages.contains_key(value) && !outside {
            findings.push(
                Finding::error("E0243", *span, format!("{distro_name} has no package `{value}`"))
                    .label("expected one of its packages, or a row of externals.yaml")
                    .nearest(value, distro.packages.keys().map(String::as_str)),
            );
        }
    }
    let first = habits.live.first().map(|name| name.span);
    unheard(distro_name, "gentoo", "live", first, findings);
    let place = habits.target_override.as_ref().map(|name| name.span);
    unheard(distro_name, "arch", "target-override", place, findings);
    let place = habits.own_versions.as_ref().map(|range| range.span);
    unheard(distro_name, "solus", "own-versions", place, findings);
}

/// Warns of a habit that only the backend of another distribution reads.
fn unheard(distro: &str, reader: &str, key: &str, place: Option<Span>, findings: &mut Findings) {
    if let Some(span) = place.filter(|_| distro != reader) {
        findings.push(
            Finding::warning("W0222", Some(span), format!("nothing in {distro} reads `habits.{key}`"))
                .label(format!("only {reader} does")),
        );
    }
}

fn is_broken(model: &Model, name: &str) -> bool {
    model.broken.contains(&format!("components/{name}.yaml"))
}
