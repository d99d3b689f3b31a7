//! `rocpkg report`: writes HTML pages that show what runs on which GPU. The pages load nothing from
//! the network. One script searches for a name on the index page.

mod gpu;
mod index;
mod package;

use crate::args::ReportArgs;
use crate::cells::{cell, legend, sign};
use crate::error::Error;
use crate::gpu::{all, on_distro, on_read_only, read_from};
use crate::health::{content, has_health};
use crate::outcome::{DIFFERS, Outcome};
use crate::plan::{Came, Record, Tests, came_of, health, read_lab, read_results};
use indexmap::IndexSet;
use minijinja::context;
use rocpkg::internal::beside_each_other;
use rocpkg::internal::render::{FileTree, Templates, WriteOptions, ready, write};
use rocpkg::internal::resolve::{Plan, ResolvedEdge};
use rocpkg::internal::targets::{Products, Registry, Target, TargetKind};
use rocpkg::{Backend, Options, Stack, Tree};
use rocpkg_answers::gpu::{Questions, title};
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::thread;

/// The text for a release that was seen on no known day.
const UNDATED: &str = "date not known";

/// The possible test results of a package on a GPU, by their keys in JSON.
const CAME: [(&str, Came); 3] = [
    ("passed", Came::Passed),
    ("failed", Came::Failed),
    ("built", Came::Built),
];

/// A distribution with the state of its packages on each GPU, in the form of `rocpkg gpu --json`.
struct Distribution {
    name: String,
    version: String,
    /// The note above the distribution's results: it is read-only, or a later release was seen.
    /// Empty otherwise.
    note: String,
    /// The last day on which the version was seen, or its source with a date. None if no date is
    /// known.
    seen: Option<String>,
    /// The version and the dependencies of each package.
    packages: BTreeMap<String, (String, Vec<ResolvedEdge>)>,
    on: BTreeMap<Target, Value>,
}

impl Distribution {
    fn new(
        questions: &Questions,
        registry: &Registry,
        gpus: &[Target],
        records: &[Record],
    ) -> Self {
        let mut on: BTreeMap<Target, Value> = gpus
            .iter()
            .map(|gpu| (*gpu, on_distro(registry, questions, *gpu)))
            .collect();
        for (gpu, said) in &mut on {
            for row in said["packages"].as_array_mut().into_iter().flatten() {
                let package = row["package"].as_str().unwrap_or_default().to_owned();
                let came = came_of(
                    records,
                    &questions.plan.distro_name,
                    &package,
                    registry.name(*gpu),
                );
                for (key, outcome) in CAME {
                    if let Some(newest) = came.iter().find(|r| r.outcome == outcome) {
                        row[key] = json!(newest);
                    }
                }
            }
        }
        let packages = questions.plan.with_consumers();
        let packages = packages.map(|p| (p.id.clone(), (p.version.to_string(), p.depends.clone())));
        let (name, version) = (
            questions.plan.distro_name.clone(),
            questions.plan.version.to_string(),
        );
        let later = questions.plan.seen_later();
        let note = later.map(|(release, day)| {
            format!("{name} was seen at {release} on {day}. This page describes {version}.")
        });
        Self {
            name,
            version,
            note: note.unwrap_or_default(),
            seen: seen(&questions.plan),
            packages: packages.collect(),
            on,
        }
    }

