//! Products, chips and PCI devices as written in `products.yaml`.

use crate::decode::{Spanned, record};
use indexmap::IndexMap;

record! {
    /// `products.yaml`.
    pub struct ProductsFile {
        /// What was read, by the words that rows name it by.
        sources: IndexMap<String, NameSource>,
        /// Chips by name.
        chips: IndexMap<String, NameEntry>,
        /// Devices of PCI vendor 1002, by four hexadecimal digits.
        devices: IndexMap<String, DeviceEntry>,
        /// Products that no device names.
        products: IndexMap<String, NameEntry>,
        /// Processors with graphics whose model says which chip they are.
        series: Vec<SeriesEntry>,
        /// Targets that the kernel reports as others.
        reported_as: IndexMap<String, ReportedEntry>,
        /// Versions that no target is named after.
        versions: IndexMap<String, ReportedEntry>,
    }
}

record! {
    /// Where names were read.
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
    /// What a name stands for.
    pub struct NameEntry {
        /// The target.
        target: Spanned<String>,
        /// Further targets that carry the same name.
        also: Vec<Spanned<String>>,
        /// Who says so.
        by: Vec<String>,
        /// What leaves it open.
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
        /// Who says so.
        by: Vec<String>,
        /// The names of its revisions.
        names: IndexMap<String, Vec<Spanned<String>>>,
        /// Revisions that a source puts at another target.
        conflicts: IndexMap<String, Vec<Spanned<String>>>,
        /// What leaves it open.
        unsure: Option<String>,
    }
}

record! {
    /// Processors whose model says which graphics they have.
    pub struct SeriesEntry {
        /// The series.
        series: String,
        /// The chip, or several.
        chip: String,
        /// The target.
        target: Spanned<String>,
        /// The models; `?` is a digit.
        models: Vec<String>,
        /// Who says so.
        by: Vec<String>,
        /// What to know about it.
        note: Option<Spanned<String>>,
        /// What leaves it open.
        unsure: Option<String>,
    }
}

record! {
    /// What the kernel tells the runtime.
    pub struct ReportedEntry {
        /// The target that it reports.
        target: Spanned<String>,
        /// The chip.
        chip: String,
        /// Who says so.
        by: Vec<String>,
    }
}
