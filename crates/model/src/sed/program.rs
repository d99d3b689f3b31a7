//! What a script of sed does, command by command.

use super::REFERENCE;
use std::iter::Peekable;
use std::str::Chars;

type Script<'a> = Peekable<Chars<'a>>;

/// The scripts of one call of sed, which reads them as one.
#[derive(Default)]
pub(super) struct Program {
    /// Extended regular expressions.
    pub(super) extended: bool,
    /// The script that is read.
    pub(super) script: usize,
    /// The braces that are open.
    pub(super) depth: usize,
    /// The labels that are set.
    pub(super) labels: Vec<String>,
    /// The labels that are gone to, each with its script.
    pub(super) wanted: Vec<(String, usize)>,
    /// An expression stands before: an empty one means it.
    pub(super) expression: bool,
}

impl Program {
    /// The first label that is gone to and set nowhere.
    pub(super) fn lost(&self) -> Option<(&str, usize)> {
        let lost = self.wanted.iter().find(|(label, _)| !self.labels.contains(label));
        lost.map(|(label, at)| (label.as_str(), *at))
    }

    /// Reads the commands of a script.
    pub(super) fn read(&mut self, text: &str) -> Result<(), String> {
        if self.script == 0 && (text == "#n" || text.starts_with("#n\n")) {
            return Err("`#n` at the begin keeps sed from printing anything".to_owned());
        }
        let mut s = text.chars().peekable();
        loop {
            while s.next_if(|c| c.is_ascii_whitespace() || *c == ';').is_some() {}
            let Some(_) = s.peek() else { return Ok(()) };
            let addresses = self.addresses(&mut s)?;
            blanks(&mut s);
            if s.next_if_eq(&'!').is_some() {
                blanks(&mut s);
            }
            self.command(&mut s, addresses)?;
        }
    }

    fn command(&mut self, s: &mut Script<'_>, addresses: usize) -> Result<(), String> {
        let Some(c) = s.next() else { return Err("sed's script ends behind an address".to_owned()) };
        let most = match c {
            '}' | '#' | ':' => 0,
            'q' | 'Q' => 1,
            _ => 2,
        };
        if addresses > most {
            return Err(format!("`{c}` of sed takes fewer addresses"));
        }
        match c {
            '{' => self.depth += 1,
            '}' => {
                self.depth = self.depth.checked_sub(1).ok_or("a `}` of sed that nothing opened")?;
                end(s)?;
            }
            // It ends with its line, whatever that ends in.
            '#' => while s.next().is_some_and(|c| c != '\n') {},
            '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => end(s)?,
            'l' | 'q' | 'Q' => {
                blanks(s);
                while s.next_if(char::is_ascii_digit).is_some() {}
                end(s)?;
            }
            ':' => {
                let label = label(s)?;
                if label.is_empty() {
                    return Err("`:` of sed lacks its label".to_owned());
                }
                self.labels.push(label);
            }
            'b' | 't' | 'T' => {
                let label = label(s)?;
                if !label.is_empty() {
                    self.wanted.push((label, self.script));
                }
            }
            'a' | 'i' | 'c' => added(s, c)?,
            's' => self.substitution(s)?,
            'y' => {
                let mark = mark(s)?;
                let (from, to) = (until(s, mark)?, until(s, mark)?);
                end(s)?;
                if characters(&from, mark)? != characters(&to, mark)? {
                    return Err("the sides of sed's `y` differ in length".to_owned());
                }
            }
            'e' => return Err("`e` of sed runs a program".to_owned()),
            'r' | 'R' => return Err(format!("`{c}` of sed reads a file")),
            'w' | 'W' => return Err(format!("`{c}` of sed writes a file")),
            other => return Err(format!("{other:?} is no command of sed")),
        }
        Ok(())
    }

