//! What only a Nix expression can say.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, record, wrong_type};
use crate::describe::{Book, Shape};
use crate::encode::{Encode, list, scalar};
use crate::finding::Findings;
use crate::node::{Node, Value};
use crate::source::Span;
use indexmap::IndexMap;

/// A Nix expression, as text. The backend parses it, checks its names, and says what is wrong with
/// it in its place.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NixText {
    /// The text.
    pub text: String,
    /// Where it stands.
    pub span: Span,
}

impl NixText {
    /// The place of a range of the text, in bytes.
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

/// Attributes and their values: Nix bindings, `name = value;` each, in one text or, where some are
/// of some releases alone, in several.
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
    /// Nix bindings: as text, or a mapping that says of which releases they are.
    pub struct NixPart or "text": NixText {
        /// The bindings.
        text: NixText,
    }
}

record! {
    /// An element of a Nix list: its expression, or a mapping that says when and why it stands
    /// there.
    pub struct NixItem or "value": NixText {
        /// The expression.
        value: NixText,
        /// Only under this condition.
        when: Option<When>,
    }
}

choice! {
    /// The function that makes the derivation.
    pub enum NixBuilder {
        /// `stdenv.mkDerivation`
        Derivation = "derivation",
        /// `buildPythonPackage`, the file being called from the Python package set.
        Python = "python",
    }
}

choice! {
    /// Who calls a package's file.
    pub enum NixCaller {
        /// The scope itself.
        Scope = "scope",
        /// The Python package set, whose members are the arguments then.
        Python = "python3Packages",
    }
}

choice! {
    /// The compiler environment a package is called with.
    pub enum NixStdenv {
        /// The scope's, made of its own clang.
        Scope = "scope",
        /// The one of nixpkgs.
        Original = "original",
    }
}

choice! {
    /// How a checkout names its tag.
    pub enum NixReference {
        /// `tag = …`
        Tag = "tag",
        /// `rev = …`
        Revision = "revision",
    }
}

choice! {
    /// What `gpuTargets` is when the scope is not narrowed.
    pub enum NixTargetDefault {
        /// Nothing is passed on, and upstream decides: `clr.localGpuTargets or [ ]`.
        Upstream = "upstream",
        /// All targets of the distribution: `clr.localGpuTargets or clr.gpuTargets`.
        All = "all",
        /// All targets of the distribution, in a narrowed scope too: `clr.gpuTargets`.
        Always = "always",
        /// The package's own list: `clr.localGpuTargets or [ … ]`.
        Own = "own",
        /// Those that another package was built for.
        Borrowed = "borrowed",
    }
}

record! {
    /// How a package takes its GPU targets from the scope.
    pub struct NixTargets {
        /// The default of the argument `gpuTargets`.
        default: Option<NixTargetDefault>,
        /// The attribute that holds the joined list, of a `borrowed` one: `rocblas.amdgpu_targets`.
        from: Option<Spanned<String>>,
        /// The joined list is exported under this name.
        export: Option<Spanned<String>>,
        /// With the policy `throwaway`: the target that stands in when none of those asked for is
        /// supported.
        throwaway: Option<Spanned<String>>,
        /// The name that tells whether it can be built for what is asked for, exported as well.
        supported: Option<Spanned<String>>,
    }
}

