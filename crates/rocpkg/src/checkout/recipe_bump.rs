//! Editing the existing recipes of a checkout. The model is rendered at the release that a recipe
//! states and at the release that was requested. The differences between the two renderings are
//! applied to the recipe. [`edit`] is the entry; see `existing_recipe.rs` for a single recipe, and
//! `renderings.rs` for the old rendering.

use super::committed::committed;
use super::compilers::Bumped;
use super::earlier_bump::{Earlier, Older};
use super::ebuilds::predecessor;
use super::existing_recipe::{Conflict, ExistingRecipe, RecipePaths, UNKNOWN_SUM};
use super::fetched::fetched;
use super::folder_kind::Checkout;
use super::leftovers::leftovers;
use super::listed::LISTS;
use super::manifests;
use super::moved_lines::MovedLines;
use super::nix_pin::Pin;
use super::nix_pins;
use super::nix_tables::{self, TableEdit};
use super::older_sources::with_older_sources;
use super::options::Output;
use super::other_files::{beside, others, unchanged_beside, without_new_companions};
use super::own_files;
use super::ranges::ranges;
use super::renderings::Renderings;
use super::stale::stale;
use super::surroundings::{Beside, CheckoutFiles, VersionChange, folder};
use super::todo::TodoKind;
use super::unchecked::NotChecked;
use super::upstreamed::{self, RemovedPatch};
use crate::backend::Backend;
use crate::error::Error;
use crate::stack::Stack;
use crate::tree::Tree;
use rocpkg_render::WriteOptions;
use rocpkg_resolve::{Choice, Release};
use rocpkg_syntax::{Fault, Outline};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

#[derive(Debug, Default)]
pub(super) struct Edited {
    pub(super) conflicts: Vec<Conflict>,
    /// Questions that the checks of the recipes could not decide.
    pub(super) unchecked: Vec<NotChecked>,
    /// The recipes whose new text differs from the model's recipe, by path. The value is the text
    /// of the existing recipe before the edit.
    pub(super) by_hand: BTreeMap<String, String>,
    /// The model's texts of the recipes whose new text differs from them, by path.
    pub(super) rendered: BTreeMap<String, String>,
    /// The versions of the recipes, by path.
    pub(super) stated: BTreeMap<String, Stated>,
    /// The existing ebuilds that new ebuilds were made from, by the paths of the new ebuilds.
    pub(super) bases: BTreeMap<String, String>,
    /// The patches that were removed from edited recipes.
    pub(super) removed_patches: Vec<RemovedPatch>,
    /// The recipes that were of the requested release before, by path.
    pub(super) kept: BTreeMap<String, Kept>,
    /// The paths of recipes that are made from a file with CR and LF at the end of each line.
    pub(super) made_from_crlf: BTreeSet<String>,
    /// The recipes that get no new text: the path of the new recipe, and that of the existing one.
    pub(super) left: BTreeMap<String, String>,
    table_edits: BTreeSet<TableEdit>,
    /// The new texts of tables of sources, by path.
    pub(super) tables: BTreeMap<String, String>,
}

/// The versions that a recipe states before and after the run. Each is None if it states none.
#[derive(Debug, Default)]
pub(super) struct Stated {
    pub(super) before: Option<String>,
    pub(super) after: Option<String>,
    /// As in [`RecipeReport::is_behind`](super::RecipeReport::is_behind).
    pub(super) is_behind: bool,
}

/// A recipe that was of the requested release before the run.
#[derive(Debug, Default)]
pub(super) struct Kept {
    /// As in [`RecipeReport::differences`](super::RecipeReport::differences).
    pub(super) differences: usize,
    /// As in [`RecipeReport::since`](super::RecipeReport::since).
    pub(super) since: Option<String>,
    /// The version of [`Kept::since`].
    version: Option<String>,
    /// Set if the last commit has the recipe as it is.
    pub(super) is_committed: bool,
}

