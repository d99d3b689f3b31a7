//! Follows the commands of the global scope to its end, and reports a PKGBUILD that makepkg can't
//! source: one that exits, or whose last command fails (`source_safe` in makepkg's `util/util.sh`).

use super::values::Values;
use rocpkg_syntax::tree::{Tree, children, parse};
use rocpkg_syntax::words::{Word, split};
use rocpkg_syntax::{Call, Checked, Fault, Listing, Scope, Script, Use};
use std::ops::Range;

/// The end of a statement.
#[derive(Clone, Debug, PartialEq)]
enum End {
    /// The next statement runs. The status is true for success, and `None` if it is open.
    Next(Option<bool>),
    /// `exit` ends makepkg.
    Exit(Range<usize>),
    /// `return` ends the function, or the PKGBUILD.
    Return(Option<bool>, Range<usize>),
    /// Only bash can decide if this `exit` or `return` runs.
    Open(Range<usize>),
}

/// Commands that succeed, whatever their arguments are.
const SUCCEED: [&str; 7] = [":", "true", "echo", "printf", "export", "trap", "set"];

/// The greatest number of function calls inside each other that are followed.
const MOST_CALLS: usize = 8;

/// Reports a global scope that makepkg can't source. Statements behind a `return` never run, so
/// they are removed from `script` and `listing`.
pub(super) fn check(text: &str, script: &mut Script, listing: &mut Listing, out: &mut Checked) {
    characters(text, out);
    nounset(script, out);
    required(text, script, out);
    let is_plain = script
        .calls
        .iter()
        .all(|call| call.scope.function.is_some());
    // Without commands, only the output of a command or a test may fail.
    let is_certain = listing.statements.last().is_none_or(|last| {
        let is_function = listing.functions.last().is_some_and(|f| f.at == *last);
        is_function || !text[last.clone()].contains(['`', '(', '['])
    });
    if is_plain && is_certain {
        return;
    }
    let Ok(tree) = parse(text) else { return };
    let values = Values::at_margin(text, script);
    let follow = Follow {
        text,
        script,
        values: &values,
        root: tree.root_node(),
    };
    match follow.all(&children(tree.root_node()), 0) {
        End::Next(Some(true)) => {}
        End::Next(None) => {
            let at = listing.statements.last().map_or(0, |at| at.start);
            out.not_checked(at, "the last command", "only bash can decide if it fails");
        }
        End::Open(at) => {
            let reason = "only bash can decide if it runs in the global scope";
            out.not_checked(at.start, format!("`{}`", &text[at]), reason);
        }
        End::Next(Some(false)) => {
            let at = listing.statements.last().cloned().unwrap_or_default();
            let message = "the last command of the PKGBUILD fails, so makepkg refuses it";
            let fault = Fault::new("E0831", at, message).label("expected a command that succeeds");
            out.faults
                .push(fault.hint("use `if`, or add the line `true`"));
        }
        End::Exit(at) => {
            let message = "`exit` in the global scope ends makepkg";
            let fault = Fault::new("E0831", at, message);
            out.faults
                .push(fault.label("expected no `exit` outside of functions"));
        }
        End::Return(Some(true), at) => {
            script.sets.retain(|set| set.at.start < at.start);
            script.uses.retain(|used| used.at.start < at.start);
            script.calls.retain(|call| call.at.start < at.start);
            script
                .functions
                .retain(|function| function.at.start < at.start);
            listing
                .statements
                .retain(|statement| statement.start < at.start);
            listing
                .functions
                .retain(|function| function.at.start < at.start);
        }
        End::Return(Some(false), at) => {
            let message = format!("`{}` makes makepkg refuse the PKGBUILD", &text[at.clone()]);
            let fault = Fault::new("E0831", at, message);
            out.faults
                .push(fault.label("expected `return 0`, or no `return`"));
        }
        End::Return(None, at) => {
            let reason = "only bash can compute the status";
            out.not_checked(at.start, format!("`{}`", &text[at]), reason);
        }
    }
}

