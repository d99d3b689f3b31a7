//! The packages of a distribution that run on a GPU, as the distribution ships them. `support.rs`
//! has the reasons.

use super::{Evidence, Likely, Questions};
use rocpkg::core::Listed;
use rocpkg::internal::model::{Content, OverrideEntry, OverrideOutcome, Policy, ReadOnlyEntry};
use rocpkg::internal::resolve::{Bundles, Chooser, CompatibleCode, Packed, Planned};
use rocpkg::internal::targets::{Registry, Target, TargetSet, Via};
use std::collections::BTreeMap;

/// The missing fact about a package whose GPU targets are in none of the lists that were read.
pub(super) const UNKNOWN_CODE: &str = "which GPUs its package has code for";

/// The support of a GPU by a package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Support {
    /// The package has code for the GPU.
    Native,
    /// The package has code for another target, which loads on the GPU.
    Loads {
        /// The target of the code.
        code: Target,
        /// The rule by which the code loads.
        via: Via,
    },
    /// The package has code for another target, which would load on the GPU by the distribution's
    /// patches. But the code is in compressed bundles, in which the runtime does not find it.
    Packed {
        /// The target of the code.
        code: Target,
        /// The cause, the missing patches, and the way to build without compression.
        packed: Packed,
        /// The value of `HSA_OVERRIDE_GFX_VERSION` by which the code loads, if one is known.
        value: Option<String>,
    },
    /// The package has code that loads if an environment variable makes the runtime treat the GPU
    /// as another one.
    Override {
        /// The value of `HSA_OVERRIDE_GFX_VERSION`.
        value: String,
    },
    /// The package has no code that loads on the GPU.
    Without,
    /// The support is not known. The string is the missing fact, such as: what `rocm-supported-gfx`
    /// prints.
    Unknown(String),
}

/// The support of a GPU by one package.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Runs {
    /// The package's id.
    pub package: String,
    /// The support of the GPU.
    pub way: Support,
    /// The probable support, as a guess. None unless `way` is [`Support::Unknown`].
    pub likely: Option<Likely>,
    /// The reason why the package has no code for the GPU, or why the support by its code is
    /// uncertain. Empty if the package has code for the GPU and a source states that this code
    /// works.
    pub reason: String,
    /// The consequence of doing without the package, such as `miopen needs it`. Empty unless `way`
    /// is [`Support::Without`].
    pub cost: String,
    /// Clauses about the settings of other packages that leave the package out, as the distribution
    /// writes them. Empty unless `way` is [`Support::Without`].
    pub avoid: Vec<String>,
    /// Upstream's statements about the package on the GPU.
    pub evidence: Evidence,
    /// The packing of the package's device code.
    #[doc(hidden)]
    pub bundles: Bundles,
}

/// The support of a GPU by a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OnGpu {
    /// The packages with device code, in build order.
    pub packages: Vec<Runs>,
    /// The ids of the packages that contain headers alone, where packagers choose the targets. The
    /// code is compiled by what includes the headers.
    pub headers: Vec<String>,
    /// The consumers with device code: packages that are built on the others, and for which no
    /// recipe is rendered.
    pub consumers: Vec<Runs>,
    /// The names of the places in the sources that the distribution patches so that code for
    /// compatible GPUs loads. Empty if no package's code loads on the GPU by these patches.
    pub patches: Vec<String>,
    /// The patches of the distribution by which the runtime finds code for compatible GPUs in
    /// compressed bundles, as `PACKAGE: FILE`. Empty if the release needs none.
    pub bundle_patches: Vec<String>,
    /// The values of `HSA_OVERRIDE_GFX_VERSION` whose effect on the GPU is known. The variable
    /// makes the runtime treat the GPU as another GPU.
    #[doc(hidden)]
    pub overrides: Vec<OverrideEntry>,
    /// The targets to choose for all packages at once. Empty if users of the distribution don't
    /// choose targets, or if fewer than half of the packages offer these targets.
    pub choose: Vec<Target>,
    /// The next steps for the user, as sentences with commands and settings.
    pub next: Vec<String>,
}

