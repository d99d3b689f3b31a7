//! An existing recipe of a checkout, the changes that are applied to it, and the conflicts: the
//! changes that can't be applied.

use super::line_ends::{is_crlf, with_crlf, with_lf};
use super::nix_pin::{Pin, PinKind};
use super::surroundings::{Beside, CheckoutFiles, VersionChange};
use super::todo::{Todo, TodoKind, UnmadeChange};
use super::unmade::ThreeValues;
use crate::backend::Backend;
use crate::error::Error;
use crate::sums::is_stand_in;
use rocpkg_edit::{Checks, merge3};
use rocpkg_syntax::{
    Body, Evaluated, ItemKind, List, Node, Outline, Surroundings, Values, fetched,
};
use std::collections::BTreeSet;
use std::path::Path;

/// The only key of a comment that an edit removes together with the item below it.
const COMMENT: &str = "comment";

/// The code of the finding that a recipe states a stand-in, such as zeros, for an unknown checksum.
pub(super) const UNKNOWN_SUM: &str = "E0845";

/// A change that was not made to a recipe, or another todo of a recipe. Most are changes of the
/// model to an item whose text in the recipe is neither the model's old text nor its new one. The
/// others have a [`Conflict::reason`]: the changed recipe would contradict itself, or it states a
/// fact of another release.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Conflict {
    pub(super) kind: TodoKind,
    pub(super) package: String,
    /// The path of the recipe or of another file, relative to the checkout.
    pub(super) path: String,
    /// The line of the item, from 1. If the file lacks the item, the line of the item that would
    /// contain it.
    pub(super) line: usize,
    /// The column, from 1.
    pub(super) column: usize,
    pub(super) item: Vec<String>,
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    pub(super) existing: Option<String>,
    pub(super) reason: Option<String>,
}

impl Conflict {
    /// Returns the conflict for the recipe at `path`, which can't be read because of `error`.
    /// `package` is the package's id.
    pub(super) fn unreadable(package: &str, path: &str, error: &Error) -> Self {
        let place = (path, (1, 1));
        Self::about(TodoKind::Untouched, package, place, error.to_string())
    }

    /// Returns the conflict about a place in a file, which may be another one than the recipe of
    /// `package`: a path, a line and a column.
    pub(super) fn about(
        kind: TodoKind,
        package: &str,
        (path, (line, column)): (&str, (usize, usize)),
        reason: String,
    ) -> Self {
        Self {
            kind,
            package: package.to_owned(),
            path: path.to_owned(),
            line,
            column,
            item: Vec::new(),
            before: None,
            after: None,
            existing: None,
            reason: Some(reason),
        }
    }

    /// Returns the todo for the conflict. The text is a clause on one line.
    pub(super) fn todo(self) -> Todo {
        let Self {
            kind,
            path,
            line,
            column,
            item,
            before,
            after,
            existing,
            reason,
            ..
        } = self;
        let name = item.join(" ");
        let quoted =
            |text: &Option<String>| text.as_deref().map(|text| format!("`{}`", short(text)));
        let text = match (kind, &reason) {
            (TodoKind::Removed, _) => format!(
                "the comment {} was removed with the item below it",
                quoted(&existing).unwrap_or_default()
            ),
            (TodoKind::Untouched | TodoKind::Newer, Some(reason)) => reason.clone(),
            (_, Some(reason)) if name.is_empty() => reason.clone(),
            (_, Some(reason)) => format!("{name}: {reason}"),
            (_, None) => {
                let change = match (quoted(&before), quoted(&after)) {
                    (Some(old), Some(new)) => format!("the model changes {old} to {new}"),
                    (Some(old), None) => format!("the model removes {old}"),
                    (None, Some(new)) => format!("the model adds {new}"),
                    (None, None) => "the model changes it".to_owned(),
                };
                let own = quoted(&existing).map(|own| format!(", the recipe has {own}"));
                format!("{name}: {change}{}", own.unwrap_or_default())
            }
        };
        let is_change = kind == TodoKind::Conflict || before.is_some() || after.is_some();
        let change = UnmadeChange {
            item,
            before,
            after,
            existing,
            reason,
        };
        Todo {
            change: is_change.then_some(change),
            ..Todo::new(path, kind, text).at(line, column)
        }
    }
}

/// Returns a text on one line. A text of more than 60 characters is cut.
fn short(text: &str) -> String {
    const MOST: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}

