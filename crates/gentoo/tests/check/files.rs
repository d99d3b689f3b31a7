//! Names in an ebuild that refer to other files: files of the package, folders of archives,
//! distfiles.

use super::{SOUND, beside, checked, faults, is_sound, shown, unchecked, with};
use rocpkg_gentoo::check;
use rocpkg_syntax::Surroundings;
use std::collections::BTreeMap;

#[test]
fn e0807_is_a_file_that_the_package_lacks() {
    let found = faults("llvm-22.patch", "llvm-21.patch");
    let expected = "E0807 23 `tool-llvm-21.patch` is not in the files of the package";
    assert_eq!(found, [expected]);
    let call = |command: &str| format!("\t{command}\n\tcmake_src_configure");
    for command in [
        "eapply \"${FILESDIR}/a.patch\"",
        "eapply \"${FILESDIR}\"/a.patch",
        "eapply ${FILESDIR}/a.patch || die",
        "newins \"${FILESDIR}/a.patch\" b",
        "local a=\"${FILESDIR}/a.patch\"",
        "eapply \"${FILESDIR}\"/{tool-llvm-22,a}.patch",
    ] {
        let expected = "E0807 27 `a.patch` is not in the files of the package";
        assert_eq!(
            faults("\tcmake_src_configure", &call(command)),
            [expected],
            "{command}"
        );
    }
    for command in [
        "eapply \"${FILESDIR}/${PN}\"-llvm-22.patch",
        "eapply \"${FILESDIR}\"/*.patch",
        "eapply \"${FILESDIR}/tool-${1}.patch\"",
        "cp -r \"${FILESDIR}/.\" .",
        "[[ -f \"${FILESDIR}/a.patch\" ]] && die",
        "echo \"see ${FILESDIR}\"",
        "# eapply \"${FILESDIR}/a.patch\"",
    ] {
        is_sound("\tcmake_src_configure", &call(command));
    }
    let alone = Surroundings {
        files: None,
        ..beside()
    };
    let all = check(SOUND, &alone);
    assert_eq!(all.faults, []);
    assert_eq!(
        unchecked(&all),
        ["files: the folder of the recipe is not known"]
    );
}

#[test]
fn e0808_is_a_folder_that_no_archive_unpacks_into() {
    let folders = "which no archive unpacks into";
    let (text, all) = checked(&[("tool-rocm-${PV}", "tool-${PV}")]);
    let expected = format!("E0808 10 `S` is below `tool-1.2.3`, {folders}");
    assert_eq!(shown(&text, &all), [expected]);
    assert_eq!(
        all.faults[0].finding.label,
        "the archives unpack into tool-rocm-1.2.3"
    );
    let found = faults("S=\"${WORKDIR}/${MY_P}\"\n", "");
    let unset = "E0808 9 `S` is not set, and no archive unpacks into `tool-1.2.3`";
    assert_eq!(found, [unset]);
    let found = faults("/${MY_P}\"\n", "/${MY_P}\"\nDOC_S=\"${WORKDIR}/doc\"\n");
    assert_eq!(
        found,
        [format!("E0808 11 `DOC_S` is below `doc`, {folders}")]
    );
    let found = faults("S=\"${WORKDIR}/${MY_P}\"", "S=\"${WORKDIR}\"");
    let work = "E0808 10 `S` is the work folder, but each archive unpacks into a folder of its own";
    assert_eq!(found, [work]);
    for other in [
        "S=\"${WORKDIR}\"/${MY_P}",
        "S=${WORKDIR}/tool-rocm-${PV}",
        "S=\"${WORKDIR}/${MY_P}/sub\"",
        "S=\"${WORKDIR}/${PN}-rocm-$(ver_cut 1-3)\"",
        "S=\"${WORKDIR}/${MY_P/x/y}\"",
        "S=\"${T}/other\"",
    ] {
        is_sound("S=\"${WORKDIR}/${MY_P}\"", other);
    }
    // A release never runs the branch of live versions, and always runs the other one.
    let branches = |folder: &str| {
        format!(
            "if [[ ${{PV}} == *9999 ]]; then\n\tinherit git-r3\n\
             else\n\tS=\"${{WORKDIR}}/{folder}\"\nfi"
        )
    };
    is_sound("S=\"${WORKDIR}/${MY_P}\"", &branches("${MY_P}"));
    let found = faults("S=\"${WORKDIR}/${MY_P}\"", &branches("other"));
    assert_eq!(found, [format!("E0808 13 `S` is below `other`, {folders}")]);
    // Only a command that may make or enter any folder leaves the question open.
    let open = |command: &str| {
        let text = with(&[
            ("S=\"${WORKDIR}/${MY_P}\"", "S=\"${WORKDIR}\""),
            (
                "\tcmake_src_configure",
                &format!("\t{command}\n\tcmake_src_configure"),
            ),
        ]);
        check(&text, &beside()).faults.len()
    };
    assert_eq!(open("sed -e \"s/a/b/\" -i ${CFLAGS} || die"), 1);
    assert_eq!(open("mv ${CFLAGS} \"${S}\" || die"), 0);
}

