//! The distributions' tools check a stack without anything of ROCm, and recipes from code.

use rocpkg::core::{Offer, UseExpand};
use rocpkg::gentoo::{Ebuild, Eclass, EclassFunction, Metadata, Phase};
use rocpkg::internal::render::bash::{Word, run};
use rocpkg::internal::render::{WriteOptions, write};
use rocpkg::{Options, Stack, Tree};
use rocpkg_tests::{GentooWorld, Level, NixTree, fixture, pkgbases, printsrcinfo, write_file};
use std::fs;
use std::path::Path;

fn rendered() -> Tree {
    let stack = Stack::empty()
        .unwrap()
        .layer(fixture("../examples/other-stack"))
        .unwrap();
    stack
        .render(&Options {
            allow_missing: true,
            ..Options::default()
        })
        .unwrap_or_else(|e| panic!("{e}"))
}

fn written() -> (tempfile::TempDir, Tree) {
    let (folder, tree) = (tempfile::tempdir().unwrap(), rendered());
    write(&tree.files, folder.path(), &WriteOptions::default()).unwrap();
    (folder, tree)
}

#[test]
fn nothing_of_rocm_is_in_it() {
    for (path, bytes) in &rendered().files {
        let text = String::from_utf8_lossy(bytes).to_lowercase();
        let found = ["rocm", "amdgpu", "gfx", "hip", "clr"]
            .into_iter()
            .find(|word| text.contains(word));
        assert_eq!(found, None, "{path}:\n{text}");
    }
}

#[test]
fn portage_makepkg_and_nix_take_it() {
    let (folder, _) = written();
    let world = GentooWorld::with_own_externals(&folder.path().join("gentoo"));
    let grave: Vec<_> = world
        .pkgcheck_scan()
        .into_iter()
        .filter(|f| f.level == Level::Error)
        .collect();
    let grave: Vec<_> = grave
        .into_iter()
        .filter(|f| f.name != "MissingManifest")
        .collect();
    assert_eq!(grave, []);
    let depend = world.metadata("sci-libs/nimDNN-3.1.0", &["RDEPEND", "REQUIRED_USE"]);
    assert!(
        depend[0]
            .contains("sci-libs/nimBLAS:0/3.1[nimbus_targets_nb20(-)?,nimbus_targets_nb10(-)?]"),
        "{depend:?}"
    );
    assert_eq!(depend[1], "|| ( nimbus_targets_nb20 nimbus_targets_nb10 )");
    for base in pkgbases(&folder.path().join("arch")) {
        let info = printsrcinfo(&base).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(info, fs::read_to_string(base.join(".SRCINFO")).unwrap());
    }
    let nix = NixTree::with_own_externals(&folder.path().join("nix"));
    let facts = nix.eval(Some("nb10")).unwrap_or_else(|e| panic!("{e}"));
    let flags = facts["packages"]["nimdnn"]["cmakeFlags"].to_string();
    assert!(flags.contains("-DNIMBUS_TARGETS=nb10\""), "{flags}");
}

/// Writes a repository of one ebuild and one eclass, both from code.
fn from_code(root: &Path) {
    let say = EclassFunction::new(
        "tune_say",
        "Says what is tuned for.",
        vec![run("einfo", [Word::var("CHOST")])],
    );
    let rows = [(">=1.0, <2", Offer::new(["a1"], ["a2"]))];
    let eclass = Eclass::for_targets(
        ("tune", &UseExpand::new("TUNE_TARGETS").unwrap(), "Tune"),
        ("Tunes what is built", "2026"),
        rows,
        None,
    )
    .maintainer("Jane Doe <jane@example.org>")
    .description("For what is tuned.")
    .function(say);
    eclass.check().unwrap();
    let ebuild = Ebuild::new(
        "app-misc/tuned-1.0".parse().unwrap(),
        &"0".parse().unwrap(),
        "A tuned thing",
        2026,
    )
    .homepage("https://example.org/tuned")
    .license("MIT".parse().unwrap())
    .keywords("~amd64")
    .before_inherit(rocpkg::gentoo::Variable::new(
        "TUNE_VERSION",
        Word::var("PV"),
    ))
    .inherit(["tune"])
    .iuse("doc".parse().unwrap())
    .required_use("${TUNE_REQUIRED_USE}".parse().unwrap())
    .rdepend("doc? ( app-text/tree )".parse().unwrap())
    .phase(Phase::SrcConfigure, vec![run("tune_say", [])])
    .phase(
        Phase::SrcInstall,
        vec![run(
            "newdoc",
            [
                Word::var("FILESDIR").literal("/x"),
                Word::lit("it's a \"name\" $(not run)"),
            ],
        )],
    );
    ebuild.check().unwrap();
    let metadata = Metadata::default()
        .project("Tuners", "tuners@gentoo.org")
        .flag("doc", "Install <much> & more");
    let files = [
        (ebuild.path(), ebuild.to_string()),
        (
            "app-misc/tuned/metadata.xml".to_owned(),
            metadata.to_string(),
        ),
        ("app-misc/tuned/files/x".to_owned(), "x\n".to_owned()),
        (format!("eclass/{}", eclass.file_name()), eclass.to_string()),
        ("profiles/repo_name".to_owned(), "tuned\n".to_owned()),
        ("profiles/categories".to_owned(), "app-misc\n".to_owned()),
        (
            "profiles/desc/tune_targets.desc".to_owned(),
            "a1 - The first\na2 - The second\n".to_owned(),
        ),
        (
            "metadata/layout.conf".to_owned(),
            "masters = gentoo\nthin-manifests = true\n".to_owned(),
        ),
    ];
    for (path, text) in files {
        let at = root.join(path);
        fs::create_dir_all(at.parent().unwrap()).unwrap();
        write_file(at, text);
    }
}

#[test]
fn an_ebuild_and_an_eclass_from_code_are_read_by_portage_and_pkgcheck() {
    let root = tempfile::tempdir().unwrap();
    from_code(root.path());
    let world = GentooWorld::with_own_externals(root.path());
    let said: Vec<_> = world
        .pkgcheck_scan()
        .into_iter()
        .filter(|f| f.level != Level::Info)
        .collect();
    // pkgcheck reads the eclass's documentation too, and reports a fault in it as EclassDocError.
    assert_eq!(said, []);
    let read = world.metadata("app-misc/tuned-1.0", &["IUSE", "DEFINED_PHASES"]);
    assert!(
        read[0].contains("+tune_targets_a1") && read[1] == "configure install",
        "{read:?}"
    );

    let eclass = root.path().join("eclass/tune.eclass");
    let spoilt = fs::read_to_string(&eclass)
        .unwrap()
        .replacen("# @BLURB:", "# @BLRUB:", 1);
    write_file(&eclass, spoilt);
    let said = GentooWorld::with_own_externals(root.path()).pkgcheck_scan();
    assert!(said.iter().any(|f| f.name == "EclassDocError"), "{said:?}");
}
