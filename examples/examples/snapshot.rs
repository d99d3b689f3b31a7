//! A test for the CI of a distribution's repository. It renders a package at two releases with the
//! repository's layer over the model, and compares both with snapshots. Whoever updates rocpkg or
//! changes the layer sees the effect on the package.

use rocpkg::{Backend, Options, Stack};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let layer = concat!(env!("CARGO_MANIFEST_DIR"), "/new-library");
    let stack = Stack::shipped()?.layer(layer)?;
    for release in ["7.1.1", "7.2.0"] {
        let options = Options {
            backends: vec![Backend::Gentoo],
            choices: vec![release.parse()?],
            packages: vec!["hipexample".into()],
            ..Options::everything()
        };
        let tree = stack.render(&options)?;
        for (path, bytes) in tree
            .files
            .iter()
            .filter(|(path, _)| path.as_str().ends_with(".ebuild"))
        {
            insta::assert_snapshot!(
                path.as_str().replace('/', "-"),
                String::from_utf8_lossy(bytes)
            );
        }
    }
    Ok(())
}
