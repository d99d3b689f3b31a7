//! How a derivation builds what others state by folders and goals: attributes that nixpkgs' setup hooks read.

use crate::expr::{Binding, NixExpr};
use crate::lower::Lower;
use crate::package::wants_original;
use rocpkg_model::{Compiler, Generator, NixBuilder, NixStdenv, Piece, Project, Text};
use rocpkg_resolve::Planned;

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
