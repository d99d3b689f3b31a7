//! How the code is built: its lines, the circles of files inside a crate, and functions that are long or take much.
//!
//! A file uses another one when a path in it (`crate::…`, `super::…`, a child's name, what `use` brought in) ends there. Re-exports by
//! name are followed to the file that holds the item, so a `mod.rs` that only declares and re-exports its children uses nothing.

use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use proc_macro2::{Delimiter, Group, Spacing, TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};

const MOST_LINES_OF_A_FUNCTION: usize = 80;
const MOST_ARGUMENTS: usize = 6;
/// How many re-exports of re-exports are followed.
const MOST_HANDED_ON: usize = 8;

/// What was found in all files.
#[derive(Debug, Default)]
pub(crate) struct Structure {
    /// Lines of `crates/*/src` outside tests, by crate.
    pub(crate) lines: BTreeMap<String, usize>,
    /// The lines of all files.
    pub(crate) all: usize,
    /// More than two files that use each other, and two in `resolve`; the links between them stand below each.
    pub(crate) circles: Vec<String>,
    /// Functions that are too long.
    pub(crate) long: Vec<String>,
    /// Functions that take too many arguments.
    pub(crate) wide: Vec<String>,
}

/// A path by its names.
type Names = Vec<String>;

/// What stands in the modules of a crate.
#[derive(Default)]
struct Crate {
    /// The file of each module.
    modules: BTreeMap<Names, String>,
    /// What `use` brings into a module, by its name there.
    imports: BTreeMap<(Names, String), Names>,
    /// The paths in each module that may lead to another file.
    paths: BTreeSet<(Names, Names)>,
}

/// Reads all Rust files: their names and texts.
pub(crate) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Structure, String> {
    let mut structure = Structure::default();
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for (file, text) in sources {
        let lines = text.lines().count();
        structure.all += lines;
        let tokens: TokenStream = text.parse().map_err(|e| format!("{file}: {e}"))?;
        let place = file.strip_prefix("crates/").and_then(|f| f.split_once("/src/"));
        let (name, inside) = place.filter(|(name, _)| !name.contains('/')).unwrap_or(("", file));
        let krate = crates.entry(name).or_default();
        let module = module_of(inside);
        krate.modules.insert(module.clone(), file.to_owned());
        let mut reader = Reader { file, module, krate, structure: &mut structure, tests: 0 };
        reader.tokens(tokens);
        if !name.is_empty() {
            let tests = reader.tests;
            *structure.lines.entry(name.to_owned()).or_default() += lines - tests;
        }
    }
    for (name, krate) in crates.iter().filter(|(name, _)| !name.is_empty()) {
        structure.circles.extend(krate.circles(if *name == "resolve" { 2 } else { 3 }));
    }
    Ok(structure)
}

/// The module that a file is, by its path below `src`.
fn module_of(inside: &str) -> Names {
    let mut names: Names = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    names.pop_if(|last| ["lib", "main", "mod"].contains(&last.as_str()));
    names
}

/// Goes through one file.
struct Reader<'a> {
    file: &'a str,
    module: Names,
    krate: &'a mut Crate,
    structure: &'a mut Structure,
    /// The lines of its tests.
    tests: usize,
}

