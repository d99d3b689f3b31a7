//! Checks rules on packages: each package has one test program, and all tests are built with one
//! set of features.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use crate::tools;

/// Returns the faults in the test programs of packages. Cargo should build as few test programs as
/// possible, and every test has to be part of one.
///
/// `sources` are the texts of the workspace's files by their paths.
pub(crate) fn test_programs(sources: &BTreeMap<&str, String>) -> Vec<String> {
    let manifests = sources
        .iter()
        .filter_map(|(file, text)| Some((file.strip_suffix("Cargo.toml")?, text)));
    let mut faults = Vec::new();
    for (folder, manifest) in manifests.filter(|(_, text)| text.contains("[package]")) {
        let below = |name: &str| format!("{folder}{name}");
        let file = below("Cargo.toml");
        let main = sources.get(below("tests/main.rs").as_str());
        if main.is_some() && !manifest.contains("\nautotests = false\n") {
            faults.push(format!(
                "{file}: `autotests = false` is missing, so cargo links each file of tests/ by itself"
            ));
        }
        let programs = programs(manifest);
        let without_reason = programs.iter().filter(|(_, has_reason)| !**has_reason);
        faults.extend(without_reason.map(|(name, _)| {
            format!(
                "{file}: `{name}` is a test program of its own: a comment above it must say why"
            )
        }));
        let modules = main.map(String::as_str).unwrap_or_default();
        for name in sources
            .keys()
            .filter_map(|file| test_file(file.strip_prefix(folder)?))
        {
            let is_module = modules.lines().any(|line| line == format!("mod {name};"));
            if !is_module && !programs.contains_key(name) {
                faults.push(format!(
                    "{folder}tests/{name}: never run, as tests/main.rs has no `mod {name};`"
                ));
            }
        }
        faults.extend(unit_tests(folder, manifest, sources));
    }
    faults
}

/// Returns the name of the module or test program in a file of `tests`: `tests/a.rs` and
/// `tests/a/mod.rs` give `a`. Returns `None` for other files. `file` is the path in the package.
fn test_file(file: &str) -> Option<&str> {
    let name = file.strip_prefix("tests/")?;
    let name = name.strip_suffix("/mod.rs").or(name.strip_suffix(".rs"))?;
    (!name.contains('/')).then_some(name)
}

/// Returns the names of the test programs in a manifest, from its sections `[[test]]`. The value is
/// true if the program is `main`, or if a comment above the section gives a reason for the program.
fn programs(manifest: &str) -> BTreeMap<&str, bool> {
    let lines: Vec<_> = manifest.lines().collect();
    let sections = (0..lines.len()).filter(|at| lines[*at] == "[[test]]");
    sections
        .filter_map(|at| {
            let name = lines.get(at + 1)?.strip_prefix("name = \"")?;
            let name = name.strip_suffix('"')?;
            Some((name, name == "main" || lines[at - 1].starts_with("# ")))
        })
        .collect()
}

/// Returns a fault unless the manifest of a package says `test = false` exactly if the package has
/// no tests in `src`. The setting saves building a test program.
fn unit_tests(folder: &str, manifest: &str, sources: &BTreeMap<&str, String>) -> Option<String> {
    let tested = sources
        .iter()
        .find(|(file, text)| {
            file.strip_prefix(folder)
                .is_some_and(|file| file.starts_with("src/"))
                && text.contains("    #[test]\n")
        })
        .map(|(file, _)| file);
    let is_off = manifest.lines().any(|line| line == "test = false");
    match (tested, is_off) {
        (Some(file), true) => Some(format!(
            "{file}: a test, but its package says `test = false`"
        )),
        (None, false) => Some(format!(
            "{folder}Cargo.toml: `test = false` is missing, and no file of src/ has a test"
        )),
        _ => None,
    }
}

/// Returns a fault for each package that cargo builds for the tests of one member with other
/// features than for the tests of all members. Such a package is built twice.
pub(crate) fn features(root: &Path) -> Result<Vec<String>, String> {
    let members = built(root, &["--workspace", "--depth=0"])?;
    let mut faults = BTreeMap::new();
    // A package may be built for the host with other features. The first set of edges leaves those
    // packages out.
    for edges in [
        "--edges=normal,dev,no-proc-macro",
        "--edges=normal,build,dev",
    ] {
        let all = built(root, &["--workspace", edges])?;
        for (member, _) in &members {
            let name = member.split(' ').next().unwrap_or_default();
            let own = built(root, &["--package", name, edges])?;
            for difference in differences(&own, &all) {
                faults.entry(difference).or_insert_with(|| name.to_owned());
            }
        }
    }
    let said = |(difference, name)| {
        format!(
            "`cargo test -p {name}` builds {difference}: add the features to crates/features/Cargo.toml if the package is not \
             ours, and to the dev-dependencies of {name} if it is"
        )
    };
    Ok(faults.into_iter().map(said).collect())
}

