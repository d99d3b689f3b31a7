//! Reads ELF files of a host: the libraries that they need, and the places of their device code.
//!
//! Sources: the System V ABI; the specification of `.note.dlopen`; the output of clang's HIP
//! driver.

use crate::bytes::{BytePart, number};
use crate::fault::{Wrong, within};
use crate::report::{File, FileKind};
use crate::{bundle, code, kpack, target};
use object::Endianness;
use object::elf::{self, FileHeader32, FileHeader64};
use object::read::elf::{Dyn, FileHeader, SectionHeader, SectionTable};

/// The largest number of needed libraries of a file that is read. Each name has at most 4096 bytes.
const NEEDED: usize = 4096;
/// The owner and the type of the note `.note.dlopen`.
const DLOPEN: (&[u8], u32) = (b"FDO", 0x407c_0c0a);

/// Reads an ELF file for a host's processor or for a GPU. `place` is its place in `file`, empty for
/// the file itself.
pub(crate) fn read(file: &mut File, part: BytePart<'_>, place: &str) -> Result<(), Wrong> {
    let head = part.head(64);
    if number(head, 18, 2) == code::AMDGPU {
        if place.is_empty() {
            file.kind = FileKind::CodeObject;
        }
        code::read(file, place, None, part.size, head);
        return Ok(());
    }
    match head.get(4) {
        Some(1) => host::<FileHeader32<Endianness>>(file, part, place),
        _ => host::<FileHeader64<Endianness>>(file, part, place),
    }
}

fn host<Elf: FileHeader<Endian = Endianness>>(
    file: &mut File,
    part: BytePart<'_>,
    place: &str,
) -> Result<(), Wrong> {
    let fits = |needs: u64| {
        (needs <= part.size)
            .then_some(())
            .ok_or(Wrong::Cut(needs, part.size))
    };
    fits(size_of::<Elf>() as u64)?;
    let header = Elf::parse(part).map_err(Wrong::damaged)?;
    let endian = header.endian().map_err(Wrong::damaged)?;
    let rows = u64::from(header.e_shnum(endian)) * u64::from(header.e_shentsize(endian));
    fits(header.e_shoff(endian).into().saturating_add(rows))?;
    let sections = header.sections(endian, part).map_err(Wrong::damaged)?;
    let ends = sections
        .iter()
        .filter_map(|section| section.file_range(endian));
    let end = ends
        .map(|(offset, size)| offset.saturating_add(size))
        .max()
        .unwrap_or_default();
    fits(end).unwrap_or_else(|wrong| file.fault(place, wrong));
    if place.is_empty() {
        dynamic(file, &sections, endian, part)?;
    }
    let (mut split, mut fat) = (false, Vec::new());
    for section in sections.iter() {
        let Some((offset, size)) = section.file_range(endian) else {
            continue;
        };
        match sections.section_name(endian, section).unwrap_or_default() {
            b".hip_fatbin" => fat.push((offset, size)),
            b".rocm_kpack_ref" => {
                split = true;
                file.kpacks
                    .extend(kpack::paths(part.get(offset, size).unwrap_or_default()));
            }
            b".note.dlopen" if size <= 1 << 20 => {
                let Some(mut notes) = section.notes(endian, part).map_err(Wrong::damaged)? else {
                    continue;
                };
                while let Some(note) = notes.next().map_err(Wrong::damaged)? {
                    if (note.name(), note.n_type(endian).0) == DLOPEN {
                        let text = note
                            .desc()
                            .split(|byte| *byte == 0)
                            .next()
                            .unwrap_or_default();
                        file.opens
                            .extend(serde_json::from_slice::<Vec<_>>(text).unwrap_or_default());
                    }
                }
            }
            // An object file that is linked for the device later has a section of its own for each
            // entry of a bundle.
            name if name.starts_with(bundle::PLAIN) => {
                let id = String::from_utf8_lossy(&name[bundle::PLAIN.len()..]);
                if let (Some(target), Some(part)) = (target::of_entry(&id), part.cut(offset, size))
                {
                    code::read(
                        file,
                        &within(place, "__CLANG_OFFLOAD_BUNDLE__"),
                        Some(target),
                        size,
                        part.head(64),
                    );
                }
            }
            _ => {}
        }
    }
    for (offset, size) in fat {
        let place = within(place, ".hip_fatbin");
        // A section that ends behind the file's end is reported above. The bytes that exist are
        // read.
        let rest = part.from(offset);
        let code = rest.cut(0, size).unwrap_or(rest);
        bundle::read(file, code, &place, split).unwrap_or_else(|wrong| file.fault(&place, wrong));
    }
    Ok(())
}

/// Reads the dynamic section: the needed libraries, the file's own name (`DT_SONAME`), and the
/// folders in which libraries are looked for.
fn dynamic<'d, Elf: FileHeader<Endian = Endianness>>(
    file: &mut File,
    sections: &SectionTable<'d, Elf, BytePart<'d>>,
    endian: Endianness,
    part: BytePart<'d>,
) -> Result<(), Wrong> {
    let Some((rows, link)) = sections.dynamic(endian, part).map_err(Wrong::damaged)? else {
        return Ok(());
    };
    let strings = sections
        .strings(endian, part, link)
        .map_err(Wrong::damaged)?;
    for row in rows
        .iter()
        .take_while(|row| row.d_tag(endian) != elf::DT_NULL)
    {
        let text = || {
            row.string(endian, strings)
                .map(|text| String::from_utf8_lossy(text).into_owned())
        };
        match row.d_tag(endian) {
            elf::DT_NEEDED if file.needed.len() < NEEDED => {
                file.needed.extend([text().map_err(Wrong::damaged)?]);
            }
            elf::DT_SONAME => file.soname = Some(text().map_err(Wrong::damaged)?),
            elf::DT_RUNPATH | elf::DT_RPATH => file.runpath = Some(text().map_err(Wrong::damaged)?),
            _ => {}
        }
    }
    Ok(())
}
