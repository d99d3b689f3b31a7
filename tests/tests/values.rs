//! Every string survives rendering. The test puts strings full of special characters at the places
//! where the records' descriptions allow a text, also for keys that the model does not use. Each
//! string is refused there, or real bash and real Nix read it as it was written, and run no part of
//! it.

use proptest::prelude::{Strategy, any, prop_oneof};
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use rocpkg::internal::model::{
    Book, Definition, FileKind, Files, Finding, Findings, Node, Severity, Shape, Span, Text, Value,
    parse,
};
use rocpkg::solus::{Step, expand, is_macro};
use rocpkg::{Options, Stack};
use rocpkg_tests::{NixTree, fixture, is_whole, left_out, texts, write_file};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Stdio;

/// The number of strings, and the number of strings that CI tries.
const STRINGS: (usize, usize) = (10_000, 2_500);

/// The name of a program that no recipe calls, unless a string became code.
const PROGRAM: &str = "PWNED";

/// The end of a place's name if the place is a key.
const KEY: &str = " as a key";

/// The pieces of which strings are made, besides any single character.
#[rustfmt::skip]
const PIECES: [&str; 51] = [
    "$$(PWNED)", "`PWNED`", "\"; PWNED; \"", "'; PWNED; '", "\nPWNED\n", ")\nPWNED\nA=(", "| PWNED", "&& PWNED", "; PWNED",
    "# ", " #PWNED", "\\", "\\\n", "\"", "'", "''", "'''", "''$$", "''\\${PWNED}", "$${PWNED}", "''$${builtins.PWNED}", "$$", "$",
    "$'PWNED'", "~", "=", " A=B PWNED ", "\t", "\n", " ", "  ", "%s%n", "%PWNED%", "-n", "é", "\nEOF\n", "fi; PWNED; if",
    "}; PWNED; {", "}\nPWNED() {", ")", "(", "!", "&", "|", "/", ",", ":", ".", "+", "</flag><PWNED/>", "{{ PWNED }}",
];

/// A place where a text is or could be: a range of bytes in a file.
#[derive(Clone)]
struct Place {
    path: String,
    from: usize,
    to: usize,
    /// The record and the key: `Step.run`.
    name: String,
    /// The text that is written before the string, and the text behind it.
    around: (String, String),
}

/// A string that is put at a place.
#[derive(Clone)]
struct Edit {
    place: Place,
    number: usize,
    text: String,
}

/// Collects the places of a file.
struct Walk<'a> {
    path: &'a str,
    text: &'a str,
    book: &'a Book,
    out: &'a mut Vec<Place>,
}

