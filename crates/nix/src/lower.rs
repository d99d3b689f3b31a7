//! From a planned package to a Nix expression.

use crate::expr::{BindingKind, Item, NixExpr, Operator};
use crate::names;
use rocpkg_model::{Cond, External, Fetch, Finding, Findings, NixBindings, NixPackage, Package, Span};
use rocpkg_resolve::{Dependency, Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};

/// One file of a package.
#[derive(Clone, Debug)]
pub struct NixFile {
    /// Its path below the scope's folder.
    pub path: String,
    /// What it holds.
    pub expr: NixExpr,
    /// Lines of shell text that stand in it as they were written.
    pub raw_lines: usize,
}

/// A package's files and what they need beside them.
#[derive(Clone, Debug, Default)]
pub struct Lowered {
    /// The files.
    pub files: Vec<NixFile>,
    /// Files that the expressions name and that somebody else must supply, below the scope's folder.
    pub companions: Vec<String>,
}

/// Whether a package holds the scope's list of GPU targets and is overridden to narrow it.
pub(crate) fn holds_targets(plan: &Plan, p: &Planned) -> bool {
    plan.distro.settings.get("targets-holder").is_some_and(|h| h.value == p.id)
}

/// The attribute under which the scope holds a package.
pub fn attribute(p: &Planned) -> String {
    p.package
        .nix
        .as_ref()
        .and_then(|n| n.attribute.as_ref())
        .map_or_else(|| p.name.clone(), |a| a.value.clone())
}

/// The attribute of what the parts of a package share.
pub(crate) fn base_attribute(attribute: &str) -> String {
    format!("{attribute}_base")
}

/// What is known while one package is lowered.
pub(crate) struct Lower<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) planned: &'a Planned,
    pub(crate) package: &'a Package,
    pub(crate) nix: NixPackage,
    pub(crate) attribute: String,
    pub(crate) findings: &'a mut Findings,
    /// Attribute of each package of the plan, by its id and by the components it holds.
    attributes: BTreeMap<String, String>,
    /// Every name that an expression of this package may use.
    names: BTreeSet<String>,
    /// Names that were found to mean nothing.
    pub(crate) reported: BTreeSet<String>,
    /// Variables of loops and of the phase, in hooks.
    pub(crate) shell_names: Vec<String>,
    pub(crate) companions: Vec<String>,
    pub(crate) raw_lines: usize,
    /// What is known outside the scope: functions of nixpkgs and its packages.
    outside: BTreeSet<String>,
    /// Names of the overlay's own whose values a shell takes as they are.
    pub(crate) plain_names: BTreeSet<String>,
    /// Bindings whose values are strings.
    pub(crate) texts: BTreeSet<String>,
    /// Names of features that the distribution fixes, which are no arguments then, and what they are fixed to.
    pub(crate) fixed: BTreeMap<String, bool>,
    /// Those of them that Nix text names.
    pub(crate) fixed_used: BTreeSet<String>,
    /// Names that are bound before the derivation.
    pub(crate) local: BTreeSet<String>,
    /// Those, and the arguments that the overlay adds.
    pub(crate) own_names: BTreeSet<String>,
    /// Where the Nix text stands that is read.
    pub(crate) place: Place,
    /// When a package in parts can't be built: told by what makes the base, and printed where the parts are put together.
    pub(crate) parts_broken: Option<NixExpr>,
}

/// Where Nix text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// The default of an argument.
    Argument,
    /// Before the derivation.
    Before,
    /// Inside of it.
    Derivation,
    /// In the scope that calls the package.
    Scope,
}

/// The names that bindings of the model bind, and whether each is a string; what is wrong with them is told later.
fn bound(all: &NixBindings) -> Vec<(String, bool)> {
    let mut out = Vec::new();
    for (name, text) in &all.0 {
        if let Some(name) = name {
            out.push((name.value.clone(), text.text.starts_with(['"', '\''])));
            continue;
        }
        for e in crate::text::bindings(&text.text).map(|r| r.value).unwrap_or_default() {
            match e.binding.kind {
                BindingKind::Value(path, _) => out.extend(path.into_iter().next().map(|n| (n, e.is_text))),
                BindingKind::Inherit(_, names) => out.extend(names.into_iter().map(|n| (n, false))),
                BindingKind::Nothing => {}
            }
        }
    }
    out
}

