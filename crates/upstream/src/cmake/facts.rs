//! Collects the facts in a component's CMake files that a packager needs: its options, its GPU
//! targets, and the packages that it searches for.
//!
//! Nothing is evaluated: a value is the text in the file, and a reference in it is kept as it is
//! written.

use crate::cmake::{Command, commands};
use crate::tree::{Tree, TreeError};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// A place in a CMake file: the file's path below the component, and the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct CMakePlace {
    /// The path of the file.
    pub path: String,
    /// The line, from 1; 0 for the whole file.
    pub line: usize,
}

/// One declaration of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The default value, as it is written. It is `None` for a list of GPU targets, which is part
    /// of `Facts::targets`.
    pub default: Option<String>,
    /// The condition under which the option is declared; empty if there is none.
    pub when: String,
    /// The place of the declaration.
    pub place: CMakePlace,
}

/// The GPU targets that the file assigns to one variable under one condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetList {
    /// The GPU targets.
    pub targets: BTreeSet<String>,
    /// The place of the first assignment.
    pub place: CMakePlace,
}

/// A GPU target that a superbuild declares.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// The GPU families that the declaration lists.
    pub families: BTreeSet<String>,
    /// The projects that are not built for the target.
    pub excluded: BTreeSet<String>,
    /// The place of the declaration.
    pub place: CMakePlace,
}

/// The facts in the CMake files of a tree.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The declarations of each option, by the option's name. An option may be declared several
    /// times, under different conditions.
    pub options: BTreeMap<String, Vec<Declared>>,
    /// The lists of GPU targets, each by the variable that has the list and the condition under
    /// which it is assigned. The condition is empty if there is none.
    pub targets: BTreeMap<(String, String), TargetList>,
    /// The packages that the build searches for, by name. Each has the requested versions (an empty
    /// text for any version) and the place of the first request. The name of a pkg-config module
    /// has the prefix `pkg-config:`.
    pub packages: BTreeMap<String, (BTreeSet<String>, CMakePlace)>,
    /// The texts of the licence files at the top of the tree and in its folder `LICENSES`, by path.
    pub licences: BTreeMap<String, Vec<u8>>,
    /// The parts of the build, by name. Each has its folder and the place of its declaration. A
    /// part is a folder of `add_subdirectory` in the top CMakeLists.txt, or a project of a
    /// superbuild.
    pub subprojects: BTreeMap<String, (String, CMakePlace)>,
    /// The projects that each project of a superbuild needs to be built or run, by name.
    pub needs: BTreeMap<String, BTreeSet<String>>,
    /// The GPU targets of a superbuild, by name.
    pub gpus: BTreeMap<String, Gpu>,
    /// The commits of the submodules, by path.
    pub pins: BTreeMap<String, String>,
    /// Every name in the arguments of commands.
    names: BTreeSet<String>,
    /// The fixed beginnings and ends of names that are composed while the build is configured:
    /// `${PREFIX}_ENABLE_X` gives an empty beginning and the end `_ENABLE_X`.
    made: BTreeSet<(String, String)>,
}

static GFX: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"gfx[0-9][0-9a-f]*(?:-[0-9]+)*(?:-generic)?(?:-strict)?(?::(?:xnack|sramecc)[+-])*")
});
static NAME: LazyLock<Regex> = LazyLock::new(|| pattern("[A-Za-z_][A-Za-z0-9_]*"));
static MADE: LazyLock<Regex> =
    LazyLock::new(|| pattern(r"([A-Za-z0-9_]*)[$@]\{?[A-Za-z0-9_]+[}@]([A-Za-z0-9_]*)"));

fn pattern(text: &str) -> Regex {
    Regex::new(text).unwrap_or_else(|e| unreachable!("{e}"))
}

/// Returns true if `path` is that of a CMake file (`CMakeLists.txt` or `*.cmake`), or of a template
/// from which a CMake file is made (with the suffix `.in`).
pub fn is_cmake(path: &str) -> bool {
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".in");
    name == "CMakeLists.txt" || Path::new(name).extension().is_some_and(|e| e == "cmake")
}

