//! An ebuild or an eclass that was read from text: the items of its global scope, with typed access
//! to the variables of the PMS.

use crate::value::dep::{Dep, Required, Written};
use crate::value::ebuild::{Eapi, Ebuild, Phase};
use crate::value::eclass::Eclass;
use crate::value::open::{Filled, Open, Template};
use crate::value::print::STYLE;
#[cfg(feature = "checkout")]
use rocpkg_edit::{MergeResult, merge3_text};
use rocpkg_pms::{Cpv, Iuse, License, Restriction, Slot, Spec, SrcUri, SyntaxError};
use rocpkg_render::bash::{Item, Scope, Script, Seen, Stmt, Value, Word, run, visit};
use rocpkg_render::{Refused, Unprintable};
#[cfg(feature = "checkout")]
use rocpkg_shell::in_place;
use rocpkg_syntax::{Surroundings, Unreadable};
use std::fmt::{self, Display};

/// An ebuild that was read from text.
///
/// [`Ebuild`] makes new ebuilds with all of their variables in one order. This type keeps the
/// order, the conditions and the comments of an existing ebuild.
///
/// ```
/// use rocpkg_gentoo::{DependVariable, Ebuild};
///
/// let text = "EAPI=8\n\ninherit cmake\n\nIUSE=\"+hip\"\nRDEPEND=\"hip? ( dev-util/hip:= )\"\n";
/// let mut ebuild = Ebuild::read(text)?;
/// assert_eq!(ebuild.inherited(), ["cmake"]);
/// ebuild.add_flag(&"test".parse()?)?;
/// ebuild.add_depend(DependVariable::Build, &"dev-cpp/gtest".parse()?)?;
/// let printed = ebuild.to_string();
/// assert!(printed.contains("IUSE=\"+hip test\"\n") && printed.contains("DEPEND=\"dev-cpp/gtest\"\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EbuildFile {
    /// The items of its global scope.
    pub script: Script,
}

/// A dependency variable (PMS 8.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DependVariable {
    /// `DEPEND`
    Build,
    /// `RDEPEND`
    Run,
    /// `BDEPEND`
    Tool,
    /// `IDEPEND`
    Install,
    /// `PDEPEND`
    Post,
}

impl DependVariable {
    /// All dependency variables.
    pub const ALL: [Self; 5] = [
        Self::Build,
        Self::Run,
        Self::Tool,
        Self::Install,
        Self::Post,
    ];

    /// Returns the name of the variable.
    pub fn name(self) -> &'static str {
        match self {
            Self::Build => "DEPEND",
            Self::Run => "RDEPEND",
            Self::Tool => "BDEPEND",
            Self::Install => "IDEPEND",
            Self::Post => "PDEPEND",
        }
    }
}

impl Ebuild {
    /// Reads an existing ebuild.
    ///
    /// # Errors
    /// The first byte that is no valid bash; a text that is nested too deeply or too long.
    pub fn read(text: &str) -> Result<EbuildFile, Unreadable> {
        let script = Script::read(text)?;
        Ok(EbuildFile { script })
    }
}

/// Builders for ebuilds of any kind. The items are printed in the order in which they are added.
///
/// ```
/// use rocpkg_gentoo::{Eapi, EbuildFile};
/// use rocpkg_gentoo::bash::Word;
///
/// let ebuild = EbuildFile::new(Eapi::Eight, 2026)
///     .array("PYTHON_COMPAT", [Word::pattern("python3_{12..14}")])
///     .call("inherit", ["distutils-r1"])
///     .variable("DESCRIPTION", Word::quoted("A thing"))
///     .call("distutils_enable_tests", ["pytest"]);
/// let printed = ebuild.to_string();
/// assert!(printed.contains("PYTHON_COMPAT=( python3_{12..14} )\ninherit distutils-r1\n"));
/// ```
impl EbuildFile {
    /// Returns an ebuild with the first lines of every ebuild: the copyright header and `EAPI` (PMS
    /// 7.3.1, devmanual).
    pub fn new(eapi: Eapi, year: u16) -> Self {
        let rights = "Distributed under the terms of the GNU General Public License v2";
        let head = format!("Copyright {year} Gentoo Authors\n{rights}");
        let script = Script::default()
            .with(Stmt::Comment(head))
            .with(Stmt::Blank)
            .with(Stmt::assign(
                Scope::Plain,
                "EAPI",
                Word::lit(eapi.to_string()),
            ));
        Self { script }
    }

    /// Adds an item, such as a condition, a loop, a comment or a blank line.
    #[must_use]
    pub fn with(mut self, item: Stmt) -> Self {
        self.script = self.script.with(item);
        self
    }

