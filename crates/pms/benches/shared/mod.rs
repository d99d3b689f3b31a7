//! What both benches share: the measured texts, the clock, what the operations take here and in Portage, the table.

use std::collections::BTreeMap;
use std::hint::black_box;
use std::process::Command;
use std::time::Instant;

use rocpkg_pms::{Atom, Candidate, DepSpec, Iuse, Reduction, RequiredUse, UseState, Version, use_reduce};

/// The texts that are asked about, as long as those of ROCm's packages get.
pub(crate) struct Texts {
    pub(crate) atom: String,
    pub(crate) cpv: &'static str,
    pub(crate) slot: &'static str,
    pub(crate) wanted: &'static str,
    pub(crate) iuse: String,
    pub(crate) required_use: String,
    pub(crate) on: String,
    pub(crate) depend: &'static str,
    pub(crate) version: &'static str,
    pub(crate) other: &'static str,
}

/// Nanoseconds a call, by operation.
pub(crate) type Times = BTreeMap<String, f64>;

/// The texts.
pub(crate) fn texts() -> Texts {
    let flags: Vec<String> = (0..22).map(|index| format!("amdgpu_targets_gfx{}", 1000 + index)).collect();
    let use_deps: Vec<String> = flags.iter().take(16).map(|flag| format!("{flag}(-)?")).collect();
    Texts {
        atom: format!(">=sci-libs/rocBLAS-7.2.0:0/7.2=[{}]", use_deps.join(",")),
        cpv: "sci-libs/rocBLAS-7.2.0",
        slot: "0/7.2",
        wanted: "=sci-libs/rocBLAS-7.2*",
        iuse: flags.join(" "),
        required_use: format!("|| ( {} )", flags.join(" ")),
        on: flags.first().cloned().unwrap_or_default(),
        depend: "a? ( || ( x/b x/c ) ) !a? ( x/d ) || ( ( a/b c/d ) e/f ) sci-libs/rocBLAS:0/7.2=",
        version: "7.2.0_rc1-r1",
        other: "7.2.0",
    }
}

/// Nanoseconds a call, the best of the runs of a third of a second: a processor that has slept is slow at first.
pub(crate) fn time<T>(mut call: impl FnMut() -> T) -> f64 {
    let (mut best, begin) = (f64::INFINITY, Instant::now());
    while begin.elapsed().as_secs_f64() < 0.33 {
        let start = Instant::now();
        for _ in 0..2_000 {
            drop(black_box(call()));
        }
        best = best.min(start.elapsed().as_secs_f64() * 5e5);
    }
    best
}

/// What each operation takes here.
pub(crate) fn ours(texts: &Texts) -> Times {
    let atom: Atom = black_box(&*texts.atom).parse().expect("an atom");
    let spec: RequiredUse = black_box(&*texts.required_use).parse().expect("a tree");
    let depend: DepSpec = black_box(texts.depend).parse().expect("a tree");
    let version = |text: &str| text.parse::<Version>().expect("a version");
    let (a, b) = (version(texts.version), version(texts.other));
    let wanted: Atom = black_box(texts.wanted).parse().expect("an atom");
    let found = format!("{}:{}", texts.cpv, texts.slot);
    let candidate: Candidate = found.parse().expect("a package");
    let all_on = texts.iuse.split(' ').map(|flag| format!("+{flag}")).collect::<Vec<_>>().join(" ");
    let flags: Iuse = all_on.parse().expect("flags");
    let on = black_box(&*texts.on);
    let (none, atoms) = (Reduction::default(), Reduction { atoms: true, ..Reduction::default() });

    let fits_with_one = |atom: &Atom| atom.matches(&candidate) && atom.matches_use(&flags, |flag| flag == on);
    let fits = |atom: &Atom| atom.matches(&candidate) && atom.matches_use(&flags, |flag| flags.is_on(flag));
    let check = |spec: &RequiredUse| spec.check(|flag| flag == on, |flag| flags.has(flag));
    let read_and_match = || {
        let wanted: Atom = black_box(texts.wanted).parse().expect("an atom");
        let candidate: Candidate = black_box(&*found).parse().expect("a package");
        wanted.matches(&candidate)
    };
    Times::from(
        [
            ("atom", time(|| black_box(&*texts.atom).parse::<Atom>())),
            ("use_deps_with_one", time(|| fits_with_one(black_box(&atom)))),
            ("use_deps", time(|| fits(black_box(&atom)))),
            (
                "atom_and_use_deps",
                time(|| black_box(&*texts.atom).parse::<Atom>().is_ok_and(|atom| fits(&atom))),
            ),
            ("required_use", time(|| black_box(&*texts.required_use).parse::<RequiredUse>())),
            ("check", time(|| black_box(&spec).is_met(|flag| flag == on))),
            ("check_iuse", time(|| check(black_box(&spec)))),
            (
                "required_use_and_check",
                time(|| {
                    RequiredUse::check_text(
                        black_box(&*texts.required_use),
                        |flag| flag == on,
                        |flag| flags.has(flag),
                    )
                }),
            ),
            ("depend", time(|| black_box(texts.depend).parse::<DepSpec>())),
            ("reduce", time(|| black_box(&depend).reduce(|flag| none.on.contains(flag)))),
            ("depend_and_reduce", time(|| use_reduce(black_box(texts.depend), &none))),
            ("depend_of_atoms_and_reduce", time(|| use_reduce(black_box(texts.depend), &atoms))),
            ("version", time(|| black_box(texts.version).parse::<Version>())),
            ("compare", time(|| black_box(&a).cmp(black_box(&b)))),
            (
                "version_and_compare",
                time(|| Version::compare(black_box(texts.version), black_box(texts.other))),
            ),
            ("match", time(|| black_box(&wanted).matches(black_box(&candidate)))),
            ("atom_and_match", time(read_and_match)),
            ("print", time(|| black_box(&atom).to_string())),
            ("layout", time(|| black_box(&spec).layout(1))),
        ]
        .map(|(name, time)| (name.to_owned(), time)),
    )
}

