//! Checks of a rendered ebuild's text, made before it is written.

/// What is wrong with the text of an ebuild, in words.
///
/// Quotes and brackets must close, no line may end in blanks, and nothing may run a command in global scope but the
/// functions that PMS and the eclasses allow there.
pub(crate) fn ebuild(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (i, line) in text.lines().enumerate() {
        if line.ends_with([' ', '\t']) {
            out.push(format!("line {} ends in blanks", i + 1));
        }
        if line.starts_with("  ") {
            out.push(format!("line {} is indented by spaces", i + 1));
        }
    }
    if text.contains("\n\n\n") {
        out.push("two empty lines follow each other".to_owned());
    }
    if !text.ends_with('\n') || text.ends_with("\n\n") {
        out.push("the file does not end in one line feed".to_owned());
    }
    if let Err(e) = Reader::new(text).read() {
        out.push(e);
    }
    out
}

/// Functions that may be called in global scope: they print text and change nothing.
const GLOBAL: &[&str] =
    &["ver_cut", "ver_rs", "llvm_gen_dep", "python_gen_any_dep", "python_gen_cond_dep", "usev"];

/// So deep may expansions stand in each other: the reader calls itself for each.
const MOST_NESTED: usize = 500;

/// Follows quotes, comments and expansions, as far as an ebuild uses them.
struct Reader<'a> {
    rest: &'a str,
    line: usize,
    depth: usize,
    /// Expansions that are open.
    nested: usize,
}

impl<'a> Reader<'a> {
    fn new(rest: &'a str) -> Self {
        Self { rest, line: 1, depth: 0, nested: 0 }
    }

    fn next(&mut self) -> Option<char> {
        let c = self.rest.chars().next()?;
        self.rest = &self.rest[c.len_utf8()..];
        self.line += usize::from(c == '\n');
        Some(c)
    }

    fn read(&mut self) -> Result<(), String> {
        let mut before = '\n';
        while let Some(c) = self.next() {
            match c {
                '#' if before.is_whitespace() => self.skip_line(),
                '\'' => self.single()?,
                '"' => self.double()?,
                '`' => return Err(format!("line {} has a backtick outside quotes", self.line)),
                '\\' => {
                    self.next();
                }
                '$' => self.expansion()?,
                '{' => self.depth += 1,
                '}' => {
                    self.depth = self
                        .depth
                        .checked_sub(1)
                        .ok_or(format!("line {} closes a brace too many", self.line))?;
                }
                _ => {}
            }
            before = c;
        }
        if self.depth > 0 { Err("a brace is not closed".to_owned()) } else { Ok(()) }
    }

    fn skip_line(&mut self) {
        while !self.rest.is_empty() && !self.rest.starts_with('\n') {
            self.next();
        }
    }

    fn single(&mut self) -> Result<(), String> {
        let start = self.line;
        while let Some(c) = self.next() {
            if c == '\'' {
                return Ok(());
            }
        }
        Err(format!("the quote of line {start} is not closed"))
    }

    fn double(&mut self) -> Result<(), String> {
        let start = self.line;
        while let Some(c) = self.next() {
            match c {
                '"' => return Ok(()),
                '\\' => {
                    self.next();
                }
                '`' => return Err(format!("line {} has a backtick between quotes", self.line)),
                '$' => self.expansion()?,
                _ => {}
            }
        }
        Err(format!("the quote of line {start} is not closed"))
    }

    /// `${…}`, `$(…)` and `$((…))`; a command in global scope must be one of those that change nothing.
    fn expansion(&mut self) -> Result<(), String> {
        let (open, close) = match self.rest.chars().next() {
            Some('{') => ('{', '}'),
            Some('(') => ('(', ')'),
            _ => return Ok(()),
        };
        let start = self.line;
        self.next();
        if open == '(' && self.depth == 0 {
            let end =
                self.rest.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(self.rest.len());
            let name = &self.rest[..end];
            if !GLOBAL.contains(&name) {
                return Err(format!("line {start} runs `{name}` in global scope"));
            }
        }
        self.nested += 1;
        if self.nested > MOST_NESTED {
            return Err(format!("line {start} nests expansions deeper than {MOST_NESTED}"));
        }
        let mut depth = 1;
        while let Some(c) = self.next() {
            match c {
                '\'' if open == '(' => self.single()?,
                '"' => self.double()?,
                '\\' => {
                    self.next();
                }
                '$' => self.expansion()?,
                c if c == open => depth += 1,
                c if c == close => {
                    depth -= 1;
                    if depth == 0 {
                        self.nested -= 1;
                        return Ok(());
                    }
                }
                _ => {}
            }
        }
        Err(format!("the expansion of line {start} is not closed"))
    }
}

#[cfg(test)]
mod tests {
    use super::ebuild;

    #[test]
    fn sound_text_passes() {
        let text =
            "# it's \"fine\nA=\"$(ver_cut 1-2)\"\nB='a\"b'\nf() {\n\tx=\"${a#\"${b}\"}\" $(c '$)')\n}\n";
        assert_eq!(ebuild(text), [] as [&str; 0]);
    }

    #[test]
    fn expansions_within_expansions_come_to_an_end() {
        let nested = |n: usize| format!("f() {{\n\ta {}{}\n}}\n", "\"$(b ".repeat(n), ")\"".repeat(n));
        assert_eq!(ebuild(&nested(400)), [] as [&str; 0]);
        assert_eq!(ebuild(&nested(1_000_000)), ["line 2 nests expansions deeper than 500"]);
        assert_eq!(ebuild(&"f() {\n\t$(a) ${b}\n}\n".repeat(1000)), [] as [&str; 0]);
    }

    #[test]
    fn each_fault_is_named() {
        for (text, fault) in [
            ("A=\"b\n", "the quote of line 1 is not closed"),
            ("A='b\n", "the quote of line 1 is not closed"),
            ("f() {\n\ta\n", "a brace is not closed"),
            ("}\n", "line 1 closes a brace too many"),
            ("A=\"$(id)\"\n", "line 1 runs `id` in global scope"),
            ("A=\"`id`\"\n", "line 1 has a backtick between quotes"),
            ("A=${b\n", "the expansion of line 1 is not closed"),
            ("A=b \n", "line 1 ends in blanks"),
            ("  A=b\n", "line 1 is indented by spaces"),
            ("A=b\n\n\nC=d\n", "two empty lines follow each other"),
            ("A=b", "the file does not end in one line feed"),
        ] {
            assert_eq!(ebuild(text), [fault], "{text:?}");
        }
    }
}
