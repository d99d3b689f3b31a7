//! Reads target IDs from an ELF file's flags, from a bundle's entry, and from a file's name.

use crate::machines::MACHINES;

/// The facts in an ELF file's flags.
pub(crate) struct Flags {
    pub(crate) target: String,
    pub(crate) generic: Option<u8>,
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
    let always = ["gfx1250", "gfx1250-strict", "gfx1251", "gfx12-5-generic"].contains(name);
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
