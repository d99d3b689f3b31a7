//! Edits of compiler flags as statements of bash.

use crate::steps::literal;
use crate::vocabulary::Context;
use rocpkg_model::{Finding, Findings, FlagAction, FlagEdit, Span, Text};
use rocpkg_render::bash::{Scope, Stmt, Word};

/// Edits of compiler flags at the head of a function.
pub(crate) fn flag_edit(cx: &Context, edit: &FlagEdit, findings: &mut Findings) -> Vec<Stmt> {
    let mut out = Vec::new();
    if let Some(c) = &edit.comment {
        out.push(Stmt::Comment(c.clone()));
    }
    let variables = edit.on.0.iter().flat_map(|on| match on.value.as_str() {
        "c" => vec!["CFLAGS"],
        "cxx" => vec!["CXXFLAGS"],
        "cpp" => vec!["CPPFLAGS"],
        "ld" => vec!["LDFLAGS"],
        "fortran" => vec!["FFLAGS", "FCFLAGS"],
        "hip" => vec!["HIPFLAGS"],
        "all" => vec!["CFLAGS", "CXXFLAGS"],
        other => {
            findings.push(
                Finding::error("E0420", on.span, format!("unknown flags `{other}`"))
                    .label("expected c, cxx, cpp, ld, fortran, hip or all")
                    .nearest(other, ["c", "cxx", "cpp", "ld", "fortran", "hip", "all"]),
            );
            Vec::new()
        }
    });
    let variables: Vec<&str> = variables.collect();
    for name in variables {
        let assign =
            |append, value| Stmt::Assign { scope: Scope::Plain, name: name.to_owned(), append, value };
        let joined = edit.flags.iter().enumerate().fold(Word::default(), |w, (i, f)| {
            let w = if i > 0 { w.literal(" ") } else { w };
            w.then(cx.word(f, findings))
        });
        match edit.action {
            FlagAction::Append => out.push(assign(true, Word::lit(" ").then(joined))),
            FlagAction::Prepend => out.push(assign(false, joined.literal(" ").variable(name))),
            FlagAction::Set => out.push(assign(false, joined)),
            FlagAction::Filter => out.push(filter(name, &edit.flags, findings)),
            FlagAction::Replace => {
                let with = edit.with.as_ref().map_or_else(String::new, |t| literal(t, "a flag", findings));
                for flag in &edit.flags {
                    let text = literal(flag, "a flag", findings);
                    if is_flag(&text) && is_flag(&with) {
                        out.push(assign(false, Word::var(format!("{name}//{text}/{with}"))));
                    } else {
                        findings.push(no_flag(flag.span));
                    }
                }
            }
            FlagAction::NoLto => {}
        }
    }
    out
}

/// Removes whole flags; `*` stands for the rest of a flag. The loop matters: flags that follow each other share a blank.
fn filter(name: &str, flags: &[Text], findings: &mut Findings) -> Stmt {
    let mut patterns = Vec::new();
    for flag in flags {
        let text = literal(flag, "a flag", findings);
        if !is_flag(&text.replace('*', "")) {
            findings.push(no_flag(flag.span));
        }
        patterns.push(text.replace('.', "\\.").replace('+', "\\+").replace('*', "[^ ]*"));
    }
    let script = format!(":a; s@(^| )({})( |$)@ @; ta", patterns.join("|"));
    let words = [Word::lit("sed"), Word::lit("-E"), Word::lit(script), Word::pattern("<<<"), Word::var(name)];
    // Not every makepkg exports the flags of Fortran.
    let scope = if name.starts_with('F') { Scope::Export } else { Scope::Plain };
    Stmt::Assign { scope, name: name.to_owned(), append: false, value: Word::cmd(words.into()) }
}

fn is_flag(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_=+.,".contains(&b))
}

fn no_flag(span: Span) -> Finding {
    Finding::error("E0421", span, "this can't be a compiler flag here")
        .label("expected letters, digits and `-_=+.,`, and `*` in a filter")
}
