//! The nixpkgs backend: expressions as typed values, made from code or from a plan, which becomes a
//! scope with all of its packages.

mod accept;
mod arguments;
mod beside;
mod builds;
mod check;
mod constraints;
mod expr;
mod expression;
mod flags;
mod gaps;
mod lower;
mod name_checks;
mod names;
mod open;
mod package;
mod parts;
mod passthru;
#[cfg(feature = "checkout")]
mod present;
mod print;
mod programs;
mod quoting;
mod scope;
mod setup_hooks;
mod source;
mod steps;
mod targets;
mod text;
mod value;
mod wrong_names;

pub use accept::{check_style, format};
pub use check::{check, local_files};
pub use expr::{Argument, Binding, BindingKind, Item, NixExpr, Operator, Part, Pattern};
pub use expression::Expression;
pub use gaps::COLUMN;
pub use lower::{Lowered, NixFile, Tables, attribute};
pub use names::feature;
pub use open::Fault;
pub use package::lower;
#[cfg(feature = "checkout")]
pub use present::{formatted, join_scope, reading, sums_from};
pub use rocpkg_render::{Refused, Unprintable};
pub use rocpkg_syntax::{Checked, LocalFile, Surroundings, Unreadable};
pub use scope::{calls, scope};
pub use source::NO_HASH;
pub use text::Verbatim;
pub use value::words;

use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::{Companion, Rendered, TemplateError, Templates, ready};
use rocpkg_resolve::{Gaps, Plan, Planned, Recipes};

/// The code of a name that nothing in the scope has.
const UNKNOWN_NAME: &str = "E0501";

/// Renders all packages and the scope, paths below the folder that nixpkgs calls `rocm-modules`,
/// and says what the expressions pass to upstream's build.
///
/// Whatever is wrong with the model goes to `findings`, and the caller writes nothing while there
/// is an error. With one, be it there before, packages are not laid out.
///
/// # Errors
/// When the template can't be filled in.
pub fn render(
    plan: &Plan,
    templates: &Templates,
    findings: &mut Findings,
) -> Result<(Rendered, Recipes), TemplateError> {
    let mut out = Rendered::default();
    let mut made = Vec::new();
    let (tables, lowered) = lowered(plan, findings);
    let scope = scope(&tables, findings);
    if !plan.unread.is_empty() {
        findings.retain(|f| f.code != UNKNOWN_NAME);
    }
    for (p, lowered, sound) in lowered {
        let mut own = Findings::default();
        gaps::check(
            Gaps {
                plan,
                p,
                out: &mut out.left_out,
                findings: &mut own,
            },
            &lowered,
        );
        for f in &lowered.files {
            let text = laid_out(f, templates)?;
            // What is wrong was told of a package: that its text is no Nix then is no second fault.
            if sound || text.is_ok() {
                own.push_some(put(&mut out, plan, Some(p), f, text));
            }
        }
        findings.append_of(&plan.owner(&p.id), own);
        if let Some(base) = lowered.files.first() {
            out.pin(&p.id, &base.path, lowered.pinned.iter().cloned());
        }
        out.companions
            .extend(lowered.companions.iter().cloned().map(|path| Companion {
                path,
                package: p.id.clone(),
                ..Companion::default()
            }));
        made.push((p.id.as_str(), lowered));
    }
    findings.push_some(put(
        &mut out,
        plan,
        None,
        &scope,
        laid_out(&scope, templates)?,
    ));
    let files = plan.distro.scope.iter().flat_map(|scope| &scope.files);
    let own = files
        .map(|file| file.value.clone())
        .chain(beside::files(plan));
    out.companions.extend(own.map(|path| Companion {
        path,
        ..Companion::default()
    }));
    Ok((
        out,
        builds::recipes(
            plan,
            made.into_iter().map(|(id, lowered)| (id, lowered.builds)),
        ),
    ))
}

/// What the expressions pass to upstream's build, as [`render`] says it, without laying them out.
pub fn recipes(plan: &Plan, findings: &mut Findings) -> Recipes {
    let (_, lowered) = lowered(plan, findings);
    builds::recipes(
        plan,
        lowered
            .into_iter()
            .map(|(p, lowered, _)| (p.id.as_str(), lowered.builds)),
    )
}

/// The expressions of each package, and whether they are sound.
fn lowered<'p>(
    plan: &'p Plan,
    findings: &mut Findings,
) -> (Tables<'p>, Vec<(&'p Planned, Lowered, bool)>) {
    name_checks::vet_externals(plan, findings);
    let tables = Tables::new(plan);
    let mut out = Vec::new();
    for p in &plan.packages {
        let mut own = Findings::default();
        let files = lower(&tables, p, &mut own);
        // A name that nobody knows may be one of what could not be read.
        if !plan.unread.is_empty() {
            own.retain(|f| f.code != UNKNOWN_NAME);
        }
        // Others may be asked for alone, whatever is wrong with one.
        out.push((p, files, !own.has_errors()));
        findings.append_of(&plan.owner(&p.id), own);
    }
    (tables, out)
}

/// The text of a file, or why it can't be read.
fn laid_out(
    file: &NixFile,
    templates: &Templates,
) -> Result<Result<String, String>, TemplateError> {
    let formatted = match accept::format(&file.expr) {
        Ok(text) => text,
        Err(reason) => return Ok(Err(reason)),
    };
    let context = minijinja::context! { expression => ready(formatted.trim_end()) };
    let text = templates.render("nix/file.nix.j2", context)?;
    // A template of the user's may have added something. Without that the text comes from the
    // formatter, and that this leaves its own output alone is for the tests to ask: it takes as
    // long as all else that is done to an expression.
    let checked = if text == formatted {
        accept::parse(&text)
    } else {
        accept::check_style(&text)
    };
    Ok(checked.map(|()| text))
}

/// Puts a file to the others; what is in the way of that is returned.
fn put(
    out: &mut Rendered,
    plan: &Plan,
    of: Option<&Planned>,
    file: &NixFile,
    text: Result<String, String>,
) -> Option<Finding> {
    let id = of.map(|p| p.id.as_str());
    match text {
        Ok(text) => {
            let taken = out.insert(id, &file.path, text).err()?;
            let other = out.owners.get(&file.path).map(String::as_str);
            Some(plan.clash("E0508", id, other, &taken.to_string()))
        }
        Err(reason) => {
            let message = format!("{} can't be rendered", file.path);
            let finding = Finding::error("E0508", Span::default(), message).label(reason);
            Some(Finding {
                span: of.map(Planned::place),
                ..finding
            })
        }
    }
}
