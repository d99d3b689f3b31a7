//! Follows the structure of shell text that was written by hand: quotes, expansions, here-documents, blocks. It tells what is not
//! closed or closes nothing, and which lines begin inside of a text that must stay as it is. What it does not know it lets pass.

use super::end::{goes_on, swallows};

/// So deep may expansions stand in each other; what is deeper is not looked at.
const MOST_NESTED: usize = 100;

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
    /// The first thing that bash would refuse.
    pub fault: Option<ShellFault>,
    /// The lines, counted from 0, that begin inside of quotes or a here-document.
    pub held: Vec<usize>,
}

/// Reads shell text.
pub fn read_shell(text: &str) -> ShellText {
    let mut reader = Reader { text, at: 0, pending: Vec::new(), held: Vec::new(), nested: 0 };
    let fault = match reader.list(None) {
        Err(Stop::Fault(fault)) => Some(fault),
        Ok(()) => None,
        Err(Stop::Unknown) => swallows(text),
    };
    let ends: Vec<usize> = text.match_indices('\n').map(|(at, _)| at).collect();
    let line = |at: &usize| ends.partition_point(|end| end < at);
    let mut held: Vec<usize> = reader.held.iter().map(line).collect();
    held.sort_unstable();
    held.dedup();
    ShellText { fault, held }
}

pub(super) enum Stop {
    Fault(ShellFault),
    /// Something that this reader does not follow.
    Unknown,
}

pub(super) type Read = Result<(), Stop>;

/// A block that is open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Block {
    If,
    Then,
    Else,
    Loop,
    For,
    Do,
    Case,
    Pattern,
    Body,
    Brace,
    Paren,
}

impl Block {
    /// The word that opens it, and the one that is missing.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::If => ("if", "then"),
            Self::Then | Self::Else => ("if", "fi"),
            Self::Loop => ("while", "do"),
            Self::For => ("for", "do"),
            Self::Do => ("do", "done"),
            Self::Case => ("case", "in"),
            Self::Pattern | Self::Body => ("case", "esac"),
            Self::Brace => ("{", "}"),
            Self::Paren => ("(", ")"),
        }
    }
}

/// What stands behind a word of a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum After {
    /// Another word.
    Word,
    /// A command, or a keyword.
    Command,
    /// The body of a function.
    Head,
}

/// A here-document whose text begins on the next line.
pub(super) struct Document {
    at: usize,
    end: String,
    tabs: bool,
}

pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    pub(super) at: usize,
    pub(super) pending: Vec<Document>,
    /// Bytes at which lines begin that are not the shell's own.
    pub(super) held: Vec<usize>,
    nested: usize,
}

pub(super) fn fault<T>(at: usize, message: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::Fault(ShellFault { at, message: message.into() }))
}

pub(super) fn open<T>(at: usize, what: &str, missing: &str) -> Result<T, Stop> {
    fault(at, format!("`{what}` is not closed by `{missing}`"))
}

fn replace(blocks: &mut [(Block, usize)], by: Block) {
    if let Some((block, _)) = blocks.last_mut() {
        *block = by;
    }
}

fn begin(blocks: &mut [(Block, usize)], at: usize) {
    if let Some((_, begun)) = blocks.last_mut() {
        *begun = at;
    }
}

