//! The cells of the tables in the pages of `rocpkg report`: bars, texts, folded names and the
//! legend. `site/mod.rs` makes the pages.

use crate::gpu::TESTS;
use serde_json::{Value, json};

/// The kinds of support of a GPU by a package: the word for it, its sign in tables of many columns,
/// and its meaning. The kinds are in the order of the parts of a bar, the best first.
pub(crate) const SUPPORT: [(&str, &str, &str); 7] = [
    ("native", "=", "has code for the GPU"),
    (
        "compatible",
        "~",
        "runs code of another target, by the distribution's patches or as generic code",
    ),
    (
        "packed",
        "#",
        "has code of another target, which the runtime does not find in compressed bundles",
    ),
    (
        "override",
        "!",
        "runs only if HSA_OVERRIDE_GFX_VERSION is set",
    ),
    ("none", "-", "has no code that loads"),
    ("unknown", "?", "a fact is missing"),
    ("not-packaged", "/", "the distribution has no package of it"),
];

/// The number of names of a GPU in the index that are not folded away.
const NAMES: usize = 3;

/// Returns the word in [`SUPPORT`] for the `way` of a package in `rocpkg gpu --json`.
fn support(row: &Value) -> &'static str {
    match row["way"].as_str() {
        Some("native") => "native",
        Some("by-patches" | "by-generic") => "compatible",
        Some("packed") => "packed",
        Some("by-override") => "override",
        Some("no-kernels") => "none",
        Some("not-packaged") => "not-packaged",
        _ => "unknown",
    }
}

/// Returns the support of a GPU by a package, and its text in a table: `compatible`, `runs
/// gfx1030's code`.
pub(crate) fn cell(row: &Value) -> (&'static str, String) {
    let support = support(row);
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let shown = match support {
        "compatible" => format!("runs {}'s code", text("code")),
        "packed" => format!("{}'s code, compressed", text("code")),
        "override" => format!("runs with HSA_OVERRIDE_GFX_VERSION={}", text("override")),
        "unknown" => match self::support(&row["likely"]) {
            _ if row["likely"].is_null() => support.to_owned(),
            likely => format!("unknown, probably {likely}"),
        },
        _ => support.replace('-', " "),
    };
    (support, shown)
}

/// Returns the sign of a kind of support in tables of many columns.
pub(crate) fn sign(support: &str) -> &'static str {
    let row = SUPPORT.iter().find(|(word, ..)| *word == support);
    row.map_or("", |(_, sign, _)| sign)
}

/// Returns the cell of an application in a table of many columns: a sign, one word, and a few more
/// words such as the target of the code or the value of the override.
pub(crate) fn short(row: &Value) -> Value {
    let support = support(row);
    let text = |key: &str| row[key].as_str().unwrap_or_default();
    let more = match support {
        "compatible" | "packed" => format!("code of {}", text("code")),
        "override" => text("override").to_owned(),
        "native" if !text("reason").is_empty() => "not on upstream's lists".to_owned(),
        "unknown" if !row["likely"].is_null() => {
            format!("probably {}", self::support(&row["likely"]))
        }
        _ => String::new(),
    };
    json!({"support": support, "sign": sign(support), "text": support.replace('-', " "), "more": more})
}

/// Returns the bar of a distribution's packages on a GPU: a part for each kind of support that
/// occurs, and the same as text: `2 native, 1 compatible, 15 unknown`.
pub(crate) fn bar(rows: &[Value]) -> Value {
    let parts: Vec<(&str, usize)> = SUPPORT
        .iter()
        .map(|(word, ..)| (*word, rows.iter().filter(|r| support(r) == *word).count()))
        .filter(|(_, count)| *count > 0)
        .collect();
    let text: Vec<String> = parts
        .iter()
        .map(|(word, count)| format!("{count} {word}"))
        .collect();
    let parts: Vec<Value> = parts
        .iter()
        .map(|(word, count)| json!({"support": word, "count": count}))
        .collect();
    let text = if parts.is_empty() {
        "no packages".to_owned()
    } else {
        text.join(", ")
    };
    json!({"parts": parts, "text": text})
}

/// Returns the number of packages that run on a GPU without an override, as text: `2 of 18, 15
/// unknown`. The JSON of the index has this text.
pub(crate) fn counted(rows: &[Value]) -> String {
    let count = |words: &[&str]| rows.iter().filter(|r| words.contains(&support(r))).count();
    let run = format!("{} of {}", count(&["native", "compatible"]), rows.len());
    match count(&["unknown"]) {
        0 => run,
        unknown => format!("{run}, {unknown} unknown"),
    }
}

/// Returns the names of a GPU for the index: the first ones, and the rest, which is folded away
/// under a label.
pub(crate) fn folded(names: &[&str]) -> Value {
    let (first, rest) = names.split_at(names.len().min(NAMES));
    let label = match rest.len() {
        0 => String::new(),
        1 => "1 more name".to_owned(),
        n => format!("{n} more names"),
    };
    json!({"first": first.join(", "), "rest": rest.join(", "), "label": label})
}

/// Returns the kinds of support with their signs and meanings. With `tests`, the states of
/// upstream's tests follow, without signs.
pub(crate) fn legend(tests: bool) -> Vec<Value> {
    let row = |(key, word): (&str, &str), sign: &str, meaning: &str| json!({"key": key, "word": word, "sign": sign, "meaning": meaning});
    let supports = SUPPORT
        .iter()
        .map(|(key, sign, meaning)| row((key, &key.replace('-', " ")), sign, meaning));
    let unlisted = ("unlisted", "not in upstream's lists of tests");
    let words = TESTS.iter().chain([&unlisted]).filter(|_| tests);
    supports
        .chain(words.map(|(word, meaning)| row((word, word), "", meaning)))
        .collect()
}
