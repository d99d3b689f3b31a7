//! Reads the registry of GPU targets (`targets.yaml`), and looks up its facts about a release.

use crate::read::release::{Release, read_release};
use rocpkg_model::{Findings, Node, OfficialEntry, PatchSiteEntry, Spanned};
use rocpkg_targets::{Registry, TargetSet};

/// Reads and checks `targets.yaml`.
///
/// # Errors
/// All faults go to `findings`: those of [`Registry::read`], and `E0207` for a release.
pub fn read_registry(node: &Node, findings: &mut Findings) -> Option<Registry> {
    let before = findings.count();
    let registry = Registry::read(node, findings);
    let compat = registry
        .iter()
        .flat_map(Registry::patch_sites)
        .filter_map(|site| site.since.clone());
    let lists = node
        .get("support-classes")
        .map_or(&[][..], |classes| classes.entries_of("official"));
    let begins = lists.iter().map(|(key, _)| Spanned {
        value: key.name.to_string(),
        span: key.span,
    });
    for since in compat.chain(begins) {
        read_release(&since, findings);
    }
    registry.filter(|_| !findings.has_errors_since(before))
}

/// Returns true if `release` is the release that the text `since` names, or a later one.
fn is_since(since: &str, release: &Release) -> bool {
    since
        .parse::<Release>()
        .is_ok_and(|since| since <= *release)
}

/// Returns the places in upstream's sources that must be patched in a release, so that code for one
/// GPU loads on a compatible GPU.
pub fn patch_sites<'r>(
    registry: &'r Registry,
    release: &Release,
) -> impl Iterator<Item = &'r PatchSiteEntry> {
    let needs = |site: &&PatchSiteEntry| {
        site.since
            .as_ref()
            .is_none_or(|since| is_since(&since.value, release))
    };
    registry.patch_sites().filter(needs)
}

/// Returns upstream's list of supported processors for a release: the newest list that is not newer
/// than the release. Returns `None` for releases before the first list.
pub fn official<'r>(
    registry: &'r Registry,
    release: &Release,
) -> Option<(&'r TargetSet, &'r OfficialEntry)> {
    let lists = registry
        .official()
        .filter(|(since, ..)| is_since(since, release));
    let newest = lists.max_by_key(|(since, ..)| since.parse::<Release>().ok());
    newest.map(|(_, set, list)| (set, list))
}
