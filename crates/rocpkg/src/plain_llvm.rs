//! The versions of plain LLVM that packages can be built with, and the parts that plain LLVM can't
//! compile.

use crate::backend::Backend;
use rocpkg_model::LlvmFails;
use rocpkg_resolve::{Plan, Planned, Range, Release};

/// The versions of plain LLVM that a package can be built with at a release.
#[derive(Clone, Debug)]
pub(crate) struct PlainLlvm {
    backend: Backend,
    pub(crate) package: String,
    version: String,
    /// The major versions that the package is known to be built with, in ascending order.
    works: Vec<u64>,
    released: Vec<u64>,
    fails: Vec<LlvmFails>,
    /// The source of `works`, if the package states them.
    source: Option<String>,
}

impl PlainLlvm {
    /// Returns the versions of each package of a plan; none if the distribution builds packages
    /// with AMD's fork.
    pub(crate) fn of(backend: Backend, plan: &Plan) -> impl Iterator<Item = Self> {
        let released = plan.llvm_releases.keys();
        let released: Vec<u64> = released.filter_map(|major| major.parse().ok()).collect();
        let packages = plan.packages.iter().filter(|_| plan.plain_llvm);
        let source = |p: &Planned| {
            Some(
                p.package
                    .llvm
                    .as_ref()?
                    .works
                    .0
                    .first()?
                    .source
                    .value
                    .clone(),
            )
        };
        packages.map(move |p: &Planned| Self {
            source: source(p),
            backend,
            package: p.id.clone(),
            version: plan.own_version(p).unwrap_or(p.version.as_str()).to_owned(),
            works: p.llvm.clone(),
            released: released.clone(),
            fails: p
                .package
                .llvm
                .iter()
                .flat_map(|llvm| llvm.fails.0.clone())
                .collect(),
        })
    }

    /// Returns true if the values are those of the package at the version that a recipe states.
    pub(crate) fn is_of(&self, backend: Backend, package: &str, stated: Option<&str>) -> bool {
        let release = |version: &str| version.parse::<Release>().ok();
        let is_same = |stated: &str| {
            stated == self.version
                || release(stated).is_some_and(|v| Some(v) == release(&self.version))
        };
        self.backend == backend && self.package == package && stated.is_none_or(is_same)
    }

    /// Returns the versions that a bumped recipe names, if the existing one names `named`: those
    /// that work, and newer ones that nobody is known to have tried.
    pub(crate) fn kept(&self, named: &[u64]) -> Vec<u64> {
        let highest = self.works.last().copied().unwrap_or_default();
        let is_kept = |major: &&u64| self.works.contains(major) || **major > highest;
        named.iter().filter(is_kept).copied().collect()
    }

    /// Returns the versions that work, in ascending order.
    pub(crate) fn works(&self) -> &[u64] {
        &self.works
    }

    /// Returns the highest version that works and is released, else the highest one that works.
    pub(crate) fn highest(&self) -> Option<u64> {
        let is_released = |major: &&u64| self.released.contains(major);
        self.works
            .iter()
            .rfind(is_released)
            .or(self.works.last())
            .copied()
    }

    /// Returns what is left of a recipe that names the versions `named`, as sentences. Each has
    /// true if the recipe can't be built. A recipe that names none is built with any version that
    /// works.
    pub(crate) fn left(&self, named: &[u64]) -> Vec<(String, bool)> {
        let mut all = self.versions(named);
        let used = if named.is_empty() { &self.works } else { named };
        let is_used = |range: &str| {
            let range = range.parse::<Range>().unwrap_or(Range::ALL);
            used.iter().any(|major| range.has_major(*major))
        };
        let fails = self.fails.iter();
        let fails = fails.filter(|part| part.with.as_ref().is_none_or(|with| is_used(&with.value)));
        all.extend(fails.map(|part| {
            let is_whole = part.part.is_none() && part.targets.is_empty();
            (not_compiled(part), is_whole && part.instead.is_none())
        }));
        all
    }

    fn versions(&self, named: &[u64]) -> Vec<(String, bool)> {
        let is_usable = |major: &&u64| self.works.contains(major) && self.released.contains(major);
        let usable: Vec<&u64> = named.iter().filter(is_usable).collect();
        let others = |all: Vec<&u64>| match list(&all) {
            text if text.is_empty() => String::new(),
            text => format!("; {text} {}", if all.len() == 1 { "is" } else { "are" }),
        };
        let mut all = Vec::new();
        for major in named {
            let text = if !self.works.contains(major) {
                let known = others(self.works.iter().collect());
                format!("LLVM {major} is not known to build it at this release{known}")
            } else if !self.released.contains(major) {
                let why = self.source.as_ref().filter(|_| usable.is_empty());
                let why = why.map(|source| format!(": {source}")).unwrap_or_default();
                format!(
                    "LLVM {major} is not released{}{why}",
                    others(usable.clone())
                )
            } else {
                continue;
            };
            all.push((text, usable.is_empty()));
        }
        all
    }
}

/// Returns the sentence about a part that plain LLVM can't compile.
fn not_compiled(of: &LlvmFails) -> String {
    let range = of.with.as_ref().map(|range| format!(" {}", range.value));
    let part = of.part.as_ref().map_or("it", |part| &part.value);
    let targets = match of.targets.as_slice() {
        [] => String::new(),
        all => {
            let names: Vec<&str> = all.iter().map(|target| target.value.as_str()).collect();
            format!(" for {}", names.join(", "))
        }
    };
    let instead = of
        .instead
        .as_ref()
        .map(|instead| format!(", or {}", instead.value));
    format!(
        "plain LLVM{} can't compile {part}{targets}: AMD's fork can{} ({})",
        range.unwrap_or_default(),
        instead.unwrap_or_default(),
        of.source.value
    )
}

/// Returns `23`, `23 and 24`, `22, 23 and 24`.
fn list(all: &[&u64]) -> String {
    let all: Vec<String> = all.iter().map(ToString::to_string).collect();
    match all.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [some @ .., last] => format!("{} and {last}", some.join(", ")),
    }
}
