//! Decides how a source is fetched. The source's profile decides first, then the release, then the
//! distribution's habit.

use crate::layer::package::Layering;
use crate::plan::checksums::key;
use crate::plan::sources::ResolvedSource;
use crate::read::release::{Release, holds, read_release};
use crate::read::texts::{between, tag_scheme as of_release, with_line};
use rocpkg_model::{Fetch, Finding, Findings, Piece, ReleaseLine, Source, Span, Spanned, Text};

/// The `folder` of an archive whose files are not in a folder: the current folder, in which the
/// archive is unpacked.
const HERE: &str = ".";

/// Resolves one source of a package: how it is fetched, its version, tag, address, key and
/// checksum. `package` is the version of the package. `name` and `source` are the source as the
/// profile states it, at the place `span`.
pub(crate) fn resolve(
    at: &Layering,
    package: &Release,
    (name, source): (&str, &Source),
    span: Span,
    findings: &mut Findings,
) -> ResolvedSource {
    let stated = source
        .version
        .as_ref()
        .and_then(|text| read_release(text, findings));
    let version = stated.unwrap_or_else(|| of_source(source, package));
    let repository = text(source.repository.as_ref()).unwrap_or_default();
    let told = at
        .model
        .upstream
        .as_ref()
        .and_then(|u| u.repositories.get(&repository));
    let assets = told.and_then(|r| r.assets.as_ref());
    let before = assets.filter(|range| holds(&range.value, &version) == Some(false));
    let fetch = way(source, at.distro.fetch, before.is_some());
    if let (Fetch::Asset, Some(range)) = (fetch, before) {
        let message = format!("{repository} has no assets at {version}");
        findings.push(
            Finding::error("E0224", span, message)
                .label(format!("expected a release in `{}`", range.value))
                .hint("use the archive of the repository at this release: `fetch: archive`"),
        );
    }
    let whole = check(name, source, fetch, span, findings);
    let lines = &at.model.lines;
    let line = lines.get(&version.line());
    let tag_scheme = scheme(source, line, &version, span);
    let owner = text(source.owner.as_ref()).unwrap_or_else(|| at.model.owner().to_owned());
    let is_hosted = !repository.is_empty() && (source.url.is_none() || fetch == Fetch::Asset);
    if owner.is_empty() && is_hosted && fetch != Fetch::File {
        let message = format!("the owner of the repository `{repository}` is not stated");
        let place = source.repository.as_ref().map_or(span, |r| r.span);
        let finding = Finding::error("E0113", place, message).label("expected `owner`");
        findings.push(finding.hint("state the owner here, or in upstream.yaml for all sources"));
    }
    let mut out = ResolvedSource {
        name: name.to_owned(),
        fetch,
        tag: with_line(&tag_scheme, &version),
        tag_scheme,
        own_tag: false,
        branch: told.map(|r| r.branch.value.clone()),
        path: text(source.path.as_ref()).filter(|p| !p.is_empty()),
        asset: text(source.asset.as_ref()),
        url: Text::literal(format!("https://github.com/{owner}/{repository}")),
        owner,
        repository,
        version,
        revision: text(source.revision.as_ref()),
        save_as: source.save_as.clone(),
        folder: source.folder.clone(),
        flat: false,
        sparse: source.sparse.iter().map(|s| s.value.clone()).collect(),
        submodules: source.submodules,
        foreign_submodules: told.is_some_and(|r| r.submodules) && !source.submodules,
        post_fetch: text(source.post_fetch.as_ref()),
        when: source.when.clone(),
        key: String::new(),
        checksum: None,
        unchecked: text(source.unchecked.as_ref()),
        span,
    };
    out.url = address(source, &out);
    let of_line = |l: &ReleaseLine| with_line(of_release(l, &out.version), &out.version);
    let differs = |l: &ReleaseLine| of_line(l).pieces != out.tag.pieces;
    out.own_tag = source.tag.is_some() && line.is_none_or(differs);
    let key = || {
        if whole {
            key(&out, source.url.is_some(), at.model.owner())
        } else {
            String::new()
        }
    };
    out.key = text(source.checksum.as_ref()).unwrap_or_else(key);
    let listed = line.into_iter().flat_map(|l| &l.versions);
    let told = listed
        .into_iter()
        .find(|(v, _)| v.parse::<Release>().is_ok_and(|v| v == out.version));
    let fixed = lines.values().find_map(|l| l.files.get(&out.key));
    out.checksum = told
        .and_then(|(_, v)| v.checksums.get(&out.key))
        .or(fixed)
        .cloned();
    out.flat = fetch == Fetch::Asset && told.is_some_and(|(_, v)| v.flat_assets);
    out
}

