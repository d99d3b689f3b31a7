//! How a derivation builds what others state by compiler flags, folders and goals: attributes that nixpkgs' setup hooks read.

use crate::expr::{Binding, BindingKind, NixExpr, Operator, Part};
use crate::lower::Lower;
use crate::package::wants_original;
use crate::value::merge;
use rocpkg_model::{Compiler, FlagAction, FlagEdit, Generator, NixBuilder, NixStdenv, Piece, Project, Text};
use rocpkg_resolve::Planned;
use rocpkg_shell::flag_variables;

/// The variables that CMake and Python's tools read some flags from; neither reads that of macros, which both languages take.
fn variables(on: &str) -> &'static [&'static str] {
    flag_variables(if on == "cpp" { "all" } else { on })
}

/// True for an edit that a variable of the derivation's environment can say: nothing is in it before.
pub(crate) fn is_said(edit: &FlagEdit) -> bool {
    // There is nothing to take out, and no such optimisation to turn off.
    edit.action == FlagAction::Append && edit.phase.is_none()
}

/// Why the compiler that is asked for is not the one that the expression takes, if so.
pub(crate) fn other_compiler(p: &Planned) -> Option<&'static str> {
    let nix = p.package.nix.as_ref();
    if nix.is_some_and(|n| n.builder == NixBuilder::Python) {
        return Some("what Python's builder makes has the compiler of nixpkgs");
    }
    let stdenv = nix.and_then(|n| n.stdenv);
    match p.package.compiler? {
        Compiler::System if stdenv == Some(NixStdenv::Rocm) => Some("`nix.stdenv` is ROCm's"),
        Compiler::Clang if wants_original(p) => Some("`nix.stdenv` is that of nixpkgs"),
        Compiler::Hipcc | Compiler::Amdclang if p.package.cmake.is_empty() => {
            Some("expected a CMake project, which alone is told its compiler")
        }
        _ => None,
    }
}

/// The names of the two compilers that CMake is told, beside that of the environment.
pub(crate) fn compilers(p: &Planned) -> Option<[&'static str; 2]> {
    match p.package.compiler? {
        Compiler::Hipcc => Some(["hipcc", "hipcc"]),
        Compiler::Amdclang => Some(["amdclang", "amdclang++"]),
        Compiler::System | Compiler::Clang => None,
    }
}

/// A folder below the source's, where the text says no more than that: its names.
pub(crate) fn below(text: &Text) -> Option<Vec<&str>> {
    let rest = match text.pieces.as_slice() {
        [] => "",
        [Piece::Literal(path)] if !path.starts_with('/') => path,
        [Piece::Reference(r)] if r == "source" => "",
        [Piece::Reference(r), Piece::Literal(path)] if r == "source" => path.strip_prefix('/')?,
        _ => return None,
    };
    let names: Vec<&str> = rest.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    (!names.contains(&"..")).then_some(names)
}

impl<'a> Lower<'a> {
    /// The project that the derivation configures.
    pub(crate) fn project(&self) -> Option<&'a Project> {
        let python = self.nix.builder == NixBuilder::Python;
        self.package.cmake.values().next().filter(|_| !python)
    }

    /// Flags of the compilers as variables of the environment.
    pub(crate) fn compiler_flags(&mut self, env: &mut Vec<Binding>) {
        for edit in self.package.flags.iter().filter(|e| is_said(e)) {
            let mut parts = Vec::new();
            for flag in &edit.flags {
                if !parts.is_empty() {
                    parts.push(Part::Text(" ".into()));
                }
                parts.extend(self.parts(flag));
            }
            for on in &edit.on.0 {
                for name in variables(&on.value) {
                    self.add_flags(env, name, edit, parts.clone());
                }
            }
        }
    }

    /// Adds flags to a variable.
    fn add_flags(&self, env: &mut Vec<Binding>, name: &str, edit: &FlagEdit, mut flags: Vec<Part>) {
        let cond = edit.when.as_ref().map(|w| self.cond(&w.cond));
        let given = |flags: Vec<Part>| NixExpr::given(cond, NixExpr::Str(merge(flags)));
        let own = env.iter_mut().find_map(|b| match &mut b.kind {
            BindingKind::Value(path, value) if path.len() == 1 && path[0] == name => {
                Some((value, &mut b.comment))
            }
            _ => None,
        });
        let Some((value, comment)) = own else {
            env.push(Binding::plain(name, given(flags)).comment(edit.comment.clone()));
            return;
        };
        if comment.is_none() {
            comment.clone_from(&edit.comment);
        }
        let before = std::mem::replace(value, NixExpr::Null);
        flags.insert(0, Part::Text(" ".into()));
        *value = NixExpr::binary(Operator::Plus, before, given(flags));
    }

    /// The folders of the project, where they are not the usual ones: CMake is called in its build folder.
    pub(crate) fn project_folders(&self, b: &mut Vec<Binding>) {
        let Some(project) = self.project() else { return };
        let build = project.build.as_ref().and_then(below).filter(|names| !names.is_empty());
        let source = project.source.as_ref().and_then(below).unwrap_or_default();
        let depth = build.as_ref().map_or(1, Vec::len);
        if let Some(names) = build {
            b.push(Binding::new("cmakeBuildDir", NixExpr::string(names.join("/"))));
        }
        if !source.is_empty() || depth > 1 {
            let path: Vec<&str> = std::iter::repeat_n("..", depth).chain(source).collect();
            b.push(Binding::new("cmakeDir", NixExpr::string(path.join("/"))));
        }
    }

    /// The goals of the one call that builds the project.
    pub(crate) fn goals(&self, b: &mut Vec<Binding>) {
        let goals = self.project().map(|p| p.goals.as_slice()).unwrap_or_default();
        let [goals] = goals else { return };
        let list = NixExpr::list(goals.0.iter().map(|g| NixExpr::string(g.value.clone())));
        // Make's hook tells building from installing.
        let ninja = self.package.generator == Some(Generator::Ninja);
        b.push(Binding::new(if ninja { "ninjaFlags" } else { "buildFlags" }, list).apart());
    }
}
