//! Lowers a planned package to a Nix expression.

use crate::expr::{Binding, BindingKind, Item, NixExpr, Operator, named};
use crate::names;
use crate::text::{self, Bindings};
use indexmap::IndexMap;
use rnix::ast::Expr;
use rocpkg_model::{
    Cond, External, Fetch, Finding, Findings, NixBindings, NixBuilder, NixCaller, NixOutput,
    NixPackage, Package, Span,
};
use rocpkg_render::Pinned;
use rocpkg_resolve::{Builds, ChoiceEffect, Dependency, PassedTargets, Plan, Planned};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// One file of a package.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NixFile {
    /// The path below the scope's folder.
    pub path: String,
    /// The expression in the file.
    pub expr: NixExpr,
}

/// A package's files, and the other results of lowering.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Lowered {
    /// The files.
    pub files: Vec<NixFile>,
    /// The files that the expressions name and that the user must supply, relative to the scope's
    /// folder.
    pub companions: Vec<String>,
    /// The hashes of sources and patches.
    pub pinned: Vec<Pinned>,
    /// The GPU targets that upstream's build is given.
    pub builds: Builds,
    /// The indices of the constraints that `meta.broken` can't express.
    pub(crate) unsaid: Vec<usize>,
}

/// Returns true if a package holds the scope's list of GPU targets. That package is overridden to
/// narrow the scope.
pub(crate) fn holds_targets(plan: &Plan, p: &Planned) -> bool {
    plan.distro
        .settings
        .get("targets-holder")
        .is_some_and(|h| h.value == p.id)
}

/// Returns the attribute of the package that holds the scope's list of GPU targets, or `None` if
/// the distribution's file names no such package.
pub(crate) fn holder(plan: &Plan) -> Option<String> {
    let stated = plan.distro.settings.get("targets-holder")?;
    Some(
        plan.get(&stated.value)
            .map_or_else(|| stated.value.clone(), attribute),
    )
}

/// Returns the attribute of a package in the scope.
pub fn attribute(p: &Planned) -> String {
    p.package
        .nix
        .as_ref()
        .and_then(|n| n.attribute.as_ref())
        .map_or_else(|| p.name.clone(), |a| a.value.clone())
}

/// Returns the path of a package's expression below the scope's folder: a folder, or a file.
pub(crate) fn location(p: &Planned) -> String {
    let stated = p.package.nix.as_ref().and_then(|n| n.file.as_ref());
    stated.map_or_else(|| attribute(p), |file| file.value.clone())
}

/// Returns the folder of a package's expression, and the file in it if it has a name of its own.
pub(crate) fn folder_and_file(p: &Planned) -> (String, Option<String>) {
    let location = location(p);
    if location.strip_suffix(".nix").is_none() {
        return (location, None);
    }
    let (folder, file) = location.rsplit_once('/').unwrap_or(("", &location));
    (folder.to_owned(), Some(file.to_owned()))
}

/// Returns the path of a file in a folder. An empty folder is the scope's.
pub(crate) fn in_folder(folder: &str, file: &str) -> String {
    if folder.is_empty() {
        file.to_owned()
    } else {
        format!("{folder}/{file}")
    }
}

/// Returns true if Python's package set calls a package's file.
pub(crate) fn is_of_python(nix: &NixPackage) -> bool {
    nix.called_by
        .map_or(nix.builder == NixBuilder::Python, |caller| {
            caller == NixCaller::Python
        })
}

/// Returns true if Python's builder builds a package.
pub(crate) fn is_made_by_python(p: &Planned) -> bool {
    p.package
        .nix
        .as_ref()
        .is_some_and(|n| n.builder == NixBuilder::Python)
}

/// Returns the attribute of the derivation that the parts of a package share.
pub(crate) fn base_attribute(attribute: &str) -> String {
    format!("{attribute}_base")
}

/// The names that all expressions of a plan may use.
#[derive(Debug)]
pub struct Tables<'a> {
    pub(crate) plan: &'a Plan,
    /// The attribute of each package of the plan, by its id and by the components that it contains.
    attributes: BTreeMap<String, String>,
    /// The names outside the scope: functions and packages of nixpkgs.
    outside: BTreeSet<String>,
    /// The additional names inside the scope: its packages.
    inside: BTreeSet<String>,
    /// The bindings of all texts that were read so far. Each text is used several times, and
    /// reading it is slow.
    read: RefCell<BTreeMap<String, Bindings>>,
    /// The facts that are used for packages whose files contain nothing about Nix.
    no_facts: Option<NixPackage>,
}

