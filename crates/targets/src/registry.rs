//! The registry of all GPU targets by name. The data is checked once, so that later look-ups can't
//! fail.

use rocpkg_core::{Entry, Target, TargetKind, TargetSet};
use rocpkg_model::{
    BundleSettingsEntry, Decode, Finding, Findings, Node, OverrideEntry, PatchSiteEntry,
    ProcessorEntry, Spanned, TargetsFile,
};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Deref;

/// The hardware of one GPU target: its family, chips and products.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hardware<'r> {
    /// The microarchitecture; empty if it is not known.
    pub family: &'r str,
    /// The names of the chips, LLVM's first.
    pub chips: Vec<&'r str>,
    /// The names of the products, as AMD writes them.
    pub products: &'r [String],
}

/// The registry of targets of the crate `core`, with the further facts in `targets.yaml` about each
/// target: products, patches, and machines that test it.
#[derive(Clone, Debug)]
pub struct Registry {
    core: rocpkg_core::Registry,
    pub(crate) file: TargetsFile,
    pub(crate) official: Vec<TargetSet>,
}

impl Deref for Registry {
    type Target = rocpkg_core::Registry;

    fn deref(&self) -> &rocpkg_core::Registry {
        &self.core
    }
}

impl Registry {
    /// Reads and checks `targets.yaml`, whose tree is `node`. Releases in the file are not checked.
    ///
    /// # Errors
    /// Adds all faults to `findings`: `E0210` for a name that is declared twice, `E0211` for a list
    /// that names no target, `E0212` for a processor and a generic target that disagree, `E0215`
    /// for a text that should be a number.
    pub fn read(node: &Node, findings: &mut Findings) -> Option<Self> {
        let before = findings.count();
        let file = TargetsFile::decode(node, findings)?;
        let targets = entries(&file, findings);
        check_names(&file, node, findings);
        if findings.has_errors_since(before) {
            return None;
        }
        let names: BTreeMap<&str, bool> = targets
            .iter()
            .map(|entry| (entry.name.as_str(), entry.kind == TargetKind::Processor))
            .collect();
        let mut lists = TargetLists {
            names: &names,
            file: &file,
            findings,
        };
        let mut builder = targets
            .iter()
            .cloned()
            .fold(rocpkg_core::Registry::builder(), |all, entry| {
                all.target(entry)
            });
        for (name, generic) in &file.generics {
            builder = builder.covers(name, lists.known(name, &generic.covers, true));
        }
        for group in file.isa_compat.iter().flat_map(|compat| &compat.groups) {
            let code = lists.known(&group.root.value, &group.code_objects, true);
            let agents = lists.known(&group.root.value, &group.agents, true);
            for name in code {
                builder = builder.compatible(name, agents.iter().copied());
            }
        }
        for (name, list) in &file.families {
            builder = builder.family(name, lists.known(name, list, false));
        }
        let core = match builder.build() {
            Ok(core) => core,
            // Each fault of the lists is already a finding.
            Err(error) => {
                let finding = Finding::error("E0211", node.span, error.to_string());
                lists.findings.push(finding);
                return None;
            }
        };
        let official = file
            .support_classes
            .iter()
            .flat_map(|classes| classes.official.values());
        let official = official
            .map(|list| {
                let known = lists.known("official", &list.targets, true).into_iter();
                known.filter_map(|name| core.get(name)).collect()
            })
            .collect();
        for list in file
            .declared
            .iter()
            .flat_map(|d| [&d.release_ready, &d.builds])
        {
            lists.known("declared", list, true);
        }
        if let Some(scheduled) = &file.scheduled {
            let machines = scheduled.machines.values().map(|machine| &machine.targets);
            for list in machines.chain(scheduled.excluded.values()) {
                lists.known("scheduled", list, true);
            }
        }
        for row in file.read_only.values().flat_map(|entry| &entry.declared) {
            lists.known("read-only", &row.targets, false);
        }
        lists.disagreements(node);
        (!findings.has_errors_since(before)).then_some(Self {
            core,
            file,
            official,
        })
    }

    /// Returns the row of a processor in `targets.yaml`; `None` if the target is no
    /// [`TargetKind::Processor`].
    pub fn processor(&self, target: Target) -> Option<&ProcessorEntry> {
        self.file.processors.get(self.name(target))
    }

    /// Returns the hardware with the target `name`. The result is empty for generic targets and
    /// unknown names.
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

