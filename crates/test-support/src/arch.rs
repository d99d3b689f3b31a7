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

/// The user and group "nobody": makepkg refuses root.
const NOBODY: u32 = 65534;

/// What `makepkg --printsrcinfo` prints for a folder with a PKGBUILD, or its complaint: its lints
/// run as well.
///
/// # Errors
/// What makepkg printed, when it fails or has anything to say.
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

/// Copies the folder of programs into a scratch folder, and returns the value of `PATH` for
/// [`unprivileged`] programs.
///
/// "nobody" may not enter the folder of the repository, for example below root's home.
pub fn open_programs(scratch: &Path) -> PathBuf {
    let programs = scratch.join("programs");
    copy_tree(rocpkg_programs::folder(), &programs);
    programs
}

/// A program that runs as "nobody" where the tests run as root.
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

/// The folders of a tree that hold a PKGBUILD, sorted.
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

/// Hands a folder and all below it to who runs programs unprivileged.
///
/// # Panics
/// When the system refuses it.
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

/// Where packages are built by makepkg and installed by pacman: sources, a place for what is
/// downloaded, a root of its own.
pub struct ArchWorld {
    root: TempDir,
}

impl ArchWorld {
    /// A world that holds nothing but a program called `tool`, which prints GPU targets.
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
        // What is cloned from GitHub comes from here.
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

    /// A folder of it, made where it is not there.
    fn path(&self, name: &str) -> PathBuf {
        let path = self.root.path().join(name);
        fs::create_dir_all(&path).expect("a scratch folder");
        path
    }

    /// A file of the root into which packages are installed.
    pub fn installed(&self, path: &str) -> PathBuf {
        self.root
            .path()
            .join("installed")
            .join(path.trim_start_matches('/'))
    }

    /// Puts a project into the folder of what an archive holds, or of a repository that is cloned.
    ///
    /// # Panics
    /// When it can't be written.
    pub fn project(&self, source: &str, folder: &str, files: &[&str]) {
        stand_in(&self.path("sources").join(source).join(folder), files);
    }

    /// Packs all that was put in, and hands it to who builds: archives with the names of their
    /// folders in `sources`, and repositories (`OWNER/NAME@TAG`).
    ///
    /// # Panics
    /// When tar or git refuses.
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

    /// Builds a PKGBUILD's packages; nobody knows the sums of stand-ins, so none is compared.
    ///
    /// # Errors
    /// What makepkg said.
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

    /// Whether a build left a file behind.
    pub fn has_built(&self, path: &str) -> bool {
        self.root.path().join("build").join(path).is_file()
    }

    /// Installs all that was built, where these are there already.
    ///
    /// # Errors
    /// What pacman said.
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

    /// What pacman answers to a question about what is installed.
    ///
    /// # Errors
    /// What pacman said.
    pub fn query(&self, arguments: &[&str]) -> Result<String, String> {
        outcome(&run(self.pacman().arg("--query").args(arguments)))
    }

    /// pacman asks for root; fakeroot answers that.
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

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<std::ffi::OsString> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut out: Vec<_> = entries
        .map(|entry| entry.expect("an entry").file_name())
        .collect();
    out.sort();
    out
}
