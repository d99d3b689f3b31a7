use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::{
    copy::{copy_tree, stand_in, write_file},
    fixture,
    tools::{outcome, run},
};

/// Settings of Nix without daemons, networks and the system's own configuration.
const NIX_CONF: &str = "sandbox = false\nsubstituters =\nbuild-users-group =\nbuilders =\n";

/// Stand-ins for files of nixpkgs' scope that are no packages of the model: the compiler, and the
/// script that looks for new releases.
const OWN_OF_NIXPKGS: [(&str, &str); 2] = [
    ("llvm/default.nix", "{ llvmStandIn, ... }: llvmStandIn\n"),
    ("update.nix", "{ }: { ... }: [ \"update\" ]\n"),
];

/// A scratch copy of a rendered scope. Nix runs on it with a store and settings in a scratch
/// folder.
pub struct NixTree {
    root: TempDir,
}

impl NixTree {
    /// Copies the rendered scope `tree`, and adds stand-ins for all packages of nixpkgs that its
    /// expressions refer to.
    pub fn with_own_externals(tree: &Path) -> Self {
        let root = TempDir::with_prefix("rocpkg-nix-").expect("a scratch folder can be made");
        let made = Self { root };
        copy_tree(tree, &made.folder());
        // These files are nixpkgs' own, and are not rendered.
        for (name, text) in OWN_OF_NIXPKGS {
            let path = made.folder().join(name);
            if !path.exists() {
                write_file(&path, text);
            }
        }
        let scope = fs::read_to_string(made.folder().join("default.nix")).unwrap_or_default();
        for call in scope.split("callPackage ./").skip(1) {
            let path = call.split_whitespace().next().unwrap_or_default();
            let file = if Path::new(path).extension().is_some() {
                path.to_owned()
            } else {
                format!("{path}/default.nix")
            };
            let at = made.folder().join(&file);
            if !at.exists() {
                write_file(&at, companion(&file));
            }
        }
        made
    }

    /// Returns the folder of the copy. A test may break files in it on purpose.
    pub fn folder(&self) -> PathBuf {
        self.root.path().join("tree")
    }

    /// Returns the paths of all Nix files of the copy, sorted.
    pub fn files(&self) -> Vec<PathBuf> {
        let mut found = Vec::new();
        nix_files(&self.folder(), &mut found);
        found.sort();
        found
    }

    /// Evaluates every package of the scope, or of the narrowed scope `narrowed`, such as
    /// `gfx1100`.
    ///
    /// The result is a JSON object. `packages` has facts by attribute, `scopes` the names of the
    /// narrowed scopes, and `gone` the attributes that throw. See `standins/nix/facts.nix` for the
    /// facts.
    ///
    /// # Errors
    /// Nix's message, when a part of the scope does not evaluate.
    pub fn eval(&self, narrowed: Option<&str>) -> Result<Value, String> {
        self.ask("facts.nix", json!({ "narrowed": narrowed }))
    }

    /// Returns the strings that each package passes to its build, in the scope and in each of its
    /// narrowed scopes.
    ///
    /// `overrides` has lists of targets, each with a name. Each package that takes `gpuTargets` is
    /// also evaluated with each of these lists. See `standins/nix/targets.nix` for the form of the
    /// result.
    ///
    /// # Errors
    /// Nix's message, when a part of the scope does not evaluate.
    pub fn targets(&self, overrides: &[(&str, &[&str])]) -> Result<Value, String> {
        let overrides: BTreeMap<_, _> = overrides.iter().copied().collect();
        self.ask("targets.nix", json!({ "overrides": overrides }))
    }

    /// Returns every text that packages of the scope pass to their builds. The first list has the
    /// scripts, and the second all other texts.
    ///
    /// # Errors
    /// Nix's message, when a part of the scope does not evaluate.
    pub fn strings(&self) -> Result<(Vec<String>, Vec<String>), String> {
        let all = self.ask("strings.nix", json!({}))?;
        let of = |key: &str| {
            all[key]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(Value::as_str)
        };
        Ok((
            of("hooks").map(str::to_owned).collect(),
            of("strings").map(str::to_owned).collect(),
        ))
    }

    /// Builds packages of the narrowed scope `narrowed`. `projects` has the packages by attribute,
    /// each with the folder of its project in its source. They are built from stand-ins for
    /// upstream's projects, with `files` in them. Returns the folders that the packages are
    /// installed to, by attribute.
    ///
    /// # Errors
    /// The output of nix-build.
    pub fn build(
        &self,
        narrowed: &str,
        projects: &BTreeMap<String, String>,
        files: &[&str],
    ) -> Result<BTreeMap<String, PathBuf>, String> {
        let sources = self.root.path().join("sources");
        for (name, folder) in projects {
            stand_in(&sources.join(name).join(folder), files);
        }
        let wanted: Vec<_> = projects.keys().collect();
        let question =
            self.question(json!({ "sources": sources, "wanted": wanted, "narrowed": narrowed }));
        let mut command = nix(self.root.path(), "nix-build");
        command
            .args(["--no-out-link", "--argstr", "question"])
            .arg(question)
            .arg(fixture("standins/nix/built.nix"));
        for name in &wanted {
            command.arg("--attr").arg(name);
        }
        let folders = outcome(&run(&mut command))?;
        Ok(wanted
            .into_iter()
            .cloned()
            .zip(folders.lines().map(PathBuf::from))
            .collect())
    }

