//! A planned package becomes an [`Ebuild`]: the variables of PMS 7, and what eclasses read.

use crate::context::{Context, folder_variable, texts};
use crate::ir::{Distfile, Ebuild, Required, Uri, Value, Variable};
use indexmap::IndexMap;
use rocpkg_model::{Cond, Ebuild as Facts, Fetch, Finding, Findings, Piece, PythonMode, RocmMode, Span, Text};
use rocpkg_pms::{Cpn, Flag, FlagState, Iuse, License, Node, Restriction, Spec, SrcUri, Version};
use rocpkg_render::bash::{Item, Word};
use rocpkg_resolve::{Plan, Planned, with_version};

/// The category of a package: its own, or the distribution's default.
pub(crate) fn category(plan: &Plan, p: &Planned) -> String {
    let own = p.package.ebuild.as_ref().and_then(|e| e.category.as_ref());
    let habit = plan.distro.settings.get("category");
    own.or(habit).map_or_else(|| "sci-libs".to_owned(), |c| c.value.clone())
}

/// Lowers one package; `None` when something is too wrong to go on.
pub(crate) fn lower(plan: &Plan, p: &Planned, findings: &mut Findings) -> Option<Ebuild> {
    let mut c = Context::new(plan, p, findings);
    let facts = p.package.ebuild.as_ref();
    let category = category(plan, p);
    let span = p.node.span;
    if Cpn::new(&category, &p.name).is_err() || Version::new(p.version.as_str()).is_err() {
        c.error("E0312", span, format!("`{category}/{}-{}` can't be a package's name", p.name, p.version));
        return None;
    }
    let depends = c.dependencies();
    let mut functions = c.functions();
    if let Some(check) = c.python_check_deps(&depends) {
        functions.insert(0, check);
    }
    let late = c.late();
    let patches = c.patches();
    let sources = c.sources();
    let distfiles = c.distfiles();
    let mut folders = vec![Variable { name: "S".into(), value: Value::Word(c.main_folder()) }];
    for (i, s) in p.sources.iter().enumerate().skip(1) {
        if c.folders.contains(&s.name) {
            let value = Value::Word(c.unpacked(i));
            folders.push(Variable { name: folder_variable(&s.name), value });
        }
    }
    if p.sources.is_empty() {
        folders.clear();
    }
    let early = c.early();
    let required_use = c.required_use();
    let (restrict, restrict_reason) = c.restrict();
    let own_targets = c.own_targets();
    let iuse = c.iuse();
    let inherit = c.inherit();
    let license = c.license();
    let description = c.one_line(&p.package.summary.value, p.package.summary.span, 80);
    let homepage = c.homepage();
    let keywords = facts.map(|f| texts(&f.keywords)).filter(|k| !k.is_empty()).map_or_else(
        || plan.distro.settings.get("keywords").map_or_else(|| "~amd64".to_owned(), |k| k.value.clone()),
        |k| k.join(" "),
    );
    let remote = facts.and_then(|f| f.remote.as_ref()).map(|r| r.value.clone()).or_else(|| {
        p.sources.first().filter(|s| !s.repository.is_empty()).map(|s| format!("{}/{}", s.owner, s.repository))
    });
    let flags = c.local_flags();
    let mut files: Vec<String> =
        p.package.patches.iter().filter(|f| f.url.is_none()).map(|f| f.file.value.clone()).collect();
    files.extend(facts.map(|f| texts(&f.files)).unwrap_or_default());
    let pytest = facts.and_then(|f| f.python.as_ref()).map(|p| texts(&p.pytest)).unwrap_or_default();
    let required_reasons = p.package.constraints.iter().filter_map(|c| c.comment.clone()).collect();
    Some(Ebuild {
        id: p.id.clone(),
        category,
        name: p.name.clone(),
        version: p.version.to_string(),
        revision: facts.and_then(|f| f.revision),
        year: plan.distro.year.as_ref().map_or_else(|| "2026".to_owned(), |y| y.value.clone()),
        early,
        inherit,
        description,
        homepage,
        sources,
        folders,
        license,
        keywords,
        own_targets,
        iuse,
        required_use,
        restrict,
        restrict_reason,
        depends,
        required_reasons,
        late,
        pytest,
        patches,
        functions,
        files,
        distfiles,
        remote,
        flags,
    })
}

