//! Portage, the solver and the model agree on every package at every GPU target.

use crate::world::{World, name, target_flag, targets_of};
use rocpkg::internal::model::Propagation;
use rocpkg::internal::resolve::Planned;
use rocpkg::pms::{
    Contradiction, DepSpec, Flag, Iuse, Member, Problem, Reason, RequiredUse, UseState, Wish,
};
use rocpkg_tests::{Pretend, sample};
use std::collections::{BTreeMap, BTreeSet};

/// A request: a package at one target, with its default flags and at most one further flag.
struct Case<'a> {
    package: &'a Planned,
    member: &'a Member,
    flag: Option<&'a str>,
    target: String,
}

/// Flags that add a dependency with a list of its own, a limit on targets, or the need for a
/// target.
const BEHIND_FLAGS: [(&str, &str); 3] = [
    ("miopen", "composable-kernel"),
    ("rocblas", "hipblaslt"),
    ("rocwmma", "test"),
];

/// Flags of the machine's processor, some of which rpp requires.
const CPU: &str = "*/* CPU_FLAGS_X86: avx2 f16c fma3";

impl Case<'_> {
    fn package_use(&self) -> Vec<String> {
        let flag = self
            .flag
            .map(|flag| format!("{} {flag}", name(self.member)));
        [CPU.to_owned()].into_iter().chain(flag).collect()
    }

    /// Solves the request without a change of any flag.
    fn solved(&self, members: &[Member]) -> Result<(), Contradiction> {
        let mut members = members.to_vec();
        for member in &mut members {
            let known: Vec<Flag> = member
                .iuse
                .defaults()
                .map(|(flag, _)| flag.clone())
                .collect();
            for flag in known {
                let on = match flag.as_str() {
                    // These flags are on in the stand-ins for Gentoo's profile and for external
                    // packages.
                    "video_cards_amdgpu" => true,
                    text if text.starts_with("cpu_flags_x86_") => true,
                    _ if member.any_version => true,
                    text if text.starts_with("amdgpu_targets_") => {
                        flag == target_flag(&self.target)
                    }
                    text => {
                        member.is_on(text)
                            || (member.package == self.member.package && Some(text) == self.flag)
                    }
                };
                member.fixed.insert(flag, on);
            }
        }
        let problem = Problem {
            members,
            wanted: vec![name(self.member).clone()],
            wishes: Vec::<Wish>::new(),
        };
        problem.solve().map(|_| ())
    }
}

/// Returns the requests for each package with device code: at its own targets, and at those that
/// only other packages have.
fn cases(world: &World) -> Vec<Case<'_>> {
    let mut cases = Vec::new();
    for (package, member) in world.packages().filter(|(p, _)| p.targets.is_some()) {
        let (default, offered) = world.plan.distro_targets(&package.version);
        let all = [default, offered].concat();
        let behind = BEHIND_FLAGS
            .iter()
            .filter(|(id, _)| *id == package.id)
            .map(|(_, flag)| Some(*flag));
        for flag in [None].into_iter().chain(behind) {
            for target in &all {
                cases.push(Case {
                    package,
                    member,
                    flag,
                    target: target.clone(),
                });
            }
        }
    }
    cases
}

/// Returns true if the model states that the package can be installed at a target by itself.
fn is_supported(case: &Case<'_>) -> bool {
    let knows = targets_of(case.member).contains(&case.target);
    let feature = case
        .flag
        .and_then(|flag| case.package.package.features.get(flag));
    let limits: Vec<&str> = feature
        .iter()
        .flat_map(|f| &f.targets)
        .map(|t| t.value.as_str())
        .collect();
    // A package that requires no target is built without device code, which is the distribution's
    // policy for it. A package may require a target only under a flag, as for its tests.
    let on = |f: &str| {
        !f.starts_with("amdgpu_targets_") && (case.member.is_on(f) || case.flag == Some(f))
    };
    let unmet = case.member.required_use.unmet(on);
    let asks = unmet
        .flags()
        .iter()
        .any(|f| f.as_str().starts_with("amdgpu_targets_"));
    (knows || !asks) && (limits.is_empty() || limits.contains(&case.target.as_str()))
}

