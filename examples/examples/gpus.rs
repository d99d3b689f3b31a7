//! Looks up a graphics card by its product name. Prints its GPU targets, and the support of each by
//! every package.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::Choice;
use rocpkg::{Backend, Error, Stack};
use rocpkg_answers::Answers as _;

fn main() -> Result<(), Error> {
    let stack = Stack::shipped()?;
    let card = stack.gpu("RX 6650 XT")?;
    println!("RX 6650 XT: {}", stack.gpu_targets()?.show(card.targets()));

    let gentoo = stack.questions(Backend::Gentoo, &Choice::Shipped)?;
    for gpu in card.targets().iter() {
        let found = gentoo.on_gpu(gpu);
        for package in &found.packages {
            println!("  {}: {:?}", package.package, package.way);
        }
        println!("next: {}", found.next.join("; "));
    }
    Ok(())
}
