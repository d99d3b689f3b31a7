//! Live ebuilds, which build upstream's development branch and have the version 9999.

use crate::lower::context::Context;
use crate::value::ebuild::Variable;
use rocpkg_model::{EbuildLive, Fetch};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{
    Dependency, LIVE_VERSION, Plan, Planned, ResolvedEdge, ResolvedSource, with_version,
};

/// Returns true if the distribution has a live version of the package or external dependency
/// `name`: its file lists the name under `habits.live`.
pub(crate) fn has_live(plan: &Plan, name: &str) -> bool {
    plan.distro
        .habits
        .iter()
        .flat_map(|h| &h.live)
        .any(|n| n.value == name)
}

/// Returns true if the ebuild of a package is the live one. All of its sources must be of one
/// repository, except sources whose URL does not depend on the release. A package whose own version
/// is 9999 is live in every plan.
pub(crate) fn is_live(plan: &Plan, p: &Planned) -> bool {
    (plan.live || is_never_released(p)) && has_live(plan, &p.id) && is_of_one_repository(p)
}

/// Returns true if the live ebuild is the only ebuild of a package.
fn is_never_released(p: &Planned) -> bool {
    p.version.own() == Some(LIVE_VERSION)
}

fn is_of_one_repository(p: &Planned) -> bool {
    let Some(main) = p.sources.first().filter(|main| !main.repository.is_empty()) else {
        return false;
    };
    p.sources
        .iter()
        .all(|s| is_of(main, s) || s.url.references().next().is_none())
}

/// Returns true if `source` is part of the repository of `main`, the main source, or comes with it.
fn is_of(main: &ResolvedSource, source: &ResolvedSource) -> bool {
    source.fetch == Fetch::Inherited
        || (&main.owner, &main.repository) == (&source.owner, &source.repository)
}

/// Returns the key `ebuild.live` of the package's profile, with facts about the live ebuild; `None`
/// if the profile does not have the key.
fn said(p: &Planned) -> Option<&EbuildLive> {
    p.package.ebuild.as_ref()?.live.as_ref()
}

/// Returns true if the live version of a package has the slot of the newest release.
fn keeps_slot(p: &Planned) -> bool {
    is_never_released(p) || said(p).is_some_and(|live| live.slot_of_release)
}

/// Returns the version of a package's ebuild: `9999` for a live ebuild, else the package's version.
pub(crate) fn version<'a>(plan: &Plan, p: &'a Planned) -> &'a str {
    if is_live(plan, p) {
        LIVE_VERSION
    } else {
        p.version.as_str()
    }
}

/// Returns the value of a package's `SLOT` after bash expands it: `0/7.2`, or `0/9999` for a live
/// ebuild with a slot of its own.
pub(crate) fn slot_value(plan: &Plan, p: &Planned) -> String {
    let own = is_live(plan, p) && !keeps_slot(p);
    if own {
        format!("0/{LIVE_VERSION}")
    } else {
        slot_of_release(p)
    }
}

/// Returns the slot of the package's release, such as `0/7.2`, also in a live plan.
pub(crate) fn slot_of_release(p: &Planned) -> String {
    let stated = p
        .package
        .ebuild
        .as_ref()
        .and_then(|facts| facts.slot.as_ref());
    match (stated, p.version.own()) {
        (Some(slot), _) => with_version(slot, &p.version),
        (None, Some(_)) => "0".to_owned(),
        (None, None) => format!("0/{}", p.version.line()),
    }
}

