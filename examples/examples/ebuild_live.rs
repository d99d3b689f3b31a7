//! The ebuild of a CMake program with a live version. Version 9999 checks out a branch with
//! `git-r3.eclass`. Releases are archives and have keywords.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Expression, Item, Scope, Stmt, Test, Word, run};
use rocpkg::gentoo::{DependVariable, Eapi, EbuildFile, Phase};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let set = |name: &str, value: Word| Stmt::assign(Scope::Plain, name, value);
    let is_live = Expression::Binary(Word::var("PV"), "==".to_owned(), Word::pattern("*9999"));
    let archive = Word::lit("https://example.org/gputop/archive/v")
        .variable("PV")
        .literal(".tar.gz -> ")
        .variable("P")
        .literal(".tar.gz");
    let source = Stmt::If {
        branches: vec![(
            Test::Expression(is_live),
            vec![
                run("inherit", [Word::lit("git-r3")]),
                set(
                    "EGIT_REPO_URI",
                    Word::quoted("https://example.org/gputop.git"),
                ),
            ],
        )],
        otherwise: vec![
            set("SRC_URI", archive),
            set("KEYWORDS", Word::quoted("~amd64")),
        ],
    };
    let option = |text: &str, flag: &str| {
        Item::from(Word::lit(text).then(Word::cmd(["usex", flag].map(Word::lit).to_vec())))
    };
    let options = vec![option("-DWITH_GUI=", "gui"), option("-DTESTS=", "test")];
    let mut ebuild = EbuildFile::new(Eapi::Eight, 2026)
        .with(Stmt::Blank)
        .call("inherit", ["cmake"])
        .with(source)
        .with(Stmt::Blank)
        .variable("DESCRIPTION", Word::quoted("Load of GPUs by process"))
        .variable("HOMEPAGE", Word::quoted("https://example.org/gputop"))
        .with(Stmt::Blank)
        .variable("LICENSE", Word::quoted("MIT"))
        .variable("SLOT", Word::quoted("0"))
        .variable("IUSE", Word::quoted("+gui test"))
        .variable("RESTRICT", Word::quoted("!test? ( test )"))
        .with_phase(
            Phase::SrcConfigure,
            vec![
                Stmt::array(Scope::Local, "mycmakeargs", options, true),
                run("cmake_src_configure", []),
            ],
        );
    ebuild.set_depends(DependVariable::Run, &"gui? ( media-libs/libsdl2 )".parse()?)?;
    ebuild.set_depends(
        DependVariable::Build,
        &"${RDEPEND} test? ( dev-cpp/gtest )".parse()?,
    )?;
    ebuild.check("app-misc/gputop/gputop-9999.ebuild")?;
    ebuild.check("app-misc/gputop/gputop-1.4.ebuild")?;
    print!("{ebuild}");
    Ok(())
}
