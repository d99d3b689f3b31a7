//! Dependency edges become atoms in RDEPEND, DEPEND, BDEPEND and PDEPEND (PMS 8.1 and 8.2).

use crate::lower::context::Context;
use crate::lower::expand::Expand;
use crate::value::dep::{Dep, Dependencies, Written};
use crate::value::open::{self, Call};
use rocpkg_model::{Cond, EdgeKind, Finding, PythonMode, Span};
use rocpkg_pms::{Atom, Flag, Node, Spec};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge, TEST};

/// The USE conditionals around a dependency, outermost first: each flag with its required state.
pub(crate) type Path = Vec<(Flag, bool)>;

/// The dependencies of one variable, grouped by the USE conditionals around them.
#[derive(Default)]
struct Groups(Vec<(Path, Vec<Dep>)>);

impl Groups {
    fn add(&mut self, path: &Path, dep: &Dep) {
        let at = self
            .0
            .iter()
            .position(|(p, _)| p == path)
            .unwrap_or_else(|| {
                self.0.push((path.clone(), Vec::new()));
                self.0.len() - 1
            });
        let deps = &mut self.0[at].1;
        // One call of a generating function holds all atoms of a group.
        if let Dep::Call(call) = dep
            && let Some(Dep::Call(before)) = deps
                .iter_mut()
                .find(|d| matches!(d, Dep::Call(other) if other.function == call.function))
        {
            let before = &mut before.depends.nodes;
            let new = call.depends.nodes.iter();
            let new: Vec<_> = new.filter(|node| !before.contains(node)).cloned().collect();
            before.extend(new);
        } else if !deps.contains(dep) {
            deps.push(dep.clone());
        }
    }

    /// Returns the specification: unconditional dependencies first, then the groups in the order in
    /// which they were added. Groups with the same outer conditional are nested in one conditional.
    fn spec(self) -> Spec<Dep> {
        let mut nodes: Vec<Node<Dep>> = Vec::new();
        let (plain, conditional): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|(p, _)| p.is_empty());
        for (path, deps) in plain.into_iter().chain(conditional) {
            insert(&mut nodes, &path, deps);
        }
        Spec::new(nodes)
    }
}

/// Inserts the leaves `deps` into the tree `nodes`, below the USE conditionals of `path` and behind
/// the leaves that are there already. Conditionals that the tree lacks are added: the path `a`,
/// `!b` and the leaf `x/y` → `a? ( !b? ( x/y ) )`.
pub(crate) fn insert<T>(nodes: &mut Vec<Node<T>>, path: &[(Flag, bool)], deps: Vec<T>) {
    let Some(((flag, on), rest)) = path.split_first() else {
        nodes.extend(deps.into_iter().map(Node::Leaf));
        return;
    };
    let same = |n: &Node<T>| matches!(n, Node::If { flag: f, on: o, .. } if f == flag && o == on);
    if !nodes.iter().any(same) {
        nodes.push(Node::If {
            flag: flag.clone(),
            on: *on,
            nodes: Vec::new(),
        });
    }
    if let Some(Node::If { nodes, .. }) = nodes.iter_mut().find(|n| same(n)) {
        insert(nodes, rest, deps);
    }
}

/// Returns the dependency variable above which the comment on a dependency of these kinds is
/// printed.
fn note_variable(kinds: &[EdgeKind]) -> &'static str {
    match kinds.last() {
        Some(EdgeKind::Tool) => "BDEPEND",
        Some(EdgeKind::Build | EdgeKind::Test) => "DEPEND",
        Some(EdgeKind::Post) => "PDEPEND",
        _ => "RDEPEND",
    }
}

/// Returns the name of the package that a dependency is on: `>=dev-util/hip-7.0:=` →
/// `dev-util/hip`. A call of a generating function, such as `llvm_gen_dep`, counts as its first
/// dependency.
pub(crate) fn subject(dep: &Dep) -> String {
    match dep {
        Dep::Atom(atom, _) => atom.cpn().to_string(),
        Dep::Open(text) => text.to_string(),
        Dep::Expansion(name) => name.to_string(),
        Dep::Call(call) => {
            let all = call.depends.leaves();
            all.first().map(|dep| subject(dep)).unwrap_or_default()
        }
    }
}

/// Returns the version requirement of an edge: a range such as `>=7.0`, or one of the words `slot`,
/// `same` (version) and `any`. If the profile states none, the result is `slot` for a package of
/// the plan that is not only a tool, else `any`.
fn version(resolved: &ResolvedEdge) -> &str {
    let tool = resolved.edge.kind.0.iter().all(|k| *k == EdgeKind::Tool);
    let default = match resolved.to {
        Dependency::Package(_) if !tool => "slot",
        _ => "any",
    };
    resolved
        .edge
        .version
        .as_ref()
        .map_or(default, |v| v.value.as_str())
}

