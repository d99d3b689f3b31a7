//! The registry of all targets. Names are looked up once, and give a [`Target`]. Functions that
//! take a [`Target`] return no errors.

use crate::target::{Target, TargetSet};
use std::borrow::Borrow;
use std::collections::BTreeMap;

/// The kind of a target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "kebab-case"))]
pub enum TargetKind {
    /// A processor in LLVM's table: `gfx90a`.
    Processor,
    /// A processor that LLVM has removed from its table.
    Removed,
    /// A generic target, such as `gfx10-3-generic`. Its code runs on several processors, and it is
    /// not the processor of any GPU.
    Generic,
    /// A name in lists of targets that is not a processor: `amdgcnspirv`.
    Pseudo,
}

/// A target, as [`Builder::target`] adds it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Entry {
    /// The name, such as `gfx90a`.
    pub name: String,
    /// The kind.
    pub kind: TargetKind,
    /// The oldest major version of LLVM whose table has the target; 0 if no version is known to
    /// have it.
    pub llvm: u32,
    /// Set if code for the target may state the mode `xnack`.
    pub xnack: bool,
    /// Set if code for the target may state the mode `sramecc`.
    pub sramecc: bool,
}

impl Entry {
    /// Makes a target without modes. Its version of LLVM is 0: no version is known to have it.
    pub fn new(name: impl Into<String>, kind: TargetKind) -> Self {
        Self {
            name: name.into(),
            kind,
            llvm: 0,
            xnack: false,
            sramecc: false,
        }
    }

    /// Sets the oldest major version of LLVM whose table has the target.
    #[must_use]
    pub fn llvm(mut self, version: u32) -> Self {
        self.llvm = version;
        self
    }

    /// Sets the modes that code for the target may state: `xnack` and `sramecc`.
    #[must_use]
    pub fn modes(mut self, xnack: bool, sramecc: bool) -> Self {
        (self.xnack, self.sramecc) = (xnack, sramecc);
        self
    }
}

/// An error in the targets of a [`Builder`], or in a name that is looked up in a [`Registry`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RegistryError {
    /// Two targets have the same name, or two families have.
    #[error("`{0}` is declared twice")]
    Twice(String),
    /// A name of no target, in a list of the [`Builder`] or among the names that are looked up.
    #[error("`{name}`{} is not a target of the registry", .list.as_ref().map_or(String::new(), |list| format!(" in the list of `{list}`")))]
    Unknown {
        /// The target or family whose list contains the name, or `None` if the name is looked up.
        list: Option<String>,
        /// The name.
        name: String,
    },
}

/// The name of a target or family, and the names in its list.
type Names = (String, Vec<String>);

/// Makes a [`Registry`].
#[derive(Clone, Debug, Default)]
pub struct Builder {
    entries: Vec<Entry>,
    loads: Vec<Names>,
    compatible: Vec<Names>,
    families: Vec<Names>,
}

fn names(all: impl IntoIterator<Item = impl Into<String>>) -> Vec<String> {
    all.into_iter().map(Into::into).collect()
}

impl Builder {
    /// Adds a target.
    #[must_use]
    pub fn target(mut self, entry: Entry) -> Self {
        self.entries.push(entry);
        self
    }

    /// Adds processors by name, without modes and without a version of LLVM.
    #[must_use]
    pub fn processors(mut self, all: impl IntoIterator<Item = impl Into<String>>) -> Self {
        let all = all.into_iter();
        self.entries
            .extend(all.map(|name| Entry::new(name, TargetKind::Processor)));
        self
    }

    /// Adds the processors in `all` to those on which code for the generic target `generic` loads.
    #[must_use]
    pub fn covers(
        mut self,
        generic: &str,
        all: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.loads.push((generic.to_owned(), names(all)));
        self
    }

    /// Adds the processors in `all` to those on which code for the processor `code` loads if the
    /// runtime has the distributions' patches.
    #[must_use]
    pub fn compatible(
        mut self,
        code: &str,
        all: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.compatible.push((code.to_owned(), names(all)));
        self
    }

    /// Adds a family: `name` stands for the targets in `all`.
    #[must_use]
    pub fn family(mut self, name: &str, all: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.families.push((name.to_owned(), names(all)));
        self
    }

