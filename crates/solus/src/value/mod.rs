//! The typed recipe: made from code, read from text, and printed.

pub(crate) mod ir;
pub(crate) mod macros;
pub(crate) mod print;
pub(crate) mod recipe;
