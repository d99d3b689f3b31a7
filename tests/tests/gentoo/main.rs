//! Rendered ebuilds before Portage and pkgcheck, under each way of handing GPU targets on.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "a test that can't go on panics, and it writes companions by hand"
)]

mod propagation;
mod targets;
mod wishes;
mod world;
