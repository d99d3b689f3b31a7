//! Finds attributes that one set defines twice. Nix refuses such a set.

use crate::value::open::attribute;
use rnix::ast::{Entry, Expr};
use rnix::{SyntaxKind, SyntaxNode};
use rocpkg_syntax::{Checked, Fault, nix};
use rowan::ast::AstNode;
use std::collections::btree_map::{BTreeMap, Entry as Slot};
use std::ops::Range;

/// The attributes of a set so far, by name, each with the place of its first definition.
type Attributes = BTreeMap<String, (Range<usize>, Defined)>;

enum Defined {
    /// A value that is no literal set. A second definition is then a fault.
    Value,
    /// A literal set, or the head of a path such as `a` in `a.b`. Nix merges two of these.
    Set(Attributes),
}

pub(crate) fn check(root: &SyntaxNode, out: &mut Checked) {
    let is_set = |node: &SyntaxNode| {
        use SyntaxKind as K;
        matches!(
            node.kind(),
            K::NODE_ATTR_SET | K::NODE_LET_IN | K::NODE_LEGACY_LET
        )
    };
    let mut found = BTreeMap::new();
    let mut computed = None;
    for set in root.descendants().filter(is_set) {
        let mut sets = Sets {
            found: &mut found,
            computed: &mut computed,
        };
        sets.enter_all(&set, "", &mut Attributes::new());
    }
    if let Some(at) = computed {
        out.not_checked(at, "attributes", "some names of attributes are computed");
    }
    for (start, (end, path)) in found {
        let message = format!("`{path}` is defined twice in one set");
        let fault = Fault::new("E0844", start..end, message);
        out.faults.push(fault.label("expected one definition"));
    }
}

/// The state of a walk through one set and the sets that Nix merges into it:
/// `a.b = 1; a = { c = 2; };`.
struct Sets<'a> {
    /// Second definitions. The key is the offset of the first byte. The value is the offset after
    /// the last byte, and the path of the attribute.
    found: &'a mut BTreeMap<usize, (usize, String)>,
    /// The offset of the first attribute whose name is computed: `${x} = 1;`.
    computed: &'a mut Option<usize>,
}

impl Sets<'_> {
    /// Adds the attributes of the literal set `set` to `to`. `above` is the path of that set with a
    /// dot at its end.
    fn enter_all(&mut self, set: &SyntaxNode, above: &str, to: &mut Attributes) {
        for entry in set.children().filter_map(Entry::cast) {
            match entry {
                Entry::Inherit(inherit) => {
                    for attr in inherit.attrs() {
                        let name = [attribute(&attr)];
                        self.enter(&name, above, None, nix::range(attr.syntax()), to);
                    }
                }
                Entry::AttrpathValue(bound) => {
                    let Some(path) = bound.attrpath() else {
                        continue;
                    };
                    let names: Vec<Option<String>> = path.attrs().map(|a| attribute(&a)).collect();
                    if names.contains(&None) {
                        self.computed.get_or_insert(nix::range(path.syntax()).start);
                    }
                    let set = bound.value().and_then(literal);
                    self.enter(&names, above, set.as_ref(), nix::range(path.syntax()), to);
                }
            }
        }
    }

    /// Adds the attribute with the path `path` to the attributes `to` of the set at the path
    /// `above`. A computed name of the path is `None`. `set` is the attribute's value, or `None` if
    /// this is no literal set. `at` is the place of the path in the text.
    fn enter(
        &mut self,
        path: &[Option<String>],
        above: &str,
        set: Option<&SyntaxNode>,
        at: Range<usize>,
        to: &mut Attributes,
    ) {
        let Some((Some(name), rest)) = path.split_first() else {
            return;
        };
        let full = format!("{above}{name}");
        if !rest.is_empty() {
            let slot = to.entry(name.clone());
            let nested = || (at.clone(), Defined::Set(Attributes::new()));
            return match &mut slot.or_insert_with(nested).1 {
                Defined::Value => self.report(at, full),
                Defined::Set(inner) => self.enter(rest, &format!("{full}."), set, at, inner),
            };
        }
        let own = set.map(|set| {
            let mut own = Attributes::new();
            self.enter_all(set, &format!("{full}."), &mut own);
            own
        });
        match (to.entry(name.clone()), own) {
            (Slot::Vacant(free), own) => {
                free.insert((at, own.map_or(Defined::Value, Defined::Set)));
            }
            (Slot::Occupied(mut slot), own) => match (&mut slot.get_mut().1, own) {
                // Nix merges the attributes of both sets, but no sets inside of them (`addAttr` in
                // `parser.y`).
                (Defined::Set(inner), Some(own)) => {
                    for (name, defined) in own {
                        match inner.entry(name) {
                            Slot::Vacant(free) => drop(free.insert(defined)),
                            Slot::Occupied(other) => {
                                self.report(defined.0, format!("{full}.{}", other.key()));
                            }
                        }
                    }
                }
                _ => self.report(at, full),
            },
        }
    }

    fn report(&mut self, at: Range<usize>, path: String) {
        self.found.entry(at.start).or_insert((at.end, path));
    }
}

/// Returns the literal set that an expression is, in parentheses or not.
fn literal(value: Expr) -> Option<SyntaxNode> {
    match value {
        Expr::AttrSet(set) => Some(set.syntax().clone()),
        Expr::Paren(inner) => literal(inner.expr()?),
        _ => None,
    }
}
