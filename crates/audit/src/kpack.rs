//! Kernels that `TheRock` splits off: `.kpack` files, and the sections that name them.
//!
//! Source: `shared/kpack` of ROCm's `rocm-systems`. A header of 16 bytes (magic, version, place of the index), the code, and an index
//! in `MessagePack`: for each binary and each target a number, of a row in `blobs` where nothing is compressed.

use crate::bytes::{Part, number};
use crate::file::Report;
use crate::{CodeObject, Form, Method, Packing, Place, Wrong, elf};
use serde::Deserialize;
use std::collections::BTreeMap;

pub(crate) const MAGIC: &[u8; 4] = b"KPAK";
/// No index is longer.
const INDEX: u64 = 8 << 20;

#[derive(Deserialize)]
struct Index {
    compression_scheme: String,
    #[serde(default)]
    blobs: Vec<Blob>,
    #[serde(default)]
    zstd_offset: u64,
    #[serde(default)]
    zstd_size: u64,
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

/// The patterns of the files that hold a binary's code.
pub(crate) fn paths(section: &[u8]) -> Vec<String> {
    rmp_serde::from_slice::<Reference>(section)
        .map(|reference| reference.kpack_search_paths)
        .unwrap_or_default()
}

pub(crate) fn read(report: &mut Report, part: Part<'_>) {
    if let Err(wrong) = index(report, part) {
        report.fault(&Place::default(), wrong);
    }
}

fn index(report: &mut Report, part: Part<'_>) -> Result<(), Wrong> {
    let head = part.get(0, 16).ok_or(Wrong::Cut { needs: 16, has: part.size })?;
    let (version, at) = (number(head, 4, 4), number(head, 8, 8));
    if version != 1 {
        return Err(Wrong::Unread { what: format!("a kpack of version {version}") });
    }
    let size = part.size.checked_sub(at).filter(|size| *size > 0);
    let size = size.ok_or(Wrong::Cut { needs: at.saturating_add(1), has: part.size })?;
    let bytes = part.get(at, size).filter(|_| size <= INDEX);
    let bytes = bytes.ok_or_else(|| Wrong::malformed("an index that is too long"))?;
    let index: Index = rmp_serde::from_slice(bytes).map_err(Wrong::malformed)?;
    let method = match index.compression_scheme.as_str() {
        "none" => Method::Plain,
        "zstd-per-kernel" => Method::Zstd,
        other => return Err(Wrong::Unread { what: format!("a kpack compressed by {other}") }),
    };
    let needs = index.zstd_offset.saturating_add(index.zstd_size);
    if needs > part.size {
        report.fault(&Place::default(), Wrong::Cut { needs, has: part.size });
    }
    if index.toc.values().all(BTreeMap::is_empty) {
        report.fault(&Place::default(), Wrong::Empty);
    }
    for (member, kernels) in index.toc {
        for (target, kernel) in kernels {
            let mut place =
                Place { member: Some(member.clone()), entry: Some(kernel.ordinal), ..Place::default() };
            let (stored, size) = if method == Method::Plain {
                let Some(blob) = index.blobs.get(kernel.ordinal) else {
                    report.fault(&place, Wrong::NoCode);
                    continue;
                };
                place.offset = blob.offset;
                match part.cut(blob.offset, blob.size) {
                    Some(code) => elf::code(report, &place, Some(target), blob.size, code.head(64)),
                    None => report.fault(
                        &place,
                        Wrong::Cut { needs: blob.offset.saturating_add(blob.size), has: part.size },
                    ),
                }
                (blob.size, blob.size)
            } else {
                let (form, size) = (Form::Stated, kernel.original_size);
                report.object(CodeObject { target, generic: None, version: None, form, size, place });
                (0, size)
            };
            report.packed(Packing { method, version: Some(1), bundles: 1, stored, size });
        }
    }
    // How much each kernel takes stands in the code itself, all of them together in the index.
    if let Some(row) = report.file.packing.first_mut().filter(|row| row.method == Method::Zstd) {
        row.stored = index.zstd_size;
    }
    Ok(())
}
