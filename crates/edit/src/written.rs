//! The form in which an item of a rendering is written into the existing recipe: in the style of
//! its neighbours.

use crate::edits::{Edits, indentation};
use crate::place::Place;
use crate::style::Style;
use crate::variables::{contracted, held_by, holder, reference};
use rocpkg_syntax::NormalText;
use rocpkg_syntax::nix;
use rocpkg_syntax::quotes;
use rocpkg_syntax::repository;
use rocpkg_syntax::words::{Piece, Quote, Word, split};
use rocpkg_syntax::{Form, Language, List, Node, Outline};
use std::collections::BTreeMap;
use std::ops::Range;

/// Returns true if a statement of bash begins with an assignment: `CXXFLAGS+=" -O3"`.
fn is_assignment(statement: &str) -> bool {
    let Some((name, _)) = statement.split_once('=') else {
        return false;
    };
    let name = name.trim_end_matches('+');
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

impl Place<'_> {
    /// Replaces the value of the existing item `node` by the value of `new`, an item of the
    /// rendering `from`. The whole item is replaced if one of the two has no separate value: an
    /// option without `=`, for instance.
    pub(crate) fn value(&self, node: &Node, from: &Outline, new: &Node, edits: &mut Edits) {
        let is_bash = self.existing.reading.language == Language::Bash;
        let whole = node.value_at == node.at || is_bash && new.value_at == new.at;
        let at = if whole { &node.at } else { &node.value_at };
        edits.replace(at.clone(), self.valued(node, from, new, whole));
    }

    fn valued(&self, node: &Node, from: &Outline, new: &Node, whole: bool) -> String {
        let source = if whole { &new.at } else { &new.value_at };
        if self.existing.reading.language != Language::Bash {
            let written = self.indented(from, source.clone(), new.at.start, node.at.start);
            return match self.existing.reading.language {
                Language::Yaml if !whole => requoted(&written, &self.text()[node.value_at.clone()]),
                _ => self.said(&written),
            };
        }
        if whole {
            return self.element(node, from, new);
        }
        let all = split(&from.text, source.start, source.end);
        all.iter()
            .map(|w| self.valued_as(node, from, w))
            .collect::<Vec<_>>()
            .join(" ")
    }

    /// Returns `word`, a word of the rendering `from`, in the quotes that the value of the existing
    /// item `node` has.
    pub(crate) fn valued_as(&self, node: &Node, from: &Outline, word: &Word) -> String {
        let old = split(self.text(), node.value_at.start, node.value_at.end);
        let quote = old.first().map(|w| w.quote);
        Style {
            quote,
            ..self.style(from)
        }
        .write(&from.text, word)
    }

    /// Returns the item at `at` of the rendering `from`: a statement as it is, or words in the
    /// quotes of the neighbours.
    pub(crate) fn statement(&self, from: &Outline, at: &Range<usize>) -> String {
        if self.has_statements() {
            self.inlined(from, at)
        } else {
            self.words(from, at)
        }
    }

    /// Returns the words of `new`, an item of the rendering `from`, in the form of the existing
    /// item `old` that it replaces. A source keeps the form of its address: a variable that holds
    /// the repository, and `/archive/TAG` for `/archive/refs/tags/TAG`.
    pub(crate) fn element(&self, old: &Node, from: &Outline, new: &Node) -> String {
        if let (Some(was), Some(is)) = (Element::of(self.existing, old), Element::of(from, new)) {
            return is.as_before(&was);
        }
        let all = split(&from.text, new.at.start, new.at.end);
        let ([word], Some(repository), Some(List::Sources)) =
            (all.as_slice(), repository(&new.value.real), self.body.list)
        else {
            // The words of an assignment are no words of a command.
            return if self.has_statements() && is_assignment(&from.text[new.at.clone()]) {
                self.inlined(from, &new.at)
            } else {
                self.words(from, &new.at)
            };
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
        let name = holder(self.existing, old, repository);
        if let Some(name) = name.filter(|name| held_by(self.existing, name) == repository) {
            word.pieces = contracted(&word.pieces, repository, &name);
            word.quote = Quote::Double;
        }
        let style = Style {
            quote: quotes(self.text(), self.body),
            ..self.style(from)
        };
        style.write(&from.text, &word)
    }

    fn style<'m>(&'m self, from: &'m Outline) -> Style<'m> {
        let bare_variables = !self.text().contains("${") || {
            let braced = self.text().matches("${").count();
            self.text().matches('$').count() > 2 * braced
        };
        Style {
            quote: None,
            bare_variables,
            existing: &self.existing.words,
            here: &from.words,
        }
    }

    /// Returns the words at `at` in the rendering `from`, in the quotes of the neighbours.
    /// Variables that the existing recipe lacks are replaced by their values.
    pub(crate) fn words(&self, from: &Outline, at: &Range<usize>) -> String {
        let slice = &from.text[at.clone()];
        // The contents of strings, and texts in Nix and YAML, are returned in the quotes that they
        // have.
        if self.existing.reading.language != Language::Bash
            || self.is_string()
            || slice.contains('\n')
        {
            let option = self.plain_option(slice);
            let text = option.unwrap_or_else(|| self.existing.words.renamed(slice));
            return self.spelt(self.said(&text));
        }
        let style = Style {
            quote: quotes(self.text(), self.body),
            ..self.style(from)
        };
        let all = split(&from.text, at.start, at.end);
        let is_apart = self.quotes_variables_apart();
        let write = |w| Some(w).filter(|_| is_apart).and_then(|w| style.apart(w));
        let written = all
            .iter()
            .map(|w| write(w).unwrap_or_else(|| style.write(&from.text, w)));
        let written: Vec<String> = written.collect();
        self.spelt(written.join(" "))
    }

    /// Returns true if most neighbours are written as `"${FOLDER}"/file`.
    fn quotes_variables_apart(&self) -> bool {
        let is_apart = |n: &&Node| {
            self.text()[n.at.clone()]
                .strip_prefix('"')
                .is_some_and(|rest| rest.find("}\"/") == rest.find('}'))
        };
        2 * self.body.nodes.iter().filter(is_apart).count() > self.body.nodes.len()
    }

    /// Returns an option as `-D X=Y` if the first option among the neighbours has a blank, and as
    /// `-DX=Y` if it has none. Without such a neighbour, returns the option as it is.
    fn spelt(&self, option: String) -> String {
        let text = self.text();
        let mut own = self
            .body
            .nodes
            .iter()
            .filter(|n| n.key.open.starts_with("-D"))
            .map(|n| &text[n.at.clone()]);
        let Some(parted) = own.next().map(|first| first.starts_with("-D ")) else {
            return option;
        };
        match (option.strip_prefix("-D "), option.strip_prefix("-D")) {
            (Some(rest), _) if !parted => format!("-D{rest}"),
            (None, Some(rest)) if parted => format!("-D {rest}"),
            _ => option,
        }
    }

    /// Returns the plain string for a call that makes an option of CMake, if the neighbours are
    /// plain strings: `(lib.cmakeBool "X" true)` → `"-DX=ON"`. Returns none otherwise.
    fn plain_option(&self, text: &str) -> Option<String> {
        let all = || self.body.nodes.iter().map(|n| &self.text()[n.at.clone()]);
        if self.body.form != Form::Words || all().any(|t| t.starts_with("(lib.cmake")) {
            return None;
        }
        let option = nix::option(text.strip_prefix('(')?.strip_suffix(')')?)?;
        let is_plain = !option.contains(' ') && text.ends_with([')']) && text.contains("\" ");
        let is_text =
            text.ends_with("\")") || text.ends_with(" true)") || text.ends_with(" false)");
        (is_plain && is_text && all().any(|t| t.starts_with("\"-D")))
            .then(|| format!("\"{option}\""))
    }

    /// Returns true if the body is the inside of a string in quotes.
    pub(crate) fn is_string(&self) -> bool {
        self.body.form == Form::Words
            && self.text()[..self.body.inside.start].ends_with(['"', '\''])
            || self.body.nodes.is_empty()
                && self.text()[..self.body.inside.start].ends_with(['"', '\''])
            || self.in_string()
    }

    /// Returns true if the body is a group of the string behind a condition: `flag? ( … )`.
    fn in_string(&self) -> bool {
        let text = &self.text()[..self.body.inside.start];
        self.body.form == Form::Words
            && text.ends_with('(')
            && text[..text.len() - 1].trim_end().ends_with('?')
    }

    /// Returns the statements at `at` in the rendering `from`. Variables that the existing recipe
    /// does not have, or has with another meaning, are replaced by their values.
    fn inlined(&self, from: &Outline, at: &Range<usize>) -> String {
        let text = &from.text[at.clone()];
        if self.existing.reading.language != Language::Bash {
            return self.said(text);
        }
        let style = self.style(from);
        let own: BTreeMap<&str, &[Piece]> = from.words.own().collect();
        let version = self.existing.words.version();
        let release = self
            .existing
            .words
            .stand_in()
            .map(|own| Piece::Variable(own.to_owned()));
        let mut parts = text.split('$');
        let mut out = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let bare = part.strip_prefix('{').unwrap_or(part);
            let name = reference(part);
            let rest = match &bare[name.len()..] {
                _ if out.ends_with('\\') || self.existing.words.means(name) => None,
                rest if bare.len() == part.len() => Some(rest),
                rest => rest.strip_prefix('}'),
            };
            let value = match &release {
                Some(own) if name == version => Some(std::slice::from_ref(own)),
                _ => own.get(name).copied(),
            };
            match rest.zip(value) {
                Some((rest, value)) => out.extend([&*style.inside(value), rest]),
                None => out.extend(["$", part]),
            }
        }
        out
    }

    /// Returns the blanks for one more level of indentation. It is the existing recipe's, or the
    /// rendering's if the existing recipe has no indented line.
    pub(crate) fn step(&self, rendering: &str) -> &'static str {
        let own = self.text();
        let has_none = !own.contains("\n ") && self.existing.reading.language == Language::Bash;
        if own.contains("\n\t") || has_none && rendering.contains("\n\t") {
            "\t"
        } else {
            "  "
        }
    }

    /// Returns the text at `at` in the rendering `from`. In each line but the first, the
    /// indentation of the rendering's item, which begins at `theirs`, is replaced by that of the
    /// existing item, which begins at `own`.
    fn indented(&self, from: &Outline, at: Range<usize>, theirs: usize, own: usize) -> String {
        let (theirs, own) = (
            indentation(&from.text, theirs),
            indentation(self.text(), own),
        );
        let line = |line: &str| match line.strip_prefix(theirs) {
            Some(rest) => format!("{own}{rest}"),
            None => line.to_owned(),
        };
        let mut lines = from.text[at].split('\n');
        let first = lines.next().unwrap_or_default().to_owned();
        lines.fold(first, |all, next| format!("{all}\n{}", line(next)))
    }

    /// Returns the path that is written before the name of an item of the rendering `from`: `env.`
    /// for `env.A = 1;`. Returns an empty text for an item without a path.
    fn path_of(from: &Outline, node: &Node) -> String {
        let head = from.text[node.at.clone()]
            .split('=')
            .next()
            .unwrap_or_default();
        let name = NormalText::base(&node.key.written);
        let names: Vec<&str> = head.trim().split('.').collect();
        let above = names.iter().position(|n| *n == name).unwrap_or_default();
        names[..above]
            .iter()
            .map(|name| format!("{name}."))
            .collect()
    }

    /// Returns the item `node` of the rendering `from` on lines of its own, in the style of the
    /// neighbours and with the indentation `indent`. If comments are directly above the item, `at`
    /// begins with them, and they are returned too.
    pub(crate) fn lines(
        &self,
        from: &Outline,
        at: Range<usize>,
        node: &Node,
        indent: &str,
    ) -> String {
        let mut out = String::new();
        let own = indentation(&from.text, node.at.start);
        let head = &from.text[at.start.min(node.at.start)..node.at.start];
        let comments = if head.contains('#') { head } else { "" };
        for line in comments.lines().map(str::trim).filter(|l| !l.is_empty()) {
            out.push_str(&format!("{indent}{line}\n"));
        }
        let is_word = self.body.form != Form::Lines;
        let mut body = if is_word {
            self.words(from, &node.at)
        } else {
            self.inlined(from, &node.at)
        };
        if self.is_set() {
            body.replace_range(..Self::path_of(from, node).len(), &self.path());
        }
        if let (Some(own), Some(new)) = (self.usual_element(), Element::of(from, node)) {
            body = new.quoted_as(&own);
        }
        let theirs = if self.existing.reading.language == Language::Bash
            && from.text.contains("\n\t")
            && self.step(&from.text) == "  "
        {
            "  "
        } else {
            "\t"
        };
        for (i, line) in body.split('\n').enumerate() {
            let rest = if i == 0 {
                line
            } else {
                line.strip_prefix(own).unwrap_or(line)
            };
            let rest = if i > 0 && theirs == "  " {
                rest.replacen(
                    '\t',
                    theirs,
                    rest.len() - rest.trim_start_matches('\t').len(),
                )
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

/// An element of a YAML list on one line, such as `- 'ADDRESS' : SUM`.
struct Element<'t> {
    /// The hyphen with the blanks after it.
    dash: &'t str,
    key: &'t str,
    /// The colon with its blanks; empty if the element has no value.
    colon: &'t str,
    value: &'t str,
}

impl<'t> Element<'t> {
    /// Reads an item. Returns none if the item is not an element of a YAML list on one line.
    fn of(outline: &'t Outline, node: &Node) -> Option<Self> {
        let text = &outline.text[node.at.clone()];
        let is_plain = node.body.is_none() && !text.contains('\n');
        if outline.reading.language != Language::Yaml || !is_plain {
            return None;
        }
        let behind = text.strip_prefix('-')?.trim_start();
        let (dash, rest) = text.split_at(text.len() - behind.len());
        if node.value_at == node.at {
            let (key, colon, value) = (rest, "", "");
            return Some(Self {
                dash,
                key,
                colon,
                value,
            });
        }
        let at = node
            .value_at
            .start
            .checked_sub(node.at.start + dash.len())?;
        let (head, value) = rest.split_at_checked(at)?;
        let key = head.trim_end().strip_suffix(':')?.trim_end();
        let colon = &head[key.len()..];
        Some(Self {
            dash,
            key,
            colon,
            value,
        })
    }

    /// Returns the element `self` with the quotes and the blanks of `old`, the element that it
    /// replaces.
    fn as_before(&self, old: &Element) -> String {
        let colon = if old.colon.is_empty() || self.colon.is_empty() {
            self.colon
        } else {
            old.colon
        };
        let (key, value) = (requoted(self.key, old.key), requoted(self.value, old.value));
        format!("{}{key}{colon}{value}", old.dash)
    }

    /// Returns the element `self` with the quotes of `old`, and with its own blanks.
    fn quoted_as(&self, old: &Element) -> String {
        let (key, value) = (requoted(self.key, old.key), requoted(self.value, old.value));
        format!("{}{key}{}{value}", self.dash, self.colon)
    }
}

impl Place<'_> {
    /// Returns an element of the list that has the same quotes as more than half of the elements.
    /// Returns none if no quotes have a majority.
    fn usual_element(&self) -> Option<Element<'_>> {
        let all = self.body.nodes.iter();
        let mut all: Vec<Element> = all.filter_map(|n| Element::of(self.existing, n)).collect();
        let quotes = |e: &Element| [quote_of(e.key), quote_of(e.value)];
        let count = |e: &Element| all.iter().filter(|o| quotes(o) == quotes(e)).count();
        let at = all.iter().position(|e| 2 * count(e) > all.len())?;
        Some(all.swap_remove(at))
    }
}

/// Returns the quote that a scalar of YAML is in; none for a plain scalar.
fn quote_of(text: &str) -> Option<char> {
    let quote = text.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    (text.len() > 1 && text.ends_with(quote)).then_some(quote)
}

/// Returns the scalar `new` of YAML in the quotes of `old`, the scalar that it replaces. Returns
/// `new` as it is if `old` has no quotes, or if `new` would need escapes in them.
fn requoted(new: &str, old: &str) -> String {
    let text = quote_of(new).map_or(new, |_| &new[1..new.len() - 1]);
    match quote_of(old) {
        Some(quote)
            if !new.is_empty() && !new.contains('\n') && !text.contains(['"', '\'', '\\']) =>
        {
            format!("{quote}{text}{quote}")
        }
        _ => new.to_owned(),
    }
}
