//! The places at which a recipe sets a variable: each assignment of the global scope, with the
//! conditions that decide if bash reaches it. `setter.rs` changes them.

use rocpkg_render::bash::{
    Expression, Joint, Quoting, Script, Seen, Stmt, Style, Word, print, visit,
};
use rocpkg_syntax::tree::{Tree, children, parse};
use std::fmt;
use std::ops::Range;

/// The reason why a setter can't change a recipe, with the place. The recipe is unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Undecided {
    /// The variable or the name that was to be changed.
    pub name: String,
    /// The reason.
    pub reason: String,
    /// The places: the conditions or loops that contain the assignments, or words of the recipe.
    pub places: Vec<String>,
}

impl fmt::Display for Undecided {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` {}", self.name, self.reason)?;
        for (i, place) in self.places.iter().enumerate() {
            write!(f, "{} `{place}`", if i == 0 { ":" } else { "," })?;
        }
        Ok(())
    }
}

impl std::error::Error for Undecided {}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Quote {
    None,
    Single,
    Double,
    /// `( … )`
    Array,
}

/// An assignment in the printed text of one item of a script.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// The index of the item in the script.
    pub(crate) item: usize,
    /// The range of the value, with its quotes.
    pub(crate) value: Range<usize>,
    pub(crate) quote: Quote,
    /// The words of the value without its quotes, each with the blanks before it.
    pub(crate) words: Vec<(String, String)>,
    pub(crate) tail: String,
    /// Set for `+=`, and for a value that contains the variable itself.
    pub(crate) append: bool,
    /// The index of the last item in which bash reaches the assignment: its own item, or a call of
    /// the function that contains it.
    pub(crate) last_item: usize,
    /// Set if bash always reaches the assignment, and false if a release never does. None if that
    /// is not known.
    pub(crate) is_met: Option<bool>,
    /// Set if the assignment is inside conditions, and in no loop and no function.
    pub(crate) is_in_branch: bool,
    /// Set if the item consists of this assignment.
    pub(crate) is_alone: bool,
    /// The first line of the innermost condition or loop.
    pub(crate) place: String,
}

pub(crate) fn printed(item: &Stmt, style: &Style) -> String {
    print(std::slice::from_ref(item), style)
}

/// Returns the assignments of `variable` in the global scope, in their order. With `for_release`,
/// conditions that only a live version or a pre-release meets count as unmet.
pub(crate) fn sites(
    script: &Script,
    style: &Style,
    variable: &str,
    for_release: bool,
) -> Result<Vec<Site>, Undecided> {
    let mut all = Vec::new();
    for (item, stmt) in script.items.iter().enumerate() {
        let mut is_set = false;
        visit(std::slice::from_ref(stmt), &mut |seen| {
            is_set |= match seen {
                Seen::Variable(name) => name == variable,
                Seen::Raw(text) => text.print_bare(Quoting::Whole).contains(variable),
                _ => false,
            };
        });
        if !is_set {
            continue;
        }
        let text = printed(stmt, style);
        let tree = parse(&text).map_err(|_| unread(variable, &text))?;
        let root = tree.root_node();
        for node in descendants(root) {
            let name = node
                .child_by_field_name("name")
                .map(|n| &text[n.byte_range()]);
            if node.kind() != "variable_assignment" || name != Some(variable) {
                continue;
            }
            let Some(within) = within(node, &text, script, for_release) else {
                continue;
            };
            let mut site = site(node, &text).ok_or_else(|| unread(variable, &text))?;
            site.item = item;
            site.is_alone = node.parent() == Some(root) && root.named_child_count() == 1;
            site.append |= text[site.value.clone()].contains(&format!("${{{variable}}}"));
            site.last_item = within
                .iter()
                .filter_map(|w| w.last_call)
                .fold(item, usize::max);
            site.is_met = within.iter().map(|w| w.is_met).fold(Some(true), and);
            site.is_in_branch = within.iter().all(|w| w.is_branch);
            let innermost = within.into_iter().next();
            site.place = innermost.map_or_else(|| variable.to_owned(), |w| w.place);
            all.push(site);
        }
    }
    Ok(all)
}

fn unread(variable: &str, text: &str) -> Undecided {
    Undecided {
        name: variable.to_owned(),
        reason: "has a value that can't be divided into words".to_owned(),
        places: vec![text.lines().next().unwrap_or_default().to_owned()],
    }
}

/// Returns the node and all nodes in it, in the order of the text.
pub(crate) fn descendants(node: Tree<'_>) -> Vec<Tree<'_>> {
    let mut all = Vec::new();
    let mut open = vec![node];
    while let Some(next) = open.pop() {
        all.push(next);
        open.extend(children(next).into_iter().rev());
    }
    all
}

/// Returns the range of an expansion. The grammar adds the blanks between two expansions to the
/// second one.
pub(crate) fn without_blanks(node: Tree<'_>, text: &str) -> Range<usize> {
    let range = node.byte_range();
    let bare = text[range.clone()].trim_start();
    range.end - bare.len()..range.end
}

fn site(node: Tree<'_>, text: &str) -> Option<Site> {
    let value = node.child_by_field_name("value");
    let range = value.map_or(node.end_byte()..node.end_byte(), |n| n.byte_range());
    let (start, end) = (range.start, range.end);
    let (quote, inner) = match value.map(|n| n.kind()) {
        Some("string") => (Quote::Double, start + 1..end - 1),
        Some("raw_string") => (Quote::Single, start + 1..end - 1),
        Some("array") => (Quote::Array, start + 1..end - 1),
        _ => (Quote::None, range.clone()),
    };
    let parts = value.map(children).unwrap_or_default();
    let solid: Vec<Range<usize>> = match quote {
        Quote::Double => parts
            .iter()
            .filter(|n| n.is_named() && n.kind() != "string_content")
            .map(|n| without_blanks(*n, text))
            .collect(),
        Quote::Array => parts
            .iter()
            .filter(|n| n.is_named() && n.kind() != "comment")
            .map(Tree::byte_range)
            .collect(),
        _ => Vec::new(),
    };
    if quote == Quote::None && text[range.clone()].contains([' ', '\t', '\n']) {
        return None;
    }
    let (words, tail) = divided(&text[..inner.end], inner.start, quote, &solid);
    Some(Site {
        item: 0,
        value: range,
        quote,
        words,
        tail,
        append: children(node).iter().any(|n| n.kind() == "+="),
        last_item: 0,
        is_met: None,
        is_in_branch: false,
        is_alone: false,
        place: String::new(),
    })
}

/// Divides the text from `at` on into words, each with the blanks before it. Returns the blanks
/// after the last word as well. No word ends inside a range of `solid`.
fn divided(
    text: &str,
    mut at: usize,
    quote: Quote,
    solid: &[Range<usize>],
) -> (Vec<(String, String)>, String) {
    let mut words: Vec<(String, String)> = Vec::new();
    let (mut blank, mut word) = (String::new(), String::new());
    while let Some(c) = text[at..].chars().next() {
        let escaped = text[at + c.len_utf8()..].chars().next();
        let is_escape = c == '\\' && (escaped == Some('\n') || quote == Quote::Double);
        let inside = solid.iter().find(|range| range.start == at);
        let end = match (inside, escaped) {
            (Some(range), _) => range.end,
            (None, Some(next)) if is_escape => at + 1 + next.len_utf8(),
            _ => at + c.len_utf8(),
        };
        let part = &text[at..end];
        at = end;
        // In an array, the text between the elements contains comments.
        let is_blank = part.trim().is_empty() || part == "\\\n" || quote == Quote::Array;
        if inside.is_some() || !is_blank {
            word.push_str(part);
            continue;
        }
        if !word.is_empty() {
            words.push((std::mem::take(&mut blank), std::mem::take(&mut word)));
        }
        blank.push_str(part);
    }
    if !word.is_empty() {
        words.push((std::mem::take(&mut blank), word));
    }
    (words, blank)
}

/// A condition, a loop or a function that contains an assignment.
struct Within {
    place: String,
    is_branch: bool,
    /// Set if the condition is known.
    is_met: Option<bool>,
    /// The index of the last item that calls the function.
    last_call: Option<usize>,
}

/// Returns all conditions, loops and functions that contain a node, the innermost first. Returns
/// `None` if no item calls the function, or if bash runs the node in a process of its own.
fn within(node: Tree<'_>, text: &str, script: &Script, for_release: bool) -> Option<Vec<Within>> {
    let mut all = Vec::new();
    let mut child = node;
    while let Some(parent) = child.parent() {
        let mut last_call = None;
        let (is_branch, is_met) = match parent.kind() {
            "subshell"
            | "command_substitution"
            | "process_substitution"
            | "pipeline"
            | "command" => return None,
            "if_statement" if matches!(child.kind(), "elif_clause" | "else_clause") => {
                let before = children(parent);
                let mut before: Vec<Tree> = before
                    .into_iter()
                    .take_while(|n| n.id() != child.id())
                    .filter(|n| n.kind() == "elif_clause")
                    .collect();
                before.push(parent);
                let unmet = before
                    .iter()
                    .map(|n| holds(condition(*n, text)).map(|met| !met));
                (true, unmet.fold(Some(true), and))
            }
            "if_statement" | "elif_clause" => (true, holds(condition(parent, text))),
            "case_item" => (true, case_item(parent, text)),
            "list" => {
                let parts = children(parent);
                let left = parts.first().filter(|left| left.id() != child.id());
                let Some(left) = left else {
                    child = parent;
                    continue;
                };
                let met = holds(&text[left.byte_range()]);
                let or = parts.iter().any(|n| n.kind() == "||");
                (true, if or { met.map(|met| !met) } else { met })
            }
            "for_statement" | "c_style_for_statement" | "while_statement" => (false, None),
            "function_definition" => {
                let name = parent.child_by_field_name("name")?;
                last_call = Some(last_call_of(script, &text[name.byte_range()])?);
                (false, None)
            }
            _ => {
                child = parent;
                continue;
            }
        };
        let is_met = is_met.filter(|_| for_release);
        let first = |node: Tree| {
            let line = text[node.byte_range()].lines().next().unwrap_or_default();
            line.trim().trim_end_matches("; then").to_owned()
        };
        let place = match (parent.kind(), child.kind()) {
            ("if_statement", "else_clause") => format!("{} … else", first(parent)),
            ("if_statement", "elif_clause") => {
                child = parent;
                continue;
            }
            ("case_item", _) => {
                parent.parent().map(first).unwrap_or_default() + " " + &first(parent)
            }
            _ => first(parent),
        };
        all.push(Within {
            place,
            is_branch,
            is_met,
            last_call,
        });
        child = parent;
    }
    Some(all)
}

/// Returns the index of the last item of the global scope that calls the function `name`.
fn last_call_of(script: &Script, name: &str) -> Option<usize> {
    script.items.iter().rposition(|item| {
        let mut is_called = false;
        visit(std::slice::from_ref(item), &mut |seen| {
            if let Seen::Command([first, ..]) = seen {
                is_called |= first.as_literal() == Some(name);
            }
        });
        is_called && !matches!(item, Stmt::Function { .. })
    })
}

/// Returns the text of the condition of an `if` or an `elif`.
fn condition<'t>(node: Tree<'_>, text: &'t str) -> &'t str {
    let all = children(node);
    let then = all.iter().find(|n| n.kind() == "then");
    match (all.first(), then) {
        (Some(first), Some(then)) => {
            let between = &text[first.end_byte()..then.start_byte()];
            between.trim().trim_end_matches(';').trim_end()
        }
        _ => "",
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Returns true for a pattern of versions that only a live version or a pre-release matches.
fn is_unreleased(pattern: &str) -> bool {
    let parts = ["9999", "_alpha", "_beta", "_pre", "_rc"];
    parts.iter().any(|part| pattern.contains(part))
}

/// Returns true if a word contains the version of an ebuild (PMS 11.1).
fn is_version(word: &Word) -> bool {
    word.variables()
        .any(|name| matches!(name, "P" | "PF") || name.contains("PV"))
}

/// Returns true if a release meets a condition, and false if it doesn't. Returns `None` if that
/// can't be known, since the condition does not test for a live version or a pre-release.
fn holds(test: &str) -> Option<bool> {
    let script = Script::read(&format!("{test}\n")).ok()?;
    match script.items.as_slice() {
        [one] => is_met(one),
        _ => None,
    }
}

fn is_met(stmt: &Stmt) -> Option<bool> {
    match stmt {
        Stmt::Expression(expression) => is_true(expression),
        Stmt::Not(inner) => is_met(inner).map(|met| !met),
        Stmt::List(first, rest) => rest.iter().fold(is_met(first), |met, link| {
            let next = is_met(&link.stmt);
            match link.joint {
                Joint::And => and(met, next),
                _ => and(met.map(|m| !m), next.map(|m| !m)).map(|m| !m),
            }
        }),
        Stmt::Command(command) => match command.words.as_slice() {
            [name, left, operator, right, ..]
                if matches!(name.as_literal(), Some("[" | "test")) =>
            {
                compared(left, operator.as_literal()?, right)
            }
            _ => None,
        },
        _ => None,
    }
}

fn is_true(expression: &Expression) -> Option<bool> {
    match expression {
        Expression::Binary(left, operator, right) => compared(left, operator, right),
        Expression::Not(inner) => is_true(inner).map(|met| !met),
        Expression::Group(inner) => is_true(inner),
        Expression::And(a, b) => and(is_true(a), is_true(b)),
        Expression::Or(a, b) => and(is_true(a).map(|m| !m), is_true(b).map(|m| !m)).map(|m| !m),
        _ => None,
    }
}

fn compared(left: &Word, operator: &str, right: &Word) -> Option<bool> {
    if !is_version(left) || !is_unreleased(&right.print(Quoting::Whole)) {
        return None;
    }
    match operator {
        "=" | "==" | "=~" | "-eq" => Some(false),
        "!=" | "-ne" => Some(true),
        _ => None,
    }
}

/// Returns true if a release meets a branch of a `case` over the version, and false if it doesn't.
fn case_item(node: Tree<'_>, text: &str) -> Option<bool> {
    let case = node.parent()?;
    let value = case.child_by_field_name("value")?;
    let value = Script::read(&format!("x={}\n", &text[value.byte_range()])).ok()?;
    let is_over_version = value.values("x").any(|value| match value {
        rocpkg_render::bash::Value::Word(word) => is_version(word),
        rocpkg_render::bash::Value::Array(_) => false,
    });
    let unreleased = |item: &Tree| {
        let pattern = text[item.byte_range()]
            .split(')')
            .next()
            .unwrap_or_default();
        pattern.split('|').all(is_unreleased)
    };
    if !is_over_version {
        return None;
    }
    if unreleased(&node) {
        return Some(false);
    }
    let items = children(case);
    let mut before = items
        .iter()
        .filter(|n| n.kind() == "case_item")
        .take_while(|n| n.id() != node.id());
    let is_rest = text[node.byte_range()].starts_with("*)");
    (is_rest && before.all(unreleased)).then_some(true)
}
