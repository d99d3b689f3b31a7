//! The licences of the packages of a distribution, and the obstacles to shipping them.

use rocpkg_model::{Decode, Findings, Node, Obstacle, ObstacleKind};
use rocpkg_resolve::{Model, Plan, Planned};
use std::collections::BTreeMap;

/// The licences of a distribution's packages.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Licences {
    /// The names of the packages by licence. A package with several licences, all of which apply,
    /// is listed under each of them. A package that states none is listed under the empty text.
    pub packages: BTreeMap<String, Vec<String>>,
    /// The packages that are troublesome to ship, by name, each with its troubles.
    pub troubled: BTreeMap<String, Vec<Trouble>>,
}

/// The reason why a package is troublesome to ship.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Trouble {
    /// The word for the kind of trouble: `non-free`, `binary`, `unlicensed`, `kernel-module`, or
    /// `not-spdx` for a licence that SPDX does not list.
    pub kind: &'static str,
    /// The trouble in a few words.
    pub reason: String,
    /// The address or file that states it. Empty if the package's own licence is the trouble.
    pub source: String,
}

impl Licences {
    /// Returns the licences of all packages of a plan, without its consumers.
    pub fn of(plan: &Plan) -> Self {
        let mut out = Self::default();
        for p in &plan.packages {
            let stated: Vec<&str> = licences(p).collect();
            let none = stated.is_empty().then_some("");
            for licence in stated.into_iter().chain(none) {
                let names = out.packages.entry(licence.to_owned()).or_default();
                names.push(p.name.clone());
            }
            let troubles = troubles(p);
            if !troubles.is_empty() {
                out.troubled.insert(p.name.clone(), troubles);
            }
        }
        for names in out.packages.values_mut() {
            names.sort();
        }
        out
    }
}

impl Licences {
    /// Returns the licences of upstream's components. The reason of an obstacle begins with the
    /// range of releases that it holds for, if the profile states one.
    pub fn upstream(model: &Model) -> Self {
        let mut out = Self::default();
        for (name, layers) in &model.components {
            let stated = layers.last("licence");
            let words = stated.into_iter().flat_map(Node::one_or_many);
            let words: Vec<&str> = words.filter_map(Node::text).collect();
            // The licences of a component that is based on another may be stated there.
            for licence in words {
                let names = out.packages.entry(licence.to_owned()).or_default();
                names.push(name.clone());
            }
            let obstacles = layers.last("obstacles").map_or(&[][..], Node::list);
            let troubles: Vec<Trouble> = obstacles.iter().filter_map(obstacle).collect();
            if !troubles.is_empty() {
                out.troubled.insert(name.clone(), troubles);
            }
        }
        out
    }
}

/// Returns an obstacle that a component states, with its range of releases.
fn obstacle(node: &Node) -> Option<Trouble> {
    let read = Obstacle::decode(node, &mut Findings::default())?;
    let range = node.get("releases").and_then(Node::text);
    let range = range.map_or_else(String::new, |range| format!("{range}: "));
    Some(Trouble {
        kind: read.kind.word(),
        reason: range + &read.reason.value,
        source: read.source.value,
    })
}

fn licences(p: &Planned) -> impl Iterator<Item = &str> {
    p.package.licence.iter().map(|l| l.value.as_str())
}

fn troubles(p: &Planned) -> Vec<Trouble> {
    let stated = |o: &Obstacle| Trouble {
        kind: o.kind.word(),
        reason: o.reason.value.clone(),
        source: o.source.value.clone(),
    };
    let odd = |licence: &str| Trouble {
        kind: "not-spdx",
        reason: format!("the licence {licence} is not in SPDX's list"),
        source: String::new(),
    };
    let none = || Trouble {
        kind: ObstacleKind::Unlicensed.word(),
        reason: "no licence is stated".to_owned(),
        source: String::new(),
    };
    let mut out: Vec<Trouble> = p.package.obstacles.iter().map(stated).collect();
    // `LicenseRef-` begins the names that SPDX leaves to others.
    out.extend(licences(p).filter(|l| l.contains("LicenseRef-")).map(odd));
    out.extend(licences(p).next().is_none().then(none));
    out
}
