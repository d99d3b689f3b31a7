//! Steps of `sed` that a maintainer wrote in other words than the model. The pattern of such a step
//! is compared with the text that the model's step replaces.

use super::Work;
use crate::changes::Change;
use crate::find::anywhere;
use crate::place::Place;
use crate::sed_words::rewritten;
use crate::trial::common_ends;
use regex::Regex;
use rocpkg_syntax::{Node, NormalText, Outline};
use std::ops::Range;

impl Work<'_> {
    /// Sets the reason of the last conflict.
    pub(super) fn explain(&mut self, reason: impl Into<String>) {
        if let Some(conflict) = self.out.conflicts.last_mut() {
            conflict.reason = Some(reason.into());
        }
    }

    /// Adds a conflict for `after`, an item of the new rendering that replaces `before` and that
    /// was not written. A step of `sed` of the recipe may edit the text of both; then nothing is
    /// left to do.
    pub(super) fn not_replaced(&mut self, change: &Change, before: Option<&Node>, after: &Node) {
        let found = before.and_then(|before| self.find(&change.path, &before.key));
        let texts = before.and_then(|before| {
            let old = Sed::read(self.before, before)?.text()?;
            Some((old, Sed::read(self.after, after)?))
        });
        let own = texts.and_then(|(old, new)| {
            let all = steps(&self.existing.root.nodes).into_iter();
            let all = all.filter_map(|node| Some((node, Sed::read(self.existing, node)?)));
            let mut all = all.filter(|(_, own)| own.files == new.files && own.fits(&old));
            let (node, own) = all.next()?;
            Some((node, own, old, new.text()?))
        });
        let Some((node, own, old, text)) = own else {
            return self.add_conflict(change, before, Some(after), found.map(|(_, node)| node));
        };
        if text == old {
            return self.add_conflict(change, before, Some(after), Some(node));
        }
        if own.fits(&text) {
            return;
        }
        if let Some((at, new)) = own.moved(self.existing, node, &old, &text) {
            self.edits.replace(at, new);
        } else {
            self.add_conflict(change, before, Some(after), Some(node));
            let script = own.script;
            let reason = format!("`{script}` does not match `{text}`, the text at this release");
            self.explain(reason);
        }
    }

    /// Writes the change of a step of `sed` from `before` to `after` into `own`, a step of the
    /// existing recipe that means the same as `before`.
    pub(super) fn rewrite(&mut self, change: &Change, own: &Node, before: &Node, after: &Node) {
        let renderings = ((self.before, before), (self.after, after));
        match rewritten((self.existing, own), renderings.0, renderings.1) {
            Some(all) => all
                .into_iter()
                .for_each(|(at, text)| self.edits.replace(at, text)),
            None => self.not_replaced(change, Some(before), after),
        }
    }

    /// Removes the step of `sed` that means the same as `old`, in other words.
    pub(super) fn remove_sed(&mut self, path: &[&NormalText], old: &Node) {
        let stays = !anywhere(self.after, path, &old.key).is_empty();
        if let Some((body, node)) = self.sed_once(path, old).filter(|_| !stays) {
            let existing = self.existing;
            Place { existing, body }.remove(node, &mut self.edits);
        }
    }
}

/// Returns the steps of `sed` in the functions of a recipe.
fn steps(nodes: &[Node]) -> Vec<&Node> {
    let mut all = Vec::new();
    for node in nodes {
        if node.key.open.starts_with("sed ") {
            all.push(node);
        }
        all.extend(steps(node.nodes()));
    }
    all
}

/// A command of `sed` with one script.
struct Sed {
    script: String,
    /// Set if the script has extended regular expressions.
    is_extended: bool,
    files: Vec<String>,
}

