//! One file by its first bytes, or by its name where it has none; and all files of a folder.

use crate::bytes::{Part, Source};
use crate::{
    Audit, CodeObject, Fault, File, Form, Kind, Packing, Place, Wrong, archive, bundle, elf, kpack, target,
};
use object::read::ReadCache;
use std::fs;
use std::path::Path;

/// How many code objects, and how many faults, are listed of a file.
const LISTED: usize = 1 << 18;
/// How much is unpacked of one file, which bounds the time.
const UNPACKED: u64 = 16 << 30;

/// A file while it is read.
pub(crate) struct Report {
    pub(crate) file: File,
    left: u64,
}

impl Report {
    pub(crate) fn new(path: &str, kind: Kind) -> Self {
        let named = target::of_name(path).map(str::to_owned);
        let (soname, runpath, needed, opens, kpacks) = (None, None, Vec::new(), Vec::new(), Vec::new());
        let (packing, objects, faults) = (Vec::new(), Vec::new(), Vec::new());
        let path = path.to_owned();
        let file =
            File { path, kind, named, soname, needed, runpath, opens, kpacks, packing, objects, faults };
        Self { file, left: UNPACKED }
    }

    pub(crate) fn fault(&mut self, place: &Place, wrong: Wrong) {
        let faults = &mut self.file.faults;
        match faults.len() {
            ..LISTED => faults.push(Fault { place: place.clone(), wrong }),
            LISTED => faults.push(Fault { place: Place::default(), wrong: Wrong::Many }),
            _ => {}
        }
    }

    pub(crate) fn object(&mut self, object: CodeObject) {
        if self.file.objects.len() < LISTED {
            self.file.objects.push(object);
        } else if self.file.faults.last().is_none_or(|fault| fault.wrong != Wrong::Many) {
            self.fault(&Place::default(), Wrong::Many);
        }
    }

    pub(crate) fn packed(&mut self, packing: Packing) {
        let is_same = |row: &&mut Packing| (row.method, row.version) == (packing.method, packing.version);
        match self.file.packing.iter_mut().find(is_same) {
            Some(row) => {
                row.bundles += packing.bundles;
                row.stored = row.stored.saturating_add(packing.stored);
                row.size = row.size.saturating_add(packing.size);
            }
            None => self.file.packing.push(packing),
        }
    }

    /// Whether so much may be unpacked besides; it counts as done.
    pub(crate) fn may_unpack(&mut self, size: u64) -> bool {
        let left = self.left.checked_sub(size);
        self.left = left.unwrap_or(self.left);
        left.is_some()
    }
}

fn ending(path: &str) -> &str {
    path.rsplit_once('.').map_or("", |(_, ending)| ending)
}

/// What a file is by its first 24 bytes, or by its name; none where it holds nothing for us.
pub(crate) fn kind(path: &str, head: &[u8]) -> Option<Kind> {
    if head.starts_with(elf::MAGIC) {
        return Some(Kind::Elf);
    }
    if head == bundle::PLAIN || head.starts_with(bundle::COMPRESSED) {
        return Some(Kind::Bundle);
    }
    if head.starts_with(archive::MAGIC) || head.starts_with(b"!<thin>\n") {
        return Some(Kind::Archive);
    }
    let ending = ending(path);
    if head.starts_with(kpack::MAGIC) || ending == "kpack" {
        return Some(Kind::Kpack);
    }
    // Tensile's and hipBLASLt's code and the tables beside it, MIOpen's databases.
    if ["co", "hsaco"].contains(&ending) {
        return Some(Kind::CodeObject);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_data = ["dat", "kdb", "db", "model", "txt"].contains(&ending) && name.contains("gfx");
    is_data.then_some(Kind::Data)
}

pub(crate) fn examine(path: &str, part: Part<'_>) -> Option<File> {
    let kind = kind(path, part.head(24))?;
    let mut report = Report::new(path, kind);
    let place = Place::default();
    match kind {
        Kind::Elf => elf::read(&mut report, part, &place),
        Kind::Bundle => bundle::section(&mut report, part, &place, false),
        Kind::Archive => archive::read(&mut report, part),
        Kind::Kpack if part.head(4) != kpack::MAGIC => report.fault(&place, Wrong::NoCode),
        Kind::Kpack => kpack::read(&mut report, part),
        _ if part.size == 0 => report.fault(&place, Wrong::NoBytes),
        Kind::CodeObject => report.fault(&place, Wrong::NoCode),
        // A database of compiled kernels; what is in it is compressed in a way of MIOpen's own.
        _ if ending(path) == "kdb" => {
            let (form, size) = (Form::Stated, part.size);
            if let Some(target) = report.file.named.clone() {
                report.object(CodeObject { target, generic: None, version: None, form, size, place });
            }
        }
        _ => {}
    }
    Some(report.file)
}

/// All files below a folder, in the order of their names.
pub(crate) fn folder(root: &Path) -> Audit {
    let mut audit = Audit::default();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let refused = match entry {
            Ok(entry) if !entry.file_type().is_file() => continue,
            Ok(entry) => {
                let path = entry.path().strip_prefix(root).unwrap_or(entry.path()).to_string_lossy();
                match on_disk(entry.path(), &path) {
                    Ok(file) => {
                        audit.files.extend(file);
                        continue;
                    }
                    Err(error) => (path.into_owned(), error.to_string()),
                }
            }
            Err(error) => {
                let path = error.path().map(|path| path.strip_prefix(root).unwrap_or(path).to_string_lossy());
                (path.unwrap_or_default().into_owned(), error.to_string())
            }
        };
        let mut report = Report::new(&refused.0, Kind::Package);
        report.fault(&Place::default(), Wrong::io(refused.1));
        audit.files.push(report.file);
    }
    audit
}

fn on_disk(file: &Path, path: &str) -> std::io::Result<Option<File>> {
    let file = fs::File::open(file)?;
    let size = file.metadata()?.len();
    let cache = ReadCache::new(&file);
    Ok(examine(path, Part::new(Source::File(&file, &cache), size)))
}
