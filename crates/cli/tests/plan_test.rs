//! Tests of `rocpkg plan test` on invented labs and on upstream's machines, and of the test results
//! in the report.

use rocpkg::targets::{Kind, OnDevice};
use rocpkg::{Stack, model};
use rocpkg_test_support::write_file;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

fn out(args: &[&str]) -> String {
    let run = rocpkg(args);
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap()
}

fn lab(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("tests/labs/{name}.yaml"))
}

#[test]
fn labs_are_told_what_to_run_and_what_nobody_covers() {
    for (name, distro) in [
        ("attic", "nix"),
        ("university", "gentoo"),
        ("farm", "solus"),
    ] {
        let packages = [
            "--package",
            "rocblas",
            "--package",
            "rocsolver",
            "--package",
            "hipblaslt",
            "--package",
            "rocfft",
        ];
        let file = lab(name);
        let args = [
            &[
                "plan",
                "test",
                "--runners",
                file.to_str().unwrap(),
                "--distro",
                distro,
            ],
            &packages[..],
        ]
        .concat();
        insta::assert_snapshot!(name, out(&args));
        let matrix: Value =
            serde_json::from_str(&out(&[&args[..], &["--format", "github"]].concat())).unwrap();
        insta::assert_snapshot!(format!("{name}-matrix"), format!("{matrix:#}"));
        // Every test that has a runner is run.
        let all: Value =
            serde_json::from_str(&out(&[&args[..], &["--format", "json"]].concat())).unwrap();
        let runs = all["runs"].as_array().unwrap();
        for test in all["tests"].as_array().unwrap() {
            let (native, compatible) = (
                test["native"].as_array().unwrap(),
                test["compatible"].as_array().unwrap(),
            );
            let who = if native.is_empty() {
                compatible
            } else {
                native
            };
            assert!(
                who.is_empty() || who.iter().any(|run| runs.contains(run)),
                "{test}"
            );
        }
    }
}

/// Returns upstream's machines as runners. Each skips the tests that upstream skips on it.
fn upstream(stack: &Stack) -> String {
    let text = &rocpkg::shipped::profiles()["targets.yaml"];
    let node = model::parse(0, text, &mut model::Findings::default()).unwrap();
    let scheduled = node.get("scheduled").unwrap();
    let list = |node: &model::Node| -> BTreeSet<String> {
        let model::Value::Seq(items) = &node.value else {
            panic!("a list")
        };
        items.iter().map(|n| n.text().unwrap().to_owned()).collect()
    };
    let mut runners = serde_json::Map::new();
    for (name, machine) in scheduled.entries_of("machines") {
        let gpus = list(machine.get("targets").unwrap());
        let mut skips = BTreeMap::new();
        for (library, targets) in scheduled.entries_of("excluded") {
            let left_out: Vec<String> = list(targets).intersection(&gpus).cloned().collect();
            if !left_out.is_empty() && stack.model().components.contains_key(library.name.as_str())
            {
                skips.insert(library.name.to_string(), left_out);
            }
        }
        runners.insert(name.name.to_string(), json!({"gpus": gpus, "skips": skips}));
    }
    json!({ "runners": runners }).to_string()
}

