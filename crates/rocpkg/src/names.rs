//! Lookups of packages by name, and the error for an unknown name. Commands that take a name call
//! [`Stack::named`](crate::Stack::named), which also accepts the names of other distributions.

use crate::backend::Backend;
use crate::error::Error;
use rocpkg_model::{External, Node, did_you_mean, nearest};
use rocpkg_resolve::{Dependency, Model, Plan, Planned, ResolvedEdge, bare};
use std::collections::BTreeSet;

/// The packages and external dependencies of a plan that a name stands for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Named {
    /// The ids of the packages.
    pub packages: BTreeSet<String>,
    /// The external dependencies, by the distribution's names for them: `llvm.llvm`. Includes the
    /// names of the packages, since a row of externals.yaml may name a package of the distribution.
    pub externals: BTreeSet<String>,
}

impl Named {
    /// Returns true if the name stands for the package `p`.
    pub fn is(&self, p: &Planned) -> bool {
        self.packages.contains(&p.id)
    }

    /// Returns true if a dependency leads to a package or an external dependency that the name
    /// stands for.
    pub fn is_needed_by(&self, edge: &ResolvedEdge) -> bool {
        match &edge.to {
            Dependency::Package(id) => self.packages.contains(id),
            Dependency::External(name) => self.externals.contains(name),
        }
    }

    fn is_empty(&self) -> bool {
        self.packages.is_empty() && self.externals.is_empty()
    }

    /// Looks up a name that the plan itself uses. A package's id or name takes precedence over a
    /// component, of which several packages may be made.
    fn of(plan: &Plan, name: &str) -> Self {
        let own = bare(name);
        let split = |p: &Planned| {
            p.package
                .pkgbuild
                .as_ref()
                .is_some_and(|b| b.packages.contains_key(own))
        };
        let lookups: [&dyn Fn(&Planned) -> bool; 3] = [
            &|p| p.id == own || p.name == own || split(p),
            &|p| [&p.id, &p.name].iter().any(|n| n.eq_ignore_ascii_case(own)),
            &|p| is_named(p, own),
        ];
        let ids = |is_it: &dyn Fn(&Planned) -> bool| -> BTreeSet<String> {
            let found = plan.with_consumers().filter(|p| is_it(p));
            found.map(|p| p.id.clone()).collect()
        };
        let found = lookups.iter().map(|is_it| ids(*is_it));
        let mut packages = found
            .into_iter()
            .find(|ids| !ids.is_empty())
            .unwrap_or_default();
        let mut externals = BTreeSet::new();
        if packages.is_empty() {
            // A row that no package needs is no dependency of the plan. Dependencies with an
            // `exact-name` need no row.
            let spelt = match plan.externals.get(name) {
                Some(External::Named(spelt)) => Some(&spelt.value),
                _ => None,
            };
            let edges = plan.with_consumers().flat_map(|p| &p.depends);
            externals.extend(edges.filter_map(|e| match &e.to {
                Dependency::External(to) => {
                    (e.name == name || Some(to) == spelt).then(|| to.clone())
                }
                Dependency::Package(_) => None,
            }));
            let names_it = |p: &Planned| spelt == Some(&p.name);
            packages = ids(&names_it);
        }
        let names = plan.with_consumers().filter(|p| packages.contains(&p.id));
        externals.extend(names.map(|p| p.name.clone()));
        Self {
            packages,
            externals,
        }
    }
}

/// Returns the packages and external dependencies of a plan that `names` stand for, together. See
/// [`Stack::named`](crate::Stack::named).
pub(crate) fn named(model: &Model, plan: &Plan, names: &[String]) -> Result<Named, Error> {
    let mut all = Named::default();
    for name in names {
        let mut own = Named::of(plan, name);
        if own.is_empty() {
            let id = model.spellings.meant(name).map_or(bare(name), |(id, _)| id);
            own = Named::of(plan, id);
            if own.is_empty() {
                own = elsewhere(model, plan, id);
            }
        }
        if own.is_empty() {
            let what = format!("no package or dependency of {}", plan.distro_name);
            return Err(none(model, [plan], &what, name));
        }
        all.packages.append(&mut own.packages);
        all.externals.append(&mut own.externals);
    }
    Ok(all)
}