    /// Adds a variable.
    #[must_use]
    pub fn variable(self, name: &str, value: Word) -> Self {
        self.with(Stmt::assign(Scope::Plain, name, value))
    }

    /// Adds an array.
    #[must_use]
    pub fn array(self, name: &str, words: impl IntoIterator<Item = Word>) -> Self {
        let items = words.into_iter().map(Item::from).collect();
        self.with(Stmt::array(Scope::Plain, name, items, false))
    }

    /// Adds a call of a function, such as `inherit` or `distutils_enable_tests`.
    #[must_use]
    pub fn call(self, function: &str, words: impl IntoIterator<Item = impl Into<Word>>) -> Self {
        self.with(run(function, words.into_iter().map(Into::into)))
    }

    /// Adds a variable with a specification, such as `RDEPEND`, `REQUIRED_USE` or `LICENSE`.
    #[must_use]
    pub fn spec<T: Display>(mut self, name: &str, spec: &Spec<T>) -> Self {
        let word = spec_word(name, spec);
        self.script
            .items
            .extend(word.map(|word| Stmt::assign(Scope::Plain, name, word)));
        self
    }

    /// Adds a phase.
    #[must_use]
    pub fn with_phase(mut self, phase: Phase, statements: Vec<Stmt>) -> Self {
        self.set_phase(phase, statements);
        self
    }
}

impl EbuildFile {
    /// Returns the `EAPI`; `None` for a version that this crate does not support, and without an
    /// `EAPI`.
    pub fn eapi(&self) -> Option<Eapi> {
        let text = self.script.text("EAPI")?;
        let all = [Eapi::Seven, Eapi::Eight, Eapi::Nine];
        all.into_iter().find(|eapi| eapi.to_string() == text)
    }

    /// Returns the inherited eclasses in order, including those in branches of conditions.
    pub fn inherited(&self) -> Vec<String> {
        arguments(&self.script, "inherit")
    }

    /// Returns the text of a variable between its quotes; see [`Script::text`].
    pub fn text(&self, variable: &str) -> Option<String> {
        self.script.text(variable)
    }

    /// Returns the value that a variable has in the ebuild at `path`, from which its name and
    /// version are read: conditions, expansions and `ver_cut` are evaluated. Returns `None` if the
    /// variable is not set, or if a part of its value is known only when Portage runs the ebuild,
    /// such as what an eclass sets.
    ///
    /// ```
    /// let text = "EAPI=8\nSLOT=\"0/$(ver_cut 1-2)\"\nif [[ ${PV} != 9999 ]]; then\n\tKEYWORDS=\"~amd64 x86\"\nfi\n";
    /// let ebuild = rocpkg_gentoo::Ebuild::read(text)?;
    /// let path = "dev-util/hip/hip-7.2.4.ebuild";
    /// assert_eq!(ebuild.value("SLOT", path).as_deref(), Some("0/7.2"));
    /// assert_eq!(ebuild.slot(path).unwrap().sub_slot(), Some("7.2"));
    /// assert_eq!(ebuild.keywords(path), ["~amd64", "x86"]);
    /// assert_eq!(ebuild.keywords("dev-util/hip/hip-9999.ebuild"), [""; 0]);
    /// # Ok::<(), rocpkg_gentoo::Unreadable>(())
    /// ```
    pub fn value(&self, variable: &str, path: &str) -> Option<String> {
        let surroundings = Surroundings {
            path: path.to_owned(),
            ..Surroundings::default()
        };
        let mut all = crate::check::values(&self.to_string(), &surroundings);
        let value = all.remove(variable)?;
        value.open.is_none().then(|| value.words.join(" "))
    }

    /// Returns the slot and the sub-slot of the ebuild at `path`, as [`EbuildFile::value`] does.
    pub fn slot(&self, path: &str) -> Option<Slot> {
        self.value("SLOT", path)?.parse().ok()
    }

    /// Returns the keywords of the ebuild at `path`, as [`EbuildFile::value`] does; no keywords if
    /// there are none, as in a live ebuild.
    pub fn keywords(&self, path: &str) -> Vec<String> {
        let all = self.value("KEYWORDS", path).unwrap_or_default();
        all.split_whitespace().map(str::to_owned).collect()
    }

    /// Returns the flags of `IUSE` as it is set outside of conditions, and the words of `IUSE` that
    /// only bash can expand, such as `${IUSE_TARGETS[@]}`.
    ///
    /// # Errors
    /// A word that is no USE flag.
    pub fn iuse(&self) -> Result<(Iuse, Vec<Written>), SyntaxError> {
        self.template("IUSE").iuse()
    }

