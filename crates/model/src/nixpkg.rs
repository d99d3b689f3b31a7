//! What only a Nix expression can say.

use crate::cond::When;
use crate::decode::{Decode, OneOrMany, Spanned, choice, field, record, unknown_keys, wrong_type};
use crate::finding::{Finding, Findings};
use crate::node::{Node, Value};
use crate::source::Span;
use crate::step::Step;
use crate::text::Text;
use indexmap::IndexMap;

/// A value of a Nix expression.
///
/// Written as a scalar, a list, or a mapping with one of the keys `set`, `name`, `function`, `call`, `if`, `choose`, `path`,
/// `lines`, `join`, `targets`. There is no key for raw Nix: a value is always built, never pasted.
#[derive(Clone, Debug, PartialEq)]
pub enum NixValue {
    /// Text with references.
    Text(Text),
    /// true or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A list.
    List(Vec<NixItem>),
    /// An attribute set: what is inherited (from a name, or from the file's scope under the empty name), and its values.
    Set(IndexMap<String, Vec<Spanned<String>>>, IndexMap<String, NixValue>),
    /// A name such as `clr.gpuTargets`, and what stands for it when it is not there.
    Name(Spanned<String>, Option<Box<NixValue>>),
    /// A function of these arguments, one after the other.
    Function(Vec<Spanned<String>>, Box<NixValue>),
    /// A function, by name, applied to arguments.
    Call(Spanned<String>, Vec<NixValue>),
    /// One value or another, by a value.
    If(Box<NixValue>, Box<NixValue>, Box<NixValue>),
    /// One value or another, by a condition over features.
    Choose(When, Box<NixValue>, Box<NixValue>),
    /// A condition over features as a value.
    Cond(When),
    /// The opposite of a value.
    Not(Box<NixValue>),
    /// A file beside the expression.
    Path(Spanned<String>),
    /// Lines of text.
    Lines(Vec<Text>),
    /// Values joined by an operator: `+`, `++`, `//`, `==`, `!=`, `&&` or `||`.
    Join(Spanned<String>, Vec<NixValue>),
    /// A list of GPU targets: `distribution`, or `supported` by the package.
    Targets(Spanned<String>),
}

/// An element of a list.
#[derive(Clone, Debug, PartialEq)]
pub struct NixItem {
    /// The value.
    pub value: NixValue,
    /// Only under this condition.
    pub when: Option<When>,
    /// Why.
    pub comment: Option<String>,
    /// Where it stands.
    pub span: Span,
}

const KEYS: &[&str] = &[
    "function", "body", "set", "inherit", "name", "or", "call", "with", "if", "choose", "then", "else",
    "feature", "value", "not", "path", "lines", "join", "of", "targets",
];

/// The keys that decide what a value is; `inherit` goes with `set`.
const KINDS: &[&str] = &[
    "set", "name", "function", "call", "if", "choose", "feature", "value", "not", "path", "lines", "join",
    "targets",
];

