//! Checks of the names of variables and functions. A name must be valid in bash, and neither
//! Portage nor the profile's keys may use it already.

use crate::lower::context::Context;
use crate::value::ebuild::Variable;
use rocpkg_model::{Finding, Findings, Node, Span, Spanned};
use rocpkg_render::bash::{Stmt, check, is_identifier};
use rocpkg_shell::is_of_bash;
use std::collections::BTreeSet;

/// Variables that Portage sets, or that the keys of a profile set (PMS 7 and 11.1).
const PORTAGES: &str = "\
A BDEPEND CATEGORY DEFINED_PHASES DEPEND DESCRIPTION DISTDIR EAPI EBUILD_PHASE ECLASS ED EPREFIX EROOT FILESDIR \
HOMEPAGE IDEPEND INHERITED IUSE KEYWORDS LICENSE MERGE_TYPE P PDEPEND PF PN PR PROPERTIES PV PVR RDEPEND \
REQUIRED_USE RESTRICT SLOT SRC_URI USE WORKDIR";

/// Further variables that Portage or keys of the profile set. The package can't declare them under
/// `ebuild.variables`, but a step may set them for one command: `HOME="${T}" make`.
const OF_THE_EBUILD: &str = "\
BROOT COMMON_DEPEND D EBUILD_PHASE_FUNC ESYSROOT FEATURES HOME IUSE_EFFECTIVE OFFERED_TARGETS PATCHES PATH REPLACED_BY_VERSION \
REPLACING_VERSIONS ROOT S SUPPORTED_TARGETS SYSROOT T TMPDIR";

/// Reports a loop in the steps of a profile whose variable Portage or another key of the profile
/// sets.
pub(crate) fn check_loop(variable: &Spanned<String>, findings: &mut Findings) {
    if among(OF_THE_EBUILD, &variable.value) {
        let message = format!(
            "Portage or another key of the profile sets the variable `{}`",
            variable.value
        );
        let finding = Finding::error("E0324", variable.span, message);
        findings.push(finding.label("expected another name for the variable of the loop"));
    }
}

fn among(words: &str, name: &str) -> bool {
    words.split_whitespace().any(|word| word == name)
}

impl Context<'_> {
    /// Checks the names of all variables and functions that the package declares.
    pub(crate) fn check_names(&mut self) {
        let p = self.p;
        let mut names: Vec<String> = self.declared.iter().cloned().collect();
        let functions = p.package.ebuild.iter().flat_map(|e| e.functions.values());
        for steps in p.package.phases.values().chain(functions) {
            let once = rocpkg_shell::names(steps)
                .into_iter()
                .filter(|n| !n.declared);
            names.extend(once.map(|n| n.name.to_owned()));
        }
        names.extend(
            p.package
                .environment
                .values()
                .flat_map(|m| m.keys().cloned()),
        );
        names.extend(
            p.package
                .tests
                .iter()
                .flat_map(|t| t.environment.keys().cloned()),
        );
        names.extend(
            self.projects
                .values()
                .flat_map(|c| c.environment.keys().cloned()),
        );
        names.extend(
            p.package
                .ebuild
                .iter()
                .flat_map(|e| e.functions.keys().cloned()),
        );
        names.extend(self.projects.keys().skip(1).map(|c| self.wrapper(c)));
        let own: BTreeSet<&String> = p
            .package
            .ebuild
            .iter()
            .flat_map(|e| e.variables.keys())
            .collect();
        for name in &names {
            let span = self.named_at(&["variables", "functions"], name);
            if !is_identifier(name) {
                self.no_name(name, span);
            } else if among(PORTAGES, name) || own.contains(name) && among(OF_THE_EBUILD, name) {
                let message =
                    format!("Portage or another key of the profile sets the variable `{name}`");
                self.error("E0324", span, message);
            } else if is_of_bash(name) {
                self.error(
                    "E0324",
                    span,
                    format!("bash sets the variable `{name}` itself"),
                );
            }
        }
    }

    /// Returns the place of `name` in one of the `sections` of the profile's key `ebuild`, such as
    /// `variables`; else the place of the package.
    pub(crate) fn named_at(&self, sections: &[&str], name: &str) -> Span {
        let ebuild = self.p.node.get("ebuild");
        let keys = sections
            .iter()
            .filter_map(|section| ebuild?.get(section))
            .flat_map(Node::entries);
        let mut keys = keys.map(|(key, _)| key).filter(|key| key.name == name);
        keys.next().map_or(self.p.node.span, |key| key.span)
    }

    /// Checks the names of variables in the bodies of all functions, and that no function is
    /// defined twice. Each function is a pair of its name and its body.
    pub(crate) fn check_functions(&mut self, functions: &[(String, Vec<Stmt>)]) {
        for name in functions.iter().flat_map(|(_, body)| check(body)) {
            self.no_name(&name, self.p.node.span);
        }
        let mut seen = BTreeSet::new();
        for (name, _) in functions.iter().filter(|(name, _)| !seen.insert(name)) {
            let span = self.named_at(&["functions"], name);
            let finding = Finding::error(
                "E0324",
                span,
                format!("the function `{name}` is defined twice"),
            );
            self.findings
                .push(finding.label("expected another name, or its steps under `phases`"));
        }
    }

    /// Reports variables of the package that a key of the profile sets too.
    pub(crate) fn check_variables<'v>(&mut self, all: impl Iterator<Item = &'v Variable>) {
        let mut seen = BTreeSet::new();
        for variable in
            all.filter(|v| !among(OF_THE_EBUILD, &v.name) && !seen.insert(v.name.as_str()))
        {
            let span = self.named_at(&["variables"], &variable.name);
            let finding = Finding::error(
                "E0324",
                span,
                format!("the variable `{}` is set twice", variable.name),
            );
            self.findings
                .push(finding.label("another key of the profile sets it too"));
        }
    }

    fn no_name(&mut self, name: &str, span: Span) {
        self.error(
            "E0324",
            span,
            format!("`{name}` can't be the name of a variable or a function"),
        );
    }
}
