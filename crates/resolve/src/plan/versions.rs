//! Versions of packages: those that a distribution ships, several of them side by side, or a
//! requested release. The files of release lines (`releases/7.2.yaml`) list the versions that
//! exist.

use crate::layer::model::Model;
use crate::layer::package::Pin;
use crate::plan::Plan;
use crate::plan::planned::Planned;
use crate::read::release::{LIVE_VERSION, Release, ReleaseError, holds, read_release};
use crate::read::texts::{tag_by, tag_scheme};
use rocpkg_model::{Distro, Finding, Findings, Owner, ReleaseLine, Span, Spanned};
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// The word in a distribution's file for the distribution's own version.
const DEFAULT: &str = "default";

/// The version of the packages in a plan.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Choice {
    /// The version of each package that the distribution ships. A package that the distribution
    /// keeps at another release has that release.
    #[default]
    Shipped,
    /// One release for every package.
    Release(Release),
    /// Upstream's development version, with the facts of the newest release that the distribution
    /// ships.
    Live,
}

impl FromStr for Choice {
    type Err = ReleaseError;
    fn from_str(text: &str) -> Result<Self, ReleaseError> {
        Ok(match text {
            "shipped" => Self::Shipped,
            LIVE_VERSION => Self::Live,
            release => Self::Release(release.parse()?),
        })
    }
}

impl Choice {
    /// Returns the release that is planned. `shipped` is the release that the distribution ships.
    /// For [`Choice::Live`], it is the newest release that the distribution ships.
    pub(crate) fn of(&self, distro: &Distro, shipped: &Release) -> Release {
        match self {
            Self::Shipped => shipped.clone(),
            Self::Release(release) => release.clone(),
            Self::Live => {
                let others = distro.versions.iter().filter_map(|v| v.value.parse().ok());
                others.fold(shipped.clone(), Release::max)
            }
        }
    }

    /// Returns the ids of a distribution's packages, each with the version that this choice
    /// selects. The version is `None` if it can't be read, or if no release line lists it.
    /// `shipped` is the release that the distribution ships.
    pub(crate) fn pins<'m>(
        &self,
        model: &Model,
        (distro_name, distro): (&str, &'m Distro),
        shipped: &Release,
        findings: &mut Findings,
    ) -> Vec<(&'m String, Option<Pin<'m>>)> {
        let asked = self.of(distro, shipped);
        let pin = |id: &'m str, written: &'m [Spanned<String>], findings: &mut Findings| {
            let pinned = pinned(written);
            let own =
                pinned.map_or_else(|| Some(shipped.clone()), |one| read_release(one, findings));
            let version = if *self == Self::Shipped {
                own.clone()?
            } else {
                asked.clone()
            };
            let row = row(rows(distro, written), self, &version);
            let place = match self {
                Self::Shipped => Some(pinned.map_or(distro.version.span, |one| one.span)),
                // A requested version may be written in no file. A pin that can't be read does not
                // state it.
                _ => row.filter(|v| v.value == version.as_str()).map(|v| v.span),
            };
            let shipped = own.unwrap_or_else(|| shipped.clone());
            is_listed(model, &version, place, findings).then(|| {
                let tagged = distro
                    .habits
                    .as_ref()
                    .is_some_and(|habits| habits.tagged_versions);
                let form = tagged.then(|| tagged_form(model, &version)).flatten();
                Pin {
                    id,
                    version: form.unwrap_or(version),
                    shipped,
                }
            })
        };
        let mut out = Vec::with_capacity(distro.packages.len());
        for (id, written) in &distro.packages {
            let mut own = Findings::default();
            out.push((id, pin(id, &written.0, &mut own)));
            findings.append_of(&Owner::package(distro_name, id), own);
        }
        out
    }
}

/// Returns the one release that a package is kept at, by its row `written` under `packages`.
/// Returns `None` if the package has the distribution's versions, several versions, or only a live
/// one.
fn pinned(written: &[Spanned<String>]) -> Option<&Spanned<String>> {
    match written {
        [one] if ![DEFAULT, LIVE_VERSION].contains(&one.value.as_str()) => Some(one),
        _ => None,
    }
}

