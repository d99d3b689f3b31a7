//! All profiles. The layers of files about all packages are merged and decoded here. The layers of
//! files about one package are kept until that package is planned.

use crate::layer::checked_at::CheckedAt;
use crate::layer::identity::Kind;
use crate::layer::merged::Merged;
use crate::read::checksums::check_line;
use crate::read::files::{DISTROS, Depths, File, Folders, Layers, made_of, with_bases};
use crate::read::registry::read_registry;
use crate::read::release::Release;
use crate::read::spellings::Spellings;
use crate::read::texts::{LINE, references, tag_schemes};
use crate::recover::Guesses;
use indexmap::IndexMap;
use rocpkg_model::{
    Consumers, Decode, Distro, Externals, Finding, Findings, Node, Owner, Package, ReleaseLine,
    Sources, Span, Upstream, nearest, parse,
};
use rocpkg_targets::{Products, Registry};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// All profiles, parsed and merged, but not yet resolved for a release.
#[derive(Clone, Debug, Default)]
pub struct Model {
    /// The texts of the files, for messages.
    pub sources: Sources,
    /// The number of the folder that contains each file.
    pub depths: Depths,
    /// The path of each file in its folder, by the file's number.
    pub(crate) paths: Vec<String>,
    /// As in [`Folders::trees`].
    pub(crate) trees: Vec<Option<Arc<Node>>>,
    /// By distribution, the ids of the packages that a user's folder adds to those of the first
    /// folder.
    pub added: BTreeMap<String, BTreeSet<String>>,
    /// By distribution, the email addresses of the maintainers that the first folder lists.
    pub keepers: BTreeMap<String, BTreeSet<String>>,
    /// `components/NAME.yaml` by name, with the layer of each folder.
    pub components: BTreeMap<String, Layers>,
    /// `distros/DISTRO/NAME.yaml` by distribution, then name, with the layer of each folder.
    pub overlays: BTreeMap<String, BTreeMap<String, Layers>>,
    /// `distros/DISTRO.yaml` by name.
    pub distros: BTreeMap<String, Distro>,
    /// The merged tree of each distribution's file, for places.
    pub distro_nodes: BTreeMap<String, Node>,
    /// The releases at which facts were read, by distribution, then by the number of the folder
    /// that states the facts.
    pub(crate) checked_at: BTreeMap<String, BTreeMap<usize, CheckedAt>>,
    /// Every package that a layer of a distribution's file names, by distribution. Packages that a
    /// later layer removes are included.
    pub(crate) listed: BTreeMap<String, BTreeSet<String>>,
    /// `releases/LINE.yaml` by line.
    pub lines: IndexMap<String, ReleaseLine>,
    /// The trees of `lines`, for places.
    pub line_nodes: BTreeMap<String, Node>,
    /// The paths of files that exist but can't be read. Facts that they may contain are not
    /// reported as missing.
    pub broken: BTreeSet<String>,
    /// `externals.yaml`.
    pub externals: Externals,
    /// `consumers.yaml`.
    pub consumers: Consumers,
    /// `consumers.yaml` as a tree, for places.
    pub consumers_node: Option<Node>,
    /// Names that distributions, upstream and users have for packages and external dependencies.
    pub spellings: Spellings,
    /// The places at which a wrong name was replaced by a guess.
    pub guesses: Guesses,
    /// `upstream.yaml`.
    pub upstream: Option<Upstream>,
    /// `targets.yaml` as a tree.
    pub targets: Option<Node>,
    /// `targets.yaml`, read and checked.
    pub registry: Option<Registry>,
    /// The numbers of the files `products.yaml`, which [`Model::products`] reads.
    pub names: Vec<u32>,
    /// The only GPU targets that recipes build, if the user limits the model to some GPUs. If the
    /// list is empty, the targets of each distribution are used.
    pub narrowed: Vec<String>,
    /// Set if [`Model::strip_overlays`] was called, so that overlays only contain the components
    /// and the names of packages.
    pub bare: bool,
}

impl Model {
    /// Merges and reads the files about all packages.
    pub(crate) fn of(folders: Folders, findings: &mut Findings) -> Self {
        let Folders {
            sources,
            depths,
            paths,
            files,
            trees,
            broken,
            names,
        } = folders;
        let mut model = Self {
            sources,
            depths,
            paths,
            trees,
            broken,
            names,
            ..Self::default()
        };
        for (path, layers) in files {
            if !model.take(&path, layers, findings) {
                model.broken.insert(path);
            }
        }
        model
            .lines
            .sort_by_cached_key(|line, _| line.parse::<Release>().ok());
        model
    }

