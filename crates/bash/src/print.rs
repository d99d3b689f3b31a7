//! Prints statements as bash text.

use super::name::{function, identifier, is_identifier, is_reserved};
use super::piece_print::between_quotes;
use super::raw::raw_lines;
use super::stmt::{
    Arm, Assigned, Assignment, Command, Declared, HereBody, HereDocument, Item, Joint, Layout,
    Link, Redirect, RedirectTo, Scope, Stmt,
};
use super::word::{Quoting, Word};

/// The layout of printed statements.
#[derive(Clone, Copy, Debug)]
pub struct Style {
    /// One level of indentation.
    pub indent: &'static str,
    /// The width of a tab or an indentation in columns, for wrapping.
    pub indent_width: usize,
    /// The maximum width of a line in columns.
    pub width: usize,
    /// The quoting of words.
    pub quoting: Quoting,
    /// Set for blanks inside the parentheses of a short array: `( a b )`.
    pub padded_arrays: bool,
}

/// Four spaces, lines of 100 columns, and the quotes that a value needs.
impl Default for Style {
    fn default() -> Self {
        Self {
            indent: "    ",
            indent_width: 4,
            width: 100,
            quoting: Quoting::Short,
            padded_arrays: false,
        }
    }
}

/// Prints statements. The result ends with a newline, unless it is empty.
pub fn print(stmts: &[Stmt], style: &Style) -> String {
    let mut p = Printer {
        out: String::new(),
        depth: 0,
        style,
        documents: Vec::new(),
    };
    p.block(stmts);
    p.out
}

/// The lines below a line on which a here-document begins: its text, and the line that ends it.
struct Below {
    lines: String,
}

/// Writes statements. A statement is written from the end of its indentation to the end of its last
/// line. The texts of its here-documents are written when that line is ended.
pub(super) struct Printer<'a> {
    out: String,
    depth: usize,
    pub(super) style: &'a Style,
    documents: Vec<Below>,
}