/// Returns true if the row `written` of a package is `default`: the package has the distribution's
/// versions.
fn follows(written: &[Spanned<String>]) -> bool {
    matches!(written, [one] if one.value == DEFAULT)
}

/// Returns the versions of a package: those in its row `written`, or the distribution's if the row
/// is `default`.
fn rows<'m>(distro: &'m Distro, written: &'m [Spanned<String>]) -> &'m [Spanned<String>] {
    if follows(written) {
        &distro.versions
    } else {
        written
    }
}

/// Returns the element of `rows` that states the version of `choice`. `version` is the release that
/// `choice` selects. Returns `None` if no element states it.
fn row<'m>(
    rows: &'m [Spanned<String>],
    choice: &Choice,
    version: &Release,
) -> Option<&'m Spanned<String>> {
    rows.iter().find(|row| match row.value.parse() {
        Ok(Choice::Live) => *choice == Choice::Live,
        Ok(Choice::Release(release)) => *choice != Choice::Live && release == *version,
        _ => row.value == DEFAULT && *choice == Choice::Shipped,
    })
}

/// Returns the versions that a distribution ships side by side, each with the ids of the packages
/// that have a recipe of that version. A distribution that ships one version has all packages under
/// [`Choice::Shipped`].
///
/// # Errors
/// A text that is no version is reported to `findings` as E0207. A live version of a package that
/// `habits.live` does not name is reported as E0251.
pub fn editions(distro: &Distro, findings: &mut Findings) -> BTreeMap<Choice, BTreeSet<String>> {
    let mut out: BTreeMap<Choice, BTreeSet<String>> = BTreeMap::new();
    let shipped = distro.version.value.parse::<Release>().ok();
    for (id, written) in &distro.packages {
        let rows = rows(distro, &written.0);
        if rows.is_empty() || pinned(&written.0).is_some() {
            out.entry(Choice::Shipped).or_default().insert(id.clone());
            continue;
        }
        for row in rows {
            let choice = match row.value.as_str() {
                DEFAULT => Choice::Shipped,
                LIVE_VERSION if live(distro).contains(id) => Choice::Live,
                LIVE_VERSION => {
                    // A live version among the distribution's versions only applies to packages
                    // that have one.
                    if !follows(&written.0) {
                        findings.push(no_live(id, row.span));
                    }
                    continue;
                }
                _ => match read_release(row, findings) {
                    Some(release) if Some(&release) == shipped.as_ref() => Choice::Shipped,
                    Some(release) => Choice::Release(release),
                    None => continue,
                },
            };
            out.entry(choice).or_default().insert(id.clone());
        }
    }
    out
}

/// Returns the ids of the packages that have a live version: those that `habits.live` names.
pub fn live(distro: &Distro) -> BTreeSet<String> {
    let named = distro
        .habits
        .iter()
        .flat_map(|habits| &habits.live)
        .map(|name| name.value.clone());
    named
        .filter(|name| distro.packages.contains_key(name))
        .collect()
}

fn no_live(id: &str, span: Span) -> Finding {
    Finding::error("E0251", span, format!("`{id}` has no live version"))
        .label("expected a package that `habits.live` names")
}

/// Returns the first place at which a distribution's file states versions that need several recipes
/// side by side. Returns `None` if each package has one recipe.
pub fn several(distro: &Distro) -> Option<Span> {
    let lists = distro.packages.values().map(|written| &written.0);
    let odd = lists.flat_map(|rows| {
        rows.iter()
            .skip(1)
            .chain(rows.iter().filter(|row| row.value == LIVE_VERSION))
    });
    distro.versions.iter().chain(odd).map(|row| row.span).next()
}

