//! What only an ebuild can say.

use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::maintainer::Maintainer;
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// Which of Gentoo's Python eclasses serves a package.
    pub enum PythonMode {
        /// Any one implementation while building: `python-any-r1`.
        Any = "any-r1",
        /// Every implementation that the user chose: `python-r1`.
        Every = "r1",
        /// One implementation that the user chose: `python-single-r1`.
        Single = "single-r1",
        /// A Python package of its own: `distutils-r1`.
        Distutils = "distutils",
    }
}

choice! {
    /// How an ebuild makes use of the eclass of GPU targets.
    pub enum TargetFlags {
        /// The eclass offers its list of targets.
        Eclass = "eclass",
        /// The functions alone: its variable `…_SKIP_GLOBALS` is set.
        Skip = "skip",
        /// The functions, and a list of the package's own.
        Own = "own",
        /// Not inherited.
        None = "none",
    }
}

choice! {
    /// How GPU targets are handed on over Gentoo's dependency edges.
    pub enum Propagation {
        /// Slot-only dependencies.
        None = "none",
        /// The eclass's USE dependency, such as `[${ROCM_USEDEP}]`.
        Eclass = "eclass",
        /// The same atom repeated with a few flags each.
        Chunked = "chunked",
    }
}

record! {
    /// Python in an ebuild.
    pub struct EbuildPython {
        /// The eclass.
        mode: PythonMode,
        /// `PYTHON_COMPAT`, such as `python3_{12..14}`.
        compat: Vec<Spanned<String>>,
        /// The PEP 517 build system of a `distutils` package: `DISTUTILS_USE_PEP517`.
        pep517: Option<Spanned<String>>,
        /// The plug-ins that pytest is run with: `EPYTEST_PLUGINS`. Present for a package tested by
        /// pytest.
        pytest: Vec<Spanned<String>>,
    }
}

choice! {
    /// What builds documentation.
    pub enum DocsBuilder {
        /// Doxygen.
        Doxygen = "doxygen",
        /// `MkDocs`.
        Mkdocs = "mkdocs",
        /// Sphinx.
        Sphinx = "sphinx",
    }
}

record! {
    /// Documentation built by `docs.eclass`, which adds the USE flag `doc`.
    pub struct EbuildDocs {
        /// `DOCS_BUILDER`.
        builder: DocsBuilder,
        /// `DOCS_DIR`, relative to the source folder; the source folder itself when absent.
        folder: Option<Spanned<String>>,
        /// `DOCS_DEPEND`.
        depend: Vec<Spanned<String>>,
    }
}

record! {
    /// The live ebuild of a package, where the distribution says that there is one.
    pub struct EbuildLive {
        /// `EGIT_REPO_URI` of a repository that holds the package alone; that of the release's
        /// sources when absent.
        repository: Option<Spanned<String>>,
        /// It has the slot of the newest release, so that it serves what has no live version.
        slot_of_release: bool,
    }
}

record! {
    /// Facts of a Gentoo package that have no counterpart elsewhere.
    pub struct Ebuild {
        /// The category, such as `sci-libs`; the distribution's default when absent.
        category: Option<Spanned<String>>,
        /// The revision, the digit of `-r2`.
        revision: Option<u64>,
        /// `SLOT`, in which `${version}` is the ebuild's version; `0/7.2` of the release when
        /// absent, and `0` of a package with a version of its own.
        slot: Option<Text>,
        /// How the choice of GPU targets is handed on to dependencies; the distribution's way when
        /// absent.
        propagation: Option<Propagation>,
        /// `KEYWORDS`; the distribution's default when absent.
        keywords: Vec<Spanned<String>>,
        /// Eclasses beside those that the rest of the package asks for.
        inherit: Vec<Spanned<String>>,
        /// Eclasses that are asked for and yet not inherited.
        without: Vec<Spanned<String>>,
        /// `python-*-r1` or `distutils-r1`.
        python: Option<EbuildPython>,
        /// `docs.eclass`.
        docs: Option<EbuildDocs>,
        /// How the eclass of GPU targets is used; follows from `targets` when absent.
        target_flags: Option<TargetFlags>,
        /// When at least one target must be chosen: `always` (the default), `never`, or the
        /// features that ask for it.
        require_targets: OneOrMany<Spanned<String>>,
        /// `CONFIG_CHECK` of `linux-info`: kernel options, `~` before one that only warns.
        config_check: Vec<Spanned<String>>,
        /// Variables of the ebuild, such as `QA_FLAGS_IGNORED`; a list becomes an array.
        variables: IndexMap<String, OneOrMany<Text>>,
        /// Why a variable is set, by its name; becomes a comment.
        reasons: IndexMap<String, String>,
        /// Folders that are not stripped: `dostrip -x`.
        no_strip: Vec<Text>,
        /// Functions of the ebuild's own, by name.
        functions: IndexMap<String, Vec<Step>>,
        /// Files of the `files` folder that steps name, beside the local patches.
        files: Vec<Spanned<String>>,
        /// Features that `metadata.xml` describes although their USE flags have a description for
        /// every package.
        describes: Vec<Spanned<String>>,
        /// USE=debug asks CMake for the build type `Debug`.
        debug_build_type: bool = true,
        /// The memory and disk that a build needs are looked at where too little is warned of, and
        /// never refused: in `pkg_setup` alone.
        lenient_requirements: bool,
        /// The live ebuild.
        live: Option<EbuildLive>,
        /// `owner/repository` of `metadata.xml`'s `remote-id`; the main source's when absent.
        remote: Option<Spanned<String>>,
        /// `HOMEPAGE` names the documentation as well.
        documentation_is_home: bool,
        /// Who maintains this package, in place of those whom the distribution names.
        maintainers: Vec<Maintainer>,
    }
}

record! {
    /// The eclass of a `USE_EXPAND` of GPU targets, which the repository brings. The variables that
    /// it derives from its name, the table and the function that prints the targets are printed
    /// unsaid.
    pub struct EbuildEclass {
        /// Its name: `rocm` is rocm.eclass, and its variables begin with `ROCM_`.
        name: Spanned<String>,
        /// The variable of `USE_EXPAND`, such as `AMDGPU_TARGETS`; its flags begin with the same in
        /// small letters.
        expand: Spanned<String>,
        /// What the targets are of, as its texts call it.
        title: Spanned<String>,
        /// The first year of its copyright line; that of the distribution when absent.
        since: Option<Spanned<String>>,
        /// One line about it.
        blurb: Spanned<String>,
        /// What it is for.
        description: Option<String>,
        /// How it is used, lines of code between `@CODE` among it.
        example: Option<String>,
        /// Which targets are on by default; becomes a comment.
        on_by_default: Option<String>,
        /// What the list of its flags says of itself; becomes a comment in `profiles/desc/`.
        flags: Option<String>,
        /// Eclasses that it inherits.
        inherit: Vec<Spanned<String>>,
        /// The functions that switch to a compiler, by its word.
        compilers: IndexMap<String, Spanned<String>>,
        /// The function that tests call first which need a device.
        device: Option<Spanned<String>>,
        /// Its functions, in their order.
        functions: IndexMap<String, EclassFunction>,
        /// What `eclass/tests/` does beside asking for each row of the table.
        tests: Option<String>,
    }
}

record! {
    /// A function of an eclass.
    pub struct EclassFunction {
        /// What it is called with.
        usage: Option<String>,
        /// Nobody but the eclass calls it.
        internal: bool,
        /// What it does.
        description: String,
        /// Its lines of bash.
        body: String,
    }
}
