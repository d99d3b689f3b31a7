//! Profiles made from code: what `profiles/*.yaml` states, without files.
//!
//! `profiles/reference.md` of the repository lists every key. The common keys have methods, all
//! others are set by name. Values are checked like those of files, when a stack is loaded.

use crate::backend::Backend;
use rocpkg_model::{Key, Node, Span, Value as Inner};

/// The value of a key of a profile: a text, a truth value, a number, a list or a mapping.
///
/// ```
/// use rocpkg::profile::Value;
/// let value = Value::map([("default", Value::from(false)), ("feature", "test".into())]);
/// assert_eq!(value.to_string(), r#"{"default": false, "feature": "test"}"#);
/// assert_eq!(Value::from(["gfx90a", "gfx1100"]).to_string(), r#"["gfx90a", "gfx1100"]"#);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Value(Node);

fn node(value: Inner) -> Node {
    Node {
        span: Span::default(),
        value,
    }
}

/// Returns a scalar. `plain` is true for numbers and truth values. A text must be in quotes, since
/// YAML could read it as another type.
fn scalar(text: &dyn std::fmt::Display, plain: bool) -> Value {
    Value(node(Inner::Scalar {
        text: text.to_string().into(),
        plain,
    }))
}

impl Value {
    /// Returns a mapping with these entries.
    pub fn map<K: Into<String>, V: Into<Self>>(entries: impl IntoIterator<Item = (K, V)>) -> Self {
        let mut out = node(Inner::Map(Vec::new()));
        for (key, value) in entries {
            put(&mut out, &[&key.into()], value.into());
        }
        Self(out)
    }

    /// Returns the value that removes what other layers state for a key: `~`.
    pub fn none() -> Self {
        Self(node(Inner::Null))
    }
}

/// Prints the value as YAML, on one line.
impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.0.fmt(f)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        scalar(&text, false)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        scalar(&text, false)
    }
}

impl From<bool> for Value {
    fn from(on: bool) -> Self {
        scalar(&on, true)
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        scalar(&number, true)
    }
}

impl<V: Into<Value>> From<Vec<V>> for Value {
    fn from(list: Vec<V>) -> Self {
        Self(node(Inner::Seq(
            list.into_iter().map(|v| v.into().0).collect(),
        )))
    }
}

impl<V: Into<Value>, const N: usize> From<[V; N]> for Value {
    fn from(list: [V; N]) -> Self {
        Vec::from(list).into()
    }
}

/// Sets the value below `keys` in `node`. Mappings on the way are made.
fn put(node: &mut Node, keys: &[&str], value: Value) {
    let Some((first, rest)) = keys.split_first() else {
        *node = value.0;
        return;
    };
    if !matches!(node.value, Inner::Map(_)) {
        node.value = Inner::Map(Vec::new());
    }
    let Inner::Map(entries) = &mut node.value else {
        return;
    };
    let at = entries.iter().position(|(key, _)| key.name == *first);
    let at = at.unwrap_or_else(|| {
        let key = Key {
            name: (*first).into(),
            span: Span::default(),
        };
        entries.push((key, self::node(Inner::Null)));
        entries.len() - 1
    });
    put(&mut entries[at].1, rest, value);
}

/// Adds an element to the list below `keys` in `node`.
fn push(node: &mut Node, keys: &[&str], value: Value) {
    let there = keys.iter().try_fold(&*node, |node, key| node.get(key));
    let mut list = match there.map(|node| &node.value) {
        Some(Inner::Seq(items)) => items.clone(),
        _ => Vec::new(),
    };
    list.push(value.0);
    put(node, keys, Value(self::node(Inner::Seq(list))));
}

/// One file of a model, made from code. [`Stack::with`](crate::Stack::with) merges it over a stack.
///
/// ```
/// use rocpkg::profile::{Profile, Value};
/// let names = Value::map([("gentoo", "dev-build/cmake"), ("arch", "cmake")]);
/// let externals = Profile::new("externals.yaml").set(["cmake"], names);
/// assert_eq!(externals.to_string(), "\"cmake\": {\"gentoo\": \"dev-build/cmake\", \"arch\": \"cmake\"}\n");
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Profile {
    pub(crate) path: String,
    node: Node,
}

