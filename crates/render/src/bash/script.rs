//! The global scope of a recipe of bash as a list of its items, with access to its variables.

use super::print::{Style, print};
use super::read::read;
use super::stmt::{Assigned, Assignment, Item, Scope, Stmt};
use super::visit::{Seen, raw, visit};
use super::word::{Part, Piece, Quoting, Word};
use rocpkg_syntax::Unreadable;

/// A recipe of bash: an ebuild, an eclass or a PKGBUILD by the items of its global scope, in their
/// order. Variables, calls, conditions, loops, functions and comments are items.
///
/// ```
/// use rocpkg_render::bash::{Script, Stmt};
///
/// let mut script = Script::read("IUSE=\"test\"\ninherit cmake\n\nsrc_test() {\n\t:\n}\n")?;
/// assert_eq!(script.text("IUSE").as_deref(), Some("test"));
/// script.add("IUSE", "doc");
/// assert_eq!(script.text("IUSE").as_deref(), Some("test doc"));
/// assert!(matches!(script.items.last(), Some(Stmt::Function { .. })));
/// # Ok::<(), rocpkg_syntax::Unreadable>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Script {
    /// The items.
    pub items: Vec<Stmt>,
}

/// The value of a variable of the global scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `name=word`
    Word(&'a Word),
    /// `name=( … )`
    Array(&'a [Item]),
}

impl Script {
    /// Reads a recipe.
    ///
    /// # Errors
    /// The first byte that is no bash, and a text that is too deep or too long.
    pub fn read(text: &str) -> Result<Self, Unreadable> {
        let items = read(text)?;
        Ok(Self { items })
    }

    /// Adds an item below all others.
    #[must_use]
    pub fn with(mut self, item: Stmt) -> Self {
        self.items.push(item);
        self
    }

    /// Prints the recipe in a style. Comments and blank lines between items stay; how an item is
    /// wrapped and indented is the style's.
    pub fn print(&self, style: &Style) -> String {
        print(&self.items, style)
    }

    /// Returns the texts of statements that have no typed form; see [`Stmt::Raw`].
    pub fn raw(&self) -> Vec<String> {
        raw(&self.items)
    }

    /// Returns the values that are given to a variable outside of conditions and functions, in
    /// order. That of `name+=` is what is added.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Value<'a>> {
        let items = self.items.iter();
        items.flat_map(move |item| values_of(bare(item), name))
    }

    /// Returns the text of a variable between its quotes, with what bash expands in it as it is
    /// written: `~amd64 ${X}`. None if it is not set, is an array, or is set in several places.
    pub fn text(&self, name: &str) -> Option<String> {
        let mut all = self.values(name);
        match (all.next()?, all.next(), self.is_set_inside(name)) {
            (Value::Word(word), None, false) => Some(word.inside_quotes()),
            _ => None,
        }
    }

    /// Returns true if a condition, a loop or a list of the global scope sets a variable, or a
    /// function does.
    pub fn is_set_inside(&self, name: &str) -> bool {
        let outside = self.values(name).count();
        sets(&self.items, name) > outside
    }

    /// Returns the statements of a function; none if it is not defined in the global scope.
    pub fn function(&self, name: &str) -> Option<&[Stmt]> {
        self.items.iter().find_map(|item| match bare(item) {
            Stmt::Function { name: own, body } if own == name => Some(body.as_slice()),
            _ => None,
        })
    }

    /// Returns the words of the calls of a command outside of functions, conditions and lists:
    /// `inherit`, `EXPORT_FUNCTIONS`.
    pub fn calls<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [Word]> {
        let words = self.items.iter().filter_map(|item| match bare(item) {
            Stmt::Command(command) => command.words.split_first(),
            _ => None,
        });
        words
            .filter(move |(first, _)| first.as_literal() == Some(name))
            .map(|(_, rest)| rest)
    }

    /// Sets a variable to a word: where it is set last outside of conditions and functions, else in
    /// the branch that alone sets it, else behind the last variable. No other item changes.
    pub fn set(&mut self, name: &str, value: Word) {
        let set = Stmt::assign(Scope::Plain, name, value);
        if let Some(at) = self.last(name) {
            *bare_mut(&mut self.items[at]) = set;
            return;
        }
        let mut inside = Vec::new();
        branches_that_set(&mut self.items, name, &mut inside);
        match inside.as_mut_slice() {
            [one] => **one = set,
            _ => self.insert(set),
        }
    }

    /// Adds a word to a list: an element to an array, else a word to the text of the variable. A
    /// variable that is not set yet is set to a text; one that is set in conditions alone is added
    /// to behind them. No other item changes.
    pub fn add(&mut self, name: &str, word: &str) {
        self.add_as(name, word, |append| {
            let blank = if append { " " } else { "" };
            Stmt::Assign {
                scope: Scope::Plain,
                name: name.to_owned(),
                append,
                value: Word::quoted(format!("{blank}{word}")),
            }
        });
    }

    /// Adds a word as [`Script::add`] does. A variable that is not set yet is set to an array.
    pub fn add_element(&mut self, name: &str, word: &str) {
        self.add_as(name, word, |append| Stmt::Array {
            scope: Scope::Plain,
            name: name.to_owned(),
            append,
            items: vec![Item::from(Word::lit(word))],
            tall: false,
        });
    }

    /// Adds a word to the list that sets a variable last, else by a statement of its own.
    fn add_as(&mut self, name: &str, word: &str, more: impl Fn(bool) -> Stmt) {
        if let Some(at) = self.last(name)
            && added(bare_mut(&mut self.items[at]), word)
        {
            return;
        }
        let is_inside =
            |item: &Stmt| !is_function(item) && sets(std::slice::from_ref(item), name) > 0;
        match self.items.iter().rposition(is_inside) {
            Some(at) => self.items.insert(at + 1, more(true)),
            None => self.insert(more(false)),
        }
    }

    /// Sets the statements of a function, at its place or below all others.
    pub fn set_function(&mut self, name: &str, statements: Vec<Stmt>) {
        let found = self.items.iter_mut().map(bare_mut);
        let mut bodies = found.filter_map(|item| match item {
            Stmt::Function { name: own, body } if own == name => Some(body),
            _ => None,
        });
        if let Some(body) = bodies.next() {
            *body = statements;
            return;
        }
        let name = name.to_owned();
        self.items.push(Stmt::Blank);
        self.items.push(Stmt::Function {
            name,
            body: statements,
        });
    }

    /// Returns the place of the last item outside of conditions that sets a variable alone.
    fn last(&self, name: &str) -> Option<usize> {
        self.items.iter().rposition(|item| match bare(item) {
            Stmt::Assign { name: own, .. } | Stmt::Array { name: own, .. } => own == name,
            _ => false,
        })
    }

    /// Inserts an item behind the last variable above the functions and below `inherit`.
    fn insert(&mut self, item: Stmt) {
        let first = self.items.iter().position(is_function);
        let head = &self.items[..first.unwrap_or(self.items.len())];
        let is_variable = |item: &Stmt| match bare(item) {
            Stmt::Assign { .. } | Stmt::Array { .. } | Stmt::Assignments(_) => true,
            Stmt::Command(command) => command.words.first().is_some_and(|w| w.is("inherit")),
            _ => false,
        };
        let at = head.iter().rposition(is_variable).map(|at| at + 1);
        let at = at.or(first).unwrap_or(self.items.len());
        self.items.insert(at, item);
    }
}

