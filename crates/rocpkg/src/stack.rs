//! The whole stack in one call: model, plans, backends, one tree of files.

use crate::backend::Backend;
use crate::guesses::{guessed, without};
use rocpkg_model::{Finding, Findings, Severity, Sources};
use rocpkg_render::bash::Counts;
use rocpkg_render::{Companion, FileTree, Listing, Rendered, TemplateError, Templates, TreeError};
use rocpkg_resolve::{
    Choice, DISTROS, Model, Plan, Proof, Recipes, check_unread, prove, unheard, unread_settings,
};
use std::collections::{BTreeMap, BTreeSet};
use std::panic::resume_unwind;
use std::thread;

/// The stack of a thread, in bytes: expressions nest as deeply as a package has conditions, of which there may be some thousand.
const STACK: usize = 64 * 1024 * 1024;

/// What backends say of names that no package has.
const UNKNOWN_NAMES: [&str; 3] = ["E0205", "E0423", "E0501"];

/// What is rendered.
#[derive(Clone, Debug)]
pub struct StackOptions {
    /// The backends.
    pub backends: Vec<Backend>,
    /// The versions.
    pub choice: Choice,
    /// Only these packages, by any of their names; all when empty.
    pub packages: Vec<String>,
    /// A PKGBUILD or package.yml is rendered although a checksum is unknown, and a Manifest that does not know all archives.
    pub allow_missing: bool,
    /// Packages that rest on guesses are rendered too. Without this they are left out, and refused when they are asked for.
    pub allow_guesses: bool,
    /// Habits that a reviewer would object to are noted, where the distribution has them too.
    pub review: bool,
}

impl StackOptions {
    /// All that is known of what ships: what rests on guesses and what lacks a checksum too.
    pub fn everything() -> Self {
        Self {
            backends: Backend::ALL.to_vec(),
            choice: Choice::Shipped,
            packages: Vec::new(),
            allow_missing: true,
            allow_guesses: true,
            review: false,
        }
    }
}

/// The rendered stack.
#[derive(Clone, Debug, Default)]
pub struct StackTree {
    /// The files, each distribution's under the folder of its backend.
    pub files: FileTree,
    /// The folders that this rendering speaks of, for removing what went away.
    pub scope: Vec<String>,
    /// Files that the user supplies; paths as in `files`.
    pub companions: Vec<Companion>,
    /// What belongs to a whole distribution's tree, when only some packages were asked for: they need it, and it is
    /// written where it is not there yet.
    pub shared: FileTree,
    /// Lists of archives; paths as in `files`.
    pub listings: Vec<Listing>,
    /// The files that go on from those that lie in their places, and whose they are; paths as in `files`.
    pub continued: BTreeMap<String, Backend>,
    /// The profiles that speak of the packages asked for and no others; absent when all were.
    pub profiles: Option<BTreeSet<String>>,
    /// What the proof says of each plan that has no fault.
    pub proofs: Vec<(Backend, Proof)>,
    /// Lines by origin, by backend.
    pub counts: BTreeMap<&'static str, Counts>,
    /// How many packages, by backend.
    pub packages: BTreeMap<Backend, usize>,
    /// Names asked for that no package of these distributions has.
    pub unknown: Vec<String>,
    /// Names that packages have, for a hint.
    pub names: BTreeSet<String>,
}

