//! The edits of profiles that move the model to another release.

use super::folder::Folder;
use super::review_item::{Note, Risk};
use crate::backend::Backend;
use crate::changes::Dated;
use crate::error::Error;
use rocpkg_model::{Node, Sources, Spanned, Value};
use rocpkg_render::splice::{Edit, NewValue};
use rocpkg_resolve::{Model, Release};
use std::collections::BTreeSet;

/// The word in a distribution's file by which a package has the version of the distribution as a
/// whole: `rocblas: default`.
const DEFAULT: &str = "default";

/// A distribution that is to move to another release. `old` are its current packages, and `ids` the
/// ids of those that move.
pub(super) struct Mover {
    pub(super) backend: Backend,
    pub(super) old: Dated,
    pub(super) ids: BTreeSet<String>,
}

/// Returns a release as its release line (`releases/7.2.yaml`) spells it. A release that no line
/// lists is spelled by three numbers: `10.1` -> `10.1.0`.
pub(crate) fn spelt(model: &Model, version: &Release) -> Release {
    let listed = model
        .lines
        .get(&version.line())
        .into_iter()
        .flat_map(|line| line.versions.keys());
    let mut same = listed
        .filter_map(|text| text.parse().ok())
        .filter(|listed: &Release| listed == version);
    let plain = || version.whole().parse().unwrap_or_else(|_| version.clone());
    same.next().unwrap_or_else(plain)
}

/// Moves a distribution, or if `whole` is false some of its packages, to the release `version`, by
/// edits of `distros/NAME.yaml` in `folder`. `new` are the distribution's packages at that release.
/// `texts` are the profiles before the bump, `new_texts` those with the release added. Adds notes
/// to `notes` about pinned packages that moved too, and about packages without a source at the
/// release.
pub(crate) fn distro(
    folder: &mut Folder,
    mover: &Mover,
    (new, version): (&Dated, &Release),
    whole: bool,
    (texts, new_texts): (&Sources, &Sources),
    notes: &mut Vec<Note>,
) -> Result<(), Error> {
    let distro = &mover.old.plan.distro;
    let name = mover.backend.distro();
    let path = format!("distros/{name}.yaml");
    let node = folder.node(&path);
    let overlays = format!("distros/{name}/");
    let has_facts = folder
        .paths()
        .any(|p| p.starts_with(&overlays) || p.starts_with("components/"))
        || node
            .as_ref()
            .is_some_and(|node| node.get("habits").is_some());
    let mut pinned = Vec::new();
    let mut rows = Rows {
        node: node.as_ref(),
        version,
        place: path.clone(),
        edits: Vec::new(),
    };
    if whole {
        rows.edits
            .push(Edit::put(["version"], NewValue::Text(version.to_string())));
        rows.several(&["versions"], &distro.versions, &distro.version.value)?;
    }
    for (id, written) in &distro.packages {
        let written = &written.0;
        let Some(p) = mover.old.plan.get(id).filter(|p| mover.ids.contains(&p.id)) else {
            continue;
        };
        let before = p.version.release();
        let follows = matches!(&written[..], [one] if one.value == DEFAULT);
        if let Some(finding) = new.absent.get(id) {
            if follows {
                rows.put(id, &distro.version.value);
            }
            let said = format!(
                "`{id}` of {name} has no source at {version}: it stays at {before} until it is removed"
            );
            notes.push(Note {
                risk: Risk::Release,
                place: finding.span.map(|span| new_texts.place(span)),
                said,
            });
            continue;
        }
        match &written[..] {
            [one] if whole && !follows => {
                rows.put(id, DEFAULT);
                pinned.push((one.span, format!("{id} ({before})")));
            }
            [_] if whole => {}
            [_] if distro.version.value == version.as_str() => rows.put(id, DEFAULT),
            [_] => rows.put(id, version.as_str()),
            several => rows.several(&["packages", id], several, &distro.version.value)?,
        }
    }
    if let Some((span, _)) = pinned.first() {
        let each: Vec<&str> = pinned.iter().map(|(_, said)| said.as_str()).collect();
        let said = format!(
            "pinned in {name} until now, and moved with the others: {}",
            each.join(", ")
        );
        notes.push(Note {
            risk: Risk::Release,
            place: Some(texts.place(*span)),
            said,
        });
    }
    let mut edits = rows.edits;
    if edits.is_empty() {
        return Ok(());
    }
    edits.extend(frozen(node.as_ref(), has_facts));
    folder.edit(&path, &edits)
}

