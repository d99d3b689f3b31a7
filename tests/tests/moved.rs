//! The version of a distribution moves to the next release. Facts that were checked at the release
//! before are reported as unchecked for the new one, whichever key moves the version.

use rocpkg::internal::resolve::DISTROS;
use rocpkg::{Backend, Options, Stack};
use std::collections::BTreeSet;
use std::fmt::Write;

const NEXT: &str = "10.0.0";

/// Returns the shipped model with a layer: files by path.
fn laid(layer: &[(String, String)]) -> Stack {
    Stack::shipped()
        .unwrap()
        .texts("over", layer.iter().cloned().collect())
}

/// Returns the findings about facts that nobody checked for a release, each with its place.
fn unchecked(stack: &Stack, backends: &[Backend], choice: &str) -> BTreeSet<String> {
    let checked = stack.check(backends, &[choice.parse().unwrap()]).unwrap();
    let told = checked.findings.sorted();
    let told = told.into_iter().filter(|f| f.code == "W0220");
    told.map(|f| format!("{:?} {}", f.span, f.message))
        .collect()
}

/// Returns the ids of the packages that are pinned to a version.
fn pinned(stack: &Stack, distro: &str) -> Vec<String> {
    let packages = &stack.model().distros[distro].packages;
    let rows = packages
        .iter()
        .filter(|(_, rows)| matches!(&rows.0[..], [one] if one.value != "default"));
    rows.map(|(id, _)| id.clone()).collect()
}

#[test]
fn what_nobody_checked_is_named_however_the_version_moves() {
    let shipped = Stack::shipped().unwrap();
    // Arch ships a newer release than that at which some of its recipes were read.
    let read = [Backend::Gentoo, Backend::Nix, Backend::Solus];
    assert_eq!(
        unchecked(&shipped, &read, "shipped"),
        BTreeSet::new(),
        "what ships was read"
    );
    assert!(!unchecked(&shipped, &[Backend::Arch], "shipped").is_empty());
    let asked = unchecked(&shipped, &[], NEXT);
    assert!(asked.len() > 200, "{}", asked.len());

    // Makes a distribution's own file: one with a new version, as a bump writes it, and one that
    // sets each package's version, as a person might.
    let file = |distro: &str, version: &str, row: &str| {
        let mut text = version.to_owned();
        let mut rows = pinned(&shipped, distro);
        if version.is_empty() {
            rows = shipped.model().distros[distro]
                .packages
                .keys()
                .cloned()
                .collect();
        }
        write!(text, "packages:\n  {{").unwrap();
        for id in rows {
            write!(text, " {id}: {row},").unwrap();
        }
        text.push_str(" }\n");
        (format!("distros/{distro}.yaml"), text)
    };
    let version = format!("version: {NEXT}\n");
    let all = |version: &str, row: &str| laid(&DISTROS.map(|distro| file(distro, version, row)));
    let moved = [
        ("version", all(&version, "default")),
        ("packages", all("", NEXT)),
    ];
    for (how, stack) in moved {
        assert_eq!(unchecked(&stack, &[], "shipped"), asked, "by {how}");
    }
    let side_by_side = [file("gentoo", &format!("versions: [{NEXT}]\n"), "default")];
    let gentoo = unchecked(&shipped, &[Backend::Gentoo], NEXT);
    assert_eq!(
        unchecked(&laid(&side_by_side), &[Backend::Gentoo], "shipped"),
        gentoo,
        "by versions"
    );
    assert!(unchecked(&shipped, &[], NEXT).is_superset(&gentoo));
}

