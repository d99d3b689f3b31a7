//! How long the operations take, beside Portage where `ROCPKG_PORTAGE_PYTHON` names a Python that has it.
//!
//! `cargo bench -p rocpkg-pms`

#![allow(clippy::print_stdout, clippy::expect_used)] // A bench is a program for people to run.

mod shared;

fn main() {
    let texts = shared::texts();
    shared::print(&shared::ours(&texts), &[("Portage", &shared::portage(&texts))]);
}
