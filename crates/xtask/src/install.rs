//! Installs the programs of the [table](../../programs/src/table.rs), and then runs each of them
//! once.

use std::{
    collections::BTreeSet,
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Mutex,
    thread,
    time::Duration,
};

use rocpkg_programs::{PYTHON, ROWS};

use crate::tools::{Outcome, output, succeed};

/// Debian packages of ROCm that `rocpkg audit` is tested on. They are small, and contain GPU code.
/// Debian's index states the GPUs that the code is for.
const BUILT: [&str; 3] = ["libhipblaslt1-bench", "libhipfft0-tests", "librocfft0"];

/// A run of a program that must succeed: the name of the program, its arguments, and the name of
/// its package.
type Probe = (&'static str, &'static [&'static str], &'static str);

/// Installs the missing programs and the Python environment, downloads the packages in [`BUILT`]
/// and the headers of the newest LLVM. Runs each program once. Installs nothing if nothing is
/// missing.
pub(crate) fn run() -> Outcome {
    let missing = system_probes().filter(|(name, ..)| rocpkg_programs::find(name).is_err());
    let missing: BTreeSet<_> = missing.map(|(.., package)| package).collect();
    install_packages(&missing)?;
    let broken = broken(system_probes());
    // A package without programs, such as python3-venv, is found missing only by its probe.
    let packages: BTreeSet<_> = broken.iter().map(|((.., package), _)| *package).collect();
    install_packages(&packages.difference(&missing).copied().collect())?;
    named(&self::broken(broken.into_iter().map(|(probe, _)| probe)))?;
    install_python_packages()?;
    named(&self::broken(python_probes()))?;
    fetch_built(&rocpkg_programs::tools().join("built"))?;
    fetch_llvm(&rocpkg_programs::tools().join("llvm"))
}

/// Installs the packages of those programs in `programs` that are missing.
pub(crate) fn only(programs: &[&str]) -> Outcome {
    let wanted = system_probes().filter(|(name, ..)| programs.contains(name));
    let missing = wanted.filter(|(name, ..)| rocpkg_programs::find(name).is_err());
    install_packages(&missing.map(|(.., package)| package).collect())
}

fn system_probes() -> impl Iterator<Item = Probe> {
    let of = |row: &'static rocpkg_programs::PackageRow| {
        let probe = |name: &&'static str| (*name, row.probe, row.package);
        row.programs.iter().map(probe)
    };
    ROWS.iter().flat_map(of)
}

fn python_probes() -> impl Iterator<Item = Probe> {
    let of = |row: &'static rocpkg_programs::PythonRow| {
        let probe = |name: &&'static str| (*name, row.probe, row.package);
        row.programs.iter().map(probe)
    };
    PYTHON.iter().flat_map(of)
}

/// Runs the probes in parallel. Returns those that fail, each with the reason.
fn broken(probes: impl Iterator<Item = Probe>) -> Vec<(Probe, String)> {
    let probes = Mutex::new(probes.collect::<Vec<_>>().into_iter());
    let next = || probes.lock().expect("no thread panics").next();
    let work = || {
        let mut broken = Vec::new();
        while let Some(probe) = next() {
            broken.extend(run_probe(&probe).err().map(|reason| (probe, reason)));
        }
        broken
    };
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let mut broken: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        let all = threads
            .into_iter()
            .flat_map(|t| t.join().expect("it returns"));
        all.collect()
    });
    broken.sort();
    broken
}

fn run_probe((name, arguments, _): &Probe) -> Outcome {
    rocpkg_programs::find(name)?;
    let mut command = rocpkg_programs::command(name);
    let done = command.args(*arguments).stdin(Stdio::null()).output();
    let done = done.map_err(|e| e.to_string())?;
    if done.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&done.stderr);
    let last = complaint.trim().lines().last().unwrap_or_default();
    Err(format!("{}: {last}", done.status))
}

/// Returns an error that names the programs in `broken` and their packages, unless `broken` is
/// empty.
fn named(broken: &[(Probe, String)]) -> Outcome {
    if broken.is_empty() {
        return Ok(());
    }
    let lines = broken.iter().map(|((name, arguments, package), reason)| {
        let words = [&[*name], *arguments].concat().join(" ");
        format!("\n  `{words}` of package `{package}`: {reason}")
    });
    let lines: String = lines.collect();
    Err(format!("{} programs don't run{lines}", broken.len()))
}

