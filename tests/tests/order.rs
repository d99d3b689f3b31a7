//! Compares the build order with the dependencies that the rendered recipes name.

use crate::stack::tree;
use rocpkg::internal::resolve::Choice;
use rocpkg::order::Order;
use rocpkg::{Backend, Options, Stack};
use rocpkg_answers::Answers as _;
use rocpkg_answers::plans::Builder;
use rocpkg_tests::pkgbases;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;

/// Returns each pair of PKGBUILDs of which the first depends on a package of the second, with the
/// arrays of .SRCINFO that name it.
fn named() -> BTreeMap<(String, String), BTreeSet<String>> {
    let infos = pkgbases(&tree("arch"))
        .into_iter()
        .map(|folder| folder.join(".SRCINFO"));
    let read = |path| rocpkg::arch::read_srcinfo(&fs::read_to_string(path).unwrap()).unwrap();
    let infos: Vec<_> = infos.map(read).collect();
    let bare = |text: &str| text.split(['<', '>', '=']).next().unwrap().to_owned();
    let (mut makers, mut out) = (BTreeMap::new(), BTreeMap::new());
    let fields = |info: &rocpkg::arch::Srcinfo| {
        let parts = info.packages.iter().flat_map(|(_, fields)| fields);
        info.fields.iter().chain(parts).cloned().collect::<Vec<_>>()
    };
    for info in &infos {
        makers.extend(
            info.packages
                .iter()
                .map(|(name, _)| (name.clone(), info.base.clone())),
        );
        let provided = fields(info)
            .into_iter()
            .filter(|(field, _)| field == "provides");
        makers.extend(provided.map(|(_, name)| (bare(&name), info.base.clone())));
    }
    for info in &infos {
        let arrays = ["depends", "makedepends", "checkdepends"];
        for (field, value) in fields(info)
            .into_iter()
            .filter(|(field, _)| arrays.contains(&field.as_str()))
        {
            let Some(to) = makers.get(&bare(&value)).filter(|to| **to != info.base) else {
                continue;
            };
            out.entry((info.base.clone(), to.clone()))
                .or_insert_with(BTreeSet::new)
                .insert(field);
        }
    }
    assert!(out.len() > 100, "{out:?}");
    out
}

/// Returns the build order without consumers, which have no recipes here.
fn order(backend: Backend, changed: &[&str]) -> Order {
    let changed: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
    let stack = Stack::shipped().unwrap();
    let mut order = stack.order(backend, &Choice::Shipped, &changed).unwrap();
    let plan = &order.plan;
    for stage in &mut order.stages {
        stage.retain(|id| plan.get(id).is_some());
    }
    order.stages.retain(|stage| !stage.is_empty());
    for needs in [&mut order.needs, &mut order.broken] {
        needs.retain(|need| plan.get(&need.from).is_some());
    }
    order.holding.retain(|id| plan.get(id).is_some());
    order
}

/// Returns the stage of each package, by the distribution's name of the package.
fn stages(order: &Order) -> BTreeMap<String, usize> {
    let each = order.stages.iter().enumerate();
    each.flat_map(|(i, stage)| stage.iter().map(move |id| (order.name(id).to_owned(), i)))
        .collect()
}

#[test]
fn stages_hold_to_what_recipes_say_but_for_the_one_circle() {
    let (named, order) = (named(), order(Backend::Arch, &[]));
    let pair = |from: &str, to: &str| (order.name(from).to_owned(), order.name(to).to_owned());
    let needs: BTreeSet<_> = order
        .drawn()
        .map(|(need, _)| pair(&need.from, &need.to))
        .collect();
    assert_eq!(needs, named.keys().cloned().collect());
    let broken: Vec<_> = order
        .broken
        .iter()
        .map(|need| pair(&need.from, &need.to))
        .collect();
    assert_eq!(broken, [("rocm-cmake".to_owned(), "rocm-llvm".to_owned())]);
    assert_eq!(
        named[&broken[0]],
        BTreeSet::from(["checkdepends".to_owned()])
    );
    let stages = stages(&order);
    assert_eq!(stages.len(), order.plan.packages.len());
    for (from, to) in named.keys().filter(|pair| !broken.contains(pair)) {
        assert!(stages[to] < stages[from], "{from} needs {to}");
    }
    // No package is in a later stage than its dependencies require.
    for (name, stage) in stages.iter().filter(|(_, stage)| **stage > 0) {
        let waits = |(from, to): &&(String, String)| from == name && stages[to] + 1 == *stage;
        assert!(named.keys().any(|pair| waits(&pair)), "{name}");
    }
}

