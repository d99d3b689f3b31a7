//! Single defects of the shipped model: each is laid over it, and found with its code at its line.
#![allow(clippy::unwrap_used, reason = "a test that can't go on panics")]

use rocpkg::model::{Files, Finding, Findings, Severity};
use rocpkg::resolve::Model;
use rocpkg::{Stack, StackOptions};

/// One defect.
struct Mutant {
    /// The file that is laid over the model.
    path: &'static str,
    /// Its text.
    text: &'static str,
    /// The code that must be found.
    code: &'static str,
    /// The file where it must be found, and what its line must hold.
    at: (&'static str, &'static str),
    /// What the message must hold.
    says: &'static str,
}

const fn m(
    path: &'static str,
    text: &'static str,
    code: &'static str,
    at: (&'static str, &'static str),
    says: &'static str,
) -> Mutant {
    Mutant { path, text, code, at, says }
}

const MUTANTS: &[Mutant] = &[
    // A relation that is missing.
    m(
        "distros/nixpkgs/rocsparse.yaml",
        "depends: {rocblas: {targets: ~}}",
        "E0601",
        ("over/distros/nixpkgs/rocsparse.yaml", "rocblas"),
        "`rocsparse` needs `rocblas`",
    ),
    m(
        "components/miopen.yaml",
        "depends: {rocrand: {targets: ~}}",
        "E0601",
        ("over/components/miopen.yaml", "rocrand"),
        "`miopen` needs `rocrand`",
    ),
    m(
        "distros/gentoo/rccl.yaml",
        "depends: {rocprim: {kind: build}}",
        "E0601",
        ("over/distros/gentoo/rccl.yaml", "rocprim"),
        "`rccl` needs `rocprim`",
    ),
    m(
        "components/hiprand.yaml",
        "depends: {rocrand: {targets: ~}}",
        "E0601",
        ("over/components/hiprand.yaml", "rocrand"),
        "`hiprand` needs `rocrand`",
    ),
    // Holes.
    m(
        "distros/gentoo/rocblas.yaml",
        "targets: {excludes: [{targets: [gfx900], reason: a test}]}",
        "E0602",
        ("components/miopen.yaml", "rocblas"),
        "`miopen` is built for gfx900, and `rocblas` is not",
    ),
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {excludes: [{targets: [gfx1031], reason: a test}]}",
        "E0602",
        ("components/hiprand.yaml", "rocrand"),
        "`hiprand` is built for gfx1031, and `rocrand` is not",
    ),
    m(
        "distros/gentoo/hipblaslt.yaml",
        "targets: {policy: ~}",
        "E0602",
        ("components/rocblas.yaml", "hipblaslt"),
        "and `hipblaslt` is not",
    ),
    m(
        "distros/gentoo/composable-kernel.yaml",
        "targets: {list: own, supports: [{targets: [gfx908], reason: a test}]}",
        "N0613",
        ("components/miopen.yaml", "composable-kernel"),
        "`miopen` does without `composable-kernel` on gfx90a gfx942 gfx950",
    ),
    m(
        "distros/gentoo/miopen.yaml",
        "features: {composable-kernel: {targets: []}}\ndepends: {rccl: {kind: link, targets: covers}}",
        "E0602",
        ("over/distros/gentoo/miopen.yaml", "rccl"),
        "and `rccl` is not",
    ),
    m(
        "distros/nixpkgs/composable-kernel.yaml",
        "targets: {supports: [{targets: [gfx900, gfx906, gfx908, gfx90a, gfx942, gfx10-3-generic, gfx12-generic], reason: a test}]}",
        "N0613",
        ("components/miopen.yaml", "composable-kernel"),
        "`miopen` does without `composable-kernel` on gfx950 gfx1100 gfx1101 gfx1102 gfx1150 gfx1151",
    ),
    m(
        "distros/nixpkgs/rocsparse.yaml",
        "targets: {policy: drop-edge, excludes: [{targets: [gfx906], reason: a test}]}",
        "E0607",
        ("distros/nixpkgs/hipblas.yaml", "rocsparse"),
        "`hipblas` is built for gfx906, where the build of `rocsparse` stops",
    ),
    m(
        "distros/gentoo/hiprand.yaml",
        "targets: {excludes: [{targets: [gfx803], reason: a test}]}\ndepends: {rocrand: {targets: same}}",
        "E0602",
        ("over/distros/gentoo/hiprand.yaml", "rocrand"),
        "`rocrand` is built for gfx803, and `hiprand` is not",
    ),
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {policy: drop-edge, excludes: [{targets: [gfx1010], reason: a test}]}",
        "E0602",
        ("components/miopen.yaml", "rocrand"),
        "`miopen` is built for gfx1010, and `rocrand` is not",
    ),
    m(
        "distros/arch/miopen.yaml",
        "targets: {list: own, supports: [{targets: [gfx950], reason: a test}]}",
        "N0613",
        ("components/miopen.yaml", "composable-kernel"),
        "`miopen` does without `composable-kernel` on gfx950",
    ),
    m(
        "distros/nixpkgs/hipblaslt.yaml",
        "targets: {policy: ~}",
        "E0602",
        ("components/rocblas.yaml", "hipblaslt"),
        "and `hipblaslt` is not",
    ),
    m(
        "distros/gentoo/rocfft.yaml",
        "depends: {rccl: {kind: build, when: \"test & !target:gfx1010\", targets: covers}}",
        "E0602",
        ("over/distros/gentoo/rocfft.yaml", "rccl"),
        "`rocfft` is built for gfx803 gfx900 gfx1011 gfx1012 gfx1031 gfx1103 gfx1150 gfx1151 gfx940 gfx941, and",
    ),
    // Targets that reach nobody.
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {variable: []}",
        "E0603",
        ("over/distros/gentoo/rocrand.yaml", "targets"),
        "`rocrand` asks",
    ),
    m(
        "distros/gentoo/rocsparse.yaml",
        "targets: {list: none}",
        "E0603",
        ("over/distros/gentoo/rocsparse.yaml", "targets"),
        "`rocsparse` asks",
    ),
    m(
        "distros/gentoo.yaml",
        "known: []",
        "E0603",
        ("distros/gentoo/hipblas.yaml", "targets"),
        "`hipblas` asks",
    ),
    m(
        "distros/gentoo/rccl.yaml",
        "ebuild: {require-targets: never}",
        "E0604",
        ("over/distros/gentoo/rccl.yaml", "never"),
        "none need be chosen",
    ),
    m(
        "distros/gentoo/rocfft.yaml",
        "ebuild: {require-targets: never}",
        "E0604",
        ("over/distros/gentoo/rocfft.yaml", "never"),
        "none need be chosen",
    ),
    m(
        "distros/gentoo/hipblaslt.yaml",
        "targets: {policy: ~}",
        "E0604",
        ("distros/gentoo.yaml", "never"),
        "`hipblaslt` offers",
    ),
    // Nothing left.
    m(
        "distros/nixpkgs/rocblas.yaml",
        "targets: {list: intersection, supports: [{targets: [gfx90a], reason: a test}]}",
        "E0605",
        ("over/distros/nixpkgs/rocblas.yaml", "targets"),
        "leaves `rocblas` with no target",
    ),
    m(
        "distros/nixpkgs/rocrand.yaml",
        "targets: {excludes: [{targets: [gfx1201], reason: a test}]}",
        "E0605",
        ("over/distros/nixpkgs/rocrand.yaml", "targets"),
        "a scope narrowed to gfx1201",
    ),
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {supports: [{targets: [gfx600], reason: a test}]}",
        "E0605",
        ("over/distros/gentoo/rocrand.yaml", "targets"),
        "none of the distribution's targets",
    ),
    // A narrowed scope.
    m(
        "distros/nixpkgs/rocblas.yaml",
        "nix: {gpu-targets: {default: always}}",
        "E0606",
        ("over/distros/nixpkgs/rocblas.yaml", "gpu-targets"),
        "`rocblas`",
    ),
    m(
        "distros/nixpkgs/rocrand.yaml",
        "nix: {gpu-targets: {default: always}}",
        "E0606",
        ("over/distros/nixpkgs/rocrand.yaml", "nix"),
        "`rocrand`",
    ),
    // What is broken for a target.
    m(
        "distros/nixpkgs/rocrand.yaml",
        "targets: {policy: fail, excludes: [{targets: [gfx1030, gfx1200], reason: a test}]}",
        "E0607",
        ("components/miopen.yaml", "rocrand"),
        "`miopen` is built for gfx1030 gfx1200, where the build of `rocrand` stops",
    ),
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {policy: fail, excludes: [{targets: [gfx1100], reason: a test}]}",
        "E0607",
        ("components/miopen.yaml", "rocrand"),
        "where the build of `rocrand` stops",
    ),
    // Lists nobody knows.
    m(
        "distros/nixpkgs/rocblas.yaml",
        "nix: {gpu-targets: {default: upstream}}",
        "E0608",
        ("distros/nixpkgs/rocblas.yaml", "targets"),
        "`rocblas`",
    ),
    m(
        "distros/arch/composable-kernel.yaml",
        "targets: {list: none}",
        "E0608",
        ("over/distros/arch/composable-kernel.yaml", "targets"),
        "`composable-kernel`",
    ),
    m("distros/arch.yaml", "known: []", "E0608", ("components/rocrand.yaml", "targets"), "`rocrand`"),
    // Variables.
    m(
        "distros/gentoo/rocrand.yaml",
        "targets: {variable: AMDGPU_TARGET}",
        "E0609",
        ("over/distros/gentoo/rocrand.yaml", "AMDGPU_TARGET"),
        "does not read `AMDGPU_TARGET`",
    ),
    m(
        "components/rocfft.yaml",
        "targets: {variables: {GPU_TARGETS: \">=8.0\"}}",
        "E0609",
        ("components/rocfft.yaml", "GPU_TARGETS"),
        "`rocfft` 7.2.0 does not read `GPU_TARGETS`",
    ),
    m(
        "distros/nixpkgs/hipblas.yaml",
        "targets: {variable: HIP_ARCHITECTURES}",
        "E0609",
        ("over/distros/nixpkgs/hipblas.yaml", "HIP_ARCHITECTURES"),
        "does not read",
    ),
    // The distribution as a whole.
    m(
        "distros/gentoo.yaml",
        "known: []",
        "E0610",
        ("distros/gentoo.yaml", "propagation: none"),
        "not handed on",
    ),
    m("distros/gentoo.yaml", "known: []", "W0611", ("distros/gentoo/rocm-comgr.yaml", "site"), "compressed"),
    m(
        "distros/nixpkgs/rocm-comgr.yaml",
        "patches: {comgr-compressed-isa-compatibility.patch: ~}",
        "W0611",
        ("distros/nixpkgs/tensile.yaml", "Tensile: HipHardware.cpp"),
        "compressed",
    ),
    m(
        "distros/arch/rocblas.yaml",
        "patches: [{file: a.patch, site: MIOpen, hash: 0000000000000000000000000000000000000000000000000000000000000000}]",
        "W0611",
        ("over/distros/arch/rocblas.yaml", "MIOpen"),
        "7.2.4",
    ),
    m(
        "distros/arch.yaml",
        "known: [{code: E0699, reason: a test}]",
        "E0612",
        ("over/distros/arch.yaml", "E0699"),
        "no code of the proof",
    ),
    m(
        "distros/arch.yaml",
        "known: [{code: E0608, packages: [rocbals], reason: a test}]",
        "E0612",
        ("over/distros/arch.yaml", "rocbals"),
        "no package of arch",
    ),
    m(
        "distros/gentoo.yaml",
        "propagation: chunked",
        "E0612",
        ("distros/gentoo.yaml", "E0610"),
        "was not found",
    ),
    m(
        "distros/gentoo.yaml",
        "targets: [{releases: \">=7.0, <8\", default: [gfx90a, gfx1O30], offered: []}]",
        "E0202",
        ("over/distros/gentoo.yaml", "gfx1O30"),
        "unknown GPU target `gfx1O30`",
    ),
    m(
        "distros/gentoo.yaml",
        "targets: {\">=7.0, <8\": ~}",
        "E0605",
        ("over/distros/gentoo.yaml", "targets"),
        "gentoo lists no GPU targets for 7.2.0",
    ),
    m(
        "distros/gentoo/miopen.yaml",
        "features: {composable-kernel: {targets: [gfx908, gfx942s]}}",
        "E0202",
        ("over/distros/gentoo/miopen.yaml", "gfx942s"),
        "unknown GPU target `gfx942s`",
    ),
    // The registry.
    m(
        "targets.yaml",
        "generics: {gfx9-generic: {covers: [gfx900, gfx9oa]}}",
        "E0211",
        ("over/targets.yaml", "gfx9oa"),
        "gfx9oa",
    ),
    m(
        "targets.yaml",
        "generics: {gfx12-generic: {covers: [gfx1200]}}",
        "E0212",
        ("targets.yaml", "gfx1201:"),
        "disagree",
    ),
    m(
        "targets.yaml",
        "isa-compat: {score: {processor: 20}}",
        "E0213",
        ("over/targets.yaml", "score"),
        "scores",
    ),
    m(
        "targets.yaml",
        "processors: {gfx1201: {llvm: new}}",
        "E0215",
        ("over/targets.yaml", "new"),
        "no version of LLVM",
    ),
    m(
        "targets.yaml",
        "families: {gfx1030: [gfx1031]}",
        "E0210",
        ("over/targets.yaml", "gfx1030"),
        "declared twice",
    ),
    m(
        "distros/gentoo/rocblas.yaml",
        "patches: [{file: rocBLAS-7.1.0-no-git.patch, site: MIOpne}]\n",
        "E0211",
        ("over/distros/gentoo/rocblas.yaml", "MIOpne"),
        "no patch site",
    ),
];

