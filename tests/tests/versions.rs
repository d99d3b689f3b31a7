//! Versions of a package side by side are written, compared and pruned, and Portage resolves each.

use rocpkg::checkout::Output;
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Options, Stack, Tree};
use rocpkg_tests::{Finding, GentooWorld, Level, Pretend, companion, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use tempfile::TempDir;

const VERSIONS: [&str; 4] = ["7.1.1", "7.2.0", "7.2.4", "9999"];

/// rocBLAS with all packages that it depends on, and two further libraries.
const PACKAGES: [&str; 15] = [
    "rocm-cmake",
    "rocm-core",
    "rocm-device-libs",
    "hipcc",
    "rocm-comgr",
    "rocr-runtime",
    "rocminfo",
    "hipother",
    "hip",
    "hipblas-common",
    "tensile",
    "hipblaslt",
    "rocblas",
    "rocsolver",
    "rocsparse",
];

/// Returns the shipped model with a layer over Gentoo's file.
fn stack(distro: &str) -> Stack {
    let over = [("distros/gentoo.yaml".to_owned(), distro.to_owned())];
    Stack::shipped().unwrap().texts("over", over.into())
}

fn everything() -> Options {
    Options {
        backends: vec![Backend::Gentoo],
        ..Options::everything()
    }
}

/// Returns the options that render the packages in some versions.
fn packages(choices: &[Choice]) -> Options {
    let packages = PACKAGES.map(str::to_owned).to_vec();
    Options {
        choices: choices.to_vec(),
        packages,
        ..everything()
    }
}

/// Returns the file names of a package's ebuilds in a tree.
fn ebuilds<'t>(tree: &'t Tree, folder: &str) -> Vec<&'t str> {
    let names = tree
        .files
        .iter()
        .filter_map(|(path, _)| path.as_str().strip_prefix(folder));
    names.filter(|name| name.ends_with(".ebuild")).collect()
}

