//! The typed recipe: made from code, read from text, and printed.

pub(crate) mod accept;
pub(crate) mod arguments;
pub(crate) mod expr;
pub(crate) mod expression;
pub(crate) mod open;
pub(crate) mod print;
pub(crate) mod quoting;
pub(crate) mod text;
pub(crate) mod wrong_names;
