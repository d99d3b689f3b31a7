//! What recipes do when they are read: by the real bash, with recorders in place of every program, by the real Nix, and by a
//! reader of Nix, which sees what is not evaluated too.

use crate::hostile::{CANARY, PROGRAM, SECRET};
use rnix::ast::{Expr, InterpolPart, Str};
use rnix::{SyntaxKind, SyntaxNode};
use rocpkg::model::{Findings, Node, Value, parse};
use rocpkg::solus::{Step, expand, is_macro};
use rocpkg_tests::{NixTree, fixture, system_tool};
use rowan::ast::AstNode;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

/// What was seen of a rendered tree.
#[derive(Debug, Default)]
pub(crate) struct Seen {
    /// What must never happen, in words.
    pub(crate) faults: Vec<String>,
    /// Every string as its reader has it: words of commands, values of variables and fields, strings of Nix.
    pub(crate) strings: Vec<String>,
    /// What Nix's packages hand to their builds, beside their scripts.
    pub(crate) evaluated: Vec<String>,
    /// Those scripts, which bash reads with the other recipes.
    pub(crate) hooks: Vec<String>,
}

/// Runs and reads the files of a rendered tree.
pub(crate) fn run(files: &BTreeMap<String, String>) -> Seen {
    let mut seen = Seen::default();
    let scratch = tempfile::tempdir().expect("a scratch folder");
    // What leads some folders up stays in the scratch folder.
    let here = scratch.path().join("a/b/c/d/e/f");
    for folder in ["image/etc/probe.d", "temporary", "work", "source"] {
        fs::create_dir_all(here.join(folder)).expect("a folder");
    }
    fs::write(here.join("secret"), SECRET).expect("a file");
    let mut recipes = Vec::new();
    let mut put = |text: &str| {
        let at = scratch.path().join(format!("recipe-{}", recipes.len()));
        fs::write(&at, text).expect("a file");
        fs::write(at.with_extension("names"), assigned(text)).expect("a file");
        recipes.push(at);
    };
    for (path, text) in files {
        let name = path.rsplit('/').next().unwrap_or_default();
        let ending = name.rsplit('.').next().unwrap_or_default();
        if matches!(ending, "ebuild" | "eclass" | "PKGBUILD") {
            put(text);
        } else if ending == "nix" {
            for hook in nix(text, &mut seen) {
                put(&hook);
            }
        } else if matches!(name, "package.yml" | "monitoring.yaml") {
            for script in package_yml(text, &mut seen) {
                put(&script);
            }
        } else if name == ".SRCINFO" {
            seen.strings.extend(text.lines().filter_map(|l| l.split_once(" = ")).map(|(_, v)| v.to_owned()));
        } else if ending == "xml" && text.contains(&format!("<{PROGRAM}")) {
            seen.faults.push(format!("{path} holds a tag of a string"));
        }
    }
    evaluate(&scratch.path().join("nix"), files, &mut seen);
    for text in &seen.hooks {
        put(&format!("hook() {{\n{text}\n:\n}}\n"));
    }
    bash(&here, &recipes, &mut seen);
    for entry in walk(scratch.path()) {
        let name = entry.rsplit('/').next().unwrap_or_default();
        if name.starts_with(CANARY) {
            seen.faults.push(format!("{entry} was written"));
        }
    }
    if seen.strings.iter().chain(&seen.evaluated).any(|s| s.contains(SECRET)) {
        seen.faults.push("the secret was read".to_owned());
    }
    seen
}

/// The names that stand where a recipe assigns, one a line. To ask bash for all that it has takes it most of its time.
fn assigned(text: &str) -> String {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let names =
        ["=", "+=", "[", " in "].into_iter().flat_map(|sign| text.match_indices(sign)).map(|(at, _)| {
            let before = &text[..at];
            &before[before.trim_end_matches(word).len()..]
        });
    let names: BTreeSet<&str> = names.filter(|n| n.starts_with(|c| word(c) && !c.is_ascii_digit())).collect();
    names.into_iter().map(|name| format!("{name}\n")).collect()
}

