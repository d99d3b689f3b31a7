//! The result of rendering some distributions, limited to the requested packages. Also finds the
//! packages that an error stops.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::{absent, names_of, unknown};
use crate::options::Options;
use crate::package_output::Run;
use rocpkg_model::{Distro, Finding, Findings, Owner, Severity};
use rocpkg_resolve::{Model, bare, live};
#[cfg(feature = "serde")]
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) type Packages = BTreeSet<(Backend, String)>;

/// The packages that can't be rendered for the GPUs that the user requested, each with the reason.
pub(crate) type Unfit = BTreeMap<(Backend, String), String>;

/// The result of rendering some distributions: the run of each distribution (its plans, recipes and
/// proofs), the requested packages, and the findings.
pub(crate) struct RenderRun<'m> {
    pub(crate) model: &'m Model,
    pub(crate) runs: Vec<Run>,
    pub(crate) asked: Selection,
    pub(crate) findings: Findings,
    /// Packages that are left out of the output, because they rest on guesses.
    pub(crate) left_out: Packages,
    /// Packages that are left out, because they can't be built for the requested GPUs.
    pub(crate) unfit: Unfit,
}

/// The requested packages: all packages, or those that the user named.
pub(crate) struct Selection {
    /// Set if all packages are requested.
    pub(crate) all: bool,
    packages: Packages,
    /// The first requested name that no package has.
    unknown: Option<String>,
}

impl Selection {
    /// Looks up the packages that `names` names, in the distributions of `runs`. If `names` is
    /// empty, all packages are requested.
    ///
    /// # Errors
    /// When a distribution has a named package, but not at the requested version or release.
    fn new(model: &Model, runs: &[Run], names: &[String]) -> Result<Self, Error> {
        let mut unmet: BTreeSet<&str> = names.iter().map(String::as_str).collect();
        let mut packages = Packages::new();
        let mut gone = None;
        for run in runs {
            let ids: BTreeSet<&String> = run
                .editions
                .iter()
                .flat_map(|edition| edition.plan.distro.packages.keys())
                .collect();
            for id in ids {
                let own = run
                    .editions
                    .iter()
                    .flat_map(|edition| names_of(model, &edition.plan, id));
                let own: BTreeSet<String> = own.collect();
                let is_it = |name: &&str| own.iter().any(|n| n.eq_ignore_ascii_case(bare(name)));
                let met: Vec<&str> = names.iter().map(String::as_str).filter(is_it).collect();
                let mut plans = run.editions.iter().map(|edition| &edition.plan);
                if plans.clone().all(|plan| plan.absent.contains_key(id)) {
                    if !met.is_empty() {
                        gone = gone.or_else(|| absent(plans.next()?, id));
                    }
                    continue;
                }
                unmet.retain(|name| !met.contains(name));
                let is_there = run.editions.iter().any(|edition| edition.has(id));
                if !met.is_empty() && !is_there {
                    let distro = run.editions.first().map(|edition| &edition.plan.distro);
                    let known = distro
                        .map(|distro| versions_of(distro, id))
                        .unwrap_or_default();
                    let (package, distribution) = (id.clone(), run.backend);
                    return Err(Error::UnknownVersion {
                        package,
                        distribution,
                        known,
                    });
                }
                if is_there && (names.is_empty() || !met.is_empty()) {
                    packages.insert((run.backend, id.clone()));
                }
            }
        }
        if let (false, Some(gone)) = (unmet.is_empty(), gone) {
            return Err(gone);
        }
        let unknown = unmet.first().map(|name| (*name).to_owned());
        Ok(Self {
            all: names.is_empty(),
            packages,
            unknown,
        })
    }

    /// Returns true if a package is requested.
    pub(crate) fn has(&self, backend: Backend, id: &str) -> bool {
        // A set of pairs can't be searched by a borrowed id, so the id is copied.
        self.packages.contains(&(backend, id.to_owned()))
    }

    /// Returns the ids of a distribution's requested packages.
    pub(crate) fn of(&self, backend: Backend) -> impl Iterator<Item = &String> {
        self.packages
            .iter()
            .filter(move |(b, _)| *b == backend)
            .map(|(_, id)| id)
    }
}

/// Returns the versions of the package `id` that a distribution ships, and then the packages that
/// have a live version: `7.1.1, 7.2.0; 9999 exists for rocm-cmake`.
fn versions_of(distro: &Distro, id: &str) -> String {
    let own = distro
        .packages
        .get(id)
        .into_iter()
        .flat_map(|own| &own.0)
        .filter(|v| v.value != "default");
    let own: Vec<&str> = own.map(|v| v.value.as_str()).collect();
    let versions = if own.is_empty() {
        distro.version.value.clone()
    } else {
        own.join(", ")
    };
    let live = live(distro);
    let live: Vec<&str> = live.iter().map(String::as_str).collect();
    if live.is_empty() {
        versions
    } else {
        format!("{versions}; 9999 exists for {}", live.join(", "))
    }
}

