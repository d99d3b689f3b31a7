//! Tries the steps of recipes on upstream's sources, for instance whether a patch still applies.
//! The sources are on this machine. The steps are tried in memory, and nothing is run.

mod patch_folders;
mod recipe_patches;
mod source_trees;
mod tasks;

use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::stack::Stack;
pub use recipe_patches::TriedPatch;
pub(crate) use recipe_patches::try_patches;
use rocpkg_model::{Fetch, Findings, Span};
use rocpkg_resolve::{Choice, Plan, Planned, Release, with_version};
use rocpkg_upstream::probe::{Fate, Files};
pub use source_trees::{SourceProject, SourceTree, SourceTrees};
use std::collections::BTreeSet;
pub use tasks::PatchFiles;
use tasks::{SourcesByName, Trial, tasks};

/// A request to try the steps of recipes on upstream's sources.
#[derive(Debug)]
pub struct Probe<'a> {
    /// The distributions. If empty, all that the profiles describe.
    pub backends: Vec<Backend>,
    /// The release of the recipes.
    pub choice: Choice,
    /// The packages, by any of their names. If empty, all packages.
    pub packages: Vec<String>,
    /// The sources.
    pub trees: &'a SourceTrees,
    /// The files in which the texts of local patches are looked up.
    pub patches: PatchFiles,
}

/// The result of a [`Probe`].
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Probed {
    /// The steps that were tried, in the order of the packages and recipes.
    pub steps: Vec<ProbedStep>,
    /// The names of the packages of which no source is on this machine.
    pub absent: BTreeSet<String>,
    /// The findings about the packages.
    pub findings: Findings,
}

/// The result of one step of a recipe.
#[derive(Debug)]
#[non_exhaustive]
pub struct ProbedStep {
    /// The distribution's name.
    pub distro: String,
    /// The distribution's name of the package.
    pub package: String,
    /// The package's version.
    pub release: Release,
    /// The kind and name of the step in messages: ``patch `a.patch` ``.
    pub what: String,
    /// The name of the patch that the step applies. `None` for other steps.
    pub patch: Option<String>,
    /// The place of the step in the profiles.
    pub span: Span,
    /// The result.
    pub fate: Fate,
}

impl ProbedStep {
    /// Returns true if the step fails. A step that could not be tried does not count.
    pub fn fails(&self) -> bool {
        !self.fate.is_fine() && !matches!(self.fate, Fate::Unknown(_))
    }
}

impl Probed {
    /// Returns true if no step fails.
    pub fn fits(&self) -> bool {
        !self.steps.iter().any(ProbedStep::fails)
    }

    /// Returns true if packages were to be tried, and no source of any package is on this machine.
    pub fn lacks_sources(&self) -> bool {
        self.steps.is_empty() && !self.absent.is_empty()
    }
}

impl Stack {
    /// Tries the steps of recipes on upstream's sources.
    ///
    /// # Errors
    /// When the profiles have errors, no package has a requested name, or a source or patch can't
    /// be read.
    #[doc(hidden)]
    pub fn probe(&self, probe: &Probe) -> Result<Probed, Error> {
        let backends = self.backends(&probe.backends)?;
        let (plans, findings) = self.plans(&backends, &probe.choice, &probe.packages)?;
        let mut unmet: BTreeSet<&String> = probe.packages.iter().collect();
        let mut out = Probed {
            findings,
            ..Probed::default()
        };
        for (backend, plan) in backends.iter().zip(&plans) {
            for p in &plan.packages {
                let requests = probe.packages.iter();
                let named: Vec<&String> = requests.filter(|name| is_named(p, name)).collect();
                unmet.retain(|name| !named.contains(name));
                if probe.packages.is_empty() || !named.is_empty() {
                    let found = try_all(*backend, plan, p, probe)?;
                    out.absent.extend(found.is_none().then(|| p.name.clone()));
                    out.steps.extend(found.into_iter().flatten());
                }
            }
        }
        match unmet.first() {
            Some(name) => Err(self.no_package(&plans, name)),
            None => Ok(out),
        }
    }
}

/// Tries all steps of the recipe of `p`. Returns `None` if none of its sources is available.
fn try_all(
    backend: Backend,
    plan: &Plan,
    p: &Planned,
    probe: &Probe,
) -> Result<Option<Vec<ProbedStep>>, Error> {
    let SourcesFound { sources, gone } = sources_of(p, probe.trees)?;
    if sources.is_empty() && gone.is_empty() {
        return Ok(None);
    }
    let step = |what: String, patch: Option<String>, span: Span, fate: Fate| ProbedStep {
        distro: plan.distro_name.clone(),
        package: p.name.clone(),
        release: p.version.clone(),
        what,
        patch,
        span,
        fate,
    };
    let trees = sources.iter();
    let mut files = Files::new(
        trees
            .map(|(name, found)| (name.clone(), &found.tree))
            .collect(),
    );
    let gone = gone.into_iter();
    let mut out: Vec<ProbedStep> = gone
        .map(|(what, folder)| step(what, None, p.node.span, Fate::NoFile(folder)))
        .collect();
    for task in tasks(backend, p, &sources, &probe.patches) {
        let fate = match &task.trial {
            Err(why) => Ok(Fate::Unknown(why.clone())),
            Ok(Trial::Step(step)) => files.take(step),
            Ok(Trial::Commit(source, commit)) => {
                match sources.get(source).and_then(|found| found.git.as_ref()) {
                    None => Ok(Fate::Unknown("no repository was found".to_owned())),
                    Some((git, revision)) => files.pick(git, revision, commit, source),
                }
            }
        };
        let fate = match (fate?, &task.open) {
            (Fate::NoText(_), Some(open)) => {
                Fate::Unknown(format!("`${{{open}}}` is not known before the build"))
            }
            (fate, _) => fate,
        };
        out.push(step(task.what, task.patch, task.span, fate));
    }
    Ok(Some(out))
}

/// The sources of a package that are on this machine.
struct SourcesFound {
    sources: SourcesByName,
    /// The sources whose repository has the release, but not the folder of the source: the name of
    /// each as a step, and the folder.
    gone: Vec<(String, String)>,
}

/// Returns the sources of `p` that are on this machine.
fn sources_of(p: &Planned, trees: &SourceTrees) -> Result<SourcesFound, Error> {
    let mut sources = SourcesByName::new();
    let mut gone = Vec::new();
    for source in p
        .sources
        .iter()
        .filter(|s| s.fetch != Fetch::File && !s.repository.is_empty())
    {
        let tag = with_version(&source.tag, &source.version);
        let revision = source.revision.as_ref().unwrap_or(&tag);
        let (owner, repository, path) = (&source.owner, &source.repository, source.path.as_deref());
        let wanted = SourceProject {
            owner,
            repository,
            path,
            revision,
        };
        if let Some(found) = trees.find(wanted)? {
            sources.insert(source.name.clone(), found);
        } else if let Some(path) = path
            && trees.repository(wanted)?.is_some()
        {
            let folder = format!("{path} in {owner}/{repository} at {revision}");
            gone.push((format!("source `{}`", source.name), folder));
        }
    }
    Ok(SourcesFound { sources, gone })
}
