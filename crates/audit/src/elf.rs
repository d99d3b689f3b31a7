//! ELF: what a host's file needs, where its device code stands, and whose code a device's file is.
//!
//! Sources: the System V ABI, LLVM's "User Guide for AMDGPU Backend" (`EM_AMDGPU`), the specification of `.note.dlopen`.

use crate::bytes::{Part, number};
use crate::file::Report;
use crate::{CodeObject, Form, Kind, Opens, Place, Wrong, bundle, kpack, target};
use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, SectionHeader, SectionTable};

pub(crate) const MAGIC: &[u8; 4] = b"\x7fELF";
const AMDGPU: u64 = 224;
/// No file has more libraries; each name has at most 4096 bytes.
const NEEDED: usize = 4096;
/// The note's owner and type.
const DLOPEN: (&[u8], u32) = (b"FDO", 0x407c_0c0a);

/// Reads an ELF file, a host's or a device's.
pub(crate) fn read(report: &mut Report, part: Part<'_>, place: &Place) {
    let head = part.head(64);
    if number(head, 18, 2) == AMDGPU {
        if place.member.is_none() {
            report.file.kind = Kind::CodeObject;
        }
        return code(report, place, None, part.size, head);
    }
    let read = match head.get(4) {
        Some(1) => host::<FileHeader32<Endianness>>(report, part, place),
        _ => host::<FileHeader64<Endianness>>(report, part, place),
    };
    if let Err(wrong) = read {
        report.fault(place, wrong);
    }
}

fn host<Elf: FileHeader<Endian = Endianness>>(
    report: &mut Report,
    part: Part<'_>,
    place: &Place,
) -> Result<(), Wrong> {
    let cut = |needs: u64| Wrong::Cut { needs, has: part.size };
    if part.size < size_of::<Elf>() as u64 {
        return Err(cut(size_of::<Elf>() as u64));
    }
    let header = Elf::parse(part).map_err(Wrong::malformed)?;
    let endian = header.endian().map_err(Wrong::malformed)?;
    let rows = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    let table: u64 = header.e_shoff(endian).into();
    if table.saturating_add(rows) > part.size {
        return Err(cut(table.saturating_add(rows)));
    }
    let sections = header.sections(endian, part).map_err(Wrong::malformed)?;
    let stands = sections.iter().filter_map(|section| section.file_range(endian));
    let end = stands.map(|(offset, size)| offset.saturating_add(size)).max().unwrap_or_default();
    if end > part.size {
        report.fault(place, cut(end));
    }
    if place.member.is_none() {
        dynamic(report, &sections, endian, part)?;
    }
    let named = |name: &'static str| {
        let named = sections
            .iter()
            .filter(move |section| sections.section_name(endian, *section) == Ok(name.as_bytes()));
        named.filter_map(move |section| Some((section, section.file_range(endian)?)))
    };
    // An object file that is linked for the device later has each part in a section of its own, named by the bundle's entry.
    for section in sections.iter() {
        let name =
            sections.section_name(endian, section).ok().and_then(|name| name.strip_prefix(bundle::PLAIN));
        let (Some(name), Some((offset, size))) = (name, section.file_range(endian)) else { continue };
        if let (Some(target), Some(part)) =
            (target::of_entry(&String::from_utf8_lossy(name)), part.cut(offset, size))
        {
            let place = Place { section: Some("__CLANG_OFFLOAD_BUNDLE__"), offset, ..place.clone() };
            code(report, &place, Some(target), size, part.head(64));
        }
    }
    let mut split = false;
    for (_, (offset, size)) in named(".rocm_kpack_ref") {
        split = true;
        report.file.kpacks.extend(kpack::paths(part.get(offset, size).unwrap_or_default()));
    }
    for (section, (_, size)) in named(".note.dlopen") {
        let notes =
            if size <= 1 << 20 { section.notes(endian, part).map_err(Wrong::malformed)? } else { None };
        let Some(mut notes) = notes else { continue };
        while let Some(note) = notes.next().map_err(Wrong::malformed)? {
            if (note.name(), note.n_type(endian).0) == DLOPEN {
                report.file.opens.extend(opens(note.desc()));
            }
        }
    }
    for (_, (offset, size)) in named(".hip_fatbin") {
        let place = Place { section: Some(".hip_fatbin"), ..place.clone() };
        // A section that ends behind the file's end is told above; what there is of it is read.
        let code = part.from(offset);
        bundle::section(report, code.cut(0, size).unwrap_or(code), &place, split);
    }
    Ok(())
}

