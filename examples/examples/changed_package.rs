//! A shipped package with one more patch and one more dependency. Records from code are merged over
//! the model, as a folder of YAML files would be.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::model::{Edge, EdgeKind, Package, Patch};
use rocpkg::{Backend, Error, Options, Stack};

fn main() -> Result<(), Error> {
    let mut patch = Patch::default();
    patch.file = "rocPRIM-7.2.0-mine.patch".into();
    patch.comment = Some("Ours builds with another libstdc++".into());
    patch.checked = Some("=7.2.0".into());
    let mut edge = Edge::default();
    edge.kind = vec![EdgeKind::Tool].into();

    let mut package = Package::default();
    package.patches.push(patch);
    package.depends.insert("rocminfo".into(), vec![edge].into());

    let stack = Stack::shipped()?.package(Backend::Gentoo, "rocprim", &package);
    let options = Options {
        backends: vec![Backend::Gentoo],
        packages: vec!["rocprim".into()],
        ..Options::everything()
    };
    let tree = stack.render(&options)?;
    print!(
        "{}",
        tree.text("gentoo/sci-libs/rocPRIM/rocPRIM-7.2.0.ebuild")
            .unwrap_or_default()
    );
    Ok(())
}
