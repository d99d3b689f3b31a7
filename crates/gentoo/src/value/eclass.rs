//! An eclass as a typed value: documented variables and functions. They are printed with the tags
//! that eclass-manpages and pkgcheck read.

use crate::lower::expand::capitals;
use crate::value::ebuild::Phase;
use crate::value::print::STYLE;
use crate::value::tokens::{comment, is_made_of, is_year};
use minijinja::{Value, context};
use rocpkg_render::bash::{self, Expression, Scope, Stmt, Test, Word, check, check_raw, print};
use rocpkg_render::{Refused, Unprintable, ready};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// A variable that an eclass reads or sets, with its documentation (`@ECLASS_VARIABLE`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EclassVariable {
    name: String,
    tags: Vec<&'static str>,
    description: String,
    default: Option<String>,
    elements: Vec<String>,
}

/// Declares setters that add a tag without a value.
macro_rules! tags {
    ($($(#[$doc:meta])* $name:ident $tag:literal,)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(mut self) -> Self {
            self.tags.push($tag);
            self
        })*
    };
}

impl EclassVariable {
    /// Returns a variable with its description. Lines of the description are printed unchanged.
    pub fn new(name: &str, description: &str) -> Self {
        Self {
            name: name.to_owned(),
            tags: Vec::new(),
            description: description.to_owned(),
            default: None,
            elements: Vec::new(),
        }
    }

    /// Sets the elements of the array that is the default value, as plain texts. With no elements
    /// the variable has no default value.
    #[must_use]
    pub fn default_elements(
        mut self,
        elements: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.elements = elements.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the default value, which counts in ebuilds that do not set the variable: a plain text,
    /// such as `/usr/share/foo`.
    #[must_use]
    pub fn default_value(mut self, text: &str) -> Self {
        self.default = Some(text.to_owned());
        self
    }

    tags! {
        /// Marks a variable that every ebuild must set.
        required "REQUIRED",
        /// Marks a variable that is read when the eclass is inherited.
        pre_inherit "PRE_INHERIT",
        /// Marks a variable without a default value.
        default_unset "DEFAULT_UNSET",
        /// Marks a variable that the eclass sets for ebuilds.
        output "OUTPUT_VARIABLE",
        /// Marks a variable that users set in make.conf.
        user "USER_VARIABLE",
        /// Marks a variable that only the eclass uses.
        internal "INTERNAL",
    }
}

/// A function of an eclass, with its documentation (`@FUNCTION`).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EclassFunction {
    name: String,
    usage: Option<String>,
    returns: Option<String>,
    deprecated: Option<String>,
    internal: bool,
    description: String,
    body: Vec<Stmt>,
    once: bool,
}

impl EclassFunction {
    /// Returns a function with its description and its statements. Lines of the description are
    /// printed unchanged.
    pub fn new(name: &str, description: &str, body: Vec<Stmt>) -> Self {
        Self {
            name: name.to_owned(),
            description: description.to_owned(),
            body,
            ..Self::default()
        }
    }

    /// Documents the arguments, such as `[-w] <file>` (`@USAGE`).
    #[must_use]
    pub fn usage(mut self, usage: &str) -> Self {
        self.usage = Some(usage.to_owned());
        self
    }

    /// Documents the exit status, such as `0 if the GPU is there` (`@RETURN`).
    #[must_use]
    pub fn returns(mut self, text: &str) -> Self {
        self.returns = Some(text.to_owned());
        self
    }

    /// Names the replacement of a deprecated function, or `none` (`@DEPRECATED`).
    #[must_use]
    pub fn deprecated(mut self, replacement: &str) -> Self {
        self.deprecated = Some(replacement.to_owned());
        self
    }

    /// Marks a function that only the eclass calls.
    #[must_use]
    pub fn internal(mut self) -> Self {
        self.internal = true;
        self
    }

    /// Marks a function that the eclass itself calls right behind the definition, and then unsets.
    /// Such a function sets variables when the eclass is inherited.
    #[must_use]
    pub fn called_once(mut self) -> Self {
        self.once = true;
        self
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum EclassItem {
    Variable(EclassVariable),
    Function(EclassFunction),
}

/// A tag of the header that is printed between the lists of people and the description.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Tag {
    BugReports,
    VcsUrl,
    Provides,
    Deprecated,
}

impl Tag {
    fn name(self) -> &'static str {
        match self {
            Self::BugReports => "BUGREPORTS",
            Self::VcsUrl => "VCSURL",
            Self::Provides => "PROVIDES",
            Self::Deprecated => "DEPRECATED",
        }
    }
}