    /// Returns the places in upstream's sources that must be patched so that code loads on
    /// compatible GPUs. The key `since` of a place is the first release that needs the patch.
    pub fn patch_sites(&self) -> impl Iterator<Item = &PatchSiteEntry> {
        self.file
            .isa_compat
            .iter()
            .flat_map(|compat| &compat.patch_sites)
    }

    /// Returns the settings that pack bundles of device code and unpack them, if `targets.yaml`
    /// states them.
    pub fn bundle_settings(&self) -> Option<&BundleSettingsEntry> {
        self.file.isa_compat.as_ref()?.bundles.as_ref()
    }

    /// Returns the known effects of values of `HSA_OVERRIDE_GFX_VERSION` on a GPU, given by its
    /// target.
    pub fn overrides(&self, gpu: Target) -> impl Iterator<Item = &OverrideEntry> {
        self.file
            .overrides
            .iter()
            .filter(move |o| o.gpus.iter().any(|g| g == self.name(gpu)))
    }

    /// Returns the content of `targets.yaml`.
    pub fn file(&self) -> &TargetsFile {
        &self.file
    }
}

/// Returns the names of a processor's chips, LLVM's first.
pub(crate) fn called(processor: &ProcessorEntry) -> impl Iterator<Item = &str> {
    let alternatives = processor
        .alternatives
        .iter()
        .map(|name| name.value.as_str());
    alternatives.chain(processor.codenames.iter().map(String::as_str))
}

/// Returns all targets in order: processors, removed processors, generic targets, pseudo targets.
fn entries(file: &TargetsFile, findings: &mut Findings) -> Vec<Entry> {
    let mut out: Vec<Entry> = Vec::new();
    let mut push = |name: &str, kind, llvm: Option<&Spanned<String>>, xnack, sramecc| {
        let llvm = llvm.map_or(0, |text| number(text, findings));
        out.push(Entry::new(name, kind).llvm(llvm).modes(xnack, sramecc));
    };
    for (name, p) in &file.processors {
        push(
            name,
            TargetKind::Processor,
            Some(&p.llvm),
            p.xnack,
            p.sramecc,
        );
    }
    for (name, r) in &file.removed {
        push(name, TargetKind::Removed, Some(&r.llvm), r.xnack, r.sramecc);
    }
    for (name, g) in &file.generics {
        push(name, TargetKind::Generic, Some(&g.llvm), g.xnack, g.sramecc);
    }
    for name in file.pseudo.keys() {
        push(name, TargetKind::Pseudo, None, false, false);
    }
    out
}

fn number(text: &Spanned<String>, findings: &mut Findings) -> u32 {
    text.value.parse().unwrap_or_else(|_| {
        let finding = Finding::error(
            "E0215",
            text.span,
            format!("`{}` is not a version of LLVM", text.value),
        );
        findings.push(finding.label("expected a major version such as \"19\""));
        0
    })
}

/// Reports names that two targets, families or alternative names of processors share.
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
            findings.push(finding.label("expected a unique name"));
        }
    }
}

/// Reads the lists of targets in the file, and collects the findings about them.
struct TargetLists<'a> {
    /// The names of all targets, each with true if it is a processor.
    names: &'a BTreeMap<&'a str, bool>,
    file: &'a TargetsFile,
    findings: &'a mut Findings,
}

impl TargetLists<'_> {
    /// Returns the known names in `list`, and reports the others. `place` is the name of the list's
    /// owner for messages. If `processors` is true, only processors are allowed in the list.
    fn known<'l>(
        &mut self,
        place: &str,
        list: &'l [Spanned<String>],
        processors: bool,
    ) -> Vec<&'l str> {
        let mut known = Vec::new();
        for name in list {
            match self.names.get(name.value.as_str()) {
                Some(is_processor) if *is_processor || !processors => {
                    known.push(name.value.as_str());
                }
                _ => self.findings.push(unknown(place, name, self.file)),
            }
        }
        known
    }

    /// Reports processors and generic targets that disagree on whether the generic target covers
    /// the processor.
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
                    self.findings.push(
                        finding.label("`generic` here contradicts `covers` of the generic target"),
                    );
                }
            }
        }
    }
}

/// Returns the finding about the unknown target `name` in a list. `place` is the name of the list's
/// owner.
fn unknown(place: &str, name: &Spanned<String>, file: &TargetsFile) -> Finding {
    let message = format!(
        "`{place}` names `{}`, which is not a processor or target of the registry",
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
