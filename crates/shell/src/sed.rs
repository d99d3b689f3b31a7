//! Replacements and scripts of sed, quoted so that literal text stays literal.

use crate::dialect::{Dialect, InPlace, call};
use crate::operation::Place;
use crate::word::glob;
use rocpkg_model::{Finding, Piece, Replace, Sed, Text};
use rocpkg_render::bash::{Stmt, Word, is_bare};

/// Literal text replaced, one line at a time.
pub(crate) fn replace<D: Dialect>(d: &mut D, r: &Replace) -> Vec<Stmt> {
    if r.from.literals().any(|l| l.contains('\n')) {
        d.report(
            Finding::error("E0417", r.from.span, "sed replaces text within one line")
                .label("this text holds a line's end")
                .hint("use a patch"),
        );
    }
    readable(d, &r.from);
    readable(d, &r.to);
    // Special in a basic regular expression, and in what replaces a match.
    let from = d.word(&escaped(&r.from, "\\.*[]^$"), Place::One);
    let to = d.word(&escaped(&r.to, "\\&"), Place::One);
    // A path may come out of a reference; names and versions hold no slash.
    let plain = |name: &str| matches!(name, "version" | "name" | "base" | "PN" | "PV" | "P" | "PF");
    let paths = r.from.references().chain(r.to.references()).any(|name| !plain(name));
    let literal = |c: char| from.literals().chain(to.literals()).any(|l| l.contains(c));
    let taken = |c: char| literal(c) || (paths && c == '/');
    let Some(mark) = d.habits().separators.iter().find(|c| !taken(**c)) else {
        d.report(Finding::error(
            "E0308",
            r.from.span,
            "no character is left to part the sides of a replacement",
        ));
        return Vec::new();
    };
    let mark = mark.to_string();
    let script =
        Word::lit(format!("s{mark}")).then(from).literal(&*mark).then(to).literal(format!("{mark}g"));
    let mut all = if r.may_be_absent { Vec::new() } else { guard(d, "-qF", &r.from, &r.files.0) };
    all.push(command(d, vec![script], &r.files.0, d.habits().in_place == InPlace::Last));
    all
}

/// Reports a reference to a variable that holds any text: sed would read its value as a part of the script. A pattern is no text.
fn readable<D: Dialect>(d: &mut D, text: &Text) {
    let own = text
        .references()
        .find(|name| name.split(':').any(|part| d.own().contains(part)) || glob(name).is_some())
        .map(str::to_owned);
    if let Some(name) = own {
        d.report(
            Finding::error("E0564", text.span, format!("sed would read what `{name}` holds as its own"))
                .label("expected text, or a reference whose value no profile sets")
                .hint("write the value itself"),
        );
    }
}

/// A script over files.
pub(crate) fn sed<D: Dialect>(d: &mut D, s: &Sed) -> Vec<Stmt> {
    s.scripts.0.iter().for_each(|t| readable(d, t));
    let mut guards = Vec::new();
    for pattern in s.scripts.0.iter().flat_map(patterns) {
        guards.extend(guard(d, "-q", &pattern, &s.files.0));
    }
    let scripts = s.scripts.0.iter().map(|t| d.word(t, Place::One)).collect();
    guards.into_iter().chain([command(d, scripts, &s.files.0, true)]).collect()
}

/// Asks whether a text or a pattern stands in each of the files, where the distribution's recipes do: in one at least of those that a
/// pattern names.
fn guard<D: Dialect>(d: &mut D, flags: &str, pattern: &Text, files: &[Text]) -> Vec<Stmt> {
    if !d.guards_edits() {
        return Vec::new();
    }
    let each = files.iter().map(|file| {
        let words = [Word::lit("grep"), Word::lit(flags), Word::lit("-e"), d.word(pattern, Place::One)];
        let words = words.into_iter().chain([d.word(file, Place::Files)]).collect();
        call(d, words)
    });
    each.collect()
}

