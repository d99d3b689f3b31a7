//! The profiles that rocpkg ships, rendered: no fault, every file accepted, and a few facts that must come out.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use rocpkg_model::Severity;
use rocpkg_nix::{attribute, check, render};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};

fn rendered(choice: &Choice) -> (Plan, Rendered) {
    let (model, mut findings) = Model::load(&[(String::new(), rocpkg_tests::profiles(&["nixpkgs"]))]);
    let plan = Plan::new(&model, "nixpkgs", choice, &mut findings).unwrap();
    let out =
        render(&plan, &Templates::new(&rocpkg_tests::templates("nix")).unwrap(), &mut findings).unwrap().0;
    let errors: Vec<_> = findings.sorted().into_iter().filter(|f| f.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{}", findings.render(&model.sources, false));
    (plan, out)
}

fn file(r: &Rendered, path: &str) -> String {
    String::from_utf8(r.tree.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).unwrap()
}

#[test]
fn every_package_has_its_file_and_stands_in_the_scope() {
    let (plan, r) = rendered(&Choice::Shipped);
    let scope = file(&r, "default.nix");
    for p in &plan.packages {
        let attr = attribute(p);
        check(&file(&r, &format!("{attr}/default.nix"))).unwrap();
        assert!(scope.contains(&format!("{attr} = ")), "{attr} is not in the scope");
    }
    for (path, bytes) in r.tree.iter() {
        check(std::str::from_utf8(bytes).unwrap()).unwrap_or_else(|e| panic!("{path}: {e}"));
    }
}

#[test]
fn no_hash_is_invented() {
    let (_, shipped) = rendered(&Choice::Shipped);
    let (_, other) = rendered(&Choice::Release("7.2.4".parse().unwrap()));
    let fakes = |r: &Rendered| {
        r.tree.iter().filter(|(_, b)| String::from_utf8_lossy(b).contains("\"sha256-AAAAAAAA")).count()
    };
    assert_eq!(fakes(&shipped), 0, "what nixpkgs ships has public hashes");
    assert!(fakes(&other) > 10, "nobody has published these");
}

#[test]
fn target_lists_come_from_the_model() {
    let (plan, r) = rendered(&Choice::Shipped);
    let (default, _) = plan.distro_targets(&"7.2.3".parse().unwrap());
    let clr = file(&r, "clr/default.nix");
    for t in &default {
        assert!(clr.contains(&format!("\"{t}\"")), "{t}");
    }
    // hipBLASLt can't be built without device code: the stand-in is stated, never an empty list.
    let lt = file(&r, "hipblaslt/default.nix");
    assert!(lt.contains("supportsTargetArches = supportedTargets != [ ];"));
    assert!(lt.contains("(lib.cmakeBool \"HIPBLASLT_ENABLE_DEVICE\" supportsTargetArches)"));
}

#[test]
fn raw_shell_is_the_exception() {
    use rocpkg_render::Origin;
    let (_, r) = rendered(&Choice::Shipped);
    let of = |o| r.counts.get(&o).copied().unwrap_or_default();
    // Lines of strings in Nix text count as raw too: hooks of tests beside a package, wrappers, a setup hook.
    assert!(of(Origin::Raw) * 9 < of(Origin::Step), "{:?}", r.counts);
}

#[test]
fn programs_leave_their_folder_only_where_something_else_may_be_in_it() {
    let (_, r) = rendered(&Choice::Shipped);
    let kernels = file(&r, "composable_kernel/base.nix");
    assert!(kernels.contains("mv $out/bin/test_* $test/bin"));
    assert!(!kernels.contains("rmdir $out/bin"));
    assert!(file(&r, "rccl/default.nix").contains("rmdir $out/bin"));
}
