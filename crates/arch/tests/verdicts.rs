//! Lines that are added to a PKGBUILD: `check` refuses those that makepkg refuses, and no others.

use crate::check::{SOUND, broken, surroundings};
use rocpkg_arch::check;
use rocpkg_test_support::{printsrcinfo, sample, write_file};
use std::collections::BTreeSet;
use tempfile::TempDir;

/// Lines below `arch` that make makepkg refuse the sound PKGBUILD, each with the code of the fault.
/// The kinds are those of the scripts in makepkg's `lint_pkgbuild/`, and of `source_safe`.
const REFUSED: &str = r#"
E0828 epoch=a
E0828 depends=('b>=1-2-3')
E0828 depends=(-b)
E0828 depends=(b!)
E0828 makedepends=('b>=')
E0828 checkdepends=('')
E0828 conflicts=('b>=1:2:3')
E0828 provides=('b=')
E0828 optdepends=('b>=: c')
E0828 optdepends=('b c: d')
E0828 options=(other)
E0828 options=strip
E0828 backup=(/etc/b)
E0828 license=b
E0828 groups=b
E0828 validpgpkeys=b
E0828 noextract=b
E0828 depends_x86_64=b
E0828 url_x86_64=b
E0828 pkgbase=-b
E0828 unset pkgver
E0828 unset pkgname
E0828 pkgver=$epoch.1-2
E0828 pkgver=$epoch
E0823 install=tool.install
E0823 changelog=ChangeLog
E0831 exit
E0831 exit 1
E0831 return 1
E0831 true && exit 1
E0831 false || exit 1
E0831 [[ -n $pkgver ]] && exit 1
E0831 if [ "$pkgver" = 1.0 ]; then exit 1; fi
E0831 if false; then true; else exit 1; fi
E0831 for i in a b; do exit 1; done
E0831 while true; do exit 1; done
E0831 case a in b) true ;; a) exit 1 ;; esac
E0831 { exit 1; }
E0831 builtin exit 1
E0831 _f() { exit 1; }; _f
E0831 eval exit 1
E0831 _v=${_nothing:?missing}
E0831 set -u
"#;

/// Lines below `arch` with which makepkg accepts the sound PKGBUILD.
const ACCEPTED: &str = r#"
epoch=
epoch=2
depends=('b>=')
depends=('b>=:1')
conflicts=('b>=1:2-3.1')
optdepends=('d: e f')
options=('!strip')
source_x86_64=()
false && exit 1
true || exit 1
[[ -z $pkgver ]] && exit 1
if [ "$pkgver" = 2.0 ]; then exit 1; fi
case a in b) exit 1 ;; esac
(exit 1)
_f() { return 1; }; _f
_v=$(exit 1)
set -u; set +u
unset _nothing
declare depends=b
depends=(b); depends=c
_license=b
false
"#;

/// Lines at the end that make makepkg refuse the sound PKGBUILD.
const LAST_REFUSED: &str = r#"
false
[[ -n "" ]]
[ 1 -eq 2 ] && _x=1
[[ $pkgver == 2.0 ]] && depends+=(b)
! true
_v=$(false)
((0))
return 1
true && false
if true; then false; fi
{ false; }
_f() { false; }; _f
"#;

/// Lines at the end with which makepkg accepts the sound PKGBUILD.
const LAST_ACCEPTED: &str = r"
true
false || true
[[ -n $pkgver ]]
[[ $pkgver == 2.0 ]] || true
if false; then false; fi
unset _nothing
return
return 0
for i in a; do :; done
";

/// Lines at the beginning of `package` that make makepkg refuse the sound PKGBUILD.
const INSIDE_REFUSED: &str = r"
pkgver=2
pkgrel=2
epoch=1
pkgbase=b
makedepends=(b)
makedepends+=(b)
checkdepends=(b)
source=(b)
noextract=(b)
sha256sums=(b)
validpgpkeys=(b)
depends=b
depends+=b
depends=(b); depends+=(-c)
license=b
url=(b)
arch=any
backup=(/etc/b)
options=(other)
provides=('b>1')
depends=('b c')
depends_x86_64=b
source_x86_64=(b)
url_x86_64=b
install=tool.install
if true; then pkgver=2; fi
pkgver=2 true
pkgver=2 || true
{ pkgver=2; }
_f() { pkgver=2; }
true; pkgver=2
";

