//! The records of `targets.yaml`, the registry of GPU targets.

use crate::decode::{Spanned, choice, record};
use indexmap::IndexMap;

record! {
    /// The content of the file `targets.yaml`.
    pub struct TargetsFile {
        /// GPU processors of LLVM by name (`gfx90a`), in LLVM's order.
        processors: IndexMap<String, ProcessorEntry>,
        /// Processors that LLVM dropped, by name.
        removed: IndexMap<String, RemovedEntry>,
        /// LLVM's generic targets by name (`gfx11-generic`), whose code several processors load.
        generics: IndexMap<String, GenericEntry>,
        /// Names in lists of targets that are no processors, such as `amdgcnspirv`.
        pseudo: IndexMap<String, PseudoEntry>,
        /// Upstream's families of targets by name, each with its targets: `gfx110X-all`.
        families: IndexMap<String, Vec<Spanned<String>>>,
        /// The processors whose code other GPUs load with the distributions' patches.
        isa_compat: Option<CompatEntry>,
        /// Known effects of `HSA_OVERRIDE_GFX_VERSION`, which makes the runtime treat a GPU as
        /// another one.
        overrides: Vec<OverrideEntry>,
        /// The processors that upstream's superbuild declares ready for release, and those for
        /// which it only builds code.
        declared: Option<DeclaredEntry>,
        /// The tests that upstream schedules on GPUs.
        scheduled: Option<ScheduledEntry>,
        /// The lists of processors that upstream's documentation states as supported.
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
    /// A GPU processor of LLVM.
    pub struct ProcessorEntry {
        /// The microarchitecture, such as `RDNA3`.
        family: String,
        /// The kind of hardware: a card or an APU.
        kind: ProcessorKind,
        /// The oldest known major version of LLVM that has the processor, in quotes: `"17"`.
        llvm: Spanned<String>,
        /// The target's number in the ELF flags of its code (`EF_AMDGPU_MACH`), as two digits in
        /// hexadecimal: `"0x41"`. Source: `llvm/BinaryFormat/ELF.h`.
        elf: Option<Spanned<String>>,
        /// The products with the processor, as AMD names them.
        products: Vec<String>,
        /// LLVM's other names of the processor, such as `fiji`.
        alternatives: Vec<Spanned<String>>,
        /// The names of the processor's chips in AMD's drivers.
        codenames: Vec<String>,
        /// Set if a target ID may state the mode xnack: `gfx90a:xnack+`.
        xnack: bool,
        /// Set if a target ID may state the mode sramecc: `gfx90a:sramecc+`.
        sramecc: bool,
        /// The generic target whose code the processor loads, if there is one.
        generic: Option<Spanned<String>>,
    }
}

record! {
    /// A GPU processor that older versions of LLVM had.
    pub struct RemovedEntry {
        /// The oldest known major version of LLVM that had the processor.
        llvm: Spanned<String>,
        /// The target's number in the ELF flags of its code (`EF_AMDGPU_MACH`), as two digits in
        /// hexadecimal: `"0x41"`. Source: `llvm/BinaryFormat/ELF.h`.
        elf: Option<Spanned<String>>,
        /// Set if a target ID could state the mode xnack.
        xnack: bool,
        /// Set if a target ID could state the mode sramecc.
        sramecc: bool,
        /// A sentence about the versions of LLVM that had the processor, and the version that
        /// dropped it.
        reason: String,
        /// The microarchitecture, such as `RDNA3`.
        family: Option<String>,
        /// The products with the processor, as AMD names them.
        products: Vec<String>,
        /// The names of the processor's chips in AMD's drivers.
        codenames: Vec<String>,
    }
}

record! {
    /// A generic target of LLVM, such as `gfx11-generic`, whose code several processors load.
    pub struct GenericEntry {
        /// The processors that load code for the generic target.
        covers: Vec<Spanned<String>>,
        /// The oldest known major version of LLVM that has the generic target.
        llvm: Spanned<String>,
        /// The target's number in the ELF flags of its code (`EF_AMDGPU_MACH`), as two digits in
        /// hexadecimal: `"0x41"`. Source: `llvm/BinaryFormat/ELF.h`.
        elf: Option<Spanned<String>>,
        /// Set if a target ID may state the mode xnack: `gfx90a:xnack+`.
        xnack: bool,
        /// Set if a target ID may state the mode sramecc: `gfx90a:sramecc+`.
        sramecc: bool,
    }
}

record! {
    /// A name in target lists that is no processor.
    pub struct PseudoEntry {
        /// The meaning of the name, as a text for users.
        meaning: Spanned<String>,
    }
}

record! {
    /// The processors whose code other processors load with the distributions' patches.
    pub struct CompatEntry {
        /// Groups of processors that share code.
        groups: Vec<CompatGroupEntry>,
        /// The places in upstream's sources that must be patched so that the code is loaded.
        patch_sites: Vec<PatchSiteEntry>,
        /// The settings that pack bundles of device code and unpack them.
        bundles: Option<BundleSettingsEntry>,
    }
}

record! {
    /// The settings that pack bundles of device code and unpack them.
    pub struct BundleSettingsEntry {
        /// The flag by which the compiler compresses bundles.
        compress: Spanned<String>,
        /// The flag by which the compiler leaves bundles uncompressed.
        plain: Spanned<String>,
        /// The environment variable by which the compiler compresses bundles if it is set.
        variable: Option<Spanned<String>>,
        /// Another way to load code from compressed bundles, and its known effect.
        workaround: Option<WorkaroundEntry>,
    }
}

record! {
    /// A way around a missing patch, with its known effect.
    pub struct WorkaroundEntry {
        /// The environment variable to set, with its value.
        setting: Spanned<String>,
        /// The known effect, as a clause: `it crashed with ROCm 6.2`.
        outcome: Spanned<String>,
        /// The address of the report.
        source: Spanned<String>,
    }
}

record! {
    /// A group of processors with compatible code. The GPUs in `agents` load code for the
    /// processors in `code-objects`.
    pub struct CompatGroupEntry {
        /// The common beginning of the processors' names, such as `gfx103`.
        root: Spanned<String>,
        /// The processors whose code objects other GPUs of the group may load.
        code_objects: Vec<Spanned<String>>,
        /// The processors of the GPUs that load these code objects.
        agents: Vec<Spanned<String>>,
        /// A note about the group.
        note: Option<Spanned<String>>,
    }
}

record! {
    /// A place in upstream's sources that must be patched so that compatible code is loaded.
    pub struct PatchSiteEntry {
        /// The component, and after a colon the files or functions: `rocBLAS: handle, auxiliary`.
        /// Patches refer to the place by this text (`site`).
        site: Spanned<String>,
        /// The component that needs the patch. When absent, every component that runs device code.
        component: Option<Spanned<String>>,
        /// The first release that needs the patch; all releases when absent.
        since: Option<Spanned<String>>,
    }
}

choice! {
    /// The effect of `HSA_OVERRIDE_GFX_VERSION`, which makes the runtime treat a GPU as another
    /// one.
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
    /// The known effect of a value of `HSA_OVERRIDE_GFX_VERSION` on some GPUs.
    pub struct OverrideEntry {
        /// The processors of the GPUs that the override is used on.
        gpus: Vec<String>,
        /// The value of the variable, such as `10.3.0`.
        value: String,
        /// The effect of the override.
        outcome: OverrideOutcome,
        /// The reason why the override has this effect.
        reason: String,
        /// The source of this information, such as an issue.
        source: String,
    }
}

record! {
    /// The lists of processors that upstream's documentation states as supported.
    pub struct SupportEntry {
        /// Lists of supported processors, by the first release that each list is for.
        official: IndexMap<String, OfficialEntry>,
    }
}

record! {
    /// A list of processors that upstream supports from a release on.
    pub struct OfficialEntry {
        /// The processors that upstream supports.
        targets: Vec<Spanned<String>>,
        /// The address of upstream's text that states this.
        source: String,
    }
}

record! {
    /// The status of processors in upstream's superbuild.
    pub struct DeclaredEntry {
        /// The address of upstream's text that states this.
        source: String,
        /// Processors that are tested as part of a release, according to upstream.
        release_ready: Vec<Spanned<String>>,
        /// Processors that upstream builds code for, without a statement about tests.
        builds: Vec<Spanned<String>>,
    }
}

record! {
    /// The table of the tests that upstream schedules on GPUs: its machines, libraries and
    /// exceptions.
    pub struct ScheduledEntry {
        /// The address of upstream's text that states this.
        source: String,
        /// Upstream's test machines by the label that its CI uses.
        machines: IndexMap<String, MachineEntry>,
        /// The libraries whose tests are scheduled.
        libraries: Vec<String>,
        /// The processors on which the tests of a library are left out, by library.
        excluded: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// A machine on which upstream runs tests.
    pub struct MachineEntry {
        /// The processors of the machine's GPUs.
        targets: Vec<Spanned<String>>,
        /// The event upon which the machine runs the tests: `presubmit`, `postsubmit` or `nightly`.
        when: String,
    }
}

record! {
    /// A distribution whose package index was read, and whose recipes are not rendered.
    pub struct ReadOnlyEntry {
        /// The release to which most of the distribution's packages belong.
        release: String,
        /// The address of the package index that was read.
        source: String,
        /// The runtime's treatment of code for compatible GPUs. It is not known when absent.
        runtime: Option<ReadOnlyRuntime>,
        /// The packages, grouped by the GPU targets that they declare.
        declared: Vec<PackagesFor>,
    }
}

record! {
    /// The treatment of code for compatible GPUs by a distribution's runtime.
    pub struct ReadOnlyRuntime {
        /// Set if the runtime is patched to load code for compatible GPUs.
        patched: bool,
        /// The file or the page that states it.
        source: Spanned<String>,
    }
}

record! {
    /// Packages that declare the same targets.
    pub struct PackagesFor {
        /// The GPU targets that the packages contain code for. Empty if the packages do not state
        /// them.
        targets: Vec<Spanned<String>>,
        /// The packages of this group, by the names of their components in this model.
        packages: IndexMap<String, ReadOnlyPackage>,
    }
}

record! {
    /// A package in the package index of a distribution.
    pub struct ReadOnlyPackage {
        /// The package's name in the index.
        name: String,
        /// The package's version in the index.
        version: String,
    }
}
