//! Lowers a package to its derivation. [`lower`] is the entry point. The other files of this crate
//! add attributes: `source.rs`, `flags.rs`, `steps.rs`, `passthru.rs`.

use crate::lower::names;
use crate::lower::targets::ASKED;
use crate::lower::{
    Element, Lower, Lowered, NixFile, Tables, base_attribute, folder_and_file, in_folder,
    is_made_by_python, is_of_python, list,
};
use crate::value::arguments::function;
use crate::value::expr::{
    Argument, Binding, BindingKind, Item, NixExpr, Operator, Part, Pattern, named,
};
use rocpkg_model::{Compiler, Cond, EdgeKind, Finding, Findings, Generator, NixStdenv, Node, Span};
use rocpkg_resolve::{Planned, STANDARD, TEST};
use std::collections::BTreeMap;

/// Hooks of nixpkgs' phases, and phases that a package may replace, in the order in which they run.
const HOOKS: &[&str] = &[
    "prePatch",
    "postPatch",
    "preConfigure",
    "postConfigure",
    "preBuild",
    "postBuild",
    "preCheck",
    "checkPhase",
    "preInstall",
    "installPhase",
    "postInstall",
    "preFixup",
    "postFixup",
    "preInstallCheck",
    "installCheckPhase",
];

/// Returns the files of one package, with the other results of lowering. The package must be one of
/// the plan that `tables` was made from. Faults are added to `findings`.
pub fn lower(tables: &Tables, planned: &Planned, findings: &mut Findings) -> Lowered {
    let Some(mut l) = Lower::new(tables, planned, findings) else {
        return Lowered::default();
    };
    l.vet_names();
    let derivation = l.derivation();
    let options = l.options();
    let bindings = l.bindings();
    let body = if bindings.is_empty() {
        derivation
    } else {
        NixExpr::Let(bindings, Box::new(derivation))
    };
    let expr = function(body, &options);
    let (folder, file) = folder_and_file(planned);
    let usual = if l.nix.parts {
        "base.nix"
    } else {
        "default.nix"
    };
    let path = in_folder(&folder, file.as_deref().unwrap_or(usual));
    let files = std::iter::once(NixFile { path, expr })
        .chain(l.parts_file())
        .collect();
    let (builds, unsaid) = (l.builds(), l.unfit().1);
    Lowered {
        files,
        companions: l.companions,
        pinned: l.pinned,
        builds,
        unsaid,
    }
}

/// The names of the four lists of inputs: tools that run on the building machine, linked packages,
/// propagated packages, and packages for tests.
const NATIVE: &str = "nativeBuildInputs";
const BUILD: &str = "buildInputs";
const PROPAGATED: &str = "propagatedBuildInputs";
const CHECK: &str = "nativeCheckInputs";

/// An input, with the condition under which a list of inputs contains it.
type Input = (Option<Cond>, Item);

