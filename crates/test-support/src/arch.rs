use std::{
    env, fs,
    os::unix::fs::chown,
    path::{Path, PathBuf},
    process::Command,
};

use tempfile::TempDir;

use crate::{
    copy::{copy_tree, stand_in, write_file},
    fixture,
    tools::{is_root, outcome, run},
};

/// The id of the user and group "nobody". makepkg refuses to run as root.
const NOBODY: u32 = 65534;

/// Returns the output of `makepkg --printsrcinfo` for a folder with a PKGBUILD. makepkg also runs
/// its checks of the PKGBUILD (`lint_pkgbuild`).
///
/// # Errors
/// The output of makepkg, if it fails or prints a warning.
pub fn printsrcinfo(folder: &Path) -> Result<String, String> {
    let scratch = TempDir::with_prefix("rocpkg-arch-").expect("a scratch folder can be made");
    copy_tree(folder, scratch.path());
    let programs = open_programs(scratch.path());
    give_away(scratch.path());
    let mut command = unprivileged(&rocpkg_programs::path("makepkg"));
    command
        .arg("--printsrcinfo")
        .current_dir(scratch.path())
        .env_clear();
    command.env("PATH", programs).env("LC_ALL", "C.UTF-8");
    for variable in ["HOME", "BUILDDIR", "PKGDEST", "SRCDEST", "SRCPKGDEST"] {
        command.env(variable, scratch.path());
    }
    let output = run(&mut command);
    let text = outcome(&output)?;
    let complaints = String::from_utf8_lossy(&output.stderr);
    if complaints.trim().is_empty() {
        Ok(text)
    } else {
        Err(complaints.into_owned())
    }
}

/// Copies the folder of installed test programs to `scratch`, and returns the copy. It is the value
/// of `PATH` for [`unprivileged`] programs.
///
/// "nobody" may have no access to the folder of the repository, for example below root's home.
pub fn open_programs(scratch: &Path) -> PathBuf {
    let programs = scratch.join("programs");
    copy_tree(rocpkg_programs::folder(), &programs);
    programs
}

/// Returns a command for `program`. It runs as "nobody" if the tests run as root.
pub fn unprivileged(program: &Path) -> Command {
    if !is_root() {
        return rocpkg_programs::own(program);
    }
    let mut command = rocpkg_programs::command("setpriv");
    command
        .args([
            format!("--reuid={NOBODY}"),
            format!("--regid={NOBODY}"),
            "--clear-groups".to_owned(),
        ])
        .arg(program);
    command
}

/// Returns the folders directly in `tree` that contain a PKGBUILD, sorted.
pub fn pkgbases(tree: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(tree).unwrap_or_else(|e| panic!("{}: {e}", tree.display()));
    let mut found: Vec<_> = entries
        .map(|entry| {
            entry
                .unwrap_or_else(|e| panic!("{}: {e}", tree.display()))
                .path()
        })
        .filter(|path| path.join("PKGBUILD").is_file())
        .collect();
    found.sort();
    found
}

/// Makes "nobody" the owner of a folder and of all files below it, if the tests run as root.
///
/// # Panics
/// When the owner can't be changed.
pub fn give_away(path: &Path) {
    if !is_root() {
        return;
    }
    chown(path, Some(NOBODY), Some(NOBODY)).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if path.is_dir() {
        for entry in fs::read_dir(path).unwrap_or_else(|e| panic!("{}: {e}", path.display())) {
            give_away(
                &entry
                    .unwrap_or_else(|e| panic!("{}: {e}", path.display()))
                    .path(),
            );
        }
    }
}

/// A scratch system in which makepkg builds packages and pacman installs them. It has folders for
/// sources and downloads, and a root that packages are installed to.
pub struct ArchWorld {
    root: TempDir,
}

impl ArchWorld {
    /// Makes a scratch system without packages. It contains a program with the name `tool`, which
    /// prints GPU targets.
    ///
    /// # Panics
    /// When a scratch folder can't be made.
    pub fn new(tool: &str) -> Self {
        let world = Self {
            root: TempDir::with_prefix("rocpkg-arch-").expect("a scratch folder can be made"),
        };
        let program = world.path("bin").join(tool);
        fs::copy(fixture("standins/arch/supported-gfx"), program).expect("a program");
        open_programs(world.root.path());
        // Repositories that recipes clone from GitHub come from this folder.
        let repositories = world.path("repositories");
        let config = format!(
            "[url \"{}/\"]\n\tinsteadOf = https://github.com/\n",
            repositories.display()
        );
        write_file(world.path("home").join(".gitconfig"), &config);
        write_file(
            world.path("etc").join("pacman.conf"),
            "[options]\nSigLevel = Never\n",
        );
        world.path("installed/var/lib/pacman");
        world
    }

    /// Returns a folder of the scratch system, and makes it if it does not exist.
    fn path(&self, name: &str) -> PathBuf {
        let path = self.root.path().join(name);
        fs::create_dir_all(&path).expect("a scratch folder");
        path
    }

