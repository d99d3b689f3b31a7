//! `rocpkg pms`: questions about Gentoo's dependency language, one JSON object a line.

use crate::outcome::{OK, Outcome, WRONG};
use rocpkg::pms::answer_bytes;
use std::io::{self, BufRead, ErrorKind, Read, Write};

/// The longest question, in bytes: a line without an end must not fill the memory.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Answers each line of standard input by a line of standard output, in order, as soon as it is read.
pub(crate) fn run() -> Result<Outcome, String> {
    match converse(&mut io::stdin().lock(), &mut io::stdout().lock()) {
        Ok(true) => Ok(Outcome { status: OK, ..Outcome::default() }),
        Ok(false) => Ok(Outcome {
            status: WRONG,
            err: "error: a line is longer than 16 MiB\n".into(),
            ..Outcome::default()
        }),
        // Nobody listens any more.
        Err(e) if e.kind() == ErrorKind::BrokenPipe => Ok(Outcome::default()),
        Err(e) => Err(e.to_string()),
    }
}

/// False when a line is too long to be a question.
fn converse(input: &mut impl BufRead, output: &mut impl Write) -> io::Result<bool> {
    let mut line = Vec::new();
    loop {
        line.clear();
        input.by_ref().take(LONGEST).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            output.flush()?;
            return Ok(true);
        }
        if line.len() as u64 == LONGEST {
            output.flush()?;
            return Ok(false);
        }
        let question = line.strip_suffix(b"\n").unwrap_or(&line);
        writeln!(output, "{}", answer_bytes(question))?;
        // A person, or a program that waits for this answer, must have it before the next question.
        output.flush()?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &[u8]) -> (Vec<String>, bool) {
        let mut out = Vec::new();
        let whole = converse(&mut io::BufReader::new(input), &mut out).unwrap();
        (String::from_utf8(out).unwrap().lines().map(str::to_owned).collect(), whole)
    }

    #[test]
    fn each_line_has_its_answer_in_order() {
        let questions = concat!(
            r#"{"op":"vercmp","a":"1.2-r1","b":"1.2"}"#,
            "\n",
            r#"{"op":"match","atom":">=dev-util/hip-7","cpv":"dev-util/hip-7.2.0-r2"}"#,
            "\n",
            r#"{"op":"required_use","s":"^^ ( a b )","on":["a"],"iuse":["a","b"]}"#,
            "\n",
            r#"{"op":"use_reduce","s":"a? ( x ) !a? ( y )","on":[]}"#,
        );
        let (got, whole) = answers(questions.as_bytes());
        assert!(whole);
        assert_eq!(
            got,
            [
                r#"{"ok":true,"r":1}"#,
                r#"{"ok":true,"r":true}"#,
                r#"{"ok":true,"sat":true}"#,
                r#"{"ok":true,"r":["y"]}"#,
            ]
        );
    }

    #[test]
    fn what_is_no_question_is_answered_too() {
        let (got, whole) = answers(b"\xff\xfe\n{}\n\n[1\n");
        assert!(whole);
        assert_eq!(got.len(), 4);
        assert!(got.iter().all(|a| a.starts_with(r#"{"ok":false,"err":"#)), "{got:?}");
    }

    #[test]
    fn a_line_without_an_end_is_refused() {
        let long = vec![b'x'; usize::try_from(LONGEST).unwrap() + 1];
        assert_eq!(answers(&long), (Vec::new(), false));
    }
}
