//! Tests of the solver: the fewest changes, compared with a search of all states, and the messages
//! of contradictions.

use std::collections::BTreeMap;

use proptest::prelude::*;
use rocpkg_pms::{Cpv, Flag, Iuse, Member, Problem, Reason, Solution, UseState, Wish};

fn member(cpv: &str, iuse: &str, required_use: &str, depends: &str) -> Member {
    let mut member = Member::new(cpv.parse::<Cpv>().unwrap(), iuse.parse::<Iuse>().unwrap());
    member.required_use = required_use.parse().unwrap();
    member.depends = depends.parse().unwrap();
    member
}

fn wish(package: &str, flag: &str) -> Wish {
    let (flag, on) = flag
        .strip_prefix('-')
        .map_or((flag, true), |flag| (flag, false));
    Wish {
        package: package.parse().unwrap(),
        flag: Flag::new(flag).unwrap(),
        on,
    }
}

fn problem(members: Vec<Member>, wanted: &[&str], wishes: &[(&str, &str)]) -> Problem {
    Problem {
        members,
        wanted: wanted.iter().map(|name| name.parse().unwrap()).collect(),
        wishes: wishes
            .iter()
            .map(|(package, flag)| wish(package, flag))
            .collect(),
    }
}

fn lines(solution: &Solution, use_expand: &[&str]) -> String {
    let lines: Vec<String> = solution
        .package_use(use_expand)
        .iter()
        .map(ToString::to_string)
        .collect();
    lines.join("\n")
}

/// Packages as in ROCm: a target has to be passed on to the dependencies, and one package supports
/// only some targets.
fn stack() -> Vec<Member> {
    let targets = "+amdgpu_targets_gfx90a amdgpu_targets_gfx1030";
    let choice = "|| ( amdgpu_targets_gfx90a amdgpu_targets_gfx1030 )";
    let pass_on =
        |name: &str| format!("{name}:0/7.2[amdgpu_targets_gfx90a(-)?,amdgpu_targets_gfx1030(-)?]");
    let mut members = vec![
        member(
            "sci-libs/miopen-7.2.0",
            &format!("{targets} composable-kernel +roctracer"),
            &format!(
                "{choice} composable-kernel? ( amdgpu_targets_gfx90a !amdgpu_targets_gfx1030 )"
            ),
            &format!(
                "{} composable-kernel? ( {} ) roctracer? ( dev-util/roctracer ) dev-build/cmake",
                pass_on("sci-libs/rocBLAS"),
                pass_on("sci-libs/composable-kernel")
            ),
        ),
        member(
            "sci-libs/rocBLAS-7.2.0",
            targets,
            choice,
            &pass_on("dev-util/hip"),
        ),
        member(
            "sci-libs/composable-kernel-7.2.0",
            "+amdgpu_targets_gfx90a",
            "",
            "",
        ),
        member("dev-util/hip-7.2.0", targets, "", ""),
        member("dev-util/roctracer-7.2.0", "", "", ""),
    ];
    for member in &mut members {
        member.package.slot = Some("0/7.2".parse().unwrap());
    }
    members
}

#[test]
fn nothing_changes_where_all_is_well() {
    let solution = problem(stack(), &["sci-libs/miopen"], &[]).solve().unwrap();
    assert_eq!(solution.changes, []);
    // No package needs composable-kernel.
    let needed: Vec<String> = solution
        .needed
        .iter()
        .map(|cpv| cpv.cpn.package().to_owned())
        .collect();
    assert_eq!(needed, ["miopen", "rocBLAS", "hip", "roctracer"]);
}

