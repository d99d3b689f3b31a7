//! An ebuild as a typed value (PMS 7 to 9). It is made from code or from a package of a plan; both
//! are printed by the same code.

use crate::value::dep::{Dep, Dependencies, Required};
use crate::value::tokens::is_made_of;
use minijinja::Value as Context;
use rocpkg_pms::{Cpv, Iuse, License, LicenseSpec, RestrictSpec, Slot, Spec, SrcUriSpec};
use rocpkg_render::bash::{Item, Stmt, Word, check, check_raw, is_identifier};
use rocpkg_render::{Refused, Unprintable};
use rocpkg_syntax::Surroundings;
use std::fmt;

/// An ebuild: the values of its variables and the bodies of its functions.
///
/// ```
/// use rocpkg_gentoo::{Ebuild, Phase};
/// use rocpkg_gentoo::bash::{Word, run};
///
/// let ebuild = Ebuild::new("sci-libs/hipThing-1.0".parse()?, &"0/1.0".parse()?, "Things for GPUs", 2026)
///     .homepage("https://example.org/hipThing")
///     .license("MIT".parse()?)
///     .inherit(["cmake"])
///     .iuse("+hip test".parse()?)
///     .depend("hip? ( dev-util/hip:= )".parse()?)
///     .rdepend("hip? ( dev-util/hip:= )".parse()?)
///     .phase(Phase::SrcTest, vec![run("cmake_src_test", [Word::lit("-j1")])]);
/// ebuild.check()?;
/// assert_eq!(ebuild.path(), "sci-libs/hipThing/hipThing-1.0.ebuild");
/// assert!(ebuild.to_string().contains("\nDEPEND=\"${RDEPEND}\"\n"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Ebuild {
    pub(crate) cpv: Cpv,
    pub(crate) eapi: Eapi,
    pub(crate) year: String,
    /// The variables that eclasses read when they are inherited.
    pub(crate) early: Vec<Variable>,
    pub(crate) inherit: Vec<String>,
    /// A comment on the whole package, printed above `DESCRIPTION`.
    pub(crate) comment: Option<String>,
    /// The variables with the commits at which sources are fetched.
    pub(crate) commits: Vec<Variable>,
    pub(crate) description: String,
    pub(crate) homepage: String,
    pub(crate) sources: SrcUriSpec,
    /// The variables that git-r3.eclass reads in a live ebuild: `EGIT_REPO_URI`, `EGIT_BRANCH` and
    /// `EGIT_SUBMODULES`.
    pub(crate) checkout: Vec<Variable>,
    /// `S` and the variables with the folders of further sources.
    pub(crate) folders: Vec<Variable>,
    /// The value of `SLOT`, as it is written between the quotes.
    pub(crate) slot: String,
    /// The value of `SLOT_NOLIVE` in a live ebuild: the slot of dependencies that have no live
    /// version.
    pub(crate) slot_of_release: Option<String>,
    pub(crate) license: LicenseSpec,
    pub(crate) keywords: String,
    pub(crate) own_targets: Option<OwnTargets>,
    /// The flags of `IUSE`, without those that eclasses add.
    pub(crate) iuse: Iuse,
    pub(crate) required_use: Spec<Required>,
    /// The reasons for parts of `REQUIRED_USE`, printed as comments above it.
    pub(crate) required_reasons: Vec<String>,
    pub(crate) restrict: RestrictSpec,
    pub(crate) restrict_reason: Option<String>,
    pub(crate) properties: RestrictSpec,
    pub(crate) depends: Dependencies,
    /// The variables between the dependencies and the phases.
    pub(crate) late: Vec<Variable>,
    /// The plug-ins of pytest without `pytest-`, if distutils-r1.eclass runs the tests.
    pub(crate) pytest: Vec<String>,
    pub(crate) patches: Vec<Item>,
    /// The functions by name, with the phases last and in their order.
    pub(crate) functions: Vec<(String, Vec<Stmt>)>,
}

