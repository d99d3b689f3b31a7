//! Bash, typed: words that quote themselves, statements, and a printer.

mod check;
mod stmt;
mod visit;
mod word;

pub use check::{check, identifier, is_identifier};
pub use stmt::{Command, Counts, Item, Layout, Scope, Stmt, Style, Test, dedent, print, print_counted, run};
pub use visit::{Seen, visit, visit_word};
pub use word::{Quoting, Word, escape_double, is_bare};
