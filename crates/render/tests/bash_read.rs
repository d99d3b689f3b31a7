//! Tests of reading bash: each construct becomes typed values, and means the same when it is
//! printed.

use proptest::prelude::*;
use rocpkg_render::bash::{
    Arm, Assigned, Assignment, Command, Declared, Expansion, Expression, HereBody, HereDocument,
    Item, Joint, Link, Operation, Piece, Prefix, Quoting, Redirect, RedirectTo, Scope, Stmt, Style,
    Test, Word, print, raw, read,
};

const STYLE: Style = Style {
    indent: "\t",
    indent_width: 4,
    width: 100,
    quoting: Quoting::AfterEquals,
    padded_arrays: true,
};

/// A name of each construct of bash, and the body of a function that contains it.
const CONSTRUCTS: &[(&str, &str)] = &[
    (
        "assignments before a command",
        "A=1 B+=\"x\" C[2]=y make -j4 all",
    ),
    ("several assignments", "a=1 b=\"$a\"/x c="),
    (
        "an assignment to an element",
        "map[key]=value; list[i + 1]+=x",
    ),
    ("lists", "a && b || c; d & e"),
    ("lists over lines", "a &&\n\t# why\n\tb ||\n\tc"),
    ("pipelines", "a | b |& c; ! a | b"),
    ("a list of pipelines", "a | b && ! c || d | e"),
    (
        "redirections",
        "cmd < in > out 2>> log >| x 2>&1 &> all &>> all 3<&0 4>&-",
    ),
    (
        "a redirection before the words",
        "> out cmd 2> /dev/null word",
    ),
    ("redirections of nothing", "> file"),
    (
        "redirections of compounds",
        "while read -r x; do echo \"$x\"; done < <(list) > out",
    ),
    ("a here-string", "cat <<< \"$x y\""),
    (
        "a here-document",
        "cat <<EOF\n$x \\$y `date` $(ls -l \"$z\")\n  deep\n\ttab\nEOF",
    ),
    (
        "a here-document that is not expanded",
        "cat <<'EOF' > out || die\n$x \\ `\n\n\tEOF\nEOF",
    ),
    (
        "a here-document without its tabs",
        "cat <<-EOF\n\n\t\ttabs\n\t\tEOF\nb",
    ),
    (
        "a here-document in a pipeline",
        "cat <<A | sort >b && echo c\na\nA",
    ),
    ("a word left of a here-document", "cat x - <<A\na\nA"),
    ("a subshell", "( cd x && make ) || die"),
    ("a group", "{ a; b; } > log"),
    ("if", "if a; then b; elif [[ -n ${c} ]]; then d; else e; fi"),
    ("if with a list", "if a && ! b; c; then d; fi"),
    (
        "case",
        "case ${x} in a|b*) c ;; (d) e ;& [0-9]?) ;;& \"f g\"|@(h|i)) j; k ;; *) esac",
    ),
    (
        "for",
        "for x in a \"${b[@]}\" *.txt; do c; done; for y; do d; done",
    ),
    (
        "for with a counter",
        "for (( i = 0; i < ${#x[@]}; i++ )); do a; done",
    ),
    (
        "while and until",
        "while a; b; do c; done; until ! d; do e; done",
    ),
    ("select", "select x in a b; do break; done"),
    (
        "functions",
        "f() { a; }; function g { b; }; function h() { c; }; i() ( d )",
    ),
    (
        "a function that ends in a sign of patterns",
        "x++ () { a; }",
    ),
    (
        "tests",
        "[[ ( -f ${a} || ! -d b ) && ${c} == *.x && ${d} =~ ^(a|b)[0-9]+$ && ${e} -gt 1 ]]",
    ),
    (
        "tests over lines",
        "[[ -n ${a} &&\n\t${b} != @(c|d) ]] 2>/dev/null",
    ),
    (
        "a command as a test",
        "[ \"$a\" = b -a -n \"$c\" ] && test -x d",
    ),
    ("arithmetic", "(( x = 1 + (y << 2), z ? a[i] : 0x1f ))"),
    (
        "arithmetic expansion",
        "x=$(( ${y} * 2 - z )); echo $((1+1)) \"$(( (a) ))\"",
    ),
    ("substitutions", "x=$(a | b; c) y=\"$(d \"$(e)\")\" z=`f g`"),
    ("a substitution over lines", "x=$(\n\ta\n\tb | c\n)"),
    ("a file", "x=$(< file)"),
    ("process substitution", "diff <(a) <(b | c) > >(tee log)"),
    (
        "declare",
        "local -a x=( a b ) y z=1; declare -A m=( [k]=v [\"a b\"]=c ); export P Q=1",
    ),
    (
        "readonly",
        "readonly -a R; typeset -i n=3; local x; export z+=1; unset x y",
    ),
    ("arrays", "x=( a \"b c\" $d *.e [5]=f ); x+=( g )"),
    (
        "an array with comments",
        "x=(\n\t# above\n\ta # behind\n\n\tb\n\t# below\n)",
    ),
    (
        "values",
        "echo ${a:-b} ${a-b} ${a:=b c} ${a:+\"d e\"} ${a?\"x\"} \"${a:-'q'}\"",
    ),
    ("strips", "echo ${a#*/} ${a##*/} ${a%.*} \"${a%%'x'*}\""),
    (
        "replacements",
        "echo ${a/b/c} ${a//b/} ${a//\\//-} ${a/#b/c} ${a/%b/c} ${a//[^a-z]/_} ${a// /}",
    ),
    ("cases of letters", "echo ${a^} ${a^^} ${a,} ${a,,[A-Z]}"),
    (
        "slices",
        "echo ${a:1} ${a:1:2} ${a: -1} ${a[@]:1:n+1} ${@:2}",
    ),
    ("lengths", "echo ${#a} ${#a[@]} ${#} $# ${#@}"),
    ("indirection", "echo ${!a} ${!a@} ${!a*} ${!a[@]} ${!a:-b}"),
    ("transformations", "echo ${a@Q} \"${a[@]@E}\""),
    (
        "special parameters",
        "echo $1 ${10} $@ \"$*\" $? $$ $! $- $_ ${1:-x}",
    ),
    (
        "nested expansions",
        "echo \"${a:-${b:-$(c \"${d}\")}}\" ${e%${f}}",
    ),
    (
        "quotes",
        "echo 'a $b' \"c \\$d \\\\ \\x\" $'e\\n\\'f' $\"g\" h\\ i a'b'\"c\"\\d",
    ),
    ("a quote over lines", "echo 'a\n\tb' \"c\n  d \\\n\te\""),
    ("patterns", "rm -f *.o ?.c [!a-z]x [[:alpha:]_]x"),
    (
        "braces",
        "echo {a,b{c,d},\"e f\"} x{1..9}y {a..e..2} {} a{b}c",
    ),
    ("tildes", "ls ~ ~user/x ~/y; p=~/z"),
    ("signs in words", "echo a=b --x=\"y\" a#b % ^ , 50%"),
    ("a command over lines", "make \\\n\ta \\\n\t\"b\"\\\n\tc"),
    ("comments", "# one\n#two\n\na # behind\n\n# three\nb"),
    (
        "comments in branches",
        "if a; then # x\n\t# y\n\tb\n\t# z\nelse\n\t# u\n\tc\nfi",
    ),
    (
        "comments in case",
        "case a in\n\t# x\n\tb) c ;;\n\t# y\nesac",
    ),
];

