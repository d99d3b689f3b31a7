//! The facts of a package that only an ebuild can express.

use crate::decode::{OneOrMany, Spanned, choice, record};
use crate::maintainer::Maintainer;
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

choice! {
    /// The Python eclass of Gentoo that a package uses.
    pub enum PythonMode {
        /// Any one implementation of Python, at build time: `python-any-r1`.
        Any = "any-r1",
        /// Every implementation of Python that the user chose: `python-r1`.
        Every = "r1",
        /// One implementation of Python that the user chose: `python-single-r1`.
        Single = "single-r1",
        /// The package is itself a Python package: `distutils-r1`.
        Distutils = "distutils",
    }
}

choice! {
    /// The way in which an ebuild uses the eclass of GPU targets.
    pub enum TargetFlags {
        /// The ebuild inherits the eclass, which adds a USE flag for each target of its list.
        Eclass = "eclass",
        /// The ebuild calls functions of the eclass and takes no flags from it: it sets the
        /// eclass's variable `…_SKIP_GLOBALS`.
        Skip = "skip",
        /// The ebuild calls functions of the eclass, and has flags for a target list of its own.
        Own = "own",
        /// The ebuild does not inherit the eclass of GPU targets.
        None = "none",
    }
}

choice! {
    /// The method for passing GPU targets to dependencies in Gentoo.
    pub enum Propagation {
        /// Dependencies state a slot, and no flags for GPU targets.
        None = "none",
        /// Dependencies have the USE dependency of the eclass, such as `[${ROCM_USEDEP}]`.
        Eclass = "eclass",
        /// Dependencies repeat the same atom, each time with a few of the flags:
        /// `hip[amdgpu_targets_gfx906(-)?]`.
        Chunked = "chunked",
    }
}

record! {
    /// The settings for Python in an ebuild (`python-*-r1` or `distutils-r1`).
    pub struct EbuildPython {
        /// The Python eclass that the ebuild inherits.
        mode: PythonMode,
        /// The values of `PYTHON_COMPAT`, such as `["python3_{12..14}"]`; the distribution's
        /// setting when empty.
        compat: Vec<Spanned<String>>,
        /// The PEP 517 build system of a `distutils` package: `DISTUTILS_USE_PEP517`.
        pep517: Option<Spanned<String>>,
        /// The plug-ins of pytest that the tests use: `EPYTEST_PLUGINS`. The key is absent if the
        /// package is not tested by pytest.
        pytest: Vec<Spanned<String>>,
    }
}

choice! {
    /// The program that builds a package's documentation.
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
        /// The program that builds the documentation: `DOCS_BUILDER`.
        builder: DocsBuilder,
        /// `DOCS_DIR`, relative to the source folder; the source folder itself when absent.
        folder: Option<Spanned<String>>,
        /// Dependencies for building the documentation, as atoms: `DOCS_DEPEND`.
        depend: Vec<Spanned<String>>,
    }
}

record! {
    /// The settings for the live ebuild of a package (version `9999`). The key `live` of the
    /// distribution's habits lists the packages that have a live ebuild.
    pub struct EbuildLive {
        /// The `EGIT_REPO_URI` of a repository that contains only the package. When absent, the
        /// repository of the release's sources.
        repository: Option<Spanned<String>>,
        /// Set if the live ebuild has the slot of the newest release. Packages without a live
        /// ebuild can then depend on it.
        slot_of_release: bool,
    }
}

