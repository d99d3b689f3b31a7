//! Split PKGBUILDs, which make several packages: the dependencies, fields and function of each
//! package. In this module, a part is one of these packages.

use crate::lower::depends::{self, Arrays};
use crate::lower::fields::{elements, licences, part_licence, piece, put, put_all, put_texts};
use crate::lower::functions::habit;
use crate::lower::places;
use crate::lower::steps::{self, Phase};
use crate::lower::vocabulary::Context;
use crate::value::ir::{Field, Fields, SplitPackage, Variable, all_of};
use rocpkg_model::{Action, Finding, Findings, Pkgbuild, PkgbuildPart, Span, Spanned, Step};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{Plan, Planned};
use std::collections::BTreeMap;

/// Reports packages of a split PKGBUILD that contradict each other or the rest of the profile.
pub(crate) fn check(plan: &Plan, p: &Planned, findings: &mut Findings) {
    let Some(own) = p.package.pkgbuild.as_ref() else {
        return;
    };
    let place = |name: &str| places::of_part(p, name);
    let mut holders: BTreeMap<&str, (&str, Span)> = BTreeMap::new();
    for (name, part) in &own.packages {
        for of in &part.of {
            let Some((other, there)) = holders.insert(&of.value, (name, of.span)) else {
                continue;
            };
            let message = format!("`{other}` and `{name}` both contain `{}`", of.value);
            let finding = Finding::error("E0248", of.span, message).other(Some(there));
            findings.push(finding.label(
                "expected it in only one of them, so that dependencies on it are unambiguous",
            ));
        }
        for of in part
            .of
            .iter()
            .filter(|of| !p.components.contains(&of.value))
        {
            let message = format!("the package contains no component `{}`", of.value);
            let finding = Finding::error("E0242", of.span, message)
                .label("expected one of the components under `of`");
            findings.push(finding.nearest(&of.value, p.components.iter().map(String::as_str)));
        }
        if part.shared && own.shared_depends.is_none() {
            let message = format!("`{name}` uses shared dependencies, but the PKGBUILD has none");
            findings.push(
                Finding::error("E0423", place(name), message).label("expected `shared-depends`"),
            );
        }
    }
    // A part without steps installs all built files, as one with only standard steps does.
    let whole: Vec<&String> = own
        .packages
        .iter()
        .filter(|(_, part)| installs_all(p, &part.steps))
        .map(|(name, _)| name)
        .collect();
    if let [first, others @ ..] = whole.as_slice()
        && !p.sources.is_empty()
        && !plan.bare
    {
        for other in others {
            let message = format!("`{first}` and `{other}` install the same files");
            let label =
                "expected more `steps`: without them, each package installs all built files";
            findings.push(Finding::error("E0444", place(other), message).label(label));
        }
    }
    for (section, label) in [
        (
            "phases",
            "expected these steps under `steps` of one of `pkgbuild.packages`",
        ),
        (
            "environment",
            "expected `export` among the `steps` of one of `pkgbuild.packages`",
        ),
    ] {
        let stated = p
            .node
            .get(section)
            .and_then(|functions| functions.get("package"));
        if let Some(stated) = stated.filter(|_| !own.packages.is_empty()) {
            let finding = Finding::error(
                "E0424",
                stated.span,
                "a split PKGBUILD can't have a function `package`",
            );
            findings.push(finding.label(label));
        }
    }
    if let Some(shared) = own
        .shared_depends
        .as_ref()
        .filter(|_| !own.packages.values().any(|part| part.shared))
    {
        let message = format!("no package uses the shared dependencies `{}`", shared.value);
        findings.push(
            Finding::error("E0423", shared.span, message)
                .label("expected a package with `shared: true`"),
        );
    }
}

/// Returns true for steps that are equivalent to the standard step of all projects, as no steps
/// are.
fn installs_all(p: &Planned, steps: &[Step]) -> bool {
    steps
        .iter()
        .filter(|step| p.settles(step.when.as_ref()))
        .all(|step| match &step.action {
            Action::Standard(name) => matches!(name.value.as_str(), "all" | "main"),
            Action::Group(inner) => !inner.is_empty() && installs_all(p, inner),
            _ => false,
        })
}

/// Returns the packages of a split PKGBUILD, each with its fields and its function.
pub(crate) fn parts(
    cx: &Context,
    own: &Pkgbuild,
    arrays: &Arrays,
    findings: &mut Findings,
) -> Vec<SplitPackage> {
    // If the profile assigns no dependencies to parts, each part has all of them.
    let untold = own.shared_depends.is_none()
        && (own.packages.values())
            .all(|part| part.depends.is_empty() && part.same_version.is_empty());
    if !untold && own.shared_depends.is_none() {
        check_taken(cx, own, findings);
    }
    let mut parts: Vec<SplitPackage> = own
        .packages
        .iter()
        .map(|(name, part)| lower_part(cx, name, part, findings))
        .collect();
    for part in parts.iter_mut().filter(|_| untold) {
        put_all(
            &mut part.overrides,
            Field::Depends,
            arrays.get(Field::Depends),
        );
    }
    // Optional dependencies can't be global fields, so they are added to the first part.
    if let Some(first) = parts.first_mut() {
        put_all(
            &mut first.overrides,
            Field::Optdepends,
            arrays.get(Field::Optdepends),
        );
    }
    parts
}