/// Returns true if the file of its release line lists the release `version`. Otherwise reports the
/// release at `span`, unless that file can't be read.
fn is_listed(
    model: &Model,
    version: &Release,
    span: Option<Span>,
    findings: &mut Findings,
) -> bool {
    let line = version.line();
    if model
        .lines
        .get(&line)
        .is_some_and(|l| l.versions.contains_key(version.as_str()))
    {
        return true;
    }
    // A file that can't be read was already reported, and its versions are not known.
    if model.broken.contains(&format!("releases/{line}.yaml")) {
        return false;
    }
    findings.push(if let Some(known) = model.lines.get(&line) {
        let versions: Vec<&str> = known.versions.keys().map(String::as_str).collect();
        let finding = Finding::error("E0209", span, format!("no release {version} is known"))
            .label(if versions.is_empty() {
                format!("no release of {line} is listed")
            } else {
                format!("the releases of {line} are {}", versions.join(", "))
            });
        match versions
            .iter()
            .find(|v| v.parse::<Release>().is_ok_and(|v| v == *version))
        {
            Some(same) => finding.hint(format!("write it as upstream does: {same}")),
            None => finding.hint(format!("add it to `versions` of releases/{line}.yaml")),
        }
    } else {
        let lines: Vec<&str> = model.lines.keys().map(String::as_str).collect();
        Finding::error(
            "E0204",
            span,
            format!("no release line is known for {version}"),
        )
        .label(format!("expected a version of {}", lines.join(", ")))
        .hint("add releases/LINE.yaml")
    });
    false
}

impl Plan {
    /// Returns the package's own version, if it has one: the version that it states, or else
    /// upstream's version of its first component. Upstream's version is only used at the releases
    /// that the distribution's habit names.
    pub fn own_version<'p>(&'p self, p: &'p Planned) -> Option<&'p str> {
        if let Some(own) = p.version.own() {
            return Some(own);
        }
        let line = self
            .lines
            .get(&p.version.line())
            .filter(|_| self.numbers_components(&p.version))?;
        let version = line
            .versions
            .iter()
            .find(|(v, _)| v.parse().is_ok_and(|v: Release| v == p.version))?;
        Some(version.1.own.get(p.components.first()?)?.value.as_str())
    }

    /// Returns true if the distribution gives the package `p` upstream's version of its component,
    /// and that version is not known at the release. Upstream numbers a component by itself if the
    /// tables of these releases contain a version of it.
    pub fn lacks_own_version(&self, p: &Planned) -> bool {
        let releases = self.lines.values().flat_map(|line| &line.versions);
        let is_meant = |name: &str| name.parse().is_ok_and(|r| self.numbers_components(&r));
        let releases = releases.filter(|(name, _)| is_meant(name));
        let is_numbered = |part: &String| releases.clone().any(|(_, r)| r.own.contains_key(part));
        self.numbers_components(&p.version)
            && self.own_version(p).is_none()
            && p.components.first().is_some_and(is_numbered)
    }

    /// Returns true if the distribution gives packages upstream's versions of their components at
    /// a release.
    fn numbers_components(&self, release: &Release) -> bool {
        let habits = self.distro.habits.as_ref();
        let range = habits.and_then(|habits| habits.own_versions.as_ref());
        range.is_some_and(|range| holds(&range.value, release) == Some(true))
    }

    /// Returns the number in the tag of a package's release: 7.14 of `therock-7.14`, 6.0.0 of
    /// `rocm-6.0.0`. Returns the release itself if its line is not known.
    pub fn tagged_version(&self, p: &Planned) -> String {
        let line = self.lines.get(&p.version.line());
        line.and_then(|line| tagged(line, &p.version))
            .unwrap_or_else(|| p.version.to_string())
    }
}

/// Returns the number in the tag of a release, or `None` if the tag has no digit.
fn tagged(line: &ReleaseLine, version: &Release) -> Option<String> {
    let tag = tag_by(tag_scheme(line, version), version);
    Some(
        tag.get(tag.find(|c: char| c.is_ascii_digit())?..)?
            .to_owned(),
    )
}

/// Returns the same release in the form that its tag contains: 10.0.0 with the tag `therock-10.0`
/// -> 10.0. Returns `None` if the number in the tag is not the same release.
fn tagged_form(model: &Model, version: &Release) -> Option<Release> {
    let form: Release = tagged(model.lines.get(&version.line())?, version)?
        .parse()
        .ok()?;
    Some(form).filter(|form| form == version)
}