/// Returns true for the definition of a function.
fn is_function(item: &Stmt) -> bool {
    matches!(bare(item), Stmt::Function { .. } | Stmt::Define(..))
}

/// Returns a statement without the comment behind it.
fn bare(item: &Stmt) -> &Stmt {
    match item {
        Stmt::Noted(inner, _) => bare(inner),
        item => item,
    }
}

fn bare_mut(item: &mut Stmt) -> &mut Stmt {
    match item {
        Stmt::Noted(inner, _) => bare_mut(inner),
        item => item,
    }
}

/// Collects the assignments of a variable in branches of conditions.
fn branches_that_set<'a>(items: &'a mut [Stmt], name: &str, all: &mut Vec<&'a mut Stmt>) {
    for item in items {
        match bare_mut(item) {
            Stmt::If {
                branches,
                otherwise,
            } => {
                for (_, body) in branches {
                    branches_that_set(body, name, all);
                }
                branches_that_set(otherwise, name, all);
            }
            Stmt::Case { arms, .. } => {
                for arm in arms {
                    branches_that_set(&mut arm.body, name, all);
                }
            }
            item @ Stmt::Assign { .. } => {
                if matches!(item, Stmt::Assign { name: own, .. } if own == name) {
                    all.push(item);
                }
            }
            _ => {}
        }
    }
}

