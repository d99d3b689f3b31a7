//! Profiles and templates of a stranger's, over a small model.

use rocpkg::model::{Files, Findings, Node, Sources, Value, parse};
use rocpkg::resolve::Model;
use rocpkg::{Backend, Stack, StackOptions};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// One file of YAML: every value lies within the file, and every finding can be shown.
pub(super) fn yaml(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut sources = Sources::default();
    let file = sources.add("a.yaml", text.clone());
    let mut findings = Findings::default();
    let node = parse(file, &text, &mut findings);
    if let Some(node) = &node {
        values_lie_within(node, &text);
    } else {
        assert!(findings.has_errors(), "refused without a word: {text:?}");
    }
    for color in [false, true] {
        findings.render(&sources, color);
    }
    for finding in findings.sorted() {
        if let Some(span) = finding.span {
            let position = sources.position(span);
            assert!(position.line <= text.split('\n').count(), "{finding:?} of {text:?}");
        }
    }
}

fn values_lie_within(node: &Node, text: &str) {
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    assert!(start <= end && end <= text.len(), "{:?} of {text:?}", node.span);
    assert!(text.is_char_boundary(start) && text.is_char_boundary(end), "{:?} of {text:?}", node.span);
    match &node.value {
        Value::Null => {}
        Value::Scalar { text: held, .. } => {
            // Where the file holds the text as it is, each line of it is found.
            let Some(_) = node.span.inset else { return };
            let mut at = 0;
            for line in held.split('\n') {
                let place = node.span.inside(held, at, at + line.len());
                let found = text.get(place.start as usize..place.end as usize);
                assert_eq!(found, Some(line), "{place:?}, line of {held:?} in {text:?}");
                at += line.len() + 1;
            }
        }
        Value::Seq(items) => items.iter().for_each(|item| values_lie_within(item, text)),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| values_lie_within(value, text)),
    }
}

macro_rules! model {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../../injection/", $path)))),*]
    };
}

/// A small model in which each kind of key is used.
static BASE: LazyLock<Files> = LazyLock::new(|| {
    let files = model![
        "components/probe.yaml",
        "distros/arch.yaml",
        "distros/arch/probe.yaml",
        "distros/gentoo.yaml",
        "distros/gentoo/probe.yaml",
        "distros/nixpkgs.yaml",
        "distros/nixpkgs/probe.yaml",
        "externals.yaml",
        "releases/7.2.yaml",
        "targets.yaml",
    ];
    files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect()
});

static TEMPLATES: LazyLock<BTreeMap<String, String>> = LazyLock::new(rocpkg::templates);

/// Renders what is laid over the model; a fault is a finding that can be shown.
fn render(layer: Files, templates: &BTreeMap<String, String>) {
    let (model, mut findings) = Model::load(&[(String::new(), BASE.clone()), ("over".to_owned(), layer)]);
    let Ok(stack) = Stack::new(model, templates) else { return };
    let Ok(tree) = stack.render(&StackOptions::everything(), &mut findings) else { return };
    findings.render(stack.sources(), false);
    if findings.has_errors() {
        return;
    }
    let modelled = |b: &Backend| BASE.contains_key(&format!("distros/{}.yaml", b.distro()));
    for backend in Backend::ALL.into_iter().filter(modelled) {
        assert!(tree.proofs.iter().any(|(b, _)| *b == backend), "{} was not proved", backend.folder());
    }
    for (path, bytes) in tree.files.iter() {
        let text = std::str::from_utf8(bytes).expect("a rendered file is text");
        assert!(!text.contains('\0'), "{path} holds a NUL");
        if path.as_str().ends_with(".SRCINFO") {
            rocpkg::arch::read_srcinfo(text).unwrap_or_else(|line| panic!("line {line} of {path}:\n{text}"));
        }
    }
}

/// Files of a layer: each begins with a line of `=== ` and its path. What stands before the first is the component.
pub(super) fn layers(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut layer = Files::new();
    let mut path = "components/probe.yaml";
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("=== ") {
            Some(name) => path = name.trim(),
            None => layer.entry(path.to_owned()).or_default().push_str(line),
        }
    }
    render(layer, &TEMPLATES);
}

/// A template in place of one of ours, whose name stands in the first line.
pub(super) fn template(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (name, text) = text.split_once('\n').unwrap_or(("", &text));
    let mut templates = TEMPLATES.clone();
    templates.insert(name.to_owned(), text.to_owned());
    render(Files::new(), &templates);
}
