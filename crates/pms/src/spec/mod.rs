//! Trees of dependencies, licences, URIs, restrictions and flags: one shape for all (PMS 8.2).

mod eval;
mod layout;
mod parse;

use std::fmt::{self, Display};

pub use self::parse::{Leaf, MAX_DEPTH};
pub(crate) use self::parse::{is_space, words};
use crate::error::SyntaxError;
use crate::name::Flag;

/// One part of a [`Spec`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Node<T> {
    /// A leaf: an atom, a flag, a licence or a URI, depending on the variable.
    Leaf(T),
    /// `( … )`: all children must hold.
    All(Vec<Node<T>>),
    /// `|| ( … )`: at least one child must hold.
    Any(Vec<Node<T>>),
    /// `^^ ( … )`: exactly one child must hold. Only in `REQUIRED_USE`.
    ExactlyOne(Vec<Node<T>>),
    /// `?? ( … )`: at most one child may hold. Only in `REQUIRED_USE`.
    AtMostOne(Vec<Node<T>>),
    /// `flag? ( … )` or `!flag? ( … )`: a conditional.
    If {
        /// The flag that decides.
        flag: Flag,
        /// The state of the flag in which the children count: `true` for `flag?`, `false` for
        /// `!flag?`.
        on: bool,
        /// The children. All of them must hold in that state.
        nodes: Vec<Node<T>>,
    },
}

impl<T> Node<T> {
    /// Makes `flag? ( nodes )`.
    pub fn when(flag: Flag, nodes: impl IntoIterator<Item = Self>) -> Self {
        Self::If {
            flag,
            on: true,
            nodes: nodes.into_iter().collect(),
        }
    }

    /// Makes `!flag? ( nodes )`.
    pub fn unless(flag: Flag, nodes: impl IntoIterator<Item = Self>) -> Self {
        Self::If {
            flag,
            on: false,
            nodes: nodes.into_iter().collect(),
        }
    }

    /// Makes `|| ( nodes )`.
    pub fn any(nodes: impl IntoIterator<Item = Self>) -> Self {
        Self::Any(nodes.into_iter().collect())
    }

    /// Returns the children. A leaf has none.
    pub fn children(&self) -> &[Self] {
        match self {
            Self::Leaf(_) => &[],
            Self::All(nodes)
            | Self::Any(nodes)
            | Self::ExactlyOne(nodes)
            | Self::AtMostOne(nodes)
            | Self::If { nodes, .. } => nodes,
        }
    }

    /// Returns the operator before the parenthesis, with the space after it. It is empty for `( …
    /// )`.
    fn opener(&self) -> String {
        match self {
            Self::Leaf(_) | Self::All(_) => String::new(),
            Self::Any(_) => "|| ".to_owned(),
            Self::ExactlyOne(_) => "^^ ".to_owned(),
            Self::AtMostOne(_) => "?? ".to_owned(),
            Self::If { flag, on, .. } => format!("{}{flag}? ", if *on { "" } else { "!" }),
        }
    }

    /// Returns the same tree with each leaf replaced by another leaf.
    pub fn map<U>(&self, leaf: &mut impl FnMut(&T) -> U) -> Node<U> {
        self.flat_map(&mut |value| Node::Leaf(leaf(value)))
    }

    /// Returns the same tree with each leaf replaced by a node, which may be a group.
    pub fn flat_map<U>(&self, leaf: &mut impl FnMut(&T) -> Node<U>) -> Node<U> {
        let mut all = |nodes: &[Self]| nodes.iter().map(|node| node.flat_map(leaf)).collect();
        match self {
            Self::Leaf(value) => leaf(value),
            Self::All(nodes) => Node::All(all(nodes)),
            Self::Any(nodes) => Node::Any(all(nodes)),
            Self::ExactlyOne(nodes) => Node::ExactlyOne(all(nodes)),
            Self::AtMostOne(nodes) => Node::AtMostOne(all(nodes)),
            Self::If { flag, on, nodes } => Node::If {
                flag: flag.clone(),
                on: *on,
                nodes: all(nodes),
            },
        }
    }