#[test]
fn upstreams_machines_give_back_upstreams_own_plan() {
    let stack = Stack::shipped().unwrap();
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("upstream.yaml");
    write_file(&file, upstream(&stack));
    let plan: Value = serde_json::from_str(&out(&[
        "plan",
        "test",
        "--runners",
        file.to_str().unwrap(),
        "--format",
        "json",
    ]))
    .unwrap();
    let registry = stack.registry().unwrap();
    let processors = registry.of_kind(Kind::Processor);
    let mut seen: BTreeMap<&str, usize> = BTreeMap::new();
    for test in plan["tests"].as_array().unwrap() {
        let (package, target) = (
            test["package"].as_str().unwrap(),
            registry.get(test["target"].as_str().unwrap()).unwrap(),
        );
        if !processors.contains(target) {
            continue;
        }
        let native: Vec<&str> = test["native"]
            .as_array()
            .unwrap()
            .iter()
            .map(|r| r["runner"].as_str().unwrap())
            .collect();
        let left_out = test["untested"]
            .as_array()
            .unwrap()
            .iter()
            .any(|u| u["why"] == "skips it");
        let said = registry.on_device(package, target);
        match said {
            OnDevice::Scheduled { machine, .. } => {
                assert_eq!((native, left_out), (vec![machine], false), "{test}");
            }
            OnDevice::Excluded => assert!(native.is_empty() && left_out, "{test}"),
            OnDevice::NoMachine => assert!(native.is_empty() && !left_out, "{test}"),
            OnDevice::Unlisted => {}
        }
        *seen.entry(said.word()).or_default() += 1;
    }
    assert!(
        seen["scheduled"] > 150 && seen["no-machine"] > 50,
        "{seen:?}"
    );
    // Tests that upstream skips on a machine are skipped there for every distribution.
    let runs = |package: &str, target: &str| {
        let of = |t: &&Value| t["package"] == package && t["target"] == target;
        plan["tests"]
            .as_array()
            .unwrap()
            .iter()
            .filter(of)
            .any(|t| t["native"] != json!([]))
    };
    assert!(
        runs("rocblas", "gfx1030")
            && !runs("hipblaslt", "gfx1030")
            && !runs("hipsparselt", "gfx1100")
    );
    // Tests without a machine are listed.
    let text = out(&[
        "plan",
        "test",
        "--runners",
        file.to_str().unwrap(),
        "--distro",
        "gentoo",
    ]);
    assert!(
        text.lines()
            .any(|l| l.starts_with("no runner: gentoo gfx906: ") && l.contains(" rocblas ")),
        "{text}"
    );
}

#[test]
fn what_is_wrong_with_runners_and_results_is_told() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("runners.yaml");
    let said = |text: &str| {
        write_file(&file, text);
        let run = rocpkg(&["plan", "test", "--runners", file.to_str().unwrap()]);
        assert_eq!(run.status.code(), Some(2), "{text}");
        String::from_utf8(run.stderr)
            .unwrap()
            .replace(dir.path().to_str().unwrap(), "")
    };
    let runners = [
        "runners:\n  desk: {gpu: gfx1100}\n",
        "runners:\n  desk: {gpus: gfx1l00}\n",
        "runners:\n  desk: {gpus: gfx1100, skips: {rocblsa: []}}\n",
        "runners: [desk]\n",
    ];
    insta::assert_snapshot!("runners", runners.map(said).join("\n"));
    let results = dir.path().join("results");
    fs::create_dir(&results).unwrap();
    let whole = json!({"package": "rocblas", "release": "7.2.3", "distribution": "nixpkgs", "target": "gfx1100",
        "device": "RX 7900 XTX", "outcome": "passed", "log": "https://example.org/1", "date": "2026-10-01"});
    let wrong = [
        ("target", "gfx1l00"),
        ("target", "gfx1030"),
        ("package", "rocblsa"),
        ("distribution", "suse"),
        ("date", "1.10.2026"),
        ("outcome", "fine"),
        ("day", "x"),
    ];
    let told = wrong.map(|(key, value)| {
        let mut record = whole.clone();
        record[key] = json!(value);
        write_file(results.join("a.json"), record.to_string());
        let run = rocpkg(&[
            "report",
            "--out",
            dir.path().join("pages").to_str().unwrap(),
            "--results",
            results.to_str().unwrap(),
        ]);
        assert_eq!(run.status.code(), Some(2), "{key}");
        String::from_utf8(run.stderr)
            .unwrap()
            .replace(dir.path().to_str().unwrap(), "")
    });
    insta::assert_snapshot!("results", told.join(""));
}

/// Writes the report, and returns its files.
fn pages(dir: &Path, args: &[&str]) -> BTreeMap<String, String> {
    out(&[&["report", "--out", dir.to_str().unwrap()], args].concat());
    rocpkg_test_support::texts(dir, &["html", "json"])
}

