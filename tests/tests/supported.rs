//! No fact of the model is lost silently. For every key that a component, a habit or an overlay may
//! state of a package, each backend writes the fact into the recipe, refuses it, or reports that
//! its recipes leave it out.
//!
//! `supported/rows.txt` states each key, over the small model beside it. The backend's table of
//! capabilities lists the facts that its recipes can't express. `supported/silent.txt` lists further
//! facts that a distribution does not need, each with its reason. `ROCPKG_HEARD=1` prints the
//! result for each fact.

use rocpkg::internal::model::{FileKind, Files, Finding, Findings, Node, Severity, Value, parse};
use rocpkg::internal::resolve::{Model, Unsupported};
use rocpkg::{Backend, Options};
use rocpkg_tests::{fixture, is_whole, rendered, sample, texts};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::panic::resume_unwind;
use std::thread;

/// The layers that may state a fact.
const LAYERS: [&str; 3] = ["component", "habit", "overlay"];

/// Returns the lines of a file, without comments and empty lines.
fn lines(name: &str) -> Vec<String> {
    let text = fs::read_to_string(fixture("supported").join(name)).unwrap();
    text.lines()
        .filter(|l| !l.starts_with('#') && !l.is_empty())
        .map(str::to_owned)
        .collect()
}

/// Returns the text that is merged over the model first, and the text that replaces it.
fn row(line: &str) -> (String, String) {
    let (before, after) = line.split_once(" >> ").unwrap_or(("", line));
    (before.replace(" ++ ", "\n"), after.replace(" ++ ", "\n"))
}

/// The result of rendering the model with a fact: the files, the errors, and the other findings.
struct Outcome {
    files: BTreeMap<String, Vec<u8>>,
    errors: Vec<String>,
    said: Vec<String>,
}

/// Returns a fact with the distribution's own words in place of `PHASE` and `SPELT`.
fn spoken(fact: &str, distro: &str) -> String {
    let (phase, spelt) = match distro {
        "arch" => ("package", "lz4"),
        "nixpkgs" => ("postInstall", "lz4"),
        "gentoo" => ("install", "app-arch/lz4"),
        _ => ("install", "lz4"),
    };
    fact.replace("PHASE", phase).replace("SPELT", spelt)
}

/// Renders the model with a fact in a layer.
fn outcome(model: &Files, backend: Backend, layer: &str, fact: &str) -> Outcome {
    let distro = backend.distro();
    let fact = spoken(fact, distro);
    let (mut base, mut over) = (model.clone(), Files::new());
    match layer {
        _ if fact.is_empty() => {}
        "component" => drop(over.insert("components/probe.yaml".into(), fact)),
        "overlay" => drop(over.insert(format!("distros/{distro}/probe.yaml"), fact)),
        _ => {
            // The habits are the last key of these files, and `rules` is the last key of the
            // habits.
            let habits = base.get_mut(&format!("distros/{distro}.yaml")).unwrap();
            let rules = if habits.contains("\n  rules:\n") {
                ""
            } else {
                "  rules:\n"
            };
            let keys: String = fact.lines().map(|l| format!("        {l}\n")).collect();
            // A rule with `depends-on` may change a dependency that the component states.
            let head = "    - components: [probe]\n      depends-on: cmake\n      package:\n";
            habits.push_str(&format!("{rules}{head}{keys}"));
        }
    }
    come_to(&[(String::new(), base), ("over".to_owned(), over)], backend)
}

fn come_to(layers: &[(String, Files)], backend: Backend) -> Outcome {
    let options = Options {
        backends: vec![backend],
        review: true,
        ..Options::everything()
    };
    let made = rendered(Model::load(layers), &options);
    let mut proofs = Findings::default();
    made.tree
        .proofs
        .into_iter()
        .for_each(|(_, p)| proofs.append(p.findings));
    let told = |f: &Finding| format!("{} {} {}", f.code, f.message, f.label);
    let (errors, mut said): (Vec<&Finding>, Vec<&Finding>) = made
        .findings
        .sorted()
        .into_iter()
        .partition(|f| f.severity == Severity::Error);
    said.extend(proofs.sorted());
    let [errors, said] = [errors, said].map(|list| list.into_iter().map(told).collect());
    let files = made
        .tree
        .files
        .iter()
        .map(|(p, b)| (p.as_str().to_owned(), b.to_vec()))
        .collect();
    Outcome {
        files,
        errors,
        said,
    }
}

/// Returns the effect of a fact: it was refused, reported, written, or silently lost.
fn answer(was: &Outcome, is: &Outcome) -> String {
    if !is.errors.is_empty() {
        return format!("refused: {}", is.errors.join("; "));
    }
    if is.said != was.said {
        let new: Vec<&str> = is
            .said
            .iter()
            .filter(|s| !was.said.contains(s))
            .map(String::as_str)
            .collect();
        return format!("said: {}", new.join("; "));
    }
    (if is.files == was.files {
        "silent"
    } else {
        "written"
    })
    .to_owned()
}

/// Returns the values in a YAML text at the path of an unsupported fact.
fn said(text: &str, path: &str) -> Vec<String> {
    fn shown(node: &Node) -> String {
        match &node.value {
            Value::Null => String::new(),
            Value::Scalar { text, .. } => text.to_string(),
            Value::Seq(items) => items.iter().map(|item| shown(item) + ", ").collect(),
            Value::Map(all) => all
                .iter()
                .map(|(key, value)| format!("{}: {}, ", key.name, shown(value)))
                .collect(),
        }
    }
    fn at(node: &Node, path: &[&str]) -> Vec<String> {
        match (&node.value, path.split_first()) {
            (_, None) => vec![shown(node)],
            (Value::Seq(items), _) => items.iter().flat_map(|item| at(item, path)).collect(),
            (Value::Map(all), Some((key, rest))) => {
                let meant = all.iter().filter(|(k, _)| *key == "*" || k.name == *key);
                meant.flat_map(|(_, value)| at(value, rest)).collect()
            }
            (Value::Null | Value::Scalar { .. }, _) => Vec::new(),
        }
    }
    let node = parse(0, text, &mut Findings::default());
    node.map(|node| at(&node, &path.split('.').collect::<Vec<_>>()))
        .unwrap_or_default()
}

