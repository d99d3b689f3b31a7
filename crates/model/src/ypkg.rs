//! What only a recipe of Solus (`package.yml`, built by ypkg) can say.

use crate::decode::{OneOrMany, Spanned, record};
use crate::package::TargetRule;
use crate::project::{Argument, EnvironmentVariable};
use indexmap::IndexMap;

record! {
    /// What Solus' recipe of one release of upstream said.
    pub struct YpkgRelease {
        /// The version, where it is another one than the component's own or the tag's.
        version: Option<Spanned<String>>,
        /// The counter of the recipe's releases, which no version sets back.
        release: Option<Spanned<u64>>,
    }
}

record! {
    /// Where new releases are looked for: `monitoring.yaml`.
    pub struct YpkgMonitoring {
        /// The project's number at release-monitoring.org.
        id: Option<u64>,
        /// The feed of its releases, where it is not that of the main source's repository.
        rss: Option<Spanned<String>>,
    }
}

record! {
    /// A subpackage of a Solus recipe, where it differs from the package.
    pub struct YpkgPart {
        /// The component that it belongs to.
        component: Option<Spanned<String>>,
        /// One line about it, without a full stop.
        summary: Option<Spanned<String>>,
    }
}

record! {
    /// Facts of a Solus package that have no counterpart elsewhere (package.yml(5)).
    ///
    /// `subpackages`, `patterns`, `rundeps` and `replaces` go by subpackage: `main` for the package
    /// itself, `devel` for `NAME-devel`, `^other` for one called `other`.
    pub struct Ypkg {
        /// The component that the package belongs to, such as `programming.library`.
        component: Option<Spanned<String>>,
        /// What subpackages say of themselves, by subpackage.
        subpackages: IndexMap<String, YpkgPart>,
        /// The name under which other recipes build against it, where it is not `NAME-devel`, or
        /// `NAME` of headers and tools.
        needed_as: Option<Spanned<String>>,
        /// Keys that are true or false, such as `clang`: the value, or a mapping with `value` and
        /// `when`.
        switches: IndexMap<String, Argument>,
        /// Kinds of optimisation that are asked of ypkg.
        optimize: Vec<Spanned<String>>,
        /// Files by subpackage, as patterns.
        patterns: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// What is needed to run it and is not found by itself, by subpackage.
        rundeps: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Packages that a subpackage takes the place of.
        replaces: IndexMap<String, OneOrMany<Spanned<String>>>,
        /// Patches are listed in `files/series`, and `%apply_patches` applies them: true, or a
        /// mapping with `value` and `when`.
        series: Option<Argument>,
        /// GPU targets that are built beside those of the tool's list.
        further_targets: Vec<TargetRule>,
        /// Variables that are exported where a file is there when the package is built, by that
        /// file.
        present: IndexMap<String, IndexMap<String, OneOrMany<EnvironmentVariable>>>,
        /// The package's own steps unpack its further sources; else each archive is unpacked into a
        /// folder of its source's name.
        by_hand: bool,
        /// The package is one folder of its repository, and was read when it had one of its own:
        /// its patches, and what its setup does before the standard step, run in that folder.
        in_folder: bool,
    }
}
