//! What `rocpkg render` makes of its inputs, whatever lies in the output: the same of the same, always.

use crate::args::RenderArgs;
use crate::outcome::{NEXT_LINE, shown};
use crate::profiles::{self, Texts};
use rocpkg::model::{Files, Finding, Findings, Severity, nearest};
use rocpkg::resolve::{Choice, Held, Model};
use rocpkg::targets::TargetSet;
use rocpkg::{Backend, Stack, StackOptions, StackTree};
use serde::{Deserialize, Serialize};
use std::mem::ManuallyDrop;
use std::path::Path;

/// What a tree is made of.
#[derive(Debug)]
pub(super) struct Inputs<'a> {
    args: &'a RenderArgs,
    choice: Choice,
    /// The model's texts.
    pub(super) texts: Texts,
    /// Templates of the user's.
    pub(super) templates: Files,
}

/// What is made of them.
#[derive(Debug, Serialize, Deserialize)]
pub(super) struct Made {
    /// For standard error.
    pub(super) told: String,
    /// The tables of `--stats`.
    pub(super) stats: String,
    /// What is to be written; none where the input is wrong.
    pub(super) tree: Option<StackTree>,
}

/// What is at hand only in the run that made something.
pub(super) struct Fresh {
    // The system takes back all of a process that ends, faster than the model could be given back value by value.
    stack: ManuallyDrop<Stack>,
    findings: Findings,
}

impl<'a> Inputs<'a> {
    /// Reads all that is named by the arguments.
    ///
    /// # Errors
    /// What is wrong with an argument, or what the system says of a folder.
    pub(super) fn read(args: &'a RenderArgs, choice: Choice) -> Result<Self, String> {
        let texts = Texts::read(&args.plan.model)?;
        let templates = match &args.templates {
            Some(folder) => {
                let own = profiles::read_folder(folder, &["j2"])?;
                if let Some(unread) = own.unread.first() {
                    return Err(format!("{}/{unread}", folder.display()));
                }
                own.files
            }
            None => Files::new(),
        };
        Ok(Self { args, choice, texts, templates })
    }

    /// Renders.
    ///
    /// # Errors
    /// What is wrong with an argument or a template.
    pub(super) fn make(self) -> Result<(Made, Fresh), String> {
        let Self { args, choice, texts, templates: own } = self;
        let (mut model, mut findings) = texts.model();
        if args.bare {
            model.strip_overlays();
        }
        match (&args.targets, &model.registry) {
            (Some(text), Some(registry)) => {
                let set = crate::targets::find(registry, text)?;
                model.narrowed = set.iter().map(|t| registry.name(t).to_owned()).collect();
            }
            (Some(_), None) if !findings.has_errors() => return Err(crate::targets::NO_REGISTRY.to_owned()),
            _ => {}
        }
        if let (Some(mode), Some(gentoo)) =
            (args.propagation, model.distros.get_mut(Backend::Gentoo.distro()))
        {
            gentoo.propagation = Some(mode);
        }
        let mut templates = rocpkg::templates();
        if let Some(folder) = &args.templates {
            check_templates(folder, &own, &templates)?;
            templates.extend(own);
        }
        let stack = ManuallyDrop::new(Stack::new(model, &templates).map_err(|e| e.to_string())?);
        let backends = backends(args, stack.model())?;
        profiles::require(stack.model(), &findings, &backends)?;
        if !stack.model().narrowed.is_empty() {
            offered(stack.model(), &backends)?;
        }
        let options = StackOptions {
            backends,
            choice,
            packages: args.package.clone(),
            allow_missing: args.allows_missing(),
            allow_guesses: args.allow_guesses,
            review: false,
        };
        let tree = stack.render(&options, &mut findings).map_err(|e| e.to_string())?;
        // What is proved to disagree is not written. What a new package is built for may not be known yet: `check` says so.
        for (_, proof) in &tree.proofs {
            for f in proof.disagreements() {
                let mut f = f.clone();
                // A bare tree is there to be looked at, and policies stand in overlays.
                if args.bare {
                    f.severity = Severity::Warning;
                }
                if tree.concerns(&f, stack.sources()) {
                    findings.push(f);
                }
            }
        }
        if !stack.model().narrowed.is_empty() && !findings.has_errors() {
            narrowed(stack.model(), &tree)?;
        }
        if args.no_raw {
            refuse_native(&stack, &tree, usize::from(!args.plan.model.no_builtin), &mut findings);
        }
        let fresh = Fresh { stack, findings };
        if fresh.findings.has_errors() {
            let told = fresh.wrong(args, Findings::default());
            return Ok((Made { told, stats: String::new(), tree: None }, fresh));
        }
        if let Some(name) = tree.unknown.first() {
            let hint = nearest(name, tree.names.iter().map(String::as_str))
                .map(|n| format!("; did you mean `{n}`?"))
                .unwrap_or_default();
            return Err(format!("no package is called `{name}`{hint}"));
        }
        let stats =
            if args.stats { crate::stats::stats(&tree, fresh.model(), &options) } else { String::new() };
        let told = shown(&fresh.findings, fresh.stack.sources(), args.plan.model.verbose);
        Ok((Made { told, stats, tree: Some(tree) }, fresh))
    }
}

