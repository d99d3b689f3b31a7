//! Questions about GPUs: what a name stands for, whom a build serves, and the fewest targets that serve some cards.
#![allow(clippy::print_stdout, reason = "a program that answers")]

use rocpkg::resolve::Choice;
use rocpkg::{Ask, Backend, Chosen, Error, Stack};

fn main() -> Result<(), Error> {
    let stack = Stack::shipped()?;
    let card = stack.gpu("RX 7900 XTX")?;
    println!("RX 7900 XTX: {}", stack.registry()?.show(card.targets()));

    let gentoo = stack.questions(Backend::Gentoo, &Choice::Shipped)?;
    let mut ask = Ask::default();
    ask.package = Some("rocblas".to_owned());

    let reached = gentoo.reach(&Chosen::Names("gfx1030, gfx1100".to_owned()), &ask)?;
    println!("gfx1030 and gfx1100 serve: {}", gentoo.registry.show(reached.serves));
    for package in reached.packages.iter().filter(|p| !p.left_out.is_empty()) {
        println!("  left out by {}: {}", package.package, gentoo.registry.show(package.left_out));
    }

    let cards = ["RX 6800".to_owned(), "RX 7900 XTX".to_owned()];
    let covered = gentoo.cover(&cards, None, &ask)?;
    println!("the fewest for both cards: {}", gentoo.registry.show(covered.targets()));
    Ok(())
}
