//! A user's layer over the shipped model, in a folder of its own. It adds its facts, and nothing
//! else changes.

use rocpkg::internal::render::FileTree;
use rocpkg::internal::resolve::{Choice, Plan};
use rocpkg::{Backend, Options};
use rocpkg_tests::laid;

/// Renders the shipped model with a private layer. Returns the tree, and the codes of the findings
/// without warnings and E0237, which the shipped model has, too.
fn rendered(layer: &[(&str, &str)]) -> (FileTree, Vec<&'static str>) {
    let made = rocpkg_tests::rendered(laid(layer), &Options::everything()).sound();
    let said = made
        .codes()
        .into_iter()
        .filter(|code| !code.starts_with('W') && *code != "E0237")
        .collect();
    (made.tree.files, said)
}

/// Returns the lines that a layer removes and adds, with `-` or `+` in front of the path and the
/// line.
fn changed(layer: &[(&str, &str)]) -> Vec<String> {
    let (before, after) = (rendered(&[]).0, rendered(layer).0);
    let lines = |tree: &FileTree| -> Vec<String> {
        let text = |(path, bytes): (_, &[u8])| {
            (
                format!("{path}"),
                String::from_utf8_lossy(bytes).into_owned(),
            )
        };
        let files = tree.iter().map(|(p, b)| text((p, b)));
        files
            .flat_map(|(p, t)| {
                t.lines()
                    .map(|l| format!("{p}: {}", l.trim()))
                    .collect::<Vec<_>>()
            })
            .collect()
    };
    let (before, after) = (lines(&before), lines(&after));
    let gone = before
        .iter()
        .filter(|l| !after.contains(l))
        .map(|l| format!("-{l}"));
    let new = after
        .iter()
        .filter(|l| !before.contains(l))
        .map(|l| format!("+{l}"));
    gone.chain(new).collect()
}

#[test]
fn one_patch_more() {
    let layer = [(
        "distros/gentoo/rocblas.yaml",
        "patches: [{file: ours.patch}]\n",
    )];
    let ebuild = "gentoo/sci-libs/rocBLAS/rocBLAS-7.2.0.ebuild";
    assert_eq!(
        changed(&layer),
        [format!("+{ebuild}: \"${{FILESDIR}}/ours.patch\"")]
    );
    assert_eq!(rendered(&layer).1, [] as [&str; 0], "nothing was replaced");
}

#[test]
fn another_value_of_an_argument_takes_the_place_of_what_is_below() {
    let overlay = "distros/gentoo/composable-kernel.yaml";
    for (said, printed) in [
        ("{value: HELLO}", "HELLO"),
        ("{feature: '!test'}", "$(usex test OFF ON)"),
        ("{choose: test, then: a, else: b}", "$(usex test a b)"),
    ] {
        let text = format!("cmake: {{main: {{arguments: {{CK_USE_PROFILER: {said}}}}}}}\n");
        let changed = changed(&[(overlay, &text)]);
        let new: Vec<&String> = changed.iter().filter(|l| l.starts_with('+')).collect();
        let [new] = new.as_slice() else {
            panic!("{changed:?}")
        };
        assert!(
            new.ends_with(&format!("-DCK_USE_PROFILER={printed}")),
            "{new}"
        );
    }
}

