//! The functions of [`Pkgbuild`] for making a PKGBUILD from code (PKGBUILD(5)).

use crate::value::evaluate::evaluate;
use crate::value::ir::{Field, Fields, Pkgbuild, SplitPackage, Variable};
use crate::value::srcinfo::Srcinfo;
use rocpkg_render::bash::{Stmt, Word, check, check_raw, is_identifier};
use rocpkg_render::{Refused, Sum, Unprintable};
use rocpkg_syntax::{Surroundings, place};
use std::fmt;

/// A function of a PKGBUILD, in the order in which makepkg runs them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Function {
    /// `verify`: checks the sources by other means than sums.
    Verify,
    /// `prepare`: patches the sources.
    Prepare,
    /// `pkgver`: prints the version of a checkout.
    Pkgver,
    /// `build`: compiles the sources.
    Build,
    /// `check`: runs the tests.
    Check,
    /// `package`: installs the files below `$pkgdir`.
    Package,
}

impl Function {
    fn name(self) -> &'static str {
        match self {
            Self::Verify => "verify",
            Self::Prepare => "prepare",
            Self::Pkgver => "pkgver",
            Self::Build => "build",
            Self::Check => "check",
            Self::Package => "package",
        }
    }
}

/// Declares functions that set arrays of plain words.
macro_rules! arrays {
    ($($(#[$doc:meta])* $name:ident $field:ident,)*) => {
        $($(#[$doc])*
        #[must_use]
        pub fn $name(self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
            self.field(Field::$field, words.into_iter().map(Word::lit))
        })*
    };
}

impl Pkgbuild {
    /// Returns a PKGBUILD with the fields that makepkg requires: `pkgname`, `pkgver`, `pkgrel` and
    /// `arch`. All other fields have functions that set them.
    ///
    /// ```
    /// use rocpkg_arch::{Function, Pkgbuild};
    /// use rocpkg_arch::Sum;
    /// use rocpkg_arch::bash::{Word, run};
    ///
    /// let source = Word::lit("https://example.org/hipthing-").variable("pkgver").literal(".tar.gz");
    /// let pkgbuild = Pkgbuild::new("hipthing", "1.0", 1, ["x86_64"])
    ///     .maintainer("Jane Doe <jane at example dot org>")
    ///     .description("Things for GPUs")
    ///     .license(["MIT"])
    ///     .depends(["hip-runtime"])
    ///     .source(source, &Sum::Sha256("0".repeat(64)))
    ///     .function(Function::Package, vec![run("make", [Word::lit("DESTDIR=").variable("pkgdir"), Word::lit("install")])]);
    /// pkgbuild.check()?;
    /// assert!(pkgbuild.to_string().contains("depends=('hip-runtime')\n"));
    /// assert!(pkgbuild.srcinfo()?.to_string().contains("\tsource = https://example.org/hipthing-1.0.tar.gz\n"));
    /// # Ok::<(), rocpkg_render::Refused>(())
    /// ```
    pub fn new(
        name: &str,
        version: &str,
        pkgrel: u32,
        arch: impl IntoIterator<Item = impl Into<String>>,
    ) -> Self {
        let part = SplitPackage {
            name: name.to_owned(),
            ..SplitPackage::default()
        };
        let made = Self {
            base: name.to_owned(),
            parts: vec![part],
            ..Self::default()
        };
        made.field(Field::Pkgver, [Word::lit(version)])
            .field(Field::Pkgrel, [Word::lit(pkgrel.to_string())])
            .field(Field::Arch, arch.into_iter().map(Word::lit))
    }

    /// Sets a field to these elements. A field with a single value takes one element. Words may
    /// contain variables.
    #[must_use]
    pub fn field(mut self, field: Field, elements: impl IntoIterator<Item = Word>) -> Self {
        self.fields.insert(field, elements.into_iter().collect());
        self
    }

    /// Sets the array of a field for one architecture, such as `depends_x86_64`. makepkg refuses
    /// such an array for fields that do not differ between architectures; see
    /// [`Field::has_architectures`].
    ///
    /// ```
    /// use rocpkg_arch::{Field, Pkgbuild};
    /// use rocpkg_arch::bash::Word;
    ///
    /// let pkgbuild = Pkgbuild::new("hipthing", "1.0", 1, ["x86_64", "aarch64"])
    ///     .license(["MIT"])
    ///     .field_for(Field::Depends, "x86_64", [Word::lit("numactl")]);
    /// assert!(pkgbuild.to_string().contains("depends_x86_64=('numactl')\n"));
    /// assert!(pkgbuild.srcinfo()?.to_string().contains("\tdepends_x86_64 = numactl\n"));
    /// # Ok::<(), rocpkg_render::Refused>(())
    /// ```
    #[must_use]
    pub fn field_for(
        mut self,
        field: Field,
        arch: &str,
        elements: impl IntoIterator<Item = Word>,
    ) -> Self {
        let elements = elements.into_iter().collect();
        self.by_architecture
            .insert((field, arch.to_owned()), elements);
        self
    }

    arrays! {
        /// Sets `license`: SPDX expressions, or `LicenseRef-…`.
        license License,
        /// Sets `depends`: packages that are needed at run time.
        depends Depends,
        /// Sets `makedepends`: packages that the build needs beside those of base-devel.
        makedepends Makedepends,
        /// Sets `checkdepends`: packages that the tests need.
        checkdepends Checkdepends,
        /// Sets `optdepends`, in the form `package: reason`.
        optdepends Optdepends,
        /// Sets `provides`: further names by which other packages may depend on this package.
        provides Provides,
        /// Sets `conflicts`: packages that can't be installed together with this package.
        conflicts Conflicts,
        /// Sets `groups`: groups that the package belongs to.
        groups Groups,
        /// Sets `backup`: files that users may have changed, such as `etc/hipthing.conf`.
        backup Backup,
        /// Sets `noextract`: names of archives that makepkg does not unpack.
        noextract Noextract,
        /// Sets `validpgpkeys`: fingerprints of the keys that sign the sources.
        validpgpkeys Validpgpkeys,
        /// Sets makepkg's `options`, such as `!lto`.
        options Options,
    }

    /// Sets `pkgdesc`, the one-line description.
    #[must_use]
    pub fn description(self, text: &str) -> Self {
        self.field(Field::Pkgdesc, [Word::lit(text)])
    }

    /// Sets `install`: the name of a file beside the PKGBUILD with the script that pacman runs.
    #[must_use]
    pub fn install(self, file: &str) -> Self {
        self.field(Field::Install, [Word::lit(file)])
    }

    /// Sets `url`, the address of the home page.
    #[must_use]
    pub fn url(self, url: &str) -> Self {
        self.field(Field::Url, [Word::lit(url)])
    }

    /// Adds a source with its checksum. `source` is `name::address`, an address, or a file beside
    /// the PKGBUILD. The checksums of all sources must be of one kind.
    #[must_use]
    pub fn source(mut self, source: Word, sum: &Sum) -> Self {
        let field = match sum {
            Sum::Sha256(_) => Field::Sha256sums,
            Sum::Sha512(_) => Field::Sha512sums,
            Sum::Blake2b(_) => Field::B2sums,
        };
        self.fields.entry(Field::Source).or_default().push(source);
        self.fields
            .entry(field)
            .or_default()
            .push(Word::lit(sum.digits()));
        self
    }

    /// Adds a private variable. `name` must begin with `_`.
    #[must_use]
    pub fn variable(mut self, name: &str, value: Word) -> Self {
        self.variables
            .push((name.to_owned(), Variable::Scalar(value)));
        self
    }

    /// Adds a `# Maintainer:` line. `person` is `Name <address>`.
    #[must_use]
    pub fn maintainer(mut self, person: &str) -> Self {
        self.maintainers.push(person.to_owned());
        self
    }

    /// Sets the body of a function. It replaces an earlier body of the same function.
    #[must_use]
    pub fn function(mut self, function: Function, body: Vec<Stmt>) -> Self {
        if function == Function::Package && !self.split {
            if let Some(part) = self.parts.first_mut() {
                part.body = body;
            }
            return self;
        }
        let order = [
            Function::Verify,
            Function::Prepare,
            Function::Pkgver,
            Function::Build,
            Function::Check,
        ];
        let place = |name: &str| order.iter().position(|known| known.name() == name);
        self.functions.retain(|(name, _)| name != function.name());
        let at = self
            .functions
            .iter()
            .position(|(name, _)| place(name) > place(function.name()));
        let at = at.unwrap_or(self.functions.len());
        self.functions
            .insert(at, (function.name().to_owned(), body));
        self
    }

    /// Adds a package to a PKGBUILD that makes several packages. `fields` are the fields that the
    /// package's function sets, and `body` is the rest of this function. The first call replaces
    /// the package that `new` made.
    ///
    /// ```
    /// use rocpkg_arch::{Field, Pkgbuild};
    /// use rocpkg_arch::bash::{Word, run};
    ///
    /// let own = [(Field::Depends, vec![Word::lit("glibc")])];
    /// let pkgbuild = Pkgbuild::new("hipthing", "1.0", 1, ["x86_64"])
    ///     .license(["MIT"])
    ///     .package("hipthing", own, vec![run("make", [Word::lit("install")])])
    ///     .package("hipthing-docs", [], vec![run("make", [Word::lit("docs")])]);
    /// pkgbuild.check()?;
    /// let text = pkgbuild.to_string();
    /// assert!(text.starts_with("pkgbase=hipthing\npkgname=(hipthing hipthing-docs)\n"));
    /// assert!(pkgbuild.srcinfo()?.to_string().contains("\npkgname = hipthing\n\tdepends = glibc\n"));
    /// # Ok::<(), rocpkg_render::Refused>(())
    /// ```
    #[must_use]
    pub fn package(
        mut self,
        name: &str,
        fields: impl IntoIterator<Item = (Field, Vec<Word>)>,
        body: Vec<Stmt>,
    ) -> Self {
        if !self.split {
            // Its statements would be lost, so the function is kept and `check` refuses it.
            let whole = self.parts.drain(..).filter(|part| !part.body.is_empty());
            let whole: Vec<_> = whole
                .map(|part| ("package".to_owned(), part.body))
                .collect();
            self.functions.extend(whole);
        }
        self.split = true;
        self.parts.push(SplitPackage {
            name: name.to_owned(),
            overrides: fields.into_iter().collect(),
            body,
        });
        self
    }

    /// Adds a source whose checksum is `SKIP`, such as a branch of a repository.
    #[must_use]
    pub fn source_unchecked(mut self, source: Word) -> Self {
        let is_used = |field: &&Field| field.is_sums() && self.fields.contains_key(*field);
        let field = Field::ALL.iter().find(is_used).copied();
        let field = field.unwrap_or(Field::Sha256sums);
        self.fields.entry(Field::Source).or_default().push(source);
        self.fields
            .entry(field)
            .or_default()
            .push(Word::lit("SKIP"));
        self
    }

    /// Returns the `.SRCINFO` of the PKGBUILD.
    ///
    /// # Errors
    /// Returns each place that only bash can evaluate; see [`evaluate`].
    pub fn srcinfo(&self) -> Result<Srcinfo, Refused> {
        evaluated(&self.to_string())
    }

    /// Checks that makepkg accepts the printed PKGBUILD: names, versions and sums (its
    /// `lint_pkgbuild`), and all checks of [`check`](crate::check::check) that need no file beside
    /// the PKGBUILD.
    ///
    /// Also refuses parts that makepkg accepts, and that are mistakes in a new PKGBUILD: a `pkgrel`
    /// of 0, a package without files and dependencies, and an unused word of a field with one
    /// value.
    ///
    /// ```
    /// use rocpkg_arch::Pkgbuild;
    ///
    /// let pkgbuild = Pkgbuild::new("hipthing", "1.0", 0, ["x86_64"]).license(["MIT"]);
    /// let refused = pkgbuild.check().unwrap_err().to_string();
    /// assert_eq!(refused, "the function `package` of hipthing is missing\na pkgrel is at least 1, and not `0`");
    /// ```
    ///
    /// # Errors
    /// Returns all faults. Faults of the printed text have their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let mut all = self.parts_of_new();
        let variables = self.variables.iter().map(|(name, _)| name);
        let wrong = variables.filter(|n| !n.starts_with('_') || !is_identifier(n));
        all.extend(wrong.cloned().map(Unprintable::Name));
        let stmts = [
            crate::value::print::fields(self),
            crate::value::print::functions(self),
        ]
        .concat();
        all.extend(check(&stmts).into_iter().map(Unprintable::Name));
        all.extend(check_raw(&stmts).into_iter().map(Unprintable::Text));
        let text = self.to_string();
        let mut checked = crate::check::check(&text, &Surroundings::default());
        for fault in &mut checked.faults {
            // A new PKGBUILD has no contradiction, even if makepkg accepts it.
            fault.is_harmless = false;
        }
        all.extend(checked.refusals(&text).map(Unprintable::Text));
        let evaluated = self.srcinfo();
        all.extend(
            evaluated
                .err()
                .into_iter()
                .flat_map(|refused| refused.reasons().to_vec()),
        );
        Refused::if_any(all)
    }

    /// Returns the reasons that the printed PKGBUILD does not show: people that are no line,
    /// missing functions of packages, a `pkgrel` of 0, and words that are not printed.
    fn parts_of_new(&self) -> Vec<Unprintable> {
        let mut all = Vec::new();
        for person in self.maintainers.iter().chain(&self.contributors) {
            if person.trim().is_empty() || person.contains(char::is_control) {
                let reason = format!("`{}` can't be a comment", person.escape_debug());
                all.push(Unprintable::Text(reason));
            }
        }
        let is_set = |fields: &Fields, field| fields.get(&field).is_some_and(|all| !all.is_empty());
        let builds = is_set(&self.fields, Field::Source) || !self.functions.is_empty();
        for part in &self.parts {
            let depends = |fields| is_set(fields, Field::Depends);
            let is_meta = !builds && (depends(&self.fields) || depends(&part.overrides));
            if part.body.is_empty() && !is_meta {
                let reason = format!("the function `package` of {} is missing", part.name);
                all.push(Unprintable::Text(reason));
            }
        }
        let parts = self.parts.iter().map(|part| &part.overrides);
        for (field, words) in parts.chain([&self.fields]).flatten() {
            if field.is_single() && words.len() != 1 {
                let reason = format!("`{}` has one value, not {}", field.name(), words.len());
                all.push(Unprintable::Text(reason));
            }
        }
        let pkgrel = self.fields.get(&Field::Pkgrel).and_then(|all| all.first());
        let pkgrel = pkgrel.and_then(Word::as_literal).unwrap_or("1");
        if pkgrel.trim_start_matches('0').is_empty() || pkgrel.starts_with("0.") {
            let reason = format!("a pkgrel is at least 1, and not `{pkgrel}`");
            all.push(Unprintable::Text(reason));
        }
        all
    }
}

/// Prints the text of the file PKGBUILD.
impl fmt::Display for Pkgbuild {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            &crate::value::TEMPLATES.print("arch/PKGBUILD.j2", crate::value::print::context(self)),
        )
    }
}

/// Evaluates the text of a PKGBUILD for its `.SRCINFO`; see [`evaluate`].
///
/// # Errors
/// Returns each place that only bash can evaluate, with its line and column.
pub(crate) fn evaluated(text: &str) -> Result<Srcinfo, Refused> {
    evaluate(text).or_else(|faults| {
        let reasons = faults.iter().map(|fault| {
            let (line, column) = place(text, fault.at());
            Unprintable::Text(format!("{line}:{column}: {}", fault.finding.label))
        });
        Refused::if_any(reasons).map(|()| Srcinfo::default())
    })
}
