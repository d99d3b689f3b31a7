//! The state while one package is lowered to a Nix expression, and the names that its expression
//! may use. `package.rs` makes the expression.

pub(crate) mod beside;
pub(crate) mod builds;
pub(crate) mod capabilities;
pub(crate) mod constraints;
pub(crate) mod flags;
pub(crate) mod model_text;
pub(crate) mod name_checks;
pub(crate) mod names;
pub(crate) mod package;
pub(crate) mod parts;
pub(crate) mod passthru;
pub(crate) mod programs;
pub(crate) mod render;
pub(crate) mod scope;
pub(crate) mod scope_files;
pub(crate) mod setup_hooks;
pub(crate) mod source;
pub(crate) mod steps;
pub(crate) mod targets;

use crate::value::expr::{Binding, BindingKind, Item, NixExpr, Operator, named};
use crate::value::text::{self, Bindings};
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
    /// The path of the file, relative to the scope's folder.
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
    /// The hashes that sources and patches need, known or not.
    pub pinned: Vec<Pinned>,
    /// The GPU targets that the expression passes to upstream's build.
    pub builds: Builds,
    /// The indices of those constraints of the package that `meta.broken` can't express. They are
    /// reported.
    pub(crate) unsaid: Vec<usize>,
}

/// Returns true if the package `p` contains the scope's list of GPU targets, as clr does:
/// `clr.gpuTargets`. To narrow the scope to some targets, only this package is overridden.
pub(crate) fn holds_targets(plan: &Plan, p: &Planned) -> bool {
    plan.distro
        .settings
        .get("targets-holder")
        .is_some_and(|h| h.value == p.id)
}

/// Returns the attribute of the package that contains the scope's list of GPU targets, such as
/// `clr`. Returns `None` if the distribution's file names no such package.
pub(crate) fn holder(plan: &Plan) -> Option<String> {
    let stated = plan.distro.settings.get("targets-holder")?;
    Some(
        plan.get(&stated.value)
            .map_or_else(|| stated.value.clone(), attribute),
    )
}

/// Returns the attribute by which the scope has a package: `rocblas` for `rocmPackages.rocblas`.
pub fn attribute(p: &Planned) -> String {
    p.package
        .nix
        .as_ref()
        .and_then(|n| n.attribute.as_ref())
        .map_or_else(|| p.name.clone(), |a| a.value.clone())
}

/// Returns the path of a package's expression, relative to the scope's folder. It is a folder such
/// as `rocblas`, or a file such as `tools/a.nix` if the overlay names one.
pub(crate) fn location(p: &Planned) -> String {
    let stated = p.package.nix.as_ref().and_then(|n| n.file.as_ref());
    stated.map_or_else(|| attribute(p), |file| file.value.clone())
}

/// Returns the path of a package's main expression, relative to the scope's folder:
/// `rocblas/default.nix`.
pub fn expression_path(p: &Planned) -> String {
    let (folder, file) = folder_and_file(p);
    let file = file.unwrap_or_else(|| "default.nix".to_owned());
    format!("{folder}/{file}")
        .trim_start_matches('/')
        .to_owned()
}

/// Returns the folder of a package's expression, and the name of the file in it. The name is `None`
/// if it is the usual one: `default.nix`.
pub(crate) fn folder_and_file(p: &Planned) -> (String, Option<String>) {
    let location = location(p);
    if location.strip_suffix(".nix").is_none() {
        return (location, None);
    }
    let (folder, file) = location.rsplit_once('/').unwrap_or(("", &location));
    (folder.to_owned(), Some(file.to_owned()))
}

/// Returns the path of a file in a folder. If `folder` is empty, the file is in the scope's folder.
pub(crate) fn in_folder(folder: &str, file: &str) -> String {
    if folder.is_empty() {
        file.to_owned()
    } else {
        format!("{folder}/{file}")
    }
}

