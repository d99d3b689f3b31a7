//! Reads the words of a text.

use super::{ScriptReader, Typed, Untyped};
use crate::stmt::Stmt;
use crate::word::{Piece, Word};
use crate::word_print::is_bare;
use rocpkg_syntax::tree::{children, parse};

/// The place of a word, which decides where the word ends and which characters are special in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    Command,
    Value,
    Double,
    Document(usize),
    Index,
    /// The right side of `=~`.
    Regex,
    /// An alternative of `@(a|b)`.
    Extglob,
    /// An alternative of `{a,b}`.
    Braces,
    /// A word inside `${…}` between double quotes. The `bool` is true if single quotes are quotes
    /// in it.
    Quoted(bool),
    /// A pattern inside `${…}`, up to a `/`. The `bool` is true between double quotes.
    Pattern(bool),
    /// A word inside `${…}` outside quotes.
    Inside,
}

impl Mode {
    fn ends(self, rest: &str, depth: usize) -> bool {
        match self {
            Self::Command | Self::Value => {
                rest.starts_with([' ', '\t', '\n', ';', '&', '|', '(', ')'])
                    || (rest.starts_with(['<', '>'])
                        && !rest.starts_with("<(")
                        && !rest.starts_with(">("))
            }
            Self::Double => rest.starts_with('"'),
            Self::Document(_) => false,
            Self::Index => depth == 0 && rest.starts_with(']'),
            Self::Regex => depth == 0 && rest.starts_with([' ', '\t', '\n', ')']),
            Self::Extglob => rest.starts_with(['|', ')']),
            Self::Braces => {
                rest.starts_with([',', '}', ' ', '\t', '\n', ';', '&', '|', '(', ')', '<', '>'])
            }
            Self::Quoted(_) | Self::Inside => rest.starts_with('}'),
            Self::Pattern(_) => rest.starts_with(['/', '}']),
        }
    }

    /// Returns true if bash reads the text as between double quotes.
    fn is_quoted(self) -> bool {
        matches!(
            self,
            Self::Double | Self::Document(_) | Self::Quoted(_) | Self::Pattern(true)
        )
    }

    /// Returns true if single quotes are quotes.
    fn has_single_quotes(self) -> bool {
        match self {
            Self::Double | Self::Document(_) => false,
            Self::Quoted(quotes) => quotes,
            _ => true,
        }
    }

    fn has_patterns(self) -> bool {
        !matches!(
            self,
            Self::Double | Self::Document(_) | Self::Quoted(false) | Self::Regex
        )
    }
}

impl<'t> ScriptReader<'t> {
    /// Reads a word of a command at `at`, and moves `at` behind it.
    pub(super) fn word(&self, at: &mut usize) -> Typed<Word> {
        self.word_in(at, Mode::Command)
    }

    pub(super) fn word_in(&self, at: &mut usize, mode: Mode) -> Typed<Word> {
        let start = *at;
        let pieces = self.pieces(at, mode)?;
        if pieces.is_empty() {
            return Err(Untyped);
        }
        Ok(self.placed(plain(pieces), start, *at))
    }

    /// Returns a word with its place in the text. A text inside of another one has no places.
    pub(super) fn placed(&self, word: Word, start: usize, end: usize) -> Word {
        match self.base {
            Some(base) => word.placed(base + start..base + end),
            None => word,
        }
    }