#[test]
fn ten_results_change_the_report_where_they_should() {
    let dir = tempfile::tempdir().unwrap();
    let results = dir.path().join("results");
    fs::create_dir(&results).unwrap();
    let rows = [
        ("rocblas", "nixpkgs", "gfx1100", "passed"),
        ("rocblas", "nixpkgs", "gfx90a", "failed"),
        ("rocblas", "gentoo", "gfx1100", "passed"),
        // The name that upstream uses.
        ("hipBLASLt", "gentoo", "gfx1100", "failed"),
        ("rocfft", "solus", "gfx1030", "passed"),
        ("rocfft", "arch", "gfx1030", "passed"),
        ("miopen", "nixpkgs", "gfx942", "passed"),
        ("rccl", "gentoo", "gfx942", "passed"),
        ("rocsparse", "gentoo", "gfx1201", "passed"),
        ("rocsparse", "gentoo", "gfx1201", "failed"),
    ];
    let record = |(at, (package, distribution, target, outcome)): (
        usize,
        &(&str, &str, &str, &str),
    )| {
        json!({"package": package, "release": "7.2.0", "distribution": distribution, "target": target, "outcome": outcome,
            "device": "a card", "log": format!("https://ci.example.org/{at}"), "date": format!("2026-10-{:02}", at + 1)})
    };
    let records: Vec<Value> = rows.iter().enumerate().map(record).collect();
    write_file(results.join("first.json"), records[0].to_string());
    write_file(
        results.join("others.json"),
        Value::from(records[1..].to_vec()).to_string(),
    );
    let without = pages(&dir.path().join("without"), &[]);
    let with = pages(
        &dir.path().join("with"),
        &["--results", results.to_str().unwrap()],
    );
    assert_eq!(
        with.keys().collect::<Vec<_>>(),
        without.keys().collect::<Vec<_>>()
    );
    for (at, (package, distribution, target, outcome)) in rows.iter().enumerate() {
        let (log, package) = (
            format!("https://ci.example.org/{at}\""),
            package.to_lowercase(),
        );
        let holding: BTreeSet<&str> = with
            .iter()
            .filter(|(p, t)| p.ends_with("html") && t.contains(&log))
            .map(|(p, _)| p.as_str())
            .collect();
        let expected = [
            format!("gpu/{target}.html"),
            format!("package/{package}.html"),
        ];
        assert_eq!(
            holding,
            expected.iter().map(String::as_str).collect(),
            "{log}"
        );
        let on: Value = serde_json::from_str(&with[&format!("gpu/{target}.json")]).unwrap();
        let distro = on["distributions"]
            .as_array()
            .unwrap()
            .iter()
            .find(|d| d["distribution"] == *distribution)
            .unwrap();
        let row = distro["packages"]
            .as_array()
            .unwrap()
            .iter()
            .find(|p| p["package"] == package)
            .unwrap();
        assert_eq!(row[*outcome]["log"], records[at]["log"], "{row}");
    }
    // Only these results were added: without their lines, the pages are the same as before.
    let counted: usize = with
        .iter()
        .filter(|(p, _)| p.starts_with("gpu/") && p.ends_with("html"))
        .map(|(_, t)| t.matches("ci.example.org").count())
        .sum();
    assert_eq!(counted, 2 * rows.len(), "an address and its text for each");
    assert!(
        without
            .values()
            .all(|t| !t.contains("ci.example.org") && !t.contains("Results</th>"))
    );
    // The first page lists only what is known from results and runners.
    let (attic, results) = (lab("attic"), results.to_str().unwrap());
    let both = pages(
        &dir.path().join("both"),
        &["--results", results, "--runners", attic.to_str().unwrap()],
    );
    let known = |pages: &BTreeMap<String, String>| -> Vec<Value> {
        let index: Value = serde_json::from_str(&pages["index.json"]).unwrap();
        index["known"].as_array().unwrap().clone()
    };
    assert_eq!(
        (known(&without).len(), known(&with).len()),
        (0, 9),
        "one of the ten passed and failed"
    );
    let section = "<h2 id=\"tests\">Tests and results</h2>";
    assert!(both["index.html"].contains(section) && !without["index.html"].contains(section));
    let on_nix = known(&both)
        .into_iter()
        .filter(|k| k["package"] == "rocblas" && k["distribution"] == "nixpkgs");
    let on_nix: Vec<String> = on_nix.map(|row| row.to_string()).collect();
    insta::assert_snapshot!("known", on_nix.join("\n"));
}
