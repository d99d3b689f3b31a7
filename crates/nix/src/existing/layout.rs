//! Finds in any Nix file the calls of other files, and the literals that may name a release. A
//! checkout may bind packages in a scope, in a flat set, in an overlay or in a flake.

use super::bound::{BoundCall, CALL_PACKAGE, bound};
use super::edits::range;
use crate::value::open::attribute;
use rnix::SyntaxNode;
use rnix::ast::{Apply, AttrSet, AttrpathValue, Expr, InterpolPart, Param, Str};
use rocpkg_syntax::nix;
use rowan::ast::AstNode;

/// A call of a file whose result is bound to a name: `rocblas = pkgs.callPackage ./rocblas { };`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileCall {
    /// The name, without the sets around it: `rocblas` for `packages.x86_64-linux.rocblas`.
    pub attribute: String,
    /// The function: `pkgs.callPackage`, or `import`.
    pub caller: String,
    /// The path of the called file as written, with `default.nix` for a folder.
    pub path: String,
    /// The names of the given arguments. `None` if they are not written as a set.
    pub given: Option<Vec<String>>,
    /// Set if the call is inside of a scope or an overlay of a scope, so that the function may find
    /// the packages of the scope.
    pub is_in_scope: bool,
    /// The offset of the path.
    pub at: usize,
}

/// A string without references in a Nix file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// The string.
    pub text: String,
    /// The names that the string is bound to, the outermost first: `rocblas`, `version`.
    pub names: Vec<String>,
    /// The derivation or the change of a derivation that contains the string.
    pub within: Within,
    /// The offset of the string.
    pub at: usize,
}

/// The call around a string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Within {
    /// No call of interest: the string is data.
    Set,
    /// A call that makes a derivation, such as `mkDerivation`, with the name of the derivation.
    Derivation(String),
    /// `overrideAttrs`, with the name of the package that is changed.
    Override(String),
}

/// The name of the function that changes the attributes of a derivation.
const OVERRIDE: &str = "overrideAttrs";

/// Returns the calls of files in a text. Returns none for a text that can't be read.
///
/// ```
/// let calls = rocpkg_nix::internal::file_calls("{ pkgs }: { a = pkgs.callPackage ./a { }; }");
/// assert_eq!((&*calls[0].attribute, &*calls[0].path), ("a", "a/default.nix"));
/// ```
pub fn file_calls(text: &str) -> Vec<FileCall> {
    let Ok(root) = nix::parse(text) else {
        return Vec::new();
    };
    let calls = root.descendants().filter_map(Apply::cast);
    let calls = calls.filter_map(|apply| {
        let call = BoundCall::of(&apply, &[CALL_PACKAGE, "import"])?;
        let names = names_around(&call.path);
        let given = match &call.given {
            Some(Expr::AttrSet(set)) => Some(bound(set).into_iter().map(|b| b.name).collect()),
            _ => None,
        };
        Some(FileCall {
            attribute: names.last()?.clone(),
            caller: call.caller.text().to_string(),
            path: call.file(),
            given,
            is_in_scope: apply.syntax().ancestors().any(|node| is_of_scope(&node)),
            at: range(&call.path).0,
        })
    });
    calls.collect()
}

/// Returns the strings without references in a text that are bound to a name. Returns none for a
/// text that can't be read.
///
/// ```
/// use rocpkg_nix::internal::Within;
///
/// let text = "final: prev: { a = prev.b.overrideAttrs { version = \"1\"; }; }";
/// let found = rocpkg_nix::internal::literals(text);
/// assert_eq!(found[0].within, Within::Override("b".to_owned()));
/// ```
pub fn literals(text: &str) -> Vec<Literal> {
    let Ok(root) = nix::parse(text) else {
        return Vec::new();
    };
    let strings = root.descendants().filter_map(Str::cast);
    let strings = strings.filter_map(|string| {
        let text = plain(&string)?;
        let node = string.syntax();
        let names = names_around(node);
        Some(Literal {
            text,
            within: within(node, &names),
            names: Some(names).filter(|names| !names.is_empty())?,
            at: range(node).0,
        })
    });
    strings.collect()
}

