//! The meaning of the references `${…}` of profiles in a PKGBUILD: `${version}` -> `$pkgver`.
//! `profiles/reference.md` lists all references with the resulting text.

use crate::lower::sources;
use rocpkg_model::{Findings, Piece, SumKind, Text};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{PassedTargets, Plan, Planned};
use rocpkg_shell::{List, References, Targets};
use std::collections::BTreeSet;

/// The references `${…}` of profiles that have the same meaning in every function of a PKGBUILD.
pub(crate) static REFERENCES: References = References {
    code: "E0401",
    message: "a PKGBUILD has no reference",
    expected: "expected a reference such as `${source}`, `${pkgdir}` or `${_private}`",
    fixed: &[
        ("version", || Word::var("pkgver")),
        ("name", || Word::var("pkgname")),
        ("base", || Word::var("pkgbase")),
        ("url", || Word::var("url")),
        ("jobs", || Word::cmd(vec![Word::lit("nproc")])),
    ],
    variables: &[
        "srcdir",
        "pkgdir",
        "startdir",
        "CPPFLAGS",
        "LTOFLAGS",
        "MAKEFLAGS",
        "CARCH",
        "CHOST",
    ],
};

/// The variable that holds the folder of the main source's project, if the path is long.
pub(crate) const DIRNAME: &str = "_dirname";

/// The references that the values of fields may contain.
const FIELDS: &[&str] = &["version", "name", "base", "url", "prefix"];

/// A package of a plan, with the names of variables that its texts may refer to.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    /// Set if the PKGBUILD makes several packages.
    pub(crate) split: bool,
    pub(crate) names: BTreeSet<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: &'a Plan, p: &'a Planned) -> Self {
        let recipe = p.package.pkgbuild.as_ref();
        let parts = recipe
            .iter()
            .flat_map(|b| b.packages.values())
            .map(|part| &part.steps);
        let names = rocpkg_shell::declared(p.package.phases.values().chain(parts));
        let split = recipe.is_some_and(|b| !b.packages.is_empty());
        Self {
            plan,
            p,
            split,
            names,
        }
    }

    /// Returns the name of the bash variable that contains the package's name: `pkgbase` if the
    /// PKGBUILD is split, else `pkgname`.
    pub(crate) fn name_variable(&self) -> &'static str {
        if self.split { "pkgbase" } else { "pkgname" }
    }

    /// Returns the kind of checksums that the PKGBUILD states.
    pub(crate) fn sum_kind(&self) -> SumKind {
        self.p
            .package
            .pkgbuild
            .as_ref()
            .and_then(|b| b.sums)
            .unwrap_or(SumKind::Sha256)
    }

    /// Returns a text of the profile as the value of a field. References that can't be evaluated
    /// for the .SRCINFO are reported.
    pub(crate) fn entry(&self, text: &Text, findings: &mut Findings) -> Word {
        text.pieces
            .iter()
            .fold(Word::default(), |e, piece| match piece {
                Piece::Literal(t) => e.literal(t.clone()),
                Piece::Reference(name) => match name.as_str() {
                    "version" => e.variable("pkgver"),
                    // In the function of a part, `$pkgname` is another name than in the part's
                    // fields. The literal name is unambiguous.
                    "name" => e.literal(self.p.name.clone()),
                    "base" => e.variable("pkgbase"),
                    "url" => e.variable("url"),
                    "prefix" => e.literal(self.plan.prefix()),
                    n => {
                        let known = FIELDS.iter().map(|s| (*s).to_owned()).collect();
                        let expected =
                            "expected a reference that fields support, such as `${version}`";
                        findings.push(REFERENCES.unknown(n, text, expected, &known));
                        e
                    }
                },
            })
    }

    /// Returns the folder of the main source's project below `$srcdir`; `None` if the package has
    /// no source.
    pub(crate) fn main_folder(&self) -> Option<Word> {
        self.p
            .sources
            .first()
            .map(|s| sources::folder(self, s, s.project()))
    }

    /// Returns true if the path of the main source's project has several parts or contains a
    /// variable, so that the PKGBUILD sets [`DIRNAME`] to the path.
    pub(crate) fn has_dirname(&self) -> bool {
        self.main_folder()
            .is_some_and(|f| f.as_literal().is_none_or(|t| t.contains('/')))
    }

    /// Returns the list of GPU targets that is passed to the build: the package's own list, the
    /// list of the distribution's file, or the output of the distribution's tool. The tool leaves
    /// out targets that the package can't be built for. Returns `None` if no list is passed.
    pub(crate) fn targets(&self) -> Option<Targets> {
        let (tool, resolved) = self.plan.settled_targets(self.p)?;
        let (word, unasked) = if let Some(tool) = tool {
            let exclude = tool.exclude.as_ref().map_or("", |e| e.value.as_str());
            let left_out = resolved.excludes.iter().flat_map(|t| [exclude, t]);
            let words = std::iter::once(tool.command.value.as_str())
                .chain(left_out)
                .map(Word::lit);
            let (command, without) = (tool.command.value.clone(), resolved.excludes.clone());
            (
                Word::cmd(words.collect()),
                PassedTargets::Tool {
                    command,
                    without,
                    further: Vec::new(),
                },
            )
        } else {
            (
                Word::lit(resolved.default.join(";")),
                PassedTargets::List(resolved.default.clone()),
            )
        };
        Some(Targets {
            word,
            list: List {
                unasked,
                chosen: false,
            },
        })
    }

    /// Returns the name of the package that contains the distribution's tool, if this tool prints
    /// the package's list of targets.
    pub(crate) fn asked_tool(&self) -> Option<&str> {
        self.plan
            .target_tool(self.p)
            .and_then(|t| Some(t.package.as_ref()?.value.as_str()))
    }
}
