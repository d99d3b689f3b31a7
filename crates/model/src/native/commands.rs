//! Which commands may run one of their words: what a stranger's profile can't say with `--no-raw`.
//!
//! Nobody can list all programs that run their words, so those are listed that do not. What is none of them may be right, and is said.

use super::variables::{INTERPRETERS, SHELLS, is_hook, of_cmake, of_environment};
use crate::command::{RUNNERS, file_name, is_name, last_part};
use crate::text::{Piece, Text};
use std::collections::BTreeSet;

/// Programs that read their words as words: of coreutils and other tools, of Gentoo (PMS 12.3 and eclasses), of nixpkgs' setup.
/// Of some, single options are looked at below.
const PLAIN: &str = "\
    : [ ar autoconf autoheader automake autoreconf b2sum base64 basename bsdtar bunzip2 bzip2 cat cd chgrp chmod chown \
    chrpath cksum cmake cmp comm cp ctest cut date diff dirname doxygen du echo egrep expand export false fgrep file find \
    fold git gmake grep gunzip gzip head id install join llvm-strip ln local ls make md5sum meson mkdir mktemp mv ninja nm \
    objcopy objdump od paste patch patchelf pathchk pkg-config popd pr printf pushd pwd ranlib readelf readlink realpath \
    rm rmdir rsync sha256sum sha512sum sleep sort split stat strings strip sum tac tail tar tee test touch tr true \
    truncate tsort umask uname unexpand uniq unlink unset unxz unzip wc xz xzcat zcat zstd \
    \
    addpredict addread addwrite check_amdgpu default die diropts dobin docinto docompress doconfd dodir dodoc doenvd doexe \
    doheader dohtml doicon doinfo doinitd doins dolib.a dolib.so doman domenu domo dosbin dostrip dosym eapply eapply_user \
    eautoreconf ebegin econf eend eerror einfo einstalldocs elibtoolize elog emake eninja epytest eqawarn ewarn exeinto \
    exeopts fowners fperms has_version insinto insopts into keepdir libopts newbin newconfd newdoc newenvd newexe \
    newheader newicon newinitd newins newlib.a newlib.so newman newmenu newsbin optfeature systemd_dounit systemd_newunit \
    udev_dorules unpack use \
    \
    addToSearchPath appendToVar autoPatchelf concatTo installBin installFonts installManPage installShellCompletion \
    makeBinaryWrapper makeWrapper moveToOutput nuke-refs patchShebangs prependToVar remove-references-to runHook \
    substitute substituteAllInPlace substituteInPlace wrapProgram";

/// What functions of Gentoo's eclasses begin with that read their words as words.
const FAMILIES: &str = "\
    append- check-reqs_ cmake_ default_ distutils-r1_ docs_ filter- linux-info_ llvm-r2_ llvm_ python_ replace- \
    rocm_ strip- tc-";

/// Those of them that run or evaluate their words all the same.
const NOT_IN_FAMILIES: &str = "\
    cmake_run_in llvm_fix_clang_version llvm_fix_tool_path python_foreach_impl tc-env_build tc-getBUILD_PROG \
    tc-getPROG";

/// What git is asked that runs nothing of its words.
const OF_GIT: &str = "\
    add am apply checkout cherry-pick clean clone commit describe diff fetch init log ls-files merge mv reset \
    restore rev-parse revert rm show status submodule switch tag";

/// The tools of `cmake -E` that run nothing.
const OF_CMAKE: &str = "\
    cat compare_files copy copy_directory copy_if_different create_hardlink create_symlink echo make_directory \
    md5sum remove remove_directory rename rm sha256sum sha512sum sleep tar touch true";

/// What meson is asked that runs nothing of its words.
const OF_MESON: &[&str] = &["compile", "configure", "dist", "install", "setup", "test"];

/// Options behind which stands a program, a script or shell text, of programs that are plain else. A long one may be shortened.
const OPTIONS: &[(&str, &[&str])] = &[
    ("bsdtar", &["--use-compress-program"]),
    (
        "ctest",
        &[
            "-S",
            "--build-and-test",
            "--build-makeprogram",
            "--build-options",
            "--overwrite",
            "--script",
            "--script-new-process",
            "--test-command",
        ],
    ),
    ("find", &["-exec", "-execdir", "-fls", "-fprint", "-ok", "-okdir"]),
    ("install", &["--strip-program"]),
    ("makeWrapper", &["--add-flags", "--append-flags", "--argv0", "--run"]),
    ("meson", &["--gdb-path", "--wrapper"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    (
        "tar",
        &[
            "-F",
            "-I",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rmt-command",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
    ),
    ("wrapProgram", &["--add-flags", "--append-flags", "--argv0", "--run"]),
];

/// Those of them that take several letters behind one sign.
const BUNDLES: &[&str] = &["rsync", "tar"];

/// Options of nixpkgs' wrappers behind which stands the name of a variable, which is written as it is.
const NAMED: &[&str] = &["--prefix", "--set", "--set-default", "--suffix", "--unset"];

/// Programs that hand the values of their variables to a shell.
const MAKES: &[&str] = &["emake", "gmake", "make"];

/// A command without those that only run it, and without what `env` sets for it; none where one of them has options, or a program
/// stands nowhere.
fn called(mut words: &[Text]) -> Option<(&Text, &[Text])> {
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
            texts.first().is_none_or(|word| is_hook(word) || !is_name(word))
        }
        "meson" if texts.first().is_none_or(|asked| !OF_MESON.contains(&asked.as_str())) => true,
        "makeWrapper" | "wrapProgram"
            if texts.windows(2).any(|pair| NAMED.contains(&pair[0].as_str()) && !is_name(&pair[1])) =>
        {
            true
        }
        _ if MAKES.contains(&name) => rest.iter().any(asks_make),
        _ => options.is_some_and(|options| gives(name, options, &texts)),
    }
}

/// What a word says itself: what its references hold is a backend's.
fn shown(word: &Text) -> String {
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

/// The name of a program that reads its words as words; none of any other.
fn plain(program: &str) -> Option<&str> {
    let name = last_part(program);
    if is_own(program) {
        return (!SHELLS.contains(&name)).then_some("");
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

/// True for a word of make that a shell gets.
fn asks_make(word: &Text) -> bool {
    // A reference is spelt by a backend: what is looked at stands between them.
    let shell = |l: &str| l.contains(|c: char| "$`;&|()<>\n".contains(c));
    let text = shown(word);
    text.starts_with("-E") || text.starts_with("--ev") || text.contains('=') && word.literals().any(shell)
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
        || behind.into_iter().any(|w| w.contains(|c: char| "$`;&|()<>\n".contains(c)))
}

fn defines(word: &str) -> bool {
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
            &["cd", "x"],
            &["ctest", "--test-dir", "build"],
        ] {
            assert!(!runs_code(&texts(words), &own()), "{words:?}");
        }
    }
}
