//! Checks the rules of this repository that no other tool checks.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use crate::{map, packages, structure, tools::Outcome};

/// The highest number of lines in a Rust file. A longer file should be split.
const MOST_LINES: usize = 700;

/// Marks of unfinished work, and of tests that don't run. Each is split in two, so that this file
/// does not contain them.
const UNFINISHED: [&str; 8] = [
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("to", "do!("),
    concat!("unimpl", "emented!("),
    concat!("#[ig", "nore"),
    concat!("#[should_", "panic"),
    concat!("/ro", "ot/"),
    concat!("/ho", "me/"),
];

/// The table of codes with their meanings.
const CODES: &str = "crates/model/src/codes.txt";

/// The extensions of the text files that are checked.
const TEXT: [&str; 10] = [
    "eclass", "j2", "json", "md", "nix", "py", "rs", "toml", "yaml", "yml",
];

/// Checks every rule and reports all faults at once.
pub(crate) fn run(root: &Path, list: bool) -> Outcome {
    let files = tracked(root)?;
    let mut faults = Vec::new();
    let mut sources = BTreeMap::new();
    for file in files.iter().filter(|file| has_ending(file, &TEXT)) {
        let text = fs::read_to_string(root.join(file)).map_err(|e| format!("{file}: {e}"))?;
        sources.insert(file.as_str(), text);
    }
    for (file, text) in &sources {
        faults.extend(unfinished(file, text));
        faults.extend(length(file, text));
    }
    faults.extend(packages::test_programs(&sources));
    faults.extend(packages::features(root)?);
    faults.extend(codes_without_fixture(&sources, &files));
    let table = fs::read_to_string(root.join(CODES)).map_err(|e| format!("{CODES}: {e}"))?;
    let told = table.lines().filter_map(|line| line.split(" | ").next());
    faults.extend(codes_without_meaning(&sources, &told.collect::<Vec<_>>()));
    faults.extend(pictures_of_nothing(&files));
    faults.extend(map::missing_files(&sources, &files));
    faults.extend(cycles(&sources, list)?);
    if faults.is_empty() {
        return Ok(());
    }
    Err(format!(
        "{} faults\n  {}",
        faults.len(),
        faults.join("\n  ")
    ))
}

/// Finds cycles of files that use each other, and prints their number. Returns the faults. With
/// `list`, they name the links between the files of each cycle.
fn cycles(sources: &BTreeMap<&str, String>, list: bool) -> Result<Vec<String>, String> {
    let rust = sources.iter().filter(|(file, _)| has_ending(file, &["rs"]));
    let cycles = structure::cycles(rust.map(|(file, text)| (*file, text.as_str())))?;
    println!("    cycles of files: {}", cycles.len());
    let shown = |fault: &String| {
        if list {
            fault.clone()
        } else {
            fault.lines().take(1).collect()
        }
    };
    Ok(cycles.iter().map(shown).collect())
}

/// Returns the paths of the files in the workspace, as Git lists them. New files are included.
/// Ignored and deleted files are not.
fn tracked(root: &Path) -> Result<Vec<String>, String> {
    let output = Command::new(rocpkg_programs::find("git")?)
        .args([
            "-c",
            "core.quotePath=off",
            "ls-files",
            "--cached",
            "--others",
            "--exclude-standard",
            "-z",
        ])
        .current_dir(root)
        .output()
        .map_err(|e| format!("git: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "git ls-files: {}",
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    let names = String::from_utf8_lossy(&output.stdout);
    let files: BTreeSet<_> = names.split_terminator('\0').map(str::to_owned).collect();
    Ok(files
        .into_iter()
        .filter(|file| root.join(file).is_file())
        .collect())
}

fn has_ending(file: &str, endings: &[&str]) -> bool {
    Path::new(file)
        .extension()
        .and_then(|e| e.to_str())
        .is_some_and(|e| endings.contains(&e))
}

fn unfinished(file: &str, text: &str) -> Vec<String> {
    let mut faults = Vec::new();
    for (number, line) in (1..).zip(text.lines()) {
        for mark in UNFINISHED {
            if contains_word(line, mark) {
                faults.push(format!("{file}:{number}: {mark:?} marks unfinished work"));
            }
        }
    }
    faults
}

/// Returns true if a line contains `mark`, and not only as a part of longer words.
fn contains_word(line: &str, mark: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    line.match_indices(mark).any(|(at, _)| {
        let (before, after) = (&line[..at], &line[at + mark.len()..]);
        let open = mark.starts_with(joins) && before.ends_with(joins);
        let close = mark.ends_with(joins) && after.starts_with(joins);
        !open && !close
    })
}

fn length(file: &str, text: &str) -> Option<String> {
    let lines = text.lines().count();
    let tests = file
        .split('/')
        .any(|part| part == "tests" || part == "tests.rs");
    if !has_ending(file, &["rs"]) || tests || lines <= MOST_LINES {
        return None;
    }
    Some(format!(
        "{file}: {lines} lines, at most {MOST_LINES} are allowed: split it"
    ))
}

/// Reports each code of a finding without a test. The test is a fixture in tests/errors whose name
/// begins with the code, or a test in Rust that contains the code.
fn codes_without_fixture(sources: &BTreeMap<&str, String>, files: &[String]) -> Vec<String> {
    let first_use = first_uses(sources);
    let tested = |code: &str| {
        let (quoted, printed) = (format!("\"{code}\""), format!("[{code}]"));
        sources.iter().any(|(file, text)| {
            // A fault that no profile can cause is tested in the file that reports it.
            let beside = || {
                text.split_once("#[cfg(test)]")
                    .is_some_and(|(_, tests)| tests.contains(&quoted))
            };
            let is_test = file.contains("/tests/");
            (is_test && (text.contains(&quoted) || text.contains(&printed))) || beside()
        })
    };
    let fixed: Vec<_> = files
        .iter()
        .filter_map(|file| file.strip_prefix("tests/errors/"))
        .collect();
    first_use
        .iter()
        .filter(|(code, _)| !fixed.iter().any(|name| name.starts_with(*code)) && !tested(code))
        .map(|(code, place)| format!("{place}: {code} has no tests/errors/{code}-….yaml"))
        .collect()
}

/// Reports each snapshot of the findings in a fixture if the fixture does not exist.
fn pictures_of_nothing(files: &[String]) -> Vec<String> {
    let pictures = files
        .iter()
        .filter(|file| file.starts_with("tests/tests/snapshots/errors__"));
    let of = |file: &&String| {
        file.split_once('@')
            .and_then(|(_, name)| name.strip_suffix(".snap").map(str::to_owned))
    };
    let is_stale = |file: &&String| {
        of(file).is_some_and(|name| !files.contains(&format!("tests/errors/{name}")))
    };
    pictures
        .filter(is_stale)
        .map(|file| format!("{file}: its fixture in tests/errors does not exist"))
        .collect()
}

/// Returns the place of the first use of each code in the shipped crates, as `file:line`.
fn first_uses<'a>(sources: &'a BTreeMap<&str, String>) -> BTreeMap<&'a str, String> {
    let mut first_use = BTreeMap::new();
    for (file, text) in sources {
        let shipped =
            file.starts_with("crates/") && file.contains("/src/") && has_ending(file, &["rs"]);
        if !shipped || file.starts_with("crates/xtask/") {
            continue;
        }
        for (number, line) in (1..).zip(
            text.lines()
                .take_while(|line| line.trim() != "#[cfg(test)]"),
        ) {
            for code in codes(line) {
                first_use
                    .entry(code)
                    .or_insert_with(|| format!("{file}:{number}"));
            }
        }
    }
    first_use
}