/// Returns the packages that cargo builds for tests, each with its features, as `cargo tree` prints
/// them. `arguments` select the members whose tests are built.
fn built(root: &Path, arguments: &[&str]) -> Result<BTreeSet<(String, String)>, String> {
    let mut tree = tools::cargo(root, &["tree", "--locked", "--prefix=none"]);
    let output = tree.arg("--format={p}|{f}").args(arguments).output();
    let output = output.map_err(|e| format!("cargo tree: {e}"))?;
    if !output.status.success() {
        let message = String::from_utf8_lossy(&output.stderr);
        return Err(format!("cargo tree: {message}"));
    }
    let lines = String::from_utf8_lossy(&output.stdout);
    let lines = lines.lines().filter_map(|line| line.split_once('|'));
    Ok(lines
        .map(|(package, features)| {
            let features = features.trim_end_matches(" (*)");
            (package.to_owned(), features.to_owned())
        })
        .collect())
}

/// Returns the packages in `own` whose features are not those of the package in `all`. Each text
/// names the features that are missing in `own`.
fn differences(own: &BTreeSet<(String, String)>, all: &BTreeSet<(String, String)>) -> Vec<String> {
    let set =
        |features: &str| -> BTreeSet<String> { features.split(',').map(str::to_owned).collect() };
    let different = own.difference(all);
    different
        .map(|(package, features)| {
            let others = all.iter().filter(|(other, _)| other == package);
            let others = others.flat_map(|(_, features)| set(features)).collect();
            let missing: Vec<_> = BTreeSet::difference(&others, &set(features))
                .cloned()
                .collect();
            format!("{package} without `{}`", missing.join("`, `"))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const MANIFEST: &str =
        "[package]\nautotests = false\n[lib]\ntest = false\n[[test]]\nname = \"main\"\n";

    fn faults(files: &[(&'static str, &str)]) -> Vec<String> {
        let files = files.iter().map(|(file, text)| (*file, (*text).to_owned()));
        test_programs(&files.collect())
    }

    #[test]
    fn each_file_of_tests_is_a_module_or_a_program_with_a_reason() {
        let main = ("crates/a/tests/main.rs", "mod b;\nmod c;\n");
        let files = [("crates/a/tests/b.rs", ""), ("crates/a/tests/c/mod.rs", "")];
        let files = [&files[..], &[main, ("crates/a/tests/c/d.rs", "")]].concat();
        let with = |manifest: &str, file| {
            faults(&[&files[..], &[("crates/a/Cargo.toml", manifest), (file, "")]].concat())
        };
        assert!(with(MANIFEST, "crates/a/src/lib.rs").is_empty());
        let unlisted = with(MANIFEST, "crates/a/tests/e.rs");
        assert!(
            unlisted[0].starts_with("crates/a/tests/e: never run,"),
            "{unlisted:?}"
        );
        let program = format!("{MANIFEST}# It counts.\n[[test]]\nname = \"e\"\n");
        assert!(with(&program, "crates/a/tests/e.rs").is_empty());
        let bare = with(
            &program.replace("# It counts.\n", "\n"),
            "crates/a/tests/e.rs",
        );
        assert!(
            bare[0].contains("`e` is a test program of its own"),
            "{bare:?}"
        );
        let many = with(
            &MANIFEST.replace("autotests = false\n", ""),
            "crates/a/src/lib.rs",
        );
        assert!(
            many[0].contains("`autotests = false` is missing"),
            "{many:?}"
        );
    }

    #[test]
    fn a_package_says_if_it_has_no_unit_tests() {
        let test = ("crates/a/src/b.rs", "mod tests {\n    #[test]\n");
        let never = faults(&[("crates/a/Cargo.toml", MANIFEST), test]);
        assert!(
            never[0].starts_with("crates/a/src/b.rs: a test"),
            "{never:?}"
        );
        let on = MANIFEST.replace("test = false\n", "");
        assert!(faults(&[("crates/a/Cargo.toml", &on), test]).is_empty());
        let none = faults(&[("crates/a/Cargo.toml", &on)]);
        assert!(none[0].contains("`test = false` is missing"), "{none:?}");
    }

    #[test]
    fn a_feature_that_only_the_workspace_turns_on_is_named() {
        let set = |rows: &[(&str, &str)]| -> BTreeSet<_> {
            let rows = rows
                .iter()
                .map(|(package, features)| ((*package).to_owned(), (*features).to_owned()));
            rows.collect()
        };
        let all = set(&[("a v1", "std"), ("a v1", "alloc,std"), ("b v1", "")]);
        assert!(differences(&set(&[("a v1", "std"), ("b v1", "")]), &all).is_empty());
        let own = set(&[("a v1", "")]);
        assert_eq!(differences(&own, &all), ["a v1 without `alloc`, `std`"]);
    }
}