#[test]
fn what_comes_after_a_change_is_what_recipes_lead_to_it() {
    let named = named();
    for name in ["rocm-llvm", "rocrand", "comgr"] {
        let base = if name == "comgr" { "rocm-llvm" } else { name };
        let (mut after, mut count) = (BTreeSet::from([base.to_owned()]), 0);
        while after.len() > count {
            count = after.len();
            let tested =
                |fields: &BTreeSet<String>| fields.iter().all(|field| field == "checkdepends");
            let met = named
                .iter()
                .filter(|((_, to), fields)| after.contains(to) && !tested(fields));
            let met: Vec<_> = met.map(|((from, _), _)| from.clone()).collect();
            after.extend(met);
        }
        after.remove(base);
        let order = order(Backend::Arch, &[name]);
        let stages = stages(&order);
        assert_eq!(
            stages.keys().cloned().collect::<BTreeSet<_>>(),
            after,
            "{name}"
        );
        for ((from, to), _) in named
            .iter()
            .filter(|((from, to), _)| after.contains(from) && after.contains(to))
        {
            assert!(stages[to] < stages[from], "{name}: {from} needs {to}");
        }
        let holding: BTreeSet<String> = order
            .holding
            .iter()
            .map(|id| order.name(id).to_owned())
            .collect();
        let direct = |from: &&String| named.contains_key(&((*from).clone(), base.to_owned()));
        assert!(
            holding.iter().all(|from| direct(&from)),
            "{name}: {holding:?}"
        );
    }
}

/// Returns the number of packages that come after a change of `name`, or the error.
fn count(backend: Backend, name: &str) -> Result<usize, String> {
    let stack = Stack::shipped().unwrap();
    let order = stack.order(backend, &Choice::Shipped, &[name.to_owned()]);
    let count = |order: Order| order.stages.iter().map(Vec::len).sum();
    order.map(count).map_err(|error| error.to_string())
}

#[test]
fn a_name_of_any_distribution_is_translated_or_refused() {
    let same = [
        (
            Backend::Gentoo,
            ["comgr", "rocm-comgr", "dev-libs/rocm-comgr"],
        ),
        (Backend::Gentoo, ["hip", "hip-runtime-amd", "rocm-clr"]),
        (Backend::Gentoo, ["miopen", "miopen-hip", "MIOpen"]),
        (
            Backend::Gentoo,
            ["rocr-runtime", "hsa-rocr", "rocmPackages.rocm-runtime"],
        ),
        (Backend::Arch, ["rocm-llvm", "rocm-comgr", "comgr"]),
        (Backend::Arch, ["hip-runtime", "hip", "HIP"]),
        (
            Backend::Nix,
            ["llvm", "rocm-llvm", "rocmPackages.llvm.llvm"],
        ),
        (Backend::Nix, ["clr", "hip-runtime-amd", "rocm-clr"]),
        (Backend::Nix, ["rocm-runtime", "rocr-runtime", "hsa-rocr"]),
        (Backend::Solus, ["rocm-llvm", "llvm", "clang"]),
        (Backend::Solus, ["fmt", "dev-libs/libfmt", "pkgconfig(fmt)"]),
    ];
    for (backend, names) in same {
        let counts = names.map(|name| count(backend, name));
        assert!(
            counts[0].as_ref().is_ok_and(|count| *count > 0),
            "{names:?}: {counts:?}"
        );
        assert!(
            counts.iter().all(|count| *count == counts[0]),
            "{names:?}: {counts:?}"
        );
    }
    // Gentoo builds with LLVM's own releases.
    let refused = count(Backend::Gentoo, "rocm-llvm").unwrap_err();
    assert_eq!(refused, "no `rocm-llvm` in gentoo; arch and solus have it");
    // Arch has no package of the library that the runtime contains by now.
    let refused = count(Backend::Arch, "hsakmt-roct").unwrap_err();
    let expected = "no `roct-thunk-interface` in arch; gentoo and solus have it; \
                    its source is part of `rocr-runtime` since 6.3";
    assert_eq!(refused, expected);
}

#[test]
fn each_distribution_has_an_order_and_at_most_one_circle() {
    let circles = |backend| {
        let order = order(backend, &[]);
        let pair = |need: &rocpkg::order::Need| {
            format!("{} -> {}", order.name(&need.from), order.name(&need.to))
        };
        order.broken.iter().map(pair).collect::<Vec<_>>()
    };
    assert_eq!(circles(Backend::Gentoo), ["rocm-comgr -> hip"]);
    assert_eq!(circles(Backend::Nix), ["rocm-comgr -> clr"]);
    // Solus builds the compiler twice. The second build is optimised with a profile of HIP's tests.
    assert_eq!(circles(Backend::Solus), ["rocm-llvm -> rocm-clr"]);
}