fn parts(text: &str) -> Vec<Stmt> {
    read(text).unwrap_or_else(|e| panic!("{e:?}\n{text}"))
}

/// Returns the functions that bash has defined after reading the text, as bash prints them.
fn defined(text: &str) -> String {
    let script = format!("{text}\ndeclare -f");
    let out = rocpkg_programs::command("bash")
        .args(["--norc", "-O", "extglob", "-c", &script])
        .output()
        .unwrap();
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && err.is_empty(), "{err}\n{text}");
    String::from_utf8_lossy(&out.stdout).into_owned()
}

#[test]
fn each_construct_is_read_into_values_and_printed_with_the_same_meaning() {
    let function = |name: usize, body: &str| format!("f{name}() {{\n{body}\n}}\n");
    let (mut before, mut after) = (String::new(), String::new());
    for (i, (name, body)) in CONSTRUCTS.iter().enumerate() {
        let text = function(i, body);
        let stmts = parts(&text);
        assert_eq!(raw(&stmts), Vec::<String>::new(), "{name}");
        let printed = print(&stmts, &STYLE);
        assert_eq!(
            parts(&printed),
            stmts,
            "{name}: what is printed reads back\n{printed}"
        );
        before += &text;
        after += &printed;
    }
    assert_eq!(defined(&before), defined(&after));
}

