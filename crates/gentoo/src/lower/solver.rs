//! Converts the packages of a plan to the solver's input: their flags, their `REQUIRED_USE`, and
//! their dependencies.
//!
//! Python's flags are left out, as Gentoo's profiles choose one Python for all packages.

use crate::lower::context::setting;
use crate::lower::depends::in_place;
use crate::lower::expand::Expand;
use crate::lower::flags::flagged_targets;
use crate::lower::ir::Lowered;
use crate::lower::lower;
use crate::lower::repository::recipes;
use crate::value::dep::{Dep, Required};
use crate::value::open::LLVM;
use rocpkg_core::Offer;
use rocpkg_model::Findings;
use rocpkg_pms::{
    Atom, Candidate, Cpn, DepSpec, Flag, FlagState, Iuse, Member, Node, RequiredUse, Spec, UseDep,
};
use rocpkg_resolve::{Plan, Planned, Recipes};
use std::collections::{BTreeMap, BTreeSet};

/// Returns the packages of the plan in build order, then the packages outside the plan whose flags
/// a dependency names. Also returns the GPU targets that the ebuilds pass to upstream's build.
///
/// GPU targets are passed on in the mode of the plan. With `Propagation::None` the ebuilds leave
/// the choice to the user. A caller that needs consistent targets in this case sets another mode in
/// the plan.
pub fn members(plan: &Plan, findings: &mut Findings) -> (Vec<Member>, Recipes) {
    let ebuilds: Vec<Lowered> = plan
        .packages
        .iter()
        .filter_map(|p| lower(plan, p, findings))
        .collect();
    let mut members: Vec<Member> = ebuilds
        .iter()
        .filter_map(|ebuild| member(plan, ebuild))
        .collect();
    let outside = outside(&members);
    members.extend(outside);
    (members, recipes(plan, &ebuilds))
}

fn member(plan: &Plan, lowered: &Lowered<'_>) -> Option<Member> {
    let (p, e) = (lowered.p, &lowered.ebuild);
    let slot = crate::lower::live::slot_value(plan, p).parse().ok();
    let (iuse, required_use) = flags(plan, lowered)?;
    let mut member = Member::new(
        Candidate {
            cpv: e.cpv.clone(),
            slot,
            repository: None,
        },
        iuse,
    );
    member.required_use = required_use;
    let kinds = &e.depends;
    member.depends = depends(
        plan,
        p,
        &[&kinds.run, &kinds.build, &kinds.tool, &kinds.post],
    );
    member.build = depends(plan, p, &[&kinds.build, &kinds.tool]);
    Some(member)
}

/// Returns the parts of an ebuild's `REQUIRED_USE` that its default flags break, as text. The flag
/// of the distribution's setting `gpu-flag` counts as on. Flags of the processor are left out, as
/// in pkgcheck's check `RequiredUseDefaults`.
pub(crate) fn broken_defaults(plan: &Plan, lowered: &Lowered<'_>) -> Vec<String> {
    let Some((iuse, required_use)) = flags(plan, lowered) else {
        return Vec::new();
    };
    let gpu = setting(plan, "gpu-flag", "");
    let unmet = required_use.unmet(|flag| flag == gpu || iuse.is_on_by_default(flag));
    let parts = unmet.nodes.iter().map(ToString::to_string);
    parts
        .filter(|part| !part.starts_with("cpu_flags_"))
        .collect()
}

/// Returns the flags of an ebuild with their defaults, and its `REQUIRED_USE`, both with those of
/// its eclasses. Returns `None` if the name of a flag is invalid, which is reported elsewhere.
fn flags(plan: &Plan, lowered: &Lowered<'_>) -> Option<(Iuse, RequiredUse)> {
    let (p, e) = (lowered.p, &lowered.ebuild);
    let expand = Expand::of(plan).values;
    let (default, offered) = flagged_targets(plan, p);
    let offer = Offer::new(default, offered);
    let mut iuse = expand.iuse(&offer).unwrap_or_default();
    let targets = expand.required_use(offer.all()).unwrap_or_default();
    let slots = crate::lower::llvm::slots(p);
    let usual = crate::lower::llvm::default(plan, &slots);
    for slot in &slots {
        iuse.insert(llvm_flag(slot)?, Some(usual == Some(slot)));
    }
    for (flag, on) in e.iuse.defaults() {
        iuse.insert(flag.clone(), Some(on));
    }
    // The flag `doc` is not in the ebuild's own IUSE, as docs.eclass adds it.
    if p.package.ebuild.as_ref().is_some_and(|f| f.docs.is_some()) {
        iuse.insert(Flag::new("doc").ok()?, Some(false));
    }
    Some((iuse, required_use(plan, &e.required_use, &targets, &slots)))
}

