//! Rendered ebuilds before Portage and pkgcheck, under each way of handing GPU targets on.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "a test that can't go on panics, writes companions by hand, and tells its figures"
)]

mod phases;
mod propagation;
mod targets;
mod wishes;
mod world;