/// The inputs of the edits of all recipes.
struct Edits<'a> {
    stack: &'a Stack,
    output: &'a Output,
    beside: Beside<'a>,
    /// The bytes of the recipes in the last commit.
    committed: &'a BTreeMap<String, Vec<u8>>,
    /// Returns the recipe from which a recipe was made.
    older: &'a dyn Fn(&ExistingRecipe) -> Option<Older>,
    /// The places outside of recipes that set a release.
    pins: Vec<Pin>,
}

struct NewText {
    text: String,
    /// Set if the recipe was of the requested release before.
    is_same: bool,
}

/// Edits the existing recipes of a checkout, in the folder `out`. `tree` is the rendering at the
/// requested release, with paths relative to the checkout. The edited texts replace those of
/// `tree`.
///
/// # Errors
/// When a file can't be read, a recipe can't be rendered at the release that it states, or a recipe
/// would go back to an older release without [`Output::older`].
pub(super) fn edit(
    stack: &Stack,
    tree: &mut Tree,
    out: &Path,
    checkout: &Checkout,
    output: &Output,
    options: &mut WriteOptions,
) -> Result<Edited, Error> {
    let mut done = Edited::default();
    let pins = nix_pins::pins(stack, out, checkout)?;
    let (all, unreadable) = existing(tree, out);
    let with_pin = |t| nix_tables::with_pin(t, &pins);
    let mut all: Vec<ExistingRecipe> = all.into_iter().map(with_pin).collect();
    for (path, conflict) in unreadable {
        leave(tree, &path, options);
        done.left.insert(path, conflict.path.clone());
        done.conflicts.push(conflict);
    }
    for (t, reason) in newer(stack, tree, &mut all, output)? {
        leave(tree, &t.path, options);
        done.left.insert(t.path.clone(), t.place.clone());
        done.conflicts.push(Conflict {
            kind: TodoKind::Newer,
            ..t.untouched(reason)
        });
    }
    let asked = tree.asked.clone();
    let ids = tree.owners.values().map(|(_, id)| id.clone()).collect();
    let mut renderings = Renderings::new(stack, checkout, &asked, ids);
    let committed = committed(out, all.iter().map(|t| t.place.as_str()));
    let older = |t: &ExistingRecipe| {
        let text = committed.get(&t.place);
        let text = text.and_then(|bytes| std::str::from_utf8(bytes).ok());
        Older::of(stack, t, out, text)
    };
    let choices = choices(stack, tree, &all, &older);
    let edits = Edits {
        stack,
        output,
        beside: Beside::read(stack, out, checkout.backend(), &choices)?,
        committed: &committed,
        older: &older,
        pins,
    };
    let (mut texts, mut skipped) = (Vec::new(), Vec::new());
    for t in &all {
        if let Some(new) = edits.recipe(t, &all, tree, &mut renderings, &mut done)? {
            texts.push((t, new.text, new.is_same));
        } else {
            leave(tree, &t.path, options);
            done.left.insert(t.path.clone(), t.place.clone());
            skipped.push(t);
        }
    }
    let (moved, written) = place_texts(texts, &skipped, tree, options, &mut done)?;
    if checkout.backend().implementation().has_repository() {
        manifests::without_unfetched(tree, &done.rendered)?;
    }
    own_files::follow(tree, out, &done.rendered);
    options.removed = upstreamed::unused_files(out, checkout.backend(), &mut done.removed_patches);
    let files = edits.beside.with(tree);
    read_back(&mut done, &written, files);
    let since = |t: &ExistingRecipe| done.kept.get(&t.place)?.version.clone();
    let conflicts = others(tree, out, &mut renderings, &all, options, &since)?;
    done.conflicts.extend(conflicts);
    without_new_companions(tree, out, &all, options);
    under_own_names(tree, moved, &mut done)?;
    done.tables = nix_tables::edited(out, &done.table_edits)?;
    Ok(done)
}

