//! The types that are read by hand, described by hand.

use super::{Book, Definition, Describe, Field, Shape, Word};
use crate::cond::When;
use crate::decode::{OneOrMany, OneOrMore, Spanned};
use crate::external::External;
use crate::habits::{Steps, Tree};
use crate::nixpkg::{NixBindings, NixItem, NixText};
use crate::package::Package;
use crate::project::{Argument, ArgumentKind, EnvironmentVariable};
use crate::step::{ConfigFile, Each, FromTo, Inside, Licence, Replace, RunWith, Sed, Step, Submodule};
use crate::text::Text;
use indexmap::IndexMap;

/// A key with what stands under it.
fn key<T: Describe>(book: &mut Book, key: &str, doc: &str) -> Field {
    Field { key: key.to_owned(), doc: doc.to_owned(), shape: T::shape(book), required: false }
}

impl Describe for Text {
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("text with references")
    }
}

impl Describe for When {
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("condition")
    }
}

impl Describe for External {
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("name, or `-`")
    }
}

/// A row of `externals.yaml`: it is read as a mapping, and its columns are known all the same.
pub(super) fn external_row(book: &mut Book) -> Shape {
    book.define("ExternalRow", |b| Definition {
        doc: "A thing outside the model, by its neutral name: a column for each distribution. A column that is not \
              there is not known, and a dependency on it is a finding."
            .to_owned(),
        fields: vec![
            key::<External>(
                b,
                "gentoo",
                "The atom in Gentoo, or `-`. `${SLOT}` is the slot of the release, `${LLVM_SLOT}` that of each LLVM that fits.",
            ),
            key::<External>(b, "arch", "The package in Arch, or `-`."),
            key::<External>(b, "nixpkgs", "The attribute in nixpkgs, or `-`."),
            key::<External>(b, "solus", "The build dependency in Solus, such as `pkgconfig(gtest)`, or `-`."),
        ],
        ..Definition::default()
    })
}

impl Describe for Tree {
    fn shape(book: &mut Book) -> Shape {
        Package::shape(book)
    }
}

impl Describe for Steps {
    fn shape(book: &mut Book) -> Shape {
        Vec::<Step>::shape(book)
    }
}

impl Describe for Argument {
    fn shape(book: &mut Book) -> Shape {
        book.define("Argument", |b| Definition {
            doc: "An argument of a CMake project: a value (true and ON, false and OFF mean the same; `bare` means \
                  that the name stands alone), or a mapping."
                .to_owned(),
            fields: vec![
                key::<Text>(b, "value", "The value."),
                key::<When>(b, "feature", "ON when the condition holds, else OFF."),
                key::<When>(b, "unless", "OFF when the condition holds, else ON."),
                key::<When>(b, "choose", "The condition that decides between `then` and `else`."),
                key::<Text>(b, "then", "The value when the condition of `choose` holds."),
                key::<Text>(b, "else", "The value when it does not hold."),
                key::<When>(b, "when", "Passed only under this condition."),
                key::<ArgumentKind>(b, "type", "The stated type; it follows from the value when absent."),
                key::<String>(b, "comment", "Why."),
            ],
            forms: vec![Text::shape(b)],
            ..Definition::default()
        })
    }
}

impl Describe for EnvironmentVariable {
    fn shape(book: &mut Book) -> Shape {
        book.define("EnvironmentVariable", |b| Definition {
            doc: "A variable of the environment: its value, or a mapping.".to_owned(),
            fields: vec![
                Field { required: true, ..key::<Text>(b, "value", "The value.") },
                key::<When>(b, "when", "Only under this condition."),
                key::<String>(b, "comment", "Why."),
                key::<bool>(
                    b,
                    "local",
                    "Seen inside the phase function only, where the language can say so.",
                ),
            ],
            forms: vec![Text::shape(b)],
            ..Definition::default()
        })
    }
}

impl Describe for NixText {
    fn shape(_: &mut Book) -> Shape {
        Shape::Text("Nix expression")
    }
}

impl Describe for NixBindings {
    fn shape(book: &mut Book) -> Shape {
        book.define("NixBindings", |b| Definition {
            doc: "Attributes and their values: one text of Nix bindings, `name = value;` each, or a mapping from names \
                  to expressions."
                .to_owned(),
            forms: vec![Shape::Text("Nix bindings"), IndexMap::<String, NixText>::shape(b)],
            ..Definition::default()
        })
    }
}

