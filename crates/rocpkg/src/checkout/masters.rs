//! The master repositories of a Gentoo repository, where they are on this machine. Ebuilds inherit
//! their eclasses (PMS 10.1), and Portage finds them by `repos.conf`.

use std::collections::BTreeMap;
use std::env;
use std::fs;
use std::path::{Path, PathBuf};

/// The settings of a repository, and its name.
pub(super) const LAYOUT: &str = "metadata/layout.conf";
pub(super) const NAME: &str = "profiles/repo_name";

/// The repository that is the master if `layout.conf` names none.
const MAIN: &str = "gentoo";

/// The files or folders with Portage's repositories, below the root of its configuration. A later
/// one overrides an earlier one (portage(5)).
const REPOS_CONF: [&str; 2] = [
    "usr/share/portage/config/repos.conf",
    "etc/portage/repos.conf",
];

/// Returns the folders of the masters of the repository `out` that are on this machine. An eclass
/// of a later master overrides that of an earlier one. The root of Portage's configuration is
/// `PORTAGE_CONFIGROOT`, or `/`.
pub(super) fn masters(out: &Path) -> Vec<PathBuf> {
    let root = env::var_os("PORTAGE_CONFIGROOT").filter(|root| !root.is_empty());
    let root = PathBuf::from(root.unwrap_or_else(|| "/".into()));
    named(out, &locations(&root))
}

fn named(out: &Path, locations: &BTreeMap<String, PathBuf>) -> Vec<PathBuf> {
    let read = |path: &str| fs::read_to_string(out.join(path)).unwrap_or_default();
    let settings = read(LAYOUT);
    let is_stated = settings.lines().any(|line| {
        let key = line.split('=').next().unwrap_or_default();
        key.trim() == "masters"
    });
    let is_main = read(NAME).trim() == MAIN;
    let names: Vec<&str> = match is_stated {
        true => layout(&settings, "masters").collect(),
        false if is_main => Vec::new(),
        false => vec![MAIN],
    };
    let folders = names.into_iter().filter_map(|name| locations.get(name));
    folders.filter(|folder| folder.is_dir()).cloned().collect()
}

/// Returns the folders of Portage's repositories by name.
fn locations(root: &Path) -> BTreeMap<String, PathBuf> {
    let mut out = BTreeMap::new();
    for path in REPOS_CONF {
        let path = root.join(path);
        let mut files: Vec<PathBuf> = match fs::read_dir(&path) {
            Ok(entries) => entries.flatten().map(|entry| entry.path()).collect(),
            Err(_) => vec![path],
        };
        files.sort();
        let is_read = |file: &&PathBuf| {
            let name = file.file_name().and_then(|name| name.to_str());
            name.is_some_and(|name| !name.starts_with('.') && !name.ends_with('~'))
        };
        for file in files.iter().filter(is_read) {
            let text = fs::read_to_string(file).unwrap_or_default();
            let mut name = String::new();
            for line in text.lines().map(str::trim) {
                if let Some(own) = line.strip_prefix('[').and_then(|l| l.strip_suffix(']')) {
                    own.trim().clone_into(&mut name);
                } else if let Some((key, value)) = line.split_once('=')
                    && key.trim() == "location"
                {
                    out.insert(name.clone(), PathBuf::from(value.trim()));
                }
            }
        }
    }
    out
}

/// Returns the words of the value of `key` in `text`, a layout.conf: `gentoo` for
/// `masters = gentoo`.
pub(super) fn layout<'t>(text: &'t str, key: &str) -> impl Iterator<Item = &'t str> {
    let line = text
        .lines()
        .filter_map(move |l| l.trim().strip_prefix(key)?.trim_start().strip_prefix('='));
    line.flat_map(str::split_whitespace)
}
