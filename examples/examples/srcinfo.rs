//! Computes the `.SRCINFO` of any PKGBUILD without running it:
//! `cargo run --example srcinfo -- PKGBUILD`. A value that only bash can compute is refused with
//! its line and column.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that answers"
)]

use rocpkg::arch::evaluate;
use rocpkg::arch::place;
use std::process::ExitCode;

const TEXT: &str = "pkgname=hipthing\n_tag=1_2\npkgver=${_tag//_/.}\npkgrel=1\narch=(x86_64)\n\
    source=(\"https://example.org/$pkgname-${pkgver%.*}.tar.gz\")\nsha256sums=(SKIP)\n";

fn main() -> ExitCode {
    let path = std::env::args().nth(1);
    let text = match path.as_ref().map(std::fs::read_to_string) {
        Some(Ok(text)) => text,
        Some(Err(error)) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
        None => TEXT.to_owned(),
    };
    match evaluate(&text) {
        Ok(info) => {
            print!("{info}");
            ExitCode::SUCCESS
        }
        Err(faults) => {
            for fault in faults {
                let (line, column) = place(&text, fault.at());
                eprintln!("{line}:{column}: {}", fault.finding.label);
            }
            ExitCode::FAILURE
        }
    }
}