    /// Reads the pieces from `at` to the end of a word at a place of the kind `mode`, and moves
    /// `at` behind them.
    pub(super) fn pieces(&self, at: &mut usize, mode: Mode) -> Typed<Vec<Piece>> {
        let start = *at;
        let mut out = Pieces::default();
        let mut depth = 0usize;
        loop {
            let rest = self.rest(*at);
            let Some(c) = rest.chars().next() else { break };
            if matches!(mode, Mode::Document(end) if *at >= end) || mode.ends(rest, depth) {
                break;
            }
            if rest.starts_with("\\\n") && matches!(mode, Mode::Command | Mode::Value) {
                let next = rest.trim_start_matches("\\\n");
                if next.is_empty() || mode.ends(next, depth) {
                    break;
                }
            }
            if let Some(piece) = self.special(at, mode, *at == start)? {
                out.push(piece);
                continue;
            }
            match c {
                '\\' => {
                    let Some(next) = rest[1..].chars().next() else {
                        return Err(Untyped);
                    };
                    let is_special = match mode {
                        Mode::Document(_) => "$`\\".contains(next),
                        Mode::Quoted(_) | Mode::Pattern(true) => "$`\\\"}/".contains(next),
                        Mode::Double => "$`\\\"".contains(next),
                        _ => true,
                    };
                    match next {
                        '\n' if mode.is_quoted() => out.push(Piece::Joined),
                        '\n' => {}
                        _ if is_special => out.push(Piece::Escaped(next)),
                        _ => {
                            out.text("\\");
                            *at += 1;
                            continue;
                        }
                    }
                    *at += 1 + next.len_utf8();
                    continue;
                }
                '(' | '[' if matches!(mode, Mode::Regex | Mode::Index) => depth += 1,
                ')' | ']' if matches!(mode, Mode::Regex | Mode::Index) => {
                    depth = depth.saturating_sub(1);
                }
                _ => {}
            }
            out.text(&rest[..c.len_utf8()]);
            *at += c.len_utf8();
        }
        let mut out = out.done();
        // The grammar can't read a lone `\ ` everywhere. It can read `' '`.
        if let [Piece::Escaped(c @ (' ' | '\t'))] = out[..] {
            out = vec![Piece::Single(c.to_string())];
        }
        Ok(out)
    }

    /// Reads the piece at `at` and moves `at` behind it. Returns `None` for plain text. `begins` is
    /// true at the beginning of a word, where `~` is a piece.
    pub(super) fn special(&self, at: &mut usize, mode: Mode, begins: bool) -> Typed<Option<Piece>> {
        let rest = self.rest(*at);
        let quotes = mode.has_single_quotes();
        let text_until = |open: usize| -> Option<(&'t str, usize)> {
            let inside = rest.get(open..)?;
            let length = inside.find('\'')?;
            Some((&inside[..length], open + length + 1))
        };
        match rest.as_bytes().first() {
            Some(b'\'') if quotes => {
                let Some((text, length)) = text_until(1) else {
                    return Err(Untyped);
                };
                *at += length;
                Ok(Some(Piece::Single(text.to_owned())))
            }
            Some(b'"') if mode != Mode::Double && !matches!(mode, Mode::Document(_)) => {
                self.double(at).map(|pieces| Some(Piece::Double(pieces)))
            }
            Some(b'$') if rest.starts_with("$'") && quotes && !mode.is_quoted() => {
                let Some(length) = ansi_length(&rest[2..]) else {
                    return Err(Untyped);
                };
                *at += length + 3;
                Ok(Some(Piece::Ansi(rest[2..length + 2].to_owned())))
            }
            Some(b'$') if rest.starts_with("$\"") && !mode.is_quoted() => {
                *at += 1;
                self.double(at).map(|pieces| Some(Piece::Locale(pieces)))
            }
            Some(b'$') => self.dollar(at, mode.is_quoted()),
            Some(b'`') => self.backticks(at).map(Some),
            Some(b'<' | b'>')
                if !mode.is_quoted() && matches!(rest.as_bytes().get(1), Some(b'(')) =>
            {
                let (body, end) = self.substituted(*at, "process_substitution")?;
                let reads = rest.starts_with('<');
                *at = end;
                Ok(Some(if reads {
                    Piece::ProcessInput(body)
                } else {
                    Piece::ProcessOutput(body)
                }))
            }
            _ if mode.has_patterns() => self.pattern(at, mode, begins),
            _ => Ok(None),
        }
    }

    /// Reads `"…"`.
    fn double(&self, at: &mut usize) -> Typed<Vec<Piece>> {
        *at += 1;
        let pieces = self.pieces(at, Mode::Double)?;
        if !self.rest(*at).starts_with('"') {
            return Err(Untyped);
        }
        *at += 1;
        Ok(pieces)
    }