/// Replaces the variables in `text`, a dependency of the package `p`, by their values:
/// `~sci-libs/rocBLAS-${PV}` → `~sci-libs/rocBLAS-7.2.4`. `${LLVM_SLOT}` becomes `llvm_slot`, and
/// `${PYTHON_USEDEP}` becomes the flag of Python 3.13.
pub(crate) fn in_place(plan: &Plan, p: &Planned, text: &str, llvm_slot: &str) -> String {
    let mut out = text.to_owned();
    let mut put = |variable: &str, value: &dyn Fn() -> String| {
        if out.contains(variable) {
            out = out.replace(variable, &value());
        }
    };
    put(&format!("${{{}}}", Expand::of(plan).usedep()), &|| {
        crate::lower::propagation::usedep(plan, p)
    });
    put("${SLOT}", &|| crate::lower::live::slot_value(plan, p));
    put("${SLOT_NOLIVE}", &|| crate::lower::live::slot_of_release(p));
    put("${PV}", &|| crate::lower::live::version(plan, p).to_owned());
    put("${LLVM_SLOT}", &|| llvm_slot.to_owned());
    put("${PYTHON_USEDEP}", &|| {
        "python_targets_python3_13(-)".to_owned()
    });
    out
}

/// Returns the atom of `package` with the version `range`: `dev-util/hip` and `>=7.0` →
/// `>=dev-util/hip-7.0`. A range without an operator means `=`.
fn ranged(package: &str, range: &str) -> String {
    let at = range
        .find(|c: char| !"<>=~".contains(c))
        .unwrap_or(range.len());
    let (operator, version) = range.split_at(at);
    let (name, slot) = package
        .split_once(':')
        .map_or((package, None), |(n, s)| (n, Some(s)));
    let slot = slot.map(|s| format!(":{s}")).unwrap_or_default();
    let operator = if operator.is_empty() { "=" } else { operator };
    format!("{operator}{name}-{}{slot}", version.trim())
}

