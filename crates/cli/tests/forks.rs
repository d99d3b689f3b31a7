//! Tests of `rocpkg bump` in a checkout: which recipes are forks of which packages, and checksums
//! from a file.

use crate::checkout::{overlay, rocpkg};
use crate::done::{ebuild, rendered};
use rocpkg_test_support::{commit, write_file};
use std::fs;

#[test]
fn a_fork_is_edited_as_its_package() {
    let dir = overlay(&["rocfft"], "7.1.1");
    let root = dir.path();
    let file = ebuild(root, "sci-libs/rocFFT", "7.1.1");
    let fork = root.join("dev-mine/rocfft-gfx803");
    fs::create_dir_all(root.join("dev-mine")).unwrap();
    fs::rename(file.parent().unwrap(), &fork).unwrap();
    fs::rename(
        fork.join(file.file_name().unwrap()),
        fork.join("rocfft-gfx803-7.1.1.ebuild"),
    )
    .unwrap();
    commit(root);
    // The package can also be named by the recipe's folder.
    for package in ["rocfft", "rocfft-gfx803"] {
        let (status, said) = rocpkg(root, &["bump", "7.2.4", package]);
        assert_eq!(status, 0, "{said}");
        for what in [
            "dev-mine/rocfft-gfx803: a recipe of rocfft",
            "  dev-mine/rocfft-gfx803  done",
        ] {
            assert!(said.contains(what), "{what}: {said}");
        }
    }
    let text = fs::read_to_string(ebuild(root, "dev-mine/rocfft-gfx803", "7.2.4")).unwrap();
    assert!(text.contains("S=\"${WORKDIR}/rocfft\"\n"), "{text}");
    assert!(!root.join("sci-libs/rocFFT").exists());
}

#[test]
fn a_table_names_the_packages_of_forks() {
    let dir = overlay(&["rocfft"], "7.1.1");
    let root = dir.path();
    let settings = root.join("rocpkg.toml");
    let text = fs::read_to_string(&settings).unwrap();
    let file = ebuild(root, "sci-libs/rocFFT", "7.1.1");
    fs::create_dir_all(root.join("sci-libs/fourier")).unwrap();
    fs::rename(&file, root.join("sci-libs/fourier/fourier-7.1.1.ebuild")).unwrap();
    fs::remove_dir_all(root.join("sci-libs/rocFFT")).unwrap();
    for (table, status, said) in [
        (
            "[recipes]\nfourier = \"rocft\"\n",
            2,
            "did you mean `rocfft`?",
        ),
        (
            "[recipes]\nfourrier = \"rocfft\"\n",
            2,
            "no recipe is in a folder `fourrier`",
        ),
        (
            "[recipes]\nfourier = \"rocfft\"\n",
            0,
            "sci-libs/fourier: a recipe of rocfft",
        ),
    ] {
        write_file(&settings, format!("{text}\n{table}"));
        let done = rocpkg(root, &["bump", "7.2.4", "rocfft"]);
        assert_eq!(done.0, status, "{}", done.1);
        assert!(done.1.contains(said), "{said}: {}", done.1);
    }
}

#[test]
fn a_recipe_that_names_no_package_is_no_fork() {
    let dir = rendered("arch", "rocm-cmake", "7.2.3");
    let root = dir.path();
    let recipe = |name: &str, repository: &str, more: &str| {
        fs::create_dir_all(root.join(name)).unwrap();
        let text = format!(
            "pkgname={name}\npkgver=7.2.3\npkgrel=1\narch=(x86_64)\n{more}\
             source=(\"{repository}::git+https://github.com/ROCm/{repository}.git#tag=rocm-$pkgver\")\n\
             sha256sums=(SKIP)\n"
        );
        write_file(root.join(name).join("PKGBUILD"), text);
    };
    // hipDNN is the only package that the model fetches from rocm-libraries at this release.
    let none = [
        "foo",
        "hipblas7",
        "lib32-hipblas",
        "my-hipblas",
        "rocm-origami",
    ];
    for name in none {
        recipe(name, "rocm-libraries", "");
    }
    recipe("tensor-gemm", "Tensile", "");
    recipe("hipdnn-debug", "rocm-libraries", "");
    recipe("mine", "Tensile", "provides=(tensile)\n");
    commit(root);
    let (_, said) = rocpkg(root, &["compare"]);
    for name in none.iter().chain(&["tensor-gemm"]) {
        let left = format!("{name}: left as it is: its name is that of no package that is fetched");
        assert!(said.contains(&left), "{name}: {said}");
    }
    let line = "the line `\"lib32-hipblas\" = \"hipblas\"` below [recipes] in rocpkg.toml takes it";
    assert!(said.contains(line), "{said}");
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "--allow-guesses"]);
    for fork in [
        "hipdnn-debug: a recipe of hipdnn\n",
        "mine: a recipe of tensile\n",
    ] {
        assert!(said.contains(fork), "{fork}: {said}");
    }
    assert_eq!(said.matches(": a recipe of ").count(), 2, "{said}");
    for name in none.iter().chain(&["tensor-gemm"]) {
        let text = fs::read_to_string(root.join(name).join("PKGBUILD")).unwrap();
        assert!(text.contains("pkgver=7.2.3\n"), "{text}");
    }
}

