//! Where an item is put into a text, and how it is written there: as its neighbours are.

use crate::bash::quotes;
use crate::lists::{List, repository};
use crate::nix;
use crate::outline::{Body, Form, Kind, Language, Node, Outline};
use crate::variables::{contracted, held_by, holder};
use crate::words::{Manner, Piece, Quote, Word, split};
use std::ops::Range;

/// Edits of a text, by bytes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Edits(Vec<(Range<usize>, String)>);

impl Edits {
    pub(crate) fn replace(&mut self, at: Range<usize>, text: String) {
        if !self.0.iter().any(|(other, own)| *other == at && *own == text) {
            self.0.push((at, text));
        }
    }

    /// Whether some bytes are taken away.
    pub(crate) fn removes(&self, at: &Range<usize>) -> bool {
        self.0.iter().any(|(own, new)| new.is_empty() && own.start <= at.start && at.end <= own.end)
    }

    /// Whether anything is written between two bytes.
    pub(crate) fn adds(&self, at: &Range<usize>) -> bool {
        self.0.iter().any(|(own, new)| !new.is_empty() && at.start <= own.start && own.end <= at.end)
    }

    /// The text with all edits; of two that meet, the first counts.
    pub(crate) fn applied(mut self, text: &str) -> String {
        self.0.sort_by_key(|(at, _)| (at.start, !at.is_empty()));
        let mut out = String::with_capacity(text.len());
        let mut done = 0;
        for (at, new) in self.0 {
            if at.start < done {
                if at.is_empty() {
                    out.push_str(&new);
                } else if new.is_empty() {
                    // What two of them take away is gone, and no blank is left at the end of a line.
                    done = done.max(at.end);
                    if text[done..].starts_with('\n') {
                        out.truncate(out.trim_end_matches(' ').len());
                    }
                }
                continue;
            }
            out.push_str(&text[done..at.start]);
            out.push_str(&new);
            done = at.end;
        }
        out.push_str(&text[done..]);
        out
    }
}

/// A body of a text that lies there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) there: &'a Outline,
    pub(crate) body: &'a Body,
}

fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |n| n + 1)
}

fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |n| at + n + 1)
}

/// The blanks that a line begins with.
fn indentation(text: &str, at: usize) -> &str {
    let line = &text[line_start(text, at)..];
    &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
}

/// Where the comments above an item begin that belong to it.
fn lead(text: &str, at: usize) -> usize {
    let mut start = line_start(text, at);
    if !text[start..at].trim().is_empty() {
        return at;
    }
    while start > 0 {
        let above = line_start(text, start - 1);
        if !text[above..start].trim_start().starts_with('#') || above == 0 && text.starts_with("#!") {
            break;
        }
        start = above;
    }
    start
}

/// Whether an item is a list of words, which others may follow on the next line.
fn is_list(node: &Node) -> bool {
    node.body.as_ref().is_some_and(|body| body.form != Form::Lines)
}