/// Returns true if a row states this unsupported fact, with another value than before.
fn states(before: &str, after: &str, gap: &Unsupported) -> bool {
    let stated = said(after, gap.path);
    !stated.is_empty() && stated != said(before, gap.path)
}

#[test]
fn every_gap_is_tried() {
    let rows: Vec<(String, String)> = lines("rows.txt").iter().map(|line| row(line)).collect();
    for gap in Backend::ALL.into_iter().flat_map(|b| b.column().gaps) {
        assert!(
            rows.iter()
                .any(|(before, after)| states(before, after, gap)),
            "no row states `{}`",
            gap.path
        );
    }
}

#[test]
fn no_fact_is_lost_without_a_word() {
    let model: Files = texts(&fixture("supported"), &["yaml"]);
    let rows: Vec<(String, String)> = lines("rows.txt").iter().map(|line| row(line)).collect();
    let silent = lines("silent.txt");
    let silent: Vec<Vec<&str>> = silent
        .iter()
        .map(|line| line.split(" | ").collect())
        .collect();
    let layers = Backend::ALL.map(|backend| LAYERS.map(|layer| (backend, layer)));
    let layers = layers.as_flattened();
    let jobs = (0..rows.len()).flat_map(|at| layers.iter().map(move |layer| (*layer, at)));
    let jobs: Vec<_> = jobs.collect();
    // CI runs three of ten jobs, so that each row is tried in some of the twelve layers, and the
    // next row in others.
    let most = jobs.len() * 3 / 10;
    let jobs = sample("keys in a layer of a distribution", most, jobs);
    let run = |jobs: &[((Backend, &'static str), usize)]| {
        let mut out = Vec::new();
        let mut befores: BTreeMap<(&str, &str, String), Outcome> = BTreeMap::new();
        for ((backend, layer), at) in jobs {
            let (before, after) = &rows[*at];
            let was = befores
                .entry((backend.distro(), layer, before.clone()))
                .or_insert_with(|| outcome(&model, *backend, layer, before));
            let is = outcome(&model, *backend, layer, after);
            // An unsupported fact of a component or a habit need not be reported, unless a review
            // lists it.
            let gaps = backend
                .column()
                .gaps
                .iter()
                .filter(|gap| *layer != "overlay" && !gap.noted);
            let gap = gaps.into_iter().any(|gap| states(before, after, gap));
            let answer = if gap {
                "a gap".to_owned()
            } else {
                answer(was, &is)
            };
            out.push((backend.distro(), *layer, after.as_str(), answer));
        }
        out
    };
    let told: Vec<_> = thread::scope(|s| {
        let parts: Vec<_> = jobs
            .chunks(jobs.len().div_ceil(2))
            .map(|part| s.spawn(|| run(part)))
            .collect();
        parts
            .into_iter()
            .flat_map(|p| p.join().unwrap_or_else(|e| resume_unwind(e)))
            .collect()
    });
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    for (distro, layer, after, answer) in told {
        if std::env::var_os("ROCPKG_HEARD").is_some() {
            println!("{distro}\t{layer}\t{after}\t{answer}");
        }
        if answer != "silent" {
            continue;
        }
        let known = silent.iter().position(|row| {
            let [distros, layers, what, _] = row[..] else {
                panic!("{row:?} has not four parts")
            };
            let here = distros == "*" || distros.split(' ').any(|d| d == distro);
            here && layers.contains(&layer[..1]) && after.starts_with(what)
        });
        match known {
            Some(i) => drop(used.insert(i)),
            None => wrong.push(format!("{distro}: {layer}: {after}: lost without a word")),
        }
    }
    // In a sample, a row may be needed only by jobs that are left out, so idle rows are reported in
    // a full run only.
    let idle = silent
        .iter()
        .enumerate()
        .filter(|(i, _)| is_whole() && !used.contains(i));
    wrong.extend(idle.map(|(_, row)| format!("{}: is never silent", row.join(" | "))));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_key_is_tried() {
    let (shape, book) = FileKind::Component.describe();
    let mut seen = BTreeSet::new();
    for (before, after) in lines("rows.txt").iter().map(|line| row(line)) {
        for text in [before, after] {
            let Some(node) = parse(0, &spoken(&text, "gentoo"), &mut Findings::default()) else {
                continue;
            };
            book.walk(&shape, &node, &mut |record, field, _| {
                seen.insert((record.name, field.key.to_owned()));
            });
        }
    }
    // These keys take effect while layers are merged, before a backend reads the package.
    let of_layers = ["releases", "checked", "id"];
    let all = book
        .iter()
        .flat_map(|d| d.fields.iter().map(move |f| (d.name, f.key.to_owned())));
    let missing: Vec<String> = all
        .filter(|(record, key)| {
            !of_layers.contains(&key.as_str()) && !seen.contains(&(*record, key.clone()))
        })
        .map(|(record, key)| format!("{record}.{key}"))
        .collect();
    assert!(
        missing.is_empty(),
        "no row of supported/rows.txt states {missing:?}"
    );
}