fn install_packages(packages: &BTreeSet<&str>) -> Outcome {
    if packages.is_empty() {
        return Ok(());
    }
    let wish = packages.iter().copied().collect::<Vec<_>>().join(" ");
    let Ok(apt) = rocpkg_programs::find("apt-get") else {
        return Err(format!(
            "missing packages, and no apt-get to install them: {wish}"
        ));
    };
    println!("    installing {wish}");
    succeed(as_root(&apt).args(["update", "--quiet=2"]))?;
    succeed(
        as_root(&apt)
            .args(["install", "--quiet=2", "--yes", "--no-install-recommends"])
            .args(packages)
            .stdout(Stdio::null()),
    )
}

fn as_root(program: &Path) -> Command {
    let root = fs::metadata("/proc/self").is_ok_and(|m| m.uid() == 0);
    let mut command = if root {
        Command::new(program)
    } else {
        let mut command = Command::new("sudo");
        command.arg("--preserve-env=DEBIAN_FRONTEND").arg(program);
        command
    };
    command.env("DEBIAN_FRONTEND", "noninteractive");
    command
}

/// Makes the Python environment, unless the existing one has the packages in [`PYTHON`].
fn install_python_packages() -> Outcome {
    let venv = rocpkg_programs::venv();
    // The list of packages is kept in the environment, so that a new version in the table is
    // noticed.
    let stamp = venv.join("rocpkg-packages");
    let wanted: Vec<_> = PYTHON.iter().map(|row| row.package).collect();
    if fs::read_to_string(&stamp).is_ok_and(|have| have == wanted.join("\n")) {
        return Ok(());
    }
    println!("    installing {}", wanted.join(" "));
    make_environment(&venv, &wanted)?;
    fs::write(&stamp, wanted.join("\n")).map_err(|e| format!("{}: {e}", stamp.display()))
}

/// Makes a new Python environment in `venv` and installs these packages.
pub(crate) fn make_environment(venv: &Path, packages: &[&str]) -> Outcome {
    let python = rocpkg_programs::find("python3")?;
    succeed(
        Command::new(python)
            .args(["-m", "venv", "--clear"])
            .arg(venv),
    )?;
    let pip = ["-m", "pip", "install", "--quiet"];
    succeed(
        Command::new(venv.join("bin/python"))
            .args(pip)
            .arg("--disable-pip-version-check")
            .args(packages),
    )
}

/// Returns the URL of the Debian mirror that apt uses.
pub(crate) fn mirror() -> Result<String, String> {
    let targets = [
        "indextargets",
        "--format",
        "$(REPO_URI)",
        "Created-By: Packages",
        "Label: Debian",
    ];
    let mirrors = output(Command::new(rocpkg_programs::find("apt-get")?).args(targets))?;
    let first = mirrors.lines().next().map(str::to_owned);
    first.ok_or_else(|| "apt-get has no mirror of Debian".to_owned())
}

/// An index of Debian's packages in `folder`, apart from the machine's own. It comes from the
/// mirror that the machine's apt uses. Nothing is installed by it.
struct Index {
    folder: PathBuf,
}

impl Index {
    /// Makes the index of these suites, such as `sid`, in `folder`.
    fn fetch(folder: &Path, suites: &[&str]) -> Result<Self, String> {
        let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
        for below in ["lists/partial", "cache/archives/partial"] {
            fs::create_dir_all(folder.join(below)).map_err(wrong)?;
        }
        let (folder, mirror) = (folder.canonicalize().map_err(wrong)?, mirror()?);
        let keys = "/usr/share/keyrings/debian-archive-keyring.gpg";
        let line = |suite| format!("deb [signed-by={keys}] {mirror} {suite} main\n");
        let sources: String = suites.iter().map(line).collect();
        fs::write(folder.join("sources.list"), sources).map_err(wrong)?;
        let index = Self { folder };
        succeed(index.apt("apt-get")?.arg("update"))?;
        Ok(index)
    }

    /// Returns the command of one of apt's programs, with the options of this index.
    fn apt(&self, program: &str) -> Result<Command, String> {
        let mut command = Command::new(rocpkg_programs::find(program)?);
        command.current_dir(&self.folder).arg("-q=2");
        let place = |name: &str| self.folder.join(name).display().to_string();
        for (key, value) in [
            ("Dir::Etc::SourceParts", "/dev/null".to_owned()),
            ("Dir::Etc::SourceList", place("sources.list")),
            ("Dir::State::Lists", place("lists")),
            ("Dir::Cache", place("cache")),
        ] {
            command.arg("-o").arg(format!("{key}={value}"));
        }
        Ok(command)
    }
}

