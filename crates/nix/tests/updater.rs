//! Tests of properties that nixpkgs' updater and its reviewers require: the version is stated once
//! and all other values are computed from it, hashes are literals, and maintainers are stated.

use rocpkg_model::Files;
use rocpkg_nix::check_style;
use rocpkg_nix::internal::render;
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan};

const ZEROS: &str = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

/// Returns the rendered expression of a package with device code, at the release `release`.
/// `package` is the text of its component's file.
fn rendered(release: &str, package: &str) -> String {
    let files: Files = [
        (
            "distros/nixpkgs.yaml",
            "version: 7.2.3\npackages: {clr: default, blas: default}\nnaming: component\nfetch: tree\n\
             licences: {MIT: mit}\ntargets: [{releases: '*', default: [gfx906, gfx942], offered: []}]\n\
             settings: {team: rocm, targets-holder: clr}\nscope: {update-script: rocmUpdateScript}\n",
        ),
        ("upstream.yaml", "owner: ROCm\n"),
        ("externals.yaml", "cmake: {nixpkgs: cmake}\nzlib: {nixpkgs: zlib}\n"),
        (
            "components/clr.yaml",
            "summary: The runtime\nlicence: [MIT]\nsources: {main: {repository: clr}}\ncmake: {main: {}}\n",
        ),
        ("components/blas.yaml", package),
        ("releases/7.2.yaml", "tag: rocm-${version}\nversions: {7.2.3: {}}\n"),
        ("releases/10.0.yaml", "tag: therock-${line}\nversions: {10.0.0: {}, 10.0.1: {}}\n"),
    ]
    .into_iter()
    .map(|(k, v)| (k.to_owned(), v.to_owned()))
    .collect();
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    let template = include_str!("../../../templates/nix/file.nix.j2").to_owned();
    let templates = Templates::new(
        &[("nix/file.nix.j2".to_owned(), template)]
            .into_iter()
            .collect(),
    )
    .unwrap();
    let choice = Choice::Release(release.parse().unwrap());
    let plan = Plan::new(&model, "nixpkgs", &choice, &mut findings).unwrap();
    let (rendered, _) = render(&plan, &templates, &mut findings).unwrap();
    let told = findings.render(&model.sources, false);
    assert!(!findings.has_errors(), "{told}");
    let text = String::from_utf8(rendered.tree.get("blas/default.nix").unwrap().to_vec()).unwrap();
    check_style(&text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    text
}

const BLAS: &str = "summary: Algebra\nlicence: [MIT]\nsources: {main: {repository: blas}}\n\
    targets: {variable: GPU_TARGETS}\ncmake: {main: {}}\n\
    depends: {clr: {kind: link, targets: none}, zlib: {kind: link}}\n";

fn has(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|l| l.trim() == *line), "{line}\n{text}");
    }
}

#[test]
fn a_tag_follows_the_version() {
    has(
        &rendered("7.2.3", BLAS),
        &[
            r#"version = "7.2.3";"#,
            r#"rev = "rocm-${finalAttrs.version}";"#,
        ],
    );
    let scheme = r#"rev = "therock-${lib.versions.majorMinor finalAttrs.version}";"#;
    for release in ["10.0.0", "10.0.1"] {
        has(
            &rendered(release, BLAS),
            &[&format!("version = \"{release}\";"), scheme],
        );
    }
    // A source of another release than the package's keeps that release.
    let other = BLAS.replace("repository: blas", "repository: blas, version: 10.0.1");
    has(&rendered("7.2.3", &other), &[r#"rev = "therock-10.0";"#]);
}

#[test]
fn a_hash_that_nobody_knows_stands_in_the_text() {
    let patched = format!("{BLAS}patches: [{{file: a.patch, url: https://example.org/a.patch}}]\n");
    let text = rendered("7.2.3", &patched);
    assert_eq!(
        text.matches(&format!("hash = \"{ZEROS}\";")).count(),
        2,
        "{text}"
    );
    assert!(!text.contains("fakeHash"), "{text}");
}

#[test]
fn a_package_tells_whom_to_ask_and_what_is_in_it() {
    let text = rendered(
        "7.2.3",
        &format!(
            "{BLAS}nix: {{reference: tag, meta: {{maintainers: [jane, '7up'], cmake-modules: [Blas]}}}}\n"
        ),
    );
    let lines = [
        r#"tag = "rocm-${finalAttrs.version}";"#,
        r#"changelog = "https://github.com/ROCm/blas/releases/tag/${finalAttrs.src.tag}";"#,
        r#"cmakeConfigModules = [ "Blas" ];"#,
        "tests.cmake-config = testers.hasCmakeConfigModules { package = finalAttrs.finalPackage; };",
        "testers,",
        "lib.maintainers.jane",
        r#"lib.maintainers."7up""#,
    ];
    has(&text, &lines);
    let plain = rendered("7.2.3", BLAS);
    for word in ["changelog", "maintainers", "cmakeConfigModules", "testers"] {
        assert!(!plain.contains(word), "{word}: {plain}");
    }
    // A commit has no release page.
    let commit = BLAS.replace("repository: blas", "repository: blas, revision: 43a79e3");
    assert!(
        !rendered("7.2.3", &format!("{commit}nix: {{reference: tag}}\n")).contains("changelog")
    );
    // Only a source that is checked out by its tag has a changelog.
    let archive = BLAS.replace("repository: blas", "repository: blas, fetch: archive");
    assert!(
        !rendered("7.2.3", &format!("{archive}nix: {{reference: tag}}\n")).contains("changelog")
    );
}

#[test]
fn an_empty_list_passes_no_flag() {
    let guarded = "gpuTargets != [ ]";
    let flag = r#""-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}""#;
    for default in ["upstream", "all"] {
        let text = rendered(
            "7.2.3",
            &format!("{BLAS}nix: {{gpu-targets: {{default: {default}}}}}\n"),
        );
        assert!(text.contains(guarded), "{default}: {text}");
        assert!(text.contains(flag), "{default}: {text}");
    }
    // A list that other packages borrow is passed in the form in which they get it.
    let text = rendered(
        "7.2.3",
        &format!("{BLAS}nix: {{gpu-targets: {{default: all, export: joined}}}}\n"),
    );
    assert!(!text.contains(guarded), "{text}");
    assert!(
        text.contains(r#"cmakeFlags = [ (lib.cmakeFeature "GPU_TARGETS" gpuTargets') ];"#),
        "{text}"
    );
}

#[test]
fn a_library_path_may_be_made_of_a_list_of_the_package() {
    let text = rendered(
        "7.2.3",
        &format!(
            "{BLAS}phases: {{postInstall: [{{run: [patchelf, --set-rpath, \
             '${{out}}/lib:${{lib.makeLibraryPath:finalAttrs.buildInputs}}', '${{out}}/bin/x']}}]}}\n"
        ),
    );
    assert!(
        text.contains("$out/lib:${lib.makeLibraryPath finalAttrs.buildInputs}"),
        "{text}"
    );
}
