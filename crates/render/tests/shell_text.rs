//! Tests of shell text that was written by hand: faults that bash refuses are reported, and valid
//! text passes.

use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use rocpkg_render::bash::read_shell;
use std::process::Stdio;

/// The pieces that shell texts are generated from.
const PIECES: [&str; 44] = [
    "if",
    "then",
    "elif",
    "else",
    "fi",
    "for x in",
    "while",
    "do",
    "done",
    "case x in",
    "esac",
    "{",
    "}",
    "(",
    ")",
    "((",
    "))",
    "[[",
    "]]",
    "\"",
    "'",
    "`",
    "$(",
    "${x",
    "$((",
    "$'",
    "\n",
    ";",
    ";;",
    "&&",
    "|",
    "<<E\n",
    "\nE\n",
    "<(",
    ">",
    "<<<",
    "\\",
    "#",
    "a",
    "b=",
    "=(",
    "function f",
    "f()",
    "!",
];

/// Returns true if bash accepts the text as a script. A text that bash warns of, such as a
/// here-document that the end of the file ends, counts as refused.
fn bash_takes(text: &str) -> bool {
    let out = rocpkg_programs::command("bash")
        .args(["-n", "-c", text])
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    out.status.success() && out.stderr.is_empty()
}

proptest! {
    // Bash accepts some text that nobody writes, so the same texts are tested each time.
    #![proptest_config(ProptestConfig { cases: 3000, rng_seed: RngSeed::Fixed(1), failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn what_is_refused_is_refused_by_bash(pieces in prop::collection::vec((0..PIECES.len(), any::<bool>()), 1..14)) {
        let text: String = pieces.iter().map(|(n, apart)| format!("{}{}", PIECES[*n], if *apart { " " } else { "" })).collect();
        // At an empty test bash stops reading without a message, and it reads arithmetic only when
        // it runs it.
        let empty_test = text.split("[[").skip(1).any(|rest| rest.trim_start().starts_with("]]"));
        if let Some(fault) = read_shell(&text).fault.filter(|_| !empty_test && !text.contains("((")) {
            // Bash accepts a backslash at the end. Its effect depends on the text that follows.
            if fault.message.starts_with("the text ends in `\\`") {
                return Ok(());
            }
            prop_assert!(!bash_takes(&text), "{:?} is refused: {:?}", text, fault);
        }
    }
}

#[test]
fn what_bash_refuses_is_told() {
    for (text, at, message) in [
        ("echo \"a", 5, "the quote `\"` is not closed"),
        ("echo 'a\n", 5, "the quote `'` is not closed"),
        ("x=$(echo a", 2, "`$(` is not closed by `)`"),
        ("echo ${a", 5, "`${` is not closed by `}`"),
        ("( a", 0, "`(` is not closed by `)`"),
        (
            "cat <<EOF\na\n",
            4,
            "the here-document is not closed by a line `EOF`",
        ),
        (
            "cat <<EOF",
            4,
            "the here-document is not closed by a line `EOF`",
        ),
        ("a=(b", 2, "`(` is not closed by `)`"),
        (
            "echo a \\",
            7,
            "the text ends in `\\`, so bash would join the next line to it",
        ),
        (
            "echo a\\\\\\",
            8,
            "the text ends in `\\`, so bash would join the next line to it",
        ),
        (
            "a |",
            2,
            "the text ends in `|`, so bash would join the next line to it",
        ),
        (
            "a && # b\n",
            2,
            "the text ends in `&&`, so bash would join the next line to it",
        ),
        (
            "a ||\n\n",
            2,
            "the text ends in `||`, so bash would join the next line to it",
        ),
        (
            "a && \\",
            5,
            "the text ends in `\\`, so bash would join the next line to it",
        ),
        (
            "x[0]=1\na |&",
            9,
            "the text ends in `|&`, so bash would join the next line to it",
        ),
        (
            "x[0]=1\na \\\n",
            9,
            "the text ends in `\\`, so bash would join the next line to it",
        ),
        (
            "x[0]=1\na && # b",
            9,
            "the text ends in `&&`, so bash would join the next line to it",
        ),
        (
            "x[0]=1\na ||\n\n  # b",
            9,
            "the text ends in `||`, so bash would join the next line to it",
        ),
    ] {
        let fault = read_shell(text).fault.unwrap_or_else(|| panic!("{text}"));
        assert_eq!((fault.at, fault.message.as_str()), (at, message), "{text}");
    }
}

#[test]
fn what_bash_takes_passes() {
    for text in [
        "",
        "echo if then fi done } {",
        "if [ -d x ]; then rm \"$x\"/bin/*.{yaml,txt}; elif a; then b; else c; fi",
        "for f in *; do if a; then { b; } fi done",
        "for ((i = 0; i < 3; i++)); do echo $i; done",
        "while read -r a; do echo \"${a#\"$b\"/}\"; done < <(find .)",
        "case $x in (a|b) c;; *) d;& esac",
        "case $x in\na) if b; then c; fi ;;\nesac",
        "cat > x <<'EOF' && cat <<-B\nit's\nEOF\n\t\"\n\tB\necho",
        "f() { a; }\nf2 () ( b )",
        "a=(b 'c' # it's\n d)\nlocal x=(1) y",
        "x=$(case a in b) c;; esac)",
        "echo $((1 + (2 * 3))) $'it\\'s' \"a\\\"b\" a#b # it's",
        "[[ $a =~ ^(x|y)$ && ! -e b ]] || die",
        "find . -exec sh -c '\n  echo \"$0\n' {} +",
        "! a | b && (c; d) &",
        "echo a \\\n  b",
        "echo `a \"b\"` >&2 2>&1",
        "shopt -s extglob; rm !(a|b)",
        "X=1 Y=\"a b\" make",
        "a # b \\",
        "# a |",
        "echo a\\\\",
        "a &&\n  b",
        "echo \\|",
        "make &",
        "a && \\b",
        "x[0]=1\na # b &&",
        "x[0]=1\necho 'a && # b'",
        "x[0]=1\na &&\n  # b\n  c",
        "f()\n# a\n{ b; }",
        "function f\n{ b; }",
        "a >\\\nb; c <&- 2>&1 >|d",
    ] {
        assert_eq!(read_shell(text).fault, None, "{text}");
    }
}

#[test]
fn lines_that_must_stay_are_known() {
    assert_eq!(
        read_shell("a\ncat <<E\n  b\nE\nc 'd\n  e'\n").held,
        [2, 3, 5]
    );
    assert_eq!(read_shell("a \"b\n c $(d\n e)\nf\"\ng").held, [1, 3]);
}
