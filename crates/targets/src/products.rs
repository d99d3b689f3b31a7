//! The table of products, chips, PCI devices, and CPUs with graphics, with their targets.

use crate::product_line::Words;
use crate::{Registry, Target, TargetSet};
use rocpkg_model::{
    Decode, DeviceEntry, Finding, Findings, NameEntry, Node, ProductsFile, ReportedEntry, Spanned,
};

/// A name of a product, chip or device, and its GPU target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carrier {
    /// The name, as its source writes it.
    pub name: String,
    /// The GPU target of the hardware.
    pub target: Target,
    /// The sources, by their names in `products.yaml`.
    pub by: Vec<String>,
    /// The reason why the target is uncertain; `None` if it is certain.
    pub unsure: Option<String>,
}

/// A device of PCI vendor 1002 (AMD).
#[derive(Clone, Debug)]
struct Device {
    id: u16,
    /// The chip as `lspci` prints it, or `1002:` and the device ID if it has no name.
    chip: String,
    target: Target,
    by: Vec<String>,
    unsure: Option<String>,
    /// The product names of the device, each with its PCI revisions.
    names: Vec<(String, Vec<u8>)>,
    /// Other targets that a source states for some revisions of the device, each with these
    /// revisions.
    conflicts: Vec<(Target, Vec<u8>)>,
}

/// The target that the kernel reports to the runtime instead of a GPU's own target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reported {
    /// The target that the kernel reports.
    pub target: Target,
    /// The name of the chip that is reported so.
    pub chip: String,
    /// The sources, by their names in `products.yaml`.
    pub by: Vec<String>,
}

/// The table in which names of hardware are looked up.
#[derive(Clone, Debug, Default)]
pub struct Products {
    chips: Vec<Carrier>,
    devices: Vec<Device>,
    /// CPUs with graphics: each series with patterns of its models. `?` is a digit.
    series: Vec<(Carrier, Vec<String>)>,
    /// Targets that the kernel reports as other targets.
    reported: Vec<(Target, Reported)>,
    /// Versions that the kernel reports and that are the number of no target, each with its target.
    versions: Vec<(String, Reported)>,
    /// The GPUs that people own, each with its best-known names.
    known_as: Vec<(Target, Vec<String>)>,
    /// Each name of hardware, split into words, once for each of its targets.
    pub(crate) names: Vec<(Words, Carrier)>,
}

impl Products {
    /// Reads `products.yaml`, and splits its names into words.
    ///
    /// # Errors
    /// Adds all faults to `findings`: `E0211` for a name of no target, `E0215` for a text that
    /// should be a number.
    pub fn read(node: &Node, registry: &Registry, findings: &mut Findings) -> Option<Self> {
        let before = findings.count();
        let file = ProductsFile::decode(node, findings)?;
        let mut reader = ProductReader { registry, findings };
        let mut out = Self::default();
        for (name, entry) in &file.chips {
            out.chips.extend(reader.carriers(name, entry));
        }
        for row in out.chips.clone() {
            out.add(row);
        }
        for (name, entry) in &file.products {
            reader
                .carriers(name, entry)
                .into_iter()
                .for_each(|row| out.add(row));
        }
        for (id, entry) in &file.devices {
            let Some(device) = reader.device(id, entry, node) else {
                continue;
            };
            for (name, revisions) in &device.names {
                device
                    .carriers(name, revisions)
                    .into_iter()
                    .for_each(|row| out.add(row));
            }
            out.devices.push(device);
        }
        for s in &file.series {
            let Some(target) = reader.target(&s.target) else {
                continue;
            };
            let name = format!("{}: {}", s.series, s.chip);
            let row = Carrier {
                name,
                target,
                by: s.by.clone(),
                unsure: s.unsure.clone(),
            };
            out.series.push((row, s.models.clone()));
        }
        for (name, entry) in &file.reported_as {
            let named = Spanned {
                value: name.clone(),
                span: entry.target.span,
            };
            out.reported
                .extend(reader.target(&named).zip(reader.reported(entry)));
        }
        for (version, entry) in &file.versions {
            out.versions
                .extend(reader.reported(entry).map(|r| (version.clone(), r)));
        }
        for (name, all) in &file.known_as {
            let Some(span) = all.first().map(|first| first.span) else {
                continue;
            };
            let value = name.clone();
            let names = all.iter().map(|name| name.value.clone()).collect();
            let target = reader.target(&Spanned { value, span });
            out.known_as.extend(target.map(|target| (target, names)));
        }
        (!findings.has_errors_since(before)).then_some(out)
    }

    fn add(&mut self, row: Carrier) {
        match self
            .names
            .iter_mut()
            .find(|(_, r)| r.target == row.target && r.name == row.name)
        {
            // One entry without an uncertain target is enough.
            Some((_, known)) if known.unsure.is_some() => *known = row,
            Some(_) => {}
            None => self.names.push((Words::of(&row.name), row)),
        }
    }

