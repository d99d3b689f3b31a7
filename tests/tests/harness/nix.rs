//! A small scope.

use std::{fs, path::Path};

use rocpkg_tests::{NixTree, fixture, nix_layout, nix_parse};
use serde_json::{Value, json};

fn sample() -> NixTree {
    NixTree::with_own_externals(&fixture("samples/nix"))
}

fn edit(tree: &NixTree, file: &str, from: &str, to: &str) {
    let path = tree.folder().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} does not hold {from:?}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

fn names(value: &Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

#[test]
fn a_scope_tells_its_packages_sub_scopes_and_removed_names() {
    let facts = sample().eval(None).unwrap();
    assert_eq!(names(&facts["packages"]), ["clr", "rocm-cmake", "sample-blas"]);
    assert_eq!(facts["scopes"], json!(["gfx1100", "gfx90a"]));
    assert_eq!(facts["gone"], json!(["sample-old"]));
    let blas = &facts["packages"]["sample-blas"];
    assert_eq!(blas["name"], "sample-blas-7.2.3");
    assert_eq!(blas["stdenv"], "rocm-clang");
    assert_eq!(
        blas["cmakeFlags"],
        json!(["-DGPU_TARGETS:STRING=gfx90a;gfx1100", "-DBUILD_CLIENTS_TESTS:BOOL=FALSE"])
    );
    assert_eq!(blas["nativeBuildInputs"], json!(["cmake", "rocm-cmake-7.2.3", "clr-7.2.3"]));
    assert_eq!(blas["src"]["tag"], "rocm-7.2.3");
    assert_eq!(blas["meta"]["license"], json!(["MIT"]));
    assert_eq!(blas["instantiates"], json!(true));
}

#[test]
fn a_narrowed_scope_is_followed() {
    let facts = sample().eval(Some("gfx1100")).unwrap();
    let blas = &facts["packages"]["sample-blas"];
    assert_eq!(blas["pname"], "sample-blas-gfx1100");
    assert_eq!(blas["cmakeFlags"][0], "-DGPU_TARGETS:STRING=gfx1100");
    assert!(sample().eval(Some("gfx803")).unwrap_err().contains("the scope has no gfx803"));
}

#[test]
fn only_stated_externals_are_given() {
    let given = ["cmake", "gtest", "numactl", "python3Packages.cppheaderparser"].map(str::to_owned);
    let folder = fixture("samples/nix");
    assert_eq!(NixTree::new(&folder, &given).eval(None), sample().eval(None));
    let refusal = NixTree::new(&folder, &given[1..]).eval(None).unwrap_err();
    assert!(refusal.contains("wants cmake, which nothing provides"), "{refusal}");
    let refusal = NixTree::new(&folder, &given[..3]).eval(None).unwrap_err();
    assert!(refusal.contains("cppheaderparser"), "{refusal}");
}

#[test]
fn faults_are_errors() {
    for (file, from, to, says) in [
        ("sample-blas/default.nix", "clr.gpuTargets", "clr.gpuTarget", "gpuTarget"),
        ("sample-clr/default.nix", "lib.fakeHash", "1 + lib.fakeHash", "cannot add"),
        ("sample-clr/default.nix", "tag = ", "ref = ", "fetchFromGitHub: exactly one of tag, rev"),
        ("sample-clr/default.nix", "\"CLR_BUILD_HIP\" true", "\"CLR_BUILD_HIP\" \"ON\"", "isBool"),
        ("sample-blas/default.nix", "buildTests ? false", "buildTests ? clr.none", "none"),
        ("sample-cmake/default.nix", "lib.licenses.mit", "lib.licenses.MIT", "MIT"),
        ("sample-cmake/default.nix", "[ cmake ]", "[ cmake ]; dontUnpack = x: x", "function"),
        ("sample-cmake/default.nix", "[ cmake ]", "cmake", "inputs must be a list"),
    ] {
        let tree = sample();
        edit(&tree, file, from, to);
        tree.parse().unwrap();
        let message = tree.eval(None).expect_err(to);
        assert!(message.contains(says), "{to}: {message}");
    }
}

#[test]
fn what_is_not_nix_does_not_parse() {
    let tree = sample();
    assert_eq!(tree.parse(), Ok(()));
    edit(&tree, "sample-blas/default.nix", "cmakeFlags = [", "cmakeFlags = ");
    let message = tree.parse().unwrap_err();
    assert!(message.contains("sample-blas/default.nix") && message.contains("syntax error"), "{message}");
    assert!(nix_parse(Path::new("/nowhere.nix")).is_err());
}

#[test]
fn layout_is_that_of_nixfmt() {
    let tree = sample();
    assert_eq!(tree.layout(), Ok(()));
    for name in ["facts.nix", "lib.nix", "pkgs.nix"] {
        assert_eq!(nix_layout(&fixture("standins/nix").join(name)), Ok(()));
    }
    edit(&tree, "sample-blas/default.nix", "  cmakeFlags = [", "  cmakeFlags =  [");
    let message = tree.layout().unwrap_err();
    assert!(message.contains("sample-blas/default.nix:36: nixfmt writes \"  cmakeFlags = [\""), "{message}");
    edit(&tree, "sample-blas/default.nix", "  cmakeFlags =  [", "  cmakeFlags =  ]");
    assert!(tree.layout().is_err());
}
