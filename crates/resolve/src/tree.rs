//! Making trees of a package's keys, each value with the place of the fact that it comes from.

use rocpkg_model::{Key, Node, Span, Value};

/// Text without quotes.
pub(crate) fn scalar(text: &str, span: Span) -> Node {
    Node { span, value: Value::Scalar { text: text.to_owned(), plain: true } }
}

/// `true` or `false`.
pub(crate) fn flag(on: bool, span: Span) -> Node {
    scalar(if on { "true" } else { "false" }, span)
}

/// A list.
pub(crate) fn list(items: Vec<Node>, span: Span) -> Node {
    Node { span, value: Value::Seq(items) }
}

/// A mapping.
pub(crate) fn map(entries: Vec<(Key, Node)>, span: Span) -> Node {
    Node { span, value: Value::Map(entries) }
}

/// An entry of a mapping.
pub(crate) fn entry(name: &str, span: Span, node: Node) -> (Key, Node) {
    (Key { name: name.to_owned(), span }, node)
}

/// Sets the value at a path of keys, making the mappings on the way.
pub(crate) fn put(node: &mut Node, path: &[&str], value: Node) {
    let Some((first, rest)) = path.split_first() else {
        *node = value;
        return;
    };
    if !matches!(node.value, Value::Map(_)) {
        node.value = Value::Map(Vec::new());
    }
    let span = value.span;
    if let Value::Map(entries) = &mut node.value {
        let at = entries.iter().position(|(k, _)| k.name == *first).unwrap_or_else(|| {
            entries.push(entry(first, span, map(Vec::new(), span)));
            entries.len() - 1
        });
        put(&mut entries[at].1, rest, value);
    }
}

/// The tree without one entry of a section.
pub(crate) fn without(mut node: Node, section: &str, name: &str) -> Node {
    if let Value::Map(entries) = &mut node.value
        && let Some((_, part)) = entries.iter_mut().find(|(k, _)| k.name == section)
        && let Value::Map(facts) = &mut part.value
    {
        facts.retain(|(k, _)| k.name != name);
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_made_on_the_way() {
        let at = Span::default();
        let mut tree = map(Vec::new(), at);
        put(&mut tree, &["a", "b"], scalar("1", at));
        put(&mut tree, &["a", "c"], scalar("2", at));
        put(&mut tree, &["a", "b"], scalar("3", at));
        let a = tree.get("a").unwrap();
        assert_eq!(a.get("b").and_then(Node::text), Some("3"));
        assert_eq!(a.get("c").and_then(Node::text), Some("2"));
    }
}