#[test]
fn a_picture_shows_what_the_stages_say() {
    let order = order(Backend::Arch, &["rocrand"]);
    insta::assert_snapshot!("dot", order.dot());
}

#[test]
fn a_plan_builds_each_package_once_behind_what_it_needs() {
    let machine: Builder = "cpus=64,memory=1T,disk=4T".parse().unwrap();
    let stack = Stack::shipped().unwrap();
    for backend in Backend::ALL {
        let builds = stack
            .builds(
                backend,
                &Choice::Shipped,
                &[],
                None,
                std::slice::from_ref(&machine),
            )
            .unwrap();
        let order = order(backend, &[]);
        let whole: Vec<_> = builds
            .jobs
            .iter()
            .filter(|j| j.part.is_none())
            .map(|j| j.id.clone())
            .collect();
        // nixpkgs builds the compiler in the scope, as no package of its own.
        let mut expected = order.stages.concat();
        expected.extend((backend == Backend::Nix).then(|| "rocm-llvm".to_owned()));
        assert_eq!(whole.len(), expected.len());
        assert_eq!(
            whole.into_iter().collect::<BTreeSet<_>>(),
            expected.into_iter().collect()
        );
        let mut seen = BTreeSet::new();
        for job in &builds.jobs {
            assert!(
                job.needs.iter().all(|need| seen.contains(need)),
                "{backend:?} {}: {:?}",
                job.name,
                job.needs
            );
            assert!(
                job.best().is_some(),
                "{backend:?} {}: {:?}",
                job.name,
                job.fits
            );
            seen.insert(job.name.clone());
        }
        let edge =
            |job: &rocpkg_answers::plans::Job, need: &String| (job.name.clone(), need.clone());
        let parted = |(from, to): &(String, String)| {
            !from.contains(':') && !to.contains(':') && to != "llvm.rocmClangStdenv"
        };
        let edges = builds
            .jobs
            .iter()
            .flat_map(|j| j.needs.iter().map(move |n| edge(j, n)))
            .filter(parted);
        let pair = |need: &rocpkg::order::Need| {
            (
                order.name(&need.from).to_owned(),
                order.name(&need.to).to_owned(),
            )
        };
        assert_eq!(
            edges.collect::<BTreeSet<_>>(),
            order.needs.iter().map(pair).collect(),
            "{backend:?}"
        );
    }
}

#[test]
fn a_change_of_the_compiler_builds_what_recipes_lead_to_it() {
    let named = named();
    let mut after = BTreeSet::from(["rocm-llvm".to_owned()]);
    let mut count = 0;
    while after.len() > count {
        count = after.len();
        let tested = |fields: &BTreeSet<String>| fields.iter().all(|field| field == "checkdepends");
        let met = named
            .iter()
            .filter(|((_, to), fields)| after.contains(to) && !tested(fields));
        let met: Vec<_> = met.map(|((from, _), _)| from.clone()).collect();
        after.extend(met);
    }
    assert!(after.len() > 20, "{after:?}");
    let changed = ["rocm-llvm".to_owned()];
    let builds = Stack::shipped()
        .unwrap()
        .builds(Backend::Arch, &Choice::Shipped, &changed, None, &[])
        .unwrap();
    assert_eq!(
        builds
            .jobs
            .iter()
            .map(|j| j.name.clone())
            .collect::<BTreeSet<_>>(),
        after
    );
}

/// Returns the differences between the edges of the order and the dependencies in the recipes.
/// `read` returns the words of a recipe, and `of` the words that name a package.
fn differing(
    backend: Backend,
    read: impl Fn(&str) -> BTreeSet<String>,
    of: impl Fn(&rocpkg::internal::resolve::Planned) -> Vec<String>,
) -> Vec<String> {
    let order = order(backend, &[]);
    let options = Options {
        backends: vec![backend],
        ..Options::everything()
    };
    let tree = Stack::shipped().unwrap().render(&options).unwrap();
    let mut named = BTreeSet::new();
    for p in &order.plan.packages {
        let words: BTreeSet<_> = tree
            .recipes_of(backend.distro(), &p.id)
            .flat_map(|(_, text)| read(text))
            .collect();
        let others = order.plan.packages.iter().filter(|o| o.id != p.id);
        let others = others.filter(|o| of(o).iter().any(|word| words.contains(word)));
        named.extend(others.map(|o| (p.name.clone(), o.name.clone())));
    }
    assert!(named.len() > 100, "{named:?}");
    let pair = |need: &rocpkg::order::Need| {
        (
            order.name(&need.from).to_owned(),
            order.name(&need.to).to_owned(),
        )
    };
    let needs: BTreeSet<_> = order.needs.iter().chain(&order.broken).map(pair).collect();
    let said = |(from, to): &(String, String), what| format!("{from} {what} {to}");
    let more = named
        .difference(&needs)
        .map(|pair| said(pair, "names, and does not need,"));
    more.chain(
        needs
            .difference(&named)
            .map(|pair| said(pair, "needs, and does not name,")),
    )
    .collect()
}