/// Returns the version of a source that states none. This is `package`, the package's version. A
/// source with neither a tag nor an address of its own is fetched by the tag of the release. So its
/// version is the release, even if the package has a version of its own.
fn of_source(source: &Source, package: &Release) -> Release {
    let own_url = source
        .url
        .as_ref()
        .is_some_and(|url| url.references().all(|r| r != "tag"));
    let released = || {
        package
            .release()
            .parse()
            .unwrap_or_else(|_| package.clone())
    };
    if source.tag.is_some() || own_url {
        package.clone()
    } else {
        released()
    }
}

/// Returns the text of a value, or `None` if the value is not stated.
fn text(written: Option<&Spanned<String>>) -> Option<String> {
    written.map(|s| s.value.clone())
}

/// Returns the way in which a source is fetched: the way that the source states, or else `habit`,
/// the way of the distribution. If the habit is to fetch assets and the source has none, the
/// archive of the tag is fetched. A source at a commit has no asset, since assets belong to
/// releases. `before_assets` is true if the repository has no assets at this version.
fn way(source: &Source, habit: Fetch, before_assets: bool) -> Fetch {
    let archived = source.asset.is_none() || source.revision.is_some() || before_assets;
    source.fetch.unwrap_or(match habit {
        Fetch::Asset if archived => Fetch::Archive,
        habit => habit,
    })
}

/// Returns the tag of a source, with its references: as the source states it, or else as the
/// release states it, or else `${version}`.
fn scheme(source: &Source, line: Option<&ReleaseLine>, release: &Release, span: Span) -> Text {
    let of_line = line.map(|line| of_release(line, release));
    let version = || Text {
        pieces: vec![Piece::Reference("version".into())],
        span,
    };
    source
        .tag
        .as_ref()
        .or(of_line)
        .cloned()
        .unwrap_or_else(version)
}

/// Returns the address of a source: the stated address, in which `${tag}` is replaced by the tag,
/// or else the address at GitHub. `out` is the same source as far as it is resolved.
fn address(source: &Source, out: &ResolvedSource) -> Text {
    if let Some(url) = &source.url {
        let tagged = url.pieces.iter().flat_map(|piece| match piece {
            Piece::Reference(name) if name == "tag" => out.tag.pieces.iter(),
            other => std::slice::from_ref(other).iter(),
        });
        return Text {
            span: url.span,
            ..Text::joined(tagged)
        };
    }
    let home = &out.url;
    match (out.fetch, &out.revision) {
        (Fetch::Asset, _) => {
            let asset = out.asset.as_ref().unwrap_or(&out.repository);
            between(
                format!("{home}/releases/download/"),
                &out.tag,
                format!("/{asset}.tar.gz"),
            )
        }
        (Fetch::Archive, Some(commit)) => Text::literal(format!("{home}/archive/{commit}.tar.gz")),
        (Fetch::Archive, None) => between(
            format!("{home}/archive/refs/tags/"),
            &out.tag,
            ".tar.gz".to_owned(),
        ),
        (Fetch::Git | Fetch::Tree | Fetch::Inherited | Fetch::File, _) => home.clone(),
    }
}