/// Returns the packages of a plan that `names` stand for, together. A name that no package of the
/// plan has also stands for the packages with the source of another distribution's package of this
/// name: `hip`, the headers alone in nixpkgs, is the runtime in Gentoo, and so also stands for
/// `clr`.
///
/// # Errors
/// If a name is unknown, or stands for an external dependency alone.
pub(crate) fn needed(
    model: &Model,
    plan: &Plan,
    names: &[String],
) -> Result<BTreeSet<String>, Error> {
    let mut all = BTreeSet::new();
    for name in names {
        let mut own = named(model, plan, std::slice::from_ref(name))?.packages;
        if own.is_empty() {
            let what = format!("no package of {}", plan.distro_name);
            return Err(none(model, [plan], &what, name));
        }
        let wanted = bare(name);
        let is_own = |p: &Planned| p.name.eq_ignore_ascii_case(wanted);
        if !plan.with_consumers().any(is_own) {
            own.extend(elsewhere(model, plan, wanted).packages);
        }
        all.append(&mut own);
    }
    Ok(all)
}

/// Returns what the plan has in place of the package `id` of other distributions: the packages with
/// the first component of the first such package that the plan has.
fn elsewhere(model: &Model, plan: &Plan, id: &str) -> Named {
    let others = Backend::ALL.iter().filter(|b| {
        let distro = model.distros.get(b.distro());
        b.distro() != plan.distro_name && distro.is_some_and(|d| d.packages.contains_key(id))
    });
    others
        .filter_map(|b| model.components_of(b.distro(), id).into_iter().next())
        .map(|part| Named::of(plan, &part))
        .find(|found| !found.is_empty())
        .unwrap_or_default()
}

/// Returns true if `wanted` is the id, the name or a component of the package `p`. Case does not
/// matter. The category (`sci-libs/`) and the scope (`rocmPackages.`) are ignored.
pub fn is_named(p: &Planned, wanted: &str) -> bool {
    let wanted = bare(wanted);
    [&p.id, &p.name]
        .into_iter()
        .chain(&p.components)
        .any(|n| n.eq_ignore_ascii_case(wanted))
}

/// Returns all names of the package `id`: the distribution's name, the id and the components. If
/// the package's profile can't be read, the distribution's name is missing.
pub(crate) fn names_of(model: &Model, plan: &Plan, id: &str) -> Vec<String> {
    let mut names: Vec<String> = plan.get(id).map(|p| p.name.clone()).into_iter().collect();
    names.push(id.to_owned());
    names.extend(model.components_of(&plan.distro_name, id));
    names
}

/// Returns the error that the package `name` does not exist at the release of `plan`. Returns None
/// if no such package is known.
pub(crate) fn absent(plan: &Plan, name: &str) -> Option<Error> {
    let mut all = plan.absent.iter();
    let is = |own: &String| own.eq_ignore_ascii_case(bare(name));
    let (id, absent) = all.find(|(id, a)| is(id) || a.components.iter().any(is))?;
    Some(Error::Absent {
        package: id.clone(),
        distribution: plan.distro_name.clone(),
        release: plan.version.to_string(),
        reason: absent.reason.clone(),
    })
}

/// Returns the error that no package of `plans` has the name `name`. `what` begins the message:
/// with `no package`, it is "no package is called `name`".
pub(crate) fn none<'p>(
    model: &Model,
    plans: impl IntoIterator<Item = &'p Plan>,
    what: &str,
    name: &str,
) -> Error {
    let plans: Vec<&Plan> = plans.into_iter().collect();
    if let Some(error) = plans.iter().find_map(|plan| absent(plan, name)) {
        return error;
    }
    let of = |b: &Backend| plans.iter().any(|plan| plan.distro_name == b.distro());
    let asked: Vec<Backend> = Backend::ALL.into_iter().filter(of).collect();
    let known = plans
        .iter()
        .flat_map(|p| &*p.packages)
        .flat_map(|p| [p.id.as_str(), p.name.as_str()]);
    unknown(model, &asked, what, name, known)
}

