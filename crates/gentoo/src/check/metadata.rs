//! E0870: values of variables that Portage refuses, each parsed by its grammar (PMS 7 and 8).
//!
//! Portage parses dependencies with [`DepSpec`], `REQUIRED_USE` with [`RequiredUse`], and reads
//! `LICENSE`, `PROPERTIES` and `RESTRICT` as groups of any words.

use super::flags::{flags, has, open_reason, reaching};
use super::recipe::Recipe;
use super::spec::tokens;
use rocpkg_bash::evaluate::{Part, Value};
use rocpkg_pms::{Atom, DepSpec, Node, RequiredUse, Slot, SlotOperator, SrcUriSpec};
use rocpkg_pms::{SyntaxError, use_reduce};
use rocpkg_syntax::{Checked, Fault};
use std::fmt::Display;
use std::ops::Range;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Grammar {
    Depends,
    Required,
    /// Groups of words that Portage does not check.
    Words,
    Sources,
    Slot,
    Keywords,
}

/// The variables that Portage parses, each with its grammar.
const VARIABLES: &[(&str, Grammar)] = &[
    ("DEPEND", Grammar::Depends),
    ("RDEPEND", Grammar::Depends),
    ("BDEPEND", Grammar::Depends),
    ("IDEPEND", Grammar::Depends),
    ("PDEPEND", Grammar::Depends),
    ("REQUIRED_USE", Grammar::Required),
    ("LICENSE", Grammar::Words),
    ("PROPERTIES", Grammar::Words),
    ("RESTRICT", Grammar::Words),
    ("SRC_URI", Grammar::Sources),
    ("SLOT", Grammar::Slot),
    ("KEYWORDS", Grammar::Keywords),
];

/// A word of a value that is refused.
struct Wrong {
    word: String,
    reason: String,
}

/// The flags of conditions and the leaves of `REQUIRED_USE` that a value names.
type Named = Vec<String>;

/// The character that stands for an unknown part of whole words.
const WHOLE: char = '\u{1}';

/// The character that stands for any other unknown part.
const ANY: char = '\u{2}';

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let mut named = Vec::new();
    for (name, grammar) in VARIABLES {
        let is_set = recipe.script.sets.iter().any(|set| set.name == *name);
        // Functions of eclasses add to variables that the ebuild does not set.
        let is_read = recipe.eapi().is_none_or(|eapi| eapi >= since(name));
        if !is_set || !is_read {
            continue;
        }
        let value = recipe.value(name).unwrap_or_default();
        let text = with_holes(&value);
        let wrong = match grammar {
            Grammar::Slot => slot(&text),
            Grammar::Keywords => keywords(&text),
            // The language differs in older versions.
            _ if recipe.eapi().is_some_and(|eapi| eapi < 5) => None,
            grammar if recipe.eapi().is_some_and(|eapi| eapi < 7) => {
                spec(*grammar, &with_leaves(&text), &mut named)
            }
            grammar => spec(*grammar, &text, &mut named),
        };
        if let Some(wrong) = wrong {
            let message = format!("Portage refuses the value of `{name}`");
            let at = place(recipe, name, &wrong.word);
            let fault = Fault::new("E0870", at, message).label(wrong.reason);
            // Portage reads SRC_URI when it fetches.
            let is_accepted = *grammar == Grammar::Sources;
            out.faults
                .push(if is_accepted { fault.accepted() } else { fault });
        } else if let Some(reason) = question(recipe, &value) {
            let mut sets = recipe.script.sets.iter();
            let last = sets.rfind(|set| set.name == *name);
            out.not_checked(last.map_or(0, |set| set.at.start), *name, reason);
        }
    }
    unknown_flags(recipe, &named, out);
}

/// Returns the reason why the groups of a value are not checked, or why an eclass that is not at
/// hand may change it.
fn question(recipe: &Recipe, value: &Value) -> Option<String> {
    let of_eclass = recipe.eclasses.reason();
    value.parts.iter().find_map(|part| match part {
        Part::Open {
            reason, is_whole, ..
        } => {
            let is_asked = !is_whole || of_eclass.as_deref() == Some(reason.as_str());
            is_asked.then(|| reason.to_string())
        }
        Part::Text(_) => None,
    })
}

