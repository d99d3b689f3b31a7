//! The newest releases in upstream's repositories, by their tags.

use crate::backend::Backend;
use crate::error::Error;
use crate::names::is_named;
use crate::seen_tag::SeenTag;
use crate::stack::Stack;
use rocpkg_model::{Fetch, Piece, Text};
use rocpkg_resolve::{
    Choice, LINE, Model, Plan, Planned, Release, ResolvedSource, tag_scheme, tag_schemes,
};
use rocpkg_upstream::{Policy, Upstream};
use std::collections::{BTreeMap, BTreeSet};

/// A repository of upstream's, with the rule by which its tags are read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TaggedSource {
    /// The owner, such as `ROCm`.
    pub owner: String,
    /// The name, such as `rocm-libraries`.
    pub repository: String,
    /// The address, such as `https://github.com/ROCm/rocm-libraries`.
    pub address: String,
    /// The ids of the packages that have a source in the repository.
    pub packages: BTreeSet<String>,
    /// The scheme of its tags at the newest release of the model, such as `therock-${line}`.
    #[doc(hidden)]
    pub scheme: Text,
    /// Set if the profiles state the scheme for this source, so that it differs from that of the
    /// release line.
    own_scheme: bool,
    /// Set if upstream tagged the repository in one of the newest release lines, as the profiles
    /// state.
    is_listed: bool,
}

impl TaggedSource {
    fn seen(&self, tag: &str) -> SeenTag {
        SeenTag {
            tag: tag.to_owned(),
            repository: format!("{}/{}", self.owner, self.repository),
        }
    }
}

/// A package whose new versions are found by the tags of a repository.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TrackedPackage {
    /// The distribution's name of the package.
    pub name: String,
    /// The address of the repository, such as `https://github.com/ROCm/rocm-libraries`.
    pub address: String,
    /// The text before the version in a tag, such as `therock-`.
    pub prefix: String,
    /// The text after the version in a tag; mostly empty.
    pub suffix: String,
    /// Set if recipes write three numbers where a tag has two: `therock-10.2` is 10.2.0.
    pub adds_zero: bool,
}

/// The releases of a repository.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TaggedRepository {
    /// The repository.
    pub source: TaggedSource,
    /// The tag of each release in the repository.
    pub releases: BTreeMap<Release, String>,
    /// The newest tag in the form of older release lines, if its release is newer than all
    /// `releases` and than those of the model: `rocm-10.3.0` where the newest line has
    /// `therock-10.2`. Upstream may have changed the form of its tags.
    pub other_form: Option<String>,
}

impl TaggedRepository {
    /// Returns the newest release in the repository. `None` if no tag is that of a release.
    pub fn newest(&self) -> Option<&Release> {
        self.releases.keys().next_back()
    }
}

/// The result of [`Stack::latest`].
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Latest {
    /// The repositories with their releases, sorted by owner and name.
    pub repositories: Vec<TaggedRepository>,
    /// The repositories that could not be read, each with the reason.
    pub failed: Vec<(TaggedSource, String)>,
    /// The ids of packages without a repository whose tags say when a release is there: they are
    /// pinned to a commit, fetched as a file, or have no source.
    pub pinned: BTreeSet<String>,
}

impl Latest {
    /// Returns the repositories whose tags follow the scheme of the release lines. The numbers of
    /// others, such as those of `pytorch`, say nothing about the releases of the stack.
    fn of_lines(&self) -> impl Iterator<Item = &TaggedRepository> {
        self.repositories.iter().filter(|r| !r.source.own_scheme)
    }

    /// Returns the newest release in any of the repositories that follow the release lines.
    pub fn newest(&self) -> Option<&Release> {
        self.of_lines().filter_map(TaggedRepository::newest).max()
    }

    /// Returns the tag of `release` in the first repository that has it.
    pub fn tag(&self, release: &Release) -> Option<SeenTag> {
        self.of_lines().find_map(|r| {
            let tag = r.releases.get(release)?;
            Some(r.source.seen(tag))
        })
    }

