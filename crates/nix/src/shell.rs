//! Steps of the model as the shell text of a hook.

use crate::expr::{NixExpr, Operator, Part};
use crate::lower::Lower;
use crate::shell_words::{escaped, indent};
use crate::value::{Meaning, merge};
use rocpkg_model::{Action, ConfigFile, Each, Finding, Piece, Replace, Step, Text};
use rocpkg_shell::{
    Arg, Call, Native, Operation, Place, Tool, batches, glob, operations, refused, without_slash,
};

/// A command longer than this many columns is broken into several lines.
const WIDTH: usize = 100;

/// Hook text under one condition.
struct Group {
    cond: Option<NixExpr>,
    parts: Vec<Part>,
}

impl Lower<'_> {
    /// The steps of a hook as one expression; `None` when there is none.
    pub(crate) fn hook(&mut self, steps: &[Step]) -> Option<NixExpr> {
        let mut groups = Vec::new();
        self.steps(steps, None, &mut groups);
        let texts = groups
            .into_iter()
            .filter(|g: &Group| !g.parts.is_empty())
            .map(|g| NixExpr::given(g.cond, NixExpr::Lines(merge(g.parts))));
        NixExpr::join(Operator::Plus, texts)
    }

    fn steps(&mut self, steps: &[Step], outer: Option<&NixExpr>, groups: &mut Vec<Group>) {
        for batch in batches(steps) {
            let step = &batch[0];
            let own = step.when.as_ref().map(|w| self.cond(&w.cond));
            let cond = both(outer, own.as_ref());
            if let Action::Group(inner) = &step.action {
                // An empty text would leave the phase to stdenv.
                if inner.is_empty() && steps.len() == 1 {
                    push(groups, cond.clone(), vec![Part::Text(":\n".to_owned())]);
                }
                self.steps(inner, cond.as_ref(), groups);
            } else {
                let parts = self.commands(batch);
                push(groups, cond.clone(), parts);
            }
        }
    }

    /// The lines of one step, or of several that become one operation.
    fn commands(&mut self, batch: &[Step]) -> Vec<Part> {
        let step = &batch[0];
        let mut out = Vec::new();
        for line in step.comment.as_deref().unwrap_or_default().trim().lines() {
            out.push(Part::Text(format!("# {}\n", line.trim())));
        }
        for operation in operations(batch, &Tool::usual) {
            let body = self.operation(&operation, step);
            out.extend(body);
        }
        out
    }

    fn operation(&mut self, operation: &Operation<'_>, step: &Step) -> Vec<Part> {
        match operation {
            Operation::Call(call) => self.call(call),
            Operation::Export(name, value) => {
                line([joined([text(format!("export {name}=")), self.word(value, false)])])
            }
            Operation::Local(name, values) => {
                self.shell_names.push((*name).to_owned());
                let array = values.len() != 1;
                let words = spaced(values.iter().map(|v| self.word(v, false)));
                let (open, close) = if array { ("(", ")") } else { ("", "") };
                line([joined([text(format!("{name}={open}")), words, text(close)])])
            }
            Operation::Each(e) => self.each(e),
            Operation::Inside(inside) => {
                let enter = line([text("pushd"), self.word(&inside.folder, false)]);
                joined([enter, self.nested(&inside.steps), text("popd\n")])
            }
            Operation::Group(inner) => self.nested(inner),
            Operation::Replace(all) => self.replace(all),
            Operation::Sed(s) => {
                let mut words = vec![text("sed -i")];
                words.extend(s.scripts.0.iter().flat_map(|script| [text("-e"), self.quoted(script)]));
                words.extend(s.files.0.iter().map(|f| self.word(f, true)));
                line(words)
            }
            Operation::Raw(text) => self.raw(text),
            Operation::Native(native) => self.own_way(native).unwrap_or_else(|| {
                self.findings.push(
                    Finding::error("E0504", step.span, "this step has no counterpart in a Nix hook")
                        .label("expected a step that a hook can run")
                        .hint("a phase of nixpkgs runs the standard step itself; fetch what is needed as a source"),
                );
                Vec::new()
            }),
        }
    }

    fn own_way(&mut self, native: &Native<'_>) -> Option<Vec<Part>> {
        Some(match native {
            Native::Patch(file) => line([text("patch -p1 -i"), self.word(file, false)]),
            Native::Licence(l) => {
                let folder = self.word(&Text::literal(self.attribute.clone()), false);
                let mut to = joined([text("$out/share/licenses/"), folder]);
                match &l.name {
                    Some(name) => to.extend(joined([text("/"), self.word(name, false)])),
                    None => to = spaced([text("-t"), to]),
                }
                line([text("install -Dm644"), self.word(&l.file, false), to])
            }
            Native::ConfigFile(c) => self.config_file(c),
            Native::InstallFile(i) => {
                let mut words = vec![text("install -Dm644")];
                words.extend(i.from.0.iter().map(|f| self.word(f, true)));
                let folder = without_slash(&i.to);
                words.extend(folder.is_some().then(|| text("-t")));
                words.push(self.installed(folder.as_ref().unwrap_or(&i.to)));
                line(words)
            }
            Native::Standard(_) | Native::CherryPick(_) | Native::Wheel(_) => {
                return None;
            }
        })
    }

    /// Raw shell text, in which inputs can be named.
    fn raw(&mut self, text: &Text) -> Vec<Part> {
        // What a reference stands for is a word to the shell.
        let plain: String =
            text.pieces.iter().map(|p| if let Piece::Literal(t) = p { t } else { "x" }).collect();
        if let Some(finding) = refused(&plain, text.span) {
            self.findings.push(finding);
        }
        let mut out = Vec::new();
        for piece in &text.pieces {
            out.push(match piece {
                Piece::Literal(t) => Part::Text(t.clone()),
                Piece::Reference(r) if glob(r).is_some() => {
                    Part::Text(glob(r).unwrap_or_default().to_owned())
                }
                Piece::Reference(r) => match self.meaning(r, text.span) {
                    Meaning::Value(v) | Meaning::Words(v) => Part::Value(v),
                    Meaning::Variable(v) => Part::Text(format!("${v}")),
                    Meaning::Bare(b) => Part::Text(b.to_owned()),
                },
            });
        }
        if !matches!(text.pieces.last(), Some(Piece::Literal(t)) if t.ends_with('\n')) {
            out.push(Part::Text("\n".into()));
        }
        out
    }

    /// Steps inside another one, their conditions being tested when the expression is evaluated.
    fn nested(&mut self, steps: &[Step]) -> Vec<Part> {
        let mut out = Vec::new();
        for batch in batches(steps) {
            let body = self.commands(batch);
            let Some(when) = &batch[0].when else {
                out.extend(body);
                continue;
            };
            let cond = self.cond(&when.cond);
            if !body.is_empty() {
                let value = NixExpr::given(Some(cond), NixExpr::Lines(merge(body)));
                out.extend([Part::Value(value), Part::Text("\n".into())]);
            }
        }
        out
    }

    fn each(&mut self, e: &Each) -> Vec<Part> {
        let items = e.items.iter().map(|i| self.word(i, true));
        let words = std::iter::once(text(format!("for {} in", e.variable.value))).chain(items);
        let mut out = joined([spaced(words), text("; do\n")]);
        self.shell_names.push(e.variable.value.clone());
        let mut body = self.nested(&e.steps);
        // Bash takes no loop without a command, and what stands under a condition may be none.
        if !body.iter().any(is_command) {
            body.push(Part::Text(":\n".into()));
        }
        out.extend(indent(body));
        self.shell_names.pop();
        out.push(Part::Text("done\n".into()));
        out
    }

    /// Lines written through a pipe, each a word of its own; `install` makes the folder.
    fn config_file(&mut self, c: &ConfigFile) -> Vec<Part> {
        let mut out = vec![Part::Text("printf '%s\\n'".into())];
        let gap = if c.lines.len() > 1 { " \\\n  " } else { " " };
        for l in &c.lines {
            out.push(Part::Text(format!("{gap}'")));
            for piece in &l.pieces {
                match piece {
                    Piece::Literal(t) => out.push(Part::Text(t.replace('\'', "'\\''"))),
                    Piece::Reference(r) => {
                        // A line is a word in single quotes, so an output's path comes from Nix, not from the shell.
                        let value = self.reference(r, l.span);
                        if self.is_plain(&value) {
                            out.push(Part::Value(value));
                        } else {
                            out.extend(joined([text("'"), vec![Part::Value(escaped(value))], text("'")]));
                        }
                    }
                }
            }
            out.push(Part::Text("'".into()));
        }
        out.push(Part::Text(format!("{gap}| install -Dm644 /dev/stdin ")));
        out.extend(self.installed(&c.path));
        out.push(Part::Text("\n".into()));
        out
    }

    /// Where a file is installed: a path that begins with `/` stands below the output.
    fn installed(&mut self, path: &Text) -> Vec<Part> {
        let below = matches!(path.pieces.first(), Some(Piece::Literal(l)) if l.starts_with('/'));
        let mut out: Vec<Part> = below.then(|| Part::Text("$out".into())).into_iter().collect();
        out.extend(self.word(path, false));
        out
    }

    /// Texts replaced in the same files by one call.
    fn replace(&mut self, all: &[&Replace]) -> Vec<Part> {
        let files = all.iter().take(1).flat_map(|r| &r.files.0).map(|f| self.word(f, true));
        let mut out = spaced(std::iter::once(text("substituteInPlace")).chain(files));
        for r in all {
            let from = self.quoted(&r.from);
            let to = self.quoted(&r.to);
            let option = if r.may_be_absent { "--replace-quiet" } else { "--replace-fail" };
            out.push(Part::Text(format!(" \\\n  {option} ")));
            let long = option.len() + 1 + columns(&from) + columns(&to) > WIDTH;
            // Only two long texts are set below each other; an empty one stays where it is.
            let apart = long && columns(&to) > WIDTH / 3;
            out.extend(from);
            out.push(Part::Text(if apart { " \\\n  ".into() } else { " ".into() }));
            out.extend(to);
        }
        out.push(Part::Text("\n".into()));
        out
    }

    /// A command; a long one has its options on the first line and each further word on its own.
    fn call(&mut self, call: &Call<'_>) -> Vec<Part> {
        let mut out = Vec::new();
        for (name, value) in call.environment.into_iter().flatten() {
            out.push(Part::Text(format!("{name}=")));
            out.extend(self.word(value, false));
            out.push(Part::Text(" ".into()));
        }
        let words = call.words.iter().map(|w| match w {
            Arg::Own(own) => text(*own),
            Arg::Text(text, place) => self.word(text, *place == Place::Files),
        });
        let words: Vec<Vec<Part>> = words.collect();
        let long = words.iter().map(|w| columns(w) + 1).sum::<usize>() > WIDTH;
        let is_option = |w: &&Vec<Part>| matches!(w.first(), Some(Part::Text(t)) if t.starts_with('-'));
        let head = 1 + words.iter().skip(1).take_while(is_option).count();
        for (i, w) in words.into_iter().enumerate() {
            if i > 0 {
                out.push(Part::Text(if long && i >= head { " \\\n  " } else { " " }.into()));
            }
            out.extend(w);
        }
        if let Some(file) = call.output {
            out.push(Part::Text(" > ".into()));
            out.extend(self.word(file, false));
        }
        out.push(Part::Text(if call.may_fail { " || true\n" } else { "\n" }.into()));
        out
    }
}