/// Returns true if the scope calls a package's file by `python3Packages.callPackage`.
pub(crate) fn is_of_python(nix: &NixPackage) -> bool {
    nix.called_by
        .map_or(nix.builder == NixBuilder::Python, |caller| {
            caller == NixCaller::Python
        })
}

/// Returns true if the function `buildPythonPackage` builds a package.
pub(crate) fn is_made_by_python(p: &Planned) -> bool {
    p.package
        .nix
        .as_ref()
        .is_some_and(|n| n.builder == NixBuilder::Python)
}

/// Returns the attribute of the derivation that all parts of a package are made from: `NAME_base`.
/// See `parts.rs`.
pub(crate) fn base_attribute(attribute: &str) -> String {
    format!("{attribute}_base")
}

/// The names that the expressions of a plan may use.
#[derive(Debug)]
pub struct Tables<'a> {
    pub(crate) plan: &'a Plan,
    /// The attribute of each package of the plan. The keys are the ids of the packages, and the
    /// components that they contain.
    attributes: BTreeMap<String, String>,
    /// The names that exist outside the scope too: functions and packages of nixpkgs.
    outside: BTreeSet<String>,
    /// The names that exist only inside the scope: its packages and other attributes.
    inside: BTreeSet<String>,
    /// The results of reading bindings, by their text. Each text is used several times, and reading
    /// is slow.
    read: RefCell<BTreeMap<String, Bindings>>,
    /// Empty facts about Nix, for packages whose files contain none. It is `None` only if empty
    /// facts are no valid ones.
    no_facts: Option<NixPackage>,
}

impl<'a> Tables<'a> {
    /// Collects the names that expressions of the plan may use.
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

    /// Returns the bindings of a set or a `let` in the text `text`.
    pub(crate) fn bindings(&self, text: &str) -> Bindings {
        let mut read = self.read.borrow_mut();
        Rc::clone(
            read.entry(text.to_owned())
                .or_insert_with(|| Rc::new(text::bindings(text))),
        )
    }

    /// Returns true if `spelt` is the name in nixpkgs of a package outside the stack
    /// (`externals.yaml`).
    pub(crate) fn is_external(&self, spelt: &str) -> bool {
        self.plan
            .externals
            .values()
            .any(|e| matches!(e, External::Named(n) if n.value == spelt))
    }

    /// Returns the name in nixpkgs of a package of the plan or of an external package. `neutral` is
    /// the name that all distributions share: `python-numpy` -> `python3Packages.numpy`. Returns
    /// `None` if the model does not have the package, or nixpkgs lacks it.
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

    /// Returns the name of a dependency in nixpkgs.
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
    /// The outputs of the derivation other than `out`.
    pub(crate) outputs: IndexMap<String, NixOutput>,
    pub(crate) attribute: String,
    pub(crate) findings: &'a mut Findings,
    /// The names that only the expression of this package may use, such as its own bindings.
    names: BTreeSet<String>,
    pub(crate) companions: Vec<String>,
    pub(crate) pinned: Vec<Pinned>,
    /// The names of the overlay's bindings before the derivation, and of its arguments. The value
    /// is that of the binding, or `None` if several bindings state it in parts
    /// (`a.b = 1; a.c = 2;`).
    pub(crate) own: BTreeMap<String, Option<Expr>>,
    /// Those names of `own` whose values the shell reads as one word without quotes.
    pub(crate) plain_names: BTreeSet<String>,
    /// The values of the features that the distribution fixes as on or off, by the names that their
    /// arguments would have. These features have no arguments in the file.
    pub(crate) fixed: BTreeMap<String, bool>,
    /// Those names of `fixed` that Nix text of the overlay refers to.
    pub(crate) fixed_used: BTreeSet<String>,
    /// Set while Nix text is read that is printed in the scope, in the call of this package.
    pub(crate) in_scope: bool,
    /// The condition under which a package in parts can't be built. It is computed with the base
    /// derivation, and printed in the file that joins the parts.
    pub(crate) parts_broken: Option<NixExpr>,
    /// The GPU targets that the expression passes to upstream's build: each variable with its list
    /// without a choice of targets, and the effect of a choice.
    pub(crate) passed: Vec<(String, (PassedTargets, ChoiceEffect))>,
}