    /// Returns the newest release for which no repository is waited for. `None` if there is none.
    pub fn newest_whole(&self) -> Option<&Release> {
        let all: BTreeSet<&Release> = self.of_lines().flat_map(|r| r.releases.keys()).collect();
        let mut newest_first = all.into_iter().rev();
        newest_first.find(|release| self.waiting(release).next().is_none())
    }

    /// Returns the repositories that are expected to get `release` and don't have it yet: they have
    /// another release of its line, or one of the line before, or the profiles list them among the
    /// repositories of the newest release lines. A repository whose first release is newer is not
    /// expected to get it.
    pub fn waiting(&self, release: &Release) -> impl Iterator<Item = &TaggedRepository> {
        let lines = self.lines_up_to(release);
        self.of_lines().filter(move |r| {
            if r.releases
                .keys()
                .next()
                .is_some_and(|first| first > release)
            {
                return false;
            }
            let mut all = r.releases.keys();
            let is_followed = all.any(|other| lines.contains(&other.line()));
            (is_followed || r.source.is_listed) && !r.releases.contains_key(release)
        })
    }

    /// Returns the repositories that have no release of the line of `release` or of the line
    /// before, and that are not waited for. Upstream has stopped tagging them, or tags them
    /// otherwise.
    pub fn ended(&self, release: &Release) -> impl Iterator<Item = &TaggedRepository> {
        let lines = self.lines_up_to(release);
        self.of_lines().filter(move |r| {
            let mut all = r.releases.keys();
            !r.source.is_listed && !all.any(|other| lines.contains(&other.line()))
        })
    }

    /// Returns the line of `release`, and the line before it in any of the repositories.
    fn lines_up_to(&self, release: &Release) -> BTreeSet<String> {
        let own = release.line();
        let all = self.of_lines().flat_map(|r| r.releases.keys());
        let older = all.filter(|other| *other < release && other.line() != own);
        let before = older.max().map(Release::line);
        before.into_iter().chain([own]).collect()
    }
}

impl Stack {
    /// Returns the repositories from which the packages are fetched at the newest release of the
    /// model, and the packages that have none with tags. `names` are the packages, by any of their
    /// names; if empty, all packages of the distributions.
    ///
    /// # Errors
    /// When the profiles have errors, list no release, or no package has a requested name.
    #[doc(hidden)]
    pub fn tagged_sources(
        &self,
        backends: &[Backend],
        names: &[String],
    ) -> Result<(Vec<TaggedSource>, BTreeSet<String>), Error> {
        let backends = self.backends(backends)?;
        let newest = self
            .model()
            .newest()
            .map_or(Choice::Shipped, Choice::Release);
        let (plans, _) = self.plans(&backends, &newest, names)?;
        let is_there = |name: &&String| {
            let mut all = plans.iter().flat_map(|plan| &plan.packages);
            all.any(|p| is_named(p, name))
        };
        if let Some(name) = names.iter().find(|name| !is_there(name)) {
            return Err(self.no_package(&plans, name));
        }
        let listed = listed(self.model());
        let mut all: BTreeMap<(String, String), TaggedSource> = BTreeMap::new();
        let mut pinned = BTreeSet::new();
        for (plan, p) in plans
            .iter()
            .flat_map(|plan| plan.packages.iter().map(move |p| (plan, p)))
        {
            if !names.is_empty() && !names.iter().any(|name| is_named(p, name)) {
                continue;
            }
            let sources = p.sources.iter().filter(|s| is_tagged(plan, p, s));
            let mut is_tagged = false;
            for source in sources {
                is_tagged = true;
                let key = (source.owner.clone(), source.repository.clone());
                let entry = all.entry(key).or_insert_with(|| TaggedSource {
                    owner: source.owner.clone(),
                    repository: source.repository.clone(),
                    address: format!("https://github.com/{}/{}", source.owner, source.repository),
                    packages: BTreeSet::new(),
                    scheme: source.tag_scheme.clone(),
                    own_scheme: source.own_tag,
                    is_listed: listed.contains(source.repository.as_str()),
                });
                entry.packages.insert(p.id.clone());
            }
            pinned.extend((!is_tagged).then(|| p.id.clone()));
        }
        pinned.retain(|id| !all.values().any(|source| source.packages.contains(id)));
        Ok((all.into_values().collect(), pinned))
    }

