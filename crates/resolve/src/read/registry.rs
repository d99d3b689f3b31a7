//! The registry of GPU targets, from its tree to the checked form.

use crate::read::release::{Release, read_release};
use rocpkg_model::{
    DeclaredEntry, Decode, Finding, Findings, MachineEntry, Node, OverrideEntry, ProcessorKind,
    ScheduledEntry, Span, Spanned, TargetsFile, Value,
};
use rocpkg_targets as targets;
use rocpkg_targets::{Registry, RegistryError, RegistryInput};

/// Reads and checks `targets.yaml`.
///
/// # Errors
/// All faults go to `findings`: `E0210` a name declared twice, `E0211` a list that names no target, `E0212` a processor
/// and a generic target that disagree, `E0214` more targets than a set holds, `E0215` a
/// text that should be a number, and `E0207` for a release.
pub fn read_registry(node: &Node, findings: &mut Findings) -> Option<Registry> {
    let before = findings.count();
    let input = TargetsFile::decode(node, findings).map(|file| convert(&file, node, findings));
    // Also where nothing could be read: a model without a registry would be planned and proved of nothing, without a word.
    match Registry::new(input.filter(|_| !findings.has_errors_since(before))?) {
        Ok(registry) => Some(registry),
        Err(errors) => {
            for error in errors {
                findings.push(describe(&error, node));
            }
            None
        }
    }
}

fn convert(file: &TargetsFile, node: &Node, findings: &mut Findings) -> RegistryInput {
    let mut input = RegistryInput::default();
    for (name, e) in &file.processors {
        input.processors.push(targets::Processor {
            name: name.clone(),
            family: e.family.value.clone(),
            apu: e.kind == ProcessorKind::Apu,
            llvm: number(&e.llvm, findings),
            products: texts(&e.products),
            alternatives: texts(&e.alternatives),
            codenames: texts(&e.codenames),
            xnack: e.xnack,
            sramecc: e.sramecc,
            generic: e.generic.as_ref().map(|g| g.value.clone()),
        });
    }
    for (name, e) in &file.removed {
        input.removed.push(targets::Removed {
            name: name.clone(),
            llvm: number(&e.llvm, findings),
            xnack: e.xnack,
            sramecc: e.sramecc,
            reason: e.reason.value.clone(),
            family: e.family.as_ref().map(|f| f.value.clone()).unwrap_or_default(),
            products: texts(&e.products),
            codenames: texts(&e.codenames),
        });
    }
    for (name, e) in &file.generics {
        input.generics.push(targets::Generic {
            name: name.clone(),
            covers: texts(&e.covers),
            llvm: number(&e.llvm, findings),
            xnack: e.xnack,
            sramecc: e.sramecc,
        });
    }
    for (name, e) in &file.pseudo {
        input.pseudo.push(targets::Pseudo { name: name.clone(), meaning: e.meaning.value.clone() });
    }
    for (name, list) in &file.families {
        input.families.push(targets::Family { name: name.clone(), targets: texts(list) });
    }
    if let Some(compat) = &file.isa_compat {
        for g in &compat.groups {
            input.groups.push(targets::CompatGroup {
                root: g.root.value.clone(),
                code_objects: texts(&g.code_objects),
                agents: texts(&g.agents),
                note: g.note.as_ref().map(|n| n.value.clone()).unwrap_or_default(),
            });
        }
        for s in &compat.patch_sites {
            let since = s.since.as_ref().and_then(|since| read_release(since, findings)).as_ref().map(triple);
            let component = s.component.as_ref().map(|c| c.value.clone());
            input.patch_sites.push(targets::PatchSite { site: s.site.value.clone(), component, since });
        }
    }
    input.overrides = file.overrides.iter().map(overridden).collect();
    input.declared = file.declared.as_ref().map(declared);
    input.scheduled = file.scheduled.as_ref().map(scheduled);
    for (since, list) in file.support_classes.iter().flat_map(|s| &s.official) {
        let since = Spanned { value: since.clone(), span: find_key(node, since).unwrap_or(node.span) };
        if let Some(since) = read_release(&since, findings) {
            let (since, source) = (triple(&since), list.source.value.clone());
            input.official.push(targets::Official { since, targets: texts(&list.targets), source });
        }
    }
    input
}

