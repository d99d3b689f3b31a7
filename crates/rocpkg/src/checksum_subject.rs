//! The content that a checksum is computed from, by the rules of the distribution whose recipe
//! states the checksum.

use crate::checksum_request::{ChecksumOf, ChecksumRequest};
use rocpkg_model::Fetch;
use rocpkg_resolve::{ResolvedSource, with_version};
use rocpkg_upstream::{ChecksumSubject, Reference};

impl ChecksumRequest {
    /// Returns the content that the requested checksum of the kind `kind` is computed from: a file,
    /// an archive of GitHub, or a checkout. The kinds are `blake2b`, `sha256`, `sha512`, `size` and
    /// `sri`.
    ///
    /// # Errors
    /// The reason why rocpkg can't compute the checksum, as text. For example, nixpkgs'
    /// `fetchpatch` rewrites a patch before it computes the checksum.
    #[doc(hidden)]
    pub fn subject(&self, kind: &str) -> Result<ChecksumSubject, String> {
        match &self.of {
            ChecksumOf::Patch if self.address.is_empty() => {
                Err("a local file beside the recipe is not fetched".into())
            }
            ChecksumOf::Patch if kind == "sri" => {
                Err("fetchpatch rewrites the patch before it computes the hash".into())
            }
            ChecksumOf::Source {
                source,
                own_address,
            } if matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited) => {
                checked_out(source, *own_address, kind)
            }
            _ => Ok(archive(&self.address)
                .unwrap_or_else(|| ChecksumSubject::File(self.address.clone()))),
        }
    }

    /// Returns the network host in [`ChecksumRequest::address`]: `https://github.com/ROCm/…` ->
    /// `github.com`. None for a file beside the recipe.
    pub fn host(&self) -> Option<String> {
        let rest = self.address.split_once("://")?.1;
        rest.split(['/', ':']).next().map(str::to_owned)
    }
}

fn checked_out(
    s: &ResolvedSource,
    own_address: bool,
    kind: &str,
) -> Result<ChecksumSubject, String> {
    let repository = with_version(&s.url, &s.version);
    let tag = || Reference::Tag(with_version(&s.tag, &s.version));
    let reference = s.revision.as_deref().map_or_else(tag, reference);
    if kind != "sri" {
        return Ok(ChecksumSubject::Source {
            repository,
            reference,
        });
    }
    if s.post_fetch.is_some() {
        return Err(
            "a script changes the source after the fetch, and rocpkg runs no scripts".into(),
        );
    }
    // fetchFromGitHub uses the archive if that contains all that is needed.
    if s.sparse.is_empty() && !s.submodules && !own_address {
        return Ok(ChecksumSubject::Tree {
            repository,
            reference,
        });
    }
    let (folders, submodules) = (s.sparse.clone(), s.submodules);
    Ok(ChecksumSubject::Checkout {
        repository,
        reference,
        folders,
        submodules,
    })
}

/// Returns the archive that GitHub makes of a tag or a commit. None if `url` is not the address of
/// such an archive.
fn archive(url: &str) -> Option<ChecksumSubject> {
    let path = url
        .strip_prefix("https://github.com/")?
        .strip_suffix(".tar.gz")?;
    let (home, name) = path.split_once("/archive/")?;
    let (_, repository) = home
        .split_once('/')
        .filter(|(_, name)| !name.contains('/'))?;
    let name = name.strip_prefix("refs/tags/").unwrap_or(name);
    // GitHub leaves out the first letter of a tag such as `v1.2`.
    let number = name
        .strip_prefix('v')
        .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    Some(ChecksumSubject::Archive {
        repository: format!("https://github.com/{home}"),
        reference: reference(name),
        folder: format!("{repository}-{}", number.unwrap_or(name).replace('/', "-")),
        url: url.to_owned(),
    })
}

fn reference(name: &str) -> Reference {
    let is_commit = name.len() == 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
    if is_commit {
        Reference::Commit(name.to_owned())
    } else {
        Reference::Tag(name.to_owned())
    }
}