/// An eclass: the header of its documentation, then its variables and functions inside a guard
/// against double inclusion.
///
/// ```
/// use rocpkg_gentoo::{Eclass, EclassFunction, EclassVariable};
/// use rocpkg_gentoo::bash::{Word, run};
///
/// let folder = EclassVariable::new("TUNE_DIR", "Where profiles are kept.").default_value("/usr/share/tune");
/// let body = vec![run("einfo", [Word::var("1").literal(" is tuned by ").variable("TUNE_DIR")])];
/// let eclass = Eclass::new("tune", "Tunes what is built", "2026")
///     .maintainer("Jane Doe <jane@example.org>")
///     .variable(folder)
///     .function(EclassFunction::new("tune_say", "Says what is tuned.", body).usage("<program>"));
/// eclass.check()?;
/// let text = eclass.to_string();
/// assert!(text.contains("\n: \"${TUNE_DIR:=/usr/share/tune}\"\n"));
/// assert!(text.contains("# @FUNCTION: tune_say\n# @USAGE: <program>\n# @DESCRIPTION:\n"));
/// # Ok::<(), rocpkg_render::Refused>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Eclass {
    name: String,
    years: String,
    maintainers: Vec<String>,
    authors: Vec<String>,
    eapis: Vec<String>,
    blurb: String,
    description: String,
    example: Option<String>,
    inherit: Vec<String>,
    /// The further tags of the header in the order in which they are printed, each with its value.
    tags: BTreeMap<Tag, String>,
    items: Vec<EclassItem>,
    exported: Vec<Phase>,
    /// Set for an eclass of GPU targets whose table of targets is empty.
    pub(crate) is_without_targets: bool,
}

impl Eclass {
    /// Returns an eclass. `name` has no ending, `blurb` is the description in one line, and `years`
    /// are those of the copyright line: `2026` or `2022-2026`.
    pub fn new(name: &str, blurb: &str, years: &str) -> Self {
        Self {
            name: name.to_owned(),
            years: years.to_owned(),
            maintainers: Vec::new(),
            authors: Vec::new(),
            eapis: vec!["8".to_owned()],
            blurb: blurb.to_owned(),
            description: String::new(),
            example: None,
            inherit: Vec::new(),
            tags: BTreeMap::new(),
            items: Vec::new(),
            exported: Vec::new(),
            is_without_targets: false,
        }
    }

    /// Adds a maintainer, as `Name <address>`.
    #[must_use]
    pub fn maintainer(mut self, person: &str) -> Self {
        self.maintainers.push(person.to_owned());
        self
    }

    /// Adds an author.
    #[must_use]
    pub fn author(mut self, person: &str) -> Self {
        self.authors.push(person.to_owned());
        self
    }

    /// Sets the supported EAPIs. The default is 8.
    #[must_use]
    pub fn eapis(mut self, eapis: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.eapis = eapis.into_iter().map(Into::into).collect();
        self
    }

    /// Sets the description. Its lines are printed unchanged.
    #[must_use]
    pub fn description(mut self, text: &str) -> Self {
        text.clone_into(&mut self.description);
        self
    }

    /// Sets an example of the eclass's use. Lines between `@CODE` are code.
    #[must_use]
    pub fn example(mut self, text: &str) -> Self {
        self.example = Some(text.to_owned());
        self
    }

    /// Adds an eclass that this eclass inherits.
    #[must_use]
    pub fn inherit(mut self, name: &str) -> Self {
        self.inherit.push(name.to_owned());
        self
    }

    /// Sets the text about reporting bugs of the eclass (`@BUGREPORTS`).
    #[must_use]
    pub fn bug_reports(self, text: &str) -> Self {
        self.tag(Tag::BugReports, text)
    }

    /// Sets the URL of the eclass's history (`@VCSURL`).
    #[must_use]
    pub fn vcs_url(self, url: &str) -> Self {
        self.tag(Tag::VcsUrl, url)
    }

    /// Sets the inherited eclasses whose functions ebuilds may use, separated by blanks
    /// (`@PROVIDES`).
    #[must_use]
    pub fn provides(self, eclasses: &str) -> Self {
        self.tag(Tag::Provides, eclasses)
    }

    /// Names the replacement of a deprecated eclass, or `none` (`@DEPRECATED`).
    #[must_use]
    pub fn deprecated(self, replacement: &str) -> Self {
        self.tag(Tag::Deprecated, replacement)
    }

    fn tag(mut self, tag: Tag, text: &str) -> Self {
        self.tags.insert(tag, text.to_owned());
        self
    }

