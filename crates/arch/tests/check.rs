//! Contradictions in PKGBUILDs: each kind by itself, and in golden recipes that were broken.

use proptest::prelude::*;
use rocpkg_arch::check;
use rocpkg_syntax::{Checked, Surroundings};
use rocpkg_test_support::{printsrcinfo, sample, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A PKGBUILD without contradictions.
pub(crate) const SOUND: &str = "\
pkgname=tool
pkgver=1.0
pkgrel=1
arch=(x86_64)
_dirname=\"tool-$pkgver\"
source=(\"https://github.com/owner/tool/archive/v$pkgver.tar.gz\" fix.patch)
sha256sums=(SKIP SKIP)

prepare() {
  cd \"$_dirname\"
  patch -Np1 -i \"$srcdir/fix.patch\"
}

build() {
  cmake -S \"$_dirname\" -B build
  cmake --build build
}

package() {
  DESTDIR=\"$pkgdir\" cmake --install build
}
";

/// The output of `makepkg --printsrcinfo` for the sound PKGBUILD.
const INFO: &str = "\
pkgbase = tool
\tpkgver = 1.0
\tpkgrel = 1
\tarch = x86_64
\tsource = https://github.com/owner/tool/archive/v1.0.tar.gz
\tsource = fix.patch
\tsha256sums = SKIP
\tsha256sums = SKIP

pkgname = tool
";

pub(crate) fn surroundings(files: &[&str], info: &str) -> Surroundings {
    Surroundings {
        path: "tool/PKGBUILD".to_owned(),
        files: Some(files.iter().map(|&file| file.to_owned()).collect()),
        texts: BTreeMap::from([(".SRCINFO".to_owned(), info.into())]),
        archives: BTreeMap::new(),
        ..Surroundings::default()
    }
}

/// Returns the codes of the faults, each with its line.
fn told(text: &str, checked: &Checked) -> Vec<(&'static str, usize)> {
    let line = |at: usize| text[..at].matches('\n').count() + 1;
    let faults = checked.faults.iter();
    faults.map(|f| (f.finding.code, line(f.at()))).collect()
}

/// Replaces a part of the sound PKGBUILD. Returns the faults, without a `.SRCINFO`.
pub(crate) fn broken(from: &str, to: &str) -> Vec<(&'static str, usize)> {
    assert!(SOUND.contains(from), "{from}");
    let text = SOUND.replacen(from, to, 1);
    let mut beside = surroundings(&["PKGBUILD", "fix.patch"], INFO);
    beside.texts.clear();
    told(&text, &check(&text, &beside))
}

#[test]
fn a_sound_recipe_has_no_fault_and_is_checked_as_a_whole() {
    let checked = check(SOUND, &surroundings(&["PKGBUILD", "fix.patch"], INFO));
    assert_eq!(told(SOUND, &checked), []);
    assert_eq!(checked.unchecked, []);
}

#[test]
fn text_that_is_no_bash_is_a_fault() {
    assert_eq!(broken("build() {", "build() { if"), [("E0821", 14)]);
}

#[test]
fn sums_are_as_many_as_sources() {
    assert_eq!(broken("(SKIP SKIP)", "(SKIP)"), [("E0822", 7)]);
    assert_eq!(broken("(SKIP SKIP)", "()"), [("E0822", 7)]);
    assert_eq!(broken("(SKIP SKIP)", "(SKIP SKIP)\nmd5sums=()"), []);
    let lists = "(SKIP SKIP)\nsource_x86_64=(a b)\nsha256sums_x86_64=(SKIP)";
    assert!(broken("(SKIP SKIP)", lists).contains(&("E0822", 9)));
    assert_eq!(broken("fix.patch)", "fix.patch)\nsource+=()"), []);
    assert_eq!(broken("(SKIP SKIP)", "($(sums))"), []);
    let braces =
        "(SKIP SKIP)\nsource_i686=(\"https://a.org/b\"{,.sig})\nsha256sums_i686=(SKIP SKIP)";
    assert_eq!(broken("(SKIP SKIP)", braces), []);
}

#[test]
fn files_are_beside_the_recipe_and_brought_by_sources() {
    let checked = check(SOUND, &surroundings(&["PKGBUILD"], INFO));
    assert_eq!(told(SOUND, &checked), [("E0823", 6)]);
    assert_eq!(broken("/fix.patch\"", "/fiz.patch\""), [("E0823", 11)]);
    assert_eq!(
        broken("-i \"$srcdir/fix.patch\"", "< ../other.patch"),
        [("E0823", 11)]
    );
    assert_eq!(broken("-i \"$srcdir/fix.patch\"", "-i doc/other.patch"), []);
}

#[test]
fn folders_are_those_of_sources() {
    assert_eq!(broken("=\"tool-$pkgver\"", "=\"tool-2.0\""), [("E0824", 5)]);
    assert_eq!(
        broken("cd \"$_dirname\"", "cd tool-v$pkgver"),
        [("E0824", 10)]
    );
    assert_eq!(broken("cd \"$_dirname\"", "mkdir new; cd new"), []);
    assert_eq!(
        broken("https://github.com/owner/tool/archive", "https://a.org"),
        []
    );
    let mut beside = surroundings(&["PKGBUILD", "fix.patch"], INFO);
    let address = "https://github.com/owner/tool/archive/v1.0.tar.gz";
    let folders = vec!["tool-rocm-1.0".to_owned()];
    beside.archives.insert(address.to_owned(), folders);
    let checked = check(SOUND, &beside);
    assert_eq!(told(SOUND, &checked), [("E0824", 5)]);
    assert_eq!(checked.faults[0].finding.label, "expected `tool-rocm-1.0`");
}

#[test]
fn a_srcinfo_says_what_the_recipe_says() {
    for (from, to, line) in [
        ("pkgbase = tool", "pkgbase = other", 1),
        ("pkgver = 1.0", "pkgver = 0.9", 2),
        ("\tpkgrel = 1\n", "", 3),
        ("\tsource = fix.patch\n", "", 6),
        (
            "\tarch = x86_64\n",
            "\tarch = x86_64\n\tdepends = glibc\n",
            2,
        ),
        ("pkgname = tool", "pkgname = other", 1),
    ] {
        let info = INFO.replacen(from, to, 1);
        let checked = check(SOUND, &surroundings(&["PKGBUILD", "fix.patch"], &info));
        assert_eq!(told(SOUND, &checked), [("E0825", line)], "{from}");
    }
}

#[test]
fn variables_are_assigned_once() {
    assert_eq!(
        broken("arch=(x86_64)", "arch=(x86_64)\narch=(any)"),
        [("E0826", 5)]
    );
    assert_eq!(
        broken("arch=(x86_64)", "arch=(i686)\narch=(\"${arch[@]}\" a)"),
        []
    );
    // Two equal values have no effect.
    assert_eq!(broken("arch=(x86_64)", "arch=(x86_64)\narch=(x86_64)"), []);
    assert_eq!(
        broken("arch=(x86_64)", "arch=(any)\n[ -n x ] && arch=(a)"),
        []
    );
    let twice = "arch=(x86_64)\n_f() { true; }\n_f() { false; }";
    assert_eq!(broken("arch=(x86_64)", twice), [("E0826", 6)]);
    let called = "arch=(x86_64)\n_f() { true; }\n_f\n_f() { false; }";
    assert_eq!(broken("arch=(x86_64)", called), []);
}

#[test]
fn variables_are_set_before_they_are_used() {
    let build = "cmake --build build";
    let late = "cmake --build \"$_build\"\n  local _build=build";
    assert_eq!(broken(build, late).len(), 1);
    let early = "local _build=build\n  cmake --build \"$_build\"";
    assert_eq!(broken(build, early), []);
    assert_eq!(
        broken("pkgver=1.0\n", "_a=\"$_b\"\npkgver=1.0\n_b=1\n"),
        [("E0827", 2)]
    );
    assert_eq!(
        broken("cmake --build build", "cmake --build \"$_build\""),
        [("E0827", 16)]
    );
    assert_eq!(
        broken("cmake --build build", "cmake --build \"${_x:-a}\" $CFLAGS"),
        []
    );
}

#[test]
fn versions_names_and_functions_are_those_of_makepkg() {
    for version in ["1-0", "'1 0'", "1:0", "1/0"] {
        let found = broken("pkgver=1.0", &format!("pkgver={version}"));
        assert!(found.contains(&("E0828", 2)), "{version}: {found:?}");
    }
    assert_eq!(broken("pkgrel=1", "pkgrel=1a"), [("E0828", 3)]);
    assert_eq!(broken("pkgrel=1", "pkgrel=1.1\nepoch=a"), [("E0828", 4)]);
    assert_eq!(broken("pkgname=tool", "pkgname=-tool"), [("E0828", 1)]);
    assert_eq!(
        broken("package()", "package_other()"),
        [("E0828", 1), ("E0828", 19)]
    );
    assert_eq!(broken("package()", "package_tool()"), []);
}

#[test]
fn fields_are_what_makepkg_takes() {
    let own = |set: &str| {
        (
            "package() {".to_owned(),
            format!("package_tool() {{\n  {set}"),
        )
    };
    let whole = |set: &str| ("arch=(x86_64)".to_owned(), format!("arch=(x86_64)\n{set}"));
    let sound = [
        own("depends=()"),
        own("depends+=(b 'c>=1:2-3')"),
        own("local makedepends=(b)"),
        whole("depends=(b)\ndepends[0]=c"),
        whole("depends_x86_64=(b)"),
        whole("provides=(\"b=`printf %s 1`\")"),
        whole("optdepends=(b 'c: d' 'e>=1: f')"),
        whole("options=(!lto strip)\nbackup=(etc/a.conf)"),
        whole("depends=(\"b=$pkgver\")\ndepends_i686=b"),
    ];
    let wrong = [
        own("depends=b"),
        own("pkgver=2"),
        own("makedepends=(b)"),
        own("checkdepends_x86_64=(b)"),
        own("url=(b)"),
        own("conflicts=('b c')"),
        whole("depends=b"),
        whole("url=(b)"),
        whole("depends=('')"),
        whole("depends=('b c')"),
        whole("makedepends_x86_64=('b>=x:1')"),
        whole("pkgdesc_x86_64=b"),
        whole("provides=('b>=1')"),
        whole("optdepends=('b c: d')"),
        whole("options=(!other)"),
        whole("backup=(/etc/a.conf)"),
        ("arch=(x86_64)".to_owned(), "arch=(x86_64 any)".to_owned()),
        (
            "arch=(x86_64)".to_owned(),
            "arch=(any)\ndepends_any=(b)".to_owned(),
        ),
        ("arch=(x86_64)".to_owned(), "arch=(x86_64 a-b)".to_owned()),
        (
            "pkgname=tool\n".to_owned(),
            "pkgname=(tool)\npkgbase=(tool)\n".to_owned(),
        ),
        (
            "package() {".to_owned(),
            "package_tool() { :; }\npackage() {".to_owned(),
        ),
    ];
    let takes = |(from, to): &(String, String)| {
        let folder = TempDir::new().expect("a folder can be made");
        write_file(folder.path().join("PKGBUILD"), SOUND.replacen(from, to, 1));
        printsrcinfo(folder.path()).is_ok()
    };
    for pair in &sound {
        assert_eq!(broken(&pair.0, &pair.1), [], "{pair:?}");
    }
    for pair in sample("fields that makepkg takes", 3, &sound) {
        assert!(takes(pair), "{pair:?}");
    }
    for pair in sample("fields that makepkg refuses", 6, &wrong) {
        assert!(!takes(pair), "{pair:?}");
    }
    for pair in &wrong {
        let found = broken(&pair.0, &pair.1);
        assert!(
            found.iter().any(|(code, _)| *code == "E0828"),
            "{pair:?}: {found:?}"
        );
    }
    // One mistake is one finding, however many packages there are.
    let several = SOUND.replacen("pkgname=tool", "pkgname=(tool other)", 1);
    let several = several + "package_tool() { :; }\npackage_other() { :; }\n";
    let checked = check(&several, &Surroundings::default());
    let found = told(&several, &checked);
    assert_eq!(found.iter().filter(|(code, _)| *code == "E0828").count(), 1);
    // These faults stop the build, but not `--printsrcinfo`.
    assert_eq!(broken("arch=(x86_64)\n", ""), [("E0828", 1)]);
    assert_eq!(broken("(SKIP SKIP)", "(SKIP todo)"), [("E0828", 7)]);
}

#[test]
fn an_exit_and_a_carriage_return_are_refused() {
    assert_eq!(broken("pkgrel=1", "pkgrel=1\nexit 1")[0].0, "E0831");
    assert_eq!(broken("pkgrel=1", "pkgrel=1 # \r ours")[0].0, "E0831");
}

#[test]
fn functions_that_nothing_calls_are_misspelt() {
    assert_eq!(broken("prepare()", "prepar()"), [("E0829", 9)]);
    assert_eq!(broken("build()", "buld()"), [("E0829", 14)]);
    assert_eq!(broken("build()", "_build()"), []);
}

#[test]
fn deep_and_long_texts_are_refused_soon() {
    let deep = format!(
        "{}{}",
        "if true; then\n".repeat(10_000),
        "fi\n".repeat(10_000)
    );
    let long = format!("pkgdesc='{}'\n", "a".repeat(10 << 20));
    for text in [deep, long] {
        let start = Instant::now();
        let checked = check(&text, &Surroundings::default());
        assert_eq!(told(&text, &checked)[0].0, "E0821");
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}

#[test]
fn values_that_grow_are_given_up_soon() {
    let double = format!("a=aaaa\n{}", "a=\"$a$a\"\n".repeat(1000));
    let array = format!(
        "source=(a)\n{}",
        "source+=(\"${source[@]}\")\n".repeat(1000)
    );
    let braces = format!("source=({})\n", "{a,b}".repeat(60));
    let appended = "source+=(a)\n".repeat(50_000);
    for text in [double, array, braces, appended] {
        let start = Instant::now();
        check(&text, &Surroundings::default());
        let passed = start.elapsed();
        assert!(passed < Duration::from_secs(20), "{passed:?}");
    }
}

/// Returns the golden recipes with the files and texts beside them.
fn golden() -> Vec<(String, String, Surroundings)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/arch");
    let mut all = Vec::new();
    let folders = std::fs::read_dir(&root).into_iter().flatten().flatten();
    for folder in folders.map(|entry| entry.path()) {
        let Ok(text) = std::fs::read_to_string(folder.join("PKGBUILD")) else {
            continue;
        };
        let name = folder
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let info = std::fs::read_to_string(folder.join(".SRCINFO")).unwrap_or_default();
        // Files that the user provides are not among the golden files.
        let listed = info
            .lines()
            .filter_map(|line| line.strip_prefix("\tsource = "));
        let files: BTreeSet<&str> = listed.filter(|source| !source.contains("://")).collect();
        let files: Vec<&str> = files.into_iter().collect();
        let mut beside = surroundings(&files, &info);
        // The folders of GitHub's archives.
        let sources = info
            .lines()
            .filter_map(|line| line.strip_prefix("\tsource = "));
        for line in sources.filter(|line| line.contains("/archive/")) {
            let address = line.rsplit("::").next().unwrap_or_default();
            let parts: Vec<&str> = address.split('/').collect();
            // `archive/refs/tags/v1.0.tar.gz`, or `archive/COMMIT/any-name.tar.gz`.
            let is_tag = parts[6] == "refs";
            let tag = if is_tag { parts[8] } else { parts[6] }.trim_end_matches(".tar.gz");
            let folder = format!("{}-{}", parts[4], tag.trim_start_matches('v'));
            beside.archives.insert(address.to_owned(), vec![folder]);
        }
        all.push((name, text, beside));
    }
    all.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(all.len() > 20);
    all
}

#[test]
fn golden_recipes_have_no_fault() {
    for (name, text, beside) in golden() {
        let checked = check(&text, &beside);
        assert_eq!(told(&text, &checked), [], "{name}: {:?}", checked.faults);
    }
}

/// A recipe that was broken in one place: the kind, the text, and the code and line of the fault.
type Mutation = (&'static str, String, (&'static str, usize));

/// Breaks a recipe in each way that applies to it.
fn mutations(text: &str) -> Vec<Mutation> {
    let lines: Vec<&str> = text.lines().collect();
    let line_of = |start: &str| lines.iter().position(|line| line.starts_with(start));
    let joined = |lines: &[&str]| format!("{}\n", lines.join("\n"));
    let mut out: Vec<Mutation> = Vec::new();
    for (list, kind) in [("sha256sums=(", "a sum out"), ("source=(", "a source out")] {
        let (Some(at), Some(sums)) = (line_of(list), line_of("sha256sums=(")) else {
            continue;
        };
        let mut changed = lines.clone();
        let single = format!("{list})");
        let mut sum = sums + 1;
        if lines[at].ends_with(')') {
            changed[at] = &single;
        } else {
            changed.remove(at + 1);
            sum -= usize::from(at < sums);
        }
        out.push((kind, joined(&changed), ("E0822", sum)));
    }
    if let Some(at) = line_of("_dirname=\"") {
        let renamed = lines[at].replacen("=\"", "=\"other-", 1);
        let mut changed = lines.clone();
        changed[at] = &renamed;
        out.push(("a folder renamed", joined(&changed), ("E0824", at + 1)));
        let uses = lines[..at].iter().any(|line| line.contains("$_dirname"));
        let function = line_of("build() {").filter(|_| !uses);
        if function.is_some() {
            let mut changed = lines.clone();
            changed.remove(at);
            let first = changed.iter().position(|line| line.contains("$_dirname"));
            if let Some(first) = first {
                out.push(("a variable out", joined(&changed), ("E0827", first + 1)));
            }
        }
    }
    if let Some(at) = line_of("pkgver=") {
        let user = lines.iter().position(|line| line.contains("$pkgver"));
        let end = line_of("build() {").or_else(|| line_of("package"));
        if let (Some(user), Some(end)) = (user.filter(|user| *user > at), end)
            && user < end
        {
            let mut changed = lines.clone();
            let moved = changed.remove(at);
            changed.insert(end - 1, moved);
            out.push((
                "a variable below its use",
                joined(&changed),
                ("E0827", user),
            ));
        }
        let raised = format!("{}.9", lines[at]);
        let mut changed = lines.clone();
        changed[at] = &raised;
        out.push((".SRCINFO stale", joined(&changed), ("E0825", at + 1)));
        let refused = format!("{}-1", lines[at]);
        changed[at] = &refused;
        out.push((
            "a version with a hyphen",
            joined(&changed),
            ("E0828", at + 1),
        ));
    }
    for (start, other, kind) in [
        ("arch=(", "arch=(other)", "an array twice"),
        ("pkgrel=", "pkgrel=77", "a variable twice"),
    ] {
        if let Some(at) = line_of(start) {
            let mut changed = lines.clone();
            changed.insert(at + 1, other);
            out.push((kind, joined(&changed), ("E0826", at + 2)));
        }
    }
    for (start, wrong) in [("build() {", "buidl() {"), ("prepare() {", "prepar() {")] {
        if let Some(at) = line_of(start) {
            let mut changed = lines.clone();
            changed[at] = wrong;
            out.push(("a function misspelt", joined(&changed), ("E0829", at + 1)));
        }
    }
    if let Some(at) = lines
        .iter()
        .position(|line| line.starts_with("package_") && line.ends_with("() {"))
    {
        let renamed = lines[at].replacen("() {", "-other() {", 1);
        let mut changed = lines.clone();
        changed[at] = &renamed;
        out.push((
            "a package's function renamed",
            joined(&changed),
            ("E0828", at + 1),
        ));
    }
    if let Some(at) = lines
        .iter()
        .position(|line| line.contains("$srcdir/") && line.contains(".patch\""))
    {
        let renamed = lines[at].replacen(".patch\"", "-other.patch\"", 1);
        let mut changed = lines.clone();
        changed[at] = &renamed;
        out.push(("a patch renamed", joined(&changed), ("E0823", at + 1)));
    }
    if let Some(at) = lines.iter().position(|line| *line == "}") {
        let mut changed = lines.clone();
        changed[at] = "";
        out.push(("a bracket out", joined(&changed), ("E0821", 0)));
    }
    out
}

#[test]
fn broken_golden_recipes_are_found_at_their_line() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    for (name, text, beside) in golden() {
        for (kind, broken, (code, line)) in mutations(&text) {
            let faults = told(&broken, &check(&broken, &beside));
            let found = faults
                .iter()
                .any(|fault| fault.0 == code && (line == 0 || fault.1 == line));
            let count = counts.entry(kind).or_default();
            count.0 += 1;
            count.1 += usize::from(found);
            if !found {
                missed.push(format!(
                    "{name}: {kind}: {code} in line {line}, but {faults:?}"
                ));
            }
        }
    }
    #[allow(clippy::print_stdout)] // a measure, shown with --nocapture
    {
        println!("{counts:#?}\n{missed:#?}");
    }
    let (all, found) = counts
        .values()
        .fold((0, 0), |sum, n| (sum.0 + n.0, sum.1 + n.1));
    assert!(all > 200, "{all}");
    assert!(found * 100 >= all * 95, "{found} of {all}: {missed:#?}");
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn cut_and_broken_recipes_end_in_an_answer(recipe in 0..1000usize, cut in 0..10_000usize, put in "[\\PC\n(){}$\"'\\\\`]{0,4}") {
        let all = golden();
        let (_, text, beside) = &all[recipe % all.len()];
        let at = text.floor_char_boundary(cut % text.len());
        let changed = format!("{}{put}{}", &text[..at], &text[text.ceil_char_boundary((at + cut % 7).min(text.len()))..]);
        for text in [&text[..at], &changed] {
            let checked = check(text, beside);
            prop_assert!(checked.faults.iter().all(|fault| fault.at() <= text.len()));
        }
    }
}

