//! Names of the model that stand in a file without quotes, checked before anything is printed.

use crate::expr::{BindingKind, NixExpr, Pattern, is_identifier};
use crate::lower::{Lower, attribute, base_attribute};
use crate::text::kind;
use rocpkg_model::{External, Finding, Findings, Node, Span, Spanned, misspelt};
use rocpkg_resolve::Plan;
use std::collections::BTreeSet;

/// The sets of `lib.platforms`: the attributes of nixpkgs' `lib/systems/doubles.nix`, all of them.
const PLATFORMS: &str = "\
aarch aarch64 all arc arm armv7 bigEndian cygwin darwin embedded freebsd genode gnu i686 illumos js linux \
littleEndian loongarch64 m68k microblaze mips mmix netbsd none openbsd or1k power redox riscv riscv32 \
riscv64 rx s390 s390x sh4 uefi unix vc4 wasi windows x86 x86_64";

/// What builders of nixpkgs may be asked for; others have features of their own.
const SYSTEM_FEATURES: &str =
    "benchmark big-parallel ca-derivations cuda kvm nixos-test recursive-nix rocm uid-range";

/// The folders of CMake's `GNUInstallDirs`, of which `CMAKE_INSTALL_LIBDIR` and its like are made.
const FOLDERS: &str = "\
bin data dataroot doc include info lib libexec locale localstate man oldinclude runstate sbin sharedstate sysconf";

/// Names that each derivation states itself.
const OWN: [&str; 8] =
    ["finalAttrs", "gpuTargets", "localGpuTargets", "pname", "self", "src", "supportedTargets", "version"];

/// Words that an argument would hide from the whole expression.
const CONSTANTS: [&str; 5] = ["builtins", "false", "lib", "null", "true"];

/// Reports names of things outside the model that are no path of attributes.
pub(crate) fn vet_externals(plan: &Plan, findings: &mut Findings) {
    for external in plan.externals.values() {
        let External::Named(name) = external else { continue };
        let first = name.value.split('.').next().unwrap_or_default();
        let hides = CONSTANTS.contains(&first) || OWN.contains(&first);
        if hides || !name.value.split('.').all(is_identifier) {
            let message = format!("`{}` can't be a package of nixpkgs", name.value);
            let label = "expected a name, or names between dots, as in python3Packages.numpy";
            findings.push(Finding::error("E0509", name.span, message).label(label));
        }
    }
}

/// Reports attributes that two packages have, or that the scope itself binds; true where there is none.
pub(crate) fn vet_attributes(plan: &Plan, findings: &mut Findings) -> bool {
    let mut named = Vec::new();
    for p in &plan.packages {
        let attr = attribute(p);
        if p.package.nix.as_ref().is_some_and(|nix| nix.parts) {
            named.push((base_attribute(&attr), p.id.clone(), p.name_place()));
        }
        named.push((attr, p.id.clone(), p.name_place()));
    }
    let narrowed = crate::scope::narrowed(plan);
    let taken = |n: &str| {
        crate::names::SCOPE.split_whitespace().any(|own| own == n) || narrowed.iter().any(|s| s == n)
    };
    let stated: Vec<(&str, Span)> = crate::names::of_scope(plan).collect();
    let packages = named.iter().map(|(n, _, span)| (n.as_str(), *span, "expected another `attribute`"));
    let packages = packages.filter(|(n, ..)| taken(n) || stated.iter().any(|(own, _)| own == n));
    let label = "expected a name of which the scope has no other";
    let beside = stated
        .iter()
        .enumerate()
        .filter(|(i, (n, _))| taken(n) || stated[..*i].iter().any(|(before, _)| before == n));
    let mut unique = true;
    for (name, span, label) in packages.chain(beside.map(|(_, (n, span))| (*n, *span, label))) {
        let message = format!("the scope itself binds `{name}`");
        findings.push(Finding::error("E0508", span, message).label(label));
        unique = false;
    }
    plan.check_names("E0508", "packages have the attribute", named, findings) && unique
}

