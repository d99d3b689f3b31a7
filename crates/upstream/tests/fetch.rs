//! Tests of fetching files by HTTP: network failures are reported, and an incomplete file never
//! gets a checksum.

use crate::common::{HOME, World, put, release};
use rocpkg_test_support::{Server, TEXT, write_file};
use rocpkg_upstream::tree::{Repository, Tree};
use rocpkg_upstream::{
    ChecksumSubject, Failure, Limits, Policy, Reference, Upstream, sums_of_file,
};
use std::fs;
use std::path::Path;
use std::time::Duration;

fn policy(cache: Option<&Path>) -> Policy {
    let mut policy = World::new().policy();
    policy.hosts.insert("127.0.0.1".to_owned());
    policy.tries = 3;
    policy.cache = cache.map(Path::to_owned);
    policy
}

fn ask(server: &Server, path: &str) -> Result<String, String> {
    let upstream = Upstream::open(&policy(None)).unwrap();
    let sums = upstream.sums(&ChecksumSubject::File(server.at(path)));
    sums.map(|sums| sums["sha256"].clone())
        .map_err(|e| e.to_string().replace(&server.home, "HOME"))
}

fn right() -> String {
    let file = tempfile::NamedTempFile::new().unwrap();
    write_file(file.path(), TEXT);
    sums_of_file(file.path()).unwrap()["sha256"].clone()
}

#[test]
fn what_breaks_off_is_fetched_again() {
    let server = Server::start();
    for (path, requests) in [
        ("whole", &["whole"][..]),
        ("half", &["half", "half"]),
        ("changed", &["changed", "changed"]),
        ("busy", &["busy", "busy", "busy"]),
        ("inside", &["inside", "whole"]),
        ("chunked", &["chunked"]),
    ] {
        assert_eq!(ask(&server, path), Ok(right()), "{path}");
        assert_eq!(server.asked(), requests, "{path}");
    }
}

#[test]
fn what_fails_is_said_after_a_bounded_number_of_attempts() {
    let server = Server::start();
    for (path, times, said) in [
        ("always-half", 3, "interrupted after"),
        ("broken-chunk", 3, "interrupted after"),
        (
            "endless",
            3,
            "the server does not state the length, so an incomplete file would go unnoticed",
        ),
        ("nothing", 1, "there is no such file"),
        ("forbidden", 1, "the server answered 403 Forbidden"),
        (
            "outside",
            1,
            "not fetched, because the server redirects to https://example.org/x",
        ),
        (
            "downwards",
            1,
            "not fetched, because the server redirects to http://github.com/x",
        ),
        (
            "to-a-file",
            1,
            "not fetched, because the server redirects to file:///etc/passwd",
        ),
        (
            "round",
            5,
            "not fetched, because the server redirects to HOME/round",
        ),
    ] {
        let failed = ask(&server, path).unwrap_err();
        assert!(
            failed.starts_with(&format!("HOME/{path}: {said}")),
            "{failed}"
        );
        assert_eq!(server.asked().len(), times, "{path}");
    }
}

#[test]
fn a_file_that_is_too_large_is_refused() {
    let server = Server::start();
    for (path, bytes) in [
        ("whole", 36),
        ("chunked", 36),
        ("whole", 35),
        ("chunked", 35),
    ] {
        let cache = tempfile::tempdir().unwrap();
        let mut policy = policy(Some(cache.path()));
        policy.limits.bytes = bytes;
        let upstream = Upstream::open(&policy).unwrap();
        let sums = upstream.sums(&ChecksumSubject::File(server.at(path)));
        if bytes == TEXT.len() as u64 {
            assert_eq!(sums.unwrap()["sha256"], right(), "{path}");
            continue;
        }
        let said = sums.unwrap_err().to_string();
        let url = server.at(path);
        let what = "not fetched, because it has more than 35 bytes, the most for one file";
        assert_eq!(said, format!("{url}: {what}"));
        let left = fs::read_dir(cache.path().join("files")).unwrap();
        assert_eq!(left.count(), 0, "{path}");
    }
    assert_eq!(server.asked(), ["whole", "chunked", "whole", "chunked"]);
}

#[test]
fn nothing_is_fetched_when_the_time_is_over() {
    let server = Server::start();
    let mut policy = policy(None);
    policy.limits.time = Duration::ZERO;
    let upstream = Upstream::open(&policy).unwrap();
    let why = "not fetched, because the 0 hours are over in which a run may fetch; if the cache is kept, another run fetches the rest";
    let url = server.at("whole");
    let failed = upstream.sums(&ChecksumSubject::File(url.clone()));
    assert_eq!(failed.unwrap_err().to_string(), format!("{url}: {why}"));
    assert!(server.asked().is_empty());
    // Git is ended, too.
    let world = World::new();
    let folder = world.repository("slow");
    put(&folder, "file", "text\n");
    release(&folder, "v1");
    policy.mirror = Some(world.mirror());
    let upstream = Upstream::open(&policy).unwrap();
    let repository = format!("{HOME}/slow");
    let failed = upstream.tags(&repository).unwrap_err().to_string();
    assert!(failed.ends_with(why), "{failed}");
    let reference = Reference::Tag("v1".to_owned());
    let source = ChecksumSubject::Source {
        repository,
        reference,
    };
    let failed = upstream.sums(&source).unwrap_err().to_string();
    assert!(failed.ends_with(why), "{failed}");
}

