//! Computes checksums. Each distribution has its own rules for the bytes that a checksum is of.

mod tree;

use crate::failure::Failure;
use crate::fed;
use crate::fetch::{Bounds, Cache, Fetcher, Hosts, Policy};
use crate::git::{Exported, Repository};
use crate::nar::sri;
use blake2::Blake2b512;
use sha2::{Digest, Sha256, Sha512};
use std::cell::{OnceCell, RefCell};
use std::collections::BTreeMap;
use std::fmt;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

/// Checksums by kind. The kinds are `blake2b`, `sha256`, `sha512`, `size` (in bytes) and `sri`
/// (Nix's form of a hash).
pub type Sums = BTreeMap<&'static str, String>;

/// The name of a commit: a tag or an id.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Reference {
    /// A tag.
    Tag(String),
    /// A commit, by its full id.
    Commit(String),
}

impl fmt::Display for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tag(tag) => write!(f, "tag {tag}"),
            Self::Commit(id) => write!(f, "commit {id}"),
        }
    }
}

/// The file, archive or tree that a checksum is of. The addresses of repositories are those
/// upstream, even if the repositories are fetched from a mirror.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum ChecksumSubject {
    /// A file at an address: an archive, an asset of a release, or a patch. It has all kinds of
    /// checksums.
    File(String),
    /// The archive of a repository that GitHub makes. It is fetched from GitHub if no mirror has
    /// the repository.
    Archive {
        /// The address of the repository.
        repository: String,
        /// The tag or commit in the archive.
        reference: Reference,
        /// The folder to which the archive unpacks.
        folder: String,
        /// The address of the archive on GitHub.
        url: String,
    },
    /// A git source of a PKGBUILD. Its checksum is that which makepkg of pacman 7 computes.
    Source {
        /// The address of the repository.
        repository: String,
        /// The tag or commit that is checked out.
        reference: Reference,
    },
    /// The unpacked archive of GitHub, which nixpkgs' `fetchFromGitHub` fetches.
    Tree {
        /// The address of the repository.
        repository: String,
        /// The tag or commit of the tree.
        reference: Reference,
    },
    /// A checkout that nixpkgs' `fetchgit` makes.
    Checkout {
        /// The address of the repository.
        repository: String,
        /// The tag or commit that is checked out.
        reference: Reference,
        /// The folders in the checkout. The checkout also contains the files in the folders above
        /// them. Empty for all folders.
        folders: Vec<String>,
        /// Set if the checkout contains all submodules.
        submodules: bool,
    },
}

/// Computes checksums of files, archives and trees, which are fetched for this purpose.
pub struct Upstream {
    cache: Cache,
    fetcher: Fetcher,
    hosts: Hosts,
    mirror: Option<String>,
    attempts: u32,
    bounds: Bounds,
    /// The hosts that git could not connect to, each with git's message. They are not contacted
    /// again.
    silent: RefCell<BTreeMap<String, String>>,
    /// Set if `gzip` on this machine is GNU gzip, which GitHub uses for its archives. Empty until
    /// the first use.
    gzip: OnceCell<bool>,
}

impl Upstream {
    /// Opens the cache. Nothing is fetched yet.
    ///
    /// # Errors
    /// When the cache can't be written to, or another run uses it.
    pub fn open(policy: &Policy) -> Result<Self, Failure> {
        let bounds = Bounds::new(policy.limits);
        Ok(Self {
            cache: Cache::open(policy.cache.as_deref())?,
            fetcher: Fetcher::new(policy, bounds),
            hosts: Hosts::new(&policy.hosts),
            mirror: policy.mirror.clone(),
            attempts: policy.tries.max(1),
            bounds,
            silent: RefCell::default(),
            gzip: OnceCell::new(),
        })
    }