    /// Returns the dependencies in a variable as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no dependency specification.
    pub fn depends(&self, variable: DependVariable) -> Result<Spec<Dep>, SyntaxError> {
        self.template(variable.name()).spec()
    }

    /// Returns `REQUIRED_USE` as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no valid `REQUIRED_USE`.
    pub fn required_use(&self) -> Result<Spec<Required>, SyntaxError> {
        self.template("REQUIRED_USE").spec()
    }

    /// Returns `SRC_URI` as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no valid `SRC_URI`.
    pub fn src_uri(&self) -> Result<Spec<Open<SrcUri>>, SyntaxError> {
        self.template("SRC_URI").spec()
    }

    /// Returns `LICENSE` as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no valid `LICENSE`.
    pub fn license(&self) -> Result<Spec<Open<License>>, SyntaxError> {
        self.template("LICENSE").spec()
    }

    /// Returns `RESTRICT` as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no valid `RESTRICT`.
    pub fn restrict(&self) -> Result<Spec<Open<Restriction>>, SyntaxError> {
        self.template("RESTRICT").spec()
    }

    /// Returns `PROPERTIES` as it is set outside of conditions.
    ///
    /// # Errors
    /// A text that is no valid `PROPERTIES`.
    pub fn properties(&self) -> Result<Spec<Open<Restriction>>, SyntaxError> {
        self.template("PROPERTIES").spec()
    }

    /// Returns the statements of a phase; `None` if the ebuild does not define the phase itself.
    pub fn phase(&self, phase: Phase) -> Option<&[Stmt]> {
        self.script.function(phase.function())
    }

    /// Adds an eclass to the last `inherit` outside of conditions. If there is no such `inherit`, a
    /// new one is inserted below the branches that inherit, else below `EAPI`.
    pub fn add_eclass(&mut self, eclass: &str) {
        let word = Word::lit(eclass);
        let mut calls = self
            .script
            .items
            .iter_mut()
            .rev()
            .filter_map(|item| match item {
                Stmt::Command(call) if call.words.first()?.as_literal() == Some("inherit") => {
                    Some(call)
                }
                _ => None,
            });
        if let Some(call) = calls.next() {
            call.words.push(word);
            return;
        }
        let items = &self.script.items;
        let sets_eapi = |item: &Stmt| matches!(item, Stmt::Assign { name, .. } if name == "EAPI");
        let above = items.iter().rposition(inherits);
        let above = above.or_else(|| items.iter().rposition(sets_eapi));
        let at = above.map_or(0, |at| at + 1);
        self.script.items.insert(at, run("inherit", [word]));
    }

    /// Sets the statements of a phase.
    pub fn set_phase(&mut self, phase: Phase, statements: Vec<Stmt>) {
        self.script.set_function(phase.function(), statements);
    }

    /// Returns the parts of the ebuild that could be kept as text only: statements without a typed
    /// form, and values of the variables above that can't be parsed, wherever they are set outside
    /// of functions.
    pub fn untyped(&self) -> Vec<String> {
        let mut all = self.script.raw();
        untyped_values(&self.script.items, &mut all);
        all
    }

    /// Checks that Portage can read the printed ebuild. `path` is the ebuild's path in a
    /// repository, from which its name and version are read.
    ///
    /// Portage also reads an ebuild that contradicts itself, for instance with a variable that is
    /// set twice, or with a phase that asks for an unknown flag. [`check`](crate::check::check)
    /// returns these faults, too.
    ///
    /// # Errors
    /// The faults with which Portage refuses the ebuild, with their line and column. Further errors
    /// are a path that is not `category/name/name-version.ebuild`, and an ebuild without `EAPI`, or
    /// without the `SLOT` that PMS 7.2 demands (an eclass may set it).
    pub fn check(&self, path: &str) -> Result<(), Refused> {
        let text = self.to_string();
        let mut all = Vec::new();
        if !is_path(path) {
            let expected = "expected `category/name/name-version.ebuild`";
            all.push(Unprintable::Text(format!(
                "`{path}` is not the path of an ebuild: {expected}"
            )));
        }
        let is_set = |name: &str| self.script.values(name).next().is_some();
        if !is_set("EAPI") {
            all.push(Unprintable::Lacks("EAPI"));
        }
        if !is_set("SLOT") && !self.script.items.iter().any(inherits) {
            all.push(Unprintable::Lacks("SLOT"));
        }
        let surroundings = Surroundings {
            path: path.to_owned(),
            ..Surroundings::default()
        };
        let checked = crate::check::check(&text, &surroundings);
        all.extend(checked.unreadable(&text).map(Unprintable::Text));
        Refused::if_any(all)
    }

