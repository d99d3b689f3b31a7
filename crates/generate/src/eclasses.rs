//! Compares the table of common eclasses with texts of eclasses.

use rocpkg::gentoo::internal::eclass_record;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

const TABLE: &str = "crates/gentoo/src/check/eclasses.txt";

/// Prints the record of each eclass in `folder` that the table lacks, and for the others the names
/// in which the record of the text and that of the table differ. A person decides: the table also
/// has variables that no eclass documents.
pub(crate) fn run(root: &Path, folder: &str) -> Result<(), String> {
    let read = |path: &Path| {
        fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
    };
    let table = read(&root.join(TABLE))?;
    let entries = fs::read_dir(folder).map_err(|error| format!("{folder}: {error}"))?;
    let paths: BTreeSet<_> = entries.flatten().map(|entry| entry.path()).collect();
    for path in paths {
        let name = path.file_name().and_then(|name| name.to_str());
        let Some(name) = name.and_then(|name| name.strip_suffix(".eclass")) else {
            continue;
        };
        let Some(record) = eclass_record(name, &read(&path)?) else {
            println!("# {name}.eclass can't be read\n");
            continue;
        };
        let head = format!("[{name}]\n");
        let Some((_, rest)) = table.split_once(&format!("\n{head}")) else {
            println!("{record}");
            continue;
        };
        let known = rest.split("\n\n").next().unwrap_or_default();
        for key in ["inherits", "phases", "iuse", "functions", "variables"] {
            let names = |record: &str| -> BTreeSet<String> {
                let start = format!("{key}: ");
                let line = record.lines().find_map(|line| line.strip_prefix(&start));
                let words = line.unwrap_or_default().split_whitespace();
                words
                    .map(|word| word.trim_end_matches('?').to_owned())
                    .collect()
            };
            let (known, new) = (names(known), names(&record));
            let gone = known.difference(&new).map(|name| format!(" -{name}"));
            let all: String = gone
                .chain(new.difference(&known).map(|name| format!(" +{name}")))
                .collect();
            if !all.is_empty() {
                println!("# {name} {key}:{all}");
            }
        }
    }
    Ok(())
}
