//! The global scope of a bash recipe, as a list of items with access to its variables.

use super::print::{Style, print};
use super::read::read;
use super::stmt::{Assigned, Assignment, Item, Scope, Stmt};
use super::visit::{Seen, raw, visit};
use super::word::{Part, Piece, Quoting, Word};
use rocpkg_syntax::Unreadable;

/// A bash recipe: an ebuild, an eclass or a PKGBUILD, as the list of the items of its global scope.
/// Items are variables, calls, conditions, loops, functions and comments.
///
/// ```
/// use rocpkg_bash::{Script, Stmt};
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
    /// When the text is not bash, with the offset of the first fault. When it is too deep or too
    /// long.
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

    /// Prints the recipe in a style. Comments and blank lines between items are kept. The style
    /// decides how items are wrapped and indented.
    pub fn print(&self, style: &Style) -> String {
        print(&self.items, style)
    }

    /// Returns the text of each [`Stmt::Raw`], at any depth: statements that have no typed form.
    pub fn raw(&self) -> Vec<String> {
        raw(&self.items)
    }

    /// Returns the values that are assigned to a variable outside conditions and functions, in
    /// order. For `name+=`, the value is the added text.
    pub fn values<'a>(&'a self, name: &'a str) -> impl Iterator<Item = Value<'a>> {
        let items = self.items.iter();
        items.flat_map(move |item| values_of(bare(item), name))
    }

    /// Returns the text of a variable between its quotes. Expansions in it are returned as written:
    /// `~amd64 ${X}`. Returns `None` if the variable is not set, is an array, or is set in several
    /// places.
    pub fn text(&self, name: &str) -> Option<String> {
        let mut all = self.values(name);
        match (all.next()?, all.next(), self.is_set_inside(name)) {
            (Value::Word(word), None, false) => Some(word.inside_quotes()),
            _ => None,
        }
    }

    /// Returns true if a condition, a loop, a list of the global scope or a function sets a
    /// variable.
    pub fn is_set_inside(&self, name: &str) -> bool {
        let outside = self.values(name).count();
        sets(&self.items, name) > outside
    }

    /// Returns the statements of a function. Returns `None` if the global scope does not define it
    /// as `name() { … }`: a body in parentheses or with a redirection is no [`Stmt::Function`].
    pub fn function(&self, name: &str) -> Option<&[Stmt]> {
        self.items.iter().find_map(|item| match bare(item) {
            Stmt::Function { name: own, body } if own == name => Some(body.as_slice()),
            _ => None,
        })
    }

    /// Returns the words of each call of a command outside functions, conditions and lists, such as
    /// `inherit` or `EXPORT_FUNCTIONS`.
    pub fn calls<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a [Word]> {
        let words = self.items.iter().filter_map(|item| match bare(item) {
            Stmt::Command(command) => command.words.split_first(),
            _ => None,
        });
        words
            .filter(move |(first, _)| first.as_literal() == Some(name))
            .map(|(_, rest)| rest)
    }

    /// Sets the variable `name` to `value`. The last assignment outside conditions and functions is
    /// replaced. Without such an assignment, the only assignment in a branch of a condition is
    /// replaced. Without that, an assignment is added after the last variable above the functions.
    /// No other item changes.
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

    /// Adds a word to the list `name`: an element to an array, or a word to the text of the
    /// variable. A variable that is not set yet is set to a text. If only conditions set the
    /// variable, a `+=` is added after them. No other item changes.
    pub fn add(&mut self, name: &str, word: &str) {
        let add = |item: &mut Stmt| added(item, &Word::lit(word), word);
        self.add_as(name, add, |append| {
            let blank = if append { " " } else { "" };
            Stmt::Assign {
                scope: Scope::Plain,
                name: name.to_owned(),
                append,
                value: Word::quoted(format!("{blank}{word}")),
            }
        });
    }

    /// Adds a word like [`Script::add`]. A variable that is not set yet is set to an array.
    pub fn add_element(&mut self, name: &str, word: impl Into<Word>) {
        let word = word.into();
        let text = word.as_literal().map(str::to_owned);
        let text = text.unwrap_or_else(|| word.inside_quotes());
        let add = |item: &mut Stmt| added(item, &word, &text);
        self.add_as(name, add, |append| Stmt::Array {
            scope: Scope::Plain,
            name: name.to_owned(),
            append,
            items: vec![Item::from(word.clone())],
            tall: false,
        });
    }

    /// Extends the last assignment of `name` by `add`. If it can't be extended, or if there is
    /// none, adds the statement that `more` returns: `more(true)` for a `+=`, `more(false)` for a
    /// new assignment.
    fn add_as(
        &mut self,
        name: &str,
        add: impl FnOnce(&mut Stmt) -> bool,
        more: impl Fn(bool) -> Stmt,
    ) {
        if let Some(at) = self.last(name)
            && add(bare_mut(&mut self.items[at]))
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

    /// Sets the statements of a function. A function that [`Script::function`] does not find is
    /// added below all items.
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

    /// Returns the index of the last item outside conditions and functions that sets only the
    /// variable `name`.
    fn last(&self, name: &str) -> Option<usize> {
        self.items.iter().rposition(|item| match bare(item) {
            Stmt::Assign { name: own, .. } | Stmt::Array { name: own, .. } => own == name,
            _ => false,
        })
    }

    /// Inserts an item after the last variable above the functions, and below `inherit`.
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

/// Returns true if the item is the definition of a function.
fn is_function(item: &Stmt) -> bool {
    matches!(bare(item), Stmt::Function { .. } | Stmt::Define(..))
}

/// Returns a statement without the comment after it.
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

/// Adds the assignments of the variable `name` in branches of conditions to `all`.
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

/// Returns the values that one statement assigns to a variable.
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

/// Returns true if bash expands nothing in the text between double quotes.
fn is_plain(text: &str) -> bool {
    !text.contains(['$', '`', '"', '\\'])
}

/// Returns the number of times that statements set a variable, at any depth.
fn sets(items: &[Stmt], name: &str) -> usize {
    let mut count = 0;
    visit(items, &mut |seen| {
        count += usize::from(matches!(seen, Seen::Variable(own) if own == name));
    });
    count
}

/// Adds `word` to the array that a statement sets, or `text` to the list in its text. Returns
/// false, and adds nothing, if the statement is no assignment of a text or an array.
fn added(item: &mut Stmt, word: &Word, text: &str) -> bool {
    match item {
        Stmt::Array { items, .. } => items.push(Item::from(word.clone())),
        Stmt::Assign { value, .. } => value.push_to_list(text),
        _ => return false,
    }
    true
}

impl Word {
    /// Returns true if the word is the literal `text`.
    fn is(&self, text: &str) -> bool {
        self.as_literal() == Some(text)
    }

    /// Returns the word as written, without the quotes around its parts.
    pub fn inside_quotes(&self) -> String {
        let parts = self.parts.iter().map(|part| {
            let part = Self {
                parts: vec![part.clone()],
                ..Self::default()
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

    /// Adds a word to the end of a list between quotes. It gets a line of its own if the list ends
    /// with a line break.
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
