//! Reads `.kpack` files. They contain the kernels that `TheRock` (upstream's superbuild) moves out
//! of binaries. Also reads the sections of binaries that name these files.
//!
//! Source: `shared/kpack` of ROCm's `rocm-systems`. A file has a header of 16 bytes (magic,
//! version, offset of the index), the code, and an index in `MessagePack`. The index contains a
//! number for each binary and each target. If nothing is compressed, this is the number of a row in
//! `blobs`.

use crate::bytes::{BytePart, number};
use crate::code;
use crate::fault::{Wrong, within};
use crate::report::{File, Form};
use serde::Deserialize;
use std::collections::BTreeMap;

pub(crate) const MAGIC: &[u8; 4] = b"KPAK";
/// The size of the longest index that is read, in bytes.
const INDEX: u64 = 8 << 20;

#[derive(Deserialize)]
struct Index {
    compression_scheme: String,
    #[serde(default)]
    blobs: Vec<Blob>,
    toc: BTreeMap<String, BTreeMap<String, Kernel>>,
}

#[derive(Clone, Copy, Deserialize)]
struct Blob {
    offset: u64,
    size: u64,
}

#[derive(Deserialize)]
struct Kernel {
    ordinal: usize,
    #[serde(default)]
    original_size: u64,
}

#[derive(Deserialize)]
struct Reference {
    kpack_search_paths: Vec<String>,
}

/// Returns the patterns of the `.kpack` files that contain a binary's code, from the content of its
/// section `.rocm_kpack_ref`. The result is empty if the section is damaged.
pub(crate) fn paths(section: &[u8]) -> Vec<String> {
    rmp_serde::from_slice::<Reference>(section)
        .map(|reference| reference.kpack_search_paths)
        .unwrap_or_default()
}

pub(crate) fn read(file: &mut File, part: BytePart<'_>) -> Result<(), Wrong> {
    let head = part.head(16);
    let (version, at) = (number(head, 4, 4), number(head, 8, 8));
    if version != 1 {
        return Err(Wrong::unread(format!(
            "unsupported kpack version {version}"
        )));
    }
    let index = part.from(at);
    let bytes = index.get(0, index.size.min(INDEX)).unwrap_or_default();
    let index: Index = rmp_serde::from_slice(bytes).map_err(Wrong::damaged)?;
    if index.toc.values().all(BTreeMap::is_empty) {
        return Err(Wrong::Empty);
    }
    for (member, kernels) in index.toc {
        for (
            target,
            Kernel {
                ordinal,
                original_size,
            },
        ) in kernels
        {
            let place = within(&member, format_args!("kernel {ordinal}"));
            if index.compression_scheme != "none" {
                code::stated(file, place, target, Form::Stated, original_size);
                continue;
            }
            let blob = index.blobs.get(ordinal).copied().unwrap_or(Blob {
                offset: u64::MAX,
                size: 0,
            });
            match part.cut(blob.offset, blob.size) {
                Some(code) => code::read(file, &place, Some(target), blob.size, code.head(64)),
                None => file.fault(&place, Wrong::no_code()),
            }
        }
    }
    Ok(())
}
