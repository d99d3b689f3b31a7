//! A bump in a maintainer's own overlay: files of others stay unchanged, and Portage accepts the
//! new files.

use crate::stack::tree;
use rocpkg::checkout::{Eclass, Output, Written};
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Options, Stack, Tree};
use rocpkg_tests::{GentooWorld, Level, commit, copy_tree, git, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

fn put(path: &Path, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_file(path, text);
}

/// Makes an overlay with a layout of its own, a package that rocpkg does not have, and three
/// versions of rocBLAS with manual edits.
fn overlay(root: &Path) {
    copy_tree(&tree("gentoo"), root);
    put(&root.join("profiles/repo_name"), "somebody\n");
    put(
        &root.join("metadata/layout.conf"),
        "# Ours\nthin-manifests = true\nmasters = gentoo\n",
    );
    let own = "EAPI=8\n\nDESCRIPTION=\"Theirs\"\nHOMEPAGE=\"https://example.org\"\n\nLICENSE=\"MIT\"\nSLOT=\"0\"\nKEYWORDS=\"~amd64\"\n";
    put(&root.join("dev-util/theirs/theirs-1.ebuild"), own);
    let folder = root.join("sci-libs/rocBLAS");
    let text = fs::read_to_string(folder.join("rocBLAS-7.2.0.ebuild")).unwrap();
    let by_hand = |text: &str, years: &str, keywords: &str| {
        let text = text.replace("# Copyright 1999-", &format!("# Copyright {years}-"));
        text.replace("KEYWORDS=\"~amd64\"", &format!("KEYWORDS=\"{keywords}\""))
    };
    put(
        &folder.join("rocBLAS-7.2.0.ebuild"),
        &by_hand(&text, "2019", "~amd64 ~arm64"),
    );
    let older = text.replace("IUSE=\"benchmark", "IUSE=\"old benchmark");
    put(
        &folder.join("rocBLAS-7.1.1-r2.ebuild"),
        &by_hand(&older, "2019", "amd64 ~arm64"),
    );
    put(
        &folder.join("rocBLAS-7.1.0.ebuild"),
        &by_hand(&older, "2019", "amd64"),
    );
    let metadata = fs::read_to_string(folder.join("metadata.xml")).unwrap();
    let flag = "<use>\n\t\t<flag name=\"old\">In the old versions</flag>";
    put(
        &folder.join("metadata.xml"),
        &metadata.replace("<use>", flag).replacen(
            "\t\t<flag name=\"benchmark\">Build the benchmarks</flag>\n",
            "",
            1,
        ),
    );
    put(
        &folder.join("Manifest"),
        "DIST rocblas-7.1.1.tar.gz 1 BLAKE2B aa SHA512 bb\n",
    );
    commit(root);
}

/// Returns the options that render one distribution.
fn of(backend: Backend) -> Options {
    Options {
        backends: vec![backend],
        ..Options::default()
    }
}

/// Returns the options that render rocBLAS alone.
fn rocblas(backend: Backend) -> Options {
    Options {
        packages: vec!["rocblas".to_owned()],
        ..of(backend)
    }
}

fn bump(root: &Path, release: &str, output: &Output) -> (Stack, Tree, Written) {
    let stack = Stack::shipped().unwrap();
    let choice = Choice::Release(release.parse().unwrap());
    let packages = ["rocblas", "tensile", "hip"].map(str::to_owned).to_vec();
    let options = Options {
        choices: vec![choice],
        packages,
        allow_missing: true,
        ..of(Backend::Gentoo)
    };
    let tree = stack.render(&options).unwrap_or_else(|e| panic!("{e}"));
    let written = stack
        .write(&tree, root, output)
        .unwrap_or_else(|e| panic!("{e}"));
    (stack, tree, written)
}

fn output(root: &Path) -> Output {
    let checkout = Some(
        Stack::shipped()
            .unwrap()
            .checkout(Backend::Gentoo, root, &BTreeMap::new())
            .unwrap(),
    );
    Output {
        checkout,
        eclass: Some(Eclass::Rows),
        ..Output::default()
    }
}

#[test]
fn a_bump_adds_ebuilds_and_lines_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    overlay(root);
    let faults = |root: &Path| -> BTreeSet<String> {
        let found = GentooWorld::with_own_externals(root).pkgcheck_scan();
        found
            .into_iter()
            .filter(|f| f.level != Level::Info)
            .map(|f| f.name)
            .collect()
    };
    let before = faults(root);
    let (stack, tree, _) = bump(root, "7.2.4", &output(root));
    let mut status: Vec<String> = git(root, &["status", "--short"])
        .lines()
        .map(str::to_owned)
        .collect();
    status.sort();
    insta::assert_snapshot!(status.join("\n"));
    assert_eq!(git(root, &["diff", "--diff-filter=D"]), "");
    let changed = git(root, &["diff", "--numstat"]);
    assert!(
        changed
            .lines()
            .all(|line| line.split('\t').nth(1) == Some("0")),
        "lines went away:\n{changed}"
    );
    let text = fs::read_to_string(root.join("sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild")).unwrap();
    assert!(
        text.starts_with("# Copyright 2019-2026 Gentoo Authors\n"),
        "{text}"
    );
    assert!(text.contains("\nKEYWORDS=\"~amd64 ~arm64\"\n"), "{text}");
    // A second run finds no difference and writes nothing.
    assert_eq!(
        stack
            .compare(&tree, root, &output(root))
            .unwrap()
            .differences,
        []
    );
    assert_eq!(
        bump(root, "7.2.4", &output(root)).2.report.written,
        Vec::<String>::new()
    );
    assert_eq!(
        faults(root).difference(&before).collect::<Vec<_>>(),
        Vec::<&String>::new()
    );
    let world = GentooWorld::with_own_externals(root);
    let read = world.metadata("sci-libs/rocBLAS-7.2.4", &["SLOT", "KEYWORDS"]);
    assert_eq!(read, ["0/7.2", "~amd64 ~arm64"]);
    let plan = world
        .emerge_pretend(&["=sci-libs/rocBLAS-7.2.4"], &["gfx1100"], &[])
        .unwrap();
    assert!(plan.contains(" sci-libs/rocBLAS-7.2.4"), "{plan}");
}