fn bash(here: &Path, recipes: &[std::path::PathBuf], seen: &mut Seen) {
    let record = here.join("record");
    let file = fs::File::create(&record).expect("a file");
    let errors = here.join("errors");
    let output = Command::new(system_tool("bash"))
        .args(["--norc", "--noprofile", "-c", "exec 3>&1 >/dev/null; builtin source \"$0\" \"$@\""])
        .arg(fixture("standins/injection.bash"))
        .args(recipes)
        .env_clear()
        .env("PATH", "/nonexistent")
        .env("LC_ALL", "C.UTF-8")
        .current_dir(here)
        .stdin(Stdio::null())
        .stdout(file)
        .stderr(fs::File::create(&errors).expect("a file"))
        .status();
    output.expect("bash is there");
    let record = String::from_utf8_lossy(&fs::read(&record).expect("what was recorded")).into_owned();
    for one in record.split('\0').filter(|one| !one.is_empty()) {
        let (kind, text) = one.split_at(1);
        if kind == "N" && text.starts_with(PROGRAM) {
            seen.faults.push(format!("{text} was run"));
        }
        if kind == "F" && text.starts_with(PROGRAM) {
            seen.faults.push(format!("the function {text} was declared"));
        }
        seen.strings.push(text.to_owned());
    }
    let errors = String::from_utf8_lossy(&fs::read(&errors).expect("what went wrong")).into_owned();
    for line in errors.lines() {
        let odd =
            ["syntax error", "unexpected", "bad substitution", "not a valid identifier", "unterminated"];
        if odd.iter().any(|o| line.contains(o)) && !line.contains("integer expression") {
            seen.faults.push(format!("bash says: {line}"));
        }
    }
}

/// Has Nix evaluate the packages of a tree.
fn evaluate(folder: &Path, files: &BTreeMap<String, String>, seen: &mut Seen) {
    let of_nix = files.iter().filter_map(|(path, text)| Some((path.strip_prefix("nix/")?, text)));
    for (path, text) in of_nix {
        let path = folder.join(path);
        let beside = path.parent().expect("a file stands in a folder");
        fs::create_dir_all(beside).expect("a folder");
        fs::write(beside.join("secret"), SECRET).expect("a file");
        fs::write(&path, text).expect("a file");
    }
    match NixTree::with_own_externals(folder).strings() {
        Ok((hooks, strings)) => (seen.hooks, seen.evaluated) = (hooks, strings),
        Err(message) => seen.faults.push(format!("Nix says: {message}")),
    }
}

/// Every file below a folder.
fn walk(folder: &Path) -> Vec<String> {
    let mut out = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            out.extend(walk(&path));
        }
        out.push(path.display().to_string());
    }
    out
}

/// Reads a recipe of Solus: its strings, and the steps as ypkg hands them to bash, macros replaced and the environment before each.
fn package_yml(text: &str, seen: &mut Seen) -> Vec<String> {
    let mut findings = Findings::default();
    let root = parse(0, text, &mut findings);
    let Some(root) = root.filter(|_| !findings.has_errors()) else {
        seen.faults.push(format!("a recipe of Solus does not read back:\n{text}"));
        return Vec::new();
    };
    let script = |step: Step| {
        let lines = root.get(step.name()).and_then(Node::text)?.lines();
        Some(lines.map(|line| expand(line, &macro_value).0 + "\n").collect::<String>())
    };
    let environment = script(Step::Environment).unwrap_or_default();
    for (key, value) in root.entries() {
        if key.name.contains(PROGRAM) {
            seen.faults.push(format!("`{}` is a key of a recipe of Solus", key.name));
        }
        if Step::ALL.iter().all(|step| key.name != step.name()) {
            scalars(value, seen);
        }
    }
    let scripts = Step::ALL.into_iter().filter_map(script);
    scripts.map(|script| format!("step() {{\n{environment}\n{script}\n:\n}}\n")).collect()
}

