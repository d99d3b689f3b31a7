//! Renders the small model in `tests/small` for nixpkgs.

use rocpkg_model::{Files, Findings};
use rocpkg_nix::internal::render;
use rocpkg_render::{Rendered, Templates};
use rocpkg_resolve::{Choice, Model, Plan};

pub(crate) fn files(changes: &[(&str, &str, &str)]) -> Files {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/small");
    let mut all = rocpkg_test_support::texts(folder.as_ref(), &["yaml"]);
    for (file, from, to) in changes {
        let text = all.get_mut(*file).unwrap();
        assert!(text.contains(from), "{file} holds no {from}");
        *text = text.replacen(from, to, 1);
    }
    all.into_iter().collect()
}

pub(crate) fn run(changes: &[(&str, &str, &str)]) -> (Rendered, String, bool) {
    let (model, mut findings) = Model::load(&[(String::new(), files(changes))]);
    let templates = [(
        "nix/file.nix.j2".to_owned(),
        include_str!("../../../../templates/nix/file.nix.j2").to_owned(),
    )];
    let templates = Templates::new(&templates.into_iter().collect()).unwrap();
    let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings);
    let rendered = plan
        .map(|p| render(&p, &templates, &mut findings).unwrap())
        .unwrap_or_default();
    (rendered.0, told(&findings, &model), findings.has_errors())
}

pub(crate) fn told(findings: &Findings, model: &Model) -> String {
    findings.render(&model.sources, false).trim_end().to_owned()
}

pub(crate) fn file(r: &Rendered, path: &str) -> String {
    String::from_utf8(
        r.tree
            .get(path)
            .unwrap_or_else(|| panic!("no {path}"))
            .to_vec(),
    )
    .unwrap()
}

/// Returns the lines of `text` that contain one of `words`, without their indentation.
pub(crate) fn lines(text: &str, words: &[&str]) -> Vec<String> {
    let hit = |l: &&str| words.iter().any(|w| l.contains(w));
    text.lines()
        .filter(hit)
        .map(|l| l.trim().to_owned())
        .collect()
}
