//! Makes a minimal Debian in a folder, for `fresh.rs`. It has the settings by which this machine
//! reaches its package registries.

use std::{
    env,
    ffi::{OsStr, OsString},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use crate::{
    install,
    tools::{self, Outcome},
};

/// The packages that the minimal Debian has, besides Rust, before README's commands are run.
const PACKAGES: [&str; 5] = ["ca-certificates", "gcc", "git", "libc6-dev", "python3"];

/// Files and folders with the settings of package registries, by their absolute paths.
const SETTINGS: [&str; 8] = [
    "/etc/apt",
    "/etc/hosts",
    "/etc/npmrc",
    "/etc/pip.conf",
    "/etc/resolv.conf",
    "/usr/local/etc/npmrc",
    "/usr/local/share/ca-certificates",
    "/usr/share/keyrings",
];

/// Files with the settings of package registries, by their paths in the home folder.
const SETTINGS_AT_HOME: [&str; 3] = [".config/pip/pip.conf", ".npmrc", ".pip/pip.conf"];

/// Prefixes of the names of environment variables that set the package registries.
const VARIABLES: [&str; 8] = [
    "CARGO_HTTP_",
    "CARGO_NET_",
    "CARGO_REGISTR",
    "CARGO_SOURCE_",
    "NODE_EXTRA_",
    "NPM_CONFIG_",
    "PIP_",
    "SSL_CERT_",
];

/// Suffixes of the names of environment variables that set the package registries.
const VARIABLES_END: [&str; 4] = ["_CA_BUNDLE", "_PROXY", "_SSL_CAINFO", "_SSL_CERT_FILE"];

/// The folder of Rust's toolchain in the minimal Debian.
const RUST: &str = "/usr/local/rust";

/// The path of the home folder in the minimal Debian, without the slash at the beginning.
const HOME: &str = "root";

/// A minimal Debian in a folder, which serves as the root of a file system. Programs run in it as
/// on a separate machine.
pub(crate) struct Machine<'a> {
    folder: &'a Path,
    variables: Vec<(OsString, OsString)>,
}

impl<'a> Machine<'a> {
    /// The folder of the clone of the workspace, in the minimal Debian. Users other than root can
    /// read it.
    pub(crate) const CLONE: &'static str = "/srv/rocpkg";

    /// Makes a minimal Debian in `folder`, and clones the HEAD of `workspace` into it.
    pub(crate) fn new(workspace: &Path, folder: &'a Path) -> Result<Self, String> {
        bootstrap(folder)?;
        let variables = env::vars_os().filter(|(name, _)| is_setting(&name.to_string_lossy()));
        let machine = Self {
            folder,
            variables: variables.collect(),
        };
        machine.mount_system()?;
        machine.copy_settings()?;
        machine.mount_rust()?;
        let mut git = Command::new(rocpkg_programs::find("git")?);
        git.args(["clone", "--quiet"]).arg(workspace);
        tools::succeed(git.arg(machine.place(Self::CLONE)))?;
        Ok(machine)
    }

