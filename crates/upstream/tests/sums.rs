//! Tests of checksums: they equal those that the distributions' own tools compute.

use crate::common::{HOME, World, fill, nix_hash, put, release, tag};
use rocpkg_test_support::git;
use rocpkg_upstream::{ChecksumSubject, Failure, Reference, Sums, Upstream};

fn archive(name: &str, reference: Reference, folder: &str) -> ChecksumSubject {
    let (repository, folder) = (format!("{HOME}/{name}"), folder.to_owned());
    ChecksumSubject::Archive {
        url: format!("{repository}/archive/{folder}.tar.gz"),
        repository,
        reference,
        folder,
    }
}

fn tree(name: &str) -> ChecksumSubject {
    ChecksumSubject::Tree {
        repository: format!("{HOME}/{name}"),
        reference: tag("rocm-7.2.0"),
    }
}

fn checkout(name: &str, folders: &[&str], submodules: bool) -> ChecksumSubject {
    let folders = folders.iter().map(|f| (*f).to_owned()).collect();
    ChecksumSubject::Checkout {
        repository: format!("{HOME}/{name}"),
        reference: tag("rocm-7.2.0"),
        folders,
        submodules,
    }
}

fn sri(upstream: &Upstream, subject: &ChecksumSubject) -> String {
    upstream.sums(subject).unwrap()["sri"].clone()
}

/// Returns a repository with many projects and one release.
fn many() -> World {
    let world = World::new();
    let folder = world.repository("many");
    fill(&folder);
    release(&folder, "rocm-7.2.0");
    world
}

#[test]
fn an_archive_has_the_sums_of_git_archive_through_gzip() {
    let world = many();
    let made = "git clone --quiet --mirror https://github.com/ROCm/many.git it; cd it
        git archive --prefix=many-rocm-7.2.0/ rocm-7.2.0 | gzip -cn >../it.tar.gz; cd ..
        for tool in b2sum sha256sum sha512sum; do $tool <it.tar.gz | cut -d' ' -f1; done; stat -c %s it.tar.gz";
    let (_, printed) = world.bash(made);
    let sums = world
        .upstream()
        .sums(&archive("many", tag("rocm-7.2.0"), "many-rocm-7.2.0"))
        .unwrap();
    let all: Vec<_> = ["blake2b", "sha256", "sha512", "size"]
        .iter()
        .map(|kind| sums[kind].as_str())
        .collect();
    assert_eq!(printed.lines().collect::<Vec<_>>(), all);
    // The same for a commit.
    let commit = git(&world.0.path().join("ROCm/many"), &["rev-parse", "HEAD"])
        .trim()
        .to_owned();
    let of = archive(
        "many",
        Reference::Commit(commit.clone()),
        &format!("many-{commit}"),
    );
    let made = made
        .replace("-rocm-7.2.0", &format!("-{commit}"))
        .replace(" rocm-7.2.0", &format!(" {commit}"));
    assert_eq!(
        world.bash(&made).1.lines().nth(1).unwrap(),
        world.upstream().sums(&of).unwrap()["sha256"]
    );
}

#[test]
fn a_git_source_has_the_sum_of_pacman_7() {
    let world = many();
    // These commands are those of download_git and calc_checksum_git in libmakepkg/source/git.sh.
    // If `ROCPKG_LIBMAKEPKG` names a folder with that file, the file itself is run too.
    let own = "git clone --quiet --origin=origin --mirror https://github.com/ROCm/many.git many
        mkdir -p many/info; echo '* -export-subst -export-ignore' >many/info/attributes
        git -c core.abbrev=no -C many archive --format tar rocm-7.2.0 | sha256sum | cut -d' ' -f1";
    let theirs = std::env::var("ROCPKG_LIBMAKEPKG").ok().map(|folder| {
        format!(
            "export MAKEPKG_LIBRARY={folder} SRCDEST=$PWD startdir=$PWD; set +eu; source {folder}/util/source.sh; source {folder}/source/git.sh
            git clone --quiet --mirror https://github.com/ROCm/many.git many
            get_vcs=1; HOLDVER=1; source_it='many::git+https://github.com/ROCm/many.git#tag=rocm-7.2.0'
            download_git \"$source_it\" >&2; calc_checksum_git \"$source_it\" sha256; echo"
        )
    });
    let subject = ChecksumSubject::Source {
        repository: format!("{HOME}/many"),
        reference: tag("rocm-7.2.0"),
    };
    let sums = world.upstream().sums(&subject).unwrap();
    assert_eq!(
        sums.keys().copied().collect::<Vec<_>>(),
        ["blake2b", "sha256", "sha512"]
    );
    for script in [Some(own.to_owned()), theirs].into_iter().flatten() {
        assert_eq!(world.bash(&script).1.trim(), sums["sha256"]);
    }
}

