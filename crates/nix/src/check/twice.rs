//! Finds attributes that one set defines twice. Nix refuses such a set.

use crate::open::attribute;
use rnix::ast::{AttrSet, Entry};
use rnix::{SyntaxKind, SyntaxNode};
use rocpkg_syntax::{Checked, Fault, nix};
use rowan::ast::AstNode;
use std::collections::btree_map::{BTreeMap, Entry as Slot};
use std::ops::Range;

/// The attributes of a set so far, by name.
type Attributes = BTreeMap<String, Defined>;

/// The definition of an attribute.
enum Defined {
    /// A value that is no literal set. A second definition is then a fault.
    Value,
    /// A literal set, or the head of a path such as `a` in `a.b`. Nix merges these.
    Set(Attributes),
}

/// Reports attributes that are defined twice.
pub(super) fn check(root: &SyntaxNode, out: &mut Checked) {
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
                        if let Some(name) = attribute(&attr) {
                            self.enter(&[name], above, None, nix::range(attr.syntax()), to);
                        }
                    }
                }
                Entry::AttrpathValue(bound) => {
                    let Some(path) = bound.attrpath() else {
                        continue;
                    };
                    let names: Option<Vec<String>> = path.attrs().map(|a| attribute(&a)).collect();
                    let Some(names) = names else {
                        self.computed.get_or_insert(nix::range(path.syntax()).start);
                        continue;
                    };
                    let value = bound.value().map(|value| value.syntax().clone());
                    let set = value.filter(|value| AttrSet::can_cast(value.kind()));
                    self.enter(&names, above, set.as_ref(), nix::range(path.syntax()), to);
                }
            }
        }
    }

    /// Adds the attribute with the path `path` to the attributes `to` of the set at the path
    /// `above`. `set` is the attribute's value, or `None` if this is no literal set. `at` is the
    /// place of the path in the text.
    fn enter(
        &mut self,
        path: &[String],
        above: &str,
        set: Option<&SyntaxNode>,
        at: Range<usize>,
        to: &mut Attributes,
    ) {
        let Some((name, rest)) = path.split_first() else {
            return;
        };
        let full = format!("{above}{name}");
        let slot = to.entry(name.clone());
        if rest.is_empty() && set.is_none() {
            match slot {
                Slot::Vacant(free) => drop(free.insert(Defined::Value)),
                Slot::Occupied(_) => self.report(at, full),
            }
            return;
        }
        match slot.or_insert_with(|| Defined::Set(Attributes::new())) {
            Defined::Value => self.report(at, full),
            Defined::Set(inner) if rest.is_empty() => {
                if let Some(set) = set {
                    self.enter_all(set, &format!("{full}."), inner);
                }
            }
            Defined::Set(inner) => self.enter(rest, &format!("{full}."), set, at, inner),
        }
    }

    fn report(&mut self, at: Range<usize>, path: String) {
        self.found.entry(at.start).or_insert((at.end, path));
    }
}