impl Walk<'_> {
    fn add(&mut self, span: Span, name: String, before: String, behind: &str) {
        let (from, to) = (span.start as usize, span.end as usize);
        self.out.push(Place {
            path: self.path.to_owned(),
            from,
            to,
            name,
            around: (before, behind.to_owned()),
        });
    }

    fn walk(&mut self, shape: &Shape, node: &Node, name: &str) {
        match (shape, &node.value) {
            // A text of several lines has an indicator (`|` or `>`), so it is skipped. Code is
            // skipped, too.
            (Shape::Text(what), Value::Scalar { .. }) if !is_code(what, name) => {
                let block = self.text[node.span.start as usize..].starts_with(['|', '>']);
                if !block {
                    self.add(node.span, name.to_owned(), String::new(), "");
                }
            }
            (Shape::List(inner) | Shape::OneOrMany(inner), Value::Seq(items)) => {
                for item in items {
                    self.walk(inner, item, name);
                }
            }
            (Shape::OneOrMany(inner) | Shape::Filled(inner), _) => self.walk(inner, node, name),
            (Shape::Mapping(inner), Value::Map(entries)) => {
                for (key, value) in entries {
                    self.add(key.span, format!("{name}{KEY}"), String::new(), "");
                    self.walk(inner, value, name);
                }
            }
            (Shape::Named(record), _) => {
                if let Some(definition) = self.book.get(record) {
                    self.named(definition, node, name);
                }
            }
            _ => {}
        }
    }

    fn named(&mut self, definition: &Definition, node: &Node, name: &str) {
        let entries = node.entries();
        let known = entries
            .iter()
            .all(|(key, _)| definition.fields.iter().any(|f| f.key == key.name.as_str()));
        if entries.is_empty() || !known {
            let plain = |form: &&Shape| match &node.value {
                Value::Scalar { .. } => matches!(form, Shape::Text(_)),
                Value::Seq(_) => matches!(form, Shape::List(_) | Shape::OneOrMany(_)),
                _ => matches!(form, Shape::Mapping(_)),
            };
            let form = definition.forms.iter().find(plain);
            return form
                .into_iter()
                .for_each(|form| self.walk(form, node, name));
        }
        for field in &definition.fields {
            let name = format!("{}.{}", definition.name, field.key);
            if let Some(value) = node.get(field.key) {
                self.walk(&field.shape, value, &name);
                continue;
            }
            let (Some((before, behind)), false) =
                (holder(&field.shape, &name), definition.name == "Step")
            else {
                continue;
            };
            // The new key is written before the first key of the record, in the same style: flow or
            // block.
            let at = entries[0].0.span.start as usize;
            let flow = node.span.start as usize != at;
            let line = self.text[..at].rfind('\n').map_or(0, |end| end + 1);
            let next = if flow {
                ", ".to_owned()
            } else {
                format!("\n{}", " ".repeat(at - line))
            };
            let span = Span {
                end: entries[0].0.span.start,
                ..entries[0].0.span
            };
            self.add(
                span,
                name,
                format!("{}: {before}", field.key),
                &format!("{behind}{next}"),
            );
        }
    }
}

/// Returns true for a text that is code. The author of the code is responsible for its contents.
fn is_code(what: &str, name: &str) -> bool {
    what.contains("Nix") || ["Step.raw", "Source.post-fetch", "Sed.scripts"].contains(&name)
}

/// Returns the text before and the text behind a string that make it a value of this shape.
fn holder(shape: &Shape, name: &str) -> Option<(String, String)> {
    let (open, inner, close) = match shape {
        Shape::Text(what) => return (!is_code(what, name)).then(Default::default),
        Shape::OneOrMany(inner) | Shape::Filled(inner) => ("", inner, ""),
        Shape::List(inner) => ("[", inner, "]"),
        Shape::Mapping(inner) => ("{main: ", inner, "}"),
        _ => return None,
    };
    let (before, behind) = holder(inner, name)?;
    Some((format!("{open}{before}"), format!("{behind}{close}")))
}

/// Returns the files with these edits, and the range of each edit in its file.
fn written(files: &Files, edits: &[Edit]) -> (Files, Vec<(usize, usize)>) {
    let mut ranges = vec![(0, 0); edits.len()];
    let mut out = Files::new();
    for (path, text) in files {
        let mut here: Vec<usize> = (0..edits.len())
            .filter(|i| edits[*i].place.path == *path)
            .collect();
        here.sort_by_key(|i| edits[*i].place.from);
        let (mut made, mut at) = (String::new(), 0);
        for i in here {
            let Place {
                from,
                to,
                around: (before, behind),
                ..
            } = &edits[i].place;
            made.push_str(&text[at..*from]);
            let start = made.len();
            // A JSON string is a YAML string, too.
            made.extend([
                before.as_str(),
                &serde_json::to_string(&edits[i].text).unwrap(),
                behind,
            ]);
            ranges[i] = (start, made.len());
            at = *to;
        }
        made.push_str(&text[at..]);
        out.insert(path.clone(), made);
    }
    (out, ranges)
}

/// Renders a model. Returns the rendered files, and the errors, each with the path of its file.
fn render(files: Files) -> (BTreeMap<String, String>, Vec<(Finding, String)>) {
    let stack = Stack::empty().unwrap().texts("", files);
    let (tree, findings) = stack.attempt(&Options::everything()).unwrap();
    let errors = findings
        .sorted()
        .into_iter()
        .filter(|f| f.severity == Severity::Error)
        .map(|f| {
            let file = f.span.and_then(|span| stack.sources().get(span.file));
            (
                f.clone(),
                file.map(|source| source.path.clone()).unwrap_or_default(),
            )
        });
    let errors = errors.collect();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    (
        tree.files
            .iter()
            .map(|(p, b)| (p.as_str().to_owned(), text(b)))
            .collect(),
        errors,
    )
}

