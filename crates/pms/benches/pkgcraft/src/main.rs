//! How long reading takes here and in pkgcraft, in one run.

use std::hint::black_box;
use std::time::Instant;

use pkgcraft::dep::{Dep, DependencySet};
use rocpkg_pms::{Atom, RequiredUse};

/// Nanoseconds a call, the best of some runs.
fn time<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..20 {
        let start = Instant::now();
        for _ in 0..10_000 {
            drop(black_box(call()));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e5);
    }
    best
}

fn main() {
    let targets: Vec<String> = (0..22).map(|index| format!("amdgpu_targets_gfx{}", 1000 + index)).collect();
    let use_deps: Vec<String> = targets.iter().take(16).map(|flag| format!("{flag}(-)?")).collect();
    let atom = format!(">=sci-libs/rocBLAS-7.2.0:0/7.2=[{}]", use_deps.join(","));
    let required_use = format!("|| ( {} )", targets.join(" "));
    let rows = [
        (
            "an atom with 16 USE dependencies",
            time(|| black_box(&*atom).parse::<Atom>().expect("an atom")),
            time(|| Dep::try_new(black_box(&*atom)).expect("an atom")),
        ),
        (
            "a REQUIRED_USE of 22 flags",
            time(|| black_box(&*required_use).parse::<RequiredUse>().expect("a tree")),
            time(|| DependencySet::<String>::required_use(black_box(&*required_use)).expect("a tree")),
        ),
    ];
    println!("{:<40} {:>10} {:>14} {:>8}", "reading", "ns", "pkgcraft, ns", "ratio");
    for (what, ours, theirs) in rows {
        println!("{what:<40} {ours:>10.0} {theirs:>14.0} {:>8.2}", theirs / ours);
    }
}
