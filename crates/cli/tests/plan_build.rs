//! Tests of `rocpkg plan build`: engines run the plans that it writes. The builds are stand-ins
//! that log when each of them begins and ends.

use rocpkg_test_support::{nix_instantiate, write_file};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Output, Stdio};
use std::time::Duration;

/// A machine for four builds at once. hipBLASLt needs more than a quarter of it.
const MACHINE: &str = "cpus=16,memory=128G,disk=500G,builds=4";

fn rocpkg(args: &[&str]) -> Output {
    rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
        .args(args)
        .output()
        .unwrap()
}

fn plan(args: &[&str]) -> String {
    let run = rocpkg(&[&["plan", "build"], args].concat());
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    String::from_utf8(run.stdout).unwrap()
}

fn json(args: &[&str]) -> Value {
    serde_json::from_str(&plan(&[args, &["--format", "json"]].concat())).unwrap()
}

fn texts(value: &Value) -> BTreeSet<String> {
    value
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_str().unwrap().to_owned())
        .collect()
}

/// Returns the builds of a plan that a machine has room for. Each has the builds that it needs, and
/// its memory in MiB.
fn jobs(plan: &Value) -> BTreeMap<String, (BTreeSet<String>, u64)> {
    let jobs = plan["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|j| j["runs"].is_object());
    jobs.map(|j| {
        (
            j["name"].as_str().unwrap().to_owned(),
            (texts(&j["needs"]), j["runs"]["memory"].as_u64().unwrap()),
        )
    })
    .collect()
}

/// A folder in which a stand-in for `pkgctl` logs the requested builds.
struct Lab {
    dir: tempfile::TempDir,
    plan: Value,
}

impl Lab {
    fn new(args: &[&str], format: &str, file: &str) -> Self {
        let dir = tempfile::tempdir().unwrap();
        fs::create_dir(dir.path().join("bin")).unwrap();
        let recorder = "#!/bin/sh\nfor name; do :; done\necho \"start $name\" >> \"$LOG\"\nsleep 0.1\n\
            case \" $FAILS \" in *\" $name \"*) echo \"fail $name\" >> \"$LOG\"; exit 1;; esac\necho \"end $name\" >> \"$LOG\"\n";
        let path = dir.path().join("bin/pkgctl");
        write_file(&path, recorder);
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        write_file(
            dir.path().join(file),
            plan(&[args, &["--format", format]].concat()),
        );
        Self {
            plan: json(args),
            dir,
        }
    }

    fn command(&self, program: &str, args: &[&str], fails: &str) -> Command {
        let mut command = rocpkg_programs::command(program);
        let own = self.dir.path().join("bin");
        let path = std::env::join_paths([&own, rocpkg_programs::folder()]).unwrap();
        command
            .args(args)
            .current_dir(self.dir.path())
            .env("PATH", path)
            .env("FAILS", fails);
        command
            .env("LOG", self.dir.path().join("log"))
            .env("XDG_CACHE_HOME", self.dir.path().join("cache"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        command
    }

    /// Returns the lines of the log in their order.
    fn log(&self) -> Vec<(String, String)> {
        let text = fs::read_to_string(self.dir.path().join("log")).unwrap_or_default();
        let pair = |line: &str| {
            line.split_once(' ')
                .map(|(what, name)| (what.to_owned(), name.to_owned()))
                .unwrap()
        };
        text.lines().map(pair).collect()
    }

    fn noted(&self, what: &str) -> Vec<String> {
        self.log()
            .into_iter()
            .filter(|(w, _)| w == what)
            .map(|(_, name)| name)
            .collect()
    }

    /// Checks the log: no build begins before its needs have ended, and the memory of the running
    /// builds is never above the machine's. Returns the largest number of builds that ran at once.
    fn check(&self) -> usize {
        let jobs = jobs(&self.plan);
        let has = self.plan["machines"][0]["memory"].as_u64().unwrap();
        let (mut running, mut ended, mut most) = (BTreeSet::new(), BTreeSet::new(), 0);
        for (what, name) in self.log() {
            let (needs, _) = &jobs[&name];
            if what == "start" {
                assert!(
                    needs.is_subset(&ended),
                    "{name} began before {:?}",
                    needs.difference(&ended)
                );
                running.insert(name);
            } else {
                running.remove(&name);
                if what == "end" {
                    ended.insert(name);
                }
            }
            let memory: u64 = running.iter().map(|name| jobs[name].1).sum();
            assert!(memory <= has, "{memory} MB for {running:?}");
            most = most.max(running.len());
        }
        most
    }

    fn names(&self) -> BTreeSet<String> {
        jobs(&self.plan).into_keys().collect()
    }

    /// Returns the builds that need the build `name`, directly or through others.
    fn after(&self, name: &str) -> BTreeSet<String> {
        let jobs = jobs(&self.plan);
        let (mut met, mut count) = (BTreeSet::from([name.to_owned()]), 0);
        while met.len() > count {
            count = met.len();
            let next: Vec<String> = jobs
                .iter()
                .filter(|(_, (needs, _))| !needs.is_disjoint(&met))
                .map(|(n, _)| n.clone())
                .collect();
            met.extend(next);
        }
        met.remove(name);
        met
    }
}

#[test]
fn ninja_holds_to_the_order_and_to_the_memory() {
    let lab = Lab::new(&["arch", "--machine", MACHINE], "ninja", "build.ninja");
    let alone: Vec<&Value> = lab.plan["jobs"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|j| j["runs"]["alone"] == json!(true))
        .collect();
    assert!(!alone.is_empty(), "a build needs more than a share");
    assert!(
        lab.command("ninja", &["-j", "16"], "")
            .status()
            .unwrap()
            .success()
    );
    assert!(lab.check() > 1, "builds run beside each other");
    assert_eq!(
        lab.noted("end").into_iter().collect::<BTreeSet<_>>(),
        lab.names()
    );
    // A second run has nothing to do.
    assert!(lab.command("ninja", &[], "").status().unwrap().success());
    assert_eq!(lab.noted("start").len(), lab.names().len());
}

/// A user who builds for other targets, and then for the first ones again, has the packages of the
/// last build each time.
#[test]
fn another_choice_of_targets_builds_what_holds_device_code_again() {
    for (engine_name, file, args) in [
        ("ninja", "build.ninja", &["-j", "16"][..]),
        (
            "snakemake",
            "Snakefile",
            &[
                "--cores",
                "16",
                "--resources",
                "mem_mb=131072",
                "disk_mb=512000",
            ][..],
        ),
    ] {
        let lab = Lab::new(
            &[
                "arch",
                "--changed",
                "rocfft",
                "--machine",
                MACHINE,
                "--targets",
                "gfx1100",
            ],
            engine_name,
            file,
        );
        let run = || {
            assert!(
                lab.command(engine_name, args, "")
                    .status()
                    .unwrap()
                    .success()
            );
        };
        let mut times = Vec::new();
        for targets in ["gfx1100", "gfx1100", "gfx1030", "gfx1100"] {
            let asked = [
                "arch",
                "--changed",
                "rocfft",
                "--machine",
                MACHINE,
                "--targets",
                targets,
                "--format",
                engine_name,
            ];
            write_file(lab.dir.path().join(file), plan(&asked));
            run();
            times.push(
                lab.noted("end")
                    .iter()
                    .filter(|name| *name == "rocfft")
                    .count(),
            );
        }
        assert_eq!(times, [1, 1, 2, 3], "{engine_name}");
    }
}

#[test]
fn what_ninja_has_built_stays_built_when_it_is_killed() {
    let lab = Lab::new(&["arch", "--machine", MACHINE], "ninja", "build.ninja");
    let mut run = lab.command("ninja", &["-j", "16"], "").spawn().unwrap();
    while lab.noted("end").len() < 10 {
        assert!(run.try_wait().unwrap().is_none(), "it ended by itself");
        std::thread::sleep(Duration::from_millis(10));
    }
    run.kill().unwrap();
    run.wait().unwrap();
    // The builds that had begun are run to their end.
    std::thread::sleep(Duration::from_millis(500));
    let stamps: BTreeSet<String> = fs::read_dir(lab.dir.path().join("stamps"))
        .unwrap()
        .map(|e| e.unwrap().file_name().into_string().unwrap())
        .filter(|name| !name.starts_with('.'))
        .collect();
    assert!(
        stamps.len() >= 6 && stamps.len() < lab.names().len(),
        "{stamps:?}"
    );
    assert!(
        lab.command("ninja", &["-j", "16"], "")
            .status()
            .unwrap()
            .success()
    );
    let starts = lab.noted("start");
    for name in lab.names() {
        let times = starts.iter().filter(|n| **n == name).count();
        assert!(
            times == 1 || (times == 2 && !stamps.contains(&name)),
            "{name} was built {times} times"
        );
    }
}

#[test]
fn a_build_that_fails_stops_what_needs_it_and_nothing_else() {
    let lab = Lab::new(&["arch", "--machine", MACHINE], "ninja", "build.ninja");
    assert!(
        !lab.command("ninja", &["-k", "0", "-j", "16"], "rocblas")
            .status()
            .unwrap()
            .success()
    );
    lab.check();
    let mut left: BTreeSet<String> = lab.names();
    left.retain(|name| !lab.noted("end").contains(name));
    let mut stopped = lab.after("rocblas");
    assert!(stopped.len() > 3, "{stopped:?}");
    stopped.insert("rocblas".to_owned());
    assert_eq!(left, stopped);
}

#[test]
fn snakemake_holds_to_the_order_and_to_the_memory_too() {
    let args = ["arch", "--machine", MACHINE, "--changed", "rocblas"];
    let lab = Lab::new(&args, "snakemake", "Snakefile");
    let run = |fails| {
        let args = [
            "--keep-going",
            "--cores",
            "16",
            "--resources",
            "mem_mb=131072",
            "disk_mb=512000",
        ];
        lab.command("snakemake", &args, fails)
            .status()
            .unwrap()
            .success()
    };
    assert!(!run("rocsolver"));
    lab.check();
    let mut left: BTreeSet<String> = lab.names();
    left.retain(|name| !lab.noted("end").contains(name));
    let mut stopped = lab.after("rocsolver");
    stopped.insert("rocsolver".to_owned());
    assert_eq!(left, stopped);
    // The next run continues where the first one stopped.
    let before = lab.noted("end").len();
    assert!(run(""));
    lab.check();
    assert_eq!(lab.noted("end").len(), lab.names().len());
    assert!(before > 1);
}

/// Runs Snakemake's executor for Slurm without a cluster. It reads the plan, and reports the jobs
/// that it would pass to `sbatch`.
#[test]
fn slurm_is_handed_every_build_without_being_run() {
    let lab = Lab::new(&["arch", "--machine", MACHINE], "snakemake", "Snakefile");
    let args = ["--executor", "slurm", "--dry-run", "--jobs", "4"];
    let run = lab
        .command("snakemake", &args, "")
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let told = String::from_utf8(run.stdout).unwrap();
    let counted = told
        .lines()
        .find_map(|line| line.strip_prefix("build "))
        .map(str::trim);
    assert!(run.status.success(), "{told}");
    assert_eq!(
        counted,
        Some(lab.names().len().to_string().as_str()),
        "{told}"
    );
    assert!(told.contains("mem_mb=") && lab.log().is_empty(), "{told}");
}

#[test]
fn workflows_fit_the_schema_of_github_and_say_what_the_plan_says() {
    let dir = tempfile::tempdir().unwrap();
    for distro in ["gentoo", "arch", "nix", "solus"] {
        let args = [distro, "--machine", "name=big,cpus=64,memory=512G,disk=2T"];
        let text = plan(&[&args[..], &["--format", "github"]].concat());
        let file = dir.path().join(format!("{distro}.yml"));
        write_file(&file, &text);
        let mut check = rocpkg_programs::command("check-jsonschema");
        let out = check
            .args(["--builtin-schema", "vendor.github-workflows"])
            .arg(&file)
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{distro}: {}",
            String::from_utf8_lossy(&out.stdout)
        );
        let all = jobs(&json(&args));
        assert_eq!(
            text.matches("\n    runs-on: [\"self-hosted\",\"big\"]\n")
                .count(),
            all.len(),
            "{distro}"
        );
        for (name, (needs, _)) in &all {
            let id = |name: &str| name.replace([':', '.'], "-");
            let job = text
                .split(&format!("\n  {}:\n", id(name)))
                .nth(1)
                .unwrap_or_else(|| panic!("{name}"));
            let line = job
                .lines()
                .take(4)
                .find(|l| l.starts_with("    needs: "))
                .unwrap_or("    needs: []");
            let written: Value =
                serde_json::from_str(line.trim_start_matches("    needs: ")).unwrap();
            assert_eq!(
                written.as_array().unwrap().len(),
                needs.len(),
                "{name} needs something twice"
            );
            let written = texts(&written);
            assert_eq!(written, needs.iter().map(|n| id(n)).collect(), "{name}");
        }
    }
}

#[test]
fn the_jobs_of_hydra_evaluate_to_the_packages() {
    let dir = tempfile::tempdir().unwrap();
    let args = ["nix", "--machine", "name=big,cpus=64,memory=512G,disk=2T"];
    write_file(
        dir.path().join("release.nix"),
        plan(&[&args[..], &["--format", "hydra"]].concat()),
    );
    let (all, mut attributes) = (jobs(&json(&args)), BTreeMap::<String, Vec<String>>::new());
    for name in all.keys() {
        let (package, part) = name
            .split_once(':')
            .map_or((name.as_str(), None), |(p, part)| (p, Some(part)));
        attributes
            .entry(package.to_owned())
            .or_default()
            .extend(part.map(str::to_owned));
    }
    assert!(
        attributes.values().any(|parts| parts.len() > 3),
        "one comes in parts"
    );
    let attributes = attributes.iter().map(|(name, parts)| {
        let parts: String = parts
            .iter()
            .map(|part| format!("{part:?} = {{ name = \"{name}:{part}\"; }}; "))
            .collect();
        // An attribute of a set in the scope is a path.
        let path = name.replace('.', "\".\"");
        format!("\"{path}\" = {{ name = {name:?}; parts = {{ {parts} }}; }};\n")
    });
    let attributes: String = attributes.collect();
    let set = format!(
        "{{ system, config }}: {{ lib.addMetaAttrs = meta: drv: drv // {{ inherit meta; }}; rocmPackages = {{ {attributes} }}; }}"
    );
    write_file(dir.path().join("nixpkgs.nix"), set);
    let ask = "builtins.listToAttrs (map (d: { inherit (d) name; value = d.meta; }) (builtins.attrValues (import ./release.nix { nixpkgs = ./nixpkgs.nix; })))";
    let mut nix = nix_instantiate(dir.path());
    let out = nix
        .args(["--eval", "--strict", "--json", "-E", ask])
        .current_dir(dir.path())
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let found: BTreeMap<String, Value> = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        all.keys().collect::<Vec<_>>()
    );
    // Builds that no other build needs come last.
    let priority = |name: &str| found[name]["schedulingPriority"].as_u64().unwrap();
    assert!(priority("clr") > priority("rocblas") && priority("rocblas") > priority("migraphx"));
    let other = rocpkg(&["plan", "build", "arch", "--format", "hydra"]);
    assert!(!other.status.success());
}

#[test]
fn what_a_small_machine_cannot_build_is_named_and_fits_for_one_target() {
    let machine = ["--machine", "cpus=8,memory=32G,disk=200G"];
    for (distro, expected, target) in [
        ("gentoo", ["hipBLASLt", "rocBLAS"], "gfx1100"),
        ("arch", ["hipblaslt", "rocblas"], "gfx1100"),
        // Composable Kernel is broken there without a target of the ninth generation.
        ("nix", ["hipblaslt", "rocblas"], "gfx942"),
    ] {
        let whole = json(&[&[distro], &machine[..]].concat());
        let lacking: Vec<&Value> = whole["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|j| j["lacks"].is_object())
            .collect();
        let names: BTreeSet<&str> = lacking
            .iter()
            .map(|j| j["name"].as_str().unwrap())
            .collect();
        assert_eq!(names, expected.into(), "{distro}");
        for job in lacking {
            assert_eq!(job["lacks"]["what"], "memory");
            assert!(job["lacks"]["needs"].as_u64() > job["lacks"]["has"].as_u64());
            assert!(!job["lacks"]["source"].as_str().unwrap().is_empty());
            assert!(
                job["help"][0]
                    .as_str()
                    .unwrap()
                    .starts_with("--targets with "),
                "{}",
                job["help"]
            );
        }
        let narrowed = json(&[&[distro, "--targets", target], &machine[..]].concat());
        assert_eq!(narrowed["left-out"], json!([]), "{distro}");
        assert_eq!(
            jobs(&narrowed).len(),
            whole["jobs"].as_array().unwrap().len(),
            "{distro}"
        );
    }
}

/// A file of `composable_kernel` is compiled for one target after another, 15 minutes for each:
/// <https://lunnova.dev/articles/rocm-711-you-can-not-build>
#[test]
fn no_number_of_processors_makes_a_build_shorter_than_its_longest_job() {
    let machine = ["--machine", "name=big,cpus=256,memory=512G,disk=2T"];
    let minutes = |args: &[&str], name: &str| {
        let plan = json(&[args, &machine[..]].concat());
        let all = plan["jobs"].as_array().unwrap();
        for job in all.iter().filter(|job| job["runs"].is_object()) {
            let seen = job["seen"].as_array().unwrap();
            let longest = seen
                .iter()
                .find(|s| s["what"] == "minutes of the longest job");
            let longest = longest.map_or(0, |s| s["value"].as_u64().unwrap());
            assert!(job["runs"]["minutes"].as_u64().unwrap() >= longest, "{job}");
        }
        let job = all.iter().find(|job| job["name"] == name).unwrap();
        let runs = &job["runs"];
        let targets = job["targets"].as_u64().unwrap_or_default();
        (
            targets,
            runs["minutes"].as_u64().unwrap(),
            runs["at-least"] == true,
        )
    };
    let part = "composable_kernel:grouped_conv_fwd";
    assert_eq!(minutes(&["nix"], part), (9, 9 * 15, true));
    assert_eq!(
        minutes(&["nix", "--targets", "gfx942,gfx950"], part),
        (2, 2 * 15, true)
    );
    // The builds that don't have this file.
    assert!(!minutes(&["nix"], "composable_kernel:other0").2);
    assert!(!minutes(&["nix"], "composable_kernel").2);
    // A build that is not split has the file.
    assert_eq!(minutes(&["arch"], "composable-kernel"), (9, 9 * 15, true));
    assert_eq!(minutes(&["arch"], "rocm-llvm"), (0, 16 * 96 / 256, false));
    // The link of RCCL takes its time for one target, too.
    let one = ["gentoo", "--targets", "gfx1100"];
    assert_eq!(minutes(&one, "rccl"), (1, 10, true));
    let old = ["arch", "--release", "6.4.3"];
    let (_, minutes, at_least) = minutes(&old, "hipblaslt");
    assert_eq!((minutes, at_least), (70, true));
    let text = plan(&[&["nix", "-v"], &machine[..]].concat());
    assert!(
        text.contains("disk, at least 2 h 15 min?: nix build"),
        "{text}"
    );
    let source = "minutes of the longest job: 2 h 15 min, by https://lunnova.dev/articles/";
    assert!(text.contains(source), "{text}");
    // 512 GB are too few for 256 jobs.
    let limited = text
        .lines()
        .find(|line| line.starts_with("big: memory limits the jobs"));
    let limited = limited.unwrap();
    assert!(
        limited.contains("of 256 processors: 64: rocsolver; 128: "),
        "{limited}"
    );
    assert!(
        limited.contains("; 170: composable_kernel:grouped_conv_bwd "),
        "{limited}"
    );
}

/// `rocpkg gpu` recommends the same targets.
#[test]
fn targets_that_packages_offer_stand_in_for_others() {
    let gentoo = json(&[
        "gentoo",
        "--targets",
        "RX 6650 XT",
        "--machine",
        "cpus=16,memory=32G,disk=500G",
    ]);
    assert_eq!(gentoo["targets"], json!(["gfx1030"]));
    assert!(
        gentoo["notes"][0].as_str().unwrap().contains("gfx1032"),
        "{}",
        gentoo["notes"]
    );
    // Memory that was observed for kernels does not count for a build without kernels, so nothing
    // is left out.
    assert_eq!(gentoo["left-out"], json!([]));
    let text = plan(&["gentoo", "--targets", "gfx1030"]);
    assert!(
        text.contains("built anyway, without kernels for gfx1030: hipBLASLt "),
        "{text}"
    );
    let run = rocpkg(&["plan", "build", "gentoo", "--targets", "gfx1152"]);
    assert_eq!(
        String::from_utf8(run.stderr).unwrap(),
        "error: gentoo does not offer gfx1152\n"
    );
}

#[test]
fn what_compiles_no_kernels_is_thought_to_need_less() {
    let plan = json(&["gentoo"]);
    let memory = |name: &str| {
        let job = plan["jobs"]
            .as_array()
            .unwrap()
            .iter()
            .find(|j| j["name"] == name)
            .unwrap();
        job["runs"]["memory"].as_u64().unwrap()
    };
    // Only roctracer's tests have targets.
    assert!(memory("roctracer") * 2 == memory("rocRAND"));
}

#[test]
fn people_are_told_needs_commands_and_what_is_assumed() {
    let text = plan(&[
        "nix",
        "--changed",
        "composable-kernel",
        "--targets",
        "gfx1100",
        "-v",
    ]);
    insta::assert_snapshot!("nix", text);
    let text = plan(&[
        "gentoo",
        "--changed",
        "rocblas",
        "--targets",
        "gfx90a,gfx942",
        "--machine",
        "cpus=32,memory=96G,disk=300G",
    ]);
    insta::assert_snapshot!("gentoo", text);
    let text = plan(&["solus", "--changed", "rocfft", "--format", "ninja"]);
    // The digits change with each edit of a recipe, so they are masked.
    let masked = text.split('@').map(|part| match part.split_at_checked(12) {
        Some((digits, rest)) if digits.bytes().all(|b| b.is_ascii_hexdigit()) => {
            format!("DIGITS{rest}")
        }
        _ => part.to_owned(),
    });
    insta::assert_snapshot!("ninja", masked.collect::<Vec<_>>().join("@"));
    let text = plan(&["arch", "--changed", "rocsolver", "--format", "github"]);
    insta::assert_snapshot!("github", text);
}

#[test]
fn a_machine_that_makes_no_sense_is_refused() {
    let said = |machine: &str| {
        let run = rocpkg(&["plan", "build", "arch", "--machine", machine]);
        assert_eq!(run.status.code(), Some(2), "{machine}");
        String::from_utf8(run.stderr)
            .unwrap()
            .lines()
            .next()
            .unwrap_or_default()
            .to_owned()
    };
    let all = [
        "cpus=16",
        "cpus=16,memory=64,disk=1T",
        "cpus=0,memory=1G,disk=1G",
        "cores=1",
        "name=a b,cpus=1,memory=1G,disk=1G",
    ];
    insta::assert_snapshot!(all.map(said).join("\n"));
    let two = [
        "--machine",
        "cpus=1,memory=9G,disk=9G",
        "--machine",
        "cpus=2,memory=9G,disk=9G",
    ];
    let run = rocpkg(&[&["plan", "build", "arch", "--format", "ninja"], &two[..]].concat());
    assert_eq!(run.status.code(), Some(2));
}

#[test]
fn sizes_of_libraries_are_told_with_their_source_and_the_limit() {
    let said = |distro: &str| {
        let run = rocpkg_programs::own(env!("CARGO_BIN_EXE_rocpkg"))
            .args(["plan", "build", distro, "--release", "6.2.4"])
            .args(["--changed", "rocsolver"])
            .output()
            .unwrap();
        String::from_utf8(run.stdout).unwrap()
    };
    let sizes = "1924 MB plain, 129 MB compressed (https://github.com/ROCm/rocSOLVER/pull/843)";
    let near = "this is near 2 GiB, where the linker fails (`R_X86_64_PC32 out of range`)";
    let gentoo = said("gentoo");
    let line = format!("size of librocsolver.so of rocSOLVER: {sizes}; plain here; {near}");
    assert!(gentoo.contains(&line), "{gentoo}");
    // Solus compresses it.
    let solus = said("solus");
    let line = format!("size of librocsolver.so of rocsolver: {sizes}; compressed here\n");
    assert!(solus.contains(&line), "{solus}");
}

#[test]
fn packages_that_cannot_be_built_for_the_requested_gpus_are_left_out() {
    let machine = "cpus=16,memory=64G,disk=500G";
    let asked = |distro: &str| {
        let args = [
            "plan",
            "build",
            distro,
            "--machine",
            machine,
            "--targets",
            "gfx1030",
        ];
        let run = rocpkg(&args);
        String::from_utf8(run.stdout).unwrap()
    };
    let arch = asked("arch");
    let reason = "can't be built here: hipblaslt: it is built for upstream's default list of";
    assert!(arch.contains(reason), "{arch}");
    assert!(
        arch.contains("can't be built here: miopen: it needs code for gfx1030 in hipblaslt"),
        "{arch}"
    );
    assert!(!arch.contains("\nhipblaslt "), "{arch}");
    let nix = asked("nix");
    assert!(
        nix.contains("can't be built here: composable-kernel: it needs one of gfx900 gfx906"),
        "{nix}"
    );
    assert!(
        !nix.contains("\ncomposable_kernel") && nix.contains("\nmiopen "),
        "{nix}"
    );
}