#[test]
fn portage_the_solver_and_the_model_agree_at_every_target() {
    let mut asked: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for mode in Propagation::ALL {
        let world = World::new(mode);
        let what = format!("packages at a GPU target under `{}`", mode.word());
        let cases = sample(&what, 12, cases(&world));
        let questions: Vec<Pretend> = cases
            .iter()
            .map(|c| {
                Pretend::new(
                    &[&name(c.member).to_string()],
                    &[&c.target],
                    &c.package_use(),
                )
            })
            .collect();
        let count = asked.entry(mode.word()).or_default();
        for (case, answer) in cases
            .iter()
            .zip(world.portage.emerge_pretend_each(&questions))
        {
            let what = format!(
                "{:?}: {} {:?} at {}",
                mode,
                name(case.member),
                case.flag,
                case.target
            );
            let solved = case.solved(&world.members);
            match (&answer, &solved) {
                (Ok(_), Ok(())) => count.0 += 1,
                (Err(text), Err(reasons)) => {
                    count.1 += 1;
                    let required = reasons
                        .reasons
                        .iter()
                        .any(|r| matches!(r, Reason::RequiredUse { .. }));
                    let told = if required {
                        "REQUIRED_USE"
                    } else {
                        "amdgpu_targets_"
                    };
                    assert!(text.contains(told), "{what}: {reasons}\n{text}");
                }
                _ => panic!("{what}: Portage says {answer:?}, the solver {solved:?}"),
            }
            assert_eq!(answer.is_ok(), is_supported(case), "{what}: {answer:?}");
        }
    }
    for (mode, (resolved, refused)) in asked {
        println!("{mode}: {resolved} resolved, {refused} refused");
        assert!(resolved > refused && refused > 0);
    }
}

/// The dependencies that eclasses add to those of packages: the eclasses of CMake, Python packages,
/// documentation and Fortran.
const OF_ECLASSES: &[&str] = &[
    ">=dev-build/cmake-3.28.5",
    ">=dev-lang/go-1.20:=",
    ">=dev-python/gpep517-16",
    ">=dev-python/pytest-7.4.4",
    ">=dev-vcs/git-1.8.2.1[curl]",
    "app-alternatives/ninja",
    "app-text/doxygen",
    "dev-lang/python:3.12",
    "dev-lang/python:3.13",
    "dev-lang/python:3.14",
    "dev-python/pytest-forked",
    "dev-python/pytest-xdist",
    "dev-python/setuptools",
    "media-gfx/graphviz",
    "virtual/fortran",
];

/// The solver receives the same metadata as `egencache` writes, except for the flags of Python,
/// which the profile sets.
#[test]
fn the_solver_sees_what_portage_caches() {
    let world = World::new(Propagation::Chunked);
    let mut cached = world.portage.egencache();
    let mut added = BTreeSet::new();
    let is_ours = |flag: &str| !flag.starts_with("python_");
    for (_, member) in world.packages() {
        let cpv = member.package.cpv.to_string();
        let values = cached
            .remove(&cpv)
            .unwrap_or_else(|| panic!("{cpv} is not cached"));
        let value = |name: &str| values.get(name).map_or("", String::as_str);
        let flags = |iuse: &Iuse| -> BTreeMap<String, bool> {
            let all = iuse.defaults().map(|(flag, on)| (flag.to_string(), on));
            all.filter(|(flag, _)| is_ours(flag)).collect()
        };
        assert_eq!(
            flags(&member.iuse),
            flags(&value("IUSE").parse().unwrap()),
            "{cpv}"
        );
        let theirs: RequiredUse = value("REQUIRED_USE").parse().unwrap();
        let defaults: Iuse = value("IUSE").parse().unwrap();
        let is_on = |flag: &str| flag == "video_cards_amdgpu" || defaults.is_on_by_default(flag);
        let unmet = theirs.unmet(is_on);
        let is_chosen = |flag: &str| is_ours(flag) && !flag.starts_with("cpu_flags_");
        let broken = unmet.flags().into_iter().any(|f| is_chosen(f.as_str()));
        assert!(!broken, "{cpv}: the default flags break `{unmet}`");
        let theirs: BTreeSet<&Flag> = theirs
            .flags()
            .into_iter()
            .filter(|f| is_ours(f.as_str()))
            .collect();
        assert_eq!(
            member
                .required_use
                .flags()
                .into_iter()
                .collect::<BTreeSet<_>>(),
            theirs,
            "{cpv}"
        );
        assert_eq!(
            member.package.slot.as_ref().unwrap().to_string(),
            value("SLOT"),
            "{cpv}"
        );
        for (ours, names) in [
            (
                &member.depends,
                &["DEPEND", "BDEPEND", "RDEPEND", "PDEPEND"][..],
            ),
            (&member.build, &["DEPEND", "BDEPEND"]),
        ] {
            let theirs = names
                .iter()
                .map(|name| value(name))
                .collect::<Vec<_>>()
                .join(" ");
            let theirs: DepSpec = theirs.parse().unwrap();
            let atoms = |spec: &DepSpec| -> BTreeSet<String> {
                let words = spec.leaves().into_iter().map(ToString::to_string);
                words
                    .map(|w| w.split("[python_").next().unwrap_or_default().to_owned())
                    .collect()
            };
            let (ours, theirs) = (atoms(ours), atoms(&theirs));
            let lost: Vec<_> = ours.difference(&theirs).collect();
            assert!(lost.is_empty(), "{cpv}: {lost:?} in {names:?}\n{theirs:#?}");
            added.extend(theirs.difference(&ours).cloned());
        }
    }
    assert!(cached.is_empty(), "{cached:#?}");
    assert_eq!(
        added.iter().map(String::as_str).collect::<Vec<_>>(),
        OF_ECLASSES
    );
}
