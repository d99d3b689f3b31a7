//! Tests of [`check`]: a test of each code, expressions of `tests/golden` that are broken on
//! purpose, and texts that are cut at any place.
#![allow(clippy::print_stdout, reason = "one test prints what it counted")]

use proptest::prelude::*;
use rocpkg_nix::check;
use rocpkg_syntax::{Checked, Fault, Surroundings, nix};
use rocpkg_test_support::write_file;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

/// Returns the faults of a text, each as its code, line and message: `E0842 3 message`. `files` are
/// the files beside it, or `None` if they are not known.
fn faults(text: &str, files: Option<&[&str]>) -> Vec<String> {
    let surroundings = Surroundings {
        files: files.map(|files| files.iter().map(|&file| file.to_owned()).collect()),
        ..Surroundings::default()
    };
    let checked = check(text, &surroundings);
    let line = |fault: &Fault| text[..fault.at()].matches('\n').count() + 1;
    let shown = |f: &Fault| format!("{} {} {}", f.finding.code, line(f), f.finding.message);
    checked.faults.iter().map(shown).collect()
}

/// Returns the faults of a text if the files beside it are not known.
fn alone(text: &str) -> Vec<String> {
    faults(text, None)
}

const SOUND: &str = r#"{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  withTests ? true,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "thing";
  version = "7.2.3";
  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "thing";
    tag = "rocm-${finalAttrs.version}";
    hash = "sha256-wrjcr2ASSF+bk5atjvKfIYSbg+vevo/a2W2ca9Nft/4=";
  };
  patches = [ ./cmake.patch ];
  nativeBuildInputs = [ cmake ];
  cmakeFlags = [ (lib.cmakeBool "TESTS" withTests) ];
  env.A = "1";
  env = {
    B = "2";
  };
  meta.license = with lib.licenses; [ mit ];
})
"#;

/// Returns the sound recipe with its text `part` replaced by `other`.
fn with(part: &str, other: &str) -> String {
    assert!(SOUND.contains(part), "{part}");
    SOUND.replacen(part, other, 1)
}

#[test]
fn a_sound_recipe_has_no_fault() {
    assert_eq!(faults(SOUND, Some(&["cmake.patch"])), [""; 0]);
    let checked = check(SOUND, &Surroundings::default());
    let subjects: Vec<&str> = checked
        .unchecked
        .iter()
        .map(|u| u.subject.as_str())
        .collect();
    assert_eq!(subjects, ["names under `with`", "paths"]);
}

#[test]
fn e0841_is_a_text_that_is_no_nix() {
    let text = with("  env.A = \"1\";", "  env.A = ;");
    assert_eq!(alone(&text), ["E0841 21 the expression can't be read"]);
}

#[test]
fn e0841_comes_soon_for_texts_that_are_too_deep_or_too_long() {
    let deep = 10_000;
    let texts = [
        "[".repeat(deep),
        format!("{}{}", "[ ".repeat(deep), "]".repeat(deep)),
        format!("{}1{}", "(".repeat(deep), ")".repeat(deep)),
        "{ a = ".repeat(deep),
        "a: ".repeat(deep),
        "\"${".repeat(deep),
        "if a then b else ".repeat(deep),
        "with a; ".repeat(deep),
        "let a = 1; in ".repeat(deep),
        "!".repeat(deep),
        "-".repeat(deep),
        format!("a{}", " ++ a".repeat(10 * deep)),
        format!("a{}", " + a".repeat(10 * deep)),
        format!("f{}", " a".repeat(10 * deep)),
        format!("a{}", ".a or b".repeat(10 * deep)),
        format!("\"{}\"", "x".repeat(10 << 20)),
    ];
    for text in texts {
        let start = Instant::now();
        let shown = text.get(..20).unwrap().to_owned();
        let checked = check(&text, &Surroundings::default());
        let codes: Vec<&str> = checked.faults.iter().map(|f| f.finding.code).collect();
        assert_eq!(codes, ["E0841"], "{shown}");
        assert!(nix::is_used(&text, "a"), "{shown}");
        rocpkg_nix::check_style(&text).unwrap_err();
        assert_eq!(rocpkg_nix::internal::sums_from(&text, &text), text);
        rocpkg_nix::internal::formatted(&text, "a");
        assert!(start.elapsed() < Duration::from_secs(5), "{shown}");
    }
}

