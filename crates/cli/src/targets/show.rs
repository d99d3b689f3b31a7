//! `targets list` and `targets show`.

use crate::outcome::Outcome;
use rocpkg::targets::{Carrier, Found, Kind, Registry, Target, Via};
use serde_json::{Value, json};

fn kind(registry: &Registry, t: Target) -> &'static str {
    match registry.kind(t) {
        Kind::Processor => "processor",
        Kind::Removed => "removed",
        Kind::Generic => "generic",
        Kind::Pseudo => "pseudo",
    }
}

fn via(via: Via) -> &'static str {
    match via {
        Via::Exact => "exact",
        Via::Compatible => "compatible",
        Via::Generic => "generic",
    }
}

/// Every target in the registry's order.
pub(super) fn list(registry: &Registry, as_json: bool) -> Outcome {
    if as_json {
        return Outcome::json(&Value::Array(registry.all().iter().map(|t| described(registry, t)).collect()));
    }
    let mut out = String::new();
    for t in registry.all() {
        let p = registry.processor(t);
        let family = p.map_or("", |p| p.family.as_str());
        let product = p.and_then(|p| p.products.first()).map_or("", String::as_str);
        let llvm = registry.llvm(t);
        let llvm = if llvm == 0 { String::new() } else { format!("LLVM {llvm}") };
        let line = format!("{:16} {:9} {family:8} {llvm:8} {product}", registry.name(t), kind(registry, t));
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out.push_str("rests on: profiles/targets.yaml\n");
    Outcome::done(out)
}

/// What a name stands for.
pub(super) fn show(registry: &Registry, text: &str, found: &Found, as_json: bool) -> Outcome {
    let head = match found {
        Found::Id(id) => registry.show_id(*id).to_string(),
        Found::Family { name, .. } => format!("family {name}"),
        Found::Hardware(all) => named(registry, all),
    };
    let targets = found.targets();
    if as_json {
        let all: Vec<Value> = targets.iter().map(|t| described(registry, t)).collect();
        return Outcome::json(
            &json!({"asked": text, "found": head, "targets": all, "rests-on": ["profiles/targets.yaml"]}),
        );
    }
    let mut out = format!("{text}: {head}\n");
    for t in targets {
        one(registry, t, &mut out);
    }
    out.push_str("rests on: profiles/targets.yaml\n");
    Outcome::done(out)
}

/// What a name may mean; where that is several targets, each says its own.
pub(crate) fn named(registry: &Registry, all: &[Carrier]) -> String {
    let open = all.iter().any(|c| c.target != all[0].target);
    let mut said: Vec<String> = Vec::new();
    for row in all {
        let mut text = row.name.clone();
        if open {
            text += &format!(" ({})", registry.name(row.target));
        }
        if let Some(why) = &row.unsure {
            text += &format!(" (not sure: {why})");
        }
        if !said.contains(&text) {
            said.push(text);
        }
    }
    let decides = if open { "; the PCI id decides" } else { "" };
    said.join(", ") + decides
}

fn one(registry: &Registry, t: Target, out: &mut String) {
    let mut line = |what: &str, text: String| {
        if !text.is_empty() {
            out.push_str(&format!("  {what:12} {text}\n"));
        }
    };
    line(registry.name(t), kind(registry, t).to_owned());
    if let Some(p) = registry.processor(t) {
        line("family", format!("{}, {}", p.family, if p.apu { "APU" } else { "card" }));
        line("products", p.products.join(", "));
        line("also", p.alternatives.join(" "));
        let modes = [(p.xnack, "xnack"), (p.sramecc, "sramecc")];
        line("modes", modes.iter().filter(|m| m.0).map(|m| m.1).collect::<Vec<_>>().join(" "));
    }
    line("families", registry.families_of(t).collect::<Vec<_>>().join(" "));
    line("generic", registry.generic_of(t).map(|g| registry.name(g).to_owned()).unwrap_or_default());
    if registry.llvm(t) > 0 {
        line("since LLVM", registry.llvm(t).to_string());
    }
    for (what, patched) in [("loads", false), ("with patches", true)] {
        let all = registry.loadable(t, patched);
        line(
            what,
            all.iter()
                .map(|(c, s)| format!("{} ({})", registry.name(*c), via(*s)))
                .collect::<Vec<_>>()
                .join(", "),
        );
    }
    if registry.kind(t) == Kind::Generic {
        line("covers", registry.show(registry.serves(t, false)).to_string());
    }
}

fn described(registry: &Registry, t: Target) -> Value {
    let p = registry.processor(t);
    let loads = |patched| -> Vec<Value> {
        let code = registry.loadable(t, patched);
        code.iter().map(|(c, s)| json!({"code": registry.name(*c), "via": via(*s)})).collect()
    };
    json!({
        "name": registry.name(t),
        "kind": kind(registry, t),
        "family": p.map(|p| &p.family),
        "apu": p.map(|p| p.apu),
        "products": p.map(|p| &p.products),
        "alternatives": p.map(|p| &p.alternatives),
        "xnack": p.map(|p| p.xnack),
        "sramecc": p.map(|p| p.sramecc),
        "families": registry.families_of(t).collect::<Vec<_>>(),
        "generic": registry.generic_of(t).map(|g| registry.name(g)),
        "llvm": registry.llvm(t),
        "covers": (registry.kind(t) == Kind::Generic).then(|| registry.serves(t, false).iter().map(|t| registry.name(t)).collect::<Vec<_>>()),
        "loads": loads(false),
        "loads-with-patches": loads(true),
    })
}