    /// Returns the tree of the file with the number `number`, if its text is `text` and has no
    /// faults.
    pub(crate) fn tree(&self, number: usize, text: &str) -> Option<Arc<Node>> {
        let source = self.sources.get(u32::try_from(number).ok()?)?;
        let tree = self.trees.get(number)?.clone();
        tree.filter(|_| source.text == text)
    }

    /// Returns the newest release in the tables of releases. `None` if there is none.
    pub fn newest(&self) -> Option<Release> {
        let all = self.lines.values().flat_map(|line| line.versions.keys());
        all.filter_map(|version| version.parse().ok()).max()
    }

    /// Returns the name of the stack, or `the stack` if `upstream.yaml` states no name.
    pub fn stack(&self) -> &str {
        self.upstream
            .as_ref()
            .and_then(|u| u.name.as_ref())
            .map_or("the stack", |name| &name.value)
    }

    /// Returns the owner of repositories for sources that name no owner. Returns an empty text if
    /// `upstream.yaml` states no owner.
    pub fn owner(&self) -> &str {
        self.upstream
            .as_ref()
            .and_then(|u| u.owner.as_ref())
            .map_or("", |owner| &owner.value)
    }

    /// Reads the table in which names of hardware are looked up. Callers should keep the result,
    /// since reading the table takes longer than a lookup. Returns `None` if no folder has the
    /// table, or if the table can't be read.
    ///
    /// # Errors
    /// All faults go to `findings`.
    pub fn products(&self, findings: &mut Findings) -> Option<Products> {
        let mut laid = Merged::new(Kind::Other, None, &self.depths);
        for number in &self.names {
            let node = parse(*number, &self.sources.get(*number)?.text, findings)?;
            laid.merge(&node, findings);
        }
        if self.names.is_empty() {
            return None;
        }
        let node = laid.finish(findings).0;
        Products::read(&node, self.registry.as_ref()?, findings)
    }

    /// Returns the components of a distribution's package: those that its overlay names, or else
    /// the component with the package's own name.
    pub fn components_of(&self, distro: &str, id: &str) -> Vec<String> {
        let overlay = self
            .overlays
            .get(distro)
            .and_then(|overlays| overlays.get(id));
        made_of(overlay, id)
            .into_iter()
            .map(str::to_owned)
            .collect()
    }

    /// Returns the names of the repositories that a distribution's package is fetched from, at any
    /// release, in lower case: `rocblas`, `rocm-libraries` and `tensile`.
    pub fn repositories_of(&self, distro: &str, id: &str) -> BTreeSet<String> {
        let parts = self.components_of(distro, id);
        let parts = parts.iter().flat_map(|part| self.with_bases(part));
        let components = parts.filter_map(|part| self.components.get(part));
        let overlay = self.overlays.get(distro).and_then(|all| all.get(id));
        let layers = components.chain(overlay).flat_map(Layers::iter);
        let sources = layers.flat_map(|layer| layer.entries_of("sources"));
        let rows = sources.flat_map(|(_, source)| source.one_or_many());
        let names = rows.filter_map(|row| row.get("repository")?.text());
        names.map(str::to_lowercase).collect()
    }

    /// Returns a component, followed by the components that it is based on. Each name is the base
    /// of the name before.
    pub fn with_bases<'m>(&'m self, name: &'m str) -> Vec<&'m str> {
        with_bases(vec![name], |name| self.components.get(name))
    }

    /// Returns the components of the packages of all distributions, and the components that they
    /// are based on.
    pub(crate) fn used(&self) -> BTreeSet<String> {
        let mut used: BTreeSet<String> = self.listed.values().flatten().cloned().collect();
        for (distro, overlays) in &self.overlays {
            used.extend(
                overlays
                    .keys()
                    .flat_map(|id| self.components_of(distro, id)),
            );
        }
        used.iter()
            .flat_map(|name| self.with_bases(name))
            .map(str::to_owned)
            .collect()
    }

    /// Returns the components of a distribution's package, and the components that they are based
    /// on.
    pub fn all_components_of(&self, distro: &str, id: &str) -> BTreeSet<String> {
        let components = self.components_of(distro, id);
        components
            .iter()
            .flat_map(|name| self.with_bases(name))
            .map(str::to_owned)
            .collect()
    }

