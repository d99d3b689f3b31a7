//! CMake flags and GPU targets.

use crate::expr::{Item, NixExpr, Part};
use crate::lower::Lower;
use crate::value::merge;
use rocpkg_model::{Argument, ArgumentKind, ArgumentValue, Finding, NixTargetDefault, Policy, TargetList};

type Flag = (Option<NixExpr>, Item);

impl Lower<'_> {
    /// All CMake flags in order.
    pub(crate) fn cmake_flags(&mut self) -> Vec<Flag> {
        let package = self.package;
        let mut flags = Vec::new();
        if package.cmake.len() > 1 {
            let span = self.planned.node.span;
            self.findings.push(
                Finding::error("E0505", span, format!("{} has several CMake projects", self.attribute))
                    .label("a derivation configures one")
                    .hint("keep one of them for nixpkgs, or make the other one a package"),
            );
        }
        for project in package.cmake.values().take(1) {
            for (name, arguments) in &project.arguments {
                for a in &arguments.0 {
                    let value = self.flag(name, a);
                    let cond = a.when.as_ref().map(|w| self.cond(&w.cond));
                    flags.push((cond, Item { value, comment: a.comment.clone() }));
                }
            }
        }
        for (name, list) in self.nix.flags.clone() {
            for f in &list.0 {
                let value = match (&f.bool, &f.text) {
                    (Some(b), _) => {
                        let b = self.native(b);
                        cmake_bool(&name, b)
                    }
                    (None, Some(t)) => {
                        let t = self.native(t);
                        cmake_feature(&name, t)
                    }
                    (None, None) => continue,
                };
                let cond = f.when.as_ref().map(|w| self.cond(&w.cond));
                flags.push((cond, Item { value, comment: f.comment.clone() }));
            }
        }
        flags.extend(self.target_flags());
        let dirs: Vec<String> = self.nix.install_dirs.iter().map(|d| d.value.clone()).collect();
        for (i, dir) in dirs.iter().enumerate() {
            let value = cmake_feature(
                &format!("CMAKE_INSTALL_{}DIR", dir.to_ascii_uppercase()),
                NixExpr::string(dir.clone()),
            );
            let comment =
                (i == 0).then(|| "Upstream joins these to the prefix, so they must be relative".to_owned());
            flags.push((None, Item { value, comment }));
        }
        flags
    }

    fn flag(&mut self, name: &str, a: &Argument) -> NixExpr {
        match &a.value {
            ArgumentValue::Bare => NixExpr::string(name),
            ArgumentValue::Bool(b) => cmake_bool(name, NixExpr::Bool(*b)),
            ArgumentValue::When(w) => cmake_bool(name, self.cond(&w.cond)),
            ArgumentValue::Unless(w) => cmake_bool(name, self.cond(&w.cond).negated()),
            ArgumentValue::Text(t) if a.kind == Some(ArgumentKind::Plain) || name.starts_with('-') => {
                let mut parts = vec![Part::Text(if name.starts_with('-') {
                    name.to_owned()
                } else {
                    format!("-D{name}=")
                })];
                parts.extend(self.parts(t));
                NixExpr::Str(merge(parts))
            }
            ArgumentValue::Text(t) => {
                let text = self.string(t);
                cmake_feature(name, text)
            }
            ArgumentValue::Choice(w, yes, no) => {
                let (yes, no) = (self.string(yes), self.string(no));
                let choice = NixExpr::If(Box::new(self.cond(&w.cond)), Box::new(yes), Box::new(no));
                cmake_feature(name, choice)
            }
        }
    }

    /// What `gpuTargets` is by default. A package with device code follows a narrowed scope unless its overlay says
    /// otherwise, and leaves the choice to upstream in the whole one.
    fn target_default(&self) -> Option<NixTargetDefault> {
        let stated = self.nix.gpu_targets.as_ref().and_then(|t| t.default);
        let follows = self.package.targets.as_ref().is_some_and(|t| t.list != Some(TargetList::None));
        stated.or(follows.then_some(NixTargetDefault::Upstream))
    }

    /// The policy's stand-in when no target that is asked for can be built.
    pub(crate) fn throwaway(&self) -> Option<(String, String)> {
        let own = self.nix.gpu_targets.as_ref()?;
        let policy = self.package.targets.as_ref().and_then(|t| t.policy);
        match (&own.throwaway, &own.supported) {
            (Some(t), Some(s)) if policy == Some(Policy::Throwaway) => {
                Some((t.value.clone(), s.value.clone()))
            }
            _ => None,
        }
    }

    pub(crate) fn intersects(&self) -> bool {
        self.package.targets.as_ref().and_then(|t| t.list) == Some(TargetList::Intersection)
    }

    /// The separator between two targets.
    fn separator(&self) -> String {
        self.package.targets.as_ref().and_then(|t| t.separator.clone()).unwrap_or_else(|| ";".into())
    }

    /// The names of the list that is built: `gpuTargets`, or what is left of it.
    pub(crate) fn targets_name(&self) -> &'static str {
        if self.intersects() { "supportedTargets" } else { "gpuTargets" }
    }

    /// The joined list as an expression, wherever it comes from.
    pub(crate) fn joined_targets(&mut self) -> NixExpr {
        if self.target_default() == Some(NixTargetDefault::Borrowed)
            && let Some(from) = self.nix.gpu_targets.as_ref().and_then(|t| t.from.clone())
        {
            return self.name(&from.value, from.span);
        }
        if self.shares_joined() {
            return NixExpr::Name("gpuTargets'".into());
        }
        self.join_now()
    }

    /// `lib.concatStringsSep ";" gpuTargets`
    pub(crate) fn join_now(&self) -> NixExpr {
        NixExpr::call(
            NixExpr::path("lib.concatStringsSep"),
            [NixExpr::string(self.separator()), NixExpr::Name(self.targets_name().into())],
        )
    }

    /// The joined list has a name of its own: it is needed more than once, or is not a plain join.
    pub(crate) fn shares_joined(&self) -> bool {
        let exported = self.nix.gpu_targets.as_ref().is_some_and(|t| t.export.is_some());
        exported || self.throwaway().is_some()
    }

    /// One flag for each variable that upstream reads, unless the overlay passes it itself.
    fn target_flags(&mut self) -> Vec<Flag> {
        let Some(targets) = &self.package.targets else { return Vec::new() };
        if targets.list == Some(TargetList::None) || self.target_default().is_none() {
            return Vec::new();
        }
        let written: Vec<&String> = self.package.cmake.values().flat_map(|p| p.arguments.keys()).collect();
        let variables: Vec<String> =
            targets.variable.0.iter().map(|v| v.value.clone()).filter(|v| !written.contains(&v)).collect();
        // An empty list asks for upstream's default, so the flag must be absent then. A list that others borrow is passed as
        // it is handed on, and a stand-in is never empty.
        let own = self.target_default() != Some(NixTargetDefault::Borrowed);
        let cond = (own && !self.shares_joined()).then(|| {
            NixExpr::binary(
                crate::expr::Operator::Differs,
                NixExpr::Name("gpuTargets".into()),
                NixExpr::list([]),
            )
        });
        variables
            .iter()
            .map(|v| {
                let value = cmake_feature(v, self.joined_targets());
                (cond.clone(), Item { value, comment: None })
            })
            .collect()
    }

    /// The targets that the package can be built for: its own list, else what it leaves of the distribution's.
    pub(crate) fn supported(&self) -> Vec<String> {
        let Some(t) = &self.planned.targets else { return Vec::new() };
        let chosen = &self.plan.narrowed;
        let all =
            if t.supports.is_empty() { [&t.default[..], &t.offered].concat() } else { t.supports.clone() };
        let kept = all.into_iter().filter(|n| !t.excludes.contains(n));
        kept.filter(|n| chosen.is_empty() || chosen.contains(n)).collect()
    }

    /// The default of the argument `gpuTargets`; `None` when there is no such argument.
    pub(crate) fn targets_argument(&self) -> Option<NixExpr> {
        let local = || NixExpr::path("clr.localGpuTargets");
        Some(match self.target_default()? {
            // A tree that is rendered for some GPUs leaves nothing to upstream.
            NixTargetDefault::Upstream if !self.plan.narrowed.is_empty() => {
                local().or(NixExpr::list(self.supported().into_iter().map(NixExpr::string)))
            }
            NixTargetDefault::Upstream => local().or(NixExpr::list([])),
            NixTargetDefault::All => local().or(NixExpr::path("clr.gpuTargets")),
            NixTargetDefault::Always => NixExpr::path("clr.gpuTargets"),
            NixTargetDefault::Own => {
                local().or(NixExpr::list(self.supported().into_iter().map(NixExpr::string)))
            }
            NixTargetDefault::Borrowed => return None,
        })
    }
}

fn cmake_bool(name: &str, value: NixExpr) -> NixExpr {
    NixExpr::call(NixExpr::path("lib.cmakeBool"), [NixExpr::string(name), value])
}

fn cmake_feature(name: &str, value: NixExpr) -> NixExpr {
    NixExpr::call(NixExpr::path("lib.cmakeFeature"), [NixExpr::string(name), value])
}
