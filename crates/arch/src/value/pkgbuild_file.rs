//! A PKGBUILD that was read from text: the items of its global scope, with access to its fields.

use crate::value::ir::{Field, Pkgbuild};
use crate::value::pkgbuild::evaluated;
use crate::value::print::{STYLE, array};
use crate::value::srcinfo::Srcinfo;
#[cfg(feature = "checkout")]
use rocpkg_edit::{MergeResult, merge3_text};
use rocpkg_render::bash::{Quoting, Script, Seen, Stmt, Value, Word, visit};
use rocpkg_render::{Refused, Unprintable};
#[cfg(feature = "checkout")]
use rocpkg_shell::in_place;
use rocpkg_shell::{NewWord, Renaming, Setter, Undecided};
use rocpkg_syntax::{Surroundings, Unreadable};
use std::fmt;

/// A PKGBUILD that was read from text.
///
/// [`Pkgbuild`] makes new PKGBUILDs with their fields in one order. This type keeps the order, the
/// conditions and the comments of an existing PKGBUILD.
///
/// ```
/// use rocpkg_arch::{Field, Pkgbuild};
///
/// let text = "pkgname=hipthing\npkgver=1.2\npkgrel=1\narch=(x86_64)\ndepends=(glibc)\n";
/// let mut pkgbuild = Pkgbuild::read(text)?;
/// pkgbuild.add(Field::Depends, "hip-runtime-amd")?;
/// assert!(pkgbuild.to_string().contains("depends=(glibc hip-runtime-amd)\n"));
/// assert!(pkgbuild.srcinfo()?.to_string().contains("\tdepends = hip-runtime-amd\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PkgbuildFile {
    /// The items of the PKGBUILD's global scope.
    pub script: Script,
}

impl Pkgbuild {
    /// Reads an existing PKGBUILD.
    ///
    /// # Errors
    /// Returns the first byte that is no valid bash. Also returns an error for a text that is
    /// nested too deeply or too long.
    pub fn read(text: &str) -> Result<PkgbuildFile, Unreadable> {
        let script = Script::read(text)?;
        Ok(PkgbuildFile { script })
    }
}

impl PkgbuildFile {
    /// Returns the words to which statements outside of conditions and functions set a field, in
    /// order.
    pub fn words(&self, field: Field) -> Vec<&Word> {
        let values = self.script.values(field.name());
        let words = values.flat_map(|value| match value {
            Value::Word(word) => vec![word],
            Value::Array(items) => items.iter().map(|item| &item.word).collect(),
        });
        words.collect()
    }

    /// Returns the statements of a function such as `build` or `package_hipthing`, as
    /// [`Script::function`] does.
    pub fn function(&self, name: &str) -> Option<&[Stmt]> {
        self.script.function(name)
    }

    /// Sets a field with a single value, such as `pkgver`. No other item changes, and the value
    /// keeps its quotes.
    ///
    /// # Errors
    /// A field that is an array, such as `depends`. A field that is set in a branch, a loop or a
    /// function; the error has the places.
    pub fn set(&mut self, field: Field, value: &str) -> Result<(), Undecided> {
        is_kind(
            field,
            field.is_single(),
            "is an array; `add` adds an element",
        )?;
        let escaped = ['\\', '"', '$', '`']
            .into_iter()
            .fold(value.to_owned(), |text, c| {
                text.replace(c, &format!("\\{c}"))
            });
        self.setter(field)
            .set(Word::lit(value), |_| vec![NewWord::Added(escaped)])
    }

    /// Adds an element to the array of a field. No other item changes, and the array keeps its
    /// layout. A text is literal: a `$` in it is no variable. A [`Word`] can have variables.
    ///
    /// ```
    /// use rocpkg_arch::{Field, Pkgbuild};
    /// use rocpkg_bash::Word;
    ///
    /// let mut pkgbuild = Pkgbuild::read("source=('a.tar.gz')\n")?;
    /// pkgbuild.add(Field::Source, Word::var("pkgname").literal("-fix.patch"))?;
    /// assert_eq!(pkgbuild.to_string(), "source=('a.tar.gz' \"${pkgname}-fix.patch\")\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A field with a single value, such as `pkgver`. A value that can't be divided into words.
    pub fn add(&mut self, field: Field, element: impl Into<Word>) -> Result<(), Undecided> {
        is_kind(
            field,
            !field.is_single(),
            "has a single value; `set` sets it",
        )?;
        let element = element.into();
        let word = match element.as_literal() {
            Some(text) => NewWord::Added(text.to_owned()),
            None => NewWord::Written(element.print(Quoting::Whole)),
        };
        let set = array(field.name(), [element].into_iter(), false);
        self.setter(field).add(&[word], set, |_| false)
    }

