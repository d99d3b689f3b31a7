//! Names: what nixpkgs calls functions and features, and in which order arguments stand.

use rocpkg_model::{Decode, Feature, Findings, NixPackage, Node, Span, Value};
use rocpkg_resolve::Plan;

/// Functions and sets that every file of nixpkgs may ask for, in the order in which they are asked
/// for.
pub(crate) const FUNCTIONS: &str = "\
lib stdenv callPackage buildPythonPackage fetchFromGitHub fetchgit fetchpatch fetchurl fetchzip \
gitUpdater nix-update-script testers linkFarm runCommand symlinkJoin writeShellScriptBin writeText makeWrapper \
python3 python3Packages llvm finalAttrs";

/// Names that are there without being asked for, and do nothing but compute; `finalAttrs` is the
/// derivation's own.
pub(crate) const GLOBALS: &str =
    "abort baseNameOf dirOf isNull map placeholder removeAttrs throw toString finalAttrs";

/// The names that the distribution's file states for the scope.
pub(crate) fn of_scope(plan: &Plan) -> impl Iterator<Item = &String> {
    plan.distro
        .scope
        .iter()
        .flat_map(|scope| scope.attributes.keys().chain(scope.aliases.keys()))
}

/// The argument that switches a feature on: its stated name, else the usual one of nixpkgs.
pub fn feature(key: &str, feature: &Feature) -> String {
    if let Some(name) = &feature.name {
        return name.value.clone();
    }
    match key {
        "test" | "tests" => "buildTests".into(),
        "benchmark" | "benchmarks" => "buildBenchmarks".into(),
        "sample" | "samples" => "buildSamples".into(),
        "doc" | "docs" => "buildDocs".into(),
        "example" | "examples" => "buildExamples".into(),
        other => {
            let mut name = String::from("with");
            for word in other.split(|c: char| !c.is_ascii_alphanumeric()) {
                let mut chars = word.chars();
                name.extend(chars.next().map(|c| c.to_ascii_uppercase()));
                name.extend(chars);
            }
            name
        }
    }
}

/// True for a member of the Python package set that is no module but changes how a build runs.
pub(crate) fn is_hook(member: &str) -> bool {
    member == "wrapPython" || member.ends_with("Hook")
}

/// The facts of a package whose files say nothing about Nix.
pub(crate) fn no_nix_facts() -> Option<NixPackage> {
    let empty = Node {
        span: Span::default(),
        value: Value::Map(Vec::new()),
    };
    NixPackage::decode(&empty, &mut Findings::default())
}
