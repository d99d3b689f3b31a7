//! Compares built files with the recipes that they are built from.

use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::audit::{About, Audit, AuditedRow, read};
use rocpkg_tests::{debians, library, write_file};
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Debian's packages contain code for exactly the targets that Debian declares for them.
#[test]
fn debians_packages_hold_what_they_declare() {
    let all = debians();
    assert_eq!(all.len(), 3, "{all:?}");
    for (path, declared) in all {
        let audit = read(&path).unwrap();
        assert_eq!(audit.faults().count(), 0, "{}", path.display());
        let held = audit.targets();
        let held: BTreeSet<&str> = held.keys().map(String::as_str).collect();
        assert_eq!(
            held,
            declared.iter().map(String::as_str).collect(),
            "{}",
            path.display()
        );
    }
}

/// Returns the differences that the audit of built files reports for one distribution. `chosen`
/// lists the targets that were chosen for the build.
fn rows(
    stack: &Stack,
    backend: Backend,
    path: &Path,
    chosen: Option<&str>,
) -> Vec<(About, String)> {
    let questions = stack.questions(backend, &Choice::Shipped).unwrap();
    let chosen = chosen.map(|list| stack.targets(list).unwrap());
    let audit: Audit = read(path).unwrap();
    let holder = path.file_name().unwrap().to_str().unwrap();
    let packages = questions.packages_of(&audit, holder);
    let rows = questions.audited(&audit, &packages, chosen.as_ref());
    rows.into_iter()
        .map(|AuditedRow { about, said, .. }| (about, said))
        .collect()
}

#[test]
fn a_target_too_few_and_one_too_many_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(
        folder.path(),
        "rocrand",
        &["gfx1030", "gfx1201"],
        &["amdhip64"],
        &[],
    );
    let asked = |list| rows(&stack, Backend::Gentoo, &path, list);
    assert_eq!(asked(Some("gfx1030,gfx1201")), []);
    let lacking = "no code for gfx1100, but the recipe builds for it".to_owned();
    let unasked = "code for gfx1201, but the recipe does not build for it".to_owned();
    assert_eq!(
        asked(Some("gfx1030,gfx1100")),
        [(About::Lacking, lacking), (About::Unasked, unasked)]
    );
    // In Gentoo, users choose. Without their choice, code for each target that they can choose is
    // allowed, and missing targets are not looked for.
    assert!(
        matches!(asked(None)[..], [(About::Open, _)]),
        "{:?}",
        asked(None)
    );
    // nixpkgs builds upstream's list of targets unless somebody narrows the scope. Nix keeps an
    // input of any kind if a file refers to it, so no library is undeclared.
    let rccl = library(folder.path(), "rccl", &["gfx1030"], &["amdhip64"], &[]);
    let of_nix = rows(&stack, Backend::Nix, &rccl, None);
    let faults: Vec<_> = of_nix
        .iter()
        .filter(|(about, _)| about.is_fault())
        .collect();
    assert!(
        faults.len() == 1 && faults[0].0 == About::Lacking,
        "{of_nix:?}"
    );
    // In Arch, the packager chooses, and the recipe is rendered for the choice.
    let of_arch = rows(&stack, Backend::Arch, &path, Some("gfx1030,gfx1201"));
    assert!(
        of_arch.iter().all(|(about, _)| !about.is_fault()),
        "{of_arch:?}"
    );
    // Files of an unknown package are reported as not compared.
    let other = library(folder.path(), "somebodys", &["gfx1030"], &[], &[]);
    let said =
        "files with code (1) were not compared, because their package is not known".to_owned();
    assert_eq!(
        rows(&stack, Backend::Arch, &other, None),
        [(About::Open, said)]
    );
    // Without a choice, Arch's recipe builds the list of a tool, and the model does not contain
    // that list.
    let of_arch = rows(&stack, Backend::Arch, &path, None);
    assert!(
        of_arch.iter().any(|(about, _)| *about == About::Open),
        "{of_arch:?}"
    );
}

#[test]
fn libraries_that_the_recipe_does_not_name_are_told_and_those_that_nothing_needs() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(
        folder.path(),
        "rocrand",
        &["gfx1030"],
        &["rocblas", "numa", "unheard-of"],
        &[],
    );
    let said = rows(&stack, Backend::Gentoo, &path, Some("gfx1030"));
    let said: Vec<(About, &str)> = said
        .iter()
        .map(|(about, said)| (*about, said.as_str()))
        .collect();
    assert_eq!(
        said,
        [
            (
                About::Undeclared,
                "needs libnuma.so.1 of numactl, but the recipe of rocRAND does not depend on it"
            ),
            (
                About::Undeclared,
                "needs librocblas.so.1 of rocBLAS, but the recipe of rocRAND does not depend on it"
            ),
            (
                About::Unneeded,
                "the recipe links against clr, but none of these files needs it"
            ),
        ]
    );
}

#[test]
fn bundles_that_are_cut_or_that_no_runtime_reads_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let path = library(
        folder.path(),
        "rocrand",
        &["gfx1030"],
        &["amdhip64"],
        &["--offload-compress"],
    );
    let packed = rows(&stack, Backend::Gentoo, &path, Some("gfx1030"));
    assert!(
        packed.len() == 1 && packed[0].0 == About::Packed,
        "{packed:?}"
    );
    let bytes = fs::read(&path).unwrap();
    let cut = folder.path().join("cut/librocrand.so.1");
    fs::create_dir_all(cut.parent().unwrap()).unwrap();
    write_file(&cut, &bytes[..bytes.len() / 2]);
    let cut = rows(&stack, Backend::Gentoo, &cut, Some("gfx1030"));
    assert!(
        cut.iter().any(|(about, _)| *about == About::Damaged),
        "{cut:?}"
    );
}

