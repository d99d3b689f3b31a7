//! What a reviewer of an ebuild would object to and its package manager would not.

use crate::ir::Ebuild;
use crate::vocabulary::COMPILERS;
use rocpkg_model::{Finding, Findings};
use rocpkg_render::bash::{Seen, Stmt, Word, visit};
use std::collections::BTreeSet;

/// Commands that run the command behind them.
const RUNNERS: &[&str] = &["edo", "edob", "nonfatal"];

/// Faults of single ebuilds: nothing is written with one.
pub(crate) fn faults(e: &Ebuild<'_>, findings: &mut Findings) {
    let span = e.p.node.span;
    for (name, body) in &e.functions {
        links(body, &mut BTreeSet::new(), &mut |place| {
            findings.push(
                Finding::error("E0329", span, format!("{name} of {} links {place} twice", e.p.name))
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
                    Finding::error("E0330", span, format!("{name} of {} runs \"$({compiler})\"", e.p.name))
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
            _ => {}
        }
    }
}
