//! Prints a typed recipe as the texts of package.yml and monitoring.yaml.

use crate::value::ir::{Recipe, Words};
use rocpkg_render::bash::{Quoting, Stmt, Style, print};
use rocpkg_render::yaml::scalar;

/// The layout of bash in the scripts of a recipe.
pub const STYLE: Style = Style {
    indent: "    ",
    indent_width: 4,
    width: 120,
    quoting: Quoting::Short,
    padded_arrays: false,
};

/// The first line of a recipe. Editors find ypkg's schema by it.
const SCHEMA: &str = "# yaml-language-server: $schema=/usr/share/ypkg/schema/schema.json\n";

/// Returns the text of a script, without empty lines at its beginning and end. Several empty lines
/// between statements become one. Empty lines in the text of raw steps are kept, because they may
/// belong to a here-document.
pub fn script(stmts: &[Stmt]) -> String {
    let text = print(&spaced(stmts), &STYLE);
    let text = text.trim_matches('\n');
    if text.is_empty() {
        String::new()
    } else {
        format!("{text}\n")
    }
}

/// Returns the statements without repeated empty lines: of several adjacent [`Stmt::Blank`], one is
/// kept.
fn spaced(stmts: &[Stmt]) -> Vec<Stmt> {
    let mut out = stmts.to_vec();
    out.dedup_by(|b, a| matches!((a, b), (Stmt::Blank, Stmt::Blank)));
    out
}

/// The value of a key in a `package.yml`.
pub(crate) enum Field {
    /// A value on one line, in YAML's syntax.
    Value(String),
    /// Lists of words, each under a key: `- devel : [a, b]`. The key is empty for words that are in
    /// the list itself: `- a`.
    Words(Vec<Words>),
    /// A block of lines, written behind `|`.
    Block(String),
}

impl Field {
    /// Returns true if the field has no words, so that its key is left out.
    fn is_empty(&self) -> bool {
        matches!(self, Self::Words(all) if all.iter().all(|(_, words)| words.is_empty()))
    }
}

/// Returns the keys of a recipe with their values, in the order of Solus' recipes. Keys without a
/// value are left out.
pub(crate) fn fields(r: &Recipe) -> Vec<(&str, Field)> {
    let text = |text: &str| Field::Value(scalar(text));
    let list = |words: &[String]| Field::Words(vec![(String::new(), words.to_vec())]);
    // Words of the main package are written without a key. Patterns are the exception, because the
    // schema accepts only mappings for them.
    let own = |all: &[Words]| {
        let bare = |(to, words): &Words| {
            (
                if to == "main" {
                    String::new()
                } else {
                    to.clone()
                },
                words.clone(),
            )
        };
        Field::Words(all.iter().map(bare).collect())
    };
    let headed = |main: &str, more: &[Words]| match more {
        [] => text(main),
        more => Field::Words([&[(String::new(), vec![main.to_owned()])], more].concat()),
    };
    let sources = r
        .sources
        .iter()
        .map(|(address, sum)| (address.clone(), vec![sum.clone()]));
    // The schema requires a single conflict to be a word, and several to be a list.
    let conflicts = match own(&r.conflicts) {
        Field::Words(all) => match &all[..] {
            [(to, words)] if to.is_empty() && words.len() == 1 => text(&words[0]),
            _ => Field::Words(all),
        },
        other => other,
    };
    let licence = if let [one] = &r.licence[..] {
        text(one)
    } else {
        list(&r.licence)
    };
    let mut out = vec![
        ("name", text(&r.name)),
        ("version", text(&r.version)),
        ("release", Field::Value(r.release.to_string())),
        ("source", Field::Words(sources.collect())),
        ("homepage", text(&r.homepage)),
        ("license", licence),
        ("component", headed(&r.component, &r.components)),
        ("summary", headed(&r.summary, &r.summaries)),
        ("description", Field::Block(format!("{}\n", r.description))),
    ];
    out.extend(
        r.switches
            .iter()
            .map(|(key, on)| (key.as_str(), Field::Value(on.to_string()))),
    );
    out.extend([
        ("optimize", list(&r.optimize)),
        ("patterns", Field::Words(r.patterns.clone())),
        ("builddeps", list(&r.builddeps)),
        ("checkdeps", list(&r.checkdeps)),
        ("rundeps", own(&r.rundeps)),
        ("replaces", own(&r.replaces)),
        ("conflicts", conflicts),
    ]);
    out.extend(
        r.steps
            .iter()
            .map(|(step, stmts)| (step.name(), Field::Block(script(stmts)))),
    );
    out.retain(|(_, field)| !field.is_empty());
    out
}

/// Prints `package.yml`.
pub fn package_yml(r: &Recipe) -> String {
    let mut out = String::from(SCHEMA);
    for l in r.comment.iter().flat_map(|c| c.lines()) {
        out.push_str(format!("# {}", l.trim()).trim_end());
        out.push('\n');
    }
    for (key, field) in fields(r) {
        match &field {
            Field::Value(text) => line(&mut out, key, text),
            Field::Words(all) => {
                line(&mut out, key, "");
                for words in all {
                    items(&mut out, words);
                }
            }
            Field::Block(text) => {
                line(&mut out, key, "|");
                for l in text.lines() {
                    // A blank at the end of a line may be inside quotes, so it is kept.
                    let indent = if l.is_empty() { "" } else { "    " };
                    out.push_str(&format!("{indent}{l}\n"));
                }
            }
        }
    }
    out
}

/// Prints `monitoring.yaml`. Its key `security.cpe`, the name in databases of vulnerabilities, is
/// always empty, because no CPE of ROCm's components is known.
pub fn monitoring(r: &Recipe) -> String {
    let id = r
        .monitored
        .map_or_else(|| "~".to_owned(), |id| id.to_string());
    format!(
        "releases:\n  id: {id}\n  rss: {}\nsecurity:\n  cpe: ~\n",
        scalar(&r.feed)
    )
}

/// Writes one line with a key and its value. The key is padded to the width that all of Solus'
/// recipes use: `name       : hip`.
fn line(out: &mut String, key: &str, value: &str) {
    out.push_str(format!("{key:<11}: {value}").trim_end());
    out.push('\n');
}

/// Writes the words of a list: `- word` for words without a key, and `- KEY :` with the words below
/// it for others.
fn items(out: &mut String, (to, words): &Words) {
    if let ([one], false) = (words.as_slice(), to.is_empty()) {
        out.push_str(&format!("    - {} : {}\n", scalar(to), scalar(one)));
        return;
    }
    let indent = if to.is_empty() { "" } else { "    " };
    if !to.is_empty() && !words.is_empty() {
        out.push_str(&format!("    - {} :\n", scalar(to)));
    }
    for word in words {
        out.push_str(&format!("{indent}    - {}\n", scalar(word)));
    }
}
