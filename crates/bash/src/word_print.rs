//! Prints words as bash text.

use super::name::is_identifier;
use super::word::{Part, Quoting, Word};

impl Word {
    /// Prints the word as bash text.
    pub fn print(&self, quoting: Quoting) -> String {
        if quoting == Quoting::AfterEquals
            && let Some((head, tail)) = self.split_at_equals()
        {
            return format!("{head}{}", tail.print(Quoting::Whole));
        }
        let mut out = String::new();
        // Parts that must stay unquoted divide the word into runs, which are quoted separately.
        for run in self.parts.chunk_by(|a, b| is_quotable(a) && is_quotable(b)) {
            match run {
                [part] if !is_quotable(part) => out.push_str(&print_expansion(part, quoting, None)),
                parts => out.push_str(&print_run(parts, quoting)),
            }
        }
        if out.is_empty() { "\"\"".into() } else { out }
    }

    /// Prints the word without quotes around it. Its literals are printed as they are: they are
    /// shell text, as in [`Stmt::Raw`](super::Stmt::Raw).
    pub fn print_bare(&self, quoting: Quoting) -> String {
        joined(&self.parts, quoting, str::to_owned)
    }

    /// Splits the word after the first `=`, if it is an option such as `-DNAME=…` or an assignment,
    /// and something behind the `=` may need quotes. Returns `None` for any other word.
    fn split_at_equals(&self) -> Option<(String, Word)> {
        let Some(Part::Literal(first)) = self.parts.first() else {
            return None;
        };
        let at = first.find('=')?;
        let (head, rest) = first.split_at(at + 1);
        let fine = head
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_=:+.".contains(&b));
        if !fine || (rest.is_empty() && self.parts.len() == 1) {
            return None;
        }
        let tail = Word {
            parts: self.parts[1..].to_vec(),
            ..Word::default()
        };
        Some((
            head.to_owned(),
            if rest.is_empty() {
                tail
            } else {
                Word::lit(rest).then(tail)
            },
        ))
    }
}

fn is_quotable(part: &Part) -> bool {
    !matches!(
        part,
        Part::Pattern(_) | Part::Split(_) | Part::SplitCommand(_) | Part::Written(_)
    )
}

/// Returns true if the text needs no quotes at any place where bash reads a word.
pub fn is_bare(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with('#')
        && text
            .bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_./:=+,@%^".contains(&b))
}

fn print_run(parts: &[Part], quoting: Quoting) -> String {
    if quoting == Quoting::Least {
        return print_least(parts);
    }
    if let [Part::Literal(text)] = parts {
        return print_literal(text);
    }
    apart(parts, |parts| {
        format!("\"{}\"", joined(parts, quoting, escape_double))
    })
}

/// Prints parts of a word by `print`, except for literals with control characters. Between double
/// quotes, bash expands `$(…)` in `$'…'`, so these literals get quotes of their own:
/// `"${x}"$'\x01'`.
fn apart(parts: &[Part], print: impl Fn(&[Part]) -> String) -> String {
    let ansi = |part: &Part| match part {
        Part::Literal(text) | Part::Quoted(text) if has_controls(text) => Some(print_ansi(text)),
        _ => None,
    };
    let runs = parts.chunk_by(|a, b| ansi(a).is_none() && ansi(b).is_none());
    runs.map(|run| match run {
        [one] => ansi(one).unwrap_or_else(|| print(run)),
        run => print(run),
    })
    .collect()
}

/// Prints adjacent parts of a word, one behind the other. The function `literal` prints each
/// literal.
fn joined(parts: &[Part], quoting: Quoting, literal: impl Fn(&str) -> String) -> String {
    let print = |(i, part): (usize, &Part)| match part {
        Part::Literal(text) | Part::Quoted(text) => literal(text),
        expansion => print_expansion(expansion, quoting, parts.get(i + 1)),
    };
    parts.iter().enumerate().map(print).collect()
}

/// Prints the parts with no more quotes than bash needs.
fn print_least(parts: &[Part]) -> String {
    apart(parts, least)
}