#[test]
fn a_tree_has_the_hash_of_what_the_archive_unpacks_to() {
    let world = many();
    let (folder, _) = world.bash(
        "git clone --quiet --mirror https://github.com/ROCm/many.git it; mkdir out
         git -C it archive rocm-7.2.0 | tar -x -C out",
    );
    let out = folder.path().join("out");
    assert!(!out.join("projects/a/left-out").exists());
    assert_eq!(sri(&world.upstream(), &tree("many")), nix_hash(&out));
}

#[test]
fn a_checkout_has_the_hash_of_what_git_leaves() {
    let world = many();
    let upstream = world.upstream();
    for folders in [
        &["projects/a"][..],
        &["projects/a", "shared"],
        &["shared/c/deep"],
        &["/projects/b/", "projects"],
        &[],
    ] {
        let ours = sri(&upstream, &checkout("many", folders, false));
        assert_eq!(
            ours,
            world.prefetched("many", "rocm-7.2.0", folders, false),
            "{folders:?}"
        );
    }
    // A server that does not support partial fetches.
    let folder = world.0.path().join("ROCm/many");
    git(&folder, &["config", "uploadpack.allowFilter", "false"]);
    let whole = sri(&world.upstream(), &checkout("many", &["projects/a"], false));
    assert_eq!(
        whole,
        sri(&upstream, &checkout("many", &["projects/a"], false))
    );
    // Attributes for archives have no effect on a checkout.
    assert_ne!(
        sri(&upstream, &checkout("many", &[], false)),
        sri(&upstream, &tree("many"))
    );
}

#[test]
fn what_one_rule_left_in_the_cache_does_not_change_another() {
    let world = many();
    let cache = tempfile::tempdir().unwrap();
    let mut policy = world.policy();
    let things = [
        checkout("many", &["projects/b"], false),
        tree("many"),
        ChecksumSubject::Source {
            repository: format!("{HOME}/many"),
            reference: tag("rocm-7.2.0"),
        },
        archive("many", tag("rocm-7.2.0"), "many-rocm-7.2.0"),
        checkout("many", &["projects/a"], false),
    ];
    let fresh: Vec<Sums> = things
        .iter()
        .map(|subject| world.upstream().sums(subject).unwrap())
        .collect();
    policy.cache = Some(cache.path().to_owned());
    for _ in 0..2 {
        let upstream = Upstream::open(&policy).unwrap();
        let kept: Vec<Sums> = things
            .iter()
            .map(|subject| upstream.sums(subject).unwrap())
            .collect();
        assert_eq!(kept, fresh);
        let second = Upstream::open(&policy).err().unwrap().to_string();
        assert!(second.ends_with("another run uses this cache"), "{second}");
    }
    // Lock files of a git that was killed do not stop the next run.
    for entry in std::fs::read_dir(cache.path().join("git")).unwrap() {
        for name in [
            "shallow.lock",
            "config.lock",
            "index.lock",
            "refs/tags/rocm-7.2.0.lock",
        ] {
            put(&entry.as_ref().unwrap().path(), name, "");
        }
    }
    // A tag that moved is fetched again.
    let folder = world.0.path().join("ROCm/many");
    put(&folder, "README.md", "another text\n");
    rocpkg_test_support::commit(&folder);
    git(&folder, &["tag", "--force", "rocm-7.2.0"]);
    let upstream = Upstream::open(&policy).unwrap();
    for (subject, before) in things.iter().zip(&fresh) {
        assert_ne!(upstream.sums(subject).unwrap(), *before);
    }
}

