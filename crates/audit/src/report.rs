//! The results of reading built files, which are collected while a file is read.

use crate::fault::{Fault, Wrong};
use crate::target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The result of reading a file, a folder or a package.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Audit {
    /// Each file with a known format, in the order of a folder's names or of a package's members.
    pub files: Vec<File>,
    /// The number of files, code objects, faults and needed libraries that are listed so far.
    #[serde(skip)]
    listed: usize,
}

/// The number and the size of a target's code objects.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct TargetCode {
    /// The number of code objects.
    pub objects: usize,
    /// The total size of the code objects, in bytes.
    pub size: u64,
}

impl Audit {
    /// Returns the number and the total size of the code objects for each target ID.
    pub fn targets(&self) -> BTreeMap<String, TargetCode> {
        held(self.files.iter().flat_map(|file| &file.objects))
    }

    /// Returns the faults, each with its file.
    pub fn faults(&self) -> impl Iterator<Item = (&File, &Fault)> {
        self.files
            .iter()
            .flat_map(|file| file.faults.iter().map(move |fault| (file, fault)))
    }

    /// Adds a file, unless the audit lists too much already. Adds nothing for `None`.
    pub(crate) fn add(&mut self, file: Option<File>) {
        let Some(file) = file.filter(|_| self.listed <= 4 * LISTED) else {
            return;
        };
        self.listed += 1 + file.objects.len() + file.faults.len() + file.needed.len();
        self.files.push(file);
        if self.listed > 4 * LISTED {
            self.refuse(
                "",
                Wrong::unread("too many files and code objects: the rest is not listed"),
            );
        }
    }

    /// Adds a file of which nothing could be read, with the fault `wrong`.
    pub(crate) fn refuse(&mut self, path: &str, wrong: Wrong) {
        let mut file = File::new(path, FileKind::Package);
        file.fault("", wrong);
        self.files.push(file);
    }
}

fn held<'o>(objects: impl Iterator<Item = &'o CodeObject>) -> BTreeMap<String, TargetCode> {
    let mut held: BTreeMap<String, TargetCode> = BTreeMap::new();
    for object in objects {
        let entry = held.entry(object.target.clone()).or_default();
        entry.objects += 1;
        entry.size = entry.size.saturating_add(object.size);
    }
    held
}

/// The kind of a built file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum FileKind {
    /// A library, a program or an object file for a CPU.
    #[default]
    Elf,
    /// A code object by itself (`.hsaco`, `.co`).
    CodeObject,
    /// An offload bundle by itself.
    Bundle,
    /// A static library.
    Archive,
    /// An archive of kernels (`.kpack`) that `TheRock`, upstream's superbuild, moves out of
    /// binaries.
    Kpack,
    /// Data of a kernel library beside its code, which assigns kernels to problems. Its target is
    /// known only from its name.
    Data,
    /// A package or a folder in which something could not be read.
    Package,
}

/// A built file with its contents and faults.
#[derive(Clone, Debug, Default, Serialize)]
pub struct File {
    /// The path inside the folder or package that was read, or else the file's own name.
    pub path: String,
    /// The kind of the file.
    pub kind: FileKind,
    /// The processor in the file's name, or in the name of the nearest folder that contains one.
    /// `None` if there is none.
    pub named: Option<String>,
    /// The library's own name: `DT_SONAME`.
    pub soname: Option<String>,
    /// The needed libraries in the file's order: `DT_NEEDED`.
    pub needed: Vec<String>,
    /// The folders in which needed libraries are looked for: `DT_RUNPATH`, or the older `DT_RPATH`.
    pub runpath: Option<String>,
    /// The libraries that the file may open at run time, according to its note.
    pub opens: Vec<Opens>,
    /// Patterns of the `.kpack` files that contain the file's device code, if it was split off.
    pub kpacks: Vec<String>,
    /// The compression of the file's bundles, with a row for each method and version.
    pub packing: Vec<Packing>,
    /// The code objects in the file.
    pub objects: Vec<CodeObject>,
    /// The faults of the file.
    pub faults: Vec<Fault>,
    /// The number of bytes that were unpacked of the file.
    #[serde(skip)]
    unpacked: u64,
}

