//! Finds the patches that steps apply, and those that no step applies.

use crate::dialect::Dialect;
use crate::operation::Place;
use rocpkg_model::{Action, Patch, Piece, Step, Text};
use rocpkg_render::bash::Word;
use rocpkg_resolve::Planned;

/// Returns the files of the patches that steps apply, as paths below the folder of the recipe's
/// files. `folder` is the name of the reference to that folder, such as `pkgfiles`. A path that
/// contains any other reference is left out.
pub fn patched<'a>(steps: impl IntoIterator<Item = &'a Step>, folder: &str) -> Vec<String> {
    let mut out = Vec::new();
    for step in steps {
        walk(step, &|_| true, &mut |action| {
            if let Action::Patch(file) = action {
                out.extend(beside(file, folder, &[]).and_then(|file| file.as_literal()));
            }
        });
    }
    out
}

/// Returns the path of the patch `file` below the folder of the recipe's files:
/// `${pkgfiles}/a.patch` -> `a.patch`, if `folder` is `pkgfiles`. Returns `None` if the patch is
/// elsewhere: its path begins with a slash, or with a reference to one of the `other` folders.
pub fn beside(file: &Text, folder: &str, other: &[&str]) -> Option<Text> {
    let (first, rest) = file.pieces.split_first()?;
    match first {
        Piece::Literal(path) => (!path.starts_with('/')).then(|| file.clone()),
        Piece::Reference(name) if name == folder => {
            let [Piece::Literal(path), rest @ ..] = rest else {
                return None;
            };
            let path = Piece::Literal(path.strip_prefix('/')?.trim_start_matches('/').to_owned());
            Some(Text {
                span: file.span,
                ..Text::joined(std::iter::once(&path).chain(rest))
            })
        }
        Piece::Reference(name) => {
            let name = name.split_once(':').map_or(name.as_str(), |(kind, _)| kind);
            (!other.contains(&name)).then(|| file.clone())
        }
    }
}

/// Returns the word for the patch `file` of a step. A patch in the folder of the recipe's files is
/// below the variable `folder`. `other` are as in [`beside`].
pub fn patch_file<D: Dialect>(d: &mut D, file: &Text, folder: &str, other: &[&str]) -> Word {
    match beside(file, folder, other) {
        Some(own) => below(folder, d.word(&own, Place::One)),
        None => d.word(file, Place::One),
    }
}

/// Returns the path of a file in the folder of a variable: `a.patch` -> `$srcdir/a.patch`.
pub fn below(folder: &str, file: Word) -> Word {
    Word::var(folder).literal("/").then(file)
}

/// Returns the patches of the package that no step applies: neither a step of a phase, nor one of
/// `further`, which belong to no phase. `own` are the steps that the profile writes for the phase
/// in which the standard step applies all patches, such as `prepare` of Arch. Returns no patches if
/// the standard step is one of them.
pub fn unapplied<'a>(
    p: &'a Planned,
    own: &'a [Step],
    further: impl Iterator<Item = &'a Step>,
) -> Vec<&'a Patch> {
    let mut standard = false;
    for step in own {
        walk(step, &settled(p), &mut |action| {
            standard |= matches!(action, Action::Standard(_));
        });
    }
    if standard {
        return Vec::new();
    }
    let named = named(p, further);
    p.applied().filter(|patch| !named(patch)).collect()
}

/// Returns a function that returns true if a step of the package, or one of `further`, names a patch.
pub fn named<'a>(
    p: &'a Planned,
    further: impl Iterator<Item = &'a Step>,
) -> impl Fn(&Patch) -> bool {
    let mut named: Vec<&Text> = Vec::new();
    for step in p.package.phases.values().flatten().chain(further) {
        walk(step, &settled(p), &mut |action| match action {
            Action::Patch(file) | Action::Raw(file) => named.push(file),
            Action::Run(words) => named.extend(words),
            Action::RunWith(run) => named.extend(&run.command),
            Action::Each(each) => named.extend(&each.items),
            _ => {}
        });
    }
    move |patch| named.iter().any(|text| names(text, &patch.file.value))
}

/// Returns true if `text` contains the file name `file`, alone or behind a folder. A longer name
/// that contains `file` does not count: `old-a.patch` does not contain `a.patch`.
fn names(text: &Text, file: &str) -> bool {
    let text = text.to_string();
    let in_name = |c: char| c.is_ascii_alphanumeric() || "-_.+@=".contains(c);
    text.match_indices(file).any(|(at, _)| {
        !text[..at].ends_with(in_name)
            && !text[at + file.len()..]
                .trim_start_matches('.')
                .starts_with(in_name)
    })
}

/// Returns a function that returns true if a step is part of the recipe: its condition holds when
/// nobody chooses features or targets.
fn settled(p: &Planned) -> impl Fn(&Step) -> bool {
    |step| p.settles(step.when.as_ref())
}

/// Calls `see` for the action of `step`, and for the actions of all steps inside it. A step for
/// which `takes` returns false is skipped, with the steps inside it.
fn walk<'a>(step: &'a Step, takes: &dyn Fn(&Step) -> bool, see: &mut dyn FnMut(&'a Action)) {
    if takes(step) {
        see(&step.action);
        for step in step.action.steps() {
            walk(step, takes, see);
        }
    }
}

#[allow(clippy::unwrap_used, reason = "a test that can't go on panics")]
#[cfg(test)]
mod tests {
    use super::beside;
    use rocpkg_model::{Span, Text};

    #[test]
    fn a_patch_lies_beside_the_recipe_unless_it_names_another_folder() {
        let read = |text: &str| Text::parse(text, Span::default()).unwrap();
        let name = |text: &str| beside(&read(text), "files", &["source"]).map(|t| t.to_string());
        for text in ["a.patch", "${files}/a.patch", "${files}//a.patch"] {
            assert_eq!(name(text).as_deref(), Some("a.patch"), "{text}");
        }
        assert_eq!(
            name("${version}/${name}.patch").as_deref(),
            Some("${version}/${name}.patch")
        );
        assert_eq!(
            name("${files}/${name}.patch").as_deref(),
            Some("${name}.patch")
        );
        for text in [
            "/a.patch",
            "${source}/a.patch",
            "${source:other}/a.patch",
            "${files}a.patch",
        ] {
            assert_eq!(name(text), None, "{text}");
        }
    }
}
