//! Lines of Gentoo's `package.use` with which the USE dependencies and `REQUIRED_USE` of a package
//! and of all its dependencies are met.

use super::gpu::overridden;
use super::{Questions, Support, switched_off};
use rocpkg::gentoo::Wanted;
use rocpkg::gentoo::internal::{Expand, members};
use rocpkg::internal::model::{Findings, Propagation, did_you_mean, nearest};
use rocpkg::internal::resolve::{Choice, CompatibleCode, Planned};
use rocpkg::internal::targets::{Target, TargetSet, Via};
use rocpkg::pms::{Change, Cpn, Flag, Member, Reason, UseLine};
use rocpkg::{Backend, Error, Stack};

/// A request for a package with certain GPU targets and USE flags.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct UseQuery {
    /// The package, by any of its names.
    pub package: String,
    /// The GPUs that the package and its dependencies are built for, and no other GPUs if possible:
    /// targets, families or products, separated by commas. None for the default targets.
    pub targets: Option<String>,
    /// USE flags of the package that are to be on, or off with a hyphen in front.
    pub flags: Vec<String>,
}

impl UseQuery {
    /// Returns a request for a package with its defaults.
    pub fn new(package: impl Into<String>) -> Self {
        Self {
            package: package.into(),
            ..Self::default()
        }
    }
}

/// The result of a [`UseQuery`].
#[derive(Clone, Debug)]
pub enum Use {
    /// These lines fulfil the request.
    Consistent {
        /// The lines of `package.use`: first that of the package, then those of its dependencies in
        /// build order.
        lines: Vec<String>,
        /// The flags whose new state differs from the default, or from the requested GPU targets.
        changes: Vec<Change>,
        /// Notes for the user.
        notes: Vec<String>,
    },
    /// No choice of flags fulfils the request.
    Refused {
        /// The requirements that contradict each other.
        reasons: Vec<String>,
        /// Set if all reasons are names of flags that don't exist, so that no requirements
        /// contradict each other.
        unknown_flags: bool,
        /// Set if the flags make packages need each other. The user has to install them without
        /// these flags first, and then again with them.
        cycle: bool,
    },
}

/// See [`Answers::package_use`](crate::Answers::package_use).
pub(crate) fn package_use(stack: &Stack, wish: &UseQuery, choice: &Choice) -> Result<Use, Error> {
    let mut plan = stack.plan(Backend::Gentoo, choice)?;
    // If the ebuilds of a distribution don't require their dependencies to have the same targets,
    // users have to choose consistent targets themselves. This choice is computed here.
    let mode = plan
        .distro
        .propagation
        .filter(|mode| *mode != Propagation::None);
    plan.distro.propagation = mode.or(Some(Propagation::Chunked));
    let mut findings = Findings::default();
    let (members, recipes) = members(&plan, &mut findings);
    let questions = Questions::of(stack, plan, recipes, findings)?;
    let plan = &questions.plan;
    let package = questions.named(&wish.package)?;
    let mut wanted = Wanted {
        package: package.id.clone(),
        ..Wanted::default()
    };
    let mut notes = Vec::new();
    if let Some(text) = &wish.targets {
        let set = questions.buildable(package, &stack.targets(text)?, &mut notes);
        wanted.targets = Some(
            questions
                .names(set)
                .into_iter()
                .map(str::to_owned)
                .collect(),
        );
        notes.extend(without_effect(package, &wish.flags));
    }
    for text in &wish.flags {
        let (name, on) = text
            .strip_prefix('-')
            .map_or((text.as_str(), true), |name| (name, false));
        let flag = Flag::new(name)?;
        wanted.flags.push((flag, on));
    }
    let asked = PlannedFlags {
        questions: &questions,
        members: &members,
    };
    Ok(
        match rocpkg::gentoo::internal::package_use(plan, &members, &wanted) {
            Ok(found) => {
                let lacking = found.lacking.iter();
                notes.extend(lacking.flat_map(|(package, targets)| {
                    let mut told = asked.lacking(package, targets);
                    told.extend(asked.left_out(package));
                    told
                }));
                if let Some(added) = &found.added {
                    let reasons: Vec<String> =
                        added.reasons.iter().map(ToString::to_string).collect();
                    notes.push(format!(
                        "{} was added: {}",
                        added.targets.join(" "),
                        reasons.join("; ")
                    ));
                    notes.extend(asked.cost_of_added(&added.targets, &found.lines));
                }
                let flagless = Wanted {
                    flags: Vec::new(),
                    ..wanted.clone()
                };
                if wanted.targets.is_none()
                    && !wanted.flags.is_empty()
                    && let Ok(before) =
                        rocpkg::gentoo::internal::package_use(plan, &members, &flagless)
                {
                    notes.extend(asked.brought_in(found.needed.difference(&before.needed)));
                }
                let lines = found.lines.iter().map(ToString::to_string).collect();
                Use::Consistent {
                    lines,
                    changes: found.changes,
                    notes,
                }
            }
            Err(contradiction) => {
                let all = &contradiction.reasons;
                Use::Refused {
                    reasons: all.iter().map(|r| asked.explained(r, &wanted)).collect(),
                    unknown_flags: all.iter().all(|r| matches!(r, Reason::UnknownFlag { .. })),
                    cycle: all.iter().any(|r| matches!(r, Reason::Cycle(_))),
                }
            }
        },
    )
}

