//! How long the operations take, beside Portage where `ROCPKG_PORTAGE_PYTHON` names a Python that has it.
//!
//! `cargo bench -p rocpkg-pms`

#![allow(clippy::print_stdout, clippy::unwrap_used)] // A bench is a program for people to run.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use rocpkg_pms::{Atom, Candidate, Reduction, RequiredUse, Version, use_reduce};

/// Nanoseconds a call, the best of some runs.
fn time<T>(mut call: impl FnMut() -> T) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        for _ in 0..10_000 {
            drop(black_box(call()));
        }
        best = best.min(start.elapsed().as_secs_f64() * 1e5);
    }
    best
}

/// What Portage takes, by name.
fn portage(inputs: &[(&str, &str)]) -> BTreeMap<String, f64> {
    let Some(python) = std::env::var_os("ROCPKG_PORTAGE_PYTHON") else { return BTreeMap::new() };
    let mut command = {
        #[allow(clippy::disallowed_methods)] // The comparison has to run the other program.
        Command::new(python)
    };
    command.args([concat!(env!("CARGO_MANIFEST_DIR"), "/tests/portage/oracle.py"), "speed"]);
    command.args(inputs.iter().flat_map(|(name, text)| [*name, *text]));
    let Ok(output) = command.output() else { return BTreeMap::new() };
    serde_json::from_slice(&output.stdout).unwrap_or_default()
}

fn main() {
    let targets: Vec<String> = (0..22).map(|index| format!("amdgpu_targets_gfx{}", 1000 + index)).collect();
    let use_deps: Vec<String> = targets.iter().take(16).map(|flag| format!("{flag}(-)?")).collect();
    let atom = format!(">=sci-libs/rocBLAS-7.2.0:0/7.2=[{}]", use_deps.join(","));
    let required_use = format!("|| ( {} )", targets.join(" "));
    let depend = "a? ( || ( x/b x/c ) ) !a? ( x/d ) || ( ( a/b c/d ) e/f ) sci-libs/rocBLAS:0/7.2=";
    let (version, other) = ("7.2.0_rc1-r1", "7.2.0");
    let inputs = [
        ("atom", &*atom),
        ("required_use", &*required_use),
        ("use_reduce", depend),
        ("vercmp", version),
        ("match", "=sci-libs/rocBLAS-7.2*"),
    ];
    let theirs = portage(&inputs);

    let spec: RequiredUse = required_use.parse().unwrap();
    let last = targets.last().unwrap();
    let (a, b): (Version, Version) = (version.parse().unwrap(), other.parse().unwrap());
    let (asked, candidate): (Atom, Candidate) =
        ("=sci-libs/rocBLAS-7.2*".parse().unwrap(), "sci-libs/rocBLAS-7.2.0".parse().unwrap());
    let none = Reduction::default();
    let rows: [(&str, &str, f64); 8] = [
        ("read an atom with 16 USE dependencies", "atom", time(|| black_box(&*atom).parse::<Atom>())),
        (
            "read a REQUIRED_USE of 22 flags",
            "required_use",
            time(|| black_box(&*required_use).parse::<RequiredUse>()),
        ),
        (
            "evaluate a REQUIRED_USE of 22 flags",
            "required_use",
            time(|| black_box(&spec).is_met(|flag| flag == last)),
        ),
        ("reduce a dependency string", "use_reduce", time(|| use_reduce(black_box(depend), &none))),
        ("compare two versions", "vercmp", time(|| black_box(&a).cmp(black_box(&b)))),
        ("match a package", "match", time(|| black_box(&asked).matches(black_box(&candidate)))),
        ("print an atom with 16 USE dependencies", "", {
            let atom: Atom = atom.parse().unwrap();
            time(|| black_box(&atom).to_string())
        }),
        ("lay a REQUIRED_USE of 22 flags out", "", time(|| black_box(&spec).layout(1))),
    ];
    println!("{:<40} {:>10} {:>12} {:>8}", "", "ns", "Portage, ns", "ratio");
    for (what, name, ours) in rows {
        match theirs.get(name) {
            Some(theirs) => println!("{what:<40} {ours:>10.0} {theirs:>12.0} {:>8.1}", theirs / ours),
            None => println!("{what:<40} {ours:>10.0}"),
        }
    }
}
