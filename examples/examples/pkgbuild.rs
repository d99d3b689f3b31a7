//! A PKGBUILD and its .SRCINFO from code. Both are printed from one value, so they agree.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::arch::Refused;
use rocpkg::arch::Sum;
use rocpkg::arch::bash::{Command, Word, run};
use rocpkg::arch::{Function, Pkgbuild};

fn main() -> Result<(), Refused> {
    let source = Word::lit("https://example.org/hipthing-")
        .variable("pkgver")
        .literal(".tar.gz");
    let folder = || Word::lit("hipthing-").variable("pkgver");
    let install = Command {
        env: vec![("DESTDIR".into(), Word::var("pkgdir"))],
        ..Command::new(["cmake", "--install", "build"].map(Word::lit).to_vec())
    };
    let pkgbuild = Pkgbuild::new("hipthing", "1.2", 1, ["x86_64"])
        .maintainer("Jane Doe <jane at example dot org>")
        .description("Things for GPUs")
        .url("https://example.org/hipthing")
        .license(["MIT"])
        .depends(["glibc", "hip-runtime-amd"])
        .makedepends(["cmake", "rocm-toolchain"])
        .optdepends(["rocblas: faster products"])
        .source(source, &Sum::Sha256("0123456789abcdef".repeat(4)))
        .function(
            Function::Build,
            vec![
                run(
                    "cmake",
                    [
                        Word::lit("-S"),
                        folder(),
                        Word::lit("-B"),
                        Word::lit("build"),
                    ],
                ),
                run("cmake", ["--build", "build"].map(Word::lit)),
            ],
        )
        .function(
            Function::Package,
            vec![rocpkg::arch::bash::Stmt::Command(install)],
        );
    pkgbuild.check()?;
    println!(
        "== PKGBUILD\n{pkgbuild}\n== .SRCINFO\n{}",
        pkgbuild.srcinfo()?
    );
    Ok(())
}