impl Context<'_> {
    fn facts(&self) -> Option<&'_ Facts> {
        self.p.package.ebuild.as_ref()
    }

    /// Text of one line: what stands between quotes and must not hold a line feed.
    fn one_line(&mut self, text: &str, span: Span, most: usize) -> String {
        if text.contains(['\n', '\t']) || text.trim().is_empty() {
            self.error("E0313", span, "a description is one line of text");
        } else if text.chars().count() > most {
            let message = format!("the description has {} characters, more than {most}", text.chars().count());
            self.findings.push(Finding::warning("W0303", Some(span), message));
        }
        text.to_owned()
    }

    /// `HOMEPAGE`: what is stated, else the folder of a monorepo, else the repository.
    fn homepage(&mut self) -> String {
        let stated = self.p.package.homepage.as_ref();
        if let Some(h) = stated {
            let fine = h.value.starts_with("http") && SrcUri::new(&h.value).is_ok();
            if !fine {
                self.error("E0314", h.span, format!("`{}` is no address", h.value));
            }
            return h.value.clone();
        }
        let Some(s) = self.p.sources.first() else { return "https://rocm.docs.amd.com".to_owned() };
        let home = format!("https://github.com/{}/{}", s.owner, s.repository);
        match &s.path {
            Some(path) => format!("{home}/tree/develop/{path}"),
            None => home,
        }
    }

    /// The distribution's names of the licences.
    fn license(&mut self) -> Spec<License> {
        let mut nodes = Vec::new();
        for spdx in &self.p.package.licence {
            let Some(name) = self.plan.distro.licences.get(&spdx.value) else {
                let known: Vec<&str> = self.plan.distro.licences.keys().map(String::as_str).collect();
                self.findings.push(
                    Finding::error("E0315", spdx.span, format!("no name is known in Gentoo for the licence `{}`", spdx.value))
                        .label("expected a licence of the distribution's table")
                        .nearest(&spdx.value, known),
                );
                continue;
            };
            for word in name.value.split_whitespace() {
                match License::new(word) {
                    Ok(l) => nodes.push(Node::Leaf(l)),
                    Err(e) => self.findings.push(Finding::error("E0315", name.span, e.to_string())),
                }
            }
        }
        Spec::new(nodes)
    }

    /// Variables that eclasses read at `inherit`, in the order of the eclasses' names.
    fn early(&mut self) -> Vec<Variable> {
        let word = |name: &str, value: Word| Variable { name: name.to_owned(), value: Value::Word(value) };
        let array = |name: &str, items: Vec<Word>| Variable {
            name: name.to_owned(),
            value: Value::Array(items.into_iter().map(Item::from).collect()),
        };
        let mut out = Vec::new();
        let facts = self.facts().cloned();
        if let Some(docs) = facts.as_ref().and_then(|f| f.docs.as_ref()) {
            out.push(word("DOCS_BUILDER", Word::lit(docs.builder.value.clone())));
            if let Some(folder) = &docs.folder {
                out.push(word("DOCS_DIR", Word::lit(folder.value.clone())));
            }
            if !docs.depend.is_empty() {
                out.push(word("DOCS_DEPEND", Word::lit(texts(&docs.depend).join(" "))));
            }
        }
        if let Some(python) = facts.as_ref().and_then(|f| f.python.as_ref()) {
            if let Some(pep517) = &python.pep517 {
                out.push(word("DISTUTILS_USE_PEP517", Word::lit(pep517.value.clone())));
            }
            let mut compat = Vec::new();
            for c in &python.compat {
                let fine = c.value.bytes().all(|b| b.is_ascii_alphanumeric() || b"_{}.,".contains(&b));
                if !fine {
                    self.error("E0316", c.span, format!("`{}` is no Python implementation", c.value));
                }
                compat.push(Word::pattern(c.value.clone()));
            }
            out.push(array("PYTHON_COMPAT", compat));
        }
        let llvm = self.llvm();
        if !llvm.is_empty() {
            out.push(array("LLVM_COMPAT", llvm.into_iter().map(Word::lit).collect()));
        }
        match self.rocm() {
            RocmMode::Eclass => out.push(word("ROCM_VERSION", Word::var("PV"))),
            RocmMode::Skip | RocmMode::Own => out.push(word("ROCM_SKIP_GLOBALS", Word::lit("1"))),
            RocmMode::None => {}
        }
        out
    }

    /// The eclasses: those the package names, and those that what it does needs.
    fn inherit(&mut self) -> Vec<String> {
        let facts = self.facts().cloned();
        let mut all = std::mem::take(&mut self.eclasses);
        all.insert("cmake".into());
        if self.rocm() != RocmMode::None {
            all.insert("rocm".into());
        }
        if !self.llvm().is_empty() {
            all.insert("llvm-r2".into());
        }
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
        let resources = self.p.package.resources.as_ref();
        if resources.is_some_and(|r| r.disk.is_some() || r.memory.is_some() || r.memory_per_job.is_some()) {
            all.insert("check-reqs".into());
        }
        if let Some(f) = facts {
            if f.docs.is_some() {
                all.insert("docs".into());
            }
            if !f.config_check.is_empty() {
                all.insert("linux-info".into());
            }
            all.extend(texts(&f.inherit));
            for gone in &f.without {
                all.remove(&gone.value);
            }
        }
        let fine = |n: &String| !n.is_empty() && n.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b));
        for wrong in all.iter().filter(|n| !fine(n)) {
            let span = self.p.node.span;
            self.findings.push(Finding::error("E0317", span, format!("`{wrong}` is no eclass")));
        }
        all.into_iter().collect()
    }

    /// The targets of a package that does not take the eclass's list, in the order in which it states them.
    fn own_targets(&self) -> Vec<String> {
        if self.rocm() != RocmMode::Own {
            return Vec::new();
        }
        let Some(t) = &self.p.targets else { return Vec::new() };
        let offered: Vec<&String> = t.default.iter().chain(&t.offered).collect();
        if t.supports.is_empty() {
            return offered.into_iter().cloned().collect();
        }
        t.supports.iter().filter(|n| offered.contains(n)).cloned().collect()
    }

    /// `IUSE`: features in the order of the profile. `doc` is docs.eclass's, targets are rocm.eclass's.
    fn iuse(&mut self) -> Iuse {
        let mut iuse = Iuse::default();
        let docs = self.facts().is_some_and(|f| f.docs.is_some());
        for (name, feature) in &self.p.package.features {
            if feature.fixed.is_some() || (docs && name == "doc") {
                continue;
            }
            match Flag::new(&self.flag(name)) {
                Ok(flag) => iuse.insert(flag, feature.default.then_some(true)),
                Err(e) => self.findings.push(Finding::error("E0303", self.p.node.span, e.to_string())),
            }
        }
        // Alphabetical, as developers keep it.
        let mut flags: Vec<(Flag, bool)> = iuse.defaults().map(|(f, on)| (f.clone(), on)).collect();
        flags.sort();
        let mut iuse = Iuse::default();
        flags.into_iter().for_each(|(flag, on)| iuse.insert(flag, on.then_some(true)));
        iuse
    }

    /// `REQUIRED_USE` (PMS 8.2): targets, Python, constraints, and features that only some targets can be built with.
    fn required_use(&mut self) -> Spec<Required> {
        let mut nodes = Vec::new();
        let facts = self.facts().cloned();
        let asked = facts.as_ref().map(|f| texts(&f.require_targets.0)).unwrap_or_default();
        let rocm = || Node::Leaf(Required::Expansion("ROCM_REQUIRED_USE"));
        if matches!(self.rocm(), RocmMode::Eclass | RocmMode::Own) {
            match asked.first().map(String::as_str) {
                None | Some("always") => nodes.push(rocm()),
                Some("never") => {}
                Some(_) => {
                    for feature in &asked {
                        match Flag::new(&self.flag(feature)) {
                            Ok(flag) => nodes.push(Node::when(flag, [rocm()])),
                            Err(e) => self.findings.push(Finding::error("E0303", self.p.node.span, e.to_string())),
                        }
                    }
                }
            }
        }
        if matches!(self.python_mode(), Some(PythonMode::Every | PythonMode::Single)) {
            nodes.push(Node::Leaf(Required::Expansion("PYTHON_REQUIRED_USE")));
        }
        let p = self.p;
        for (name, feature) in p.package.features.iter().filter(|(_, f)| !f.targets.is_empty() && f.fixed.is_none()) {
            let leaves: Vec<Cond> = feature.targets.iter().map(|t| Cond::Target(t.value.clone())).collect();
            let any = self.required_group(&leaves, Node::Any);
            if let Ok(flag) = Flag::new(&self.flag(name)) {
                nodes.push(Node::when(flag, any));
            }
        }
        for constraint in &p.package.constraints {
            let feature = |l: &[rocpkg_model::Spanned<String>]| -> Vec<Cond> {
                l.iter().map(|s| Cond::parse(&s.value).unwrap_or_else(|_| Cond::Feature(s.value.clone()))).collect()
            };
            let mut inner = Vec::new();
            if let Some(need) = &constraint.need {
                inner.push(self.required(&need.cond, need.span));
            }
            inner.extend(self.required_group(&feature(&constraint.exactly_one), Node::ExactlyOne));
            inner.extend(self.required_group(&feature(&constraint.at_most_one), Node::AtMostOne));
            inner.extend(self.required_group(&feature(&constraint.any_of), Node::Any));
            match &constraint.when {
                Some(when) => nodes.extend(self.required_when(&when.cond, when.span, inner)),
                None => nodes.extend(inner),
            }
        }
        Spec::new(nodes)
    }

    fn required_group(
        &mut self,
        leaves: &[Cond],
        group: fn(Vec<Node<Required>>) -> Node<Required>,
    ) -> Option<Node<Required>> {
        let span = self.p.node.span;
        (!leaves.is_empty()).then(|| group(leaves.iter().map(|c| self.required(c, span)).collect()))
    }

    fn required_when(&mut self, cond: &Cond, span: Span, inner: Vec<Node<Required>>) -> Vec<Node<Required>> {
        match cond {
            Cond::All(cs) => cs.iter().rev().fold(inner, |inner, c| self.required_when(c, span, inner)),
            Cond::Any(cs) => cs.iter().flat_map(|c| self.required_when(c, span, inner.clone())).collect(),
            Cond::Not(c) => match self.leaf_flag(c).map(|f| Flag::new(&f)) {
                Some(Ok(flag)) => vec![Node::unless(flag, inner)],
                _ => {
                    self.error("E0302", span, format!("`{cond}` has no form in REQUIRED_USE"));
                    Vec::new()
                }
            },
            leaf => match self.leaf_flag(leaf).map(|f| Flag::new(&f)) {
                Some(Ok(flag)) => vec![Node::when(flag, inner)],
                _ => {
                    self.error("E0302", span, format!("`{cond}` has no form in REQUIRED_USE"));
                    Vec::new()
                }
            },
        }
    }

    fn required(&mut self, cond: &Cond, span: Span) -> Node<Required> {
        match cond {
            Cond::All(cs) => Node::All(cs.iter().map(|c| self.required(c, span)).collect()),
            Cond::Any(cs) => Node::Any(cs.iter().map(|c| self.required(c, span)).collect()),
            Cond::Not(c) => self.required_flag(c, false, span),
            leaf => self.required_flag(leaf, true, span),
        }
    }

    fn required_flag(&mut self, leaf: &Cond, on: bool, span: Span) -> Node<Required> {
        match self.leaf_flag(leaf).map(|f| Flag::new(&f)) {
            Some(Ok(flag)) => Node::Leaf(Required::Flag(FlagState { flag, on })),
            _ => {
                self.error("E0302", span, format!("`{leaf}` has no form in REQUIRED_USE"));
                Node::All(Vec::new())
            }
        }
    }

    /// `RESTRICT=test` where tests are never run, `!test? ( test )` where the user decides (PMS 7.3.6).
    fn restrict(&mut self) -> (Spec<Restriction>, Option<String>) {
        let word = || Restriction::new("test").map(Node::Leaf).ok();
        let never = self.p.package.tests.as_ref().and_then(|t| t.never.as_ref()).map(|n| n.value.clone());
        if let Some(reason) = never {
            return (word().into_iter().collect(), Some(reason));
        }
        let flag = self.p.package.features.get("test").filter(|f| f.fixed.is_none());
        let pytest = self.facts().and_then(|f| f.python.as_ref()).is_some_and(|p| !p.pytest.is_empty());
        match (flag, Flag::new(&self.flag("test"))) {
            (Some(_), Ok(flag)) if !pytest => (Spec::new([Node::unless(flag, word())]), None),
            _ => (Spec::default(), None),
        }
    }

    /// `SRC_URI`: each address with the variables that keep the version in one place.
    fn sources(&mut self) -> Spec<Uri> {
        let mut nodes: Vec<Node<Uri>> = Vec::new();
        let p = self.p;
        for (i, s) in p.sources.iter().enumerate() {
            if matches!(s.fetch, Fetch::Inherited) {
                continue;
            }
            if matches!(s.fetch, Fetch::Git | Fetch::Tree) {
                self.error("E0318", s.span, "an ebuild fetches archives: expected `asset`, `archive` or `file`");
                continue;
            }
            let url = variables(&s.url);
            // GitHub serves a tag's archive under a shorter address too, which is the one in use.
            let url = if s.fetch == Fetch::Archive { url.replace("/archive/refs/tags/", "/archive/") } else { url };
            let stored = plain(&self.distfile(i));
            let own = url.rsplit('/').next().unwrap_or_default() == stored;
            let text = if own { url } else { format!("{url} -> {stored}") };
            let value = SrcUri::new(&with_version(&s.url, &s.version)).and_then(|u| u.stored_as(&self.stored(i)));
            let odd = text.contains(['`', '"', '\\', '\'']) || text.replace("${", "").contains('$');
            if let (Err(_), _) | (_, true) = (&value, odd) {
                self.error("E0319", s.span, format!("`{text}` is no address of a file"));
                continue;
            }
            let leaf = Node::Leaf(Uri(text));
            match &s.when {
                None => nodes.push(leaf),
                Some(when) => {
                    let Some(Ok(flag)) = self.leaf_flag(&when.cond).map(|f| Flag::new(&f)) else {
                        self.error("E0302", when.span, "a source hangs on one feature");
                        continue;
                    };
                    let same = |n: &Node<Uri>| matches!(n, Node::If { flag: f, on: true, .. } if *f == flag);
                    match nodes.iter_mut().find(|n| same(n)) {
                        Some(Node::If { nodes, .. }) => nodes.push(leaf),
                        _ => nodes.push(Node::when(flag, [leaf])),
                    }
                }
            }
        }
        Spec::new(nodes)
    }

    /// The name under which a source is stored: what is stated, else the asset's with the version, else `${P}`.
    pub(crate) fn distfile(&self, at: usize) -> Word {
        let s = &self.p.sources[at];
        let text = match (&s.save_as, s.fetch, &s.asset) {
            (Some(name), ..) => name.clone(),
            (None, Fetch::Asset, asset) => {
                let asset = asset.clone().unwrap_or_else(|| s.repository.clone());
                named(&asset)
            }
            (None, Fetch::Archive, _) if at == 0 && s.path.is_none() => named(&self.p.name),
            (None, Fetch::Archive, _) => named(&format!("{}-rocm", s.repository)),
            _ => {
                let url = with_version(&s.url, &s.version);
                Text::literal(url.rsplit('/').next().unwrap_or_default())
            }
        };
        let mut word = Word::default();
        let shown = shorten(&text, &self.p.name, &self.p.version.to_string() == s.version.as_str());
        for piece in &shown {
            word = match piece {
                Piece::Literal(t) => word.literal(t.clone()),
                Piece::Reference(r) => word.variable(r.clone()),
            };
        }
        word
    }

    /// The same name with the values in place.
    fn stored(&self, at: usize) -> String {
        let version = &self.p.version;
        plain(&self.distfile(at))
            .replace("${P}", &format!("{}-{version}", self.p.name))
            .replace("${PN}", &self.p.name)
            .replace("${PV}", self.p.sources[at].version.as_str())
    }

    fn distfiles(&mut self) -> Vec<Distfile> {
        let mut out: Vec<Distfile> = Vec::new();
        for (i, s) in self.p.sources.iter().enumerate() {
            if matches!(s.fetch, Fetch::Inherited | Fetch::Git | Fetch::Tree) {
                continue;
            }
            let sums = s.checksum.as_ref().and_then(|c| {
                Some((c.size?, c.blake2b.as_ref()?.value.clone(), c.sha512.as_ref()?.value.clone()))
            });
            let name = self.stored(i);
            if sums.is_none() {
                self.findings.push(
                    Finding::warning("W0301", Some(s.span), format!("no size, BLAKE2B and SHA512 are known of {name}"))
                        .hint(format!("run `ebuild {}-{}.ebuild manifest`", self.p.name, self.p.version)),
                );
            }
            out.push(Distfile { name, sums });
        }
        out
    }

    /// The folder an archive unpacks to: GitHub names a tag's `repository-tag`, an asset's is the project's.
    pub(crate) fn archive_folder(&self, at: usize) -> Word {
        let s = &self.p.sources[at];
        match s.fetch {
            Fetch::Archive => {
                let reference = s.revision.clone().map_or_else(|| s.tag.clone(), Text::literal);
                let mut word = Word::lit(format!("{}-", s.repository));
                for piece in &reference.pieces {
                    word = match piece {
                        Piece::Literal(t) => word.literal(t.replace('/', "-")),
                        Piece::Reference(_) => word.variable("PV"),
                    };
                }
                word
            }
            _ => Word::lit(s.asset.clone().unwrap_or_else(|| s.repository.clone())),
        }
    }

    /// Where a source stands after `src_unpack`.
    pub(crate) fn unpacked(&mut self, at: usize) -> Word {
        let p = self.p;
        let s = &p.sources[at];
        let work = Word::var("WORKDIR").literal("/");
        if let Some(folder) = &s.folder {
            let folder = folder.clone();
            return work.then(self.word(&folder));
        }
        let top = work.then(self.archive_folder(at));
        match (&s.path, s.fetch) {
            (Some(path), Fetch::Archive) => top.literal(format!("/{path}")),
            _ => top,
        }
    }

    fn main_folder(&mut self) -> Word {
        if self.p.sources.is_empty() { Word::var("WORKDIR") } else { self.unpacked(0) }
    }

    fn patches(&mut self) -> Vec<Item> {
        let p = self.p;
        let mut out = Vec::new();
        for patch in p.package.patches.iter().filter(|f| f.url.is_none()) {
            let prefix = format!("{}-", p.name);
            let word = Word::var("FILESDIR").literal("/");
            let word = match patch.file.value.strip_prefix(&prefix) {
                Some(rest) => word.variable("PN").literal(format!("-{rest}")),
                None => word.literal(patch.file.value.clone()),
            };
            let plain = patch.file.value.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.+".contains(&b));
            if !plain {
                self.error("E0320", patch.file.span, format!("`{}` is no file name", patch.file.value));
            }
            out.push(Item { word, comment: patch.comment.clone() });
        }
        out
    }

    /// Variables between the dependencies and the phases.
    fn late(&mut self) -> Vec<Variable> {
        let p = self.p;
        let mut out = Vec::new();
        let literal = |name: &str, text: String| Variable { name: name.into(), value: Value::Word(Word::lit(text)) };
        if let Some(build) = p.package.build_type.as_ref().filter(|_| !p.package.features.contains_key("debug")) {
            out.push(literal("CMAKE_BUILD_TYPE", build.value.clone()));
        }
        if let Some(source) = self.projects.first().and_then(|(_, p)| p.source.clone()) {
            let value = Value::Word(self.word(&source));
            out.push(Variable { name: "CMAKE_USE_DIR".into(), value });
        }
        let resources = p.package.resources.as_ref();
        if let Some(disk) = resources.and_then(|r| r.disk) {
            out.push(literal("CHECKREQS_DISK_BUILD", mebibytes(disk)));
        }
        if let Some(memory) = resources.and_then(|r| r.memory) {
            out.push(literal("CHECKREQS_MEMORY", mebibytes(memory)));
        }
        let Some(facts) = self.facts().cloned() else { return out };
        if !facts.config_check.is_empty() {
            out.push(literal("CONFIG_CHECK", texts(&facts.config_check).join(" ")));
        }
        for (name, values) in &facts.variables {
            let arrays = facts.arrays.iter().any(|a| a.value == *name);
            let value = match values.0.as_slice() {
                [one] if !arrays => Value::Word(self.word(one)),
                many => Value::Array(many.iter().map(|t| Item::from(self.word(t))).collect()),
            };
            out.push(Variable { name: name.clone(), value });
        }
        out
    }

    /// Flags that no repository describes for all packages.
    fn local_flags(&self) -> IndexMap<String, String> {
        let global = self.plan.distro.settings.get("global-flags").map_or("", |s| s.value.as_str());
        let global: Vec<&str> = global.split_whitespace().collect();
        let mut out: IndexMap<String, String> = IndexMap::new();
        for (name, feature) in &self.p.package.features {
            let flag = self.flag(name);
            if feature.fixed.is_some() || global.contains(&flag.as_str()) {
                continue;
            }
            let summary = feature.summary.as_ref().map_or_else(|| format!("Enable {name}"), |s| s.value.clone());
            out.insert(flag, summary);
        }
        out.sort_keys();
        out
    }
}

