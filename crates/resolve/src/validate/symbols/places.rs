//! The list of all places at which profiles declare and mention names, and the reader that applies
//! the list to a file.

use super::symbol::{Home, Kind, Role, Symbol};
use crate::layer::conditions::conditions;
use crate::read::files::{File, Layers, made_of, with_bases};
use crate::read::texts::values;
use rocpkg_model::{Cond, Node, Span, Value};
use std::collections::BTreeMap;

/// A place of names: a path in the form that [`values`] takes. If the path ends in `*`, the keys
/// are the names. Otherwise, the words of the value are the names. `[]` at the end means the words
/// of a list below any key: `families.*.[]` is all targets of all families.
struct NamePlace {
    path: &'static str,
    kind: Kind,
    role: Role,
    /// The keys that make an entry declare its own name, whichever file it is in: `options.NAME` is
    /// a declaration if it has `default`.
    whole: &'static [&'static str],
    /// The code of a finding about the name, if it differs from the code of the name's kind.
    code: Option<&'static str>,
}

const fn at(path: &'static str, kind: Kind, role: Role) -> NamePlace {
    NamePlace {
        path,
        kind,
        role,
        whole: &[],
        code: None,
    }
}

impl NamePlace {
    const fn whole(self, whole: &'static [&'static str]) -> Self {
        Self { whole, ..self }
    }

    const fn code(self, code: &'static str) -> Self {
        Self {
            code: Some(code),
            ..self
        }
    }
}

/// The places in the keys of a package: in a component, an overlay or a rule.
const PACKAGE: [NamePlace; 37] = [
    at("cycles.*", Kind::Component, Role::Mentions),
    at("of", Kind::Component, Role::Mentions),
    at("based-on", Kind::Component, Role::Mentions),
    at("merged-into.component", Kind::Component, Role::Mentions),
    at("targets.bundles.linked", Kind::Component, Role::Mentions),
    at("targets.sizes.built-for", Kind::Target, Role::Mentions),
    at("cmake.*.of", Kind::Component, Role::Mentions).code("E0242"),
    at("depends.*", Kind::Dependency, Role::Mentions).whole(&["exact-name"]),
    at("features.*", Kind::Feature, Role::Adds).whole(&["summary", "name", "targets"]),
    at("programs.*", Kind::Feature, Role::Mentions),
    at("ebuild.require-targets", Kind::Feature, Role::Mentions),
    at("ebuild.describes", Kind::Feature, Role::Mentions),
    at("options.*", Kind::Option, Role::Mentions).whole(&["default"]),
    at("parts.*", Kind::Part, Role::Mentions).whole(&["goals"]),
    at("cmake.*.arguments.*", Kind::Option, Role::Adds),
    at("nix.flags.*", Kind::Option, Role::Adds),
    at("targets.variable", Kind::Option, Role::Declares),
    at("targets.variables.*", Kind::Option, Role::Declares),
    at("targets.variable", Kind::TargetVariable, Role::Adds),
    at("targets.variables.*", Kind::TargetVariable, Role::Adds),
    at("targets.supports.targets", Kind::Targets, Role::Mentions),
    at("targets.defaults.targets", Kind::Targets, Role::Mentions),
    at("targets.excludes.targets", Kind::Targets, Role::Mentions),
    at("llvm.fails.targets", Kind::Targets, Role::Mentions),
    at("targets.needs.targets", Kind::Targets, Role::Mentions),
    at("features.*.targets", Kind::Target, Role::Mentions),
    at("parts.*.only-for", Kind::Target, Role::Mentions),
    at("ypkg.further-targets.targets", Kind::Target, Role::Mentions),
    at("nix.gpu-targets.throwaway", Kind::Target, Role::Mentions),
    at("sources.*", Kind::Source, Role::Declares),
    at("sources.*.repository", Kind::Repository, Role::Adds),
    at("warnings.*", Kind::Warning, Role::Declares),
    at("environment.*.*", Kind::Variable, Role::Adds),
    at("cmake.*.environment.*", Kind::Variable, Role::Adds),
    // Other packages of the same recipe may depend on these.
    at("pkgbuild.packages.*", Kind::Dependency, Role::Declares),
    at(
        "pkgbuild.packages.*.depends",
        Kind::Dependency,
        Role::Mentions,
    )
    .code("E0423"),
    at(
        "pkgbuild.packages.*.optdepends.*",
        Kind::Dependency,
        Role::Mentions,
    )
    .code("E0423"),
];

