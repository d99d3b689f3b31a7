//! The profiles and templates that are built into the program.

use include_dir::{Dir, include_dir};
use rocpkg_model::Files;

static PROFILES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../profiles");
static TEMPLATES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../templates");

/// The profiles that ship with rocpkg: path inside `profiles/` -> text.
pub fn profiles() -> Files {
    collect(&PROFILES)
}

/// The templates that ship with rocpkg: path inside `templates/` -> text.
pub fn templates() -> Files {
    collect(&TEMPLATES)
}

fn collect(dir: &Dir) -> Files {
    let mut out = Files::new();
    let mut open = vec![dir];
    while let Some(dir) = open.pop() {
        open.extend(dir.dirs());
        for file in dir.files() {
            if let (Some(path), Some(text)) = (file.path().to_str(), file.contents_utf8()) {
                out.insert(path.replace('\\', "/"), text.to_owned());
            }
        }
    }
    out
}
