//! The facts of a package that only a Nix expression can express.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, record, wrong_type};
use crate::describe::{Book, Shape};
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::source::Span;
use indexmap::IndexMap;

/// A Nix expression as text. The backend parses the text, checks the names in it, and reports
/// faults at their places in the file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NixText {
    /// The text.
    pub text: String,
    /// The place of the text in its file.
    pub span: Span,
}

impl NixText {
    /// Returns the place in the file of the bytes from `start` up to `end` of the text.
    pub fn place(&self, start: usize, end: usize) -> Span {
        self.span.inside(&self.text, start, end)
    }
}

impl Decode for NixText {
    const EXPECTED: &'static str = "a Nix expression as text";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        let Value::Scalar { .. } = node.value else {
            return wrong_type(node, f);
        };
        Some(Self {
            text: String::decode(node, f)?,
            span: node.span,
        })
    }

    fn shape(_: &mut Book) -> Shape {
        Shape::Text("Nix expression")
    }
}

/// Nix bindings of the form `name = value;`. The bindings are one text, or several texts if some
/// bindings are for certain releases only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NixBindings(pub Vec<NixText>);

impl Decode for NixBindings {
    const EXPECTED: &'static str = "Nix bindings as text";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        if let Value::Null = node.value {
            return wrong_type(node, f);
        }
        let parts = OneOrMany::<NixPart>::decode(node, f)?.0;
        Some(Self(parts.into_iter().map(|part| part.text).collect()))
    }

    fn absent() -> Option<Self> {
        Some(Self::default())
    }

    fn shape(book: &mut Book) -> Shape {
        OneOrMany::<NixPart>::shape(book)
    }
}

record! {
    /// Nix bindings: a text, or a mapping that also states the releases that the bindings are for.
    pub struct NixPart or "text": NixText {
        /// The bindings, such as `doCheck = false;`.
        text: NixText,
    }
}

record! {
    /// An element of a list in Nix: its expression, or a mapping with the expression and its
    /// condition.
    pub struct NixItem or "value": NixText {
        /// The expression of the element.
        value: NixText,
        /// The condition under which the element is in the list.
        when: Option<When>,
    }
}

choice! {
    /// The function that creates the derivation.
    pub enum NixBuilder {
        /// The function `stdenv.mkDerivation`.
        Derivation = "derivation",
        /// The function `buildPythonPackage`. The Python package set calls the file.
        Python = "python",
    }
}

choice! {
    /// The package set that calls the function in a package's file (`callPackage`).
    pub enum NixCaller {
        /// The scope `rocmPackages`, which contains the package.
        Scope = "scope",
        /// The Python package set. The arguments of the file are then members of that set.
        Python = "python3Packages",
    }
}

choice! {
    /// The compiler environment (`stdenv`) that a package is called with.
    pub enum NixStdenv {
        /// The scope's environment, which uses the scope's own clang.
        Scope = "scope",
        /// The usual environment of nixpkgs, with gcc.
        Original = "original",
    }
}

choice! {
    /// The argument of `fetchFromGitHub` that contains the tag.
    pub enum NixReference {
        /// The tag is in the argument `tag`: `tag = …`.
        Tag = "tag",
        /// The tag is in the argument `rev`: `rev = …`.
        Revision = "revision",
    }
}

choice! {
    /// The default of the argument `gpuTargets` in a scope that is not narrowed to some targets
    /// (`clr.localGpuTargets` narrows a scope).
    pub enum NixTargetDefault {
        /// No targets are passed on, and upstream's default is used: `clr.localGpuTargets or [ ]`.
        Upstream = "upstream",
        /// All targets of the distribution: `clr.localGpuTargets or clr.gpuTargets`.
        All = "all",
        /// All targets of the distribution, even in a narrowed scope: `clr.gpuTargets`.
        Always = "always",
        /// The package's own list: `clr.localGpuTargets or [ … ]`.
        Own = "own",
        /// The targets that another package was built for, by the attribute in `from`.
        Borrowed = "borrowed",
    }
}

