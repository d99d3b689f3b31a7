//! The GPU targets that Nix passes to each build are those that the proof reads from the
//! expressions, in every scope that is written.

use crate::stack::tree;
use rocpkg::internal::model::{Cond, EdgeKind, Findings};
use rocpkg::internal::resolve::{
    Builds, Choice, ChoiceEffect, Dependency, Model, Nothing, PassedTargets, Plan, Planned, Recipes,
};
use rocpkg::{Backend, Stack};
use rocpkg_tests::NixTree;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};

/// The lists of targets, by the variable that receives the list.
type Arguments = BTreeMap<String, BTreeSet<String>>;

/// The state of one package in one set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Answer {
    /// The lists of targets that the package passes to its build.
    given: Arguments,
    /// Set if the package's own `meta` marks it as broken.
    broken: bool,
    /// Set if the package is broken, or a dependency that it can't be built without.
    fails: bool,
}

/// Packages whose list other packages use. They pass the list on even if it is empty, as in
/// nixpkgs.
const PASSED_EMPTY: [&str; 1] = ["rocblas"];

/// The answers by set, then by package. A set is a scope, or the whole scope with every list of
/// targets overridden.
type Answers = BTreeMap<String, BTreeMap<String, Answer>>;

/// Lists that packages receive in place of the scope's list, by name.
const OVERRIDES: [(&str, &[&str]); 3] = [
    ("none", &[]),
    ("one", &["gfx1100"]),
    ("two", &["gfx90a", "gfx1010"]),
];

/// The plan and the recipes, from which the model's answers follow.
struct Said {
    plan: Plan,
    recipes: Recipes,
}

impl Said {
    fn shipped() -> Self {
        let (model, mut findings) = Model::load(&[(String::new(), rocpkg::shipped::profiles())]);
        let plan = Plan::new(&model, "nixpkgs", &Choice::Shipped, &mut findings).unwrap();
        let stack = Stack::of_model(model, findings).unwrap();
        let recipes = stack
            .recipes(Backend::Nix, &plan, &mut Findings::default())
            .unwrap();
        Self { plan, recipes }
    }

    fn attribute(p: &Planned) -> &str {
        let nix = p.package.nix.as_ref().and_then(|n| n.attribute.as_ref());
        nix.map_or(p.name.as_str(), |a| a.value.as_str())
    }

    /// Returns every set that must be written: the whole scope, a scope for each target, and a
    /// scope for each group.
    fn sets(&self) -> BTreeMap<String, Option<Vec<String>>> {
        let (targets, offered) = self.plan.distro_targets(&self.plan.version);
        assert!(offered.is_empty() && targets.len() >= 10, "{targets:?}");
        let mut out = BTreeMap::from([("default".to_owned(), None)]);
        out.extend(targets.into_iter().map(|t| (t.clone(), Some(vec![t]))));
        let groups = self
            .plan
            .distro
            .scope
            .iter()
            .flat_map(|scope| &scope.groups);
        out.extend(groups.map(|(name, list)| {
            (
                name.clone(),
                Some(list.iter().map(|t| t.value.clone()).collect()),
            )
        }));
        out
    }

    fn refuses(b: &Builds, set: Option<&[String]>) -> bool {
        set.is_some_and(|s| !s.is_empty() && s.iter().all(|t| b.refuses.contains(t)))
    }

    fn given(b: &Builds, set: Option<&[String]>) -> Option<Vec<String>> {
        let unasked = |given: &PassedTargets| match given {
            PassedTargets::List(list) => Some(list.clone()),
            PassedTargets::Upstream => None,
            PassedTargets::Tool { .. } | PassedTargets::Unread(_) => {
                panic!("nixpkgs asks no tool, and all can be read: {given:?}")
            }
        };
        let (Some(set), ChoiceEffect::Passed { within, nothing }) = (set, &b.asked) else {
            return unasked(&b.unasked);
        };
        let left: Vec<String> = set
            .iter()
            .filter(|t| within.as_ref().is_none_or(|w| w.contains(t)))
            .cloned()
            .collect();
        match nothing {
            _ if !left.is_empty() => Some(left),
            Nothing::Empty => Some(left),
            Nothing::Upstream => None,
            Nothing::Instead(list) => Some(list.clone()),
        }
    }

