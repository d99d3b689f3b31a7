//! The profiles and templates that are built into the program. The folders are links to those at the top of the repository, which
//! cargo follows when it packs this crate.

use include_dir::{Dir, File, include_dir};
use rocpkg_model::Files;

// The folders one by one: what else lies in profiles/ (schemas, documents) is for people and editors.
static COMPONENTS: Dir = include_dir!("$CARGO_MANIFEST_DIR/profiles/components");
static DISTROS: Dir = include_dir!("$CARGO_MANIFEST_DIR/profiles/distros");
static RELEASES: Dir = include_dir!("$CARGO_MANIFEST_DIR/profiles/releases");
static SINGLE: [(&str, &str); 4] = [
    ("externals.yaml", include_str!("../profiles/externals.yaml")),
    ("products.yaml", include_str!("../profiles/products.yaml")),
    ("targets.yaml", include_str!("../profiles/targets.yaml")),
    ("upstream.yaml", include_str!("../profiles/upstream.yaml")),
];
static TEMPLATES: Dir = include_dir!("$CARGO_MANIFEST_DIR/templates");

/// The profiles that ship with rocpkg: path inside `profiles/` -> text.
pub fn profiles() -> Files {
    let mut out: Files = SINGLE.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
    for (folder, dir) in [("components", &COMPONENTS), ("distros", &DISTROS), ("releases", &RELEASES)] {
        out.extend(collect(dir).into_iter().map(|(path, text)| (format!("{folder}/{path}"), text)));
    }
    out
}

/// The templates that ship with rocpkg: path inside `templates/` -> text.
pub fn templates() -> Files {
    collect(&TEMPLATES)
}

fn collect(dir: &Dir) -> Files {
    let text = |file: &File| Some((file.path().to_str()?.to_owned(), file.contents_utf8()?.to_owned()));
    let own = dir.files().filter_map(text);
    own.chain(dir.dirs().flat_map(collect)).collect()
}
