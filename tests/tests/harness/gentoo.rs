//! A small repository.

use std::fs;

use rocpkg_tests::{ExternalPackage, Finding, GentooWorld, Level, copy_tree, externals_of, fixture};

fn sample() -> GentooWorld {
    GentooWorld::with_own_externals(&fixture("samples/gentoo"))
}

/// Changes one file of the world's copy; the text to replace has to be there.
fn edit(world: &GentooWorld, file: &str, from: &str, to: &str) {
    let path = world.repository().join(file);
    let text = fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} does not hold {from:?}");
    fs::write(&path, text.replace(from, to)).unwrap();
}

fn names(findings: &[Finding], at_least: Level) -> Vec<&str> {
    let mut names: Vec<_> =
        findings.iter().filter(|f| f.level >= at_least).map(|f| f.name.as_str()).collect();
    names.dedup();
    names.sort_unstable();
    names.dedup();
    names
}

const BLAS: &str = "sci-libs/sample-blas/sample-blas-7.2.0.ebuild";

#[test]
fn externals_have_the_version_slot_and_flags_that_are_asked_for() {
    let externals = externals_of(&fixture("samples/gentoo"));
    let of = |cp: &str| -> Vec<(String, String, String)> {
        let about = |e: &ExternalPackage| (e.version.clone(), e.slot.clone(), e.iuse.join(" "));
        externals.iter().filter(|e| e.cp == cp).map(about).collect()
    };
    let one = |v: &str, s: &str, i: &str| (v.to_owned(), s.to_owned(), i.to_owned());
    assert_eq!(of("dev-build/cmake"), [one("3.28.5", "0", "")]);
    assert_eq!(of("llvm-core/clang"), [one("22", "22", "")]);
    assert_eq!(of("x11-libs/libdrm"), [one("1", "0", "+video_cards_amdgpu")]);
    assert_eq!(of("dev-lang/python").len(), 3);
    assert_eq!(
        of("dev-python/pyyaml"),
        [one("1", "0", "python_targets_python3_12 python_targets_python3_13 python_targets_python3_14")]
    );
    assert_eq!(of("dev-build/sample-cmake"), [], "the repository has this one itself");
}

#[test]
fn a_sound_repository_lacks_only_manifests_and_a_proxy() {
    let findings = sample().pkgcheck_scan();
    // nobody knows the checksums of the sample's archives, and its maintainer is none of Gentoo's
    assert_eq!(
        names(&findings, Level::Style),
        ["MaintainerWithoutProxy", "MissingManifest"],
        "{findings:#?}"
    );
}

#[test]
fn pkgcheck_sees_faults_in_the_copy() {
    let world = sample();
    edit(&world, BLAS, "usex benchmark", "usex benchmarks");
    edit(
        &world,
        BLAS,
        "dev-libs/sample-runtime:${SLOT}",
        "dev-libs/sample-runtime:${SLOT}[amdgpu_targets_gfx1100]",
    );
    edit(&world, "dev-build/sample-cmake/sample-cmake-7.2.0.ebuild", "inherit cmake", "inherit cmake edo");
    let findings = world.pkgcheck_scan();
    let seen = names(&findings, Level::Style);
    for name in ["UnusedInherits", "NonsolvableDepsInStable"] {
        assert!(seen.contains(&name), "{name} is not in {findings:#?}");
    }
}

#[test]
fn portage_resolves_for_one_target_and_refuses_none() {
    let world = sample();
    let plan = world.emerge_pretend(&["sci-libs/sample-blas"], &["gfx1100"], &[]).unwrap();
    assert!(plan.contains("AMDGPU_TARGETS=\"gfx1100 -gfx90a\""), "{plan}");
    assert!(plan.contains("dev-libs/sample-runtime-7.2.0"), "{plan}");
    let plan = world
        .emerge_pretend(
            &["sci-libs/sample-blas"],
            &["gfx90a"],
            &["sci-libs/sample-blas benchmark".to_owned()],
        )
        .unwrap();
    assert!(plan.contains("USE=\"benchmark"), "{plan}");
    let refusal = world.emerge_pretend(&["sci-libs/sample-blas"], &["gfx803"], &[]).unwrap_err();
    assert!(refusal.contains("REQUIRED_USE"), "{refusal}");
}

