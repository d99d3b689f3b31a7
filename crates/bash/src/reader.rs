//! Follows quotes, expansions and here-documents in shell text that has no typed form,
//! [`Stmt::Raw`](super::Stmt::Raw). It finds the lines that begin inside a quoted text, and the
//! quotes and brackets that are not closed. It does not read the commands themselves.

/// The characters that end a word outside quotes.
const SIGNS: &str = " \t\n;&|()<>";

/// A fault in a shell text, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShellFault {
    /// The byte offset at which the fault begins.
    pub at: usize,
    /// The message, such as ``the quote `"` is not closed``.
    pub message: String,
}

/// The result of reading a shell text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShellText {
    /// The first fault: a quote or bracket that is not closed, or a sign at the end, such as `|` or
    /// a backslash, that would join the text with what follows. None for a complete text.
    pub fault: Option<ShellFault>,
    /// The lines, counted from 0, that begin inside quotes or a here-document.
    pub held: Vec<usize>,
}

/// Reads shell text.
pub fn read_shell(text: &str) -> ShellText {
    let mut reader = TextReader::new(text, 0);
    let fault = reader.read();
    let line = |at: &usize| text[..*at].matches('\n').count();
    let held = reader.held.iter().map(line).collect();
    ShellText {
        fault: fault.map(|(at, message)| ShellFault { at, message }),
        held,
    }
}

/// The kind of a quote or bracket that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum OpenQuote {
    /// `"`
    Quote,
    /// `${`
    Brace,
    /// `(`, `$(`, `<(`, or the list of an array.
    Paren,
    /// One of the two parentheses of `((` or `$((`, in which `<<` is a shift and `#` begins no
    /// comment.
    Arithmetic,
}

/// A here-document whose text begins on the next line.
struct Document<'a> {
    at: usize,
    end: &'a str,
    tabs: bool,
}

pub(super) struct TextReader<'a> {
    text: &'a str,
    pub(super) at: usize,
    open: Vec<(OpenQuote, usize)>,
    documents: Vec<Document<'a>>,
    /// The byte offsets of lines that begin inside quotes or a here-document.
    held: Vec<usize>,
    /// The last sign that a command must follow, such as `&&`, with its offset; none after that
    /// command began.
    joins: Option<(usize, &'static str)>,
}

impl<'a> TextReader<'a> {
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

    /// Reads to the end, and returns the offset and the message of the first fault.
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
                OpenQuote::Quote => "the quote `\"` is not closed",
                OpenQuote::Brace => "`${` is not closed by `}`",
                _ if self.text[*at..].starts_with('$') => "`$(` is not closed by `)`",
                OpenQuote::Paren | OpenQuote::Arithmetic => "`(` is not closed by `)`",
            };
            return Some((*at, message.to_owned()));
        }
        let (at, sign) = self.joins?;
        Some((
            at,
            format!("the text ends in `{sign}`, so bash would join the next line to it"),
        ))
    }

    /// Reads one character, or the text that it opens. Returns the offset and the message of a
    /// fault.
    pub(super) fn step(&mut self) -> Option<(usize, String)> {
        match self.open.last().map(|(open, _)| *open) {
            Some(OpenQuote::Quote | OpenQuote::Brace) => self.quoted(),
            top => self.code(top == Some(OpenQuote::Arithmetic)),
        }
    }

    /// Reads one character inside double quotes or `${…}`, or the text that it opens.
    fn quoted(&mut self) -> Option<(usize, String)> {
        let start = self.at;
        let top = self.open.last()?.0;
        match self.next()? {
            '"' if top == OpenQuote::Quote => drop(self.open.pop()),
            '}' if top == OpenQuote::Brace => drop(self.open.pop()),
            '"' => self.open.push((OpenQuote::Quote, start)),
            // Inside both, the operator decides if a single quote is a quote.
            '\'' if top == OpenQuote::Brace
                && !self.open.iter().any(|(open, _)| *open == OpenQuote::Quote) =>
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

    /// Reads one character of commands, or the text that it opens.
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
                // Nothing follows the backslash.
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
            '"' => self.open.push((OpenQuote::Quote, start)),
            '$' if self.take("'") => {
                self.joins = None;
                return self.until('\'', start, true);
            }
            '$' => self.expansion(start),
            '(' => self.parentheses(start),
            ')' => {
                // The pattern of a `case` ends with a parenthesis that was not opened.
                if matches!(
                    self.open.last(),
                    Some((OpenQuote::Paren | OpenQuote::Arithmetic, _))
                ) {
                    self.open.pop();
                }
            }
            '<' if !arithmetic && self.take("<") && !self.take("<") => self.document(start),
            _ => {}
        }
        self.joins = None;
        None
    }

    /// Reads the text up to the closing quote `quote`: a single quote, also after `$'`, or a
    /// backtick. `start` is the offset of the opening quote. With `escapes`, a backslash hides the
    /// next character. Lines between backticks are lines of shell code, so they are not added to
    /// `held`.
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

    /// Reads the opening brace or parenthesis after a `$`.
    fn expansion(&mut self, start: usize) {
        if self.take("{") {
            self.open.push((OpenQuote::Brace, start));
        } else if self.take("(") {
            self.parentheses(start);
        }
    }

    /// Reads on after the `(` at `start`. If a second `(` follows, the two begin an arithmetic
    /// expression.
    fn parentheses(&mut self, start: usize) {
        if self.take("(") {
            self.open.extend([(OpenQuote::Arithmetic, start); 2]);
        } else {
            self.open.push((OpenQuote::Paren, start));
        }
    }

    /// Reads the word after `<<` that ends a here-document. A word with expansions or inner quotes
    /// is ignored, because it is too rare.
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

    /// Reads the texts of the here-documents that began on the line before. Returns a fault if one
    /// of them does not end.
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
            "the here-document is not closed by a line `{}`",
            document.end
        ),
    )
}