fn overridden(o: &OverrideEntry) -> targets::Override {
    targets::Override {
        gpus: texts(&o.gpus),
        value: o.value.value.clone(),
        outcome: o.outcome.word(),
        reason: o.reason.value.clone(),
        source: o.source.value.clone(),
    }
}

fn declared(d: &DeclaredEntry) -> targets::Declared {
    targets::Declared {
        release_ready: texts(&d.release_ready),
        builds: texts(&d.builds),
        source: d.source.value.clone(),
    }
}

fn scheduled(s: &ScheduledEntry) -> targets::Scheduled {
    let machine =
        |(label, m): (&String, &MachineEntry)| (label.clone(), texts(&m.targets), m.when.value.clone());
    targets::Scheduled {
        machines: s.machines.iter().map(machine).collect(),
        libraries: texts(&s.libraries),
        excluded: s.excluded.iter().map(|(library, list)| (library.clone(), texts(list))).collect(),
        source: s.source.value.clone(),
    }
}

fn texts(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|s| s.value.clone()).collect()
}

fn number(text: &Spanned<String>, findings: &mut Findings) -> u32 {
    text.value.parse().unwrap_or_else(|_| {
        findings.push(
            Finding::error("E0215", text.span, format!("`{}` is no version of LLVM", text.value))
                .label("expected a major version such as \"19\""),
        );
        0
    })
}

/// A release in the form that the registry compares.
pub fn triple(release: &Release) -> targets::Release {
    let [a, b, c] = release.parts().map(|n| u32::try_from(n).unwrap_or(u32::MAX));
    (a, b, c)
}

fn describe(error: &RegistryError, node: &Node) -> Finding {
    let key = |name: &str| find_key(node, name).unwrap_or(node.span);
    let text = error.to_string();
    match error {
        RegistryError::Duplicate(name) => {
            // A second declaration is an alternative name, or the later one of two keys.
            let alternative = node.entries_of("processors").iter();
            let alternative =
                alternative.filter_map(|(_, p)| p.get("alternatives")).find_map(|n| find_text(n, name));
            let span = alternative.or_else(|| last_key(node, name)).unwrap_or(node.span);
            Finding::error("E0210", span, text).label("expected a name of its own")
        }
        RegistryError::Unknown { place, name } => {
            let span = [place.as_str(), "isa-compat"]
                .iter()
                .filter_map(|p| find_node(node, p))
                .find_map(|n| find_text(n, name))
                .unwrap_or_else(|| key(place));
            let sections = ["processors", "generics"].into_iter().filter_map(|s| node.get(s));
            let known = sections.flat_map(Node::entries).map(|(k, _)| k.name.as_str());
            Finding::error("E0211", span, text).label("expected a target of this file").nearest(name, known)
        }
        RegistryError::GenericDisagrees { processor, .. } => {
            Finding::error("E0212", key(processor), text).label("`generic` here and `covers` there")
        }
        RegistryError::TooMany(_) => Finding::error("E0214", key("processors"), text),
    }
}

fn find_node<'a>(node: &'a Node, name: &str) -> Option<&'a Node> {
    node.entries().iter().find_map(|(k, v)| if k.name == name { Some(v) } else { find_node(v, name) })
}

fn find_key(node: &Node, name: &str) -> Option<Span> {
    node.entries().iter().find_map(|(k, v)| if k.name == name { Some(k.span) } else { find_key(v, name) })
}

fn last_key(node: &Node, name: &str) -> Option<Span> {
    let found = |(k, v): &(rocpkg_model::Key, Node)| last_key(v, name).or((k.name == name).then_some(k.span));
    node.entries().iter().rev().find_map(found)
}

fn find_text(node: &Node, text: &str) -> Option<Span> {
    match &node.value {
        Value::Scalar { text: t, .. } => (t == text).then_some(node.span),
        Value::Seq(items) => items.iter().rev().find_map(|n| find_text(n, text)),
        Value::Map(entries) => entries.iter().rev().find_map(|(_, n)| find_text(n, text)),
        Value::Null => None,
    }
}