impl Reader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    pub(super) fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    pub(super) fn take(&mut self, what: &str) -> bool {
        let found = self.rest().starts_with(what);
        self.at += if found { what.len() } else { 0 };
        found
    }

    /// Enters what may stand in itself.
    pub(super) fn inside(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        self.nested += 1;
        let done = if self.nested > MOST_NESTED { Err(Stop::Unknown) } else { read(self) };
        self.nested -= 1;
        done
    }

    /// Commands up to the end of the text, or up to the `)` of what began at `begin`.
    pub(super) fn list(&mut self, begin: Option<(usize, &str)>) -> Read {
        let mut blocks: Vec<(Block, usize)> = Vec::new();
        // A word here would be a command, or a keyword.
        let mut first = true;
        // What a command must follow, here or on a later line.
        let mut joined: Option<(usize, &str)> = None;
        let mut commented = false;
        let text = self.text;
        loop {
            let start = self.at;
            let top = blocks.last().map(|(b, _)| *b);
            let Some(c) = self.peek() else { break };
            let goes_on_below = self.rest().starts_with("\\\n") || self.rest() == "\\";
            if !" \t\n#".contains(c) && !goes_on_below {
                joined = None;
            }
            commented = c == '#';
            match c {
                ' ' | '\t' => _ = self.next(),
                '\\' if self.rest().starts_with("\\\n") => self.at += 2,
                '\n' => {
                    self.next();
                    self.documents()?;
                    first = true;
                }
                '#' => self.comment(),
                _ if top == Some(Block::Pattern) => {
                    if self.keyword() == "esac" {
                        self.at += 4;
                        blocks.pop();
                        continue;
                    }
                    self.take("(");
                    self.pattern(start)?;
                    replace(&mut blocks, Block::Body);
                    first = true;
                }
                ';' | '&' | '|' => {
                    let ended = [";;&", ";;", ";&"].into_iter().any(|end| self.take(end));
                    if ended {
                        if top != Some(Block::Body) {
                            return fault(start, "`;;` stands in no `case`");
                        }
                        replace(&mut blocks, Block::Pattern);
                    } else {
                        let sign = ["&&", "||", "|&", "|"].into_iter().find(|sign| self.take(sign));
                        match sign {
                            Some(sign) => joined = Some((start, sign)),
                            None => _ = self.next(),
                        }
                    }
                    first = true;
                }
                '<' | '>' => {
                    self.redirect()?;
                    // No keyword stands behind one, but where a block has ended.
                    first = false;
                }
                '(' if self.rest().starts_with("((") && first => {
                    self.at += 2;
                    self.balanced(start, "((", "))")?;
                    first = top == Some(Block::For);
                }
                '(' if first => {
                    self.next();
                    blocks.push((Block::Paren, start));
                }
                // What bash makes of it elsewhere depends.
                '(' => return Err(Stop::Unknown),
                ')' => {
                    self.next();
                    if top == Some(Block::Paren) {
                        blocks.pop();
                    } else if let Some((_, at)) = blocks.last().filter(|_| begin.is_some()) {
                        let (what, missing) = top.map_or(("", ""), Block::words);
                        return open(*at, what, missing);
                    } else if begin.is_some() {
                        return Ok(());
                    } else {
                        return fault(start, "`)` closes nothing");
                    }
                    first = true;
                }
                _ => {
                    let after = self.command(first, &mut blocks)?;
                    if self.at == start {
                        return Err(Stop::Unknown);
                    }
                    first = after != After::Word;
                    if after == After::Head {
                        joined = Some((start, &text[start..self.at]));
                    }
                }
            }
        }
        if let Some(document) = self.pending.first() {
            return fault(
                document.at,
                format!("no line ends the here-document: expected `{}`", document.end),
            );
        }
        if let Some((block, at)) = blocks.last() {
            let (what, missing) = block.words();
            return open(*at, what, missing);
        }
        if let Some((at, what)) = begin {
            return open(at, what, ")");
        }
        if let Some((at, sign)) = joined {
            return Err(Stop::Fault(goes_on(at, sign)));
        }
        let escapes = self.text.len() - self.text.trim_end_matches('\\').len();
        if escapes % 2 == 1 && !commented {
            return Err(Stop::Fault(goes_on(self.text.len() - 1, "\\")));
        }
        Ok(())
    }

    fn blanks(&mut self) {
        while self.take(" ") || self.take("\t") {}
    }

    /// The plain word that begins here, as keywords are.
    fn keyword(&self) -> &str {
        let rest = self.rest();
        let end = rest.find(|c: char| " \t\n;&|()<>".contains(c)).unwrap_or(rest.len());
        &rest[..end]
    }

    /// A word of a command, and what follows it.
    fn command(&mut self, first: bool, blocks: &mut Vec<(Block, usize)>) -> Result<After, Stop> {
        let start = self.at;
        let top = blocks.last().map(|(b, _)| *b);
        let word = self.keyword().to_owned();
        // A word goes on in them, and in the brackets of a subscript.
        if [">(", "<("].iter().any(|sign| self.rest()[word.len()..].starts_with(sign))
            || word.contains('[') && !word.starts_with('[')
        {
            return Err(Stop::Unknown);
        }
        // `case WORD in` and `for NAME in` have their own places for it.
        if top == Some(Block::Case) && word == "in" {
            self.at += 2;
            replace(blocks, Block::Pattern);
            return Ok(After::Command);
        }
        if !first {
            self.word()?;
            return Ok(After::Word);
        }
        let turned = match (word.as_str(), top) {
            ("if", _) => Some((Block::If, true)),
            ("while" | "until", _) => Some((Block::Loop, true)),
            ("for" | "select", _) => Some((Block::For, true)),
            ("case", _) => Some((Block::Case, true)),
            ("{", _) => Some((Block::Brace, true)),
            ("then", Some(Block::If)) => Some((Block::Then, false)),
            ("elif", Some(Block::Then)) => Some((Block::If, false)),
            ("else", Some(Block::Then)) => Some((Block::Else, false)),
            ("do", Some(Block::Loop | Block::For)) => Some((Block::Do, false)),
            _ => None,
        };
        if let Some((block, opens)) = turned {
            self.at += word.len();
            if opens {
                blocks.push((block, start));
            } else {
                replace(blocks, block);
            }
            if block == Block::Do {
                begin(blocks, start);
            }
            if block == Block::For {
                self.blanks();
                // A loop's arithmetic, or its name; without words, `do` may stand on the same line.
                if self.rest().starts_with("((") {
                    return Ok(After::Command);
                }
                self.word()?;
                self.blanks();
                let begins = self.keyword() == "do";
                return Ok(if begins { After::Command } else { After::Word });
            }
            return Ok(if block == Block::Case { After::Word } else { After::Command });
        }
        let closes = match (word.as_str(), top) {
            ("fi", Some(Block::Then | Block::Else))
            | ("done", Some(Block::Do))
            | ("}", Some(Block::Brace))
            | ("esac", Some(Block::Body)) => true,
            ("then" | "elif" | "else" | "fi" | "do" | "done" | "esac" | "}", _) => {
                return fault(start, format!("`{word}` closes or goes on with nothing"));
            }
            _ => false,
        };
        if closes {
            self.at += word.len();
            blocks.pop();
            // Another word that closes may follow at once.
            return Ok(After::Command);
        }
        match word.as_str() {
            "!" | "time" => {
                self.at += word.len();
                Ok(After::Command)
            }
            "[[" => {
                self.at += 2;
                self.test(start)?;
                Ok(After::Command)
            }
            "function" => {
                self.at += word.len();
                self.blanks();
                self.word()?;
                if self.rest().trim_start_matches([' ', '\t']).starts_with("()") {
                    self.function()
                } else {
                    Ok(After::Head)
                }
            }
            "coproc" => Err(Stop::Unknown),
            _ => {
                self.word()?;
                let assigned =
                    word.split('=').next().is_some_and(super::check::is_identifier) && word.contains('=');
                if self.at > start
                    && self.rest().trim_start_matches([' ', '\t']).starts_with('(')
                    && !assigned
                {
                    return self.function();
                }
                // Behind an assignment stands a command, and no keyword.
                Ok(After::Word)
            }
        }
    }

    /// The `()` behind the name of a function.
    fn function(&mut self) -> Result<After, Stop> {
        self.blanks();
        let start = self.at;
        self.take("(");
        self.blanks();
        if self.take(")") { Ok(After::Head) } else { fault(start, "`(` stands where bash takes none") }
    }

    /// `[[ … ]]`, whose signs are its own.
    fn test(&mut self, start: usize) -> Read {
        loop {
            match self.peek() {
                None => return open(start, "[[", "]]"),
                Some(c) if " \t\n()<>&|;".contains(c) => _ = self.next(),
                Some(_) if self.keyword() == "]]" => {
                    self.at += 2;
                    return Ok(());
                }
                Some(_) => self.word()?,
            }
        }
    }

    /// The pattern of a `case`, up to its `)`.
    fn pattern(&mut self, start: usize) -> Read {
        loop {
            match self.peek() {
                None => return fault(start, "a pattern of `case` is not closed by `)`"),
                Some(')') => {
                    self.next();
                    return Ok(());
                }
                Some(c) if " \t\n|".contains(c) => _ = self.next(),
                Some('(' | ';' | '&' | '<' | '>') => return Err(Stop::Unknown),
                Some(_) => self.word()?,
            }
        }
    }

    pub(super) fn comment(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').unwrap_or(rest.len());
    }

    fn redirect(&mut self) -> Read {
        let start = self.at;
        if self.take("<(") || self.take(">(") {
            return self.inside(|r| r.list(Some((start, "<("))));
        }
        if self.take("<<<") || !self.take("<<") {
            while self.take("<") || self.take(">") || self.take("&") || self.take("|") {}
            self.blanks();
            // What it leads to is a name, whatever keyword it is.
            return match self.peek() {
                Some('<' | '>') if self.rest()[1..].starts_with('(') => self.redirect(),
                Some(c) if !"\n;&|()<>#".contains(c) => self.word(),
                None | Some('\n' | ';' | ')' | '#') => {
                    let sign = self.text[start..self.at].trim_end().to_owned();
                    fault(start, format!("`{sign}` names no file"))
                }
                _ => Ok(()),
            };
        }
        let tabs = self.take("-");
        self.blanks();
        let word = self.keyword().to_owned();
        // A word that is expanded or put together is too rare to be followed.
        let bare = word.trim_matches(['\'', '"']);
        let quoted = word.len() - bare.len();
        if bare.is_empty() || bare.contains(['$', '`', '\'', '"', '\\']) || !matches!(quoted, 0 | 2) {
            return Err(Stop::Unknown);
        }
        self.pending.push(Document { at: start, end: bare.to_owned(), tabs });
        self.at += word.len();
        Ok(())
    }

    /// The texts of the here-documents that were asked for on the line before.
    fn documents(&mut self) -> Read {
        for document in std::mem::take(&mut self.pending) {
            loop {
                if self.at >= self.text.len() {
                    let message = format!("no line ends the here-document: expected `{}`", document.end);
                    return fault(document.at, message);
                }
                self.held.push(self.at);
                let rest = self.rest();
                let line = rest.lines().next().unwrap_or_default();
                let ends = if document.tabs { line.trim_start_matches('\t') } else { line } == document.end;
                self.at += rest.find('\n').map_or(rest.len(), |n| n + 1);
                if ends {
                    break;
                }
            }
        }
        Ok(())
    }
}