impl<'a> Tables<'a> {
    /// Collects the names of all packages of a plan.
    pub fn new(plan: &'a Plan) -> Self {
        let mut attributes = BTreeMap::new();
        for p in &plan.packages {
            for c in &p.components {
                attributes.entry(c.clone()).or_insert_with(|| attribute(p));
            }
        }
        for p in &plan.packages {
            attributes.insert(p.id.clone(), attribute(p));
        }
        let mut outside: BTreeSet<String> = [names::FUNCTIONS, names::GLOBALS]
            .iter()
            .flat_map(|n| n.split_whitespace())
            .map(str::to_owned)
            .collect();
        for external in plan.externals.values() {
            let External::Named(spelt) = external else {
                continue;
            };
            let spelt = spelt.value.as_str();
            outside.extend(spelt.split('.').next().map(str::to_owned));
            // Inside Python's package set, its members have no prefix.
            outside.extend(spelt.strip_prefix("python3Packages.").map(str::to_owned));
        }
        let mut inside: BTreeSet<String> = attributes.values().cloned().collect();
        // A package that could not be read is reported already. Its use by other packages is no
        // second fault.
        inside.extend(
            plan.distro
                .packages
                .keys()
                .filter(|id| plan.get(id).is_none())
                .cloned(),
        );
        inside.extend(names::of_scope(plan).cloned());
        let own = plan
            .distro
            .scope
            .as_ref()
            .and_then(|scope| scope.own.as_ref());
        let own = own
            .and_then(|text| Binding::read(&text.text).ok())
            .unwrap_or_default();
        inside.extend(own.iter().flat_map(Binding::names).cloned());
        let (read, no_facts) = (RefCell::default(), names::no_nix_facts());
        Self {
            plan,
            attributes,
            outside,
            inside,
            read,
            no_facts,
        }
    }

    /// Reads the bindings of a set or a `let`.
    pub(crate) fn bindings(&self, text: &str) -> Bindings {
        let mut read = self.read.borrow_mut();
        Rc::clone(
            read.entry(text.to_owned())
                .or_insert_with(|| Rc::new(text::bindings(text))),
        )
    }

    /// Returns true if a row of the externals has this name in nixpkgs.
    pub(crate) fn is_external(&self, spelt: &str) -> bool {
        self.plan
            .externals
            .values()
            .any(|e| matches!(e, External::Named(n) if n.value == spelt))
    }

    /// Returns the expression for a package of the plan or an external, by its neutral name.
    pub(crate) fn input(&self, neutral: &str) -> Option<&str> {
        let external = || match self.plan.externals.get(neutral)? {
            External::Named(spelt) => Some(spelt.value.as_str()),
            External::None | External::Missing => None,
        };
        self.attributes
            .get(neutral)
            .map(String::as_str)
            .or_else(external)
    }

    /// Returns the attribute of a dependency.
    pub(crate) fn dependency(&self, to: &Dependency) -> String {
        match to {
            Dependency::Package(id) => self
                .attributes
                .get(id)
                .cloned()
                .unwrap_or_else(|| id.clone()),
            Dependency::External(name) => name.clone(),
        }
    }
}

/// The state while one package is lowered.
pub(crate) struct Lower<'a> {
    pub(crate) tables: &'a Tables<'a>,
    pub(crate) plan: &'a Plan,
    pub(crate) planned: &'a Planned,
    pub(crate) package: &'a Package,
    pub(crate) nix: &'a NixPackage,
    /// The outputs other than `out`.
    pub(crate) outputs: IndexMap<String, NixOutput>,
    pub(crate) attribute: String,
    pub(crate) findings: &'a mut Findings,
    /// The names that only an expression of this package may use, in addition to those of the
    /// tables.
    names: BTreeSet<String>,
    pub(crate) companions: Vec<String>,
    pub(crate) pinned: Vec<Pinned>,
    /// The overlay's bindings before the derivation, and its arguments. Each has its value if a
    /// single binding states all of it.
    pub(crate) own: BTreeMap<String, Option<Expr>>,
    /// The names of `own` whose values a shell reads without quotes.
    pub(crate) plain_names: BTreeSet<String>,
    /// The features that the distribution fixes, by their argument names, with their values. They
    /// are no arguments of the file.
    pub(crate) fixed: BTreeMap<String, bool>,
    /// The names of `fixed` that Nix text uses.
    pub(crate) fixed_used: BTreeSet<String>,
    /// Set while Nix text is read that belongs to the scope's call of the package.
    pub(crate) in_scope: bool,
    /// The condition under which a package in parts can't be built. It is computed with the base,
    /// and printed in the file that joins the parts.
    pub(crate) parts_broken: Option<NixExpr>,
    /// The GPU targets that upstream's build is given.
    pub(crate) passed: Vec<(String, (PassedTargets, ChoiceEffect))>,
}

