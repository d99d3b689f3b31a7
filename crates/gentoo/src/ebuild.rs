//! An ebuild, typed (PMS 7 to 9): made from code or by the lowering of a plan, and printed by the
//! same lines.

use crate::dep::{Dep, Dependencies, Required};
use crate::words::is_made_of;
use minijinja::Value as Context;
use rocpkg_pms::{Cpv, Iuse, License, LicenseSpec, RestrictSpec, Slot, Spec, SrcUriSpec};
use rocpkg_render::bash::{Item, Stmt, Word, check, check_raw, is_identifier};
use rocpkg_render::{Refused, Unprintable};
use rocpkg_syntax::Surroundings;
use std::fmt;

/// One ebuild: what its variables and functions say.
///
/// ```
/// use rocpkg_gentoo::{Ebuild, Phase};
/// use rocpkg_render::bash::{Word, run};
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
    /// Variables that eclasses read when they are inherited.
    pub(crate) early: Vec<Variable>,
    pub(crate) inherit: Vec<String>,
    /// What the whole is about, printed above its description.
    pub(crate) comment: Option<String>,
    /// Commits that sources are fetched at, as variables.
    pub(crate) commits: Vec<Variable>,
    pub(crate) description: String,
    pub(crate) homepage: String,
    pub(crate) sources: SrcUriSpec,
    /// What git-r3.eclass checks out for the live ebuild: `EGIT_REPO_URI`, `EGIT_BRANCH` and
    /// `EGIT_SUBMODULES`.
    pub(crate) checkout: Vec<Variable>,
    /// `S` and the folders of further sources.
    pub(crate) folders: Vec<Variable>,
    /// What `SLOT` says between its quotes.
    pub(crate) slot: String,
    /// What `SLOT_NOLIVE` says: the slot of what a live ebuild needs and has no live version.
    pub(crate) slot_of_release: Option<String>,
    pub(crate) license: LicenseSpec,
    pub(crate) keywords: String,
    pub(crate) own_targets: Option<OwnTargets>,
    /// `IUSE` without what eclasses add.
    pub(crate) iuse: Iuse,
    pub(crate) required_use: Spec<Required>,
    /// Why it requires that.
    pub(crate) required_reasons: Vec<String>,
    pub(crate) restrict: RestrictSpec,
    pub(crate) restrict_reason: Option<String>,
    pub(crate) properties: RestrictSpec,
    pub(crate) depends: Dependencies,
    /// Variables that stand before the phases.
    pub(crate) late: Vec<Variable>,
    /// Plug-ins of pytest, where distutils-r1.eclass runs the tests.
    pub(crate) pytest: Vec<String>,
    pub(crate) patches: Vec<Item>,
    /// Functions, the phases in their order last.
    pub(crate) functions: Vec<(String, Vec<Stmt>)>,
}

/// The package's own GPU targets, when it does not take the eclass's.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct OwnTargets {
    pub(crate) on: Vec<String>,
    /// Those that are off unless asked for.
    pub(crate) off: Vec<String>,
    /// It was looked up which of them upstream has kernels for.
    pub(crate) known: bool,
    /// What their flags begin with.
    pub(crate) prefix: String,
    /// What asks for one of them.
    pub(crate) required_use: String,
}

/// A version of the ebuild API (PMS 6): what an ebuild may say.
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

