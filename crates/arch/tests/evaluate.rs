//! `.SRCINFO` from a PKGBUILD's text: equal to the output of bash and makepkg, or refused with its
//! place.

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use rocpkg_arch::evaluate;
use rocpkg_syntax::place;
use rocpkg_test_support::{is_whole, printsrcinfo, write_file};
use std::fmt::Write as _;

/// Returns a PKGBUILD with further lines.
fn with(lines: &str) -> String {
    format!("pkgname=thing\npkgver=1.2.3\npkgrel=1\narch=(any)\nlicense=(MIT)\n{lines}\n")
}

/// Returns each refusal as its place and its reason.
fn refusals(text: &str) -> Vec<String> {
    let all = evaluate(text).map(|info| panic!("{text}\n{info}"));
    let all = all.unwrap_err().into_iter().map(|fault| {
        assert!(
            ["E0821", "E0830"].contains(&fault.finding.code),
            "{fault:?}"
        );
        let (line, column) = place(text, fault.at());
        format!("{line}:{column}: {}", fault.finding.label)
    });
    all.collect()
}

/// A split package: fields for an architecture, lines in all kinds of blocks, defaults, braces.
const SPLIT: &str = r#"# a comment
pkgbase=thing
pkgname=('thing-a' thing-{b,c}) # three
_v=1_2-rc3; _on=${_on:-yes}
pkgver=${_v//[_-]/.}
pkgrel=1
epoch=2
pkgdesc="A ${pkgbase^} of \"${pkgver%%.*}\",	in  words"
export url=https://example.org/?q=$pkgbase
arch=(x86_64 aarch64)
license=('MIT'
         "BSD-${pkgver:0:1}-Clause") ; groups=()
_deps=("one>=${pkgver#*.}" 'two: three')
depends=("${_deps[0]}" glibc)
depends+=(zlib{,-ng})
depends_x86_64=(only-${arch[0]/_/-})
optdepends=("${_deps[1]}" $'four: it\'s \x41')
makedepends=(${_on:+cmake ninja})
options=(!strip)
backup=("etc/${pkgname[1]}.conf")
source=("$url/${pkgbase}-$pkgver.tar.gz"{.a,.b} local.patch)
source_aarch64=("${source[@]/%.patch/.arm}")
sha256sums=(SKIP SKIP SKIP)
sha256sums_aarch64=(SKIP SKIP SKIP)
unset _on
CFLAGS+=" -O2"
_unused=$(uname -m | tr a-z A-Z)

build() {
  depends=(never)
  : <<EOT
depends=(neither)
EOT
}

package_thing-a() {
  pkgdesc+=" (a)"
  local url=never
  depends=("$pkgname-data"
           # a comment
           'with>=1' "${depends[@]}")
  if false; then
    provides+=("p=$pkgver")
  else provides+=("q") ; fi
  [[ -n $x ]] && conflicts=(never)
  for i in 1; do replaces+=(r); done
  case $x in
    a) groups=(g) ;;
  esac
  depends_x86_64=()
}
package_thing-b() { install=; license=(); install=b.install; arch=(any); }
function package_thing-c {
  true
}
"#;

/// Conditions, loops and functions in the global scope.
const FLOW: &str = r#"pkgname=thing
_tag=v1.2; pkgver=${_tag#v}
pkgrel=1
arch=(x86_64)
license=(MIT)
if [[ $CARCH == x86_64 && -z $epoch ]]; then
  depends=(a)
else
  depends=(b)
fi
for _d in c{1,2} "d"; do depends+=("$_d-${pkgver}"); done
case $pkgver in
  1.*|2.*) provides=("x") ;;
  *) provides=(y) ;;
esac
_named() { local one=$1; printf '%s-%s' "$one" "$2"; }
conflicts=("$(_named p q)" $(echo r s))
[ -n "$pkgdesc" ] || pkgdesc="${_words:=f: some words}"
url=https://example.org/a$
((1)) && optdepends=("$_words")
_i=0
while false; do _i=1; done
replaces=("r$_i")
url=b true
eval "groups=(g)"
source=(a.patch)
sha256sums=(SKIP)
true
"#;

#[test]
fn it_is_what_makepkg_prints() {
    let plain = with("package() {\n\tprovides=($pkgname)\n}");
    let split = SPLIT.replace(" install=;", "");
    for text in [split, plain, FLOW.to_owned()] {
        let dir = tempfile::tempdir().unwrap();
        write_file(dir.path().join("PKGBUILD"), &text);
        write_file(dir.path().join("local.patch"), "");
        write_file(dir.path().join("a.patch"), "");
        write_file(dir.path().join("b.install"), "");
        let real = printsrcinfo(dir.path()).unwrap_or_else(|e| panic!("{e}"));
        let own = evaluate(&text).unwrap_or_else(|e| panic!("{e:#?}\n{real}"));
        assert_eq!(own.to_string(), real);
    }
}