/// The edits of the versions in a distribution's file.
struct Rows<'a> {
    /// The file before the edits. None if the folder does not have the file.
    node: Option<&'a Node>,
    version: &'a Release,
    place: String,
    edits: Vec<Edit>,
}

impl Rows<'_> {
    /// Adds an edit that sets the version of the package `id`, which has only one version.
    fn put(&mut self, id: &str, version: &str) {
        let there = self.node.and_then(|node| node.get("packages")?.get(id));
        let inner = there
            .filter(|n| matches!(n.value, Value::Map(_)))
            .map(|_| "version");
        let path = ["packages", id].into_iter().chain(inner);
        self.edits.push(Edit::put(path, version.into()));
    }

    /// Adds a version to the list `rows` of versions that are kept side by side; `path` are the
    /// keys of the list in the file. The added version is the new release, or `shipped`, the
    /// distribution's version before the bump, if the list contains `default`: that entry means the
    /// new release from now on. Changes nothing if the list contains the version already.
    fn several(
        &mut self,
        path: &[&str],
        rows: &[Spanned<String>],
        shipped: &str,
    ) -> Result<(), Error> {
        let has = |version: &Release| {
            rows.iter()
                .any(|row| row.value.parse().ok().as_ref() == Some(version))
        };
        let by_default = rows.iter().any(|row| row.value == DEFAULT);
        let new = if by_default {
            shipped
        } else {
            self.version.as_str()
        };
        if rows.is_empty() || new.parse().is_ok_and(|new| has(&new)) {
            return Ok(());
        }
        let mut there = self.node;
        for key in path {
            there = there.and_then(|node| node.get(key));
        }
        if there.is_none() {
            let said = format!(
                "`{}` lists several versions in a lower layer: state them here",
                path.join(".")
            );
            return Err(Error::profile(self.place.clone(), said));
        }
        let path = path.iter().map(|key| (*key).to_owned()).collect();
        self.edits.push(Edit::Push {
            path,
            text: new.to_owned(),
        });
        Ok(())
    }
}

/// Returns edits that add `checked-at` and `packages-checked-at` to a distribution's file: the
/// release at which the facts of the folder were checked. They are needed because an edit of the
/// version would lose that release: `version: 7.2.0` -> `version: 7.2.4` with `checked-at: 7.2.0`.
/// Empty if the file has these keys. `node` is the file before the edits; `has_facts` is true if
/// the folder has other facts.
fn frozen(node: Option<&Node>, has_facts: bool) -> Vec<Edit> {
    let get = |key: &str| node.and_then(|node| node.get(key));
    if get("checked-at").is_some()
        || get("packages-checked-at").is_some_and(|n| !n.entries().is_empty())
    {
        return Vec::new();
    }
    let pins = node
        .into_iter()
        .flat_map(|node| node.entries_of("packages"))
        .filter_map(|(id, row)| {
            let one = match &row.value {
                Value::Seq(rows) if rows.len() == 1 => rows.first()?,
                _ => row,
            };
            let text = one.get("version").unwrap_or(one).text()?;
            text.parse::<Release>()
                .ok()
                .map(|_| (id.name.to_string(), NewValue::from(text)))
        });
    let pins: Vec<(String, NewValue)> = pins.collect();
    let put = |key: &str, value, after: &str| {
        let (path, after) = (vec![key.to_owned()], Some(after.to_owned()));
        Edit::Put { path, value, after }
    };
    let checked_at = match get("version").and_then(Node::text) {
        Some(version) => Some(NewValue::from(version)),
        None => (has_facts && pins.is_empty()).then_some(NewValue::Nothing),
    };
    let mut edits: Vec<Edit> = checked_at
        .map(|release| put("checked-at", release, "version"))
        .into_iter()
        .collect();
    if !pins.is_empty() {
        edits.push(put(
            "packages-checked-at",
            NewValue::Map(pins),
            "checked-at",
        ));
    }
    edits
}
