//! The list of todos: all that is left to a person after a run, by recipe. The state of a
//! recipe, the exit status, and all that is printed or committed are functions of these lists.

use crate::backend::Backend;
use crate::kinds::kinds;
#[cfg(feature = "serde")]
use serde::Serialize;

kinds! {
    /// The kind of a [`Todo`]. Kinds that usually block come first.
    TodoKind: heading;
    /// The recipe was asked for, and was neither edited nor written.
    Untouched = "untouched": "not touched",
    /// The last check stopped the new text of the recipe. The file on disk is the old one.
    Gate = "gate": "not written",
    /// The recipe can't be committed: it, or a file that it uses, has changes of others.
    Uncommitted = "uncommitted": "not committed",
    /// The recipe needs a recipe of which something is left.
    Waits = "waits": "waits",
    /// The eclass that an ebuild inherits does not know the release.
    Eclass = "eclass": "eclass without the release",
    /// The recipe can't be built with a version of LLVM that it names, or not as a whole.
    Compiler = "compiler": "version of LLVM",
    /// The recipe contradicts itself, or has a value that the package manager refuses.
    Refused = "refused": "refused by the package manager, or contradictory",
    /// The model changes an item of which the recipe has neither the old nor the new value.
    Conflict = "conflict": "changed by the model and by hand",
    /// A fact of another release stayed in the recipe.
    Leftover = "leftover": "of another release",
    /// A patch does not apply to upstream's sources.
    Patch = "patch": "patch that does not apply",
    /// A step of the model fails on upstream's sources.
    Step = "step": "step that fails on upstream's files",
    /// A file that the recipe uses is missing.
    File = "file": "file that is missing",
    /// A checksum is unknown.
    Sum = "checksum": "checksum that is unknown",
    /// A fact of the recipe is a guess.
    Guess = "guess": "guess",
    /// A fact that nobody tried or checked for the release: a patch, an option, a text to replace.
    Untried = "untried": "not tried at this release",
    /// A bound of a dependency on a package outside of the model.
    Bound = "bound": "bound of a version",
    /// GPU targets that the recipe gains or loses.
    Target = "target": "GPU targets",
    /// An item that left the recipe with a change, such as a comment or a patch.
    Removed = "removed": "removed",
    /// The recipe was at the release already, and differs from the model.
    Differs = "differs": "differs from the model",
    /// The recipe is of a newer release than the requested one.
    Newer = "newer": "newer",
    /// The recipe was not asked for, and the release concerns it.
    Unasked = "unasked": "not asked for",
    /// Another remark.
    Note = "note": "note",
}

impl TodoKind {
    /// Returns true if a recipe with a todo of this kind is usually not done.
    pub fn usually_blocks(self) -> bool {
        self <= Self::Guess
    }

    /// Returns true if a commit of the recipe ends todos of this kind: a person has seen the
    /// change.
    pub(super) fn ends_by_commit(self) -> bool {
        matches!(
            self,
            Self::Untried | Self::Bound | Self::Target | Self::Removed
        )
    }
}

/// A place in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct TodoPlace {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
}

/// A change of the model that was not made.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(Serialize))]
pub struct UnmadeChange {
    /// The keys that lead to the item, the outermost first, such as `depends` and `rocm-core`.
    pub item: Vec<String>,
    /// The item's text in the rendering at the old release. `None` if the item is new.
    pub before: Option<String>,
    /// The item's text in the rendering at the new release. `None` if the item was removed.
    pub after: Option<String>,
    /// The item's text in the existing recipe. `None` if the recipe does not have the item.
    #[cfg_attr(feature = "serde", serde(rename = "there"))]
    pub existing: Option<String>,
    /// The reason why the change was not made, unless the recipe only differs from both
    /// renderings.
    pub reason: Option<String>,
}

/// One thing that is left to a person, with its place.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct Todo {
    /// The path of the recipe, relative to the checkout.
    pub recipe: String,
    /// The place in the recipe as it is on disk after the run. `None` if the todo is about the
    /// whole recipe, or about another file.
    pub place: Option<TodoPlace>,
    /// The kind.
    pub kind: TodoKind,
    /// Set if the recipe is not done until a person has done this.
    pub blocks: bool,
    /// The thing that is left, as a clause: `` `files/a.patch` is missing ``.
    pub text: String,
    /// The file or the address that the todo is about, if it is about one: `files/a.patch`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub subject: Option<String>,
    /// The change of the model, if the todo is about one.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub change: Option<UnmadeChange>,
}

impl Todo {
    /// Returns a todo about a whole recipe, which blocks if its kind usually does.
    pub fn new(recipe: impl Into<String>, kind: TodoKind, text: impl Into<String>) -> Self {
        Self {
            recipe: recipe.into(),
            place: None,
            kind,
            blocks: kind.usually_blocks(),
            text: text.into(),
            subject: None,
            change: None,
        }
    }

    /// Sets the place.
    #[must_use]
    pub fn at(mut self, line: usize, column: usize) -> Self {
        self.place = Some(TodoPlace { line, column });
        self
    }

