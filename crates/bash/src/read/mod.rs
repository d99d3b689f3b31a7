//! Reads bash text into statements, using the syntax tree of `rocpkg_syntax`.
//!
//! `stmts.rs` reads the tree's statements, and `words.rs` their words. Text that has no typed form
//! becomes [`Stmt::Raw`].

mod arithmetic;
mod documents;
mod expansion;
mod flow;
mod simple;
mod stmts;
mod tests;
mod words;

use super::stmt::{Assignment, Stmt};
use rocpkg_syntax::tree::{Tree, parse};
use rocpkg_syntax::{Memo, Unreadable};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::rc::Rc;

/// Reads bash text into statements.
///
/// ```
/// use rocpkg_bash::{Stmt, read};
///
/// let stmts = read("PATCHES=( \"${FILESDIR}\"/fix.patch )\n")?;
/// assert!(matches!(&stmts[..], [Stmt::Array { name, .. }] if name == "PATCHES"));
/// # Ok::<(), rocpkg_syntax::Unreadable>(())
/// ```
///
/// # Errors
/// When the text is not bash, with the offset of the first fault. When it is too deep or too long.
pub fn read(text: &str) -> Result<Vec<Stmt>, Unreadable> {
    read_at(text, Some(0)).map_err(|unreadable| unreadable.in_text(text))
}

/// Reads bash text like [`read`]. The statements of the last few texts are kept.
///
/// # Errors
/// As [`read`].
pub fn statements(text: &str) -> Result<Rc<[Stmt]>, Unreadable> {
    STATEMENTS.with(|all| all.get((text, ()), || Ok(read(text)?.into())))
}

thread_local! {
    static STATEMENTS: Memo<(), Rc<[Stmt]>> = const { Memo::new() };
}

/// Reads bash text that is a part of another text. `base` is the offset at which it begins there,
/// which is added to the places of words; none if words get no places.
pub(super) fn read_at(text: &str, base: Option<usize>) -> Result<Vec<Stmt>, Unreadable> {
    let mut tree = parse(text)?;
    // The grammar ends some here-documents too early. In that case their texts are hidden from it.
    let mut hidden = text.as_bytes().to_vec();
    for _ in 0..MOST_HIDDEN {
        let reader = ScriptReader::new(text, base, tree.root_node());
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

/// Reads a text that is one assignment; `None` for any other text. `base` is the offset at which
/// the text begins in the script.
pub(super) fn read_assignment(text: &str, base: usize) -> Option<Assignment> {
    // An assignment is read without the tree, except for the substitutions in it, which have trees
    // of their own.
    let tree = parse("").ok()?;
    let reader = ScriptReader::new(text, Some(base), tree.root_node());
    let mut at = 0;
    let assignment = reader.assignment(&mut at).ok()??;
    (at == text.len()).then_some(assignment)
}

/// The largest number of here-documents of one text that are hidden from the grammar, one in each
/// turn of [`read`].
const MOST_HIDDEN: usize = 32;

/// The error for a part of a text that has no typed form. The statement that contains it is read as
/// [`Stmt::Raw`].
struct Untyped;

type Typed<T> = Result<T, Untyped>;

struct ScriptReader<'t> {
    text: &'t str,
    /// The offset of the text in the one that contains it; none if that is not known.
    base: Option<usize>,
    root: Tree<'t>,
    /// The offsets of the comments that the statements read so far contain.
    comments: RefCell<BTreeSet<usize>>,
    /// The ranges of the texts of here-documents, by the offset of the word after `<<`.
    documents: RefCell<BTreeMap<usize, Range<usize>>>,
    /// The range of a here-document's text, if the tree ends the text on another line than bash;
    /// none if the tree is right.
    misread: RefCell<Option<Range<usize>>>,
}

impl<'t> ScriptReader<'t> {
    fn new(text: &'t str, base: Option<usize>, root: Tree<'t>) -> Self {
        Self {
            text,
            base,
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
