//! The registry: every target by name, checked once, so that later questions can't fail.

use crate::set::{Target, TargetSet};
use rocpkg_model::{
    Decode, Finding, Findings, Node, OverrideEntry, PatchSiteEntry, ProcessorEntry, Spanned,
    TargetsFile,
};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What sort of target a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// A processor that LLVM knows: a GPU that people own.
    Processor,
    /// A processor that LLVM has dropped.
    Removed,
    /// A generic target: code for it runs on several processors, no GPU is one.
    Generic,
    /// A name in lists that is no processor.
    Pseudo,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) llvm: u32,
    pub(crate) xnack: bool,
    pub(crate) sramecc: bool,
    /// GPUs that load this target's code by LLVM's promise.
    pub(crate) loads: TargetSet,
    /// GPUs that load it besides with the patches.
    pub(crate) compatible: TargetSet,
}

/// What carries a target.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware<'r> {
    /// The microarchitecture; empty where it is not known.
    pub family: &'r str,
    /// The names of the chips, LLVM's first.
    pub chips: Vec<&'r str>,
    /// The products, as their vendor writes them.
    pub products: &'r [String],
}

/// Every target, family and rule of loading, checked.
#[derive(Clone, Debug)]
pub struct Registry {
    pub(crate) file: TargetsFile,
    pub(crate) entries: Vec<Entry>,
    names: BTreeMap<String, Target>,
    families: Vec<TargetSet>,
    pub(crate) official: Vec<TargetSet>,
}

impl Registry {
    /// Reads and checks `targets.yaml`. Whether what it calls releases are some is not looked at.
    ///
    /// # Errors
    /// All faults go to `findings`: `E0210` a name declared twice, `E0211` a list that names no target, `E0212` a processor
    /// and a generic target that disagree, `E0214` more targets than a set holds, `E0215` a text that should be a number.
    pub fn read(node: &Node, findings: &mut Findings) -> Option<Self> {
        let before = findings.count();
        let file = TargetsFile::decode(node, findings)?;
        let mut entries = entries(&file, findings);
        if entries.len() > 64 {
            let message = format!("{} targets, and a set holds 64", entries.len());
            let span = node.key("processors").map_or(node.span, |key| key.span);
            findings.push(Finding::error("E0214", span, message));
        }
        check_names(&file, node, findings);
        if findings.has_errors_since(before) {
            return None;
        }
        let names: BTreeMap<String, Target> = (0u8..)
            .zip(&entries)
            .map(|(bit, entry)| (entry.name.clone(), Target(bit)))
            .collect();
        let mut lists = Lists {
            names: &names,
            file: &file,
            findings,
        };
        for (name, generic) in &file.generics {
            entries[names[name].index()].loads = lists.set(name, &generic.covers, true);
        }
        for group in file.isa_compat.iter().flat_map(|compat| &compat.groups) {
            let code = lists.set(&group.root.value, &group.code_objects, true);
            let agents = lists.set(&group.root.value, &group.agents, true);
            for target in code.iter() {
                let entry = &mut entries[target.index()];
                entry.compatible = entry
                    .compatible
                    .union(agents)
                    .difference(TargetSet::of(target));
            }
        }
        let families = file
            .families
            .iter()
            .map(|(name, list)| lists.set(name, list, false))
            .collect();
        let official = file
            .support_classes
            .iter()
            .flat_map(|classes| classes.official.values());
        let official = official
            .map(|list| lists.set("official", &list.targets, true))
            .collect();
        for list in file
            .declared
            .iter()
            .flat_map(|d| [&d.release_ready, &d.builds])
        {
            lists.set("declared", list, true);
        }
        if let Some(scheduled) = &file.scheduled {
            let machines = scheduled.machines.values().map(|machine| &machine.targets);
            for list in machines.chain(scheduled.excluded.values()) {
                lists.set("scheduled", list, true);
            }
        }
        for row in file.read_only.values().flat_map(|entry| &entry.declared) {
            lists.set("read-only", &row.targets, false);
        }
        lists.disagreements(node);
        (!findings.has_errors_since(before)).then_some(Self {
            file,
            entries,
            names,
            families,
            official,
        })
    }

