//! Many keys in a file, and many findings.

use rocpkg_model::{Finding, Findings, MAX_SHOWN, Sources, Span, parse};

fn read(text: &str) -> (Option<rocpkg_model::Node>, Findings, Sources) {
    let mut sources = Sources::default();
    let file = sources.add("a.yaml", text);
    let mut findings = Findings::default();
    let node = parse(file, text, &mut findings);
    (node, findings, sources)
}

fn codes(findings: &Findings) -> Vec<&str> {
    findings.sorted().iter().map(|f| f.code).collect()
}

#[test]
fn many_keys_are_read_and_one_that_stands_twice_is_found_among_them() {
    let mut text: String = (0..100_000).map(|i| format!("key-{i}: {i}\n")).collect();
    let (node, findings, _) = read(&text);
    assert!(findings.is_empty() && node.unwrap().entries().len() == 100_000);
    text.push_str("key-7: again\nkey-99999: again\nkey-99999: once more\n");
    let (node, findings, sources) = read(&text);
    assert_eq!(node.unwrap().entries().len(), 100_000);
    assert_eq!(codes(&findings), ["E0106"; 3]);
    let shown = findings.render(&sources, false);
    assert!(
        shown.contains("a.yaml:100001:1") && shown.contains("the key is already on line 8"),
        "{shown}"
    );
}

#[test]
fn no_more_than_some_findings_are_shown() {
    let (_, mut findings, sources) = read(&"a line\n".repeat(5000));
    for i in 0..2000u32 {
        let span = Span {
            file: 0,
            start: i * 7,
            end: i * 7 + 1,
            inset: None,
        };
        findings.push(Finding::error("E0110", span, format!("fault {i}")));
        findings.push(Finding::error("E0110", span, format!("fault {i}")));
        findings.push(Finding::warning("W0201", Some(span), format!("doubt {i}")));
        findings.push(Finding::note("N0201", span, format!("note {i}")));
    }
    let shown = findings.summary(&sources, false);
    assert_eq!(
        shown.matches("error[E0110]").count(),
        MAX_SHOWN - 2,
        "with one warning and one note"
    );
    assert!(shown.contains("1999 similar findings"), "{shown}");
    let left = 2000 - (MAX_SHOWN - 2);
    assert!(
        shown.ends_with(&format!("and {left} errors more; -v lists them\n")),
        "{shown}"
    );
    assert_eq!(
        findings.render(&sources, false).matches("fault ").count(),
        2000
    );
}