impl Lower<'_> {
    /// Reports every name that Nix or the shell would not take for a name.
    pub(crate) fn vet_names(&mut self) {
        let here = self.planned.node.span;
        let mut names: Vec<(String, Span)> = Vec::new();
        for (key, f) in &self.package.features {
            names.push((crate::names::feature(key, f), f.name.as_ref().map_or(here, |n| n.span)));
        }
        let nix = self.planned.package.nix.iter();
        for n in nix {
            let targets = n.gpu_targets.iter().flat_map(|t| t.supported.iter().chain(&t.export));
            names.extend(targets.map(|s| (s.value.clone(), s.span)));
            let meta = n.meta.iter().flat_map(|m| &m.platforms.0);
            names.extend(meta.map(|s| (s.value.clone(), s.span)));
            if let Some(file) = n.file.as_ref().filter(|f| !crate::open::is_below(&f.value)) {
                self.no_name(
                    &file.value,
                    file.span,
                    "a folder or a file below the scope's, such as `rocmlir`",
                );
            }
        }
        let distro = &self.plan.distro;
        let spoken = |l: &&Spanned<String>| distro.licences.contains_key(&l.value);
        let licences = self.package.licence.iter().filter(spoken).map(|l| &distro.licences[&l.value]);
        let told = licences.chain(distro.settings.get("team"));
        names.extend(told.map(|s| (s.value.clone(), s.span)));
        for (name, span) in names {
            if !is_identifier(&name) {
                self.no_name(&name, span, "letters, digits, `_`, `-` or `'`, and no word of the language");
            }
        }
        // Hooks write it without quotes.
        let version = self.planned.version.to_string();
        if !version.bytes().all(|b| b.is_ascii_alphanumeric() || b"._+-".contains(&b)) {
            let at = self.planned.node.get("version").map_or(here, |n| n.span);
            self.no_name(&version, at, "letters, digits and `._+-`, as a version has");
        }
        self.vet_features();
        for name in self.package.phases.values().flat_map(|steps| rocpkg_shell::names(steps)) {
            self.vet_variable(name.name, name.span);
        }
        self.vet_outputs();
        self.vet_flags();
        self.vet_words();
        self.vet_platforms();
    }

    /// A feature's argument hides what else has its name, from an input to a binding.
    fn vet_features(&mut self) {
        let package = self.package;
        let mut seen = BTreeSet::new();
        for (key, f) in package.features.iter().filter(|(_, f)| f.fixed.is_none()) {
            let name = crate::names::feature(key, f);
            let taken = self.is_taken(&name) || OWN.contains(&name.as_str());
            if !seen.insert(name.clone()) || taken {
                let span = f.name.as_ref().map_or(self.planned.node.span, |n| n.span);
                self.no_name(&name, span, "a name that nothing else of the expression has");
            }
        }
    }

    /// Words of nixpkgs that are one that it has but for a letter.
    fn vet_words(&mut self) {
        let features = self.nix.system_features.iter();
        let words = features.map(|word| ("E0114", "feature of a system", word, SYSTEM_FEATURES));
        let folders = self.nix.install_dirs.iter();
        let words = words.chain(folders.map(|word| ("E0414", "folder to install to", word, FOLDERS)));
        for (code, what, word, known) in words {
            let known = known.split_whitespace();
            self.findings.push_some(misspelt(code, what, &word.value, word.span, known));
        }
    }

    /// Reports a set of platforms that `lib.platforms` does not have. What is no name was said.
    fn vet_platforms(&mut self) {
        let stated = self.nix.meta.as_ref().map(|m| m.platforms.0.clone()).unwrap_or_default();
        let known = || PLATFORMS.split_whitespace();
        let is_set = |w: &&Spanned<String>| is_identifier(&w.value) && !w.value.contains('-');
        for word in stated.iter().filter(is_set).filter(|w| !known().any(|k| k == w.value)) {
            let message = format!("there is no set of platforms `{}`", word.value);
            let finding =
                Finding::error("E0501", word.span, message).label("expected a set of `lib.platforms`");
            self.findings.push(finding.nearest(&word.value, known()));
        }
    }

    /// What the scope gives must be something that the expression takes: Nix calls no function with an argument more.
    pub(crate) fn check_given(&mut self, expr: &NixExpr) {
        let NixExpr::Lambda(Pattern::Set(arguments), _) = expr else { return };
        let taken: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
        let readings = &self.tables.readings;
        let mut given: Vec<(String, Span)> = Vec::new();
        if let Some(text) = &self.nix.call_with.0 {
            for e in readings.bindings(&text.text).iter().flat_map(|read| &read.value) {
                let names = match &e.binding.kind {
                    BindingKind::Value(path, _) => path.get(..1).unwrap_or_default(),
                    BindingKind::Inherit(_, names) => names,
                    BindingKind::Nothing => &[],
                };
                given.extend(names.iter().map(|n| (n.clone(), text.place(e.start, e.end))));
            }
        }
        for (name, span) in given.into_iter().filter(|(name, _)| !taken.contains(&name.as_str())) {
            let message = format!("the expression of {} takes no `{name}`", self.attribute);
            let finding = Finding::error("E0501", span, message).label("expected one of its arguments");
            self.findings.push(finding.nearest(&name, taken.iter().copied()));
        }
    }

    /// Reports outputs that are there anyway, and folders that name no variable of CMake.
    fn vet_outputs(&mut self) {
        let node = self.planned.node.get("nix");
        let written = node.and_then(|n| n.get("outputs")).map(Node::entries).unwrap_or_default();
        for (key, _) in written {
            let plain = key.name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
            if key.name == "out" {
                self.no_name("out", key.span, "an output beside it");
            } else if !plain || key.name.is_empty() {
                self.no_name(&key.name, key.span, "letters, digits or `_`, as the shell names variables");
            }
        }
        for dir in self.nix.install_dirs.clone() {
            if dir.value.is_empty() || !dir.value.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
                let message = format!("`{}` can't be a folder that CMake has a variable for", dir.value);
                let finding = Finding::error("E0414", dir.span, message);
                self.findings.push(finding.label("expected a name such as bin, lib or include"));
            }
        }
    }

    /// Reports flags whose values are not of the kind that they are written as, as far as the text itself tells.
    fn vet_flags(&mut self) {
        let expected = "true or false";
        for (name, text) in &self.nix.flags {
            if let Some(found) = kind(&text.text).filter(|found| *found != expected) {
                let message = format!("the flag `{name}` is {found}");
                let finding = Finding::error("E0111", text.span, message);
                self.findings.push(finding.label(format!("expected an expression for {expected}")));
            }
        }
    }

    /// Reports what bash does not take for a variable, or sets itself.
    pub(crate) fn vet_variable(&mut self, name: &str, span: Span) {
        if !rocpkg_render::bash::is_identifier(name) {
            self.no_name(name, span, "letters, digits or `_`, as the shell names variables");
        } else if rocpkg_shell::is_of_bash(name) {
            self.no_name(name, span, "a variable that bash does not set by itself");
        }
    }

    pub(crate) fn no_name(&mut self, name: &str, span: Span, expected: &str) {
        self.findings.push(
            Finding::error("E0509", span, format!("`{name}` can't be a name"))
                .label(format!("expected {expected}")),
        );
    }
}