    /// The target of exactly this name; [`Registry::find`] takes what people write.
    pub fn get(&self, name: &str) -> Option<Target> {
        self.names.get(name).copied()
    }

    /// The target's name.
    pub fn name(&self, target: Target) -> &str {
        &self.entry(target).name
    }

    /// What sort of target it is.
    pub fn kind(&self, target: Target) -> Kind {
        self.entry(target).kind
    }

    /// The oldest of LLVM 13, 14, 15, 16, 19 and 22 whose table has the target; 0 for a [`Kind::Pseudo`], which no version of LLVM lists.
    pub fn llvm(&self, target: Target) -> u32 {
        self.entry(target).llvm
    }

    /// The processor's data, for a [`Kind::Processor`].
    pub fn processor(&self, target: Target) -> Option<&ProcessorEntry> {
        self.file.processors.get(self.name(target))
    }

    /// The hardware behind a name; nothing is known of a generic target's.
    pub fn hardware(&self, name: &str) -> Hardware<'_> {
        let removed = self.file.removed.get(name).map(|r| Hardware {
            family: r.family.as_deref().unwrap_or_default(),
            chips: r.codenames.iter().map(String::as_str).collect(),
            products: &r.products,
        });
        let processor = self.file.processors.get(name).map(|p| Hardware {
            family: &p.family,
            chips: called(p).collect(),
            products: &p.products,
        });
        processor.or(removed).unwrap_or_default()
    }

    /// The names of all targets, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.name.as_str())
    }

    /// Every target in order: processors, removed ones, generics, pseudo targets.
    pub fn all(&self) -> TargetSet {
        (0u8..)
            .zip(&self.entries)
            .map(|(bit, _)| Target(bit))
            .collect()
    }

    /// Every target of one kind.
    pub fn of_kind(&self, kind: Kind) -> TargetSet {
        self.all()
            .iter()
            .filter(|t| self.kind(*t) == kind)
            .collect()
    }

    /// Upstream's families with their targets.
    pub fn families(&self) -> impl Iterator<Item = (&str, TargetSet)> {
        self.file
            .families
            .keys()
            .map(String::as_str)
            .zip(self.families.iter().copied())
    }

    /// The families that a target is in.
    pub fn families_of(&self, target: Target) -> impl Iterator<Item = &str> {
        self.families()
            .filter(move |(_, set)| set.contains(target))
            .map(|(name, _)| name)
    }

    /// The places that must be patched for code to load on compatible GPUs, some of them from a release on.
    pub fn patch_sites(&self) -> impl Iterator<Item = &PatchSiteEntry> {
        self.file
            .isa_compat
            .iter()
            .flat_map(|compat| &compat.patch_sites)
    }

    /// What is known of telling the runtime that a GPU is another.
    pub fn overrides(&self, gpu: Target) -> impl Iterator<Item = &OverrideEntry> {
        self.file
            .overrides
            .iter()
            .filter(move |o| o.gpus.iter().any(|g| g == self.name(gpu)))
    }

    /// The set as names between spaces.
    pub fn show(&self, set: TargetSet) -> impl fmt::Display {
        let names: Vec<&str> = set.iter().map(|t| self.name(t)).collect();
        names.join(" ")
    }

    /// All data as written.
    pub fn file(&self) -> &TargetsFile {
        &self.file
    }

    pub(crate) fn entry(&self, target: Target) -> &Entry {
        &self.entries[target.index()]
    }
}

/// The names of a processor's chips, LLVM's first.
pub(crate) fn called(processor: &ProcessorEntry) -> impl Iterator<Item = &str> {
    let alternatives = processor
        .alternatives
        .iter()
        .map(|name| name.value.as_str());
    alternatives.chain(processor.codenames.iter().map(String::as_str))
}

