//! Values of variables, with the parts that are not known.

use crate::word::Place;
use rocpkg_syntax::Evaluated;
use std::fmt;
use std::rc::Rc;

/// The reason why a value is not known, and the place of the word that is open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    text: Rc<str>,
    at: Place,
}

impl Reason {
    /// Returns the reason as a sentence without its period.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the place.
    pub fn place(&self) -> Place {
        self.at
    }

    /// Returns the reason with a place, if it has none.
    #[must_use]
    pub(super) fn placed(mut self, at: Place) -> Self {
        self.at = self.at.or(at);
        self
    }
}

impl From<&str> for Reason {
    fn from(text: &str) -> Self {
        Self {
            text: text.into(),
            at: Place::default(),
        }
    }
}

impl From<String> for Reason {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Text.
    Text(String),
    /// Text that is not known.
    Open {
        /// The reason.
        reason: Reason,
        /// Set if the text consists of whole words and groups.
        is_whole: bool,
        /// The name of the variable, if the part is one that others set, such as `FILESDIR`.
        variable: Option<Rc<str>>,
    },
}

/// A text with parts that are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Value {
    /// The parts in order.
    pub parts: Vec<Part>,
    /// The place of the word that has this value.
    pub at: Place,
}

/// A variable of bash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Variable {
    /// A text.
    Text(Value),
    /// An array.
    Array(Vec<Value>),
    /// An array that has these elements, and others that are not known.
    Partly(Vec<Value>, Reason),
    /// A variable of which nothing is known.
    Open(Reason),
}

impl Value {
    /// Makes a value that is not known.
    pub fn open(reason: &Reason) -> Self {
        Self::from(Part::Open {
            reason: reason.clone(),
            is_whole: true,
            variable: None,
        })
    }

    /// Makes the value of a variable that others set, such as the package manager when the recipe
    /// runs. The variable stands for itself. `reason` is the reason why the value is not known.
    pub fn standing(name: &str, reason: impl Into<Reason>) -> Self {
        Self::from(Part::Open {
            reason: reason.into(),
            is_whole: true,
            variable: Some(name.into()),
        })
    }

    /// Returns the text of a value without unknown parts.
    pub fn known(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Open { .. } => None,
        };
        self.parts.iter().map(text).collect()
    }

    /// Returns the reason of the first part that is not known.
    pub fn reason(&self) -> Option<&Reason> {
        self.parts.iter().find_map(|part| match part {
            Part::Text(_) => None,
            Part::Open { reason, .. } => Some(reason),
        })
    }

    /// Returns true if the value is not empty, false if it is empty, and `None` if that is not
    /// known.
    pub(super) fn is_filled(&self) -> Option<bool> {
        let has_text = |part: &Part| matches!(part, Part::Text(text) if !text.is_empty());
        if self.parts.iter().any(has_text) {
            return Some(true);
        }
        self.reason().is_none().then_some(false)
    }

    /// Adds text to the end.
    pub fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    /// Adds a value to the end.
    pub fn append(&mut self, other: &Self) {
        if self.parts.is_empty() {
            self.at = self.at.or(other.at);
        }
        for part in &other.parts {
            match part {
                Part::Text(text) => self.push(text),
                open @ Part::Open { .. } => self.parts.push(open.clone()),
            }
        }
    }

    /// Returns the value with a place. Open parts without a place get it, too.
    #[must_use]
    pub(super) fn placed(mut self, at: Place) -> Self {
        self.at = at;
        for part in &mut self.parts {
            if let Part::Open { reason, .. } = part {
                reason.at = reason.at.or(at);
            }
        }
        self
    }

    /// Returns the beginning that both values have, and an unknown part for the rest.
    fn common(&self, other: &Self, reason: &Reason) -> Self {
        let mut out = Self::default();
        for (a, b) in self.parts.iter().zip(&other.parts) {
            match (a, b) {
                (a, b) if a == b => out.append(&Self::from(a.clone())),
                (Part::Text(a), Part::Text(b)) => {
                    let same = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
                    let len = same.map(|(a, _)| a.len_utf8()).sum();
                    out.push(&a[..len]);
                    break;
                }
                _ => break,
            }
        }
        out.parts.push(Part::Open {
            reason: reason.clone(),
            is_whole: false,
            variable: None,
        });
        out
    }

    /// Returns the text, in which `open` stands for unknown parts. A variable that the package
    /// manager sets stands for itself: `${WORKDIR}`.
    pub fn written(&self, open: &str) -> String {
        let parts = self.parts.iter().map(|part| match part {
            Part::Text(text) => text.clone(),
            Part::Open {
                variable: Some(name),
                ..
            } => format!("${{{name}}}"),
            Part::Open { .. } => open.to_owned(),
        });
        parts.collect()
    }

    /// Returns the reason of the first part that is not known, and that is no variable of the
    /// package manager.
    fn open_reason(&self) -> Option<&Reason> {
        self.parts.iter().find_map(|part| match part {
            Part::Open {
                reason,
                variable: None,
                ..
            } => Some(reason),
            _ => None,
        })
    }
}

