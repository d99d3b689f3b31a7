//! Fuzzing: libFuzzer runs each target of `tests/fuzz`, and keeps the texts that reach code which none reached before.
//!
//! rustc's own pass marks the code, which the stable toolchain has; what is left out is the sanitizers, and nothing here is `unsafe`.
//! A text on which a target panics, overflows its stack, takes ten seconds or 2 GB is made as short as can be and put into the
//! corpus, where the tests run it from then on.

use sha2::{Digest, Sha256};
use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::tools::{self, Outcome};

/// Marks of reached code and of what is compared, as `cargo fuzz` sets them.
const FLAGS: &str = "--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
    -Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1";

/// How long the shortest form of a text that breaks something is looked for, in seconds.
const SHORTENING: u64 = 20;

/// What is asked for.
#[derive(Debug, PartialEq)]
struct Wish {
    minutes: u64,
    targets: Vec<String>,
}

/// Where everything is.
struct Places {
    /// `tests/fuzz`
    folder: PathBuf,
    /// Below `target/`: what was built, and the texts that were found.
    work: PathBuf,
    program: PathBuf,
}

/// Runs the targets, as many at a time as there are processors.
pub(crate) fn run(root: &Path, arguments: &[&str]) -> Outcome {
    let wish = wish(arguments)?;
    let folder = root.join("tests/fuzz");
    let known = names(&folder.join("corpus"))?;
    if let Some(strange) = wish.targets.iter().find(|t| !known.contains(t)) {
        return Err(format!("no target is `{strange}`; there are {}", known.join(", ")));
    }
    let targets = if wish.targets.is_empty() { known } else { wish.targets };
    let work = root.join("target/fuzz");
    let program = build(&folder, &work)?;
    let places = Places { folder, work, program };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(targets.len());
    // Each worker runs one target after the other, so all are done when the time is over.
    let seconds = (wish.minutes * 60 * workers as u64 / targets.len() as u64).max(1);
    println!("{} targets, {seconds} s each", targets.len());
    let next = AtomicUsize::new(0);
    let broken = Mutex::new(Vec::new());
    thread::scope(|s| {
        for _ in 0..workers {
            s.spawn(|| {
                while let Some(target) = targets.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(why) = fuzz(&places, target, seconds) {
                        broken.lock().unwrap_or_else(PoisonError::into_inner).push(why);
                    }
                }
            });
        }
    });
    let broken = broken.into_inner().unwrap_or_else(PoisonError::into_inner);
    if broken.is_empty() { Ok(()) } else { Err(broken.join("\n")) }
}

fn wish(arguments: &[&str]) -> Result<Wish, String> {
    let mut wish = Wish { minutes: 60, targets: Vec::new() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if *argument == "--minutes" {
            let minutes = rest.next().and_then(|n| n.parse().ok()).filter(|n| *n > 0);
            wish.minutes = minutes.ok_or("--minutes takes a number of minutes")?;
        } else {
            wish.targets.push((*argument).to_owned());
        }
    }
    Ok(wish)
}

/// The folders of a folder, in order.
fn names(folder: &Path) -> Result<Vec<String>, String> {
    let entries = fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut names: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .filter(|n| !n.starts_with('.'))
        .collect();
    names.sort();
    Ok(names)
}

/// Builds the program, which holds all targets.
fn build(folder: &Path, work: &Path) -> Result<PathBuf, String> {
    let host = host()?;
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(["build", "--release", "--quiet", "--target", &host]).current_dir(folder);
    // For that target alone, so that build scripts are not marked.
    cargo.env("RUSTFLAGS", FLAGS).env("CARGO_TARGET_DIR", work.join("build"));
    tools::succeed(&mut cargo)?;
    Ok(work.join("build").join(host).join("release/rocpkg-fuzz"))
}

/// The machine that programs are built for, as rustc calls it.
fn host() -> Result<String, String> {
    let output = Command::new("rustc").arg("-vV").output().map_err(|e| format!("rustc: {e}"))?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.map(str::to_owned).ok_or_else(|| "rustc does not name its host".to_owned())
}

