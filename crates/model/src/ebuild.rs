//! What only an ebuild can say.

use crate::decode::{Spanned, record};

record! {
    /// Facts of a Gentoo package that have no counterpart elsewhere.
    pub struct Ebuild {
        /// The category, such as `sci-libs`; the distribution's default when absent.
        category: Option<Spanned<String>>,
    }
}