#[test]
fn a_folder_answers_for_what_stands_in_it() {
    let named = |distro: &str, patch: &str, choice: &str| {
        let over = |path: &str, text: &str| (path.to_owned(), text.to_owned());
        let layer = [
            over("distros/arch.yaml", distro),
            over("distros/arch/rccl.yaml", patch),
        ];
        let all = unchecked(&laid(&layer), &[Backend::Arch], choice);
        all.iter().any(|f| f.contains("the patch `ours.patch`"))
    };
    let patch = "patches: [{file: ours.patch}]\n";
    let checked = "patches: [{file: ours.patch, checked: \"=7.1\"}]\n";
    assert!(
        named("year: \"2026\"\n", patch, "shipped"),
        "nobody said what it was read at"
    );
    assert!(!named("checked-at: 7.2.4\n", patch, "shipped"));
    assert!(named("checked-at: 7.2.4\n", patch, "7.2.3"));
    assert!(!named(
        "packages-checked-at: {rccl: 7.2.4}\n",
        patch,
        "shipped"
    ));
    assert!(named(
        "packages-checked-at: {rocblas: 7.2.4}\n",
        patch,
        "shipped"
    ));
    assert!(
        !named("version: 7.2.3\n", patch, "shipped"),
        "its own version"
    );
    // A patch that was checked for another release does not count as checked for the shipped one.
    assert!(named("checked-at: 7.2.4\n", checked, "shipped"));
    assert!(!named("checked-at: 7.2.4\n", checked, "7.1.1"));
}

#[test]
fn a_counter_of_a_recipe_counts_for_what_was_read() {
    let recipe = |distro: &str| {
        let stack = laid(&[("distros/arch.yaml".to_owned(), distro.to_owned())]);
        let packages = vec!["rocm-llvm".to_owned()];
        let options = Options {
            backends: vec![Backend::Arch],
            packages,
            ..Options::everything()
        };
        stack
            .attempt(&options)
            .unwrap()
            .0
            .text("arch/rocm-llvm/PKGBUILD")
            .unwrap()
            .to_owned()
    };
    assert!(recipe("year: \"2026\"\n").contains("\npkgrel=2\n"));
    let next = recipe(&format!("version: {NEXT}\n"));
    assert!(
        next.contains("\npkgrel=1\n"),
        "another version starts anew: {next}"
    );
}

/// Returns the patches of a package and the names of its dependencies, with an overlay over the
/// shipped model.
///
/// # Errors
/// The text of the errors in the model.
fn made(
    backend: Backend,
    id: &str,
    overlay: &str,
    choice: &str,
) -> Result<(Vec<String>, Vec<String>), String> {
    let stack = laid(&[(
        format!("distros/{}/{id}.yaml", backend.distro()),
        overlay.to_owned(),
    )]);
    let plan = stack
        .plan(backend, &choice.parse().unwrap())
        .map_err(|e| e.to_string())?;
    let p = plan.get(id).unwrap();
    let patches = p
        .package
        .patches
        .iter()
        .map(|p| p.file.value.clone())
        .collect();
    Ok((patches, p.package.depends.keys().cloned().collect()))
}

