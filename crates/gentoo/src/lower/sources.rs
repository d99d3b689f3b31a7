//! Sources: `SRC_URI`, the names in DISTDIR, and the folders that archives unpack to.

use crate::lower::context::{Context, folder_variable};
use crate::lower::depends::{Path, insert};
use crate::lower::ir::Distfile;
use crate::value::ebuild::Variable;
use crate::value::line::{FIRST_TWO, OF_LINE};
use rocpkg_model::{Fetch, Piece, Span, Text, When};
use rocpkg_pms::{Node, Spec, SrcUri, SrcUriSpec};
use rocpkg_render::Pinned;
use rocpkg_render::bash::Word;
use rocpkg_resolve::{LINE, Release, Saved, check_folder, check_saved, with_version};
use rocpkg_shell::Place;
use std::collections::{BTreeMap, BTreeSet};

/// An entry of `SRC_URI`.
struct Address<'a> {
    file: Saved,
    /// The address as it is written, followed by `-> NAME` if the file's name is another one.
    text: String,
    /// Set if the address contains a dollar sign that is not part of a reference.
    own_dollar: bool,
    when: Option<&'a When>,
}

impl Context<'_> {
    /// Returns `SRC_URI`. Addresses contain variables, so that the version is stated in one place.
    pub(crate) fn sources(&mut self) -> SrcUriSpec {
        let mut all: Vec<Address> = Vec::new();
        let p = self.p;
        for (i, s) in p.sources.iter().enumerate() {
            if matches!(s.fetch, Fetch::Inherited) || self.is_checked_out(s) {
                continue;
            }
            if matches!(s.fetch, Fetch::Git | Fetch::Tree) {
                let message =
                    "an ebuild only fetches archives: expected `asset`, `archive` or `file`";
                self.error("E0318", s.span, message);
                continue;
            }
            let url = variables(&self.versioned(&s.url, i));
            // GitHub also serves a tag's archive under a shorter address. It is used if the profile
            // states no address.
            let stated = p
                .node
                .get("sources")
                .and_then(|all| all.get(&s.name)?.get("url"))
                .is_some();
            let short = s.fetch == Fetch::Archive && !stated;
            let url = if short {
                url.replace("/archive/refs/tags/", "/archive/")
            } else {
                url
            };
            let stored = plain(&self.distfile(i)).replace(FIRST_TWO, OF_LINE);
            let url = match &s.revision {
                Some(commit) => url.replace(commit, &format!("${{{}}}", commit_variable(&s.name))),
                None => url,
            };
            let (name, address) = (self.stored(i), with_version(&s.url, &s.version));
            let own = address.rsplit('/').next() == Some(name.as_str());
            let text = if own {
                url
            } else {
                format!("{url} -> {stored}")
            };
            let own_dollar = dollar(&s.url) || s.save_as.as_ref().is_some_and(dollar);
            all.push(Address {
                file: Saved {
                    name,
                    address,
                    span: s.span,
                },
                text,
                own_dollar,
                when: s.when.as_ref(),
            });
        }
        for patch in &p.package.patches {
            let Some(url) = &patch.url else { continue };
            let text = format!("{} -> {}", variables(url), patch.file.value);
            let (name, address) = (patch.file.value.clone(), with_version(url, &p.version));
            let file = Saved {
                name,
                address,
                span: patch.file.span,
            };
            all.push(Address {
                file,
                text,
                own_dollar: dollar(url),
                when: None,
            });
        }
        let mut nodes: Vec<Node<SrcUri>> = Vec::new();
        let mut known: BTreeMap<&str, Vec<Path>> = BTreeMap::new();
        for Address {
            file,
            text,
            own_dollar,
            when,
        } in &all
        {
            let Some(uri) = address(file, text).filter(|_| !*own_dollar) else {
                self.error(
                    "E0319",
                    file.span,
                    format!("`{text}` is not the address of a file"),
                );
                continue;
            };
            let paths = when.map_or_else(
                || vec![Path::new()],
                |when| self.paths(&when.cond, when.span),
            );
            // Two sources may be folders of one archive.
            let before = known.entry(text).or_default();
            for path in paths {
                if !before.contains(&Path::new()) && !before.contains(&path) {
                    insert(&mut nodes, &path, vec![uri.clone()]);
                    before.push(path);
                }
            }
        }
        check_saved(
            &all.into_iter()
                .map(|address| address.file)
                .collect::<Vec<_>>(),
            self.findings,
        );
        check_folder(&p.sources, self.findings);
        Spec::new(nodes)
    }

    /// Returns the name in DISTDIR under which the source at index `at` is saved: the stated name,
    /// else the asset's name with the version, else a name with `${P}`.
    pub(crate) fn distfile(&self, at: usize) -> Word {
        let s = &self.p.sources[at];
        let text = match (&s.save_as, s.fetch, &s.asset) {
            (Some(name), ..) => name.clone(),
            (None, Fetch::Asset, asset) => {
                let asset = asset.clone().unwrap_or_else(|| s.repository.clone());
                named(&asset)
            }
            (None, Fetch::Archive, _) if at == 0 && s.path.is_none() => named(&self.p.name),
            // Other packages fetch the same archive, so its name contains the tag or commit.
            (None, Fetch::Archive, _) => {
                let mut name = self.versioned(&s.archive_folder(), at);
                name.pieces.push(Piece::Literal(".tar.gz".into()));
                name
            }
            _ => {
                let url = with_version(&s.url, &s.version);
                Text::literal(url.rsplit('/').next().unwrap_or_default())
            }
        };
        let same_version = self.p.version.as_str() == s.version.as_str();
        shorten(&self.versioned(&text, at), &self.p.name, same_version)
    }

    /// Returns `text`, which belongs to the source at index `at`. If the source's version differs
    /// from the package's, `${version}` is replaced by the source's version. Else a tag that is
    /// made of the first two numbers of the version gets `${line}` in their place.
    fn versioned(&self, text: &Text, at: usize) -> Text {
        let source = &self.p.sources[at];
        let is_own = source.version.as_str() == self.p.version.as_str();
        let tag = with_version(&source.tag, &source.version);
        let is_of_line = |piece: &Piece| *piece == Piece::Reference(LINE.to_owned());
        let follows = is_own && source.tag_scheme.pieces.iter().any(is_of_line);
        let pieces = text.pieces.iter().flat_map(|piece| match piece {
            Piece::Reference(name) if name == "version" && !is_own => {
                vec![Piece::Literal(source.version.to_string())]
            }
            Piece::Literal(literal) if follows => match literal.split_once(&tag) {
                Some((head, tail)) => {
                    let ends = [head, tail].map(|end| Piece::Literal(end.to_owned()));
                    let [head, tail] = ends.map(|end| vec![end]);
                    [head, source.tag_scheme.pieces.clone(), tail].concat()
                }
                None => vec![piece.clone()],
            },
            other => vec![other.clone()],
        });
        Text {
            span: text.span,
            ..Text::joined(&pieces.collect::<Vec<_>>())
        }
    }

    /// Returns the name of `distfile` with its variables expanded: `${P}.tar.gz` →
    /// `hip-7.2.4.tar.gz`.
    pub(crate) fn stored(&self, at: usize) -> String {
        let version = crate::lower::live::version(self.plan, self.p);
        plain(&self.distfile(at))
            .replace("${P}", &format!("{}-{version}", self.p.name))
            .replace("${PN}", &self.p.name)
            .replace("${PV}", self.p.sources[at].version.as_str())
            .replace(FIRST_TWO, &self.p.sources[at].version.line())
    }

    /// Returns a variable such as `COMPOSABLE_KERNEL_COMMIT` for each commit at which a source is
    /// fetched. A version bump then changes one line.
    pub(crate) fn commits(&self) -> Vec<Variable> {
        let commits = self
            .p
            .sources
            .iter()
            .filter_map(|s| Some((&s.name, s.revision.as_ref()?)));
        commits
            .map(|(name, sum)| Variable::new(&commit_variable(name), Word::lit(sum.clone())))
            .collect()
    }

    pub(crate) fn distfiles(&mut self) -> Vec<Distfile> {
        let mut out: Vec<Distfile> = Vec::new();
        let mut names = BTreeSet::new();
        for (i, s) in self.p.sources.iter().enumerate() {
            if matches!(s.fetch, Fetch::Inherited | Fetch::Git | Fetch::Tree)
                || self.is_checked_out(s)
            {
                continue;
            }
            let name = self.stored(i);
            if !names.insert(name.clone()) {
                continue;
            }
            let sums = s.checksum.as_ref().and_then(|c| {
                let (blake2b, sha512) = (c.blake2b.as_ref()?, c.sha512.as_ref()?);
                Some((
                    c.size?,
                    blake2b.value.to_lowercase(),
                    sha512.value.to_lowercase(),
                ))
            });
            let pinned = pinned(&name, &s.url, &s.version, s.span);
            let pinned = Pinned {
                of: s.key.clone(),
                known: sums.is_some(),
                ..pinned
            };
            out.push(Distfile { name, sums, pinned });
        }
        for patch in &self.p.package.patches {
            let Some(url) = &patch.url else { continue };
            let name = patch.file.value.clone();
            let pinned = pinned(&name, url, &self.p.version, patch.file.span);
            out.push(Distfile {
                sums: None,
                pinned: Pinned {
                    of: name.clone(),
                    ..pinned
                },
                name,
            });
        }
        out
    }

    /// Returns the folder that the archive of the source at index `at` unpacks to: `repository-tag`
    /// for GitHub's archive of a tag, else the name of the asset or of the repository.
    pub(crate) fn archive_folder(&self, at: usize) -> Word {
        let s = &self.p.sources[at];
        match s.fetch {
            Fetch::Archive => {
                let folder = self.versioned(&s.archive_folder(), at);
                rocpkg_shell::word(&folder, Place::One, &mut of_version)
            }
            _ => Word::lit(s.asset.clone().unwrap_or_else(|| s.repository.clone())),
        }
    }

    /// Returns the folder that contains the source at index `at` after `src_unpack`, such as
    /// `${WORKDIR}/hip-${PV}`.
    pub(crate) fn unpacked(&mut self, at: usize) -> Word {
        let p = self.p;
        let s = &p.sources[at];
        if self.is_checked_out(s) {
            return self.checked_out(s);
        }
        let work = Word::var("WORKDIR").literal("/");
        if s.flat && !s.needs_folder() {
            let top = Word::var("WORKDIR");
            return match s.project() {
                Some(path) => top.literal(format!("/{path}")),
                None => top,
            };
        }
        if let Some(folder) = &s.folder {
            let folder = self.versioned(folder, at);
            let Some((commit, text)) = s.revision.as_ref().zip(folder.as_literal()) else {
                return work.then(self.word(&folder));
            };
            let mut parts = text.split(commit.as_str());
            let head = work.literal(parts.next().unwrap_or_default());
            return parts.fold(head, |w, part| {
                w.variable(commit_variable(&s.name)).literal(part)
            });
        }
        let top = work.then(self.archive_folder(at));
        match s.project() {
            Some(path) if matches!(s.fetch, Fetch::Archive | Fetch::Asset) => {
                top.literal(format!("/{path}"))
            }
            _ => top,
        }
    }
}

