//! The versions of a distribution that one run makes.

use crate::backend::Backend;
use crate::error::Error;
use crate::options::Options;
use rocpkg_model::{Distro, Finding, Findings, Owner};
use rocpkg_resolve::{Choice, editions, live, several};
use std::collections::{BTreeMap, BTreeSet};

/// The versions that one run makes of a distribution, each with the ids of the packages that are of it; all where none are named.
pub(crate) struct Editions(pub(crate) BTreeMap<Choice, Option<BTreeSet<String>>>);

impl Editions {
    /// What is asked of a distribution: what it ships, which may be several versions, and each release that is named.
    pub(crate) fn of(
        backend: Backend,
        distro: Option<&Distro>,
        options: &Options,
        findings: &mut Findings,
    ) -> Self {
        let mut out = BTreeMap::new();
        let mut said = Findings::default();
        let shipped = options.choices.is_empty() || options.choices.contains(&Choice::Shipped);
        if let Some(distro) = distro.filter(|_| shipped) {
            let span = several(distro).filter(|_| !backend.keeps_several());
            if let Some(span) = span {
                let message = format!("{} keeps one version of a package", backend.distro());
                said.push(
                    Finding::error("E0250", span, message)
                        .label("expected `version`, and one version for a package that is pinned"),
                );
            } else {
                out.extend(editions(distro, &mut said).into_iter().map(|(choice, ids)| (choice, Some(ids))));
            }
        }
        findings.append_of(&Owner::Distribution(backend.distro().to_owned()), said);
        // One version is of all packages, also of those that can't be read.
        if out.len() < 2 && out.keys().all(|choice| *choice == Choice::Shipped) {
            out = shipped.then_some((Choice::Shipped, None)).into_iter().collect();
        }
        let own = distro.and_then(|d| d.version.value.parse().ok()).map(Choice::Release);
        for choice in &options.choices {
            let is_there = *choice == Choice::Shipped || shipped && Some(choice) == own.as_ref();
            let ids = distro.filter(|_| *choice == Choice::Live).map(live);
            out.extend((!is_there).then(|| (choice.clone(), ids)));
        }
        Self(out)
    }

    /// Refuses several versions, or the live one, where one of these distributions keeps no such thing.
    ///
    /// # Errors
    /// As said.
    pub(crate) fn check(backends: &[Backend], choices: &[Choice]) -> Result<(), Error> {
        let one = backends.iter().find(|b| !b.keeps_several());
        let Some(distro) = one.filter(|_| choices.len() > 1 || choices.contains(&Choice::Live)) else {
            return Ok(());
        };
        let (gentoo, distro) = (Backend::Gentoo.distro(), distro.distro());
        Err(Error::asked(format!(
            "{distro} keeps one release of a package: several side by side, and the live version 9999, are asked of {gentoo} alone"
        )))
    }
}
