//! The programs that the tests run: the package managers of the distributions.

use std::{
    env, fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

/// Why a step failed, for a person to read.
pub(crate) type Outcome = Result<(), String>;

/// Portage and pkgcheck, and what runs and checks plans. Newer pkgcheck wants a newer bash than Debian 12 has.
const PYTHON_PACKAGES: [&str; 8] = [
    "check-jsonschema==0.39.0",
    "ninja==1.11.1.4",
    "pkgcheck==0.10.37",
    "pkgcore==0.12.30",
    "portage==3.0.83",
    "snakemake==9.9.0",
    "snakemake-executor-plugin-slurm==2.8.0",
    "snakeoil==0.10.11",
];

/// A program, and the Debian package that brings it.
const PROGRAMS: [(&str, &str); 13] = [
    ("bsdtar", "libarchive-tools"),
    ("clang-22", "clang-22"),
    ("cmake", "cmake"),
    ("fakeroot", "fakeroot"),
    ("flock", "util-linux"),
    ("ld.lld-22", "lld-22"),
    ("llvm-objcopy-22", "llvm-22"),
    ("make", "make"),
    ("makepkg", "makepkg"),
    ("nix-instantiate", "nix-bin"),
    ("pacman", "pacman-package-manager"),
    ("setpriv", "util-linux"),
    ("zstd", "zstd"),
];

/// Debian's packages of ROCm that are small and hold code, for GPUs that its index names.
const BUILT: [&str; 3] = ["libhipblaslt1-bench", "libhipfft0-tests", "librocfft0"];

/// The Python environment: `ROCPKG_VENV`, or one below `target/`.
fn venv(root: &Path) -> PathBuf {
    env::var_os("ROCPKG_VENV").map_or_else(|| root.join("target/tools/venv"), PathBuf::from)
}

/// Installs what is missing, and does nothing when nothing is.
pub(crate) fn install(root: &Path) -> Outcome {
    install_programs()?;
    install_python_packages(&venv(root))?;
    fetch_built(&built(root))
}

/// Where [`BUILT`] lies.
fn built(root: &Path) -> PathBuf {
    root.join("target/tools/built")
}

/// Fetches [`BUILT`] from Debian's newest, with what the index says of each. The index lies beside the machine's own, from the same
/// mirror, and nothing is installed.
fn fetch_built(folder: &Path) -> Outcome {
    let declared = folder.join("declared.txt");
    if declared.is_file() {
        return Ok(());
    }
    println!("    fetching {}", BUILT.join(" "));
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    fs::create_dir_all(folder.join("lists/partial")).map_err(wrong)?;
    let targets = [
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Label: Debian",
    ];
    let mirrors = said(Command::new("apt-get").args(targets))?;
    let mirror = mirrors
        .lines()
        .next()
        .ok_or("apt-get knows no mirror of Debian")?;
    let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
    let sources = folder.join("sources.list");
    fs::write(
        &sources,
        format!("deb [signed-by={keys}] {mirror} experimental main\n"),
    )
    .map_err(wrong)?;
    let apt = |program: &str| {
        let mut command = Command::new(program);
        command
            .current_dir(folder)
            .args(["-q=2", "-o", "Dir::Etc::SourceParts=/dev/null"]);
        for (key, place) in [
            ("Etc::SourceList", "sources.list"),
            ("State::Lists", "lists"),
            ("Cache", "cache"),
        ] {
            command
                .arg("-o")
                .arg(format!("Dir::{key}={}", folder.join(place).display()));
        }
        command
    };
    fs::create_dir_all(folder.join("cache/archives/partial")).map_err(wrong)?;
    succeed(apt("apt-get").arg("update"))?;
    succeed(apt("apt-get").arg("download").args(BUILT))?;
    let shown = said(apt("apt-cache").arg("show").args(BUILT))?;
    fs::write(declared, shown).map_err(wrong)
}

/// What a command prints.
fn said(command: &mut Command) -> Result<String, String> {
    let done = command
        .stderr(Stdio::inherit())
        .output()
        .map_err(|e| format!("{command:?}: {e}"))?;
    let text = String::from_utf8_lossy(&done.stdout).into_owned();
    if done.status.success() {
        Ok(text)
    } else {
        Err(format!("{command:?}: {}", done.status))
    }
}

fn install_programs() -> Outcome {
    let mut missing = missing_packages(&env::var_os("PATH").unwrap_or_default());
    if !python_makes_environments() {
        missing.push("python3-venv");
    }
    if missing.is_empty() {
        return Ok(());
    }
    let wish = missing.join(" ");
    if !on_path(&env::var_os("PATH").unwrap_or_default(), "apt-get") {
        return Err(format!(
            "missing, and there is no apt-get to install them: {wish}"
        ));
    }
    println!("    installing {wish}");
    succeed(as_root("apt-get").args(["update", "--quiet=2"]))?;
    succeed(
        as_root("apt-get")
            .args(["install", "--quiet=2", "--yes", "--no-install-recommends"])
            .args(&missing)
            .stdout(Stdio::null()),
    )?;
    match missing_packages(&env::var_os("PATH").unwrap_or_default())[..] {
        [] => Ok(()),
        _ => Err(format!(
            "apt-get installed {wish}, but not every program of theirs is found"
        )),
    }
}

/// Debian keeps the modules that make an environment apart from Python.
fn python_makes_environments() -> bool {
    let mut python = Command::new("python3");
    python
        .args(["-c", "import ensurepip, venv"])
        .stderr(Stdio::null());
    python.status().is_ok_and(|status| status.success())
}

fn missing_packages(path: &std::ffi::OsStr) -> Vec<&'static str> {
    PROGRAMS
        .iter()
        .filter(|(program, _)| !on_path(path, program))
        .map(|(_, package)| *package)
        .collect()
}