impl Profile {
    /// Returns an empty file. `path` is its path below `profiles/`: `upstream.yaml`,
    /// `targets.yaml`, `externals.yaml`, `releases/LINE.yaml`.
    pub fn new(path: &str) -> Self {
        Self {
            path: path.to_owned(),
            node: node(Inner::Map(Vec::new())),
        }
    }

    /// Returns the facts about all components: upstream's name, its account on GitHub, and the
    /// pattern of home pages, in which `${repository}` stands for a component's repository.
    pub fn upstream(name: &str, owner: &str, homepage: &str) -> Self {
        Self::new("upstream.yaml")
            .set(["name"], name)
            .set(["owner"], owner)
            .set(["homepage"], homepage)
    }

    /// Returns a release, such as `3.1.0`, and the pattern of its tags, such as `v${version}`.
    pub fn release(release: &str, tag: &str) -> Self {
        let line: Vec<&str> = release.splitn(3, '.').take(2).collect();
        Self::new(&format!("releases/{}.yaml", line.join(".")))
            .set(["tag"], tag)
            .set(["versions", release], Value(node(Inner::Map(Vec::new()))))
    }

    /// Returns the names of a package outside of the stack, such as CMake, in the distributions.
    pub fn external<'n>(name: &str, names: impl IntoIterator<Item = (Backend, &'n str)>) -> Self {
        let names = names
            .into_iter()
            .map(|(backend, own)| (backend.distro(), own));
        Self::new("externals.yaml").set([name], Value::map(names))
    }

    /// Returns a processor that code is built for, its family, and the first version of LLVM that
    /// has it.
    pub fn processor(name: &str, family: &str, llvm: &str) -> Self {
        Self::new("targets.yaml")
            .set(["processors", name, "family"], family)
            .set(["processors", name, "kind"], "dGPU")
            .set(["processors", name, "llvm"], llvm)
    }

    /// Sets the value of a key. `keys` are the names on the way to it: `["depends", "cmake",
    /// "kind"]`.
    pub fn set<'k>(
        mut self,
        keys: impl IntoIterator<Item = &'k str>,
        value: impl Into<Value>,
    ) -> Self {
        let keys: Vec<&str> = keys.into_iter().collect();
        put(&mut self.node, &keys, value.into());
        self
    }
}

impl Profile {
    /// Returns the distribution and the name of the package, if the file is an overlay.
    pub(crate) fn overlay(&self) -> Option<(&str, &str)> {
        let (distro, name) = self.path.strip_prefix("distros/")?.split_once('/')?;
        Some((distro, name.strip_suffix(".yaml")?))
    }
}

/// Prints the file: each of its keys on one line.
impl std::fmt::Display for Profile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (key, value) in self.node.entries() {
            writeln!(f, "{}: {value}", scalar(&key.name, false))?;
        }
        Ok(())
    }
}

/// The facts of a package: a component of upstream, or the changes that one distribution makes to
/// it.
///
/// ```
/// use rocpkg::profile::{Dependency, Package};
/// use rocpkg::{Backend, Options, Stack};
///
/// let thing = Package::component("hipthing")
///     .summary("Things for AMD GPUs")
///     .licence("MIT")
///     .repository("somebody", "hipThing")
///     .depends("clr", Dependency::link());
/// let stack = Stack::shipped()?.with(thing).with(Package::overlay(Backend::Arch, "hipthing"));
/// let options = Options { backends: vec![Backend::Arch], packages: vec!["hipthing".into()], ..Options::everything() };
/// let tree = stack.render(&options)?;
/// assert!(tree.text("arch/hipthing/PKGBUILD").unwrap().contains("pkgdesc='Things for AMD GPUs'"));
/// # Ok::<(), rocpkg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Package {
    profile: Profile,
}

impl Package {
    /// Returns a component without facts: `components/NAME.yaml`.
    pub fn component(name: &str) -> Self {
        Self {
            profile: Profile::new(&format!("components/{name}.yaml")),
        }
    }