/// Returns the messages of the faults E0832 of the sound PKGBUILD with other functions.
fn laws(prepare: &str, build: &str) -> Vec<String> {
    let text = SOUND
        .replace("  patch -Np1 -i \"$srcdir/fix.patch\"\n", prepare)
        .replace("  cmake --build build\n", build);
    let mut beside = surroundings(&["PKGBUILD", "fix.patch"], INFO);
    beside.rivals = ["GPU_TARGETS", "AMDGPU_TARGETS"].map(str::to_owned).into();
    let faults = check(&text, &beside).faults.into_iter();
    let own = faults.filter(|fault| fault.finding.code == "E0832");
    own.map(|fault| fault.finding.message).collect()
}

#[test]
fn commands_are_followed_through_functions_and_folders() {
    let sound = "  cmake --build build\n";
    let patch = "  patch -Np1 -i \"$srcdir/fix.patch\"\n";
    assert_eq!(laws(patch, sound), [] as [&str; 0]);
    for enter in [
        "  cd \"$_dirname\"\n",
        "  pushd \"$_dirname\"\n",
        "  cd \"$_dirname\" || exit 1\n",
        "  _enter\n}\n_enter() {\n  cd \"${_dirname}\"\n",
    ] {
        let told = laws(enter, sound);
        assert_eq!(told.len(), 1, "{enter}");
        assert!(told[0].contains("is entered inside of"), "{told:?}");
    }
    // In a subshell, and back by `popd`, the folder is left again.
    for enter in [
        "  popd || true\n",
        "  (cd \"$srcdir/$_dirname\" && true)\n",
        "  cd \"$srcdir/$_dirname\"\n",
        "  if [[ -d $_dirname ]]; then cd \"$_dirname\"; fi\n",
    ] {
        assert_eq!(laws(enter, sound), [] as [&str; 0], "{enter}");
    }
    let dash = laws(patch, "  cmake -B build \\\n    -S .\n    -D A=1\n");
    assert_eq!(dash, ["`-D` is run as a command"]);
    let pick = laws("  git cherry-pick -n 0123\n", sound);
    assert_eq!(
        pick,
        ["`git cherry-pick` needs a repository, and no source is one"]
    );
    let late = laws(patch, "  CXXFLAGS+=\" -O1\"\n  cmake --build build\n");
    assert_eq!(late, ["`CXXFLAGS` is set after the build is configured"]);
    // A makefile of upstream's own may read the flags, and one that cmake made does not.
    let made = laws(patch, "  CXXFLAGS+=\" -O1\"\n  make -C src\n");
    assert_eq!(made, [] as [&str; 0]);
    for make in [
        "  CXXFLAGS+=\" -O1\"\n  make -C build\n",
        "  make -C build\n  CXXFLAGS+=\" -O1\"\n",
        "  make -C src\n  CXXFLAGS+=\" -O1\"\n",
    ] {
        let late = laws(patch, make);
        assert_eq!(
            late,
            ["`CXXFLAGS` is set after the build is configured"],
            "{make}"
        );
    }
    for cmake in ["  cmake -S . -B out -G Ninja\n", "  cmake -Bout -GNinja\n"] {
        let made = laws(patch, &format!("{cmake}  make -C out\n"));
        let said = "`make` is run in a folder that cmake configured for ninja";
        assert_eq!(made, [said], "{cmake}");
        let made = laws(patch, &format!("{cmake}  ninja -C out\n"));
        assert_eq!(made, [] as [&str; 0], "{cmake}");
    }
    let both =
        "  cmake -B build -D AMDGPU_TARGETS='gfx1030' -DGPU_TARGETS=\"$(rocm-supported-gfx)\"\n";
    assert_eq!(
        laws(patch, both),
        ["`AMDGPU_TARGETS` and `GPU_TARGETS` are set to different values"]
    );
    let same = "  local t=\"$(rocm-supported-gfx)\"\n  cmake -D AMDGPU_TARGETS=\"$t\" -DGPU_TARGETS=\"$t\"\n";
    assert_eq!(laws(patch, same), [] as [&str; 0]);
}
