//! `rocpkg pms`: questions about Gentoo's dependency language, one JSON object a line.

use crate::outcome::{Outcome, WRONG};
use rocpkg::pms::answer_bytes;
use std::io::{self, BufRead, ErrorKind, Write};

/// Answers each line of standard input by a line of standard output, in order.
pub(crate) fn run() -> Outcome {
    match converse(io::stdin().lock(), io::stdout().lock()) {
        // Nobody listens any more.
        Err(e) if e.kind() != ErrorKind::BrokenPipe => {
            Outcome { err: format!("error: {e}\n"), status: WRONG, ..Outcome::default() }
        }
        _ => Outcome::default(),
    }
}

/// Whoever asks may wait for an answer before the next question.
fn converse(input: impl BufRead, mut output: impl Write) -> io::Result<()> {
    for question in input.split(b'\n') {
        writeln!(output, "{}", answer_bytes(&question?))?;
        output.flush()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answers(input: &[u8]) -> Vec<String> {
        let mut out = Vec::new();
        converse(input, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
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
        let expected = [
            r#"{"ok":true,"r":1}"#,
            r#"{"ok":true,"r":true}"#,
            r#"{"ok":true,"sat":true}"#,
            r#"{"ok":true,"r":["y"]}"#,
        ];
        assert_eq!(answers(questions.as_bytes()), expected);
    }

    #[test]
    fn what_is_no_question_is_answered_too() {
        let got = answers(b"\xff\xfe\n{}\n\n[1\n");
        assert_eq!(got.len(), 4);
        assert!(got.iter().all(|a| a.starts_with(r#"{"ok":false,"err":"#)), "{got:?}");
    }
}
