//! The facts of a package that only a recipe of Solus (`package.yml`, built by ypkg) can express.

use crate::decode::{OneOrMany, Spanned, record};
use crate::package::TargetRule;
use crate::project::{Argument, EnvironmentVariable};
use indexmap::IndexMap;

record! {
    /// The facts in Solus' recipe for one release of upstream.
    pub struct YpkgRelease {
        /// The version, if it is neither the component's own version nor the one in the tag.
        version: Option<Spanned<String>>,
        /// The counter of the recipe's releases. It never decreases.
        release: Option<Spanned<u64>>,
    }
}

record! {
    /// The places that are monitored for new releases: `monitoring.yaml`.
    pub struct YpkgMonitoring {
        /// The project's number at release-monitoring.org.
        id: Option<u64>,
        /// The feed of releases, if it is not the feed of the main source's repository.
        rss: Option<Spanned<String>>,
    }
}

record! {
    /// The facts of a subpackage of a Solus recipe that differ from those of the package.
    pub struct YpkgPart {
        /// The component that the subpackage belongs to.
        component: Option<Spanned<String>>,
        /// A one-line description, without a full stop.
        summary: Option<Spanned<String>>,
    }
}

record! {
    /// Facts of a Solus package that have no counterpart elsewhere (package.yml(5)).
    ///
    /// The keys of `subpackages`, `patterns`, `rundeps` and `replaces` are subpackages: `main` for
    /// the package itself, `devel` for `NAME-devel`, `^other` for a subpackage with the name
    /// `other`.
    pub struct Ypkg {
        /// The component that the package belongs to, such as `programming.library`.
        component: Option<Spanned<String>>,
        /// The facts of subpackages, by subpackage.
        subpackages: IndexMap<String, YpkgPart>,
        /// The name by which other recipes build against the package, if it is not `NAME-devel`, or
        /// `NAME` for headers and tools.
        needed_as: Option<Spanned<String>>,
        /// Keys that are true or false, such as `clang`. Each has a value, or a mapping with
        /// `value` and `when`.
        switches: IndexMap<String, Argument>,
        /// Kinds of optimisation that are requested of ypkg.
        optimize: Vec<Spanned<String>>,
        /// Files by subpackage, as patterns.
        patterns: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Run-time dependencies that ypkg does not find by itself, by subpackage.
        rundeps: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Packages that a subpackage replaces.
        replaces: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Set if `files/series` lists the patches and `%apply_patches` applies them: true, or a
        /// mapping with `value` and `when`.
        series: Option<Argument>,
        /// GPU targets that are built in addition to those in the tool's list.
        further_targets: Vec<TargetRule>,
        /// Variables that are exported if a file exists when the package is built, by that file.
        present: IndexMap<String, IndexMap<String, OneOrMany<EnvironmentVariable>>>,
        /// Set if the package's own steps unpack its further sources. Otherwise each archive is
        /// unpacked into a folder with the name of its source.
        by_hand: bool,
        /// Set if the package is a folder of its repository, and its recipe was read when it had a
        /// repository of its own. Its patches, and its setup steps before the standard step, then
        /// run in that folder.
        in_folder: bool,
    }
}
