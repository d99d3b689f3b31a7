//! Golden ebuilds.
