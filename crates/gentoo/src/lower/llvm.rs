//! The slots of LLVM that a package can be built with, and the eclass by which the user chooses one
//! (llvm-r2.eclass).

use rocpkg_model::{Cond, Node, Value};
use rocpkg_render::bash::{Test, Word};
use rocpkg_resolve::{Dependency, Plan, Planned, Range, llvm_row};
#[cfg(feature = "checkout")]
use rocpkg_syntax::Surroundings;

/// Names in a package's profile that require the eclass of LLVM slots, such as llvm-r2.eclass.
const MARKS: &[&str] = &["LLVM_SLOT", "get_llvm_prefix", "llvm_prepend_path"];

/// The array of slots that llvm-r1.eclass and llvm-r2.eclass read.
pub(crate) const COMPAT: &str = "LLVM_COMPAT";

/// The highest slot, which llvm.eclass reads.
#[cfg(feature = "checkout")]
pub(crate) const MAX_SLOT: &str = "LLVM_MAX_SLOT";

/// Returns the slots of LLVM that a package can be built with, in ascending order. Returns none if
/// the package's profile and its dependencies mention no slot of LLVM.
pub(crate) fn slots(p: &Planned) -> Vec<String> {
    let edge = p.depends.iter().any(|e| match (&e.edge.exact_name, &e.to) {
        (Some(text), _) => text.value.contains(MARKS[0]),
        (None, Dependency::External(name)) => name.contains(MARKS[0]),
        (None, Dependency::Package(_)) => false,
    });
    if !edge && !mentions(&p.node) {
        return Vec::new();
    }
    p.llvm.iter().map(u64::to_string).collect()
}

/// Returns the slot of `slots` that is chosen by default: the highest one that is released, else
/// the highest one.
pub(crate) fn default<'s>(plan: &Plan, slots: &'s [String]) -> Option<&'s String> {
    let is_released = |slot: &&String| plan.llvm_releases.contains_key(*slot);
    slots.iter().rfind(is_released).or(slots.last())
}

/// Returns the USE flag of llvm-r2.eclass for a slot: `21` → `llvm_slot_21`.
pub(crate) fn flag(slot: &str) -> String {
    format!("llvm_slot_{slot}")
}

/// Returns a range of slots as a condition over the USE flags of `slots`: `>=23` → `llvm_slot_23 |
/// llvm_slot_24`.
pub(crate) fn flags(range: &str, slots: &[String]) -> Cond {
    let range: Range = range.parse().unwrap_or(Range::ALL);
    let is_inside = |slot: &&String| range.has_major(slot.parse().unwrap_or_default());
    let inside = slots.iter().filter(is_inside);
    Cond::Any(inside.map(|slot| Cond::Feature(flag(slot))).collect())
}

/// Returns the test of bash for a range of slots: `>=24` → `[[ ${LLVM_SLOT} -ge 24 ]]`. Returns
/// `None` if the range can't be read.
pub(crate) fn test(range: &str) -> Option<Test> {
    let range: Range = range.parse().ok()?;
    let ([from, ..], to) = (range.from(), range.to().map(|[to, ..]| to));
    let slot = |operator: &str, major: u64| {
        let words = [Word::lit(operator), Word::lit(major.to_string())];
        let mut all = vec![Word::split("LLVM_SLOT")];
        all.extend(words);
        Test::Brackets(all)
    };
    Some(match to {
        Some(to) if to == from + 1 => slot("-eq", from),
        Some(to) if from == 0 => slot("-lt", to),
        Some(to) => Test::All(vec![slot("-ge", from), slot("-lt", to)]),
        None => slot("-ge", from),
    })
}

/// Returns the eclass that chooses the slot of LLVM: the one that the distribution's file states,
/// else `llvm-r2`.
pub(crate) fn eclass(plan: &Plan, p: &Planned) -> String {
    let stated = llvm_row(&plan.distro, &p.version).and_then(|row| row.eclass.as_ref());
    stated.map_or_else(|| "llvm-r2".to_owned(), |eclass| eclass.value.clone())
}

