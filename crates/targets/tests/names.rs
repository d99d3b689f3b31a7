//! Tests names of hardware as people and tools write them. Looking up a name of the shipped table
//! must never give a target that the name does not have.

use rocpkg_model::{Decode, Findings, Node, ProductsFile, parse};
use rocpkg_resolve::read_registry;
use rocpkg_targets::{Found, NotFound, Products, Registry, TargetSet, Why};
use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::sync::LazyLock;

static REGISTRY: LazyLock<Registry> = LazyLock::new(|| {
    let mut findings = Findings::default();
    let node = parse(
        0,
        include_str!("../../../profiles/targets.yaml"),
        &mut findings,
    )
    .expect("YAML");
    read_registry(&node, &mut findings).expect("a registry without faults")
});

static TREE: LazyLock<Node> = LazyLock::new(|| {
    parse(
        0,
        include_str!("../../../profiles/products.yaml"),
        &mut Findings::default(),
    )
    .expect("YAML")
});

/// The rows as they are in the file.
static FILE: LazyLock<ProductsFile> =
    LazyLock::new(|| ProductsFile::decode(&TREE, &mut Findings::default()).expect("a table"));

static PRODUCTS: LazyLock<Products> = LazyLock::new(|| {
    Products::read(&TREE, &REGISTRY, &mut Findings::default()).expect("products without faults")
});

fn find(text: &str) -> Result<Found, NotFound> {
    REGISTRY.find_in(&|| Some(&PRODUCTS), text, true)
}

fn show(set: impl Borrow<TargetSet>) -> String {
    REGISTRY.show(set)
}

/// Returns the targets of a name, or the reason why it has none.
fn answer(text: &str) -> String {
    match find(text) {
        Ok(found) => show(found.targets()),
        Err(e) => match e.why {
            Why::Maker(maker) => maker.to_owned(),
            Why::Unknown => "unknown".to_owned(),
            why => format!("{why:?}").to_lowercase(),
        },
    }
}

/// Returns all names of the table, each with all its targets.
fn all_names() -> BTreeMap<&'static str, TargetSet> {
    let mut out: BTreeMap<&str, TargetSet> = BTreeMap::new();
    for target in REGISTRY.all().iter() {
        for name in PRODUCTS.names_of(target) {
            out.entry(name).or_default().insert(target);
        }
    }
    out
}

#[test]
fn what_was_answered_wrongly_once() {
    for (name, targets) in [
        ("Radeon Pro 465", "gfx803"),
        ("Radeon Vega 10 Graphics", "gfx902"),
        ("Radeon Pro 475", "unknown"),
        ("Radeon 840M", "gfx1152 gfx1153"),
        ("RX 6650 XT", "gfx1032"),
    ] {
        assert_eq!(answer(name), targets, "{name}");
    }
    let near = find("Radeon Pro 475").unwrap_err().nearest;
    assert!(
        near.contains(&("Radeon Pro 465".to_owned(), "gfx803".to_owned())),
        "{near:?}"
    );
}

