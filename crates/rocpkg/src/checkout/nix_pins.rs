//! Places in a checkout of Nix files, outside of the recipes, that set a release of the stack: a
//! derivation in a set, `overrideAttrs` of an overlay, a table of sources, the input of a flake.
//! The entry of a table is edited if a recipe takes its version from there; see `nix_tables.rs`.
//! All other places are todos of a bump to another release.

use super::fetched::tags;
use super::folder_kind::Checkout;
use super::nix_files::{IN_FOLDER, NixFiles};
use super::nix_pin::{Pin, PinKind};
use super::nix_tables::{VERSION, is_read};
use super::surroundings::folder;
use super::todo::{Todo, TodoPlace};
use crate::error::Error;
use crate::names::is_named;
use crate::stack::Stack;
use rocpkg_model::{Findings, Node, Value, parse};
use rocpkg_nix::internal::{Literal, Within, attribute, expression_path, literals, one_derivation};
use rocpkg_resolve::{Choice, Planned, Release};
use rocpkg_syntax::place;
use std::collections::BTreeSet;
use std::path::Path;

struct PinNames<'a> {
    stack: &'a Stack,
    tags: Vec<(String, Release)>,
    packages: &'a [Planned],
}

impl PinNames<'_> {
    /// Returns the release that a string states as a version, or whose tag it contains.
    fn release(&self, literal: &Literal) -> Option<Release> {
        let text = &literal.text;
        let is_version = |name: &String| {
            let name = name.to_lowercase();
            name.ends_with(VERSION) || name.ends_with("versions")
        };
        if literal.names.iter().any(is_version)
            && let Some(release) = self.stack.release_of(Some(text))
        {
            return Some(release);
        }
        if literal.names.iter().any(|name| name == "meta") {
            return None;
        }
        let is_of_name = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        let mut words = text.split(|c| !is_of_name(c));
        words.find_map(|word| {
            let found = self.tags.iter().find(|(tag, _)| tag == word)?;
            Some(found.1.clone())
        })
    }

    fn package(&self, name: &str) -> Option<&Planned> {
        let own = |p: &&Planned| attribute(p) == name || p.name == name;
        self.packages.iter().find(own)
    }

    /// Returns the pin at a string of the file `path` with the text `text` and the strings `all`.
    fn pin(&self, path: &str, text: &str, literal: &Literal, all: &[Literal]) -> Option<Pin> {
        let release = self.release(literal)?;
        let is_version = literal.text == release.to_string();
        let by_names = || {
            literal
                .names
                .iter()
                .rev()
                .find_map(|name| self.package(name))
        };
        let of = |name: &str| {
            let named = || self.packages.iter().find(|p| is_named(p, name));
            self.package(name).or_else(by_names).or_else(named)
        };
        let (kind, package) = match &literal.within {
            Within::Derivation(name) => (PinKind::Derivation, of(name)),
            Within::Override(name) => (PinKind::Override, of(name)),
            Within::Set => (PinKind::Source, by_names()),
        };
        // Other derivations have versions of their own.
        let is_other = package.is_none() && literal.within != Within::Set;
        // A helper function may change any package.
        let own = match &literal.within {
            Within::Override(name) => name.clone(),
            _ => String::new(),
        };
        let is_of_stack = text
            .to_lowercase()
            .contains(&self.stack.model().stack().to_lowercase());
        if is_other && is_version && (own.is_empty() || !is_of_stack) {
            return None;
        }
        let set = |literal: &Literal| literal.names.split_last().map(|(_, set)| set.to_vec());
        let beside = all.iter().filter(|other| other.at != literal.at);
        let beside = beside.filter(|other| set(other) == set(literal));
        let (line, column) = place(text, literal.at);
        Some(Pin {
            beside: [literal].into_iter().chain(beside).cloned().collect(),
            kind: match (package, kind) {
                (None, PinKind::Derivation | PinKind::Source) => PinKind::Release,
                (_, kind) => kind,
            },
            name: package.map_or(own, |p| p.name.clone()),
            package: package.map(|p| p.id.clone()),
            release,
            path: path.to_owned(),
            place: TodoPlace { line, column },
        })
    }
}

impl Stack {
    /// Returns the places in a checkout of Nix files, outside of the recipes, that set a release of
    /// the stack, as todos that don't block. Returns none for other checkouts. `out` is the folder
    /// of the checkout.
    ///
    /// # Errors
    /// When the packages can't be planned.
    #[doc(hidden)]
    pub fn pinned_elsewhere(&self, out: &Path, checkout: &Checkout) -> Result<Vec<Todo>, Error> {
        let pins = pins(self, out, checkout)?;
        let todo = |pin: &Pin| Todo {
            blocks: false,
            ..pin.todo()
        };
        Ok(pins.iter().map(todo).collect())
    }
}

