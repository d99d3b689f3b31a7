//! The GPU targets that bash passes to upstream's build are those of the proof: for each package of
//! Gentoo, Arch and Solus, and for each set of targets. If a recipe is changed, the difference is
//! detected.

use rocpkg::core::Listed;
use rocpkg::internal::model::{Findings, Node, parse};
use rocpkg::internal::resolve::{Built, Choice, Plan, Planned, Proof};
use rocpkg::internal::targets::{Registry, TargetSet};
use rocpkg::solus::{Step, expand, is_macro};
use rocpkg::{Backend, Options};
use rocpkg_tests::{
    EbuildText, Given, Rendered, ebuild_targets, laid, package_targets, pkgbuild_targets, rendered,
};
use std::collections::BTreeSet;

/// The list that Arch's tool prints in these tests. The list of the real tool is not known.
const PRINTED: [&str; 9] = [
    "gfx906", "gfx908", "gfx90a", "gfx942", "gfx950", "gfx1010", "gfx1030", "gfx1100", "gfx1201",
];

/// The shipped model as one distribution renders it.
struct World {
    made: Rendered,
    plan: Plan,
    backend: Backend,
}

impl World {
    fn new(backend: Backend) -> Self {
        Self::with(backend, &[])
    }

    /// Renders the shipped model with files merged over it.
    fn with(backend: Backend, over: &[(&str, &str)]) -> Self {
        let (model, findings) = laid(over);
        let plan = Plan::new(
            &model,
            backend.distro(),
            &Choice::Shipped,
            &mut Findings::default(),
        )
        .unwrap();
        let options = Options {
            backends: vec![backend],
            ..Options::everything()
        };
        Self {
            made: rendered((model, findings), &options).sound(),
            plan,
            backend,
        }
    }

    fn registry(&self) -> &Registry {
        self.made.stack.model().registry.as_ref().unwrap()
    }

    fn proof(&self) -> &Proof {
        &self
            .made
            .tree
            .proofs
            .iter()
            .find(|(b, _)| *b == self.backend)
            .unwrap()
            .1
    }

    /// Returns each package with device code, and its targets in the proof.
    fn packages(&self) -> Vec<(&Planned, &Built)> {
        let all = self.plan.packages.iter().filter(|p| p.targets.is_some());
        all.filter_map(|p| Some((p, self.proof().built.get(&p.id)?)))
            .collect()
    }

    fn text(&self, path: &str) -> String {
        self.made.text(path)
    }

    /// Returns the path of a package's recipe.
    fn recipe(&self, p: &Planned) -> String {
        let folder = format!("/{}/", p.name);
        let wanted = |path: &&str| match self.backend {
            Backend::Gentoo => path.contains(&folder) && path.ends_with(".ebuild"),
            Backend::Solus => **path == format!("solus/{}/package.yml", p.name),
            _ => **path == format!("arch/{}/PKGBUILD", p.name),
        };
        let mut all = self.made.tree.files.iter().map(|(path, _)| path.as_str());
        all.find(wanted)
            .unwrap_or_else(|| panic!("no recipe of {}", p.id))
            .to_owned()
    }

    fn names(&self, set: &TargetSet) -> BTreeSet<String> {
        set.iter()
            .map(|t| self.registry().name(t).to_owned())
            .collect()
    }

    /// Returns the targets of the proof and the targets that bash passes with the recipe `text`,
    /// for each set of targets.
    fn compare(
        &self,
        p: &Planned,
        built: &Built,
        text: &str,
        all: &[String],
    ) -> Vec<(String, Given, Given)> {
        let variables = variables(p);
        if self.backend == Backend::Gentoo {
            let path = self.recipe(p);
            let name = path.rsplit('/').next().unwrap().trim_end_matches(".ebuild");
            let eclass = self.text("gentoo/eclass/rocm.eclass");
            let sets: Vec<Option<Vec<String>>> = std::iter::once(None)
                .chain(all.iter().map(|t| Some(vec![t.clone()])))
                .collect();
            let found = ebuild_targets(
                EbuildText {
                    ebuild: text,
                    name,
                    eclass: &eclass,
                },
                &variables,
                &sets,
            );
            let expected = sets.iter().map(|set| match set {
                _ if !built.passes => self.fixed(built, &[]),
                None => Given::Targets(self.names(built.default.set().unwrap())),
                Some(chosen) => {
                    let chosen: TargetSet = chosen
                        .iter()
                        .filter_map(|n| self.registry().get(n))
                        .collect();
                    let passed = built.coverage.follows.union(&built.in_vain);
                    let built = chosen.intersection(passed).union(&built.coverage.always);
                    Given::Targets(self.names(&built))
                }
            });
            let shown = sets.iter().map(|s| {
                s.as_ref()
                    .map_or_else(|| "default".to_owned(), |l| l.join(" "))
            });
            return shown
                .zip(expected)
                .zip(found)
                .map(|((s, e), f)| (s, e, f))
                .collect();
        }
        let tool = self.plan.distro.target_tool.as_ref().unwrap();
        if self.backend == Backend::Solus {
            let list: Vec<&str> = tool.list.iter().map(|t| t.value.as_str()).collect();
            let steps = steps(text, &tool.command.value, &list.join(";"));
            let found = package_targets(&steps, &variables);
            return vec![(list.join(" "), self.fixed(built, &[]), found)];
        }
        let printed = || PRINTED.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>();
        let lists: Vec<Vec<String>> = std::iter::once(printed())
            .chain(all.iter().map(|t| vec![t.clone()]))
            .collect();
        let tool = (
            tool.command.value.as_str(),
            tool.exclude.as_ref().unwrap().value.as_str(),
        );
        let found = pkgbuild_targets(text, tool, &variables, &lists, &[]);
        let expected: Vec<Given> = lists.iter().map(|l| self.fixed(built, l)).collect();
        let shown = lists.iter().map(|l| l.join(" "));
        shown
            .zip(expected)
            .zip(found)
            .map(|((s, e), f)| (s, e, f))
            .collect()
    }