#[test]
fn a_layer_ends_what_lies_below() {
    let patches = |backend, id: &str, overlay: &str, choice: &str| {
        made(backend, id, overlay, choice).unwrap().0
    };
    let of_cmake = |overlay: &str| patches(Backend::Gentoo, "rocm-cmake", overlay, "7.2.0");
    let all = [
        "rocm-cmake-6.1.1-license.patch",
        "rocm-cmake-6.1.1-no-rocmchecks-warnings.patch",
    ];
    assert_eq!(of_cmake("{}\n"), all);
    // One of two patches is limited to older releases: as an element of a list, and as an entry of
    // a mapping.
    assert_eq!(
        of_cmake(&format!(
            "patches: [{{file: {}, releases: '<7'}}]\n",
            all[0]
        )),
        all[1..]
    );
    assert_eq!(
        of_cmake(&format!("patches: {{{}: {{releases: '<7'}}}}\n", all[0])),
        all[1..]
    );
    assert_eq!(
        of_cmake(&format!(
            "patches: {{{}: {{when: 'release:<7'}}}}\n",
            all[0]
        )),
        all[1..]
    );
    assert_eq!(
        of_cmake(&format!(
            "patches: [{{file: {}, releases: '<8'}}]\n",
            all[0]
        )),
        all
    );
    assert_eq!(
        of_cmake("patches: [{file: ours.patch, releases: '<7'}]\n"),
        all,
        "what is not there ends nothing"
    );

    // The only patch is limited to older releases, and another one takes its place.
    let of_rccl = |choice: &str| {
        let cap = "patches: [{file: rccl-7.0.1-fix-libcxx.patch, releases: '<7.2'}, {file: new.patch, releases: '>=7.2'}]\n";
        patches(Backend::Gentoo, "rccl", cap, choice)
    };
    assert_eq!(of_rccl("7.1.1"), ["rccl-7.0.1-fix-libcxx.patch"]);
    assert_eq!(of_rccl("7.2.0"), ["new.patch"], "not the old and the new");

    // A patch that the layer below limits to some releases is not extended to others.
    let of_blaslt = |choice: &str| {
        let cap = "patches: {hipBLASLt-6.1.1-no-git.patch: {releases: '<7.2'}}\n";
        let all = patches(Backend::Gentoo, "hipblaslt", cap, choice);
        all.contains(&"hipBLASLt-6.1.1-no-git.patch".to_owned())
    };
    assert!(of_blaslt("7.0.2") && !of_blaslt("7.1.1"));

    // A dependency is limited to older releases.
    let depends = |overlay: &str, choice: &str| {
        made(Backend::Gentoo, "hipblaslt", overlay, choice)
            .unwrap()
            .1
    };
    let needs =
        |overlay: &str, choice: &str| depends(overlay, choice).contains(&"rocm-cmake".to_owned());
    assert!(
        needs("{}\n", "7.2.0") && needs("depends: {rocm-cmake: {releases: '<7.2'}}\n", "7.1.1")
    );
    assert!(!needs(
        "depends: {rocm-cmake: {releases: '<7.2'}}\n",
        "7.2.0"
    ));
}

#[test]
fn what_ends_and_says_more_is_refused_with_its_place() {
    let over = "depends: {rocm-cmake: {kind: tool, version: slot, releases: '<7.2'}}\n";
    let said = made(Backend::Gentoo, "hipblaslt", over, "7.2.0").unwrap_err();
    assert!(
        said.contains("E0252") && said.contains("distros/gentoo/hipblaslt.yaml:1:"),
        "{said}"
    );
    assert!(made(Backend::Gentoo, "hipblaslt", over, "7.1.1").is_ok());
    // A range that begins later affects later releases alone.
    let later = "depends: {rocm-cmake: {kind: tool, version: slot, releases: '>=8'}}\n";
    assert!(made(Backend::Gentoo, "hipblaslt", later, "7.2.0").is_ok());
}

#[test]
fn options_are_named_beyond_what_was_read() {
    let stack = Stack::shipped().unwrap();
    let named = |choice: &str| {
        let checked = stack
            .check(&[Backend::Gentoo], &[choice.parse().unwrap()])
            .unwrap();
        let told = checked
            .findings
            .sorted()
            .into_iter()
            .filter(|f| f.code == "W0225");
        told.map(|f| f.message.clone())
            .collect::<Vec<_>>()
            .join("\n")
    };
    assert_eq!(named("shipped"), "", "recipes of that release were read");
    let next = named(NEXT);
    assert!(
        next.contains("these options of miopen were not checked for 10.0.0: MIOPEN_BACKEND, "),
        "{next}"
    );
    assert!(
        !next.contains("these options of hipblas were"),
        "these were read at that release"
    );
    assert_eq!(
        named("7.0.2"),
        "",
        "what was read later holds what there was before"
    );
}

#[test]
fn a_package_whose_targets_nobody_knows_rests_on_a_guess() {
    let row = "targets: {supports: {'>=7.1, <10': {releases: '>=7.1, <7.2'}}}\n";
    let stack = laid(&[("components/rccl.yaml".to_owned(), row.to_owned())]);
    let render = |allow_guesses| {
        let (backends, packages) = (vec![Backend::Arch], vec!["rccl".to_owned()]);
        let options = Options {
            backends,
            packages,
            allow_guesses,
            ..Options::everything()
        };
        stack.render(&options).map_err(|e| e.to_string())
    };
    let said = render(false).unwrap_err();
    assert!(
        said.contains("E0229") && said.contains("rccl (targets.supports)"),
        "{said}"
    );
    assert!(render(true).is_ok());
}