impl From<Part> for Value {
    fn from(part: Part) -> Self {
        Self {
            parts: vec![part],
            at: Place::default(),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        let mut out = Self::default();
        out.push(text);
        out
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::from(text.as_str())
    }
}

impl Variable {
    /// Returns the words of the value, and the reason if a part of it is open. A variable that the
    /// package manager sets stands for itself: `${WORKDIR}`.
    #[doc(hidden)]
    pub fn evaluated(&self) -> Evaluated {
        const OPEN: &str = "\u{1}";
        let (words, reason): (Vec<String>, _) = match self {
            Self::Text(value) => {
                let text = value.written(OPEN);
                let words = text.split_whitespace().map(str::to_owned);
                (words.collect(), value.open_reason())
            }
            Self::Array(all) => {
                let words = all.iter().map(|value| value.written(OPEN));
                (words.collect(), all.iter().find_map(Value::open_reason))
            }
            Self::Partly(all, reason) => {
                let words = all.iter().map(|value| value.written(OPEN));
                (words.collect(), Some(reason))
            }
            Self::Open(reason) => (Vec::new(), Some(reason)),
        };
        let known = words.into_iter().filter(|word| !word.contains(OPEN));
        Evaluated::new(known, reason.map(ToString::to_string))
    }

    /// Returns the elements; a text is one element.
    ///
    /// # Errors
    /// Returns the reason if their number is not known.
    pub fn elements(&self) -> Result<&[Value], &Reason> {
        match self {
            Self::Text(value) => Ok(std::slice::from_ref(value)),
            Self::Array(all) => Ok(all),
            Self::Partly(_, reason) | Self::Open(reason) => Err(reason),
        }
    }

    /// Returns the value after `+=` with `more`.
    #[must_use]
    pub fn added(self, more: Self) -> Self {
        match (self, more) {
            (Self::Text(mut before), Self::Text(more)) => {
                before.append(&more);
                Self::Text(before)
            }
            (Self::Array(before), more) => Self::joined(before, more, None),
            (Self::Partly(before, reason), more) => Self::joined(before, more, Some(reason)),
            (Self::Text(before), more) => Self::joined(vec![before], more, None),
            (Self::Open(reason), Self::Text(more)) => {
                let mut before = Value::open(&reason);
                before.append(&more);
                Self::Text(before)
            }
            (Self::Open(reason), more) => Self::joined(Vec::new(), more, Some(reason)),
        }
    }

    /// Returns an array with the elements `all` and those of `more`. A text is added to the first
    /// element.
    fn joined(mut all: Vec<Value>, more: Self, reason: Option<Reason>) -> Self {
        let of_more = match more {
            Self::Text(text) => {
                match all.first_mut() {
                    Some(first) => first.append(&text),
                    None => all.push(text),
                }
                None
            }
            Self::Array(more) => {
                all.extend(more);
                None
            }
            Self::Partly(more, reason) => {
                all.extend(more);
                Some(reason)
            }
            Self::Open(reason) => Some(reason),
        };
        match reason.or(of_more) {
            Some(reason) => Self::Partly(all, reason),
            None => Self::Array(all),
        }
    }

    /// Returns the reason why a part of the value is not known.
    pub fn reason(&self) -> Option<&Reason> {
        match self {
            Self::Text(value) => value.reason(),
            Self::Array(all) => all.iter().find_map(Value::reason),
            Self::Partly(_, reason) | Self::Open(reason) => Some(reason),
        }
    }

    /// Returns the length in bytes, with at least one for each part and element.
    pub(super) fn len(&self) -> usize {
        let text = |value: &Value| {
            let parts = value.parts.iter().map(|part| match part {
                Part::Text(text) => text.len(),
                Part::Open { .. } => 1,
            });
            parts.sum::<usize>() + 1
        };
        match self {
            Self::Text(value) => text(value),
            Self::Array(all) | Self::Partly(all, _) => all.iter().map(text).sum(),
            Self::Open(_) => 1,
        }
    }

    /// Returns the value of `${NAME}`: of an array, the first element.
    pub fn text(&self) -> Value {
        match self {
            Self::Text(value) => value.clone(),
            Self::Array(all) => all.first().cloned().unwrap_or_default(),
            Self::Partly(all, reason) => {
                let first = all.first().cloned();
                first.unwrap_or_else(|| Value::open(reason))
            }
            Self::Open(reason) => Value::open(reason),
        }
    }

    /// Returns the variable after one of two branches ran.
    pub(super) fn either(one: Option<&Self>, other: Option<&Self>, reason: &Reason) -> Self {
        let empty = Self::Text(Value::default());
        match (one.unwrap_or(&empty), other.unwrap_or(&empty)) {
            (a, b) if a == b => a.clone(),
            (Self::Text(a), Self::Text(b)) => Self::Text(a.common(b, reason)),
            (Self::Array(a) | Self::Partly(a, _), Self::Array(b) | Self::Partly(b, _)) => {
                let same = a.iter().zip(b).take_while(|(a, b)| a == b);
                let same = same.map(|(a, _)| a.clone()).collect();
                Self::Partly(same, reason.clone())
            }
            _ => Self::Open(reason.clone()),
        }
    }
}
