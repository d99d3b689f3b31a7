//! Converts texts of the model to Nix expressions. There are two kinds of texts. In a text that any
//! distribution could read, such as a step or a CMake argument, references `${…}` are replaced. In
//! a Nix text of the overlay, the names are checked.
//!
//! References in texts of the first kind. A value is an attribute of the derivation, and a hook is
//! bash such as `postInstall`. The name is inside `${…}`:
//!
//! | name | in a value | in a hook |
//! | --- | --- | --- |
//! | `version`, `name` | `finalAttrs.version`, `finalAttrs.pname` | the same |
//! | `prefix`, `out`, any output | `placeholder "out"` | `$out` |
//! | `targets` | the joined target list | the same |
//! | `jobs` | - | `$NIX_BUILD_CORES` |
//! | `NIX_STORE` | - | `$NIX_STORE` |
//! | `env:NAME` | - | `$NAME`, a variable as the environment has it |
//! | `source`, `build` | - | the source folder, the build folder |
//! | `pkg:NAME` | the dependency's attribute, by its neutral name | the same |
//! | `lib.getDev:NAME`, `lib.getBin:NAME`, `lib.getLib:NAME` | that output of an input | the same |
//! | `lib.getExe:NAME`, `lib.getExe:NAME:PROGRAM` | its main, or another program | the same |
//! | `split:NAME` | - | a binding or argument of the package, split into words by the shell |
//! | `lib.attrValues:NAME` | - | the values of a set of paths, one after the other |
//! | `*` | - | the pattern star, not quoted |
//! | a variable of `each` or `local` | - | that variable |
//! | an input, binding or argument, with attributes | itself | the same |

use crate::lower::{Element, Lower, folder_and_file, in_folder};
use crate::value::expr::{Binding, NixExpr, Part, is_identifier, named};
use crate::value::open;
use crate::value::open::Found;
use crate::value::text::{Entered, expression, is_text};
use rocpkg_model::{Finding, NixBindings, NixItem, NixText, Piece, Span, Text};

/// References that have the same meaning in every package. A reference that ends with `:` is
/// followed by a name.
const REFERENCES: [&str; 9] = [
    "version",
    "prefix",
    "targets",
    "pkg:",
    "lib.getDev:",
    "lib.getBin:",
    "lib.getLib:",
    "lib.getExe:",
    "lib.makeLibraryPath:",
];

/// References for hooks only, and names that are not suggested for a misspelt reference.
const FURTHER: [&str; 7] = ["name", "out", "source", "build", "jobs", "NIX_STORE", "*"];

/// Returns all references that texts for nixpkgs may contain. A part in capitals stands for any
/// name of that kind: `pkg:PACKAGE`.
pub(crate) fn words() -> Vec<String> {
    let named = |word: &&str| format!("{word}{}", if word.ends_with(':') { "PACKAGE" } else { "" });
    REFERENCES.iter().chain(&FURTHER).map(named).collect()
}

