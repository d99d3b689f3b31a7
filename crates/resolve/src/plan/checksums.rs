//! The keys under which `releases/LINE.yaml` lists the checksums of sources, such as
//! `rocBLAS/archive`.
//!
//! A checksum is never invented, and never kept for a different file. The key contains everything
//! that the checksum depends on, if it differs from the usual: another owner, tag, commit, address
//! or script after fetching. So a source that an overlay changes has no checksum until its own row
//! is added.

use crate::plan::sources::ResolvedSource;
use crate::read::texts::with_version;
use rocpkg_model::Fetch;

/// Returns the key of the source `s` in the checksum table of its release. It is used if the source
/// states no key itself. `own_url` is true if the source states its address. `usual` is the owner
/// that sources have if they state none.
///
/// Examples: `rocBLAS/archive` for an archive of the usual owner, `somebody/rocBLAS@v1.2/archive`
/// for another owner and a tag of the source's own.
pub(crate) fn key(s: &ResolvedSource, own_url: bool, usual: &str) -> String {
    let (owner, repository, tag) = (&s.owner, &s.repository, with_version(&s.tag, &s.version));
    let home = format!("https://github.com/{owner}/{repository}");
    let asset = s.asset.as_ref().unwrap_or(repository);
    let other_url = own_url
        .then(|| with_version(&s.url, &s.version))
        .filter(|url| match s.fetch {
            Fetch::Asset => *url != format!("{home}/releases/download/{tag}/{asset}.tar.gz"),
            // GitHub serves the same file at both addresses.
            Fetch::Archive => ["archive", "archive/refs/tags"]
                .iter()
                .all(|folder| *url != format!("{home}/{folder}/{tag}.tar.gz")),
            Fetch::Git | Fetch::Tree | Fetch::Inherited => url.trim_end_matches(".git") != home,
            Fetch::File => true,
        });
    let base = match (other_url, owner.as_str()) {
        // The address of a file is a complete key.
        (Some(url), _) if matches!(s.fetch, Fetch::Asset | Fetch::Archive | Fetch::File) => {
            return url;
        }
        (Some(url), _) => url,
        (None, owner) if owner == usual => repository.clone(),
        (None, _) => format!("{owner}/{repository}"),
    };
    let reference = s.revision.as_ref().or(s.own_tag.then_some(&tag));
    let base = reference.map_or(base.clone(), |reference| format!("{base}@{reference}"));
    match s.fetch {
        Fetch::Asset => format!("{base}/asset/{asset}"),
        Fetch::Archive => format!("{base}/archive"),
        Fetch::Git | Fetch::Inherited => format!("{base}/git"),
        Fetch::Tree => {
            let folders = if s.sparse.is_empty() {
                String::new()
            } else {
                format!("/{}", s.sparse.join("+"))
            };
            let submodules = s.submodules.then(|| "submodules".to_owned());
            // The checksum depends on the script, but the script is too long for a key.
            let script = s
                .post_fetch
                .as_ref()
                .map(|script| format!("post-fetch={:08x}", fingerprint(script.trim_end())));
            let rest: Vec<String> = submodules.into_iter().chain(script).collect();
            let rest = if rest.is_empty() {
                String::new()
            } else {
                format!("?{}", rest.join("&"))
            };
            format!("{base}/tree{folders}{rest}")
        }
        Fetch::File => base,
    }
}

/// Returns a number by which the key of a checksum distinguishes scripts: the hash FNV-1a of 32
/// bits. It guards against nothing.
fn fingerprint(text: &str) -> u32 {
    let add = |hash: u32, byte: u8| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    text.bytes().fold(0x811c_9dc5, add)
}
