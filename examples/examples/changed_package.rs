//! A shipped package with one more patch and one more dependency. Facts from code are merged over
//! the model, as a folder of YAML files would be.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::profile::{Dependency, Package};
use rocpkg::{Backend, Error, Options, Stack};

fn main() -> Result<(), Error> {
    let ours = Package::overlay(Backend::Gentoo, "rocprim")
        .patch(
            "rocPRIM-7.2.0-mine.patch",
            "Ours builds with another libstdc++",
        )
        .depends("rocminfo", Dependency::tool());
    let options = Options {
        backends: vec![Backend::Gentoo],
        packages: vec!["rocprim".into()],
        ..Options::everything()
    };
    let tree = Stack::shipped()?.with(ours).render(&options)?;
    print!(
        "{}",
        tree.text("gentoo/sci-libs/rocPRIM/rocPRIM-7.2.0.ebuild")
            .unwrap_or_default()
    );
    Ok(())
}