impl Fresh {
    /// The model.
    pub(super) fn model(&self) -> &Model {
        self.stack.model()
    }

    /// What is said where the input is wrong, or what lies in the output.
    pub(super) fn wrong(&self, args: &RenderArgs, more: Findings) -> String {
        let mut findings = self.findings.clone();
        findings.append(more);
        // What is doubtful about an output that is not written may come of the faults alone.
        let written = |code: &str| Backend::ALL.into_iter().any(|b| b.says(code));
        findings.retain(|f| f.severity != Severity::Warning || !written(f.code));
        shown(&findings, self.stack.sources(), args.plan.model.verbose)
    }
}

/// The backends that are asked for, in their order.
fn backends(args: &RenderArgs, model: &Model) -> Result<Vec<Backend>, String> {
    let mut backends: Vec<Backend> = args.distros.iter().map(|d| d.backend()).collect();
    if let Some(backend) = args.folder().1 {
        // A checkout of one distribution's repository takes its packages alone.
        if let Some(other) = backends.iter().find(|b| **b != backend) {
            return Err(format!(
                "a checkout of {} holds no packages of {}",
                backend.folder(),
                other.folder()
            ));
        }
        backends = vec![backend];
    }
    if backends.is_empty() {
        // All that the profiles know; of an empty folder, the first is missed.
        backends = Backend::ALL.to_vec();
        backends.retain(|b| model.distros.contains_key(b.distro()));
        if backends.is_empty() {
            backends.push(Backend::Gentoo);
        }
    }
    backends.sort_unstable();
    backends.dedup();
    Ok(backends)
}

/// Refuses code in the profiles of the folders from the `first` on.
fn refuse_native(stack: &Stack, tree: &StackTree, first: usize, findings: &mut Findings) {
    let places: Vec<_> = findings.native().collect();
    for (span, what) in places.into_iter().filter(|(span, _)| stack.model().depths.of(*span) >= first) {
        let finding = Finding::error("E0565", span, format!("{what} is refused by --no-raw"))
            .label("expected data: a step that has a name, a value, a reference");
        if tree.concerns(&finding, stack.sources()) {
            findings.push(finding);
        }
    }
}

/// Refuses targets that a distribution has no place for in its lists.
fn offered(model: &Model, backends: &[Backend]) -> Result<(), String> {
    for backend in backends {
        let Some(distro) = model.distros.get(backend.distro()) else { continue };
        let all: Vec<&str> = distro
            .targets
            .iter()
            .flat_map(|row| row.default.iter().chain(&row.offered))
            .map(|t| t.value.as_str())
            .collect();
        let strange: Vec<&str> =
            model.narrowed.iter().map(String::as_str).filter(|t| !all.contains(t)).collect();
        if !all.is_empty() && !strange.is_empty() {
            return Err(format!("{} offers no {}", backend.distro(), strange.join(", ")));
        }
    }
    Ok(())
}

/// Refuses a tree of which a recipe would build for another target, or for none, and says which.
fn narrowed(model: &Model, tree: &StackTree) -> Result<(), String> {
    let Some(registry) = &model.registry else { return Ok(()) };
    let wanted: TargetSet = model.narrowed.iter().filter_map(|n| registry.get(n)).collect();
    let mut wrong = Vec::new();
    for (backend, proof) in &tree.proofs {
        for (id, built) in proof.built.iter().filter(|(_, b)| !b.host_only) {
            let what = match &built.default {
                Held::Set(set) if set.is_empty() && !built.mended => {
                    "can be built for none of them".to_owned()
                }
                Held::Set(set) if set.is_subset(wanted.union(built.instead)) => continue,
                Held::Set(set) => format!("is built for {} as well", registry.show(set.difference(wanted))),
                Held::Symbol { tool, .. } => format!("is built for what `{tool}` prints"),
                Held::Unknown(fact) => format!("is built for {fact}"),
            };
            wrong.push(format!("{NEXT_LINE}  {}: `{id}` {what}", backend.distro()));
        }
    }
    if wrong.is_empty() {
        Ok(())
    } else {
        Err(format!("not narrowed to {}:{}", registry.show(wanted), wrong.concat()))
    }
}

/// Refuses a template that nothing asks for: by its name nor in the text of another one.
fn check_templates(folder: &Path, own: &Files, shipped: &Files) -> Result<(), String> {
    for name in own.keys().filter(|name| !shipped.contains_key(*name)) {
        let file = name.rsplit('/').next().unwrap_or_default();
        if own.iter().any(|(other, text)| other != name && text.contains(file)) {
            continue;
        }
        let hint = nearest(name, shipped.keys().map(String::as_str));
        let hint = hint.map(|n| format!("; did you mean `{n}`?")).unwrap_or_default();
        return Err(format!("{}: nothing reads a template `{name}`{hint}", folder.display()));
    }
    Ok(())
}
