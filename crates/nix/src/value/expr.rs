//! The expressions of Nix as typed values. The backend makes them, and `print.rs` prints them. No
//! other text is printed.

use crate::value::text::Verbatim;

/// The precedence of an expression that needs parentheses inside any other expression, such as a
/// `let`. All operators bind tighter.
pub(crate) const LOOSE: u8 = 0;

/// The precedence of a call `f x`, which needs parentheses only as an argument or before a dot.
pub(crate) const APPLY: u8 = 10;

/// The precedence of an expression that never needs parentheses, such as a name.
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
    /// Returns the operator's symbol and its precedence. A higher number binds tighter, so the
    /// numbers are those of the Nix manual in reverse order. A comparison inside another comparison
    /// gets parentheses, whichever binds tighter.
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

/// An element of a list, with its comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The element.
    pub value: NixExpr,
    /// The comment lines above the element.
    pub comment: Option<String>,
}

/// A binding of an attribute set or a `let`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binding {
    /// The names that are bound, and their value.
    pub kind: BindingKind,
    /// The comment lines above the binding.
    pub comment: Option<String>,
    /// Set if an empty line precedes the binding.
    pub apart: bool,
}

/// The names and the value of a binding.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum BindingKind {
    /// `a.b = value;`
    Value(Vec<String>, NixExpr),
    /// `inherit a b;` or `inherit (from) a b;`
    Inherit(Option<NixExpr>, Vec<String>),
    /// Nothing: a comment without a binding.
    Nothing,
}

/// An argument of a function that takes a set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The argument's name.
    pub name: String,
    /// The value that is used if the argument is not given.
    pub default: Option<NixExpr>,
    /// The comment lines above the argument.
    pub comment: Option<String>,
}

/// The parameter of a function.
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
    /// The path of a file beside or below the expression's file, without `./` before it:
    /// `cmake.patch` is printed as `./cmake.patch`. Any other path is printed as `(./. + "/…")`.
    Path(String),
    /// A string in double quotes.
    Str(Vec<Part>),
    /// A string of several lines: `''…''`.
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
    /// A binary operator and its two operands.
    Binary(Operator, Box<NixExpr>, Box<NixExpr>),
    /// An expression that is printed as it was written.
    Text(Verbatim),
}

impl NixExpr {
    /// Makes a string of literal text.
    pub fn string(text: impl Into<String>) -> Self {
        Self::Str(vec![Part::Text(text.into())])
    }

    /// Negates the expression: `a` -> `!a`, and `!a` -> `a`.
    #[must_use]
    pub fn negated(self) -> Self {
        match self {
            Self::Not(inner) => *inner,
            other => Self::Not(Box::new(other)),
        }
    }

    /// Makes `a.b or default` of the selection `a.b`. Any other expression is returned unchanged.
    #[must_use]
    pub fn or(self, default: Self) -> Self {
        match self {
            Self::Select(base, path, _) => Self::Select(base, path, Some(Box::new(default))),
            other => other,
        }
    }

    /// Makes a call of the function with this name: `f x y`.
    pub fn call(function: &str, arguments: impl IntoIterator<Item = Self>) -> Self {
        arguments.into_iter().fold(named(function), |f, a| {
            Self::Apply(Box::new(f), Box::new(a))
        })
    }

    /// Makes the expression `if condition then one else other`.
    pub(crate) fn choice(condition: &Self, one: &Self, other: &Self) -> Self {
        Self::Text(Verbatim::loose(format!(
            "if {condition} then {one} else {other}"
        )))
    }

    /// Makes `lib.optionalString condition text`, which is empty if the condition does not hold. If
    /// `condition` is `None`, `text` is returned.
    pub fn given(condition: Option<Self>, text: Self) -> Self {
        match condition {
            Some(condition) => Self::call("lib.optionalString", [condition, text]),
            None => text,
        }
    }

    /// Makes a list without comments.
    pub fn list(items: impl IntoIterator<Item = Self>) -> Self {
        Self::List(items.into_iter().map(Item::from).collect())
    }

    pub(crate) fn strings(texts: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::list(texts.into_iter().map(Self::string))
    }

    /// Joins two expressions by an operator: `left ++ right`.
    pub fn binary(operator: Operator, left: Self, right: Self) -> Self {
        Self::Binary(operator, Box::new(left), Box::new(right))
    }

    /// Joins all expressions by an operator: `a || b || c`. Returns `None` if there are no
    /// expressions.
    pub fn join(operator: Operator, all: impl IntoIterator<Item = Self>) -> Option<Self> {
        all.into_iter().reduce(|a, b| Self::binary(operator, a, b))
    }
}

/// Makes a name with its attributes: `lib.licenses.mit`.
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
    /// Makes an argument with a default: `name ? default`.
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
    /// Makes `name = value;`. A dot in the name separates attributes: `a.b` is the attribute `b` of
    /// `a`.
    pub fn new(name: &str, value: NixExpr) -> Self {
        Self {
            kind: BindingKind::Value(name.split('.').map(str::to_owned).collect(), value),
            comment: None,
            apart: false,
        }
    }

    /// Makes `name = value;`. A dot is part of the name, which is then printed in quotes:
    /// `"a.b" = value;`.
    pub fn plain(name: &str, value: NixExpr) -> Self {
        Self {
            kind: BindingKind::Value(vec![name.to_owned()], value),
            comment: None,
            apart: false,
        }
    }

    /// Makes one binding of all bindings below a name: `name.a = 1;` of a single binding,
    /// `name = { a = 1; b = 2; };` of several. Returns `None` if there are none.
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

    /// Returns the names that the binding binds. A path `a.b` binds `a`.
    pub(crate) fn names(&self) -> &[String] {
        match &self.kind {
            BindingKind::Value(path, _) => path.get(..1).unwrap_or_default(),
            BindingKind::Inherit(_, names) => names,
            BindingKind::Nothing => &[],
        }
    }

    /// Makes `inherit (from) names;`.
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

    /// Adds an empty line above the binding.
    #[must_use]
    pub fn apart(mut self) -> Self {
        self.apart = true;
        self
    }

    /// Sets the comment above the binding. `None` removes it.
    #[must_use]
    pub fn comment(mut self, text: Option<String>) -> Self {
        self.comment = text;
        self
    }
}

/// Returns true if Nix reads `name` as a name without quotes. Only such a name can be a variable or
/// an argument.
pub(crate) fn is_identifier(name: &str) -> bool {
    rocpkg_render::nix::attribute(name) == name
}
