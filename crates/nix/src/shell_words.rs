//! Words of the shell in a hook: which quotes they need, and what stands outside of them.

use crate::expr::{NixExpr, Part};
use crate::lower::Lower;
use crate::value::{Meaning, merge};
use rocpkg_model::{Piece, Text};
use rocpkg_shell::{PATTERNS, glob, patterns as leading};

impl Lower<'_> {
    /// A word of the shell, quoted only when it must be; `patterns` leaves `*`, `?` and braces alive.
    pub(crate) fn word(&mut self, text: &Text, patterns: bool) -> Vec<Part> {
        let safe = |t: &str| {
            t.chars().all(|c| {
                c.is_ascii_alphanumeric() || "_-./+=:,@%^".contains(c) || (patterns && PATTERNS.contains(c))
            })
        };
        let bare = !text.pieces.is_empty()
            && text.pieces.iter().all(|p| match p {
                Piece::Literal(t) => !t.is_empty() && safe(t),
                Piece::Reference(_) => true,
            });
        if bare {
            return self.shell(text, Quote::None);
        }
        let alive = |p: &Piece| matches!(p, Piece::Literal(t) if t.contains(|c| PATTERNS.contains(c)));
        if patterns && text.pieces.iter().any(alive) { self.quoted_around(text) } else { self.quoted(text) }
    }

    /// A word in quotes that stop at each pattern.
    fn quoted_around(&mut self, text: &Text) -> Vec<Part> {
        let mut out = Vec::new();
        for piece in &text.pieces {
            let Piece::Literal(literal) = piece else {
                let one = Text { pieces: vec![piece.clone()], span: text.span };
                out.extend(self.shell(&one, Quote::None));
                continue;
            };
            let mut rest = literal.as_str();
            while !rest.is_empty() {
                let end = match leading(rest) {
                    0 => rest.find(|c| PATTERNS.contains(c)).unwrap_or(rest.len()),
                    end => end,
                };
                let (head, tail) = rest.split_at(end);
                if head.starts_with(|c| PATTERNS.contains(c)) {
                    out.push(Part::Text(head.to_owned()));
                } else {
                    out.extend(self.word(&Text::literal(head), false));
                }
                rest = tail;
            }
        }
        merge(out)
    }

    /// A word in quotes: single ones where nothing in it is the shell's.
    pub(crate) fn quoted(&mut self, text: &Text) -> Vec<Part> {
        let mut variable = false;
        let mut single_quote = false;
        for p in &text.pieces {
            match p {
                Piece::Literal(t) => single_quote |= t.contains('\''),
                // A pattern stands outside of quotes, which a double one can be closed for.
                Piece::Reference(r) if glob(r).is_some() => variable = true,
                Piece::Reference(r) => variable |= !matches!(self.meaning(r, text.span), Meaning::Value(_)),
            }
        }
        let empty = text.as_literal().is_some_and(|t| t.is_empty());
        let brace = matches!(text.pieces.first(), Some(Piece::Literal(t)) if t.starts_with("${"));
        let double = variable || single_quote || empty || brace;
        self.shell(text, if double { Quote::Double } else { Quote::Single })
    }

    /// The pieces of a word between quotes, which are closed for what must not stand between them: patterns, and text of
    /// others that Nix quotes itself.
    fn shell(&mut self, text: &Text, quote: Quote) -> Vec<Part> {
        let mut word = Quoted { quote, open: false, parts: Vec::new() };
        for (i, p) in text.pieces.iter().enumerate() {
            match p {
                Piece::Literal(t) => word.literal(t),
                Piece::Reference(r) if glob(r).is_some() => word.apart(glob(r).unwrap_or_default()),
                Piece::Reference(r) => match self.meaning(r, text.span) {
                    Meaning::Value(v) if self.is_plain(&v) => word.inside(Part::Value(v)),
                    Meaning::Value(v) => word.outside(Part::Value(escaped(v))),
                    Meaning::Words(v) => word.outside(Part::Value(v)),
                    Meaning::Bare("*") => word.apart("*"),
                    Meaning::Bare(b) if b.starts_with('$') && quote != Quote::Double => {
                        word.apart(&format!("\"{b}\""));
                    }
                    Meaning::Bare(b) => word.inside(Part::Text(b.to_owned())),
                    Meaning::Variable(v) if quote == Quote::Double || self.is_path(&v) => {
                        let next = text.pieces.get(i + 1);
                        let joined = matches!(next, Some(Piece::Literal(t)) if t.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
                        word.inside(Part::Text(if joined { format!("${{{v}}}") } else { format!("${v}") }));
                    }
                    Meaning::Variable(v) => word.apart(&format!("\"${v}\"")),
                },
            }
        }
        word.close();
        merge(word.parts)
    }

    /// True for a variable of the shell that holds a path of the store or a number, which nothing splits.
    fn is_path(&self, variable: &str) -> bool {
        let own = self.shell_names.iter().any(|n| n == variable);
        !own && (self.is_output(variable) || matches!(variable, "NIX_BUILD_CORES" | "NIX_STORE"))
    }
}