record! {
    /// An output beside `out`.
    pub struct NixOutput {
        /// Only under this condition.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// Entries of `meta`.
    pub struct NixMeta {
        /// Attributes of `lib.platforms`, or systems such as `x86_64-linux`; `linux` when absent.
        platforms: OneOrMany<Spanned<String>>,
        /// The program that `nix run` starts.
        main_program: Option<Spanned<String>>,
        /// Who maintains it beside the team: names in `lib.maintainers`.
        maintainers: Vec<Spanned<String>>,
        /// The packages that CMake's `find_package` finds in it: told as `cmakeConfigModules`, and
        /// a test looks for them.
        cmake_modules: Vec<Spanned<String>>,
        /// Seconds that a build may take on the build farm.
        timeout: Option<u64>,
        /// Seconds that a build may take there without printing anything.
        max_silent: Option<u64>,
        /// When it can't be built, beside what follows from the GPU targets that are asked for.
        broken: Option<NixText>,
    }
}

record! {
    /// Facts of a nixpkgs package that have no counterpart elsewhere.
    pub struct NixPackage {
        /// The attribute, where it is not the package's name.
        attribute: Option<Spanned<String>>,
        /// The name of the derivation, where it is not the attribute's.
        pname: Option<NixText>,
        /// Where the expression lies below the scope's folder, where that is not the attribute: a
        /// folder, or a file `NAME.nix`.
        file: Option<Spanned<String>>,
        /// The function that makes the derivation; `derivation` when absent.
        builder: NixBuilder = NixBuilder::Derivation,
        /// Who calls the file; the Python package set where `builder` is Python's, else the scope.
        called_by: Option<NixCaller>,
        /// The compiler environment; the scope's when absent. It says nothing of what Python's
        /// builder makes, which has nixpkgs' own.
        stdenv: Option<NixStdenv>,
        /// The package's name ends with the targets that the scope is narrowed to.
        arch_suffix: bool,
        /// How a checkout names its tag; `revision` when absent.
        reference: NixReference = NixReference::Revision,
        /// The attribute that the version is inherited from.
        version_from: Option<Spanned<String>>,
        /// Where an `inherited` source is taken from.
        source: Option<NixText>,
        /// Arguments beside those that follow from the body, with their defaults.
        arguments: NixBindings,
        /// Arguments that the scope gives, beside those that it finds by name.
        call_with: NixBindings,
        /// Names bound before the derivation.
        bindings: NixBindings,
        /// Outputs beside `out`.
        outputs: IndexMap<String, NixOutput>,
        /// Sets `__structuredAttrs`.
        structured_attrs: bool,
        /// Sets `strictDeps`.
        strict_deps: bool,
        /// Sets `requiredSystemFeatures`.
        system_features: Vec<Spanned<String>>,
        /// Other attributes of the derivation.
        attributes: NixBindings,
        /// Variables of the environment beside those of `environment`.
        env: NixBindings,
        /// Native build inputs that are no dependency edges.
        native_inputs: Vec<NixItem>,
        /// Build inputs that are no dependency edges.
        build_inputs: Vec<NixItem>,
        /// Propagated build inputs that are no dependency edges.
        propagated_inputs: Vec<NixItem>,
        /// Install folders that upstream's CMake files must be told, relative to the prefix: `bin`,
        /// `lib`, `include`.
        install_dirs: Vec<Spanned<String>>,
        /// CMake switches whose values are Boolean expressions.
        flags: IndexMap<String, NixText>,
        /// How GPU targets come from the scope.
        gpu_targets: Option<NixTargets>,
        /// Entries of `passthru`; the scope's usual `updateScript` is added when it is not among
        /// them, and none where it is `null`.
        passthru: NixBindings,
        /// What the scope's usual `updateScript` is called with; `{ inherit finalAttrs; }` when
        /// absent.
        update_script: Option<NixText>,
        /// Entries of `meta`.
        meta: Option<NixMeta>,
        /// Its `parts` are derivations of their own: `base.nix` says how, `default.nix` builds them
        /// and collects their objects.
        parts: bool,
    }
}

record! {
    /// What the scope of nixpkgs holds beside the rendered packages.
    pub struct NixScope {
        /// The folder of nixpkgs that it lies in: `pkgs/development/rocm-modules`.
        folder: Option<Spanned<String>>,
        /// What nixpkgs calls it: `rocmPackages`.
        attribute: Option<Spanned<String>>,
        /// Bindings that stand before its packages: its compiler, and what else they all take.
        own: Option<NixText>,
        /// The files of the distribution's own that `own` reads, below its folder.
        files: Vec<Spanned<String>>,
        /// The function of the scope that makes a package's `updateScript`; none is made when
        /// absent.
        update_script: Option<Spanned<String>>,
        /// Attributes of the distribution's own, with the packages that it calls from files that
        /// are not rendered: `self` is the scope.
        attributes: IndexMap<String, NixText>,
        /// Other names of attributes, and names that went.
        aliases: IndexMap<String, NixAlias>,
        /// Scopes for several GPU targets by name; one for each generation when absent.
        groups: IndexMap<String, Vec<Spanned<String>>>,
    }
}

record! {
    /// Another name of an attribute. One that is not wanted any more states since when: it warns
    /// then, or throws where it leads nowhere.
    pub struct NixAlias or "to": Spanned<String> {
        /// The attribute that it stands for.
        to: Option<Spanned<String>>,
        /// The day since when it is not wanted any more: `2025-03-16`.
        since: Option<Spanned<String>>,
        /// What is said to those who use it all the same.
        reason: Option<Spanned<String>>,
    }
}

impl Encode for NixText {
    fn encode(&self) -> Option<Node> {
        Some(scalar(&self.text, false))
    }
}

impl Encode for NixBindings {
    fn encode(&self) -> Option<Node> {
        Some(list(&self.0))
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
