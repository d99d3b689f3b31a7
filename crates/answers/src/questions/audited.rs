//! Comparison of built files with the recipes of their packages.

use super::gpu::runs;
use super::{Questions, Support};
use rocpkg::Stack;
use rocpkg::core::Listed;
use rocpkg::internal::model::{EdgeKind, External, Node};
use rocpkg::internal::resolve::{
    Built, Bundles, Chooser, CompatibleCode, Dependency, Planned, ResolvedEdge, bare,
};
use rocpkg::internal::targets::{Registry, Target, TargetSet};
use rocpkg_audit::{Audit, CodeObject, Fault, File, FileKind, Method};
use std::collections::{BTreeMap, BTreeSet};

/// The kind of a difference between a built package and its recipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum About {
    /// The file is damaged, or kernels that the files refer to are missing.
    Damaged,
    /// None of the package's files has code for a target that the recipe builds for.
    Lacking,
    /// A file has code for a target that the recipe does not build for.
    Unasked,
    /// A file has code for a target that the model does not have.
    UnknownTarget,
    /// A file needs a library that the recipe does not depend on.
    Undeclared,
    /// The recipe links against a library that none of the files needs.
    Unneeded,
    /// The bundles of code objects in a file are compressed or plain, and the recipe's compiler
    /// flags state the opposite, or the distribution's runtime can't read them.
    Packed,
    /// Some files of the package lack a target that other files of the package have.
    Partly,
    /// Files and recipe were not compared, since a fact is missing.
    Open,
}

impl About {
    /// Returns true if a maintainer has to look at the difference. Other differences may be
    /// intended.
    pub fn is_fault(self) -> bool {
        !matches!(self, Self::Unneeded | Self::Partly | Self::Open)
    }

    /// Returns the name of the rule for this kind of difference, such as `undeclared`, and its
    /// description. SARIF and JSON contain the name.
    pub fn rule(self) -> (&'static str, &'static str) {
        RULES
            .iter()
            .find(|(about, ..)| *about == self)
            .map_or(("", ""), |(_, word, text)| (word, text))
    }
}

/// The rules for all kinds of differences: the kind, the name that is printed in SARIF and JSON,
/// and the description.
pub const RULES: [(About, &str, &str); 9] = [
    (About::Damaged, "damaged", "A built file is damaged"),
    (
        About::Lacking,
        "lacking",
        "Code for a target of the recipe is missing",
    ),
    (
        About::Unasked,
        "unasked",
        "A file has code for a target that the recipe does not build for",
    ),
    (
        About::UnknownTarget,
        "unknown-target",
        "A file has code for a target that the model does not know",
    ),
    (
        About::Undeclared,
        "undeclared",
        "A file needs a library that the recipe does not depend on",
    ),
    (
        About::Unneeded,
        "unneeded",
        "No file needs a library that the recipe links against",
    ),
    (
        About::Packed,
        "packed",
        "Bundles are packed in another way than the recipe or the runtime expects",
    ),
    (
        About::Partly,
        "partly",
        "Some files of a package lack a target that other files have",
    ),
    (
        About::Open,
        "open",
        "Not compared, because a fact is missing",
    ),
];

/// A difference between a built package and its recipe, or a damaged file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub struct AuditedRow {
    /// The path of the file. For a difference of a whole package, the first file of the package.
    /// For missing kernels, or files of an unknown package, the folder.
    pub file: String,
    /// The package's id; empty if the package is not known.
    pub package: String,
    /// The kind of the difference.
    pub about: About,
    /// The difference as a sentence.
    pub said: String,
}

impl AuditedRow {
    /// Returns a difference whose package is not known. `said` describes it as a sentence.
    pub fn new(file: &str, about: About, said: String) -> Self {
        Self {
            file: file.to_owned(),
            package: String::new(),
            about,
            said,
        }
    }
}

