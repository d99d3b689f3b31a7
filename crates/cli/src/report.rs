//! The report of `rocpkg render` on a run, as text and as JSON.

use crate::diffs::{colored, stat};
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, WRONG, findings, shown};
use crate::todos::{compilers, counted, fetch, left, untouched_ones};
use rocpkg::checkout::{
    Checkout, Compared, Merged, NotChecked, RecipeEdits, RecipeReport, Todo, TodoKind, Written,
};
use rocpkg::internal::model::{Findings, Sources, legible};
use rocpkg::internal::render::Companion;
use rocpkg::order::Rebuild;
use rocpkg::{Backend, Stack, Stopped};
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The destination of a run, and the settings of the report on it.
pub(crate) struct Report<'a> {
    pub(crate) out: &'a Path,
    pub(crate) checkout: Option<&'a Checkout>,
    pub(crate) stack: &'a Stack,
    /// Set if files that are no longer rendered are removed.
    pub(crate) prunes: bool,
    /// Set if a comparison prints the numbers of changed lines instead of diffs.
    pub(crate) is_stat: bool,
    pub(crate) verbosity: Verbosity,
}

impl Report<'_> {
    /// Returns the outcome of a run that prints text.
    pub(crate) fn outcome(&self, edits: &RecipeEdits) -> Outcome {
        let out = match edits {
            RecipeEdits::Written(written) => self.text(written),
            RecipeEdits::Compared(compared) => self.compared(compared),
        };
        let Merged {
            stopped,
            faults,
            findings,
            ..
        } = edits.merged();
        let shown = |findings| shown(findings, self.stack.sources(), self.verbosity);
        Outcome {
            out,
            err: shown(faults) + &shown(findings) + &not_rendered(stopped),
            status: status(edits),
            is_paged: matches!(edits, RecipeEdits::Compared(_)),
        }
    }

    /// Returns the outcome of a run that prints JSON. `again` are the packages that have to be
    /// built again, by `--rebuild`.
    pub(crate) fn json(&self, edits: &RecipeEdits, again: &[(Backend, Rebuild)]) -> Outcome {
        Outcome {
            status: status(edits),
            ..Outcome::json(&self.value(edits, again))
        }
    }

    pub(crate) fn value(&self, edits: &RecipeEdits, again: &[(Backend, Rebuild)]) -> Value {
        match edits {
            RecipeEdits::Written(written) => self.written(written, again),
            RecipeEdits::Compared(compared) => differences(compared, self.stack.sources()),
        }
    }

    /// Returns the differences between the existing and the rendered files as text.
    fn compared(&self, compared: &Compared) -> String {
        if self.verbosity.is_quiet() {
            return self.left(&compared.merged);
        }
        let mut out = String::new();
        if self.is_stat {
            out = stat(
                compared
                    .differences
                    .iter()
                    .map(|d| (d.path.as_str().into(), d)),
            );
        }
        for d in compared.differences.iter().filter(|_| !self.is_stat) {
            let how = if d.kind.is_stale() && !self.prunes {
                " (--prune removes it)"
            } else {
                ""
            };
            out.push_str(&format!(
                "{}: {}{how}\n{}",
                d.kind,
                d.path,
                colored(&d.diff)
            ));
        }
        for note in &compared.merged.notes {
            out.push_str(&format!("{note}\n"));
        }
        out.push_str(&self.left(&compared.merged));
        out.push_str(&not_checked(&compared.merged.unchecked, self.is_verbose()));
        out
    }

    /// Returns the report as text: the written files, the packages that can be built now, missing
    /// files and checksums, and the command to run next.
    fn text(&self, written: &Written) -> String {
        if self.verbosity.is_quiet() {
            return self.left(&written.merged);
        }
        let report = &written.report;
        let mut told = format!(
            "{}: {} files written, {} unchanged, {} removed\n",
            self.folder(),
            report.written.len(),
            report.unchanged,
            report.removed.len(),
        );
        if !report.unowned.is_empty() {
            let what = "already there with the same content, but not written by rocpkg, so --prune keeps them";
            told.push_str(&format!(
                "{what} ({}){}\n",
                report.unowned.len(),
                self.more()
            ));
            for path in report.unowned.iter().filter(|_| self.is_verbose()) {
                told.push_str(&format!("  {path}\n"));
            }
        }
        for path in &report.stale {
            told.push_str(&format!("no longer rendered, removed by --prune: {path}\n"));
        }
        let merged = &written.merged;
        for backend in merged.packages.keys() {
            told.push_str(&self.summary(*backend, merged));
        }
        for note in &merged.notes {
            told.push_str(&format!("{note}\n"));
        }
        told.push_str(&self.left(merged));
        told.push_str(&compilers(&merged.recipes, self.is_verbose()));
        told.push_str(&not_checked(&merged.unchecked, self.is_verbose()));
        told
    }

    /// Returns the todos that block as text. Files and checksums are in the summary.
    fn left(&self, merged: &Merged) -> String {
        let mut recipes = merged.recipes.clone();
        let is_summed_up = |todo: &Todo| {
            matches!(todo.kind, TodoKind::File | TodoKind::Sum) && todo.subject.is_some()
        };
        for report in recipes.iter_mut().filter(|_| !self.is_verbose()) {
            report.todos.retain(|todo| !is_summed_up(todo));
        }
        let left = left(&recipes, self.is_verbose());
        // Packages without a recipe are left out, as the summary says.
        recipes.retain(|report| !report.recipe.is_empty());
        left + &untouched_ones(&recipes)
    }

    fn folder(&self) -> String {
        legible(&self.out.display().to_string()).into_owned()
    }

    fn is_verbose(&self) -> bool {
        self.verbosity.is_verbose()
    }

    fn more(&self) -> &'static str {
        if self.is_verbose() {
            ":"
        } else {
            "; -v lists them"
        }
    }

    /// Returns the part of the report about one distribution.
    fn summary(&self, backend: Backend, merged: &Merged) -> String {
        let of = DistributionRecipes::of(backend, merged);
        let names = if of.ready.is_empty() {
            String::new()
        } else {
            format!(": {}", self.some(&of.ready))
        };
        let mut told = format!(
            "{}: {}, of which {} can be built now{names}\n",
            backend.folder(),
            counted(of.written.len(), "package"),
            of.ready.len()
        );
        let rows: [(&str, TodoKind, &str); 2] = [
            ("without checksums", TodoKind::Sum, fetch(backend)),
            (
                "without patches or files",
                TodoKind::File,
                "--files DIR supplies them",
            ),
        ];
        let mut lacks = |what: &str, names: &[&str], mend: &str| {
            if !names.is_empty() {
                let count = names.len();
                told.push_str(&format!(
                    "  {what} ({count}): {}; {mend}\n",
                    self.some(names)
                ));
            }
        };
        for (what, kind, mend) in rows {
            lacks(what, &of.with(&|todo| todo.kind == kind), mend);
        }
        let is_other = |todo: &Todo| !rows.iter().any(|(_, kind, _)| *kind == todo.kind);
        lacks(
            "with something left to you",
            &of.with(&is_other),
            "it is listed below",
        );
        lacks("that need one of these", &of.waiting, "they follow");
        let mut left_out: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for report in of.left_out() {
            let reason = report.blocking().next();
            let reason = reason.map_or("", |todo| todo.text.as_str());
            left_out.entry(reason).or_default().push(&report.name);
        }
        for (reason, names) in left_out {
            let (count, names) = (names.len(), self.some(&names));
            told.push_str(&format!("  left out ({count}): {names}: {reason}\n"));
        }
        if of.missing().next().is_some() {
            told.push_str(&format!(
                "  to be supplied ({}){}\n",
                of.missing().count(),
                self.more()
            ));
            for c in of.missing().filter(|_| self.is_verbose()) {
                let from = c.address.as_deref().unwrap_or("your own");
                told.push_str(&format!("    {}: {from}\n", c.path));
            }
        }
        let first = if of.ready.is_empty() && !of.written.is_empty() {
            "supply what is missing above, then "
        } else {
            ""
        };
        told.push_str(&format!("  next: {first}{}\n", self.next(backend, &of)));
        told
    }

    /// Returns the names as text: the first three and the number of the others, or all names if
    /// there are few or `verbose` is set.
    fn some(&self, names: &[&str]) -> String {
        match names {
            [a, b, c, _, more @ ..] if !self.is_verbose() => {
                format!("{a}, {b}, {c} and {} more", more.len() + 1)
            }
            few => few.join(", "),
        }
    }

    /// Returns the attribute of nixpkgs under which the packages are: `rocmPackages`.
    fn scope(&self) -> &str {
        let distro = self.stack.model().distros.get(Backend::Nix.distro());
        let scope = distro.and_then(|distro| distro.scope.as_ref()?.attribute.as_ref());
        scope.map_or("", |scope| &scope.value)
    }

    /// Returns the line about the command to run next, if a recipe is new and done.
    pub(crate) fn next_step(&self, merged: &Merged, recipes: &[RecipeReport]) -> String {
        let is_new = |report: &RecipeReport| report.is_changed && report.is_done();
        match self.checkout {
            Some(checkout) if recipes.iter().any(is_new) => {
                let backend = checkout.backend();
                let of = DistributionRecipes::of(backend, merged);
                format!("next: {}\n", self.next(backend, &of))
            }
            _ => String::new(),
        }
    }

    /// Returns what to run next to build a package, as text.
    fn next(&self, backend: Backend, of: &DistributionRecipes) -> String {
        if of.written.is_empty() {
            return "render at another release, or with --allow-missing".to_owned();
        }
        let out = self.folder();
        match (backend, self.checkout) {
            (Backend::Gentoo, Some(_)) => {
                format!("`pkgcheck scan` in {out}, then `emerge` a package")
            }
            (Backend::Gentoo, None) => {
                format!("name {out}/gentoo in /etc/portage/repos.conf, then `emerge` a package")
            }
            (Backend::Arch, Some(c)) if c.package().is_some() => {
                format!("`makepkg --syncdeps` in {out}")
            }
            (Backend::Arch, Some(_)) => {
                format!("`makepkg --syncdeps` in a package's folder of {out}")
            }
            (Backend::Arch, None) => format!("`makepkg --syncdeps` in a folder of {out}/arch"),
            (Backend::Nix, Some(_)) => {
                let name = of.ready.first().or(of.written.first()).copied();
                format!(
                    "`nix-build -A {}.{}` at the root of nixpkgs",
                    self.scope(),
                    name.unwrap_or("PACKAGE")
                )
            }
            (Backend::Nix, None) => {
                format!(
                    "nix-build -E 'with import <nixpkgs> {{}}; callPackage {out}/nix {{}}' -A PACKAGE"
                )
            }
            (Backend::Solus, Some(_)) => "`go-task` in the folder of a package".to_owned(),
            (Backend::Solus, None) => {
                "render with --into into a checkout, then `go-task` in the folder of a package"
                    .to_owned()
            }
        }
    }

    fn written(&self, written: &Written, again: &[(Backend, Rebuild)]) -> Value {
        let (r, merged) = (&written.report, &written.merged);
        let each = merged.packages.keys();
        let each = each.map(|backend| {
            let of = DistributionRecipes::of(*backend, merged);
            (backend.distro().to_owned(), self.as_json(*backend, &of))
        });
        let distributions: Map<_, _> = each.collect();
        json!({
            "written": r.written,
            "unchanged": r.unchanged,
            "unowned": r.unowned,
            "removed": r.removed,
            "stale": r.stale,
            "unchecked": merged.unchecked,
            "notes": merged.notes,
            "rebuilt": again.iter().map(|(_, r)| r.name.as_str()).collect::<Vec<_>>(),
            "distributions": distributions,
            "recipes": merged.recipes,
            "stopped": merged.stopped,
            "findings": together(&merged.faults, &merged.findings, self.stack.sources()),
        })
    }

    fn as_json(&self, backend: Backend, of: &DistributionRecipes) -> Value {
        let file =
            |c: &Companion| json!({"path": c.path, "package": c.package, "address": c.address});
        let ids = |all: &BTreeSet<(Backend, String)>| -> Vec<String> {
            let own = all.iter().filter(|(of, _)| *of == backend);
            own.map(|(_, id)| id.clone()).collect()
        };
        let open = of.recipes().filter(|report| !report.is_done());
        let lacking: Map<_, _> = open
            .map(|report| {
                let home = report.recipe.rsplit_once('/').map_or("", |(home, _)| home);
                let lack = |todo: &Todo| match &todo.subject {
                    Some(file) if todo.kind == TodoKind::File => {
                        format!("{home}/{file}").trim_start_matches('/').to_owned()
                    }
                    _ => todo.kind.word().to_owned(),
                };
                let lacks: BTreeSet<String> = report.blocking().map(lack).collect();
                (report.name.clone(), json!(lacks))
            })
            .collect();
        json!({
            "ready": of.ready,
            "waiting": of.waiting,
            "lacking": lacking,
            "guessed": ids(&of.merged.guessed),
            "unsummed": ids(&of.merged.without_sums),
            "companions": of.missing().map(file).collect::<Vec<_>>(),
            "next": self.next(backend, of),
        })
    }
}

