//! Lists the names of functions that nixpkgs has, and makes the names of arguments for features.

use rocpkg_model::{Decode, Feature, Findings, NixPackage, Node, Span, Value};
use rocpkg_resolve::Plan;

/// Functions and sets that every file of nixpkgs may take as arguments, in the order in which
/// arguments are printed.
pub(crate) const FUNCTIONS: &str = "\
lib stdenv callPackage buildPythonPackage fetchFromGitHub fetchgit fetchpatch fetchurl fetchzip \
gitUpdater nix-update-script testers linkFarm runCommand symlinkJoin writeShellScriptBin writeText makeWrapper \
python3 python3Packages llvm finalAttrs";

/// Names that can be used without being arguments of the file: builtin functions that only compute
/// values, and `finalAttrs`, the derivation's own argument.
pub(crate) const GLOBALS: &str =
    "abort baseNameOf dirOf isNull map placeholder removeAttrs throw toString finalAttrs";

/// Returns the names of the attributes and aliases that the distribution's file states for the
/// scope.
pub(crate) fn of_scope(plan: &Plan) -> impl Iterator<Item = &String> {
    plan.distro
        .scope
        .iter()
        .flat_map(|scope| scope.attributes.keys().chain(scope.aliases.keys()))
}

/// Returns the name of the argument that turns a feature on. It is the name that the profile
/// states, or else the usual name in nixpkgs: `test` -> `buildTests`, `msgpack` -> `withMsgpack`.
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

/// Returns true if a member of `python3Packages` is not a module, but a hook that changes how a
/// build runs, such as `pytestCheckHook`.
pub(crate) fn is_hook(member: &str) -> bool {
    member == "wrapPython" || member.ends_with("Hook")
}

/// Returns the facts about Nix of a package whose files state none: every key is absent. Returns
/// `None` if a key is required.
pub(crate) fn no_nix_facts() -> Option<NixPackage> {
    let empty = Node {
        span: Span::default(),
        value: Value::Map(Vec::new()),
    };
    NixPackage::decode(&empty, &mut Findings::default())
}
