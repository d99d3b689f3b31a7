//! Tests with a small model: the rendered files, texts of profiles that are refused, and texts with
//! special characters, which must stay inside their quotes.

use crate::common::{file, files, run};
use rocpkg_nix::check_style;
use rocpkg_nix::internal::render;
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan};

#[test]
fn a_small_stack() {
    let (r, told, errors) = run(&[]);
    assert!(!errors, "{told}");
    for (path, bytes) in &r.tree {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        check_style(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        insta::assert_snapshot!(path.as_str().replace('/', "-"), text);
    }
    let companions: Vec<&str> = r.companions.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(
        companions,
        ["blas/local.patch", "llvm/default.nix", "update.nix"]
    );
    assert_eq!(told, "");
    // The runtime's hash is not known. It is reported as unknown, and that is no error.
    let unknown: Vec<&str> = r.unknown_sums().map(|u| u.of.as_str()).collect();
    assert_eq!(unknown, ["runtime/tree"]);
    assert!(file(&r, "clr/default.nix").contains("hash = \"sha256-AAAA"));
}

#[test]
fn installed_paths_lie_below_the_output() {
    let from =
        r#"    - config-file: {path: "${out}/etc/conf", lines: ["prefix = ${out}", "it's"]}"#;
    let to = r#"    - config-file: {path: /etc/conf, lines: [a]}
    - install-file: {from: "*.h", to: /include/}
    - install-file: {from: a, to: /etc/b}
    - run: [prog, "${glob:*.c}"]"#;
    let name = files(&[])
        .into_iter()
        .find(|(_, text)| text.contains(from))
        .unwrap()
        .0;
    let (r, told, errors) = run(&[(&name, from, to)]);
    assert!(!errors, "{told}");
    let text: String = r
        .tree
        .iter()
        .map(|(_, bytes)| String::from_utf8_lossy(bytes))
        .collect();
    for line in [
        "printf '%s\\n' 'a' | install -Dm644 /dev/stdin $out/etc/conf\n",
        "install -Dm644 *.h -t $out/include\n",
        "install -Dm644 a $out/etc/b\n",
        "prog *.c\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn what_means_nothing_is_refused() {
    let cases = [
        (
            "components/blas.yaml",
            "${lib.getDev:zstd}",
            "${lib.getDev:zsdt}",
        ),
        (
            "components/blas.yaml",
            "-I${lib.getDev:zstd}",
            "-I${targetz}",
        ),
        ("components/blas.yaml", "postInstall:", "postInstal:"),
        (
            "components/blas.yaml",
            "    - raw: echo \"$${HOME}\"",
            "    - wheel: a",
        ),
        ("components/blas.yaml", "licence: [MIT]", "licence: [MTI]"),
        (
            "components/blas.yaml",
            "cmake:\n",
            "cmake:\n  second: {source: other}\n",
        ),
        (
            "components/blas.yaml",
            "sources: {",
            "sources: {extra: {repository: other}, ",
        ),
        (
            "components/conv.yaml",
            "inherit gpuTargets ",
            "inherit gpuTargetz ",
        ),
        (
            "components/conv.yaml",
            "inherit gpuTargets smallBuild;",
            "inherit (gpuTargets smallBuild;",
        ),
        (
            "components/conv.yaml",
            "depends: {",
            "depends: {ymal: {kind: tool, exact-name: python3Packages.ymal}, ",
        ),
        (
            "components/blas.yaml",
            "name: lazyLoading",
            "name: 'x ? 1, y'",
        ),
        (
            "components/blas.yaml",
            "variable: file",
            "variable: file; id",
        ),
        (
            "components/sparse.yaml",
            "nix:",
            "nix:\n  bindings: '\"not a name\" = clr;'",
        ),
        (
            "components/sparse.yaml",
            "nix:",
            "nix:\n  arguments: |\n    inherit clr;",
        ),
        (
            "components/sparse.yaml",
            "nix:",
            "nix:\n  call-with: |\n    clr = blas;\n    file = ./x.nix;",
        ),
        (
            "components/pygen.yaml",
            "ROCM_PATH = clr",
            "ROCM_PATH = supportedTargets",
        ),
        (
            "components/pygen.yaml",
            "ROCM_PATH = clr",
            "ROCM_PATH = clr; evil 1",
        ),
        (
            "components/pygen.yaml",
            "env: ROCM_PATH = clr;",
            "env: 'A = 1; } // { B = 2;'",
        ),
    ];
    let mut out = String::new();
    for (path, from, to) in cases {
        let (_, told, errors) = run(&[(path, from, to)]);
        assert!(errors, "accepted: {to}");
        let told: Vec<&str> = told
            .split("\n\n")
            .filter(|t| t.starts_with("error"))
            .collect();
        out.push_str(&told.join("\n\n"));
        out.push_str("\n\n");
    }
    insta::assert_snapshot!("refused", out.trim_end());
}

#[test]
fn a_python_package_is_called_without_a_compiler_environment() {
    // The expression takes only Python's builder, which adds nixpkgs' compiler.
    let original = "nix: {builder: python, stdenv: original, ";
    let (r, told, errors) = run(&[("components/pygen.yaml", "nix: {builder: python, ", original)]);
    assert!(!errors, "{told}");
    let scope = file(&r, "default.nix");
    let call = &scope[scope.find("pygen = ").unwrap()..];
    assert!(
        !call[..call.find(';').unwrap()].contains("stdenv"),
        "{scope}"
    );
}

#[test]
fn text_may_name_a_feature_that_is_fixed() {
    let (r, told, errors) = run(&[("components/conv.yaml", "default: true", "fixed: false")]);
    assert!(!errors, "{told}");
    let text = file(&r, "conv/base.nix");
    assert!(text.contains("let\n  smallBuild = false;\n"), "{text}");
    assert!(
        text.contains("inherit hasNinth gpuTargets smallBuild;"),
        "{text}"
    );
    assert!(
        !text.contains("smallBuild,") && !text.contains("smallBuild ?"),
        "{text}"
    );
}

#[test]
fn arguments_and_bindings_of_the_model() {
    let text = "nix:\n  arguments: |\n    # Slow without.\n    fast = true;\n    tool = clr;\n  \
                bindings: |\n    flag = lib.optionalString fast \"-O3\";\n    kept = [ ./a.nix clr ];\n  env: |\n    \
                FLAG = flag;\n    KEPT = toString (kept ++ [ tool ]);";
    let (r, told, errors) = run(&[("components/sparse.yaml", "nix:", text)]);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    check_style(&text).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.contains("sha256")).collect();
    insta::assert_snapshot!("arguments", lines.join("\n"));
    assert!(r.companions.iter().any(|c| c.path == "sparse/a.nix"));
}

#[test]
fn a_missing_hash_is_named() {
    let (model, mut findings) = Model::load(&[(String::new(), files(&[]))]);
    let plan = Plan::new(
        &model,
        "nixpkgs",
        &Choice::Release("7.2.4".parse().unwrap()),
        &mut findings,
    )
    .unwrap();
    let templates = [(
        "nix/file.nix.j2".to_owned(),
        "{{ expression }}\n".to_owned(),
    )];
    let (r, _) = render(
        &plan,
        &Templates::new(&templates.into_iter().collect()).unwrap(),
        &mut findings,
    )
    .unwrap();
    assert!(!findings.has_errors());
    assert_eq!(r.unknown_sums().count(), 5, "one for each package");
    assert!(file(&r, "blas/default.nix").contains("version = \"7.2.4\";"));
}

#[test]
fn a_template_that_breaks_a_file_is_told() {
    let (model, mut findings) = Model::load(&[(String::new(), files(&[]))]);
    let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings).unwrap();
    let templates = [(
        "nix/file.nix.j2".to_owned(),
        "oops }\n{{ expression }}\n".to_owned(),
    )];
    render(
        &plan,
        &Templates::new(&templates.into_iter().collect()).unwrap(),
        &mut findings,
    )
    .unwrap();
    assert!(findings.sorted().iter().any(|f| f.code == "E0508"));
}

