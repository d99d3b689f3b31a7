//! Tests that bash reads printed statements as they are meant.

use proptest::prelude::*;
use rocpkg_render::bash::{
    Command, Item, Layout, Quoting, Scope, Stmt, Style, Test, Word, check, identifier, print,
};

const TABS: Style = Style {
    indent: "\t",
    indent_width: 4,
    width: 80,
    quoting: Quoting::AfterEquals,
    padded_arrays: true,
};

/// Runs a script in bash, and returns the arguments that its calls of `show` get.
fn bash(script: &str) -> Vec<String> {
    let script = format!("show() {{ printf '%s\\0' \"$@\"; }}\nx='a b$c'\n{script}\n");
    let out = rocpkg_programs::command("bash")
        .arg("-c")
        .arg(script)
        .env("LC_ALL", "C.UTF-8")
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let mut words: Vec<String> = String::from_utf8(out.stdout)
        .unwrap()
        .split('\0')
        .map(str::to_owned)
        .collect();
    words.pop();
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn literals_reach_bash_unchanged(words in prop::collection::vec("[^\0]{0,12}", 1..40), after in any::<bool>()) {
        let quoting = if after { Quoting::AfterEquals } else { Quoting::Whole };
        let script: String = words.iter().map(|w| format!("show {}\n", Word::lit(w.clone()).print(quoting))).collect();
        prop_assert_eq!(bash(&script), words);
    }

    #[test]
    fn nasty_literals_reach_bash_unchanged(words in prop::collection::vec("[-=$`\"'\\\\!(){}~#*? \n\ta]{0,8}", 1..40)) {
        let script: String = words.iter().map(|w| {
            let word = Word::lit(w.clone()).variable("x").literal(w.clone());
            format!("show {}\n", word.print(Quoting::AfterEquals))
        }).collect();
        let want: Vec<String> = words.iter().map(|w| format!("{w}a b$c{w}")).collect();
        prop_assert_eq!(bash(&script), want);
    }
}

/// A style with an indentation of two blanks, as in a PKGBUILD.
const BLANKS: Style = Style {
    indent: "  ",
    indent_width: 2,
    ..TABS
};

#[test]
fn tildes_stay_tildes_in_arguments_and_assignments() {
    let words = ["a=~", "x=p:~/q", "~", "p:~/q"];
    let script: String = words
        .iter()
        .map(|w| format!("show {}\n", Word::lit(*w).print(Quoting::Whole)))
        .collect();
    assert_eq!(bash(&script), words);
    let assign = Stmt::Assign {
        scope: Scope::Plain,
        name: "v".into(),
        append: false,
        value: Word::lit("p:~/q"),
    };
    assert_eq!(
        bash(&format!("{}show \"$v\"", print(&[assign], &TABS))),
        ["p:~/q"]
    );
}

#[test]
fn here_documents_and_pipelines_reach_bash_whole() {
    for style in [&TABS, &BLANKS] {
        let lines: Vec<String> = ["a $x", "EOF", "b `c`\nEOF_\nd"].map(String::from).to_vec();
        let last = Command {
            or: Some(vec!["false".into()]),
            ..Command::new(vec!["cat".into()])
        };
        let show = Command {
            pipe: Some(Box::new(last)),
            ..Command::new(vec!["tr".into(), "a".into(), "A".into()])
        };
        let cat = Command {
            input: Some(lines),
            pipe: Some(Box::new(show)),
            ..Command::new(vec!["cat".into()])
        };
        let body = vec![Stmt::Command(cat)];
        let script = print(
            &[Stmt::Function {
                name: "f".into(),
                body,
            }],
            style,
        );
        assert_eq!(
            bash(&format!("{script}show \"$(f)\"")),
            ["A $x\nEOF\nb `c`\nEOF_\nd"],
            "{script}"
        );
    }
}

