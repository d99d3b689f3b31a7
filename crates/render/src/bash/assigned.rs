//! What a text of bash sets outside of its functions: read where it is certain, and replaced in place. Nothing is run, and what only
//! a run could tell is not guessed.

use super::name::is_identifier;
use super::reader::Reader;
use std::collections::BTreeMap;
use std::ops::Range;

/// The variables that a text sets at its top level.
#[derive(Clone, Debug)]
pub struct Assigned<'a> {
    text: &'a str,
    sets: Vec<Set<'a>>,
    /// What may be set in another way, such as under a condition, and where.
    vague: BTreeMap<&'a str, usize>,
}

/// One assignment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Set<'a> {
    /// The variable.
    pub name: &'a str,
    /// The bytes of the whole assignment.
    pub at: Range<usize>,
    /// What is between the parentheses of a list, word by word; the one word of a plain value.
    words: Vec<Range<usize>>,
    is_list: bool,
    appends: bool,
}

/// A value of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The bytes of its word.
    pub at: Range<usize>,
    /// What it stands for.
    pub text: String,
}

impl<'a> Assigned<'a> {
    /// Reads a text. None where a quote or a parenthesis is not closed.
    pub fn read(text: &'a str) -> Option<Self> {
        let mut scan = Scan::new(text);
        let mut reader = Reader::new(text, 0);
        while let Some(c) = reader.rest().chars().next() {
            let start = reader.at;
            match c {
                '\\' if reader.rest().starts_with("\\\n") => reader.at += 2,
                '(' | ')' => {
                    reader.at += 1;
                    reader.at += scan.parenthesis(c, reader.rest());
                }
                ' ' | '\t' | '\n' | ';' | '&' | '|' | '<' | '>' | '#' => {
                    if reader.step().is_some() {
                        return None;
                    }
                    scan.sign(&text[start..reader.at]);
                }
                _ => {
                    let word = reader.word()?;
                    scan.word(word)?;
                }
            }
        }
        scan.sign("\n");
        scan.blocks.is_empty().then_some(scan.out)
    }

    /// The names of all that is set.
    pub fn names(&self) -> impl Iterator<Item = &'a str> {
        self.sets.iter().map(|s| s.name)
    }

    /// The one assignment of a variable, which is none where nothing sets it.
    ///
    /// # Errors
    /// The byte of what sets it another time, or in a way that only a run could follow.
    pub fn one(&self, name: &str) -> Result<Option<&Set<'a>>, usize> {
        let mut sets = self.sets.iter().filter(|s| s.name == name);
        let first = sets.next();
        match sets.next().map(|s| s.at.start).or_else(|| self.vague.get(name).copied()) {
            Some(at) => Err(at),
            None => Ok(first),
        }
    }

    /// The one value of a variable; of a list, its first.
    ///
    /// # Errors
    /// The byte of what only a run could tell.
    pub fn value(&self, name: &str) -> Result<Option<String>, usize> {
        let Some(set) = self.one(name)? else { return Ok(None) };
        let word = set.words.first().filter(|_| !set.appends);
        word.and_then(|word| self.meaning(word.clone())).map(Some).ok_or(set.at.start)
    }

    /// The values of a list, with what is added to it later; none where only a run could tell which they are.
    pub fn list(&self, name: &str) -> Option<Vec<Value>> {
        let mut out = Vec::new();
        if self.vague.contains_key(name) {
            return None;
        }
        for set in self.sets.iter().filter(|s| s.name == name) {
            if !set.is_list {
                return None;
            }
            if !set.appends {
                out.clear();
            }
            for at in &set.words {
                // An unquoted brace, or another list in its place, would be any number of values.
                out.push(Value { at: at.clone(), text: self.meaning(at.clone())? });
            }
        }
        Some(out)
    }

    /// What stands at some bytes.
    pub fn source(&self, at: Range<usize>) -> &'a str {
        &self.text[at]
    }

    /// The text that a word stands for: quotes are taken off, and variables are what was set before.
    fn meaning(&self, word: Range<usize>) -> Option<String> {
        let mut out = String::new();
        let mut rest = &self.text[word.clone()];
        let mut quoted = false;
        while let Some(c) = rest.chars().next() {
            rest = &rest[c.len_utf8()..];
            match c {
                '"' => quoted = !quoted,
                '\'' if !quoted => {
                    let (inside, behind) = rest.split_once('\'')?;
                    out.push_str(inside);
                    rest = behind;
                }
                '\\' => {
                    let next = rest.chars().next()?;
                    rest = &rest[next.len_utf8()..];
                    let kept = quoted && !matches!(next, '$' | '`' | '"' | '\\' | '\n');
                    out.extend(kept.then_some('\\').into_iter().chain((next != '\n').then_some(next)));
                }
                '$' => {
                    let (name, behind) = variable(rest)?;
                    let set = self.one(name).ok()?.filter(|set| set.at.end <= word.start)?;
                    let value = self.value(set.name).ok()??;
                    // What is not quoted is split at blanks.
                    if !quoted && value.contains(|c: char| c.is_whitespace() || "*?[".contains(c)) {
                        return None;
                    }
                    out.push_str(&value);
                    rest = behind;
                }
                '`' => return None,
                '~' if !quoted && out.is_empty() => return None,
                '{' | '*' | '?' | '[' | '(' if !quoted => return None,
                c => out.push(c),
            }
        }
        Some(out)
    }
}

/// A text with what stands at some bytes replaced.
pub fn replaced(text: &str, mut edits: Vec<(Range<usize>, String)>) -> String {
    edits.sort_by_key(|(at, _)| at.start);
    let (mut out, mut end) = (String::with_capacity(text.len()), 0);
    for (at, new) in edits {
        out.push_str(&text[end..at.start]);
        out.push_str(&new);
        end = at.end;
    }
    out.push_str(&text[end..]);
    out
}

