//! What holds of any bytes: a reader comes back without a panic, and prints what it read so that it
//! reads the same.

use rocpkg::arch::read_srcinfo;
use rocpkg::gentoo::internal::join_manifest;
use rocpkg::internal::model::{Files, Findings, Node, Sources, Value, parse};
use rocpkg::internal::render::Listing;
use rocpkg::internal::resolve::{Choice, DISTROS, Model, Plan};
use rocpkg::pms::{
    Atom, Cpv, DepSpec, LicenseSpec, RequiredUse, RestrictSpec, SrcUriSpec, Version, use_reduce,
};
use std::collections::BTreeMap;
use std::fmt::{Debug, Display};
use std::str::FromStr;

/// A reader of one kind of text.
pub type Target = (&'static str, fn(&[u8]));

/// All of them, by the names of their folders in `corpus`.
pub const TARGETS: [Target; 4] = [
    ("gentoo", gentoo),
    ("manifest", manifest),
    ("profiles", profiles),
    ("srcinfo", srcinfo),
];

/// A model whose files begin with a line of `=== ` and their path: values lie within their file,
/// and each finding can be shown.
pub fn profiles(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut files = Files::new();
    let mut path = "components/probe.yaml";
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("=== ") {
            Some(name) => path = name.trim(),
            None => files.entry(path.to_owned()).or_default().push_str(line),
        }
    }
    for (path, text) in &files {
        let (mut sources, mut findings) = (Sources::default(), Findings::default());
        let node = parse(sources.add(path.clone(), text.clone()), text, &mut findings);
        match &node {
            Some(node) => lies_within(node, text),
            None => assert!(findings.has_errors(), "refused without a word: {text:?}"),
        }
        findings.render(&sources, true);
    }
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    for distro in DISTROS {
        Plan::new(&model, distro, &Choice::Shipped, &mut findings);
    }
    findings.render(&model.sources, false);
}

fn lies_within(node: &Node, text: &str) {
    let (start, end) = (node.span.start as usize, node.span.end as usize);
    assert!(
        text.get(start..end).is_some(),
        "{:?} of {text:?}",
        node.span
    );
    match &node.value {
        Value::Null | Value::Scalar { .. } => {}
        Value::Seq(items) => items.iter().for_each(|item| lies_within(item, text)),
        Value::Map(entries) => entries
            .iter()
            .for_each(|(_, value)| lies_within(value, text)),
    }
}

/// What is read is printed so that it reads the same.
fn same_again<T: FromStr<Err: Debug> + Display + PartialEq + Debug>(text: &str) -> Option<T> {
    let read: T = text.parse().ok()?;
    let printed = read.to_string();
    assert_eq!(
        printed.parse::<T>().as_ref().ok(),
        Some(&read),
        "{text:?} prints as {printed:?}"
    );
    Some(read)
}

/// Gentoo's language: atoms and versions, dependencies, licences, addresses, restrictions, and what
/// must hold between flags.
pub fn gentoo(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    same_again::<Atom>(&text);
    same_again::<Version>(&text);
    same_again::<Cpv>(&text);
    same_again::<LicenseSpec>(&text);
    same_again::<SrcUriSpec>(&text);
    same_again::<RestrictSpec>(&text);
    let _ = use_reduce(&text, |flag| flag == "test", true);
    if let Some(spec) = same_again::<DepSpec>(&text) {
        assert_eq!(
            spec.layout(2).parse::<DepSpec>().as_ref(),
            Ok(&spec),
            "{text:?} laid out"
        );
    }
    if let Some(spec) = same_again::<RequiredUse>(&text) {
        for on in [true, false] {
            assert_eq!(
                spec.is_met(|_| on),
                spec.unmet(|_| on).is_empty(),
                "{text:?}"
            );
        }
    }
}

/// `.SRCINFO`: what is read is printed as it was.
pub fn srcinfo(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    match read_srcinfo(&text) {
        Ok(read) => assert_eq!(read_srcinfo(&read.to_string()), Ok(read), "{text:?}"),
        Err(line) => assert!(
            line >= 1 && line <= text.lines().count().max(1),
            "line {line} of {text:?}"
        ),
    }
}

/// A `Manifest` that is there already: what was joined with it once is joined with it.
pub fn manifest(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let known = "DIST rocrand-7.2.0.tar.gz 1234 BLAKE2B ab12 SHA512 cd34".to_owned();
    let lines = BTreeMap::from([
        ("rocrand-7.2.0.tar.gz".to_owned(), Some(known)),
        ("test.tar.xz".to_owned(), None),
    ]);
    let ours = Listing {
        path: "sci-libs/rocRAND/Manifest".into(),
        package: "rocrand".into(),
        lines,
    };
    for goes in [false, true] {
        let joined = join_manifest(&ours, &text, |_, _| goes);
        let Some(printed) = joined.listing.text() else {
            continue;
        };
        let again = join_manifest(&joined.listing, &printed, |_, _| goes);
        assert_eq!(
            (again.listing, again.is_strange),
            (joined.listing, false),
            "{text:?}"
        );
    }
}
