//! Tests of [`check`]: a test of each code, recipes of `tests/golden` that are broken on purpose,
//! and texts that are cut at any place.
#![allow(clippy::print_stdout, reason = "one test prints what it counted")]

use proptest::prelude::*;
use rocpkg_solus::check;
use rocpkg_syntax::{Fault, Surroundings};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns the faults of a text, each as its code, line and message: `E0842 3 message`.
fn faults(text: &str) -> Vec<String> {
    let checked = check(text, &Surroundings::default());
    let line = |fault: &Fault| text[..fault.at()].matches('\n').count() + 1;
    let shown = |f: &Fault| format!("{} {} {}", f.finding.code, line(f), f.finding.message);
    checked.faults.iter().map(shown).collect()
}

const SOUND: &str = "\
name       : hip
version    : 7.2.3
release    : 7 # rebuilt
source     :
    - https://example.org/hip-7.2.3.tar.gz : 0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
    - git|https://example.org/part.git : v1.0.1
license    : MIT
component  : programming
summary    : HIP
description: |
    HIP
    name: no key
builddeps  :
    - cmake
    - cmake
rundeps    :
    - devel :
        - hip
install    : |
    %make_install
";

/// Returns the sound recipe with its text `part` replaced by `other`.
fn with(part: &str, other: &str) -> String {
    assert!(SOUND.contains(part), "{part}");
    SOUND.replacen(part, other, 1)
}

#[test]
fn a_sound_recipe_has_no_fault() {
    assert_eq!(faults(SOUND), [""; 0]);
    assert_eq!(faults(&SOUND.replace('\n', "\r\n")), [""; 0]);
    assert_eq!(faults(&format!("---\n{SOUND}")), [""; 0]);
}

#[test]
fn e0861_is_a_text_that_is_no_yaml() {
    let text = with("summary    : HIP", "summary    : \"HIP");
    let found = faults(&text);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].split_once(' ').unwrap().0, "E0861");
    assert_eq!(faults("a name"), ["E0861 1 the package.yml can't be read"]);
}

#[test]
fn e0861_comes_soon_for_texts_that_are_too_deep_or_too_long() {
    let deep = 10_000;
    let texts = [
        "[".repeat(deep),
        format!("a: {}{}", "[".repeat(deep), "]".repeat(deep)),
        "- ".repeat(deep),
        "{a: ".repeat(deep),
        (0..deep / 10).map(|n| " ".repeat(n) + "a:\n").collect(),
        format!("a: \"{}\"", "x".repeat(10 << 20)),
    ];
    for text in texts {
        let start = Instant::now();
        let found = faults(&text);
        let shown = text.get(..20).unwrap();
        assert_eq!(found.len(), 1, "{shown}");
        assert!(found[0].starts_with("E0861 "), "{shown}");
        assert!(start.elapsed() < Duration::from_secs(5), "{shown}");
    }
}

#[test]
fn e0862_is_a_key_that_a_mapping_has_twice() {
    let text = with("license    : MIT", "license    : MIT\nname       : other");
    assert_eq!(faults(&text), ["E0862 8 the mapping has `name` twice"]);
}

#[test]
fn e0863_is_a_version_a_source_and_a_release_that_contradict_each_other() {
    let text = with("version    : 7.2.3", "version    : 7.2.4");
    assert_eq!(
        faults(&text),
        ["E0863 5 the source has version 7.2.3, but the recipe has version 7.2.4"]
    );
    for release in ["0", "1.5", "-1", "many"] {
        let text = with("release    : 7", &format!("release    : {release}"));
        assert_eq!(
            faults(&text),
            [format!(
                "E0863 3 the release `{release}` is not a positive number"
            )]
        );
    }
    let text = with("component  : programming\n", "");
    assert_eq!(faults(&text), ["E0863 1 the recipe has no `component`"]);
}

