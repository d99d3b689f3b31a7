//! Lays out a tree over several lines, as in an ebuild.

use std::fmt::Display;

use crate::spec::{Node, Spec};

/// The number of columns that a line may fill.
const WIDTH: usize = 80;
/// The number of columns of a tab.
const TAB: usize = 4;

impl<T: Display> Spec<T> {
    /// Returns the lines to write between the quotes of a variable in an ebuild. Each part has a
    /// line of its own, each group is indented by one more tab, and each line ends with a line
    /// feed. `indent` is the number of tabs before the outermost parts.
    ///
    /// A group stays on one line if two conditions are met. The line fits into 80 columns, with
    /// tabs of 4. And the group has a single child down to a single leaf, or its leaves are words
    /// without a slash, such as flags and licences. In any other group, each child has a line of
    /// its own.
    pub fn layout(&self, indent: usize) -> String {
        let mut out = String::new();
        for node in &self.nodes {
            write_node(&mut out, node, indent);
        }
        out
    }
}

/// Returns true if each group in the node has at most one child.
fn is_chain<T>(node: &Node<T>) -> bool {
    match (node, node.children()) {
        (Node::Leaf(_), _) => true,
        (_, [child]) => is_chain(child),
        (_, children) => children.is_empty(),
    }
}

fn write_node<T: Display>(out: &mut String, node: &Node<T>, indent: usize) {
    let tabs = "\t".repeat(indent);
    let line = node.to_string();
    let fits =
        indent * TAB + line.chars().count() <= WIDTH && (is_chain(node) || !line.contains('/'));
    if fits || node.children().is_empty() {
        out.push_str(&format!("{tabs}{line}\n"));
        return;
    }
    out.push_str(&format!("{tabs}{}(\n", node.opener()));
    for child in node.children() {
        write_node(out, child, indent + 1);
    }
    out.push_str(&format!("{tabs})\n"));
}
