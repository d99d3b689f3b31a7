//! The records of `products.yaml`: products, chips and PCI devices.

use crate::decode::{Spanned, record};
use indexmap::IndexMap;

record! {
    /// The file `products.yaml`.
    pub struct ProductsFile {
        /// The sources of the names, by the words that rows use for them.
        sources: IndexMap<String, NameSource>,
        /// Chips by name.
        chips: IndexMap<String, NameEntry>,
        /// Devices of PCI vendor 1002, by four hexadecimal digits.
        devices: IndexMap<String, DeviceEntry>,
        /// Products that are not among the names of a device.
        products: IndexMap<String, NameEntry>,
        /// Processors with graphics, whose model determines the chip.
        series: Vec<SeriesEntry>,
        /// Targets that the kernel reports as other targets.
        reported_as: IndexMap<String, ReportedEntry>,
        /// Versions of graphics after which no target is named.
        versions: IndexMap<String, ReportedEntry>,
    }
}

record! {
    /// A source of names.
    pub struct NameSource {
        /// The repository.
        repository: Spanned<String>,
        /// The file.
        path: Spanned<String>,
        /// The commit.
        commit: Option<Spanned<String>>,
        /// The day or year of the commit.
        date: Option<Spanned<String>>,
        /// The file's licence.
        licence: Spanned<String>,
    }
}

record! {
    /// The target that a name stands for.
    pub struct NameEntry {
        /// The target.
        target: Spanned<String>,
        /// Further targets with the same name.
        also: Vec<Spanned<String>>,
        /// The sources of this entry.
        by: Vec<String>,
        /// The reason why the target is uncertain.
        unsure: Option<String>,
    }
}

record! {
    /// A PCI device.
    pub struct DeviceEntry {
        /// The target.
        target: Spanned<String>,
        /// The chip, as `lspci` shows it.
        chip: Option<String>,
        /// The sources of this entry.
        by: Vec<String>,
        /// The names of the device, each with its revisions.
        names: IndexMap<String, Vec<Spanned<String>>>,
        /// Revisions that belong to another target according to a source, by that target.
        conflicts: IndexMap<String, Vec<Spanned<String>>>,
        /// The reason why the target is uncertain.
        unsure: Option<String>,
    }
}

record! {
    /// A series of processors whose model determines their graphics.
    pub struct SeriesEntry {
        /// The series.
        series: String,
        /// The chip, or several.
        chip: String,
        /// The target.
        target: Spanned<String>,
        /// The models; `?` is a digit.
        models: Vec<String>,
        /// The sources of this entry.
        by: Vec<String>,
        /// A note about the series.
        note: Option<Spanned<String>>,
        /// The reason why the target is uncertain.
        unsure: Option<String>,
    }
}

record! {
    /// The target that the kernel reports to the runtime.
    pub struct ReportedEntry {
        /// The target that the kernel reports.
        target: Spanned<String>,
        /// The chip.
        chip: String,
        /// The sources of this entry.
        by: Vec<String>,
    }
}
