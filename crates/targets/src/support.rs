//! Upstream's statements about the support of GPUs.

use crate::{Registry, Target, TargetSet};
use rocpkg_model::{OfficialEntry, Spanned};

/// The status of a library's tests on a GPU processor in upstream's CI, the best status first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnDevice<'r> {
    /// The tests are scheduled on this machine. This does not mean that they pass.
    Scheduled {
        /// The label of the machine.
        machine: &'r str,
        /// The event upon which the machine runs tests.
        when: &'r str,
    },
    /// Upstream has a machine with the processor, and leaves out the tests of the library on it.
    Excluded,
    /// Upstream has no machine with the processor.
    NoMachine,
    /// Upstream schedules no tests of the library on any machine.
    Unlisted,
}

impl OnDevice<'_> {
    /// Returns the status as one word.
    pub fn word(self) -> &'static str {
        match self {
            Self::Scheduled { .. } => "scheduled",
            Self::Excluded => "excluded",
            Self::NoMachine => "no-machine",
            Self::Unlisted => "unlisted",
        }
    }
}

impl Registry {
    /// Returns upstream's declaration of a processor, `release-ready` or `builds`, and its source.
    /// Returns `None` if upstream declares nothing about the processor.
    pub fn declared(&self, target: Target) -> Option<(&'static str, &str)> {
        let (name, d) = (self.name(target), self.file.declared.as_ref()?);
        let word = if has(&d.release_ready, name) {
            "release-ready"
        } else {
            has(&d.builds, name).then_some("builds")?
        };
        Some((word, &d.source))
    }

    /// Returns the status of a library's tests on a GPU processor. `library` is the library's name
    /// in the key `scheduled` of `targets.yaml`.
    pub fn on_device(&self, library: &str, target: Target) -> OnDevice<'_> {
        let Some(s) = &self.file.scheduled else {
            return OnDevice::Unlisted;
        };
        let name = self.name(target);
        match s
            .machines
            .iter()
            .find(|(_, machine)| has(&machine.targets, name))
        {
            _ if !s.libraries.iter().any(|l| l == library) => OnDevice::Unlisted,
            None => OnDevice::NoMachine,
            Some(_) if s.excluded.get(library).is_some_and(|list| has(list, name)) => {
                OnDevice::Excluded
            }
            Some((label, machine)) => OnDevice::Scheduled {
                machine: label,
                when: &machine.when,
            },
        }
    }

    /// Returns the processors that upstream declares ready for release and has no machine for.
    pub fn ready_without_machine(&self) -> Vec<&str> {
        let (Some(d), Some(s)) = (&self.file.declared, &self.file.scheduled) else {
            return Vec::new();
        };
        let has_one = |name: &&str| {
            s.machines
                .values()
                .any(|machine| has(&machine.targets, name))
        };
        d.release_ready
            .iter()
            .map(|name| name.value.as_str())
            .filter(|name| !has_one(name))
            .collect()
    }

    /// Returns the lists of processors that upstream calls supported: the first release that the
    /// list is for, the processors, and the row of `targets.yaml`.
    pub fn official(&self) -> impl Iterator<Item = (&str, &TargetSet, &OfficialEntry)> {
        let lists = self
            .file
            .support_classes
            .iter()
            .flat_map(|classes| &classes.official);
        lists
            .zip(&self.official)
            .map(|((since, list), set)| (since.as_str(), set, list))
    }
}

fn has(list: &[Spanned<String>], name: &str) -> bool {
    list.iter().any(|other| other.value == name)
}
