//! Decides which values of Nix can be put into a word of the shell without quotes: paths of the
//! store, and text without special characters. All other values are quoted by `lib.escapeShellArg`.

use crate::lower::Lower;
use crate::value::expr::{NixExpr, Part, named};
use rnix::ast::{Expr, InterpolPart};
use rowan::ast::AstNode;
use std::collections::{BTreeMap, BTreeSet};

/// Functions whose result is a derivation. In a string, a derivation becomes a path of the store.
const MAKERS: &str = "\
buildPythonPackage callPackage fetchFromGitHub fetchgit fetchpatch fetchurl fetchzip linkFarm runCommand \
symlinkJoin writeShellScriptBin writeText";

/// Attributes of a derivation that are derivations or paths too, such as `dev` in `clr.dev`.
const OUTPUTS: &[&str] = &["bin", "cc", "dev", "doc", "lib", "man", "out", "src"];

/// Functions whose result is the path of an output, or of a program in it.
const PATHS: &[&str] = &[
    "lib.getBin",
    "lib.getDev",
    "lib.getExe",
    "lib.getExe'",
    "lib.getLib",
    "placeholder",
];

/// Returns true if the shell reads the text as a part of one word without quotes.
pub(crate) fn is_plain_text(text: &str) -> bool {
    text.chars()
        .all(|c| c.is_ascii_alphanumeric() || "_-./+=:,@%".contains(c))
}

/// Returns those names of `own` whose values the shell reads as a part of one word without quotes.
/// `own` has the overlay's names with their values, which may use each other. The value is `None`
/// if it is not known as a whole.
pub(crate) fn plain_names(own: &BTreeMap<String, Option<Expr>>) -> BTreeSet<String> {
    let mut plain: BTreeSet<String> = BTreeSet::new();
    loop {
        let is_known = |name: &str| plain.contains(name) || !own.contains_key(name);
        let is_plain =
            |value: &Option<Expr>| value.as_ref().is_some_and(|e| is_plain_expr(e, &is_known));
        let found: Vec<&String> = own
            .iter()
            .filter(|(_, v)| is_plain(v))
            .map(|(name, _)| name)
            .collect();
        // A name that is bound twice is reported elsewhere.
        if found.len() == plain.len() {
            return plain;
        }
        plain = found.into_iter().cloned().collect();
    }
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
            let head = head
                .map(|h| h.syntax().text().to_string())
                .unwrap_or_default();
            MAKERS.split_whitespace().any(|maker| maker == head) || PATHS.contains(&head.as_str())
        }
        _ => false,
    }
}

impl Lower<'_> {
    /// Returns true if the shell reads the value of the expression as a part of one word without
    /// quotes.
    pub(crate) fn is_plain(&self, expr: &NixExpr) -> bool {
        match expr {
            NixExpr::Name(name) => self.is_package(name),
            NixExpr::Select(base, path, None) => {
                let NixExpr::Name(name) = &**base else {
                    return false;
                };
                let path: Vec<&str> = path.iter().map(String::as_str).collect();
                match (name.as_str(), path.as_slice()) {
                    ("finalAttrs", ["version"]) => self.nix.version_from.is_none(),
                    ("finalAttrs", ["pname"]) => is_plain_text(&self.attribute),
                    ("finalAttrs", _) => false,
                    // Attributes of the model's packages are text of the model. Those of other
                    // packages come from nixpkgs.
                    (name, [.., last]) if self.own.contains_key(name) || self.is_planned(name) => {
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
                let libraries = *function == named("lib.makeLibraryPath");
                let inputs = named("finalAttrs.buildInputs");
                let path = PATHS.iter().any(|p| *function == named(p));
                (path && self.is_plain(argument)) || (libraries && **argument == inputs)
            }
            _ => false,
        }
    }

    /// Returns true if the value of a name can be put into a word without quotes. It is a
    /// derivation of the scope or of nixpkgs, or one of the overlay's own names with such a value.
    fn is_package(&self, name: &str) -> bool {
        if self.own.contains_key(name) {
            self.plain_names.contains(name)
        } else {
            !self.binds(name)
        }
    }
}
