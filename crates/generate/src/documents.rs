//! Generates files from other files of the workspace: the generated parts of the documents, the
//! schemas and the reference of `profiles/`, and the rendered trees in `tests/golden`.
//!
//! A document marks a generated part with two HTML comments. The first one names the source of the
//! part:
//!
//! ```text
//! <!-- generated: codes -->                a table of all codes: their meanings, and the
//!                                          finding that each reports for a broken fixture
//! <!-- generated: file PATH FIRST-LAST --> lines of a file of the workspace
//! <!-- end -->
//! ```

use std::{collections::BTreeMap, fs, path::Path};

use rocpkg::{Backend, Options, Stack};
use rocpkg_model::{Code, FileKind};

use crate::reference;

/// The documents that may contain generated parts.
const DOCUMENTS: [&str; 2] = ["README.md", "tests/errors/README.md"];

const OPENING: &str = "<!-- generated: ";
const CLOSING: &str = "<!-- end -->";

/// The choice between writing the generated files and only reporting those that are out of date.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Write,
    /// Fails if a generated file is out of date.
    Check,
}

/// Generates all files and, by `mode`, writes them or compares them with the existing ones.
pub(crate) fn run(root: &Path, mode: Mode) -> Result<(), String> {
    let mut stale = Vec::new();
    for (name, fresh) in made(root)? {
        let path = root.join(&name);
        if fs::read_to_string(&path).is_ok_and(|text| text == fresh) {
            continue;
        }
        match mode {
            Mode::Write => write(&path, fresh.as_bytes())?,
            Mode::Check => stale.push(name),
        }
    }
    if mode == Mode::Write {
        renew_golden(root)?;
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!(
        "out of date: {}; run `cargo xtask generate`",
        stale.join(", ")
    ))
}

/// Returns the path and the new text of each generated file: documents with generated parts, the
/// schemas of `profiles/`, the reference of all keys, the pages of `rocpkg explain`, the list of
/// public items, and the table of GPU targets by their numbers in ELF files.
fn made(root: &Path) -> Result<Vec<(String, String)>, String> {
    let mut out = vec![
        (
            "profiles/reference.md".to_owned(),
            reference::document(root)?,
        ),
        ("crates/cli/src/pages.txt".to_owned(), pages(root)?),
        ("crates/api.txt".to_owned(), crate::api::listed(root)?),
        ("crates/audit/src/machines.rs".to_owned(), machines()?),
    ];
    for name in DOCUMENTS {
        let fresh = refresh(&read(&root.join(name))?, &mut |source| part(root, source));
        out.push((name.to_owned(), fresh.map_err(|e| format!("{name}: {e}"))?));
    }
    for kind in FileKind::ALL {
        out.push((
            format!("profiles/schema/{}.json", kind.word()),
            rocpkg::internal::schema(kind),
        ));
    }
    Ok(out)
}

/// Returns the Rust table of GPU targets by their numbers in ELF files, from the key `elf` of
/// `targets.yaml`.
fn machines() -> Result<String, String> {
    let stack = Stack::shipped().map_err(|e| e.to_string())?;
    let file = stack.registry().map_err(|e| e.to_string())?.file().clone();
    let processors = file.processors.iter().map(|(name, p)| (name, &p.elf));
    let removed = file.removed.iter().map(|(name, r)| (name, &r.elf));
    let generics = file.generics.iter().map(|(name, g)| (name, &g.elf));
    let mut all = BTreeMap::new();
    for (name, elf) in processors.chain(removed).chain(generics) {
        let number = elf.as_ref().and_then(|elf| elf.value.strip_prefix("0x"));
        let number = number.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        let number = number.ok_or_else(|| format!("targets.yaml: {name} has no number `elf`"))?;
        if let Some(other) = all.insert(number, name) {
            return Err(format!(
                "targets.yaml: {other} and {name} have one number `elf`"
            ));
        }
    }
    let rows: String = all
        .iter()
        .map(|(number, name)| format!("    (0x{number:02x}, \"{name}\"),\n"))
        .collect();
    Ok(format!(
        "//! The GPU targets by their numbers in ELF files (`EF_AMDGPU_MACH`).\n\
         //!\n\
         //! `cargo xtask generate` makes this file from the key `elf` of `profiles/targets.yaml`.\n\n\
         /// The number and the name of each target, sorted by number.\n\
         pub(crate) const MACHINES: [(u8, &str); {}] = [\n{rows}];\n",
        all.len()
    ))
}

