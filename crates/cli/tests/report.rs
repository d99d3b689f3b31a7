//! Tests of the pages of `rocpkg report`: they agree with the output of `rocpkg gpu`, they link to
//! each other, and they load nothing else. Their look on a phone is not tested here.

use serde_json::Value;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

fn out(args: &[&str]) -> String {
    let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap()
}

/// Returns the pages by their paths.
fn pages(dir: &Path) -> BTreeMap<String, String> {
    let mut out = BTreeMap::new();
    for folder in ["", "gpu/", "package/"] {
        for entry in fs::read_dir(dir.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            if Path::new(&name).extension().is_some_and(|e| e == "html") {
                let path = format!("{folder}{name}");
                let text = fs::read_to_string(dir.join(&path)).unwrap();
                out.insert(path, text);
            }
        }
    }
    out
}

/// Returns each text between a `start` and the next `end`.
fn between<'a>(text: &'a str, start: &str, end: &str) -> std::vec::IntoIter<&'a str> {
    let all: Vec<&str> = text
        .split(start)
        .skip(1)
        .map(|rest| rest.split(end).next().unwrap())
        .collect();
    all.into_iter()
}

/// Returns the rows of an answer about a GPU: the distribution, the package, and the way in which
/// the package runs.
fn said(on: &Value) -> Vec<(String, String, String)> {
    let mut out = Vec::new();
    for d in on["distributions"].as_array().unwrap() {
        for p in d["packages"].as_array().unwrap() {
            let more = p["code"]
                .as_str()
                .or(p["override"].as_str())
                .map(|m| format!(" {m}"))
                .unwrap_or_default();
            let text = |v: &Value| v.as_str().unwrap().to_owned();
            out.push((
                text(&d["distribution"]),
                text(&p["package"]),
                text(&p["way"]) + &more,
            ));
        }
    }
    out
}

#[test]
fn pages_say_what_the_command_says_and_lead_to_each_other() {
    let dir = tempfile::tempdir().unwrap();
    let at = dir.path().to_str().unwrap();
    out(&["report", "--out", at]);
    let pages = pages(dir.path());
    let gpus: Vec<&str> = pages
        .keys()
        .filter_map(|path| path.strip_prefix("gpu/")?.strip_suffix(".html"))
        .collect();
    assert!(gpus.len() > 40 && pages.len() > 80, "{} pages", pages.len());

    let answer: Value =
        serde_json::from_str(&out(&[&["gpu", "--json"], &gpus[..]].concat())).unwrap();
    let mut cells = 0;
    for (gpu, asked) in gpus.iter().zip(answer["gpus"].as_array().unwrap()) {
        let on = &asked["on"]
            .as_array()
            .unwrap()
            .iter()
            .find(|on| on["target"] == *gpu);
        // A target that the kernel reports as another one is answered by that one.
        let Some(on) = on else { continue };
        let beside: Value = serde_json::from_str(
            &fs::read_to_string(dir.path().join(format!("gpu/{gpu}.json"))).unwrap(),
        )
        .unwrap();
        for key in ["target", "declared", "distributions", "overrides"] {
            assert_eq!(beside[key], on[key], "{gpu}: {key}");
        }
        for (distro, package, way) in said(on) {
            let page = &pages[&format!("{distro}.html")];
            let row = between(page, &format!("\"package/{package}.html\">"), "</tr>")
                .next()
                .unwrap();
            let column = between(page, "<th scope=\"col\"><a href=\"gpu/", ".html")
                .position(|g| g == *gpu)
                .unwrap();
            let cell = between(row, "<span class=\"word\">", "</span>")
                .nth(column)
                .unwrap();
            assert_eq!(cell, way, "{distro}: {package} on {gpu}");
            for page in [format!("gpu/{gpu}.html"), format!("package/{package}.html")] {
                let at = format!("<h2 id=\"{distro}\">");
                let part = between(&pages[&page], &at, "<h2").next().unwrap();
                let other = if page.starts_with("gpu") {
                    &package
                } else {
                    *gpu
                };
                let row = between(
                    part,
                    &format!("/{other}.html\">{other}</a></th><td class=\""),
                    "</td>",
                )
                .next();
                assert_eq!(
                    row.unwrap().split_once("\">").unwrap().1,
                    way,
                    "{page}: {distro} {other}"
                );
            }
            cells += 1;
        }
    }
    assert!(cells > 3000, "{cells} cells");
    check_pages(dir.path(), &pages);
    assert!(out(&["report", "--out", at]).contains(": 0 files written"));
}

/// Asserts that each page loads nothing, that its references and links lead to existing pages, and
/// that its JSON can be read.
fn check_pages(site: &Path, pages: &BTreeMap<String, String>) {
    for (path, text) in pages {
        assert!(
            !text.contains("@import") && !text.contains(" src=") && !text.contains("fetch("),
            "{path}"
        );
        assert_eq!(
            text.matches("<script").count(),
            usize::from(path == "index.html"),
            "{path}"
        );
        let told = text.split("<script").next().unwrap();
        let recipes: Vec<&str> = between(told, "<pre", "</pre>").collect();
        assert!(
            told.matches('`').count() == recipes.concat().matches('`').count(),
            "{path}: a backtick"
        );
        let words = path.contains('/').then(|| {
            between(text, "<dl class=\"words\">", "</dl>")
                .next()
                .unwrap()
        });
        for way in between(text, "<td class=\"", "\"").filter(|way| *way != "names") {
            assert!(
                words.is_none_or(|words| words.contains(&format!("<dt class=\"{way}\">"))),
                "{path}: {way}"
            );
        }
        let folder = Path::new(path).parent().unwrap();
        for link in between(text, " href=\"", "\"")
            .filter(|l| !l.starts_with("https://") && !l.starts_with("data:"))
        {
            let (file, id) = link.split_once('#').unwrap_or((link, ""));
            let there = if file.is_empty() {
                site.join(path)
            } else {
                site.join(folder).join(file)
            };
            assert!(there.is_file(), "{path}: {link}");
            assert!(
                id.is_empty() || text.contains(&format!("id=\"{id}\"")),
                "{path}: {link}"
            );
        }
        let json = fs::read_to_string(site.join(path.replace(".html", ".json"))).unwrap();
        serde_json::from_str::<Value>(&json).unwrap();
    }
    assert!(pages["package/rocblas.html"].contains("<code># Copyright"));
    let row = between(&pages["index.html"], "gpu/gfx1032.html\"", "</tr>")
        .next()
        .unwrap();
    assert!(
        ["Radeon RX 6650 XT", "Dimgrey Cavefish", "navi23"]
            .iter()
            .all(|name| row.contains(name)),
        "{row}"
    );
    for page in [
        "debian-sid.html",
        "gpu/gfx1032.html",
        "package/rocblas.html",
    ] {
        assert!(
            pages[page].contains("This is read from Debian&apos;s package index"),
            "{page}"
        );
    }
}
