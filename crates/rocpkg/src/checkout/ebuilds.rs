//! Lookups of a package's existing ebuilds, by their versions.

use super::surroundings::{folder, names};
use crate::backend::Backend;
use rocpkg_pms::Version;
use std::path::Path;

/// Returns the path of the existing ebuild in `out` that the new ebuild `path` is made from: the
/// one of the same version with the highest revision, or else the newest older one. Returns None if
/// the folder has no such ebuild.
pub(super) fn predecessor(out: &Path, path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let package = folder.rsplit('/').next().unwrap_or_default();
    let files = names(&out.join(folder));
    Some(format!(
        "{folder}/{}",
        rocpkg_gentoo::internal::predecessor(package, file, &files)?
    ))
}

/// Returns the paths of the existing ebuilds in the folder of `path`, the newest last. Live ebuilds
/// (version 9999) are left out.
pub(super) fn sorted_versions(out: &Path, path: &str) -> Vec<String> {
    let folder = folder(path);
    let mut all: Vec<(Version, String)> = names(&out.join(folder))
        .into_iter()
        .filter_map(|file| Some((rocpkg_gentoo::internal::whole_version(&file)?, file)))
        .collect();
    all.retain(|(version, _)| !version.base().ends_with("9999"));
    all.sort();
    all.into_iter()
        .map(|(_, file)| format!("{folder}/{file}"))
        .collect()
}

/// Returns the path of the newest existing recipe at `path`: of a distribution that keeps several
/// versions, the newest ebuild in the folder of `path`. Live ebuilds are left out.
pub(super) fn newest(backend: Backend, out: &Path, path: &str) -> Option<String> {
    if backend.keeps_several() {
        sorted_versions(out, path).pop()
    } else {
        Some(path.to_owned())
    }
}

/// Returns true if the folder of a package, relative to the checkout `out`, has live ebuilds
/// (version 9999) and no others.
pub(crate) fn has_only_live(out: &Path, folder: &str) -> bool {
    let has_ebuild = names(&out.join(folder))
        .iter()
        .any(|file| rocpkg_gentoo::internal::whole_version(file).is_some());
    has_ebuild && sorted_versions(out, &format!("{folder}/")).is_empty()
}

/// Returns the version of the newest ebuild in the folder of a package, relative to the checkout
/// `out`. Live ebuilds are left out.
pub(super) fn newest_version(out: &Path, folder: &str) -> Option<String> {
    let all = sorted_versions(out, &format!("{folder}/"));
    rocpkg_gentoo::internal::version_of(all.last()?)
}
