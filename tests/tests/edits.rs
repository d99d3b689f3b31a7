//! Existing recipes are edited: their manual edits are kept in each move between two releases.

use crate::read_back::{UNKNOWN_SUM, beside};
use crate::stack::tree_at;
use rocpkg::internal::edit::{Checks, ItemConflict, merge3};
use rocpkg::internal::resolve::Choice;
use rocpkg::internal::syntax::{Node, Outline};
use rocpkg::{Backend, Options, Stack, Tree};
use rocpkg_tests::{GentooWorld, copy_tree, sample, write_file};
use std::collections::BTreeSet;

/// Releases of the model, in their order.
const RELEASES: [&str; 7] = [
    "6.4.4", "7.0.2", "7.1.1", "7.2.0", "7.2.3", "7.2.4", "10.0.0",
];

/// Renders the recipes of a distribution at a release, whether or not there are findings.
fn recipes(stack: &Stack, backend: Backend, release: &str) -> Tree {
    let choices = vec![Choice::Release(release.parse().unwrap())];
    let options = Options {
        backends: vec![backend],
        choices,
        ..Options::everything()
    };
    stack.attempt(&options).unwrap().0
}

/// A generator of pseudo-random numbers, which are the same in each run.
struct Random(u64);

impl Random {
    /// Returns a number below `most`.
    fn below(&mut self, most: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// A recipe with a maintainer's manual edits, and the lines that the maintainer added.
struct Edited {
    text: String,
    own: Vec<String>,
}

/// Edits a recipe as a maintainer might: changes quotes and order, and adds comments and items.
fn by_hand(backend: Backend, text: &str, random: &mut Random) -> Edited {
    let mut lines: Vec<String> = Vec::new();
    let mut own = Vec::new();
    let mut add = |lines: &mut Vec<String>, line: String| {
        own.push(line.clone());
        lines.push(line);
    };
    let is_bash = matches!(backend, Backend::Gentoo | Backend::Arch);
    let mut count = 0;
    let mut in_list = false;
    for line in text.lines() {
        in_list = !line.trim().starts_with(']') && (in_list || line.ends_with('['));
        let (indent, word) = line.split_at(line.len() - line.trim_start().len());
        let name = |s: &str| {
            !s.is_empty()
                && s.bytes()
                    .all(|c| c.is_ascii_alphanumeric() || b"-_+".contains(&c))
        };
        let is_start =
            indent.is_empty() && word.contains('=') && name(word.split('=').next().unwrap());
        if is_bash && is_start && random.below(8) == 0 {
            count += 1;
            add(&mut lines, format!("# own remark {count}"));
        }
        let bare = word.trim_matches(['\'', '"']);
        // Checksums are in the order of their sources, so they are not reordered.
        let is_element = is_bash
            && word.len() == bare.len() + 2
            && name(bare)
            && bare.len() < 40
            && bare != "SKIP";
        if is_element && random.below(2) == 0 {
            lines.push(format!("{indent}\"{bare}\""));
        } else {
            lines.push(line.to_owned());
        }
        if is_element && lines.len() > 1 && random.below(4) == 0 {
            let last = lines.len() - 1;
            let above = lines[last - 1].trim();
            if above.len() > 2 && name(&above[1..above.len() - 1]) && !own_line(above) {
                lines.swap(last, last - 1);
            }
        }
        count += 1;
        if is_bash
            && word.starts_with("-D")
            && !word.ends_with('\\')
            && !word.contains(['(', '"'])
            && random.below(4) == 0
        {
            add(&mut lines, format!("{indent}-DOWN_{count}=ON"));
        } else if is_element && random.below(5) == 0 {
            add(&mut lines, format!("{indent}'own-{count}'"));
        } else if backend == Backend::Nix
            && in_list
            && indent == "    "
            && name(word)
            && random.below(3) == 0
        {
            add(&mut lines, format!("{indent}\"own-{count}\""));
        } else if backend == Backend::Nix
            && indent == "  "
            && word.starts_with("pname = ")
            && word.ends_with(';')
        {
            add(
                &mut lines,
                format!("{indent}ownAttribute{count} = \"own\";"),
            );
        } else if backend == Backend::Nix && indent == "  " && word == "lib," {
            add(&mut lines, format!("{indent}own{count},"));
        } else if backend == Backend::Solus
            && word.strip_prefix("- ").is_some_and(name)
            && random.below(3) == 0
        {
            add(&mut lines, format!("{indent}- own-{count}"));
        }
    }
    if is_bash {
        lines.push(String::new());
        add(&mut lines, "own_step() {".to_owned());
        add(&mut lines, "\techo own".to_owned());
        lines.push("}".to_owned());
    }
    Edited {
        text: lines.join("\n") + "\n",
        own,
    }
}

fn own_line(line: &str) -> bool {
    line.contains("own-")
}

/// Returns the contents of an outline: each innermost item with its path and its value, without the
/// maintainer's own items.
fn said(outline: &Outline) -> BTreeSet<String> {
    fn walk(node: &Node, path: &str, out: &mut BTreeSet<String>) {
        // Nix merges two bindings of one set, so the number that distinguishes them is left out.
        let key = node.key.real.split(" #").next().unwrap_or_default();
        let path = format!("{path} / {key}");
        match &node.body {
            Some(body) => body.nodes.iter().for_each(|inner| walk(inner, &path, out)),
            None => _ = out.insert(format!("{path} = {}", node.value.real)),
        }
    }
    let mut out = BTreeSet::new();
    outline
        .root
        .nodes
        .iter()
        .for_each(|node| walk(node, "", &mut out));
    out.retain(|line| !["own", "OWN_"].iter().any(|own| line.contains(own)));
    out
}

/// Edits each recipe of a distribution by hand, and moves it from each release to its neighbours.
/// Calls `look` with the path, the edited recipe, the merged text, and the new rendering.
fn each(backend: Backend, mut look: impl FnMut(&str, &Edited, &str, &str)) {
    let mut faults = Vec::new();
    let stack = Stack::shipped().unwrap();
    let trees: Vec<Tree> = RELEASES
        .iter()
        .map(|release| recipes(&stack, backend, release))
        .collect();
    let mut random = Random(7);
    let pairs = (1..RELEASES.len()).flat_map(|i| [(i - 1, i), (i, i - 1)]);
    let mut moves = Vec::new();
    for (from, to) in pairs {
        let plan = stack.plans(
            &[backend],
            &Choice::Release(RELEASES[to].parse().unwrap()),
            &[],
        );
        let Ok((plans, _)) = plan else { continue };
        for package in &plans[0].packages {
            let one = |tree: &Tree| -> Option<(String, String)> {
                let mut all = tree.recipes_of(backend.distro(), &package.id);
                all.find(|(path, _)| !path.ends_with("deps.nix"))
                    .map(|(p, t)| (p.to_owned(), t.to_owned()))
            };
            if let (Some(old), Some(new)) = (one(&trees[from]), one(&trees[to])) {
                moves.push((from, to, old, new));
            }
        }
    }
    assert!(moves.len() > 300, "{}", moves.len());
    let name = format!("moves of recipes of {}", backend.distro());
    for (from, to, (old, before), (new, after)) in sample(&name, 50, moves) {
        let read = |path: &str, text: &str| match backend.reading(path).read(text) {
            Ok(outline) => outline,
            Err(e) => panic!(
                "{path}: {}: {:?}",
                e.reason,
                &text[e.at..text.len().min(e.at + 60)]
            ),
        };
        let edited = by_hand(backend, &before, &mut random);
        let (there, before, after) = (
            read(&old, &edited.text),
            read(&old, &before),
            read(&new, &after),
        );
        let (was, is) = (beside(&trees[from], &old), beside(&trees[to], &new));
        let check = |text: &str| {
            let mut checked = backend.check(text, &is);
            // Unknown checksums are reported with the tree.
            checked.faults.retain(|f| f.finding.code != UNKNOWN_SUM);
            checked
        };
        let checks = Checks {
            before: &backend.check(&edited.text, &was),
            check: &check,
            old_values: &|text| backend.values(text, &was),
            values: &|text| backend.values(text, &is),
            commands: &|text| backend.commands(text, &new),
        };
        let carried = merge3(&there, &before, &after, checks);
        let what = format!("{new} from {} to {}", RELEASES[from], RELEASES[to]);
        // A function that contains manual edits is left unchanged, and a flag that the edits use
        // stays.
        let (kept, left): (Vec<_>, Vec<_>) = carried.conflicts.iter().partition(|left| {
            let is_kept = |there: &String| {
                there.contains("OWN_") || carried.text.contains(&format!("use {there};"))
            };
            // An eclass that such a function needs stays with it. A lost comment is reported.
            left.path == ["comment"]
                || left.after.is_none()
                    && (left.reason.is_some() || left.existing.as_ref().is_some_and(is_kept))
        });
        let mut wrong: Vec<String> = left.iter().map(|left| format!("left: {left:?}")).collect();
        let is_kept = |line: &str| {
            kept.iter()
                .any(|left| line.starts_with(&format!(" / {} / ", left.path[0])))
        };
        for line in &edited.own {
            let is_there = |text: &str| text.lines().any(|l| l == line);
            // A comment that is removed together with its item is reported.
            let told = |left: &ItemConflict| left.existing.as_deref() == Some(line.trim());
            let goes = line.trim().starts_with('#') && carried.conflicts.iter().any(told);
            if !is_there(&carried.text) && !goes {
                wrong.push(format!("gone: {line}"));
            }
        }
        let result = read(&new, &carried.text);
        let (ours, model) = (said(&result), said(&after));
        let lacks: Vec<_> = model.difference(&ours).collect();
        let more: Vec<_> = ours.difference(&model).collect();
        wrong.extend(lacks.iter().map(|line| format!("lacks: {line}")));
        wrong.extend(
            more.iter()
                .filter(|line| !is_kept(line))
                .map(|line| format!("more: {line}")),
        );
        // The merge adds no contradiction.
        let read_back = check(&carried.text);
        wrong.extend(
            read_back
                .since(checks.before)
                .iter()
                .map(|fault| format!("contradiction: {:?}", fault.finding)),
        );
        // A second merge changes nothing.
        let again = merge3(&result, &before, &after, checks).text;
        if again != carried.text {
            wrong.push(format!(
                "twice is not once:\n{}",
                difference(&carried.text, &again)
            ));
        }
        if !wrong.is_empty() {
            faults.push(format!("{what}: {wrong:#?}"));
        }
        look(&new, &edited, &carried.text, &after.text);
    }
    assert!(
        faults.is_empty(),
        "{} moves are wrong:\n{}",
        faults.len(),
        faults.join("\n")
    );
}

/// Returns the lines that only one of two texts contains, each with `-` or `+` in front.
fn difference(one: &str, other: &str) -> String {
    let alone = |a: &str, b: &str, sign: char| -> String {
        a.lines()
            .filter(|l| !b.lines().any(|m| m == *l))
            .map(|l| format!("{sign}{l}\n"))
            .collect()
    };
    alone(one, other, '-') + &alone(other, one, '+')
}

#[test]
fn edits_of_ebuilds_live_through_each_move_and_portage_reads_them() {
    let mut seen = Vec::new();
    each(Backend::Gentoo, |path, _, ours, _| {
        seen.push((path.to_owned(), ours.to_owned()));
    });
    let release = "7.2.4";
    let repository = tempfile::tempdir().unwrap();
    copy_tree(&tree_at(release, "gentoo"), repository.path());
    let mut count = 0;
    for (path, text) in seen {
        let place = path.strip_prefix("gentoo/").unwrap();
        if place.contains(&format!("-{release}.")) && repository.path().join(place).is_file() {
            write_file(repository.path().join(place), text);
            count += 1;
        }
    }
    assert!(count > 5, "{count}");
    // `egencache` refuses ebuilds that Portage can't read.
    let world = GentooWorld::with_own_externals(repository.path());
    assert!(world.egencache().len() > 40);
}

#[test]
fn edits_of_pkgbuilds_live_through_each_move_and_bash_reads_both() {
    let script = |text: &str| {
        let names = "pkgname pkgver url depends makedepends optdepends source options license";
        let shown = format!(
            "for n in {names}; do declare -n v=$n; for e in \"${{v[@]}}\"; do echo \"$n $e\"; done; done | sort"
        );
        let out = rocpkg_programs::command("bash")
            .args(["-c", &format!("{text}\n{shown}")])
            .output()
            .unwrap();
        assert!(
            out.status.success(),
            "{}\n{text}",
            String::from_utf8_lossy(&out.stderr)
        );
        // GitHub serves the same archive at both addresses.
        String::from_utf8(out.stdout)
            .unwrap()
            .replace("/archive/refs/tags/", "/archive/")
    };
    let mut seen = 0;
    each(Backend::Arch, |path, edited, ours, model| {
        seen += 1;
        if seen % 7 != 0 {
            return;
        }
        let read: BTreeSet<String> = script(ours).lines().map(str::to_owned).collect();
        let asked: BTreeSet<String> = script(model).lines().map(str::to_owned).collect();
        let own: Vec<&String> = read.difference(&asked).collect();
        let lacks: Vec<&String> = asked.difference(&read).collect();
        assert!(
            lacks.is_empty() && own.iter().all(|l| l.contains("own-")),
            "{path}: {lacks:?} {own:?}"
        );
        let added = script(&edited.text);
        let gone: Vec<&str> = added
            .lines()
            .filter(|l| own_line(l) && !read.contains(*l))
            .collect();
        assert!(gone.is_empty(), "{path}: {gone:?}");
    });
}

#[test]
fn edits_of_expressions_live_through_each_move_and_nix_reads_both() {
    let folder = tempfile::tempdir().unwrap();
    let mut seen = 0;
    each(Backend::Nix, |path, _, ours, _| {
        seen += 1;
        if seen % 11 == 0 {
            let file = folder.path().join("it.nix");
            write_file(&file, ours);
            let out = rocpkg_programs::command("nix-instantiate")
                .arg("--parse")
                .arg(&file)
                .output()
                .unwrap();
            assert!(
                out.status.success(),
                "{path}: {}\n{ours}",
                String::from_utf8_lossy(&out.stderr)
            );
        }
    });
}

#[test]
fn edits_of_solus_recipes_live_through_each_move() {
    each(Backend::Solus, |_, _, _, _| {});
}

#[test]
fn what_is_the_same_in_two_renderings_stays_whatever_it_says() {
    let stack = Stack::shipped().unwrap();
    for backend in Backend::ALL {
        let (old, new) = (
            recipes(&stack, backend, "7.1.1"),
            recipes(&stack, backend, "7.2.4"),
        );
        for package in &stack.plan(backend, &Choice::Shipped).unwrap().packages {
            for (path, text) in old.recipes_of(backend.distro(), &package.id) {
                let read = |text: &str| backend.reading(path).read(text).unwrap();
                let (x, z) = (
                    read(text),
                    read(&by_hand(backend, text, &mut Random(3)).text),
                );
                assert_eq!(merge3(&z, &x, &x, Checks::NONE).text, z.text, "{path}");
            }
            for (path, text) in new.recipes_of(backend.distro(), &package.id) {
                let Some((from, before)) = old.recipes_of(backend.distro(), &package.id).next()
                else {
                    continue;
                };
                let (x, y) = (
                    backend.reading(from).read(before).unwrap(),
                    backend.reading(path).read(text).unwrap(),
                );
                assert_eq!(merge3(&x, &x, &y, Checks::NONE).text, y.text, "{path}");
                let again = merge3(&y, &x, &y, Checks::NONE).text;
                assert!(again == y.text, "{path}:\n{}", difference(&y.text, &again));
            }
        }
    }
}
