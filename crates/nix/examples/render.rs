//! Renders the tree into a folder, for use while the command is being written.
#![allow(clippy::unwrap_used, clippy::print_stderr, missing_docs)]
use std::collections::BTreeMap;
use std::path::Path;

fn read(root: &Path, at: &Path, out: &mut BTreeMap<String, String>) {
    for e in std::fs::read_dir(at).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            read(root, &p, out);
        } else if p.extension().is_some_and(|x| x == "yaml" || x == "j2") {
            out.insert(
                p.strip_prefix(root).unwrap().display().to_string(),
                std::fs::read_to_string(&p).unwrap(),
            );
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let layers: Vec<(String, BTreeMap<String, String>)> = args[2..]
        .iter()
        .map(|d| {
            let mut files = BTreeMap::new();
            read(Path::new(d), Path::new(d), &mut files);
            files.retain(|k, _| !k.starts_with("distros/gentoo") && !k.starts_with("distros/arch"));
            (d.clone(), files)
        })
        .collect();
    let (model, mut findings) = rocpkg_model_load(&layers);
    let plan = rocpkg_resolve::Plan::new(&model, "nixpkgs", &rocpkg_resolve::Choice::Shipped, &mut findings);
    let mut templates = BTreeMap::new();
    read(Path::new("templates"), Path::new("templates"), &mut templates);
    templates.retain(|k, _| k.starts_with("nix/"));
    let templates = rocpkg_render::Templates::new(&templates).unwrap();
    if let Some(plan) = plan {
        let r = rocpkg_nix::render(&plan, &templates, &mut findings).unwrap();
        for (p, b) in r.tree.iter() {
            let p = Path::new(&args[1]).join(p.as_str());
            std::fs::create_dir_all(p.parent().unwrap()).unwrap();
            #[allow(clippy::disallowed_methods)]
            std::fs::write(p, b).unwrap();
        }
        eprintln!("{:?}", r.counts);
    }
    eprintln!("{}", findings.render(&model.sources, false));
}

fn rocpkg_model_load(
    layers: &[(String, BTreeMap<String, String>)],
) -> (rocpkg_resolve::Model, rocpkg_model::Findings) {
    let layers: Vec<_> = layers.iter().map(|(l, f)| (l.clone(), f.clone().into_iter().collect())).collect();
    rocpkg_resolve::Model::load(&layers)
}
