//! Tests of the proof on the shipped profiles: no hole is open except for those that are known.

use rocpkg::core::Listed;
use rocpkg::internal::model::{Finding, Findings, Severity};
use rocpkg::internal::resolve::{Bundles, Choice, CompatibleCode, Proof};
use rocpkg::{Backend, Options, Tree};
use rocpkg_tests::{Rendered, fixture, laid, rendered};
use std::fs;

/// Renders the shipped model with files merged over it.
fn with(over: &[(&str, &str)]) -> Rendered {
    rendered(laid(over), &Options::everything()).sound()
}

/// Renders the shipped model for these targets alone.
fn narrowed(targets: &[&str]) -> Rendered {
    let (mut model, findings) = laid(&[]);
    model.narrowed = targets.iter().map(|t| (*t).to_owned()).collect();
    rendered((model, findings), &Options::everything())
}

fn proof(tree: &Tree, backend: Backend) -> &Proof {
    &tree.proofs.iter().find(|(b, _)| *b == backend).unwrap().1
}

/// Returns the messages of a proof's findings with this code, including findings that are known.
fn messages(proof: &Proof, code: &str) -> Vec<String> {
    let known = proof.known.iter().map(|k| &k.finding);
    let all = proof.findings.sorted().into_iter().chain(known);
    all.filter(|f| f.code == code)
        .map(|f| f.message.clone())
        .collect()
}

#[test]
fn the_shipped_profiles_are_proved_but_for_what_is_known() {
    let Rendered { stack, tree, .. } = with(&[]);
    let model = stack.model();
    let mut out = String::new();
    let mut open = String::new();
    for (backend, proof) in &tree.proofs {
        let errors = proof
            .findings
            .sorted()
            .into_iter()
            .filter(|f| f.severity == Severity::Error);
        let mut wrong = Findings::default();
        errors.for_each(|f| wrong.push(f.clone()));
        open.push_str(&wrong.render(&model.sources, false));
        for f in &proof.unmet {
            open.push_str(&format!(
                "{}: {}\n",
                model.sources.place(f.span.unwrap()),
                f.message
            ));
        }
        out.push_str(&format!("{}: {} edges, ", backend.distro(), proof.edges));
        out.push_str(&format!("{} proved\n", proof.edges - proof.unproved.len()));
        for known in &proof.known {
            let f = &known.finding;
            out.push_str(&format!(
                "  {} {}\n    {}\n    known: {}\n",
                f.code, f.message, f.label, known.reason
            ));
        }
        for edge in &proof.unproved {
            let missing = edge.missing.join("; ");
            out.push_str(&format!(
                "  {} > {}: not known: {missing}\n",
                edge.package, edge.dependency
            ));
        }
    }
    assert!(open.is_empty(), "{open}");
    insta::assert_snapshot!(out);
}

/// Conditions and features are rendered without targets that can't be chosen. Portage refuses an
/// ebuild that names a flag which the ebuild does not have.
#[test]
fn a_narrowed_ebuild_names_no_other_target() {
    let one = narrowed(&["gfx1100"]);
    let ebuild = one.text("gentoo/sci-libs/miopen/miopen-7.2.0.ebuild");
    assert!(
        !ebuild.contains("amdgpu_targets_") && !ebuild.contains("frugally-deep"),
        "{ebuild}"
    );
    assert!(ebuild.contains("!composable-kernel\n"), "{ebuild}");
}

#[test]
fn a_key_that_changes_no_byte_changes_no_proof() {
    let before = with(&[]).tree;
    let after = with(&[("distros/nixpkgs/hiprand.yaml", "nix: {gpu-targets: ~}\n")]).tree;
    let file = "nix/hiprand/default.nix";
    assert_eq!(before.files.get(file), after.files.get(file));
    let said = |tree: &Tree| -> Vec<(&str, String)> {
        let found = proof(tree, Backend::Nix).findings.sorted();
        found
            .into_iter()
            .map(|f| (f.code, f.message.clone()))
            .collect()
    };
    assert_eq!(said(&after), said(&before));
}

