//! What a shell takes as it is when Nix has put it into a hook: paths of the store, and text that is known to hold no sign of the
//! shell's. All else is quoted by `lib.escapeShellArg`.

use crate::expr::{NixExpr, Part};
use crate::lower::Lower;
use rnix::ast::{Expr, HasEntry, InterpolPart};
use rocpkg_model::NixBindings;
use rowan::ast::AstNode;
use std::collections::BTreeSet;

/// Functions whose result is a derivation.
const MAKERS: &str = "\
buildPythonPackage callPackage fetchFromGitHub fetchgit fetchpatch fetchurl fetchzip linkFarm runCommand \
symlinkJoin writeShellScriptBin writeText";

/// Attributes of a derivation that are paths as well.
const OUTPUTS: &[&str] = &["bin", "cc", "dev", "doc", "lib", "man", "out", "src"];

/// Functions whose result is the path of an output, or of a program in it.
const PATHS: &[&str] =
    &["lib.getBin", "lib.getDev", "lib.getExe", "lib.getExe'", "lib.getLib", "placeholder"];

/// True for text that no shell splits, expands or ends a word at.
pub(crate) fn is_plain_text(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || "_-./+=:,@%".contains(c))
}

/// Names of the overlay's own, bindings and arguments, whose values are plain whatever the scope holds.
pub(crate) fn plain_names(all: &[&NixBindings], own: &BTreeSet<String>) -> BTreeSet<String> {
    let values: Vec<(String, Expr)> = all.iter().flat_map(|b| values(b)).collect();
    let mut plain: BTreeSet<String> = BTreeSet::new();
    loop {
        let before = plain.len();
        let known = plain.clone();
        let is_known = |name: &str| !own.contains(name) || known.contains(name);
        plain
            .extend(values.iter().filter(|(_, e)| is_plain_expr(e, &is_known)).map(|(name, _)| name.clone()));
        if plain.len() == before {
            // A name that is bound twice is a fault, and told as one.
            return plain;
        }
    }
}

/// A text as a tree, unless it has a fault: that is told elsewhere, and the parts of a string with a fault can't be asked for.
fn sound(text: &str) -> Option<Expr> {
    rnix::Root::parse(text).ok().ok()?.expr()
}

/// The values that texts of Nix bind to plain names.
fn values(all: &NixBindings) -> Vec<(String, Expr)> {
    let mut out = Vec::new();
    if let Some(text) = &all.0 {
        let Some(Expr::AttrSet(set)) = sound(&format!("{{{}\n}}", text.text)) else { return out };
        for entry in set.attrpath_values() {
            let path: Vec<_> =
                entry.attrpath().into_iter().flat_map(|p| p.attrs().collect::<Vec<_>>()).collect();
            if let ([one], Some(value)) = (path.as_slice(), entry.value()) {
                out.extend(crate::open::attribute(one).map(|name| (name, value)));
            }
        }
    }
    out
}

fn is_plain_expr(expr: &Expr, is_known: &dyn Fn(&str) -> bool) -> bool {
    match expr {
        Expr::Ident(i) => is_known(&i.to_string()),
        Expr::Str(s) => s.normalized_parts().iter().all(|part| match part {
            InterpolPart::Literal(t) => is_plain_text(t),
            InterpolPart::Interpolation(i) => i.expr().is_some_and(|e| is_plain_expr(&e, is_known)),
        }),
        Expr::Apply(a) => {
            let mut head = a.lambda();
            while let Some(Expr::Apply(inner)) = &head {
                head = inner.lambda();
            }
            let head = head.map(|h| h.syntax().text().to_string()).unwrap_or_default();
            MAKERS.split_whitespace().any(|maker| maker == head) || PATHS.contains(&head.as_str())
        }
        _ => false,
    }
}

impl Lower<'_> {
    /// True when a shell reads what Nix puts in place of the expression as a part of the word that it stands in.
    pub(crate) fn is_plain(&self, expr: &NixExpr) -> bool {
        match expr {
            NixExpr::Name(name) => self.is_package(name),
            NixExpr::Select(base, path, None) => {
                let NixExpr::Name(name) = &**base else { return false };
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                match (name.as_str(), path.as_slice()) {
                    ("finalAttrs", ["version"]) => self.nix.version_from.is_none(),
                    ("finalAttrs", ["pname"]) => is_plain_text(&self.attribute),
                    ("finalAttrs", _) => false,
                    // What a package of the model tells is text of the model; what others tell is nixpkgs'.
                    (name, [.., last]) if self.own_names.contains(name) || self.is_planned(name) => {
                        self.is_package(name) && OUTPUTS.contains(last)
                    }
                    (name, _) => self.is_package(name),
                }
            }
            NixExpr::Str(parts) => parts.iter().all(|p| match p {
                Part::Text(t) => is_plain_text(t),
                Part::Value(v) => self.is_plain(v),
            }),
            NixExpr::Apply(function, argument) => {
                let function = match &**function {
                    // `lib.getExe' package "program"`
                    NixExpr::Apply(function, package) => {
                        if !self.is_plain(package) {
                            return false;
                        }
                        function
                    }
                    function => function,
                };
                let libraries = *function == NixExpr::path("lib.makeLibraryPath");
                let inputs = NixExpr::path("finalAttrs.buildInputs");
                let path = PATHS.iter().any(|p| *function == NixExpr::path(p));
                (path && self.is_plain(argument)) || (libraries && **argument == inputs)
            }
            _ => false,
        }
    }

    /// A derivation of the scope or of nixpkgs, or a name of the overlay's own whose value is plain.
    fn is_package(&self, name: &str) -> bool {
        if self.own_names.contains(name) {
            return self.plain_names.contains(name);
        }
        !self.is_bound_by_backend(name)
    }

    /// Arguments and bindings that are no derivations: features and lists of GPU targets.
    fn is_bound_by_backend(&self, name: &str) -> bool {
        let feature = |(key, f)| crate::names::feature(key, f) == name;
        let told = self.nix.gpu_targets.iter().filter_map(|t| t.supported.as_ref()).any(|s| s.value == name);
        told || ["gpuTargets", "supportedTargets", "gpuTargets'", "localGpuTargets", "supportsTargets"]
            .contains(&name)
            || self.package.features.iter().any(|(k, f)| feature((k.as_str(), f)))
    }
}