    /// Returns the packages of a distribution whose main source has tags, with the repository and
    /// the form of the tags at the newest release of the model. `names` are the packages, by any of
    /// their names; if empty, all packages.
    ///
    /// # Errors
    /// As for [`Stack::tagged_sources`].
    #[doc(hidden)]
    pub fn tracked(
        &self,
        backend: Backend,
        names: &[String],
    ) -> Result<Vec<TrackedPackage>, Error> {
        let (sources, _) = self.tagged_sources(&[backend], names)?;
        let newest = self
            .model()
            .newest()
            .map_or(Choice::Shipped, Choice::Release);
        let plan = self.plan(backend, &newest)?;
        let writes_tags = plan
            .distro
            .habits
            .as_ref()
            .is_some_and(|h| h.tagged_versions);
        let mut out = Vec::new();
        for p in &plan.packages {
            let Some(main) = p.sources.first() else {
                continue;
            };
            let is_main = |s: &&TaggedSource| {
                s.owner == main.owner
                    && s.repository == main.repository
                    && s.packages.contains(&p.id)
            };
            let Some(source) = sources
                .iter()
                .find(is_main)
                .filter(|_| is_tagged(&plan, p, main))
            else {
                continue;
            };
            let Some((prefix, suffix)) = around(&main.tag_scheme) else {
                continue;
            };
            let of_line = |piece: &Piece| *piece == Piece::Reference(LINE.to_owned());
            out.push(TrackedPackage {
                name: p.name.clone(),
                address: source.address.clone(),
                prefix,
                suffix,
                adds_zero: !writes_tags && main.tag_scheme.pieces.iter().any(of_line),
            });
        }
        Ok(out)
    }

    /// Reads the tags of the repositories from which the packages are fetched, and returns the
    /// releases that they have. A tag counts if it has the form that the model states for its
    /// release line. A release of a line that the model does not have counts only if it is newer
    /// than all releases of the model, since older ones are previews: `therock-7.9` is none.
    ///
    /// # Errors
    /// The errors of [`Stack::tagged_sources`], and when the cache can't be used. A repository that
    /// can't be read is no error; [`Latest::failed`] lists it.
    pub fn latest(
        &self,
        backends: &[Backend],
        names: &[String],
        policy: &Policy,
    ) -> Result<Latest, Error> {
        let (sources, pinned) = self.tagged_sources(backends, names)?;
        let mut out = Latest {
            pinned,
            ..Latest::default()
        };
        let upstream = open(&sources, policy)?;
        for source in sources {
            match upstream.tags(&source.address) {
                Ok(tags) => {
                    let releases = releases(self.model(), &source, &tags);
                    let other_form = other_form(self.model(), &source, &tags, &releases);
                    out.repositories.push(TaggedRepository {
                        source,
                        releases,
                        other_form,
                    });
                }
                Err(why) => out.failed.push((source, why.to_string())),
            }
        }
        Ok(out)
    }
}

impl Stack {
    /// Reads the tags of the repositories from which the packages are fetched until one of them has
    /// a tag of `release`, in the form of any release line, and returns this tag. Returns `None`
    /// without reading if the model states the day of the release: its tag is known as well.
    ///
    /// # Errors
    /// As for [`Stack::latest`].
    pub fn tag_of(
        &self,
        release: &Release,
        backends: &[Backend],
        names: &[String],
        policy: &Policy,
    ) -> Result<Option<SeenTag>, Error> {
        let line = self.model().lines.get(&release.line());
        let mut versions = line.into_iter().flat_map(|line| &line.versions);
        let is_it = |name: &str| name.parse::<Release>().is_ok_and(|r| r == *release);
        if versions.any(|(name, version)| is_it(name) && version.date.is_some()) {
            return Ok(None);
        }
        let (mut sources, _) = self.tagged_sources(backends, names)?;
        sources.retain(|source| !source.own_scheme);
        sources.sort_by_key(|source| !source.is_listed);
        let upstream = open(&sources, policy)?;
        for source in sources {
            let Ok(mut tags) = upstream.tags(&source.address) else {
                continue;
            };
            tags.sort();
            let of_lines = tag_schemes(self.model().lines.values());
            for scheme in [&source.scheme].into_iter().chain(of_lines) {
                let is_it = |tag: &&String| release_of(tag, scheme).as_ref() == Some(release);
                if let Some(tag) = tags.iter().find(is_it) {
                    return Ok(Some(source.seen(tag)));
                }
            }
        }
        Ok(None)
    }
}