#[test]
fn comments_and_blank_lines_stay() {
    let text = "# one\n#two\n\na # behind\n\n\n# three\nb\n";
    assert_eq!(print(&parts(text), &STYLE), text);
}

#[test]
fn what_the_tree_has_no_statement_for_is_raw_and_printed_whole() {
    let text = "f() {\n\tHOME=a\n\t# why\n\tb\n\techo $[1+1]\n}\n";
    let stmts = parts(text);
    let all = raw(&stmts);
    assert!(all.iter().all(|text| text.contains("$[")), "{all:?}");
    assert_eq!(defined(&print(&stmts, &STYLE)), defined(text));
}

/// The grammar takes a blank behind a backslash for white space. For bash it is a word.
#[test]
fn a_blank_behind_a_backslash_stays_at_the_end_of_a_line() {
    for line in [
        "a \\ ",
        "a\\\t",
        "a b\\ \\  ",
        "a && b \\ ",
        "x=$(\n\ta \\ \n)",
        "if a \\ \n\tthen\n\t\tb\n\tfi",
        "a > b\\ ",
        "let x\\ ",
        "a\t&&\\\"\\\t",
        "let  $x \\  ",
    ] {
        for text in [format!("{line}\nb\n"), format!("f() {{\n\t{line}\n}}\n")] {
            let blanks = |text: &str| -> usize {
                let forms = ["\\ ", "\\\t", "' '", "'\t'"];
                forms.iter().map(|form| text.matches(form).count()).sum()
            };
            let printed = print(&parts(&text), &STYLE);
            assert_eq!(print(&parts(&printed), &STYLE), printed, "{text}");
            assert_eq!(blanks(&printed), blanks(&text), "{printed}");
        }
    }
}

/// Text that is not bash is refused. The last two texts are bash that the grammar does not support.
#[test]
fn text_that_is_no_bash_is_refused() {
    for text in [
        "if a; then",
        "a=(",
        "echo \"x",
        "cmd <> file",
        "coproc x { a; }",
    ] {
        assert!(read(text).is_err(), "{text}");
    }
}

fn bare() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_/.]{0,5}".prop_filter("a word of bash's own", |word| {
        ![
            "if", "fi", "do", "in", "for", "case", "esac", "then", "else", "elif", "done", "time",
            "select", "until", "while", "coproc", "local", "export", "declare", "readonly",
            "typeset", "function", "unset", "unsetenv",
        ]
        .contains(&word.as_str())
    })
}

fn name() -> impl Strategy<Value = String> {
    "[a-z]{1,2}[A-Z_]{1,3}"
}

/// Returns a strategy of pieces that may be between double quotes.
fn inner() -> impl Strategy<Value = Piece> {
    prop_oneof![
        "[a-z .'/#]{1,5}".prop_map(Piece::Bare),
        prop::sample::select(vec!['$', '"', '\\', '`']).prop_map(Piece::Escaped),
        expansion(),
    ]
}

