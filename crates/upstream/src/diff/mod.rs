//! Compares a component in two source trees, an older and a newer one. Each change is reported
//! once, and changes that are likelier to break a recipe come first.

mod lists;

use crate::cmake::{CMakePlace, Declared, Facts};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// The kinds of changes. Those that break most come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ChangeKind {
    /// The component is gone from its place, and is at no other known place.
    Gone,
    /// An option that a recipe passes, and that no CMake file of the newer tree names.
    #[serde(rename = "option-named-nowhere")]
    Unread,
    /// A move of the component to another place.
    Moved,
    /// A change of the targets in a list of GPU targets, or of the condition under which the list
    /// is used.
    Targets,
    /// A project that a superbuild no longer builds for a GPU target, or builds again.
    Excluded,
    /// A change of the default of an option.
    Default,
    /// An option that is no longer declared.
    OptionGone,
    /// A package that the newer release searches for and the older one does not.
    PackageNew,
    /// A change of the requested version of a package.
    PackageVersion,
    /// A package that the newer release no longer searches for.
    PackageGone,
    /// A part of the build that moved to another folder, or a project of a repository that did. The
    /// parts are those in `Facts::subprojects`.
    PartMoved,
    /// A new part of the build, or a new project of a repository.
    PartNew,
    /// A part of the build, or a project of a repository, that is gone.
    PartGone,
    /// A change of the projects that a project of a superbuild needs.
    Needs,
    /// A licence file whose text changed, that is new, or that is gone.
    Licence,
    /// An option that is new.
    OptionNew,
    /// A change of the commit of a submodule.
    Pin,
}

/// A change between two source trees.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FactChange {
    /// The kind of the change.
    pub kind: ChangeKind,
    /// The option, list, package, part, file or target that changed.
    pub name: String,
    /// The place in the newer tree, or in the older one if the subject of the change is gone.
    pub place: Option<CMakePlace>,
    /// The old value; `None` if there was none.
    pub from: Option<String>,
    /// The new value; `None` if there is none.
    pub to: Option<String>,
}

/// The options that recipes pass to the build, by name. The value has the distributions whose
/// recipes pass the option.
pub type Passed = BTreeMap<String, BTreeSet<String>>;

impl FactChange {
    /// Makes a change without a place. `from` is the old value and `to` the new one.
    pub fn new(kind: ChangeKind, name: &str, from: Option<String>, to: Option<String>) -> Self {
        Self {
            kind,
            name: name.to_owned(),
            from,
            to,
            place: None,
        }
    }

    fn at(self, place: &CMakePlace) -> Self {
        Self {
            place: Some(place.clone()),
            ..self
        }
    }
}