    /// Returns the target that the kernel reports instead of `target`, or `None` if it reports
    /// `target` itself.
    pub fn reported(&self, target: Target) -> Option<&Reported> {
        self.reported
            .iter()
            .find(|(t, _)| *t == target)
            .map(|(_, r)| r)
    }

    /// Returns the names of hardware with the GPU target `target`, each once: chips, then products,
    /// then devices.
    pub fn names_of(&self, target: Target) -> impl Iterator<Item = &str> {
        self.names
            .iter()
            .filter(move |(_, c)| c.target == target)
            .map(|(_, c)| c.name.as_str())
    }

    /// Returns the GPUs that people own, each with its best-known names, in the order of lists for
    /// users.
    pub fn known_as(&self) -> impl Iterator<Item = (Target, &[String])> {
        self.known_as
            .iter()
            .map(|(target, names)| (*target, names.as_slice()))
    }

    /// Returns the targets that a device of PCI vendor 1002 may have, each with the name of the
    /// hardware. The result is empty if no list contains the device ID.
    pub fn device(&self, id: u16, revision: Option<u8>) -> Vec<Carrier> {
        let Some(device) = self.devices.iter().find(|d| d.id == id) else {
            return Vec::new();
        };
        let wanted: Vec<u8> = revision.into_iter().collect();
        let named = revision.and_then(|r| device.names.iter().find(|(_, all)| all.contains(&r)));
        let name = named.map_or(device.chip.clone(), |(name, _)| {
            format!("{name}, {}", device.chip)
        });
        device.carriers(&name, &wanted)
    }

    /// Returns the target of a version that the kernel reports and that is the number of no target:
    /// `10.3.7` is `gfx1036`. Returns `None` for any other version.
    pub(crate) fn version(&self, version: &str) -> Option<&Reported> {
        self.versions
            .iter()
            .find(|(v, _)| v == version)
            .map(|(_, r)| r)
    }

    /// Returns the targets of a chip by the name that `lspci` prints: `Navi 22 [Radeon RX 6700]`.
    /// The chip is looked up by its whole name. If no chip has this name, since another edition of
    /// `pci.ids` lists other products, the chip is looked up by the part before `[`. A name such as
    /// `Device 744c` is looked up by the device ID.
    pub(crate) fn chip(&self, name: &str) -> Vec<Carrier> {
        if let Some(id) = name
            .strip_prefix("Device ")
            .and_then(|id| u16::from_str_radix(id, 16).ok())
        {
            return self.device(id, None);
        }
        let head = |name: &str| name.split(" [").next().unwrap_or(name).to_ascii_lowercase();
        let all = || self.devices.iter();
        let whole: Vec<&Device> = all()
            .filter(|d| d.chip.eq_ignore_ascii_case(name))
            .collect();
        let same = if whole.is_empty() {
            all().filter(|d| head(&d.chip) == head(name)).collect()
        } else {
            whole
        };
        let mut out: Vec<Carrier> = Vec::new();
        for row in same.iter().flat_map(|d| d.carriers(&d.chip, &[])) {
            if !out.iter().any(|known| known.target == row.target) {
                out.push(row);
            }
        }
        out
    }

    /// Returns the targets of the chips that a driver's text names: `RADV NAVI22`,
    /// `radeonsi, gfx1103_r1, LLVM 19.1`.
    pub(crate) fn driven(&self, registry: &Registry, text: &str) -> TargetSet {
        let words = text
            .split(|c: char| !c.is_ascii_alphanumeric())
            .filter(|word| word.len() > 3);
        let of = |word: &str| {
            let chip = self
                .chips
                .iter()
                .find(|c| c.name.replace(' ', "").eq_ignore_ascii_case(word));
            chip.map(|c| c.target)
                .or_else(|| registry.get(&word.to_ascii_lowercase()))
        };
        words.filter_map(of).collect()
    }

    /// Returns the series of CPUs that a model such as `7840U` may belong to.
    pub(crate) fn model(&self, model: &str) -> impl Iterator<Item = &Carrier> {
        let all = self
            .series
            .iter()
            .filter(move |(_, models)| models.iter().any(|m| fits(m, model)));
        all.map(|(carrier, _)| carrier)
    }
}

/// Returns true if `model` matches `pattern`, in which `?` stands for a digit. Upper and lower case
/// are equal.
fn fits(pattern: &str, model: &str) -> bool {
    let same = |(p, m): (char, char)| {
        if p == '?' {
            m.is_ascii_digit()
        } else {
            p.eq_ignore_ascii_case(&m)
        }
    };
    pattern.len() == model.len() && pattern.chars().zip(model.chars()).all(same)
}

/// Reads the rows of `products.yaml`, and collects the findings about them.
struct ProductReader<'a> {
    registry: &'a Registry,
    findings: &'a mut Findings,
}

