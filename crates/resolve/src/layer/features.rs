//! What becomes of a package's features: the overlay decides, else a rule, else what the habits say
//! of a feature everywhere.

use crate::layer::laid::Layer;
use crate::layer::rules::Rules;
use crate::layer::tree::{entry, flag};
use rocpkg_model::{FeatureHabit, Habits, Node, Value};
use std::collections::BTreeMap;

/// Who decided a feature, and how.
#[derive(Clone, Debug)]
enum Decision {
    /// The overlay: what it says is in the tree already.
    Overlay,
    /// A rule, and what it says, be it `~`.
    Rule(Node),
}

/// The features that are not left to what the habits say of them everywhere.
#[derive(Clone, Debug, Default)]
pub(crate) struct Decided(BTreeMap<String, Decision>);

impl Decided {
    /// Looks at the merged tree before any feature is fixed, so that what rules decide does not
    /// hang on itself. Of rules, the last one counts.
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

/// The features of which a layer says whether they are fixed.
fn said(layer: &Layer) -> impl Iterator<Item = (&str, &Node)> {
    let features = layer.node.entries_of("features");
    features
        .iter()
        .filter_map(|(key, feature)| Some((key.name.as_str(), feature.get("fixed")?)))
}

/// Adds what the distribution decides about features; `package` is the merged tree.
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