    fn answer(&self, p: &Planned, set: Option<&[String]>) -> Answer {
        let b = self.recipes.builds.get(&p.id).cloned().unwrap_or_default();
        let list = Self::given(&b, set);
        let given = b
            .variables
            .iter()
            .filter_map(|v| Some((v.clone(), list.clone()?.into_iter().collect())));
        Answer {
            given: given.collect(),
            broken: Self::refuses(&b, set),
            fails: self.fails(p, set),
        }
    }

    /// Returns true if a package, or a dependency that it can't be built without, refuses to be
    /// built.
    fn fails(&self, p: &Planned, set: Option<&[String]>) -> bool {
        let own = self.recipes.builds.get(&p.id);
        if own.is_some_and(|b| Self::refuses(b, set)) {
            return true;
        }
        let input = |k: &EdgeKind| {
            matches!(
                k,
                EdgeKind::Tool | EdgeKind::Link | EdgeKind::Build | EdgeKind::Propagated
            )
        };
        p.depends.iter().any(|e| {
            let Dependency::Package(id) = &e.to else {
                return false;
            };
            let known = |c: &Cond| match c {
                Cond::Feature(f) => p.package.features.get(f).map(|f| f.default),
                _ => None,
            };
            let there = e
                .edge
                .when
                .as_ref()
                .is_none_or(|w| w.cond.reduce(&known) != Ok(false));
            let needed = there && e.edge.kind.0.iter().any(input) && id != &p.id;
            let dropped = own.is_some_and(|b| b.drops.contains(id));
            needed && !dropped && self.plan.get(id).is_some_and(|d| self.fails(d, set))
        })
    }

    fn answers(&self) -> Answers {
        let of = |set: Option<&[String]>| -> BTreeMap<String, Answer> {
            self.plan
                .packages
                .iter()
                .map(|p| (Self::attribute(p).to_owned(), self.answer(p, set)))
                .collect()
        };
        self.sets()
            .into_iter()
            .map(|(name, set)| (name, of(set.as_deref())))
            .collect()
    }
}

/// Returns the lists of targets among the words that a build receives.
fn arguments(words: &Value, variables: &BTreeSet<&str>) -> Arguments {
    let mut out = Arguments::new();
    for text in words.as_array().unwrap() {
        let quotes = |c: char| c.is_whitespace() || "\"'()".contains(c);
        for word in text.as_str().unwrap().split(quotes) {
            let Some((name, value)) = word.trim_start_matches("-D").split_once('=') else {
                continue;
            };
            let name = name.split(':').next().unwrap();
            let list: BTreeSet<String> = value
                .split([';', ','])
                .filter(|t| !t.is_empty())
                .map(str::to_owned)
                .collect();
            let targets = !list.is_empty() && list.iter().all(|t| t.starts_with("gfx"));
            if targets || (list.is_empty() && variables.contains(name)) {
                let before = out.insert(name.to_owned(), list.clone());
                assert!(
                    before.is_none_or(|b| b == list),
                    "{name} is passed twice, with two values"
                );
            } else {
                assert!(
                    !list.iter().any(|t| t.starts_with("gfx")),
                    "{word} is not understood"
                );
            }
        }
    }
    out
}

/// Evaluates the expressions and returns Nix's answers.
fn evaluated(nix: &NixTree, said: &Said) -> Result<Answers, String> {
    let variables: BTreeSet<&str> = said
        .recipes
        .builds
        .values()
        .flat_map(|b| &b.variables)
        .map(String::as_str)
        .collect();
    let value = nix.targets(&OVERRIDES)?;
    let mut out = Answers::new();
    for (set, packages) in value.as_object().unwrap() {
        let mut answers = BTreeMap::new();
        for (name, fact) in packages.as_object().unwrap() {
            let answer = Answer {
                given: arguments(&fact["words"], &variables),
                broken: fact["broken"].as_bool().unwrap(),
                fails: fact["fails"].as_bool().unwrap(),
            };
            answers.insert(name.clone(), answer);
        }
        out.insert(set.clone(), answers);
    }
    Ok(out)
}

