//! Tests of the eclass of GPU targets in an overlay of Gentoo.

use crate::checkout::{edit, fine, overlay, rocpkg};
use rocpkg_test_support::{commit, write_file};
use std::fs;

#[test]
fn a_bump_brings_the_targets_of_its_release_alone() {
    let dir = overlay(&["rocblas"], "7.1.1");
    let root = dir.path();
    let whole = [
        "render",
        "--allow-missing",
        "--release",
        "7.1.1",
        "--eclass",
    ];
    fine(root, &[&whole[..], &["whole"]].concat());
    let file = root.join("eclass/rocm.eclass");
    let rendered = fs::read_to_string(&file).unwrap();
    let row = |text: &str, pattern: &str| {
        let start = text.find(&format!("\t\t{pattern})\n")).unwrap();
        let end = start + text[start..].find(";;\n").unwrap();
        text[start..end].to_owned()
    };
    // The maintainer changed the GPU targets of several releases, and has none for 7.2.
    let patterns = ["5.*", "6.*", "10.*|9999", "7.1.*"];
    edit(&file, "\t\t7.*)\n", "\t\t7.1.*)\n");
    for pattern in patterns {
        let text = fs::read_to_string(&file).unwrap();
        let old = row(&text, pattern);
        edit(&file, &old, &old.replace("gfx1030", "gfx1035"));
    }
    // One of the two targets belongs to the release, and the other one does not.
    let list = root.join("profiles/desc/amdgpu_targets.desc");
    let described = fs::read_to_string(&list).unwrap();
    let line = |target: &str| {
        let start = format!("{target} - ");
        let mut lines = described.lines();
        format!("{}\n", lines.find(|line| line.starts_with(&start)).unwrap())
    };
    let (new, old) = (line("gfx950"), line("gfx1153"));
    let less = described.replace(&new, "").replace(&old, "");
    write_file(&list, &less);
    commit(root);
    let theirs = fs::read_to_string(&file).unwrap();
    // Without the option, the eclass is not changed.
    rocpkg(root, &["bump", "7.2.4"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), theirs);
    rocpkg(root, &["bump", "7.2.4", "--eclass", "rows"]);
    let joined = fs::read_to_string(&file).unwrap();
    for pattern in patterns {
        assert_eq!(row(&joined, pattern), row(&theirs, pattern));
    }
    assert_eq!(row(&joined, "7.*"), row(&rendered, "7.*"));
    // An eclass that has the row already is left.
    commit(root);
    rocpkg(root, &["bump", "7.2.4", "--eclass", "rows"]);
    assert_eq!(fs::read_to_string(&file).unwrap(), joined);
    let described = fs::read_to_string(&list).unwrap();
    assert!(
        described.contains(&new) && !described.contains(&old),
        "{described}"
    );
}

#[test]
fn a_bump_can_do_what_it_advises() {
    let dir = overlay(&["rocblas"], "7.2.4");
    let root = dir.path();
    let bump = ["bump", "10.0.0", "--allow-guesses"];
    let (_, said) = rocpkg(root, &bump);
    let advice = "has no GPU targets for 10.0.0, so Portage can't read the ebuild";
    assert!(said.contains(advice), "{said}");
    assert!(said.contains("`--eclass whole`"), "{said}");
    let (_, said) = rocpkg(root, &[&bump[..], &["--eclass", "whole"]].concat());
    assert!(!said.contains(advice), "{said}");
    assert!(root.join("eclass/rocm.eclass").is_file());
    // The overlay's own eclass has no targets for the release.
    edit(&root.join("eclass/rocm.eclass"), "10.*|9999)", "9.*)");
    let (_, said) = rocpkg(root, &bump);
    assert!(said.contains("`--eclass rows`"), "{said}");
    // The setting has the same effect as the option.
    let toml = root.join("rocpkg.toml");
    edit(&toml, "# eclass = \"none\"", "eclass = \"rows\"");
    let (_, said) = rocpkg(root, &bump);
    assert!(!said.contains(advice), "{said}");
    let text = fs::read_to_string(root.join("eclass/rocm.eclass")).unwrap();
    assert!(
        text.contains("\t\t9.*)\n") && text.contains("\t\t10.*|9999)\n"),
        "{text}"
    );
}

/// An eclass is looked up in the checkout, in its masters as Portage's `repos.conf` places them,
/// and in the table of common eclasses.
#[test]
fn eclasses_of_masters_are_read() {
    let dir = overlay(&["rocblas"], "7.2.4");
    let root = dir.path();
    let ebuild = root.join("sci-libs/rocBLAS/rocBLAS-7.2.4.ebuild");
    edit(&ebuild, "\ninherit ", "\ninherit own ");
    edit(&ebuild, "IUSE=\"", "RESTRICT=\"fancy? ( strip )\"\nIUSE=\"");
    let machine = tempfile::tempdir().unwrap();
    let at = |path: &str| machine.path().join(path);
    let compare = |masters: &str, conf: &str| {
        write_file(root.join("metadata/layout.conf"), masters);
        let place = at("master").display().to_string();
        let conf = conf.replace("PLACE", &place);
        write_file(at("etc/portage/repos.conf/all.conf"), conf);
        let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args(["compare", "-v"])
            .current_dir(root)
            .env("PORTAGE_CONFIGROOT", machine.path())
            .output()
            .unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let main = "[DEFAULT]\nmain-repo = gentoo\n\n[gentoo]\nlocation = PLACE\n";
    let unknown = "USE flags: own.eclass was not found";
    let said = compare("masters = gentoo\n", main);
    assert!(said.contains(unknown), "{said}");
    write_file(at("master/eclass/own.eclass"), "IUSE=\"fancy\"\n");
    for (masters, conf, is_found) in [
        ("masters = gentoo\n", main, true),
        // The main repository is the master of a repository that names none.
        ("thin-manifests = true\n", main, true),
        ("masters = gentoo\n", "[other]\nlocation = PLACE\n", false),
        ("masters =\n", main, false),
    ] {
        let said = compare(masters, conf);
        assert_eq!(said.contains(unknown), !is_found, "{masters} {said}");
        assert!(!said.contains("E0802"), "{said}");
    }
    // The flags of an eclass that is at hand are known.
    write_file(at("master/eclass/own.eclass"), "IUSE=\"plain\"\n");
    let said = compare("masters = gentoo\n", main);
    assert!(
        said.contains("`fancy` is used, but it is not in IUSE"),
        "{said}"
    );
    // The repository's own eclass overrides that of a master.
    write_file(root.join("eclass/own.eclass"), "IUSE=\"fancy\"\n");
    let said = compare("masters = gentoo\n", main);
    assert!(!said.contains("E0802"), "{said}");
}
