//! The whole stack in one call: model, plans, backends, one tree of files.

use rocpkg_model::{Findings, Sources};
use rocpkg_render::bash::Counts;
use rocpkg_render::{Companion, FileTree, Rendered, TemplateError, Templates, TreeError};
use rocpkg_resolve::{Choice, Model, Plan, Proof, Recipes, prove};
use std::collections::{BTreeMap, BTreeSet};

/// A backend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Backend {
    /// Ebuilds.
    Gentoo,
    /// PKGBUILDs.
    Arch,
    /// Nix expressions.
    Nix,
}

impl Backend {
    /// All backends in the order of output.
    pub const ALL: [Backend; 3] = [Backend::Gentoo, Backend::Arch, Backend::Nix];

    /// The folder of its output.
    pub fn folder(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nix",
        }
    }

    /// The name of its distribution's profile.
    pub fn distro(self) -> &'static str {
        match self {
            Self::Gentoo => "gentoo",
            Self::Arch => "arch",
            Self::Nix => "nixpkgs",
        }
    }
}

/// What is rendered.
#[derive(Clone, Debug)]
pub struct StackOptions {
    /// The backends.
    pub backends: Vec<Backend>,
    /// The versions.
    pub choice: Choice,
    /// Only these packages, by any of their names; all when empty.
    pub packages: Vec<String>,
    /// A PKGBUILD is rendered although a checksum is unknown.
    pub allow_missing: bool,
}

/// The rendered stack.
#[derive(Clone, Debug, Default)]
pub struct StackTree {
    /// The files, under `gentoo/`, `arch/` and `nix/`.
    pub files: FileTree,
    /// The folders that this rendering speaks of, for removing what went away.
    pub scope: Vec<String>,
    /// Files that the user supplies; paths as in `files`.
    pub companions: Vec<Companion>,
    /// What the proof says of each plan that has no fault.
    pub proofs: Vec<(Backend, Proof)>,
    /// Lines by origin, by backend.
    pub counts: BTreeMap<&'static str, Counts>,
    /// How many packages, by backend.
    pub packages: BTreeMap<&'static str, usize>,
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
        Ok(self.backend(backend, plan, true, findings)?.1)
    }

    fn backend(
        &self,
        backend: Backend,
        plan: &Plan,
        allow_missing: bool,
        findings: &mut Findings,
    ) -> Result<(Rendered, Recipes), StackError> {
        let templates = &self.templates;
        Ok(match backend {
            Backend::Gentoo => {
                rocpkg_gentoo::render(plan, templates, &rocpkg_gentoo::Options::default(), findings)
            }
            Backend::Arch => {
                rocpkg_arch::render(plan, templates, &rocpkg_arch::Options { allow_missing }, findings)
            }
            Backend::Nix => rocpkg_nix::render(plan, templates, findings)?,
        })
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
        let mut asked: BTreeMap<&str, bool> = options.packages.iter().map(|p| (p.as_str(), false)).collect();
        for &backend in &options.backends {
            let mut faults = Findings::default();
            let planned = Plan::new(&self.model, backend.distro(), &options.choice, &mut faults);
            let sound = !faults.has_errors();
            findings.append(faults);
            let Some(plan) = planned else { continue };
            let mut wanted = BTreeSet::new();
            for p in &plan.packages {
                let names = || [&p.id, &p.name].into_iter().chain(&p.components);
                out.names.extend(names().cloned());
                for (name, met) in &mut asked {
                    if names().any(|n| n.eq_ignore_ascii_case(name)) {
                        *met = true;
                        wanted.insert(p.id.clone());
                    }
                }
            }
            let (rendered, recipes) = self.backend(backend, &plan, options.allow_missing, findings)?;
            // The proof reads what the recipes say, so it is made of the very values that were printed.
            if let (true, Some(registry)) = (sound, &self.model.registry) {
                out.proofs.push((backend, prove(&plan, registry, &recipes)));
            }
            let all = options.packages.is_empty();
            out.packages.insert(backend.folder(), if all { plan.packages.len() } else { wanted.len() });
            out.take(backend, rendered, (!all).then_some(&wanted))?;
        }
        out.unknown = asked.into_iter().filter(|(_, met)| !met).map(|(n, _)| n.to_owned()).collect();
        Ok(out)
    }
}

impl StackTree {
    /// Takes the files of one backend: all, or those of the packages asked for.
    fn take(
        &mut self,
        backend: Backend,
        rendered: Rendered,
        wanted: Option<&BTreeSet<String>>,
    ) -> Result<(), StackError> {
        let folder = backend.folder();
        let Rendered { tree, owners, companions, counts } = rendered;
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
                    }
                }
            }
        }
        self.counts.insert(folder, counts);
        self.companions.extend(
            companions
                .into_iter()
                .filter(|c| wanted.is_none_or(|w| w.contains(&c.package)))
                .map(|c| Companion { path: format!("{folder}/{}", c.path), ..c }),
        );
        Ok(())
    }
}
