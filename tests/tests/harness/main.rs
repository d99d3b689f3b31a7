//! The harness itself, on small trees whose faults are known.
#![allow(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "tests break scratch copies on purpose and may stop at the first surprise"
)]

mod arch;
mod gentoo;
mod nix;
