//! The meaning of `${name}` in a profile for an ebuild.
//!
//! | reference | bash | from |
//! | --- | --- | --- |
//! | `version`, `name` | `${PV}`, `${PN}` | PMS 11.1 |
//! | `source`, `source:NAME` | `${S}`, the folder of another source | PMS 11.1 |
//! | `build` | `${BUILD_DIR}` | cmake.eclass |
//! | `build:PROJECT` | the build folder of another CMake project | cmake.eclass |
//! | `prefix` | `${EPREFIX}/usr` | PMS 11.1 |
//! | `targets` | `$(get_amdgpu_flags)` | rocm.eclass |
//! | `targets:trimmed` | `${targets%;}`: the same without the `;` at its end | rocm.eclass |
//! | `has-targets` | `ON` when a target is chosen, else `OFF` | rocm.eclass |
//! | `lacks-targets` | `OFF` when a target is chosen, else `ON` | rocm.eclass |
//! | `jobs` | `$(makeopts_jobs)` | multiprocessing.eclass |
//! | `pkg:NAME` | the folder of a dependency | `${EPREFIX}/usr`, LLVM's prefix |
//! | `glob:PATTERN` | the pattern, expanded by bash; it may hold references | |
//! | `contents:FILE` | `$(< FILE)`, the contents of a file | |
//! | `env:NAME` | `${NAME}`, a variable of the environment | |
//! | `supported-by-linker:FLAG` | the flag if the linker supports it | flag-o-matic.eclass |
//! | `prefixify:FILE` | a copy of the file with paths below `${EPREFIX}` | prefix.eclass |
//! | `python-scripts:FOLDER` | the files of a folder whose interpreter is any `python3` | |
//! | `NAME`, `split:NAME` | a variable of the ebuild or of the phase, also split into words | |
//! | `split:tc-getCC`, `split:tc-getCXX` | the compiler as several words | toolchain-funcs.eclass |
//! | `NAME:unprefixed` | a variable without `${EPREFIX}` | |
//! | `NAME:base` | a variable without its folder | |
//! | `NAME:stem` | a variable without its suffix | |

use crate::lower::context::Context;
use crate::lower::expand::Expand;
use crate::lower::flags::flagged_targets;
use rocpkg_model::{Finding, Text};
use rocpkg_render::bash::{Test, Word};
use rocpkg_resolve::{PassedTargets, Plan};
use rocpkg_shell::{List, Place, Targets};

/// Variables of the package manager and of eclasses that a profile may name: `${EPREFIX}`.
const VARIABLES: &[&str] = &[
    "BUILD_DIR",
    "CC",
    "CFLAGS",
    "CHOST",
    "CXX",
    "CXXFLAGS",
    "D",
    "DISTDIR",
    "ED",
    "EPREFIX",
    "EPYTHON",
    "ESYSROOT",
    "FILESDIR",
    "LDFLAGS",
    "LLVM_SLOT",
    "P",
    "PF",
    "PN",
    "PV",
    "PYTHON",
    "S",
    "SLOT",
    "T",
    "WORKDIR",
];

/// References that run a command, each with the words of the command: `${jobs}` is
/// `$(makeopts_jobs)`.
const FUNCTIONS: &[(&str, &[&str])] = &[
    ("cc-name", &["basename", "${CC}"]),
    ("clang-resource-dir", &["clang", "-print-resource-dir"]),
    ("get_libdir", &["get_libdir"]),
    ("get_llvm_prefix", &["get_llvm_prefix"]),
    ("get_llvm_prefix:build", &["get_llvm_prefix", "-d"]),
    ("hip-version", &["hipconfig", "-v"]),
    ("jobs", &["makeopts_jobs"]),
    ("python_get_sitedir", &["python_get_sitedir"]),
    ("tc-getCC", &["tc-getCC"]),
    ("tc-getCXX", &["tc-getCXX"]),
];

/// References that return a compiler, which may be several words such as `ccache g++`.
pub(crate) const COMPILERS: &[&str] = &["tc-getCC", "tc-getCXX"];

/// References that profiles use for all distributions, each with its variable in an ebuild:
/// `${version}` is `${PV}`.
const NEUTRAL: &[(&str, &str)] = &[
    ("version", "PV"),
    ("name", "PN"),
    ("source", "S"),
    ("build", "BUILD_DIR"),
    ("targets:trimmed", "targets%;"),
    ("has-targets", "with_device"),
    ("lacks-targets", "without_device"),
];

/// References to variables that cmake.eclass sets.
const OF_CMAKE: &[&str] = &["build", "BUILD_DIR"];

/// Packages that are installed to LLVM's prefix.
const LLVM: &[&str] = &["llvm", "clang", "lld", "compiler-rt"];

/// References with an argument behind the colon, and the references `prefix` and `targets`.
const OTHERS: &[&str] = &[
    "prefix",
    "targets",
    "source:SOURCE",
    "build:PROJECT",
    "pkg:PACKAGE",
    "glob:PATTERN",
    "supported-by-linker:FLAG",
    "prefixify:FILE",
    "python-scripts:FOLDER",
];

/// Returns the names that `${…}` may contain in rocpkg's profiles for Gentoo. A part in capitals
/// stands for any name of that kind: `source:SOURCE`.
pub(crate) fn words() -> Vec<String> {
    let [neutral, functions] = [
        NEUTRAL.iter().map(|(name, _)| *name).collect(),
        FUNCTIONS.iter().map(|(name, _)| *name).collect(),
    ];
    let all: Vec<&str> = [neutral, OTHERS.to_vec(), functions, VARIABLES.to_vec()].concat();
    all.into_iter().map(str::to_owned).collect()
}

