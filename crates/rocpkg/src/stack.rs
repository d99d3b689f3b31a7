//! The model with what is laid over it, and the questions that it answers.

use crate::backend::Backend;
use crate::check::Checked;
use crate::error::{Error, Problems};
use crate::folder::{Unread, read_folder};
use crate::guesses::{guessed, without};
use crate::names::unknown;
use crate::narrowed::{check_built, check_offered, find, registry};
use crate::options::Options;
use crate::rebuilds::{Rebuild, rebuilds};
use crate::shipped;
use crate::sums::{self, Decision};
use crate::tree::Tree;
use rocpkg_model::{Files, Finding, Findings, Severity, Sources};
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{
    Choice, DISTROS, Model, Plan, Proof, Recipes, check_unread, prove, unheard, unread_settings,
};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::OnceLock;
use std::thread;

/// What backends say of names that no package has.
const UNKNOWN_NAMES: [&str; 3] = ["E0205", "E0423", "E0501"];

/// What is printed of a plan, and what is proved of it.
type Printed = Result<(Rendered, Option<Proof>), Error>;

/// What became of one distribution.
struct Made {
    backend: Backend,
    /// The findings of its plan and its recipes.
    said: Findings,
    /// Its plan, if there is one, and what came of it.
    planned: Option<(Plan, Printed)>,
}

/// A model of the packages: the one that ships with rocpkg, with layers over it.
#[derive(Debug)]
pub struct Stack {
    /// The texts of each layer, and how it is called.
    layers: Vec<(String, Files)>,
    /// What should be a text and is none, by how it is called.
    unread: Vec<(String, Unread)>,
    templates: Templates,
    /// What the layers say, once somebody asks.
    read: OnceLock<(Model, Findings)>,
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
        Ok(Self { layers: Vec::new(), unread: Vec::new(), templates, read: OnceLock::new() })
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
        match options.decided {
            Decision::Written => tree.open = Some(allowed),
            Decision::Rendered => findings.append(sums::findings(&tree.unknown_sums, allowed)),
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
    pub fn check(&self, backends: &[Backend], choice: &Choice) -> Result<Checked, Error> {
        if !backends.is_empty() {
            self.require(backends)?;
        }
        let all = if backends.is_empty() { &Backend::ALL } else { backends };
        let options = Options::everything().choice(choice.clone()).review(true);
        let (tree, findings) = self.make_tree(self.model(), all, &options)?;
        Ok(Checked::new(tree, findings, choice))
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
        Ok(self.print(backend, plan, findings)?.1)
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
            let set = find(registry, text)?;
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
    fn backends(&self, asked: &[Backend]) -> Result<Vec<Backend>, Error> {
        let mut backends = asked.to_vec();
        if backends.is_empty() {
            backends = Backend::ALL.to_vec();
            backends.retain(|b| self.model().distros.contains_key(b.distro()));
            if backends.is_empty() {
                backends.push(Backend::Gentoo);
            }
        }
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
        let mut unread = false;
        let mut asked: BTreeMap<&str, bool> = options.packages.iter().map(|p| (p.as_str(), false)).collect();
        let made = self.make_all(model, backends, options);
        // Of a checksum nobody can say that it is in vain who has not seen the sources of all.
        let plans: Vec<&Plan> = made.iter().filter_map(|m| Some(&m.planned.as_ref()?.0)).collect();
        if plans.len() == DISTROS.len() && !findings.has_errors() {
            check_unread(model, &plans, &mut findings);
        }
        for Made { backend, said, planned } in made {
            findings.append(said);
            let Some((plan, printed)) = planned else { continue };
            unread |= !plan.unread.is_empty();
            let wanted = out.wanted(model, &plan, &mut asked);
            if options.review {
                review(backend, &plan, &printed, &mut findings);
            }
            let left_out = guessed(backend, &plan, options, &wanted, &mut findings);
            out.guessed.extend(left_out.iter().map(|id| (backend, id.clone())));
            let (rendered, proof) = printed?;
            out.proofs.extend(proof.map(|proof| (backend, proof)));
            let all = options.packages.is_empty();
            let again = rebuilds(backend, &plan, &options.rebuild)?.into_iter();
            let written = |r: &Rebuild| !left_out.contains(&r.id) && (all || wanted.contains(&r.id));
            out.rebuilt.extend(again.filter(written).map(|again| (backend, again)));
            if !all {
                out.note_profiles(model, &plan, &wanted);
            }
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
        let planned = Plan::new(model, backend.distro(), &options.choice, &mut said);
        let sound = !said.has_errors();
        if let Some(plan) = &planned {
            for other in Backend::ALL.into_iter().filter(|b| *b != backend) {
                unheard(plan, other.distro(), other.column(), &mut said);
            }
            unread_settings(plan, backend.column(), &mut said);
        }
        let planned = planned.map(|plan| {
            let printed = self.print(backend, &plan, &mut said).map(|(rendered, recipes)| {
                // The proof reads what the recipes say, so it is made of the very values that were printed.
                let registry = model.registry.as_ref().filter(|_| sound && plan.unread.is_empty());
                (rendered, registry.map(|registry| prove(&plan, registry, &recipes)))
            });
            (plan, printed)
        });
        Made { backend, said, planned }
    }

    fn print(
        &self,
        backend: Backend,
        plan: &Plan,
        findings: &mut Findings,
    ) -> Result<(Rendered, Recipes), Error> {
        let templates = &self.templates;
        Ok(match backend {
            Backend::Gentoo => rocpkg_gentoo::render(plan, templates, findings),
            Backend::Arch => rocpkg_arch::render(plan, templates, findings),
            Backend::Nix => rocpkg_nix::render(plan, templates, findings)?,
            Backend::Solus => rocpkg_solus::render(plan, findings),
        })
    }
}

fn missing(backend: Backend) -> Error {
    let distro = backend.distro();
    Error::asked(format!("no profile tells what {distro} ships: distros/{distro}.yaml is missing"))
}

/// Says what a reviewer of a distribution's packages asks: what they are built without, and what recipes leave out.
fn review(backend: Backend, plan: &Plan, printed: &Printed, findings: &mut Findings) {
    let mut note = |code, message, hint: &str| {
        let note = Finding { severity: Severity::Note, ..Finding::warning(code, None, message) };
        findings.push(note.hint(hint));
    };
    let distro = backend.distro();
    let lacking = plan.taken_back();
    if backend.is_reviewed() && !lacking.is_empty() {
        let each = lacking.iter().map(|(name, packages)| format!("{name} ({})", packages.join(", ")));
        let list = each.collect::<Vec<_>>().join(", ");
        let message = format!("upstream's builds ask for what packages of {distro} do without: {list}");
        note("N0203", message, "where nothing else brings it, a clean machine can't build the package");
    }
    if let Ok((rendered, _)) = printed
        && !rendered.left_out.is_empty()
    {
        let each = rendered.left_out.iter().map(|(what, packages)| format!("{what} ({})", some(packages)));
        let list = each.collect::<Vec<_>>().join("; ");
        let message = format!("recipes of {distro} leave out what components or habits say: {list}");
        note(
            "N0204",
            message,
            "where it matters, the package's overlay says it in the distribution's own way",
        );
    }
}

/// The first packages of a list, and how many more there are.
fn some(packages: &[String]) -> String {
    match packages {
        [a, b, c, _, more @ ..] => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}