/// Reports each code that is used and has no meaning in [`CODES`], and each code there that is not
/// used. `told` are the codes in [`CODES`].
fn codes_without_meaning(sources: &BTreeMap<&str, String>, told: &[&str]) -> Vec<String> {
    let used = first_uses(sources);
    let untold = used.iter().filter(|(code, _)| !told.contains(code));
    let untold = untold.map(|(code, place)| format!("{place}: {code} has no line in {CODES}"));
    let unused = told.iter().filter(|code| !used.contains_key(*code));
    untold
        .chain(unused.map(|code| format!("{CODES}: {code} is not used")))
        .collect()
}

/// Returns the codes of findings in a line of Rust: the string literals that are an E, N or W and
/// four digits.
fn codes(line: &str) -> Vec<&str> {
    let is_code = |text: &&str| {
        text.len() == 5
            && text.starts_with(['E', 'N', 'W'])
            && text[1..].bytes().all(|byte| byte.is_ascii_digit())
            && !line.trim_start().starts_with("//")
    };
    line.split('"').filter(is_code).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_and_their_meanings_are_the_same_ones() {
        let used = |line: &str| BTreeMap::from([("crates/a/src/lib.rs", line.to_owned())]);
        let sources = used("Finding::error(\"E0101\", x)");
        assert!(codes_without_meaning(&sources, &["E0101"]).is_empty());
        assert_eq!(codes_without_meaning(&sources, &[]).len(), 1);
        assert_eq!(
            codes_without_meaning(&sources, &["E0101", "E0102"]).len(),
            1
        );
    }

    #[test]
    fn long_files_are_named_unless_they_test() {
        let text = "\n".repeat(MOST_LINES + 1);
        assert!(length("crates/a/src/lib.rs", &text).is_some());
        assert!(length("crates/a/src/lib.rs", &text[1..]).is_none());
        assert!(length("crates/a/tests/all.rs", &text).is_none());
        assert!(length("profiles/a.yaml", &text).is_none());
    }

    #[test]
    fn unfinished_work_has_a_place() {
        let text = format!("fn a() {{}}\n// {}: b\n", UNFINISHED[0]);
        assert_eq!(unfinished("a.rs", &text).len(), 1);
        assert!(unfinished("a.rs", &text)[0].starts_with("a.rs:2: "));
        assert!(
            unfinished("a.rs", &format!("AU{}C", UNFINISHED[0])).is_empty(),
            "part of a longer word"
        );
    }

    #[test]
    fn a_code_without_a_fixture_is_named() {
        let source =
            "Finding::note(\"N0101\", span)\n// \"E0102\"\n#[cfg(test)]\n\"E0103\"".to_owned();
        let mut sources = BTreeMap::from([("crates/a/src/lib.rs", source)]);
        let faults = codes_without_fixture(&sources, &[]);
        assert_eq!(faults.len(), 1);
        assert!(
            faults[0].contains("crates/a/src/lib.rs:1: N0101"),
            "{faults:?}"
        );
        assert!(
            codes_without_fixture(&sources, &["tests/errors/N0101-a-habit.yaml".to_owned()])
                .is_empty()
        );
        sources.insert(
            "tests/tests/errors.rs",
            "assert_eq!(code, \"N0101\")".to_owned(),
        );
        assert!(codes_without_fixture(&sources, &[]).is_empty());
    }
}
