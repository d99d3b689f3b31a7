//! What goes on from the PKGBUILD that lies there, and what is left of it as a hand edit.
#![allow(clippy::disallowed_methods, reason = "bash itself is the judge here")]

use proptest::prelude::*;
use rocpkg_arch::{comparable, continued, read_srcinfo, recounted};
use rocpkg_render::bash::Assigned;
use std::process::Command;

const ZEROS: &str = "0000000000000000000000000000000000000000000000000000000000000000";
const A: &str = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
const B: &str = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";
const C: &str = "cccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccccc";

/// A PKGBUILD as rendered, and its .SRCINFO.
fn rendered(version: &str, sums: [&str; 2]) -> (String, String) {
    let [one, two] = sums;
    let pkgbuild = format!(
        "# Maintainer: A <a@example.org>\n\npkgname=tool\npkgver={version}\npkgrel=1\npkgdesc=\"A tool\"\narch=(x86_64)\n\
         source=(\n  \"$pkgname-$pkgver.tar.gz::https://example.org/v$pkgver.tar.gz\"\n  fix.patch\n)\n\
         sha256sums=(\n  {one}\n  {two}\n)\n\nbuild() {{\n  pkgrel=9\n  make\n}}\n"
    );
    let srcinfo = format!(
        "pkgbase = tool\n\tpkgdesc = A tool\n\tpkgver = {version}\n\tpkgrel = 1\n\tarch = x86_64\n\
         \tsource = tool-{version}.tar.gz::https://example.org/v{version}.tar.gz\n\tsource = fix.patch\n\
         \tsha256sums = {one}\n\tsha256sums = {two}\n\npkgname = tool\n"
    );
    (pkgbuild, srcinfo)
}

/// As `updpkgsums` leaves a text: makepkg's own layout in place of the sums.
fn updated(pkgbuild: &str, sums: [&str; 2]) -> String {
    let (head, rest) = pkgbuild.split_once("sha256sums=(").expect("a list of sums");
    let tail = rest.split_once(")\n").expect("its end").1;
    format!("{head}sha256sums=('{}'\n            '{}')\n{tail}", sums[0], sums[1])
}

/// The line of both files that sets a field.
fn line(text: &str, field: &str) -> String {
    let found = |l: &&str| l.trim_start().strip_prefix(field).is_some_and(|r| r.starts_with(['=', ' ']));
    text.lines().find(found).unwrap_or_default().trim().to_owned()
}

#[test]
fn pkgrel_counts_on_for_one_version_and_begins_anew_for_another() {
    let (pkgbuild, srcinfo) = rendered("7.2.4", [A, B]);
    for (present, rebuild, pkgrel) in [
        ("pkgver=7.2.4\npkgrel=3\n", false, "3"),
        ("pkgver=7.2.4\npkgrel=3\n", true, "4"),
        ("pkgver='7.2.4' # stays\npkgrel=\"11\"; epoch=''1\n", false, "11"),
        ("pkgver=7.2.4\npkgrel=1.1\n", false, "1.1"),
        ("pkgver=7.2.4\npkgrel=1.9\n", true, "1.10"),
        ("pkgver=7.2.3\npkgrel=3\n", false, "1"),
        ("pkgver=7.2.3\npkgrel=3\n", true, "1"),
        ("_v=7.2\npkgver=$_v.4\npkgrel=5", false, "5"),
        ("pkgver=${_v}.4\n_v=7.2\npkgrel=5", false, "?"),
        ("nothing=of the kind\n", false, "1"),
    ] {
        let Ok((text, info)) = continued(&pkgbuild, &srcinfo, present, rebuild) else {
            assert_eq!(pkgrel, "?", "{present}");
            continue;
        };
        assert_eq!(line(&text, "pkgrel"), format!("pkgrel={pkgrel}"), "{present}");
        assert_eq!(line(&info, "pkgrel"), format!("pkgrel = {pkgrel}"), "{present}");
        assert!(text.contains("\n  pkgrel=9\n") && read_srcinfo(&info).is_ok());
    }
}

#[test]
fn the_epoch_never_goes_back() {
    let (pkgbuild, srcinfo) = rendered("7.2.4", [A, B]);
    for version in ["7.2.4", "7.2.3"] {
        let present = format!("pkgver={version}\npkgrel=1\nepoch=2\n");
        let (text, info) = continued(&pkgbuild, &srcinfo, &present, false).unwrap();
        assert!(text.contains("\npkgrel=1\nepoch=2\npkgdesc"), "{text}");
        assert!(info.contains("\tpkgrel = 1\n\tepoch = 2\n\tarch"), "{info}");
        // What the model raised stays raised.
        let raised = |text: &str| text.replace("epoch=2", "epoch=3").replace("epoch = 2", "epoch = 3");
        let (text, info) = (raised(&text), raised(&info));
        assert_eq!(continued(&text, &info, &present, false).unwrap(), (text, info));
    }
}