    /// Returns the read-only distributions: the model has their package index, and nothing is
    /// rendered for them.
    fn read_only<'a>(
        stack: &'a Stack,
        registry: &'a Registry,
        gpus: &'a [Target],
    ) -> impl Iterator<Item = Self> + 'a {
        registry.file().read_only.iter().map(|(name, entry)| {
            let said = |gpu: &Target| {
                on_read_only(stack, registry, *gpu).find(|on| on["distribution"] == *name)
            };
            let on = gpus
                .iter()
                .filter_map(|gpu| Some((*gpu, said(gpu)?)))
                .collect();
            let packages = entry
                .declared
                .iter()
                .flat_map(|declared| &declared.packages);
            let packages = packages
                .map(|(id, p)| (id.clone(), (p.version.clone(), Vec::new())))
                .collect();
            let (version, note) = (
                entry.release.clone(),
                format!("This is {}.", read_from(entry)),
            );
            Self {
                name: name.clone(),
                version,
                note,
                seen: Some(entry.source.clone()),
                packages,
                on,
            }
        })
    }

    /// Returns the rows of all packages on a GPU. A row is the JSON of a package in
    /// `rocpkg gpu --json`.
    fn rows(&self, gpu: Target) -> &[Value] {
        self.on
            .get(&gpu)
            .and_then(|on| on["packages"].as_array())
            .map_or(&[], Vec::as_slice)
    }

    /// Returns the rows of all packages on a GPU, then those of the consumers.
    fn with_consumers(&self, gpu: Target) -> impl Iterator<Item = &Value> {
        let on = self.on.get(&gpu);
        let consumers = on.and_then(|on| on["consumers"].as_array());
        self.rows(gpu).iter().chain(consumers.into_iter().flatten())
    }

    /// Returns the row of a package or consumer on a GPU.
    fn row(&self, package: &str, gpu: Target) -> Option<&Value> {
        self.with_consumers(gpu)
            .find(|row| row["package"] == package)
    }
}

/// Returns the last day on which a distribution was seen to ship the release of `plan`, and the
/// newest release that was seen since: `2026-08-31; 10.1 on 2026-11-16`.
fn seen(plan: &Plan) -> Option<String> {
    let day = plan.seen().map(ToString::to_string);
    match plan.seen_later() {
        None => day,
        Some((release, later)) => {
            let day = day.as_deref().unwrap_or(UNDATED);
            Some(format!("{day}; {release} on {later}"))
        }
    }
}

/// The data for all pages, and the pages that were added so far.
struct Site<'s> {
    stack: &'s Stack,
    registry: &'s Registry,
    gpus: Vec<Target>,
    /// The GPUs that people own, each with its best-known names.
    known: Vec<(Target, String)>,
    distributions: Vec<Distribution>,
    /// The ids of the packages that have a page: those with device code in any distribution.
    packages: BTreeSet<String>,
    recipes: Tree,
    templates: Templates,
    files: FileTree,
    /// Set if a folder with test results was given.
    has_results: bool,
    /// Set if there is a page about backends, runners and benchmarks.
    has_health: bool,
    tests: Tests<'s>,
}

pub(crate) fn run(args: &ReportArgs) -> Result<Outcome, Error> {
    let stack = args.plan.model.stack()?;
    let registry = stack.registry()?;
    let mut gpus: Vec<Target> = registry.of_kind(TargetKind::Processor).iter().collect();
    // The newest GPUs come first.
    gpus.reverse();
    let records = args
        .results
        .as_deref()
        .map(|dir| read_results(&stack, dir))
        .transpose()?;
    let has_results = records.is_some();
    let records = records.unwrap_or_default();
    let (asked, recipes) = thread::scope(|s| {
        let recipes = s.spawn(|| stack.render(&Options::everything()));
        let asked = all(&stack, &Backend::ALL, args.plan.choice()?);
        let recipes = recipes
            .join()
            .unwrap_or_else(|e| std::panic::resume_unwind(e))?;
        Ok::<_, Error>((asked?, recipes))
    })?;
    let lab = args
        .runners
        .as_deref()
        .map(|path| read_lab(&stack, path))
        .transpose()?
        .unwrap_or_default();
    let tests = Tests::new(&stack, &asked, lab, &[])?;
    let mut distributions = beside_each_other(asked, |(_, questions)| {
        Distribution::new(&questions, registry, &gpus, &records)
    });
    distributions.extend(Distribution::read_only(&stack, registry, &gpus));
    let templates = Templates::new(&rocpkg::shipped::templates())?;
    let files = FileTree::default();
    let products = stack.products()?.into_iter();
    let known = products.flat_map(Products::known_as);
    let known = known.map(|(gpu, names)| (gpu, names.join(", "))).collect();
    let mut site = Site {
        stack: &stack,
        registry,
        gpus,
        known,
        packages: with_device_code(&distributions),
        distributions,
        recipes,
        templates,
        files,
        has_results,
        has_health: has_health(&tests, &records),
        tests,
    };
    site.index()?;
    let is_good = site.health(&records)?;
    for place in 0..site.distributions.len() {
        site.table(place)?;
    }
    for gpu in site.gpus.clone() {
        site.gpu(gpu)?;
    }
    for package in site.packages.clone() {
        site.package(&package)?;
    }
    let written = write(
        &site.files,
        &args.out,
        &WriteOptions {
            prune: true,
            ..WriteOptions::default()
        },
    )?;
    let (new, same) = (written.written.len(), written.unchanged);
    let shown = args.out.display();
    let mut outcome = Outcome::done(format!(
        "{shown}: {new} files written, {same} unchanged; open {shown}/index.html\n"
    ));
    if args.gate && !is_good {
        outcome.err =
            format!("{shown}/health.html names what backends lack and which limits are crossed\n");
        outcome.status = DIFFERS;
    }
    Ok(outcome)
}