impl fmt::Display for FactChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = &self.name;
        let (from, to) = (
            self.from.as_deref().unwrap_or_default(),
            self.to.as_deref().unwrap_or_default(),
        );
        let word = match (&self.from, &self.to) {
            (None, _) => "new",
            (_, None) => "gone",
            _ => "changed",
        };
        match self.kind {
            ChangeKind::Gone => write!(f, "gone: it was {from}; {to}"),
            ChangeKind::Unread if to.is_empty() => {
                write!(
                    f,
                    "option {name}: passed by {from}, but no CMake file names it"
                )
            }
            ChangeKind::Unread => write!(
                f,
                "option {name}: passed by {from}, but no CMake file names it; {to}"
            ),
            ChangeKind::Moved => write!(f, "moved: {from} -> {to}"),
            ChangeKind::Targets | ChangeKind::Needs => write!(f, "{name}: {to}"),
            ChangeKind::Excluded if self.to.is_none() => {
                write!(f, "{name}: no longer excluded from {from}")
            }
            ChangeKind::Excluded => write!(f, "{name}: excluded from {to}"),
            ChangeKind::Default => write!(f, "option {name}: default {from} -> {to}"),
            ChangeKind::OptionGone if !to.is_empty() => {
                write!(f, "option {name}: no longer declared, still read")
            }
            ChangeKind::OptionGone => write!(f, "option {name}: gone (default was {from})"),
            ChangeKind::OptionNew => write!(f, "option {name}: new (default {to})"),
            ChangeKind::PackageNew if to.is_empty() => write!(f, "package {name}: new"),
            ChangeKind::PackageNew => write!(f, "package {name}: new ({to})"),
            ChangeKind::PackageVersion => write!(f, "package {name}: {from} -> {to}"),
            ChangeKind::PackageGone => write!(f, "package {name}: no longer looked for"),
            ChangeKind::PartMoved => write!(f, "part {name}: {from} -> {to}"),
            ChangeKind::PartNew | ChangeKind::PartGone => write!(f, "part {name}: {word}"),
            ChangeKind::Licence => write!(f, "licence file {name}: {word}"),
            ChangeKind::Pin => write!(f, "pin {name}: {from} -> {to}"),
        }?;
        match &self.place {
            Some(CMakePlace { path, line: 0 }) => write!(f, " ({path})"),
            Some(CMakePlace { path, line }) => write!(f, " ({path}:{line})"),
            None => Ok(()),
        }
    }
}

/// Returns the changes of a component between the older tree with the facts `a` and the newer tree
/// with the facts `b`, in the order of their kinds. `passed` are the options that recipes pass.
///
/// `helpers` are the facts of trees whose CMake modules the component uses. An option that only
/// these modules name is not reported as [`ChangeKind::Unread`]. No recipe passes options to a
/// superbuild, so only its GPU targets, projects and pins are compared.
pub fn compare(a: &Facts, b: &Facts, helpers: &[Facts], passed: &Passed) -> Vec<FactChange> {
    let mut out = Vec::new();
    lists::targets(a, b, &mut out);
    parts(a, b, &mut out);
    pins(a, b, &mut out);
    if !(a.is_superbuild() || b.is_superbuild()) {
        options(a, b, helpers, passed, &mut out);
        packages(a, b, &mut out);
        licences(a, b, &mut out);
    }
    out.sort();
    out
}

/// Returns true if CMake itself, its modules or ROCm's helper modules read the variable `name`.
/// Such an option has an effect even if the component's files don't name it.
pub fn is_read_by_cmake(name: &str) -> bool {
    const HEADS: [&str; 9] = [
        "CMAKE_",
        "CPACK_",
        "CTEST_",
        "ROCM_",
        "BLA_",
        "FETCHCONTENT_",
        "Python",
        "PYTHON_",
        "PKG_CONFIG_",
    ];
    const TAILS: [&str; 10] = [
        "_DIR",
        "_ROOT",
        "_PATH",
        "_HOME",
        "_LIBRARY",
        "_LIBRARIES",
        "_INCLUDE_DIRS",
        "_EXECUTABLE",
        "_USE_STATIC_LIBS",
        "_GL_PREFERENCE",
    ];
    const WHOLE: [&str; 3] = ["BUILD_SHARED_LIBS", "BUILD_TESTING", "HIP_PLATFORM"];
    name.starts_with('-')
        || HEADS.iter().any(|head| name.starts_with(head))
        || TAILS.iter().any(|tail| name.ends_with(tail))
        || WHOLE.contains(&name)
}

