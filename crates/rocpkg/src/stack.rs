//! The model with layers merged over it, and the methods that render it and look up its facts.

use crate::backend::Backend;
use crate::error::{Error, Problems};
use crate::folder::{Unread, read_folder};
use crate::loaded::{Loaded, Variant};
use crate::narrowed::{check_offered, registry};
use crate::options::Options;
use crate::own;
use crate::package_output::{Run, make_all};
use crate::profile::Profile;
use crate::review::{contradictions, review};
use crate::select::{Packages, RenderRun, Unfit, stopped_whole};
use crate::sums;
use crate::tree::Tree;
use crate::unfit::{not_narrowed, unfit};
use rocpkg_model::{Files, Findings, Propagation, Severity, Sources};
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan, Proof, Recipes, Release};
use rocpkg_targets::Products;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::{Arc, OnceLock};

/// The shipped model, as the first stack without layers read it. The process reads it once.
static SHIPPED: OnceLock<Arc<Loaded>> = OnceLock::new();

/// A model of the packages: the model that ships with rocpkg, with layers merged over it.
#[derive(Clone, Debug)]
pub struct Stack {
    /// The name of each layer, and its texts by path.
    pub(crate) layers: Vec<(String, Files)>,
    /// The files of layers that can't be read as text, each with the path that findings show.
    unread: Vec<(String, Unread)>,
    pub(crate) templates: Templates,
    /// The merged layers, which are read on first use.
    read: OnceLock<Arc<Loaded>>,
    /// The model as it was read before layers were added or changed. Its files are not parsed
    /// again.
    before: Option<Arc<Loaded>>,
    /// The table of hardware names, which is read on first use.
    pub(crate) names: OnceLock<(Option<Products>, Findings)>,
}

impl Stack {
    /// Returns the model that ships with rocpkg.
    ///
    /// # Errors
    /// When a built-in template is broken.
    pub fn shipped() -> Result<Self, Error> {
        Ok(Self::empty()?.texts("", own::profiles()))
    }

    /// Returns a stack without any layer.
    ///
    /// # Errors
    /// When a built-in template is broken.
    pub fn empty() -> Result<Self, Error> {
        let templates = Templates::new(&own::templates())?;
        let (layers, unread) = (Vec::new(), Vec::new());
        Ok(Self {
            layers,
            unread,
            templates,
            read: OnceLock::new(),
            before: None,
            names: OnceLock::new(),
        })
    }

    /// Replaces shipped templates by those in `own`. A template replaces the shipped one of the
    /// same path, such as `gentoo/ebuild.j2`.
    ///
    /// # Errors
    /// When a text in `own` is no valid template.
    pub fn templates(mut self, own: Files) -> Result<Self, Error> {
        let mut all = own::templates();
        all.extend(own);
        self.templates = Templates::new(&all)?;
        Ok(self)
    }

    /// Returns a stack with `model`, which the caller read, and perhaps changed. `findings` are
    /// those of reading it.
    ///
    /// # Errors
    /// When a built-in template is broken.
    #[doc(hidden)]
    pub fn of_model(model: Model, findings: Findings) -> Result<Self, Error> {
        Ok(Self {
            read: OnceLock::from(Arc::new(Loaded::new(model, findings))),
            ..Self::empty()?
        })
    }

    /// Adds a folder of profiles as a layer. Its values override those of the layers before it.
    ///
    /// # Errors
    /// When the folder can't be read or contains no profile. Errors inside of a profile are
    /// reported later, for example by [`Stack::render`].
    pub fn layer(mut self, folder: impl AsRef<Path>) -> Result<Self, Error> {
        let folder = folder.as_ref();
        let (files, unread) = read_folder(folder)?;
        let shown = folder.display().to_string();
        if files.is_empty() && unread.is_empty() {
            return Err(Error::place(folder, "the folder contains no profile"));
        }
        self.unread.extend(
            unread
                .into_iter()
                .map(|u| (format!("{shown}/{}", u.path), u)),
        );
        Ok(self.texts(&shown, files))
    }