const DISTRO: [NamePlace; 29] = [
    at("packages.*", Kind::Package, Role::Declares),
    at("packages.*", Kind::Dependency, Role::Declares),
    at("packages.*", Kind::Live, Role::Declares),
    at("contributors.*", Kind::Package, Role::Mentions),
    at("packages-checked-at.*", Kind::Package, Role::Mentions),
    at("history.*", Kind::Package, Role::Mentions),
    at("monitoring.*", Kind::Package, Role::Mentions),
    at("maintainers.packages", Kind::Package, Role::Mentions),
    at("known.packages", Kind::Package, Role::Mentions).code("E0612"),
    at("known.targets", Kind::Target, Role::Mentions),
    at("targets.default", Kind::Target, Role::Mentions),
    at("targets.offered", Kind::Target, Role::Mentions),
    at("further-targets", Kind::Target, Role::Mentions),
    at("target-descriptions.*", Kind::Target, Role::Mentions),
    at("scope.groups.*.[]", Kind::Target, Role::Mentions),
    at("habits.features.*", Kind::Feature, Role::Mentions),
    at("habits.option-values.*", Kind::Option, Role::Mentions),
    at("habits.tools", Kind::Dependency, Role::Mentions),
    at("habits.live", Kind::Live, Role::Mentions),
    at(
        "habits.target-variable",
        Kind::TargetVariable,
        Role::Mentions,
    ),
    at("habits.rules.components", Kind::Component, Role::Mentions).code("E0242"),
    at("habits.rules.depends-on", Kind::Dependency, Role::Mentions),
    at("habits.rules.feature", Kind::Feature, Role::Mentions),
    at("habits.rules.option", Kind::Option, Role::Mentions),
    at("habits.rules.own-steps.*", Kind::Phase, Role::Mentions),
    at("habits.rules.when", Kind::Word, Role::Mentions),
    at("target-tool.list", Kind::Target, Role::Mentions),
    at("target-tool.known", Kind::Target, Role::Mentions),
    at("target-tool.likely.targets", Kind::Target, Role::Mentions),
];

const TARGETS: [NamePlace; 15] = [
    at("processors.*", Kind::Target, Role::Declares),
    at("removed.*", Kind::Target, Role::Declares),
    at("generics.*", Kind::Target, Role::Declares),
    at("pseudo.*", Kind::Target, Role::Declares),
    at("processors.*", Kind::Targets, Role::Declares),
    at("removed.*", Kind::Targets, Role::Declares),
    at("generics.*", Kind::Targets, Role::Declares),
    at("pseudo.*", Kind::Targets, Role::Declares),
    at("families.*", Kind::Targets, Role::Declares),
    at("processors.*.generic", Kind::Target, Role::Mentions).code("E0211"),
    at("generics.*.covers", Kind::Target, Role::Mentions).code("E0211"),
    at("families.*.[]", Kind::Target, Role::Mentions).code("E0211"),
    at(
        "isa-compat.groups.code-objects",
        Kind::Target,
        Role::Mentions,
    )
    .code("E0211"),
    at("isa-compat.groups.agents", Kind::Target, Role::Mentions).code("E0211"),
    at(
        "support-classes.official.*.targets",
        Kind::Target,
        Role::Mentions,
    )
    .code("E0211"),
];

const UPSTREAM: [NamePlace; 3] = [
    at("applications", Kind::Dependency, Role::Mentions),
    at("features.*", Kind::Feature, Role::Declares),
    at("repositories.*", Kind::Repository, Role::Declares),
];

