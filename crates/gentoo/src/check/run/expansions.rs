//! Evaluates expansions of parameters and arithmetic.

use super::pattern::{replace, strip};
use super::value::{Value, Variable};
use super::words::{open, with_blanks};
use super::{Flow, Run};
use rocpkg_render::bash::{Arithmetic, Expansion, Operation, Prefix, Token, Word};

impl Run<'_> {
    /// Returns the values of an expansion, and true if it is a list such as `${NAME[@]}`.
    pub(super) fn expansion(&mut self, expansion: &Expansion) -> (Vec<Value>, bool) {
        let written = || format!("`{expansion}` is not evaluated");
        let index = expansion.index.as_ref().and_then(Word::text);
        let is_list = matches!(index.as_deref(), Some("@" | "*")) || expansion.name == "@";
        let is_joined = matches!(index.as_deref(), Some("*")) || expansion.name == "*";
        let name = match expansion.prefix {
            Prefix::Indirect => {
                let named = self
                    .base(&expansion.name, None)
                    .map(|all| with_blanks(&all));
                match named.and_then(|value| value.known()) {
                    Some(name) if !matches!(expansion.operation, Operation::Names(_)) => name,
                    _ => return (vec![open(written())], false),
                }
            }
            _ => expansion.name.clone(),
        };
        if expansion.index.is_some() && index.is_none() {
            return (vec![open(written())], false);
        }
        let all = self.base(&name, index.as_deref());
        if expansion.prefix == Prefix::Length {
            return (
                vec![length(all, is_list).unwrap_or_else(|| open(written()))],
                false,
            );
        }
        let all = match &expansion.operation {
            Operation::Value(sign, word) => match self.default(&name, sign, word, all) {
                Some(all) => all,
                None => vec![open(written())],
            },
            _ => all.unwrap_or_default(),
        };
        let each = all.into_iter().map(|value| self.changed(&value, expansion));
        let all: Vec<Value> = each.collect();
        if is_list && !is_joined {
            return (all, true);
        }
        (vec![with_blanks(&all)], false)
    }

    /// Returns the values of a parameter; `None` if it is not set.
    fn base(&mut self, name: &str, index: Option<&str>) -> Option<Vec<Value>> {
        let at = |all: &[Value], at: usize| all.get(at).cloned().map(|value| vec![value]);
        match name {
            "@" | "*" => return Some(self.arguments.clone()),
            "#" => return Some(vec![self.arguments.len().to_string().into()]),
            "?" | "$" | "!" | "-" | "_" => {
                return Some(vec![open(format!("`${name}` is not evaluated"))]);
            }
            "0" => return Some(vec![open("`$0` is not evaluated")]),
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            return at(&self.arguments, number - 1);
        }
        let variable = self.get(name)?;
        match (index, &variable) {
            (Some("@" | "*"), Variable::Array(all)) => Some(all.clone()),
            (None | Some("@" | "*"), variable) => Some(vec![variable.text()]),
            (Some(index), Variable::Array(all)) => match index.parse::<i64>() {
                Ok(number) if number >= 0 => at(all, usize::try_from(number).ok()?),
                Ok(number) => {
                    let back = usize::try_from(-number).ok()?;
                    at(all, all.len().checked_sub(back)?)
                }
                Err(_) => Some(vec![open(format!("`{name}[{index}]` is not evaluated"))]),
            },
            (Some("0"), variable) => Some(vec![variable.text()]),
            (Some(_), Variable::Text(_)) => None,
            (Some(_), Variable::Open(reason)) => Some(vec![Value::open(reason)]),
        }
    }

    /// Returns the values of `${NAME:-word}` and the like; `None` if they are not known.
    fn default(
        &mut self,
        name: &str,
        sign: &str,
        word: &Word,
        all: Option<Vec<Value>>,
    ) -> Option<Vec<Value>> {
        let joined = all.as_deref().map(with_blanks);
        let counts = match (&joined, sign.starts_with(':')) {
            (None, _) => Some(false),
            (Some(value), true) => value.is_filled(),
            // An open variable may be unset.
            (Some(value), false) => value.reason().is_none().then_some(true),
        };
        match (sign.trim_start_matches(':'), counts?) {
            ("+", true) | ("-" | "=", false) => {
                let value = self.text(word);
                if sign.ends_with('=') {
                    self.set(name, Variable::Text(value.clone()));
                }
                Some(vec![value])
            }
            ("+", false) => Some(vec![Value::default()]),
            ("?", false) => {
                let reason = format!("`{name}` is not set, so `${{{name}{sign}…}}` ends the shell");
                self.refuse("", reason);
                Some(Vec::new())
            }
            _ => all,
        }
    }

    /// Returns one value of an expansion after its operation.
    fn changed(&mut self, value: &Value, expansion: &Expansion) -> Value {
        let not_known = || open(format!("`{expansion}` is not evaluated"));
        let result = match &expansion.operation {
            Operation::None | Operation::Value(..) => return value.clone(),
            Operation::Replace(sign, pattern, with) => {
                let with = with.as_ref().map(|with| self.text(with));
                let with = with.unwrap_or_default();
                let is_empty = pattern.is_absent() || pattern.text().is_some_and(|t| t.is_empty());
                if is_empty {
                    return match *sign {
                        "/#" => with_blanks_between(&with, value),
                        "/%" => with_blanks_between(value, &with),
                        _ => value.clone(),
                    };
                }
                let pattern = self.pattern(pattern);
                let parts = value.known().zip(pattern).zip(with.known());
                parts.map(|((text, pattern), with)| {
                    let anchor = sign.chars().nth(1).filter(|c| *c != '/');
                    replace(&text, &pattern, &with, *sign == "//", anchor)
                })
            }
            Operation::Strip(sign, pattern) => {
                let pattern = self.pattern(pattern);
                let parts = value.known().zip(pattern);
                parts.map(|(text, pattern)| {
                    strip(&text, &pattern, sign.starts_with('#'), sign.len() > 1)
                })
            }
            Operation::Case(sign, pattern) if pattern.is_absent() => {
                value.known().map(|text| cased(&text, sign))
            }
            Operation::Slice(offset, length) => {
                let from = self.arithmetic(offset);
                let length = match length {
                    Some(length) => self.arithmetic(length),
                    None => Some(i64::from(i32::MAX)),
                };
                sliced(value, from, length)
            }
            _ => None,
        };
        result.map_or_else(not_known, Value::from)
    }

    /// Returns the value of an arithmetic expression that is a single number or a single variable.
    pub(super) fn arithmetic(&mut self, of: &Arithmetic) -> Option<i64> {
        let is_blank = |token: &&Token| !matches!(token, Token::Blank(_));
        let tokens: Vec<&Token> = of.tokens.iter().filter(is_blank).collect();
        match tokens.as_slice() {
            [Token::Number(number)] => number.parse().ok(),
            [Token::Operator("-"), Token::Number(number)] => number.parse::<i64>().ok().map(|n| -n),
            [Token::Name(name)] => self.get(name)?.text().known()?.parse().ok(),
            [Token::Piece(piece)] => {
                let word = Word::from(piece.clone());
                self.text(&word).known()?.parse().ok()
            }
            _ => None,
        }
    }

    /// Ends the shell if the flow says so; true if statements go on.
    pub(super) fn goes_on(&mut self) -> bool {
        self.flow == Flow::On && self.lost.is_none() && self.step()
    }
}