    /// Adds profiles as a layer: texts by path, such as `components/rocblas.yaml`. Findings show
    /// the layer by the name `name`.
    #[must_use]
    pub fn texts(mut self, name: &str, files: Files) -> Self {
        // A layer without files changes nothing.
        if !files.is_empty() {
            self.forget();
        }
        self.layers.push((name.to_owned(), files));
        self
    }

    /// Returns the stack with other texts in the layer with the index `at`. Files that can't be
    /// read as text are left out.
    pub(crate) fn with_texts(&self, at: usize, texts: &Files) -> Self {
        let mut stack = self.clone();
        if stack.layers[at].1 != *texts || !stack.unread.is_empty() {
            stack.forget();
            stack.unread.clear();
            stack.layers[at].1.clone_from(texts);
        }
        stack
    }

    /// Forgets the model, since its layers change.
    fn forget(&mut self) {
        self.before = self.read.take().or(self.before.take());
        self.names = OnceLock::new();
    }

    /// Merges a file of the model over the stack, as a layer of its own: a [`Package`], a
    /// [`Distribution`](crate::profile::Distribution) or any other [`Profile`] that is made from
    /// code. If a distribution does not have the package of an overlay, it is added to the
    /// packages.
    ///
    /// ```
    /// use rocpkg::profile::Package;
    /// use rocpkg::{Backend, Options, Stack};
    ///
    /// let ours = Package::component("rocblas").summary("Things for AMD GPUs");
    /// let options = Options { packages: vec!["rocblas".into()], backends: vec![Backend::Arch], ..Options::default() };
    /// let tree = Stack::shipped()?.with(ours).render(&options)?;
    /// assert!(tree.text("arch/rocblas/PKGBUILD").unwrap().contains("pkgdesc='Things for AMD GPUs'"));
    /// # Ok::<(), rocpkg::Error>(())
    /// ```
    ///
    /// [`Package`]: crate::profile::Package
    #[must_use]
    pub fn with(self, profile: impl Into<Profile>) -> Self {
        let profile = profile.into();
        let added = profile.overlay().filter(|(distro, id)| {
            let distro = self.model().distros.get(*distro);
            distro.is_none_or(|distro| !distro.packages.contains_key(*id))
        });
        let added = added.map(|(distro, id)| {
            Profile::new(&format!("distros/{distro}.yaml")).set(["packages", id], "default")
        });
        let files = added.iter().chain([&profile]);
        let files = files.map(|file| (file.path.clone(), file.to_string()));
        self.texts("code", files.collect())
    }

    /// Adds a layer that sets the method by which Gentoo's ebuilds pass GPU targets to their
    /// dependencies. Without propagation, the finding E0610 counts as known, since the caller chose
    /// the method.
    #[must_use]
    pub fn propagation(self, mode: Propagation) -> Self {
        const CODE: &str = "E0610";
        let distro = Backend::Gentoo.distro();
        let gentoo = self.model().distros.get(distro);
        let is_known = gentoo.is_some_and(|gentoo| {
            let mut known = gentoo.known.iter();
            known.any(|k| k.code.value == CODE && k.packages.is_empty())
        });
        let known = match (mode, is_known) {
            (Propagation::None, false) => {
                format!("known: [{{code: {CODE}, reason: it was chosen}}]\n")
            }
            (Propagation::Eclass | Propagation::Chunked, true) => {
                format!("known: {{{CODE}: ~}}\n")
            }
            _ => String::new(),
        };
        let text = format!("propagation: {}\n{known}", mode.word());
        let files = Files::from([(format!("distros/{distro}.yaml"), text)]);
        self.texts("propagation", files)
    }

    /// Returns the model with its findings and plans.
    pub(crate) fn loaded(&self) -> &Arc<Loaded> {
        self.read.get_or_init(|| match &self.layers[..] {
            [(name, files)] if name.is_empty() && own::is_shipped(files) => {
                Arc::clone(SHIPPED.get_or_init(|| Arc::new(self.load())))
            }
            _ => Arc::new(self.load()),
        })
    }