/// Returns the names that bindings of the model bind, with the value if a single binding states all
/// of it. Faults of the bindings are reported later.
fn bound(all: &NixBindings, tables: &Tables) -> Vec<(String, Option<Expr>)> {
    let mut out = Vec::new();
    for text in &all.0 {
        for e in tables
            .bindings(&text.text)
            .iter()
            .flat_map(|read| &read.value)
        {
            let is_whole =
                matches!(&e.binding.kind, BindingKind::Value(path, _) if path.len() == 1);
            let value = e.value.as_ref().filter(|_| is_whole);
            out.extend(
                e.binding
                    .names()
                    .iter()
                    .map(|name| (name.clone(), value.cloned())),
            );
        }
    }
    out
}

impl<'a> Lower<'a> {
    pub(crate) fn new(
        tables: &'a Tables<'a>,
        planned: &'a Planned,
        findings: &'a mut Findings,
    ) -> Option<Self> {
        let plan = tables.plan;
        let nix = planned.package.nix.as_ref().or(tables.no_facts.as_ref())?;
        let mut outputs = nix.outputs.clone();
        for (name, output) in crate::programs::outputs(plan, planned) {
            outputs.entry(name).or_insert(output);
        }
        let own: BTreeMap<_, _> = [&nix.bindings, &nix.arguments]
            .into_iter()
            .flat_map(|all| bound(all, tables))
            .collect();
        let mut names: BTreeSet<String> = own.keys().cloned().collect();
        names.extend(
            bound(&nix.call_with, tables)
                .into_iter()
                .map(|(name, _)| name),
        );
        names.extend(
            nix.gpu_targets
                .iter()
                .filter_map(|t| t.supported.as_ref())
                .map(|s| s.value.clone()),
        );
        names.extend(nix.parts.then(|| base_attribute(&attribute(planned))));
        let features = || {
            planned
                .package
                .features
                .iter()
                .map(|(key, f)| (names::feature(key, f), &f.fixed))
        };
        names.extend(
            features()
                .filter(|(_, fixed)| fixed.is_none())
                .map(|(name, _)| name),
        );
        let fixed = features()
            .filter_map(|(name, fixed)| Some((name, fixed.as_ref()?.value)))
            .collect();
        let mut lower = Self {
            tables,
            plain_names: crate::quoting::plain_names(&own),
            plan,
            planned,
            package: &planned.package,
            nix,
            outputs,
            attribute: attribute(planned),
            findings,
            names,
            companions: Vec::new(),
            pinned: Vec::new(),
            fixed,
            fixed_used: BTreeSet::new(),
            own,
            in_scope: false,
            parts_broken: None,
            passed: Vec::new(),
        };
        let lists = lower.target_lists().map(str::to_owned);
        lower.names.extend(lists);
        Some(lower)
    }

    /// Returns true if the name is the attribute of a package of the plan.
    pub(crate) fn is_planned(&self, name: &str) -> bool {
        self.tables
            .attributes
            .values()
            .any(|attribute| attribute == name)
    }

    /// Limits the known names to those of the scope, in which packages are called.
    pub(crate) fn enter_scope(&mut self) {
        self.in_scope = true;
        self.names = BTreeSet::from(["self".to_owned()]);
    }

    /// Returns the expression for a name such as `llvm.clang`. If its first part is unknown, a
    /// finding is reported.
    pub(crate) fn name(&mut self, dotted: &str, span: Span) -> NixExpr {
        let first = dotted.split('.').next().unwrap_or_default();
        let fine = dotted.split('.').all(crate::expr::is_identifier);
        // A Python module is known only if the distribution's table names it.
        let module = dotted
            .strip_prefix("python3Packages.")
            .and_then(|rest| rest.split('.').next());
        let module = module.filter(|module| *module != "python");
        let unknown = module
            .into_iter()
            .chain([first])
            .find(|name| !self.knows(name));
        // A row of `externals.yaml` that is not a valid name is reported at its place.
        let is_wrong = if fine {
            unknown.is_some()
        } else {
            !self.tables.is_external(dotted)
        };
        if is_wrong {
            let message = format!(
                "`{dotted}` means nothing to the Nix expression of {}",
                self.attribute
            );
            let finding = Finding::error("E0501", span, message).label(
                "expected an input, a binding, a feature's argument or a function of nixpkgs",
            );
            self.report_nearest(finding, unknown.unwrap_or(first), &[]);
        }
        named(dotted)
    }

    pub(crate) fn holds_targets(&self) -> bool {
        holds_targets(self.plan, self.planned)
    }

    /// Returns an attribute of the package that holds the scope's list of GPU targets, such as
    /// `gpuTargets`.
    pub(crate) fn of_holder(&self, what: &str) -> Option<NixExpr> {
        holder(self.plan).map(|holder| named(&format!("{holder}.{what}")))
    }

