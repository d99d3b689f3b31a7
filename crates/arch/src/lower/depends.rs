//! Converts dependency edges to arrays of a PKGBUILD.

use crate::lower::vocabulary::Context;
use crate::value::ir::Field;
use crate::value::print::SHORT;
use rocpkg_model::{EdgeKind, External, Finding, Findings, Span, Spanned};
use rocpkg_resolve::{Dependency, Plan, Planned, ResolvedEdge};
use std::collections::BTreeMap;

/// The dependencies of a PKGBUILD by array, such as `depends`, in the order of the profile. Long
/// arrays are sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Arrays(BTreeMap<Field, Vec<String>>);

impl Arrays {
    pub(crate) fn get(&self, field: Field) -> &[String] {
        self.0.get(&field).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn add(&mut self, field: Field, entry: String) {
        let list = self.0.entry(field).or_default();
        if !list.contains(&entry) {
            list.push(entry);
        }
    }
}

/// Returns the name of the Arch package that contains a component: the package of a split PKGBUILD
/// whose `of` lists the component, else its first package. Of a PKGBUILD that makes one package,
/// returns this package.
fn carrier<'a>(p: &'a Planned, component: &str) -> &'a str {
    let Some(b) = p
        .package
        .pkgbuild
        .as_ref()
        .filter(|b| !b.packages.is_empty())
    else {
        return &p.name;
    };
    let holds = b
        .packages
        .iter()
        .find(|(_, part)| part.of.iter().any(|c| c.value == component));
    holds
        .or_else(|| b.packages.first())
        .map_or(p.name.as_str(), |(name, _)| name.as_str())
}

/// Returns the elements of an array for a dependency, one for each bound of the version range:
/// `clr` with `>=7, <8` -> `clr>=7`, `clr<8`.
pub(crate) fn spell(plan: &Plan, e: &ResolvedEdge) -> Vec<String> {
    let name = match (&e.edge.exact_name, &e.to) {
        (Some(s), _) => s.value.clone(),
        (None, Dependency::External(name)) => name.clone(),
        (None, Dependency::Package(id)) => plan
            .get(id)
            .map_or(id.as_str(), |p| carrier(p, &e.name))
            .to_owned(),
    };
    // Arch rebuilds all packages together, so only a range of versions is written.
    match &e.edge.version {
        Some(v) if v.value.starts_with(['<', '>', '=']) => v
            .value
            .replace(' ', "")
            .split(',')
            .map(|bound| format!("{name}{bound}"))
            .collect(),
        _ => vec![name],
    }
}

/// Returns the array for a dependency of this kind.
pub(crate) fn field(kind: EdgeKind) -> Field {
    use EdgeKind::{Build, Conflict, Link, Optional, Post, Propagated, Run, Test, Tool};
    match kind {
        Link | Run | Propagated | Post => Field::Depends,
        Build | Tool => Field::Makedepends,
        Test => Field::Checkdepends,
        Optional => Field::Optdepends,
        Conflict => Field::Conflicts,
    }
}

/// Returns the dependencies of a package by array. If `checks` is false, the PKGBUILD has no
/// function `check`, and `checkdepends` is left out.
pub(crate) fn arrays(cx: &Context, checks: bool) -> Arrays {
    let mut out = Arrays::default();
    for e in
        cx.p.depends
            .iter()
            .filter(|e| cx.p.settles(e.edge.when.as_ref()))
    {
        let names = spell(cx.plan, e);
        for (kind, name) in e
            .edge
            .kind
            .0
            .iter()
            .flat_map(|kind| names.iter().map(move |name| (kind, name)))
        {
            match field(*kind) {
                Field::Checkdepends if !checks => {}
                Field::Optdepends => {
                    out.add(Field::Optdepends, optional(name, e.edge.reason.as_ref()));
                }
                field => out.add(field, name.clone()),
            }
        }
    }
    // Packages in `depends` are installed for the build too.
    let depends = out.get(Field::Depends).to_vec();
    out.0
        .entry(Field::Makedepends)
        .or_default()
        .retain(|d| !depends.contains(d));
    out
}

/// Sorts the arrays that are printed with one element on each line, as Arch's PKGBUILDs do.
pub(crate) fn sort_long(arrays: &mut Arrays) {
    let is_needed = |field: Field| {
        matches!(
            field,
            Field::Depends | Field::Makedepends | Field::Checkdepends
        )
    };
    for (_, list) in arrays
        .0
        .iter_mut()
        .filter(|(field, list)| is_needed(**field) && list.len() > SHORT)
    {
        list.sort();
    }
}

/// Returns an element of `optdepends`: `name: reason`.
pub(crate) fn optional(name: &str, reason: Option<&Spanned<String>>) -> String {
    reason.map_or_else(|| name.to_owned(), |r| format!("{name}: {}", r.value))
}

/// Returns Arch's name for the neutral name of a dependency that a package of a split PKGBUILD
/// states. Returns `None` if Arch has no such package. An unknown name is reported.
pub(crate) fn name_of(
    cx: &Context,
    name: &str,
    span: Span,
    findings: &mut Findings,
) -> Option<String> {
    let plan = cx.plan;
    if let Some(p) = plan.packages.named(name) {
        return Some(carrier(p, name).to_owned());
    }
    if let Some(external) = plan.externals.get(name) {
        return if let External::Named(spelt) = external {
            Some(spelt.value.clone())
        } else {
            None
        };
    }
    let siblings =
        cx.p.package
            .pkgbuild
            .iter()
            .flat_map(|own| own.packages.keys());
    if siblings.clone().any(|sibling| sibling == name) {
        return Some(name.to_owned());
    }
    // The name may belong to a file that could not be read, which is reported elsewhere.
    if !plan.unread.is_empty() {
        return None;
    }
    let ids = plan.packages.iter().map(|p| p.id.as_str());
    let known = ids.chain(plan.externals.keys().chain(siblings).map(String::as_str));
    let finding = Finding::error("E0423", span, format!("unknown dependency `{name}`"))
        .label("expected a package of arch, or a row of externals.yaml with a column `arch`");
    findings.push_nearest(finding, name, known);
    None
}
