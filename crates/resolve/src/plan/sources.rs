//! Where sources come from: addresses, names in the checksum table, checksums.

use crate::plan::checksums::Identity;
use crate::read::load::Model;
use crate::read::release::{Release, holds, read_release};
use rocpkg_model::{Checksum, Fetch, Finding, Findings, Piece, Source, Span, Spanned, Text, When};
use std::collections::BTreeMap;

/// The folder of an archive that brings none: where it is unpacked.
const HERE: &str = ".";

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
    /// The folder of the project inside the repository; none where it is the whole.
    pub path: Option<String>,
    /// The asset's name.
    pub asset: Option<String>,
    /// The version it is fetched at.
    pub version: Release,
    /// The tag as a text with `${version}`, so that a recipe can keep the version in one place.
    pub tag: Text,
    /// The tag as the release's scheme has it, with `${line}` too, where a recipe can tell it from the version.
    pub tag_scheme: Text,
    /// The branch on which it is developed, where that is known.
    pub branch: Option<String>,
    /// A commit instead of a tag.
    pub revision: Option<String>,
    /// The address of the file, with `${version}` and with the tag written out over it; the repository's for a checkout.
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
        let reference = self.revision.clone().map_or_else(|| self.tag.clone(), Text::literal);
        github_folder(&self.repository, reference)
    }

    /// The folder of the project inside what is unpacked; none where that holds nothing else, as an asset does.
    pub fn project(&self) -> Option<&str> {
        self.path.as_deref().filter(|_| self.fetch != Fetch::Asset)
    }
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

/// The repository and the tag, in which a slash is a hyphen and the `v` before a digit is left out.
fn github_folder(repository: &str, mut tag: Text) -> Text {
    let number = match tag.pieces.as_slice() {
        [Piece::Literal(v), Piece::Reference(name), ..] if v == "v" => name == "version",
        [Piece::Literal(t), ..] => {
            t.strip_prefix('v').is_some_and(|t| t.starts_with(|c: char| c.is_ascii_digit()))
        }
        _ => false,
    };
    for (i, piece) in tag.pieces.iter_mut().enumerate() {
        if let Piece::Literal(t) = piece {
            let own = t.strip_prefix('v').filter(|_| number && i == 0).unwrap_or(t);
            *t = own.replace('/', "-");
        }
    }
    join(&[&format!("{repository}-"), &tag])
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

/// Reports what is wrong with a source, whoever fetches it; false when nobody can.
fn check(name: &str, source: &Source, fetch: Fetch, span: Span, findings: &mut Findings) -> bool {
    let mut whole = true;
    if fetch == Fetch::File && source.url.is_none() {
        whole = false;
        findings.push(
            Finding::error("E0231", span, format!("the source `{name}` is a file without an address"))
                .label("expected `url`"),
        );
    }
    // An address and a name serve as well: such a checkout stands wherever it is said to.
    let told = source.repository.is_some() || source.url.is_some() && source.save_as.is_some();
    if !matches!(fetch, Fetch::File | Fetch::Inherited) && !told {
        whole = false;
        // What stands there is the better place: each distribution's habits lay something else over it.
        let span = source.url.as_ref().map_or(span, |url| url.span);
        let missing = Finding::error("E0230", span, format!("the source `{name}` names no repository"))
            .label("expected `repository`");
        findings.push(if source.url.is_some() {
            missing.hint("a file at an address of its own has `fetch: file`")
        } else {
            missing
        });
    }
    let names = [("owner", &source.owner), ("repository", &source.repository)];
    for (key, written) in names.into_iter().filter_map(|(key, w)| Some((key, w.as_ref()?))) {
        // GitHub's rule for both.
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !written.value.is_empty() && written.value.chars().all(fine) {
            continue;
        }
        let odd = Finding::error("E0232", written.span, format!("`{}` is no {key}", written.value))
            .label("expected letters, digits, `-`, `_` and `.`");
        findings.push(match written.value.split_once('/') {
            Some((owner, repository)) if key == "repository" => {
                odd.hint(format!("write `owner: {owner}` and `repository: {repository}`"))
            }
            _ => odd,
        });
        whole = false;
    }
    for path in source.path.iter().chain(&source.sparse).filter(|p| !stays_inside(&p.value)) {
        findings.push(outside(&path.value, path.span));
    }
    for text in [&source.folder, &source.save_as].into_iter().flatten() {
        let literal = text.to_string();
        if !stays_inside(&literal) {
            findings.push(outside(&literal, text.span));
        } else if literal.is_empty() {
            let finding = Finding::error("E0563", text.span, "an empty path names nothing");
            findings.push(finding.label("expected a name; `.` is a folder that is none of its own"));
        }
    }
    if let Some(commit) = &source.revision {
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if commit.value.is_empty() || !commit.value.chars().all(fine) {
            let message = format!("`{}` is no commit", commit.value);
            findings.push(Finding::error("E0566", commit.span, message).label("expected a commit or a tag"));
            whole = false;
        }
        // An address of its own may hold the commit, which a recipe can then keep in one place.
        let held = source.url.as_ref().is_some_and(|url| url.to_string().contains(&commit.value));
        if matches!(fetch, Fetch::Asset | Fetch::File) && !held {
            let message = format!("the source `{name}` is of no commit");
            findings.push(Finding::error("E0566", commit.span, message).label(match fetch {
                Fetch::Asset => "an asset is of a release: expected `fetch: archive`, or no `revision`",
                _ => "expected an address that holds it, or no `revision`",
            }));
        }
    }
    whole
}

/// True for a path that leads nowhere but down from where it is read.
pub(crate) fn stays_inside(path: &str) -> bool {
    !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..")
}

/// The finding for one that does not.
pub(crate) fn outside(path: &str, span: Span) -> Finding {
    Finding::error("E0563", span, format!("the path `{path}` leads outside"))
        .label("expected a path without `..` that does not begin with `/`")
}

/// A file that a recipe fetches: the name that it is saved under, where it is from, and where that is written.
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
                    .label(format!("expected another name than that of {}", first.address))
                    .hint("give one of them another name under `save-as`"),
            );
        }
    }
}