    /// Returns the targets that are passed whatever the user chooses, if the tool prints the list
    /// `printed`.
    fn fixed(&self, built: &Built, printed: &[String]) -> Given {
        match &built.default {
            _ if !built.given => Given::Nothing,
            Listed::Set(set) => Given::Targets(self.names(set)),
            Listed::Printed { without, .. } => {
                let all: TargetSet = printed
                    .iter()
                    .filter_map(|n| self.registry().get(n))
                    .collect();
                Given::Targets(self.names(&all.difference(without)))
            }
            Listed::Unknown(_) => Given::Nothing,
        }
    }

    /// Compares all packages. Returns the number of packages, the number of sets, and the
    /// differences.
    fn all(&self) -> (usize, usize, Vec<String>) {
        let mut wrong = Vec::new();
        let mut sets = 0;
        let packages = self.packages();
        let every: Vec<String> = self
            .registry()
            .all()
            .iter()
            .map(|t| self.registry().name(t).to_owned())
            .collect();
        for (p, built) in &packages {
            let text = self.text(&self.recipe(p));
            for (set, expected, found) in self.compare(p, built, &text, &every) {
                sets += 1;
                if expected != found {
                    wrong.push(format!(
                        "{} for {set}: the proof has {expected:?}, bash gives {found:?}",
                        p.id
                    ));
                }
            }
        }
        (packages.len(), sets, wrong)
    }

    /// Applies each mutant to each recipe. Returns the number of recipes that each mutant changes,
    /// and the changes that no comparison detects.
    fn survivors(&self, mutants: &[(&str, &str)]) -> (Vec<usize>, Vec<String>) {
        let mut made = vec![0; mutants.len()];
        let mut out = Vec::new();
        let some = ["gfx803", "gfx906", "gfx90a", "gfx1010", "gfx1100"].map(str::to_owned);
        // A recipe that passes no targets can't pass wrong ones.
        for (p, built) in self
            .packages()
            .into_iter()
            .filter(|(_, built)| built.given || built.passes)
        {
            let text = self.text(&self.recipe(p));
            for ((from, to), made) in mutants.iter().zip(&mut made) {
                // All places are changed, since tests that are a project of their own receive the
                // list, too.
                let changed = text.replace(from, to);
                if changed == text {
                    continue;
                }
                // CMake's own variable would still pass the same list.
                let changed = changed.replace(
                    "CMAKE_HIP_ARCHITECTURES=\"$(",
                    "CMAKE_HIP_ARCHITECTURE=\"$(",
                );
                *made += 1;
                if self
                    .compare(p, built, &changed, &some)
                    .iter()
                    .all(|(_, expected, found)| expected == found)
                {
                    out.push(format!("{}: `{from}` as `{to}`", p.id));
                }
            }
        }
        (made, out)
    }
}

/// Returns the scripts of a package.yml as ypkg passes them to bash. A macro that stands for a
/// command is not expanded: it becomes a word that begins with `@`.
fn steps(text: &str, tool: &str, list: &str) -> Vec<(&'static str, String)> {
    let read = parse(0, text, &mut Findings::default()).unwrap();
    let value = |written: &str| {
        let name = written.trim_matches('%');
        if written == tool {
            return Some(list.to_owned());
        }
        is_macro(written).then(|| match written.ends_with('%') {
            true if name.ends_with("JOBS") => "8".to_owned(),
            true => name.to_owned(),
            false => format!("@{name}"),
        })
    };
    let script = |step: Step| {
        let script = read.get(step.name()).and_then(Node::text)?;
        let lines: Vec<String> = script.lines().map(|line| expand(line, &value).0).collect();
        Some((step.name(), lines.join("\n")))
    };
    Step::ALL.into_iter().filter_map(script).collect()
}