fn on_path(path: &std::ffi::OsStr, program: &str) -> bool {
    env::split_paths(path).any(|folder| folder.join(program).is_file())
}

fn as_root(program: &str) -> Command {
    let root = fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0);
    let mut command = if root {
        Command::new(program)
    } else {
        let mut command = Command::new("sudo");
        command.args(["--preserve-env=DEBIAN_FRONTEND", program]);
        command
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Makes the Python environment, unless it is there.
fn install_python_packages(venv: &Path) -> Outcome {
    // the list stands beside the packages, so that a new version in it is noticed
    let stamp = venv.join("rocpkg-packages");
    let wanted = PYTHON_PACKAGES.join("\n");
    if venv.join("bin/pkgcheck").is_file()
        && fs::read_to_string(&stamp).is_ok_and(|have| have == wanted)
    {
        return Ok(());
    }
    println!("    installing {}", PYTHON_PACKAGES.join(" "));
    succeed(
        Command::new("python3")
            .args(["-m", "venv", "--clear"])
            .arg(venv),
    )?;
    succeed(
        Command::new(venv.join("bin/python"))
            .args([
                "-m",
                "pip",
                "install",
                "--quiet",
                "--disable-pip-version-check",
            ])
            .args(PYTHON_PACKAGES),
    )?;
    fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// Runs a command, its output passed through; anything but success is an error.
pub(crate) fn succeed(command: &mut Command) -> Outcome {
    let program = Path::new(command.get_program())
        .file_name()
        .unwrap_or_default();
    let words = std::iter::once(program)
        .chain(command.get_args())
        .map(std::ffi::OsStr::to_string_lossy);
    let shown = words.collect::<Vec<_>>().join(" ");
    let status = command.status().map_err(|e| format!("{shown}: {e}"))?;
    if status.success() {
        Ok(())
    } else {
        Err(format!("{shown}: {status}"))
    }
}

/// Cargo in the workspace, with the tools that the tests use named in its environment.
pub(crate) fn cargo(root: &Path, arguments: &[&str]) -> Command {
    let program = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let venv = venv(root);
    let mut command = Command::new(program);
    command
        .args(arguments)
        .current_dir(root)
        .env("RUSTDOCFLAGS", "-D warnings");
    command
        .env("ROCPKG_VENV", venv)
        .env("ROCPKG_BUILT", built(root));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_on_the_path_is_missing() {
        let folder = tempfile::tempdir().unwrap();
        for (program, _) in &PROGRAMS[1..] {
            fs::write(folder.path().join(program), "").unwrap();
        }
        assert_eq!(
            missing_packages(folder.path().as_os_str()),
            ["libarchive-tools"]
        );
    }

    #[test]
    fn a_failed_command_is_named() {
        let message = succeed(&mut Command::new("false")).unwrap_err();
        assert_eq!(message, "false: exit status: 1");
    }
}
