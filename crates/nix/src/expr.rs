//! The Nix language as a tree: what the backend builds, and the only thing that is printed.

use crate::text::Verbatim;

/// How tightly something binds that stands only where nothing stands beside it; the operators bind
/// tighter.
pub(crate) const LOOSE: u8 = 0;

/// How tightly something binds that may stand anywhere but as an argument.
pub(crate) const APPLY: u8 = 10;

/// How tightly something binds that may stand anywhere.
pub(crate) const ATOM: u8 = 12;

/// A piece of a string: text, which is escaped, or an expression inside `${…}`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// Literal text.
    Text(String),
    /// An interpolated expression.
    Value(NixExpr),
}

/// A binary operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Operator {
    /// `||`
    Or,
    /// `&&`
    And,
    /// `==`
    Equal,
    /// `!=`
    Differs,
    /// `>`
    Greater,
    /// `//`
    Update,
    /// `+`
    Plus,
    /// `++`
    Concat,
}

impl Operator {
    /// How it is written, and how tightly it binds: the table of operators in the Nix manual,
    /// upside down. A comparison within another has brackets, whichever binds tighter.
    pub(crate) fn symbol_and_level(self) -> (&'static str, u8) {
        match self {
            Self::Or => ("||", 2),
            Self::And => ("&&", 3),
            Self::Equal => ("==", 4),
            Self::Differs => ("!=", 4),
            Self::Greater => (">", 4),
            Self::Update => ("//", 5),
            Self::Plus => ("+", 7),
            Self::Concat => ("++", 8),
        }
    }
}

/// An element of a list, with what is said about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The element.
    pub value: NixExpr,
    /// Comment lines above it.
    pub comment: Option<String>,
}

/// A binding of an attribute set or a `let`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// What is bound.
    pub kind: BindingKind,
    /// Comment lines above it.
    pub comment: Option<String>,
    /// An empty line stands above it.
    pub apart: bool,
}

/// What a binding binds.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKind {
    /// `a.b = value;`
    Value(Vec<String>, NixExpr),
    /// `inherit a b;` or `inherit (from) a b;`
    Inherit(Option<NixExpr>, Vec<String>),
    /// Nothing: a comment stands alone.
    Nothing,
}

/// An argument of a function that takes a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// Its name.
    pub name: String,
    /// Its value when it is not given.
    pub default: Option<NixExpr>,
    /// Comment lines above it.
    pub comment: Option<String>,
}

/// What a function takes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pattern {
    /// One name.
    Name(String),
    /// A set with these names.
    Set(Vec<Argument>),
}

/// A Nix expression.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NixExpr {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A path relative to the file, such as `./cmake.patch`.
    Path(String),
    /// A string in double quotes.
    Str(Vec<Part>),
    /// A string between pairs of single quotes, one line of text each.
    Lines(Vec<Part>),
    /// A name.
    Name(String),
    /// `base.a.b or default`
    Select(Box<NixExpr>, Vec<String>, Option<Box<NixExpr>>),
    /// A list.
    List(Vec<Item>),
    /// An attribute set.
    Set(Vec<Binding>),
    /// A function applied to an argument.
    Apply(Box<NixExpr>, Box<NixExpr>),
    /// A function.
    Lambda(Pattern, Box<NixExpr>),
    /// `let … in …`
    Let(Vec<Binding>, Box<NixExpr>),
    /// `!…`
    Not(Box<NixExpr>),
    /// Two expressions and what stands between them.
    Binary(Operator, Box<NixExpr>, Box<NixExpr>),
    /// An expression as it is written.
    Text(Verbatim),
}

impl NixExpr {
    /// A string of literal text.
    pub fn string(text: impl Into<String>) -> Self {
        Self::Str(vec![Part::Text(text.into())])
    }

    /// The opposite; that of an opposite is the expression itself.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// `self or default`; only of a selection.
    #[must_use]
    pub fn or(self, default: Self) -> Self {
        match self {
            Self::Select(base, path, _) => Self::Select(base, path, Some(Box::new(default))),
            other => other,
        }
    }