/// Returns the names that bindings of the overlay bind, each with its value. The value is `None` if
/// a binding states only a part of it (`a.b = 1;`). Faults of the bindings are reported later.
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
        for (name, output) in crate::lower::programs::outputs(plan, planned) {
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
            plain_names: crate::value::quoting::plain_names(&own),
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

    /// Returns true if `name` is the attribute of a package of the plan.
    pub(crate) fn is_planned(&self, name: &str) -> bool {
        self.tables
            .attributes
            .values()
            .any(|attribute| attribute == name)
    }

    /// Limits the known names to those of the scope's file, in which the package is called.
    pub(crate) fn enter_scope(&mut self) {
        self.in_scope = true;
        self.names = BTreeSet::from(["self".to_owned()]);
    }

    /// Returns the expression for a name such as `llvm.clang`. If its first part is unknown, a
    /// finding at `span` is reported.
    pub(crate) fn name(&mut self, dotted: &str, span: Span) -> NixExpr {
        let first = dotted.split('.').next().unwrap_or_default();
        let fine = dotted.split('.').all(crate::value::expr::is_identifier);
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
                "unknown name `{dotted}` in the Nix expression of {}",
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

    /// Returns an attribute of the package that contains the scope's list of GPU targets:
    /// `clr.gpuTargets` for `gpuTargets`. Returns `None` if the distribution names no such package.
    pub(crate) fn of_holder(&self, what: &str) -> Option<NixExpr> {
        holder(self.plan).map(|holder| named(&format!("{holder}.{what}")))
    }

    /// Returns the name of the scope's function that makes the update script of a package, such as
    /// `rocmUpdateScript`.
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

    /// Returns true if the package gets the scope's update script. The package must have a source
    /// of its own, and the version of the ROCm release, because the script reads the tags of
    /// releases.
    pub(crate) fn updates(&self) -> bool {
        let main = self.package.sources.values().next();
        let is_released = self.planned.version.own().is_none();
        let has_script = self.update_script().is_some();
        has_script
            && is_released
            && main.is_none_or(|s| s.fetch != Some(Fetch::Inherited))
            && !self.is_without_script()
    }

    /// Returns true if the overlay states that the package has no update script:
    /// `updateScript = null;`.
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

    /// Returns true if the argument of a feature can't have this name, because the name has another
    /// meaning: a package, a function or a binding.
    pub(crate) fn is_taken(&self, name: &str) -> bool {
        let tables = self.tables;
        tables.inside.contains(name) || tables.outside.contains(name) || self.own.contains_key(name)
    }

    /// Returns the attributes of all other packages of the plan that this package uses, in build
    /// order: its dependencies, and names in the Nix text of its overlay.
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

    /// Adds a finding about the unknown name `wrong`. Its hint is the nearest name among the known
    /// names and `more`.
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

    /// Returns a condition of the model as a Boolean expression of Nix.
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
            // The plan decided all conditions on releases and LLVM, so one that is left holds.
            Cond::Release(_) | Cond::Llvm(_) => NixExpr::Bool(true),
            Cond::Not(c) => self.cond(c).negated(),
            Cond::All(cs) => NixExpr::join(Operator::And, cs.iter().map(|c| self.cond(c)))
                .unwrap_or(NixExpr::Bool(true)),
            Cond::Any(cs) => NixExpr::join(Operator::Or, cs.iter().map(|c| self.cond(c)))
                .unwrap_or(NixExpr::Bool(false)),
        }
    }
}

/// An element of a list, with the condition under which the list contains it.
pub(crate) type Element = (Option<NixExpr>, Item);

/// Makes the binding `name = [ … ] ++ lib.optionals CONDITION [ … ];`. Elements without a condition
/// come first, then one list for each condition. Returns `None` if there are no elements.
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
