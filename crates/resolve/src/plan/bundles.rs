//! The packing of device code, and the code that loads on compatible GPUs. Each answer about a
//! compatible GPU is taken from [`Plan::compatible_code`].

use crate::plan::Plan;
use crate::plan::planned::{Dependency, Planned};
use crate::read::registry::patch_sites;
use crate::read::release::holds;
use rocpkg_model::{
    ArgumentValue, BundlePacking, BundleRule, CarriedSites, Content, Node, PatchSiteEntry, Spanned,
    Text,
};
use rocpkg_targets::Registry;
use std::collections::BTreeSet;

/// The packing of the bundles in which the device code of a package is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bundles {
    /// The bundles are not compressed.
    Plain,
    /// The bundles are compressed.
    Compressed {
        /// The cause, as a clause: `` `BUILD_OFFLOAD_COMPRESS` is on by default ``.
        cause: String,
        /// The way to build without compression: `` with `BUILD_OFFLOAD_COMPRESS=OFF` ``.
        without: String,
    },
    /// The packing is not known.
    Unknown,
}

/// The effect of the code of a package on the GPUs that are compatible with the GPU that the code
/// is built for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CompatibleCode {
    /// The runtime or the package is not patched to load code of compatible GPUs.
    Unpatched,
    /// The code loads.
    Loads,
    /// The code would load, but is in compressed bundles, in which the runtime does not find it.
    Packed(Packed),
    /// The code loads if its bundles are not compressed, and their packing is not known. The
    /// strings are the patch sites that compressed bundles need, and that are not patched.
    Unknown(Vec<String>),
}

/// The reason why the runtime does not find code in compressed bundles.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Packed {
    /// The cause of the compression, as in [`Bundles::Compressed`].
    pub cause: String,
    /// The way to build without compression, as in [`Bundles::Compressed`].
    pub without: String,
    /// The patch sites that are not patched.
    pub missing: Vec<String>,
}

impl Plan {
    /// Returns the names of the patch sites that patches of the packages change, and of those that
    /// the distribution patches in recipes which are not in the model.
    pub fn carried(&self) -> BTreeSet<String> {
        self.patched_sites()
            .chain(self.carried_elsewhere().flat_map(|row| &row.sites))
            .map(|s| s.value.clone())
            .collect()
    }

    /// Returns the sites that the distribution patches at the plan's release in recipes which are
    /// not in the model.
    fn carried_elsewhere(&self) -> impl Iterator<Item = &CarriedSites> {
        self.distro.carries.iter().filter(|row| {
            let range = row.releases.as_ref();
            range.is_none_or(|r| holds(&r.value, &self.version) == Some(true))
        })
    }