/// What stands for a macro: a program of its name, or a list with what ends a command where nothing quotes it.
fn macro_value(written: &str) -> Option<String> {
    let value = if written.ends_with('%') {
        "gfx900;gfx1010".to_owned()
    } else {
        format!("macro_{}", written.trim_matches('%'))
    };
    is_macro(written).then_some(value)
}

/// Every text of a tree, keys too.
fn scalars(node: &Node, seen: &mut Seen) {
    match &node.value {
        Value::Null => {}
        Value::Scalar { text, .. } => seen.strings.push(text.to_string()),
        Value::Seq(items) => items.iter().for_each(|item| scalars(item, seen)),
        Value::Map(entries) => {
            for (key, value) in entries {
                seen.strings.push(key.name.to_string());
                scalars(value, seen);
            }
        }
    }
}

/// Reads an expression: its strings, and what of it is no string although it should be. Returns the texts of its hooks.
fn nix(text: &str, seen: &mut Seen) -> Vec<String> {
    let parsed = rnix::Root::parse(text);
    if let Some(e) = parsed.errors().first() {
        seen.faults.push(format!("rnix says: {e}"));
    }
    let root = parsed.syntax();
    let code = |k| {
        matches!(
            k,
            SyntaxKind::TOKEN_IDENT
                | SyntaxKind::TOKEN_URI
                | SyntaxKind::TOKEN_PATH_REL
                | SyntaxKind::TOKEN_PATH_ABS
        )
    };
    for token in root.descendants_with_tokens().filter_map(rnix::NodeOrToken::into_token) {
        if code(token.kind()) && token.text().contains(PROGRAM) {
            seen.faults.push(format!("`{}` is a name of an expression", token.text()));
        }
    }
    let mut hooks = Vec::new();
    for node in root.descendants() {
        let Some(string) = Str::cast(node.clone()) else { continue };
        let text = shell_text(&Expr::Str(string));
        if node.text().to_string().starts_with("''") && in_hook(&node) {
            hooks.push(format!("hook() {{\n{text}\n:\n}}\n"));
        } else {
            seen.strings.push(text);
        }
    }
    hooks
}

/// True for a whole text of a hook, which no other text holds.
fn in_hook(node: &SyntaxNode) -> bool {
    let mut above = node.ancestors().skip(1);
    !above.any(|n| {
        n.kind() == SyntaxKind::NODE_STRING || n.kind() == SyntaxKind::NODE_LET_IN && is_bound(&n, node)
    })
}

/// True for what a `let` binds: text of Nix, which is its author's.
fn is_bound(scope: &SyntaxNode, node: &SyntaxNode) -> bool {
    scope.children().any(|c| {
        c.kind() == SyntaxKind::NODE_ATTRPATH_VALUE && c.text_range().contains_range(node.text_range())
    })
}

/// The text of a string: paths of the store for what Nix puts in, and hostile words where it is quoted.
fn shell_text(expr: &Expr) -> String {
    match expr {
        Expr::Str(string) => string
            .normalized_parts()
            .iter()
            .map(|part| match part {
                InterpolPart::Literal(text) => text.clone(),
                InterpolPart::Interpolation(i) => i.expr().map(|e| shell_text(&e)).unwrap_or_default(),
            })
            .collect(),
        Expr::Paren(inner) => inner.expr().map(|e| shell_text(&e)).unwrap_or_default(),
        Expr::Apply(apply) => {
            let text = apply.syntax().text().to_string();
            if text.starts_with("lib.escapeShellArg ") {
                return format!("'an own {PROGRAM} value; {PROGRAM}'\\''; {PROGRAM}'");
            }
            if text.starts_with("lib.optionalString ") {
                return apply.argument().map(|a| shell_text(&a)).unwrap_or_default();
            }
            "/store/path".to_owned()
        }
        // Text of the model's own: what it holds is not known here.
        Expr::Ident(name) if name.to_string().starts_with("words") => format!("; {PROGRAM} '"),
        _ => "/store/path".to_owned(),
    }
}