#[test]
fn a_sum_that_the_model_lacks_is_what_lies_there_for_the_same_source() {
    let (pkgbuild, srcinfo) = rendered("7.2.4", [ZEROS, B]);
    let taken = |present: &str| {
        let (text, info) = continued(&pkgbuild, &srcinfo, present, false).unwrap();
        let sums = Assigned::read(&text).unwrap().list("sha256sums").unwrap();
        let said = read_srcinfo(&info).unwrap().fields.into_iter().filter(|(f, _)| f == "sha256sums");
        let sums: Vec<String> = sums.into_iter().map(|s| s.text).collect();
        assert_eq!(sums, said.map(|(_, v)| v).collect::<Vec<_>>());
        sums
    };
    let present = updated(&rendered("7.2.4", [ZEROS, ZEROS]).0, [A, C]);
    assert_eq!(taken(&present), [A, B], "the model's own sums stay");
    for same in [
        // Another name, other quotes, another order, comments.
        present.replace("$pkgname-$pkgver.tar.gz::", ""),
        present.replace("\"$pkgname-", "\"${pkgname}\"-\""),
        present
            .replace("source=(\n", "source=( # the archive\n  other.patch\n")
            .replace("sums=('", &format!("sums=('{C}' # other\n'")),
        present.replace(A, &format!("{A}' '{C}' #")).replace("  fix.patch", "# the fix\nx.patch fix.patch"),
        present
            .replace(")\nsha256sums", ")\nsource+=(a.patch)\nsha256sums")
            .replace("')\n", &format!("')\nsha256sums+=({C})\n")),
    ] {
        assert_eq!(taken(&same), [A, B], "{same}");
    }
    for other in [
        updated(&rendered("7.2.3", [ZEROS, ZEROS]).0, [A, C]),
        present.replace("example.org/", "example.com/"),
        present.replace(A, "SKIP"),
        present.replace(A, &A[1..]),
        present.replace("sha256sums", "b2sums"),
        present.replace("source=(\n", "source=({a,b}.patch\n"),
        present.replace("sha256sums=(", "sha256sums=($(sums) "),
        present.replace("source=(", "[[ -n $x ]] && source+=(x)\nsource=("),
    ] {
        assert_eq!(taken(&other), [ZEROS, B], "{other}");
    }
}

#[test]
fn the_sums_of_an_architecture_belong_to_its_sources() {
    let with = |sum: &str| {
        let (pkgbuild, srcinfo) = rendered("7.2.4", [A, B]);
        let more =
            format!("source_x86_64=(\"https://example.org/$pkgver.bin\")\nsha256sums_x86_64=({sum})\n");
        let said = format!(
            "\tsource_x86_64 = https://example.org/7.2.4.bin\n\tsha256sums_x86_64 = {sum}\n\npkgname"
        );
        (pkgbuild.replace("\nbuild()", &format!("{more}\nbuild()")), srcinfo.replace("\npkgname", &said))
    };
    let ((new, info), (present, said)) = (with(ZEROS), with(C));
    assert_eq!(continued(&new, &info, &present, false).unwrap(), (present, said));
}

#[test]
fn what_only_a_run_could_tell_is_not_guessed() {
    let (pkgbuild, srcinfo) = rendered("7.2.4", [A, B]);
    for (present, said) in [
        ("pkgver=7.2.4\npkgrel=$(cat rel)\n", "line 2: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\nif true; then\n  pkgrel=2\nfi\n", "line 4: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\n[[ $x ]] && pkgrel=2\n", "line 3: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\n((pkgrel++))\n", "line 3: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\npkgrel=2\n", "line 3: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\npkgrel+=1\n", "line 3: `pkgrel`"),
        ("pkgver=7.2.4\nexport pkgrel=1\n", "line 2: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1 make\n", "line 1: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=one\n", "line 2: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=1\nepoch=$E\n", "line 3: `epoch`"),
        ("pkgver=${x%.*}\npkgrel=1\n", "line 1: `pkgver`"),
        ("pkgver=7.2.4\n", "line 1: `pkgrel`"),
        ("pkgver=7.2.4\npkgrel=\"1\n", "a quote or a parenthesis"),
    ] {
        let fault = continued(&pkgbuild, &srcinfo, present, false).unwrap_err().to_string();
        assert!(fault.starts_with(said), "{present}: {fault}");
        // It stays as it is, as an edit by hand.
        assert!(said.contains("epoch") || !comparable(present, &pkgbuild).is_empty());
    }
}

