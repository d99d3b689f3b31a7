//! The packages that a bump of a checkout moves, and the recipes that stay as they are.

use super::bump_request::BumpRequest;
use super::ebuilds::{has_only_live, newest_version};
use super::folder_kind::Checkout;
use super::left_out::LeftOut;
use super::nix_pin::{Pin, PinKind};
use super::nix_pins;
use super::surroundings::is_called;
use super::todo::{RecipeReport, Todo, TodoKind};
use crate::backend::Backend;
use crate::changes::printed;
use crate::error::Error;
use crate::names::is_named;
use crate::options::Options;
use crate::stack::Stack;
use rocpkg_resolve::{Choice, Plan, Planned};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub(super) struct Asked {
    /// The ids of the packages that move.
    pub(super) packages: Vec<String>,
    /// The paths of existing recipes, by the packages' ids.
    pub(super) existing: BTreeMap<String, Vec<String>>,
    /// Reports on the recipes that don't move: parts of other packages, live ebuilds, and ebuilds
    /// of newer releases.
    pub(super) reports: Vec<RecipeReport>,
    /// The places outside of recipes that set an older release than the requested one, of packages
    /// of the request.
    pub(super) pins: Vec<Pin>,
}

impl Asked {
    /// Finds the packages of a request: those that the request names, or else all with an existing
    /// recipe.
    ///
    /// # Errors
    /// When a requested package has no recipe, or there is no recipe at all.
    pub(super) fn of(
        stack: &Stack,
        checkout: &Checkout,
        request: &BumpRequest,
    ) -> Result<Self, Error> {
        let (given, folder) = (&request.packages, &request.folder);
        let choice = Choice::Release(request.version.clone());
        let options = Options {
            backends: vec![request.backend],
            choices: vec![choice.clone()],
            ..Options::everything()
        };
        let existing = stack.recipes_there(&options, folder, checkout)?;
        let is_meant = |recipe: &&LeftOut| match given.as_slice() {
            [] => recipe.is_expected_to_move() || checkout.package().is_some(),
            given => given.iter().any(|name| is_called(&recipe.folder, name)),
        };
        let left_out: Vec<&LeftOut> = checkout.left_out().iter().filter(is_meant).collect();
        let is_left_out = |name: &String| {
            left_out
                .iter()
                .any(|recipe| is_called(&recipe.folder, name))
        };
        let mut reports: Vec<RecipeReport> = left_out
            .iter()
            .map(|recipe| {
                let mut report = RecipeReport::new(request.backend, "", &recipe.folder);
                report.name.clone_from(&recipe.folder);
                report.add(Todo {
                    blocks: request.is_named,
                    ..Todo::new(&recipe.folder, TodoKind::Unasked, recipe.advice())
                });
                report
            })
            .collect();
        let (plans, _) = stack.plans(&[request.backend], &choice, &[])?;
        let own = request.backend.implementation();
        let known: Vec<(&Plan, &Planned)> = plans
            .iter()
            .flat_map(|plan| plan.packages.iter().map(move |p| (plan, p)))
            .collect();
        // The reason why an existing recipe of a package does not move.
        let stays = |(plan, p): (&Plan, &Planned)| {
            let home = own.package_folder(plan, p);
            if !request.backend.keeps_several() || existing.contains_key(&p.id) {
                None
            } else if has_only_live(folder, &home) {
                let said = format!(
                    "only a live ebuild is in this folder; `rocpkg render --package {}` makes one of a release",
                    p.name
                );
                Some((home, TodoKind::Unasked, said))
            } else {
                let newest = newest_version(folder, &home)?;
                let said = format!("it has {newest}, which is newer than {}", printed(plan, p));
                Some((home, TodoKind::Newer, said))
            }
        };
        let mut packages = Vec::new();
        if given.is_empty() {
            packages.extend(existing.keys().cloned());
            for (plan, p) in &known {
                if let Some((home, kind, said)) = stays((plan, p)) {
                    reports.push(stayed(request.backend, p, Todo::new(home, kind, said)));
                }
            }
            let shipped = stack.plan(request.backend, &Choice::Shipped)?;
            for (id, absent) in plans.iter().flat_map(|plan| &plan.absent) {
                let Some(p) = shipped.get(id) else { continue };
                let home = own.package_folder(&shipped, p);
                if folder.join(&home).is_dir() {
                    let said = format!("left as it is: {}", absent.reason);
                    let todo = Todo::new(home, TodoKind::Unasked, said);
                    reports.push(stayed(request.backend, p, todo));
                }
            }
        }
        let version = &request.version;
        let is_asked = |pin: &Pin| {
            let p = known
                .iter()
                .find(|(_, p)| pin.package.as_ref() == Some(&p.id));
            given.is_empty() || p.is_none_or(|(_, p)| given.iter().any(|name| is_named(p, name)))
        };
        let mut pins = nix_pins::pins(stack, folder, checkout)?;
        pins.retain(|pin| pin.release < *version && is_asked(pin));
        let in_sets = pins.iter().filter(|pin| pin.kind == PinKind::Derivation);
        let in_sets: BTreeSet<String> = in_sets.filter_map(|pin| pin.package.clone()).collect();
        let in_fork = |name: &String| checkout.package_in(name).map(str::to_owned);
        for name in given.iter().filter(|name| !is_left_out(name)) {
            let name = in_fork(name).unwrap_or_else(|| name.clone());
            let found = known.iter().find(|(_, p)| is_named(p, &name));
            let Some((plan, p)) = found else {
                let path = folder.join(&name);
                if path.is_dir() {
                    return Err(Error::place(
                        &path,
                        "no recipe of the stack is in this folder",
                    ));
                }
                return Err(stack.no_package(&plans, &name));
            };
            if existing.contains_key(&p.id) {
                packages.push(p.id.clone());
            } else if in_sets.contains(&p.id) {
                // The pin is the todo of the package.
            } else if let Some((home, kind, said)) = stays((plan, p)) {
                let blocks = request.is_named;
                let todo = Todo::new(home, kind, said);
                reports.push(stayed(request.backend, p, Todo { blocks, ..todo }));
            } else {
                return Err(Error::NoRecipe {
                    folder: folder.clone(),
                    package: Some(name),
                });
            }
        }
        if packages.is_empty() && !pins.iter().any(|pin| pin.kind == PinKind::Derivation) {
            return Err(nothing_to_move(folder, &reports, &pins));
        }
        Ok(Self {
            packages,
            existing,
            reports,
            pins,
        })
    }
}

/// Returns the report on the recipes of `p`, which stay as they are because of `todo`.
fn stayed(backend: Backend, p: &Planned, todo: Todo) -> RecipeReport {
    let mut report = RecipeReport::new(backend, &p.id, &todo.recipe);
    report.name.clone_from(&p.name);
    report.add(todo);
    report
}

/// Returns the error of a request of which no recipe moves.
fn nothing_to_move(folder: &Path, reports: &[RecipeReport], pins: &[Pin]) -> Error {
    let reasons = reports.iter().flat_map(|report| {
        let todos = report.todos.iter();
        todos.map(|todo| format!("{}: {}", report.name, todo.text))
    });
    let pins = pins
        .iter()
        .map(|pin| format!("{}: {}", pin.place(), pin.todo().text));
    let reasons: Vec<String> = reasons.chain(pins).collect();
    if reasons.is_empty() {
        return Error::NoRecipe {
            folder: folder.to_owned(),
            package: None,
        };
    }
    let said = format!("no recipe moves: {}", reasons.join("; "));
    Error::place(folder, &said)
}
