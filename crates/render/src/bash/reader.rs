//! Follows quotes, expansions and here-documents of shell text that was written by hand: which
//! lines begin inside of a text that must stay as it is, and what is not closed. What commands do
//! is not looked at.

/// What ends a word outside of quotes.
const SIGNS: &str = " \t\n;&|()<>";

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellFault {
    /// The byte at which what is wrong begins.
    pub at: usize,
    /// What is wrong, such as ``the quote `"` is not closed``.
    pub message: String,
}

/// What was read of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellText {
    /// What is not closed, or takes what comes behind the text for its own.
    pub fault: Option<ShellFault>,
    /// The lines, counted from 0, that begin inside of quotes or a here-document.
    pub held: Vec<usize>,
}

/// Reads shell text.
pub fn read_shell(text: &str) -> ShellText {
    let mut reader = Reader::new(text, 0);
    let fault = reader.read();
    let line = |at: &usize| text[..*at].matches('\n').count();
    let held = reader.held.iter().map(line).collect();
    ShellText {
        fault: fault.map(|(at, message)| ShellFault { at, message }),
        held,
    }
}

/// What is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    /// `"`
    Quote,
    /// `${`
    Brace,
    /// `(`, `$(`, `<(`, or the list of an array.
    Paren,
    /// One of the two of `((` or `$((`, in which `<<` shifts and `#` is no comment.
    Arithmetic,
}

/// A here-document whose text begins on the next line.
struct Document<'a> {
    at: usize,
    end: &'a str,
    tabs: bool,
}