/// Adds the conflict `new` to `all`. If `all` contains a conflict about the same item that has no
/// reason, that conflict gets the reason of `new`, and nothing is added.
pub(super) fn add(all: &mut Vec<Conflict>, new: Conflict) {
    let is_same = |conflict: &&mut Conflict| {
        (&conflict.path, conflict.line, &conflict.item) == (&new.path, new.line, &new.item)
            && conflict.reason.is_none()
    };
    match all.iter_mut().find(is_same) {
        Some(conflict) => conflict.reason = new.reason,
        None => all.push(new),
    }
}

/// A recipe in the folder that is written to. The differences between two renderings are applied to
/// it. In Gentoo, it is the ebuild of the same version or of the newest older one, and the new
/// ebuild becomes a copy of it.
pub(super) struct ExistingRecipe {
    /// The path of the new recipe, relative to the checkout.
    pub(super) path: String,
    /// The path of the existing recipe, relative to the checkout. It differs from `path` only for
    /// an ebuild of another version or revision.
    pub(super) place: String,
    pub(super) backend: Backend,
    pub(super) id: String,
    pub(super) outline: Outline,
    /// The version that the existing recipe states. None if it states none.
    pub(super) version: Option<String>,
    /// The place outside of the recipe from which it takes its version.
    pub(super) pin: Option<Pin>,
    /// Set if every line of the existing file ends with CR and LF. The outline's text has LF only.
    pub(super) is_crlf: bool,
}

/// The most items of a list in a recipe that is edited. The items of the recipe are compared with
/// those of the model, one by one. The longest lists of real recipes, the crates of a Rust program,
/// have about a thousand.
const MOST_ITEMS: usize = 10_000;

/// Returns the first list with more than `most` items: its offset, its name and its length.
fn longer_list(body: &Body, most: usize) -> Option<(usize, &str, usize)> {
    body.nodes.iter().find_map(|node| {
        let own = node.body.as_ref()?;
        let items = own.nodes.len();
        let here = (node.at.start, node.key.open.as_str(), items);
        Some(here)
            .filter(|_| items > most)
            .or_else(|| longer_list(own, most))
    })
}

/// The paths of a recipe, relative to the checkout: see [`ExistingRecipe::path`] and
/// [`ExistingRecipe::place`].
#[derive(Clone, Copy)]
pub(super) struct RecipePaths<'a> {
    pub(super) path: &'a str,
    pub(super) place: &'a str,
}

impl ExistingRecipe {
    /// Reads the existing recipe of the package `id` in the checkout `out`. `paths` are relative to
    /// the checkout.
    ///
    /// # Errors
    /// When the file is not UTF-8, or a line of it can't be parsed; when an ebuild states no EAPI,
    /// such as an empty file; when a list has more than [`MOST_ITEMS`] items.
    pub(super) fn load(
        out: &Path,
        paths: RecipePaths,
        backend: Backend,
        id: &str,
    ) -> Result<Self, Error> {
        let place = paths.place;
        let text = rocpkg_render::read_text(&out.join(place))?.unwrap_or_default();
        let is_crlf = is_crlf(&text);
        let text = if is_crlf { with_lf(&text) } else { text };
        let outline = Self::read(backend, place, &text)?;
        let required = backend.implementation().required();
        if let Some(item) = required.filter(|item| outline.get(&[item]).is_none()) {
            let said = format!("{place}:1: no {item}, so the recipe can't be edited");
            return Err(Error::Recipe(said));
        }
        if let Some((at, name, items)) = longer_list(&outline.root, MOST_ITEMS) {
            let (line, _) = outline.place(at);
            let said = format!(
                "{place}:{line}: `{name}` has {items} items, and lists of at most {MOST_ITEMS} are edited"
            );
            return Err(Error::Recipe(said));
        }
        let existing = Self::new(paths, backend, id, outline);
        Ok(Self {
            is_crlf,
            ..existing
        })
    }

    /// Returns `text` with the line ends of the existing file: LF, or CR and LF.
    pub(super) fn with_line_ends(&self, text: String) -> String {
        if self.is_crlf { with_crlf(&text) } else { text }
    }

    pub(super) fn new(paths: RecipePaths, backend: Backend, id: &str, outline: Outline) -> Self {
        let RecipePaths { path, place } = paths;
        let version = backend.stated(&outline, place);
        Self {
            path: path.to_owned(),
            place: place.to_owned(),
            backend,
            id: id.to_owned(),
            outline,
            version,
            pin: None,
            is_crlf: false,
        }
    }

    /// Parses `text`, a recipe. `place` is its path. In Gentoo, the version in the name of the file
    /// is used too.
    ///
    /// # Errors
    /// When a line can't be parsed.
    pub(super) fn read(backend: Backend, place: &str, text: &str) -> Result<Outline, Error> {
        backend.reading(place).read(text).map_err(|unreadable| {
            let before = &text[..unreadable.at.min(text.len())];
            let (line, reason) = (before.matches('\n').count() + 1, unreadable.reason);
            Error::Recipe(format!(
                "{place}:{line}: {reason}, so the recipe can't be edited"
            ))
        })
    }

