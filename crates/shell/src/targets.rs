//! What a recipe gives to upstream's build as GPU targets: noted where an argument is written, from
//! what is written.

use crate::dialect::Dialect;
use rocpkg_model::{ArgumentValue, Piece, Text};
use rocpkg_render::bash::{Quoting, Word};
use rocpkg_resolve::{Asked, Builds, Chooser, Given, Nothing, Plan, Recipes};

/// The list of GPU targets that `${targets}` stands for.
#[derive(Clone, Debug)]
pub struct Targets {
    /// How a recipe writes it.
    pub word: Word,
    /// What it holds.
    pub list: List,
}

/// What a list of GPU targets holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct List {
    /// When nobody chooses.
    pub unasked: Given,
    /// Somebody's choice takes its place: that of the user's flags, or of whoever builds.
    pub chosen: bool,
}

/// A variable of upstream's build, and what it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Passed {
    /// `GPU_TARGETS` and its like.
    pub variable: String,
    /// The list.
    pub list: List,
}

/// The references that stand for the list, with or without the separator at its end.
const REFERENCES: [&str; 2] = ["targets", "targets:trimmed"];

/// True for a value that speaks of the list.
pub(crate) fn speaks_of(value: &ArgumentValue) -> bool {
    let is_list = |text: &Text| text.references().any(|name| REFERENCES.contains(&name));
    matches!(value, ArgumentValue::Text(text) if is_list(text))
}

/// Notes that a variable is given a list.
pub fn pass<D: Dialect>(d: &mut D, variable: &str, list: List) {
    let one = Passed {
        variable: variable.to_owned(),
        list,
    };
    if !d.passed().contains(&one) {
        d.passed().push(one);
    }
}

/// Notes what an argument gives to a variable that upstream reads, or the list to another one;
/// `written` is the value's word.
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
        unasked: Given::Unread(shown()),
        chosen: false,
    };
    pass(d, variable, list.unwrap_or_else(unread));
}

/// Notes what a word of a command gives, if it is `-DNAME=value`.
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

/// What a text holds: names written out, and the list where it refers to it; none where it refers
/// to anything else.
fn held(text: &Text, targets: Option<&Targets>) -> Option<List> {
    let mut names = Vec::new();
    let mut out = List {
        unasked: Given::List(Vec::new()),
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
        Given::List(list) | Given::Tool { further: list, .. } if names.iter().all(is_name) => {
            list.extend(names);
        }
        _ if names.is_empty() => {}
        _ => return None,
    }
    Some(out)
}

/// What a recipe passes on, when these are all of its variables; `within` are the targets that can
/// be chosen at all.
pub fn builds(passed: Vec<Passed>, within: Option<Vec<String>>) -> Builds {
    let chosen = passed.iter().any(|p| p.list.chosen);
    let unasked = match Given::alike(passed.iter().map(|p| (p.variable.clone(), &p.list))) {
        Err(unread) => unread,
        Ok(None) => Given::Upstream,
        Ok(Some(list)) => list.unasked.clone(),
    };
    // An empty variable is none, so there is always a list.
    let asked = if chosen {
        Asked::Passed {
            within,
            nothing: Nothing::Empty,
        }
    } else {
        Asked::Ignored
    };
    let variables = passed.into_iter().map(|p| p.variable).collect();
    Builds {
        unasked,
        asked,
        variables,
        ..Builds::default()
    }
}

/// What the recipes of a plan pass on, each with the id of its package. Packages without device
/// code are left out.
pub fn recipes<'a>(plan: &Plan, all: impl IntoIterator<Item = (&'a str, Builds)>) -> Recipes {
    let device = |id: &str| plan.get(id).is_some_and(|p| p.targets.is_some());
    let all = all.into_iter().filter(|(id, _)| device(id));
    let builds = all.map(|(id, builds)| (id.to_owned(), builds)).collect();
    Recipes {
        chooser: Chooser::Packager,
        builds,
    }
}

/// The names of a list written out: between semicolons, commas or spaces.
pub fn listed(list: &str) -> impl Iterator<Item = String> {
    list.split([';', ',', ' '])
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
}