impl OnGpu {
    /// Returns the ids of the packages whose support of the GPU is accepted by the function `way`.
    pub fn by(&self, way: impl Fn(&Support) -> bool) -> Vec<&str> {
        self.packages
            .iter()
            .filter(|p| way(&p.way))
            .map(|p| p.package.as_str())
            .collect()
    }
}

impl Questions<'_> {
    /// Returns the support of a GPU by each package with device code that the distribution ships.
    pub fn on_gpu(&self, gpu: Target) -> OnGpu {
        let device = |p: &&Planned| {
            p.targets.is_some() && self.built.get(&p.id).is_some_and(|b| !b.host_only)
        };
        // Recipes without switches build no tests of headers that would contain code.
        let is_headers = |p: &&Planned| {
            self.recipes.chooser == Chooser::Packager && p.package.content == Content::Headers
        };
        let all = self.plan.packages.iter().filter(device);
        let (headers, all): (Vec<&Planned>, Vec<&Planned>) = all.partition(is_headers);
        let overrides: Vec<_> = self.registry.overrides(gpu).cloned().collect();
        let runs = |p: &Planned| {
            let is_consumer = self.plan.get(&p.id).is_none();
            let way = self.way(p, gpu, &overrides);
            let likely = self.likely(p, gpu, &way, &overrides);
            let (class, reason) = self.support_of(p, gpu);
            // A target that the distribution offers need not be one that upstream's code
            // supports.
            let sure = way == Support::Native && class != "unknown";
            let reason = if sure { String::new() } else { reason };
            let cost = if way == Support::Without && !is_consumer {
                self.cost(p)
            } else {
                String::new()
            };
            let avoid = if way == Support::Without {
                self.avoided(p)
            } else {
                Vec::new()
            };
            let evidence = self.evidence(p, gpu);
            Runs {
                package: p.id.clone(),
                way,
                likely,
                reason,
                cost,
                avoid,
                evidence,
                bundles: self.plan.bundles(self.registry, p),
            }
        };
        let packages: Vec<Runs> = all.iter().map(|p| runs(p)).collect();
        let consumers = self
            .plan
            .consumers
            .iter()
            .filter(device)
            .map(runs)
            .collect();
        let by_patch = |r: &Runs| {
            matches!(
                r.way,
                Support::Loads {
                    via: Via::Compatible,
                    ..
                }
            )
        };
        let patches = if packages.iter().any(by_patch) {
            self.plan.carried().into_iter().collect()
        } else {
            Vec::new()
        };
        let mut out = OnGpu {
            packages,
            headers: headers.into_iter().map(|p| p.id.clone()).collect(),
            consumers,
            patches,
            bundle_patches: self.plan.bundle_patches(self.registry),
            overrides,
            choose: Vec::new(),
            next: Vec::new(),
        };
        out.choose = self.choose(gpu, &all, &out.packages);
        out.next = self.next(gpu, &all, &out);
        out
    }

    /// Returns the GPU targets that a package has code for as the distribution ships it. If users
    /// choose targets, returns all targets that they may choose. If the targets are not known,
    /// returns the missing fact as the error.
    pub(super) fn shipped(&self, p: &Planned) -> Result<TargetSet, String> {
        match (self.recipes.chooser, self.recipes.builds.get(&p.id)) {
            (Chooser::Flags { .. }, Some(builds)) if !builds.flags.is_empty() => {
                let all: TargetSet = builds
                    .flags
                    .iter()
                    .filter_map(|f| self.registry.get(f))
                    .collect();
                Ok(all.intersection(p.able(self.registry)))
            }
            _ => self.built_for(p),
        }
    }

    pub(super) fn way(&self, p: &Planned, gpu: Target, overrides: &[OverrideEntry]) -> Support {
        let compatible = self.plan.compatible_code(self.registry, p);
        let ships = match self.shipped(p) {
            Ok(ships) => ships,
            Err(fact) => {
                let left_out = self.built.get(&p.id).is_some_and(
                    |b| matches!(&b.default, Listed::Printed { without, .. } if without.contains(gpu)),
                );
                let known = runs(self.registry, &self.known_part(p), gpu, &compatible, &[]);
                if matches!(known, Support::Native | Support::Loads { .. }) {
                    return known;
                }
                let never = !p.able(self.registry).contains(gpu) || left_out;
                return if never && compatible == CompatibleCode::Unpatched {
                    Support::Without
                } else {
                    Support::Unknown(fact)
                };
            }
        };
        runs(self.registry, &ships, gpu, &compatible, overrides)
    }

    /// Returns the consequence of doing without the package `p`, such as `miopen needs it` or
    /// `nothing else here needs it`.
    fn cost(&self, p: &Planned) -> String {
        let slower = self.slower_without(p);
        let policy = p.package.targets.as_ref().and_then(|t| t.policy);
        if !slower.is_empty() {
            return format!("{} slower without it, but complete", being(slower));
        }
        match policy {
            Some(Policy::Stub) => {
                "it is built without kernels, and other packages do without them".to_owned()
            }
            Some(Policy::Throwaway) => {
                "it is built for an unused target, and other packages do without its kernels"
                    .to_owned()
            }
            _ => {
                let users = self.needed_by(p);
                let first = users.iter().take(3).cloned().collect::<Vec<_>>().join(", ");
                match users.len() {
                    0 if self.avoided(p).is_empty() => "no other package needs it".to_owned(),
                    0 => "other packages can do without it".to_owned(),
                    n if n > 3 => format!("{first} and {} more need it", n - 3),
                    1 => format!("{first} needs it"),
                    _ => format!("{first} need it"),
                }
            }
        }
    }

    /// Returns the targets to choose for all packages at once so that they run on a GPU: one target
    /// if its code suffices, or else the GPU's own and each other target whose code is needed.
    /// Empty if users of the distribution don't choose targets, or if fewer than half of the
    /// packages offer the result. `packages` is the support by the packages `all`, in the same
    /// order.
    fn choose(&self, gpu: Target, all: &[&Planned], packages: &[Runs]) -> Vec<Target> {
        if !self.users_choose() {
            return Vec::new();
        }
        let mut codes = TargetSet::EMPTY;
        let mut native = TargetSet::EMPTY;
        for p in packages {
            match p.way {
                Support::Native => native.insert(gpu),
                Support::Loads { code, .. } => codes.insert(code),
                _ => {}
            }
        }
        // If code for one target serves each package that any code serves, that target is enough.
        let serves_all = |code: &Target| {
            packages.iter().zip(all).all(|(runs, p)| {
                let loads = self.plan.compatible_code(self.registry, p) == CompatibleCode::Loads;
                !matches!(runs.way, Support::Native | Support::Loads { .. })
                    || (self.shipped(p).is_ok_and(|s| s.contains(*code))
                        && self.registry.serves(*code, loads).contains(gpu))
            })
        };
        let serving = codes.iter().find(serves_all);
        let chosen = match serving {
            Some(one) => TargetSet::of(one),
            None => native.union(codes),
        };
        // A choice for all packages at once needs targets that most packages offer. The other
        // packages refuse to be built.
        let takes = |p: &&&Planned| {
            self.shipped(p)
                .is_ok_and(|s| !s.intersection(&chosen).is_empty())
        };
        if all.iter().filter(takes).count() * 2 < all.len() {
            Vec::new()
        } else {
            chosen.iter().collect()
        }
    }

    /// Returns the next step if too few packages offer code for the GPU: a line of package.use for
    /// each package that does. None if no package does.
    fn one_by_one(&self, gpu: Target, all: &[&Planned], found: &OnGpu) -> Option<String> {
        let variable = self
            .plan
            .distro
            .eclass
            .as_ref()
            .map_or("", |eclass| &eclass.expand.value);
        let line = |(p, runs): (&&Planned, &Runs)| {
            let code = match runs.way {
                Support::Native => gpu,
                Support::Loads { code, .. } => code,
                _ => return None,
            };
            let package = self.called(p);
            Some(format!(
                "`{package} {variable}: -* {}`",
                self.registry.name(code)
            ))
        };
        let lines: Vec<String> = all.iter().zip(&found.packages).filter_map(line).collect();
        let (name, rest) = (self.registry.name(gpu), all.len() - lines.len());
        (!lines.is_empty()).then(|| {
            format!(
                "in package.use: {}; not for `*/*`, because the other {rest} have no flag whose code runs on {name}",
                lines.join(", ")
            )
        })
    }

    /// Returns the next steps for the user of a GPU, with the commands and settings of the
    /// distribution. `found` is the support by the packages `all`.
    fn next(&self, gpu: Target, all: &[&Planned], found: &OnGpu) -> Vec<String> {
        let name = self.registry.name(gpu);
        let runs = found
            .packages
            .iter()
            .any(|p| matches!(p.way, Support::Native | Support::Loads { .. }));
        let lacking = self.lacking_in_compiler(gpu);
        let mut out = match lacking {
            Some(_) => Vec::new(),
            None => self.settling(name, all, found),
        };
        match self.recipes.chooser {
            Chooser::Flags { .. } if !found.choose.is_empty() => {
                let names: Vec<&str> = found
                    .choose
                    .iter()
                    .map(|t| self.registry.name(*t))
                    .collect();
                let variable = self
                    .plan
                    .distro
                    .eclass
                    .as_ref()
                    .map_or("", |eclass| &eclass.expand.value);
                out.push(format!(
                    "in package.use: `*/* {variable}: -* {}`",
                    names.join(" ")
                ));
            }
            Chooser::Flags { .. } => out.extend(self.one_by_one(gpu, all, found)),
            Chooser::Scope | Chooser::Packager if lacking.is_some() => {
                out.extend(lacking.filter(|_| !runs));
            }
            Chooser::Scope => {
                let scope = self
                    .plan
                    .distro
                    .scope
                    .as_ref()
                    .and_then(|scope| scope.attribute.as_ref());
                let scope = scope.map_or("", |scope| &scope.value);
                let holder = self
                    .plan
                    .distro
                    .settings
                    .get("targets-holder")
                    .map_or("", |h| &h.value);
                if !runs && self.built.values().any(|b| b.universe.contains(gpu)) {
                    out.push(format!(
                        "use the scope `{scope}.{name}`, which your machine builds for this GPU"
                    ));
                } else if !runs {
                    out.push(format!(
                        "build it: `{scope}.overrideScope (_: prev: {{ {holder} = prev.{holder}.override {{ \
                         localGpuTargets = [ \"{name}\" ]; }}; }})`"
                    ));
                }
            }
            Chooser::Packager => {
                let is_open = !self.printed(all, found).is_empty();
                let step = self.built_from_source(gpu, all, found, is_open);
                out.extend(step);
            }
        }
        out.extend(self.unpacking(found));
        for p in &found.packages {
            if let Support::Override { value }
            | Support::Packed {
                value: Some(value), ..
            } = &p.way
            {
                let line = format!("for the rest: {}", export(&found.overrides, value));
                if !out.contains(&line) {
                    out.push(line);
                }
            }
        }
        if out.is_empty() && runs {
            let whole = found
                .packages
                .iter()
                .all(|p| matches!(p.way, Support::Native | Support::Loads { .. }));
            out.push(
                if whole {
                    "nothing to do"
                } else {
                    "nothing to do for the packages that run"
                }
                .to_owned(),
            );
        }
        out
    }

    /// Returns the reason why the compiler of the release builds no code for a target. `None` if it
    /// builds code for it, or if the profiles don't state that.
    fn lacking_in_compiler(&self, gpu: Target) -> Option<String> {
        let name = self.registry.name(gpu);
        if let Some(removed) = self.registry.file().removed.get(name) {
            let reason = &removed.reason;
            return Some(format!("nothing can be built for {name}: {reason}"));
        }
        let line = self.plan.lines.get(&self.plan.version.line())?;
        let own = line.llvm.as_ref()?.value.parse::<u32>().ok()?;
        let since = self.registry.llvm(gpu);
        // The profiles state the oldest of some versions of LLVM that has a target. So the version
        // before it among these lacks the target. Versions between the two may have it.
        let all = self
            .registry
            .names()
            .filter_map(|name| self.registry.get(name));
        let before = all
            .map(|t| self.registry.llvm(t))
            .filter(|llvm| *llvm < since)
            .max()?;
        (own <= before).then(|| {
            format!(
                "nothing can be built for {name}: the release is made with LLVM {own}, which does not know it; LLVM {since} does"
            )
        })
    }

    /// Returns the next steps for packages whose code the runtime does not find in compressed
    /// bundles.
    fn unpacking(&self, found: &OnGpu) -> Vec<String> {
        let mut without: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut missing = &Vec::new();
        for p in &found.packages {
            if let Support::Packed { packed, .. } = &p.way {
                missing = &packed.missing;
                without.entry(&packed.without).or_default().push(&p.package);
            }
        }
        if without.is_empty() {
            return Vec::new();
        }
        let builds: Vec<String> = without
            .iter()
            .map(|(without, packages)| format!("{} {without}", packages.join(" ")))
            .collect();
        let mut out = vec![format!(
            "for packagers: patch the runtime ({}), or build without compression: {}",
            missing.join("; "),
            builds.join(", ")
        )];
        let settings = self.registry.bundle_settings();
        out.extend(settings.and_then(|s| s.workaround.as_ref()).map(|w| {
            let (setting, outcome, source) = (&w.setting.value, &w.outcome.value, &w.source.value);
            format!("not advised: `{setting}`, because {outcome} ({source})")
        }));
        out
    }

    pub(super) fn folder(&self) -> &str {
        if self.plan.distro_name == "nixpkgs" {
            "nix"
        } else {
            &self.plan.distro_name
        }
    }
}