/// Returns the numbers of the strings that a text contains. `Q12q` begins string 12.
fn numbers(text: &str) -> BTreeSet<usize> {
    let parts = text.split('Q').skip(1);
    parts
        .filter_map(|part| {
            part.split_once('q')
                .and_then(|(number, _)| number.parse().ok())
        })
        .collect()
}

/// Returns the edits that a finding is about: those that it names, else those that its place
/// covers, else any.
fn blamed(
    finding: &Finding,
    path: &str,
    edits: &[Edit],
    ranges: &[(usize, usize)],
) -> BTreeSet<usize> {
    let named = numbers(&format!("{} {}", finding.message, finding.label));
    let (from, to) = finding
        .span
        .map_or((0, 0), |s| (s.start as usize, s.end as usize));
    let all = || 0..edits.len();
    let by_name: BTreeSet<usize> = all()
        .filter(|i| named.contains(&edits[*i].number))
        .collect();
    let here = |i: &usize| edits[*i].place.path == path;
    let at = |i: &usize| here(i) && ranges[*i].0 <= from && from < ranges[*i].1;
    let within = |i: &usize| here(i) && from <= ranges[*i].0 && ranges[*i].1 <= to;
    let pointed: BTreeSet<usize> = if all().any(|i| at(&i)) {
        all().filter(at).collect()
    } else {
        all().filter(within).collect()
    };
    match (by_name.is_empty(), pointed.is_empty() || pointed.len() > 8) {
        (false, _) => by_name,
        (true, false) => pointed,
        // The finding is about another place or about the whole model. A part of all edits is taken
        // back, another part each time.
        (true, true) => all()
            .filter(|i| (i + edits.len()).is_multiple_of(3))
            .collect(),
    }
}

/// Reads rendered files as bash, Nix and ypkg do. Returns each string that they read, and the
/// faults.
fn read_back(files: &BTreeMap<String, String>) -> (Vec<String>, Vec<String>) {
    let scratch = tempfile::tempdir().unwrap();
    let (mut strings, mut faults, mut recipes) = (Vec::new(), Vec::new(), Vec::new());
    for (path, text) in files {
        let name = path.rsplit('/').next().unwrap();
        match name.rsplit('.').next().unwrap() {
            "ebuild" | "eclass" | "PKGBUILD" => recipes.push(text.clone()),
            "SRCINFO" => {
                strings.extend(
                    text.lines()
                        .filter_map(|l| l.split_once(" = "))
                        .map(|(_, v)| v.to_owned()),
                );
            }
            "yml" | "yaml" => recipes.extend(package_yml(text, &mut strings)),
            "nix" => {
                let at = scratch.path().join(path);
                fs::create_dir_all(at.parent().unwrap()).unwrap();
                write_file(at, text);
            }
            _ => {}
        }
    }
    match NixTree::with_own_externals(&scratch.path().join("nix")).strings() {
        Ok((hooks, all)) => {
            recipes.extend(
                hooks
                    .iter()
                    .map(|text| format!("hook() {{\n{text}\n:\n}}\n")),
            );
            strings.extend(all);
        }
        Err(message) => faults.push(format!("Nix says: {message}")),
    }
    bash(scratch.path(), &recipes, &mut strings, &mut faults);
    (strings, faults)
}

