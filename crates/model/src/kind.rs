//! The kinds of profile files: what each is called, where it lies, and what it holds.

use crate::decode::{Decode, choice};
use crate::describe::{Book, Definition, Field, Shape};
use crate::distro::Distro;
use crate::external::Externals;
use crate::package::Package;
use crate::products::ProductsFile;
use crate::release::ReleaseLine;
use crate::targets::TargetsFile;
use crate::upstream::Upstream;

choice! {
    /// A kind of profile file, and what such a file says.
    pub enum FileKind {
        /// What is true of one of upstream's components, whoever packages it.
        Component = "component",
        /// What one distribution does to one package: it is laid over the component.
        Overlay = "overlay",
        /// What upstream does everywhere: it is laid below every component.
        Upstream = "upstream",
        /// What one distribution ships, how it names things, and its habits.
        Distro = "distro",
        /// A line of upstream's releases: tags, versions and checksums.
        Release = "release",
        /// Every GPU target that is known, and which code loads where.
        Targets = "targets",
        /// Which target a product, a chip or a PCI device is, and who says so.
        Products = "products",
        /// Everything outside the model: one row a thing, one column a distribution.
        Externals = "externals",
    }
}

/// Keys of a package that one distribution alone reads, each with the name of that distribution's
/// profile.
pub const NATIVE: [(&str, &str); 4] = [
    ("ebuild", "gentoo"),
    ("pkgbuild", "arch"),
    ("nix", "nixpkgs"),
    ("ypkg", "solus"),
];

/// True for a key that a component has no use for, since it belongs to one distribution.
fn is_overlays(key: &str) -> bool {
    matches!(key, "name" | "of") || NATIVE.iter().any(|(native, _)| *native == key)
}

impl FileKind {
    /// Where such a file lies inside a folder of profiles.
    pub fn path(self) -> &'static str {
        match self {
            Self::Component => "components/NAME.yaml",
            Self::Upstream => "upstream.yaml",
            Self::Overlay => "distros/DISTRO/NAME.yaml",
            Self::Distro => "distros/DISTRO.yaml",
            Self::Release => "releases/LINE.yaml",
            Self::Targets => "targets.yaml",
            Self::Products => "products.yaml",
            Self::Externals => "externals.yaml",
        }
    }

    /// What such a file says.
    pub fn doc(self) -> &'static str {
        Self::WORDS[self as usize].doc
    }

    /// The kind of the file at a path, which may lie in any folder of profiles.
    pub fn of(path: &str) -> Option<Self> {
        let parts: Vec<&str> = path.strip_suffix(".yaml")?.split('/').collect();
        match parts.as_slice() {
            [.., "components", _] => Some(Self::Component),
            [.., "releases", _] => Some(Self::Release),
            [.., "distros", _, _] => Some(Self::Overlay),
            [.., "distros", _] => Some(Self::Distro),
            [.., "upstream"] => Some(Self::Upstream),
            [.., "targets"] => Some(Self::Targets),
            [.., "products"] => Some(Self::Products),
            [.., "externals"] => Some(Self::Externals),
            _ => None,
        }
    }

    /// What such a file holds, with every definition that is needed for it.
    pub fn describe(self) -> (Shape, Book) {
        let mut book = Book::default();
        let shape = match self {
            Self::Component => book.define("Component", &|book| {
                let mut scratch = Book::default();
                Package::shape(&mut scratch);
                scratch.write_layers();
                let package = scratch.get("Package").cloned().unwrap_or_default();
                let fields: Vec<_> = package
                    .fields
                    .into_iter()
                    .filter(|f| !is_overlays(f.key))
                    .collect();
                for field in &fields {
                    book.adopt(&field.shape, &scratch);
                }
                Definition {
                    doc: self.doc().to_owned(),
                    fields,
                    ..Definition::default()
                }
            }),
            Self::Overlay => Package::shape(&mut book),
            Self::Upstream => Upstream::shape(&mut book),
            Self::Distro => Distro::shape(&mut book),
            Self::Release => ReleaseLine::shape(&mut book),
            Self::Targets => TargetsFile::shape(&mut book),
            Self::Products => ProductsFile::shape(&mut book),
            Self::Externals => Externals::shape(&mut book),
        };
        book.write_layers();
        (shape, book)
    }
}

impl Book {
    /// A field of a record, to be changed.
    pub(crate) fn field(&mut self, record: &str, key: &str) -> Option<&mut Field> {
        self.definitions
            .get_mut(record)?
            .fields
            .iter_mut()
            .find(|f| f.key == key)
    }

    /// Takes over what a shape needs from another book.
    fn adopt(&mut self, shape: &Shape, from: &Self) {
        match shape {
            Shape::List(inner)
            | Shape::Mapping(inner)
            | Shape::OneOrMany(inner)
            | Shape::Filled(inner) => {
                self.adopt(inner, from);
            }
            Shape::Named(name) => {
                let Some(definition) = from.get(name) else {
                    return;
                };
                self.define(name, &|book| {
                    let inner = definition
                        .fields
                        .iter()
                        .map(|f| &f.shape)
                        .chain(&definition.forms);
                    for shape in inner {
                        book.adopt(shape, from);
                    }
                    definition.clone()
                });
            }
            Shape::Text(_) | Shape::Flag | Shape::Number => {}
        }
    }
}