/// Runs one target for a while and prints what came of it; an error names the text that broke it.
fn fuzz(places: &Places, target: &str, seconds: u64) -> Outcome {
    let (grown, found) = (places.work.join("corpus").join(target), places.work.join("found").join(target));
    for folder in [&grown, &found] {
        fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    }
    let before = names(&found)?;
    let committed = places.folder.join("corpus").join(target);
    let dictionary = places.folder.join("dictionaries").join(format!("{target}.dict"));
    let output = program(places, target)
        .arg(format!("-max_total_time={seconds}"))
        .args(["-timeout=10", "-rss_limit_mb=2048", "-max_len=16384"])
        .arg(format!("-dict={}", dictionary.display()))
        .arg(format!("-artifact_prefix={}/", found.display()))
        .args([&grown, &committed])
        .output()
        .map_err(|e| format!("{}: {e}", places.program.display()))?;
    let said = String::from_utf8_lossy(&output.stderr);
    println!("    {target}: {}", told(&said));
    if output.status.success() {
        return Ok(());
    }
    let new = names(&found)?.into_iter().find(|name| !before.contains(name));
    let Some(name) = new else {
        return Err(format!("{target}: {}\n{said}", output.status));
    };
    let kept = keep(places, target, &found.join(name), &committed)?;
    let why = said.lines().find(|l| l.contains("panicked at") || l.contains("ERROR: libFuzzer"));
    let more = said.lines().skip_while(|l| !l.contains("panicked at")).nth(1).unwrap_or_default();
    Err(format!("{target}: {}\n  {more}\n  {}", why.unwrap_or("it failed"), kept.display()))
}

/// The program with a target, nothing else of the environment's being meant for it.
fn program(places: &Places, target: &str) -> Command {
    let mut command = Command::new(&places.program);
    command.env("ROCPKG_FUZZ_TARGET", target).stdin(Stdio::null()).current_dir(&places.work);
    command
}

/// Puts a text that breaks a target into the corpus, in the shortest form that was found.
fn keep(places: &Places, target: &str, text: &Path, committed: &Path) -> Result<PathBuf, String> {
    let short = text.with_extension("short");
    let mut shorten = program(places, target);
    shorten.args(["-minimize_crash=1", "-timeout=10", "-rss_limit_mb=2048"]);
    shorten
        .arg(format!("-max_total_time={SHORTENING}"))
        .arg(format!("-exact_artifact_path={}", short.display()));
    // It fails when it finds nothing shorter, and what it says is of use to nobody.
    let _ = shorten.arg(text).output();
    let from = if short.is_file() { short } else { text.to_owned() };
    let bytes = fs::read(&from).map_err(|e| format!("{}: {e}", from.display()))?;
    let digits: String = Sha256::digest(&bytes)[..4].iter().map(|b| format!("{b:02x}")).collect();
    let to = committed.join(format!("found-{digits}"));
    fs::write(&to, bytes).map_err(|e| format!("{}: {e}", to.display()))?;
    Ok(to)
}

/// What libFuzzer says at the end: how often it ran the target, how much of the code it reached and with how many texts.
fn told(said: &str) -> String {
    let runs = said.lines().rev().find_map(|line| line.strip_prefix("Done "));
    let last = said.lines().rev().find(|line| line.starts_with('#') && line.contains("cov: "));
    let reached =
        last.and_then(|line| Some(line[line.find("cov: ")?..].split(" lim:").next()?.trim().to_owned()));
    let runs = runs
        .map(str::to_owned)
        .or_else(|| Some(format!("stopped after {}", last?.split_whitespace().next()?)));
    format!("{}, {}", runs.unwrap_or_else(|| "no run".to_owned()), reached.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wish_is_minutes_and_targets() {
        let asked = wish(&["--minutes", "5", "yaml", "atom"]).unwrap();
        assert_eq!(asked, Wish { minutes: 5, targets: vec!["yaml".into(), "atom".into()] });
        assert_eq!(wish(&[]).unwrap(), Wish { minutes: 60, targets: Vec::new() });
        for wrong in [&["--minutes"][..], &["--minutes", "0"], &["--minutes", "yaml"]] {
            assert!(wish(wrong).is_err());
        }
    }

    #[test]
    fn what_libfuzzer_did_is_told_in_a_line() {
        let said = "#2\tINITED cov: 8 ft: 8 corp: 1/1b exec/s: 0 rss: 27Mb\n\
            #900\tDONE   cov: 9 ft: 12 corp: 2/5b lim: 40 exec/s: 5 rss: 27Mb\nDone 900 runs in 21 second(s)\n";
        assert_eq!(told(said), "900 runs in 21 second(s), cov: 9 ft: 12 corp: 2/5b");
        assert!(
            told("#7\tNEW    cov: 9 ft: 9 corp: 2/5b lim: 4 exec/s: 0\n")
                .starts_with("stopped after #7, cov: 9")
        );
    }
}
