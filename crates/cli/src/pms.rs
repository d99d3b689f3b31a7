//! `rocpkg pms`: questions about Gentoo's dependency language, one JSON object a line.

use crate::outcome::{Outcome, WRONG};
use rocpkg::pms::answer_bytes;
use std::io::{self, BufRead, BufReader, BufWriter, ErrorKind, Read, Write};

/// The longest question, in bytes. A longer line is passed over, whatever its length, and answered that it is too long.
const LONGEST: u64 = 16 * 1024 * 1024;

/// So many bytes are read and written at a time.
const BATCH: usize = 64 * 1024;

/// So much memory a line may leave behind for the next one.
const KEPT: usize = 1024 * 1024;

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

/// Answers are written together as long as whole questions are at hand. Before more is waited for, all that were given are on
/// their way: whoever asks may wait for them.
fn converse(input: impl Read, output: impl Write) -> io::Result<()> {
    let mut input = BufReader::with_capacity(BATCH, input);
    let mut output = BufWriter::with_capacity(BATCH, output);
    let mut line = Vec::new();
    loop {
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
        line.clear();
        line.shrink_to(KEPT);
        // One more, so that what is too long is told from what is just not.
        input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line)?;
        if line.is_empty() {
            return output.flush();
        }
        let question = line.strip_suffix(b"\n").unwrap_or(&line);
        if question.len() as u64 > LONGEST {
            input.skip_until(b'\n')?;
            writeln!(
                output,
                r#"{{"ok":false,"err":"not a question: the line is longer than {LONGEST} bytes"}}"#
            )?;
        } else {
            writeln!(output, "{}", answer_bytes(question))?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::rc::Rc;

    fn answers(input: impl Read) -> Vec<String> {
        let mut out = Vec::new();
        converse(input, &mut out).unwrap();
        String::from_utf8(out).unwrap().lines().map(str::to_owned).collect()
    }

    const QUESTION: &[u8] = b"{\"op\":\"vercmp\",\"a\":\"1.2-r1\",\"b\":\"1.2\"}\n";
    const ANSWER: &str = r#"{"ok":true,"r":1}"#;

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
        assert_eq!(
            answers(questions.as_bytes()),
            [ANSWER, r#"{"ok":true,"r":true}"#, r#"{"ok":true,"sat":true}"#, r#"{"ok":true,"r":["y"]}"#]
        );
    }

    #[test]
    fn what_is_no_question_is_answered_too() {
        let got = answers(&b"\xff\xfe\n{}\n\n[1\n"[..]);
        assert_eq!(got.len(), 4);
        assert!(got.iter().all(|a| a.starts_with(r#"{"ok":false,"err":"#)), "{got:?}");
    }

    #[test]
    fn the_lines_after_one_that_is_too_long_are_answered() {
        // Three times as long, and the longest that is read: both are answered, and so is what follows.
        let long = io::repeat(b'x').take(3 * LONGEST).chain(&b"\n"[..]);
        let longest = io::repeat(b' ').take(LONGEST + 1 - QUESTION.len() as u64).chain(QUESTION);
        let got = answers(long.chain(QUESTION).chain(longest).chain(io::repeat(b'x').take(LONGEST + 1)));
        let refused = r#"{"ok":false,"err":"not a question: the line is longer than 16777216 bytes"}"#;
        assert_eq!(got, [refused, ANSWER, ANSWER, refused]);
    }

    /// Gives what it is told a part at a time, as a pipe does, and notes how much was answered when the next part was asked for.
    struct Peer<'a> {
        parts: Vec<&'a [u8]>,
        answered: Rc<RefCell<Vec<u8>>>,
        seen: Vec<usize>,
    }

    impl Read for &mut Peer<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            self.seen.push(self.answered.borrow().split(|b| *b == b'\n').count() - 1);
            if self.parts.is_empty() {
                return Ok(0);
            }
            let part = self.parts.remove(0);
            into[..part.len()].copy_from_slice(part);
            Ok(part.len())
        }
    }

    /// Notes what is written, and in how many pieces.
    struct Answers {
        text: Rc<RefCell<Vec<u8>>>,
        pieces: Rc<RefCell<usize>>,
    }

    impl Write for Answers {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            *self.pieces.borrow_mut() += 1;
            self.text.borrow_mut().extend(bytes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    /// How many lines were answered each time that more was asked for, and the pieces that the answers came in.
    fn pace(parts: &[&[u8]]) -> (Vec<usize>, usize) {
        let (text, pieces) = (Rc::default(), Rc::default());
        let mut peer = Peer { parts: parts.to_vec(), answered: Rc::clone(&text), seen: Vec::new() };
        converse(&mut peer, Answers { text, pieces: Rc::clone(&pieces) }).unwrap();
        let pieces = *pieces.borrow();
        (peer.seen, pieces)
    }

    #[test]
    fn nothing_is_waited_for_while_answers_are_held_back() {
        let (head, tail) = QUESTION.split_at(7);
        // Line by line, and with a part of the next line behind one.
        assert_eq!(pace(&[QUESTION, QUESTION]).0, [0, 1, 2]);
        assert_eq!(pace(&[&[QUESTION, head].concat(), tail]).0, [0, 1, 2]);
        assert_eq!(pace(&[head, tail, QUESTION]).0, [0, 0, 1, 2]);
    }

    #[test]
    fn answers_to_many_lines_are_written_together() {
        let many = QUESTION.repeat(1000);
        let (seen, pieces) = pace(&[&many, &many]);
        assert_eq!((seen, pieces), (vec![0, 1000, 2000], 2));
    }
}
