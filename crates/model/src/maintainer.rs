//! The maintainers of packages.

use crate::decode::{Spanned, choice, record};

choice! {
    /// The role of a maintainer whose changes go through somebody else, or of that person (GLEP
    /// 67).
    pub enum Proxied {
        /// The maintainer's changes go through a proxy.
        Yes = "yes",
        /// The maintainer is the proxy for the changes of others.
        Proxy = "proxy",
    }
}

record! {
    /// A maintainer of packages.
    pub struct Maintainer {
        /// The name.
        name: Spanned<String>,
        /// The address.
        email: Spanned<String>,
        /// `person` or `project`, in Gentoo.
        kind: Option<Spanned<String>>,
        /// The maintainer's role if changes go through a proxy, in Gentoo; no proxy when absent.
        proxied: Option<Proxied>,
        /// The ids of the packages that the maintainer looks after. When empty, all packages of the
        /// maintainer's layer: those that ship with the profiles, or those that other layers add.
        packages: Vec<Spanned<String>>,
    }
}