#[test]
fn a_target_is_passed_on_to_all_that_need_it() {
    let wishes = [("sci-libs/miopen", "amdgpu_targets_gfx1030")];
    let solution = problem(stack(), &["sci-libs/miopen"], &wishes)
        .solve()
        .unwrap();
    insta::assert_snapshot!(lines(&solution, &["AMDGPU_TARGETS"]), @r"
    sci-libs/miopen AMDGPU_TARGETS: gfx1030
    sci-libs/rocBLAS AMDGPU_TARGETS: gfx1030
    dev-util/hip AMDGPU_TARGETS: gfx1030
    ");
    insta::assert_snapshot!(lines(&solution, &[]), @r"
    sci-libs/miopen amdgpu_targets_gfx1030
    sci-libs/rocBLAS amdgpu_targets_gfx1030
    dev-util/hip amdgpu_targets_gfx1030
    ");
}

#[test]
fn a_contradiction_is_told_in_words() {
    let wishes = [
        ("sci-libs/miopen", "composable-kernel"),
        ("sci-libs/miopen", "amdgpu_targets_gfx1030"),
        ("sci-libs/miopen", "-roctracer"),
    ];
    let error = problem(stack(), &["sci-libs/miopen"], &wishes)
        .solve()
        .unwrap_err();
    insta::assert_snapshot!(error, @r"
    no choice of USE flags meets all of this:
    - sci-libs/miopen is requested
    - sci-libs/miopen[composable-kernel] is requested
    - sci-libs/miopen[amdgpu_targets_gfx1030] is requested
    - sci-libs/miopen-7.2.0 has `composable-kernel? ( amdgpu_targets_gfx90a !amdgpu_targets_gfx1030 )` in REQUIRED_USE
    ");

    let wishes = [("sci-libs/miopen", "wings"), ("sci-libs/rocFFT", "x")];
    insta::assert_snapshot!(problem(stack(), &["sci-libs/miopen"], &wishes).solve().unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - sci-libs/miopen has no USE flag `wings`
    - sci-libs/rocFFT is not known
    ");
}

#[test]
fn a_mask_and_a_missing_flag_are_reasons() {
    let mut members = vec![
        member("a/a-1", "x", "", "a/b[x?] >=a/c-2"),
        member("a/b-1", "x", "", ""),
        member("a/c-1", "", "", ""),
    ];
    members[0].depends = "a/b[x?]".parse().unwrap();
    members[1].fixed = BTreeMap::from([(Flag::new("x").unwrap(), false)]);
    let mut problem = problem(members, &["a/a"], &[("a/a", "x")]);
    insta::assert_snapshot!(problem.solve().unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - a/a is requested
    - a/a[x] is requested
    - a/a-1 depends on `a/b[x?]`
    - the profile masks `x` for a/b-1
    ");

    problem.members[0].depends = ">=a/c-2 a/b[y]".parse().unwrap();
    insta::assert_snapshot!(problem.solve().unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - a/a is requested
    - a/a-1 depends on `>=a/c-2`; no known version matches >=a/c-2
    ");
    problem.members[0].depends = "a/b[y]".parse().unwrap();
    insta::assert_snapshot!(problem.solve().unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - a/a is requested
    - a/a-1 depends on `a/b[y]`; a/b-1 has no USE flag `y`
    ");
}

#[test]
fn a_package_outside_fits_whatever_is_asked() {
    let outside = Member::outside("x/drm".parse().unwrap(), "amdgpu +pci".parse().unwrap());
    let members = vec![
        member(
            "a/a-1",
            "x",
            "",
            ">=x/drm-2:3[pci] x? ( <x/drm-1[amdgpu,-pci] )",
        ),
        outside,
    ];
    let ask = |wishes: &[(&str, &str)]| problem(members.clone(), &["a/a"], wishes).solve();
    assert_eq!(ask(&[]).unwrap().changes, []);
    insta::assert_snapshot!(ask(&[("a/a", "x")]).unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - a/a is requested
    - a/a[x] is requested
    - a/a-1 depends on `>=x/drm-2:3[pci]`
    - a/a-1 depends on `x? ( <x/drm-1[amdgpu,-pci] )`
    ");
    let mut members = members.clone();
    members[0].depends = ">=x/drm-2:3[amdgpu]".parse().unwrap();
    assert_eq!(
        lines(&problem(members, &["a/a"], &[]).solve().unwrap(), &[]),
        "x/drm amdgpu"
    );
}

#[test]
fn what_needs_itself_to_be_built_is_no_answer() {
    // The tests of the first need the second, which is built with the first.
    let mut members = vec![
        member(
            "a/comgr-1",
            "test docs",
            "",
            "test? ( a/hip ) docs? ( a/doxygen )",
        ),
        member(
            "a/hip-1",
            "+amd nvidia",
            "^^ ( amd nvidia )",
            "amd? ( a/comgr )",
        ),
        member("a/doxygen-1", "", "", "a/comgr"),
    ];
    let ask = |members: &[Member], wishes: &[(&str, &str)]| {
        problem(members.to_vec(), &["a/comgr"], wishes).solve()
    };
    // Run-time dependencies may form a cycle.
    let together = [("a/comgr", "test"), ("a/comgr", "docs")];
    assert_eq!(
        lines(&ask(&members, &together).unwrap(), &[]),
        "a/comgr test docs"
    );

    for member in &mut members {
        member.build = member.depends.clone();
    }
    insta::assert_snapshot!(lines(&ask(&members, &[("a/comgr", "test")]).unwrap(), &[]), @r"
    a/comgr test
    a/hip -amd nvidia
    ");
    insta::assert_snapshot!(ask(&members, &[("a/comgr", "docs")]).unwrap_err(), @r"
    no choice of USE flags meets all of this:
    - a/comgr is requested
    - a/comgr[docs] is requested
    - a/comgr-1 depends on `docs? ( a/doxygen )`
    - a/comgr-1 and a/doxygen-1 need each other to be built
    ");
}

#[test]
fn of_equal_changes_the_first_to_turn_on_is_taken() {
    let changes = |iuse: &str, required_use: &str| {
        let problem = problem(vec![member("a/a-1", iuse, required_use, "")], &["a/a"], &[]);
        lines(&problem.solve().unwrap(), &[])
    };
    assert_eq!(changes("x y z", "|| ( z y x )"), "a/a x");
    assert_eq!(changes("+x y", "x? ( y )"), "a/a y");
    assert_eq!(changes("+x +y +z", "?? ( x y z )"), "a/a -x -y");
    assert_eq!(changes("x +y", "^^ ( x y )"), "");
}

#[test]
fn a_whole_stack_follows_its_top() {
    // Forty packages with 22 targets, each passing its own on to the five below it.
    let targets: Vec<String> = (0..22)
        .map(|index| format!("amdgpu_targets_gfx{}", 1000 + index))
        .collect();
    let iuse = format!("+{}", targets.join(" "));
    let choice = format!("|| ( {} )", targets.join(" "));
    let pass_on: Vec<String> = targets.iter().map(|flag| format!("{flag}(-)?")).collect();
    let members: Vec<Member> = (0..40_usize)
        .map(|index| {
            let below = index.saturating_sub(5)..index;
            let depends: Vec<String> = below
                .map(|below| format!("x/p{below}x[{}]", pass_on.join(",")))
                .collect();
            member(
                &format!("x/p{index}x-1"),
                &iuse,
                &choice,
                &depends.join(" "),
            )
        })
        .collect();
    let wishes: Vec<(&str, &str)> = targets
        .iter()
        .map(|flag| ("x/p39x", flag.as_str()))
        .collect();
    let solution = problem(members.clone(), &["x/p39x"], &wishes)
        .solve()
        .unwrap();
    assert_eq!(solution.changes.len(), 40 * 21);

    let mut masked = members;
    masked[0]
        .fixed
        .insert(Flag::new(&targets[21]).unwrap(), false);
    let reasons = problem(masked, &["x/p39x"], &wishes)
        .solve()
        .unwrap_err()
        .reasons;
    // The reasons are the wanted package, the wish, the mask, and the dependencies that connect the
    // two packages, which are at least eight.
    assert!((11..=42).contains(&reasons.len()), "{reasons:#?}");
    assert!(
        matches!(reasons[..2], [Reason::Wanted(_), Reason::Wish(_)]),
        "{reasons:#?}"
    );
    assert!(
        reasons
            .iter()
            .any(|reason| matches!(reason, Reason::Fixed { .. })),
        "{reasons:#?}"
    );
}

const FLAGS: [&str; 4] = ["a", "b", "c", "d"];

/// The states of four flags in each of two packages, as bits.
#[derive(Clone, Copy)]
struct State(u8);

struct View(State, u8);

impl UseState for View {
    fn has(&self, flag: &str) -> bool {
        FLAGS.contains(&flag)
    }

    fn is_on(&self, flag: &str) -> bool {
        let index = FLAGS.iter().position(|name| *name == flag).unwrap();
        (self.0.0 >> (self.1 + u8::try_from(index).unwrap())) & 1 == 1
    }
}

/// Returns true if two packages meet all demands in a state of their flags. The state is evaluated
/// without the solver.
fn is_consistent(problem: &Problem, state: State) -> bool {
    let views = [View(state, 0), View(state, 4)];
    let [first, second] = problem.members.as_slice() else {
        panic!("two members")
    };
    let is_on = |flag: &str| views[0].is_on(flag);
    let dependencies = first
        .depends
        .holds(is_on, |atom| atom.matches_use(&views[1], is_on));
    let wishes = problem.wishes.iter().all(|wish| {
        let view = if wish.package.package() == "a" {
            &views[0]
        } else {
            &views[1]
        };
        view.is_on(wish.flag.as_str()) == wish.on
    });
    dependencies
        && wishes
        && first.required_use.is_met(is_on)
        && second.required_use.is_met(|flag| views[1].is_on(flag))
}

fn required_use() -> impl Strategy<Value = String> {
    let leaf = "!?[abcd]".boxed();
    let node = leaf.prop_recursive(3, 12, 4, |inner| {
        let operator =
            prop::sample::select(vec!["|| (", "^^ (", "?? (", "(", "a? (", "!b? (", "c? ("]);
        (operator, prop::collection::vec(inner, 0..4))
            .prop_map(|(open, nodes)| format!("{open} {} )", nodes.join(" ")))
    });
    prop::collection::vec(node, 0..4).prop_map(|nodes| nodes.join(" "))
}

fn depends() -> impl Strategy<Value = String> {
    let leaf = "x/b\\[(a|-a|a\\?|!a\\?|a=|!a=),(b|-b|c\\?|!d\\?|d=|!c=)\\]".boxed();
    let node = leaf.prop_recursive(2, 8, 3, |inner| {
        let operator = prop::sample::select(vec!["|| (", "(", "a? (", "!b? (", "d? ("]);
        (operator, prop::collection::vec(inner, 1..3))
            .prop_map(|(open, nodes)| format!("{open} {} )", nodes.join(" ")))
    });
    prop::collection::vec(node, 1..3).prop_map(|nodes| nodes.join(" "))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn solutions_are_right_and_smallest(
        first in required_use(),
        second in required_use(),
        depends in depends(),
        before in any::<u8>(),
        wished in prop::collection::vec(("x/[ab]", "-?[abcd]"), 0..3),
    ) {
        let iuse = |from: u8| {
            let sign = |index: usize| if (before >> (from + u8::try_from(index).unwrap())) & 1 == 1 { "+" } else { "" };
            let flags: Vec<String> = (0..4).map(|index| format!("{}{}", sign(index), FLAGS[index])).collect();
            flags.join(" ")
        };
        let members = vec![member("x/a-1", &iuse(0), &first, &depends), member("x/b-1", &iuse(4), &second, "")];
        let wishes: Vec<(&str, &str)> = wished.iter().map(|(package, flag)| (&**package, &**flag)).collect();
        // Both packages are wanted, so the demands of both have to be met.
        let problem = problem(members, &["x/a", "x/b"], &wishes);

        let cost = |state: u8| (state ^ before).count_ones();
        let best = (0..=u8::MAX).filter(|state| is_consistent(&problem, State(*state))).map(cost).min();
        match (problem.solve(), best) {
            (Ok(solution), Some(best)) => {
                let mut state = before;
                for change in &solution.changes {
                    let from = if change.package.cpn.package() == "a" { 0 } else { 4 };
                    let index = FLAGS.iter().position(|name| *name == change.flag.as_str()).unwrap();
                    state ^= 1 << (from + index);
                }
                prop_assert!(is_consistent(&problem, State(state)), "{:?}", solution);
                prop_assert_eq!(cost(state), best, "{:?}", solution);
                prop_assert_eq!(problem.solve(), Ok(solution));
            }
            (Err(contradiction), None) => {
                // Without any one of its wishes, or with one wanted package less, the problem has a
                // solution.
                prop_assert!(!contradiction.reasons.is_empty());
                let wishes: Vec<&Wish> = contradiction.reasons.iter().filter_map(|reason| match reason {
                    Reason::Wish(wish) => Some(wish),
                    _ => None,
                }).collect();
                let mut smaller = problem.clone();
                smaller.wishes = wishes.iter().copied().cloned().collect();
                prop_assert!(smaller.solve().is_err());
            }
            (ours, best) => prop_assert!(false, "{:?}, but by trying all: {:?}", ours, best),
        }
    }
}

/// The names of three packages. Each has two flags, which decide if it needs the others to be
/// built.
const CIRCLE: [&str; 3] = ["a", "b", "c"];

/// Returns true if the first package of [`CIRCLE`] and all that it needs can be built in some
/// order. The order is searched step by step. An edge is the package, the package that it needs,
/// the flag, and the state of the flag in which the edge applies. `state` are the flags of all
/// packages, as bits.
fn can_be_built(edges: &[(usize, usize, usize, bool)], state: u8) -> bool {
    let is_on = |package: usize, flag: usize| (state >> (package * 2 + flag)) & 1 == 1;
    let below = |from: usize| -> Vec<usize> {
        let active = edges
            .iter()
            .filter(|(f, _, flag, on)| *f == from && is_on(from, *flag) == *on);
        active.map(|(_, to, ..)| *to).collect()
    };
    let mut done: Vec<usize> = Vec::new();
    let mut needed = vec![0];
    while let Some(next) = needed
        .iter()
        .flat_map(|&n| below(n))
        .find(|to| !needed.contains(to))
    {
        needed.push(next);
    }
    for _ in 0..3 {
        let ready = needed
            .iter()
            .copied()
            .filter(|n| below(*n).iter().all(|to| done.contains(to)));
        done = ready.collect();
    }
    done.len() == needed.len()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn nothing_needs_itself_to_be_built(
        edges in prop::collection::vec((0..3_usize, 1..3_usize, 0..2_usize, any::<bool>()), 0..8),
        before in 0..64_u8,
        wished in prop::collection::vec((0..2_usize, any::<bool>()), 0..2),
    ) {
        let edges: Vec<_> = edges.into_iter().map(|(from, by, flag, on)| (from, (from + by) % 3, flag, on)).collect();
        let members = CIRCLE.iter().enumerate().map(|(index, name)| {
            let sign = |flag: usize| if (before >> (index * 2 + flag)) & 1 == 1 { "+" } else { "" };
            let depends: Vec<String> = edges
                .iter()
                .filter(|(from, ..)| *from == index)
                .map(|(_, to, flag, on)| format!("{}{}? ( x/{} )", if *on { "" } else { "!" }, FLAGS[*flag], CIRCLE[*to]))
                .collect();
            let mut member = member(&format!("x/{name}-1"), &format!("{}a {}b", sign(0), sign(1)), "", &depends.join(" "));
            member.build = member.depends.clone();
            member
        });
        let wishes: Vec<(&str, String)> =
            wished.iter().map(|(flag, on)| ("x/a", format!("{}{}", if *on { "" } else { "-" }, FLAGS[*flag]))).collect();
        let wishes: Vec<(&str, &str)> = wishes.iter().map(|(package, flag)| (*package, &**flag)).collect();
        let problem = problem(members.collect(), &["x/a"], &wishes);

        let granted = |state: u8| wished.iter().all(|(flag, on)| ((state >> flag) & 1 == 1) == *on);
        let best = (0..64_u8).filter(|state| granted(*state) && can_be_built(&edges, *state)).map(|s| (s ^ before).count_ones()).min();
        match (problem.solve(), best) {
            (Ok(solution), Some(best)) => {
                let mut state = before;
                for change in &solution.changes {
                    let index = CIRCLE.iter().position(|name| *name == change.package.cpn.package()).unwrap();
                    let flag = FLAGS.iter().position(|name| *name == change.flag.as_str()).unwrap();
                    state ^= 1 << (index * 2 + flag);
                }
                prop_assert!(granted(state) && can_be_built(&edges, state), "{:?}", solution);
                prop_assert_eq!((state ^ before).count_ones(), best, "{:?}", solution);
            }
            (Err(_), None) => {}
            (ours, best) => prop_assert!(false, "{:?}, but by trying all: {:?}", ours, best),
        }
    }
}
