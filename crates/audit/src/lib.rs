//! What built files hold: code objects and the GPU targets that they are for, offload bundles,
//! needed libraries, and what is damaged.
//!
//! [`read`] takes a file, a folder or a package, [`bytes`] what is in memory. The crate knows no
//! recipe and no distribution, and has no list of which code loads where: a target ID is a text for
//! `Registry::parse_id` of the crate `targets`.
//!
//! Files are read where something stands and not as a whole, and what they say of sizes is looked
//! at before it is believed: no input makes it panic, or take more memory than [`WINDOW`] and a few
//! copies of headers.

mod archive;
mod bundle;
mod bytes;
mod code;
mod elf;
mod fault;
mod file;
mod kpack;
mod package;
mod report;
mod target;

pub use bytes::WINDOW;
pub use fault::{Fault, Wrong};
pub use report::{Audit, CodeObject, File, Form, Held, Kind, Method, Opens, Packing};

use bytes::Part;
use std::fs;
use std::path::{Path, PathBuf};

/// Why nothing could be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refuses.
    #[error("{path}: {1}", path = .0.display())]
    Io(PathBuf, std::io::Error),
    /// It is none of the formats.
    #[error("{}: neither an ELF file, an offload bundle, a kernel library nor a package", .0.display())]
    Unknown(PathBuf),
}

/// Reads a file, a folder with all that is below it, or a package. Links are not followed out of a
/// folder, and a package inside a folder is not opened.
///
/// # Errors
///
/// The system refuses `path` itself, or it is a file of no known format. What is wrong inside is a
/// [`Fault`] of its file.
pub fn read(path: &Path) -> Result<Audit, Error> {
    let io = |error| Error::Io(path.to_owned(), error);
    if fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(folder(path));
    }
    let name = path
        .file_name()
        .unwrap_or(path.as_os_str())
        .to_string_lossy();
    let audit = bytes::of_file(&fs::File::open(path).map_err(io)?, |part| {
        either(&name, part)
    })
    .map_err(io)?;
    audit.ok_or_else(|| Error::Unknown(path.to_owned()))
}

/// Reads what is in memory, a file or a package. Its name is what [`read`] takes from the path.
///
/// # Errors
///
/// It is of no known format.
pub fn bytes(name: &str, bytes: &[u8]) -> Result<Audit, Error> {
    either(name, Part::of(bytes)).ok_or_else(|| Error::Unknown(name.into()))
}

fn either(name: &str, part: Part<'_>) -> Option<Audit> {
    package::read(name, part).or_else(|| {
        let mut audit = Audit::default();
        audit.add(file::read(name, part));
        (!audit.files.is_empty()).then_some(audit)
    })
}

/// All files below a folder, in the order of their names.
fn folder(root: &Path) -> Audit {
    let mut audit = Audit::default();
    for entry in walkdir::WalkDir::new(root).sort_by_file_name() {
        let path = entry
            .as_ref()
            .map_or_else(walkdir::Error::path, |entry| Some(entry.path()));
        let path = path.unwrap_or(root);
        let name = path
            .strip_prefix(root)
            .unwrap_or(path)
            .to_string_lossy()
            .into_owned();
        let read = match entry {
            Ok(entry) if !entry.file_type().is_file() => continue,
            Ok(_) => fs::File::open(path)
                .and_then(|file| bytes::of_file(&file, |part| file::read(&name, part))),
            Err(error) => Err(error.into()),
        };
        match read {
            Ok(file) => audit.add(file),
            Err(error) => audit.refuse(&name, Wrong::unread(error)),
        }
    }
    audit
}