/// Returns every difference between the model's and Nix's answers, and the number of answers that
/// were compared.
fn compare(said: &Said, nix: &Answers) -> (Vec<String>, usize) {
    let mut differences = Vec::new();
    let mut compared = 0;
    let mut one = |set: &str, name: &str, said: &Answer, is: Option<&Answer>| {
        compared += 1;
        if is != Some(said) {
            differences.push(format!("{set}: {name}: said {said:?}, Nix {is:?}"));
        }
    };
    let expected = said.answers();
    for (set, packages) in &expected {
        for (name, answer) in packages {
            one(set, name, answer, nix.get(set).and_then(|s| s.get(name)));
        }
    }
    for (name, list) in OVERRIDES {
        let list: Vec<String> = list.iter().map(|t| (*t).to_owned()).collect();
        for (attribute, is) in &nix[&format!("override {name}")] {
            let p = said
                .plan
                .packages
                .iter()
                .find(|p| Said::attribute(p) == attribute)
                .unwrap();
            // The dependencies of the package stay those of the whole scope.
            let mut answer = said.answer(p, Some(&list));
            let b = said.recipes.builds.get(&p.id).cloned().unwrap_or_default();
            answer.fails = answer.broken;
            if b.asked == ChoiceEffect::Ignored {
                // The package ignores the scope, but accepts a list that is passed to it.
                answer.given = b
                    .variables
                    .iter()
                    .map(|v| (v.clone(), list.iter().cloned().collect()))
                    .collect();
            }
            // For an empty list, the package passes nothing, and upstream builds its default.
            let instead = matches!(
                b.asked,
                ChoiceEffect::Passed {
                    nothing: Nothing::Instead(_),
                    ..
                }
            );
            if list.is_empty() && !instead && !PASSED_EMPTY.contains(&attribute.as_str()) {
                answer.given.clear();
            }
            one(&format!("override {name}"), attribute, &answer, Some(is));
        }
    }
    let written: BTreeSet<&String> = nix.keys().filter(|s| !s.starts_with("override ")).collect();
    for set in written.into_iter().filter(|s| !expected.contains_key(*s)) {
        differences.push(format!("{set}: a scope that the model does not know"));
    }
    (differences, compared)
}

#[test]
#[allow(
    clippy::print_stdout,
    reason = "the counts are what the test is asked for"
)]
fn what_nix_hands_to_each_build_is_what_is_proved() {
    let said = Said::shipped();
    let nix = evaluated(&NixTree::with_own_externals(&tree("nix")), &said).unwrap();
    let (differences, compared) = compare(&said, &nix);
    assert!(differences.is_empty(), "{}", differences.join("\n"));
    let (packages, sets) = (said.plan.packages.len(), said.sets().len());
    let overridden: usize = OVERRIDES
        .iter()
        .map(|(n, _)| nix[&format!("override {n}")].len())
        .sum();
    assert_eq!(compared, packages * sets + overridden);
    assert!(
        packages >= 20 && sets >= 19 && overridden >= 24,
        "{packages} x {sets} + {overridden}"
    );
    let lists: usize = nix
        .values()
        .flat_map(|s| s.values())
        .map(|a| a.given.len())
        .sum();
    assert!(lists > 200, "only {lists} lists are handed over");
    println!(
        "nixpkgs: {packages} packages x {sets} sets + {overridden} overrides, {lists} lists, 0 differences"
    );
}

#[test]
fn only_what_has_no_target_left_is_refused() {
    let said = Said::shipped();
    let nix = evaluated(&NixTree::with_own_externals(&tree("nix")), &said).unwrap();
    let mut stopped = Vec::new();
    for (set, packages) in &nix {
        for (name, answer) in packages.iter().filter(|(name, _)| !name.ends_with("_base")) {
            if answer.broken != answer.fails {
                stopped.push(format!("{set}: {name}"));
            }
        }
        let refused: Vec<&str> = packages
            .iter()
            .filter(|(_, a)| a.broken)
            .map(|(n, _)| n.as_str())
            .collect();
        // If no target is left for MIOpen, it is still built, as in nixpkgs.
        assert!(
            !refused.contains(&"miopen") && !refused.contains(&"rccl"),
            "{set}: {refused:?}"
        );
        let nothing_left = ["gfx1010", "gfx1103", "gfx1030", "gfx12"].contains(&set.as_str());
        assert!(
            !nothing_left || refused.contains(&"composable_kernel"),
            "{set}: {refused:?}"
        );
    }
    assert_eq!(stopped, [] as [&str; 0]);
}