const EXTERNALS: [NamePlace; 2] = [
    at("*", Kind::Dependency, Role::Adds),
    at("*", Kind::Live, Role::Declares),
];

const CONSUMERS: [NamePlace; 12] = [
    at("*", Kind::Dependency, Role::Declares),
    at("*.*.link", Kind::Dependency, Role::Mentions),
    at("*.*.build", Kind::Dependency, Role::Mentions),
    at("*.*.tool", Kind::Dependency, Role::Mentions),
    at("*.*.run", Kind::Dependency, Role::Mentions),
    at("*.*.optional", Kind::Dependency, Role::Mentions),
    at("*.*.test", Kind::Dependency, Role::Mentions),
    at("*.*.device-code-in", Kind::Dependency, Role::Mentions),
    at("*.*.cycles.*", Kind::Component, Role::Mentions),
    at(
        "*.*.targets.supports.targets",
        Kind::Targets,
        Role::Mentions,
    ),
    at(
        "*.*.targets.excludes.targets",
        Kind::Targets,
        Role::Mentions,
    ),
    at("*.*.targets.variable", Kind::Option, Role::Declares),
];

/// Returns every name that `files` declare or mention. `files` contains the layers of each file by
/// its path.
pub(super) fn all(files: &BTreeMap<String, Layers>) -> Vec<Symbol<'_>> {
    let mut out = Vec::new();
    let component = |name: &str| files.get(&format!("components/{name}.yaml"));
    // A path that no profile has was already reported, and its file is not read.
    for (path, layers) in files.iter().filter(|(path, _)| File::at(path).is_some()) {
        let parts: Vec<&str> = path
            .strip_suffix(".yaml")
            .unwrap_or_default()
            .split('/')
            .collect();
        for layer in layers.iter() {
            let start = Span {
                end: layer.span.start,
                ..layer.span
            };
            match parts.as_slice() {
                ["components", name] => {
                    let mut reader = NameReader {
                        home: Home::Component(name, with_bases(vec![*name], component)),
                        out: &mut out,
                    };
                    reader.package(layer);
                    for kind in [Kind::Component, Kind::Dependency] {
                        reader.add(kind, Role::Declares, None, (name, start), Home::Everywhere);
                    }
                }
                ["distros", distro, id] => {
                    let of = with_bases(made_of(files.get(path), id), component);
                    let mut reader = NameReader {
                        home: Home::Overlay(distro, id, of),
                        out: &mut out,
                    };
                    reader.package(layer);
                    reader.add(
                        Kind::Package,
                        Role::Mentions,
                        None,
                        (id, start),
                        Home::Distro(distro),
                    );
                }
                ["distros", distro] => {
                    let mut reader = NameReader {
                        home: Home::Distro(distro),
                        out: &mut out,
                    };
                    reader.read(layer, &DISTRO);
                    for tree in values(layer, "habits.rules.package") {
                        reader.package(tree);
                    }
                    for (key, _) in layer.entries_of("packages") {
                        // A package may be described by its overlay alone, without a component.
                        if !files.contains_key(&format!("distros/{distro}/{}.yaml", key.name)) {
                            let home = Home::Everywhere;
                            reader.add(
                                Kind::Component,
                                Role::Mentions,
                                None,
                                (&key.name, key.span),
                                home,
                            );
                        }
                    }
                }
                [table @ ("targets" | "upstream" | "externals" | "consumers")] => {
                    let mut reader = NameReader {
                        home: Home::Everywhere,
                        out: &mut out,
                    };
                    let places: &[NamePlace] = match *table {
                        "targets" => &TARGETS,
                        "upstream" => &UPSTREAM,
                        "consumers" => &CONSUMERS,
                        _ => &EXTERNALS,
                    };
                    reader.read(layer, places);
                }
                _ => {}
            }
        }
    }
    out
}

/// The reader of the names in one tree.
struct NameReader<'m, 'o> {
    home: Home<'m>,
    out: &'o mut Vec<Symbol<'m>>,
}

