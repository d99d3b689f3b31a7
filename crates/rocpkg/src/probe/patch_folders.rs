//! Reads from ebuilds and PKGBUILDs in which folder they apply a patch.

use crate::backend::Backend;
use rocpkg_syntax::{Form, Node, Outline};
use std::collections::BTreeSet;

/// The parts of a path below the folder in which sources are unpacked (`WORKDIR`, `srcdir`). The
/// first part is the folder of a source. None if the path is not known.
pub(super) type Below = Option<Vec<String>>;

/// The folder in which a recipe applies a patch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum PatchFolder {
    /// The recipe names no folder: the package manager applies the patch in that of the sources.
    Standard,
    /// The recipe enters this folder.
    Entered(Vec<String>),
    /// The recipe enters a folder whose path is not known, or applies the patch in several folders.
    Unknown,
}

impl PatchFolder {
    /// Reads the folder of a patch from a recipe. `names` are the names of the patch, and `at` is a
    /// byte of the text that names it.
    pub(super) fn of(
        backend: Backend,
        outline: &Outline,
        names: &BTreeSet<String>,
        at: usize,
    ) -> Self {
        let start = match backend {
            Backend::Gentoo => source_folder(outline),
            Backend::Arch => Some(Vec::new()),
            // The steps of a `package.yml` are text.
            Backend::Solus if outline.text.lines().any(changes_folder) => return Self::Unknown,
            Backend::Solus | Backend::Nix => return Self::Standard,
        };
        let mut reader = FolderReader {
            outline,
            start: &start,
            is_gentoo: backend == Backend::Gentoo,
            names,
            list: list(outline, at),
            applied: Vec::new(),
            by_variable: Vec::new(),
            named: Vec::new(),
        };
        let is_function = |node: &&Node| node.key.open.ends_with("()");
        for function in outline.root.nodes.iter().filter(is_function) {
            reader.steps(function.nodes(), &mut vec![start.clone()]);
        }
        let mut all = reader.applied;
        if all.is_empty() && backend == Backend::Arch {
            all = reader.by_variable;
        }
        if all.is_empty() {
            all = reader.named;
        }
        if all.is_empty() && backend == Backend::Gentoo {
            all.push(start);
        }
        all.dedup();
        match all.as_slice() {
            [] => Self::Standard,
            [Some(folder)] => Self::Entered(folder.clone()),
            _ => Self::Unknown,
        }
    }
}

fn changes_folder(line: &str) -> bool {
    let word = line.split_whitespace().find(|word| *word != "-");
    matches!(word, Some("cd" | "pushd"))
}

/// Returns the folder of an ebuild's sources: the last value of `S`. Where the live ebuild has
/// another one, that comes first.
fn source_folder(outline: &Outline) -> Below {
    let mut all = Vec::new();
    values(&outline.root.nodes, "S", &mut all);
    let default = outline
        .words
        .get("P")
        .map(|pieces| outline.words.value(pieces).real);
    match all.last() {
        None => Some(vec![default?]),
        Some(node) => entered(
            &Some(Vec::new()),
            &None,
            true,
            outline.expanded(&node.value_at).first()?,
        ),
    }
}

/// Adds the items that set the variable `name`, outside of functions, to `out`.
fn values<'o>(nodes: &'o [Node], name: &str, out: &mut Vec<&'o Node>) {
    for node in nodes.iter().filter(|node| !node.key.open.ends_with("()")) {
        let is_it = node.key.open.split(' ').next() == Some(name);
        out.extend(is_it.then_some(node));
        values(node.nodes(), name, out);
    }
}

