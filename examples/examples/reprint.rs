//! An ebuild, an eclass or a PKGBUILD as typed values, and printed from these alone: `cargo run
//! --example reprint -- [--add NAME=ITEM]… FILE`. What could be kept as text only goes to standard
//! error.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that answers"
)]

use rocpkg::arch::Pkgbuild;
use rocpkg::gentoo::{Ebuild, Eclass};
use std::error::Error;

/// The recipe as it is printed, and what has no typed form.
type Reprinted = (String, Vec<String>);

/// Reads a recipe, lets go of its text, and adds items.
fn reprinted(path: &str, add: &[(String, String)]) -> Result<Reprinted, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    if path.ends_with(".ebuild") {
        let mut ebuild = Ebuild::read(&text)?;
        drop(text);
        for (name, item) in add {
            ebuild.script.add(name, item);
        }
        return Ok((ebuild.to_string(), ebuild.untyped()));
    }
    if path.ends_with(".eclass") {
        let mut eclass = Eclass::read(&text)?;
        drop(text);
        for (name, item) in add {
            eclass.script.add(name, item);
        }
        return Ok((eclass.to_string(), eclass.untyped()));
    }
    let mut pkgbuild = Pkgbuild::read(&text)?;
    drop(text);
    for (name, item) in add {
        pkgbuild.script.add_element(name, item);
    }
    Ok((pkgbuild.to_string(), pkgbuild.untyped()))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1);
    let (mut add, mut path) = (Vec::new(), None);
    while let Some(word) = words.next() {
        if word == "--add" {
            let item = words.next().unwrap_or_default();
            let (name, item) = item.split_once('=').ok_or("--add NAME=ITEM")?;
            add.push((name.to_owned(), item.to_owned()));
        } else {
            path = Some(word);
        }
    }
    let (text, untyped) = reprinted(&path.ok_or("reprint [--add NAME=ITEM]… FILE")?, &add)?;
    for text in untyped {
        eprintln!("raw: {text}");
    }
    print!("{text}");
    Ok(())
}
