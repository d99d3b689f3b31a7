//! A package's derivation.

use crate::arguments::function;
use crate::expr::{Argument, Binding, Item, NixExpr, Operator, Part, Pattern};
use crate::lower::{Lower, Lowered, NixFile, conditional_list};
use crate::{names, value::merge};
use rocpkg_model::{
    Compiler, EdgeKind, Fetch, Finding, Findings, Generator, NixBuilder, NixReference, NixStdenv, Piece, Text,
};
use rocpkg_resolve::{Plan, Planned, ResolvedSource};

/// Hooks of nixpkgs' phases, in the order in which they run.
const HOOKS: &[&str] = &[
    "prePatch",
    "postPatch",
    "preConfigure",
    "postConfigure",
    "preBuild",
    "postBuild",
    "checkPhase",
    "preInstall",
    "installPhase",
    "postInstall",
    "preFixup",
    "postFixup",
    "preInstallCheck",
    "installCheckPhase",
];

/// Makes the files of one package.
pub fn lower(plan: &Plan, planned: &Planned, findings: &mut Findings) -> Lowered {
    let Some(mut l) = Lower::new(plan, planned, findings) else { return Lowered::default() };
    let derivation = l.derivation();
    let options = l.options();
    let bindings = l.bindings();
    let body = if bindings.is_empty() { derivation } else { NixExpr::Let(bindings, Box::new(derivation)) };
    let expr = function(body, &options);
    l.check_open(&expr);
    let attribute = l.attribute.clone();
    let file = if l.nix.parts.is_some() { "base.nix" } else { "default.nix" };
    let mut files = vec![NixFile {
        path: format!("{attribute}/{file}"),
        expr,
        raw_lines: l.raw_lines,
        step_lines: l.step_lines,
    }];
    files.extend(l.parts_file());
    Lowered { files, companions: std::mem::take(&mut l.companions) }
}

