//! Lowers the CMake arguments of a package to `cmakeFlags`.

use crate::lower::model_text::merge;
use crate::lower::targets::target_default;
use crate::lower::{Element, Lower};
use crate::value::expr::{Item, NixExpr, Operator, Part};
use rocpkg_model::{Argument, ArgumentValue, Compiler, Finding, Project, TargetList};

impl Lower<'_> {
    /// Returns all CMake flags of the package in their order, each with its condition.
    pub(crate) fn cmake_flags(&mut self) -> Vec<Element> {
        let package = self.package;
        let mut flags = Vec::new();
        if package.cmake.len() > 1 {
            let span = self.planned.node.span;
            self.findings.push(
                Finding::error(
                    "E0505",
                    span,
                    format!("{} has several CMake projects", self.attribute),
                )
                .label("a derivation configures only one project")
                .hint("keep one of them for nixpkgs, or make the other one a package"),
            );
        }
        let project = self.project();
        for (name, compiler) in self.told_compilers(project) {
            flags.push((
                None,
                Item::from(cmake_feature(name, NixExpr::string(compiler))),
            ));
        }
        if let Some(project) = project {
            for (name, arguments) in &project.arguments {
                for a in &arguments.0 {
                    self.pass_argument(name, &a.value, a.when.is_some());
                    let value = self.flag(name, a);
                    let cond = a.when.as_ref().map(|w| self.cond(&w.cond));
                    flags.push((
                        cond,
                        Item {
                            value,
                            comment: a.comment.clone(),
                        },
                    ));
                }
            }
        }
        for (name, text) in &self.nix.flags {
            let value = cmake_bool(name, self.native(text));
            flags.push((
                None,
                Item {
                    value,
                    comment: None,
                },
            ));
        }
        let targets = self.target_flags();
        // If the list of targets is passed under a condition, its flag comes before the flags of
        // features.
        let place = if targets.iter().all(|(cond, _)| cond.is_some()) {
            0
        } else {
            flags.len()
        };
        flags.splice(place..place, targets);
        for (i, dir) in self.nix.install_dirs.iter().map(|d| &d.value).enumerate() {
            // CMake's own module keeps these variables unchanged, with and without a type.
            let value = NixExpr::string(format!(
                "-DCMAKE_INSTALL_{}DIR={dir}",
                dir.to_ascii_uppercase()
            ));
            let comment = (i == 0)
                .then(|| "Upstream joins these to the prefix, so they must be relative".to_owned());
            flags.push((None, Item { value, comment }));
        }
        flags
    }

    /// Returns CMake's variables for the compilers with their values, such as `CMAKE_C_COMPILER`
    /// and `hipcc`. A variable that an argument of the project or a flag of the overlay sets is
    /// left out.
    fn told_compilers(&self, project: Option<&Project>) -> Vec<(&'static str, &'static str)> {
        let told = match self.package.compiler {
            Some(Compiler::Hipcc) => ["hipcc", "hipcc"],
            Some(Compiler::Amdclang) => ["amdclang", "amdclang++"],
            Some(Compiler::System | Compiler::Clang) | None => return Vec::new(),
        };
        let Some(project) = project else {
            return Vec::new();
        };
        let all = ["CMAKE_C_COMPILER", "CMAKE_CXX_COMPILER"]
            .into_iter()
            .zip(told);
        all.filter(|(name, _)| {
            !project.arguments.contains_key(*name) && !self.nix.flags.contains_key(*name)
        })
        .collect()
    }

    fn flag(&mut self, name: &str, a: &Argument) -> NixExpr {
        match &a.value {
            ArgumentValue::Bare => NixExpr::string(name),
            ArgumentValue::Bool(b) => cmake_bool(name, NixExpr::Bool(*b)),
            ArgumentValue::When(w) => cmake_bool(name, self.cond(&w.cond)),
            ArgumentValue::Text(t) if name.starts_with('-') => {
                let mut parts = vec![Part::Text(name.to_owned())];
                parts.extend(self.parts(t));
                NixExpr::Str(merge(parts))
            }
            ArgumentValue::Text(t) => cmake_feature(name, self.string(t)),
            ArgumentValue::Choice(w, yes, no) => {
                let (yes, no) = (self.string(yes), self.string(no));
                cmake_feature(name, NixExpr::choice(&self.cond(&w.cond), &yes, &no))
            }
        }
    }

    /// Returns a flag with the list of GPU targets for each variable by which upstream takes
    /// targets, such as `AMDGPU_TARGETS`. A variable that the profile sets or removes itself is
    /// left out.
    fn target_flags(&mut self) -> Vec<Element> {
        let Some(targets) = &self.package.targets else {
            return Vec::new();
        };
        if targets.list == TargetList::None || target_default(self.planned).is_none() {
            return Vec::new();
        }
        let written: Vec<&String> = self
            .package
            .cmake
            .values()
            .flat_map(|p| p.arguments.keys())
            .collect();
        let withheld = |v: &String| {
            self.package
                .cmake
                .keys()
                .any(|project| self.planned.withholds(project, v))
        };
        let asked = |v: &String| !written.contains(&v) && !withheld(v);
        let variables: Vec<String> = targets
            .variable
            .0
            .iter()
            .map(|v| v.value.clone())
            .filter(asked)
            .collect();
        let built = targets.when.as_ref().map(|when| self.cond(&when.cond));
        let cond = NixExpr::join(Operator::And, built.into_iter().chain(self.passed_when()));
        variables
            .iter()
            .map(|v| {
                self.pass_targets(v);
                let value = cmake_feature(v, self.joined_targets());
                (
                    cond.clone(),
                    Item {
                        value,
                        comment: None,
                    },
                )
            })
            .collect()
    }
}

/// Returns the flag for a truth value: `"-DNAME=ON"` for a constant, as in nixpkgs' files for ROCm,
/// and `lib.cmakeBool "NAME" value` for any other value.
fn cmake_bool(name: &str, value: NixExpr) -> NixExpr {
    match value {
        NixExpr::Bool(b) => NixExpr::string(format!("-D{name}={}", if b { "ON" } else { "OFF" })),
        value => NixExpr::call("lib.cmakeBool", [NixExpr::string(name), value]),
    }
}

/// Returns the flag for a text: `"-DNAME=text"`, or `lib.cmakeFeature "NAME" text` if CMake could
/// take the text for a path relative to the build folder. CMake does so for a relative path without
/// a type, if upstream declares a path.
fn cmake_feature(name: &str, value: NixExpr) -> NixExpr {
    let parts = match value {
        NixExpr::Str(parts) if !is_relative_path(name, &parts) => parts,
        value @ (NixExpr::Apply(..) | NixExpr::Select(_, _, None)) => vec![Part::Value(value)],
        value => return NixExpr::call("lib.cmakeFeature", [NixExpr::string(name), value]),
    };
    let mut word = vec![Part::Text(format!("-D{name}="))];
    word.extend(parts);
    NixExpr::Str(merge(word))
}

/// Returns true if the value `parts` of the variable `name` may be a relative path: the value does
/// not begin with `/`, and the name is that of a place (`FOO_DIR`) or the value contains a `/`.
fn is_relative_path(name: &str, parts: &[Part]) -> bool {
    let Some(Part::Text(text)) = parts.first() else {
        return false;
    };
    let is_place = ["DIR", "PATH", "PREFIX", "ROOT"]
        .iter()
        .any(|w| name.to_ascii_uppercase().contains(w));
    !text.starts_with('/') && (is_place || text.contains('/'))
}