/// What a script looks for, as grep takes it: the address, and the left side of `s/…/…/`.
fn patterns(script: &Text) -> Vec<Text> {
    let mut out = Vec::new();
    let mut rest = script.clone();
    if matches!(rest.pieces.first(), Some(Piece::Literal(head)) if head.starts_with('/')) {
        let Some((address, command)) = sides(&rest, 1, '/') else { return out };
        out.push(address);
        rest = command;
    }
    if let Some(Piece::Literal(head)) = rest.pieces.first()
        && let Some(mark) = head.strip_prefix('s').and_then(|tail| tail.chars().next())
        && mark.is_ascii_punctuation()
    {
        out.extend(sides(&rest, 2, mark).map(|(from, _)| from));
    }
    out
}

/// What stands before a mark and behind it, from a byte of the first piece on. None where grep has no words for it.
fn sides(text: &Text, begin: usize, mark: char) -> Option<(Text, Text)> {
    let mut before = Text { pieces: Vec::new(), span: text.span };
    for (i, piece) in text.pieces.iter().enumerate() {
        let Piece::Literal(literal) = piece else {
            before.pieces.push(piece.clone());
            continue;
        };
        let (mut part, mut chars) = (String::new(), literal[if i == 0 { begin } else { 0 }..].chars());
        while let Some(c) = chars.next() {
            match c {
                // The mark itself is literal there.
                '\\' => match chars.next()? {
                    next if next == mark => part.push(next),
                    'n' | 't' => return None,
                    next => part.extend(['\\', next]),
                },
                c if c == mark => {
                    before.pieces.push(Piece::Literal(part));
                    let behind = [Piece::Literal(chars.collect())].into_iter();
                    let pieces = behind.chain(text.pieces[i + 1..].iter().cloned()).collect();
                    return Some((before, Text { pieces, span: text.span }));
                }
                c => part.push(c),
            }
        }
        before.pieces.push(Piece::Literal(part));
    }
    None
}

fn command<D: Dialect>(d: &mut D, scripts: Vec<Word>, files: &[Text], named: bool) -> Stmt {
    let mut files: Vec<Word> = files.iter().map(|t| d.word(t, Place::Files)).collect();
    let mut words = vec![Word::lit("sed")];
    let last = d.habits().in_place == InPlace::Last;
    if !last {
        words.push(Word::lit("-i"));
    }
    for script in scripts {
        match (named, last) {
            (false, _) => words.push(script),
            (true, false) => words.extend([Word::lit("-e"), script]),
            (true, true) => words.push(expression(script)),
        }
    }
    // `-i` and the first file are never parted by a line's end.
    if let Some(first) = files.first_mut().filter(|_| last) {
        *first = Word::lit("-i").then(Word::pattern(" ")).then(first.clone());
    }
    words.extend(files);
    call(d, words)
}

/// `-e` and a script, never parted by a line's end. A script stands in quotes even where bash needs none.
fn expression(script: Word) -> Word {
    let script = match script.as_literal() {
        Some(text) if is_bare(text) => Word::pattern(format!("\"{text}\"")),
        _ => script,
    };
    Word::lit("-e").then(Word::pattern(" ")).then(script)
}

/// One side of a replacement, its literals escaped for sed, which writes a line's end as `\n`.
fn escaped(text: &Text, special: &str) -> Text {
    let escape = |literal: &str| {
        literal.chars().fold(String::new(), |mut out, c| {
            if special.contains(c) {
                out.push('\\');
            }
            match c {
                '\n' => out.push_str("\\n"),
                c => out.push(c),
            }
            out
        })
    };
    let pieces = text.pieces.iter().map(|p| match p {
        Piece::Literal(l) => Piece::Literal(escape(l)),
        reference @ Piece::Reference(_) => reference.clone(),
    });
    Text { pieces: pieces.collect(), span: text.span }
}
