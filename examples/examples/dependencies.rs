//! Gentoo's dependency language by itself: what an atom takes, what flags ask for, and what an ebuild's own rule says of them.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg_pms::{Atom, Cpv, RequiredUse, SyntaxError, flatten, use_reduce};

fn main() -> Result<(), SyntaxError> {
    let atom: Atom = ">=sci-libs/rocBLAS-7.2:0/7.2=[amdgpu_targets_gfx90a(-)?]".parse()?;
    for installed in ["sci-libs/rocBLAS-7.1.1", "sci-libs/rocBLAS-7.2.0-r1"] {
        let installed: Cpv = installed.parse()?;
        println!("{installed} fits: {}", atom.matches_cpv(&installed));
    }

    let depend = "dev-util/hip benchmark? ( app-admin/chrpath ) !test? ( sci-libs/rocRAND )";
    println!("with benchmark: {}", flatten(&use_reduce(depend, |flag| flag == "benchmark", true)?).join(" "));

    let rule: RequiredUse = "^^ ( cuda rocm ) test? ( rocm )".parse()?;
    println!("with cuda and test, {} is not met", rule.unmet(|flag| ["cuda", "test"].contains(&flag)));
    Ok(())
}
