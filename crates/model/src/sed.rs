//! Scripts of sed, read far enough to know that they change the text before them and nothing else.
//!
//! GNU sed also runs programs (`e`, and `e` behind a replacement), reads files (`r`, `R`) and writes them (`w`, `W`). A script is
//! data, so these are refused, and so is what can't be read: what sed makes of it is not known.

use crate::finding::{Finding, Findings};
use crate::step::{Replace, Sed};
use crate::text::{Piece, Text};
use std::iter::Peekable;
use std::str::Chars;

/// What stands for a reference while a script is read: no character of a profile.
const REFERENCE: char = '\u{fffc}';

/// Reports scripts that do more than change text.
pub(crate) fn check_scripts(sed: &Sed, findings: &mut Findings) {
    let mut depth = 0;
    for script in &sed.scripts.0 {
        if let Err(reason) = script_text(script).and_then(|text| read(&text, &mut depth)) {
            findings.push(
                Finding::error("E0564", script.span, reason)
                    .label("expected commands that change text: they run, read and write nothing")
                    .hint("use `replace` or a patch"),
            );
        }
    }
    if let (true, Some(last)) = (depth > 0, sed.scripts.0.last()) {
        findings.push(
            Finding::error("E0564", last.span, "a `{` of sed that nothing closes").label("expected `}`"),
        );
    }
}

/// Reports a replacement of nothing, and patterns of the shell in one: both sides are literal.
pub(crate) fn check_replace(replace: &Replace, findings: &mut Findings) {
    if replace.from.as_literal().is_some_and(|text| text.is_empty()) {
        findings.push(
            Finding::error("E0562", replace.from.span, "an empty text can't be replaced")
                .label("expected the text as the file has it"),
        );
    }
    for side in [&replace.from, &replace.to] {
        if let Err(reason) = script_text(side) {
            findings.push(Finding::error("E0564", side.span, reason).label("expected text"));
        }
    }
}

/// A text with a sign for each reference.
fn script_text(text: &Text) -> Result<String, String> {
    let mut out = String::new();
    for piece in &text.pieces {
        match piece {
            Piece::Literal(t) if t.contains(REFERENCE) => return Err(format!("sed reads no {REFERENCE:?}")),
            Piece::Literal(t) => out.push_str(t),
            Piece::Reference(name) if name == "*" || name.starts_with("glob:") => {
                return Err(format!("`${{{name}}}` is a pattern of the shell, and no text"));
            }
            Piece::Reference(_) => out.push(REFERENCE),
        }
    }
    Ok(out)
}

type Script<'a> = Peekable<Chars<'a>>;

/// Reads the commands of a script; `depth` counts the braces that are open.
fn read(text: &str, depth: &mut usize) -> Result<(), String> {
    let mut s = text.chars().peekable();
    loop {
        while s.next_if(|c| c.is_ascii_whitespace() || *c == ';').is_some() {}
        let Some(_) = s.peek() else { return Ok(()) };
        address(&mut s)?;
        blanks(&mut s);
        while s.next_if_eq(&'!').is_some() {
            blanks(&mut s);
        }
        command(&mut s, depth)?;
    }
}

fn command(s: &mut Script<'_>, depth: &mut usize) -> Result<(), String> {
    let Some(c) = s.next() else { return Err("sed's script ends behind an address".to_owned()) };
    match c {
        '{' => *depth += 1,
        '}' => {
            *depth = depth.checked_sub(1).ok_or("a `}` of sed that nothing opened")?;
            end(s)?;
        }
        '#' => {
            line(s);
        }
        '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' => end(s)?,
        'l' | 'q' | 'Q' => {
            blanks(s);
            while s.next_if(char::is_ascii_digit).is_some() {}
            end(s)?;
        }
        ':' | 'b' | 't' | 'T' => {
            blanks(s);
            while s.next_if(|c| c.is_ascii_alphanumeric() || "_-.".contains(*c)).is_some() {}
            end(s)?;
        }
        'a' | 'i' | 'c' => {
            blanks(s);
            if line(s).trim_start_matches(['\\', '\n', ' ', '\t']).is_empty() {
                return Err(format!("`{c}` of sed lacks its text"));
            }
        }
        's' => substitution(s)?,
        'y' => {
            let mark = mark(s)?;
            until(s, mark)?;
            until(s, mark)?;
            end(s)?;
        }
        'e' => return Err("`e` of sed runs a program".to_owned()),
        'r' | 'R' => return Err(format!("`{c}` of sed reads a file")),
        'w' | 'W' => return Err(format!("`{c}` of sed writes a file")),
        other => return Err(format!("{other:?} is no command of sed")),
    }
    Ok(())
}

fn substitution(s: &mut Script<'_>) -> Result<(), String> {
    let mark = mark(s)?;
    until(s, mark)?;
    until(s, mark)?;
    while let Some(flag) = s.next_if(|c| c.is_ascii_alphanumeric() || *c == REFERENCE) {
        match flag {
            'e' => return Err("the flag `e` of sed runs what a line holds".to_owned()),
            'w' => return Err("the flag `w` of sed writes a file".to_owned()),
            'g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9' => {}
            other => return Err(format!("{other:?} is no flag of sed's `s`")),
        }
    }
    end(s)
}

/// What stands in front of a command: none, one or two addresses.
fn address(s: &mut Script<'_>) -> Result<(), String> {
    if !one_address(s)? {
        return Ok(());
    }
    blanks(s);
    if s.next_if_eq(&',').is_some() {
        blanks(s);
        let _ = s.next_if(|c| "+~".contains(*c));
        if !one_address(s)? {
            return Err("sed's second address is missing".to_owned());
        }
    }
    Ok(())
}

fn one_address(s: &mut Script<'_>) -> Result<bool, String> {
    let mark = match s.peek() {
        Some('$') => {
            s.next();
            return Ok(true);
        }
        Some(c) if c.is_ascii_digit() => {
            while s.next_if(|c| c.is_ascii_digit() || *c == '~').is_some() {}
            return Ok(true);
        }
        Some('/') => {
            s.next();
            '/'
        }
        Some('\\') => {
            s.next();
            mark(s)?
        }
        _ => return Ok(false),
    };
    until(s, mark)?;
    while s.next_if(|c| "IM".contains(*c)).is_some() {}
    Ok(true)
}

/// The character that parts what follows.
fn mark(s: &mut Script<'_>) -> Result<char, String> {
    let fine = |c: &char| c.is_ascii() && !matches!(c, '\n' | '\\');
    s.next().filter(fine).ok_or_else(|| "sed's delimiter is missing".to_owned())
}

/// Up to the delimiter and over it. Brackets don't hide it from GNU sed; a backslash does.
fn until(s: &mut Script<'_>, mark: char) -> Result<(), String> {
    while let Some(c) = s.next() {
        match c {
            c if c == mark => return Ok(()),
            '\\' => {
                s.next();
            }
            '\n' => break,
            _ => {}
        }
    }
    Err(format!("sed's command lacks the delimiter {mark:?}"))
}

/// Text up to the end of a line that no backslash goes on.
fn line(s: &mut Script<'_>) -> String {
    let mut out = String::new();
    while let Some(c) = s.next().filter(|c| *c != '\n') {
        out.push(c);
        if c == '\\' {
            out.extend(s.next());
        }
    }
    out
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
        let mut depth = 0;
        read(script, &mut depth).is_ok() && depth == 0
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
        ] {
            assert!(!reads(script), "{script}");
        }
    }
}
