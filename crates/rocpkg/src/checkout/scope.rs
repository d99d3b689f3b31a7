//! The scope of a nixpkgs checkout: the file `default.nix` that calls the expressions of all
//! packages. The rendered calls are merged into it, and the rest of the file stays. Calls in other
//! files are compared with the new expressions.

use super::existing_recipe::Conflict;
use super::folder_kind::Checkout;
use super::line_ends::read_text;
use super::nix_files::NixFiles;
use super::todo::TodoKind;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_nix::Fault;
use rocpkg_nix::internal::{FileCall, attribute, head_arguments};
use rocpkg_resolve::Choice;
use rocpkg_syntax::place;
use std::collections::BTreeSet;
use std::path::Path;

/// The result of [`join`].
#[derive(Default)]
pub(super) struct Joined {
    /// Notes about arguments that were removed from calls.
    pub(super) notes: Vec<String>,
    /// The calls that a person has to change.
    pub(super) conflicts: Vec<Conflict>,
}

/// Takes the rendered scope into the tree. If the checkout `out` has a scope, the rendered calls
/// are merged into it. A call passes only arguments that the expression takes once all files are
/// written. A checkout with expressions and without a scope gets no scope. A file at the scope's
/// place that is no scope stays as it is, as do other files that call the expressions. Their calls
/// that don't fit the new expressions are todos.
///
/// # Errors
/// When a file can't be read, or the packages can't be planned.
pub(super) fn join(
    stack: &Stack,
    tree: &mut Tree,
    out: &Path,
    checkout: &Checkout,
) -> Result<Joined, Error> {
    let prefix = &checkout.nix.prefix;
    let path = file(prefix);
    let present = read_text(&out.join(&path))?;
    let has_recipe =
        !checkout.nix.moved.is_empty() || tree.recipes().any(|(path, _)| out.join(path).is_file());
    let is_recipe = tree.owners.contains_key(&path);
    let of_all = tree.of_all();
    let rendered = of_all.iter().find(|(own, _)| *own == path);
    let rendered = rendered.and_then(|(_, bytes)| String::from_utf8(bytes.clone()).ok());
    for (file, bytes) in of_all {
        // The text of an existing scope is made below.
        if present.is_some() && file == path || present.is_none() && has_recipe {
            tree.files.remove(&file);
        } else {
            tree.files.replace(file, bytes)?;
        }
    }
    tree.shared = rocpkg_render::FileTree::default();
    let mut done = Joined::default();
    let scope = present.filter(|text| !is_recipe && rocpkg_nix::internal::defines_scope(text));
    let is_scope = scope.is_some();
    if let (Some(present), Some(rendered)) = (scope, rendered) {
        let written = |file: &str| tree.text(&format!("{prefix}{file}"));
        let conflict = |package: &str, fault: &Fault, text: String| {
            let at = place(&present, fault.at());
            Conflict::about(TodoKind::Refused, package, (&path, at), text)
        };
        match rocpkg_nix::internal::join_scope(&rendered, &present, written) {
            Ok(joined) => {
                let line = |at: usize| place(&present, at).0;
                let lost = joined.lost.into_iter();
                let note = |(at, said)| format!("{path}:{}: {said}", line(at));
                done.notes.extend(lost.map(note));
                for (file, fault) in &joined.faults {
                    // The call of an expression that stays need not change.
                    let file = format!("{prefix}{file}");
                    if tree.text(&file) != read_text(&out.join(&file))?.as_deref() {
                        let text = format!("{}: {}", fault.finding.message, fault.finding.label);
                        let owner = tree.owners.get(&file);
                        let package = owner.map(|(_, id)| id.as_str()).unwrap_or_default();
                        done.conflicts.push(conflict(package, fault, text));
                    }
                }
                tree.files.insert(path.as_str(), joined.text)?;
            }
            Err(fault) => {
                let (message, label) = (&fault.finding.message, &fault.finding.label);
                let text = format!("{message}, so no call is changed: {label}");
                done.conflicts.push(conflict("", &fault, text));
            }
        }
    }
    done.conflicts
        .extend(calls(stack, tree, out, checkout, is_scope)?);
    Ok(done)
}

