//! Python reads the files beside a PKGBUILD as nvchecker and REUSE read them.

use crate::stack::tree;
use rocpkg::{Backend, Options};
use rocpkg_tests::{fixture, laid, rendered};
use serde_json::{Value, json};

fn read() -> Value {
    let mut python = rocpkg_programs::command("python");
    let run = python
        .arg(fixture("standins/siblings.py"))
        .arg(tree("arch"))
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    serde_json::from_slice(&run.stdout).unwrap()
}

/// Returns the options that render all of Arch.
fn arch() -> Options {
    Options {
        backends: vec![Backend::Arch],
        ..Options::everything()
    }
}

#[test]
fn new_releases_are_seen_and_each_file_has_a_licence() {
    let all = read();
    let all = all.as_object().unwrap();
    assert!(all.len() >= 37, "{all:?}");
    for (name, found) in all {
        // A metapackage has no source to watch, an author's archive has no tags, and the others
        // have version numbers of their own.
        if ![
            "half",
            "hiprt",
            "python-aotriton",
            "rocm-hip-sdk",
            "rocm-toolchain",
        ]
        .contains(&name.as_str())
        {
            assert_eq!(found["watched"][1], json!(["7.2.4", "10.0"]), "{name}");
        }
        for (file, licences) in found["licences"].as_object().unwrap() {
            // REUSE itself does not check these files.
            let is_own = ["REUSE.toml", "LICENSES"].contains(&file.as_str());
            assert_eq!(
                licences.as_array().unwrap().len(),
                usize::from(!is_own),
                "{name}/{file}"
            );
        }
    }
    let found = |name: &str| &all[name];
    assert_eq!(
        found("rocblas")["watched"][0],
        "https://github.com/ROCm/rocm-libraries.git"
    );
    assert_eq!(found("rocblas")["texts"], json!(["0BSD.txt"]));
    let patch = "0001-compiler-rt-sanitizer-Remove-linux-scc.h.patch";
    assert_eq!(
        found("rocm-llvm")["licences"][patch],
        json!(["Apache-2.0 WITH LLVM-exception"])
    );
    assert_eq!(
        found("rocm-llvm")["texts"],
        json!(["0BSD.txt", "Apache-2.0.txt", "LLVM-exception.txt"])
    );
    assert_eq!(found("rocm-core")["licences"]["rocm.fish"], json!(["0BSD"]));
}

#[test]
fn sources_and_settings_decide() {
    let watched = |source: &str| {
        let over = [(
            "components/rocm-cmake.yaml",
            format!("sources: {{main: {{{source}}}}}\n"),
        )];
        let over = over.each_ref().map(|(path, text)| (*path, text.as_str()));
        let made = rendered(laid(&over), &arch());
        let file = made.tree.files.get("arch/rocm-cmake/.nvchecker.toml");
        file.map(|bytes| {
            String::from_utf8_lossy(bytes)
                .lines()
                .nth(3)
                .unwrap()
                .to_owned()
        })
    };
    let version = r"([0-9]+(?:\.[0-9]+)*)";
    let own = |before: &str| Some(format!("include_regex = '{before}{version}'"));
    assert_eq!(watched("tag: \"v.${version}\""), own(r"v\."));
    assert_eq!(watched("tag: v7.2.4"), own("v"));
    assert_eq!(watched("tag: stable"), None);
    assert_eq!(
        watched("revision: 0123456789012345678901234567890123456789"),
        None
    );

    let off = laid(&[("distros/arch.yaml", "settings: {siblings: ~}\n")]);
    let made = rendered(off, &arch()).sound();
    let others = made.tree.files.iter().map(|(path, _)| path.as_str());
    let others: Vec<_> = others
        .filter(|p| !p.ends_with("/PKGBUILD") && !p.ends_with("/.SRCINFO"))
        .collect();
    assert_eq!(others, [""; 0]);
}

#[test]
fn an_address_names_its_file() {
    let patches = |url: &str| {
        let text = format!("patches: [{{file: 165.patch, url: {url:?}}}]\n");
        let over = [("distros/arch/rocm-cmake.yaml", text.as_str())];
        let made = rendered(laid(&over), &arch());
        made.text("arch/rocm-cmake/.SRCINFO")
            .lines()
            .rfind(|l| l.contains("source = "))
            .unwrap()
            .to_owned()
    };
    assert_eq!(
        patches("https://example.org/165.patch"),
        "\tsource = https://example.org/165.patch"
    );
    let other = "https://example.org/165.patch?full_index=1";
    assert_eq!(patches(other), format!("\tsource = 165.patch::{other}"));
}
