//! What `${…}` means in a recipe of Solus.
//!
//! | reference | becomes |
//! | --- | --- |
//! | `${version}`, `${name}` | `$version`, `$package` |
//! | `${workdir}`, `${sources}`, `${pkgfiles}`, `${installdir}` | the variables of ypkg |
//! | `${source}`, `${source:NAME}` | the folder of a source's project |
//! | `${checkout}`, `${checkout:NAME}` | the folder that a source unpacks to |
//! | `${build}`, `${build:PROJECT}` | a CMake project's build folder |
//! | `${prefix}`, `${pkg:NAME}` | `/usr` |
//! | `${libdir}`, `${libsuffix}` | `/usr/lib%LIBSUFFIX%`, `%LIBSUFFIX%` |
//! | `${targets}` | the list of GPU targets |
//! | `${jobs}`, `${jobs/4}` | `%YJOBS%`, and that number divided |
//! | `${glob:PATTERN}` | the pattern, expanded by bash |
//! | `${CFLAGS}` and its like, `${CC}`, `${PATH}` | the variable |
//! | any name that a step or the environment gives | the variable |

use crate::project;
use rocpkg_model::{Argument, ArgumentValue, Fetch, Finding, Findings, Text, Ypkg};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{Plan, Planned, ResolvedSource, with_version};

/// Where Solus puts everything.
const PREFIX: &str = "/usr";

/// Variables that ypkg exports and a profile may speak of.
const SHELL: &[&str] = &[
    "workdir",
    "sources",
    "pkgfiles",
    "installdir",
    "PKG_BUILD_DIR",
    "CFLAGS",
    "CXXFLAGS",
    "LDFLAGS",
    "FFLAGS",
    "FCFLAGS",
    "RUSTFLAGS",
    "CC",
    "CXX",
    "AR",
    "NM",
    "RANLIB",
    "PATH",
    "PWD",
];

/// References with a fixed name.
const FIXED: &[&str] =
    &["version", "name", "source", "checkout", "build", "prefix", "libdir", "libsuffix", "targets", "jobs"];