/// Adds a submodule as `git submodule add` does.
fn submodule(folder: &std::path::Path, path: &str, url: &str, commit: &str) {
    let (name, url) = (format!("submodule.{path}.url"), url.to_owned());
    git(folder, &["config", "--file", ".gitmodules", &name, &url]);
    git(
        folder,
        &[
            "config",
            "--file",
            ".gitmodules",
            &format!("submodule.{path}.path"),
            path,
        ],
    );
    git(
        folder,
        &[
            "update-index",
            "--add",
            "--cacheinfo",
            &format!("160000,{commit},{path}"),
        ],
    );
    // Without the folder, `git add --all` would remove the submodule again.
    std::fs::create_dir_all(folder.join(path)).unwrap();
}

fn with_submodules() -> World {
    let world = World::new();
    let head = |folder: &std::path::Path| git(folder, &["rev-parse", "HEAD"]).trim().to_owned();
    let inner = world.repository("inner");
    put(&inner, "inner.txt", "innermost\n");
    release(&inner, "v1");
    let middle = world.repository("middle");
    put(
        &middle,
        ".gitattributes",
        "secret export-ignore\n*.bat eol=crlf\n",
    );
    put(&middle, "secret", "in checkouts\n");
    put(&middle, "a.bat", "one\n");
    submodule(&middle, "deps/inner", "./../inner.git", &head(&inner));
    release(&middle, "v1");
    let outer = world.repository("outer");
    fill(&outer);
    submodule(
        &outer,
        "projects/a/external",
        "https://github.com/ROCm/middle",
        &head(&middle),
    );
    submodule(&outer, "cmake/outside", "../inner.git", &head(&inner));
    submodule(&outer, "top", "../inner.git", &head(&inner));
    release(&outer, "rocm-7.2.0");
    for name in ["inner", "middle"] {
        // After a later commit, the branch no longer ends at the submodule's commit.
        let folder = world.0.path().join("ROCm").join(name);
        put(&folder, "later", "later\n");
        rocpkg_test_support::commit(&folder);
    }
    world
}

#[test]
fn submodules_are_where_git_puts_them() {
    let world = with_submodules();
    // The mirror's address has no `.git`. Git itself tries the address with and without it.
    let upstream = world.upstream();
    for (folders, submodules) in [
        (&[][..], true),
        (&["projects/a"][..], true),
        (&["projects/b"][..], true),
        (&["projects/a"][..], false),
        (&["cmake"][..], false),
    ] {
        let ours = sri(&upstream, &checkout("outer", folders, submodules));
        assert_eq!(
            ours,
            world.prefetched("outer", "rocm-7.2.0", folders, submodules),
            "{folders:?} {submodules}"
        );
    }
    // In an archive, submodules are empty folders.
    let (folder, _) = world.bash(
        "git clone --quiet --mirror https://github.com/ROCm/outer.git it; mkdir out
         git -C it archive rocm-7.2.0 | tar -x -C out",
    );
    assert_eq!(
        sri(&upstream, &tree("outer")),
        nix_hash(&folder.path().join("out"))
    );
}