/// Lines that ypkg refuses in the place of a line of the sound recipe with the same key, or beside
/// it (`ypkg2/ypkgspec.py`, `ypkg2/yamlhelper.py`; versions: `pisi/version.py` of eopkg).
const REFUSED: &str = r#"
name       : a b
name       : a/b
name       : [a]
version    : v7.2.3
version    : 7.2.3-1
version    : 7..2
version    : 7.2_rc
release    : "7"
release    : [7]
license    : {MIT: x}
license    : [[MIT]]
license    : 5
homepage   : [a]
homepage   :
clang      : maybe
clang      : "yes"
clang      : 1
builddeps  : 5
builddeps  : [{a: b}]
rundeps    : [{a: {b: c}}]
rundeps    : [{a: b, c: d}]
patterns   : [{a b: /x}]
setup      : [a]
source     : https://example.org/a
"#;

/// Lines that ypkg accepts.
const ACCEPTED: &str = r"
name       : a-b_c+d.e
version    : 7.2_rc1
version    : 7.2b
version    : 2024_p1
license    : [MIT, BSD-3-Clause]
summary    : [HIP, {devel: Headers}]
clang      : yes
clang      : Off
builddeps  : cmake
rundeps    : [a, {devel: [b, c]}]
patterns   : [{^other: /usr/lib}]
environment: export A=1
homepage   : https://example.org
";

#[test]
fn e0865_is_a_value_that_ypkg_refuses() {
    let replaced = |line: &str| {
        let key = line.split(':').next().unwrap().trim();
        // A key ends at the next line that is not indented.
        let lines: Vec<&str> = SOUND.lines().collect();
        let is_key = |line: &&str| line.split(':').next().unwrap().trim_end() == key;
        let start = lines.iter().position(is_key).unwrap_or(lines.len());
        let is_inside = |line: &&&str| line.starts_with(' ');
        let more = lines.iter().skip(start + 1).take_while(is_inside).count();
        let rest = lines.iter().skip(start + 1 + more);
        let all = lines[..start].iter().chain([&line]).chain(rest);
        all.map(|line| format!("{line}\n")).collect::<String>()
    };
    for line in REFUSED.lines().filter(|line| !line.is_empty()) {
        let found = faults(&replaced(line));
        assert!(
            found.iter().any(|f| f.starts_with("E0865")),
            "{line}: {found:?}"
        );
    }
    for line in ACCEPTED.lines().filter(|line| !line.is_empty()) {
        let found = faults(&replaced(line));
        assert!(
            !found.iter().any(|f| f.starts_with("E0865")),
            "{line}: {found:?}"
        );
    }
    let text = with("install    : |\n    %make_install\n", "");
    assert_eq!(
        faults(&text),
        ["E0865 1 the recipe has no `setup`, `build` or `install`"]
    );
    let text = with("summary    : HIP", "summary    : \u{7}HIP");
    assert!(faults(&text).iter().any(|f| f.starts_with("E0861 9")));
}

#[test]
fn e0864_is_a_source_without_a_checksum() {
    let text = with("cdef\n", "\n");
    let found = faults(&text);
    assert!(found[0].starts_with("E0864 5 `0123"), "{found:?}");
    let text = with(" : v1.0.1", "");
    assert_eq!(
        faults(&text),
        ["E0864 6 the source `git|https://example.org/part.git` has no checksum"]
    );
}

/// Returns the recipes below `tests/golden/solus` by the names of their packages.
fn golden() -> BTreeMap<String, String> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/solus");
    let recipes = fs::read_dir(Path::new(folder))
        .unwrap()
        .filter_map(|entry| {
            let folder = entry.unwrap().path();
            let text = fs::read_to_string(folder.join("package.yml")).ok()?;
            Some((folder.file_name()?.to_str()?.to_owned(), text))
        });
    recipes.collect()
}

