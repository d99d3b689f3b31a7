//! Reads here-documents.
//!
//! The grammar leaves out the first blanks of their texts, and confuses the texts of two
//! here-documents that begin on one line. Their lines are therefore searched anew here: the texts
//! follow each other below that line.

use super::words::Mode;
use super::{ScriptReader, Typed, Untyped};
use crate::stmt::{HereBody, HereDocument, Redirect, RedirectTo};
use rocpkg_syntax::tree::{Tree, children};

impl<'t> ScriptReader<'t> {
    /// Finds the texts of the here-documents that begin in a statement, and records their ranges in
    /// `documents`.
    pub(super) fn find_documents(&self, node: Tree<'t>) -> Typed<()> {
        let mut all = Vec::new();
        collect(node, &mut all);
        if all.iter().all(|n| part(*n, "heredoc_body").is_none()) {
            return Ok(());
        }
        all.sort_by_key(Tree::start_byte);
        let Some(start) = part(all[0], "heredoc_start") else {
            return Err(Untyped);
        };
        let Some(mut from) = self.line_below(start.end_byte()) else {
            return Err(Untyped);
        };
        let ends: Vec<usize> = all
            .iter()
            .filter_map(|n| part(*n, "heredoc_end"))
            .map(|n| n.start_byte())
            .collect();
        for document in all {
            let Some(start) = part(document, "heredoc_start") else {
                return Err(Untyped);
            };
            let (name, _) = self.end_word(start);
            let strips = self.strips_tabs(start);
            let mut at = from;
            let end = loop {
                let Some(line) = self.rest(at).split_inclusive('\n').next() else {
                    return Err(Untyped);
                };
                let bare = line.trim_end_matches('\n');
                let bare = if strips {
                    bare.trim_start_matches('\t')
                } else {
                    bare
                };
                if bare == name {
                    break at + line.len();
                }
                at += line.len();
            };
            let is_end =
                |tree: &usize| self.between(at, *tree).bytes().all(|b| b == b'\t') && *tree >= at;
            if !ends.iter().any(is_end) {
                self.misread.borrow_mut().get_or_insert(from..at);
                return Err(Untyped);
            }
            self.documents
                .borrow_mut()
                .insert(start.start_byte(), from..at);
            from = end;
        }
        Ok(())
    }

    /// Returns the offset at which the next line begins; none if no line follows. Line breaks
    /// inside quotes don't count.
    fn line_below(&self, at: usize) -> Option<usize> {
        let rest = self.rest(at);
        let mut ends = rest.match_indices('\n').map(|(i, _)| at + i);
        ends.find(|end| {
            let node = self.root.descendant_for_byte_range(*end, *end + 1);
            let is_text = node.is_some_and(|n| {
                let quoted = matches!(
                    n.kind(),
                    "string" | "string_content" | "raw_string" | "ansi_c_string"
                );
                quoted && n.start_byte() < *end
            });
            !is_text && !self.between(0, *end).ends_with('\\')
        })
        .map(|end| end + 1)
    }

    /// Returns the line that ends the here-document with the word `start` after `<<`. The `bool` is
    /// true if quotes around that word keep bash from expanding the text.
    fn end_word(&self, start: Tree<'t>) -> (String, bool) {
        let written = self.slice(start);
        let name = written.chars().filter(|c| !"'\"\\".contains(*c)).collect();
        (name, written.contains(['\'', '"', '\\']))
    }

    fn strips_tabs(&self, start: Tree<'t>) -> bool {
        self.between(0, start.start_byte())
            .trim_end()
            .ends_with("<<-")
    }

    pub(super) fn here_document(&self, node: Tree<'t>) -> Typed<Redirect> {
        let Some(start) = part(node, "heredoc_start") else {
            return Err(Untyped);
        };
        let descriptor = node.child_by_field_name("descriptor");
        let descriptor = descriptor.map_or("", |n| self.slice(n)).to_owned();
        let (end, is_literal) = self.end_word(start);
        let lines = self.documents.borrow().get(&start.start_byte()).cloned();
        let Some(lines) = lines else {
            return Err(Untyped);
        };
        let text = self.between(lines.start, lines.end);
        let body = if is_literal {
            HereBody::Literal(text.to_owned())
        } else {
            let mut at = lines.start;
            let pieces = self.pieces(&mut at, Mode::Document(lines.end))?;
            let printed: String = pieces.iter().map(ToString::to_string).collect();
            // Bash keeps the text as written, substitutions included, so it must print unchanged.
            if printed != text {
                return Err(Untyped);
            }
            HereBody::Expanded(pieces)
        };
        let tabs = self.strips_tabs(start);
        let to = RedirectTo::HereDocument(HereDocument { end, tabs, body });
        Ok(Redirect { descriptor, to })
    }
}

/// Adds the here-documents of a list to `out`, without those inside compound statements.
fn collect<'t>(node: Tree<'t>, out: &mut Vec<Tree<'t>>) {
    if node.kind() == "heredoc_redirect" {
        out.push(node);
    }
    let goes_on = [
        "list",
        "pipeline",
        "negated_command",
        "redirected_statement",
        "heredoc_redirect",
    ];
    if goes_on.contains(&node.kind()) {
        for child in children(node) {
            collect(child, out);
        }
    }
}

fn part<'t>(node: Tree<'t>, kind: &str) -> Option<Tree<'t>> {
    children(node).into_iter().find(|n| n.kind() == kind)
}
