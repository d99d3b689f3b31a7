//! What `${…}` means in a PKGBUILD.
//!
//! | reference | becomes |
//! | --- | --- |
//! | `${version}`, `${name}`, `${base}`, `${url}` | `$pkgver`, `$pkgname`, `$pkgbase`, `$url` |
//! | `${srcdir}`, `${pkgdir}`, `${startdir}` | the same of makepkg |
//! | `${source}`, `${source:NAME}` | the folder of a source's project, below `$srcdir` |
//! | `${checkout}`, `${checkout:NAME}` | the folder that a source unpacks to |
//! | `${build}`, `${build:PROJECT}` | a CMake project's build folder, below `$srcdir` |
//! | `${prefix}`, `${pkg:NAME}` | `/opt/rocm`, where all of Arch's ROCm is |
//! | `${targets}` | the list of GPU targets |
//! | `${jobs}` | `$(nproc)` |
//! | `${glob:PATTERN}` | the pattern, expanded by bash |
//! | `${CFLAGS}` and its like, `${PATH}`, `${CARCH}`, `${CHOST}`, `${MAKEFLAGS}` | the variable |
//! | `${_name}` | a private variable, or one of a `local` or `each` step |

use crate::ir::Entry;
use crate::{project, sources};
use rocpkg_model::{Finding, Findings, Piece, SumKind, TargetList, Text, When};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{Plan, Planned};
use rocpkg_shell::Place;

/// Where Arch puts ROCm.
pub(crate) const PREFIX: &str = "/opt/rocm";

/// Variables of makepkg and of the shell that a profile may speak of.
const SHELL: &[&str] = &[
    "srcdir",
    "pkgdir",
    "startdir",
    "CFLAGS",
    "CXXFLAGS",
    "CPPFLAGS",
    "LDFLAGS",
    "LTOFLAGS",
    "FFLAGS",
    "FCFLAGS",
    "RUSTFLAGS",
    "MAKEFLAGS",
    "CARCH",
    "CHOST",
    "PATH",
    "PWD",
];

/// References with a fixed name.
const FIXED: &[&str] =
    &["version", "name", "base", "url", "source", "checkout", "build", "prefix", "targets", "jobs"];

/// References that fields may hold.
const FIELDS: &[&str] = &["version", "name", "base", "url", "prefix"];