impl Printer<'_> {
    pub(super) fn push(&mut self, text: &str) {
        self.out.push_str(text);
    }

    fn indent(&mut self) {
        let indent = self.style.indent.repeat(self.depth);
        self.out.push_str(&indent);
    }

    /// Ends the line, and writes the here-documents that began on it.
    fn end_line(&mut self) {
        self.out.push('\n');
        for below in std::mem::take(&mut self.documents) {
            self.out.push_str(&below.lines);
        }
    }

    /// Ends the line and begins the next one.
    fn next_line(&mut self) {
        self.end_line();
        self.indent();
    }

    fn line(&mut self, text: &str) {
        if !text.is_empty() {
            self.indent();
            self.push(text);
        }
        self.end_line();
    }

    pub(super) fn word(&self, w: &Word) -> String {
        w.print(self.style.quoting)
    }

    pub(super) fn words(&self, words: &[Word]) -> String {
        let words: Vec<String> = words.iter().map(|w| self.word(w)).collect();
        words.join(" ")
    }

    fn block(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Blank => self.out.push('\n'),
                Stmt::Comment(text) => self.comment(text),
                Stmt::Remark(text) => self.line(text),
                Stmt::Raw(text) => self.raw(text),
                stmt => {
                    self.indent();
                    self.stmt(stmt);
                    self.end_line();
                }
            }
        }
    }

    fn raw(&mut self, text: &Word) {
        for (held, l) in raw_lines(&text.print_bare(self.style.quoting)) {
            // In a line that begins inside quotes or a here-document, an indentation would be part
            // of the text.
            if held {
                self.push(&l);
                self.end_line();
            } else {
                self.line(&l);
            }
        }
    }

    /// Writes statements one level deeper, on lines of their own, and the indentation of the line
    /// below.
    pub(super) fn nested(&mut self, stmts: &[Stmt]) {
        self.end_line();
        self.depth += 1;
        self.block(stmts);
        // Bash requires a command in each block.
        if does_nothing(stmts) {
            self.line(":");
        }
        self.depth -= 1;
        self.indent();
    }

    fn comment(&mut self, text: &str) {
        for l in text.lines() {
            self.line(format!("# {}", l.trim()).trim_end());
        }
    }

    pub(super) fn stmt(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::Blank => {}
            Stmt::Comment(text) => self.push(format!("# {}", text.trim()).trim_end()),
            Stmt::Remark(text) => self.push(text),
            Stmt::Raw(text) => {
                let text = text.print_bare(self.style.quoting);
                self.push(text.trim_matches('\n'));
            }
            Stmt::Command(c) => self.command(c),
            Stmt::Assign {
                scope,
                name,
                append,
                value,
            } => {
                let value = self.value(value);
                self.push(&format!("{}{value}", assigned(*scope, name, *append)));
            }
            Stmt::Array {
                scope,
                name,
                append,
                items,
                tall,
            } => self.array(&assigned(*scope, name, *append), items, *tall),
            Stmt::Noted(stmt, comment) => {
                self.stmt(stmt);
                self.push(&format!(" {comment}"));
            }
            Stmt::Assignments(all) => {
                for (i, assignment) in all.iter().enumerate() {
                    self.push(if i > 0 { " " } else { "" });
                    self.assignment(assignment);
                }
            }
            Stmt::Declare(keyword, words) => {
                self.push(keyword);
                for word in words {
                    self.push(" ");
                    match word {
                        Declared::Word(word) => {
                            let word = self.word(word);
                            self.push(&word);
                        }
                        Declared::Assignment(assignment) => self.assignment(assignment),
                    }
                }
            }
            Stmt::List(first, rest) | Stmt::Pipeline(first, rest) => {
                self.stmt(first);
                for link in rest {
                    self.link(link);
                }
            }
            Stmt::Not(stmt) => {
                self.push("! ");
                self.stmt(stmt);
            }
            Stmt::Background(stmt) => {
                self.stmt(stmt);
                self.push(" &");
            }
            Stmt::Redirected(stmt, redirects) => {
                self.stmt(stmt);
                for redirect in redirects {
                    let redirect = self.redirect(redirect);
                    self.push(&format!(" {redirect}"));
                }
            }
            Stmt::Arithmetic(arithmetic) => self.push(&format!("(({arithmetic}))")),
            Stmt::Expression(expression) => {
                let expression = self.expression(expression);
                self.push(&format!("[[ {expression} ]]"));
            }
            compound => self.compound(compound),
        }
    }

    /// Writes a statement that contains other statements.
    fn compound(&mut self, stmt: &Stmt) {
        match stmt {
            Stmt::If {
                branches,
                otherwise,
            } => {
                for (i, (test, body)) in branches.iter().enumerate() {
                    self.push(if i == 0 { "if " } else { "elif " });
                    self.test(test);
                    self.push("then");
                    self.nested(body);
                }
                if !otherwise.is_empty() {
                    self.push("else");
                    self.nested(otherwise);
                }
                self.push("fi");
            }
            Stmt::For { name, items, body } => {
                let items = self.words(items);
                self.turns(&format!("for {} in {items}; do", identifier(name)), body);
            }
            Stmt::Select { name, items, body } => {
                let items = items.as_ref().map(|items| self.words(items));
                let items = items.map(|items| format!(" in {items}"));
                let items = items.unwrap_or_default();
                self.turns(&format!("select {}{items}; do", identifier(name)), body);
            }
            Stmt::Loop { head, body } => {
                let [first, test, step] = head;
                self.turns(&format!("for (({first};{test};{step})); do"), body);
            }
            Stmt::While { until, test, body } => {
                self.push(if *until { "until " } else { "while " });
                self.test(test);
                self.turns("do", body);
            }
            Stmt::Function { name, body } => {
                let head = defined(name);
                self.push(&format!("{head} {{"));
                self.nested(body);
                self.push("}");
            }
            Stmt::Define(name, body) => {
                let head = defined(name);
                self.push(&format!("{head} "));
                self.stmt(body);
            }
            Stmt::Subshell(body) => {
                self.push("(");
                self.nested(body);
                self.push(")");
            }
            Stmt::Group(body) => {
                self.push("{");
                self.nested(body);
                self.push("}");
            }
            Stmt::Case {
                word,
                arms,
                comments,
            } => self.case(word, arms, comments),
            _ => {}
        }
    }

    fn turns(&mut self, head: &str, body: &[Stmt]) {
        self.push(head);
        self.nested(body);
        self.push("done");
    }

    fn case(&mut self, word: &Word, arms: &[Arm], comments: &[String]) {
        let word = self.word(word);
        self.push(&format!("case {word} in"));
        self.end_line();
        self.depth += 1;
        for arm in arms {
            for comment in &arm.comments {
                self.line(comment);
            }
            let patterns: Vec<String> = arm.patterns.iter().map(|w| self.word(w)).collect();
            let open = if patterns.first().is_some_and(|p| p == "esac") {
                "("
            } else {
                ""
            };
            self.line(&format!("{open}{})", patterns.join("|")));
            self.depth += 1;
            self.block(&arm.body);
            self.line(arm.end);
            self.depth -= 1;
        }
        for comment in comments {
            self.line(comment);
        }
        self.depth -= 1;
        self.indent();
        self.push("esac");
    }

    fn link(&mut self, link: &Link) {
        self.push(match link.joint {
            Joint::And => " &&",
            Joint::Or => " ||",
            Joint::Pipe => " |",
            Joint::PipeBoth => " |&",
        });
        if link.comments.is_empty() && !link.breaks {
            self.push(" ");
            return self.stmt(&link.stmt);
        }
        self.depth += 1;
        for comment in &link.comments {
            self.next_line();
            self.push(comment);
        }
        self.next_line();
        self.stmt(&link.stmt);
        self.depth -= 1;
    }

    /// Prints the value of a variable. The result is empty, without quotes, for a word without
    /// parts and for an empty literal that code made.
    fn value(&self, value: &Word) -> String {
        if value.is_absent() || (value.pieces().next().is_none() && value.as_literal() == Some(""))
        {
            return String::new();
        }
        value.print(self.style.quoting.of_value())
    }

    fn assignment(&mut self, assignment: &Assignment) {
        let index = assignment.index.as_ref();
        let index = index.map(|index| format!("[{}]", self.value(index)));
        let index = index.unwrap_or_default();
        let sign = if assignment.append { "+=" } else { "=" };
        let head = format!("{}{index}{sign}", identifier(&assignment.name));
        match &assignment.value {
            Assigned::Word(word) => {
                let value = self.value(word);
                self.push(&format!("{head}{value}"));
            }
            Assigned::Array { items, tall } => self.array(&head, items, *tall),
        }
    }

    fn array(&mut self, head: &str, items: &[Item], tall: bool) {
        let head = format!("{head}(");
        if items.is_empty() {
            return self.push(&format!("{head})"));
        }
        let is_plain = |i: &Item| i.comment.is_none() && i.behind.is_none();
        if !tall && items.iter().all(is_plain) {
            let words: Vec<String> = items.iter().map(|i| self.element(i)).collect();
            let pad = if self.style.padded_arrays { " " } else { "" };
            let text = format!("{head}{pad}{}{pad})", words.join(" "));
            // A line of its own does not make a single word shorter.
            if items.len() == 1
                || self.depth * self.style.indent_width + text.len() <= self.style.width
            {
                return self.push(&text);
            }
        }
        self.push(&head);
        self.end_line();
        self.depth += 1;
        for item in items {
            if let Some(c) = &item.comment {
                self.item_comment(c);
            }
            let w = self.element(item);
            let behind = item.behind.as_ref().map(|c| format!(" {c}"));
            // An absent word only holds the comments below the last element.
            if !w.is_empty() {
                self.line(&format!("{w}{}", behind.unwrap_or_default()));
            }
        }
        self.depth -= 1;
        self.indent();
        self.push(")");
    }

    /// Writes the comment above an element. Its lines get a `#`, unless they have one.
    fn item_comment(&mut self, text: &str) {
        if text.starts_with('#') {
            text.lines().for_each(|line| self.line(line));
        } else {
            self.comment(text);
        }
    }

    fn element(&self, item: &Item) -> String {
        match &item.index {
            Some(index) => format!("[{}]={}", self.value(index), self.value(&item.word)),
            None if item.word.is_absent() && item.comment.is_some() => String::new(),
            None => self.word(&item.word),
        }
    }

    fn command(&mut self, c: &Command) {
        let words = self.command_words(c);
        let first = c.assignments.len()
            + c.env.len()
            + if let Layout::PerWord(head) = c.layout {
                head
            } else {
                1
            };
        let mut tail = self.redirects(c);
        let mut next = c.pipe.as_deref();
        while let Some(piped) = next {
            tail.push("|".into());
            tail.extend(self.command_words(piped));
            tail.extend(self.redirects(piped));
            next = piped.pipe.as_deref();
        }
        if let Some(or) = &c.or {
            tail.push(format!("|| {}", self.words(or)));
        }
        let all: Vec<String> = words.iter().chain(&tail).cloned().collect();
        let one = all.join(" ");
        let fits = self.depth * self.style.indent_width + one.chars().count() <= self.style.width;
        if (fits && c.layout == Layout::Wrap) || words.len() <= first {
            self.push(&one);
        } else {
            self.broken(&words, first, &tail, c.layout);
        }
    }

    /// Returns true if the here-document `lines` can be indented. Bash strips tabs only, and it
    /// would strip those of the lines too.
    fn is_indented(&self, lines: &[String]) -> bool {
        self.style.indent == "\t" && !parted(lines).any(|l| l.starts_with('\t'))
    }

    /// Adds the lines of a here-document that code made, [`Command::input`].
    fn here_lines(&mut self, lines: &[String]) {
        let indent = if self.is_indented(lines) {
            "\t".repeat(self.depth + 1)
        } else {
            String::new()
        };
        let mut below = String::new();
        for l in parted(lines) {
            if !indent.is_empty() || !l.is_empty() {
                below += &format!("{indent}{l}");
            }
            below.push('\n');
        }
        below += &format!("{indent}{}\n", delimiter(lines));
        self.documents.push(Below { lines: below });
    }

    fn command_words(&mut self, c: &Command) -> Vec<String> {
        let mut words = Vec::new();
        for assignment in &c.assignments {
            let before = std::mem::take(&mut self.out);
            self.assignment(assignment);
            words.push(std::mem::replace(&mut self.out, before));
        }
        let value = |v: &Word| {
            if v.is_absent() && !c.redirects.is_empty() {
                return String::new();
            }
            v.print(self.style.quoting.of_value())
        };
        let env = c
            .env
            .iter()
            .map(|(n, v)| format!("{}={}", identifier(n), value(v)));
        words.extend(env);
        words.extend(c.words.first().map(|w| self.name_of_command(w)));
        words.extend(c.words.iter().skip(1).map(|w| self.word(w)));
        words
    }

    /// Prints the first word of a command. A literal from code is quoted if bash would read it as a
    /// keyword or as an assignment.
    fn name_of_command(&self, word: &Word) -> String {
        let text = self.word(word);
        let sets = |text: &str| text.split_once('=').is_some_and(|(head, _)| is_set(head));
        let is_literal = word.is_literal() && (is_reserved(&text) || sets(&text));
        if is_literal {
            Word::quoted(word.text().unwrap_or_default()).print(Quoting::Whole)
        } else {
            text
        }
    }

    fn redirects(&mut self, c: &Command) -> Vec<String> {
        let mut out = Vec::new();
        if let Some(file) = &c.output {
            let sign = if c.append { ">>" } else { ">" };
            out.push(format!("{sign} {}", self.word(file)));
        }
        if let Some(lines) = &c.input {
            let strip = if self.is_indented(lines) { "-" } else { "" };
            out.push(format!("<<{strip}'{}'", delimiter(lines)));
            self.here_lines(lines);
        }
        let redirects = c.redirects.iter();
        out.extend(redirects.map(|redirect| self.redirect(redirect)));
        out
    }

    fn redirect(&mut self, redirect: &Redirect) -> String {
        let from = &redirect.descriptor;
        match &redirect.to {
            RedirectTo::File(sign @ (">&" | "<&"), word) => {
                format!("{from}{sign}{}", self.word(word))
            }
            RedirectTo::File(sign, word) => format!("{from}{sign} {}", self.word(word)),
            RedirectTo::HereString(word) => format!("{from}<<< {}", self.word(word)),
            RedirectTo::HereDocument(document) => {
                let HereDocument { end, tabs, body } = document;
                let quote = if matches!(body, HereBody::Literal(_)) {
                    "'"
                } else {
                    ""
                };
                let mut lines = match body {
                    HereBody::Literal(text) => text.clone(),
                    HereBody::Expanded(pieces) => between_quotes(pieces, '\n'),
                };
                if !lines.is_empty() && !lines.ends_with('\n') {
                    lines.push('\n');
                }
                // A line of the text may not end the document.
                let mut end = end.clone();
                let strip: &[char] = if *tabs { &['\t'] } else { &[] };
                while lines
                    .split('\n')
                    .any(|l| l.trim_start_matches(strip) == end)
                {
                    end.push('_');
                }
                lines += &format!("{end}\n");
                self.documents.push(Below { lines });
                let sign = if *tabs { "<<-" } else { "<<" };
                format!("{from}{sign}{quote}{end}{quote}")
            }
        }
    }

    /// Writes a command on several lines, each but the last ending with a backslash. The first
    /// `first` of the words are on the first line. `tail`, which contains redirections and pipes,
    /// is behind the last word.
    fn broken(&mut self, words: &[String], first: usize, tail: &[String], layout: Layout) {
        let room = self
            .style
            .width
            .saturating_sub((self.depth + 1) * self.style.indent_width + 2);
        let mut lines = vec![words[..first].join(" ")];
        for w in &words[first..] {
            let fits = lines
                .last()
                .is_some_and(|l| l.chars().count() + 1 + w.chars().count() <= room);
            match lines.last_mut() {
                Some(last) if layout == Layout::Wrap && fits => {
                    last.push(' ');
                    last.push_str(w);
                }
                _ => lines.push(w.clone()),
            }
        }
        if let Some(last) = lines.last_mut()
            && !tail.is_empty()
        {
            last.push(' ');
            last.push_str(&tail.join(" "));
        }
        // If blocks are indented by blanks, a continued line is indented by two more.
        let step = if self.style.indent == "\t" {
            "\t"
        } else {
            "  "
        };
        for (i, l) in lines.iter().enumerate() {
            if i > 0 {
                self.push(" \\\n");
                self.indent();
                self.push(step);
            }
            self.push(l);
        }
    }
}

