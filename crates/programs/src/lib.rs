//! Starts the programs of the [table](table.rs), so that no test calls a program that
//! `cargo xtask install-tools` does not install.
//!
//! [`command`] starts a program of the table. [`own`] starts a program that cargo built. The `PATH`
//! of the child contains the programs of the table and no others. It is a folder of links, which is
//! created when the first command needs it.
#![allow(
    clippy::disallowed_methods,
    reason = "the ban sends tests to this crate, which is the one place that makes their commands"
)]

mod links;
mod table;

pub use table::{PAGES_NPM, PAGES_PYTHON, PYTHON, PackageRow, PythonRow, ROWS};

use std::{
    env,
    ffi::OsStr,
    path::{Path, PathBuf},
    process::Command,
    sync::OnceLock,
};

/// The folders of Debian's programs. They are searched after the folders of `PATH`, so that a test
/// and the library that it tests call the same program. Two versions of git, for example, make
/// different archives.
const DEBIAN: [&str; 5] = [
    "/usr/bin",
    "/usr/sbin",
    "/bin",
    "/sbin",
    // LLVM's programs, under the names by which they call each other.
    "/usr/lib/llvm-22/bin",
];

/// Returns a command that runs cargo as a shell does: without the variables, such as
/// `CARGO_PKG_NAME`, that `cargo run` sets for the program that calls this function. Build scripts
/// of other crates read them, so cargo would build these crates, and all that use them, once more.
pub fn cargo() -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    for (name, _) in env::vars_os() {
        let shown = name.to_string_lossy();
        if shown.starts_with("CARGO_PKG_") || shown.starts_with("CARGO_MANIFEST_") {
            command.env_remove(&name);
        }
    }
    command
}

/// Returns a command that starts a program of the table, with a `PATH` of the table's programs
/// only.
///
/// # Panics
/// If the program has no row, or is not installed.
#[track_caller]
pub fn command(name: &str) -> Command {
    with_path(path(name))
}

fn with_path(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    command.env("PATH", folder());
    command
}

/// Returns a command that starts a program which cargo built, such as
/// `env!("CARGO_BIN_EXE_rocpkg")`, with a `PATH` of the table's programs only, and without the
/// repositories of Portage on this machine.
///
/// # Panics
/// If the folder of links can't be made.
#[track_caller]
pub fn own(program: impl AsRef<OsStr>) -> Command {
    let mut command = with_path(program);
    command.env("PORTAGE_CONFIGROOT", "/dev/null");
    command
}

/// Returns the full path of a program of the table, for tests that pass the path to another
/// program.
///
/// # Panics
/// If the program has no row, or is not installed.
#[track_caller]
pub fn path(name: &str) -> PathBuf {
    find(name).unwrap_or_else(|message| panic!("{message}"))
}

/// Returns the full path of a program of the table.
///
/// # Errors
/// A program without a row, or one that is not installed.
pub fn find(name: &str) -> Result<PathBuf, String> {
    let missing = |package: &str| {
        format!(
            "`{name}` is not installed; package `{package}` contains it: run `cargo xtask install-tools`"
        )
    };
    if let Some(row) = ROWS.iter().find(|row| row.programs.contains(&name)) {
        return on_system(name).ok_or_else(|| missing(row.package));
    }
    if let Some(row) = PYTHON.iter().find(|row| row.programs.contains(&name)) {
        return in_environment(name).ok_or_else(|| missing(row.package));
    }
    Err(format!(
        "`{name}` has no row in crates/programs/src/table.rs: add it to the row of the package that installs it, \
         then run `cargo xtask install-tools`"
    ))
}

/// Returns the value of `PATH` that [`command`] and [`own`] set, for children whose environment is
/// cleared or whose `PATH` gets a further folder.
///
/// The folder is below the one for temporary files, which all users can read. makepkg refuses to
/// run as root, and a checkout may be in a folder that only root can read.
///
/// # Panics
/// If the folder of links can't be made.
#[track_caller]
pub fn folder() -> &'static Path {
    static FOLDER: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    match FOLDER.get_or_init(|| links::folder(&env::temp_dir(), &all_links())) {
        Ok(folder) => folder,
        Err(message) => panic!("{message}"),
    }
}

