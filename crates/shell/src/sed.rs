//! Makes sed commands from the steps `replace` and `sed`.

use crate::dialect::{Dialect, InPlace, call};
use crate::operation::Place;
use crate::word::glob;
use rocpkg_model::{Finding, Piece, Replace, Sed, Text};
use rocpkg_render::bash::{Stmt, Word, is_bare};

/// Returns the sed command for a `replace` step, below the guard that the distribution wants.
/// Special characters of sed in its text are escaped. Returns no command if each possible separator
/// is in the text already. This is reported.
pub(crate) fn replace<D: Dialect>(d: &mut D, r: &Replace) -> Vec<Stmt> {
    if r.from.literals().any(|l| l.contains('\n')) {
        d.report(
            Finding::error(
                "E0417",
                r.from.span,
                "sed can't replace text of several lines",
            )
            .label("this text contains a line break")
            .hint("use a patch"),
        );
    }
    readable(d, &r.from);
    readable(d, &r.to);
    // These characters are special in a basic regular expression, and in the replacement.
    let from = d.word(&escaped(&r.from, "\\.*[]^$"), Place::One);
    let to = d.word(&escaped(&r.to, "\\&"), Place::One);
    // A reference may contain a path. Names and versions contain no slash.
    let plain = |name: &str| matches!(name, "version" | "name" | "base" | "PN" | "PV" | "P" | "PF");
    let paths = r
        .from
        .references()
        .chain(r.to.references())
        .any(|name| !plain(name));
    let literal = |c: char| from.literals().chain(to.literals()).any(|l| l.contains(c));
    let taken = |c: char| literal(c) || (paths && c == '/');
    let Some(mark) = d.inputs().habits.separators.iter().find(|c| !taken(**c)) else {
        let message = "no separator is left for sed: the replacement contains each of them";
        d.report(Finding::error("E0308", r.from.span, message));
        return Vec::new();
    };
    let mark = mark.to_string();
    let script = Word::lit(format!("s{mark}"))
        .then(from)
        .literal(&*mark)
        .then(to)
        .literal(format!("{mark}g"));
    let mut all: Vec<Stmt> = guard(d, "-qF", &r.from, &r.files.0).into_iter().collect();
    let named = d.inputs().habits.in_place == InPlace::Last;
    all.push(command(d, vec![script], &r.files.0, named));
    all
}

/// Returns the command that stops the build if a text or a pattern is in none of the files. Returns
/// none if the distribution wants no guards.
fn guard<D: Dialect>(d: &mut D, options: &str, text: &Text, files: &[Text]) -> Option<Stmt> {
    if !d.guards() {
        return None;
    }
    let mut words = vec![Word::lit("grep"), Word::lit(options), Word::lit("-e")];
    words.push(d.word(text, Place::One));
    words.extend(files.iter().map(|t| d.word(t, Place::Files)));
    Some(call(d, words))
}

/// Returns the pattern of a script of sed: that of `s`, or of its address. Returns `None` for a
/// script without one.
fn pattern(script: &Text) -> Option<Text> {
    let mut pieces = script.pieces.iter();
    let Some(Piece::Literal(first)) = pieces.next() else {
        return None;
    };
    let rest = first
        .strip_prefix(['s', '\\'])
        .or(first.starts_with('/').then_some(first))?;
    let mark = rest.chars().next().filter(char::is_ascii_punctuation)?;
    let first = Piece::Literal(rest[mark.len_utf8()..].to_owned());
    let mut out = Vec::new();
    for piece in std::iter::once(&first).chain(pieces) {
        let Piece::Literal(text) = piece else {
            out.push(piece.clone());
            continue;
        };
        let bytes = text.as_bytes();
        let is_end = |at: &usize| bytes[*at] == mark as u8 && (*at == 0 || bytes[at - 1] != b'\\');
        match (0..bytes.len()).find(is_end) {
            Some(end) => {
                out.push(Piece::Literal(text[..end].to_owned()));
                return Some(Text {
                    span: script.span,
                    ..Text::joined(&out)
                });
            }
            None => out.push(piece.clone()),
        }
    }
    None
}

/// Reports a reference in `text` to one of the package's own variables, because its value may be
/// any text, and sed would read it as a part of the script. A `glob:` pattern is reported too.
fn readable<D: Dialect>(d: &mut D, text: &Text) {
    let own = text
        .references()
        .find(|name| {
            name.split(':').any(|part| d.inputs().own.contains(part)) || glob(name).is_some()
        })
        .map(str::to_owned);
    if let Some(name) = own {
        d.report(
            Finding::error(
                "E0564",
                text.span,
                format!("sed would read the value of `{name}` as a part of its script"),
            )
            .label("expected plain text, or a reference that no profile sets")
            .hint("write the value itself"),
        );
    }
}

/// Returns the command for a `sed` step, which runs sed scripts over files, below the guards that
/// the distribution wants.
pub(crate) fn sed<D: Dialect>(d: &mut D, s: &Sed) -> Vec<Stmt> {
    s.scripts.0.iter().for_each(|t| readable(d, t));
    let patterns = s.scripts.0.iter().filter_map(pattern);
    let mut all: Vec<Stmt> = patterns
        .filter_map(|p| guard(d, "-q", &p, &s.files.0))
        .collect();
    let scripts = s.scripts.0.iter().map(|t| d.word(t, Place::One)).collect();
    all.push(command(d, scripts, &s.files.0, true));
    all
}

fn command<D: Dialect>(d: &mut D, scripts: Vec<Word>, files: &[Text], named: bool) -> Stmt {
    let mut files: Vec<Word> = files.iter().map(|t| d.word(t, Place::Files)).collect();
    let mut words = vec![Word::lit("sed")];
    let last = d.inputs().habits.in_place == InPlace::Last;
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
    // `-i` and the first file stay on one line.
    if let Some(first) = files.first_mut().filter(|_| last) {
        *first = Word::lit("-i").then(Word::pattern(" ")).then(first.clone());
    }
    words.extend(files);
    call(d, words)
}

/// Returns the word `-e SCRIPT`, so that both stay on one line. The script is always quoted, even
/// if bash needs no quotes.
fn expression(script: Word) -> Word {
    let script = match script.as_literal() {
        Some(text) if is_bare(text) => Word::pattern(format!("\"{text}\"")),
        _ => script,
    };
    Word::lit("-e").then(Word::pattern(" ")).then(script)
}

/// Returns one side of a replacement with a `\` before each character of `special`. References are
/// left unchanged. A line break becomes `\n`.
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
    Text {
        pieces: pieces.collect(),
        span: text.span,
    }
}
