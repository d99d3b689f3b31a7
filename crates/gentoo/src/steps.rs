//! Typed steps become statements of bash.

use crate::context::Context;
use rocpkg_model::{Action, Piece, Replace, Sed, Step, Text};
use rocpkg_render::Origin;
use rocpkg_render::bash::{Command, Item, Scope, Stmt, Word, is_bare};

/// Commands of the package manager and of eclasses: they die by themselves since EAPI 4 (PMS 12.3.3).
const HELPERS: &[&str] = &[
    "addpredict",
    "addread",
    "addwrite",
    "check_amdgpu",
    "default",
    "die",
    "distutils_install_for_testing",
    "dostrip",
    "eapply",
    "edo",
    "edob",
    "einfo",
    "einstalldocs",
    "elog",
    "emake",
    "epytest",
    "eval",
    "ewarn",
    "exeinto",
    "export",
    "fowners",
    "fperms",
    "insinto",
    "keepdir",
    "local",
    "newbin",
    "newins",
    "return",
    "shopt",
    "strip-unsupported-flags",
    "use",
];
const HELPER_PREFIXES: &[&str] = &[
    "append-",
    "check-reqs_",
    "cmake_",
    "default_",
    "distutils-r1_",
    "docs_",
    "filter-",
    "linux-info_",
    "llvm_",
    "llvm-r2_",
    "python-any-r1_",
    "python_",
    "replace-",
    "rocm_",
    "strip-",
    "tc-",
];

/// The commands of PMS 12.3 that install, all beginning with `do` or `new`.
fn installs(name: &str) -> bool {
    [
        "bin", "conf", "confd", "doc", "envd", "exe", "header", "html", "info", "initd", "ins", "lib",
        "lib.a", "lib.so", "man", "sbin", "sym",
    ]
    .iter()
    .any(|w| name.strip_prefix("do").or(name.strip_prefix("new")) == Some(*w))
        || name == "dodir"
}

