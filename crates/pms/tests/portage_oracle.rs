//! Compares this crate with Portage: on generated questions, and on the tables of Portage's unit
//! tests.
//!
//! `ROCPKG_PORTAGE_QUESTIONS` sets the number of questions (20,000 if absent), and
//! `ROCPKG_PORTAGE_SEED` the seed that they are generated from.

#[path = "portage/disagreements.rs"]
mod disagreements;
#[path = "portage/questions.rs"]
mod questions;

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, Stdio};

use crate::common::answer;
use disagreements::{DISAGREEMENTS, Disagreement};
use questions::{Random, fit, question};
use rocpkg_pms::{Atom, Candidate, EMPTY_ANY_OF, Item, RequiredUse, UseState, use_reduce};
use serde_json::{Value, json};

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value[key].as_str().unwrap_or_default()
}

fn start(mode: &str) -> Child {
    rocpkg_programs::command("python")
        .args([
            concat!(env!("CARGO_MANIFEST_DIR"), "/tests/portage/oracle.py"),
            mode,
        ])
        .env("PYTHONUTF8", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until the process of Portage ends. Returns the JSON values that it printed, one from each
/// line.
fn finish(mut portage: Child) -> Vec<Value> {
    let lines = BufReader::new(portage.stdout.take().unwrap()).lines();
    let values = lines
        .map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect();
    assert!(portage.wait().unwrap().success());
    values
}

fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| {
        text.parse()
            .unwrap_or_else(|_| panic!("{variable} must be a number, not {text:?}"))
    })
}

/// Returns this crate's answer to the question in `line`, without the key `err`, which Portage's
/// answers don't have.
fn ours(line: &str) -> Value {
    let mut answer: Value = serde_json::from_str(&answer(line)).unwrap();
    answer.as_object_mut().unwrap().remove("err");
    answer
}

/// Returns Portage's answer to the question in each line.
fn ask_portage(lines: &[String]) -> Vec<Value> {
    let mut portage = start("questions");
    let mut pipe = portage.stdin.take().unwrap();
    let input = lines.join("\n") + "\n";
    let writer = std::thread::spawn(move || pipe.write_all(input.as_bytes()));
    let replies = finish(portage);
    writer.join().unwrap().unwrap();
    assert_eq!(replies.len(), lines.len());
    replies
}

#[test]
fn packages_with_flags_fit_as_in_portage() {
    let mut random = Random::new(number("ROCPKG_PORTAGE_SEED", 20_260_101));
    let lines: Vec<String> = (0..5_000).map(|_| fit(&mut random).to_string()).collect();
    let mut fitting = 0;
    for (line, theirs) in lines.iter().zip(ask_portage(&lines)) {
        let row: Value = serde_json::from_str(line).unwrap();
        let atom: Atom = text(&row, "atom").parse().unwrap();
        let package: Candidate = format!(
            "{}:{}::{}",
            text(&row, "cpv"),
            text(&row, "slot"),
            text(&row, "repo")
        )
        .parse()
        .unwrap();
        let (theirs_on, here) = (
            Flags {
                on: names(&row, "on"),
                iuse: names(&row, "iuse"),
            },
            names(&row, "here"),
        );
        let fits =
            atom.matches(&package) && atom.matches_use(&theirs_on, |flag| here.contains(flag));
        assert_eq!(theirs["r"], fits, "{line}: {theirs}");
        fitting += usize::from(fits);
    }
    assert!(fitting > 500, "{fitting} fit");
}