/// The source's own version, or the package's.
fn own_version(
    written: Option<&Spanned<String>>,
    package_version: &Release,
    findings: &mut Findings,
) -> Release {
    let own = written.and_then(|text| read_release(text, findings));
    own.unwrap_or_else(|| package_version.clone())
}

/// Writes the tag out where an address says `${tag}`.
fn with_tag(url: &Text, tag: &Text) -> Text {
    let tagged = url.pieces.iter().flat_map(|piece| match piece {
        Piece::Reference(name) if name == "tag" => tag.pieces.iter(),
        other => std::slice::from_ref(other).iter(),
    });
    Text { span: url.span, ..Text::joined(tagged) }
}

/// Says where an archive without a folder of its own is unpacked, and reports what would lie mixed there or is looked for
/// elsewhere.
pub(crate) fn place_flat(sources: &mut [ResolvedSource], findings: &mut Findings) {
    let mut first = None;
    for s in sources.iter_mut().filter(|s| s.flat) {
        let asset = s.asset.as_deref().unwrap_or(&s.repository);
        let message = format!("the asset `{asset}` of {} brings no folder of its own", s.version);
        let odd = Finding::error("E0224", s.span, message);
        let hint = "take the archive of the repository at this release: `fetch: archive`";
        if let Some(folder) = &s.folder {
            findings.push(odd.label(format!("expected no folder, not `{folder}`")).hint(hint));
        } else if let Some(other) = &first {
            findings.push(odd.label(format!("its files would lie among those of `{other}`")).hint(hint));
        } else {
            s.folder = Some(Text::literal(HERE));
        }
        first.get_or_insert_with(|| s.name.clone());
    }
}

/// Reports a main source that does not say where its files are, for recipes that name the folder.
pub fn check_folder(sources: &[ResolvedSource], findings: &mut Findings) {
    let unknown = |s: &&ResolvedSource| s.fetch == Fetch::File && s.folder.is_none() && !s.key.is_empty();
    let Some(main) = sources.first().filter(unknown) else { return };
    let message = format!("the folder that `{}` unpacks to is not known", main.name);
    findings.push(
        Finding::error("E0113", main.span, message)
            .label("expected `folder`")
            .hint("`folder: .` is right for a file that brings none"),
    );
}