impl<'a> Lower<'a> {
    pub(crate) fn new(plan: &'a Plan, planned: &'a Planned, findings: &'a mut Findings) -> Option<Self> {
        let mut nix = match planned.package.nix.clone() {
            Some(n) => n,
            None => names::no_nix_facts()?,
        };
        for (name, output) in crate::programs::outputs(plan, planned) {
            nix.outputs.entry(name).or_insert(output);
        }
        let mut attributes = BTreeMap::new();
        for p in &plan.packages {
            for c in &p.components {
                attributes.entry(c.clone()).or_insert_with(|| attribute(p));
            }
        }
        for p in &plan.packages {
            attributes.insert(p.id.clone(), attribute(p));
        }
        let mut names: BTreeSet<String> =
            names::FUNCTIONS.iter().chain(names::GLOBALS).map(|n| (*n).to_owned()).collect();
        for external in plan.externals.values() {
            let External::Named(spelt) = external else { continue };
            let spelt = spelt.value.as_str();
            names.extend(spelt.split('.').next().map(str::to_owned));
            // In the Python package set its members stand for themselves.
            names.extend(spelt.strip_prefix("python3Packages.").map(str::to_owned));
        }
        let outside = names.clone();
        names.extend(attributes.values().cloned());
        // A package that could not be read was reported already; that others use it is no second fault.
        names.extend(plan.distro.packages.keys().filter(|id| plan.get(id).is_none()).cloned());
        let local = bound(&nix.bindings).into_iter().map(|(name, _)| name).collect();
        let mut texts = BTreeSet::new();
        let mut own_names = BTreeSet::new();
        for (own, is_text) in bound(&nix.bindings).into_iter().chain(bound(&nix.arguments)) {
            if is_text {
                texts.insert(own.clone());
            }
            own_names.insert(own.clone());
            names.insert(own);
        }
        names.extend(nix.gpu_targets.iter().filter_map(|t| t.supported.as_ref()).map(|s| s.value.clone()));
        names.extend(nix.parts.then(|| base_attribute(&attribute(planned))));
        let mut fixed = BTreeMap::new();
        for (key, f) in &planned.package.features {
            let name = names::feature(key, f);
            match &f.fixed {
                None => {
                    names.insert(name);
                }
                Some(value) => {
                    fixed.insert(name, value.value);
                }
            }
        }
        let plain_names = crate::plain::plain_names(&[&nix.bindings, &nix.arguments], &own_names);
        let mut lower = Self {
            plain_names,
            plan,
            planned,
            package: &planned.package,
            nix,
            attribute: attribute(planned),
            findings,
            attributes,
            names,
            reported: BTreeSet::new(),
            shell_names: Vec::new(),
            companions: Vec::new(),
            raw_lines: 0,
            outside,
            texts,
            fixed,
            fixed_used: BTreeSet::new(),
            local,
            own_names,
            place: Place::Derivation,
            parts_broken: None,
        };
        lower.learn_targets();
        Some(lower)
    }

    /// The names that the backend binds to lists of GPU targets.
    fn learn_targets(&mut self) {
        let own = [
            ("gpuTargets", self.targets_argument().is_some()),
            ("supportedTargets", self.is_limited()),
            ("gpuTargets'", self.shares_joined()),
            ("localGpuTargets", self.holds_targets()),
        ];
        for (name, _) in own.iter().filter(|(_, bound)| *bound) {
            self.learn(name);
        }
    }

    /// True for the attribute of a package of the plan.
    pub(crate) fn is_planned(&self, name: &str) -> bool {
        self.attributes.values().any(|a| a == name)
    }

    /// From here on only names of the scope are known, where packages are called.
    pub(crate) fn enter_scope(&mut self) {
        self.place = Place::Scope;
        self.names = self.outside.clone();
        self.learn("self");
    }

    /// The expression for a name such as `llvm.clang`; a finding when nobody knows its first part.
    pub(crate) fn name(&mut self, dotted: &str, span: Span) -> NixExpr {
        let first = dotted.split('.').next().unwrap_or_default();
        let fine = dotted.split('.').all(|p| !p.is_empty() && crate::expr::is_identifier(p));
        // A module is known only when the distribution's table names it.
        let module = dotted.strip_prefix("python3Packages.").and_then(|rest| rest.split('.').next());
        let module_known = module.is_none_or(|m| m == "python" || self.names.contains(m));
        let (first, known) =
            if module_known { (first, self.names.contains(first)) } else { (module.unwrap_or(first), false) };
        if !fine || !known {
            let known: Vec<&str> = self.names.iter().map(String::as_str).collect();
            self.reported.insert(dotted.split('.').next().unwrap_or_default().to_owned());
            self.findings.push(
                Finding::error(
                    "E0501",
                    span,
                    format!("`{dotted}` means nothing to the Nix expression of {}", self.attribute),
                )
                .label("expected an input, a binding, a feature's argument or a function of nixpkgs")
                .nearest(first, known),
            );
        }
        NixExpr::path(dotted)
    }