/// Returns conflicts about the calls of expressions outside of a scope. These calls are not edited.
/// A call may lack an argument that is new, or give one that is gone, and a new expression may
/// have no call. `is_scope` is set if the file at the scope's place is a scope, whose calls are
/// joined.
///
/// # Errors
/// When a file can't be read, or the packages can't be planned.
fn calls(
    stack: &Stack,
    tree: &Tree,
    out: &Path,
    checkout: &Checkout,
    is_scope: bool,
) -> Result<Vec<Conflict>, Error> {
    let scope = file(&checkout.nix.prefix);
    let plan = stack.plan(checkout.backend(), &Choice::Shipped)?;
    let of_scope: BTreeSet<String> = plan.packages.iter().map(attribute).collect();
    let name = plan
        .distro
        .scope
        .as_ref()
        .and_then(|scope| scope.attribute.as_ref());
    // Calls that find the packages of the scope, and those of which that is not known.
    let finds = |call: &FileCall| {
        let is_of = name.is_some_and(|name| call.caller.contains(name.value.as_str()));
        is_of || call.is_in_scope
    };
    let texts = NixFiles::read(stack, out, &checkout.nix.searched, &plan.packages);
    let all = texts.calls();
    let mut conflicts = Vec::new();
    for (path, (_, id)) in &tree.owners {
        let path = path.as_str();
        let old = read_text(&out.join(path))?;
        let new = tree.text(path).filter(|new| old.as_deref() != Some(new));
        let Some(new) = new else { continue };
        let of_file = all.iter().filter(|(_, place, _)| place == path);
        let mut own = of_file
            .filter(|(caller, ..)| !is_scope || *caller != scope)
            .peekable();
        let Some(old) = old else {
            let is_set = !is_scope && out.join(&scope).is_file() && scope != path;
            if is_set && own.peek().is_none() {
                let text = format!("{scope} is no scope: add a call of {path} to it");
                let conflict = Conflict::about(TodoKind::Refused, id, (path, (1, 1)), text);
                conflicts.push(conflict);
            }
            continue;
        };
        let (Some(before), Some(after)) = (head_arguments(&old), head_arguments(new)) else {
            continue;
        };
        for (caller, _, call) in own {
            let Some(given) = &call.given else { continue };
            let takes = |all: &[(String, bool)], name: &str| all.iter().any(|(own, _)| own == name);
            let gone = given.iter().filter(|name| !takes(&after, name));
            let gone = gone
                .map(|name| format!("{path} has no argument `{name}`: remove it from this call"));
            let is_new = |(name, has_default): &&(String, bool)| {
                let is_given = given.contains(name) || takes(&before, name);
                !has_default && !is_given && of_scope.contains(name)
            };
            let new = after.iter().filter(is_new).filter(|_| !finds(call));
            let new = new.map(|(name, _)| {
                format!("{path} has the new argument `{name}`, which this call has to give")
            });
            let text = texts.0.get(*caller).map(String::as_str).unwrap_or_default();
            let at = place(text, call.at);
            let conflict = |kind| move |text| Conflict::about(kind, id, (*caller, at), text);
            // A `callPackage` without a set before it may be that of any set.
            let is_known = call.caller.contains('.');
            let of_new = if is_known {
                TodoKind::Refused
            } else {
                TodoKind::Note
            };
            conflicts.extend(gone.map(conflict(TodoKind::Refused)));
            conflicts.extend(new.map(conflict(of_new)));
        }
    }
    Ok(conflicts)
}

/// Returns the path of the scope's file in the checkout.
fn file(prefix: &str) -> String {
    format!("{prefix}default.nix")
}
