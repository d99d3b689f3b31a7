//! Renders the profiles of a folder into another one.
#![allow(clippy::print_stdout, clippy::disallowed_methods, clippy::unwrap_used)]
use rocpkg_model::{Files, Findings};
use rocpkg_render::Templates;
use rocpkg_resolve::{Choice, Model, Plan};
use std::collections::BTreeMap;
use std::path::Path;

fn read(root: &Path, at: &Path, out: &mut BTreeMap<String, String>, ext: &str) {
    for e in std::fs::read_dir(at).unwrap() {
        let p = e.unwrap().path();
        if p.is_dir() {
            read(root, &p, out, ext);
        } else if p.extension().is_some_and(|x| x == ext) {
            let rel = p.strip_prefix(root).unwrap().to_string_lossy().into_owned();
            if rel.starts_with("distros/") && !rel.starts_with("distros/gentoo") {
                continue;
            }
            out.insert(rel, std::fs::read_to_string(&p).unwrap());
        }
    }
}

fn main() {
    let mut files = Files::new();
    read(Path::new("profiles"), Path::new("profiles"), &mut files, "yaml");
    let mut texts = BTreeMap::new();
    read(Path::new("templates"), Path::new("templates/gentoo"), &mut texts, "j2");
    let (model, mut findings) = Model::load(&[(String::new(), files)]);
    let mut more = Findings::default();
    let plan = Plan::new(&model, "gentoo", &Choice::Shipped, &mut more).unwrap();
    let templates = Templates::new(&texts).unwrap();
    let out = rocpkg_gentoo::render(&plan, &templates, &rocpkg_gentoo::Options::default(), &mut more);
    findings.append(more);
    let quiet = std::env::args().nth(2).is_none();
    for f in findings.sorted() {
        if f.code == "W0301" && quiet {
            continue;
        }
        let place = f.span.map(|s| model.sources.place(s)).unwrap_or_default();
        println!("{} {place}: {} | {} | {}", f.code, f.message, f.label, f.hint.clone().unwrap_or_default());
    }
    let root = std::env::args().nth(1).unwrap();
    let _ = std::fs::remove_dir_all(&root);
    for (path, bytes) in out.tree.iter() {
        let p = Path::new(&root).join(path.as_str());
        std::fs::create_dir_all(p.parent().unwrap()).unwrap();
        std::fs::write(p, bytes).unwrap();
    }
    println!("{:?} {} companions", out.counts, out.companions.len());
}
