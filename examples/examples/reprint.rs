//! Reads an ebuild, an eclass or a PKGBUILD into typed values, and prints it from these values
//! alone: `cargo run --example reprint -- [--add NAME=ITEM]… FILE`. Parts without a typed form are
//! kept as text. They are listed on standard error.
#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a program that answers"
)]

use rocpkg::arch::{Field, Pkgbuild};
use rocpkg::gentoo::{DependVariable, Ebuild, Eclass};
use std::error::Error;

/// The printed recipe, and its parts that have no typed form.
type Reprinted = (String, Vec<String>);

/// Reads a recipe, drops its text, and adds items. Returns the recipe as printed from its values.
fn reprinted(path: &str, add: &[(String, String)]) -> Result<Reprinted, Box<dyn Error>> {
    let text = std::fs::read_to_string(path)?;
    if path.ends_with(".ebuild") {
        let mut ebuild = Ebuild::read(&text)?;
        drop(text);
        for (name, item) in add {
            let depends = DependVariable::ALL
                .into_iter()
                .find(|own| own.name() == name);
            match (name.as_str(), depends) {
                ("IUSE", _) => ebuild.add_flag(&item.parse()?)?,
                (_, Some(variable)) => ebuild.add_depend(variable, &item.parse()?)?,
                _ => ebuild.script.add(name, item),
            }
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
        match Field::ALL.iter().find(|field| field.name() == name) {
            Some(field) => pkgbuild.add(*field, item)?,
            None => pkgbuild.script.add_element(name, item),
        }
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
