//! The cases in which this crate and Portage 3.0.83 give different answers on purpose, each with
//! the reason.

use rocpkg_pms::{Atom, Candidate, Version};
use serde_json::Value;

use super::text;

/// A kind of question on which this crate follows the Specification and Portage does not.
pub(crate) struct Disagreement {
    /// The operation of the question, such as `atom`.
    pub(crate) op: &'static str,
    /// The name under which such cases are counted.
    pub(crate) name: &'static str,
    /// The reason why this crate does not follow Portage here.
    pub(crate) reason: &'static str,
    /// Returns true if this disagreement explains the difference. The arguments are the question,
    /// this crate's answer and Portage's answer.
    pub(crate) applies: fn(&Value, &Value, &Value) -> bool,
}

pub(crate) const DISAGREEMENTS: &[Disagreement] = &[
    Disagreement {
        op: "vercmp",
        name: "identical text",
        reason: "vercmp calls two identical texts equal before it looks whether they are versions",
        applies: |question, ours, theirs| {
            question["a"] == question["b"] && ours["ok"] == false && theirs["r"] == 0
        },
    },
    Disagreement {
        op: "vercmp",
        name: "line feed at the end",
        reason: "the `$` of Portage's regular expression also stands before a last line feed",
        applies: |question, ours, _| {
            ours["ok"] == false
                && ["a", "b"]
                    .iter()
                    .any(|key| text(question, key).ends_with('\n'))
        },
    },
    Disagreement {
        op: "vercmp",
        name: "digits of other scripts",
        reason: "`\\d` is any decimal digit of Unicode in Portage's regular expression; PMS 3.2 means ASCII",
        applies: |question, ours, theirs| {
            let foreign = |key: &&str| !text(question, key).is_ascii();
            ours["ok"] == false && theirs["ok"] == true && ["a", "b"].iter().any(foreign)
        },
    },
    Disagreement {
        op: "match",
        name: "candidate that is no package",
        reason: "match_from_list passes over a malformed candidate for some operators and refuses it for others, \
                 and never looks at its slot and repository; wrong input is an error here, whatever the operator",
        applies: |question, ours, theirs| {
            let malformed = text(question, "cpv").parse::<Candidate>().is_err();
            malformed && ours["ok"] == false && theirs["ok"] == true
        },
    },
    Disagreement {
        op: "match",
        name: "glob into another package",
        reason: "match_from_list compares `=a/b-1*` with the candidate as text, so that `a/b-1-foo-2` fits; \
                 callers only offer it versions of `a/b`",
        applies: |question, ours, theirs| {
            let (Ok(atom), Ok(package)) = (
                text(question, "atom").parse::<Atom>(),
                text(question, "cpv").parse::<Candidate>(),
            ) else {
                return false;
            };
            atom.cpn() != &package.cpv.cpn && ours["r"] == false && theirs["r"] == true
        },
    },
    Disagreement {
        op: "atom",
        name: "build-id",
        reason: BUILD_ID,
        applies: |question, ours, theirs| {
            ours["ok"] == false && theirs["ok"] == true && has_build_id(text(question, "s"))
        },
    },
    Disagreement {
        op: "match",
        name: "build-id to match",
        reason: BUILD_ID,
        applies: |question, ours, theirs| {
            ours["ok"] == false && theirs["ok"] == true && has_build_id(text(question, "atom"))
        },
    },
    Disagreement {
        op: "use_reduce",
        name: "build-id among atoms",
        reason: BUILD_ID,
        applies: |question, ours, theirs| {
            let space = |c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c);
            let here = text(question, "s").split(space).any(has_build_id);
            question["atoms"] == true && ours["ok"] == false && theirs["ok"] == true && here
        },
    },
    Disagreement {
        op: "use_reduce",
        name: "lost repository",
        reason: "Portage loses `::repository` when it decides the USE dependencies of an atom; \
                 in no EAPI may one stand in a dependency (PMS 8.3)",
        applies: |question, ours, theirs| {
            question["atoms"] == true && without_repositories(ours) == without_repositories(theirs)
        },
    },
];

/// Returns a list of atoms without their repositories.
fn without_repositories(answer: &Value) -> Vec<String> {
    let words = answer["r"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    words
        .map(|word| match word.split_once("::") {
            Some((head, tail)) => format!("{head}{}", tail.find('[').map_or("", |at| &tail[at..])),
            None => word.to_owned(),
        })
        .collect()
}

const BUILD_ID: &str = "Portage reads `=a/b-1-2` as build 2 of a binary package when no EAPI is given; \
                        no EAPI has such atoms (PMS 3.1.2 and 8.3.1)";

/// Returns true if an atom has a build id: its version is followed by a hyphen and a number.
fn has_build_id(atom: &str) -> bool {
    let head = &atom[..atom.find([':', '[']).unwrap_or(atom.len())];
    head.rsplit_once('-').is_some_and(|(rest, build)| {
        let ends_in_version = rest
            .match_indices('-')
            .any(|(at, _)| rest[at + 1..].parse::<Version>().is_ok());
        ends_in_version && build.bytes().all(|byte| byte.is_ascii_digit())
    })
}
