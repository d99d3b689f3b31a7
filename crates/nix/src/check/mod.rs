//! Checks the text of a whole expression: names, attributes, facts of sources, and paths.
//!
//! `syntax.rs` finds syntax that the reader accepts and Nix refuses. `sources.rs` compares the
//! facts of a source with each other (version, tag and checksum), and `twice.rs` finds attributes
//! that are defined twice.

mod sources;
mod syntax;
pub(crate) mod twice;

use crate::value::open::{Found, walk};
use rnix::ast::{Expr, Lambda, Param, Pattern};
use rnix::{Root, SyntaxKind, SyntaxNode};
use rocpkg_syntax::nix::{self, ARGUMENTS};
use rocpkg_syntax::{Checked, Fault, LocalFile, Reason, Surroundings};
use rowan::ast::AstNode;
use std::collections::BTreeSet;
use std::ops::Range;

/// The names that Nix binds in every expression (`builtins` that need no prefix), besides those
/// that the walk in `open.rs` ignores.
const GLOBALS: [&str; 18] = [
    "abort",
    "baseNameOf",
    "break",
    "derivation",
    "derivationStrict",
    "dirOf",
    "fetchGit",
    "fetchMercurial",
    "fetchTarball",
    "fetchTree",
    "fromTOML",
    "isNull",
    "map",
    "placeholder",
    "removeAttrs",
    "scopedImport",
    "throw",
    "toString",
];

/// Checks the text of a whole expression of nixpkgs.
///
/// Faults are in the order of the text. Names under `with` and computed attributes can't be looked
/// up without Nix, so they are reported as not checked. `surroundings` has the files beside the
/// expression.
///
/// ```
/// use rocpkg_nix::Surroundings;
///
/// let text = "{ stdenv }: stdenv.mkDerivation { buildInputs = [ zlib ]; }";
/// let checked = rocpkg_nix::check(text, &Surroundings::default());
/// assert_eq!(checked.faults[0].finding.code, "E0842");
/// ```
pub fn check(text: &str, surroundings: &Surroundings) -> Checked {
    let mut out = Checked::default();
    let root = match nix::parse(text) {
        Ok(root) => root,
        Err(e) => {
            let end = text.ceil_char_boundary((e.at + 1).min(text.len()));
            let label = match e.reason {
                Reason::Syntax => "expected a Nix expression".to_owned(),
                reason => reason.to_string(),
            };
            let message = "the expression can't be read";
            out.faults
                .push(Fault::new("E0841", e.at..end, message).label(label));
            return out;
        }
    };
    let mut found = Found::following_with();
    walk(&root, 0, &mut found);
    let head = head(&root);
    names(&found, head.is_some(), &mut out);
    if let Some((lambda, pattern)) = head {
        arguments(&lambda, &pattern, &mut out);
    }
    syntax::characters(text, &mut out);
    syntax::check(&root, &mut out);
    twice::check(&root, &mut out);
    sources::check(&root, &mut out);
    let defaults = root.descendants().filter(is_entry).map(|node| range(&node));
    let defaults: Vec<Range<usize>> = defaults.collect();
    found.files.retain(|(_, start, _)| {
        let is_default = defaults.iter().any(|default| default.contains(start));
        if is_default {
            let reason = "callers may give another path";
            out.not_checked(*start, "paths in the defaults of arguments", reason);
        }
        !is_default
    });
    paths(text, &found, surroundings, &mut out);
    out.faults.sort_by_key(Fault::at);
    out
}

/// Returns the files beside an expression that it names, such as patches. Returns `None` if the
/// expression can't be read.
///
/// ```
/// let text = "{ stdenv }: stdenv.mkDerivation { patches = [ ./a.patch ]; }";
/// assert_eq!(rocpkg_nix::internal::local_files(text).unwrap()[0].path, "a.patch");
/// ```
pub fn local_files(text: &str) -> Option<Vec<LocalFile>> {
    let root = nix::parse(text).ok()?;
    let mut found = Found::following_with();
    walk(&root, 0, &mut found);
    let file = |(path, start, end): (String, usize, usize)| LocalFile {
        path,
        at: start..end,
    };
    Some(found.files.into_iter().map(file).collect())
}

/// Returns the function that the file contains and its arguments, or `None` if the file contains
/// anything else than a function of a set.
fn head(root: &SyntaxNode) -> Option<(Lambda, Pattern)> {
    let Some(Expr::Lambda(lambda)) = Root::cast(root.clone())?.expr() else {
        return None;
    };
    match lambda.param()? {
        Param::Pattern(pattern) => Some((lambda, pattern)),
        Param::IdentParam(_) => None,
    }
}