#[test]
fn counting_and_updpkgsums_are_no_edits_by_hand() {
    let (base, srcinfo) = rendered("7.2.4", [ZEROS, B]);
    let bumped = base.replace("pkgrel=1\n", "pkgrel=11\n");
    let updated = updated(&bumped, [A, B]);
    let raised = updated.replace("pkgrel=11\n", "pkgrel='11'\nepoch=1\n");
    for present in [&base, &bumped, &updated, &raised] {
        assert_eq!(comparable(present, &base), base);
        assert_eq!(comparable(present, present), **present);
        let (next, _) = continued(&base, &srcinfo, present, false).unwrap();
        assert_eq!(comparable(present, &next), next);
    }
    // The other way round: what the model has an epoch for.
    assert_eq!(comparable(&updated, &raised), raised.replace("''", ""));
}

#[test]
fn edits_by_hand_are_left() {
    let base = rendered("7.2.4", [ZEROS, B]).0;
    let comment = |text: &str| {
        text.replace("pkgrel=11", "pkgrel=11 # for a reason").replace("  make", "  # by hand\n  make")
    };
    let present = comment(&updated(&base.replace("pkgrel=1\n", "pkgrel=11\n"), [A, B]));
    let left = comment(&base.replace("pkgrel=1\n", "pkgrel=11\n")).replace("pkgrel=11", "pkgrel=1");
    assert_eq!(comparable(&present, &base), left);
    // A patch of one's own keeps its sum, in the layout of the others.
    let own = present
        .replace("  fix.patch\n", "  fix.patch\n  own.patch\n")
        .replace("')\n", &format!("'\n            '{C}')\n"));
    let left = left
        .replace("  fix.patch\n", "  fix.patch\n  own.patch\n")
        .replace(&format!("  {B}\n"), &format!("  {B}\n  {C}\n"));
    assert_eq!(comparable(&own, &base), left);
    // Comments between sums are not lost.
    let noted = updated(&base, [A, B]).replace("'\n", "' # checked by hand\n");
    assert_eq!(
        comparable(&noted, &base),
        noted.replace(&format!("'{A}'"), ZEROS).replace(&format!("'{B}'"), B)
    );
}

#[test]
fn counting_on_leaves_what_hands_wrote() {
    let (new, info) = rendered("7.2.4", [ZEROS, B]);
    let by_hand =
        |text: &str| text.replace("  make", "  # by hand\n  make").replace("\npkgdesc", "; epoch=2\npkgdesc");
    let present = by_hand(&updated(&new, [A, B]));
    let (next, _) = continued(&new, &info, &present, false).unwrap();
    assert_eq!(recounted(&present, &next), present, "nothing is new");
    let (again, _) = continued(&new, &info, &present, true).unwrap();
    assert_eq!(recounted(&present, &again), present.replace("pkgrel=1", "pkgrel=2"));
    let bumped = present.replace("pkgver=7.2.4", "pkgver=7.2.5");
    assert_eq!(recounted(&bumped, &continued(&new, &info, &bumped, false).unwrap().0), bumped);
    // A sum that the model has now, and an epoch that it has.
    let known = by_hand(&new);
    let (next, _) = continued(&rendered("7.2.4", [C, B]).0, &info, &known, false).unwrap();
    assert_eq!(
        recounted(&known, &next.replace("epoch=2", "epoch=3")),
        known.replace(ZEROS, C).replace("epoch=2", "epoch=3")
    );
}

