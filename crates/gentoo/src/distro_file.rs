//! What the distribution's file puts into the eclass and into every ebuild.

use crate::context::is_made_of;
use rocpkg_model::{Finding, Findings};
use rocpkg_resolve::Plan;

/// Reports what bash would not read there as it was written.
pub(crate) fn distribution(plan: &Plan, findings: &mut Findings) {
    let distro = &plan.distro;
    let mut wrong = |span, what: &str, text: &str| {
        findings.push(Finding::error("E0325", span, format!("`{text}` can't be {what}")));
    };
    let listed = distro.targets.iter().flat_map(|set| set.default.iter().chain(&set.offered));
    for target in listed.chain(&distro.further_targets) {
        if !is_made_of(&target.value, "") {
            wrong(target.span, "a GPU target of USE_EXPAND", &target.value);
        }
    }
    if let Some(year) = distro.year.as_ref().filter(|year| !is_made_of(&year.value, "")) {
        wrong(year.span, "a year", &year.value);
    }
    for (name, setting) in &distro.settings {
        let allowed = match name.as_str() {
            "python" => "_{}. ",
            // No ebuild holds the address.
            "companions" => "-_./:${}",
            _ => "-_~+* /",
        };
        if !setting.value.is_empty() && !is_made_of(&setting.value, allowed) {
            wrong(setting.span, &format!("the setting `{name}`"), &setting.value);
        }
    }
    let own = plan.packages.iter().filter_map(|p| p.package.ebuild.as_ref()).flat_map(|e| &e.maintainers);
    for m in distro.maintainers.iter().chain(own).chain(&distro.authors) {
        for text in [&m.name, &m.email] {
            if text.value.contains('\n') || text.value.trim().is_empty() {
                wrong(text.span, "a name or an address of one line", text.value.trim());
            }
        }
    }
}