    fn substitution(&mut self, s: &mut Script<'_>) -> Result<(), String> {
        let mark = mark(s)?;
        let (from, to) = (until(s, mark)?, until(s, mark)?);
        let groups = self.groups(&from, mark)?;
        let mut escaped = to.chars();
        while let Some(c) = escaped.next() {
            let digit = if c == '\\' { escaped.next().filter(|d| *d != mark) } else { None };
            if groups.is_some_and(|g| digit.and_then(|d| d.to_digit(10)).is_some_and(|d| d as usize > g)) {
                return Err("sed's replacement names a group that its expression lacks".to_owned());
            }
        }
        let mut had = String::new();
        while let Some(flag) = s.next_if(|c| c.is_ascii_alphanumeric() || *c == REFERENCE) {
            match flag {
                'e' => return Err("the flag `e` of sed runs what a line holds".to_owned()),
                'w' => return Err("the flag `w` of sed writes a file".to_owned()),
                'g' | 'p' if had.contains(flag) => {
                    return Err(format!("the flag `{flag}` of sed stands twice"));
                }
                'g' | 'p' | 'i' | 'I' | 'm' | 'M' => had.push(flag),
                '0'..='9' => {
                    let mut zero = flag == '0';
                    while let Some(c) = s.next_if(char::is_ascii_digit) {
                        zero &= c == '0';
                    }
                    if zero || had.contains('1') {
                        return Err("sed's `s` takes one number, and not 0".to_owned());
                    }
                    had.push('1');
                }
                other => return Err(format!("{other:?} is no flag of sed's `s`")),
            }
        }
        end(s)
    }

    /// What stands in front of a command: none, one or two addresses.
    fn addresses(&mut self, s: &mut Script<'_>) -> Result<usize, String> {
        let Some(first) = self.address(s)? else { return Ok(0) };
        blanks(s);
        let count = if s.next_if_eq(&',').is_some() {
            blanks(s);
            let counted = s.next_if(|c| "+~".contains(*c)).is_some();
            let second = self.address(s)?.ok_or("sed's second address is missing")?;
            if counted && !matches!(second, Address::Line(_)) {
                return Err("sed counts lines by a number".to_owned());
            }
            if matches!(first, Address::Line(true)) && !matches!(second, Address::Expression) {
                return Err("sed knows no line 0".to_owned());
            }
            2
        } else if matches!(first, Address::Line(true)) {
            return Err("sed knows no line 0".to_owned());
        } else {
            1
        };
        Ok(count)
    }

    fn address(&mut self, s: &mut Script<'_>) -> Result<Option<Address>, String> {
        let mark = match s.peek() {
            Some('$') => {
                s.next();
                return Ok(Some(Address::Other));
            }
            Some(c) if c.is_ascii_digit() => {
                let mut zero = true;
                while let Some(c) = s.next_if(char::is_ascii_digit) {
                    zero &= c == '0';
                }
                if s.next_if_eq(&'~').is_none() {
                    return Ok(Some(Address::Line(zero)));
                }
                let step = s.next_if(char::is_ascii_digit).ok_or("sed's `~` lacks its number")?;
                zero &= step == '0';
                while let Some(c) = s.next_if(char::is_ascii_digit) {
                    zero &= c == '0';
                }
                return Ok(Some(if zero { Address::Line(true) } else { Address::Other }));
            }
            Some('/') => {
                s.next();
                '/'
            }
            Some('\\') => {
                s.next();
                mark(s)?
            }
            _ => return Ok(None),
        };
        let expression = until(s, mark)?;
        let flags = s.next_if(|c| "IM".contains(*c)).is_some();
        while s.next_if(|c| "IM".contains(*c)).is_some() {}
        if flags && expression.is_empty() {
            return Err("an empty expression of sed takes no flags".to_owned());
        }
        self.groups(&expression, mark)?;
        Ok(Some(Address::Expression))
    }

