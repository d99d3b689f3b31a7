//! Reads the commands of shell text: their words, and the files that they send output to. It never fails: what is not closed goes on to
//! the end, and what stands too deep ends the reading.

use super::is_assignment;

/// So deep may expansions stand in each other.
const MOST_NESTED: usize = 50;

/// Words of bash that stand before a command, or behind one's end.
const KEYWORDS: &[&str] = &[
    "if", "then", "elif", "else", "fi", "while", "until", "do", "done", "{", "}", "!", "time", "coproc",
    "esac",
];

/// Signs that lead from or to a file; each stands before those that it begins with.
const REDIRECTIONS: &[&str] = &["<<<", "<<-", "<<", "<>", "<&", "<", "&>>", "&>", ">>", ">|", ">&", ">"];

/// One command, whatever stands around it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Simple {
    /// Its words as they are written, quotes and assignments among them.
    pub(super) words: Vec<String>,
    /// The files that it opens to write.
    pub(super) outputs: Vec<String>,
}

/// Every command of a text, those in `$(…)` too.
pub(super) fn commands(text: &str) -> Vec<Simple> {
    let mut reader = Reader { text, at: 0, nested: 0, pending: Vec::new(), found: Vec::new() };
    reader.list(false);
    reader.found
}

/// A word without quotes and backslashes.
pub(super) fn unquoted(word: &str) -> String {
    word.replace(['"', '\'', '\\'], "")
}

/// How far a `case` is read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Case {
    Word,
    Pattern,
    Body,
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    nested: usize,
    /// What ends each here-document whose text begins on the next line, and whether tabs may stand before it.
    pending: Vec<(String, bool)>,
    found: Vec<Simple>,
}

