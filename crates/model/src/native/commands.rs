//! Which commands may run one of their words: what a stranger's profile can't say with `--no-raw`.
//!
//! Nobody can list all programs that run their words, so those are listed that do not. What is none of them may be right, and is said.

use super::programs::{
    BUNDLES, FAMILIES, MAKES, NAMED, NOT_IN_FAMILIES, OF_CMAKE, OF_GIT, OF_MESON, OPTIONS, PLAIN,
};
use super::variables::{INTERPRETERS, LISTS, SHELLS, is_hook, of_cmake, of_environment};
use crate::command::{RUNNERS, file_name, is_name, last_part};
use crate::text::{Piece, Text};
use std::collections::BTreeSet;

/// A command without those that only run it, and without what `env` sets for it; none where one of them has options, or a program
/// stands nowhere.
pub(super) fn called(mut words: &[Text]) -> Option<(&Text, &[Text])> {
    let mut sets = false;
    loop {
        let (first, rest) = words.split_first()?;
        let literal = first.as_literal();
        let runner = literal.as_deref().map(last_part).filter(|name| RUNNERS.contains(name));
        let assigns = shown(first).split_once('=').is_some_and(|(name, _)| is_name(name));
        match runner {
            Some(name) => sets = name == "env",
            None if sets && assigns => {}
            None => return Some((first, rest)),
        }
        if rest.first().is_some_and(|w| shown(w).starts_with('-')) {
            return None;
        }
        words = rest;
    }
}

/// What a package has that its commands may name.
#[derive(Debug, Default)]
pub(super) struct Own<'a> {
    /// Functions, whose steps are looked at themselves.
    pub(super) functions: BTreeSet<&'a str>,
    /// Variables, which may hold an option.
    pub(super) variables: BTreeSet<&'a str>,
}

impl Own<'_> {
    /// True for a word that a variable of the package begins, or that its words are.
    fn opens(&self, word: &Text) -> bool {
        match word.pieces.first() {
            Some(Piece::Reference(name)) => {
                let (how, of) = name.split_once(':').unwrap_or(("", name));
                how == "split" || self.variables.contains(of)
            }
            _ => false,
        }
    }
}

/// True for a command of which a word may be run.
pub(super) fn runs_code(words: &[Text], own: &Own<'_>) -> bool {
    let Some((program, rest)) = called(words) else { return true };
    // What a reference names, or leads to, may be any program.
    let Some(literal) = program.as_literal() else { return true };
    let sets = |word: &Text| {
        shown(word).split_once('=').is_some_and(|(name, value)| is_name(name) && of_environment(name, value))
    };
    if words.iter().any(sets) {
        return true;
    }
    if own.functions.contains(literal.as_str()) {
        return false;
    }
    if is_interpreter(program) {
        // Its options begin with a sign, or a reference holds them.
        let opens =
            |w: &Text| !matches!(w.pieces.first(), Some(Piece::Literal(text)) if !text.starts_with('-'));
        return rest.is_empty() || rest.iter().any(opens);
    }
    let Some(name) = plain(&literal) else { return true };
    let texts: Vec<String> = rest.iter().map(shown).collect();
    let options = OPTIONS.iter().find(|(program, _)| *program == name).map(|(_, options)| *options);
    let asked = ["cmake", "git"].contains(&name) || MAKES.contains(&name) || options.is_some();
    if asked && rest.iter().any(|word| own.opens(word)) {
        return true;
    }
    match name {
        "cmake" => asks_cmake(&texts),
        "git" => asks_git(&texts),
        "runHook" => texts.iter().any(|word| !is_hook(word)),
        "appendToVar" | "concatTo" | "prependToVar" => {
            let list = |word: &String| LISTS.contains(&word.as_str());
            let option = |w: &Text| {
                let text = shown(w);
                !text.starts_with("-D") && text.starts_with('-') || defines(&text) || asks_make(w)
            };
            texts.first().is_none_or(|word| is_hook(word) || !is_name(word))
                || texts.first().is_some_and(list) && rest[1..].iter().any(option)
        }
        "addToSearchPath" => texts.first().is_none_or(|name| of_environment(name, "") || !is_name(name)),
        "econf" | "configure" => rest.iter().any(assigns_a_command),
        "meson" if texts.first().is_none_or(|asked| !OF_MESON.contains(&asked.as_str())) => true,
        "makeWrapper" | "wrapProgram"
            if texts
                .windows(2)
                .any(|pair| NAMED.iter().any(|begin| pair[0].starts_with(begin)) && !is_name(&pair[1])) =>
        {
            true
        }
        _ if MAKES.contains(&name) => rest.iter().any(asks_make),
        _ => options.is_some_and(|options| gives(name, options, &texts)),
    }
}

