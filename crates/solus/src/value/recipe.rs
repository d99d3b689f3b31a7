//! Makes recipes from code. The arguments of [`Recipe::new`] are the keys that ypkg's schema
//! requires.

use crate::check::values::is_switch;
use crate::value::ir::{Recipe, Step};
use crate::value::print::package_yml;
use rocpkg_render::bash::{Stmt, check, check_raw};
use rocpkg_render::{Refused, Unprintable};
use rocpkg_syntax::Surroundings;
use std::fmt;

impl Recipe {
    /// Makes a recipe from the keys that ypkg requires: the name, upstream's version and the
    /// counter `release`; the component in Solus, such as `programming.library`; the licences
    /// (SPDX); and the summary and the description.
    ///
    /// ```
    /// use rocpkg_solus::bash::{Word, run};
    /// use rocpkg_solus::{Recipe, Step};
    ///
    /// let recipe = Recipe::new(("hipthing", "1.0", 1), "programming.library", ["MIT"], ("Things for GPUs", "Things for GPUs."))
    ///     .homepage("https://example.org/hipthing")
    ///     .source("https://example.org/hipthing-1.0.tar.gz", &"0".repeat(64))
    ///     .builddeps(["rocm-clr-devel"])
    ///     .step(Step::Install, vec![run("make", [Word::lit("install"), Word::lit("DESTDIR=").variable("installdir")])]);
    /// recipe.check()?;
    /// assert!(recipe.to_string().contains("release    : 1\n"));
    /// # Ok::<(), rocpkg_render::Refused>(())
    /// ```
    pub fn new(
        (name, version, release): (&str, &str, u64),
        component: &str,
        licences: impl IntoIterator<Item = impl Into<String>>,
        (summary, description): (&str, &str),
    ) -> Self {
        Self {
            name: name.to_owned(),
            version: version.to_owned(),
            release,
            component: component.to_owned(),
            licence: licences.into_iter().map(Into::into).collect(),
            summary: summary.to_owned(),
            description: description.to_owned(),
            ..Self::default()
        }
    }

    /// Sets `homepage`.
    #[must_use]
    pub fn homepage(mut self, url: &str) -> Self {
        url.clone_into(&mut self.homepage);
        self
    }

    /// Adds a source. `address` is the address of an archive, and `sum` its SHA-256. Or `address`
    /// is `git|` and the address of a repository, and `sum` a tag or a commit.
    #[must_use]
    pub fn source(mut self, address: &str, sum: &str) -> Self {
        self.sources.push((address.to_owned(), sum.to_owned()));
        self
    }

    /// Adds build dependencies.
    #[must_use]
    pub fn builddeps(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.builddeps.extend(words.into_iter().map(Into::into));
        self
    }

    /// Adds run-time dependencies of the recipe's package `package`: `main`, or a subpackage such
    /// as `devel`.
    #[must_use]
    pub fn rundeps(
        mut self,
        package: &str,
        words: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        self.rundeps.push((
            package.to_owned(),
            words.into_iter().map(Into::into).collect(),
        ));
        self
    }

    /// Sets the script of `step`. An earlier script of the same step is replaced.
    #[must_use]
    pub fn step(mut self, step: Step, body: Vec<Stmt>) -> Self {
        self.steps.retain(|(other, _)| *other != step);
        self.steps.push((step, body));
        self.steps.sort_by_key(|(step, _)| *step);
        self
    }

    /// Checks that ypkg accepts the printed recipe: the required keys, the names in scripts, and
    /// all that [`check`](crate::check::check) tests.
    ///
    /// # Errors
    /// All faults. Those of the printed text have their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let texts = [
            ("name", &self.name),
            ("version", &self.version),
            ("component", &self.component),
            ("summary", &self.summary),
            ("description", &self.description),
        ];
        let empty = texts.into_iter().filter(|(_, text)| text.trim().is_empty());
        let mut all: Vec<Unprintable> = empty.map(|(key, _)| Unprintable::Lacks(key)).collect();
        if self.licence.is_empty() {
            all.push(Unprintable::Lacks("license"));
        }
        let built =
            |(step, _): &(Step, _)| matches!(step, Step::Setup | Step::Build | Step::Install);
        if !self.steps.iter().any(built) {
            all.push(Unprintable::Lacks("setup, build or install"));
        }
        all.extend(self.unprintable().map(Unprintable::Text));
        let fine = |c: char| c.is_ascii_alphanumeric() || "-+._".contains(c);
        if !self.name.chars().all(fine) {
            all.push(Unprintable::Name(self.name.clone()));
        }
        let wrong = self.steps.iter().flat_map(|(_, body)| check(body));
        all.extend(wrong.map(Unprintable::Name));
        let raw = self.steps.iter().flat_map(|(_, body)| check_raw(body));
        all.extend(raw.map(Unprintable::Text));
        let text = self.to_string();
        let checked = crate::check::check(&text, &Surroundings::default());
        all.extend(checked.refusals(&text).map(Unprintable::Text));
        Refused::if_any(all)
    }
}

impl Recipe {
    /// Returns the reasons that the printed recipe does not show: characters that end a line for a
    /// reader of YAML 1.1 and not for others, and keys that are no switches.
    fn unprintable(&self) -> impl Iterator<Item = String> {
        let text = self.to_string();
        let breaks = ['\r', '\u{85}', '\u{2028}', '\u{2029}'];
        let wrong = text.chars().find(|c| breaks.contains(c));
        let wrong = wrong.map(|c| format!("`{}` ends a line of YAML", c.escape_unicode()));
        let switches = self.switches.iter().map(|(key, _)| key);
        let unknown = switches.filter(|key| !is_switch(key));
        let unknown = unknown.map(|key| format!("`{}` is no switch of ypkg", key.escape_debug()));
        wrong.into_iter().chain(unknown.collect::<Vec<_>>())
    }
}

/// Prints the recipe as a `package.yml`.
impl fmt::Display for Recipe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&package_yml(self))
    }
}