#[test]
fn what_bash_alone_can_tell_is_refused_at_its_place() {
    for (lines, expected) in [
        ("url=$(x)", "6:7: the value is the output of a command"),
        (
            "_a=`x`\nurl=$_a",
            "6:4: the value is the output of a command",
        ),
        (
            "url=\"${_a:-\"b\"}\"",
            "6:5: quotes inside of quotes are not supported",
        ),
        ("url=$((1 + 2))", "6:5: the value is computed"),
        ("url=$_a", "6:5: `_a` is not set in the PKGBUILD"),
        (
            "url=${srcdir:-a}",
            "6:5: `srcdir` is not set in the PKGBUILD",
        ),
        ("url=${!pkgname}", "6:5: `thing` is not set in the PKGBUILD"),
        ("url=~/a", "6:5: `~` is the user's home folder"),
        (
            "url=${pkgver/[a-z]/.&}",
            "6:5: the replacement is not supported",
        ),
        ("depends=(*.c)", "6:10: a pattern may match files"),
        ("depends=([1]=a)", "6:14: an element is set by its index"),
        ("depends[1]=a", "6:12: a single element of an array is set"),
        (
            "[[ $USER == root ]] && url=a",
            "6:4: it depends on a condition",
        ),
        ("eval \"$(x)\"", "6:1: only bash can run `eval`"),
        ("source a", "6:1: only bash can run `source`"),
        ("declare -A url", "6:12: only bash can run `declare`"),
        ("IFS=,", "6:5: `IFS` changes how bash reads the rest"),
        ("grep() { true; }", "6:1: makepkg itself calls `grep`"),
        (
            "package() {\n\tlocal _a=b\n\turl=$_a\n}",
            "8:6: `_a` is not set in the PKGBUILD",
        ),
        (
            "package() {\n\turl=$srcdir\n}",
            "7:6: makepkg sets `srcdir` here",
        ),
        (
            "package() {\n\turl=a || true\n}",
            "7:2: the line contains more than the assignment",
        ),
        (
            "package() {\n\turl=a true\n}",
            "7:2: the line contains more than the assignment",
        ),
        (
            "package() {\n\tdepends=('a\nb')\n}",
            "7:2: makepkg only reads the first line of the value",
        ),
        (
            "package() {\n\tcat <<E\n url=a\nE\n}",
            "8:2: makepkg reads this line as an assignment",
        ),
        (
            "package() (\n\turl=a\n)",
            "7:2: the line contains more than the assignment",
        ),
    ] {
        assert_eq!(refusals(&with(lines)), [expected], "{lines}");
    }
    let several = with("url=$(x)\ndepends=(a $(y) \"$(z)\")\ninstall=$_a");
    assert_eq!(refusals(&several).len(), 3, "all are returned");
    assert!(refusals("pkgname=(").len() == 1);
    // A short text can't take long.
    let double = format!("_a={}\n{}", "a".repeat(99), "_a=$_a$_a\n".repeat(9));
    let long = refusals(&with(&format!("{double}url=${{_a//b/c}}")));
    assert_eq!(long, ["16:5: the value is too long for a pattern"]);
    let braces = refusals(&with(&format!("depends=({})", "{a,b}".repeat(40))));
    assert_eq!(braces, ["6:10: the braces are not supported"]);
    let lacks = refusals("pkgname=a\n");
    assert_eq!(lacks[0], "1:1: makepkg refuses a PKGBUILD without `pkgver`");
}

