//! What the distribution's file puts into the eclass and into every ebuild.

use rocpkg_model::{Finding, Findings};
use rocpkg_resolve::{Plan, target_row};

/// What a maintainer may be (GLEP 67).
const KINDS: [&str; 2] = ["person", "project"];

/// Reports what can't stand there.
pub(crate) fn distribution(plan: &Plan, findings: &mut Findings) {
    let distro = &plan.distro;
    crate::propagation::check(plan, findings);
    let mut users = plan.packages.iter().filter(|p| p.targets.is_some());
    if let Some(p) = users.find(|p| target_row(distro, &p.listed).is_none()) {
        let message =
            format!("no GPU targets are stated for {}: rocm.eclass stops at that version", p.listed);
        findings.push(Finding::warning("W0304", None, message).hint("add a row to `targets`"));
    }
    let own = plan.packages.iter().filter_map(|p| p.package.ebuild.as_ref()).flat_map(|e| &e.maintainers);
    let people = || distro.maintainers.iter().chain(own.clone());
    let kinds = people().filter_map(|m| m.kind.as_ref());
    for kind in kinds.filter(|kind| !KINDS.contains(&kind.value.as_str())) {
        findings.push(
            Finding::error("E0114", kind.span, format!("no maintainer is a `{}`", kind.value))
                .label(format!("expected one of: {}", KINDS.join(", ")))
                .nearest(&kind.value, KINDS),
        );
    }
    let mut wrong = |span, what: &str, text: &str| {
        findings.push(Finding::error("E0325", span, format!("`{text}` can't be {what}")));
    };
    for set in &distro.targets {
        for target in set.default.iter().chain(&set.offered).chain(&distro.further_targets) {
            if !target.value.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
                || target.value.is_empty()
            {
                wrong(target.span, "a GPU target of USE_EXPAND", &target.value);
            }
        }
    }
    if let Some(year) = distro.year.as_ref().filter(|y| !y.value.bytes().all(|b| b.is_ascii_digit())) {
        wrong(year.span, "a year", &year.value);
    }
    for (name, setting) in &distro.settings {
        let allowed: &[u8] = match name.as_str() {
            "python" => b"_{}. ",
            // No ebuild holds the address.
            "companions" => b"-_./:${}",
            _ => b"-_~+* /",
        };
        if name == "guard-edits" && !["on", "off"].contains(&setting.value.as_str()) {
            wrong(setting.span, "the setting `guard-edits`, which is `on` or `off`", &setting.value);
        }
        if !setting.value.bytes().all(|b| b.is_ascii_alphanumeric() || allowed.contains(&b)) {
            wrong(setting.span, &format!("the setting `{name}`"), &setting.value);
        }
    }
    for m in people().chain(&distro.authors) {
        for text in [&m.name, &m.email] {
            if text.value.contains('\n') || text.value.trim().is_empty() {
                wrong(text.span, "a name or an address of one line", text.value.trim());
            }
        }
    }
}