/// Reports flags that values name after they are evaluated, and that no check of the text found.
fn unknown_flags(recipe: &Recipe, named: &Named, out: &mut Checked) {
    let is_of_flag = |fault: &Fault| fault.finding.code == "E0802";
    if named.is_empty() && !out.faults.iter().any(is_of_flag) {
        return;
    }
    let known = flags(recipe);
    let is_known = |(name, _): &(&str, Grammar)| {
        recipe
            .value(name)
            .is_none_or(|value| value.reason().is_none())
    };
    let are_known = VARIABLES.iter().all(is_known);
    for fault in &mut out.faults {
        let flag = fault
            .missing
            .as_ref()
            .filter(|_| fault.finding.code == "E0802");
        // A value that is replaced, or that a branch for another version sets.
        let is_other = || {
            let start = fault.at();
            let mut sets = recipe.script.sets.iter();
            let set = sets.find(|set| set.value_at.contains(&start));
            are_known || set.is_some_and(|set| !recipe.is_reached(set))
        };
        let is_named = |flag: &str| named.iter().any(|named| named == flag);
        if flag.is_some_and(|flag| is_other() && !is_named(&flag.name)) {
            fault.is_accepted = true;
        }
    }
    let is_reported = |out: &Checked, flag: &str| {
        let mut all = out.faults.iter().filter_map(|fault| fault.missing.as_ref());
        all.any(|missing| missing.list == "IUSE" && missing.name == flag)
    };
    for flag in named {
        let is_open = flag.contains(HOLE) || open_reason(recipe, &known).is_some();
        if is_open || has(&known, flag) || is_reported(out, flag) {
            continue;
        }
        let message = format!("USE flag `{flag}` is used, but it is not in IUSE");
        let at = VARIABLES
            .iter()
            .map(|(name, _)| place(recipe, name, flag))
            .find(|at| recipe.slice(at).contains(flag.as_str()));
        let fault = Fault::new("E0802", at.unwrap_or(0..0), message);
        let fault = fault.label("not in IUSE, and no inherited eclass adds it");
        out.faults.push(fault.missing("IUSE", flag.as_str()));
    }
}

/// Returns the EAPI since which Portage reads a variable; in older ones it has no meaning.
fn since(name: &str) -> u32 {
    match name {
        "IDEPEND" => 8,
        "BDEPEND" => 7,
        _ => 0,
    }
}

/// Adds a leaf to each empty group, which is valid before EAPI 7 (PMS 8.2).
fn with_leaves(text: &str) -> String {
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        if word == ")" && out.last().is_some_and(|last| last == "(") {
            out.push(WHOLE.to_string());
        }
        out.push(word.to_owned());
    }
    out.join(" ")
}

/// Returns the text of a value with a character for each unknown part.
fn with_holes(value: &Value) -> String {
    let parts = value.parts.iter().map(|part| match part {
        Part::Text(text) => text.clone(),
        Part::Open { is_whole: true, .. } => WHOLE.to_string(),
        Part::Open { .. } => ANY.to_string(),
    });
    parts.collect()
}

/// Returns the first word of a specification that Portage refuses. The flags that the specification
/// names are added to `named`.
fn spec(grammar: Grammar, text: &str, named: &mut Named) -> Option<Wrong> {
    if text.contains(ANY) {
        return grammar_of_words(grammar, text);
    }
    let text = closed(grammar, text)?;
    let error = match grammar {
        Grammar::Depends => match text.parse::<DepSpec>() {
            Ok(spec) => {
                named.extend(conditions(&spec.nodes));
                for atom in spec.leaves() {
                    let deps = atom.use_deps().iter();
                    let asks = deps.filter(|dep| dep.to_string().ends_with(['?', '=']));
                    named.extend(asks.map(|dep| dep.flag.to_string()));
                }
                spec.leaves().into_iter().find_map(improper)
            }
            Err(error) => Some(wrong(&text, &error)),
        },
        Grammar::Required => match text.parse::<RequiredUse>() {
            Ok(spec) => {
                named.extend(spec.flags().into_iter().map(ToString::to_string));
                None
            }
            Err(error) => Some(wrong(&text, &error)),
        },
        Grammar::Sources => match text.parse::<SrcUriSpec>() {
            Ok(spec) => {
                named.extend(conditions(&spec.nodes));
                None
            }
            Err(error) => Some(wrong(&text, &error)),
        },
        _ => {
            let words = text.split_whitespace();
            let flags = words.filter_map(|word| word.strip_suffix('?'));
            let flags = flags.map(|flag| flag.strip_prefix('!').unwrap_or(flag));
            let flags: Vec<String> = flags
                .filter(|flag| !flag.is_empty())
                .map(str::to_owned)
                .collect();
            let result = use_reduce(&text, |_| true, false);
            named.extend(flags.into_iter().filter(|_| result.is_ok()));
            result.err().map(|error| wrong(&text, &error))
        }
    };
    // A part that is not known may be what is missing.
    error.filter(|wrong| !wrong.word.contains(HOLE))
}

/// The leaf that stands for an unknown word. It is valid in each grammar.
const HOLE: &str = "rocpkg-hole";