impl Decode for NixValue {
    const EXPECTED: &'static str =
        "a Nix value: text, a list, or a mapping with `set`, `name`, `call` or `path`";

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        match &node.value {
            Value::Scalar { text, plain: true } if text == "true" => return Some(Self::Bool(true)),
            Value::Scalar { text, plain: true } if text == "false" => return Some(Self::Bool(false)),
            Value::Scalar { text, plain: true } if text.len() < 16 && text.parse::<i64>().is_ok() => {
                return text.parse().ok().map(Self::Int);
            }
            Value::Scalar { .. } => return Text::decode(node, f).map(Self::Text),
            Value::Seq(_) => return Vec::decode(node, f).map(Self::List),
            Value::Null => return wrong_type(node, f),
            Value::Map(_) => {}
        }
        unknown_keys(node, KEYS, f);
        let has = |key: &str| node.get(key).is_some();
        let mut kinds = KINDS.iter().filter(|k| has(k));
        if let (Some(first), Some(second)) = (kinds.next(), kinds.next()) {
            f.push(
                Finding::error(
                    "E0118",
                    node.span,
                    format!("a Nix value of two kinds, `{first}` and `{second}`"),
                )
                .label("expected one of them"),
            );
            return None;
        }
        if has("set") || has("inherit") {
            Some(Self::Set(field(node, "inherit", f)?, field(node, "set", f)?))
        } else if has("name") {
            Some(Self::Name(field(node, "name", f)?, field(node, "or", f)?))
        } else if has("function") {
            let arguments: OneOrMany<Spanned<String>> = field(node, "function", f)?;
            Some(Self::Function(arguments.0, field(node, "body", f)?))
        } else if has("call") {
            Some(Self::Call(field(node, "call", f)?, field::<OneOrMany<NixValue>>(node, "with", f)?.0))
        } else if has("if") {
            Some(Self::If(field(node, "if", f)?, field(node, "then", f)?, field(node, "else", f)?))
        } else if has("choose") {
            Some(Self::Choose(field(node, "choose", f)?, field(node, "then", f)?, field(node, "else", f)?))
        } else if has("feature") {
            Some(Self::Cond(field(node, "feature", f)?))
        } else if has("value") {
            // What is left of `choose` and `feature` when the plan knew the answer.
            field(node, "value", f)
        } else if has("not") {
            Some(Self::Not(field(node, "not", f)?))
        } else if has("path") {
            Some(Self::Path(field(node, "path", f)?))
        } else if has("lines") {
            Some(Self::Lines(field(node, "lines", f)?))
        } else if has("join") {
            Some(Self::Join(field(node, "join", f)?, field(node, "of", f)?))
        } else if has("targets") {
            Some(Self::Targets(field(node, "targets", f)?))
        } else {
            f.push(
                Finding::error("E0118", node.span, "a Nix value of no known kind")
                    .label("expected one of the keys: set, inherit, name, function, call, if, choose, feature, not, path, lines, join, targets"),
            );
            None
        }
    }
}

impl Decode for NixItem {
    const EXPECTED: &'static str = NixValue::EXPECTED;

