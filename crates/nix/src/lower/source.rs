//! Lowers the source and the patches of a package to `src`, `sourceRoot` and `patches`.

use crate::lower::model_text::merge;
use crate::lower::{Lower, list};
use crate::value::expr::{Binding, Item, NixExpr, Part, named};
use rocpkg_model::{Fetch, Finding, NixReference, Patch, Piece, Span, Text};
use rocpkg_render::Pinned;
use rocpkg_resolve::{LINE, ResolvedSource, SRI_FORM, is_sri, with_version};

/// The hash that is written if the right one is not known. Nix refuses to build with it, and prints
/// the right hash. It is a literal and not `lib.fakeHash`, because `update-source-version` searches
/// the text for the hash that it replaces.
pub const NO_HASH: &str = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";

impl Lower<'_> {
    /// Returns the expression for an address or a tag of `source`. References to the version become
    /// `finalAttrs.version`, or plain text if the source has a version of its own.
    fn versioned(&mut self, text: &Text, source: &ResolvedSource) -> NixExpr {
        match merge(self.versioned_parts(text, source)).as_slice() {
            [Part::Value(value)] => value.clone(),
            parts => NixExpr::Str(parts.to_vec()),
        }
    }

    fn versioned_parts(&mut self, text: &Text, source: &ResolvedSource) -> Vec<Part> {
        let own = source.version.as_str() != self.planned.version.as_str();
        let parts = text.pieces.iter().map(|p| match p {
            Piece::Literal(t) => Part::Text(t.clone()),
            Piece::Reference(r) if r == "version" && own => Part::Text(source.version.to_string()),
            Piece::Reference(r) if r == LINE && own => Part::Text(source.version.line()),
            // The tag is computed from the version, so that a change of the version changes the tag
            // too.
            Piece::Reference(r) if r == LINE => Part::Value(NixExpr::call(
                "lib.versions.majorMinor",
                [named("finalAttrs.version")],
            )),
            Piece::Reference(r) => Part::Value(self.reference(r, source.span)),
        });
        merge(parts.collect())
    }

    pub(crate) fn source(&mut self, b: &mut Vec<Binding>) {
        let sources = &self.planned.sources;
        let Some(main) = sources.first() else { return };
        let fetched = match &self.nix.source {
            Some(from) => self.native(from),
            None => self.fetch(main),
        };
        b.push(Binding::new("src", fetched).apart());
        // The archive of an asset contains only the project.
        if let Some(path) = main.project().filter(|_| main.fetch != Fetch::Asset)
            && let Some(mut root) = self.unpacked(main)
        {
            root.push(Part::Text(format!("/{path}")));
            b.push(Binding::new("sourceRoot", NixExpr::Str(merge(root))));
        }
        for extra in &sources[1..] {
            let finding = Finding::error(
                "E0506",
                extra.span,
                format!(
                    "the Nix expression does not use the source `{}`",
                    extra.name
                ),
            )
            .label("a derivation builds only one source")
            .hint("remove it with `~`, or name it under `nix: bindings:`");
            self.findings.push(finding);
        }
    }

    /// Returns the folder that a source unpacks to. For a checkout it is `finalAttrs.src.name`. For
    /// an archive the profile states the folder. Returns `None` if it does not.
    fn unpacked(&mut self, s: &ResolvedSource) -> Option<Vec<Part>> {
        if !matches!(s.fetch, Fetch::Archive | Fetch::File) {
            return Some(vec![Part::Value(named("finalAttrs.src.name"))]);
        }
        Some(self.versioned_parts(s.folder.as_ref()?, s))
    }

    fn fetch(&mut self, s: &ResolvedSource) -> NixExpr {
        let sum = s
            .checksum
            .as_ref()
            .and_then(|c| c.sri.as_ref())
            .map(|h| h.value.clone());
        let (of, version) = (s.key.clone(), s.version.to_string());
        let hash = self.pin(sum, of, version, with_version(&s.url, &s.version), s.span);
        if matches!(s.fetch, Fetch::Asset | Fetch::Archive | Fetch::File) {
            let set = vec![
                Binding::new("url", self.versioned(&s.url, s)),
                Binding::new("hash", hash),
            ];
            return NixExpr::call("fetchurl", [NixExpr::Set(set)]);
        }
        // The source has an address of its own.
        let own = self
            .package
            .sources
            .get(&s.name)
            .and_then(|w| w.url.as_ref());
        let mut b = if own.is_some() {
            vec![Binding::new("url", self.versioned(&s.url, s))]
        } else {
            let [owner, repository] = [&s.owner, &s.repository].map(NixExpr::string);
            vec![
                Binding::new("owner", owner),
                Binding::new("repo", repository),
            ]
        };
        b.push(if let Some(revision) = &s.revision {
            Binding::new("rev", NixExpr::string(revision))
        } else {
            let key = if self.nix.reference == NixReference::Tag {
                "tag"
            } else {
                "rev"
            };
            Binding::new(key, self.versioned(&s.tag_scheme, s))
        });
        if !s.sparse.is_empty() {
            b.push(Binding::new("sparseCheckout", NixExpr::strings(&s.sparse)));
        }
        if s.submodules {
            b.push(Binding::new("fetchSubmodules", NixExpr::Bool(true)));
        }
        b.push(Binding::new("hash", hash));
        if let Some(text) = &s.post_fetch {
            let read = Text::parse(text, s.span).unwrap_or_else(|_| Text::literal(text.clone()));
            let mut parts = self.parts(&read);
            if !text.ends_with('\n') {
                parts.push(Part::Text("\n".into()));
            }
            b.push(Binding::new("postFetch", NixExpr::Lines(merge(parts))));
        }
        let fetcher = if own.is_some() {
            "fetchgit"
        } else {
            "fetchFromGitHub"
        };
        NixExpr::call(fetcher, [NixExpr::Set(b)])
    }

    /// Returns the hash `sum` as a string, or [`NO_HASH`] if it is not known. Records that the
    /// subject `of`, a source or a patch, needs this hash.
    fn pin(
        &mut self,
        sum: Option<String>,
        of: String,
        version: String,
        address: String,
        span: Span,
    ) -> NixExpr {
        // A source without an address is reported elsewhere.
        if !of.is_empty() {
            let (kinds, known) = (&["sri"], sum.is_some());
            self.pinned.push(Pinned {
                of,
                version,
                address,
                kinds,
                known,
                span,
                ..Pinned::default()
            });
        }
        NixExpr::string(sum.unwrap_or_else(|| NO_HASH.to_owned()))
    }

    fn misplaced(&mut self, patch: &Patch, label: &str) {
        let message = format!(
            "`patches` can't state how `{}` is applied",
            patch.file.value
        );
        let finding = Finding::error("E0504", patch.file.span, message);
        self.findings.push(
            finding
                .label(label)
                .hint("write a `patch` step in `phases.postPatch`"),
        );
    }

    pub(crate) fn patches(&mut self, b: &mut Vec<Binding>) {
        let mut items = Vec::new();
        for p in &self.package.patches {
            let value = if let Some(url) = &p.url {
                self.fetched_patch(p, url)
            } else {
                if p.inside.is_some()
                    || p.strip != 1
                    || p.relative.is_some()
                    || !p.excludes.is_empty()
                {
                    let whole = "expected a whole patch for the source's folder with strip level 1";
                    self.misplaced(p, whole);
                }
                self.companion(&p.file.value);
                NixExpr::Path(p.file.value.clone())
            };
            let habit = (!p.site.0.is_empty())
                .then(|| "Code objects of a compatible ISA may be loaded".to_owned());
            items.push((
                None,
                Item {
                    value,
                    comment: p.comment.clone().or(habit),
                },
            ));
        }
        b.extend(list("patches", items));
    }

    fn fetched_patch(&mut self, p: &Patch, url: &Text) -> NixExpr {
        if p.inside.is_some() {
            self.misplaced(p, "expected a patch for the source's folder");
        }
        let file = &p.file.value;
        let mut set = vec![
            Binding::new("name", NixExpr::string(file)),
            Binding::new("url", self.text(url)),
        ];
        set.extend(
            p.relative
                .iter()
                .map(|r| Binding::new("relative", NixExpr::string(&r.value))),
        );
        if p.strip != 1 {
            let further = i64::try_from(p.strip).unwrap_or(1) - 1;
            set.push(Binding::new("stripLen", NixExpr::Int(further)));
        }
        if !p.excludes.is_empty() {
            set.push(Binding::new(
                "excludes",
                NixExpr::strings(p.excludes.iter().map(|s| &s.value)),
            ));
        }
        if let Some(h) = p.hash.as_ref().filter(|h| !is_sri(&h.value)) {
            let message = format!("`{}` is not a hash in Nix's format", h.value);
            let finding = Finding::error("E0520", h.span, message);
            self.findings
                .push(finding.label(format!("expected {SRI_FORM}")));
        }
        let (sum, version) = (
            p.hash.as_ref().map(|h| h.value.clone()),
            &self.planned.version,
        );
        let address = with_version(url, version);
        let hash = self.pin(sum, file.clone(), version.to_string(), address, p.file.span);
        set.push(Binding::new("hash", hash));
        NixExpr::call("fetchpatch", [NixExpr::Set(set)])
    }
}