    /// Divides the node into parts that must all hold for the node to hold. Brackets and
    /// conditionals are divided, other groups are not: `a? ( x y )` becomes `a? ( x )` and `a? ( y
    /// )`.
    pub fn parts(&self) -> Vec<Self>
    where
        T: Clone,
    {
        let inner = |nodes: &[Self]| -> Vec<Self> { nodes.iter().flat_map(Self::parts).collect() };
        match self {
            Self::All(nodes) => inner(nodes),
            Self::If { flag, on, nodes } if !nodes.is_empty() => {
                let one = |node| Self::If {
                    flag: flag.clone(),
                    on: *on,
                    nodes: vec![node],
                };
                inner(nodes).into_iter().map(one).collect()
            }
            _ => vec![self.clone()],
        }
    }

    /// Returns all leaves from left to right. The result is the node itself if it is a leaf.
    pub fn leaves(&self) -> Vec<&T> {
        let mut found = Vec::new();
        self.visit(&mut |leaf| found.push(leaf), &mut |_| {});
        found
    }

    pub(crate) fn visit<'a>(
        &'a self,
        leaf: &mut impl FnMut(&'a T),
        flag: &mut impl FnMut(&'a Flag),
    ) {
        match self {
            Self::Leaf(value) => leaf(value),
            Self::If { flag: name, .. } => flag(name),
            _ => {}
        }
        for node in self.children() {
            node.visit(leaf, flag);
        }
    }
}

impl<T> From<T> for Node<T> {
    fn from(leaf: T) -> Self {
        Self::Leaf(leaf)
    }
}

impl<T: Display> Display for Node<T> {
    /// Prints the node on one line, in the syntax that the parser reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Self::Leaf(value) = self {
            return write!(f, "{value}");
        }
        write!(f, "{}(", self.opener())?;
        for node in self.children() {
            write!(f, " {node}")?;
        }
        f.write_str(" )")
    }
}

/// The value of a variable in the dependency language. All of its parts must hold.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Spec<T> {
    /// The parts in their order.
    pub nodes: Vec<Node<T>>,
}

impl<T> Spec<T> {
    /// Makes a value of these parts.
    pub fn new(nodes: impl IntoIterator<Item = Node<T>>) -> Self {
        Self {
            nodes: nodes.into_iter().collect(),
        }
    }

    /// Makes a value of these parts, if they print as a text that the parser of the variable
    /// accepts. Each group must be one that the variable may have, no group may be empty unless the
    /// variable allows it, and groups may be nested at most [`MAX_DEPTH`] deep.
    ///
    /// # Errors
    /// The parser's error for the printed value.
    pub fn checked(nodes: impl IntoIterator<Item = Node<T>>) -> Result<Self, SyntaxError>
    where
        T: Leaf,
    {
        Self::new(nodes).to_string().parse()
    }

    /// Returns true if the value has no parts.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Returns the same tree with each leaf replaced by another leaf.
    pub fn map<U>(&self, mut leaf: impl FnMut(&T) -> U) -> Spec<U> {
        Spec {
            nodes: self.nodes.iter().map(|node| node.map(&mut leaf)).collect(),
        }
    }

    /// Returns all leaves from left to right, those inside conditionals too.
    pub fn leaves(&self) -> Vec<&T> {
        let mut found = Vec::new();
        for node in &self.nodes {
            node.visit(&mut |leaf| found.push(leaf), &mut |_| {});
        }
        found
    }

    /// Returns the flags of all conditionals (`flag? ( … )`), from left to right. A flag of several
    /// conditionals is listed several times.
    pub fn conditions(&self) -> Vec<&Flag> {
        let mut found = Vec::new();
        for node in &self.nodes {
            node.visit(&mut |_| {}, &mut |flag| found.push(flag));
        }
        found
    }
}

impl<T> Default for Spec<T> {
    fn default() -> Self {
        Self { nodes: Vec::new() }
    }
}

impl<T> FromIterator<Node<T>> for Spec<T> {
    fn from_iter<I: IntoIterator<Item = Node<T>>>(nodes: I) -> Self {
        Self::new(nodes)
    }
}

impl<T: Display> Display for Spec<T> {
    /// Prints the value on one line with single spaces between all words, in the syntax that the
    /// parser reads.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, node) in self.nodes.iter().enumerate() {
            write!(f, "{}{node}", if index == 0 { "" } else { " " })?;
        }
        Ok(())
    }
}
