//! Evaluates expansions of parameters and arithmetic.

use super::pattern::{Glob, replace, strip};
use super::value::{Value, Variable};
use super::words::{Atom, joined, of, pieces, with_blanks};
use super::{Host, Run};
use crate::word::{Arithmetic, Expansion, Operation, Piece, Prefix, Token, Word};

/// The greatest number of comparisons for one pattern. The pattern is tried at each position of the
/// text.
const MOST_COMPARISONS: usize = 20_000_000;

impl<H: Host> Run<H> {
    /// Adds the values of an expansion. `is_quoted` is true between double quotes.
    pub(super) fn expansion(
        &mut self,
        expansion: &Expansion,
        is_quoted: bool,
        out: &mut Vec<Atom>,
    ) {
        let not_known = format!("`{expansion}` is not evaluated");
        let index = expansion.index.as_ref().and_then(Word::text);
        let is_indexed = |sign: &str| index.as_deref() == Some(sign) || expansion.name == sign;
        let is_list = is_indexed("@") || is_indexed("*");
        let is_joined = is_indexed("*") && is_quoted;
        let name = match expansion.prefix {
            // The keys of an array.
            Prefix::Indirect if is_list && index.is_some() => {
                let reason = self.reason(&not_known);
                let value = Value::open(&reason);
                self.many.get_or_insert(reason);
                return out.push(of(value, is_quoted));
            }
            Prefix::Indirect => {
                let named = self.base(&expansion.name, None);
                let named = named.and_then(|all| with_blanks(&all).known());
                match named {
                    Some(name) if !matches!(expansion.operation, Operation::Names(_)) => name,
                    _ => return out.push(of(self.open(&not_known), is_quoted)),
                }
            }
            _ => expansion.name.clone(),
        };
        if expansion.index.is_some() && index.is_none() {
            let reason = "the index of an array is computed";
            return out.push(of(self.open(reason), is_quoted));
        }
        let all = self.base(&name, index.as_deref());
        if let Operation::Value(sign, word) = &expansion.operation {
            if is_list {
                let reason = "a default value for an array is not supported";
                return out.push(Atom::Quoted(self.open(reason)));
            }
            return out.extend(self.default(&name, sign, word, all, is_quoted));
        }
        let Some(all) = all else {
            let reason = H::unset(self, &name);
            let value = reason.map(|reason| self.open(&reason));
            return out.push(match value {
                Some(value) => of(value, is_quoted),
                None if expansion.prefix == Prefix::Length => of("0".into(), is_quoted),
                None if is_list && !is_joined => Atom::Nothing,
                None => of(Value::default(), is_quoted),
            });
        };
        if expansion.prefix == Prefix::Length {
            let length = length(&all, is_list);
            let value = length.unwrap_or_else(|| self.open(&not_known));
            return out.push(of(value, is_quoted));
        }
        let all = match &expansion.operation {
            Operation::Slice(offset, length) if is_list => {
                match self.elements_of(&all, offset, length.as_ref()) {
                    Some(all) => all,
                    None => vec![self.open(&not_known)],
                }
            }
            _ => {
                let each = all.iter();
                let each = each.map(|value| self.changed(value, expansion, is_quoted));
                each.collect()
            }
        };
        if !is_list || is_joined {
            return out.push(of(with_blanks(&all), is_quoted));
        }
        if all.is_empty() {
            out.push(Atom::Nothing);
        }
        for (i, value) in all.into_iter().enumerate() {
            out.extend((i > 0).then_some(Atom::Break));
            out.push(of(value, is_quoted));
        }
    }