#[test]
fn a_package_with_a_live_ebuild_only_is_told_as_that() {
    let dir = overlay(&["rocblas", "rocfft"], "7.1.1");
    let root = dir.path();
    let file = ebuild(root, "sci-libs/rocBLAS", "7.1.1");
    fs::rename(&file, file.with_file_name("rocBLAS-9999.ebuild")).unwrap();
    commit(root);
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "rocblas"]);
    assert_eq!(status, 2, "{said}");
    assert!(
        said.contains("rocBLAS: only a live ebuild is in this folder"),
        "{said}"
    );
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "hipblas"]);
    assert!(
        status == 2 && said.contains("no recipe of hipblas is in this folder"),
        "{said}"
    );
}

#[test]
fn a_bump_of_a_checkout_takes_sums_from_a_file() {
    let dir = rendered("arch", "hipblas", "7.2.3");
    let root = dir.path();
    commit(root);
    let bump = ["bump", "10.9.0", "hipblas", "--allow-guesses", "--sums"];
    let (status, said) = rocpkg(root, &[&bump[..], &["no/such/file"]].concat());
    assert!(status == 2 && said.contains("no/such/file"), "{said}");
    let sum = "7".repeat(64);
    let file = root.join("sums.yaml");
    write_file(
        &file,
        format!("rocm-libraries/asset/hipblas: {{sha256: {sum}}}\n"),
    );
    for _ in 0..2 {
        let (_, said) = rocpkg(root, &[&bump[..], &["sums.yaml"]].concat());
        assert!(!said.contains("lacks"), "{said}");
        let text = fs::read_to_string(root.join("hipblas/PKGBUILD")).unwrap();
        assert!(text.contains(&sum), "{text}");
    }
    // A checksum that differs from the one of the first bump is refused.
    write_file(
        &file,
        format!(
            "rocm-libraries/asset/hipblas: {{sha256: {}}}\n",
            "8".repeat(64)
        ),
    );
    let (status, said) = rocpkg(root, &[&bump[..], &["sums.yaml"]].concat());
    assert!(
        status == 2 && said.contains("already has another sha256"),
        "{said}"
    );
}

#[test]
fn questions_in_a_checkout_are_about_its_distribution_and_packages() {
    let dir = rendered("arch", "hipblas", "7.2.3");
    let root = dir.path();
    // Without settings, the recipes state the distribution.
    fs::remove_file(root.join("rocpkg.toml")).unwrap();
    for (command, said) in [
        (
            &["order", "--changed", "rocblas"][..],
            "arch 7.2.3: 1 package after rocblas",
        ),
        (
            &["order", "--changed", "hipblas"],
            "no package here depends on hipblas\n",
        ),
        (&["sums"], "1 to fetch, 1 with an unknown checksum; --fetch"),
        (&["trackers"], "[\"hipblas\"]\n"),
        (&["gpu", "gfx1030"], "  arch 7.2.3: "),
        (&["plan", "build"], "arch 7.2.3: 1 builds"),
    ] {
        let (status, told) = rocpkg(root, command);
        let expected = i32::from(command[0] == "sums");
        assert!(
            status == expected && told.contains(said),
            "{command:?}: {told}"
        );
        assert!(!told.contains("gentoo"), "{command:?}: {told}");
    }
}

#[test]
fn a_fork_that_is_named_moves_alone() {
    let dir = rendered("arch", "rocm-cmake", "7.2.3");
    let root = dir.path();
    for name in ["rocfft-gfx803", "rocfft-gfx900"] {
        fs::create_dir_all(root.join(name)).unwrap();
        let text = format!(
            "_pkgname=rocfft\npkgname={name}\npkgver=7.2.3\npkgrel=1\narch=(x86_64)\n\
             source=(\"git+https://github.com/ROCm/rocm-libraries.git#tag=rocm-$pkgver\")\n\
             sha256sums=(SKIP)\n"
        );
        write_file(root.join(name).join("PKGBUILD"), text);
    }
    commit(root);
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "rocfft-gfx803/PKGBUILD"]);
    assert!(said.contains("of 1 recipe"), "{said}");
    let other = fs::read_to_string(root.join("rocfft-gfx900/PKGBUILD")).unwrap();
    assert!(other.contains("pkgver=7.2.3"), "{said}");
    let (_, said) = rocpkg(root, &["compare", "rocfft-gfx900"]);
    assert!(
        said.contains("of 1 recipe") && !said.contains(": pkgname\n"),
        "{said}"
    );
    let (_, said) = rocpkg(root, &["bump", "7.2.4", "rocfft", "--dry-run", "--stat"]);
    assert!(said.contains("of 2 recipes"), "{said}");
    let (status, said) = rocpkg(root, &["bump", "7.2.4", "rocfft/PKGBUILD", "--dry-run"]);
    assert!(status == 2 && said.contains("no such file"), "{said}");
}