#[test]
fn portage_refuses_a_dependency_that_nobody_provides() {
    let world = sample();
    edit(&world, BLAS, "dev-libs/sample-runtime:${SLOT}", "dev-libs/sample-runtime:9");
    let refusal = world.emerge_pretend(&["sci-libs/sample-blas"], &["gfx90a"], &[]).unwrap_err();
    assert!(refusal.contains("sample-runtime:9"), "{refusal}");
}

#[test]
fn every_stand_in_can_be_inherited() {
    let folder = tempfile::tempdir().unwrap();
    copy_tree(&fixture("samples/gentoo"), folder.path());
    let mut names = Vec::new();
    for entry in fs::read_dir(fixture("standins/gentoo/eclass")).unwrap() {
        let eclass = entry.unwrap().path().file_stem().unwrap().to_str().unwrap().to_owned();
        let package = folder.path().join(format!("dev-build/{eclass}-stand-in"));
        fs::create_dir(&package).unwrap();
        let text = format!(
            "EAPI=8\nPYTHON_COMPAT=( python3_{{12..14}} )\nLLVM_COMPAT=( 22 )\nDISTUTILS_USE_PEP517=setuptools\n\
            DOCS_BUILDER=doxygen\ninherit {eclass}\nDESCRIPTION=\"One eclass\"\nSLOT=0\n"
        );
        fs::write(package.join(format!("{eclass}-stand-in-1.ebuild")), text).unwrap();
        names.push(eclass);
    }
    assert!(names.len() > 20, "{names:?}");
    let externals = externals_of(folder.path());
    let found: Vec<_> = externals.iter().map(|e| e.cp.as_str()).collect();
    for cp in
        ["app-text/doxygen", "dev-python/gpep517", "dev-python/setuptools", "dev-vcs/git", "virtual/fortran"]
    {
        assert!(found.contains(&cp), "{cp} is not in {found:?}");
    }
}

#[test]
fn the_fewest_versions_answer_all_atoms() {
    let folder = tempfile::tempdir().unwrap();
    copy_tree(&fixture("samples/gentoo"), folder.path());
    let package = folder.path().join("dev-build/wants");
    fs::create_dir(&package).unwrap();
    let wants = "=dev-cpp/fd-0.15* <dev-cpp/gg-3 >=dev-cpp/gg-1 >dev-libs/hh-1.2-r1 !<dev-libs/blocked-3 !<dev-build/sample-cmake-7 \
        || ( >=dev-libs/a-1.5 ~dev-libs/a-2.0 ) >=dev-libs/a-1 dev-libs/s:0/7.2 dev-libs/s:=[x,-y,z?] dev-libs/t:5 dev-libs/t:6=";
    let text = format!("EAPI=8\nDESCRIPTION=\"Wants\"\nSLOT=0\nIUSE=z\nRDEPEND=\"{wants}\"\n");
    fs::write(package.join("wants-1.ebuild"), text).unwrap();
    let found: Vec<_> = externals_of(folder.path())
        .into_iter()
        .filter(|e| {
            ["fd", "gg", "hh", "blocked", "sample-cmake", "a", "s", "t"]
                .iter()
                .any(|n| e.cp.ends_with(&format!("/{n}")))
        })
        .map(|e| format!("{}-{}:{} [{}]", e.cp, e.version, e.slot, e.iuse.join(" ")))
        .collect();
    assert_eq!(
        found,
        [
            "dev-build/sample-cmake-0:0 []",
            "dev-cpp/fd-0.15:0 []",
            "dev-cpp/gg-1:0 []",
            "dev-libs/a-2.0:0 []",
            "dev-libs/blocked-0:0 []",
            "dev-libs/hh-1.2.1:0 []",
            "dev-libs/s-7.2:0/7.2 [+x y +z]",
            "dev-libs/t-6:6 []",
            "dev-libs/t-5:5 []",
        ]
    );
}

#[test]
fn metadata_holds_what_eclasses_add() {
    let world = sample();
    assert_eq!(
        world.packages(),
        ["dev-build/sample-cmake", "dev-libs/sample-runtime", "sci-libs/sample-blas"]
    );
    let values = world.metadata("dev-libs/sample-runtime-7.2.0", &["SLOT", "REQUIRED_USE", "IUSE"]).unwrap();
    assert_eq!(values, ["0/7.2", "^^ ( llvm_slot_22 )", "debug +llvm_slot_22"]);
}