    /// Returns a command that runs in the minimal Debian with the environment of a new login.
    pub(crate) fn command(&self, program: &str) -> Command {
        let mut command = Command::new(rocpkg_programs::path("chroot"));
        let path =
            format!("{RUST}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
        command.arg(self.folder).arg(program).env_clear();
        command.env("HOME", Path::new("/").join(HOME));
        command
            .env("PATH", path)
            .envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Returns the path on this machine of `path`, which is an absolute path in the minimal Debian.
    fn place(&self, path: impl AsRef<Path>) -> PathBuf {
        let path = path.as_ref();
        self.folder.join(path.strip_prefix("/").unwrap_or(path))
    }

    fn mount_system(&self) -> Outcome {
        self.mount("/dev", "/dev", &["--rbind"])?;
        self.mount("/sys", "/sys", &["--rbind"])?;
        self.mount("proc", "/proc", &["-t", "proc"])
    }

    fn mount(&self, what: impl AsRef<OsStr>, at: &str, options: &[&str]) -> Outcome {
        let place = self.place(at);
        fs::create_dir_all(&place).map_err(|e| format!("{}: {e}", place.display()))?;
        let mut mount = Command::new(rocpkg_programs::find("mount")?);
        tools::output(mount.args(options).arg(what).arg(place)).map(|_| ())
    }

    /// Copies the settings of the package registries, the certificates, and the files and folders
    /// that environment variables name into the minimal Debian.
    fn copy_settings(&self) -> Outcome {
        // This machine's lists name the suite in debootstrap's own list already.
        let apt = self.place("/etc/apt");
        fs::remove_dir_all(&apt).map_err(|e| format!("{}: {e}", apt.display()))?;
        for path in SETTINGS.map(Path::new) {
            self.copy(path, path)?;
        }
        let home = env::home_dir().ok_or("no home folder")?;
        for path in SETTINGS_AT_HOME {
            self.copy(&home.join(path), &Path::new("/").join(HOME).join(path))?;
        }
        let cargo = env::var_os("CARGO_HOME").map_or_else(|| home.join(".cargo"), PathBuf::from);
        for name in ["config", "config.toml"] {
            self.copy(
                &cargo.join(name),
                &Path::new("/").join(HOME).join(".cargo").join(name),
            )?;
        }
        tools::output(&mut self.command("update-ca-certificates"))?;
        for path in self.variables.iter().map(|(_, value)| Path::new(value)) {
            if path.is_absolute() {
                self.copy(path, path)?;
            }
        }
        Ok(())
    }

    /// Copies the file `from`, or the contents of the folder `from`, to `to` in the minimal Debian.
    /// Follows links. Does nothing if `from` does not exist.
    fn copy(&self, from: &Path, to: &Path) -> Outcome {
        if !from.exists() {
            return Ok(());
        }
        let to = self.place(to);
        let parent = if from.is_dir() {
            Some(to.as_path())
        } else {
            to.parent()
        };
        let parent = parent.unwrap_or(&to);
        fs::create_dir_all(parent).map_err(|e| format!("{}: {e}", parent.display()))?;
        let mut copy = Command::new(rocpkg_programs::find("cp")?);
        copy.args(["-rL", "--preserve=mode", "--remove-destination", "-T"]);
        tools::output(copy.arg(from).arg(to)).map(|_| ())
    }

    /// Mounts this machine's Rust toolchain into the minimal Debian, read-only.
    fn mount_rust(&self) -> Outcome {
        let sysroot = tools::output(Command::new("rustc").args(["--print", "sysroot"]))?;
        self.mount(sysroot.trim(), RUST, &["--bind"])?;
        self.mount("none", RUST, &["-o", "remount,bind,ro"])
    }
}

/// Installs a minimal Debian into a folder: the smallest one in which apt can install more.
fn bootstrap(folder: &Path) -> Outcome {
    let release = fs::read_to_string("/etc/os-release").unwrap_or_default();
    let is_debian = release.lines().any(|line| line == "ID=debian");
    let suite = release
        .lines()
        .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
        .filter(|_| is_debian)
        .unwrap_or("bookworm");
    let mut debootstrap = Command::new(rocpkg_programs::find("debootstrap")?);
    debootstrap
        .args([
            "--variant=minbase",
            &format!("--include={}", PACKAGES.join(",")),
        ])
        .arg(suite)
        .arg(folder)
        .arg(install::mirror()?);
    tools::output(&mut debootstrap).map(|_| ())
}

/// Returns true if `name` is an environment variable that sets the package registry, or the way to
/// reach a registry.
fn is_setting(name: &str) -> bool {
    let name = name.to_uppercase();
    VARIABLES.iter().any(|begin| name.starts_with(begin))
        || VARIABLES_END.iter().any(|end| name.ends_with(end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_of_registries_are_kept_and_others_are_not() {
        for name in [
            "CARGO_REGISTRIES_CRATES_IO_PROTOCOL",
            "PIP_INDEX_URL",
            "SSL_CERT_FILE",
            "REQUESTS_CA_BUNDLE",
            "https_proxy",
            "npm_config_registry",
        ] {
            assert!(is_setting(name), "{name}");
        }
        for name in [
            "CARGO_HOME",
            "CARGO_MANIFEST_DIR",
            "LANG",
            "PATH",
            "ROCPKG_VENV",
        ] {
            assert!(!is_setting(name), "{name}");
        }
    }

    #[test]
    fn a_file_is_copied_to_the_same_place_and_a_missing_one_is_not() {
        let scratch = crate::scratch::Scratch::new("machine").unwrap();
        let machine = Machine {
            folder: &scratch.0.join("a"),
            variables: Vec::new(),
        };
        let from = scratch.0.join("from/x");
        fs::create_dir_all(from.join("y")).unwrap();
        fs::write(from.join("y/z"), "text").unwrap();
        machine.copy(&from, Path::new("/etc/x")).unwrap();
        machine
            .copy(&from.join("y/z"), Path::new("/etc/x/y/w"))
            .unwrap();
        machine
            .copy(&from.join("none"), Path::new("/none"))
            .unwrap();
        for path in ["y/z", "y/w"] {
            let copied = fs::read_to_string(scratch.0.join("a/etc/x").join(path));
            assert_eq!(copied.unwrap(), "text", "{path}");
        }
        assert!(!scratch.0.join("a/none").exists());
    }
}
