//! What only a PKGBUILD can say.

use crate::decode::{Spanned, record};

record! {
    /// Facts of an Arch package that have no counterpart elsewhere.
    pub struct Pkgbuild {
        /// The epoch.
        epoch: Option<Spanned<String>>,
    }
}
