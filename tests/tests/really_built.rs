//! Builds packages from small stand-ins with upstream's layout: with makepkg, and installs them
//! with pacman; with nix-build; with Portage's `ebuild … merge`. Each build must be configured as
//! planned.

use crate::stack::tree;
use crate::world::World;
use rocpkg::internal::model::{ArgumentValue, EdgeKind, Fetch, Findings, Piece, Propagation, Text};
use rocpkg::internal::resolve::{
    Builds, Choice, ChoiceEffect, Dependency, PassedTargets, Planned, with_version,
};
use rocpkg::{Backend, Stack};
use rocpkg_tests::{ArchWorld, NixTree, Phases};
use std::collections::{BTreeMap, BTreeSet};
use std::{fs, thread};

/// The packages that makepkg builds. They cover archives and a checkout of monorepos, an archive of
/// a repository, replaced patterns, removed files, Arch's own files, and tests that are run. The
/// list that Arch's tool prints is used in full, and without one target.
const BUILT: [&str; 8] = [
    "rocm-core",
    "rocprofiler-register",
    "rocminfo",
    "rocm-cmake",
    "rocr-runtime",
    "rocprim",
    "rocsolver",
    "hipsparse",
];

/// The list that the stand-in for Arch's tool prints.
const PRINTED: [&str; 5] = ["gfx906", "gfx90a", "gfx942", "gfx950", "gfx1100"];

/// The files of stand-ins beside CMakeLists.txt, which recipes install, remove or name.
const FILES: [&str; 8] = [
    "LICENSE",
    "LICENSE.md",
    "LICENSE.txt",
    "License.txt",
    "toolchain-linux.cmake",
    "test/pass/version-norepo.cmake",
    "test/pass/version-parent.cmake",
    "test/pass/doc-sphinxdoxygen.cmake",
];

/// Returns a text of the model with its references replaced by the values in `known`. Returns
/// `None` if a value is missing, since only the build has it.
fn said(text: &Text, known: &BTreeMap<&str, String>) -> Option<String> {
    let piece = |piece: &Piece| match piece {
        Piece::Literal(text) => Some(text.clone()),
        Piece::Reference(name) => known.get(name.as_str()).cloned(),
    };
    text.pieces.iter().map(piece).collect()
}

/// Returns the variables that are passed to CMake by the plan, each with its value if the value is
/// known.
fn planned(
    p: &Planned,
    known: &BTreeMap<&str, String>,
    built: Option<&Builds>,
) -> BTreeMap<String, Option<String>> {
    let switch = |on: bool| Some(if on { "ON" } else { "OFF" }.to_owned());
    let mut out = BTreeMap::new();
    let arguments = p
        .package
        .cmake
        .get("main")
        .into_iter()
        .flat_map(|project| &project.arguments);
    for (name, arguments) in arguments.filter(|(name, _)| !name.starts_with('-')) {
        for one in arguments
            .0
            .iter()
            .filter(|one| p.settles(one.when.as_ref()))
        {
            let value = match &one.value {
                ArgumentValue::Bool(on) => switch(*on),
                ArgumentValue::When(when) => switch(p.settles(Some(when))),
                ArgumentValue::Text(text) => said(text, known),
                ArgumentValue::Choice(when, yes, no) => {
                    said(if p.settles(Some(when)) { yes } else { no }, known)
                }
                ArgumentValue::Bare => continue,
            };
            out.insert(name.clone(), value);
        }
    }
    for variable in built.iter().flat_map(|built| &built.variables) {
        let list: Vec<&str> = match built.map(|built| (&built.asked, &built.unasked)) {
            Some((ChoiceEffect::Passed { within, .. }, _)) => {
                assert!(
                    within
                        .as_ref()
                        .is_none_or(|w| w.iter().any(|t| t == NARROWED)),
                    "{}",
                    p.id
                );
                vec![NARROWED]
            }
            Some((_, PassedTargets::Tool { without, .. })) => PRINTED
                .into_iter()
                .filter(|t| !without.iter().any(|w| w == t))
                .collect(),
            Some((_, PassedTargets::List(list))) => list.iter().map(String::as_str).collect(),
            _ => continue,
        };
        out.insert(variable.clone(), Some(list.join(";")));
    }
    out
}

