//! The ebuilds of a folder, sorted by their versions.

use super::surroundings::{folder, names};
use rocpkg_pms::Version;
use std::path::Path;

/// Returns the path of the ebuild of the same version, or of the newest older version.
pub(super) fn predecessor(out: &Path, path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let package = folder.rsplit('/').next().unwrap_or_default();
    let files = names(&out.join(folder));
    Some(format!(
        "{folder}/{}",
        rocpkg_gentoo::predecessor(package, file, &files)?
    ))
}

/// Returns the ebuilds in the folder of a rendered ebuild, the newest last. Live ebuilds are left
/// out.
pub(super) fn sorted_versions(out: &Path, path: &str) -> Vec<String> {
    let folder = folder(path);
    let mut all: Vec<(Version, String)> = names(&out.join(folder))
        .into_iter()
        .filter_map(|file| Some((rocpkg_gentoo::whole_version(&file)?, file)))
        .collect();
    all.retain(|(version, _)| !version.base().ends_with("9999"));
    all.sort();
    all.into_iter()
        .map(|(_, file)| format!("{folder}/{file}"))
        .collect()
}