#[test]
fn e0842_is_a_name_that_nothing_binds() {
    let text = with("  cmake,\n", "");
    assert_eq!(
        alone(&text),
        ["E0842 18 `cmake` is used, but nothing binds it"]
    );
    let checked = check(&text, &Surroundings::default());
    let missing = checked.faults[0].missing.as_ref().unwrap();
    assert_eq!(
        (missing.list, missing.name.as_str()),
        ("arguments", "cmake")
    );
    // A function without a set of arguments has no list to add a name to.
    let checked = check("final: prev: { a = b; }", &Surroundings::default());
    assert_eq!(checked.faults[0].finding.code, "E0842");
    assert_eq!(checked.faults[0].missing, None);
}

#[test]
fn names_are_bound_in_many_ways() {
    for text in [
        "let a = 1; b = a; in { inherit a b; }",
        "rec { a = 1; b = a; }",
        "let inherit (builtins) map; in map toString [ __currentSystem ]",
        "{ lib, ... }@args: lib.f args",
        "x: { y ? x }: y",
        "let { a = 1; body = a; }",
        "{ a }: with a; [ b ./c/${d}.patch ]",
        "{ version }: ./patches/${version}.patch",
        "{ a }: a ? b.c && a.d or null == derivation { }",
        "{ name }: { ${name} = 1; \"x${name}\" = 2; }",
        "{ _unused }: 1",
        "{ a, ... }: 1",
        "{ a }@args: args",
    ] {
        assert_eq!(alone(text), [""; 0], "{text}");
    }
}

#[test]
fn e0843_is_an_argument_that_nothing_uses() {
    let text = with("  nativeBuildInputs = [ cmake ];\n", "");
    assert_eq!(alone(&text), ["E0843 5 nothing uses the argument `cmake`"]);
}

#[test]
fn e0844_is_an_attribute_that_one_set_defines_twice() {
    let twice = "is defined twice in one set";
    let text = with("  env.A = \"1\";", "  env.A = \"1\";\n  pname = \"x\";");
    assert_eq!(alone(&text), [format!("E0844 22 `pname` {twice}")]);
    let text = with("    B = \"2\";", "    A = \"2\";");
    assert_eq!(alone(&text), [format!("E0844 23 `env.A` {twice}")]);
    let text = "let a = 1;\ninherit (builtins) a; in a";
    assert_eq!(alone(text), [format!("E0844 2 `a` {twice}")]);
    assert_eq!(
        alone("{ a = { b = 1; };\na.b = 1; }"),
        [format!("E0844 2 `a.b` {twice}")]
    );
    assert_eq!(
        alone("{ a = { } // { };\na.b = 1; }"),
        [format!("E0844 2 `a` {twice}")]
    );
}

