//! Computes lines of `package.use`: the fewest flags to set so that a package has the wanted flags
//! and GPU targets, and agrees with all of its dependencies.

use crate::lower::context::{category, setting};
use crate::lower::expand::Expand;
use rocpkg_pms::{
    Change, Contradiction, Cpn, Cpv, Flag, Member, Problem, Reason, Spec, UseLine, UseState, Wish,
};
use rocpkg_resolve::{Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};

/// The flags and GPU targets that a user wants for a package.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The package's id in the plan. For an unknown id the result is empty.
    pub package: String,
    /// The GPU targets to build all packages for. Other targets are on only if a requirement can't
    /// be met without them. With `None`, each package keeps the targets that are on by default.
    pub targets: Option<Vec<String>>,
    /// The wanted flags of the package, each with its state: true for on.
    pub flags: Vec<(Flag, bool)>,
}

/// The lines of `package.use` that fulfil a [`Wanted`], and their consequences.
#[derive(Clone, Debug, Default)]
pub struct PackageUse {
    /// The lines: first the package's own, then those of its dependencies in build order.
    pub lines: Vec<UseLine>,
    /// The flags whose state differs from the default. If GPU targets are wanted, the flags of
    /// targets whose state differs from the wanted one.
    pub changes: Vec<Change>,
    /// The packages that have no flag for some of the wanted GPU targets, with those targets.
    pub lacking: Vec<(Cpn, Vec<String>)>,
    /// The package itself and all packages that it needs with these flags.
    pub needed: BTreeSet<Cpn>,
    /// The GPU targets that had to be added, if there are any.
    pub added: Option<Added>,
}

/// GPU targets that were added to the wanted ones.
#[derive(Clone, Debug)]
pub struct Added {
    /// The added targets.
    pub targets: Vec<String>,
    /// The dependencies and parts of `REQUIRED_USE` that can't be met with the wanted targets
    /// alone.
    pub reasons: Vec<Reason>,
}

impl Wanted {
    /// Returns true if `wish` was not requested, but keeps a package of the stack on the GPU: its
    /// flag is the feature without which the package uses no other package of the stack.
    #[doc(hidden)]
    pub fn keeps_gpu(&self, plan: &Plan, wish: &Wish) -> bool {
        let mut kept = plan.packages.iter().filter_map(|p| self.kept(plan, p));
        kept.any(|kept| kept == *wish)
    }

    /// Returns the wish for the feature of the package `p` without which it uses no other package
    /// of the stack. Returns `None` if the feature is off by default, or if the user decides it.
    fn kept(&self, plan: &Plan, p: &Planned) -> Option<Wish> {
        let (key, on) = p.stack_feature()?;
        let flag = Flag::new(p.feature_name(key)).ok()?;
        let is_decided = p.id == self.package && self.flags.iter().any(|(own, _)| *own == flag);
        let is_default = p.package.features.get(key)?.default == on;
        let package = cpn(plan, p)?;
        (is_default && !is_decided).then_some(Wish { package, flag, on })
    }
}

/// Returns the name of a package in an ebuild repository; `None` if the name is not valid there.
fn cpn(plan: &Plan, p: &Planned) -> Option<Cpn> {
    Cpn::new(&category(plan, p), &p.name).ok()
}

/// Returns true if the user's request decides the state of `flag`, so that it must not be set here:
/// the request names a flag of the same `USE_EXPAND` variable or, if `flag` belongs to no such
/// variable, `flag` itself. `use_expand` lists the variables, such as `VIDEO_CARDS`.
fn speaks_of(wanted: &Wanted, flag: &str, use_expand: &[&str]) -> bool {
    let prefixes = use_expand
        .iter()
        .map(|variable| format!("{}_", variable.to_ascii_lowercase()));
    let prefix = prefixes.into_iter().find(|p| flag.starts_with(p));
    wanted.flags.iter().any(|(own, _)| match &prefix {
        Some(prefix) => own.as_str().starts_with(prefix),
        None => own.as_str() == flag,
    })
}

