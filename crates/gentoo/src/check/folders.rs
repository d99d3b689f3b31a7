//! E0808: `S` and other folders below `${WORKDIR}` that no archive has.

use super::patterns::{Patterns, behind};
use super::recipe::Recipe;
use super::sources::sources;
use rocpkg_syntax::glob;
use rocpkg_syntax::{Checked, Fault, Set, SetKind};
use std::collections::BTreeSet;
use std::ops::Range;

const SUBJECT: &str = "folders of archives";

/// File name endings of archives that `unpack` unpacks (PMS 12.3.15).
const ARCHIVES: &[&str] = &[
    ".tar",
    ".tar.gz",
    ".tgz",
    ".tar.Z",
    ".tar.bz2",
    ".tbz2",
    ".tbz",
    ".zip",
    ".ZIP",
    ".jar",
    ".7z",
    ".7Z",
    ".rar",
    ".RAR",
    ".LHa",
    ".LHA",
    ".lha",
    ".lzh",
    ".tar.lzma",
    ".tar.xz",
    ".txz",
    ".tar.zst",
    ".tar.lz",
    ".deb",
    ".crate",
    ".gem",
    ".rpm",
];

/// Eclasses whose `src_unpack` does not change the folders of archives.
const UNPACKERS: &[&str] = &["cargo", "go-module", "unpacker", "verify-sig"];

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let archives = &recipe.surroundings.archives;
    let (sources, is_all) = sources(recipe);
    let unpacked: Vec<_> = sources
        .iter()
        .filter(|source| ARCHIVES.iter().any(|ending| source.name.ends_with(ending)))
        .collect();
    if unpacked.is_empty() {
        return;
    }
    if let Some(reason) = reason(recipe, is_all) {
        return out.not_checked(unpacked[0].at.start, SUBJECT, reason);
    }
    let mut tops: BTreeSet<&str> = BTreeSet::new();
    let mut is_single = true;
    for source in &unpacked {
        let Some(found) = archives.get(&source.address) else {
            let reason = format!("the folders of `{}` are not known", source.name);
            return out.not_checked(source.at.start, SUBJECT, reason);
        };
        is_single &= found.len() == 1;
        tops.extend(found.iter().map(String::as_str));
    }
    let is_folder = |set: &&Set| set.name == "S" || set.name.ends_with("_S");
    let sets = recipe.script.sets.iter().filter(is_folder);
    let sets = sets.filter(|set| recipe.is_reached(set) && set.kind == SetKind::Assign);
    let mut has_s = recipe
        .eclasses
        .all()
        .any(|eclass| eclass.variables.contains("S"));
    has_s |= recipe.script.sets.iter().any(|set| set.name == "S");
    for set in sets {
        let Some(folder) = below_workdir(recipe, set) else {
            continue;
        };
        let (top, _) = folder.split_once('/').unwrap_or((&folder, ""));
        let name = &set.name;
        if top.is_empty() {
            if is_single && !tops.iter().any(|top| is_mentioned(recipe, top)) {
                let message = format!(
                    "`{name}` is the work folder, but each archive unpacks into a folder of its own"
                );
                let fault = Fault::new("E0808", set.value_at.clone(), message);
                out.faults.push(fault.label(listed(&tops)));
            }
            continue;
        }
        if !tops.iter().any(|known| glob::fits(top, known)) {
            let message = format!("`{name}` is below `{top}`, which no archive unpacks into");
            let fault = Fault::new("E0808", set.value_at.clone(), message);
            out.faults.push(fault.label(listed(&tops)));
        }
    }
    let default = recipe.given("P").filter(|_| !has_s);
    if let Some(top) = default.filter(|top| !tops.contains(top.as_str())) {
        let message = format!("`S` is not set, and no archive unpacks into `{top}`");
        let fault = Fault::new("E0808", unpacked[0].at.clone(), message);
        out.faults.push(fault.label(listed(&tops)));
    }
}

/// Returns the reason why the folders in `${WORKDIR}` are not known, or `None` if they are.
/// `is_all` is true if all sources of the ebuild are known.
fn reason(recipe: &Recipe, is_all: bool) -> Option<String> {
    if recipe.surroundings.archives.is_empty() {
        return Some("the folders of the archives are not known".to_owned());
    }
    if !is_all {
        return Some("sources are named by a variable".to_owned());
    }
    if recipe.script.defines("src_unpack") {
        return Some("the ebuild unpacks archives itself".to_owned());
    }
    let unpacks = |(name, at): &&(String, Range<usize>)| {
        let all = recipe.eclasses.with_inherited(name);
        let mut all = all.unwrap_or_default().into_iter();
        !recipe.is_idle(at.start)
            && !UNPACKERS.contains(&name.as_str())
            && all.any(|eclass| eclass.phases.contains("src_unpack"))
    };
    if let Some((name, _)) = recipe.eclasses.inherited.iter().find(unpacks) {
        return Some(format!("{name}.eclass unpacks archives itself"));
    }
    recipe.eclasses.reason()
}

/// Returns the folder below `${WORKDIR}` that an assignment sets, as a pattern: `${WORKDIR}/hip` →
/// `hip`. Returns `None` for a value that does not begin with `${WORKDIR}`.
fn below_workdir(recipe: &Recipe, set: &Set) -> Option<String> {
    let mut patterns = Patterns::of(recipe);
    let (_, _, value) = patterns.run.assigned(recipe.slice(&set.at), set.at.start)?;
    let rest = behind(&value.text(), "WORKDIR")?;
    Some(rest.trim_matches('/').to_owned())
}

/// Commands that may make a folder, or enter it, whatever its name is.
const MAKERS: &[&str] = &[
    "cd", "pushd", "mv", "cp", "ln", "rsync", "tar", "unpack", "unzip", "mkdir",
];

/// Returns true if an argument of a command begins with the folder `top`, as in `mv hip-1.0
/// "${S}"`, or if a command may make or enter the folder.
fn is_mentioned(recipe: &Recipe, top: &str) -> bool {
    let mut patterns = Patterns::of(recipe);
    let calls = recipe.script.calls.iter();
    let mut words = calls.flat_map(|call| call.words.iter().map(move |word| (call, word)));
    words.any(|(call, word)| {
        let value = patterns.word(&word.at);
        let value = value.trim_start_matches("*/");
        let first = value.split('/').next().unwrap_or_default();
        if glob::is_open(value) {
            return MAKERS.contains(&call.name.as_str());
        }
        glob::fits(first, top)
    })
}

fn listed(tops: &BTreeSet<&str>) -> String {
    if tops.is_empty() {
        return "the archives unpack without a folder".to_owned();
    }
    let names: Vec<&str> = tops.iter().copied().collect();
    format!("the archives unpack into {}", names.join(", "))
}