impl Context<'_> {
    /// The statements of some steps. `standard` gives what the phase does for a project by default.
    pub(crate) fn steps(
        &mut self,
        steps: &[Step],
        install: bool,
        standard: &mut dyn FnMut(&mut Self, &str) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let mut out = Vec::new();
        for step in steps {
            let body = self.step(step, install, standard);
            let otherwise = self.steps(&step.otherwise, install, standard);
            // What belongs together stands together: a comment opens a paragraph, a block is one by itself.
            let block = step.when.is_some() || matches!(step.action, Action::Inside(_) | Action::Each(_));
            if block || step.comment.is_some() || matches!(step.action, Action::Standard(_)) {
                out.push(Stmt::Blank);
            }
            if let Some(comment) = &step.comment {
                out.push(Stmt::Comment(comment.clone()));
            }
            match &step.when {
                Some(when) => {
                    let test = self.test(&when.cond, when.span);
                    out.push(Stmt::If { branches: vec![(test, body)], otherwise });
                }
                None => out.extend(body),
            }
            if block || matches!(step.action, Action::Standard(_)) {
                out.push(Stmt::Blank);
            }
        }
        out
    }

    fn step(
        &mut self,
        step: &Step,
        install: bool,
        standard: &mut dyn FnMut(&mut Self, &str) -> Vec<Stmt>,
    ) -> Vec<Stmt> {
        let stmts = match &step.action {
            Action::Standard(project) => return standard(self, &project.value),
            Action::Group(steps) => self.steps(steps, install, standard),
            Action::Run(words) => vec![self.command(words)],
            Action::RunWith(run) => {
                let mut command = Command::new(self.words(&run.command));
                command.env = run.environment.iter().map(|(n, t)| (n.clone(), self.word(t))).collect();
                command.output = run.output.as_ref().map(|t| self.word(t));
                let dies = command.words.first().and_then(Word::as_literal).is_some_and(is_helper);
                if run.may_fail {
                    command.or = Some(vec![Word::lit("true")]);
                } else if !dies || command.output.is_some() {
                    command = command.or_die();
                }
                vec![Stmt::Command(command)]
            }
            Action::Replace(replace) => vec![self.replace(replace)],
            Action::Sed(sed) => vec![self.sed(sed)],
            Action::Patch(file) => vec![run("eapply", vec![self.word(file)])],
            Action::Move(m) => {
                let mut words = self.words(&m.from.0);
                words.push(self.word(&m.to));
                vec![die("mv", words)]
            }
            Action::Copy(c) => {
                let mut words = vec![Word::lit("-a")];
                words.extend(self.words(&c.from.0));
                words.push(self.word(&c.to));
                vec![die("cp", words)]
            }
            Action::Symlink(link) => {
                let to = self.word(&link.to);
                let each = |from: Word| {
                    if install {
                        run("dosym", vec![Word::lit("-r"), from, to.clone()])
                    } else {
                        die("ln", vec![Word::lit("-s"), from, to.clone()])
                    }
                };
                let from = self.words(&link.from.0);
                from.into_iter().map(each).collect()
            }
            Action::Remove(files) => {
                let mut words = vec![Word::lit("-r")];
                words.extend(self.words(files));
                vec![die("rm", words)]
            }
            Action::MakeFolder(folders) => {
                let mut words = vec![Word::lit("-p")];
                words.extend(self.words(folders));
                vec![die("mkdir", words)]
            }
            Action::ConfigFile(file) => self.config_file(file),
            Action::Enter(folder) => vec![die("cd", vec![self.word(folder)])],
            Action::Inside(inside) => {
                let mut out = vec![quiet("pushd", vec![self.word(&inside.folder)])];
                out.extend(self.steps(&inside.steps, install, standard));
                out.push(quiet("popd", Vec::new()));
                out
            }
            Action::Export(map) => map
                .iter()
                .map(|(name, value)| Stmt::Assign {
                    scope: Scope::Export,
                    name: name.clone(),
                    append: false,
                    value: self.word(value),
                })
                .collect(),
            Action::Local(map) => map.iter().map(|(name, values)| self.local(name, &values.0)).collect(),
            Action::Each(each) => vec![
                run("local", vec![Word::lit(each.variable.value.clone())]),
                Stmt::For {
                    name: each.variable.value.clone(),
                    items: self.words(&each.items),
                    body: self.steps(&each.steps, install, standard),
                },
            ],
            // Gentoo keeps licences in the repository, and installs none.
            Action::Licence(_) => Vec::new(),
            Action::Raw(text) => return vec![Stmt::Raw(text.value.clone())],
            Action::CherryPick(_) | Action::Submodule(_) | Action::Wheel(_) => {
                self.error("E0307", step.span, "this step has no form in an ebuild");
                Vec::new()
            }
        };
        vec![Stmt::From(Origin::Step, stmts)]
    }

    /// A command, with `|| die` unless it dies by itself.
    pub(crate) fn command(&mut self, words: &[Text]) -> Stmt {
        let words = self.words(words);
        let dies = words.first().and_then(Word::as_literal).is_some_and(|w| is_helper(w) || self.is_own(w));
        let command = Command::new(words);
        Stmt::Command(if dies { command } else { command.or_die() })
    }

    fn local(&mut self, name: &str, values: &[Text]) -> Stmt {
        let scope = Scope::Local;
        match values {
            [one] => Stmt::Assign { scope, name: name.to_owned(), append: false, value: self.word(one) },
            many => Stmt::Array {
                scope,
                name: name.to_owned(),
                append: false,
                items: many.iter().map(|t| Item::from(self.word(t))).collect(),
                tall: many.len() > 2,
            },
        }
    }

    fn config_file(&mut self, file: &rocpkg_model::ConfigFile) -> Vec<Stmt> {
        let path = self.word(&file.path);
        let mut words = vec![Word::lit("printf"), Word::lit("%s\\n")];
        words.extend(self.words(&file.lines));
        let mut print = Command::new(words).or_die();
        print.output = Some(Word::var("T").literal("/rocpkg.conf"));
        let Some((folder, name)) = path.as_literal().and_then(|p| p.rsplit_once('/')) else {
            self.error("E0307", file.path.span, "a configuration file needs a literal path in an ebuild");
            return Vec::new();
        };
        vec![
            Stmt::Command(print),
            run("insinto", vec![Word::lit(folder)]),
            run("newins", vec![Word::var("T").literal("/rocpkg.conf"), Word::lit(name)]),
        ]
    }

    /// `sed` that replaces literal text. The script's separator is one that stands in neither side.
    fn replace(&mut self, replace: &Replace) -> Stmt {
        let all = format!("{}{}", replace.from, replace.to);
        let separator =
            ['/', ':', '|', ',', '#', '~'].into_iter().find(|c| !all.contains(*c)).unwrap_or('\u{1}');
        if separator == '\u{1}' {
            self.error("E0308", replace.from.span, "no character is left to part the sides of a replacement");
        }
        let from = self.side(&replace.from, |t| escape(t, ".*[]^$\\"));
        let to = self.side(&replace.to, |t| escape(t, "&\\"));
        let s = separator.to_string();
        let script =
            Word::lit(format!("s{s}")).then(from).literal(s.clone()).then(to).literal(format!("{s}g"));
        let mut words = vec![expression(script)];
        words.extend(self.in_place(&replace.files.0));
        die("sed", words)
    }

    /// One side of a replacement, its literals escaped for sed.
    fn side(&mut self, text: &Text, escape: impl Fn(&str) -> String) -> Word {
        let pieces = text.pieces.iter().map(|p| match p {
            Piece::Literal(t) => Piece::Literal(escape(t)),
            reference @ Piece::Reference(_) => reference.clone(),
        });
        self.word(&Text { pieces: pieces.collect(), span: text.span })
    }

    fn sed(&mut self, sed: &Sed) -> Stmt {
        let mut words = Vec::new();
        if sed.extended {
            words.push(Word::lit("-E"));
        }
        for script in &sed.scripts.0 {
            words.push(expression(self.word(script)));
        }
        words.extend(self.in_place(&sed.files.0));
        die("sed", words)
    }

    /// `-i` and the files, the first of them on the same line.
    fn in_place(&mut self, files: &[Text]) -> Vec<Word> {
        let mut words = self.words(files);
        if let Some(first) = words.first_mut() {
            *first = Word::lit("-i").then(Word::pattern(" ")).then(first.clone());
        }
        words
    }
}

