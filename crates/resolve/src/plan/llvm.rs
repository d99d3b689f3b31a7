//! The versions of LLVM that a package can be built with.
//!
//! A distribution that builds AMD's fork of LLVM has one version: the one that the release line
//! states. A distribution without the fork builds the packages with plain LLVM. It has the versions
//! that the package states, else those of the distribution's file, else those of the line.

use crate::layer::model::Model;
use crate::read::release::{Release, llvm_row};
use rocpkg_model::{Distro, External, Node, ReleaseLine};

/// Returns the major versions of LLVM that the package with the merged tree `package` can be built
/// with in a distribution, in ascending order. `has_fork` is the result of [`builds_fork`]. Returns
/// none if the release line states none.
pub(crate) fn versions(
    model: &Model,
    (distro, has_fork): (&Distro, bool),
    release: &Release,
    package: &Node,
) -> Vec<u64> {
    let Some(line) = model.lines.get(&release.line()) else {
        return Vec::new();
    };
    let made_with = line
        .llvm
        .iter()
        .filter_map(|major| major.value.parse().ok());
    if has_fork {
        return made_with.collect();
    }
    let rows = package.get("llvm").and_then(|llvm| llvm.get("works"));
    let rows = rows.map(Node::one_or_many).unwrap_or_default();
    let own = rows
        .first()
        .map(|row| row.list_of("with"))
        .unwrap_or_default();
    let own = own.iter().filter_map(|major| major.text()?.parse().ok());
    let row = llvm_row(distro, release).and_then(|row| row.slot.as_ref());
    let row = row.iter().filter_map(|slot| slot.value.parse().ok());
    let all: [Vec<u64>; 3] = [own.collect(), row.collect(), of_line(line)];
    let mut found = all.into_iter().find(|all| !all.is_empty());
    found
        .get_or_insert_with(|| made_with.collect())
        .sort_unstable();
    found.unwrap_or_default()
}

fn of_line(line: &ReleaseLine) -> Vec<u64> {
    let all = line.plain_llvm.iter();
    all.filter_map(|major| major.value.parse().ok()).collect()
}

/// Returns true if a distribution has AMD's fork of LLVM, as a package or by another name.
pub(crate) fn builds_fork(model: &Model, name: &str, distro: &Distro) -> bool {
    let stated = model.upstream.as_ref().and_then(|u| u.llvm.as_ref());
    let Some(fork) = stated.map(|fork| &fork.value) else {
        return false;
    };
    let is_made_of = |id: &String| model.components_of(name, id).contains(fork);
    let row = model.externals.get(fork).and_then(|row| row.get(name));
    matches!(row, Some(External::Named(_))) || distro.packages.keys().any(is_made_of)
}