/// `name-${version}.tar.gz`.
fn named(name: &str) -> Text {
    Text {
        pieces: vec![
            Piece::Literal(format!("{name}-")),
            Piece::Reference("version".into()),
            Piece::Literal(".tar.gz".into()),
        ],
        span: Span::default(),
    }
}

/// `PN-${version}` is `${P}` where the source has the package's version, which is how ebuilds write it.
fn shorten(text: &Text, name: &str, same_version: bool) -> Vec<Piece> {
    let mut out: Vec<Piece> = Vec::new();
    for piece in &text.pieces {
        match piece {
            Piece::Reference(r) if r == "version" => {
                let head = match out.last_mut() {
                    Some(Piece::Literal(t)) if same_version => t.strip_suffix(&format!("{name}-")).map(str::to_owned),
                    _ => None,
                };
                match head {
                    Some(head) if head.is_empty() => {
                        out.pop();
                        out.push(Piece::Reference("P".into()));
                    }
                    _ => out.push(Piece::Reference("PV".into())),
                }
            }
            Piece::Reference(r) if r == "name" => out.push(Piece::Reference("PN".into())),
            other => out.push(other.clone()),
        }
    }
    out
}

/// The address with `${PV}` for the version.
fn variables(url: &Text) -> String {
    let piece = |p: &Piece| match p {
        Piece::Literal(t) => t.clone(),
        Piece::Reference(_) => "${PV}".to_owned(),
    };
    url.pieces.iter().map(piece).collect()
}

/// A word of literals and plain variables without quotes.
fn plain(word: &Word) -> String {
    word.print(rocpkg_render::bash::Quoting::Whole).trim_matches('"').to_owned()
}

/// Mebibytes as check-reqs.eclass writes them.
fn mebibytes(size: u64) -> String {
    if size.is_multiple_of(1024) { format!("{}G", size / 1024) } else { format!("{size}M") }
}