    /// Returns the values of a parameter; `None` if it is not set. An array without the element of
    /// this index has no value.
    fn base(&mut self, name: &str, index: Option<&str>) -> Option<Vec<Value>> {
        let at = |all: &[Value], at: usize| all.get(at).cloned().into_iter().collect();
        match name {
            "@" | "*" => return Some(self.arguments.clone()),
            "#" => return Some(vec![self.arguments.len().to_string().into()]),
            "?" | "$" | "!" | "-" | "_" | "0" => {
                return Some(vec![self.open("the value uses a special variable of bash")]);
            }
            _ => {}
        }
        if let Ok(number) = name.parse::<usize>() {
            if self.locals.is_empty() {
                return Some(vec![self.open("the value uses a special variable of bash")]);
            }
            return self.arguments.get(number - 1).cloned().map(|one| vec![one]);
        }
        let variable = self.get(name)?;
        if let (Some("@" | "*"), Variable::Partly(_, reason) | Variable::Open(reason)) =
            (index, &variable)
        {
            self.many.get_or_insert_with(|| reason.clone());
        }
        Some(match (index, &variable) {
            (Some("@" | "*"), Variable::Array(all)) => all.clone(),
            (Some("@" | "*"), Variable::Partly(all, reason)) => {
                [all.as_slice(), &[Value::open(reason)]].concat()
            }
            (None, Variable::Array(all)) => at(all, 0),
            (None | Some("@" | "*"), variable) => vec![variable.text()],
            (Some(index), Variable::Array(all)) => match index.parse::<i64>() {
                Ok(_) if index.len() > 1 && index.starts_with('0') => {
                    vec![self.open("the index of an array is computed")]
                }
                Ok(number) if number >= 0 => at(all, usize::try_from(number).ok()?),
                Ok(number) => {
                    let back = usize::try_from(-number).ok()?;
                    at(all, all.len().checked_sub(back)?)
                }
                Err(_) => vec![self.open("the index of an array is computed")],
            },
            (Some("0"), variable) => vec![variable.text()],
            (Some(_), Variable::Text(_)) => Vec::new(),
            (Some(_), Variable::Open(reason) | Variable::Partly(_, reason)) => {
                vec![Value::open(reason)]
            }
        })
    }

    /// Returns the parts of `${NAME:-word}` and the like.
    fn default(
        &mut self,
        name: &str,
        sign: &str,
        word: &Word,
        all: Option<Vec<Value>>,
        is_quoted: bool,
    ) -> Vec<Atom> {
        let all = all.filter(|all| !all.is_empty());
        let value = all.as_deref().map(with_blanks);
        let counts = match (&value, sign.starts_with(':')) {
            (None, _) => H::unset(self, name)
                .is_none_or(|_| is_private(name))
                .then_some(false),
            (Some(value), true) => value.is_filled(),
            // An open variable may be unset.
            (Some(value), false) => value.reason().is_none().then_some(true),
        };
        let Some(counts) = counts else {
            let reason = value.as_ref().and_then(Value::reason).cloned();
            let reason = reason.unwrap_or_else(|| {
                let reason = H::unset(self, name).unwrap_or_default();
                self.reason(&reason)
            });
            return vec![of(Value::open(&reason), is_quoted)];
        };
        match (sign.trim_start_matches(':'), counts) {
            ("+", true) | ("-" | "=", false) => {
                let inner = self.operand(word, is_quoted);
                if !sign.ends_with('=') {
                    return inner;
                }
                let value = joined(inner);
                self.set(name, Variable::Text(value.clone()));
                vec![of(value, is_quoted)]
            }
            ("+", false) => vec![of(Value::default(), is_quoted)],
            ("?", false) => {
                let reason = format!("`{name}` is not set, so `${{{name}{sign}…}}` ends the shell");
                self.refuse("", reason);
                Vec::new()
            }
            _ => vec![of(value.unwrap_or_default(), is_quoted)],
        }
    }

    /// Returns the parts of the word behind `:-` and the like. Outside of quotes, bash splits it.
    fn operand(&mut self, word: &Word, is_quoted: bool) -> Vec<Atom> {
        let all = pieces(word);
        // In some words bash itself does not match such quotes correctly.
        let has_quotes = |piece: &Piece| match piece {
            Piece::Bare(text) => text.contains('\''),
            Piece::Single(_) | Piece::Double(_) | Piece::Ansi(_) | Piece::Locale(_) => true,
            _ => false,
        };
        if is_quoted && all.iter().any(has_quotes) {
            return vec![Atom::Quoted(
                self.open("quotes inside of quotes are not supported"),
            )];
        }
        let mut inner = Vec::new();
        for piece in &all {
            self.piece(piece, is_quoted, &mut inner);
        }
        if inner.is_empty() {
            inner.push(of(Value::default(), is_quoted));
        }
        let split = |atom| match atom {
            Atom::Plain(value) => Atom::Split(value),
            atom => atom,
        };
        inner.into_iter().map(split).collect()
    }