/// As `EAPI=` states it.
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
        /// A phase function (PMS 9.1), in the order in which they run.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Phase {
            $(#[doc = concat!("`", $function, "`")] $name,)*
        }

        impl Phase {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$name),*];

            /// The function's name.
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
    /// What each ebuild must state (PMS 7.2), and the year of its copyright line. All else has a
    /// setter.
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

    /// `HOMEPAGE`.
    #[must_use]
    pub fn homepage(mut self, url: &str) -> Self {
        url.clone_into(&mut self.homepage);
        self
    }

    /// `SRC_URI`; a URI may hold references such as `${PV}`.
    #[must_use]
    pub fn src_uri(mut self, sources: SrcUriSpec) -> Self {
        self.sources = sources;
        self
    }

    /// `S`, the folder that is built.
    #[must_use]
    pub fn source_folder(mut self, folder: Word) -> Self {
        self.folders.push(Variable::new("S", folder));
        self
    }

    /// `LICENSE`.
    #[must_use]
    pub fn license(mut self, license: Spec<License>) -> Self {
        self.license = license;
        self
    }

    /// `KEYWORDS`, such as `~amd64 arm64`; none for a live ebuild.
    #[must_use]
    pub fn keywords(mut self, keywords: &str) -> Self {
        keywords.clone_into(&mut self.keywords);
        self
    }

    /// Adds eclasses behind those that were added before. Of eclasses that export the same phase,
    /// the last one counts (PMS 10.1).
    #[must_use]
    pub fn inherit(mut self, eclasses: impl IntoIterator<Item = impl Into<String>>) -> Self {
        for eclass in eclasses.into_iter().map(Into::into) {
            if !self.inherit.contains(&eclass) {
                self.inherit.push(eclass);
            }
        }
        self
    }

    /// Sets the EAPI; [`Eapi::Eight`] otherwise.
    #[must_use]
    pub fn eapi(mut self, eapi: Eapi) -> Self {
        self.eapi = eapi;
        self
    }

    /// `PROPERTIES`, such as `live` (PMS 7.4).
    #[must_use]
    pub fn properties(mut self, properties: RestrictSpec) -> Self {
        self.properties = properties;
        self
    }

    /// `IDEPEND`: programs that are run while it is installed (PMS 8.1, EAPI 8 and later).
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

    /// Adds a variable that stands before the phases.
    #[must_use]
    pub fn variable(mut self, variable: Variable) -> Self {
        self.late.push(variable);
        self
    }

    /// `IUSE`, but for flags that eclasses add.
    #[must_use]
    pub fn iuse(mut self, iuse: Iuse) -> Self {
        self.iuse = iuse;
        self
    }

    /// `REQUIRED_USE`; a word such as `${ROCM_REQUIRED_USE}` stands for what an eclass sets.
    #[must_use]
    pub fn required_use(mut self, required: Spec<Required>) -> Self {
        self.required_use = required;
        self
    }

    /// `RESTRICT`.
    #[must_use]
    pub fn restrict(mut self, restrict: RestrictSpec) -> Self {
        self.restrict = restrict;
        self
    }

    /// `DEPEND`: headers and libraries that it is built against. Parts that `RDEPEND` has too are
    /// printed once.
    #[must_use]
    pub fn depend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.build = depends;
        self
    }

    /// `RDEPEND`: what it needs when it runs.
    #[must_use]
    pub fn rdepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.run = depends;
        self
    }

    /// `BDEPEND`: programs that are run while it is built.
    #[must_use]
    pub fn bdepend(mut self, depends: Spec<Dep>) -> Self {
        self.depends.tool = depends;
        self
    }

    /// `PDEPEND`: what it needs when it runs, and is installed after it.
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

    /// Adds a function that phases call; it stands before them.
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

    /// Sets what a phase does, in place of what eclasses do there.
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

    /// Category, name, version and revision.
    pub fn cpv(&self) -> &Cpv {
        &self.cpv
    }

    /// Where it lies in a repository: `CATEGORY/NAME/NAME-VERSION.ebuild`.
    pub fn path(&self) -> String {
        let name = self.cpv.cpn.package();
        format!("{}/{name}-{}.ebuild", self.cpv.cpn, self.cpv.version)
    }

    /// Checks that Portage can read the printed ebuild: names that bash takes, flags that are in
    /// IUSE, and all that [`check`](crate::check) looks for without what lies beside the ebuild.
    ///
    /// Flags of an eclass that is not known are not looked up; [`check`](crate::check) returns what
    /// could not be checked.
    ///
    /// # Errors
    /// All faults. Those of the printed text have their line and column.
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

    /// What its template is filled in with, for a template of one's own.
    pub(crate) fn context(&self) -> Context {
        crate::print::ebuild_context(self)
    }
}

/// As `CATEGORY/NAME/NAME-VERSION.ebuild` holds it.
impl fmt::Display for Ebuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&crate::TEMPLATES.print("gentoo/ebuild.j2", self.context()))
    }
}

/// A variable of an ebuild.
#[derive(Clone, Debug, PartialEq)]
pub struct Variable {
    pub(crate) name: String,
    pub(crate) value: Value,
    /// Why it is set; printed above it.
    pub(crate) reason: Option<String>,
}

impl Variable {
    /// `name="word"`.
    pub fn new(name: &str, word: Word) -> Self {
        Self {
            name: name.to_owned(),
            value: Value::Word(word),
            reason: None,
        }
    }

    /// `name=( elements )`.
    pub fn array(name: &str, elements: impl IntoIterator<Item = impl Into<Item>>) -> Self {
        let elements = elements.into_iter().map(Into::into).collect();
        Self {
            name: name.to_owned(),
            value: Value::Array(elements),
            reason: None,
        }
    }

    /// Why it is set; printed above it.
    #[must_use]
    pub fn reason(mut self, reason: &str) -> Self {
        self.reason = Some(reason.to_owned());
        self
    }
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Word(Word),
    Array(Vec<Item>),
}
