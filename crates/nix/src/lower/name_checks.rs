//! Checks names of the model that are printed without quotes, before anything is printed.

use crate::lower::Lower;
use crate::value::expr::is_identifier;
use rocpkg_model::{External, Finding, Findings, Node, Span, misspelt};
use rocpkg_resolve::Plan;
use std::collections::BTreeSet;

/// The folders of CMake's `GNUInstallDirs`, which has variables such as `CMAKE_INSTALL_LIBDIR` for
/// them.
const FOLDERS: &str = "\
bin data dataroot doc include info lib libexec locale localstate man oldinclude runstate sbin sharedstate sysconf";

/// Names that the backend binds in each expression.
const OWN: [&str; 8] = [
    "finalAttrs",
    "gpuTargets",
    "localGpuTargets",
    "pname",
    "self",
    "src",
    "supportedTargets",
    "version",
];

/// Names that an argument of the same name would hide in the whole expression.
const CONSTANTS: [&str; 5] = ["builtins", "false", "lib", "null", "true"];

/// Reports external packages (`externals.yaml`) whose name in nixpkgs is not a valid path of
/// attributes, or hides a name such as `lib`.
pub(crate) fn vet_externals(plan: &Plan, findings: &mut Findings) {
    for external in plan.externals.values() {
        let External::Named(name) = external else {
            continue;
        };
        let first = name.value.split('.').next().unwrap_or_default();
        let hides = CONSTANTS.contains(&first) || OWN.contains(&first);
        if hides || !name.value.split('.').all(is_identifier) {
            let message = format!("`{}` can't be a package of nixpkgs", name.value);
            let label = "expected a name, or names joined by dots, such as python3Packages.numpy";
            findings.push(Finding::error("E0509", name.span, message).label(label));
        }
    }
}

impl Lower<'_> {
    /// Reports all invalid names of the package: names that Nix or the shell would not accept
    /// without quotes.
    pub(crate) fn vet_names(&mut self) {
        let here = self.planned.node.span;
        let mut names: Vec<(String, Span)> = Vec::new();
        for (key, f) in &self.package.features {
            names.push((
                crate::lower::names::feature(key, f),
                f.name.as_ref().map_or(here, |n| n.span),
            ));
        }
        let nix = self.nix;
        if let Some(file) = nix
            .file
            .as_ref()
            .filter(|f| !crate::value::open::is_below(&f.value))
        {
            let expected = "a folder or a file below the scope's folder, such as `foo`";
            self.no_name(&file.value, file.span, expected);
        }
        let targets = nix
            .gpu_targets
            .iter()
            .flat_map(|t| t.supported.iter().chain(&t.export));
        let platforms = nix.meta.iter().flat_map(|m| &m.platforms.0);
        let distro = &self.plan.distro;
        let licences = self
            .package
            .licence
            .iter()
            .filter_map(|l| distro.licences.get(&l.value));
        let script = distro
            .scope
            .as_ref()
            .and_then(|scope| scope.update_script.as_ref());
        let told = targets
            .chain(platforms)
            .chain(licences)
            .chain(distro.settings.get("team"))
            .chain(script);
        names.extend(told.map(|s| (s.value.clone(), s.span)));
        for (name, span) in names {
            if !is_identifier(&name) {
                self.no_name(
                    &name,
                    span,
                    "letters, digits, `_`, `-` or `'`, and no keyword of Nix",
                );
            }
        }
        // Hooks contain the version without quotes.
        let version = self.planned.version.to_string();
        if !version
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b))
        {
            let at = self.planned.node.get("version").map_or(here, |n| n.span);
            self.no_name(&version, at, "letters, digits and `._+-`");
        }
        self.vet_features();
        for name in self
            .package
            .phases
            .values()
            .flat_map(|steps| rocpkg_shell::names(steps))
        {
            self.vet_variable(name.name, name.span);
        }
        self.vet_outputs();
    }

    /// Reports features whose argument has a name that an input, a binding or another feature has
    /// too, because it would hide that one.
    fn vet_features(&mut self) {
        let package = self.package;
        let mut seen = BTreeSet::new();
        for (key, f) in package.features.iter().filter(|(_, f)| f.fixed.is_none()) {
            let name = crate::lower::names::feature(key, f);
            let taken = self.is_taken(&name) || OWN.contains(&name.as_str());
            if !seen.insert(name.clone()) || taken {
                let span = f.name.as_ref().map_or(self.planned.node.span, |n| n.span);
                self.no_name(
                    &name,
                    span,
                    "a name that the expression does not use otherwise",
                );
            }
        }
    }

    /// Reports the output `out`, which always exists, outputs with invalid names, and
    /// `install-dirs` for which CMake has no variable.
    fn vet_outputs(&mut self) {
        let node = self.planned.node.get("nix");
        let written = node
            .and_then(|n| n.get("outputs"))
            .map(Node::entries)
            .unwrap_or_default();
        let is_word = |text: &str| {
            !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
        };
        for (key, _) in written {
            if key.name == "out" {
                self.no_name(
                    "out",
                    key.span,
                    "another name, because the output `out` always exists",
                );
            } else if !is_word(&key.name) {
                self.no_name(
                    &key.name,
                    key.span,
                    "letters, digits or `_`, as in names of shell variables",
                );
            }
        }
        for dir in &self.nix.install_dirs {
            if !is_word(&dir.value) {
                let message = format!("CMake has no variable for the folder `{}`", dir.value);
                let finding = Finding::error("E0414", dir.span, message);
                self.findings
                    .push(finding.label("expected a name such as bin, lib or include"));
            }
            let known = FOLDERS.split_whitespace();
            self.findings.push_some(misspelt(
                "E0414",
                "folder to install to",
                &dir.value,
                dir.span,
                known,
            ));
        }
    }

    /// Reports the name of a variable that is not valid in bash, or that bash sets itself.
    pub(crate) fn vet_variable(&mut self, name: &str, span: Span) {
        if !rocpkg_render::bash::is_identifier(name) {
            self.no_name(
                name,
                span,
                "letters, digits or `_`, as in names of shell variables",
            );
        } else if rocpkg_shell::is_of_bash(name) {
            self.no_name(name, span, "a variable that bash does not set by itself");
        }
    }

    pub(crate) fn no_name(&mut self, name: &str, span: Span, expected: &str) {
        self.findings.push(
            Finding::error("E0509", span, format!("`{name}` is not a valid name"))
                .label(format!("expected {expected}")),
        );
    }
}