fn expansion() -> impl Strategy<Value = Piece> {
    let operation = prop_oneof![
        Just(Operation::None),
        ("[a-z]{1,3}").prop_map(|w| Operation::Value(":-", Word::from(Piece::Bare(w)))),
        ("[a-z.]{1,3}")
            .prop_map(|w| Operation::Strip("%%", Word::from(vec![Piece::Bare(w), Piece::AnyText]))),
        ("[a-z]{1,3}").prop_map(|w| Operation::Replace(
            "//",
            Word::from(Piece::Bare(w.clone())),
            Some(Word::from(Piece::Bare(w)))
        )),
        Just(Operation::Case("^^", Word::default())),
        Just(Operation::Transform('Q')),
    ];
    let index = prop::option::of(prop::sample::select(vec!["@", "0", "key"]));
    (name(), index, any::<bool>(), operation).prop_map(|(name, index, length, operation)| {
        let is_length = length && operation == Operation::None;
        Piece::Expansion(Box::new(Expansion {
            name,
            index: index.map(|text| Word::from(Piece::Bare(text.to_owned()))),
            prefix: if is_length {
                Prefix::Length
            } else {
                Prefix::None
            },
            operation,
            braces: true,
        }))
    })
}

/// Returns a strategy of words whose adjacent pieces stay separate when they are read again.
fn word() -> impl Strategy<Value = Word> {
    let double = || {
        prop::collection::vec(inner(), 0..4).prop_map(|pieces| {
            let mut all: Vec<Piece> = Vec::new();
            for piece in pieces {
                match (all.last_mut(), piece) {
                    (Some(Piece::Bare(last)), Piece::Bare(text)) => last.push_str(&text),
                    (_, piece) => all.push(piece),
                }
            }
            Piece::Double(all)
        })
    };
    prop_oneof![
        bare().prop_map(Word::lit),
        double().prop_map(Word::from),
        (bare(), double()).prop_map(|(text, quoted)| Word::from(vec![Piece::Bare(text), quoted])),
        "[a-z \"$\n]{0,4}".prop_map(|text| Word::from(Piece::Single(text))),
        expansion().prop_map(Word::from),
    ]
}

fn redirect() -> impl Strategy<Value = Redirect> {
    let to = prop_oneof![
        (
            prop::sample::select(vec![">", ">>", "<", ">|", "&>"]),
            word()
        )
            .prop_map(|(sign, word)| RedirectTo::File(sign, word)),
        word().prop_map(RedirectTo::HereString),
        ("[a-z $`\t]{0,5}", any::<bool>()).prop_map(|(line, tabs)| {
            let line = if tabs {
                line.trim_start_matches('\t').to_owned()
            } else {
                line
            };
            RedirectTo::HereDocument(HereDocument {
                end: "EOF".to_owned(),
                tabs,
                body: HereBody::Literal(format!("{line}\n")),
            })
        }),
    ];
    to.prop_map(|to| Redirect {
        descriptor: String::new(),
        to,
    })
}

fn command() -> impl Strategy<Value = Stmt> {
    let words = (bare(), prop::collection::vec(word(), 0..3));
    (words, prop::collection::vec(redirect(), 0..2)).prop_map(|((first, rest), redirects)| {
        let mut words = vec![Word::lit(first)];
        words.extend(rest);
        Stmt::Command(Command {
            redirects,
            ..Command::new(words)
        })
    })
}

fn leaf() -> impl Strategy<Value = Stmt> {
    let item = (word(), prop::option::of("# [a-z]{1,4}")).prop_map(|(w, c)| Item::explained(w, c));
    prop_oneof![
        4 => command(),
        1 => (name(), word()).prop_map(|(name, value)| Stmt::assign(Scope::Local, name, value)),
        1 => (name(), prop::collection::vec(item, 1..4))
            .prop_map(|(name, items)| Stmt::array(Scope::Plain, name, items, true)),
        1 => (name(), word()).prop_map(|(name, word)| Stmt::Declare("declare", vec![
            Declared::Word(Word::lit("-x")),
            Declared::Assignment(Assignment {
                name,
                index: None,
                append: false,
                value: Assigned::Word(word),
            }),
        ])),
        1 => (word(), word()).prop_map(|(left, right)| Stmt::Expression(Expression::And(
            Box::new(Expression::Unary("-n".to_owned(), left.clone())),
            Box::new(Expression::Not(Box::new(Expression::Binary(left, "==".to_owned(), right)))),
        ))),
    ]
}

