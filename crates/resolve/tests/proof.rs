//! The proof on the shipped profiles: what is left open, and what is known.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg_model::{Files, Findings};
use rocpkg_resolve::{Choice, DISTROS, Model, Plan, prove};
use std::fs;
use std::path::{Path, PathBuf};

fn shipped() -> Model {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../profiles");
    let mut files = Files::new();
    let mut open = vec![PathBuf::new()];
    while let Some(inside) = open.pop() {
        for entry in fs::read_dir(root.join(&inside)).unwrap() {
            let path = inside.join(entry.unwrap().file_name());
            if root.join(&path).is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|e| e == "yaml") {
                files.insert(
                    path.to_string_lossy().into_owned(),
                    fs::read_to_string(root.join(&path)).unwrap(),
                );
            }
        }
    }
    let (model, findings) = Model::load(&[(String::new(), files)]);
    assert!(!findings.has_errors(), "{}", findings.render(&model.sources, false));
    model
}

#[test]
fn the_shipped_profiles_are_proved_but_for_what_is_known() {
    let model = shipped();
    let registry = model.registry.as_ref().unwrap();
    let mut out = String::new();
    let mut open = String::new();
    for distro in DISTROS {
        let plan = Plan::new(&model, distro, &Choice::Shipped, &mut Findings::default()).unwrap();
        let proof = prove(&plan, registry);
        open.push_str(&proof.findings.render(&model.sources, false));
        for f in &proof.unmet {
            open.push_str(&format!("{}: {}\n", model.sources.place(f.span.unwrap()), f.message));
        }
        out.push_str(&format!("{distro}: {} edges\n", proof.edges));
        for known in &proof.known {
            let f = &known.finding;
            out.push_str(&format!(
                "  {} {}\n    {}\n    known: {}\n",
                f.code, f.message, f.label, known.reason
            ));
        }
    }
    assert!(open.is_empty(), "{open}");
    insta::assert_snapshot!(out);
}
