use std::{collections::BTreeSet, path::Path};

use tempfile::TempDir;

use crate::{
    copy::write_file,
    fixture,
    tools::{outcome, run_with},
};

/// The GPU targets that one run of a recipe passes to upstream's build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Given {
    /// The recipe passes no variable that upstream reads.
    Nothing,
    /// The recipe passes these targets, in each variable that it passes.
    Targets(BTreeSet<String>),
    /// The recipe stopped, or passes different lists in its variables.
    Wrong(String),
}

/// The texts of an ebuild that bash runs without Portage.
#[derive(Clone, Copy, Debug)]
pub struct EbuildText<'a> {
    /// The text of the ebuild.
    pub ebuild: &'a str,
    /// The ebuild's name without `.ebuild`.
    pub name: &'a str,
    /// The text of rocm.eclass.
    pub eclass: &'a str,
}

/// Returns the GPU targets that an ebuild's `src_configure` passes to CMake in `variables`. `sets`
/// are sets of chosen targets, each of which is one run. `None` in it stands for the defaults. The
/// result has one element for each run. Only bash runs, and no other program.
pub fn ebuild_targets(
    text: EbuildText,
    variables: &[String],
    sets: &[Option<Vec<String>>],
) -> Vec<Given> {
    let root = TempDir::with_prefix("rocpkg-ebuild-").expect("a scratch folder can be made");
    let file = root.path().join("an.ebuild");
    write_file(&file, text.ebuild);
    write_file(root.path().join("eclass/rocm.eclass"), text.eclass);
    let sets: Vec<String> = sets
        .iter()
        .map(|s| {
            s.as_ref()
                .map_or_else(|| "default".to_owned(), |l| l.join(" "))
        })
        .collect();
    let eclasses = root.path().join("eclass");
    let arguments = [file.as_os_str(), text.name.as_ref(), eclasses.as_os_str()];
    traced(
        "standins/recipes/ebuild.bash",
        &arguments,
        variables,
        &sets,
        &[],
    )
}

/// Returns the GPU targets that a PKGBUILD's `build` passes to CMake in `variables`. `tool` is the
/// command that prints targets when a package is built, and `exclude` is its option that leaves
/// targets out. `lists` are the lists that the command prints, each of which is one run.
/// `environment` has the variables of the building user. The result has one element for each run.
pub fn pkgbuild_targets(
    pkgbuild: &str,
    (tool, exclude): (&str, &str),
    variables: &[String],
    lists: &[Vec<String>],
    environment: &[(&str, &str)],
) -> Vec<Given> {
    let root = TempDir::with_prefix("rocpkg-pkgbuild-").expect("a scratch folder can be made");
    let file = root.path().join("PKGBUILD");
    write_file(&file, pkgbuild);
    let lists: Vec<String> = lists.iter().map(|l| l.join(" ")).collect();
    let arguments = [file.as_os_str(), tool.as_ref(), exclude.as_ref()];
    traced(
        "standins/recipes/pkgbuild.bash",
        &arguments,
        variables,
        &lists,
        environment,
    )
}

/// Returns the GPU targets that the scripts of a package.yml pass to CMake in `variables`. `steps`
/// has the scripts by name. The caller must replace ypkg's macros in them before: a macro for a
/// value by the value, and the `%` of other macros by `@`.
pub fn package_targets(steps: &[(&str, String)], variables: &[String]) -> Given {
    let root = TempDir::with_prefix("rocpkg-package-").expect("a scratch folder can be made");
    for (name, script) in steps {
        write_file(root.path().join(name), script);
    }
    let mut all = traced(
        "standins/recipes/package.bash",
        &[root.path().as_os_str()],
        variables,
        &[String::new()],
        &[],
    );
    all.pop().expect("one run has one answer")
}

fn traced(
    script: &str,
    arguments: &[&std::ffi::OsStr],
    variables: &[String],
    sets: &[String],
    environment: &[(&str, &str)],
) -> Vec<Given> {
    let script = fixture(script);
    let mut command = rocpkg_programs::command("bash");
    command
        .arg("--norc")
        .arg(&script)
        .args(arguments)
        .arg(variables.join(" "));
    command
        .env_clear()
        .env("PATH", rocpkg_programs::folder())
        .env("LC_ALL", "C.UTF-8");
    command.envs(environment.iter().copied());
    let input = sets.iter().map(|s| format!("{s}\n")).collect::<String>();
    let output = run_with(&mut command, input.into_bytes());
    let text = outcome(&output).unwrap_or_else(|e| panic!("{}: {e}", Path::new(&script).display()));
    let complaints = String::from_utf8_lossy(&output.stderr).into_owned();
    let mut out = vec![Given::Nothing; sets.len()];
    for line in text.lines() {
        let Some((number, rest)) = line.split_once('\t') else {
            continue;
        };
        let Some((_, value)) = rest.split_once('\t') else {
            continue;
        };
        let number: usize = number
            .parse()
            .unwrap_or_else(|_| panic!("the tracer printed {line:?}"));
        let targets: BTreeSet<String> = value
            .split([';', ',', ' '])
            .filter(|t| !t.is_empty())
            .map(str::to_owned)
            .collect();
        let given = Given::Targets(targets);
        out[number] = match &out[number] {
            Given::Nothing => given,
            before if *before == given => given,
            before => Given::Wrong(format!("{before:?} and {given:?}")),
        };
    }
    let died = text.lines().filter(|l| *l == "died").count();
    if died > 0 {
        return vec![Given::Wrong(complaints); sets.len()];
    }
    out
}
