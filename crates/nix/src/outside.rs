//! What the steps of a hook write to: the package's outputs and the build's own folders, and neither the store nor the machine.

use crate::lower::Lower;
use rocpkg_model::{Piece, Step, Text};
use rocpkg_render::bash::{Command, Stmt, Word};
use rocpkg_shell::{Arg, Call, Folders, Native, Operation, check_outside, glob};

/// The folders that nixpkgs' builder makes.
const OWN: &[&str] = &["NIX_BUILD_TOP", "TMPDIR", "TMP", "TEMP"];

impl Lower<'_> {
    /// Reports what an operation writes outside, the steps inside it apart.
    pub(crate) fn check_outside(&mut self, operation: &Operation<'_>, step: &Step) {
        let mut read = AsBash { lower: self, store: Vec::new() };
        let Some(stmt) = read.operation(operation) else { return };
        let store = read.store;
        // What is done in a folder of the store can but read there.
        let first =
            if let Stmt::Command(c) = &stmt { c.words.first().and_then(Word::as_literal) } else { None };
        if matches!(first, Some("cd" | "pushd")) && !store.is_empty() {
            return;
        }
        let outputs = self.nix.outputs.keys().map(String::as_str).filter(|name| *name != "out");
        let images: Vec<&str> = ["out"].into_iter().chain(outputs).collect();
        let machine: Vec<&str> = store.iter().map(String::as_str).collect();
        let folders = Folders { images: &images, own: OWN, machine: &machine };
        check_outside(&[stmt], step.span, &folders, self.findings);
    }
}

/// Reads operations as bash, as far as they may write. Only what begins a path matters.
struct AsBash<'l, 'a> {
    lower: &'l Lower<'a>,
    /// References that stand for paths of the store.
    store: Vec<String>,
}

impl AsBash<'_, '_> {
    fn operation(&mut self, operation: &Operation<'_>) -> Option<Stmt> {
        let words = match operation {
            Operation::Call(call) => return Some(self.call(call)),
            Operation::Raw(text) => return Some(Stmt::Raw(self.text(text))),
            Operation::Replace(all) => self.words(&["substituteInPlace"], &all.first()?.files.0),
            Operation::Sed(s) => self.words(&["sed", "-i", "-e", ""], &s.files.0),
            Operation::Inside(i) => self.words(&["pushd"], std::slice::from_ref(&i.folder)),
            Operation::Native(Native::InstallFile(i)) => self.installed(&i.to)?,
            Operation::Native(Native::ConfigFile(c)) => self.installed(&c.path)?,
            _ => return None,
        };
        Some(Stmt::Command(Command::new(words)))
    }

    fn call(&mut self, call: &Call<'_>) -> Stmt {
        let words = call.words.iter().map(|w| match w {
            Arg::Own(text) => Word::lit(*text),
            Arg::Text(text, _) => self.text(text),
        });
        let words = words.collect();
        let env =
            call.environment.into_iter().flatten().map(|(name, value)| (name.clone(), self.text(value)));
        let env = env.collect();
        let output = call.output.map(|t| self.text(t));
        Stmt::Command(Command { env, output, ..Command::new(words) })
    }

    fn words(&mut self, own: &[&str], texts: &[Text]) -> Vec<Word> {
        let mut words: Vec<Word> = own.iter().map(|w| Word::lit(*w)).collect();
        words.extend(texts.iter().map(|t| self.text(t)));
        words
    }

    /// A file that is installed; one whose path begins with `/` lies below the output.
    fn installed(&mut self, path: &Text) -> Option<Vec<Word>> {
        let below = matches!(path.pieces.first(), Some(Piece::Literal(l)) if l.starts_with('/'));
        (!below).then(|| self.words(&["install", "file"], std::slice::from_ref(path)))
    }

    fn text(&mut self, text: &Text) -> Word {
        text.pieces.iter().fold(Word::default(), |word, piece| match piece {
            Piece::Literal(literal) => word.literal(literal.clone()),
            Piece::Reference(name) => match glob(name) {
                Some(pattern) => word.then(Word::pattern(pattern)),
                None => word.then(self.held(name)),
            },
        })
    }

    /// What a reference holds, as far as it is known without asking what it means.
    fn held(&mut self, name: &str) -> Word {
        let lower = self.lower;
        let first = name.split('.').next().unwrap_or_default();
        let variable = name == "out"
            || lower.nix.outputs.contains_key(name)
            || lower.shell_names.iter().any(|n| n == name);
        // Values of the package's own may be anything.
        let own = name.starts_with("split:") || lower.own_names.contains(first) || first == "finalAttrs";
        match name {
            _ if variable => Word::var(name),
            "prefix" => Word::var("out"),
            "source" => Word::var("NIX_BUILD_TOP").literal("/source"),
            "build" => Word::lit("."),
            "*" => Word::pattern("*"),
            "version" | "name" | "targets" | "jobs" => Word::lit("x"),
            _ if own => Word::lit("x"),
            _ => {
                self.store.push(name.to_owned());
                Word::pattern(format!("${{{name}}}"))
            }
        }
    }
}
