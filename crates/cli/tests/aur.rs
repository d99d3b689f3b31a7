//! Tests of checkouts of a single PKGBUILD, as the AUR has them, and of PKGBUILDs that the model
//! has no recipe for: each is edited, or left as it is with its reason.

use crate::checkout::rocpkg;
use rocpkg_test_support::{commit, write_file};
use std::fs;

/// The former owner of most repositories, in whose name old recipes fetch.
const OLD: &str = "https://github.com/ROCmSoftwarePlatform";

/// Returns a PKGBUILD of the version, with further lines, that fetches from the addresses.
fn pkgbuild(name: &str, version: &str, more: &str, addresses: &[&str]) -> String {
    let sources: Vec<String> = addresses.iter().map(|a| format!("\"{a}\"")).collect();
    let sums = vec!["SKIP"; addresses.len()].join(" ");
    format!(
        "{more}pkgname={name}\npkgver={version}\npkgrel=1\npkgdesc='Part of ROCm'\narch=(x86_64)\n\
         url='https://rocm.docs.amd.com'\nlicense=(MIT)\nsource=({})\nsha256sums=({sums})\n\
         package() {{\n  true\n}}\n",
        sources.join(" ")
    )
}

#[test]
fn each_recipe_of_the_aur_is_edited_or_left_with_its_reason() {
    let archive = |repository: &str| format!("{OLD}/{repository}/archive/rocm-$pkgver.tar.gz");
    let (rocblas, tensile) = (archive("rocBLAS"), archive("Tensile"));
    let git = |repository: &str| format!("git+https://github.com/ROCm/{repository}.git");
    let named = "_pkgname=rocblas\n";
    let live = "pkgver() {\n  git describe\n}\n";
    let libraries = "https://github.com/ROCm/rocm-libraries/archive/rocm-$pkgver.tar.gz";
    let deb = "https://repo.radeon.com/rocm/apt/7.2/pool/main/r/rocm-llvm-alt_22.deb";
    let recipes = [
        (
            "rocblas-gfx1010-backend",
            "5.6.1",
            named,
            vec![rocblas.as_str(), &tensile],
        ),
        (
            "rocblas-gfx1011-backend",
            "7.1.1",
            named,
            vec![&rocblas, &tensile],
        ),
        (
            "rocblas-gfx1031",
            "6.4.1",
            "provides=(rocblas)\n",
            vec![&rocblas],
        ),
        ("rocwmma-gfx1103", "7.2.3", "", vec![libraries]),
        ("lib32-rocblas", "7.2.3", "", vec![libraries]),
        ("rocm-llvm-git", "7.2.r1", live, vec![&git("llvm-project")]),
        ("rocm-llvm-alt-bin", "7.2.0", "", vec![deb]),
        ("comgr", "7.2.3", "", vec![&git("llvm-project")]),
        (
            "rocm-validation-suite",
            "7.2.3",
            "",
            vec![&git("ROCmValidationSuite")],
        ),
        ("miopengemm", "5.5.0", "", vec![&archive("MIOpenGEMM")]),
        (
            "ollama",
            "0.13.0",
            "",
            vec!["git+https://github.com/ollama/ollama"],
        ),
    ]
    .map(|(name, version, more, from)| (name, pkgbuild(name, version, more, &from)));
    // All in one checkout, then each as the checkout of one package.
    let dir = tempfile::tempdir().unwrap();
    for (name, text) in &recipes {
        fs::create_dir(dir.path().join(name)).unwrap();
        write_file(dir.path().join(name).join("PKGBUILD"), text);
    }
    let (_, mut said) = rocpkg(dir.path(), &["init", "arch"]);
    commit(dir.path());
    for (name, text) in &recipes {
        let dir = tempfile::tempdir().unwrap();
        write_file(dir.path().join("PKGBUILD"), text);
        rocpkg(dir.path(), &["init", "arch"]);
        commit(dir.path());
        let (status, told) = rocpkg(dir.path(), &["bump", "7.2.4", "--dry-run", "--stat"]);
        let told = told.replace(dir.path().to_str().unwrap(), "CHECKOUT");
        said += &format!("\n{name}: {status}\n{told}");
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_folder_of_any_name_stays_in_its_comment() {
    let dir = tempfile::tempdir().unwrap();
    let name = "lib32-\"rocblas\nversions = []";
    fs::create_dir(dir.path().join(name)).unwrap();
    let from = "https://github.com/ROCm/rocBLAS/archive/rocm-$pkgver.tar.gz";
    let text = pkgbuild("lib32-rocblas", "7.1.1", "", &[from]);
    write_file(dir.path().join(name).join("PKGBUILD"), text);
    rocpkg(dir.path(), &["init", "arch"]);
    let settings = fs::read_to_string(dir.path().join("rocpkg.toml")).unwrap();
    let line = r#"# "lib32-\"rocblas\u000Aversions = []" = "rocblas""#;
    assert!(settings.lines().any(|own| own == line), "{settings}");
    let (status, said) = rocpkg(dir.path(), &["bump", "7.2.4", "--dry-run"]);
    assert!(status == 2 && said.contains("no recipe moves"), "{said}");
}
