//! The days on which distributions got upstream's releases, for the pages of `rocpkg report`.

use rocpkg::internal::model::{Day, ReleaseLine, Shipped, Version};
use rocpkg::internal::resolve::{Model, Release};
use serde_json::{Value, json};
use std::cmp::Reverse;
use std::collections::BTreeSet;

/// A release with the day on which upstream published it.
struct Published<'m> {
    release: Release,
    day: Option<Day>,
    version: &'m Version,
}

/// Returns the table as JSON: the distributions, and for each release upstream's day and the days
/// of the distributions. The first release is the one that upstream published last. Releases before
/// the first one of which any distribution's day is known are left out.
pub(crate) fn timeline(model: &Model) -> Value {
    let mut all: Vec<Published> = model.lines.values().flat_map(published).collect();
    all.sort_by_key(|p| Reverse((p.day.clone(), p.release.clone())));
    let is_known = |p: &Published| !p.version.shipped.is_empty();
    let oldest = all.iter().rposition(is_known).map_or(0, |at| at + 1);
    let all = &all[..oldest];
    let names = all.iter().flat_map(|p| p.version.shipped.keys());
    let names: BTreeSet<&String> = names.collect();
    let rows = all.iter().map(|p| {
        let cells = names.iter().map(|name| {
            let shipped = p.version.shipped.get(*name);
            let text = shipped.map(|shipped| text(shipped, p.day.as_ref()));
            let source = shipped.map(|shipped| shipped.source.value.as_str());
            json!({"on": name, "text": text, "source": source})
        });
        let upstream = p.day.as_ref().map(ToString::to_string);
        json!({"release": p.release.release(), "upstream": upstream, "cells": cells.collect::<Vec<_>>()})
    });
    json!({"distributions": names, "rows": rows.collect::<Vec<_>>()})
}

fn published(line: &ReleaseLine) -> impl Iterator<Item = Published<'_>> {
    line.versions.iter().filter_map(|(name, version)| {
        let day = version
            .date
            .as_ref()
            .and_then(|date| Day::read(&date.value));
        let release = name.parse().ok()?;
        Some(Published {
            release,
            day,
            version,
        })
    })
}

/// Returns the text of a cell: `2026-11-15, 41 days`, or with bounds `by 2026-06-03, at most 6
/// days`. `published` is upstream's day.
fn text(shipped: &Shipped, published: Option<&Day>) -> String {
    let bounds = [
        ("", "", &shipped.day),
        ("from ", "at least ", &shipped.from),
        ("by ", "at most ", &shipped.by),
    ];
    let known = bounds.iter().filter_map(|(sign, bound, day)| {
        let day = day.as_ref()?;
        let after = published.map_or_else(String::new, |published| {
            let days = day.since(published);
            let unit = if days == 1 { "day" } else { "days" };
            format!(", {bound}{days} {unit}")
        });
        Some(format!("{sign}{day}{after}"))
    });
    known.collect::<Vec<_>>().join("; ")
}
