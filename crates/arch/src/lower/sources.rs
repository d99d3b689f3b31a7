//! The field `source` and its checksums, and the folders that sources unpack to.

use crate::lower::vocabulary::Context;
use crate::value::ir::Field;
use rocpkg_model::{Checksum, Fetch, Finding, Findings, Node, Piece, Span, SumKind, Text};
use rocpkg_render::bash::Word;
use rocpkg_render::{Pinned, Sum};
use rocpkg_resolve::{Planned, ResolvedSource, check_folder, with_version};

/// The entries of `source`, and the checksum of each.
#[derive(Clone, Debug, Default)]
pub(crate) struct Fetched {
    /// The elements of `source`.
    pub(crate) source: Vec<Word>,
    /// The checksums, in the same order.
    pub(crate) sums: Vec<Word>,
    /// The names of sources that are files beside the PKGBUILD, such as patches.
    pub(crate) companions: Vec<String>,
    /// The sources whose checksums the PKGBUILD states. Zeros stand for an unknown checksum.
    pub(crate) pinned: Vec<Pinned>,
}

/// Returns the field for checksums of this kind.
pub(crate) fn sums_field(kind: SumKind) -> Field {
    match kind {
        SumKind::Sha256 => Field::Sha256sums,
        SumKind::Sha512 => Field::Sha512sums,
        SumKind::B2 => Field::B2sums,
    }
}

/// Returns the number of hexadecimal digits of a checksum.
fn digits(kind: SumKind) -> usize {
    if kind == SumKind::Sha256 { 64 } else { 128 }
}

/// Returns the checksum that the profile states for a file beside the PKGBUILD, if there is one.
pub(crate) fn local_sum(p: &Planned, name: &str) -> Option<Sum> {
    let patches = p
        .package
        .patches
        .iter()
        .filter(|f| f.url.is_none() && f.file.value == name);
    let own = p.package.pkgbuild.as_ref();
    let files = own
        .and_then(|b| b.files.get(name))
        .and_then(|f| f.hash.as_ref());
    let stated = patches
        .filter_map(|f| f.hash.as_ref())
        .chain(files)
        .next()?
        .value
        .to_ascii_lowercase();
    Some(match own.and_then(|b| b.sums).unwrap_or(SumKind::Sha256) {
        SumKind::Sha256 => Sum::Sha256(stated),
        SumKind::Sha512 => Sum::Sha512(stated),
        SumKind::B2 => Sum::Blake2b(stated),
    })
}

/// Returns all sources: those of the model, then patches, then other files beside the PKGBUILD.
pub(crate) fn fetched(cx: &Context, findings: &mut Findings) -> Fetched {
    let mut out = Fetched::default();
    let kind = cx.sum_kind();
    check_folder(&cx.p.sources, findings);
    for s in cx.p.fetched() {
        out.source.push(address(cx, s));
        let (of, address) = (s.key.clone(), with_version(&s.url, &s.version));
        let (version, span) = (s.version.to_string(), s.span);
        let pinned = Pinned {
            of,
            version,
            address,
            span,
            ..Pinned::default()
        };
        out.pin(pinned, kind, sum(cx, s, kind, findings));
    }
    let files =
        cx.p.package
            .pkgbuild
            .iter()
            .flat_map(|b| &b.files)
            .map(|(n, f)| (n.as_str(), None, f.hash.as_ref()));
    let patches =
        cx.p.applied()
            .map(|p| (p.file.value.as_str(), p.url.as_ref(), p.hash.as_ref()));
    for (name, url, hash) in patches.chain(files) {
        if let Some(url) = url {
            // By default makepkg saves a file under the last part of its address.
            let is_last = with_version(url, &cx.p.version).rsplit('/').next() == Some(name);
            let name = if is_last {
                Word::default()
            } else {
                Word::lit(format!("{name}::"))
            };
            out.source.push(name.then(cx.entry(url, findings)));
        } else {
            out.source.push(Word::lit(name));
            out.companions.push(name.to_owned());
        }
        check_local(name, cx, findings);
        let sum = hash.map(|h| {
            let is_sum = is_sum(&h.value, kind);
            if is_sum {
                h.value.to_ascii_lowercase()
            } else {
                no_sum(name, h.span, kind, findings)
            }
        });
        let address = url
            .map(|url| with_version(url, &cx.p.version))
            .unwrap_or_default();
        let (of, version, span) = (
            name.to_owned(),
            cx.p.version.to_string(),
            named_at(name, cx),
        );
        out.pin(
            Pinned {
                of,
                version,
                address,
                span,
                ..Pinned::default()
            },
            kind,
            sum,
        );
    }
    out
}

