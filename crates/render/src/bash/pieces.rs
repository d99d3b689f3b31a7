//! Words of shell text: quotes, expansions, arrays, and what may stand in each other.

use super::reader::{Read, Reader, Stop, fault, open};

impl Reader<'_> {
    /// A word with all that it holds.
    pub(super) fn word(&mut self) -> Read {
        let start = self.at;
        while let Some(c) = self.peek() {
            let at = self.at;
            match c {
                c if " \t\n;&|<>)".contains(c) => break,
                '(' => {
                    let before = &self.text[start..self.at];
                    let list = before.ends_with('=');
                    if !list && !before.ends_with(['?', '*', '+', '@', '!']) {
                        break;
                    }
                    self.next();
                    if list {
                        self.elements(at)?;
                    } else {
                        self.balanced(at, "(", ")")?;
                    }
                }
                _ => self.piece()?,
            }
        }
        Ok(())
    }

    /// The elements of an array.
    fn elements(&mut self, start: usize) -> Read {
        loop {
            match self.peek() {
                None => return open(start, "(", ")"),
                Some(')') => {
                    self.next();
                    return Ok(());
                }
                Some('#') => self.comment(),
                Some(' ' | '\t' | '\n') => _ = self.next(),
                Some('(' | ';' | '&' | '|' | '<' | '>') => return Err(Stop::Unknown),
                Some(_) => self.word()?,
            }
        }
    }

    /// One sign of a word, or what it opens.
    fn piece(&mut self) -> Read {
        let start = self.at;
        match self.next() {
            Some('\\') => _ = self.next(),
            Some('\'') => {
                while let Some(c) = self.next() {
                    match c {
                        '\'' => return Ok(()),
                        '\n' => self.held.push(self.at),
                        _ => {}
                    }
                }
                return fault(start, "the quote `'` is not closed");
            }
            Some('"') => return self.quoted(start),
            Some('`') => {
                while let Some(c) = self.next() {
                    match c {
                        '`' => return Ok(()),
                        '\\' => _ = self.next(),
                        _ => {}
                    }
                }
                return open(start, "`", "`");
            }
            Some('$') => return self.expansion(start, false),
            _ => {}
        }
        Ok(())
    }

    /// What stands between double quotes.
    fn quoted(&mut self, start: usize) -> Read {
        while let Some(c) = self.peek() {
            let at = self.at;
            if c == '`' {
                self.piece()?;
                continue;
            }
            self.next();
            match c {
                '"' => return Ok(()),
                '\\' => {
                    let line_end = self.next() == Some('\n');
                    self.held.extend(line_end.then_some(self.at));
                }
                '\n' => self.held.push(self.at),
                '$' => self.expansion(at, true)?,
                _ => {}
            }
        }
        fault(start, "the quote `\"` is not closed")
    }

    /// What stands behind a `$`.
    fn expansion(&mut self, start: usize, quoted: bool) -> Read {
        if self.take("((") {
            return self.inside(|r| r.balanced(start, "$((", "))"));
        }
        if self.take("(") {
            return self.inside(|r| {
                let pending = std::mem::take(&mut r.pending);
                r.list(Some((start, "$(")))?;
                r.pending = pending;
                Ok(())
            });
        }
        if self.take("{") {
            return self.inside(|r| r.braces(start, quoted));
        }
        if !quoted && self.take("'") {
            while let Some(c) = self.next() {
                match c {
                    '\'' => return Ok(()),
                    '\\' => _ = self.next(),
                    '\n' => self.held.push(self.at),
                    _ => {}
                }
            }
            return fault(start, "the quote `$'` is not closed");
        }
        Ok(())
    }

    /// `${…}`.
    fn braces(&mut self, start: usize, quoted: bool) -> Read {
        while let Some(c) = self.peek() {
            match c {
                '}' => {
                    self.next();
                    return Ok(());
                }
                // Whether it is a quote depends on the operator.
                '\'' if quoted => return Err(Stop::Unknown),
                '\n' => {
                    self.next();
                    self.held.push(self.at);
                }
                _ => self.piece()?,
            }
        }
        open(start, "${", "}")
    }

    /// Text in which parentheses are counted, as arithmetic and patterns are.
    pub(super) fn balanced(&mut self, start: usize, what: &str, end: &str) -> Read {
        let mut depth = 0usize;
        while let Some(c) = self.peek() {
            if depth == 0 && self.take(end) {
                return Ok(());
            }
            match c {
                '(' => {
                    depth += 1;
                    self.next();
                }
                // `$( (a) )` without the blank: what it is bash finds out by trying.
                ')' if depth == 0 => return Err(Stop::Unknown),
                ')' => {
                    depth -= 1;
                    self.next();
                }
                '#' | '<' => _ = self.next(),
                _ => self.piece()?,
            }
        }
        open(start, what, end)
    }
}