    /// Reads the layers. A file that another stack has read already is not parsed again.
    fn load(&self) -> Loaded {
        let before = self.before.as_ref().or_else(|| SHIPPED.get());
        let (mut model, mut findings) = match before {
            Some(before) => Model::load_after(&self.layers, before),
            None => Model::load(&self.layers),
        };
        for (shown, file) in &self.unread {
            findings.push(file.finding(shown, &mut model));
        }
        Loaded::new(model, findings)
    }

    /// Returns the model: all layers, merged.
    #[doc(hidden)]
    pub fn model(&self) -> &Model {
        self.loaded()
    }

    /// Returns the findings of reading the profiles.
    pub fn findings(&self) -> &Findings {
        &self.loaded().findings
    }

    /// Returns the texts of the profiles. Findings point into them.
    pub fn sources(&self) -> &Sources {
        &self.model().sources
    }

    /// Renders the packages of one distribution or of several.
    ///
    /// If packages are requested by name, an error in one of them does not keep the others from
    /// being rendered. [`Tree::stopped`] lists the packages that are not rendered.
    ///
    /// # Errors
    /// All errors in the profiles, dependencies whose GPU targets are proved to disagree, and
    /// requested names that no package has. Also unknown checksums and guesses that `options` do
    /// not allow, if no requested package can be rendered without them. The files of a returned
    /// tree can be used.
    pub fn render(&self, options: &Options) -> Result<Tree, Error> {
        self.render_without(options, &Packages::new(), &Unfit::new())
    }

    /// Renders as [`Stack::render`] does. The plans of scopes lack the packages `without`, whose
    /// checksums are unknown, and those that refer to them. They also lack the packages `known`,
    /// which can't be built for the requested GPUs.
    fn render_without(
        &self,
        options: &Options,
        without: &Packages,
        known: &Unfit,
    ) -> Result<Tree, Error> {
        let model = self.changed(options)?;
        let backends = self.backends(&options.backends)?;
        if !model.narrowed.is_empty() {
            check_offered(&model, &backends)?;
        }
        let mut render_run = self.proved(&model, &backends, options, without, known)?;
        let stopped = render_run.settle();
        let mut faults = Findings::default();
        if render_run.findings.has_errors() {
            render_run.drop(
                &stopped
                    .iter()
                    .map(|s| (s.backend, s.package.clone()))
                    .collect(),
            );
            if render_run.asked.all || render_run.is_empty() || stopped_whole(&render_run.findings)
            {
                return Err(self.wrong(render_run.findings));
            }
            faults = render_run.findings.split_off_errors();
        }
        render_run.check_names()?;
        let mut tree = Tree::of(render_run, options)?;
        let wrong = unfit(&model, tree.proofs.iter().map(|(b, proof)| (*b, proof)));
        if !wrong.is_empty() {
            return Err(not_narrowed(&model, &wrong));
        }
        (tree.stopped, tree.faults) = (stopped, faults);
        tree.open = options
            .decide_when_written
            .then_some(options.allows_missing());
        if !options.decide_when_written {
            if let Some(next) = self.without_lacking(&tree, options.allows_missing())? {
                return Ok(next);
            }
            let lacking = sums::findings(tree.lacking(), options.allows_missing());
            tree.stop(lacking)
                .map_err(|findings| self.wrong(findings))?;
        }
        Ok(tree)
    }

