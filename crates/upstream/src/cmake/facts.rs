//! What the CMake files of a component say that a packager has to know.
//!
//! Nothing is evaluated: a value is what is written, a reference in it stays one.

use crate::cmake::{Command, commands};
use crate::tree::{Tree, TreeError};
use regex::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;

/// Where something is said: the file's path below the component, and the line.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The path.
    pub path: String,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
}

/// One declaration of an option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// What it is unasked, as it is written; none for a list of GPU targets, which is told as one.
    pub default: Option<String>,
    /// Under which condition it is declared; empty where there is none.
    pub when: String,
    /// Where.
    pub place: Place,
}

/// GPU targets that one variable is given under one condition.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TargetList {
    /// The targets.
    pub targets: BTreeSet<String>,
    /// Where the first of them stands.
    pub place: Place,
}

/// A GPU target of a superbuild.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gpu {
    /// The families that it is of.
    pub families: BTreeSet<String>,
    /// The projects that are not built for it.
    pub excluded: BTreeSet<String>,
    /// Where.
    pub place: Place,
}

/// What the CMake files of a tree say.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// Options by name, with each of their declarations.
    pub options: BTreeMap<String, Vec<Declared>>,
    /// GPU targets by variable and condition.
    pub targets: BTreeMap<(String, String), TargetList>,
    /// What is looked for, with the versions that are asked for (empty for any) and where that is
    /// said first. A module of pkg-config has `pkg-config:` in front of its name.
    pub packages: BTreeMap<String, (BTreeSet<String>, Place)>,
    /// Licence files at the top, with their texts.
    pub licences: BTreeMap<String, Vec<u8>>,
    /// Parts that the build enters: folders of `add_subdirectory` at the top, projects of a
    /// superbuild with their folders.
    pub subprojects: BTreeMap<String, (String, Place)>,
    /// What each project of a superbuild needs to be built and run.
    pub needs: BTreeMap<String, BTreeSet<String>>,
    /// The GPU targets of a superbuild.
    pub gpus: BTreeMap<String, Gpu>,
    /// The submodules with their commits.
    pub pins: BTreeMap<String, String>,
    /// Each name that stands anywhere among the arguments of commands.
    names: BTreeSet<String>,
    /// Names that are put together while the build is configured, such as `${PREFIX}_ENABLE_X`:
    /// what they begin and end with.
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

/// Whether a path is one of CMake's files, or what makes one.
pub fn is_cmake(path: &str) -> bool {
    let name = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".in");
    name == "CMakeLists.txt" || Path::new(name).extension().is_some_and(|e| e == "cmake")
}

/// The files that hold a licence's text or a notice.
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
    /// Reads the CMake files and licences of a tree, but for those of the folders `without`, which
    /// are components of their own.
    ///
    /// # Errors
    /// When one can't be read.
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

    /// Whether a name stands anywhere, or may be put together from what stands there.
    pub fn names(&self, name: &str) -> bool {
        let made = |(head, tail): &(String, String)| {
            name.len() > head.len() + tail.len()
                && name.starts_with(head.as_str())
                && name.ends_with(tail.as_str())
        };
        self.names.contains(name) || self.made.iter().any(made)
    }

    /// True for what builds other projects, each from a source of its own.
    pub fn is_superbuild(&self) -> bool {
        !self.gpus.is_empty()
    }

    fn take(&mut self, path: &str, command: &Command, values: &Values) {
        let words = command.words();
        let place = || Place {
            path: path.to_owned(),
            line: command.line,
        };
        for word in &words {
            self.names
                .extend(NAME.find_iter(word).map(|m| m.as_str().to_owned()));
            // What has few letters of its own would be any name.
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

    fn package(&mut self, name: &str, version: &str, place: Place) {
        let found = self
            .packages
            .entry(name.to_owned())
            .or_insert_with(|| (BTreeSet::new(), place));
        found.0.insert(version.to_owned());
    }

    /// Notes the GPU targets that a command gives a variable.
    fn targets(&mut self, command: &Command, words: &[&str], place: impl Fn() -> Place) {
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

/// The words that each variable of a file is given anywhere above.
type Values = BTreeMap<String, BTreeSet<String>>;

/// Notes what a command gives a variable.
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

/// The option that a command declares, with its default.
fn option(command: &Command, words: &[&str]) -> Option<(String, Option<String>)> {
    // CMake's own are no component's.
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
