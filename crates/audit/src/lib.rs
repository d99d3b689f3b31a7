//! What built files hold: code objects and the GPU targets that they are for, offload bundles, needed libraries, and what is damaged.
//!
//! [`read`] takes a file, a folder or a package, [`bytes`] what is in memory. The crate knows no recipe and no distribution, and has no
//! list of which code loads where: a target ID is a text for `Registry::parse_id` of the crate `targets`.
//!
//! Files are read where something stands and not as a whole, and what they say of sizes is looked at before it is believed: no input
//! makes it panic or take more memory than [`WINDOW`] and a few copies of headers.

mod archive;
mod bundle;
mod bytes;
mod elf;
mod fault;
mod file;
mod kpack;
mod package;
mod target;

pub use bundle::{DECLARED, WINDOW};
pub use fault::{Fault, Place, Wrong};

use bytes::{Part, Source};
use object::read::ReadCache;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Why nothing could be read at all.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The system refuses.
    #[error("{}: {source}", path.display())]
    Io {
        /// What was to be read.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// It is none of the formats.
    #[error("{}: neither an ELF file, an offload bundle, a kernel library nor a package", .0.display())]
    Unknown(PathBuf),
}

/// What was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Audit {
    /// Each file that has a format known here, in the order of a folder's names or of a package's members.
    pub files: Vec<File>,
}

/// A target's code objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Held {
    /// How many.
    pub objects: usize,
    /// Their bytes.
    pub size: u64,
}

impl Audit {
    /// What there is for each target ID.
    pub fn targets(&self) -> BTreeMap<String, Held> {
        let mut held: BTreeMap<String, Held> = BTreeMap::new();
        for object in self.files.iter().flat_map(|file| &file.objects) {
            let entry = held.entry(object.target.clone()).or_default();
            entry.objects += 1;
            entry.size = entry.size.saturating_add(object.size);
        }
        held
    }

    /// The faults, each with its file.
    pub fn faults(&self) -> impl Iterator<Item = (&File, &Fault)> {
        self.files.iter().flat_map(|file| file.faults.iter().map(move |fault| (file, fault)))
    }
}

/// What sort of file it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// A library, a program or an object file for a processor that is no GPU.
    Elf,
    /// A code object by itself (`.hsaco`, `.co`).
    CodeObject,
    /// An offload bundle by itself.
    Bundle,
    /// A static library.
    Archive,
    /// An archive of kernels that `TheRock` splits off.
    Kpack,
    /// What a kernel library has beside code: which kernel is for what. Its target is known by its name alone.
    Data,
    /// A package or a folder in which something could not be read.
    Package,
}

/// A file.
#[derive(Clone, Debug, Serialize)]
pub struct File {
    /// Its path inside the folder or the package; a file's own name otherwise.
    pub path: String,
    /// What sort of file it is.
    pub kind: Kind,
    /// The processor in the file's name, or in the nearest folder's that names one.
    pub named: Option<String>,
    /// `DT_SONAME`.
    pub soname: Option<String>,
    /// `DT_NEEDED`, in the file's order.
    pub needed: Vec<String>,
    /// `DT_RUNPATH`, or the older `DT_RPATH`.
    pub runpath: Option<String>,
    /// What it says that it opens at run time.
    pub opens: Vec<Opens>,
    /// Where its device code lies when it was split off: patterns of `.kpack` files.
    pub kpacks: Vec<String>,
    /// How its bundles are packed; a row for each way.
    pub packing: Vec<Packing>,
    /// Its code objects.
    pub objects: Vec<CodeObject>,
    /// What is wrong with it.
    pub faults: Vec<Fault>,
}

/// A library opened at run time, by `.note.dlopen`: <https://uapi-group.org/specifications/specs/elf_dlopen_metadata/>.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, serde::Deserialize)]
pub struct Opens {
    /// The names that are tried.
    pub soname: Vec<String>,
    /// What it is for, in a word.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub feature: Option<String>,
    /// `required`, `recommended` or `suggested`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub priority: Option<String>,
}

/// How bundles are packed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packing {
    /// The method.
    pub method: Method,
    /// The version of the compressed bundle's header; none for a plain one.
    pub version: Option<u16>,
    /// How many bundles.
    pub bundles: usize,
    /// Their bytes as stored.
    pub stored: u64,
    /// Their bytes unpacked.
    pub size: u64,
}

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// None.
    Plain,
    /// zlib.
    Zlib,
    /// zstd.
    Zstd,
}

/// What a code object is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// ELF for `EM_AMDGPU`.
    Elf,
    /// LLVM's bitcode, to be compiled later.
    Bitcode,
    /// SPIR-V.
    Spirv,
    /// It was not looked into: the index or the name says that it is there.
    Stated,
}

/// Code for one target.
#[derive(Clone, Debug, Serialize)]
pub struct CodeObject {
    /// Its target ID, such as `gfx90a:sramecc+:xnack-`: what the code itself says, or else the bundle's entry.
    pub target: String,
    /// The version of the generic target (code object version 6).
    pub generic: Option<u8>,
    /// The code object version, where it is an ELF file.
    pub version: Option<u8>,
    /// What it is written in.
    pub form: Form,
    /// Its bytes.
    pub size: u64,
    /// Where it stands.
    pub place: Place,
}

impl CodeObject {
    /// The processor or generic target, without features.
    pub fn processor(&self) -> &str {
        self.target.split(':').next().unwrap_or_default()
    }
}

/// Reads a file, a folder with all that is below it, or a package. Links are not followed out of a folder, and a package inside
/// a folder is not opened.
///
/// # Errors
///
/// The system refuses `path` itself, or it is a file of no known format. What is wrong inside is a [`Fault`] of its file.
pub fn read(path: &Path) -> Result<Audit, Error> {
    let io = |source| Error::Io { path: path.to_owned(), source };
    if std::fs::metadata(path).map_err(io)?.is_dir() {
        return Ok(file::folder(path));
    }
    let file = std::fs::File::open(path).map_err(io)?;
    let size = file.metadata().map_err(io)?.len();
    let cache = ReadCache::new(&file);
    let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
    either(&name, Part::new(Source::File(&file, &cache), size)).ok_or_else(|| Error::Unknown(path.to_owned()))
}

/// Reads what is in memory, a file or a package. Its name is what [`read`] takes from the path.
///
/// # Errors
///
/// It is of no known format.
pub fn bytes(name: &str, bytes: &[u8]) -> Result<Audit, Error> {
    let part = Part::new(Source::Memory(bytes), bytes.len() as u64);
    either(name, part).ok_or_else(|| Error::Unknown(name.into()))
}

fn either(name: &str, part: Part<'_>) -> Option<Audit> {
    package::read(name, part).or_else(|| file::examine(name, part).map(|file| Audit { files: vec![file] }))
}
