//! Values of an ebuild that contain expansions of bash. Their known parts are typed, and the rest
//! keeps its text.

use crate::value::dep::{Dep, Required, Written};
use rocpkg_pms::{Iuse, Leaf, Spec, SyntaxError};
use rocpkg_render::Unprintable;
use rocpkg_render::bash::{
    Operation, Piece, Prefix, Quoting, Script, Stmt, Value, Word, is_identifier,
};
use std::fmt;

/// A leaf of a specification in an ebuild: a value, or a word that bash expands, such as
/// `${P}.tar.gz` or `$(pypi_sdist_url)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Open<T> {
    /// A value.
    Value(T),
    /// A word as it is written, with its expansions.
    Text(Written),
}

impl<T: fmt::Display> fmt::Display for Open<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Value(value) => value.fmt(f),
            Self::Text(text) => text.fmt(f),
        }
    }
}

impl<T: Leaf> Leaf for Open<T> {
    const NAME: &'static str = T::NAME;
    const ANY_OF: bool = T::ANY_OF;
    const COUNTED: bool = T::COUNTED;
    const EMPTY_GROUPS: bool = T::EMPTY_GROUPS;
    const ANY_WORD: bool = T::ANY_WORD;
    const ARROW: bool = T::ARROW;

    fn read(word: &str) -> Result<Self, SyntaxError> {
        if word.contains("${") {
            return Ok(Self::Text(Written::new(word)));
        }
        T::read(word).map(Self::Value)
    }

    fn rename(self, word: &str) -> Result<Self, SyntaxError> {
        match self {
            Self::Value(value) if !word.contains("${") => value.rename(word).map(Self::Value),
            address => Ok(Self::Text(Written::new(format!("{address} -> {word}")))),
        }
    }
}

/// The function of `llvm-r2.eclass` that repeats dependencies for each slot of LLVM.
pub(crate) const LLVM: &str = "llvm_gen_dep";

/// The function of `python-any-r1.eclass` that repeats dependencies for each version of Python.
pub(crate) const PYTHON_ANY: &str = "python_gen_any_dep";

/// The function of `python-single-r1.eclass` that repeats dependencies for each version of Python.
pub(crate) const PYTHON_COND: &str = "python_gen_cond_dep";

/// A call of an eclass's function that repeats its dependencies for some versions of a language:
/// `$(python_gen_cond_dep 'dev-python/numpy[${PYTHON_USEDEP}]' python3_12)`.
#[derive(Clone, Debug, PartialEq)]
pub struct Call {
    /// The name of the function.
    pub function: Written,
    /// The dependencies in the first argument.
    pub depends: Spec<Dep>,
    /// The further arguments, as they are written.
    pub words: Vec<Written>,
}

impl Call {
    /// Makes a call of a function.
    ///
    /// ```
    /// use rocpkg_gentoo::{Call, Dep};
    /// use rocpkg_pms::{Node, Spec};
    ///
    /// let depends = "dev-python/numpy[${PYTHON_USEDEP}]".parse()?;
    /// let call = Call::new("python_gen_cond_dep", depends, [])?;
    /// let spec = Spec::new([Node::Leaf(Dep::from(call))]);
    /// assert_eq!(
    ///     spec.to_string(),
    ///     "$(python_gen_cond_dep \"dev-python/numpy[\\${PYTHON_USEDEP}]\")"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A function name that is no valid name.
    pub fn new(
        function: &str,
        depends: Spec<Dep>,
        words: impl IntoIterator<Item = Word>,
    ) -> Result<Self, Unprintable> {
        if !is_identifier(function) {
            return Err(Unprintable::Name(function.to_owned()));
        }
        let words = words.into_iter().map(|word| word.print(Quoting::Whole));
        Ok(Self {
            words: words.map(Written::new).collect(),
            ..Self::of(function, depends)
        })
    }

    /// Makes a call of `function` without further arguments. The name is not checked.
    pub(crate) fn of(function: &str, depends: Spec<Dep>) -> Self {
        Self {
            function: Written::new(function),
            depends,
            words: Vec::new(),
        }
    }

    /// Returns the further arguments, each with a blank before it.
    pub(crate) fn rest(&self) -> String {
        self.words.iter().map(|word| format!(" {word}")).collect()
    }
}

impl From<Call> for Dep {
    fn from(call: Call) -> Self {
        Self::Call(Box::new(call))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let depends = self.depends.to_string().replace("${", "\\${");
        write!(f, "$({} \"{depends}\"{})", self.function, self.rest())
    }
}

/// The text of a value, with a variable in the place of each part that only bash can expand: `a? (
/// $(f x) )` → `a? ( ${__part_0} )`. Such a text can be parsed as a specification.
#[derive(Clone, Default)]
pub(crate) struct Template {
    text: String,
    holes: Vec<Hole>,
}

/// A part of a value that only bash can expand, such as `$(f x)`: its text and, if it repeats
/// dependencies, the call.
#[derive(Clone)]
struct Hole {
    written: String,
    call: Option<Call>,
}

impl Template {
    /// Adds the text of a word, with a variable for each part that only bash can expand.
    pub(crate) fn push(&mut self, word: &Word) {
        if let Some(text) = word.text() {
            return self.text.push_str(&text);
        }
        // A word from code is printed and read again, so that it has the same pieces as one that
        // was read.
        let read = Script::read(&format!("x={}\n", word.print(Quoting::Whole)));
        let made = read.iter().flat_map(|script| script.values("x")).next();
        match made.filter(|_| !word.is_written()) {
            Some(Value::Word(read)) => read.pieces().for_each(|piece| self.piece(piece)),
            _ => word.pieces().for_each(|piece| self.piece(piece)),
        }
    }