/// Returns the newest test result of each kind in a row, as text, with the address of its log.
fn results(row: &Value) -> Vec<(String, &str)> {
    let of = |key: &str| {
        let r = row.get(key).filter(|r| r.is_object())?;
        let text = |key: &str| r[key].as_str().unwrap_or_default();
        let (release, device, date) = (text("release"), text("device"), text("date"));
        let on = if device.is_empty() {
            String::new()
        } else {
            format!(" on {device}, {date}")
        };
        Some((format!("{key} at {release}{on}"), text("log")))
    };
    CAME.into_iter().filter_map(|(key, _)| of(key)).collect()
}

fn came(row: &Value) -> Vec<Value> {
    linked(
        &results(row)
            .iter()
            .map(|(said, log)| format!("{said}: {log}"))
            .collect::<Vec<_>>()
            .join("; "),
    )
}

/// Returns the reason why a package runs as it does, and the ways to change that. The text is split
/// into plain text, code and links, as [`linked`] does.
fn why(row: &Value) -> Vec<Value> {
    linked(&reason(row))
}

/// Returns the reason why a package runs as it does, and the ways to change that, as text.
fn reason(row: &Value) -> String {
    let avoid = row["avoid"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str);
    let missing = row["missing"]
        .as_str()
        .map(|fact| match row["way"].as_str() {
            Some("packed") => format!("the runtime is not patched: {fact}"),
            _ => format!("{fact} is not known"),
        });
    let guess = row["likely"]["reason"]
        .as_str()
        .map(|reason| format!("a guess: {reason}"));
    let patched = (row["way"] == "by-patches").then_some("loads by the distribution's patches");
    let text = |key: &str| row[key].as_str();
    let said = [
        text("there"),
        missing.as_deref(),
        guess.as_deref(),
        patched,
        text("reason"),
        text("cost"),
    ];
    let said = said.into_iter().flatten().chain(avoid);
    let said: IndexSet<&str> = said.filter(|s| !s.is_empty()).collect();
    said.into_iter().collect::<Vec<_>>().join("; ")
}

/// Splits a text into parts for a page. Each address and each text between backticks is a part of
/// its own.
fn linked(text: &str) -> Vec<Value> {
    let mut out = Vec::new();
    let mut push = |kind: &str, text: &str| {
        let of = |this: &str| if kind == this { text } else { "" };
        if !text.is_empty() {
            out.push(json!({"url": of("url"), "code": of("code"), "text": of("text")}));
        }
    };
    for (place, said) in text.split('`').enumerate() {
        if place % 2 == 1 {
            push("code", said);
            continue;
        }
        let mut rest = said;
        while let Some(at) = rest.find("https://") {
            let (before, from) = rest.split_at(at);
            let end = from
                .find(|c: char| c.is_whitespace() || ",;)".contains(c))
                .unwrap_or(from.len());
            let (url, after) = from.split_at(end);
            push("text", before);
            push("url", url);
            rest = after;
        }
        push("text", rest);
    }
    out
}

/// Returns the ids of the packages that have device code in any distribution.
fn with_device_code(distributions: &[Distribution]) -> BTreeSet<String> {
    let on = distributions.iter().flat_map(|d| d.on.values());
    let rows = on.flat_map(|on| [&on["packages"], &on["consumers"]]);
    rows.filter_map(Value::as_array)
        .flatten()
        .filter_map(|row| row["package"].as_str())
        .map(str::to_owned)
        .collect()
}