    /// Returns the scope's function that makes a package's update script.
    pub(crate) fn update_script(&self) -> Option<&str> {
        Some(
            &self
                .plan
                .distro
                .scope
                .as_ref()?
                .update_script
                .as_ref()?
                .value,
        )
    }

    /// Returns true if the scope's update script updates the package. The package must have a
    /// source of its own, and the release's version, because the script reads the tags of releases.
    pub(crate) fn updates(&self) -> bool {
        let main = self.package.sources.values().next();
        let is_released = self.planned.version.own().is_none();
        let has_script = self.update_script().is_some();
        has_script
            && is_released
            && main.is_none_or(|s| s.fetch != Some(Fetch::Inherited))
            && !self.is_without_script()
    }

    /// Returns true if the profile states that the package has no update script.
    pub(crate) fn is_without_script(&self) -> bool {
        self.nix.passthru.0.iter().any(|text| {
            let read = self.tables.bindings(&text.text);
            read.iter()
                .flat_map(|read| &read.value)
                .any(|e| match &e.binding.kind {
                    BindingKind::Value(path, value) => {
                        path == &["updateScript"] && *value == NixExpr::Null
                    }
                    _ => false,
                })
        })
    }

    pub(crate) fn knows(&self, name: &str) -> bool {
        let inside = !self.in_scope && self.tables.inside.contains(name);
        inside || self.names.contains(name) || self.tables.outside.contains(name)
    }

    /// Returns true if the name has another meaning than that of a feature's argument.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        let tables = self.tables;
        tables.inside.contains(name) || tables.outside.contains(name) || self.own.contains_key(name)
    }

    /// Returns the attributes of the other packages of the plan that the package's dependencies and
    /// Nix text use, in build order.
    pub(crate) fn used_packages(&self) -> Vec<String> {
        let mut used: BTreeSet<String> = self
            .planned
            .depends
            .iter()
            .map(|e| self.tables.dependency(&e.to))
            .collect();
        let texts = [
            &self.nix.bindings,
            &self.nix.env,
            &self.nix.attributes,
            &self.nix.passthru,
        ];
        for text in texts.into_iter().flat_map(|b| &b.0) {
            let read = self.tables.bindings(&text.text);
            used.extend(
                read.iter()
                    .flat_map(|r| &r.found.uses)
                    .map(|u| u.name.clone()),
            );
        }
        used.remove(&self.attribute);
        self.plan
            .packages
            .iter()
            .map(attribute)
            .filter(|name| used.remove(name))
            .collect()
    }

    /// Adds a finding. Its hint is the nearest name among the known names and `more`.
    pub(crate) fn report_nearest(&mut self, finding: Finding, wrong: &str, more: &[&str]) {
        let inside = (!self.in_scope)
            .then_some(&self.tables.inside)
            .into_iter()
            .flatten();
        let known: BTreeSet<&String> = self
            .names
            .iter()
            .chain(&self.tables.outside)
            .chain(inside)
            .collect();
        let known = known.into_iter().map(String::as_str);
        self.findings
            .push_nearest(finding, wrong, more.iter().copied().chain(known));
    }

    /// Returns a condition as a Boolean expression.
    pub(crate) fn cond(&self, cond: &Cond) -> NixExpr {
        match cond {
            Cond::Feature(f) => {
                let name = self
                    .package
                    .features
                    .get(f)
                    .map_or_else(|| f.clone(), |x| names::feature(f, x));
                NixExpr::Name(name)
            }
            Cond::Target(t) => NixExpr::call(
                "lib.elem",
                [NixExpr::string(t.clone()), named("gpuTargets")],
            ),
            // The plan decided every condition on releases.
            Cond::Release(_) => NixExpr::Bool(true),
            Cond::Not(c) => self.cond(c).negated(),
            Cond::All(cs) => NixExpr::join(Operator::And, cs.iter().map(|c| self.cond(c)))
                .unwrap_or(NixExpr::Bool(true)),
            Cond::Any(cs) => NixExpr::join(Operator::Or, cs.iter().map(|c| self.cond(c)))
                .unwrap_or(NixExpr::Bool(false)),
        }
    }
}

/// An element of a list with its condition.
pub(crate) type Element = (Option<NixExpr>, Item);

/// Makes `name = [ … ] ++ lib.optionals … [ … ];` of elements with conditions. Elements without a
/// condition come first, then one list for each condition. Returns `None` if there are no elements.
pub(crate) fn list(name: &str, items: impl IntoIterator<Item = Element>) -> Option<Binding> {
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
        Some(c) => NixExpr::call("lib.optionals", [c, NixExpr::List(list)]),
    });
    NixExpr::join(Operator::Concat, lists).map(|list| Binding::new(name, list).apart())
}