record! {
    /// The settings by which a package takes its GPU targets from the scope.
    pub struct NixTargets {
        /// The default of the argument `gpuTargets`. When absent, `upstream`; no argument if
        /// `targets.list` of the package is `none`.
        default: Option<NixTargetDefault>,
        /// The attribute of another package that contains its targets as one text, if `default` is
        /// `borrowed`: `rocblas.amdgpu_targets`.
        from: Option<Spanned<String>>,
        /// The attribute in `passthru` under which the package exports its targets as one text,
        /// such as `amdgpu_targets`.
        export: Option<Spanned<String>>,
        /// The target to build for if none of the requested targets is supported. Only for the
        /// policy `throwaway`.
        throwaway: Option<Spanned<String>>,
        /// The name of a Nix variable that is true if the package can be built for the requested
        /// targets, such as `anyGfx9Target`. `passthru` exports the variable too.
        supported: Option<Spanned<String>>,
    }
}

record! {
    /// An output of the derivation beside `out`.
    pub struct NixOutput {
        /// The condition over features under which the output exists; always when absent.
        when: Option<When>,
        /// The reason for the output. Becomes a comment in the expression.
        comment: Option<String>,
    }
}

record! {
    /// Entries of the derivation's `meta`.
    pub struct NixMeta {
        /// The supported platforms: attributes of `lib.platforms`, or systems such as
        /// `x86_64-linux`. `linux` when absent.
        platforms: OneOrMany<Spanned<String>>,
        /// The program that `nix run` starts, such as `amd-smi`.
        main_program: Option<Spanned<String>>,
        /// The maintainers in addition to the team, as names in `lib.maintainers`.
        maintainers: Vec<Spanned<String>>,
        /// The packages that CMake's `find_package` finds in this package. They become
        /// `cmakeConfigModules`, and a test looks for them.
        cmake_modules: Vec<Spanned<String>>,
        /// The longest time that a build may take on the build farm, in seconds.
        timeout: Option<u64>,
        /// The longest time that a build may run on the build farm without output, in seconds.
        max_silent: Option<u64>,
        /// The condition under which the package can't be built (`meta.broken`), such as
        /// `useOpenCL`. Conditions that follow from the requested GPU targets are added to it.
        broken: Option<NixText>,
    }
}