    /// A function, by its name, applied to some arguments.
    pub fn call(function: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        arguments.into_iter().fold(named(function), |f, a| {
            Self::Apply(Box::new(f), Box::new(a))
        })
    }

    /// `if condition then one else other`
    pub(crate) fn choice(condition: &Self, one: &Self, other: &Self) -> Self {
        Self::Text(Verbatim::loose(format!(
            "if {condition} then {one} else {other}"
        )))
    }

    /// A text that is there under a condition.
    pub fn given(condition: Option<Self>, text: Self) -> Self {
        match condition {
            Some(condition) => Self::call("lib.optionalString", [condition, text]),
            None => text,
        }
    }

    /// A list without comments.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().map(Item::from).collect())
    }

    /// A list of strings.
    pub(crate) fn strings(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::list(texts.into_iter().map(Self::string))
    }

    /// Two expressions joined.
    pub fn binary(operator: Operator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// All of them joined from left to right; `None` when there is none.
    pub fn join(operator: Operator, all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|a, b| Self::binary(operator, a, b))
    }
}

/// A name with its attributes: `lib.licenses.mit`.
pub(crate) fn named(dotted: &str) -> NixExpr {
    let mut parts = dotted.split('.').map(str::to_owned);
    let base = NixExpr::Name(parts.next().unwrap_or_default());
    let rest: Vec<String> = parts.collect();
    if rest.is_empty() {
        base
    } else {
        NixExpr::Select(Box::new(base), rest, None)
    }
}

impl Argument {
    /// An argument with a default.
    pub(crate) fn new(name: impl Into<String>, default: NixExpr) -> Self {
        Self {
            name: name.into(),
            default: Some(default),
            comment: None,
        }
    }
}

impl From<NixExpr> for Item {
    fn from(value: NixExpr) -> Self {
        Self {
            value,
            comment: None,
        }
    }
}

impl Binding {
    /// `name = value;`, where dots in the name part attributes.
    pub fn new(name: &str, value: NixExpr) -> Self {
        Self {
            kind: BindingKind::Value(name.split('.').map(str::to_owned).collect(), value),
            comment: None,
            apart: false,
        }
    }

    /// `name = value;`, the name as it is.
    pub fn plain(name: &str, value: NixExpr) -> Self {
        Self {
            kind: BindingKind::Value(vec![name.to_owned()], value),
            comment: None,
            apart: false,
        }
    }

    /// Bindings below a name: one by its path, several in a set.
    pub(crate) fn below(name: &str, mut all: Vec<Self>) -> Option<Self> {
        if let [
            Self {
                kind: BindingKind::Value(path, _),
                ..
            },
        ] = all.as_mut_slice()
        {
            path.insert(0, name.to_owned());
            return all.pop().map(Self::apart);
        }
        (!all.is_empty()).then(|| Self::new(name, NixExpr::Set(all)).apart())
    }

    /// The names that it binds, of a path of attributes the first.
    pub(crate) fn names(&self) -> &[String] {
        match &self.kind {
            BindingKind::Value(path, _) => path.get(..1).unwrap_or_default(),
            BindingKind::Inherit(_, names) => names,
            BindingKind::Nothing => &[],
        }
    }

    /// `inherit (from) names;`
    pub fn inherit(
        from: Option<NixExpr>,
        names: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let names = names.into_iter().map(Into::into).collect();
        Self {
            kind: BindingKind::Inherit(from, names),
            comment: None,
            apart: false,
        }
    }

    /// With an empty line above.
    #[must_use]
    pub fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// With a comment above.
    #[must_use]
    pub fn comment(mut self, text: Option<String>) -> Self {
        self.comment = text;
        self
    }
}

/// What can be put where a binding or argument stands: a name that needs no quotes.
pub(crate) fn is_identifier(name: &str) -> bool {
    rocpkg_render::nix::attribute(name) == name
}