/// Returns true if `findings` contain an error that stops all packages: one about a whole
/// distribution, or about no package or component in particular.
pub(crate) fn stopped_whole(findings: &Findings) -> bool {
    findings
        .owned()
        .filter(|(f, _)| f.severity == Severity::Error)
        .any(|(_, owners)| {
            owners.is_empty()
                || owners
                    .iter()
                    .any(|owner| matches!(owner, Owner::Distribution(_)))
        })
}

/// A requested package that is not rendered because of an error.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Stopped {
    /// The distribution.
    #[cfg_attr(feature = "serde", serde(rename = "distribution"))]
    pub backend: Backend,
    /// The package's id.
    pub package: String,
    /// The id of a package that this package needs and that has the error. None if this package has
    /// an error itself.
    pub needs: Option<String>,
}

/// The code of the error that a package rests on guesses and was requested by name, or can't be
/// left out.
const GUESSED: &str = "E0229";

impl<'m> RenderRun<'m> {
    /// Collects the results of `runs`. `names` are the names of the requested packages; none stands
    /// for all packages. `findings` are those from before the runs, and those of the runs are
    /// added.
    ///
    /// # Errors
    /// When a distribution has a named package, but not at the requested version.
    pub(crate) fn new(
        model: &'m Model,
        mut runs: Vec<Run>,
        names: &[String],
        mut findings: Findings,
    ) -> Result<Self, Error> {
        let asked = Selection::new(model, &runs, names)?;
        for run in &mut runs {
            findings.append(std::mem::take(&mut run.findings));
        }
        model.guesses.drop_from(&mut findings);
        Ok(Self {
            model,
            runs,
            asked,
            findings,
            left_out: Packages::new(),
            unfit: Unfit::new(),
        })
    }

    /// Checks that each requested name is that of a package.
    ///
    /// # Errors
    /// When a name is not. The error suggests the nearest name.
    pub(crate) fn check_names(&self) -> Result<(), Error> {
        let Some(name) = &self.asked.unknown else {
            return Ok(());
        };
        let backends: Vec<Backend> = self.runs.iter().map(|run| run.backend).collect();
        let plans = self
            .runs
            .iter()
            .flat_map(|run| &run.editions)
            .map(|edition| &edition.plan);
        let known = plans.flat_map(|p| {
            p.distro
                .packages
                .keys()
                .flat_map(|id| names_of(self.model, p, id))
        });
        let known: Vec<String> = known.collect();
        Err(unknown(
            self.model,
            &backends,
            "no package",
            name,
            known.iter().map(String::as_str),
        ))
    }

    /// Keeps the findings about the requested packages and about `causes`, the packages that they
    /// need and that have errors. Keeps all findings if all packages are requested.
    pub(crate) fn retain(&mut self, causes: &Packages) {
        if self.asked.all {
            return;
        }
        let about: Vec<_> = self.asked.packages.iter().chain(causes).collect();
        let components: BTreeSet<String> = about
            .iter()
            .flat_map(|(b, id)| self.model.all_components_of(b.distro(), id))
            .collect();
        self.findings.retain_of(|owner| match owner {
            Owner::Component(name) => components.contains(name),
            Owner::Distribution(name) => self.runs.iter().any(|run| run.backend.distro() == name),
            Owner::Package { distribution, id } => about
                .iter()
                .any(|(b, of)| b.distro() == distribution && of == id),
        });
    }

    /// Returns the requested packages that an error stops: an error of their own, or of a package
    /// that they need. A guess stops only its own package. Findings about packages that are neither
    /// requested nor such a cause are dropped.
    pub(crate) fn settle(&mut self) -> Vec<Stopped> {
        let (mut all, mut causes) = (Vec::new(), Packages::new());
        for run in &self.runs {
            let backend = run.backend;
            let faulty = self.faulty(run, |code| code != GUESSED);
            let guessed = self.faulty(run, |code| code == GUESSED);
            if faulty.is_empty() && guessed.is_empty() {
                continue;
            }
            let needs = run.needs(self.model);
            for id in self.asked.of(backend) {
                // Find the nearest packages with an error, beginning with the package itself.
                let (mut met, mut open) = (BTreeSet::from([id.as_str()]), vec![id.as_str()]);
                let mut cause = None;
                while let Some(at) = open.pop() {
                    if faulty.contains(at) || at == id && guessed.contains(at) {
                        cause.get_or_insert(at);
                        causes.insert((backend, at.to_owned()));
                        continue;
                    }
                    let next = needs.get(at).into_iter().flatten().map(String::as_str);
                    open.extend(next.filter(|id| met.insert(id)));
                }
                if let Some(cause) = cause {
                    let needs = Some(cause.to_owned()).filter(|cause| cause != id);
                    all.push(Stopped {
                        backend,
                        package: id.clone(),
                        needs,
                    });
                }
            }
        }
        self.retain(&causes);
        all
    }