impl Reader<'_> {
    fn tokens(&mut self, tokens: TokenStream) {
        let all: Vec<TokenTree> = tokens.into_iter().collect();
        let (mut at, mut public, mut path) = (0, false, Names::new());
        while let Some(token) = all.get(at) {
            let next = all.get(at + 1);
            at += 1;
            let joined = at > 2 && is_sign(&all[at - 2], ':') && is_sign(&all[at - 3], ':');
            if !joined && !is_sign(token, ':') {
                self.path(std::mem::take(&mut path));
            }
            match token {
                TokenTree::Group(group) if is_test(group) && next.is_some_and(|t| is_word(t, "mod")) => {
                    let body = body(&all[at..]);
                    let lines = body.map(|b| b.span_close().end().line - group.span_open().start().line + 1);
                    self.tests += lines.unwrap_or_default();
                    at += 3;
                }
                TokenTree::Group(group) => self.tokens(group.stream()),
                TokenTree::Ident(word) if word == "mod" => {
                    self.module.extend(next.map(ToString::to_string));
                    if let Some(TokenTree::Group(inside)) = all.get(at + 1) {
                        self.krate.modules.insert(self.module.clone(), self.file.to_owned());
                        self.tokens(inside.stream());
                    }
                    self.module.pop();
                    at += 2;
                }
                TokenTree::Ident(word) if word == "use" => {
                    let length = all[at..].iter().take_while(|t| !is_sign(t, ';')).count();
                    self.import(&all[at..at + length], &Names::new(), public);
                    at += length;
                }
                TokenTree::Ident(word) => {
                    if word == "fn" {
                        self.function(&all[at - 1..]);
                    }
                    if at < 2 || !is_sign(&all[at - 2], '.') {
                        path.push(word.to_string());
                    }
                }
                _ => {}
            }
            // `pub` may be followed by `(crate)`.
            public = is_word(token, "pub") || public && matches!(token, TokenTree::Group(_));
        }
        self.path(path);
    }

    fn path(&mut self, names: Names) {
        if !names.is_empty() {
            self.krate.paths.insert((self.module.clone(), names));
        }
    }

    /// What stands between `use` and its semicolon, or between two commas inside of it.
    fn import(&mut self, tree: &[TokenTree], before: &Names, public: bool) {
        let mut path = before.clone();
        let mut words = tree.iter();
        let mut known_as = None;
        while let Some(token) = words.next() {
            match token {
                TokenTree::Ident(word) if word == "as" => known_as = words.next().map(ToString::to_string),
                TokenTree::Ident(word) if word == "self" && !path.is_empty() => {}
                TokenTree::Ident(word) => path.push(word.to_string()),
                TokenTree::Group(group) => {
                    let inside: Vec<TokenTree> = group.stream().into_iter().collect();
                    let each = inside.split(|t| is_sign(t, ',')).filter(|tree| !tree.is_empty());
                    return each.for_each(|tree| self.import(tree, &path, public));
                }
                _ => {}
            }
        }
        // What a file hands on it uses only where it names it.
        if !public {
            self.path(path.clone());
        }
        if let Some(name) = known_as.or_else(|| path.last().cloned()) {
            self.krate.imports.insert((self.module.clone(), name), path);
        }
    }

    /// A function from its `fn` on; without a name, it is a type.
    fn function(&mut self, tokens: &[TokenTree]) {
        let [first, TokenTree::Ident(name), ..] = tokens else { return };
        let place = format!("{}:{}: {name}", self.file, first.span().start().line);
        let arguments = tokens.iter().find_map(|t| group(t, Delimiter::Parenthesis));
        let arguments = arguments.map_or(0, |group| single_colons(group.stream()));
        if arguments > MOST_ARGUMENTS {
            self.structure.wide.push(format!("{place} takes {arguments} arguments"));
        }
        let Some(body) = body(tokens) else { return };
        let lines = body.span_close().end().line - first.span().start().line + 1;
        let inside: Vec<TokenTree> = body.stream().into_iter().collect();
        let blocks = inside.iter().filter(|t| group(t, Delimiter::Brace).is_some()).count();
        let one_match = inside.first().is_some_and(|t| is_word(t, "match"))
            && blocks == 1
            && inside.last().is_some_and(|t| group(t, Delimiter::Brace).is_some());
        if lines > MOST_LINES_OF_A_FUNCTION && !one_match {
            self.structure.long.push(format!("{place} has {lines} lines"));
        }
    }
}

fn is_sign(token: &TokenTree, sign: char) -> bool {
    matches!(token, TokenTree::Punct(p) if p.as_char() == sign)
}

fn is_word(token: &TokenTree, word: &str) -> bool {
    matches!(token, TokenTree::Ident(ident) if ident == word)
}

fn group(token: &TokenTree, delimiter: Delimiter) -> Option<&Group> {
    if let TokenTree::Group(group) = token {
        Some(group).filter(|g| g.delimiter() == delimiter)
    } else {
        None
    }
}

