//! The shipped registry, decoded by serde for tests only; programs decode it with the model's own reader.

use indexmap::IndexMap;
use rocpkg_targets::{
    CompatGroup, Family, Generic, Official, PatchSite, Processor, Pseudo, Registry, RegistryInput, Release,
    Removed, ScoreRule,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct File {
    processors: IndexMap<String, RawProcessor>,
    removed: IndexMap<String, RawRemoved>,
    generics: IndexMap<String, RawGeneric>,
    pseudo: IndexMap<String, RawPseudo>,
    families: IndexMap<String, Vec<String>>,
    isa_compat: RawCompat,
    support_classes: RawSupport,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProcessor {
    family: String,
    kind: String,
    llvm: String,
    #[serde(default)]
    products: Vec<String>,
    #[serde(default)]
    codenames: Vec<String>,
    #[serde(default)]
    alternatives: Vec<String>,
    #[serde(default)]
    xnack: bool,
    #[serde(default)]
    sramecc: bool,
    generic: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRemoved {
    family: String,
    #[serde(default)]
    codenames: Vec<String>,
    #[serde(default)]
    products: Vec<String>,
    llvm: String,
    xnack: bool,
    sramecc: bool,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawGeneric {
    covers: Vec<String>,
    llvm: String,
    #[serde(default)]
    xnack: bool,
    #[serde(default)]
    sramecc: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawPseudo {
    meaning: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawCompat {
    groups: Vec<RawGroup>,
    score: RawScore,
    patch_sites: Vec<RawSite>,
}

#[derive(Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
struct RawGroup {
    root: String,
    code_objects: Vec<String>,
    agents: Vec<String>,
    note: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScore {
    exact: u32,
    processor: u32,
    compatible: u32,
    xnack: u32,
    sramecc: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSite {
    site: String,
    component: Option<String>,
    since: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawSupport {
    official: IndexMap<String, RawOfficial>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawOfficial {
    targets: Vec<String>,
    source: String,
}

fn release(text: &str) -> Release {
    let mut parts = text.split('.').map(|part| part.parse().expect("a number"));
    (parts.next().expect("a release"), parts.next().unwrap_or(0), parts.next().unwrap_or(0))
}

/// The data of `profiles/targets.yaml`.
pub(crate) fn input() -> RegistryInput {
    let file: File = serde_yaml::from_str(include_str!("../../../../profiles/targets.yaml"))
        .expect("the schema of targets.yaml");
    let processors = file
        .processors
        .into_iter()
        .map(|(name, raw)| Processor {
            name,
            family: raw.family,
            apu: raw.kind == "APU",
            llvm: raw.llvm.parse().expect("a major version"),
            products: raw.products,
            alternatives: raw.alternatives,
            codenames: raw.codenames,
            xnack: raw.xnack,
            sramecc: raw.sramecc,
            generic: raw.generic,
        })
        .collect();
    RegistryInput {
        processors,
        removed: file
            .removed
            .into_iter()
            .map(|(name, raw)| Removed {
                name,
                llvm: raw.llvm.parse().expect("a major version"),
                xnack: raw.xnack,
                sramecc: raw.sramecc,
                reason: raw.reason,
                family: raw.family,
                products: raw.products,
                codenames: raw.codenames,
            })
            .collect(),
        generics: file
            .generics
            .into_iter()
            .map(|(name, raw)| Generic {
                name,
                covers: raw.covers,
                llvm: raw.llvm.parse().expect("a major version"),
                xnack: raw.xnack,
                sramecc: raw.sramecc,
            })
            .collect(),
        pseudo: file.pseudo.into_iter().map(|(name, raw)| Pseudo { name, meaning: raw.meaning }).collect(),
        families: file.families.into_iter().map(|(name, targets)| Family { name, targets }).collect(),
        groups: file
            .isa_compat
            .groups
            .into_iter()
            .map(|raw| CompatGroup {
                root: raw.root,
                code_objects: raw.code_objects,
                agents: raw.agents,
                note: raw.note,
            })
            .collect(),
        score: ScoreRule {
            exact: file.isa_compat.score.exact,
            processor: file.isa_compat.score.processor,
            compatible: file.isa_compat.score.compatible,
            xnack: file.isa_compat.score.xnack,
            sramecc: file.isa_compat.score.sramecc,
        },
        patch_sites: file
            .isa_compat
            .patch_sites
            .into_iter()
            .map(|raw| PatchSite {
                site: raw.site,
                component: raw.component,
                since: raw.since.as_deref().map(release),
            })
            .collect(),
        official: file
            .support_classes
            .official
            .into_iter()
            .map(|(since, raw)| Official { since: release(&since), targets: raw.targets, source: raw.source })
            .collect(),
    }
}

/// The registry of `profiles/targets.yaml`.
pub(crate) fn registry() -> Registry {
    Registry::new(input()).expect("a registry without faults")
}
