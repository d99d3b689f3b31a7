//! Where a source comes from, with everything decided.

use crate::read::release::Release;
use crate::read::texts::between;
use rocpkg_model::{Checksum, Fetch, Finding, Findings, Piece, Span, Text, When};
use std::collections::BTreeMap;

/// A source with everything decided.
#[derive(Clone, Debug)]
pub struct ResolvedSource {
    /// Its name in the package.
    pub name: String,
    /// How it is fetched.
    pub fetch: Fetch,
    /// The repository's owner.
    pub owner: String,
    /// The repository; empty for a `file`.
    pub repository: String,
    /// The folder of the project inside the repository; none where it is the whole.
    pub path: Option<String>,
    /// The asset's name.
    pub asset: Option<String>,
    /// The version it is fetched at.
    pub version: Release,
    /// The tag as a text with `${version}`, so that a recipe can keep the version in one place.
    pub tag: Text,
    /// The tag as the release's scheme has it, with `${line}` too, where a recipe can tell it from
    /// the version.
    pub tag_scheme: Text,
    /// The branch on which it is developed, where that is known.
    pub branch: Option<String>,
    /// The tag is its own, not what the release's scheme gives.
    pub own_tag: bool,
    /// A commit instead of a tag.
    pub revision: Option<String>,
    /// The address of the file, with `${version}` and with the tag written out over it; the
    /// repository's for a checkout.
    pub url: Text,
    /// The local name, with `${version}`.
    pub save_as: Option<Text>,
    /// The folder it unpacks to, with `${version}`; `.` where it brings none.
    pub folder: Option<Text>,
    /// It is an archive without a folder around its files.
    pub flat: bool,
    /// Folders checked out.
    pub sparse: Vec<String>,
    /// Submodules are fetched.
    pub submodules: bool,
    /// The repository has submodules, and none of them is wanted.
    pub foreign_submodules: bool,
    /// Shell text run after fetching.
    pub post_fetch: Option<String>,
    /// Fetched only under this condition.
    pub when: Option<When>,
    /// Its name in the checksum table; empty for a source that is a finding.
    pub key: String,
    /// Its checksums, where known.
    pub checksum: Option<Checksum>,
    /// Why it has none on purpose.
    pub unchecked: Option<String>,
    /// Where it is written.
    pub span: Span,
}

impl ResolvedSource {
    /// The folder of an archive that GitHub makes of a tag or a commit.
    pub fn archive_folder(&self) -> Text {
        let reference = self
            .revision
            .clone()
            .map_or_else(|| self.tag.clone(), Text::literal);
        github_folder(&self.repository, reference)
    }

    /// The name of an archive whose tag is its own, after its folder: a name of the release would
    /// be that of another file.
    pub fn own_archive(&self) -> Option<Text> {
        let is_own = self.own_tag && self.fetch == Fetch::Archive;
        is_own.then(|| between(String::new(), &self.archive_folder(), ".tar.gz".to_owned()))
    }

    /// The folder of the project inside what is unpacked; none where that holds nothing else. An
    /// asset is what its repository has below a folder of that name.
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

/// The repository and the tag, in which a slash is a hyphen and the `v` before a digit is left out.
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

/// A file that a recipe fetches: the name that it is saved under, where it is from, and where that
/// is written.
#[derive(Clone, Debug)]
pub struct Saved {
    /// Its name.
    pub name: String,
    /// Its address, with what is checked out of it.
    pub address: String,
    /// Where it is written.
    pub span: Span,
}

/// Reports different files that would be saved under one name, so that one stands for the other.
pub fn check_saved(files: &[Saved], findings: &mut Findings) {
    let mut seen: BTreeMap<&str, &Saved> = BTreeMap::new();
    for file in files {
        let first = *seen.entry(&file.name).or_insert(file);
        if first.address != file.address {
            let message = format!("`{}` is fetched from two addresses", file.name);
            findings.push(
                Finding::error("E0221", file.span, message)
                    .label(format!(
                        "expected another name than that of {}",
                        first.address
                    ))
                    .hint("give one of them another name under `save-as`"),
            );
        }
    }
}

/// Reports a main source that does not say where its files are, for recipes that name the folder.
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
            .hint("`folder: .` is right for a file that brings none"),
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