    /// Returns the ids of the packages of a run that have an error, or whose component has one, and
    /// of packages whose profiles can't be read. Only errors whose code satisfies `is_meant` count.
    fn faulty<'r>(&self, run: &'r Run, is_meant: impl Fn(&str) -> bool) -> BTreeSet<&'r str> {
        let distro = run.backend.distro();
        let errors = self
            .findings
            .owned()
            .filter(|(f, _)| f.severity == Severity::Error && is_meant(f.code));
        let owners: BTreeSet<&Owner> = errors.flat_map(|(_, owners)| owners).collect();
        let is_faulty = |id: &str| {
            let own = Owner::package(distro, id);
            let mut parts = self.model.all_components_of(distro, id).into_iter();
            owners.contains(&own) || parts.any(|part| owners.contains(&Owner::Component(part)))
        };
        // A package without a live version is not missing if only live versions are rendered.
        let is_due = |id: &str| {
            run.editions.is_empty() || run.editions.iter().any(|edition| edition.has(id))
        };
        let made = run.made().into_iter();
        made.filter(|(id, made)| {
            let is_left_out = run.guessed.contains_key(*id) || run.without_sums.contains_key(*id);
            made.planned.is_empty() && is_due(id) && !is_left_out
                || !owners.is_empty() && is_faulty(id)
        })
        .map(|(id, _)| id)
        .collect()
    }

    /// Removes the packages `gone` from the requested ones.
    pub(crate) fn drop(&mut self, gone: &Packages) {
        self.asked
            .packages
            .retain(|package| !gone.contains(package));
    }

    /// Returns true if no requested package is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.asked.packages.is_empty()
    }

    /// Reports requested packages that rest on guesses. If `options` allow guesses, a review gets a
    /// note about them, and nothing else happens. Otherwise they are errors if they were requested
    /// by name. If they are part of a whole stack, they are added to `left_out`, with a warning.
    /// The plan of a scope does not contain them any more, nor the packages that refer to them.
    pub(crate) fn leave_out_guesses(&mut self, options: &Options) {
        // A user who allows guesses needs no note. A review lists them.
        if options.allow_guesses && !options.review {
            return;
        }
        for run in &self.runs {
            let backend = run.backend;
            if !run.guessed.is_empty() {
                let facts = run.guessed.iter().map(|(id, why)| format!("{id} ({why})"));
                let distro = backend.distro();
                let facts = facts.collect::<Vec<_>>().join(", ");
                let finding = Finding::warning("W0202", None, left_out(distro, &facts));
                let mut own = Findings::default();
                own.push(finding.hint("--allow-guesses renders them anyway"));
                self.findings
                    .append_of(&Owner::Distribution(distro.to_owned()), own);
                let ids = run.guessed.keys().cloned();
                self.left_out.extend(ids.map(|id| (backend, id)));
            }
            for edition in &run.editions {
                let wanted = |id: &str| edition.has(id) && self.asked.has(backend, id);
                let packages = edition.plan.packages.iter().filter(|p| wanted(&p.id));
                let resting: Vec<_> = packages.filter(|p| !p.package.guesses.is_empty()).collect();
                let Some(first) = resting.first().and_then(|p| p.package.guesses.first()) else {
                    continue;
                };
                let facts: Vec<String> = resting
                    .iter()
                    .map(|p| {
                        let about: Vec<&str> = p
                            .package
                            .guesses
                            .iter()
                            .map(|g| g.about.value.as_str())
                            .collect();
                        format!("{} ({})", p.name, about.join(", "))
                    })
                    .collect();
                let (facts, distro) = (facts.join(", "), backend.distro());
                let refused = !self.asked.all;
                let (code, severity, message) = match (options.allow_guesses, refused) {
                    (true, _) => (
                        "N0202",
                        Severity::Note,
                        format!("packages of {distro} that depend on guesses: {facts}"),
                    ),
                    (false, true) => (
                        "E0229",
                        Severity::Error,
                        format!("packages requested in {distro} depend on guesses: {facts}"),
                    ),
                    (false, false) => ("W0202", Severity::Warning, left_out(distro, &facts)),
                };
                let mut finding = Finding {
                    severity,
                    ..Finding::warning(code, None, message)
                };
                // Packages that are left out of a whole stack take one line. For requested ones,
                // the source is shown.
                if code != "W0202" {
                    let span = Some(first.about.span);
                    finding = Finding { span, ..finding }.label(first.reason.value.clone());
                }
                if !options.allow_guesses {
                    finding = finding.hint("--allow-guesses renders them anyway");
                }
                for p in &resting {
                    let mut own = Findings::default();
                    own.push(finding.clone());
                    self.findings.append_of(&edition.plan.owner(&p.id), own);
                }
                if !options.allow_guesses && !refused {
                    self.left_out
                        .extend(resting.iter().map(|p| (backend, p.id.clone())));
                }
            }
        }
    }
}

/// Returns the message about packages that are left out of a distribution. `facts` are the
/// packages, each with the reason.
fn left_out(distro: &str, facts: &str) -> String {
    format!("left out of {distro}, because they depend on guesses: {facts}")
}
