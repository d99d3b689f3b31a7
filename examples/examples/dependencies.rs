//! Gentoo's dependency language by itself: matches atoms, evaluates USE conditions, and finds the
//! fewest USE flags that must change so that packages fit together.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg_pms::{
    Atom, Candidate, Cpv, Flag, Iuse, Member, Problem, RequiredUse, SlotDep, Wish, flatten,
    use_reduce,
};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let atom: Atom = ">=sci-libs/rocBLAS-7.2:0/7.2=[amdgpu_targets_gfx90a(-)?]".parse()?;
    for installed in ["sci-libs/rocBLAS-7.1.1", "sci-libs/rocBLAS-7.2.0-r1"] {
        let installed: Cpv = installed.parse()?;
        println!("{installed} fits: {}", atom.matches_cpv(&installed));
    }
    println!(
        "from code: {}",
        Atom::new("dev-util/hip".parse()?).with_slot(SlotDep::BUILT)
    );

    let depend = "dev-util/hip benchmark? ( app-admin/chrpath ) !test? ( sci-libs/rocRAND )";
    println!(
        "with benchmark: {}",
        flatten(&use_reduce(depend, |flag| flag == "benchmark", true)?).join(" ")
    );

    let rule: RequiredUse = "^^ ( cuda rocm ) test? ( rocm )".parse()?;
    println!(
        "with cuda and test, {} is not met",
        rule.unmet(|flag| ["cuda", "test"].contains(&flag))
    );

    // A program that must be built with `test`, and a library that it depends on. The solution
    // contains the flags that both need.
    let member = |cpv: &str, iuse: &str| -> Result<Member, Box<dyn std::error::Error>> {
        let (cpv, iuse): (Cpv, Iuse) = (cpv.parse()?, iuse.parse()?);
        Ok(Member::new(Candidate::from(cpv), iuse))
    };
    let mut program = member("sci-ml/program-1", "+cuda rocm test")?;
    program.required_use = rule;
    program.depends = "rocm? ( sci-libs/rocBLAS[hip] )".parse()?;
    let package = program.package.cpv.cpn.clone();
    let wishes = vec![Wish {
        package: package.clone(),
        flag: Flag::new("test")?,
        on: true,
    }];
    let members = vec![program, member("sci-libs/rocBLAS-7.2.0", "hip")?];
    for line in (Problem {
        members,
        wanted: vec![package],
        wishes,
    })
    .solve()?
    .package_use(&[])
    {
        println!("package.use: {line}");
    }
    Ok(())
}
