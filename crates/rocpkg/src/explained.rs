//! The files and lines of the profiles that state each fact of a package.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{Named, is_named, named, none};
use crate::review::two_llvms;
use crate::stack::Stack;
use rocpkg_model::{Findings, Node, Severity, Sources, Span, Value};
use rocpkg_resolve::{Choice, History, KnownCycle, Plan};

/// The facts of a package in one distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The name of the distribution's profile, such as `nixpkgs`.
    pub distro: String,
    /// The package's name in the distribution.
    pub name: String,
    /// The package's version.
    pub version: String,
    /// The package's sources. Each has its name, its key in a release's table of checksums, and
    /// true if a checksum is known.
    pub sources: Vec<(String, String, bool)>,
    /// The facts of the package, in the order of the merged profiles.
    pub facts: Vec<Fact>,
    /// The cycles of dependencies that the package is an end of, each as a line of text.
    pub cycles: Vec<String>,
}

/// A value that profiles state about a package.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fact {
    /// The fact as text, such as `title = rocBLAS`.
    pub said: String,
    /// The positions (`file:line:column`) of the fact in the profiles. The first one is in the
    /// layer whose value is used. The others are in the layers that it overrides, the last layer
    /// first.
    pub places: Vec<String>,
    /// Set if the fact depends on the contents of upstream's files and nobody checked it for this
    /// release.
    pub unchecked: bool,
}

impl Stack {
    /// Returns the packages and external dependencies of a plan that `name` stands for. The name is
    /// a package's id or its name in the distribution, a component, an external dependency, or the
    /// name that another distribution or upstream uses for one of these: `hip-runtime-amd`, Arch's
    /// name, -> `hip` in Gentoo.
    ///
    /// # Errors
    /// If the distribution has nothing of that name. The error suggests the nearest name.
    #[doc(hidden)]
    pub fn named(&self, plan: &Plan, name: &str) -> Result<Named, Error> {
        named(self.model(), plan, &[name.to_owned()])
    }

    /// Returns the error that no package of `plans` has the name `name`, with a hint such as the
    /// nearest name.
    #[doc(hidden)]
    pub fn no_package<'p>(&self, plans: impl IntoIterator<Item = &'p Plan>, name: &str) -> Error {
        none(self.model(), plans, "no package", name)
    }

    /// Returns the error for a name that no package of one distribution's plan has, with a hint.
    #[doc(hidden)]
    pub fn no_package_of(&self, plan: &Plan, name: &str) -> Error {
        let what = format!("no package of {}", plan.distro_name);
        none(self.model(), [plan], &what, name)
    }

    /// Returns the facts of a package at the release `choice`, for each distribution that has the
    /// package, or only for `backend`. Each fact has the file and line of every layer that states
    /// it. The second value holds the findings of severity `Note`.
    ///
    /// # Errors
    /// All errors in the profiles, or if no package has this name.
    pub fn explain(
        &self,
        package: &str,
        backend: Option<Backend>,
        choice: &Choice,
    ) -> Result<(Vec<Explained>, Findings), Error> {
        let backends = backend.map_or(Backend::ALL.to_vec(), |b| vec![b]);
        let (plans, mut findings) = self.plans(&backends, choice, &[])?;
        let mut all = Vec::new();
        for plan in &plans {
            let named = self.named(plan, package).unwrap_or_default();
            for p in plan.with_consumers().filter(|p| named.is(p)) {
                let unchecked = p
                    .unchecked(&plan.depths)
                    .into_iter()
                    .flat_map(|fact| fact.spans)
                    .collect();
                let mut facts = Facts {
                    history: &p.history,
                    sources: self.sources(),
                    unchecked,
                    all: Vec::new(),
                };
                facts.walk(&p.node, &mut Vec::new());
                facts.removed();
                let sources = p.sources.iter();
                let cycles = plan
                    .cycles()
                    .filter(|cycle: &KnownCycle| cycle.touches(&p.id));
                all.push(Explained {
                    distro: plan.distro_name.clone(),
                    name: p.name.clone(),
                    version: p.version.to_string(),
                    sources: sources
                        .map(|s| (s.name.clone(), s.key.clone(), s.checksum.is_some()))
                        .collect(),
                    facts: facts.all,
                    cycles: cycles.map(|cycle| cycle.text(&plan.distro_name)).collect(),
                });
            }
        }
        if all.is_empty() {
            return Err(self.no_package(&plans, package));
        }
        // Warnings about all packages would hide the answer.
        findings.retain(|f| f.severity == Severity::Note);
        for (backend, plan) in backends.iter().zip(&plans) {
            let is_asked = |id: &str| plan.get(id).is_some_and(|p| is_named(p, package));
            let notes = two_llvms(*backend, plan).into_iter();
            for (_, note) in notes.filter(|(id, _)| is_asked(id)) {
                findings.push(note);
            }
        }
        Ok((all, findings))
    }
}

/// The facts of one package that are collected so far.
struct Facts<'a> {
    history: &'a History,
    sources: &'a Sources,
    /// The positions of facts that nobody checked for the release.
    unchecked: Vec<Span>,
    all: Vec<Fact>,
}

impl Facts<'_> {
    fn walk(&mut self, node: &Node, path: &mut Vec<String>) {
        let inner: Vec<(String, &Node)> = match &node.value {
            Value::Map(entries) => entries
                .iter()
                .map(|(key, value)| (key.name.to_string(), value))
                .collect(),
            Value::Seq(items) => items
                .iter()
                .enumerate()
                .map(|(i, value)| (i.to_string(), value))
                .collect(),
            Value::Scalar { text, .. } => {
                let short: String = text.lines().next().unwrap_or("").chars().take(60).collect();
                let more = if short.len() < text.len() { " …" } else { "" };
                let over = self.history.over(node.span);
                return self.add(
                    format!("{} = {short}{more}", path.join(".")),
                    node.span,
                    over,
                );
            }
            Value::Null => return,
        };
        self.whole(node, path);
        for (key, value) in inner {
            path.push(key);
            self.walk(value, path);
            path.pop();
        }
    }

    /// Adds a fact for a list or mapping that replaced that of a lower layer as a whole: `depends
    /// replaced`.
    fn whole(&mut self, node: &Node, path: &[String]) {
        let over = self.history.over(node.span);
        if !over.is_empty() {
            self.add(format!("{} replaced", path.join(".")), node.span, over);
        }
    }

    /// Adds a fact for each value that a layer removed: `depends.clr removed`.
    fn removed(&mut self) {
        for r in &self.history.removed {
            self.add(format!("{} removed", r.path), r.by, &r.was);
        }
    }

    fn add(&mut self, said: String, winner: Span, over: &[Span]) {
        let places = std::iter::once(&winner)
            .chain(over)
            .map(|span| self.sources.place(*span))
            .collect();
        let holds =
            |s: &Span| s.file == winner.file && s.start <= winner.start && winner.end <= s.end;
        self.all.push(Fact {
            said,
            places,
            unchecked: self.unchecked.iter().any(holds),
        });
    }
}
