//! Records the GPU targets that a recipe passes to upstream's build. They are recorded when an
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

/// The content of a list of GPU targets, without and with a choice.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// The targets that are built if the user chooses none.
    pub unasked: PassedTargets,
    /// Set if a choice of targets replaces them. The user chooses by USE flags, or the person who
    /// builds chooses by a variable.
    pub chosen: bool,
}

/// A variable of upstream's build, with the GPU targets that a recipe passes by it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// The variable's name, such as `GPU_TARGETS`.
    pub variable: String,
    /// The targets that the variable contains.
    pub list: List,
}

/// The references that stand for the list of GPU targets. The second is without the separator at
/// the list's end.
const REFERENCES: [&str; 2] = ["targets", "targets:trimmed"];

/// Returns true if a value refers to the list of GPU targets.
pub(crate) fn speaks_of(value: &ArgumentValue) -> bool {
    let is_list = |text: &Text| text.references().any(|name| REFERENCES.contains(&name));
    matches!(value, ArgumentValue::Text(text) if is_list(text))
}

/// Records that the recipe passes `list` in the variable `variable`. A second equal record is not
/// added.
pub fn pass<D: Dialect>(d: &mut D, variable: &str, list: List) {
    let one = Passed {
        variable: variable.to_owned(),
        list,
    };
    let passed = d.outputs().passed;
    if !passed.contains(&one) {
        passed.push(one);
    }
}

/// Records the targets that an argument passes in `variable`, if upstream reads this variable or
/// `value` refers to the list. `value` is the argument's value in the model, and `written` is its
/// word in the recipe. A value that is not understood is recorded as unread text.
pub fn pass_argument<D: Dialect>(d: &mut D, variable: &str, value: &ArgumentValue, written: &Word) {
    if !speaks_of(value) && !d.inputs().planned.reads(variable) {
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

/// Records the targets that a word of a command passes in a variable, if the word is
/// `-DNAME=value`.
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

/// Returns the targets in a text such as `${targets};gfx1103`: the list, if the text refers to it,
/// and the names that are written out. `targets` is the list that `${targets}` stands for. Returns
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

/// Returns the GPU targets that one recipe passes to upstream's build. `passed` are the records of
/// all its variables. `within` are the only targets that can be chosen, or `None` if every target
/// can be.
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

/// Returns the record of the GPU targets that each recipe of a plan passes to upstream's build.
/// `all` has the id of each package, with the targets of its recipe. Packages without device code
/// are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, Builds)>) -> Recipes {
    let device = |id: &str| plan.get(id).is_some_and(|p| p.targets.is_some());
    let all = all.into_iter().filter(|(id, _)| device(id));
    let builds = all.map(|(id, builds)| (id.to_owned(), builds)).collect();
    Recipes {
        chooser: Chooser::Packager,
        builds,
        ..Recipes::default()
    }
}

/// Returns the names in a list that is separated by semicolons, commas or spaces: `gfx900;gfx906`
/// -> `gfx900`, `gfx906`.
pub fn listed(list: &str) -> impl Iterator<Item = String> {
    list.split([';', ',', ' '])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}