/// Returns the variable in which an ebuild names its slots of LLVM, and the slots: the array of
/// llvm-r1.eclass and llvm-r2.eclass, or the highest slot of llvm.eclass. Returns `None` if the
/// ebuild names none, or if they are known only when it runs.
#[cfg(feature = "checkout")]
pub(crate) fn named(text: &str, path: &str) -> Option<(&'static str, Vec<u64>)> {
    let surroundings = Surroundings {
        path: path.to_owned(),
        ..Surroundings::default()
    };
    let values = crate::check::values(text, &surroundings);
    let named = |name: &'static str| {
        let value = values.get(name).filter(|value| value.open.is_none())?;
        let slots = value.words.iter().map(|slot| slot.parse().ok());
        Some((name, slots.collect::<Option<Vec<u64>>>()?))
    };
    named(COMPAT).or_else(|| named(MAX_SLOT))
}

/// Returns an ebuild that names the slots `majors` instead of those that it names. They are edited
/// where they are written: in an array, a range such as `{21..22}`, a loop or a helper variable.
/// Returns `None` if no such edit gives exactly these slots.
#[cfg(feature = "checkout")]
pub(crate) fn set(text: &str, path: &str, majors: &[u64]) -> Option<String> {
    let (_, old) = named(text, path)?;
    let is_of_slots = |c: char| c.is_ascii_digit() || "{}. \t\n".contains(c);
    let mut start = 0;
    for run in text.split(|c| !is_of_slots(c)) {
        let end = start + run.len();
        let at = start + (run.len() - run.trim_start().len());
        start = text[end..]
            .chars()
            .next()
            .map_or(end, |c| end + c.len_utf8());
        let run = run.trim();
        let slots = run.split_whitespace().map(crate::check::slots_of);
        let slots: Option<Vec<Vec<u32>>> = slots.collect();
        let slots = slots.into_iter().flatten().flatten().map(u64::from);
        if run.is_empty() || !slots.eq(old.iter().copied()) {
            continue;
        }
        let edited = [&text[..at], &spelt(run, majors), &text[at + run.len()..]].concat();
        if named(&edited, path).is_some_and(|(_, new)| new == majors) {
            return Some(edited);
        }
    }
    None
}

/// Returns slots as words, in the style of the words `old`: as a range, or with the same space
/// between them.
#[cfg(feature = "checkout")]
fn spelt(old: &str, majors: &[u64]) -> String {
    if let [first, .., last] = majors
        && old.starts_with('{')
        && last - first + 1 == majors.len() as u64
    {
        return format!("{{{first}..{last}}}");
    }
    let rest = old.trim_start_matches(|c: char| !c.is_whitespace());
    let space = &rest[..rest.len() - rest.trim_start().len()];
    let all: Vec<String> = majors.iter().map(u64::to_string).collect();
    all.join(if space.is_empty() { " " } else { space })
}

/// Returns a rendered ebuild with the slots `majors` in `variable`, which takes the place of
/// `LLVM_COMPAT`.
#[cfg(feature = "checkout")]
pub(crate) fn with(rendered: &str, variable: &str, majors: &[u64]) -> String {
    let slots: Vec<String> = majors.iter().map(u64::to_string).collect();
    let line = match slots.last() {
        Some(highest) if variable == MAX_SLOT => format!("{variable}={highest}"),
        _ => format!("{variable}=( {} )", slots.join(" ")),
    };
    let lines = rendered.split_inclusive('\n').map(|own| {
        if own.starts_with(&format!("{COMPAT}=(")) {
            format!("{line}\n")
        } else {
            own.to_owned()
        }
    });
    lines.collect()
}

fn mentions(node: &Node) -> bool {
    match &node.value {
        Value::Scalar { text, .. } => MARKS.iter().any(|m| text.contains(m)),
        Value::Seq(items) => items.iter().any(mentions),
        Value::Map(entries) => entries.iter().any(|(_, n)| mentions(n)),
        Value::Null => false,
    }
}