impl Context<'_> {
    /// Returns true if the ebuild that is rendered is the package's live ebuild.
    pub(crate) fn is_live(&self) -> bool {
        is_live(self.plan, self.p)
    }

    /// Returns `text`, the atom of the edge `resolved`, as the live ebuild needs it. A package
    /// without a live version is required with the slot of the release: `~sci-libs/a-${PV}` →
    /// `sci-libs/a:${SLOT_NOLIVE}`. In other ebuilds the text is unchanged.
    pub(crate) fn of_live(&self, resolved: &ResolvedEdge, text: String) -> String {
        if !self.is_live() {
            return text;
        }
        let (released, has_own_slot) = match &resolved.to {
            Dependency::Package(id) => {
                let to = self.plan.get(id);
                let live = to.filter(|to| is_live(self.plan, to));
                (
                    to.is_some() && live.is_none(),
                    live.is_some_and(|to| !keeps_slot(to)),
                )
            }
            Dependency::External(_) => (false, has_live(self.plan, &resolved.name)),
        };
        // A package with releases only has no version 9999.
        let same = text
            .strip_prefix('~')
            .and_then(|t| t.strip_suffix("-${PV}"))
            .filter(|_| released);
        let text = same.map_or(text.clone(), |package| format!("{package}:${{SLOT}}"));
        // The ebuild has a live slot, while the dependency has the slot of the release.
        if keeps_slot(self.p) || has_own_slot {
            text
        } else {
            text.replace("${SLOT}", "${SLOT_NOLIVE}")
        }
    }

    /// Returns the text of `SLOT` between its quotes, such as `0/$(ver_cut 1-2)`. Reports a stated
    /// slot that is not valid.
    pub(crate) fn slot(&mut self) -> String {
        if self.is_live() && keeps_slot(self.p) {
            return slot_of_release(self.p);
        }
        let stated = self
            .p
            .package
            .ebuild
            .as_ref()
            .and_then(|facts| facts.slot.as_ref());
        if let Some(wrong) = stated.filter(|slot| {
            with_version(slot, &self.p.version)
                .parse::<rocpkg_pms::Slot>()
                .is_err()
        }) {
            self.error("E0312", wrong.span, format!("`{wrong}` can't be a slot"));
        }
        match (stated, self.p.version.own()) {
            (Some(slot), _) => slot.to_string().replace("${version}", "${PV}"),
            (None, Some(_)) => "0".to_owned(),
            (None, None) => "0/$(ver_cut 1-2)".to_owned(),
        }
    }

    /// Returns true if a source is part of the repository that git-r3.eclass checks out.
    pub(crate) fn is_checked_out(&self, source: &ResolvedSource) -> bool {
        self.is_live()
            && self
                .p
                .sources
                .first()
                .is_some_and(|main| is_of(main, source))
    }

    /// Returns the variables `EGIT_REPO_URI`, `EGIT_BRANCH` and `EGIT_SUBMODULES` of the live
    /// ebuild; none for the ebuild of a release.
    pub(crate) fn checkout(&mut self) -> Vec<Variable> {
        let p = self.p;
        if !self.is_live() {
            // An older release may have come from several repositories.
            if p.is_shipped && has_live(self.plan, &p.id) && !is_of_one_repository(p) {
                let message = format!(
                    "the sources of {} are in several repositories, so it has no live version",
                    p.name
                );
                let span = p.node.get("sources").map_or(p.node.span, |n| n.span);
                self.error("E0244", span, message);
            }
            return Vec::new();
        }
        let Some(main) = p.sources.first() else {
            return Vec::new();
        };
        let word = |name, text: String| Variable::new(name, Word::lit(text));
        if let Some(own) = own_repository(p) {
            return vec![word("EGIT_REPO_URI", own.to_owned())];
        }
        let url = format!("https://github.com/{}/{}.git", main.owner, main.repository);
        let mut out = vec![word("EGIT_REPO_URI", url)];
        out.extend(main.branch.iter().map(|b| word("EGIT_BRANCH", b.clone())));
        if main.foreign_submodules {
            out.push(Variable::array("EGIT_SUBMODULES", Vec::<Word>::new()));
        }
        out
    }

    /// Returns the folder to which git-r3.eclass checks out a source.
    pub(crate) fn checked_out(&self, source: &ResolvedSource) -> Word {
        let top = Word::var("WORKDIR").literal("/").variable("P");
        let path = source
            .path
            .as_ref()
            .filter(|_| own_repository(self.p).is_none());
        path.map_or(top.clone(), |path| top.literal(format!("/{path}")))
    }
}

/// Returns the URL of a repository that contains this package alone; `None` if the profile states
/// no such repository for the live ebuild.
fn own_repository(p: &Planned) -> Option<&str> {
    said(p)?.repository.as_ref().map(|r| r.value.as_str())
}