#[test]
fn generated_questions_get_portages_answers() {
    let count = number("ROCPKG_PORTAGE_QUESTIONS", 20_000);
    let mut random = Random::new(number("ROCPKG_PORTAGE_SEED", 20_260_101));
    let lines: Vec<String> = (0..count)
        .map(|_| question(&mut random).to_string())
        .collect();
    let replies = ask_portage(&lines);

    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut accepted: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut wrong = Vec::new();
    for (line, mut theirs) in lines.iter().zip(replies) {
        let question: Value = serde_json::from_str(line).unwrap();
        let said = theirs
            .as_object_mut()
            .unwrap()
            .remove("err")
            .unwrap_or_default();
        theirs.as_object_mut().unwrap().remove("unmet");
        let ours = ours(line);
        let counts = accepted
            .entry(text(&question, "op").to_owned())
            .or_default();
        counts.0 += 1;
        counts.1 += usize::from(theirs["ok"] == true);
        if ours == theirs {
            continue;
        }
        let is = |known: &&Disagreement| {
            known.op == question["op"] && (known.applies)(&question, &ours, &theirs)
        };
        match DISAGREEMENTS.iter().find(is) {
            Some(found) => *known.entry(found.name).or_default() += 1,
            None => wrong.push(format!(
                "{line}\n  ours:   {ours}\n  theirs: {theirs} {said}"
            )),
        }
    }
    for (op, (asked, accepted)) in &accepted {
        // Questions that are all valid or all broken would prove little.
        assert!(
            accepted * 2 > *asked && accepted < asked,
            "{op}: {accepted} of {asked} accepted"
        );
    }
    println!(
        "{count} questions, {} disagreements that nobody stated",
        wrong.len()
    );
    for (op, (asked, accepted)) in &accepted {
        println!("  {op}: {asked} asked, {accepted} of them right input");
    }
    for (name, times) in &known {
        println!("  stated: {name}: {times} times");
    }
    assert!(
        wrong.is_empty(),
        "{} disagreements:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(30)].join("\n")
    );
    for disagreement in DISAGREEMENTS.iter().filter(|_| count >= 200_000) {
        let times = known.get(disagreement.name).copied().unwrap_or_default();
        assert!(
            times > 0,
            "`{}` ({}) did not come up: is it still there?",
            disagreement.name,
            disagreement.reason
        );
    }
}

/// Returns the texts in the list `key` of a JSON object. The set is empty if the object has no such
/// list.
fn names<'a>(value: &'a Value, key: &str) -> BTreeSet<&'a str> {
    value[key]
        .as_array()
        .map(|list| list.iter().filter_map(Value::as_str).collect())
        .unwrap_or_default()
}

/// Returns the reason why a row of Portage's tables does not apply to this crate, or `None` if it
/// applies. `ours` is this crate's answer, which differs from that in the row.
fn beyond(row: &Value, ours: &Value) -> Option<&'static str> {
    if row["wildcard"] == true {
        return Some(
            "wildcards such as `*/*` are Portage's own, for its configuration; PMS has none",
        );
    }
    if row["build_id"] == true {
        return Some("build-ids of binary packages are Portage's own");
    }
    if ["all", "none", "flat", "opconvert", "src_uri"]
        .iter()
        .any(|option| row[option] == true)
        || ["masked", "excluded", "subset"]
            .iter()
            .any(|option| row[option].as_array().is_some_and(|l| !l.is_empty()))
        || (row["iuse"].is_array() && row["op"] == "use_reduce")
    {
        return Some(
            "the options of use_reduce serve Portage's own code; the crate reduces what flags decide",
        );
    }
    let refused = row["r"].is_null() && row["sat"].is_null();
    let old = row["eapi"]
        .as_str()
        .is_some_and(|eapi| eapi.parse::<u8>().is_ok_and(|eapi| eapi < 7));
    if old && ours.to_string().contains(EMPTY_ANY_OF) {
        return Some("before EAPI 7 a `||` that lost all its alternatives holds");
    }
    if old && refused && row["op"] != "use_reduce" {
        return Some("what EAPI 8 and 9 allow may be refused in an older one");
    }
    if row["op"] == "atom"
        && refused
        && row["repo_allowed"] == false
        && text(row, "s").contains("::")
    {
        return Some(
            "the crate reads `::repository`; whether it may stand there is the caller's to say",
        );
    }
    None
}

fn nested(items: &[Item]) -> Value {
    items
        .iter()
        .map(|item| match item {
            Item::Word(word) => Value::from(&**word),
            Item::List(inner) => nested(inner),
        })
        .collect()
}

fn reduce_row(row: &Value) -> Value {
    let on = names(row, "on");
    let reduced = use_reduce(
        text(row, "s"),
        |flag| on.contains(flag),
        row["atoms"] == true,
    );
    reduced.map_or(Value::Null, |items| nested(&items))
}

