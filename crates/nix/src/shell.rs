//! Steps of the model as the shell text of a hook.

use crate::expr::{NixExpr, Operator, Part};
use crate::lower::Lower;
use crate::value::{Meaning, merge};
use rocpkg_model::{Action, ConfigFile, Each, Finding, FromTo, Piece, Replace, Step, Text};

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
        let texts = groups.into_iter().filter(|g: &Group| !g.parts.is_empty()).map(|g| {
            let text = NixExpr::Lines(merge(g.parts));
            match g.cond {
                None => text,
                Some(c) => NixExpr::call(NixExpr::path("lib.optionalString"), [c, text]),
            }
        });
        NixExpr::join(Operator::Plus, texts)
    }

    fn steps(&mut self, steps: &[Step], outer: Option<&NixExpr>, groups: &mut Vec<Group>) {
        let mut i = 0;
        while i < steps.len() {
            let step = &steps[i];
            let own = step.when.as_ref().map(|w| self.cond(&w.cond));
            let cond = both(outer, own.as_ref());
            if let Action::Group(inner) = &step.action {
                self.steps(inner, cond.as_ref(), groups);
            } else {
                // Replacements in the same files become one call.
                let mut together = vec![step];
                if let Action::Replace(r) = &step.action {
                    while let Some(next) = steps.get(i + together.len()) {
                        match &next.action {
                            Action::Replace(n)
                                if same_files(n, r)
                                    && next.when.as_ref().map(|w| &w.cond)
                                        == step.when.as_ref().map(|w| &w.cond)
                                    && next.comment.is_none()
                                    && next.otherwise.is_empty() =>
                            {
                                together.push(next);
                            }
                            _ => break,
                        }
                    }
                }
                let parts = self.commands(&together);
                push(groups, cond.clone(), parts);
                i += together.len() - 1;
            }
            if !step.otherwise.is_empty() {
                let not = step.when.as_ref().map(|w| NixExpr::Not(Box::new(self.cond(&w.cond))));
                let cond = both(outer, not.as_ref());
                self.steps(&step.otherwise, cond.as_ref(), groups);
            }
            i += 1;
        }
    }

    /// The lines of one step, or of several replacements in the same files.
    fn commands(&mut self, steps: &[&Step]) -> Vec<Part> {
        let step = steps[0];
        let mut out = Vec::new();
        for line in step.comment.as_deref().unwrap_or_default().trim().lines() {
            out.push(Part::Text(format!("# {}\n", line.trim())));
        }
        let raw = matches!(step.action, Action::Raw(_));
        let body = match &step.action {
            Action::Replace(first) => {
                let all: Vec<&Replace> = steps
                    .iter()
                    .filter_map(|s| if let Action::Replace(r) = &s.action { Some(r) } else { None })
                    .collect();
                self.replace(first, &all)
            }
            other => self.action(other, step),
        };
        if raw {
            let lines = body.iter().map(|p| if let Part::Text(t) = p { t.matches('\n').count() } else { 0 });
            self.raw_lines += lines.sum::<usize>();
        }
        out.extend(body);
        out
    }

    fn action(&mut self, action: &Action, step: &Step) -> Vec<Part> {
        match action {
            Action::Run(words) => self.command(words),
            Action::RunWith(r) => {
                let mut line = Vec::new();
                for (k, v) in &r.environment {
                    line.push(Part::Text(format!("{k}=")));
                    line.extend(self.word(v, false));
                    line.push(Part::Text(" ".into()));
                }
                line.extend(self.words(&r.command));
                if let Some(o) = &r.output {
                    line.push(Part::Text(" > ".into()));
                    line.extend(self.word(o, false));
                }
                line.push(Part::Text(if r.may_fail { " || true\n" } else { "\n" }.into()));
                line
            }
            Action::Replace(r) => self.replace(r, &[r]),
            Action::Sed(s) => {
                let mut words: Vec<Part> =
                    vec![Part::Text(if s.extended { "sed -i -E" } else { "sed -i" }.into())];
                for script in &s.scripts.0 {
                    words.push(Part::Text(" -e ".into()));
                    words.extend(self.quoted(script));
                }
                for f in &s.files.0 {
                    words.push(Part::Text(" ".into()));
                    words.extend(self.word(f, true));
                }
                words.push(Part::Text("\n".into()));
                words
            }
            Action::Patch(p) => self.line("patch -p1 -i ", &[p], false),
            Action::Move(m) => self.transfer("mv", m),
            Action::Copy(m) => self.transfer("cp -r", m),
            Action::Symlink(m) => self.transfer("ln -s", m),
            Action::Remove(files) => self.line("rm -r ", &files.iter().collect::<Vec<_>>(), true),
            Action::MakeFolder(folders) => self.line("mkdir -p ", &folders.iter().collect::<Vec<_>>(), true),
            Action::Licence(l) => {
                let mut out = vec![Part::Text("install -Dm644 ".into())];
                out.extend(self.word(&l.file, false));
                out.push(Part::Text(" -t $out/share/licenses/".into()));
                out.push(Part::Text(format!("{}\n", self.attribute)));
                out
            }
            Action::ConfigFile(c) => self.config_file(c),
            Action::Enter(folder) => self.line("cd ", &[folder], false),
            Action::Inside(inside) => {
                let mut out = self.line("pushd ", &[&inside.folder], false);
                for s in &inside.steps {
                    out.extend(self.nested(s));
                }
                out.push(Part::Text("popd\n".into()));
                out
            }
            Action::Export(variables) => {
                let mut out = Vec::new();
                for (k, v) in variables {
                    out.push(Part::Text(format!("export {k}=")));
                    out.extend(self.word(v, false));
                    out.push(Part::Text("\n".into()));
                }
                out
            }
            Action::Local(variables) => {
                let mut out = Vec::new();
                for (k, v) in variables {
                    self.shell_names.push(k.clone());
                    if let [one] = v.0.as_slice() {
                        out.push(Part::Text(format!("{k}=")));
                        out.extend(self.word(one, false));
                    } else {
                        out.push(Part::Text(format!("{k}=(")));
                        for (i, one) in v.0.iter().enumerate() {
                            out.push(Part::Text(if i > 0 { " " } else { "" }.into()));
                            out.extend(self.word(one, false));
                        }
                        out.push(Part::Text(")".into()));
                    }
                    out.push(Part::Text("\n".into()));
                }
                out
            }
            Action::Each(e) => self.each(e),
            Action::Raw(text) => {
                // Raw shell text is a Text as well, so that inputs can be named in it.
                let read =
                    Text::parse(&text.value, text.span).unwrap_or_else(|_| Text::literal(text.value.clone()));
                let mut out = Vec::new();
                for piece in &read.pieces {
                    match piece {
                        Piece::Literal(t) => out.push(Part::Text(t.clone())),
                        Piece::Reference(r) => out.push(match self.meaning(r, text.span) {
                            Meaning::Value(v) => Part::Value(v),
                            Meaning::Variable(v) => Part::Text(format!("${v}")),
                            Meaning::Bare(b) => Part::Text(b.to_owned()),
                        }),
                    }
                }
                if !text.value.ends_with('\n') {
                    out.push(Part::Text("\n".into()));
                }
                out
            }
            Action::Group(inner) => inner.iter().flat_map(|s| self.nested(s)).collect(),
            Action::Standard(_) | Action::CherryPick(_) | Action::Submodule(_) | Action::Wheel(_) => {
                self.findings.push(
                    Finding::error("E0504", step.span, "this step has no counterpart in a Nix hook")
                        .label("expected a step that a hook can run")
                        .hint("a phase of nixpkgs runs the standard step itself; fetch what is needed as a source"),
                );
                Vec::new()
            }
        }
    }

    /// A step inside another one, its condition being tested when the expression is evaluated.
    fn nested(&mut self, step: &Step) -> Vec<Part> {
        let body = self.commands(&[step]);
        match &step.when {
            None => body,
            Some(w) => {
                let text = NixExpr::Lines(merge(body));
                let value = NixExpr::call(NixExpr::path("lib.optionalString"), [self.cond(&w.cond), text]);
                vec![Part::Value(value), Part::Text("\n".into())]
            }
        }
    }

    fn each(&mut self, e: &Each) -> Vec<Part> {
        let mut out = vec![Part::Text(format!("for {} in", e.variable.value))];
        for i in &e.items {
            out.push(Part::Text(" ".into()));
            out.extend(self.word(i, true));
        }
        out.push(Part::Text("; do\n".into()));
        self.shell_names.push(e.variable.value.clone());
        for s in &e.steps {
            let body = self.nested(s);
            out.extend(indent(body));
        }
        self.shell_names.pop();
        out.push(Part::Text("done\n".into()));
        out
    }

    fn config_file(&mut self, c: &ConfigFile) -> Vec<Part> {
        let mut out = vec![Part::Text("echo '\n".into())];
        for (i, l) in c.lines.iter().enumerate() {
            if i > 0 {
                out.push(Part::Text("\n".into()));
            }
            for piece in &l.pieces {
                match piece {
                    Piece::Literal(t) => out.push(Part::Text(t.replace('\'', "'\\''"))),
                    Piece::Reference(r) => {
                        // The text is one single-quoted word, so an output's path comes from Nix, not from the shell.
                        let value = self.reference(r, l.span);
                        out.push(Part::Value(value));
                    }
                }
            }
        }
        out.push(Part::Text("' > ".into()));
        out.extend(self.word(&c.path, false));
        out.push(Part::Text("\n".into()));
        out
    }

    fn transfer(&mut self, command: &str, m: &FromTo) -> Vec<Part> {
        let mut out = vec![Part::Text(format!("{command} "))];
        for f in &m.from.0 {
            out.extend(self.word(f, true));
            out.push(Part::Text(" ".into()));
        }
        out.extend(self.word(&m.to, false));
        out.push(Part::Text("\n".into()));
        out
    }

    fn line(&mut self, start: &str, words: &[&Text], patterns: bool) -> Vec<Part> {
        let mut out = vec![Part::Text(start.to_owned())];
        for (i, w) in words.iter().enumerate() {
            if i > 0 {
                out.push(Part::Text(" ".into()));
            }
            out.extend(self.word(w, patterns));
        }
        out.push(Part::Text("\n".into()));
        out
    }

    fn replace(&mut self, first: &Replace, all: &[&Replace]) -> Vec<Part> {
        let mut out = vec![Part::Text("substituteInPlace".into())];
        for f in &first.files.0 {
            out.push(Part::Text(" ".into()));
            out.extend(self.word(f, true));
        }
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

    fn words(&mut self, words: &[Text]) -> Vec<Part> {
        let mut out = Vec::new();
        for (i, w) in words.iter().enumerate() {
            if i > 0 {
                out.push(Part::Text(" ".into()));
            }
            out.extend(self.word(w, false));
        }
        out
    }

    /// A command; a long one has its options on the first line and each further word on its own.
    fn command(&mut self, words: &[Text]) -> Vec<Part> {
        let words: Vec<Vec<Part>> = words.iter().map(|w| self.word(w, false)).collect();
        let long = words.iter().map(|w| columns(w) + 1).sum::<usize>() > WIDTH;
        let head = 1 + words
            .iter()
            .skip(1)
            .take_while(|w| matches!(w.first(), Some(Part::Text(t)) if t.starts_with('-')))
            .count();
        let mut out = Vec::new();
        for (i, w) in words.into_iter().enumerate() {
            if i > 0 {
                out.push(Part::Text(if long && i >= head { " \\\n  " } else { " " }.into()));
            }
            out.extend(w);
        }
        out.push(Part::Text("\n".into()));
        out
    }

    /// A word of the shell, quoted only when it must be; `patterns` leaves `*`, `?` and braces alive.
    pub(crate) fn word(&mut self, text: &Text, patterns: bool) -> Vec<Part> {
        let safe = |t: &str| {
            t.chars().all(|c| {
                c.is_ascii_alphanumeric() || "_-./+=:,@%^".contains(c) || (patterns && "*?{}[]".contains(c))
            })
        };
        let bare = !text.pieces.is_empty()
            && text.pieces.iter().all(|p| match p {
                Piece::Literal(t) => !t.is_empty() && safe(t),
                Piece::Reference(_) => true,
            });
        if bare { self.shell(text, Quote::None) } else { self.quoted(text) }
    }

    /// A word in quotes: single ones where nothing in it is the shell's.
    pub(crate) fn quoted(&mut self, text: &Text) -> Vec<Part> {
        let mut variable = false;
        let mut single_quote = false;
        for p in &text.pieces {
            match p {
                Piece::Literal(t) => single_quote |= t.contains('\''),
                Piece::Reference(r) => variable |= !matches!(self.meaning(r, text.span), Meaning::Value(_)),
            }
        }
        let empty = text.as_literal().is_some_and(|t| t.is_empty());
        let brace = matches!(text.pieces.first(), Some(Piece::Literal(t)) if t.starts_with("${"));
        let quote = if variable || single_quote || empty || brace { Quote::Double } else { Quote::Single };
        let mark = if quote == Quote::Double { "\"" } else { "'" };
        let mut out = vec![Part::Text(mark.into())];
        out.extend(self.shell(text, quote));
        out.push(Part::Text(mark.into()));
        merge(out)
    }

    fn shell(&mut self, text: &Text, quote: Quote) -> Vec<Part> {
        let mut out = Vec::new();
        for (i, p) in text.pieces.iter().enumerate() {
            match p {
                Piece::Literal(t) if quote == Quote::Double => {
                    let mut escaped = String::new();
                    for c in t.chars() {
                        if matches!(c, '"' | '\\' | '$' | '`') {
                            escaped.push('\\');
                        }
                        escaped.push(c);
                    }
                    out.push(Part::Text(escaped));
                }
                Piece::Literal(t) => out.push(Part::Text(t.clone())),
                Piece::Reference(r) => match self.meaning(r, text.span) {
                    Meaning::Value(v) => out.push(Part::Value(v)),
                    Meaning::Bare("*") if quote == Quote::Double => out.push(Part::Text("\"*\"".into())),
                    Meaning::Bare(b) => out.push(Part::Text(b.to_owned())),
                    Meaning::Variable(v) => {
                        let next = text.pieces.get(i + 1);
                        let joined = matches!(next, Some(Piece::Literal(t)) if t.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_'));
                        out.push(Part::Text(if joined { format!("${{{v}}}") } else { format!("${v}") }));
                    }
                },
            }
        }
        out
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Quote {
    None,
    Single,
    Double,
}

/// True when both name the same files, wherever they are written.
fn same_files(a: &Replace, b: &Replace) -> bool {
    let names = |r: &Replace| r.files.0.iter().map(|f| f.pieces.clone()).collect::<Vec<_>>();
    names(a) == names(b)
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

/// The lines of a loop's body, two columns further in.
fn indent(parts: Vec<Part>) -> Vec<Part> {
    let mut start = true;
    let mut out = Vec::new();
    for p in merge(parts) {
        match p {
            Part::Text(t) => {
                let mut text = String::new();
                for line in t.split_inclusive('\n') {
                    if start && line != "\n" {
                        text.push_str("  ");
                    }
                    text.push_str(line);
                    start = line.ends_with('\n');
                }
                out.push(Part::Text(text));
            }
            value @ Part::Value(_) => {
                if start {
                    out.push(Part::Text("  ".into()));
                }
                start = false;
                out.push(value);
            }
        }
    }
    out
}
