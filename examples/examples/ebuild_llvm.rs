//! The ebuild of a program with LLVM slots. `llvm-r2.eclass` offers a flag for each slot, and
//! `llvm_gen_dep` depends on the packages of the chosen slot.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Item, Scope, Stmt, Word, run};
use rocpkg::gentoo::{Call, Dep, DependVariable, Eapi, EbuildFile, Phase};
use rocpkg::pms::{Node, Spec};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let clang = "llvm-core/clang:${LLVM_SLOT}= llvm-core/llvm:${LLVM_SLOT}=".parse()?;
    let clang = Dep::from(Call::new("llvm_gen_dep", clang, [])?);
    let home = Word::lit("-DLLVM_ROOT=").then(Word::cmd(vec![Word::lit("get_llvm_prefix")]));
    let mut ebuild = EbuildFile::new(Eapi::Eight, 2026)
        .with(Stmt::Blank)
        .array("LLVM_COMPAT", [Word::pattern("{20..22}")])
        .with(Stmt::Blank)
        .call("inherit", ["cmake", "llvm-r2"])
        .with(Stmt::Blank)
        .variable("DESCRIPTION", Word::quoted("A compiler of shaders"))
        .variable("HOMEPAGE", Word::quoted("https://example.org/shaderc"))
        .variable(
            "SRC_URI",
            Word::lit("https://example.org/")
                .variable("P")
                .literal(".tar.xz"),
        )
        .with(Stmt::Blank)
        .variable("LICENSE", Word::quoted("Apache-2.0"))
        .variable("SLOT", Word::quoted("0"))
        .variable("KEYWORDS", Word::quoted("~amd64"))
        .with_phase(
            Phase::SrcConfigure,
            vec![
                Stmt::array(Scope::Local, "mycmakeargs", vec![Item::from(home)], true),
                run("cmake_src_configure", []),
            ],
        );
    ebuild.set_depends(DependVariable::Run, &Spec::new([Node::Leaf(clang)]))?;
    ebuild.set_depends(DependVariable::Build, &"${RDEPEND}".parse()?)?;
    ebuild.check("dev-util/shaderc/shaderc-3.ebuild")?;
    print!("{ebuild}");
    Ok(())
}
