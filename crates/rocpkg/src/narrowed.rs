//! Trees that are built for some GPUs alone.

use crate::backend::Backend;
use crate::error::Error;
use rocpkg_resolve::{Held, Model, Proof};
use rocpkg_targets::{NotFound, Registry, TargetSet};

/// The registry of GPU targets.
///
/// # Errors
/// When the profiles hold none.
pub(crate) fn registry(model: &Model) -> Result<&Registry, Error> {
    let none = || Error::asked("the profiles hold no targets.yaml, which lists the GPU targets");
    model.registry.as_ref().ok_or_else(none)
}

/// The targets of names between commas. No name at all is a mistake too, such as a variable of the shell that is not set.
///
/// # Errors
/// What is wrong with each that stands for nothing.
pub(crate) fn find(registry: &Registry, text: &str) -> Result<TargetSet, Error> {
    let found = registry.find_all(text);
    let found =
        found.map_err(|errors| Error::Asked(errors.iter().map(explain).collect::<Vec<_>>().join("\n")))?;
    if found == TargetSet::EMPTY {
        return Err(Error::asked("no GPU target is named: expected names such as `gfx1100`, between commas"));
    }
    Ok(found)
}

pub(crate) fn explain(error: &NotFound) -> String {
    if let Some(feature) = &error.features {
        return format!("`{}`: {feature}", error.text);
    }
    match error.nearest.as_slice() {
        [] => error.to_string(),
        names => format!("{error}; did you mean `{}`?", names.join("`, `")),
    }
}

/// Refuses targets that a distribution has no place for in its lists.
pub(crate) fn check_offered(model: &Model, backends: &[Backend]) -> Result<(), Error> {
    for backend in backends {
        let Some(distro) = model.distros.get(backend.distro()) else { continue };
        let rows = distro.targets.iter();
        let all: Vec<&str> =
            rows.flat_map(|row| row.default.iter().chain(&row.offered)).map(|t| t.value.as_str()).collect();
        let strange: Vec<&str> =
            model.narrowed.iter().map(String::as_str).filter(|t| !all.contains(t)).collect();
        if !all.is_empty() && !strange.is_empty() {
            return Err(Error::asked(format!("{} offers no {}", backend.distro(), strange.join(", "))));
        }
    }
    Ok(())
}

/// Refuses a tree of which a recipe would be built for another target, or for none, and says which.
pub(crate) fn check_built(model: &Model, proofs: &[(Backend, Proof)]) -> Result<(), Error> {
    let Some(registry) = &model.registry else { return Ok(()) };
    let wanted: TargetSet = model.narrowed.iter().filter_map(|n| registry.get(n)).collect();
    let mut wrong = Vec::new();
    for (backend, proof) in proofs {
        for (id, built) in proof.built.iter().filter(|(_, b)| !b.host_only) {
            let what = match &built.default {
                Held::Set(set) if set.is_empty() && !built.mended => {
                    "can be built for none of them".to_owned()
                }
                Held::Set(set) if set.is_subset(wanted.union(built.instead)) => continue,
                Held::Set(set) => format!("is built for {} as well", registry.show(set.difference(wanted))),
                Held::Symbol { tool, .. } => format!("is built for what `{tool}` prints"),
                Held::Unknown(fact) => format!("is built for {fact}"),
            };
            wrong.push(format!("\n  {}: `{id}` {what}", backend.distro()));
        }
    }
    if wrong.is_empty() {
        return Ok(());
    }
    Err(Error::asked(format!("not narrowed to {}:{}", registry.show(wanted), wrong.concat())))
}