/// Replaces unknown parts so that the text can be parsed. Returns `None` if they could be a part of
/// the structure: behind an operator or a condition.
fn closed(grammar: Grammar, text: &str) -> Option<String> {
    if !text.contains(WHOLE) {
        return Some(text.to_owned());
    }
    let leaf = match grammar {
        Grammar::Depends => format!("{HOLE}/{HOLE}"),
        _ => HOLE.to_owned(),
    };
    let mut out: Vec<String> = Vec::new();
    for word in text.split_whitespace() {
        let is_opener = |word: &String| {
            matches!(word.as_str(), "||" | "^^" | "??" | "->") || word.ends_with('?')
        };
        if !word.contains(WHOLE) {
            out.push(word.to_owned());
            continue;
        }
        if word.ends_with('?') {
            out.push(format!("{HOLE}?"));
            continue;
        }
        // The unknown part may begin or end with a blank, so that the bracket is a word.
        if word.starts_with(['(', ')']) {
            out.push(word[..1].to_owned());
        }
        if out.last().is_some_and(is_opener) {
            return None;
        }
        out.push(leaf.clone());
        if word.ends_with(')') && !word.ends_with("+)") && !word.ends_with("-)") {
            out.push(")".to_owned());
        }
    }
    Some(out.join(" "))
}

/// Returns the first word that is refused wherever it is, in a value whose groups are not known.
fn grammar_of_words(grammar: Grammar, text: &str) -> Option<Wrong> {
    if grammar != Grammar::Depends {
        return None;
    }
    let is_leaf = |word: &&str| {
        let is_operator = matches!(*word, "(" | ")" | "||") || word.ends_with('?');
        !is_operator && !word.contains([WHOLE, ANY])
    };
    text.split_whitespace()
        .filter(is_leaf)
        .find_map(|word| match word.parse::<Atom>() {
            Ok(atom) => improper(&atom),
            Err(error) => Some(Wrong {
                word: word.to_owned(),
                reason: error.message,
            }),
        })
}

/// Returns the fault of an atom that is valid outside of ebuilds only.
fn improper(atom: &Atom) -> Option<Wrong> {
    let is_built = atom.slot_operator() == Some(SlotOperator::Equal)
        && atom.slot().is_some_and(|slot| slot.sub_slot().is_some());
    let reason = if atom.repository().is_some() {
        "an ebuild can't name the repository of a dependency"
    } else if is_built {
        "`=` behind a sub-slot is for installed packages only"
    } else {
        return None;
    };
    Some(Wrong {
        word: atom.to_string(),
        reason: reason.to_owned(),
    })
}

fn conditions<T: Display>(nodes: &[Node<T>]) -> Vec<String> {
    let mut out = Vec::new();
    for node in nodes {
        if let Node::If { flag, .. } = node {
            out.push(flag.to_string());
        }
        out.extend(conditions(node.children()));
    }
    out
}

fn wrong(text: &str, error: &SyntaxError) -> Wrong {
    let word = text.get(error.offset..).unwrap_or_default();
    let start = text[..error.offset.min(text.len())].rfind(char::is_whitespace);
    let head = text
        .get(start.map_or(0, |at| at + 1)..error.offset)
        .unwrap_or_default();
    let tail = word.split_whitespace().next().unwrap_or_default();
    let tail = if word.starts_with(char::is_whitespace) {
        ""
    } else {
        tail
    };
    Wrong {
        word: format!("{head}{tail}"),
        reason: error.message.clone(),
    }
}

fn slot(text: &str) -> Option<Wrong> {
    if text.contains([WHOLE, ANY]) {
        return None;
    }
    // Portage joins lines and removes blanks at the ends.
    let value = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let error = value.parse::<Slot>().err()?;
    let reason = if value.is_empty() {
        "SLOT is empty".to_owned()
    } else {
        error.message
    };
    Some(Wrong {
        word: value,
        reason,
    })
}

fn keywords(text: &str) -> Option<Wrong> {
    let is_name = |name: &str| {
        let is_char = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
        name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
            && name.chars().all(is_char)
    };
    let is_fine = |word: &&str| {
        let bare = word.strip_prefix(['~', '-']).unwrap_or(word);
        is_name(bare) || matches!(bare, "*" | "**") || *word == "-" || word.contains([WHOLE, ANY])
    };
    let word = text.split_whitespace().find(|word| !is_fine(word))?;
    Some(Wrong {
        word: word.to_owned(),
        reason: format!("`{word}` is not a keyword such as `amd64`, `~amd64` or `-*`"),
    })
}

/// Returns the bytes of a word of a variable, or else of the last assignment of the variable.
fn place(recipe: &Recipe, name: &str, word: &str) -> Range<usize> {
    let names = reaching(&recipe.script, &[name]);
    let sets = recipe.script.sets.iter();
    let sets = sets.filter(|set| names.contains(set.name.as_str()));
    let mut last = 0..0;
    for set in sets {
        for at in tokens(recipe.text, &set.value_at) {
            if !word.is_empty() && recipe.slice(&at).contains(word) {
                return at;
            }
        }
        if set.name == name {
            last = set.at.clone();
        }
    }
    last
}
