//! What facts of an ebuild name: other parts of the profile, flags, and words that eclasses read.

use crate::context::Context;
use crate::eclasses::{BUILD_SYSTEMS, CATEGORIES, ECLASSES};
use crate::flags::{flagged_targets, target_flag};
use crate::ir::{Required, Variable};
use rocpkg_model::{Cond, Ebuild, Finding, PythonMode, Span, Spanned, misspelt};
use rocpkg_pms::{Atom, Flag, Node};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge};

/// Eclasses that add no USE flag; which flags another one adds is not known here.
const PLAIN: &str = "\
bash-completion-r1 check-reqs cmake cmake-multilib desktop edo eapi9-ver flag-o-matic fortran-2 git-r3 linux-info multilib \
multiprocessing optfeature prefix readme.gentoo-r1 rocm shell-completion systemd tmpfiles toolchain-funcs udev unpacker virtualx \
wrapper xdg xdg-utils";

/// Whether a package has a USE flag: a feature that is offered, a target, a slot of LLVM, or one of an eclass.
pub(crate) fn has_flag(plan: &Plan, p: &Planned, flag: &str) -> bool {
    let facts = p.package.ebuild.as_ref();
    if facts.is_some_and(|f| f.inherit.iter().any(|e| !PLAIN.split_whitespace().any(|n| n == e.value))) {
        return true;
    }
    let python = facts.and_then(|f| f.python.as_ref()).map(|p| p.mode);
    match flag {
        "doc" if facts.is_some_and(|f| f.docs.is_some()) => return true,
        "test" if python == Some(PythonMode::Distutils) => return true,
        _ if flag.starts_with("python_") => return python.is_some_and(|mode| mode != PythonMode::Any),
        _ => {}
    }
    let (default, offered) = flagged_targets(plan, p);
    let slots = crate::llvm::slots(plan, p);
    let offers = |(name, feature): (&String, &rocpkg_model::Feature)| {
        feature.fixed.is_none() && feature.name.as_ref().map_or(name, |n| &n.value) == flag
    };
    p.package.features.iter().any(offers)
        || default.iter().chain(&offered).any(|t| target_flag(t) == flag)
        || slots.iter().any(|slot| format!("llvm_slot_{slot}") == flag)
}

