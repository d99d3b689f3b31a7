//! The typed PKGBUILD: fields with their values, private variables, functions. PKGBUILD and
//! .SRCINFO are printed from it.

use rocpkg_render::bash::{Stmt, Word};
use std::collections::BTreeMap;

/// Fields with their names in bash.
macro_rules! fields {
    ($($field:ident $name:literal,)*) => {
        /// A field of a PKGBUILD, in the order of .SRCINFO (makepkg's `srcinfo.sh`): single values
        /// first, then arrays, then sums.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Field {
            $(#[doc = concat!("`", $name, "`")] $field,)*
        }

        impl Field {
            /// All fields in the order of .SRCINFO.
            pub const ALL: &[Field] = &[$(Field::$field),*];

            /// The field's name in bash.
            pub fn name(self) -> &'static str {
                match self {
                    $(Field::$field => $name,)*
                }
            }
        }
    };
}

fields! {
    Pkgdesc "pkgdesc",
    Pkgver "pkgver",
    Pkgrel "pkgrel",
    Epoch "epoch",
    Url "url",
    Install "install",
    Changelog "changelog",
    Arch "arch",
    Groups "groups",
    License "license",
    Checkdepends "checkdepends",
    Makedepends "makedepends",
    Depends "depends",
    Optdepends "optdepends",
    Provides "provides",
    Conflicts "conflicts",
    Replaces "replaces",
    Noextract "noextract",
    Options "options",
    Backup "backup",
    Source "source",
    Validpgpkeys "validpgpkeys",
    Cksums "cksums",
    Md5sums "md5sums",
    Sha1sums "sha1sums",
    Sha224sums "sha224sums",
    Sha256sums "sha256sums",
    Sha384sums "sha384sums",
    Sha512sums "sha512sums",
    B2sums "b2sums",
}

/// What a PKGBUILD states before its sums, in the order of makepkg's `PKGBUILD.proto`, but for the
/// options: Arch's ROCm has them last.
const WRITTEN: &str = "\
pkgver pkgrel epoch pkgdesc arch url license groups depends makedepends checkdepends optdepends provides conflicts \
replaces backup install changelog source noextract validpgpkeys";

impl Field {
    /// All fields in the order in which a PKGBUILD states them.
    pub fn written() -> impl Iterator<Item = Self> {
        let sums = Self::ALL.iter().copied().filter(|f| f.is_sums());
        WRITTEN
            .split_whitespace()
            .filter_map(Self::from_name)
            .chain(sums)
            .chain([Self::Options])
    }

    /// The field of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// True for a field of one value; all others are arrays.
    pub fn is_single(self) -> bool {
        self <= Self::Changelog
    }

    /// Returns true for a list that may differ between architectures, such as `depends_x86_64`
    /// (`pkgbuild_schema_arch_arrays` of makepkg).
    pub fn has_architectures(self) -> bool {
        let is_relation = matches!(
            self,
            Self::Checkdepends
                | Self::Conflicts
                | Self::Depends
                | Self::Makedepends
                | Self::Optdepends
                | Self::Provides
                | Self::Replaces
                | Self::Source
        );
        is_relation || self.is_sums()
    }

    /// Returns true for a field that the function of a package may set
    /// (`pkgbuild_schema_package_overrides` of makepkg).
    pub fn is_of_packages(self) -> bool {
        matches!(
            self,
            Self::Pkgdesc
                | Self::Arch
                | Self::Url
                | Self::License
                | Self::Groups
                | Self::Depends
                | Self::Optdepends
                | Self::Provides
                | Self::Conflicts
                | Self::Replaces
                | Self::Backup
                | Self::Options
                | Self::Install
                | Self::Changelog
        )
    }

    /// True for checksums.
    pub fn is_sums(self) -> bool {
        self >= Self::Cksums
    }
}

/// Fields with their elements; a single value has one. Their words are printed for bash, and
/// evaluated for .SRCINFO.
pub type Fields = BTreeMap<Field, Vec<Word>>;

/// All values of a private array, as one element of another.
pub fn all_of(array: &str) -> Word {
    Word::var(format!("{array}[@]"))
}

/// A private variable.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// One value.
    Scalar(Word),
    /// An array.
    Array(Vec<Word>),
}

/// One package of a PKGBUILD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// `pkgname`
    pub name: String,
    /// The fields that its function sets; none when the PKGBUILD is not split.
    pub overrides: Fields,
    /// The statements of its function.
    pub body: Vec<Stmt>,
}

/// A PKGBUILD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pkgbuild {
    /// `# Maintainer:` lines, without the words before the name.
    pub maintainers: Vec<String>,
    /// `# Contributor:` lines, likewise.
    pub contributors: Vec<String>,
    /// `pkgbase`
    pub base: String,
    /// True when it makes several packages.
    pub split: bool,
    /// What the whole is about, printed above it.
    pub comment: Option<String>,
    /// The fields of the whole.
    pub fields: Fields,
    /// Lists for one architecture, such as `depends_x86_64`, by field and architecture.
    pub by_architecture: BTreeMap<(Field, String), Vec<Word>>,
    /// Private variables, in the order in which they depend on each other.
    pub variables: Vec<(String, Variable)>,
    /// The bodies of prepare, build and check, in this order.
    pub functions: Vec<(String, Vec<Stmt>)>,
    /// The packages.
    pub parts: Vec<Part>,
}