impl Site<'_> {
    /// Returns the best-known names of a GPU, or an empty text.
    fn known_as(&self, gpu: Target) -> &str {
        let known = self.known.iter().find(|(known, _)| *known == gpu);
        known.map_or("", |(_, names)| names)
    }

    /// Returns the name of a package for users. If the id is another word, it follows in
    /// parentheses: `PyTorch (caffe2)`.
    fn label(&self, id: &str) -> String {
        let plain = |text: &str| text.to_lowercase().replace([' ', '-', '.', '_'], "");
        match title(self.stack, id) {
            title if plain(title) == plain(id) => title.to_owned(),
            title => format!("{title} ({id})"),
        }
    }

    /// Renders a template to a page, and adds it to the files as `path.html`. Adds the JSON `said`
    /// beside it, as `path.json`.
    fn page(
        &mut self,
        path: &str,
        title: &str,
        template: &str,
        view: &impl Serialize,
        said: &Value,
    ) -> Result<(), Error> {
        let body = self
            .templates
            .render(template, minijinja::Value::from_serialize(view))?;
        let root = if path.contains('/') { "../" } else { "" };
        let name = path.rsplit('/').next().unwrap_or(path);
        let style = self.templates.render("report/style.css.j2", context! {})?;
        let page = self.templates.render(
            "report/page.html.j2",
            context! {
                title, root,
                has_health => self.has_health,
                json => format!("{name}.json"),
                style => ready(style.trim_end()),
                body => ready(body.trim_end()),
                legend => match path.split_once('/') {
                    None if path != "index" => Vec::new(),
                    folder => legend(folder.is_some_and(|(folder, _)| folder == "gpu")),
                },
                distributions => self.distributions.iter().map(|d| d.name.as_str()).collect::<Vec<_>>(),
            },
        )?;
        self.files.insert(format!("{path}.html"), page)?;
        Ok(self
            .files
            .insert(format!("{path}.json"), format!("{said:#}\n"))?)
    }

    /// Adds the page about backends, runners and benchmarks, if it has any content. Returns true if
    /// each backend has what its maturity demands, and no limit is crossed.
    fn health(&mut self, records: &[Record]) -> Result<bool, Error> {
        if !self.has_health {
            return Ok(true);
        }
        let health = health(&self.tests, records);
        let is_good = health.is_good();
        let (view, said) = content(&self.tests, self.registry, &health, records, &self.packages);
        self.page(
            "health",
            "Backends, runners and benchmarks",
            "report/health.html.j2",
            &view,
            &said,
        )?;
        Ok(is_good)
    }

    /// Adds the page with the table of one distribution. `place` is the position of the
    /// distribution.
    fn table(&mut self, place: usize) -> Result<(), Error> {
        let Some(d) = self.distributions.get(place) else {
            return Ok(());
        };
        let name = d.name.clone();
        let first = d.on.keys().next().into_iter();
        let packages = first
            .flat_map(|gpu| d.with_consumers(*gpu))
            .filter_map(|row| row["package"].as_str());
        let packages: Vec<Value> = packages
            .map(|id| {
                let cells = self
                    .gpus
                    .iter()
                    .filter_map(|gpu| d.row(id, *gpu))
                    .map(|row| {
                        let (support, text) = cell(row);
                        json!({"support": support, "text": text, "sign": sign(support)})
                    });
                json!({"id": id, "label": self.label(id), "cells": cells.collect::<Vec<_>>()})
            })
            .collect();
        let gpus: Vec<&str> = self
            .gpus
            .iter()
            .map(|gpu| self.registry.name(*gpu))
            .collect();
        let view = json!({"distribution": name, "version": d.version, "note": d.note, "packages": packages,
            "gpus": gpus, "legend": legend(false)});
        let on: BTreeMap<&str, &Value> =
            d.on.iter()
                .map(|(gpu, on)| (self.registry.name(*gpu), on))
                .collect();
        let said = json!({"distribution": name, "on": on});
        self.page(&name, &name, "report/table.html.j2", &view, &said)
    }
}
