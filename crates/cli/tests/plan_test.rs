//! Tests of `rocpkg plan test` on invented labs and on upstream's machines, and of the test results
//! in the report.

use rocpkg::Stack;
use rocpkg::internal::model;
use rocpkg::internal::targets::{OnDevice, TargetKind};
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
    let processors = registry.of_kind(TargetKind::Processor);
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

/// A project with a runner, a backend and a benchmark, and the folder of its results.
struct Project {
    dir: tempfile::TempDir,
}

const HEALTH: &str = "
runners:
  node: {labels: [ci], gpus: MI210, os: Debian 13, kernel: '6.12', driver: amdgpu, contact: Ada}
maturity:
  default: {runners: 1, results: true, current: true, people: {runtime: 2, compiler: 1}}
  trial: {experimental: true}
backends:
  hip: {package: rocblas, maturity: default, distributions: gentoo, targets: gfx90a,
    people: {runtime: [Ada, Ben], compiler: Cleo}, contact: Ada}
  rdna: {package: rocFFT, maturity: trial, next: default, targets: gfx1100, distributions: [gentoo]}
limits:
  gemm: {worse-by: 5, worst: 80, packages: rocBLAS}
";

/// Returns the record of a test of rocBLAS at 7.2.0, with the result of its benchmark.
fn gemm(date: &str, value: f64) -> Value {
    json!({"package": "rocblas", "release": "7.2.0", "distribution": "gentoo", "target": "gfx90a",
        "device": "MI210", "outcome": "passed", "log": "https://ci.example.org/1", "date": date,
        "metrics": [{"name": "gemm", "value": value, "unit": "TFLOPS", "better": "higher"}]})
}

impl Project {
    fn new(runners: &str, records: &[Value]) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("results")).unwrap();
        write_file(dir.path().join("runners.yaml"), runners);
        let file = dir.path().join("results/a.json");
        write_file(file, Value::from(records.to_vec()).to_string());
        Self { dir }
    }

    fn path(&self, name: &str) -> String {
        self.dir.path().join(name).to_str().unwrap().to_owned()
    }

    /// Runs a command with the project's runners and results. Returns its exit status, the text on
    /// standard output, and the text on standard error.
    fn run(&self, args: &[&str]) -> (i32, String, String) {
        let (runners, results) = (self.path("runners.yaml"), self.path("results"));
        let own = ["--runners", &runners, "--results", &results];
        let run = rocpkg(&[args, &own[..]].concat());
        let text = |bytes| {
            let text = String::from_utf8(bytes).unwrap();
            text.replace(self.dir.path().to_str().unwrap(), "")
        };
        (
            run.status.code().unwrap(),
            text(run.stdout),
            text(run.stderr),
        )
    }

    /// Returns the exit status of the gate, and its lines about backends and limits.
    fn gate(&self) -> (i32, String) {
        let (status, out, err) = self.run(&["plan", "test", "--distro", "gentoo", "--gate"]);
        assert_eq!(err, "");
        let lines = out.lines().filter(|line| {
            let starts = ["backend ", "experimental backend ", "  for ", "limit: "];
            starts.iter().any(|start| line.starts_with(start))
        });
        (status, lines.map(|line| format!("{line}\n")).collect())
    }
}

#[test]
fn the_gate_ends_with_1_where_a_demand_is_not_met() {
    let two = [gemm("2026-10-01", 100.0), gemm("2026-11-01", 96.0)];
    let (good, said) = Project::new(HEALTH, &two).gate();
    insta::assert_snapshot!("gate-good", said);
    assert_eq!(good, 0);
    // Each of these changes makes one difference.
    let mut failed = gemm("2026-11-01", 96.0);
    failed["outcome"] = json!("failed");
    let mut old = two.clone();
    for record in &mut old {
        record["release"] = json!("7.1.0");
    }
    let cases: [(&str, String, Vec<Value>); 10] = [
        (
            "no runner",
            HEALTH.replace("gpus: MI210", "gpus: MI100"),
            two.to_vec(),
        ),
        (
            "skipped",
            HEALTH.replace("contact: Ada}\nmat", "skips: {rocblas: []}}\nmat"),
            two.to_vec(),
        ),
        (
            "no result",
            HEALTH
                .replace("gpus: MI210", "gpus: [MI210, MI300X]")
                .replace("targets: gfx90a", "targets: [gfx90a, gfx942]"),
            two.to_vec(),
        ),
        (
            "failed",
            HEALTH.to_owned(),
            vec![two[0].clone(), two[1].clone(), failed],
        ),
        ("another version", HEALTH.to_owned(), old.to_vec()),
        (
            "too few people",
            HEALTH.replace("[Ada, Ben]", "[Ada, Ada]"),
            two.to_vec(),
        ),
        (
            "nobody",
            HEALTH.replace(", compiler: Cleo", ""),
            two.to_vec(),
        ),
        (
            "slower than before",
            HEALTH.to_owned(),
            vec![two[0].clone(), gemm("2026-11-01", 94.9)],
        ),
        (
            "slower than allowed",
            HEALTH.to_owned(),
            vec![gemm("2026-10-01", 82.0), gemm("2026-11-01", 79.5)],
        ),
        (
            "no such metric",
            HEALTH.replace("gemm:", "gem:"),
            two.to_vec(),
        ),
    ];
    let told = cases.map(|(what, runners, records)| {
        let (status, said) = Project::new(&runners, &records).gate();
        assert_eq!(status, 1, "{what}: {said}");
        let lines = said
            .lines()
            .filter(|line| !line.starts_with("exp") && !line.starts_with("  "));
        format!("{what}:\n{}\n", lines.collect::<Vec<_>>().join("\n"))
    });
    insta::assert_snapshot!("gate-bad", told.join("\n"));
    // Without `--gate`, the same is said, and the status is 0.
    let project = Project::new(HEALTH, &[]);
    let (status, text, _) = project.run(&["plan", "test", "--distro", "gentoo"]);
    assert!(
        status == 0 && text.contains("backend hip (level default) lacks: no result: gentoo gfx90a"),
        "{text}"
    );
    // In JSON, and for the matrix of a workflow.
    let gate = ["plan", "test", "--distro", "gentoo", "--gate", "--format"];
    let (status, text, _) = project.run(&[&gate[..], &["json"]].concat());
    let said: Value = serde_json::from_str(&text).unwrap();
    let lacks = &said["health"]["backends"][0]["lacks"];
    assert_eq!((status, lacks), (1, &json!(["no result: gentoo gfx90a"])));
    let (status, text, err) = project.run(&[&gate[..], &["github"]].concat());
    assert!(
        status == 1 && text.starts_with('{') && err.contains("no result: gentoo gfx90a"),
        "{err}"
    );
    // A version is demanded of a result that is there.
    let only = HEALTH.replace("results: true, current", "current");
    let (status, said) = Project::new(&only, &[]).gate();
    assert!(
        status == 1 && said.contains("no result: gentoo gfx90a"),
        "{said}"
    );
    // A better result is no loss, in either direction.
    let faster = [gemm("2026-10-01", 90.0), gemm("2026-11-01", 200.0)];
    assert_eq!(Project::new(HEALTH, &faster).gate().0, 0);
    // Backends of other distributions and packages are not compared.
    let slower = [gemm("2026-10-01", 100.0), gemm("2026-11-01", 90.0)];
    let project = Project::new(&HEALTH.replace(", packages: rocBLAS", ""), &slower);
    assert_eq!(project.gate().0, 1);
    let other = [
        "plan",
        "test",
        "--gate",
        "--package",
        "rocrand",
        "--distro",
        "gentoo",
    ];
    assert_eq!(project.run(&other).0, 0);
}

