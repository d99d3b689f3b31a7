//! Passes the user's choice of GPU targets on from a package to its dependencies. There are three
//! modes: not at all; by the USE dependency of the eclass (`dev-util/hip[${ROCM_USEDEP}]`); or by
//! chunks, several atoms of the same package with a few flags each.

use crate::lower::context::Context;
use crate::lower::expand::Expand;
use crate::lower::flags::all_targets;
use crate::value::dep::Dep;
use rocpkg_model::{Cond, Propagation, Span, TargetFlags, TargetRelation};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge};

/// The greatest number of flags in one atom of the mode with chunks. pkgcheck tries every
/// combination of an atom's conditional flags, so more flags would take too long.
const CHUNK: usize = 8;

/// Returns the value of the variable by which the eclass of GPU targets passes a package's targets
/// on, such as `ROCM_USEDEP`: `amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx942(-)?`.
pub(crate) fn usedep(plan: &Plan, p: &Planned) -> String {
    conditional(&Expand::of(plan), &all_targets(plan, p))
}

/// Returns a USE dependency for each of `targets`, between commas: `gfx90a` →
/// `amdgpu_targets_gfx90a(-)?`. The result is empty if the name of a target is invalid, which is
/// reported elsewhere.
fn conditional(expand: &Expand, targets: &[String]) -> String {
    let deps = expand.values.use_deps(targets.iter().map(String::as_str));
    let texts: Vec<String> = deps.iter().flatten().map(ToString::to_string).collect();
    texts.join(",")
}

/// Returns true if `cond` can hold only while `feature` is on.
fn needs(cond: &Cond, feature: &str) -> bool {
    match cond {
        Cond::Feature(f) => f == feature,
        Cond::All(cs) => cs.iter().any(|c| needs(c, feature)),
        _ => false,
    }
}

impl Context<'_> {
    /// Returns the dependencies that replace `dep`, the atom of the edge `resolved`: atoms of the
    /// same package with USE dependencies that pass the GPU targets on. Returns `dep` alone if the
    /// edge passes no targets on.
    ///
    /// Only targets for which both packages have flags are passed on, so each USE dependency names
    /// a flag that exists.
    pub(crate) fn handed_on(&mut self, resolved: &ResolvedEdge, dep: Dep, span: Span) -> Vec<Dep> {
        let own = self.facts().and_then(|facts| facts.propagation);
        let mode = own
            .or(self.plan.distro.propagation)
            .unwrap_or(Propagation::None);
        let targets = self.shared_targets(resolved);
        let text = match &dep {
            Dep::Atom(_, text) if mode != Propagation::None && !targets.is_empty() => text.clone(),
            _ => return vec![dep],
        };
        self.hands_on = true;
        // The eclass's USE dependency holds all targets of the dependent package. It can be used
        // only if the dependency has a flag for each of them.
        let is_whole = self.target_flags() == TargetFlags::Eclass
            && targets.len() == all_targets(self.plan, self.p).len();
        let flags = if mode == Propagation::Eclass && is_whole {
            vec![format!("${{{}}}", Expand::of(self.plan).usedep())]
        } else {
            targets
                .chunks(CHUNK)
                .map(|some| conditional(&Expand::of(self.plan), some))
                .collect()
        };
        flags
            .iter()
            .filter_map(|flags| self.read(&with_use(&text, flags), span))
            .collect()
    }

    /// Returns the GPU targets that an edge passes on: those for which both packages have flags,
    /// without those that the feature in the edge's condition excludes. The result is empty if the
    /// profile does not state `same` or `covers` as the edge's relation of targets.
    fn shared_targets(&self, resolved: &ResolvedEdge) -> Vec<String> {
        let relation = resolved.edge.targets.as_ref().map(|r| r.value);
        let related = matches!(
            relation,
            Some(TargetRelation::Same | TargetRelation::Covers)
        );
        let Dependency::Package(id) = &resolved.to else {
            return Vec::new();
        };
        let Some(to) = self.plan.get(id).filter(|_| related) else {
            return Vec::new();
        };
        let there = all_targets(self.plan, to);
        let mut shared = all_targets(self.plan, self.p);
        shared.retain(|t| there.contains(t));
        if let Some(when) = &resolved.edge.when {
            for (name, feature) in &self.p.package.features {
                if !feature.targets.is_empty() && needs(&when.cond, name) {
                    shared.retain(|t| feature.targets.iter().any(|f| f.value == *t));
                }
            }
        }
        shared
    }
}

/// Returns `atom` with the further USE dependencies `flags`: `dev-util/hip[a]` and `b?,c?` →
/// `dev-util/hip[a,b?,c?]`.
fn with_use(atom: &str, flags: &str) -> String {
    match atom.strip_suffix(']') {
        Some(open) => format!("{open},{flags}]"),
        None => format!("{atom}[{flags}]"),
    }
}