impl Reader<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// True if this stands here.
    fn sees(&self, what: &str) -> bool {
        self.text.as_bytes()[self.at..].starts_with(what.as_bytes())
    }

    fn take(&mut self, what: &str) -> bool {
        let found = self.sees(what);
        self.skip(if found { what.len() } else { 0 });
        found
    }

    fn skip(&mut self, bytes: usize) {
        self.at = self.text.len().min(self.at + bytes);
    }

    fn end(&mut self, command: &mut Simple) {
        let command = std::mem::take(command);
        if command != Simple::default() {
            self.found.push(command);
        }
    }

    /// Enters what may stand in itself.
    fn inside(&mut self, read: impl FnOnce(&mut Self)) {
        self.nested += 1;
        if self.nested > MOST_NESTED {
            self.at = self.text.len();
        } else {
            read(self);
        }
        self.nested -= 1;
    }

    /// Commands up to the end of the text, or up to the `)` that closes them.
    fn list(&mut self, closes: bool) {
        let mut command = Simple::default();
        let mut cases: Vec<Case> = Vec::new();
        let mut parens = 0_usize;
        // What stands next is the name of a function.
        let mut named = false;
        while let Some(c) = self.peek() {
            match c {
                b' ' | b'\t' => self.skip(1),
                b'\\' if self.sees("\\\n") => self.skip(2),
                b'#' => self.comment(),
                b'\n' => {
                    self.skip(1);
                    self.end(&mut command);
                    self.documents();
                }
                _ if cases.last() == Some(&Case::Pattern) => {
                    if self.pattern() {
                        cases.pop();
                    } else if let Some(case) = cases.last_mut() {
                        *case = Case::Body;
                    }
                }
                b'<' | b'>' | b'&' if self.redirects() => self.redirect(&mut command),
                b';' | b'&' | b'|' => {
                    let ends = [";;&", ";;", ";&"].into_iter().any(|sign| self.take(sign));
                    self.skip(usize::from(!ends));
                    self.end(&mut command);
                    if let Some(case) = cases.last_mut().filter(|_| ends) {
                        *case = Case::Pattern;
                    }
                }
                b'(' if self.sees("((") && command.words.first().is_none_or(|first| first == "for") => {
                    self.parens();
                }
                b'(' => {
                    self.skip(1);
                    parens += 1;
                    self.end(&mut command);
                }
                b')' => {
                    self.skip(1);
                    self.end(&mut command);
                    if parens == 0 && closes {
                        return;
                    }
                    parens = parens.saturating_sub(1);
                }
                _ => {
                    let word = self.word();
                    let first = command.words.is_empty();
                    // The number of what is redirected.
                    let number = word.bytes().all(|c| c.is_ascii_digit())
                        || word.starts_with('{') && word.ends_with('}');
                    if std::mem::take(&mut named) || number && matches!(self.peek(), Some(b'<' | b'>')) {
                        continue;
                    }
                    match word.as_str() {
                        "function" if first => named = true,
                        "in" if command.words.len() == 2 && cases.last() == Some(&Case::Word) => {
                            command = Simple::default();
                            cases.pop();
                            cases.push(Case::Pattern);
                        }
                        keyword if first && KEYWORDS.contains(&keyword) => match keyword {
                            "esac" => _ = cases.pop(),
                            "time" => _ = self.take(" -p"),
                            _ => {}
                        },
                        _ => {
                            match word.as_str() {
                                "case" if first => cases.push(Case::Word),
                                "[[" if first => self.test(),
                                // The elements of an array.
                                w if w.ends_with('=') && self.peek() == Some(b'(') && is_assignment(w) => {
                                    self.parens();
                                }
                                _ => {}
                            }
                            command.words.push(word);
                        }
                    }
                }
            }
        }
        self.end(&mut command);
    }

    /// A word as it is written, less the ends of lines that a backslash takes away.
    fn word(&mut self) -> String {
        let start = self.at;
        while let Some(c) = self.peek() {
            let next = self.text.as_bytes().get(self.at + 1).copied();
            match c {
                b'?' | b'*' | b'+' | b'@' | b'!' if next == Some(b'(') && (c != b'!' || self.at > start) => {
                    self.skip(1);
                    self.parens();
                }
                b'<' | b'>' if next == Some(b'(') => {
                    self.skip(2);
                    self.inside(|r| r.list(true));
                }
                b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')' | b'<' | b'>' => break,
                _ => self.piece(false),
            }
        }
        self.text[start..self.at].replace("\\\n", "")
    }

    /// A character, or the quotes or the expansion that begins here.
    fn piece(&mut self, in_quotes: bool) {
        let Some(c) = self.peek() else { return };
        match c {
            b'\\' => self.skip(2),
            b'\'' if !in_quotes => {
                let rest = &self.text.as_bytes()[self.at + 1..];
                let length = rest.iter().position(|c| *c == b'\'').unwrap_or(rest.len());
                self.skip(length + 2);
            }
            b'"' => self.until(b'"', |r| r.piece(true)),
            b'`' => self.until(b'`', |r| r.skip(if r.peek() == Some(b'\\') { 2 } else { 1 })),
            b'$' => {
                self.skip(1);
                match self.peek() {
                    Some(b'(') if self.sees("((") => self.inside(Self::parens),
                    Some(b'(') => {
                        self.skip(1);
                        self.inside(|r| r.list(true));
                    }
                    Some(b'{') => self.inside(|r| r.until(b'}', |r| r.piece(in_quotes))),
                    Some(b'\'') if !in_quotes => {
                        self.until(b'\'', |r| r.skip(if r.peek() == Some(b'\\') { 2 } else { 1 }));
                    }
                    _ => {}
                }
            }
            _ => self.skip(1),
        }
    }

    /// What opens here, piece by piece, and the sign that closes it.
    fn until(&mut self, close: u8, piece: impl Fn(&mut Self)) {
        self.skip(1);
        while let Some(c) = self.peek() {
            if c == close {
                return self.skip(1);
            }
            piece(self);
        }
    }

    /// What stands in parentheses and is no command: arithmetic, an array, a pattern.
    fn parens(&mut self) {
        let mut depth = 0_usize;
        let mut blank = false;
        while let Some(c) = self.peek() {
            match c {
                b'(' => depth += 1,
                b')' => depth -= 1,
                _ => {}
            }
            match c {
                b'(' | b')' => self.skip(1),
                b'#' if blank => self.comment(),
                _ => self.piece(false),
            }
            if depth == 0 {
                return;
            }
            blank = c.is_ascii_whitespace();
        }
    }

    fn comment(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += rest.iter().position(|c| *c == b'\n').unwrap_or(rest.len());
    }

    /// `[[ … ]]`, whose signs are its own.
    fn test(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                b' ' | b'\t' | b'\n' | b'(' | b')' | b'<' | b'>' | b'&' | b'|' | b';' => self.skip(1),
                _ if self.word() == "]]" => return,
                _ => {}
            }
        }
    }

    /// A pattern of a `case` with its `)`; true if the `case` ends instead.
    fn pattern(&mut self) -> bool {
        let opened = self.take("(");
        while let Some(c) = self.peek() {
            match c {
                b')' => {
                    self.skip(1);
                    return false;
                }
                b' ' | b'\t' | b'\n' | b'(' | b'<' | b'>' | b'&' | b'|' | b';' => self.skip(1),
                _ if self.word() == "esac" && !opened => return true,
                _ => {}
            }
        }
        true
    }

    /// True where a redirection begins, and neither `>(…)` nor the end of a command.
    fn redirects(&self) -> bool {
        let command = self.sees("<(") || self.sees(">(");
        !command && REDIRECTIONS.iter().any(|sign| self.sees(sign))
    }

    fn redirect(&mut self, command: &mut Simple) {
        let sign = REDIRECTIONS.iter().copied().find(|sign| self.take(sign)).unwrap_or_default();
        while self.take(" ") || self.take("\t") || self.take("\\\n") {}
        let file = self.word();
        // `>&1` and `>&-` name no file.
        let number = file.bytes().all(|c| c.is_ascii_digit() || c == b'-');
        match sign {
            "<<" | "<<-" => self.pending.push((unquoted(&file), sign == "<<-")),
            "<<<" | "<&" | "<" => {}
            ">&" if number => {}
            _ if file.is_empty() => {}
            _ => command.outputs.push(file),
        }
    }

    /// Passes over the texts of the here-documents that were asked for on the line before.
    fn documents(&mut self) {
        for (end, tabs) in std::mem::take(&mut self.pending) {
            while self.at < self.text.len() {
                let start = self.at;
                self.comment();
                let line = &self.text[start..self.at];
                self.skip(1);
                if end == if tabs { line.trim_start_matches('\t') } else { line } {
                    break;
                }
            }
        }
    }
}
