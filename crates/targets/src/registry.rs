//! The registry: every target by name, checked once, so that later questions can't fail.

use crate::set::{Target, TargetSet};
use crate::{Declared, Official, Scheduled};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A ROCm release as major, minor, patch; a missing patch is 0. Orders as releases do, so `10.0` follows `7.2.4`.
pub type Release = (u32, u32, u32);

/// One processor as LLVM's AMDGPU usage table has it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Processor {
    /// LLVM's name, such as `gfx90a`.
    pub name: String,
    /// The microarchitecture, such as `CDNA2`.
    pub family: String,
    /// Whether it is part of an APU, as opposed to a card of its own.
    pub apu: bool,
    /// The oldest of LLVM 13, 14, 15, 16, 19 and 22 whose table has it.
    pub llvm: u32,
    /// The products that carry it, as their vendor writes them.
    pub products: Vec<String>,
    /// LLVM's other names, such as `fiji`.
    pub alternatives: Vec<String>,
    /// The names of its chips in AMD's drivers.
    pub codenames: Vec<String>,
    /// Whether code may state the xnack mode.
    pub xnack: bool,
    /// Whether code may state the sramecc mode.
    pub sramecc: bool,
    /// The generic target that covers it; checked against [`Generic::covers`].
    pub generic: Option<String>,
}

/// A processor that LLVM has dropped and that distributions' older lists still name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Removed {
    /// LLVM's former name.
    pub name: String,
    /// The oldest of LLVM 13, 14, 15, 16, 19 and 22 whose table had it.
    pub llvm: u32,
    /// Whether code could state the xnack mode.
    pub xnack: bool,
    /// Whether code could state the sramecc mode.
    pub sramecc: bool,
    /// When it went.
    pub reason: String,
    /// The microarchitecture; empty where it is not known.
    pub family: String,
    /// The products that carry it.
    pub products: Vec<String>,
    /// The names of its chips in AMD's drivers.
    pub codenames: Vec<String>,
}

/// A generic target: one code object for several processors, which LLVM promises to load on each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Generic {
    /// LLVM's name, such as `gfx11-generic`.
    pub name: String,
    /// The processors that load it.
    pub covers: Vec<String>,
    /// The oldest of LLVM 13, 14, 15, 16, 19 and 22 whose table has it.
    pub llvm: u32,
    /// Whether code may state the xnack mode.
    pub xnack: bool,
    /// Whether code may state the sramecc mode.
    pub sramecc: bool,
}

/// A name that target lists hold and that is no processor, such as `amdgcnspirv`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pseudo {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub meaning: String,
}

/// A named list of targets, as upstream's superbuild has them: `gfx110X-all`, `dgpu-all`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Family {
    /// The name.
    pub name: String,
    /// Its targets.
    pub targets: Vec<String>,
}

/// Code objects that the distributions' patches let load on processors other than their own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CompatGroup {
    /// The common beginning of the names, which names the group.
    pub root: String,
    /// Processors whose code objects may be loaded elsewhere.
    pub code_objects: Vec<String>,
    /// The GPUs that load them.
    pub agents: Vec<String>,
    /// What to know about the group.
    pub note: String,
}

/// One place in upstream's sources that must be patched for [`CompatGroup`] to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PatchSite {
    /// Component and file or function.
    pub site: String,
    /// The component that needs it; whatever runs device code when none is named.
    pub component: Option<String>,
    /// The first release that needs it; none when all do.
    pub since: Option<Release>,
}

/// What is known of telling the runtime that a GPU is another, by `HSA_OVERRIDE_GFX_VERSION`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Override {
    /// The GPUs.
    pub gpus: Vec<String>,
    /// The value.
    pub value: String,
    /// `works`, `mixed` or `hangs`.
    pub outcome: &'static str,
    /// Why.
    pub reason: String,
    /// Who says so.
    pub source: String,
}

/// All that a [`Registry`] is made of. The order of the lists is the registry's order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RegistryInput {
    /// Section `processors`.
    pub processors: Vec<Processor>,
    /// Section `removed`.
    pub removed: Vec<Removed>,
    /// Section `generics`.
    pub generics: Vec<Generic>,
    /// Section `pseudo`.
    pub pseudo: Vec<Pseudo>,
    /// Section `families`.
    pub families: Vec<Family>,
    /// Section `isa-compat`, its `groups`.
    pub groups: Vec<CompatGroup>,
    /// Section `isa-compat`, its `patch-sites`.
    pub patch_sites: Vec<PatchSite>,
    /// Section `overrides`.
    pub overrides: Vec<Override>,
    /// Section `declared`.
    pub declared: Option<Declared>,
    /// Section `scheduled`.
    pub scheduled: Option<Scheduled>,
    /// Section `support-classes`, its `official`, by the first release of each list.
    pub official: Vec<Official>,
}

