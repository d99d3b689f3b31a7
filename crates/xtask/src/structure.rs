//! How the code is built: its lines, the circles of files inside a crate, and functions that are long or take much.
//!
//! A file uses another one when a path in it (`crate::…`, `super::…`, a child's name, what `use` brought in) ends there. Re-exports are
//! followed to the file that holds the item, so a `mod.rs` that only declares and re-exports its children uses nothing.

use petgraph::{algo::tarjan_scc, graphmap::DiGraphMap};
use proc_macro2::{TokenStream, TokenTree};
use std::collections::{BTreeMap, BTreeSet};
use syn::{
    Attribute, Block, Expr, ImplItemFn, Item, ItemFn, ItemMod, ItemUse, Macro, Signature, Stmt, TraitItemFn,
    UseTree, Visibility, visit, visit::Visit,
};

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
    /// Where clippy is told to let one pass.
    pub(crate) allowed: Vec<String>,
}

/// A path by its names.
type Names = Vec<String>;

/// What stands in the modules of a crate.
#[derive(Default)]
struct Crate {
    /// The file of each module.
    modules: BTreeMap<Names, String>,
    /// The items of a module by name.
    items: BTreeSet<(Names, String)>,
    /// What `use` brings into a module, by its name there.
    imports: BTreeMap<(Names, String), Names>,
    /// The modules of which `use` brings in everything.
    globs: BTreeMap<Names, Vec<Names>>,
    /// The paths in each module that may lead to another file.
    paths: BTreeSet<(Names, Names)>,
}

/// Reads all Rust files: their names and texts.
pub(crate) fn read<'a>(sources: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Structure, String> {
    let mut structure = Structure::default();
    let mut crates: BTreeMap<&str, Crate> = BTreeMap::new();
    for (file, text) in sources {
        structure.all += text.lines().count();
        let parsed = syn::parse_file(text).map_err(|e| format!("{file}:{}: {e}", e.span().start().line))?;
        let place = file.strip_prefix("crates/").and_then(|f| f.split_once('/'));
        let ours = place.and_then(|(name, inside)| Some((name, inside.strip_prefix("src/")?)));
        let (name, inside) = ours.unwrap_or(("", file));
        let mut krate = Crate::default();
        let module = module_of(inside);
        krate.modules.insert(module.clone(), file.to_owned());
        let mut reader = Reader { file, module, krate, structure: &mut structure, tests: 0 };
        reader.visit_file(&parsed);
        let (krate, tests) = (reader.krate, reader.tests);
        if !name.is_empty() {
            *structure.lines.entry(name.to_owned()).or_default() += text.lines().count() - tests;
            crates.entry(name).or_default().add(krate);
        }
    }
    for (name, krate) in &crates {
        structure.circles.extend(krate.circles(if *name == "resolve" { 2 } else { 3 }));
    }
    Ok(structure)
}

/// The module that a file is, by its path below `src`.
fn module_of(inside: &str) -> Names {
    let mut names: Names = inside.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    if names.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
        names.pop();
    }
    names
}

/// Goes through one file.
struct Reader<'a> {
    file: &'a str,
    module: Names,
    krate: Crate,
    structure: &'a mut Structure,
    /// The lines of its tests.
    tests: usize,
}

impl Reader<'_> {
    fn path(&mut self, names: Names) {
        self.krate.paths.insert((self.module.clone(), names));
    }

    fn import(&mut self, tree: &UseTree, mut before: Names, public: bool) {
        match tree {
            UseTree::Path(path) => {
                before.push(path.ident.to_string());
                self.import(&path.tree, before, public);
            }
            UseTree::Group(group) => {
                group.items.iter().for_each(|tree| self.import(tree, before.clone(), public));
            }
            UseTree::Glob(_) => self.krate.globs.entry(self.module.clone()).or_default().push(before),
            UseTree::Name(name) => self.bring(name.ident.to_string(), name.ident.to_string(), before, public),
            UseTree::Rename(name) => {
                self.bring(name.ident.to_string(), name.rename.to_string(), before, public);
            }
        }
    }

    fn bring(&mut self, name: String, known_as: String, mut path: Names, public: bool) {
        if name != "self" {
            path.push(name);
        }
        let known_as = if known_as == "self" { path.last().cloned().unwrap_or_default() } else { known_as };
        // What a file hands on it uses only where it names it.
        if !public {
            self.path(path.clone());
        }
        self.krate.imports.insert((self.module.clone(), known_as), path);
    }

    /// The paths in what a macro is given, and the names of items in it.
    fn tokens(&mut self, tokens: TokenStream) {
        let (mut path, mut joined, mut item) = (Names::new(), 0, false);
        for token in tokens {
            match token {
                TokenTree::Punct(p) if p.as_char() == ':' => joined += 1,
                TokenTree::Ident(ident) => {
                    let name = ident.to_string();
                    if joined != 2 {
                        self.path(std::mem::take(&mut path));
                    }
                    if item {
                        self.krate.items.insert((self.module.clone(), name.clone()));
                    }
                    item = ["struct", "enum", "fn", "type", "const"].contains(&name.as_str());
                    path.push(name);
                    joined = 0;
                }
                other => {
                    self.path(std::mem::take(&mut path));
                    if let TokenTree::Group(group) = other {
                        self.tokens(group.stream());
                    }
                }
            }
        }
        self.path(path);
    }

    fn function(&mut self, signature: &Signature, block: Option<&Block>) {
        let place = format!("{}:{}: {}", self.file, signature.fn_token.span.start().line, signature.ident);
        let arguments = signature.inputs.iter().filter(|a| matches!(a, syn::FnArg::Typed(_))).count();
        if arguments > MOST_ARGUMENTS {
            self.structure.wide.push(format!("{place} takes {arguments} arguments"));
        }
        let Some(block) = block else { return };
        let lines = block.brace_token.span.close().end().line - signature.fn_token.span.start().line + 1;
        let one_match = matches!(block.stmts[..], [Stmt::Expr(Expr::Match(_), _)]);
        if lines > MOST_LINES_OF_A_FUNCTION && !one_match {
            self.structure.long.push(format!("{place} has {lines} lines"));
        }
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|a| {
        a.path().is_ident("cfg") && a.parse_args::<syn::Path>().is_ok_and(|path| path.is_ident("test"))
    })
}

