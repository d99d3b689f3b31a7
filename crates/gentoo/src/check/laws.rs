//! E0874: commands of phases that contradict each other or the sources.

use super::patterns::Patterns;
use super::recipe::Recipe;
use super::sources::sources;
use rocpkg_bash::evaluate::{Facts, Part, Step, Value, Variable, faults};
use rocpkg_syntax::Checked;
use std::collections::BTreeSet;

/// The path that stands for `${WORKDIR}` in paths of steps.
pub(super) const WORKDIR: &str = "/$WORKDIR";

/// Reports the contradictions in the commands of each phase.
pub(super) fn check(recipe: &Recipe, out: &mut Checked) {
    let archives = &recipe.surroundings.archives;
    let (sources, _) = sources(recipe);
    let folders = sources.iter();
    let folders = folders.filter_map(|source| archives.get(&source.address));
    let tops: BTreeSet<String> = folders.flatten().cloned().collect();
    let fetches = |name: &str| matches!(name, "git-r3" | "mercurial" | "subversion");
    let inherited = &recipe.eclasses.inherited;
    let has_checkout = inherited.iter().any(|(name, _)| fetches(name));
    let facts = Facts {
        code: "E0874",
        tops: &tops,
        has_checkout: recipe.eclasses.reason().is_none().then_some(has_checkout),
        rivals: &recipe.surroundings.rivals,
    };
    let steps = steps(recipe).into_iter().map(|(_, steps)| steps);
    out.faults.extend(faults(&steps.collect::<Vec<_>>(), facts));
}

/// Returns the names of the phase functions of an ebuild, each with its commands.
pub(super) fn steps(recipe: &Recipe) -> Vec<(String, Vec<Step>)> {
    let mut out = Vec::new();
    let functions = recipe.script.functions.iter();
    let phases = functions.filter(|function| function.name.starts_with("src_"));
    for function in phases {
        let mut run = Patterns::of(recipe).run;
        let own = recipe.script.sets.iter();
        let own =
            own.filter(|set| set.at.start >= function.at.start && set.at.end <= function.at.end);
        // The variables that this function sets have the values from before.
        for set in own {
            match recipe.globals().variable(&set.name) {
                Some(variable) => run.variables.insert(set.name.clone(), variable.clone()),
                None => run.variables.remove(&set.name),
            };
        }
        run.set("WORKDIR", Variable::Text(WORKDIR.into()));
        let folder = source_folder(recipe);
        match &folder {
            Some(folder) => run.set("S", Variable::Text(folder.as_str().into())),
            None => run.forget("S", "the folder of the sources is not known"),
        }
        let begins = if function.name == "src_unpack" {
            Some(WORKDIR.to_owned())
        } else {
            folder
        };
        out.push((function.name.clone(), run.steps_of(&function.name, begins)));
    }
    out
}

/// Returns the path of the folder with the sources, `S`.
pub(super) fn source_folder(recipe: &Recipe) -> Option<String> {
    let Some(value) = recipe.value("S") else {
        let is_set = recipe
            .eclasses
            .all()
            .any(|eclass| eclass.variables.contains("S"));
        let name = recipe.given("P").filter(|_| !is_set)?;
        return Some(format!("{WORKDIR}/{name}"));
    };
    let part = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Open {
            variable: Some(name),
            ..
        } if **name == *"WORKDIR" => Some(WORKDIR.to_owned()),
        Part::Open { .. } => None,
    };
    let Value { parts, .. } = value;
    parts.iter().map(part).collect()
}