struct DistributionRecipes<'m> {
    merged: &'m Merged,
    backend: Backend,
    /// The names of the recipes that were written or compared.
    written: Vec<&'m str>,
    /// The names of the recipes of which nothing is left, nor of the recipes that they need.
    ready: Vec<&'m str>,
    /// The names of the recipes of which nothing is left, and that need a recipe which is not
    /// ready.
    waiting: Vec<&'m str>,
}

impl<'m> DistributionRecipes<'m> {
    fn of(backend: Backend, merged: &'m Merged) -> Self {
        let mut out = Self {
            merged,
            backend,
            written: Vec::new(),
            ready: Vec::new(),
            waiting: Vec::new(),
        };
        let all = out.recipes().filter(|report| !report.recipe.is_empty());
        let mut all: Vec<&RecipeReport> = all.collect();
        all.sort_by_key(|report| report.key());
        let done = all.iter().filter(|report| report.is_done());
        let (ready, waiting): (Vec<&RecipeReport>, Vec<_>) =
            done.partition(|report| !out.needs_an_open_one(&report.package));
        let names =
            |of: Vec<&'m RecipeReport>| of.iter().map(|report| report.name.as_str()).collect();
        (out.ready, out.waiting) = (names(ready), names(waiting));
        out.written = all.iter().map(|report| report.name.as_str()).collect();
        out
    }

