//! Checks the text of a whole `package.yml`: its keys, its counter and its sources.

pub(crate) mod values;

use crate::existing::reading::reading;
use crate::lower::sources::DIGITS;
use rocpkg_syntax::{
    Checked, Fault, ItemKind, LocalFile, Node, NormalText, Outline, Reason, Surroundings,
    other_version,
};

/// The keys that ypkg requires (`ypkg2/ypkgspec.py`), and `source`, which every recipe that is
/// built from a source has.
const REQUIRED: [&str; 8] = [
    "name",
    "version",
    "release",
    "source",
    "license",
    "component",
    "summary",
    "description",
];

/// Returns the files below `$pkgfiles` that a `package.yml` uses.
///
/// ```
/// let text = "setup : |\n    %patch -p1 -i \"$pkgfiles/cmake.diff\"\n";
/// assert_eq!(rocpkg_solus::internal::local_files(text)[0].path, "files/cmake.diff");
/// ```
pub fn local_files(text: &str) -> Vec<LocalFile> {
    let ends = |c: char| c.is_whitespace() || "\"';)|&<>".contains(c);
    let file = |(start, variable): (usize, &str)| {
        let line = text[..start].rsplit('\n').next().unwrap_or_default();
        let rest = &text[start + variable.len()..];
        let rest = rest.strip_prefix('}').unwrap_or(rest).strip_prefix('/')?;
        let name = &rest[..rest.find(ends).unwrap_or(rest.len())];
        let end = text.len() - rest.len() + name.len();
        let is_comment = line.trim_start().starts_with('#');
        (!name.is_empty() && !is_comment).then(|| LocalFile {
            path: format!("files/{name}"),
            at: start..end,
        })
    };
    text.match_indices("pkgfiles").filter_map(file).collect()
}

/// Checks the text of a whole `package.yml`: YAML, required and repeated keys, the types and values
/// that ypkg requires, the counter `release`, and versions and checksums of the sources.
///
/// Faults are in the order of the text. `_surroundings` is not used, because no check needs the
/// files beside the recipe.
///
/// ```
/// use rocpkg_solus::Surroundings;
///
/// let checked = rocpkg_solus::check("name: hip\nname: hip\n", &Surroundings::default());
/// assert!(checked.faults.iter().any(|fault| fault.finding.code == "E0862"));
/// ```
pub fn check(text: &str, _surroundings: &Surroundings) -> Checked {
    let mut out = Checked::default();
    let outline = match reading().read(text) {
        Ok(outline) => outline,
        Err(e) => {
            let at = text.floor_char_boundary(e.at.min(text.len()));
            let end = text.ceil_char_boundary((at + 1).min(text.len()));
            let label = match e.reason {
                Reason::Syntax => "expected a YAML mapping".to_owned(),
                reason => reason.to_string(),
            };
            let message = "the package.yml can't be read";
            out.faults
                .push(Fault::new("E0861", at..end, message).label(label));
            return out;
        }
    };
    keys_twice(&outline, &outline.root.nodes, &mut out);
    for key in REQUIRED {
        if outline.get(&[key]).is_none() {
            let message = format!("the recipe has no `{key}`");
            let fault = Fault::new("E0863", 0..0, message).label(format!("expected `{key}`"));
            out.faults.push(fault);
        }
    }
    crate::check::values::check(text, &mut out);
    release(&outline, &mut out);
    sources(&outline, &mut out);
    out.faults.sort_by_key(Fault::at);
    out
}

/// Reports keys that a mapping of `nodes` contains twice.
fn keys_twice(outline: &Outline, nodes: &[Node], out: &mut Checked) {
    for node in nodes {
        let key = NormalText::base(&node.key.written);
        // The outline adds a number to a repeated key. Elements of a list may be repeated.
        let is_element = outline.text[node.at.clone()].starts_with('-') && key != "-";
        let is_numbered = node.key.written != key;
        if is_numbered && !is_element {
            let at = node.at.start..node.at.start + key.len();
            let fault = Fault::new("E0862", at, format!("the mapping has `{key}` twice"));
            out.faults
                .push(fault.label("expected one value for each key"));
        }
        if let Some(body) = node.body.as_ref().filter(|b| b.kind == ItemKind::Items) {
            keys_twice(outline, &body.nodes, out);
        }
    }
}

/// Reports a counter `release` that is not a whole number above 0.
fn release(outline: &Outline, out: &mut Checked) {
    let Some(release) = outline.get(&["release"]) else {
        return;
    };
    let number = release.value.real.parse::<u64>();
    if number.is_ok_and(|number| number > 0) {
        return;
    }
    let message = format!(
        "the release `{}` is not a positive number",
        release.value.real
    );
    let fault = Fault::new("E0863", release.value_at.clone(), message);
    out.faults
        .push(fault.label("expected a whole number from 1 on"));
}

/// Reports sources without a checksum, tag, branch or commit. Reports a first source whose address
/// or tag contains another version than the recipe.
///
/// Further sources may have versions of their own.
fn sources(outline: &Outline, out: &mut Checked) {
    let version = outline
        .get(&["version"])
        .map(|node| node.value.real.as_str());
    let name = outline.get(&["name"]).map_or("", |node| &node.value.real);
    let Some(source) = outline.get(&["source"]) else {
        return;
    };
    if source.body.is_none() && !source.value.real.is_empty() {
        out.not_checked(
            source.at.start,
            "sources",
            "`source` is not a list with one source on each line",
        );
    }
    for (i, node) in source.nodes().iter().enumerate() {
        let address = NormalText::base(&node.key.real);
        sum(node, address, out);
        let (Some(version), 0) = (version, i) else {
            continue;
        };
        // The version may be in the address of a git source, or in its tag.
        let mut texts = vec![address];
        if address.starts_with("git|") {
            texts.push(&node.value.real);
        }
        let mut others = texts
            .iter()
            .filter_map(|text| other_version(text, version, name));
        let is_stated = texts.iter().any(|text| text.contains(version));
        if let Some(other) = others.next().filter(|_| !is_stated) {
            let message =
                format!("the source has version {other}, but the recipe has version {version}");
            let fault = Fault::new("E0863", node.at.clone(), message);
            out.faults.push(
                fault
                    .label(format!("expected {version}"))
                    .hint("change the version, the source and its checksum together"),
            );
        }
    }
}

/// Reports a source whose value is neither a SHA-256 nor, for an address with `git|`, a tag, a
/// branch or a commit.
fn sum(node: &Node, address: &str, out: &mut Checked) {
    let sum = node.value.real.as_str();
    let (is_right, expected) = if address.starts_with("git|") {
        (!sum.is_empty(), "a tag, a branch or a commit".to_owned())
    } else {
        let is_sum = sum.len() == DIGITS && sum.bytes().all(|c| c.is_ascii_hexdigit());
        (is_sum, format!("a SHA-256 of {DIGITS} hexadecimal digits"))
    };
    if is_right {
        return;
    }
    let message = if sum.is_empty() {
        format!("the source `{address}` has no checksum")
    } else {
        format!("`{sum}` is not a checksum")
    };
    let fault = Fault::new("E0864", node.value_at.clone(), message);
    out.faults.push(fault.label(format!("expected {expected}")));
}