fn llvm_flag(slot: &str) -> Option<Flag> {
    Flag::new(&crate::lower::llvm::flag(slot)).ok()
}

/// Returns the ebuild's `REQUIRED_USE` (`stated`) with the values of eclasses' variables:
/// `${ROCM_REQUIRED_USE}` is replaced by `targets`, and the flag of one of the LLVM slots `llvm` is
/// required. Other variables are left out.
fn required_use(
    plan: &Plan,
    stated: &Spec<Required>,
    targets: &RequiredUse,
    llvm: &[String],
) -> RequiredUse {
    let of_targets = Expand::of(plan).required_use();
    let mut leaf = |required: &Required| match required {
        Required::Flag(state) => Node::Leaf(state.clone()),
        Required::Expansion(name) if **name == *of_targets => Node::All(targets.nodes.clone()),
        Required::Expansion(_) | Required::Open(_) => Node::All(Vec::new()),
    };
    let nodes = stated.nodes.iter();
    let mut nodes: Vec<_> = nodes.flat_map(|n| n.flat_map(&mut leaf).parts()).collect();
    let flags = llvm.iter().filter_map(|slot| llvm_flag(slot));
    let flags: Vec<_> = flags.map(|flag| Node::Leaf(FlagState::on(flag))).collect();
    if !flags.is_empty() {
        nodes.push(Node::ExactlyOne(flags));
    }
    Spec::new(nodes)
}

/// Returns the dependencies of the package `p` in the variables `kinds` as one specification,
/// without duplicates.
fn depends(plan: &Plan, p: &Planned, kinds: &[&Spec<Dep>]) -> DepSpec {
    let mut nodes: Vec<Node<Atom>> = Vec::new();
    for node in kinds.iter().flat_map(|kind| &kind.nodes) {
        for part in node.flat_map(&mut |dep| dependency(plan, p, dep)).parts() {
            if !nodes.contains(&part) {
                nodes.push(part);
            }
        }
    }
    Spec::new(nodes)
}

fn dependency(plan: &Plan, p: &Planned, dep: &Dep) -> Node<Atom> {
    match dep {
        Dep::Atom(atom, _) => Node::Leaf(without_python(atom)),
        Dep::Open(_) | Dep::Expansion(_) => Node::All(Vec::new()),
        Dep::Call(call) if *call.function == *LLVM => {
            let slots = crate::lower::llvm::slots(p).into_iter();
            let built = slots.filter_map(|slot| {
                let of = |dep: &Dep| in_place(plan, p, &dep.to_string(), &slot).parse().ok();
                let atoms = call.depends.leaves().into_iter().filter_map(of);
                Some(Node::when(llvm_flag(&slot)?, atoms.map(Node::Leaf)))
            });
            Node::All(built.collect())
        }
        Dep::Call(call) => {
            let atoms = call.depends.leaves().into_iter();
            Node::All(atoms.map(|dep| dependency(plan, p, dep)).collect())
        }
    }
}

fn without_python(atom: &Atom) -> Atom {
    let kept: Vec<UseDep> = atom
        .use_deps()
        .iter()
        .filter(|u| !u.flag.as_str().starts_with("python_"))
        .cloned()
        .collect();
    let plain = atom.without_use_deps();
    // A subset of compatible USE dependencies is always compatible.
    plain.clone().with_use_deps(kept).unwrap_or(plain)
}

/// Returns the packages outside the plan that dependencies of `members` name with flags. Each
/// package has these flags only. Their defaults are not known and count as off, unless a dependency
/// states a default: `x/y[a(+)]`.
fn outside(members: &[Member]) -> Vec<Member> {
    let mut found: BTreeMap<_, Iuse> = BTreeMap::new();
    let ours: BTreeSet<&Cpn> = members.iter().map(|m| &m.package.cpv.cpn).collect();
    for atom in members.iter().flat_map(|m| m.depends.leaves()) {
        if ours.contains(atom.cpn()) {
            continue;
        }
        for entry in atom.use_deps() {
            let iuse = found.entry(atom.cpn().clone()).or_default();
            iuse.insert(entry.flag.clone(), Some(entry.default.unwrap_or(false)));
        }
    }
    found
        .into_iter()
        .map(|(cpn, iuse)| Member::outside(cpn, iuse))
        .collect()
}
