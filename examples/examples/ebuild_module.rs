//! The ebuild of a kernel module. `linux-mod-r1.eclass` builds the modules that `modlist` names
//! against the configured kernel.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Item, Scope, Stmt, Word, run};
use rocpkg::gentoo::{DependVariable, Eapi, EbuildFile, Phase};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let archive = Word::lit("https://example.org/")
        .variable("P")
        .literal(".tar.xz");
    let local =
        |name: &str, word: Word| Stmt::array(Scope::Local, name, vec![Item::from(word)], false);
    let mut ebuild = EbuildFile::new(Eapi::Eight, 2026)
        .with(Stmt::Blank)
        .call("inherit", ["linux-mod-r1"])
        .with(Stmt::Blank)
        .variable("DESCRIPTION", Word::quoted("Kernel module of a GPU"))
        .variable("HOMEPAGE", Word::quoted("https://example.org/gpumod"))
        .variable("SRC_URI", archive)
        .with(Stmt::Blank)
        .variable("LICENSE", Word::quoted("GPL-2"))
        .variable("SLOT", Word::quoted("0"))
        .variable("KEYWORDS", Word::quoted("~amd64"))
        .variable("IUSE", Word::quoted("debug"))
        .with(Stmt::Blank)
        .variable("CONFIG_CHECK", Word::quoted("DRM MMU_NOTIFIER"))
        .with_phase(
            Phase::SrcCompile,
            vec![
                local("modlist", Word::lit("gpumod=video:.:src")),
                local("modargs", Word::lit("KDIR=").then(Word::var("KV_OUT_DIR"))),
                Stmt::Blank,
                run("linux-mod-r1_src_compile", []),
            ],
        )
        .with_phase(
            Phase::SrcInstall,
            vec![
                run("linux-mod-r1_src_install", []),
                run("udev_dorules", [Word::lit("70-gpumod.rules")]),
            ],
        );
    // `udev_dorules` is a function of `udev.eclass`, so the ebuild is refused without that eclass.
    if let Err(refused) = ebuild.check("sys-kernel/gpumod/gpumod-1.ebuild") {
        println!("# {refused}");
    }
    ebuild.add_eclass("udev");
    ebuild.set_depends(DependVariable::Build, &"sys-apps/kmod".parse()?)?;
    ebuild.check("sys-kernel/gpumod/gpumod-1.ebuild")?;
    print!("{ebuild}");
    Ok(())
}
