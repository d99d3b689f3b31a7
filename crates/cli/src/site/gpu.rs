//! The page of a GPU: the applications in each distribution, facts, then all packages.

use super::{Distribution, Site, came, linked, reason, why};
use crate::cells::{bar, cell, sign};
use crate::error::Error;
use crate::gpu::on_gpu;
use rocpkg::internal::targets::Target;
use serde_json::{Value, json};

impl Site<'_> {
    pub(super) fn gpu(&mut self, gpu: Target) -> Result<(), Error> {
        let name = self.registry.name(gpu);
        let names: Vec<&str> = self
            .stack
            .products()?
            .into_iter()
            .flat_map(|p| p.names_of(gpu))
            .collect();
        let hardware = self.registry.hardware(name);
        let declared = self
            .registry
            .declared(gpu)
            .map(|(word, source)| format!("{word} ({source})"));
        let overrides: Vec<String> = self
            .registry
            .overrides(gpu)
            .map(|o| {
                format!(
                    "{}: {}: {} ({})",
                    o.value,
                    o.outcome.word(),
                    o.reason,
                    o.source
                )
            })
            .collect();
        let facts = [
            ("Family", hardware.family.to_owned()),
            ("Chips", hardware.chips.join(", ")),
            ("Names", names.join(", ")),
            ("Declared by upstream", declared.unwrap_or_default()),
            ("HSA_OVERRIDE_GFX_VERSION", overrides.join("; ")),
        ];
        let facts = facts.iter().filter(|(_, said)| !said.is_empty());
        let facts: Vec<Value> = facts
            .map(|(what, said)| json!({"what": what, "said": linked(said)}))
            .collect();
        let distributions: Vec<Value> = self.distributions.iter().map(|d| {
            let rows = d.rows(gpu);
            let packages = d.with_consumers(gpu).map(|row| {
                let (support, text) = cell(row);
                let label = self.label(row["package"].as_str().unwrap_or_default());
                json!({"id": row["package"], "label": label, "support": support, "text": text, "why": why(row), "tests": row["tests"],
                    "came": came(row)})
            });
            let next = d.on.get(&gpu).and_then(|on| on["next"].as_array()).into_iter().flatten();
            let next = next.filter_map(Value::as_str).map(linked);
            json!({"name": d.name, "version": d.version, "note": d.note, "bar": bar(rows),
                "applications": self.applications(d, gpu),
                "next": next.collect::<Vec<_>>(), "packages": packages.collect::<Vec<_>>()})
        }).collect();
        let view =
            json!({"facts": facts, "distributions": distributions, "results": self.has_results});
        let each: Vec<&Value> = self
            .distributions
            .iter()
            .filter_map(|d| d.on.get(&gpu))
            .collect();
        let mut said = on_gpu(self.registry, gpu, &each);
        said["names"] = json!(names);
        let title = match self.known_as(gpu) {
            "" => format!(
                "{name} {}",
                hardware.chips.first().copied().unwrap_or_default()
            ),
            known => format!("{known} ({name})"),
        };
        let path = format!("gpu/{name}");
        self.page(&path, title.trim_end(), "report/gpu.html.j2", &view, &said)
    }

    /// Returns the rows of the applications in a distribution on a GPU: the support, the packages
    /// to install, the settings, and the reason.
    fn applications(&self, d: &Distribution, gpu: Target) -> Vec<Value> {
        let all = d.on.get(&gpu).and_then(|on| on["applications"].as_array());
        let all = all.into_iter().flatten();
        all.map(|a| {
            let (support, text) = cell(a);
            let each = |key: &str| -> Vec<&str> {
                let all = a[key].as_array().into_iter().flatten();
                all.filter_map(Value::as_str).collect()
            };
            let lacking = match each("lacking").join(", ") {
                none if none.is_empty() => none,
                names => format!(
                    "no code for the GPU in {names}, which it links: parts that call them fail or do without"
                ),
            };
            let code_in = a["code-in"]
                .as_str()
                .map(|id| format!("its code is that of {id}"));
            let said = [code_in.unwrap_or_default(), reason(a), lacking];
            let said: Vec<String> = said.into_iter().filter(|text| !text.is_empty()).collect();
            let id = a["package"].as_str().unwrap_or_default();
            json!({"id": id, "title": a["title"], "page": self.packages.contains(id),
                "support": support, "sign": sign(support), "text": text,
                "install": linked(&each("install").join(" and ")),
                "set": each("set").into_iter().map(linked).collect::<Vec<_>>(),
                "why": linked(&said.join("; "))})
        })
        .collect()
    }
}
