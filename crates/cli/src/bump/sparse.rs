//! The packages that a sparse checkout of git leaves out.

use super::commit::index;
use crate::error::Error;
use crate::system::git;
use rocpkg::internal::is_named;
use rocpkg::internal::resolve::Choice;
use rocpkg::{Backend, Stack};
use std::collections::BTreeMap;
use std::path::Path;

/// Returns the packages with a recipe that git tracks and that a sparse checkout leaves out: the
/// folders of the recipes, by the distribution's names of the packages. Returns none if `folder` is
/// no sparse checkout.
///
/// # Errors
/// When the packages can't be planned.
pub(super) fn left_out(
    stack: &Stack,
    backend: Backend,
    folder: &Path,
) -> Result<BTreeMap<String, String>, Error> {
    let is_sparse = git(folder, &["config", "--type=bool", "core.sparseCheckout"]);
    if !is_sparse.is_ok_and(|is_sparse| is_sparse.trim() == "true") {
        return Ok(BTreeMap::new());
    }
    let Ok(index) = index(folder) else {
        return Ok(BTreeMap::new());
    };
    let absent = index.into_iter().filter(|entry| {
        entry.flag.is_some() && backend.is_recipe(&entry.path) && !folder.join(&entry.path).exists()
    });
    let (plans, _) = stack.plans(&[backend], &Choice::Shipped, &[])?;
    let mut all = BTreeMap::new();
    for entry in absent {
        let Some((home, _)) = entry.path.rsplit_once('/') else {
            continue;
        };
        let name = home.rsplit('/').next().unwrap_or_default();
        let mut packages = plans.iter().flat_map(|plan| &*plan.packages);
        if let Some(package) = packages.find(|package| is_named(package, name)) {
            all.insert(package.name.clone(), home.to_owned());
        }
    }
    Ok(all)
}

/// Returns the line about packages outside of the sparse checkout, with the command that adds
/// them. Returns an empty text if there are none.
pub(super) fn text(outside: &BTreeMap<String, String>) -> String {
    if outside.is_empty() {
        return String::new();
    }
    let names: Vec<&str> = outside.keys().map(String::as_str).collect();
    let folders: Vec<&str> = outside.values().map(String::as_str).collect();
    format!(
        "not in the sparse checkout: {} (`git sparse-checkout add {}`)\n",
        names.join(", "),
        folders.join(" ")
    )
}

/// Returns the error of a bump with the reason why a recipe is missing, if the sparse checkout
/// leaves it out. Other errors stay as they are.
pub(super) fn explained(error: rocpkg::Error, outside: &BTreeMap<String, String>) -> Error {
    let rocpkg::Error::NoRecipe { folder, package } = &error else {
        return error.into();
    };
    let is_it = |(name, home): &(&String, &String)| {
        let last = home.rsplit('/').next();
        let mut names = [name.as_str()].into_iter().chain(last);
        let is_name = |wanted: &String| names.any(|own| own.eq_ignore_ascii_case(wanted));
        package.as_ref().is_none_or(is_name)
    };
    let missing: BTreeMap<_, _> = outside.iter().filter(is_it).collect();
    let missing = missing
        .into_iter()
        .map(|(name, home)| (name.clone(), home.clone()));
    let text = text(&missing.collect());
    if text.is_empty() {
        error.into()
    } else {
        Error::file(folder, text.trim_end())
    }
}
