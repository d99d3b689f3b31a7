//! Questions and answers as lines of JSON. This crate and Portage get the same questions.

use std::collections::BTreeSet;

use rocpkg_pms::{
    Atom, Blocker, Candidate, Operator, RequiredUse, Slot, SlotOperator, SyntaxError, Version,
    flatten, use_reduce,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// One question to this crate or to Portage. A list that is left out is empty. Without `iuse`, the
/// package has every flag.
#[derive(Deserialize)]
#[serde(tag = "op", rename_all = "snake_case")]
enum Question {
    Atom {
        s: String,
    },
    RequiredUse {
        s: String,
        #[serde(default)]
        on: Vec<String>,
        iuse: Option<Vec<String>>,
    },
    UseReduce {
        s: String,
        #[serde(default)]
        on: Vec<String>,
        /// Set if leaves must be atoms. Their conditional USE dependencies are then decided, too.
        #[serde(default)]
        atoms: bool,
    },
    Vercmp {
        a: String,
        b: String,
    },
    Match {
        atom: String,
        cpv: String,
    },
}

/// Answers one question. The question and the answer are JSON objects on one line. The answer is
/// `{"ok":true,…}`, or `{"ok":false,"err":"…"}` if the text in the question is not valid. Never
/// fails otherwise.
///
/// The operations are `atom`, `required_use`, `use_reduce`, `vercmp` and `match`.
pub(crate) fn answer(line: &str) -> String {
    let result = match serde_json::from_str::<Question>(line) {
        Ok(question) => reply(question),
        Err(error) => Err(format!("not a question: {error}")),
    };
    result
        .unwrap_or_else(|err| json!({ "ok": false, "err": err }))
        .to_string()
}

/// Answers one question as [`answer`] does. The line may be invalid UTF-8.
pub(crate) fn answer_bytes(line: &[u8]) -> String {
    match std::str::from_utf8(line) {
        Ok(line) => answer(line),
        Err(error) => json!({ "ok": false, "err": format!("not UTF-8: {error}") }).to_string(),
    }
}

fn reply(question: Question) -> Result<Value, String> {
    match question {
        Question::Atom { s } => s
            .parse::<Atom>()
            .map(|atom| describe(&atom))
            .map_err(|e| e.to_string()),
        Question::RequiredUse { s, on, iuse } => {
            let (on, iuse) = (set(on), iuse.map(set));
            let has = |flag: &str| iuse.as_ref().is_none_or(|iuse| iuse.contains(flag));
            let spec: RequiredUse = s.parse().map_err(|error: SyntaxError| error.to_string())?;
            let sat = spec
                .check(|flag| on.contains(flag), has)
                .map_err(|error| error.to_string())?;
            Ok(json!({ "ok": true, "sat": sat }))
        }
        Question::UseReduce { s, on, atoms } => {
            let on = set(on);
            let items = use_reduce(&s, |flag| on.contains(flag), atoms)
                .map_err(|error| error.to_string())?;
            Ok(json!({ "ok": true, "r": flatten(&items) }))
        }
        Question::Vercmp { a, b } => {
            let a: Version = a.parse().map_err(|error| format!("a: {error}"))?;
            let b: Version = b.parse().map_err(|error| format!("b: {error}"))?;
            Ok(json!({ "ok": true, "r": a.cmp(&b) as i8 }))
        }
        Question::Match { atom, cpv } => {
            let atom: Atom = atom.parse().map_err(|error| format!("atom: {error}"))?;
            let package: Candidate = cpv.parse().map_err(|error| format!("cpv: {error}"))?;
            Ok(json!({ "ok": true, "r": atom.matches(&package) }))
        }
    }
}

fn set(names: Vec<String>) -> BTreeSet<String> {
    names.into_iter().collect()
}

fn describe(atom: &Atom) -> Value {
    json!({
        "ok": true,
        "cp": atom.cpn().as_str(),
        "version": atom.version().map(Version::as_str),
        "slot": atom.slot().map(Slot::name),
        "sub_slot": atom.slot().and_then(Slot::sub_slot),
        "slot_op": atom.slot_operator().map(SlotOperator::as_str),
        "use": atom.use_deps().iter().map(ToString::to_string).collect::<Vec<_>>(),
        "operator": atom.operator().map(Operator::name),
        "blocker": atom.blocker().map(Blocker::sign),
        "repo": atom.repository(),
    })
}