/// Lines at the beginning of `package` with which makepkg accepts the sound PKGBUILD.
const INSIDE_ACCEPTED: &str = r#"
local pkgver=2
export pkgver=2
true && pkgver=2
(pkgver=2)
for pkgver in 2; do :; done
depends=(b)
depends+=(b)
depends_x86_64=(b)
depends=()
depends=(-b); depends=(c)
url=b
pkgdesc=b
license=(b)
depends[0]=b
exit 1
return 1
echo "pkgver=2"
"#;

/// Asserts that `check` refuses the PKGBUILD with each of the lines if `is_refused` is set, and
/// none otherwise, and that makepkg does the same. `at` returns the PKGBUILD with a line.
fn verdicts(lines: &str, is_refused: bool, at: impl Fn(&str) -> String) {
    let lines: Vec<&str> = lines.lines().filter(|line| !line.is_empty()).collect();
    let text = |line: &str| {
        let code = line.get(..5).filter(|code| code.starts_with("E08"));
        (
            code.map(str::to_owned),
            at(code.map_or(line, |_| &line[6..])),
        )
    };
    for line in &lines {
        let (code, text) = text(line);
        let checked = check(&text, &surroundings(&["PKGBUILD", "fix.patch"], ""));
        let faults = checked.faults.iter().filter(|fault| !fault.is_harmless);
        let codes: BTreeSet<&str> = faults.map(|fault| fault.finding.code).collect();
        let is_told = code.map_or(!codes.is_empty(), |code| codes.contains(code.as_str()));
        assert_eq!(is_told, is_refused, "{text}\n{codes:?}");
    }
    // makepkg needs half a second for each line.
    for line in sample("lines", 4, lines) {
        let (_, text) = text(line);
        let folder = TempDir::new().expect("a folder can be made");
        write_file(folder.path().join("PKGBUILD"), text.as_str());
        let printed = printsrcinfo(folder.path());
        // After `exit`, makepkg ends without an error, and prints nothing.
        let is_whole = printed
            .as_ref()
            .is_ok_and(|text| text.contains("pkgname = "));
        assert_eq!(!is_whole, is_refused, "{text}\n{printed:?}");
    }
}

#[test]
fn lines_of_the_global_scope_are_refused_as_by_makepkg() {
    let below = |line: &str| SOUND.replacen("arch=(x86_64)", &format!("arch=(x86_64)\n{line}"), 1);
    verdicts(REFUSED, true, below);
    verdicts(ACCEPTED, false, below);
}

#[test]
fn the_last_command_fails_as_for_makepkg() {
    let last = |line: &str| format!("{SOUND}\n{line}\n");
    verdicts(LAST_REFUSED, true, last);
    verdicts(LAST_ACCEPTED, false, last);
}

#[test]
fn lines_of_package_are_refused_as_by_makepkg() {
    let inside = |line: &str| SOUND.replacen("package() {", &format!("package() {{\n  {line}"), 1);
    verdicts(INSIDE_REFUSED, true, inside);
    verdicts(INSIDE_ACCEPTED, false, inside);
    // makepkg reads the lines of texts, too.
    for text in ["cat <<E\n pkgver=2\nE", "echo \"\n pkgver=2\""] {
        verdicts("pkgver=2", true, |_| inside(text));
    }
    verdicts("pkgver=2", false, |_| inside("cat <<E\npkgver=2\nE"));
}

#[test]
fn a_carriage_return_and_a_byte_order_mark_are_refused() {
    assert_eq!(broken("pkgrel=1", "pkgrel=1\r")[0].0, "E0821");
    assert_eq!(broken("pkgname=tool", "\u{feff}pkgname=tool")[0].0, "E0821");
    assert_eq!(broken("arch=(x86_64)", "arch=(x86_64)\nreturn").len(), 0);
}

#[test]
fn a_source_has_no_gaps() {
    let below = |line: &str| format!("{SOUND}\n{line}\n");
    verdicts("source[5]=a", true, below);
    verdicts("source[2]=a; sha256sums[2]=SKIP", false, |_| {
        below("source[2]=fix.patch\nsha256sums[2]=SKIP")
    });
}
