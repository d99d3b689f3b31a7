//! Tests of reading CMake's language: no byte is lost, and each argument has the value that was
//! written.

use proptest::prelude::*;
use rocpkg_upstream::cmake::{TokenKind, commands, tokens};

/// Texts that are easily misread. The last ones are not valid CMake.
const CORPUS: [&str; 22] = [
    "",
    "\u{feff}project(a)\n",
    "set(A\n  b # c ) \"\n  d)\r\n",
    "#[[ a )\n ( ]] set(A b)",
    "#[==[ ]] ]=] ]==]message([=[\n]]]=])",
    "#[a\nset(B)",
    "message(\"a\\\"b\\\\\" \"c\\\nd\")",
    "set(A a\\ b\\;c\\\"d\\(e\\))",
    "set(A -Da=\"b c\" a\"b\"c \"d\"e)",
    "set(A $(MAKE) $(A)$(B) x$(y)z)",
    "set(A $ENV{HOME} $CACHE{x} ${a${b}c}@d@ $<$<CONFIG:Debug>:-g>)",
    "if(A AND (B OR (NOT C)))\nelse()\nendif()",
    "set(A [ ]] [= [a] a[[b]] =[ )",
    "function(f)set(A)endfunction()",
    "SET ( A\tB )",
    "add_custom_command(COMMAND a && (b) || \\$c)",
    "set(A \u{e9}\u{1f600})",
    "set(A",
    "message(\"a",
    "#[[",
    "set(A [=[ ]] )",
    "a\\\nb \\",
];

fn assert_whole(text: &[u8]) {
    let joined: Vec<u8> = tokens(text).flat_map(|t| t.text.to_vec()).collect();
    assert_eq!(joined, text, "{}", String::from_utf8_lossy(text));
    let mut line = 1;
    for token in tokens(text) {
        assert!(!token.text.is_empty());
        assert_eq!(token.line, line);
        line += token.text.split(|b| *b == b'\n').count() - 1;
    }
}

#[test]
fn the_tokens_of_a_text_are_the_text() {
    for text in CORPUS {
        assert_whole(text.as_bytes());
    }
}

fn words(text: &str) -> Vec<String> {
    commands(text.as_bytes())
        .iter()
        .flat_map(|c| c.words())
        .map(str::to_owned)
        .collect()
}

#[test]
fn arguments_are_read_as_cmake_reads_them() {
    for (text, expected) in [
        ("f(a;b \"c d\" [[e\nf]])", &["a;b", "c d", "e\nf"][..]),
        ("f([=[\n]]]=] [==[]=]]==])", &["]]", "]=]"]),
        (
            "f(\"a\\\nb\" a\\ b \"\\t\\\"\\;\")",
            &["ab", "a b", "\t\"\\;"],
        ),
        (
            "f(-Da=\"b c\" x\"y\"z $(A) $ENV{B})",
            &["-Da=\"b c\"", "x\"y\"z", "$(A)", "$ENV{B}"],
        ),
        ("f(a#b\n c #[[d]] e)", &["a", "c", "e"]),
        ("f(a (b (c)) d)", &["a", "b", "c", "d"]),
        ("f(\"\" a[b] [x )", &["", "a[b]", "[x"]),
        (
            "f([= a =[ b a[[b]] [a[[b]]c [=a [\"b c\"d)",
            &[
                "[",
                "=",
                "a",
                "=[",
                "b",
                "a[[b]]",
                "[a[[b]]c",
                "[=a",
                "[\"b c\"d",
            ],
        ),
        ("f(\"a\"\"b\" c\"d e)\"", &["a", "b", "c", "d e)"]),
    ] {
        assert_eq!(words(text), expected, "{text}");
    }
    let nested = commands(b"if(A (B) C)\nendif()");
    let kinds: Vec<TokenKind> = nested[0].arguments.iter().map(|a| a.kind).collect();
    assert_eq!(
        kinds,
        [
            TokenKind::Identifier,
            TokenKind::Open,
            TokenKind::Identifier,
            TokenKind::Close,
            TokenKind::Identifier
        ]
    );
}

#[test]
fn a_command_knows_its_line_and_its_conditions() {
    let text = "if(A)\n  one()\nelseif(B AND C)\n  two()\n  if(D)\n    three()\n  endif()\nelse()\n  four()\nendif()\nfive()";
    let all = commands(text.as_bytes());
    let said = |name: &str| {
        let found = all.iter().find(|c| c.name == name).unwrap();
        (found.line, found.when.as_str())
    };
    assert_eq!(said("one"), (2, "A"));
    assert_eq!(said("two"), (4, "B AND C and not (A)"));
    assert_eq!(said("three"), (6, "B AND C and not (A) and D"));
    assert_eq!(said("four"), (9, "not (A) and not (B AND C)"));
    assert_eq!(said("five"), (11, ""));
}

/// Returns an argument in one of CMake's three forms, and its value.
fn argument() -> impl Strategy<Value = (String, String)> {
    let escaped = |text: &str, of: &[char]| {
        text.chars()
            .flat_map(|c| of.contains(&c).then_some('\\').into_iter().chain([c]))
            .collect::<String>()
    };
    prop_oneof![
        "[a-zA-Z0-9_./+${}<>:=-]{1,8}".prop_map(|text| (text.clone(), text)),
        "[ -~]{1,8}"
            .prop_filter("a list's separator", |t| !t.contains(';'))
            .prop_map(move |text| {
                // A letter or digit after a backslash has another meaning.
                let special: Vec<char> = " \"#$()@\\^[=".chars().collect();
                (escaped(&text, &special), text)
            }),
        "[ -~\n]{0,12}"
            .prop_filter("a list's separator", |t| !t.contains(';'))
            .prop_map(move |text| (format!("\"{}\"", escaped(&text, &['"', '\\'])), text)),
        "[ -~\n]{0,12}"
            .prop_filter("its own end", |t| !t.contains("]==")
                && !t.ends_with(']')
                && !t.starts_with('\n'))
            .prop_map(|text| (format!("[==[{text}]==]"), text)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn no_byte_is_lost(text in prop::collection::vec(any::<u8>(), 0..64)) {
        assert_whole(&text);
    }

    #[test]
    fn no_byte_is_lost_of_what_looks_like_cmake(text in "[a(\\[\\]=\"\\\\#$) \n;{}]{0,64}") {
        assert_whole(text.as_bytes());
        let _ = commands(text.as_bytes());
    }

    #[test]
    fn what_is_written_is_read(arguments in prop::collection::vec(argument(), 0..6), blank in "[ \t]|\n|#x\n|#\\[\\[\\)\\]\\]") {
        let written: Vec<&str> = arguments.iter().map(|(written, _)| written.as_str()).collect();
        let text = format!("before(x)\nName{}({}\n)after()", if blank.starts_with('#') { "" } else { " " }, written.join(&blank));
        let all = commands(text.as_bytes());
        prop_assert_eq!(all.iter().map(|c| c.name.as_str()).collect::<Vec<_>>(), ["before", "name", "after"]);
        let said: Vec<String> = arguments.into_iter().map(|(_, said)| said).collect();
        prop_assert_eq!(all[1].words(), said, "{}", text);
    }
}