    /// Returns one value of an expansion after its operation.
    fn changed(&mut self, value: &Value, expansion: &Expansion, is_quoted: bool) -> Value {
        if let Operation::None = expansion.operation {
            return value.clone();
        }
        // Text is put beside an open value.
        if let Operation::Replace(sign @ ("/#" | "/%"), pattern, with) = &expansion.operation
            && pattern.is_absent()
            && value.known().is_none()
        {
            let with = with
                .as_ref()
                .map(|with| self.text(with))
                .unwrap_or_default();
            let (one, two) = if *sign == "/#" {
                (&with, value)
            } else {
                (value, &with)
            };
            let mut out = one.clone();
            out.append(two);
            return out;
        }
        let Some(text) = value.known() else {
            return match value.reason() {
                Some(reason) => Value::open(reason),
                None => Value::default(),
            };
        };
        let result = match &expansion.operation {
            Operation::Replace(sign, pattern, with) => {
                self.replaced(&text, sign, pattern, with.as_ref(), is_quoted)
            }
            Operation::Strip(sign, pattern) => self
                .affordable(pattern, &text)
                .map(|pattern| strip(&text, &pattern, sign.starts_with('#'), sign.len() > 1)),
            Operation::Case(sign, pattern) if pattern.is_absent() => cased(&text, sign)
                .ok_or_else(|| "the case of other letters than ASCII's".to_owned()),
            Operation::Slice(offset, length) => {
                let chars: Vec<char> = text.chars().collect();
                self.slice(&chars, offset, length.as_ref())
                    .map(String::from_iter)
                    .ok_or_else(|| "the value is computed".to_owned())
            }
            _ => Err(format!("`{expansion}` is not evaluated")),
        };
        match result {
            Ok(text) => Value::from(text),
            Err(reason) => self.open(&reason),
        }
    }

    /// Returns a pattern that is matched with `text`. The error is the reason why it is not.
    fn affordable(&mut self, pattern: &Word, text: &str) -> Result<Vec<Glob>, String> {
        let pattern = self
            .pattern(pattern)
            .ok_or("the pattern is not supported")?;
        let squares = text.len().saturating_mul(text.len());
        if squares.saturating_mul(pattern.len()) > MOST_COMPARISONS {
            return Err("the value is too long for a pattern".to_owned());
        }
        Ok(pattern)
    }

    /// Returns the value of `${x/pattern/with}`. The error is the reason why it is not known.
    fn replaced(
        &mut self,
        text: &str,
        sign: &str,
        pattern: &Word,
        with: Option<&Word>,
        is_quoted: bool,
    ) -> Result<String, String> {
        let not_read = |what: &str| Err(format!("the {what} is not supported"));
        let mut new = String::new();
        for piece in with.map(pieces).unwrap_or_default() {
            let has_quotes = match &piece {
                Piece::Bare(text) => text.contains(['\'', '"', '\\']),
                Piece::Expansion(_) => false,
                _ => true,
            };
            if is_quoted && has_quotes {
                return not_read("replacement");
            }
            let mut atoms = Vec::new();
            self.piece(&piece, false, &mut atoms);
            for atom in atoms {
                let (is_literal, value) = match atom {
                    Atom::Quoted(value) => (true, value),
                    Atom::Plain(value) | Atom::Split(value) => (false, value),
                    Atom::Glob(text) => (false, text.into()),
                    Atom::Nothing => continue,
                    Atom::Break => return not_read("replacement"),
                };
                let Some(part) = value.known() else {
                    return Err(value.reason().map(ToString::to_string).unwrap_or_default());
                };
                // Bash 5.2 replaces `&` by the matching text, and older versions don't.
                if !is_literal && part.contains(['&', '\\']) {
                    return not_read("replacement");
                }
                new.push_str(&part);
            }
        }
        // Bash looks for these signs after it has replaced variables.
        let first = pieces(pattern).into_iter().next();
        let is_hidden = sign == "/"
            && !matches!(
                first,
                None | Some(
                    Piece::Bare(_) | Piece::AnyText | Piece::AnyCharacter | Piece::Bracket(_)
                )
            );
        let pattern = self.affordable(pattern, text)?;
        let starts = matches!(pattern.first(), Some(Glob::Char('#' | '%' | '/')));
        let anchor = sign.chars().nth(1).filter(|c| *c != '/');
        let is_any = super::pattern::fits(&pattern, &[]);
        if is_any && (anchor.is_none() || !pattern.is_empty()) || is_hidden && starts {
            return not_read("pattern");
        }
        Ok(replace(text, &pattern, &new, sign == "//", anchor))
    }