impl Lower<'_> {
    /// Whatever the body leaves open must be something that `callPackage` finds.
    fn check_open(&mut self, expr: &NixExpr) {
        let NixExpr::Lambda(Pattern::Set(arguments), _) = expr else { return };
        for a in arguments.iter().filter(|a| a.default.is_none()) {
            if !self.knows(&a.name) && !self.reported.contains(&a.name) {
                let span = self.planned.node.span;
                let known = self.known_names().into_iter().map(str::to_owned).collect::<Vec<_>>();
                self.findings.push(
                    Finding::error("E0501", span, format!("`{}` means nothing to the Nix expression of {}", a.name, self.attribute))
                        .label("expected an input known to the distribution")
                        .nearest(&a.name, known.iter().map(String::as_str)),
                );
            }
        }
    }

    /// Arguments with defaults: features, then what the overlay adds, then the GPU targets.
    fn options(&mut self) -> Vec<Argument> {
        let mut out = Vec::new();
        for (key, f) in &self.package.features {
            if f.fixed.is_none() {
                out.push(Argument { name: names::feature(key, f), default: Some(NixExpr::Bool(f.default)), comment: None });
            }
        }
        for (name, a) in self.nix.arguments.clone() {
            let default = a.default.as_ref().map(|d| self.value(d));
            if default.is_some() {
                out.push(Argument { name, default, comment: a.comment });
            }
        }
        if self.nix.holds_targets {
            out.push(Argument { name: "localGpuTargets".into(), default: Some(NixExpr::Null), comment: None });
        }
        if let Some(default) = self.targets_argument() {
            let comment = self.nix.gpu_targets.as_ref().and_then(|t| t.comment.clone());
            out.push(Argument { name: "gpuTargets".into(), default: Some(default), comment });
        }
        out
    }

    fn bindings(&mut self) -> Vec<Binding> {
        let mut out = Vec::new();
        for (name, v) in self.nix.bindings.clone() {
            let comment = v.comment.clone();
            let v = self.value(&v.value);
            if crate::arguments::mentions(&v, "finalAttrs") {
                let span = self.planned.node.get("nix").map_or(self.planned.node.span, |n| n.span);
                self.findings.push(
                    Finding::error("E0501", span, format!("the binding `{name}` of {} uses finalAttrs", self.attribute))
                        .label("a binding stands before the derivation, where its attributes are not known yet")
                        .hint("move it to `env`, `attributes` or `passthru`"),
                );
            }
            out.push(Binding::plain(&name, v).comment(comment));
        }
        if self.intersects() {
            let list = NixExpr::list(self.supported().into_iter().map(NixExpr::string));
            let value = NixExpr::call(NixExpr::path("lib.intersectLists"), [NixExpr::Name("gpuTargets".into()), list]);
            let reason = self.package.targets.as_ref().and_then(|t| t.supports.first()).map(|r| sentence(&r.reason.value));
            out.push(Binding::new("supportedTargets", value).comment(reason));
        }
        let shared = NixExpr::Name("gpuTargets'".into());
        if let Some((stand_in, supported)) = self.throwaway() {
            let some = NixExpr::binary(Operator::Differs, NixExpr::Name("supportedTargets".into()), NixExpr::list([]));
            out.push(Binding::plain(&supported, some));
            let value = NixExpr::If(
                Box::new(NixExpr::Name(supported)),
                Box::new(self.join_now()),
                Box::new(NixExpr::string(stand_in)),
            );
            let reason = "Upstream can't be built without any device code, so a target that nobody runs stands in";
            out.push(Binding::new("gpuTargets'", value).comment(Some(reason.into())));
        } else if self.shares_joined() {
            debug_assert_eq!(shared, self.joined_targets());
            out.push(Binding::new("gpuTargets'", self.join_now()));
        }
        out
    }

    fn python(&self) -> bool {
        self.nix.builder == Some(NixBuilder::Python)
    }

    /// `stdenv.mkDerivation (finalAttrs: { … })`
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
        if let Some(list) = conditional_list(flags) {
            b.push(Binding::new("cmakeFlags", list).apart());
        }
        self.hook_bindings(&mut b, &HOOKS[2..]);
        let features: Vec<NixExpr> = self.nix.system_features.iter().map(|f| NixExpr::string(f.value.clone())).collect();
        if !features.is_empty() {
            b.push(Binding::new("requiredSystemFeatures", NixExpr::list(features)).apart());
        }
        self.passthru(&mut b);
        self.meta(&mut b);
        self.check_phases();
        let builder = if self.python() { NixExpr::Name("buildPythonPackage".into()) } else { NixExpr::path("stdenv.mkDerivation") };
        let body = NixExpr::Lambda(Pattern::Name("finalAttrs".into()), Box::new(NixExpr::set(b)));
        NixExpr::call(builder, [body])
    }

    fn check_phases(&mut self) {
        for (phase, steps) in &self.package.phases {
            if !HOOKS.contains(&phase.as_str()) && !steps.is_empty() {
                let span = steps.first().map(|s| s.span).unwrap_or_default();
                self.findings.push(
                    Finding::error("E0502", span, format!("`{phase}` is no hook of nixpkgs"))
                        .label(format!("expected one of: {}", HOOKS.join(", ")))
                        .nearest(phase, HOOKS.iter().copied()),
                );
            }
        }
    }

    fn identity(&mut self, b: &mut Vec<Binding>) {
        let base = self.nix.parts.as_ref().map_or_else(|| self.attribute.clone(), |p| p.base.value.clone());
        let pname = if self.nix.arch_suffix && self.nix.parts.is_none() {
            NixExpr::Str(vec![Part::Text(base), Part::Value(NixExpr::path("clr.gpuArchSuffix"))])
        } else {
            NixExpr::string(base)
        };
        b.push(Binding::new("pname", pname));
        match self.nix.version_from.clone() {
            Some(from) => {
                let from = self.name(&from.value, from.span);
                b.push(Binding::inherit(Some(from), &["version"]));
            }
            None => b.push(Binding::new("version", NixExpr::string(self.planned.version.to_string()))),
        }
        if self.python() {
            b.push(Binding::new("pyproject", NixExpr::Bool(true)));
        }
    }

    fn outputs(&mut self, b: &mut Vec<Binding>) {
        let outputs = self.nix.outputs.clone();
        if outputs.is_empty() {
            return;
        }
        let mut items = vec![(None, Item::from(NixExpr::string("out")))];
        for (name, o) in &outputs {
            let cond = o.when.as_ref().map(|w| self.cond(&w.cond));
            items.push((cond, Item { value: NixExpr::string(name.clone()), comment: o.comment.clone() }));
        }
        if let Some(list) = conditional_list(items) {
            b.push(Binding::new("outputs", list).apart());
        }
    }

    /// A text whose only reference is the version.
    fn versioned(&mut self, text: &Text, source: &ResolvedSource) -> NixExpr {
        let own = source.version != self.planned.version;
        let parts = text.pieces.iter().map(|p| match p {
            Piece::Literal(t) => Part::Text(t.clone()),
            Piece::Reference(r) if r == "version" && own => Part::Text(source.version.to_string()),
            Piece::Reference(r) => Part::Value(self.reference(r, source.span)),
        });
        let parts = parts.collect();
        NixExpr::Str(merge(parts))
    }

    fn source(&mut self, b: &mut Vec<Binding>) {
        let sources = &self.planned.sources;
        let Some(main) = sources.first() else { return };
        if let Some(from) = self.nix.source.clone() {
            let from = self.value(&from);
            b.push(Binding::new("src", from).apart());
        } else {
            let fetched = self.fetch(main);
            b.push(Binding::new("src", fetched).apart());
        }
        if let Some(path) = &main.path {
            let root = NixExpr::Str(vec![
                Part::Value(NixExpr::path("finalAttrs.src.name")),
                Part::Text(format!("/{path}")),
            ]);
            b.push(Binding::new("sourceRoot", root));
        }
        for extra in &sources[1..] {
            let finding = Finding::error("E0506", extra.span, format!("the source `{}` has no place in the Nix expression", extra.name))
                .label("one source is built")
                .hint("remove it with `~`, or name it under `nix: bindings:`");
            self.findings.push(finding);
        }
    }

    fn fetch(&mut self, s: &ResolvedSource) -> NixExpr {
        let hash = match s.checksum.as_ref().and_then(|c| c.sri.as_ref()) {
            Some(h) => NixExpr::string(h.value.clone()),
            None => {
                self.findings.push(
                    Finding::warning("W0501", Some(s.span), format!("no hash is known for {} {}", self.attribute, s.version))
                        .label(format!("expected `{}` with `sri` among the checksums of its release", s.key))
                        .hint("`lib.fakeHash` is written; a build prints the right one"),
                );
                NixExpr::path("lib.fakeHash")
            }
        };
        if matches!(s.fetch, Fetch::Asset | Fetch::Archive | Fetch::File) {
            let url = self.versioned(&s.url, s);
            return NixExpr::call(
                NixExpr::Name("fetchurl".into()),
                [NixExpr::set(vec![Binding::new("url", url), Binding::new("hash", hash)])],
            );
        }
        let mut b = vec![
            Binding::new("owner", NixExpr::string(s.owner.clone())),
            Binding::new("repo", NixExpr::string(s.repository.clone())),
        ];
        match &s.revision {
            Some(r) => b.push(Binding::new("rev", NixExpr::string(r.clone()))),
            None => {
                let key = if self.nix.reference == Some(NixReference::Tag) { "tag" } else { "rev" };
                let tag = self.versioned(&s.tag, s);
                b.push(Binding::new(key, tag));
            }
        }
        if !s.sparse.is_empty() {
            b.push(Binding::new("sparseCheckout", NixExpr::list(s.sparse.iter().map(NixExpr::string))));
        }
        if s.submodules {
            b.push(Binding::new("fetchSubmodules", NixExpr::Bool(true)));
        }
        b.push(Binding::new("hash", hash));
        if let Some(text) = &s.post_fetch {
            let read = Text::parse(text, s.span).unwrap_or_else(|_| Text::literal(text.clone()));
            let mut parts = self.parts(&read);
            self.raw_lines += text.trim_end().lines().count();
            if !text.ends_with('\n') {
                parts.push(Part::Text("\n".into()));
            }
            b.push(Binding::new("postFetch", NixExpr::Lines(merge(parts))));
        }
        NixExpr::call(NixExpr::Name("fetchFromGitHub".into()), [NixExpr::set(b)])
    }

    fn patches(&mut self, b: &mut Vec<Binding>) {
        let mut items = Vec::new();
        for p in &self.package.patches {
            let value = match &p.url {
                None => {
                    self.companion(&p.file.value);
                    NixExpr::Path(p.file.value.clone())
                }
                Some(url) => {
                    let url = self.text(url);
                    let mut set = vec![Binding::new("name", NixExpr::string(p.file.value.clone())), Binding::new("url", url)];
                    if let Some(r) = &p.relative {
                        set.push(Binding::new("relative", NixExpr::string(r.value.clone())));
                    }
                    if let Some(n) = p.strip.filter(|n| *n != 1) {
                        set.push(Binding::new("stripLen", NixExpr::Int(i64::try_from(n).unwrap_or(1) - 1)));
                    }
                    for (key, list) in [("includes", &p.includes), ("excludes", &p.excludes)] {
                        if !list.is_empty() {
                            let list = list.iter().map(|s| NixExpr::string(s.value.clone()));
                            set.push(Binding::new(key, NixExpr::list(list)));
                        }
                    }
                    let hash = match &p.hash {
                        Some(h) => NixExpr::string(h.value.clone()),
                        None => {
                            self.findings.push(
                                Finding::warning("W0501", Some(p.file.span), format!("no hash is known for the patch {}", p.file.value))
                                    .label("expected `hash`"),
                            );
                            NixExpr::path("lib.fakeHash")
                        }
                    };
                    set.push(Binding::new("hash", hash));
                    NixExpr::call(NixExpr::Name("fetchpatch".into()), [NixExpr::set(set)])
                }
            };
            let cond = p.when.as_ref().map(|w| self.cond(&w.cond));
            items.push((cond, Item { value, comment: p.comment.clone() }));
        }
        if let Some(list) = conditional_list(items) {
            b.push(Binding::new("patches", list).apart());
        }
    }

    /// Attributes that say how the derivation is built.
    fn settings(&mut self, b: &mut Vec<Binding>) {
        let start = b.len();
        if self.nix.structured_attrs {
            b.push(Binding::new("__structuredAttrs", NixExpr::Bool(true)));
        }
        if self.nix.strict_deps {
            b.push(Binding::new("strictDeps", NixExpr::Bool(true)));
        }
        if let Some(t) = &self.package.build_type {
            b.push(Binding::new("cmakeBuildType", NixExpr::string(t.value.clone())));
        }
        for (name, v) in self.nix.attributes.clone() {
            let comment = v.comment.clone();
            let v = self.value(&v.value);
            b.push(Binding::plain(&name, v).comment(comment));
        }
        if let Some(first) = b.get_mut(start) {
            first.apart = true;
        }
    }

    fn hook_bindings(&mut self, b: &mut Vec<Binding>, hooks: &[&str]) {
        for hook in hooks {
            if *hook == "preBuild" && self.nix.parts.is_some() {
                let lines = "echo 'the base of the parts is never built itself' >&2\nexit 1\n";
                self.step_lines += 2;
                b.push(Binding::new("preBuild", NixExpr::Lines(vec![Part::Text(lines.into())])).apart());
                continue;
            }
            let Some(steps) = self.package.phases.get(*hook) else { continue };
            if let Some(text) = self.hook(steps) {
                b.push(Binding::new(hook, text).apart());
            }
        }
    }

    fn inputs(&mut self, b: &mut Vec<Binding>) {
        use EdgeKind as K;
        let mut native = Vec::new();
        let mut build = Vec::new();
        let mut propagated = Vec::new();
        let mut check = Vec::new();
        let cmake = !self.package.cmake.is_empty() && !self.python();
        let span = self.planned.node.span;
        if cmake {
            native.push((None, Item::from(self.name("cmake", span))));
        }
        if self.package.generator == Some(Generator::Ninja) {
            native.push((None, Item::from(self.name("ninja", span))));
        }
        let test = self.package.features.keys().find(|k| matches!(k.as_str(), "test" | "tests")).cloned();
        for e in &self.planned.depends {
            let mut spelt = match &e.edge.spelt {
                Some(s) => s.value.clone(),
                None => self.dependency(&e.to),
            };
            if self.python() {
                spelt = spelt.strip_prefix("python3Packages.").map_or_else(|| spelt.clone(), str::to_owned);
            }
            if spelt == "cmake" || spelt == "ninja" {
                continue;
            }
            let span = e.edge.spelt.as_ref().map_or(self.planned.node.span, |s| s.span);
            for kind in &e.edge.kind.0 {
                let mut cond = e.edge.when.as_ref().map(|w| self.cond(&w.cond));
                let list = match kind {
                    K::Tool => &mut native,
                    K::Link | K::Build | K::Binding => &mut build,
                    K::Propagated => &mut propagated,
                    K::Optional if cond.is_some() => &mut build,
                    K::Test if self.nix.builder == Some(NixBuilder::Python) => &mut check,
                    K::Test => match &test {
                        Some(t) => {
                            cond = cond.or_else(|| Some(self.cond(&rocpkg_model::Cond::Feature(t.clone()))));
                            &mut build
                        }
                        None => continue,
                    },
                    K::Run | K::Optional | K::Post | K::Conflict => continue,
                };
                let item = Item { value: self.name(&spelt, span), comment: e.edge.comment.clone() };
                if !list.iter().any(|(c, i): &(Option<NixExpr>, Item)| *c == cond && i.value == item.value) {
                    list.push((cond, item));
                }
            }
        }
        let nix = self.nix.clone();
        if !nix.python.is_empty() {
            for m in &nix.python {
                self.name(&format!("python3Packages.{}", m.value), m.span);
            }
            let names = nix.python.iter().map(|m| NixExpr::path(&format!("ps.{}", m.value)));
            let function = NixExpr::Lambda(Pattern::Name("ps".into()), Box::new(NixExpr::list(names)));
            let env = NixExpr::call(NixExpr::path("python3.withPackages"), [function]);
            native.push((None, env.into()));
        }
        native.extend(self.items(&nix.native_inputs));
        build.extend(self.items(&nix.build_inputs));
        propagated.extend(self.items(&nix.propagated_inputs));
        for (name, list) in
            [("nativeBuildInputs", native), ("buildInputs", build), ("propagatedBuildInputs", propagated), ("nativeCheckInputs", check)]
        {
            if let Some(list) = conditional_list(list) {
                b.push(Binding::new(name, list).apart());
            }
        }
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
                    parts.push(match &v.when {
                        None => text,
                        Some(w) => NixExpr::call(NixExpr::path("lib.optionalString"), [self.cond(&w.cond), text]),
                    });
                }
                if let Some(value) = NixExpr::join(Operator::Plus, parts) {
                    env.push(Binding::plain(name, value).comment(comment));
                }
            }
        }
        for (name, v) in self.nix.env.clone() {
            let comment = v.comment.clone();
            let v = self.value(&v.value);
            env.push(Binding::plain(&name, v).comment(comment));
        }
        match env.len() {
            0 => {}
            1 => {
                for mut e in env {
                    if let crate::expr::BindingKind::Value(path, _) = &mut e.kind {
                        path.insert(0, "env".into());
                    }
                    b.push(e.apart());
                }
            }
            _ => b.push(Binding::new("env", NixExpr::set(env)).apart()),
        }
    }

    fn passthru(&mut self, b: &mut Vec<Binding>) {
        let mut p: Vec<Binding> = Vec::new();
        if self.nix.holds_targets {
            p.extend(self.held_targets());
        }
        let own = self.nix.gpu_targets.clone();
        if let Some(export) = own.as_ref().and_then(|t| t.export.as_ref()) {
            let joined = self.joined_targets();
            p.push(Binding::plain(&export.value, joined));
        }
        let mut inherited: Vec<String> = self.throwaway().map(|(_, supported)| supported).into_iter().collect();
        let mut values = Vec::new();
        for (name, v) in self.nix.passthru.clone() {
            let v = self.value(&v);
            if v == NixExpr::Name(name.clone()) {
                inherited.push(name);
            } else {
                values.push(Binding::new(&name, v));
            }
        }
        if !inherited.is_empty() {
            let names: Vec<&str> = inherited.iter().map(String::as_str).collect();
            p.push(Binding::inherit(None, &names));
        }
        p.extend(values);
        p.extend(self.derived());
        if !self.nix.no_update_script {
            let script = match self.nix.update_script.clone() {
                Some(v) => self.value(&v),
                None => NixExpr::call(
                    NixExpr::Name("rocmUpdateScript".into()),
                    [NixExpr::set(vec![Binding::inherit(None, &["finalAttrs"])])],
                ),
            };
            p.push(Binding::new("updateScript", script));
        }
        if self.nix.holds_targets {
            let narrowed = NixExpr::binary(Operator::Differs, NixExpr::Name("localGpuTargets".into()), NixExpr::Null);
            let more = NixExpr::call(
                NixExpr::path("lib.optionalAttrs"),
                [narrowed, NixExpr::set(vec![Binding::inherit(None, &["localGpuTargets"])])],
            );
            b.push(Binding::new("passthru", NixExpr::binary(Operator::Update, NixExpr::set(p), more)).apart());
            return;
        }
        match p.as_slice() {
            [] => {}
            [Binding { kind: crate::expr::BindingKind::Value(path, value), .. }] => {
                let dotted: Vec<String> = std::iter::once("passthru".to_owned()).chain(path.iter().cloned()).collect();
                b.push(Binding {
                    kind: crate::expr::BindingKind::Value(dotted, value.clone()),
                    comment: None,
                    apart: true,
                });
            }
            _ => b.push(Binding::new("passthru", NixExpr::set(p)).apart()),
        }
    }

    /// What the package that holds the scope's targets offers to all others.
    fn held_targets(&mut self) -> Vec<Binding> {
        let all = self.plan.distro_targets(self.planned.version.as_str()).0;
        let local = || NixExpr::Name("localGpuTargets".into());
        let is_null = |op| NixExpr::binary(op, local(), NixExpr::Null);
        let joined = NixExpr::call(NixExpr::path("lib.concatStringsSep"), [NixExpr::string("-"), local()]);
        let suffix = NixExpr::call(
            NixExpr::path("lib.optionalString"),
            [is_null(Operator::Differs), NixExpr::Str(vec![Part::Text("-".into()), Part::Value(joined)])],
        );
        let supported = || NixExpr::Name("supported".into());
        let select = NixExpr::Lambda(
            Pattern::Set(vec![Argument { name: "supported".into(), default: Some(NixExpr::list([])), comment: None }]),
            Box::new(NixExpr::If(
                Box::new(is_null(Operator::Equal)),
                Box::new(supported()),
                Box::new(NixExpr::If(
                    Box::new(NixExpr::binary(Operator::Equal, supported(), NixExpr::list([]))),
                    Box::new(local()),
                    Box::new(NixExpr::call(NixExpr::path("lib.intersectLists"), [local(), supported()])),
                )),
            )),
        );
        vec![
            Binding::new("gpuTargets", NixExpr::list(all.into_iter().map(NixExpr::string)))
                .comment(Some("Processors that this package set builds for unless its scope is narrowed".into())),
            Binding::new("gpuArchSuffix", suffix).comment(Some("Tells the narrowed builds of one package apart".into())),
            Binding::new("selectGpuTargets", select)
                .comment(Some("Those targets of a narrowed scope that a package supports".into())),
        ]
    }

    fn derived(&mut self) -> Vec<Binding> {
        let root = self.planned.sources.first().and_then(|s| s.path.clone()).unwrap_or_default();
        let mut out = Vec::new();
        for (name, d) in self.nix.derived.clone() {
            let folder: Vec<&str> = [root.as_str(), d.folder.value.as_str()].into_iter().filter(|s| !s.is_empty()).collect();
            let mut b = vec![
                Binding::new(
                    "pname",
                    NixExpr::Str(vec![Part::Value(NixExpr::path("finalAttrs.pname")), Part::Text(format!("-{name}"))]),
                ),
                Binding::inherit(Some(NixExpr::Name("finalAttrs".into())), &["version", "src"]),
                Binding::new(
                    "sourceRoot",
                    NixExpr::Str(vec![
                        Part::Value(NixExpr::path("finalAttrs.src.name")),
                        Part::Text(format!("/{}", folder.join("/"))),
                    ]),
                ),
            ];
            let native = self.items(&d.native_inputs);
            if let Some(list) = conditional_list(native) {
                b.push(Binding::new("nativeBuildInputs", list).apart());
            }
            let mut build = vec![(None, Item::from(NixExpr::path("finalAttrs.finalPackage")))];
            build.extend(self.items(&d.build_inputs));
            if let Some(list) = conditional_list(build) {
                b.push(Binding::new("buildInputs", list).apart());
            }
            for (hook, steps) in &d.phases {
                if let Some(text) = self.hook(steps) {
                    b.push(Binding::new(hook, text).apart());
                }
            }
            let derivation = NixExpr::call(NixExpr::path("stdenv.mkDerivation"), [NixExpr::set(b)]);
            out.push(Binding::plain(&name, derivation));
        }
        out
    }

    fn meta(&mut self, b: &mut Vec<Binding>) {
        let mut m = vec![Binding::new("description", NixExpr::string(self.package.summary.value.clone()))];
        if let Some(h) = &self.package.homepage {
            m.push(Binding::new("homepage", NixExpr::string(h.value.clone())));
        }
        if let Some(l) = self.licence() {
            m.push(Binding::new("license", l));
        }
        let meta = self.nix.meta.clone();
        let meta = meta.as_ref();
        if let Some(p) = meta.and_then(|m| m.main_program.as_ref()) {
            m.push(Binding::new("mainProgram", NixExpr::string(p.value.clone())));
        }
        if let Some(team) = self.plan.distro.settings.get("team") {
            let team = NixExpr::path(&format!("lib.teams.{}", team.value));
            m.push(Binding::new("teams", NixExpr::list([team])));
        }
        let platforms = meta.and_then(|m| m.platforms.as_ref()).map_or("linux", |p| p.value.as_str());
        m.push(Binding::new("platforms", NixExpr::path(&format!("lib.platforms.{platforms}"))));
        if let Some(t) = meta.and_then(|m| m.timeout) {
            m.push(Binding::new("timeout", NixExpr::Int(i64::try_from(t).unwrap_or(i64::MAX))));
        }
        if self.nix.parts.is_some() {
            m.push(Binding::new("broken", NixExpr::Bool(true)).comment(Some("Its parts are built, never the base".into())));
        } else if let Some(v) = meta.and_then(|m| m.broken.clone()) {
            let v = self.value(&v);
            m.push(Binding::new("broken", v));
        }
        b.push(Binding::new("meta", NixExpr::set(m)).apart());
    }

    fn licence(&mut self) -> Option<NixExpr> {
        let mut names = Vec::new();
        for l in &self.package.licence {
            for id in l.value.split(" AND ").map(|w| w.trim_matches(['(', ')', ' '])) {
                match self.plan.distro.licences.get(id) {
                    Some(n) => {
                        let n = n.value.clone();
                        if !names.contains(&n) {
                            names.push(n);
                        }
                    }
                    None => {
                        let known: Vec<&str> = self.plan.distro.licences.keys().map(String::as_str).collect();
                        let finding = Finding::error("E0507", l.span, format!("`{id}` has no name in lib.licenses"))
                            .label("expected a licence of the distribution's table")
                            .nearest(id, known);
                        self.findings.push(finding);
                    }
                }
            }
        }
        match names.as_slice() {
            [] => None,
            [one] => Some(NixExpr::path(&format!("lib.licenses.{one}"))),
            _ => Some(NixExpr::With(
                Box::new(NixExpr::path("lib.licenses")),
                Box::new(NixExpr::list(names.into_iter().map(NixExpr::Name))),
            )),
        }
    }
}

/// The text with a capital letter in front, an address left alone.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(c) if !text.starts_with("http") => c.to_uppercase().chain(chars).collect(),
        _ => text.to_owned(),
    }
}

/// The package is called with the compiler environment of nixpkgs, not the scope's.
pub(crate) fn wants_original(p: &Planned) -> bool {
    match p.package.nix.as_ref().and_then(|n| n.stdenv) {
        Some(s) => s == NixStdenv::Original,
        None => p.package.compiler == Some(Compiler::System),
    }
}
