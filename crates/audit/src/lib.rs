//! Reads the contents of built files: code objects and their GPU targets, offload bundles, needed
//! libraries, and damage.
//!
//! ```no_run
//! let audit = rocpkg_audit::read("/usr/lib64/librocblas.so.5".as_ref())?;
//! for file in &audit.files {
//!     println!("{} needs {:?}", file.path, file.needed);
//!     for (target, code) in file.targets() {
//!         println!("  {target}: {} code objects of {} bytes", code.objects, code.size);
//!     }
//! }
//! # Ok::<(), rocpkg_audit::Error>(())
//! ```
//!
//! Look first at [`read`], which reads a file, a folder or a package, [`Audit`], the result, and
//! [`Fault`], the damage. [`bytes`] reads a file or a package in memory. `README.md` of the crate
//! lists the limitations. The crate contains nothing about recipes and distributions, and has no
//! list of the GPUs that load a target's code. A target ID is a text, which `Registry::parse_id` of
//! the crate `rocpkg-core` parses.
//!
//! Only the needed parts of a file are read. The sizes that a file states are checked before they
//! are used. No input makes the crate panic. Memory is limited to [`WINDOW`] and a few copies of
//! headers.

mod archive;
mod bundle;
mod bytes;
mod code;
mod elf;
mod fault;
mod file;
mod kpack;
mod machines;
mod package;
mod report;
mod target;

pub use bytes::WINDOW;
pub use fault::{Fault, Wrong};
pub use report::{Audit, CodeObject, File, FileKind, Form, Method, Opens, Packing, TargetCode};

use bytes::BytePart;
use std::fs;
use std::path::{Path, PathBuf};

/// The reason why nothing could be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refuses to open or read the path.
    #[error("{path}: {1}", path = .0.display())]
    Io(PathBuf, std::io::Error),
    /// The file at this path has none of the known formats.
    #[error("{}: not an ELF file, an offload bundle, a kernel library or a package", .0.display())]
    Unknown(PathBuf),
}

/// Reads a file, a folder with all files below it, or a package. Links are not followed out of a
/// folder, and a package inside a folder is not opened.
///
/// # Errors
///
/// Returns an error if the system can't open or read `path` itself, or if `path` is a file of no
/// known format. A fault inside a file is a [`Fault`] of this file, and no error.
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

/// Reads a file or a package whose content is `bytes`. `name` is its file name. [`read`] takes this
/// name from the path.
///
/// # Errors
///
/// Returns an error if the bytes have no known format.
pub fn bytes(name: &str, bytes: &[u8]) -> Result<Audit, Error> {
    either(name, BytePart::of(bytes)).ok_or_else(|| Error::Unknown(name.into()))
}

fn either(name: &str, part: BytePart<'_>) -> Option<Audit> {
    package::read(name, part).or_else(|| {
        let mut audit = Audit::default();
        audit.add(file::read(name, part));
        (!audit.files.is_empty()).then_some(audit)
    })
}

/// Reads all files below a folder, in the order of their names.
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
