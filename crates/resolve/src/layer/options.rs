//! Turns upstream's options into arguments of CMake projects.

use crate::layer::tree::{entry, flag, map, put, scalar};
use indexmap::IndexMap;
use rocpkg_model::{Habits, Key, Node, OptionHabit, Text, Value};

/// The key for all CMake projects of a package.
const ALL: &str = "all";

/// The name of the CMake project that exists without being declared.
pub(crate) const MAIN: &str = "main";

/// Puts the CMake project `main` before the other projects, and adds it if it does not exist. Does
/// nothing unless `layers` name other projects, and none of these takes the options of a component
/// (`of`).
pub(crate) fn with_main<'n>(package: &mut Node, layers: impl Iterator<Item = &'n Node>) {
    let said = layers.flat_map(|layer| layer.entries_of("cmake"));
    let mut named = said
        .filter(|(_, project)| project.value != Value::Null)
        .peekable();
    let further = named.peek().is_some() && named.all(|(_, project)| project.get("of").is_none());
    let Some(projects) = package.get_mut("cmake") else {
        return;
    };
    let span = projects.span.begin();
    let Some(projects) = projects.entries_mut() else {
        return;
    };
    if further {
        let main = projects
            .iter()
            .position(|(key, _)| key.name == MAIN)
            .map(|at| projects.remove(at));
        let unsaid = || {
            (
                Key {
                    name: MAIN.into(),
                    span,
                },
                map(Vec::new(), span),
            )
        };
        projects.insert(0, main.unwrap_or_else(unsaid));
    }
}

/// Gives each CMake project the arguments under `all` that the project does not state itself.
/// `takes_back` is called with a project and an argument, and returns true if a layer removed the
/// argument from the project.
pub(crate) fn share(package: &mut Node, takes_back: impl Fn(&str, &str) -> bool) {
    let Some(projects) = package.get_mut("cmake").and_then(Node::entries_mut) else {
        return;
    };
    let Some(at) = projects.iter().position(|(key, _)| key.name == ALL) else {
        return;
    };
    let (_, shared) = projects.remove(at);
    for (place, (name, project)) in projects.iter_mut().enumerate() {
        let own: Vec<&str> = project.keys_of("arguments").collect();
        let given = shared
            .entries_of("arguments")
            .iter()
            .filter(|(key, _)| !own.contains(&key.name.as_str()));
        let given: Vec<_> = given
            .filter(|(key, _)| !takes_back(&name.name, &key.name))
            .cloned()
            .collect();
        for (key, mut argument) in given {
            // Only the first project keeps the comment.
            if let (Value::Map(facts), true) = (&mut argument.value, place > 0) {
                facts.retain(|(fact, _)| fact.name != "comment");
            }
            put(project, &["arguments", &key.name], argument);
        }
    }
}

/// Returns true if a layer names the main project, even if only to remove it.
pub(crate) fn names_main(layer: &Node) -> bool {
    layer
        .get("cmake")
        .is_some_and(|projects| projects.get(MAIN).is_some())
}

/// The component that each option comes from, by option.
pub(crate) type Owners = IndexMap<String, String>;