/// The target list of an ebuild that does not use the list of the eclass of GPU targets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnTargets {
    pub(crate) on: Vec<String>,
    /// The targets whose flags are off by default.
    pub(crate) off: Vec<String>,
    /// Set if the profile states for which targets upstream has kernels.
    pub(crate) known: bool,
    /// The text that the targets' flags begin with, such as `amdgpu_targets_`.
    pub(crate) prefix: String,
    /// The name of the variable that requires one of the targets, such as `ROCM_REQUIRED_USE`.
    pub(crate) required_use: String,
}

/// A version of the ebuild API (PMS 6), which defines the commands and variables of an ebuild.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Eapi {
    /// EAPI 7
    Seven,
    /// EAPI 8
    #[default]
    Eight,
    /// EAPI 9
    Nine,
}

/// Prints the value of `EAPI=`.
impl fmt::Display for Eapi {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Seven => "7",
            Self::Eight => "8",
            Self::Nine => "9",
        })
    }
}

/// Declares the phases with the functions of PMS 9.1.
macro_rules! phases {
    ($($name:ident $function:literal,)*) => {
        /// A phase function (PMS 9.1). The variants are in the order in which phases run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Phase {
            $(#[doc = concat!("`", $function, "`")] $name,)*
        }

        impl Phase {
            /// All phases.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// Returns the function's name.
            pub fn function(self) -> &'static str {
                match self {
                    $(Self::$name => $function,)*
                }
            }
        }
    };
}

phases! {
    PkgPretend "pkg_pretend",
    PkgSetup "pkg_setup",
    SrcUnpack "src_unpack",
    SrcPrepare "src_prepare",
    SrcConfigure "src_configure",
    SrcCompile "src_compile",
    SrcTest "src_test",
    SrcInstall "src_install",
    PkgPreinst "pkg_preinst",
    PkgPostinst "pkg_postinst",
    PkgPrerm "pkg_prerm",
    PkgPostrm "pkg_postrm",
    PkgConfig "pkg_config",
    PkgInfo "pkg_info",
    PkgNofetch "pkg_nofetch",
}

impl Ebuild {
    /// Returns an ebuild with the variables that PMS 7.2 demands, and the year of its copyright
    /// line. All other variables have a setter.
    pub fn new(cpv: Cpv, slot: &Slot, description: &str, year: u16) -> Self {
        Self {
            cpv,
            eapi: Eapi::default(),
            year: year.to_string(),
            early: Vec::new(),
            inherit: Vec::new(),
            comment: None,
            commits: Vec::new(),
            description: description.to_owned(),
            homepage: String::new(),
            sources: Spec::default(),
            checkout: Vec::new(),
            folders: Vec::new(),
            slot: slot.to_string(),
            slot_of_release: None,
            license: Spec::default(),
            keywords: String::new(),
            own_targets: None,
            iuse: Iuse::default(),
            required_use: Spec::default(),
            required_reasons: Vec::new(),
            restrict: Spec::default(),
            restrict_reason: None,
            properties: Spec::default(),
            depends: Dependencies::default(),
            late: Vec::new(),
            pytest: Vec::new(),
            patches: Vec::new(),
            functions: Vec::new(),
        }
    }

    /// Sets `HOMEPAGE`.
    #[must_use]
    pub fn homepage(mut self, url: &str) -> Self {
        url.clone_into(&mut self.homepage);
        self
    }

    /// Sets `SRC_URI`. A URI may hold references such as `${PV}`.
    #[must_use]
    pub fn src_uri(mut self, sources: SrcUriSpec) -> Self {
        self.sources = sources;
        self
    }

    /// Sets `S`, the folder that is built.
    #[must_use]
    pub fn source_folder(mut self, folder: Word) -> Self {
        self.folders.push(Variable::new("S", folder));
        self
    }

    /// Sets `LICENSE`.
    #[must_use]
    pub fn license(mut self, license: Spec<License>) -> Self {
        self.license = license;
        self
    }

    /// Sets `KEYWORDS`, such as `~amd64 arm64`. A live ebuild has none.
    #[must_use]
    pub fn keywords(mut self, keywords: &str) -> Self {
        keywords.clone_into(&mut self.keywords);
        self
    }

