//! Numbers of repeated steps, such as `popd` and `popd #2`. A reader counts them from the first on.
//! Two scripts of which one has a further `popd` would number the others in different ways, so the
//! numbers are those of the step that corresponds in the other script.

use rocpkg_syntax::{Body, ItemKind, Language, Node, NormalText, Outline};
use similar::{Algorithm, DiffOp, capture_diff_slices};

/// Returns `outline` with the repeated steps of its scripts numbered as in `model`. A step that
/// only `outline` has gets a number of its own: that of `next`, a later version of the model, if
/// `next` adds the same steps behind or before the same step.
pub(crate) fn aligned(outline: &Outline, model: &Outline, next: Option<&Outline>) -> Outline {
    let mut out = outline.clone();
    if out.reading.language != Language::Yaml {
        return out;
    }
    for node in &mut out.root.nodes {
        let of = |other: &'_ Outline| other.root.find(&node.key)?.body.clone();
        let Some(old) = of(model) else { continue };
        let next = next.and_then(of);
        if let Some(body) = node
            .body
            .as_mut()
            .filter(|body| body.kind == ItemKind::Steps)
        {
            number(&mut body.nodes, &old, next.as_ref());
        }
    }
    out
}

fn base(node: &Node) -> &str {
    NormalText::base(&node.key.open)
}

fn number(own: &mut [Node], old: &Body, next: Option<&Body>) {
    let bases = |nodes: &[Node]| -> Vec<String> {
        let all = nodes.iter().map(|node| base(node).to_owned());
        all.collect()
    };
    let (mine, theirs) = (bases(own), bases(&old.nodes));
    let mut keys: Vec<Option<&str>> = vec![None; own.len()];
    for op in capture_diff_slices(Algorithm::Myers, &mine, &theirs) {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            for i in 0..len {
                keys[old_index + i] = Some(&old.nodes[new_index + i].key.open);
            }
        }
    }
    let added = next.map_or(&[][..], |next| &next.nodes);
    let is_old = |node: &Node| {
        old.nodes
            .iter()
            .any(|other| other.key.open == node.key.open)
    };
    for run in added.chunk_by(|one, other| is_old(one) == is_old(other)) {
        let first = run.first();
        let Some(at) = added
            .iter()
            .position(|node| first.is_some_and(|f| std::ptr::eq(node, f)))
        else {
            continue;
        };
        let beside = |at: Option<usize>| at.and_then(|at| Some(added.get(at)?.key.open.as_str()));
        let (above, below) = (beside(at.checked_sub(1)), beside(Some(at + run.len())));
        let is_run = |i: &usize| {
            let (start, end) = (*i, i + run.len());
            let own = |at: Option<usize>| at.and_then(|at| *keys.get(at)?);
            let is_beside = above.is_some() && own(i.checked_sub(1)) == above
                || below.is_some() && own(Some(end)) == below;
            is_beside && (start..end).all(|i| keys[i].is_none() && mine[i] == base(&run[i - start]))
        };
        let found = (0..=own.len().saturating_sub(run.len())).find(is_run);
        if let Some(i) = found.filter(|_| !is_old(&run[0])) {
            for (key, node) in keys[i..].iter_mut().zip(run) {
                *key = Some(&node.key.open);
            }
        }
    }
    let first = old.nodes.len() + added.len() + 1;
    let keys: Vec<Option<String>> = keys.into_iter().map(|key| key.map(str::to_owned)).collect();
    for (i, (node, key)) in own.iter_mut().zip(keys).enumerate() {
        let is_repeated = theirs.contains(&mine[i]) || base(node) != node.key.open;
        let number = match key {
            Some(key) => key[mine[i].len()..].to_owned(),
            None if is_repeated => format!(" #{}", first + i),
            None => String::new(),
        };
        node.key = node
            .key
            .map(|key| format!("{}{number}", NormalText::base(key)));
    }
}