#[test]
fn the_edges_of_nix_and_solus_are_those_of_their_recipes() {
    let solus = |text: &str| -> BTreeSet<String> {
        let mut out = BTreeSet::new();
        let mut is_list = false;
        for line in text.lines() {
            if line.trim_start().starts_with("- ^") {
                is_list = false;
            } else if !line.starts_with([' ', '#']) {
                is_list = ["builddeps", "checkdeps", "rundeps"]
                    .iter()
                    .any(|key| line.starts_with(key));
            } else if let Some(word) = line.trim().strip_prefix("- ").filter(|_| is_list) {
                out.insert(
                    word.rsplit(' ')
                        .next()
                        .unwrap()
                        .trim_end_matches("-devel")
                        .to_owned(),
                );
            }
        }
        out
    };
    // Dependencies that are installed together with a subpackage don't affect the build order.
    let names = |p: &rocpkg::internal::resolve::Planned| {
        let own = p.package.ypkg.iter();
        let parts = own
            .clone()
            .flat_map(|own| own.replaces.keys())
            .map(|part| part.trim_start_matches('^').to_owned());
        let needed = own
            .filter_map(|own| own.needed_as.as_ref())
            .map(|name| name.value.clone());
        parts
            .chain(needed)
            .chain([p.name.clone(), format!("pkgconfig(lib{})", p.name)])
            .collect()
    };
    insta::assert_snapshot!("solus", differing(Backend::Solus, solus, names).join("\n"));
    // The names are the arguments of the expression's function. Some arguments are no edges: they
    // serve tests, give the source or the version, or are used in raw Nix text.
    let nix = |text: &str| -> BTreeSet<String> {
        let head = text.split("}:").next().unwrap();
        let words = head
            .split([',', '{', '\n'])
            .filter_map(|word| word.split_whitespace().next());
        words.map(str::to_owned).collect()
    };
    insta::assert_snapshot!(
        "nix",
        differing(Backend::Nix, nix, |p| vec![p.name.clone()]).join("\n")
    );
}

/// Returns each pair of ebuilds of which the first names the second in an atom that is no blocker.
/// Versions, slots and USE dependencies of the atom are ignored.
fn named_by_ebuilds(order: &Order) -> BTreeSet<(String, String)> {
    let options = Options {
        backends: vec![Backend::Gentoo],
        ..Options::everything()
    };
    let tree = Stack::shipped().unwrap().render(&options).unwrap();
    let bare = |atom: &str| -> Option<String> {
        let (category, name) = atom
            .trim_start_matches(['>', '<', '=', '~'])
            .split_once('/')?;
        let name = name.split([':', '[']).next()?;
        let versioned = atom.starts_with(['>', '<', '=', '~']);
        let is_version = |(_, rest): &(&str, &str)| {
            versioned && rest.starts_with(|c: char| c == '$' || c.is_ascii_digit())
        };
        let name = name
            .rsplit_once('-')
            .filter(is_version)
            .map_or(name, |(name, _)| name);
        (category.contains('-') && !atom.starts_with('!')).then(|| name.to_owned())
    };
    let mut out = BTreeSet::new();
    for p in &order.plan.packages {
        let recipes: Vec<_> = tree.recipes_of("gentoo", &p.id).collect();
        assert!(!recipes.is_empty(), "{}", p.id);
        let words = recipes
            .iter()
            .flat_map(|(_, text)| text.split(|c: char| c.is_whitespace() || "()\"'".contains(c)));
        let all: BTreeSet<String> = words.filter_map(bare).collect();
        let others = order
            .plan
            .packages
            .iter()
            .filter(|o| o.id != p.id && all.contains(&o.name));
        out.extend(others.map(|o| (p.name.clone(), o.name.clone())));
    }
    out
}

#[test]
fn gentoos_edges_are_those_of_the_ebuilds() {
    let order = order(Backend::Gentoo, &[]);
    let pair = |need: &rocpkg::order::Need| {
        (
            order.name(&need.from).to_owned(),
            order.name(&need.to).to_owned(),
        )
    };
    let needs: BTreeSet<_> = order.needs.iter().chain(&order.broken).map(pair).collect();
    assert_eq!(named_by_ebuilds(&order), needs);
}