/// Reports a carriage return, which makepkg refuses wherever it is. (The reader refuses only those
/// outside of quotes and comments.)
fn characters(text: &str, out: &mut Checked) {
    if let Some(at) = text.find('\r') {
        let message = "the PKGBUILD contains a carriage return, so makepkg refuses it";
        let fault = Fault::new("E0831", at..at + 1, message);
        out.faults
            .push(fault.label("expected lines that end with a line feed only"));
    }
}

/// Reports `${_NAME:?…}` of a private variable that is not set, which ends makepkg.
fn required(text: &str, script: &Script, out: &mut Checked) {
    let is_unset = |used: &&Use| {
        let rest = text[used.at.clone()].strip_prefix("${").unwrap_or_default();
        let operator = rest.strip_prefix(used.name.as_str()).unwrap_or_default();
        let is_required = operator.starts_with('?') || operator.starts_with(":?");
        is_required && used.name.starts_with('_') && used.scope == Scope::default()
    };
    for used in script.uses.iter().filter(is_unset) {
        if script.sets.iter().all(|set| set.name != used.name) {
            let message = format!("`{}` is not set, so bash ends makepkg here", used.name);
            let fault = Fault::new("E0831", used.at.clone(), message);
            out.faults
                .push(fault.label("expected a variable that is set above"));
        }
    }
}

/// Reports `set -u` without a later `set +u`: makepkg uses variables that are not set.
fn nounset(script: &Script, out: &mut Checked) {
    let is_at_margin = |call: &&Call| call.scope == Scope::default() && call.name == "set";
    let mut last = None;
    for call in script.calls.iter().filter(is_at_margin) {
        let words: Vec<&str> = call.words.iter().filter_map(Word::text).collect();
        let is_given = |sign: char| {
            let is_letter = |w: &&str| w.starts_with(sign) && w.contains('u');
            let named = format!("{sign}o");
            let is_named = |pair: &[&str]| pair[0].ends_with('o') && pair[1] == "nounset";
            words.iter().any(is_letter)
                || words
                    .windows(2)
                    .any(|pair| pair[0].starts_with(&named[..1]) && is_named(pair))
        };
        if is_given('-') || is_given('+') {
            last = Some(call).filter(|_| is_given('-'));
        }
    }
    if let Some(call) = last {
        let message = "`set -u` stays on while makepkg reads the fields, so makepkg fails";
        let fault = Fault::new("E0831", call.at.clone(), message);
        out.faults.push(fault.label("expected `set +u` below"));
    }
}

struct Follow<'a> {
    text: &'a str,
    script: &'a Script,
    values: &'a Values,
    root: Tree<'a>,
}