/// A library that is opened at run time, according to `.note.dlopen`:
/// <https://uapi-group.org/specifications/specs/elf_dlopen_metadata/>.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opens {
    /// The names of the library's file that are tried, in order.
    pub soname: Vec<String>,
    /// The purpose of the library, in one word.
    pub feature: Option<String>,
    /// The priority of the library: `required`, `recommended` or `suggested`.
    pub priority: Option<String>,
}

/// The bundles of a file that are compressed by the same method.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Packing {
    /// The method of compression.
    pub method: Method,
    /// The version of a compressed bundle's header; `None` for a plain bundle.
    pub version: Option<u16>,
    /// The number of bundles.
    pub bundles: usize,
    /// The size of the bundles as stored, in bytes.
    pub stored: u64,
    /// The size of the bundles when unpacked, in bytes.
    pub size: u64,
}

/// A method of compression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// No compression.
    Plain,
    /// zlib.
    Zlib,
    /// zstd.
    Zstd,
}

/// The form of a code object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// An ELF file for a GPU (`EM_AMDGPU`).
    Elf,
    /// LLVM's bitcode, to be compiled later.
    Bitcode,
    /// SPIR-V.
    Spirv,
    /// The form is not known: an index or a name states the code object, and it was not read.
    Stated,
}

/// A code object: code for one GPU target.
#[derive(Clone, Debug, Serialize)]
pub struct CodeObject {
    /// The target ID, such as `gfx90a:sramecc+:xnack-`. It comes from the code itself, or else from
    /// the bundle's entry.
    pub target: String,
    /// The version of the generic target. `None` if the target is not generic, or the code object
    /// version is below 6.
    pub generic: Option<u8>,
    /// The code object version, if the code object is an ELF file.
    pub version: Option<u8>,
    /// The form of the code object.
    pub form: Form,
    /// The size of the code object, in bytes.
    pub size: u64,
    /// The place in the file: the member, the section, the byte and the bundle's entry, as far as
    /// they exist.
    pub place: String,
}

impl CodeObject {
    /// Returns the processor or generic target, without features.
    pub fn processor(&self) -> &str {
        self.target.split(':').next().unwrap_or_default()
    }
}

/// The largest number of code objects, and of faults, that are listed of a file.
const LISTED: usize = 1 << 19;
/// The largest number of bytes that are unpacked of a file. This limits the time.
const UNPACKED: u64 = 16 << 30;

impl File {
    /// Returns the number and the total size of the code objects for each target ID.
    pub fn targets(&self) -> BTreeMap<String, TargetCode> {
        held(self.objects.iter())
    }

    /// Returns the folder that contains the file; `.` for a path without a folder.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or(".", |(folder, _)| folder)
    }

    pub(crate) fn new(path: &str, kind: FileKind) -> Self {
        let named = target::of_name(path).map(str::to_owned);
        Self {
            path: path.to_owned(),
            kind,
            named,
            ..Self::default()
        }
    }

    pub(crate) fn fault(&mut self, place: &str, wrong: Wrong) {
        if self.faults.len() < LISTED {
            self.faults.push(Fault {
                place: place.to_owned(),
                wrong,
            });
        }
    }

    pub(crate) fn object(&mut self, object: CodeObject) {
        match self.objects.len() {
            ..LISTED => self.objects.push(object),
            _ => self.fault(&object.place, Wrong::unread("too many code objects")),
        }
    }

    /// Adds a bundle to the row of `packing` for its method and version. `stored` is its size in
    /// the file and `size` its unpacked size, in bytes.
    pub(crate) fn packed(&mut self, method: Method, version: Option<u16>, stored: u64, size: u64) {
        let rows = &mut self.packing;
        let at = rows
            .iter()
            .position(|row| (row.method, row.version) == (method, version));
        let at = at.unwrap_or_else(|| {
            rows.push(Packing {
                method,
                version,
                bundles: 0,
                stored: 0,
                size: 0,
            });
            rows.len() - 1
        });
        rows[at].bundles += 1;
        rows[at].stored = rows[at].stored.saturating_add(stored);
        rows[at].size = rows[at].size.saturating_add(size);
    }

    /// Adds `size` to the number of unpacked bytes. Returns true if the sum is within the limit.
    pub(crate) fn may_unpack(&mut self, size: u64) -> bool {
        self.unpacked = self.unpacked.saturating_add(size);
        self.unpacked <= UNPACKED
    }
}