/// Returns broken variants of the recipe `text`. Each has the name of the kind of fault, the
/// expected code, the broken text, and the line at which the fault is expected.
fn broken(text: &str) -> Vec<(&'static str, &'static str, String, usize)> {
    let lines: Vec<&str> = text.lines().collect();
    let join = |lines: &[&str]| lines.join("\n") + "\n";
    let replaced = |i: usize, line: &str| join(&[&lines[..i], &[line], &lines[i + 1..]].concat());
    let added = |i: usize, line: &str| join(&[&lines[..i], &[line], &lines[i..]].concat());
    let version = lines.iter().find_map(|l| l.strip_prefix("version    : "));
    let version = version.unwrap().trim_matches('"');
    let mut out = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let key = line.split(':').next().unwrap().trim();
        let is_key = !line.starts_with([' ', '#']) && line.contains(" :") && !line.ends_with('|');
        if is_key && !line.trim_end().ends_with(':') {
            out.push(("key twice", "E0862", added(i + 1, line), i + 2));
        }
        match key {
            "release" => {
                let text = replaced(i, "release    : 1.5");
                out.push(("release", "E0863", text, i + 1));
            }
            "license" | "component" | "summary" => {
                let text = replaced(i, "# gone");
                out.push(("key out", "E0863", text, 1));
            }
            _ => {}
        }
        let Some((address, sum)) = line
            .trim()
            .strip_prefix("- ")
            .and_then(|l| l.rsplit_once(" : "))
        else {
            continue;
        };
        if !address.contains("://") {
            continue;
        }
        let is_first = lines[i - 1].starts_with("source");
        if is_first && line.contains(version) && version.contains('.') {
            let (first, rest) = version.split_once('.').unwrap();
            let other = rest.replace(|c: char| c.is_ascii_digit(), "9");
            let other = line.replace(version, &format!("{first}.{other}"));
            out.push(("version", "E0863", replaced(i, &other), i + 1));
        }
        if !address.starts_with("git|") {
            let text = replaced(i, line.strip_suffix(&sum[60..]).unwrap());
            out.push(("sum cut", "E0864", text, i + 1));
        }
        let text = replaced(i, &format!("    - {address}"));
        out.push(("sum out", "E0864", text, i + 1));
    }
    out
}

#[test]
fn golden_recipes_have_no_fault_and_broken_ones_have() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    let recipes = golden();
    assert!(recipes.len() > 30);
    for (name, text) in &recipes {
        assert_eq!(faults(text), [""; 0], "{name}");
        for (kind, code, broken, line) in broken(text) {
            let found = faults(&broken);
            let count = counts.entry(kind).or_default();
            count.1 += 1;
            if found
                .iter()
                .any(|f| f.starts_with(&format!("{code} {line} ")))
            {
                count.0 += 1;
            } else {
                missed.push(format!("{kind} {name}:{line} {found:?}"));
            }
        }
    }
    for (kind, (found, all)) in counts {
        println!("{kind}: {found} of {all}");
        assert!(
            found * 100 >= all * 95,
            "{kind}: {found} of {all}: {missed:#?}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_text_that_is_cut_or_changed_anywhere_is_checked(
        recipe in 0_usize..1000,
        cuts in prop::collection::vec((any::<u16>(), any::<u8>(), "[-\\[\\]{}\"':|>#&*?\r\n a]{0,4}"), 0..4),
    ) {
        let all = golden();
        let text = all.values().nth(recipe % all.len()).unwrap();
        let mut text = text.clone();
        for (at, len, put) in cuts {
            let start = text.floor_char_boundary(at as usize % (text.len() + 1));
            let end = text.floor_char_boundary((start + len as usize).min(text.len()));
            text.replace_range(start..end.max(start), &put);
        }
        for fault in check(&text, &Surroundings::default()).faults {
            let span = fault.finding.span.unwrap();
            prop_assert!(span.start <= span.end && span.end as usize <= text.len());
            prop_assert!(text.is_char_boundary(span.start as usize));
        }
    }
}