#[test]
fn what_is_wrong_with_demands_and_metrics_is_told() {
    let said = |runners: &str, records: &[Value]| {
        let (status, _, err) =
            Project::new(runners, records).run(&["plan", "test", "--distro", "gentoo", "--gate"]);
        assert_eq!(status, 2, "{err}");
        err
    };
    let changes = [
        ("maturity: default,", "maturity: defualt,"),
        ("distributions: gentoo", "distributions: suse"),
        ("targets: gfx90a", "targets: gfx9oa"),
        ("package: rocblas", "package: rocblsa"),
        ("packages: rocBLAS", "packages: rocblsa"),
        ("worst: 80", "worst: 80 TFLOPS"),
        (
            "{worse-by: 5, worst: 80, packages: rocBLAS}",
            "{packages: rocBLAS}",
        ),
        ("worse-by: 5", "worse-by: 5%"),
        ("current: true", "curent: true"),
    ];
    let runners = changes.map(|(from, to)| {
        assert!(HEALTH.contains(from), "{from}");
        said(&HEALTH.replace(from, to), &[])
    });
    let mut metrics = [gemm("2026-10-01", 1.0), gemm("2026-10-02", 1.0)];
    metrics[1]["metrics"][0]["unit"] = json!("GFLOPS");
    let mut twice = gemm("2026-10-01", 1.0);
    twice["metrics"] = json!([twice["metrics"][0], twice["metrics"][0]]);
    let mut word = gemm("2026-10-01", 1.0);
    word["metrics"][0]["value"] = json!("1");
    let results = [
        said(HEALTH, &metrics),
        said(HEALTH, &[twice]),
        said(HEALTH, &[word]),
    ];
    let nothing = said("runners: {node: {gpus: MI210}}", &[]);
    insta::assert_snapshot!(
        "demands",
        [&runners[..], &results, &[nothing]].concat().join("\n")
    );
}

#[test]
fn the_page_about_health_has_runners_backends_and_lines_over_time() {
    let records = [
        gemm("2026-09-01", 100.0),
        gemm("2026-10-01", 104.0),
        gemm("2026-11-01", 79.0),
    ];
    let project = Project::new(HEALTH, &records);
    let out = project.path("pages");
    let (status, _, err) = project.run(&["report", "--gate", "--out", &out]);
    assert_eq!(
        (status, err.as_str()),
        (
            1,
            "/pages/health.html names what backends lack and which limits are crossed\n"
        )
    );
    let page = fs::read_to_string(project.dir.path().join("pages/health.html")).unwrap();
    let body = page
        .split("<h1>")
        .nth(1)
        .unwrap()
        .split("</main>")
        .next()
        .unwrap();
    insta::assert_snapshot!("health", body);
    let index = fs::read_to_string(project.dir.path().join("pages/index.html")).unwrap();
    assert!(index.contains("<a href=\"health.html\">Backends and runners</a>"));
    let said = fs::read_to_string(project.dir.path().join("pages/health.json")).unwrap();
    let said: Value = serde_json::from_str(&said).unwrap();
    assert_eq!(said["benchmarks"][0]["results"][2]["value"], 79.0);
    assert_eq!(said["crossed"].as_array().unwrap().len(), 2, "{said:#}");
}
