//! What only a Nix expression can say.

use crate::decode::{Spanned, record};

record! {
    /// Facts of a nixpkgs package that have no counterpart elsewhere.
    pub struct NixPackage {
        /// The attribute, where it is not the package's name.
        attribute: Option<Spanned<String>>,
    }
}
