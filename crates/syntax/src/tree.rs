//! The syntax tree of a bash text. Its grammar is tree-sitter-bash, with which pkgcheck reads
//! ebuilds.
//!
//! [`parse`] makes the tree. `rocpkg_render::bash::read` turns it into typed statements.

use crate::memo::Memo;
use crate::unreadable::{MOST_LEVELS, Unreadable};
use tree_sitter::Parser;

pub use tree_sitter::Node as Tree;

/// Parses a bash text.
///
/// # Errors
/// The first byte that is not bash, and a text that is too deep or too long.
pub fn parse(text: &str) -> Result<tree_sitter::Tree, Unreadable> {
    TREES.with(|trees| trees.get((text, ()), || parsed(text)))
}

thread_local! {
    static TREES: Memo<(), tree_sitter::Tree> = const { Memo::new() };
}

fn parsed(text: &str) -> Result<tree_sitter::Tree, Unreadable> {
    Unreadable::if_too_long(text)?;
    // Bash leaves out these bytes, so it would read another text.
    if let Some(at) = text.find('\0') {
        return Err(Unreadable::syntax(at));
    }
    let mut parser = Parser::new();
    let tree = parser
        .set_language(&tree_sitter_bash::LANGUAGE.into())
        .ok()
        .and_then(|()| parser.parse(text, None));
    let tree = tree.ok_or(Unreadable::syntax(0))?;
    let stray = walk(&tree, text)?;
    let root = tree.root_node();
    if root.has_error() {
        return Err(Unreadable::syntax(first_error(root).unwrap_or_default()));
    }
    match stray {
        Some(at) => Err(Unreadable::syntax(at)),
        None => Ok(tree),
    }
}

/// Returns true if a node of this kind is a word of a command.
pub fn is_word(kind: &str) -> bool {
    matches!(
        kind,
        "word"
            | "string"
            | "raw_string"
            | "concatenation"
            | "number"
            | "simple_expansion"
            | "expansion"
            | "command_substitution"
            | "ansi_c_string"
    )
}

/// Words that end or continue a statement. Bash refuses them as the name of a command, and the
/// grammar does not.
const RESERVED: &[&str] = &["}", "do", "done", "elif", "else", "esac", "fi", "then"];

/// Returns the first byte that the grammar accepts and bash refuses; none if bash accepts the text
/// too. A tree that is too deep for recursive functions is an error. A cursor walks the tree, which
/// needs no stack.
fn walk(tree: &tree_sitter::Tree, text: &str) -> Result<Option<usize>, Unreadable> {
    let mut cursor = tree.walk();
    let mut levels = 0;
    let mut stray = None;
    loop {
        let node = cursor.node();
        if stray.is_none() && node.kind() == "command_name" {
            let name = text.get(node.byte_range()).unwrap_or_default();
            stray = RESERVED.contains(&name).then(|| node.start_byte());
        }
        if stray.is_none() && is_cut(node, text) {
            stray = Some(node.start_byte());
        }
        if levels > MOST_LEVELS * NODES_PER_LEVEL {
            return Err(Unreadable::too_deep(cursor.node().start_byte()));
        }
        if cursor.goto_first_child() {
            levels += 1;
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return Ok(stray);
            }
            levels -= 1;
        }
    }
}

/// Returns true if a node is a redirection whose file is on the next line. Bash refuses it, and the
/// grammar does not.
fn is_cut(node: Tree, text: &str) -> bool {
    if !matches!(node.kind(), "file_redirect" | "herestring_redirect") {
        return false;
    }
    let all = children(node);
    all.windows(2).any(|pair| {
        let between = text.get(pair[0].end_byte()..pair[1].start_byte());
        let between = between.unwrap_or_default().replace("\\\n", "");
        between.contains('\n')
    })
}

/// The number of the grammar's nodes for one level of a text: `if` contains a list, a command, and
/// a word.
const NODES_PER_LEVEL: usize = 2;

/// Returns the first byte that the grammar could not read; none if it read the whole node.
fn first_error(node: Tree) -> Option<usize> {
    if node.is_error() || node.is_missing() {
        return Some(node.start_byte());
    }
    children(node).into_iter().find_map(first_error)
}

/// Returns the children of a node, including signs and keywords.
pub fn children(node: Tree<'_>) -> Vec<Tree<'_>> {
    node.children(&mut node.walk()).collect()
}
