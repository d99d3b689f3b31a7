//! The proof on the shipped profiles: what is left open, and what is known.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg_model::Findings;
use rocpkg_resolve::{Choice, DISTROS, Model, Plan, prove};

fn shipped() -> Model {
    let (model, findings) = Model::load(&[(String::new(), rocpkg_tests::profiles(&[]))]);
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
