//! The things beside a recipe in a checkout that its check looks at.

use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_model::Fetch;
use rocpkg_render::read_text;
use rocpkg_resolve::{Choice, with_version};
use rocpkg_syntax::Surroundings;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

/// What all recipes of a checkout have beside them.
pub(super) struct Beside<'a> {
    out: &'a Path,
    /// Eclasses of the repository, by path.
    eclasses: BTreeMap<String, String>,
    /// The folders at the top of the archives that the model knows, by address.
    archives: BTreeMap<String, Vec<String>>,
}

impl<'a> Beside<'a> {
    /// Reads what recipes of a folder share; `choices` are the releases whose archives are known.
    ///
    /// # Errors
    /// A release that can't be planned, and a file that can't be read.
    pub(super) fn read(
        stack: &Stack,
        (out, backend): (&'a Path, Backend),
        choices: &[Choice],
    ) -> Result<Self, Error> {
        let mut archives = BTreeMap::new();
        for choice in choices {
            for package in &stack.plan(backend, choice)?.packages {
                for source in &package.sources {
                    let folders = match source.fetch {
                        Fetch::Archive => {
                            vec![with_version(&source.archive_folder(), &source.version)]
                        }
                        Fetch::Asset if source.flat => Vec::new(),
                        Fetch::Asset => vec![
                            source
                                .asset
                                .clone()
                                .unwrap_or_else(|| source.repository.clone()),
                        ],
                        _ => continue,
                    };
                    archives.insert(with_version(&source.url, &source.version), folders);
                }
            }
        }
        let mut eclasses = BTreeMap::new();
        if backend == Backend::Gentoo {
            for file in files(&out.join("eclass")) {
                let path = format!("eclass/{file}");
                if let Some(text) = read_text(&out.join(&path))? {
                    eclasses.insert(path, text);
                }
            }
        }
        Ok(Self {
            out,
            eclasses,
            archives,
        })
    }

    /// Returns what is beside a recipe at a path. Files that `tree` brings are there too.
    pub(super) fn of(&self, path: &str, tree: &Tree) -> Surroundings {
        let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mut all = BTreeSet::new();
        list(&self.out.join(folder), "", &mut all);
        let inside = |path: &str| {
            let rest = path.strip_prefix(folder)?;
            let rest = rest.strip_prefix('/').or(folder.is_empty().then_some(rest));
            rest.map(str::to_owned)
        };
        all.extend(
            tree.files
                .iter()
                .filter_map(|(path, _)| inside(path.as_str())),
        );
        all.extend(tree.companions.iter().filter_map(|c| inside(&c.path)));
        Surroundings {
            path: path.to_owned(),
            files: Some(all),
            texts: self.eclasses.clone(),
            archives: self.archives.clone(),
        }
    }
}

/// The names in a folder; none where there is no folder.
fn files(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<String> = entries
        .filter_map(|entry| entry.file_name().into_string().ok())
        .collect();
    all.sort();
    all
}

/// The most levels of folders below a recipe's: a link to a folder above would have no end.
const MOST_LEVELS: usize = 4;

/// Adds the files of a folder and below, seen from the folder where it began.
fn list(folder: &Path, prefix: &str, out: &mut BTreeSet<String>) {
    for name in files(folder) {
        let (at, path) = (folder.join(&name), format!("{prefix}{name}"));
        if !at.is_dir() {
            out.insert(path);
        } else if path.matches('/').count() < MOST_LEVELS && !name.starts_with('.') {
            list(&at, &format!("{path}/"), out);
        }
    }
}
