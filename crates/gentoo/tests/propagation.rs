//! GPU targets that are passed on over dependencies, as the ebuilds print them.

use rocpkg_gentoo::internal::{Edition, render};
use rocpkg_model::{Findings, Propagation};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};

/// Renders the shipped ebuilds with one mode of propagation.
fn rendered(mode: Propagation) -> Rendered {
    let (mut model, mut findings) = Model::load(&[(
        String::new(),
        rocpkg_test_support::profiles(&["gentoo", "arch"]),
    )]);
    model.distros.get_mut("gentoo").unwrap().propagation = Some(mode);
    let plan = Plan::new(&model, "gentoo", &Choice::Shipped, &mut findings).unwrap();
    let mut found = Findings::default();
    let templates = Templates::new(&rocpkg_test_support::templates("gentoo")).unwrap();
    let (rendered, _) = render(
        &[Edition {
            plan,
            packages: None,
        }],
        &templates,
        &mut found,
    );
    let shown = findings.render(&model.sources, false) + &found.render(&model.sources, false);
    assert!(!findings.has_errors() && !found.has_errors(), "{shown}");
    rendered
}

/// Returns the dependency variables of a package that name targets, as they are printed.
fn dependencies(out: &Rendered, path: &str) -> String {
    let text = String::from_utf8(out.tree.get(path).unwrap().to_vec()).unwrap();
    let mut shown = String::new();
    for name in ["RDEPEND", "DEPEND", "BDEPEND"] {
        let Some(at) = text.find(&format!("\n{name}=\"")) else {
            continue;
        };
        let value = &text[at + 1..];
        let end = value[name.len() + 2..].find('"').unwrap() + name.len() + 3;
        if value[..end].contains("amdgpu_targets_") || value[..end].contains("ROCM_USEDEP") {
            shown.push_str(&value[..end]);
            shown.push('\n');
        }
    }
    shown
}

const MIOPEN: &str = "sci-libs/miopen/miopen-7.2.0.ebuild";
const ROCBLAS: &str = "sci-libs/rocBLAS/rocBLAS-7.2.0.ebuild";
const RCCL: &str = "dev-libs/rccl/rccl-7.2.0.ebuild";

#[test]
fn none_asks_for_slots_alone() {
    let out = rendered(Propagation::None);
    for path in [ROCBLAS, RCCL] {
        assert_eq!(dependencies(&out, path), "");
    }
    // The dependency for headers needs no target of the other package.
    assert!(!dependencies(&out, MIOPEN).contains('['));
}

#[test]
fn eclass_hands_on_its_list_where_the_dependency_knows_all_of_it() {
    let out = rendered(Propagation::Eclass);
    insta::assert_snapshot!("eclass-miopen", dependencies(&out, MIOPEN));
    insta::assert_snapshot!("eclass-rocBLAS", dependencies(&out, ROCBLAS));
}

#[test]
fn chunked_repeats_the_atom() {
    let out = rendered(Propagation::Chunked);
    insta::assert_snapshot!("chunked-miopen", dependencies(&out, MIOPEN));
    insta::assert_snapshot!("chunked-rocBLAS", dependencies(&out, ROCBLAS));
    assert_eq!(dependencies(&out, RCCL), "");
}
