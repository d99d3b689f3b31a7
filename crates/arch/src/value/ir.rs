//! The typed PKGBUILD: fields with their values, private variables, and functions. `print.rs`
//! converts it to statements of bash.

use rocpkg_render::bash::{Stmt, Word};
use std::collections::BTreeMap;

/// Declares [`Field`], with the name of each field in bash.
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

            /// Returns the field's name in bash.
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

/// The fields before the sums, in the order of makepkg's `PKGBUILD.proto`. Only the options are
/// last, as in Arch's packages of ROCm.
const WRITTEN: &str = "\
pkgver pkgrel epoch pkgdesc arch url license groups depends makedepends checkdepends optdepends provides conflicts \
replaces backup install changelog source noextract validpgpkeys";

impl Field {
    /// Returns all fields in the order in which a rendered PKGBUILD sets them.
    pub fn written() -> impl Iterator<Item = Self> {
        let sums = Self::ALL.iter().copied().filter(|f| f.is_sums());
        WRITTEN
            .split_whitespace()
            .filter_map(Self::from_name)
            .chain(sums)
            .chain([Self::Options])
    }

    /// Returns the field with this name in bash, or `None` if there is no such field.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|f| f.name() == name)
    }

    /// Returns true for a field with a single value. All others are arrays.
    pub fn is_single(self) -> bool {
        self <= Self::Changelog
    }

    /// Returns true if the field, such as `depends`, may have an array for one architecture, such
    /// as `depends_x86_64` (`pkgbuild_schema_arch_arrays` of makepkg).
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

    /// Returns true for a field of checksums.
    pub fn is_sums(self) -> bool {
        self >= Self::Cksums
    }
}

/// Fields with their elements. A field with a single value has one element. The words are printed
/// as bash, and evaluated for .SRCINFO.
pub type Fields = BTreeMap<Field, Vec<Word>>;

/// Returns the word `${array[@]}`: all values of a private array, as an element of another array.
pub fn all_of(array: &str) -> Word {
    Word::var(format!("{array}[@]"))
}

/// The value of a private variable, whose name begins with `_`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// One value.
    Scalar(Word),
    /// An array.
    Array(Vec<Word>),
}

/// One package of a PKGBUILD.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SplitPackage {
    /// The package's name in `pkgname`.
    pub name: String,
    /// The fields that the package's function sets. They are empty if the PKGBUILD is not split.
    pub overrides: Fields,
    /// The statements of the package's function, behind its own fields.
    pub body: Vec<Stmt>,
}

/// A PKGBUILD as a typed value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pkgbuild {
    /// The people of the `# Maintainer:` lines, each as `Name <address>`.
    pub maintainers: Vec<String>,
    /// The people of the `# Contributor:` lines, each as `Name <address>`.
    pub contributors: Vec<String>,
    /// The name in `pkgbase`; of a PKGBUILD that makes one package, the package's name.
    pub base: String,
    /// Set if the PKGBUILD makes several packages (is split). It then has `pkgbase`, and functions
    /// `package_NAME`.
    pub split: bool,
    /// A comment on the whole PKGBUILD, printed above it.
    pub comment: Option<String>,
    /// The fields that the global scope sets, except `pkgname` and `pkgbase`.
    pub fields: Fields,
    /// Arrays for one architecture, such as `depends_x86_64`, by field and architecture.
    pub by_architecture: BTreeMap<(Field, String), Vec<Word>>,
    /// Private variables by name. Each is behind the variables that its value refers to.
    pub variables: Vec<(String, Variable)>,
    /// The functions other than those of packages, each with its name and body, in the order of the
    /// PKGBUILD.
    pub functions: Vec<(String, Vec<Stmt>)>,
    /// The packages of the PKGBUILD; one if it is not split.
    pub parts: Vec<SplitPackage>,
}
