//! Sets the fields of a PKGBUILD from the profile, except dependencies and sources.

use crate::lower::vocabulary::Context;
use crate::value::ir::{Field, Fields};
use rocpkg_model::{Findings, FlagAction, Package, PkgbuildPart, Spanned, Text};
use rocpkg_render::bash::Word;

/// Returns the global fields, without dependencies, sources and checksums.
pub(crate) fn metadata(cx: &Context, findings: &mut Findings) -> Fields {
    let p = cx.p;
    let package = &p.package;
    let own = package.pkgbuild.as_ref();
    let mut f = Fields::new();
    let single = |f: &mut Fields, field, text: &str| put(f, field, vec![Word::lit(text)]);
    single(&mut f, Field::Pkgver, p.version.as_str());
    // A pkgrel counts the releases of one version.
    let pkgrel = own
        .and_then(|b| b.pkgrel.as_ref())
        .filter(|n| cx.plan.is_of_version(p, n.span));
    single(
        &mut f,
        Field::Pkgrel,
        pkgrel.map_or("1", |s| s.value.as_str()),
    );
    if let Some(epoch) = own.and_then(|b| b.epoch.as_ref()) {
        single(&mut f, Field::Epoch, &epoch.value);
    }
    single(&mut f, Field::Pkgdesc, &package.summary.value);
    let arch = own.map(|b| words(&b.arch)).filter(|a| !a.is_empty());
    let habit = || {
        cx.plan
            .distro
            .settings
            .get("arch")
            .map_or("x86_64", |s| s.value.as_str())
            .to_owned()
    };
    put_all(&mut f, Field::Arch, &arch.unwrap_or_else(|| vec![habit()]));
    let url = own
        .and_then(|b| b.url.as_ref())
        .or(package.documentation.as_ref());
    if let Some(url) = url.or(package.homepage.as_ref()) {
        single(&mut f, Field::Url, &url.value);
    }
    let parts_say = own.is_some_and(|b| {
        cx.split
            && b.packages
                .values()
                .all(|part| !part_licence(cx, part).is_empty())
    });
    if !parts_say {
        put_all(&mut f, Field::License, &licences(cx, &package.licence));
    }
    let Some(b) = own else {
        put_all(&mut f, Field::Options, &options(cx, &[]));
        return f;
    };
    put_texts(cx, &mut f, Field::Provides, &b.provides, findings);
    put_texts(cx, &mut f, Field::Conflicts, &b.conflicts, findings);
    put_texts(cx, &mut f, Field::Replaces, &b.replaces, findings);
    put_all(&mut f, Field::Options, &options(cx, &b.options));
    f
}

/// Returns makepkg's options: those in `options` of the profile, and `!lto` if an edit of flags
/// turns link-time optimisation off.
fn options(cx: &Context, written: &[Spanned<String>]) -> Vec<String> {
    let mut out = words(written);
    let no_lto =
        cx.p.package
            .flags
            .iter()
            .any(|e| e.action == FlagAction::NoLto && cx.p.settles(e.when.as_ref()));
    if no_lto && !out.iter().any(|o| o == "!lto") {
        out.push("!lto".into());
    }
    out
}

pub(crate) fn licences(cx: &Context, written: &[Spanned<String>]) -> Vec<String> {
    let table = &cx.plan.distro.licences;
    written
        .iter()
        .map(|l| {
            table
                .get(&l.value)
                .map_or_else(|| l.value.clone(), |n| n.value.clone())
        })
        .collect()
}

pub(crate) fn words(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|s| s.value.clone()).collect()
}

pub(crate) fn elements(list: &[String]) -> Vec<Word> {
    list.iter().map(|s| Word::lit(s.as_str())).collect()
}

/// Adds the elements that a field does not have yet.
pub(crate) fn put_all(fields: &mut Fields, field: Field, list: &[String]) {
    let mut all = fields.remove(&field).unwrap_or_default();
    let further: Vec<Word> = elements(list)
        .into_iter()
        .filter(|e| !all.contains(e))
        .collect();
    all.extend(further);
    put(fields, field, all);
}

pub(crate) fn put_texts(
    cx: &Context,
    fields: &mut Fields,
    field: Field,
    list: &[Text],
    findings: &mut Findings,
) {
    let list = list.iter().map(|t| cx.entry(t, findings)).collect();
    put(fields, field, list);
}

/// Sets a field, unless there are no elements.
pub(crate) fn put(fields: &mut Fields, field: Field, elements: Vec<Word>) {
    if !elements.is_empty() {
        fields.insert(field, elements);
    }
}

/// Returns the component that a package of a split PKGBUILD consists of: the first one in its `of`.
/// Returns `None` if `of` is empty or names no component of the PKGBUILD.
pub(crate) fn piece<'a>(cx: &'a Context, part: &PkgbuildPart) -> Option<&'a Package> {
    cx.p.pieces.get(&part.of.first()?.value)
}

/// Returns the licences of a package of a split PKGBUILD: those that the profile states for it,
/// else those of its component.
pub(crate) fn part_licence<'a>(cx: &'a Context, part: &'a PkgbuildPart) -> &'a [Spanned<String>] {
    match piece(cx, part) {
        Some(piece) if part.licence.is_empty() => &piece.licence,
        _ => &part.licence,
    }
}