/// Returns the list that contains the byte `at` as a step names it: `${PATCHES[@]}`.
fn list(outline: &Outline, at: usize) -> Option<String> {
    let keys = outline.keys_at(at);
    let mut names = keys
        .iter()
        .filter(|key| key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_'));
    names.next_back().map(|name| format!("${{{name}[@]}}"))
}

/// Returns the folder that a step enters by `cd WORD` in the folder `here`. `start` is the value of
/// `S`; none in Arch.
fn entered(here: &Below, start: &Below, is_gentoo: bool, word: &str) -> Below {
    let after = |name: &str| {
        let rest = word.strip_prefix(name)?;
        (rest.is_empty() || rest.starts_with('/')).then_some(rest)
    };
    let (mut out, rest) = if let Some(rest) = after("${WORKDIR}").or_else(|| after("${srcdir}")) {
        (Vec::new(), rest)
    } else if let Some(rest) = after("${S}") {
        (start.clone()?, rest)
    } else if word.starts_with(['/', '-', '~']) || is_gentoo && word.starts_with('$') {
        return None;
    } else {
        (here.clone()?, word)
    };
    for part in rest.split('/') {
        match part {
            "" | "." => {}
            ".." => drop(out.pop()?),
            // The folder of a source has any name.
            part if out.is_empty() || !part.contains(['$', '*', '`']) => out.push(part.to_owned()),
            _ => return None,
        }
    }
    Some(out)
}

struct FolderReader<'o> {
    outline: &'o Outline,
    start: &'o Below,
    is_gentoo: bool,
    names: &'o BTreeSet<String>,
    list: Option<String>,
    /// The folders of the steps that apply the patch.
    applied: Vec<Below>,
    /// The folders of the steps that apply patches whose names are variables.
    by_variable: Vec<Below>,
    /// The folders of other steps that name the patch, such as a loop.
    named: Vec<Below>,
}

impl FolderReader<'_> {
    /// Reads the steps of a function. The last one of `folders` is the current folder, and those
    /// before it are those that `popd` returns to.
    fn steps(&mut self, nodes: &[Node], folders: &mut Vec<Below>) {
        for node in nodes {
            match &node.body {
                Some(body) if body.form == Form::Lines => {
                    if self.is_named(&node.key.real) || self.is_named(&node.value.real) {
                        self.named.extend(folders.last().cloned());
                    }
                    self.steps(&body.nodes, folders);
                }
                _ => self.words(&self.outline.expanded(&node.at), folders),
            }
        }
    }

    /// Reads the words of a step, which may be several commands.
    fn words(&mut self, words: &[String], folders: &mut Vec<Below>) {
        let before = folders.clone();
        let is_end = |word: &String| matches!(word.as_str(), "&&" | "||" | ";" | "&");
        for command in words.split(is_end) {
            let bare = command
                .iter()
                .map(|word| word.trim_matches(['(', ')', ';']));
            let bare: Vec<&str> = bare
                .filter(|word| !matches!(*word, "" | "{" | "}"))
                .collect();
            let here = folders.last().cloned().flatten();
            let enter = |word: &str| entered(&here, self.start, self.is_gentoo, word);
            match bare.as_slice() {
                ["cd", folder, ..] => {
                    let next = enter(folder);
                    folders.pop();
                    folders.push(next);
                }
                ["pushd", folder, ..] => folders.push(enter(folder)),
                ["popd", ..] if folders.len() > 1 => drop(folders.pop()),
                [program, arguments @ ..] => {
                    let is_git = |word: &&str| matches!(*word, "apply" | "am");
                    let applies = matches!(*program, "patch" | "eapply" | "epatch")
                        || *program == "git" && arguments.iter().any(is_git);
                    let folder = match option(arguments).filter(|_| applies) {
                        Some(word) => enter(word),
                        None => here,
                    };
                    let is_named = arguments.iter().any(|word| self.is_named(word));
                    let is_variable = arguments.iter().any(|word| word.contains('$'));
                    match (is_named, applies) {
                        (true, true) => self.applied.push(folder),
                        (true, false) => self.named.push(folder),
                        (false, true) if is_variable => self.by_variable.push(folder),
                        (false, _) => {}
                    }
                }
                [] => {}
            }
        }
        // A subshell has a folder of its own.
        if words.first().is_some_and(|word| word.starts_with('(')) {
            *folders = before;
        }
    }

    /// Returns true if a word is the patch, or the list that contains it.
    fn is_named(&self, word: &str) -> bool {
        let is_name = |name: &String| {
            word.match_indices(name.as_str()).any(|(at, _)| {
                let is_part = |c: char| c.is_alphanumeric() || "._-".contains(c);
                !word[..at].ends_with(is_part) && !word[at + name.len()..].starts_with(is_part)
            })
        };
        self.names.iter().any(is_name) || self.list.as_ref().is_some_and(|list| word.contains(list))
    }
}

/// Returns the folder that the options of `patch` or `git` name.
fn option<'w>(arguments: &[&'w str]) -> Option<&'w str> {
    let mut rest = arguments.iter();
    while let Some(word) = rest.next() {
        if matches!(*word, "-d" | "--directory" | "-C") {
            return rest.next().copied();
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
