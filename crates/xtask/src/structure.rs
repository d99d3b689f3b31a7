//! Finds cycles of files inside a crate.
//!
//! A file uses another one if a path in the file (`crate::…`, `super::…`, a child's name, a name
//! from a `use`) leads to an item of the other file. Re-exports by name are followed to the file
//! that contains the item, so a `mod.rs` that only declares and re-exports its children uses
//! nothing.

use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

/// The highest number of re-exports that are followed from a path to its item.
const MOST_HANDED_ON: usize = 8;

/// A path such as `crate::a::B`, as the list of its names.
type DeclaredNames = Vec<String>;

/// The modules of a crate, what they import, and the paths that they contain.
#[derive(Default)]
struct Crate {
    /// The path of each module's file, by the path of the module.
    modules: BTreeMap<DeclaredNames, String>,
    /// The path that each `use` imports. The key is the path of the module with the `use`, and the
    /// name of the imported item there.
    imports: BTreeMap<(DeclaredNames, String), DeclaredNames>,
    /// The paths in each module that may lead to another file. Each pair is the path of the module,
    /// and the path of the item.
    paths: BTreeSet<(DeclaredNames, DeclaredNames)>,
}

/// Returns the cycles of files that use each other: those of at least three files, and in the crate
/// `resolve` also those of two. Each text names the files of a cycle, and below them the links
/// between the files. `sources` contains the paths and texts of all Rust files.
///
/// # Errors
/// When a file can't be parsed.
pub(crate) fn cycles<'a>(
    sources: impl Iterator<Item = (&'a str, &'a str)>,
) -> Result<Vec<String>, String> {
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for (file, text) in sources {
        let tokens: TokenStream = text.parse().map_err(|e| format!("{file}: {e}"))?;
        let place = file
            .strip_prefix("crates/")
            .and_then(|f| f.split_once("/src/"));
        let (name, inside) = place
            .filter(|(name, _)| !name.contains('/'))
            .unwrap_or(("", file));
        let krate = crates.entry(name).or_default();
        let module = module_of(inside);
        krate.modules.insert(module.clone(), file.to_owned());
        SourceReader {
            file,
            module,
            krate,
        }
        .tokens(tokens);
    }
    let own = crates.iter().filter(|(name, _)| !name.is_empty());
    Ok(own
        .flat_map(|(name, krate)| krate.cycles(if *name == "resolve" { 2 } else { 3 }))
        .collect())
}

/// Returns the path of the module in a file. `inside` is the path of the file below `src`: `a/b.rs`
/// gives `a` and `b`, and so does `a/b/mod.rs`.
fn module_of(inside: &str) -> DeclaredNames {
    let mut names: DeclaredNames = inside
        .trim_end_matches(".rs")
        .split('/')
        .map(str::to_owned)
        .collect();
    names.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
    names
}

/// A reader of one file, which adds the file's modules, imports and paths to its crate.
struct SourceReader<'a> {
    file: &'a str,
    module: DeclaredNames,
    krate: &'a mut Crate,
}

impl SourceReader<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut at, mut public, mut path) = (0, false, DeclaredNames::new());
        while let Some(token) = all.get(at) {
            let next = all.get(at + 1);
            at += 1;
            let joined = at > 2 && is_sign(&all[at - 2], ':') && is_sign(&all[at - 3], ':');
            if !joined && !is_sign(token, ':') {
                self.path(std::mem::take(&mut path));
            }
            match token {
                // The attribute `#[cfg(test)]` of a module: the name and the block of the module
                // are skipped.
                TokenTree::Group(group)
                    if is_test(group) && next.is_some_and(|t| is_word(t, "mod")) =>
                {
                    at += 3;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) if word == "mod" => {
                    self.module.extend(next.map(ToString::to_string));
                    if let Some(TokenTree::Group(inside)) = all.get(at + 1) {
                        self.krate
                            .modules
                            .insert(self.module.clone(), self.file.to_owned());
                        self.tokens(inside.stream());
                    }
                    self.module.pop();
                    at += 2;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let length = all[at..].iter().take_while(|t| !is_sign(t, ';')).count();
                    self.import(&all[at..at + length], &DeclaredNames::new(), public);
                    at += length;
                }
                TokenTree::Ident(word) if at < 2 || !is_sign(&all[at - 2], '.') => {
                    path.push(word.to_string());
                }
                _ => {}
            }
            // `pub` may be followed by `(crate)`.
            public = is_word(token, "pub") || public && matches!(token, TokenTree::Group(_));
        }
        self.path(path);
    }

    fn path(&mut self, names: DeclaredNames) {
        if !names.is_empty() {
            self.krate.paths.insert((self.module.clone(), names));
        }
    }

    /// Reads `tree`, the tokens between `use` and its semicolon or a part of them between two
    /// commas, and adds the imports. `before` is the path before an open brace, and `public` is set
    /// for a re-export.
    fn import(&mut self, tree: &[TokenTree], before: &DeclaredNames, public: bool) {
        let mut path = before.clone();
        let mut words = tree.iter();
        let mut known_as = None;
        while let Some(token) = words.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => {
                    known_as = words.next().map(ToString::to_string);
                }
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let each = inside
                        .split(|t| is_sign(t, ','))
                        .filter(|tree| !tree.is_empty());
                    return each.for_each(|tree| self.import(tree, &path, public));
                }
                _ => {}
            }
        }
        // A re-export alone does not use the file of its item.
        if !public {
            self.path(path.clone());
        }
        if let Some(name) = known_as.or_else(|| path.last().cloned()) {
            self.krate.imports.insert((self.module.clone(), name), path);
        }
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == sign)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

