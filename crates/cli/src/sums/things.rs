//! What a checksum is of, by the rule of whoever states it.

use rocpkg::model::Fetch;
use rocpkg::resolve::{ResolvedSource, with_version};
use rocpkg::checksums::{Of, Wanted};
use rocpkg_upstream::{Reference, Thing};

/// What a kind of checksum is of, or why no rule gives it.
pub(super) fn thing(w: &Wanted, kind: &str) -> Result<Thing, String> {
    match &w.of {
        Of::Patch if w.address.is_empty() => {
            Err("a file that lies beside the recipe: --from takes it".into())
        }
        Of::Patch if kind == "sri" => {
            Err("fetchpatch sums a patch up as it rewrites it: --from takes it from nixpkgs".into())
        }
        Of::Source { source, own_address }
            if matches!(source.fetch, Fetch::Git | Fetch::Tree | Fetch::Inherited) =>
        {
            checked_out(source, *own_address, kind)
        }
        _ => Ok(archive(&w.address).unwrap_or_else(|| Thing::File(w.address.clone()))),
    }
}

fn checked_out(s: &ResolvedSource, own_address: bool, kind: &str) -> Result<Thing, String> {
    let repository = with_version(&s.url, &s.version);
    let tag = || Reference::Tag(with_version(&s.tag, &s.version));
    let reference = s.revision.as_deref().map_or_else(tag, reference);
    if kind != "sri" {
        return Ok(Thing::Source { repository, reference });
    }
    if s.post_fetch.is_some() {
        return Err(
            "a script changes it after it is fetched, and none is run here: --from takes it from nixpkgs"
                .into(),
        );
    }
    // fetchFromGitHub takes the archive where that holds all that is wanted.
    if s.sparse.is_empty() && !s.submodules && !own_address {
        return Ok(Thing::Tree { repository, reference });
    }
    let (folders, submodules) = (s.sparse.clone(), s.submodules);
    Ok(Thing::Checkout { repository, reference, folders, submodules })
}

/// The archive that GitHub makes of a tag or of a commit, by its address.
fn archive(url: &str) -> Option<Thing> {
    let path = url.strip_prefix("https://github.com/")?.strip_suffix(".tar.gz")?;
    let (home, name) = path.split_once("/archive/")?;
    let (_, repository) = home.split_once('/').filter(|(_, name)| !name.contains('/'))?;
    let name = name.strip_prefix("refs/tags/").unwrap_or(name);
    // Of `v1.2` GitHub leaves the first letter out.
    let number = name.strip_prefix('v').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    Some(Thing::Archive {
        repository: format!("https://github.com/{home}"),
        reference: reference(name),
        folder: format!("{repository}-{}", number.unwrap_or(name).replace('/', "-")),
        url: url.to_owned(),
    })
}

fn reference(name: &str) -> Reference {
    let is_commit = name.len() == 40 && name.bytes().all(|b| b.is_ascii_hexdigit());
    if is_commit { Reference::Commit(name.to_owned()) } else { Reference::Tag(name.to_owned()) }
}

/// The host of what is fetched from a network.
pub(super) fn host(w: &Wanted) -> Option<String> {
    let rest = w.address.split_once("://")?.1;
    rest.split(['/', ':']).next().map(str::to_owned)
}
