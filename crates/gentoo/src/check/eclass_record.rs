//! Records of the table `eclasses.txt`, as far as texts of eclasses state them: see
//! `cargo xtask eclasses`.

use super::eclasses::is_metadata;
use super::iuse::Lists;
use crate::value::tokens::pattern;
use regex::Regex;
use rocpkg_syntax::words::Piece;
use rocpkg_syntax::{Call, Script};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// The guard by which an eclass is read once.
static GUARD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^if \[\[ (?:! |-z )?\$?\{?_[A-Z0-9_]+_ECLASS\}?(?: != 1)? \]\] *; *then$")
});
/// A documented variable or function, with the tags that follow its name.
static DOCUMENTED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(r"(?m)^# @(ECLASS_VARIABLE|VARIABLE|FUNCTION): ?(\S+)((?:\n# @[A-Z_]+\b.*)*)")
});

/// Names of a record, each with a `bool` that is true if the name applies to each ebuild.
type Names = BTreeMap<String, bool>;

/// Returns the record that the table of common eclasses gets of the eclass `name`, as far as
/// `text`, the eclass, states its names; `None` if the text is no valid bash.
pub fn eclass_record(name: &str, text: &str) -> Option<String> {
    let (script, text) = unguarded(text)?;
    let lists = Lists {
        script: &script,
        text: &text,
        given: &|_| None,
    };
    let is_internal = |tags: &str| tags.contains("@INTERNAL") || tags.contains("@DEAD");
    let documented = |kinds: &[&str], internal: bool| -> Vec<String> {
        let all = DOCUMENTED.captures_iter(&text);
        let all = all.filter(|c| kinds.contains(&&c[1]) && is_internal(&c[3]) == internal);
        all.map(|c| c[2].to_owned()).collect()
    };
    let of_calls = |command: &str| {
        let mut out = Names::new();
        for call in script.calls.iter().filter(|call| call.name == command) {
            for word in words_of(call, lists) {
                *out.entry(word).or_default() |= is_always(call);
            }
        }
        out
    };
    let mut iuse = Names::new();
    if script.sets.iter().any(|set| set.name == "IUSE") {
        let sets = script.sets.iter().filter(|set| set.name == "IUSE");
        let is_whole = sets.clone().all(|set| !set.scope.is_conditional);
        iuse.extend(lists.flags().into_iter().map(|flag| (flag, is_whole)));
    }
    let internal = documented(&["FUNCTION"], true);
    let functions = script.functions.iter().map(|function| &function.name);
    let functions = functions.filter(|name| !name.starts_with('_') && !internal.contains(name));
    let variables = documented(&["ECLASS_VARIABLE", "VARIABLE"], false);
    let of_metadata = script.sets.iter().map(|set| set.name.clone());
    let is_read = |name: &String| {
        is_metadata(name) && !name.ends_with("DEPEND") && !OF_EACH.contains(&name.as_str())
    };
    let variables = variables.into_iter().filter(|name| !name.starts_with('_'));
    let variables = variables.chain(of_metadata.filter(is_read));
    let always = |names: &mut dyn Iterator<Item = String>| names.map(|name| (name, true)).collect();
    let keys: [(&str, Names); 5] = [
        ("inherits", of_calls("inherit")),
        ("phases", of_calls("EXPORT_FUNCTIONS")),
        ("iuse", iuse),
        ("functions", always(&mut functions.cloned())),
        ("variables", always(&mut { variables })),
    ];
    let mut out = format!("[{name}]\n");
    for (key, names) in keys.iter().filter(|(_, names)| !names.is_empty()) {
        let word = |(name, is_always): (&String, &bool)| {
            format!("{name}{}", if *is_always { "" } else { "?" })
        };
        let words: Vec<String> = names.iter().map(word).collect();
        out.push_str(&format!("{key}: {}\n", words.join(" ")));
    }
    Some(out)
}

/// The variables that Portage collects of each eclass by itself (PMS 10.2).
const OF_EACH: &[&str] = &[
    "IUSE",
    "REQUIRED_USE",
    "RESTRICT",
    "PROPERTIES",
    "QA_PREBUILT",
];

/// Returns the script of an eclass and its text, without the line of its guard and the line that
/// closes it: what stands between them counts as unconditional. `None` for a text that is no valid
/// bash.
fn unguarded(text: &str) -> Option<(Script, String)> {
    let Some(guard) = GUARD.find(text) else {
        return Some((Script::read(text).ok()?, text.to_owned()));
    };
    let ends = text.rmatch_indices("\nfi\n").map(|(at, _)| at + 1);
    let mut ends = ends.filter(|end| *end > guard.end());
    ends.find_map(|end| {
        let mut out = text.to_owned();
        out.replace_range(end..end + 2, ":");
        out.replace_range(guard.range(), ":");
        let script = Script::read(&out).ok()?;
        Some((script, out))
    })
}

/// Returns the literal words of a command, and those of its variables.
fn words_of(call: &Call, lists: Lists) -> Vec<String> {
    let of = |pieces: &[Piece]| match pieces {
        [Piece::Text(word)] => vec![word.clone()],
        [Piece::Variable(name)] => lists.words(name).into_iter().collect(),
        _ => Vec::new(),
    };
    let words = call.words.iter().flat_map(|word| of(&word.pieces));
    words.filter(|word| !word.contains('*')).collect()
}

fn is_always(call: &Call) -> bool {
    !call.scope.is_conditional && call.scope.function.is_none()
}

#[cfg(test)]
mod tests {
    use super::eclass_record;

    #[test]
    fn a_record_has_what_ebuilds_get_from_an_eclass() {
        let text = "if [[ -z ${_OWN_ECLASS} ]]; then\n_OWN_ECLASS=1\n\ninherit edo\n[[ ${OWN_XDG} ]] && inherit xdg\n\n\
            # @ECLASS_VARIABLE: OWN_LIST\n# @PRE_INHERIT\n# @DESCRIPTION:\n# A list.\n\n\
            # @ECLASS_VARIABLE: OWN_HIDDEN\n# @INTERNAL\n# @DESCRIPTION:\n# Not for ebuilds.\n\n\
            IUSE=\"+doc\"\nSLOT=0\n\n_own_part() { :; }\n\n\
            # @FUNCTION: own_hidden\n# @INTERNAL\n# @DESCRIPTION:\n# Not for ebuilds.\nown_hidden() { :; }\n\n\
            own_src_test() { :; }\nfi\n\nEXPORT_FUNCTIONS src_test\n";
        let expected = "[own]\ninherits: edo xdg?\nphases: src_test\niuse: doc\nfunctions: own_src_test\n\
            variables: OWN_LIST SLOT\n";
        assert_eq!(eclass_record("own", text).as_deref(), Some(expected));
        assert_eq!(eclass_record("own", "if"), None);
    }
}
