//! Lowers compilers and source folders to the attributes that nixpkgs' setup hooks read.

use crate::lower::package::wants_original;
use crate::lower::{Lower, is_made_by_python};
use crate::value::expr::{Binding, NixExpr};
use rocpkg_model::{Compiler, NixStdenv, Piece, Project, Text};
use rocpkg_resolve::Planned;

/// Returns the reason why the expression uses another compiler than the model states, or `None` if
/// it uses that compiler.
pub(crate) fn other_compiler(p: &Planned) -> Option<&'static str> {
    if is_made_by_python(p) {
        return Some("Python's builder uses the compiler of nixpkgs");
    }
    let stdenv = p.package.nix.as_ref().and_then(|n| n.stdenv);
    match p.package.compiler? {
        Compiler::System if stdenv == Some(NixStdenv::Scope) => {
            Some("`nix.stdenv` selects the compiler of the scope")
        }
        Compiler::Clang if wants_original(p) => {
            Some("`nix.stdenv` selects the compiler of nixpkgs")
        }
        Compiler::Hipcc | Compiler::Amdclang if p.package.cmake.is_empty() => {
            Some("expected a CMake project, because other builds can't choose the compiler")
        }
        _ => None,
    }
}

/// Returns the names of the folders in a path below the source's folder: `${source}/a/b` -> `a`,
/// `b`. Returns `None` if the text is no such path.
pub(crate) fn below(text: &Text) -> Option<Vec<&str>> {
    let rest = match text.pieces.as_slice() {
        [] => "",
        [Piece::Literal(path)] if !path.starts_with('/') => path,
        [Piece::Reference(r)] if r == "source" => "",
        [Piece::Reference(r), Piece::Literal(path)] if r == "source" => path.strip_prefix('/')?,
        _ => return None,
    };
    let names: Vec<&str> = rest
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    (!names.contains(&"..")).then_some(names)
}

impl<'a> Lower<'a> {
    /// Returns the CMake project that the derivation configures: the first of the package. Returns
    /// `None` if the package has none, or Python's builder makes it.
    pub(crate) fn project(&self) -> Option<&'a Project> {
        self.package
            .cmake
            .values()
            .next()
            .filter(|_| !is_made_by_python(self.planned))
    }

    /// Adds `cmakeDir`, the folder of the CMake project, if it is not the source's folder. The path
    /// is relative to the build folder, in which CMake is called.
    pub(crate) fn project_folder(&self, b: &mut Vec<Binding>) {
        let Some(project) = self.project() else {
            return;
        };
        let source = project.source.as_ref().and_then(below).unwrap_or_default();
        if !source.is_empty() {
            b.push(Binding::new(
                "cmakeDir",
                NixExpr::string(format!("../{}", source.join("/"))),
            ));
        }
    }
}
