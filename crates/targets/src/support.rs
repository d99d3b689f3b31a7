//! Who promises that a GPU works.

use crate::{Registry, Release, Target, TargetSet};

/// The processors that upstream's release notes or tables call supported, from one release on.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Official {
    /// The first release of this list.
    pub since: Release,
    /// The processors.
    pub targets: Vec<String>,
    /// Where it says so.
    pub source: String,
}

/// What upstream's superbuild calls its processors.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Declared {
    /// Those that it calls ready for release.
    pub release_ready: Vec<String>,
    /// Those that it builds, and does not say that it tests.
    pub builds: Vec<String>,
    /// Where it says so.
    pub source: String,
}

/// What upstream schedules on devices.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scheduled {
    /// The label of each machine, the processors that it stands for, and upon what it runs.
    pub machines: Vec<(String, Vec<String>, String)>,
    /// The libraries whose tests are scheduled.
    pub libraries: Vec<String>,
    /// By library, the processors on which its tests are left out.
    pub excluded: Vec<(String, Vec<String>)>,
    /// Where it says so.
    pub source: String,
}

/// Whether the tests of a library are run on a processor, the most first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum OnDevice<'r> {
    /// They are scheduled on this machine, which does not say that they pass.
    Scheduled {
        /// Its label.
        machine: &'r str,
        /// Upon what it runs.
        when: &'r str,
    },
    /// There is a machine, and they are left out there.
    Excluded,
    /// No machine has the processor.
    NoMachine,
    /// The library has no tests there.
    Unlisted,
}

impl OnDevice<'_> {
    /// In one word.
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
    /// What upstream declares a processor to be, `release-ready` or `builds`, and where.
    pub fn declared(&self, target: Target) -> Option<(&'static str, &str)> {
        let (name, d) = (self.name(target), self.input().declared.as_ref()?);
        let has = |list: &[String]| list.iter().any(|n| n == name);
        let word =
            if has(&d.release_ready) { "release-ready" } else { has(&d.builds).then_some("builds")? };
        Some((word, &d.source))
    }

    /// Whether the tests of a library are run on a processor.
    pub fn on_device(&self, library: &str, target: Target) -> OnDevice<'_> {
        let Some(s) = &self.input().scheduled else { return OnDevice::Unlisted };
        let name = self.name(target);
        let left_out =
            |(l, targets): &(String, Vec<String>)| l == library && targets.iter().any(|t| t == name);
        let machine = s.machines.iter().find(|(_, targets, _)| targets.iter().any(|t| t == name));
        match machine {
            _ if !s.libraries.iter().any(|l| l == library) => OnDevice::Unlisted,
            None => OnDevice::NoMachine,
            Some(_) if s.excluded.iter().any(left_out) => OnDevice::Excluded,
            Some((machine, _, when)) => OnDevice::Scheduled { machine, when },
        }
    }

    /// The processors that upstream declares ready for release, and has no machine for.
    pub fn ready_without_machine(&self) -> Vec<&str> {
        let (Some(d), Some(s)) = (&self.input().declared, &self.input().scheduled) else { return Vec::new() };
        let has = |name: &&String| s.machines.iter().any(|(_, targets, _)| targets.contains(name));
        d.release_ready.iter().filter(|name| !has(name)).map(String::as_str).collect()
    }

    /// The list of a release and its source: the newest that is not newer than the release. Nothing before the
    /// first list.
    pub fn official(&self, release: Release) -> Option<(TargetSet, &Official)> {
        self.official
            .iter()
            .copied()
            .zip(&self.input.official)
            .filter(|(_, list)| list.since <= release)
            .max_by_key(|(_, list)| list.since)
    }
}