#[test]
fn folders_that_cant_be_known_are_not_checked() {
    let wrong = ("/${MY_P}\"", "/other\"");
    let without = Surroundings {
        archives: BTreeMap::new(),
        ..beside()
    };
    let text = with(&[wrong]);
    let all = check(&text, &without);
    assert_eq!(shown(&text, &all), [""; 0]);
    let question = "folders of archives: the folders of the archives are not known";
    assert_eq!(unchecked(&all), [question]);
    for (part, other, reason) in [
        (
            "-> ${P}.tar.gz",
            "-> ${P}.tar.gz ${MORE}",
            "sources are named by a variable",
        ),
        (
            "pkg_postinst() {",
            "src_unpack() { :; }\npkg_postinst() {",
            "the ebuild unpacks archives itself",
        ),
        (
            "cmake llvm-r2",
            "cmake git-r3 llvm-r2",
            "git-r3.eclass unpacks archives itself",
        ),
        (
            "/v${PV}",
            "/w${PV}",
            "the folders of `tool-1.2.3.tar.gz` are not known",
        ),
    ] {
        let (text, all) = checked(&[(part, other), wrong]);
        assert_eq!(shown(&text, &all), [""; 0], "{other}");
        assert_eq!(
            unchecked(&all),
            [format!("folders of archives: {reason}")],
            "{other}"
        );
    }
}

#[test]
fn e0809_is_a_source_that_is_not_in_the_manifest() {
    let missing = "is not in the Manifest";
    let found = faults("-> ${P}.tar.gz", "-> ${MY_P}.tar.gz");
    assert_eq!(
        found,
        [format!("E0809 9 `tool-rocm-1.2.3.tar.gz` {missing}")]
    );
    let found = faults(" -> ${P}.tar.gz", "");
    assert_eq!(found, [format!("E0809 9 `v1.2.3.tar.gz` {missing}")]);
    let more = "${P}.tar.gz\n\tdoc? ( https://example.org/${P}.html )";
    assert_eq!(
        faults("${P}.tar.gz", more),
        [format!("E0809 10 `tool-1.2.3.html` {missing}")]
    );
    let found = faults(
        "S=\"${W",
        "SRC_URI+=\" https://example.org/a.html\"\nS=\"${W",
    );
    assert_eq!(found, [format!("E0809 10 `a.html` {missing}")]);
    for other in [
        "https://example.org/${PN}-$(ver_cut 1-3).tar.gz",
        "mirror://example/${P}.tar.gz",
        "https://example.org/${PN}-${X}.tar.gz",
    ] {
        let (text, all) = checked(&[("https://example.org/v${PV}.tar.gz -> ${P}.tar.gz", other)]);
        assert_eq!(shown(&text, &all), [""; 0], "{other}");
    }
    let without = Surroundings {
        texts: BTreeMap::new(),
        ..beside()
    };
    let text = with(&[("-> ${P}.tar.gz", "-> b.tar.gz")]);
    assert_eq!(shown(&text, &check(&text, &without)), [""; 0]);
}

#[test]
fn sources_that_are_joined_or_named_by_variables_are_not_held_against_the_manifest() {
    let whole = "SRC_URI=\"https://example.org/v${PV}.tar.gz -> ${P}.tar.gz\"";
    for other in [
        "A=b\nSRC_URI=\"https://example.org/\"${A}\"-b.iso\"",
        "SRC_URI=\"https://example.org/\"${P}\".iso\"",
        "A=\"https://example.org/a -> b\"\nSRC_URI=\"${A}\"",
        "A=\"https://example.org/a -> b\"\nSRC_URI=\"doc? ( ${A} )\"",
        "A=\"https://example.org/a -> b\"\nSRC_URI=\"https://example.org/c -> ${P}.tar.gz ${A}\"",
        "A=\"\n\thttps://example.org/a\n\thttps://example.org/b\n\"\nSRC_URI=\"${A}\"",
        "SRC_URI=\"$(echo ${ABI})\"",
        "SRC_URI=\"${SRC_URI[*]}\"",
    ] {
        let (text, all) = checked(&[(whole, other)]);
        assert_eq!(shown(&text, &all), [""; 0], "{other}");
    }
    // Another version may run another branch.
    let branch = "if [[ ${PV} == 2* ]]; then\n\tSRC_URI=\"https://example.org/a\"\nfi";
    let (text, all) = checked(&[(whole, branch)]);
    assert_eq!(shown(&text, &all), [""; 0]);
    let question = "Manifest: `a` is fetched under a condition".to_owned();
    assert!(unchecked(&all).contains(&question), "{:?}", all.unchecked);
}
