//! Converts texts of the model to Nix expressions: shared texts, whose references are replaced
//! here, and Nix text, whose names are checked.
//!
//! References in texts, inside `${…}`:
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

use crate::expr::{Binding, NixExpr, Part, is_identifier, named};
use crate::lower::{Element, Lower, folder_and_file, in_folder};
use crate::open::Found;
use crate::text::{Entered, expression, is_text};
use rocpkg_model::{Finding, NixBindings, NixItem, NixText, Piece, Span, Text};

/// References that mean the same in every package. One that ends with `:` is followed by a name.
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

/// References for hooks only, and references that are not suggested for a misspelt name.
const FURTHER: [&str; 7] = ["name", "out", "source", "build", "jobs", "NIX_STORE", "*"];

/// Returns all references. A part in capitals stands for any name of that kind.
pub fn words() -> Vec<String> {
    let named = |word: &&str| format!("{word}{}", if word.ends_with(':') { "PACKAGE" } else { "" });
    REFERENCES.iter().chain(&FURTHER).map(named).collect()
}

impl Lower<'_> {
    pub(crate) fn is_output(&self, name: &str) -> bool {
        name == "out" || self.outputs.contains_key(name)
    }

    /// Returns the expression for a reference in a value.
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
            format!("`${{{name}}}` means nothing in a Nix expression"),
        )
        .label("expected a reference such as version, prefix, targets, pkg:NAME or an input");
        self.report_nearest(finding, name, &REFERENCES);
        NixExpr::Null
    }

    /// Returns the pieces of a string.
    pub(crate) fn parts(&mut self, text: &Text) -> Vec<Part> {
        let part = |piece: &Piece| match piece {
            Piece::Literal(t) => Part::Text(t.clone()),
            Piece::Reference(r) => Part::Value(self.reference(r, text.span)),
        };
        text.pieces.iter().map(part).collect()
    }

    /// Returns a string in double quotes.
    pub(crate) fn text(&mut self, text: &Text) -> NixExpr {
        NixExpr::Str(self.parts(text))
    }

    /// Returns a text at a place that requires a string. A single reference gets no quotes if its
    /// value is known to be a string.
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

    /// Returns an expression of the model after checking its names.
    pub(crate) fn native(&mut self, text: &NixText) -> NixExpr {
        match expression(&text.text) {
            Ok(read) if self.check(text, &read.found) => return read.value,
            Ok(_) => {}
            Err(fault) => self.findings.push(fault.finding(text)),
        }
        NixExpr::Null
    }

    /// Returns bindings of the model after checking their names.
    pub(crate) fn bound(&mut self, all: &NixBindings) -> Vec<Binding> {
        self.entered(all)
            .into_iter()
            .map(|(binding, _)| binding)
            .collect()
    }

    /// Returns bindings that become names of the file, which must be plain names.
    pub(crate) fn bound_names(&mut self, all: &NixBindings) -> Vec<Binding> {
        let entered = self.entered(all);
        for (binding, span) in &entered {
            for name in binding.names().iter().filter(|name| !is_identifier(name)) {
                self.no_name(
                    name,
                    *span,
                    "letters, digits, `_`, `-` or `'`, and no word of the language",
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
                Err(fault) => self.findings.push(fault.finding(text)),
            }
        }
        out
    }

    /// Reports faults in a text that was read. Returns false if the text contains a construct that
    /// is not allowed, so that the text is not used.
    fn check(&mut self, text: &NixText, found: &Found) -> bool {
        found
            .faults
            .iter()
            .for_each(|fault| self.findings.push(fault.finding(text)));
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
                    format!("`./{file}` would lie beside the scope, not beside the package");
                let label = "expected it in another place than `call-with`";
                self.findings
                    .push(Finding::error("E0511", text.place(*start, *end), message).label(label));
            } else {
                self.companion(file);
            }
        }
        found.faults.is_empty()
    }

    /// Adds a file beside the expression, which the user supplies.
    pub(crate) fn companion(&mut self, file: &str) {
        let path = in_folder(&folder_and_file(self.planned).0, file);
        if !self.companions.contains(&path) {
            self.companions.push(path);
        }
    }

    /// Returns elements with their conditions.
    pub(crate) fn items(&mut self, items: &[NixItem]) -> Vec<Element> {
        let element = |i: &NixItem| {
            let value = self.native(&i.value);
            (i.when.as_ref().map(|w| self.cond(&w.cond)), value.into())
        };
        items.iter().map(element).collect()
    }
}

/// Joins adjacent literals, so that quoting sees which texts touch each other.
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
