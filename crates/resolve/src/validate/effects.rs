//! What a package says that would have no effect, or another one in each distribution.

use crate::validate::constraints;
use crate::validate::projects;
use rocpkg_model::{
    Book, Decode, EdgeKind, FLAG_KINDS, Finding, Findings, FlagAction, FlagEdit, Node, Package, Piece,
    Spanned, Text, Value,
};

/// What a guess may be about that stands in the distribution's file.
const VERSION: &str = "version";

/// CMake's build types, and none of them. It takes any other name too, and passes no flags then.
const BUILD_TYPES: [&str; 5] = ["Debug", "MinSizeRel", "None", "RelWithDebInfo", "Release"];

/// Reports arguments that bring their own `-D`, edits of flags that leave something out, and guesses about nothing at the release
/// that is shipped: at another one facts may be missing.
pub(crate) fn check(
    package: &Package,
    node: &Node,
    components: &[String],
    is_shipped: bool,
    findings: &mut Findings,
) {
    for of in package.cmake.values().flat_map(|p| &p.of).filter(|of| !components.contains(&of.value)) {
        let message = format!("the package holds no component `{}`", of.value);
        let finding = Finding::error("E0242", of.span, message).label("expected one that it is made of");
        findings.push(finding.nearest(&of.value, components.iter().map(String::as_str)));
    }
    let known = |name: &str| BUILD_TYPES.iter().any(|t| t.eq_ignore_ascii_case(name));
    if let Some(odd) = package.build_type.as_ref().filter(|t| !known(&t.value)) {
        let finding = Finding::error("E0114", odd.span, format!("CMake has no build type `{}`", odd.value));
        findings.push(
            finding.label(format!("one of: {}", BUILD_TYPES.join(" "))).nearest(&odd.value, BUILD_TYPES),
        );
    }
    let arguments = package.cmake.values().flat_map(|p| &p.arguments);
    for (key, values) in arguments.filter(|(key, _)| key.starts_with("-D")) {
        let span = values.0.first().map_or(node.span, |v| v.span);
        let finding = Finding::error("E0414", span, format!("`{key}` can't be a CMake argument"));
        findings.push(finding.label("expected its name without `-D`"));
    }
    let edges = package.depends.values().flat_map(|edges| &edges.0);
    for (version, kind) in edges.filter_map(|e| Some((e.version.as_ref()?, &e.kind.0))) {
        is_version(version, findings);
        if kind.contains(&EdgeKind::Conflict) && version.value.contains(',') {
            let message = format!("`{}` is no version that a conflict can be with", version.value);
            let finding = Finding::error("E0304", version.span, message);
            findings.push(finding.label("expected one bound: two would be a conflict with each version"));
        }
    }
    projects::check_folders(package, findings);
    package.constraints.iter().for_each(|constraint| constraints::check(constraint, findings));
    package.flags.iter().for_each(|edit| whole_edit(edit, node, findings));
    for guess in package.guesses.iter().filter(|_| is_shipped) {
        is_about(&guess.about, node, findings);
    }
}

/// The version that a dependency asks for: a word, or a sign of comparison before a version.
fn is_version(asked: &Spanned<String>, findings: &mut Findings) {
    let words = ["same", "slot", "any"];
    let bounds = asked.value.split(',').map(str::trim).all(|bound| {
        let version = bound.trim_start_matches(['<', '>', '=', '~']);
        version.len() < bound.len() && version.trim_start().starts_with(|c: char| c.is_ascii_digit())
    });
    if !bounds && !words.contains(&asked.value.as_str()) {
        findings.push(
            Finding::error("E0203", asked.span, format!("`{}` is no version to ask for", asked.value))
                .label("expected `same`, `slot`, `any`, or a range such as `>=6.0.0`")
                .nearest(&asked.value, words),
        );
    }
}