/// A value that is one part of a word, whatever it holds.
pub(crate) fn escaped(value: NixExpr) -> NixExpr {
    NixExpr::call(NixExpr::path("lib.escapeShellArg"), [value])
}

/// A word on its way, between quotes or outside of them.
struct Quoted {
    quote: Quote,
    open: bool,
    parts: Vec<Part>,
}

impl Quoted {
    fn mark(&mut self) {
        let mark = match self.quote {
            Quote::None => return,
            Quote::Single => "'",
            Quote::Double => "\"",
        };
        self.parts.push(Part::Text(mark.into()));
    }

    fn inside(&mut self, part: Part) {
        if !self.open {
            self.mark();
            self.open = true;
        }
        self.parts.push(part);
    }

    fn outside(&mut self, part: Part) {
        if self.open {
            self.mark();
            self.open = false;
        }
        self.parts.push(part);
    }

    fn literal(&mut self, text: &str) {
        let escape = |c: char| self.quote == Quote::Double && matches!(c, '"' | '\\' | '$' | '`');
        let text = text.chars().fold(String::new(), |mut out, c| {
            if escape(c) {
                out.push('\\');
            }
            out.push(c);
            out
        });
        self.inside(Part::Text(text));
    }

    fn apart(&mut self, text: &str) {
        self.outside(Part::Text(text.to_owned()));
    }

    fn close(&mut self) {
        if self.open {
            self.mark();
        } else if self.parts.is_empty() {
            self.parts.push(Part::Text("\"\"".into()));
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// The lines of a loop's body, two columns further in; those that begin between quotes stay as they are.
pub(crate) fn indent(parts: Vec<Part>) -> Vec<Part> {
    let mut start = true;
    let mut out = Vec::new();
    let mut quotes = Quotes::default();
    for p in merge(parts) {
        match p {
            Part::Text(t) => {
                let mut text = String::new();
                for line in t.split_inclusive('\n') {
                    if start && line != "\n" && !quotes.is_open() {
                        text.push_str("  ");
                    }
                    text.push_str(line);
                    quotes.read(line);
                    start = line.ends_with('\n');
                }
                out.push(Part::Text(text));
            }
            value @ Part::Value(_) => {
                if start && !quotes.is_open() {
                    out.push(Part::Text("  ".into()));
                }
                start = false;
                quotes.blank = false;
                out.push(value);
            }
        }
    }
    out
}

/// Which quote of the shell is open.
struct Quotes {
    open: Option<char>,
    /// What was read last was a blank, so that a `#` begins a comment.
    blank: bool,
}

impl Default for Quotes {
    fn default() -> Self {
        Self { open: None, blank: true }
    }
}

impl Quotes {
    fn is_open(&self) -> bool {
        self.open.is_some()
    }

    fn read(&mut self, text: &str) {
        let mut chars = text.chars();
        while let Some(c) = chars.next() {
            match (self.open, c) {
                (None, '#') if self.blank => while chars.next().is_some_and(|c| c != '\n') {},
                (None, '\'' | '"') => self.open = Some(c),
                (Some(quote), c) if quote == c => self.open = None,
                (None | Some('"'), '\\') => {
                    chars.next();
                }
                _ => {}
            }
            self.blank = self.open.is_none() && (c.is_whitespace() || c == '#' || ";&|(".contains(c));
        }
    }
}
