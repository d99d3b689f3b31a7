//! Reads one file. Its kind follows from its first bytes, or else from its name.

use crate::bytes::BytePart;
use crate::fault::Wrong;
use crate::report::{File, FileKind, Form};
use crate::{archive, bundle, code, elf, kpack};

/// Returns the kind of a file by its first 24 bytes, else by its name. Returns `None` for a file of
/// no known kind. An ELF file has a kind, whether it has code for GPUs or not.
pub(crate) fn kind(path: &str, head: &[u8]) -> Option<FileKind> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let (_, ending) = name.rsplit_once('.').unwrap_or_default();
    Some(match (head, ending) {
        _ if head.starts_with(code::ELF) => FileKind::Elf,
        _ if bundle::is_one(head) => FileKind::Bundle,
        _ if head.starts_with(archive::MAGIC) || head.starts_with(b"!<thin>\n") => {
            FileKind::Archive
        }
        (_, "kpack") => FileKind::Kpack,
        _ if head.starts_with(kpack::MAGIC) => FileKind::Kpack,
        // Tensile's and hipBLASLt's code and the tables beside it, MIOpen's databases.
        (_, "co" | "hsaco") => FileKind::CodeObject,
        (_, "dat" | "kdb" | "db" | "model" | "txt") if name.contains("gfx") => FileKind::Data,
        _ => return None,
    })
}

pub(crate) fn read(path: &str, part: BytePart<'_>) -> Option<File> {
    let kind = kind(path, part.head(24))?;
    let mut file = File::new(path, kind);
    let done = match kind {
        _ if part.size == 0 => Err(Wrong::Empty),
        FileKind::Elf => elf::read(&mut file, part, ""),
        FileKind::Bundle => bundle::read(&mut file, part, "", false),
        FileKind::Archive => archive::read(&mut file, part),
        FileKind::Kpack if part.head(4) == kpack::MAGIC => kpack::read(&mut file, part),
        FileKind::Kpack | FileKind::CodeObject => Err(Wrong::no_code()),
        _ => Ok(()),
    };
    done.unwrap_or_else(|wrong| file.fault("", wrong));
    // A database of compiled kernels. Its contents are compressed in a format of MIOpen's own.
    if let Some(target) = file
        .named
        .clone()
        .filter(|_| path.rsplit('.').next() == Some("kdb"))
    {
        code::stated(&mut file, String::new(), target, Form::Stated, part.size);
    }
    Some(file)
}