/// Returns true if a path is that of a file with a licence's text or a notice.
fn is_licence(path: &str) -> bool {
    let name = path.to_ascii_uppercase();
    let known = |name: &str| {
        ["LICENSE", "LICENCE", "COPYING", "NOTICE"]
            .iter()
            .any(|n| name.starts_with(n))
    };
    known(&name) && (!name.contains('/') || name.starts_with("LICENSES/"))
}

impl Facts {
    /// Reads the CMake files and licences of a tree. Files below the folders in `without` are
    /// skipped, since these folders are components of their own.
    ///
    /// # Errors
    /// When a file can't be read.
    pub fn read(tree: &Tree, without: &[String]) -> Result<Self, TreeError> {
        let mut facts = Self::default();
        let is_other = |path: &&str| {
            without.iter().any(|w| {
                path.strip_prefix(w.as_str())
                    .is_some_and(|p| p.starts_with('/'))
            })
        };
        let paths: Vec<&str> = tree.paths().filter(|p| !is_other(p)).collect();
        let licences: Vec<&str> = paths.iter().copied().filter(|p| is_licence(p)).collect();
        let texts = tree.read(&licences)?;
        facts.licences = licences.into_iter().map(str::to_owned).zip(texts).collect();
        facts.pins = tree
            .pins()
            .map(|(path, id)| (path.to_owned(), id.to_owned()))
            .collect();
        let files: Vec<&str> = paths.into_iter().filter(|p| is_cmake(p)).collect();
        for (path, text) in files.iter().zip(tree.read(&files)?) {
            let mut values = BTreeMap::new();
            for command in commands(&text) {
                note_value(&command, &mut values);
                facts.take(path, &command, &values);
            }
        }
        Ok(facts)
    }

    /// Returns true if a command of the files has `name` in its arguments, or has a composed name
    /// that may become `name` when the build is configured.
    pub fn names(&self, name: &str) -> bool {
        let made = |(head, tail): &(String, String)| {
            name.len() > head.len() + tail.len()
                && name.starts_with(head.as_str())
                && name.ends_with(tail.as_str())
        };
        self.names.contains(name) || self.made.iter().any(made)
    }

    /// Returns true if the tree is a superbuild, which builds other projects, each from its own
    /// sources. A superbuild is recognised by its GPU targets.
    pub fn is_superbuild(&self) -> bool {
        !self.gpus.is_empty()
    }

    fn take(&mut self, path: &str, command: &Command, values: &Values) {
        let words = command.words();
        let place = || CMakePlace {
            path: path.to_owned(),
            line: command.line,
        };
        for word in &words {
            self.names
                .extend(NAME.find_iter(word).map(|m| m.as_str().to_owned()));
            // A composed name with less than five fixed letters would match nearly every name.
            let made = MADE
                .captures_iter(word)
                .map(|c| (c[1].to_owned(), c[2].to_owned()));
            self.made
                .extend(made.filter(|(head, tail)| head.len() + tail.len() > 4));
        }
        let Some(first) = words.first().filter(|first| !first.is_empty()) else {
            return;
        };
        let top = path == "CMakeLists.txt";
        match command.name.as_str() {
            "option" | "cmake_dependent_option" | "set" => {
                if let Some((name, default)) = option(command, &words) {
                    let default = default.filter(|d| !GFX.is_match(d));
                    let declared = Declared {
                        default,
                        when: command.when.clone(),
                        place: place(),
                    };
                    self.options.entry(name).or_default().push(declared);
                }
            }
            "find_package" | "find_dependency" if !first.contains(['$', '@']) => {
                let version = words
                    .get(1)
                    .filter(|w| w.starts_with(|c: char| c.is_ascii_digit() || c == '$'));
                self.package(first, version.unwrap_or(&""), place());
            }
            "pkg_check_modules" | "pkg_search_module" => {
                let is_word = |w: &&&str| !w.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
                for module in words[1..].iter().filter(is_word) {
                    let end = module.find(['<', '>', '=']).unwrap_or(module.len());
                    self.package(
                        &format!("pkg-config:{}", &module[..end]),
                        &module[end..],
                        place(),
                    );
                }
            }
            "add_subdirectory" if top => {
                self.subprojects
                    .entry((*first).to_owned())
                    .or_insert(((*first).to_owned(), place()));
            }
            "therock_cmake_subproject_declare" if !first.contains('$') => {
                let source = ["EXTERNAL_SOURCE_DIR", "SOURCE_DIR"]
                    .iter()
                    .find_map(|k| command.behind(k).first().copied());
                let folder = source.unwrap_or_default().to_owned();
                self.subprojects
                    .insert((*first).to_owned(), (folder, place()));
                let needs = ["BUILD_DEPS", "RUNTIME_DEPS"]
                    .iter()
                    .flat_map(|k| command.behind(k));
                let own = self.needs.entry((*first).to_owned()).or_default();
                for need in needs {
                    match need.strip_prefix("${").and_then(|n| n.strip_suffix('}')) {
                        Some(variable) => {
                            own.extend(values.get(variable).into_iter().flatten().cloned());
                        }
                        None => drop(own.insert(need.to_owned())),
                    }
                }
            }
            "therock_add_amdgpu_target" if GFX.is_match(first) => {
                let set = |keyword| {
                    command
                        .behind(keyword)
                        .into_iter()
                        .map(str::to_owned)
                        .collect()
                };
                let (families, excluded) = (set("FAMILY"), set("EXCLUDE_TARGET_PROJECTS"));
                self.gpus.insert(
                    (*first).to_owned(),
                    Gpu {
                        families,
                        excluded,
                        place: place(),
                    },
                );
                return;
            }
            _ => {}
        }
        self.targets(command, &words, place);
    }

