//! The Gentoo backend over small models, and over the real profiles.
#![allow(clippy::unwrap_used, reason = "helpers of tests are tests")]

mod depends;
mod eclass;
mod injection;
mod live;
mod named;
mod projects;
mod propagation;
mod small;
mod support;