    /// Returns the elements that `${NAME[@]:offset:length}` selects; `None` if that is not known.
    fn elements_of(
        &mut self,
        all: &[Value],
        offset: &Arithmetic,
        length: Option<&Arithmetic>,
    ) -> Option<Vec<Value>> {
        let from = self.arithmetic(offset)?;
        let count = length.map(|length| self.arithmetic(length));
        // Bash refuses a negative length, and counts a negative offset otherwise.
        let is_plain = from >= 0 && count.is_none_or(|count| count.is_some_and(|n| n >= 0));
        is_plain.then_some(())?;
        self.slice(all, offset, length).map(<[Value]>::to_vec)
    }

    /// Returns the part of a text or an array from `offset` on; `None` if it is not known, or if
    /// bash reports an error.
    fn slice<'t, T>(
        &mut self,
        all: &'t [T],
        offset: &Arithmetic,
        length: Option<&Arithmetic>,
    ) -> Option<&'t [T]> {
        let count = i64::try_from(all.len()).ok()?;
        // `${x::1}` has no offset.
        let is_left_out = offset.tokens.is_empty() && length.is_some();
        let from = if is_left_out {
            0
        } else {
            self.arithmetic(offset)?
        };
        let from = if from < 0 { count + from } else { from };
        let end = match length {
            Some(length) => match self.arithmetic(length)? {
                length if length < 0 => count + length,
                length => from.saturating_add(length).min(count),
            },
            None => count,
        };
        if from < 0 || from > count {
            return Some(&[]);
        }
        all.get(usize::try_from(from).ok()?..usize::try_from(end).ok()?)
    }

    /// Returns the value of an arithmetic expression that is a single number or a single variable.
    pub(super) fn arithmetic(&mut self, of: &Arithmetic) -> Option<i64> {
        let is_blank = |token: &&Token| !matches!(token, Token::Blank(_));
        let tokens: Vec<&Token> = of.tokens.iter().filter(is_blank).collect();
        let mut tokens = tokens.as_slice();
        if let [Token::Operator("("), inner @ .., Token::Operator(")")] = tokens {
            tokens = inner;
        }
        let number = |text: &str| {
            let is_octal = text.len() > 1 && text.starts_with('0');
            text.parse::<i64>().ok().filter(|_| !is_octal)
        };
        match tokens {
            [Token::Number(text)] => number(text),
            [Token::Operator("-"), Token::Number(text)] => number(text).map(|n| -n),
            [Token::Name(name)] => number(&self.get(name)?.text().known()?),
            [Token::Piece(piece)] => {
                let word = Word::from(piece.clone());
                number(&self.text(&word).known()?)
            }
            _ => None,
        }
    }
}

/// Returns true for a name that begins with `_`. Only a recipe sets such a variable.
fn is_private(name: &str) -> bool {
    name.starts_with('_') && name.len() > 1
}

fn length(all: &[Value], is_list: bool) -> Option<Value> {
    let count = match all {
        all if is_list => all.len(),
        all => with_blanks(all).known()?.chars().count(),
    };
    let is_open = all.iter().any(|value| value.reason().is_some());
    (!is_open).then(|| count.to_string().into())
}

fn cased(text: &str, sign: &str) -> Option<String> {
    text.is_ascii().then_some(())?;
    let mut chars = text.chars();
    Some(match (sign, chars.next()) {
        ("^^", _) => text.to_ascii_uppercase(),
        (",,", _) => text.to_ascii_lowercase(),
        ("^", Some(first)) => format!("{}{}", first.to_ascii_uppercase(), chars.as_str()),
        (",", Some(first)) => format!("{}{}", first.to_ascii_lowercase(), chars.as_str()),
        ("^" | ",", None) => String::new(),
        _ => return None,
    })
}