impl<'ast> Visit<'ast> for Reader<'_> {
    fn visit_item(&mut self, item: &'ast Item) {
        let name = match item {
            Item::Const(i) => Some(&i.ident),
            Item::Enum(i) => Some(&i.ident),
            Item::Fn(i) => Some(&i.sig.ident),
            Item::Static(i) => Some(&i.ident),
            Item::Struct(i) => Some(&i.ident),
            Item::Trait(i) => Some(&i.ident),
            Item::Type(i) => Some(&i.ident),
            Item::Macro(i) => i.ident.as_ref(),
            _ => None,
        };
        let names = name.map(|name| (self.module.clone(), name.to_string()));
        self.krate.items.extend(names);
        visit::visit_item(self, item);
    }

    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        if is_test(&item.attrs) {
            let first = item.attrs[0].pound_token.span.start().line;
            let last = item.content.as_ref().map(|(brace, _)| brace.span.close().end().line);
            self.tests += last.map_or(0, |last| last - first + 1);
            return;
        }
        self.module.push(item.ident.to_string());
        if item.content.is_some() {
            self.krate.modules.insert(self.module.clone(), self.file.to_owned());
        }
        visit::visit_item_mod(self, item);
        self.module.pop();
    }

    fn visit_item_use(&mut self, item: &'ast ItemUse) {
        self.import(&item.tree, Vec::new(), !matches!(item.vis, Visibility::Inherited));
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.path(path.segments.iter().map(|s| s.ident.to_string()).collect());
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, given: &'ast Macro) {
        visit::visit_macro(self, given);
        self.tokens(given.tokens.clone());
    }

    fn visit_attribute(&mut self, attribute: &'ast Attribute) {
        let words = attribute.meta.require_list().map(|list| list.tokens.to_string()).unwrap_or_default();
        if words.contains("too_many_arguments") {
            let line = attribute.pound_token.span.start().line;
            self.structure.allowed.push(format!("{}:{line}: clippy::too_many_arguments", self.file));
        }
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.function(&item.sig, Some(&item.block));
        visit::visit_item_fn(self, item);
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        self.function(&item.sig, Some(&item.block));
        visit::visit_impl_item_fn(self, item);
    }

    fn visit_trait_item_fn(&mut self, item: &'ast TraitItemFn) {
        self.function(&item.sig, item.default.as_ref());
        visit::visit_trait_item_fn(self, item);
    }
}

impl Crate {
    fn add(&mut self, mut other: Self) {
        self.modules.append(&mut other.modules);
        self.items.append(&mut other.items);
        self.imports.append(&mut other.imports);
        self.globs.append(&mut other.globs);
        self.paths.append(&mut other.paths);
    }

    /// The file and the item that a path names; none for a module itself, and for what is another crate's.
    fn home(&self, module: &[String], path: &[String], depth: usize) -> Option<(&str, String)> {
        let mut at = module.to_vec();
        let mut rest = path;
        let mut ours = false;
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
            (rest, ours) = (more, true);
        }
        let (name, more) = rest.split_first()?;
        let key = (at, name.clone());
        let here = || Some((self.modules.get(&key.0)?.as_str(), name.clone()));
        if self.items.contains(&key) {
            return here();
        }
        if depth == MOST_HANDED_ON {
            return None;
        }
        if let Some(import) = self.imports.get(&key) {
            return self.home(&key.0, &[import, more].concat(), depth + 1);
        }
        for glob in self.globs.get(&key.0).into_iter().flatten() {
            let found = self.home(&key.0, &[glob, rest].concat(), depth + 1);
            if let Some((file, item)) = found
                && self.items.iter().any(|(module, i)| *i == item && self.modules[module] == file)
            {
                return Some((file, item));
            }
        }
        // What is no item was made by a macro.
        here().filter(|_| ours)
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
