//! Bash, typed: words that quote themselves, statements, and a printer.

mod check;
mod name;
mod raw;
mod reader;
mod stmt;
mod visit;
mod word;

pub use check::{check, check_raw};
pub use name::{identifier, is_identifier};
pub use reader::{ShellFault, ShellText, read_shell};
pub use stmt::{Command, Item, Layout, Scope, Stmt, Style, Test, print, run};
pub use visit::{Seen, visit, visit_word};
pub use word::{Quoting, Word, escape_double, is_bare};
