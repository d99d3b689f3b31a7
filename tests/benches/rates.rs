//! How fast recipes are made in memory, one thread for each row, and models of any size for `cargo xtask bench`.
//!
//! `cargo bench -p rocpkg-tests --bench rates` prints a row each: what, how many, bytes, seconds.
//! With `-- write FOLDER PACKAGES` it writes a model of so many packages instead, to lay over the shipped one.
#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a bench prints, writes its own files, and panics when it can't go on"
)]

use rocpkg::model::Findings;
use rocpkg::render::{Rendered, Templates};
use rocpkg::resolve::{Choice, Model, Plan};
use rocpkg_tests::many;
use std::env;
use std::hint::black_box;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a row is measured.
const LONG_ENOUGH: Duration = Duration::from_millis(1500);

fn main() {
    let arguments: Vec<String> = env::args().skip(1).filter(|a| a != "--bench").collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder, packages] => write(Path::new(folder), packages.parse().unwrap()),
        _ => rates(),
    }
}

fn write(folder: &Path, packages: usize) {
    for (path, text) in many(packages) {
        let path = folder.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

fn rates() {
    let templates = Templates::new(&rocpkg::templates()).unwrap();
    let (model, findings) = Model::load(&[(String::new(), rocpkg::profiles())]);
    assert!(!findings.has_errors());
    let plan = |distro| Plan::new(&model, distro, &Choice::Shipped, &mut Findings::default()).unwrap();
    let (gentoo, arch, nix) = (plan("gentoo"), plan("arch"), plan("nixpkgs"));
    let found = &mut Findings::default();

    let options = rocpkg::gentoo::Options { partial_manifests: true, ..rocpkg::gentoo::Options::default() };
    let (out, _) = rocpkg::gentoo::render(&gentoo, &templates, &options, found);
    let whole =
        fastest(|| drop(rocpkg::gentoo::render(&gentoo, &templates, &options, &mut Findings::default())));
    let lowered = fastest(|| drop(rocpkg::gentoo::lower_all(&gentoo, &options, &mut Findings::default())));
    let (ebuilds, bytes) = files(&out, ".ebuild");
    row("ebuilds, from the plan", ebuilds, bytes, whole);
    row("ebuilds, printed and looked at", ebuilds, bytes, whole.saturating_sub(lowered));

    let (out, _) = rocpkg::nix::render(&nix, &templates, found).unwrap();
    let whole = fastest(|| drop(rocpkg::nix::render(&nix, &templates, &mut Findings::default())));
    let tables = rocpkg::nix::Tables::new(&nix);
    let lowered = fastest(|| {
        for p in &nix.packages {
            black_box(rocpkg::nix::lower(&tables, p, &mut Findings::default()));
        }
    });
    let (expressions, bytes) = files(&out, ".nix");
    row("Nix files, from the plan", expressions, bytes, whole);
    row("Nix files, printed and looked at", expressions, bytes, whole.saturating_sub(lowered));
    let texts: Vec<String> = text(&out, ".nix").collect();
    let formatted = fastest(|| texts.iter().for_each(|t| drop(black_box(nixfmt_rs::format(t)))));
    row("Nix files, by the formatter alone", expressions, bytes, formatted);

    let options = rocpkg::arch::Options { allow_missing: true };
    let (out, _) = rocpkg::arch::render(&arch, &templates, &options, found);
    let whole = fastest(|| drop(rocpkg::arch::render(&arch, &templates, &options, &mut Findings::default())));
    let (recipes, bytes) = files(&out, "PKGBUILD");
    row("PKGBUILDs with .SRCINFO, from the plan", recipes, bytes, whole);
    let lowered: Vec<_> = arch
        .packages
        .iter()
        .map(|p| rocpkg::arch::lower(&arch, p, true, &mut Findings::default()).pkgbuild)
        .collect();
    let printed = fastest(|| {
        for pkgbuild in &lowered {
            black_box(rocpkg::arch::print_srcinfo(&rocpkg::arch::srcinfo(pkgbuild)));
        }
    });
    let (infos, bytes) = files(&out, ".SRCINFO");
    row(".SRCINFO", infos, bytes, printed);
}

/// The texts of the files that end so.
fn text<'a>(out: &'a Rendered, ending: &'a str) -> impl Iterator<Item = String> + 'a {
    let ours = out.tree.iter().filter(move |(path, _)| path.as_str().ends_with(ending));
    ours.map(|(_, bytes)| String::from_utf8_lossy(bytes).into_owned())
}

fn files(out: &Rendered, ending: &str) -> (usize, usize) {
    text(out, ending).fold((0, 0), |(count, bytes), text| (count + 1, bytes + text.len()))
}

/// The time of the fastest run: whatever else the machine does only adds to it.
fn fastest(mut run: impl FnMut()) -> Duration {
    let begin = Instant::now();
    let mut best = Duration::MAX;
    while begin.elapsed() < LONG_ENOUGH {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed());
    }
    best
}

fn row(what: &str, count: usize, bytes: usize, time: Duration) {
    println!("{what}\t{count}\t{bytes}\t{}", time.as_secs_f64());
}