/// Compares the variables that CMake received with the plan. Returns the number of values that were
/// compared.
fn compare(name: &str, asked: &str, planned: &BTreeMap<String, Option<String>>) -> usize {
    let asked: BTreeMap<&str, &str> = asked
        .lines()
        .filter_map(|line| line.split_once('='))
        .collect();
    assert!(
        asked.contains_key("CMAKE_INSTALL_PREFIX"),
        "{name}: {asked:?}"
    );
    let mut compared = 0;
    for (key, value) in planned {
        let found = asked
            .get(key.as_str())
            .unwrap_or_else(|| panic!("{name}: no {key} in {asked:?}"));
        if let Some(value) = value {
            // Gentoo's eclass ends each element of a list with a semicolon.
            assert_eq!(
                found.trim().trim_end_matches(';'),
                value.trim(),
                "{name}: {key}"
            );
            compared += 1;
        }
    }
    let unplanned = |key: &&&str| !key.starts_with("CMAKE_") && !planned.contains_key(**key);
    assert_eq!(asked.keys().find(unplanned), None, "{name}");
    compared
}

#[test]
fn eight_packages_are_built_installed_and_configured_as_planned() {
    let stack = Stack::shipped().unwrap();
    let plan = stack.plan(Backend::Arch, &Choice::Shipped).unwrap();
    let tool = plan.distro.target_tool.as_ref().unwrap();
    let builds = stack
        .recipes(Backend::Arch, &plan, &mut Findings::default())
        .unwrap()
        .builds;
    let world = ArchWorld::new(&tool.command.value);
    let packages: Vec<&Planned> = BUILT.iter().map(|id| plan.get(id).unwrap()).collect();
    let mut outside = BTreeSet::new();
    for p in &packages {
        let info = fs::read_to_string(tree("arch").join(&p.name).join(".SRCINFO")).unwrap();
        let sources = info
            .lines()
            .filter_map(|line| line.strip_prefix("\tsource = "));
        for (s, written) in p.fetched().zip(sources) {
            let path = s.path.clone().unwrap_or_default();
            if matches!(s.fetch, Fetch::Git | Fetch::Tree) {
                let repository = format!("{}%{}", s.owner, s.repository);
                let tag = with_version(&s.tag, &s.version);
                let repository = if written.contains(".git#") {
                    format!("{repository}.git")
                } else {
                    repository
                };
                world.project(&format!("{repository}@{tag}"), &path, &FILES);
            } else {
                let archive = written.split("::").next().unwrap();
                let folder = with_version(&s.archive_folder(), &s.version);
                world.project(archive, &format!("{folder}/{path}"), &FILES);
            }
        }
        // The recipe's own names of external packages.
        outside.extend(
            info.lines()
                .filter_map(|l| l.strip_prefix("\tdepends = "))
                .map(str::to_owned),
        );
        for e in p
            .depends
            .iter()
            .filter(|e| e.edge.kind.0.iter().any(|k| *k != EdgeKind::Optional))
        {
            if let Dependency::External(name) = &e.to {
                outside.insert(name.clone());
            }
        }
    }
    for p in &packages {
        outside.remove(&p.name);
    }
    world.pack();
    thread::scope(|s| {
        let build = |p: &Planned| {
            let folder = tree("arch").join(&p.name);
            let world = &world;
            s.spawn(move || {
                world
                    .makepkg(&folder)
                    .unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
            })
        };
        let running: Vec<_> = packages.iter().map(|p| build(p)).collect();
        for one in running {
            one.join().unwrap();
        }
    });
    let outside: Vec<String> = outside.into_iter().collect();
    world.install(&outside).unwrap_or_else(|e| panic!("{e}"));
    let mut compared = 0;
    for p in &packages {
        assert_eq!(
            world.query(&[&p.name]).unwrap().split_whitespace().next(),
            Some(p.name.as_str())
        );
        let owned = world.query(&["--list", "--quiet", &p.name]).unwrap();
        assert!(
            owned.lines().any(|l| l.contains("/usr/share/licenses/")),
            "{}: {owned}",
            p.name
        );
        let asked: Vec<&str> = owned
            .lines()
            .filter(|l| l.contains("/share/asked/") && !l.ends_with('/'))
            .collect();
        let [asked] = asked.as_slice() else {
            panic!("{}: {owned}", p.name)
        };
        let asked = asked
            .split_once("/installed")
            .map_or(*asked, |(_, rest)| rest);
        let asked = fs::read_to_string(world.installed(asked)).unwrap();
        // The configuration of makepkg sets no compiler flags.
        let known = [
            ("version", p.version.to_string()),
            ("prefix", "/opt/rocm".into()),
            ("CXXFLAGS", String::new()),
        ];
        compared += compare(
            &p.name,
            &asked,
            &planned(p, &known.into(), builds.get(&p.id)),
        );
    }
    assert!(compared >= 16, "{compared}");
    assert!(world.has_built("rocm-cmake/src/build/checked"));
}

