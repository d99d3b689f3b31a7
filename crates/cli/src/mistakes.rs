//! Tips for mistakes on the command line: the words of the user in another order or form, if
//! `rocpkg` accepts them so.

use crate::args::{Cli, in_shell};
use clap::{Arg, Command, CommandFactory, Parser};
use rocpkg::Backend;
use rocpkg::internal::resolve::Release;
use std::path::Path;

/// Options that some commands have, and others state as words.
const WORDS: [&str; 4] = ["--distro", "--package", "--release", "--targets"];

/// The words of a command line by their kinds.
#[derive(Default)]
struct Sorted<'a> {
    /// The command and its subcommand.
    command: Vec<&'a str>,
    distros: Vec<&'a str>,
    releases: Vec<&'a str>,
    gpus: Vec<&'a str>,
    others: Vec<&'a str>,
    /// The options that the command has, with their values.
    options: Vec<&'a str>,
}

impl<'a> Sorted<'a> {
    fn of(arguments: &'a [String]) -> Self {
        let root = Cli::command();
        let mut command = &root;
        let mut sorted = Self::default();
        let mut words = arguments.iter().map(String::as_str).peekable();
        while let Some(word) = words.next() {
            let is_first = sorted.others.is_empty() && sorted.distros.is_empty();
            if let Some(inner) = command.find_subcommand(word).filter(|_| is_first) {
                command = inner;
                sorted.command.push(word);
            } else if WORDS.contains(&word) && option(command, word).is_none() {
                // Its value is a word.
            } else if word.starts_with('-') {
                sorted.options.push(word);
                let own = option(command, word);
                let takes_value = own.is_some_and(|own| own.get_action().takes_values());
                sorted.options.extend(words.next_if(|_| takes_value));
            } else {
                sorted.add(word);
            }
        }
        sorted
    }

    fn add(&mut self, word: &'a str) {
        let is_distro = |backend: &Backend| [backend.folder(), backend.distro()].contains(&word);
        if Backend::ALL.iter().any(is_distro) {
            self.distros.push(word);
        } else if word == "latest" || word.parse::<Release>().is_ok() {
            self.releases.push(word);
        } else if word.starts_with("gfx") {
            self.gpus.push(word);
        } else {
            self.others.push(word);
        }
    }
}

fn option<'c>(command: &'c Command, word: &str) -> Option<&'c Arg> {
    let long = word.strip_prefix("--")?;
    let mut all = command.get_arguments();
    all.find(|own| own.get_long() == Some(long))
}

/// Returns the command line that the user most likely meant: the same words in another order, or as
/// options. Returns None if none of these forms is accepted.
pub(crate) fn meant(arguments: &[String]) -> Option<String> {
    let words = Sorted::of(arguments);
    let Sorted {
        command,
        distros,
        releases,
        gpus,
        others,
        options,
    } = &words;
    let each = |option: &'static str, values: &[&str]| -> Vec<String> {
        let all = values.iter().flat_map(|value| [option, value]);
        all.map(str::to_owned).collect()
    };
    let plain = |parts: &[&[&str]]| -> Vec<String> {
        parts.concat().into_iter().map(str::to_owned).collect()
    };
    // A name with a dot may be a misspelt release.
    let latest: &[&str] = if others.iter().any(|word| word.contains('.')) {
        &[]
    } else {
        &["latest"]
    };
    let here = Backend::of_checkout(Path::new(".")).map(Backend::folder);
    let names = [others.as_slice(), gpus].concat();
    let forms = [
        plain(&[command, distros, &names]),
        plain(&[command, releases, distros, &names]),
        plain(&[command, latest, distros, &names]),
        [plain(&[command, distros]), each("--package", others)].concat(),
        [plain(&[command, distros]), each("--changed", others)].concat(),
        [plain(&[command, &names]), each("--distro", distros)].concat(),
        [plain(&[command, others]), each("--targets", gpus)].concat(),
        [plain(&[command, releases]), each("--package", others)].concat(),
        [plain(&[command, distros]), each("--release", releases)].concat(),
        plain(&[command, &["build"], distros]),
        plain(&[command, here.as_slice(), &names]),
        plain(&[&["gpu"], gpus]),
    ];
    let own = plain(&[command, distros, releases, &names]);
    if own.is_empty() {
        return None;
    }
    let accepts = |form: &Vec<String>| {
        // A form without a word of the user's is not what the user meant.
        let has_all = own.iter().all(|word| form.contains(word));
        has_all && Cli::try_parse_from(program().chain(form.iter().cloned())).is_ok()
    };
    let mut forms = forms
        .into_iter()
        .map(|form| [form, plain(&[options])].concat());
    let found = forms.find(|form| form != arguments && accepts(form))?;
    let found: Vec<String> = program().chain(found).map(|word| in_shell(&word)).collect();
    Some(found.join(" "))
}

fn program() -> impl Iterator<Item = String> {
    std::iter::once("rocpkg".to_owned())
}