/// Returns the values that one statement gives to a variable.
fn values_of<'a>(item: &'a Stmt, name: &str) -> Vec<Value<'a>> {
    match item {
        Stmt::Assign {
            name: own, value, ..
        } if own == name => vec![Value::Word(value)],
        Stmt::Array {
            name: own, items, ..
        } if own == name => vec![Value::Array(items)],
        Stmt::Assignments(all) => {
            let own = all.iter().filter(|a| a.name == name && a.index.is_none());
            own.map(Assignment::value).collect()
        }
        _ => Vec::new(),
    }
}

impl Assignment {
    fn value(&self) -> Value<'_> {
        match &self.value {
            Assigned::Word(word) => Value::Word(word),
            Assigned::Array { items, .. } => Value::Array(items),
        }
    }
}

/// Returns true for a text in which bash expands nothing between double quotes.
fn is_plain(text: &str) -> bool {
    !text.contains(['$', '`', '"', '\\'])
}

/// Returns how often statements set a variable, at whatever depth.
fn sets(items: &[Stmt], name: &str) -> usize {
    let mut count = 0;
    visit(items, &mut |seen| {
        count += usize::from(matches!(seen, Seen::Variable(own) if own == name));
    });
    count
}

/// Adds a word to the list that a statement sets. Returns false for a statement that sets none.
fn added(item: &mut Stmt, word: &str) -> bool {
    match item {
        Stmt::Array { items, .. } => items.push(Item::from(Word::lit(word))),
        Stmt::Assign { value, .. } => value.push_to_list(word),
        _ => return false,
    }
    true
}

impl Word {
    /// Returns true for a word that is one literal text.
    fn is(&self, text: &str) -> bool {
        self.as_literal() == Some(text)
    }

    /// Returns the word as it is written, without the quotes around its parts.
    pub fn inside_quotes(&self) -> String {
        let parts = self.parts.iter().map(|part| {
            let part = Self {
                parts: vec![part.clone()],
            };
            let written = part.print(Quoting::Whole);
            let inside = ["\"", "'"].iter().find_map(|quote| {
                let inside = written.strip_prefix(quote)?.strip_suffix(quote)?;
                Some(inside.to_owned())
            });
            inside.unwrap_or(written)
        });
        parts.collect()
    }

    /// Adds a word to the end of a list between quotes: on a line of its own if the list ends with
    /// a line.
    fn push_to_list(&mut self, word: &str) {
        let is_empty = self.is_absent() || self.is("");
        let ends = self.inside_quotes();
        let last = ends.trim_end_matches(['\t', ' ']);
        let end = &ends[last.len()..];
        let more = if is_empty {
            word.to_owned()
        } else if last.ends_with('\n') {
            format!("{}{word}\n{end}", if end.is_empty() { "\t" } else { "" })
        } else {
            format!(" {word}")
        };
        let is_literal = self.as_literal().is_some_and(is_plain);
        match self.parts.last_mut() {
            Some(Part::Written(Piece::Double(pieces))) => pieces.push(Piece::Bare(more)),
            _ if is_empty || is_literal => {
                let text = format!("{ends}{more}");
                *self = Self::from(Piece::Double(vec![Piece::Bare(text)]));
            }
            _ => {
                let own = std::mem::take(self);
                *self = own.then(Self::from(Piece::Double(vec![Piece::Bare(more)])));
            }
        }
    }
}