/// The name behind a `$`, with or without braces, and the text behind it.
fn variable(rest: &str) -> Option<(&str, &str)> {
    let (name, behind) = match rest.strip_prefix('{') {
        Some(rest) => rest.split_once('}')?,
        None => rest.split_at(name_end(rest)),
    };
    is_identifier(name).then_some((name, behind))
}

/// Where the name ends that a text begins with.
fn name_end(text: &str) -> usize {
    text.find(|c: char| !c.is_ascii_alphanumeric() && c != '_').unwrap_or(text.len())
}

/// What is open: the word that closes it, and whether it is the body of a function.
struct Block {
    closed_by: &'static str,
    is_function: bool,
}

/// Follows commands.
struct Scan<'a> {
    out: Assigned<'a>,
    blocks: Vec<Block>,
    /// Assignments of the command that is read: if a program's name follows them, they are of its environment.
    command: Vec<Set<'a>>,
    /// The next word may begin a command.
    begins: bool,
    /// The command runs if the one before it says so.
    joined: bool,
    /// Nothing but line ends stand behind the sign that joins.
    joins: bool,
    /// The next block is the body of a function.
    function: bool,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str) -> Self {
        let out = Assigned { text, sets: Vec::new(), vague: BTreeMap::new() };
        Self {
            out,
            blocks: Vec::new(),
            command: Vec::new(),
            begins: true,
            joined: false,
            joins: false,
            function: false,
        }
    }

    /// Blanks, comments, and signs that are no parenthesis.
    fn sign(&mut self, sign: &str) {
        let joins = matches!(sign, "&&" | "||" | "|" | "|&");
        let ends = sign.starts_with('\n') || matches!(sign, ";" | "&");
        if joins || ends {
            self.out.sets.append(&mut self.command);
            self.begins = true;
            self.joined = joins || (self.joins && sign.starts_with('\n'));
            self.joins = self.joined;
        }
    }

    /// A parenthesis outside of a word, and how many bytes of what follows belong to it.
    fn parenthesis(&mut self, sign: char, rest: &str) -> usize {
        self.begins = true;
        if sign == ')' {
            self.blocks.pop_if(|block| block.closed_by == ")");
            return 0;
        }
        let blanks = rest.len() - rest.trim_start_matches([' ', '\t']).len();
        if rest[blanks..].starts_with(')') {
            self.function = true;
            return blanks + 1;
        }
        self.open(")");
        0
    }

    fn open(&mut self, closed_by: &'static str) {
        self.blocks.push(Block { closed_by, is_function: std::mem::take(&mut self.function) });
    }

    fn word(&mut self, at: Range<usize>) -> Option<()> {
        self.joins = false;
        let word = &self.out.text[at.clone()];
        let begins = std::mem::replace(&mut self.begins, false);
        if !begins {
            self.mention(word, at.start);
            return Some(());
        }
        self.begins = true;
        if self.blocks.pop_if(|block| block.closed_by == word).is_some() {
            return Some(());
        }
        match word {
            "{" => self.open("}"),
            "if" => self.open("fi"),
            "while" | "until" => self.open("done"),
            "then" | "elif" | "else" | "do" | "!" | "time" => {}
            "function" => self.function = true,
            // The name of a function.
            _ if self.function => {}
            "case" | "for" | "select" => {
                self.open(if word == "case" { "esac" } else { "done" });
                self.begins = false;
            }
            _ => match self.set(&at)? {
                Some(set) if self.blocks.is_empty() && !self.joined => self.command.push(set),
                set => {
                    let behind = self.out.text[at.end..].trim_start_matches([' ', '\t']);
                    if set.is_some() || !behind.starts_with('(') {
                        self.mention(word, at.start);
                    }
                    self.begins = set.is_some();
                    self.command.clear();
                }
            },
        }
        Some(())
    }

    /// Notes a name that a word begins with: a command may set it.
    fn mention(&mut self, word: &'a str, at: usize) {
        let word = word.trim_start_matches(['"', '\'']);
        let name = &word[..name_end(word)];
        if !name.is_empty() && !self.blocks.iter().any(|b| b.is_function) {
            self.out.vague.entry(name).or_insert(at);
        }
    }

    /// The assignment that a word is, if it is one. None outside when its list is none.
    #[expect(clippy::option_option, reason = "what is no assignment is no fault")]
    fn set(&self, at: &Range<usize>) -> Option<Option<Set<'a>>> {
        let word = &self.out.text[at.clone()];
        let (name, behind) = word.split_at(name_end(word));
        let appends = behind.starts_with("+=");
        if !is_identifier(name) || !(appends || behind.starts_with('=')) {
            return Some(None);
        }
        let value = at.start + name.len() + if appends { 2 } else { 1 };
        let is_list = self.out.text[value..at.end].starts_with('(');
        let mut words = Vec::new();
        if is_list {
            words = items(self.out.text, value + 1, at.end - 1)?;
        } else {
            words.push(value..at.end);
        }
        Some(Some(Set { name, at: at.clone(), words, is_list, appends }))
    }
}

/// The words of a list, without its comments.
fn items(text: &str, start: usize, end: usize) -> Option<Vec<Range<usize>>> {
    let mut reader = Reader::new(text, start);
    let mut out = Vec::new();
    while reader.at < end {
        match reader.rest().chars().next()? {
            ' ' | '\t' | '\n' | '#' => reader.step().is_none().then_some(())?,
            '\\' if reader.rest().starts_with("\\\n") => reader.at += 2,
            _ => out.push(reader.word().filter(|word| !word.is_empty())?),
        }
    }
    Some(out)
}