    fn piece(&mut self, piece: &Piece) {
        match piece {
            Piece::Bare(text) | Piece::Single(text) => self.text.push_str(text),
            Piece::Escaped(c) => self.text.push(*c),
            Piece::Joined => {}
            Piece::Double(pieces) => pieces.iter().for_each(|piece| self.piece(piece)),
            Piece::Expansion(expansion)
                if expansion.index.is_none()
                    && expansion.prefix == Prefix::None
                    && expansion.operation == Operation::None =>
            {
                self.text.push_str(&format!("${{{}}}", expansion.name));
            }
            piece => {
                let call = match piece {
                    Piece::Substitution(stmts) => call(stmts),
                    _ => None,
                };
                let written = Word::from(piece.clone()).print(Quoting::Whole);
                let name = self.hide(written, call);
                self.text.push_str(&name);
            }
        }
    }

    /// Returns `text`, a part of the template, with its variables replaced by the original parts:
    /// `${__part_0}` → `$(f x)`.
    fn filled(&self, text: &str) -> String {
        let holes = self.holes.iter().enumerate().rev();
        holes.fold(text.to_owned(), |text, (at, part)| {
            text.replace(&hole(at), &part.written)
        })
    }

    /// Returns the part that the variable `name` stands for; `None` for a variable of the ebuild.
    fn hole(&self, name: &str) -> Option<&Hole> {
        let at = name.strip_prefix(HOLE)?.parse::<usize>().ok()?;
        self.holes.get(at)
    }

    /// Parses the template as a specification. Its leaves have the original text of the parts that
    /// only bash can expand.
    ///
    /// # Errors
    /// A text that is no valid specification.
    pub(crate) fn spec<T: Filled>(&self) -> Result<Spec<T>, SyntaxError> {
        // A condition whose flag only bash can expand is read as a word before its group.
        let mut open = self.clone();
        let words = self.text.split_whitespace().map(|word| {
            let condition = word.strip_suffix('?').filter(|flag| flag.contains("${"));
            condition.map_or_else(|| word.to_owned(), |_| open.hide(self.filled(word), None))
        });
        let words: Vec<String> = words.collect();
        let spec: Spec<T> = words.join(" ").parse()?;
        Ok(spec.map(|leaf| leaf.filled(&open)))
    }

    /// Stores a part that only bash can expand, and returns the variable that stands for it.
    fn hide(&mut self, written: String, call: Option<Call>) -> String {
        let name = hole(self.holes.len());
        self.holes.push(Hole { written, call });
        name
    }

    /// Parses the template as `IUSE`. Returns the flags, and separately the words with variables or
    /// other expansions, which are no flags until bash runs.
    ///
    /// # Errors
    /// A word that is no USE flag.
    pub(crate) fn iuse(&self) -> Result<(Iuse, Vec<Written>), SyntaxError> {
        let (open, flags): (Vec<&str>, Vec<&str>) = self
            .text
            .split_whitespace()
            .partition(|word| word.contains("${"));
        let open = open.into_iter().map(|word| Written::new(self.filled(word)));
        Ok((flags.join(" ").parse()?, open.collect()))
    }
}

const HOLE: &str = "__part_";

fn hole(at: usize) -> String {
    format!("${{{HOLE}{at}}}")
}

/// Returns the call if `stmts` are a single call of a function whose first argument has at least
/// one atom; else `None`.
fn call(stmts: &[Stmt]) -> Option<Call> {
    let stmts: Vec<&Stmt> = stmts.iter().filter(|s| !matches!(s, Stmt::Blank)).collect();
    let [Stmt::Command(command)] = stmts.as_slice() else {
        return None;
    };
    let [function, depends, rest @ ..] = command.words.as_slice() else {
        return None;
    };
    let mut template = Template::default();
    template.push(depends);
    let words = rest.iter().map(|word| word.print(Quoting::Whole));
    let is_given = |dep: &&Dep| matches!(dep, Dep::Atom(..) | Dep::Open(_));
    let depends: Spec<Dep> = template.spec().ok().filter(|_| command.is_words())?;
    depends.leaves().into_iter().find(|dep| is_given(dep))?;
    Some(Call {
        function: Written::new(function.as_literal()?),
        depends,
        words: words.map(Written::new).collect(),
    })
}

/// A leaf of a specification that was parsed from a [`Template`]. `filled` replaces the template's
/// variables in the leaf by the original text.
pub(crate) trait Filled: Leaf {
    fn filled(&self, template: &Template) -> Self;
}

impl Filled for Dep {
    fn filled(&self, template: &Template) -> Self {
        match self {
            Self::Expansion(name) => match template.hole(name) {
                None => self.clone(),
                Some(Hole {
                    call: Some(call), ..
                }) => Self::Call(Box::new(call.clone())),
                Some(Hole { written, .. }) => Self::Open(Written::new(written.as_str())),
            },
            Self::Open(text) => Self::Open(Written::new(template.filled(text))),
            other => other.clone(),
        }
    }
}

impl Filled for Required {
    fn filled(&self, template: &Template) -> Self {
        match self {
            Self::Expansion(name) if template.hole(name).is_some() => {
                let written = template.filled(&format!("${{{}}}", &**name));
                Self::Open(Written::new(written))
            }
            other => other.clone(),
        }
    }
}

impl<T: Leaf + Clone> Filled for Open<T> {
    fn filled(&self, template: &Template) -> Self {
        match self {
            Self::Text(text) => Self::Text(Written::new(template.filled(text))),
            Self::Value(value) => Self::Value(value.clone()),
        }
    }
}