#[test]
fn names_as_owners_type_them() {
    let mut wrong = Vec::new();
    let rows: Vec<(&str, &str)> = include_str!("typed.txt")
        .lines()
        .filter_map(|line| line.rsplit_once(": "))
        .collect();
    for (name, targets) in &rows {
        let said = answer(name);
        if said != *targets {
            wrong.push(format!("{name}: {said}, not {targets}"));
        }
    }
    println!(
        "{} of {} names as owners type them",
        rows.len() - wrong.len(),
        rows.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_name_of_the_table_has_a_wrong_answer() {
    let (all, mut answered, mut open) = (all_names(), 0, 0);
    let mut wrong = Vec::new();
    for (name, targets) in &all {
        for spelt in [
            (*name).to_owned(),
            format!("AMD {name}"),
            name.to_uppercase(),
            name.to_lowercase(),
        ] {
            match find(&spelt) {
                Ok(found) if targets.is_subset(found.targets()) => {}
                Ok(found) => {
                    wrong.push(format!(
                        "{spelt}: {} lacks {}",
                        show(found.targets()),
                        show(targets)
                    ));
                }
                Err(e) => wrong.push(format!("{spelt}: {e}")),
            }
        }
        let found = find(name).map(|f| f.targets().len()).unwrap_or_default();
        answered += usize::from(found > 0);
        open += usize::from(found > 1);
        // Further targets are found only for names without a brand.
        if let Ok(found) = find(name)
            && found.targets() != *targets
        {
            println!(
                "{name}: {} carry it, {} answered",
                show(targets),
                show(found.targets())
            );
        }
    }
    println!(
        "{answered} of {} names answered, {open} of them with several targets",
        all.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn libdrms_names_chips_and_devices_are_answered() {
    let target = |name: &str| REGISTRY.get(name).unwrap();
    let (mut names, mut open, mut new) = (0, 0, 0);
    let mut seen = std::collections::BTreeSet::new();
    for device in FILE
        .devices
        .values()
        .filter(|d| d.by.iter().any(|b| b == "libdrm"))
    {
        for name in device.names.keys() {
            if seen.insert(name) {
                names += 1;
                let found = find(&format!("AMD {name}"))
                    .expect("a name of libdrm's")
                    .targets();
                assert!(found.contains(target(&device.target.value)), "{name}");
                open += usize::from(found.len() > 1);
                let modern = show(&found).split(' ').all(|t| t >= "gfx9" || t.len() > 6);
                new += usize::from(modern && found.len() == 1);
            }
        }
    }
    println!(
        "libdrm: {names} names, all answered, {open} of them with several targets; {new} of one target from gfx9 on"
    );
    assert!(names >= 250 && open * 10 < names);
    let mut chips = 0;
    for (name, chip) in &FILE.chips {
        let found = find(name).unwrap_or_else(|e| panic!("{e}")).targets();
        for target in std::iter::once(&chip.target)
            .chain(&chip.also)
            .map(|t| target(&t.value))
        {
            chips += 1;
            assert!(found.contains(target), "{name}: {}", show(&found));
            assert_eq!(
                find(&name.replace(' ', "")).map(|f| f.targets().contains(target)),
                Ok(true)
            );
        }
    }
    println!("{chips} chips, all answered");
    let mut unsure = 0;
    for (id, device) in &FILE.devices {
        let target = target(&device.target.value);
        for text in [format!("1002:{id}"), format!("0x{}", id.to_uppercase())] {
            let Ok(Found::Hardware(all)) = find(&text) else {
                panic!("{text}")
            };
            assert!(
                all.iter()
                    .all(|c| c.target == target && c.unsure == device.unsure),
                "{text}"
            );
        }
        unsure += usize::from(device.unsure.is_some());
    }
    println!(
        "{} devices, all answered, {unsure} of them as not sure",
        FILE.devices.len()
    );
    assert!(FILE.devices.len() >= 354);
}

#[test]
fn every_row_names_a_source_of_the_table() {
    let text = include_str!("../../../profiles/products.yaml");
    let all = FILE
        .chips
        .values()
        .chain(FILE.products.values())
        .map(|c| &c.by);
    let all = all
        .chain(FILE.devices.values().map(|d| &d.by))
        .chain(FILE.series.iter().map(|s| &s.by));
    for by in all {
        assert!(
            !by.is_empty() && by.iter().all(|b| FILE.sources.contains_key(b)),
            "{by:?}"
        );
    }
    // Each row is on one line, and no line is longer than a list of names needs.
    assert!(text.lines().all(|line| line.len() < 1800));
}

#[test]
fn what_the_registry_names_means_the_same_here() {
    for (target, p) in &REGISTRY.file().processors {
        for name in &p.products {
            let bare = name.split(" (").next().unwrap();
            let found = find(bare).unwrap_or_else(|e| panic!("{e}")).targets();
            assert!(
                found.contains(REGISTRY.get(target).unwrap()),
                "{name}: {}",
                show(&found)
            );
        }
    }
}

#[test]
fn revisions_tell_names_and_conflicts_are_told() {
    let Ok(Found::Hardware(all)) = find("1002:73ff:c1") else {
        panic!()
    };
    assert_eq!(
        all[0].name,
        "Radeon RX 6600 XT, Navi 23 [Radeon RX 6600/6600 XT/6600M]"
    );
    assert!(all[0].unsure.is_none());
    assert_eq!(answer("1002:73ff:df"), "gfx1031 gfx1032");
    let Ok(Found::Hardware(all)) = find("1002:73a8:00") else {
        panic!()
    };
    assert!(
        all.len() == 2 && all.iter().all(|c| c.unsure.is_some()),
        "{all:?}"
    );
    assert_eq!(
        PRODUCTS
            .reported(REGISTRY.get("gfx909").unwrap())
            .map(|r| REGISTRY.name(r.target)),
        Some("gfx902")
    );
}

#[test]
fn no_text_is_too_strange() {
    for text in [
        "",
        ":",
        "1002:",
        "::::",
        "é002:73ff",
        "1002:73ff:é",
        "0x",
        "AMD",
        "Radeon",
        "x".repeat(100_000).as_str(),
        "[AMD/ATI]",
    ] {
        let _ = find(text);
    }
}
