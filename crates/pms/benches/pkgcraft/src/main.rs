//! How long the operations take here, in pkgcraft and, where it is there, in Portage, in one run.

#[path = "../../shared/mod.rs"]
mod shared;

use std::hint::black_box;

use indexmap::IndexSet;
use pkgcraft::dep::{Cpv, Dep, DependencySet, Evaluate, Version};
use pkgcraft::eapi::EAPI8;
use pkgcraft::traits::Intersects;
use shared::{Texts, Times, time};

/// What pkgcraft takes for the operations that it has.
fn pkgcraft(texts: &Texts) -> Times {
    let depend = || DependencySet::package(black_box(texts.depend), &EAPI8).expect("a tree");
    let version = |text: &str| Version::try_new(text).expect("a version");
    let wanted = || Dep::try_new(black_box(texts.wanted)).expect("an atom");
    let found = || Cpv::try_new(black_box(texts.cpv)).expect("a package");
    let none = IndexSet::<String>::new();
    let tree = depend();
    let (a, b) = (version(texts.version), version(texts.other));
    let (atom, cpv) = (wanted(), found());
    Times::from(
        [
            ("atom", time(|| Dep::try_new(black_box(&*texts.atom)))),
            ("required_use", time(|| DependencySet::<String>::required_use(black_box(&*texts.required_use)))),
            ("depend", time(depend)),
            ("reduce", time(|| drop(black_box(black_box(&tree).evaluate(&none))))),
            ("depend_of_atoms_and_reduce", time(|| drop(black_box(depend().evaluate(&none))))),
            ("version", time(|| version(black_box(texts.version)))),
            ("compare", time(|| black_box(&a).cmp(black_box(&b)))),
            (
                "version_and_compare",
                time(|| version(black_box(texts.version)).cmp(&version(black_box(texts.other)))),
            ),
            ("match", time(|| black_box(&atom).intersects(black_box(&cpv)))),
            ("atom_and_match", time(|| wanted().intersects(&found()))),
        ]
        .map(|(name, time)| (name.to_owned(), time)),
    )
}

fn main() {
    let texts = shared::texts();
    let others = [("pkgcraft", &pkgcraft(&texts)), ("Portage", &shared::portage(&texts))];
    shared::print(&shared::ours(&texts), &others);
}
