//! The crates of the workspace.

use std::{fs, path::Path};

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// The name of the crate's folder: `model`.
    pub(crate) folder: String,
    /// The name of the crate's package: `rocpkg-model`.
    pub(crate) package: String,
    /// Set unless the manifest contains `publish = false`. Others can depend on a published crate.
    pub(crate) is_published: bool,
}

/// Returns all crates of the workspace, sorted by folder.
pub(crate) fn all(root: &Path) -> Result<Vec<Member>, String> {
    let folder = root.join("crates");
    let entries = fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut folders: Vec<_> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    folders.retain(|folder| folder.is_dir());
    folders.extend([root.join("examples"), root.join("tests")]);
    let mut all = Vec::new();
    for folder in folders {
        let manifest = folder.join("Cargo.toml");
        let text = fs::read_to_string(&manifest);
        let text = text.map_err(|e| format!("{}: {e}", manifest.display()))?;
        let name = folder.file_name().unwrap_or_default().to_string_lossy();
        let member = member(&name, &text);
        all.push(member.ok_or_else(|| format!("{}: no name", manifest.display()))?);
    }
    all.sort_by(|a, b| a.folder.cmp(&b.folder));
    Ok(all)
}

fn member(folder: &str, manifest: &str) -> Option<Member> {
    let mut lines = manifest.lines();
    let name = lines.find_map(|line| line.strip_prefix("name = \"")?.strip_suffix('"'))?;
    Some(Member {
        folder: folder.to_owned(),
        package: name.to_owned(),
        is_published: !manifest.lines().any(|line| line == "publish = false"),
    })
}

/// Returns the package name of a crate, which is given by the name of its folder or of its package.
///
/// # Errors
/// When no crate has the name. The error contains the most similar names.
pub(crate) fn package<'a>(members: &'a [Member], name: &str) -> Result<&'a str, String> {
    let is_it = |member: &&Member| member.folder == name || member.package == name;
    if let Some(member) = members.iter().find(is_it) {
        return Ok(&member.package);
    }
    let mut near: Vec<_> = members.iter().map(|member| &*member.folder).collect();
    near.sort_by_cached_key(|known| strsim::damerau_levenshtein(known, name));
    near.truncate(3);
    Err(format!("no crate `{name}`; near: {}", near.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crate_has_two_names() {
        let all = all(&crate::workspace()).unwrap();
        for (name, found) in [
            ("model", "rocpkg-model"),
            ("rocpkg-model", "rocpkg-model"),
            ("tests", "rocpkg-tests"),
            ("examples", "rocpkg-examples"),
            ("rocpkg", "rocpkg"),
            ("xtask", "xtask"),
        ] {
            assert_eq!(package(&all, name), Ok(found));
        }
        let message = package(&all, "modle").unwrap_err();
        assert!(
            message.starts_with("no crate `modle`; near: model, "),
            "{message}"
        );
    }

    #[test]
    fn crates_of_this_repository_alone_are_not_published() {
        let all = all(&crate::workspace()).unwrap();
        let own = all.iter().filter(|member| !member.is_published);
        let own: Vec<_> = own.map(|member| &*member.folder).collect();
        for folder in ["examples", "generate", "programs", "tests", "xtask"] {
            assert!(own.contains(&folder), "{own:?}");
        }
        assert!(!own.contains(&"rocpkg"), "{own:?}");
    }
}
