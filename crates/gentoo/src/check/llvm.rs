//! E0811: the slots in `LLVM_COMPAT`.

use super::files::filesdir;
use super::recipe::Recipe;
use rocpkg_syntax::words::split;
use rocpkg_syntax::{Checked, Fault};

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let Some(set) = recipe.only_set("LLVM_COMPAT") else {
        return;
    };
    let at = &set.value_at;
    if !recipe.slice(at).starts_with('(') {
        return;
    }
    let mut slots: Vec<u32> = Vec::new();
    for word in split(recipe.text, at.start + 1, at.end - 1) {
        let written = recipe.slice(&word.at);
        let Some(range) = slots_of(written) else {
            let reason = format!("`{written}` is known only when the ebuild runs");
            return out.not_checked(word.at.start, "LLVM_COMPAT", reason);
        };
        for slot in range {
            let message = match slots.last() {
                _ if slots.contains(&slot) => format!("LLVM_COMPAT has slot {slot} twice"),
                Some(last) if *last > slot => format!("LLVM_COMPAT has slot {slot} after {last}"),
                _ => {
                    slots.push(slot);
                    continue;
                }
            };
            let fault = Fault::new("E0811", word.at.clone(), message);
            let label = "expected each slot once, from the lowest to the highest";
            return out.faults.push(fault.label(label).harmless());
        }
    }
    let Some(highest) = slots.last().copied() else {
        return;
    };
    for (names, at) in filesdir(recipe) {
        let found = names.iter().find_map(|name| slot_in(name));
        if let Some(slot) = found.filter(|slot| *slot > highest) {
            let message = format!("a patch is for LLVM {slot}, but LLVM_COMPAT ends at {highest}");
            let fault = Fault::new("E0811", at, message);
            out.faults
                .push(fault.label("no slot of LLVM_COMPAT needs this patch"));
        }
    }
}

/// Returns the slots in words such as `20` and `{18..20}`; `None` for other words.
pub(crate) fn slots_of(word: &str) -> Option<Vec<u32>> {
    if let Ok(slot) = word.trim_matches(['"', '\'']).parse() {
        return Some(vec![slot]);
    }
    let inside = word.strip_prefix('{')?.strip_suffix('}')?;
    let (first, last) = inside.split_once("..")?;
    let (first, last): (u32, u32) = (first.parse().ok()?, last.parse().ok()?);
    (last.checked_sub(first)? < 100).then(|| (first..=last).collect())
}

/// Returns the slot of LLVM in the name of a patch: `hip-7.2-llvm-22.patch` and
/// `hip-7.2-clang22-fix.patch` → 22. Returns `None` if the name has no such part.
fn slot_in(name: &str) -> Option<u32> {
    let after = ["llvm", "clang"].iter().find_map(|word| {
        let (head, tail) = name.split_once(word)?;
        (head.is_empty() || head.ends_with(['-', '_'])).then_some(tail)
    })?;
    let digits = after.strip_prefix(['-', '_']).unwrap_or(after);
    let end = digits
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(digits.len());
    let is_slot = end == 2
        && !digits[end..].starts_with(|c: char| c == '.' && !digits[end..].starts_with(".patch"));
    digits[..end].parse().ok().filter(|_| is_slot)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_of_words_and_names() {
        assert_eq!(slots_of("{18..20}"), Some(vec![18, 19, 20]));
        assert_eq!(slots_of("${X}"), None);
        assert_eq!(slot_in("hip-7.2-llvm-22.patch"), Some(22));
        assert_eq!(slot_in("hip-7.2-clang22-fix.patch"), Some(22));
        assert_eq!(slot_in("x-llvm-2.21.patch"), None);
        assert_eq!(slot_in("libllvm-22.patch"), None);
    }
}
