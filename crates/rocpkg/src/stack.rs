//! The model with what is laid over it, and the questions that it answers.

use crate::addresses::address;
use crate::backend::Backend;
use crate::check::Checked;
use crate::editions;
use crate::error::{Error, Problems};
use crate::folder::{Unread, read_folder};
use crate::guesses::{guessed, without};
use crate::names::unknown;
use crate::narrowed::{check_built, check_offered, registry};
use crate::options::Options;
use crate::rebuilds::{Rebuild, rebuilds};
use crate::review::{contradictions, review};
use crate::shipped;
use crate::sums;
use crate::tree::{Tree, concerns, profiles};
use rocpkg_model::{Files, Finding, Findings, Severity, Sources};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{
    Choice, DISTROS, Model, Plan, Proof, Recipes, check_unread, prove, unheard, unread_settings,
};
use rocpkg_targets::Products;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

/// What backends say of names that no package has.
const UNKNOWN_NAMES: [&str; 3] = ["E0205", "E0423", "E0501"];

/// What is printed of some plans, and what is proved of each.
type Printed = Result<(Rendered, Vec<Proof>), Error>;

/// A plan with the ids of the packages that are of it; all where none are named.
type Edition = (Plan, Option<BTreeSet<String>>);

/// What became of one distribution.
struct Made {
    backend: Backend,
    /// The findings of its plans and its recipes.
    said: Findings,
    /// Its plans, one a version; none where one can't be made.
    editions: Vec<Edition>,
    printed: Printed,
}

/// A model of the packages: the one that ships with rocpkg, with layers over it.
#[derive(Debug)]
pub struct Stack {
    /// The texts of each layer, and how it is called.
    pub(crate) layers: Vec<(String, Files)>,
    /// What should be a text and is none, by how it is called.
    unread: Vec<(String, Unread)>,
    templates: Templates,
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
    /// # Errors
    /// All that is wrong with the profiles, what is proved to disagree about GPU targets, and names that nothing has. Whoever has a
    /// tree has one that may be used.
    pub fn render(&self, options: &Options) -> Result<Tree, Error> {
        let model = self.changed(options)?;
        let backends = self.backends(&options.backends)?;
        if !model.narrowed.is_empty() {
            check_offered(&model, &backends)?;
        }
        let (mut tree, mut findings) = self.make_tree(&model, &backends, options)?;
        // What a new package is built for may not be known yet: `check` says so.
        for mut f in tree.proofs.iter().flat_map(|(_, proof)| proof.disagreements()).cloned() {
            if options.bare {
                // A bare tree is there to be looked at, and policies stand in overlays.
                f.severity = Severity::Warning;
            }
            if tree.concerns(&f, &model.sources) {
                findings.push(f);
            }
        }
        if !model.narrowed.is_empty() && !findings.has_errors() {
            check_built(&model, &tree.proofs)?;
        }
        if findings.has_errors() {
            return Err(self.wrong(findings));
        }
        if let Some(name) = tree.unknown.first() {
            let known = tree.names.iter().map(String::as_str);
            return Err(unknown(&model, &backends, "no package", name, known));
        }
        let allowed = options.allows_missing();
        if options.decide_when_written {
            tree.open = Some(allowed);
        } else {
            findings.append(sums::findings(&tree.unknown_sums, allowed));
        }
        if findings.has_errors() {
            return Err(self.wrong(findings));
        }
        tree.findings = findings;
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
        let (tree, mut findings) = self.make_tree(self.model(), all, &options)?;
        findings.append(names);
        let as_shipped = choices.iter().all(|choice| *choice == Choice::Shipped);
        Ok(Checked::new(tree, findings, as_shipped))
    }

    /// The packages of a distribution in build order, with their versions, sources, edges and target sets.
    ///
    /// # Errors
    /// All that is wrong with the profiles.
    pub fn plan(&self, backend: Backend, choice: &Choice) -> Result<Plan, Error> {
        self.require(&[backend])?;
        self.plans(&[backend], choice)?.0.pop().ok_or_else(|| missing(backend))
    }

