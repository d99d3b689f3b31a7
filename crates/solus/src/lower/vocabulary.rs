//! The references `${…}` of Solus' recipes. `profiles/reference.md` lists each of them with the
//! text that replaces it.

use rocpkg_model::{Argument, ArgumentValue, TargetTool, Ypkg};
use rocpkg_render::bash::Word;
use rocpkg_resolve::{PassedTargets, Plan, Planned, ResolvedSource, with_version};
use rocpkg_shell::{List, References, Targets};
use std::collections::BTreeSet;

/// The name of the variable and reference for the folder `files` of a recipe.
pub(crate) const FILES: &str = "pkgfiles";

/// The references that begin a path outside the folder `files`, such as `${workdir}/a.patch`.
pub(crate) const FOLDERS: &[&str] = &[
    "build",
    "checkout",
    "installdir",
    "libdir",
    "pkg",
    "prefix",
    "source",
    "sources",
    "workdir",
    "PKG_BUILD_DIR",
    "PWD",
];

/// The references that have the same word in every script.
pub(crate) static REFERENCES: References = References {
    code: "E0701",
    message: "a package.yml has no reference",
    expected: "expected a reference such as `${source}`, `${installdir}` or `${jobs}`",
    fixed: &[
        ("version", || Word::var("version")),
        ("name", || Word::var("package")),
        // A path below `$installdir` may begin with this reference.
        ("libdir", || Word::lit("/usr/lib%LIBSUFFIX%")),
        ("libsuffix", || Word::lit("%LIBSUFFIX%")),
        ("jobs", || Word::lit("%YJOBS%")),
    ],
    variables: &[
        "workdir",
        "sources",
        FILES,
        "installdir",
        "PKG_BUILD_DIR",
        "CC",
        "CXX",
        "AR",
        "NM",
        "RANLIB",
    ],
};

/// One package of the plan, and the names that its texts may refer to.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) p: &'a Planned,
    pub(crate) own: Option<&'a Ypkg>,
    /// The variables that the package's environment and its steps set.
    pub(crate) names: BTreeSet<String>,
}

impl<'a> Context<'a> {
    pub(crate) fn new(plan: &'a Plan, p: &'a Planned) -> Self {
        let own = p.package.ypkg.as_ref();
        let exported = p
            .package
            .environment
            .values()
            .chain(own.iter().flat_map(|o| o.present.values()));
        let mut names = rocpkg_shell::declared(p.package.phases.values());
        names.extend(exported.flat_map(|map| map.keys().cloned()));
        Self {
            plan,
            p,
            own,
            names,
        }
    }

    /// Returns the value of a switch such as `clang`, a key of `package.yml` that is true or false.
    /// Returns `None` if its condition does not hold, or if the value is neither true nor false.
    pub(crate) fn switched(&self, a: &Argument) -> Option<bool> {
        match a.value {
            ArgumentValue::Bool(on) if self.p.settles(a.when.as_ref()) => Some(on),
            _ => None,
        }
    }

    /// Returns the list of GPU targets that the recipe passes to upstream's build, or `None` if it
    /// passes none. The list is the tool's macro, such as `%AMDGPUTARGETS%`, with further targets
    /// behind it, or the names of all targets. ypkg replaces the macro by its list before bash
    /// reads the script, so the list is written in quotes.
    pub(crate) fn targets(&self) -> Option<Targets> {
        if self.p.package.targets.is_none() {
            // A package without device code may refer to the list too, because upstream's build may
            // require the variable.
            let tool = self.plan.distro.target_tool.as_ref()?;
            return Some(listed(Some(tool), Vec::new()));
        }
        let (tool, resolved) = self.plan.settled_targets(self.p)?;
        // The macro can't leave out a target, so it is used only if the package excludes none of
        // its targets.
        let whole = |t: &&TargetTool| !t.list.iter().any(|t| resolved.excludes.contains(&t.value));
        let mut further = match tool {
            Some(t) if !whole(&t) => t.list.iter().map(|t| t.value.clone()).collect(),
            Some(_) => Vec::new(),
            None => resolved.default.clone(),
        };
        let rules = self
            .own
            .iter()
            .flat_map(|o| &o.further_targets)
            .filter(|_| self.plan.narrowed.is_empty());
        further.extend(rules.flat_map(|r| &r.targets).map(|t| t.value.clone()));
        further.retain(|t| !resolved.excludes.contains(t));
        Some(listed(tool.filter(whole), further))
    }

    /// Returns the folder below `$workdir` that an archive after the first source is unpacked to.
    pub(crate) fn unpacked(s: &ResolvedSource) -> String {
        s.folder
            .as_ref()
            .map_or_else(|| s.name.clone(), |f| with_version(f, &s.version))
    }
}

/// Returns the list that begins with the tool's macro, if there is a tool, and continues with the
/// targets `further`: `%AMDGPUTARGETS%;gfx1103`.
fn listed(tool: Option<&TargetTool>, further: Vec<String>) -> Targets {
    let command = tool.map(|t| t.command.value.clone());
    let names: Vec<&str> = command.iter().chain(&further).map(String::as_str).collect();
    let word = Word::quoted(names.join(";"));
    let unasked = match command {
        Some(command) => PassedTargets::Tool {
            command,
            without: Vec::new(),
            further,
        },
        None => PassedTargets::List(further),
    };
    Targets {
        word,
        list: List {
            unasked,
            chosen: false,
        },
    }
}