impl Sed {
    /// Reads a step. Returns none if it is no command of `sed`, or if it has several scripts.
    fn read(recipe: &Outline, step: &Node) -> Option<Self> {
        let words = recipe.expanded(&step.at);
        let mut words = words.iter().map(String::as_str);
        words.next().filter(|word| *word == "sed")?;
        let (mut scripts, mut plain) = (Vec::new(), Vec::new());
        let mut is_extended = false;
        while let Some(word) = words.next() {
            match word {
                "||" | "&&" | "|" | ";" => break,
                "-e" | "--expression" => scripts.push(words.next()?.to_owned()),
                "-E" | "-r" | "--regexp-extended" => is_extended = true,
                _ if word.starts_with('-') => {}
                _ => plain.push(word.to_owned()),
            }
        }
        if scripts.is_empty() && !plain.is_empty() {
            scripts.push(plain.remove(0));
        }
        (scripts.len() == 1).then(|| Self {
            script: scripts.remove(0),
            is_extended,
            files: plain,
        })
    }

    /// Returns the regular expression of the script: that of its address, or of `s`.
    fn pattern(&self) -> Option<String> {
        let script = self.script.trim_start();
        let rest = script.strip_prefix('s').or_else(|| {
            let own = script.strip_prefix('\\');
            own.or(Some(script).filter(|script| script.starts_with('/')))
        })?;
        let mut chars = rest.chars();
        let end = chars.next()?;
        let mut out = String::new();
        while let Some(c) = chars.next() {
            match c {
                _ if c == end => return Some(out),
                '\\' => match chars.next()? {
                    next if next == end => out.push(end),
                    next => out.extend(['\\', next]),
                },
                _ => out.push(c),
            }
        }
        None
    }

    /// Returns the text that the script edits, if its pattern stands for this text only.
    fn text(&self) -> Option<String> {
        let pattern = self.pattern().filter(|_| !self.is_extended)?;
        let mut out = String::new();
        let mut chars = pattern.chars();
        while let Some(c) = chars.next() {
            match c {
                '\\' => out.extend(chars.next().filter(char::is_ascii_punctuation)),
                '.' | '*' | '[' | '^' | '$' => return None,
                _ => out.push(c),
            }
        }
        Some(out).filter(|text| !text.is_empty())
    }

    /// Returns the bytes of the pattern in `step`, this command in the existing recipe, and the
    /// pattern after the text that it edits changed from `old` to `new`. Returns none if the
    /// pattern stands for more than one text, or if the new one needs other signs.
    fn moved(
        &self,
        recipe: &Outline,
        step: &Node,
        old: &str,
        new: &str,
    ) -> Option<(Range<usize>, String)> {
        let own = self.text()?;
        let at = old.find(&own)?;
        let (head, tail) = common_ends(old, new);
        let (start, end) = (head.checked_sub(at)?, (old.len() - tail).checked_sub(at)?);
        let put = &new[head..new.len() - tail];
        let is_plain = |c: char| c.is_ascii_alphanumeric() || " _-()".contains(c);
        let moved = format!("{}{put}{}", own.get(..start)?, own.get(end..)?);
        let written = &recipe.text[step.at.clone()];
        let mut all = written
            .match_indices(&own)
            .filter(|_| put.chars().all(is_plain));
        let (place, None) = (all.next()?.0 + step.at.start, all.next()) else {
            return None;
        };
        Some((place..place + own.len(), moved))
    }

    /// Returns true if the pattern matches a part of `text`.
    fn fits(&self, text: &str) -> bool {
        let pattern = self.pattern().and_then(|own| rust(&own, self.is_extended));
        pattern.is_some_and(|pattern| pattern.is_match(text))
    }
}

/// Returns a regular expression of POSIX in the syntax of Rust. In a basic one, `\(` begins a group
/// and `(` stands for itself; in an extended one, it is the other way round.
fn rust(pattern: &str, is_extended: bool) -> Option<Regex> {
    let mut out = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                next if "(){}|+?".contains(next) && !is_extended => out.push(next),
                '<' | '>' | 'b' => out.push_str("\\b"),
                next if next.is_ascii_punctuation() => out.extend(['\\', next]),
                next if "swn".contains(next) => out.extend(['\\', next]),
                _ => return None,
            },
            '(' | ')' | '{' | '}' | '|' | '+' | '?' if !is_extended => out.extend(['\\', c]),
            '*' if out.is_empty() => out.push_str("\\*"),
            _ => out.push(c),
        }
    }
    Regex::new(&out).ok()
}
