//! An eclass from code, for a `USE_EXPAND` variable. It contains a table of GPU targets by release,
//! and one further function. pkgcheck reads its documentation.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::core::{Offer, UseExpand};
use rocpkg::gentoo::bash::{Scope, Stmt, Word, run};
use rocpkg::gentoo::{Eclass, EclassFunction};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let rows = [
        (">=3.0, <4", Offer::new(["nb20"], ["nb10"])),
        (">=2.0, <3", Offer::new(["nb10"], [""; 0])),
    ];
    let switch = vec![
        Stmt::assign(Scope::Export, "CC", Word::lit("nimbus-clang")),
        Stmt::assign(Scope::Export, "CXX", Word::lit("nimbus-clang++")),
        run("strip-unsupported-flags", []),
    ];
    let switch = EclassFunction::new(
        "nimbus_use_clang",
        "Makes the clang of Nimbus the compiler, and drops flags that it does not know.",
        switch,
    );
    let eclass = Eclass::for_targets(
        ("nimbus", &UseExpand::new("NIMBUS_TARGETS")?, "Nimbus"),
        ("GPU targets and the compiler of Nimbus", "2026"),
        rows,
        Some("Cards that are sold are on by default."),
    )
    .maintainer("Jane Doe <jane@example.org>")
    .description("For the libraries of Nimbus.")
    .inherit("flag-o-matic")
    .function(switch);
    eclass.check()?;
    print!("{eclass}");
    Ok(())
}
