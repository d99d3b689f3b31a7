//! Reads code objects by their first bytes.

use crate::bytes::number;
use crate::fault::Wrong;
use crate::report::{CodeObject, File, FileKind, Form};
use crate::target;

pub(crate) const ELF: &[u8; 4] = b"\x7fELF";
/// The value of `e_machine` in ELF files for AMD's GPUs: `EM_AMDGPU`.
pub(crate) const AMDGPU: u64 = 224;

/// Adds a code object to `file` by its stated `target`, without reading the code.
pub(crate) fn stated(file: &mut File, place: String, target: String, form: Form, size: u64) {
    file.object(CodeObject {
        target,
        generic: None,
        version: None,
        form,
        size,
        place,
    });
}

/// Reads a code object by its first 64 bytes, `head`, and adds it or a fault to `file`. `place` is
/// the object's place in the file, `size` its size in bytes, and `said` the target ID that its
/// bundle states.
pub(crate) fn read(file: &mut File, place: &str, said: Option<String>, size: u64, head: &[u8]) {
    // Bitcode, bitcode in its wrapper, SPIR-V.
    let form = match head {
        [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] => Form::Bitcode,
        [3, 2, 0x23, 7, ..] => Form::Spirv,
        _ => Form::Elf,
    };
    if form != Form::Elf {
        return stated(file, place.to_owned(), said.unwrap_or_default(), form, size);
    }
    if !head.starts_with(ELF) || head.len() > 19 && number(head, 18, 2) != AMDGPU {
        return file.fault(place, Wrong::no_code());
    }
    let needs = number(head, 40, 8)
        .saturating_add(number(head, 58, 2) * number(head, 60, 2))
        .max(64);
    if needs > size || head.len() < 64 {
        return file.fault(place, Wrong::Cut(needs, size));
    }
    let flags = u32::try_from(number(head, 48, 4)).unwrap_or_default();
    let Some(target::Flags {
        target,
        generic,
        version,
    }) = target::of_flags(head[8], flags)
    else {
        file.fault(
            place,
            Wrong::unread(format!("code for an unknown processor, flags {flags:#x}")),
        );
        return said
            .into_iter()
            .for_each(|target| stated(file, place.to_owned(), target, form, size));
    };
    let processor = target.split(':').next().unwrap_or_default();
    // Before version 4, a target without a feature may mean that the feature is off, or that the
    // feature does not matter.
    let same =
        |said: &str| said == target || version < 4 && said.split(':').next() == Some(processor);
    let named = file
        .named
        .clone()
        .filter(|_| matches!(file.kind, FileKind::CodeObject | FileKind::Bundle));
    let others = said
        .filter(|said| !same(said))
        .into_iter()
        .chain(named.filter(|named| named != processor));
    for stated in others {
        file.fault(place, Wrong::Disagrees(stated, target.clone()));
    }
    file.object(CodeObject {
        target,
        generic,
        version: Some(version),
        form,
        size,
        place: place.to_owned(),
    });
}