impl Context<'_> {
    /// Returns all dependency variables of the package.
    ///
    /// The kinds of edges map to variables as PMS 8.1 defines them. Libraries that the package
    /// links against are in RDEPEND and DEPEND, headers in DEPEND, programs that run during the
    /// build in BDEPEND, blockers in RDEPEND. Optional dependencies are in no variable.
    pub(crate) fn dependencies(&mut self) -> Dependencies {
        let (mut run, mut build) = (Groups::default(), Groups::default());
        let (mut tool, mut post) = (Groups::default(), Groups::default());
        let mut notes = Vec::new();
        let edges = &self.p.depends;
        for resolved in edges {
            let span = resolved
                .edge
                .when
                .as_ref()
                .map_or_else(|| self.place(&resolved.name), |w| w.span);
            let mut paths = match &resolved.edge.when {
                Some(w) => self.paths(&w.cond, w.span),
                None => vec![Vec::new()],
            };
            let kinds = &resolved.edge.kind.0;
            if kinds.contains(&EdgeKind::Test) {
                // Tests have dependencies only if the user can turn them on and off.
                if self.p.test_feature().is_none_or(|f| f.fixed.is_some()) {
                    continue;
                }
                if let Ok(test) = Flag::new(&self.flag(TEST)) {
                    for path in paths
                        .iter_mut()
                        .filter(|p| !p.iter().any(|(f, _)| *f == test))
                    {
                        path.insert(0, (test.clone(), true));
                    }
                }
            }
            if self.runs_no_python(resolved) {
                continue;
            }
            let mut atoms = self.atoms(resolved, span).into_iter();
            let Some(dep) = atoms.next() else { continue };
            if let Some(comment) = &resolved.edge.comment {
                notes.push((
                    note_variable(kinds),
                    format!("{}: {comment}", subject(&dep)),
                ));
            }
            let mut handed = self.handed_on(resolved, dep, span);
            handed.extend(atoms);
            for (path, dep) in paths
                .iter()
                .flat_map(|path| handed.iter().map(move |dep| (path, dep)))
            {
                for kind in kinds {
                    match kind {
                        EdgeKind::Link | EdgeKind::Propagated => {
                            run.add(path, dep);
                            build.add(path, dep);
                        }
                        // Tests link against their libraries, unless the edge has a further kind
                        // such as a program.
                        EdgeKind::Test if kinds.len() > 1 => {}
                        EdgeKind::Build | EdgeKind::Test => build.add(path, dep),
                        EdgeKind::Tool => tool.add(path, dep),
                        EdgeKind::Run | EdgeKind::Conflict => run.add(path, dep),
                        EdgeKind::Post => post.add(path, dep),
                        EdgeKind::Optional => {}
                    }
                }
            }
        }
        Dependencies {
            run: run.spec(),
            build: build.spec(),
            tool: tool.spec(),
            install: Spec::default(),
            post: post.spec(),
            notes,
        }
    }

    /// Returns the place at which the profile names the dependency `name`, else the place of the
    /// package.
    fn place(&self, name: &str) -> Span {
        let depends = self
            .p
            .node
            .get("depends")
            .map(rocpkg_model::Node::entries)
            .unwrap_or_default();
        depends
            .iter()
            .find(|(key, _)| key.name == name)
            .map_or(self.p.node.span, |(key, _)| key.span)
    }

    /// Returns one path for each alternative of a condition, as USE conditionals have no "or" (PMS
    /// 8.2.1). The condition "`a`, or `b` without `c`" has two: `a?`, and `b? !c?`.
    pub(crate) fn paths(&mut self, cond: &Cond, span: Span) -> Vec<Path> {
        let not = |cond: &Cond| Cond::Not(Box::new(cond.clone()));
        match cond {
            Cond::Any(cs) => cs.iter().flat_map(|c| self.paths(c, span)).collect(),
            Cond::All(cs) => cs.iter().fold(vec![Vec::new()], |paths, c| {
                let more = self.paths(c, span);
                paths
                    .iter()
                    .flat_map(|p| more.iter().map(|m| [p.as_slice(), m].concat()))
                    .collect()
            }),
            Cond::Not(c) => match &**c {
                Cond::Not(c) => self.paths(c, span),
                Cond::Any(cs) => self.paths(&Cond::All(cs.iter().map(not).collect()), span),
                Cond::All(cs) => self.paths(&Cond::Any(cs.iter().map(not).collect()), span),
                leaf => self.path(leaf, false, span),
            },
            Cond::Llvm(range) => self.paths(&crate::lower::llvm::flags(range, &self.llvm), span),
            leaf => self.path(leaf, true, span),
        }
    }

    fn path(&mut self, leaf: &Cond, on: bool, span: Span) -> Vec<Path> {
        let Some(name) = self.leaf_flag(leaf) else {
            self.error("E0302", span, format!("the plan can't decide `{leaf}`"));
            return Vec::new();
        };
        match Flag::new(&name) {
            Ok(flag) => vec![vec![(flag, on)]],
            Err(e) => {
                self.error("E0303", span, format!("`{name}` is not a USE flag: {e}"));
                Vec::new()
            }
        }
    }

    /// Returns true for a dependency on Python in an ebuild that inherits no Python eclass. Such a
    /// dependency is left out: Portage itself is written in Python, so some Python is installed.
    fn runs_no_python(&self, resolved: &ResolvedEdge) -> bool {
        let external =
            matches!(&resolved.to, Dependency::External(name) if name.contains("${PYTHON_"));
        external && resolved.edge.exact_name.is_none() && self.python_mode().is_none()
    }

    /// Returns the atoms that an edge becomes, one for each bound of its version: `>=7.0, <8`
    /// becomes two atoms. Slots and versions are decided here and in `of_live`. USE dependencies of
    /// GPU targets are added by `handed_on`.
    ///
    /// A dependency on a package of the stack requires the slot of the release (`0/7.2`). A program
    /// that runs during the build needs no slot: the sub-slot is the ABI, which has no effect on
    /// programs that are only run. If one of both packages has a version of its own, they share no
    /// slot. Packages that link are then rebuilt when the sub-slot of the other package changes.
    pub(crate) fn atoms(&mut self, resolved: &ResolvedEdge, span: Span) -> Vec<Dep> {
        let bounds = version(resolved).split(',').map(str::trim);
        let bounds = bounds.take(if resolved.edge.exact_name.is_none() {
            usize::MAX
        } else {
            1
        });
        bounds
            .filter_map(|bound| self.atom(resolved, bound, span))
            .collect()
    }

    /// Returns true if one of an edge's two packages has a version of its own, so that they share
    /// no slot.
    fn shares_no_slot(&self, resolved: &ResolvedEdge) -> bool {
        let Dependency::Package(id) = &resolved.to else {
            return false;
        };
        self.p.version.own().is_some()
            || self
                .plan
                .get(id)
                .is_some_and(|to| to.version.own().is_some())
    }

    fn atom(&mut self, resolved: &ResolvedEdge, version: &str, span: Span) -> Option<Dep> {
        let edge = &resolved.edge;
        let mut text = match (&edge.exact_name, &resolved.to) {
            (Some(spelt), _) => spelt.value.clone(),
            (None, Dependency::External(name)) => name.clone(),
            (None, Dependency::Package(id)) => {
                let target = self.plan.get(id)?;
                format!(
                    "{}/{}",
                    crate::lower::context::category(self.plan, target),
                    target.name
                )
            }
        };
        if let Some(variable) = text.strip_prefix("${").and_then(|t| t.strip_suffix('}'))
            && matches!(variable, "PYTHON_DEPS")
        {
            return Some(Dep::Expansion(Written::new(variable)));
        }
        if edge.exact_name.is_none() {
            let blocks = edge.kind.0.contains(&EdgeKind::Conflict);
            // Packages that link against a slot of LLVM are rebuilt when its sub-slot changes.
            let linked = edge.kind.0.contains(&EdgeKind::Link);
            if linked && text.ends_with(":${LLVM_SLOT}") {
                text.push('=');
            }
            let apart = self.shares_no_slot(resolved);
            let is_abi =
                |k: &EdgeKind| matches!(k, EdgeKind::Link | EdgeKind::Propagated | EdgeKind::Build);
            let rebuilt = if edge.kind.0.iter().any(is_abi) {
                ":="
            } else {
                ""
            };
            text = match version {
                "any" => text,
                "slot" if blocks => text,
                "slot" | "same" if apart => text + rebuilt,
                "slot" => format!("{}:${{SLOT}}", text.split(':').next().unwrap_or_default()),
                "same" => format!("~{text}-${{PV}}"),
                range => ranged(&text, range) + if apart { rebuilt } else { "" },
            };
            if blocks {
                text.insert(0, '!');
            }
        }
        let text = self.of_live(resolved, text);
        self.read(&text, span)
    }

    /// Parses the text of a dependency, in which the variables are replaced by their values. The
    /// result keeps the original text too. A text with `${LLVM_SLOT}` becomes a call of the
    /// generating function `llvm_gen_dep`. In an ebuild for a single Python, a text with
    /// `${PYTHON_USEDEP}` becomes a call such as `python_gen_any_dep`.
    ///
    /// Returns `None` and reports a finding in two cases: the text is no atom, or it refers to LLVM
    /// or Python and the package has no slot of LLVM or no Python eclass.
    pub(crate) fn read(&mut self, text: &str, span: Span) -> Option<Dep> {
        let value = in_place(
            self.plan,
            self.p,
            text,
            self.llvm.first().map_or("0", |slot| slot),
        );
        let atom = match value.parse::<Atom>() {
            Ok(atom) => atom,
            Err(e) => {
                self.error(
                    "E0305",
                    span,
                    format!("`{text}` is not a package dependency: {e}"),
                );
                return None;
            }
        };
        let of_python = text.contains("${PYTHON_USEDEP}");
        let generator = match self.python_mode() {
            _ if text.contains("${LLVM_SLOT}") => Some(open::LLVM),
            Some(PythonMode::Any) if of_python => Some(open::PYTHON_ANY),
            Some(PythonMode::Single) if of_python => Some(open::PYTHON_COND),
            _ => None,
        };
        if generator == Some(open::LLVM) && self.llvm.is_empty() {
            let number = self.p.version.line();
            let line = self
                .plan
                .lines
                .get(&number)
                .filter(|line| line.llvm.is_none());
            self.findings.push(if let Some(line) = line {
                let message =
                    format!("the line {number} states no LLVM, but packages need its slot");
                Finding::error("E0306", line.tag.span, message)
                    .label("expected `llvm` beside this key")
                    .hint("state the major version of LLVM for the line, such as `llvm: \"22\"`")
            } else {
                let message =
                    format!("`{text}` needs a slot of LLVM, but the release states no LLVM");
                Finding::error("E0306", span, message)
            });
            return None;
        }
        if of_python && self.python_mode().is_none() {
            let message = format!("`{text}` needs Python's flags, but `ebuild.python` is missing");
            self.error("E0306", span, message);
            return None;
        }
        let dep = Dep::Atom(Box::new(atom), Written::new(text));
        Some(match generator {
            Some(function) => Call::of(function, Spec::new([Node::Leaf(dep)])).into(),
            None => dep,
        })
    }
}