/// Returns the damage that the files show without their recipes: damaged files, tables of kernels
/// without the kernels, and kernel folders that lack a target of their library.
pub fn damaged(audit: &Audit) -> Vec<AuditedRow> {
    let row = |(file, fault): (&File, &Fault)| {
        AuditedRow::new(&file.path, About::Damaged, fault.to_string())
    };
    let mut rows: Vec<AuditedRow> = audit.faults().map(row).collect();
    let code = audit
        .files
        .iter()
        .flat_map(|f| f.objects.iter().map(move |o| (f.folder(), o.processor())));
    let code: BTreeSet<(&str, &str)> = code.collect();
    // The tables of Tensile and hipBLASLt list the kernels for each problem. The code for a target
    // is in the same folder as its table.
    let mut bare: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for file in audit
        .files
        .iter()
        .filter(|f| f.kind == FileKind::Data && f.path.rsplit('.').next() == Some("dat"))
    {
        let named = file
            .named
            .as_deref()
            .filter(|name| !code.contains(&(file.folder(), *name)));
        bare.entry(file.folder()).or_default().extend(named);
    }
    rows.extend(
        bare.into_iter()
            .filter(|(_, targets)| !targets.is_empty())
            .map(|(folder, targets)| {
                let targets = Vec::from_iter(targets).join(" ");
                let said = format!(
                    "tables of kernels for {targets}, but no code for it in the same folder"
                );
                AuditedRow::new(folder, About::Damaged, said)
            }),
    );
    rows.extend(kernel_folders(audit));
    rows
}

/// Returns a row for each folder of kernels that lacks a target of its library's own code, such as
/// `lib/rocblas/library` beside `lib/librocblas.so.5`. The library loads its kernels from that
/// folder, so it fails on GPUs of the missing target. A folder without any kernels gives no row.
/// Code for a generic target (`gfx11-generic`) serves several GPUs, so no row is returned if the
/// library or the folder contains such code.
fn kernel_folders(audit: &Audit) -> Vec<AuditedRow> {
    let mut libraries: BTreeMap<String, &File> = BTreeMap::new();
    let with_code = audit.files.iter().filter(|f| !f.objects.is_empty());
    for library in with_code.filter(|f| f.kind == FileKind::Elf) {
        if let Some(stem) = stem(&library.path) {
            let above = library.path.rsplit_once('/').map(|(above, _)| above);
            let folder = above.map_or_else(|| stem.to_owned(), |above| format!("{above}/{stem}"));
            libraries.insert(folder, library);
        }
    }
    let mut kernels: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<&str>)> = BTreeMap::new();
    for file in &audit.files {
        let mut above = file
            .path
            .rmatch_indices('/')
            .map(|(at, _)| &file.path[..at]);
        let Some((folder, _)) = above.find_map(|f| libraries.get_key_value(f)) else {
            continue;
        };
        let (targets, places) = kernels.entry(folder).or_default();
        targets.extend(file.objects.iter().map(CodeObject::processor));
        targets.extend(file.named.as_deref());
        places.insert(file.folder());
    }
    let mut rows = Vec::new();
    for (folder, (known, mut places)) in kernels {
        let library = libraries[folder];
        let own: BTreeSet<&str> = library.objects.iter().map(CodeObject::processor).collect();
        let is_generic = |target: &&str| target.ends_with("-generic");
        let lacking: Vec<&str> = own.difference(&known).copied().collect();
        if known.is_empty() || lacking.is_empty() || own.union(&known).any(is_generic) {
            continue;
        }
        let place = match (places.pop_first(), places.is_empty()) {
            (Some(only), true) => only,
            _ => folder,
        };
        let (targets, library) = (lacking.join(" "), &library.path);
        let said = format!("no kernels for {targets}, but {library} has code for it");
        rows.push(AuditedRow::new(place, About::Damaged, said));
    }
    rows
}

/// Returns the name by which a library is linked, without `lib` and without the suffix:
/// `lib/libamdhip64.so.7` -> `amdhip64`. None if the path is not that of a shared library.
pub fn stem(library: &str) -> Option<&str> {
    let name = library.rsplit('/').next()?.strip_prefix("lib")?;
    name.split_once(".so")
        .filter(|(_, rest)| rest.is_empty() || rest.starts_with('.'))
        .map(|(stem, _)| stem)
}

/// Returns the SONAME of a file, by which other files need it. If the file has no SONAME, returns
/// its path.
fn name(file: &File) -> &str {
    file.soname.as_deref().unwrap_or(&file.path)
}

