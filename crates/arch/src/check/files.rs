//! Reports sources that are missing beside the PKGBUILD, and files that functions use but no source
//! lists.

use super::recipe::Recipe;
use super::sources::Folders;
use super::steps::{PathStep, STARTDIR, in_sources};
use super::values::Element;
use rocpkg_syntax::{Checked, Fault};
use std::collections::BTreeSet;

/// File name endings of files that are usually beside a PKGBUILD.
const LOCAL: &str =
    "patch diff conf sh service desktop sysusers tmpfiles hook rules pam timer socket logrotate";

pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    beside(recipe, out);
    used(recipe, out);
}

/// Reports local sources that are missing beside the PKGBUILD.
fn beside(recipe: &Recipe, out: &mut Checked) {
    let Some(files) = &recipe.surroundings.files else {
        return;
    };
    for source in recipe
        .sources
        .iter()
        .flatten()
        .filter(|source| source.is_local())
    {
        let Some(path) = source.address.as_deref() else {
            continue;
        };
        let last = path.rsplit('/').next().unwrap_or_default();
        if !files.contains(path) && !files.contains(last) && !files.contains(&source.name) {
            let message = format!("`{path}` is a source, but the file is not beside the PKGBUILD");
            out.faults.push(
                Fault::new("E0823", source.at.clone(), message)
                    .label("expected a file in this folder"),
            );
        }
    }
}

/// Reports files that functions use but no source lists.
fn used(recipe: &Recipe, out: &mut Checked) {
    let sources = recipe.sources.as_deref();
    let Some(sources) = sources.filter(|all| all.iter().all(|source| source.address.is_some()))
    else {
        out.not_checked(
            recipe.start("source"),
            "files that functions use",
            "only bash can compute an element of `source`",
        );
        return;
    };
    let mut brought: BTreeSet<&str> = BTreeSet::new();
    for source in sources {
        brought.insert(&source.name);
        let unpacked = [".gz", ".xz", ".bz2", ".zst", ".lz", ".lzma"]
            .into_iter()
            .find_map(|end| source.name.strip_suffix(end));
        brought.extend(unpacked);
    }
    let archives = &recipe.surroundings.archives;
    let all_known = sources
        .iter()
        .all(|source| !matches!(source.folders(&[], archives), Folders::Unknown));
    let mut seen = BTreeSet::new();
    for step in &recipe.steps {
        for word in read(step) {
            let path = word.text.as_deref();
            let path = path.and_then(|path| step.path_of_file(word, path));
            let Some(path) = path else { continue };
            let (name, is_beside) = match (in_sources(&path), path.strip_prefix(STARTDIR)) {
                (Some(name), _) => (name, false),
                (None, Some(rest)) => (rest.trim_start_matches('/'), true),
                (None, None) => continue,
            };
            let Some((stem, end)) = name.rsplit_once('.') else {
                continue;
            };
            let is_local = LOCAL.split_whitespace().any(|local| local == end);
            let is_certain = all_known || matches!(end, "patch" | "diff");
            let is_there = match &recipe.surroundings.files {
                Some(files) if is_beside => files.contains(name),
                None if is_beside => true,
                _ => brought.contains(name),
            };
            if name.contains('/')
                || stem.is_empty()
                || !is_local
                || !is_certain
                || is_there
                || is_made(recipe, name, end)
                || !seen.insert(name.to_owned())
            {
                continue;
            }
            let message = if is_beside {
                format!("a function uses `{name}`, but the file is not beside the PKGBUILD")
            } else {
                format!("a function uses `{name}`, but no source provides it")
            };
            let fault = Fault::new("E0823", word.at.clone(), message);
            out.faults.push(if is_beside {
                fault.label("expected a file in this folder")
            } else {
                let fault = fault.label("expected a file that `source` lists");
                fault.missing("source", name)
            });
        }
    }
}

/// Returns those arguments of a command that are files which the command reads.
fn read<'a>(step: &'a PathStep) -> Vec<&'a Element> {
    let text = |word: &'a Element| word.text.as_deref().unwrap_or_default();
    match step.name.as_str() {
        "patch" => {
            let pairs = step.words.iter().zip(step.words.iter().skip(1));
            let named = pairs.filter(|(sign, _)| {
                matches!(text(sign), "<" | "--input")
                    || (text(sign).starts_with('-')
                        && !text(sign).starts_with("--")
                        && text(sign).ends_with('i'))
            });
            named.map(|(_, file)| file).collect()
        }
        "install" | "cp" => {
            let to = step
                .words
                .iter()
                .any(|word| text(word).starts_with("-t") || text(word).starts_with("--target"));
            let all: Vec<_> = step
                .words
                .iter()
                .take_while(|word| !matches!(text(word), "<" | ">"))
                .filter(|word| !text(word).starts_with('-'))
                .collect();
            let n = if to {
                all.len()
            } else {
                all.len().saturating_sub(1)
            };
            all[..n].to_vec()
        }
        _ => Vec::new(),
    }
}

/// Returns true if a function may create the file `name`, or a file of unknown name. `end` is the
/// ending of `name`.
fn is_made(recipe: &Recipe, name: &str, end: &str) -> bool {
    let is_like = |word: &Element| {
        let text = word.text.as_deref();
        !recipe.is_in_package(word)
            && text.is_none_or(|text| {
                text.rsplit('/').next() == Some(name) || text == "." || text.ends_with('/')
            })
    };
    let ends = |word: &Element| {
        word.text
            .as_deref()
            .is_none_or(|text| text.ends_with(&format!(".{end}")))
    };
    recipe.steps.iter().any(|step| {
        let written = step
            .words
            .iter()
            .zip(step.words.iter().skip(1))
            .any(|(sign, file)| sign.text.as_deref() == Some(">") && ends(file));
        let last = step.words.last();
        written
            || match step.name.as_str() {
                "cp" | "mv" | "ln" | "install" | "tee" => last.is_some_and(is_like),
                "curl" | "wget" | "tar" | "bsdtar" | "unzip" | "ar" | "7z" | "gendesk" | "eval"
                | "bsdcpio" | "msgfmt" | "" => true,
                "git" => step
                    .words
                    .iter()
                    .any(|word| word.text.as_deref() == Some("format-patch")),
                _ => false,
            }
    })
}