    /// Reads a pattern, braces or a tilde. Returns `None` for any other text.
    fn pattern(&self, at: &mut usize, mode: Mode, begins: bool) -> Typed<Option<Piece>> {
        let rest = self.rest(*at);
        let mut bytes = rest.bytes();
        let (Some(first), second) = (bytes.next(), bytes.next()) else {
            return Ok(None);
        };
        let is_index = mode == Mode::Index;
        if b"?*+@!".contains(&first) && second == Some(b'(') && !is_index {
            return self.extglob(at).map(Some);
        }
        match first {
            b'*' if !is_index => {
                *at += 1;
                Ok(Some(Piece::AnyText))
            }
            b'?' if !is_index => {
                *at += 1;
                Ok(Some(Piece::AnyCharacter))
            }
            b'[' if !is_index => Ok(self.bracket(at, mode)),
            b'{' if matches!(mode, Mode::Command | Mode::Braces) => Ok(self.braces(at)),
            b'~' if begins && matches!(mode, Mode::Command | Mode::Value) => {
                let user = &rest[1..];
                let length = user
                    .find(|c: char| !c.is_ascii_alphanumeric() && !"-_+.".contains(c))
                    .unwrap_or(user.len());
                *at += 1 + length;
                Ok(Some(Piece::Tilde(user[..length].to_owned())))
            }
            _ => Ok(None),
        }
    }

    fn extglob(&self, at: &mut usize) -> Typed<Piece> {
        let open = *at;
        let sign = self.rest(open).chars().next().unwrap_or('@');
        *at += 2;
        let mut patterns = Vec::new();
        loop {
            patterns.push(Word::from(self.pieces(at, Mode::Extglob)?));
            match self.rest(*at).bytes().next() {
                Some(b'|') => *at += 1,
                Some(b')') => break,
                _ => return Err(Untyped),
            }
        }
        *at += 1;
        Ok(Piece::Extglob(sign, patterns))
    }

    /// Reads `[…]`. Returns `None` if no bracket closes it before the word ends.
    fn bracket(&self, at: &mut usize, mode: Mode) -> Option<Piece> {
        let mut next = *at + 1;
        let mut pieces = Pieces::default();
        let mut is_first = true;
        loop {
            let rest = self.rest(next);
            let c = rest.chars().next()?;
            if is_first && (c == '!' || c == '^') {
                pieces.text(&rest[..1]);
                next += 1;
                let rest = self.rest(next);
                continue_first(&mut is_first, &mut next, rest, &mut pieces);
                continue;
            }
            if c == ']' && !is_first {
                break;
            }
            let ends = mode.ends(rest, 0) && !rest.starts_with("[:") || c.is_whitespace();
            if ends && !(is_first && c == ']') {
                return None;
            }
            is_first = false;
            if let Some(class) = rest
                .strip_prefix("[:")
                .and_then(|class| class.split_once(":]"))
            {
                let length = class.0.len() + 4;
                pieces.text(&rest[..length]);
                next += length;
                continue;
            }
            match c {
                '\\' => {
                    let escaped = rest[1..].chars().next()?;
                    pieces.push(Piece::Escaped(escaped));
                    next += 1 + escaped.len_utf8();
                }
                '\'' | '"' | '$' | '`' => {
                    let piece = self.special(&mut next, mode, false).ok()??;
                    pieces.push(piece);
                }
                c => {
                    pieces.text(&rest[..c.len_utf8()]);
                    next += c.len_utf8();
                }
            }
        }
        *at = next + 1;
        Some(Piece::Bracket(pieces.done()))
    }

    /// Reads `{a,b}` or `{1..9}`. Returns `None` for any other text in braces.
    fn braces(&self, at: &mut usize) -> Option<Piece> {
        let rest = self.rest(*at);
        let inside = &rest[1..rest.find('}')?];
        let is_end = |end: &str| {
            !end.is_empty() && end.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
        };
        if inside.contains("..") && inside.split("..").all(is_end) {
            *at += inside.len() + 2;
            return Some(Piece::Sequence(
                inside.split("..").map(str::to_owned).collect(),
            ));
        }
        let mut next = *at + 1;
        let mut words = Vec::new();
        loop {
            words.push(Word::from(self.pieces(&mut next, Mode::Braces).ok()?));
            match self.rest(next).bytes().next()? {
                b',' => next += 1,
                b'}' => break,
                _ => return None,
            }
        }
        if words.len() < 2 {
            return None;
        }
        *at = next + 1;
        Some(Piece::Braces(words))
    }