    /// Replaces the text `from` by `to` in a file of the copy.
    ///
    /// # Panics
    /// When the file does not contain the text.
    pub fn edit(&self, file: &str, from: &str, to: &str) {
        let path = self.folder().join(file);
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{file}: {e}"));
        assert!(text.contains(from), "{file} does not hold {from:?}");
        write_file(&path, text.replace(from, to));
    }

    /// Writes `asked`, with facts about the tree added, into a file that the scripts in
    /// `standins/nix` read. Returns its path.
    fn question(&self, mut asked: Value) -> PathBuf {
        let question = self.root.path().join("question.json");
        asked["tree"] = json!(self.folder());
        asked["externals"] = Value::Null;
        asked["pythonNames"] = json!(self.python_names());
        write_file(&question, asked.to_string());
        question
    }

    fn ask(&self, script: &str, asked: Value) -> Result<Value, String> {
        let question = self.question(asked);
        let output = run(nix_instantiate(self.root.path())
            .args(["--eval", "--strict", "--json", "--argstr", "question"])
            .arg(&question)
            .arg(fixture(&format!("standins/nix/{script}"))));
        if !output.status.success() {
            // Nix also prints the part of the value that it evaluated.
            return Err(String::from_utf8_lossy(&output.stderr).into_owned());
        }
        let text = String::from_utf8_lossy(&output.stdout);
        Ok(serde_json::from_str(&text)
            .unwrap_or_else(|e| panic!("nix-instantiate printed no JSON: {e}\n{text}")))
    }

    /// Parses every file of the tree with Nix.
    ///
    /// # Errors
    /// Nix's messages, one for each file that is not Nix.
    pub fn parse(&self) -> Result<(), String> {
        let faults: Vec<_> = self
            .files()
            .iter()
            .filter_map(|file| parse_in(self.root.path(), file).err())
            .collect();
        if faults.is_empty() {
            Ok(())
        } else {
            Err(faults.join("\n"))
        }
    }

    /// Returns the names of the Python packages that the expressions use. They are searched in the
    /// text (`python3Packages.NAME`), because they are no arguments of the files.
    fn python_names(&self) -> BTreeSet<String> {
        let mut names = BTreeSet::new();
        for file in self.files() {
            let text =
                fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
            for set in ["python3Packages.", "ps.", "pyPkgs."] {
                for (at, _) in text.match_indices(set) {
                    let rest = &text[at + set.len()..];
                    let end = rest.find(|c: char| !c.is_alphanumeric() && !"_-'".contains(c));
                    let name = &rest[..end.unwrap_or(rest.len())];
                    if name.starts_with(char::is_alphabetic) {
                        names.insert(name.to_owned());
                    }
                }
            }
        }
        // The stand-in for Python's package set defines these names itself.
        for own in [
            "buildPythonApplication",
            "buildPythonPackage",
            "callPackage",
            "python",
            "toPythonModule",
        ] {
            names.remove(own);
        }
        names
    }
}

/// Returns a stand-in for a file that the user of a rendered tree supplies: a patch, or an
/// expression beside a package.
///
/// `path` is relative to the distribution's folder. An expression takes any arguments, and its
/// value can be an element of a list or part of a string.
pub fn companion(path: &str) -> String {
    if let Some((_, text)) = OWN_OF_NIXPKGS.iter().find(|(name, _)| *name == path) {
        return (*text).to_owned();
    }
    if Path::new(path).extension().is_some_and(|e| e == "nix") {
        return format!("{{ ... }}: {{ outPath = \"/store/{path}\"; }}\n");
    }
    format!("This stands in for {path}.\n")
}

fn parse_in(scratch: &Path, file: &Path) -> Result<(), String> {
    outcome(&run(nix_instantiate(scratch).arg("--parse").arg(file))).map(|_| ())
}

/// Returns a command for `nix-instantiate`, with its store, state and settings below `scratch`.
pub fn nix_instantiate(scratch: &Path) -> Command {
    nix(scratch, "nix-instantiate")
}

fn nix(scratch: &Path, program: &str) -> Command {
    write_file(scratch.join("conf/nix.conf"), NIX_CONF);
    let mut command = rocpkg_programs::command(program);
    command
        .current_dir(scratch)
        .env_clear()
        .env("PATH", rocpkg_programs::folder())
        .env("LC_ALL", "C.UTF-8")
        .env("HOME", scratch);
    for (variable, folder) in [
        ("NIX_STORE_DIR", "store"),
        ("NIX_STATE_DIR", "state"),
        ("NIX_LOG_DIR", "log"),
        ("NIX_CONF_DIR", "conf"),
    ] {
        let folder = scratch.join(folder);
        fs::create_dir_all(&folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
        command.env(variable, folder);
    }
    command
}

fn nix_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display())) {
        let path = entry
            .unwrap_or_else(|e| panic!("{}: {e}", folder.display()))
            .path();
        if path.is_dir() {
            nix_files(&path, found);
        } else if path.extension().is_some_and(|e| e == "nix") {
            found.push(path);
        }
    }
}
