//! Adds checksums to the tables of releases (`releases/7.2.yaml`). The input is YAML: rows of
//! checksums by the sources' keys, or the output of `rocpkg sums`, in which a comment before each
//! part names the profile that it belongs to.

use super::folder::Folder;
use super::review_item::{Note, Risk};
use crate::error::Error;
use crate::stack::Stack;
use rocpkg_model::{Findings, Node, parse};
use rocpkg_render::splice::{Edit, NewValue};
use rocpkg_resolve::Release;

/// Adds the checksums in `text` to their tables. `name` is the name of the text in messages.
/// `version` is the release of rows that name no version. Returns a note for each checksum of a
/// patch: a person has to write it beside the patch.
///
/// # Errors
/// If the text has no rows of checksums, or if a checksum differs from the one that the table has.
pub(super) fn sums(
    folder: &mut Folder,
    version: &Release,
    name: &str,
    text: &str,
) -> Result<Vec<Note>, Error> {
    let mut notes = Vec::new();
    let stack = folder.stack();
    let own = format!("releases/{}.yaml", version.line());
    for (head, part) in parts(text) {
        let wrong = |said: &str| Error::profile(name, said);
        let mut findings = Findings::default();
        let node = parse(0, part, &mut findings).filter(|_| !findings.has_errors());
        let node = node.ok_or_else(|| wrong("invalid YAML, or a duplicate key"))?;
        if let Some(hash) = node.get("hash").and_then(Node::text) {
            let said = format!("write the checksum of this patch here: `hash: {hash}`");
            notes.push(Note {
                risk: Risk::Checksum,
                place: head.map(str::to_owned),
                said,
            });
            continue;
        }
        let path = head.unwrap_or(&own);
        for (below, table) in tables(&node, version) {
            for (key, row) in table.entries() {
                let given = row
                    .entries()
                    .iter()
                    .map(|(kind, sum)| Some((kind.name.as_str(), sum.text()?)));
                let given: Option<Vec<(&str, &str)>> = given.collect();
                let given = given.filter(|given| !given.is_empty());
                let given =
                    given.ok_or_else(|| wrong(&format!("`{}` has no checksum", key.name)))?;
                let keys: Vec<&str> = below.iter().copied().chain([key.name.as_str()]).collect();
                put(folder, &stack, path, &keys, &given).map_err(|said| wrong(&said))?;
            }
        }
    }
    Ok(notes)
}

/// Splits the output of `rocpkg sums` at the comments that name a profile (`# releases/7.2.yaml`).
/// Returns each part with the text of the comment before it; None for a part without such a
/// comment.
fn parts(text: &str) -> Vec<(Option<&str>, &str)> {
    let head = |line: &'_ str| line.strip_prefix("# ").is_some_and(|l| l.contains(".yaml"));
    let mut all = Vec::new();
    let (mut of, mut begin, mut at) = (None, 0, 0);
    for line in text.split_inclusive('\n') {
        if head(line) {
            all.push((of, &text[begin..at]));
            (of, begin) = (line.trim_end().strip_prefix("# "), at);
        }
        at += line.len();
    }
    all.push((of, &text[begin..]));
    let said = |part: &&str| {
        part.lines()
            .any(|l| !l.trim().is_empty() && !l.trim_start().starts_with('#'))
    };
    all.retain(|(_, part)| said(part));
    all
}

/// Returns the tables of checksums in a part, each with the keys above it: `versions: {7.2.4:
/// {checksums: …}}` -> (`versions`, `7.2.4`, `checksums`). If the part has neither `versions` nor
/// `files`, the whole part is the table of the release `version`.
fn tables<'n>(node: &'n Node, version: &'n Release) -> Vec<(Vec<&'n str>, &'n Node)> {
    let (versions, files) = (node.get("versions"), node.get("files"));
    if versions.is_none() && files.is_none() {
        return vec![(vec!["versions", version.as_str(), "checksums"], node)];
    }
    let each = versions.into_iter().flat_map(Node::entries);
    let each = each.filter_map(|(v, row)| {
        Some((
            vec!["versions", v.name.as_str(), "checksums"],
            row.get("checksums")?,
        ))
    });
    each.chain(files.map(|files| (vec!["files"], files)))
        .collect()
}

/// Adds the checksums `given` of one source to its row, which is under `keys` in the file `path`.
/// Each of `given` is a kind and a checksum. `stack` is the model before any checksum was added.
/// Returns the reason as the error if a checksum can't be added.
fn put(
    folder: &mut Folder,
    stack: &Stack,
    path: &str,
    keys: &[&str],
    given: &[(&str, &str)],
) -> Result<(), String> {
    let line = path
        .trim_start_matches("releases/")
        .trim_end_matches(".yaml");
    let file = stack
        .model()
        .line_nodes
        .get(line)
        .ok_or_else(|| format!("no release line is known for {path}"))?;
    let here = folder.node(path);
    let row = |file| keys.iter().try_fold(file, |node: &Node, key| node.get(key));
    for (kind, sum) in given {
        let stands = row(file).and_then(|row| row.get(kind));
        let place = stands.map_or_else(|| path.to_owned(), |old| stack.sources().place(old.span));
        // An earlier part of the same text may have added the checksum.
        let stands = stands.or_else(|| here.as_ref().and_then(row)?.get(kind));
        match stands.map(Node::text) {
            Some(old) if old == Some(sum) => continue,
            Some(_) => {
                return Err(format!(
                    "{place} already has another {kind} of `{}`",
                    keys.join(": ")
                ));
            }
            None => {}
        }
        let number = if *kind == "size" {
            sum.parse().ok().map(NewValue::Number)
        } else {
            None
        };
        let value = number.unwrap_or_else(|| NewValue::from(*sum));
        folder
            .edit(
                path,
                &[Edit::put(keys.iter().chain([kind]).copied(), value)],
            )
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}
