//! Builds trees of package keys. Each value has the place of the fact that it comes from.

use rocpkg_model::{Key, Node, Span, Value};

/// Returns a scalar node that counts as written without quotes.
pub(crate) fn scalar(text: &str, span: Span) -> Node {
    Node {
        span,
        value: Value::Scalar {
            text: text.into(),
            plain: true,
        },
    }
}

/// Returns a scalar node `true` or `false`.
pub(crate) fn flag(on: bool, span: Span) -> Node {
    scalar(if on { "true" } else { "false" }, span)
}

pub(crate) fn list(items: Vec<Node>, span: Span) -> Node {
    Node {
        span,
        value: Value::Seq(items),
    }
}

pub(crate) fn map(entries: Vec<(Key, Node)>, span: Span) -> Node {
    Node {
        span,
        value: Value::Map(entries),
    }
}

pub(crate) fn entry(name: &str, span: Span, node: Node) -> (Key, Node) {
    (
        Key {
            name: name.into(),
            span,
        },
        node,
    )
}

/// Sets the value at a path of keys. Mappings that are missing on the way are created.
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
        let at = entries
            .iter()
            .position(|(k, _)| k.name == *first)
            .unwrap_or_else(|| {
                entries.push(entry(first, span, map(Vec::new(), span)));
                entries.len() - 1
            });
        put(&mut entries[at].1, rest, value);
    }
}

/// Returns `node` without the entry `name` of the mapping under `section`.
pub(crate) fn without(mut node: Node, section: &str, name: &str) -> Node {
    if let Some(facts) = node.get_mut(section).and_then(Node::entries_mut) {
        facts.retain(|(k, _)| k.name != name);
    }
    node
}

/// Adds to `out` the paths that a tree removes by `~`, each with the place of the `~`. `path` is
/// the path of `node`.
pub(crate) fn removals(node: &Node, path: &mut Vec<String>, out: &mut Vec<(Vec<String>, Span)>) {
    for (key, value) in node.entries() {
        path.push(key.name.to_string());
        if value.value == Value::Null {
            out.push((path.clone(), value.span));
        } else {
            removals(value, path, out);
        }
        path.pop();
    }
}

/// Returns true if `path`, followed from `node`, leads into a list.
pub(crate) fn is_listed(node: &Node, path: &[String]) -> bool {
    match (&node.value, path.split_first()) {
        (Value::Seq(_), Some(_)) => true,
        (Value::Map(_), Some((first, rest))) => {
            node.get(first).is_some_and(|inner| is_listed(inner, rest))
        }
        _ => false,
    }
}

/// Puts `~` at a path of keys, unless the path has a value. `by` is the place of the `~`. Returns
/// false if a list with elements or a scalar is on the way.
pub(crate) fn take_back(node: &mut Node, path: &[String], by: Span) -> bool {
    let Some((first, rest)) = path.split_first() else {
        return true;
    };
    // A mapping that only contains `~` for identities became an empty list.
    if matches!(&node.value, Value::Seq(items) if items.is_empty()) {
        node.value = Value::Map(Vec::new());
    }
    let Value::Map(entries) = &mut node.value else {
        return false;
    };
    let nothing = || Node {
        span: by,
        value: Value::Null,
    };
    match (entries.iter().position(|(k, _)| k.name == *first), rest) {
        (Some(_), []) => true,
        (None, []) => {
            entries.push(entry(first, by, nothing()));
            true
        }
        (Some(at), rest) => take_back(&mut entries[at].1, rest, by),
        (None, rest) => {
            let mut inner = map(Vec::new(), by);
            take_back(&mut inner, rest, by);
            entries.push(entry(first, by, inner));
            true
        }
    }
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

    #[test]
    fn what_is_taken_back_is_said_again_where_nothing_stands() {
        let at = Span::default();
        let nothing = || Node {
            span: at,
            value: Value::Null,
        };
        let mut rule = map(Vec::new(), at);
        put(&mut rule, &["depends", "a"], nothing());
        put(&mut rule, &["depends", "b"], nothing());
        put(&mut rule, &["cmake"], nothing());
        let mut found = Vec::new();
        removals(&rule, &mut Vec::new(), &mut found);
        let mut tree = map(Vec::new(), at);
        put(&mut tree, &["depends", "a", "kind"], scalar("link", at));
        put(&mut tree, &["patches"], list(Vec::new(), at));
        assert!(
            found
                .iter()
                .all(|(path, by)| take_back(&mut tree, path, *by))
        );
        let path = ["patches", "one"].map(str::to_owned);
        assert!(
            take_back(&mut tree, &path, at),
            "a list of nothing holds nothing"
        );
        put(&mut tree, &["patches"], list(vec![scalar("x", at)], at));
        assert!(!take_back(&mut tree, &path, at));
        let depends = tree.get("depends").unwrap();
        assert_eq!(
            depends
                .get("a")
                .and_then(|a| a.get("kind"))
                .and_then(Node::text),
            Some("link")
        );
        assert_eq!(depends.get("b"), Some(&nothing()));
        assert_eq!(tree.get("cmake"), Some(&nothing()));
    }
}
