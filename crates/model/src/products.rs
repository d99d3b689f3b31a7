//! The records of `products.yaml`: products, chips and PCI devices.

use crate::decode::{Spanned, record};
use indexmap::IndexMap;

record! {
    /// The content of the file `products.yaml`.
    pub struct ProductsFile {
        /// The sources of the names, by the words that the key `by` of entries uses for them.
        sources: IndexMap<String, NameSource>,
        /// Chips by name, such as `Navi 31`, each with its GPU target.
        chips: IndexMap<String, NameEntry>,
        /// Devices of PCI vendor 1002 (AMD), by the device ID as four hexadecimal digits: `744c`.
        devices: IndexMap<String, DeviceEntry>,
        /// Products by name that are not among the names of a device.
        products: IndexMap<String, NameEntry>,
        /// Series of processors with graphics. The model, such as `7840U`, determines the chip.
        series: Vec<SeriesEntry>,
        /// Targets whose GPUs the kernel reports as other targets, by target: `gfx909` is reported
        /// as `gfx902`.
        reported_as: IndexMap<String, ReportedEntry>,
        /// Versions that the kernel reports and that are no target's number, by version: 10.3.7 is
        /// `gfx1036`.
        versions: IndexMap<String, ReportedEntry>,
        /// The GPUs that people own, by target, each with a few of its best-known names. Lists with
        /// little room show these names and this order. Targets that are absent, such as those of
        /// unreleased GPUs, come last or are folded away.
        known_as: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// A source of the names: a file in a repository.
    pub struct NameSource {
        /// The repository that contains the file.
        repository: Spanned<String>,
        /// The path of the file in the repository.
        path: Spanned<String>,
        /// The commit at which the file was read.
        commit: Option<Spanned<String>>,
        /// The day or year of the commit.
        date: Option<Spanned<String>>,
        /// The licence of the file, as an SPDX expression.
        licence: Spanned<String>,
    }
}

record! {
    /// The GPU target that a name of a chip or product stands for.
    pub struct NameEntry {
        /// The GPU target, such as `gfx1100`.
        target: Spanned<String>,
        /// Further targets of hardware with the same name.
        also: Vec<Spanned<String>>,
        /// The words for the sources of this entry, as in the key `sources` of the file.
        by: Vec<String>,
        /// The reason why the target is uncertain. Absent if it is certain.
        unsure: Option<String>,
    }
}

record! {
    /// A PCI device of AMD with its GPU target and its names.
    pub struct DeviceEntry {
        /// The GPU target, such as `gfx1100`.
        target: Spanned<String>,
        /// The name of the chip, as `lspci` prints it.
        chip: Option<String>,
        /// The words for the sources of this entry, as in the key `sources` of the file.
        by: Vec<String>,
        /// The product names of the device, each with its PCI revisions as two hexadecimal digits.
        names: IndexMap<String, Vec<Spanned<String>>>,
        /// PCI revisions that belong to another target according to one of the sources, by that
        /// target.
        conflicts: IndexMap<String, Vec<Spanned<String>>>,
        /// The reason why the target is uncertain. Absent if it is certain.
        unsure: Option<String>,
    }
}

record! {
    /// A series of processors whose model determines their graphics.
    pub struct SeriesEntry {
        /// The name of the series, such as `Ryzen 4000 APU`.
        series: String,
        /// The name of the chip, or of several chips.
        chip: String,
        /// The GPU target, such as `gfx1100`.
        target: Spanned<String>,
        /// Patterns of the models; `?` stands for a digit: `7?30U`.
        models: Vec<String>,
        /// The words for the sources of this entry, as in the key `sources` of the file.
        by: Vec<String>,
        /// A note about the series.
        note: Option<Spanned<String>>,
        /// The reason why the target is uncertain. Absent if it is certain.
        unsure: Option<String>,
    }
}

record! {
    /// The target that the kernel reports to the runtime.
    pub struct ReportedEntry {
        /// The target that the kernel reports.
        target: Spanned<String>,
        /// The name of the chip that is reported so.
        chip: String,
        /// The words for the sources of this entry, as in the key `sources` of the file.
        by: Vec<String>,
    }
}
