//! Typed bash: words that are quoted when printed, statements, a printer and a reader. Nothing is
//! run.
//!
//! ```
//! use rocpkg_bash::{Script, Style, Word};
//!
//! let mut script = Script::read("# ours\npkgver=1\ndepends=(glibc)\n")?;
//! assert_eq!(script.text("pkgver").as_deref(), Some("1"));
//! script.set("pkgver", Word::quoted("it's $(not run)"));
//! script.add_element("depends", "gtest");
//! let printed = script.print(&Style::default());
//! assert_eq!(printed, "# ours\npkgver=\"it's \\$(not run)\"\ndepends=(glibc gtest)\n");
//! # Ok::<(), rocpkg_bash::Unreadable>(())
//! ```
//!
//! Look first at [`Script`], a text with its items, [`Stmt`], one statement, and [`Word`], whose
//! quotes are chosen when it is printed. `README.md` of the crate lists the limitations.

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
