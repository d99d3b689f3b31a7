//! The model with what is laid over it, and the questions that it answers.

use crate::backend::Backend;
use crate::check::Checked;
use crate::editions::Editions;
use crate::error::{Error, Problems};
use crate::folder::{Unread, read_folder};
use crate::made::{Edition, Run, make_all, plan, print};
use crate::narrowed::{check_built, check_offered, registry};
use crate::options::Options;
use crate::rebuilds::{Rebuild, rebuilds};
use crate::review::{contradictions, review};
use crate::select::{Asked, guessed, stopped};
use crate::shipped;
use crate::sums;
use crate::tree::Tree;
use rocpkg_model::{Files, Findings, Severity, Sources};
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan, Recipes};
use rocpkg_targets::Products;
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::OnceLock;

/// A model of the packages: the one that ships with rocpkg, with layers over it.
#[derive(Debug)]
pub struct Stack {
    /// The texts of each layer, and how it is called.
    pub(crate) layers: Vec<(String, Files)>,
    /// What should be a text and is none, by how it is called.
    unread: Vec<(String, Unread)>,
    pub(crate) templates: Templates,
    /// What the layers say, once somebody asks.
    read: OnceLock<(Model, Findings)>,
    /// What names of hardware are looked up in, once somebody asks.
    pub(crate) names: OnceLock<(Option<Products>, Findings)>,
}

impl Stack {
    /// The model that ships with rocpkg.
    ///
    /// # Errors
    /// When a built-in template is broken.
    pub fn shipped() -> Result<Self, Error> {
        Ok(Self::empty()?.texts("", shipped::profiles()))
    }

    /// Nothing but what is laid over it.
    ///
    /// # Errors
    /// As [`Stack::shipped`].
    pub fn empty() -> Result<Self, Error> {
        let templates = Templates::new(&shipped::templates())?;
        let (layers, unread) = (Vec::new(), Vec::new());
        Ok(Self { layers, unread, templates, read: OnceLock::new(), names: OnceLock::new() })
    }

    /// A model that was read, and perhaps changed, by the caller.
    ///
    /// # Errors
    /// As [`Stack::shipped`].
    pub fn of_model(model: Model, findings: Findings) -> Result<Self, Error> {
        Ok(Self { read: OnceLock::from((model, findings)), ..Self::empty()? })
    }

    /// Lays a folder of profiles over the model: it changes what the layers before it say.
    ///
    /// # Errors
    /// When the folder can't be read or holds no profile. What is wrong inside of a profile is told by what asks next.
    pub fn layer(mut self, folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let (files, unread) = read_folder(folder)?;
        let shown = folder.display().to_string();
        if files.is_empty() && unread.is_empty() {
            return Err(Error::asked(format!("{shown}: the folder holds no profile")));
        }
        self.unread.extend(unread.into_iter().map(|u| (format!("{shown}/{}", u.path), u)));
        Ok(self.texts(&shown, files))
    }

    /// Lays profiles over the model: texts by path, such as `components/rocblas.yaml`. Findings call the layer by its name.
    #[must_use]
    pub fn texts(mut self, name: &str, files: Files) -> Self {
        self.layers.push((name.to_owned(), files));
        self.read = OnceLock::new();
        self.names = OnceLock::new();
        self
    }

    fn read(&self) -> &(Model, Findings) {
        self.read.get_or_init(|| {
            let (mut model, mut findings) = Model::load(&self.layers);
            for (shown, file) in &self.unread {
                findings.push(file.finding(shown, &mut model));
            }
            (model, findings)
        })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.read().0
    }

    /// What was found when the profiles were read.
    pub fn findings(&self) -> &Findings {
        &self.read().1
    }

    /// The profiles' texts, for showing findings.
    pub fn sources(&self) -> &Sources {
        &self.model().sources
    }