    /// Exports a phase. Ebuilds that inherit the eclass run its function `NAME_PHASE` in this
    /// phase, unless they define the phase themselves (PMS 10.2).
    ///
    /// ```
    /// use rocpkg_gentoo::{Eclass, EclassFunction, Phase};
    /// use rocpkg_gentoo::bash::run;
    ///
    /// let test = EclassFunction::new("hip_src_test", "Runs the tests.", vec![run("emake", [])]);
    /// let eclass = Eclass::new("hip", "Builds with HIP", "2026")
    ///     .maintainer("Jane Doe <jane@example.org>")
    ///     .function(test)
    ///     .export(Phase::SrcTest);
    /// eclass.check()?;
    /// assert!(eclass.to_string().ends_with("\nfi\n\nEXPORT_FUNCTIONS src_test\n"));
    /// assert!(eclass.export(Phase::PkgSetup).check().is_err());
    /// # Ok::<(), rocpkg_render::Refused>(())
    /// ```
    #[must_use]
    pub fn export(mut self, phase: Phase) -> Self {
        if !self.exported.contains(&phase) {
            self.exported.push(phase);
        }
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn variable(mut self, variable: EclassVariable) -> Self {
        self.items.push(EclassItem::Variable(variable));
        self
    }

    /// Adds a function.
    #[must_use]
    pub fn function(mut self, function: EclassFunction) -> Self {
        self.items.push(EclassItem::Function(function));
        self
    }

    /// Returns the name of the file: `NAME.eclass`.
    pub fn file_name(&self) -> String {
        format!("{}.eclass", self.name)
    }

    /// Checks that bash can read the printed eclass, and that the documentation has all parts that
    /// eclass-manpages demands.
    ///
    /// # Errors
    /// All faults. Faults of the printed text have their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let mut all = Vec::new();
        let word = |name: &&String| !is_made_of(name, "-_.+");
        let names = std::iter::once(&self.name).chain(&self.inherit);
        let wrong = names.chain(&self.eapis).filter(word);
        all.extend(wrong.cloned().map(Unprintable::Name));
        if self.is_without_targets {
            all.push(Unprintable::Lacks("a row of GPU targets"));
        }
        if self.eapis.is_empty() {
            all.push(Unprintable::Lacks("a supported EAPI"));
        }
        if self.years.matches('-').count() > 1 || !self.years.split('-').all(is_year) {
            all.push(Unprintable::Text(format!(
                "{:?} is neither a year nor a range of years",
                self.years
            )));
        }
        if self.maintainers.is_empty() {
            all.push(Unprintable::Lacks("a maintainer"));
        }
        if self.blurb.trim().is_empty() || self.blurb.contains('\n') {
            all.push(Unprintable::Lacks("a blurb of one line"));
        }
        let mut known = BTreeSet::new();
        for item in &self.items {
            check_item(item, &mut all);
            let (name, is_function) = match item {
                EclassItem::Variable(v) => (&v.name, false),
                EclassItem::Function(f) => (&f.name, true),
            };
            if !known.insert((name, is_function)) {
                all.push(Unprintable::Twice(name.clone()));
            }
        }
        let lines = self.tags.values().filter(|text| text.contains('\n'));
        all.extend(lines.map(|text| Unprintable::Text(format!("{text:?} has more than one line"))));
        for phase in &self.exported {
            let function = format!("{}_{}", self.name, phase.function());
            if !known.contains(&(&function, true)) {
                let reason = format!("`{function}` is exported, but not defined");
                all.push(Unprintable::Text(reason));
            }
            let is_gone = |item: &EclassItem| match item {
                EclassItem::Function(f) => f.once && f.name == function,
                EclassItem::Variable(_) => false,
            };
            if self.items.iter().any(is_gone) {
                let reason = format!("`{function}` is exported, but unset after its first call");
                all.push(Unprintable::Text(reason));
            }
        }
        let text = self.to_string();
        if let Err(unreadable) = rocpkg_syntax::Script::read(&text) {
            let (line, column) = rocpkg_syntax::place(&text, unreadable.at);
            let reason = format!("{line}:{column}: {}", unreadable.reason);
            all.push(Unprintable::Text(reason));
        }
        Refused::if_any(all)
    }

    /// Returns the context of the eclass's template.
    pub(crate) fn context(&self) -> Value {
        let items: Vec<Value> = self
            .items
            .iter()
            .map(|item| ready(item.to_string().trim_end()))
            .collect();
        let exported: Vec<&str> = self.exported.iter().map(|phase| phase.function()).collect();
        context! {
            years => ready(&self.years),
            documentation => ready(self.documentation()),
            eapis => ready(self.eapis.join("|")),
            guard => ready(capitals(&self.name)),
            inherit => ready(self.inherit.join(" ")),
            items => items,
            exported => ready(exported.join(" ")),
        }
    }

