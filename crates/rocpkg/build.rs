//! Makes a new profile or template reach the next build: a macro embeds their folders, and cargo sees only the files
//! that were there when it ran.
#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

fn main() {
    for folder in ["profiles/components", "profiles/distros", "profiles/releases", "templates"] {
        println!("cargo::rerun-if-changed={folder}");
    }
    println!("cargo::rerun-if-changed=build.rs");
}