    /// Returns true if a recipe that the package `id` needs, directly or through others, has
    /// something left.
    fn needs_an_open_one(&self, id: &str) -> bool {
        let (mut met, mut open) = (BTreeSet::new(), vec![id]);
        while let Some(at) = open.pop() {
            let needs = self.merged.needs.get(&(self.backend, at.to_owned()));
            let next = needs.into_iter().flatten().map(String::as_str);
            open.extend(next.filter(|id| met.insert(*id)));
        }
        let mut recipes = self.recipes();
        recipes.any(|report| !report.is_done() && met.contains(report.package.as_str()))
    }

    fn recipes(&self) -> impl Iterator<Item = &'m RecipeReport> + use<'m> {
        let backend = self.backend;
        let all = self.merged.recipes.iter();
        all.filter(move |report| report.backend == backend)
    }

    /// Returns the files that nobody supplied for a recipe that is written, or for the whole
    /// distribution. The files of a checkout are those of its distribution.
    fn missing(&self) -> impl Iterator<Item = &'m Companion> + use<'_, 'm> {
        let all = self.merged.missing.iter();
        all.filter(move |c| {
            let folder = c.path.split('/').next().unwrap_or_default();
            let other = Backend::ALL
                .iter()
                .any(|b| *b != self.backend && b.folder() == folder);
            let mut own = self.recipes().filter(|report| !report.recipe.is_empty());
            !other && (c.package.is_empty() || own.any(|report| report.package == c.package))
        })
    }

    /// Returns the packages that have no recipe, because of an error, a guess or a checksum.
    fn left_out(&self) -> impl Iterator<Item = &'m RecipeReport> + use<'m> {
        self.recipes().filter(|report| report.recipe.is_empty())
    }

    /// Returns the names of the recipes with a blocking todo that `is_it` selects.
    fn with(&self, is_it: &dyn Fn(&Todo) -> bool) -> Vec<&'m str> {
        let all = self.recipes().filter(|report| !report.recipe.is_empty());
        let own = all.filter(|report| report.blocking().any(is_it));
        own.map(|report| report.name.as_str()).collect()
    }
}

