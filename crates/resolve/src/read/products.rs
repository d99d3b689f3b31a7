//! Names of hardware, from their tree to what they are looked up in.

use rocpkg_model::{
    Decode, DeviceEntry, Finding, Findings, NameEntry, Node, ProductsFile, ReportedEntry, Spanned,
};
use rocpkg_targets::{Carrier, Device, Products, ProductsInput, Registry, Reported, Series, Target};

/// Reads `products.yaml`.
///
/// # Errors
/// All faults go to `findings`: `E0211` a name of no target, `E0215` a number that is none.
pub fn read_products(node: &Node, registry: &Registry, findings: &mut Findings) -> Option<Products> {
    let before = findings.count();
    let file = ProductsFile::decode(node, findings)?;
    let mut reader = Reader { registry, findings };
    let mut input = ProductsInput::default();
    for (name, entry) in &file.chips {
        input.chips.extend(reader.carriers(name, entry));
    }
    for (name, entry) in &file.products {
        input.products.extend(reader.carriers(name, entry));
    }
    for (id, entry) in &file.devices {
        input.devices.extend(reader.device(id, entry, node));
    }
    for s in &file.series {
        let Some(target) = reader.target(&s.target) else { continue };
        let name = format!("{}: {}", s.series.value, s.chip.value);
        let unsure = s.unsure.as_ref().map(|u| u.value.clone());
        let carrier = Carrier { name, target, by: texts(&s.by), unsure };
        input.series.push(Series { carrier, models: texts(&s.models) });
    }
    for (name, entry) in &file.reported_as {
        let named = Spanned { value: name.clone(), span: entry.target.span };
        input.reported.extend(reader.target(&named).zip(reader.reported(entry)));
    }
    for (version, entry) in &file.versions {
        input.versions.extend(reader.reported(entry).map(|r| (version.clone(), r)));
    }
    (!findings.has_errors_since(before)).then(|| Products::new(input))
}

struct Reader<'a> {
    registry: &'a Registry,
    findings: &'a mut Findings,
}

impl Reader<'_> {
    fn target(&mut self, name: &Spanned<String>) -> Option<Target> {
        let found = self.registry.get(&name.value);
        if found.is_none() {
            let what = format!("`{}` is no processor or target of the registry", name.value);
            let finding = Finding::error("E0211", name.span, what).label("expected a target of targets.yaml");
            self.findings.push(finding.nearest(&name.value, self.registry.names()));
        }
        found
    }

    fn carriers(&mut self, name: &str, entry: &NameEntry) -> Vec<Carrier> {
        let targets: Vec<Target> =
            std::iter::once(&entry.target).chain(&entry.also).filter_map(|t| self.target(t)).collect();
        let row = |target| Carrier { name: name.to_owned(), target, by: texts(&entry.by), unsure: None };
        targets.into_iter().map(row).collect()
    }

    fn device(&mut self, id: &str, entry: &DeviceEntry, node: &Node) -> Option<Device> {
        let target = self.target(&entry.target)?;
        let Ok(number) = u16::from_str_radix(id, 16) else {
            let what = format!("`{id}` is no number of a device");
            let finding = Finding::error("E0215", entry.target.span, what);
            self.findings.push(finding.label("expected four hexadecimal digits"));
            return None;
        };
        let names = entry.names.iter().map(|(name, all)| (name.clone(), self.revisions(all))).collect();
        let mut conflicts = Vec::new();
        for (name, all) in &entry.conflicts {
            let span = all.first().map_or(node.span, |r| r.span);
            let target = self.target(&Spanned { value: name.clone(), span });
            conflicts.extend(target.map(|t| (t, self.revisions(all))));
        }
        Some(Device {
            id: number,
            chip: entry.chip.as_ref().map_or_else(|| format!("1002:{id}"), |c| c.value.clone()),
            target,
            by: texts(&entry.by),
            unsure: entry.unsure.as_ref().map(|u| u.value.clone()),
            names,
            conflicts,
        })
    }

    fn revisions(&mut self, all: &[Spanned<String>]) -> Vec<u8> {
        let mut out = Vec::new();
        for text in all {
            match u8::from_str_radix(&text.value, 16) {
                Ok(number) => out.push(number),
                Err(_) => self.findings.push(
                    Finding::error("E0215", text.span, format!("`{}` is no revision", text.value))
                        .label("expected two hexadecimal digits"),
                ),
            }
        }
        out
    }

    fn reported(&mut self, entry: &ReportedEntry) -> Option<Reported> {
        let target = self.target(&entry.target)?;
        Some(Reported { target, chip: entry.chip.value.clone(), by: texts(&entry.by) })
    }
}

fn texts(list: &[Spanned<String>]) -> Vec<String> {
    list.iter().map(|s| s.value.clone()).collect()
}