impl Describe for NixItem {
    fn shape(book: &mut Book) -> Shape {
        book.define("NixItem", |b| Definition {
            doc: "An element of a Nix list: its expression, or a mapping that says when and why it stands there.".to_owned(),
            fields: vec![
                Field { required: true, ..key::<NixText>(b, "value", "The expression.") },
                key::<When>(b, "when", "Only under this condition."),
                key::<String>(b, "comment", "Why."),
            ],
            forms: vec![NixText::shape(b)],
            ..Definition::default()
        })
    }
}

impl Describe for Step {
    fn shape(book: &mut Book) -> Shape {
        type Name = Spanned<String>;
        book.define("Step", |b| Definition {
            doc: "A step of a phase: a mapping with exactly one action beside `id`, `when`, `otherwise` and `comment`.".to_owned(),
            words: vec![Word {
                word: "standard",
                doc: "The standard step of this phase for all CMake projects.".to_owned(),
            }],
            fields: vec![
                key::<Name>(b, "standard", "The standard step of this phase for a CMake project, or for `all` of them."),
                key::<OneOrMany<Text>>(b, "run", "A command: a list of words, or one text split at spaces. Each word is quoted."),
                key::<RunWith>(b, "run-with", "A command with an environment of its own."),
                key::<Replace>(b, "replace", "Literal text replaced in files."),
                key::<Sed>(b, "sed", "A sed script over files."),
                key::<Text>(b, "patch", "A patch applied here."),
                key::<Vec<Name>>(b, "cherry-pick", "Commits picked from the same repository."),
                key::<Submodule>(b, "submodule", "A submodule pointed at a source."),
                key::<Text>(b, "wheel", "A Python wheel, built from this folder or installed into it."),
                key::<Licence>(b, "licence", "A licence file installed."),
                key::<FromTo>(b, "move", "Files moved."),
                key::<FromTo>(b, "copy", "Copied with its mode, folders with all that they hold."),
                key::<FromTo>(
                    b,
                    "install-file",
                    "Installed as data, mode 644; `/etc/x` lies below what the package installs, and a place that ends in `/` is a folder.",
                ),
                key::<FromTo>(b, "symlink", "A symbolic link."),
                key::<OneOrMore<Text>>(b, "remove", "Files and folders removed, which must be there; a folder that ends in `/` may be absent. A pattern may be used."),
                key::<OneOrMore<Text>>(b, "make-folder", "Folders made."),
                key::<ConfigFile>(b, "config-file", "A file written with these lines; `/etc/x` lies below what the package installs."),
                key::<Text>(b, "enter", "The folder changed for the rest of the phase."),
                key::<Inside>(b, "inside", "Steps inside a folder, which is left afterwards."),
                key::<IndexMap<String, Text>>(b, "export", "Variables exported."),
                key::<IndexMap<String, OneOrMany<Text>>>(b, "local", "Variables of the phase function."),
                key::<Each>(b, "each", "Steps for each of some items."),
                key::<Vec<Self>>(b, "group", "Steps under the condition of this step."),
                key::<Text>(
                    b,
                    "raw",
                    "Shell text, its references answered and a dollar sign before `{` written `$$`: the last resort, and counted.",
                ),
                key::<Name>(b, "id", "Its name, by which a later layer changes or removes it."),
                key::<When>(b, "when", "Only under this condition."),
                key::<Vec<Self>>(b, "otherwise", "Steps done when the condition does not hold."),
                key::<String>(
                    b,
                    "checked",
                    "The releases that it is known to fit, beside the one that the distribution ships.",
                ),
                key::<String>(b, "comment", "Why; becomes a comment."),
            ],
            ..Definition::default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::step::ACTIONS;

    #[test]
    fn every_action_is_described() {
        let mut book = Book::default();
        Step::shape(&mut book);
        let step = book.get("Step").unwrap();
        let keys: Vec<&str> = step.fields.iter().map(|f| f.key.as_str()).collect();
        let known: Vec<&str> =
            ACTIONS.iter().copied().chain(["id", "when", "otherwise", "checked", "comment"]).collect();
        assert_eq!(keys, known);
    }
}