/// Opens the repositories of `sources`, whose hosts are allowed besides those of the policy.
fn open(sources: &[TaggedSource], policy: &Policy) -> Result<Upstream, Error> {
    let mut policy = policy.clone();
    let host = |s: &TaggedSource| s.address.split('/').nth(2).map(str::to_owned);
    policy.hosts.extend(sources.iter().filter_map(host));
    Ok(Upstream::open(&policy)?)
}

/// Returns the repositories that upstream tagged in the two newest release lines for which the
/// profiles list them.
fn listed(model: &Model) -> BTreeSet<&str> {
    let lines = model
        .lines
        .iter()
        .filter(|(_, line)| !line.tagged.is_empty());
    let lines = lines.filter_map(|(name, line)| Some((name.parse::<Release>().ok()?, line)));
    let lines: BTreeMap<Release, _> = lines.collect();
    let newest = lines.values().rev().take(2);
    let all = newest.flat_map(|line| &line.tagged);
    all.map(|name| name.value.as_str()).collect()
}

/// Returns true if the tags of a source's repository say when a release of the package is there.
fn is_tagged(plan: &Plan, p: &Planned, source: &ResolvedSource) -> bool {
    let has_reference = |piece: &Piece| matches!(piece, Piece::Reference(_));
    source.fetch != Fetch::File
        && !source.repository.is_empty()
        && source.revision.is_none()
        && source.version == p.version
        && plan.lines.contains_key(&p.version.line())
        && source.tag_scheme.pieces.iter().any(has_reference)
        // The tags of the release lines say nothing about a package with versions of its own.
        && (source.own_tag || p.version.own().is_none())
        // Tags such as `0.11.1b` are read by no rule, so the rule would find other, older tags.
        && (!source.own_tag || is_number(source.version.as_str()))
}

/// Returns true if a version consists of two or three numbers: `2.11.0`, but not `0.11.1b`.
fn is_number(version: &str) -> bool {
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    (2..=3).contains(&version.split('.').count()) && version.split('.').all(is_number)
}

/// Returns the tag of each release in `tags`.
fn releases(model: &Model, source: &TaggedSource, tags: &[String]) -> BTreeMap<Release, String> {
    let newest = model.newest();
    let mut out = BTreeMap::new();
    let own = [&source.scheme].into_iter().filter(|_| source.own_scheme);
    let schemes: BTreeMap<String, &Text> = own
        .chain(tag_schemes(model.lines.values()))
        .map(|scheme| (scheme.to_string(), scheme))
        .collect();
    for (tag, scheme) in tags
        .iter()
        .flat_map(|tag| schemes.values().map(move |s| (tag, s)))
    {
        let Some(release) = release_of(tag, scheme) else {
            continue;
        };
        // Texts of different places in the profiles are compared as they are written.
        let is = |other: &Text| other.to_string() == scheme.to_string();
        let is_own = source.own_scheme && is(&source.scheme);
        let is_of_line = match model.lines.get(&release.line()) {
            Some(line) => is(tag_scheme(line, &release)),
            None => newest.as_ref().is_some_and(|newest| release > *newest) && is(&source.scheme),
        };
        if is_own || is_of_line {
            out.insert(release, tag.clone());
        }
    }
    out
}

