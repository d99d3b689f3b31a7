//! The Gentoo backend over small models, and over the real profiles.

mod eclass;
mod injection;
mod real;
mod small;
mod support;
