//! The kinds of profile files, each with its name, its path and its content.

use crate::consumer::Consumers;
use crate::decode::{Decode, choice};
use crate::describe::{Book, Definition, Field, Shape};
use crate::distro::Distro;
use crate::external::Externals;
use crate::package::Package;
use crate::products::ProductsFile;
use crate::release::ReleaseLine;
use crate::runner::Runners;
use crate::targets::TargetsFile;
use crate::upstream::Upstream;

choice! {
    /// A kind of profile file.
    pub enum FileKind {
        /// Facts about one of upstream's components that hold in every distribution.
        Component = "component",
        /// Changes of one distribution to one package. The file is merged over the component's
        /// file.
        Overlay = "overlay",
        /// Facts that hold for all of upstream's components. The file is merged below every
        /// component's file.
        Upstream = "upstream",
        /// The versions that one distribution ships, its naming rules, and its habits.
        Distro = "distro",
        /// A line of upstream's releases: tags, versions and checksums.
        Release = "release",
        /// All known GPU targets, and the GPUs that load the code of each target.
        Targets = "targets",
        /// The GPU targets of products, chips and PCI devices, each with its sources.
        Products = "products",
        /// Dependencies outside the model: for each dependency, its name in each distribution.
        Externals = "externals",
        /// Software that distributions build on the stack, and for which no recipe is rendered.
        Consumers = "consumers",
        /// The machines that a project's tests run on, its backends with their maturity and people,
        /// and the limits of its benchmarks. The file is no part of a model.
        Runners = "runners",
    }
}

/// The keys of a package that only one distribution reads, each with the name of that
/// distribution's profile.
pub const NATIVE: [(&str, &str); 4] = [
    ("ebuild", "gentoo"),
    ("pkgbuild", "arch"),
    ("nix", "nixpkgs"),
    ("ypkg", "solus"),
];

/// Returns true for a key of a package that is about one distribution, and so is not allowed in a
/// component's file.
fn is_overlays(key: &str) -> bool {
    matches!(key, "name" | "of") || NATIVE.iter().any(|(native, _)| *native == key)
}

impl FileKind {
    /// Returns the path of files of this kind inside a folder of profiles. Variable parts are in
    /// capitals: `components/NAME.yaml`.
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
            Self::Consumers => "consumers.yaml",
            Self::Runners => "runners.yaml",
        }
    }

    /// Returns a description of files of this kind.
    pub fn doc(self) -> &'static str {
        Self::WORDS[self as usize].doc
    }

    /// Returns the kind of the file at a path, which may be in any folder of profiles. Returns
    /// `None` if the path is not that of a profile.
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
            [.., "consumers"] => Some(Self::Consumers),
            [.., "runners"] => Some(Self::Runners),
            _ => None,
        }
    }

    /// Returns the shape of files of this kind, and the book with every definition that the shape
    /// needs.
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
            Self::Consumers => Consumers::shape(&mut book),
            Self::Runners => Runners::shape(&mut book),
        };
        book.write_layers();
        (shape, book)
    }
}

impl Book {
    /// Returns a mutable reference to the field `key` of the definition `record`, or `None` if
    /// there is none.
    pub(crate) fn field(&mut self, record: &str, key: &str) -> Option<&mut Field> {
        self.definitions
            .get_mut(record)?
            .fields
            .iter_mut()
            .find(|f| f.key == key)
    }

    /// Copies the definitions that `shape` needs from the book `from` into this book.
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
