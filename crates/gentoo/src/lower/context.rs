//! The state while one package of a plan is lowered, that is, converted to an ebuild.

pub(crate) use crate::value::tokens::{is_made_of, texts};
use indexmap::IndexMap;
use rocpkg_model::{
    Cond, Ebuild as Facts, Finding, Findings, Piece, Project, Span, TargetFlags, TargetList, When,
};
use rocpkg_render::bash::{Test, Word};
use rocpkg_resolve::{Plan, Planned};
use rocpkg_shell::Passed;
use std::collections::BTreeSet;

/// A package of a plan, with the findings and facts that are collected while it is converted to an
/// ebuild.
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    pub(crate) findings: &'a mut Findings,
    /// The names of the variables that the package's steps declare, and of those under
    /// `ebuild.variables` in its profile.
    pub(crate) declared: BTreeSet<String>,
    /// Set once a call of `cmake_src_prepare` for the first CMake project is rendered.
    pub(crate) prepared: bool,
    /// The variables of upstream's build that GPU targets were passed to so far, each with the
    /// passed list of targets.
    pub(crate) passed: Vec<Passed>,
    /// Set if the ebuild requires its dependencies to be built for its own GPU targets.
    pub(crate) hands_on: bool,
    /// The phases whose environment variables are exported by statements that are rendered already.
    pub(crate) exported: BTreeSet<String>,
    /// The slots of LLVM that the package can be built with, in ascending order. Empty if the
    /// ebuild mentions no slot.
    pub(crate) llvm: Vec<String>,
    /// The CMake projects by name, the main project first. If the profile has no `cmake` key, this
    /// is one project `main` without arguments.
    pub(crate) projects: IndexMap<String, Project>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: &'a Plan, p: &'a Planned, findings: &'a mut Findings) -> Self {
        let own = p.package.ebuild.as_ref();
        let functions = own.iter().flat_map(|e| e.functions.values());
        let mut declared = rocpkg_shell::declared(p.package.phases.values().chain(functions));
        declared.extend(own.iter().flat_map(|e| e.variables.keys().cloned()));
        let mut projects = p.package.cmake.clone();
        // If the profile has a `cmake` key and conditions or `~` removed all projects, none is
        // added.
        if projects.is_empty() && p.node.get("cmake").is_none() {
            projects.insert("main".to_owned(), Project::default());
        }
        Self {
            prepared: false,
            passed: Vec::new(),
            hands_on: false,
            exported: BTreeSet::new(),
            llvm: crate::lower::llvm::slots(p),
            projects,
            plan,
            p,
            findings,
            declared,
        }
    }

    /// Returns the key `ebuild` of the package's profile: facts that only an ebuild can express.
    /// Returns `None` if the profile does not have the key.
    pub(crate) fn facts(&self) -> Option<&'a Facts> {
        self.p.package.ebuild.as_ref()
    }

    /// Returns the way in which the ebuild uses the eclass of GPU targets, such as `rocm.eclass`;
    /// see [`TargetFlags`].
    pub(crate) fn target_flags(&self) -> TargetFlags {
        target_flags_of(self.p)
    }

    /// Returns the USE flag of a feature: the `name` that the profile states for the feature, else
    /// the feature's own name.
    pub(crate) fn flag(&self, feature: &str) -> String {
        let named = self
            .p
            .package
            .features
            .get(feature)
            .and_then(|f| f.name.as_ref());
        named.map_or_else(|| feature.to_owned(), |n| n.value.clone())
    }

    /// Returns the USE flag of a condition that is a single feature or a single GPU target: the
    /// target `gfx90a` → `amdgpu_targets_gfx90a`. Returns `None` for all other conditions.
    pub(crate) fn leaf_flag(&self, cond: &Cond) -> Option<String> {
        match cond {
            Cond::Feature(f) => Some(self.flag(f)),
            Cond::Target(t) => Some(crate::lower::expand::Expand::of(self.plan).flag(t)),
            _ => None,
        }
    }

    /// Returns a condition as a test of bash: `use test && ! use debug`. Reports a condition on a
    /// release, as the plan should have decided it.
    pub(crate) fn test(&mut self, cond: &Cond, span: Span) -> Test {
        match cond {
            Cond::Not(c) => Test::Not(Box::new(self.test(c, span))),
            Cond::All(cs) => Test::All(cs.iter().map(|c| self.test(c, span)).collect()),
            Cond::Any(cs) => {
                let mut tests: Vec<Test> = cs.iter().map(|c| self.test(c, span)).collect();
                // A long chain is wrapped after every second test.
                if tests.len() > 3 {
                    for test in tests.iter_mut().skip(2).step_by(2) {
                        if let Test::Command(words) = test {
                            words[0] = Word::pattern("\\\n\t\t").then(words[0].clone());
                        }
                    }
                }
                Test::Any(tests)
            }
            Cond::Llvm(range) if !self.llvm.is_empty() => crate::lower::llvm::test(range)
                .unwrap_or_else(|| Test::Command(vec![Word::lit("false")])),
            Cond::Release(_) | Cond::Llvm(_) => {
                self.error("E0302", span, format!("the plan can't decide `{cond}`"));
                Test::Command(vec![Word::lit("false")])
            }
            leaf => {
                let flag = self.leaf_flag(leaf).unwrap_or_default();
                Test::Command(vec![Word::lit("use"), Word::lit(flag)])
            }
        }
    }

    /// Returns a word that expands to `yes` if the condition `when` holds, and to `no` otherwise:
    /// `$(usex flag yes no)`. For a condition of several flags the calls of `usex` are nested.
    pub(crate) fn usex(&mut self, when: &When, yes: Word, no: Word) -> Word {
        match &when.cond {
            Cond::Not(c) => {
                let inner = When {
                    cond: (**c).clone(),
                    span: when.span,
                };
                self.usex(&inner, no, yes)
            }
            Cond::Any(cs) => cs.iter().rev().fold(no, |rest, c| {
                let one = When {
                    cond: c.clone(),
                    span: when.span,
                };
                self.usex(&one, yes.clone(), rest)
            }),
            Cond::All(cs) => cs.iter().rev().fold(yes, |rest, c| {
                let one = When {
                    cond: c.clone(),
                    span: when.span,
                };
                self.usex(&one, rest, no.clone())
            }),
            Cond::Llvm(range) => {
                let flags = When {
                    cond: crate::lower::llvm::flags(range, &self.llvm),
                    span: when.span,
                };
                self.usex(&flags, yes, no)
            }
            leaf => {
                let flag = self.leaf_flag(leaf).unwrap_or_default();
                Word::cmd(vec![Word::lit("usex"), Word::lit(flag), yes, no])
            }
        }
    }

    /// Returns the variable that holds the folder of the source `name`: `${S}` for the main source,
    /// `${HIP_TESTS_S}` for the further source `hip-tests`. Returns `None` for an unknown source.
    pub(crate) fn source_folder(&self, name: &str) -> Option<Word> {
        let at = self.p.sources.iter().position(|s| s.name == name)?;
        Some(if at == 0 {
            Word::var("S")
        } else {
            Word::var(folder_variable(name))
        })
    }

    /// Returns the folder with the `CMakeLists.txt` of the CMake project `name`. Returns `None` for
    /// an unknown project.
    pub(crate) fn project_folder(&mut self, name: &str) -> Option<Word> {
        let Some(source) = self.projects.get(name)?.source.clone() else {
            return Some(Word::var("S"));
        };
        // cmake.eclass changes to the build folder first, so the path must be absolute.
        let below = matches!(source.pieces.first(), Some(Piece::Literal(t)) if !t.starts_with('/'));
        let word = self.word(&source);
        Some(if below {
            Word::var("S").literal("/").then(word)
        } else {
            word
        })
    }

    /// Returns the build folder of the CMake project `name`: `${BUILD_DIR}` of cmake.eclass for the
    /// first project, else the folder that the profile states, else a folder beside the project's
    /// source. Returns `None` for an unknown project.
    pub(crate) fn build_folder(&mut self, name: &str) -> Option<Word> {
        let at = self.projects.get_index_of(name)?;
        if at == 0 {
            return Some(Word::var("BUILD_DIR"));
        }
        let stated = self.projects[at].build.clone();
        if let Some(text) = stated {
            return Some(self.word(&text));
        }
        // Projects with the same source folder need different build folders.
        let source = |at: usize| {
            self.projects[at]
                .source
                .as_ref()
                .map(|text| text.pieces.clone())
        };
        let shared = (0..at).any(|before| source(before) == source(at));
        let end = if shared {
            format!("_build-{name}")
        } else {
            "_build".to_owned()
        };
        self.project_folder(name).map(|w| w.literal(end))
    }

    /// Returns true if the ebuild itself defines `function`, from steps of the profile or as the
    /// wrapper of a CMake project. The commands in such a function die by themselves, so its calls
    /// need no `|| die`.
    pub(crate) fn is_own(&self, function: &str) -> bool {
        let own = self
            .p
            .package
            .ebuild
            .as_ref()
            .is_some_and(|e| e.functions.contains_key(function));
        own || self
            .projects
            .keys()
            .skip(1)
            .any(|p| self.wrapper(p) == function)
    }

    /// Returns the name of the function that runs a command for a CMake project other than the
    /// first. For the project `tests` of `hip` the name is `hip_tests`, and a phase calls
    /// `hip_tests cmake_src_compile`.
    pub(crate) fn wrapper(&self, project: &str) -> String {
        let id: String = self
            .p
            .id
            .chars()
            .map(|c| if c == '-' { '_' } else { c })
            .collect();
        format!("{id}_{}", project.replace('-', "_"))
    }

    pub(crate) fn error(&mut self, code: &'static str, span: Span, message: impl Into<String>) {
        self.findings.push(Finding::error(code, span, message));
    }
}

