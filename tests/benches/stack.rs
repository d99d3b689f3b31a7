//! How long the whole stack takes: `cargo bench -p rocpkg-tests`. All of it is due in a tenth of a second.

use divan::Bencher;
use rocpkg::model::Findings;
use rocpkg::resolve::Model;
use rocpkg::{Options, Stack};

fn main() {
    divan::main();
}

fn read() -> Model {
    Model::load(&[(String::new(), rocpkg::profiles())]).0
}

/// From YAML to the model.
#[divan::bench]
fn reading(bencher: Bencher) {
    bencher.bench(read);
}

/// From the model to the files of all distributions, proof and all.
#[divan::bench]
fn rendering(bencher: Bencher) {
    let stack = Stack::of_model(read(), Findings::default()).expect("templates");
    bencher.bench(|| stack.render(&Options::everything()).is_ok());
}