/// Finds the fewest flags to set so that the wanted package has its flags and GPU targets, and all
/// of its dependencies are met. The result is empty for an unknown package.
///
/// `members` are those of [`crate::lower::solver::members()`]. The defaults are those of IUSE;
/// settings of a Gentoo profile or of make.conf are not known here. The flag in the distribution's
/// setting `gpu-flag`, such as `video_cards_amdgpu`, is on unless the user requests a flag of the
/// same variable (`VIDEO_CARDS`), as the GPUs are AMD's. Wanted GPU targets are written as a
/// complete list (`AMDGPU_TARGETS: -* gfx1100`), which overrides make.conf. The flag without which
/// a package uses nothing of the stack stays on if it is on by default, unless the user turns it
/// off.
///
/// # Errors
/// A request that no choice of flags meets, with the requirements that exclude each other.
pub fn package_use(
    plan: &Plan,
    members: &[Member],
    wanted: &Wanted,
) -> Result<PackageUse, Contradiction> {
    let mut out = PackageUse::default();
    let Some(asked) = plan.get(&wanted.package) else {
        return Ok(out);
    };
    let Some(name) = cpn(plan, asked) else {
        return Ok(out);
    };

    let expand: Vec<&str> = setting(plan, "use-expand", "").split_whitespace().collect();
    // The package itself is first: of two equally small solutions, the one that changes it is
    // preferred.
    let needed = reached(members, &name);
    let needed = members
        .iter()
        .filter(|m| needed.contains(&m.package.cpv.cpn))
        .cloned();
    let (mut own, others): (Vec<_>, Vec<_>) = needed.partition(|m| m.package.cpv.cpn == name);
    own.extend(others);
    let mut members = own;
    let of_targets = Expand::of(plan);
    if let Some(targets) = &wanted.targets {
        for member in &mut members {
            choose(&of_targets, member, targets);
        }
    }
    let mut wishes: Vec<Wish> = Vec::new();
    let mut wish = |flag: Flag, on| {
        wishes.push(Wish {
            package: name.clone(),
            flag,
            on,
        });
    };
    if asked.targets.is_some() {
        for target in wanted.targets.iter().flatten() {
            if let Ok(flag) = Flag::new(&of_targets.flag(target)) {
                wish(flag, true);
            }
        }
    }
    for (flag, on) in &wanted.flags {
        wish(flag.clone(), *on);
    }
    // Without the wish, turning the feature off could take the fewest flags, as nothing of the
    // stack is needed then.
    let is_there = |p: &&Planned| {
        members
            .iter()
            .any(|m| m.package.cpv.cpn.package() == p.name)
    };
    let planned = plan.packages.iter().filter(is_there);
    wishes.extend(planned.filter_map(|p| wanted.kept(plan, p)));
    let flags = Flag::new(setting(plan, "gpu-flag", "")).ok();
    for flag in flags
        .iter()
        .filter(|f| !speaks_of(wanted, f.as_str(), &expand))
    {
        // Flags of packages outside the plan are set by the dependencies on them.
        for member in members
            .iter()
            .filter(|m| !m.any_version && m.iuse.contains(flag.as_str()))
        {
            wishes.push(Wish {
                package: member.package.cpv.cpn.clone(),
                flag: flag.clone(),
                on: true,
            });
        }
    }
    let problem = Problem {
        members,
        wanted: vec![name],
        wishes,
    };
    let solution = problem.solve()?;

    out.lines = solution.package_use(&expand);
    out.changes = solution.changes;
    out.needed = solution.needed.iter().map(|cpv| cpv.cpn.clone()).collect();
    if let Some(targets) = &wanted.targets {
        let needed: BTreeSet<&Cpv> = solution.needed.iter().collect();
        let needed = problem
            .members
            .iter()
            .filter(|m| needed.contains(&m.package.cpv));
        needed.for_each(|m| out.write_whole(&of_targets, m, targets));
        let name = |m: &Member| m.package.cpv.cpn.to_string();
        out.added = added(&of_targets, &problem, wanted, &out.changes);
        let mut places = BTreeMap::new();
        for (i, m) in problem.members.iter().enumerate() {
            places.entry(name(m)).or_insert(i);
        }
        out.lines
            .sort_by_key(|line| places.get(&line.package).copied());
    }
    Ok(out)
}

