//! Setters of an ebuild that was read from text. `rocpkg_shell::Setter` finds the places and keeps
//! the layout.

use crate::value::dep::{Dep, Required};
use crate::value::ebuild_file::{DependVariable, EbuildFile, spec_word, template};
use crate::value::open::Filled;
use crate::value::print::STYLE;
use rocpkg_pms::{Atom, Cpn, Iuse, Spec};
use rocpkg_render::bash::{Scope, Script, Seen, Stmt, Word, visit};
use rocpkg_shell::{NewWord, Renaming, Setter, Undecided, changed};
use std::fmt::Display;

/// Setters that change a variable where it is set. No other item changes, and the value keeps its
/// layout. If the place can't be decided, nothing is changed.
impl EbuildFile {
    /// Adds a flag to `IUSE`. A flag that is there already gets the default of `flag`.
    ///
    /// ```
    /// use rocpkg_gentoo::Ebuild;
    ///
    /// let mut ebuild = Ebuild::read("IUSE=\"doc ${CPU_FLAGS[@]}\"\n")?;
    /// ebuild.add_flag(&"+test".parse()?)?;
    /// assert_eq!(ebuild.to_string(), "IUSE=\"doc ${CPU_FLAGS[@]} +test\"\n");
    /// ebuild.remove_flag("test")?;
    /// assert_eq!(ebuild.to_string(), "IUSE=\"doc ${CPU_FLAGS[@]}\"\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A value of `IUSE` that can't be divided into words.
    pub fn add_flag(&mut self, flag: &Iuse) -> Result<(), Undecided> {
        for (name, _) in flag.defaults() {
            let words = flag.to_string();
            let word = words.split(' ').find(|word| is_flag(word, name.as_str()));
            let word = word.unwrap_or(name.as_str()).to_owned();
            let set = Stmt::assign(Scope::Plain, "IUSE", Word::quoted(&word));
            let replaces = |own: &str| is_flag(own, name.as_str());
            let word = [NewWord::Added(word)];
            self.setter("IUSE").add(&word, set, replaces)?;
        }
        Ok(())
    }

    /// Removes a flag from `IUSE`, wherever `IUSE` is set, also in branches. An `IUSE` that
    /// contained only this flag is removed. Uses of the flag, such as `flag? ( … )`, stay:
    /// [`check`](crate::check::check) returns them.
    ///
    /// # Errors
    /// No assignment of `IUSE` that contains the flag: an inherited eclass may add it, or a word
    /// that only bash can expand.
    pub fn remove_flag(&mut self, flag: &str) -> Result<(), Undecided> {
        self.setter("IUSE").remove(flag, |own| is_flag(own, flag))
    }

    /// Adds dependencies to the end of a dependency variable.
    ///
    /// # Errors
    /// A value that can't be divided into words.
    pub fn add_depend(
        &mut self,
        variable: DependVariable,
        depends: &Spec<Dep>,
    ) -> Result<(), Undecided> {
        let Some(word) = spec_word(variable.name(), depends).filter(|_| !depends.is_empty()) else {
            return Ok(());
        };
        let set = Stmt::assign(Scope::Plain, variable.name(), word);
        let words: Vec<NewWord> = spec_words(depends)
            .into_iter()
            .map(NewWord::Added)
            .collect();
        let setter = self.setter(variable.name());
        setter.add(&words, set, |_| false)
    }

    /// Sets a dependency variable to `depends`. Dependencies that both values have stay where they
    /// are. The value of [`EbuildFile::depends`] changes nothing.
    ///
    /// ```
    /// use rocpkg_gentoo::{DependVariable, Ebuild};
    ///
    /// let branches = "if use_system; then\n\tRDEPEND=\"a/b\"\nelse\n\tRDEPEND=\"c/d\"\nfi\n";
    /// let mut ebuild = Ebuild::read(branches)?;
    /// let refused = ebuild.set_depends(DependVariable::Run, &"e/f".parse()?).unwrap_err();
    /// assert_eq!(
    ///     refused.to_string(),
    ///     "`RDEPEND` is set in a branch or a loop: `if use_system`, `if use_system … else`"
    /// );
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A variable that is set in a branch, a loop or a function, and not only added to. The error
    /// has the places.
    pub fn set_depends(
        &mut self,
        variable: DependVariable,
        depends: &Spec<Dep>,
    ) -> Result<(), Undecided> {
        if self.depends(variable).is_ok_and(|own| own == *depends) {
            return Ok(());
        }
        self.set_spec(variable.name(), depends)
    }