fn write(path: &Path, text: &[u8]) -> Result<(), String> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)
        .and_then(|()| fs::write(path, text))
        .map_err(|e| format!("{}: {e}", path.display()))
}

/// Replaces the committed rendered trees in `tests/golden` by new ones. [`Mode::Check`] skips them,
/// since a test compares the trees and shows a diff.
fn renew_golden(root: &Path) -> Result<(), String> {
    let tree = Stack::shipped().and_then(|stack| stack.render(&Options::everything()));
    let tree = tree.map_err(|e| e.to_string())?;
    let golden = root.join("tests/golden");
    for place in Backend::ALL.map(|backend| golden.join(backend.folder())) {
        if place.exists() {
            fs::remove_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        }
    }
    for (path, bytes) in &tree.files {
        write(&golden.join(path.as_str()), bytes)?;
    }
    // The small models of tests/suite are rendered by their own test. It writes the trees if
    // `ROCPKG_RENEW` is set.
    let mut suite = rocpkg_programs::cargo();
    suite
        .args(["test", "--quiet", "--locked", "--package", "rocpkg-tests"])
        .args(["--test", "main", "small_model"])
        .current_dir(root)
        .env("ROCPKG_RENEW", "1");
    let output = suite.output().map_err(|e| format!("cargo: {e}"))?;
    if !output.status.success() {
        return Err(format!(
            "tests/suite: {}\n{}",
            output.status,
            String::from_utf8_lossy(&output.stdout)
        ));
    }
    Ok(())
}

/// Replaces the generated parts of a document, which are between pairs of HTML comments. `part`
/// returns the new text for the source that the first comment names.
fn refresh(
    text: &str,
    part: &mut dyn FnMut(&str) -> Result<String, String>,
) -> Result<String, String> {
    let mut fresh = String::new();
    let mut lines = text.split_inclusive('\n');
    while let Some(line) = lines.next() {
        fresh += line;
        let Some(source) = line
            .trim()
            .strip_prefix(OPENING)
            .and_then(|rest| rest.strip_suffix("-->"))
        else {
            continue;
        };
        let end = lines
            .find(|line| line.trim() == CLOSING)
            .ok_or_else(|| format!("no {CLOSING} after {}", line.trim()))?;
        fresh += &part(source.trim())?;
        fresh += end;
    }
    Ok(fresh)
}

fn part(root: &Path, source: &str) -> Result<String, String> {
    let words: Vec<_> = source.split_whitespace().collect();
    match words[..] {
        ["codes"] => codes(root),
        ["file", path, range] => fenced(&root.join(path), range),
        _ => Err(format!("no generator for {source:?}")),
    }
}

/// Returns a table with one row for each code of a finding: its meaning, the message for its first
/// fixture, the way out, and links to all its fixtures.
fn codes(root: &Path) -> Result<String, String> {
    let cell = |t: &str| t.replace('|', "\\|");
    let mut rows = String::from(
        "\n| code | meaning | example | fix | fixtures |\n| --- | --- | --- | --- | --- |\n",
    );
    for (
        Code {
            code,
            meaning,
            mend,
        },
        fixtures,
    ) in shown(root)?
    {
        let links = fixtures.iter().map(|fixture| {
            let slug = fixture
                .trim_start_matches(code)
                .trim_start_matches('-')
                .trim_end_matches(".yaml");
            format!("[{slug}]({fixture})")
        });
        let mut links = links.collect::<Vec<_>>().join(", ");
        if links.is_empty() {
            "beside the code".clone_into(&mut links);
        }
        let says = fixtures
            .first()
            .map(|fixture| picture(root, fixture, code))
            .transpose()?
            .unwrap_or_default();
        let says = says.lines().next().and_then(|line| line.split_once("]: "));
        let (meaning, says, mend) = (cell(meaning), cell(says.map_or("", |s| s.1)), cell(mend));
        rows += &format!("| {code} | {meaning} | {says} | {mend} | {links} |\n");
    }
    Ok(rows + "\n")
}

