//! Values of a derivation's attributes, as far as literals, `let`, `rec`, final attributes,
//! defaults of arguments, `inherit`, interpolation and `++` lead to them. The rest is open.

use crate::existing::bound::{Bound, bound};
use crate::value::open::attribute;
use rnix::ast::{
    AttrSet, BinOpKind, Entry, Expr, HasEntry, InterpolPart, Lambda, LetIn, Param, Str,
};
use rnix::{NodeOrToken, SyntaxKind, SyntaxNode};
use rocpkg_syntax::nix::{self, DERIVATION};
use rocpkg_syntax::{Evaluated, Memo, Values};
use rowan::ast::AstNode;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::convert::Infallible;

/// The most expressions that are evaluated for one recipe, so that `a = b ++ b; b = c ++ c;` and so
/// on has an end.
const MOST_STEPS: usize = 20_000;

/// The most levels of expressions and names.
const MOST_LEVELS: usize = 60;

/// The most levels of sets in sets.
const MOST_SETS: usize = 5;

/// Attributes that are not read: sums follow the source, and texts are each maintainer's own.
const LEFT_OUT: [&str; 3] = ["hash", "description", "longDescription"];

/// Returns the values of the attributes of a derivation: `derivation.version`,
/// `derivation.src.rev`. In a list, an expression that is no string is a word, as it is written.
///
/// ```
/// let text = "{ mkDerivation, v ? \"7.2.4\" }: mkDerivation rec { version = v; a = \"rocm-${version}\"; }";
/// assert_eq!(rocpkg_nix::internal::values(text)["derivation.a"].words, ["rocm-7.2.4"]);
/// ```
pub fn values(text: &str) -> Values {
    let compute = || Ok::<_, Infallible>(computed(text));
    let Ok(values) = VALUES.with(|values| values.get((text, ()), compute));
    values
}

/// Returns the values of a file that contains one derivation. Returns None for any other file.
pub fn one_derivation(text: &str) -> Option<BTreeMap<String, String>> {
    let all = values(text);
    let text = |name: &str| {
        Some(
            all.get(&format!("derivation.{name}"))?
                .words
                .first()?
                .clone(),
        )
    };
    let of_interest = ["pname", "version"].into_iter();
    let found = of_interest.filter_map(|name| Some((name.to_owned(), text(name)?)));
    let is_one = all.contains_key("derivation.pname")
        || all.contains_key("derivation.version")
            && all.keys().any(|k| k.starts_with("derivation.src"));
    is_one.then(|| found.collect())
}

thread_local! {
    static VALUES: Memo<(), Values> = const { Memo::new() };
}

fn computed(text: &str) -> Values {
    let mut out = Values::new();
    let root = nix::parse(text).ok().and_then(rnix::Root::cast);
    if let Some(set) = root.and_then(|root| derivation(root.expr()?)) {
        let reader = Reader {
            steps: Cell::new(0),
        };
        reader.attributes(&set, DERIVATION, 0, &mut out);
    }
    out
}

/// Returns the set of a derivation's attributes: the last argument of the call in a file.
fn derivation(expr: Expr) -> Option<AttrSet> {
    match expr {
        Expr::Lambda(lambda) => derivation(lambda.body()?),
        Expr::LetIn(inner) => derivation(inner.body()?),
        Expr::With(inner) => derivation(inner.body()?),
        Expr::Assert(inner) => derivation(inner.body()?),
        Expr::Paren(inner) => derivation(inner.expr()?),
        Expr::Apply(call) => derivation(call.argument()?),
        Expr::AttrSet(set) => Some(set),
        _ => None,
    }
}

enum Meaning {
    Text(String),
    Words(Evaluated),
    Set(AttrSet),
}

/// A value, or the reason why it is open.
type KnownValue = Result<Meaning, String>;

struct Reader {
    /// The number of expressions that were evaluated.
    steps: Cell<usize>,
}