/// What bash says that a text sets: each name with its values.
fn by_bash(text: &str, names: &[&str]) -> Vec<Vec<String>> {
    let mut script = format!("{text}\n");
    for name in names {
        script.push_str(&format!("printf '%s\\0' \"${{{name}[@]}}\"; printf 'END\\0'\n"));
    }
    let out = Command::new("bash").args(["-c", &script]).env_clear().output().expect("bash runs");
    assert!(out.status.success(), "{text}\n{}", String::from_utf8_lossy(&out.stderr));
    let said = String::from_utf8(out.stdout).expect("plain text");
    let (mut lists, mut list) = (Vec::new(), Vec::new());
    for value in said.split_terminator('\0') {
        match value {
            "END" => lists.push(std::mem::take(&mut list)),
            value => list.push(value.to_owned()),
        }
    }
    lists
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    /// Pieces of PKGBUILDs in any order: what is read of a text is what bash makes of it, or nothing.
    #[test]
    fn what_is_read_is_what_bash_says(picked in prop::collection::vec(0..PIECES.len(), 1..7)) {
        let text: String = picked.iter().map(|i| PIECES[*i]).collect();
        let Some(read) = Assigned::read(&text) else { panic!("{text}") };
        let names = ["a", "b", "l", "m"];
        for (name, real) in names.into_iter().zip(by_bash(&text, &names)) {
            if let Ok(Some(value)) = read.value(name) {
                prop_assert_eq!(Some(&value), real.first(), "{} in\n{}", name, text);
            }
            if let Some(list) = read.list(name).filter(|_| read.names().any(|n| n == name)) {
                let list: Vec<String> = list.into_iter().map(|v| v.text).collect();
                prop_assert_eq!(list, real, "{} in\n{}", name, text);
            }
        }
    }

    /// Going on twice is going on once.
    #[test]
    fn going_on_twice_is_going_on_once(
        same in any::<bool>(), rel in 1..40u32, point in any::<bool>(), epoch in prop::option::of(0..4u32),
        known in any::<bool>(), summed in any::<bool>(), rebuild in any::<bool>(),
    ) {
        let (pkgbuild, srcinfo) = rendered("7.2.4", [if known { C } else { ZEROS }, B]);
        let (mut present, _) = rendered(if same { "7.2.4" } else { "7.2.3" }, [ZEROS, B]);
        let count = format!("pkgrel={rel}{}\n", if point { ".1" } else { "" });
        let epoch = epoch.map(|e| format!("epoch={e}\n")).unwrap_or_default();
        present = present.replace("pkgrel=1\n", &format!("{count}{epoch}"));
        if summed {
            present = updated(&present, [A, B]);
        }
        let (text, info) = continued(&pkgbuild, &srcinfo, &present, rebuild).unwrap();
        prop_assert_eq!(&continued(&pkgbuild, &srcinfo, &text, false).unwrap(), &(text.clone(), info.clone()));
        prop_assert_eq!(&continued(&text, &info, &text, false).unwrap(), &(text.clone(), info.clone()));
        let base = comparable(&text, &pkgbuild);
        prop_assert_eq!(base, pkgbuild);
    }
}

const PIECES: &[&str] = &[
    "a=1\n",
    "a='x y' b=$a\n",
    "b=\"$a-${a}\"\n",
    "b=${a}c\\ d\n",
    "a=\"q\\\"q\\n\\$x\\\\\"\n",
    "a=v\\\nw\n",
    "l=(x \"y z\" 'w'\"$a\" # no'te\n  v)\n",
    "l=(\n  'one' # (\n\n  \"$b\"\n)\n",
    "l+=(\"more$a\")\n",
    "m=(\"${l[@]}\")\n",
    "m=(a{1,2} x)\n",
    "m=($a)\n",
    "f() {\n  a=9\n  l=(9)\n  local b=9\n}\n",
    "f() if true; then a=8; fi\n",
    "function g {\na=9\n}\n",
    "f() (\na=7\n)\n",
    "if [[ $a == 1 ]]; then\na=2\nfi\n",
    "for a in p q; do b=$a; done\n",
    "case $a in 1) b=3;; (*) l=(2);; esac\n",
    "while false; do a=3; done\n",
    "true && a=4\n",
    "false ||\n  b=4\n",
    "a=5 true\n",
    "a=6; b=6\n",
    "export a=7\n",
    "declare b=8\n",
    "b=$(echo \")\" '(')\n",
    "b=`echo x`\n",
    "cat <<EOF >/dev/null\na=10\nl=(\nEOF\n",
    "cat <<< \"a=1\" >/dev/null\n",
    "# a=11 'open\n",
    "unset a\n",
    "b=$((1 << 2))\n",
    "((b = 3))\n",
    "{ a=12; }\n",
    "(a=13)\n",
    "! a=14\n",
    "a+=5\n",
    "l[1]=z\n",
    "read -r b <<< c\n",
    "a=~\n",
    "m=('it'\\''s' \"a\nb\" $'t')\n",
];

#[test]
fn every_rendered_package_goes_on_from_itself() {
    let golden = rocpkg_tests::fixture("golden/arch");
    let all = rocpkg_tests::texts(&golden, &[]);
    let pkgbuilds: Vec<_> =
        all.iter().filter_map(|(path, text)| Some((path.strip_suffix("/PKGBUILD")?, text))).collect();
    assert!(pkgbuilds.len() > 20);
    for (name, text) in pkgbuilds {
        let srcinfo = &all[&format!("{name}/.SRCINFO")];
        assert_eq!(comparable(text, text), *text, "{name}");
        assert_eq!(continued(text, srcinfo, text, false).unwrap(), (text.clone(), srcinfo.clone()), "{name}");
        let info = read_srcinfo(srcinfo).unwrap();
        let read = Assigned::read(text).unwrap();
        for list in ["source", "sha256sums"] {
            let said = info.fields.iter().filter(|(field, _)| field == list).map(|(_, value)| value);
            let values = read.list(list).unwrap();
            assert!(values.iter().map(|v| &v.text).eq(said), "{name}: {list}");
        }
    }
}
