//! Who looks after packages.

use crate::decode::{Spanned, choice, record};

choice! {
    /// Whether a maintainer's changes go through somebody else (GLEP 67).
    pub enum Proxied {
        /// They do.
        Yes = "yes",
        /// This is who lets them through.
        Proxy = "proxy",
    }
}

record! {
    /// Who maintains packages.
    pub struct Maintainer {
        /// The name.
        name: Spanned<String>,
        /// The address.
        email: Spanned<String>,
        /// `person` or `project`, in Gentoo.
        kind: Option<Spanned<String>>,
        /// Whether their changes go through somebody else, in Gentoo; not so when absent.
        proxied: Option<Proxied>,
        /// The only packages that they maintain, by id; when empty, all of their layer: what ships,
        /// or what layers add.
        packages: Vec<Spanned<String>>,
    }
}
