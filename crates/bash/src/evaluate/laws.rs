//! Contradictions between the commands of a function, whatever package manager runs it.

use super::steps::Step;
use super::value::{Part, Value};
use rocpkg_syntax::Fault;
use std::collections::{BTreeMap, BTreeSet};

/// The end of the name of a step that sets a variable.
pub(super) const SETS: &str = "=";

/// The option of cmake that names the folder which it configures.
const CONFIGURED: &str = "-B";

/// The option of make that names the folder in which it builds.
const MADE: &str = "-C";

/// Facts about a recipe that its commands may contradict.
#[derive(Clone, Copy)]
pub struct Facts<'a> {
    /// The code of the findings.
    pub code: &'static str,
    /// The folders in which sources are unpacked, without the path before them.
    pub tops: &'a BTreeSet<String>,
    /// Set if a source is a checkout of git. `None` if that is not known.
    pub has_checkout: Option<bool>,
    /// Variables of CMake that state the same fact, such as `GPU_TARGETS` and `AMDGPU_TARGETS`.
    pub rivals: &'a BTreeSet<String>,
}

/// Commands of git that need a repository.
const OF_REPOSITORY: &[&str] = &["cherry-pick", "revert", "am"];

/// Returns the contradictions in the commands of each function. A helper is followed each time that
/// a function calls it, so the same contradiction may be found several times. It is returned once.
pub fn faults(functions: &[Vec<Step>], facts: Facts) -> Vec<Fault> {
    let mut all: Vec<Fault> = Vec::new();
    for fault in functions.iter().flat_map(|steps| of_function(steps, facts)) {
        let is_new = |other: &Fault| other.at() != fault.at() || !other.is(&fault);
        if all.iter().all(is_new) {
            all.push(fault);
        }
    }
    all
}

fn of_function(steps: &[Step], facts: Facts) -> Vec<Fault> {
    let mut out = Vec::new();
    for step in steps {
        let fault = |message: String| {
            let at = step.at.range().unwrap_or_default();
            Fault::new(facts.code, at, message)
        };
        if step.name.starts_with('-') && step.name.len() > 1 {
            let message = format!("`{}` is run as a command", step.name);
            out.push(fault(message).label("expected a backslash at the end of the line above"));
        }
        if let Some((top, inner)) = entered_again(step, facts.tops) {
            let message = format!("`{inner}` is entered inside of `{top}`");
            out.push(fault(message).label("the recipe is in this folder already"));
        }
        let words: Vec<String> = step.words.iter().filter_map(Value::known).collect();
        let needed = words
            .first()
            .filter(|word| OF_REPOSITORY.contains(&word.as_str()));
        let makes = |step: &Step| {
            step.name == "git"
                && step
                    .words
                    .iter()
                    .any(|word| is_one(word, &["init", "clone"]))
        };
        if step.name == "git"
            && let Some(needed) = needed
            && facts.has_checkout == Some(false)
            && !steps.iter().any(makes)
        {
            let message = format!("`git {needed}` needs a repository, and no source is one");
            out.push(fault(message).label("expected a source of git, or `patch`"));
        }
        out.extend(
            rivals(step, facts)
                .map(fault)
                .map(|fault| fault.label("upstream's build reads one of them only")),
        );
    }
    out.extend(late(steps, facts));
    out.extend(made_for_ninja(steps, facts));
    out
}

fn is_one(word: &Value, names: &[&str]) -> bool {
    word.known()
        .is_some_and(|word| names.contains(&word.as_str()))
}

/// Returns the folder of a source in which the step runs, and the folder that it enters, if that
/// path begins with the same folder again: `cd hip-1.0/src` inside of `hip-1.0/src`.
fn entered_again(step: &Step, tops: &BTreeSet<String>) -> Option<(String, String)> {
    let enters = matches!(step.name.as_str(), "cd" | "pushd") && !step.is_conditional;
    let inner = step.target().filter(|_| enters)?.known()?;
    if inner.starts_with('/') {
        let parts: Vec<&str> = inner.split('/').collect();
        let is_twice = |pair: &&[&str]| pair[0] == pair[1] && tops.contains(pair[0]);
        let again = parts.windows(2).find(is_twice)?[0].to_owned();
        return Some((again.clone(), again));
    }
    let here = step.folder.as_deref()?;
    let inner = inner.trim_end_matches('/').trim_start_matches("./");
    let (top, rest) = inner.split_once('/').unwrap_or((inner, ""));
    let is_inside = here.split('/').any(|part| part == top) && tops.contains(top);
    // A folder without a version may have one of the same name inside: `half/include/half`.
    let has_number = top.contains(|c: char| c.is_ascii_digit());
    let is_same = here
        .strip_suffix(inner)
        .is_some_and(|above| above.ends_with('/'));
    let is_again = is_same || has_number || !rest.is_empty();
    (is_inside && is_again).then(|| (top.to_owned(), inner.to_owned()))
}