/// Bindings that Nix refuses in a set, each with the code of its fault.
const REFUSED: &str = r#"
E0841 x = 9223372036854775808;
E0841 x = -9223372036854775808;
E0841 x = 1.0e999;
E0841 x = [ a: a ];
E0841 x = [ if true then 1 else 2 ];
E0841 x = 1 + a: a;
E0841 x = 1 == 1 == 1;
E0841 x = 1 < 2 < 3;
E0841 x = 1 |> 2;
E0841 x = let ${builtins.x} = 1; in 1;
E0841 x = { inherit ${builtins.x}; };
E0841 x.''a'' = 1;
E0841 x = (1;
E0841 x = [ 1;
E0841 x = ./a/;
E0841 x = <a/>;
E0841 x = "${}";
E0841 x = "${1";
E0841 x = assert true 1;
E0841 x = if true then 1;
E0841 x = 1;;
E0841 /* x
E0842 x = unbound;
E0842 x = { inherit unbound; };
E0842 x = { inherit ${"unbound"}; };
E0844 x = { a, a }: a;
E0844 x = { a ? 1, b, a }: a + b;
E0844 x = a@{ a, ... }: a;
E0844 x = { a }@a: a;
E0844 x = y: { b, b }: y b;
E0844 x = 1; x = 1;
E0844 x.a = 1; x.a = 2;
E0844 x = 1; x.a = 2;
E0844 x.a = 1; x = 2;
E0844 x = { a = 1; }; x = { a = 2; };
E0844 x = { a = { }; }; x = { a = { }; };
E0844 x = rec { a = 1; a = 2; };
E0844 x = rec { a = 1; }; x.a = 2;
E0844 x = let a = 1; a = 2; in a;
E0844 x = let a.b = 1; a.b = 2; in a;
E0844 x = let inherit (builtins) a; a = 1; in a;
E0844 x = { inherit (builtins) a a; };
E0844 x = { inherit (builtins) a; inherit (builtins) a; };
E0844 x = 1; ${"x"} = 2;
E0844 x = 1; "x" = 2;
E0844 x.${builtins.y} = 1; x = 2;
E0844 x."" = 1; x."" = 2;
"#;

/// Bindings that Nix accepts in a set.
const ACCEPTED: &str = r#"
x = 9223372036854775807;
x = -9223372036854775807;
x = [ (a: a) ];
x = 1 + (a: a) 1;
x = !true -> false;
x = let ${"a"} = 1; in a;
x = { inherit ({ }) ${"a"} "b"; };
x.a = { b = 1; }; x.a.c = 2;
x = { a.b = 1; }; x.a.c = 2;
x = ({ a = 1; }); x.b = 2;
x = rec { a = 1; }; x.b = 2;
x = { a = 1; }; x = { b = 2; };
x.${builtins.y} = 1; x.${builtins.z} = 2;
x.${builtins.y}.a = 1; x.${builtins.z}.a = 2;
x."a.b" = 1; x.a.b = 2;
x = a: { a }: a;
x = { a, b ? a, ... }@c: c b;
x = <nixpkgs>;
x = ./a;
x = http://example.org/a;
x = { }.a or { };
x = let { body = 1; };
x = __curPos;
"#;

#[test]
fn what_nix_refuses_is_refused_and_nothing_else() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("all.nix");
    let takes = |text: &str| {
        write_file(&path, text);
        let mut nix = rocpkg_test_support::nix_instantiate(dir.path());
        let output = nix.arg("--parse").arg(&path).output().unwrap();
        output.status.success()
    };
    let lines = |all: &'static str| all.lines().filter(|line| !line.is_empty());
    for (code, binding) in lines(REFUSED).map(|line| line.split_once(' ').unwrap()) {
        let text = format!("{{\n{binding}\n}}\n");
        assert!(!takes(&text), "{text}");
        let found = alone(&text);
        let is_told = found.iter().any(|fault| fault.starts_with(code));
        assert!(is_told, "{text}: {found:?}");
    }
    for binding in lines(ACCEPTED) {
        let text = format!("{{\n{binding}\n}}\n");
        assert!(takes(&text), "{text}");
        assert_eq!(alone(&text), [""; 0], "{text}");
    }
    // Nix 2.8 ends the text at this character.
    assert_eq!(alone("\"a\0b\"").len(), 1);
}

#[test]
fn e0845_is_a_source_whose_facts_contradict_each_other() {
    let text = with("rocm-${finalAttrs.version}", "rocm-7.1.1");
    assert_eq!(
        alone(&text),
        ["E0845 15 the source has version 7.1.1, but the recipe has version 7.2.3"]
    );
    let text = with("    owner", "    sha256 = \"\";\n    owner");
    assert_eq!(
        alone(&text),
        [
            "E0845 13 this checksum is a placeholder, but others are filled in",
            "E0845 17 one source has both `sha256` and `hash`"
        ]
    );
    let text = with("(finalAttrs: {", "(rec {");
    assert_eq!(
        alone(&text),
        ["E0842 15 `finalAttrs` is used, but no function binds it"]
    );
    let text = with("withTests)", "finalPackage)");
    assert!(
        alone(&text).contains(&"E0842 20 `finalPackage` is used, but no function binds it".into())
    );
    let unknown = format!("    hash = \"sha256-{}=\";\n", "A".repeat(43));
    let text = with(
        "  env.A",
        &format!("  more = fetchFromGitHub {{\n{unknown}  }};\n  env.A"),
    );
    assert_eq!(
        alone(&text),
        ["E0845 22 this checksum is a placeholder, but others are filled in"]
    );
}

#[test]
fn e0846_is_a_path_that_is_not_there() {
    assert_eq!(
        faults(SOUND, Some(&["other.patch"])),
        ["E0846 18 `./cmake.patch` is not beside the recipe"]
    );
    let text = with(
        "[ ./cmake.patch ]",
        "lib.optional (builtins.pathExists ./a) ./a ++ [ ./folder ]",
    );
    assert_eq!(faults(&text, Some(&["folder/default.nix"])), [""; 0]);
    assert_eq!(faults("{ source ? ./src }: source", Some(&[])), [""; 0]);
}

/// Returns the expressions below `tests/golden/nix` by their paths.
fn golden() -> BTreeMap<String, String> {
    fn add(folder: &Path, out: &mut BTreeMap<String, String>) {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                add(&path, out);
            } else if path.extension().is_some_and(|e| e == "nix") {
                let text = fs::read_to_string(&path).unwrap();
                out.insert(path.display().to_string(), text);
            }
        }
    }
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/nix");
    let mut out = BTreeMap::new();
    add(Path::new(folder), &mut out);
    out
}

/// Returns the paths in a text that are reported because no file exists beside it.
fn paths(text: &str) -> Vec<String> {
    let none = Surroundings {
        files: Some(BTreeSet::new()),
        ..Surroundings::default()
    };
    let checked = check(text, &none);
    let missing = checked.faults.iter().filter(|f| f.finding.code == "E0846");
    let path = |f: &Fault| {
        let end = f.finding.span.unwrap().end as usize;
        text[f.at() + "./".len()..end].to_owned()
    };
    missing.map(path).collect()
}

/// The code of the expected fault, the broken text, and a line at which the fault may be reported.
type Broken = (&'static str, String, usize);

/// Returns broken variants of a recipe, each with the name of the kind of fault.
fn broken(text: &str) -> Vec<(&'static str, Broken)> {
    let lines: Vec<&str> = text.lines().collect();
    let join = |lines: &[&str]| lines.join("\n") + "\n";
    let without = |i: usize| join(&[&lines[..i], &lines[i + 1..]].concat());
    let replaced = |i: usize, line: &str| join(&[&lines[..i], &[line], &lines[i + 1..]].concat());
    let added = |i: usize, line: &str| join(&[&lines[..i], &[line], &lines[i..]].concat());
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_-'".contains(c);
    let head = lines.iter().position(|l| l.starts_with('}')).unwrap_or(0);
    let mut out: Vec<(&'static str, Broken)> = Vec::new();
    let hashes = lines.iter().filter(|l| l.contains(" hash = \"sha256-"));
    let has_more_hashes = hashes.count() > 1;
    let paths = paths(text);
    for (i, line) in lines.iter().enumerate() {
        let trimmed = line.trim();
        if let Some(name) = trimmed.strip_suffix(',').filter(|_| i > 0 && i < head) {
            let name = name.split(' ').next().unwrap();
            let is_use = |line: &&str| {
                let code = line.split('#').next().unwrap();
                code.split(|c| !is_name(c)).any(|word| word == name)
            };
            let text = without(i);
            let at = text.lines().position(|l| is_use(&l));
            let at = at.unwrap_or_default() + 1;
            out.push(("argument out", ("E0842", text, at)));
        }
        if i == head && head > 0 {
            let text = added(i, "  nobodyUsesThis,");
            out.push(("argument in", ("E0843", text, i + 1)));
        }
        let value = trimmed.split_once(" = ").map(|(_, value)| value);
        if value.is_some_and(|v| v.starts_with('"') && v.ends_with("\";") || v == "true;") {
            out.push(("attribute twice", ("E0844", added(i, line), i + 2)));
        }
        let is_tag = trimmed.starts_with("rev = ") || trimmed.starts_with("tag = ");
        if is_tag && trimmed.contains("${finalAttrs.version}") {
            let other = line.replace("${finalAttrs.version}", "7.9.9");
            out.push(("version", ("E0845", replaced(i, &other), i + 1)));
        }
        if trimmed.starts_with("hash = \"sha256-") {
            let other = format!("hash = \"sha256-{}=\";", "A".repeat(43));
            if has_more_hashes {
                out.push(("hash unknown", ("E0845", replaced(i, &other), i + 1)));
            }
            let other = "sha256 = \"0c3hzjzyb9bfsrvcxlvmqsv0nkpc7zfhfxgplx0ksqdwmv5d9r6a\";";
            out.push(("hash twice", ("E0845", added(i + 1, other), i + 2)));
        }
        if line.contains("(finalAttrs: {") {
            let text = replaced(i, &line.replace("(finalAttrs: {", "(rec {"));
            let at = text.lines().position(|l| l.contains("finalAttrs"));
            out.extend(at.map(|at| ("finalAttrs", ("E0842", text, at + 1))));
        }
        for path in &paths {
            let written = format!("./{path}");
            let whole = line
                .split_whitespace()
                .any(|w| w.trim_end_matches(';') == written);
            if whole {
                let other = line.replace(&written, &format!("{written}-gone"));
                out.push(("path", ("E0846", replaced(i, &other), i + 1)));
            }
        }
    }
    out
}

#[test]
fn golden_recipes_have_no_fault_and_broken_ones_have() {
    let mut counts: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let mut missed = Vec::new();
    let recipes = golden();
    assert!(recipes.len() > 50);
    for (path, text) in &recipes {
        let surroundings = Surroundings {
            files: Some(paths(text).into_iter().collect()),
            ..Surroundings::default()
        };
        assert_eq!(check(text, &surroundings).faults, [], "{path}");
        let before = check(text, &surroundings);
        for (kind, (code, broken, line)) in broken(text) {
            let checked: Checked = check(&broken, &surroundings);
            let is_at = |f: &&Fault| {
                let at = broken[..f.at()].matches('\n').count() + 1;
                f.finding.code == code && at == line
            };
            let count = counts.entry(kind).or_default();
            count.1 += 1;
            if checked.since(&before).iter().any(is_at) {
                count.0 += 1;
            } else {
                missed.push(format!("{kind} {path}:{line} {:?}", faults(&broken, None)));
            }
        }
    }
    for (kind, (found, all)) in &counts {
        println!("{kind}: {found} of {all}");
    }
    let found: usize = counts.values().map(|(found, _)| found).sum();
    let all: usize = counts.values().map(|(_, all)| all).sum();
    assert!(found * 100 >= all * 95, "{found} of {all}: {missed:#?}");
    for (kind, (found, all)) in counts {
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
        cuts in prop::collection::vec((any::<u16>(), any::<u8>(), "[\\[\\]{}()\"';:=$./a\n ]{0,4}"), 0..4),
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
