//! The law that a literal stays a literal: wherever it is printed, bash reads exactly its text, and
//! runs no part of it.

use proptest::prelude::*;
use rocpkg_render::bash::{
    Arm, Assigned, Assignment, Command, Declared, Expression, HereBody, HereDocument, Item, Piece,
    Quoting, Redirect, RedirectTo, Scope, Stmt, Style, Test, Word, print, run,
};
use std::io::Write;
use std::process::Stdio;

const STYLES: [Style; 2] = [
    Style {
        indent: "\t",
        indent_width: 4,
        width: 80,
        quoting: Quoting::AfterEquals,
        padded_arrays: true,
    },
    Style {
        indent: "  ",
        indent_width: 2,
        width: 80,
        quoting: Quoting::Least,
        padded_arrays: false,
    },
];

const QUOTINGS: [Quoting; 4] = [
    Quoting::Whole,
    Quoting::AfterEquals,
    Quoting::Short,
    Quoting::Least,
];

/// The value of `${x}` in each script.
const X: &str = "a b$(touch of-a-variable)";

/// Returns the words that the script passes to `show`. Fails if the script ran a command that
/// leaves a file.
fn shown(script: &str) -> Vec<String> {
    let folder = tempfile_folder();
    let mut bash = rocpkg_programs::command("bash")
        .current_dir(&folder)
        .env("LC_ALL", "C.UTF-8")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let script = format!(
        "show() {{ printf '%s\\0' \"$@\"; }}\n\
         take() {{ local all; IFS= read -r -d '' all; show \"${{all}}\"; }}\n\
         x='{X}'\n{script}\n"
    );
    let mut stdin = bash.stdin.take().unwrap();
    let text = script.clone();
    let writer = std::thread::spawn(move || stdin.write_all(text.as_bytes()));
    let out = bash.wait_with_output().unwrap();
    writer.join().unwrap().unwrap();
    let errors = String::from_utf8_lossy(&out.stderr);
    assert!(errors.is_empty(), "{errors}\n{script}");
    let left = std::fs::read_dir(&folder).unwrap().count();
    std::fs::remove_dir_all(&folder).unwrap();
    assert_eq!(left, 0, "a literal was run:\n{script}");
    let text = String::from_utf8(out.stdout).unwrap();
    let mut words: Vec<String> = text.split('\0').map(str::to_owned).collect();
    words.pop();
    words
}

