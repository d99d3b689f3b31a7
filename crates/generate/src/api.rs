//! Lists the public items of the crates, one on each line. Variants and implementations of traits
//! are items, too. In a review, a change of the list shows a change of the public API.
//!
//! rustdoc writes the items in its JSON format, and the crate `public-api` prints them. The version
//! of `public-api` is the one that reads the JSON format of the pinned toolchain.

use public_api::Builder;
use regex::{Captures, Regex};
use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The folders of the crates that people depend on.
const CRATES: [&str; 17] = [
    "rocpkg", "answers", "core", "gentoo", "arch", "nix", "solus", "pms", "targets", "model",
    "resolve", "render", "syntax", "edit", "shell", "upstream", "audit",
];

/// Runs rustdoc with the options that are not stable yet. Cargo and rustc run without them, so that
/// nothing else is built a second time.
const RUSTDOC: &str = "#!/bin/sh\nRUSTC_BOOTSTRAP=1 exec rustdoc \"$@\"\n";

/// Returns the list of the public items of all crates in [`CRATES`], crate by crate.
pub(crate) fn listed(root: &Path) -> Result<String, String> {
    let mut out = String::from(
        "Public items, made by `cargo xtask generate`: what stands here is promised to those who depend on it.\n",
    );
    let target = env::var_os("CARGO_TARGET_DIR");
    let target = target.map_or_else(|| root.join("target"), PathBuf::from);
    run_rustdoc(root, &target)?;
    // `alloc::string::String` is `String` to everybody.
    let standard = Regex::new(r"\b(core|alloc|std)::([a-z_0-9]+::)*").expect("a pattern");
    let mut all = Vec::new();
    for name in CRATES {
        let file = match name {
            "rocpkg" => "rocpkg.json".to_owned(),
            name => format!("rocpkg_{name}.json"),
        };
        let items = items(&target.join("doc").join(&file))?;
        all.push((name, format!("{}::", file.trim_end_matches(".json")), items));
    }
    let types = Types::of(all.iter().flat_map(|(_, _, items)| items));
    for (name, own, items) in all {
        out += &format!("\n{name}\n");
        for line in items {
            let line = types.public(&line).replace(&own, "");
            out += &format!("  {}\n", standard.replace_all(&line, ""));
        }
    }
    Ok(out)
}

/// The public paths of types.
struct Types {
    /// The public paths of each type, by the crate and the name of the type.
    paths: BTreeMap<(String, String), BTreeSet<String>>,
    path: Regex,
}

impl Types {
    fn of<'l>(items: impl Iterator<Item = &'l String>) -> Self {
        let declared = Regex::new(r"\bpub (?:struct|enum|trait|type|union) ([\w:]*\w)");
        let declared = declared.expect("a pattern");
        let mut paths: BTreeMap<_, BTreeSet<String>> = BTreeMap::new();
        for path in items.filter_map(|line| Some(declared.captures(line)?[1].to_owned())) {
            if let (Some((of, _)), Some((_, name))) =
                (path.split_once("::"), path.rsplit_once("::"))
            {
                let key = (of.to_owned(), name.to_owned());
                paths.entry(key).or_default().insert(path);
            }
        }
        let path = Regex::new(r"\b(rocpkg\w*)::(?:[a-z_0-9]+::)*([A-Z]\w*)").expect("a pattern");
        Self { paths, path }
    }

    /// Replaces the path of each type in a line by the type's public path. A path stays if the type
    /// has several public paths or none. Rustdoc writes the path of the module that declares the
    /// type, and that module may be private.
    fn public(&self, line: &str) -> String {
        let public = |found: &Captures| {
            let key = (found[1].to_owned(), found[2].to_owned());
            let paths = self.paths.get(&key);
            let only = paths.filter(|paths| paths.len() == 1);
            let only = only.and_then(BTreeSet::first).map(String::as_str);
            only.unwrap_or(&found[0]).to_owned()
        };
        self.path.replace_all(line, public).into_owned()
    }
}

/// Returns the items of a crate in rustdoc's order, followed by a `derive(…)` line for each type
/// that derives traits. `json` is the file that rustdoc wrote.
fn items(json: &Path) -> Result<Vec<String>, String> {
    let lines = |derived: bool| -> Result<Vec<String>, String> {
        let api = Builder::from_rustdoc_json(json)
            .omit_blanket_impls(true)
            .omit_auto_trait_impls(true)
            .omit_auto_derived_impls(!derived)
            .build();
        let api = api.map_err(|e| format!("{}: {e}", json.display()))?;
        Ok(api.items().map(ToString::to_string).collect())
    };
    let mut out = lines(false)?;
    let mut derived: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in lines(true)?.into_iter().filter(|line| !out.contains(line)) {
        let of = line
            .strip_prefix("impl")
            .and_then(|line| line.split_once(" for "));
        let Some((name, of)) = of else { continue };
        let name = name.rsplit("::").next().unwrap_or_default().to_owned();
        derived.entry(of.to_owned()).or_default().insert(name);
    }
    let is_shown = |name: &&String| *name != "StructuralPartialEq";
    out.extend(derived.into_iter().map(|(of, names)| {
        let names: Vec<&str> = names.iter().filter(is_shown).map(String::as_str).collect();
        format!("derive({}) {of}", names.join(", "))
    }));
    Ok(out)
}

fn run_rustdoc(root: &Path, target: &Path) -> Result<(), String> {
    let script = target.join("rustdoc-json");
    let failed = |e: std::io::Error| format!("{}: {e}", script.display());
    fs::create_dir_all(target).map_err(failed)?;
    fs::write(&script, RUSTDOC).map_err(failed)?;
    fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).map_err(failed)?;
    let status = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
        .args([
            "doc",
            "--workspace",
            "--no-deps",
            "--locked",
            "--quiet",
            "--lib",
        ])
        .current_dir(root)
        .env("RUSTDOC", &script)
        .env("RUSTDOCFLAGS", "-Zunstable-options --output-format json")
        .status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo doc: {status}")),
        Err(e) => Err(format!("cargo: {e}")),
    }
}