#[test]
fn statements_look_as_people_write_them() {
    let args = vec![
        Item::from(Word::lit("-DROCM_SYMLINK_LIBS=OFF")),
        Item::explained(
            Word::lit("-DGPU_TARGETS=").then(Word::cmd(vec![Word::lit("get_amdgpu_flags")])),
            Some("only what was asked for".into()),
        ),
    ];
    let body = vec![
        Stmt::Array {
            scope: Scope::Local,
            name: "mycmakeargs".into(),
            append: false,
            items: args,
            tall: true,
        },
        Stmt::Blank,
        Stmt::If {
            branches: vec![(
                Test::Any(vec![
                    Test::Command(vec!["use".into(), "test".into()]),
                    Test::Command(vec!["use".into(), "benchmark".into()]),
                ]),
                vec![Stmt::Array {
                    scope: Scope::Plain,
                    name: "mycmakeargs".into(),
                    append: true,
                    items: vec![Item::from(Word::lit("-DBLA_VENDOR=Flexi BLAS"))],
                    tall: false,
                }],
            )],
            otherwise: Vec::new(),
        },
        Stmt::Command(
            Command::new(vec![
                "sed".into(),
                "-e".into(),
                "s/a$/b/".into(),
                "-i".into(),
                Word::var("S").literal("/CMakeLists.txt"),
                Word::lit("a/rather/long/path/to/another/file/CMakeLists.txt"),
            ])
            .or_die(),
        ),
        Stmt::Command(Command {
            layout: Layout::PerWord(1),
            ..Command::new(vec!["cmake".into(), "-Wno-dev".into()])
        }),
        Stmt::Raw(Word::lit("    if true; then\n      :\n    fi\n")),
    ];
    let text = print(
        &[Stmt::Function {
            name: "src_configure".into(),
            body,
        }],
        &TABS,
    );
    assert_eq!(
        text,
        "src_configure() {
\tlocal mycmakeargs=(
\t\t-DROCM_SYMLINK_LIBS=OFF
\t\t# only what was asked for
\t\t-DGPU_TARGETS=\"$(get_amdgpu_flags)\"
\t)

\tif use test || use benchmark; then
\t\tmycmakeargs+=( -DBLA_VENDOR=\"Flexi BLAS\" )
\tfi
\tsed -e 's/a$/b/' -i \"${S}/CMakeLists.txt\" \\
\t\ta/rather/long/path/to/another/file/CMakeLists.txt || die
\tcmake \\
\t\t-Wno-dev
\tif true; then
\t  :
\tfi
}
"
    );
}

#[test]
fn short_quoting_keeps_braces_where_a_name_would_go_on() {
    let word = |after: &str| {
        Word::lit("p/")
            .variable("x")
            .literal(after)
            .print(Quoting::Short)
    };
    assert_eq!(word("/q"), "\"p/$x/q\"");
    assert_eq!(word("q"), "\"p/${x}q\"");
    assert_eq!(word("[0]"), "\"p/${x}[0]\"");
    assert_eq!(Word::var("x[@]").print(Quoting::Short), "\"${x[@]}\"");
    assert_eq!(
        Word::var("x").variable("x").print(Quoting::Short),
        "\"$x$x\""
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn short_quoting_means_the_same(words in prop::collection::vec("[-=$`\"'\\\\!(){}~#*? \n\t_a0\\[]{0,8}", 1..40)) {
        let script: String = words.iter().map(|w| {
            let word = Word::lit(w.clone()).variable("x").literal(w.clone());
            format!("show {}\n", word.print(Quoting::Short))
        }).collect();
        let want: Vec<String> = words.iter().map(|w| format!("{w}a b$c{w}")).collect();
        prop_assert_eq!(bash(&script), want);
    }
}

#[test]
fn names_are_tamed_and_told() {
    assert_eq!(identifier("a_B1"), "a_B1");
    assert_eq!(identifier("1"), "_1");
    assert_eq!(identifier("a;id\n"), "_a_id_");
    let function = |name: &str| {
        [Stmt::Function {
            name: name.to_owned(),
            body: Vec::new(),
        }]
    };
    assert!(check(&function("package_a-b")).is_empty());
    assert_eq!(check(&function("f() { id; }; g")), ["f() { id; }; g"]);
    assert!(print(&function("f() { id; }; g"), &TABS).starts_with("_f_____id_____g() {\n"));
}

#[test]
fn what_is_expanded_has_a_name() {
    for fine in [
        "a",
        "1",
        "#a[@]",
        "@",
        "a[@]",
        "a##*/",
        "a%.*",
        "a%;",
        "A[*]",
        "a//-O2/-O3",
        "a#\"${EPREFIX}\"",
    ] {
        assert!(check(&[Stmt::Raw(Word::var(fine))]).is_empty(), "{fine}");
    }
    for odd in [
        "", "a b", "a:-$(id)", "!a", "a/$(id)", "a/`id`", "1a", "a/x}",
    ] {
        assert!(!check(&[Stmt::Raw(Word::var(odd))]).is_empty(), "{odd}");
    }
}