impl Reader {
    /// Adds the values of the attributes of a set to `out`. `path` is the name of the set.
    fn attributes(&self, set: &AttrSet, path: &str, level: usize, out: &mut Values) {
        let mut add = |name: &str, value: KnownValue| {
            let path = format!("{path}.{}", nix::spelling(name));
            if LEFT_OUT.iter().any(|left_out| path.ends_with(left_out)) {
                return;
            }
            let around = |inner: &AttrSet| {
                let outer = inner.syntax().text_range();
                outer.contains_range(set.syntax().text_range())
            };
            let value = match value {
                // `inherit finalAttrs;` has no end.
                Ok(Meaning::Set(inner)) if around(&inner) => return,
                Ok(Meaning::Set(inner)) => return self.attributes(&inner, &path, level + 1, out),
                Ok(Meaning::Words(words)) => words,
                Ok(Meaning::Text(text)) => Evaluated::new([text], None),
                Err(reason) => Evaluated::new([], Some(reason)),
            };
            out.insert(path, value);
        };
        if level > MOST_SETS {
            return;
        }
        for one in bound(set).iter().filter(|one| one.inherited.is_some()) {
            add(&one.name, self.bound(one, level));
        }
        for entry in set.entries() {
            let Entry::AttrpathValue(entry) = entry else {
                continue;
            };
            let names = entry.attrpath().into_iter().flat_map(|path| path.attrs());
            let names: Option<Vec<String>> = names.map(|name| attribute(&name)).collect();
            if let (Some(names), Some(value)) = (names, entry.value()) {
                add(&names.join("."), self.value(&value, level));
            }
        }
    }

    fn bound(&self, one: &Bound, level: usize) -> KnownValue {
        match (&one.value, &one.from, &one.inherited) {
            (Some(value), ..) => self.value(value, level),
            (_, Some(from), Some(_)) => {
                let from = Expr::cast(from.clone()).ok_or_else(String::new)?;
                self.of_set(&from, &one.name, level)
            }
            // The set that inherits a name does not bind the name for itself.
            (_, None, Some(_)) => {
                let set = one.entry.parent().ok_or_else(String::new)?;
                self.named(&one.name, &set, level)
            }
            _ => Err(format!("`{}` is set in parts", one.name)),
        }
    }

    /// Returns the value of a name that is used inside of `node`.
    fn named(&self, name: &str, node: &SyntaxNode, level: usize) -> KnownValue {
        for around in node.ancestors().skip(1) {
            let all = if let Some(inner) = LetIn::cast(around.clone()) {
                bound(&inner)
            } else if let Some(set) = AttrSet::cast(around.clone()).filter(is_recursive) {
                bound(&set)
            } else {
                let Some(lambda) = Lambda::cast(around) else {
                    continue;
                };
                match lambda.param() {
                    Some(Param::IdentParam(own)) if own.syntax().text() == name => {
                        let set = lambda.body().and_then(derivation);
                        return set.map(Meaning::Set).ok_or_else(|| argument(name));
                    }
                    Some(Param::Pattern(pattern)) => {
                        let is_it = |ident: rnix::ast::Ident| ident.syntax().text() == name;
                        let mut entries = pattern.pat_entries();
                        if let Some(entry) = entries.find(|one| one.ident().is_some_and(is_it)) {
                            let default = entry.default().ok_or_else(|| argument(name))?;
                            return self.value(&default, level);
                        }
                    }
                    _ => {}
                }
                continue;
            };
            // An inherited name is bound outside of the set.
            if let Some(one) = all.iter().find(|one| one.name == name) {
                return self.bound(one, level);
            }
        }
        Err(format!("nothing in the recipe binds `{name}`"))
    }

    /// Returns the value of the attribute `name` of a set.
    fn of_set(&self, set: &Expr, name: &str, level: usize) -> KnownValue {
        let open = || format!("`{}` is of another file", said(set.syntax()));
        let Ok(Meaning::Set(set)) = self.value(set, level) else {
            return Err(open());
        };
        let all = bound(&set);
        let one = all.iter().find(|one| one.name == name);
        one.map_or_else(|| Err(open()), |one| self.bound(one, level))
    }

