//! A builder for files of nixpkgs that are made from code.

use crate::value::accept::{format, parse};
use crate::value::arguments::function;
use crate::value::expr::{Argument, Binding, Item, NixExpr, Pattern, is_identifier, named};
use crate::value::wrong_names::wrong_names;
use rocpkg_render::{Refused, Unprintable};
use rocpkg_syntax::Surroundings;
use std::fmt;

/// The file of a package, or of anything else that `callPackage` calls. The file is a function. Its
/// arguments are computed: they are the names that the file uses and does not bind.
///
/// ```
/// use rocpkg_nix::{Binding, Expression, NixExpr};
///
/// let source = NixExpr::read("fetchurl { url = \"https://example.org/hipthing-1.0.tar.gz\"; hash = lib.fakeHash; }").unwrap();
/// let expression = Expression::package("hipthing", "1.0", source)
///     .inputs("nativeBuildInputs", ["cmake"])
///     .inputs("buildInputs", ["clr"])
///     .attribute(Binding::new("doCheck", NixExpr::Bool(true)))
///     .meta("Things for GPUs", "https://example.org/hipthing", ["mit"]);
/// expression.check()?;
/// assert!(expression.to_string().starts_with("{\n  lib,\n  stdenv,\n  fetchurl,\n  cmake,\n  clr,\n}:\n"));
/// # Ok::<(), rocpkg_render::Refused>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    builder: String,
    options: Vec<Argument>,
    attributes: Vec<Binding>,
    meta: Vec<Binding>,
    /// The first text that was used as a name and is not a valid name.
    wrong: Option<String>,
}

impl Expression {
    /// Makes a package that `stdenv.mkDerivation` builds, with its name, its version and its
    /// source. nixpkgs also requires `meta`, which [`Self::meta`] sets.
    pub fn package(pname: &str, version: &str, src: NixExpr) -> Self {
        let attributes = vec![
            Binding::new("pname", NixExpr::string(pname)),
            Binding::new("version", NixExpr::string(version)),
            Binding::new("src", src).apart(),
        ];
        Self {
            builder: "stdenv.mkDerivation".into(),
            options: Vec::new(),
            attributes,
            meta: Vec::new(),
            wrong: None,
        }
    }

    /// Sets the function that builds the package, such as `buildPythonPackage`. Without this call
    /// it is `stdenv.mkDerivation`.
    #[must_use]
    pub fn builder(mut self, function: &str) -> Self {
        function.clone_into(&mut self.builder);
        self.name(function);
        self
    }

    /// Adds an argument with a default. It is printed only if the expression uses it.
    #[must_use]
    pub fn option(mut self, name: &str, default: NixExpr) -> Self {
        self.options.push(Argument::new(name, default));
        self.name(name);
        self
    }

    /// Adds the list of inputs `list`, such as `nativeBuildInputs` or `buildInputs`. `packages` are
    /// the names of the inputs.
    #[must_use]
    pub fn inputs(
        mut self,
        list: &str,
        packages: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let mut items = Vec::new();
        for name in packages {
            self.name(name.as_ref());
            items.push(Item::from(named(name.as_ref())));
        }
        self.attribute(Binding::new(list, NixExpr::List(items)).apart())
    }

    /// Records `dotted` if it is neither a valid name nor a path of valid names.
    fn name(&mut self, dotted: &str) {
        if !dotted.split('.').all(is_identifier) {
            self.wrong.get_or_insert_with(|| dotted.to_owned());
        }
    }

    /// Adds an attribute of the derivation. Its value may use `finalAttrs`.
    #[must_use]
    pub fn attribute(mut self, binding: Binding) -> Self {
        self.attributes.push(binding);
        self
    }

    /// Sets `meta` to a one-line description, the home page, and the licences by their names in
    /// `lib.licenses`.
    #[must_use]
    pub fn meta(
        mut self,
        description: &str,
        homepage: &str,
        licences: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let mut licences: Vec<NixExpr> = licences
            .into_iter()
            .map(|name| named(&format!("lib.licenses.{}", name.as_ref())))
            .collect();
        let licence = if licences.len() == 1 {
            licences.remove(0)
        } else {
            NixExpr::list(licences)
        };
        self.meta = vec![
            Binding::new("description", NixExpr::string(description)),
            Binding::new("homepage", NixExpr::string(homepage)),
            Binding::new("license", licence),
        ];
        self
    }

    /// Adds an attribute of `meta`, such as `platforms`.
    #[must_use]
    pub fn meta_attribute(mut self, binding: Binding) -> Self {
        self.meta.push(binding);
        self
    }

    /// Returns the expression of the whole file, which is a function.
    pub fn expr(&self) -> NixExpr {
        let mut attributes = self.attributes.clone();
        if !self.meta.is_empty() {
            attributes.push(Binding::new("meta", NixExpr::Set(self.meta.clone())).apart());
        }
        let body = NixExpr::Lambda(
            Pattern::Name("finalAttrs".into()),
            Box::new(NixExpr::Set(attributes)),
        );
        function(NixExpr::call(&self.builder, [body]), &self.options)
    }

    /// Checks that Nix reads the printed file: valid names, and everything that
    /// [`check`](crate::check::check) tests without the files beside it.
    ///
    /// # Errors
    /// All faults. Those of the printed text have their line and column.
    pub fn check(&self) -> Result<(), Refused> {
        let mut all: Vec<Unprintable> = Vec::new();
        let wrong = self.wrong.iter().cloned();
        all.extend(
            wrong
                .chain(wrong_names(&self.expr()))
                .map(Unprintable::Name),
        );
        if self.meta.is_empty() {
            all.push(Unprintable::Lacks("`meta`"));
        }
        let read = format(&self.expr()).and_then(|text| parse(&text).map(|()| text));
        match read {
            Ok(text) => {
                let checked = crate::check::check(&text, &Surroundings::default());
                all.extend(checked.refusals(&text).map(Unprintable::Text));
            }
            Err(reason) => all.push(Unprintable::Text(reason)),
        }
        Refused::if_any(all)
    }
}

/// Prints the file, laid out by the official formatter (RFC 166). A file that Nix can't read is
/// printed without a layout; [`Expression::check`] refuses it.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let expr = self.expr();
        f.write_str(&format(&expr).unwrap_or_else(|_| format!("{expr}\n")))
    }
}
