//! E0802: USE flags that the ebuild refers to, but that neither IUSE nor an eclass has.

use super::iuse::is_open;
use super::patterns::{Patterns, pattern};
use super::recipe::Recipe;
use super::spec::{conditions, is_flag, tokens};
use rocpkg_bash::evaluate::Part;
use rocpkg_syntax::glob;
use rocpkg_syntax::{Checked, Fault, Script};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// Commands whose first argument is a flag (PMS 12.3.3), including those of common eclasses.
const COMMANDS: &[&str] = &[
    "use",
    "usev",
    "usex",
    "use_enable",
    "use_with",
    "meson_use",
    "meson_feature",
    "meson_native_use_bool",
    "meson_native_use_feature",
    "cmake_use_find_package",
    "multilib_native_use",
    "multilib_native_usex",
    "multilib_native_use_enable",
    "multilib_native_use_with",
    "qt_feature",
    "qt_use",
];

/// Variables in Gentoo's dependency language (PMS 7.3).
const SPECS: &[&str] = &[
    "DEPEND",
    "BDEPEND",
    "RDEPEND",
    "PDEPEND",
    "IDEPEND",
    "LICENSE",
    "RESTRICT",
    "PROPERTIES",
    "SRC_URI",
    "REQUIRED_USE",
];

/// Architectures, which are flags of every package through the Gentoo profile (PMS 11.1.1).
const ARCHITECTURES: &[&str] = &[
    "alpha", "amd64", "arm", "arm64", "hppa", "ia64", "loong", "m68k", "mips", "ppc", "ppc64",
    "riscv", "s390", "sparc", "x86",
];

const SUBJECT: &str = "USE flags";

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let mut uses = Vec::new();
    in_specs(recipe, &mut uses);
    let in_specs: BTreeSet<&str> = uses.iter().map(|(flag, _)| *flag).collect();
    in_commands(recipe, &mut uses, out);
    uses.sort_by_key(|(_, at)| at.start);
    let known = flags(recipe);
    let mut done = BTreeSet::new();
    for (flag, at) in uses {
        if !is_flag(flag) {
            let reason = format!(
                "the name of the flag in `{}` is known only when the ebuild runs",
                recipe.slice(&at)
            );
            out.not_checked(at.start, SUBJECT, reason);
            continue;
        }
        if has(&known, flag) || !done.insert(flag) {
            continue;
        }
        if let Some(reason) = open_reason(recipe, &known) {
            out.not_checked(at.start, SUBJECT, reason);
            out.doubtful("IUSE", flag);
            continue;
        }
        let message = format!("USE flag `{flag}` is used, but it is not in IUSE");
        let fault = Fault::new("E0802", at, message);
        let fault = fault.label("not in IUSE, and no inherited eclass adds it");
        let fault = fault.missing("IUSE", flag);
        // Portage looks up the flags of commands when a phase runs.
        out.faults.push(if in_specs.contains(flag) {
            fault
        } else {
            fault.accepted()
        });
    }
}

/// Returns the flags of the ebuild and its eclasses as patterns, such as `python_targets_*`.
pub(super) fn flags(recipe: &Recipe) -> BTreeSet<String> {
    let value = recipe.value("IUSE").unwrap_or_default();
    let words = value.parts.iter().map(|part| match part {
        // It ends a word, begins another one, and may have whole words in between.
        Part::Open {
            is_whole: false, ..
        } => "* * *".to_owned(),
        part => pattern(std::slice::from_ref(part)),
    });
    let words: String = words.collect();
    let bare = |word: &str| word.strip_prefix(['+', '-']).unwrap_or(word).to_owned();
    let mut out: BTreeSet<String> = words.split_whitespace().map(bare).collect();
    for eclass in recipe.eclasses.all() {
        out.extend(eclass.iuse.iter().cloned());
    }
    // An ebuild that checks a flag with `in_iuse` may use it.
    let calls = recipe.script.calls.iter();
    for call in calls.filter(|call| call.name == "in_iuse") {
        let first = call.words.first();
        out.extend(first.map(|word| Patterns::of(recipe).word(&word.at)));
    }
    out
}

