//! Runs `makepkg --printsrcinfo`, which runs the PKGBUILD. It runs only if the user allowed it, in a
//! temporary folder, without the variables of the user's environment, and for a limited time.

use std::env;
use std::ffi::{OsStr, OsString};
use std::fmt;
use std::fs::{File, create_dir, read, read_dir};
use std::io::{self, Write};
use std::os::unix::fs::symlink;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// The time that makepkg gets. It usually takes a fraction of a second.
const LIMIT: Duration = Duration::from_secs(20);

/// The pause between two looks at the process.
const PAUSE: Duration = Duration::from_millis(5);

/// The exit status of makepkg when it is run as root (`util/error.sh`).
const E_ROOT: i32 = 10;

/// The exit status of makepkg for a PKGBUILD that its checks refuse (`util/error.sh`).
const E_PKGBUILD_ERROR: i32 = 12;

/// The reason why makepkg printed no `.SRCINFO`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum MakepkgFailure {
    /// makepkg is not installed.
    Missing,
    /// makepkg refused to run, because the user is root.
    Root,
    /// makepkg refused the PKGBUILD. The text contains its errors.
    Refused(String),
    /// makepkg could not do its work, such as without fakeroot. The text contains its errors.
    Failed(String),
    /// makepkg did not end in time.
    TimedOut(Duration),
    /// makepkg printed something else than a `.SRCINFO`: the number of the first other line, from
    /// 1, and the line. The PKGBUILD prints it.
    Other(usize, String),
}

impl fmt::Display for MakepkgFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => write!(f, "makepkg is not installed"),
            Self::Root => write!(f, "makepkg does not run as root"),
            Self::Refused(errors) => write!(f, "makepkg can't read the PKGBUILD: {errors}"),
            Self::Failed(errors) => write!(f, "makepkg failed: {errors}"),
            Self::TimedOut(limit) => {
                write!(f, "makepkg was stopped after {} seconds", limit.as_secs())
            }
            Self::Other(at, line) => write!(
                f,
                "line {at} of makepkg's output is no line of a .SRCINFO: `{line}`; a command of the PKGBUILD prints it"
            ),
        }
    }
}

/// The way in which makepkg is run.
pub(super) struct Makepkg {
    /// The value of `PATH`.
    path: OsString,
    limit: Duration,
}

impl Makepkg {
    pub(super) fn new() -> Self {
        Self {
            path: env::var_os("PATH").unwrap_or_default(),
            limit: LIMIT,
        }
    }

    /// Returns the output of `makepkg --printsrcinfo` for the PKGBUILD `text`, as if it were in
    /// `folder`. `beside` are files of the tree, by name, that replace or join the files of
    /// `folder`. Nothing in `folder` changes.
    pub(super) fn srcinfo<'t>(
        &self,
        text: &'t str,
        folder: &Path,
        beside: impl Iterator<Item = (&'t str, &'t [u8])>,
    ) -> Result<String, MakepkgFailure> {
        let failed = |e: io::Error| MakepkgFailure::Failed(e.to_string());
        let scratch = laid_out(text, folder, beside).map_err(failed)?;
        let status = self.run(scratch.path())?;
        let said = |name: &str| {
            let bytes = read(scratch.path().join(name)).map_err(failed)?;
            Ok(String::from_utf8_lossy(&bytes).into_owned())
        };
        let errors = errors(&said(ERRORS)?);
        match status.code() {
            Some(0) => checked(said(OUTPUT)?),
            Some(E_ROOT) => Err(MakepkgFailure::Root),
            Some(E_PKGBUILD_ERROR) => Err(MakepkgFailure::Refused(errors)),
            // makepkg exits with 1 if bash can't source the file.
            Some(1) if errors.contains("Failed to source") => Err(MakepkgFailure::Refused(errors)),
            _ if errors.is_empty() => Err(MakepkgFailure::Failed(status.to_string())),
            _ => Err(MakepkgFailure::Failed(errors)),
        }
    }

    /// Runs makepkg in `scratch`. Its output is written to files there: a process that makepkg
    /// leaves behind would keep a pipe open.
    #[expect(
        clippy::disallowed_methods,
        reason = "the user allowed it: makepkg makes the file, and it runs what hands wrote"
    )]
    fn run(&self, scratch: &Path) -> Result<ExitStatus, MakepkgFailure> {
        let failed = |e: io::Error| MakepkgFailure::Failed(e.to_string());
        let output = |name: &str| File::create(scratch.join(name)).map_err(failed);
        let mut command = Command::new("makepkg");
        command
            .arg("--printsrcinfo")
            .current_dir(scratch.join(RECIPE))
            .env_clear()
            .env("PATH", &self.path)
            .env("LC_ALL", "C")
            .stdin(Stdio::null())
            .stdout(output(OUTPUT)?)
            .stderr(output(ERRORS)?)
            .process_group(0);
        for variable in [
            "HOME",
            "BUILDDIR",
            "PKGDEST",
            "SRCDEST",
            "SRCPKGDEST",
            "LOGDEST",
        ] {
            command.env(variable, scratch);
        }
        let mut child = match command.spawn() {
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Err(MakepkgFailure::Missing),
            child => child.map_err(failed)?,
        };
        let start = Instant::now();
        loop {
            match child.try_wait().map_err(failed)? {
                Some(status) => return Ok(status),
                None if start.elapsed() < self.limit => sleep(PAUSE),
                None => {
                    kill(&mut child);
                    return Err(MakepkgFailure::TimedOut(self.limit));
                }
            }
        }
    }
}