impl<'a> Place<'a> {
    fn text(&self) -> &'a str {
        &self.there.text
    }

    /// Whether the items are attributes of Nix.
    fn is_set(&self) -> bool {
        let is_lines = self.body.form == Form::Lines && self.body.kind == Kind::Items;
        self.there.reading.language == Language::Nix && is_lines
    }

    /// `env.` where each item of a set is bound by its whole path: `env.A = 1;`.
    fn path(&self) -> String {
        let inside = &self.body.inside;
        let mut names = Vec::new();
        let mut body = &self.there.root;
        while !std::ptr::eq(body, self.body) {
            let holds = |n: &&Node| {
                n.body.as_ref().is_some_and(|b| b.inside.start <= inside.start && inside.end <= b.inside.end)
            };
            let Some(node) = body.nodes.iter().find(holds) else { break };
            let Some(inner) = &node.body else { break };
            if inner.inside == node.at && inner.inside == *inside {
                names.push(node.key.written.split(" #").next().unwrap_or_default());
            }
            body = inner;
        }
        names.iter().map(|name| format!("{name}.")).collect()
    }

    /// A text of a rendering as it is said here: one that binds no `finalAttrs` is recursive.
    fn said(&self, text: &str) -> String {
        match self.there.reading.language {
            Language::Nix if !self.text().contains("finalAttrs") => text.replace("finalAttrs.", ""),
            _ => text.to_owned(),
        }
    }

    /// Whether a text of a rendering can be said here.
    pub(crate) fn can_say(&self, text: &str) -> bool {
        let is_bound = self.text().contains("finalAttrs") || !text.contains("finalAttrs");
        let is_recursive = || self.text().contains("rec {") && !self.said(text).contains("finalAttrs");
        self.there.reading.language != Language::Nix || is_bound || is_recursive()
    }

    /// Whether an item stands on lines of its own, apart from a comma and a comment behind it.
    fn is_alone(&self, node: &Node) -> bool {
        let text = self.text();
        let before = &text[line_start(text, node.at.start)..node.at.start];
        let behind = &text[node.at.end..line_end(text, node.at.end)];
        let behind = behind.trim().trim_start_matches([',', ';']).trim_start();
        before.trim().is_empty() && (behind.is_empty() || behind.starts_with('#'))
    }

    /// What goes with an element of a list whose bracket closes behind the last one, on whatever lines they stand: what parts it from
    /// the element before, so that the bracket stays behind the last; of the first one what parts it from the next.
    fn hugged(&self, node: &Node, edits: &Edits) -> Option<Range<usize>> {
        let text = self.text();
        let (first, last) = (self.body.nodes.first()?, self.body.nodes.last()?);
        let inside = &text[self.body.inside.clone()];
        if !inside.contains('\n') || !text[last.at.end..self.body.inside.end].trim_matches(' ').is_empty() {
            return None;
        }
        let at = self.body.nodes.iter().position(|n| n.at == node.at)?;
        if node.at == first.at || self.body.nodes[..at].iter().all(|n| edits.removes(&n.at)) {
            return self.body.nodes.get(at + 1).map(|next| node.at.start..next.at.start);
        }
        let before = self.body.nodes[at - 1].at.end;
        // A comment behind the one before stays.
        let told = text[before..line_end(text, before)].find('#');
        let start = told.map_or(before, |_| line_end(text, before) - 1);
        let line = &text[node.at.end..line_end(text, node.at.end)];
        let end = if line.trim_start().starts_with('#') { line.trim_end().len() } else { 0 };
        (start < node.at.start).then_some(start..node.at.end + end)
    }

    /// Whether an item of a text stands behind `++` or `+`.
    fn is_added(&self, text: &str, node: &Node) -> bool {
        self.there.reading.language == Language::Nix && text[node.at.clone()].starts_with('+')
    }

    /// Takes an item away, with its comments and its line where that holds nothing else.
    pub(crate) fn remove(&self, node: &Node, edits: &mut Edits) {
        let text = self.text();
        // What is added behind a list goes up to what it is added to, and what ends the whole stays.
        if self.is_added(text, node) {
            return edits.replace(text[..node.at.start].trim_end().len()..node.at.end, String::new());
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
            // No two blank lines meet, and none begins or ends a body.
            let above = text[..start].trim_end_matches([' ', '\t']);
            let opens = above.ends_with("\n\n")
                || above.is_empty()
                || start <= line_end(text, self.body.inside.start);
            if opens && text[end..].starts_with('\n') {
                end += 1;
            } else if above.ends_with("\n\n") && text[end..].trim_start_matches([' ', '\t']).starts_with('}')
            {
                start = above.len() - 1;
            }
            edits.replace(start..end, String::new());
            return;
        }
        let mut at = node.at.clone();
        // The last word of a list, with the closing quote on its line: that moves up.
        let starts_line = text[line_start(text, at.start)..at.start].trim().is_empty();
        if self.body.form == Form::Words
            && starts_line
            && text[at.end..self.body.inside.end.max(at.end)].trim().is_empty()
        {
            at.start = text[..at.start].trim_end().len().max(self.body.inside.start);
            edits.replace(at, String::new());
            return;
        }
        let behind = &text[at.end..];
        if self.body.form == Form::Commas && behind.starts_with(',') {
            at.end += 1;
        }
        let blanks = |s: &str| s.len() - s.trim_start_matches(' ').len();
        let wide = blanks(&text[at.end..]);
        if wide > 0 && !text[at.end + wide..].starts_with('\n') {
            at.end += wide;
        } else if self.body.nodes.first().is_none_or(|first| first.at != node.at) {
            at.start -= text[..at.start].len() - text[..at.start].trim_end_matches(' ').len();
        }
        edits.replace(at, String::new());
    }

    /// Puts an item of a rendering after or before one that lies there.
    pub(crate) fn insert(
        &self,
        above: Option<&Node>,
        below: Option<&Node>,
        (from, beside, at): (&Outline, &Body, usize),
        edits: &mut Edits,
    ) {
        let text = self.text();
        let new = &beside.nodes[at];
        if self.is_added(&from.text, new) {
            return self.append(from, new, edits);
        }
        let anchor = above.or(below);
        let is_lines = match anchor {
            Some(node) => self.is_alone(node),
            None => self.body.form == Form::Lines || text[self.body.inside.clone()].contains('\n'),
        };
        if !is_lines && let Some(indent) = self.parted(&from.text, beside, edits) {
            let words = self.words(from, &new.at);
            return match (above, below) {
                (Some(node), _) => edits.replace(node.at.end..node.at.end, format!("\n{indent}{words}")),
                (None, Some(node)) => {
                    edits.replace(node.at.start..node.at.start, format!("{words}\n{indent}"));
                }
                (None, None) => {}
            };
        }
        if !is_lines {
            let words = self.words(from, &new.at);
            let comma = if self.body.form == Form::Commas { "," } else { "" };
            // What is fetched stands one a line, and so do its sums.
            if let (Some(node), Some(List::Sources | List::Sums), Some(first)) =
                (above, self.body.list, self.body.nodes.first())
            {
                let column = text[line_start(text, first.at.start)..first.at.start].chars().count();
                edits.replace(node.at.end..node.at.end, format!("\n{}{words}", " ".repeat(column)));
                return;
            }
            return match (above, below) {
                (Some(node), _) => edits.replace(node.at.end..node.at.end, format!("{comma} {words}")),
                (None, Some(node)) => edits.replace(node.at.start..node.at.start, format!("{words}{comma} ")),
                (None, None) => {
                    let inside = self.body.inside.clone();
                    let blank = if self.there.reading.language == Language::Nix { " " } else { "" };
                    edits.replace(inside, format!("{blank}{words}{blank}"));
                }
            };
        }
        let indent = match anchor {
            Some(node) => indentation(text, node.at.start).to_owned(),
            None => format!("{}{}", indentation(text, self.body.inside.start), self.step(&from.text)),
        };
        let mut lines = self.lines(from, lead(&from.text, new.at.start)..new.at.end, new, &indent);
        // What stands apart in the rendering stands apart here.
        let start = lead(&from.text, new.at.start);
        let is_apart = from.text[..start].ends_with("\n\n") && at > 0;
        let at = match (above, below) {
            (Some(node), _) => {
                if self.body.form == Form::Commas && !text[node.at.end..].trim_start().starts_with(',') {
                    edits.replace(node.at.end..node.at.end, ",".to_owned());
                }
                let is_next = at > 0 && beside.nodes[at - 1].key.is(&node.key);
                if is_apart && (is_next || [node, new].iter().any(|n| !is_list(n))) {
                    lines.insert(0, '\n');
                }
                line_end(text, node.at.end)
            }
            (None, Some(node)) => {
                if from.text[new.at.end..].trim_start_matches([' ', ';', ',']).starts_with("\n\n") {
                    lines.push('\n');
                }
                lead(text, node.at.start)
            }
            (None, None) => {
                let start = self.body.inside.start;
                if text[start..].starts_with('\n') { start + 1 } else { start }
            }
        };
        if at > 0 && !text[..at].ends_with('\n') {
            lines.insert(0, '\n');
        }
        edits.replace(at..at, lines);
    }

    /// Parts a string of one word into lines, as a rendering has it that holds more: the indentation of these lines.
    fn parted(&self, rendering: &str, beside: &Body, edits: &mut Edits) -> Option<String> {
        let text = self.text();
        let [only] = self.body.nodes.as_slice() else { return None };
        let inside = self.body.inside.clone();
        let is_parted = rendering[beside.inside.start..].starts_with('\n');
        if !is_parted || !self.is_string() || text[inside.clone()].trim().contains('\n') {
            return None;
        }
        let outer = indentation(text, inside.start);
        let indent = format!("{outer}{}", self.step(rendering));
        let (open, close) = (inside.start - 1, inside.end + 1);
        edits.replace(open..only.at.start, format!("{}\n{indent}", &text[open..inside.start]));
        edits.replace(only.at.end..close, format!("\n{outer}{}", &text[inside.end..close]));
        Some(indent)
    }

    /// Puts what stands behind `++` or `+` behind a list or a script.
    fn append(&self, from: &Outline, new: &Node, edits: &mut Edits) {
        let text = self.text();
        let further = self.body.nodes.iter().rev().find(|n| self.is_added(text, n));
        let quote = if self.body.kind == Kind::Steps { "''" } else { "]" };
        let end = further.map_or(self.body.inside.end + quote.len(), |n| n.at.end);
        let indent = indentation(text, end).to_owned();
        edits.replace(end..end, format!("\n{}", self.lines(from, new.at.clone(), new, &indent).trim_end()));
    }

    /// Puts items of a rendering in the place of others.
    pub(crate) fn replace(
        &self,
        old: &[&Node],
        (before, was): (&Outline, &[Node]),
        (after, new): (&Outline, &[Node]),
        edits: &mut Edits,
    ) {
        let text = self.text();
        let first = old[0];
        if !self.is_alone(first)
            || self.body.form == Form::Words
                && new.iter().all(|n| !after.text[n.at.clone()].contains('\n'))
                && old.len() == new.len()
        {
            for (i, node) in old.iter().enumerate() {
                let words: Vec<String> = match i {
                    0 if old.len() != new.len() => new.iter().map(|n| self.element(node, after, n)).collect(),
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
                    edits.replace(node.at.clone(), words.join(" "));
                }
            }
            return;
        }
        let indent = indentation(text, first.at.start).to_owned();
        // A comment that explained what went goes with it; one that says the same in both renderings is the text's own.
        let of = |outline: &Outline, node: &Node| {
            outline.text[lead(&outline.text, node.at.start)..node.at.start].trim().to_owned()
        };
        let is_told = of(before, &was[0]) == of(after, &new[0]);
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
        let start = if is_told { line_start(text, first.at.start) } else { lead(text, first.at.start) };
        edits.replace(start..line_end(text, first.at.end), lines);
        for node in &old[1..] {
            self.remove(node, edits);
        }
    }

    /// Puts a new value in the place of an old one; the whole item, where one of the two has no value apart.
    pub(crate) fn value(&self, node: &Node, from: &Outline, new: &Node, edits: &mut Edits) {
        let is_bash = self.there.reading.language == Language::Bash;
        let whole = node.value_at == node.at || is_bash && new.value_at == new.at;
        let at = if whole { &node.at } else { &node.value_at };
        edits.replace(at.clone(), self.valued(node, from, new, whole));
    }

    fn valued(&self, node: &Node, from: &Outline, new: &Node, whole: bool) -> String {
        let source = if whole { &new.at } else { &new.value_at };
        if self.there.reading.language != Language::Bash {
            return self.said(&self.indented(from, source.clone(), new.at.start, node.at.start));
        }
        if whole {
            return self.element(node, from, new);
        }
        let all = split(&from.text, source.start, source.end);
        all.iter().map(|w| self.valued_as(node, from, w)).collect::<Vec<_>>().join(" ")
    }

    /// A word in the quotes of a value.
    pub(crate) fn valued_as(&self, node: &Node, from: &Outline, word: &Word) -> String {
        let old = split(self.text(), node.value_at.start, node.value_at.end);
        let quote = old.first().map(|w| w.quote);
        Manner { quote, ..self.manner(from) }.write(&from.text, word)
    }

    /// The words of an item in the place of another one. A source is addressed as that was: by the variable that holds the repository,
    /// and by the short address of a tag.
    fn element(&self, old: &Node, from: &Outline, new: &Node) -> String {
        let all = split(&from.text, new.at.start, new.at.end);
        let ([word], Some(repository), Some(List::Sources)) =
            (all.as_slice(), repository(&new.value.real), self.body.list)
        else {
            return self.words(from, &new.at);
        };
        let mut word = word.clone();
        let was = &self.text()[old.at.clone()];
        if was.contains("/archive/") && !was.contains("/archive/refs/") {
            for piece in &mut word.pieces {
                if let Piece::Text(text) = piece {
                    *text = text.replace("/archive/refs/tags/", "/archive/");
                }
            }
        }
        let name = holder(self.there, old, repository);
        if let Some(name) = name.filter(|name| held_by(self.there, name) == repository) {
            word.pieces = contracted(&word.pieces, repository, &name);
            word.quote = Quote::Double;
        }
        let manner = Manner { quote: quotes(self.text(), self.body), ..self.manner(from) };
        manner.write(&from.text, &word)
    }

    fn manner<'m>(&'m self, from: &'m Outline) -> Manner<'m> {
        let bare_variables = !self.text().contains("${") || {
            let braced = self.text().matches("${").count();
            self.text().matches('$').count() > 2 * braced
        };
        Manner { quote: None, bare_variables, there: &self.there.words, here: &from.words }
    }

    /// The words of an item of a rendering as the neighbours write theirs.
    fn words(&self, from: &Outline, at: &Range<usize>) -> String {
        let slice = &from.text[at.clone()];
        // In a string that holds a language of its own, and outside of bash, all is as it is written.
        if self.there.reading.language != Language::Bash || self.is_string() || slice.contains('\n') {
            return self.said(&self.plain_option(slice).unwrap_or_else(|| slice.to_owned()));
        }
        let manner = Manner { quote: quotes(self.text(), self.body), ..self.manner(from) };
        let all = split(&from.text, at.start, at.end);
        let is_apart = self.quotes_variables_apart();
        let write = |w| Some(w).filter(|_| is_apart).and_then(|w| manner.apart(w));
        let written = all.iter().map(|w| write(w).unwrap_or_else(|| manner.write(&from.text, w)));
        let written: Vec<String> = written.collect();
        self.spelt(written.join(" "))
    }

    /// Whether most neighbours are written as `"${FOLDER}"/file`.
    fn quotes_variables_apart(&self) -> bool {
        let is_apart = |n: &&Node| {
            self.text()[n.at.clone()]
                .strip_prefix('"')
                .is_some_and(|rest| rest.find("}\"/") == rest.find('}'))
        };
        2 * self.body.nodes.iter().filter(is_apart).count() > self.body.nodes.len()
    }

    /// `-D X=Y` where the neighbours part it, `-DX=Y` where they don't.
    fn spelt(&self, option: String) -> String {
        let text = self.text();
        let mut own =
            self.body.nodes.iter().filter(|n| n.key.open.starts_with("-D")).map(|n| &text[n.at.clone()]);
        let Some(parted) = own.next().map(|first| first.starts_with("-D ")) else { return option };
        match (option.strip_prefix("-D "), option.strip_prefix("-D")) {
            (Some(rest), _) if !parted => format!("-D{rest}"),
            (None, Some(rest)) if parted => format!("-D {rest}"),
            _ => option,
        }
    }

    /// `"-DX=Y"` where the neighbours are such strings, in place of a call that makes one.
    fn plain_option(&self, text: &str) -> Option<String> {
        let all = || self.body.nodes.iter().map(|n| &self.text()[n.at.clone()]);
        if self.body.form != Form::Words || all().any(|t| t.starts_with("(lib.cmake")) {
            return None;
        }
        let option = nix::option(text.strip_prefix('(')?.strip_suffix(')')?)?;
        let is_plain = !option.contains(' ') && text.ends_with([')']) && text.contains("\" ");
        let is_text = text.ends_with("\")") || text.ends_with(" true)") || text.ends_with(" false)");
        (is_plain && is_text && all().any(|t| t.starts_with("\"-D"))).then(|| format!("\"{option}\""))
    }

    /// Whether the body is a string in quotes.
    fn is_string(&self) -> bool {
        self.body.form == Form::Words && self.text()[..self.body.inside.start].ends_with(['"', '\''])
            || self.body.nodes.is_empty() && self.text()[..self.body.inside.start].ends_with(['"', '\''])
            || self.in_string()
    }

    /// Whether it stands in one, behind a condition.
    fn in_string(&self) -> bool {
        let text = &self.text()[..self.body.inside.start];
        self.body.form == Form::Words
            && text.ends_with('(')
            && text[..text.len() - 1].trim_end().ends_with('?')
    }

    /// Statements of a rendering, with the values of variables that the text does not have.
    fn inlined(&self, from: &Outline, at: &Range<usize>) -> String {
        let mut text = from.text[at.clone()].to_owned();
        if self.there.reading.language != Language::Bash {
            return self.said(&text);
        }
        let manner = self.manner(from);
        for (name, value) in from.words.own().filter(|(name, _)| !self.there.words.has(name)) {
            for written in [format!("${{{name}}}"), format!("${name}")] {
                if text.contains(&written) {
                    text = text.replace(&written, &manner.inside(value));
                }
            }
        }
        text
    }

    /// One more level of indentation: the text's own, or the rendering's where it has none.
    fn step(&self, rendering: &str) -> &'static str {
        let own = self.text();
        let has_none = !own.contains("\n ") && self.there.reading.language == Language::Bash;
        if own.contains("\n\t") || has_none && rendering.contains("\n\t") { "\t" } else { "  " }
    }

    /// A text of a rendering, each line but the first with the indentation of the item that it becomes part of.
    fn indented(&self, from: &Outline, at: Range<usize>, theirs: usize, own: usize) -> String {
        let (theirs, own) = (indentation(&from.text, theirs), indentation(self.text(), own));
        let line = |line: &str| match line.strip_prefix(theirs) {
            Some(rest) => format!("{own}{rest}"),
            None => line.to_owned(),
        };
        let mut lines = from.text[at].split('\n');
        let first = lines.next().unwrap_or_default().to_owned();
        lines.fold(first, |all, next| format!("{all}\n{}", line(next)))
    }

    /// What stands before the name of an item that is bound by its whole path.
    fn path_of(from: &Outline, node: &Node) -> String {
        let head = from.text[node.at.clone()].split('=').next().unwrap_or_default();
        let name = node.key.written.split(" #").next().unwrap_or_default();
        let names: Vec<&str> = head.trim().split('.').collect();
        let above = names.iter().position(|n| *n == name).unwrap_or_default();
        names[..above].iter().map(|name| format!("{name}.")).collect()
    }

    /// Lines of a rendering at another indentation.
    fn lines(&self, from: &Outline, at: Range<usize>, node: &Node, indent: &str) -> String {
        let mut out = String::new();
        let own = indentation(&from.text, node.at.start);
        let head = &from.text[at.start.min(node.at.start)..node.at.start];
        let comments = if head.contains('#') { head } else { "" };
        for line in comments.lines().map(str::trim).filter(|l| !l.is_empty()) {
            out.push_str(&format!("{indent}{line}\n"));
        }
        let is_word = self.body.form != Form::Lines;
        let mut body = if is_word { self.words(from, &node.at) } else { self.inlined(from, &node.at) };
        if self.is_set() {
            body.replace_range(..Self::path_of(from, node).len(), &self.path());
        }
        let theirs = if self.there.reading.language == Language::Bash
            && from.text.contains("\n\t")
            && self.step(&from.text) == "  "
        {
            "  "
        } else {
            "\t"
        };
        for (i, line) in body.split('\n').enumerate() {
            let rest = if i == 0 { line } else { line.strip_prefix(own).unwrap_or(line) };
            let rest = if i > 0 && theirs == "  " {
                rest.replacen('\t', theirs, rest.len() - rest.trim_start_matches('\t').len())
            } else {
                rest.to_owned()
            };
            if rest.is_empty() && i > 0 {
                out.push('\n');
            } else {
                out.push_str(&format!("{indent}{rest}\n"));
            }
        }
        if self.body.form == Form::Commas {
            out.pop();
            out.push_str(",\n");
        }
        out
    }
}