fn options(a: &Facts, b: &Facts, helpers: &[Facts], passed: &Passed, out: &mut Vec<FactChange>) {
    let named = |name: &str| {
        is_read_by_cmake(name) || b.names(name) || helpers.iter().any(|h| h.names(name))
    };
    let unread: BTreeSet<&String> = passed.keys().filter(|name| !named(name)).collect();
    for name in &unread {
        let by: Vec<&str> = passed[*name].iter().map(String::as_str).collect();
        let change = FactChange::new(ChangeKind::Unread, name, Some(by.join(", ")), None);
        // The place of the old declaration helps to find what became of the option.
        out.push(
            a.options
                .get(*name)
                .map_or(change.clone(), |was| change.at(&was[0].place)),
        );
    }
    for (name, was) in &a.options {
        let from = defaults(was);
        match b.options.get(name) {
            Some(is) if from != defaults(is) && from.is_some() && defaults(is).is_some() => {
                out.push(
                    FactChange::new(ChangeKind::Default, name, from, defaults(is)).at(&is[0].place),
                );
            }
            Some(_) => {}
            // A list of GPU targets is reported as a list, not as an option.
            None if unread.contains(name) || from.is_none() => {}
            None => {
                let to = b.names(name).then(|| "read".to_owned());
                out.push(
                    FactChange::new(
                        ChangeKind::OptionGone,
                        name,
                        Some(from.unwrap_or_default()),
                        to,
                    )
                    .at(&was[0].place),
                );
            }
        }
    }
    for (name, is) in b
        .options
        .iter()
        .filter(|(name, _)| !a.options.contains_key(*name))
    {
        let new = defaults(is).map(|to| {
            FactChange::new(ChangeKind::OptionNew, name, None, Some(to)).at(&is[0].place)
        });
        out.extend(new);
    }
}

/// Returns the default of an option, from all of its declarations: one value, or one value for each
/// condition if they differ. Returns `None` if the default is a list of GPU targets.
fn defaults(all: &[Declared]) -> Option<String> {
    let values: BTreeSet<&str> = all.iter().filter_map(|d| d.default.as_deref()).collect();
    if values.len() < 2 {
        return values.first().map(|value| shown(value));
    }
    let each = |d: &Declared| {
        let (value, when) = (shown(d.default.as_deref()?), &d.when);
        Some(if when.is_empty() {
            value
        } else {
            format!("{value} if {when}")
        })
    };
    let each: BTreeSet<String> = all.iter().filter_map(each).collect();
    Some(each.into_iter().collect::<Vec<_>>().join("; "))
}

fn shown(value: &str) -> String {
    if value.is_empty() {
        "\"\"".to_owned()
    } else {
        value.to_owned()
    }
}

fn packages(a: &Facts, b: &Facts, out: &mut Vec<FactChange>) {
    let shown = |versions: &BTreeSet<String>| {
        let stated: Vec<&str> = versions
            .iter()
            .map(String::as_str)
            .filter(|v| !v.is_empty())
            .collect();
        stated.join(", ")
    };
    let any = |text: String| {
        if text.is_empty() {
            "any version".to_owned()
        } else {
            text
        }
    };
    for (name, (was, place)) in &a.packages {
        match b.packages.get(name).map(|(is, place)| (shown(is), place)) {
            None => {
                out.push(
                    FactChange::new(ChangeKind::PackageGone, name, Some(shown(was)), None)
                        .at(place),
                );
            }
            Some((is, place)) if is != shown(was) => {
                let (from, to) = (any(shown(was)), any(is));
                out.push(
                    FactChange::new(ChangeKind::PackageVersion, name, Some(from), Some(to))
                        .at(place),
                );
            }
            Some(_) => {}
        }
    }
    for (name, (is, place)) in b
        .packages
        .iter()
        .filter(|(name, _)| !a.packages.contains_key(*name))
    {
        out.push(FactChange::new(ChangeKind::PackageNew, name, None, Some(shown(is))).at(place));
    }
}

fn licences(a: &Facts, b: &Facts, out: &mut Vec<FactChange>) {
    let names: BTreeSet<&String> = a.licences.keys().chain(b.licences.keys()).collect();
    for name in names
        .into_iter()
        .filter(|name| a.licences.get(*name) != b.licences.get(*name))
    {
        let said = |of: &Facts| of.licences.contains_key(name).then(|| "text".to_owned());
        out.push(FactChange::new(ChangeKind::Licence, name, said(a), said(b)));
    }
}

