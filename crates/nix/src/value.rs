//! Texts and values of the model as Nix expressions.
//!
//! References in texts, inside `${…}`:
//!
//! | name | in a value | in a hook |
//! | --- | --- | --- |
//! | `version`, `name` | `finalAttrs.version`, `finalAttrs.pname` | the same |
//! | `prefix`, `out`, any output | `placeholder "out"` | `$out` |
//! | `targets` | the joined target list | the same |
//! | `jobs` | - | `$NIX_BUILD_CORES` |
//! | `source`, `build` | - | the source folder, the build folder |
//! | `pkg:NAME` | the dependency's attribute, by its neutral name | the same |
//! | `lib.getDev:NAME`, `lib.getBin:NAME`, `lib.getLib:NAME` | that output of an input | the same |
//! | `lib.getExe:NAME`, `lib.getExe:NAME:PROGRAM` | its main, or another program | the same |
//! | `*` | - | the pattern star, not quoted |
//! | a variable of `each` or `local` | - | that variable |
//! | an input, binding or argument, with attributes | itself | the same |

use crate::expr::{Binding, Item, NixExpr, Operator, Part, Pattern};
use crate::lower::{Lower, conditional_list};
use rocpkg_model::{Finding, NixItem, NixValue, Piece, Span, Spanned, Text};

/// What a reference stands for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Meaning {
    /// A Nix expression.
    Value(NixExpr),
    /// A variable of the shell.
    Variable(String),
    /// Shell text that needs no quotes.
    Bare(&'static str),
}