    fn package(&mut self, name: &str, version: &str, place: CMakePlace) {
        let found = self
            .packages
            .entry(name.to_owned())
            .or_insert_with(|| (BTreeSet::new(), place));
        found.0.insert(version.to_owned());
    }

    /// Adds the GPU targets that a command assigns to a variable. `words` are the arguments of the
    /// command, and `place` returns its place.
    fn targets(&mut self, command: &Command, words: &[&str], place: impl Fn() -> CMakePlace) {
        let variable = match command.name.as_str() {
            "set" | "rocm_check_target_ids" => words.first(),
            "list" if matches!(words.first(), Some(&("APPEND" | "PREPEND" | "INSERT"))) => {
                words.get(1)
            }
            _ => return,
        };
        let Some(variable) = variable else { return };
        let found: Vec<String> = words
            .iter()
            .flat_map(|w| GFX.find_iter(w))
            .map(|m| m.as_str().to_owned())
            .collect();
        if !found.is_empty() {
            let key = ((*variable).to_owned(), command.when.clone());
            let empty = || TargetList {
                targets: BTreeSet::new(),
                place: place(),
            };
            self.targets
                .entry(key)
                .or_insert_with(empty)
                .targets
                .extend(found);
        }
    }
}

/// The words that are assigned to each variable before the current command of the file, by the
/// variable's name.
type Values = BTreeMap<String, BTreeSet<String>>;

/// Adds the words that a command assigns to a variable to `values`. Words that contain a reference
/// are left out.
fn note_value(command: &Command, values: &mut Values) {
    let words = command.words();
    let (("set", [variable, given @ ..]) | ("list", ["APPEND", variable, given @ ..])) =
        (command.name.as_str(), words.as_slice())
    else {
        return;
    };
    let plain = given
        .iter()
        .filter(|word| !word.contains('$'))
        .map(|word| (*word).to_owned());
    values
        .entry((*variable).to_owned())
        .or_default()
        .extend(plain);
}

/// Returns the name and the default of the option that a command declares. Returns `None` if the
/// command declares none. `words` are the arguments of the command.
fn option(command: &Command, words: &[&str]) -> Option<(String, Option<String>)> {
    // Options of CMake itself belong to no component.
    let name = words
        .first()
        .filter(|name| !name.contains(['$', '@']) && !name.starts_with("CMAKE_"))?;
    let default = match command.name.as_str() {
        "option" => words.get(2).copied().unwrap_or("OFF").to_owned(),
        "cmake_dependent_option" => {
            let (value, depends) = (words.get(2)?, words.get(3)?);
            format!(
                "{value} if {depends}, else {}",
                words.get(4).copied().unwrap_or("OFF")
            )
        }
        _ => {
            let at = words
                .iter()
                .position(|w| *w == "CACHE")
                .filter(|at| *at > 0)?;
            if words.get(at + 1) == Some(&"INTERNAL") {
                return None;
            }
            words[1..at].join(";")
        }
    };
    Some(((*name).to_owned(), Some(default)))
}
