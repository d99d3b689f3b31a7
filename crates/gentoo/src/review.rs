//! What a reviewer of an ebuild would object to and its package manager would not: faults, and habits worth knowing of.

use crate::ir::Ebuild;
use crate::vocabulary::COMPILERS;
use rocpkg_model::{Finding, Findings, Severity, Span};
use rocpkg_render::bash::{Seen, Stmt, Word, visit};
use rocpkg_resolve::Plan;
use std::collections::BTreeSet;

/// Commands that run the command behind them.
const RUNNERS: &[&str] = &["edo", "edob", "nonfatal"];

/// Faults of single ebuilds: nothing is written with one.
pub(crate) fn faults(plan: &Plan, e: &Ebuild, findings: &mut Findings) {
    let span = span(plan, e);
    for (name, body) in &e.functions {
        links(body, &mut BTreeSet::new(), &mut |place| {
            findings.push(
                Finding::error("E0329", span, format!("{name} of {} links {place} twice", e.name))
                    .label("the second link takes the place of the first")
                    .hint("give each its own name"),
            );
        });
        visit(body, &mut |seen| {
            let Seen::Command(words) = seen else { return };
            let program = words.iter().find(|w| !w.as_literal().is_some_and(|w| RUNNERS.contains(&w)));
            let called = program.and_then(Word::as_command).and_then(|c| c.first()?.as_literal());
            if let Some(compiler) = called.filter(|c| COMPILERS.contains(c)) {
                findings.push(
                    Finding::error("E0330", span, format!("{name} of {} runs \"$({compiler})\"", e.name))
                        .label("a compiler may be several words, such as `ccache g++`")
                        .hint(format!("write ${{split:{compiler}}}")),
                );
            }
        });
    }
}

/// Two links of one place, where nothing decides between them.
fn links(stmts: &[Stmt], made: &mut BTreeSet<String>, twice: &mut dyn FnMut(&str)) {
    for stmt in stmts {
        match stmt {
            Stmt::Command(c) if c.words.first().and_then(Word::as_literal) == Some("dosym") => {
                let place = c.words.last().and_then(Word::as_literal);
                if let Some(place) = place.filter(|p| !made.insert((*p).to_owned())) {
                    twice(place);
                }
            }
            Stmt::If { branches, otherwise } => {
                for body in branches.iter().map(|(_, body)| body).chain([otherwise]) {
                    links(body, &mut made.clone(), twice);
                }
            }
            Stmt::From(_, body) => links(body, made, twice),
            _ => {}
        }
    }
}

/// Habits that stand in ebuilds of the distribution too: one note for each, with the packages.
pub(crate) fn notes(ebuilds: &[Ebuild], findings: &mut Findings) {
    let mut macros: BTreeSet<&str> = BTreeSet::new();
    let (mut scripts, mut edited) = (0_usize, BTreeSet::new());
    for e in ebuilds {
        for (_, body) in &e.functions {
            visit(body, &mut |seen| {
                let Seen::Command(words) = seen else { return };
                let mut literals = words.iter().filter_map(Word::as_literal);
                match literals.next() {
                    Some("append-cflags" | "append-cxxflags") if literals.any(|w| w.starts_with("-D")) => {
                        macros.insert(&e.name);
                    }
                    Some("sed") => {
                        scripts += 1;
                        edited.insert(e.name.as_str());
                    }
                    _ => {}
                }
            });
        }
    }
    let idle = ebuilds.iter().filter(|e| e.inherit.iter().any(|i| i == "docs") && !compiles_docs(e));
    let idle: BTreeSet<&str> = idle.map(|e| e.name.as_str()).collect();
    let list = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
    if !macros.is_empty() {
        let message = format!("macros are given to append-cxxflags or append-cflags in {}", list(macros));
        findings.push(note("N0301", message).hint("append-cppflags is the one for macros"));
    }
    if !idle.is_empty() {
        let message = format!("the flag `doc` changes nothing in {}", list(idle));
        findings.push(note("N0303", message).hint("call docs_compile while building, or drop `ebuild.docs`"));
    }
    if scripts > 0 {
        let message =
            format!("{scripts} calls of sed say nothing when their text is gone, in {}", list(edited));
        findings.push(note("N0302", message).hint("look at each of them when a release is added"));
    }
}

/// Whether the documentation is ever built: no eclass does it by itself.
fn compiles_docs(e: &Ebuild) -> bool {
    let mut found = false;
    for (_, body) in &e.functions {
        visit(body, &mut |seen| {
            let Seen::Command(words) = seen else { return };
            found |= words.first().and_then(Word::as_literal) == Some("docs_compile");
        });
    }
    found
}

fn note(code: &'static str, message: String) -> Finding {
    Finding { severity: Severity::Note, ..Finding::warning(code, None, message) }
}

fn span(plan: &Plan, e: &Ebuild) -> Span {
    plan.get(&e.id).map(|p| p.node.span).unwrap_or_default()
}