impl Lower<'_> {
    /// What the reference means in a hook.
    pub(crate) fn meaning(&mut self, name: &str, span: Span) -> Meaning {
        if self.shell_names.iter().any(|n| n == name) || self.is_output(name) {
            return Meaning::Variable(name.to_owned());
        }
        match name {
            "prefix" => Meaning::Variable("out".into()),
            "jobs" => Meaning::Variable("NIX_BUILD_CORES".into()),
            "*" => Meaning::Bare("*"),
            "source" => Meaning::Bare("$NIX_BUILD_TOP/$sourceRoot"),
            "build" => Meaning::Bare("."),
            _ => Meaning::Value(self.reference(name, span)),
        }
    }

    fn is_output(&self, name: &str) -> bool {
        name == "out" || self.nix.outputs.contains_key(name)
    }

    /// What the reference means in a value.
    pub(crate) fn reference(&mut self, name: &str, span: Span) -> NixExpr {
        if name == "prefix" || self.is_output(name) {
            let output = if name == "prefix" { "out" } else { name };
            return NixExpr::call(NixExpr::Name("placeholder".into()), [NixExpr::string(output)]);
        }
        match name.split_once(':') {
            None if name == "version" => NixExpr::path("finalAttrs.version"),
            None if name == "name" => NixExpr::path("finalAttrs.pname"),
            None if name == "targets" => self.joined_targets(),
            None => self.name(name, span),
            Some(("pkg", neutral)) => match self.input(neutral) {
                Some(spelt) => self.name(&spelt, span),
                None => self.name(neutral, span),
            },
            Some((function @ ("lib.getDev" | "lib.getBin" | "lib.getLib" | "lib.getExe"), rest)) => {
                let (input, program) = rest.split_once(':').map_or((rest, None), |(i, p)| (i, Some(p)));
                let input = self.name(input, span);
                match program {
                    Some(p) if function == "lib.getExe" => {
                        NixExpr::call(NixExpr::path("lib.getExe'"), [input, NixExpr::string(p)])
                    }
                    Some(_) => self.unknown(name, span),
                    None => NixExpr::call(NixExpr::path(function), [input]),
                }
            }
            Some(_) => self.unknown(name, span),
        }
    }

    fn unknown(&mut self, name: &str, span: Span) -> NixExpr {
        let known: Vec<&str> = [
            "version",
            "prefix",
            "targets",
            "pkg:",
            "lib.getDev:",
            "lib.getBin:",
            "lib.getLib:",
            "lib.getExe:",
        ]
        .into_iter()
        .chain(self.known_names())
        .collect();
        let finding =
            Finding::error("E0501", span, format!("`${{{name}}}` means nothing in a Nix expression"))
                .label("expected a reference such as version, prefix, targets, pkg:NAME or an input")
                .nearest(name, known);
        self.findings.push(finding);
        NixExpr::Null
    }

    /// The pieces of a string.
    pub(crate) fn parts(&mut self, text: &Text) -> Vec<Part> {
        text.pieces
            .iter()
            .map(|p| match p {
                Piece::Literal(t) => Part::Text(t.clone()),
                Piece::Reference(r) => Part::Value(self.reference(r, text.span)),
            })
            .collect()
    }

    /// A string in double quotes.
    pub(crate) fn text(&mut self, text: &Text) -> NixExpr {
        NixExpr::Str(self.parts(text))
    }

    /// A text where only a string will do: a reference alone loses its quotes when it is known to be one.
    pub(crate) fn string(&mut self, text: &Text) -> NixExpr {
        let [Piece::Reference(r)] = text.pieces.as_slice() else { return self.text(text) };
        let value = self.reference(r, text.span);
        let is_string = match &value {
            NixExpr::Apply(..) => true,
            NixExpr::Select(base, ..) => **base == NixExpr::Name("finalAttrs".into()),
            NixExpr::Name(n) => self.nix.bindings.get(n).is_some_and(|b| is_text(&b.value)),
            _ => false,
        };
        if is_string { value } else { NixExpr::Str(vec![Part::Value(value)]) }
    }

    /// A text as an expression: a reference alone stands for itself.
    fn text_value(&mut self, text: &Text) -> NixExpr {
        match text.pieces.as_slice() {
            [Piece::Reference(r)] => self.reference(r, text.span),
            _ => self.text(text),
        }
    }

    /// A value; a text that is one reference stands for what it refers to.
    pub(crate) fn value(&mut self, value: &NixValue) -> NixExpr {
        match value {
            NixValue::Text(t) => self.text_value(t),
            NixValue::Bool(b) => NixExpr::Bool(*b),
            NixValue::Int(n) => NixExpr::Int(*n),
            NixValue::List(items) => {
                let items = self.items(items);
                conditional_list(items).unwrap_or_else(|| NixExpr::list([]))
            }
            NixValue::Set(inherits, entries) => {
                let mut bindings = Vec::new();
                for (from, names) in inherits {
                    let span = names.first().map(|n| n.span).unwrap_or_default();
                    let from = (!from.is_empty()).then(|| self.name(from, span));
                    if from.is_none() {
                        for n in names {
                            self.name(&n.value, n.span);
                        }
                    }
                    let names: Vec<&str> = names.iter().map(|n| n.value.as_str()).collect();
                    bindings.push(Binding::inherit(from, &names));
                }
                for (key, v) in entries {
                    let v = self.value(v);
                    bindings.push(Binding::new(key, v));
                }
                NixExpr::set(bindings)
            }
            NixValue::Name(name, default) => {
                let base = self.name(&name.value, name.span);
                match default {
                    Some(d) => {
                        let d = self.value(d);
                        base.or(d)
                    }
                    None => base,
                }
            }
            NixValue::Function(arguments, body) => {
                let new: Vec<&str> =
                    arguments.iter().map(|a| a.value.as_str()).filter(|a| !self.knows(a)).collect();
                for n in &new {
                    self.learn(n);
                }
                let body = self.value(body);
                for n in &new {
                    self.forget(n);
                }
                arguments
                    .iter()
                    .rev()
                    .fold(body, |body, a| NixExpr::Lambda(Pattern::Name(self.bound(a)), Box::new(body)))
            }
            NixValue::Call(function, arguments) => {
                let f = if matches!(
                    function.value.as_str(),
                    "import" | "throw" | "placeholder" | "toString" | "map"
                ) {
                    NixExpr::Name(function.value.clone())
                } else {
                    self.name(&function.value, function.span)
                };
                let arguments: Vec<NixExpr> = arguments.iter().map(|a| self.value(a)).collect();
                NixExpr::call(f, arguments)
            }
            NixValue::If(c, t, e) => {
                let (c, t, e) = (self.value(c), self.value(t), self.value(e));
                NixExpr::If(Box::new(c), Box::new(t), Box::new(e))
            }
            NixValue::Choose(when, t, e) => {
                let (t, e) = (self.value(t), self.value(e));
                let cond = self.cond(&when.cond);
                if e == NixExpr::string("") {
                    NixExpr::call(NixExpr::path("lib.optionalString"), [cond, t])
                } else {
                    NixExpr::If(Box::new(cond), Box::new(t), Box::new(e))
                }
            }
            NixValue::Cond(when) => self.cond(&when.cond),
            NixValue::Not(v) => NixExpr::Not(Box::new(self.value(v))),
            NixValue::Path(p) => {
                self.companion(&p.value);
                NixExpr::Path(p.value.clone())
            }
            NixValue::Lines(lines) => {
                let mut parts = Vec::new();
                for l in lines {
                    parts.extend(self.parts(l));
                    parts.push(Part::Text("\n".into()));
                }
                NixExpr::Lines(merge(parts))
            }
            NixValue::Join(operator, values) => {
                let op = self.operator(operator);
                let values: Vec<NixExpr> = values.iter().map(|v| self.value(v)).collect();
                NixExpr::join(op, values).unwrap_or(NixExpr::Null)
            }
            NixValue::Targets(which) => self.target_list(which),
        }
    }

    /// The name of a function's argument, checked.
    fn bound(&mut self, name: &Spanned<String>) -> String {
        if !crate::expr::is_identifier(&name.value) {
            self.findings.push(
                Finding::error("E0509", name.span, format!("`{}` can't be a name", name.value))
                    .label("expected letters, digits, `_`, `-` or `'`, and no word of the language"),
            );
        }
        name.value.clone()
    }

    fn operator(&mut self, word: &Spanned<String>) -> Operator {
        const ALL: [(&str, Operator); 7] = [
            ("+", Operator::Plus),
            ("++", Operator::Concat),
            ("//", Operator::Update),
            ("==", Operator::Equal),
            ("!=", Operator::Differs),
            ("&&", Operator::And),
            ("||", Operator::Or),
        ];
        if let Some((_, op)) = ALL.iter().find(|(w, _)| *w == word.value) {
            return *op;
        }
        self.findings.push(
            Finding::error("E0503", word.span, format!("`{}` joins no Nix values", word.value))
                .label("expected one of: + ++ // == != && ||"),
        );
        Operator::Plus
    }

    /// A file beside the expression, which somebody else supplies.
    pub(crate) fn companion(&mut self, file: &str) {
        let path = format!("{}/{file}", self.attribute);
        if !self.companions.contains(&path) {
            self.companions.push(path);
        }
    }

    /// Elements with their conditions.
    pub(crate) fn items(&mut self, items: &[NixItem]) -> Vec<(Option<NixExpr>, Item)> {
        items
            .iter()
            .map(|i| {
                let value = self.value(&i.value);
                let cond = i.when.as_ref().map(|w| self.cond(&w.cond));
                (cond, Item { value, comment: i.comment.clone() })
            })
            .collect()
    }
}

/// True when the value is a string whatever it refers to.
fn is_text(value: &NixValue) -> bool {
    match value {
        NixValue::Text(t) => !matches!(t.pieces.as_slice(), [Piece::Reference(_)]),
        NixValue::Choose(_, t, e) | NixValue::If(_, t, e) => is_text(t) && is_text(e),
        _ => false,
    }
}

/// Joins neighbouring literals, so that quoting sees what stands next to what.
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
