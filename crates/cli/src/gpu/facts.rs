//! Facts that the text and the JSON of `rocpkg gpu` share.

use rocpkg::internal::model::{ProcessorKind, ReadOnlyEntry};
use rocpkg::internal::targets::{Found, Registry, Target, TargetKind, TargetSet, Via};
use rocpkg::{Backend, Stack};
use rocpkg_answers::gpu::{Questions, Support};

/// The highest number of targets that a name may have for the command to report on each of them.
/// For names with more targets, such as those of a whole series, only the targets are listed.
pub(super) const MOST: usize = 3;

/// A GPU that `rocpkg gpu` reports on.
pub(super) struct Gpu {
    /// The name on the command line. For a GPU of this machine, the GPU's place on the bus, its
    /// version and its PCI id.
    pub(super) name: String,
    /// The targets or products with the name, or the reason why a GPU of this machine has none.
    pub(super) found: Result<Found, String>,
}

/// Returns the targets that the kernel reports for GPUs with these targets. Some GPUs are reported
/// as another target.
pub(crate) fn reported(stack: &Stack, targets: &TargetSet) -> TargetSet {
    let products = stack.products().ok().flatten();
    let told = |t: Target| products.and_then(|p| p.reported(t)).map_or(t, |r| r.target);
    targets.iter().map(told).collect()
}

/// Returns the note on a read-only distribution: `read from SOURCE, not rendered`. The model has
/// its package index, and nothing is rendered for it.
pub(crate) fn read_from(entry: &ReadOnlyEntry) -> String {
    format!("read from {}, not rendered", entry.source)
}

/// Returns true if `questions` contains all distributions that are rendered. In that case, the
/// command also reports on read-only distributions.
pub(super) fn is_whole(questions: &[(Backend, Questions)]) -> bool {
    questions.len() == Backend::ALL.len()
}

/// Returns the facts about a target, each with its name: `("family", "RDNA2, card")`.
pub(super) fn facts(registry: &Registry, t: Target) -> Vec<(&'static str, String)> {
    let code = |patched| {
        let all = registry.loadable(t, patched);
        all.iter()
            .map(|(code, _)| registry.name(*code))
            .collect::<Vec<_>>()
            .join(" ")
    };
    let mut out = Vec::new();
    if let Some(p) = registry.processor(t) {
        let modes = [(p.xnack, "xnack"), (p.sramecc, "sramecc")];
        let modes: Vec<&str> = modes.iter().filter(|m| m.0).map(|m| m.1).collect();
        out.push((
            "family",
            format!(
                "{}, {}",
                p.family,
                if p.kind == ProcessorKind::Apu {
                    "APU"
                } else {
                    "card"
                }
            ),
        ));
        out.push(("products", p.products.join(", ")));
        out.push((
            "also called",
            p.alternatives
                .iter()
                .map(|a| a.value.as_str())
                .collect::<Vec<_>>()
                .join(" "),
        ));
        out.push(("modes", modes.join(" ")));
    }
    if registry.kind(t) == TargetKind::Generic {
        out.push(("covers", registry.show(registry.serves(t, false))));
    }
    out.push(("in", registry.families_of(t).collect::<Vec<_>>().join(" ")));
    let llvm = registry.llvm(t);
    out.push((
        "since LLVM",
        if llvm > 0 {
            llvm.to_string()
        } else {
            String::new()
        },
    ));
    out.push(("loads code for", code(false)));
    out.push(("with patches", code(true)));
    out.retain(|(_, text)| !text.is_empty());
    out
}

/// Returns the way in which a package runs on a GPU, as text: `native`.
pub(crate) fn word(registry: &Registry, way: &Support) -> String {
    match way {
        Support::Native => "native".to_owned(),
        Support::Loads {
            code,
            via: Via::Compatible,
        } => {
            format!(
                "code for {}, which loads by the distribution's patches",
                registry.name(*code)
            )
        }
        Support::Loads { code, .. } => format!("code for {}, which loads", registry.name(*code)),
        Support::Packed { code, value, .. } => {
            let by = value.as_ref().map_or_else(String::new, |value| {
                format!(" (only by HSA_OVERRIDE_GFX_VERSION={value})")
            });
            let name = registry.name(*code);
            format!("code for {name}, which the runtime does not find in compressed bundles{by}")
        }
        Support::Override { value } => format!("only by HSA_OVERRIDE_GFX_VERSION={value}"),
        Support::Without => "no kernels".to_owned(),
        Support::Unknown(fact) => format!("unknown: {fact}"),
    }
}
