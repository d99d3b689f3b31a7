//! Reads target IDs from an ELF file's flags, from a bundle's entry, and from a file's name.

/// The processors by `EF_AMDGPU_MACH`: LLVM's "User Guide for AMDGPU Backend", table of `e_flags`,
/// and `llvm/BinaryFormat/ELF.h`.
#[rustfmt::skip]
const MACHINES: [(u8, &str); 60] = [
    (0x20, "gfx600"), (0x21, "gfx601"), (0x22, "gfx700"), (0x23, "gfx701"), (0x24, "gfx702"), (0x25, "gfx703"), (0x26, "gfx704"),
    (0x28, "gfx801"), (0x29, "gfx802"), (0x2a, "gfx803"), (0x2b, "gfx810"), (0x2c, "gfx900"), (0x2d, "gfx902"), (0x2e, "gfx904"),
    (0x2f, "gfx906"), (0x30, "gfx908"), (0x31, "gfx909"), (0x32, "gfx90c"), (0x33, "gfx1010"), (0x34, "gfx1011"), (0x35, "gfx1012"),
    (0x36, "gfx1030"), (0x37, "gfx1031"), (0x38, "gfx1032"), (0x39, "gfx1033"), (0x3a, "gfx602"), (0x3b, "gfx705"), (0x3c, "gfx805"),
    (0x3d, "gfx1035"), (0x3e, "gfx1034"), (0x3f, "gfx90a"), (0x40, "gfx940"), (0x41, "gfx1100"), (0x42, "gfx1013"), (0x43, "gfx1150"),
    (0x44, "gfx1103"), (0x45, "gfx1036"), (0x46, "gfx1101"), (0x47, "gfx1102"), (0x48, "gfx1200"), (0x49, "gfx1250"), (0x4a, "gfx1151"),
    (0x4b, "gfx941"), (0x4c, "gfx942"), (0x4e, "gfx1201"), (0x4f, "gfx950"), (0x50, "gfx1310"), (0x51, "gfx9-generic"),
    (0x52, "gfx10-1-generic"), (0x53, "gfx10-3-generic"), (0x54, "gfx11-generic"), (0x55, "gfx1152"), (0x58, "gfx1153"),
    (0x59, "gfx12-generic"), (0x5a, "gfx1251"), (0x5b, "gfx12-5-generic"), (0x5c, "gfx1172"), (0x5d, "gfx1170"), (0x5e, "gfx1171"),
    (0x5f, "gfx9-4-generic"),
];

/// The facts in an ELF file's flags.
pub(crate) struct Flags {
    pub(crate) target: String,
    /// The version of a generic target.
    pub(crate) generic: Option<u8>,
    /// The code object version.
    pub(crate) version: u8,
}

/// Returns the target ID in `e_flags` of an ELF file, or `None` if the flags contain no known
/// processor. `abi` is `EI_ABIVERSION`: 0 for code object version 2, 1 for version 3, and so on.
/// The features are in alphabetical order. A feature that the flags call "any" or "not supported"
/// is not in the target ID.
pub(crate) fn of_flags(abi: u8, flags: u32) -> Option<Flags> {
    let [machine, _, _, generic] = flags.to_le_bytes();
    let (_, name) = MACHINES.iter().find(|(number, _)| *number == machine)?;
    let mut target = (*name).to_owned();
    // For these processors, XNACK replay is always on, whatever the flags state.
    let always = ["gfx1250", "gfx1251", "gfx12-5-generic"].contains(name);
    let (sramecc, xnack) = match abi {
        0 => (0, 0),
        // Each feature has one bit: on, or not stated.
        1 => ((flags >> 9 & 1) * 3, (flags >> 8 & 1) * 3),
        _ => (flags >> 10 & 3, if always { 0 } else { flags >> 8 & 3 }),
    };
    for (feature, value) in [("sramecc", sramecc), ("xnack", xnack)] {
        match value {
            2 => target.push_str(&format!(":{feature}-")),
            3 => target.push_str(&format!(":{feature}+")),
            _ => {}
        }
    }
    let version = abi.saturating_add(2);
    Some(Flags {
        target,
        generic: (version >= 6 && generic > 0).then_some(generic),
        version,
    })
}

/// Returns the target ID in the ID of a bundle's entry, `KIND-ARCH-VENDOR-OS-ENVIRONMENT-TARGET`,
/// or `None` for the entry of a host. The features are in alphabetical order. Source: LLVM's "Clang
/// Offload Bundler", bundle entry ID.
pub(crate) fn of_entry(id: &str) -> Option<String> {
    let mut parts = id.splitn(6, '-');
    if parts.next() == Some("host") {
        return None;
    }
    let target = parts.nth(4).unwrap_or_default();
    let mut features: Vec<&str> = target.split(':').collect();
    features[1..].sort_unstable();
    Some(features.join(":"))
}

/// Returns the processor in the file's name, or else in the name of the nearest folder that
/// contains one. Returns `None` if the path names no processor. The longest known name counts,
/// since the names of databases have the number of compute units right after the processor:
/// `gfx90878.db` -> `gfx908`.
pub(crate) fn of_name(path: &str) -> Option<&'static str> {
    path.rsplit('/').find_map(|part| {
        let (at, _) = part.rmatch_indices("gfx").next()?;
        let known = MACHINES
            .iter()
            .map(|(_, name)| *name)
            .filter(|name| part[at..].starts_with(name));
        known.max_by_key(|name| name.len())
    })
}