/// `-e` and a script, never parted by a line break. A script stands in quotes even where bash needs none.
fn expression(script: Word) -> Word {
    let script = match script.as_literal() {
        Some(text) if is_bare(text) => Word::pattern(format!("\"{text}\"")),
        _ => script,
    };
    Word::lit("-e").then(Word::pattern(" ")).then(script)
}

/// True for a command that dies by itself.
fn is_helper(name: &str) -> bool {
    HELPERS.contains(&name) || HELPER_PREFIXES.iter().any(|p| name.starts_with(p)) || installs(name)
}

fn escape(text: &str, special: &str) -> String {
    text.chars().fold(String::new(), |mut out, c| {
        if special.contains(c) {
            out.push('\\');
        }
        out.push(c);
        out
    })
}

/// A helper with its words.
pub(crate) fn run(name: &str, words: Vec<Word>) -> Stmt {
    let mut all = vec![Word::lit(name)];
    all.extend(words);
    Stmt::Command(Command::new(all))
}

/// An external command with its words and `|| die`.
pub(crate) fn die(name: &str, words: Vec<Word>) -> Stmt {
    let mut all = vec![Word::lit(name)];
    all.extend(words);
    Stmt::Command(Command::new(all).or_die())
}

/// `pushd` and `popd` print the stack of folders, which nobody wants to read.
fn quiet(name: &str, words: Vec<Word>) -> Stmt {
    let mut all = vec![Word::lit(name)];
    all.extend(words);
    let mut command = Command::new(all).or_die();
    command.output = Some(Word::lit("/dev/null"));
    Stmt::Command(command)
}