/// The GPU target of the builds by Nix and Portage.
const NARROWED: &str = "gfx1100";

/// The packages that Nix builds. Some depend on others of the list.
const BY_NIX: [&str; 6] = [
    "rocm-cmake",
    "rocminfo",
    "rocprim",
    "hipcub",
    "rocthrust",
    "rocrand",
];

#[test]
fn six_packages_are_built_by_nix_and_configured_as_planned() {
    let stack = Stack::shipped().unwrap();
    let plan = stack.plan(Backend::Nix, &Choice::Shipped).unwrap();
    let builds = stack
        .recipes(Backend::Nix, &plan, &mut Findings::default())
        .unwrap()
        .builds;
    let packages = BY_NIX.iter().map(|id| plan.get(id).unwrap());
    let project = |p: &Planned| {
        let path = p.sources[0].path.clone().unwrap_or_default();
        (p.name.clone(), path)
    };
    let nix = NixTree::with_own_externals(&tree("nix"));
    let files = ["rocm_agent_enumerator", "rocminfo.cc"];
    let folders = nix
        .build(NARROWED, &packages.clone().map(project).collect(), &files)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut compared = 0;
    for p in packages {
        let asked: Vec<_> = fs::read_dir(folders[&p.name].join("share/asked"))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let [asked] = asked.as_slice() else {
            panic!("{}: {asked:?}", p.name)
        };
        let asked = fs::read_to_string(asked.path()).unwrap();
        let known = [
            ("version", p.version.to_string()),
            ("clr", "/store/clr".into()),
        ];
        compared += compare(
            &p.name,
            &asked,
            &planned(p, &known.into(), builds.get(&p.id)),
        );
    }
    assert!(compared >= 9, "{compared}");
}

/// The packages that Portage builds: with device code and without, from assets of a monorepo and
/// archives of repositories, with replaced files.
const BY_PORTAGE: [&str; 10] = [
    "rocsolver",
    "rocm-cmake",
    "hipfft",
    "rocprim",
    "rocthrust",
    "hipcub",
    "rocrand",
    "hiprand",
    "rocsparse",
    "hipsparse",
];

/// The files of stand-ins that Gentoo's recipes change or install.
const CHANGED: [&str; 9] = [
    "README.md",
    "CHANGELOG.md",
    "LICENSE",
    "share/rocmcmakebuildtools/cmake/ROCMCreatePackage.cmake",
    "share/rocmcmakebuildtools/cmake/ROCMInstallTargets.cmake",
    "cmake/ROCMExportTargetsHeaderOnly.cmake",
    "clients/benchmarks/CMakeLists.txt",
    "clients/tests/CMakeLists.txt",
    "library/CMakeLists.txt",
];

#[test]
fn ten_packages_are_merged_by_portage_and_configured_as_planned() {
    let world = World::new(Propagation::None);
    let stack = Stack::shipped().unwrap();
    let builds = stack
        .recipes(Backend::Gentoo, &world.plan, &mut Findings::default())
        .unwrap()
        .builds;
    let packages: Vec<_> = BY_PORTAGE
        .iter()
        .map(|id| world.packages().find(|(p, _)| p.id == **id).unwrap())
        .collect();
    let questions: Vec<Phases> = packages
        .iter()
        .map(|(_, member)| Phases {
            cpv: member.package.cpv.to_string(),
            flags: vec![],
            targets: vec![NARROWED.to_owned()],
            test: false,
        })
        .collect();
    let mut compared = 0;
    for ((p, _), merged) in packages
        .iter()
        .zip(world.portage.merge_each(&questions, &CHANGED))
    {
        assert!(merged.passed, "{}: {}", p.id, merged.output);
        // The last folder of the project's path, or the folder of an archive that contains only
        // this project.
        let of_archive = with_version(&p.sources[0].archive_folder(), &p.version);
        let folder = p.sources[0]
            .path
            .as_deref()
            .and_then(|path| path.rsplit('/').next())
            .unwrap_or(&of_archive);
        let path = world.portage.merged(&format!("usr/share/asked/{folder}"));
        let asked = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let known = [("version", p.version.to_string())];
        compared += compare(&p.id, &asked, &planned(p, &known.into(), builds.get(&p.id)));
    }
    assert!(compared >= 16, "{compared}");
}