/// Runs recipes in bash, with recorders in place of all programs. Adds to the strings and to the
/// faults.
fn bash(scratch: &Path, recipes: &[String], strings: &mut Vec<String>, faults: &mut Vec<String>) {
    for folder in ["image", "temporary", "work", "source"] {
        fs::create_dir_all(scratch.join("here").join(folder)).unwrap();
    }
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut at = Vec::new();
    for (i, text) in recipes.iter().enumerate() {
        at.push(scratch.join(format!("recipe-{i}")));
        write_file(&at[i], text);
        // The variables that the recipe may assign. If bash listed all of its variables, that would
        // take most of the time.
        let signs = ["=", "+=", "[", " in "]
            .into_iter()
            .flat_map(|sign| text.match_indices(sign));
        let names = signs.map(|(at, _)| &text[text[..at].trim_end_matches(word).len()..at]);
        let names: BTreeSet<&str> = names
            .filter(|n| n.starts_with(|c| word(c) && !c.is_ascii_digit()))
            .collect();
        write_file(
            at[i].with_extension("names"),
            names
                .into_iter()
                .map(|n| format!("{n}\n"))
                .collect::<String>(),
        );
    }
    let output = rocpkg_programs::command("bash")
        .args([
            "--norc",
            "--noprofile",
            "-c",
            "exec 3>&1 >/dev/null; builtin source \"$0\" \"$@\"",
        ])
        .arg(fixture("standins/values.bash"))
        .args(at)
        .env_clear()
        .envs([("PATH", "/nonexistent"), ("LC_ALL", "C.UTF-8")])
        .current_dir(scratch.join("here"))
        .stdin(Stdio::null())
        .output()
        .unwrap();
    for one in String::from_utf8_lossy(&output.stdout)
        .split('\0')
        .filter(|one| !one.is_empty())
    {
        // In CI, an item once came without its letter. Such an item is read like any other.
        let (kind, text) = one.split_at_checked(1).unwrap_or(("", one));
        if matches!(kind, "N" | "F") && text.starts_with(PROGRAM) {
            faults.push(format!("{text} was run or declared"));
        }
        strings.push(text.to_owned());
    }
    let odd = [
        "syntax error",
        "unexpected",
        "bad substitution",
        "not a valid identifier",
        "unterminated",
    ];
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    let errors = errors.lines().filter(|line| {
        odd.iter().any(|o| line.contains(o)) && !line.contains("integer expression")
    });
    faults.extend(errors.map(|line| format!("bash says: {line}")));
}

/// Returns the scripts of a recipe of Solus as ypkg passes them to bash, with macros replaced. Adds
/// the recipe's other texts to `strings`.
fn package_yml(text: &str, strings: &mut Vec<String>) -> Vec<String> {
    fn scalars(node: &Node, strings: &mut Vec<String>) {
        strings.extend(node.text().map(str::to_owned));
        if let Value::Seq(items) = &node.value {
            for item in items {
                scalars(item, strings);
            }
        }
        for (key, value) in node.entries() {
            strings.push(key.name.to_string());
            scalars(value, strings);
        }
    }
    let root = parse(0, text, &mut Findings::default()).unwrap();
    let value =
        |written: &str| is_macro(written).then(|| format!("macro_{}", written.trim_matches('%')));
    let script = |step: Step| {
        let lines = root.get(step.name())?.text()?.lines();
        Some(
            lines
                .map(|line| expand(line, &value).0 + "\n")
                .collect::<String>(),
        )
    };
    root.entries()
        .iter()
        .filter(|(key, _)| Step::ALL.iter().all(|s| key.name != s.name()))
        .for_each(|(_, v)| scalars(v, strings));
    let environment = script(Step::Environment).unwrap_or_default();
    let scripts = Step::ALL.into_iter().filter_map(script);
    scripts
        .map(|script| format!("step() {{\n{environment}\n{script}\n:\n}}\n"))
        .collect()
}

/// Returns true if a text changes by design: escapes of sed, patterns in names of files, words of a
/// command that is one text, parts of a path, and licences, of which one may be two.
fn may_differ(name: &str, meant: &str) -> bool {
    let white = meant.contains(char::is_whitespace);
    name.starts_with("Replace.")
        || name == "Step.run" && white
        || name.starts_with("Distro.licences") && white
        || [
            "FromTo.to",
            "ConfigFile.path",
            "Step.remove",
            "Project.source",
            "Project.build",
        ]
        .contains(&name)
            && meant.contains('/')
        || meant.contains(['*', '?', '[', ']', '{', '}'])
}

/// Returns the number of strings that this run tries.
fn strings() -> usize {
    let (whole, few) = STRINGS;
    if is_whole() {
        return whole;
    }
    left_out(&format!("{} of {whole} strings full of signs", whole - few));
    few
}