pub(super) struct Reader<'a> {
    text: &'a str,
    pub(super) at: usize,
    open: Vec<(Open, usize)>,
    documents: Vec<Document<'a>>,
    /// Bytes at which lines begin that are not the shell's own.
    held: Vec<usize>,
    /// A sign that a command must follow, with nothing behind it yet.
    joins: Option<(usize, &'static str)>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str, at: usize) -> Self {
        Self {
            text,
            at,
            open: Vec::new(),
            documents: Vec::new(),
            held: Vec::new(),
            joins: None,
        }
    }

    pub(super) fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest().chars().next()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn take(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// Reads to the end; the first thing that is wrong, and where.
    fn read(&mut self) -> Option<(usize, String)> {
        while self.at < self.text.len() {
            let fault = self.step();
            if fault.is_some() {
                return fault;
            }
        }
        if let Some(document) = self.documents.first() {
            return Some(unended(document));
        }
        if let Some((open, at)) = self.open.first() {
            let message = match open {
                Open::Quote => "the quote `\"` is not closed",
                Open::Brace => "`${` is not closed by `}`",
                _ if self.text[*at..].starts_with('$') => "`$(` is not closed by `)`",
                Open::Paren | Open::Arithmetic => "`(` is not closed by `)`",
            };
            return Some((*at, message.to_owned()));
        }
        let (at, sign) = self.joins?;
        Some((
            at,
            format!("`{sign}` takes what comes behind the text for its own"),
        ))
    }

    /// One sign, or what it opens.
    pub(super) fn step(&mut self) -> Option<(usize, String)> {
        match self.open.last().map(|(open, _)| *open) {
            Some(Open::Quote | Open::Brace) => self.quoted(),
            top => self.code(top == Some(Open::Arithmetic)),
        }
    }

    /// One sign inside of double quotes or of `${…}`, or what it opens.
    fn quoted(&mut self) -> Option<(usize, String)> {
        let start = self.at;
        let top = self.open.last()?.0;
        match self.next()? {
            '"' if top == Open::Quote => drop(self.open.pop()),
            '}' if top == Open::Brace => drop(self.open.pop()),
            '"' => self.open.push((Open::Quote, start)),
            // Whether it is a quote inside of both depends on the operator.
            '\'' if top == Open::Brace
                && !self.open.iter().any(|(open, _)| *open == Open::Quote) =>
            {
                return self.until('\'', start, false);
            }
            '\n' => self.held.push(self.at),
            '\\' if self.next() == Some('\n') => self.held.push(self.at),
            '`' => return self.until('`', start, true),
            '$' => self.expansion(start),
            _ => {}
        }
        None
    }

    /// One sign of commands, or what it opens.
    fn code(&mut self, arithmetic: bool) -> Option<(usize, String)> {
        let start = self.at;
        let joins = ["&&", "||", "|&", "|"]
            .into_iter()
            .find(|sign| self.rest().starts_with(sign));
        if let Some(sign) = joins {
            self.at += sign.len();
            self.joins = Some((start, sign));
            return None;
        }
        let begins_word =
            self.text[..start].ends_with([' ', '\t', '\n', ';', '&', '|', '(', ')']) || start == 0;
        match self.next()? {
            ' ' | '\t' => return None,
            '\n' => return self.texts(),
            '#' if begins_word && !arithmetic => {
                self.at += self.rest().find('\n').unwrap_or(self.rest().len());
                return None;
            }
            '\\' => match self.next() {
                // Nothing stands behind it.
                None | Some('\n') if self.rest().is_empty() => {
                    self.joins = Some((start, "\\"));
                    return None;
                }
                Some('\n') => return None,
                _ => {}
            },
            quote @ ('\'' | '`') => {
                self.joins = None;
                return self.until(quote, start, quote == '`');
            }
            '"' => self.open.push((Open::Quote, start)),
            '$' if self.take("'") => {
                self.joins = None;
                return self.until('\'', start, true);
            }
            '$' => self.expansion(start),
            '(' => self.parentheses(start),
            ')' => {
                // The pattern of a `case` has one that nothing opened.
                if matches!(self.open.last(), Some((Open::Paren | Open::Arithmetic, _))) {
                    self.open.pop();
                }
            }
            '<' if !arithmetic && self.take("<") && !self.take("<") => self.document(start),
            _ => {}
        }
        self.joins = None;
        None
    }

    /// What stands between single quotes, behind `$'`, or between backticks, where the lines are
    /// the shell's own.
    fn until(&mut self, quote: char, start: usize, escapes: bool) -> Option<(usize, String)> {
        while let Some(c) = self.next() {
            match c {
                c if c == quote => return None,
                '\\' if escapes => _ = self.next(),
                '\n' if quote == '\'' => self.held.push(self.at),
                _ => {}
            }
        }
        Some((start, format!("the quote `{quote}` is not closed")))
    }

    /// What stands behind a `$`.
    fn expansion(&mut self, start: usize) {
        if self.take("{") {
            self.open.push((Open::Brace, start));
        } else if self.take("(") {
            self.parentheses(start);
        }
    }

    /// Behind a `(`: another one makes both arithmetic.
    fn parentheses(&mut self, start: usize) {
        if self.take("(") {
            self.open.extend([(Open::Arithmetic, start); 2]);
        } else {
            self.open.push((Open::Paren, start));
        }
    }

    /// Behind `<<`: the word that ends a here-document. One that is expanded or put together is too
    /// rare to be followed.
    fn document(&mut self, start: usize) {
        let tabs = self.take("-");
        self.at += self.rest().len() - self.rest().trim_start_matches([' ', '\t']).len();
        let rest = self.rest();
        let word = &rest[..rest.find(|c: char| SIGNS.contains(c)).unwrap_or(rest.len())];
        let bare = word.trim_matches(['\'', '"']);
        if !bare.is_empty() && !bare.contains(['$', '`', '\'', '"', '\\']) {
            self.documents.push(Document {
                at: start,
                end: bare,
                tabs,
            });
            self.at += word.len();
        }
    }

    /// The texts of the here-documents that were asked for on the line before.
    fn texts(&mut self) -> Option<(usize, String)> {
        for document in std::mem::take(&mut self.documents) {
            loop {
                if self.at >= self.text.len() {
                    return Some(unended(&document));
                }
                self.held.push(self.at);
                let line = self.rest().lines().next().unwrap_or_default();
                self.at = (self.at + line.len() + 1).min(self.text.len());
                if (if document.tabs {
                    line.trim_start_matches('\t')
                } else {
                    line
                }) == document.end
                {
                    break;
                }
            }
        }
        None
    }
}

fn unended(document: &Document) -> (usize, String) {
    (
        document.at,
        format!(
            "no line ends the here-document: expected `{}`",
            document.end
        ),
    )
}