/// Returns the exit status of `render`: 2 if packages were stopped, 1 if files differ, or if
/// something is left in a recipe that existed, else 0. A new recipe may lack files and checksums.
fn status(edits: &RecipeEdits) -> u8 {
    let differs = match edits {
        RecipeEdits::Written(_) => false,
        RecipeEdits::Compared(compared) => !compared.differences.is_empty(),
    };
    let merged = edits.merged();
    let is_left =
        |todo: &Todo| !matches!(todo.kind, TodoKind::File | TodoKind::Sum | TodoKind::Guess);
    let recipes = merged
        .recipes
        .iter()
        .filter(|report| !report.recipe.is_empty());
    let is_left = recipes.flat_map(RecipeReport::blocking).any(is_left);
    match (merged.stopped.is_empty(), differs || is_left) {
        (false, _) => WRONG,
        (true, true) => DIFFERS,
        (true, false) => OK,
    }
}

/// Returns a line with the number and the names of the packages that were not rendered because of a
/// fault. Returns an empty text if there are none.
fn not_rendered(all: &[Stopped]) -> String {
    let Some(first) = all.first() else {
        return String::new();
    };
    let each = all.iter().map(|s| match &s.needs {
        Some(needs) => format!("{} (it needs {needs})", s.package),
        None => s.package.clone(),
    });
    let names = each.collect::<Vec<_>>().join(", ");
    let (what, verb) = if all.len() == 1 {
        ("package", "is")
    } else {
        ("packages", "are")
    };
    format!(
        "error: {} {what} of {} {verb} not rendered: {names}\n",
        all.len(),
        first.backend.distro()
    )
}