    /// Merges the changes into `old`, the text that the ebuild was read from. Unchanged items keep
    /// every byte. A change that can't be made, or that adds a fault to the ebuild, is left out and
    /// is in [`MergeResult::conflicts`], with its reason. `path` is the ebuild's path in a
    /// repository, from which its name and version are read.
    ///
    /// ```
    /// use rocpkg_gentoo::Ebuild;
    ///
    /// let old = "EAPI=8\nIUSE=\"hip\" # ours\nKEYWORDS='~amd64'\n";
    /// let mut ebuild = Ebuild::read(old)?;
    /// ebuild.add_flag(&"test".parse()?)?;
    /// let done = ebuild.written_into(old, "sci-libs/hipThing/hipThing-1.0.ebuild")?;
    /// assert_eq!(done.text, "EAPI=8\nIUSE=\"hip test\" # ours\nKEYWORDS='~amd64'\n");
    /// assert!(done.conflicts.is_empty());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// A text that can't be read.
    #[cfg(feature = "checkout")]
    pub fn written_into(&self, old: &str, path: &str) -> Result<MergeResult, Unreadable> {
        let surroundings = Surroundings {
            path: path.to_owned(),
            ..Surroundings::default()
        };
        let check = |text: &str| crate::check::check(text, &surroundings);
        let before = Ebuild::read(old)?;
        let faults = |text: &str| check(text).faults.len();
        let (text, is_whole) = in_place(old, &before.script, &self.script, &STYLE, faults);
        if is_whole {
            let conflicts = Vec::new();
            return Ok(MergeResult { text, conflicts });
        }
        let before = Ebuild::read(&text)?.to_string();
        let reading = crate::existing::reading::reading(path);
        merge3_text(&text, &before, &self.to_string(), &reading, &check)
    }

    /// Returns the values of a variable outside of conditions, from the last one that is no `+=`.
    fn template(&self, variable: &str) -> Template {
        let is_new = |item: &Stmt| match item {
            Stmt::Assign {
                name,
                append,
                value,
                ..
            } => name == variable && !append && value.variables().all(|own| own != variable),
            _ => false,
        };
        let from = self.script.items.iter().rposition(is_new).unwrap_or(0);
        let items = self.script.items[from..].to_vec();
        template(Script { items }.values(variable))
    }
}

/// Returns the specification `spec` as the value of `variable`. A specification that was read or
/// made from typed values contains no quote, so its text is always a valid word.
pub(crate) fn spec_word<T: Display>(variable: &str, spec: &Spec<T>) -> Option<Word> {
    let text = match spec.to_string() {
        line if line.len() < LONGEST_VALUE => line,
        _ => format!("\n{}", spec.layout(1)),
    };
    let read = Script::read(&format!("{variable}=\"{text}\"\n")).ok()?;
    let mut values = read.values(variable);
    match values.next() {
        Some(Value::Word(word)) => Some(word.clone()),
        _ => None,
    }
}

/// The length in bytes below which a specification is printed on the line of its variable.
const LONGEST_VALUE: usize = 80;

/// Returns the arguments of all calls of `command`, in the order of the text. Arguments with
/// variables are left out.
fn arguments(script: &Script, command: &str) -> Vec<String> {
    let mut all = Vec::new();
    visit(&script.items, &mut |seen| {
        if let Seen::Command([first, words @ ..]) = seen
            && first.as_literal() == Some(command)
        {
            let words = words.iter().filter_map(Word::as_literal);
            all.extend(words.map(str::to_owned));
        }
    });
    all
}

pub(crate) fn template<'a>(values: impl Iterator<Item = Value<'a>>) -> Template {
    let mut template = Template::default();
    for value in values {
        if let Value::Word(word) = value {
            template.push(word);
        }
    }
    template
}

/// Returns true if a statement calls `inherit`, in a branch or outside of one.
fn inherits(item: &Stmt) -> bool {
    let mut found = false;
    visit(std::slice::from_ref(item), &mut |seen| {
        if let Seen::Command(words) = seen {
            found |= words
                .first()
                .is_some_and(|word| word.as_literal() == Some("inherit"));
        }
    });
    found
}

/// Returns true for `category/name/name-version.ebuild`.
fn is_path(path: &str) -> bool {
    let mut parts = path.rsplit('/');
    let (file, folder, category) = (parts.next(), parts.next(), parts.next());
    let Some(((file, folder), category)) = file.zip(folder).zip(category) else {
        return false;
    };
    let version = file
        .strip_suffix(".ebuild")
        .and_then(|name| name.strip_prefix(folder));
    let cpv = version.map(|version| format!("{category}/{folder}{version}"));
    cpv.is_some_and(|cpv| cpv.parse::<Cpv>().is_ok())
}