    /// Returns the package `name` of a distribution, without changes to its component:
    /// `distros/DISTRIBUTION/NAME.yaml`. If the distribution does not have the package, it is
    /// added.
    pub fn overlay(backend: Backend, name: &str) -> Self {
        Self {
            profile: Profile::new(&format!("distros/{}/{name}.yaml", backend.distro())),
        }
    }

    /// Sets any key, as [`Profile::set`] does.
    pub fn set<'k>(
        mut self,
        keys: impl IntoIterator<Item = &'k str>,
        value: impl Into<Value>,
    ) -> Self {
        self.profile = self.profile.set(keys, value);
        self
    }

    fn add(mut self, keys: &[&str], value: impl Into<Value>) -> Self {
        push(&mut self.profile.node, keys, value.into());
        self
    }

    /// Sets upstream's spelling of the name, such as `rocBLAS`.
    pub fn title(self, title: &str) -> Self {
        self.set(["title"], title)
    }

    /// Sets the description: one line, without a full stop.
    pub fn summary(self, summary: &str) -> Self {
        self.set(["summary"], summary)
    }

    /// Sets the address of the home page.
    pub fn homepage(self, address: &str) -> Self {
        self.set(["homepage"], address)
    }

    /// Adds a licence, an SPDX expression such as `MIT`. All licences apply.
    pub fn licence(self, licence: &str) -> Self {
        self.add(&["licence"], licence)
    }

    /// Sets the repository of the main source, on GitHub.
    pub fn repository(self, owner: &str, repository: &str) -> Self {
        self.set(["sources", "main", "owner"], owner)
            .set(["sources", "main", "repository"], repository)
    }

    /// Adds a dependency: the name of a component, or of a package outside of the stack in
    /// `externals.yaml`.
    pub fn depends(self, name: &str, dependency: Dependency) -> Self {
        self.add(&["depends", name], dependency.0)
    }

    /// Adds a feature that users choose: a USE flag of an ebuild, an argument of a Nix expression.
    pub fn feature(self, name: &str, summary: &str, default: bool) -> Self {
        let keys = |key| ["features", name, key];
        self.set(keys("summary"), summary)
            .set(keys("default"), default)
    }

    /// Declares an option of upstream's CMake files that has the value of a feature. `default` is
    /// upstream's own value. The habits of a distribution say which options are passed: those of
    /// [`Distribution::new`] pass all.
    pub fn option(self, name: &str, default: bool, feature: &str) -> Self {
        let keys = |key| ["options", name, key];
        self.set(keys("default"), default)
            .set(keys("feature"), feature)
    }

    /// Declares the variable in which upstream's build takes the list of GPU targets, and the
    /// targets that it can be built for. `source` names the place that states them.
    pub fn targets<'t>(
        self,
        variable: &str,
        targets: impl IntoIterator<Item = &'t str>,
        source: &str,
    ) -> Self {
        let targets: Vec<&str> = targets.into_iter().collect();
        let rule = Value::map([("targets", Value::from(targets)), ("reason", source.into())]);
        self.set(["targets", "variable"], variable)
            .add(&["targets", "supports"], rule)
    }

    /// Adds a patch: the name of a file beside the recipe, and the reason for the patch.
    pub fn patch(self, file: &str, reason: &str) -> Self {
        self.add(
            &["patches"],
            Value::map([("file", file), ("comment", reason)]),
        )
    }
}

/// The purpose of a dependency, and its conditions.
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Dependency(Value);

