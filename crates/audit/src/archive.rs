//! Reads static libraries: `ar` archives as the tools of GNU and LLVM write them. Composable Kernel
//! ships its device code in static libraries.

use crate::bytes::BytePart;
use crate::fault::Wrong;
use crate::report::File;
use crate::{bundle, code, elf};
use object::read::archive::ArchiveFile;

pub(crate) const MAGIC: &[u8; 8] = b"!<arch>\n";

/// Calls `each` with the name and the content of each member, until `each` returns false. A damaged
/// member is an error.
pub(crate) fn members(
    part: BytePart<'_>,
    mut each: impl FnMut(String, BytePart<'_>) -> bool,
) -> Result<(), Wrong> {
    let archive = ArchiveFile::parse(part).map_err(Wrong::damaged)?;
    for member in archive.members() {
        let member = member.map_err(Wrong::damaged)?;
        let (offset, size) = member.file_range();
        let cut = Wrong::Cut(offset.saturating_add(size), part.size);
        if !each(
            String::from_utf8_lossy(member.name()).into_owned(),
            part.cut(offset, size).ok_or(cut)?,
        ) {
            break;
        }
    }
    Ok(())
}

pub(crate) fn read(file: &mut File, part: BytePart<'_>) -> Result<(), Wrong> {
    members(part, |name, part| {
        part.alone(|part| {
            let done = match part.head(24) {
                head if head.starts_with(code::ELF) => elf::read(file, part, &name),
                head if bundle::is_one(head) => bundle::read(file, part, &name, false),
                _ => Ok(()),
            };
            done.unwrap_or_else(|wrong| file.fault(&name, wrong));
        });
        true
    })
}
