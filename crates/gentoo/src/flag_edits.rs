//! Edits of compiler flags by flag-o-matic.eclass.

use crate::steps::InPhase;
use rocpkg_model::{Finding, FlagAction, FlagEdit};
use rocpkg_render::bash::{Scope, Stmt, Word, run};
use rocpkg_shell::{Dialect, Place};

/// The calls that one edit takes.
pub(crate) fn by_eclass(d: &mut InPhase<'_, '_>, edit: &FlagEdit) -> Vec<Stmt> {
    let named = functions(d, edit);
    if named.len() < edit.on.0.len() {
        return Vec::new(); // what is unknown was said
    }
    // The functions that filter and replace do so in all variables.
    let narrow = !named.iter().any(|(on, _)| *on == "all");
    if narrow && matches!(edit.action, FlagAction::Filter | FlagAction::Replace) {
        return assigned(d, edit);
    }
    let words: Vec<Word> = edit.flags.iter().map(|f| d.word(f, Place::One)).collect();
    match edit.action {
        FlagAction::NoLto => vec![run("filter-lto", Vec::new())],
        FlagAction::Filter => vec![run("filter-flags", words)],
        FlagAction::Replace => {
            let with = edit.with.as_ref().map(|t| d.word(t, Place::One)).unwrap_or_default();
            words.into_iter().map(|w| run("replace-flags", vec![w, with.clone()])).collect()
        }
        FlagAction::Append => named.into_iter().map(|(_, function)| run(function, words.clone())).collect(),
    }
}

/// The same by assignments, for the commands of the phase to see.
fn assigned(d: &mut InPhase<'_, '_>, edit: &FlagEdit) -> Vec<Stmt> {
    let export = |stmt| match stmt {
        Stmt::Assign { name, append, value, .. } => {
            Stmt::Assign { scope: Scope::Export, name, append, value }
        }
        other => other,
    };
    rocpkg_shell::by_assignment(d, edit).into_iter().map(export).collect()
}

/// The flags that an edit names, and the functions that append to them.
fn functions<'e>(d: &mut InPhase<'_, '_>, edit: &'e FlagEdit) -> Vec<(&'e str, &'static str)> {
    let mut out = Vec::new();
    for on in &edit.on.0 {
        match append(&on.value) {
            Some(function) => out.push((on.value.as_str(), function)),
            // What is no kind of flags at all, the plan tells.
            None if on.value != "hip" => {}
            None => d.context.findings.push(
                Finding::error("E0226", on.span, "flag-o-matic.eclass has no function for flags of HIP")
                    .label("expected `environment`, or flags of C++"),
            ),
        }
    }
    out
}

/// The function of flag-o-matic.eclass that appends to some flags.
fn append(on: &str) -> Option<&'static str> {
    Some(match on {
        "all" => "append-flags",
        "c" => "append-cflags",
        "cxx" => "append-cxxflags",
        "cpp" => "append-cppflags",
        "ld" => "append-ldflags",
        "fortran" => "append-fflags",
        _ => return None,
    })
}