/// Reports run-time dependencies of the whole PKGBUILD that no part states: makepkg does not copy
/// global `depends` to the packages of a split PKGBUILD.
fn check_taken(cx: &Context, own: &Pkgbuild, findings: &mut Findings) {
    let stated = |name: &str| {
        own.packages
            .values()
            .any(|part| part.depends.iter().any(|d| d.value == name))
    };
    // A dependency that the distribution has no package for is left out.
    let named = |name: &str| cx.p.depends.iter().any(|e| e.name == name);
    for (name, edge, node) in
        cx.p.edges()
            .filter(|(_, edge, _)| cx.p.settles(edge.when.as_ref()))
    {
        let runs = edge
            .kind
            .0
            .iter()
            .any(|kind| depends::field(*kind) == Field::Depends);
        if runs && named(name) && !stated(name) {
            let message = format!("no package of {} depends on `{name}`", cx.p.name);
            let label = "expected it in `depends` of one of `pkgbuild.packages`, or another `kind`";
            findings.push(Finding::error("E0423", node.span, message).label(label));
        }
    }
}

/// Sets the global dependencies of a split PKGBUILD. Its parts do not inherit global fields, so
/// libraries that are linked are in `makedepends`. If the profile states `shared-depends`, they are
/// in a private array of this name.
pub(crate) fn share(
    cx: &Context,
    arrays: &Arrays,
    fields: &mut Fields,
    variables: &mut Vec<(String, Variable)>,
    findings: &mut Findings,
) {
    let shared =
        cx.p.package
            .pkgbuild
            .as_ref()
            .and_then(|b| b.shared_depends.as_ref());
    let Some(name) = shared else {
        put_all(fields, Field::Makedepends, arrays.get(Field::Makedepends));
        put_all(fields, Field::Makedepends, arrays.get(Field::Depends));
        return;
    };
    steps::check_name(&name.value, name.span, findings);
    cx.check_private(&name.value, name.span, findings);
    let mut make = elements(arrays.get(Field::Makedepends));
    make.push(all_of(&name.value));
    put(fields, Field::Makedepends, make);
    variables.push((
        name.value.clone(),
        Variable::Array(elements(arrays.get(Field::Depends))),
    ));
}

/// Returns true if `of` is another package of the PKGBUILD that makes `name`. Any other name is
/// reported.
fn is_sibling(cx: &Context, name: &str, of: &Spanned<String>, findings: &mut Findings) -> bool {
    let own = cx.p.package.pkgbuild.iter();
    let siblings = own.flat_map(|b| b.packages.keys()).filter(|s| *s != name);
    if siblings.clone().any(|s| *s == of.value) {
        return true;
    }
    let message = format!("the PKGBUILD makes no other package `{}`", of.value);
    let finding = Finding::error("E0423", of.span, message).label("expected one of `packages`");
    findings.push_nearest(finding, &of.value, siblings.map(String::as_str));
    false
}

/// Returns a dependency on a package of the same PKGBUILD in the version of this build:
/// `tool=$epoch:$pkgver-$pkgrel`, without the epoch if the PKGBUILD has none.
fn at_own_version(cx: &Context, sibling: &str) -> Word {
    let mut word = Word::lit(format!("{sibling}="));
    let own = cx.p.package.pkgbuild.as_ref();
    if own.is_some_and(|b| b.epoch.is_some()) {
        word = word.variable("epoch").literal(":");
    }
    word.variable("pkgver").literal("-").variable("pkgrel")
}

fn lower_part(
    cx: &Context,
    name: &str,
    part: &PkgbuildPart,
    findings: &mut Findings,
) -> SplitPackage {
    let mut f = Fields::new();
    let piece = piece(cx, part);
    // A summary that is equal to the global one is left out.
    let own = piece
        .map(|p| &p.summary)
        .filter(|s| s.value != cx.p.package.summary.value);
    let summary = part.summary.as_ref().or(own);
    if let Some(t) = summary {
        put(&mut f, Field::Pkgdesc, vec![Word::lit(t.value.as_str())]);
    }
    put_all(
        &mut f,
        Field::License,
        &licences(cx, part_licence(cx, part)),
    );
    let mut depends = Vec::new();
    if part.shared
        && let Some(shared) =
            cx.p.package
                .pkgbuild
                .as_ref()
                .and_then(|b| b.shared_depends.as_ref())
    {
        depends.push(all_of(&shared.value));
    }
    depends.extend(
        (part.depends.iter())
            .filter_map(|d| depends::name_of(cx, &d.value, d.span, findings))
            .map(Word::lit),
    );
    depends.extend(
        (part.same_version.iter())
            .filter(|d| is_sibling(cx, name, d, findings))
            .map(|d| at_own_version(cx, &d.value)),
    );
    put(&mut f, Field::Depends, depends);
    let stated =
        cx.p.node
            .get("pkgbuild")
            .and_then(|own| own.get("packages")?.get(name));
    let stated = stated
        .map(|part| part.entries_of("optdepends"))
        .unwrap_or_default();
    let at = |n: &str| {
        let key = stated.iter().find(|(key, _)| key.name == n);
        key.map_or_else(|| places::of_part(cx.p, name), |(key, _)| key.span)
    };
    let optional = part.optdepends.iter().filter_map(|(n, why)| {
        Some(depends::optional(
            &depends::name_of(cx, n, at(n), findings)?,
            Some(why),
        ))
    });
    put_all(&mut f, Field::Optdepends, &optional.collect::<Vec<_>>());
    put_texts(cx, &mut f, Field::Provides, &part.provides, findings);
    put_texts(cx, &mut f, Field::Replaces, &part.replaces, findings);
    let d = &mut cx.in_phase(Phase::Package, findings);
    let body = if part.steps.is_empty() {
        habit(d, Phase::Package)
    } else {
        rocpkg_shell::named_steps(d, &part.steps)
    };
    SplitPackage {
        name: name.to_owned(),
        overrides: f,
        body,
    }
}