    /// Sets the file or the address that the todo is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = Some(subject.into());
        self
    }

    /// Returns the recipe and the place as `FILE:LINE:COLUMN`, or only the recipe.
    pub fn place(&self) -> String {
        match self.place {
            Some(TodoPlace { line, column }) => format!("{}:{line}:{column}", self.recipe),
            None => self.recipe.clone(),
        }
    }
}

/// A recipe after a run: its versions, and its todos.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(Serialize))]
#[non_exhaustive]
pub struct RecipeReport {
    /// The distribution.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub backend: Backend,
    /// The package's id.
    pub package: String,
    /// The name of the recipe in lists: the distribution's name of the package, or the folder of a
    /// recipe whose folder has another name.
    pub name: String,
    /// Set if the recipe is in a folder of another name than the package's.
    pub is_fork: bool,
    /// The path of the recipe, relative to the checkout. Empty for a package without a recipe.
    pub recipe: String,
    /// The version that the existing recipe stated before the run. `None` for a new recipe, and
    /// for one that states none.
    pub from: Option<String>,
    /// The version that the recipe states after the run.
    pub version: Option<String>,
    /// Set if the recipe states another version than the model's recipe at the release.
    pub is_behind: bool,
    /// The paths of the patches that the recipe applies, relative to the checkout.
    pub patches: Vec<String>,
    /// Set if the run wrote the recipe, or would write it.
    pub is_changed: bool,
    /// The version from which the conflicts of a recipe are, if the recipe was at the release
    /// before the run, and the origin of the version: `7.1.1, by the last commit`.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub since: Option<String>,
    /// The number of items that differ from the model, if the recipe was at the release before the
    /// run.
    pub differences: usize,
    /// All that is left, in the order of the file. Todos about the whole recipe come first.
    pub todos: Vec<Todo>,
}

impl RecipeReport {
    /// Returns a report on a file of the checkout that is no recipe, without todos.
    pub fn of_file(backend: Backend, path: &str) -> Self {
        Self {
            name: path.to_owned(),
            ..Self::new(backend, "", path)
        }
    }

    /// Returns a report without todos.
    pub(super) fn new(backend: Backend, package: &str, recipe: &str) -> Self {
        Self {
            backend,
            package: package.to_owned(),
            name: package.to_owned(),
            is_fork: false,
            recipe: recipe.to_owned(),
            from: None,
            version: None,
            is_behind: false,
            patches: Vec::new(),
            is_changed: false,
            since: None,
            differences: 0,
            todos: Vec::new(),
        }
    }

    /// Returns the key of the recipe among those of a run: the package's id, or the name of a
    /// recipe in a folder of another name.
    pub fn key(&self) -> &str {
        if self.is_fork || self.package.is_empty() {
            &self.name
        } else {
            &self.package
        }
    }

    /// Returns the todos that block.
    pub fn blocking(&self) -> impl Iterator<Item = &Todo> {
        self.todos.iter().filter(|todo| todo.blocks)
    }

    /// Returns true if nothing blocks.
    pub fn is_done(&self) -> bool {
        self.blocking().next().is_none()
    }

    /// Returns the number of todos of a kind that block.
    pub fn count(&self, kind: TodoKind) -> usize {
        self.blocking().filter(|todo| todo.kind == kind).count()
    }

    /// Returns true if the recipe was not touched, because it could not be or was not asked for.
    pub fn is_untouched(&self) -> bool {
        let is_one = |todo: &Todo| {
            let kinds = [TodoKind::Untouched, TodoKind::Newer, TodoKind::Unasked];
            kinds.contains(&todo.kind)
        };
        self.todos.iter().any(is_one)
    }

    /// Returns the state in one word: `done`, `kept` (at the release before, and different from the
    /// model), `left`, `lacking` (files or checksums), `untouched`.
    pub fn state(&self) -> &'static str {
        let lacks = |todo: &Todo| matches!(todo.kind, TodoKind::File | TodoKind::Sum);
        if self.is_untouched() {
            "untouched"
        } else if self.is_done() {
            if self.differences > 0 { "kept" } else { "done" }
        } else if self.blocking().all(lacks) {
            "lacking"
        } else {
            "left"
        }
    }

    /// Adds a todo, unless the list has the same one.
    pub fn add(&mut self, todo: Todo) {
        if !self.todos.contains(&todo) {
            self.todos.push(todo);
        }
    }

    pub(super) fn sort(&mut self) {
        self.todos
            .sort_by(|a, b| (a.place, a.kind, &a.text).cmp(&(b.place, b.kind, &b.text)));
    }
}

/// The result of a run, by which its exit status is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ending {
    /// Nothing blocks.
    Done,
    /// Something blocks.
    Left,
    /// No recipe could be touched, and something blocks.
    Nothing,
}

/// Returns the result of a run with these recipes.
pub fn ending(recipes: &[RecipeReport]) -> Ending {
    if recipes.iter().all(RecipeReport::is_done) {
        Ending::Done
    } else if recipes.iter().all(RecipeReport::is_untouched) {
        Ending::Nothing
    } else {
        Ending::Left
    }
}