/// Reports names that nothing binds. `has_arguments` is true if the file is a function of a set, so
/// that the name could be added to its arguments.
fn names(found: &Found, has_arguments: bool, out: &mut Checked) {
    let is_global = |name: &str| GLOBALS.contains(&name) || name.starts_with("__");
    let mut reported = BTreeSet::new();
    for used in &found.uses {
        let name = used.name.as_str();
        if is_global(name) || !reported.insert(name) {
            continue;
        }
        let at = used.start..used.end;
        let fault = if matches!(name, "finalAttrs" | "finalPackage") {
            let message = format!("`{name}` is used, but no function binds it");
            Fault::new("E0842", at, message)
                .label("expected `rec`, or a function of `finalAttrs` around the attributes")
        } else {
            let message = format!("`{name}` is used, but nothing binds it");
            let fault = Fault::new("E0842", at, message);
            if has_arguments {
                fault
                    .label("expected an argument of this name")
                    .hint(format!("add `{name}` to the arguments of the file"))
                    .missing(ARGUMENTS, name)
            } else {
                fault.label("expected a binding of this name")
            }
        };
        out.faults.push(fault);
    }
    let mut unknown = found.under_with.iter().filter(|u| !is_global(&u.name));
    if let Some(used) = unknown.next() {
        out.not_checked(
            used.start,
            "names under `with`",
            "only Nix can compute the names in a set",
        );
    }
}

/// Reports arguments of the file's function that nothing uses.
///
/// Two kinds of functions are excepted. A function with `...` may name an argument only to remove
/// it from the rest. A function that uses the whole set (`{ … }@args`) uses every argument.
fn arguments(lambda: &Lambda, pattern: &Pattern, out: &mut Checked) {
    if pattern.ellipsis_token().is_some() {
        return;
    }
    let mut names = Found::following_with();
    let defaults = pattern.pat_entries().filter_map(|entry| entry.default());
    for expr in lambda.body().into_iter().chain(defaults) {
        walk(expr.syntax(), 0, &mut names);
    }
    let all = names.uses.iter().chain(&names.under_with);
    let used: BTreeSet<&str> = all.map(|used| used.name.as_str()).collect();
    let whole = pattern.pat_bind().and_then(|bind| bind.ident());
    if whole.is_some_and(|name| used.contains(name.to_string().as_str())) {
        return;
    }
    for ident in pattern.pat_entries().filter_map(|entry| entry.ident()) {
        let name = ident.to_string();
        if name.starts_with('_') || used.contains(name.as_str()) {
            continue;
        }
        let message = format!("nothing uses the argument `{name}`");
        let fault = Fault::new("E0843", range(ident.syntax()), message);
        out.faults.push(
            fault
                .label("expected a use of it in the expression")
                .hint(format!("remove `{name}` from the arguments"))
                .harmless(),
        );
    }
}

/// Reports paths of files that do not exist beside the expression. If the folder is not known, the
/// paths are reported as not checked.
fn paths(text: &str, found: &Found, surroundings: &Surroundings, out: &mut Checked) {
    let Some(files) = &surroundings.files else {
        if let Some((_, start, _)) = found.files.first() {
            out.not_checked(*start, "paths", "the folder of the recipe is not known");
        }
        return;
    };
    for (path, start, end) in &found.files {
        let is_there = |file: &String| {
            let rest = file.strip_prefix(path.as_str());
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        // A path that is tested by `pathExists` may be missing.
        let is_looked_for = text.match_indices(&format!("./{path}")).any(|(at, _)| {
            let before = text[..at].trim_end();
            before.ends_with("pathExists")
        });
        if is_looked_for || files.iter().any(is_there) {
            continue;
        }
        let message = format!("`./{path}` is not beside the recipe");
        let fault = Fault::new("E0846", *start..*end, message).label("expected a file");
        let name = path.rsplit('/').next().unwrap_or_default();
        let other = files.iter().find(|file| file.ends_with(name));
        out.faults.push(match other {
            Some(other) => fault.hint(format!("`./{other}` exists")),
            None => fault,
        });
    }
}

/// Returns true if the node is an entry in the set of a function's arguments: `a ? 1`.
fn is_entry(node: &SyntaxNode) -> bool {
    node.kind() == SyntaxKind::NODE_PAT_ENTRY
}

/// Returns the byte range of a node.
fn range(node: &SyntaxNode) -> Range<usize> {
    nix::range(node)
}
