//! What was read of the Nix text of a plan. Several questions are asked of each text, and reading it is what takes time.

use crate::expr::NixExpr;
use crate::open::Fault;
use crate::text::{self, Entered, Read};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A text as it was read, or what is wrong with it.
pub(crate) type Reading<T> = Rc<Result<Read<T>, Fault>>;

/// All texts that were read so far, each once.
#[derive(Debug, Default)]
pub(crate) struct Readings {
    expressions: RefCell<BTreeMap<String, Reading<NixExpr>>>,
    bindings: RefCell<BTreeMap<String, Reading<Vec<Entered>>>>,
}

impl Readings {
    /// A text that is one expression.
    pub(crate) fn expression(&self, text: &str) -> Reading<NixExpr> {
        read(&self.expressions, text, text::expression)
    }

    /// A text of bindings, as they stand in a set or a `let`.
    pub(crate) fn bindings(&self, text: &str) -> Reading<Vec<Entered>> {
        read(&self.bindings, text, text::bindings)
    }
}

fn read<T>(
    known: &RefCell<BTreeMap<String, Reading<T>>>,
    text: &str,
    how: impl FnOnce(&str) -> Result<Read<T>, Fault>,
) -> Reading<T> {
    if let Some(reading) = known.borrow().get(text) {
        return Rc::clone(reading);
    }
    let reading = Rc::new(how(text));
    known.borrow_mut().insert(text.to_owned(), Rc::clone(&reading));
    reading
}
