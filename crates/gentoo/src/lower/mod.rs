//! Lowers a planned package to an [`Ebuild`](crate::Ebuild): the variables of PMS 7, and those that
//! eclasses read.

pub(crate) mod capabilities;
pub(crate) mod check_reqs;
pub(crate) mod configure;
pub(crate) mod context;
pub(crate) mod depends;
pub(crate) mod distro_file;
pub(crate) mod eclass_targets;
pub(crate) mod expand;
pub(crate) mod flag_edits;
pub(crate) mod flags;
pub(crate) mod helpers;
pub(crate) mod ir;
pub(crate) mod live;
pub(crate) mod llvm;
pub(crate) mod mentions;
pub(crate) mod optional;
pub(crate) mod package_use;
pub(crate) mod phases;
pub(crate) mod programs;
pub(crate) mod propagation;
pub(crate) mod python;
pub(crate) mod repository;
pub(crate) mod solver;
pub(crate) mod sources;
pub(crate) mod steps;
pub(crate) mod testing;
pub(crate) mod uses;
pub(crate) mod vocabulary;

use crate::lower::context::{Context, category, folder_variable, is_made_of, setting, texts, year};
use crate::lower::expand::Expand;
use crate::lower::ir::Lowered;
use crate::lower::uses::Needs;
use crate::value::ebuild::{Eapi, Ebuild, OwnTargets, Variable, VariableValue};
use rocpkg_model::{Finding, Findings, Generator, PythonMode, Spanned, TargetFlags};
use rocpkg_pms::{Cpn, Cpv, License, Node, Spec, Version};
use rocpkg_render::bash::{Item, Word};
use rocpkg_resolve::{Plan, Planned};
use std::collections::BTreeSet;

/// Converts one package of a plan to an ebuild. Returns `None` and reports a finding if the
/// package's name or version is invalid.
pub(crate) fn lower<'a>(
    plan: &Plan,
    p: &'a Planned,
    findings: &mut Findings,
) -> Option<Lowered<'a>> {
    let mut c = Context::new(plan, p, findings);
    let facts = p.package.ebuild.as_ref();
    let category = category(plan, p);
    let version = crate::lower::live::version(plan, p);
    // A revision counts the changes to the ebuild of one version. Another version has no revision.
    let revision = facts.and_then(|f| f.revision).filter(|_| is_of_version(&c));
    let revised = format!(
        "{version}{}",
        revision.map(|r| format!("-r{r}")).unwrap_or_default()
    );
    let (Ok(cpn), Ok(revised)) = (Cpn::new(&category, &p.name), Version::new(&revised)) else {
        let span = p.node.get("version").map_or(p.node.span, |n| n.span);
        c.error(
            "E0312",
            span,
            format!(
                "`{category}/{}-{}` can't be the name of a package",
                p.name, version
            ),
        );
        return None;
    };
    c.check_names();
    let depends = c.dependencies();
    let mut functions = c.functions();
    if let Some(check) = crate::lower::python::check_deps(&depends) {
        functions.insert(0, check);
    }
    c.check_functions(&functions);
    let late = c.late();
    c.check_named(&late);
    let needs = Needs::of(p, &functions, &late);
    let patches = c.patches();
    let sources = c.sources();
    let distfiles = c.distfiles();
    let folders = c.folders(&needs);
    let checkout = c.checkout();
    let early = c.early();
    c.check_variables(early.iter().chain(&folders).chain(&late));
    let required_use = c.required_use();
    let (restrict, restrict_reason) = c.restrict();
    let builds = c.builds(&required_use);
    let iuse = c.iuse();
    let inherit = c.inherit(&needs);
    let python = facts.and_then(|facts| facts.python.as_ref());
    let ebuild = Ebuild {
        cpv: Cpv::new(cpn, revised),
        eapi: Eapi::default(),
        year: year(plan).to_owned(),
        early,
        inherit,
        comment: p.package.comment.clone(),
        commits: c.commits(),
        description: p.package.summary.value.clone(),
        homepage: c.homepage(),
        sources,
        checkout,
        folders,
        slot: c.slot(),
        slot_of_release: depends
            .mention("{SLOT_NOLIVE}")
            .then(|| crate::lower::live::slot_of_release(p)),
        license: c.license(),
        keywords: c.keywords(),
        own_targets: stated_targets(plan, p),
        iuse,
        required_use,
        required_reasons: p
            .package
            .constraints
            .iter()
            .filter_map(|c| c.comment.clone())
            .collect(),
        restrict,
        restrict_reason,
        properties: Spec::default(),
        depends,
        late,
        // distutils-r1.eclass runs the tests; a plug-in has the name of its package.
        pytest: python
            .map(|python| texts(&python.pytest))
            .unwrap_or_default(),
        patches,
        functions,
    };
    Some(Lowered {
        p,
        ebuild,
        files: c.files(needs.files),
        distfiles,
        remote: c.remote(),
        flags: c.local_flags(),
        builds: p.targets.is_some().then_some(builds),
        hands_on: c.hands_on,
    })
}