/// Edits of rendered files, each with a package and a set in which the difference must be detected.
const MUTANTS: &[(&str, &str, &str, &str, &str)] = &[
    (
        "hiprand/default.nix",
        "clr.localGpuTargets or [ ]",
        "[ ]",
        "hiprand",
        "gfx1030",
    ),
    (
        "rocrand/default.nix",
        "gpuTargets != [ ]",
        "gpuTargets == [ ]",
        "rocrand",
        "gfx1030",
    ),
    (
        "rocrand/default.nix",
        "-DAMDGPU_TARGETS=",
        "-DAMDGPU_TARGET=",
        "rocrand",
        "gfx942",
    ),
    (
        "rocsparse/default.nix",
        "clr.localGpuTargets or clr.gpuTargets",
        "clr.gpuTargets",
        "rocsparse",
        "gfx1201",
    ),
    (
        "rocfft/default.nix",
        "clr.localGpuTargets or clr.gpuTargets",
        "clr.localGpuTargets or [ ]",
        "rocfft",
        "default",
    ),
    (
        "rocblas/default.nix",
        "(lib.cmakeFeature \"GPU_TARGETS\" gpuTargets')",
        "",
        "rocblas",
        "gfx9",
    ),
    (
        "hipblas/default.nix",
        "rocblas.amdgpu_targets",
        "\"gfx90a\"",
        "hipblas",
        "default",
    ),
    (
        "hipblaslt/default.nix",
        "\"gfx1200\";",
        "\"gfx1201\";",
        "hipblaslt",
        "gfx1030",
    ),
    (
        "hipblaslt/default.nix",
        "    \"gfx942\"\n",
        "",
        "hipblaslt",
        "gfx942",
    ),
    (
        "miopen/default.nix",
        "\";\" supportedTargets",
        "\";\" gpuTargets",
        "miopen",
        "gfx10",
    ),
    (
        "miopen/default.nix",
        "!composable_kernel.meta.broken",
        "true",
        "miopen",
        "gfx1100",
    ),
    (
        "composable_kernel/base.nix",
        "      \"gfx906\"\n",
        "",
        "composable_kernel",
        "gfx906",
    ),
    (
        "composable_kernel/default.nix",
        "broken = !finalAttrs.passthru.anyGfx9Target;",
        "broken = false;",
        "composable_kernel",
        "gfx12",
    ),
    (
        "clr/default.nix",
        "      \"gfx1151\"\n",
        "",
        "rocblas",
        "default",
    ),
    (
        "clr/default.nix",
        "{ inherit localGpuTargets; }",
        "{ localGpuTargets = [ \"gfx900\" ]; }",
        "rocfft",
        "gfx1030",
    ),
    (
        "default.nix",
        "narrowTo [ target ]",
        "narrowTo [ ]",
        "rocprim",
        "gfx1030",
    ),
    (
        "default.nix",
        "    \"gfx906\"\n    \"gfx908\"\n",
        "    \"gfx908\"\n",
        "rocblas",
        "gfx9",
    ),
];

#[test]
fn an_edit_of_what_is_rendered_is_seen() {
    let said = Said::shipped();
    let mut missed = Vec::new();
    for (file, from, to, package, set) in MUTANTS {
        let nix = NixTree::with_own_externals(&tree("nix"));
        nix.edit(file, from, to);
        let answers =
            evaluated(&nix, &said).unwrap_or_else(|e| panic!("{file}: {from} -> {to}: {e}"));
        let (differences, _) = compare(&said, &answers);
        if !differences
            .iter()
            .any(|d| d.starts_with(&format!("{set}: {package}: ")))
        {
            missed.push(format!(
                "{file}: {from} -> {to}: {} others",
                differences.len()
            ));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