    /// Returns the recipe with another text.
    ///
    /// # Errors
    /// When a line can't be parsed.
    pub(super) fn with_text(&self, text: &str) -> Result<Self, Error> {
        Ok(Self {
            path: self.path.clone(),
            place: self.place.clone(),
            backend: self.backend,
            id: self.id.clone(),
            outline: Self::read(self.backend, &self.place, text)?,
            version: self.version.clone(),
            pin: self.pin.clone(),
            is_crlf: self.is_crlf,
        })
    }

    /// Applies the differences between the rendering at the old release, `before`, and the
    /// rendering at the new release, `after`, to the recipe. Returns the new text, and a conflict
    /// for each difference that can't be applied. Counters such as `pkgrel` cause no conflicts.
    ///
    /// `versions` are the old version and the new one. If archives unpack differently in them, the
    /// steps and variables that depend on it are conflicts too.
    pub(super) fn merged(
        &self,
        before: &Outline,
        after: &Outline,
        files: CheckoutFiles,
        versions: VersionChange,
    ) -> (String, Vec<Conflict>) {
        let (was, is) = (files.of(&self.place), files.of(&self.path));
        let implementation = self.backend.implementation();
        let values = |text: &str| implementation.values(text, &is);
        let check = |text: &str| {
            let mut checked = self.backend.check(text, &is);
            // Unknown checksums are reported once, by the tree.
            checked
                .faults
                .retain(|fault| fault.finding.code != UNKNOWN_SUM);
            checked
        };
        let checks = Checks {
            before: &self.backend.check(&self.outline.text, &was),
            check: &check,
            old_values: &|text| implementation.values(text, &was),
            values: &values,
            commands: &|text| self.backend.commands(text, &self.path),
        };
        let carried = merge3(&self.outline, before, after, checks);
        let counters = implementation.counters();
        let is_counted = |path: &[String]| path.len() == 1 && counters.contains(&path[0].as_str());
        let conflicts = carried.conflicts.into_iter();
        let conflicts = conflicts.filter(|conflict| !is_counted(&conflict.path));
        // The checksums of the edited recipe are compared by the files that it fetches.
        let rules = self.outline.reading.rules;
        let is_sum = |list: &String| rules.list(list) == Some(List::Sums);
        let conflicts = conflicts.filter(|conflict| !conflict.path.first().is_some_and(is_sum));
        let mut conflicts: Vec<Conflict> =
            conflicts.map(|conflict| self.conflict(conflict)).collect();
        if self.stays(&carried.text, &conflicts) {
            return (carried.text, conflicts);
        }
        let otherwise = files.beside.unpacked_otherwise(&self.id, versions);
        let is_fetched = self.fetches_known(&values(&carried.text), &is);
        if !is_fetched {
            // The folders of other archives are no facts of the model.
            let is_folder = |name: &String| name != "HOMEPAGE" && rules.is_of_sources(name);
            conflicts.retain(|conflict| !conflict.item.first().is_some_and(is_folder));
        }
        if let Some(reason) = otherwise.filter(|_| is_fetched) {
            let known = conflicts.len();
            conflicts.extend(self.without_step(before, after, &reason));
            if conflicts.len() == known && self.outline.text != before.text {
                let conflict = self.unpacked_as_before(&carried.text, &reason);
                if let Some(conflict) = conflict {
                    add(&mut conflicts, conflict);
                }
            }
        }
        if self.outline.text != before.text {
            let values = ThreeValues {
                before: (checks.old_values)(&before.text),
                moved: values(&before.text),
                existing: self.values(&is),
                own: values(&carried.text),
                after: values(&after.text),
                is_of_model: is_fetched,
            };
            let unmade = values.unmade(self, &carried.text, &conflicts);
            conflicts.extend(unmade);
            if versions.from != versions.to {
                conflicts.extend(values.commits(self));
            }
        }
        (carried.text, conflicts)
    }

    /// Returns `text`, the edited recipe, without the checksums that belong to the old version.
    /// `after` is the rendering at the new version.
    pub(super) fn without_stale_sums(&self, text: String, after: &Outline) -> String {
        let implementation = self.backend.implementation();
        implementation.without_stale_sums(&self.outline, text, after)
    }

    /// Returns `rendered`, a rendering of the recipe, in the form of the existing recipe.
    pub(super) fn formed(&self, rendered: String) -> String {
        let implementation = self.backend.implementation();
        implementation.in_form_of(rendered, &self.outline.text)
    }

