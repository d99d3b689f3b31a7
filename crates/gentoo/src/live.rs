//! Live ebuilds: the branch of an ebuild that builds what upstream works on, under the version 9999.

use crate::context::Context;
use crate::ir::{Live, Value, Variable};
use crate::sources::Fetched;
use rocpkg_model::EdgeKind;
use rocpkg_render::bash::{Test, Word};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge};
use std::collections::BTreeSet;

/// The test whether the ebuild is the live one.
pub(crate) fn is_live() -> Test {
    Test::Brackets(vec![Word::split("PV"), Word::lit("=="), Word::pattern("*9999")])
}

/// Whether the distribution has a live version of a package, or of something outside.
fn has_live(plan: &Plan, name: &str) -> bool {
    plan.distro.habits.iter().flat_map(|h| &h.live).any(|n| n.value == name)
}

/// The packages whose live version has a slot of its own: those that ask for the slot of no package without one.
fn own_slots(plan: &Plan) -> BTreeSet<&str> {
    let live = plan.packages.iter().filter(|p| has_live(plan, &p.id));
    let mut out: BTreeSet<&str> = live.map(|p| p.id.as_str()).collect();
    loop {
        let stays = |id: &&str| plan.get(id).is_some_and(|p| p.depends.iter().all(|e| serves(plan, &out, e)));
        let kept: BTreeSet<&str> = out.iter().copied().filter(stays).collect();
        if kept.len() == out.len() {
            return out;
        }
        out = kept;
    }
}

/// Whether an edge is no obstacle to a slot of one's own.
fn serves(plan: &Plan, own: &BTreeSet<&str>, e: &ResolvedEdge) -> bool {
    if e.edge.kind.0.contains(&EdgeKind::Conflict) {
        return true;
    }
    match &e.to {
        Dependency::Package(id) => !crate::depends::is_slotted(e) || own.contains(id.as_str()),
        Dependency::External(text) => !text.contains(":${SLOT}") || has_live(plan, &e.name),
    }
}

/// What `SLOT` says, and why where that is not what the version gives. Where something that it needs has no live version, the
/// live version's slot is the release's too.
pub(crate) fn slot(plan: &Plan, p: &Planned) -> (String, Option<&'static str>) {
    if has_live(plan, &p.id) && !own_slots(plan).contains(p.id.as_str()) {
        let reason = "What it needs has this slot, and not all of it has a live version";
        (format!("0/{}", p.version.line()), Some(reason))
    } else {
        ("0/$(ver_cut 1-2)".to_owned(), None)
    }
}

impl Context<'_> {
    /// Whether this package has a live version.
    pub(crate) fn is_live(&self) -> bool {
        has_live(self.plan, &self.p.id)
    }

    /// The branch for the live version; `wanted` says which folders of further sources are spoken of.
    pub(crate) fn live(&mut self, fetched: &Fetched, wanted: impl Fn(&str) -> bool) -> Option<Live> {
        let main = self.p.sources.first().filter(|_| self.is_live());
        let Some(main) = main.filter(|s| !s.repository.is_empty()) else {
            if self.is_live() {
                let span = self.p.node.span;
                self.error(
                    "E0244",
                    span,
                    format!("{} has no repository to build a live version of", self.p.name),
                );
            }
            return None;
        };
        let word = |name: &str, word: Word| Variable { name: name.to_owned(), value: Value::Word(word) };
        let url = format!("https://github.com/{}/{}.git", main.owner, main.repository);
        let mut repository = vec![word("EGIT_REPO_URI", Word::lit(url))];
        repository.extend(main.branch.iter().map(|b| word("EGIT_BRANCH", Word::lit(b.clone()))));
        // Submodules of a repository with many projects are seldom this one's.
        if main.path.is_some() && !main.submodules {
            repository.push(Variable { name: "EGIT_SUBMODULES".into(), value: Value::Array(Vec::new()) });
        }
        let mut folders = vec![word("S", checkout(main.path.as_deref()))];
        for (i, s) in self.p.sources.iter().enumerate().skip(1) {
            let name = crate::context::folder_variable(&s.name);
            if wanted(&name) {
                let folder = if self.is_of_main(i) { checkout(s.path.as_deref()) } else { self.unpacked(i) };
                folders.push(word(&name, folder));
            }
        }
        let sources = fetched.without(|source| self.is_of_main(source));
        Some(Live { repository, folders, sources })
    }

    /// Whether a source is part of the main one's repository.
    fn is_of_main(&self, at: usize) -> bool {
        let (main, source) = (&self.p.sources[0], &self.p.sources[at]);
        at == 0 || (&main.owner, &main.repository) == (&source.owner, &source.repository)
    }
}

/// Where git-r3.eclass checks the branch out.
fn checkout(path: Option<&str>) -> Word {
    let top = Word::var("WORKDIR").literal("/").variable("P");
    path.map_or(top.clone(), |path| top.literal(format!("/{path}")))
}
