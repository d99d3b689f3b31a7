//! Names that others use for packages and external dependencies: distributions, upstream, and
//! people who write a category before a name.

use crate::read::files::{DISTROS, File, Layers};
use rocpkg_model::Node;
use std::collections::BTreeMap;

/// The profiles' names of packages and external dependencies, by each other name that is in use.
#[derive(Clone, Debug, Default)]
pub struct Spellings {
    names: BTreeMap<String, Spelling>,
    /// GPU targets by the name of their family.
    families: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug)]
struct Spelling {
    id: String,
    /// The distribution that uses the name, and the name in the distribution's spelling.
    whose: Option<(&'static str, String)>,
}

/// Returns a package's name without its prefix: the category in Gentoo, the scope in nixpkgs.
pub fn bare(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    // The names of scopes in nixpkgs end in `Packages`.
    name.split_once("Packages.")
        .map_or(name, |(_, member)| member)
}

/// Returns the name in a dependency, which is written in a distribution's own syntax. Example:
/// `>=dev-util/hip-6.0:0` → `dev-util/hip`.
fn named_in(dependency: &str) -> &str {
    let atom = dependency.trim_start_matches(['<', '>', '=', '!', '~']);
    let name = atom.split([':', '[']).next().unwrap_or(atom);
    let version =
        |(at, _): &(usize, &str)| name[at + 1..].starts_with(|c: char| c.is_ascii_digit());
    let versioned = atom.len() < dependency.len();
    let end = name
        .match_indices('-')
        .find(version)
        .filter(|_| versioned)
        .map_or(name.len(), |(at, _)| at);
    &name[..end]
}

/// Returns the forms under which a name is looked up, the most exact form first:
/// `pkgconfig(libdrm)` -> `pkgconfig(libdrm)`, `libdrm`, `drm`.
fn forms(name: &str) -> [String; 3] {
    let whole = name.to_lowercase();
    let inside = whole
        .strip_prefix("pkgconfig(")
        .and_then(|n| n.strip_suffix(')'));
    let short = inside
        .unwrap_or(bare(name).to_lowercase().as_str())
        .to_owned();
    let stem = short.trim_end_matches("-devel").trim_end_matches("-dev");
    let stem = stem.strip_prefix("lib").unwrap_or(stem).to_owned();
    [whole, short, stem]
}

impl Spellings {
    pub(crate) fn of(files: &BTreeMap<String, Layers>) -> Self {
        let mut out = Self::default();
        let all = || {
            files
                .iter()
                .filter_map(|(path, layers)| Some((File::at(path)?, layers)))
        };
        let nodes =
            || all().flat_map(|(file, layers)| layers.iter().map(move |layer| (file, layer)));
        for (file, node) in nodes() {
            match file {
                File::Component(id) => out.add(id, id, None),
                File::Distro(_) => node
                    .keys_of("packages")
                    .for_each(|id| out.add(id, id, None)),
                File::Externals => {
                    node.entries()
                        .iter()
                        .for_each(|(key, _)| out.add(&key.name, &key.name, None));
                }
                File::Consumers => {
                    let rows = node.entries().iter();
                    rows.for_each(|(key, _)| out.add(&key.name, &key.name, None));
                }
                File::Targets => out.families(node),
                _ => {}
            }
        }
        // Names without the prefix are in use, too: Arch called rocm-comgr comgr.
        for (file, _) in all() {
            if let File::Component(id) = file
                && let Some(short) = id.strip_prefix("rocm-")
            {
                out.add(short, id, None);
            }
        }
        let text = |node: &Node, key: &str| node.get(key).and_then(Node::text).map(str::to_owned);
        for (file, node) in nodes() {
            match file {
                File::Overlay(distro, id) => {
                    let whose = DISTROS.iter().copied().find(|d| *d == distro);
                    if let Some(name) = text(node, "name") {
                        out.add(&name, id, whose);
                    }
                    for name in node
                        .get("pkgbuild")
                        .iter()
                        .flat_map(|own| own.keys_of("packages"))
                    {
                        out.add(name, id, whose);
                    }
                }
                File::Component(id) => {
                    if let Some(title) = text(node, "title") {
                        out.add(&title, id, None);
                    }
                }
                File::Externals => {
                    for (key, row) in node.entries() {
                        for distro in DISTROS {
                            if let Some(name) = text(row, distro).filter(|name| name != "-") {
                                out.add(named_in(&name), &key.name, Some(distro));
                            }
                        }
                    }
                }
                File::Consumers => out.consumers(node),
                File::Targets => out.read_only(node),
                _ => {}
            }
        }
        out
    }

    fn consumers(&mut self, table: &Node) {
        for (key, row) in table.entries() {
            let title = row.get("title").and_then(Node::text);
            if let Some(t) = title {
                self.add(t, &key.name, None);
            }
            for distro in DISTROS {
                let package = row.get(distro);
                let name = package.and_then(|package| package.get("name")?.text());
                let parts = package.into_iter().flat_map(|p| p.list_of("packages"));
                for name in name.into_iter().chain(parts.filter_map(Node::text)) {
                    self.add(name, &key.name, Some(distro));
                }
            }
        }
    }

    /// Adds the names in package indices that are only read, such as Debian's.
    fn read_only(&mut self, targets: &Node) {
        for (_, entry) in targets.entries_of("read-only") {
            let declared = entry.list_of("declared").iter();
            for (id, package) in declared.flat_map(|group| group.entries_of("packages")) {
                if let Some(name) = package.get("name").and_then(Node::text) {
                    self.add(name, &id.name, None);
                }
            }
        }
    }

    fn add(&mut self, name: &str, id: &str, distro: Option<&'static str>) {
        for form in forms(name) {
            let whose = distro.map(|distro| (distro, name.to_owned()));
            self.names.entry(form).or_insert_with(|| Spelling {
                id: id.to_owned(),
                whose,
            });
        }
    }

    fn families(&mut self, targets: &Node) {
        for (key, target) in targets.entries_of("processors") {
            if let Some(family) = target.get("family").and_then(Node::text) {
                self.families
                    .entry(family.to_lowercase())
                    .or_default()
                    .push(key.name.to_string());
            }
        }
    }

    /// Returns the profiles' name for a name that others use, and a hint that states who uses that
    /// name. Returns `None` if `name` is the profiles' own name, or not known.
    pub fn meant(&self, name: &str) -> Option<(&str, String)> {
        let spelling = forms(name)
            .iter()
            .find_map(|form| self.names.get(form))
            .filter(|s| s.id != name)?;
        let whose = match &spelling.whose {
            Some((distro, theirs)) => format!(" {distro} calls it `{theirs}`"),
            None => String::new(),
        };
        Some((
            &spelling.id,
            format!("did you mean `{}`?{whose}", spelling.id),
        ))
    }

    /// Returns true if the profiles themselves use the name for a package or an external
    /// dependency.
    pub fn is_known(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|s| s.id == name)
    }

    /// Returns a hint that lists the GPU targets of the family `name`. Returns `None` if no family
    /// has that name.
    pub(crate) fn family(&self, name: &str) -> Option<String> {
        let targets = self.families.get(&name.to_lowercase())?;
        Some(format!(
            "{name} is the family of {}; name the targets that are meant",
            targets.join(", ")
        ))
    }
}