impl<'a> Follow<'a> {
    fn slice(&self, node: Tree) -> &'a str {
        &self.text[node.byte_range()]
    }

    /// Follows statements in order. `calls` is the number of functions around them.
    fn all(&self, nodes: &[Tree<'a>], calls: usize) -> End {
        let mut status = Some(true);
        let mut open = None;
        for node in nodes {
            match self.one(*node, calls, status) {
                End::Next(new) => status = new,
                End::Open(at) => {
                    open.get_or_insert(at);
                    status = None;
                }
                end => return open.map_or(end, End::Open),
            }
        }
        open.map_or(End::Next(status), End::Open)
    }

    /// Follows a statement. `before` is the status of the statement before it.
    fn one(&self, node: Tree<'a>, calls: usize, before: Option<bool>) -> End {
        let inner = children(node);
        match node.kind() {
            "comment" | ";" | ";;" | "\n" | "&" | "{" | "}" | "(" | ")" | "then" | "do"
            | "done" => End::Next(before),
            "function_definition" | "unset_command" => End::Next(Some(true)),
            "variable_assignment" | "variable_assignments" | "declaration_command" => {
                let written = self.slice(node);
                if written.ends_with("=$(false)") {
                    return End::Next(Some(false));
                }
                let is_plain = !written.contains("$(") && !written.contains(['`', '<']);
                End::Next(is_plain.then_some(true))
            }
            "command" => self.command(node, &inner, calls, before),
            "list" => self.list(&inner, calls, before),
            "negated_command" => match inner.last().map(|last| self.one(*last, calls, before)) {
                Some(End::Next(status)) => End::Next(status.map(|ok| !ok)),
                end => end.unwrap_or(End::Next(None)),
            },
            "compound_statement" | "do_group" if !self.slice(node).starts_with("((") => {
                self.all(&inner, calls)
            }
            "redirected_statement" => match inner.first() {
                // A file that can't be opened makes the command fail.
                Some(body) if self.slice(node).contains("/dev/null") || has_document(node) => {
                    self.one(*body, calls, before)
                }
                Some(body) => uncertain(self.one(*body, calls, before)),
                None => End::Next(None),
            },
            // A subshell and a part of a pipeline can't exit makepkg.
            "subshell" => match self.all(&inner, calls) {
                End::Next(status) => End::Next(status),
                End::Exit(_) | End::Return(..) | End::Open(_) => End::Next(self.status(node)),
            },
            "pipeline" => match inner.last().map(|last| self.one(*last, calls, before)) {
                Some(End::Next(status)) => End::Next(status),
                _ => End::Next(None),
            },
            "test_command" => End::Next(self.test(node)),
            "compound_statement" => End::Next(number(self.slice(node)).map(|n| n != 0)),
            "if_statement" => self.condition(&inner, calls),
            "for_statement" | "while_statement" | "case_statement" | "c_style_for_statement" => {
                self.repeated(node, &inner, calls)
            }
            _ => End::Next(None),
        }
    }

    /// Returns the status of a subshell that is one `exit` with a number.
    fn status(&self, node: Tree) -> Option<bool> {
        let inside = self.slice(node).trim_matches(['(', ')', ' ']);
        let code = inside.strip_prefix("exit ")?.trim();
        code.parse::<u8>().ok().map(|code| code == 0)
    }

    fn command(&self, node: Tree, inner: &[Tree], calls: usize, before: Option<bool>) -> End {
        let Some(name) = inner.iter().find(|child| child.kind() == "command_name") else {
            return End::Next(None);
        };
        let mut words = split(self.text, name.start_byte(), node.end_byte());
        while words.len() > 1 && matches!(words[0].text(), Some("builtin" | "command")) {
            words.remove(0);
        }
        let is_exit = words.get(1).and_then(Word::text) == Some("exit");
        if is_exit && words[0].text() == Some("eval") {
            words.remove(0);
        }
        let Some((name, words)) = words.split_first() else {
            return End::Next(None);
        };
        let at = node.byte_range();
        match name.text().unwrap_or_default() {
            "exit" => End::Exit(at),
            "return" => match words.first() {
                None => End::Return(before, at),
                Some(word) => End::Return(self.known(word).and_then(|t| code(&t)), at),
            },
            "false" => End::Next(Some(false)),
            "test" => End::Next(self.tested(words)),
            name if self.script.defines(name) => self.call(name, at, calls),
            name if SUCCEED.contains(&name) => End::Next(Some(true)),
            "shopt" => End::Next(shopt(words)),
            _ => End::Next(None),
        }
    }

    /// Follows the call `at` of a function of the PKGBUILD.
    fn call(&self, name: &str, at: Range<usize>, calls: usize) -> End {
        let is_own = |node: &Tree| {
            let named = node.child_by_field_name("name");
            node.kind() == "function_definition" && named.is_some_and(|n| self.slice(n) == name)
        };
        let above = children(self.root).into_iter().filter(is_own);
        let body = above.take_while(|node| node.start_byte() < at.start).last();
        let Some(body) = body.and_then(|node| node.child_by_field_name("body")) else {
            return End::Next(None);
        };
        if calls >= MOST_CALLS {
            return End::Next(None);
        }
        match self.one(body, calls + 1, None) {
            End::Return(status, _) | End::Next(status) => End::Next(status),
            End::Exit(_) => End::Exit(at),
            End::Open(open) if self.text[open.clone()].starts_with("return") => End::Next(None),
            End::Open(_) => End::Open(at),
        }
    }

    fn list(&self, inner: &[Tree<'a>], calls: usize, before: Option<bool>) -> End {
        let [left, joint, right] = inner else {
            return End::Next(None);
        };
        let is_and = match self.slice(*joint) {
            "&&" => true,
            "||" => false,
            _ => return End::Next(None),
        };
        let status = match self.one(*left, calls, before) {
            End::Next(status) => status,
            end => return end,
        };
        if status == Some(!is_and) {
            return End::Next(status);
        }
        let end = self.one(*right, calls, status);
        match (status, end) {
            (Some(_), end) => end,
            (None, End::Next(Some(right))) if right != is_and => End::Next(Some(right)),
            (None, end) => uncertain(end),
        }
    }

    /// Follows `if`, `elif` and `else`. `inner` begins with the keyword.
    fn condition(&self, inner: &[Tree<'a>], calls: usize) -> End {
        let Some(then) = inner.iter().position(|node| node.kind() == "then") else {
            return self.all(inner.get(1..).unwrap_or_default(), calls);
        };
        let is_next = |node: &Tree| matches!(node.kind(), "elif_clause" | "else_clause" | "fi");
        let end = inner.iter().position(is_next).unwrap_or(inner.len());
        let test = match self.all(&inner[1..then], calls) {
            End::Next(status) => status,
            end => return end,
        };
        let body = || self.all(&inner[then..end], calls);
        let otherwise = || match inner.get(end) {
            Some(node) if node.kind() == "elif_clause" => {
                // The other branches are beside this one.
                let own = children(*node);
                self.condition(&[&own[..], &inner[end + 1..]].concat(), calls)
            }
            Some(node) if node.kind() == "else_clause" => self.all(&children(*node)[1..], calls),
            _ => End::Next(Some(true)),
        };
        match test {
            Some(true) => body(),
            Some(false) => otherwise(),
            None => match (body(), otherwise()) {
                (one, other) if one == other => one,
                (End::Next(_), End::Next(_)) => End::Next(None),
                (End::Next(_), other) => uncertain(other),
                (one, _) => uncertain(one),
            },
        }
    }

    /// Follows a loop or a `case`.
    fn repeated(&self, node: Tree<'a>, inner: &[Tree<'a>], calls: usize) -> End {
        let group = inner.iter().rfind(|child| child.kind() == "do_group");
        let body = || group.map_or(End::Next(None), |body| self.one(*body, calls, None));
        // True if the body certainly runs, and false if it certainly does not.
        let runs = match node.kind() {
            "case_statement" => return self.case(node, inner, calls),
            "for_statement" => {
                let is_word = |child: &Tree| matches!(child.kind(), "word" | "number");
                inner.iter().any(is_word).then_some(true)
            }
            "while_statement" => {
                let is_until = self.slice(node).starts_with("until");
                match inner.get(1).map(|test| self.one(*test, calls, None)) {
                    Some(End::Next(status)) => status.map(|ok| ok != is_until),
                    Some(end) => return end,
                    None => None,
                }
            }
            _ => None,
        };
        match (runs, body()) {
            (Some(false), _) => End::Next(Some(true)),
            (Some(true), end) => end,
            (None, end) => uncertain(end),
        }
    }

    /// Follows a `case`. Only a literal word and literal patterns are certain.
    fn case(&self, node: Tree<'a>, inner: &[Tree<'a>], calls: usize) -> End {
        let subject = node.child_by_field_name("value");
        let subject = subject.map(|word| self.slice(word));
        let is_literal = |text: &str| text.bytes().all(|b| b.is_ascii_alphanumeric());
        let items = inner.iter().filter(|child| child.kind() == "case_item");
        let mut open = None;
        for item in items {
            let parts = children(*item);
            let Some(head) = parts.iter().position(|part| part.kind() == ")") else {
                return End::Next(None);
            };
            let end = self.all(&parts[head + 1..], calls);
            let pattern = self.text[item.start_byte()..parts[head].start_byte()].trim();
            match subject {
                Some(text) if is_literal(text) && pattern == text && open.is_none() => return end,
                Some(text) if is_literal(text) && is_literal(pattern) => {}
                _ => drop(open.get_or_insert(end)),
            }
        }
        uncertain(open.unwrap_or(End::Next(None)))
    }

    /// Returns the result of `[ … ]` or `[[ … ]]`.
    fn test(&self, node: Tree) -> Option<bool> {
        let written = self.slice(node);
        if written.starts_with("((") {
            return number(written).map(|n| n != 0);
        }
        let brackets = if written.starts_with("[[") { 2 } else { 1 };
        let (start, end) = (node.start_byte() + brackets, node.end_byte() - brackets);
        self.tested(&split(self.text, start, end))
    }

    /// Returns the result of the test with these words; `None` for a test that only bash can
    /// decide.
    fn tested(&self, words: &[Word]) -> Option<bool> {
        if let [first, rest @ ..] = words
            && first.text() == Some("!")
            && !rest.is_empty()
        {
            return self.tested(rest).map(|ok| !ok);
        }
        match words {
            [word] => self.known(word).map(|text| !text.is_empty()),
            [sign, word] => match sign.text()? {
                "-n" => self.known(word).map(|text| !text.is_empty()),
                "-z" => self.known(word).map(|text| text.is_empty()),
                _ => None,
            },
            [left, sign, right] => {
                let (left, right) = (self.known(left)?, self.known(right)?);
                let numbers = || Some((left.parse::<i64>().ok()?, right.parse::<i64>().ok()?));
                match sign.text()? {
                    "=" | "==" => Some(left == right),
                    "!=" => Some(left != right),
                    "-eq" => numbers().map(|(left, right)| left == right),
                    "-ne" => numbers().map(|(left, right)| left != right),
                    "-gt" => numbers().map(|(left, right)| left > right),
                    "-ge" => numbers().map(|(left, right)| left >= right),
                    "-lt" => numbers().map(|(left, right)| left < right),
                    "-le" => numbers().map(|(left, right)| left <= right),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Returns the value of a word; `None` if it is open, or a pattern. makepkg sets `CARCH`; its
    /// value here is that of Arch's own packages.
    fn known(&self, word: &Word) -> Option<String> {
        let written = &self.text[word.at.clone()];
        if matches!(written.trim_matches('"'), "$CARCH" | "${CARCH}") {
            return Some("x86_64".to_owned());
        }
        let is_open = written.contains(['*', '?', '[', '(', '`', '<', '>', '&', '|']);
        let is_stated = self.is_stated(word);
        let all = self.values.word(word).filter(|_| !is_open && is_stated)?;
        let texts: Option<Vec<String>> = all.into_iter().map(|element| element.text).collect();
        texts.map(|texts| texts.join(" "))
    }

    /// Returns true if each variable in a word is set once, so that its value at the end of the
    /// global scope is its value here. A variable that is not set may come from outside.
    fn is_stated(&self, word: &Word) -> bool {
        let mut uses = self.script.uses.iter();
        let inside = |at: &Range<usize>| word.at.start <= at.start && at.end <= word.at.end;
        uses.all(|used| {
            let sets = || self.script.sets_at_margin(&used.name);
            !inside(&used.at) || (sets().count() == 1 && sets().all(|s| s.at.end <= used.at.start))
        })
    }
}

/// Returns true for the status `0` of a command.
fn code(text: &str) -> Option<bool> {
    text.parse::<u8>().ok().map(|code| code == 0)
}

/// Returns the number in `(( … ))`, or `None` for any other expression.
fn number(written: &str) -> Option<i64> {
    let inside = written.strip_prefix("((")?.strip_suffix("))")?;
    inside.trim().parse().ok()
}

/// Returns true if all redirections of a statement are here-documents, which always open.
fn has_document(node: Tree) -> bool {
    let mut all = children(node).into_iter().skip(1);
    all.all(|redirect| redirect.kind().starts_with("here"))
}

/// Returns the end of a statement that may not run.
fn uncertain(end: End) -> End {
    match end {
        End::Next(_) => End::Next(None),
        End::Exit(at) | End::Return(_, at) | End::Open(at) => End::Open(at),
    }
}

/// Returns true for `shopt -s NAME` and `shopt -u NAME`, which succeed.
fn shopt(words: &[Word]) -> Option<bool> {
    let all: Vec<&str> = words.iter().filter_map(Word::text).collect();
    matches!(all[..], ["-s" | "-u", _]).then_some(true)
}
