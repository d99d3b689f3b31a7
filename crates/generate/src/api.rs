//! What the crates offer: each public item by its line, so that a change of it is read in a review.

use crate::files::find;
use std::{fs, path::Path};

/// The crates that people depend on.
const CRATES: [&str; 12] = [
    "rocpkg", "gentoo", "arch", "nix", "solus", "pms", "targets", "model", "resolve", "render",
    "edit", "upstream",
];

/// The items of all of them, file by file.
pub(crate) fn listed(root: &Path) -> Result<String, String> {
    let mut out = String::from(
        "Public items, made by `cargo xtask generate`: what stands here is promised to those who depend on it.\n",
    );
    for name in CRATES {
        let folder = root.join("crates").join(name).join("src");
        let mut files = Vec::new();
        find(&folder, "rs", &mut files)?;
        files.sort();
        for file in files {
            let text = fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            let items = items(&text);
            if !items.is_empty() {
                let shown = file
                    .strip_prefix(root.join("crates"))
                    .unwrap_or(&file)
                    .display()
                    .to_string();
                out += &format!("\n{shown}\n{items}");
            }
        }
    }
    Ok(out)
}

/// The public items of a file, each up to its body, below the `impl` that they stand in.
fn items(text: &str) -> String {
    let text = text
        .split("\n#[cfg(test)]\nmod tests")
        .next()
        .unwrap_or(text);
    let mut lines = text.lines();
    let (mut out, mut within) = (String::new(), String::new());
    while let Some(line) = lines.next() {
        let item = line.trim();
        if line.starts_with("impl") {
            item.trim_end_matches(['{', ' ']).clone_into(&mut within);
        } else if line == "}" {
            within.clear();
        } else if item.starts_with("pub ") {
            let mut whole = item.to_owned();
            while !whole.contains(['{', ';', ','])
                || whole.matches('(').count() > whole.matches(')').count()
            {
                let Some(next) = lines.next() else { break };
                whole = format!("{} {}", whole.trim_end(), next.trim());
            }
            // A list of re-exports is part of the item; a body is not.
            let end = if whole.contains("pub use ") {
                None
            } else {
                whole.find(" {")
            };
            while whole.contains("pub use ") && !whole.contains(';') {
                let Some(next) = lines.next() else { break };
                whole = format!("{whole} {}", next.trim());
            }
            let whole = end
                .map_or(whole.as_str(), |end| &whole[..end])
                .trim_end_matches([';', ',', '[', ' ']);
            let place = if within.is_empty() {
                String::new()
            } else {
                format!("{within}: ")
            };
            if line.starts_with("pub struct") && line.ends_with('{') {
                whole.clone_into(&mut within);
            }
            // A formatter may break the item over several lines.
            let layout = [("( ", "("), (", )", ")"), ("{ ", "{"), (", }", "}")];
            let whole = layout.iter().fold(whole.to_owned(), |whole, (from, to)| {
                whole.replace(from, to)
            });
            out += &format!("  {place}{whole}\n");
        }
    }
    out
}
