//! The ebuild of a Python package with compiled parts, like `numpy`. meson-python builds the
//! package for each version of Python, and pytest tests it.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Item, Scope, Stmt, Word, run};
use rocpkg::gentoo::{Call, Dep, DependVariable, Eapi, EbuildFile};
use rocpkg::pms::{Atom, Node, Spec};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let options = vec![
        Item::from(Word::lit("-Dblas=blas")),
        Item::explained(
            Word::lit("-Dthreads=").then(Word::cmd(["usex", "threads"].map(Word::lit).to_vec())),
            Some("Off unless it is asked for".to_owned()),
        ),
    ];
    let configure = vec![Stmt::array(Scope::Plain, "DISTUTILS_ARGS", options, true)];
    let mut ebuild = EbuildFile::new(Eapi::Eight, 2026)
        .with(Stmt::Blank)
        .variable("DISTUTILS_EXT", Word::lit("1"))
        .variable("DISTUTILS_USE_PEP517", Word::lit("meson-python"))
        .array("PYTHON_COMPAT", [Word::pattern("python3_{12..14}")])
        .variable("PYTHON_REQ_USE", Word::quoted("threads(+)"))
        .with(Stmt::Blank)
        .call("inherit", ["distutils-r1", "pypi"])
        .with(Stmt::Blank)
        .variable("DESCRIPTION", Word::quoted("Arrays with many dimensions"))
        .variable("HOMEPAGE", Word::quoted("https://example.org/gpuarray"))
        .with(Stmt::Blank)
        .variable("LICENSE", Word::quoted("BSD"))
        .variable("SLOT", Word::quoted("0/2"))
        .variable("KEYWORDS", Word::quoted("~amd64"))
        .variable("IUSE", Word::quoted("threads"))
        .with(Stmt::Blank)
        .call("distutils_enable_tests", ["pytest"])
        .with(Stmt::Blank)
        .with(Stmt::Function {
            name: "python_configure_all".to_owned(),
            body: configure,
        })
        .with(Stmt::Blank)
        .with(Stmt::Function {
            name: "python_test".to_owned(),
            body: vec![
                Stmt::array(
                    Scope::Local,
                    "EPYTEST_DESELECT",
                    vec![Item::explained(
                        Word::lit("tests/test_memory.py::test_large"),
                        Some("It needs 32 GB".to_owned()),
                    )],
                    true,
                ),
                run("epytest", []),
            ],
        });
    let cffi = "dev-python/cffi[${PYTHON_USEDEP}]".parse()?;
    let cffi = Call::new(
        "python_gen_cond_dep",
        cffi,
        [Word::pattern("python3_{12..13}")],
    )?;
    let blas = Dep::from("virtual/blas".parse::<Atom>()?);
    let depends = Spec::new([blas, cffi.into()].map(Node::Leaf));
    ebuild.set_depends(DependVariable::Run, &depends)?;
    ebuild.check("dev-python/gpuarray/gpuarray-2.1.ebuild")?;
    print!("{ebuild}");
    Ok(())
}
