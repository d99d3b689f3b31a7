//! Words of the shell in a hook: which quotes they need, and what stands outside of them.

use crate::expr::{NixExpr, Part};
use crate::lower::Lower;
use crate::value::{Meaning, merge};
use rocpkg_model::{Piece, Text};
use rocpkg_render::bash::{escape_double, read_shell};
use rocpkg_shell::{PATTERNS, glob, patterns as leading};

/// The quote in which the shell reads variables.
const DOUBLE: &str = "\"";

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
            return self.shell(text, "");
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
                out.extend(self.shell(&one, ""));
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
        self.shell(text, if double { DOUBLE } else { "'" })
    }

    /// The pieces of a word between quotes, which are closed for what must not stand between them: patterns, and text of
    /// others that Nix quotes itself.
    fn shell(&mut self, text: &Text, quote: &'static str) -> Vec<Part> {
        let double = quote == DOUBLE;
        let mut pieces: Vec<(bool, Part)> = Vec::new();
        for (i, p) in text.pieces.iter().enumerate() {
            let name = match p {
                Piece::Literal(t) => {
                    pieces.push((true, Part::Text(if double { escape_double(t) } else { t.clone() })));
                    continue;
                }
                Piece::Reference(name) => name,
            };
            if let Some(pattern) = glob(name) {
                pieces.push((false, Part::Text(pattern.to_owned())));
                continue;
            }
            pieces.push(match self.meaning(name, text.span) {
                Meaning::Value(v) if self.is_plain(&v) => (true, Part::Value(v)),
                Meaning::Value(v) => (false, Part::Value(escaped(v))),
                Meaning::Words(v) => (false, Part::Value(v)),
                Meaning::Bare("*") => (false, Part::Text("*".into())),
                Meaning::Bare(b) if b.starts_with('$') && !double => (false, Part::Text(format!("\"{b}\""))),
                Meaning::Bare(b) => (true, Part::Text(b.to_owned())),
                Meaning::Variable(v) if double || self.is_path(&v) => {
                    let next = text.pieces.get(i + 1);
                    let joined = matches!(next, Some(Piece::Literal(t)) if t.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
                    (true, Part::Text(if joined { format!("${{{v}}}") } else { format!("${v}") }))
                }
                Meaning::Variable(v) => (false, Part::Text(format!("\"${v}\""))),
            });
        }
        let mark = || Part::Text(quote.to_owned());
        let (mut open, mut parts) = (false, Vec::new());
        for (inside, part) in pieces {
            if inside != open {
                parts.push(mark());
            }
            open = inside;
            parts.push(part);
        }
        if open {
            parts.push(mark());
        } else if parts.is_empty() {
            parts.push(Part::Text("\"\"".into()));
        }
        merge(parts)
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

/// The lines of a loop's body, two columns further in; those that begin between quotes stay as they are.
pub(crate) fn indent(parts: Vec<Part>) -> Vec<Part> {
    let plain: String = parts.iter().map(|p| if let Part::Text(t) = p { t } else { "x" }).collect();
    let held = read_shell(&plain).held;
    let (mut line, mut start, mut out) = (0, true, Vec::new());
    for p in merge(parts) {
        let (text, value) = match p {
            Part::Text(text) => (text, None),
            value @ Part::Value(_) => (String::new(), Some(value)),
        };
        if value.is_some() && start && !held.contains(&line) {
            out.push(Part::Text("  ".into()));
        }
        start &= value.is_none();
        out.extend(value);
        for piece in text.split_inclusive('\n') {
            if start && piece != "\n" && !held.contains(&line) {
                out.push(Part::Text("  ".into()));
            }
            out.push(Part::Text(piece.to_owned()));
            start = piece.ends_with('\n');
            line += usize::from(start);
        }
    }
    merge(out)
}