/// One package, and all that its texts may refer to.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    /// `pkgbase`
    pub(crate) base: String,
    /// It makes several packages.
    pub(crate) split: bool,
    /// Private variables, and those of steps.
    names: Vec<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: &'a Plan, p: &'a Planned) -> Self {
        let mut names = Vec::new();
        let own = |steps| rocpkg_shell::declared(steps).map(str::to_owned).collect::<Vec<_>>();
        let recipe = p.package.pkgbuild.as_ref();
        if let Some(b) = recipe {
            names.extend(b.variables.keys().cloned());
            names.extend(b.packages.values().flat_map(|part| own(&part.steps)));
        }
        names.extend(p.package.phases.values().flat_map(|steps| own(steps)));
        let split = recipe.is_some_and(|b| !b.packages.is_empty());
        Self { plan, p, base: p.name.clone(), split, names }
    }

    /// True for a variable of the package's own.
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// The variable that holds the package's name, of the whole when it is split.
    pub(crate) fn name_variable(&self) -> &'static str {
        if self.split { "pkgbase" } else { "pkgname" }
    }

    /// The kind of checksums.
    pub(crate) fn sum_kind(&self) -> SumKind {
        self.p.package.pkgbuild.as_ref().and_then(|b| b.sums).unwrap_or(SumKind::Sha256)
    }

    /// True when the condition holds: a PKGBUILD has no switches, so every feature has its default.
    pub(crate) fn holds(&self, when: Option<&When>) -> bool {
        self.p.settles(when)
    }

    /// A text as a word of a function.
    pub(crate) fn word(&self, text: &Text, findings: &mut Findings) -> Word {
        rocpkg_shell::word(text, Place::One, &mut |name| self.meaning(name, text, findings))
    }

    /// What a reference of a text stands for; an unknown name is a finding.
    pub(crate) fn meaning(&self, name: &str, text: &Text, findings: &mut Findings) -> Word {
        let known = self.reference(name, findings);
        if known.is_none() {
            let label = "expected a reference such as `${source}`, `${pkgdir}` or `${_private}`";
            findings.push(unknown(name, text, label, &self.vocabulary()));
        }
        known.unwrap_or_default()
    }

    /// A text as the value of a field, which .SRCINFO must be able to evaluate.
    pub(crate) fn entry(&self, text: &Text, findings: &mut Findings) -> Entry {
        let own = self.p.package.pkgbuild.as_ref();
        text.pieces.iter().fold(Entry::default(), |e, piece| match piece {
            Piece::Literal(t) => e.literal(t.clone()),
            Piece::Reference(name) => match name.as_str() {
                "version" => e.variable("pkgver"),
                // Inside a package function `$pkgname` is another one than in its overrides; the name itself is plain.
                "name" => e.literal(self.base.clone()),
                "base" => e.variable("pkgbase"),
                "url" => e.variable("url"),
                "prefix" => e.literal(PREFIX),
                n if own.is_some_and(|b| b.variables.contains_key(n)) => e.variable(n),
                n => {
                    let mut known: Vec<String> = FIELDS.iter().map(|s| (*s).to_owned()).collect();
                    known.extend(own.into_iter().flat_map(|b| b.variables.keys().cloned()));
                    findings.push(unknown(
                        n,
                        text,
                        "a field may hold `${version}` or a private variable",
                        &known,
                    ));
                    e
                }
            },
        })
    }

    fn reference(&self, name: &str, findings: &mut Findings) -> Option<Word> {
        let source = |n: &str| self.p.sources.iter().find(|s| s.name == n);
        if let Some((kind, of)) = name.split_once(':') {
            return match kind {
                // Projects of several sources are built beside each other, so these are whole paths.
                "source" => {
                    let below = |folder: Word| Word::var("srcdir").literal("/").then(folder);
                    source(of).map(|s| below(sources::folder(self, s).word())).or_else(|| {
                        let (main, path) = (self.p.sources.first()?, self.p.carried.get(of)?);
                        Some(below(sources::checkout(self, main).word().literal(format!("/{path}"))))
                    })
                }
                "checkout" => source(of).map(|s| sources::checkout(self, s).word()),
                "build" => {
                    self.p.package.cmake.contains_key(of).then(|| project::build_folder(self, of, findings))
                }
                "pkg" => self.knows(of).then(|| Word::lit(PREFIX)),
                _ => None,
            };
        }
        match name {
            "version" => Some(Word::var("pkgver")),
            "name" => Some(Word::var("pkgname")),
            "base" => Some(Word::var("pkgbase")),
            "url" => Some(Word::var("url")),
            "prefix" => Some(Word::lit(PREFIX)),
            "jobs" => Some(Word::cmd(vec![Word::lit("nproc")])),
            "source" => {
                self.main_folder().map(|f| if self.has_dirname() { Word::var("_dirname") } else { f.word() })
            }
            "checkout" => self.p.sources.first().map(|s| sources::checkout(self, s).word()),
            "build" => {
                let first = self.p.package.cmake.keys().next().cloned().unwrap_or_else(|| "main".into());
                Some(project::build_folder(self, &first, findings))
            }
            "targets" => self.targets(),
            n if SHELL.contains(&n) || self.names.iter().any(|k| k == n) => Some(Word::var(n)),
            _ => None,
        }
    }

    /// The references that a function's words may hold.
    fn vocabulary(&self) -> Vec<String> {
        let sources = self
            .p
            .sources
            .iter()
            .flat_map(|s| [format!("source:{}", s.name), format!("checkout:{}", s.name)]);
        let builds = self.p.package.cmake.keys().map(|k| format!("build:{k}"));
        let fixed = FIXED.iter().chain(SHELL).map(|s| (*s).to_owned());
        fixed.chain(sources).chain(builds).chain(self.names.iter().cloned()).collect()
    }

    fn knows(&self, name: &str) -> bool {
        self.plan.externals.contains_key(name)
            || self.plan.get(name).is_some()
            || self.plan.packages.holding(name).is_some()
    }

    /// The folder of the main source's project.
    pub(crate) fn main_folder(&self) -> Option<Entry> {
        self.p.sources.first().map(|s| sources::folder(self, s))
    }

    /// True when that folder is long enough to deserve the variable `_dirname`.
    pub(crate) fn has_dirname(&self) -> bool {
        self.main_folder().is_some_and(|f| f.as_literal().is_none_or(|t| t.contains('/')))
    }

    /// The list of GPU targets: the package's own, that of the distribution's file, or what the distribution's tool prints
    /// less what the package can't be built for.
    pub(crate) fn targets(&self) -> Option<Word> {
        let list = self.listed_targets()?;
        // A package with a list of its own can't be built for just anything, and a tree that is rendered for some GPUs is
        // proved for those.
        let limited = self.p.package.targets.as_ref().is_some_and(|t| t.list == TargetList::Own)
            || !self.plan.narrowed.is_empty();
        let habits = self.plan.distro.habits.as_ref();
        Some(match habits.and_then(|h| h.target_override.as_ref()).filter(|_| !limited) {
            Some(variable) => Word::var_or(variable.value.clone(), list),
            None => list,
        })
    }

    fn listed_targets(&self) -> Option<Word> {
        let (tool, resolved) = self.plan.settled_targets(self.p)?;
        let Some(tool) = tool else {
            let separator = self.p.package.targets.as_ref().map_or(";", |t| t.separator.as_str());
            return Some(Word::lit(resolved.default.join(separator)));
        };
        let mut words = vec![Word::lit(tool.command.value.clone())];
        let exclude = tool.exclude.as_ref().map_or("", |e| e.value.as_str());
        for t in &resolved.excludes {
            words.extend([Word::lit(exclude), Word::lit(t.clone())]);
        }
        Some(Word::cmd(words))
    }

    /// The package that brings the tool, when the list of targets is asked of it.
    pub(crate) fn asked_tool(&self) -> Option<&str> {
        self.plan.target_tool(self.p).and_then(|t| Some(t.package.as_ref()?.value.as_str()))
    }
}

fn unknown(name: &str, text: &Text, label: &str, known: &[String]) -> Finding {
    Finding::error("E0401", text.span, format!("a PKGBUILD knows no `${{{name}}}` here"))
        .label(label)
        .nearest(name, known.iter().map(String::as_str))
}