/// Returns the releases whose archives the checks of recipes need: the requested one, and those of
/// the existing recipes and of the recipes from which they were made.
fn choices(
    stack: &Stack,
    tree: &Tree,
    all: &[ExistingRecipe],
    older: &dyn Fn(&ExistingRecipe) -> Option<Older>,
) -> Vec<Choice> {
    let versions = |t: &ExistingRecipe| [t.version.clone(), tree.version_of(t.backend, &t.id)];
    let mut versions: Vec<Option<String>> = all.iter().flat_map(versions).collect();
    let is_there = |t: &&ExistingRecipe| t.version == tree.version_of(t.backend, &t.id);
    let older = all.iter().filter(is_there).filter_map(older);
    versions.extend(older.map(|older| older.recipe.version));
    let releases = versions.iter();
    let releases = releases.filter_map(|version| stack.release_of(version.as_deref()));
    let mut choices = tree.asked.choices.clone();
    choices.extend(releases.map(Choice::Release));
    choices
}

impl Edited {
    /// Returns the versions of a recipe with the new text `text`. A table may set the version to
    /// the requested one, `version`. `is_same` is set if the recipe was of the requested release
    /// before.
    fn versions(
        &self,
        t: &ExistingRecipe,
        text: &str,
        version: Option<&str>,
        is_same: bool,
    ) -> Stated {
        let is_edited = |pin: &Pin| self.table_edits.iter().any(|edit| edit.path == pin.path);
        let is_set = |pin: &Pin| is_same || is_edited(pin);
        let is_set = t.pin.as_ref().is_some_and(is_set);
        let after = stated_in(t, text).or_else(|| version.filter(|_| is_set).map(str::to_owned));
        Stated {
            before: t.version.clone(),
            is_behind: differ(after.as_deref(), version),
            after,
        }
    }
}

