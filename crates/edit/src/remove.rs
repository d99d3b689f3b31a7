//! Removal of a patch from a recipe.

use crate::merge_result::MergeResult;
use crate::merge3::lost_comments;
use crate::review::take;
use crate::settle::Checks;
use rocpkg_syntax::{Body, Form, Language, List, Node, NormalText, Outline, Reading, nix};
use std::collections::BTreeSet;

/// The commands that apply a patch everywhere. A distribution's own are in
/// [`rocpkg_syntax::Rules::apply`].
const APPLY: [&[&str]; 3] = [&["patch"], &["git", "apply"], &["git", "am"]];

/// Returns the recipe `existing` without a patch: the elements of lists that are one of `names`,
/// the checksums of these elements, and the steps that only apply the patch. A list, condition or
/// phase that contains nothing else is removed too. Removed comments are in the result's conflicts.
///
/// A name is the name of a file, or an address. The items' variables are replaced by their values
/// before they are compared. Returns none if something else than a comment would still contain a
/// name, if an item contains a name in another way, or if the recipe would contradict itself.
pub fn remove(existing: &Outline, names: &BTreeSet<String>, checks: Checks) -> Option<MergeResult> {
    let mut removal = Removal {
        text: &existing.text,
        reading: &existing.reading,
        names,
        sources: BTreeSet::new(),
        has_step: false,
    };
    let has_sources = removal.find_sources(&existing.root);
    let mut rest = existing.clone();
    rest.root.nodes = removal.kept(&existing.root, &[])?;
    if has_sources {
        // The recipe may refer to a source by its number. Those before the patch keep theirs.
        let first = removal.first_source(&existing.root).unwrap_or_default();
        let mut counted = existing.text.match_indices("source[");
        let is_counted = counted.any(|(at, found)| {
            let behind = &existing.text[at + found.len()..];
            let end = behind.find(']').unwrap_or(behind.len());
            let number = behind[..end].parse::<usize>();
            !matches!(&behind[..end], "@" | "*") && number.map_or(true, |n| n >= first)
        });
        let is_in_loop = existing.text.contains("${source[@]}");
        let is_used = removal.has_step || is_in_loop;
        if removal.sources.is_empty() || is_counted || !is_used {
            return None;
        }
    }
    let made = take(existing, &rest, |_| true, Checks::NONE);
    let text = without_unused_fetchers(&made, existing)?;
    let mut lines = text.lines().filter(|line| !is_comment(line));
    let is_left = lines.any(|line| names.iter().any(|name| contains(line, name)));
    let next = existing.reading.read(&text).ok()?;
    let is_done = text != existing.text
        && !is_left
        && !removal.is_in(&next.root)
        && checks.faults(&text).is_empty();
    let conflicts = lost_comments(existing, "", &text);
    is_done.then_some(MergeResult { text, conflicts })
}

/// Removes arguments of a Nix expression that fetch patches, if `existing` uses them and `made`,
/// the same recipe without some patches, does not. Returns none if one of the edits has conflicts.
fn without_unused_fetchers(made: &MergeResult, existing: &Outline) -> Option<String> {
    let is_unused = |argument: &Node| {
        let name = argument.key.open.as_str();
        existing.reading.rules.fetchers.contains(&name)
            && nix::is_used(&existing.text, name)
            && !nix::is_used(&made.text, name)
    };
    let next = existing.reading.read(&made.text).ok()?;
    let mut rest = next.clone();
    for node in &mut rest.root.nodes {
        if let Some(arguments) = node
            .body
            .as_mut()
            .filter(|_| node.key.open == nix::ARGUMENTS)
        {
            arguments.nodes.retain(|argument| !is_unused(argument));
        }
    }
    let last = take(&next, &rest, |_| true, Checks::NONE);
    let is_whole = made.conflicts.is_empty() && last.conflicts.is_empty();
    is_whole.then_some(last.text)
}

fn is_comment(line: &str) -> bool {
    line.trim_start().starts_with('#')
}

struct Removal<'a> {
    text: &'a str,
    reading: &'a Reading,
    names: &'a BTreeSet<String>,
    /// The keys of the sources that are the patch. A checksum has the key of its source.
    sources: BTreeSet<String>,
    /// Set if a step that applies the patch was removed.
    has_step: bool,
}

