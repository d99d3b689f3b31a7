//! The ebuild of a Rust program. It lists the archives of crates.io by name and version, and
//! `cargo.eclass` fetches and builds them.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::gentoo::bash::{Stmt, Word, run};
use rocpkg::gentoo::{Eapi, EbuildFile, Phase};
use std::error::Error;

const CRATES: [&str; 3] = ["anyhow@1.0.98", "clap@4.5.40", "serde@1.0.219"];

fn main() -> Result<(), Box<dyn Error>> {
    let archive = Word::lit("https://example.org/gpuls/v")
        .variable("PV")
        .literal(".tar.gz -> ")
        .variable("P")
        .literal(".tar.gz\n\t")
        .variable("CARGO_CRATE_URIS");
    let ebuild = EbuildFile::new(Eapi::Eight, 2026)
        .with(Stmt::Blank)
        .variable(
            "CRATES",
            Word::quoted(format!("\n\t{}\n", CRATES.join("\n\t"))),
        )
        .with(Stmt::Blank)
        .call("inherit", ["cargo", "shell-completion"])
        .with(Stmt::Blank)
        .variable("DESCRIPTION", Word::quoted("Lists the GPUs of a machine"))
        .variable("HOMEPAGE", Word::quoted("https://example.org/gpuls"))
        .variable("SRC_URI", archive)
        .with(Stmt::Blank)
        .spec("LICENSE", &"MIT".parse::<rocpkg::pms::LicenseSpec>()?)
        .with(Stmt::Comment("Dependent crate licenses".to_owned()))
        .with(Stmt::Assign {
            scope: rocpkg::gentoo::bash::Scope::Plain,
            name: "LICENSE".to_owned(),
            append: true,
            value: Word::quoted(" Apache-2.0 MIT Unicode-3.0"),
        })
        .variable("SLOT", Word::quoted("0"))
        .variable("KEYWORDS", Word::quoted("~amd64"))
        .with_phase(
            Phase::SrcInstall,
            vec![
                run("cargo_src_install", []),
                run(
                    "newbashcomp",
                    ["completions/gpuls.bash", "gpuls"].map(Word::lit),
                ),
                run("dodoc", [Word::lit("README.md")]),
            ],
        );
    ebuild.check("app-misc/gpuls/gpuls-1.2.0.ebuild")?;
    print!("{ebuild}");
    Ok(())
}
