//! The value of a variable of the global scope. All checks of values look them up here.
//!
//! Two evaluators stand behind [`value`]. The one in `values.rs` keeps the place of each element,
//! and passes over statements that only bash can run. The one in `evaluate/` expands more, and
//! stops at the first of these statements.

use super::recipe::Recipe;
use super::values::Element;
use std::borrow::Cow;

/// The value of a variable at the end of the global scope.
#[derive(Debug)]
pub(super) struct Value<'a> {
    /// The elements; `None` if their number is open. A variable that is not set has no element, and
    /// a variable that is no array has one.
    elements: Option<Cow<'a, [Element]>>,
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

impl Value<'_> {
    /// Returns the elements, or `None` if only bash can compute their number.
    pub(super) fn elements(&self) -> Option<&[Element]> {
        self.elements.as_deref()
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
    pub(super) fn value(&self, name: &str) -> Value<'_> {
        value(self, name)
    }
}

fn value<'a>(recipe: &'a Recipe, name: &str) -> Value<'a> {
    let elements = recipe.margin.elements(name);
    let at = elements.map_or(Some(recipe.start(name)), |all| {
        let open = all.iter().find(|element| element.text.is_none());
        open.map(|element| element.at.start)
    });
    let Some(at) = at else {
        let elements = elements.map(Cow::Borrowed);
        return Value {
            elements,
            open: None,
        };
    };
    let globals = recipe.globals().as_ref();
    let stop = match globals.map(|values| values.elements(name)) {
        Ok(Ok(all)) => {
            let elements = Cow::Owned(placed(recipe, name, elements, all.unwrap_or_default()));
            return Value {
                elements: Some(elements),
                open: None,
            };
        }
        Ok(Err(stop)) => stop,
        Err(stop) => stop.clone(),
    };
    let is_inside = recipe
        .place(name)
        .is_some_and(|set| set.contains(&stop.at.start));
    let open = Open {
        at: if is_inside { stop.at.start } else { at },
        reason: stop.reason,
    };
    Value {
        elements: elements.map(Cow::Borrowed),
        open: Some(open),
    }
}

/// Returns the elements with the texts `all`. Their places are those of `known`, the elements of
/// the other evaluator, or the place of the last assignment.
fn placed(
    recipe: &Recipe,
    name: &str,
    known: Option<&[Element]>,
    all: Vec<String>,
) -> Vec<Element> {
    let known = known.filter(|known| known.len() == all.len());
    let place = recipe.place(name).unwrap_or_default();
    let element = |(i, text): (usize, String)| Element {
        text: Some(text),
        at: known.map_or_else(|| place.clone(), |known| known[i].at.clone()),
    };
    all.into_iter().enumerate().map(element).collect()
}