    /// Returns the names of a repository's tags, as its server or the mirror has them now. Tags are
    /// never taken from the cache. `repository` is the address of the repository upstream.
    ///
    /// # Errors
    /// When the repository does not exist, or can't be reached.
    pub fn tags(&self, repository: &str) -> Result<Vec<String>, Failure> {
        Repository::open(&self.cache, &self.address(repository)?, self.bounds)?.tags(self.attempts)
    }

    /// Returns all kinds of checksums that the subject has.
    ///
    /// # Errors
    /// When the subject can't be fetched. [`Failure::Unknown`] when no rule gives its checksums.
    pub fn sums(&self, subject: &ChecksumSubject) -> Result<Sums, Failure> {
        match subject {
            ChecksumSubject::File(url) => self.fetched(url),
            ChecksumSubject::Archive {
                repository,
                reference,
                folder,
                url,
            } => {
                if self.mirror.is_none() || self.address(repository)? == *repository {
                    return self.fetched(url);
                }
                self.archived(repository, reference, folder)
            }
            ChecksumSubject::Source {
                repository,
                reference,
            } => self.source(repository, reference),
            ChecksumSubject::Tree {
                repository,
                reference,
            } => self.tree(repository, reference),
            ChecksumSubject::Checkout {
                repository,
                reference,
                folders,
                submodules,
            } => self.checkout(repository, reference, folders, *submodules),
        }
    }

    fn fetched(&self, url: &str) -> Result<Sums, Failure> {
        sums_of_file(&self.fetcher.file(&self.cache, url)?)
    }

    /// Returns the checksums of the archive that GitHub makes, computed from a repository: the
    /// output of `git archive` with all paths below `folder`, compressed by `gzip`.
    fn archived(
        &self,
        repository: &str,
        reference: &Reference,
        folder: &str,
    ) -> Result<Sums, Failure> {
        if !*self.gzip.get_or_init(is_gnu_gzip) {
            return Err(Failure::Program(
                "GitHub's archives are made with GNU gzip, and `gzip` is another program".into(),
            ));
        }
        let (git, commit) = self.whole(repository, reference)?;
        Self::check_substitutions(&git, &commit)?;
        self.summed(
            &git,
            &commit,
            Exported::AsArchive,
            "tar.gz",
            &format!("{folder}/"),
        )
    }

    /// Returns the checksums of a git source by libmakepkg/source/git.sh of pacman 7. They are
    /// those of a tar archive in which no attribute changes or leaves out a file.
    fn source(&self, repository: &str, reference: &Reference) -> Result<Sums, Failure> {
        let (git, commit) = self.whole(repository, reference)?;
        let mut sums = self.summed(&git, &commit, Exported::AsCheckout, "tar", "")?;
        // The archive is no file that anybody fetches, so its size and Nix's hash are useless.
        sums.retain(|kind, _| !["size", "sri"].contains(kind));
        Ok(sums)
    }

    /// Returns the checksums of the archive that `git archive` writes of a commit. `format` and
    /// `prefix` are those of [`Repository::archive`].
    fn summed(
        &self,
        git: &Repository,
        commit: &str,
        exported: Exported,
        format: &str,
        prefix: &str,
    ) -> Result<Sums, Failure> {
        let (archive, out) = git.archive(commit, exported, format, prefix, &[])?;
        let sums = sums_of(out).map_err(Failure::file(&self.cache.empty()))?;
        archive.end()?;
        Ok(sums)
    }

    /// Fetches a tag or commit, and returns the id of the commit. Fails at once if git could not
    /// connect to the host of the repository before. If `partial` is set, only the commit's folders
    /// are fetched.
    fn fetch(
        &self,
        git: &Repository,
        reference: &Reference,
        partial: bool,
    ) -> Result<String, Failure> {
        let host = git.url().split('/').nth(2).unwrap_or_default().to_owned();
        let silent = self.silent.borrow().get(&host).cloned();
        if let Some(why) = silent {
            return Err(Failure::Network {
                url: git.url().to_owned(),
                why,
            });
        }
        let result = git.fetch(reference, partial, self.attempts);
        if let Err(Failure::Network { why, .. }) = &result
            && why.contains("unable to access")
            && !why.contains("returned error")
        {
            self.silent.borrow_mut().insert(host, why.clone());
        }
        result
    }