    /// Plans, prints and proves all packages that `options` request, as [`Stack::render_run`] does,
    /// with the disagreements of the proofs as findings. If the user requested GPUs and a whole
    /// stack, the packages that can't be built for these GPUs are left out. `without` and `known`
    /// are as in [`Stack::render_without`].
    ///
    /// # Errors
    /// If no package can be built for the requested GPUs.
    pub(crate) fn proved<'m>(
        &self,
        model: &'m Loaded,
        backends: &[Backend],
        options: &Options,
        without: &Packages,
        known: &Unfit,
    ) -> Result<RenderRun<'m>, Error> {
        let lacking = without.iter().chain(known.keys()).cloned().collect();
        let mut render_run = self.render_run(model, backends, options, &lacking)?;
        render_run.unfit.clone_from(known);
        let is_sound = !render_run.findings.has_errors();
        for run in &render_run.runs {
            // The GPU targets of a new package may not be known yet. That is no error here, and
            // `check` reports it.
            for found in run.proofs.iter().map(Proof::disagreements) {
                // A bare tree lacks the overlays. These state the policies for GPU targets that a
                // package can't be built for, so a disagreement is only a warning.
                render_run.findings.append(if options.bare {
                    found.weakened()
                } else {
                    found
                });
            }
        }
        if !model.narrowed.is_empty() && render_run.asked.all {
            render_run.leave_out_unfit(is_sound)?;
            let mut new = render_run
                .unfit
                .keys()
                .filter(|key| !known.contains_key(*key));
            // A scope can't refer to a package that it lacks, so it is planned without them.
            if new.any(|(backend, _)| backend.needs_all()) {
                return self.proved(model, backends, options, without, &render_run.unfit);
            }
        }
        Ok(render_run)
    }

    /// Renders a tree again without the packages of scopes that lack a checksum. Returns None if no
    /// scope lacks one, if they are `allowed` to, or if no package would remain.
    ///
    /// # Errors
    /// The errors of [`Stack::render`].
    pub(crate) fn without_lacking(
        &self,
        tree: &Tree,
        allowed: bool,
    ) -> Result<Option<Tree>, Error> {
        let gone = tree.left_out_of_scope().filter(|_| !allowed);
        let next = gone.map(|gone| self.render_without(&tree.asked, &gone, &tree.unfit));
        Ok(next.transpose()?.filter(|next| !next.owners.is_empty()))
    }

    /// Returns the packages of a distribution at the version `choice`, in build order, with their
    /// versions, sources, dependency edges and GPU targets.
    ///
    /// # Errors
    /// All errors in the profiles.
    #[doc(hidden)]
    pub fn plan(&self, backend: Backend, choice: &Choice) -> Result<Plan, Error> {
        self.require(&[backend])?;
        self.plans(&[backend], choice, &[])?
            .0
            .pop()
            .ok_or_else(|| missing(backend))
    }

    /// Returns the plan of each distribution at the version `choice`, and the findings about the
    /// packages that `names` names. If `names` is empty, the findings are about all packages.
    ///
    /// # Errors
    /// All errors among these findings.
    #[doc(hidden)]
    pub fn plans(
        &self,
        backends: &[Backend],
        choice: &Choice,
        names: &[String],
    ) -> Result<(Vec<Plan>, Findings), Error> {
        let mut findings = self.findings().clone();
        let made = |b: &Backend| {
            let plan = self.loaded().plan(*b, choice, &mut findings)?;
            Some(Run::of_plan(*b, plan))
        };
        let runs: Vec<Run> = backends.iter().filter_map(made).collect();
        let mut render_run = RenderRun::new(self.model(), runs, names, findings)?;
        render_run.retain(&Packages::new());
        if render_run.findings.has_errors() {
            return Err(self.problems(render_run.findings));
        }
        let plans = render_run
            .runs
            .into_iter()
            .flat_map(|run| run.editions)
            .map(|edition| edition.plan);
        Ok((plans.collect(), render_run.findings))
    }

    /// Returns the GPU targets that the recipes of a distribution pass to upstream's build. The
    /// result also states who chooses these targets: the user, or the packager for everybody.
    /// Findings of the rendering are added to `findings`.
    ///
    /// # Errors
    /// When a built-in template is broken, or this build of the library lacks the backend.
    #[doc(hidden)]
    pub fn recipes(
        &self,
        backend: Backend,
        plan: &Plan,
        findings: &mut Findings,
    ) -> Result<Recipes, Error> {
        self.require(&[backend])?;
        let distribution = backend.implementation();
        Ok(distribution.recipes(plan, &self.templates, findings)?)
    }

    /// Renders even if there are errors, so the tree may be unusable. For tests of findings.
    ///
    /// # Errors
    /// When an option can't be met.
    #[doc(hidden)]
    pub fn attempt(&self, options: &Options) -> Result<(Tree, Findings), Error> {
        let model = self.changed(options)?;
        let tree = self.make_tree(&model, &self.backends(&options.backends)?, options)?;
        let mut findings = tree.findings.clone();
        if !findings.has_errors() {
            findings.append(sums::findings(tree.lacking(), options.allows_missing()));
        }
        Ok((tree, findings))
    }

    /// Returns the findings as an error, with the profiles' texts that they point into.
    pub(crate) fn problems(&self, findings: Findings) -> Error {
        Error::Findings(Box::new(Problems {
            findings,
            sources: self.sources().clone(),
        }))
    }

    /// Returns the findings as an error, for recipes that are not written. Warnings about these
    /// recipes are dropped.
    pub(crate) fn wrong(&self, mut findings: Findings) -> Error {
        // Warnings about recipes that are not written may be mere consequences of the errors.
        let written = |code: &str| Backend::ALL.into_iter().any(|b| b.says(code));
        findings.retain(|f| f.severity != Severity::Warning || !written(f.code));
        self.problems(findings)
    }

    /// Returns the model with the changes that the options `bare`, `maintainers` and `targets`
    /// make.
    ///
    /// # Errors
    /// When `targets` names something else than GPUs, or the table of GPU targets can't be read.
    pub(crate) fn changed(&self, options: &Options) -> Result<Arc<Loaded>, Error> {
        let maintainers = options.maintainers.as_ref();
        let maintainers =
            maintainers.and_then(|all| Some((all.clone(), self.backends(&options.backends).ok()?)));
        let is_read = self.model().registry.is_some() || !self.findings().has_errors();
        let variant = Variant {
            bare: options.bare,
            maintainers,
            targets: options.targets.clone().filter(|_| is_read),
        };
        let Variant {
            bare,
            maintainers,
            targets,
        } = variant.clone();
        self.loaded().variant(variant, |model| {
            if bare {
                model.strip_overlays();
            }
            let (people, backends) = maintainers.unwrap_or_default();
            for backend in backends {
                model.maintained_by(backend.distro(), &people);
            }
            if let Some(text) = targets {
                let registry = registry(model)?;
                let set = self.targets(&text)?;
                model.narrowed = set.iter().map(|t| registry.name(t).to_owned()).collect();
            }
            Ok(())
        })
    }

    /// Returns the distributions `asked`, or all that the profiles describe if `asked` is empty.
    /// The result is sorted. If the profiles describe no distribution, the error names Gentoo.
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

    /// Returns the model's spelling of `release`: 10.0.0 for 10.0. Returns None if the model does
    /// not have the release.
    pub(crate) fn listed(&self, release: &Release) -> Option<Release> {
        let line = self.model().lines.get(&release.line())?;
        let mut all = line.versions.keys().filter_map(|v| v.parse().ok());
        all.find(|listed| listed == release)
    }

    /// Returns the model's release for the version that a recipe states. Returns None if the model
    /// has no such release, or if the version is None.
    #[cfg(feature = "checkout")]
    pub(crate) fn release_of(&self, version: Option<&str>) -> Option<Release> {
        self.listed(&version?.parse().ok()?)
    }

    /// Returns the model's newest release that is older than the release of `version`. Returns None
    /// if the model does not have the release of `version`, or no older one.
    #[cfg(feature = "checkout")]
    pub(crate) fn release_before(&self, version: Option<&str>) -> Option<Release> {
        let release = self.release_of(version)?;
        let lines = self.model().lines.values();
        let all = lines.flat_map(|line| line.versions.keys());
        let all = all.filter_map(|v| v.parse::<Release>().ok());
        all.filter(|other| *other < release).max()
    }

    /// Returns an error for a distribution that this build of rocpkg lacks, or that no profile
    /// describes. If the profiles have errors, a missing description is no further error: its file
    /// may be the one that can't be read.
    pub(crate) fn require(&self, backends: &[Backend]) -> Result<(), Error> {
        if let Some(other) = backends.iter().find(|b| !Backend::ALL.contains(b)) {
            return Err(Error::NotBuilt(*other));
        }
        let missed = backends
            .iter()
            .find(|b| !self.model().distros.contains_key(b.distro()));
        missed
            .filter(|_| !self.findings().has_errors())
            .map_or(Ok(()), |b| Err(missing(*b)))
    }

    /// Plans, prints and proves all packages that `options` request, even if the findings have
    /// errors. The plans of scopes lack the packages `without`, whose checksums are unknown.
    pub(crate) fn render_run<'m>(
        &self,
        model: &'m Loaded,
        backends: &[Backend],
        options: &Options,
        without: &Packages,
    ) -> Result<RenderRun<'m>, Error> {
        let one = backends.iter().find(|b| !b.keeps_several());
        let is_of_many = options.choices.len() > 1 || options.choices.contains(&Choice::Live);
        if let Some(one) = one.filter(|_| is_of_many) {
            return Err(Error::OneRelease(*one));
        }
        let runs = make_all(&self.templates, model, backends, options, without, None)?;
        self.render_run_of(model, runs, options)
    }

    /// Collects the results of `runs`, as [`Stack::render_run`] does.
    fn render_run_of<'m>(
        &self,
        model: &'m Loaded,
        runs: Vec<Run>,
        options: &Options,
    ) -> Result<RenderRun<'m>, Error> {
        let mut render_run =
            RenderRun::new(model, runs, &options.packages, self.findings().clone())?;
        render_run.leave_out_guesses(options);
        if options.review {
            model
                .registry
                .iter()
                .for_each(|registry| contradictions(registry, &mut render_run.findings));
            for run in &render_run.runs {
                if let Some(edition) = run.editions.first() {
                    review(
                        run.backend,
                        &edition.plan,
                        &run.rendered,
                        &mut render_run.findings,
                    );
                }
            }
        }
        report_circles_once(&mut render_run.findings);
        Ok(render_run)
    }

    /// Renders the packages with the ids `only` of one distribution, even if there are errors.
    /// Nothing is proved.
    #[cfg(feature = "checkout")]
    pub(crate) fn make_only(
        &self,
        backend: Backend,
        options: &Options,
        only: &BTreeSet<String>,
    ) -> Result<Tree, Error> {
        let model = self.changed(options)?;
        let none = Packages::new();
        let runs = make_all(
            &self.templates,
            &model,
            &[backend],
            options,
            &none,
            Some(only),
        )?;
        let mut render_run = self.render_run_of(&model, runs, options)?;
        render_run.settle();
        Tree::of(render_run, options)
    }

    /// Renders a tree even if there are errors. The tree's findings contain them.
    pub(crate) fn make_tree(
        &self,
        model: &Loaded,
        backends: &[Backend],
        options: &Options,
    ) -> Result<Tree, Error> {
        let mut render_run = self.render_run(model, backends, options, &Packages::new())?;
        render_run.settle();
        Tree::of(render_run, options)
    }
}

/// Keeps one finding about each cycle of dependencies. A cycle may pass through more packages in
/// some distributions, so it is recognized by its position in the profiles.
pub(crate) fn report_circles_once(findings: &mut Findings) {
    let mut circles = BTreeSet::new();
    findings.retain(|f| f.code != CIRCLE || circles.insert(f.span));
}

/// The code of the error that packages depend on each other in a cycle.
const CIRCLE: &str = "E0206";

pub(crate) fn missing(backend: Backend) -> Error {
    Error::UnknownDistribution(backend)
}