/// Returns one page for each code of a finding: its meaning, the finding for its first fixture, and
/// the way out.
fn pages(root: &Path) -> Result<String, String> {
    let mut pages = Vec::new();
    for (
        Code {
            code,
            meaning,
            mend,
        },
        fixtures,
    ) in shown(root)?
    {
        let mut page = format!("{code}: {meaning}\n");
        if let Some(fixture) = fixtures.first() {
            let picture = picture(root, fixture, code)?;
            let lines = picture
                .lines()
                .map(|line| format!("    {line}").trim_end().to_owned() + "\n");
            page += &format!("\nExample:\n\n{}", lines.collect::<String>());
        }
        pages.push(format!("{page}\nFix: {mend}\n"));
    }
    Ok(pages.join("---\n"))
}

/// Returns all codes of findings, each with the file names of its fixtures in `tests/errors`.
fn shown(root: &Path) -> Result<Vec<(Code, Vec<String>)>, String> {
    let folder = root.join("tests/errors");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut fixtures: Vec<String> = entries
        .filter_map(|e| e.ok()?.file_name().into_string().ok())
        .collect();
    fixtures.retain(|name| Path::new(name).extension().is_some_and(|e| e == "yaml"));
    fixtures.sort();
    let of = |code: &str| {
        fixtures
            .iter()
            .filter(|name| name.starts_with(code))
            .cloned()
            .collect()
    };
    Ok(rocpkg_model::codes()
        .map(|code| (code, of(code.code)))
        .collect())
}

/// Returns the text of the finding `code` in the snapshot of a fixture. The text is empty if the
/// snapshot has no such finding.
fn picture(root: &Path, fixture: &str, code: &str) -> Result<String, String> {
    let name = format!("errors__every_fixture_is_answered_with_its_code@{fixture}.snap");
    let text = read(&root.join("tests/tests/snapshots").join(name))?;
    let pictures = text.splitn(3, "---\n").nth(2).unwrap_or_default();
    let finding = pictures
        .split("\n\n")
        .find(|f| f.contains(&format!("[{code}]: ")));
    Ok(finding.unwrap_or_default().to_owned())
}

fn fenced(path: &Path, range: &str) -> Result<String, String> {
    let text = read(path)?;
    let lines: Vec<_> = text.lines().collect();
    let shown = range.split_once('-').and_then(|(first, last)| {
        lines.get(first.parse::<usize>().ok()?.checked_sub(1)?..last.parse().ok()?)
    });
    let shown = shown.ok_or_else(|| format!("{}: it has no lines {range}", path.display()))?;
    Ok(format!("\n```text\n{}\n```\n\n", shown.join("\n")))
}

fn read(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stands_between_the_comments_is_replaced() {
        let text = "a\n<!-- generated: x y -->\nold\n<!-- end -->\nb\n";
        let fresh = refresh(text, &mut |source| Ok(format!("new {source}\n"))).unwrap();
        assert_eq!(
            fresh,
            "a\n<!-- generated: x y -->\nnew x y\n<!-- end -->\nb\n"
        );
        assert_eq!(
            refresh(&fresh, &mut |source| Ok(format!("new {source}\n"))).unwrap(),
            fresh
        );
    }

    #[test]
    fn a_part_without_an_end_is_an_error() {
        let error = refresh("<!-- generated: codes -->\n", &mut |_| Ok(String::new())).unwrap_err();
        assert!(error.contains("no <!-- end -->"), "{error}");
    }

    #[test]
    fn lines_of_a_file_are_shown() {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("a.yaml"), "one\ntwo\nthree\n").unwrap();
        let shown = |source| part(folder.path(), source);
        assert_eq!(
            shown("file a.yaml 2-3").unwrap(),
            "\n```text\ntwo\nthree\n```\n\n"
        );
        assert!(
            shown("file a.yaml 2-4")
                .unwrap_err()
                .contains("no lines 2-4")
        );
        assert!(shown("file b.yaml 1-2").is_err());
        assert!(shown("nothing").unwrap_err().contains("no generator"));
    }
}
