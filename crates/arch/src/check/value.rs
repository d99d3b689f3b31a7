//! The value of a variable of the global scope. All checks of values look them up here.

use super::recipe::Recipe;
use super::values::Element;

/// The value of a variable at the end of the global scope.
#[derive(Debug)]
pub(super) struct FieldValue<'a> {
    /// The elements; `None` if their number is open. A variable that is not set has no element, and
    /// a variable that is no array has one.
    elements: Option<&'a [Element]>,
    /// The place and the reason, if the number or the text of an element is open.
    pub(super) open: Option<Open>,
}

/// The place and the reason of an open value.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// The first byte of the word or the statement that only bash can evaluate.
    pub(super) at: usize,
    /// The reason, as a sentence without its period.
    pub(super) reason: String,
}

impl FieldValue<'_> {
    /// Returns the elements, or `None` if only bash can compute their number.
    pub(super) fn elements(&self) -> Option<&[Element]> {
        self.elements
    }

    /// Returns the texts of all elements; `None` if only bash can compute one of them.
    pub(super) fn texts(&self) -> Option<Vec<&str>> {
        let elements = self.elements()?.iter();
        elements.map(|element| element.text.as_deref()).collect()
    }

    /// Returns the value of `$NAME`, the first element; `None` if the variable is not set, or if
    /// only bash can compute the value.
    pub(super) fn text(&self) -> Option<&str> {
        self.elements()?.first()?.text.as_deref()
    }
}

impl Recipe<'_> {
    /// Returns the value of the variable `name` at the end of the global scope.
    pub(super) fn value(&self, name: &str) -> FieldValue<'_> {
        value(self, name)
    }
}

fn value<'a>(recipe: &'a Recipe, name: &str) -> FieldValue<'a> {
    let elements = recipe.margin.elements(name);
    let open = recipe.margin.reason(name).map(|reason| {
        let at = reason.place().range().map(|at| at.start);
        Open {
            at: at.unwrap_or_else(|| recipe.start(name)),
            reason: reason.to_string(),
        }
    });
    FieldValue { elements, open }
}