    /// Returns `findings`, each with its owner: the component, distribution or package whose file
    /// the finding points at. A file that no package uses may have been meant for any package, so
    /// its findings have no owner.
    pub(crate) fn own(&self, findings: Findings) -> Findings {
        let used = self.used();
        let listed =
            |distro: &str, id: &str| self.listed.get(distro).is_some_and(|ids| ids.contains(id));
        findings.owned_by(
            |span| match File::at(self.paths.get(span.file as usize)?)? {
                File::Component(name) if used.contains(name) => {
                    Some(Owner::Component(name.to_owned()))
                }
                File::Distro(distro) => Some(Owner::Distribution(distro.to_owned())),
                File::Overlay(distro, id) if listed(distro, id) => Some(Owner::package(distro, id)),
                _ => None,
            },
        )
    }

    /// Returns the releases at which the facts about the package `id` were read, by the number of
    /// the folder that states the facts.
    pub(crate) fn checked_at(&self, distro: &str, id: &str) -> BTreeMap<usize, Release> {
        let folders = self.checked_at.get(distro).into_iter().flatten();
        folders
            .filter_map(|(depth, said)| Some((*depth, said.package(id)?.clone())))
            .collect()
    }

    /// Returns one tree for a file of the kind `kind`: the layers of all folders, merged.
    fn whole(&self, kind: Kind, layers: &Layers, findings: &mut Findings) -> Node {
        let mut laid = Merged::new(kind, None, &self.depths);
        layers.iter().for_each(|layer| laid.merge(layer, findings));
        laid.finish(findings).0
    }

    /// Adds the file `path` to the model. Returns false if it is a table that all packages use, and
    /// can't be read.
    fn take(&mut self, path: &str, mut layers: Layers, findings: &mut Findings) -> bool {
        let span = layers.span();
        let Some(file) = File::at(path) else {
            findings.push(no_profile(path, span));
            return true;
        };
        match file {
            File::Targets => {
                let node = self.whole(Kind::Other, &layers, findings);
                self.registry = read_registry(&node, findings);
                self.targets = Some(node);
                return self.registry.is_some();
            }
            File::Upstream => {
                self.upstream =
                    Upstream::decode(&self.whole(Kind::Other, &layers, findings), findings);
                return self.upstream.is_some();
            }
            File::Externals => {
                let read = Externals::decode(&self.whole(Kind::Other, &layers, findings), findings);
                return read.map(|read| self.externals = read).is_some();
            }
            File::Consumers => {
                let node = self.whole(Kind::Other, &layers, findings);
                let read = Consumers::decode(&node, findings);
                self.consumers_node = Some(node);
                return read.map(|read| self.consumers = read).is_some();
            }
            File::Line(line) => {
                let node = self.whole(Kind::Other, &layers, findings);
                check_line(line, &node, findings);
                let read = ReleaseLine::decode(&node, findings);
                let read = read.filter(|read| {
                    let known = ["version", LINE];
                    tag_schemes([read]).all(|tag| references(tag, "a source", &known, findings))
                });
                self.line_nodes.insert(line.to_owned(), node);
                return read
                    .map(|read| self.lines.insert(line.to_owned(), read))
                    .is_some();
            }
            File::Component(name) => {
                check_name(name, span, findings);
                layers.change(|layer| Package::without_misfits(layer, findings));
                self.components.insert(name.to_owned(), layers);
            }
            File::Distro(distro) => {
                let named = layers
                    .iter()
                    .flat_map(|layer| layer.keys_of("packages").map(str::to_owned));
                self.listed.insert(distro.to_owned(), named.collect());
                let is_base = |layer: &&Node| self.depths.of(layer.span) == 0;
                let base: BTreeSet<&str> = layers
                    .iter()
                    .filter(is_base)
                    .flat_map(|l| l.keys_of("packages"))
                    .collect();
                let added = layers
                    .iter()
                    .flat_map(|layer| layer.keys_of("packages"))
                    .filter(|id| !base.contains(id));
                self.added
                    .insert(distro.to_owned(), added.map(str::to_owned).collect());
                let people = layers
                    .iter()
                    .filter(is_base)
                    .flat_map(|layer| layer.list_of("maintainers"));
                let people = people.filter_map(|m| m.get("email")?.text());
                self.keepers
                    .insert(distro.to_owned(), people.map(str::to_owned).collect());
                let by_folder = layers
                    .iter()
                    .map(|l| (self.depths.of(l.span), CheckedAt::of(l, findings)));
                self.checked_at
                    .insert(distro.to_owned(), by_folder.collect());
                let node = self.whole(Kind::Distro, &layers, findings);
                if let Some(read) = Distro::decode(&node, findings) {
                    self.distros.insert(distro.to_owned(), read);
                }
                self.distro_nodes.insert(distro.to_owned(), node);
            }
            File::Overlay(distro, name) => {
                check_name(name, span, findings);
                layers.change(|layer| Package::without_misfits(layer, findings));
                self.overlays
                    .entry(distro.to_owned())
                    .or_default()
                    .insert(name.to_owned(), layers);
            }
        }
        true
    }
}