/// Makes the functions that return a dependency of one kind.
macro_rules! kinds {
    ($($(#[doc = $doc:literal])* $name:ident)*) => {
        $($(#[doc = $doc])* pub fn $name() -> Self {
            Self(Value::map([("kind", [stringify!($name)])]))
        })*
    };
}

impl Dependency {
    kinds! {
        /// The package links against the dependency, and needs it at run time.
        link
        /// The dependency has headers or static libraries that only the build needs.
        build
        /// The dependency has a program that runs during the build.
        tool
        /// The package needs the dependency at run time only.
        run
        /// The package loads the dependency at run time if it is installed.
        optional
        /// The tests of the package need the dependency.
        test
    }

    fn set(mut self, key: &str, value: impl Into<Value>) -> Self {
        put(&mut self.0.0, &[key], value.into());
        self
    }

    /// Sets the condition under which the package has the dependency: features, as in `test &
    /// !debug`.
    pub fn when(self, condition: &str) -> Self {
        self.set("when", condition)
    }

    /// Requires a version: `same` as the package's own, `any`, or a range such as `>=6.0.0`.
    pub fn version(self, range: &str) -> Self {
        self.set("version", range)
    }

    /// Requires that the dependency is built for the same GPU targets as the package.
    pub fn same_targets(self) -> Self {
        self.set("targets", "same")
    }

    /// Requires that the dependency is built for at least the GPU targets of the package.
    pub fn covers_targets(self) -> Self {
        self.set("targets", "covers")
    }
}

/// A distribution: its packages, and its habits.
///
/// ```
/// use rocpkg::profile::{Dependency, Distribution, Package, Profile};
/// use rocpkg::{Backend, Options, Stack};
///
/// let stack = Stack::empty()?
///     .with(Profile::upstream("Nimbus", "nimbus-hpc", "https://example.org/${repository}"))
///     .with(Profile::release("3.1.0", "v${version}"))
///     .with(Profile::external("cmake", [(Backend::Arch, "cmake")]))
///     .with(Package::component("nimblas").title("nimBLAS").summary("BLAS for Nimbus GPUs")
///         .licence("MIT").repository("nimbus-hpc", "nimBLAS").depends("cmake", Dependency::tool()))
///     .with(Distribution::new(Backend::Arch, "3.1.0").package("nimblas")
///         .maintainer("A Packager", "a@example.org"));
/// let tree = stack.render(&Options { allow_missing: true, ..Options::default() })?;
/// assert!(tree.text("arch/nimblas/PKGBUILD").unwrap().contains("pkgver=3.1.0"));
/// # Ok::<(), rocpkg::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[must_use]
pub struct Distribution(Profile);

impl Distribution {
    /// Returns a distribution that ships a release, without packages: `distros/DISTRIBUTION.yaml`.
    /// Packages are named like their components, are fetched as archives, and pass all of
    /// upstream's options to the build.
    pub fn new(backend: Backend, release: &str) -> Self {
        let file = Profile::new(&format!("distros/{}.yaml", backend.distro()))
            .set(["version"], release)
            .set(["naming"], "component")
            .set(["fetch"], "archive")
            .set(["habits", "options"], "always");
        Self(file)
    }

    /// Sets any key, as [`Profile::set`] does.
    pub fn set<'k>(self, keys: impl IntoIterator<Item = &'k str>, value: impl Into<Value>) -> Self {
        Self(self.0.set(keys, value))
    }

    fn add(mut self, keys: &[&str], value: Value) -> Self {
        push(&mut self.0.node, keys, value);
        self
    }

    /// Adds a package: the name of a component.
    pub fn package(self, name: &str) -> Self {
        self.set(["packages", name], "default")
    }

    /// Adds a maintainer of all packages.
    pub fn maintainer(self, name: &str, address: &str) -> Self {
        let person = Value::map([("name", name), ("email", address)]);
        self.add(&["maintainers"], person)
    }

    /// Sets the distribution's name of an SPDX licence, such as `Apache-2.0` for Gentoo's
    /// `Apache-2.0`.
    pub fn licence(self, spdx: &str, name: &str) -> Self {
        self.set(["licences", spdx], name)
    }

    /// Sets the GPU targets that packages are built for by default in a range of releases, and
    /// those that can be requested besides.
    pub fn targets<'t>(
        self,
        releases: &str,
        default: impl IntoIterator<Item = &'t str>,
        offered: impl IntoIterator<Item = &'t str>,
    ) -> Self {
        let list = |all: Vec<&str>| Value::from(all);
        let row = [
            ("releases", Value::from(releases)),
            ("default", list(default.into_iter().collect())),
            ("offered", list(offered.into_iter().collect())),
        ];
        self.add(&["targets"], Value::map(row))
    }
}

impl From<Package> for Profile {
    fn from(package: Package) -> Self {
        package.profile
    }
}

impl From<Distribution> for Profile {
    fn from(distribution: Distribution) -> Self {
        distribution.0
    }
}