fn tempfile_folder() -> std::path::PathBuf {
    use std::sync::atomic::{AtomicUsize, Ordering};
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let name = format!(
        "rocpkg-literals-{}-{}",
        std::process::id(),
        NEXT.fetch_add(1, Ordering::Relaxed)
    );
    let folder = std::env::temp_dir().join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

fn show(word: Word) -> Stmt {
    run("show", [word])
}

fn take(redirect: RedirectTo) -> Stmt {
    Stmt::Command(Command {
        redirects: vec![Redirect {
            descriptor: String::new(),
            to: redirect,
        }],
        ..Command::new(vec!["take".into()])
    })
}

fn document(body: HereBody, tabs: bool) -> Stmt {
    take(RedirectTo::HereDocument(HereDocument {
        end: "EOF".into(),
        tabs,
        body,
    }))
}

/// Returns statements that pass `text` to `show` from every place of a word, each with the words
/// that `show` gets.
fn places(text: &str) -> Vec<(Stmt, Vec<String>)> {
    let lit = || Word::lit(text);
    let own = || vec![text.to_owned()];
    let group = |stmts: Vec<Stmt>| Stmt::Group(stmts);
    let around = |word: Word| word.variable("x").then(Word::quoted(text)).variable("x");
    let assign = |value| Stmt::assign(Scope::Plain, "v", value);
    let key = |append: bool| Assignment {
        name: "m".into(),
        index: Some(lit()),
        append,
        value: Assigned::Word(lit()),
    };
    let mut all = vec![
        (show(lit()), own()),
        (show(Word::quoted(text)), own()),
        (show(Word::single_quoted(text)), own()),
        (show(around(lit())), vec![format!("{text}{X}{text}{X}")]),
        (
            show(Word::lit("-DA=").literal(text)),
            vec![format!("-DA={text}")],
        ),
        (
            show(Word::var("x").literal(text).then(Word::pattern("''"))),
            vec![format!("{X}{text}")],
        ),
        (
            show(Word::cmd(vec!["printf".into(), "%s.".into(), lit()])),
            vec![format!("{text}.")],
        ),
        (
            show(around(Word::cmd(vec![
                "printf".into(),
                "%s.".into(),
                lit(),
            ]))),
            vec![format!("{text}.{X}{text}{X}")],
        ),
        (group(vec![assign(lit()), show(Word::var("v"))]), own()),
        (
            group(vec![assign(Word::quoted(text)), show(Word::var("v"))]),
            own(),
        ),
        (
            group(vec![
                Stmt::array(
                    Scope::Plain,
                    "v",
                    vec![Item::from(lit()), lit().into()],
                    false,
                ),
                show(Word::var("v[@]")),
            ]),
            vec![text.to_owned(), text.to_owned()],
        ),
        (
            Stmt::For {
                name: "v".into(),
                items: vec![lit()],
                body: vec![show(Word::var("v"))],
            },
            own(),
        ),
        (
            // Where `v` is an array already, `declare v='(…'` reads the text as a list.
            group(vec![
                run("unset", ["v".into()]),
                Stmt::Declare(
                    "declare",
                    vec![Declared::Assignment(Assignment {
                        name: "v".into(),
                        index: None,
                        append: false,
                        value: Assigned::Word(lit()),
                    })],
                ),
                show(Word::var("v")),
            ]),
            own(),
        ),
    ];
    all.extend(tests_and_documents(text));
    if !text.is_empty() {
        let map = |set: Stmt| {
            let declare = Stmt::Declare(
                "declare",
                vec![Declared::Word("-A".into()), Declared::Word("m".into())],
            );
            let clear = run("unset", ["m".into()]);
            let show = run("show", [Word::var("!m[@]"), Word::var("m[@]")]);
            group(vec![clear, declare, set, show])
        };
        let items = vec![Item {
            index: Some(lit()),
            ..Item::from(lit())
        }];
        let twice = || vec![text.to_owned(), text.to_owned()];
        all.push((map(Stmt::array(Scope::Plain, "m", items, true)), twice()));
        all.push((map(Stmt::Assignments(vec![key(false)])), twice()));
        all.push((map(Stmt::Assignments(vec![key(true)])), twice()));
    }
    all
}

/// Returns statements like [`places`]: tests, branches, here-documents and pieces.
fn tests_and_documents(text: &str) -> Vec<(Stmt, Vec<String>)> {
    let lit = || Word::lit(text);
    let own = || vec![text.to_owned()];
    let line = || vec![format!("{text}\n")];
    let yes = |test: Test| Stmt::when(test, vec![show("yes".into())]);
    vec![
        (
            yes(Test::Brackets(vec![lit(), Word::lit("=="), lit()])),
            vec!["yes".into()],
        ),
        (
            yes(Test::Expression(Expression::Binary(
                lit(),
                "==".into(),
                lit(),
            ))),
            vec!["yes".into()],
        ),
        (
            yes(Test::Expression(Expression::Binary(
                lit().literal("c"),
                "=~".into(),
                lit().literal("c"),
            ))),
            vec!["yes".into()],
        ),
        (
            Stmt::Case {
                word: lit(),
                arms: vec![Arm {
                    comments: Vec::new(),
                    patterns: vec![lit()],
                    body: vec![show("yes".into())],
                    end: ";;",
                }],
                comments: Vec::new(),
            },
            vec!["yes".into()],
        ),
        (take(RedirectTo::HereString(lit())), line()),
        (
            Stmt::Command(Command {
                input: Some(vec![text.to_owned()]),
                ..Command::new(vec!["take".into()])
            }),
            line(),
        ),
        (
            document(HereBody::Literal(format!("{text}\n")), false),
            line(),
        ),
        (
            document(
                HereBody::Expanded(vec![Piece::Bare(format!("{text}\n"))]),
                false,
            ),
            line(),
        ),
        (show(Piece::Single(text.to_owned()).into()), own()),
        (
            show(Piece::Double(vec![Piece::Bare(text.to_owned())]).into()),
            own(),
        ),
    ]
}

fn texts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "$(touch x)",
        "`touch x`",
        "${y:=$(touch x)}",
        "$x",
        "${x}",
        "$",
        "\u{1}",
        "\u{2}",
        "\u{7f}",
        "\u{1b}[0m",
        "\r",
        "\r\n",
        "\n",
        "\t",
        "\n\t",
        " ",
        "'",
        "''",
        "\"",
        "\\",
        "\\\n",
        "é",
        "\u{85}",
        "\u{feff}",
        "\u{202e}",
        "]",
        "[",
        "]]",
        "[[",
        "(",
        ")",
        ";",
        ";;",
        "&",
        "|",
        "<",
        ">",
        "EOF",
        "\nEOF\n",
        "!",
        "*",
        "?",
        "~",
        "-n",
        "-",
        "==",
        "=",
        "#",
        "{a,b}",
        "{1..3}",
        "if",
        "a",
        "b=",
        "%s",
        "@",
        "@(a)",
        "touch x",
        "\ntouch x\n",
        "esac",
        "\u{0}",
    ]);
    let own = prop::collection::vec(pieces, 0..6).prop_map(|all| all.concat().replace('\0', ""));
    prop_oneof![4 => own, 1 => "[^\0]{0,12}"]
}

