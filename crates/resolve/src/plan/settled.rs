//! What a recipe without switches is built as: nobody chooses, so every condition has an answer.

use crate::plan::planned::{Plan, Planned, ResolvedTargets};
use crate::plan::sources::{LINE, ResolvedSource};
use crate::read::release::{Release, holds};
use rocpkg_model::{
    Cond, Feature, Fetch, Finding, Findings, Patch, Piece, Span, TargetList, TargetTool, When,
};

/// The name of the feature that builds upstream's tests.
pub const TEST: &str = "test";

impl Planned {
    /// True when the condition holds where nobody chooses: every feature stands at its default, and one build serves all targets.
    pub fn settles(&self, when: Option<&When>) -> bool {
        when.is_none_or(|w| self.answer(&w.cond))
    }

    /// The feature that builds upstream's tests.
    pub fn test_feature(&self) -> Option<&Feature> {
        self.package.features.get(TEST)
    }

    /// True where the tests are built although nobody chooses.
    pub fn builds_tests(&self) -> bool {
        self.test_feature().is_none_or(|_| self.answer(&Cond::Feature(TEST.into())))
    }

    /// Whether the tests are built, as far as the distribution decides it.
    pub fn may_build_tests(&self) -> bool {
        self.test_feature().is_none_or(|f| f.fixed.as_ref().is_none_or(|on| on.value))
    }

    /// What the distribution fixes, as an answer to the name of a feature.
    pub fn fixed_answer(&self, cond: &Cond) -> Option<bool> {
        let Cond::Feature(name) = cond else { return None };
        self.package.features.get(name)?.fixed.as_ref().map(|on| on.value)
    }

    fn answer(&self, cond: &Cond) -> bool {
        let features = &self.package.features;
        let excluded = |t: &String| self.targets.as_ref().is_some_and(|r| r.excludes.contains(t));
        cond.reduce(&|c| {
            Some(match c {
                Cond::Feature(f) => {
                    features.get(f).is_some_and(|f| f.fixed.as_ref().map_or(f.default, |v| v.value))
                }
                Cond::Target(t) => !excluded(t),
                _ => true,
            })
        })
        .unwrap_or(false)
    }

    /// Where constraints stand that can't hold with what is known.
    pub fn broken_constraints(&self, known: &impl Fn(&Cond) -> Option<bool>) -> impl Iterator<Item = Span> {
        self.package
            .constraints
            .iter()
            .filter_map(|c| crate::validate::constraints::broken(c, &self.node, known))
    }

    /// Reports constraints that the defaults of features break, where `label` says how a recipe takes these. What they say of
    /// targets is left to the proof.
    pub fn check_defaults(&self, label: &str, findings: &mut Findings) {
        for span in self.broken_constraints(&|c| matches!(c, Cond::Feature(_)).then(|| self.answer(c))) {
            findings.push(
                Finding::error("E0222", span, "what must hold between features does not hold")
                    .label(label)
                    .hint("set `default` or `fixed` of these features in the overlay"),
            );
        }
    }

    /// Where a package says that something else than `;` stands between two targets.
    pub fn other_separator(&self) -> Option<Span> {
        let other = self.package.targets.as_ref().is_some_and(|t| t.separator != ";");
        let node = self.node.get("targets").and_then(|t| t.get("separator"));
        other.then(|| node.map_or(self.node.span, |n| n.span))
    }

    /// The sources that such a recipe fetches.
    pub fn fetched(&self) -> impl Iterator<Item = &ResolvedSource> {
        self.sources.iter().filter(|s| s.fetch != Fetch::Inherited && self.settles(s.when.as_ref()))
    }

    /// The patches that it applies, in order.
    pub fn applied(&self) -> impl Iterator<Item = &Patch> {
        self.package.patches.iter().filter(|p| self.settles(p.when.as_ref()))
    }
}

impl Plan {
    /// The tool that prints the list of targets for a package while it is built: none where the package has a list of its own or
    /// is given none, and where the distribution's file, or whoever asks for some GPUs, states the list.
    pub fn target_tool(&self, p: &Planned) -> Option<&TargetTool> {
        let list = p.package.targets.as_ref().map(|t| t.list);
        let asks = matches!(list, Some(TargetList::All | TargetList::Intersection));
        let stated = self.distro_targets(&p.version);
        let unstated = stated.0.is_empty() && stated.1.is_empty();
        self.distro.target_tool.as_ref().filter(|_| asks && unstated)
    }

    /// What a recipe without switches is to pass as targets: the tool, less what the package can't be built for, or a list. None where
    /// upstream is to decide; a tree that is rendered for some GPUs leaves nothing to it.
    pub fn settled_targets<'p>(
        &'p self,
        p: &'p Planned,
    ) -> Option<(Option<&'p TargetTool>, &'p ResolvedTargets)> {
        let (written, resolved) = (p.package.targets.as_ref()?, p.targets.as_ref()?);
        let tool = self.target_tool(p);
        match written.list {
            TargetList::None if self.narrowed.is_empty() => None,
            TargetList::All | TargetList::Intersection if tool.is_none() && resolved.default.is_empty() => {
                None
            }
            _ => Some((tool, resolved)),
        }
    }

    /// Whether a recipe without switches builds one of the targets that a package needs; none where nobody knows the list.
    pub(crate) fn builds_needed(&self, p: &Planned) -> Option<bool> {
        let needs = p.targets.as_ref().map(|t| &t.needs).filter(|needs| !needs.is_empty());
        let Some(needs) = needs else { return Some(true) };
        let built: Vec<&String> = match self.settled_targets(p) {
            Some((Some(tool), resolved)) => {
                let all = tool.list.iter().map(|t| &t.value);
                all.filter(|t| !resolved.excludes.contains(t)).collect()
            }
            Some((None, resolved)) => resolved.default.iter().collect(),
            None => p.targets.iter().flat_map(|t| &t.upstream).collect(),
        };
        (!built.is_empty()).then(|| built.iter().any(|t| needs.contains(t)))
    }

    /// The version that upstream gives to the first component of a package, at the releases at which the distribution's habit
    /// takes it.
    pub fn own_version(&self, p: &Planned) -> Option<&str> {
        let range = self.distro.habits.as_ref()?.own_versions.as_ref()?;
        let line =
            self.lines.get(&p.version.line()).filter(|_| holds(&range.value, &p.version) == Some(true))?;
        let version = line.versions.iter().find(|(v, _)| v.parse().is_ok_and(|v: Release| v == p.version))?;
        Some(version.1.own.get(p.components.first()?)?.value.as_str())
    }

    /// The number in the tag of a package's release: 7.14 of `therock-7.14`, 6.0.0 of `rocm-6.0.0`; the release itself where its line
    /// is not known.
    pub fn tagged_version(&self, p: &Planned) -> String {
        let tag = self.lines.get(&p.version.line()).map(|line| {
            let piece = |piece: &Piece| match piece {
                Piece::Literal(text) => text.clone(),
                Piece::Reference(name) if name == LINE => p.version.line(),
                Piece::Reference(_) => p.version.to_string(),
            };
            line.tag.pieces.iter().map(piece).collect::<String>()
        });
        let number = |tag: String| tag.find(|c: char| c.is_ascii_digit()).map(|at| tag[at..].to_owned());
        tag.and_then(number).unwrap_or_else(|| p.version.to_string())
    }
}