fn link(joint: Joint, stmt: Stmt) -> Link {
    Link {
        joint,
        comments: Vec::new(),
        breaks: false,
        stmt,
    }
}

fn stmt() -> impl Strategy<Value = Stmt> {
    leaf().prop_recursive(3, 12, 3, |inner| {
        let body = prop::collection::vec(inner.clone(), 1..3);
        prop_oneof![
            (bare(), body.clone(), body.clone()).prop_map(|(word, then, otherwise)| Stmt::If {
                branches: vec![(Test::Command(vec![Word::lit(word)]), then)],
                otherwise,
            }),
            (name(), prop::collection::vec(word(), 1..3), body.clone())
                .prop_map(|(name, items, body)| Stmt::For { name, items, body }),
            (word(), bare(), body.clone()).prop_map(|(word, pattern, body)| Stmt::Case {
                word,
                arms: vec![Arm {
                    comments: Vec::new(),
                    patterns: vec![Word::lit(pattern)],
                    body,
                    end: ";;",
                }],
                comments: Vec::new(),
            }),
            (any::<bool>(), bare(), body.clone()).prop_map(|(until, word, body)| Stmt::While {
                until,
                test: Test::Command(vec![Word::lit(word)]),
                body,
            }),
            body.clone().prop_map(Stmt::Subshell),
            body.clone().prop_map(Stmt::Group),
            (command(), inner.clone(), command()).prop_map(|(a, b, c)| Stmt::List(
                Box::new(without_documents(a)),
                vec![
                    link(Joint::And, unlisted(without_documents(b))),
                    link(Joint::Or, c)
                ],
            )),
            (command(), command()).prop_map(|(a, b)| Stmt::Pipeline(
                Box::new(without_documents(a)),
                vec![link(Joint::Pipe, b)],
            )),
            command().prop_map(|c| Stmt::Not(Box::new(c))),
            command().prop_map(|s| Stmt::Noted(Box::new(s), "# note".to_owned())),
        ]
    })
}

/// Removes here-documents, because the grammar can't read one whose lines are inside another
/// statement.
fn without_documents(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::Command(mut command) => {
            let is_other = |r: &Redirect| !matches!(r.to, RedirectTo::HereDocument(_));
            command.redirects.retain(is_other);
            Stmt::Command(command)
        }
        stmt => stmt,
    }
}

/// Puts a list into a group, because a list in a list would be read as one list.
fn unlisted(stmt: Stmt) -> Stmt {
    match stmt {
        Stmt::List(..) | Stmt::Noted(..) => Stmt::Group(vec![stmt]),
        stmt => stmt,
    }
}

fn cases() -> u32 {
    if std::env::var_os("ROCPKG_FULL").is_some() {
        3000
    } else {
        200
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(cases()))]

    #[test]
    fn what_is_printed_is_bash_and_reads_back(body in prop::collection::vec(stmt(), 1..4)) {
        let stmts = vec![Stmt::Function { name: "f".to_owned(), body }];
        let printed = print(&stmts, &STYLE);
        let again = read(&printed).map_err(|e| TestCaseError::fail(format!("{e:?}\n{printed}")))?;
        prop_assert_eq!(&again, &stmts, "{}", printed);
        let checked = rocpkg_programs::command("bash").args(["-O", "extglob", "-n", "-c", &printed]).output().unwrap();
        prop_assert!(checked.status.success(), "{}\n{}", String::from_utf8_lossy(&checked.stderr), printed);
    }
}