fn least(parts: &[Part]) -> String {
    let text = |i: usize, next| print_expansion(&parts[i], Quoting::Least, next);
    let is_bare = |part: &Part| match part {
        Part::Literal(text) => is_bare(text),
        part => !matches!(part, Part::Quoted(_)),
    };
    if parts.iter().all(is_bare) {
        let is_any_text = |part: &Part| matches!(part, Part::Variable(_) | Part::Command(_));
        let (first, last) = (
            parts.iter().position(is_any_text),
            parts.iter().rposition(is_any_text),
        );
        let quoted = |i| {
            let mark = |end: Option<usize>| if end == Some(i) { "\"" } else { "" };
            // After the last expansion, the closing quote ends the name.
            let next = parts.get(i + 1).filter(|_| last != Some(i));
            [mark(first), &text(i, next), mark(last)].concat()
        };
        return (0..parts.len()).map(quoted).collect();
    }
    let is_bashs = |part: &Part| match part {
        Part::Literal(text) | Part::Quoted(text) => text.contains('\''),
        part => !matches!(part, Part::Foreign(_)),
    };
    let all: String = (0..parts.len()).map(|i| text(i, None)).collect();
    if !parts.iter().any(is_bashs) && !all.is_empty() && !all.starts_with("${") {
        return format!("'{all}'");
    }
    let inside = parts.iter().enumerate().map(|(i, part)| match part {
        Part::Literal(text) | Part::Quoted(text) => escape_double(text),
        _ => text(i, parts.get(i + 1)),
    });
    format!("\"{}\"", inside.collect::<String>())
}

/// Prints one part of a word: `${name}`, `$(words)`, or any other part as it is. The text is the
/// same inside and outside quotes. `next` is the part behind it, which decides if a name needs
/// braces.
fn print_expansion(part: &Part, quoting: Quoting, next: Option<&Part>) -> String {
    match part {
        Part::Variable(name) | Part::Path(name)
            if matches!(quoting, Quoting::Short | Quoting::Least)
                && needs_no_braces(name, next) =>
        {
            format!("${name}")
        }
        Part::Variable(name) | Part::Path(name) | Part::Split(name) => format!("${{{name}}}"),
        Part::Command(words) | Part::SplitCommand(words) => {
            let words: Vec<String> = words.iter().map(|w| w.print(quoting.of_value())).collect();
            format!("$({})", words.join(" "))
        }
        Part::Literal(text) | Part::Quoted(text) | Part::Foreign(text) | Part::Pattern(text) => {
            text.clone()
        }
        Part::Written(piece) => piece.to_string(),
    }
}

/// Returns true if `$name` needs no braces: the name is plain, and bash would not read the
/// beginning of `next` as a part of it.
fn needs_no_braces(name: &str, next: Option<&Part>) -> bool {
    let reads_on = matches!(next, Some(Part::Literal(t) | Part::Quoted(t)) if t.starts_with(|c: char| c.is_ascii_alphanumeric() || "_[".contains(c)));
    is_identifier(name) && !reads_on
}

fn print_literal(text: &str) -> String {
    if is_bare(text) {
        return text.to_owned();
    }
    if has_controls(text) {
        return print_ansi(text);
    }
    if text.contains(['$', '`', '"', '\\']) && !text.contains('\'') {
        return format!("'{text}'");
    }
    format!("\"{}\"", escape_double(text))
}

/// Returns true if a text has control characters other than line breaks and tabs. An editor or a
/// tool may change them, so they are printed as escapes.
fn has_controls(text: &str) -> bool {
    let is_plain = |c: char| !c.is_control() || c == '\n' || c == '\t';
    !text.chars().all(is_plain)
}

/// Prints text between `$'` and `'`.
fn print_ansi(text: &str) -> String {
    format!("$'{}'", escape_ansi(text))
}

/// Escapes text for the place between double quotes of bash.
fn escape_double(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if matches!(c, '"' | '$' | '`' | '\\') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

fn escape_ansi(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c {
            '\'' | '\\' => out.extend(['\\', c]),
            // Bash has no escape for it. It stays, so that readers refuse the text.
            '\0' => out.push(c),
            c if c.is_control() => {
                let mut bytes = [0; 4];
                for b in c.encode_utf8(&mut bytes).bytes() {
                    out.push_str(&format!("\\x{b:02x}"));
                }
            }
            c => out.push(c),
        }
    }
    out
}
