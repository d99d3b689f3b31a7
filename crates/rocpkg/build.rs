//! Makes a new profile or template reach the next build: a macro embeds their folders, and cargo sees only the files
//! that were there when it ran.
#![allow(clippy::print_stdout, reason = "cargo reads what a build script prints")]

fn main() {
    for inside in ["components", "distros", "releases", "externals.yaml", "targets.yaml", "upstream.yaml"] {
        println!("cargo::rerun-if-changed=../../profiles/{inside}");
    }
    println!("cargo::rerun-if-changed=../../templates");
}
