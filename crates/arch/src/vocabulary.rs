//! What `${…}` means in a PKGBUILD: `profiles/reference.md` lists each word with what becomes of
//! it.

use crate::sources;
use rocpkg_model::{Findings, Piece, SumKind, Text};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{Given, Plan, Planned};
use rocpkg_shell::{List, References, Targets};
use std::collections::BTreeSet;

/// What means the same in every function.
pub(crate) static REFERENCES: References = References {
    code: "E0401",
    message: "a PKGBUILD knows no",
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

/// The words that `${…}` may hold.
pub fn words() -> Vec<String> {
    REFERENCES.words()
}

/// The variable that holds the folder of the main source's project, where that is long.
pub(crate) const DIRNAME: &str = "_dirname";

/// References that fields may hold.
const FIELDS: &[&str] = &["version", "name", "base", "url", "prefix"];

/// One package, and all that its texts may refer to.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    /// It makes several packages.
    pub(crate) split: bool,
    /// Variables of steps.
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

    /// The variable that holds the package's name, of the whole when it is split.
    pub(crate) fn name_variable(&self) -> &'static str {
        if self.split { "pkgbase" } else { "pkgname" }
    }

    /// The kind of checksums.
    pub(crate) fn sum_kind(&self) -> SumKind {
        self.p
            .package
            .pkgbuild
            .as_ref()
            .and_then(|b| b.sums)
            .unwrap_or(SumKind::Sha256)
    }

    /// A text as the value of a field, which .SRCINFO must be able to evaluate.
    pub(crate) fn entry(&self, text: &Text, findings: &mut Findings) -> Word {
        text.pieces
            .iter()
            .fold(Word::default(), |e, piece| match piece {
                Piece::Literal(t) => e.literal(t.clone()),
                Piece::Reference(name) => match name.as_str() {
                    "version" => e.variable("pkgver"),
                    // Inside a package function `$pkgname` is another one than in its overrides;
                    // the name itself is plain.
                    "name" => e.literal(self.p.name.clone()),
                    "base" => e.variable("pkgbase"),
                    "url" => e.variable("url"),
                    "prefix" => e.literal(self.plan.prefix()),
                    n => {
                        let known = FIELDS.iter().map(|s| (*s).to_owned()).collect();
                        let expected = "a field may hold `${version}`";
                        findings.push(REFERENCES.unknown(n, text, expected, &known));
                        e
                    }
                },
            })
    }

    /// The folder of the main source's project.
    pub(crate) fn main_folder(&self) -> Option<Word> {
        self.p
            .sources
            .first()
            .map(|s| sources::folder(self, s, s.project()))
    }

    /// True when that folder is long enough to deserve the variable [`DIRNAME`].
    pub(crate) fn has_dirname(&self) -> bool {
        self.main_folder()
            .is_some_and(|f| f.as_literal().is_none_or(|t| t.contains('/')))
    }

    /// The list of GPU targets: the package's own, that of the distribution's file, or what the
    /// distribution's tool prints less what the package can't be built for.
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
                Given::Tool {
                    command,
                    without,
                    further: Vec::new(),
                },
            )
        } else {
            (
                Word::lit(resolved.default.join(";")),
                Given::List(resolved.default.clone()),
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

    /// The package that brings the tool, when the list of targets is asked of it.
    pub(crate) fn asked_tool(&self) -> Option<&str> {
        self.plan
            .target_tool(self.p)
            .and_then(|t| Some(t.package.as_ref()?.value.as_str()))
    }
}