    /// Returns true if `text`, the new text, is that of the existing recipe because its version
    /// could not be changed: `conflicts` says why.
    pub(super) fn stays(&self, text: &str, conflicts: &[Conflict]) -> bool {
        let version = self.outline.reading.rules.version;
        let names = |key: &String| key == version;
        let is_version = |conflict: &Conflict| conflict.item.last().is_some_and(names);
        text == self.outline.text && conflicts.iter().any(is_version)
    }

    /// Returns the values of the variables of the existing recipe.
    pub(super) fn values(&self, beside: &Surroundings) -> Values {
        let implementation = self.backend.implementation();
        implementation.values(&self.outline.text, beside)
    }

    /// Returns false if a recipe with the values `values` certainly fetches no archive of which the
    /// model knows the folders. `is` are the files beside the recipe.
    pub(super) fn fetches_known(&self, values: &Values, is: &Surroundings) -> bool {
        let rules = self.outline.reading.rules;
        let is_list =
            |name: &str| matches!(rules.list(name), Some(List::Addresses | List::Sources));
        let mut lists = values.iter().filter(|(name, _)| is_list(name)).peekable();
        let known: BTreeSet<String> = is.archives.keys().map(|own| fetched(own)).collect();
        let is_known = |word: &String| known.contains(word);
        lists.peek().is_none()
            || lists.any(|(_, list)| list.open.is_some() || list.words.iter().any(is_known))
    }

    /// Returns a conflict if the archives of this recipe's version unpack differently from those of
    /// the version of `older`, and this recipe still unpacks them as `older` does. Otherwise
    /// returns None. `older` is an older ebuild in the same folder.
    pub(super) fn unpacks_as(&self, older: &Self, beside: &Beside) -> Option<Conflict> {
        let versions = VersionChange {
            from: older.version.as_deref(),
            to: self.version.as_deref(),
        };
        let reason = beside.unpacked_otherwise(&self.id, versions)?;
        let Conflict { item, existing, .. } =
            older.unpacked_as_before(&self.outline.text, &reason)?;
        let node = self.outline.get(&[&item[0]]);
        let at = node.map_or(0, |node| node.at.start);
        Some(Conflict {
            existing,
            ..self.fact(item, &self.outline, at, reason)
        })
    }

    /// Returns a conflict if `text`, the recipe at a newer version, has the same `src_unpack` and
    /// the same folder variables, such as `S`, as this recipe. Otherwise returns None. The caller
    /// has found that the archives unpack differently in the newer version, and `reason` says how.
    fn unpacked_as_before(&self, text: &str, reason: &str) -> Option<Conflict> {
        let new = Self::read(self.backend, &self.path, text).ok()?;
        let rules = new.reading.rules;
        let is_way = |node: &&Node| {
            let key = node.key.open.as_str();
            key == "src_unpack()" || key != "HOMEPAGE" && rules.is_of_sources(key)
        };
        let ways: Vec<&Node> = self.outline.root.nodes.iter().filter(is_way).collect();
        let is_same = |way: &&Node| {
            let text = |outline: &Outline, node: &Node| outline.text[node.at.clone()].to_owned();
            let found = new.root.find(&way.key);
            found.is_some_and(|found| text(&new, found) == text(&self.outline, way))
        };
        let way = ways
            .iter()
            .find(|way| way.body.is_some())
            .or(ways.first())?;
        ways.iter().all(is_same).then(|| Conflict {
            existing: Some(self.outline.text[way.at.clone()].to_owned()),
            ..self.fact(
                vec![way.key.open.clone()],
                &self.outline,
                way.at.start,
                reason.to_owned(),
            )
        })
    }