/// Returns the arguments of the function in a text, each with true if it has a default. Returns
/// `None` if the text is no function of a set, or if the function takes any argument (`...`).
pub fn head_arguments(text: &str) -> Option<Vec<(String, bool)>> {
    let root = nix::parse(text).ok().and_then(rnix::Root::cast)?;
    let Expr::Lambda(lambda) = root.expr()? else {
        return None;
    };
    let Some(Param::Pattern(pattern)) = lambda.param() else {
        return None;
    };
    if pattern.ellipsis_token().is_some() {
        return None;
    }
    let entries = pattern.pat_entries().filter_map(|entry| {
        let name = entry.ident()?.syntax().text().to_string();
        Some((name, entry.default().is_some()))
    });
    Some(entries.collect())
}

/// Returns true if a node is a call of `makeScope`, `overrideScope` or a similar function.
fn is_of_scope(node: &SyntaxNode) -> bool {
    let call = Apply::cast(node.clone()).and_then(|call| call.lambda());
    call.is_some_and(|function| {
        let function = function.syntax().text().to_string();
        function
            .split_whitespace()
            .any(|word| word.ends_with("Scope"))
    })
}

/// Returns the names that the value around `node` is bound to, the outermost first.
fn names_around(node: &SyntaxNode) -> Vec<String> {
    let around = node.ancestors().filter_map(AttrpathValue::cast);
    let paths: Vec<Vec<String>> = around
        .filter_map(|binding| {
            let names = binding.attrpath()?.attrs();
            Some(names.filter_map(|name| attribute(&name)).collect())
        })
        .collect();
    paths.into_iter().rev().flatten().collect()
}

/// Returns the call around a string. `names` are the names that the string is bound to.
fn within(node: &SyntaxNode, names: &[String]) -> Within {
    for apply in node.ancestors().filter_map(Apply::cast) {
        let Some(function) = apply.lambda() else {
            continue;
        };
        let text = function.syntax().text().to_string();
        let function = text.split_whitespace().next().unwrap_or_default();
        if let Some(base) = function.strip_suffix(OVERRIDE) {
            let base = base.trim_end_matches('.').rsplit('.').next();
            let is_name = |name: &&str| !name.is_empty() && !name.contains([')', '(']);
            let own = own_name(apply.syntax());
            let name = base.filter(is_name).map(str::to_owned).or(own);
            return Within::Override(name.unwrap_or_default());
        }
        let Some(set) = apply.argument().and_then(attributes) else {
            continue;
        };
        let text_of = |name: &str| {
            let all = bound(&set).into_iter().find(|b| b.name == name)?;
            match all.value? {
                Expr::Str(text) => plain(&text),
                _ => None,
            }
        };
        let binds = |name: &str| bound(&set).iter().any(|b| b.name == name);
        if binds("pname") || binds("version") && binds("src") {
            let own = || own_name(apply.syntax());
            let name = text_of("pname").or_else(own);
            return Within::Derivation(name.or_else(|| names.first().cloned()).unwrap_or_default());
        }
    }
    Within::Set
}

/// Returns the name that the value around `node` is bound to.
fn own_name(node: &SyntaxNode) -> Option<String> {
    names_around(node).pop()
}

/// Returns the set that is given to a function, or that a function of final attributes returns.
fn attributes(argument: Expr) -> Option<AttrSet> {
    match argument {
        Expr::AttrSet(set) => Some(set),
        Expr::Paren(inner) => attributes(inner.expr()?),
        Expr::Lambda(lambda) => attributes(lambda.body()?),
        Expr::LetIn(inner) => attributes(inner.body()?),
        _ => None,
    }
}

/// Returns a string without references.
fn plain(string: &Str) -> Option<String> {
    match string.normalized_parts().as_slice() {
        [InterpolPart::Literal(text)] => Some(text.clone()),
        _ => None,
    }
}