    /// Makes the registry. Targets keep the order in which they were added.
    ///
    /// # Errors
    /// When a name is declared twice, or a list contains a name that is not a target.
    pub fn build(self) -> Result<Registry, RegistryError> {
        let mut out = Registry::default();
        for (at, entry) in self.entries.into_iter().enumerate() {
            if out.names.insert(entry.name.clone(), Target(at)).is_some() {
                return Err(RegistryError::Twice(entry.name));
            }
            let own = matches!(entry.kind, TargetKind::Processor | TargetKind::Removed);
            let loads = own.then_some(Target(at)).into_iter().collect();
            out.entries.push(Known {
                entry,
                loads,
                compatible: TargetSet::EMPTY,
            });
        }
        for (name, list) in &self.loads {
            let (target, set) = (out.one(Some(name), name)?, out.listed(name, list)?);
            let known = out.known_mut(target);
            known.loads = known.loads.union(set);
        }
        for (name, list) in &self.compatible {
            let (target, mut set) = (out.one(Some(name), name)?, out.listed(name, list)?);
            set = set.difference(TargetSet::of(target));
            let known = out.known_mut(target);
            known.compatible = known.compatible.union(set);
        }
        for (name, list) in self.families {
            let set = out.listed(&name, &list)?;
            if out.families.iter().any(|(other, _)| *other == name) {
                return Err(RegistryError::Twice(name));
            }
            out.families.push((name, set));
        }
        Ok(out)
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Known {
    pub(crate) entry: Entry,
    /// The processors on which code for this target loads without patches: for a processor, the
    /// processor itself; for a generic target, those that it covers.
    pub(crate) loads: TargetSet,
    /// The further processors on which the code loads if the runtime has the distributions'
    /// patches.
    pub(crate) compatible: TargetSet,
}

/// The targets, their families, and the processors on which their code loads.
///
/// ```
/// use rocpkg_core::{Entry, Registry, TargetKind};
///
/// let registry = Registry::builder()
///     .processors(["gfx1030", "gfx1031"])
///     .target(Entry::new("gfx10-3-generic", TargetKind::Generic).llvm(19))
///     .covers("gfx10-3-generic", ["gfx1030", "gfx1031"])
///     .build()?;
/// let generic = registry.set(["gfx10-3-generic"])?;
/// assert_eq!(registry.show(registry.reach(&generic, false, true)), "gfx1030 gfx1031");
/// # Ok::<(), rocpkg_core::RegistryError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    entries: Vec<Known>,
    names: BTreeMap<String, Target>,
    families: Vec<(String, TargetSet)>,
}

impl Registry {
    /// Returns a builder without targets.
    pub fn builder() -> Builder {
        Builder::default()
    }

    /// Returns the target with exactly this name, or `None` if there is none.
    pub fn get(&self, name: &str) -> Option<Target> {
        self.names.get(name).copied()
    }

    /// Returns the set of the targets with these names.
    ///
    /// # Errors
    /// When a name is not that of a target.
    pub fn set<'n>(
        &self,
        names: impl IntoIterator<Item = &'n str>,
    ) -> Result<TargetSet, RegistryError> {
        let names = names.into_iter();
        names.map(|name| self.one(None, name)).collect()
    }

    /// Returns the target's name.
    pub fn name(&self, target: Target) -> &str {
        &self.entry(target).name
    }

    /// Returns the kind of a target.
    pub fn kind(&self, target: Target) -> TargetKind {
        self.entry(target).kind
    }

    /// Returns the oldest major version of LLVM whose table has the target; 0 if no version is
    /// known to have it, as for a [`TargetKind::Pseudo`].
    pub fn llvm(&self, target: Target) -> u32 {
        self.entry(target).llvm
    }

    /// Returns the names of all targets, in the order in which the targets were added.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|known| known.entry.name.as_str())
    }

    /// Returns every target.
    pub fn all(&self) -> TargetSet {
        (0..self.entries.len()).map(Target).collect()
    }

    /// Returns every target of one kind.
    pub fn of_kind(&self, kind: TargetKind) -> TargetSet {
        let all = (0..self.entries.len()).map(Target);
        all.filter(|target| self.kind(*target) == kind).collect()
    }

    /// Returns the families in the order in which they were added, each with its targets.
    pub fn families(&self) -> impl Iterator<Item = (&str, &TargetSet)> {
        self.families.iter().map(|(name, set)| (name.as_str(), set))
    }

    /// Returns the families that a target is in.
    pub fn families_of(&self, target: Target) -> impl Iterator<Item = &str> {
        self.families()
            .filter(move |(_, set)| set.contains(target))
            .map(|(name, _)| name)
    }

    /// Returns the names of the targets in `set`, separated by spaces.
    pub fn show(&self, set: impl Borrow<TargetSet>) -> String {
        let names: Vec<&str> = set.borrow().iter().map(|t| self.name(t)).collect();
        names.join(" ")
    }

    /// Returns a target as it was declared.
    ///
    /// # Panics
    /// May panic for a target of another registry.
    pub fn entry(&self, target: Target) -> &Entry {
        &self.known(target).entry
    }

    pub(crate) fn known(&self, target: Target) -> &Known {
        &self.entries[target.0]
    }

    fn known_mut(&mut self, target: Target) -> &mut Known {
        &mut self.entries[target.0]
    }

    fn one(&self, list: Option<&str>, name: &str) -> Result<Target, RegistryError> {
        self.get(name).ok_or_else(|| RegistryError::Unknown {
            list: list.map(str::to_owned),
            name: name.to_owned(),
        })
    }

    fn listed(&self, list: &str, names: &[String]) -> Result<TargetSet, RegistryError> {
        names
            .iter()
            .map(|name| self.one(Some(list), name))
            .collect()
    }
}