/// Returns the record of a fetched file whose checksums a Manifest states. `name` is the file's
/// name in DISTDIR. `url` is its address, in which `version` replaces `${version}`.
fn pinned(name: &str, url: &Text, version: &Release, span: Span) -> Pinned {
    let (address, version) = (with_version(url, version), version.to_string());
    let kinds = &["size", "blake2b", "sha512"];
    Pinned {
        name: name.to_owned(),
        version,
        address,
        kinds,
        span,
        ..Pinned::default()
    }
}

/// Parses `text`, an entry of `SRC_URI` with variables: `ADDRESS` or `ADDRESS -> NAME`. `file` has
/// the same address and name with all variables expanded. Returns `None` if Portage refuses the
/// address or the name, or if the text can't be written between the quotes of `SRC_URI`.
fn address(file: &Saved, text: &str) -> Option<SrcUri> {
    let is_odd = text.contains(['`', '"', '\\', '\'']) || text.replace("${", "").contains('$');
    let fits = !is_odd
        && SrcUri::new(&file.address)
            .and_then(|u| u.stored_as(&file.name))
            .is_ok();
    let uri = match text.split_once(" -> ") {
        Some((uri, name)) => SrcUri::new(uri).and_then(|uri| uri.stored_as(name)),
        None => SrcUri::new(text),
    };
    uri.ok().filter(|_| fits)
}