    fn backticks(&self, at: &mut usize) -> Typed<Piece> {
        let start = *at;
        let mut inside = String::new();
        let mut length = None;
        let mut chars = self.rest(start + 1).char_indices().peekable();
        while let Some((at, c)) = chars.next() {
            match c {
                '`' => {
                    length = Some(at);
                    break;
                }
                '\\' => {
                    let hidden = chars.next_if(|(_, next)| "$`\\".contains(*next));
                    inside.push(hidden.map_or(c, |(_, hidden)| hidden));
                }
                c => inside.push(c),
            }
        }
        let Some(length) = length else {
            return Err(Untyped);
        };
        let stmts = super::read_at(&inside, None).map_err(|_| Untyped)?;
        let piece = Piece::Backticks(stmts);
        let end = start + length + 2;
        // Bash keeps the text between backticks as written, so it must print unchanged.
        if piece.to_string() != self.between(start, end) {
            return Err(Untyped);
        }
        *at = end;
        Ok(piece)
    }

    /// Reads the statements of the substitution that begins at `at` with `$(`, `<(` or `>(`.
    /// Returns them with the offset after the closing bracket. `kind` is the grammar's name for the
    /// substitution.
    pub(super) fn substituted(&self, at: usize, kind: &str) -> Typed<(Vec<Stmt>, usize)> {
        let mut node = self.root.descendant_for_byte_range(at, at + 2);
        while let Some(found) = node {
            if found.kind() == kind && found.start_byte() == at {
                let mut stmts = self.inside(found);
                // Bash prints a substitution as it was divided: by `;` or by line breaks.
                let named: Vec<_> = children(found)
                    .into_iter()
                    .filter(|n| n.is_named() && n.kind() != "comment")
                    .collect();
                let parted = |pair: &[rocpkg_syntax::tree::Tree]| {
                    self.between(pair[0].end_byte(), pair[1].start_byte())
                        .contains('\n')
                };
                let lines = named.windows(2).filter(|pair| parted(pair)).count();
                if lines > 0 && lines + 1 < named.len() {
                    return Err(Untyped);
                }
                if lines > 0 && !matches!(stmts.first(), Some(Stmt::Blank)) {
                    stmts.insert(0, Stmt::Blank);
                }
                return Ok((stmts, found.end_byte()));
            }
            if found.start_byte() < at {
                break;
            }
            node = found.parent();
        }
        let end = rocpkg_syntax::words::closing(self.text, at + 1);
        let inside = self.between(at + 2, end.saturating_sub(1));
        let (Ok(tree), true) = (parse(inside), self.between(at, end).ends_with(')')) else {
            return Err(Untyped);
        };
        let reader = ScriptReader::new(
            inside,
            self.base.map(|base| base + at + 2),
            tree.root_node(),
        );
        Ok((reader.block(&children(tree.root_node()), 0), end))
    }
}

/// Returns the word that consists of the pieces. A word that needs no quotes equals the value that
/// [`Word::lit`] makes.
pub(super) fn plain(pieces: Vec<Piece>) -> Word {
    match pieces.as_slice() {
        [Piece::Bare(text)] if is_bare(text) => Word::lit(text.as_str()),
        _ => Word::from(pieces),
    }
}

fn continue_first(is_first: &mut bool, next: &mut usize, rest: &str, pieces: &mut Pieces) {
    *is_first = false;
    // A bracket directly after the `!` or `^` is one of the characters.
    if rest.starts_with(']') {
        pieces.text("]");
        *next += 1;
    }
}

/// Returns the length in bytes of the text inside `$'…'`. `text` begins behind the opening quote.
/// Returns `None` if the quote is not closed.
fn ansi_length(text: &str) -> Option<usize> {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '\'' => return Some(at),
            _ => {}
        }
    }
    None
}

/// A list of pieces in which adjacent texts are joined.
#[derive(Default)]
pub(super) struct Pieces {
    all: Vec<Piece>,
}

impl Pieces {
    pub(super) fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Bare(text) => self.text(&text),
            piece => self.all.push(piece),
        }
    }

    pub(super) fn text(&mut self, text: &str) {
        match self.all.last_mut() {
            Some(Piece::Bare(last)) => last.push_str(text),
            _ => self.all.push(Piece::Bare(text.to_owned())),
        }
    }

    pub(super) fn done(self) -> Vec<Piece> {
        self.all
    }
}
