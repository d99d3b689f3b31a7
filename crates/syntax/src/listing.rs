//! A bash text in the form that `declare -f` prints: its statements at the top level, and the
//! assignments of its functions that begin a line.
//!
//! makepkg finds the fields that a function of a split package sets by reading the output of
//! `declare -f` line by line (`util/pkgbuild.sh`). A line counts even if it never runs.

use crate::tree::{Tree, children, parse};
use crate::unreadable::Unreadable;
use std::ops::Range;

/// The statements and functions at the top level of a bash text.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The bytes of the statements at the top level, in the order of the text.
    pub statements: Vec<Range<usize>>,
    /// The functions that are defined at the top level, in the order of the text.
    pub functions: Vec<ListedFunction>,
}

/// A function with its assignments.
#[derive(Clone, Debug)]
pub struct ListedFunction {
    /// The name.
    pub name: String,
    /// The bytes of the whole function.
    pub at: Range<usize>,
    /// The assignments, in the order of the text.
    pub sets: Vec<ListedSet>,
    /// The bytes of here-documents and of quoted texts with several lines. `declare -f` prints them
    /// unchanged, so a line of them may look like an assignment.
    pub texts: Vec<Range<usize>>,
}

/// An assignment of a function.
#[derive(Clone, Debug)]
pub struct ListedSet {
    /// The name, with an index if it has one.
    pub name: String,
    /// The bytes of the assignment.
    pub at: Range<usize>,
    /// The position of the assignment in its line.
    pub position: Position,
}

/// The other contents of a line of `declare -f` that contains an assignment: none, or commands
/// around it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// The assignment is the whole line.
    Whole,
    /// Another word begins the line: `local a=b`, `[[ … ]] && a=b`.
    Inside,
    /// The assignment begins the line, and more words follow: `a=b command`, `a=b || c`.
    Start,
    /// The line that contains the assignment is not known.
    Unclear,
}

impl Listing {
    /// Reads a bash text.
    ///
    /// # Errors
    /// A text that is not bash, or that is too deep or too long to be a recipe.
    ///
    /// ```
    /// use rocpkg_syntax::{Listing, Position};
    ///
    /// let text = "A=1\nf() {\n\tif x; then\n\t\tb=(c)\n\tfi\n\tlocal d=e\n}\n";
    /// let listing = Listing::read(text)?;
    /// let sets = &listing.functions[0].sets;
    /// assert_eq!(listing.statements.len(), 2);
    /// assert_eq!((sets[0].position, sets[1].position), (Position::Whole, Position::Inside));
    /// # Ok::<(), rocpkg_syntax::Unreadable>(())
    /// ```
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let tree = parse(text)?;
        let mut out = Self::default();
        for node in children(tree.root_node()) {
            if node.kind() == "comment" || matches!(&text[node.byte_range()], ";" | "\n") {
                continue;
            }
            out.statements.push(node.byte_range());
            if node.kind() != "function_definition" {
                continue;
            }
            let (Some(name), Some(body)) = (
                node.child_by_field_name("name"),
                node.child_by_field_name("body"),
            ) else {
                continue;
            };
            let mut listed = Listed {
                text,
                sets: Vec::new(),
                texts: Vec::new(),
            };
            listed.statement(body, Position::Start, body.kind() != "compound_statement");
            let Listed { sets, texts, .. } = listed;
            out.functions.push(ListedFunction {
                name: text[name.byte_range()].to_owned(),
                at: node.byte_range(),
                sets,
                texts,
            });
        }
        Ok(out)
    }
}

struct Listed<'a> {
    text: &'a str,
    sets: Vec<ListedSet>,
    texts: Vec<Range<usize>>,
}

impl Listed<'_> {
    /// Adds the assignments in a statement. `position` is the position of the statement in its
    /// line. If `is_unclear` is set, the lines that `declare -f` prints for the statement are not
    /// known.
    fn statement(&mut self, node: Tree, position: Position, is_unclear: bool) {
        if !self.text[node.byte_range()].contains('=') {
            return;
        }
        if node.kind() == "variable_assignment" {
            return self.assignment(node, position, is_unclear);
        }
        let is_text = matches!(node.kind(), "heredoc_body" | "string" | "raw_string");
        if is_text && self.text[node.byte_range()].contains('\n') {
            self.texts.push(node.byte_range());
        }
        let mut is_first = true;
        // The words before `then`, `do` and `)` are in the line of their keyword.
        let mut is_head = true;
        for child in children(node) {
            let kind = child.kind();
            is_head &= !matches!(kind, "then" | "do_group" | ")");
            let (inner, unclear) = match node.kind() {
                "compound_statement" | "do_group" | "else_clause" => (Position::Whole, false),
                "if_statement"
                | "elif_clause"
                | "case_item"
                | "for_statement"
                | "while_statement"
                | "c_style_for_statement"
                    if !is_head =>
                {
                    (Position::Whole, false)
                }
                "if_statement" | "elif_clause" | "while_statement" if is_condition(child) => {
                    (Position::Inside, false)
                }
                "case_statement" => (Position::Start, kind != "case_item"),
                "list" | "pipeline" | "variable_assignments" | "command" if is_first => {
                    let is_inside = position == Position::Inside;
                    let first = if is_inside { position } else { Position::Start };
                    (first, false)
                }
                "list"
                | "pipeline"
                | "variable_assignments"
                | "declaration_command"
                | "negated_command" => (Position::Inside, false),
                "command" if kind == "variable_assignment" => (Position::Inside, false),
                "redirected_statement" => (Position::Start, !is_first),
                "function_definition" => (Position::Start, kind != "compound_statement"),
                _ => (Position::Start, true),
            };
            self.statement(child, inner, is_unclear || unclear);
            is_first = false;
        }
    }

    fn assignment(&mut self, node: Tree, position: Position, is_unclear: bool) {
        if let Some(name) = node.child_by_field_name("name") {
            let position = if is_unclear {
                Position::Unclear
            } else {
                position
            };
            self.sets.push(ListedSet {
                name: self.text[name.byte_range()].to_owned(),
                at: node.byte_range(),
                position,
            });
        }
        for child in children(node) {
            self.statement(child, Position::Start, true);
        }
    }
}

/// Returns true if a condition is printed in one line with its keyword, whatever the condition
/// contains.
fn is_condition(node: Tree) -> bool {
    let kinds = [
        "list",
        "pipeline",
        "test_command",
        "negated_command",
        "variable_assignment",
    ];
    kinds.contains(&node.kind())
}
