//! The first page: the applications by GPU, with a table for each distribution, then bars of all
//! packages, releases, and packages.

use super::{Distribution, Site, UNDATED, results};
use crate::about::newest;
use crate::cells::{bar, counted, folded, legend, short};
use crate::error::Error;
use crate::timeline::timeline;
use rocpkg::internal::targets::Target;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

impl Site<'_> {
    pub(super) fn index(&mut self) -> Result<(), Error> {
        let products = self.stack.products()?;
        let (mut shown, mut said) = (Vec::new(), Vec::new());
        for gpu in &self.gpus {
            let name = self.registry.name(*gpu);
            let hardware = self.registry.hardware(name);
            let mut all = hardware.chips;
            for known in products.into_iter().flat_map(|p| p.names_of(*gpu)) {
                if !all.contains(&known) {
                    all.push(known);
                }
            }
            let bars = self
                .distributions
                .iter()
                .map(|d| json!({"on": d.name, "bar": bar(d.rows(*gpu))}));
            shown.push(
                json!({"name": name, "family": hardware.family, "names": folded(&all),
                "bars": bars.collect::<Vec<_>>()}),
            );
            let runs = self
                .distributions
                .iter()
                .map(|d| json!({"on": d.name, "said": counted(d.rows(*gpu))}));
            said.push(
                json!({"name": name, "family": hardware.family, "names": all.join(", "),
                "runs": runs.collect::<Vec<_>>()}),
            );
        }
        let packages = self.packages.iter().map(|id| {
            let versions: Vec<String> = self
                .distributions
                .iter()
                .map(|d| d.packages.get(id).map_or_else(|| "-".to_owned(), |(version, _)| version.clone()))
                .collect();
            let differs = |gpu: &&Target| {
                let ways = self
                    .distributions
                    .iter()
                    .filter_map(|d| d.row(id, **gpu))
                    .map(|row| row["way"].as_str());
                ways.collect::<BTreeSet<_>>().len() > 1
            };
            json!({"id": id, "versions": versions, "differ": self.gpus.iter().filter(differs).count()})
        });
        let packages: Vec<Value> = packages.collect();
        let names: Vec<&str> = self.distributions.iter().map(|d| d.name.as_str()).collect();
        let rows = packages.iter().map(|p| {
            let versions = p["versions"].as_array().into_iter().flatten();
            let versions: Vec<Value> = names
                .iter()
                .zip(versions)
                .map(|(on, version)| json!({"on": on, "version": version}))
                .collect();
            let label = self.label(p["id"].as_str().unwrap_or_default());
            json!({"id": p["id"], "label": label, "versions": versions, "differ": p["differ"]})
        });
        let releases = self.distributions.iter().map(|d| {
            let seen = d.seen.as_deref().unwrap_or(UNDATED);
            json!({"name": d.name, "version": d.version, "seen": seen})
        });
        let known = self.known_by_tests();
        let releases: Vec<Value> = releases.collect();
        let timeline = timeline(self.stack.model());
        let matrices: Vec<Value> = self.distributions.iter().map(|d| self.matrix(d)).collect();
        let view = json!({"gpus": shown, "matrices": matrices, "packages": rows.collect::<Vec<_>>(), "upstream": newest(self.stack),
            "distributions": names, "known": known, "legend": legend(false), "releases": releases, "timeline": timeline});
        let applications = self.distributions.iter().map(|d| self.applications_of(d));
        let said = json!({"gpus": said, "applications": applications.collect::<Vec<_>>(), "packages": packages, "upstream": newest(self.stack), "distributions": names,
            "known": known, "releases": releases, "timeline": timeline});
        self.page(
            "index",
            "What runs on your GPU",
            "report/index.html.j2",
            &view,
            &said,
        )
    }

    /// Returns the table of the applications in a distribution: a column for each application, and
    /// a row for each GPU. The GPUs that people own come first, and the others are folded away.
    fn matrix(&self, d: &Distribution) -> Value {
        let first = d.on.values().next().into_iter();
        let columns = first.flat_map(|on| on["applications"].as_array().into_iter().flatten());
        let columns: Vec<Value> = columns
            .map(|a| {
                let install = d.on.values().find_map(|on| {
                    let mut all = on["applications"].as_array().into_iter().flatten();
                    let names = &all.find(|b| b["package"] == a["package"])?["install"];
                    names.as_array().filter(|names| !names.is_empty())
                });
                let names = install.into_iter().flatten().filter_map(Value::as_str);
                let names = names.collect::<Vec<_>>().join(", ").replace('`', "");
                let page = self
                    .packages
                    .contains(a["package"].as_str().unwrap_or_default());
                json!({"id": a["package"], "title": a["title"], "install": names, "page": page})
            })
            .collect();
        let row = |gpu: &Target| {
            let cells = d.on.get(gpu).and_then(|on| on["applications"].as_array());
            let cells = cells.into_iter().flatten().map(short);
            json!({"gpu": self.registry.name(*gpu), "names": self.known_as(*gpu),
                "cells": cells.collect::<Vec<_>>()})
        };
        let owned = self
            .known
            .iter()
            .map(|(gpu, _)| row(gpu))
            .collect::<Vec<_>>();
        let others = self
            .gpus
            .iter()
            .filter(|gpu| self.known_as(**gpu).is_empty());
        let others = others.map(row).collect::<Vec<_>>();
        let name = &d.name;
        let folded = format!("Other GPUs in {name}: older, unreleased, or without a known product");
        let grids = [
            json!({"label": format!("Applications in {name}"), "folded": "", "rows": owned}),
            json!({"label": format!("Other GPUs in {name}"), "folded": folded, "rows": others}),
        ];
        json!({"name": name, "version": d.version, "note": d.note, "columns": columns,
            "unread": self.unread(d).join(", "), "grids": grids})
    }

    /// Returns the applications of other distributions that a read-only distribution's package
    /// index does not show.
    fn unread(&self, d: &Distribution) -> Vec<String> {
        let titles = |d: &Distribution| -> Vec<String> {
            let first = d.on.values().next().into_iter();
            let all = first.flat_map(|on| on["applications"].as_array().into_iter().flatten());
            all.filter_map(|a| Some(a["title"].as_str()?.to_owned()))
                .collect()
        };
        let own = titles(d);
        let mut out: Vec<String> = Vec::new();
        for title in self.distributions.iter().flat_map(titles) {
            if !own.contains(&title) && !out.contains(&title) {
                out.push(title);
            }
        }
        out
    }

    /// Returns the applications of a distribution on each GPU, as JSON.
    fn applications_of(&self, d: &Distribution) -> Value {
        let on =
            d.on.iter()
                .map(|(gpu, on)| (self.registry.name(*gpu), &on["applications"]));
        let on: BTreeMap<&str, &Value> = on.collect();
        json!({"distribution": d.name, "version": d.version, "on": on})
    }

    /// Returns each package on each GPU that has a test result or a runner, as JSON.
    fn known_by_tests(&self) -> Vec<Value> {
        let mut out = Vec::new();
        for (d, gpu) in self
            .distributions
            .iter()
            .flat_map(|d| self.gpus.iter().map(move |gpu| (d, *gpu)))
        {
            for row in d.rows(gpu) {
                let package = row["package"].as_str().unwrap_or_default();
                let results: Vec<String> = results(row).into_iter().map(|(said, _)| said).collect();
                let who = self.tests.who(&d.name, package, gpu);
                let runners: Vec<&str> = who.iter().map(|r| r.name.as_str()).collect();
                let contacts: Vec<&str> = who.iter().filter_map(|r| r.contact.as_deref()).collect();
                if !results.is_empty() || !runners.is_empty() {
                    out.push(json!({"package": package, "gpu": self.registry.name(gpu), "distribution": d.name,
                        "results": results.join("; "), "runners": runners.join(", "), "contacts": contacts.join(", ")}));
                }
            }
        }
        out
    }
}