/// Returns true if bash reads a command that begins with this text and `=` as an assignment.
fn is_set(head: &str) -> bool {
    let head = head.strip_suffix('+').unwrap_or(head);
    is_identifier(head.split('[').next().unwrap_or_default())
}

/// Returns the text before the value of a variable: `local name=`, `name+=`.
fn assigned(scope: Scope, name: &str, append: bool) -> String {
    format!(
        "{}{}{}",
        scope.keyword(),
        identifier(name),
        if append { "+=" } else { "=" }
    )
}

/// Returns the head of a function: `name()`. A blank precedes the parentheses if bash would read
/// them as a pattern, such as `+(`.
fn defined(name: &str) -> String {
    let blank = if name.ends_with(['+', '@', '?', '*', '!']) {
        " "
    } else {
        ""
    };
    format!("{}{blank}()", function(name))
}

/// Returns true if the statements contain no command.
fn does_nothing(stmts: &[Stmt]) -> bool {
    stmts.iter().all(|s| match s {
        Stmt::Blank | Stmt::Comment(_) | Stmt::Remark(_) => true,
        Stmt::Command(command) => {
            let has_words = !command.words.is_empty() || !command.env.is_empty();
            let redirects = !command.redirects.is_empty() || command.output.is_some();
            !has_words && !redirects && command.assignments.is_empty() && command.input.is_none()
        }
        Stmt::Raw(text) => text.literals().all(|t| {
            t.lines()
                .all(|l| l.trim().is_empty() || l.trim().starts_with('#'))
        }),
        _ => false,
    })
}

/// Returns the lines of a here-document. An element of `lines` may contain several lines.
fn parted(lines: &[String]) -> impl Iterator<Item = &str> {
    lines.iter().flat_map(|l| l.split('\n'))
}

/// Returns a word that equals none of the lines, and so can end a here-document: `EOF`, or else
/// `EOF_`.
fn delimiter(lines: &[String]) -> String {
    let mut word = String::from("EOF");
    while parted(lines).any(|l| l.trim() == word) {
        word.push('_');
    }
    word
}