    pub(crate) fn holds_targets(&self) -> bool {
        holds_targets(self.plan, self.planned)
    }

    /// A script bumps it: it has a source of its own.
    pub(crate) fn updates(&self) -> bool {
        let main = self.package.sources.values().next();
        main.is_none_or(|s| s.fetch != Some(Fetch::Inherited))
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        self.names.contains(name)
    }

    /// True when a dependency or the package's Nix text leads to this attribute.
    pub(crate) fn uses(&self, attribute: &str) -> bool {
        let edge = self.planned.depends.iter().any(|e| self.dependency(&e.to) == attribute);
        let texts = [&self.nix.bindings, &self.nix.env, &self.nix.attributes, &self.nix.passthru];
        edge || texts.into_iter().flat_map(|b| &b.0).any(|(name, text)| {
            let found = match name {
                Some(_) => crate::text::expression(&text.text).map(|r| r.found),
                None => crate::text::bindings(&text.text).map(|r| r.found),
            };
            found.is_ok_and(|f| f.uses.iter().any(|u| u.name == attribute))
        })
    }

    pub(crate) fn learn(&mut self, name: &str) {
        self.names.insert(name.to_owned());
    }

    /// The names in use, for messages.
    pub(crate) fn known_names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The expression for a package of the plan or an external, by its neutral name.
    pub(crate) fn input(&mut self, neutral: &str) -> Option<String> {
        if let Some(a) = self.attributes.get(neutral) {
            return Some(a.clone());
        }
        match self.plan.externals.get(neutral)? {
            External::Named(spelt) => Some(spelt.value.clone()),
            External::None => None,
        }
    }

    /// The attribute that a dependency is taken from.
    pub(crate) fn dependency(&self, to: &Dependency) -> String {
        match to {
            Dependency::Package(id) => self.attributes.get(id).cloned().unwrap_or_else(|| id.clone()),
            Dependency::External(name) => name.clone(),
        }
    }

    /// A condition as a Boolean expression.
    pub(crate) fn cond(&self, cond: &Cond) -> NixExpr {
        match cond {
            Cond::Feature(f) => {
                let name = self.package.features.get(f).map_or_else(|| f.clone(), |x| names::feature(f, x));
                NixExpr::Name(name)
            }
            Cond::Target(t) => NixExpr::call(
                NixExpr::path("lib.elem"),
                [NixExpr::string(t.clone()), NixExpr::Name("gpuTargets".into())],
            ),
            // The plan answered every condition over releases.
            Cond::Release(_) => NixExpr::Bool(true),
            Cond::Not(c) => self.cond(c).negated(),
            Cond::All(cs) => {
                NixExpr::join(Operator::And, cs.iter().map(|c| self.cond(c))).unwrap_or(NixExpr::Bool(true))
            }
            Cond::Any(cs) => {
                NixExpr::join(Operator::Or, cs.iter().map(|c| self.cond(c))).unwrap_or(NixExpr::Bool(false))
            }
        }
    }
}

/// Elements with their conditions become `[ … ] ++ lib.optionals … [ … ]`: those without a condition first, then one
/// list for each condition. `None` when there is no element at all.
pub(crate) fn conditional_list(items: Vec<(Option<NixExpr>, Item)>) -> Option<NixExpr> {
    let mut groups: Vec<(Option<NixExpr>, Vec<Item>)> = Vec::new();
    let (always, sometimes): (Vec<_>, Vec<_>) = items.into_iter().partition(|(c, _)| c.is_none());
    for (cond, item) in always.into_iter().chain(sometimes) {
        match groups.iter_mut().find(|(c, _)| *c == cond) {
            Some((_, list)) => list.push(item),
            None => groups.push((cond, vec![item])),
        }
    }
    let lists = groups.into_iter().map(|(cond, list)| match cond {
        None => NixExpr::List(list),
        Some(c) => NixExpr::call(NixExpr::path("lib.optionals"), [c, NixExpr::List(list)]),
    });
    NixExpr::join(Operator::Concat, lists)
}