impl Fetched {
    /// Adds the checksum of a source, or zeros for an unknown one. makepkg prints zeros as it
    /// prints any other checksum. As no file has this checksum, the build stops at its integrity
    /// check. With `SKIP`, a missing checksum would not be noticed.
    fn pin(&mut self, pinned: Pinned, kind: SumKind, sum: Option<String>) {
        // A source without an address is reported elsewhere, and a checkout has no sum.
        if !pinned.of.is_empty() && sum.as_ref().is_none_or(|sum| is_sum(sum, kind)) {
            let kinds: &[&str] = match kind {
                SumKind::Sha256 => &["sha256"],
                SumKind::Sha512 => &["sha512"],
                SumKind::B2 => &["blake2b"],
            };
            self.pinned.push(Pinned {
                kinds,
                known: sum.is_some(),
                ..pinned
            });
        }
        self.sums
            .push(Word::lit(sum.unwrap_or_else(|| "0".repeat(digits(kind)))));
    }
}

fn is_sum(text: &str, kind: SumKind) -> bool {
    text.len() == digits(kind) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Returns the checksum of a source; `None` if it is not known.
fn sum(cx: &Context, s: &ResolvedSource, kind: SumKind, findings: &mut Findings) -> Option<String> {
    if s.unchecked.is_some() {
        let pinned =
            s.revision.is_some() || cx.p.sources.first().is_none_or(|main| main.name != s.name);
        if s.fetch == Fetch::Git && pinned {
            return Some("SKIP".into());
        }
        findings.push(
            Finding::error(
                "E0410",
                s.span,
                format!("the archive `{}` must have a checksum", s.name),
            )
            .label("only a git checkout of a pinned commit may be unchecked")
            .hint("state its checksum in the release's table"),
        );
    }
    let known = s.checksum.as_ref().and_then(|c: &Checksum| match kind {
        SumKind::Sha256 => c.sha256.as_ref(),
        SumKind::Sha512 => c.sha512.as_ref(),
        SumKind::B2 => c.blake2b.as_ref(),
    });
    // The table of the release is checked when it is read.
    known.map(|h| h.value.to_ascii_lowercase())
}

/// Reports that the checksum of `what` is no checksum of this kind. Returns zeros, so that there
/// are as many checksums as sources.
fn no_sum(what: &str, span: rocpkg_model::Span, kind: SumKind, findings: &mut Findings) -> String {
    findings.push(
        Finding::error(
            "E0411",
            span,
            format!("the checksum of `{what}` is not a valid {}", kind.word()),
        )
        .label(format!("expected {} hexadecimal digits", digits(kind))),
    );
    "0".repeat(digits(kind))
}

/// Reports a file beside the PKGBUILD whose name contains a slash or a character that is not
/// allowed: makepkg looks only in the folder of the PKGBUILD.
pub(crate) fn check_local(name: &str, cx: &Context, findings: &mut Findings) {
    if name.contains('/') || rocpkg_render::RelPath::new(name).is_err() {
        let message = format!(
            "`{}` can't be a file beside a PKGBUILD",
            name.escape_debug()
        );
        findings.push(
            Finding::error("E0431", named_at(name, cx), message)
                .label("expected a file name of letters, digits and `-_.+@=`"),
        );
    }
}

/// Returns the place where the profile names a file beside the PKGBUILD: a patch, or another file.
fn named_at(name: &str, cx: &Context) -> Span {
    let patch =
        cx.p.package
            .patches
            .iter()
            .map(|patch| &patch.file)
            .find(|file| file.value == name);
    let own = cx.p.node.get("pkgbuild");
    let files = own
        .and_then(|own| own.get("files"))
        .map(Node::entries)
        .unwrap_or_default();
    let file = || {
        files
            .iter()
            .find(|(key, _)| key.name == name)
            .map(|(key, _)| key.span)
    };
    patch
        .map(|file| file.span)
        .or_else(file)
        .unwrap_or_else(|| cx.p.place())
}

/// Returns the entry of `source`: `name::address`, with `#tag=` or `#commit=` for a checkout.
fn address(cx: &Context, s: &ResolvedSource) -> Word {
    let url = versioned(cx, s, &s.url);
    if matches!(s.fetch, Fetch::Git | Fetch::Tree) {
        // A checkout always has a name, even that of the repository, as packages share checkouts by
        // name.
        let name = match &s.save_as {
            Some(n) => versioned(cx, s, n).literal("::"),
            None => Word::lit(format!("{}::", s.repository)),
        };
        let pin = match (&s.revision, &s.unchecked) {
            (Some(r), _) => Word::lit(format!("#commit={r}")),
            // A submodule's repository names the commit.
            (None, Some(_)) => Word::default(),
            (None, None) => Word::lit("#tag=").then(versioned(cx, s, &s.tag)),
        };
        return name.literal("git+").then(url).then(pin);
    }
    let name = match (&s.save_as, s.fetch) {
        (Some(n), _) => Some(versioned(cx, s, n)),
        (None, Fetch::File) => None,
        (None, Fetch::Asset) => {
            let asset = s.asset.as_deref().unwrap_or(&s.repository);
            Some(
                Word::lit(format!("{asset}-"))
                    .then(version(cx, s))
                    .literal(".tar.gz"),
            )
        }
        (None, _) if s.repository.replace('_', "-") == cx.p.name => Some(
            Word::var(cx.name_variable())
                .literal("-")
                .then(version(cx, s))
                .literal(".tar.gz"),
        ),
        (None, _) => Some(match s.own_archive() {
            Some(name) => versioned(cx, s, &name),
            None => Word::lit(format!("{}-", s.repository))
                .then(version(cx, s))
                .literal(".tar.gz"),
        }),
    };
    name.map(|n| n.literal("::")).unwrap_or_default().then(url)
}

/// Returns the word for the source's version: `$pkgver`, or the version itself if the source has
/// one of its own.
fn version(cx: &Context, s: &ResolvedSource) -> Word {
    if s.version.as_str() == cx.p.version.as_str() {
        Word::var("pkgver")
    } else {
        Word::lit(s.version.as_str())
    }
}

fn versioned(cx: &Context, s: &ResolvedSource, text: &Text) -> Word {
    text.pieces
        .iter()
        .fold(Word::default(), |e, piece| match piece {
            Piece::Literal(t) => e.literal(t.clone()),
            Piece::Reference(r) if r == "version" => e.then(version(cx, s)),
            Piece::Reference(r) if r == "name" => e.variable(cx.name_variable()),
            Piece::Reference(r) => e.literal(format!("${{{r}}}")),
        })
}

/// Returns the folder below `$srcdir` that makepkg unpacks a source to.
pub(crate) fn checkout(cx: &Context, s: &ResolvedSource) -> Word {
    if let Some(folder) = &s.folder {
        return versioned(cx, s, folder);
    }
    match s.fetch {
        Fetch::Git | Fetch::Tree | Fetch::Inherited => s
            .save_as
            .as_ref()
            .map_or_else(|| Word::lit(s.repository.clone()), |n| versioned(cx, s, n)),
        Fetch::Asset => Word::lit(s.asset.clone().unwrap_or_else(|| s.repository.clone())),
        Fetch::Archive => versioned(cx, s, &s.archive_folder()),
        Fetch::File => Word::default(),
    }
}

/// Returns the folder at `path` inside a source, below `$srcdir`. Returns the source's own folder
/// if `path` is `None`.
pub(crate) fn folder(cx: &Context, s: &ResolvedSource, path: Option<&str>) -> Word {
    let root = checkout(cx, s);
    let Some(path) = path else { return root };
    match path.rsplit_once('/') {
        Some((above, last)) if last == cx.p.name && !cx.split => {
            root.literal(format!("/{above}/")).variable("pkgname")
        }
        _ => root.literal(format!("/{path}")),
    }
}
