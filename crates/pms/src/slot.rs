//! Slots, sub-slots and slot operators (PMS 3.1.3 and 8.3.3).

use std::fmt;
use std::str::FromStr;

use crate::error::{Quoted, SyntaxError};
use crate::name::check_slot;

/// A slot with its optional sub-slot, as in SLOT: `0` or `0/7.2`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Slot {
    name: Box<str>,
    sub_slot: Option<Box<str>>,
}

impl Slot {
    /// Makes a slot after checking both names.
    ///
    /// # Errors
    /// When `name` or `sub_slot` is not a slot name.
    pub fn new(name: &str, sub_slot: Option<&str>) -> Result<Self, SyntaxError> {
        check_slot(name)?;
        if let Some(sub_slot) = sub_slot {
            check_slot(sub_slot).map_err(|error| error.shift(name.len() + 1))?;
        }
        Ok(Self {
            name: name.into(),
            sub_slot: sub_slot.map(Into::into),
        })
    }

    /// Returns the slot before the slash.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the sub-slot, or `None` if none is written. A package without a written sub-slot has
    /// its slot's name as sub-slot.
    pub fn sub_slot(&self) -> Option<&str> {
        self.sub_slot.as_deref()
    }

    /// Returns true if a dependency on `self` is met by a package whose SLOT is `other`.
    pub fn accepts(&self, other: &Self) -> bool {
        self.name == other.name
            && self
                .sub_slot()
                .is_none_or(|wanted| wanted == other.sub_slot().unwrap_or(&other.name))
    }
}

impl fmt::Display for Slot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        match &self.sub_slot {
            Some(sub_slot) => write!(f, "/{sub_slot}"),
            None => Ok(()),
        }
    }
}

impl FromStr for Slot {
    type Err = SyntaxError;

    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text.split_once('/') {
            Some((name, sub_slot)) => Self::new(name, Some(sub_slot)),
            None => Self::new(text, None),
        }
    }
}

/// The slot dependency after the colon of an atom: a slot, an operator, or a slot with `=`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SlotDep {
    pub(crate) slot: Option<Slot>,
    pub(crate) operator: Option<SlotOperator>,
}

impl SlotDep {
    /// `:*`: any slot is accepted, and a change of the slot does not matter.
    pub const ANY: Self = Self {
        slot: None,
        operator: Some(SlotOperator::Star),
    };

    /// `:=`: any slot is accepted, and the package is rebuilt when the slot changes.
    pub const BUILT: Self = Self {
        slot: None,
        operator: Some(SlotOperator::Equal),
    };

    /// Makes `:slot=`: only this slot is accepted, and the package is rebuilt when the sub-slot
    /// changes.
    pub fn built(slot: Slot) -> Self {
        Self {
            slot: Some(slot),
            operator: Some(SlotOperator::Equal),
        }
    }
}

/// Makes `:slot`.
impl From<Slot> for SlotDep {
    fn from(slot: Slot) -> Self {
        Self {
            slot: Some(slot),
            operator: None,
        }
    }
}

/// The operator at the end of a slot dependency.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SlotOperator {
    /// `*`: any slot is accepted, and a change of the slot does not matter.
    Star,
    /// `=`: the package is rebuilt when the slot or its sub-slot changes.
    Equal,
}

impl SlotOperator {
    /// Returns the operator as written.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Star => "*",
            Self::Equal => "=",
        }
    }
}

impl fmt::Display for SlotDep {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(slot) = &self.slot {
            write!(f, "{slot}")?;
        }
        f.write_str(self.operator.map_or("", SlotOperator::as_str))
    }
}

impl FromStr for SlotDep {
    type Err = SyntaxError;

    /// Reads the text after the colon of an atom.
    fn from_str(text: &str) -> Result<Self, SyntaxError> {
        match text {
            "" => Err(SyntaxError::new(
                0,
                0,
                "expected a slot, `=` or `*` after the colon",
            )),
            "*" => Ok(Self {
                slot: None,
                operator: Some(SlotOperator::Star),
            }),
            "=" => Ok(Self {
                slot: None,
                operator: Some(SlotOperator::Equal),
            }),
            _ if text.ends_with('*') => {
                let message = format_args!("{}: `*` can't follow a slot name", Quoted(text));
                Err(SyntaxError::new(text.len() - 1, 1, message))
            }
            _ => {
                let name = text.strip_suffix('=');
                let operator = name.map(|_| SlotOperator::Equal);
                Ok(Self {
                    slot: Some(name.unwrap_or(text).parse()?),
                    operator,
                })
            }
        }
    }
}