    /// Renames a dependency in all variables whose name ends with `DEPEND`, `DEPENDS` or `DEPS`, in
    /// the variables, loops and functions that they are made of, and in calls such as
    /// `has_version`. Returns the number of renamed atoms.
    ///
    /// ```
    /// use rocpkg_gentoo::Ebuild;
    ///
    /// let text = "DEPEND=\"\n\t>=dev-util/hip-6:=\n\tdev-util/hip-x\n\"\n";
    /// let mut ebuild = Ebuild::read(text)?;
    /// let (old, new) = ("dev-util/hip".parse()?, "dev-libs/hip".parse()?);
    /// assert_eq!(ebuild.rename_dependency(&old, &new), Ok(1));
    /// assert_eq!(ebuild.to_string(), text.replace("dev-util/hip-6", "dev-libs/hip-6"));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// An atom that may be the dependency after bash expands it, such as `dev-util/${x}` in a loop.
    /// The error has the atom, and nothing is renamed.
    pub fn rename_dependency(&mut self, from: &Cpn, to: &Cpn) -> Result<usize, Undecided> {
        let from = &from.to_string();
        let mut variables = DependVariable::ALL
            .map(|own| own.name().to_owned())
            .to_vec();
        visit(&self.script.items, &mut |seen| {
            if let Seen::Variable(name) = seen
                && ["DEPEND", "DEPENDS", "DEPS"]
                    .iter()
                    .any(|end| name.ends_with(end))
            {
                variables.push(name.to_owned());
            }
        });
        let renaming = Renaming {
            from,
            to: &to.to_string(),
            variables: &variables,
            commands: TAKE_ATOMS,
            offset: &|word| {
                let atom = word.parse::<Atom>().ok()?;
                (atom.cpn().to_string() == *from).then(|| word.find(from))?
            },
            own: "${CATEGORY}/${PN}",
            is_first_only: false,
        };
        renaming.apply(&mut self.script, &STYLE)
    }

    /// Sets `REQUIRED_USE`. Flags that both values have stay where they are.
    ///
    /// # Errors
    /// Those of [`EbuildFile::set_depends`].
    pub fn set_required_use(&mut self, required: &Spec<Required>) -> Result<(), Undecided> {
        if self.required_use().is_ok_and(|own| own == *required) {
            return Ok(());
        }
        self.set_spec("REQUIRED_USE", required)
    }

    /// Sets the flags of `IUSE`. Words that only bash can expand, the second part of
    /// [`EbuildFile::iuse`], stay.
    ///
    /// # Errors
    /// Those of [`EbuildFile::set_depends`].
    pub fn set_iuse(&mut self, iuse: &Iuse) -> Result<(), Undecided> {
        if self.iuse().is_ok_and(|(own, _)| own == *iuse) {
            return Ok(());
        }
        let text = iuse.to_string();
        let new: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
        self.setter("IUSE").set(Word::quoted(text), |old| {
            let is_open = |word: &String| word.contains(['$', '`']);
            let bare: Vec<String> = old.iter().map(|word| unquoted(word).to_owned()).collect();
            let flags: Vec<usize> = (0..bare.len()).filter(|at| !is_open(&bare[*at])).collect();
            let own: Vec<String> = flags.iter().map(|at| bare[*at].clone()).collect();
            let mut all = Vec::new();
            let mut next = 0;
            let mut open = |up_to: usize, all: &mut Vec<NewWord>| {
                let between = (next..up_to).filter(|at| is_open(&bare[*at]));
                all.extend(between.map(NewWord::Kept));
                next = up_to;
            };
            for word in changed(&own, &new) {
                if let NewWord::Kept(at) = word {
                    open(flags[at], &mut all);
                    all.push(NewWord::Kept(flags[at]));
                } else {
                    all.push(word);
                }
            }
            open(bare.len(), &mut all);
            all
        })
    }