/// Decides everything about one source.
pub(crate) fn resolve(
    name: &str,
    source: &Source,
    habit: Fetch,
    package_version: &Release,
    model: &Model,
    span: Span,
    findings: &mut Findings,
) -> ResolvedSource {
    let text = |s: &Option<rocpkg_model::Spanned<String>>| s.as_ref().map(|s| s.value.clone());
    let version = own_version(source.version.as_ref(), package_version, findings);
    let repository = text(&source.repository).unwrap_or_default();
    let assets = model.upstream.as_ref().and_then(|u| u.repositories.get(&repository)?.assets.as_ref());
    let before = assets.filter(|range| holds(&range.value, &version) == Some(false));
    // Who takes assets takes the archive of the tag where there is none.
    // So is an archive of a commit: assets are of releases.
    let archived = source.asset.is_none() || source.revision.is_some() || before.is_some();
    let fetch = source.fetch.unwrap_or(match habit {
        Fetch::Asset if archived => Fetch::Archive,
        habit => habit,
    });
    if let (Fetch::Asset, Some(range)) = (fetch, before) {
        let message = format!("{repository} has no assets at {version}");
        findings.push(
            Finding::error("E0224", span, message)
                .label(format!("expected a release of `{}`", range.value))
                .hint("take the archive of the repository at this release: `fetch: archive`"),
        );
    }
    let whole = check(name, source, fetch, span, findings);
    let lines = &model.lines;
    let line = lines.get(&version.line());
    let tag_scheme = source
        .tag
        .clone()
        .or_else(|| line.map(|l| l.tag.clone()))
        .unwrap_or_else(|| Text { pieces: vec![Piece::Reference("version".into())], span });
    let tag = with_line(&tag_scheme, &version);
    let owner = text(&source.owner).unwrap_or_else(|| "ROCm".into());
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
        Fetch::Archive => match &source.revision {
            Some(commit) => Text::literal(format!("{home}/archive/{}.tar.gz", commit.value)),
            None => join(&[&home, &"/archive/refs/tags/", &tag, &".tar.gz"]),
        },
        Fetch::Git | Fetch::Tree | Fetch::Inherited | Fetch::File => Text::literal(home),
    };
    let url = source.url.as_ref().map_or(url, |written| with_tag(written, &tag));
    let commit = text(&source.revision);
    // A tag that the release's scheme does not give.
    let own_tag =
        source.tag.is_some() && line.is_none_or(|l| with_line(&l.tag, &version).pieces != tag.pieces);
    let key = text(&source.checksum).unwrap_or_else(|| {
        let identity = Identity {
            fetch,
            owner: &owner,
            repository: &repository,
            asset: asset.as_deref(),
            url: source.url.is_some().then(|| with_version(&url, &version)),
            tag: &with_version(&tag, &version),
            own_tag,
            commit: commit.as_deref(),
            sparse: &sparse,
            submodules: source.submodules,
            post_fetch: source.post_fetch.as_ref().map(|s| s.value.as_str()),
        };
        if whole { identity.key() } else { String::new() }
    });
    let fixed = lines.values().find_map(|l| l.files.get(&key));
    let told = line
        .and_then(|l| l.versions.iter().find(|(v, _)| v.parse::<Release>().is_ok_and(|v| v == version)))
        .map(|(_, told)| told);
    let checksum = told.and_then(|v| v.checksums.get(&key)).or(fixed).cloned();
    ResolvedSource {
        name: name.to_owned(),
        fetch,
        owner,
        repository,
        path: text(&source.path).filter(|p| !p.is_empty()),
        asset,
        version,
        tag,
        tag_scheme,
        branch: None,
        revision: commit,
        url,
        save_as: source.save_as.clone(),
        folder: source.folder.clone(),
        flat: fetch == Fetch::Asset && told.is_some_and(|v| v.flat_assets),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_named_as_github_names_them() {
        let with_reference = |before: &str| {
            join(&[
                &before,
                &Text { pieces: vec![Piece::Reference("version".into())], span: Span::default() },
            ])
        };
        let folder = |tag: Text| github_folder("foo", tag).to_string();
        assert_eq!(folder(with_reference("rocm-")), "foo-rocm-${version}");
        assert_eq!(folder(with_reference("release/rocm-")), "foo-release-rocm-${version}");
        assert_eq!(folder(with_reference("v")), "foo-${version}");
        assert_eq!(folder(Text::literal("v1.2")), "foo-1.2");
        assert_eq!(folder(Text::literal("vega")), "foo-vega");
    }
}