    fn decode(node: &Node, f: &mut Findings) -> Option<Self> {
        let span = node.span;
        if node.get("value").is_none() {
            return Some(Self { value: NixValue::decode(node, f)?, when: None, comment: None, span });
        }
        unknown_keys(node, &["value", "when", "comment"], f);
        Some(Self {
            value: field(node, "value", f)?,
            when: field(node, "when", f)?,
            comment: field(node, "comment", f)?,
            span,
        })
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
    /// The compiler environment a package is called with.
    pub enum NixStdenv {
        /// The scope's, made of ROCm's clang.
        Rocm = "rocm",
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
        /// With the policy `throwaway`: the target that stands in when none of those asked for is supported.
        throwaway: Option<Spanned<String>>,
        /// With the policy `throwaway`: the name that tells whether one is supported, exported as well.
        supported: Option<Spanned<String>>,
        /// Why the list is what it is.
        comment: Option<String>,
    }
}

record! {
    /// A function argument beside those that follow from the body.
    pub struct NixArgument {
        /// Its value when it is not given.
        default: Option<NixValue>,
        /// Why.
        comment: Option<String>,
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
    /// A CMake flag whose value is a Nix expression.
    pub struct NixFlag {
        /// A Boolean value.
        bool: Option<NixValue>,
        /// Text.
        text: Option<NixValue>,
        /// Only under this condition.
        when: Option<When>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// A derivation of the same source beside the package, such as its tests, in `passthru`.
    pub struct NixDerived {
        /// The folder of the source tree that it builds, below the package's own.
        folder: Spanned<String>,
        /// Its native build inputs.
        native_inputs: Vec<NixItem>,
        /// Its build inputs, beside the package itself.
        build_inputs: Vec<NixItem>,
        /// Its steps by hook.
        phases: IndexMap<String, Vec<Step>>,
    }
}

record! {
    /// A part of a package that is built as a derivation of its own and collected by the package.
    pub struct NixPart {
        /// The make targets.
        goals: Vec<Spanned<String>>,
        /// Only under this condition.
        when: Option<When>,
        /// Built only when one of these GPU targets is asked for.
        only_for: Vec<Spanned<String>>,
        /// More CMake arguments.
        arguments: IndexMap<String, Text>,
        /// Why.
        comment: Option<String>,
    }
}

record! {
    /// A package that is built in parts: `base.nix` says how, `default.nix` builds the parts and collects their objects.
    pub struct NixParts {
        /// The attribute of the base expression.
        base: Spanned<String>,
        /// The parts by name.
        parts: IndexMap<String, NixPart>,
        /// Gibibytes of memory that one job may need; fewer jobs run when there is less.
        gigabytes_per_job: Option<u64>,
        /// The attribute of `passthru` that must be true, else the package is broken.
        needs: Option<Spanned<String>>,
    }
}

record! {
    /// Entries of `meta`.
    pub struct NixMeta {
        /// The attribute of `lib.platforms`; `linux` when absent.
        platforms: Option<Spanned<String>>,
        /// The program that `nix run` starts.
        main_program: Option<Spanned<String>>,
        /// Seconds that a build may take on the build farm.
        timeout: Option<u64>,
        /// When it can't be built.
        broken: Option<NixValue>,
    }
}

record! {
    /// Facts of a nixpkgs package that have no counterpart elsewhere.
    pub struct NixPackage {
        /// The attribute, where it is not the package's name.
        attribute: Option<Spanned<String>>,
        /// The function that makes the derivation; `derivation` when absent.
        builder: Option<NixBuilder>,
        /// The compiler environment; the scope's when absent.
        stdenv: Option<NixStdenv>,
        /// The package's name ends with the targets that the scope is narrowed to.
        arch_suffix: bool,
        /// How a checkout names its tag; `revision` when absent.
        reference: Option<NixReference>,
        /// The attribute that the version is inherited from.
        version_from: Option<Spanned<String>>,
        /// Where an `inherited` source is taken from.
        source: Option<NixValue>,
        /// Arguments beside those that follow from the body.
        arguments: IndexMap<String, NixArgument>,
        /// Arguments that the scope gives, beside those that it finds by name.
        call_with: IndexMap<String, NixValue>,
        /// Names bound before the derivation.
        bindings: IndexMap<String, NixItem>,
        /// Outputs beside `out`.
        outputs: IndexMap<String, NixOutput>,
        /// Sets `__structuredAttrs`.
        structured_attrs: bool,
        /// Sets `strictDeps`.
        strict_deps: bool,
        /// Sets `requiredSystemFeatures`.
        system_features: Vec<Spanned<String>>,
        /// Other attributes of the derivation.
        attributes: IndexMap<String, NixItem>,
        /// Variables of the environment beside those of `environment`.
        env: IndexMap<String, NixItem>,
        /// Native build inputs that are no dependency edges.
        native_inputs: Vec<NixItem>,
        /// Build inputs that are no dependency edges.
        build_inputs: Vec<NixItem>,
        /// Propagated build inputs that are no dependency edges.
        propagated_inputs: Vec<NixItem>,
        /// Python modules of the interpreter that runs while building.
        python: Vec<Spanned<String>>,
        /// Install folders that upstream's CMake files must be told, relative to the prefix: `bin`, `lib`, `include`.
        install_dirs: Vec<Spanned<String>>,
        /// CMake flags whose values are expressions.
        flags: IndexMap<String, OneOrMany<NixFlag>>,
        /// How GPU targets come from the scope.
        gpu_targets: Option<NixTargets>,
        /// Entries of `passthru`, beside `updateScript`.
        passthru: IndexMap<String, NixValue>,
        /// Derivations of the same source, in `passthru`.
        derived: IndexMap<String, NixDerived>,
        /// What `passthru.updateScript` is, where it is not the scope's usual one.
        update_script: Option<NixValue>,
        /// There is no update script, since the source is another package's.
        no_update_script: bool,
        /// Entries of `meta`.
        meta: Option<NixMeta>,
        /// It is built in parts.
        parts: Option<NixParts>,
    }
}