    /// Fetches a tag or commit with all of its files. Returns the repository in the cache, and the
    /// id of the commit.
    fn whole(
        &self,
        repository: &str,
        reference: &Reference,
    ) -> Result<(Repository<'_>, String), Failure> {
        let git = Repository::open(&self.cache, &self.address(repository)?, self.bounds)?;
        let commit = self.fetch(&git, reference, false)?;
        git.complete(&git.entries(&commit, &[], true)?)?;
        Ok((git, commit))
    }

    /// Returns the address from which the repository with the address `repository` is fetched. A
    /// repository on GitHub is fetched from the user's mirror, if there is one. The mirror may be
    /// on this machine. Others are fetched from their own address by https.
    fn address(&self, repository: &str) -> Result<String, Failure> {
        let insecure = || Failure::Insecure {
            url: repository.to_owned(),
        };
        let home = repository
            .strip_prefix("https://github.com/")
            .map(|path| path.trim_end_matches('/'));
        let names = home
            .map(|path| path.trim_end_matches(".git"))
            .and_then(|path| path.split_once('/'));
        if let (Some(mirror), Some((owner, name))) = (&self.mirror, names) {
            let letter = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
            let plain =
                |name: &str| !name.starts_with('.') && !name.is_empty() && name.chars().all(letter);
            let address = mirror
                .replace("{owner}", owner)
                .replace("{repository}", name);
            let known = ["https://", "file://"]
                .iter()
                .any(|scheme| address.starts_with(scheme));
            return if known && plain(owner) && plain(name) {
                Ok(address)
            } else {
                Err(insecure())
            };
        }
        self.hosts.check(repository)?;
        Ok(repository.to_owned())
    }
}

/// Returns the checksums of a file.
///
/// # Errors
/// When the file can't be read.
pub fn sums_of_file(path: &Path) -> Result<Sums, Failure> {
    File::open(path)
        .and_then(sums_of)
        .map_err(Failure::file(path))
}

fn sums_of(mut from: impl Read) -> io::Result<Sums> {
    let (mut blake2b, mut sha256, mut sha512) = (Blake2b512::new(), Sha256::new(), Sha512::new());
    let mut size = 0;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let read = match from.read(&mut buffer) {
            Ok(0) => break,
            Ok(read) => read,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let bytes = &buffer[..read];
        blake2b.update(bytes);
        sha256.update(bytes);
        sha512.update(bytes);
        size += read as u64;
    }
    let sha256 = sha256.finalize();
    Ok(Sums::from([
        ("blake2b", hex(&blake2b.finalize())),
        ("sha256", hex(&sha256)),
        ("sha512", hex(&sha512.finalize())),
        ("size", size.to_string()),
        ("sri", sri(&sha256)),
    ]))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Returns true if `gzip` on this machine is GNU gzip: it compresses a sample to the expected
/// bytes. Other programs of that name compress the sample to different bytes.
#[expect(
    clippy::disallowed_methods,
    reason = "GitHub's archives are made by this very program"
)]
fn is_gnu_gzip() -> bool {
    const MADE: &str = "66bfc656359be8c23931613a17d9e4b19dc8272f6760af8f2a3a752c478a0d8d";
    let known = || -> io::Result<String> {
        let mut gzip = Command::new("gzip");
        let made = fed(
            gzip.env_remove("GZIP").arg("-cn").stderr(Stdio::null()),
            &sample(),
        )?;
        Ok(hex(&Sha256::digest(&made.stdout)))
    };
    known().is_ok_and(|made| made == MADE)
}

/// Returns a text that compressors can encode in many ways.
fn sample() -> Vec<u8> {
    let mut state = 1u32;
    let mut letter = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b"aaabbc d\n"[(state >> 24) as usize % 9]
    };
    (0..100_000).map(|_| letter()).collect()
}