/// What Portage takes, caches emptied before each call; nothing if `ROCPKG_PORTAGE_PYTHON` names no Python that has it.
pub(crate) fn portage(texts: &Texts) -> Times {
    let Some(python) = std::env::var_os("ROCPKG_PORTAGE_PYTHON") else { return Times::new() };
    let mut command = {
        #[allow(clippy::disallowed_methods)] // The comparison has to run the other program.
        Command::new(python)
    };
    command.args(["-c", include_str!("../../tests/portage/oracle.py"), "speed"]);
    command.args(["atom", &texts.atom, "cpv", texts.cpv, "slot", texts.slot, "wanted", texts.wanted]);
    command.args(["iuse", &texts.iuse, "required_use", &texts.required_use, "on", &texts.on]);
    command.args(["depend", texts.depend, "version", texts.version, "other", texts.other]);
    let Ok(output) = command.output() else { return Times::new() };
    let mut times: Times = serde_json::from_slice(&output.stdout).expect("the times of Portage");
    // Its functions take texts, so what was read before here is set against a call that reads too.
    for (name, call) in [
        ("check", "required_use_and_check"),
        ("check_iuse", "required_use_and_check"),
        ("reduce", "depend_and_reduce"),
        ("compare", "version_and_compare"),
    ] {
        times.insert(name.to_owned(), times[call]);
    }
    times
}

/// The operations: the name in [`Times`], and the description.
const ROWS: [(&str, &str); 19] = [
    ("atom", "read an atom with 16 USE dependencies"),
    ("use_deps_with_one", "  evaluate it with one flag on, read before"),
    ("use_deps", "  evaluate it with all flags on, read before"),
    ("atom_and_use_deps", "  read and evaluate it with all flags on"),
    ("required_use", "read a REQUIRED_USE of 22 flags"),
    ("check", "  evaluate it, read before"),
    ("check_iuse", "  look its flags up in IUSE and evaluate, read before"),
    ("required_use_and_check", "  read, look up and evaluate"),
    ("depend", "read dependencies on 7 packages"),
    ("reduce", "  reduce them, read before"),
    ("depend_and_reduce", "  read and reduce, leaves being words"),
    ("depend_of_atoms_and_reduce", "  read and reduce, leaves being atoms"),
    ("version", "read a version"),
    ("compare", "  compare two, read before"),
    ("version_and_compare", "  read and compare two"),
    ("match", "match a package, read before"),
    ("atom_and_match", "  read both and match"),
    ("print", "print an atom with 16 USE dependencies"),
    ("layout", "lay a REQUIRED_USE of 22 flags out"),
];

/// Prints one line for each operation: the time here, and how many times as long the others take.
pub(crate) fn print(ours: &Times, others: &[(&str, &Times)]) {
    print!("{:<56} {:>8}", "", "ns");
    for (name, _) in others {
        print!(" {:>12} {:>7}", format!("{name}, ns"), "ratio");
    }
    println!();
    for (name, what) in ROWS {
        let here = ours[name];
        print!("{what:<56} {here:>8.0}");
        for (_, times) in others {
            match times.get(name) {
                Some(there) => print!(" {there:>12.0} {:>7.1}", there / here),
                None => print!(" {:>12} {:>7}", "", ""),
            }
        }
        println!();
    }
}
