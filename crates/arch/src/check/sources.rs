//! The elements of `source`, with the file or folder that makepkg creates for each element.

use super::values::{Element, Values};
use rocpkg_syntax::Script;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// An element of an array of sources.
#[derive(Clone, Debug)]
pub(super) struct Source {
    /// The address without the name before `::`; `None` if only bash can compute the element.
    pub(super) address: Option<String>,
    /// The name of the file or folder that makepkg creates for the element (`util/source.sh`).
    pub(super) name: String,
    /// The range of bytes of the element in the PKGBUILD.
    pub(super) at: Range<usize>,
}

/// The folders that a source unpacks to.
pub(super) enum Folders {
    Named(Vec<String>),
    /// One of these folders, which begin with the name of a repository, the second value. The
    /// hoster (GitHub, GitLab) writes the name with its own capitals, and uses the new name of a
    /// renamed repository.
    Generated(Vec<String>, String),
    /// The folders do not follow from the text of the PKGBUILD.
    Unknown,
}

/// Version control systems that makepkg can fetch from.
const CHECKOUTS: [&str; 5] = ["git", "hg", "svn", "bzr", "fossil"];

/// File name endings of the archives that GitHub makes.
const ARCHIVES: [&str; 5] = [".tar.gz", ".tgz", ".tar.bz2", ".zip", ".tar.xz"];

/// File name endings of files that makepkg does not unpack.
const PLAIN: &str = "patch diff sig asc sign sigstore minisig conf service socket timer path target \
mount desktop install png svg ico xpm jpg gif txt md html xml json yaml yml toml ini cfg sh bash zsh \
fish py pl rb lua js css c h cpp rules hook sysusers tmpfiles logrotate logrotated pam sudoers sysctl \
default env map cmake pc man 1 5 8 pdf ttf otf sha256 sha256sum sha512 sha1 md5 run init initd confd \
policy sql pub key";

/// Returns the elements of `source` and of `source_ARCHITECTURE`. Returns `None` if only bash can
/// compute their number. `elements` returns the elements of an array of the global scope.
pub(super) fn all(
    script: &Script,
    margin: &Values,
    elements: &dyn Fn(&str) -> Option<Vec<Element>>,
) -> Option<Vec<Source>> {
    let is_list = |name: &&str| *name == "source" || name.starts_with("source_");
    let mut sets = script.sets.iter();
    let is_inside = sets.any(|set| set.scope.function.is_some() && is_list(&set.name.as_str()));
    if margin.is_open() || is_inside {
        return None;
    }
    let mut out = Vec::new();
    for list in margin.names().filter(is_list) {
        for element in elements(list)? {
            let text = element.text.as_deref();
            let address = text.map(|text| {
                text.split_once("::")
                    .map_or(text, |(_, address)| address)
                    .to_owned()
            });
            let at = element.at.clone();
            let name = text.map(name).unwrap_or_default();
            out.push(Source { address, name, at });
        }
    }
    Some(out)
}

/// Returns the name of the file or folder that makepkg creates for an element of `source`:
/// `git+https://a/b.git` -> `b`.
fn name(entry: &str) -> String {
    if let Some((name, _)) = entry.split_once("::") {
        return name.to_owned();
    }
    let is_checkout = checkout(entry).is_some();
    let path = if is_checkout {
        entry.split(['#', '?']).next().unwrap_or(entry)
    } else {
        entry
    };
    let last = path
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    last.strip_suffix(".git")
        .filter(|_| is_checkout)
        .unwrap_or(last)
        .to_owned()
}

/// Returns the version control system that fetches an address, such as `git` for `git+https://…`;
/// `None` for a plain file.
fn checkout(address: &str) -> Option<&'static str> {
    let (scheme, _) = address.split_once("://")?;
    let tool = scheme.split('+').next()?;
    CHECKOUTS.into_iter().find(|known| *known == tool)
}

impl Source {
    /// Returns true if the address is known.
    pub(super) fn is_known(&self) -> bool {
        self.address.is_some()
    }

    /// Returns true for a source that makepkg clones.
    pub(super) fn is_checkout(&self) -> bool {
        self.address.as_deref().and_then(checkout).is_some()
    }

    /// Returns true for a file that is beside the PKGBUILD and is not downloaded.
    pub(super) fn is_local(&self) -> bool {
        let address = self.address.as_deref();
        address.is_some_and(|address| {
            !address.contains("://")
                && !address.starts_with("magnet:")
                && !address.starts_with("lp:")
        })
    }