/// A stack that could not be rendered for a reason that is not a finding of the model.
#[derive(Debug, thiserror::Error)]
pub enum StackError {
    /// A template is broken.
    #[error(transparent)]
    Template(#[from] TemplateError),
    /// Two files meet, or a path is not plain.
    #[error(transparent)]
    Tree(#[from] TreeError),
    /// The system starts no thread.
    #[error("the system starts no thread: {0}")]
    Thread(#[from] std::io::Error),
}

/// What is printed of a plan, and what is proved of it.
type Printed = Result<(Rendered, Option<Proof>), StackError>;

/// What became of one distribution.
struct Made {
    backend: Backend,
    /// The findings of its plan and its recipes.
    said: Findings,
    /// Its plan, if there is one, and what came of it.
    planned: Option<(Plan, Printed)>,
}

/// A model and its templates, ready to render.
#[derive(Debug)]
pub struct Stack {
    model: Model,
    templates: Templates,
}

impl Stack {
    /// Takes a model and the templates by path (`gentoo/ebuild.j2`).
    ///
    /// # Errors
    /// When a template can't be read.
    pub fn new(model: Model, templates: &BTreeMap<String, String>) -> Result<Self, StackError> {
        Ok(Self { model, templates: Templates::new(templates)? })
    }

    /// The model.
    pub fn model(&self) -> &Model {
        &self.model
    }

    /// What the recipes of a backend pass to upstream's build.
    ///
    /// # Errors
    /// When a template is broken.
    pub fn recipes(
        &self,
        backend: Backend,
        plan: &Plan,
        findings: &mut Findings,
    ) -> Result<Recipes, StackError> {
        Ok(self.backend(backend, plan, &StackOptions::everything(), findings)?.1)
    }

    fn backend(
        &self,
        backend: Backend,
        plan: &Plan,
        options: &StackOptions,
        findings: &mut Findings,
    ) -> Result<(Rendered, Recipes), StackError> {
        let templates = &self.templates;
        Ok(match backend {
            Backend::Gentoo => {
                let options = rocpkg_gentoo::Options {
                    partial_manifests: options.allow_missing,
                    review: options.review,
                    ..rocpkg_gentoo::Options::default()
                };
                rocpkg_gentoo::render(plan, templates, &options, findings)
            }
            Backend::Arch => {
                let options = rocpkg_arch::Options { allow_missing: options.allow_missing };
                rocpkg_arch::render(plan, templates, &options, findings)
            }
            Backend::Nix => rocpkg_nix::render(plan, templates, findings)?,
            Backend::Solus => {
                let options = rocpkg_solus::Options { allow_missing: options.allow_missing };
                rocpkg_solus::render(plan, &options, findings)
            }
        })
    }

    /// Says which packages are built without what upstream's build asks for.
    fn lacking_dependencies(backend: Backend, plan: &Plan, findings: &mut Findings) {
        let lacking = plan.taken_back();
        if lacking.is_empty() {
            return;
        }
        let each = lacking.iter().map(|(name, packages)| format!("{name} ({})", packages.join(", ")));
        let list = each.collect::<Vec<_>>().join(", ");
        let message =
            format!("upstream's builds ask for what packages of {} do without: {list}", backend.distro());
        let note = Finding { severity: Severity::Note, ..Finding::warning("N0203", None, message) };
        findings.push(note.hint("where nothing else brings it, a clean machine can't build the package"));
    }

    /// The profile files, for showing findings.
    pub fn sources(&self) -> &Sources {
        &self.model.sources
    }

    /// Renders; when `findings` then holds an error, nothing of the tree may be used.
    ///
    /// # Errors
    /// When a template or a path is broken.
    pub fn render(&self, options: &StackOptions, findings: &mut Findings) -> Result<StackTree, StackError> {
        let mut out = StackTree::default();
        let mut unread = false;
        let mut asked: BTreeMap<&str, bool> = options.packages.iter().map(|p| (p.as_str(), false)).collect();
        // The distributions know nothing of each other.
        let made: Result<Vec<Made>, std::io::Error> = thread::scope(|s| {
            let make = |&backend| {
                let run = move || self.make(backend, options);
                thread::Builder::new().stack_size(STACK).spawn_scoped(s, run)
            };
            let running: Vec<_> = options.backends.iter().map(make).collect();
            let join =
                |r: thread::ScopedJoinHandle<'_, Made>| r.join().unwrap_or_else(|panic| resume_unwind(panic));
            running.into_iter().map(|r| r.map(join)).collect()
        });
        let made = made?;
        // Of a checksum nobody can say that it is in vain who has not seen the sources of all.
        let plans: Vec<&Plan> = made.iter().filter_map(|m| Some(&m.planned.as_ref()?.0)).collect();
        if plans.len() == DISTROS.len() && !findings.has_errors() {
            check_unread(&self.model, &plans, findings);
        }
        for Made { backend, said, planned } in made {
            findings.append(said);
            let Some((plan, printed)) = planned else { continue };
            unread |= !plan.unread.is_empty();
            let wanted = self.wanted(&plan, &mut asked, &mut out);
            if options.review && backend.is_reviewed() {
                Self::lacking_dependencies(backend, &plan, findings);
            }
            if options.review {
                left_out(backend, &printed, findings);
            }
            let left_out = guessed(backend, &plan, options, &wanted, findings);
            let (rendered, proof) = printed?;
            out.proofs.extend(proof.map(|proof| (backend, proof)));
            let all = options.packages.is_empty();
            if !all {
                self.note_profiles(&plan, &wanted, &mut out);
            }
            let count = if all { plan.packages.len() - left_out.len() } else { wanted.len() };
            out.packages.insert(backend, count);
            out.take(backend, without(rendered, &left_out)?, (!all).then_some(&wanted))?;
        }
        findings.retain(|f| out.concerns(f, &self.model.sources));
        // A name that nobody knows may be one of what could not be read.
        let name = |f: &Finding| f.severity == Severity::Error && UNKNOWN_NAMES.contains(&f.code);
        if unread && findings.any(|f| f.severity == Severity::Error && !name(f)) {
            findings.retain(|f| !name(f));
        }
        out.unknown = asked.into_iter().filter(|(_, met)| !met).map(|(n, _)| n.to_owned()).collect();
        Ok(out)
    }

    /// Plans, prints and proves one distribution.
    fn make(&self, backend: Backend, options: &StackOptions) -> Made {
        let mut said = Findings::default();
        let planned = Plan::new(&self.model, backend.distro(), &options.choice, &mut said);
        let sound = !said.has_errors();
        if let Some(plan) = &planned {
            for other in Backend::ALL.into_iter().filter(|b| *b != backend) {
                unheard(plan, other.distro(), other.own_habits(), &mut said);
            }
            unread_settings(plan, backend.settings(), &mut said);
        }
        let planned = planned.map(|plan| {
            let printed = self.backend(backend, &plan, options, &mut said).map(|(rendered, recipes)| {
                // The proof reads what the recipes say, so it is made of the very values that were printed.
                let registry = self.model.registry.as_ref().filter(|_| sound);
                (rendered, registry.map(|registry| prove(&plan, registry, &recipes)))
            });
            (plan, printed)
        });
        Made { backend, said, planned }
    }

    /// The packages asked for by their ids, which are known even where a package can't be read.
    fn wanted(&self, plan: &Plan, asked: &mut BTreeMap<&str, bool>, out: &mut StackTree) -> BTreeSet<String> {
        let mut wanted = BTreeSet::new();
        for id in plan.distro.packages.keys() {
            let mut names = [vec![id.clone()], self.model.components_of(&plan.distro_name, id)].concat();
            names.extend(plan.get(id).map(|p| p.name.clone()));
            for (name, met) in asked.iter_mut() {
                if names.iter().any(|n| n.eq_ignore_ascii_case(name)) {
                    *met = true;
                    wanted.insert(id.clone());
                }
            }
            out.names.extend(names);
        }
        wanted
    }

    /// The profiles of some packages, and of what they need that could not be read: without it an edge would be missing.
    fn note_profiles(&self, plan: &Plan, wanted: &BTreeSet<String>, out: &mut StackTree) {
        let distro = plan.distro_name.as_str();
        let mut ids: BTreeSet<&str> = wanted.iter().map(String::as_str).collect();
        let unread: Vec<&String> =
            plan.distro.packages.keys().filter(|id| plan.unread.contains(*id)).collect();
        for p in plan.packages.iter().filter(|p| wanted.contains(&p.id)) {
            for name in p.package.depends.keys().filter(|name| plan.unread.contains(*name)) {
                let of = |id: &&&String| **id == name || self.model.components_of(distro, id).contains(name);
                let before = ids.len();
                ids.extend(unread.iter().filter(of).map(|id| id.as_str()));
                // An overlay that can't be read does not say what its package is made of.
                if ids.len() == before {
                    ids.extend(unread.iter().map(|id| id.as_str()));
                }
            }
        }
        let profiles = out.profiles.get_or_insert_with(BTreeSet::new);
        for id in ids {
            profiles.insert(format!("distros/{distro}/{id}.yaml"));
            let components = self.model.components_of(distro, id);
            profiles.extend(components.iter().map(|c| format!("components/{c}.yaml")));
        }
    }
}

/// Says what the recipes of a distribution leave out of what components and habits say.
fn left_out(backend: Backend, printed: &Printed, findings: &mut Findings) {
    let Ok((rendered, _)) = printed else { return };
    if rendered.left_out.is_empty() {
        return;
    }
    let each = rendered.left_out.iter().map(|(what, packages)| format!("{what} ({})", some(packages)));
    let list = each.collect::<Vec<_>>().join("; ");
    let message = format!("recipes of {} leave out what components or habits say: {list}", backend.distro());
    let note = Finding { severity: Severity::Note, ..Finding::warning("N0204", None, message) };
    findings.push(note.hint("where it matters, the package's overlay says it in the distribution's own way"));
}

/// The first packages of a list, and how many more there are.
fn some(packages: &[String]) -> String {
    match packages {
        [a, b, c, _, more @ ..] => format!("{a}, {b}, {c} and {} more", more.len() + 1),
        few => few.join(", "),
    }
}

impl StackTree {
    /// True for a finding that has to do with what was asked for: about one of its profiles, or about what all packages share.
    pub fn concerns(&self, finding: &Finding, sources: &Sources) -> bool {
        // What nobody reads may have been meant for it.
        if matches!(finding.code, "E0120" | "E0122") {
            return true;
        }
        let Some(profiles) = &self.profiles else { return true };
        let Some(file) = finding.span.and_then(|s| sources.get(s.file)) else { return true };
        // A path begins with the folder of its layer.
        let parts: Vec<&str> = file.path.rsplit('/').take(3).collect();
        let profile = match parts.as_slice() {
            [file, "components", ..] => format!("components/{file}"),
            [file, distro, "distros"] => format!("distros/{distro}/{file}"),
            _ => return true,
        };
        profiles.contains(&profile)
    }

    /// The same files as they lie in a checkout of a distribution's own repository; those of other distributions fall away.
    ///
    /// # Errors
    /// When two files meet.
    pub fn in_checkout(mut self, backend: Backend) -> Result<Self, StackError> {
        let place = |path: &str| -> Option<String> {
            let (name, file) = path.strip_prefix(backend.folder())?.strip_prefix('/')?.split_once('/')?;
            Some(format!("{}/{file}", backend.in_checkout(name)))
        };
        for tree in [&mut self.files, &mut self.shared] {
            let mut moved = FileTree::default();
            for (path, bytes) in tree.iter() {
                if let Some(path) = place(path.as_str()) {
                    moved.insert(path, bytes)?;
                }
            }
            *tree = moved;
        }
        let all = self.scope.iter().any(|s| s == backend.folder());
        let folder = |p: &str| p.rsplit_once('/').map(|(folder, _)| folder.to_owned());
        let packages: Vec<String> = self.files.iter().filter_map(|(p, _)| folder(p.as_str())).collect();
        self.scope = if all { vec!["packages".to_owned()] } else { packages };
        let companions = std::mem::take(&mut self.companions).into_iter();
        self.companions = companions.filter_map(|c| Some(Companion { path: place(&c.path)?, ..c })).collect();
        let continued = std::mem::take(&mut self.continued).into_iter();
        self.continued = continued.filter_map(|(path, c)| Some((place(&path)?, c))).collect();
        self.listings.clear();
        Ok(self)
    }

    /// Takes the files of one backend: all, or those of the packages asked for.
    fn take(
        &mut self,
        backend: Backend,
        rendered: Rendered,
        wanted: Option<&BTreeSet<String>>,
    ) -> Result<(), StackError> {
        let folder = backend.folder();
        let Rendered { tree, owners, companions, listings, continued, counts, left_out: _ } = rendered;
        self.continued.extend(continued.into_iter().map(|path| (format!("{folder}/{path}"), backend)));
        let ours = |id: &str| wanted.is_none_or(|w| w.contains(id));
        let listings = listings.into_iter().filter(|l| ours(&l.package));
        self.listings.extend(listings.map(|l| Listing { path: format!("{folder}/{}", l.path), ..l }));
        match wanted {
            None => {
                self.scope.push(folder.to_owned());
                self.files.graft(folder, tree)?;
            }
            Some(wanted) => {
                for (path, bytes) in tree.iter() {
                    if owners.get(path.as_str()).is_some_and(|id| wanted.contains(id)) {
                        let at = format!("{folder}/{path}");
                        if let Some((home, _)) = at.rsplit_once('/')
                            && !self.scope.iter().any(|s| s == home)
                        {
                            self.scope.push(home.to_owned());
                        }
                        self.files.insert(at, bytes)?;
                    } else if !owners.contains_key(path.as_str()) {
                        self.shared.insert(format!("{folder}/{path}"), bytes)?;
                    }
                }
            }
        }
        self.counts.insert(folder, counts);
        self.companions.extend(
            companions
                .into_iter()
                .filter(|c| c.package.is_empty() || ours(&c.package))
                .map(|c| Companion { path: format!("{folder}/{}", c.path), ..c }),
        );
        Ok(())
    }
}
