//! The page of a package: its needs, its GPUs, and its recipe in each distribution.

use super::{Site, came, why};
use crate::cells::{SUPPORT, cell, sign};
use crate::error::Error;
use indexmap::IndexMap;
use rocpkg::internal::resolve::Dependency;
use rocpkg_answers::gpu::title;
use serde_json::{Value, json};
use std::collections::BTreeMap;

impl Site<'_> {
    pub(super) fn package(&mut self, id: &str) -> Result<(), Error> {
        let (mut shown, mut said) = (Vec::new(), Vec::new());
        for d in &self.distributions {
            let Some((version, depends)) = d.packages.get(id) else {
                continue;
            };
            let edges: Vec<Value> = depends
                .iter()
                .map(|e| {
                    let kinds: Vec<&str> = e.edge.kind.0.iter().map(|k| k.word()).collect();
                    let to = match &e.to {
                        Dependency::Package(to) if self.packages.contains(to) => to.as_str(),
                        _ => "",
                    };
                    json!({"name": e.name, "kind": kinds.join(", "), "page": to})
                })
                .collect();
            let rows: Vec<(&str, &Value)> = self
                .gpus
                .iter()
                .filter_map(|gpu| Some((self.registry.name(*gpu), d.row(id, *gpu)?)))
                .collect();
            let groups = self.groups(&rows);
            let recipes: Vec<(&str, &str)> = self.recipes.recipes_of(&d.name, id).collect();
            let texts: Vec<Value> = recipes
                .iter()
                .map(|(path, text)| json!({"path": path, "text": text}))
                .collect();
            let on: BTreeMap<&str, &Value> = rows.into_iter().collect();
            let paths: Vec<&str> = recipes.iter().map(|(path, _)| *path).collect();
            said.push(json!({"distribution": d.name, "version": version, "needs": edges, "on": on, "recipes": paths}));
            shown.push(
                json!({"name": d.name, "version": version, "note": d.note, "edges": edges, "groups": groups, "recipes": texts}),
            );
        }
        let (view, said) = (
            json!({"distributions": shown, "results": self.has_results}),
            json!({"package": id, "title": title(self.stack, id), "distributions": said}),
        );
        self.page(
            &format!("package/{id}"),
            &self.label(id),
            "report/package.html.j2",
            &view,
            &said,
        )
    }

    /// Returns the GPUs in groups of equal support, reason and results. The best support comes
    /// first.
    fn groups(&self, rows: &[(&str, &Value)]) -> Vec<Value> {
        let mut groups: IndexMap<Value, Vec<Value>> = IndexMap::new();
        for (name, row) in rows {
            let (support, text) = cell(row);
            let group = json!({"support": support, "sign": sign(support), "text": text,
                "why": why(row), "came": came(row)});
            let known = self.registry.get(name).map_or("", |gpu| self.known_as(gpu));
            groups
                .entry(group)
                .or_default()
                .push(json!({"name": name, "known": known}));
        }
        let mut out: Vec<Value> = groups
            .into_iter()
            .map(|(mut group, gpus)| {
                group["gpus"] = json!(gpus);
                group
            })
            .collect();
        let place = |group: &Value| {
            SUPPORT
                .iter()
                .position(|(word, ..)| group["support"] == *word)
        };
        out.sort_by_key(place);
        out
    }
}
