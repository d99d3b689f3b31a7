//! Checksums of an edited PKGBUILD that belong to the previous release, or to another source.

use super::pkgbuild::{StatedSum, stated_sums};
use rocpkg_shell::WrongSum;
use rocpkg_syntax::{Outline, fetched};

/// Returns the checksums in `new`, the edited recipe, that differ from those of the rendering
/// `after` for the same address, and those that are stand-ins although the rendering has them.
pub(crate) fn wrong_sums(new: &Outline, after: &Outline) -> Vec<WrongSum> {
    let model = stated_sums(&after.text);
    let mut all = Vec::new();
    for own in stated_sums(&new.text) {
        let StatedSum { address, list, .. } = &own;
        let is_fetched = |other: &&StatedSum| fetched(&other.address) == fetched(address);
        let mut same = model.iter().filter(is_fetched);
        let reason = if !own.is_unknown() {
            let known = model_sum(&model, &own);
            if known.is_none_or(|known| known.sum == own.sum) {
                continue;
            }
            format!("the model has another checksum for {address}")
        } else if same.any(StatedSum::is_unknown) {
            // The tree reports the checksums that the model lacks.
            continue;
        } else {
            format!("the checksum of {address} is not known")
        };
        all.push(WrongSum {
            item: vec![list.clone()],
            at: own.at.start,
            is_unknown: own.is_unknown(),
            reason,
        });
    }
    all
}

/// Returns the known checksum of the model, of the kind of `own`, for the file that `own` is about.
fn model_sum<'a>(model: &'a [StatedSum], own: &StatedSum) -> Option<&'a StatedSum> {
    model.iter().find(|other| {
        let is_it = other.field == own.field && !other.is_unknown();
        is_it && fetched(&other.address) == fetched(&own.address)
    })
}

/// Returns `text`, the edited PKGBUILD, with the checksums of `after`, the rendering at the new
/// version, for the files that both fetch. A checksum of another file gets zeros in its place: that
/// of the old version, if the address of its source changed, and that of another source of `after`.
pub(crate) fn with_own_sums(existing: &Outline, mut text: String, after: &Outline) -> String {
    let old = stated_sums(&existing.text);
    let model = stated_sums(&after.text);
    let mut all = stated_sums(&text);
    all.sort_by_key(|own| own.at.start);
    for own in all.iter().rev() {
        let is_of = |other: &StatedSum| fetched(&other.address) == fetched(&own.address);
        let mut before = old.iter().filter(|old| old.sum == own.sum).peekable();
        // The value of a command may change with the version.
        let is_open = own.address.contains("://") && own.address.contains('$');
        let is_stale = before.peek().is_some() && (is_open || !before.any(is_of));
        let mut others = model.iter().filter(|other| other.sum == own.sum);
        let is_of_other = old.iter().all(|old| old.sum != own.sum) && others.next().is_some();
        let new = match model_sum(&model, own) {
            Some(known) if own.is_unknown() || is_stale => known.sum.clone(),
            None if !own.is_unknown() && (is_stale || is_of_other) => "0".repeat(own.sum.len()),
            _ => continue,
        };
        match text[own.at.clone()].find(&own.sum) {
            Some(at) => {
                let start = own.at.start + at;
                text.replace_range(start..start + own.sum.len(), &new);
            }
            None if own.is_unknown() => {}
            None => text = text.replace(&own.sum, &new),
        }
    }
    text
}
