//! Checks every golden recipe of Solus against the rules of ypkg's schema (35.1.1), eopkg and
//! Solus' own checks. This file restates the rules, since ypkg runs on Solus alone. rocpkg itself
//! does not check these words: recipes name the schema in their first line, and editors read it.

use rocpkg::internal::model::{Findings, Node, Value, parse};
use rocpkg_tests::fixture;
use std::fs;

/// The keys of a recipe whose values are true or false.
const SWITCHES: &str = "autodep avx2 ccache clang debug devel emul32 extract lastrip libsplit mancompress networking strip";

/// The values of `optimize`.
const OPTIMISE: &str = "speed size no-bind-now no-symbolic unroll-loops runpath avx256 thin-lto lto icf-safe \
icf-all polly function-sections no-reorder-blocks-partition emit-relocs";

/// The components of Solus that packages of ROCm may belong to.
const COMPONENTS: &str = "multimedia.graphics multimedia.library multimedia.video office.maths office.scientific programming \
programming.devel programming.library programming.python programming.tools system.base system.devel \
system.utils xorg.apps xorg.driver xorg.library";

/// The subpackages that ypkg makes by itself.
const SUBPACKAGES: &str = "main devel docs dbginfo utils demos 32bit 32bit-devel 32bit-dbginfo";

/// All other keys of a recipe.
const KEYS: &str = "name version release source homepage license component summary description optimize patterns builddeps \
checkdeps rundeps replaces conflicts environment setup build profile install check";

fn is_among(words: &str, text: &str) -> bool {
    words.split_whitespace().any(|word| word == text)
}

fn is_name(text: &str) -> bool {
    !text.is_empty()
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_+.".contains(&b))
}

/// Returns true for a version that eopkg accepts: numbers between dots, each with at most one
/// letter, then perhaps a word such as `_rc` with its number.
fn is_version(text: &str) -> bool {
    let digits = |t: &str| t.bytes().all(|b| b.is_ascii_digit());
    let (base, words) = text
        .split_once('_')
        .map_or((text, None), |(base, words)| (base, Some(words)));
    let part = |t: &str| {
        let number = t
            .strip_suffix(|c: char| c.is_ascii_lowercase())
            .unwrap_or(t);
        !number.is_empty() && digits(number)
    };
    let word = |t: &str| {
        ["alpha", "beta", "pre", "rc", "m", "p"]
            .iter()
            .any(|w| t.strip_prefix(w).is_some_and(digits))
    };
    base.split('.').all(part) && words.is_none_or(|w| w.split('_').all(word))
}

/// Returns true for the name of a dependency: a package, or a module of pkg-config.
fn is_needed(text: &str) -> bool {
    let inside = |kind: &str| text.strip_prefix(kind)?.strip_suffix(')');
    is_name(
        inside("pkgconfig(")
            .or_else(|| inside("pkgconfig32("))
            .unwrap_or(text),
    )
}

/// Returns the texts of a value, each with its subpackage. The value is a text, a list, or a
/// mapping from subpackages to lists. `of` is the subpackage of texts outside of mappings.
fn words<'n>(of: &'n str, node: &'n Node) -> Vec<(&'n str, &'n str)> {
    let items = match &node.value {
        Value::Seq(items) => items.iter().flat_map(|item| words(of, item)).collect(),
        _ => node
            .entries()
            .iter()
            .flat_map(|(key, value)| words(&key.name, value))
            .collect::<Vec<_>>(),
    };
    node.text()
        .map(|text| (of, text))
        .into_iter()
        .chain(items)
        .collect()
}

/// Returns the faults of a key of a recipe.
fn faults(key: &str, node: &Node) -> Vec<String> {
    let all = words("main", node);
    let is_fine = |(of, text): &(&str, &str)| match key {
        "name" | "license" => is_name(text),
        "version" => is_version(text),
        "release" => text.parse::<u64>().is_ok_and(|n| n > 0),
        "homepage" => text.starts_with("https://"),
        "component" => is_among(COMPONENTS, text) && is_subpackage(of),
        "optimize" => is_among(OPTIMISE, text),
        "builddeps" | "checkdeps" => is_needed(text),
        "rundeps" | "replaces" | "conflicts" => is_needed(text) && is_subpackage(of),
        "patterns" => text.starts_with('/') && is_subpackage(of),
        switch if is_among(SWITCHES, switch) => matches!(*text, "true" | "false"),
        other => is_among(KEYS, other),
    };
    all.iter()
        .filter(|word| !is_fine(word))
        .map(|(_, text)| format!("{key}: {text}"))
        .collect()
}

fn is_subpackage(name: &str) -> bool {
    is_among(SUBPACKAGES, name) || name.strip_prefix('^').is_some_and(is_name)
}

#[test]
fn every_golden_recipe_is_what_ypkg_takes() {
    let mut found = Vec::new();
    let folders: Vec<_> = fs::read_dir(fixture("golden/solus")).unwrap().collect();
    assert!(folders.len() > 40);
    for folder in folders {
        let path = folder.unwrap().path().join("package.yml");
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        let recipe = parse(0, &text, &mut Findings::default()).unwrap();
        for (key, node) in recipe.entries() {
            found.extend(
                faults(&key.name, node)
                    .into_iter()
                    .map(|f| format!("{}: {f}", path.display())),
            );
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn versions_are_what_eopkg_reads() {
    for fine in [
        "6.0.0",
        "7.14",
        "3.00.0",
        "1.2b",
        "7.0_rc1",
        "2024_p1",
        "1.0_beta2_p1",
    ] {
        assert!(is_version(fine), "{fine}");
    }
    for bad in ["", "7.0-rc1", "v7", "7..0", "7.0_", "7.0_x1", "1.2ab"] {
        assert!(!is_version(bad), "{bad}");
    }
}