#[test]
fn what_only_githubs_repository_tells_is_not_guessed() {
    for (text, is_known) in [
        ("$Format:%H$", true),
        ("$Format:%ct %an$", true),
        ("$Format:%h$", false),
        ("$Format:%H%d$", false),
        ("$Format:%(describe:tags=true)$", false),
    ] {
        let world = World::new();
        let folder = world.repository("one");
        put(&folder, "sub/.gitattributes", "version export-subst\n");
        put(&folder, "sub/version", text);
        release(&folder, "rocm-7.2.0");
        let upstream = world.upstream();
        for subject in [
            archive("one", tag("rocm-7.2.0"), "one-rocm-7.2.0"),
            tree("one"),
        ] {
            match upstream.sums(&subject) {
                Ok(_) => assert!(is_known, "{text}"),
                Err(Failure::Unknown(why)) => {
                    assert!(!is_known && why.contains("sub/version"), "{text}: {why}");
                }
                Err(other) => panic!("{text}: {other}"),
            }
        }
        // The placeholder changes no checkout.
        assert_eq!(
            sri(&upstream, &checkout("one", &["sub"], false)),
            world.prefetched("one", "rocm-7.2.0", &["sub"], false)
        );
    }
}

#[test]
fn a_mirror_is_asked_by_https_or_is_on_this_machine() {
    for mirror in [
        "ext::sh -c x {repository}",
        "ssh://host/{repository}",
        "/srv/{repository}",
        "http://host/{repository}",
    ] {
        let mut policy = World::new().policy();
        policy.mirror = Some(mirror.to_owned());
        let said = Upstream::open(&policy)
            .unwrap()
            .sums(&tree("many"))
            .unwrap_err()
            .to_string();
        assert_eq!(
            said,
            format!("{HOME}/many: not fetched, because it is not https"),
            "{mirror}"
        );
    }
}

#[test]
fn what_is_not_there_is_said() {
    let world = many();
    let upstream = world.upstream();
    let url = format!("file://{}/ROCm/many", world.0.path().display());
    let missing = |subject: &ChecksumSubject| upstream.sums(subject).unwrap_err().to_string();
    let of = |reference| ChecksumSubject::Tree {
        repository: format!("{HOME}/many"),
        reference,
    };
    assert_eq!(
        missing(&of(tag("rocm-9.9.9"))),
        format!("{url}: tag rocm-9.9.9 does not exist")
    );
    let nothing = "0123456789012345678901234567890123456789";
    assert_eq!(
        missing(&of(Reference::Commit(nothing.into()))),
        format!("{url}: commit {nothing} does not exist")
    );
    let folder = missing(&checkout("many", &["projects/zzz"], false));
    assert!(folder.ends_with(" has no folder projects/zzz"), "{folder}");
    let repository = missing(&tree("nothing"));
    assert!(
        repository.contains("ROCm/nothing") && repository.contains("does not"),
        "{repository}"
    );
}

#[test]
fn a_submodule_of_a_host_that_the_model_does_not_name_is_refused() {
    for (url, said) in [
        (
            "https://example.org/x.git",
            "https://example.org/x.git: not fetched, because example.org is not a host of the model",
        ),
        (
            "ext::sh -c touch% /tmp/x",
            "ext::sh -c touch% /tmp/x: not fetched, because it is not https",
        ),
        (
            "git@github.com:ROCm/x.git",
            "git@github.com:ROCm/x.git: not fetched, because it is not https",
        ),
        (
            "file:///etc",
            "file:///etc: not fetched, because it is not https",
        ),
        (
            "https://github.com/../secret",
            "https://github.com/../secret: not fetched, because it is not https",
        ),
        (
            "https://github.com/a/b/../../c",
            "https://github.com/a/b/../../c: not fetched, because it is not https",
        ),
        (
            "--upload-pack=x",
            "--upload-pack=x: not fetched, because it is not https",
        ),
    ] {
        let world = World::new();
        let folder = world.repository("one");
        submodule(
            &folder,
            "sub",
            url,
            "0123456789012345678901234567890123456789",
        );
        put(&folder, "file", "text\n");
        git(&folder, &["add", ".gitmodules", "file"]);
        git(&folder, &["commit", "--quiet", "--message", "one"]);
        git(&folder, &["tag", "rocm-7.2.0"]);
        assert_eq!(
            world
                .upstream()
                .sums(&checkout("one", &[], true))
                .unwrap_err()
                .to_string(),
            said
        );
    }
}
