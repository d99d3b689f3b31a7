//! What lies there has a say: recipes go on from it, and what hands changed is kept or brought together with what is rendered.

use super::git::Git;
use super::options::Output;
use super::srcinfo::{self, Untold};
use crate::backend::Backend;
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_render::{Manifest, WriteOptions, git_id, read_text};
use std::fmt::Display;
use std::fs;
use std::path::Path;

/// Recipes go on from those that lie in their places: what history decides of them (keywords and revision, pkgrel and epoch, the
/// number of Solus, sums that no table has) is not of the model. Of packages that are built again, it is one more.
///
/// # Errors
/// When a file can't be read. What can't be read would begin to count anew.
pub(super) fn go_on(tree: &mut Tree, out: &Path) -> Result<(), Error> {
    let recipes: Vec<(String, Backend)> = tree.recipes().map(|(p, b)| (p.to_owned(), b)).collect();
    for (path, backend) in recipes {
        if backend == Backend::Gentoo {
            ebuild(tree, out, &path)?;
            continue;
        }
        let Some(present) = read_text(&out.join(&path))? else { continue };
        let rendered = tree.text(&path).unwrap_or_default();
        let owner = tree.owners.get(&path).map(|(backend, id)| (*backend, id));
        let again = tree.rebuilt.iter().any(|(backend, again)| owner == Some((*backend, &again.id)));
        match backend {
            Backend::Solus => {
                tree.files.replace(path.as_str(), rocpkg_solus::continued(rendered, &present, again))?;
            }
            Backend::Arch => {
                let info = format!("{}{SRCINFO}", path.strip_suffix("PKGBUILD").unwrap_or_default());
                let said = |e: &dyn Display| Error::Asked(format!("{path}: {e}"));
                let text = tree.text(&info).unwrap_or_default();
                let (recipe, text) =
                    rocpkg_arch::continued(rendered, text, &present, again).map_err(|e| said(&e))?;
                tree.files.replace(path.as_str(), recipe)?;
                tree.files.replace(info, text)?;
            }
            Backend::Nix => tree.files.replace(path.as_str(), rocpkg_nix::sums_from(rendered, &present))?,
            Backend::Gentoo => {}
        }
    }
    Ok(())
}

/// The same of an ebuild, which goes on from the one of its version, or the newest before it.
fn ebuild(tree: &mut Tree, out: &Path, path: &str) -> Result<(), Error> {
    let Some((folder, file)) = path.rsplit_once('/') else { return Ok(()) };
    let package = folder.rsplit('/').next().unwrap_or_default();
    let files = fs::read_dir(out.join(folder)).into_iter().flatten().flatten();
    let files: Vec<String> = files.map(|f| f.file_name().to_string_lossy().into_owned()).collect();
    let Some(before) = rocpkg_gentoo::predecessor(package, file, &files) else { return Ok(()) };
    let Some(present) = read_text(&out.join(folder).join(&before.file))? else { return Ok(()) };
    let text = rocpkg_gentoo::continued(tree.text(path).unwrap_or_default(), &present, before.is_same);
    if before.is_same && before.file != file {
        tree.rename(path, &format!("{folder}/{}", before.file))?;
        tree.files.replace(format!("{folder}/{}", before.file), text)?;
    } else {
        tree.files.replace(path, text)?;
    }
    Ok(())
}

/// What hands changed, and what was made of it.
#[derive(Debug, Default)]
pub(super) struct Hands {
    /// Files that hold both changes of the same lines, between git's markers.
    pub(super) conflicts: Vec<String>,
    /// Files that stay as hands made them, as nothing of their rendering is new.
    pub(super) kept: Vec<String>,
    /// What was asked for and can't be done, and why.
    pub(super) refused: Vec<String>,
    /// What could not be done beside the files.
    pub(super) notes: Vec<String>,
    /// What was rendered of the files that hold more than that.
    pub(super) bases: Vec<String>,
}

/// What is looked at.
pub(super) struct Look<'a> {
    pub(super) out: &'a Path,
    pub(super) output: &'a Output,
    pub(super) ours: &'a Manifest,
    pub(super) git: Option<&'a Git>,
}