    /// Adds eclasses behind those that were added before. If several eclasses export the same
    /// phase, the last one counts (PMS 10.1).
    #[must_use]
    pub fn inherit(mut self, eclasses: impl IntoIterator<Item = impl Into<String>>) -> Self {
        for eclass in eclasses.into_iter().map(Into::into) {
            if !self.inherit.contains(&eclass) {
                self.inherit.push(eclass);
            }
        }
        self
    }

    /// Sets the EAPI. The default is [`Eapi::Eight`].
    #[must_use]
    pub fn eapi(mut self, eapi: Eapi) -> Self {
        self.eapi = eapi;
        self
    }

    /// Sets `PROPERTIES`, such as `live` (PMS 7.4).
    #[must_use]
    pub fn properties(mut self, properties: RestrictSpec) -> Self {
        self.properties = properties;
        self
    }

    /// Sets `IDEPEND`: programs that run while the package is installed (PMS 8.1, EAPI 8 and
    /// later).
    #[must_use]
    pub fn idepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.install = depends;
        self
    }

    /// Adds a variable that an eclass reads when it is inherited, such as `PYTHON_COMPAT`.
    #[must_use]
    pub fn before_inherit(mut self, variable: Variable) -> Self {
        self.early.push(variable);
        self
    }

    /// Adds a variable between the dependencies and the phases.
    #[must_use]
    pub fn variable(mut self, variable: Variable) -> Self {
        self.late.push(variable);
        self
    }

    /// Sets `IUSE`, without flags that eclasses add.
    #[must_use]
    pub fn iuse(mut self, iuse: Iuse) -> Self {
        self.iuse = iuse;
        self
    }

    /// Sets `REQUIRED_USE`. A word such as `${ROCM_REQUIRED_USE}` stands for the value that an
    /// eclass sets.
    #[must_use]
    pub fn required_use(mut self, required: Spec<Required>) -> Self {
        self.required_use = required;
        self
    }

    /// Sets `RESTRICT`.
    #[must_use]
    pub fn restrict(mut self, restrict: RestrictSpec) -> Self {
        self.restrict = restrict;
        self
    }

    /// Sets `DEPEND`: headers and libraries that the package is built against. Dependencies that
    /// `RDEPEND` has too are printed once.
    #[must_use]
    pub fn depend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.build = depends;
        self
    }

    /// Sets `RDEPEND`: packages that are needed at run time.
    #[must_use]
    pub fn rdepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.run = depends;
        self
    }

    /// Sets `BDEPEND`: programs that run during the build.
    #[must_use]
    pub fn bdepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.tool = depends;
        self
    }

    /// Sets `PDEPEND`: packages that are needed at run time and may be installed afterwards.
    #[must_use]
    pub fn pdepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.post = depends;
        self
    }

    /// Adds an element of `PATCHES`, such as a file below `${FILESDIR}`.
    #[must_use]
    pub fn patch(mut self, patch: impl Into<Item>) -> Self {
        self.patches.push(patch.into());
        self
    }

    /// Adds a function that phases call. It is printed before the phases.
    #[must_use]
    pub fn function(mut self, name: &str, body: Vec<Stmt>) -> Self {
        let phases = |name: &str| Phase::ALL.iter().any(|phase| phase.function() == name);
        let at = self
            .functions
            .iter()
            .position(|(name, _)| phases(name))
            .unwrap_or(self.functions.len());
        self.functions.insert(at, (name.to_owned(), body));
        self
    }

    /// Sets the body of a phase. It replaces the phase function that eclasses export.
    #[must_use]
    pub fn phase(mut self, phase: Phase, body: Vec<Stmt>) -> Self {
        self.functions.retain(|(name, _)| name != phase.function());
        let order = |name: &str| Phase::ALL.iter().position(|phase| phase.function() == name);
        let own = order(phase.function());
        let at = self
            .functions
            .iter()
            .position(|(name, _)| order(name) > own);
        let at = at.unwrap_or(self.functions.len());
        self.functions
            .insert(at, (phase.function().to_owned(), body));
        self
    }

    /// Returns the category, name, version and revision.
    pub fn cpv(&self) -> &Cpv {
        &self.cpv
    }

    /// Returns the ebuild's path in a repository: `CATEGORY/NAME/NAME-VERSION.ebuild`.
    pub fn path(&self) -> String {
        let name = self.cpv.cpn.package();
        format!("{}/{name}-{}.ebuild", self.cpv.cpn, self.cpv.version)
    }

    /// Checks that Portage can read the printed ebuild: valid names, flags that are in IUSE, and
    /// all checks of [`check`](crate::check::check) that need no file beside the ebuild.
    ///
    /// Flags of an eclass that is not known are not looked up; [`check`](crate::check::check)
    /// returns a list of everything that could not be checked.
    ///
    /// # Errors
    /// All faults. Faults of the printed text have their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let mut all = Vec::new();
        let mut name = |text: &str| all.push(Unprintable::Name(text.to_owned()));
        let closed = |uri: &str| uri.replace("${", "").contains(['"', '$', '`', '\\']);
        let addresses = self.sources.leaves();
        let addresses = addresses.iter().map(ToString::to_string);
        addresses
            .filter(|uri| closed(uri))
            .for_each(|uri| name(&uri));
        let inherited = self.inherit.iter();
        inherited
            .filter(|eclass| !is_made_of(eclass, "-_.+"))
            .for_each(|eclass| name(eclass));
        let variables = self.early.iter().chain(&self.folders).chain(&self.late);
        variables
            .filter(|variable| !is_identifier(&variable.name))
            .for_each(|variable| name(&variable.name));
        let stmt = |(name, body): &(String, Vec<Stmt>)| Stmt::Function {
            name: name.clone(),
            body: body.clone(),
        };
        let stmts: Vec<Stmt> = self.functions.iter().map(stmt).collect();
        for wrong in check(&stmts) {
            name(&wrong);
        }
        all.extend(check_raw(&stmts).into_iter().map(Unprintable::Text));
        if self.eapi < Eapi::Eight && !self.depends.install.is_empty() {
            let reason = format!("EAPI {} has no IDEPEND", self.eapi);
            all.push(Unprintable::Text(reason));
        }
        if self.description.trim().is_empty() || self.description.contains('\n') {
            all.push(Unprintable::Lacks("a description of one line"));
        }
        let text = self.to_string();
        let surroundings = Surroundings {
            path: self.path(),
            ..Surroundings::default()
        };
        let checked = crate::check::check(&text, &surroundings);
        all.extend(checked.refusals(&text).map(Unprintable::Text));
        Refused::if_any(all)
    }

    /// Returns the context of the ebuild's template, for callers with a template of their own.
    pub(crate) fn context(&self) -> Context {
        crate::value::print::ebuild_context(self)
    }
}

/// Prints the text of the file `CATEGORY/NAME/NAME-VERSION.ebuild`.
impl fmt::Display for Ebuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::value::TEMPLATES.print("gentoo/ebuild.j2", self.context()))
    }
}

/// A variable of an ebuild.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub(crate) name: String,
    pub(crate) value: VariableValue,
    /// The reason for the value, printed as a comment above the variable.
    pub(crate) reason: Option<String>,
}

impl Variable {
    /// Returns the variable `name="word"`.
    pub fn new(name: &str, word: Word) -> Self {
        Self {
            name: name.to_owned(),
            value: VariableValue::Word(word),
            reason: None,
        }
    }

    /// Returns the array `name=( elements )`.
    pub fn array(name: &str, elements: impl IntoIterator<Item = impl Into<Item>>) -> Self {
        let elements = elements.into_iter().map(Into::into).collect();
        Self {
            name: name.to_owned(),
            value: VariableValue::Array(elements),
            reason: None,
        }
    }

    /// Adds the reason for the value, printed as a comment above the variable.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VariableValue {
    Word(Word),
    Array(Vec<Item>),
}
