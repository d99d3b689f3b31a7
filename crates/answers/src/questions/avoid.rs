//! The settings of other packages that leave out a package which does not run on a GPU.

use super::Questions;
use rocpkg::internal::resolve::{Chooser, Dependency, Planned};

/// Returns the feature whose default removes all of a package's dependencies on packages of the
/// stack, such as `rocm` of caffe2, and the value that brings them back. The name is the one that
/// users set. None if the dependencies have no common feature, or if the feature's default keeps
/// them.
pub(crate) fn switched_off(p: &Planned) -> Option<(&str, bool)> {
    let (key, on) = p.stack_feature()?;
    (p.package.features.get(key)?.default != on).then(|| (p.feature_name(key), on))
}

impl Questions<'_> {
    /// Returns the packages that depend on `p`. Each has the features that users can set so that it
    /// does not depend on `p`, with the value to set. One of them is enough.
    fn users<'a>(
        &'a self,
        p: &'a Planned,
    ) -> impl Iterator<Item = (&'a Planned, Vec<(&'a str, bool)>)> {
        let needs = |other: &'a Planned| {
            let leads = |to: &Dependency| matches!(to, Dependency::Package(id) if *id == p.id);
            let edges = other.depends.iter().filter(|e| leads(&e.to));
            let mut all = edges.map(|e| {
                let when = e.edge.when.as_ref();
                when.map_or_else(Vec::new, |w| w.cond.switches())
            });
            // If several edges lead to the package, the same setting must remove them all.
            let mut common = all.next()?;
            for others in all {
                common.retain(|switch| others.contains(switch));
            }
            let features = &other.package.features;
            common.retain(|(key, _)| features.get(*key).is_some_and(|f| f.fixed.is_none()));
            Some((other, common))
        };
        self.plan.packages.iter().filter_map(needs)
    }

    /// Returns the ids of the packages and consumers that depend on `p`, and whose users have no
    /// setting to remove the dependency.
    pub(super) fn needed_by(&self, p: &Planned) -> Vec<String> {
        let chooses = matches!(self.recipes.chooser, Chooser::Flags { .. } | Chooser::Scope);
        let firm = self
            .users(p)
            .filter(|(_, switches)| !chooses || switches.is_empty());
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
        for (other, switches) in self.users(p) {
            let is_off = |(key, off): &(&str, bool)| other.package.features[*key].default == *off;
            let missing: Vec<(&str, bool)> = switches.iter().copied().filter(is_off).collect();
            if missing.is_empty() {
                // A setting that keeps the other packages of the stack.
                let stack = other.stack_feature().map(|(key, _)| key);
                let own = switches.iter().find(|(key, _)| Some(*key) != stack);
                let set = own.or(switches.first());
                without.extend(set.and_then(|set| self.setting(other, &[*set])));
            } else {
                let set: Vec<_> = missing.iter().map(|(key, off)| (*key, !off)).collect();
                brings.extend(self.setting(other, &set));
            }
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
        format!(
            "{}/{}",
            rocpkg::gentoo::internal::category(&self.plan, p),
            p.name
        )
    }

    /// Returns the text by which a user sets features of a package: `sci-libs/miopen -hipblaslt` in
    /// Gentoo, an `override` in nixpkgs. None where the packager chooses features.
    pub(super) fn setting(&self, p: &Planned, features: &[(&str, bool)]) -> Option<String> {
        let said = |tell: &dyn Fn(&str, bool) -> String| {
            let all: Vec<String> = features.iter().map(|(key, on)| tell(key, *on)).collect();
            all.join(" ")
        };
        Some(match self.recipes.chooser {
            Chooser::Flags { .. } => {
                let flags = said(&|key, on| {
                    let hyphen = if on { "" } else { "-" };
                    format!("{hyphen}{}", p.feature_name(key))
                });
                format!("`{} {flags}`", self.called(p))
            }
            Chooser::Scope => {
                let arguments = said(&|key, on| {
                    let name = rocpkg::nix::internal::feature(key, &p.package.features[key]);
                    format!("{name} = {on};")
                });
                format!("`{}.override {{ {arguments} }}`", p.name)
            }
            Chooser::Packager => return None,
        })
    }
}
