//! What packages and things outside are called by others: a distribution, upstream, whoever writes
//! a category before a name.

use crate::read::files::{DISTROS, File, Layers};
use rocpkg_model::Node;
use std::collections::BTreeMap;

/// The model's name of a thing for each other one that somebody has for it.
#[derive(Clone, Debug, Default)]
pub struct Spellings {
    names: BTreeMap<String, Spelling>,
    /// GPU targets by what their family is called.
    families: BTreeMap<String, Vec<String>>,
}

#[derive(Clone, Debug)]
struct Spelling {
    id: String,
    /// The distribution, and how it writes the name.
    whose: Option<(&'static str, String)>,
}

/// A package's name without what stands before it: the category in Gentoo, the scope in nixpkgs.
pub fn bare(name: &str) -> &str {
    let name = name.rsplit('/').next().unwrap_or(name);
    // Scopes of nixpkgs are called so.
    name.split_once("Packages.")
        .map_or(name, |(_, member)| member)
}

/// The name in a dependency as a distribution writes it.
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

/// The forms under which a name is looked for, the nearest first.
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
    /// All that the files tell.
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
                File::Targets => out.families(node),
                _ => {}
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
                _ => {}
            }
        }
        out
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

    /// The model's name of what somebody calls so, and a hint that says whose name it is.
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

    /// True where the model knows the name as its own.
    pub fn is_known(&self, name: &str) -> bool {
        self.names.get(name).is_some_and(|s| s.id == name)
    }

    /// A hint at the GPU targets of a family, which has a name of its own in the table.
    pub(crate) fn family(&self, name: &str) -> Option<String> {
        let targets = self.families.get(&name.to_lowercase())?;
        Some(format!(
            "{name} is what {} are; name those that are meant",
            targets.join(", ")
        ))
    }
}
