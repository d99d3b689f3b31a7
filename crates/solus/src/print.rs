//! From the recipe to the texts of its files.

use crate::ir::{Recipe, Words};
use rocpkg_render::Origin;
use rocpkg_render::bash::{Counts, Quoting, Stmt, Style, print_counted};
use rocpkg_render::yaml::scalar;

/// How the scripts of a recipe are written.
pub const STYLE: Style =
    Style { indent: "    ", indent_width: 4, width: 120, quoting: Quoting::Short, padded_arrays: false };

/// The first line of a recipe, by which editors find ypkg's schema.
const SCHEMA: &str = "# yaml-language-server: $schema=/usr/share/ypkg/schema/schema.json\n";

/// The text of a script, without empty lines at its ends and never two of them together, and its lines by origin.
pub fn script(stmts: &[Stmt]) -> (String, Counts) {
    let (text, counts) = print_counted(stmts, &STYLE);
    let mut out = String::new();
    for l in text.trim_matches('\n').lines() {
        if !l.is_empty() || !out.ends_with("\n\n") {
            out.push_str(l);
            out.push('\n');
        }
    }
    (out, counts)
}

/// `package.yml`, and its lines by origin.
pub fn package_yml(r: &Recipe) -> (String, Counts) {
    let mut out = String::from(SCHEMA);
    for l in r.comment.iter().flat_map(|c| c.lines()) {
        out.push_str(format!("# {}", l.trim()).trim_end());
        out.push('\n');
    }
    line(&mut out, "name", &scalar(&r.name));
    line(&mut out, "version", &scalar(&r.version));
    line(&mut out, "release", &r.release.to_string());
    line(&mut out, "source", "");
    for (address, sum) in &r.sources {
        out.push_str(&format!("    - {} : {}\n", scalar(address), scalar(sum)));
    }
    line(&mut out, "homepage", &scalar(&r.homepage));
    words(&mut out, "license", &r.licence);
    line(&mut out, "component", &scalar(&r.component));
    line(&mut out, "summary", &scalar(&r.summary));
    block(&mut out, "description", &r.description);
    for (key, on) in &r.switches {
        line(&mut out, key, if *on { "true" } else { "false" });
    }
    items(&mut out, "optimize", &r.optimize);
    // The schema refuses words beside mappings here, so the package's own stand under its name among them.
    by_package(&mut out, "patterns", &r.patterns, true);
    items(&mut out, "builddeps", &r.builddeps);
    items(&mut out, "checkdeps", &r.checkdeps);
    by_package(&mut out, "rundeps", &r.rundeps, false);
    by_package(&mut out, "replaces", &r.replaces, false);
    by_package(&mut out, "conflicts", &r.conflicts, false);
    let mut counts = Counts::new();
    for (step, stmts) in &r.steps {
        let (text, of) = script(stmts);
        block(&mut out, step.name(), &text);
        for (origin, lines) in of {
            *counts.entry(origin).or_default() += lines;
        }
    }
    let scripted: usize = counts.values().sum();
    let lines = out.lines().filter(|l| !l.is_empty()).count();
    *counts.entry(Origin::Data).or_default() += lines.saturating_sub(scripted);
    (out, counts)
}

/// `monitoring.yaml`. No CPE of ROCm's components is known.
pub fn monitoring(r: &Recipe) -> String {
    let id = r.monitored.map_or_else(|| "~".to_owned(), |id| id.to_string());
    format!("releases:\n  id: {id}\n  rss: {}\nsecurity:\n  cpe: ~\n", scalar(&r.feed))
}

/// A key, padded as in all of Solus' recipes, and what follows it on its line.
fn line(out: &mut String, key: &str, value: &str) {
    out.push_str(format!("{key:<11}: {value}").trim_end());
    out.push('\n');
}

/// A block of lines.
fn block(out: &mut String, key: &str, text: &str) {
    line(out, key, "|");
    for l in text.lines() {
        out.push_str(format!("    {l}").trim_end());
        out.push('\n');
    }
}

fn list(out: &mut String, depth: usize, items: &[String]) {
    for item in items {
        out.push_str(&format!("{}- {}\n", "    ".repeat(depth), scalar(item)));
    }
}

/// One word on its line, several as a list.
fn words(out: &mut String, key: &str, all: &[String]) {
    match all {
        [one] => line(out, key, &scalar(one)),
        _ => items(out, key, all),
    }
}

fn items(out: &mut String, key: &str, all: &[String]) {
    if !all.is_empty() {
        line(out, key, "");
        list(out, 1, all);
    }
}

fn by_package(out: &mut String, key: &str, all: &[Words], named: bool) {
    if all.iter().all(|(_, words)| words.is_empty()) {
        return;
    }
    line(out, key, "");
    for (package, words) in all {
        match words.as_slice() {
            [] => {}
            own if package == "main" && !named => list(out, 1, own),
            [one] => out.push_str(&format!("    - {} : {}\n", scalar(package), scalar(one))),
            several => {
                out.push_str(&format!("    - {} :\n", scalar(package)));
                list(out, 2, several);
            }
        }
    }
}
