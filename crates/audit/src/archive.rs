//! Static libraries: `ar`, as GNU's and LLVM's tools write it. Composable Kernel ships its device code in some.

use crate::bytes::Part;
use crate::file::Report;
use crate::{Place, Wrong, bundle, elf};
use object::read::archive::ArchiveFile;

pub(crate) const MAGIC: &[u8; 8] = b"!<arch>\n";

/// Each member with its bytes; what is wrong ends them.
pub(crate) fn members(part: Part<'_>) -> impl Iterator<Item = Result<(String, Part<'_>), Wrong>> {
    let (archive, broken) = match ArchiveFile::parse(part) {
        Ok(archive) => (Some(archive), None),
        Err(error) => (None, Some(Err(Wrong::malformed(error)))),
    };
    let members = archive.into_iter().flat_map(|archive| archive.members()).map(move |member| {
        let member = member.map_err(Wrong::malformed)?;
        let (offset, size) = member.file_range();
        let cut = Wrong::Cut { needs: offset.saturating_add(size), has: part.size };
        Ok((String::from_utf8_lossy(member.name()).into_owned(), part.cut(offset, size).ok_or(cut)?))
    });
    broken.into_iter().chain(members)
}

pub(crate) fn read(report: &mut Report, part: Part<'_>) {
    for member in members(part) {
        match member {
            Err(wrong) => report.fault(&Place::default(), wrong),
            Ok((name, part)) => part.alone(|part| {
                let place = Place { member: Some(name), ..Place::default() };
                let head = part.head(24);
                if head.starts_with(elf::MAGIC) {
                    elf::read(report, part, &place);
                } else if head == bundle::PLAIN || head.starts_with(bundle::COMPRESSED) {
                    bundle::section(report, part, &place, false);
                }
            }),
        }
    }
}