/// Returns findings as JSON: the `faults` that stopped packages, and the findings about `others`.
fn together(faults: &Findings, others: &Findings, sources: &Sources) -> Vec<Value> {
    let mut all = faults.clone();
    all.append(others.clone());
    findings(&all, sources)
}

/// Returns the differences between rendered and existing files as JSON.
fn differences(compared: &Compared, sources: &Sources) -> Value {
    let merged = &compared.merged;
    let each = compared.differences.iter();
    let each = each.map(|d| json!({"path": d.path, "kind": d.kind.to_string(), "diff": d.diff}));
    json!({
        "differences": each.collect::<Vec<_>>(),
        "recipes": merged.recipes,
        "notes": merged.notes,
        "unchecked": merged.unchecked,
        "stopped": merged.stopped,
        "findings": together(&merged.faults, &merged.findings, sources),
    })
}

/// Returns the number of questions that the checks of recipes could not decide, as text. With
/// `verbose`, also lists each question with its place and its reason.
pub(crate) fn not_checked(all: &[NotChecked], verbose: bool) -> String {
    if all.is_empty() {
        return String::new();
    }
    let more = if verbose { ":" } else { "; -v lists them" };
    let mut told = format!("not checked ({}){more}\n", all.len());
    for question in all.iter().filter(|_| verbose) {
        let NotChecked {
            path,
            line,
            column,
            subject,
            reason,
            ..
        } = question;
        told.push_str(&format!("  {path}:{line}:{column}: {subject}: {reason}\n"));
    }
    told
}