#[test]
fn one_row_of_targets_more() {
    let layer = [(
        "distros/gentoo.yaml",
        "targets: [{releases: '>=8.0, <9', default: [gfx942], offered: [gfx1030]}]\n",
    )];
    let changed = changed(&layer);
    assert_eq!(
        changed,
        [
            "+gentoo/eclass/rocm.eclass: 8.*)",
            "+gentoo/eclass/rocm.eclass: gfx942",
            "+gentoo/eclass/rocm.eclass: gfx1030",
            "+gentoo/eclass/tests/rocm.sh: test_globals \"8.0.0 8.99.99\" \\",
            "+gentoo/eclass/tests/rocm.sh: \"gfx942\" \\",
            "+gentoo/eclass/tests/rocm.sh: \"gfx1030\""
        ]
    );
    let (tree, _) = rendered(&layer);
    let eclass =
        String::from_utf8_lossy(tree.get("gentoo/eclass/rocm.eclass").unwrap()).into_owned();
    let patterns: Vec<&str> = eclass
        .lines()
        .skip_while(|l| !l.contains("case ${ROCM_VERSION}"))
        .take_while(|l| !l.contains("esac"))
        .filter_map(|l| l.trim().strip_suffix(')'))
        .filter(|l| l.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    assert_eq!(
        patterns,
        [
            "8.*",
            "5.[0-3].*",
            "5.*",
            "6.[0-3].*",
            "6.4.[0-2]",
            "6.*",
            "10.*|9999",
            "7.*"
        ]
    );
}

#[test]
fn a_full_copy_with_removals_loads() {
    let shipped = rocpkg::shipped::profiles()["distros/arch.yaml"].clone();
    let copy = shipped
        .replace("  rocjitsu: \"10.1.0\"\n", "  rocjitsu: ~\n")
        .replace("licences: {}\n", "licences: ~\n")
        .replace("settings:\n", "settings:\n  unused: ~\n");
    let (tree, said) = rendered(&[("distros/arch.yaml", &copy)]);
    // A rule that replaces a list of a component does so again.
    assert_eq!(said, ["N0201"], "a copy replaces nothing else");
    let at = |path: &str| tree.get(path).is_some();
    assert!(at("arch/rocblas/PKGBUILD") && !at("arch/rocjitsu/PKGBUILD"));
    let gone = changed(&[("distros/arch.yaml", &copy)]);
    assert!(
        gone.iter().all(|l| l.starts_with("-arch/rocjitsu/")),
        "{gone:?}"
    );
}

#[test]
fn a_release_means_the_same_in_every_file() {
    for (path, text) in [
        (
            "components/rocblas.yaml",
            "targets: {excludes: [{targets: [gfx900], releases: '7.1', reason: x}]}\n",
        ),
        (
            "components/rocblas.yaml",
            "depends: {tensile: {releases: '7.1'}}\n",
        ),
        (
            "components/rocblas.yaml",
            "depends: {tensile: {when: 'release:7.1'}}\n",
        ),
        (
            "distros/gentoo.yaml",
            "targets: [{releases: '7.1', default: [gfx900]}]\n",
        ),
        (
            "distros/gentoo.yaml",
            "targets: [{releases: '7.*', default: [gfx900]}]\n",
        ),
        (
            "distros/gentoo/rocblas.yaml",
            "patches: [{file: x.patch, releases: '7.1'}]\n",
        ),
    ] {
        let (model, mut findings) = laid(&[(path, text)]);
        Plan::new(&model, "gentoo", &Choice::Shipped, &mut findings);
        let codes: Vec<_> = findings.sorted().iter().map(|f| f.code).collect();
        assert!(codes.contains(&"E0203"), "{path} {text}: {codes:?}");
    }
}

#[test]
fn packages_that_rest_on_guesses_are_left_out_refused_or_noted() {
    let arch = |allow_guesses, packages: &[&str]| {
        let packages = packages.iter().map(|p| (*p).to_owned()).collect();
        let options = Options {
            backends: vec![Backend::Arch],
            packages,
            allow_guesses,
            ..Options::default()
        };
        rocpkg_tests::rendered(
            laid(&[]),
            &Options {
                allow_missing: true,
                ..options
            },
        )
    };
    let whole = arch(false, &[]).sound();
    let has = |path: &str| whole.tree.files.get(path).is_some();
    assert!(!has("arch/miopen-hip/PKGBUILD") && has("arch/rocfft/PKGBUILD"));
    assert!(whole.codes().contains(&"W0202"));
    assert_eq!(arch(false, &["miopen-hip"]).codes().first(), Some(&"E0229"));
    let allowed = arch(true, &["miopen-hip"]);
    assert!(allowed.tree.files.get("arch/miopen-hip/PKGBUILD").is_some());
    assert_eq!(allowed.codes(), [] as [&str; 0]);
    // A package without guesses causes no finding.
    assert_eq!(arch(false, &["rocblas"]).codes(), [] as [&str; 0]);
}
