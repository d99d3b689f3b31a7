//! Reads bash text into statements, by the tree of `rocpkg_syntax`.
//!
//! `stmts.rs` turns the tree's statements into values, `words.rs` their words. What has no typed
//! form becomes [`Stmt::Raw`], with all of its text.

mod arithmetic;
mod documents;
mod expansion;
mod flow;
mod simple;
mod stmts;
mod tests;
mod words;

use super::stmt::Stmt;
use rocpkg_syntax::Unreadable;
use rocpkg_syntax::tree::{Tree, parse};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Reads bash text into statements.
///
/// ```
/// use rocpkg_render::bash::{Stmt, read};
///
/// let stmts = read("PATCHES=( \"${FILESDIR}\"/fix.patch )\n")?;
/// assert!(matches!(&stmts[..], [Stmt::Array { name, .. }] if name == "PATCHES"));
/// # Ok::<(), rocpkg_syntax::Unreadable>(())
/// ```
///
/// # Errors
/// The first byte that is no bash, and a text that is too deep or too long.
pub fn read(text: &str) -> Result<Vec<Stmt>, Unreadable> {
    let mut tree = parse(text)?;
    // The grammar ends some here-documents early. Their texts are hidden from it then.
    let mut hidden = text.as_bytes().to_vec();
    for _ in 0..MOST_HIDDEN {
        let reader = Reader::new(text, tree.root_node());
        let stmts = reader.program();
        let Some(range) = reader.misread.into_inner() else {
            return Ok(stmts);
        };
        let Some(lines) = hidden.get_mut(range.clone()) else {
            break;
        };
        let is_new = lines.iter().any(|b| !matches!(b, b'x' | b'\n'));
        lines
            .iter_mut()
            .filter(|b| **b != b'\n')
            .for_each(|b| *b = b'x');
        if !is_new {
            return Err(Unreadable::syntax(range.start));
        }
        let copy = String::from_utf8_lossy(&hidden).into_owned();
        tree = parse(&copy)?;
    }
    Err(Unreadable::syntax(0))
}

/// The most here-documents of a text that are hidden from the grammar.
const MOST_HIDDEN: usize = 32;

/// A part of a text that has no typed form. Its statement is read as [`Stmt::Raw`].
struct Untyped;

type Made<T> = Result<T, Untyped>;

/// Reads one text.
struct Reader<'t> {
    text: &'t str,
    root: Tree<'t>,
    /// The comments that a statement has taken, by their first bytes.
    comments: RefCell<BTreeSet<usize>>,
    /// The texts of here-documents, by the first byte of the word behind `<<`.
    documents: RefCell<BTreeMap<usize, Range<usize>>>,
    /// The text of a here-document of which the tree has other lines.
    misread: RefCell<Option<Range<usize>>>,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, root: Tree<'t>) -> Self {
        Self {
            text,
            root,
            comments: RefCell::default(),
            documents: RefCell::default(),
            misread: RefCell::default(),
        }
    }

    fn slice(&self, node: Tree) -> &'t str {
        self.text.get(node.byte_range()).unwrap_or_default()
    }

    /// Returns the text from `at` up to `end`.
    fn between(&self, at: usize, end: usize) -> &'t str {
        self.text.get(at..end).unwrap_or_default()
    }

    fn rest(&self, at: usize) -> &'t str {
        self.text.get(at..).unwrap_or_default()
    }

    fn take_comment(&self, at: usize) {
        self.comments.borrow_mut().insert(at);
    }
}