struct Flags<'a> {
    on: BTreeSet<&'a str>,
    iuse: BTreeSet<&'a str>,
}

impl UseState for Flags<'_> {
    fn has(&self, flag: &str) -> bool {
        self.iuse.contains(flag)
    }

    fn is_on(&self, flag: &str) -> bool {
        self.on.contains(flag)
    }
}

fn match_row(row: &Value) -> Value {
    let Ok(atom) = text(row, "atom").parse::<Atom>() else {
        return Value::Null;
    };
    let mut found = Vec::new();
    for (index, candidate) in row["candidates"].as_array().unwrap().iter().enumerate() {
        let mut package: Candidate = match text(candidate, "text").trim_start_matches('=').parse() {
            Ok(package) => package,
            Err(_) => continue,
        };
        if let Some(slot) = candidate["slot"].as_str() {
            package.slot = Some(slot.parse().unwrap());
        }
        package.repository = candidate["repo"]
            .as_str()
            .map(str::to_owned)
            .or(package.repository);
        let flags = Flags {
            on: names(candidate, "on"),
            iuse: names(candidate, "iuse"),
        };
        let knows_flags = candidate["iuse"].is_array();
        if atom.matches(&package) && (!knows_flags || atom.matches_use(&flags, |_| false)) {
            found.push(index);
        }
    }
    Value::from(found)
}

/// Returns two answers to a row of Portage's tables in the same form: that of this crate, and that
/// in the row.
fn outcomes(row: &Value) -> (Value, Value) {
    match text(row, "op") {
        "atom" => {
            let mut answer = ours(&json!({ "op": "atom", "s": row["s"] }).to_string());
            let ok = answer.as_object_mut().unwrap().remove("ok");
            (
                if ok == Some(Value::from(true)) {
                    answer
                } else {
                    Value::Null
                },
                row["r"].clone(),
            )
        }
        "evaluate" => {
            let atom: Atom = text(row, "s").parse().unwrap();
            let on = names(row, "on");
            (
                Value::from(atom.evaluate(|flag| on.contains(flag)).to_string()),
                row["r"].clone(),
            )
        }
        "vercmp" => {
            let answer = ours(&json!({ "op": "vercmp", "a": row["a"], "b": row["b"] }).to_string());
            (answer["r"].clone(), row["r"].clone())
        }
        "required_use" => {
            let (on, iuse) = (names(row, "on"), names(row, "iuse"));
            let spec = text(row, "s").parse::<RequiredUse>().ok();
            let sat = spec.and_then(|spec| {
                spec.check(|flag| on.contains(flag), |flag| iuse.contains(flag))
                    .ok()
            });
            (sat.map_or(Value::Null, Value::from), row["sat"].clone())
        }
        "use_reduce" => (reduce_row(row), row["r"].clone()),
        "match" => (match_row(row), row["r"].clone()),
        op => panic!("a row of an unknown kind: {op}"),
    }
}

#[test]
fn portages_own_tables_hold() {
    let mut portage = start("tables");
    drop(portage.stdin.take());
    let rows = finish(portage);
    let (end, rows) = rows.split_last().unwrap();
    assert_eq!(
        (&end["op"], &end["failed"]),
        (&"end".into(), &0.into()),
        "Portage fails its own tests: {end}"
    );

    let mut held: BTreeMap<&str, usize> = BTreeMap::new();
    let mut left_out: BTreeMap<&str, usize> = BTreeMap::new();
    let mut wrong = Vec::new();
    for row in rows {
        let (ours, theirs) = outcomes(row);
        if ours == theirs {
            *held.entry(text(row, "op")).or_default() += 1;
        } else if let Some(reason) = beyond(row, &ours) {
            *left_out.entry(reason).or_default() += 1;
        } else {
            wrong.push(format!("{row}\n  ours: {ours}"));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} rows:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    for op in [
        "atom",
        "evaluate",
        "vercmp",
        "required_use",
        "use_reduce",
        "match",
    ] {
        assert!(
            held.get(op).is_some_and(|count| *count >= 16),
            "too few rows of {op}: {held:?}, {left_out:?}"
        );
    }
}