impl Context<'_> {
    /// Returns the bash word for a text of a profile: `hip-${version}` → `hip-${PV}`. Reports an
    /// unknown reference.
    pub(crate) fn word(&mut self, text: &Text) -> Word {
        rocpkg_shell::word(text, Place::One, &mut |name| self.meaning(name, text))
    }

    /// Returns the bash word for the reference `${name}` in `text`. For an unknown reference,
    /// reports it and returns an empty word.
    pub(crate) fn meaning(&mut self, name: &str, text: &Text) -> Word {
        if let Some(word) = self.reference(name) {
            return word;
        }
        let known = self.names();
        self.findings.push(
            Finding::error(
                "E0301",
                text.span,
                format!("an ebuild has no reference `${{{name}}}` here"),
            )
            .label("expected a reference of Gentoo's vocabulary or a variable of this package")
            .nearest(name, known.iter().map(String::as_str)),
        );
        Word::default()
    }

    /// Returns the command that prints the GPU targets that the user chose (`$(get_amdgpu_flags)`),
    /// with the list of targets that are on by default.
    pub(crate) fn targets(&self) -> Targets {
        let list = List {
            unasked: PassedTargets::List(flagged_targets(self.plan, self.p).0),
            chosen: true,
        };
        Targets {
            word: Word::cmd(vec![Word::lit(Expand::of(self.plan).list())]),
            list,
        }
    }

    fn names(&self) -> Vec<String> {
        let mut known: Vec<String> = VARIABLES.iter().map(ToString::to_string).collect();
        known.extend(FUNCTIONS.iter().map(|(n, _)| (*n).to_owned()));
        known.extend(NEUTRAL.iter().map(|(n, _)| (*n).to_owned()));
        known.extend(["prefix", "targets", Expand::of(self.plan).variable()].map(str::to_owned));
        known.extend(self.declared.iter().cloned());
        known.extend(self.p.sources.iter().map(|s| format!("source:{}", s.name)));
        if self.projects.is_empty() {
            known.retain(|name| !OF_CMAKE.contains(&name.as_str()));
        }
        known.extend(self.projects.keys().map(|n| format!("build:{n}")));
        known
    }

    fn reference(&mut self, name: &str) -> Option<Word> {
        if self.projects.is_empty() && OF_CMAKE.contains(&name) {
            return None;
        }
        if let Some((_, variable)) = NEUTRAL.iter().find(|(n, _)| *n == name) {
            return Some(Word::var(*variable));
        }
        let expand = Expand::of(self.plan);
        if VARIABLES.contains(&name) || self.declared.contains(name) || name == expand.variable() {
            return Some(Word::var(name));
        }
        if let Some((_, words)) = FUNCTIONS.iter().find(|(n, _)| *n == name) {
            let words = words.iter().map(|w| {
                match w.strip_prefix("${").and_then(|w| w.strip_suffix('}')) {
                    Some(variable) => Word::var(variable),
                    None => Word::lit(*w),
                }
            });
            return Some(Word::cmd(words.collect()));
        }
        if name == "targets" {
            return Some(self.targets().word);
        }
        if name == "prefix" {
            return Some(Word::var("EPREFIX").literal("/usr"));
        }
        let (kind, rest) = name.split_once(':')?;
        match kind {
            "contents" => Some(rocpkg_shell::contents(rest)),
            "env" => rocpkg_shell::inherited(rest),
            "source" => self.source_folder(rest),
            "build" => self.build_folder(rest),
            "pkg"
                if !self.llvm.is_empty()
                    && (LLVM.contains(&rest) || self.plan.llvm.as_deref() == Some(rest)) =>
            {
                Some(Word::cmd(vec![Word::lit("get_llvm_prefix")]))
            }
            "pkg" => Some(Word::var("EPREFIX").literal("/usr")),
            "split" if self.declared.contains(rest) => Some(Word::split(rest)),
            "split" if COMPILERS.contains(&rest) => {
                Some(Word::split_command(vec![Word::lit(rest)]))
            }
            "split" => {
                let file = rest.strip_prefix("prefixify:")?;
                Some(Word::split_command(vec![
                    Word::lit("prefixify_ro"),
                    Word::lit(file),
                ]))
            }
            "supported-by-linker" => Some(Word::cmd(vec![
                Word::lit("test-flags-CCLD"),
                Word::lit(rest),
            ])),
            "prefixify" => Some(Word::cmd(vec![Word::lit("prefixify_ro"), Word::lit(rest)])),
            "python-scripts" => {
                let words = ["grep", "-rl", "#!/usr/bin/env python3", rest];
                Some(Word::cmd(words.into_iter().map(Word::lit).collect()))
            }
            variable if self.declared.contains(variable) => Some(Word::var(match rest {
                "unprefixed" => format!("{variable}#\"${{EPREFIX}}\""),
                "base" => format!("{variable}##*/"),
                "stem" => format!("{variable}%.*"),
                _ => return None,
            })),
            _ => None,
        }
    }
}

/// Returns a test of bash that is true if a GPU target is chosen: `[[ -n ${AMDGPU_TARGETS} ]]`.
pub(crate) fn has_targets(plan: &Plan) -> Test {
    Test::Brackets(vec![
        Word::lit("-n"),
        Word::split(Expand::of(plan).variable()),
    ])
}

/// Returns a test of bash that is true if no GPU target is chosen: `[[ -z ${AMDGPU_TARGETS} ]]`.
pub(crate) fn no_targets(plan: &Plan) -> Test {
    Test::Brackets(vec![
        Word::lit("-z"),
        Word::split(Expand::of(plan).variable()),
    ])
}
