//! What the flags leave of a tree, without copies of its leaves.

use crate::atom::Atom;
use crate::spec::{Node, Spec};

/// What a part stands in.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    /// A group of which all must hold.
    All,
    /// A `||`.
    Any,
    /// A group that counts.
    Counted,
}

impl Spec<Atom> {
    /// Decides the conditionals and drops every redundant bracket; [`use_reduce`](crate::use_reduce) does so with a text, but
    /// leaves the brackets that Portage leaves.
    ///
    /// A `||` that lost all its alternatives stays, empty, because it can't hold any more.
    pub fn reduce(&self, is_on: impl Fn(&str) -> bool) -> Spec<&Atom> {
        let mut nodes = Vec::with_capacity(self.nodes.len());
        reduce(&self.nodes, Around::All, &is_on, &mut nodes);
        Spec { nodes }
    }
}

/// Adds what is left of `nodes` to the group around them.
fn reduce<'a>(
    nodes: &'a [Node<Atom>],
    around: Around,
    is_on: &impl Fn(&str) -> bool,
    out: &mut Vec<Node<&'a Atom>>,
) {
    let counted = |nodes: &'a [Node<Atom>]| {
        let mut inner = Vec::with_capacity(nodes.len());
        reduce(nodes, Around::Counted, is_on, &mut inner);
        inner
    };
    for node in nodes {
        let start = out.len();
        match node {
            Node::Leaf(atom) => out.push(Node::Leaf(atom)),
            Node::If { flag, on, .. } if is_on(flag.as_str()) != *on => {}
            Node::All(nodes) | Node::If { nodes, .. } => {
                reduce(nodes, Around::All, is_on, out);
                if around != Around::All {
                    bundle(out, start, around, Node::All);
                }
            }
            Node::Any(nodes) => {
                reduce(nodes, Around::Any, is_on, out);
                if out.len() == start {
                    out.push(Node::Any(Vec::new()));
                } else if around != Around::Any {
                    bundle(out, start, around, Node::Any);
                }
            }
            Node::ExactlyOne(nodes) => out.push(Node::ExactlyOne(counted(nodes))),
            Node::AtMostOne(nodes) => out.push(Node::AtMostOne(counted(nodes))),
        }
    }
}

/// Makes one part of what was added since `start`; a single part needs no bracket, and is taken apart if it is a group
/// of the kind around it.
fn bundle<'a>(
    out: &mut Vec<Node<&'a Atom>>,
    start: usize,
    around: Around,
    group: impl Fn(Vec<Node<&'a Atom>>) -> Node<&'a Atom>,
) {
    if out.len() > start + 1 {
        let nodes = out.split_off(start);
        out.push(group(nodes));
        return;
    }
    let same_kind = |node: &mut Node<&Atom>| match node {
        Node::All(_) => around == Around::All,
        // An empty one says that nothing can hold here.
        Node::Any(nodes) => around == Around::Any && !nodes.is_empty(),
        _ => false,
    };
    if out.len() > start
        && let Some(Node::All(nodes) | Node::Any(nodes)) = out.pop_if(same_kind)
    {
        out.extend(nodes);
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kinds::DepSpec;
    use crate::reduce::{EMPTY_ANY_OF, Reduction, flatten, use_reduce};

    fn group() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(vec!["x/a", "x/b", ">=x/c-1"]).prop_map(str::to_owned);
        leaf.prop_recursive(5, 40, 4, |inner| {
            let opener = prop::sample::select(vec!["(", "|| (", "|| (", "a? (", "!a? (", "b? ("]);
            (opener, prop::collection::vec(inner, 1..4))
                .prop_map(|(opener, parts)| format!("{opener} {} )", parts.join(" ")))
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 2048, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn a_tree_reduces_as_its_text(parts in prop::collection::vec(group(), 0..4), a: bool, b: bool) {
            let text = parts.join(" ");
            let on = [a.then_some("a"), b.then_some("b")];
            let how = Reduction { atoms: true, ..Reduction::with_on(on.into_iter().flatten()) };
            let list = flatten(&use_reduce(&text, &how).expect("a list")).join(" ");
            let tree = text.parse::<DepSpec>().expect("a tree");
            let reduced = tree.reduce(|flag| how.on.contains(flag)).to_string();
            // Portage leaves a redundant bracket here and there, which a second time finds.
            let list = list.parse::<DepSpec>().expect("a tree");
            prop_assert_eq!(reduced.replace("|| ( )", EMPTY_ANY_OF), list.reduce(|_| false).to_string());
        }
    }
}