fn with_blanks_between(one: &Value, two: &Value) -> Value {
    let mut out = one.clone();
    out.append(two);
    out
}

fn length(all: Option<Vec<Value>>, is_list: bool) -> Option<Value> {
    let all = all.unwrap_or_default();
    let is_open = all.iter().any(|value| value.reason().is_some());
    let count = match all.as_slice() {
        _ if is_open => return None,
        all if is_list => all.len(),
        all => all
            .first()
            .and_then(Value::known)
            .unwrap_or_default()
            .chars()
            .count(),
    };
    Some(count.to_string().into())
}

fn cased(text: &str, sign: &str) -> String {
    let mut chars = text.chars();
    match (sign, chars.next()) {
        ("^^", _) => text.to_uppercase(),
        (",,", _) => text.to_lowercase(),
        ("^", Some(first)) => format!("{}{}", first.to_uppercase(), chars.as_str()),
        (",", Some(first)) => format!("{}{}", first.to_lowercase(), chars.as_str()),
        _ => text.to_owned(),
    }
}

/// Returns `${x:from:length}`; `None` if the numbers are not known.
fn sliced(value: &Value, from: Option<i64>, length: Option<i64>) -> Option<String> {
    let chars: Vec<char> = value.known()?.chars().collect();
    let count = i64::try_from(chars.len()).ok()?;
    let (from, length) = from.zip(length)?;
    let from = if from < 0 { count + from } else { from };
    let end = if length < 0 {
        count + length
    } else {
        from + length
    };
    let at = |at: i64| usize::try_from(at.clamp(0, count)).ok();
    let (from, end) = (at(from)?, at(end)?);
    Some(chars.get(from..end.max(from))?.iter().collect())
}