/// What sort of target a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A processor that LLVM knows: a GPU that people own.
    Processor,
    /// A processor that LLVM has dropped.
    Removed,
    /// A generic target: code for it runs on several processors, no GPU is one.
    Generic,
    /// A name in lists that is no processor.
    Pseudo,
}

/// A fault of the registry's data.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RegistryError {
    /// Two targets, families or alternatives share a name.
    #[error("`{0}` is declared twice")]
    Duplicate(String),
    /// A list names a target that the registry doesn't have.
    #[error("`{place}` names `{name}`, which is no processor or target of the registry")]
    Unknown {
        /// The section and entry.
        place: String,
        /// The name.
        name: String,
    },
    /// A processor's `generic` and the generic's `covers` disagree.
    #[error("`{processor}` and `{generic}` disagree on whether one covers the other")]
    GenericDisagrees {
        /// The processor.
        processor: String,
        /// The generic target.
        generic: String,
    },
    /// More targets than a set has bits.
    #[error("{0} targets, and a set holds 64")]
    TooMany(usize),
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) llvm: u32,
    pub(crate) xnack: bool,
    pub(crate) sramecc: bool,
    /// GPUs that load this target's code by LLVM's promise.
    pub(crate) loads: TargetSet,
    /// GPUs that load it besides with the patches.
    pub(crate) compatible: TargetSet,
}

/// What carries a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware<'r> {
    /// The microarchitecture; empty where it is not known.
    pub family: &'r str,
    /// The names of the chips, LLVM's first.
    pub chips: Vec<&'r str>,
    /// The products, as their vendor writes them.
    pub products: &'r [String],
}

/// Every target, family and rule of loading, checked.
#[derive(Clone, Debug)]
pub struct Registry {
    pub(crate) input: RegistryInput,
    pub(crate) entries: Vec<Entry>,
    names: BTreeMap<String, Target>,
    pub(crate) families: Vec<TargetSet>,
    pub(crate) official: Vec<TargetSet>,
}

impl Registry {
    /// Checks the data and builds the registry.
    ///
    /// # Errors
    ///
    /// Every fault of the data, in its order.
    pub fn new(input: RegistryInput) -> Result<Self, Vec<RegistryError>> {
        let mut errors = Vec::new();
        let mut entries = Vec::new();
        let mut push = |name: &str, kind, llvm, xnack, sramecc| {
            let (loads, compatible) = (TargetSet::EMPTY, TargetSet::EMPTY);
            entries.push(Entry { name: name.to_owned(), kind, llvm, xnack, sramecc, loads, compatible });
        };
        for p in &input.processors {
            push(&p.name, Kind::Processor, p.llvm, p.xnack, p.sramecc);
        }
        for r in &input.removed {
            push(&r.name, Kind::Removed, r.llvm, r.xnack, r.sramecc);
        }
        for g in &input.generics {
            push(&g.name, Kind::Generic, g.llvm, g.xnack, g.sramecc);
        }
        for p in &input.pseudo {
            push(&p.name, Kind::Pseudo, 0, false, false);
        }
        if entries.len() > 64 {
            return Err(vec![RegistryError::TooMany(entries.len())]);
        }
        let mut names = BTreeMap::new();
        for (bit, entry) in (0u8..).zip(&mut entries) {
            if names.insert(entry.name.clone(), Target(bit)).is_some() {
                errors.push(RegistryError::Duplicate(entry.name.clone()));
            }
            if matches!(entry.kind, Kind::Processor | Kind::Removed) {
                entry.loads = TargetSet::of(Target(bit));
            }
        }
        let mut seen: BTreeSet<&str> = names.keys().map(String::as_str).collect();
        let extra = input.processors.iter().flat_map(|p| &p.alternatives);
        for name in extra.chain(input.families.iter().map(|f| &f.name)) {
            if !seen.insert(name) {
                errors.push(RegistryError::Duplicate(name.clone()));
            }
        }
        let mut set_of = |place: &str, list: &[String], processors: bool| {
            let mut set = TargetSet::EMPTY;
            for name in list {
                let known = names.get(name).copied();
                match known.filter(|t| !processors || usize::from(t.0) < input.processors.len()) {
                    Some(target) => set.insert(target),
                    None => {
                        errors.push(RegistryError::Unknown { place: place.to_owned(), name: name.clone() });
                    }
                }
            }
            set
        };
        for generic in &input.generics {
            let covers = set_of(&generic.name, &generic.covers, true);
            if let Some(target) = names.get(&generic.name) {
                entries[usize::from(target.0)].loads = covers;
            }
        }
        for group in &input.groups {
            let code = set_of(&group.root, &group.code_objects, true);
            let agents = set_of(&group.root, &group.agents, true);
            for target in code {
                let entry = &mut entries[usize::from(target.0)];
                entry.compatible = entry.compatible.union(agents).difference(TargetSet::of(target));
            }
        }
        let families = input.families.iter().map(|f| set_of(&f.name, &f.targets, false)).collect();
        let official = input.official.iter().map(|o| set_of("official", &o.targets, true)).collect();
        for list in input.declared.iter().flat_map(|d| [&d.release_ready, &d.builds]) {
            set_of("declared", list, true);
        }
        if let Some(s) = &input.scheduled {
            s.machines.iter().map(|m| &m.1).chain(s.excluded.iter().map(|e| &e.1)).for_each(|list| {
                set_of("scheduled", list, true);
            });
        }
        errors.extend(disagreements(&input));
        if errors.is_empty() { Ok(Self { input, entries, names, families, official }) } else { Err(errors) }
    }