record! {
    /// Facts of a Gentoo package that have no counterpart elsewhere.
    pub struct Ebuild {
        /// The category, such as `sci-libs`; the distribution's default when absent.
        category: Option<Spanned<String>>,
        /// The revision of a new ebuild, such as 2 for `-r2`; none when absent.
        revision: Option<u64>,
        /// `SLOT`, in which `${version}` is the ebuild's version. When absent, the slot of the
        /// release, such as `0/7.2`, or `0` for a package with a version of its own.
        slot: Option<Text>,
        /// The method for passing the selected GPU targets to dependencies; the distribution's
        /// method when absent.
        propagation: Option<Propagation>,
        /// The values of `KEYWORDS`, such as `[~amd64]`; the distribution's default when absent.
        keywords: Vec<Spanned<String>>,
        /// Eclasses to inherit in addition to those that other keys of the package require.
        inherit: Vec<Spanned<String>>,
        /// Eclasses that other keys of the package require and that are nevertheless not inherited.
        without: Vec<Spanned<String>>,
        /// The settings for the Python eclass, `python-*-r1` or `distutils-r1`.
        python: Option<EbuildPython>,
        /// The settings for documentation that `docs.eclass` builds.
        docs: Option<EbuildDocs>,
        /// The way in which the eclass of GPU targets is used; derived from `targets` when absent.
        target_flags: Option<TargetFlags>,
        /// The condition under which users must select at least one target: `always`, `never`, or
        /// the features that require a target. When absent, the condition `when` of `targets`, or
        /// else `always`.
        require_targets: OneOrMany<Spanned<String>>,
        /// The kernel options in `CONFIG_CHECK` of `linux-info`, such as `["~HSA_AMD"]`. An option
        /// that begins with `~` only causes a warning.
        config_check: Vec<Spanned<String>>,
        /// Variables of the ebuild by name, such as `QA_FLAGS_IGNORED`. A list becomes an array of
        /// bash.
        variables: IndexMap<String, OneOrMany<Text>>,
        /// The reasons for the values in `variables`, by name of the variable. Each becomes a
        /// comment.
        reasons: IndexMap<String, String>,
        /// Folders whose files are not stripped: `dostrip -x`.
        no_strip: Vec<Text>,
        /// Functions of the ebuild that are no phases, by name, each with its steps.
        functions: IndexMap<String, Vec<Step>>,
        /// Files in the folder `files/` that the ebuild's steps use, in addition to the local
        /// patches.
        files: Vec<Spanned<String>>,
        /// Features that `metadata.xml` describes although their USE flags are global, that is,
        /// have a description for all packages.
        describes: Vec<Spanned<String>>,
        /// Set if `USE=debug` selects CMake's build type `Debug`; true when absent.
        debug_build_type: bool = true,
        /// Set if too little memory or disk for a build causes a warning and never an error. The
        /// check is then made in `pkg_setup` only.
        lenient_requirements: bool,
        /// The settings for the package's live ebuild.
        live: Option<EbuildLive>,
        /// The `remote-id` in `metadata.xml`, as `owner/repository`; that of the main source when
        /// absent.
        remote: Option<Spanned<String>>,
        /// Set if `HOMEPAGE` contains the address of the documentation too.
        documentation_in_homepage: bool,
        /// The maintainers of this package, instead of those in the distribution's file.
        maintainers: Vec<Maintainer>,
    }
}

record! {
    /// The eclass for a `USE_EXPAND` variable of GPU targets, such as Gentoo's `rocm.eclass`. Some
    /// parts of the eclass are generated: the variables whose names derive from the eclass's name,
    /// the table of targets, and the function that prints the targets.
    pub struct EbuildEclass {
        /// The name of the eclass. `rocm` gives `rocm.eclass`, whose variables begin with `ROCM_`.
        name: Spanned<String>,
        /// The name of the `USE_EXPAND` variable, such as `AMDGPU_TARGETS`. Its USE flags begin
        /// with the same name in lower case: `amdgpu_targets_gfx942`.
        expand: Spanned<String>,
        /// The name of the software that is built for the targets, such as `ROCm`, for texts in the
        /// eclass.
        title: Spanned<String>,
        /// The first year of the copyright line; the distribution's year when absent.
        since: Option<Spanned<String>>,
        /// A one-line description of the eclass.
        blurb: Spanned<String>,
        /// A description of the eclass, of several paragraphs; the one-line description suffices
        /// when absent.
        description: Option<String>,
        /// An example of use. Lines of code are between `@CODE` lines.
        example: Option<String>,
        /// An explanation of the choice of targets that are on by default. Becomes a comment.
        on_by_default: Option<String>,
        /// A description of the list of USE flags. Becomes a comment in the file below
        /// `profiles/desc/`.
        flags: Option<String>,
        /// Eclasses that the eclass inherits.
        inherit: Vec<Spanned<String>>,
        /// The functions of the eclass that switch to a compiler, by the word for the compiler in
        /// the key `compiler` of packages: `{clang: rocm_use_clang}`.
        compilers: IndexMap<String, Spanned<String>>,
        /// The function that `src_test` calls first if the tests need a GPU, such as
        /// `check_amdgpu`.
        device: Option<Spanned<String>>,
        /// The functions of the eclass by name, in the order in which the eclass defines them.
        functions: IndexMap<String, EclassFunction>,
        /// Lines in bash for the eclass's test below `eclass/tests/`. They follow the generated
        /// tests of the table of targets.
        tests: Option<String>,
    }
}

record! {
    /// A function of an eclass.
    pub struct EclassFunction {
        /// The arguments of the function as its documentation shows them, such as `[-w]`.
        usage: Option<String>,
        /// Set if only the eclass calls the function.
        internal: bool,
        /// A description of the function for its documentation.
        description: String,
        /// The body of the function, in bash.
        body: String,
    }
}
