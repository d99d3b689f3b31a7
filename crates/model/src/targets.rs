//! The records of `targets.yaml`, the registry of GPU targets.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

record! {
    /// The file `targets.yaml`.
    pub struct TargetsFile {
        /// Processors of LLVM by name, in LLVM's order.
        processors: IndexMap<String, ProcessorEntry>,
        /// Processors that LLVM dropped, by name.
        removed: IndexMap<String, RemovedEntry>,
        /// Generic targets by name.
        generics: IndexMap<String, GenericEntry>,
        /// Names in target lists that are no processors.
        pseudo: IndexMap<String, PseudoEntry>,
        /// Upstream's families by name.
        families: IndexMap<String, Vec<Spanned<String>>>,
        /// Code that other GPUs load with the distributions' patches.
        isa_compat: Option<CompatEntry>,
        /// Known effects of `HSA_OVERRIDE_GFX_VERSION`, which makes the runtime treat a GPU as
        /// another one.
        overrides: Vec<OverrideEntry>,
        /// The processors that upstream calls ready for release, and those for which upstream only
        /// builds code.
        declared: Option<DeclaredEntry>,
        /// The tests that upstream schedules on GPUs.
        scheduled: Option<ScheduledEntry>,
        /// The processors that upstream states as supported.
        support_classes: Option<SupportEntry>,
        /// Distributions whose package index is read and for which no recipes are rendered, by
        /// name.
        read_only: IndexMap<String, ReadOnlyEntry>,
    }
}

choice! {
    /// The kind of hardware of a processor.
    pub enum ProcessorKind {
        /// The processor is part of an APU.
        Apu = "APU",
        /// The processor is on a card of its own.
        Card = "dGPU",
    }
}

record! {
    /// A processor.
    pub struct ProcessorEntry {
        /// The microarchitecture.
        family: String,
        /// The kind of hardware: card or APU.
        kind: ProcessorKind,
        /// The oldest known version of LLVM that has the processor, in quotes.
        llvm: Spanned<String>,
        /// Products with the processor.
        products: Vec<String>,
        /// LLVM's other names.
        alternatives: Vec<Spanned<String>>,
        /// The names of the processor's chips in AMD's drivers.
        codenames: Vec<String>,
        /// Set if code may state the xnack mode.
        xnack: bool,
        /// Set if code may state the sramecc mode.
        sramecc: bool,
        /// The generic target that covers the processor.
        generic: Option<Spanned<String>>,
    }
}

record! {
    /// A processor that LLVM dropped.
    pub struct RemovedEntry {
        /// The oldest known version of LLVM that had the processor.
        llvm: Spanned<String>,
        /// Set if code could state the xnack mode.
        xnack: bool,
        /// Set if code could state the sramecc mode.
        sramecc: bool,
        /// The versions of LLVM that had the processor, and the one that dropped it.
        reason: String,
        /// The microarchitecture.
        family: Option<String>,
        /// Products with the processor.
        products: Vec<String>,
        /// The names of the processor's chips in AMD's drivers.
        codenames: Vec<String>,
    }
}

record! {
    /// A generic target.
    pub struct GenericEntry {
        /// The processors that load code for the generic target.
        covers: Vec<Spanned<String>>,
        /// The oldest known version of LLVM that has the generic target.
        llvm: Spanned<String>,
        /// Set if code may state the xnack mode.
        xnack: bool,
        /// Set if code may state the sramecc mode.
        sramecc: bool,
    }
}

record! {
    /// A name in target lists that is no processor.
    pub struct PseudoEntry {
        /// The meaning of the name.
        meaning: Spanned<String>,
    }
}

record! {
    /// Code that is loaded on other processors than its own.
    pub struct CompatEntry {
        /// Groups of processors.
        groups: Vec<CompatGroupEntry>,
        /// The places in upstream's sources that must be patched.
        patch_sites: Vec<PatchSiteEntry>,
    }
}

record! {
    /// A group of code objects, and the GPUs that load them.
    pub struct CompatGroupEntry {
        /// The common beginning of the names.
        root: Spanned<String>,
        /// Processors whose code may be loaded elsewhere.
        code_objects: Vec<Spanned<String>>,
        /// The GPUs that load this code.
        agents: Vec<Spanned<String>>,
        /// A note about the group.
        note: Option<Spanned<String>>,
    }
}

record! {
    /// A place in upstream's sources that must be patched.
    pub struct PatchSiteEntry {
        /// The component, and the file or function.
        site: Spanned<String>,
        /// The component that needs the patch. When absent, every component that runs device code.
        component: Option<Spanned<String>>,
        /// The first release that needs the patch; all releases when absent.
        since: Option<Spanned<String>>,
    }
}

choice! {
    /// The effect of making the runtime treat a GPU as another one.
    pub enum OverrideOutcome {
        /// The override is known to work.
        Works = "works",
        /// The override works for some users, and fails for others.
        Mixed = "mixed",
        /// The override is known to cause hangs or wrong results.
        Hangs = "hangs",
    }
}

record! {
    /// The known effect of a value of `HSA_OVERRIDE_GFX_VERSION`.
    pub struct OverrideEntry {
        /// The GPUs.
        gpus: Vec<String>,
        /// The value.
        value: String,
        /// The effect.
        outcome: OverrideOutcome,
        /// The reason.
        reason: String,
        /// The source of this information.
        source: String,
    }
}

record! {
    /// The processors that upstream states as supported.
    pub struct SupportEntry {
        /// Lists of processors, by the first release that each list is for.
        official: IndexMap<String, OfficialEntry>,
    }
}

record! {
    /// A list of supported processors.
    pub struct OfficialEntry {
        /// The processors.
        targets: Vec<Spanned<String>>,
        /// Upstream's text that states this.
        source: String,
    }
}

record! {
    /// The status of processors in upstream's superbuild.
    pub struct DeclaredEntry {
        /// Upstream's text that states this.
        source: String,
        /// Processors that are tested as part of a release, according to upstream.
        release_ready: Vec<Spanned<String>>,
        /// Processors that upstream builds code for, without a statement about tests.
        builds: Vec<Spanned<String>>,
    }
}

record! {
    /// The tests that upstream schedules on GPUs.
    pub struct ScheduledEntry {
        /// Upstream's text that states this.
        source: String,
        /// Machines by label.
        machines: IndexMap<String, MachineEntry>,
        /// The libraries whose tests are scheduled.
        libraries: Vec<String>,
        /// The processors on which the tests of a library are left out, by library.
        excluded: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// A test machine of upstream.
    pub struct MachineEntry {
        /// The processors that the machine stands for.
        targets: Vec<Spanned<String>>,
        /// The event upon which the machine runs tests: `presubmit`, `postsubmit`, `nightly`.
        when: String,
    }
}

record! {
    /// A distribution whose package index is read.
    pub struct ReadOnlyEntry {
        /// The release to which most of the distribution's packages belong.
        release: String,
        /// The package index that was read.
        source: String,
        /// The targets that packages declare, with the packages.
        declared: Vec<PackagesFor>,
    }
}

record! {
    /// Packages that declare the same targets.
    pub struct PackagesFor {
        /// The targets that the packages contain code for. Empty if the packages do not state them.
        targets: Vec<Spanned<String>>,
        /// The packages, by their names in this model.
        packages: IndexMap<String, ReadOnlyPackage>,
    }
}

record! {
    /// A package in an index.
    pub struct ReadOnlyPackage {
        /// The package's name in the index.
        name: String,
        /// The package's version in the index.
        version: String,
    }
}
