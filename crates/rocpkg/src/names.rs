//! Lookups of packages by name, and the error for an unknown name.

use crate::backend::Backend;
use crate::error::Error;
use rocpkg_model::{Node, did_you_mean, nearest};
use rocpkg_resolve::{Model, Plan, Planned, bare};

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

/// Returns the error that no package of `plans` has the name `name`. `what` begins the message:
/// with `no package`, it is "no package is called `name`".
pub(crate) fn none<'p>(
    model: &Model,
    plans: impl IntoIterator<Item = &'p Plan>,
    what: &str,
    name: &str,
) -> Error {
    let plans: Vec<&Plan> = plans.into_iter().collect();
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
