//! Typed bash: words that are quoted when printed, statements, a printer, a reader, and an
//! evaluator.
//!
//! `stmt.rs` and `word.rs` contain the types, `print.rs` prints them, and `read/` reads them from
//! text. `evaluate/` evaluates a script without running it.

mod check;
#[doc(hidden)]
pub mod evaluate;
mod name;
mod piece_print;
mod print;
mod raw;
mod read;
mod reader;
mod script;
mod stmt;
mod test_print;
mod visit;
mod word;
mod word_print;

pub use check::{check, check_raw};
pub use name::{identifier, is_identifier};
pub use print::{Style, print};
pub use read::{read, statements};
pub use reader::{ShellFault, ShellText, read_shell};
pub use rocpkg_syntax::{Reason, Unreadable};
pub use script::{Script, Value};
pub use stmt::{
    Arm, Assigned, Assignment, Command, Declared, Expression, HereBody, HereDocument, Item, Joint,
    Layout, Link, Redirect, RedirectTo, Scope, Stmt, Test, run,
};
pub use visit::{Seen, raw, visit, visit_word};
pub use word::{Arithmetic, Expansion, Operation, Piece, Place, Prefix, Quoting, Token, Word};
pub use word_print::is_bare;