/// An edit names variables and flags; a replacement says by what, and nothing else does.
fn whole_edit(edit: &FlagEdit, node: &Node, findings: &mut Findings) {
    let flag = edit.flags.first().map(|f| f.span);
    let on = edit.on.0.first().map(|on| on.span);
    if edit.action == FlagAction::NoLto {
        if let Some(span) = flag.or(on) {
            let finding = Finding::error("E0421", span, "link-time optimisation is turned off for all flags");
            findings.push(finding.label("expected `action: no-lto` alone"));
        }
        return;
    }
    let place = flag.or(on).or(edit.with.as_ref().map(|w| w.span)).unwrap_or(node.span);
    if edit.flags.is_empty() {
        findings
            .push(Finding::error("E0421", place, "an edit of flags names none").label("expected `flags`"));
    }
    if edit.on.0.is_empty() {
        let finding = Finding::error("E0226", place, "an edit of flags names no variables");
        findings.push(finding.label(format!("expected `on`, with some of: {}", FLAG_KINDS.join(", "))));
    }
    for on in edit.on.0.iter().filter(|on| !FLAG_KINDS.contains(&on.value.as_str())) {
        findings.push(
            Finding::error("E0226", on.span, format!("unknown flags `{}`", on.value))
                .label(format!("expected one of: {}", FLAG_KINDS.join(", ")))
                .nearest(&on.value, FLAG_KINDS),
        );
    }
    // Variables hold flags with blanks between them, and no tool reads quotes in all of them.
    let has_blank = |flag: &&Text| {
        let blank =
            |piece: &Piece| matches!(piece, Piece::Literal(text) if text.contains(char::is_whitespace));
        flag.pieces.iter().any(blank)
    };
    for flag in edit.flags.iter().filter(has_blank) {
        let finding = Finding::error("E0421", flag.span, "a flag with a blank is read as two");
        findings.push(finding.label("expected one flag for each element of the list"));
    }
    match (&edit.with, edit.action == FlagAction::Replace) {
        (None, true) => {
            let finding = Finding::error("E0421", place, "a replacement of flags does not say by what");
            findings.push(finding.label("expected `with`").hint("`action: filter` removes flags"));
        }
        (Some(with), false) => {
            let finding = Finding::error("E0421", with.span, "only a replacement of flags reads `with`");
            findings.push(finding.label("expected `action: replace`, or no `with`"));
        }
        _ => {}
    }
}

/// A guess names a fact of the package: `version`, one of its keys, or what stands below one.
fn is_about(about: &Spanned<String>, node: &Node, findings: &mut Findings) {
    let Err(mut known) = walk(node, &about.value) else { return };
    // That a key is left out may be a guess as well.
    let mut book = Book::default();
    Package::shape(&mut book);
    let is_key = book.get("Package").is_some_and(|d| d.field(&about.value).is_some());
    if is_key || about.value == VERSION {
        return;
    }
    known.push(VERSION.to_owned());
    findings.push(
        Finding::warning("W0223", Some(about.span), format!("the package says nothing of `{}`", about.value))
            .label("expected `version`, or the path of one of its facts, such as `sources.main`")
            .nearest(&about.value, known.iter().map(String::as_str)),
    );
}

/// Follows a path of keys, which may hold dots themselves; the paths that there are instead when it leads nowhere.
fn walk(node: &Node, path: &str) -> Result<(), Vec<String>> {
    let mut known = Vec::new();
    let items: Vec<(String, &Node)> = match &node.value {
        Value::Map(entries) => entries.iter().map(|(k, n)| (k.name.to_string(), n)).collect(),
        Value::Seq(items) => items.iter().enumerate().map(|(i, n)| (i.to_string(), n)).collect(),
        _ => Vec::new(),
    };
    for (key, below) in items {
        match path.strip_prefix(key.as_str()).map(|rest| rest.strip_prefix('.').ok_or(rest)) {
            Some(Err("")) => return Ok(()),
            Some(Ok(rest)) => match walk(below, rest) {
                Ok(()) => return Ok(()),
                Err(deeper) => known.extend(deeper.into_iter().map(|d| format!("{key}.{d}"))),
            },
            _ => known.push(key),
        }
    }
    Err(known)
}