    /// How many groups an expression has, where that is known. What sed refuses in every file is refused.
    fn groups(&mut self, expression: &str, mark: char) -> Result<Option<usize>, String> {
        if expression.is_empty() {
            let before = std::mem::replace(&mut self.expression, true);
            return if before { Ok(None) } else { Err("sed's empty expression repeats none".to_owned()) };
        }
        self.expression = true;
        let (mut open, mut closed) = (0_usize, 0_usize);
        let mut c = expression.chars().peekable();
        while let Some(sign) = c.next() {
            let escaped = sign == '\\';
            let sign = if escaped { c.next().ok_or("sed's expression ends in `\\`")? } else { sign };
            match sign {
                '[' if !escaped => bracket(&mut c)?,
                '(' if escaped != self.extended => open += 1,
                ')' if escaped != self.extended => {
                    closed += 1;
                    if closed > open {
                        return Err("sed's expression closes a group that nothing opened".to_owned());
                    }
                }
                '1'..='9'
                    if escaped && sign != mark && sign.to_digit(10).is_some_and(|d| d as usize > open) =>
                {
                    return Err("sed's expression names a group that it lacks".to_owned());
                }
                _ => {}
            }
        }
        if open > closed {
            Err("a group of sed's expression is not closed".to_owned())
        } else {
            Ok(Some(open))
        }
    }
}

/// What stands before a command.
enum Address {
    /// A number; true when it is 0.
    Line(bool),
    Expression,
    Other,
}

/// A set of characters, up to its `]`: as the first of them that one is a character.
fn bracket(c: &mut Script<'_>) -> Result<(), String> {
    c.next_if_eq(&'^');
    c.next_if_eq(&']');
    while let Some(sign) = c.next() {
        match sign {
            ']' => return Ok(()),
            '[' => {
                // `[:alpha:]`, `[.a.]` and `[=a=]` have a `]` of their own.
                let Some(kind) = c.next_if(|c| ":.=".contains(*c)) else { continue };
                let mut last = ' ';
                loop {
                    let next = c.next().ok_or("sed's `[` is not closed")?;
                    if last == kind && next == ']' {
                        break;
                    }
                    last = next;
                }
            }
            _ => {}
        }
    }
    Err("sed's `[` is not closed".to_owned())
}

/// How many characters a side of `y` has.
fn characters(side: &str, mark: char) -> Result<usize, String> {
    if side.contains(REFERENCE) {
        return Err("sed's `y` takes characters, and no reference".to_owned());
    }
    let (mut count, mut c) = (0, side.chars());
    while let Some(sign) = c.next() {
        count += 1;
        let escaped = |c: char| c == mark || "\\nabfrtv\n".contains(c);
        if sign == '\\' && !c.next().is_some_and(escaped) {
            return Err("sed's `y` knows no such escape".to_owned());
        }
    }
    Ok(count)
}

/// The text behind `a`, `i` or `c`: up to the end of a line that no backslash goes on.
fn added(s: &mut Script<'_>, command: char) -> Result<(), String> {
    blanks(s);
    let mut out = String::new();
    while let Some(c) = s.next().filter(|c| *c != '\n') {
        out.push(c);
        if c == '\\' {
            // The next script would be a part of it.
            out.push(s.next().ok_or_else(|| format!("`{command}` of sed goes on behind its script"))?);
        }
    }
    if out.trim_start_matches(['\\', '\n', ' ', '\t']).is_empty() {
        return Err(format!("`{command}` of sed lacks its text"));
    }
    Ok(())
}

/// A label and what ends it. Sed takes all up to a blank or a `;` for one, signs and comments too.
fn label(s: &mut Script<'_>) -> Result<String, String> {
    blanks(s);
    let mut label = String::new();
    while let Some(c) = s.next_if(|c| c.is_ascii_alphanumeric() || "_-.".contains(*c)) {
        label.push(c);
    }
    blanks(s);
    match s.peek() {
        None | Some('\n' | ';') => Ok(label),
        Some('}') if label.is_empty() => Ok(label),
        Some(c) => Err(format!("{c:?} is too much behind a label of sed")),
    }
}

