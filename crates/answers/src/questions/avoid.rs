//! The settings that leave out a package that does not run on a GPU.

use super::Questions;
use rocpkg::model::{Cond, Feature};
use rocpkg::resolve::{Chooser, Dependency, Planned};

/// Returns the feature that a condition depends on, and the value of the feature for which the
/// condition is false.
fn switch(cond: &Cond) -> Option<(&str, bool)> {
    match cond {
        Cond::Feature(name) => Some((name, false)),
        Cond::Not(inner) => switch(inner).map(|(name, off)| (name, !off)),
        // One false condition is enough.
        Cond::All(all) => all.iter().find_map(switch),
        _ => None,
    }
}

/// Returns the feature that is off by default and without which a package needs no package of the
/// stack. The name is the one that users set.
pub(crate) fn switched_off(p: &Planned) -> Option<&str> {
    let edges = p
        .depends
        .iter()
        .filter(|e| matches!(e.to, Dependency::Package(_)));
    let mut switches = edges.map(|e| e.edge.when.as_ref().and_then(|w| switch(&w.cond)));
    let (key, off) = switches.next()??;
    let feature = p
        .package
        .features
        .get(key)
        .filter(|f| f.fixed.is_none() && f.default == off)?;
    switches
        .all(|other| other == Some((key, off)))
        .then(|| feature.name.as_ref().map_or(key, |n| &n.value))
}

impl Questions<'_> {
    /// Returns the packages that need a package. For each, returns also the feature that users can
    /// set so that the package is not needed, with the value to set.
    fn users<'a>(
        &'a self,
        p: &'a Planned,
    ) -> impl Iterator<Item = (&'a Planned, Option<(&'a str, bool)>)> {
        let needs = |other: &'a Planned| {
            let leads = |to: &Dependency| matches!(to, Dependency::Package(id) if *id == p.id);
            let mut edges = other
                .depends
                .iter()
                .filter(move |e| leads(&e.to))
                .peekable();
            edges.peek()?;
            let switches: Vec<_> = edges
                .map(|e| e.edge.when.as_ref().and_then(|w| switch(&w.cond)))
                .collect();
            let first = switches.first().copied().flatten();
            let offered = |(name, _): &(&str, bool)| {
                other
                    .package
                    .features
                    .get(*name)
                    .is_some_and(|f| f.fixed.is_none())
            };
            // If several edges lead to the package, the same setting must remove them all.
            let one =
                first.filter(|s| offered(s) && switches.iter().all(|other| *other == Some(*s)));
            Some((other, one))
        };
        self.plan.packages.iter().filter_map(needs)
    }

    /// Returns the ids of the packages that can't be built without a package.
    pub(super) fn needed_by(&self, p: &Planned) -> Vec<String> {
        let chooses = matches!(self.recipes.chooser, Chooser::Flags { .. } | Chooser::Scope);
        let firm = self
            .users(p)
            .filter(|(_, switch)| !chooses || switch.is_none());
        firm.map(|(other, _)| other.id.clone()).collect()
    }

    /// Returns the settings that leave a package out, as the distribution writes them. If packages
    /// need it only with a feature that is off by default, returns which settings bring it in.
    pub(super) fn avoided(&self, p: &Planned) -> Vec<String> {
        let (mut brings, mut without) = (Vec::new(), Vec::new());
        for (other, switch) in self.users(p) {
            let feature =
                switch.and_then(|(key, off)| Some((key, other.package.features.get(key)?, off)));
            let Some((key, feature, off)) = feature else {
                continue;
            };
            let is_off = feature.default == off;
            let set = self.setting(other, key, feature, is_off != off);
            (if is_off { &mut brings } else { &mut without }).extend(set);
        }
        let brings =
            (!brings.is_empty()).then(|| format!("{} alone brings it in", brings.join(" or ")));
        brings
            .into_iter()
            .chain(without.iter().map(|set| format!("{set} does without")))
            .collect()
    }

    /// Returns the name of a package with its category in Gentoo.
    pub(super) fn called(&self, p: &Planned) -> String {
        format!("{}/{}", rocpkg::gentoo::category(&self.plan, p), p.name)
    }

    /// Returns the setting of a package's feature, as a user writes it.
    fn setting(&self, p: &Planned, key: &str, feature: &Feature, on: bool) -> Option<String> {
        Some(match self.recipes.chooser {
            Chooser::Flags { .. } => {
                let flag = feature.name.as_ref().map_or(key, |n| &n.value);
                let hyphen = if on { "" } else { "-" };
                format!("`{} {hyphen}{flag}`", self.called(p))
            }
            Chooser::Scope => {
                format!(
                    "`{}.override {{ {} = {on}; }}`",
                    p.name,
                    rocpkg::nix::feature(key, feature)
                )
            }
            Chooser::Packager => return None,
        })
    }
}