/// Returns the error that no package of the distributions `asked` is called `name`. `known` are the
/// names of their packages, and `what` begins the message (see [`none`]). The message has one hint,
/// the first that applies:
///
/// - that it is a consumer, for which no recipe is rendered,
/// - the distributions that have the package, and the component that has its source now,
/// - that no distribution has the component,
/// - to pass one name at a time, if `name` consists of several names,
/// - the model's name of the package, if `name` is another project's name for it,
/// - the file that lists the name, if `name` is an external dependency,
/// - the nearest name.
pub(crate) fn unknown<'a>(
    model: &Model,
    asked: &[Backend],
    what: &str,
    name: &str,
    known: impl Iterator<Item = &'a str>,
) -> Error {
    let known: Vec<&str> = known.collect();
    let is_known = |word: &str| known.iter().any(|k| k.eq_ignore_ascii_case(bare(word)));
    let words: Vec<&str> = name
        .split([',', ' '])
        .filter(|word| !word.is_empty())
        .collect();
    let meant = model.spellings.meant(name);
    let id = meant.as_ref().map_or(bare(name), |(id, _)| *id);
    let is_consumer = |b: &&Backend| model.consumers.get(id).and_then(|row| row.get(b.distro()));
    if let Some(on) = asked.iter().find(|b| is_consumer(b).is_some()) {
        let said = format!(
            "`{id}` of {} is a consumer: it is built on the stack, and not rendered here",
            on.distro()
        );
        return Error::UnknownPackage {
            name: name.to_owned(),
            nearest: None,
            said,
        };
    }
    let carry = |b: &Backend| {
        let distro = b.distro();
        let mut ids = model
            .distros
            .get(distro)
            .into_iter()
            .flat_map(|d| d.packages.keys());
        ids.any(|own| own == id || model.components_of(distro, own).iter().any(|c| c == id))
    };
    let with: Vec<&str> = Backend::ALL
        .iter()
        .filter(|b| carry(b))
        .map(|b| b.distro())
        .collect();
    if let (false, [first @ .., last]) = (asked.iter().any(carry), with.as_slice()) {
        let lack: Vec<&str> = asked.iter().map(|b| b.distro()).collect();
        let others = if first.is_empty() {
            String::new()
        } else {
            format!("{} and ", first.join(", "))
        };
        let verb = if first.is_empty() { "has" } else { "have" };
        let said = format!(
            "no `{id}` in {}; {others}{last} {verb} it{}",
            lack.join(" or "),
            merged(model, id).unwrap_or_default()
        );
        return Error::UnknownPackage {
            name: name.to_owned(),
            nearest: None,
            said,
        };
    }
    if with.is_empty() && model.components.contains_key(id) {
        let more = merged(model, id).unwrap_or_default();
        return Error::UnknownPackage {
            name: name.to_owned(),
            nearest: None,
            said: format!("no distribution has `{id}`, a component of upstream{more}"),
        };
    }
    let mut near = None;
    let hint = if words.len() > 1 && words.iter().all(|word| is_known(word)) {
        format!("; name them one at a time: `{}`", words.join("` and `"))
    } else if let Some((_, hint)) = meant.filter(|(id, _)| is_known(id)) {
        format!("; {hint}")
    } else if model.externals.contains_key(id) {
        format!("; `{id}` is an external dependency, a row of externals.yaml")
    } else {
        near = nearest(bare(name), known).map(str::to_owned);
        did_you_mean(near.as_deref())
    };
    let said = format!("{what} is called `{name}`{hint}");
    Error::UnknownPackage {
        name: name.to_owned(),
        nearest: near,
        said,
    }
}

/// Returns the successor of the component `id`, as a clause: `` ; its source is part of
/// `rocr-runtime` since 6.3 ``. None if upstream did not merge it into another one.
fn merged(model: &Model, id: &str) -> Option<String> {
    let layers = model.components.get(id)?.iter();
    let into = layers.rev().find_map(|layer| layer.get("merged-into"))?;
    let text = |key: &str| into.get(key).and_then(Node::text);
    let (component, since) = (text("component")?, text("since")?);
    Some(format!(
        "; its source is part of `{component}` since {since}"
    ))
}
