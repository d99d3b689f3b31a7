//! The texts of recipes in the last commit of the checkout.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

/// Returns the bytes that files have in the last commit of the git repository around `folder`, by
/// their paths relative to it. Files that the commit lacks are left out, and so are all files if
/// the folder is in no repository or git is missing.
#[expect(
    clippy::disallowed_methods,
    reason = "git reads its own objects; no hook, filter or network is involved"
)]
pub(super) fn committed<'p>(
    folder: &Path,
    paths: impl Iterator<Item = &'p str>,
) -> BTreeMap<String, Vec<u8>> {
    let paths: Vec<&str> = paths.filter(|path| !path.contains('\n')).collect();
    let started = Command::new("git")
        .args(["cat-file", "--batch"])
        .current_dir(folder)
        .env("GIT_NO_LAZY_FETCH", "1")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn();
    let Ok(mut git) = started else {
        return BTreeMap::new();
    };
    let names: String = paths
        .iter()
        .map(|path| format!("HEAD:./{path}\n"))
        .collect();
    let input = git.stdin.take();
    let writer = std::thread::spawn(move || {
        // Git ends early outside of a repository.
        let _ = input.map(|mut input| input.write_all(names.as_bytes()));
    });
    let said = git.wait_with_output();
    let _ = writer.join();
    let bytes = said.map(|said| said.stdout).unwrap_or_default();
    let mut rest = bytes.as_slice();
    let mut all = BTreeMap::new();
    for path in paths {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            break;
        };
        let head = String::from_utf8_lossy(&rest[..end]).into_owned();
        rest = &rest[end + 1..];
        // `ID blob SIZE`, or `NAME missing`.
        let words: Vec<&str> = head.split(' ').collect();
        let [_, kind, size] = words[..] else { continue };
        let Some(size) = size.parse().ok().filter(|size| *size < rest.len()) else {
            continue;
        };
        if kind == "blob" {
            all.insert(path.to_owned(), rest[..size].to_vec());
        }
        rest = &rest[size + 1..];
    }
    all
}
