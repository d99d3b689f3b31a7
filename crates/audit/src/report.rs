//! What is found in built files, and a file's account while it is read.

use crate::fault::{Fault, Wrong};
use crate::target;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Audit {
    /// Each file that has a format known here, in the order of a folder's names or of a package's
    /// members.
    pub files: Vec<File>,
    /// How many things are listed of all of them.
    #[serde(skip)]
    listed: usize,
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
        held(self.files.iter().flat_map(|file| &file.objects))
    }

    /// The faults, each with its file.
    pub fn faults(&self) -> impl Iterator<Item = (&File, &Fault)> {
        self.files
            .iter()
            .flat_map(|file| file.faults.iter().map(move |fault| (file, fault)))
    }

    /// Adds what is read of a file, as long as there is an end to it.
    pub(crate) fn add(&mut self, file: Option<File>) {
        let Some(file) = file.filter(|_| self.listed <= 4 * LISTED) else {
            return;
        };
        self.listed += 1 + file.objects.len() + file.faults.len() + file.needed.len();
        self.files.push(file);
        if self.listed > 4 * LISTED {
            self.refuse("", Wrong::unread("there is more than is listed"));
        }
    }

    /// A file of which nothing could be read.
    pub(crate) fn refuse(&mut self, path: &str, wrong: Wrong) {
        let mut file = File::new(path, Kind::Package);
        file.fault("", wrong);
        self.files.push(file);
    }
}

fn held<'o>(objects: impl Iterator<Item = &'o CodeObject>) -> BTreeMap<String, Held> {
    let mut held: BTreeMap<String, Held> = BTreeMap::new();
    for object in objects {
        let entry = held.entry(object.target.clone()).or_default();
        entry.objects += 1;
        entry.size = entry.size.saturating_add(object.size);
    }
    held
}

/// What sort of file it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Kind {
    /// A library, a program or an object file for a processor that is no GPU.
    #[default]
    Elf,
    /// A code object by itself (`.hsaco`, `.co`).
    CodeObject,
    /// An offload bundle by itself.
    Bundle,
    /// A static library.
    Archive,
    /// An archive of kernels that `TheRock` splits off.
    Kpack,
    /// What a kernel library has beside code: which kernel is for what. Its target is known by its
    /// name alone.
    Data,
    /// A package or a folder in which something could not be read.
    Package,
}

/// A file.
#[derive(Clone, Debug, Default, Serialize)]
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
    /// How much was unpacked of it.
    #[serde(skip)]
    unpacked: u64,
}

/// A library opened at run time, by `.note.dlopen`:
/// <https://uapi-group.org/specifications/specs/elf_dlopen_metadata/>.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Opens {
    /// The names that are tried.
    pub soname: Vec<String>,
    /// What it is for, in a word.
    pub feature: Option<String>,
    /// `required`, `recommended` or `suggested`.
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
    /// Its target ID, such as `gfx90a:sramecc+:xnack-`: what the code itself says, or else the
    /// bundle's entry.
    pub target: String,
    /// The version of the generic target (code object version 6).
    pub generic: Option<u8>,
    /// The code object version, where it is an ELF file.
    pub version: Option<u8>,
    /// What it is written in.
    pub form: Form,
    /// Its bytes.
    pub size: u64,
    /// The member, the section, the byte and the bundle's entry, as far as there are such.
    pub place: String,
}

impl CodeObject {
    /// The processor or generic target, without features.
    pub fn processor(&self) -> &str {
        self.target.split(':').next().unwrap_or_default()
    }
}

/// How many code objects, and how many faults, are listed of a file.
const LISTED: usize = 1 << 19;
/// How much is unpacked of one file, which bounds the time.
const UNPACKED: u64 = 16 << 30;

impl File {
    /// What there is for each target ID.
    pub fn targets(&self) -> BTreeMap<String, Held> {
        held(self.objects.iter())
    }

    /// The folder that it lies in.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or(".", |(folder, _)| folder)
    }

    pub(crate) fn new(path: &str, kind: Kind) -> Self {
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
            _ => self.fault(
                &object.place,
                Wrong::unread("there are too many code objects"),
            ),
        }
    }

    /// Counts a bundle.
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

    /// Whether so much may be unpacked besides.
    pub(crate) fn may_unpack(&mut self, size: u64) -> bool {
        self.unpacked = self.unpacked.saturating_add(size);
        self.unpacked <= UNPACKED
    }
}
