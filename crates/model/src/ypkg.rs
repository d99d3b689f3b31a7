//! The facts of a package that only a recipe of Solus (`package.yml`, built by ypkg) can express.

use crate::decode::{OneOrMany, Spanned, record};
use crate::package::TargetRule;
use crate::project::{Argument, EnvironmentVariable};
use indexmap::IndexMap;

record! {
    /// The version and the counter of Solus' recipe for one release of upstream.
    pub struct YpkgRelease {
        /// The version in the recipe, if it is neither the component's own version nor the version
        /// in the tag.
        version: Option<Spanned<String>>,
        /// The recipe's `release`, a counter that grows with each change and never decreases.
        release: Option<Spanned<u64>>,
    }
}

record! {
    /// The places that are monitored for new releases: `monitoring.yaml`.
    pub struct YpkgMonitoring {
        /// The project's number at release-monitoring.org, such as 12345.
        id: Option<u64>,
        /// The address of the feed of releases, if it is not the feed of the main source's
        /// repository.
        rss: Option<Spanned<String>>,
    }
}

record! {
    /// The facts of a subpackage of a Solus recipe that differ from those of the package.
    pub struct YpkgPart {
        /// Solus' component that the subpackage belongs to, such as `programming.library`.
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
        /// Solus' component that the package belongs to, such as `programming.library`.
        component: Option<Spanned<String>>,
        /// The facts of subpackages that differ from those of the package, by subpackage.
        subpackages: IndexMap<String, YpkgPart>,
        /// The name by which other recipes build against the package, if it is not `NAME-devel`, or
        /// `NAME` for headers and tools.
        needed_as: Option<Spanned<String>>,
        /// Keys of `package.yml` that are true or false, such as `clang`. Each has a value, or a
        /// mapping with `value` and `when`.
        switches: IndexMap<String, Argument>,
        /// Kinds of optimisation that ypkg applies, such as `thin-lto`.
        optimize: Vec<Spanned<String>>,
        /// Patterns of the files in each subpackage, by subpackage.
        patterns: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Run-time dependencies that ypkg does not find by itself, by subpackage.
        rundeps: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// The packages that a subpackage replaces, by subpackage.
        replaces: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Set if `files/series` lists the patches and `%apply_patches` applies them: true, or a
        /// mapping with `value` and `when`.
        series: Option<Argument>,
        /// GPU targets that are built in addition to those that the command in `target-tool` of the
        /// distribution prints.
        further_targets: Vec<TargetRule>,
        /// Environment variables that are exported if a file exists when the package is built:
        /// `{/usr/bin/sccache: {HIP_CLANG_LAUNCHER: sccache}}`.
        present: IndexMap<String, IndexMap<String, OneOrMany<EnvironmentVariable>>>,
        /// Set if the package's own steps unpack all sources except the first. Otherwise each of
        /// these archives is unpacked into a folder with the name of its source.
        by_hand: bool,
        /// Set if the package is now a folder of a monorepo, and its steps are from the time when
        /// it had a repository of its own. Patches, and setup steps before the standard step, then
        /// run in that folder.
        in_folder: bool,
    }
}