impl Removal<'_> {
    /// Finds the sources that are the patch. Returns true if the recipe has a list of sources.
    fn find_sources(&mut self, body: &Body) -> bool {
        let mut has_sources = body.list == Some(List::Sources);
        for node in &body.nodes {
            if body.list == Some(List::Sources) && self.is_named(node) {
                self.sources.insert(node.key.open.clone());
            }
            if let Some(inner) = &node.body {
                has_sources |= self.find_sources(inner);
            }
        }
        has_sources
    }

    /// Returns the least index that the patch has in a list of sources, from 0.
    fn first_source(&self, body: &Body) -> Option<usize> {
        let is_patch = |node: &Node| self.sources.contains(&node.key.open);
        let own = match body.list {
            Some(List::Sources) => body.nodes.iter().position(is_patch),
            _ => None,
        };
        let inner = body.nodes.iter().filter_map(|node| node.body.as_ref());
        let inner = inner.filter_map(|inner| self.first_source(inner));
        own.into_iter().chain(inner).min()
    }

    /// Returns the items of `body` without the patch. `around` are the items that contain the body,
    /// the outermost first. Returns none if an item can't be removed.
    fn kept(&mut self, body: &Body, around: &[&Node]) -> Option<Vec<Node>> {
        let mut out = Vec::new();
        for node in &body.nodes {
            if body.list == Some(List::Sums) && self.sources.contains(&node.key.open) {
                continue;
            }
            if self.is_named(node) {
                let is_step = self.applies(node);
                if !is_step && !self.is_element(node, body, around) {
                    return None;
                }
                self.has_step |= is_step;
                continue;
            }
            let Some(inner) = &node.body else {
                out.push(node.clone());
                continue;
            };
            let nodes = self.kept(inner, &[around, &[node]].concat())?;
            if nodes.len() < inner.nodes.len() && self.goes(node, inner, &nodes)? {
                continue;
            }
            let body = Body {
                nodes,
                ..inner.clone()
            };
            out.push(Node {
                body: Some(body),
                ..node.clone()
            });
        }
        Some(out)
    }

    /// Returns true if `node` is removed as well, after items of its body `inner` were removed.
    /// `rest` are the items that are left in it. Returns none if neither is possible.
    fn goes(&self, node: &Node, inner: &Body, rest: &[Node]) -> Option<bool> {
        let name = node.key.open.as_str();
        if inner.form != Form::Lines || self.reading.language != Language::Bash {
            return Some(rest.is_empty());
        }
        // The edit removes a body that only changes its folder.
        let is_idle = rest.iter().all(is_change_of_folder);
        if name.ends_with("()") {
            return match (self.reading.rules.phases.contains(&name), is_idle) {
                (true, _) => Some(is_idle),
                (false, true) => None,
                (false, false) => Some(false),
            };
        }
        // A condition may go, but none of its branches alone, and no loop.
        let is_branch = |step: &Node| {
            let text = &self.text[step.at.clone()];
            text.starts_with("else") || text.starts_with("elif")
        };
        let is_condition = self.text[node.at.clone()].starts_with("if ");
        let is_empty = rest.iter().all(is_branch);
        match (is_condition, is_empty, rest.is_empty()) {
            (true, false, _) => (!is_idle).then_some(false),
            (true, true, true) if self.is_alone(node) => Some(true),
            _ => None,
        }
    }

    /// Returns true if an item is the patch: the name of a file, an address, a command, or a call
    /// such as `fetchpatch { … }` with the address.
    fn is_named(&self, node: &Node) -> bool {
        match &node.body {
            None => {
                let texts = [&node.key.real, &node.value.real];
                let has = |name: &String| texts.iter().any(|text| contains(text, name));
                self.names.iter().any(has)
            }
            Some(body) => body.get("url").is_some_and(|url| self.is_named(url)),
        }
    }

    /// Returns true if `node` is an element of `body`, and that is a list of patches or sources.
    fn is_element(&self, node: &Node, body: &Body, around: &[&Node]) -> bool {
        let is_patches = |node: &&Node| node.key.open.to_ascii_lowercase().contains("patches");
        match self.reading.language {
            Language::Bash => {
                let is_list = around.last().is_some_and(is_patches);
                body.list == Some(List::Sources) || body.form == Form::Words && is_list
            }
            // An element with blanks is a call that makes a list, or one of two branches.
            Language::Nix => {
                let list = around.iter().find(|node| node.key.open == "patches");
                let list = list.map(|node| &self.text[node.at.clone()]);
                let is_call = node.body.is_some();
                let is_bare = !self.text[node.at.clone()].contains(char::is_whitespace);
                let is_list = list.is_some_and(|text| !text.contains(" then "));
                body.form == Form::Words && is_list && (is_call || is_bare)
            }
            Language::Yaml => false,
        }
    }

    /// Returns true if an item is a command that applies one patch in the current folder, and does
    /// nothing else.
    fn applies(&self, node: &Node) -> bool {
        let text = self.text[node.at.clone()].replace("\\\n", " ");
        let words: Vec<&str> = text.split_whitespace().collect();
        let words = match words.as_slice() {
            ["use", _, "&&", rest @ ..] => rest,
            all => all,
        };
        let own = self.reading.rules.apply.iter();
        let own = own.map(std::slice::from_ref);
        let mut known = APPLY.into_iter().chain(own);
        let Some(words) = known.find_map(|command| words.strip_prefix(command)) else {
            return false;
        };
        let end = words.iter().position(|word| *word == "||");
        let (own, behind) = words.split_at(end.unwrap_or(words.len()));
        // Behind the command, only its failure may be handled.
        let fails = |word: &&str| matches!(*word, "die" | "exit" | "return");
        let is_end = behind.is_empty() || behind.get(1).is_some_and(fails);
        let is_joined = |word: &&str| {
            let bare = word.replace("${", "");
            matches!(*word, "&&" | "&") || bare.contains([';', '|', '`', '(', '{'])
        };
        let mut rest = own.iter().chain(behind.iter().skip(1));
        let files = own.iter().filter(|word| !is_plain_option(word)).count();
        let is_free = self.is_alone(node) && !self.may_be_inside(node);
        is_end && files == 1 && !rest.any(is_joined) && is_free
    }

    /// Returns true if nothing else than a comment is on the lines of an item.
    fn is_alone(&self, node: &Node) -> bool {
        let before = self.text[..node.at.start].rsplit('\n').next();
        let behind = self.text[node.at.end..].split('\n').next();
        let is_free = |text: &str| text.trim().is_empty() || is_comment(text);
        before.is_none_or(|text| text.trim().is_empty()) && behind.is_none_or(is_free)
    }

    /// Returns true if a step of a `package.yml` may be in a condition or loop: a line that begins
    /// one is less indented. The lines of its scripts are read one by one, and no branch may become
    /// empty.
    fn may_be_inside(&self, node: &Node) -> bool {
        let before = self.text[..node.at.start].rsplit('\n').next();
        let indent = before.unwrap_or_default().len();
        let begins = |line: &str| {
            let word = line.split_whitespace().next().unwrap_or_default();
            let is_outer = line.len() - line.trim_start().len() < indent;
            is_outer && matches!(word, "if" | "for" | "while" | "case")
        };
        self.reading.language == Language::Yaml && self.text.lines().any(begins)
    }

    /// Returns true if an item of `body` contains a name.
    fn is_in(&self, body: &Body) -> bool {
        let inside = |node: &Node| node.body.as_ref().is_some_and(|body| self.is_in(body));
        body.nodes
            .iter()
            .any(|node| self.is_named(node) || inside(node))
    }
}

fn is_change_of_folder(step: &Node) -> bool {
    let command = NormalText::base(&step.key.open).split_whitespace().next();
    step.body.is_none() && matches!(command, Some("cd" | "pushd" | "popd"))
}

/// Returns true for an option of a command that applies a patch, if the option changes neither the
/// folder nor the direction.
fn is_plain_option(word: &str) -> bool {
    let short = word.strip_prefix('-').unwrap_or_default();
    let is_short = !short.is_empty() && short.chars().all(|c| "NpEstufiF0123456789".contains(c));
    is_short || matches!(word, "<" | "--forward" | "--verbose" | "--quiet")
}

/// Returns true if `text` contains `name`, and no letter, digit, dot or dash is beside it.
fn contains(text: &str, name: &str) -> bool {
    let is_part = |c: char| c.is_alphanumeric() || "._-".contains(c);
    text.match_indices(name).any(|(at, _)| {
        let end = at + name.len();
        !text[..at].ends_with(is_part) && !text[end..].starts_with(is_part)
    })
}