    /// Returns true for a file that makepkg does not unpack.
    pub(super) fn is_plain(&self) -> bool {
        let (stem, end) = self.name.rsplit_once('.').unwrap_or((&self.name, ""));
        let end = end.to_ascii_lowercase();
        let packed = ["gz", "xz", "bz2", "zst", "lz", "lzma"].contains(&end.as_str());
        let inner = stem.rsplit_once('.').map_or("", |(_, inner)| inner);
        let is_known = |end: &str| PLAIN.split_whitespace().any(|plain| plain == end);
        let is_bare = self.is_local()
            && ![
                "tar", "tgz", "tbz", "tbz2", "txz", "zip", "7z", "rar", "deb", "rpm", "jar", "gem",
                "crate", "whl", "iso", "exe", "appimage", "cpio", "bin", "apk", "dmg", "lha",
                "lzh", "arj", "cab", "z", "zstd",
            ]
            .contains(&end.as_str());
        is_known(&end) || (packed && is_known(inner)) || (is_bare && !packed)
    }

    /// Returns the folders that the source unpacks to. `kept` are the elements of `noextract`, and
    /// `archives` are the known folders of archives by address.
    pub(super) fn folders(
        &self,
        kept: &[&str],
        archives: &BTreeMap<String, Vec<String>>,
    ) -> Folders {
        let Some(address) = self.address.as_deref() else {
            return Folders::Unknown;
        };
        if let Some(folders) = archives.get(address) {
            return Folders::Named(folders.clone());
        }
        if checkout(address).is_some() {
            return Folders::Named(vec![self.name.clone()]);
        }
        if self.is_plain() || kept.contains(&self.name.as_str()) {
            return Folders::Named(Vec::new());
        }
        match generated(address) {
            Some((folders, repository)) => {
                Folders::Generated(folders.into_iter().collect(), repository)
            }
            None => Folders::Unknown,
        }
    }
}

/// Returns the folder of an archive that GitHub or GitLab makes of a tag or commit, with the name
/// of the repository. If the address is ambiguous, several folders are returned. Returns `None` for
/// any other address.
///
/// `https://github.com/OWNER/Name/archive/refs/tags/v1.0.tar.gz` -> `Name-1.0`
/// `https://gitlab.com/OWNER/name/-/archive/v1.0/any.tar.gz` -> `name-v1.0`
fn generated(address: &str) -> Option<(BTreeSet<String>, String)> {
    let (_, path) = address.split_once("://")?;
    let path = path.split(['#', '?']).next()?;
    if path.contains('%') {
        return None;
    }
    if let Some((project, rest)) = path.split_once("/-/archive/") {
        let (reference, _) = rest.rsplit_once('/')?;
        let (_, repository) = project.rsplit_once('/')?;
        let folder = format!("{repository}-{}", reference.replace('/', "-"));
        return Some((BTreeSet::from([folder]), repository.to_owned()));
    }
    let (_owner, rest) = path
        .strip_prefix("github.com/")
        .or_else(|| path.strip_prefix("www.github.com/"))?
        .split_once('/')?;
    let (repository, rest) = rest.split_once("/archive/")?;
    let repository = repository.trim_end_matches('/');
    let rest = rest
        .strip_prefix("refs/tags/")
        .or_else(|| rest.strip_prefix("refs/heads/"))
        .unwrap_or(rest);
    let whole = ARCHIVES.iter().find_map(|end| rest.strip_suffix(end))?;
    let mut folders = BTreeSet::new();
    // The last part may be a name of the file's own.
    for reference in [Some(whole), rest.rsplit_once('/').map(|(above, _)| above)]
        .into_iter()
        .flatten()
    {
        let is_commit = reference.len() >= 7 && reference.bytes().all(|b| b.is_ascii_hexdigit());
        if is_commit && reference.len() < 40 {
            return None;
        }
        let reference = reference.replace('/', "-");
        let number = reference
            .strip_prefix(['v', 'V'])
            .filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
        let reference = number.unwrap_or(&reference);
        folders.insert(format!("{repository}-{reference}"));
        folders.insert(format!("{repository}-{}", reference.replace('+', "-")));
    }
    Some((folders, repository.to_owned()))
}
