//! `REQUIRED_USE` against a set of flags.

use std::cell::Cell;

use crate::error::SyntaxError;
use crate::kinds::{FlagState, RequiredUse};
use crate::name::{Flag, check_flag};
use crate::spec::{MAX_DEPTH, Node, words};

/// A `REQUIRED_USE` names a flag that the package does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("USE flag `{0}` is not in IUSE")]
pub struct UnknownFlag(pub Flag);

impl RequiredUse {
    /// All flags that are named, as conditions too, from left to right.
    pub fn flags(&self) -> Vec<&Flag> {
        let mut found = self.conditions();
        found.extend(self.leaves().into_iter().map(|leaf| &leaf.flag));
        found
    }

    /// Whether the flags that are on fulfil it.
    ///
    /// # Errors
    /// When a flag is named, anywhere, that `has` does not know. Portage refuses such a `REQUIRED_USE` even if the flag makes
    /// no difference.
    pub fn check(
        &self,
        is_on: impl Fn(&str) -> bool,
        has: impl Fn(&str) -> bool,
    ) -> Result<bool, UnknownFlag> {
        let known = Cell::new(true);
        let look_up = |flag: &Flag| known.set(known.get() && has(flag.as_str()));
        for node in &self.nodes {
            node.visit(&mut |leaf| look_up(&leaf.flag), &mut |flag| look_up(flag));
        }
        // Only a message needs the order.
        if !known.get()
            && let Some(flag) = self.flags().into_iter().find(|flag| !has(flag.as_str()))
        {
            return Err(UnknownFlag(flag.clone()));
        }
        Ok(self.is_met(is_on))
    }

    /// As [`check`](Self::check), for a text that is asked about once: it is evaluated while it is read, without a tree.
    ///
    /// # Errors
    /// When the text is no `REQUIRED_USE`, and within, when it names a flag that `has` does not know.
    pub fn check_text(
        text: &str,
        is_on: impl Fn(&str) -> bool,
        has: impl Fn(&str) -> bool,
    ) -> Result<Result<bool, UnknownFlag>, SyntaxError> {
        match count(&mut words(text), &is_on, &has, 0) {
            Some((present, holding)) => Ok(Ok(present == holding)),
            // The slower way knows what is wrong.
            None => Ok(text.parse::<Self>()?.check(is_on, has)),
        }
    }

    /// Whether the flags that are on fulfil it; every name is taken for a flag of the package.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        self.holds(&is_on, |leaf| leaf.is_met(&is_on))
    }

    /// The part that is not fulfilled, in the shape in which Portage shows it to users. Empty if all is.
    #[must_use]
    pub fn unmet(&self, is_on: impl Fn(&str) -> bool) -> Self {
        if self.is_met(&is_on) {
            return Self::default();
        }
        let mut parts = Vec::new();
        for node in &self.nodes {
            Shown::collect(node, &is_on, Operator::Bracket, &mut parts);
        }
        Self { nodes: Shown::nodes(parts, false) }
    }
}

/// Reads a group to its end and counts its parts, those that are present and those of them that hold (see
/// [`Node::outcome`]). `None` if anything is wrong.
fn count<'a>(
    words: &mut impl Iterator<Item = (usize, &'a str)>,
    is_on: &impl Fn(&str) -> bool,
    has: &impl Fn(&str) -> bool,
    depth: usize,
) -> Option<(usize, usize)> {
    // Whether a flag is in the state that its sign asks for.
    let state = |word: &str| {
        let name = word.strip_prefix('!').unwrap_or(word);
        (check_flag(name).is_ok() && has(name)).then(|| is_on(name) == (name.len() == word.len()))
    };
    let (mut present, mut holding) = (0, 0);
    loop {
        let Some((_, word)) = words.next() else { return (depth == 0).then_some((present, holding)) };
        let condition = word.strip_suffix('?').filter(|_| word != "??");
        let is_group = condition.is_some() || matches!(word, "(" | "||" | "^^" | "??");
        let outcome = if is_group {
            if depth == MAX_DEPTH || word != "(" && words.next()?.1 != "(" {
                return None;
            }
            let counts = condition.map_or(Some(true), state)?;
            let (present, holding) = count(words, is_on, has, depth + 1)?;
            match word {
                "(" => (present > 0).then_some(holding == present),
                "||" => Some(holding > 0),
                "^^" => Some(holding == 1),
                "??" => Some(holding <= 1),
                _ => counts.then_some(holding == present),
            }
        } else if word == ")" {
            return (depth > 0).then_some((present, holding));
        } else {
            Some(state(word)?)
        };
        present += usize::from(outcome.is_some());
        holding += usize::from(outcome == Some(true));
    }
}

impl FlagState {
    /// Whether the flag is in the state asked for.
    pub fn is_met(&self, is_on: impl Fn(&str) -> bool) -> bool {
        is_on(self.flag.as_str()) == self.on
    }
}

