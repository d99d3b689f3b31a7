//! The place of a new item in the existing recipe. `written.rs` contains the form in which the item
//! is written: in the style of its neighbours.

use crate::edits::{Edits, indentation, line_end, line_start};
use rocpkg_syntax::{Body, Form, ItemKind, Language, List, Node, NormalText, Outline, nix};
use std::ops::Range;

/// A body of the existing recipe, in which items are inserted, replaced and removed.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) existing: &'a Outline,
    pub(crate) body: &'a Body,
}

/// An item of a rendering that is inserted: `body.nodes[at]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewItem<'a> {
    pub(crate) rendering: &'a Outline,
    pub(crate) body: &'a Body,
    pub(crate) at: usize,
}

/// Items of the old rendering, and the items of the new one that replace them.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Replaced<'a> {
    pub(crate) before: &'a Outline,
    /// The items of `before`.
    pub(crate) was: &'a [Node],
    pub(crate) after: &'a Outline,
    /// The items of `after`.
    pub(crate) new: &'a [Node],
}

/// Returns the first byte of the comments directly above the item that begins at `at`. Returns `at`
/// if the item does not begin its line, and the beginning of its line if it has no such comment.
pub(crate) fn lead(text: &str, at: usize) -> usize {
    let mut start = line_start(text, at);
    if !text[start..at].trim().is_empty() {
        return at;
    }
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text[above..start].trim_start().starts_with('#') || above == 0 && text.starts_with("#!")
        {
            break;
        }
        start = above;
    }
    start
}

/// Returns true if an item contains words, such as an array. Between two of these items, no blank
/// line is needed.
fn is_list(node: &Node) -> bool {
    node.body
        .as_ref()
        .is_some_and(|body| body.form != Form::Lines)
}