    fn documentation(&self) -> String {
        let mut out = format!("# @ECLASS: {}\n", self.file_name());
        for (tag, people) in [("MAINTAINER", &self.maintainers), ("AUTHOR", &self.authors)] {
            if !people.is_empty() {
                out += &format!("# @{tag}:\n{}", comment(&people.join("\n")));
            }
        }
        let tag = |tag: Tag, between: &str| {
            let text = self.tags.get(&tag);
            let line = text.map(|text| format!("# @{}:{between}{text}\n", tag.name()));
            line.unwrap_or_default()
        };
        out += &tag(Tag::BugReports, "\n# ");
        out += &tag(Tag::VcsUrl, " ");
        out += &format!("# @SUPPORTED_EAPIS: {}\n", self.eapis.join(" "));
        out += &tag(Tag::Provides, " ");
        out += &format!("# @BLURB: {}\n", self.blurb);
        out += &tag(Tag::Deprecated, " ");
        if !self.description.is_empty() {
            out += &format!("# @DESCRIPTION:\n{}", comment(&self.description));
        }
        if let Some(example) = &self.example {
            let blank = if self.description.is_empty() {
                ""
            } else {
                "#\n"
            };
            out += &format!("{blank}# @EXAMPLE:\n{}", comment(example));
        }
        out
    }
}

impl EclassVariable {
    /// Returns the statements that set the array of default elements if an ebuild does not set it;
    /// none if the variable has no default elements.
    fn array(&self) -> Vec<Stmt> {
        if self.elements.is_empty() {
            return Vec::new();
        }
        let words = self
            .elements
            .iter()
            .map(|text| bash::Item::from(Word::lit(text.as_str())));
        let array = Stmt::array(Scope::Plain, &self.name, words.collect(), false);
        let is_set = Word::var(format!("{}[*]+set", self.name));
        let test = Test::Expression(Expression::Not(Box::new(Expression::Word(is_set))));
        vec![Stmt::when(test, vec![array])]
    }
}

impl EclassFunction {
    fn stmt(&self) -> Stmt {
        Stmt::Function {
            name: self.name.clone(),
            body: self.body.clone(),
        }
    }
}

/// Prints the documentation, then the default value of a variable or the lines of a function.
impl fmt::Display for EclassItem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(v) => {
                writeln!(f, "# @ECLASS_VARIABLE: {}", v.name)?;
                v.tags.iter().try_for_each(|tag| writeln!(f, "# @{tag}"))?;
                write!(f, "# @DESCRIPTION:\n{}", comment(&v.description))?;
                v.default
                    .iter()
                    .try_for_each(|text| writeln!(f, ": \"${{{}:={text}}}\"", v.name))?;
                f.write_str(&print(&v.array(), &STYLE))
            }
            Self::Function(function) => {
                let name = &function.name;
                writeln!(f, "# @FUNCTION: {name}")?;
                function
                    .usage
                    .iter()
                    .try_for_each(|usage| writeln!(f, "# @USAGE: {usage}"))?;
                for (tag, text) in [
                    ("RETURN", &function.returns),
                    ("DEPRECATED", &function.deprecated),
                ] {
                    let mut text = text.iter();
                    text.try_for_each(|text| writeln!(f, "# @{tag}: {text}"))?;
                }
                f.write_str(if function.internal {
                    "# @INTERNAL\n"
                } else {
                    ""
                })?;
                write!(f, "# @DESCRIPTION:\n{}", comment(&function.description))?;
                f.write_str(&print(&[function.stmt()], &STYLE))?;
                f.write_str(&if function.once {
                    format!("{name}\nunset -f {name}\n")
                } else {
                    String::new()
                })
            }
        }
    }
}

/// Prints the text of the file `eclass/NAME.eclass`.
impl fmt::Display for Eclass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::value::TEMPLATES.print("gentoo/eclass.j2", self.context()))
    }
}

/// Adds the faults of one variable or function of an eclass to `all`.
fn check_item(item: &EclassItem, all: &mut Vec<Unprintable>) {
    let (name, description, stmts) = match item {
        EclassItem::Variable(v) => (&v.name, &v.description, Vec::new()),
        EclassItem::Function(f) => (&f.name, &f.description, vec![f.stmt()]),
    };
    if matches!(item, EclassItem::Variable(_)) && !rocpkg_render::bash::is_identifier(name) {
        all.push(Unprintable::Name(name.clone()));
    }
    all.extend(check(&stmts).into_iter().map(Unprintable::Name));
    all.extend(check_raw(&stmts).into_iter().map(Unprintable::Text));
    if let EclassItem::Variable(EclassVariable {
        default: Some(text),
        ..
    }) = item
        && !is_made_of(text, "-_.+/:@, ")
    {
        let reason = format!("the value of {name} is not plain text: {text:?}");
        all.push(Unprintable::Text(reason));
    }
    if description.trim().is_empty() {
        all.push(Unprintable::Undocumented(name.clone()));
    }
}