/// The first block before a semicolon.
fn body(tokens: &[TokenTree]) -> Option<&Group> {
    let mut tokens = tokens.iter().take_while(|t| !is_sign(t, ';'));
    tokens.find_map(|t| group(t, Delimiter::Brace))
}

/// What stands in the brackets of `#[cfg(test)]`.
fn is_test(group: &Group) -> bool {
    group.delimiter() == Delimiter::Bracket && group.stream().to_string().replace(' ', "") == "cfg(test)"
}

/// Each argument but `self` has one.
fn single_colons(tokens: TokenStream) -> usize {
    let mut joint = false;
    let is_single = |token: &TokenTree| {
        let TokenTree::Punct(p) = token else { return false };
        let before = std::mem::replace(&mut joint, p.as_char() == ':' && p.spacing() == Spacing::Joint);
        p.as_char() == ':' && !joint && !before
    };
    tokens.into_iter().filter(is_single).count()
}

impl Crate {
    /// The file and the item that a path names; none for a module itself, and for what is another crate's.
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
            Some(import) if depth < MOST_HANDED_ON => self.home(&key.0, &[import, more].concat(), depth + 1),
            Some(_) => None,
            None => (rest.len() < path.len()).then_some((file.as_str(), key.1)),
        }
    }

    /// The groups of at least so many files of which each leads to each other one.
    fn circles(&self, least: usize) -> Vec<String> {
        let mut links: BTreeMap<(&str, &str), BTreeSet<String>> = BTreeMap::new();
        for (module, path) in &self.paths {
            let from = self.modules[module].as_str();
            if let Some((to, item)) = self.home(module, path, 0).filter(|(to, _)| *to != from) {
                links.entry((from, to)).or_default().insert(item);
            }
        }
        let graph: DiGraphMap<&str, ()> = links.keys().copied().collect();
        let mut circles = tarjan_scc(&graph);
        circles.retain(|files| files.len() >= least);
        let mut told: Vec<String> = Vec::new();
        for files in &mut circles {
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

    fn found(sources: &[(&str, &str)]) -> Structure {
        read(sources.iter().copied()).unwrap()
    }

    #[test]
    fn a_circle_is_found_through_re_exports_and_macros() {
        let sources = [
            ("crates/a/src/lib.rs", "pub use b::B; mod b; mod c; mod d; mod inner;"),
            ("crates/a/src/b.rs", "use crate::c; pub struct B; fn f() { c::f() }"),
            ("crates/a/src/c.rs", "pub fn f() { vec![crate::d::D::new()]; }"),
            ("crates/a/src/d.rs", "use crate::B; use std::fmt; pub struct D(B);"),
            ("crates/a/src/inner/mod.rs", "pub(crate) use e::E; mod e; fn f(_: E) {}"),
            ("crates/a/src/inner/e.rs", "use super::super::b::B; pub struct E(B);"),
        ];
        let circles = found(&sources).circles;
        assert_eq!(circles.len(), 1);
        let lines: Vec<_> = circles[0].lines().collect();
        assert_eq!(lines[0], "3 files: crates/a/src/b.rs, crates/a/src/c.rs, crates/a/src/d.rs");
        assert_eq!(lines[3], "    crates/a/src/d.rs -> crates/a/src/b.rs: B");
    }

    #[test]
    fn tests_are_not_counted_and_long_functions_are() {
        let tests = "#[cfg(test)]\nmod tests {\n    use super::*;\n}\n";
        let long = format!("fn long(a: u8) {{{}}}\n", "\n    f();".repeat(80));
        let wide = "fn wide(&self, a: u8, b: u8, c: u8, d: u8, e: u8, f: u8, g: u8);\n";
        let source = format!("{long}trait A {{\n    {wide}}}\n{tests}");
        let found = found(&[("crates/a/src/lib.rs", &source)]);
        assert_eq!((found.lines["a"], found.all), (84, 88));
        assert_eq!(found.long, ["crates/a/src/lib.rs:1: long has 81 lines"]);
        assert_eq!(found.wide, ["crates/a/src/lib.rs:83: wide takes 7 arguments"]);
    }
}
