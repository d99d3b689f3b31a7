//! x
#![allow(clippy::all)]
use rocpkg::Backend;
use rocpkg::edit::{Checks, carry};
fn main() {
    let read = |p: &str| {
        let t = std::fs::read_to_string(p).unwrap();
        Backend::Arch.reading("PKGBUILD").read(&t).ok().unwrap()
    };
    let a: Vec<String> = std::env::args().collect();
    let out = carry(&read(&a[1]), &read(&a[2]), &read(&a[3]), Checks::NONE);
    print!("{}", out.text);
    eprintln!("{:#?}", out.left);
}
