//! Makes repositories like those of upstream, each in a folder `OWNER/NAME`, and runs the tools of
//! distributions on them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rocpkg_test_support::{git, write_file};
use rocpkg_upstream::{Limits, Policy, Reference, Upstream};
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tempfile::TempDir;

/// The address of the repositories upstream.
pub(crate) const HOME: &str = "https://github.com/ROCm";

/// A temporary folder that contains repositories.
pub(crate) struct World(pub(crate) TempDir);

impl World {
    pub(crate) fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    /// Makes a repository without files.
    pub(crate) fn repository(&self, name: &str) -> PathBuf {
        let folder = self.0.path().join("ROCm").join(name);
        fs::create_dir_all(&folder).unwrap();
        git(&folder, &["init", "--quiet", "--initial-branch=develop"]);
        for setting in ["uploadpack.allowFilter", "uploadpack.allowAnySHA1InWant"] {
            git(&folder, &["config", setting, "true"]);
        }
        // As on GitHub, the repository also has an address that ends in `.git`.
        symlink(name, folder.with_file_name(format!("{name}.git"))).unwrap();
        folder
    }

    pub(crate) fn mirror(&self) -> String {
        format!(
            "file://{}/{{owner}}/{{repository}}",
            self.0.path().display()
        )
    }

    pub(crate) fn policy(&self) -> Policy {
        Policy {
            hosts: ["github.com".to_owned()].into(),
            mirror: Some(self.mirror()),
            cache: None,
            tries: 2,
            pause: Duration::from_millis(1),
            limits: Limits::default(),
        }
    }

    pub(crate) fn upstream(&self) -> Upstream {
        Upstream::open(&self.policy()).unwrap()
    }

    /// Runs a script of bash in a new folder, where git takes GitHub's repositories from this
    /// folder. Returns the new folder and the standard output.
    pub(crate) fn bash(&self, script: &str) -> (TempDir, String) {
        let folder = tempfile::tempdir().unwrap();
        let run = rocpkg_programs::command("bash")
            .args(["-euo", "pipefail", "-c", script])
            .current_dir(folder.path())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_CONFIG_COUNT", "2")
            .env(
                "GIT_CONFIG_KEY_0",
                format!("url.file://{}/.insteadOf", self.0.path().display()),
            )
            .env("GIT_CONFIG_VALUE_0", "https://github.com/")
            .env("GIT_CONFIG_KEY_1", "protocol.file.allow")
            .env("GIT_CONFIG_VALUE_1", "always")
            .output()
            .unwrap();
        assert!(
            run.status.success(),
            "{script}\n{}",
            String::from_utf8_lossy(&run.stderr)
        );
        (folder, String::from_utf8(run.stdout).unwrap())
    }

    /// Returns Nix's hash of the checkout that nixpkgs' `nix-prefetch-git` makes.
    pub(crate) fn prefetched(
        &self,
        name: &str,
        tag: &str,
        folders: &[&str],
        submodules: bool,
    ) -> String {
        let sparse = folders.join("\\n");
        let sparse = if folders.is_empty() {
            String::new()
        } else {
            format!(
                "git config remote.origin.partialclonefilter blob:none; printf '{sparse}\\n' | git sparse-checkout set --stdin"
            )
        };
        let update = if submodules {
            "git submodule --quiet update --init --recursive --depth 1"
        } else {
            ":"
        };
        let script = format!(
            "mkdir out; cd out; git init --quiet; git remote add origin {HOME}/{name}.git; {sparse}
             git fetch --quiet --depth 1 origin +refs/tags/{tag}; git checkout --quiet -b fetchgit FETCH_HEAD
             {update}; find . -name .git -print0 | xargs -0 rm -rf"
        );
        let (folder, _) = self.bash(&script);
        nix_hash(&folder.path().join("out"))
    }
}

/// Returns the hash of a folder that `nix-hash` computes, in the form that sources have (SRI).
pub(crate) fn nix_hash(folder: &Path) -> String {
    let run = rocpkg_programs::command("nix-hash")
        .args(["--type", "sha256"])
        .arg(folder)
        .output()
        .unwrap();
    assert!(
        run.status.success(),
        "{}",
        String::from_utf8_lossy(&run.stderr)
    );
    let digits = String::from_utf8(run.stdout).unwrap();
    let byte = |i: usize| u8::from_str_radix(&digits[2 * i..2 * i + 2], 16).unwrap();
    format!(
        "sha256-{}",
        STANDARD.encode((0..32).map(byte).collect::<Vec<u8>>())
    )
}

pub(crate) fn put(folder: &Path, path: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    write_file(&path, bytes);
    path
}

/// Commits all files and adds an annotated tag, which contains its author.
pub(crate) fn release(folder: &Path, tag: &str) {
    rocpkg_test_support::commit(folder);
    git(folder, &["tag", "--annotate", "--message", "released", tag]);
}

pub(crate) fn tag(name: &str) -> Reference {
    Reference::Tag(name.to_owned())
}

/// Adds files of all kinds, in folders like those of a repository with many projects.
pub(crate) fn fill(folder: &Path) {
    let long = format!("projects/a/{}/{}", "d".repeat(120), "f".repeat(120));
    put(
        folder,
        ".gitattributes",
        "*.bat text eol=crlf\n*.bin filter=lfs diff=lfs merge=lfs -text\n*.id ident\n",
    );
    put(folder, "README.md", "of all\n");
    put(folder, "cmake/own.cmake", "outside of any cone\n");
    put(folder, "projects/CMakeLists.txt", "beside\n");
    put(
        folder,
        "projects/a/.gitattributes",
        "left-out export-ignore\nversion.txt export-subst\n",
    );
    put(folder, "projects/a/left-out", "not in archives\n");
    put(folder, "projects/a/version.txt", "$Format:%H %cI$\n");
    put(folder, "projects/a/run.bat", "one\ntwo\n");
    put(folder, "projects/a/raw.txt", "one\r\ntwo\r\n");
    put(folder, "projects/a/made.id", "$Id$\n");
    put(
        folder,
        "projects/a/data.bin",
        "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 12\n",
    );
    put(folder, "projects/a/empty", "");
    put(folder, "projects/a/größe", "named in UTF-8\n");
    put(folder, &long, "a long path\n");
    // Git sorts a folder as if its name ended in a slash. Nix does not.
    for path in [
        "projects/a/foo/in",
        "projects/a/foo-bar",
        "projects/a/foo.d/in",
        "projects/a/foo0",
    ] {
        put(folder, path, path);
    }
    put(folder, "projects/b/own", "another\n");
    put(folder, "shared/c/deep/er", "below\n");
    put(folder, "shared/beside", "with c\n");
    let tool = put(folder, "projects/a/tool.sh", "#!/bin/sh\n");
    fs::set_permissions(tool, fs::Permissions::from_mode(0o755)).unwrap();
    symlink("tool.sh", folder.join("projects/a/link")).unwrap();
    symlink("../../nowhere", folder.join("projects/a/dangling")).unwrap();
    symlink("x/".repeat(90), folder.join("projects/a/far")).unwrap();
}
