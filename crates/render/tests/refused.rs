//! Tests of bash texts that bash refuses: the reader refuses them too. bash is the reference.

use rocpkg_render::bash::read;
use rocpkg_test_support::{fixture, texts};
use std::io::Write;
use std::process::Stdio;

/// Texts that the grammar of tree-sitter-bash accepts and bash refuses, each with the byte that the
/// reader reports.
const REFUSED: &[(&str, usize)] = &[
    ("a-b=(c)", 4),
    ("X]=(a)", 3),
    ("$(a)(b)", 4),
    ("depends('x')", 7),
    ("a (b)", 2),
    ("a=(b)\\\nc=(d)", 7),
    ("a=(b)#c=(d)", 5),
    ("@a=(b)", 0),
    ("7a=(b)", 0),
    ("a=([b c)", 3),
    ("a=(\n['b']='c'\n[d='e')", 14),
    ("a;;b", 1),
    ("f()\\ {\na\n}", 3),
    ("f() {a\nb\n}", 5),
    ("f() {\r\na\r\n}", 5),
    ("f() {\na\n}\r", 9),
    ("f() {\na\n}#", 9),
    ("f(\n) {\na\n}", 2),
    ("f!() {\na\n}", 2),
    ("f() {\n# a\n}", 5),
    ("if a; then\nfi", 10),
    ("if a; then\nelse b; fi", 10),
    ("if a; then b; else\nfi", 18),
    ("if a; then]\nb; fi", 10),
    ("if] a; then b; fi", 2),
    ("for x in a; do\ndone", 14),
    ("for x in! a; do b; done", 8),
    ("a | ! b", 4),
    ("a\n]] b", 2),
    ("in a", 0),
];

/// Texts that bash accepts and reads otherwise than the grammar. In the first two, the word is a
/// part of the value. In the others, the first word has the mark or the carriage return in it.
const MISREAD: &[(&str, usize)] = &[
    ("a=(b)c", 5),
    ("local a=(b)c", 11),
    ("\u{feff}EAPI=8\n", 0),
    ("\ra b", 0),
];

/// Texts that are similar to refused ones, and that bash accepts.
const ACCEPTED: &[&str] = &[
    "a-b=c",
    "a=(b) # c",
    "a=(b)\\\n c",
    "(a)# b",
    "local a=(b) c=(d)",
    "a=([b]=c ['d e']=\"f\" [g[1]]=h [a-z]*)",
    "case a in b) c ;; d) ;; esac",
    "f()\n{ a\n}",
    "f() {\\\n a; }",
    "if a; then # b\nc; fi",
    "a -d \\  -f",
    "a \\ \n  b",
    "! a | b",
    "a=$(b)#c",
    "cat - <<E\nE",
];

/// Returns true if bash refuses a text. It reads the text, and runs nothing.
fn is_refused_by_bash(text: &str) -> bool {
    let mut bash = rocpkg_programs::command("bash")
        .args(["-n", "-O", "extglob"])
        .env("LC_ALL", "C")
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // bash may end before it has read everything.
    let _ = bash.stdin.take().unwrap().write_all(text.as_bytes());
    !bash.wait().unwrap().success()
}

#[test]
fn shapes_that_the_grammar_tolerates() {
    for (text, at) in REFUSED {
        assert!(is_refused_by_bash(text), "{text}");
        let refused = read(text).expect_err(text);
        assert_eq!(refused.at, *at, "{text}");
    }
    for text in ACCEPTED {
        assert!(!is_refused_by_bash(text), "{text}");
        read(text).unwrap_or_else(|e| panic!("{text}: {e} at {}", e.at));
    }
    for (text, at) in MISREAD {
        assert!(!is_refused_by_bash(text), "{text}");
        let refused = read(text).expect_err(text);
        assert_eq!(refused.at, *at, "{text}");
    }
}

/// Numbers that look random and are the same in each run (Numerical Recipes, `ranqd1`).
struct Numbers(u32);

impl Numbers {
    fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (self.0 >> 8) as usize % end
    }
}

/// The characters that are inserted, most of them signs of bash.
const SIGNS: &str = "(){}[]\"'`$;&|<>\\#=!*?\n\r ~%+-@^.,:/aZ0";

/// Returns a text with one character removed, inserted, replaced or doubled.
fn broken(text: &str, numbers: &mut Numbers) -> String {
    let mut all: Vec<char> = text.chars().collect();
    let signs = |at: &usize| SIGNS.contains(all[*at]) && all[*at] != ' ';
    let signs: Vec<usize> = (0..all.len()).filter(signs).collect();
    let is_sign = numbers.below(2) == 0;
    let at = if is_sign {
        signs[numbers.below(signs.len())]
    } else {
        numbers.below(all.len())
    };
    let sign = SIGNS.chars().nth(numbers.below(SIGNS.len())).unwrap();
    match numbers.below(4) {
        0 => drop(all.remove(at)),
        1 => all.insert(at, sign),
        2 => all[at] = sign,
        _ => all.insert(at, all[at]),
    }
    all.into_iter().collect()
}

#[test]
fn recipes_that_are_broken_by_one_character() {
    let mut golden = texts(&fixture("golden/arch"), &[]);
    golden.retain(|path, _| path.ends_with("PKGBUILD"));
    golden.extend(texts(&fixture("golden/gentoo"), &["ebuild", "eclass"]));
    let golden: Vec<&String> = golden.values().collect();
    for text in &golden {
        read(text).unwrap_or_else(|e| panic!("{e} at {}: {text}", e.at));
    }
    let mut numbers = Numbers(1);
    let mut refused = 0;
    let mut accepted = Vec::new();
    while refused < 200 {
        let text = broken(golden[numbers.below(golden.len())], &mut numbers);
        if is_refused_by_bash(&text) {
            refused += 1;
            accepted.extend(read(&text).is_ok().then_some(text));
        }
    }
    // One in a hundred: of 30,000 texts, the reader accepts less than one in a thousand.
    assert!(accepted.len() <= refused / 100, "{accepted:#?}");
}
