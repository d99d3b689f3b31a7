//! A small model rendered: what the files look like, what is refused, and that no text of the model gets out of its quotes.
#![allow(clippy::unwrap_used)] // helpers of tests are tests

use rocpkg_model::{Files, Findings, Severity};
use rocpkg_nix::{check, interpolations, render};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};
use std::collections::BTreeMap;

const DISTRO: &str = r#"
version: 7.2.3
packages: {runtime: 7.1.1, blas: default, sparse: default, conv: default, pygen: default}
naming: component
fetch: tree
licences: {MIT: mit, NCSA: ncsa}
targets:
  - releases: "*"
    default: [gfx906, gfx942, gfx1030]
    offered: []
settings: {team: rocm, targets-holder: runtime}
"#;

const EXTERNALS: &str = r"
cmake: {nixpkgs: cmake}
ninja: {nixpkgs: ninja}
gtest: {nixpkgs: gtest}
zstd: {nixpkgs: zstd}
python-yaml: {nixpkgs: python3Packages.yaml}
";

const RUNTIME: &str = r"
summary: The runtime
homepage: https://example.org/runtime
licence: [MIT, NCSA]
sources: {main: {repository: runtime}}
cmake: {main: {}}
nix:
  attribute: clr
  stdenv: original
  structured-attrs: true
  strict-deps: true
  outputs: {icd: {}}
";

const BLAS: &str = r#"
summary: Linear algebra
homepage: https://example.org/blas
licence: [MIT]
sources: {main: {repository: libraries, path: projects/blas, sparse: [projects/blas, shared], submodules: true}}
patches:
  - file: local.patch
    comment: why it is there
  - file: fetched.patch
    url: https://example.org/fetched.patch
    relative: projects/blas
    hash: sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=
features:
  test: {}
  lazy: {name: lazyLoading, default: true}
targets: {variable: [GPU_TARGETS, AMDGPU_TARGETS]}
depends:
  runtime: {kind: [tool, link], targets: none}
  zstd: {kind: link}
  gtest: {kind: test}
cmake:
  main:
    arguments:
      BUILD_TESTS: {feature: test}
      LAZY: {feature: lazy, when: "!test", comment: kernels on demand}
      COMPILER: "${lib.getExe:clr:amdclang++}"
      MODE: {choose: test, then: slow, else: fast}
      -Wno-dev: bare
environment:
  configure:
    CXXFLAGS: -I${lib.getDev:zstd}/include
phases:
  postPatch:
    - replace: {files: CMakeLists.txt, from: "$${GIT}", to: "'${zstd}'"}
    - replace: {files: CMakeLists.txt, from: old text}
      comment: not needed
  postInstall:
    - make-folder: "${test}/bin"
      when: test
    - move: {from: "${out}/bin/test_*", to: "${test}/bin"}
      when: test
    - each:
        variable: file
        items: ["${out}/lib/*.dat"]
        steps:
          - run: [zstd, "${file}", "-o", "${file}_packed"]
    - config-file: {path: "${out}/etc/conf", lines: ["prefix = ${out}", "it's"]}
    - raw: echo "$${HOME}"
nix:
  arch-suffix: true
  reference: tag
  install-dirs: [lib]
  system-features: [big-parallel]
  outputs: {test: {when: test}}
  gpu-targets: {default: all, export: joined}
  meta: {timeout: 36000, main-program: blas-bench, broken: stdenv.cc.isGNU}
  passthru: |
    # Built from the same source.
    samples = stdenv.mkDerivation {
      pname = "${finalAttrs.pname}-samples";
      inherit (finalAttrs) version src;
      sourceRoot = "${finalAttrs.sourceRoot}/clients";

      nativeBuildInputs = [ cmake ]; # nothing else

      # The package itself.
      buildInputs = [ finalAttrs.finalPackage ];
      postInstall = ''
        echo "''${HOME} is kept" ${zstd}
      '';
    };
"#;