impl ProductReader<'_> {
    fn target(&mut self, name: &Spanned<String>) -> Option<Target> {
        let found = self.registry.get(&name.value);
        if found.is_none() {
            let what = format!(
                "`{}` is not a processor or target of the registry",
                name.value
            );
            let finding =
                Finding::error("E0211", name.span, what).label("expected a target of targets.yaml");
            self.findings
                .push(finding.nearest(&name.value, self.registry.names()));
        }
        found
    }

    fn carriers(&mut self, name: &str, entry: &NameEntry) -> Vec<Carrier> {
        let targets: Vec<Target> = std::iter::once(&entry.target)
            .chain(&entry.also)
            .filter_map(|t| self.target(t))
            .collect();
        let unsure = &entry.unsure;
        let row = |target| Carrier {
            name: name.to_owned(),
            target,
            by: entry.by.clone(),
            unsure: unsure.clone(),
        };
        targets.into_iter().map(row).collect()
    }

    fn device(&mut self, id: &str, entry: &DeviceEntry, node: &Node) -> Option<Device> {
        let target = self.target(&entry.target)?;
        let Ok(number) = u16::from_str_radix(id, 16) else {
            let what = format!("`{id}` is not a device ID");
            let finding = Finding::error("E0215", entry.target.span, what);
            self.findings
                .push(finding.label("expected four hexadecimal digits"));
            return None;
        };
        let names = entry
            .names
            .iter()
            .map(|(name, all)| (name.clone(), self.revisions(all)))
            .collect();
        let mut conflicts = Vec::new();
        for (name, all) in &entry.conflicts {
            let span = all.first().map_or(node.span, |r| r.span);
            let target = self.target(&Spanned {
                value: name.clone(),
                span,
            });
            conflicts.extend(target.map(|t| (t, self.revisions(all))));
        }
        Some(Device {
            id: number,
            chip: entry.chip.clone().unwrap_or_else(|| format!("1002:{id}")),
            target,
            by: entry.by.clone(),
            unsure: entry.unsure.clone(),
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
                    Finding::error(
                        "E0215",
                        text.span,
                        format!("`{}` is not a revision", text.value),
                    )
                    .label("expected two hexadecimal digits"),
                ),
            }
        }
        out
    }

    fn reported(&mut self, entry: &ReportedEntry) -> Option<Reported> {
        let target = self.target(&entry.target)?;
        Some(Reported {
            target,
            chip: entry.chip.clone(),
            by: entry.by.clone(),
        })
    }
}

impl Device {
    /// Returns the targets that the device may have with one of the `revisions`, each with `name`
    /// as the name of the hardware. There are several targets if a source disagrees about a
    /// revision.
    fn carriers(&self, name: &str, revisions: &[u8]) -> Vec<Carrier> {
        let disputed = |all: &[u8]| all.iter().any(|r| revisions.contains(r));
        let others: Vec<Target> = self
            .conflicts
            .iter()
            .filter(|(_, all)| disputed(all))
            .map(|(t, _)| *t)
            .collect();
        let mut unsure = self.unsure.clone();
        if unsure.is_none() && !others.is_empty() {
            unsure = Some("AMD's own tables disagree on this revision".to_owned());
        }
        let row = |target| Carrier {
            name: name.to_owned(),
            target,
            by: self.by.clone(),
            unsure: unsure.clone(),
        };
        std::iter::once(self.target)
            .chain(others)
            .map(row)
            .collect()
    }
}

/// Returns the version in the name of a processor: `gfx90a` -> 9, 0, 10. Returns `None` for any
/// other name.
pub(crate) fn version_of(name: &str) -> Option<[u32; 3]> {
    let digits = name
        .strip_prefix("gfx")
        .filter(|d| d.is_ascii() && (3..=4).contains(&d.len()))?;
    let (major, rest) = digits.split_at(digits.len() - 2);
    let hex = |text: &str| u32::from_str_radix(text, 16).ok();
    Some([major.parse().ok()?, hex(&rest[..1])?, hex(&rest[1..])?])
}

/// Reads a version such as `11.0.0`, or the number by which the kernel reports the same version,
/// `110000`. Returns `None` for any other text.
pub(crate) fn read_version(text: &str) -> Option<[u32; 3]> {
    let parts: Vec<&str> = text.split('.').collect();
    match parts.as_slice() {
        [a, b, c] => Some([a.parse().ok()?, b.parse().ok()?, c.parse().ok()?]),
        [number] if (5..=6).contains(&number.len()) => {
            let n: u32 = number.parse().ok()?;
            Some([n / 10_000, n / 100 % 100, n % 100])
        }
        _ => None,
    }
}

impl Registry {
    /// Returns the target of a version that the kernel reports: 11, 0, 0 -> `gfx1100`. Returns
    /// `None` if no target has this version.
    pub fn of_version(&self, version: [u32; 3]) -> Option<Target> {
        let [major, minor, step] = version;
        self.get(&format!("gfx{major}{minor:x}{step:x}"))
            .filter(|_| minor < 16 && step < 16)
    }

    /// Returns true if a version is newer than every known processor with the same first two
    /// numbers. If no processor has them, returns true for a first number above 10.
    pub(crate) fn is_newer(&self, version: [u32; 3]) -> bool {
        let known = self
            .names()
            .filter_map(version_of)
            .filter(|v| v[..2] == version[..2])
            .max();
        version[0] > 8 && known.map_or(version[0] > 10, |known| version > known)
    }
}