#[test]
fn exclusions_from_a_tools_list_are_compared_over_an_edge() {
    let excludes = "{targets: [gfx906, gfx1010, gfx1012, gfx1152], reason: a test}";
    let over = format!("targets: {{excludes: [{excludes}]}}\n");
    let made = with(&[("distros/arch/rocblas.yaml", &over)]);
    assert!(
        made.text("arch/rocblas/PKGBUILD")
            .contains("rocm-supported-gfx -e gfx906 -e gfx1010")
    );
    let found = messages(proof(&made.tree, Backend::Arch), "E0602");
    let hole = "`miopen` is built for gfx906 gfx1010 gfx1012 gfx1152, but `rocblas` is not";
    assert!(found.iter().any(|m| m == hole), "{found:?}");
}

#[test]
fn a_list_in_a_layer_is_built_in_place_of_the_tools() {
    let over = "targets: [{releases: '*', default: [gfx906, gfx950, gfx1100]}]\n";
    let made = with(&[("distros/arch.yaml", over)]);
    for (path, bytes) in made
        .tree
        .files
        .iter()
        .filter(|(p, _)| p.as_str().ends_with("/PKGBUILD"))
    {
        let text = String::from_utf8_lossy(bytes);
        // This package contains the tool.
        let is_tool = path.as_str() == "arch/rocm-toolchain/PKGBUILD";
        assert!(
            is_tool || !text.contains("rocm-supported-gfx"),
            "{}",
            path.as_str()
        );
    }
    assert!(
        made.text("arch/rocblas/PKGBUILD")
            .contains("-D GPU_TARGETS=\"gfx906;gfx950;gfx1100\"")
    );
    // A target that the package can't be built for is left out.
    assert!(
        made.text("arch/rocsparse/PKGBUILD")
            .contains("-D GPU_TARGETS=\"gfx906;gfx1100\"")
    );
    let built = &proof(&made.tree, Backend::Arch).built["rocsparse"];
    let names = made.stack.model().registry.as_ref().unwrap();
    assert_eq!(
        built.default,
        Listed::Set(
            ["gfx906", "gfx1100"]
                .iter()
                .filter_map(|t| names.get(t))
                .collect()
        )
    );
}

#[test]
fn what_a_tool_prints_is_proved_like_any_list_once_it_is_a_fact() {
    let over = "target-tool: {version: \"0.4.0\", list: [gfx906, gfx908, gfx950, gfx1100]}\n";
    let made = with(&[("distros/arch.yaml", over)]);
    let names = made.stack.model().registry.as_ref().unwrap();
    let built = &proof(&made.tree, Backend::Arch).built;
    let expected = |list: &[&str]| Listed::Set(list.iter().filter_map(|t| names.get(t)).collect());
    assert_eq!(
        built["rocblas"].default,
        expected(&["gfx906", "gfx908", "gfx950", "gfx1100"])
    );
    assert_eq!(
        built["rocsparse"].default,
        expected(&["gfx906", "gfx908", "gfx1100"])
    );
    // The recipe still contains the command.
    assert!(
        made.text("arch/rocblas/PKGBUILD")
            .contains("$(rocm-supported-gfx)")
    );
}

#[test]
fn the_known_part_of_a_tools_list_is_built_without_what_a_package_excludes() {
    let over = "target-tool: {known: [gfx906, gfx950]}\n";
    let made = with(&[("distros/arch.yaml", over)]);
    let names = made.stack.model().registry.as_ref().unwrap();
    let set = |list: &[&str]| list.iter().filter_map(|t| names.get(t)).collect();
    let built = &proof(&made.tree, Backend::Arch).built;
    let printed = |known: &[&str], without: &[&str]| Listed::Printed {
        tool: "rocm-supported-gfx".to_owned(),
        without: set(without),
        known: set(known),
    };
    assert_eq!(
        built["rocblas"].default,
        printed(&["gfx906", "gfx950"], &[])
    );
    assert_eq!(
        built["rocsparse"].default,
        printed(&["gfx906"], &["gfx950"])
    );
}