/// A part of the distribution's file with every form of attribute and alias of the scope.
const SCOPE: &str = r#"
scope:
  attributes:
    blas-small: "self.blas.override { gpuTargets = [ ]; }"
    other: "self.callPackage ./other { inherit config; }"
    facts: "lib.importJSON ./facts.json"
  aliases:
    old-blas: {to: blas, since: "2025-03-16"}
    blas2: blas
    gone: {since: "2024-03-03", reason: 'it''s "in" ${blas}'}
  groups:
    small: [gfx1030, gfx906]
    none: [gfx1201]
"#;

#[test]
fn the_scope_holds_more_than_packages() {
    let with = |scope: &str| run(&[("distros/nixpkgs.yaml", "scope:\n", scope.trim_start())]);
    let (r, told, errors) = with(SCOPE);
    assert!(!errors, "{told}");
    let text = file(&r, "default.nix");
    check_style(&text).unwrap();
    let flat: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    for said in [
        "blas-small = self.blas.override { gpuTargets = [ ]; };",
        "other = self.callPackage ./other { inherit config; };",
        "facts = lib.importJSON ./facts.json; blas2 = self.blas; }",
        "// lib.optionalAttrs config.allowAliases { old-blas = lib.warnOnInstantiate \"'old-blas' is called 'blas' now\" self.blas; # Added 2025-03-16 gone = throw \"'gone' has been removed: it's \\\"in\\\" \\${blas}\"; # Added 2024-03-03 } );",
        "// { small = narrowTo [ \"gfx1030\" \"gfx906\" ]; }",
        "python3Packages, config, }:",
    ] {
        assert!(flat.contains(said), "{said}: {text}");
    }
    let companions: Vec<&str> = r.companions.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(
        companions[1..],
        [
            "llvm/default.nix",
            "update.nix",
            "other/default.nix",
            "facts.json"
        ]
    );
    for (from, to, said) in [
        ("blas2: ", "gone: ", "error[E0106]"),
        ("./other", "../other", "error[E0511]"),
        ("./other {", "./other {{", "error[E0510]"),
    ] {
        let (_, told, errors) = with(&SCOPE.replacen(from, to, 1));
        assert!(errors && told.contains(said), "{to}: {told}");
        assert_eq!(told.matches("error[").count(), 1, "{to}: {told}");
    }
}

