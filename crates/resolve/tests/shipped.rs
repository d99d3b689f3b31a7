//! The shipped profiles load, and plan for each distribution, with no other finding than a known
//! gap.

use rocpkg_resolve::{Choice, DISTROS, Model, Plan};

#[test]
fn shipped_profiles_plan_with_no_other_finding_than_a_known_gap() {
    let (model, mut findings) = Model::load(&[(String::new(), rocpkg_test_support::profiles(&[]))]);
    for distro in DISTROS {
        let plan = Plan::new(&model, distro, &Choice::Shipped, &mut findings).unwrap();
        assert!(!plan.packages.is_empty());
        // Arch has moved on since some of its recipes were read.
        findings.retain(|f| distro != "arch" || !["W0220", "W0225"].contains(&f.code));
    }
    // Solus ships rccl 7.0.2, and upstream's list for that release is not known.
    let told: Vec<_> = findings
        .iter()
        .map(|finding| (finding.code, finding.message.as_str()))
        .collect();
    // Of two packages of Arch no whole recipe was seen: the list of rocJPEG, and the tag of libhipcxx,
    // are not known.
    let targets = |release: &str| {
        format!("the GPU targets that `GPU_TARGETS` accepts at {release} are not known")
    };
    let (solus, rocjpeg) = (targets("7.0.2"), targets("7.2.3"));
    let gaps = [
        (
            "W0229",
            "the tag of 10.1 is not known to exist in ROCm/libhipcxx",
        ),
        ("W0224", solus.as_str()),
        ("W0224", rocjpeg.as_str()),
    ];
    assert_eq!(told, gaps, "{}", findings.render(&model.sources, false));
}

#[test]
fn every_component_reads_by_itself() {
    use rocpkg_model::{Decode, Findings, Package};
    let (model, _) = Model::load(&[(String::new(), rocpkg_test_support::profiles(&[]))]);
    let mut findings = Findings::default();
    let release = "7.2.0".parse().unwrap();
    for name in model.components.keys() {
        let node = model.component(name, &release, &mut findings).unwrap();
        Package::decode(&node, &mut findings);
    }
    assert!(
        findings.is_empty(),
        "{}",
        findings.render(&model.sources, false)
    );
}

/// Facts of the shipped file about a package stay valid if another layer removes the package.
#[test]
fn a_package_that_is_taken_out_leaves_its_rows() {
    let over = [(
        "distros/solus.yaml".to_owned(),
        "packages: {hipblas: ~}\n".to_owned(),
    )]
    .into();
    let layers = [
        (String::new(), rocpkg_test_support::profiles(&[])),
        ("over".to_owned(), over),
    ];
    let (model, findings) = Model::load(&layers);
    assert!(model.distros["solus"].history.contains_key("hipblas"));
    assert!(
        findings.is_empty(),
        "{}",
        findings.render(&model.sources, false)
    );
}