#[test]
fn the_limits_allow_the_archives_of_rocm() {
    let limits = Limits::default();
    assert_eq!(limits.bytes, 16 << 30);
    assert_eq!(limits.time, Duration::from_hours(12));
}

/// The files have a hole, which takes no room on the disk.
#[test]
fn a_large_file_of_a_source_tree_is_refused() {
    let world = World::new();
    let folder = world.repository("large");
    let limit = 100 << 20;
    let file = fs::File::create(folder.join("CMakeLists.txt")).unwrap();
    file.set_len(limit + 1).unwrap();
    put(&folder, "small", "text\n");
    release(&folder, "v1");
    let repository = Repository::at(&folder).unwrap();
    let trees = [Tree::folder(&folder), Tree::commit(&repository, "v1")];
    for tree in trees.map(Result::unwrap) {
        let files = ["small", "CMakeLists.txt", "small"];
        let failed = tree.read(&files).unwrap_err().to_string();
        let what = "CMakeLists.txt has more than 104857600 bytes, the most that are read of a file";
        assert_eq!(failed, format!("{}: {what}", folder.display()));
        assert_eq!(
            tree.read(&["small", "small"]).unwrap(),
            [b"text\n", b"text\n"]
        );
    }
    file.set_len(limit).unwrap();
    let tree = Tree::folder(&folder).unwrap();
    let read = tree.read(&["CMakeLists.txt"]).unwrap();
    assert_eq!(read[0].len() as u64, limit);
}

#[test]
fn only_hosts_of_the_model_are_asked_and_those_by_https() {
    let upstream = Upstream::open(&policy(None)).unwrap();
    for (url, said) in [
        (
            "https://example.org/x",
            "not fetched, because example.org is not a host of the model",
        ),
        (
            "https://github.com@example.org/x",
            "not fetched, because github.com@example.org is not a host of the model",
        ),
        (
            "https://somebody@github.com/x",
            "not fetched, because somebody@github.com is not a host of the model",
        ),
        (
            "http://github.com/x",
            "not fetched, because it is not https",
        ),
        ("file:///etc/passwd", "not fetched, because it is not https"),
        ("/etc/passwd", "not fetched, because it is not https"),
    ] {
        assert_eq!(
            upstream
                .sums(&ChecksumSubject::File(url.into()))
                .unwrap_err()
                .to_string(),
            format!("{url}: {said}")
        );
    }
}

#[test]
fn a_host_that_does_not_answer_is_waited_for_once() {
    // No process listens at a port that was just closed.
    let port = std::net::TcpListener::bind("127.0.0.1:0")
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    let mut policy = policy(None);
    policy.pause = std::time::Duration::from_millis(400);
    let upstream = Upstream::open(&policy).unwrap();
    let begin = std::time::Instant::now();
    for name in ["a", "b", "c"] {
        let url = format!("http://127.0.0.1:{port}/{name}");
        let failed = upstream
            .sums(&ChecksumSubject::File(url.clone()))
            .unwrap_err();
        assert!(
            matches!(&failed, Failure::Network { url: of, .. } if *of == url),
            "{failed}"
        );
    }
    let took = begin.elapsed().as_millis();
    assert!((1200..3600).contains(&took), "{took} ms");
    // Git has its own timeouts. The message for the first repository is repeated for the others.
    let tree = |name: &str| {
        let (repository, reference) = (
            format!("http://127.0.0.1:{port}/{name}"),
            Reference::Tag("v1".into()),
        );
        upstream
            .sums(&ChecksumSubject::Tree {
                repository,
                reference,
            })
            .unwrap_err()
            .to_string()
    };
    let (first, second) = (tree("a"), tree("b"));
    assert_eq!(first.replacen("/a: ", "/b: ", 1), second);
}

#[test]
fn the_cache_keeps_what_arrived() {
    let (server, cache) = (Server::start(), tempfile::tempdir().unwrap());
    let mut policy = policy(Some(cache.path()));
    policy.tries = 1;
    let half = ChecksumSubject::File(server.at("half"));
    assert!(Upstream::open(&policy).unwrap().sums(&half).is_err());
    // An incomplete file is not kept under its final name.
    let upstream = Upstream::open(&policy).unwrap();
    assert_eq!(upstream.sums(&half).unwrap()["sha256"], right());
    assert_eq!(server.asked(), ["half", "half"]);
    assert_eq!(upstream.sums(&half).unwrap()["sha256"], right());
    assert!(server.asked().is_empty());
    let names = fs::read_dir(cache.path().join("files")).unwrap().count();
    assert_eq!(names, 1);
}

#[test]
fn git_follows_no_server_to_another_place() {
    let server = Server::start();
    let upstream = Upstream::open(&policy(None)).unwrap();
    for (path, asked) in [("moved/a", 2), ("moved/a.git", 1), ("nothing", 1)] {
        let (repository, reference) = (server.at(path), Reference::Tag("v1".into()));
        let failed = upstream
            .sums(&ChecksumSubject::Tree {
                repository,
                reference,
            })
            .unwrap_err()
            .to_string();
        assert!(failed.starts_with(&server.at(path)), "{failed}");
        assert!(
            failed.contains("returned error: 301") || failed.contains("not found"),
            "{failed}"
        );
        assert_eq!(server.asked().len(), asked, "{path}");
    }
}
