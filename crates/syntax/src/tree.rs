//! The syntax tree of a bash text. Its grammar is tree-sitter-bash, with which pkgcheck reads
//! ebuilds.
//!
//! [`parse`] makes the tree. `rocpkg_render::bash::read` turns it into typed statements.

use crate::memo::Memo;
use crate::tolerated::refused;
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

/// Returns the first byte that the grammar accepts and bash refuses; none if bash accepts the text
/// too. A tree that is too deep for recursive functions is an error. A cursor walks the tree, which
/// needs no stack.
fn walk(tree: &tree_sitter::Tree, text: &str) -> Result<Option<usize>, Unreadable> {
    let mut cursor = tree.walk();
    let mut levels = 0;
    let mut stray = None;
    let is_broken = tree.root_node().has_error();
    loop {
        let node = cursor.node();
        if stray.is_none() && !is_broken {
            stray = refused(node, text);
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