/// Returns true if a text has a dollar sign that is not part of a reference. In `SRC_URI` bash
/// would expand it.
fn dollar(text: &Text) -> bool {
    text.pieces
        .iter()
        .any(|p| matches!(p, Piece::Literal(t) if t.contains('$')))
}

/// Returns the variable of a source's commit: `gtest` → `GTEST_COMMIT`.
fn commit_variable(source: &str) -> String {
    format!("{}_COMMIT", folder_variable(source).trim_end_matches("_S"))
}

/// Returns the text `name-${version}.tar.gz`.
fn named(name: &str) -> Text {
    Text {
        pieces: vec![
            Piece::Literal(format!("{name}-")),
            Piece::Reference("version".into()),
            Piece::Literal(".tar.gz".into()),
        ],
        span: Span::default(),
    }
}

/// Converts `text` to a word with the variables of ebuilds: `hip-${version}` → `${P}`, `${version}`
/// → `${PV}`, `${name}` → `${PN}`. `name` is the package's name. `${P}` is used only with
/// `same_version`: the source has the package's version.
fn shorten(text: &Text, name: &str, same_version: bool) -> Word {
    let own = Piece::Literal(format!("{name}-"));
    let is_own = |at: usize| same_version && text.pieces.get(at) == Some(&own);
    let is_version = |at: usize| text.pieces.get(at) == Some(&Piece::Reference("version".into()));
    let pieces = text.pieces.iter().enumerate();
    pieces.fold(Word::default(), |word, (at, piece)| match piece {
        Piece::Literal(_) if is_own(at) && is_version(at + 1) => word,
        Piece::Literal(text) => word.literal(text.clone()),
        Piece::Reference(r) if r == "version" && at > 0 && is_own(at - 1) => word.variable("P"),
        Piece::Reference(r) if r == "version" || r == LINE => word.then(of_version(r)),
        Piece::Reference(r) if r == "name" => word.variable("PN"),
        Piece::Reference(r) => word.variable(r.clone()),
    })
}

/// Returns the word for `${line}` or `${version}`.
fn of_version(reference: &str) -> Word {
    if reference == LINE {
        Word::cmd(["ver_cut", "1-2"].map(Word::lit).to_vec())
    } else {
        Word::var("PV")
    }
}

/// Returns the text of `url` with `${PV}` in the place of each reference but `${line}`.
fn variables(url: &Text) -> String {
    let piece = |p: &Piece| match p {
        Piece::Literal(t) => t.clone(),
        Piece::Reference(r) if r == LINE => OF_LINE.to_owned(),
        Piece::Reference(_) => "${PV}".to_owned(),
    };
    url.pieces.iter().map(piece).collect()
}

/// Returns a word of literals and variables as it is printed, but without the quotes around it:
/// `${P}.tar.gz`.
fn plain(word: &Word) -> String {
    word.print(rocpkg_render::bash::Quoting::Whole)
        .trim_matches('"')
        .to_owned()
}