/// Returns the finding about a file whose path is not the path of a profile.
fn no_profile(path: &str, span: Span) -> Finding {
    let finding = Finding::error(
        "E0120",
        span.begin(),
        format!("no profile is named `{path}`"),
    );
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    // The intended path without its ending, with each folder in its right spelling.
    let parts: Vec<&str> = stem.split('/').collect();
    let spelt = |word: &str, known: &[&'static str]| {
        let alias = NAMES_OF_DISTROS
            .iter()
            .find(|(other, _)| *other == word)
            .map(|(_, name)| *name);
        alias
            .filter(|name| known.contains(name))
            .or_else(|| nearest(word, known.iter().copied()))
    };
    let meant = match *parts.as_slice() {
        [file] => {
            spelt(file, &["targets", "upstream", "externals", "consumers"]).map(str::to_owned)
        }
        ["distros", distro] => spelt(distro, &DISTROS).map(|d| format!("distros/{d}")),
        [folder, distro, name] => spelt(folder, &["distros"])
            .and_then(|folder| Some(format!("{folder}/{}/{name}", spelt(distro, &DISTROS)?))),
        [folder, name] => {
            spelt(folder, &["components", "releases"]).map(|folder| format!("{folder}/{name}"))
        }
        _ => None,
    };
    let finding = match parts.as_slice() {
        ["distros", ..] if meant.is_none() => {
            finding.label(format!("expected one of the distributions: {}", DISTROS.join(", ")))
        }
        _ if path.rsplit('.').next() != Some("yaml") => finding.label("expected a name that ends in `.yaml`"),
        _ => finding.label(
            "expected targets.yaml, products.yaml, externals.yaml, consumers.yaml, upstream.yaml, releases/LINE.yaml, components/NAME.yaml, \
             distros/DISTRO.yaml or distros/DISTRO/NAME.yaml",
        ),
    };
    match meant {
        Some(meant) => finding.hint(format!("rename it to {meant}.yaml")),
        None => finding,
    }
}

/// Other names of distributions, each with the name that the profiles use.
const NAMES_OF_DISTROS: [(&str, &str); 3] = [
    ("nix", "nixpkgs"),
    ("nixos", "nixpkgs"),
    ("archlinux", "arch"),
];

fn check_name(name: &str, span: Span, findings: &mut Findings) {
    let fine = !name.is_empty()
        && name.starts_with(|c: char| c.is_ascii_alphanumeric())
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_+".contains(c));
    if !fine {
        findings.push(
            Finding::error(
                "E0121",
                span.begin(),
                format!("`{name}` can't be a package's name"),
            )
            .label("expected letters, digits, `-`, `_` or `+`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::Model;
    use rocpkg_model::Files;
    use std::sync::Arc;

    #[test]
    fn only_changed_files_are_parsed_again() {
        let files = |summary: &str| {
            Files::from([
                (
                    "components/one.yaml".to_owned(),
                    "summary: One\n".to_owned(),
                ),
                (
                    "components/two.yaml".to_owned(),
                    format!("summary: {summary}\n"),
                ),
            ])
        };
        let layer = |summary| ("mine".to_owned(), files(summary));
        let (before, _) = Model::load(&[layer("Two")]);
        let (after, _) = Model::load_after(&[layer("Second"), layer("Two")], &before);
        let tree = |model: &Model, number: usize| model.trees[number].clone().unwrap();
        assert!(Arc::ptr_eq(&tree(&before, 0), &tree(&after, 0)));
        assert!(!Arc::ptr_eq(&tree(&before, 1), &tree(&after, 1)));
        let (again, _) = Model::load(&[layer("Second"), layer("Two")]);
        assert_eq!(after.trees, again.trees);
    }
}