#[test]
fn keywords_and_revisions_of_a_version_are_its_own() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    overlay(root);
    bump(root, "7.2.4", &output(root));
    let folder = root.join("sci-libs/rocBLAS");
    // A maintainer marks the version as stable, in a new revision.
    let text = fs::read_to_string(folder.join("rocBLAS-7.2.4.ebuild")).unwrap();
    fs::remove_file(folder.join("rocBLAS-7.2.4.ebuild")).unwrap();
    let stable = text.replace("KEYWORDS=\"~amd64 ~arm64\"", "KEYWORDS=\"amd64 ~arm64\"");
    put(&folder.join("rocBLAS-7.2.4-r1.ebuild"), &stable);
    commit(root);
    let written = bump(root, "7.2.4", &output(root)).2;
    assert_eq!(written.report.written, Vec::<String>::new());
    assert_eq!(git(root, &["status", "--short"]), "");
    // A manual edit stays when the same release is rendered, and is copied to the next release.
    let text = fs::read_to_string(folder.join("rocBLAS-7.2.0.ebuild")).unwrap();
    put(
        &folder.join("rocBLAS-7.2.0.ebuild"),
        &text.replace("\nLICENSE", "\n# Theirs\nLICENSE"),
    );
    let stack = Stack::shipped().unwrap();
    let options = Options {
        allow_missing: true,
        ..rocblas(Backend::Gentoo)
    };
    let tree = stack.render(&options).unwrap();
    assert_eq!(
        stack
            .write(&tree, root, &output(root))
            .unwrap()
            .report
            .written,
        Vec::<String>::new()
    );
    fs::remove_file(folder.join("rocBLAS-7.2.4-r1.ebuild")).unwrap();
    bump(root, "7.2.4", &output(root));
    let next = fs::read_to_string(folder.join("rocBLAS-7.2.4.ebuild")).unwrap();
    assert!(next.contains("\n# Theirs\nLICENSE"), "{next}");
}

#[test]
fn an_eclass_of_a_master_is_not_written_and_rows_alone_change_in_somebodys() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path();
    overlay(root);
    let eclass = root.join("eclass/rocm.eclass");
    let text = fs::read_to_string(&eclass)
        .unwrap()
        .replace("official=", "official_amdgpu_targets=");
    // These tests are for the rendered eclass, not for this one.
    let tests = root.join("eclass/tests/rocm.sh");
    fs::remove_file(&tests).unwrap();
    let text = text.replace("\t\t7.", "\t\t# Ours\n\t\t8.*)\n\t\t\tofficial_amdgpu_targets=( gfx1100 )\n\t\t\tunofficial_amdgpu_targets=()\n\t\t\t;;\n\t\t7.");
    write_file(&eclass, &text);
    commit(root);
    bump(root, "7.2.4", &output(root));
    assert_eq!(
        fs::read_to_string(&eclass).unwrap(),
        text,
        "nothing is new in it"
    );
    // A row of other targets is the maintainer's choice.
    let own = text.replace("gfx1201", "");
    write_file(&eclass, &own);
    bump(root, "7.2.4", &output(root));
    assert_eq!(fs::read_to_string(&eclass).unwrap(), own);
    // Now a master has the eclass.
    put(&root.join("metadata/layout.conf"), "masters = gentoo\n");
    fs::remove_file(&eclass).unwrap();
    bump(
        root,
        "7.2.4",
        &Output {
            eclass: None,
            ..output(root)
        },
    );
    assert!(!eclass.exists() && !tests.exists());
}

#[test]
fn a_fresh_clone_knows_nothing_of_us_and_nothing_is_in_the_way() {
    let (dir, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    overlay(dir.path());
    bump(dir.path(), "7.2.4", &output(dir.path()));
    commit(dir.path());
    let clone = other.path().join("clone");
    git(
        other.path(),
        &[
            "clone",
            "--quiet",
            dir.path().to_str().unwrap(),
            clone.to_str().unwrap(),
        ],
    );
    assert_eq!(
        bump(&clone, "7.2.4", &output(&clone)).2.report.written,
        Vec::<String>::new()
    );
    assert_eq!(git(&clone, &["status", "--short"]), "");
}