/// The names of makepkg's files in the temporary folder.
const RECIPE: &str = "recipe";
const OUTPUT: &str = "output";
const ERRORS: &str = "errors";

/// Ends a process and all others of its group.
#[expect(
    clippy::disallowed_methods,
    reason = "the standard library has no call that ends a group"
)]
fn kill(child: &mut Child) {
    let group = format!("-{}", child.id());
    let mut command = Command::new("/bin/sh");
    let _ = command
        .args(["-c", "kill -s KILL -- \"$0\"", &group])
        .stderr(Stdio::null())
        .status();
    let _ = child.kill();
    let _ = child.wait();
}

/// Returns the errors in what makepkg printed, or all that it printed if no line is an error.
fn errors(text: &str) -> String {
    let errors = text.lines().filter_map(|line| line.split_once("ERROR: "));
    let errors: Vec<&str> = errors.map(|(_, error)| error).collect();
    if errors.is_empty() {
        text.trim().to_owned()
    } else {
        errors.join("; ")
    }
}

/// Returns a text if it is a `.SRCINFO`.
fn checked(text: String) -> Result<String, MakepkgFailure> {
    match rocpkg_arch::read_srcinfo(&text) {
        Ok(_) => Ok(text),
        Err(at) => {
            let line = text.lines().nth(at - 1).unwrap_or_default();
            Err(MakepkgFailure::Other(at, line.to_owned()))
        }
    }
}

