//! The whole of rocpkg, a file a feature. Two are programs of their own: `errors.rs`, whose pictures stand in `snapshots/`, and
//! `growth.rs`, which counts what is allocated.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "tests read and write plainly, tell their figures, and panic when they can't go on"
)]

mod built;
mod code;
mod corpus;
mod edits;
mod followers;
mod golden;
mod harness;
mod heard;
mod layers;
mod moved;
mod one_mistake;
mod order;
mod other_stack;
mod overlay;
mod package_use;
mod phases_by_bash;
mod phases_by_portage;
mod proof;
mod propagation;
mod really_built;
mod recipes_by_ypkg;
mod repository_by_portage;
mod schema;
mod scope_by_nix;
mod scope_in_a_checkout;
mod siblings_by_python;
mod srcinfo_by_makepkg;
mod stack;
mod targets_by_bash;
mod targets_by_nix;
mod targets_by_portage;
mod values;
mod versions;
mod world;

/// Cargo looks for no tests here by itself, so that they are linked once.
#[test]
fn every_file_is_run() {
    let text = include_str!("main.rs").to_owned() + include_str!("../Cargo.toml");
    for entry in std::fs::read_dir(rocpkg_tests::fixture("tests")).unwrap() {
        let name = entry.unwrap().file_name().into_string().unwrap();
        let Some(name) = name.strip_suffix(".rs") else {
            continue;
        };
        let listed = [
            format!("mod {name};"),
            format!("path = \"tests/{name}.rs\""),
        ];
        assert!(
            listed.iter().any(|line| text.contains(line)),
            "{name}.rs is neither listed here nor in Cargo.toml"
        );
    }
}
