//! `rocpkg take`: what people and their tools changed in rendered PKGBUILDs becomes a layer of profiles: `pkgrel`, and checksums
//! as `updpkgsums` writes them.

use crate::args::TakeArgs;
use crate::outcome::{OK, Outcome, WRONG, refused, shown};
use crate::profiles;
use rocpkg::arch::{Edited, SumOrigin, odd_release, sum_origins};
use rocpkg::model::Span;
use rocpkg::render::{DifferenceKind, FileTree, WriteOptions, check, create, read_text};
use rocpkg::resolve::{Plan, Planned, odd_checksum};
use rocpkg::{Backend, Stack, StackOptions};
use std::collections::BTreeMap;
use std::ops::Range;

/// Checksums by the file of their releases, by version, by key; each with its kind.
type Tables = BTreeMap<String, Versions>;
type Versions = BTreeMap<String, BTreeMap<String, BTreeMap<String, String>>>;

/// Reads the PKGBUILDs of a tree and writes what differs into a folder of profiles.
pub(crate) fn run(args: &TakeArgs) -> Result<Outcome, String> {
    let choice = args.plan.choice()?;
    if !args.out.is_dir() {
        return Err(format!("--out {}: no such folder", args.out.display()));
    }
    let (model, mut findings) = profiles::load(&args.plan.model)?;
    profiles::require(&model, &findings, &[Backend::Arch])?;
    let stack = Stack::new(model, &rocpkg::templates()).map_err(|e| e.to_string())?;
    let options = StackOptions { backends: vec![Backend::Arch], choice, ..StackOptions::everything() };
    let tree = stack.render(&options, &mut findings).map_err(|e| e.to_string())?;
    let plan = Plan::new(stack.model(), Backend::Arch.distro(), &options.choice, &mut findings);
    let (Some(plan), false) = (plan, findings.has_errors()) else {
        return Ok(Outcome::wrong(&findings, stack.sources(), args.plan.model.verbose));
    };
    let mut sources = stack.sources().clone();
    let mut tables = Tables::new();
    let mut layer = FileTree::default();
    let mut out =
        Outcome { err: shown(&findings, stack.sources(), args.plan.model.verbose), ..Outcome::default() };
    let found = match check(&tree.files, &args.out, &WriteOptions::default()) {
        Ok(found) => found,
        Err(e) => return Ok(refused(&e)),
    };
    // A file that is as rocpkg wrote it holds nothing of anybody's.
    let edited = |path: &String| {
        let how = found.iter().find(|d| d.path == *path).map(|d| d.kind);
        matches!(how, Some(DifferenceKind::Edited | DifferenceKind::Foreign))
    };
    for p in &plan.packages {
        let path = format!("arch/{}/PKGBUILD", p.name);
        if !edited(&path) {
            continue;
        }
        let rendered = tree.files.get(&path).and_then(|b| std::str::from_utf8(b).ok());
        let Some(rendered) = rendered else { continue };
        let edited = match read_text(&args.out.join(&path)) {
            Ok(text) => text,
            Err(e) => return Ok(refused(&e)),
        };
        let (was, is) = (Edited::read(rendered), Edited::read(&edited));
        let origins = sum_origins(p);
        if was.rest != is.rest || is.sums.len() != origins.len() || is.kind != was.kind {
            out.out.push_str(&format!("left, since more than pkgrel and checksums was changed: {path}\n"));
            out.status = WRONG;
            continue;
        }
        let file = sources.add(args.out.join(&path).display().to_string(), edited.as_str());
        let span = |at: &Range<usize>| {
            let byte = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
            Span { file, start: byte(at.start), end: byte(at.end), inset: None }
        };
        if was.release != is.release {
            findings.push_some(odd_release(&is.release, span(&is.release_at)));
        }
        // No word such as `SKIP` can stand for a sum that a table holds.
        let changed = was.sums.iter().zip(&is.sums).zip(&is.sums_at).filter(|((old, new), _)| old != new);
        for ((_, new), at) in changed {
            findings.push_some(odd_checksum(stated(&is.kind), new, span(at)));
        }
        let overlay = overlay(p, &was, &is, &origins, &mut tables)?;
        if !p.is_shipped && was.release != is.release {
            out.out.push_str(&format!(
                "left, since {} is not what is shipped: the pkgrel of {path}\n",
                p.version
            ));
            out.status = WRONG;
        }
        if !overlay.is_empty() {
            layer.insert(format!("distros/arch/{}.yaml", p.id), overlay).map_err(|e| e.to_string())?;
        }
    }
    for (line, versions) in tables {
        layer.insert(format!("releases/{line}.yaml"), table(&versions)).map_err(|e| e.to_string())?;
    }
    if findings.has_errors() {
        return Ok(Outcome::wrong(&findings, &sources, args.plan.model.verbose));
    }
    if let Err(e) = create(&layer, &args.into) {
        return Ok(refused(&e));
    }
    for (path, _) in layer.iter() {
        out.out.push_str(&format!("{}/{path}\n", args.into.display()));
    }
    if layer.is_empty() && out.status == OK {
        out.out.push_str("nothing to take\n");
    }
    Ok(out)
}

/// What a package's overlay says of the difference; checksums of sources go to the tables of their releases.
fn overlay(
    p: &Planned,
    was: &Edited,
    is: &Edited,
    origins: &[SumOrigin],
    tables: &mut Tables,
) -> Result<String, String> {
    let (mut patches, mut files) = (String::new(), String::new());
    for ((old, new), origin) in was.sums.iter().zip(&is.sums).zip(origins) {
        if old == new {
            continue;
        }
        match origin {
            SumOrigin::Table { version, key } => {
                let kind = stated(&is.kind);
                let versions = tables.entry(version.line()).or_default();
                let keys = versions.entry(version.to_string()).or_default();
                let sums = keys.entry(key.clone()).or_default();
                if sums.insert(kind.to_owned(), new.clone()).is_some_and(|other| other != *new) {
                    return Err(format!("two PKGBUILDs state different sums of `{key}` at {version}"));
                }
            }
            SumOrigin::Patch(file) => {
                patches.push_str(&format!("  - {{file: {}, hash: {}}}\n", quoted(file), quoted(new)));
            }
            SumOrigin::File(name) => {
                files.push_str(&format!("    {}: {{hash: {}}}\n", quoted(name), quoted(new)));
            }
            SumOrigin::Unchecked => {}
        }
    }
    let mut out = String::new();
    if !patches.is_empty() {
        out.push_str(&format!("patches:\n{patches}"));
    }
    let release = p.is_shipped && was.release != is.release;
    if release || !files.is_empty() {
        out.push_str("pkgbuild:\n");
    }
    if release {
        out.push_str(&format!("  pkgrel: {}\n", quoted(&is.release)));
    }
    if !files.is_empty() {
        out.push_str(&format!("  files:\n{files}"));
    }
    Ok(out)
}

/// What makepkg calls a kind of checksum, in the words of a release's table.
fn stated(kind: &str) -> &str {
    if kind == "b2" { "blake2b" } else { kind }
}

fn table(versions: &Versions) -> String {
    let mut out = String::from("versions:\n");
    for (version, keys) in versions {
        out.push_str(&format!("  {}:\n    checksums:\n", quoted(version)));
        for (key, sums) in keys {
            let sums: Vec<String> =
                sums.iter().map(|(kind, sum)| format!("{kind}: {}", quoted(sum))).collect();
            out.push_str(&format!("      {}: {{{}}}\n", quoted(key), sums.join(", ")));
        }
    }
    out
}

/// Text as YAML reads it back, whatever it holds.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
