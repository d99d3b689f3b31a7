//! The maintainers of packages.

use crate::decode::{Spanned, choice, record};

choice! {
    /// The role of a maintainer in Gentoo's proxied maintenance (GLEP 67).
    pub enum Proxied {
        /// A proxy commits the maintainer's changes.
        Yes = "yes",
        /// The maintainer is a proxy and commits the changes of others.
        Proxy = "proxy",
    }
}

record! {
    /// A maintainer of packages.
    pub struct Maintainer {
        /// The name of the person or project.
        name: Spanned<String>,
        /// The e-mail address.
        email: Spanned<String>,
        /// The `type` in Gentoo's `metadata.xml`: `person` or `project`.
        kind: Option<Spanned<String>>,
        /// The maintainer's role in proxied maintenance (Gentoo); absent if the maintainer has
        /// commit access.
        proxied: Option<Proxied>,
        /// The ids of the packages that the maintainer looks after. When empty, all packages of the
        /// layer that states the maintainer: those that ship with rocpkg, or those that other
        /// layers add.
        packages: Vec<Spanned<String>>,
    }
}
