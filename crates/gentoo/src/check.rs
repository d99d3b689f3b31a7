//! Names that reach an ebuild without quotes, because bash reads names there, are held to what bash takes for one.

use crate::context::Context;
use rocpkg_model::{Finding, Findings};
use rocpkg_render::bash::{Stmt, check, is_identifier};
use rocpkg_resolve::{Plan, target_row};
use std::collections::BTreeSet;

/// Variables that Portage sets, or that the keys of a profile make (PMS 7 and 11.1).
const PORTAGES: &str = "\
A BDEPEND CATEGORY DEFINED_PHASES DEPEND DESCRIPTION DISTDIR EAPI EBUILD_PHASE ECLASS ED EPREFIX EROOT FILESDIR \
HOMEPAGE IDEPEND INHERITED IUSE KEYWORDS LICENSE MERGE_TYPE P PDEPEND PF PN PR PROPERTIES PV PVR RDEPEND \
REQUIRED_USE RESTRICT SLOT SRC_URI USE WORKDIR";

impl Context<'_> {
    /// Every variable and function that the package declares.
    pub(crate) fn check_names(&mut self) {
        let p = self.p;
        let mut names: Vec<String> = self.declared.iter().cloned().collect();
        let functions = p.package.ebuild.iter().flat_map(|e| e.functions.values());
        for steps in p.package.phases.values().chain(functions) {
            let once = rocpkg_shell::names(steps).into_iter().filter(|n| !n.declared);
            names.extend(once.map(|n| n.name.to_owned()));
        }
        names.extend(p.package.environment.values().flat_map(|m| m.keys().cloned()));
        names.extend(p.package.tests.iter().flat_map(|t| t.environment.keys().cloned()));
        names.extend(self.projects.values().flat_map(|c| c.environment.keys().cloned()));
        names.extend(p.package.ebuild.iter().flat_map(|e| e.functions.keys().cloned()));
        names.extend(self.projects.keys().skip(1).map(|c| self.wrapper(c)));
        for name in &names {
            if !is_identifier(name) {
                self.no_name(name);
            } else if PORTAGES.split_whitespace().any(|own| own == name) {
                let span = self.p.node.span;
                self.error(
                    "E0324",
                    span,
                    format!("`{name}` is a variable of Portage's own, or has a key of its own"),
                );
            }
        }
    }

    /// Every name that bash would read, wherever it came from.
    pub(crate) fn check_functions(&mut self, functions: &[(String, Vec<Stmt>)]) {
        for name in functions.iter().flat_map(|(_, body)| check(body)) {
            self.no_name(&name);
        }
        let mut seen = BTreeSet::new();
        for (name, _) in functions.iter().filter(|(name, _)| !seen.insert(name)) {
            let message =
                format!("the function `{name}` stands twice: steps of a phase belong into `phases`");
            self.error("E0324", self.p.node.span, message);
        }
    }

    fn no_name(&mut self, name: &str) {
        let span = self.p.node.span;
        self.error("E0324", span, format!("`{name}` can't be the name of a variable or a function"));
    }
}

/// What a maintainer may be (GLEP 67).
const KINDS: [&str; 2] = ["person", "project"];

/// What the distribution's file puts into the eclass and into every ebuild.
pub(crate) fn distribution(plan: &Plan, findings: &mut Findings) {
    let distro = &plan.distro;
    crate::propagation::check(plan, findings);
    let uses_list = plan.packages.iter().any(|p| p.targets.is_some());
    if uses_list && target_row(distro, &plan.version).is_none() {
        let message =
            format!("no GPU targets are stated for {}: rocm.eclass stops at that version", plan.version);
        findings.push(Finding::warning("W0304", None, message).hint("add a row to `targets`"));
    }
    let kinds = distro.maintainers.iter().filter_map(|m| m.kind.as_ref());
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
        let allowed: &[u8] = if name == "python" { b"_{}. " } else { b"-_~+* /" };
        if !setting.value.bytes().all(|b| b.is_ascii_alphanumeric() || allowed.contains(&b)) {
            wrong(setting.span, &format!("the setting `{name}`"), &setting.value);
        }
    }
    for m in distro.maintainers.iter().chain(&distro.authors) {
        for text in [&m.name, &m.email] {
            if text.value.contains('\n') || text.value.trim().is_empty() {
                wrong(text.span, "a name or an address of one line", text.value.trim());
            }
        }
    }
}