/// See [`Answers::libraries`](crate::Answers::libraries).
pub(crate) fn all_libraries(stack: &Stack) -> BTreeSet<&str> {
    let layers = stack
        .model()
        .components
        .values()
        .flat_map(rocpkg::internal::resolve::Layers::iter);
    layers
        .flat_map(|node| node.list_of("libraries"))
        .filter_map(Node::text)
        .collect()
}

impl Questions<'_> {
    /// Finds the package by the name of a package file or folder, and returns it with the version
    /// in that name: `rocblas-devel-7.2.4-2-x86_64` -> rocblas and `7.2.4`. The version is empty if
    /// the name has none. None if the name is that of no package.
    #[doc(hidden)]
    pub fn held_by<'h>(&self, holder: &'h str) -> Option<(&Planned, &'h str)> {
        let parts = |name: &str| -> Option<&'h str> {
            let head = holder.get(..name.len())?;
            let rest = &holder[name.len()..];
            let rest = ["-devel", "-dbginfo", "-debug"]
                .iter()
                .find_map(|kind| rest.strip_prefix(kind))
                .unwrap_or(rest);
            let version = rest.strip_prefix('-').unwrap_or_default();
            let is_name = rest.is_empty() || version.starts_with(|c: char| c.is_ascii_digit());
            (head.eq_ignore_ascii_case(name) && is_name)
                .then_some(version.split(['-', '_']).next()?)
        };
        let mut all = self.plan.packages.iter();
        all.find_map(|p| Some((p, parts(bare(&p.name)).or_else(|| parts(&p.id))?)))
    }

    /// Returns the package of each file, by the file's path. Files of unknown packages are absent.
    /// The first rule that finds a package counts: the file is a library that the package installs;
    /// a folder above the file is named like such a library (`rocblas`); `holder`, the name of the
    /// package file or folder that was read, names the package; all files with a known package
    /// belong to this one.
    #[doc(hidden)]
    pub fn packages_of<'a>(&self, audit: &'a Audit, holder: &str) -> BTreeMap<&'a str, &Planned> {
        let known = audit.files.iter().map(|file| self.package_of(file));
        let known: Vec<Option<&Planned>> = known.collect();
        let mut ids = known.iter().flatten();
        let only = ids
            .next()
            .filter(|first| ids.all(|p| p.id == first.id))
            .copied();
        let other = self.held_by(holder).map(|(p, _)| p).or(only);
        let each = audit.files.iter().zip(known);
        each.filter_map(|(file, p)| Some((file.path.as_str(), p.or(other)?)))
            .collect()
    }

    /// Compares built files with the recipes of their packages, and returns the differences. The
    /// package of a file follows from its name; files of unknown packages belong to `package`.
    /// `chosen` are the GPU targets that were chosen for the build. If None, the distribution's
    /// default targets are expected; where users choose targets, missing targets are not looked
    /// for. The result also contains the rows of [`damaged`].
    pub fn differences(
        &self,
        audit: &Audit,
        package: &str,
        chosen: Option<&TargetSet>,
    ) -> Vec<AuditedRow> {
        self.audited(audit, &self.packages_of(audit, package), chosen)
    }

    /// Returns the support of a GPU by a file's code, with the runtime of the distribution.
    pub fn code_on(&self, file: &File, gpu: Target) -> Support {
        self.file_on(file, self.package_of(file), gpu)
    }

    /// Returns the package that installs the library `file`, or one with the name of a folder above
    /// the file.
    fn package_of(&self, file: &File) -> Option<&Planned> {
        let by_stem = |stem: &str| self.plan.packages.iter().find(|p| installs(p, stem));
        let mut folders = file.path.split('/').rev().skip(1);
        let own = stem(name(file)).and_then(by_stem);
        own.or_else(|| folders.find_map(by_stem))
    }

    /// Compares built files with the recipes of their packages, and returns the differences.
    /// `packages` contains the package of each file, by path, as [`Questions::packages_of`] returns
    /// it. `chosen` are the GPU targets that were chosen for the build. If None, the distribution's
    /// default targets are expected; where users choose targets, missing targets are not looked
    /// for. The result also contains the rows of [`damaged`].
    #[doc(hidden)]
    pub fn audited(
        &self,
        audit: &Audit,
        packages: &BTreeMap<&str, &Planned>,
        chosen: Option<&TargetSet>,
    ) -> Vec<AuditedRow> {
        let mut of: BTreeMap<&str, (&Planned, Vec<&File>)> = BTreeMap::new();
        let mut strange: BTreeMap<&str, usize> = BTreeMap::new();
        for file in &audit.files {
            if let Some(p) = packages.get(file.path.as_str()) {
                of.entry(&p.id).or_insert((p, Vec::new())).1.push(file);
            } else if !file.objects.is_empty() {
                *strange.entry(file.folder()).or_default() += 1;
            }
        }
        let mut rows = damaged(audit);
        for (folder, count) in strange {
            let said = format!(
                "files with code ({count}) were not compared, because their package is not known"
            );
            rows.push(AuditedRow::new(folder, About::Open, said));
        }
        for (p, files) in of.values() {
            let mut add = |file: &str, about, said| {
                rows.push(AuditedRow {
                    file: file.to_owned(),
                    package: p.id.clone(),
                    about,
                    said,
                });
            };
            self.targets_of(p, files, chosen, &mut add);
            self.libraries_of(p, files, &mut add);
            self.packing_of(p, files, &mut add);
        }
        rows.sort();
        rows
    }

    fn targets_of(
        &self,
        p: &Planned,
        files: &[&File],
        chosen: Option<&TargetSet>,
        add: &mut impl FnMut(&str, About, String),
    ) {
        let first = files[0].path.as_str();
        let units: Vec<&File> = files
            .iter()
            .copied()
            .filter(|file| !file.objects.is_empty())
            .collect();
        for file in &units {
            let strange: BTreeSet<&str> = file
                .objects
                .iter()
                .map(CodeObject::processor)
                .filter(|name| self.registry.get(name).is_none())
                .collect();
            if !strange.is_empty() {
                let said = format!("unknown target: {}", Vec::from_iter(strange).join(" "));
                add(&file.path, About::UnknownTarget, said);
            }
        }
        let all = held(self.registry, files.iter().copied());
        let built = self.built.get(&p.id);
        // If the packager chooses the targets, the recipe is rendered again for a choice.
        // Elsewhere, the recipe itself follows the user's choice.
        let follows = |chosen: &TargetSet, b: &Built| match self.recipes.chooser {
            Chooser::Packager => chosen.intersection(p.able(self.registry)),
            _ => b.coverage.of(chosen),
        };
        let asked = built
            .filter(|b| !b.host_only)
            .map(|b| (b, chosen.map(|chosen| follows(chosen, b))));
        if all.is_empty() && asked.is_some() {
            add(
                first,
                About::Open,
                "no code for a GPU, but the recipe builds for GPU targets".to_owned(),
            );
            return;
        }
        let (asked, allowed) = match asked {
            None => (Some(TargetSet::EMPTY), TargetSet::EMPTY),
            Some((_, Some(asked))) => (Some(asked.clone()), asked),
            Some((_, None)) if self.users_choose() => {
                let said = "missing targets were not checked, because the chosen targets are not known: name them with --targets";
                add(first, About::Open, said.to_owned());
                (None, self.shipped(p).unwrap_or_else(|_| all.clone()))
            }
            Some((b, None)) => match &b.default {
                Listed::Set(set) => (Some(set.clone()), set.clone()),
                Listed::Printed {
                    tool,
                    without,
                    known,
                } => {
                    let so_far = if known.is_empty() {
                        "not known".to_owned()
                    } else {
                        format!("known in part: {}", self.registry.show(known))
                    };
                    let said =
                        format!("the recipe builds for what `{tool}` prints, which is {so_far}");
                    add(first, About::Open, said);
                    let asked = (!known.is_empty()).then(|| all.union(known));
                    (asked, self.registry.all().difference(without))
                }
                Listed::Unknown(fact) => {
                    add(first, About::Open, format!("not known: {fact}"));
                    (None, all.clone())
                }
            },
        };
        let show = |set: TargetSet| self.registry.show(set);
        let unasked = all.difference(allowed);
        if !unasked.is_empty() {
            let of = units
                .iter()
                .find(|file| {
                    !held(self.registry, [**file])
                        .intersection(&unasked)
                        .is_empty()
                })
                .map_or(first, |file| &file.path);
            add(
                of,
                About::Unasked,
                format!(
                    "code for {}, but the recipe does not build for it",
                    show(unasked)
                ),
            );
        }
        let asked = asked.unwrap_or_else(|| all.clone());
        let lacking = asked.difference(&all);
        if !lacking.is_empty() {
            add(
                first,
                About::Lacking,
                format!(
                    "no code for {}, but the recipe builds for it",
                    show(lacking)
                ),
            );
        }
        for file in units
            .iter()
            .filter(|file| matches!(file.kind, FileKind::Elf | FileKind::Archive))
        {
            let lacks = asked
                .intersection(&all)
                .difference(held(self.registry, [*file]));
            if !lacks.is_empty() {
                let said = format!(
                    "no code for {}, which other files of {} have",
                    show(lacks),
                    p.name
                );
                add(&file.path, About::Partly, said);
            }
        }
    }

    fn libraries_of(
        &self,
        p: &Planned,
        files: &[&File],
        add: &mut impl FnMut(&str, About, String),
    ) {
        let externals = &self.stack.model().externals;
        let linked = |e: &ResolvedEdge| {
            e.edge
                .kind
                .0
                .iter()
                .any(|k| matches!(k, EdgeKind::Link | EdgeKind::Run | EdgeKind::Propagated))
        };
        // Nix keeps all packages that a file refers to, whatever the kind of the dependency.
        let any = self.plan.distro_name == "nixpkgs";
        let has = |is: &dyn Fn(&Dependency) -> bool| {
            p.depends.iter().any(|e| (any || linked(e)) && is(&e.to))
        };
        let mut needed: BTreeMap<&str, (&str, &str)> = BTreeMap::new();
        for file in files {
            needed.extend(
                file.needed
                    .iter()
                    .filter_map(|n| Some((stem(n)?, (n.as_str(), file.path.as_str())))),
            );
        }
        for (stem, (library, file)) in &needed {
            let owners: Vec<&Planned> = self
                .plan
                .packages
                .iter()
                .filter(|p| installs(p, stem))
                .collect();
            let outside = externals.iter().find(|(_, row)| {
                let is_named = matches!(row.get(&self.plan.distro_name), Some(External::Named(_)));
                is_named && row.libraries.iter().any(|l| l.value == *stem)
            });
            let outside = outside.map(|(name, _)| name);
            let of = match (owners.first(), outside) {
                (Some(owner), _) => &owner.name,
                (None, Some(name)) => name,
                (None, None) => continue,
            };
            let is_own = owners.iter().any(|owner| owner.id == p.id);
            let is_there = has(&|to| match to {
                Dependency::Package(id) => owners.iter().any(|owner| owner.id == *id),
                Dependency::External(name) => outside == Some(name),
            });
            if !is_own && !is_there {
                let said = format!(
                    "needs {library} of {of}, but the recipe of {} does not depend on it",
                    p.name
                );
                add(file, About::Undeclared, said);
            }
        }
        if needed.is_empty() {
            return;
        }
        for e in p
            .depends
            .iter()
            .filter(|e| e.edge.kind.0.contains(&EdgeKind::Link) && e.edge.when.is_none())
        {
            let libraries: Vec<&str> = match &e.to {
                Dependency::Package(id) => {
                    self.plan.get(id).into_iter().flat_map(libraries).collect()
                }
                Dependency::External(name) => externals
                    .get(name)
                    .into_iter()
                    .flat_map(|row| &row.libraries)
                    .map(|l| l.value.as_str())
                    .collect(),
            };
            if !libraries.is_empty() && !libraries.iter().any(|l| needed.contains_key(l)) {
                let said = format!(
                    "the recipe links against {}, but none of these files needs it",
                    e.name
                );
                add(&files[0].path, About::Unneeded, said);
            }
        }
    }

    /// Reports files whose bundles are packed in another way than the recipe's compiler flags
    /// state, or in a way that the distribution's runtime can't read.
    fn packing_of(&self, p: &Planned, files: &[&File], add: &mut impl FnMut(&str, About, String)) {
        let requested = self.plan.requested_bundles(self.registry, p);
        for file in files.iter().filter(|file| !file.packing.is_empty()) {
            let said = match &requested {
                Some(Bundles::Compressed { cause, .. }) if !is_compressed(file) => cause.clone(),
                Some(Bundles::Plain) if is_compressed(file) => {
                    let settings = self.registry.bundle_settings();
                    let flag = settings.map_or("", |s| s.plain.value.as_str());
                    format!("the recipe passes `{flag}`")
                }
                _ => continue,
            };
            let said = format!("its bundles are packed in another way than requested: {said}");
            add(&file.path, About::Packed, said);
        }
        let packed = files
            .iter()
            .find_map(|file| match self.compatible_code_of(file, p) {
                CompatibleCode::Packed(packed) => Some((file, packed)),
                _ => None,
            });
        if let Some((file, packed)) = packed {
            let what = "its bundles are compressed, but the runtime is not patched to find code for other GPUs in them";
            add(
                &file.path,
                About::Packed,
                format!("{what}: {}", packed.missing.join("; ")),
            );
        }
    }

    /// Returns the effect of the code in a file of the package `p` on compatible GPUs.
    fn compatible_code_of(&self, file: &File, p: &Planned) -> CompatibleCode {
        let bundles = || match self.plan.bundles(self.registry, p) {
            _ if !is_compressed(file) => Bundles::Plain,
            compressed @ Bundles::Compressed { .. } => compressed,
            _ => {
                let settings = self.registry.bundle_settings();
                let flag = settings.map_or("compression", |s| s.compress.value.as_str());
                Bundles::Compressed {
                    cause: "its bundles are compressed".to_owned(),
                    without: format!("without `{flag}`"),
                }
            }
        };
        self.plan.compatible_code_in(self.registry, p, bundles)
    }

    /// Returns the support of a GPU by a file's code. `p` is the package of the file, if it is
    /// known.
    #[doc(hidden)]
    pub fn file_on(&self, file: &File, p: Option<&Planned>, gpu: Target) -> Support {
        let compatible = p.map_or(CompatibleCode::Unpatched, |p| {
            self.compatible_code_of(file, p)
        });
        on(self.registry, file, gpu, &compatible)
    }
}