    /// Returns the patch sites that must be patched at the plan's release because of compressed
    /// bundles, and that no patch of the plan changes.
    pub fn bundles_unpatched<'r>(&self, registry: &'r Registry) -> Vec<&'r str> {
        let sites = bundle_sites(self, registry);
        let carried = self.carried();
        sites.filter(|site| !carried.contains(*site)).collect()
    }

    /// Returns the patches by which the runtime finds code of compatible GPUs in compressed
    /// bundles: `PACKAGE: FILE` of the plan, or the source that states them. Empty if the release
    /// needs none.
    pub fn bundle_patches(&self, registry: &Registry) -> Vec<String> {
        let sites: Vec<&str> = bundle_sites(self, registry).collect();
        let is_for =
            |all: &[Spanned<String>]| all.iter().any(|s| sites.contains(&s.value.as_str()));
        let mut out = Vec::new();
        for p in &self.packages {
            let patches = p
                .package
                .patches
                .iter()
                .filter(|patch| is_for(&patch.site.0));
            out.extend(patches.map(|patch| format!("{}: {}", p.name, patch.file.value)));
        }
        let elsewhere = self.carried_elsewhere().filter(|row| is_for(&row.sites));
        out.extend(elsewhere.map(|row| row.source.value.clone()));
        out
    }

    /// Returns the packing of the bundles of the package `p`: by the flags of its recipe, or else
    /// by upstream's default.
    pub fn bundles(&self, registry: &Registry, p: &Planned) -> Bundles {
        self.bundles_below(registry, p, 0)
    }

    /// As [`Plan::bundles`]. `depth` is the number of packages that link `p` into each other. It
    /// ends cycles.
    fn bundles_below(&self, registry: &Registry, p: &Planned, depth: usize) -> Bundles {
        if let Some(stated) = self.requested_bundles(registry, p) {
            return stated;
        }
        // Headers are compiled by others.
        if p.package.content == Content::Headers {
            return Bundles::Plain;
        }
        let mut rules = p.package.targets.iter().flat_map(|t| &t.bundles);
        let applies = |rule: &&BundleRule| {
            let range = rule.releases.as_ref();
            range.is_none_or(|r| holds(&r.value, &p.version) == Some(true))
        };
        let Some(rule) = rules.find(applies) else {
            return Bundles::Unknown;
        };
        let linked = rule.linked.as_ref().and_then(|name| self.get(&name.value));
        let linked = linked.filter(|of| links(p, &of.id) && depth < self.packages.len());
        if let Some(of) = linked {
            match self.bundles_below(registry, of, depth + 1) {
                Bundles::Plain => {}
                Bundles::Unknown => return Bundles::Unknown,
                Bundles::Compressed { cause, without } => {
                    return Bundles::Compressed {
                        cause: format!("{cause} in {}, which is linked in", of.name),
                        without: format!("{without} in {}", of.name),
                    };
                }
            }
        }
        let off = rule.plain_by.as_ref();
        let is_off = off.is_some_and(|off| passes(p, &off.value));
        match rule.packing {
            BundlePacking::Plain => Bundles::Plain,
            BundlePacking::Compressed if is_off => Bundles::Plain,
            BundlePacking::Compressed => Bundles::Compressed {
                cause: "upstream's default".to_owned(),
                without: off.map_or_else(
                    || without_flag(registry),
                    |off| format!("with `-D{}`", off.value),
                ),
            },
        }
    }

    /// Returns the packing that the recipe of `p` requests, by a flag or by a variable. `None` if
    /// it requests none.
    pub fn requested_bundles(&self, registry: &Registry, p: &Planned) -> Option<Bundles> {
        let settings = registry.bundle_settings()?;
        let (compress, plain) = (&settings.compress.value, &settings.plain.value);
        // The facts about upstream's packing are no part of the recipe.
        let parts = p
            .node
            .entries()
            .iter()
            .filter(|(key, _)| key.name != "targets");
        let texts = parts
            .flat_map(|(_, part)| part.ends())
            .filter_map(Node::text);
        let words: Vec<&str> = texts.flat_map(str::split_whitespace).collect();
        let is_said = |word: &str| words.iter().any(|w| w.trim_matches(['"', '\'']) == word);
        if is_said(compress) {
            return Some(Bundles::Compressed {
                cause: format!("the recipe passes `{compress}`"),
                without: without_flag(registry),
            });
        }
        if is_said(plain) {
            return Some(Bundles::Plain);
        }
        let variable = &settings.variable.as_ref()?.value;
        let is_set = |value: &Text| value.as_literal().is_none_or(|text| !text.is_empty());
        let phases = p.package.environment.values();
        let set = phases.filter_map(|variables| variables.get(variable));
        let is_asked = set.flat_map(|all| &all.0).any(|one| is_set(&one.value));
        is_asked.then(|| Bundles::Compressed {
            cause: format!("the recipe sets `{variable}`"),
            without: format!("without `{variable}`"),
        })
    }

    /// Returns the effect of the code of the package `p` on compatible GPUs, as its recipe builds
    /// the code.
    pub fn compatible_code(&self, registry: &Registry, p: &Planned) -> CompatibleCode {
        self.compatible_code_in(registry, p, || self.bundles(registry, p))
    }

    /// As [`Plan::compatible_code`], for code whose packing is `bundles`, such as that of a built
    /// file.
    pub fn compatible_code_in(
        &self,
        registry: &Registry,
        p: &Planned,
        bundles: impl FnOnce() -> Bundles,
    ) -> CompatibleCode {
        if !self.serves_compatible(registry, p) {
            return CompatibleCode::Unpatched;
        }
        let missing = self.bundles_unpatched(registry);
        if missing.is_empty() {
            return CompatibleCode::Loads;
        }
        let missing = missing.into_iter().map(str::to_owned).collect();
        match bundles() {
            Bundles::Plain => CompatibleCode::Loads,
            Bundles::Compressed { cause, without } => CompatibleCode::Packed(Packed {
                cause,
                without,
                missing,
            }),
            Bundles::Unknown => CompatibleCode::Unknown(missing),
        }
    }

    /// Returns true if plain code of the package `p` that is built for one GPU also loads on the
    /// other GPUs of its group of compatible GPUs. This requires a patch at some patch site of the
    /// runtime, and at each patch site in the package's own components. The sites of the runtime
    /// that suffice are not known, so one site is assumed to suffice.
    fn serves_compatible(&self, registry: &Registry, p: &Planned) -> bool {
        let carried = self.carried();
        let (own, runtime): (Vec<_>, Vec<_>) =
            patch_sites(registry, &p.version).partition(|s| s.component.is_some());
        let ours = |c: &Spanned<String>| p.components.contains(&c.value);
        let is_carried = |site: &PatchSiteEntry| carried.contains(&site.site.value);
        runtime.iter().any(|s| s.since.is_none() && is_carried(s))
            && own
                .iter()
                .filter(|s| s.component.as_ref().is_some_and(ours))
                .all(|s| is_carried(s))
    }
}

/// Returns the patch sites that the plan's release needs because of compressed bundles.
fn bundle_sites<'r>(plan: &Plan, registry: &'r Registry) -> impl Iterator<Item = &'r str> {
    patch_sites(registry, &plan.version)
        .filter(|s| s.since.is_some())
        .map(|s| s.site.value.as_str())
}

/// Returns the way to build without compression if upstream has no option for it.
fn without_flag(registry: &Registry) -> String {
    let flag = registry
        .bundle_settings()
        .map(|s| s.compress.value.as_str());
    format!("without `{}`", flag.unwrap_or("compression"))
}

fn links(p: &Planned, id: &str) -> bool {
    p.depends
        .iter()
        .any(|e| matches!(&e.to, Dependency::Package(to) if to == id))
}

/// Returns true if the recipe of `p` passes the CMake argument `NAME=VALUE`, under any condition.
fn passes(p: &Planned, argument: &str) -> bool {
    let Some((name, value)) = argument.split_once('=') else {
        return false;
    };
    let is_it = |passed: &ArgumentValue| match passed {
        ArgumentValue::Bool(on) => *on == value.eq_ignore_ascii_case("on"),
        ArgumentValue::Text(text) => text
            .as_literal()
            .is_some_and(|text| text.eq_ignore_ascii_case(value)),
        _ => false,
    };
    let projects = p.package.cmake.values();
    let passed = projects.filter_map(|project| project.arguments.get(name));
    passed.flat_map(|all| &all.0).any(|one| is_it(&one.value))
}
