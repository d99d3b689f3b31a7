//! Records the GPU targets that a recipe gives to upstream's build. They are recorded where an
//! argument is written, from the value that is written.

use crate::dialect::Dialect;
use rocpkg_model::{ArgumentValue, Piece, Text};
use rocpkg_render::bash::{Quoting, Word};
use rocpkg_resolve::{Builds, ChoiceEffect, Chooser, Nothing, PassedTargets, Plan, Recipes};

/// The list of GPU targets that `${targets}` stands for.
#[derive(Clone, Debug)]
pub struct Targets {
    /// The word for the list in a recipe.
    pub word: Word,
    /// The content of the list.
    pub list: List,
}

/// The content of a list of GPU targets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The targets if no choice is made.
    pub unasked: PassedTargets,
    /// Set if a choice replaces these targets: by the user's flags, or by the person who builds.
    pub chosen: bool,
}

/// A variable of upstream's build, and the targets that it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The variable's name, such as `GPU_TARGETS`.
    pub variable: String,
    /// The targets.
    pub list: List,
}

/// The references that stand for the list, with and without the separator at its end.
const REFERENCES: [&str; 2] = ["targets", "targets:trimmed"];

/// Returns true if a value refers to the list.
pub(crate) fn speaks_of(value: &ArgumentValue) -> bool {
    let is_list = |text: &Text| text.references().any(|name| REFERENCES.contains(&name));
    matches!(value, ArgumentValue::Text(text) if is_list(text))
}

/// Records that a variable is given a list.
pub fn pass<D: Dialect>(d: &mut D, variable: &str, list: List) {
    let one = Passed {
        variable: variable.to_owned(),
        list,
    };
    if !d.passed().contains(&one) {
        d.passed().push(one);
    }
}

/// Records the targets that an argument gives to a variable, if upstream reads the variable or the
/// value refers to the list. `written` is the value's word.
pub fn pass_argument<D: Dialect>(d: &mut D, variable: &str, value: &ArgumentValue, written: &Word) {
    if !speaks_of(value) && !d.planned().reads(variable) {
        return;
    }
    let text = if let ArgumentValue::Text(text) = value {
        Some(text)
    } else {
        None
    };
    let list = text.and_then(|text| held(text, d.targets().as_ref()));
    let shown = || text.map_or_else(|| written.print(Quoting::Whole), Text::to_string);
    let unread = || List {
        unasked: PassedTargets::Unread(shown()),
        chosen: false,
    };
    pass(d, variable, list.unwrap_or_else(unread));
}

/// Records the targets that a word of a command gives to a variable, if the word is `-DNAME=value`.
pub(crate) fn pass_word<D: Dialect>(d: &mut D, text: &Text) {
    let Some(Piece::Literal(first)) = text.pieces.first() else {
        return;
    };
    let Some((head, rest)) = first
        .strip_prefix("-D")
        .and_then(|first| first.split_once('='))
    else {
        return;
    };
    let variable = head
        .split_once(':')
        .map_or(head, |(name, _)| name)
        .to_owned();
    let start = (!rest.is_empty())
        .then(|| Piece::Literal(rest.to_owned()))
        .into_iter();
    let value = Text {
        pieces: start.chain(text.pieces[1..].iter().cloned()).collect(),
        span: text.span,
    };
    pass_argument(d, &variable, &ArgumentValue::Text(value), &Word::default());
}

/// Returns the targets in a text: names written out, and the list if the text refers to it. Returns
/// `None` if the text contains any other reference, or text that is not the name of a target.
fn held(text: &Text, targets: Option<&Targets>) -> Option<List> {
    let mut names = Vec::new();
    let mut out = List {
        unasked: PassedTargets::List(Vec::new()),
        chosen: false,
    };
    for piece in &text.pieces {
        match piece {
            Piece::Literal(literal) => names.extend(listed(literal)),
            Piece::Reference(name) if REFERENCES.contains(&name.as_str()) => {
                out = targets?.list.clone();
            }
            Piece::Reference(_) => return None,
        }
    }
    let is_name = |name: &String| {
        name.bytes()
            .all(|b| b.is_ascii_alphanumeric() || b"-_:+".contains(&b))
    };
    match &mut out.unasked {
        PassedTargets::List(list) | PassedTargets::Tool { further: list, .. }
            if names.iter().all(is_name) =>
        {
            list.extend(names);
        }
        _ if names.is_empty() => {}
        _ => return None,
    }
    Some(out)
}

/// Returns the targets that a recipe passes on. `passed` are all of its variables, and `within` are
/// the targets that can be chosen at all.
pub fn builds(passed: Vec<Passed>, within: Option<Vec<String>>) -> Builds {
    let chosen = passed.iter().any(|p| p.list.chosen);
    let unasked = match PassedTargets::alike(passed.iter().map(|p| (p.variable.clone(), &p.list))) {
        Err(unread) => unread,
        Ok(None) => PassedTargets::Upstream,
        Ok(Some(list)) => list.unasked.clone(),
    };
    // An empty variable counts as unset, so there is always a list.
    let asked = if chosen {
        ChoiceEffect::Passed {
            within,
            nothing: Nothing::Empty,
        }
    } else {
        ChoiceEffect::Ignored
    };
    let variables = passed.into_iter().map(|p| p.variable).collect();
    Builds {
        unasked,
        asked,
        variables,
        ..Builds::default()
    }
}

/// Returns the targets that the recipes of a plan pass on, by the package's id. Packages without
/// device code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, Builds)>) -> Recipes {
    let device = |id: &str| plan.get(id).is_some_and(|p| p.targets.is_some());
    let all = all.into_iter().filter(|(id, _)| device(id));
    let builds = all.map(|(id, builds)| (id.to_owned(), builds)).collect();
    Recipes {
        chooser: Chooser::Packager,
        builds,
    }
}

/// Divides a written list at semicolons, commas and spaces, and returns its names.
pub fn listed(list: &str) -> impl Iterator<Item = String> {
    list.split([';', ',', ' '])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}
