//! Where every fact of a package comes from.

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
    /// Its sources: the name, the key in a release's table of checksums, and whether one is known.
    pub sources: Vec<(String, String, bool)>,
    /// Its facts.
    pub facts: Vec<Fact>,
}

/// A fact.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Fact {
    /// What is said, such as `title = rocBLAS`.
    pub said: String,
    /// Where it stands: the layer that won, then the ones that it was laid over, the last one
    /// first.
    pub places: Vec<String>,
    /// It rests on upstream's files, and nobody checked it for this release.
    pub unchecked: bool,
}

impl Stack {
    /// The error of a name that no package of some plans has, with what may have been meant.
    pub fn no_package<'p>(&self, plans: impl IntoIterator<Item = &'p Plan>, name: &str) -> Error {
        none(self.model(), plans, "no package", name)
    }

    /// Tells each fact of a package at a version, in one distribution or in all, with the file and
    /// line of every layer that spoke of it, and what was noted about layers.
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

/// Facts, each with every layer that spoke of it.
struct Facts<'a> {
    history: &'a History,
    sources: &'a Sources,
    /// Where facts stand that nobody checked.
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

    /// A list or mapping that replaced another one whole.
    fn whole(&mut self, node: &Node, path: &[String]) {
        let over = self.history.over(node.span);
        if !over.is_empty() {
            self.add(format!("{} replaced", path.join(".")), node.span, over);
        }
    }

    /// What a layer removed.
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
