//! The tables of releases: versions where they belong, checksums of the right length, a source's key, keys that some source reads.

use crate::plan::planned::{Choice, Plan};
use crate::read::load::{DISTROS, Model};
use crate::read::release::Release;
use rocpkg_model::{Fetch, Finding, Findings, Key, Node, Span};
use sha2::{Digest, Sha256};
use std::collections::BTreeSet;

/// All that a source's checksum depends on, apart from the release under which it stands in the table.
pub(crate) struct Identity<'a> {
    pub fetch: Fetch,
    pub owner: &'a str,
    pub repository: &'a str,
    pub asset: Option<&'a str>,
    /// The address where one is written, with everything written out.
    pub url: Option<String>,
    pub tag: &'a str,
    /// The release's scheme does not give that tag.
    pub own_tag: bool,
    /// A commit instead of the tag.
    pub commit: Option<&'a str>,
    pub sparse: &'a [String],
    pub submodules: bool,
    pub post_fetch: Option<&'a str>,
}

impl Identity<'_> {
    /// The key in the release's table. What is usual is left out, and whatever is not makes another key: a checksum is
    /// never kept for something else that is fetched in the same place.
    pub(crate) fn key(&self) -> String {
        let Self { owner, repository, tag, .. } = self;
        let home = format!("https://github.com/{owner}/{repository}");
        let asset = self.asset.unwrap_or(repository);
        let other_url = self.url.as_deref().filter(|url| match self.fetch {
            Fetch::Asset => *url != format!("{home}/releases/download/{tag}/{asset}.tar.gz"),
            // GitHub serves the same file at both.
            Fetch::Archive => ["archive", "archive/refs/tags"]
                .iter()
                .all(|folder| *url != format!("{home}/{folder}/{tag}.tar.gz")),
            Fetch::Git | Fetch::Tree | Fetch::Inherited => url.trim_end_matches(".git") != home,
            Fetch::File => true,
        });
        let base = match (other_url, *owner) {
            // The address of a file says all.
            (Some(url), _) if matches!(self.fetch, Fetch::Asset | Fetch::Archive | Fetch::File) => {
                return url.to_owned();
            }
            (Some(url), _) => url.to_owned(),
            (None, "ROCm") => (*repository).to_owned(),
            (None, _) => format!("{owner}/{repository}"),
        };
        let reference = self.commit.or(self.own_tag.then_some(*tag));
        let base = reference.map_or(base.clone(), |reference| format!("{base}@{reference}"));
        match self.fetch {
            Fetch::Asset => format!("{base}/asset/{asset}"),
            Fetch::Archive => format!("{base}/archive"),
            Fetch::Git | Fetch::Inherited => format!("{base}/git"),
            Fetch::Tree => {
                let folders = if self.sparse.is_empty() {
                    String::new()
                } else {
                    format!("/{}", self.sparse.join("+"))
                };
                let submodules = self.submodules.then(|| "submodules".to_owned());
                // The script is part of what the sum is of, and too long for a key.
                let script = self.post_fetch.map(|script| {
                    let digest = Sha256::digest(script.trim_end());
                    format!(
                        "post-fetch={}",
                        digest[..4].iter().map(|b| format!("{b:02x}")).collect::<String>()
                    )
                });
                let rest: Vec<String> = submodules.into_iter().chain(script).collect();
                let rest = if rest.is_empty() { String::new() } else { format!("?{}", rest.join("&")) };
                format!("{base}/tree{folders}{rest}")
            }
            Fetch::File => base,
        }
    }
}

/// Checks the table of one line, `releases/LINE.yaml`.
pub(crate) fn check_line(line: &str, node: &Node, findings: &mut Findings) {
    for (key, version) in entries(node, "versions") {
        let fits = key.name.parse::<Release>().is_ok_and(|r| r.line() == line);
        if !fits {
            findings.push(
                Finding::error("E0235", key.span, format!("`{}` is no release of {line}", key.name))
                    .label(format!("expected a version such as {line}.0"))
                    .hint("a file is named after the line of its releases"),
            );
        }
        for (_, sums) in entries(version, "checksums") {
            check_sums(sums, findings);
        }
    }
    for (_, sums) in entries(node, "files") {
        check_sums(sums, findings);
    }
}