/// Returns a message if a step sets two variables for the same fact to different values.
fn rivals(step: &Step, facts: Facts) -> Option<String> {
    let mut set: BTreeMap<&str, String> = BTreeMap::new();
    let mut words = step.words.iter().peekable();
    while let Some(word) = words.next() {
        let mut text = word.written(&open(word));
        if text == "-D" {
            text += &words.next().map(|word| word.written(&open(word)))?;
        }
        let Some((name, value)) = text
            .strip_prefix("-D")
            .and_then(|text| text.split_once('='))
        else {
            continue;
        };
        let name = name.split(':').next().unwrap_or_default().trim_start();
        if let Some(name) = facts.rivals.get(name) {
            set.insert(name, value.to_owned());
        }
    }
    let mut all = set.into_iter();
    let (one, value) = all.next()?;
    let (two, _) = all.find(|(_, other)| *other != value)?;
    Some(format!("`{one}` and `{two}` are set to different values"))
}

/// Returns the text that stands for unknown parts of a value: the reason why they are not known.
fn open(value: &Value) -> String {
    let reasons = value.parts.iter().find_map(|part| match part {
        Part::Open { reason, .. } => Some(reason.to_string()),
        Part::Text(_) => None,
    });
    reasons.unwrap_or_default()
}

/// Returns a fault for each flag of the compiler that is set below the command that uses it.
fn late(steps: &[Step], facts: Facts) -> Vec<Fault> {
    let Some(first) = steps.iter().position(configures) else {
        return Vec::new();
    };
    let folder = value_of(&steps[first], CONFIGURED);
    let uses = |step: &Step| {
        let is_of_cmake = step.name == "make" && folder.is_some() && value_of(step, MADE) == folder;
        configures(step) || is_other_build(step) && !is_of_cmake
    };
    let rest = &steps[first + 1..];
    let last = rest.iter().rposition(uses).map_or(0, |last| last + 1);
    let sets = rest[last..].iter().filter_map(|step| {
        let name = step.name.strip_suffix(SETS)?;
        name.ends_with("FLAGS").then_some((name, step))
    });
    let fault = |(name, step): (&str, &Step)| {
        let at = step.at.range().unwrap_or_default();
        let message = format!("`{name}` is set after the build is configured");
        Fault::new(facts.code, at, message).label("expected above the command that configures")
    };
    sets.map(fault).collect()
}

/// Returns a fault for each `make` in a folder that cmake configured for ninja.
fn made_for_ninja(steps: &[Step], facts: Facts) -> Vec<Fault> {
    let is_for_ninja = |step: &&Step| {
        let words: Vec<String> = step.words.iter().filter_map(Value::known).collect();
        let is_pair = |pair: &[String]| pair[0] == "-G" && pair[1].starts_with("Ninja");
        let is_one = |word: &String| word.starts_with("-GNinja");
        step.name == "cmake" && (words.windows(2).any(is_pair) || words.iter().any(is_one))
    };
    let for_ninja = steps.iter().filter(is_for_ninja);
    let folders: BTreeSet<String> = for_ninja
        .filter_map(|step| value_of(step, CONFIGURED))
        .collect();
    let is_wrong = |step: &&Step| {
        step.name == "make" && value_of(step, MADE).is_some_and(|folder| folders.contains(&folder))
    };
    let fault = |step: &Step| {
        let at = step.at.range().unwrap_or_default();
        let message = "`make` is run in a folder that cmake configured for ninja".to_owned();
        Fault::new(facts.code, at, message).label("expected `ninja` or `cmake --build`")
    };
    steps.iter().filter(is_wrong).map(fault).collect()
}

/// Returns the value of an option that is the next word, or the rest of the option's word.
fn value_of(step: &Step, option: &str) -> Option<String> {
    let mut words = step
        .words
        .iter()
        .map(|word| word.known().unwrap_or_default());
    while let Some(word) = words.next() {
        match word.strip_prefix(option) {
            Some("") => return words.next().filter(|value| !value.is_empty()),
            Some(value) => return Some(value.to_owned()),
            None => {}
        }
    }
    None
}

/// Returns true for a command that configures a build which keeps its flags.
fn configures(step: &Step) -> bool {
    match step.name.as_str() {
        "cmake" => !step.words.iter().any(|word| {
            let text = word.known().unwrap_or_default();
            matches!(text.as_str(), "--build" | "--install" | "-E")
        }),
        "meson" | "arch-meson" | "cmake_src_configure" | "meson_src_configure" => true,
        _ => false,
    }
}

/// Returns true for a command that may read the flags itself.
fn is_other_build(step: &Step) -> bool {
    let known = [
        "cmake",
        "ninja",
        "cd",
        "pushd",
        "popd",
        "export",
        "local",
        "cmake_src_compile",
        "cmake_src_install",
        "meson_src_compile",
        "install",
        "mkdir",
        "rm",
        "ln",
        "cp",
        "mv",
    ];
    !known.contains(&step.name.as_str()) && !step.name.ends_with(SETS)
}