impl Context<'_> {
    /// What is known of a condition of `REQUIRED_USE`: features that the distribution fixes, and targets that have no flag.
    pub(crate) fn settled_flag(&self, cond: &Cond) -> Option<bool> {
        match cond {
            Cond::Target(name) => {
                let (default, offered) = flagged_targets(self.plan, self.p);
                // A name that nobody knows is a finding already.
                let known = self.plan.registry.as_ref().is_some_and(|all| all.get(name).is_some());
                (known && !default.contains(name) && !offered.contains(name)).then_some(false)
            }
            _ => self.p.fixed_answer(cond),
        }
    }

    /// What `REQUIRED_USE` holds where features ask for a target to be chosen.
    pub(crate) fn asking_for_targets(
        &mut self,
        asked: &[Spanned<String>],
        target: impl Fn() -> Node<Required>,
    ) -> Vec<Node<Required>> {
        let mut out = Vec::new();
        for name in asked {
            let Some(feature) = self.p.package.features.get(&name.value) else {
                // A rule of the distribution's is for packages that have the feature, and for others.
                if !self.is_habit(name.span) {
                    self.unknown_feature(name, &["always", "never"]);
                }
                continue;
            };
            match (&feature.fixed, Flag::new(&self.flag(&name.value))) {
                (Some(fixed), _) if fixed.value => return vec![target()],
                (None, Ok(flag)) => out.push(Node::when(flag, [target()])),
                // One that is off asks for nothing, and what can't be a flag is said where flags are read.
                _ => {}
            }
        }
        out
    }

    /// Whether this stands in the distribution's file.
    fn is_habit(&self, span: Span) -> bool {
        self.plan.distro_node.as_ref().is_some_and(|node| node.span.file == span.file)
    }

    fn unknown_feature(&mut self, name: &Spanned<String>, more: &[&str]) {
        let known = self.p.package.features.keys().map(String::as_str).chain(more.iter().copied());
        let finding = Finding::error("E0201", name.span, format!("unknown feature `{}`", name.value))
            .label("expected a feature of this package")
            .nearest(&name.value, known);
        self.findings.push(finding);
    }

    /// The flags that a dependency names: its conditions are the package's own, the rest is the other's.
    pub(crate) fn check_use_deps(&mut self, resolved: &ResolvedEdge, atom: &Atom, span: Span) {
        let span = resolved.edge.spelt.as_ref().map_or(span, |s| s.span);
        // A package of ours has its category from its own facts.
        if resolved.edge.spelt.is_some() || matches!(resolved.to, Dependency::External(_)) {
            let cpn = atom.cpn().to_string();
            let category = cpn.split('/').next().unwrap_or_default();
            let known = CATEGORIES.split_whitespace();
            self.findings.push_some(misspelt("E0305", "category", category, span, known));
        }
        let target = match &resolved.to {
            Dependency::Package(id) => self.plan.get(id).filter(|p| {
                let category = crate::context::category(self.plan, p);
                atom.cpn().to_string() == format!("{category}/{}", p.name)
            }),
            Dependency::External(_) => None,
        };
        for dep in atom.use_deps() {
            let flag = dep.flag.as_str();
            let own = dep.kind.is_conditional() && !has_flag(self.plan, self.p, flag);
            let theirs = target
                .filter(|p| p.id != self.p.id && dep.default.is_none() && !has_flag(self.plan, p, flag));
            let whose = match (own, theirs) {
                (true, _) => "this package".to_owned(),
                (false, Some(p)) => p.name.clone(),
                (false, None) => continue,
            };
            let finding = Finding::error("E0201", span, format!("`{atom}` names the USE flag `{flag}`"))
                .label(format!("expected a flag that {whose} has"))
                .nearest(flag, self.p.package.features.keys().map(String::as_str));
            self.findings.push(finding);
        }
    }

    /// Lists that name variables or features of the profile.
    pub(crate) fn check_named(&mut self, late: &[Variable]) {
        let Some(facts) = self.facts().cloned() else { return };
        let reasons = self.p.node.get("ebuild").and_then(|e| e.get("reasons"));
        let places: Vec<(String, Span)> = reasons
            .map(rocpkg_model::Node::entries)
            .unwrap_or_default()
            .iter()
            .map(|(key, _)| (key.name.to_string(), key.span))
            .collect();
        for (name, span) in places.iter().filter(|(name, _)| facts.reasons.contains_key(name)) {
            if !late.iter().any(|v| v.name == *name) {
                self.unknown("variable", name, *span, late.iter().map(|v| v.name.as_str()));
            }
        }
        for name in &facts.describes {
            let offered = self.p.package.features.get(&name.value).is_some_and(|f| f.fixed.is_none());
            if !offered && !self.is_habit(name.span) {
                self.unknown_feature(name, &[]);
            }
        }
        self.check_unread(&facts);
        for option in &facts.config_check {
            let name = option.value.trim_start_matches(['~', '!', '@']);
            let signs = &option.value[..option.value.len() - name.len()];
            let fine = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
            if name.is_empty() || !name.bytes().all(fine) || !["", "~", "!", "~!", "@", "~@"].contains(&signs)
            {
                self.no_word(
                    option,
                    "an option of the kernel",
                    "a name such as HSA_AMD, with `~` and `!` in front",
                );
            }
        }
    }

    /// Facts that nothing reads beside the others.
    fn check_unread(&mut self, facts: &Ebuild) {
        let p = self.p;
        let place =
            |key: &str| p.node.get("ebuild").and_then(|e| e.get(key)).map_or(p.node.span, |node| node.span);
        let mut unread = Vec::new();
        if let Some(python) = facts.python.as_ref().filter(|p| p.mode != PythonMode::Distutils) {
            let pep517 = python.pep517.as_ref();
            let read = pep517.into_iter().chain(&python.pytest).next();
            unread.extend(
                read.map(|text| (text.span, "distutils-r1 alone reads it: expected `mode: distutils`")),
            );
        }
        if !facts.debug_build_type && !p.package.features.contains_key("debug") {
            unread.push((place("debug-build-type"), "there is no feature `debug`"));
        }
        if facts.lenient_requirements && p.package.resources.0.is_empty() {
            unread.push((place("lenient-requirements"), "no `resources` are stated"));
        }
        if facts.documentation_is_home && (p.package.homepage.is_none() || p.package.documentation.is_none())
        {
            unread.push((place("documentation-is-home"), "no `homepage` or no `documentation` is stated"));
        }
        let elsewhere = facts.maintainers.iter().flat_map(|m| &m.packages);
        unread.extend(elsewhere.map(|id| (id.span, "these maintain this package alone")));
        for (span, label) in unread {
            self.findings
                .push(Finding::error("E0333", span, "this changes nothing in the ebuild").label(label));
        }
        if let Some(folder) = facts.docs.as_ref().and_then(|d| d.folder.as_ref())
            && (folder.value.starts_with('/') || folder.value.split('/').any(|part| part == ".."))
        {
            let message = format!("the path `{}` leads outside", folder.value);
            self.findings.push(
                Finding::error("E0563", folder.span, message).label("expected a path below the source"),
            );
        }
        if let Some(remote) = &facts.remote {
            let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            let parts: Vec<&str> = remote.value.split('/').collect();
            if parts.len() != 2 || parts.iter().any(|part| part.is_empty() || !part.chars().all(fine)) {
                self.no_word(remote, "a repository of GitHub", "its owner and its name with a slash between");
            }
        }
    }

    /// Reports a name that the rest of the file does not have.
    pub(crate) fn unknown<'n>(
        &mut self,
        what: &str,
        name: &str,
        span: Span,
        known: impl Iterator<Item = &'n str>,
    ) {
        let finding = Finding::error("E0331", span, format!("the ebuild has no {what} `{name}`"));
        self.findings.push(finding.label(format!("expected another {what}, or none")).nearest(name, known));
    }

    /// Words of Gentoo that are one that it has but for a letter.
    pub(crate) fn check_words(&mut self) {
        let facts = self.p.package.ebuild.as_ref();
        let category = facts.and_then(|f| f.category.as_ref()).or(self.plan.distro.settings.get("category"));
        let eclasses = facts.into_iter().flat_map(|f| &f.inherit);
        let build_system = facts.and_then(|f| f.python.as_ref()?.pep517.as_ref());
        let words = category.map(|c| ("E0312", "category", c, CATEGORIES)).into_iter();
        let words = words.chain(eclasses.map(|e| ("E0317", "eclass", e, ECLASSES)));
        let words = words.chain(build_system.map(|b| ("E0114", "build system of Python", b, BUILD_SYSTEMS)));
        for (code, what, word, known) in words {
            let known = known.split_whitespace();
            self.findings.push_some(misspelt(code, what, &word.value, word.span, known));
        }
    }

    fn no_word(&mut self, word: &Spanned<String>, what: &str, expected: &str) {
        let finding = Finding::error("E0332", word.span, format!("`{}` is not {what}", word.value));
        self.findings.push(finding.label(format!("expected {expected}")));
    }
}