    /// The target of exactly this name; [`Registry::find`] takes what people write.
    pub fn get(&self, name: &str) -> Option<Target> {
        self.names.get(name).copied()
    }

    /// The target's name.
    pub fn name(&self, target: Target) -> &str {
        &self.entry(target).name
    }

    /// What sort of target it is.
    pub fn kind(&self, target: Target) -> Kind {
        self.entry(target).kind
    }

    /// The oldest of LLVM 13, 14, 15, 16, 19 and 22 whose table has the target; 0 for a [`Kind::Pseudo`], which no version of LLVM lists.
    pub fn llvm(&self, target: Target) -> u32 {
        self.entry(target).llvm
    }

    /// The processor's data, for a [`Kind::Processor`].
    pub fn processor(&self, target: Target) -> Option<&Processor> {
        self.input.processors.get(usize::from(target.0))
    }

    /// The hardware behind a name; nothing is known of a generic target's.
    pub fn hardware(&self, name: &str) -> Hardware<'_> {
        let removed = self.input.removed.iter().find(|r| r.name == name).map(|r| Hardware {
            family: &r.family,
            chips: r.codenames.iter().map(String::as_str).collect(),
            products: &r.products,
        });
        let processor = self.input.processors.iter().find(|p| p.name == name).map(|p| Hardware {
            family: &p.family,
            chips: p.alternatives.iter().chain(&p.codenames).map(String::as_str).collect(),
            products: &p.products,
        });
        processor.or(removed).unwrap_or_default()
    }

    /// The names of all targets, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Every target in order: processors, removed ones, generics, pseudo targets.
    pub fn all(&self) -> TargetSet {
        (0u8..).zip(&self.entries).map(|(bit, _)| Target(bit)).collect()
    }

    /// Every target of one kind.
    pub fn of_kind(&self, kind: Kind) -> TargetSet {
        self.all().iter().filter(|t| self.kind(*t) == kind).collect()
    }

    /// Upstream's families with their targets.
    pub fn families(&self) -> impl Iterator<Item = (&str, TargetSet)> {
        self.input.families.iter().map(|f| f.name.as_str()).zip(self.families.iter().copied())
    }

    /// The families that a target is in.
    pub fn families_of(&self, target: Target) -> impl Iterator<Item = &str> {
        self.families().filter(move |(_, set)| set.contains(target)).map(|(name, _)| name)
    }

    /// The patch sites that a release needs for code to load on compatible GPUs.
    pub fn patch_sites(&self, release: Release) -> impl Iterator<Item = &PatchSite> {
        self.input.patch_sites.iter().filter(move |s| s.since.is_none_or(|since| since <= release))
    }

    /// What is known of telling the runtime that a GPU is another.
    pub fn overrides(&self, gpu: Target) -> impl Iterator<Item = &Override> {
        self.input.overrides.iter().filter(move |o| o.gpus.iter().any(|g| g == self.name(gpu)))
    }

    /// The set as names between spaces.
    pub fn show(&self, set: TargetSet) -> impl fmt::Display {
        let names: Vec<&str> = set.iter().map(|t| self.name(t)).collect();
        names.join(" ")
    }

    /// All data as given.
    pub fn input(&self) -> &RegistryInput {
        &self.input
    }

    pub(crate) fn entry(&self, target: Target) -> &Entry {
        &self.entries[usize::from(target.0)]
    }
}

/// Generic targets that a processor and their own lists see differently.
fn disagreements(input: &RegistryInput) -> Vec<RegistryError> {
    let mut errors = Vec::new();
    for p in &input.processors {
        if let Some(generic) = &p.generic
            && !input.generics.iter().any(|g| g.name == *generic)
        {
            errors.push(RegistryError::Unknown { place: p.name.clone(), name: generic.clone() });
        }
        for g in &input.generics {
            if g.covers.contains(&p.name) != (p.generic.as_ref() == Some(&g.name)) {
                let (processor, generic) = (p.name.clone(), g.name.clone());
                errors.push(RegistryError::GenericDisagrees { processor, generic });
            }
        }
    }
    errors
}
