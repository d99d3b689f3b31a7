//! The shipped profiles load, and plan for each distribution, without a finding.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg_model::Files;
use rocpkg_resolve::{Choice, DISTROS, Model, Plan};
use std::fs;
use std::path::Path;

fn files() -> Files {
    fn walk(root: &Path, at: &Path, out: &mut Files) {
        for entry in fs::read_dir(at).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                walk(root, &path, out);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                out.insert(
                    path.strip_prefix(root).unwrap().display().to_string(),
                    fs::read_to_string(&path).unwrap(),
                );
            }
        }
    }
    let mut out = Files::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    walk(&root, &root, &mut out);
    out
}

#[test]
fn shipped_profiles_plan_without_a_finding() {
    let (model, mut findings) = Model::load(&[(String::new(), files())]);
    for distro in DISTROS {
        let plan = Plan::new(&model, distro, &Choice::Shipped, &mut findings).unwrap();
        assert!(!plan.packages.is_empty());
    }
    assert!(findings.is_empty(), "{}", findings.render(&model.sources, false));
}

#[test]
fn every_component_reads_by_itself() {
    use rocpkg_model::{Decode, Findings, Package};
    let (model, _) = Model::load(&[(String::new(), files())]);
    let mut findings = Findings::default();
    for node in model.components.values() {
        Package::decode(node, &mut findings);
    }
    assert!(findings.is_empty(), "{}", findings.render(&model.sources, false));
}
