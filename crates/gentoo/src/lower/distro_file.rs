//! Checks of the values that the distribution's file puts into the eclass and into every ebuild.

use crate::lower::configure::switched_to;
use crate::lower::context::{is_made_of, target_flags_of};
use crate::value::tokens::is_year;
use rocpkg_core::UseExpand;
use rocpkg_model::{Compiler, EbuildEclass, Finding, Findings, Span, TargetFlags, is_identifier};
use rocpkg_resolve::Plan;

/// Reports every value of the distribution's file that bash would not read as it was written.
pub(crate) fn distribution(plan: &Plan, findings: &mut Findings) {
    match &plan.distro.eclass {
        Some(eclass) => {
            compilers(plan, eclass, findings);
            names(plan, eclass, findings);
        }
        None => without_eclass(plan, findings),
    }
    values(plan, findings);
}

/// Reports a package with GPU targets if the distribution's file has no key `eclass`: nothing
/// offers flags for the targets.
fn without_eclass(plan: &Plan, findings: &mut Findings) {
    let mut packages = plan.packages.iter();
    let Some(p) = packages.find(|p| target_flags_of(p) != TargetFlags::None) else {
        return;
    };
    let distro = plan.distro_node.as_ref();
    let span = distro.map_or(p.node.span, |node| node.span.begin());
    let message = format!(
        "{} has GPU targets, but no eclass offers flags for them",
        p.name
    );
    let finding = Finding::error("E0333", span, message);
    findings.push(finding.label("expected `eclass` with the name of the eclass"));
}

/// Reports compilers that a package needs and for which the eclass of GPU targets has no function,
/// and words under `compilers` that are no compiler.
fn compilers(plan: &Plan, eclass: &EbuildEclass, findings: &mut Findings) {
    let missing = Compiler::ALL.into_iter();
    for compiler in missing.filter(|c| !eclass.compilers.contains_key(c.word())) {
        let mut packages = plan.packages.iter();
        if let Some(p) = packages.find(|p| switched_to(p) == Some(compiler)) {
            let (name, word) = (&eclass.name, compiler.word());
            let message = format!("{name}.eclass has no function for the compiler `{word}`");
            let label = format!("expected it under `compilers`, for {} at least", p.name);
            findings.push(Finding::error("E0333", eclass.name.span, message).label(label));
        }
    }
    for (word, function) in &eclass.compilers {
        if Compiler::ALL.iter().all(|compiler| compiler.word() != word) {
            let message = format!("unknown compiler `{word}`");
            let finding = Finding::error("E0114", function.span, message);
            let known = Compiler::ALL.iter().map(|compiler| compiler.word());
            findings.push(finding.nearest(word, known));
        }
    }
}

/// Reports that `text` can't be `what`, such as `a year`.
fn wrong(findings: &mut Findings, span: Span, what: &str, text: &str) {
    let message = format!("`{text}` can't be {what}");
    findings.push(Finding::error("E0325", span, message));
}

/// Reports names under the key `eclass` that bash or Portage refuses.
fn names(plan: &Plan, eclass: &EbuildEclass, findings: &mut Findings) {
    let mut wrong = |span, what: &str, text: &str| wrong(findings, span, what, text);
    let name = &eclass.name;
    if !is_made_of(&name.value, "-_") {
        wrong(name.span, "the name of an eclass", &name.value);
    }
    let called = eclass.compilers.values().chain(&eclass.device);
    for name in called.chain(&eclass.inherit) {
        if !is_made_of(&name.value, "-_") {
            wrong(name.span, "a name in an eclass", &name.value);
        }
    }
    let variable = &eclass.expand;
    if UseExpand::new(&variable.value).is_err() {
        wrong(variable.span, "a variable of USE_EXPAND", &variable.value);
    }
    for function in eclass.functions.keys().filter(|f| !is_identifier(f)) {
        let distro = plan.distro_node.as_ref();
        let key = distro.and_then(|node| node.get("eclass")?.get("functions")?.key(function));
        wrong(
            key.map_or(name.span, |key| key.span),
            "a function",
            function,
        );
    }
    for (name, text) in [("blurb", &eclass.blurb), ("title", &eclass.title)] {
        if text.value.contains('\n') {
            wrong(text.span, &format!("a {name} of one line"), &text.value);
        }
    }
}

/// Reports targets, years, settings and people that can't be written into an ebuild.
fn values(plan: &Plan, findings: &mut Findings) {
    let distro = &plan.distro;
    let mut wrong = |span, what: &str, text: &str| wrong(findings, span, what, text);
    let sets = distro.targets.iter();
    let listed = sets.flat_map(|set| set.default.iter().chain(&set.offered));
    for target in listed.chain(&distro.further_targets) {
        if !is_made_of(&target.value, "") {
            wrong(target.span, "a GPU target of USE_EXPAND", &target.value);
        }
    }
    let since = distro.eclass.as_ref().and_then(|e| e.since.as_ref());
    for year in distro.year.iter().chain(since) {
        if !is_year(&year.value) {
            wrong(year.span, "a year", &year.value);
        }
    }
    for (name, setting) in &distro.settings {
        let allowed = match name.as_str() {
            "python" => "_{}. ",
            // These settings are addresses, which hold slashes, colons and references.
            "companions" | "homepage" => "-_./:${}",
            _ => "-_~+* /",
        };
        if !setting.value.is_empty() && !is_made_of(&setting.value, allowed) {
            let what = format!("the setting `{name}`");
            wrong(setting.span, &what, &setting.value);
        }
    }
    let ebuilds = plan
        .packages
        .iter()
        .filter_map(|p| p.package.ebuild.as_ref());
    let own = ebuilds.flat_map(|e| &e.maintainers);
    for m in distro.maintainers.iter().chain(own).chain(&distro.authors) {
        for text in [&m.name, &m.email] {
            let trimmed = text.value.trim();
            if text.value.contains('\n') || trimmed.is_empty() {
                wrong(text.span, "a name or an address of one line", trimmed);
            }
        }
    }
}