#[test]
fn a_tree_for_one_gpu_builds_for_nothing_else() {
    let made = narrowed(&["gfx1100"]);
    for (backend, proof) in &made.tree.proofs {
        for (id, built) in proof.built.iter().filter(|(_, b)| !b.host_only) {
            // The recipe of this package is a guess. It passes a variable that upstream does not
            // read.
            if (*backend, id.as_str()) == (Backend::Arch, "hipsparselt") {
                continue;
            }
            let set = built
                .default
                .set()
                .unwrap_or_else(|| panic!("{backend:?} {id}: {:?}", built.default));
            // A stand-in, or a package with a policy for unsupported targets, may be built for no
            // target.
            assert!(set.len() <= 1, "{backend:?} {id}: {set:?}");
            assert!(
                set.len() == 1 || built.mended,
                "{backend:?} {id} is built for nothing"
            );
        }
    }
    assert!(made.text("arch/rccl/PKGBUILD").contains("gfx1100"));
    assert!(
        made.text("nix/hiprand/default.nix")
            .contains("clr.localGpuTargets or [ \"gfx1100\" ]")
    );
}

#[test]
fn without_its_patch_a_package_promises_nothing() {
    let promise = |over: &[(&str, &str)], id: &str| {
        let Rendered { stack, .. } = with(over);
        let model = stack.model();
        let plan = rocpkg::internal::resolve::Plan::new(
            model,
            "gentoo",
            &Choice::Shipped,
            &mut Findings::default(),
        );
        let plan = plan.unwrap();
        let code = plan.compatible_code(model.registry.as_ref().unwrap(), plan.get(id).unwrap());
        code != CompatibleCode::Unpatched
    };
    assert!(promise(&[], "rocblas"));
    assert!(
        !promise(&[], "rocfft"),
        "tree_node.h of rocFFT is not patched"
    );
    let gone = "patches: {rocBLAS-7.0.2-expand-isa-compatibility.patch: ~}\n";
    assert!(!promise(
        &[("distros/gentoo/rocblas.yaml", gone)],
        "rocblas"
    ));
    let gone = "patches: {rocm-comgr-6.4.1-extend-isa-compatibility-check.patch: ~}\n";
    let over = [("distros/gentoo/rocm-comgr.yaml", gone)];
    assert!(
        !promise(&over, "rocblas") && !promise(&over, "rocsparse"),
        "the runtime picks no such code"
    );
}

#[test]
fn the_packing_of_code_follows_the_recipe_and_upstream() {
    let packing = |over: &[(&str, &str)], distro: &str, release: &str, id: &str| {
        let (model, _) = laid(over);
        let choice = Choice::Release(release.parse().unwrap());
        let plan =
            rocpkg::internal::resolve::Plan::new(&model, distro, &choice, &mut Findings::default());
        let plan = plan.unwrap();
        let registry = model.registry.as_ref().unwrap();
        let p = plan.get(id).unwrap();
        (plan.bundles(registry, p), plan.compatible_code(registry, p))
    };
    let packed = |cause: &str, without: &str| Bundles::Compressed {
        cause: cause.to_owned(),
        without: without.to_owned(),
    };
    let upstream = packed("upstream's default", "with `-DBUILD_OFFLOAD_COMPRESS=OFF`");
    let of = |release: &str, id: &str| packing(&[], "gentoo", release, id);
    let (bundles, code) = of("7.2.4", "rocblas");
    assert_eq!(bundles, upstream);
    let CompatibleCode::Packed(reason) = code else {
        panic!("{code:?}")
    };
    assert_eq!(reason.missing.len(), 2, "{reason:?}");
    // Before, upstream compressed nothing, and the older runtime needs no further patch.
    assert_eq!(
        of("6.2.4", "rocblas"),
        (Bundles::Plain, CompatibleCode::Loads)
    );
    assert_eq!(of("6.0.2", "rocblas").1, CompatibleCode::Loads);
    assert_eq!(
        of("7.2.4", "rocrand"),
        (Bundles::Plain, CompatibleCode::Loads)
    );
    // No source states the packing at 6.3, and none of a package by others.
    assert_eq!(of("6.3.3", "composable-kernel").0, Bundles::Unknown);
    let (bundles, code) = of("7.2.4", "rpp");
    assert_eq!(bundles, Bundles::Unknown);
    assert!(matches!(
        code,
        CompatibleCode::Unknown(_) | CompatibleCode::Unpatched
    ));
    let off = "cmake: {main: {arguments: {BUILD_OFFLOAD_COMPRESS: false}}}\n";
    let over = [("distros/gentoo/rocblas.yaml", off)];
    let (bundles, code) = packing(&over, "gentoo", "7.2.4", "rocblas");
    assert_eq!((bundles, code), (Bundles::Plain, CompatibleCode::Loads));
    // Static libraries bring their packing along.
    let (bundles, _) = packing(&[], "nixpkgs", "7.2.3", "miopen");
    assert_eq!(
        bundles,
        packed(
            "the recipe passes `--offload-compress`",
            "without `--offload-compress`"
        )
    );
    let (bundles, _) = packing(&[], "arch", "7.2.4", "miopen");
    assert_eq!(
        bundles,
        packed(
            "upstream's default in composable-kernel, which is linked in",
            "with `-DDISABLE_OFFLOAD_COMPRESS=ON` in composable-kernel"
        )
    );
    // Solus compresses at 6.2.4, and has the patches of comgr and clang.
    let variable = packed(
        "the recipe sets `OFFLOAD_BUNDLER_COMPRESS`",
        "without `OFFLOAD_BUNDLER_COMPRESS`",
    );
    for id in ["composable-kernel", "miopen", "rocsolver"] {
        let (bundles, code) = packing(&[], "solus", "6.2.4", id);
        assert_eq!(
            (bundles, code),
            (variable.clone(), CompatibleCode::Loads),
            "{id}"
        );
        let gone = "patches: {0001-Comgr-Extend-ISA-compatibility-for-CCOB.patch: ~}\n";
        let over = [("distros/solus/rocm-comgr.yaml", gone)];
        let (_, code) = packing(&over, "solus", "6.2.4", id);
        assert!(matches!(code, CompatibleCode::Packed(_)), "{id}: {code:?}");
    }
}

