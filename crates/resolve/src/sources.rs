//! Where sources come from: addresses, names in the checksum table, checksums.

use crate::release::Release;
use indexmap::IndexMap;
use rocpkg_model::{Checksum, Fetch, Piece, ReleaseLine, Source, Span, Text, When};

/// What stands for the first two numbers of a version in a tag.
pub const LINE: &str = "line";

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
    /// The folder of the project inside the repository.
    pub path: Option<String>,
    /// The asset's name.
    pub asset: Option<String>,
    /// The version it is fetched at.
    pub version: Release,
    /// The tag as a text with `${version}`, so that a recipe can keep the version in one place.
    pub tag: Text,
    /// The tag as the release's scheme has it, with `${line}` too, where a recipe can tell it from the version.
    pub tag_scheme: Text,
    /// A commit instead of a tag.
    pub revision: Option<String>,
    /// The address of the file, with `${version}` and with the tag written out over it; the repository's for a checkout.
    pub url: Text,
    /// The local name, with `${version}`.
    pub save_as: Option<Text>,
    /// The folder it unpacks to, with `${version}`.
    pub folder: Option<Text>,
    /// Folders checked out.
    pub sparse: Vec<String>,
    /// Submodules are fetched.
    pub submodules: bool,
    /// Shell text run after fetching.
    pub post_fetch: Option<String>,
    /// Fetched only under this condition.
    pub when: Option<When>,
    /// Its name in the checksum table.
    pub key: String,
    /// Its checksums, where known.
    pub checksum: Option<Checksum>,
    /// Why it has none on purpose.
    pub unchecked: Option<String>,
    /// Where it is written.
    pub span: Span,
}

/// Replaces `${version}` (and nothing else) by the version.
pub fn with_version(text: &Text, version: &Release) -> String {
    text.pieces
        .iter()
        .map(|p| match p {
            Piece::Literal(t) => t.clone(),
            Piece::Reference(r) if r == "version" => version.to_string(),
            Piece::Reference(r) => format!("${{{r}}}"),
        })
        .collect()
}

/// Replaces `${line}` by the first two numbers of the version.
fn with_line(text: &Text, version: &Release) -> Text {
    let pieces = text.pieces.iter().map(|p| match p {
        Piece::Reference(r) if r == LINE => Piece::Literal(version.line()),
        other => other.clone(),
    });
    let whole = Text { pieces: pieces.collect(), span: text.span };
    Text { span: text.span, ..join(&[&whole]) }
}

/// Puts literals and the pieces of other texts together.
pub(crate) fn join(parts: &[&dyn AsPieces]) -> Text {
    let mut pieces: Vec<Piece> = Vec::new();
    for piece in parts.iter().flat_map(|p| p.pieces()) {
        match (pieces.last_mut(), piece) {
            (Some(Piece::Literal(a)), Piece::Literal(b)) => a.push_str(&b),
            (_, p) => pieces.push(p),
        }
    }
    Text { pieces, span: Span::default() }
}

/// Something that is text with references.
pub(crate) trait AsPieces {
    fn pieces(&self) -> Vec<Piece>;
}
impl AsPieces for Text {
    fn pieces(&self) -> Vec<Piece> {
        self.pieces.clone()
    }
}
impl AsPieces for str {
    fn pieces(&self) -> Vec<Piece> {
        vec![Piece::Literal(self.to_owned())]
    }
}
impl AsPieces for &str {
    fn pieces(&self) -> Vec<Piece> {
        vec![Piece::Literal((*self).to_owned())]
    }
}
impl AsPieces for String {
    fn pieces(&self) -> Vec<Piece> {
        vec![Piece::Literal(self.clone())]
    }
}

/// Decides everything about one source.
pub(crate) fn resolve(
    name: &str,
    source: &Source,
    habit: Fetch,
    package_version: &Release,
    lines: &IndexMap<String, ReleaseLine>,
    span: Span,
) -> ResolvedSource {
    let text = |s: &Option<rocpkg_model::Spanned<String>>| s.as_ref().map(|s| s.value.clone());
    // Who takes assets takes the archive of the tag where there is none.
    let fetch = source.fetch.unwrap_or(match habit {
        Fetch::Asset if source.asset.is_none() => Fetch::Archive,
        habit => habit,
    });
    let version =
        text(&source.version).and_then(|v| v.parse().ok()).unwrap_or_else(|| package_version.clone());
    let line = lines.get(&version.line());
    let tag_scheme = source
        .tag
        .clone()
        .or_else(|| line.map(|l| l.tag.clone()))
        .unwrap_or_else(|| Text { pieces: vec![Piece::Reference("version".into())], span });
    let tag = with_line(&tag_scheme, &version);
    let owner = text(&source.owner).unwrap_or_else(|| "ROCm".into());
    let repository = text(&source.repository).unwrap_or_default();
    let asset = text(&source.asset);
    let home = format!("https://github.com/{owner}/{repository}");
    let sparse: Vec<String> = source.sparse.iter().map(|s| s.value.clone()).collect();
    let url = match fetch {
        Fetch::Asset => join(&[
            &home,
            &"/releases/download/",
            &tag,
            &"/",
            &asset.clone().unwrap_or_else(|| repository.clone()),
            &".tar.gz",
        ]),
        Fetch::Archive => join(&[&home, &"/archive/refs/tags/", &tag, &".tar.gz"]),
        Fetch::Git | Fetch::Tree | Fetch::Inherited => Text::literal(home),
        Fetch::File => source.url.clone().unwrap_or_else(|| Text::literal(home)),
    };
    let url = source.url.clone().unwrap_or(url);
    let key = text(&source.checksum).unwrap_or_else(|| match fetch {
        Fetch::Asset => format!("{repository}/asset/{}", asset.as_deref().unwrap_or(&repository)),
        Fetch::Archive => format!("{repository}/archive"),
        Fetch::Git | Fetch::Inherited => format!("{repository}/git"),
        Fetch::Tree => {
            let mut key = format!("{repository}/tree");
            if !sparse.is_empty() {
                key.push('/');
                key.push_str(&sparse.join("+"));
            }
            if source.submodules {
                key.push_str("?submodules");
            }
            key
        }
        Fetch::File => with_version(&url, &version),
    });
    let fixed = lines.values().find_map(|l| l.files.get(&key));
    let checksum = line
        .and_then(|l| l.versions.iter().find(|(v, _)| v.parse::<Release>().is_ok_and(|v| v == version)))
        .and_then(|(_, v)| v.checksums.get(&key))
        .or(fixed)
        .cloned();
    ResolvedSource {
        name: name.to_owned(),
        fetch,
        owner,
        repository,
        path: text(&source.path),
        asset,
        version,
        tag,
        tag_scheme,
        revision: text(&source.revision),
        url,
        save_as: source.save_as.clone(),
        folder: source.folder.clone(),
        sparse,
        submodules: source.submodules,
        post_fetch: text(&source.post_fetch),
        when: source.when.clone(),
        key,
        checksum,
        unchecked: text(&source.unchecked),
        span,
    }
}
