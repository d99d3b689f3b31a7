//! The value of a variable after the global scope ran, with the parts that are not known.

use rocpkg_syntax::Evaluated;
use std::rc::Rc;

/// The reason why a value is not known.
pub(in crate::check) type Reason = Rc<str>;

/// A part of a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) enum Part {
    Text(String),
    /// Text that is not known. With `is_whole`, it consists of whole words and groups.
    Open {
        reason: Reason,
        is_whole: bool,
        /// The name of the variable, if the part is one that Portage sets, such as `FILESDIR`.
        variable: Option<Reason>,
    },
}

/// A text with parts that are not known.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::check) struct Value {
    pub(in crate::check) parts: Vec<Part>,
}

/// A variable of bash.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::check) enum Variable {
    Text(Value),
    Array(Vec<Value>),
    Open(Reason),
}

impl Value {
    pub(super) fn open(reason: &Reason) -> Self {
        let part = Part::Open {
            reason: Rc::clone(reason),
            is_whole: true,
            variable: None,
        };
        Self { parts: vec![part] }
    }

    /// Makes the value of a variable that Portage sets when the ebuild runs.
    pub(super) fn set_by_portage(name: &str) -> Self {
        let reason = format!("`{name}` is known only when the ebuild runs");
        let part = Part::Open {
            reason: reason.into(),
            is_whole: true,
            variable: Some(name.into()),
        };
        Self { parts: vec![part] }
    }

    /// Returns the text of a value without unknown parts.
    pub(in crate::check) fn known(&self) -> Option<String> {
        let text = |part: &Part| match part {
            Part::Text(text) => Some(text.clone()),
            Part::Open { .. } => None,
        };
        self.parts.iter().map(text).collect()
    }

    /// Returns the reason of the first part that is not known.
    pub(in crate::check) fn reason(&self) -> Option<&Reason> {
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

    pub(super) fn push(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text(last)) => last.push_str(text),
            _ if text.is_empty() => {}
            _ => self.parts.push(Part::Text(text.to_owned())),
        }
    }

    pub(super) fn append(&mut self, other: &Self) {
        for part in &other.parts {
            match part {
                Part::Text(text) => self.push(text),
                open @ Part::Open { .. } => self.parts.push(open.clone()),
            }
        }
    }

    /// Returns the beginning that both values have, and an unknown part for the rest.
    fn common(&self, other: &Self, reason: &Reason) -> Self {
        let mut out = Self::default();
        for (a, b) in self.parts.iter().zip(&other.parts) {
            match (a, b) {
                (a, b) if a == b => out.append(&Self {
                    parts: vec![a.clone()],
                }),
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
            reason: Rc::clone(reason),
            is_whole: false,
            variable: None,
        });
        out
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
    /// Returns the words of the value, and the reason if a part of it is open. A variable that
    /// Portage sets stands for itself: `${WORKDIR}`.
    pub(super) fn evaluated(&self) -> Evaluated {
        const OPEN: &str = "\u{1}";
        let text = |value: &Value| -> String {
            let parts = value.parts.iter().map(|part| match part {
                Part::Text(text) => text.clone(),
                Part::Open {
                    variable: Some(name),
                    ..
                } => format!("${{{name}}}"),
                Part::Open { .. } => OPEN.to_owned(),
            });
            parts.collect()
        };
        let reason_of = |value: &Value| {
            let mut reasons = value.parts.iter().filter_map(|part| match part {
                Part::Open {
                    reason,
                    variable: None,
                    ..
                } => Some(reason.to_string()),
                _ => None,
            });
            reasons.next()
        };
        let (words, reason): (Vec<String>, _) = match self {
            Self::Text(value) => {
                let text = text(value);
                let words = text.split_whitespace().map(str::to_owned);
                (words.collect(), reason_of(value))
            }
            Self::Array(all) => {
                let reason = all.iter().find_map(reason_of);
                (all.iter().map(text).collect(), reason)
            }
            Self::Open(reason) => (Vec::new(), Some(reason.to_string())),
        };
        let known = words.into_iter().filter(|word| !word.contains(OPEN));
        Evaluated::new(known, reason)
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
            Self::Array(all) => all.iter().map(text).sum(),
            Self::Open(_) => 1,
        }
    }

    /// Returns the value of `${NAME}`: of an array, the first element.
    pub(super) fn text(&self) -> Value {
        match self {
            Self::Text(value) => value.clone(),
            Self::Array(all) => all.first().cloned().unwrap_or_default(),
            Self::Open(reason) => Value::open(reason),
        }
    }

    /// Returns the variable after one of two branches ran.
    pub(super) fn either(one: Option<&Self>, other: Option<&Self>, reason: &Reason) -> Self {
        let empty = Self::Text(Value::default());
        match (one.unwrap_or(&empty), other.unwrap_or(&empty)) {
            (a, b) if a == b => a.clone(),
            (Self::Text(a), Self::Text(b)) => Self::Text(a.common(b, reason)),
            _ => Self::Open(Rc::clone(reason)),
        }
    }
}