impl Edits<'_> {
    /// Edits one recipe, and adds to `done` all that is left. `all` are the recipes of the
    /// checkout. Returns None for an ebuild of a release that the model does not have: the
    /// differences between that release and the new one are not known, so no ebuild is made.
    /// Returns None for a recipe that stays at its version, too.
    ///
    /// # Errors
    /// When the model's recipe can't be rendered at the release that the recipe states.
    fn recipe(
        &self,
        t: &ExistingRecipe,
        all: &[ExistingRecipe],
        tree: &Tree,
        renderings: &mut Renderings,
        done: &mut Edited,
    ) -> Result<Option<NewText>, Error> {
        let output = self.output;
        let rendered = tree.text(&t.path).unwrap_or_default().to_owned();
        let rendered = if output.whole {
            rendered
        } else {
            t.formed(rendered)
        };
        let after = ExistingRecipe::read(t.backend, tree.origin(&t.path), &rendered)?;
        let version = t
            .backend
            .stated(&after, &t.path)
            .or_else(|| tree.version_of(t.backend, &t.id));
        let from = beside(all, &t.id, &t.path).and_then(|t| t.version.clone());
        let is_same = from == version;
        let path = if is_same { &t.place } else { &t.path };
        let files = self.beside.with(tree);
        let mut text = t.outline.text.clone();
        let mut conflicts = Vec::new();
        // The recipe and the model's recipe before the edit, if their differences count.
        let mut was: Option<(Outline, Option<ExistingRecipe>)> = None;
        if output.whole {
            text.clone_from(&rendered);
        } else if !is_same || output.from.is_some() {
            let Some((before, place)) =
                renderings.before(t, from.as_deref(), output.from.as_ref())?
            else {
                done.conflicts.push(t.unknown(from.as_deref(), &self.pins));
                if t.path != t.place {
                    return Ok(None);
                }
                done.by_hand.insert(t.path.clone(), text.clone());
                return Ok(Some(NewText { text, is_same }));
            };
            let llvm = Bumped::of(t, tree, (&before, &rendered));
            let read = |place: &str, text: &str| {
                let llvm = llvm.as_ref().map(|llvm| llvm.unchanged(text));
                ExistingRecipe::read(t.backend, place, llvm.as_deref().unwrap_or(text))
            };
            let before = read(&place, &before)?;
            let beside = files.of(&t.place);
            let older = with_older_sources(self.stack, t, &before, renderings, &beside)?;
            let before = older.unwrap_or(before);
            let after = read(tree.origin(&t.path), &rendered)?;
            let versions = VersionChange {
                from: from.as_deref(),
                to: version.as_deref(),
            };
            let own = llvm.as_ref().map_or(t, |llvm| &llvm.recipe);
            let (merged, mut unmade) = own.merged(&before, &after, files, versions);
            if let Some(to) = version.as_deref().filter(|_| !is_same) {
                let edits = &mut done.table_edits;
                nix_tables::settle(t, &mut unmade, [&before, &after], to, edits);
            }
            if !is_same && own.stays(&merged, &unmade) {
                done.conflicts.extend(unmade);
                let stated = Stated {
                    before: t.version.clone(),
                    after: t.version.clone(),
                    is_behind: true,
                };
                done.stated.insert(t.place.clone(), stated);
                return Ok(None);
            }
            conflicts = unmade;
            // If the recipe is at the requested release already, its text stays, and only the
            // conflicts are reported.
            if !is_same {
                text = t.without_stale_sums(merged, &after);
                let is = files.of(&t.path);
                let (rest, comments) = upstreamed::without(t, text, output, &is, done);
                text = rest;
                conflicts.extend(comments);
                was = Some((before, None));
            }
        } else if text != rendered {
            let older = (self.older)(t);
            let earlier = Earlier::of(self.stack, t, older.as_ref(), renderings, &after, files)?;
            let conflicts = nix_tables::without_set(t, earlier.conflicts);
            done.conflicts.extend(conflicts);
            was = earlier
                .before
                .map(|before| (before, older.map(|older| older.recipe)));
            let kept = done.kept.entry(path.clone()).or_default();
            kept.differences = earlier.differences;
            (kept.since, kept.version) = (earlier.since, earlier.version);
        }
        let again = tree.is_rebuilt(t.backend, &t.id);
        let stated = stated_in(t, &text);
        let is_kept = is_same || !t.backend.keeps_several() && stated == t.version;
        let own = t.backend.implementation();
        let counted = own.counted(&text, (&t.outline.text, &rendered), is_kept, again);
        if again && is_same && counted == text {
            let first = own.counters().first();
            conflicts.extend(first.map(|counter| t.uncounted(counter)));
        }
        let text = counted;
        let lines = MovedLines::new(&t.outline.text, &text);
        done.conflicts.extend(lines.moved(conflicts, path));
        if !output.whole && text != rendered {
            let versions = self.beside.versions(&t.id, version.as_deref());
            let (before, older) = was.as_ref().map_or((None, None), |(before, older)| {
                (Some(before), older.as_ref())
            });
            let new = Made {
                from: older.unwrap_or(t),
                text: &text,
                path,
            };
            let new = new_facts(done, &new, before, &after, &versions);
            done.conflicts.extend(new);
        }
        if is_same {
            let kept = done.kept.entry(path.clone()).or_default();
            let committed = self.committed.get(&t.place);
            kept.is_committed = committed.is_some_and(|bytes| *bytes == text.as_bytes());
        }
        let stated = done.versions(t, &text, version.as_deref(), is_same);
        done.stated.insert(path.clone(), stated);
        if text != rendered {
            done.by_hand.insert(t.path.clone(), t.outline.text.clone());
            done.rendered.insert(t.path.clone(), rendered);
        }
        Ok(Some(NewText { text, is_same }))
    }
}

