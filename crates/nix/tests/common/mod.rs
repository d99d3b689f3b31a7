//! A small model for tests, and what is rendered of it.
#![allow(dead_code)] // each test file uses its part
#![allow(clippy::unwrap_used)] // a helper of tests

use rocpkg_model::{Files, Findings};
use rocpkg_nix::render;
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

pub(crate) fn files(changes: &[(&str, &str, &str)]) -> Files {
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

pub(crate) fn run(changes: &[(&str, &str, &str)]) -> (Rendered, String, bool) {
    let (model, mut findings) = Model::load(&[(String::new(), files(changes))]);
    let templates =
        [("nix/file.nix.j2".to_owned(), include_str!("../../../../templates/nix/file.nix.j2").to_owned())];
    let templates = Templates::new(&templates.into_iter().collect()).unwrap();
    let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings);
    let rendered = plan.map(|p| render(&p, &templates, &mut findings).unwrap()).unwrap_or_default();
    (rendered.0, told(&findings, &model), findings.has_errors())
}

pub(crate) fn told(findings: &Findings, model: &Model) -> String {
    findings.render(&model.sources, false).trim_end().to_owned()
}

pub(crate) fn file(r: &Rendered, path: &str) -> String {
    String::from_utf8(r.tree.get(path).unwrap_or_else(|| panic!("no {path}")).to_vec()).unwrap()
}

/// The lines of a file that hold one of these words, without their indentation.
pub(crate) fn lines(text: &str, words: &[&str]) -> Vec<String> {
    let hit = |l: &&str| words.iter().any(|w| l.contains(w));
    text.lines().filter(hit).map(|l| l.trim().to_owned()).collect()
}
