//! GPU targets handed on over dependencies, as the ebuilds say it.

use crate::support::{Outcome, real_handing_on};
use rocpkg_model::Propagation;

/// The dependency variables of a package that name targets, as written.
fn dependencies(out: &Outcome, path: &str) -> String {
    assert_eq!(out.errors, [] as [&str; 0]);
    let text = out.text(path);
    let mut shown = String::new();
    for name in ["RDEPEND", "DEPEND", "BDEPEND"] {
        let Some(at) = text.find(&format!("\n{name}=\"")) else { continue };
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
    let out = real_handing_on(Propagation::None);
    for path in [ROCBLAS, RCCL] {
        assert_eq!(dependencies(&out, path), "");
    }
    // That for the headers is no dependency on a target of the other package.
    assert!(!dependencies(&out, MIOPEN).contains('['));
}

#[test]
fn eclass_hands_on_its_list_where_the_dependency_knows_all_of_it() {
    let out = real_handing_on(Propagation::Eclass);
    insta::assert_snapshot!("eclass-miopen", dependencies(&out, MIOPEN));
    insta::assert_snapshot!("eclass-rocBLAS", dependencies(&out, ROCBLAS));
    assert!(out.warnings.iter().any(|w| w.starts_with("W0302")), "{:?}", out.warnings);
}

#[test]
fn chunked_repeats_the_atom() {
    let out = real_handing_on(Propagation::Chunked);
    insta::assert_snapshot!("chunked-miopen", dependencies(&out, MIOPEN));
    insta::assert_snapshot!("chunked-rocBLAS", dependencies(&out, ROCBLAS));
    assert_eq!(dependencies(&out, RCCL), "");
    assert!(!out.warnings.iter().any(|w| w.starts_with("W0302")), "{:?}", out.warnings);
}

#[test]
fn conditional_asks_target_by_target() {
    let out = real_handing_on(Propagation::Conditional);
    insta::assert_snapshot!("conditional-miopen", dependencies(&out, MIOPEN));
    insta::assert_snapshot!("conditional-rocBLAS", dependencies(&out, ROCBLAS));
}