    /// The same of several distributions, and what was found.
    ///
    /// # Errors
    /// All that is wrong with the profiles.
    pub fn plans(&self, backends: &[Backend], choice: &Choice) -> Result<(Vec<Plan>, Findings), Error> {
        let mut findings = self.findings().clone();
        let plan = |b: &Backend| Plan::new(self.model(), b.distro(), choice, &mut findings);
        let plans = backends.iter().filter_map(plan).collect();
        if findings.has_errors() { Err(self.problems(findings)) } else { Ok((plans, findings)) }
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
        let mut recipes = self.print(backend, &[(plan, None)], findings)?.1;
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
            findings.append(sums::findings(&tree.unknown_sums, options.allows_missing()));
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
        if options.propagation.is_some()
            && let Some(gentoo) = model.to_mut().distros.get_mut(Backend::Gentoo.distro())
        {
            gentoo.propagation = options.propagation;
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

    /// Renders, whatever is found.
    pub(crate) fn make_tree(
        &self,
        model: &Model,
        backends: &[Backend],
        options: &Options,
    ) -> Result<(Tree, Findings), Error> {
        let mut out = Tree::default();
        let mut findings = self.findings().clone();
        if let Some(registry) = model.registry.as_ref().filter(|_| options.review) {
            contradictions(registry, &mut findings);
        }
        let mut unread = false;
        let mut asked: BTreeMap<&str, bool> = options.packages.iter().map(|p| (p.as_str(), false)).collect();
        editions::check(backends, &options.choices)?;
        let made = self.make_all(model, backends, options);
        // Of a checksum nobody can say that it is in vain who has not seen the sources of all.
        let is_all = made.len() == DISTROS.len() && made.iter().all(|m| !m.editions.is_empty());
        if is_all && !findings.has_errors() {
            let plans: Vec<&Plan> = made.iter().flat_map(|m| &m.editions).map(|(plan, _)| plan).collect();
            check_unread(model, &plans, &mut findings);
        }
        let all = options.packages.is_empty();
        for Made { backend, said, editions, printed } in made {
            findings.append(said);
            let (mut wanted, mut left_out) = (BTreeSet::new(), BTreeSet::new());
            let mut met = BTreeSet::new();
            for (plan, ids) in &editions {
                unread |= !plan.unread.is_empty();
                let mut named = out.wanted(model, plan, &mut asked);
                met.extend(named.iter().cloned());
                named.retain(|id| ids.as_ref().is_none_or(|ids| ids.contains(id)));
                if !all {
                    out.note_profiles(model, plan, &named);
                }
                let of = if all { ids.as_ref() } else { Some(&named) };
                left_out.extend(guessed(backend, plan, options, of, &mut findings));
                wanted.extend(named);
            }
            if let Some(id) = met.difference(&wanted).next() {
                return Err(Error::asked(format!(
                    "no such version is known of `{id}` in {}",
                    backend.distro()
                )));
            }
            let Some((plan, _)) = editions.first() else { continue };
            if options.review {
                let rendered = printed.as_ref().ok().map(|(rendered, _)| rendered);
                review(backend, plan, rendered, &mut findings);
            }
            out.guessed.extend(left_out.iter().map(|id| (backend, id.clone())));
            let (mut rendered, proofs) = printed?;
            for c in &mut rendered.companions {
                c.address = c.address.take().or_else(|| address(model, plan, backend, c));
            }
            out.proofs.extend(proofs.into_iter().map(|mut proof| {
                proof.built.retain(|id, _| !left_out.contains(id));
                (backend, proof)
            }));
            let again = rebuilds(backend, plan, &options.rebuild)?.into_iter();
            let written = |r: &Rebuild| !left_out.contains(&r.id) && (all || wanted.contains(&r.id));
            out.rebuilt.extend(again.filter(written).map(|again| (backend, again)));
            let count = if all { plan.packages.len() - left_out.len() } else { wanted.len() };
            out.packages.insert(backend, count);
            out.take(backend, without(rendered, &left_out)?, (!all).then_some(&wanted))?;
        }
        findings.retain(|f| out.concerns(f, &model.sources));
        // A circle is longer where a distribution has another way round, and one edge too many all the same.
        let mut circles = BTreeSet::new();
        findings.retain(|f| f.code != "E0206" || circles.insert(f.span));
        // A name that nobody knows may be one of what could not be read.
        let name = |f: &Finding| f.severity == Severity::Error && UNKNOWN_NAMES.contains(&f.code);
        if unread && findings.any(|f| f.severity == Severity::Error && !name(f)) {
            findings.retain(|f| !name(f));
        }
        out.unknown = asked.into_iter().filter(|(_, met)| !met).map(|(n, _)| n.to_owned()).collect();
        Ok((out, findings))
    }

    /// Makes each distribution beside the others, of which it knows nothing.
    fn make_all(&self, model: &Model, backends: &[Backend], options: &Options) -> Vec<Made> {
        thread::scope(|s| {
            let make = |&backend| s.spawn(move || self.make(model, backend, options));
            let running: Vec<_> = backends.iter().map(make).collect();
            running.into_iter().map(|r| r.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
        })
    }

    /// Plans, prints and proves one distribution.
    fn make(&self, model: &Model, backend: Backend, options: &Options) -> Made {
        let mut said = Findings::default();
        let mut editions: Vec<Edition> = Vec::new();
        let choices = editions::of(backend, model.distros.get(backend.distro()), options, &mut said);
        let asked = choices.len();
        for (choice, ids) in choices {
            let (plan, found) = plan(model, backend, &choice, ids.as_ref());
            said.append(found);
            editions.extend(plan.map(|plan| (plan, ids)));
        }
        if editions.len() < asked {
            editions.clear();
        }
        let sound = !said.has_errors();
        for (plan, ids) in &editions {
            let mut found = Findings::default();
            for other in Backend::ALL.into_iter().filter(|b| *b != backend) {
                unheard(plan, other.distro(), other.column(), &mut found);
            }
            unread_settings(plan, backend.column(), &mut found);
            said.append(of_packages(model, plan, ids.as_ref(), found));
        }
        let mut found = Findings::default();
        let each: Vec<_> = editions.iter().map(|(plan, ids)| (plan, ids.as_ref())).collect();
        let printed = self.print(backend, &each, &mut found).map(|(rendered, recipes)| {
            // The proof reads what the recipes say, so it is made of the very values that were printed.
            let proofs = model.registry.iter().filter(|_| sound).flat_map(|registry| {
                let each = editions.iter().zip(&recipes).filter(|((plan, _), _)| plan.unread.is_empty());
                each.map(|((plan, ids), recipes)| {
                    let mut proof = prove(plan, registry, recipes);
                    proof.findings = of_packages(model, plan, ids.as_ref(), proof.findings);
                    proof
                })
            });
            (rendered, proofs.collect())
        });
        // What is printed of no plan is not looked at.
        let profiles: Option<Vec<_>> =
            editions.iter().map(|(plan, ids)| Some(profiles(model, plan, ids.as_ref()?))).collect();
        if let Some(profiles) = profiles.map(|each| each.into_iter().flatten().collect()) {
            found.retain(|f| concerns(&profiles, f, &model.sources));
        }
        said.append(found);
        Made { backend, said, editions, printed }
    }

    /// The recipes of some plans, with what those of each pass on.
    pub(crate) fn print(
        &self,
        backend: Backend,
        editions: &[(&Plan, Option<&BTreeSet<String>>)],
        findings: &mut Findings,
    ) -> Result<(Rendered, Vec<Recipes>), Error> {
        let templates = &self.templates;
        let Some((plan, _)) = editions.first() else { return Ok(Default::default()) };
        let (rendered, recipes) = match backend {
            Backend::Gentoo => {
                let editions = editions.iter();
                let editions: Vec<_> = editions
                    .map(|(plan, packages)| rocpkg_gentoo::Edition { plan, packages: *packages })
                    .collect();
                return Ok(rocpkg_gentoo::render(&editions, templates, findings));
            }
            Backend::Arch => rocpkg_arch::render(plan, templates, findings),
            Backend::Nix => rocpkg_nix::render(plan, templates, findings)?,
            Backend::Solus => rocpkg_solus::render(plan, findings),
        };
        Ok((rendered, vec![recipes]))
    }
}

/// A plan of a version, and what is found that has to do with the packages that are of it.
pub(crate) fn plan(
    model: &Model,
    backend: Backend,
    choice: &Choice,
    ids: Option<&BTreeSet<String>>,
) -> (Option<Plan>, Findings) {
    let mut found = Findings::default();
    let plan = Plan::new(model, backend.distro(), choice, &mut found);
    let found = match &plan {
        Some(plan) => of_packages(model, plan, ids, found),
        None => found,
    };
    (plan, found)
}

/// The findings that have to do with some packages.
fn of_packages(model: &Model, plan: &Plan, ids: Option<&BTreeSet<String>>, mut found: Findings) -> Findings {
    if let Some(ids) = ids {
        let profiles = profiles(model, plan, ids);
        found.retain(|f| concerns(&profiles, f, &model.sources));
    }
    found
}

pub(crate) fn missing(backend: Backend) -> Error {
    let distro = backend.distro();
    Error::asked(format!("no profile tells what {distro} ships: distros/{distro}.yaml is missing"))
}