/// Turns upstream's options into arguments of CMake projects. A project with `of` takes the options
/// of the components that it names. The main project takes all options if it has no `of`. `owners`
/// maps each option to its component. The arguments are added to `out`.
pub(crate) fn options(package: &Node, habits: &Habits, owners: &Owners, out: &mut Node) {
    let Some(options) = package.get("options") else {
        return;
    };
    let way = habits.options;
    let projects = package.entries_of("cmake");
    let mut takers: Vec<(&str, Option<Vec<&str>>)> = Vec::new();
    for (key, project) in projects {
        let of = match project.get("of").map(|n| &n.value) {
            Some(Value::Seq(items)) => Some(items.iter().filter_map(Node::text).collect()),
            _ if key.name == MAIN => None,
            _ => continue,
        };
        takers.push((&key.name, of));
    }
    if projects.is_empty() {
        takers.push((MAIN, None));
    }
    // Projects are built in the package's order, whichever of them take options.
    let mut ordered = map(Vec::new(), package.span);
    for (key, _) in projects {
        let given = out.get("cmake").and_then(|c| c.get(&key.name)).cloned();
        put(
            &mut ordered,
            &[&key.name],
            given.unwrap_or_else(|| map(Vec::new(), key.span)),
        );
    }
    for (key, project) in out.entries_of("cmake") {
        let there = ordered.get(&key.name).is_some();
        if let (false, Value::Map(entries)) = (there, &mut ordered.value) {
            entries.push((key.clone(), project.clone()));
        }
    }
    if !ordered.entries().is_empty() {
        put(out, &["cmake"], ordered);
    }
    for (project, of) in takers {
        for (key, option) in options.entries() {
            let owner = owners.get(key.name.as_str()).map(String::as_str);
            if of
                .as_ref()
                .is_some_and(|of| owner.is_none_or(|o| !of.contains(&o)))
            {
                continue;
            }
            let set = habits
                .option_values
                .get(key.name.as_str())
                .filter(|_| option.get("value").is_none());
            if let Some(argument) = argument(option, set, way) {
                put(out, &["cmake", project, "arguments", &key.name], argument);
            }
        }
    }
}

/// Returns the argument for one option, or `None` if the option is not passed. `set` is the value
/// that the habits give to the option. `way` is the habit that decides which options are passed.
fn argument(option: &Node, set: Option<&Text>, way: OptionHabit) -> Option<Node> {
    let span = option.span;
    let default = option.get("default").and_then(Node::text).map(switch);
    let value = match set {
        Some(text) => Some(scalar(&text.to_string(), text.span)),
        None => option.get("value").cloned(),
    };
    let mut facts = Vec::new();
    // An option that is only passed for its own feature is on.
    let sole = option.get("when").and_then(Node::text);
    let sure = sole.is_some() && sole == option.get("feature").and_then(Node::text);
    if let Some(value) = value {
        let same = value.text().map(switch) == default && default.is_some();
        if same && way != OptionHabit::Always {
            return None;
        }
        // `on` and `off` become switches, not texts.
        let value = match value.text().map(switch).as_deref() {
            Some("ON") => flag(true, value.span),
            Some("OFF") => flag(false, value.span),
            _ => value,
        };
        facts.push(entry("value", span, value));
    } else if sure && way == OptionHabit::Always {
        facts.push(entry("value", span, flag(true, span)));
    } else if let Some(asked) = option.get("feature") {
        let when_on =
            way == OptionHabit::WhenOn && !asked.text().unwrap_or_default().starts_with('!');
        if when_on && default.as_deref() != Some("ON") {
            facts.push(entry("value", span, flag(true, span)));
            let both = match option.get("when").and_then(Node::text) {
                Some(when) if Some(when) == asked.text() => when.to_owned(),
                Some(when) => format!("({when}) & ({})", asked.text().unwrap_or_default()),
                None => asked.text().unwrap_or_default().to_owned(),
            };
            facts.push(entry("when", span, scalar(&both, asked.span)));
        } else {
            facts.push(entry("feature", span, asked.clone()));
        }
    } else {
        return None;
    }
    for key in ["when", "comment"] {
        if let Some(fact) = option.get(key)
            && !facts.iter().any(|(k, _)| k.name == key)
        {
            facts.push(entry(key, span, fact.clone()));
        }
    }
    Some(map(facts, span))
}

/// Returns CMake's word for a switch: `true` -> `ON`. Any other text is returned unchanged.
fn switch(text: &str) -> String {
    match text {
        "on" | "true" | "ON" => "ON".into(),
        "off" | "false" | "OFF" => "OFF".into(),
        other => other.to_owned(),
    }
}