fn entries<'n>(node: &'n Node, section: &str) -> &'n [(Key, Node)] {
    node.get(section).map(Node::entries).unwrap_or_default()
}

/// The checksums that are written in hexadecimal digits, and how many each has.
const DIGITS: [(&str, usize); 3] = [("sha256", 64), ("sha512", 128), ("blake2b", 128)];

/// What is wrong with a text as a checksum of a kind: `sha256`, `sha512` or `blake2b`.
fn odd_checksum(kind: &str, text: &str, span: Span) -> Option<Finding> {
    let digits = DIGITS.iter().find(|(known, _)| *known == kind)?.1;
    let fine = text.len() == digits && text.bytes().all(|b| b.is_ascii_hexdigit());
    (!fine).then(|| {
        Finding::error("E0236", span, format!("`{text}` is no {kind}"))
            .label(format!("expected {digits} hexadecimal digits"))
    })
}

/// Each checksum has the digits of its kind.
fn check_sums(sums: &Node, findings: &mut Findings) {
    for (kind, _) in DIGITS {
        findings.push_some(sums.get(kind).and_then(|n| odd_checksum(kind, n.text()?, n.span)));
    }
    if let Some((node, text)) = sums.get("sri").and_then(|n| Some((n, n.text()?)))
        && !is_sri(text)
    {
        findings.push(
            Finding::error("E0236", node.span, format!("`{text}` is no hash in Nix's form"))
                .label(format!("expected {SRI_FORM}")),
        );
    }
}

/// The forms of a hash that Nix takes, for messages.
pub const SRI_FORM: &str = "`sha256-` and 44 characters, or `sha512-` and 88";

/// True for a subresource integrity hash: the kind, then base64 with its padding.
pub fn is_sri(text: &str) -> bool {
    let sum = |sum: &str, letters: usize, padding: &str| {
        sum.strip_suffix(padding).is_some_and(|s| {
            s.len() == letters && s.bytes().all(|b| b.is_ascii_alphanumeric() || b"+/".contains(&b))
        })
    };
    match text.split_once('-') {
        Some(("sha256", rest)) => sum(rest, 43, "="),
        Some(("sha512", rest)) => sum(rest, 86, "=="),
        _ => false,
    }
}

/// Names the checksums of a user's layers that no source of any distribution has a use for.
pub(crate) fn check_unread(model: &Model, findings: &mut Findings) {
    let theirs = |node: &Node| model.depths.of(node.span) > 0;
    for line in model.line_nodes.values() {
        let tables = entries(line, "versions").iter();
        let tables = tables.map(|(key, version)| (Some(key.name.as_str()), entries(version, "checksums")));
        for (version, table) in tables.chain([(None, entries(line, "files"))]) {
            if !table.iter().any(|(_, sums)| theirs(sums)) {
                continue;
            }
            let known = keys(model, version);
            for (key, _) in table.iter().filter(|(k, sums)| theirs(sums) && !known.contains(k.name.as_str()))
            {
                let at = version.map_or_else(String::new, |v| format!(" of {v}"));
                findings.push(
                    Finding::warning(
                        "W0221",
                        Some(key.span),
                        format!("no source reads the checksum `{}`{at}", key.name),
                    )
                    .label("expected a key that `rocpkg explain PACKAGE` prints")
                    .nearest(&key.name, known.iter().map(String::as_str)),
                );
            }
        }
    }
}

/// The keys of all sources of all distributions, at one release or at what is shipped.
fn keys(model: &Model, version: Option<&str>) -> BTreeSet<String> {
    let asked = version.and_then(|v| v.parse().ok()).map(Choice::Release);
    let mut out = BTreeSet::new();
    for distro in DISTROS {
        // A source may have a version of its own, whatever the package's is.
        for choice in asked.iter().chain([&Choice::Shipped]) {
            let Some(plan) = Plan::quiet(model, distro, choice) else { continue };
            let sources = plan.packages.iter().flat_map(|p| &p.sources);
            let fits = |own: &Release| match choice {
                Choice::Shipped => version.is_none_or(|v| v == own.as_str()),
                Choice::Release(_) => true,
            };
            out.extend(sources.filter(|s| fits(&s.version)).map(|s| s.key.clone()));
        }
    }
    out
}