/// Downloads the packages in [`BUILT`] from Debian's experimental suite, and writes their entries
/// of the index to `declared.txt`.
fn fetch_built(folder: &Path) -> Outcome {
    let declared = folder.join("declared.txt");
    if declared.is_file() {
        return Ok(());
    }
    println!("    fetching {}", BUILT.join(" "));
    let index = Index::fetch(folder, &["experimental"])?;
    succeed(index.apt("apt-get")?.arg("download").args(BUILT))?;
    let shown = output(index.apt("apt-cache")?.arg("show").args(BUILT))?;
    fs::write(&declared, shown).map_err(|e| format!("{}: {e}", declared.display()))
}

/// The time after which the newest LLVM is looked up again.
const LLVM_AGE: Duration = Duration::from_hours(7 * 24);

/// Downloads the headers of the newest LLVM in Debian's suites that name its GPU targets, and
/// writes the version of the package to `version.txt`. Downloads them again after a week.
fn fetch_llvm(folder: &Path) -> Outcome {
    let stamp = folder.join("version.txt");
    let written = fs::metadata(&stamp).and_then(|m| m.modified()).ok();
    if written.is_some_and(|at| at.elapsed().is_ok_and(|age| age < LLVM_AGE)) {
        return Ok(());
    }
    let wrong = |e: std::io::Error| format!("{}: {e}", folder.display());
    if folder.exists() {
        fs::remove_dir_all(folder).map_err(wrong)?;
    }
    let index = Index::fetch(folder, &["sid", "experimental"])?;
    let names = output(index.apt("apt-cache")?.args(["pkgnames", "llvm-"]))?;
    let major = |name: &str| {
        let middle = name.strip_prefix("llvm-")?.strip_suffix("-dev")?;
        middle.parse::<u32>().ok()
    };
    let newest = names.lines().filter_map(major).max();
    let newest = newest.ok_or("Debian's suites have no llvm-N-dev")?;
    let package = format!("llvm-{newest}-dev");
    println!("    fetching {package}");
    succeed(index.apt("apt-get")?.args(["download", &package]))?;
    let files = fs::read_dir(&index.folder).map_err(wrong)?.flatten();
    let archive = files
        .map(|file| file.path())
        .find(|path| path.extension().is_some_and(|end| end == "deb"));
    let archive = archive.ok_or_else(|| format!("{package} was not downloaded"))?;
    let unpack = "ar p \"$1\" data.tar.xz | xz -dc | tar -x --strip-components=5 --wildcards \
                  '*/llvm/BinaryFormat/ELF.h' '*/llvm/TargetParser/AMDGPUTargetParser*'";
    let mut shell = Command::new(rocpkg_programs::find("sh")?);
    succeed(
        shell
            .args(["-c", unpack, "sh"])
            .arg(&archive)
            .current_dir(&index.folder),
    )?;
    fs::remove_file(&archive).map_err(wrong)?;
    let shown = output(index.apt("apt-cache")?.args(["show", &package]))?;
    let mut versions = shown.lines().filter_map(|l| l.strip_prefix("Version: "));
    let version = versions.next().unwrap_or_default();
    fs::write(&stamp, format!("{package} {version}\n")).map_err(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_fails_is_named_with_its_package() {
        let probes: [Probe; 3] = [
            ("sh", &["-c", ":"], "dash"),
            ("sh", &["-c", "echo no >&2; exit 3"], "dash"),
            ("no-such-program", &[], "none"),
        ];
        let message = named(&broken(probes.into_iter())).unwrap_err();
        let lines: Vec<_> = message.lines().collect();
        assert_eq!(lines[0], "2 programs don't run");
        assert!(
            lines[1]
                .starts_with("  `no-such-program` of package `none`: `no-such-program` has no row"),
            "{message}"
        );
        assert_eq!(
            lines[2],
            "  `sh -c echo no >&2; exit 3` of package `dash`: exit status: 3: no"
        );
        assert_eq!(named(&broken(probes.into_iter().take(1))), Ok(()));
    }
}