const SPARSE: &str = r"
summary: Sparse algebra
licence: [MIT]
sources: {main: {repository: sparse}}
targets:
  variable: GPU_TARGETS
  list: intersection
  policy: throwaway
  supports: [{targets: [gfx942, gfx950], reason: matrix instructions}]
depends:
  runtime: {kind: link, targets: none}
  blas: {kind: link, targets: covers}
cmake: {main: {}}
nix:
  gpu-targets: {default: all, throwaway: gfx942, supported: anySupported}
  flags: {DEVICE: {bool: anySupported}}
";

const CONV: &str = r#"
summary: Convolutions
licence: [MIT]
sources: {main: {repository: conv}}
features: {small: {name: smallBuild, default: true}}
targets:
  variable: GPU_ARCHS
  policy: fail
  needs: [{targets: [gfx906, gfx942], reason: the ninth generation}]
  supports: [{targets: [gfx906, gfx942], reason: generations}]
depends: {runtime: {kind: link, targets: none}}
cmake: {main: {arguments: {SMALL: {feature: small}}}}
nix:
  arch-suffix: true
  gpu-targets: {default: own, supported: hasNinth}
  passthru: |
    inherit gpuTargets smallBuild;
    # Kept for later.
  parts: true
resources: {memory-per-job: 3072, source: measured}
parts:
  forward: {goals: [fwd]}
  big: {goals: [a, b], when: "!small", only-for: [gfx942], arguments: {JOBS: "2"}, comment: takes hours}
"#;

const PYGEN: &str = r"
summary: Generator
licence: [MIT]
sources: {main: {repository: gen}}
depends:
  python-yaml: {kind: propagated}
  runtime: {kind: test, targets: none}
nix: {builder: python, env: {ROCM_PATH: clr}}
";

const RELEASE: &str = r#"
tag: rocm-${version}
versions:
  "7.2.3":
    checksums:
      libraries/tree/projects/blas+shared?submodules: {sri: sha256-BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBB=}
      sparse/tree: {sri: sha256-CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC=}
      conv/tree: {sri: sha256-DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD=}
      gen/tree: {sri: sha256-EEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEEE=}
  "7.2.4": {}
"#;

fn files(changes: &[(&str, &str, &str)]) -> Files {
    let mut all: BTreeMap<String, String> = [
        ("distros/nixpkgs.yaml", DISTRO),
        ("externals.yaml", EXTERNALS),
        ("components/runtime.yaml", RUNTIME),
        ("components/blas.yaml", BLAS),
        ("components/sparse.yaml", SPARSE),
        ("components/conv.yaml", CONV),
        ("components/pygen.yaml", PYGEN),
        ("releases/7.2.yaml", RELEASE),
        ("releases/7.1.yaml", "tag: rocm-${version}\nversions: {7.1.1: {}}\n"),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .collect();
    for (file, from, to) in changes {
        let text = all.get_mut(*file).unwrap();
        assert!(text.contains(from), "{file} holds no {from}");
        *text = text.replacen(from, to, 1);
    }
    all.into_iter().collect()
}

fn run(changes: &[(&str, &str, &str)]) -> (Rendered, String, bool) {
    let (model, mut findings) = Model::load(&[(String::new(), files(changes))]);
    let templates =
        [("nix/file.nix.j2".to_owned(), include_str!("../../../templates/nix/file.nix.j2").to_owned())];
    let templates = Templates::new(&templates.into_iter().collect()).unwrap();
    let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings);
    let rendered = plan.map(|p| render(&p, &templates, &mut findings).unwrap()).unwrap_or_default();
    (rendered.0, told(&findings, &model), findings.has_errors())
}

fn told(findings: &Findings, model: &Model) -> String {
    findings.render(&model.sources, false).trim_end().to_owned()
}

fn file(r: &Rendered, path: &str) -> String {
    String::from_utf8(r.tree.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).unwrap()
}