impl Look<'_> {
    /// Looks at each file that was changed since it was rendered: one of which nothing changed but what history decides is replaced;
    /// with `--merge` the hand's change and the new rendering come together; with `--adopt` a file that is committed becomes ours.
    ///
    /// # Errors
    /// When a file can't be read, or git or makepkg refuses.
    pub(super) fn at(&self, tree: &mut Tree, options: &mut WriteOptions) -> Result<Hands, Error> {
        let mut hands = Hands::default();
        let paths: Vec<String> = tree.files.iter().map(|(path, _)| path.as_str().to_owned()).collect();
        for path in paths.iter().filter(|path| !path.ends_with(SRCINFO)) {
            if options.merged.contains(path) || options.shared.contains(path) {
                continue;
            }
            let Some(present) = read_text(&self.out.join(path)).ok().flatten() else { continue };
            if present.lines().any(|line| line == MARKER) {
                let said = "a conflict of a merge stands in it, between git's markers; resolve it first";
                hands.refused.push(format!("{path}: {said}"));
                continue;
            }
            if tree.text(path) == Some(&present) && !self.output.adopt
                || self.ours.is_known(path, &git_id(present.as_bytes()))
            {
                continue;
            }
            if self.ours.has(path) {
                self.edited(path, &present, tree, options, &mut hands)?;
            } else if self.output.adopt {
                if self.git.is_some_and(|git| git.is_committed(path)) {
                    options.merged.insert(path.clone());
                } else {
                    let said = "not taken over, since it is not committed as it lies there";
                    hands.refused.push(format!("{path}: {said}"));
                }
            }
        }
        for path in paths.iter().filter(|path| path.ends_with(SRCINFO)) {
            self.follow(path, tree, options, &mut hands)?;
        }
        Ok(hands)
    }

    /// One of our files that somebody changed.
    fn edited(
        &self,
        path: &str,
        present: &str,
        tree: &mut Tree,
        options: &mut WriteOptions,
        hands: &mut Hands,
    ) -> Result<(), Error> {
        let base = self.git.and_then(|git| git.content(self.ours.id(path)?));
        let Some((git, base)) = self.git.zip(base.and_then(|b| String::from_utf8(b).ok())) else {
            if self.output.merge {
                let said = "what was rendered last is not in this clone's git, so nothing can be merged; a folder of profiles \
                            says the change for good, --keep leaves the file, --force replaces it";
                hands.refused.push(format!("{path}: {said}"));
            }
            return Ok(());
        };
        let rendered = tree.text(path).unwrap_or_default().to_owned();
        let backend = tree.owners.get(path).map(|(backend, _)| *backend);
        // What history decides is nobody's edit, and nothing new.
        let comparable = |text: &str| backend.map_or_else(|| text.to_owned(), |b| b.comparable(text, &base));
        let by_hand = comparable(present);
        if by_hand == base {
            options.merged.insert(path.to_owned());
            return Ok(());
        }
        let text = if comparable(&rendered) == base {
            let counted = backend.map_or_else(|| present.to_owned(), |b| b.recounted(present, &rendered));
            if counted == present || self.output.keep {
                tree.files.remove(path);
                options.present.insert(path.to_owned());
                hands.kept.push(path.to_owned());
                return Ok(());
            }
            counted.into_bytes()
        } else if self.output.merge {
            let merged = git.merge(by_hand.as_bytes(), base.as_bytes(), rendered.as_bytes())?;
            if merged.conflicts {
                hands.conflicts.push(path.to_owned());
            }
            merged.text
        } else {
            return Ok(());
        };
        options.bases.insert(path.to_owned(), git_id(rendered.as_bytes()));
        hands.bases.push(rendered);
        tree.files.replace(path, text)?;
        options.merged.insert(path.to_owned());
        Ok(())
    }

    /// `.SRCINFO` says what the PKGBUILD beside it will say: where that holds what hands changed, makepkg is asked.
    fn follow(
        &self,
        path: &str,
        tree: &mut Tree,
        options: &mut WriteOptions,
        hands: &mut Hands,
    ) -> Result<(), Error> {
        let recipe = format!("{}PKGBUILD", path.strip_suffix(SRCINFO).unwrap_or_default());
        let place = self.out.join(&recipe);
        let is_merged = options.bases.contains_key(&recipe);
        let present = || read_text(&place).ok().flatten();
        let stays = |text: &String| {
            let is_ours = self.ours.is_known(&recipe, &git_id(text.as_bytes()));
            tree.text(&recipe) != Some(text) && !is_ours && !options.merged.contains(&recipe)
        };
        let by_hand = if is_merged { tree.text(&recipe).map(str::to_owned) } else { present().filter(stays) };
        let Some(text) = by_hand else {
            // As rendered, whatever stands there now.
            if self.ours.has(path) || options.merged.contains(&recipe) {
                options.merged.insert(path.to_owned());
            }
            return Ok(());
        };
        // One that is refused stays as it is, and so does what was made from it.
        let is_left = hands.kept.contains(&recipe) || self.output.keep;
        if !is_merged && !is_left || hands.conflicts.contains(&recipe) {
            return Ok(());
        }
        let folder = place.parent().unwrap_or(self.out);
        let inside = path.strip_suffix(SRCINFO).unwrap_or_default();
        let beside =
            tree.files.iter().filter_map(|(path, bytes)| Some((path.as_str().strip_prefix(inside)?, bytes)));
        let beside = beside.filter(|(name, _)| !name.contains('/'));
        match srcinfo::from_makepkg(&text, folder, beside) {
            Ok(info) => {
                tree.files.replace(path, info)?;
                options.merged.insert(path.to_owned());
            }
            Err(why @ Untold::Refused(_)) if is_merged => hands.refused.push(format!("{recipe}: {why}")),
            Err(why) => {
                hands.notes.push(format!(
                    "{path}: stays as it is: {why}; `makepkg --printsrcinfo > .SRCINFO` renews it"
                ));
                tree.files.remove(path);
                options.present.insert(path.to_owned());
            }
        }
        Ok(())
    }
}

/// Where a conflict begins in a file that was merged.
const MARKER: &str = "<<<<<<< by hand";

/// The file that makepkg makes from a PKGBUILD.
const SRCINFO: &str = ".SRCINFO";