/// Parts of words. `_l` is an array, `_n` is an empty one, `_e` is empty, and `_u` is not set.
const PARTS: &[&str] = &[
    "a",
    "b.c",
    "$_v",
    "${_v}",
    "\"$_v\"",
    "'q r'",
    "\"${_l[@]}\"",
    "${_l[@]}",
    "${_l[1]}",
    "${_l[*]}",
    "\"${_l[*]}\"",
    "{x,y}",
    "{1..3}",
    "{08..11}",
    "{a{b,c},d}",
    "{a}",
    "{",
    "}",
    "{x",
    ",",
    "${_v%.*}",
    "${_v%%.*}",
    "${_v#*.}",
    "\"${_v##*.}\"",
    "\"${_v//./-}\"",
    "${_v/#1/x}",
    "${_v/%3/'9'}",
    "${_v/./\"$_s\"}",
    "${_v: -2}",
    "${_v:1:2}",
    "${_v::-1}",
    "${_u:-d e}",
    "\"${_u:-it's}\"",
    "${_v:+z}",
    "${_u+z}",
    "${_e:-f}",
    "${_e-f}",
    "\\\"",
    "\\ ",
    "$'t\\tn'",
    "\"${_l[@]/%/_s}\"",
    "${_l[@]#o}",
    "${#_v}",
    "${#_l[@]}",
    "\"$_e\"",
    "$_e",
    "\"${_n[@]}\"",
    "${_n[@]}",
    "\"\"",
    "''",
    "\"\\$x\\\\ \\q\"",
    "${_v##*[.]}",
    "${_v//[!0-9]/}",
    "${_v//[0-2]/_}",
    "${_m^^}",
    "${_m,}",
    "$_s",
    "\"*\"",
    "\"${_v//\\./_}\"",
    "${_s// /}",
    "${_l[@]:1}",
    "$",
    "\"$\"",
    "=",
    ":",
    "%",
    "${_u:-\"$_s\"}",
    "${_v%'.3'}",
    "\"${_v%'.3'}\"",
    "\"${_s%\"b c\"}\"",
    "#",
    "!",
    "^",
    "\\\n",
    "${_v/${_v:0:1}/y}",
    "${_h/#\\#/n}",
    "${_h//#/n}",
];

const VARIABLES: &str =
    "_v=1.2.3 _m=aBc _e= _s='a  b c' _h='#a#'\n_l=(one 'two words' '' three)\n_n=()\n";

#[test]
fn words_are_those_of_bash() {
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[46; 32]);
    let mut runner = TestRunner::new_with_rng(Config::default(), rng);
    let part = prop::sample::select(PARTS.to_vec());
    let word = prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat());
    let cases = if is_whole() { 20_000 } else { 2_000 };
    let singles = PARTS.iter().map(|part| (*part).to_owned());
    let all: Vec<String> = singles
        .chain((0..cases).map(|_| word.new_tree(&mut runner).unwrap().current()))
        .collect();
    let (mut script, mut own) = (format!("set -f\n{VARIABLES}"), Vec::new());
    for word in &all {
        // The word is an element of an array, and a value that is not split.
        let lines = format!("depends=({word}\n)\nurl={word}\n");
        let Ok(info) = evaluate(&with(&format!("{VARIABLES}{lines}"))) else {
            continue;
        };
        let of = |field: &str| {
            let all = info.fields.iter().filter(|(name, _)| name == field);
            all.map(|(_, value)| value.clone()).collect::<Vec<_>>()
        };
        own.push((word, of("depends"), of("url")));
        writeln!(script, "printf '{word_at}\\2'", word_at = own.len() - 1).unwrap();
        script.push_str(&lines);
        script.push_str("((${#depends[@]})) && printf '%s\\1' \"${depends[@]}\"\n");
        script.push_str("printf '\\2%s\\1\\3' \"$url\"\n");
    }
    let dir = tempfile::tempdir().unwrap();
    write_file(dir.path().join("script"), &script);
    let output = rocpkg_programs::command("bash")
        .args(["--norc", "script"])
        .current_dir(dir.path())
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    let real = String::from_utf8(output.stdout).unwrap();
    let real: Vec<&str> = real.split_terminator('\u{3}').collect();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert_eq!(real.len(), own.len(), "{complaints}");
    // Blanks are compared as `.SRCINFO` has them.
    let normal = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    for (i, ((word, depends, url), real)) in own.iter().zip(real).enumerate() {
        let (at, real) = real.split_once('\u{2}').unwrap();
        assert_eq!(at, i.to_string(), "{word}: {complaints}");
        let (list, value) = real.split_once('\u{2}').unwrap();
        let list: Vec<String> = list.split_terminator('\u{1}').map(normal).collect();
        let value = value.trim_end_matches('\u{1}');
        let value = (!value.is_empty()).then(|| normal(value));
        assert_eq!(*depends, list, "{word}");
        assert_eq!(url.first(), value.as_ref(), "{word}");
    }
    assert!(own.len() * 2 > all.len(), "{} of {}", own.len(), all.len());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 128, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_ends_in_an_answer(cut in 0..2000usize, put in "[\\PC\n(){}$\"'\\\\`=]{0,6}") {
        let at = SPLIT.floor_char_boundary(cut % SPLIT.len());
        let changed = format!("{}{put}{}", &SPLIT[..at], &SPLIT[at..]);
        for text in [&SPLIT[..at], &changed] {
            if let Err(faults) = evaluate(text) {
                prop_assert!(faults.iter().all(|fault| fault.at() <= text.len()));
                prop_assert!(!faults.is_empty());
            }
        }
    }
}