fn findings(path: &str, text: &str) -> (Vec<Finding>, Stack) {
    let over = Files::from([(path.to_owned(), text.to_owned())]);
    let (model, mut findings) =
        Model::load(&[(String::new(), rocpkg::profiles()), ("over".to_owned(), over)]);
    let stack = Stack::new(model, &rocpkg::templates()).unwrap();
    let options = StackOptions::everything();
    for (_, proof) in stack.render(&options, &mut findings).unwrap().proofs {
        findings.append(proof.findings);
        proof.unmet.into_iter().for_each(|f| findings.push(f));
    }
    (findings.sorted().into_iter().cloned().collect(), stack)
}

#[test]
fn every_defect_is_found_with_its_code_at_its_line() {
    assert!(MUTANTS.len() >= 30);
    let mut missed = String::new();
    for m in MUTANTS {
        let (found, stack) = findings(m.path, m.text);
        let sources = stack.sources();
        let fits = |f: &&Finding| {
            let Some(span) = f.span else { return false };
            let Some(file) = sources.get(span.file) else { return false };
            let line = file.text.lines().nth(sources.position(span).line - 1).unwrap_or_default();
            f.code == m.code && f.message.contains(m.says) && file.path == m.at.0 && line.contains(m.at.1)
        };
        if !found.iter().any(|f| fits(&f)) {
            let list: Vec<String> = found
                .iter()
                .map(|f| {
                    format!(
                        "  {} {} {}",
                        f.code,
                        f.span.map(|s| sources.place(s)).unwrap_or_default(),
                        f.message
                    )
                })
                .collect();
            missed.push_str(&format!("{} in {}: {}\n{}\n", m.code, m.path, m.text, list.join("\n")));
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

#[test]
fn the_shipped_model_has_none_of_them() {
    let (found, stack) = findings("components/rocblas.yaml", "title: rocBLAS\n");
    let mut all = Findings::default();
    found.into_iter().filter(|f| f.severity == Severity::Error).for_each(|f| all.push(f));
    assert!(all.is_empty(), "{}", all.render(stack.sources(), false));
}

#[test]
fn a_hole_tells_its_chain_and_its_mends() {
    let text = "targets: {excludes: [{targets: [gfx1031], reason: a test}]}";
    let (found, _) = findings("distros/gentoo/rocrand.yaml", text);
    let hole = found.iter().find(|f| f.code == "E0602" && f.message.contains("`miopen`")).unwrap();
    assert!(
        hole.label.contains("miopen > rocrand") || hole.label.contains("hiprand > rocrand"),
        "{}",
        hole.label
    );
    let hint = hole.hint.as_deref().unwrap();
    for mend in ["exclude", "policy: stub", "drop", "!target:gfx1031"] {
        assert!(hint.contains(mend), "{hint}");
    }
}
