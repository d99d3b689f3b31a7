//! Reads every rendered recipe back as a whole. None contradicts itself.

use rocpkg::internal::syntax::Surroundings;
use rocpkg::{Backend, Options, Tree};
use rocpkg_tests::{laid, rendered};
use std::collections::BTreeSet;

/// The oldest release of the model, some others, and the releases that distributions ship.
const CHOICES: [&str; 5] = ["6.1.3", "6.4.3", "7.1.1", "shipped", "10.0.0"];

/// The code of the finding about a checksum that is not filled in.
pub(crate) const UNKNOWN_SUM: &str = "E0845";

/// Returns the files beside a recipe in a tree.
pub(crate) fn beside(tree: &Tree, path: &str) -> Surroundings {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let files = tree.files.iter().map(|(path, _)| path.as_str());
    let all = files.chain(tree.companions.iter().map(|c| c.path.as_str()));
    let files: BTreeSet<String> = all
        .filter_map(|path| path.strip_prefix(folder)?.strip_prefix('/'))
        .map(str::to_owned)
        .collect();
    Surroundings {
        path: path.to_owned(),
        files: Some(files),
        ..Surroundings::default()
    }
}

#[test]
fn no_rendered_recipe_contradicts_itself() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for backend in Backend::ALL {
        for choice in CHOICES {
            let options = Options {
                backends: vec![backend],
                choices: vec![choice.parse().unwrap()],
                allow_missing: true,
                allow_guesses: true,
                ..Options::default()
            };
            let tree = rendered(laid(&[]), &options).tree;
            for (path, _) in tree.recipes() {
                let text = tree.text(path).unwrap();
                count += 1;
                for fault in backend.check(text, &beside(&tree, path)).faults {
                    // An unknown checksum is already reported with the tree.
                    if fault.finding.code == UNKNOWN_SUM && !tree.unknown_sums.is_empty() {
                        continue;
                    }
                    let line = text[..fault.at()].matches('\n').count() + 1;
                    let finding = &fault.finding;
                    wrong.push(format!(
                        "{choice} {path}:{line}: {} {} | {}",
                        finding.code,
                        finding.message,
                        text.lines().nth(line - 1).unwrap_or_default()
                    ));
                }
            }
        }
    }
    assert!(count > 700, "{count} recipes");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
