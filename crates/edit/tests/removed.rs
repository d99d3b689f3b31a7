//! Tests of the removal of patches from recipes.

use rocpkg_edit::{Checks, remove};
use rocpkg_syntax::{Language, List, Reading, Rules};

static RULES: Rules = Rules {
    version: "pkgver",
    lists: &[
        ("source*", List::Sources),
        ("*sums", List::Sums),
        ("SRC_URI", List::Addresses),
    ],
    asks: &["use"],
    apply: &["eapply", "epatch", "%patch"],
    phases: &["prepare()", "src_prepare()"],
    fetchers: &["fetchpatch", "fetchpatch2", "fetchurl"],
    ..Rules::NONE
};

#[track_caller]
fn becomes(language: Language, there: &str, names: &[&str], expected: &str) {
    let reading = Reading {
        language,
        rules: &RULES,
        given: Vec::new(),
    };
    let outline = reading.read(there).unwrap();
    let names = names.iter().map(|name| (*name).to_owned()).collect();
    let made = remove(&outline, &names, Checks::NONE);
    assert_eq!(made.as_ref().map_or(there, |made| &made.text), expected);
}

#[test]
fn of_a_pkgbuild_the_source_its_sum_and_the_step_go() {
    becomes(
        Language::Bash,
        "pkgname=a\npkgver=1\nsource=(\"https://github.com/a/a/archive/v$pkgver.tar.gz\"\n        \"$pkgname-cmake.patch\"\n        other.patch)\nsha256sums=('11'\n            '22'\n            '33')\n\nprepare() {\n  cd a-$pkgver\n  patch -Np1 -i \"$srcdir/$pkgname-cmake.patch\"\n  patch -Np1 -i ../other.patch\n}\n",
        &["a-cmake.patch"],
        "pkgname=a\npkgver=1\nsource=(\"https://github.com/a/a/archive/v$pkgver.tar.gz\"\n        other.patch)\nsha256sums=('11'\n            '33')\n\nprepare() {\n  cd a-$pkgver\n  patch -Np1 -i ../other.patch\n}\n",
    );
}

#[test]
fn a_function_that_only_changes_its_folder_goes() {
    becomes(
        Language::Bash,
        "pkgver=1\nsource=(a.tar.gz\n        # why\n        a.patch::https://github.com/a/a/commit/abcdef.patch)\nsha256sums=('11'\n            '22')\n\nprepare() {\n  cd a\n  # https://github.com/a/a/pull/1\n  patch -p1 < ../a.patch\n}\n\nbuild() {\n  make\n}\n",
        &["a.patch", "https://github.com/a/a/commit/abcdef.patch"],
        "pkgver=1\nsource=(a.tar.gz)\nsha256sums=('11')\n\nbuild() {\n  make\n}\n",
    );
}

#[test]
fn of_an_ebuild_the_list_and_the_step_go() {
    becomes(
        Language::Bash,
        "EAPI=8\nPN=hip\n\nPATCHES=(\n\t\"${FILESDIR}/${PN}-a.patch\"\n\t\"${FILESDIR}\"/b.patch\n)\n\nsrc_prepare() {\n\tuse test && eapply \"${FILESDIR}/c.patch\"\n\tcmake_src_prepare\n}\n",
        &["b.patch", "c.patch"],
        "EAPI=8\nPN=hip\n\nPATCHES=(\n\t\"${FILESDIR}/${PN}-a.patch\"\n)\n\nsrc_prepare() {\n\tcmake_src_prepare\n}\n",
    );
    becomes(
        Language::Bash,
        "EAPI=8\n\nPATCHES=( \"${FILESDIR}\"/b.patch )\n\nsrc_test() {\n\t:\n}\n",
        &["b.patch"],
        "EAPI=8\n\nsrc_test() {\n\t:\n}\n",
    );
}

