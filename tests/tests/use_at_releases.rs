//! `rocpkg use` and `rocpkg render` read the same dependencies and flags at each release.

use rocpkg::gentoo::Wanted;
use rocpkg::gentoo::internal::{members, package_use};
use rocpkg::internal::model::{Files, Findings, Propagation};
use rocpkg::internal::resolve::{Choice, Plan, Planned};
use rocpkg::pms::{Change, Member, UseState as _};
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::gpu::{Use, UseQuery};

/// Returns the plans of Gentoo at each release of the model, under each propagation.
fn plans(stack: &Stack) -> Vec<Plan> {
    let lines = stack.model().lines.values();
    let releases: Vec<&String> = lines.flat_map(|line| line.versions.keys()).collect();
    let mut all = Vec::new();
    for release in &releases {
        let choice = Choice::Release(release.parse().unwrap());
        let mut findings = Findings::default();
        let plan = Plan::new(stack.model(), "gentoo", &choice, &mut findings).unwrap();
        for mode in Propagation::ALL {
            let mut plan = plan.clone();
            plan.distro.propagation = Some(mode);
            all.push(plan);
        }
    }
    assert!(releases.len() > 20, "{releases:?}");
    all
}

/// Returns the parts of a package's `REQUIRED_USE` that its default flags break. The GPUs are
/// AMD's, and flags of the processor are set by the user.
fn broken(member: &Member) -> Vec<String> {
    let is_on = |flag: &str| flag == "video_cards_amdgpu" || member.iuse.is_on(flag);
    let unmet = member.required_use.unmet(is_on).nodes;
    let parts = unmet.iter().map(ToString::to_string);
    parts.filter(|p| !p.starts_with("cpu_flags_")).collect()
}

/// A default flag that `REQUIRED_USE` forbids is recorded for the proof, which reports it. The
/// shipped packages have none.
#[test]
fn default_flags_meet_required_use_at_each_release_under_each_propagation() {
    let stack = Stack::shipped().unwrap();
    let mut checked = 0;
    for plan in plans(&stack) {
        let (members, recipes) = members(&plan, &mut Findings::default());
        let mode = plan.distro.propagation;
        assert!(recipes.broken_defaults.is_empty(), "{mode:?} {recipes:?}");
        for (p, member) in plan.packages.iter().zip(&members) {
            assert_eq!(
                broken(member),
                [""; 0],
                "{} {mode:?} {}",
                p.id,
                plan.version
            );
            checked += 1;
        }
    }
    assert!(checked > 2000, "{checked}");
}

/// Returns true if the change turns off the feature without which `p` uses nothing of the stack.
fn leaves_the_gpu(p: &Planned, change: &Change) -> bool {
    let kept = p.stack_feature().map(|(key, on)| (p.feature_name(key), on));
    change.package.cpn.package() == p.name && kept == Some((change.flag.as_str(), !change.on))
}

/// No answer turns off the flag that alone carries the requested targets.
#[test]
fn targets_are_never_met_by_leaving_the_gpu() {
    let iree = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../examples/consumers/iree/rocm"
    );
    let stack = Stack::shipped().unwrap().layer(iree).unwrap();
    let mut answers = 0;
    for plan in plans(&stack) {
        // This one passes the most targets on, and `rocpkg use` answers by it.
        if plan.distro.propagation != Some(Propagation::Chunked) {
            continue;
        }
        let (members, _) = members(&plan, &mut Findings::default());
        for p in plan.packages.iter().filter(|p| p.targets.is_some()) {
            let wanted = Wanted {
                package: p.id.clone(),
                targets: Some(vec!["gfx942".to_owned()]),
                flags: Vec::new(),
            };
            let Ok(found) = package_use(&plan, &members, &wanted) else {
                continue;
            };
            for change in &found.changes {
                let left = plan.packages.iter().find(|p| leaves_the_gpu(p, change));
                assert!(left.is_none(), "{}: {change:?}", p.id);
            }
            answers += 1;
        }
    }
    assert!(answers > 300, "{answers}");
}

/// With any defaults of two features and any constraint on them, the finding W0616 is there exactly
/// if the defaults break the constraint.
#[test]
fn broken_defaults_are_reported() {
    for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
        for (constraint, holds) in [
            ("at-most-one: [a, b]", !(a && b)),
            ("exactly-one: [a, b]", a != b),
            ("when: a, need: b", !a || b),
        ] {
            let text = format!(
                "features: {{a: {{summary: A, default: {a}}}, b: {{summary: B, default: {b}}}}}\n\
                 constraints: [{{{constraint}}}]\n"
            );
            let layer = Files::from([("distros/gentoo/rocrand.yaml".to_owned(), text)]);
            let stack = Stack::shipped().unwrap().texts("over", layer);
            let checked = stack.check(&[Backend::Gentoo], &[]).unwrap();
            let all = checked.findings.sorted();
            let found = all.iter().filter(|f| f.code == "W0616").count();
            assert_eq!(found, usize::from(!holds), "{constraint} {a} {b}");
            assert!(checked.is_sound());
        }
    }
    // A choice that users have to make is stated as known.
    let layer = Files::from([
        (
            "distros/gentoo/rocfft.yaml".to_owned(),
            "features: {perfscripts: {default: true}}\n".to_owned(),
        ),
        (
            "distros/gentoo.yaml".to_owned(),
            "known: [{code: W0616, packages: [rocfft], reason: a choice}]\n".to_owned(),
        ),
    ]);
    let stack = Stack::shipped().unwrap().texts("over", layer);
    let checked = stack.check(&[Backend::Gentoo], &[]).unwrap();
    let all = checked.findings.sorted();
    assert!(checked.is_sound() && all.iter().all(|f| f.code != "W0616"));
    let known = checked.known.iter().map(|(_, known)| known);
    let stated = known.filter(|known| known.finding.code == "W0616");
    assert_eq!(
        stated
            .map(|known| known.reason.as_str())
            .collect::<Vec<_>>(),
        ["a choice"]
    );
}

/// Each package can be installed with default flags, at every release for which Gentoo's ebuilds
/// are rendered. No package that is needed is blocked.
#[test]
fn what_is_rendered_can_be_used() {
    let stack = Stack::shipped().unwrap();
    for release in ["6.2.4", "6.4.3", "7.0.2", "7.2.4"] {
        let choice = Choice::Release(release.parse().unwrap());
        let plan = stack.plan(Backend::Gentoo, &choice).unwrap();
        let mut refused = Vec::new();
        for p in &plan.packages {
            let answer = stack.package_use(&UseQuery::new(&p.id), &choice).unwrap();
            if let Use::Refused { reasons, .. } = answer {
                refused.push((p.id.clone(), reasons));
            }
        }
        assert!(refused.is_empty(), "{release}: {refused:#?}");
    }
}