    /// Sets `KEYWORDS`, such as `~amd64 arm64`, where a release sets it. A value that only a live
    /// version or a pre-release gets stays.
    ///
    /// ```
    /// use rocpkg_gentoo::Ebuild;
    ///
    /// let mut ebuild = Ebuild::read("[[ ${PV} == 9999 ]] || KEYWORDS=\"~amd64\"\n")?;
    /// ebuild.set_keywords("amd64")?;
    /// assert_eq!(ebuild.to_string(), "[[ ${PV} == 9999 ]] || KEYWORDS=\"amd64\"\n");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// Several branches, of which it can't be known which one a release reaches.
    pub fn set_keywords(&mut self, keywords: &str) -> Result<(), Undecided> {
        let new: Vec<String> = keywords.split_whitespace().map(str::to_owned).collect();
        let setter = Setter {
            for_release: true,
            ..self.setter("KEYWORDS")
        };
        setter.set(Word::quoted(keywords), |old| {
            let old: Vec<String> = old.iter().map(|word| unquoted(word).to_owned()).collect();
            changed(&old, &new)
        })
    }

    fn setter<'a>(&'a mut self, variable: &'a str) -> Setter<'a> {
        Setter {
            script: &mut self.script,
            style: &STYLE,
            variable,
            for_release: false,
        }
    }

    fn set_spec<T: Filled>(&mut self, variable: &str, spec: &Spec<T>) -> Result<(), Undecided> {
        let Some(word) = spec_word(variable, spec) else {
            return Ok(());
        };
        self.setter(variable).set(word, |old| {
            let old: Vec<String> = old.iter().map(|word| typed::<T>(word)).collect();
            changed(&old, &spec_words(spec))
        })
    }
}

/// Commands of package managers and eclasses whose arguments are dependencies.
const TAKE_ATOMS: &[&str] = &[
    "has_version",
    "best_version",
    "python_has_version",
    "optfeature",
    "ruby_add_depend",
    "ruby_add_rdepend",
    "ruby_add_bdepend",
];

/// Returns the words of a specification. A leaf is one word, also if it is a call with blanks.
fn spec_words<T: Display>(spec: &Spec<T>) -> Vec<String> {
    let mut leaves = spec.leaves().into_iter();
    let marked = spec.map(|_| LEAF).to_string();
    let words = marked.split(' ').filter(|word| !word.is_empty());
    let words = words.map(|word| match word {
        LEAF => leaves.next().map(ToString::to_string).unwrap_or_default(),
        sign => sign.to_owned(),
    });
    words.collect()
}

/// A word in the place of each leaf of a specification.
const LEAF: &str = "\u{1}";

/// Returns a written word of a specification as its typed value prints it: `$(f 'a/b')` →
/// `$(f "a/b")`.
fn typed<T: Filled>(written: &str) -> String {
    let read = Script::read(&format!("x={written}\n")).unwrap_or_default();
    let spec = template(read.values("x")).spec::<T>();
    spec.map_or_else(|_| unquoted(written).to_owned(), |spec| spec.to_string())
}

/// Returns a word without the quotes around the value.
fn unquoted(word: &str) -> &str {
    let inside = |quote| word.strip_prefix(quote)?.strip_suffix(quote);
    inside('"').or_else(|| inside('\'')).unwrap_or(word)
}

/// Returns true if a word of `IUSE` is the flag `name`, with or without a default.
fn is_flag(word: &str, name: &str) -> bool {
    word.strip_prefix(['+', '-']).unwrap_or(word) == name
}