/// Returns the names, as [`stem`] makes them, of the libraries that all components of a package
/// install.
fn libraries(p: &Planned) -> impl Iterator<Item = &str> {
    let all = std::iter::once(&p.package).chain(p.pieces.values());
    all.flat_map(|part| &part.libraries)
        .map(|l| l.value.as_str())
}

/// Returns true if a package installs the library with this name, as [`stem`] makes it.
fn installs(p: &Planned, stem: &str) -> bool {
    libraries(p).any(|l| l == stem)
}

fn is_compressed(file: &File) -> bool {
    file.packing.iter().any(|row| row.method != Method::Plain)
}

/// Returns the GPU targets that at least one of the files has code for. Targets that the registry
/// does not have are left out.
#[doc(hidden)]
pub fn held<'f>(registry: &Registry, files: impl IntoIterator<Item = &'f File>) -> TargetSet {
    let objects = files.into_iter().flat_map(|file| &file.objects);
    objects
        .filter_map(|object| registry.get(object.processor()))
        .collect()
}

/// Returns the support of a GPU by a file's code. `patched` is true if the runtime has the patches
/// that let code for other, compatible GPUs load.
#[doc(hidden)]
pub fn file_on(registry: &Registry, file: &File, gpu: Target, patched: bool) -> Support {
    let compatible = if patched {
        CompatibleCode::Loads
    } else {
        CompatibleCode::Unpatched
    };
    on(registry, file, gpu, &compatible)
}

fn on(registry: &Registry, file: &File, gpu: Target, compatible: &CompatibleCode) -> Support {
    let overrides: Vec<_> = registry.overrides(gpu).cloned().collect();
    runs(
        registry,
        &held(registry, [file]),
        gpu,
        compatible,
        &overrides,
    )
}