#[test]
fn of_an_expression_the_whole_element_goes() {
    becomes(
        Language::Nix,
        "{\n  stdenv,\n  fetchpatch,\n}:\nstdenv.mkDerivation {\n  pname = \"a\";\n\n  patches = [\n    ./a.patch\n    # why\n    (fetchpatch {\n      name = \"b.patch\";\n      url = \"https://github.com/a/a/commit/abcdef.patch\";\n      hash = \"sha256-xx\";\n    })\n  ];\n\n  x = 1;\n}\n",
        &["https://github.com/a/a/commit/abcdef.patch"],
        "{\n  stdenv,\n}:\nstdenv.mkDerivation {\n  pname = \"a\";\n\n  patches = [\n    ./a.patch\n  ];\n\n  x = 1;\n}\n",
    );
    // An argument that is still used stays.
    becomes(
        Language::Nix,
        "{\n  fetchpatch,\n}:\nderivation {\n  patches = [\n    (fetchpatch { url = \"https://a/b.patch\"; })\n    (fetchpatch { url = \"https://a/c.patch\"; })\n  ];\n}\n",
        &["https://a/b.patch"],
        "{\n  fetchpatch,\n}:\nderivation {\n  patches = [\n    (fetchpatch { url = \"https://a/c.patch\"; })\n  ];\n}\n",
    );
    // The only patch goes with its list, and with the argument that fetches it.
    becomes(
        Language::Nix,
        "{\n  lib,\n  fetchpatch,\n}:\n\nstdenv.mkDerivation (finalAttrs: {\n  pname = \"a\";\n\n  patches = [\n    (fetchpatch {\n      url = \"https://a/b.patch?full_index=1\";\n      hash = \"sha256-AAA=\";\n    })\n  ];\n\n  meta = { };\n})\n",
        &["https://a/b.patch?full_index=1"],
        "{\n  lib,\n}:\n\nstdenv.mkDerivation (finalAttrs: {\n  pname = \"a\";\n\n  meta = { };\n})\n",
    );
    becomes(
        Language::Nix,
        "{ stdenv }:\nstdenv.mkDerivation {\n  pname = \"a\";\n\n  patches = [ ./a.patch ];\n\n  x = 1;\n}\n",
        &["a.patch"],
        "{ stdenv }:\nstdenv.mkDerivation {\n  pname = \"a\";\n\n  x = 1;\n}\n",
    );
}

#[test]
fn of_a_package_yml_the_step_goes() {
    becomes(
        Language::Yaml,
        "name       : hip\nversion    : 1\nsetup      : |\n    %patch -p1 -i $pkgfiles/a.patch\n    %cmake_ninja\n",
        &["a.patch"],
        "name       : hip\nversion    : 1\nsetup      : |\n    %cmake_ninja\n",
    );
}