/// Returns a note if the targets have no effect on `p`, because a feature has its default or one of
/// `flags` sets it.
fn without_effect(p: &Planned, flags: &[String]) -> Option<String> {
    let (key, on) = p.stack_feature()?;
    let flag = p.feature_name(key);
    let sign = |on: bool| if on { "" } else { "-" };
    let sets = |on: bool| flags.contains(&format!("{}{flag}", sign(on)));
    let (state, other) = if on { ("off", "on") } else { ("on", "off") };
    let name = &p.name;
    if sets(!on) {
        let hyphen = sign(!on);
        return Some(format!(
            "targets have no effect on {name} while `{flag}` is {state}: `--flag {hyphen}{flag}` turns it {state}"
        ));
    }
    let hyphen = sign(on);
    (switched_off(p).is_some() && !sets(on)).then(|| {
        format!(
            "targets have no effect on {name} while `{flag}` is {state} (the default): `--flag {hyphen}{flag}` turns it {other}"
        )
    })
}

/// The plan and the packages' USE flags, which are needed to explain a result.
struct PlannedFlags<'a> {
    questions: &'a Questions<'a>,
    members: &'a [Member],
}

impl Questions<'_> {
    /// Returns the targets to build the package `p` for so that it runs on `gpus`. If the package
    /// can't be built for a GPU, the target whose code loads on the GPU replaces it, and a note
    /// about how the code loads is added to `notes`. A GPU on which no code loads stays in the
    /// result.
    fn buildable(&self, p: &Planned, gpus: &TargetSet, notes: &mut Vec<String>) -> TargetSet {
        let mut instead = |gpu: Target| {
            let overrides: Vec<_> = self.registry.overrides(gpu).cloned().collect();
            let only_if = |value: &str| {
                let code = overridden(value).and_then(|v| self.registry.of_version(v))?;
                Some((
                    code,
                    format!("only if HSA_OVERRIDE_GFX_VERSION={value} is set"),
                ))
            };
            let (code, how) = match self.way(p, gpu, &overrides) {
                Support::Loads {
                    code,
                    via: Via::Compatible,
                } => (code, "with the distribution's patches".to_owned()),
                Support::Loads { code, .. } => (code, "without patches".to_owned()),
                Support::Override { value } => only_if(&value)?,
                Support::Packed { packed, value, .. } => {
                    let (code, how) = only_if(&value?)?;
                    let cause = packed.cause;
                    let why = "the runtime does not find it in compressed bundles";
                    (code, format!("{how}, because {why} ({cause})"))
                }
                Support::Unknown(_) => self.if_plain(p, gpu)?,
                _ => return None,
            };
            let (gpu, code_name, name) =
                (self.registry.name(gpu), self.registry.name(code), &p.name);
            notes.push(format!(
                "{name} has no flag for {gpu}: {code_name} is used, whose code loads there {how}"
            ));
            Some(code)
        };
        gpus.iter().map(|gpu| instead(gpu).unwrap_or(gpu)).collect()
    }

    /// Returns the target of the package `p` whose code loads on a GPU by the distribution's
    /// patches if its bundles are not compressed, and this condition as text. `None` if there is no
    /// such target, or if the packing is known.
    fn if_plain(&self, p: &Planned, gpu: Target) -> Option<(Target, String)> {
        let CompatibleCode::Unknown(_) = self.plan.compatible_code(self.registry, p) else {
            return None;
        };
        let ships = self.shipped(p).ok()?;
        let all = self.registry.loadable(gpu, true).into_iter();
        let (code, _) = all.into_iter().find(|(code, _)| ships.contains(*code))?;
        let how = "with the distribution's patches, unless it is compressed, which is not known";
        Some((code, how.to_owned()))
    }
}

