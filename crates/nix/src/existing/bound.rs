//! Lists the bindings of a set, and finds the calls of files in them.

use crate::value::open::attribute;
use rnix::SyntaxNode;
use rnix::ast::{Apply, AttrSet, Entry, Expr, HasEntry};
use rowan::ast::AstNode;

/// A name that a set or a `let` binds. `inherit a b;` makes two of them.
#[derive(Clone, Debug)]
pub(crate) struct Bound {
    /// The name. Of a path of attributes `a.b`, it is the first part.
    pub(crate) name: String,
    /// The whole binding, which may be an `inherit` of several names.
    pub(crate) entry: SyntaxNode,
    /// The value. It is `None` for a path such as `a.b`, and for an inherited name.
    pub(crate) value: Option<Expr>,
    /// The node of the name, if an `inherit` binds it.
    pub(crate) inherited: Option<SyntaxNode>,
    /// The expression that the name is inherited from: `x` in `inherit (x) a;`. It is `None` if
    /// there is no such expression.
    pub(crate) from: Option<SyntaxNode>,
}

/// A call of a file, `CALLER.callPackage ./PATH GIVEN`: its function `CALLER.callPackage`, its
/// path, and the arguments that it gives.
#[derive(Clone, Debug)]
pub(super) struct BoundCall {
    pub(super) caller: SyntaxNode,
    pub(super) path: SyntaxNode,
    pub(super) given: Option<Expr>,
}

/// Returns the bindings of a set or a `let`, one for each name. Names that are computed are left
/// out.
pub(crate) fn bound(set: &impl HasEntry) -> Vec<Bound> {
    let each = set.entries().flat_map(|entry| match entry {
        Entry::AttrpathValue(e) => {
            let mut path = e
                .attrpath()
                .into_iter()
                .flat_map(|p| p.attrs().collect::<Vec<_>>());
            let (first, whole) = (path.next(), path.next().is_none());
            let name = first.as_ref().and_then(attribute);
            let value = e.value().filter(|_| whole);
            let one = |name| Bound {
                name,
                entry: e.syntax().clone(),
                value,
                inherited: None,
                from: None,
            };
            name.map(one).into_iter().collect::<Vec<_>>()
        }
        Entry::Inherit(i) => {
            let from = i.from().and_then(|f| f.expr()).map(|e| e.syntax().clone());
            let one = |a: rnix::ast::Attr| {
                let (entry, inherited) = (i.syntax().clone(), Some(a.syntax().clone()));
                Some(Bound {
                    name: attribute(&a)?,
                    entry,
                    value: None,
                    inherited,
                    from: from.clone(),
                })
            };
            i.attrs().filter_map(one).collect()
        }
    });
    each.collect()
}

impl Bound {
    /// Returns the first call of a file in the binding's value, also inside another expression:
    /// `f (callPackage ./a { })`. Returns `None` if the value contains no call.
    pub(super) fn call(&self) -> Option<BoundCall> {
        let value = self.value.as_ref()?.syntax();
        let mut all = value.descendants().filter_map(Apply::cast);
        all.find_map(|apply| BoundCall::of(&apply, &[CALL_PACKAGE]))
    }
}

/// The function that passes packages to the function in a file.
pub(super) const CALL_PACKAGE: &str = "callPackage";

impl BoundCall {
    /// Returns the call if `outer` has the form `CALLER PATH GIVEN`, and the last name of `CALLER`
    /// is in `functions`.
    pub(super) fn of(outer: &Apply, functions: &[&str]) -> Option<Self> {
        let Some(Expr::Apply(inner)) = outer.lambda() else {
            return None;
        };
        let (caller, path) = (inner.lambda()?.syntax().clone(), inner.argument()?);
        let text = caller.text().to_string();
        let is_one = functions.contains(&text.rsplit('.').next()?);
        (is_one && matches!(path, Expr::PathRel(_))).then(|| Self {
            caller,
            path: path.syntax().clone(),
            given: outer.argument(),
        })
    }

    /// Returns the path of the called file, relative to the scope's folder: `./rocblas` ->
    /// `rocblas/default.nix`.
    pub(super) fn file(&self) -> String {
        let path = self.path.text().to_string();
        let path = path.trim_start_matches("./").trim_end_matches('/');
        let is_file = std::path::Path::new(path)
            .extension()
            .is_some_and(|e| e == "nix");
        if is_file {
            path.to_owned()
        } else {
            format!("{path}/default.nix")
        }
    }

    /// Returns the set of the call's arguments and its bindings, or `None` if the arguments are not
    /// written as a set `{ … }`.
    pub(super) fn arguments(&self) -> Option<(&AttrSet, Vec<Bound>)> {
        match &self.given {
            Some(Expr::AttrSet(set)) => Some((set, bound(set))),
            _ => None,
        }
    }
}
