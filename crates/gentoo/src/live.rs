//! Live ebuilds: the branch of an ebuild that builds what upstream works on, under the version 9999.

use crate::context::Context;
use crate::ir::{Live, Value, Variable};
use crate::sources::Fetched;
use rocpkg_model::{EdgeKind, Fetch};
use rocpkg_render::bash::{Test, Word};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge, ResolvedSource};
use std::collections::BTreeSet;

/// The test whether the ebuild is the live one.
pub(crate) fn is_live() -> Test {
    Test::Brackets(vec![Word::split("PV"), Word::lit("=="), Word::pattern("*9999")])
}

/// Whether the distribution has a live version of a package, or of something outside.
pub(crate) fn has_live(plan: &Plan, name: &str) -> bool {
    plan.distro.habits.iter().flat_map(|h| &h.live).any(|n| n.value == name)
}

/// Whether the ebuild of a package builds the live version too: its sources are of one repository, but for those that no release
/// changes.
fn is_live_at(plan: &Plan, p: &Planned) -> bool {
    let Some(main) = p.sources.first().filter(|main| !main.repository.is_empty()) else { return false };
    let rest = p.sources.iter().filter(|s| !is_of(main, s));
    let mut changing = rest.filter(|s| s.url.references().next().is_some());
    has_live(plan, &p.id) && changing.next().is_none()
}

/// Whether a source is part of another one's repository, or comes with it.
fn is_of(main: &ResolvedSource, source: &ResolvedSource) -> bool {
    source.fetch == Fetch::Inherited || (&main.owner, &main.repository) == (&source.owner, &source.repository)
}

/// The packages whose live version has a slot of its own: those that ask for the slot of no package without one.
fn own_slots(plan: &Plan) -> BTreeSet<&str> {
    let live = plan.packages.iter().filter(|p| is_live_at(plan, p));
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
    if is_live_at(plan, p) && !own_slots(plan).contains(p.id.as_str()) {
        let reason = "What it needs has this slot, and not all of it has a live version";
        (format!("0/{}", p.version.line()), Some(reason))
    } else {
        ("0/$(ver_cut 1-2)".to_owned(), None)
    }
}

impl Context<'_> {
    /// Whether this ebuild builds the live version too.
    pub(crate) fn is_live(&self) -> bool {
        is_live_at(self.plan, self.p)
    }

    /// The branch for the live version; `wanted` says which folders of further sources are spoken of.
    pub(crate) fn live(&mut self, fetched: &Fetched, wanted: impl Fn(&str) -> bool) -> Option<Live> {
        if !self.is_live() {
            // An older release may have come from several repositories.
            if self.p.is_shipped && has_live(self.plan, &self.p.id) {
                let name = &self.p.name;
                let message = format!("{name} is not all in one repository, so it has no live version");
                let span = self.p.node.get("sources").map_or(self.p.node.span, |n| n.span);
                self.error("E0244", span, message);
            }
            return None;
        }
        let main = self.p.sources.first()?;
        let word = Variable::new;
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
                let folder = if is_of(main, s) { checkout(s.path.as_deref()) } else { self.unpacked(i) };
                folders.push(word(&name, folder));
            }
        }
        let sources = fetched.without(|source| is_of(main, &self.p.sources[source]));
        Some(Live { repository, folders, sources })
    }
}

/// Where git-r3.eclass checks the branch out.
fn checkout(path: Option<&str>) -> Word {
    let top = Word::var("WORKDIR").literal("/").variable("P");
    path.map_or(top.clone(), |path| top.literal(format!("/{path}")))
}