/// Returns the support of `gpu` by a package that has code for the targets `ships`. `compatible`
/// is the effect of its code on compatible GPUs. `told` are the known values of
/// `HSA_OVERRIDE_GFX_VERSION` for the GPU; those that hang are skipped.
pub(super) fn runs(
    registry: &Registry,
    ships: &TargetSet,
    gpu: Target,
    compatible: &CompatibleCode,
    told: &[OverrideEntry],
) -> Support {
    let overridden = || {
        let works = told.iter().filter(|o| o.outcome != OverrideOutcome::Hangs);
        let told = works.filter(|o| {
            overridden(&o.value)
                .and_then(|v| registry.of_version(v))
                .is_some_and(|t| ships.contains(t))
        });
        told.map(|o| o.value.clone()).next()
    };
    let loadable = registry.loadable(gpu, *compatible != CompatibleCode::Unpatched);
    match loadable.into_iter().find(|(code, _)| ships.contains(*code)) {
        Some((code, _)) if code == gpu => Support::Native,
        Some((code, via)) if via != Via::Compatible => Support::Loads { code, via },
        Some((code, via)) => match compatible {
            CompatibleCode::Packed(packed) => Support::Packed {
                code,
                packed: packed.clone(),
                value: overridden(),
            },
            CompatibleCode::Unknown(missing) => {
                Support::Unknown(unknown_packing(registry, code, missing))
            }
            _ => Support::Loads { code, via },
        },
        None => overridden().map_or(Support::Without, |value| Support::Override { value }),
    }
}