    /// Returns the path of a file that an installed package contains.
    pub fn installed(&self, path: &str) -> PathBuf {
        self.root
            .path()
            .join("installed")
            .join(path.trim_start_matches('/'))
    }

    /// Writes a stand-in for one of upstream's projects, with `files` in it. `source` is the name
    /// of the archive or repository that will contain it (see [`Self::pack`]), and `folder` is the
    /// project's folder in there.
    ///
    /// # Panics
    /// When the project can't be written.
    pub fn project(&self, source: &str, folder: &str, files: &[&str]) {
        stand_in(&self.path("sources").join(source).join(folder), files);
    }

    /// Packs the projects of all calls of [`Self::project`], and makes the building user the owner
    /// of the result. A source becomes an archive of its name. If its name is `OWNER%NAME@TAG`, it
    /// becomes the repository `OWNER/NAME` with this tag.
    ///
    /// # Panics
    /// When tar or git fails.
    pub fn pack(&self) {
        let sources = self.path("sources");
        for entry in fs::read_dir(&sources)
            .expect("a folder")
            .map(|e| e.expect("an entry").path())
        {
            let name = entry
                .file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned();
            if let Some((repository, tag)) = name.split_once('@') {
                crate::git::commit(&entry);
                crate::git(&entry, &["tag", tag]);
                let place = self.path("repositories").join(repository.replace('%', "/"));
                fs::create_dir_all(place.parent().expect("an owner")).expect("a folder");
                fs::rename(&entry, place).expect("a repository that moves");
            } else {
                let mut tar = rocpkg_programs::command("tar");
                let archive = self.path("downloads").join(&name);
                tar.arg("-caf")
                    .arg(archive)
                    .arg("-C")
                    .arg(&entry)
                    .args(names(&entry));
                outcome(&run(&mut tar)).unwrap_or_else(|e| panic!("{name}: {e}"));
            }
        }
        give_away(self.root.path());
    }

    /// Builds the packages of the PKGBUILD in `folder`. Checksums are not compared, because they
    /// are those of upstream's archives and not of stand-ins.
    ///
    /// # Errors
    /// The output of makepkg.
    pub fn makepkg(&self, folder: &Path) -> Result<(), String> {
        let name = folder
            .file_name()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        let build = self.path(&format!("build/{name}"));
        copy_tree(folder, &build);
        give_away(&build);
        let mut command = unprivileged(&rocpkg_programs::path("makepkg"));
        command
            .args(["--nodeps", "--noconfirm", "--skipinteg"])
            .current_dir(&build)
            .env_clear();
        command.env(
            "PATH",
            env::join_paths([self.path("bin"), self.path("programs")]).expect("no colon"),
        );
        command
            .env("LC_ALL", "C.UTF-8")
            .env("PKGEXT", ".pkg.tar")
            .env("MAKEFLAGS", "-j1");
        for (variable, place) in [
            ("HOME", "home"),
            ("PKGDEST", "packages"),
            ("SRCDEST", "downloads"),
        ] {
            command.env(variable, self.path(place));
        }
        give_away(&self.path("packages"));
        outcome(&run(&mut command)).map(|_| ())
    }

    /// Returns true if the build folder of a package contains a file. `path` begins with the name
    /// of the package's folder.
    pub fn has_built(&self, path: &str) -> bool {
        self.root.path().join("build").join(path).is_file()
    }

    /// Installs all packages that were built. The packages `there` count as installed already.
    ///
    /// # Errors
    /// The output of pacman.
    pub fn install(&self, there: &[String]) -> Result<(), String> {
        let mut command = self.pacman();
        for name in there {
            command.args(["--assume-installed", name]);
        }
        command.args([
            "--upgrade",
            "--noconfirm",
            "--noscriptlet",
            "--noprogressbar",
        ]);
        let packages = self.path("packages");
        command.args(names(&packages).into_iter().map(|name| packages.join(name)));
        outcome(&run(&mut command)).map(|_| ())
    }

    /// Returns the output of `pacman --query` with these arguments.
    ///
    /// # Errors
    /// The output of pacman.
    pub fn query(&self, arguments: &[&str]) -> Result<String, String> {
        outcome(&run(self.pacman().arg("--query").args(arguments)))
    }

    /// Returns a command for pacman with the scratch system's options. pacman needs root, so it
    /// runs under fakeroot.
    fn pacman(&self) -> Command {
        let mut command = rocpkg_programs::command("fakeroot");
        let root = self.path("installed");
        command
            .arg(rocpkg_programs::path("pacman"))
            .arg("--config")
            .arg(self.path("etc").join("pacman.conf"));
        command
            .arg("--root")
            .arg(&root)
            .arg("--dbpath")
            .arg(root.join("var/lib/pacman"));
        command
            .arg("--cachedir")
            .arg(self.path("cache"))
            .env("LC_ALL", "C.UTF-8");
        command
    }
}

/// Returns the names of all entries of a folder, sorted.
fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut out: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    out.sort();
    out
}
