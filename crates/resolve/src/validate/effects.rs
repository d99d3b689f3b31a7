//! Checks for statements of a package that have no effect, or a different effect in each
//! distribution.

use crate::plan::constraints::{Alternatives, one};
use rocpkg_model::{
    Constraint, EdgeKind, FLAG_KINDS, Finding, Findings, FlagAction, FlagEdit, Node, Package,
    Spanned,
};

/// CMake's build types, and `None`. CMake accepts any other name too, and passes no flags then.
const BUILD_TYPES: [&str; 5] = ["Debug", "MinSizeRel", "None", "RelWithDebInfo", "Release"];

/// Reports unknown components and build types, CMake arguments that begin with `-D`, invalid
/// versions of dependencies, constraints on releases, and incomplete edits of compiler flags.
/// `components` are the components of the package.
pub(crate) fn check(
    package: &Package,
    node: &Node,
    components: &[String],
    findings: &mut Findings,
) {
    for of in package
        .cmake
        .values()
        .flat_map(|p| &p.of)
        .filter(|of| !components.contains(&of.value))
    {
        let message = format!("the package contains no component `{}`", of.value);
        let finding =
            Finding::error("E0242", of.span, message).label("expected a component of the package");
        findings.push(finding.nearest(&of.value, components.iter().map(String::as_str)));
    }
    let known = |name: &str| BUILD_TYPES.iter().any(|t| t.eq_ignore_ascii_case(name));
    if let Some(odd) = package.build_type.as_ref().filter(|t| !known(&t.value)) {
        let finding = Finding::error(
            "E0114",
            odd.span,
            format!("CMake has no build type `{}`", odd.value),
        );
        findings.push(
            finding
                .label(format!("one of: {}", BUILD_TYPES.join(" ")))
                .nearest(&odd.value, BUILD_TYPES),
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
            let message = format!("`{}` can't be the version of a conflict", version.value);
            let finding = Finding::error("E0304", version.span, message);
            findings
                .push(finding.label("expected one bound: two would conflict with every version"));
        }
    }
    package
        .constraints
        .iter()
        .for_each(|constraint| of_releases(constraint, findings));
    package
        .flags
        .iter()
        .for_each(|edit| whole_edit(edit, node, findings));
}

/// Reports constraints that require a release, since nobody chooses the release.
fn of_releases(constraint: &Constraint, findings: &mut Findings) {
    let listed = Alternatives::of(constraint)
        .into_iter()
        .flat_map(|(_, list)| list);
    let listed = listed.map(|item| (one(&item.value), item.span));
    let needed = constraint
        .need
        .iter()
        .map(|need| (need.cond.clone(), need.span));
    for (cond, span) in needed
        .chain(listed)
        .filter(|(cond, _)| !cond.releases().is_empty())
    {
        let message = format!("`{cond}` requires a release, which users can't choose");
        let finding = Finding::error("E0222", span, message).label("expected features and targets");
        findings.push(finding.hint("write the release as a condition of the constraint: `when`"));
    }
}

/// Reports the version that a dependency requires, if it is not valid. It must be `same`, `slot` or
/// `any`, or a sign of comparison before a version: `>=6.0.0`.
fn is_version(asked: &Spanned<String>, findings: &mut Findings) {
    let words = ["same", "slot", "any"];
    let bounds = asked.value.split(',').map(str::trim).all(|bound| {
        let version = bound.trim_start_matches(['<', '>', '=', '~']);
        version.len() < bound.len()
            && version
                .trim_start()
                .starts_with(|c: char| c.is_ascii_digit())
    });
    if !bounds && !words.contains(&asked.value.as_str()) {
        findings.push(
            Finding::error(
                "E0203",
                asked.span,
                format!("`{}` is not a version requirement", asked.value),
            )
            .label("expected `same`, `slot`, `any`, or a range such as `>=6.0.0`")
            .nearest(&asked.value, words),
        );
    }
}

/// Reports incomplete edits of flags. Every edit names variables and flags. Only `replace` edits
/// have a `with` field.
fn whole_edit(edit: &FlagEdit, node: &Node, findings: &mut Findings) {
    let flag = edit.flags.first().map(|f| f.span);
    let on = edit.on.0.first().map(|on| on.span);
    if edit.action == FlagAction::NoLto {
        if let Some(span) = flag.or(on) {
            let finding = Finding::error("E0421", span, "`no-lto` takes neither `flags` nor `on`");
            findings.push(finding.label("expected `action: no-lto` alone"));
        }
        return;
    }
    let with = edit.with.as_ref().map(|w| w.span);
    let place = flag.or(on).or(with).unwrap_or(node.span);
    let mut wrong = |code, span, message: &str, label: &str| {
        findings.push(Finding::error(code, span, message).label(label));
    };
    if flag.is_none() {
        wrong(
            "E0421",
            place,
            "an edit of flags without `flags`",
            "expected `flags`",
        );
    }
    if on.is_none() {
        let label = format!("expected `on`, with some of: {}", FLAG_KINDS.join(", "));
        wrong("E0226", place, "an edit of flags without `on`", &label);
    }
    match (edit.action == FlagAction::Replace, with) {
        (true, None) => wrong(
            "E0421",
            place,
            "a replacement of flags without `with`",
            "expected `with`; `action: filter` removes flags",
        ),
        (false, Some(span)) => wrong(
            "E0421",
            span,
            "only a replacement of flags reads `with`",
            "expected `action: replace`, or no `with`",
        ),
        _ => {}
    }
    // Variables contain flags separated by blanks, and not every tool reads quotes in them.
    for flag in edit.flags.iter().filter(|flag| {
        flag.literals()
            .any(|text| text.contains(char::is_whitespace))
    }) {
        let label = "expected one flag for each element of the list";
        wrong(
            "E0421",
            flag.span,
            "a flag with a space is read as two flags",
            label,
        );
    }
    for on in edit
        .on
        .0
        .iter()
        .filter(|on| !FLAG_KINDS.contains(&on.value.as_str()))
    {
        findings.push(
            Finding::error(
                "E0226",
                on.span,
                format!("unknown kind of flags `{}`", on.value),
            )
            .label(format!("expected one of: {}", FLAG_KINDS.join(", ")))
            .nearest(&on.value, FLAG_KINDS),
        );
    }
}