fn variables(p: &Planned) -> Vec<String> {
    let written = p
        .package
        .targets
        .iter()
        .flat_map(|t| &t.variable.0)
        .map(|v| v.value.clone());
    let mut out: Vec<String> = written.chain(p.known_variables.keys().cloned()).collect();
    // Upstream's builds read these variables, whether or not the model names them.
    out.extend(["GPU_TARGETS", "AMDGPU_TARGETS", "GPU_ARCHS"].map(str::to_owned));
    out.sort();
    out.dedup();
    out
}

#[test]
fn bash_gives_the_build_what_the_proof_has() {
    for backend in [Backend::Gentoo, Backend::Arch] {
        let (packages, sets, wrong) = World::new(backend).all();
        println!(
            "{}: {packages} packages, {sets} packages x sets, {} differ",
            backend.distro(),
            wrong.len()
        );
        assert!(
            packages >= 10 && sets >= packages * 20,
            "{packages} packages, {sets} sets"
        );
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
}

/// ypkg replaces a macro by its list of targets. Whichever list that is, bash passes the targets of
/// the proof.
#[test]
fn bash_gives_solus_builds_what_the_proof_has() {
    let lists = [
        "",
        "gfx1100",
        "gfx906, gfx1030",
        "gfx900, gfx1010, gfx1030, gfx1100, gfx1103, gfx1201",
    ];
    let mut sum = 0;
    for list in lists {
        let layer = format!("target-tool: {{list: [{list}]}}\n");
        let layer = [("distros/solus.yaml", layer.as_str())];
        let world = World::with(Backend::Solus, if list.is_empty() { &[] } else { &layer });
        let (packages, sets, wrong) = world.all();
        sum += sets;
        assert!(packages >= 8, "{packages} packages");
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    }
    println!("solus: {sum} packages x lists of ypkg, 0 differ");
}

#[test]
fn a_recipe_that_was_changed_is_caught() {
    let ebuilds = [
        ("TARGETS=\"$(get_amdgpu_flags)\"", "TARGETS=\"gfx90a\""),
        ("GPU_TARGETS=", "GPU_TARGET="),
        ("targets=\"$(get_amdgpu_flags)\"", "targets=\"\""),
        ("ROCM_SKIP_GLOBALS=1", "ROCM_VERSION=6.0.0"),
        ("\nROCM_VERSION=${PV}", "\nROCM_VERSION=\"5.0.0\""),
    ];
    let pkgbuilds = [
        ("$(rocm-supported-gfx", "$(rocm-supported-gfx -e gfx906"),
        (" -e gfx950", ""),
        ("GPU_TARGETS=", "GPU_TARGET="),
        ("gfx908;", ""),
        ("GPU_ARCHS=", "GPU_ARCH="),
    ];
    let packages = [
        // ypkg stops at a misspelt macro, so it leaves the macro and the rest of the line as they
        // are.
        (
            "-DGPU_TARGETS=\"%AMDGPUTARGETS%",
            "-DGPU_TARGETS=\"%AMDGPU_TARGETS%",
        ),
        (
            "-DAMDGPU_TARGETS=\"%AMDGPUTARGETS%",
            "-DAMDGPU_TARGETS=\"%AMDGPU_TARGETS%",
        ),
        ("-DGPU_TARGETS=\"%", "-DGPU_TARGETS=\"%m;%"),
        (
            "-DGPU_TARGETS=\"%AMDGPUTARGETS%;",
            "-DGPU_TARGET=\"%AMDGPUTARGETS%;",
        ),
        (";gfx1153\"", "\""),
        // ypkg's list contains semicolons, which end a command unless they are quoted.
        ("TARGETS=\"%AMDGPUTARGETS%\"", "TARGETS=%AMDGPUTARGETS%"),
    ];
    let all = [
        (Backend::Gentoo, &ebuilds[..]),
        (Backend::Arch, &pkgbuilds[..]),
        (Backend::Solus, &packages[..]),
    ];
    for (backend, mutants) in all {
        let (made, survivors) = World::new(backend).survivors(mutants);
        let sum: usize = made.iter().sum();
        println!(
            "{}: {sum} changed recipes, {} not caught",
            backend.distro(),
            survivors.len()
        );
        for ((from, _), made) in mutants.iter().zip(made) {
            assert!(made > 0, "`{from}` stands in no recipe any more");
        }
        assert!(survivors.is_empty(), "{}", survivors.join("\n"));
    }
}
