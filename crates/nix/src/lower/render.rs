//! Renders the files of a plan: the packages and the scope.

use crate::lower::package::lower;
use crate::lower::scope::scope;
use crate::lower::{
    Lowered, NixFile, Tables, beside, builds, capabilities, name_checks, scope_files,
};
use crate::value::accept;
use rocpkg_model::{Finding, Findings, Span};
use rocpkg_render::{Companion, Rendered, TemplateError, Templates, ready};
use rocpkg_resolve::{Plan, Planned, Recipes, UnsupportedFacts};

/// The code of the finding about a name that is defined neither in the scope nor in nixpkgs.
const UNKNOWN_NAME: &str = "E0501";

/// Renders all packages and the scope. Returns the files, and the GPU targets that the expressions
/// pass to upstream's build. Paths are relative to the scope's folder, `rocm-modules` in nixpkgs.
///
/// Faults of the model are added to `findings`. The caller writes nothing while `findings` contains
/// an error.
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
        capabilities::check(
            UnsupportedFacts {
                plan,
                p,
                out: &mut out.left_out,
                findings: &mut own,
            },
            &lowered,
        );
        for f in &lowered.files {
            let text = laid_out(f, templates)?;
            // If a fault of the package is reported already, unreadable text is no second fault.
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
    let known = made
        .iter()
        .filter_map(|(id, own)| Some((plan.get(id)?, own)));
    let known = scope_files::scope_files(plan, &scope, known);
    let files = plan.distro.scope.iter().flat_map(|scope| &scope.files);
    let own = files
        .map(|file| file.value.clone())
        .chain(beside::files(plan));
    out.companions.extend(own.map(|path| {
        Companion {
            needed_by: known
                .iter()
                .filter(|file| file.path == path)
                .flat_map(|file| file.users.clone())
                .collect(),
            path,
            ..Companion::default()
        }
    }));
    Ok((
        out,
        builds::recipes(
            plan,
            made.into_iter().map(|(id, lowered)| (id, lowered.builds)),
        ),
    ))
}

/// Returns the files that the scope reads, with the packages that need them.
pub(crate) fn files_of_scope(plan: &Plan) -> Vec<rocpkg_shell::ScopeFile> {
    let mut findings = Findings::default();
    let (tables, lowered) = lowered(plan, &mut findings);
    let scope = scope(&tables, &mut findings);
    let all = lowered.iter().map(|(p, lowered, _)| (*p, lowered));
    scope_files::scope_files(plan, &scope, all)
}

/// Returns the names that the expressions may use, and for each package of the plan its
/// expressions, with true if they have no errors.
pub(crate) fn lowered<'p>(
    plan: &'p Plan,
    findings: &mut Findings,
) -> (Tables<'p>, Vec<(&'p Planned, Lowered, bool)>) {
    name_checks::vet_externals(plan, findings);
    let tables = Tables::new(plan);
    let mut out = Vec::new();
    for p in &plan.packages {
        let mut own = Findings::default();
        let files = lower(&tables, p, &mut own);
        // An unknown name may be defined in a file that could not be read.
        if !plan.unread.is_empty() {
            own.retain(|f| f.code != UNKNOWN_NAME);
        }
        // A package may be wanted alone, so an error in another one does not stop it.
        out.push((p, files, !own.has_errors()));
        findings.append_of(&plan.owner(&p.id), own);
    }
    (tables, out)
}

/// Returns the text of a file: the formatted expression, put into the template. The inner `Result`
/// contains the reason if this text is not valid Nix or is not formatted. The outer error is a
/// template that can't be filled in.
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
    // A template of the user may have added text. Otherwise the text is the formatter's own output.
    // That the formatter leaves its output unchanged is tested elsewhere, because that test takes
    // as long as everything else that is done for an expression.
    let checked = if text == formatted {
        accept::parse(&text)
    } else {
        accept::check_style(&text)
    };
    Ok(checked.map(|()| text))
}

/// Adds the file `file` with the text `text` to the rendered files. `of` is its package, or `None`
/// for the scope. Returns a finding if the file can't be added: `text` is an error, or its path is
/// taken.
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