    /// Returns a conflict for each function, such as `src_unpack`, that is in `before` and neither
    /// in `after` nor in this recipe. `before` and `after` are the renderings at the old and the
    /// new release. The model drops the function because archives unpack differently, and `reason`
    /// says how. This recipe handled the archives without the function, which may be wrong now.
    pub(super) fn without_step<'a>(
        &'a self,
        before: &'a Outline,
        after: &'a Outline,
        reason: &'a str,
    ) -> impl Iterator<Item = Conflict> + 'a {
        let steps = before.root.nodes.iter().filter(|node| {
            let is_function = node
                .body
                .as_ref()
                .is_some_and(|body| body.kind == ItemKind::Steps);
            let is_in = |recipe: &Outline| recipe.root.find(&node.key).is_some();
            is_function && !is_in(after) && !is_in(&self.outline)
        });
        let folder = self.outline.get(&["S"]);
        steps.map(move |step| {
            self.conflict(rocpkg_edit::ItemConflict {
                path: vec![step.key.open.clone()],
                at: folder.map_or(0, |node| node.at.start),
                existing: folder.map(|node| self.outline.text[node.at.clone()].to_owned()),
                before: Some(before.text[step.at.clone()].to_owned()),
                reason: Some(reason.to_owned()),
                ..rocpkg_edit::ItemConflict::default()
            })
        })
    }

    pub(super) fn conflict(&self, conflict: rocpkg_edit::ItemConflict) -> Conflict {
        let (line, column) = self.outline.place(conflict.at);
        let known = |text: String| {
            if is_stand_in(&text) {
                "a checksum that the model does not know".to_owned()
            } else {
                text
            }
        };
        let rocpkg_edit::ItemConflict {
            path: item,
            before,
            after,
            existing,
            reason,
            ..
        } = conflict;
        let is_comment = item == [COMMENT];
        Conflict {
            kind: if is_comment {
                TodoKind::Removed
            } else {
                TodoKind::Conflict
            },
            package: self.id.clone(),
            path: self.place.clone(),
            line,
            column,
            item,
            before: before.map(known),
            after: after.map(known),
            existing,
            reason,
        }
    }

    /// Returns the conflict about a fact that contradicts the recipe or belongs to another release,
    /// as `reason` says. `item` has the keys of the fact, and `at` is its first byte in the text of
    /// `new`.
    pub(super) fn fact(
        &self,
        item: Vec<String>,
        new: &Outline,
        at: usize,
        reason: String,
    ) -> Conflict {
        let (line, column) = new.place(at);
        Conflict {
            kind: TodoKind::Leftover,
            line,
            column,
            ..self.conflict(rocpkg_edit::ItemConflict {
                path: item,
                reason: Some(reason),
                ..rocpkg_edit::ItemConflict::default()
            })
        }
    }

    /// Returns the conflict for a recipe that is left as it is, because of `reason`.
    pub(super) fn untouched(&self, reason: String) -> Conflict {
        let at = self.outline.version_item().map_or(0, |node| node.at.start);
        Conflict {
            kind: TodoKind::Untouched,
            ..self.fact(Vec::new(), &self.outline, at, reason)
        }
    }

    /// Returns the conflict for a recipe that states a `version` which the model does not have, or
    /// no version. `pins` are the places outside of recipes that set a release.
    pub(super) fn unknown(&self, version: Option<&str>, pins: &[Pin]) -> Conflict {
        let name = self.outline.reading.rules.version;
        let is_version = |(own, _): &(&String, &Evaluated)| own.rsplit('.').next() == Some(name);
        let values = self.values(&Surroundings::default());
        let open = values.iter().find(is_version);
        let is_own =
            |pin: &&Pin| pin.kind == PinKind::Source && pin.package.as_ref() == Some(&self.id);
        let own = pins.iter().find(is_own).filter(|_| version.is_none());
        if let Some(pin) = own {
            let (place, release) = (pin.place(), &pin.release);
            let reason = format!("its release may be that of {place}: use --from {release} then");
            return self.untouched(reason);
        }
        let stated = match (version, open.and_then(|(_, value)| value.open.as_ref())) {
            (Some(version), _) => {
                format!("it states release {version}, which the model does not know")
            }
            (None, Some(reason)) => format!("its release is open, since {reason}"),
            (None, None) => "it states no release".to_owned(),
        };
        self.untouched(format!("{stated}: name a release of the model with --from"))
    }

    /// Returns the conflict for a `counter`, such as `pkgrel`, that can't be increased, since its
    /// value is no number.
    pub(super) fn uncounted(&self, counter: &str) -> Conflict {
        let found = self.outline.get(&[counter]);
        let text = |node: &Node| self.outline.text[node.at.clone()].to_owned();
        self.conflict(rocpkg_edit::ItemConflict {
            path: vec![counter.to_owned()],
            at: found.map(|node| node.at.start).unwrap_or_default(),
            existing: found.map(text),
            ..rocpkg_edit::ItemConflict::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::longer_list;
    use crate::backend::Backend;

    #[test]
    fn a_list_with_too_many_items_is_found() {
        let text = "{ lib }:\n{\n  meta.license = with lib.licenses; [\n    mit\n    bsd3\n    ncsa\n  ];\n}\n";
        let outline = Backend::Nix.reading("default.nix").read(text).unwrap();
        let found = |most| longer_list(&outline.root, most).map(|(_, name, items)| (name, items));
        assert_eq!(found(3), None);
        assert_eq!(found(2), Some(("license", 3)));
    }
}
