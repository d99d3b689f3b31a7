//! The pages in `examples/checkouts`: each begins with an empty repository and shows commands with
//! what they print. The commands are run here, and must print that.
//!
//! With `ROCPKG_RENEW`, the pages get what the commands print now.

use crate::checkout::rocpkg;
use rocpkg_test_support::{commit, git, write_file};
use std::fs;
use std::path::{Path, PathBuf};

/// The first line of a block of commands, and the last.
const BLOCK: (&str, &str) = ("```console", "```");

/// Runs a command of a page in the folder `at`, and returns what it prints. Other commands than
/// `rocpkg`, `cd` and the commit of all files are not run.
fn run(at: &mut PathBuf, command: &str) -> String {
    if command == "git commit" {
        commit(at);
        return String::new();
    }
    if let Some(folder) = command.strip_prefix("cd ") {
        at.push(folder);
        return String::new();
    }
    let words: Vec<&str> = command.split(' ').collect();
    let Some(("rocpkg", words)) = words.split_first().map(|(first, rest)| (*first, rest)) else {
        panic!("{command}: expected rocpkg or `git commit`");
    };
    let (status, said) = rocpkg(at, words);
    match status {
        0 => said,
        status => format!("{said}(exit status {status})\n"),
    }
}

/// Returns the page with what its commands print now.
fn renewed(page: &str) -> String {
    let dir = tempfile::tempdir().unwrap();
    git(dir.path(), &["init", "--quiet"]);
    let mut at = dir.path().to_owned();
    let (mut out, mut is_block) = (String::new(), false);
    for line in page.lines() {
        is_block = line == BLOCK.0 || is_block && line != BLOCK.1;
        let command = line.strip_prefix("$ ").filter(|_| is_block);
        if !is_block || line == BLOCK.0 || command.is_some() {
            out += &format!("{line}\n");
        }
        out.extend(command.map(|command| run(&mut at, command)));
    }
    out
}

#[test]
fn each_page_shows_what_its_commands_print() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/checkouts");
    let mut pages: Vec<_> = fs::read_dir(&folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    pages.sort();
    assert!(pages.len() > 4, "{pages:?}");
    for path in pages {
        let page = fs::read_to_string(&path).unwrap();
        let now = renewed(&page);
        if std::env::var_os("ROCPKG_RENEW").is_some() {
            write_file(&path, now);
            continue;
        }
        assert!(page == now, "{}: out of date:\n{now}", path.display());
    }
}