/// Adds the changes of the parts of the build, and of the needs of a superbuild's projects, to
/// `out`. `a` are the facts of the older tree, `b` those of the newer one.
fn parts(a: &Facts, b: &Facts, out: &mut Vec<FactChange>) {
    let flat = |of: &Facts| {
        of.subprojects
            .iter()
            .map(|(name, (folder, _))| (name.clone(), folder.clone()))
            .collect()
    };
    for mut change in moved(&flat(a), &flat(b)) {
        let of = if change.to.is_some() { b } else { a };
        let key =
            if change.kind == ChangeKind::PartMoved && !of.subprojects.contains_key(&change.name) {
                change.to.as_ref()
            } else {
                Some(&change.name)
            };
        change.place = key
            .and_then(|key| of.subprojects.get(key))
            .map(|(_, place)| place.clone());
        out.push(change);
    }
    let both = a
        .needs
        .iter()
        .filter_map(|(name, was)| Some((name, was, b.needs.get(name)?)));
    for (name, was, is) in both.filter(|(_, was, is)| was != is) {
        let to = Some(lists::gained_and_lost(was, is));
        let change = FactChange::new(ChangeKind::Needs, name, Some(String::new()), to);
        out.push(
            b.subprojects
                .get(name)
                .map_or(change.clone(), |(_, place)| change.at(place)),
        );
    }
}

/// Returns the changes from the older folders `a` to the newer folders `b`, both by name. A folder
/// may be gone, new, or moved. If a name is only in `a`, its folder counts as moved to one whose
/// name is only in `b` and whose path has the same last part, apart from case, `-` and `_`.
pub fn moved(a: &BTreeMap<String, String>, b: &BTreeMap<String, String>) -> Vec<FactChange> {
    let bare = |folder: &str| {
        let last = folder
            .trim_end_matches('/')
            .rsplit('/')
            .next()
            .unwrap_or(folder)
            .to_ascii_lowercase();
        last.replace(['-', '_'], "")
    };
    let mut new: BTreeMap<&String, &String> = b
        .iter()
        .filter(|(name, _)| !a.contains_key(*name))
        .collect();
    let mut out = Vec::new();
    for (name, was) in a {
        match b.get(name) {
            Some(is) if is != was => {
                out.push(FactChange::new(
                    ChangeKind::PartMoved,
                    name,
                    Some(was.clone()),
                    Some(is.clone()),
                ));
            }
            Some(_) => {}
            None => {
                let to = new
                    .iter()
                    .find(|(_, folder)| bare(folder) == bare(was) && !was.is_empty());
                let to = to.map(|(key, folder)| ((*key).clone(), (*folder).clone()));
                let kind = if to.is_some() {
                    ChangeKind::PartMoved
                } else {
                    ChangeKind::PartGone
                };
                if let Some((key, _)) = &to {
                    new.remove(key);
                }
                out.push(FactChange::new(
                    kind,
                    name,
                    Some(was.clone()),
                    to.map(|(_, folder)| folder),
                ));
            }
        }
    }
    out.extend(
        new.into_iter()
            .map(|(name, is)| FactChange::new(ChangeKind::PartNew, name, None, Some(is.clone()))),
    );
    out
}

fn pins(a: &Facts, b: &Facts, out: &mut Vec<FactChange>) {
    let short = |id: &String| id.chars().take(12).collect::<String>();
    let paths: BTreeSet<&String> = a.pins.keys().chain(b.pins.keys()).collect();
    for path in paths
        .into_iter()
        .filter(|path| a.pins.get(*path) != b.pins.get(*path))
    {
        let (from, to) = (a.pins.get(path).map(short), b.pins.get(path).map(short));
        let none = || Some("none".to_owned());
        out.push(FactChange::new(
            ChangeKind::Pin,
            path,
            from.or_else(none),
            to.or_else(none),
        ));
    }
}
