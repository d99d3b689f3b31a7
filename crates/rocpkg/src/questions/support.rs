//! Each package's support of each target.

use super::{Choose, Questions};
use rocpkg_model::TargetRule;
use rocpkg_resolve::{Chooser, Planned, triple};
use rocpkg_targets::{Kind, SupportClass, Target, TargetSet};

/// What is said of a package and a target, best first.
pub const CLASSES: [&str; 5] = ["official", "builds", "compiler-only", "not-offered", "unknown"];

/// How far a package supports a target in a distribution.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Support {
    /// The package's id.
    pub package: String,
    /// The target.
    pub target: Target,
    /// One of [`CLASSES`].
    pub class: &'static str,
    /// Where that stands.
    pub reason: String,
}

impl Questions<'_> {
    /// How far each package with device code supports each target, in the order of the packages.
    pub fn support(&self) -> Vec<Support> {
        let packages: Vec<&Planned> = self.plan.packages.iter().filter(|p| p.targets.is_some()).collect();
        let columns = self.columns(&packages);
        let mut all = Vec::new();
        for p in packages {
            for target in columns {
                let (class, reason) = self.support_of(p, target);
                all.push(Support { package: p.id.clone(), target, class, reason });
            }
        }
        all
    }

    /// What that rests on.
    pub fn support_facts(&self) -> Vec<String> {
        let official = self.registry.official(triple(&self.plan.version)).map(|(_, o)| o.source.clone());
        [Some(self.facts()), official].into_iter().flatten().collect()
    }

    /// What the distribution offers, and what a package supports of its own.
    fn columns(&self, packages: &[&Planned]) -> TargetSet {
        let mut set = TargetSet::EMPTY;
        for p in packages {
            let (default, offered) = self.plan.distro_targets(&p.listed);
            let own = p.targets.iter().flat_map(|t| t.supports.iter().chain(&t.excludes));
            for t in default.iter().chain(&offered).chain(own).filter_map(|n| self.registry.get(n)) {
                set.insert(t);
            }
        }
        if set.is_empty() { self.registry.of_kind(Kind::Processor) } else { set }
    }

    /// How far a package supports a target in this distribution, and where that stands.
    pub(super) fn support_of(&self, p: &Planned, t: Target) -> (&'static str, String) {
        let line = self.plan.lines.get(&p.version.line());
        let llvm = line.and_then(|l| l.llvm.as_ref()).and_then(|v| v.value.parse().ok()).unwrap_or(22);
        let able = p.able(self.registry);
        let class = self.registry.support_class(t, triple(&p.version), able, llvm);
        let written = p.package.targets.as_ref();
        let rule = |rules: &[TargetRule]| {
            // A rule may name a family.
            let names = |r: &&TargetRule| {
                r.targets.iter().any(|n| self.registry.find(&n.value).is_ok_and(|f| f.targets().contains(t)))
            };
            rules.iter().find(names).map(|r| r.reason.value.clone())
        };
        if !able.contains(t) {
            let word = if class == SupportClass::CompilerOnly { "compiler-only" } else { "unknown" };
            let reason = written.and_then(|w| rule(&w.excludes));
            return (word, reason.unwrap_or_else(|| "not in the package's list".into()));
        }
        if let Some(reason) = self.not_offered(p, t) {
            return ("not-offered", reason);
        }
        if self.recipes.chooser == Chooser::Packager
            && let Err(fact) = self.built_for(p, Choose::Nothing)
        {
            return ("unknown", format!("{fact} is not known"));
        }
        let official = self.registry.official(triple(&p.version)).map(|(_, o)| o.source.clone());
        match (class, written.and_then(|w| rule(&w.supports))) {
            (SupportClass::Official, _) => ("official", official.unwrap_or_default()),
            (_, Some(reason)) => ("builds", reason),
            // That nothing is known against it does not say that it builds.
            (_, None) => ("unknown", "the package states no limit, and no list that has it".into()),
        }
    }
}
