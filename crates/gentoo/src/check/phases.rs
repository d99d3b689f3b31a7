//! E0810: functions whose names look like phases but are none.

use super::recipe::Recipe;
use rocpkg_syntax::{Checked, Fault};

/// The phase functions of EAPI 4 and later (PMS 9.1).
pub(super) const PHASES: &[&str] = &[
    "pkg_pretend",
    "pkg_nofetch",
    "pkg_setup",
    "src_unpack",
    "src_prepare",
    "src_configure",
    "src_compile",
    "src_test",
    "src_install",
    "pkg_preinst",
    "pkg_postinst",
    "pkg_prerm",
    "pkg_postrm",
    "pkg_config",
    "pkg_info",
];

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    for function in &recipe.script.functions {
        let name = function.name.as_str();
        let parts = name.split_once('_');
        let is_phase_like = parts.is_some_and(|(head, tail)| {
            matches!(head, "src" | "pkg") && tail.chars().all(|c| c.is_ascii_lowercase())
        });
        let nearest = PHASES.iter().min_by_key(|phase| distance(phase, name));
        let nearest = nearest.filter(|phase| distance(phase, name) <= 2);
        if PHASES.contains(&name) || !(is_phase_like || nearest.is_some()) {
            continue;
        }
        // A function that is called, or passed by its name, is no phase.
        let of_eclass = || {
            let mut all = recipe.eclasses.all();
            all.any(|eclass| eclass.functions.contains(name) || eclass.variables.contains(name))
        };
        if mentions(recipe.text, name) > 1 || of_eclass() {
            continue;
        }
        if let Some(reason) = recipe.eclasses.reason().filter(|_| nearest.is_none()) {
            out.not_checked(function.at.start, "phases", reason);
            continue;
        }
        let message = format!("`{name}` is not a phase function, and nothing calls it");
        let fault = Fault::new("E0810", function.name_at.clone(), message);
        let fault = match nearest {
            Some(phase) => fault.label(format!("did you mean `{phase}`?")),
            None => fault.label("no EAPI has this phase"),
        };
        out.faults.push(fault.accepted());
    }
}

/// Counts the words of a text that are equal to a name. Comments are left out.
fn mentions(text: &str, name: &str) -> usize {
    let code = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    code.flat_map(|line| line.split(is_end))
        .filter(|word| *word == name)
        .count()
}

/// Returns the edit distance of two names: the number of letters to insert, delete or replace. A
/// swap of two neighbours counts as one. The result is `usize::MAX` if the lengths differ by more
/// than two.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    if one.len().abs_diff(other.len()) > 2 {
        return usize::MAX;
    }
    let mut rows = vec![vec![0; other.len() + 1]; one.len() + 1];
    for i in 0..=one.len() {
        for j in 0..=other.len() {
            rows[i][j] = if i == 0 || j == 0 {
                i + j
            } else {
                let is_same = one[i - 1] == other[j - 1];
                let change = rows[i - 1][j - 1] + usize::from(!is_same);
                let mut least = change.min(rows[i - 1][j] + 1).min(rows[i][j - 1] + 1);
                if i > 1 && j > 1 && one[i - 1] == other[j - 2] && one[i - 2] == other[j - 1] {
                    least = least.min(rows[i - 2][j - 2] + 1);
                }
                least
            };
        }
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_between_names() {
        assert_eq!(distance("src_configure", "src_confgure"), 1);
        assert_eq!(distance("src_configure", "scr_configure"), 1);
        assert_eq!(distance("src_test", "src_install"), usize::MAX);
    }
}
