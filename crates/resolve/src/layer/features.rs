//! Fixes features of a package to on or off. The overlay decides first, then a rule, then the
//! habits that apply to a feature in all packages.

use crate::layer::merged::Layer;
use crate::layer::rules::Rules;
use crate::layer::tree::{entry, flag};
use rocpkg_model::{FeatureHabit, Habits, Node, Value};
use std::collections::BTreeMap;

/// The layer that decided a feature, and its decision.
#[derive(Clone, Debug)]
enum Decision {
    /// The overlay decided. Its value is already in the tree.
    Overlay,
    /// A rule decided. Holds its value, which may be `~`.
    Rule(Node),
}

/// The features that an overlay or a rule decided, by name. All other features follow the habits.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided(BTreeMap<String, Decision>);

impl Decided {
    /// Collects the decisions about a package. `package` is the merged tree before any feature is
    /// fixed, so a rule's decision can't change which rules apply. If several rules decide a
    /// feature, the last of them counts. `of` are the components of the package.
    pub(crate) fn of(package: &Node, rules: &Rules, of: &[String], overlays: &[Layer]) -> Self {
        let mut out = BTreeMap::new();
        for (_, keys) in rules.about(package, of) {
            let said = keys.into_iter().flat_map(said);
            out.extend(said.map(|(name, fixed)| (name.to_owned(), Decision::Rule(fixed.clone()))));
        }
        let said = overlays.iter().flat_map(said);
        out.extend(said.map(|(name, _)| (name.to_owned(), Decision::Overlay)));
        Self(out)
    }
}

/// Returns the features for which a layer has a `fixed` key, with the value of that key.
fn said(layer: &Layer) -> impl Iterator<Item = (&str, &Node)> {
    let features = layer.node.entries_of("features");
    features
        .iter()
        .filter_map(|(key, feature)| Some((key.name.as_str(), feature.get("fixed")?)))
}

/// Writes the distribution's decisions about features into `package`, the merged tree: those of
/// rules, and those of habits for features that are not in `decided`.
pub(crate) fn fix(package: &mut Node, habits: &Habits, decided: &Decided) {
    let programs: Vec<String> = package.keys_of("programs").map(str::to_owned).collect();
    let Some(features) = package.get_mut("features").and_then(Node::entries_mut) else {
        return;
    };
    for (key, feature) in features {
        let default = feature.get("default").and_then(Node::text) == Some("true");
        let habit = habits
            .features
            .get(key.name.as_str())
            .or(habits.other_features.as_ref());
        let fixed = match (decided.0.get(key.name.as_str()), habit) {
            (Some(Decision::Rule(fixed)), _) => fixed.clone(),
            (Some(Decision::Overlay), _) | (None, None | Some(FeatureHabit::Offered)) => continue,
            (None, Some(FeatureHabit::On)) => flag(true, key.span),
            (None, Some(FeatureHabit::Default)) => flag(default, key.span),
            (None, Some(FeatureHabit::WithPrograms)) if programs.iter().any(|p| key.name == *p) => {
                continue;
            }
            (None, Some(FeatureHabit::Off | FeatureHabit::WithPrograms)) => flag(false, key.span),
        };
        if feature.value == Value::Null {
            feature.value = Value::Map(Vec::new());
        }
        if let Value::Map(facts) = &mut feature.value {
            facts.retain(|(k, _)| k.name != "fixed");
            if fixed.value != Value::Null {
                facts.push(entry("fixed", fixed.span, fixed));
            }
        }
    }
}