/// A package `pygen` that is a plain derivation. Python's package set calls it, from a file with a
/// name of its own.
const PLAIN: &str = "  zstd: {kind: link}
  wrap: {kind: tool}
phases:
  preCheck:
    - export: {LIBRARIES: \"${lib.makeLibraryPath:zstd}\"}
features: {sample: {default: false, summary: Samples}}
programs: {sample: {installed: false, folder: clients/staging, files: [gen_*, bench]}}
nix:
  called-by: python3Packages
  file: tools/gen.nix
  pname: 'if buildSamples then \"gen-samples\" else \"gen\"'
  call-with: rocmPackages = self;
  passthru: 'updateScript = null; whole = rocmPackages;'
  meta: {platforms: [x86_64-linux, aarch64]}
";

#[test]
fn a_derivation_among_python_packages() {
    let (r, told, errors) = run(&[
        (
            "components/pygen.yaml",
            "nix: {builder: python, env: ROCM_PATH = clr;}\n",
            PLAIN,
        ),
        (
            "externals.yaml",
            "python-yaml",
            "wrap: {nixpkgs: python3Packages.wrapPython}\npython-yaml",
        ),
        (
            "distros/nixpkgs.yaml",
            "settings: {team: rocm",
            "habits: {programs: own-output}\nsettings: {team: rocm",
        ),
    ]);
    assert!(!errors, "{told}");
    let scope = file(&r, "default.nix");
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let call = "pygen = python3Packages.callPackage ./tools/gen.nix { inherit (self) clr; rocmPackages = self; };";
    assert!(flat(&scope).contains(call), "{scope}");
    let text = file(&r, "tools/gen.nix");
    check_style(&text).unwrap();
    for said in [
        "stdenv.mkDerivation (finalAttrs: { pname = if buildSamples then \"gen-samples\" else \"gen\";",
        "nativeBuildInputs = [ wrapPython ];",
        "mkdir -p $sample/bin mv clients/staging/gen_* clients/staging/bench $sample/bin",
        "patchelf --shrink-rpath --allowed-rpath-prefixes $NIX_STORE $sample/bin/gen_* $sample/bin/bench",
        "preCheck = '' export LIBRARIES=${lib.escapeShellArg (lib.makeLibraryPath [ zstd ])} '';",
        "platforms = lib.platforms.aarch64 ++ [ \"x86_64-linux\" ];",
    ] {
        assert!(flat(&text).contains(said), "{said}: {text}");
    }
    assert!(
        !text.contains("updateScript") && !text.contains("rmdir"),
        "{text}"
    );
    // If the scope calls the package, a tool that wraps programs is still not a module.
    let called = PLAIN.replace("  called-by: python3Packages\n", "");
    let (r, told, errors) = run(&[
        (
            "components/pygen.yaml",
            "nix: {builder: python, env: ROCM_PATH = clr;}\n",
            &called,
        ),
        (
            "externals.yaml",
            "python-yaml",
            "wrap: {nixpkgs: python3Packages.wrapPython}\npython-yaml",
        ),
    ]);
    assert!(!errors, "{told}");
    let text = file(&r, "tools/gen.nix");
    assert!(
        text.contains("nativeBuildInputs = [ python3Packages.wrapPython ];"),
        "{text}"
    );
    let out = PLAIN.replace("tools/gen.nix", "../gen.nix");
    let (_, told, errors) = run(&[(
        "components/pygen.yaml",
        "nix: {builder: python, env: ROCM_PATH = clr;}\n",
        &out,
    )]);
    assert!(
        errors && told.contains("error[E0509]: `../gen.nix` is not a valid name"),
        "{told}"
    );
}