/// What stands before the bracket of a part that is shown.
#[derive(Clone, Copy)]
enum Operator<'a> {
    Leaf(&'a FlagState),
    Bracket,
    Any,
    ExactlyOne,
    AtMostOne,
    If(&'a Flag, bool),
}

impl Operator<'_> {
    fn counts(self) -> bool {
        matches!(self, Self::Any | Self::ExactlyOne | Self::AtMostOne)
    }
}

/// A part that is worth showing, and whether it holds.
struct Shown<'a> {
    operator: Operator<'a>,
    children: Vec<Shown<'a>>,
    met: bool,
}

impl<'a> Shown<'a> {
    /// What is left of a part once absent ones, empty groups and brackets of one are gone, added to the parts of the
    /// group around it, whose operator is given. The result is the part's outcome.
    fn collect(
        node: &'a Node<FlagState>,
        is_on: &impl Fn(&str) -> bool,
        around: Operator<'a>,
        into: &mut Vec<Self>,
    ) -> Option<bool> {
        let operator = match node {
            Node::Leaf(leaf) => {
                let met = leaf.is_met(is_on);
                into.push(Self { operator: Operator::Leaf(leaf), children: Vec::new(), met });
                return Some(met);
            }
            Node::All(_) => Operator::Bracket,
            Node::Any(_) => Operator::Any,
            Node::ExactlyOne(_) => Operator::ExactlyOne,
            Node::AtMostOne(_) => Operator::AtMostOne,
            Node::If { flag, on, .. } => {
                if is_on(flag.as_str()) != *on {
                    return None;
                }
                Operator::If(flag, *on)
            }
        };
        let mut children = Vec::new();
        let (mut present, mut holding) = (0_usize, 0_usize);
        for child in node.children() {
            let outcome = Self::collect(child, is_on, operator, &mut children);
            present += usize::from(outcome.is_some());
            holding += usize::from(outcome == Some(true));
        }
        let outcome = match operator {
            Operator::Any => Some(holding > 0),
            Operator::ExactlyOne => Some(holding == 1),
            Operator::AtMostOne => Some(holding <= 1),
            Operator::Bracket if present == 0 => None,
            _ => Some(holding == present),
        };
        let met = outcome.unwrap_or(true);
        match operator {
            Operator::Bracket if children.len() <= 1 || !around.counts() => into.append(&mut children),
            _ if children.is_empty() => {}
            _ if operator.counts() && children.len() == 1 => {
                // One alternative is no choice: what it asks for is asked here.
                for child in children {
                    match child.operator {
                        Operator::Bracket if !around.counts() => into.extend(child.children),
                        _ => into.push(child),
                    }
                }
            }
            _ => into.push(Self { operator, children, met }),
        }
        outcome
    }

    /// The part as a tree again. Below a counting operator everything stays, since what is met is part of the count;
    /// elsewhere only what fails.
    fn node(self, counted: bool) -> Node<FlagState> {
        let counted = counted || self.operator.counts();
        let nodes = || Self::nodes(self.children, counted);
        match self.operator {
            Operator::Leaf(leaf) => Node::Leaf(leaf.clone()),
            Operator::Bracket => Node::All(nodes()),
            Operator::Any => Node::Any(nodes()),
            Operator::ExactlyOne => Node::ExactlyOne(nodes()),
            Operator::AtMostOne => Node::AtMostOne(nodes()),
            Operator::If(flag, on) => Node::If { flag: flag.clone(), on, nodes: nodes() },
        }
    }

    fn nodes(parts: Vec<Self>, counted: bool) -> Vec<Node<FlagState>> {
        parts.into_iter().filter(|part| counted || !part.met).map(|part| part.node(counted)).collect()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::kinds::RequiredUse;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 4096, failure_persistence: None, ..ProptestConfig::default() })]

        /// Words in any order are seldom a value, so those that open a group mostly come with its end.
        #[test]
        fn a_text_is_evaluated_as_its_tree(
            parts in prop::collection::vec(
                prop::sample::select(vec![
                    "a", "!b", "c", "d", "|| ( a b )", "^^ ( a !c )", "?? ( b c a )", "a? ( b )", "!b? ( )",
                    "( !a? ( b ) )", "|| ( c? (", "^^ ( (", "?? (", "!a? ( b", ") )", ")", "|| ( )", "??", "!c?", "+", "!!a",
                ]),
                0..9,
            ),
            on in prop::collection::vec(prop::sample::select(vec!["a", "b", "c"]), 0..3),
        ) {
            let text = parts.join(" ");
            let (is_on, has) = (|flag: &str| on.contains(&flag), |flag: &str| flag != "d");
            let by_tree = text.parse::<RequiredUse>().map(|spec| spec.check(is_on, has));
            prop_assert_eq!(RequiredUse::check_text(&text, is_on, has), by_tree);
        }
    }
}