#[test]
fn a_regular_expression_that_is_literal_has_no_signs() {
    let matches = Expression::Binary("+a.c".into(), "=~".into(), "+a.c".into());
    let item = Stmt::when(Test::Expression(matches), vec![show("yes".into())]);
    let printed = rocpkg_render::bash::print(&[item], &STYLES[0]);
    assert!(printed.contains("[[ +a.c =~ \"+a.c\" ]]"), "{printed}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_literal_is_read_as_its_text_at_every_place(all in prop::collection::vec(texts(), 1..8)) {
        for style in STYLES {
            let quotings = QUOTINGS.into_iter().filter(|quoting| {
                (*quoting == Quoting::Least) == (style.quoting == Quoting::Least)
            });
            for quoting in quotings {
                let style = Style { quoting, ..style };
                let (stmts, words): (Vec<Stmt>, Vec<Vec<String>>) =
                    all.iter().flat_map(|text| places(text)).unzip();
                let script = print(&[Stmt::Function { name: "f".into(), body: stmts }, run("f", [])], &style);
                let (got, want) = (shown(&script), words.concat());
                let at = got.iter().zip(&want).position(|(a, b)| a != b);
                prop_assert!(got == want, "{:?} {:?}\n{script}", at.map(|at| (&got[at], &want[at])), quoting);
            }
        }
    }
}

#[test]
fn a_command_substitution_in_a_literal_is_not_run() {
    let text = "a\u{1}$(touch x)";
    for (stmt, words) in places(text) {
        let script = print(&[stmt], &STYLES[0]);
        assert_eq!(shown(&script), words, "{script}");
    }
    assert_eq!(
        Word::lit(text).variable("x").print(Quoting::Whole),
        "$'a\\x01$(touch x)'\"${x}\""
    );
}

#[test]
fn keywords_and_assignments_are_quoted_as_names_of_commands() {
    let name = |text: &str| print(&[run(text, [])], &STYLES[0]);
    assert_eq!(name("if"), "\"if\"\n");
    assert_eq!(name("x=1"), "\"x=1\"\n");
    assert_eq!(name("x+=1"), "\"x+=1\"\n");
    assert_eq!(name("./x=1"), "./x=1\n");
    assert_eq!(name("cmake"), "cmake\n");
}

#[test]
fn a_zero_byte_is_refused_by_the_reader() {
    let script = print(
        &[Stmt::assign(Scope::Plain, "x", Word::lit("a\0b"))],
        &STYLES[0],
    );
    assert!(rocpkg_render::bash::Script::read(&script).is_err());
}
