//! A cache for the last results of a function that takes a text. Edits, checks and reviews read the
//! same few texts many times.

use std::cell::RefCell;
use std::collections::VecDeque;

/// The number of results that are kept. A bump looks at the texts of all recipes of a distribution
/// several times: about 50 recipes, each with an old text and a new one.
const KEPT: usize = 128;

/// The last results `V` of a function, by the text and by the other values `K` that they depend on.
pub struct Memo<K, V>(RefCell<VecDeque<(String, K, V)>>);

impl<K: PartialEq, V: Clone> Default for Memo<K, V> {
    fn default() -> Self {
        Self::new()
    }
}

impl<K: PartialEq, V: Clone> Memo<K, V> {
    /// Makes an empty cache.
    pub const fn new() -> Self {
        Self(RefCell::new(VecDeque::new()))
    }

    /// Returns the result for `text` and `key`. If it is not kept, `compute` computes it. Errors
    /// are not kept.
    ///
    /// # Errors
    /// The error of `compute`.
    pub fn get<E>(
        &self,
        (text, key): (&str, K),
        compute: impl FnOnce() -> Result<V, E>,
    ) -> Result<V, E> {
        let kept = self.0.borrow();
        if let Some((_, _, value)) = kept.iter().find(|(own, of, _)| own == text && *of == key) {
            return Ok(value.clone());
        }
        drop(kept);
        let value = compute()?;
        let mut kept = self.0.borrow_mut();
        kept.truncate(KEPT - 1);
        kept.push_front((text.to_owned(), key, value.clone()));
        Ok(value)
    }
}