/// What a word says itself: what its references hold is a backend's.
pub(super) fn shown(word: &Text) -> String {
    word.literals().collect()
}

/// True for a word that names a program which takes a program among its options.
pub(super) fn is_interpreter(word: &Text) -> bool {
    let name = file_name(word).map(|n| n.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    name.is_some_and(|n| INTERPRETERS.contains(&n))
}

/// True for a program of the package's own, by its path among the sources.
pub(super) fn is_own(program: &str) -> bool {
    let parts = || program.split('/');
    program.contains('/') && !program.starts_with(['/', '%']) && !parts().any(|part| part == "..")
}

fn is_in(list: &str, word: &str) -> bool {
    list.split_whitespace().any(|known| known == word)
}

/// The name of a program that reads its words as words, and none of any other. One of the package's own counts as its `configure`.
fn plain(program: &str) -> Option<&str> {
    let name = last_part(program);
    if is_own(program) {
        return (!SHELLS.contains(&name)).then_some("configure");
    }
    // Actions of ypkg are called by what they run: `%make_install`, `%cmake_ninja`.
    let action = program.strip_prefix('%').map(|action| action.split('_').next().unwrap_or_default());
    if let Some(action @ ("configure" | "autogen" | "reconfigure")) = action {
        return Some(action);
    }
    let name = action.unwrap_or(name);
    let known = is_in(PLAIN, name)
        || FAMILIES.split_whitespace().any(|begin| name.starts_with(begin)) && !is_in(NOT_IN_FAMILIES, name);
    known.then_some(name)
}

/// What a shell reads as its own in the words that make hands to it.
const SIGNS: [char; 10] = ['$', '`', ';', '&', '|', '(', ')', '<', '>', '\n'];

/// True for a word of make that a shell gets.
fn asks_make(word: &Text) -> bool {
    let text = shown(word);
    let letters = text.starts_with('-') && !text.starts_with("--") && text.contains('E');
    letters
        || text.starts_with("--ev")
        || text.contains('=') && text.contains(SIGNS)
        || assigns_a_command(word)
}

/// True for `NAME=value` where the value is more than a word, and the name is none of flags: a command and its words.
fn assigns_a_command(word: &Text) -> bool {
    let text = shown(word);
    let Some((name, value)) = text.split_once('=') else { return false };
    let name = name.trim_end_matches([':', '+', '?', '!']);
    let plain = name.starts_with('-') || ["FLAGS", "LIBS", "ARGS"].iter().any(|part| name.contains(part));
    of_environment(name, value) || !plain && value.trim().contains(char::is_whitespace)
}

/// True for git where it is asked for what may run a word.
fn asks_git(words: &[String]) -> bool {
    let mut behind = words.iter().map(String::as_str);
    while let Some(word) = behind.next() {
        match word {
            // Its value is the next word.
            "-C" | "--git-dir" | "--work-tree" => _ = behind.next(),
            option
                if option.starts_with("-c")
                    || option.starts_with("--con")
                    || option.starts_with("--exec") =>
            {
                return true;
            }
            option if option.starts_with('-') => {}
            _ if words.iter().any(|w| w.starts_with("--output")) => return true,
            "submodule" => return behind.any(|w| w == "foreach"),
            "clone" => {
                let letters = |w: &str| w.starts_with('-') && !w.starts_with("--") && w.contains(['c', 'u']);
                let long = |w: &str| ["--c", "--t", "--u"].iter().any(|begin| w.starts_with(begin));
                return behind.any(|w| letters(w) || long(w));
            }
            "fetch" => return behind.any(|w| w.starts_with("--up")),
            asked => return !is_in(OF_GIT, asked),
        }
    }
    true
}

/// True for cmake where it is given a script, a tool that runs its words, or an argument that says what is run.
fn asks_cmake(words: &[String]) -> bool {
    let runs = |pair: &[String]| {
        pair[0] == "-E" && !is_in(OF_CMAKE, &pair[1]) || pair[0] == "-D" && defines(&pair[1])
    };
    let script = |w: &String| w.starts_with("-P") || w.starts_with("-C") || w.starts_with("--toolchain");
    let behind = words.iter().skip_while(|w| *w != "--");
    words.windows(2).any(runs)
        || words.iter().any(|w| script(w) || w.starts_with("-D") && defines(w))
        || behind.into_iter().any(|w| w.contains(SIGNS))
}

fn defines(word: &str) -> bool {
    let word = word.trim_start_matches("-D").trim_start_matches(['=', ' ']);
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    of_cmake(name, value)
}

/// True when one of these options is given, whole or shortened.
fn gives(program: &str, options: &[&str], words: &[String]) -> bool {
    let given = |(i, word): (usize, &String)| {
        let long = word.split('=').next().unwrap_or_default();
        options.iter().any(|option| {
            if option.starts_with("--") {
                // What is whole and another option is itself.
                long.starts_with("--")
                    && long.len() > 2
                    && option.starts_with(long)
                    && !["--strip", "--test"].contains(&long)
            } else if word.starts_with("--") {
                false
            } else if BUNDLES.contains(&program) {
                // Tar takes its letters without a sign too.
                (word.starts_with('-') || (program == "tar" && i == 0)) && word.contains(&option[1..])
            } else {
                word.starts_with(option)
            }
        })
    };
    words.iter().enumerate().any(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

    fn own() -> Own<'static> {
        Own { functions: BTreeSet::from(["own_function"]), variables: BTreeSet::from(["_o"]) }
    }

    fn texts(words: &[&str]) -> Vec<Text> {
        words.iter().map(|w| Text::parse(w, Span::default()).unwrap()).collect()
    }

    #[test]
    fn commands_that_may_hold_a_program_are_code() {
        for words in [
            &["/bin/sh", "x"][..],
            &["edo", "/bin/sh", "x"],
            &["nonfatal", "/bin/sh", "x"],
            &["./x/bash", "x"],
            &["${prefix}/bin/sh", "x"],
            &["zsh", "x"],
            &["busybox", "sh"],
            &["env", "-S", "touch x"],
            &["python3.12", "-c", "x"],
            &["timeout", "5", "perl", "-ne", "x"],
            &["awk", "x"],
            &["sed", "-i", "1e x", "y"],
            &["xargs", "x"],
            &["find", ".", "-exec", "x", "{}", "+"],
            &["tar", "--to-command=x", "-xf", "y"],
            &[".", "x"],
            &["${program}", "-c", "x"],
            &["wrapProgram", "x", "--run", "y"],
            &["wrapProgram", "x", "--add-flags", "$$(y)"],
            &["tar", "-I", "touch x", "-xf", "y"],
            &["tar", "-Itouch", "-xf", "y"],
            &["tar", "xIf", "touch x", "y"],
            &["tar", "-xf", "y", "--use-comp=x"],
            &["tar", "--checkpoint=1", "--checkpoint-action=exec=x", "-cf", "y", "."],
            &["git", "-c", "alias.x=!touch y", "x"],
            &["git", "-ccore.pager=x", "log"],
            &["git", "rebase", "--exec=x", "HEAD~1"],
            &["make", "A=$$(shell touch x)"],
            &["make", "A=$${shell touch x}"],
            &["make", "CFLAGS=;touch x"],
            &["emake", "--eval=x"],
            &["gmake", "-E", "x"],
            &["cmake", "-P", "x"],
            &["timeout", "5", "cmake", "-P", "x"],
            &["rsync", "-e", "x", "y", "z"],
            &["rsync", "-ae", "x", "y", "z"],
            &["install", "-s", "--strip-program=x", "y", "z"],
            &["split", "--filter=x", "y"],
            &["find", ".", "-ok", "x", ";"],
            &["${prefix}/bin/tool", "x"],
            &["/usr/bin/vim", "-c", "x"],
            &["vim", "-c", "!x", "y"],
            &["gdb", "-ex", "x"],
            &["gsed", "1e x", "y"],
            &["rbash", "-c", "x"],
            &["watch", "x"],
            &["dc", "-e", "!x"],
            &["ssh", "-oProxyCommand=x", "y"],
            &["ctest", "-S", "x"],
            &["ctest", "-SP,x"],
            &["meson", "test", "--wrapper=x"],
            &["git", "submodule", "foreach", "x"],
            &["git", "-C", "y", "bisect", "run", "x"],
            &["git", "config", "alias.x", "!y"],
            &["cmake", "-E", "env", "x"],
            &["cmake", "-DCMAKE_CXX_COMPILER_LAUNCHER=x", "."],
            &["cmake", "-DCMAKE_CXX_COMPILER:STRING=x;-c;y", "."],
            &["distutils-r1_run_phase", "x"],
            &["../x", "y"],
            &["env", "-Stouch x"],
            &["env", "--split-string=touch x"],
            &["env", "A=b/c", "vim", "-c", "!x"],
            &["exec", "-a", "a/b", "vim"],
            &["export", "BASH_ENV=x"],
            &["local", "-x", "CC=touch x"],
            &["make", "CC=touch x"],
            &["make", "SHELL=./x"],
            &["./configure", "CONFIG_SHELL=x"],
            &["cmake", "-D", "CMAKE_CXX_COMPILER_LAUNCHER=x", "."],
            &["cmake", "-E", "chdir", ".", "vim"],
            &["cmake", "--build", ".", "--", "A=$$(shell touch x)"],
            &["cmake", "--toolchain", "x"],
            &["cmake_run_in", ".", "vim"],
            &["tc-env_build", "vim"],
            &["llvm_fix_clang_version", "a[$$(touch x)]"],
            &["%make", "A=$$(shell touch x)"],
            &["%cmake", "-P", "x"],
            &["%PREFIX%/bin/gdb", "-ex", "x"],
            &["wrapProgram", "x", "--set", "A; touch x; B", "v"],
            &["wrapProgram", "x", "--argv0", "$$(x)"],
            &["ctest", "--build-and-test", "--build-makeprogram", "x"],
            &["split", "--f=touch x", "y"],
            &["git", "clone", "-qu", "touch x;", "./r", "y"],
            &["git", "clone", "--co=x", "./r", "y"],
            &["meson", "devenv", "vim"],
            &["runHook", "FOO"],
            &["make", "CC:=touch x"],
            &["emake", "INSTALL=touch x"],
            &["emake", "LINK.o=touch x"],
            &["make", "-sE", "x"],
            &["econf", "ac_cv_prog_CC=touch x"],
            &["%configure", "INSTALL=touch x"],
            &["cmake", "-D=CMAKE_TOOLCHAIN_FILE=x", "."],
            &["appendToVar", "cmakeFlags", "-DCMAKE_PROJECT_INCLUDE=x"],
            &["appendToVar", "ninjaFlags", "-f", "x"],
            &["addToSearchPath", "LD_PRELOAD", "x"],
            &["insopts", "-s", "--strip-program=bash"],
            &["git", "log", "-1", "--output=Makefile"],
            &["wrapProgram", "x", "--prefix-each", "A; touch y", ":", "b"],
            &["meson", "setup", "b", "--native-file", "x"],
            &["make", "${_o}"],
            &["find", ".", "${split:x}"],
            &["find", ".", "-fprintf", "x", "y"],
            &["tc-getPROG", "a[$$(x)]", "y"],
            &["git", "--exec-path=x", "status"],
            &["env", "CC=touch x", "make"],
            &["appendToVar", "preInstallHooks", "touch x"],
        ] {
            assert!(runs_code(&texts(words), &own()), "{words:?}");
        }
        for words in [
            &["dobin", "a $$(touch x)"][..],
            &["python", "setup.py", "build"],
            &["find", ".", "-name", "x"],
            &["doins", "${glob:*.asy}", "suites.py"],
            &["./configure", "--libexecdir=/x", "--exec-prefix=/y", "--program-prefix=z", "--enable-lookup"],
            &["tar", "-xf", "${sources}/In.tar", "--strip-components=1"],
            &["tar", "-C", "x", "-xf", "y", "--exclude=Info"],
            &["make", "-j${jobs}", "CC=${cc}", "CFLAGS=-O2 -g", "check"],
            &["cmake", "-S", ".", "-B", "build", "-DA=exec-P"],
            &["git", "apply", "-p1", "x"],
            &["git", "clean", "-fdx"],
            &["cmake", "--install", ".", "--strip"],
            &["cmake", "-E", "copy", "x", "y"],
            &["cmake", "-DCMAKE_CXX_COMPILER=amdclang++", "."],
            &["git", "-C", "x", "submodule", "update", "--init"],
            &["append-ldflags", "-Wl,x"],
            &["edo", "cp", "x", "y"],
            &["%make", "install"],
            &["%make_install", "DESTDIR=${out}"],
            &["%configure", "--disable-static"],
            &["cmake", "-S", "source", "-B", "build"],
            &["cp", "-r", "docs/source", "python", "x"],
            &["install", "--strip", "a", "b"],
            &["git", "cherry-pick", "-x", "abc"],
            &["git", "add", "-u"],
            &["runHook", "preInstall"],
            &["appendToVar", "cmakeFlags", "-DX=ON"],
            &["wrapProgram", "x", "--prefix", "PATH", ":", "${out}/bin"],
            &["own_function", "x"],
            &["cp", "${_o}", "x"],
            &["env", "A=b/c", "make"],
            &["dobin", "sh"],
            &["git", "status", "-uno"],
            &["umask", "022"],
            &["make", "CFLAGS=-O2 -g", "PREFIX=${prefix}", "V=1"],
            &["./configure", "CFLAGS=-O2 -g", "--enable-x=a b"],
            &["cd", "x"],
            &["ctest", "--test-dir", "build"],
        ] {
            assert!(!runs_code(&texts(words), &own()), "{words:?}");
        }
    }
}