    /// Renders the packages of one distribution or of several.
    ///
    /// Packages that are asked for by name are rendered though others of those have a fault: [`Tree::stopped`] tells which are not.
    ///
    /// # Errors
    /// All that is wrong with the profiles, what is proved to disagree about GPU targets, and names that nothing has. Whoever has a
    /// tree has one that may be used.
    pub fn render(&self, options: &Options) -> Result<Tree, Error> {
        let model = self.changed(options)?;
        let backends = self.backends(&options.backends)?;
        if !model.narrowed.is_empty() {
            check_offered(&model, &backends)?;
        }
        let Trip { runs, mut asked, mut findings, left_out } = self.trip(&model, &backends, options)?;
        // What a new package is built for may not be known yet: `check` says so.
        for proof in runs.iter().flat_map(|run| &run.proofs) {
            let found = proof.disagreements();
            // A bare tree is there to be looked at, and policies stand in overlays.
            findings.append(if options.bare { found.weakened() } else { found });
        }
        if !options.decide_when_written {
            for run in &runs {
                let unknown = run.rendered.unknown_sums().filter(|u| asked.has(run.backend, &u.package));
                let unknown = unknown.map(|u| (run.backend, u));
                findings.append(sums::findings(unknown, options.allows_missing()));
            }
        }
        let (stopped, causes) = stopped(&model, &runs, &asked, &findings);
        asked.retain(&model, &runs, &causes, &mut findings);
        let gone: BTreeSet<_> = stopped.iter().map(|s| (s.backend, s.package.clone())).collect();
        let mut faults = Findings::default();
        if findings.has_errors() {
            let whole = asked.all;
            asked.drop(&gone);
            if whole || asked.is_empty() || Asked::stopped_whole(&findings) {
                return Err(self.wrong(findings));
            }
            faults = findings.split_off_errors();
        }
        asked.check(&model, &runs)?;
        asked.drop(&left_out);
        let mut tree = Self::tree(runs, &asked, options)?;
        if !model.narrowed.is_empty() {
            check_built(&model, &tree.proofs)?;
        }
        tree.guessed = left_out;
        tree.open = options.decide_when_written.then_some(options.allows_missing());
        (tree.stopped, tree.faults, tree.findings) = (stopped, faults, findings);
        Ok(tree)
    }

    /// Lists every finding of some distributions, or of all, with the proof that GPU targets agree over every dependency.
    ///
    /// # Errors
    /// When no profile tells of a distribution. What is wrong with the profiles is no error here: it is among the findings.
    pub fn check(&self, backends: &[Backend], choices: &[Choice]) -> Result<Checked, Error> {
        let names = self.read_names().1.clone();
        if !backends.is_empty() {
            self.require(backends)?;
        }
        let all = if backends.is_empty() { &Backend::ALL } else { backends };
        let options = Options { choices: choices.to_vec(), review: true, ..Options::everything() };
        let Trip { runs, mut findings, .. } = self.trip(self.model(), all, &options)?;
        findings.append(names);
        let as_shipped = choices.iter().all(|choice| *choice == Choice::Shipped);
        Ok(Checked::new(runs, findings, as_shipped))
    }

    /// The packages of a distribution in build order, with their versions, sources, edges and target sets.
    ///
    /// # Errors
    /// All that is wrong with the profiles.
    pub fn plan(&self, backend: Backend, choice: &Choice) -> Result<Plan, Error> {
        self.require(&[backend])?;
        self.plans(&[backend], choice, &[])?.0.pop().ok_or_else(|| missing(backend))
    }

    /// The same of several distributions, and what was found of the packages of these names; of all where none is named.
    ///
    /// # Errors
    /// All that is wrong with them.
    pub fn plans(
        &self,
        backends: &[Backend],
        choice: &Choice,
        names: &[String],
    ) -> Result<(Vec<Plan>, Findings), Error> {
        let mut findings = self.findings().clone();
        let made = |b: &Backend| {
            let (made, found) = plan(self.model(), *b, choice, None);
            findings.append(found);
            Some(Run::of_plan(*b, made?))
        };
        let runs: Vec<Run> = backends.iter().filter_map(made).collect();
        let asked = Asked::new(self.model(), &runs, names)?;
        asked.retain(self.model(), &runs, &BTreeSet::new(), &mut findings);
        if findings.has_errors() {
            return Err(self.problems(findings));
        }
        let plans = runs.into_iter().flat_map(|run| run.editions).map(|edition| edition.plan);
        Ok((plans.collect(), findings))
    }

    /// What the recipes of a backend pass to upstream's build.
    ///
    /// # Errors
    /// When a built-in template is broken.
    pub fn recipes(&self, backend: Backend, plan: &Plan, findings: &mut Findings) -> Result<Recipes, Error> {
        // Laying an expression out takes longer than all else that is done to it.
        if backend == Backend::Nix {
            return Ok(rocpkg_nix::recipes(plan, findings));
        }
        let edition = Edition { plan: plan.clone(), ids: None };
        let mut recipes = print(&self.templates, backend, &[edition], findings)?.1;
        Ok(recipes.remove(0))
    }

    /// Renders whatever is found: the tree may be of no use. For tests of what is found.
    ///
    /// # Errors
    /// When an option can't be met.
    #[doc(hidden)]
    pub fn attempt(&self, options: &Options) -> Result<(Tree, Findings), Error> {
        let (tree, mut findings) =
            self.make_tree(&*self.changed(options)?, &self.backends(&options.backends)?, options)?;
        if !findings.has_errors() {
            findings.append(sums::findings(tree.lacking(), options.allows_missing()));
        }
        Ok((tree, findings))
    }

    /// The findings as an error.
    pub(crate) fn problems(&self, findings: Findings) -> Error {
        Error::Findings(Box::new(Problems { findings, sources: self.sources().clone() }))
    }

