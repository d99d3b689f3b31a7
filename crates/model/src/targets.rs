//! The registry of GPU targets as written in `targets.yaml`.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

record! {
    /// `targets.yaml`.
    pub struct TargetsFile {
        /// Processors of LLVM by name, in LLVM's order.
        processors: IndexMap<String, ProcessorEntry>,
        /// Processors that LLVM dropped, by name.
        removed: IndexMap<String, RemovedEntry>,
        /// Generic targets by name.
        generics: IndexMap<String, GenericEntry>,
        /// Names in lists that are no processor.
        pseudo: IndexMap<String, PseudoEntry>,
        /// Upstream's families by name.
        families: IndexMap<String, Vec<Spanned<String>>>,
        /// Which code loads elsewhere with the distributions' patches.
        isa_compat: Option<CompatEntry>,
        /// What is known of telling the runtime that a GPU is another.
        overrides: Vec<OverrideEntry>,
        /// What upstream calls ready, and what it only builds.
        declared: Option<DeclaredEntry>,
        /// What upstream schedules on devices.
        scheduled: Option<ScheduledEntry>,
        /// What upstream says it supports.
        support_classes: Option<SupportEntry>,
        /// Distributions whose package index is read and for which nothing is rendered, by name.
        read_only: IndexMap<String, ReadOnlyEntry>,
    }
}

choice! {
    /// Whether a processor is a card of its own.
    pub enum ProcessorKind {
        /// Part of an APU.
        Apu = "APU",
        /// A card of its own.
        Card = "dGPU",
    }
}

record! {
    /// A processor.
    pub struct ProcessorEntry {
        /// The microarchitecture.
        family: String,
        /// Card or APU.
        kind: ProcessorKind,
        /// The oldest known LLVM that has it, in quotes.
        llvm: Spanned<String>,
        /// Products that carry it.
        products: Vec<String>,
        /// LLVM's other names.
        alternatives: Vec<Spanned<String>>,
        /// The names of its chips in AMD's drivers.
        codenames: Vec<String>,
        /// Code may state the xnack mode.
        xnack: bool,
        /// Code may state the sramecc mode.
        sramecc: bool,
        /// The generic target that covers it.
        generic: Option<Spanned<String>>,
    }
}

record! {
    /// A processor that LLVM dropped.
    pub struct RemovedEntry {
        /// The oldest known LLVM that had it.
        llvm: Spanned<String>,
        /// Code could state the xnack mode.
        xnack: bool,
        /// Code could state the sramecc mode.
        sramecc: bool,
        /// When it went.
        reason: String,
        /// The microarchitecture.
        family: Option<String>,
        /// Products that carry it.
        products: Vec<String>,
        /// The names of its chips in AMD's drivers.
        codenames: Vec<String>,
    }
}

record! {
    /// A generic target.
    pub struct GenericEntry {
        /// The processors that load it.
        covers: Vec<Spanned<String>>,
        /// The oldest known LLVM that has it.
        llvm: Spanned<String>,
        /// Code may state the xnack mode.
        xnack: bool,
        /// Code may state the sramecc mode.
        sramecc: bool,
    }
}

record! {
    /// A name that is no processor.
    pub struct PseudoEntry {
        /// What it stands for.
        meaning: Spanned<String>,
    }
}

record! {
    /// Loading code on other processors than its own.
    pub struct CompatEntry {
        /// Groups of processors.
        groups: Vec<CompatGroupEntry>,
        /// The places that must be patched.
        patch_sites: Vec<PatchSiteEntry>,
    }
}

record! {
    /// Code objects and the GPUs that load them.
    pub struct CompatGroupEntry {
        /// The common beginning of the names.
        root: Spanned<String>,
        /// Processors whose code may be loaded elsewhere.
        code_objects: Vec<Spanned<String>>,
        /// The GPUs that load it.
        agents: Vec<Spanned<String>>,
        /// What to know about it.
        note: Option<Spanned<String>>,
    }
}

record! {
    /// A place in upstream's sources that must be patched.
    pub struct PatchSiteEntry {
        /// Component and file or function.
        site: Spanned<String>,
        /// The component that needs it; whatever runs device code when absent.
        component: Option<Spanned<String>>,
        /// The first release that needs it; all when absent.
        since: Option<Spanned<String>>,
    }
}

choice! {
    /// What came of telling the runtime that a GPU is another.
    pub enum OverrideOutcome {
        /// It is known to work.
        Works = "works",
        /// It works for some, and fails for others.
        Mixed = "mixed",
        /// It is known to hang, or to give wrong results.
        Hangs = "hangs",
    }
}

record! {
    /// What is known of a value of `HSA_OVERRIDE_GFX_VERSION`.
    pub struct OverrideEntry {
        /// The GPUs.
        gpus: Vec<String>,
        /// The value.
        value: String,
        /// What came of it.
        outcome: OverrideOutcome,
        /// Why.
        reason: String,
        /// Who says so.
        source: String,
    }
}

record! {
    /// What upstream says it supports.
    pub struct SupportEntry {
        /// By the release that each list begins with.
        official: IndexMap<String, OfficialEntry>,
    }
}

record! {
    /// One list of supported processors.
    pub struct OfficialEntry {
        /// The processors.
        targets: Vec<Spanned<String>>,
        /// Where it says so.
        source: String,
    }
}

record! {
    /// What upstream's superbuild calls each processor.
    pub struct DeclaredEntry {
        /// Where it says so.
        source: String,
        /// Tested as part of a release, as it says.
        release_ready: Vec<Spanned<String>>,
        /// Built, and not said to be tested.
        builds: Vec<Spanned<String>>,
    }
}

record! {
    /// What upstream schedules on devices.
    pub struct ScheduledEntry {
        /// Where it says so.
        source: String,
        /// Machines by their labels.
        machines: IndexMap<String, MachineEntry>,
        /// The libraries whose tests are scheduled.
        libraries: Vec<String>,
        /// By library, the processors on which its tests are left out.
        excluded: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// A machine of upstream's.
    pub struct MachineEntry {
        /// The processors that it stands for.
        targets: Vec<Spanned<String>>,
        /// Upon what it runs: `presubmit`, `postsubmit`, `nightly`.
        when: String,
    }
}

record! {
    /// A distribution whose package index is read.
    pub struct ReadOnlyEntry {
        /// The release that most of its packages are of.
        release: String,
        /// What was read.
        source: String,
        /// What its packages declare.
        declared: Vec<PackagesFor>,
    }
}

record! {
    /// Packages that declare the same.
    pub struct PackagesFor {
        /// What they have code for; nothing where they do not say it.
        targets: Vec<Spanned<String>>,
        /// The packages, by what they are called here.
        packages: IndexMap<String, ReadOnlyPackage>,
    }
}

record! {
    /// A package of an index.
    pub struct ReadOnlyPackage {
        /// Its name there.
        name: String,
        /// Its version there.
        version: String,
    }
}
