//! The facts of a package that only an ebuild can express.

use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::maintainer::Maintainer;
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The Python eclass of Gentoo that a package uses.
    pub enum PythonMode {
        /// Any one implementation, at build time: `python-any-r1`.
        Any = "any-r1",
        /// Every implementation that the user chose: `python-r1`.
        Every = "r1",
        /// One implementation that the user chose: `python-single-r1`.
        Single = "single-r1",
        /// The package is itself a Python package: `distutils-r1`.
        Distutils = "distutils",
    }
}

choice! {
    /// The way in which an ebuild uses the eclass of GPU targets.
    pub enum TargetFlags {
        /// The eclass offers its list of targets.
        Eclass = "eclass",
        /// The ebuild uses only the functions of the eclass, and sets its variable
        /// `…_SKIP_GLOBALS`.
        Skip = "skip",
        /// The ebuild uses only the functions of the eclass, and offers a target list of its own.
        Own = "own",
        /// The ebuild does not inherit the eclass.
        None = "none",
    }
}

choice! {
    /// The method for passing GPU targets to dependencies in Gentoo.
    pub enum Propagation {
        /// Dependencies state a slot and no targets.
        None = "none",
        /// Dependencies have the USE dependency of the eclass, such as `[${ROCM_USEDEP}]`.
        Eclass = "eclass",
        /// Dependencies repeat the same atom, each time with a few of the flags.
        Chunked = "chunked",
    }
}

record! {
    /// The settings for Python in an ebuild.
    pub struct EbuildPython {
        /// The Python eclass.
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
    /// The program that builds documentation.
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
    /// The settings for the live ebuild of a package. The distribution's file states which packages
    /// have one.
    pub struct EbuildLive {
        /// `EGIT_REPO_URI` of a repository that contains only the package. When absent, the
        /// repository of the release's sources.
        repository: Option<Spanned<String>>,
        /// Set if the live ebuild has the slot of the newest release. Packages without a live
        /// version can then use it.
        slot_of_release: bool,
    }
}

record! {
    /// Facts of a Gentoo package that have no counterpart elsewhere.
    pub struct Ebuild {
        /// The category, such as `sci-libs`; the distribution's default when absent.
        category: Option<Spanned<String>>,
        /// The revision, such as 2 for `-r2`.
        revision: Option<u64>,
        /// `SLOT`, in which `${version}` is the ebuild's version. When absent, the slot of the
        /// release, such as `0/7.2`, or `0` for a package with a version of its own.
        slot: Option<Text>,
        /// The method for passing GPU targets to dependencies; the distribution's method when
        /// absent.
        propagation: Option<Propagation>,
        /// `KEYWORDS`; the distribution's default when absent.
        keywords: Vec<Spanned<String>>,
        /// Eclasses to inherit in addition to those that other keys of the package require.
        inherit: Vec<Spanned<String>>,
        /// Eclasses that other keys of the package require and that are not inherited.
        without: Vec<Spanned<String>>,
        /// The settings for `python-*-r1` or `distutils-r1`.
        python: Option<EbuildPython>,
        /// The settings for `docs.eclass`.
        docs: Option<EbuildDocs>,
        /// The way in which the eclass of GPU targets is used; derived from `targets` when absent.
        target_flags: Option<TargetFlags>,
        /// The condition under which at least one target must be selected: `always`, `never`, or
        /// the features that require a target. When absent, the condition `when` of `targets`, or
        /// else `always`.
        require_targets: OneOrMany<Spanned<String>>,
        /// `CONFIG_CHECK` of `linux-info`: kernel options. An option that begins with `~` only
        /// causes a warning.
        config_check: Vec<Spanned<String>>,
        /// Variables of the ebuild, such as `QA_FLAGS_IGNORED`; a list becomes an array.
        variables: IndexMap<String, OneOrMany<Text>>,
        /// The reasons for variables, by name of the variable. Each becomes a comment.
        reasons: IndexMap<String, String>,
        /// Folders that are not stripped: `dostrip -x`.
        no_strip: Vec<Text>,
        /// The ebuild's own functions, by name.
        functions: IndexMap<String, Vec<Step>>,
        /// Files of the `files` folder that steps use, in addition to the local patches.
        files: Vec<Spanned<String>>,
        /// Features that `metadata.xml` describes although their USE flags are global, that is,
        /// have a description for all packages.
        describes: Vec<Spanned<String>>,
        /// Set if `USE=debug` selects CMake's build type `Debug`.
        debug_build_type: bool = true,
        /// Set if too little memory or disk for a build causes a warning and never an error. The
        /// check is then made in `pkg_setup` only.
        lenient_requirements: bool,
        /// The settings for the live ebuild.
        live: Option<EbuildLive>,
        /// `owner/repository` of `metadata.xml`'s `remote-id`; the main source's when absent.
        remote: Option<Spanned<String>>,
        /// Set if `HOMEPAGE` contains the address of the documentation too.
        documentation_is_home: bool,
        /// The maintainers of this package, instead of those in the distribution's file.
        maintainers: Vec<Maintainer>,
    }
}

record! {
    /// The eclass for a `USE_EXPAND` variable of GPU targets, which is part of the repository. Some
    /// parts of the eclass are generated: the variables whose names derive from its name, the table
    /// of targets, and the function that prints the targets.
    pub struct EbuildEclass {
        /// The name of the eclass. `rocm` gives `rocm.eclass`, whose variables begin with `ROCM_`.
        name: Spanned<String>,
        /// The `USE_EXPAND` variable, such as `AMDGPU_TARGETS`. Its flags begin with the same name
        /// in lower case.
        expand: Spanned<String>,
        /// The name of the software whose targets these are, for texts in the eclass.
        title: Spanned<String>,
        /// The first year of the copyright line; the distribution's year when absent.
        since: Option<Spanned<String>>,
        /// A one-line description of the eclass.
        blurb: Spanned<String>,
        /// A description of the eclass.
        description: Option<String>,
        /// An example of use. Lines of code are between `@CODE` lines.
        example: Option<String>,
        /// An explanation of the targets that are on by default. Becomes a comment.
        on_by_default: Option<String>,
        /// A description of the list of flags. Becomes a comment in `profiles/desc/`.
        flags: Option<String>,
        /// Eclasses that the eclass inherits.
        inherit: Vec<Spanned<String>>,
        /// The functions that switch to a compiler, by the word for the compiler in `compiler`.
        compilers: IndexMap<String, Spanned<String>>,
        /// The function that tests call first if they need a GPU.
        device: Option<Spanned<String>>,
        /// The functions of the eclass, in order.
        functions: IndexMap<String, EclassFunction>,
        /// The part of `eclass/tests/` that follows the tests of each row of the table.
        tests: Option<String>,
    }
}

record! {
    /// A function of an eclass.
    pub struct EclassFunction {
        /// The arguments of the function.
        usage: Option<String>,
        /// Set if only the eclass calls the function.
        internal: bool,
        /// A description of the function.
        description: String,
        /// The body of the function, in bash.
        body: String,
    }
}
