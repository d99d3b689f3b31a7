//! Lines of `package.use` that make a package and all that it needs consistent.

use crate::context::{category, setting};
use crate::expand::Expand;
use rocpkg_pms::{
    Change, Contradiction, Cpn, Cpv, Flag, Member, Problem, Reason, Spec, UseLine, UseState, Wish,
};
use rocpkg_resolve::{Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};

/// What somebody wants of a package.
#[derive(Clone, Debug, Default)]
pub struct Wanted {
    /// The package's id in the plan; of an id that is not there nothing is asked.
    pub package: String,
    /// The GPU targets to build everything for, and no others where that can be; the defaults when
    /// absent.
    pub targets: Option<Vec<String>>,
    /// Flags of the package, and whether they are to be on.
    pub flags: Vec<(Flag, bool)>,
}

/// How to get it.
#[derive(Clone, Debug, Default)]
pub struct PackageUse {
    /// The lines, the package's own first, then those of its dependencies in build order.
    pub lines: Vec<UseLine>,
    /// The flags that differ from the defaults, or from the GPU targets asked for.
    pub changes: Vec<Change>,
    /// Packages without a flag for some of the GPU targets asked for, and those targets.
    pub lacking: Vec<(Cpn, Vec<String>)>,
    /// The packages that are needed, the package itself among them.
    pub needed: BTreeSet<Cpn>,
    /// Why GPU targets are built that nobody asked for, where that is so.
    pub added: Option<Added>,
}

/// GPU targets that had to be added to those asked for.
#[derive(Clone, Debug)]
pub struct Added {
    /// The targets.
    pub targets: Vec<String>,
    /// The demands that can't be met without them, or others in their place.
    pub reasons: Vec<Reason>,
}

/// The name of a package in an ebuild repository; `None` when it can't be one.
fn cpn(plan: &Plan, p: &Planned) -> Option<Cpn> {
    Cpn::new(&category(plan, p), &p.name).ok()
}

/// Whether a flag of the same variable was asked for, so that it is not ours to choose.
fn speaks_of(wanted: &Wanted, flag: &str, use_expand: &[&str]) -> bool {
    let prefixes = use_expand
        .iter()
        .map(|variable| format!("{}_", variable.to_ascii_lowercase()));
    let prefix = prefixes
        .into_iter()
        .find(|p| flag.starts_with(p))
        .unwrap_or_else(|| flag.to_owned());
    wanted
        .flags
        .iter()
        .any(|(f, _)| f.as_str().starts_with(&prefix))
}

/// Finds the fewest flags to set.
///
/// `members` are those of [`crate::members()`]. The defaults are those of IUSE; what a profile or
/// make.conf sets is not known here. The distribution's `gpu-flag` is on unless a flag of its
/// variable is asked for: the GPUs are AMD's. GPU targets that are asked for are written whole
/// (`AMDGPU_TARGETS: -* gfx1100`), which holds whatever make.conf says.
///
/// # Errors
/// When no choice of flags meets all that is asked for, with the demands that exclude each other.
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
    // The package itself first: of equal changes, its own are the ones to be expected.
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
    let flags = Flag::new(setting(plan, "gpu-flag", "")).ok();
    for flag in flags
        .iter()
        .filter(|f| !speaks_of(wanted, f.as_str(), &expand))
    {
        // What lies outside is asked for it by those who need it.
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

/// A package and all that it may need, whatever flags are set: nothing else has a say in what is
/// set for it.
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
    /// Puts all GPU targets of a package into its line, on top of whatever is set elsewhere.
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

/// The targets that were turned on though nobody asked for them, and what stands against leaving
/// them off.
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

/// Sets the GPU targets of a package to those asked for, as far as it has flags for them.
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