#[test]
fn kernel_files_are_of_the_package_of_their_folder_and_a_library_without_code_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let stack = Stack::shipped().unwrap();
    let image = folder.path().join("image");
    let lib = image.join("usr/lib64");
    library(&lib, "rocblas", &["gfx1030"], &["amdhip64"], &[]);
    fs::create_dir_all(lib.join("rocblas/library")).unwrap();
    fs::copy(lib.join("kernel.o"), lib.join("rocblas/library/Kernels.o")).unwrap();
    let other = library(
        &folder.path().join("other"),
        "rocblas",
        &["gfx1100"],
        &["amdhip64"],
        &[],
    );
    fs::rename(
        other.with_file_name("kernel.o"),
        lib.join("rocblas/library/More.o"),
    )
    .unwrap();
    fs::remove_file(lib.join("kernel.o")).unwrap();
    let said = rows(&stack, Backend::Gentoo, &image, Some("gfx1030,gfx1100"));
    assert!(
        said.iter()
            .all(|(about, _)| !about.is_fault() && *about != About::Open),
        "{said:?}"
    );
    // Two tables of kernels are added. The target of one has code beside it, the target of the
    // other has none.
    write_file(
        lib.join("rocblas/library/TensileLibrary_lazy_gfx1100.dat"),
        "table",
    );
    write_file(
        lib.join("rocblas/library/TensileLibrary_lazy_gfx942.dat"),
        "table",
    );
    let said = rows(&stack, Backend::Gentoo, &image, Some("gfx1030,gfx1100"));
    let bare = "tables of kernels for gfx942, but no code for it in the same folder".to_owned();
    assert!(
        said.contains(&(About::Damaged, bare))
            && said.iter().filter(|row| row.0.is_fault()).count() == 1,
        "{said:?}"
    );
    let bare = library(
        &folder.path().join("bare"),
        "rocblas",
        &[],
        &["amdhip64"],
        &["--cuda-host-only"],
    );
    let said = rows(&stack, Backend::Gentoo, &bare, Some("gfx1030"));
    assert!(
        said.iter()
            .any(|(about, said)| *about == About::Open && said.starts_with("no code")),
        "{said:?}"
    );
}

#[test]
fn a_folder_of_kernels_that_lacks_a_target_of_its_library_is_told() {
    let stack = Stack::shipped().unwrap();
    for (name, kernels) in [
        (
            "rocblas",
            &[
                "library/TensileLibrary_lazy_{}.dat",
                "library/Kernels.so-000-{}.hsaco",
            ][..],
        ),
        ("hipblaslt", &["library/{}/extop_{}.co"][..]),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let lib = folder.path().join("usr/lib64");
        let both = ["gfx1030", "gfx90a:xnack-"];
        library(&lib, name, &both, &["amdhip64"], &[]);
        fs::remove_file(lib.join("kernel.o")).unwrap();
        let other = library(&folder.path().join("other"), "x", &["gfx1030"], &[], &[]);
        let code = other.with_file_name("kernel.o");
        let said = || -> Vec<String> {
            let rows = rows(
                &stack,
                Backend::Gentoo,
                &folder.path().join("usr"),
                Some("gfx1030,gfx90a"),
            );
            let damaged = rows
                .into_iter()
                .filter(|(about, _)| *about == About::Damaged);
            damaged.map(|(_, said)| said).collect()
        };
        // Without a folder of kernels, no kernels are missing.
        assert_eq!(said(), [""; 0]);
        let put = |target: &str| {
            for kernel in kernels {
                let path = lib.join(name).join(kernel.replace("{}", target));
                fs::create_dir_all(path.parent().unwrap()).unwrap();
                fs::copy(&code, &path).unwrap();
            }
        };
        put("gfx1030");
        let missing = format!("no kernels for gfx90a, but lib64/lib{name}.so.1 has code for it");
        assert_eq!(said(), [missing]);
        // A file with the target in its name counts as its kernels.
        write_file(lib.join(name).join("library/fallback_gfx90a.hsaco"), "");
        assert!(
            said().iter().all(|said| !said.starts_with("no kernels")),
            "{:?}",
            said()
        );
    }
}

#[test]
fn a_package_is_known_by_its_file_and_by_nothing_that_is_called_alike() {
    let stack = Stack::shipped().unwrap();
    let of = |backend, holder: &str| {
        let questions = stack.questions(backend, &Choice::Shipped).unwrap();
        questions
            .held_by(holder)
            .map(|(p, version)| format!("{} {version}", p.id))
    };
    let cases = [
        (
            Backend::Arch,
            "rocblas-7.2.4-2-x86_64.pkg.tar.zst",
            Some("rocblas 7.2.4"),
        ),
        (
            Backend::Arch,
            "hipblas-common-7.2.4-1-any.pkg.tar.zst",
            Some("hipblas-common 7.2.4"),
        ),
        (
            Backend::Gentoo,
            "rocBLAS-7.2.0-1.gpkg.tar",
            Some("rocblas 7.2.0"),
        ),
        (Backend::Gentoo, "hip-tests-7.2.0", None),
        (Backend::Nix, "rccl-tests-2.17", None),
        (Backend::Nix, "rocblas-7.2.3", Some("rocblas 7.2.3")),
        (
            Backend::Solus,
            "rocblas-devel-7.14.0-11-1-x86_64.eopkg",
            Some("rocblas 7.14.0"),
        ),
        (Backend::Solus, "rocprofiler-systems-1", None),
    ];
    for (backend, holder, expected) in cases {
        assert_eq!(of(backend, holder).as_deref(), expected, "{holder}");
    }
}
