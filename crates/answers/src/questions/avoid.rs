//! The settings of other packages that leave out a package which does not run on a GPU.

use super::Questions;
use rocpkg::model::Feature;
use rocpkg::resolve::{Chooser, Dependency, Planned};

/// Returns the feature whose default removes all of a package's dependencies on packages of the
/// stack, such as `rocm` of caffe2, and the value that brings them back. The name is the one that
/// users set. None if the dependencies have no common feature, or if the feature's default keeps
/// them.
pub(crate) fn switched_off(p: &Planned) -> Option<(&str, bool)> {
    let (key, on) = p.stack_feature()?;
    (p.package.features.get(key)?.default != on).then(|| (p.feature_name(key), on))
}

impl Questions<'_> {
    /// Returns the packages that depend on `p`. Each has the feature that users can set so that it
    /// does not depend on `p`, with the value to set, or None if no one feature does that.
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
                .map(|e| e.edge.when.as_ref()?.cond.switches().into_iter().next())
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

    /// Returns the ids of the packages and consumers that depend on `p`, and whose users have no
    /// setting to remove the dependency.
    pub(super) fn needed_by(&self, p: &Planned) -> Vec<String> {
        let chooses = matches!(self.recipes.chooser, Chooser::Flags { .. } | Chooser::Scope);
        let firm = self
            .users(p)
            .filter(|(_, switch)| !chooses || switch.is_none());
        let leads = |to: &Dependency| matches!(to, Dependency::Package(id) if *id == p.id);
        // Where users choose, they can also build a consumer without the stack.
        let consumers = self.plan.consumers.iter().filter(|_| !chooses);
        let consumers = consumers.filter(|c| c.depends.iter().any(|e| leads(&e.to)));
        firm.map(|(other, _)| other)
            .chain(consumers)
            .map(|user| user.id.clone())
            .collect()
    }

    /// Returns clauses about the settings that leave the package `p` out, as the distribution
    /// writes them: `sci-libs/miopen -hipblaslt` does without. If a dependency on `p` exists only
    /// with a feature that is off by default, the first clause names the settings that bring `p`
    /// in.
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
            (!brings.is_empty()).then(|| format!("only {} brings it in", brings.join(" or ")));
        brings
            .into_iter()
            .chain(without.iter().map(|set| format!("{set} does without it")))
            .collect()
    }

    /// Returns the name of a package with its category, as in Gentoo: `sci-libs/rocBLAS`.
    pub(super) fn called(&self, p: &Planned) -> String {
        format!("{}/{}", rocpkg::gentoo::category(&self.plan, p), p.name)
    }

    /// Returns the text by which a user sets the feature `key` of a package to `on`:
    /// `sci-libs/miopen -hipblaslt` in Gentoo, an `override` in nixpkgs. None where the packager
    /// chooses features.
    fn setting(&self, p: &Planned, key: &str, feature: &Feature, on: bool) -> Option<String> {
        Some(match self.recipes.chooser {
            Chooser::Flags { .. } => {
                let flag = p.feature_name(key);
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