impl PlannedFlags<'_> {
    /// Returns a note about `targets`, which had to be added though the user did not request them:
    /// the packages in `lines` that are built for them, with the memory that this takes, if it is
    /// known.
    fn cost_of_added(&self, targets: &[String], lines: &[UseLine]) -> Vec<String> {
        let plan = &self.questions.plan;
        let builds = |line: &&UseLine| {
            line.flags
                .values()
                .flatten()
                .any(|flag| targets.contains(flag))
        };
        let told: Vec<String> = lines
            .iter()
            .filter(builds)
            .map(|line| {
                let name = line.package.rsplit('/').next().unwrap_or_default();
                let planned = plan.packages.iter().find(|p| p.name == name);
                let memory = planned.and_then(|p| p.package.asks(|r| r.memory_per_target));
                let memory = memory
                    .map(|mb| format!(" ({mb} MB more memory)"))
                    .unwrap_or_default();
                format!("{}{memory}", line.package)
            })
            .collect();
        vec![format!(
            "these packages are also built for {}: {}",
            targets.join(" "),
            told.join(", ")
        )]
    }

    /// Returns a note about the settings of other packages that leave `package` out. None if no
    /// setting does, or if the plan does not have the package.
    fn left_out(&self, package: &Cpn) -> Option<String> {
        let p = self
            .questions
            .plan
            .packages
            .iter()
            .find(|p| p.name == package.package())?;
        let ways = self.questions.avoided(p);
        (!ways.is_empty()).then(|| format!("to avoid {}: {}", p.name, ways.join("; ")))
    }

    /// Returns a note about those of `packages` that have device code, with the number of default
    /// targets that each is built for. `packages` are those that are installed only because of the
    /// requested flags. None if none has device code.
    fn brought_in<'c>(&self, packages: impl Iterator<Item = &'c Cpn>) -> Option<String> {
        let expand = Expand::of(&self.questions.plan);
        let told: Vec<String> = packages
            .filter_map(|package| {
                let member = self
                    .members
                    .iter()
                    .find(|m| m.package.cpv.cpn == *package)?;
                let on = member
                    .iuse
                    .defaults()
                    .filter(|(flag, on)| *on && expand.target(flag.as_str()).is_some())
                    .count();
                (on > 0).then(|| format!("{package} for {on}"))
            })
            .collect();
        (!told.is_empty()).then(|| {
            format!(
                "the flags bring in packages that are built for the default targets: {}",
                told.join(", ")
            )
        })
    }

    /// Returns a note for each of `targets`, the requested GPU targets that `package` has no flag
    /// for: the reason, and a target of the package whose code loads on that GPU.
    fn lacking(&self, package: &Cpn, targets: &[String]) -> Vec<String> {
        let (plan, registry) = (&self.questions.plan, self.questions.registry);
        let Some(p) = plan.packages.iter().find(|p| p.name == package.package()) else {
            return Vec::new();
        };
        let reason = |name: &String| match registry.get(name) {
            _ if p.targets.is_none() => "it has no device code".to_owned(),
            Some(t) if !p.able(registry).contains(t) => self.questions.support_of(p, t).1,
            _ => format!("{} does not offer it at {}", plan.distro_name, p.listed),
        };
        let member = self
            .members
            .iter()
            .filter(|m| m.package.cpv.cpn == *package);
        let expand = Expand::of(plan);
        let flags: Vec<&str> = member.flat_map(|m| expand.values.values(&m.iuse)).collect();
        let compatible = plan.compatible_code(registry, p);
        let instead = |name: &String| {
            let gpu = registry.get(name)?;
            let is_patched = compatible != CompatibleCode::Unpatched;
            let loadable = registry.loadable(gpu, is_patched).into_iter();
            let mut names = loadable.map(|(t, via)| (registry.name(t), via));
            let (code, via) = names.find(|(t, _)| flags.contains(t))?;
            Some(match &compatible {
                _ if via != Via::Compatible => format!("; code for {code} loads there"),
                CompatibleCode::Packed(packed) => format!(
                    "; code for {code} would load there, but the runtime does not find it in \
                     compressed bundles (not patched: {})",
                    packed.missing.join("; ")
                ),
                CompatibleCode::Unknown(_) => format!(
                    "; code for {code} loads there with the distribution's patches, unless it is \
                     compressed, which is not known"
                ),
                _ => format!("; code for {code} loads there with the distribution's patches"),
            })
        };
        let told = |t: &String| {
            format!(
                "{} has no flag for {t}: {}{}",
                p.name,
                reason(t),
                instead(t).unwrap_or_default()
            )
        };
        targets.iter().map(told).collect()
    }

    /// Returns a reason for a refused request as a sentence. If the flag is unknown, the sentence
    /// also contains why the GPU target has no flag, or the name of the most similar flag.
    fn explained(&self, reason: &Reason, wanted: &Wanted) -> String {
        let (package, flag) = match reason {
            Reason::UnknownFlag { package, flag } => (package, flag),
            Reason::Wish(wish) if wanted.keeps_gpu(&self.questions.plan, wish) => {
                let hyphen = if wish.on { "" } else { "-" };
                return format!(
                    "{}[{hyphen}{}] stays, since the package uses no GPU without it",
                    wish.package, wish.flag
                );
            }
            _ => return reason.to_string(),
        };
        if let Some(target) = Expand::of(&self.questions.plan).target(flag.as_str())
            && let Some(note) = self.lacking(package, &[target.to_owned()]).pop()
        {
            return note;
        }
        let known = self
            .members
            .iter()
            .filter(|m| m.package.cpv.cpn == *package);
        let known: Vec<String> = known
            .flat_map(|m| m.iuse.defaults())
            .map(|(f, _)| f.as_str().to_owned())
            .collect();
        let hint = nearest(flag.as_str(), known.iter().map(String::as_str));
        format!("{reason}{}", did_you_mean(hint))
    }
}
