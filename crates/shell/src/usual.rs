//! Lowers steps for several dialects, but not for all: a dialect calls these functions in
//! [`Dialect::native`](crate::Dialect::native).

use crate::dialect::Dialect;
use crate::operation::{Place, without_slash};
use rocpkg_model::{ConfigFile, Finding, FromTo, Spanned, Text};
use rocpkg_render::bash::{Command, Stmt, Test, Word, run};

/// Returns the word for the path to which a file is installed. The variable of the package's folder
/// is put before a path that begins with `/`: `/usr/bin/a` -> `$pkgdir/usr/bin/a`. Any other path
/// is left unchanged.
pub fn installed<D: Dialect>(d: &mut D, path: &Text) -> Word {
    let word = d.word(path, Place::One);
    // The path may begin with a reference that contains the `/`, such as `${prefix}`.
    if word.first_literal().is_some_and(|l| l.starts_with('/')) {
        return d.reference(d.inputs().habits.image, path).then(word);
    }
    word
}

/// Returns the statement that installs files as data of the package with `install -Dm644`. A target
/// that ends in `/` is a folder.
pub fn install_file<D: Dialect>(d: &mut D, i: &FromTo) -> Vec<Stmt> {
    let mut words = vec![Word::lit("install"), Word::lit("-Dm644")];
    words.extend(i.from.0.iter().map(|t| d.word(t, Place::Files)));
    match without_slash(&i.to) {
        Some(folder) => words.extend([Word::lit("-t"), installed(d, &folder)]),
        None => words.push(installed(d, &i.to)),
    }
    vec![crate::call(d, words)]
}

/// Returns the statement that installs the licence `file` as `name`. `mode` is the option of
/// `install`, such as `-Dm644`. `package` is the variable that contains the package's name.
pub fn licence<D: Dialect>(d: &mut D, file: &Text, name: Word, mode: &str, package: &str) -> Stmt {
    let place = Word::var(d.inputs().habits.image)
        .literal("/usr/share/licenses/")
        .variable(package)
        .literal("/")
        .then(name);
    run(
        "install",
        [Word::lit(mode), d.word(file, Place::One), place],
    )
}

/// Returns the statement that installs a file with these lines. They are written through a pipe,
/// `printf '%s\n' a b | install …`, because a here-document would need tabs before its lines.
pub fn config_file<D: Dialect>(d: &mut D, c: &ConfigFile) -> Vec<Stmt> {
    let mut words = vec![Word::lit("printf"), Word::lit("%s\\n")];
    words.extend(c.lines.iter().map(|l| d.word(l, Place::One)));
    let mut install = ["install", "-Dm644", "/dev/stdin"].map(Word::lit).to_vec();
    install.push(installed(d, &c.path));
    let pipe = Some(Box::new(Command::new(install)));
    vec![Stmt::Command(crate::failing(
        d,
        Command {
            pipe,
            ..Command::new(words)
        },
    ))]
}

/// Returns a conditional that runs `body` if the file exists. The test is written as `[ -e FILE ]`,
/// which every shell reads.
pub fn where_there(file: &str, body: Vec<Stmt>) -> Stmt {
    let test = vec![
        Word::pattern("["),
        Word::lit("-e"),
        Word::lit(file),
        Word::pattern("]"),
    ];
    Stmt::when(Test::Command(test), body)
}

/// Returns the statement that installs a file with these lines, by a here-document. It is for
/// recipes in which `%` has another meaning than in `printf`. Two kinds of lines are reported as
/// findings. The first is a line with a reference, because references are not expanded in the
/// here-document. The second is a blank at the end of a line, or two empty lines together, because
/// the layout of a script does not keep them.
pub fn here_document<D: Dialect>(d: &mut D, c: &ConfigFile) -> Stmt {
    let place = installed(d, &c.path);
    let words = ["install", "-Dm00644", "/dev/stdin"]
        .map(Word::lit)
        .into_iter()
        .chain([place])
        .collect();
    let mut lines = Vec::new();
    for line in &c.lines {
        let word = d.word(line, Place::One);
        if word.as_literal().is_none() {
            let message = "this file can't contain a reference here";
            d.report(Finding::error("E0422", line.span, message).label("expected plain text"));
        }
        lines.extend(
            word.as_literal()
                .unwrap_or_default()
                .split('\n')
                .map(str::to_owned),
        );
        let blank = lines.iter().any(|l| l.ends_with([' ', '\t']));
        if blank || lines.windows(2).any(|two| two.iter().all(String::is_empty)) {
            let message = "this file can't contain trailing blanks or consecutive empty lines here";
            d.report(
                Finding::error("E0422", line.span, message)
                    .label("expected lines without trailing blanks, and single empty lines"),
            );
            break;
        }
    }
    Stmt::Command(Command {
        input: Some(lines),
        ..Command::new(words)
    })
}

/// Returns the statements that apply commits with `git cherry-pick -n`. No commit is recorded,
/// because the picked commits need not be in the history of the tag. Text that is no commit's hash
/// is reported.
pub fn git_cherry_pick<D: Dialect>(d: &mut D, commits: &[Spanned<String>]) -> Vec<Stmt> {
    let mut out = Vec::new();
    for commit in commits {
        if commit.value.len() < 7 || !commit.value.bytes().all(|b| b.is_ascii_hexdigit()) {
            d.report(
                Finding::error(
                    "E0415",
                    commit.span,
                    format!("`{}` is not a commit", commit.value),
                )
                .label("expected 7 to 40 hexadecimal digits"),
            );
        }
        let words = ["git", "cherry-pick", "-n", &commit.value]
            .map(Word::lit)
            .to_vec();
        out.push(crate::call(d, words));
    }
    out
}