/// Returns all findings for the model with a file merged over it, including the holes of the
/// proofs. Returns the rendered model, too.
fn findings(path: &str, text: &str) -> (Vec<Finding>, Rendered) {
    let mut backends = Backend::ALL.to_vec();
    // A distribution's own file is read for that distribution alone.
    backends.retain(|b| {
        !path.starts_with("distros/") || path.starts_with(&format!("distros/{}", b.distro()))
    });
    let options = Options {
        backends,
        ..Options::everything()
    };
    let mut made = rendered(laid(&[(path, text)]), &options);
    let mut all = made.findings.clone();
    for (_, proof) in std::mem::take(&mut made.tree.proofs) {
        all.append(proof.findings);
        proof.unmet.into_iter().for_each(|f| all.push(f));
    }
    (all.sorted().into_iter().cloned().collect(), made)
}

/// Each defect of `proof/defects.txt` is reported with its code, at its line.
#[test]
fn every_defect_is_found() {
    let defects = fs::read_to_string(fixture("proof/defects.txt")).unwrap();
    let mut missed = String::new();
    for line in defects
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
    {
        let [code, path, text, file, held, says] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("six parts are due: {line}")
        };
        let (found, made) = findings(path, &text.replace(" ++ ", "\n"));
        let sources = made.stack.sources();
        let over = format!("over/{path}");
        let file = if file == "over" { &over } else { file };
        let fits = |f: &Finding| {
            let Some(span) = f.span else { return false };
            let Some(there) = sources.get(span.file) else {
                return false;
            };
            let line = there
                .text
                .lines()
                .nth(sources.position(span).line - 1)
                .unwrap_or_default();
            f.code == code && f.message.contains(says) && there.path == file && line.contains(held)
        };
        if !found.iter().any(fits) {
            let told = |f: &Finding| {
                format!(
                    "\n  {} {} {}",
                    f.code,
                    f.span.map(|s| sources.place(s)).unwrap_or_default(),
                    f.message
                )
            };
            missed.push_str(&format!(
                "{line}{}\n",
                found.iter().map(told).collect::<String>()
            ));
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

#[test]
fn a_hole_tells_its_chain_and_its_mends() {
    let text = "targets: {excludes: [{targets: [gfx1031], reason: a test}]}";
    let (found, _) = findings("distros/gentoo/rocrand.yaml", text);
    let hole = found
        .iter()
        .find(|f| f.code == "E0602" && f.message.contains("`miopen`"))
        .unwrap();
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