/// Returns true if a package has the flag `flag`: a pattern in `known`, the flags of the ebuild and
/// its eclasses, matches it, or every package has it through the Gentoo profile, such as an
/// architecture. A pattern that begins with `*` does not count.
pub(super) fn has(known: &BTreeSet<String>, flag: &str) -> bool {
    let bare = flag.split('-').next().unwrap_or(flag);
    let of_profile = ["kernel_", "elibc_", "prefix"];
    let is_platform = flag.ends_with("-linux")
        || ["-macos", "-solaris", "-cygwin", "-winnt"]
            .iter()
            .any(|system| flag.ends_with(system));
    ARCHITECTURES.contains(&flag)
        || (is_platform && (ARCHITECTURES.contains(&bare) || bare == "x64"))
        || of_profile.iter().any(|head| flag.starts_with(head))
        || known
            .iter()
            .any(|pattern| !glob::is_open(pattern) && glob::fits(pattern, flag))
}

/// Returns the reason why a flag that is not in `known` is no fault: an eclass is not known, or
/// IUSE has names that are known only when the ebuild runs. Returns `None` if all flags are known.
pub(super) fn open_reason(recipe: &Recipe, known: &BTreeSet<String>) -> Option<String> {
    let is_open = is_open(known);
    let reason =
        is_open.then(|| "IUSE contains names that are known only when the ebuild runs".to_owned());
    recipe.eclasses.reason().or(reason)
}

/// Returns the names of the variables in Gentoo's dependency language, and of the variables whose
/// text is part of one of them: `COMMON` in `RDEPEND="${COMMON}"`.
fn spec_names(script: &Script) -> BTreeSet<&str> {
    reaching(script, SPECS)
}

/// Returns the names of variables, and of the variables whose text is part of one of them.
pub(super) fn reaching<'a>(script: &'a Script, names: &[&'a str]) -> BTreeSet<&'a str> {
    let mut values: BTreeMap<&str, Vec<&Range<usize>>> = BTreeMap::new();
    for set in &script.sets {
        values.entry(&set.name).or_default().push(&set.value_at);
    }
    let uses = script.uses.iter();
    let uses: BTreeMap<usize, &str> = uses
        .map(|used| (used.at.start, used.name.as_str()))
        .collect();
    let mut open: Vec<&str> = names.to_vec();
    let mut names: BTreeSet<&str> = names.iter().copied().collect();
    while let Some(name) = open.pop() {
        for at in values.get(name).into_iter().flatten() {
            let inside = uses.range(at.start..at.end).map(|(_, name)| *name);
            open.extend(inside.filter(|name| names.insert(name)));
        }
    }
    names
}

/// Collects the flags in dependencies, `REQUIRED_USE`, licences and similar variables, each with
/// its bytes.
fn in_specs<'a>(recipe: &'a Recipe, out: &mut Vec<(&'a str, Range<usize>)>) {
    let script = &recipe.script;
    let names = spec_names(script);
    for set in script
        .sets
        .iter()
        .filter(|set| names.contains(set.name.as_str()))
    {
        if recipe.slice(&set.value_at).starts_with("$(") {
            continue;
        }
        let words = tokens(recipe.text, &set.value_at);
        for (i, at) in words.iter().enumerate() {
            let word = recipe.slice(at);
            let opens = words
                .get(i + 1)
                .is_some_and(|next| recipe.slice(next) == "(");
            if word.ends_with('?') && !opens {
                continue;
            }
            out.extend(conditions(word).into_iter().map(|flag| (flag, at.clone())));
            let is_leaf = set.name == "REQUIRED_USE" && !word.ends_with('?');
            let flag = word.strip_prefix('!').unwrap_or(word);
            if is_leaf && is_flag(flag) {
                out.push((flag, at.clone()));
            }
        }
    }
}

/// Collects the flags that commands such as `use` look up, each with its bytes. A name that is
/// known only when the ebuild runs is added to `checked`.
fn in_commands<'a>(
    recipe: &'a Recipe,
    out: &mut Vec<(&'a str, Range<usize>)>,
    checked: &mut Checked,
) {
    let own = |name: &str| recipe.script.defines(name);
    let calls = recipe.script.calls.iter();
    for call in calls.filter(|call| COMMANDS.contains(&call.name.as_str()) && !own(&call.name)) {
        let Some(word) = call.words.first() else {
            continue;
        };
        let Some(text) = word.text() else {
            let written = recipe.slice(&call.at).lines().next().unwrap_or_default();
            let reason =
                format!("the name of the flag in `{written}` is known only when the ebuild runs");
            checked.not_checked(call.at.start, SUBJECT, reason);
            continue;
        };
        // The position of the flag is that of the word without its quotes.
        let written = recipe.slice(&word.at).trim_matches(['"', '\'']);
        let flag = written.strip_prefix('!').unwrap_or(written);
        if text.ends_with(flag) && is_flag(flag) {
            out.push((flag, call.at.start..word.at.end));
        }
    }
}