    /// Renames a dependency in `depends`, `makedepends`, `checkdepends` and `optdepends`, also in
    /// those of one architecture and in functions of packages, and in the variables that they are
    /// made of. Returns the number of renamed dependencies.
    ///
    /// ```
    /// use rocpkg_arch::Pkgbuild;
    ///
    /// let text = "depends=('hip>=6' hip-x)\noptdepends=('hip: for GPUs')\n";
    /// let mut pkgbuild = Pkgbuild::read(text)?;
    /// assert_eq!(pkgbuild.rename_dependency("hip", "rocm-hip"), Ok(2));
    /// let expected = text.replace("'hip", "'rocm-hip");
    /// assert_eq!(pkgbuild.to_string(), expected);
    /// # Ok::<(), rocpkg_arch::Unreadable>(())
    /// ```
    ///
    /// # Errors
    /// A word that may be the dependency after bash expands it, such as `rocm-$x` in a loop. The
    /// error has the word, and nothing is renamed.
    pub fn rename_dependency(&mut self, from: &str, to: &str) -> Result<usize, Undecided> {
        let fields = [
            Field::Depends,
            Field::Makedepends,
            Field::Checkdepends,
            Field::Optdepends,
        ];
        let mut variables = fields.map(|field| field.name().to_owned()).to_vec();
        visit(&self.script.items, &mut |seen| {
            if let Seen::Variable(name) = seen
                && let Some((field, _)) = name.split_once('_')
                && fields.iter().any(|own| own.name() == field)
            {
                variables.push(name.to_owned());
            }
        });
        let renaming = Renaming {
            from,
            to,
            variables: &variables,
            commands: &[],
            offset: &|word| {
                let rest = word.strip_prefix(from)?;
                (rest.is_empty() || rest.starts_with(['<', '>', '=', ':'])).then_some(0)
            },
            own: "$pkgname",
            is_first_only: true,
        };
        renaming.apply(&mut self.script, &STYLE)
    }

    fn setter(&mut self, field: Field) -> Setter<'_> {
        Setter {
            script: &mut self.script,
            style: &STYLE,
            variable: field.name(),
            for_release: false,
        }
    }

    /// Returns the parts of the PKGBUILD that are no typed statements and are kept as text.
    pub fn untyped(&self) -> Vec<String> {
        self.script.raw()
    }

    /// Returns the `.SRCINFO` of the PKGBUILD.
    ///
    /// # Errors
    /// Returns each place that only bash can evaluate; see [`evaluate`](crate::evaluate).
    pub fn srcinfo(&self) -> Result<Srcinfo, Refused> {
        evaluated(&self.to_string())
    }

    /// Merges the changes of this value into `old`, the text that the PKGBUILD was read from.
    /// Unchanged items keep every byte. A change that can't be made, or that adds a fault to the
    /// PKGBUILD, is left out and is in [`MergeResult::conflicts`], with its reason.
    ///
    /// # Errors
    /// Returns an error if `old` is no valid bash.
    #[cfg(feature = "checkout")]
    pub fn written_into(&self, old: &str) -> Result<MergeResult, Unreadable> {
        let check = |text: &str| crate::check::check(text, &Surroundings::default());
        let before = Pkgbuild::read(old)?;
        let faults = |text: &str| check(text).faults.len();
        let (text, is_whole) = in_place(old, &before.script, &self.script, &STYLE, faults);
        if is_whole {
            let conflicts = Vec::new();
            return Ok(MergeResult { text, conflicts });
        }
        let before = Pkgbuild::read(&text)?.to_string();
        merge3_text(
            &text,
            &before,
            &self.to_string(),
            &crate::existing::pkgbuild::reading(),
            &check,
        )
    }

    /// Checks that makepkg can read the printed PKGBUILD; see [`check`](crate::check::check).
    ///
    /// # Errors
    /// Returns all faults, with their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let text = self.to_string();
        let checked = crate::check::check(&text, &Surroundings::default());
        Refused::if_any(checked.refusals(&text).map(Unprintable::Text))
    }
}

/// Prints the typed PKGBUILD, and parses the text.
impl From<&Pkgbuild> for PkgbuildFile {
    fn from(pkgbuild: &Pkgbuild) -> Self {
        let script = Script::read(&pkgbuild.to_string()).unwrap_or_default();
        Self { script }
    }
}

impl fmt::Display for PkgbuildFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.script.print(&STYLE))
    }
}

fn is_kind(field: Field, is_kind: bool, reason: &str) -> Result<(), Undecided> {
    let (name, places) = (field.name().to_owned(), Vec::new());
    let reason = reason.to_owned();
    is_kind.then_some(()).ok_or(Undecided {
        name,
        reason,
        places,
    })
}