/// Creates a temporary folder with a folder `recipe`. It contains the PKGBUILD `text`, the files of
/// `beside`, and symbolic links to all other files of `folder`.
fn laid_out<'t>(
    text: &'t str,
    folder: &Path,
    beside: impl Iterator<Item = (&'t str, &'t [u8])>,
) -> io::Result<TempDir> {
    let scratch = TempDir::new()?;
    let recipe = scratch.path().join(RECIPE);
    create_dir(&recipe)?;
    let new = beside
        .filter(|(name, _)| *name != "PKGBUILD")
        .chain([("PKGBUILD", text.as_bytes())]);
    for (name, bytes) in new {
        File::create(recipe.join(name))?.write_all(bytes)?;
    }
    let existing = folder.canonicalize().and_then(read_dir);
    for entry in existing.into_iter().flatten() {
        let entry = entry?;
        let name = entry.file_name();
        // makepkg uses these two folders itself.
        if ![OsStr::new("src"), OsStr::new("pkg")].contains(&name.as_os_str())
            && !recipe.join(&name).exists()
        {
            symlink(entry.path(), recipe.join(&name))?;
        }
    }
    Ok(scratch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{Permissions, set_permissions};
    use std::os::unix::fs::PermissionsExt;

    /// Returns the result of a program in the place of makepkg: a script of sh.
    fn of_script(script: &str) -> Result<String, MakepkgFailure> {
        let programs = TempDir::new().unwrap();
        let program = programs.path().join("makepkg");
        let text = format!("#!/bin/sh\n{script}\n");
        // The script is copied: it can't be started while a child of another thread has it open for
        // writing.
        let written = programs.path().join("script");
        let mut file = File::create(&written).unwrap();
        file.write_all(text.as_bytes()).unwrap();
        drop(file);
        set_permissions(&written, Permissions::from_mode(0o755)).unwrap();
        std::fs::rename(&written, &program).unwrap();
        let makepkg = Makepkg {
            path: programs.path().as_os_str().to_owned(),
            limit: Duration::from_secs(1),
        };
        let mut told = makepkg.srcinfo("pkgname=a\n", programs.path(), [].into_iter());
        // Text file busy, as above.
        while told
            .as_ref()
            .is_err_and(|e| e.to_string().contains("os error 26"))
        {
            sleep(PAUSE);
            told = makepkg.srcinfo("pkgname=a\n", programs.path(), [].into_iter());
        }
        told
    }

    #[test]
    fn only_a_srcinfo_is_taken() {
        let info = "pkgbase = a\n\tpkgver = 1\n\npkgname = a\n";
        let print = "printf 'pkgbase = a\\n\\tpkgver = 1\\n\\npkgname = a\\n'";
        assert_eq!(of_script(print), Ok(info.to_owned()));
        for (script, at, line) in [
            (format!("echo hello; {print}"), 1, "hello"),
            (format!("{print}; echo hello"), 5, "hello"),
            (format!("echo 'pkgbase = b'; {print}"), 2, "pkgbase = a"),
            (":".to_owned(), 1, ""),
        ] {
            let refused = Err(MakepkgFailure::Other(at, line.to_owned()));
            assert_eq!(of_script(&script), refused, "{script}");
        }
    }

    #[test]
    fn the_environment_is_not_the_users() {
        // `PWD` and `_` are made by the shell.
        let script = "for name in $(/usr/bin/env); do echo \"${name%%=*}\"; done >&2; exit 3";
        let Err(MakepkgFailure::Failed(names)) = of_script(script) else {
            panic!("no names");
        };
        let mut names: Vec<&str> = names.split_whitespace().collect();
        names.retain(|name| !["PWD", "OLDPWD", "SHLVL", "_"].contains(name));
        names.sort_unstable();
        let own = [
            "BUILDDIR",
            "HOME",
            "LC_ALL",
            "LOGDEST",
            "PATH",
            "PKGDEST",
            "SRCDEST",
            "SRCPKGDEST",
        ];
        assert_eq!(names, own);
    }

    #[test]
    fn only_its_own_errors_are_blamed_on_a_pkgbuild() {
        let failed = |text: &str| Err(MakepkgFailure::Failed(text.to_owned()));
        let refused = |text: &str| Err(MakepkgFailure::Refused(text.to_owned()));
        for (script, result) in [
            ("exit 10", Err(MakepkgFailure::Root)),
            (
                "echo '==> ERROR: arch is wrong' >&2; exit 12",
                refused("arch is wrong"),
            ),
            (
                "echo '==> ERROR: Failed to source PKGBUILD' >&2; exit 1",
                refused("Failed to source PKGBUILD"),
            ),
            (
                "echo '==> ERROR: Cannot find the fakeroot binary.' >&2; exit 15",
                failed("Cannot find the fakeroot binary."),
            ),
            ("exit 3", failed("exit status: 3")),
        ] {
            assert_eq!(of_script(script), result, "{script}");
        }
        let missing = Makepkg {
            path: OsString::from("/nowhere"),
            limit: LIMIT,
        };
        let told = missing.srcinfo("", Path::new("/nowhere"), [].into_iter());
        assert_eq!(told, Err(MakepkgFailure::Missing));
    }

    #[test]
    fn all_processes_are_stopped_after_a_while() {
        let alive = TempDir::new().unwrap();
        let beat = alive.path().join("beat");
        let beats = format!(
            "(while :; do echo >> {}; /bin/sleep 0.1; done) & ",
            beat.display()
        );
        let limit = Duration::from_secs(1);
        let told = of_script(&format!("{beats} /bin/sleep 60"));
        assert_eq!(told, Err(MakepkgFailure::TimedOut(limit)));
        let count = || read(&beat).unwrap().len();
        let before = count();
        sleep(Duration::from_millis(500));
        assert_eq!(count(), before);
    }
}