/// What the loader reads: the libraries and where they are looked for.
fn dynamic<'d, Elf: FileHeader<Endian = Endianness>>(
    report: &mut Report,
    sections: &SectionTable<'d, Elf, Part<'d>>,
    endian: Endianness,
    part: Part<'d>,
) -> Result<(), Wrong> {
    let Some((rows, link)) = sections.dynamic(endian, part).map_err(Wrong::malformed)? else { return Ok(()) };
    let strings = sections.strings(endian, part, link).map_err(Wrong::malformed)?;
    for row in rows.iter().take_while(|row| row.d_tag(endian) != elf::DT_NULL) {
        let tag = row.d_tag(endian);
        if ![elf::DT_NEEDED, elf::DT_SONAME, elf::DT_RUNPATH, elf::DT_RPATH].contains(&tag) {
            continue;
        }
        let text = row.string(endian, strings).map_err(Wrong::malformed)?;
        let text = String::from_utf8_lossy(text).into_owned();
        let file = &mut report.file;
        match tag {
            elf::DT_NEEDED if file.needed.len() < NEEDED => file.needed.push(text),
            elf::DT_SONAME => file.soname = Some(text),
            elf::DT_RUNPATH => file.runpath = Some(text),
            elf::DT_RPATH if file.runpath.is_none() => file.runpath = Some(text),
            _ => {}
        }
    }
    Ok(())
}

fn opens(note: &[u8]) -> Vec<Opens> {
    let text = note.split(|byte| *byte == 0).next().unwrap_or_default();
    serde_json::from_slice(text).unwrap_or_default()
}

/// A code object by its first 64 bytes; `stated` is what its bundle says of it.
pub(crate) fn code(report: &mut Report, place: &Place, stated: Option<String>, size: u64, head: &[u8]) {
    let object =
        |target, form| CodeObject { target, generic: None, version: None, form, size, place: place.clone() };
    let target = stated.clone().unwrap_or_default();
    // Bitcode, bitcode in its wrapper, SPIR-V.
    if let [b'B', b'C', 0xc0, 0xde, ..] | [0xde, 0xc0, 0x17, 0x0b, ..] = head {
        return report.object(object(target, Form::Bitcode));
    }
    if let [3, 2, 0x23, 7, ..] = head {
        return report.object(object(target, Form::Spirv));
    }
    if !head.starts_with(MAGIC) {
        return report.fault(place, Wrong::NoCode);
    }
    let ends = number(head, 40, 8).saturating_add(number(head, 58, 2) * number(head, 60, 2));
    let needs = ends.max(64);
    if needs > size || head.len() < 64 {
        return report.fault(place, Wrong::Cut { needs, has: size });
    }
    if number(head, 18, 2) != AMDGPU {
        return report.fault(place, Wrong::NoCode);
    }
    let flags = u32::try_from(number(head, 48, 4)).unwrap_or_default();
    let Some(found) = target::of_flags(head[8], flags) else {
        report.fault(place, Wrong::Processor { flags });
        return stated.map_or((), |target| report.object(object(target, Form::Elf)));
    };
    let processor = |id: &str| id.split(':').next().unwrap_or_default().to_owned();
    // Before version 4, what states no feature may mean that it is off, or that it doesn't matter.
    let agrees = |stated: &String| match found.version {
        ..4 => processor(stated) == processor(&found.target),
        _ => *stated == found.target,
    };
    if let Some(stated) = stated.filter(|stated| !agrees(stated)) {
        report.fault(place, Wrong::Disagrees { stated, code: found.target.clone() });
    }
    let is_kernels = matches!(report.file.kind, Kind::CodeObject | Kind::Bundle);
    let other = |name: &String| is_kernels && *name != processor(&found.target);
    if let Some(name) = report.file.named.clone().filter(other) {
        report.fault(place, Wrong::Misnamed { name, code: found.target.clone() });
    }
    let (generic, version) = (found.generic, Some(found.version));
    report.object(CodeObject { generic, version, ..object(found.target, Form::Elf) });
}