#[test]
fn every_text_is_refused_or_comes_back() {
    let files = texts(&fixture("values"), &["yaml"]);
    assert!(
        render(files.clone()).1.is_empty(),
        "the model is sound as it is"
    );
    let mut places = Vec::new();
    for (path, text) in &files {
        let node = parse(0, text, &mut Findings::default()).unwrap();
        let (shape, book) = FileKind::of(&format!("x/{path}")).unwrap().describe();
        Walk {
            path,
            text,
            book: &book,
            out: &mut places,
        }
        .walk(&shape, &node, path);
    }
    let piece = prop_oneof![20 => select(&PIECES[..]).prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    let string = proptest::collection::vec(piece, 1..4).prop_map(|pieces| pieces.concat());
    let mut runner = TestRunner::deterministic();
    let strings = strings();
    let (mut next, mut accepted, mut found, mut lost) = (0, 0, 0, 0);
    let mut tried: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    while next < strings {
        let mut edits: Vec<Edit> = Vec::new();
        for (i, place) in places.iter().enumerate() {
            // A place that took none of its first strings is not tried again. Keys are tried less
            // often, since they seldom fit each other.
            let (times, taken) = tried.get(&place.name).copied().unwrap_or_default();
            let rare = if place.from == place.to || place.name.ends_with(KEY) {
                12
            } else {
                1
            };
            if taken == 0 && times > 5 || (i + next) % rare != 0 {
                continue;
            }
            next += 1;
            let text = format!(
                "Q{next}q{}",
                string.new_tree(&mut runner).unwrap().current()
            );
            tried.entry(place.name.clone()).or_default().0 += 1;
            edits.push(Edit {
                place: place.clone(),
                number: next,
                text,
            });
        }
        let rendered = loop {
            let (files, ranges) = written(&files, &edits);
            let (rendered, errors) = render(files);
            if errors.is_empty() {
                break rendered;
            }
            let gone: BTreeSet<usize> = errors
                .iter()
                .flat_map(|(f, path)| blamed(f, path, &edits, &ranges))
                .collect();
            let left = edits
                .iter()
                .enumerate()
                .filter(|(i, _)| !gone.contains(i))
                .map(|(_, e)| e.clone());
            edits = left.collect();
        };
        lost += usize::from(edits.is_empty());
        let (strings, mut faults) = read_back(&rendered);
        let mut seen: BTreeMap<usize, Vec<&String>> = BTreeMap::new();
        for string in &strings {
            for number in numbers(string) {
                seen.entry(number).or_default().push(string);
            }
        }
        for Edit {
            place,
            number,
            text,
        } in &edits
        {
            tried.entry(place.name.clone()).or_default().1 += 1;
            accepted += 1;
            let Some(meant) = Text::parse(text, Span::default())
                .ok()
                .and_then(|t| t.as_literal())
            else {
                continue;
            };
            let Some(here) = seen.get(number) else {
                continue;
            };
            // `$$` is a dollar only in a text that can contain references. Blanks around a text may
            // be dropped.
            let whole = |s: &&&String| {
                [meant.trim(), text.trim()]
                    .iter()
                    .any(|text| s.contains(text))
            };
            if here.iter().any(|s| whole(&s)) {
                found += 1;
            } else if !may_differ(&place.name, &meant) {
                faults.push(format!(
                    "{}: {meant:?} came back as {:?}",
                    place.name, here[0]
                ));
            }
        }
        let told: Vec<String> = edits
            .iter()
            .map(|e| format!("{}: {:?}", e.place.name, e.text))
            .collect();
        assert!(faults.is_empty(), "{faults:#?}\nof {told:#?}");
    }
    let taken = tried.values().filter(|(_, taken)| *taken > 0).count();
    let told = format!(
        "{accepted} of {next} taken at {taken} of {} places, {found} seen again",
        tried.len()
    );
    assert!(
        accepted * 10 > next && found * 20 > next && lost * 20 < next,
        "too little is seen: {told}, {lost} lost"
    );
}