impl<'m> NameReader<'m, '_> {
    fn add(
        &mut self,
        kind: Kind,
        role: Role,
        code: Option<&'static str>,
        (name, span): (&'m str, Span),
        home: Home<'m>,
    ) {
        self.out.push(Symbol {
            kind,
            role,
            code,
            name,
            span,
            home,
        });
    }

    fn package(&mut self, tree: &'m Node) {
        self.read(tree, &PACKAGE);
        for (_, node) in conditions(tree) {
            self.condition(node, false);
        }
    }

    fn read(&mut self, tree: &'m Node, places: &'static [NamePlace]) {
        for place in places {
            let (above, last) = place.path.rsplit_once('.').unwrap_or(("", place.path));
            if last == "*" {
                for (key, value) in values(tree, above)
                    .into_iter()
                    .flat_map(Node::one_or_many)
                    .flat_map(Node::entries)
                {
                    let (role, code) = self.role(place, value);
                    // Packages of other distributions may depend on this package as well.
                    let is_shared = place.kind == Kind::Dependency && place.path == "packages.*";
                    let home = if is_shared {
                        Home::Everywhere
                    } else {
                        self.home.clone()
                    };
                    self.add(place.kind, role, code, (&key.name, key.span), home);
                }
                continue;
            }
            for node in values(tree, place.path.trim_end_matches(".[]"))
                .into_iter()
                .flat_map(Node::one_or_many)
            {
                self.word(node, place);
            }
        }
    }

    /// Adds the name that a value contains.
    fn word(&mut self, node: &'m Node, place: &NamePlace) {
        if place.kind == Kind::Word {
            return self.condition(node, true);
        }
        let is_name =
            |word: &&str| !(place.kind == Kind::Feature && matches!(*word, "always" | "never"));
        if let Some(word) = node.text().filter(is_name) {
            self.add(
                place.kind,
                place.role,
                place.code,
                (word, node.span),
                self.home.clone(),
            );
        }
    }

    /// Returns the role of the name that is the key of an entry, and the code of findings about it.
    /// `value` is the value of the entry.
    fn role(&self, place: &NamePlace, value: &Node) -> (Role, Option<&'static str>) {
        let says = |keys: &[&str]| {
            value
                .one_or_many()
                .iter()
                .any(|one| keys.iter().any(|key| one.get(key).is_some()))
        };
        let is_below = matches!(self.home, Home::Everywhere | Home::Component(..));
        match place.kind {
            _ if value.value == Value::Null && !is_below => (Role::Removes, Some("E0218")),
            Kind::Dependency if says(place.whole) => (Role::Adds, place.code),
            Kind::Feature if place.path == "programs.*" && says(&["always"]) => {
                (Role::Adds, place.code)
            }
            Kind::Feature | Kind::Option | Kind::Part
                if !place.whole.is_empty() && (is_below || says(place.whole)) =>
            {
                (Role::Declares, place.code)
            }
            _ => (place.role, place.code),
        }
    }

    /// Adds the names in a condition. A condition over kinds of packages (`of_packages`) contains
    /// words and repositories instead of features.
    fn condition(&mut self, node: &'m Node, of_packages: bool) {
        let Some(text) = node.text().filter(|text| Cond::parse(text).is_ok()) else {
            return;
        };
        let is_sign = |c: char| !(c.is_ascii_alphanumeric() || "-_+.:<>=,*".contains(c));
        for word in text.split(is_sign).filter(|word| !word.is_empty()) {
            let (kind, name) = match word.split_once(':') {
                Some(("target", name)) => (Kind::Target, name),
                Some(_) => continue,
                None if of_packages => match word.strip_prefix(crate::layer::rules::REPOSITORY) {
                    Some(name) => (Kind::Repository, name),
                    None => (Kind::Word, word),
                },
                None => (Kind::Feature, word),
            };
            let code = (of_packages && kind != Kind::Target).then_some("E0216");
            self.add(
                kind,
                Role::Mentions,
                code,
                (name, node.span),
                self.home.clone(),
            );
        }
    }
}