/// Returns the missing fact if code for `code` loads only if it is not compressed.
fn unknown_packing(registry: &Registry, code: Target, missing: &[String]) -> String {
    format!(
        "whether its code for {} is in compressed bundles, in which the runtime does not find it \
         (not patched: {})",
        registry.name(code),
        missing.join("; ")
    )
}

/// Returns the support of a GPU by the distributions whose package index is read and for which no
/// recipes are rendered, such as Debian: the name, the profile's entry and the support.
#[doc(hidden)]
pub fn read_only(
    registry: &Registry,
    gpu: Target,
) -> impl Iterator<Item = (&str, &ReadOnlyEntry, OnGpu)> {
    registry.file().read_only.iter().map(move |(name, entry)| {
        let overrides: Vec<_> = registry.overrides(gpu).cloned().collect();
        let (packages, patches, choose, next) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let mut out = OnGpu {
            packages,
            headers: Vec::new(),
            consumers: Vec::new(),
            patches,
            bundle_patches: Vec::new(),
            overrides,
            choose,
            next,
        };
        let is_patched = entry.runtime.as_ref().map(|runtime| runtime.patched);
        let reason = entry.runtime.as_ref().filter(|runtime| !runtime.patched);
        let reason = reason.map_or_else(String::new, |runtime| {
            format!(
                "; its runtime is not patched for compatible GPUs ({})",
                runtime.source.value
            )
        });
        for row in &entry.declared {
            let ships: TargetSet = row
                .targets
                .iter()
                .filter_map(|t| registry.get(&t.value))
                .collect();
            let (without, with) = (CompatibleCode::Unpatched, CompatibleCode::Loads);
            let told = runs(registry, &ships, gpu, &without, &out.overrides);
            let way = match (&told, runs(registry, &ships, gpu, &with, &[])) {
                _ if row.targets.is_empty() => Support::Unknown(UNKNOWN_CODE.to_owned()),
                (_, loads @ Support::Loads { .. }) if is_patched == Some(true) => loads,
                _ if is_patched == Some(false) => told.clone(),
                // The package index does not show if the runtime is patched.
                (Support::Without | Support::Override { .. }, Support::Loads { code, .. }) => {
                    Support::Unknown(format!(
                        "whether its runtime loads code for {} on it",
                        registry.name(code)
                    ))
                }
                _ => told.clone(),
            };
            if let Support::Override { value } = &told {
                let line = format!(
                    "for the packages that do not run: {}",
                    export(&out.overrides, value)
                );
                out.next.extend((!out.next.contains(&line)).then_some(line));
            }
            for id in row.packages.keys() {
                let reason = match way {
                    Support::Without | Support::Override { .. } => {
                        format!("it declares {}{reason}", registry.show(&ships))
                    }
                    _ => String::new(),
                };
                let evidence =
                    Evidence::of(way == Support::Native, None, registry.on_device(id, gpu));
                let (package, way, cost, avoid) =
                    (id.clone(), way.clone(), String::new(), Vec::new());
                out.packages.push(Runs {
                    package,
                    way,
                    likely: None,
                    reason,
                    cost,
                    avoid,
                    evidence,
                    bundles: Bundles::Unknown,
                });
            }
        }
        (name.as_str(), entry, out)
    })
}

/// Returns the shell command that sets `HSA_OVERRIDE_GFX_VERSION` to `value`. If `known` has a
/// problem with this value, it follows in parentheses.
pub(super) fn export(known: &[OverrideEntry], value: &str) -> String {
    let mixed = known
        .iter()
        .find(|o| o.value == value && o.outcome != OverrideOutcome::Works);
    let but = mixed
        .map(|o| format!(" ({})", o.reason))
        .unwrap_or_default();
    format!("`export HSA_OVERRIDE_GFX_VERSION={value}`{but}")
}

/// Returns the three numbers of a version: `10.3.0` -> `[10, 3, 0]`. None if there are not three.
pub(super) fn overridden(value: &str) -> Option<[u32; 3]> {
    let parts: Vec<u32> = value
        .split('.')
        .map(str::parse)
        .collect::<Result<_, _>>()
        .ok()?;
    parts.try_into().ok()
}

/// Returns names with their verb: `miopen is`, `a and b are`.
fn being(names: &[String]) -> String {
    match names {
        [one] => format!("{one} is"),
        many => format!("{} are", many.join(" and ")),
    }
}
