//! The report of `rocpkg render` on a run, as text and as JSON.

use crate::diffs::{colored, stat};
use crate::outcome::{DIFFERS, OK, Outcome, Verbosity, WRONG, findings, shown};
use rocpkg::checkout::{Checkout, Compared, Conflict, NotChecked, RecipeEdits, Summary, Written};
use rocpkg::model::{Findings, Sources, legible};
use rocpkg::order::Rebuild;
use rocpkg::render::Companion;
use rocpkg::{Backend, Stack, Stopped};
use serde_json::{Map, Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The destination of a run, and the settings of the report on it.
pub(crate) struct Report<'a> {
    pub(crate) out: &'a Path,
    pub(crate) checkout: Option<&'a Checkout>,
    /// The model that was rendered.
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
        let (out, stopped, faults, findings) = match edits {
            RecipeEdits::Written(w) => (self.text(w), &w.stopped, &w.faults, &w.findings),
            RecipeEdits::Compared(c) => (self.compared(c), &c.stopped, &c.faults, &c.findings),
        };
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

    /// Returns the report as JSON.
    pub(crate) fn value(&self, edits: &RecipeEdits, again: &[(Backend, Rebuild)]) -> Value {
        match edits {
            RecipeEdits::Written(written) => self.written(written, again),
            RecipeEdits::Compared(compared) => differences(compared, self.stack.sources()),
        }
    }

    /// Returns the differences between the existing and the rendered files as text.
    fn compared(&self, compared: &Compared) -> String {
        if self.verbosity.is_quiet() {
            return left(&compared.conflicts);
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
        for note in &compared.notes {
            out.push_str(&format!("{note}\n"));
        }
        out.push_str(&left(&compared.conflicts));
        out.push_str(&not_checked(&compared.unchecked, self.is_verbose()));
        out
    }

    /// Returns the report as text: the written files, the packages that can be built now, missing
    /// files and checksums, and the command to run next.
    fn text(&self, written: &Written) -> String {
        if self.verbosity.is_quiet() {
            return left(&written.conflicts);
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
        for (backend, summary) in &written.summaries {
            told.push_str(&self.summary(*backend, summary));
        }
        for note in &written.notes {
            told.push_str(&format!("{note}\n"));
        }
        told.push_str(&left(&written.conflicts));
        told.push_str(&not_checked(&written.unchecked, self.is_verbose()));
        told
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
    fn summary(&self, backend: Backend, summary: &Summary) -> String {
        let (packages, ready) = (summary.packages.len(), summary.ready());
        let names = if ready.is_empty() {
            String::new()
        } else {
            format!(": {}", self.some(&ready))
        };
        let mut told = format!(
            "{}: {packages} packages, of which {} can be built now{names}\n",
            backend.folder(),
            ready.len()
        );
        let mut lacks = |what: &str, ids: &BTreeSet<String>, mend: &str| {
            if !ids.is_empty() {
                let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
                told.push_str(&format!(
                    "  {what} ({}): {}; {mend}\n",
                    ids.len(),
                    self.some(&ids)
                ));
            }
        };
        lacks("without checksums", &summary.without_sums, fetch(backend));
        lacks(
            "without patches or files",
            &summary.without_files(),
            "--files DIR supplies them",
        );
        lacks(
            "with conflicts left to you",
            &summary.conflicts,
            "they are listed below",
        );
        lacks(
            "left out, because a checksum is unknown",
            &summary.unsummed,
            "--allow-missing writes them",
        );
        lacks(
            "left out, because they depend on guesses",
            &summary.guessed,
            "--allow-guesses writes them",
        );
        if !summary.missing.is_empty() {
            told.push_str(&format!(
                "  to be supplied ({}){}\n",
                summary.missing.len(),
                self.more()
            ));
            for c in summary.missing.iter().filter(|_| self.is_verbose()) {
                let from = c.address.as_deref().unwrap_or("your own");
                told.push_str(&format!("    {}: {from}\n", c.path));
            }
        }
        let first = if ready.is_empty() {
            "supply what is missing above, then "
        } else {
            ""
        };
        told.push_str(&format!("  next: {first}{}\n", self.next(backend, summary)));
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

    /// Returns what to run next to build a package, as text.
    fn next(&self, backend: Backend, summary: &Summary) -> String {
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
                let ready = summary.ready();
                let name = ready
                    .first()
                    .copied()
                    .or_else(|| Some(summary.packages.first()?.as_str()));
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
        let r = &written.report;
        let each = written.summaries.iter();
        let each =
            each.map(|(backend, s)| (backend.distro().to_owned(), self.as_json(*backend, s)));
        let distributions: Map<_, _> = each.collect();
        json!({
            "written": r.written,
            "unchanged": r.unchanged,
            "unowned": r.unowned,
            "removed": r.removed,
            "stale": r.stale,
            "left": written.conflicts,
            "unchecked": written.unchecked,
            "notes": written.notes,
            "rebuilt": again.iter().map(|(_, r)| r.name.as_str()).collect::<Vec<_>>(),
            "distributions": distributions,
            "stopped": written.stopped,
            "findings": together(&written.faults, &written.findings, self.stack.sources()),
        })
    }

    fn as_json(&self, backend: Backend, summary: &Summary) -> Value {
        let file =
            |c: &Companion| json!({"path": c.path, "package": c.package, "address": c.address});
        let lacks = |id: &str| -> Vec<Value> {
            let sum = summary.without_sums.contains(id).then(|| json!("checksum"));
            let files = summary
                .missing
                .iter()
                .filter(|c| c.package == id)
                .map(|c| json!(c.path));
            let left = summary.conflicts.contains(id).then(|| json!("left"));
            sum.into_iter().chain(left).chain(files).collect()
        };
        let ready = summary.ready();
        let others = summary
            .packages
            .iter()
            .filter(|id| !ready.contains(&id.as_str()));
        let lacking: Map<_, _> = others.map(|id| (id.clone(), json!(lacks(id)))).collect();
        json!({
            "ready": ready,
            "lacking": lacking,
            "guessed": summary.guessed,
            "unsummed": summary.unsummed,
            "companions": summary.missing.iter().map(file).collect::<Vec<_>>(),
            "next": self.next(backend, summary),
        })
    }
}

/// Returns the exit status: 2 if packages were stopped, 1 if files differ or something is left to
/// the maintainer, else 0.
fn status(edits: &RecipeEdits) -> u8 {
    let (is_same, stopped) = match edits {
        RecipeEdits::Written(w) => (w.conflicts.is_empty(), &w.stopped),
        RecipeEdits::Compared(c) => (
            c.differences.is_empty() && c.conflicts.is_empty(),
            &c.stopped,
        ),
    };
    match (stopped.is_empty(), is_same) {
        (false, _) => WRONG,
        (true, false) => DIFFERS,
        (true, true) => OK,
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
    let each = compared.differences.iter();
    let each = each.map(|d| json!({"path": d.path, "kind": d.kind.to_string(), "diff": d.diff}));
    json!({
        "differences": each.collect::<Vec<_>>(),
        "left": compared.conflicts,
        "notes": compared.notes,
        "unchecked": compared.unchecked,
        "stopped": compared.stopped,
        "findings": together(&compared.faults, &compared.findings, sources),
    })
}

/// Returns the advice on how to add missing checksums of archives.
fn fetch(backend: Backend) -> &'static str {
    match backend {
        Backend::Gentoo => "`ebuild FILE manifest` fetches the archives and records them",
        Backend::Arch => {
            "`updpkgsums` in the package's folder fetches the archives and records them"
        }
        Backend::Nix => "a build prints the right hash",
        Backend::Solus => "add them to releases/ in a folder of --profiles",
    }
}

/// Returns the conflicts as text, by package, each with its place.
pub(crate) fn left(all: &[Conflict]) -> String {
    conflicts(all, "left to you in")
}

/// Returns conflicts as text. Those of a package come after `head` and the package's name.
pub(crate) fn conflicts(all: &[Conflict], head: &str) -> String {
    let mut told = String::new();
    let (unknown, all): (Vec<&Conflict>, Vec<&Conflict>) =
        all.iter().partition(|left| left.is_of_an_unknown_release());
    for Conflict {
        path,
        existing: there,
        ..
    } in unknown
    {
        let said = there.as_deref().map_or_else(
            || "it states no release".to_owned(),
            |version| format!("it states release `{version}`, which the model does not know"),
        );
        told.push_str(&format!(
            "{path}: {said}: name a release of the model with --from\n"
        ));
    }
    for of in all.chunk_by(|a, b| a.package == b.package) {
        let is_own = |left: &Conflict| left.reason.is_none() && left.existing.is_some();
        let because = if of.iter().all(|left| is_own(left)) {
            ", because the recipe differs from both versions of the model"
        } else {
            ""
        };
        told.push_str(&format!("{head} {}{because}:\n", of[0].package));
        for left in of {
            let Conflict {
                path,
                line,
                column,
                item,
                ..
            } = left;
            let item = item.join(" / ");
            told.push_str(&format!("  {path}:{line}:{column}: {item}\n"));
            let mut say = |what: &str, text: &Option<String>| {
                if let Some(text) = text {
                    told.push_str(&format!("    {what}: {}\n", shortened(text)));
                }
            };
            say("before", &left.before);
            say("now", &left.after);
            say("there", &left.existing);
            say("why", &left.reason);
        }
    }
    told
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

/// Returns a text on one line. A text of more than 160 characters is cut.
pub(crate) fn shortened(text: &str) -> String {
    const MOST: usize = 160;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(MOST) {
        Some((at, _)) => format!("{} ...", &line[..at]),
        None => line,
    }
}
