//! The GPUs of the machine, as its kernel reports them.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A GPU that the kernel reports.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelGpu {
    /// The place of the GPU: a node of KFD (`KFD node 1`), or an address on the PCI bus
    /// (`0000:03:00.0`).
    pub place: String,
    /// The name for [`Stack::gpu`](rocpkg::Stack::gpu): the version of the GPU's architecture that
    /// KFD reports (`10.3.2` for gfx1032), or without KFD the PCI id.
    pub name: String,
    /// The GPU's PCI id, which determines the product: `1002:73ff:c1`, without the last part (the
    /// revision) if the bus does not list the GPU that KFD reports.
    pub pci: String,
}

/// All GPUs that the kernel of this machine reports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Machine {
    /// AMD's GPUs: those that KFD reports, or without KFD those on the PCI bus.
    pub gpus: Vec<KernelGpu>,
    /// Set if the kernel's compute driver, KFD, is present.
    pub kfd: bool,
    /// GPUs of other vendors, as `vendor:device` ids.
    pub others: Vec<String>,
}

impl Machine {
    /// Reads the GPUs from the kernel's files. `sysfs` is the folder `/sys`, or a copy of it. Files
    /// that are missing or can't be read are skipped.
    pub fn read(sysfs: &Path) -> Self {
        let mut out = Self::default();
        let devices = children(&sysfs.join("bus/pci/devices"));
        let mut on_bus = Vec::new();
        for (place, folder) in &devices {
            let hex = |file: &str| {
                let text = fs::read_to_string(folder.join(file)).unwrap_or_default();
                text.trim().trim_start_matches("0x").to_owned()
            };
            // Displays, 3D controllers and accelerators.
            if !["03", "12"]
                .iter()
                .any(|class| hex("class").starts_with(class))
            {
                continue;
            }
            let (vendor, device) = (hex("vendor"), hex("device"));
            if vendor == "1002" {
                on_bus.push((place.clone(), format!("1002:{device}:{}", hex("revision"))));
            } else {
                out.others.push(format!("{vendor}:{device}"));
            }
        }
        let nodes = children(&sysfs.join("class/kfd/kfd/topology/nodes"));
        out.kfd = !nodes.is_empty();
        for (node, folder) in nodes {
            let text = fs::read_to_string(folder.join("properties")).unwrap_or_default();
            let all: BTreeMap<&str, u64> = text
                .lines()
                .filter_map(|l| l.split_once(' '))
                .filter_map(|(k, v)| Some((k, v.trim().parse().ok()?)))
                .collect();
            let of = |key: &str| all.get(key).copied().unwrap_or_default();
            let version = of("gfx_target_version");
            if version == 0 {
                continue;
            }
            let device = format!("1002:{:04x}", of("device_id"));
            let pci = on_bus
                .iter()
                .find(|(_, id)| id.starts_with(&device))
                .map(|(_, id)| id.clone());
            out.gpus.push(KernelGpu {
                place: format!("KFD node {node}"),
                name: format!(
                    "{}.{}.{}",
                    version / 10_000,
                    version / 100 % 100,
                    version % 100
                ),
                pci: pci.unwrap_or(device),
            });
        }
        if !out.kfd {
            let seen = |(place, pci): (String, String)| KernelGpu {
                place,
                name: pci.clone(),
                pci,
            };
            out.gpus = on_bus.into_iter().map(seen).collect();
        }
        out
    }
}

/// Returns the name and the path of each entry of a folder, sorted by name. Names that are numbers
/// are in numeric order. Empty if the folder can't be read.
fn children(folder: &Path) -> Vec<(String, std::path::PathBuf)> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut all: Vec<_> = entries
        .map(|e| (e.file_name().to_string_lossy().into_owned(), e.path()))
        .collect();
    all.sort_by_key(|(name, _)| (name.parse::<u32>().unwrap_or_default(), name.clone()));
    all
}