/// Returns the folder of the Python environment: `ROCPKG_VENV`, or the environment that
/// `cargo xtask install-tools` makes.
///
/// The environment's `python` reads `pyvenv.cfg` beside the path by which it is called, so don't
/// call it through a link.
pub fn venv() -> PathBuf {
    let venv = env::var_os("ROCPKG_VENV").map_or_else(|| tools().join("venv"), PathBuf::from);
    // The folder may be relative, and children have other working directories.
    venv.canonicalize().unwrap_or(venv)
}

/// Returns the folder in which `cargo xtask install-tools` keeps the files that it makes.
pub fn tools() -> PathBuf {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    own.join("../../target/tools")
}

fn on_system(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH").unwrap_or_default();
    // Shims of version managers start other programs, which they find by `PATH`.
    let is_real = |folder: &PathBuf| !folder.ends_with("shims");
    env::split_paths(&path)
        .filter(is_real)
        .chain(DEBIAN.iter().map(PathBuf::from))
        .map(|folder| folder.join(name))
        .find(|path| path.is_file())
}

fn in_environment(name: &str) -> Option<PathBuf> {
    let path = venv().join("bin").join(name);
    path.is_file().then_some(path)
}

/// Returns the links in the folder, each as its name and its target. The environment's `python` has
/// no link (see [`venv`]).
fn all_links() -> Vec<(&'static str, PathBuf)> {
    let system = ROWS.iter().flat_map(|row| row.programs);
    let environment = PYTHON.iter().flat_map(|row| row.programs);
    let environment = environment.filter(|name| **name != "python");
    let system = system.filter_map(|name| Some((*name, on_system(name)?)));
    let environment = environment.filter_map(|name| Some((*name, in_environment(name)?)));
    let mut links: Vec<_> = system.chain(environment).collect();
    links.sort();
    links.dedup();
    links
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn each_program_is_in_the_row_of_one_package() {
        let mut seen = BTreeSet::new();
        // A row of a package without programs lists `python3`, so `python3` is in several rows.
        for row in ROWS.iter().filter(|row| row.programs != ["python3"]) {
            for name in row.programs {
                assert!(seen.insert(name), "{name} is in two rows");
            }
        }
        for name in PYTHON.iter().flat_map(|row| row.programs) {
            assert!(seen.insert(name), "{name} is in two rows");
        }
    }

    #[test]
    fn rows_are_sorted_and_complete() {
        assert!(ROWS.is_sorted_by_key(|row| row.package));
        assert!(PYTHON.is_sorted_by_key(|row| row.package));
        for row in ROWS {
            assert!(row.programs.is_sorted(), "{}", row.package);
            assert!(!row.programs.is_empty(), "{}", row.package);
            assert!(!row.callers.is_empty(), "{}", row.package);
        }
        for row in PYTHON {
            assert!(row.programs.is_sorted(), "{}", row.package);
            assert!(row.package.contains("=="), "{}", row.package);
            assert!(!row.callers.is_empty(), "{}", row.package);
        }
    }

    #[test]
    fn a_program_without_a_row_is_an_error_that_names_the_table() {
        let message = find("no-such-program").unwrap_err();
        assert!(
            message.starts_with("`no-such-program` has no row in crates/programs/src/table.rs"),
            "{message}"
        );
        assert!(
            message.ends_with("`cargo xtask install-tools`"),
            "{message}"
        );
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        assert!(root.join("crates/programs/src/table.rs").is_file());
    }

    #[test]
    fn a_child_finds_the_programs_of_the_table_only() {
        let script = "command -v cat && cat /dev/null && ! command -v dpkg && echo $PATH";
        let run = command("bash").args(["-c", script]).output().unwrap();
        assert!(run.status.success(), "{run:?}");
        let folder = folder().display();
        assert_eq!(
            String::from_utf8(run.stdout).unwrap(),
            format!("{folder}/cat\n{folder}\n")
        );
    }

    #[test]
    fn what_cargo_built_gets_the_same_path() {
        let run = own(env::current_exe().unwrap());
        let path = run.get_envs().find(|(key, _)| *key == "PATH");
        assert_eq!(path.unwrap().1.map(Path::new), Some(folder()));
        let names: Vec<&str> = run.get_envs().filter_map(|(key, _)| key.to_str()).collect();
        assert_eq!(names, ["PATH", "PORTAGE_CONFIGROOT"]);
    }

    #[test]
    fn a_shim_on_the_path_is_not_taken() {
        assert_eq!(path("bash"), Path::new("/usr/bin/bash"));
    }
}