/// The character that parts what follows. One that is a sign of sets or groups changes what an expression means.
fn mark(s: &mut Script<'_>) -> Result<char, String> {
    let fine = |c: &char| c.is_ascii() && !"\n\\()[]^".contains(*c);
    s.next_if(fine).ok_or_else(|| "sed's delimiter is missing or a sign of expressions".to_owned())
}

/// Up to the delimiter and over it. A backslash hides it. Brackets do so from sed 4.9 and not from those before; an
/// expression with an open bracket is refused, so for each that passes it is the same one.
fn until(s: &mut Script<'_>, mark: char) -> Result<String, String> {
    let mut out = String::new();
    while let Some(c) = s.next() {
        match c {
            c if c == mark => return Ok(out),
            '\n' => break,
            c => out.push(c),
        }
        if c == '\\' {
            out.extend(s.next());
        }
    }
    Err(format!("sed's command lacks the delimiter {mark:?}"))
}

fn blanks(s: &mut Script<'_>) {
    while s.next_if(|c| matches!(c, ' ' | '\t')).is_some() {}
}

/// Nothing more may belong to the command.
fn end(s: &mut Script<'_>) -> Result<(), String> {
    blanks(s);
    match s.peek() {
        None | Some('\n' | ';' | '}' | '#') => Ok(()),
        Some(c) => Err(format!("{c:?} is too much behind a command of sed")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reads(script: &str) -> bool {
        let mut program = Program::default();
        program.read(script).is_ok() && program.depth == 0 && program.lost().is_none()
    }

    #[test]
    fn scripts_that_change_text_pass() {
        for script in [
            "s/a/b/",
            "s|a|b|g;s,c,d,I2p",
            "/x/d",
            "\\,x,d",
            "/a/,/b/{s/c/d/;p}",
            "1,+3d;$!N",
            "0~4!p",
            "a\\  text; e x",
            "/x/c set(A 0)",
            ":a;s/x/y/;ta",
            "y/abc/def/",
            "# w x\np",
            "s/e/w x/",
            "",
            "# x\\\np",
            "s/[]x]/y/;s/[^[:alpha:]]/y/",
            "s/\\(a\\)\\1/\\1/2g",
            "s|a\\|b|c|",
            "/x/s//y/",
            "0,/x/d",
            "y/a\\/\\n/bcd/",
            "{b};b x;:x",
        ] {
            assert!(reads(script), "{script}");
        }
    }

    #[test]
    fn scripts_that_do_more_are_refused() {
        for script in [
            "e",
            "e id",
            "1e id",
            "/x/{e id\n}",
            "s/a/b/e",
            "s/a/b/gw x",
            "w x",
            "W x",
            "r x",
            "R x",
            "a text\ne id",
            "s/a/b/;e id",
            "p;w x",
            "s/a/b",
            "s/a\nb/c/",
            "{p",
            "}",
            "k",
            "s/a/b/\u{fffc}",
            "\u{fffc}",
            "a",
            "i\\",
            "#x\n1e",
            "# \\\n1e touch x",
            "s/a/b/#\\\n1e touch x",
            "p;#x\\\n1e touch x",
            ":a#;e id",
            "a x\\",
            "#n",
            "s/[/x/",
            "s/\\(a/b/",
            "s/a\\)/b/",
            "s/a/\\1/",
            "s/\\1/a/",
            "s//b/",
            "s/a/b/gg",
            "s/a/b/0",
            "y/ab/c/",
            "0d",
            "0,5d",
            "1,+/x/d",
            "b nolabel",
            "1,2Q",
            "1:a",
            "1}",
            "s([(](#(e",
            "\\^[^p;a]^e touch q2",
            "s]a]b]",
            "s)a)b)",
            "y[a[b[",
            "y/[/]/;s/[/]x/y/",
        ] {
            assert!(!reads(script), "{script}");
        }
    }
}
