//! What a distribution's repository can do in its own CI: render a package with the repository's layer over the model, and hold the
//! result in a snapshot. Whoever bumps rocpkg, or changes the layer, sees what becomes of the package.

use rocpkg::{Backend, Error, Options, Stack};

fn main() -> Result<(), Error> {
    let layer = concat!(env!("CARGO_MANIFEST_DIR"), "/new-library");
    let options = Options {
        backends: vec![Backend::Gentoo],
        packages: vec!["hiptensor".into()],
        allow_missing: true,
        ..Options::default()
    };
    let tree = Stack::shipped()?.layer(layer)?.render(&options)?;

    for (path, bytes) in tree.files.iter().filter(|(path, _)| path.as_str().ends_with(".ebuild")) {
        insta::assert_snapshot!(path.as_str().replace('/', "-"), String::from_utf8_lossy(bytes));
    }
    Ok(())
}
