//! Models of any size, for tests of how run time and memory grow with the model.

use std::collections::{BTreeMap, BTreeSet};

/// Returns the texts of profiles that add `packages` libraries to the shipped model, by path. Each
/// library depends on up to three of the others, and has an overlay in each distribution.
pub fn many(packages: usize) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let name = |i: usize| format!("extra{i}x");
    let listed: String = (0..packages)
        .map(|i| format!("  {}: default\n", name(i)))
        .collect();
    for distro in ["gentoo", "arch", "nixpkgs", "solus"] {
        files.insert(
            format!("distros/{distro}.yaml"),
            format!("packages:\n{listed}"),
        );
        for i in 0..packages {
            let text = format!("environment: {{build: {{EXTRA_{i}: \"1\"}}}}\n");
            files.insert(format!("distros/{distro}/{}.yaml", name(i)), text);
        }
    }
    for i in 0..packages {
        let below = [
            i.checked_sub(1).map(|j| j / 2),
            i.checked_sub(1).map(|j| j / 3),
            i.checked_sub(7),
        ];
        let below: BTreeSet<usize> = below.into_iter().flatten().collect();
        let below = below
            .into_iter()
            .map(|j| format!("  {}: {{kind: link, targets: covers}}\n", name(j)));
        let text = format!(
            "title: {0}\nsummary: A library of many\nlicence: [MIT]\n\
             sources: {{main: {{repository: rocm-libraries, path: projects/{0}, asset: {0}}}}}\n\
             targets: {{variable: GPU_TARGETS, empty: upstream default list}}\n\
             options: {{BUILD_TEST: {{default: off, feature: test}}}}\n\
             depends:\n  rocm-cmake: {{kind: tool}}\n  clr: {{kind: link}}\n  gtest: {{kind: test}}\n{1}",
            name(i),
            below.collect::<String>()
        );
        files.insert(format!("components/{}.yaml", name(i)), text);
    }
    files
}