#[test]
fn a_small_stack() {
    let (r, told, errors) = run(&[]);
    assert!(!errors, "{told}");
    for (path, bytes) in r.tree.iter() {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        check(&text).unwrap_or_else(|e| panic!("{path}: {e}"));
        insta::assert_snapshot!(path.as_str().replace('/', "-"), text);
    }
    let companions: Vec<&str> = r.companions.iter().map(|c| c.path.as_str()).collect();
    assert_eq!(companions, ["blas/local.patch", "llvm/default.nix", "update.nix"]);
    // The runtime's hash is not known: told, not invented, and no error.
    insta::assert_snapshot!("findings", told);
    assert!(file(&r, "clr/default.nix").contains("hash = \"sha256-AAAA"));
}

#[test]
fn installed_paths_lie_below_the_output() {
    let from = r#"    - config-file: {path: "${out}/etc/conf", lines: ["prefix = ${out}", "it's"]}"#;
    let to = r#"    - config-file: {path: /etc/conf, lines: [a]}
    - install-file: {from: "*.h", to: /include/}
    - install-file: {from: a, to: /etc/b}
    - run: [prog, "${glob:*.c}"]"#;
    let name = files(&[]).into_iter().find(|(_, text)| text.contains(from)).unwrap().0;
    let (r, told, errors) = run(&[(&name, from, to)]);
    assert!(!errors, "{told}");
    let text: String = r.tree.iter().map(|(_, bytes)| String::from_utf8_lossy(bytes)).collect();
    for line in [
        "' > $out/etc/conf\n",
        "install -Dm644 *.h -t $out/include\n",
        "install -Dm644 a $out/etc/b\n",
        "prog *.c\n",
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
}

#[test]
fn rendering_twice_gives_the_same() {
    let (a, ..) = run(&[]);
    let (b, ..) = run(&[]);
    assert_eq!(a.tree, b.tree);
    assert_eq!(a.companions, b.companions);
}

#[test]
fn raw_lines_are_counted() {
    use rocpkg_render::Origin;
    let (r, ..) = run(&[]);
    // A raw step, and the line of a hook in Nix text.
    assert_eq!(r.counts.get(&Origin::Raw), Some(&2));
    assert!(r.counts[&Origin::Step] > 8);
    let lines: usize = r.tree.iter().map(|(_, b)| String::from_utf8_lossy(b).lines().count()).sum();
    assert_eq!(r.counts.values().sum::<usize>(), lines);
}

#[test]
fn the_model_cannot_leave_its_quotes() {
    let (plain, ..) = run(&[]);
    let evil = [
        "'${builtins.abort \"out\"}'",
        "'a''''b'",
        "'''''${x}'''''",
        r#""\"; evil = true; x = \"""#,
        r#""line\nline''\\""#,
        r"'\'",
        "'$$$$$${HOME}'",
        "'*/ #'",
    ];
    let places = [
        ("components/blas.yaml", "summary: Linear algebra", "summary: "),
        ("components/blas.yaml", "homepage: https://example.org/blas", "homepage: "),
        ("components/blas.yaml", "comment: why it is there", "comment: "),
        ("components/conv.yaml", "comment: takes hours", "comment: "),
        ("components/sparse.yaml", "reason: matrix instructions", "reason: "),
    ];
    for evil in evil {
        for (path, from, key) in places {
            let (r, told, errors) = run(&[(path, from, &format!("{key}{evil}"))]);
            if errors {
                continue; // refused, which is as good
            }
            for (path, bytes) in r.tree.iter() {
                let text = String::from_utf8(bytes.to_vec()).unwrap();
                check(&text).unwrap_or_else(|e| panic!("{path}: {e}\n{told}"));
                let before = file(&plain, path.as_str());
                assert_eq!(interpolations(&text), interpolations(&before), "{path} with {evil}:\n{text}");
            }
        }
    }
}

#[test]
fn texts_of_flags_and_hooks_stay_texts() {
    let changes = [
        ("components/blas.yaml", "then: slow", r#"then: "a\"; $$$${b} ''c''""#),
        ("components/blas.yaml", "from: old text", r#"from: "it's `id` $(id) \"x\" \\ ''$$$${y}''""#),
        ("components/blas.yaml", "- run: [zstd,", r#"- run: ["z; rm -rf /", "$(id)", "''$$$${q}","#),
    ];
    let (r, told, errors) = run(&changes);
    assert!(!errors, "{told}");
    let text = file(&r, "blas/default.nix");
    check(&text).unwrap();
    let lines: Vec<&str> = text
        .lines()
        .map(str::trim)
        .filter(|l| l.contains("id)") || l.contains("MODE") || l.contains("''c"))
        .collect();
    insta::assert_snapshot!("quoted", lines.join("\n"));
    let (plain, ..) = run(&[]);
    assert_eq!(interpolations(&text), interpolations(&file(&plain, "blas/default.nix")));
}

#[test]
fn what_means_nothing_is_refused() {
    let cases = [
        ("components/blas.yaml", "${lib.getDev:zstd}", "${lib.getDev:zsdt}"),
        ("components/blas.yaml", "-I${lib.getDev:zstd}", "-I${targetz}"),
        ("components/blas.yaml", "postInstall:", "postInstal:"),
        ("components/blas.yaml", "    - raw: echo \"$${HOME}\"", "    - submodule: {path: a, source: main}"),
        ("components/blas.yaml", "licence: [MIT]", "licence: [MTI]"),
        ("components/blas.yaml", "cmake:\n", "cmake:\n  second: {source: other}\n"),
        ("components/blas.yaml", "sources: {", "sources: {extra: {repository: other}, "),
        ("components/conv.yaml", "inherit gpuTargets ", "inherit gpuTargetz "),
        ("components/conv.yaml", "inherit gpuTargets smallBuild;", "inherit (gpuTargets smallBuild;"),
        ("components/conv.yaml", "depends: {", "depends: {ymal: {kind: tool, spelt: python3Packages.ymal}, "),
        ("components/blas.yaml", "name: lazyLoading", "name: 'x ? 1, y'"),
        ("components/blas.yaml", "variable: file", "variable: file; id"),
        ("components/sparse.yaml", "nix:", "nix:\n  bindings: {early: finalAttrs.version}"),
        ("components/sparse.yaml", "nix:", "nix:\n  bindings: {'not a name': clr}"),
        ("components/sparse.yaml", "nix:", "nix:\n  arguments: |\n    inherit clr;"),
        ("components/sparse.yaml", "nix:", "nix:\n  call-with: |\n    clr = blas;\n    file = ./x.nix;"),
        (
            "components/conv.yaml",
            "passthru: |",
            "arguments: |\n    fast = late;\n  bindings: |\n    late = 1;\n  passthru: |",
        ),
        ("components/pygen.yaml", "ROCM_PATH: clr", "ROCM_PATH: supportedTargets"),
        ("components/pygen.yaml", "ROCM_PATH: clr", "ROCM_PATH: builtins.readFile ./x"),
        ("components/pygen.yaml", "ROCM_PATH: clr", "ROCM_PATH: clr; evil = 1"),
        ("components/pygen.yaml", "env: {ROCM_PATH: clr}", "env: 'A = 1; } // { B = 2;'"),
    ];
    let mut out = String::new();
    for (path, from, to) in cases {
        let (_, told, errors) = run(&[(path, from, to)]);
        assert!(errors, "accepted: {to}");
        let told: Vec<&str> = told.split("\n\n").filter(|t| t.starts_with("error")).collect();
        out.push_str(&told.join("\n\n"));
        out.push_str("\n\n");
    }
    insta::assert_snapshot!("refused", out.trim_end());
}

/// The lines of a file that hold one of these words, without their indentation.
fn lines(text: &str, words: &[&str]) -> Vec<String> {
    let hit = |l: &&str| words.iter().any(|w| l.contains(w));
    text.lines().filter(hit).map(|l| l.trim().to_owned()).collect()
}

#[test]
fn what_is_excluded_is_not_handed_on_and_alone_it_is_broken() {
    let change = (
        "components/blas.yaml",
        "targets: {",
        "targets: {policy: fail, excludes: [{targets: [gfx906], reason: a bug}], ",
    );
    let (r, told, errors) = run(&[change]);
    assert!(!errors, "{told}");
    let text = file(&r, "blas/default.nix");
    assert!(
        text.contains("# A bug\n  supportedTargets = lib.subtractLists [ \"gfx906\" ] gpuTargets;"),
        "{text}"
    );
    assert!(text.contains("lib.concatStringsSep \";\" supportedTargets"), "{text}");
    // The overlay's own reason stays beside it.
    let broken = "broken = stdenv.cc.isGNU || gpuTargets != [ ] && supportedTargets == [ ];";
    assert!(text.contains(broken), "{text}");
}

#[test]
fn a_package_without_device_code_for_a_choice_is_handed_an_empty_list() {
    let policy = ("components/sparse.yaml", "policy: throwaway", "policy: stub");
    let (r, told, errors) = run(&[policy, ("components/sparse.yaml", "throwaway: gfx942, ", "")]);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    assert!(!text.contains("broken ="), "{text}");
    assert!(text.contains("lib.optionals (gpuTargets != [ ])"), "{text}");
}

#[test]
fn an_overlay_can_call_a_package_in_parts_broken() {
    let meta =
        "parts: true\n  meta: {broken: 'stdenv.cc.isGNU || !smallBuild || gpuTargets == [ \"gfx906\" ]'}\n";
    let (r, told, errors) = run(&[("components/conv.yaml", "parts: true\n", meta)]);
    assert!(!errors, "{told}");
    let text = file(&r, "conv/default.nix");
    check(&text).unwrap();
    assert_eq!(lines(&text, &["inherit ("]), ["inherit (conv_base) gpuTargets smallBuild;"]);
    let stated = "stdenv.cc.isGNU || !smallBuild || gpuTargets == [ \"gfx906\" ]";
    let all = text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        all.contains(&format!("({stated}) || !finalAttrs.passthru.hasNinth"))
            || all.contains(&format!("{stated} || !finalAttrs.passthru.hasNinth")),
        "{text}"
    );
    assert!(text.starts_with("{\n  lib,\n  stdenv,\n"), "{text}");
    assert!(file(&r, "conv/base.nix").contains("broken = true;"));
}

#[test]
fn a_python_package_is_called_without_a_compiler_environment() {
    // Its expression asks for Python's builder alone, which brings nixpkgs' own.
    let original = "nix: {builder: python, stdenv: original, ";
    let (r, told, errors) = run(&[("components/pygen.yaml", "nix: {builder: python, ", original)]);
    assert!(!errors, "{told}");
    let scope = file(&r, "default.nix");
    let call = &scope[scope.find("pygen = ").unwrap()..];
    assert!(!call[..call.find(';').unwrap()].contains("stdenv"), "{scope}");
}

#[test]
fn a_feature_goes_off_where_what_it_asks_for_is_broken() {
    let features = "features: {fast: {name: withFast, default: true, targets: [gfx942]}}\ntargets:\n";
    let needs = "depends:\n  conv: {kind: link, when: fast, targets: covers}\n";
    let changes =
        [("components/sparse.yaml", "targets:\n", features), ("components/sparse.yaml", "depends:\n", needs)];
    let (r, told, errors) = run(&changes);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    let default = "withFast ? lib.intersectLists gpuTargets [ \"gfx942\" ] != [ ] && !conv.meta.broken,";
    assert_eq!(lines(&text, &["withFast ?"]), [default]);
    assert!(text.contains("++ lib.optionals withFast [ conv ]"), "{text}");
    // What can't be broken for want of a target is no reason.
    let (r, ..) = run(&[changes[0], changes[1], ("components/conv.yaml", "policy: fail", "policy: stub")]);
    let default = "withFast ? lib.intersectLists gpuTargets [ \"gfx942\" ] != [ ],";
    assert_eq!(lines(&file(&r, "sparse/default.nix"), &["withFast ?"]), [default]);
}

#[test]
fn features_that_do_not_go_together_are_broken() {
    let broken = |constraint: &str| {
        let all = format!("constraints: [{constraint}]\ndepends:\n");
        let (r, told, errors) = run(&[("components/blas.yaml", "depends:\n", &all)]);
        assert!(!errors, "{told}");
        let text = file(&r, "blas/default.nix");
        lines(&text, &["broken ="]).join(" ").replace("broken = stdenv.cc.isGNU", "")
    };
    assert_eq!(broken("{when: test, need: lazy}"), " || buildTests && !lazyLoading;");
    assert_eq!(broken("{at-most-one: [lazy, test]}"), " || lazyLoading && buildTests;");
    assert_eq!(
        broken("{exactly-one: [lazy, test]}"),
        " || lazyLoading && buildTests || !lazyLoading && !buildTests;"
    );
}

#[test]
fn text_may_name_a_feature_that_is_fixed() {
    let (r, told, errors) = run(&[("components/conv.yaml", "default: true", "fixed: false")]);
    assert!(!errors, "{told}");
    let text = file(&r, "conv/base.nix");
    assert!(text.contains("let\n  smallBuild = false;\n"), "{text}");
    assert!(text.contains("inherit hasNinth gpuTargets smallBuild;"), "{text}");
    assert!(!text.contains("smallBuild,") && !text.contains("smallBuild ?"), "{text}");
}

#[test]
fn arguments_and_bindings_of_the_model() {
    let text = "nix:\n  arguments: |\n    # Slow without.\n    fast = true;\n    tool = clr;\n  \
                bindings:\n    flag: lib.optionalString fast \"-O3\"\n    kept: '[ ./a.nix clr ]'\n  env: |\n    \
                FLAG = flag;\n    KEPT = toString (kept ++ [ tool ]);";
    let (r, told, errors) = run(&[("components/sparse.yaml", "nix:", text)]);
    assert!(!errors, "{told}");
    let text = file(&r, "sparse/default.nix");
    check(&text).unwrap();
    let lines: Vec<&str> = text.lines().filter(|l| !l.contains("sha256")).collect();
    insta::assert_snapshot!("arguments", lines.join("\n"));
    assert!(r.companions.iter().any(|c| c.path == "sparse/a.nix"));
}

#[test]
fn a_missing_hash_is_a_warning() {
    let (model, mut findings) = Model::load(&[(String::new(), files(&[]))]);
    let plan =
        Plan::new(&model, "nixpkgs", &Choice::Release("7.2.4".parse().unwrap()), &mut findings).unwrap();
    let templates = [("nix/file.nix.j2".to_owned(), "{{ expression }}\n".to_owned())];
    let (r, _) =
        render(&plan, &Templates::new(&templates.into_iter().collect()).unwrap(), &mut findings).unwrap();
    assert!(!findings.has_errors());
    let unknown =
        findings.sorted().iter().filter(|f| f.code == "W0501" && f.severity == Severity::Warning).count();
    assert_eq!(unknown, 5, "one for each package");
    assert!(file(&r, "blas/default.nix").contains("version = \"7.2.4\";"));
}

#[test]
fn a_template_that_breaks_a_file_is_told() {
    let (model, mut findings) = Model::load(&[(String::new(), files(&[]))]);
    let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings).unwrap();
    let templates = [("nix/file.nix.j2".to_owned(), "oops }\n{{ expression }}\n".to_owned())];
    render(&plan, &Templates::new(&templates.into_iter().collect()).unwrap(), &mut findings).unwrap();
    assert!(findings.sorted().iter().any(|f| f.code == "E0508"));
}
