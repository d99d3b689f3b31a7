//! Tips for mistakes on the command line: the words of the user in another order or form, if
//! `rocpkg` accepts them so.

use crate::args::{Cli, in_shell};
use clap::{Command, CommandFactory, Parser};
use rocpkg::Backend;
use rocpkg::resolve::Release;
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
            } else if WORDS.contains(&word) && !has_option(command, word) {
                // Its value is a word.
            } else if word.starts_with('-') {
                sorted.options.push(word);
                let takes = !word.contains('=') && takes_value(command, word);
                sorted.options.extend(words.next_if(|_| takes));
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

fn has_option(command: &Command, word: &str) -> bool {
    let mut all = command.get_arguments();
    all.any(|own| Some(own.get_long().unwrap_or_default()) == word.strip_prefix("--"))
}

fn takes_value(command: &Command, word: &str) -> bool {
    let own = command.get_arguments();
    let mut named = own.filter(|own| own.get_long() == word.strip_prefix("--"));
    named.any(|own| own.get_action().takes_values())
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
    let accepts = |form: &Vec<String>| {
        // A form without a word of the user's is not what the user meant.
        let has_all = own.iter().all(|word| form.iter().any(|own| own == word));
        let is_empty = own.is_empty();
        has_all && !is_empty && Cli::try_parse_from(program().chain(form.iter().cloned())).is_ok()
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
