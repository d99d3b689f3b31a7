//! The ebuilds of a folder by their versions.

use rocpkg_pms::Version;
use std::fs;
use std::path::Path;

/// The ebuild of the version, or the newest before it.
pub(super) fn predecessor(out: &Path, path: &str) -> Option<String> {
    let (folder, file) = path.rsplit_once('/')?;
    let package = folder.rsplit('/').next().unwrap_or_default();
    let files = fs::read_dir(out.join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let files: Vec<String> = files
        .map(|f| f.file_name().to_string_lossy().into_owned())
        .collect();
    Some(format!(
        "{folder}/{}",
        rocpkg_gentoo::predecessor(package, file, &files)?
    ))
}

/// The ebuilds that lie beside a rendered one, the newest last; no live one.
pub(super) fn sorted_versions(out: &Path, path: &str) -> Vec<String> {
    let Some((folder, _)) = path.rsplit_once('/') else {
        return Vec::new();
    };
    let files = fs::read_dir(out.join(folder))
        .into_iter()
        .flatten()
        .flatten();
    let files = files.map(|f| f.file_name().to_string_lossy().into_owned());
    let mut all: Vec<(Version, String)> = files
        .filter_map(|file| Some((rocpkg_gentoo::whole_version(&file)?, file)))
        .collect();
    all.retain(|(version, _)| !version.base().ends_with("9999"));
    all.sort();
    all.into_iter()
        .map(|(_, file)| format!("{folder}/{file}"))
        .collect()
}