/// One package, and all that its texts may refer to.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    pub(crate) own: Option<&'a Ypkg>,
    /// Variables of the environment and of steps.
    names: Vec<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: &'a Plan, p: &'a Planned) -> Self {
        let own = p.package.ypkg.as_ref();
        let steps = p.package.phases.values().flat_map(|steps| rocpkg_shell::declared(steps));
        let exported = p.package.environment.values().chain(own.iter().flat_map(|o| o.present.values()));
        let names = steps.map(str::to_owned).chain(exported.flat_map(|map| map.keys().cloned())).collect();
        Self { plan, p, own, names }
    }

    /// What a key that is true or false says; none where its condition does not hold.
    pub(crate) fn switched(&self, a: &Argument) -> Option<bool> {
        match a.value {
            ArgumentValue::Bool(on) if self.p.settles(a.when.as_ref()) => Some(on),
            _ => None,
        }
    }

    /// True for a variable of the package's own.
    pub(crate) fn sets(&self, name: &str) -> bool {
        self.names.iter().any(|own| own == name)
    }

    /// What a reference of a text stands for; an unknown name is a finding.
    pub(crate) fn meaning(&self, name: &str, text: &Text, findings: &mut Findings) -> Word {
        self.reference(name).unwrap_or_else(|| {
            let sources = self.p.sources.iter().map(|s| format!("source:{}", s.name));
            let builds = self.p.package.cmake.keys().map(|k| format!("build:{k}"));
            let fixed = FIXED.iter().chain(SHELL).map(|s| (*s).to_owned());
            let known: Vec<String> =
                fixed.chain(sources).chain(builds).chain(self.names.iter().cloned()).collect();
            findings.push(
                Finding::error("E0701", text.span, format!("a package.yml knows no `${{{name}}}` here"))
                    .label("expected a reference such as `${source}`, `${installdir}` or `${jobs}`")
                    .nearest(name, known.iter().map(String::as_str)),
            );
            Word::default()
        })
    }

    fn reference(&self, name: &str) -> Option<Word> {
        if let Some((kind, of)) = name.split_once(':') {
            let source = || self.p.sources.iter().find(|s| s.name == of);
            return match kind {
                "source" => source().map(|s| self.folder(s)).or_else(|| {
                    let path = self.p.carried.get(of)?;
                    Some(Word::var("workdir").literal(format!("/{path}")))
                }),
                "checkout" => source().map(|s| self.checkout(s)),
                "build" => self.p.package.cmake.contains_key(of).then(|| project::build_folder(self, of)),
                "pkg" => {
                    let known = self.plan.externals.contains_key(of)
                        || self.plan.get(of).is_some()
                        || self.plan.packages.holding(of).is_some();
                    known.then(|| Word::lit(PREFIX))
                }
                _ => None,
            };
        }
        if let Some(by) = name.strip_prefix("jobs/").filter(|n| n.bytes().all(|b| b.is_ascii_digit())) {
            return Some(Word::pattern(format!("$((%YJOBS% / {by}))")));
        }
        match name {
            "version" => Some(Word::var("version")),
            "name" => Some(Word::var("package")),
            "prefix" => Some(Word::lit(PREFIX)),
            // What a path below the image may begin with.
            "libdir" => Some(Word::lit(format!("{PREFIX}/lib%LIBSUFFIX%"))),
            "libsuffix" => Some(Word::lit("%LIBSUFFIX%")),
            "jobs" => Some(Word::lit("%YJOBS%")),
            "source" => self.p.sources.first().map(|s| self.folder(s)),
            "checkout" => self.p.sources.first().map(|s| self.checkout(s)),
            "build" => Some(project::build_folder(
                self,
                self.p.package.cmake.keys().next().map_or("main", String::as_str),
            )),
            "targets" => self.targets(),
            own if SHELL.contains(&own) || self.sets(own) => Some(Word::var(own)),
            _ => None,
        }
    }

    /// The folder that a source unpacks to: ypkg unpacks the first one, and copies repositories to the folder of sources.
    pub(crate) fn checkout(&self, s: &ResolvedSource) -> Word {
        let first = self.p.sources.first().is_some_and(|f| f.name == s.name);
        match s.fetch {
            _ if first => Word::var("workdir"),
            Fetch::Git | Fetch::Tree => Word::var("sources").literal(format!("/{}.git", s.repository)),
            _ => Word::var("workdir").literal(format!("/{}", Self::unpacked(s))),
        }
    }

    /// The folder below the first source's that a further archive is unpacked to.
    pub(crate) fn unpacked(s: &ResolvedSource) -> String {
        s.folder.as_ref().map_or_else(|| s.name.clone(), |f| with_version(f, &s.version))
    }

    /// The folder of the project inside a source.
    fn folder(&self, s: &ResolvedSource) -> Word {
        let root = self.checkout(s);
        match s.path.as_deref().filter(|p| !p.is_empty()) {
            Some(path) => root.literal(format!("/{path}")),
            None => root,
        }
    }

    /// The list of GPU targets: the package's own, or the tool's list with what is built beside it. ypkg puts the list in place of the
    /// macro before bash reads it, so it stands in quotes.
    pub(crate) fn targets(&self) -> Option<Word> {
        let Some(written) = &self.p.package.targets else {
            // A package without device code may ask all the same: upstream's build may want the variable.
            return self.plan.distro.target_tool.as_ref().map(|t| Word::quoted(t.command.value.clone()));
        };
        let (tool, resolved) = self.plan.settled_targets(self.p)?;
        let mut list = match tool {
            // The macro can't leave a target out, and has its own separator.
            Some(t)
                if written.separator != ";"
                    || t.list.iter().any(|t| resolved.excludes.contains(&t.value)) =>
            {
                t.list.iter().map(|t| t.value.clone()).collect()
            }
            Some(t) => vec![t.command.value.clone()],
            None => resolved.default.clone(),
        };
        let rules =
            self.own.iter().flat_map(|o| &o.further_targets).filter(|_| self.plan.narrowed.is_empty());
        list.extend(rules.flat_map(|r| &r.targets).map(|t| t.value.clone()));
        list.retain(|t| !resolved.excludes.contains(t));
        Some(Word::quoted(list.join(&written.separator)))
    }
}
