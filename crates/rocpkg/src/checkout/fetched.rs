//! The release of a recipe whose version is that of upstream's component: the release whose tag the
//! recipe fetches.

use crate::backend::Backend;
use crate::stack::Stack;
use rocpkg_resolve::{Release, tag_by, tag_scheme};
use rocpkg_syntax::Outline;

/// The keys under which recipes state their sources.
const SOURCES: [&str; 3] = ["SRC_URI", "source", "src"];

/// Returns the model's release whose tag is in the first source of a recipe, in a distribution that
/// gives packages upstream's versions of their components: `rocm-6.2.4.tar.gz` -> 6.2.4. Returns
/// None in other distributions, and for a recipe that fetches no such tag.
pub(super) fn fetched(stack: &Stack, backend: Backend, recipe: &Outline) -> Option<Release> {
    let distro = stack.model().distros.get(backend.distro())?;
    distro.habits.as_ref()?.own_versions.as_ref()?;
    let sources = SOURCES.iter().find_map(|key| recipe.get(&[key]))?;
    let text = &recipe.text[sources.at.clone()];
    let found = tags(stack).filter_map(|(tag, release)| {
        let is_whole = |(at, _): &(usize, &str)| {
            let mut rest = text[at + tag.len()..].trim_start_matches('.').chars();
            !rest.next().is_some_and(|c| c.is_ascii_digit())
        };
        let (at, _) = text.match_indices(&tag).find(is_whole)?;
        Some((at, release))
    });
    // Of 10.0 and 10.0.0, which have the same tag, the later one.
    let first = found.reduce(|a, b| if b.0 <= a.0 { b } else { a });
    first.map(|(_, release)| release)
}

/// Returns the tags of upstream's releases. Releases such as 10.0 and 10.0.0 have the same tag.
pub(super) fn tags(stack: &Stack) -> impl Iterator<Item = (String, Release)> {
    stack.model().lines.values().flat_map(|line| {
        let releases = line
            .versions
            .keys()
            .filter_map(|version| version.parse().ok());
        releases.map(move |release: Release| {
            let tag = tag_by(tag_scheme(line, &release), &release);
            (tag, release)
        })
    })
}