/// Returns true if the tokens are `[cfg(test)]`.
fn is_test(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket
        && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

impl Crate {
    /// Returns the file and the name of the item that `path` leads to from the module `module`.
    /// `depth` is the number of re-exports that were followed. Returns `None` if the path leads to
    /// a module, to an item of another crate, or to an unknown name.
    fn home(&self, module: &[String], path: &[String], depth: usize) -> Option<(&str, String)> {
        let mut at = module.to_vec();
        let mut rest = path;
        while let [name, more @ ..] = rest {
            match name.as_str() {
                "crate" => at.clear(),
                "super" => drop(at.pop()),
                "self" => {}
                _ => {
                    at.push(name.clone());
                    if !self.modules.contains_key(&at) {
                        at.pop();
                        break;
                    }
                }
            }
            rest = more;
        }
        let (name, more) = rest.split_first()?;
        let file = self.modules.get(&at)?;
        let key = (at, name.clone());
        match self.imports.get(&key) {
            Some(import) if depth < MOST_HANDED_ON => {
                self.home(&key.0, &[import, more].concat(), depth + 1)
            }
            Some(_) => None,
            None => (rest.len() < path.len()).then_some((file.as_str(), key.1)),
        }
    }

    /// Returns the cycles of at least `least` files, as text. In a cycle, each file uses every
    /// other one, directly or through others.
    fn cycles(&self, least: usize) -> Vec<String> {
        let mut links: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for (module, path) in &self.paths {
            let from = self.modules[module].as_str();
            if let Some((to, item)) = self.home(module, path, 0).filter(|(to, _)| *to != from) {
                links.entry((from, to)).or_default().insert(item);
            }
        }
        let graph: DiGraphMap<&str, ()> = links.keys().copied().collect();
        let mut cycles = tarjan_scc(&graph);
        cycles.retain(|files| files.len() >= least);
        let mut told: Vec<String> = Vec::new();
        for files in &mut cycles {
            files.sort_unstable();
            let mut text = format!("{} files: {}", files.len(), files.join(", "));
            let inside = |(from, to): &(&str, &str)| files.contains(from) && files.contains(to);
            for ((from, to), paths) in links.iter().filter(|(link, _)| inside(link)) {
                let paths: Vec<_> = paths.iter().map(String::as_str).collect();
                text += &format!("\n    {from} -> {to}: {}", paths.join(", "));
            }
            told.push(text);
        }
        told.sort();
        told
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_found_through_re_exports_and_macros() {
        let sources = [
            (
                "crates/a/src/lib.rs",
                "pub use b::B; mod b; mod c; mod d; mod inner;",
            ),
            (
                "crates/a/src/b.rs",
                "use crate::c; pub struct B; fn f() { c::f() }",
            ),
            (
                "crates/a/src/c.rs",
                "pub fn f() { vec![crate::d::D::new()]; }",
            ),
            (
                "crates/a/src/d.rs",
                "use crate::B; use std::fmt; pub struct D(B);",
            ),
            (
                "crates/a/src/inner/mod.rs",
                "pub(crate) use e::E; mod e; fn f(_: E) {}",
            ),
            (
                "crates/a/src/inner/e.rs",
                "use super::super::b::B; pub struct E(B);",
            ),
        ];
        let cycles = cycles(sources.into_iter()).unwrap();
        assert_eq!(cycles.len(), 1);
        let lines: Vec<_> = cycles[0].lines().collect();
        assert_eq!(
            lines[0],
            "3 files: crates/a/src/b.rs, crates/a/src/c.rs, crates/a/src/d.rs"
        );
        assert_eq!(lines[3], "    crates/a/src/d.rs -> crates/a/src/b.rs: B");
    }
}