record! {
    /// Facts of a nixpkgs package that have no counterpart elsewhere.
    pub struct NixPackage {
        /// The attribute of the package in the scope, if it is not the package's name.
        attribute: Option<Spanned<String>>,
        /// The name of the derivation as a Nix expression, with its quotes, if it is not the
        /// attribute's name.
        pname: Option<NixText>,
        /// The path of the expression relative to the scope's folder, if it is not the attribute: a
        /// folder, or a file `NAME.nix`.
        file: Option<Spanned<String>>,
        /// The function that creates the derivation; `derivation` when absent.
        builder: NixBuilder = NixBuilder::Derivation,
        /// The package set that calls the package's file. When absent, the Python package set if
        /// `builder` is `python`, else the scope.
        called_by: Option<NixCaller>,
        /// The compiler environment (`stdenv`). When absent, the environment of nixpkgs if
        /// `compiler` is `system`, else the scope's. Packages that the Python package set calls
        /// always have the environment of nixpkgs.
        stdenv: Option<NixStdenv>,
        /// Set if the package's name ends with the targets that the scope is narrowed to.
        arch_suffix: bool,
        /// The argument of `fetchFromGitHub` that contains the tag; `revision` when absent.
        reference: NixReference = NixReference::Revision,
        /// The attribute of another package whose version this package has, such as `llvm.llvm`.
        version_from: Option<Spanned<String>>,
        /// The Nix expression of a source with `fetch: inherited`, such as `llvm.llvm.monorepoSrc`.
        source: Option<NixText>,
        /// Arguments of the package's function, with their defaults, in addition to the arguments
        /// that the expression uses: `useMpi = false;`.
        arguments: NixBindings,
        /// Arguments that the scope passes to the package's function, in addition to those that
        /// `callPackage` finds by name.
        call_with: NixBindings,
        /// Bindings of the `let` before the derivation.
        bindings: NixBindings,
        /// Outputs of the derivation beside `out`, by name.
        outputs: IndexMap<String, NixOutput>,
        /// Set if the derivation sets `__structuredAttrs = true`.
        structured_attrs: bool,
        /// Set if the derivation sets `strictDeps = true`.
        strict_deps: bool,
        /// The derivation's `requiredSystemFeatures`, such as `big-parallel`.
        system_features: Vec<Spanned<String>>,
        /// Attributes of the derivation that no other key makes, such as `checkPhase`.
        attributes: NixBindings,
        /// Bindings of the derivation's `env`, in addition to the variables in the package's key
        /// `environment`.
        env: NixBindings,
        /// Elements of `nativeBuildInputs` in addition to those that follow from `depends`.
        native_inputs: Vec<NixItem>,
        /// Elements of `buildInputs` in addition to those that follow from `depends`.
        build_inputs: Vec<NixItem>,
        /// Elements of `propagatedBuildInputs` in addition to those that follow from `depends`.
        propagated_inputs: Vec<NixItem>,
        /// Install folders that are passed to upstream's CMake files as paths relative to the
        /// prefix: `bin`, `lib`, `include`.
        install_dirs: Vec<Spanned<String>>,
        /// CMake options by name, each with a Nix expression of type Boolean.
        flags: IndexMap<String, NixText>,
        /// The settings by which the package takes its GPU targets from the scope. Absent if the
        /// package takes none.
        gpu_targets: Option<NixTargets>,
        /// Bindings of `passthru`. The scope's usual `updateScript` is added, unless these bindings
        /// contain an `updateScript`. With `updateScript = null;`, the package has none.
        passthru: NixBindings,
        /// The argument for the scope's function that makes the usual `updateScript`;
        /// `{ inherit finalAttrs; }` when absent.
        update_script: Option<NixText>,
        /// Entries of the derivation's `meta`, in addition to those that follow from other keys.
        meta: Option<NixMeta>,
        /// Set if the groups in the package's key `parts` are derivations of their own. `base.nix`
        /// defines these derivations. `default.nix` builds them, and links their object files.
        parts: bool,
    }
}

record! {
    /// The contents of nixpkgs' package scope other than the rendered packages.
    pub struct NixScope {
        /// The folder of nixpkgs that contains the scope: `pkgs/development/rocm-modules`.
        folder: Option<Spanned<String>>,
        /// The name of the scope in nixpkgs: `rocmPackages`.
        attribute: Option<Spanned<String>>,
        /// Bindings of the scope before its packages, as Nix text: the compiler, and other values
        /// that all packages use.
        own: Option<NixText>,
        /// The distribution's own files that the bindings in `own` read, as paths relative to the
        /// scope's folder.
        files: Vec<Spanned<String>>,
        /// The function of the scope that makes a package's `updateScript`. When absent, no
        /// `updateScript` is made.
        update_script: Option<Spanned<String>>,
        /// The distribution's own attributes, including packages from files that are not rendered.
        /// `self` is the scope.
        attributes: IndexMap<String, NixText>,
        /// Other names of attributes in the scope, and names that were removed.
        aliases: IndexMap<String, NixAlias>,
        /// Narrowed scopes by name, each with its GPU targets. When absent, a scope for each
        /// generation, such as `gfx9`.
        groups: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// Another name of an attribute. A deprecated name states the day of its deprecation. Its use
    /// then causes a warning, or an error if there is no attribute any more.
    pub struct NixAlias or "to": Spanned<String> {
        /// The attribute that the name stands for. Absent if the attribute was removed.
        to: Option<Spanned<String>>,
        /// The day on which the name was deprecated: `2025-03-16`.
        since: Option<Spanned<String>>,
        /// The message that users of the deprecated name see.
        reason: Option<Spanned<String>>,
    }
}

impl From<&str> for NixText {
    fn from(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            span: Span::default(),
        }
    }
}
