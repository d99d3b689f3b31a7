//! Companions: files that recipes name and the user supplies, such as local patches. They are taken
//! from the user's folder, or left as they are if they exist in the output.

use crate::backend::Backend;
use crate::error::Error;
use crate::tree::Tree;
use rocpkg_model::{Finding, Findings, Node, Severity, Span, Value};
use rocpkg_render::{Companion, Sum, read};
use rocpkg_resolve::Model;
use std::collections::BTreeSet;
use std::path::Path;

/// Takes companions out of `folder`, the user's folder, into the tree. Returns the paths of those
/// that exist in the output `out` already; they are not written. Companions that are in neither
/// place stay in `tree.companions`. `is_checkout` is true if `out` is a checkout of a
/// distribution's repository.
///
/// If the content of a companion does not have the checksum that its recipe states, an error is
/// added to `findings`.
///
/// # Errors
/// When `folder` is no folder, or a file can't be read.
pub(super) fn take(
    folder: Option<&Path>,
    out: &Path,
    is_checkout: bool,
    tree: &mut Tree,
    model: &Model,
    findings: &mut Findings,
) -> Result<BTreeSet<String>, Error> {
    if let Some(folder) = folder.filter(|f| !f.is_dir()) {
        return Err(Error::place(folder, "no such folder"));
    }
    let mut present = BTreeSet::new();
    let mut all = std::mem::take(&mut tree.companions);
    all.sort();
    all.dedup_by(|a, b| a.path == b.path);
    for c in all {
        // Files in the user's folder may have the paths of the output (`gentoo/…`) or those of a
        // checkout, which lack the first folder.
        let short = c.path.split_once('/').map_or("", |(_, rest)| rest);
        let given = folder.and_then(|f| {
            [f.join(&c.path), f.join(short)]
                .into_iter()
                .find(|p| p.exists())
        });
        if let Some(path) = given {
            let bytes = read(&path)?.unwrap_or_default();
            check(&c, &path, &bytes, model, findings);
            tree.files.insert(c.path, bytes)?;
            continue;
        }
        let place = out.join(&c.path);
        if let Some(bytes) = read(&place)? {
            if !(is_checkout && is_stated(&c, &bytes, tree, out)?) {
                check(&c, &place, &bytes, model, findings);
            }
            present.insert(c.path);
        } else if !c.package.is_empty() || tree.whole {
            tree.companions.push(c);
        }
    }
    Ok(present)
}

/// Returns true if the existing recipe of the package of `c` in `out` states the checksum of
/// `bytes`, the content of the companion `c`. The model's recipe may state another checksum.
fn is_stated(c: &Companion, bytes: &[u8], tree: &Tree, out: &Path) -> Result<bool, Error> {
    let Some(stated) = &c.sum else {
        return Ok(false);
    };
    let real = stated.of(bytes);
    let is_its = |path: &str| {
        let owner = tree.owners.get(path);
        owner.is_some_and(|(_, id)| *id == c.package)
    };
    for (path, _) in tree.recipes().filter(|(path, _)| is_its(path)) {
        let recipe = read(&out.join(path))?.unwrap_or_default();
        if String::from_utf8_lossy(&recipe).contains(real.digits()) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn check(c: &Companion, path: &Path, bytes: &[u8], model: &Model, findings: &mut Findings) {
    let Some(stated) = &c.sum else { return };
    let real = stated.of(bytes);
    if real == *stated {
        return;
    }
    let message = format!(
        "{} does not have the checksum that its recipe states",
        path.display()
    );
    findings.push(Finding {
        code: "E0441",
        severity: Severity::Error,
        message,
        span: place(c, stated, model),
        label: format!("the {} of the file is {}", kind(stated), real.digits()),
        hint: Some("supply the right file, or correct the checksum".to_owned()),
        others: Vec::new(),
    });
}

fn kind(sum: &Sum) -> &'static str {
    match sum {
        Sum::Sha256(_) => "SHA-256",
        Sum::Sha512(_) => "SHA-512",
        Sum::Blake2b(_) => "BLAKE2b",
    }
}

/// Returns the place in the profiles that states the checksum `sum` of the companion `c`. Returns
/// None if no overlay of the package states it.
fn place(c: &Companion, sum: &Sum, model: &Model) -> Option<Span> {
    let folder = c.path.split('/').next()?;
    let distro = Backend::ALL
        .into_iter()
        .find(|b| b.folder() == folder)?
        .distro();
    let layers = model.overlays.get(distro)?.get(&c.package)?;
    layers
        .iter()
        .rev()
        .find_map(|layer| find(layer, sum.digits()))
}

fn find(node: &Node, text: &str) -> Option<Span> {
    match &node.value {
        Value::Scalar { text: own, .. } => own.eq_ignore_ascii_case(text).then_some(node.span),
        Value::Seq(items) => items.iter().find_map(|n| find(n, text)),
        Value::Map(entries) => entries.iter().find_map(|(_, n)| find(n, text)),
        Value::Null => None,
    }
}