/// Returns the package `name` and all packages that it depends on with any choice of flags,
/// directly or not. No other package has an influence on the flags of `name`.
fn reached<'a>(members: &'a [Member], name: &'a Cpn) -> BTreeSet<&'a Cpn> {
    let mut by_name: BTreeMap<&Cpn, Vec<&Member>> = BTreeMap::new();
    for m in members {
        by_name.entry(&m.package.cpv.cpn).or_default().push(m);
    }
    let (mut seen, mut open) = (BTreeSet::from([name]), vec![name]);
    while let Some(next) = open.pop() {
        let needs = by_name
            .get(next)
            .into_iter()
            .flatten()
            .flat_map(|m| [&m.depends, &m.build]);
        for atom in needs.flat_map(Spec::leaves) {
            if seen.insert(atom.cpn()) {
                open.push(atom.cpn());
            }
        }
    }
    seen
}

impl PackageUse {
    /// Adds the complete list of a package's GPU targets to its line, as in `AMDGPU_TARGETS: -*
    /// gfx1100`. The list overrides all other settings. Those of the wanted `targets` for which the
    /// package has no flag are added to `lacking`.
    fn write_whole(&mut self, expand: &Expand, member: &Member, targets: &[String]) {
        let known: Vec<&str> = expand.values.values(&member.iuse).collect();
        if known.is_empty() {
            return;
        }
        let is_on = |target: &&str| {
            let flag = expand.flag(target);
            let changed = |c: &&Change| c.package == member.package.cpv && c.flag.as_str() == flag;
            self.changes
                .iter()
                .find(changed)
                .map_or_else(|| member.is_on(&flag), |c| c.on)
        };
        let mut whole = vec!["-*".to_owned()];
        whole.extend(known.iter().copied().filter(is_on).map(str::to_owned));
        let group = (Some(expand.variable().to_owned()), whole);
        let name = &member.package.cpv.cpn;
        let package = name.to_string();
        match self.lines.iter_mut().find(|l| l.package == package) {
            Some(line) => line.flags.extend([group]),
            None => self.lines.push(UseLine {
                package,
                flags: [group].into(),
            }),
        }
        let lacking: Vec<String> = targets
            .iter()
            .filter(|t| !known.contains(&t.as_str()))
            .cloned()
            .collect();
        if !lacking.is_empty() {
            self.lacking.push((name.clone(), lacking));
        }
    }
}

/// Returns the GPU targets that `changes` turns on although the user did not ask for them, with the
/// requirements that need them. Returns `None` if there are no such targets.
fn added(expand: &Expand, problem: &Problem, wanted: &Wanted, changes: &[Change]) -> Option<Added> {
    let is_ours = |flag: &Flag| !wanted.flags.iter().any(|(asked, _)| asked == flag);
    let on = changes.iter().filter(|c| c.on && is_ours(&c.flag));
    let targets: BTreeSet<&str> = on.filter_map(|c| expand.target(c.flag.as_str())).collect();
    if targets.is_empty() {
        return None;
    }
    let mut narrow = problem.clone();
    for member in &mut narrow.members {
        let state = member
            .state
            .iter()
            .filter(|(flag, on)| !**on && is_ours(flag) && expand.target(flag.as_str()).is_some());
        member.fixed = state.map(|(flag, on)| (flag.clone(), *on)).collect();
    }
    let reasons = narrow.solve().err().map(|c| c.reasons).unwrap_or_default();
    let told = |r: &Reason| matches!(r, Reason::RequiredUse { .. } | Reason::Dependency { .. });
    Some(Added {
        targets: targets.into_iter().map(str::to_owned).collect(),
        reasons: reasons.into_iter().filter(told).collect(),
    })
}

/// Sets the state of each GPU target of a package: on if `targets` contains it, else off.
fn choose(expand: &Expand, member: &mut Member, targets: &[String]) {
    let flags: Vec<Flag> = member
        .iuse
        .defaults()
        .map(|(flag, _)| flag.clone())
        .collect();
    for flag in flags {
        if let Some(target) = expand.target(flag.as_str()) {
            let on = targets.iter().any(|t| t == target);
            member.state.insert(flag, on);
        }
    }
}
