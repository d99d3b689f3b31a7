//! The source of every fact of a package.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{is_named, none};
use crate::stack::Stack;
use rocpkg_model::{Findings, Node, Severity, Sources, Span, Value};
use rocpkg_resolve::{Choice, History, Plan};

/// The facts of a package in one distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explained {
    /// The distribution.
    pub distro: String,
    /// The package's name there.
    pub name: String,
    /// Its version.
    pub version: String,
    /// Its sources: the name, the key in a release's table of checksums, and true if a checksum is
    /// known.
    pub sources: Vec<(String, String, bool)>,
    /// Its facts.
    pub facts: Vec<Fact>,
}

/// A fact.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fact {
    /// The fact as text, such as `title = rocBLAS`.
    pub said: String,
    /// The positions of the fact in the profiles. The layer that won is first. The layers that it
    /// overrides follow, the last one first.
    pub places: Vec<String>,
    /// Set if the fact rests on upstream's files and was not checked for this release.
    pub unchecked: bool,
}

impl Stack {
    /// Returns the error for a name that no package of some plans has, with a hint.
    pub fn no_package<'p>(&self, plans: impl IntoIterator<Item = &'p Plan>, name: &str) -> Error {
        none(self.model(), plans, "no package", name)
    }

    /// Returns the error for a name that no package of one distribution's plan has, with a hint.
    pub fn no_package_of(&self, plan: &Plan, name: &str) -> Error {
        let what = format!("no package of {}", plan.distro_name);
        none(self.model(), [plan], &what, name)
    }

    /// Returns each fact of a package at a version, in one distribution or in all, and the notes
    /// about layers. Each fact has the file and line of every layer that states it.
    ///
    /// # Errors
    /// All that is wrong with the profiles, or that no package has this name.
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
            for p in plan.packages.iter().filter(|p| is_named(p, package)) {
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
                all.push(Explained {
                    distro: plan.distro_name.clone(),
                    name: p.name.clone(),
                    version: p.version.to_string(),
                    sources: sources
                        .map(|s| (s.name.clone(), s.key.clone(), s.checksum.is_some()))
                        .collect(),
                    facts: facts.all,
                });
            }
        }
        if all.is_empty() {
            return Err(self.no_package(&plans, package));
        }
        // The warnings of every package are of no interest here.
        findings.retain(|f| f.severity == Severity::Note);
        Ok((all, findings))
    }
}

/// Facts in the making, each with every layer that states it.
struct Facts<'a> {
    history: &'a History,
    sources: &'a Sources,
    /// The positions of facts that were not checked.
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

    /// Adds a list or mapping that replaced another one as a whole.
    fn whole(&mut self, node: &Node, path: &[String]) {
        let over = self.history.over(node.span);
        if !over.is_empty() {
            self.add(format!("{} replaced", path.join(".")), node.span, over);
        }
    }

    /// Adds the facts that a layer removed.
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