/// Reports errors in a source that concern every distribution. Returns false if no distribution can
/// fetch the source.
fn check(name: &str, source: &Source, fetch: Fetch, span: Span, findings: &mut Findings) -> bool {
    let mut whole = true;
    if fetch == Fetch::File && source.url.is_none() {
        whole = false;
        findings.push(
            Finding::error(
                "E0231",
                span,
                format!("the source `{name}` is a file without an address"),
            )
            .label("expected `url`"),
        );
    }
    // An address and a name are enough as well: the checkout is placed under that name.
    let told = source.repository.is_some() || source.url.is_some() && source.save_as.is_some();
    if !matches!(fetch, Fetch::File | Fetch::Inherited) && !told {
        whole = false;
        // The stated address is the better place, since each distribution's habits are merged over
        // the source itself.
        let span = source.url.as_ref().map_or(span, |url| url.span);
        let missing = Finding::error(
            "E0230",
            span,
            format!("the source `{name}` names no repository"),
        )
        .label("expected `repository`");
        findings.push(if source.url.is_some() {
            missing.hint("write `fetch: file` if the address is that of a file")
        } else {
            missing
        });
    }
    let names = [("owner", &source.owner), ("repository", &source.repository)];
    for (key, written) in names
        .into_iter()
        .filter_map(|(key, w)| Some((key, w.as_ref()?)))
    {
        // GitHub's rule for both.
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if !written.value.is_empty() && written.value.chars().all(fine) {
            continue;
        }
        let odd = Finding::error(
            "E0232",
            written.span,
            format!("`{}` is not a valid {key}", written.value),
        )
        .label("expected letters, digits, `-`, `_` and `.`");
        findings.push(match written.value.split_once('/') {
            Some((owner, repository)) if key == "repository" => odd.hint(format!(
                "write `owner: {owner}` and `repository: {repository}`"
            )),
            _ => odd,
        });
        whole = false;
    }
    for path in source
        .path
        .iter()
        .chain(&source.sparse)
        .filter(|p| !stays_inside(&p.value))
    {
        findings.push(outside(&path.value, path.span));
    }
    for text in [&source.folder, &source.save_as].into_iter().flatten() {
        let literal = text.to_string();
        if !stays_inside(&literal) {
            findings.push(outside(&literal, text.span));
        } else if literal.is_empty() {
            let finding = Finding::error("E0563", text.span, "the path is empty");
            findings.push(finding.label("expected a name; write `.` for the current folder"));
        }
    }
    if let Some(commit) = &source.revision {
        let fine = |c: char| c.is_ascii_alphanumeric() || "-_./".contains(c);
        if commit.value.is_empty() || !commit.value.chars().all(fine) {
            let message = format!("`{}` is not a valid revision", commit.value);
            findings.push(
                Finding::error("E0566", commit.span, message).label("expected a commit or a tag"),
            );
            whole = false;
        }
        // A stated address may contain the commit, which a recipe can then keep in one place.
        let held = source
            .url
            .as_ref()
            .is_some_and(|url| url.to_string().contains(&commit.value));
        if matches!(fetch, Fetch::Asset | Fetch::File) && !held {
            let message = format!("the source `{name}` can't have a `revision`");
            findings.push(
                Finding::error("E0566", commit.span, message).label(match fetch {
                    Fetch::Asset => {
                        "an asset belongs to a release: expected `fetch: archive`, or no `revision`"
                    }
                    _ => "expected an address that contains the revision, or no `revision`",
                }),
            );
        }
    }
    whole
}

/// Returns true if a path stays inside the folder that it is relative to.
pub(crate) fn stays_inside(path: &str) -> bool {
    !path.starts_with(['/', '~']) && path.split('/').all(|part| part != "..")
}

/// Returns the finding about a path that leads out of the folder that it is relative to.
pub(crate) fn outside(path: &str, span: Span) -> Finding {
    Finding::error(
        "E0563",
        span,
        format!("the path `{path}` leads out of its folder"),
    )
    .label("expected a path without `..` that does not begin with `/`")
}

/// Sets the folder of each archive whose files are not in a folder, unless the source states one. A
/// single such archive is unpacked in the current folder. Of several, each is unpacked into a
/// folder with the name of its asset.
pub(crate) fn place_flat(sources: &mut [ResolvedSource]) {
    let alone = sources.iter().filter(|s| s.flat).count() == 1;
    for s in sources.iter_mut().filter(|s| s.flat) {
        let own = if alone {
            HERE
        } else {
            s.asset.as_deref().unwrap_or(&s.repository)
        };
        s.folder.get_or_insert_with(|| Text::literal(own));
    }
}

impl ResolvedSource {
    /// Returns true if the source is an archive whose files are not in a folder, and a recipe must
    /// create a folder for them. Returns false if they are unpacked in the current folder.
    pub fn needs_folder(&self) -> bool {
        self.flat && self.folder.as_ref().and_then(Text::as_literal).as_deref() != Some(HERE)
    }
}
