//! Texts that are nested too deeply or too long, and values that grow: the check ends soon.

use super::beside;
use rocpkg_gentoo::check;
use std::time::{Duration, Instant};

#[test]
fn e0801_comes_soon_for_texts_that_are_too_deep_or_too_long() {
    let deep = 10_000;
    let texts = [
        "$(".repeat(deep),
        "(".repeat(deep),
        "{ ".repeat(deep),
        "\"${a:-".repeat(deep),
        "if true; then\n".repeat(deep),
        format!("{}{}", "if true; then\n".repeat(deep), "fi\n".repeat(deep)),
        format!("a={}{}", "$(".repeat(deep), ")".repeat(deep)),
        format!("f() {{\n{}", "case a in a)\n".repeat(deep)),
        format!("DESCRIPTION='{}'\n", "a".repeat(10 << 20)),
    ];
    for text in texts {
        let start = Instant::now();
        let checked = check(&text, &beside());
        let codes: Vec<&str> = checked.faults.iter().map(|f| f.finding.code).collect();
        assert_eq!(codes, ["E0801"], "{}", &text[..12]);
        assert!(start.elapsed() < Duration::from_secs(5), "{}", &text[..12]);
    }
}

/// Returns variables that contain each other a hundred times.
fn grows(last: &str) -> String {
    let one = |n| format!("V{n}=\"{}\"\n", format!("$V{} ", n + 1).repeat(100));
    let all: String = (0..7).map(one).collect();
    format!("{all}V7=\"{last}\"\n")
}

#[test]
fn long_lists_and_values_that_grow_are_checked_soon() {
    let texts = [
        format!("IUSE=\"{}\"\n", "a ".repeat(100_000)),
        format!("DEPEND=\"{}\"\n", "a? ( b/c[d?] ) ".repeat(20_000)),
        format!("a=aaaa\n{}", "a=\"$a$a\"\n".repeat(1000)),
        format!(
            "IUSE=\"$a\"\n{}",
            "a=\"$a $a $b\"\nb=\"$b $a\"\n".repeat(200)
        ),
        format!("SRC_URI=\"{}\"\n", "https://a.org/b -> c ".repeat(20_000)),
        format!("DEPEND=\"{}\"\n", "( ".repeat(20_000)),
        format!(
            "REQUIRED_USE=\"{}{}\"\n",
            "a? ( ".repeat(5_000),
            ") ".repeat(5_000)
        ),
        format!("IUSE=\"$V0\"\nDEPEND=\"$V0\"\n{}", grows("")),
        format!("SRC_URI=\"$V0\"\nS=\"$V0\"\n{}", grows("a")),
        "A=\"$(basename $A)\"\nS=\"$A\"\n".to_owned(),
        "A=\"${A%/}\"\nS=\"${WORKDIR}/$A\"\nSRC_URI=\"https://a.org/$A\"\n".to_owned(),
        "A=\"${B%/}\"\nB=\"${A#a}\"\nS=\"${WORKDIR}/$A\"\nSRC_URI=\"https://a.org/$A\"\n"
            .to_owned(),
        format!("PATCHES=( \"${{FILESDIR}}\"/{} )\n", "{a,b}".repeat(40)),
        format!("REQUIRED_USE=\"{}\"\n", "^^ ( a b c ) ".repeat(5_000)),
        "inherit a\nA+=\"$B\"\n".repeat(3_000),
        "f() { use a; }\n".repeat(3_000),
        (0..1000)
            .map(|n| format!("V{}=\"$V{n}$V{n}\"\n", n + 1))
            .chain(["DEPEND=\"$V1000\"\n".to_owned()])
            .collect(),
    ];
    for text in texts {
        let start = Instant::now();
        check(&text, &beside());
        let passed = start.elapsed();
        assert!(
            passed < Duration::from_secs(20),
            "{passed:?} {}",
            &text[..12]
        );
    }
}