/// Returns the target list of an ebuild that has a list of its own; `None` if the list is empty or
/// the ebuild uses the eclass's list.
fn stated_targets(plan: &Plan, p: &Planned) -> Option<OwnTargets> {
    let (on, off) = crate::lower::flags::own_targets(plan, p);
    let expand = Expand::of(plan);
    let (prefix, required_use) = (expand.prefix().to_owned(), expand.required_use());
    let own = OwnTargets {
        on,
        off,
        known: crate::lower::flags::targets_known(p),
        prefix,
        required_use,
    };
    Some(own).filter(|own| !own.on.is_empty() || !own.off.is_empty())
}

impl Context<'_> {
    /// Returns the variable `S`, and a variable such as `HIP_TESTS_S` for the folder of each
    /// further source. `needs` contains the variables that the ebuild refers to; folders that it
    /// does not refer to are left out.
    fn folders(&mut self, needs: &Needs) -> Vec<Variable> {
        let p = self.p;
        if p.sources.is_empty() {
            return Vec::new();
        }
        let mut out = vec![Variable::new("S", self.unpacked(0))];
        for (i, s) in p.sources.iter().enumerate().skip(1) {
            let name = folder_variable(&s.name);
            if needs.variable(&name) {
                out.push(Variable::new(&name, self.unpacked(i)));
            }
        }
        out
    }

    /// Returns `KEYWORDS`, which is empty in a live ebuild.
    fn keywords(&self) -> String {
        if self.is_live() {
            return String::new();
        }
        // If the profile states an empty list, the ebuild has no keywords.
        let stated = self
            .p
            .node
            .get("ebuild")
            .is_some_and(|e| e.get("keywords").is_some());
        let habit = || setting(self.plan, "keywords", "~amd64").to_owned();
        self.facts()
            .filter(|_| stated)
            .map_or_else(habit, |f| texts(&f.keywords).join(" "))
    }

    /// Returns upstream's repository on GitHub for `metadata.xml`, as `owner/repository`.
    fn remote(&self) -> Option<String> {
        let stated = self
            .p
            .package
            .ebuild
            .as_ref()
            .and_then(|f| f.remote.as_ref());
        let main = self.p.sources.first().filter(|s| !s.repository.is_empty());
        let of_source = || main.map(|s| format!("{}/{}", s.owner, s.repository));
        stated.map(|r| r.value.clone()).or_else(of_source)
    }

    /// Returns the names of the files in the folder `files`: local patches, files that the profile
    /// lists, and the files `named` by functions and variables.
    fn files(&mut self, named: Vec<String>) -> Vec<String> {
        let p = self.p;
        let stated = p.package.ebuild.iter().flat_map(|f| &f.files);
        let patches = p
            .package
            .patches
            .iter()
            .filter(|f| f.url.is_none())
            .map(|f| &f.file);
        let mut out: Vec<String> = patches
            .chain(stated.clone())
            .map(|file| file.value.clone())
            .collect();
        for file in named {
            if !out.contains(&file) {
                out.push(file);
            }
        }
        stated.for_each(|file| self.file_name(file));
        out
    }

    /// Returns `HOMEPAGE`: the address that the profile states, else the package's folder in
    /// upstream's monorepo, else upstream's repository. A package without sources has the
    /// distribution's setting `homepage`.
    fn homepage(&self) -> String {
        let package = &self.p.package;
        if let Some(h) = &package.homepage {
            let both = package
                .ebuild
                .as_ref()
                .is_some_and(|e| e.documentation_in_homepage);
            let second = package
                .documentation
                .iter()
                .filter(|_| both)
                .map(|d| format!(" {}", d.value));
            return h.value.clone() + &second.collect::<String>();
        }
        let Some(s) = self.p.sources.first() else {
            return setting(self.plan, "homepage", "").to_owned();
        };
        let home = format!("https://github.com/{}/{}", s.owner, s.repository);
        match &s.path {
            Some(path) => format!("{home}/tree/develop/{path}"),
            None => home,
        }
    }

    /// Returns `LICENSE` with the distribution's names of the licences. Reports a licence that has
    /// no name in the distribution's table.
    fn license(&mut self) -> Spec<License> {
        let mut nodes = Vec::new();
        for spdx in &self.p.package.licence {
            let Some(name) = self.plan.distro.licences.get(&spdx.value) else {
                let known: Vec<&str> = self
                    .plan
                    .distro
                    .licences
                    .keys()
                    .map(String::as_str)
                    .collect();
                let message = format!("the licence `{}` has no name in Gentoo", spdx.value);
                let finding =
                    Finding::error("E0315", spdx.span, message).nearest(&spdx.value, known);
                self.findings
                    .push(finding.label("expected a licence of the distribution's table"));
                continue;
            };
            for word in name.value.split_whitespace() {
                match License::new(word) {
                    Ok(l) => nodes.push(Node::Leaf(l)),
                    Err(e) => self
                        .findings
                        .push(Finding::error("E0315", name.span, e.to_string())),
                }
            }
        }
        Spec::new(nodes)
    }

    /// Returns the variables that eclasses read at `inherit`, in the order of the eclasses' names.
    fn early(&mut self) -> Vec<Variable> {
        let word = Variable::new;
        let array = |name: &str, items: Vec<Word>| Variable::array(name, items);
        let mut out = Vec::new();
        let facts = self.facts();
        let expand = Expand::of(self.plan);
        // By default cmake.eclass runs ninja.
        if self.p.package.generator == Some(Generator::Make) {
            out.push(word("CMAKE_MAKEFILE_GENERATOR", Word::lit("emake")));
        }
        if let Some(docs) = facts.and_then(|f| f.docs.as_ref()) {
            out.push(word("DOCS_BUILDER", Word::lit(docs.builder.word())));
            if let Some(folder) = &docs.folder {
                out.push(word("DOCS_DIR", Word::lit(folder.value.clone())));
            }
            if !docs.depend.is_empty() {
                out.push(word(
                    "DOCS_DEPEND",
                    Word::lit(texts(&docs.depend).join(" ")),
                ));
            }
        }
        if let Some(python) = facts.and_then(|f| f.python.as_ref()) {
            if let Some(pep517) = &python.pep517 {
                out.push(word(
                    "DISTUTILS_USE_PEP517",
                    Word::lit(pep517.value.clone()),
                ));
            }
            let mut compat = Vec::new();
            let habit = self
                .plan
                .distro
                .settings
                .get("python")
                .filter(|_| python.compat.is_empty());
            for c in python.compat.iter().chain(habit) {
                if !is_made_of(&c.value, "_{}.,") {
                    self.error(
                        "E0316",
                        c.span,
                        format!("`{}` is not a Python implementation", c.value),
                    );
                }
                compat.push(Word::pattern(c.value.clone()));
            }
            out.push(array("PYTHON_COMPAT", compat));
        }
        if !self.llvm.is_empty() {
            out.push(array(
                crate::lower::llvm::COMPAT,
                self.llvm.iter().map(Word::lit).collect(),
            ));
        }
        match self.target_flags() {
            TargetFlags::Eclass if self.p.listed.release() == self.p.version.as_str() => {
                out.push(word(&expand.version(), Word::split("PV")));
            }
            TargetFlags::Eclass => {
                out.push(word(&expand.version(), Word::lit(self.listed_release())));
            }
            TargetFlags::Skip | TargetFlags::Own => out.push(word(&expand.skip(), Word::lit("1"))),
            TargetFlags::None => {}
        }
        out
    }

    /// Returns the release for `ROCM_VERSION`, by which the eclass finds its list of GPU targets.
    /// Reports a stated release of two numbers: `6.2` matches the pattern of a later row, such as
    /// `6.*`, and not its own row `6.[0-3].*`.
    fn listed_release(&mut self) -> String {
        let release = self.p.listed.release();
        let expand = Expand::of(self.plan);
        let stated = self
            .p
            .package
            .targets
            .as_ref()
            .and_then(|targets| targets.release.as_ref());
        if let Some(stated) = stated.filter(|_| release.matches('.').count() < 2) {
            let message = format!(
                "`{release}` can't be {}: the eclass needs three numbers",
                expand.version()
            );
            let finding = Finding::error("E0332", stated.span, message);
            self.findings
                .push(finding.label(format!("expected a release such as {release}.0")));
        }
        release.to_owned()
    }

    /// Returns the eclasses to inherit, in alphabetical order: those that the profile names, and
    /// those whose functions or variables the ebuild uses. Eclasses under `ebuild.without` are left
    /// out.
    fn inherit(&mut self, needs: &Needs) -> Vec<String> {
        let facts = self.facts();
        let stated = self.p.package.asks(|r| r.disk.or(r.memory)).is_some();
        let llvm = crate::lower::llvm::eclass(self.plan, self.p);
        let asked = [
            (!self.projects.is_empty(), "cmake"),
            (self.is_live(), "git-r3"),
            (
                self.target_flags() != TargetFlags::None,
                Expand::of(self.plan).name,
            ),
            (!self.llvm.is_empty(), llvm.as_str()),
            (stated || self.asks_requirements(), "check-reqs"),
            (self.tells_of_optional(), "optfeature"),
            (facts.is_some_and(|f| f.docs.is_some()), "docs"),
            (
                facts.is_some_and(|f| !f.config_check.is_empty()),
                "linux-info",
            ),
        ];
        let asked = asked
            .into_iter()
            .filter(|(is_asked, _)| *is_asked)
            .map(|(_, eclass)| eclass);
        let mut all: BTreeSet<String> = needs
            .eclasses
            .iter()
            .copied()
            .chain(asked)
            .map(str::to_owned)
            .collect();
        if let Some(mode) = self.python_mode() {
            all.insert(
                match mode {
                    PythonMode::Any => "python-any-r1",
                    PythonMode::Every => "python-r1",
                    PythonMode::Single => "python-single-r1",
                    PythonMode::Distutils => "distutils-r1",
                }
                .into(),
            );
        }
        if let Some(f) = facts {
            all.extend(texts(&f.inherit));
            for gone in &f.without {
                let asked: Vec<String> = all.iter().cloned().collect();
                if !all.remove(&gone.value) {
                    self.unknown(
                        "eclass",
                        &gone.value,
                        gone.span,
                        asked.iter().map(String::as_str),
                    );
                }
            }
        }
        all.into_iter().collect()
    }

    fn patches(&mut self) -> Vec<Item> {
        let p = self.p;
        let mut out = Vec::new();
        // A patch for one slot of LLVM is applied by a step.
        let by_step = rocpkg_shell::named(p, std::iter::empty());
        for patch in p.package.patches.iter().filter(|patch| !by_step(patch)) {
            let part = !patch.excludes.is_empty();
            if patch.inside.is_some() || patch.strip != 1 || part {
                let message =
                    "PATCHES requires whole patches for the source's folder with strip level 1";
                let finding = Finding::error("E0328", patch.file.span, message);
                self.findings
                    .push(finding.hint("write a `patch` step in `phases.prepare`"));
            }
            let folder = if patch.url.is_some() {
                "DISTDIR"
            } else {
                "FILESDIR"
            };
            let word = self.file_word(folder, &patch.file.value);
            self.file_name(&patch.file);
            out.push(Item::explained(word, patch.comment.clone()));
        }
        out
    }

    /// Returns the path of a file in the folder of a variable, with `${PN}` for the package's name:
    /// `hip-7.2.patch` → `"${FILESDIR}/${PN}-7.2.patch"`.
    pub(crate) fn file_word(&self, folder: &str, file: &str) -> Word {
        let word = Word::var(folder).literal("/");
        match file.strip_prefix(&format!("{}-", self.p.name)) {
            Some(rest) => word.variable("PN").literal(format!("-{rest}")),
            None => word.literal(file),
        }
    }

    /// Reports a name that is no plain file name. A name with a folder is refused too: patches are
    /// directly in the folder `files` or in DISTDIR.
    fn file_name(&mut self, file: &Spanned<String>) {
        let name = file.value.as_str();
        if !is_made_of(name, "-_.+") || name.starts_with('.') {
            self.error("E0320", file.span, format!("`{name}` is not a file name"));
        }
    }

    /// Returns the variables that are printed between the dependencies and the phases: those that
    /// cmake.eclass, check-reqs.eclass and linux-info.eclass read, then `ebuild.variables` of the
    /// profile.
    fn late(&mut self) -> Vec<Variable> {
        let p = self.p;
        let mut out = Vec::new();
        let literal = |name: &str, text: String| Variable::new(name, Word::lit(text));
        if let Some(build) = p
            .package
            .build_type
            .as_ref()
            .filter(|_| !p.package.features.contains_key("debug"))
        {
            out.push(literal("CMAKE_BUILD_TYPE", build.value.clone()));
        }
        let first = self
            .projects
            .first()
            .filter(|(_, p)| p.source.is_some())
            .map(|(name, _)| name.clone());
        if let Some(folder) = first.and_then(|name| self.project_folder(&name)) {
            out.push(Variable::new("CMAKE_USE_DIR", folder));
        }
        if let Some(disk) = p.package.asks(|r| r.disk) {
            out.push(literal("CHECKREQS_DISK_BUILD", mebibytes(disk)));
        }
        if let Some(memory) = p
            .package
            .asks(|r| r.memory)
            .filter(|_| !self.asks_requirements())
        {
            out.push(literal("CHECKREQS_MEMORY", mebibytes(memory)));
        }
        let Some(facts) = self.facts() else {
            return out;
        };
        if !facts.config_check.is_empty() {
            out.push(literal(
                "CONFIG_CHECK",
                texts(&facts.config_check).join(" "),
            ));
        }
        for (name, values) in &facts.variables {
            let value = match values.0.as_slice() {
                [one] => VariableValue::Word(self.word(one)),
                many => {
                    VariableValue::Array(many.iter().map(|t| Item::from(self.word(t))).collect())
                }
            };
            let reason = facts.reasons.get(name).cloned();
            out.push(Variable {
                name: name.clone(),
                value,
                reason,
            });
        }
        out
    }
}

/// Returns a size in mebibytes as check-reqs.eclass writes it: `2048` → `2G`.
pub(crate) fn mebibytes(size: u64) -> String {
    if size.is_multiple_of(1024) {
        format!("{}G", size / 1024)
    } else {
        format!("{size}M")
    }
}

/// Returns true if the revision in the package's overlay counts for the rendered version: the
/// overlay was read at this version, or the package has a version of its own. A live ebuild has no
/// revision.
fn is_of_version(c: &Context) -> bool {
    let revision = c.p.node.get("ebuild").and_then(|own| own.get("revision"));
    let is_own = c.p.version.own().is_some();
    !c.is_live() && revision.is_some_and(|n| is_own || c.plan.is_of_version(c.p, n.span))
}