impl Lower<'_> {
    /// Returns the arguments of the file that have defaults: first those of features, then those of
    /// the overlay, then those for GPU targets.
    fn options(&mut self) -> Vec<Argument> {
        let mut out = Vec::new();
        for (key, f) in self
            .package
            .features
            .iter()
            .filter(|(_, f)| f.fixed.is_none())
        {
            out.push(Argument::new(
                names::feature(key, f),
                self.feature_default(key, f),
            ));
        }
        let span = self
            .nix
            .arguments
            .0
            .first()
            .map(|t| t.span)
            .unwrap_or_default();
        for b in self.bound_names(&self.nix.arguments) {
            let name = match b.kind {
                BindingKind::Value(path, value) => {
                    <[String; 1]>::try_from(path).map(|[n]| (n, value)).ok()
                }
                _ => None,
            };
            let Some((name, value)) = name else {
                self.findings.push(
                    Finding::error("E0510", span, "the argument has no default")
                        .label("expected `name = default;` for each argument"),
                );
                continue;
            };
            out.push(Argument {
                comment: b.comment,
                ..Argument::new(name, value)
            });
        }
        out.extend(
            self.holds_targets()
                .then(|| Argument::new("localGpuTargets", NixExpr::Null)),
        );
        out.extend(
            self.targets_argument()
                .map(|default| Argument::new(ASKED, default)),
        );
        out
    }

    fn bindings(&mut self) -> Vec<Binding> {
        let own = self.bound_names(&self.nix.bindings);
        // A feature that the distribution fixes is no argument, but Nix text may refer to it.
        let fixed = self
            .fixed
            .iter()
            .filter(|(name, _)| self.fixed_used.contains(*name));
        let mut out: Vec<Binding> = fixed
            .map(|(n, v)| Binding::plain(n, NixExpr::Bool(*v)))
            .collect();
        out.extend(own);
        out.extend(self.target_bindings());
        out
    }

    /// Returns the expression `stdenv.mkDerivation (finalAttrs: { … })`.
    fn derivation(&mut self) -> NixExpr {
        let mut b: Vec<Binding> = Vec::new();
        self.identity(&mut b);
        self.outputs(&mut b);
        self.source(&mut b);
        self.patches(&mut b);
        self.settings(&mut b);
        self.hook_bindings(&mut b, &HOOKS[..2]);
        self.inputs(&mut b);
        self.environment(&mut b);
        let flags = self.cmake_flags();
        let comment = self.project().and_then(|project| project.comment.clone());
        b.extend(list("cmakeFlags", flags).map(|flags| flags.comment(comment)));
        self.hook_bindings(&mut b, &HOOKS[2..]);
        let features = self.nix.system_features.iter().map(|f| &f.value);
        b.extend(list(
            "requiredSystemFeatures",
            features.map(|f| (None, NixExpr::string(f).into())),
        ));
        self.passthru(&mut b);
        self.meta(&mut b);
        self.check_phases();
        let builder = if is_made_by_python(self.planned) {
            "buildPythonPackage"
        } else {
            "stdenv.mkDerivation"
        };
        let body = NixExpr::Lambda(
            Pattern::Name("finalAttrs".into()),
            Box::new(NixExpr::Set(b)),
        );
        NixExpr::call(builder, [body])
    }

    fn check_phases(&mut self) {
        let written = self.package.phases.iter();
        let phases = written.filter_map(|(name, steps)| Some((name.as_str(), steps.first()?.span)));
        self.check_known(phases, "hook", HOOKS);
        let environment = self.planned.node.entries_of("environment");
        let projects = self.planned.node.entries_of("cmake");
        let of_projects = projects
            .iter()
            .filter_map(|(_, project)| project.get("environment"));
        let stated = environment
            .iter()
            .map(|(_, variables)| variables)
            .chain(of_projects);
        for (name, _) in stated.flat_map(Node::entries) {
            self.vet_variable(&name.name, name.span);
        }
        // A component states variables for phases of other distributions too. Here they are set in
        // all phases.
        let phases = environment
            .iter()
            .map(|(phase, _)| (phase.name.as_str(), phase.span));
        self.check_known(
            phases,
            "phase or hook",
            &[STANDARD.as_slice(), HOOKS].concat(),
        );
    }

    /// Reports names that are not in `known`. `what` is the noun for them in the message, such as
    /// "hook".
    fn check_known<'n>(
        &mut self,
        names: impl Iterator<Item = (&'n str, Span)>,
        what: &str,
        known: &[&'static str],
    ) {
        for (name, span) in names.filter(|(name, _)| !known.contains(name)) {
            self.findings.push(
                Finding::error("E0502", span, format!("nixpkgs has no {what} `{name}`"))
                    .label(format!("expected one of: {}", known.join(", ")))
                    .nearest(name, known.iter().copied()),
            );
        }
    }

    /// Returns the expression for the end of `pname` that distinguishes the builds of narrowed
    /// scopes, such as `-gfx1100`. Returns `None` if the package has no such suffix.
    pub(crate) fn suffix(&self) -> Option<NixExpr> {
        self.of_holder("gpuArchSuffix")
            .filter(|_| self.nix.arch_suffix)
    }

    fn identity(&mut self, b: &mut Vec<Binding>) {
        let base = if self.nix.parts {
            base_attribute(&self.attribute)
        } else {
            self.attribute.clone()
        };
        let pname = if let Some(stated) = &self.nix.pname {
            self.native(stated)
        } else if let Some(suffix) = self.suffix().filter(|_| !self.nix.parts) {
            NixExpr::Str(vec![Part::Text(base), Part::Value(suffix)])
        } else {
            NixExpr::string(base)
        };
        b.push(Binding::new("pname", pname).comment(self.package.comment.clone()));
        match &self.nix.version_from {
            Some(from) => {
                let from = self.name(&from.value, from.span);
                b.push(Binding::inherit(Some(from), ["version"]));
            }
            None => b.push(Binding::new(
                "version",
                NixExpr::string(self.planned.version.to_string()),
            )),
        }
        if is_made_by_python(self.planned) {
            b.push(Binding::new("pyproject", NixExpr::Bool(true)));
        }
    }

    fn outputs(&mut self, b: &mut Vec<Binding>) {
        let mut items = vec![(None, Item::from(NixExpr::string("out")))];
        for (name, o) in &self.outputs {
            let cond = o.when.as_ref().map(|w| self.cond(&w.cond));
            items.push((
                cond,
                Item {
                    value: NixExpr::string(name.clone()),
                    comment: o.comment.clone(),
                },
            ));
        }
        b.extend(list("outputs", items).filter(|_| !self.outputs.is_empty()));
    }

    /// Adds the attributes that control how the derivation is built, such as `strictDeps`.
    fn settings(&mut self, b: &mut Vec<Binding>) {
        let start = b.len();
        if self.nix.structured_attrs {
            b.push(Binding::new("__structuredAttrs", NixExpr::Bool(true)));
        }
        if self.nix.strict_deps {
            b.push(Binding::new("strictDeps", NixExpr::Bool(true)));
        }
        if let Some(t) = &self.package.build_type {
            b.push(Binding::new(
                "cmakeBuildType",
                NixExpr::string(t.value.clone()),
            ));
        }
        self.project_folder(b);
        b.extend(self.bound(&self.nix.attributes));
        if let Some(first) = b.get_mut(start) {
            first.apart = true;
        }
    }

    fn hook_bindings(&mut self, b: &mut Vec<Binding>, hooks: &[&str]) {
        for hook in hooks {
            if *hook == "preBuild" && self.nix.parts {
                let lines = "echo 'the base of the parts is never built itself' >&2\nexit 1\n";
                b.push(
                    Binding::new("preBuild", NixExpr::Lines(vec![Part::Text(lines.into())]))
                        .apart(),
                );
                continue;
            }
            let written = self.package.phases.get(*hook);
            let programs = (*hook == "postInstall")
                .then(|| crate::lower::programs::steps(self.plan, self.planned, written));
            let Some(steps) = programs.as_ref().or(written) else {
                continue;
            };
            if let Some(text) = self.hook(steps) {
                b.push(Binding::new(hook, text).apart());
            }
        }
    }

    /// Returns the condition `one || other`, with features in the order of the arguments. Returns
    /// `None`, which means that no condition is needed, if `one` or `other` is `None`.
    fn either(&self, one: Option<Cond>, other: Option<Cond>) -> Option<Cond> {
        let mut all = Vec::new();
        for cond in [one?, other?] {
            let parts = if let Cond::Any(parts) = cond {
                parts
            } else {
                vec![cond]
            };
            all.extend(parts);
        }
        let place = |c: &Cond| match c {
            Cond::Feature(f) => self.package.features.get_index_of(f),
            _ => None,
        };
        all.sort_by_key(place);
        all.dedup();
        Some(if all.len() == 1 {
            all.remove(0)
        } else {
            Cond::Any(all)
        })
    }

    /// Returns the condition under which tests are built. It is `None` if they are never built, and
    /// an empty condition, which always holds, if they are always built.
    fn tests(&self) -> Option<Cond> {
        match self.planned.test_feature()?.fixed.as_ref().map(|f| f.value) {
            Some(false) => None,
            Some(true) => Some(Cond::All(Vec::new())),
            None => Some(Cond::Feature(TEST.into())),
        }
    }

    fn inputs(&mut self, b: &mut Vec<Binding>) {
        let mut lists = self.edge_inputs();
        let nix = self.nix;
        let own = [
            &nix.native_inputs,
            &nix.build_inputs,
            &nix.propagated_inputs,
            &Vec::new(),
        ];
        for (name, own) in [NATIVE, BUILD, PROPAGATED, CHECK].into_iter().zip(own) {
            let edges = lists.remove(name).unwrap_or_default().into_iter();
            let mut all: Vec<Element> = edges
                .map(|(c, item)| (c.map(|c| self.cond(&c)), item))
                .collect();
            all.extend(self.items(own));
            b.extend(list(name, all));
        }
    }

    /// Returns the inputs that the package's dependency edges require, by the name of their list,
    /// such as `buildInputs`.
    fn edge_inputs(&mut self) -> BTreeMap<&'static str, Vec<Input>> {
        use EdgeKind as K;
        let mut lists: BTreeMap<&str, Vec<Input>> = BTreeMap::new();
        // Tools that the setup hooks or Python's builder add by themselves.
        let brought = [
            ("cmake", self.project().is_some()),
            ("ninja", self.package.generator == Some(Generator::Ninja)),
            ("python3", is_made_by_python(self.planned)),
        ];
        let here = self.planned.node.span;
        for (tool, _) in brought[..2].iter().filter(|(_, is_brought)| *is_brought) {
            let tool = self.name(tool, here);
            lists.entry(NATIVE).or_default().push((None, tool.into()));
        }
        let (test, mut modules) = (self.tests(), Vec::new());
        for e in &self.planned.depends {
            let (mut spelt, span) = match &e.edge.exact_name {
                Some(s) => (s.value.clone(), s.span),
                None => (self.tables.dependency(&e.to), here),
            };
            if is_of_python(self.nix) {
                spelt = spelt
                    .strip_prefix("python3Packages.")
                    .map_or_else(|| spelt.clone(), str::to_owned);
            }
            if brought.contains(&(spelt.as_str(), true)) {
                continue;
            }
            // Modules that the Python interpreter must have during the build. A member of Python's
            // package set may also be a hook, which is not a module.
            let is_plain =
                !is_of_python(self.nix) && e.edge.when.is_none() && e.edge.exact_name.is_none();
            let module = spelt
                .strip_prefix("python3Packages.")
                .filter(|m| is_plain && !names::is_hook(m));
            for kind in &e.edge.kind.0 {
                let mut cond = e.edge.when.as_ref().map(|w| w.cond.clone());
                let name = match kind {
                    K::Tool => match module {
                        Some(module) => {
                            modules.push(named(&format!("ps.{module}")));
                            continue;
                        }
                        None => NATIVE,
                    },
                    K::Link | K::Build => BUILD,
                    K::Propagated => PROPAGATED,
                    K::Optional if cond.is_some() => BUILD,
                    K::Test if is_made_by_python(self.planned) => CHECK,
                    K::Test => match &test {
                        Some(t) => {
                            cond = cond.or_else(|| {
                                Some(t.clone()).filter(|t| *t != Cond::All(Vec::new()))
                            });
                            BUILD
                        }
                        None => continue,
                    },
                    K::Run | K::Optional | K::Post | K::Conflict => continue,
                };
                let value = self.name(&spelt, span);
                let list = lists.entry(name).or_default();
                match list.iter_mut().find(|(_, i)| i.value == value) {
                    Some((have, _)) => *have = self.either(have.take(), cond),
                    None => list.push((
                        self.either(cond.clone(), cond),
                        Item {
                            value,
                            comment: e.edge.comment.clone(),
                        },
                    )),
                }
            }
        }
        if !modules.is_empty() {
            let function =
                NixExpr::Lambda(Pattern::Name("ps".into()), Box::new(NixExpr::list(modules)));
            let native = lists.entry(NATIVE).or_default();
            // The interpreter with its modules replaces the plain interpreter.
            native.retain(|(cond, item)| cond.is_some() || item.value != named("python3"));
            native.push((
                None,
                NixExpr::call("python3.withPackages", [function]).into(),
            ));
        }
        lists
    }

    fn environment(&mut self, b: &mut Vec<Binding>) {
        let mut env: Vec<Binding> = Vec::new();
        for (_, variables) in &self.package.environment {
            for (name, values) in variables {
                let mut parts = Vec::new();
                let mut comment = None;
                for v in &values.0 {
                    let text = self.string(&v.value);
                    comment = comment.or_else(|| v.comment.clone());
                    parts.push(NixExpr::given(
                        v.when.as_ref().map(|w| self.cond(&w.cond)),
                        text,
                    ));
                }
                if let Some(value) = NixExpr::join(Operator::Plus, parts) {
                    env.push(Binding::plain(name, value).comment(comment));
                }
            }
        }
        for (name, text) in self.project().into_iter().flat_map(|p| &p.environment) {
            let value = self.string(text);
            env.push(Binding::plain(name, value));
        }
        env.extend(self.bound(&self.nix.env));
        b.extend(Binding::below("env", env));
    }
}

/// Returns true if the scope calls the package with the `stdenv` of nixpkgs instead of its own,
/// which compiles with ROCm's clang.
pub(crate) fn wants_original(p: &Planned) -> bool {
    match p.package.nix.as_ref().and_then(|n| n.stdenv) {
        Some(s) => s == NixStdenv::Original,
        None => p.package.compiler == Some(Compiler::System),
    }
}