impl<'a> Place<'a> {
    pub(crate) fn text(&self) -> &'a str {
        &self.existing.text
    }

    /// Returns true if the items of the body are statements of bash.
    pub(crate) fn has_statements(&self) -> bool {
        self.existing.reading.language == Language::Bash && self.body.form == Form::Lines
    }

    /// Returns the sign between two items on one line: `;` between statements.
    fn sign(&self) -> &'static str {
        match self.body.form {
            Form::Commas => ",",
            Form::Lines if self.has_statements() => ";",
            _ => "",
        }
    }

    /// Returns true if the body is a set of attributes of Nix.
    pub(crate) fn is_set(&self) -> bool {
        let is_lines = self.body.form == Form::Lines && self.body.kind == ItemKind::Items;
        self.existing.reading.language == Language::Nix && is_lines
    }

    /// Returns the path that is written before each item of the body: `env.` for a set that is
    /// bound as `env.A = 1; env.B = 2;`. Returns an empty text for `env = { A = 1; }`.
    pub(crate) fn path(&self) -> String {
        let inside = &self.body.inside;
        let mut names = Vec::new();
        let mut body = &self.existing.root;
        while !std::ptr::eq(body, self.body) {
            let holds = |n: &&Node| {
                n.body
                    .as_ref()
                    .is_some_and(|b| b.inside.start <= inside.start && inside.end <= b.inside.end)
            };
            let Some(node) = body.nodes.iter().find(holds) else {
                break;
            };
            let Some(inner) = &node.body else { break };
            if inner.inside == node.at && inner.inside == *inside {
                names.push(NormalText::base(&node.key.written));
            }
            body = inner;
        }
        names.iter().map(|name| format!("{name}.")).collect()
    }

    /// Returns `text`, a text of a rendering, with the existing recipe's name for the final
    /// attributes of a Nix derivation; see [`nix::in_own_attributes`].
    pub(crate) fn said(&self, text: &str) -> String {
        if self.existing.reading.language != Language::Nix {
            return text.to_owned();
        }
        // A `let` above the function that binds the name does not have it.
        let start = self.body.inside.start;
        let head = &self.text()[..if start == 0 { self.text().len() } else { start }];
        nix::in_own_attributes(text, self.text(), head)
    }

    /// Returns true if `text`, a text of a rendering, does not refer to the final attributes of a
    /// Nix derivation, or if the existing recipe has a form of its own for them.
    pub(crate) fn can_say(&self, text: &str) -> bool {
        let is_recursive =
            || self.text().contains("rec {") && !self.said(text).contains(nix::FINAL);
        self.existing.reading.language != Language::Nix
            || nix::names_attributes(self.text(), text)
            || is_recursive()
    }

    /// Returns true if no other item is on the lines of an item. A comma and a comment behind the
    /// item are allowed.
    fn is_alone(&self, node: &Node) -> bool {
        let text = self.text();
        let before = &text[line_start(text, node.at.start)..node.at.start];
        let behind = &text[node.at.end..line_end(text, node.at.end)];
        let behind = behind.trim().trim_start_matches([',', ';']).trim_start();
        before.trim().is_empty() && (behind.is_empty() || behind.starts_with('#'))
    }

    /// Returns true if an item begins a line that continues the line above by a backslash.
    fn is_continued(&self, node: &Node) -> bool {
        let text = self.text();
        let (above, own) = text[..node.at.start].split_at(line_start(text, node.at.start));
        let is_nix = self.existing.reading.language == Language::Nix;
        !is_nix && own.trim().is_empty() && above.ends_with("\\\n")
    }

    /// Returns the bytes to remove together with an item that continues the line above. With the
    /// last item of the command, the backslash above goes too.
    fn continued(&self, node: &Node, edits: &Edits) -> Range<usize> {
        let text = self.text();
        let is_gone = |other: &&Node| edits.removes(&other.at);
        let behind = self.body.nodes.iter().filter(|n| n.at.start >= node.at.end);
        let goes_on = behind.clone().any(|n| !is_gone(&n))
            || text[node.at.end..line_end(text, node.at.end)].trim() == "\\"
                && behind.clone().next().is_none();
        if goes_on {
            return line_start(text, node.at.start)..line_end(text, node.at.end);
        }
        let above = self.body.nodes.iter().rev();
        let mut above = above.filter(|n| n.at.end <= node.at.start);
        let start = match above.find(|n| !is_gone(n)) {
            Some(last) => last.at.end,
            None => text[..line_start(text, node.at.start)]
                .trim_end_matches(['\\', '\n', ' ', '\t'])
                .len(),
        };
        start..node.at.end
    }

    /// Returns the bytes to remove together with the element `node`, if the closing bracket of its
    /// list is directly behind the last element: `[ a\n  b ]`. The bytes include the separator
    /// before the element, so that the bracket stays behind an element; for the first element, the
    /// separator behind it. Returns none for any other list, and for the only element of a list.
    fn hugged(&self, node: &Node, edits: &Edits) -> Option<Range<usize>> {
        let text = self.text();
        let (first, last) = (self.body.nodes.first()?, self.body.nodes.last()?);
        let inside = &text[self.body.inside.clone()];
        if !self.body.holds(last)
            || !inside.contains('\n')
            || !text[last.at.end..self.body.inside.end]
                .trim_matches(' ')
                .is_empty()
        {
            return None;
        }
        let at = self.body.nodes.iter().position(|n| n.at == node.at)?;
        if node.at == first.at || self.body.nodes[..at].iter().all(|n| edits.removes(&n.at)) {
            return self
                .body
                .nodes
                .get(at + 1)
                .map(|next| node.at.start..next.at.start);
        }
        let before = self.body.nodes[at - 1].at.end;
        // A comment behind the previous element stays.
        let told = text[before..line_end(text, before)].find('#');
        let start = told.map_or(before, |_| line_end(text, before) - 1);
        let line = &text[node.at.end..line_end(text, node.at.end)];
        let end = if line.trim_start().starts_with('#') {
            line.trim_end().len()
        } else {
            0
        };
        (start < node.at.start).then_some(start..node.at.end + end)
    }

    /// Returns true if an item of the Nix expression `text` is an operand behind `++` or `+`.
    fn is_added(&self, text: &str, node: &Node) -> bool {
        self.existing.reading.language == Language::Nix && text[node.at.clone()].starts_with('+')
    }

    /// Removes an item with its comments, and with its line if no other item is on it.
    pub(crate) fn remove(&self, node: &Node, edits: &mut Edits) {
        let text = self.text();
        // An operand behind a list is removed together with the operator and the blanks before it,
        // and the end of the whole expression stays.
        if self.is_added(text, node) {
            return edits.replace(
                text[..node.at.start].trim_end().len()..node.at.end,
                String::new(),
            );
        }
        if self.is_continued(node) {
            return edits.replace(self.continued(node, edits), String::new());
        }
        if self.body.form == Form::Words
            && let Some(at) = self.hugged(node, edits)
        {
            edits.replace(at, String::new());
            return;
        }
        if self.is_alone(node) {
            let mut start = lead(text, node.at.start);
            let mut end = line_end(text, node.at.end);
            // No two blank lines follow each other, and no blank line begins or ends a body.
            let above = text[..start].trim_end_matches([' ', '\t']);
            let opens = above.ends_with("\n\n")
                || above.is_empty()
                || start <= line_end(text, self.body.inside.start);
            if opens && text[end..].starts_with('\n') {
                end += 1;
            } else if above.ends_with("\n\n")
                && text[end..].trim_start_matches([' ', '\t']).starts_with('}')
            {
                start = above.len() - 1;
            }
            edits.replace(start..end, String::new());
            return;
        }
        let mut at = node.at.clone();
        // If the last word of a list goes, the closing quote moves up from its line.
        let starts_line = text[line_start(text, at.start)..at.start].trim().is_empty();
        if self.body.form == Form::Words
            && starts_line
            && text[at.end..self.body.inside.end.max(at.end)]
                .trim()
                .is_empty()
        {
            at.start = text[..at.start]
                .trim_end()
                .len()
                .max(self.body.inside.start);
            edits.replace(at, String::new());
            return;
        }
        let behind = &text[at.end..];
        let next = behind.trim_start_matches([' ', '\t']);
        if self.body.form == Form::Commas && behind.starts_with(',') {
            at.end += 1;
        } else if self.has_statements() && next.starts_with(';') && !next.starts_with(";;") {
            at.end += behind.len() - next.len() + 1;
        }
        let blanks = |s: &str| s.len() - s.trim_start_matches(' ').len();
        let wide = blanks(&text[at.end..]);
        if wide > 0 && !text[at.end + wide..].starts_with('\n') {
            at.end += wide;
        } else if self
            .body
            .nodes
            .first()
            .is_none_or(|first| first.at != node.at)
        {
            at.start -= text[..at.start].len() - text[..at.start].trim_end_matches(' ').len();
        }
        edits.replace(at, String::new());
    }

    /// Inserts an item of a rendering after the existing item `above`. Without `above`, inserts it
    /// before `below`, and without both, into the empty body.
    pub(crate) fn insert(
        &self,
        above: Option<&Node>,
        below: Option<&Node>,
        item: NewItem,
        edits: &mut Edits,
    ) {
        let NewItem {
            rendering: from,
            body: beside,
            at,
        } = item;
        let text = self.text();
        let new = &beside.nodes[at];
        if self.is_added(&from.text, new) {
            return self.append(from, new, edits);
        }
        let anchor = above.or(below);
        if let Some(node) = anchor.filter(|node| self.is_continued(node)) {
            let words = self.words(from, &new.at);
            return self.insert_continued(node, above.is_some(), &words, edits);
        }
        let is_lines = match anchor {
            Some(node) => self.is_alone(node),
            None => self.body.form == Form::Lines || text[self.body.inside.clone()].contains('\n'),
        };
        if !is_lines && let Some(indent) = self.parted(&from.text, beside, edits) {
            let words = self.words(from, &new.at);
            return match (above, below) {
                (Some(node), _) => {
                    edits.replace(node.at.end..node.at.end, format!("\n{indent}{words}"));
                }
                (None, Some(node)) => {
                    edits.replace(node.at.start..node.at.start, format!("{words}\n{indent}"));
                }
                (None, None) => {}
            };
        }
        if !is_lines {
            let words = self.statement(from, &new.at);
            let sign = self.sign();
            // Sources and checksums are written one to a line.
            if let (Some(node), Some(List::Sources | List::Sums), Some(first)) =
                (above, self.body.list, self.body.nodes.first())
            {
                let column = text[line_start(text, first.at.start)..first.at.start]
                    .chars()
                    .count();
                edits.replace(
                    node.at.end..node.at.end,
                    format!("\n{}{words}", " ".repeat(column)),
                );
                return;
            }
            return match (above, below) {
                (Some(node), _) => {
                    edits.replace(node.at.end..node.at.end, format!("{sign} {words}"));
                }
                (None, Some(node)) => {
                    edits.replace(node.at.start..node.at.start, format!("{words}{sign} "));
                }
                (None, None) => {
                    let inside = self.body.inside.clone();
                    let blank = if self.existing.reading.language == Language::Nix {
                        " "
                    } else {
                        ""
                    };
                    edits.join(inside, format!("{blank}{words}{blank}"));
                }
            };
        }
        let indent = match anchor {
            Some(node) => indentation(text, node.at.start).to_owned(),
            None => format!(
                "{}{}",
                indentation(text, self.body.inside.start),
                self.step(&from.text)
            ),
        };
        let mut lines = self.lines(
            from,
            lead(&from.text, new.at.start)..new.at.end,
            new,
            &indent,
        );
        // An item behind a blank line in the rendering gets a blank line here.
        let start = lead(&from.text, new.at.start);
        let is_apart = from.text[..start].ends_with("\n\n") && at > 0;
        let at = match (above, below) {
            (Some(node), _) => {
                if self.body.form == Form::Commas
                    && !text[node.at.end..].trim_start().starts_with(',')
                {
                    edits.replace(node.at.end..node.at.end, ",".to_owned());
                }
                let is_next = at > 0 && beside.nodes[at - 1].key.is(&node.key);
                if is_apart && (is_next || [node, new].iter().any(|n| !is_list(n))) {
                    lines.insert(0, '\n');
                }
                line_end(text, node.at.end)
            }
            (None, Some(node)) => {
                if from.text[new.at.end..]
                    .trim_start_matches([' ', ';', ','])
                    .starts_with("\n\n")
                {
                    lines.push('\n');
                }
                lead(text, node.at.start)
            }
            (None, None) => {
                let start = self.body.inside.start;
                if text[start..].starts_with('\n') {
                    start + 1
                } else {
                    start
                }
            }
        };
        if at > 0 && !text[..at].ends_with('\n') {
            lines.insert(0, '\n');
        }
        edits.replace(at..at, lines);
    }

    /// Inserts words as a line of a command that is continued by backslashes, behind or before the
    /// item `node`.
    fn insert_continued(&self, node: &Node, is_behind: bool, words: &str, edits: &mut Edits) {
        let indent = indentation(self.text(), node.at.start);
        if is_behind {
            edits.replace(node.at.end..node.at.end, format!(" \\\n{indent}{words}"));
        } else {
            edits.replace(
                node.at.start..node.at.start,
                format!("{words} \\\n{indent}"),
            );
        }
    }

    /// Moves the only word of a string to a line of its own, if the rendering has the string on
    /// several lines: `"a"` becomes three lines. `beside` is the string's body in the rendering.
    /// Returns the indentation of the word. Returns none if the string is left as it is.
    fn parted(&self, rendering: &str, beside: &Body, edits: &mut Edits) -> Option<String> {
        let text = self.text();
        let [only] = self.body.nodes.as_slice() else {
            return None;
        };
        let inside = self.body.inside.clone();
        let is_parted = rendering[beside.inside.start..].starts_with('\n');
        if !is_parted || !self.is_string() || text[inside.clone()].trim().contains('\n') {
            return None;
        }
        let outer = indentation(text, inside.start);
        let indent = format!("{outer}{}", self.step(rendering));
        let (open, close) = (inside.start - 1, inside.end + 1);
        edits.replace(
            open..only.at.start,
            format!("{}\n{indent}", &text[open..inside.start]),
        );
        edits.replace(
            only.at.end..close,
            format!("\n{outer}{}", &text[inside.end..close]),
        );
        Some(indent)
    }

    /// Appends `new`, an operand of `++` or `+` in the rendering `from`, behind the list or script.
    fn append(&self, from: &Outline, new: &Node, edits: &mut Edits) {
        let text = self.text();
        let further = self
            .body
            .nodes
            .iter()
            .rev()
            .find(|n| self.is_added(text, n));
        let quote = if self.body.kind == ItemKind::Steps {
            "''"
        } else {
            "]"
        };
        let end = further.map_or(self.body.inside.end + quote.len(), |n| n.at.end);
        let indent = indentation(text, end).to_owned();
        edits.replace(
            end..end,
            format!(
                "\n{}",
                self.lines(from, new.at.clone(), new, &indent).trim_end()
            ),
        );
    }

    /// Replaces the existing items `old`, which correspond to `items.was`, by `items.new`. A
    /// comment above the items is replaced too if it differs between the renderings.
    pub(crate) fn replace(&self, old: &[&Node], items: Replaced, edits: &mut Edits) {
        let Replaced {
            before,
            was,
            after,
            new,
        } = items;
        let text = self.text();
        let first = old[0];
        // A comment that explains a removed item is removed with it. A comment that is the same in
        // both renderings is kept as it is in the existing recipe.
        let of = |outline: &Outline, node: &Node| {
            outline.text[lead(&outline.text, node.at.start)..node.at.start]
                .trim()
                .to_owned()
        };
        let is_told = of(before, &was[0]) == of(after, &new[0]);
        let is_yaml = self.existing.reading.language == Language::Yaml;
        let each_is_told = || {
            was.iter()
                .zip(new)
                .all(|(w, n)| of(before, w) == of(after, n))
        };
        if !self.is_alone(first)
            || (self.body.form == Form::Words || is_yaml && each_is_told())
                && new.iter().all(|n| !after.text[n.at.clone()].contains('\n'))
                && old.len() == new.len()
        {
            for (i, node) in old.iter().enumerate() {
                let words: Vec<String> = match i {
                    0 if old.len() != new.len() => {
                        new.iter().map(|n| self.element(node, after, n)).collect()
                    }
                    _ => new
                        .get(i)
                        .filter(|_| old.len() == new.len())
                        .map(|n| self.element(node, after, n))
                        .into_iter()
                        .collect(),
                };
                if words.is_empty() {
                    self.remove(node, edits);
                } else {
                    let sign = if self.has_statements() { "; " } else { " " };
                    edits.replace(node.at.clone(), words.join(sign));
                }
            }
            return;
        }
        let indent = indentation(text, first.at.start).to_owned();
        let mut lines = String::new();
        for (i, node) in new.iter().enumerate() {
            let mut start = lead(&after.text, node.at.start);
            if i == 0 && is_told {
                start = node.at.start;
            } else if i > 0 && after.text[..start].ends_with("\n\n") {
                lines.push('\n');
            }
            lines.push_str(&self.lines(after, start..node.at.end, node, &indent));
        }
        let start = if is_told {
            line_start(text, first.at.start)
        } else {
            lead(text, first.at.start)
        };
        edits.replace(start..line_end(text, first.at.end), lines);
        for node in &old[1..] {
            self.remove(node, edits);
        }
    }
}

/// Removes bash code in `outer` that has no effect after the edits: `cd` commands without a command
/// behind them, and functions, conditions and loops without a command, which bash refuses.
pub(crate) fn tidy(existing: &Outline, outer: &Body, edits: &mut Edits) {
    for node in &outer.nodes {
        let Some(body) = node.body.as_ref().filter(|b| b.form == Form::Lines) else {
            continue;
        };
        tidy(existing, body, edits);
        if body.nodes.is_empty() || edits.adds(&body.inside) {
            continue;
        }
        let kept: Vec<usize> = (0..body.nodes.len())
            .filter(|i| !edits.removes(&body.nodes[*i].at))
            .collect();
        if kept.last() == Some(&(body.nodes.len() - 1)) {
            continue;
        }
        let moves = |i: &&usize| body.nodes[**i].key.open.starts_with("cd ");
        let idle: Vec<usize> = kept.iter().rev().take_while(moves).copied().collect();
        if idle.len() == kept.len() {
            Place {
                existing,
                body: outer,
            }
            .remove(node, edits);
        } else {
            for i in idle {
                Place { existing, body }.remove(&body.nodes[i], edits);
            }
        }
    }
}