    /// The same of what is not written.
    pub(crate) fn wrong(&self, mut findings: Findings) -> Error {
        // What is doubtful about an output that is not written may come of the faults alone.
        let written = |code: &str| Backend::ALL.into_iter().any(|b| b.says(code));
        findings.retain(|f| f.severity != Severity::Warning || !written(f.code));
        self.problems(findings)
    }

    /// The model as some options change it.
    pub(crate) fn changed(&self, options: &Options) -> Result<Cow<'_, Model>, Error> {
        let mut model = Cow::Borrowed(self.model());
        if options.bare {
            model.to_mut().strip_overlays();
        }
        if let Some(text) = &options.targets
            && (model.registry.is_some() || !self.findings().has_errors())
        {
            let registry = registry(&model)?;
            let set = self.targets(text)?;
            let names = set.iter().map(|t| registry.name(t).to_owned()).collect();
            model.to_mut().narrowed = names;
        }
        Ok(model)
    }

    /// The distributions that are asked for, or all that the profiles know; of an empty folder, the first is missed.
    pub(crate) fn backends(&self, asked: &[Backend]) -> Result<Vec<Backend>, Error> {
        let mut backends = asked.to_vec();
        if backends.is_empty() {
            backends = Backend::ALL.to_vec();
            backends.retain(|b| self.model().distros.contains_key(b.distro()));
            if backends.is_empty() {
                backends.push(Backend::Gentoo);
            }
        }
        backends.sort_unstable();
        backends.dedup();
        self.require(&backends)?;
        Ok(backends)
    }

    /// Refuses a distribution that no profile tells of; a file that can't be read is a finding already.
    fn require(&self, backends: &[Backend]) -> Result<(), Error> {
        let missed = backends.iter().find(|b| !self.model().distros.contains_key(b.distro()));
        missed.filter(|_| !self.findings().has_errors()).map_or(Ok(()), |b| Err(missing(*b)))
    }

    /// Makes all that is asked for, whatever is found.
    pub(crate) fn trip(&self, model: &Model, backends: &[Backend], options: &Options) -> Result<Trip, Error> {
        let mut findings = self.findings().clone();
        if let Some(registry) = model.registry.as_ref().filter(|_| options.review) {
            contradictions(registry, &mut findings);
        }
        Editions::check(backends, &options.choices)?;
        let mut runs = make_all(&self.templates, model, backends, options)?;
        let asked = Asked::new(model, &runs, &options.packages)?;
        for run in &mut runs {
            findings.append(std::mem::take(&mut run.findings));
        }
        let left_out = guessed(&runs, &asked, options, &mut findings);
        if options.review {
            for run in &runs {
                if let Some(edition) = run.editions.first() {
                    review(run.backend, &edition.plan, &run.rendered, &mut findings);
                }
            }
        }
        // A circle is longer where a distribution has another way round, and one edge too many all the same.
        let mut circles = BTreeSet::new();
        findings.retain(|f| f.code != CIRCLE || circles.insert(f.span));
        Ok(Trip { runs, asked, findings, left_out })
    }

    /// What is asked for of some runs.
    fn tree(runs: Vec<Run>, asked: &Asked, options: &Options) -> Result<Tree, Error> {
        let mut out = Tree::default();
        for run in runs {
            let backend = run.backend;
            if let Some(edition) = run.editions.first() {
                let again = rebuilds(backend, &edition.plan, &options.rebuild)?.into_iter();
                let written = |r: &Rebuild| asked.has(backend, &r.id);
                out.rebuilt.extend(again.filter(written).map(|again| (backend, again)));
                out.packages.insert(backend, asked.of(backend).count());
                out.take(run, asked)?;
            }
        }
        Ok(out)
    }

    /// Renders, whatever is found.
    pub(crate) fn make_tree(
        &self,
        model: &Model,
        backends: &[Backend],
        options: &Options,
    ) -> Result<(Tree, Findings), Error> {
        let Trip { runs, mut asked, mut findings, left_out } = self.trip(model, backends, options)?;
        let (_, causes) = stopped(model, &runs, &asked, &findings);
        asked.retain(model, &runs, &causes, &mut findings);
        asked.drop(&left_out);
        let mut tree = Self::tree(runs, &asked, options)?;
        tree.guessed = left_out;
        Ok((tree, findings))
    }
}

/// The code of packages that need each other.
const CIRCLE: &str = "E0206";

/// What one run made, with what of it is asked for and what was found.
pub(crate) struct Trip {
    pub(crate) runs: Vec<Run>,
    pub(crate) asked: Asked,
    pub(crate) findings: Findings,
    /// Packages that are left out, since they rest on guesses.
    pub(crate) left_out: BTreeSet<(Backend, String)>,
}

pub(crate) fn missing(backend: Backend) -> Error {
    let distro = backend.distro();
    Error::asked(format!("no profile tells what {distro} ships: distros/{distro}.yaml is missing"))
}