impl Lower<'_> {
    pub(crate) fn is_output(&self, name: &str) -> bool {
        name == "out" || self.outputs.contains_key(name)
    }

    /// Returns the expression for the reference `${name}` in a value. An unknown reference is
    /// reported at `span`.
    pub(crate) fn reference(&mut self, name: &str, span: Span) -> NixExpr {
        if name == "prefix" || self.is_output(name) {
            let output = if name == "prefix" { "out" } else { name };
            return NixExpr::call("placeholder", [NixExpr::string(output)]);
        }
        match name.split_once(':') {
            None if name == "version" => named("finalAttrs.version"),
            None if name == "name" => named("finalAttrs.pname"),
            None if name == "targets" => self.joined_targets(),
            None => self.name(name, span),
            Some(("pkg", neutral)) => {
                let spelt = self.tables.input(neutral).unwrap_or(neutral);
                self.name(spelt, span)
            }
            Some((
                function @ ("lib.getDev" | "lib.getBin" | "lib.getLib" | "lib.getExe"),
                rest,
            )) => {
                let (input, program) = rest
                    .split_once(':')
                    .map_or((rest, None), |(i, p)| (i, Some(p)));
                let input = self.name(input, span);
                match program {
                    Some(p) if function == "lib.getExe" => {
                        NixExpr::call("lib.getExe'", [input, NixExpr::string(p)])
                    }
                    Some(_) => self.unknown(name, span),
                    None => NixExpr::call(function, [input]),
                }
            }
            // The list can be an attribute such as `finalAttrs.buildInputs`, or a single input.
            Some((function @ "lib.makeLibraryPath", list)) => {
                let is_input = self.is_planned(list) || self.tables.is_external(list);
                let list = self.name(list, span);
                let list = if is_input {
                    NixExpr::list([list])
                } else {
                    list
                };
                NixExpr::call(function, [list])
            }
            Some(_) => self.unknown(name, span),
        }
    }

    fn unknown(&mut self, name: &str, span: Span) -> NixExpr {
        let finding = Finding::error(
            "E0501",
            span,
            format!("a Nix expression has no reference `${{{name}}}` here"),
        )
        .label("expected a reference such as version, prefix, targets, pkg:NAME or an input");
        self.report_nearest(finding, name, &REFERENCES);
        NixExpr::Null
    }

    /// Returns the pieces of the string that a text becomes, with its references replaced.
    pub(crate) fn parts(&mut self, text: &Text) -> Vec<Part> {
        let part = |piece: &Piece| match piece {
            Piece::Literal(t) => Part::Text(t.clone()),
            Piece::Reference(r) => Part::Value(self.reference(r, text.span)),
        };
        text.pieces.iter().map(part).collect()
    }

    /// Returns a text as a string in double quotes, with its references replaced.
    pub(crate) fn text(&mut self, text: &Text) -> NixExpr {
        NixExpr::Str(self.parts(text))
    }

    /// Returns the expression for a text where a string is required. A text that is only one
    /// reference needs no quotes if its value is known to be a string: `${version}` ->
    /// `finalAttrs.version`.
    pub(crate) fn string(&mut self, text: &Text) -> NixExpr {
        let [Piece::Reference(r)] = text.pieces.as_slice() else {
            return self.text(text);
        };
        let value = self.reference(r, text.span);
        let is_string = match &value {
            NixExpr::Apply(..) => true,
            NixExpr::Select(base, ..) => **base == named("finalAttrs"),
            NixExpr::Name(n) => self
                .own
                .get(n)
                .is_some_and(|value| value.as_ref().is_some_and(is_text)),
            _ => false,
        };
        if is_string {
            value
        } else {
            NixExpr::Str(vec![Part::Value(value)])
        }
    }

    /// Returns the expression in a Nix text of the overlay. Unknown names and other faults are
    /// reported. A text that can't be used becomes `null`.
    pub(crate) fn native(&mut self, text: &NixText) -> NixExpr {
        match expression(&text.text) {
            Ok(read) if self.check(text, &read.found) => return read.value,
            Ok(_) => {}
            Err(fault) => self.findings.push(open::finding(&fault, text)),
        }
        NixExpr::Null
    }

    /// Returns the bindings in Nix texts of the overlay. Unknown names and other faults are
    /// reported.
    pub(crate) fn bound(&mut self, all: &NixBindings) -> Vec<Binding> {
        self.entered(all)
            .into_iter()
            .map(|(binding, _)| binding)
            .collect()
    }

    /// Returns bindings in Nix texts of the overlay that become variables or arguments of the file.
    /// A name that would need quotes is reported.
    pub(crate) fn bound_names(&mut self, all: &NixBindings) -> Vec<Binding> {
        let entered = self.entered(all);
        for (binding, span) in &entered {
            for name in binding.names().iter().filter(|name| !is_identifier(name)) {
                self.no_name(
                    name,
                    *span,
                    "letters, digits, `_`, `-` or `'`, and no keyword of Nix",
                );
            }
        }
        entered.into_iter().map(|(binding, _)| binding).collect()
    }

    fn entered(&mut self, all: &NixBindings) -> Vec<(Binding, Span)> {
        let mut out = Vec::new();
        for text in &all.0 {
            match &*self.tables.bindings(&text.text) {
                Ok(read) if self.check(text, &read.found) => {
                    let placed = |e: &Entered| (e.binding.clone(), text.place(e.start, e.end));
                    out.extend(read.value.iter().map(placed));
                }
                Ok(_) => {}
                Err(fault) => self.findings.push(open::finding(fault, text)),
            }
        }
        out
    }

    /// Reports unknown names and other faults in a Nix text. `found` is the result of reading it.
    /// Returns false if the text contains a construct that is not allowed, so that the text can't
    /// be used.
    fn check(&mut self, text: &NixText, found: &Found) -> bool {
        found
            .faults
            .iter()
            .for_each(|fault| self.findings.push(open::finding(fault, text)));
        for u in &found.uses {
            let span = text.place(u.start, u.end);
            if self.fixed.contains_key(&u.name) && !self.in_scope {
                self.fixed_used.insert(u.name.clone());
            } else {
                self.name(&u.dotted, span);
            }
        }
        for (file, start, end) in &found.files {
            if self.in_scope {
                let message =
                    format!("`./{file}` would be relative to the scope, not to the package");
                let label = "expected the path outside of `call-with`";
                self.findings
                    .push(Finding::error("E0511", text.place(*start, *end), message).label(label));
            } else {
                self.companion(file);
            }
        }
        found.faults.is_empty()
    }

    /// Records a file beside the expression that the user must supply, such as a patch.
    pub(crate) fn companion(&mut self, file: &str) {
        let path = in_folder(&folder_and_file(self.planned).0, file);
        if !self.companions.contains(&path) {
            self.companions.push(path);
        }
    }

    /// Returns the elements of a list in the overlay, each with its condition.
    pub(crate) fn items(&mut self, items: &[NixItem]) -> Vec<Element> {
        let element = |i: &NixItem| {
            let value = self.native(&i.value);
            (i.when.as_ref().map(|w| self.cond(&w.cond)), value.into())
        };
        items.iter().map(element).collect()
    }
}

/// Returns the parts of a string with adjacent literals joined to one, so that quoting sees which
/// texts touch each other.
pub(crate) fn merge(parts: Vec<Part>) -> Vec<Part> {
    let mut out: Vec<Part> = Vec::new();
    for p in parts {
        match (out.last_mut(), p) {
            (Some(Part::Text(a)), Part::Text(b)) => a.push_str(&b),
            (_, p) => out.push(p),
        }
    }
    out
}