/// Removes from the tree the recipe at `path`, which stays as it is in the checkout, and the
/// package's other files in its folder, which describe the new recipe: `.SRCINFO`, Manifest,
/// patches. The other files stay in the tree if the folder has another recipe of the package there.
fn leave(tree: &mut Tree, path: &str, options: &mut WriteOptions) {
    let mut gone = vec![path.to_owned()];
    tree.files.remove(path);
    if let Some((_, id)) = tree.owners.get(path).cloned() {
        let inside = format!("{}/", folder(path));
        let inside = inside.trim_start_matches('/');
        let is_own = |path: &str, package: &str| package == id && path.starts_with(inside);
        let is_rendered = tree.recipes().any(|(other, _)| {
            let owner = tree.owners.get(other);
            owner.is_some_and(|(_, package)| is_own(other, package))
        });
        if !is_rendered {
            let all = tree.owners.iter();
            let own = all.filter(|(path, (_, package))| is_own(path, package));
            gone.extend(own.map(|(path, _)| path.clone()));
            tree.listings.retain(|l| !is_own(&l.path, &l.package));
            tree.companions.retain(|c| !is_own(&c.path, &c.package));
            tree.unknown_sums
                .retain(|(_, sum)| !is_own(&sum.path, &sum.package));
        }
    }
    for path in gone {
        tree.files.remove(&path);
        options.present.insert(path);
    }
}

/// Recipes that are renamed, each with its old and its new path.
type Renamed = Vec<(String, String)>;

/// Existing recipes, each with the path that its new text gets, relative to the checkout.
type Placed<'a> = Vec<(&'a ExistingRecipe, &'a String)>;

/// Puts the new texts of recipes into the tree. The `bool` beside a text is true if the recipe
/// keeps its version. `skipped` are recipes that get no new text.
///
/// Returns the recipes that keep the name of the existing file (`-r1`), and all recipes with their
/// paths in the checkout.
///
/// # Errors
/// When two files get the same path.
fn place_texts<'a>(
    texts: Vec<(&'a ExistingRecipe, String, bool)>,
    skipped: &[&ExistingRecipe],
    tree: &mut Tree,
    options: &mut WriteOptions,
    done: &mut Edited,
) -> Result<(Renamed, Placed<'a>), Error> {
    let folders = texts.iter().map(|(t, text, is_same)| {
        let is_changed = *text != t.outline.text || t.path != t.place && !is_same;
        (*t, is_changed)
    });
    let skipped = skipped.iter().map(|t| (*t, false));
    for path in unchanged_beside(folders.chain(skipped)) {
        if tree.files.remove(&path) {
            options.present.insert(path);
        }
    }
    let (mut moved, mut written) = (Vec::new(), Vec::new());
    for (t, text, is_same) in texts {
        written.push((t, if is_same { &t.place } else { &t.path }));
        tree.files.replace(t.path.as_str(), text)?;
        if t.is_crlf {
            done.made_from_crlf.insert(t.path.clone());
        }
        // An ebuild with a revision (`-r1`) counts as an ebuild of its version.
        if t.place != t.path && is_same {
            moved.push((t.path.clone(), t.place.clone()));
        } else if t.place != t.path {
            done.bases.insert(t.path.clone(), t.place.clone());
        }
    }
    Ok((moved, written))
}

/// Renames recipes in the tree to the names of the existing files: an ebuild of revision `-r1`
/// stays `-r1`. `moved` contains the path of each recipe in the tree and the path of the existing
/// file.
///
/// # Errors
/// When two files get the same path.
fn under_own_names(
    tree: &mut Tree,
    moved: Vec<(String, String)>,
    done: &mut Edited,
) -> Result<(), Error> {
    for (path, place) in moved {
        tree.rename(&path, &place)?;
        for texts in [&mut done.by_hand, &mut done.rendered] {
            if let Some(text) = texts.remove(&path) {
                texts.insert(place.clone(), text);
            }
        }
    }
    Ok(())
}

/// Returns the version that `text`, the new text of a recipe, states. Returns None if it states
/// none or can't be parsed.
fn stated_in(t: &ExistingRecipe, text: &str) -> Option<String> {
    let read = ExistingRecipe::read(t.backend, &t.path, text).ok()?;
    t.backend.stated(&read, &t.path)
}

