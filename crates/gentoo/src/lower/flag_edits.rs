//! Edits of compiler flags by flag-o-matic.eclass.

use crate::lower::steps::InPhase;
use rocpkg_model::{Finding, FlagAction, FlagEdit};
use rocpkg_render::bash::{Scope, Stmt, Word, run};
use rocpkg_shell::{Dialect, Place};

/// Returns the calls of flag-o-matic.eclass for an edit of compiler flags in a profile: appending
/// `-O3` to the flags `cxx` → `append-cxxflags -O3`.
pub(crate) fn by_eclass(d: &mut InPhase<'_, '_>, edit: &FlagEdit) -> Vec<Stmt> {
    for on in edit.on.0.iter().filter(|on| on.value == "hip") {
        d.report(
            Finding::error(
                "E0226",
                on.span,
                "flag-o-matic.eclass has no function for flags of HIP",
            )
            .label("expected `environment`, or flags of C++"),
        );
    }
    // The plan reports a word that names no kind of flags.
    let Some(functions) = edit
        .on
        .0
        .iter()
        .map(|on| append(&on.value))
        .collect::<Option<Vec<_>>>()
    else {
        return Vec::new();
    };
    // The eclass's functions that filter and replace change all variables. For a single variable,
    // an assignment is exported to the commands of the phase instead.
    let narrow = edit.on.0.iter().all(|on| on.value != "all");
    if narrow && matches!(edit.action, FlagAction::Filter | FlagAction::Replace) {
        return rocpkg_shell::by_assignment(d, edit, Scope::Export);
    }
    let words: Vec<Word> = edit.flags.iter().map(|f| d.word(f, Place::One)).collect();
    match edit.action {
        FlagAction::NoLto => vec![run("filter-lto", Vec::new())],
        FlagAction::Filter => vec![run("filter-flags", words)],
        FlagAction::Replace => {
            let with = edit
                .with
                .as_ref()
                .map(|t| d.word(t, Place::One))
                .unwrap_or_default();
            words
                .into_iter()
                .map(|w| run("replace-flags", vec![w, with.clone()]))
                .collect()
        }
        FlagAction::Append => functions
            .into_iter()
            .map(|function| run(function, words.clone()))
            .collect(),
    }
}

/// Returns the function of flag-o-matic.eclass that appends to a kind of flags: `cxx` →
/// `append-cxxflags`. Returns `None` for an unknown kind.
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