#[test]
fn what_is_not_certain_stays() {
    let recipe = |steps: &str| {
        format!("pkgver=1\nsource=(a.tar.gz a.patch b.patch)\n\nprepare() {{\n{steps}\n}}\n")
    };
    for steps in [
        "  for p in a.patch b.patch; do patch -p1 -i ../$p; done",
        "  patch -Np1 -i ../a.patch && patch -Np1 -i ../b.patch",
        "  git apply ../a.patch ../b.patch",
        "  cat ../a.patch ../b.patch | patch -Np1",
        "  cd a && patch -Np1 -i ../a.patch\n  rm x",
        "  cd a; patch -Np1 -i ../a.patch; rm x",
        "  if true; then cd a; patch -p1 -i ../a.patch; fi\n  rm x",
        "  if true; then\n    cd a\n    patch -p1 -i ../a.patch\n  fi\n  rm x",
        "  if true; then patch -p1 -i ../a.patch; else patch -p1 -i ../b.patch; fi",
        "  if true; then\n    rm x\n  elif false; then\n    patch -p1 -i ../a.patch\n  fi",
        "  case $CARCH in x86_64) patch -p1 -i ../a.patch ;; *) patch -p1 -i ../b.patch ;; esac",
        "  patch -Rp1 -i ../a.patch",
        "  patch -p1 \\\n    -R -i ../a.patch",
        "  local rev=-R\n  patch -p1 $rev -i ../a.patch",
        "  patch -p1 -d sub -i ../a.patch",
        "  patch --strip=0 -i ../a.patch",
        "  patch -p1 -i \"../${source[1]}\"\n  patch -p1 -i \"../${source[2]}\"",
        "  patch -p1 -i ../a.patch\n  install -m644 ../a.patch \"$pkgdir\"",
        "  [[ $s == a.patch ]] && return\n  patch -p1 -i ../a.patch",
        "  for c in a b; do patch -p1 -i ../$c.patch; done",
        "  patch -p1 -i ../a.patch || echo oh && rm x",
    ] {
        let text = recipe(steps);
        becomes(Language::Bash, &text, &["a.patch"], &text);
    }
    // What is left in a condition stays, unless it only changes the folder.
    let text = recipe("  if true; then\n    rm y\n    patch -p1 -i ../a.patch\n  fi\n  rm x");
    becomes(
        Language::Bash,
        &text,
        &["a.patch"],
        &text
            .replace(" a.patch b", " b")
            .replace("    patch -p1 -i ../a.patch\n", ""),
    );
    let text = "name: a\nsetup: |\n    if a; then\n        %patch -p1 -i $pkgfiles/a.patch\n    else\n        rm x\n    fi\n";
    becomes(Language::Yaml, text, &["a.patch"], text);
    // The helper is called.
    let text = "pkgver=1\nsource=(a.patch)\n\n_fix() {\n  cd a\n  patch -p1 -i a.patch\n}\n\nprepare() {\n  _fix\n}\n";
    becomes(Language::Bash, text, &["a.patch"], text);
    // The name of another file contains the name.
    let text = "pkgver=1\nsource=(a.tar.gz b-a.patch a.patch.xz)\n";
    becomes(Language::Bash, text, &["a.patch"], text);
    // The source is one of two that a word stands for.
    let text = "pkgver=1\nsource=({a,b}.patch)\n\nprepare() {\n  patch -p1 -i a.patch\n}\n";
    becomes(Language::Bash, text, &["a.patch"], text);
    for patches in [
        "lib.optional c ./a.patch ++ [ ./b.patch ]",
        "if c then [ ./a.patch ] else [ ./b.patch ]",
    ] {
        let text = format!("{{ c }}:\nderivation {{\n  patches = {patches};\n}}\n");
        becomes(Language::Nix, &text, &["a.patch"], &text);
    }
    let text =
        "{ c }:\nderivation {\n  patches = [ ./a.patch ];\n  passthru.patched = ./a.patch;\n}\n";
    becomes(Language::Nix, text, &["a.patch"], text);
}

#[test]
fn what_only_applies_the_patch_goes() {
    // Sources before the patch keep their numbers.
    let text = "pkgver=1\nsource=(a.tar.gz a.patch b.patch)\n_a=${source[0]}\n\nprepare() {\n  patch -p1 -i a.patch\n  rm x\n}\n";
    let without = text
        .replace(" a.patch b", " b")
        .replace("  patch -p1 -i a.patch\n", "");
    becomes(Language::Bash, text, &["a.patch"], &without);
    let text = text.replace("[0]", "[2]");
    becomes(Language::Bash, &text, &["a.patch"], &text);
    let recipe = |steps: &str| {
        format!("pkgver=1\nsource=(a.tar.gz a.patch)\n\nprepare() {{\n  cd a\n{steps}  rm x\n}}\n")
    };
    let without = recipe("").replace(" a.patch", "");
    for steps in [
        "  patch -p1 < ../a.patch\n",
        "  patch --forward -p1 --input=../a.patch\n",
        "  patch -Np1 \\\n    -i \"${srcdir}/a.patch\"\n",
        "  git apply -p1 \"$srcdir/a.patch\" || return 1\n",
        "  if true; then\n    patch -p1 -i ../a.patch\n  fi\n",
    ] {
        becomes(Language::Bash, &recipe(steps), &["a.patch"], &without);
    }
    let text = "pkgver=1\nsource=(a.tar.gz a.patch)\n\nprepare() {\n  for p in \"${source[@]}\"; do\n    patch -p1 -i \"$p\"\n  done\n}\n";
    becomes(
        Language::Bash,
        text,
        &["a.patch"],
        &text.replace(" a.patch", ""),
    );
}