/// A text of a recipe, and the recipe from which it was made.
struct Made<'a> {
    from: &'a ExistingRecipe,
    text: &'a str,
    /// The path that the text has on disk.
    path: &'a str,
}

/// Returns conflicts for facts in a new text that belong to another release. Conflicts that `done`
/// contains already are left out. `before` and `after` are the renderings at the old and the new
/// release; see [`stale`]. `versions` are those of all packages at the new release; see [`ranges`].
fn new_facts(
    done: &Edited,
    new: &Made,
    before: Option<&Outline>,
    after: &Outline,
    versions: &BTreeMap<String, String>,
) -> Vec<Conflict> {
    let Made { from, text, path } = *new;
    let version = from.outline.version_item();
    let is_version =
        |conflict: &Conflict| conflict.item.last() == version.map(|node| &node.key.open);
    let is_known = |conflict: &Conflict| {
        let mut of_recipe = done.conflicts.iter().filter(|l| l.path == conflict.path);
        of_recipe.any(|l| {
            l.item.first() == conflict.item.first() && l.line == conflict.line
                || is_version(l) && is_version(conflict)
        })
    };
    let mut all = stale(from, text, before, after);
    all.extend(ranges(from, text, after, versions));
    if let Some(before) = before {
        let known: BTreeSet<usize> = all.iter().map(|conflict| conflict.line).collect();
        let left = leftovers(from, text, [before, after]).into_iter();
        all.extend(left.filter(|conflict| !known.contains(&conflict.line)));
    }
    for conflict in &mut all {
        path.clone_into(&mut conflict.path);
    }
    all.retain(|conflict| !is_known(conflict));
    all
}

/// Checks the new texts of recipes. Adds to `done` the questions that the checks can't decide, and
/// a conflict for each contradiction that is not a conflict already. `recipes` contains each recipe
/// with its path in the checkout.
fn read_back(done: &mut Edited, recipes: &[(&ExistingRecipe, &String)], files: CheckoutFiles) {
    for (t, path) in recipes {
        let text = files.tree.text(&t.path).unwrap_or_default();
        let checked = t.backend.check(text, &files.of(path));
        done.unchecked.extend(t.not_checked(path, text, &checked));
        // The Manifest and `.SRCINFO` are checked later, when they are complete.
        let is_listed = |fault: &Fault| LISTS.iter().any(|(_, code)| *code == fault.finding.code);
        let is_known = |fault: &Fault| {
            let mut of_package = done
                .conflicts
                .iter()
                .filter(|conflict| conflict.package == t.id);
            of_package.any(|conflict| conflict.reason.as_ref() == Some(&fault.finding.message))
        };
        let all = checked.faults.iter().filter(|fault| !fault.is_harmless);
        let new: Vec<&Fault> = all
            .filter(|fault| !is_listed(fault) && !is_known(fault))
            .collect();
        if new.is_empty() || !done.by_hand.contains_key(&t.path) {
            continue;
        }
        let Ok(outline) = ExistingRecipe::read(t.backend, &t.path, text) else {
            continue;
        };
        let conflicts = new.into_iter().map(|fault| {
            let item = rocpkg_edit::item_of(Some(&outline), fault);
            let message = fault.finding.message.clone();
            let is_sum = fault.finding.code == UNKNOWN_SUM;
            Conflict {
                kind: if is_sum {
                    TodoKind::Sum
                } else {
                    TodoKind::Refused
                },
                path: (*path).clone(),
                ..t.fact(item, &outline, fault.at(), message)
            }
        });
        let conflicts: Vec<Conflict> = conflicts.collect();
        done.conflicts.extend(conflicts);
    }
}

