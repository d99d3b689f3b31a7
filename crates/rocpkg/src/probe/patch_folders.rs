//! The folder in which an ebuild or a PKGBUILD applies a patch.

use crate::backend::Backend;
use rocpkg_render::bash::evaluate::{Step, Value, path};
use rocpkg_shell::Commands;
use std::collections::BTreeSet;

/// The folder in which a recipe applies a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchFolder {
    /// The recipe names no folder: the package manager applies the patch in that of the sources.
    Standard,
    /// The recipe enters this folder: the parts of its path below the folder in which sources are
    /// unpacked (`WORKDIR`, `srcdir`). The first part is the folder of a source.
    Entered(Vec<String>),
    /// The recipe enters a folder whose path is not known, or applies the patch in several folders.
    Unknown,
}

impl PatchFolder {
    /// Returns the folder of a patch. `names` are the names of the patch.
    pub(super) fn of(backend: Backend, text: &str, place: &str, names: &BTreeSet<String>) -> Self {
        let own = backend.implementation();
        let Some(commands) = own.commands(text, place) else {
            return if own.may_enter_folder(text) {
                Self::Unknown
            } else {
                Self::Standard
            };
        };
        let own = Patched::of(commands.steps(), names);
        let mut all = own.applied;
        if all.is_empty() && commands.start.is_none() {
            all = own.by_variable;
        }
        if all.is_empty() {
            all = own.named;
        }
        if all.is_empty() {
            all.extend(commands.start.clone().map(Some));
        }
        all.dedup();
        match all.as_slice() {
            [] => Self::Standard,
            [Some(folder)] => below(folder, &commands).map_or(Self::Unknown, Self::Entered),
            _ => Self::Unknown,
        }
    }
}

/// Returns the parts of a path below the folder in which sources are unpacked.
fn below(folder: &str, commands: &Commands) -> Option<Vec<String>> {
    let inside = folder.strip_prefix(commands.unpacked)?;
    let parts = inside.split('/').filter(|part| !part.is_empty());
    Some(parts.map(str::to_owned).collect())
}

/// The folders of the steps that may apply a patch. A folder is none if it is not known.
#[derive(Default)]
struct Patched {
    applied: Vec<Option<String>>,
    /// Steps that apply patches whose names are known only when the recipe runs.
    by_variable: Vec<Option<String>>,
    named: Vec<Option<String>>,
}

impl Patched {
    fn of<'s>(steps: impl Iterator<Item = &'s Step>, names: &BTreeSet<String>) -> Self {
        let mut out = Self::default();
        for step in steps {
            let words: Vec<String> = step.words.iter().map(|word| word.written("")).collect();
            let is_git = |word: &String| matches!(word.as_str(), "apply" | "am");
            let applies = matches!(step.name.as_str(), "patch" | "eapply" | "epatch")
                || step.name == "git" && words.iter().any(is_git);
            let folder = match option(&words).filter(|_| applies) {
                Some(word) => path(step.folder.as_deref(), word),
                None => step.folder.clone(),
            };
            let is_named = words.iter().any(|word| is_named(word, names));
            let is_open = |word: &Value| word.known().is_none();
            let is_variable = step.words.iter().any(is_open);
            match (is_named, applies) {
                (true, true) => out.applied.push(folder),
                (true, false) => out.named.push(folder),
                (false, true) if is_variable => out.by_variable.push(folder),
                (false, _) => {}
            }
        }
        out
    }
}

/// Returns true if a word ends with one of the names.
fn is_named(word: &str, names: &BTreeSet<String>) -> bool {
    names.iter().any(|name| {
        word.match_indices(name.as_str()).any(|(at, _)| {
            let is_part = |c: char| c.is_alphanumeric() || "._-".contains(c);
            !word[..at].ends_with(is_part) && !word[at + name.len()..].starts_with(is_part)
        })
    })
}

/// Returns the folder that the options of `patch` or `git` name.
fn option(arguments: &[String]) -> Option<&str> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if matches!(word.as_str(), "-d" | "--directory" | "-C") {
            return rest.next().map(String::as_str);
        }
        let joined = word
            .strip_prefix("--directory=")
            .or_else(|| word.strip_prefix("-d"));
        if joined.is_some() {
            return joined;
        }
    }
    None
}
