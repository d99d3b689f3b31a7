//! What the distribution's file puts into the eclass and into every ebuild.

use crate::configure::switched_to;
use crate::context::{is_made_of, target_flags_of};
use crate::words::is_year;
use rocpkg_model::{Compiler, Finding, Findings, TargetFlags, is_identifier};
use rocpkg_resolve::Plan;

/// Reports what bash would not read there as it was written.
pub(crate) fn distribution(plan: &Plan, findings: &mut Findings) {
    let distro = &plan.distro;
    if let (None, Some(p)) = (
        &distro.eclass,
        plan.packages
            .iter()
            .find(|p| target_flags_of(p) != TargetFlags::None),
    ) {
        let span = plan
            .distro_node
            .as_ref()
            .map_or(p.node.span, |node| node.span.begin());
        let message = format!(
            "{} has GPU targets, and no eclass offers flags for them",
            p.name
        );
        let finding = Finding::error("E0333", span, message);
        findings.push(finding.label("expected `eclass`, which says what it is called"));
    }
    if let Some(eclass) = &distro.eclass {
        for compiler in Compiler::ALL
            .into_iter()
            .filter(|c| !eclass.compilers.contains_key(c.word()))
        {
            if let Some(p) = plan
                .packages
                .iter()
                .find(|p| switched_to(p) == Some(compiler))
            {
                let message = format!(
                    "{}.eclass has no function for the compiler `{}`",
                    eclass.name,
                    compiler.word()
                );
                let finding = Finding::error("E0333", eclass.name.span, message);
                findings.push(finding.label(format!(
                    "expected it under `compilers`, for {} at least",
                    p.name
                )));
            }
        }
        for (word, function) in &eclass.compilers {
            if Compiler::ALL.iter().all(|compiler| compiler.word() != word) {
                let finding =
                    Finding::error("E0114", function.span, format!("unknown word `{word}`"));
                findings.push(
                    finding.nearest(word, Compiler::ALL.iter().map(|compiler| compiler.word())),
                );
            }
        }
    }
    let mut wrong = |span, what: &str, text: &str| {
        findings.push(Finding::error(
            "E0325",
            span,
            format!("`{text}` can't be {what}"),
        ));
    };
    let listed = distro
        .targets
        .iter()
        .flat_map(|set| set.default.iter().chain(&set.offered));
    for target in listed.chain(&distro.further_targets) {
        if !is_made_of(&target.value, "") {
            wrong(target.span, "a GPU target of USE_EXPAND", &target.value);
        }
    }
    let since = distro
        .eclass
        .as_ref()
        .and_then(|eclass| eclass.since.as_ref());
    for year in distro
        .year
        .iter()
        .chain(since)
        .filter(|year| !is_year(&year.value))
    {
        wrong(year.span, "a year", &year.value);
    }
    if let Some(eclass) = &distro.eclass {
        if !is_made_of(&eclass.name.value, "-_") {
            wrong(
                eclass.name.span,
                "the name of an eclass",
                &eclass.name.value,
            );
        }
        let called = eclass
            .compilers
            .values()
            .chain(&eclass.device)
            .chain(&eclass.inherit);
        for name in called.filter(|name| !is_made_of(&name.value, "-_")) {
            wrong(name.span, "a name in an eclass", &name.value);
        }
        let variable = &eclass.expand;
        if !is_identifier(&variable.value)
            || variable.value.contains(|c: char| c.is_ascii_lowercase())
        {
            wrong(variable.span, "a variable of USE_EXPAND", &variable.value);
        }
        for name in eclass.functions.keys().filter(|name| !is_identifier(name)) {
            let span = plan
                .distro_node
                .as_ref()
                .and_then(|node| node.get("eclass")?.get("functions")?.key(name));
            wrong(
                span.map_or(eclass.name.span, |key| key.span),
                "a function",
                name,
            );
        }
        for (name, text) in [("blurb", &eclass.blurb), ("title", &eclass.title)] {
            if text.value.contains('\n') {
                wrong(text.span, &format!("a {name} of one line"), &text.value);
            }
        }
    }
    for (name, setting) in &distro.settings {
        let allowed = match name.as_str() {
            "python" => "_{}. ",
            // No ebuild holds the address.
            "companions" | "homepage" => "-_./:${}",
            _ => "-_~+* /",
        };
        if !setting.value.is_empty() && !is_made_of(&setting.value, allowed) {
            wrong(
                setting.span,
                &format!("the setting `{name}`"),
                &setting.value,
            );
        }
    }
    let own = plan
        .packages
        .iter()
        .filter_map(|p| p.package.ebuild.as_ref())
        .flat_map(|e| &e.maintainers);
    for m in distro.maintainers.iter().chain(own).chain(&distro.authors) {
        for text in [&m.name, &m.email] {
            if text.value.contains('\n') || text.value.trim().is_empty() {
                wrong(
                    text.span,
                    "a name or an address of one line",
                    text.value.trim(),
                );
            }
        }
    }
}