/// Returns the recipes of a tree that exist in the folder `out`. For each, the result has the path
/// in the tree, the path of the existing file, the distribution and the package's id. In Gentoo,
/// the existing file may be an older ebuild.
pub(super) fn places<'a>(
    tree: &'a Tree,
    out: &'a Path,
) -> impl Iterator<Item = (&'a str, String, Backend, &'a str)> {
    tree.recipes().filter_map(move |(path, backend)| {
        let (_, id) = tree.owners.get(path)?;
        let place = if backend.keeps_several() {
            predecessor(out, path)
        } else {
            Some(path.to_owned())
        };
        let place = place.filter(|place| out.join(place).is_file())?;
        Some((path, place, backend, id.as_str()))
    })
}

/// Reads the recipes of a tree that exist in the folder `out`. The second value has a conflict for
/// each recipe that can't be read, with its path in the tree.
pub(super) fn existing(tree: &Tree, out: &Path) -> (Vec<ExistingRecipe>, Vec<(String, Conflict)>) {
    let (mut all, mut unreadable) = (Vec::new(), Vec::new());
    for (path, place, backend, id) in places(tree, out) {
        match ExistingRecipe::load(
            out,
            RecipePaths {
                path,
                place: &place,
            },
            backend,
            id,
        ) {
            Ok(existing) => all.push(existing),
            Err(error) => {
                let conflicts = Conflict::unreadable(id, &place, &error);
                unreadable.push((path.to_owned(), conflicts));
            }
        }
    }
    (all, unreadable)
}

/// Removes from `all` the recipes that are newer than the requested release, and returns them, each
/// with the reason why it is left.
///
/// # Errors
/// When a recipe would go back to an older release, unless an option such as [`Output::older`]
/// permits that, or [`Output::leaves_newer`] leaves the recipe.
fn newer(
    stack: &Stack,
    tree: &Tree,
    all: &mut Vec<ExistingRecipe>,
    output: &Output,
) -> Result<Vec<(ExistingRecipe, String)>, Error> {
    // With [`Output::from`], the recipes have versions of their own, which can't be compared with
    // releases.
    if output.older || output.whole || output.from.is_some() {
        return Ok(Vec::new());
    }
    let asked = |t: &ExistingRecipe| {
        let asked = tree.version_of(t.backend, &t.id)?;
        let requested = match tree.asked.choices.as_slice() {
            [Choice::Release(release)] => Some(release),
            _ => None,
        };
        // Upstream's versions of components don't compare with those of releases.
        let fetched = fetched(stack, t.backend, &t.outline);
        let order = match fetched.as_ref().zip(requested) {
            Some((fetched, requested)) => fetched.cmp(requested),
            None => compare(t.version.as_deref()?, &asked),
        };
        let is_newer = order == Ordering::Greater;
        (is_newer && t.path == t.place).then_some(asked)
    };
    let mut newer = Vec::new();
    let mut back = Vec::new();
    for t in std::mem::take(all) {
        match asked(&t) {
            None => all.push(t),
            Some(asked) => {
                let existing = t.version.clone().unwrap_or_default();
                back.push(format!(
                    "{}: the existing recipe has {existing}, but {asked} is older",
                    t.place
                ));
                newer.push((t, format!("it has {existing}, which is newer than {asked}")));
            }
        }
    }
    // If all recipes are newer, the request is wrong.
    if back.is_empty() || output.leaves_newer && !all.is_empty() {
        Ok(newer)
    } else {
        Err(Error::Older(back))
    }
}

/// Compares two versions by age. If one of them is not the number of a release, they compare as
/// equal.
fn compare(one: &str, other: &str) -> Ordering {
    let read = |text: &str| text.parse::<Release>().ok();
    read(one)
        .zip(read(other))
        .map_or(Ordering::Equal, |(one, other)| one.cmp(&other))
}

/// Returns true if both versions are known and are not the same release. `10.0` and `10.0.0` are
/// the same release.
fn differ(one: Option<&str>, other: Option<&str>) -> bool {
    let whole = |text: &str| {
        let read = text.parse::<Release>();
        read.map_or_else(|_| text.to_owned(), |release| release.whole())
    };
    let both = one.zip(other);
    both.is_some_and(|(one, other)| whole(one) != whole(other))
}