/// True for a part that holds a command for sure.
fn is_command(part: &Part) -> bool {
    let Part::Text(text) = part else { return false };
    text.lines().any(|l| !l.trim().is_empty() && !l.trim().starts_with('#'))
}

fn text(text: impl Into<String>) -> Vec<Part> {
    vec![Part::Text(text.into())]
}

fn joined(all: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    all.into_iter().flatten().collect()
}

/// Words with blanks between them.
fn spaced(words: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    let words = words.into_iter().enumerate();
    joined(words.map(|(i, word)| if i > 0 { joined([text(" "), word]) } else { word }))
}

/// A line of these words.
fn line(words: impl IntoIterator<Item = Vec<Part>>) -> Vec<Part> {
    joined([spaced(words), text("\n")])
}

fn both(a: Option<&NixExpr>, b: Option<&NixExpr>) -> Option<NixExpr> {
    match (a, b) {
        (Some(a), Some(b)) => Some(NixExpr::binary(Operator::And, a.clone(), b.clone())),
        (a, b) => a.or(b).cloned(),
    }
}

fn push(groups: &mut Vec<Group>, cond: Option<NixExpr>, parts: Vec<Part>) {
    match groups.last_mut() {
        Some(g) if g.cond == cond => {
            // A step that is explained stands apart.
            if matches!(parts.first(), Some(Part::Text(t)) if t.starts_with('#')) {
                g.parts.push(Part::Text("\n".into()));
            }
            g.parts.extend(parts);
        }
        _ => groups.push(Group { cond, parts }),
    }
}

/// About how wide the text is when printed.
fn columns(parts: &[Part]) -> usize {
    parts
        .iter()
        .map(|p| match p {
            Part::Text(t) => t.chars().count(),
            Part::Value(v) => v.to_string().chars().count() + 3,
        })
        .sum()
}
