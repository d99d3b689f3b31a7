//! How long the whole stack takes: `cargo bench -p rocpkg-tests`. All of it is due in a tenth of a
//! second.

use divan::Bencher;
use rocpkg::internal::model::Findings;
use rocpkg::internal::resolve::{Choice, Model};
use rocpkg::{Backend, Options, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::plans::Builder;
use rocpkg_tests::many;

/// So many made-up packages on top; four times as many may take five times as long.
const PACKAGES: [usize; 3] = [250, 500, 1000];

fn main() {
    divan::main();
}

fn read() -> Model {
    Model::load(&[(String::new(), rocpkg::shipped::profiles())]).0
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

/// The shipped model with packages on top, read anew.
fn grown(packages: usize) -> Stack {
    Stack::shipped()
        .expect("templates")
        .texts("over", many(packages))
}

/// All findings of all distributions, and the proof.
#[divan::bench(args = PACKAGES, sample_count = 3, sample_size = 1)]
fn checking(packages: usize) -> bool {
    grown(packages).check(&[], &[Choice::Shipped]).is_ok()
}

/// Gentoo's packages in build order.
#[divan::bench(args = PACKAGES, sample_count = 3, sample_size = 1)]
fn ordering(packages: usize) -> usize {
    grown(packages)
        .order(Backend::Gentoo, &Choice::Shipped, &[])
        .expect("an order")
        .stages
        .len()
}

/// Gentoo's ebuilds.
#[divan::bench(args = PACKAGES, sample_count = 3, sample_size = 1)]
fn ebuilds(packages: usize) -> usize {
    let options = Options {
        backends: vec![Backend::Gentoo],
        ..Options::everything()
    };
    grown(packages)
        .render(&options)
        .expect("ebuilds")
        .files
        .iter()
        .count()
}

/// What each of Gentoo's packages needs, and on which machine it is built.
#[divan::bench(args = PACKAGES, sample_count = 3, sample_size = 1)]
fn planning(packages: usize) -> usize {
    let machine: Builder = "cpus=16,memory=64G,disk=500G".parse().expect("a machine");
    grown(packages)
        .builds(Backend::Gentoo, &Choice::Shipped, &[], None, &[machine])
        .expect("a plan")
        .jobs
        .len()
}