/// All targets in order, of which nothing is known yet but what their own entries say.
fn entries(file: &TargetsFile, findings: &mut Findings) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    let mut push = |name: &str, kind, llvm: Option<&Spanned<String>>, xnack, sramecc| {
        let llvm = llvm.map_or(0, |text| number(text, findings));
        let own = u8::try_from(out.len())
            .ok()
            .filter(|bit| *bit < 64)
            .map(Target);
        let loads = own
            .filter(|_| matches!(kind, Kind::Processor | Kind::Removed))
            .into_iter()
            .collect();
        let compatible = TargetSet::EMPTY;
        out.push(Entry {
            name: name.to_owned(),
            kind,
            llvm,
            xnack,
            sramecc,
            loads,
            compatible,
        });
    };
    for (name, p) in &file.processors {
        push(name, Kind::Processor, Some(&p.llvm), p.xnack, p.sramecc);
    }
    for (name, r) in &file.removed {
        push(name, Kind::Removed, Some(&r.llvm), r.xnack, r.sramecc);
    }
    for (name, g) in &file.generics {
        push(name, Kind::Generic, Some(&g.llvm), g.xnack, g.sramecc);
    }
    for name in file.pseudo.keys() {
        push(name, Kind::Pseudo, None, false, false);
    }
    out
}

fn number(text: &Spanned<String>, findings: &mut Findings) -> u32 {
    text.value.parse().unwrap_or_else(|_| {
        let finding = Finding::error(
            "E0215",
            text.span,
            format!("`{}` is no version of LLVM", text.value),
        );
        findings.push(finding.label("expected a major version such as \"19\""));
        0
    })
}

/// Reports targets, families and alternatives that share a name.
fn check_names(file: &TargetsFile, node: &Node, findings: &mut Findings) {
    let keys = |section: &str| {
        node.entries_of(section)
            .iter()
            .map(|(key, _)| (key.name.as_str(), key.span))
    };
    let targets = ["processors", "removed", "generics", "pseudo"]
        .into_iter()
        .flat_map(keys);
    let alternatives = file.processors.values().flat_map(|p| &p.alternatives);
    let all = targets
        .chain(alternatives.map(|a| (a.value.as_str(), a.span)))
        .chain(keys("families"));
    let mut seen = BTreeSet::new();
    for (name, span) in all {
        if !seen.insert(name) {
            let finding = Finding::error("E0210", span, format!("`{name}` is declared twice"));
            findings.push(finding.label("expected a name of its own"));
        }
    }
}

/// Lists of targets, while they are read.
struct Lists<'a> {
    names: &'a BTreeMap<String, Target>,
    file: &'a TargetsFile,
    findings: &'a mut Findings,
}

impl Lists<'_> {
    /// The targets of a list that stands at a place; of some lists, all of them are `processors`.
    fn set(&mut self, place: &str, list: &[Spanned<String>], processors: bool) -> TargetSet {
        let is_one = |t: &Target| !processors || t.index() < self.file.processors.len();
        let mut set = TargetSet::EMPTY;
        for name in list {
            match self.names.get(&name.value).copied().filter(is_one) {
                Some(target) => set.insert(target),
                None => self.findings.push(unknown(place, name, self.file)),
            }
        }
        set
    }

    /// Reports generic targets that a processor and their own lists see differently.
    fn disagreements(&mut self, node: &Node) {
        for (name, p) in &self.file.processors {
            if let Some(generic) = p
                .generic
                .as_ref()
                .filter(|g| !self.file.generics.contains_key(&g.value))
            {
                self.findings.push(unknown(name, generic, self.file));
            }
            for (generic, g) in &self.file.generics {
                let covers = g.covers.iter().any(|covered| covered.value == *name);
                if covers != p.generic.as_ref().is_some_and(|own| own.value == *generic) {
                    let key = node.get("processors").and_then(|all| all.key(name));
                    let span = key.map_or(node.span, |key| key.span);
                    let message = format!(
                        "`{name}` and `{generic}` disagree on whether one covers the other"
                    );
                    let finding = Finding::error("E0212", span, message);
                    self.findings
                        .push(finding.label("`generic` here and `covers` there"));
                }
            }
        }
    }
}

/// A list that names a target which the registry doesn't have.
fn unknown(place: &str, name: &Spanned<String>, file: &TargetsFile) -> Finding {
    let message = format!(
        "`{place}` names `{}`, which is no processor or target of the registry",
        name.value
    );
    let known = file
        .processors
        .keys()
        .chain(file.generics.keys())
        .map(String::as_str);
    Finding::error("E0211", name.span, message)
        .label("expected a target of this file")
        .nearest(&name.value, known)
}
