//! Resolved sources, and checks of the files that recipes fetch.

use crate::read::release::Release;
use crate::read::texts::between;
use rocpkg_model::{Checksum, Fetch, Finding, Findings, Piece, Span, Text, When};
use std::collections::BTreeMap;

/// A source whose version, tag, address and checksum are resolved.
#[derive(Clone, Debug)]
pub struct ResolvedSource {
    /// The name of the source in the package.
    pub name: String,
    /// The way in which the source is fetched.
    pub fetch: Fetch,
    /// The repository's owner.
    pub owner: String,
    /// The repository; empty for a `file`.
    pub repository: String,
    /// The folder of the project inside the repository. `None` if the project is the whole
    /// repository.
    pub path: Option<String>,
    /// The name of the asset of the release. `None` if the source names none: an asset then has the
    /// name of the repository.
    pub asset: Option<String>,
    /// The version at which the source is fetched.
    pub version: Release,
    /// The tag as a text with `${version}`, so that a recipe can keep the version in one place.
    pub tag: Text,
    /// The tag as the source or the release line states it. It may also contain `${line}`, the
    /// first two numbers of the version, for recipes that can derive these from the version.
    pub tag_scheme: Text,
    /// The branch on which the source is developed, if that is known.
    pub branch: Option<String>,
    /// Set if the source states a tag, and the tag differs from that of the release line.
    pub own_tag: bool,
    /// The commit that is fetched instead of a tag.
    pub revision: Option<String>,
    /// The address of the file. It contains `${version}`, and the tag is written out. For a
    /// checkout, it is the address of the repository.
    pub url: Text,
    /// The name under which the file is saved, with `${version}`.
    pub save_as: Option<Text>,
    /// The folder that the archive unpacks to, with `${version}`. It is `.` if the files are
    /// unpacked in the current folder. `None` if it has the usual name.
    pub folder: Option<Text>,
    /// Set if the source is an archive whose files are not in a folder.
    pub flat: bool,
    /// The folders of a sparse checkout.
    pub sparse: Vec<String>,
    /// Set if submodules are fetched.
    pub submodules: bool,
    /// Set if the repository has submodules, and the source does not fetch them.
    pub foreign_submodules: bool,
    /// The shell text that is run after fetching.
    pub post_fetch: Option<String>,
    /// The condition under which the source is fetched.
    pub when: Option<When>,
    /// The key of the source in the checksum table. Empty if the source has errors.
    pub key: String,
    /// The checksums of the source, if they are known.
    pub checksum: Option<Checksum>,
    /// The reason why the source has no checksum on purpose.
    pub unchecked: Option<String>,
    /// The place where the source is written.
    pub span: Span,
}

impl ResolvedSource {
    /// Returns the name of the folder in an archive that GitHub makes of a tag or a commit, such as
    /// `rocBLAS-rocm-${version}`.
    pub fn archive_folder(&self) -> Text {
        let reference = self
            .revision
            .clone()
            .map_or_else(|| self.tag.clone(), Text::literal);
        github_folder(&self.repository, reference)
    }

    /// Returns the file name for an archive whose source has a tag of its own: the name of the
    /// folder in the archive, and `.tar.gz`. A name with the release would be the name of another
    /// file. Returns `None` for any other source.
    pub fn own_archive(&self) -> Option<Text> {
        let is_own = self.own_tag && self.fetch == Fetch::Archive;
        is_own.then(|| between(String::new(), &self.archive_folder(), ".tar.gz".to_owned()))
    }

    /// Returns the folder of the project inside the unpacked source. Returns `None` if the source
    /// contains nothing else. An asset contains the part of its repository below a folder with the
    /// asset's name: the path `projects/rocblas/library` in the asset `rocblas` -> `library`.
    pub fn project(&self) -> Option<&str> {
        let mut rest = self.path.as_deref()?;
        if self.fetch != Fetch::Asset {
            return Some(rest);
        }
        while let Some((head, tail)) = rest.split_once('/') {
            if self.asset.as_deref() == Some(head) {
                return Some(tail);
            }
            rest = tail;
        }
        None
    }
}

/// Returns GitHub's name for the folder in an archive: the repository and the tag. In the tag, a
/// slash becomes a hyphen, and a `v` before a digit is left out: `foo` and `v1.2` -> `foo-1.2`.
fn github_folder(repository: &str, mut tag: Text) -> Text {
    let number = match tag.pieces.as_slice() {
        [Piece::Literal(v), Piece::Reference(name), ..] if v == "v" => name == "version",
        [Piece::Literal(t), ..] => t
            .strip_prefix('v')
            .is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit())),
        _ => false,
    };
    for (i, piece) in tag.pieces.iter_mut().enumerate() {
        if let Piece::Literal(t) = piece {
            let own = t
                .strip_prefix('v')
                .filter(|_| number && i == 0)
                .unwrap_or(t);
            *t = own.replace('/', "-");
        }
    }
    between(format!("{repository}-"), &tag, String::new())
}

/// A file that a recipe fetches: its name, its address, and its place in the profiles.
#[derive(Clone, Debug)]
pub struct Saved {
    /// The name under which the file is saved.
    pub name: String,
    /// The address of the file. For a checkout, it includes the part that is checked out.
    pub address: String,
    /// The place where the file is written in the profiles.
    pub span: Span,
}

/// Reports different files that would be saved under one name. One of them would then be used in
/// place of the other.
pub fn check_saved(files: &[Saved], findings: &mut Findings) {
    let mut seen: BTreeMap<&str, &Saved> = BTreeMap::new();
    for file in files {
        let first = *seen.entry(&file.name).or_insert(file);
        if first.address != file.address {
            let message = format!("`{}` is fetched from two addresses", file.name);
            findings.push(
                Finding::error("E0221", file.span, message)
                    .label(format!("the file from {} has the same name", first.address))
                    .hint("give one of them another name under `save-as`"),
            );
        }
    }
}

/// Reports a main source whose folder is not known, for recipes that name the folder.
pub fn check_folder(sources: &[ResolvedSource], findings: &mut Findings) {
    let unknown =
        |s: &&ResolvedSource| s.fetch == Fetch::File && s.folder.is_none() && !s.key.is_empty();
    let Some(main) = sources.first().filter(unknown) else {
        return;
    };
    let message = format!("the folder that `{}` unpacks to is not known", main.name);
    findings.push(
        Finding::error("E0113", main.span, message)
            .label("expected `folder`")
            .hint("write `folder: .` if the archive has no top-level folder"),
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_github_names_them() {
        let with_reference = |before: &str| {
            let version = Text {
                pieces: vec![Piece::Reference("version".into())],
                span: Span::default(),
            };
            between(before.to_owned(), &version, String::new())
        };
        let folder = |tag: Text| github_folder("foo", tag).to_string();
        assert_eq!(folder(with_reference("rocm-")), "foo-rocm-${version}");
        assert_eq!(
            folder(with_reference("release/rocm-")),
            "foo-release-rocm-${version}"
        );
        assert_eq!(folder(with_reference("v")), "foo-${version}");
        assert_eq!(folder(Text::literal("v1.2")), "foo-1.2");
        assert_eq!(folder(Text::literal("vega")), "foo-vega");
    }
}
