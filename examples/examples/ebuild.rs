//! An ebuild with three phases from code. The values are typed, so a value that would not parse is
//! refused before the ebuild is printed.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Command, Item, Scope, Stmt, Word, run};
use rocpkg::gentoo::{Ebuild, Metadata, Phase, Variable};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let option = |text: &str, flag: &str| {
        Item::from(Word::lit(text).then(Word::cmd(vec![Word::lit("usex"), Word::lit(flag)])))
    };
    let arguments = vec![
        option("-DBUILD_TESTING=", "test"),
        option("-DUSE_HIP=", "hip"),
    ];
    let install = Command::new(vec![Word::lit("dodoc"), Word::var("S").literal("/AUTHORS")]);

    let ebuild = Ebuild::new(
        "sci-libs/hipThing-1.2-r1".parse()?,
        &"0/1.2".parse()?,
        "Things for GPUs",
        2026,
    )
    .homepage("https://example.org/hipThing")
    .src_uri("https://example.org/${P}.tar.gz".parse()?)
    .license("MIT".parse()?)
    .keywords("~amd64")
    .before_inherit(Variable::new(
        "CMAKE_MAKEFILE_GENERATOR",
        Word::lit("emake"),
    ))
    .inherit(["cmake"])
    .iuse("+hip test".parse()?)
    .required_use("test? ( hip )".parse()?)
    .restrict("!test? ( test )".parse()?)
    .rdepend("hip? ( dev-util/hip:= ~sci-libs/rocBLAS-${PV} )".parse()?)
    .depend("hip? ( dev-util/hip:= ~sci-libs/rocBLAS-${PV} ) test? ( dev-cpp/gtest )".parse()?)
    .patch(
        Word::var("FILESDIR")
            .literal("/")
            .variable("P")
            .literal("-gcc15.patch"),
    )
    .phase(
        Phase::SrcConfigure,
        vec![
            Stmt::array(Scope::Local, "mycmakeargs", arguments, true),
            run("cmake_src_configure", []),
        ],
    )
    .phase(
        Phase::SrcTest,
        vec![run("cmake_src_test", [Word::lit("-j1")])],
    )
    .phase(
        Phase::SrcInstall,
        vec![run("cmake_src_install", []), Stmt::Command(install)],
    );
    ebuild.check()?;
    println!("== {}\n{ebuild}", ebuild.path());

    let metadata = Metadata::default()
        .person("Jane Doe", "jane@example.org")
        .flag("hip", "Build for AMD GPUs");
    println!("== metadata.xml\n{metadata}");
    Ok(())
}
