//! How far rendered recipes are from a distribution's own, in lines of a diff: what a reviewer would see.

#![expect(clippy::cast_precision_loss, reason = "counts of lines")]

use crate::tools::Outcome;
use similar::{ChangeTag, TextDiff};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
};

/// How the lines that describe a package begin; sentences are each side's own.
const DESCRIPTIONS: [&str; 6] =
    ["description = ", "DESCRIPTION=", "pkgdesc=", "summary ", "summary:", "description"];

/// Lines of two files that only one of them has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Distance {
    /// Lines of either file that the other one lacks.
    changed: usize,
    /// Those among them that are comments or descriptions.
    words: usize,
    /// Lines of the distribution's file.
    lines: usize,
}

/// Prints the distance of each file that both folders hold, the farthest last, then the sum of each folder.
pub(crate) fn run(ours: &Path, theirs: &Path) -> Outcome {
    let mine = files(ours)?;
    let mut rows = Vec::new();
    for path in files(theirs)? {
        let same_name: Vec<_> = mine.iter().filter(|p| p.file_name() == path.file_name()).collect();
        // One of another category or in no folder is told by its name.
        let found = match &same_name[..] {
            _ if mine.contains(&path) => &path,
            [only] => *only,
            _ => continue,
        };
        let read = |file: PathBuf| fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()));
        rows.push((distance(&read(ours.join(found))?, &read(theirs.join(&path))?), path));
    }
    if rows.is_empty() {
        return Err(format!("{} and {} have no file in common", ours.display(), theirs.display()));
    }
    rows.sort_by(|(a, x), (b, y)| share(*a).total_cmp(&share(*b)).then_with(|| x.cmp(y)));
    println!("changed  words  lines  share  file");
    let mut sums: BTreeMap<PathBuf, Vec<Distance>> = BTreeMap::new();
    for (d, path) in &rows {
        println!("{:7} {:6} {:6} {:6.2}  {}", d.changed, d.words, d.lines, share(*d), path.display());
        let top = path.components().next().filter(|_| path.components().count() > 2);
        sums.entry(top.iter().collect()).or_default().push(*d);
    }
    for (folder, all) in sums {
        let sum = |of: fn(&Distance) -> usize| all.iter().map(of).sum::<usize>();
        let mean = all.iter().map(|d| share(*d)).sum::<f64>() / all.len() as f64;
        let (changed, words, lines) = (sum(|d| d.changed), sum(|d| d.words), sum(|d| d.lines));
        println!("{changed:7} {words:6} {lines:6} {mean:6.2}  {} files {}", all.len(), folder.display());
    }
    Ok(())
}

/// The paths of all files below `folder`, from there, in order.
fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let mut open = vec![PathBuf::new()];
    while let Some(at) = open.pop() {
        let entries = fs::read_dir(folder.join(&at)).map_err(|e| format!("{}: {e}", folder.display()))?;
        for entry in entries {
            let entry = entry.map_err(|e| format!("{}: {e}", folder.display()))?;
            let path = at.join(entry.file_name());
            if entry.path().is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

fn share(d: Distance) -> f64 {
    d.changed as f64 / d.lines.max(1) as f64
}

fn distance(ours: &str, theirs: &str) -> Distance {
    let mut d = Distance { lines: theirs.lines().count(), ..Distance::default() };
    let changes = TextDiff::from_lines(ours, theirs);
    for change in changes.iter_all_changes().filter(|c| c.tag() != ChangeTag::Equal) {
        let line = change.value().trim();
        d.changed += 1;
        d.words += usize::from(line.starts_with('#') || DESCRIPTIONS.iter().any(|d| line.starts_with(d)));
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_are_counted_apart() {
        let ours = "# ours\npname = \"a\";\ndescription = \"A\";\nx = 1;\n";
        let theirs = "pname = \"a\";\ndescription = \"B\";\nx = 2;\n\n# theirs\n";
        assert_eq!(distance(ours, theirs), Distance { changed: 7, words: 4, lines: 5 });
        assert_eq!(distance(ours, ours), Distance { changed: 0, words: 0, lines: 4 });
    }
}