/// Adds `NAME=value` to `all` for each value that can't be parsed, of the variables that this type
/// can parse, such as `IUSE`. Values in branches count too; those in functions don't.
fn untyped_values(items: &[Stmt], all: &mut Vec<String>) {
    let mut stmts = Vec::new();
    statements(items, &mut stmts);
    for stmt in stmts {
        let Stmt::Assign { name, value, .. } = stmt else {
            continue;
        };
        let template = template(std::iter::once(Value::Word(value)));
        let is_read = match name.as_str() {
            "IUSE" => template.iuse().is_ok(),
            "REQUIRED_USE" => is_spec::<Required>(&template),
            "SRC_URI" => is_spec::<Open<SrcUri>>(&template),
            "LICENSE" => is_spec::<Open<License>>(&template),
            "RESTRICT" | "PROPERTIES" => is_spec::<Open<Restriction>>(&template),
            name if DependVariable::ALL.iter().any(|own| own.name() == name) => {
                is_spec::<Dep>(&template)
            }
            _ => true,
        };
        if !is_read {
            all.push(format!("{name}={}", value.inside_quotes()));
        }
    }
}

fn is_spec<T: Filled>(template: &Template) -> bool {
    template.spec::<T>().is_ok()
}

/// Collects the simple statements, such as assignments, from `items` and from the branches and
/// loops in them. The bodies of functions are left out.
fn statements<'a>(items: &'a [Stmt], all: &mut Vec<&'a Stmt>) {
    for item in items {
        match item {
            Stmt::If {
                branches,
                otherwise,
            } => {
                for (_, body) in branches {
                    statements(body, all);
                }
                statements(otherwise, all);
            }
            Stmt::For { body, .. } | Stmt::While { body, .. } | Stmt::Group(body) => {
                statements(body, all);
            }
            Stmt::Case { arms, .. } => arms.iter().for_each(|arm| statements(&arm.body, all)),
            Stmt::Noted(inner, _) => statements(std::slice::from_ref(&**inner), all),
            Stmt::List(first, rest) => {
                statements(std::slice::from_ref(&**first), all);
                let rest = rest.iter().map(|link| std::slice::from_ref(&link.stmt));
                rest.for_each(|stmts| statements(stmts, all));
            }
            stmt => all.push(stmt),
        }
    }
}

/// Prints the ebuild and parses the text. The result is empty if the text can't be parsed.
impl From<&Ebuild> for EbuildFile {
    fn from(ebuild: &Ebuild) -> Self {
        let script = Script::read(&ebuild.to_string()).unwrap_or_default();
        Self { script }
    }
}

impl fmt::Display for EbuildFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.script.print(&STYLE))
    }
}

/// An eclass that was read from text.
///
/// ```
/// use rocpkg_gentoo::Eclass;
///
/// let text = "# @ECLASS: hip.eclass\ninherit cmake\n\nhip_src_test() {\n\t:\n}\n\nEXPORT_FUNCTIONS src_test\n";
/// let eclass = Eclass::read(text)?;
/// assert_eq!(eclass.exported(), ["src_test"]);
/// assert!(eclass.script.function("hip_src_test").is_some());
/// # Ok::<(), rocpkg_gentoo::Unreadable>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EclassFile {
    /// The items of its global scope.
    pub script: Script,
}

impl Eclass {
    /// Reads an existing eclass.
    ///
    /// # Errors
    /// The first byte that is no valid bash; a text that is nested too deeply or too long.
    pub fn read(text: &str) -> Result<EclassFile, Unreadable> {
        let script = Script::read(text)?;
        Ok(EclassFile { script })
    }
}

impl EclassFile {
    /// Returns the names of the eclasses that this eclass inherits, in order.
    pub fn inherited(&self) -> Vec<String> {
        arguments(&self.script, "inherit")
    }

    /// Returns the phases that `EXPORT_FUNCTIONS` names, wherever it is called (PMS 10.2).
    pub fn exported(&self) -> Vec<String> {
        arguments(&self.script, "EXPORT_FUNCTIONS")
    }

    /// Returns the parts of the eclass that could be kept as text only; see
    /// [`EbuildFile::untyped`].
    pub fn untyped(&self) -> Vec<String> {
        let mut all = self.script.raw();
        untyped_values(&self.script.items, &mut all);
        all
    }
}

impl fmt::Display for EclassFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.script.print(&STYLE))
    }
}