/// Returns the category of a package: the one that its profile states, else the setting `category`
/// of the distribution's file.
pub fn category(plan: &Plan, p: &Planned) -> String {
    let own = p.package.ebuild.as_ref().and_then(|e| e.category.as_ref());
    own.map_or_else(|| setting(plan, "category", "sci-libs"), |c| &c.value)
        .to_owned()
}

/// Returns a setting of the distribution's file, or `otherwise` if it is not set.
pub(crate) fn setting<'a>(plan: &'a Plan, name: &str, otherwise: &'a str) -> &'a str {
    plan.distro
        .settings
        .get(name)
        .map_or(otherwise, |s| s.value.as_str())
}

/// Returns the year of the copyright line, which the distribution's file states.
pub(crate) fn year(plan: &Plan) -> &str {
    plan.distro
        .year
        .as_ref()
        .map_or("2026", |y| y.value.as_str())
}

/// Returns the way in which a package's ebuild uses the eclass of GPU targets: the stated
/// `ebuild.target-flags`, else the way that follows from the key `targets` of the package.
pub(crate) fn target_flags_of(p: &Planned) -> TargetFlags {
    let stated = p.package.ebuild.as_ref().and_then(|e| e.target_flags);
    let list = p.package.targets.as_ref().map(|t| t.list);
    match (stated, &p.targets, list) {
        (Some(mode), ..) => mode,
        (None, None, _) => TargetFlags::None,
        (None, Some(_), Some(TargetList::Own)) => TargetFlags::Own,
        // Targets that the package can't be built for must not be offered.
        (None, Some(t), Some(TargetList::All)) if t.own => TargetFlags::Own,
        (None, Some(_), _) => TargetFlags::Eclass,
    }
}

/// Returns the variable that holds the folder of a source: `hip-tests` → `HIP_TESTS_S`.
pub(crate) fn folder_variable(source: &str) -> String {
    let upper: String = source
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() {
                c.to_ascii_uppercase()
            } else {
                '_'
            }
        })
        .collect();
    format!("{upper}_S")
}