/// Returns the places in a checkout of Nix files, outside of the recipes, that set a release of the
/// stack. Returns none for other checkouts.
///
/// # Errors
/// When the packages can't be planned.
pub(super) fn pins(stack: &Stack, out: &Path, checkout: &Checkout) -> Result<Vec<Pin>, Error> {
    let backend = checkout.backend();
    if !backend.needs_all() {
        return Ok(Vec::new());
    }
    let plan = stack.plan(backend, &Choice::Shipped)?;
    let packages = &plan.packages;
    let places = packages
        .iter()
        .map(|p| checkout.nix.place(&expression_path(p)));
    let recipes: BTreeSet<String> = places.filter(|path| out.join(path).is_file()).collect();
    let in_folders = recipes.iter().filter(|path| {
        let file = path.rsplit('/').next().unwrap_or_default();
        path.contains('/') && IN_FOLDER.contains(&file)
    });
    let folders: BTreeSet<&str> = in_folders.map(|path| folder(path)).collect();
    let names = PinNames {
        stack,
        tags: tags(stack).collect(),
        packages,
    };
    let files = NixFiles::read(stack, out, &checkout.nix.searched, packages).0;
    let stack_name = stack.model().stack().to_lowercase();
    let mut all: Vec<Pin> = Vec::new();
    for (path, text) in &files {
        if recipes.contains(path) {
            continue;
        }
        if let Some(id) = checkout.nix.further.get(path) {
            let stated = one_derivation(text).and_then(|mut own| own.remove("version"));
            if let Some(release) = stack.release_of(stated.as_deref()) {
                let name = plan.get(id).map(|p| p.name.clone()).unwrap_or_default();
                all.push(Pin {
                    kind: PinKind::Further,
                    package: Some(id.clone()),
                    name,
                    release,
                    path: path.clone(),
                    place: TodoPlace { line: 1, column: 1 },
                    beside: Vec::new(),
                });
            }
            continue;
        }
        let found = if backend.is_recipe(path) {
            literals(text)
        } else {
            of_json(text)
        };
        // The files beside a recipe may be parts of it.
        let is_part =
            |literal: &Literal| literal.within != Within::Set && folders.contains(folder(path));
        // A version without a package may be that of anything else.
        let reads = |recipe: &String| files.get(recipe).is_some_and(|text| is_read(path, text));
        let is_of_package = |literal: &Literal| match &literal.within {
            Within::Derivation(name) => names.package(name).is_some(),
            _ => false,
        };
        let is_of_stack = recipes.iter().any(reads) || found.iter().any(is_of_package);
        let is_certain = |pin: &Pin, literal: &Literal| {
            let mut own = literal.names.iter().map(|name| name.to_lowercase());
            pin.kind != PinKind::Release
                || literal.text != pin.release.to_string()
                || is_of_stack
                || own.any(|name| name.contains(&stack_name))
        };
        for literal in found.iter().filter(|literal| !is_part(literal)) {
            let pin = names.pin(path, text, literal, &found);
            let pin = pin.filter(|pin| is_certain(pin, literal));
            // The version and the tag of one source are one place.
            let is_known = |pin: &Pin| {
                all.iter().any(|known| {
                    let of = |pin: &Pin| (pin.kind, pin.package.clone(), pin.path.clone());
                    pin.package.is_some() && of(known) == of(pin) && known.release == pin.release
                })
            };
            all.extend(pin.filter(|pin| !is_known(pin)));
        }
    }
    Ok(all)
}

/// Returns the strings of a JSON file. Returns none for a file that can't be read.
fn of_json(text: &str) -> Vec<Literal> {
    let mut all = Vec::new();
    if let Some(root) = parse(0, text, &mut Findings::default()) {
        add_strings(&root, &mut Vec::new(), &mut all);
    }
    all
}

fn add_strings(node: &Node, names: &mut Vec<String>, all: &mut Vec<Literal>) {
    match &node.value {
        Value::Null => {}
        Value::Scalar { text, .. } => all.push(Literal {
            text: text.to_string(),
            names: names.clone(),
            within: Within::Set,
            at: usize::try_from(node.span.start).unwrap_or_default(),
        }),
        Value::Seq(items) => items.iter().for_each(|item| add_strings(item, names, all)),
        Value::Map(entries) => {
            for (key, value) in entries {
                names.push(key.name.to_string());
                add_strings(value, names, all);
                names.pop();
            }
        }
    }
}