/// Writes a tree, and stand-ins for the files that users supply. Returns the number of files that
/// were written, and the number of files that were removed.
fn write(stack: &Stack, tree: &Tree, out: &Path, output: &Output) -> (usize, usize) {
    for c in &tree.companions {
        let path = out.join(&c.path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        write_file(path, companion(c.path.split_once('/').unwrap().1));
    }
    let report = stack.write(tree, out, output).unwrap().report;
    (report.written.len(), report.removed.len())
}

#[test]
fn four_versions_lie_side_by_side_and_portage_resolves_each() {
    let stack = Stack::shipped().unwrap();
    let choices = VERSIONS.map(|v| v.parse::<Choice>().unwrap());
    let tree = stack.render(&packages(&choices)).unwrap();
    assert_eq!(
        ebuilds(&tree, "gentoo/sci-libs/rocBLAS/"),
        VERSIONS.map(|version| format!("rocBLAS-{version}.ebuild"))
    );
    assert_eq!(
        ebuilds(&tree, "gentoo/sci-libs/rocSPARSE/").len(),
        3,
        "it has no live version"
    );

    let out = TempDir::new().unwrap();
    let output = Output::default();
    let (written, _) = write(&stack, &tree, out.path(), &output);
    assert!(written > 80, "{written}");
    assert!(
        stack
            .compare(&tree, out.path(), &output)
            .unwrap()
            .differences
            .is_empty()
    );
    let pruned = Output {
        prune: true,
        ..output.clone()
    };
    assert_eq!(write(&stack, &tree, out.path(), &pruned), (0, 0));

    let world = GentooWorld::with_own_externals(&out.path().join("gentoo"));
    let mut asked = Vec::new();
    for package in [
        "sci-libs/rocBLAS",
        "dev-util/rocminfo",
        "dev-util/hip",
        "dev-util/Tensile",
    ] {
        for version in VERSIONS {
            asked.push(format!("={package}-{version}*"));
        }
    }
    let question = |atom: &String| {
        // The default is LLVM 22, which does not fit ROCm 7.1.
        let llvm = ["*/* LLVM_SLOT: -* 20".to_owned()];
        let package_use = if atom.contains("-7.1") {
            &llvm[..]
        } else {
            &[]
        };
        let question = Pretend::new(&[atom], &["gfx1100"], package_use);
        if atom.ends_with("9999*") {
            question.live()
        } else {
            question
        }
    };
    let answers = world.emerge_pretend_each(&asked.iter().map(question).collect::<Vec<_>>());
    for (atom, answer) in asked.iter().zip(answers) {
        let plan = answer.unwrap_or_else(|e| panic!("{atom}: {e}"));
        assert!(
            plan.contains(atom.trim_matches(['=', '*'])),
            "{atom}\n{plan}"
        );
    }
    let cpv = |version: &str| format!("sci-libs/rocBLAS-{version}");
    let read = |version| world.metadata(&cpv(version), &["SLOT", "KEYWORDS", "PROPERTIES"]);
    assert_eq!(read("7.2.4"), ["0/7.2", "~amd64", ""]);
    assert_eq!(read("9999"), ["0/9999", "", "live"]);

    // Without the oldest version, pruning removes the files that only this version needs.
    let tree = stack.render(&packages(&choices[1..])).unwrap();
    assert_eq!(
        write(&stack, &tree, out.path(), &pruned),
        (0, PACKAGES.len())
    );
    let gone = |name: &str| !out.path().join("gentoo").join(name).exists();
    assert!(
        gone("sci-libs/rocBLAS/rocBLAS-7.1.1.ebuild")
            && !gone("sci-libs/rocBLAS/rocBLAS-7.2.0.ebuild")
    );
    let manifest = fs::read_to_string(out.path().join("gentoo/sci-libs/rocBLAS/Manifest")).unwrap();
    assert!(
        manifest.contains("-7.2.4.tar.gz") && !manifest.contains("-7.1.1.tar.gz"),
        "{manifest}"
    );
}

#[test]
fn pkgcheck_has_no_more_to_say_of_several_versions() {
    let layer = "versions: [7.2.0, 7.2.4, 9999]\n";
    let stack = stack(layer);
    let tree = stack.render(&everything()).unwrap();
    let out = TempDir::new().unwrap();
    write(&stack, &tree, out.path(), &Output::default());
    // The same findings as for one version: unknown checksums, companions that the test makes up,
    // and a flag that ::gentoo describes.
    let allowed = ["MissingManifest", "UnderscoreInUseFlag", "UnknownManifest"];
    let found = GentooWorld::with_own_externals(&out.path().join("gentoo")).pkgcheck_scan();
    // ::gentoo has the archive of rocr-runtime under this name, too.
    let twice =
        |f: &Finding| f.name == "MatchingChksums" && f.package.contains("/roct-thunk-interface-");
    let rest = found
        .into_iter()
        .filter(|f| f.level != Level::Info && !twice(f));
    let rest = rest.filter(|f| !allowed.contains(&f.name.as_str()));
    let rest: Vec<String> = rest.map(|f| f.to_string()).collect();
    assert!(rest.is_empty(), "{}", rest.join("\n"));
}

#[test]
fn a_package_has_its_own_versions() {
    let stack = stack(
        "versions: [7.1.1, 7.2.0, 7.2.4]
packages: {rocminfo: [default, 9999], rocrand: 7.1.1}
",
    );
    let tree = stack.render(&everything()).unwrap();
    let versions = |folder| ebuilds(&tree, folder);
    assert_eq!(
        versions("gentoo/sci-libs/rocBLAS/"),
        [
            "rocBLAS-7.1.1.ebuild",
            "rocBLAS-7.2.0.ebuild",
            "rocBLAS-7.2.4.ebuild"
        ]
    );
    assert_eq!(
        versions("gentoo/dev-util/rocminfo/"),
        ["rocminfo-7.2.0.ebuild", "rocminfo-9999.ebuild"]
    );
    assert_eq!(
        versions("gentoo/sci-libs/rocRAND/"),
        ["rocRAND-7.1.1.ebuild"]
    );
    // A revision in an overlay belongs to the shipped version.
    assert!(versions("gentoo/dev-util/Tensile/").contains(&"Tensile-7.2.0-r1.ebuild"));
}

#[test]
fn metadata_tells_the_flags_of_all_versions() {
    let over = "features:\n  old: {summary: Of 7.1, releases: '<7.2'}\n  new: {summary: Of 7.2, releases: '>=7.2'}\n";
    let over = [("distros/gentoo/rocminfo.yaml".to_owned(), over.to_owned())];
    let stack = Stack::shipped().unwrap().texts("over", over.into());
    let choices = ["7.1.1", "7.2.4", "9999"].map(|v| v.parse::<Choice>().unwrap());
    let tree = stack
        .render(&Options {
            choices: choices.to_vec(),
            ..everything()
        })
        .unwrap();
    let text = tree.text("gentoo/dev-util/rocminfo/metadata.xml").unwrap();
    let flags: Vec<&str> = text
        .lines()
        .filter(|l| l.contains("<flag "))
        .map(str::trim)
        .collect();
    assert_eq!(
        flags,
        [
            "<flag name=\"new\">Of 7.2</flag>",
            "<flag name=\"old\">Of 7.1</flag>"
        ]
    );
    assert!(
        text.contains(">ROCm/rocm-systems<"),
        "the newest tells where upstream lives: {text}"
    );
}

#[test]
fn what_has_no_such_version_is_refused() {
    let render = |options: Options| {
        Stack::shipped()
            .unwrap()
            .render(&options)
            .unwrap_err()
            .to_string()
    };
    let live = |backend, packages| {
        render(Options {
            backends: vec![backend],
            choices: vec![Choice::Live],
            packages,
            ..Options::everything()
        })
    };
    assert!(live(Backend::Gentoo, vec!["rocsparse".to_owned()]).contains("`rocsparse`"));
    assert!(live(Backend::Solus, Vec::new()).contains("solus has one"));
    let choices = vec![Choice::Shipped, "7.2.4".parse().unwrap()];
    assert!(
        render(Options {
            choices,
            ..Options::everything()
        })
        .contains("arch has one release")
    );
}

/// Packages that were made for other releases are left out, each with a reason. The others are
/// rendered, in each distribution and at each release of the model.
#[test]
fn each_distribution_is_rendered_at_each_release() {
    let stack = Stack::shipped().unwrap();
    let lines = stack.model().lines.values();
    let releases: Vec<&String> = lines.flat_map(|line| line.versions.keys()).collect();
    assert!(releases.len() > 25);
    let options = |backend, release: &str| Options {
        backends: vec![backend],
        choices: vec![Choice::Release(release.parse().unwrap())],
        allow_missing: true,
        ..Options::default()
    };
    let faults = rocpkg::internal::beside_each_other(Backend::ALL, |backend| {
        let faults = releases.iter().filter_map(|release| {
            let fault = stack.render(&options(backend, release)).err()?;
            Some(format!("{backend:?} {release}: {fault}"))
        });
        faults.collect::<Vec<_>>()
    });
    assert_eq!(faults.concat(), Vec::<String>::new());
    let reasons = |release: &str| {
        let choice = Choice::Release(release.parse().unwrap());
        let plan = stack.plan(Backend::Gentoo, &choice).unwrap();
        let all = plan.absent.iter();
        let all = all.map(|(id, absent)| format!("{id}: {}", absent.reason));
        all.collect::<Vec<_>>()
    };
    let expected = [
        "caffe2: it needs hip >=6.3, <7.3",
        "hipblas-common: it is made for ROCm >=6.3",
        "ik_llama-cpp: it is made for ROCm >=6.4.3",
        "llama-cpp: it needs hip >=7.1",
        "ollama: it is made for ROCm >=6.4.3",
        "stable-diffusion-cpp: it is made for ROCm >=6.4.3",
    ];
    assert_eq!(reasons("6.0.2"), expected);
    assert_eq!(reasons("6.4.4"), expected[3..4]);
    assert!(reasons("7.2.4").is_empty());
    let named = Options {
        packages: vec!["llama-cpp".to_owned()],
        ..options(Backend::Gentoo, "6.4.4")
    };
    let error = stack.render(&named).unwrap_err().to_string();
    assert_eq!(
        error,
        "gentoo has no `llama-cpp` at ROCm 6.4.4: it needs hip >=7.1"
    );
}

/// Gentoo moves no package between categories, so its ebuilds of all releases are in one folder.
#[test]
fn a_package_of_gentoo_is_in_one_category_at_all_releases() {
    let stack = Stack::shipped().unwrap();
    let lines = stack.model().lines.values();
    let mut categories: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for release in lines.flat_map(|line| line.versions.keys()) {
        let choice = Choice::Release(release.parse().unwrap());
        let plan = stack.plan(Backend::Gentoo, &choice).unwrap();
        for p in &plan.packages {
            let all = categories.entry(p.id.clone()).or_default();
            all.insert(rocpkg::gentoo::internal::category(&plan, p));
        }
    }
    categories.retain(|_, all| all.len() > 1);
    assert!(categories.is_empty(), "{categories:?}");
}