/// Returns the newest of `tags` that has the form of a release line, is not the tag of one of
/// `releases`, and whose release is newer than all of them and than those of the model. Returns
/// `None` for a repository whose tags follow no release line.
fn other_form(
    model: &Model,
    source: &TaggedSource,
    tags: &[String],
    releases: &BTreeMap<Release, String>,
) -> Option<String> {
    if source.own_scheme {
        return None;
    }
    let newest = model.newest().into_iter();
    let newest = newest.chain(releases.keys().next_back().cloned()).max();
    let found = tags.iter().flat_map(|tag| {
        let schemes = tag_schemes(model.lines.values());
        schemes.filter_map(move |scheme| Some((release_of(tag, scheme)?, tag)))
    });
    let newer = found.filter(|(release, _)| newest.as_ref().is_some_and(|n| release > n));
    newer.max().map(|(_, tag)| tag.clone())
}

/// Returns the release in a tag of the form `scheme`: `therock-7.14.1` and `therock-${line}` give
/// 7.14.1, and `therock-10.2` gives 10.2. Returns `None` if the tag has another form.
fn release_of(tag: &str, scheme: &Text) -> Option<Release> {
    let (prefix, suffix) = around(scheme)?;
    let number = tag.strip_prefix(&prefix)?.strip_suffix(&suffix)?;
    let is_number = number.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    number.parse().ok().filter(|_| is_number)
}

/// Returns the texts before and after the version in tags of the form `scheme`, or `None` if the
/// form contains no version.
fn around(scheme: &Text) -> Option<(String, String)> {
    let is_version = |piece: &Piece| matches!(piece, Piece::Reference(_));
    let place = scheme.pieces.iter().position(is_version)?;
    let literal = |pieces: &[Piece]| -> String {
        let texts = pieces.iter().map(|piece| match piece {
            Piece::Literal(text) | Piece::Reference(text) => text.as_str(),
        });
        texts.collect()
    };
    let (head, tail) = (&scheme.pieces[..place], &scheme.pieces[place + 1..]);
    Some((literal(head), literal(tail)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn source(model: &Model, scheme: &str) -> TaggedSource {
        let line = model
            .lines
            .values()
            .find(|line| line.tag.to_string() == scheme);
        TaggedSource {
            owner: "ROCm".to_owned(),
            repository: "rocm-libraries".to_owned(),
            address: String::new(),
            packages: BTreeSet::new(),
            scheme: line.unwrap().tag.clone(),
            own_scheme: false,
            is_listed: false,
        }
    }

    #[test]
    fn a_newer_tag_in_the_form_of_older_lines_is_seen() {
        let stack = Stack::shipped().unwrap();
        let source = source(stack.model(), "therock-${line}");
        let other = |tags: &[&str]| {
            let tags: Vec<String> = tags.iter().copied().map(str::to_owned).collect();
            let found = releases(stack.model(), &source, &tags);
            other_form(stack.model(), &source, &tags, &found)
        };
        let all = ["rocm-98.0.0", "rocm-99.1.0", "rocm-7.2.9", "therock-10.1"];
        assert_eq!(other(&all).as_deref(), Some("rocm-99.1.0"));
        let noise = ["hip-version_99.1.0", "v99.3.0", "20250912-42", "rocm-7.2.9"];
        assert_eq!(other(&noise), None);
        assert_eq!(other(&["rocm-99.1.0", "therock-99.1"]), None);
    }

    #[test]
    fn previews_and_foreign_tags_are_no_releases() {
        let stack = Stack::shipped().unwrap();
        let source = source(stack.model(), "therock-${line}");
        let tags = [
            "therock-7.9",
            "therock-7.13",
            "therock-7.14",
            "therock-7.14.1",
            "therock-10.0",
            "therock-99.1",
            "rocm-7.2.4",
            "rocm-10.0",
            "rocm-99.1.0",
            "rocm-systems",
            "v14.3.0",
            "20250912-42",
            "therock-10.x",
            "therock-7.14-rc1",
            "hip-version_7.15.0",
        ]
        .map(str::to_owned);
        let found = releases(stack.model(), &source, &tags);
        let shown: Vec<String> = found.iter().map(|(r, tag)| format!("{r} {tag}")).collect();
        assert_eq!(
            shown,
            [
                "7.2.4 rocm-7.2.4",
                "7.14 therock-7.14",
                "7.14.1 therock-7.14.1",
                "10.0 therock-10.0",
                "99.1 therock-99.1"
            ]
        );
    }
}