    fn value(&self, expr: &Expr, level: usize) -> KnownValue {
        self.steps.set(self.steps.get() + 1);
        if level > MOST_LEVELS || self.steps.get() > MOST_STEPS {
            return Err("it has too many levels".to_owned());
        }
        let level = level + 1;
        let open = || Err(format!("`{}` is computed", said(expr.syntax())));
        match expr {
            Expr::Str(text) => self.text(text, level).map(Meaning::Text),
            Expr::Ident(name) => {
                self.named(&name.syntax().text().to_string(), expr.syntax(), level)
            }
            Expr::Literal(literal) => Ok(Meaning::Text(literal.syntax().text().to_string())),
            Expr::Paren(inner) => inner.expr().map_or_else(open, |e| self.value(&e, level)),
            Expr::With(inner) => inner.body().map_or_else(open, |e| self.value(&e, level)),
            Expr::LetIn(inner) => inner.body().map_or_else(open, |e| self.value(&e, level)),
            Expr::AttrSet(set) => Ok(Meaning::Set(set.clone())),
            Expr::List(list) => {
                let mut words = Evaluated::default();
                for item in list.items() {
                    self.word(&item, level, &mut words);
                }
                Ok(Meaning::Words(words))
            }
            Expr::Select(select) if select.default_expr().is_none() => {
                let names = select.attrpath().into_iter().flat_map(|path| path.attrs());
                let names: Vec<_> = names.map(|name| attribute(&name)).collect();
                match (select.expr(), names.as_slice()) {
                    (Some(set), [Some(name)]) => self.of_set(&set, name, level),
                    _ => open(),
                }
            }
            Expr::Apply(call) => self.call(call, level).unwrap_or_else(open),
            Expr::BinOp(both) => {
                let (Some(one), Some(other)) = (both.lhs(), both.rhs()) else {
                    return open();
                };
                let sides = (self.value(&one, level)?, self.value(&other, level)?);
                match (both.operator(), sides) {
                    (Some(BinOpKind::Concat), (Meaning::Words(mut all), Meaning::Words(more))) => {
                        all.words.extend(more.words);
                        all.open = all.open.or(more.open);
                        Ok(Meaning::Words(all))
                    }
                    (Some(BinOpKind::Add), (Meaning::Text(one), Meaning::Text(other))) => {
                        Ok(Meaning::Text(one + &other))
                    }
                    _ => open(),
                }
            }
            _ => open(),
        }
    }

    /// Returns the value of a call: the argument of a function that fetches, the words of
    /// `lib.optionals`, and parts of a version. Returns none for another call.
    fn call(&self, call: &rnix::ast::Apply, level: usize) -> Option<KnownValue> {
        let (function, argument) = (call.lambda()?, call.argument()?);
        let name = said(function.syntax());
        let name = name.strip_prefix("lib.").unwrap_or(&name);
        if matches!(argument, Expr::AttrSet(_)) {
            return Some(self.value(&argument, level));
        }
        let parts = match name {
            "versions.major" => 1,
            "versions.majorMinor" => 2,
            _ => {
                let condition = name.strip_prefix("optionals ")?;
                let Ok(Meaning::Words(mut words)) = self.value(&argument, level) else {
                    return None;
                };
                for word in &mut words.words {
                    *word = format!("{condition}? {word}");
                }
                return Some(Ok(Meaning::Words(words)));
            }
        };
        let Ok(Meaning::Text(version)) = self.value(&argument, level) else {
            return None;
        };
        let parts: Vec<&str> = version.split('.').take(parts).collect();
        Some(Ok(Meaning::Text(parts.join("."))))
    }

    fn text(&self, text: &Str, level: usize) -> Result<String, String> {
        let mut out = String::new();
        for part in text.normalized_parts() {
            match part {
                InterpolPart::Literal(text) => out.push_str(&text),
                InterpolPart::Interpolation(inner) => {
                    let expr = inner.expr().ok_or_else(String::new)?;
                    match self.value(&expr, level)? {
                        Meaning::Text(text) => out.push_str(&text),
                        _ => return Err(format!("`{}` is no text", said(expr.syntax()))),
                    }
                }
            }
        }
        Ok(out)
    }

    /// Adds the word that an element of a list is.
    fn word(&self, item: &Expr, level: usize, out: &mut Evaluated) {
        let text = said(item.syntax());
        let text = text.trim_start_matches('(').trim_end_matches(')');
        let value = self.value(item, level);
        let word = match (nix::option(text), value) {
            (_, Ok(Meaning::Text(text))) => text,
            (Some(option), _) => option,
            (None, Ok(Meaning::Set(_) | Meaning::Words(_))) if text.contains([' ', '{']) => {
                out.open = Some(format!("`{text}` is computed"));
                return;
            }
            _ => text.to_owned(),
        };
        out.words.push(word);
    }
}

fn is_recursive(set: &AttrSet) -> bool {
    set.rec_token().is_some()
}

fn argument(name: &str) -> String {
    format!("`{name}` is an argument")
}

/// Returns an expression in one line, without comments.
fn said(node: &SyntaxNode) -> String {
    let tokens = node.descendants_with_tokens();
    let tokens = tokens.filter_map(NodeOrToken::into_token);
    let tokens = tokens.filter(|token| token.kind() != SyntaxKind::TOKEN_COMMENT);
    let text: String = tokens.map(|token| token.text().to_owned()).collect();
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
