//! Which commands may run one of their words: what a stranger's profile can't say with `--no-raw`.
//!
//! Nobody can list all programs that run their words, so those are listed that do not. What is none of them may be right, and is said.

use super::{file_name, last_part, program};
use crate::text::{Piece, Text};

/// Programs that read their words as words: of coreutils and other tools, of Gentoo (PMS 12.3 and eclasses), of nixpkgs' setup.
/// Of some, single options are looked at below.
const PLAIN: &str = "\
    ar autoconf autoheader automake autoreconf b2sum basename bunzip2 bzip2 cat chgrp chmod chown chrpath cksum cmake cmp comm cp \
    ctest cut date diff dirname du echo expand export false fgrep file find fold git gmake grep egrep gunzip gzip head id \
    install join ln local ls make md5sum meson mkdir mktemp mv ninja nm objcopy objdump od paste patch patchelf pathchk pr printf \
    pwd ranlib readelf readlink realpath rm rmdir rsync sha256sum sha512sum sleep sort split stat strings strip sum tac tail tar \
    tee test touch tr true truncate tsort uname unexpand uniq unlink unset unxz unzip wc xz xzcat zcat zstd \
    \
    addpredict addread addwrite check_amdgpu default dobin docinto docompress doconfd dodir dodoc doenvd doexe doheader dohtml \
    doicon doinfo doinitd doins dolib.a dolib.so doman domenu domo dosbin dosym dostrip eapply ebegin econf eend eerror einfo \
    einstalldocs elog emake epytest ewarn exeinto fowners fperms has_version insinto into keepdir newbin newconfd newdoc newenvd \
    newexe newheader newicon newinitd newins newlib.a newlib.so newman newmenu newsbin optfeature unpack use \
    \
    addToSearchPath appendToVar concatTo installBin installFonts installManPage installShellCompletion makeWrapper moveToOutput \
    nuke-refs patchShebangs prependToVar remove-references-to runHook substituteAllInPlace substituteInPlace wrapProgram";

/// What functions of Gentoo's eclasses begin with that read their words as words.
const FAMILIES: &[&str] = &[
    "append-",
    "check-reqs_",
    "cmake_",
    "default_",
    "distutils-r1_",
    "docs_",
    "filter-",
    "flag-o-matic",
    "linux-info_",
    "llvm-r2_",
    "llvm_",
    "python_",
    "replace-",
    "rocm_",
    "strip-",
    "tc-",
];

/// What git is asked that runs nothing of its words.
const OF_GIT: &[&str] = &[
    "add",
    "am",
    "apply",
    "checkout",
    "cherry-pick",
    "clean",
    "clone",
    "describe",
    "fetch",
    "init",
    "mv",
    "reset",
    "restore",
    "rev-parse",
    "revert",
    "rm",
    "show",
    "status",
    "submodule",
    "switch",
];

/// Programs whose arguments may be a program, or that run one: what they do is no longer a matter of words.
const SHELLS: &[&str] = &[
    "ash", "awk", "bash", "busybox", "csh", "dash", "ed", "ex", "expect", "fish", "gawk", "ksh", "m4",
    "mawk", "mksh", "nawk", "parallel", "sed", "sh", "source", "tcsh", "xargs", "zsh",
];

/// Programs that take a program among their options.
const INTERPRETERS: &[&str] =
    &["guile", "lua", "luajit", "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "tclsh"];

/// Options behind which stands a program, whatever takes them.
const PROGRAM_OPTIONS: &[&str] = &[
    "--checkpoint-action",
    "--command",
    "--compress-program",
    "--eval",
    "--rsh",
    "--rsh-command",
    "--run",
    "--strip-program",
    "--to-command",
    "--use-compress-program",
    "-exec",
    "-execdir",
    "-ok",
    "-okdir",
];

/// Programs with options of their own behind which stands a program, a script or shell text. GNU programs take a long option by
/// its begin.
const OWN_OPTIONS: &[(&str, &[&str])] = &[
    ("cmake", &["-C", "-P"]),
    ("ctest", &["-S", "--build", "--overwrite", "--script", "--test-command"]),
    ("flock", &["-c"]),
    ("git", &["-c", "-u", "-x", "--config", "--config-env", "--exec", "--receive-pack", "--upload-pack"]),
    ("install", &["--strip-program"]),
    ("meson", &["--gdb-path", "--wrapper"]),
    ("makeWrapper", &["--add-flags", "--append-flags"]),
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("script", &["-c"]),
    ("sort", &["--compress-program"]),
    ("split", &["--filter"]),
    ("su", &["-c"]),
    (
        "tar",
        &[
            "-F",
            "-I",
            "--checkpoint-action",
            "--info-script",
            "--new-volume-script",
            "--rsh-command",
            "--to-command",
            "--use-compress-program",
        ],
    ),
    ("wrapProgram", &["--add-flags", "--append-flags"]),
];

/// Those of them that take several letters behind one sign.
const BUNDLES: &[&str] = &["rsync", "tar"];

/// Programs that hand the values of their variables to a shell.
const MAKES: &[&str] = &["bmake", "emake", "gmake", "make"];

/// Variables of the environment by which programs are told what to run, or what to load first; the rest by what it ends with.
const RUNS: &[&str] = &[
    "BASH_ENV",
    "CTEST_INTERACTIVE_DEBUG_MODE",
    "EDITOR",
    "ENV",
    "GNUMAKEFLAGS",
    "IFS",
    "LD_AUDIT",
    "LD_LIBRARY_PATH",
    "LD_PRELOAD",
    "MAKEFILES",
    "MAKEFLAGS",
    "MFLAGS",
    "NODE_OPTIONS",
    "PAGER",
    "PATH",
    "PERL5LIB",
    "PERL5OPT",
    "PROMPT_COMMAND",
    "PS4",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONPATH",
    "PYTHONSTARTUP",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "VISUAL",
];

/// What the names of variables begin with that git reads as what it is configured by.
const RUNS_BEGIN: &[&str] = &["GIT_", "BASH_FUNC_", "SSH_", "RULE_LAUNCH_"];

/// What the names of variables, of the environment and of CMake, end with whose values are commands.
const RUNS_END: &[&str] = &[
    "_COMMAND",
    "_EMULATOR",
    "_LAUNCHER",
    "_LAUNCH_COMPILE",
    "_LAUNCH_CUSTOM",
    "_LAUNCH_LINK",
    "_MAKE_PROGRAM",
    "_PAGER",
    "_WRAPPER",
];

/// Variables of the environment that name a tool of the compiler, and how CMake calls them.
const TOOLS: &[&str] = &[
    "AR", "AS", "CC", "CPP", "CXX", "FC", "F77", "HIPCC", "HIPCXX", "LD", "NM", "OBJCOPY", "RANLIB", "STRIP",
];

/// True for a variable whose value is a command, or for one of a tool whose value is more than a name. `AS_` of CMake, `-D` or not.
pub(crate) fn is_handed_to_a_shell(name: &str, value: Option<&Text>) -> bool {
    let name = name.trim_start_matches("-D");
    let name = name.split(':').next().unwrap_or_default();
    let tool = TOOLS.contains(&name)
        || name.starts_with("CMAKE_") && TOOL_OF_CMAKE.iter().any(|end| name.ends_with(end));
    let more = || {
        value.is_some_and(|v| {
            v.literals().any(|l| l.contains(|c: char| c.is_whitespace() || ";$`|&<>()".contains(c)))
        })
    };
    RUNS.contains(&name)
        || RUNS_BEGIN.iter().any(|begin| name.starts_with(begin))
        || RUNS_END.iter().any(|end| name.ends_with(end))
        || tool && more()
}

/// What the names of CMake's variables end with that name a tool.
const TOOL_OF_CMAKE: &[&str] = &["_AR", "_COMPILER", "_LINKER", "_RANLIB"];

/// True for a word that names a program which takes a program among its options.
pub(super) fn is_interpreter(word: &Text) -> bool {
    let name = file_name(word).map(|n| n.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.'));
    name.is_some_and(|n| INTERPRETERS.contains(&n))
}

/// True for a command of which a word may be run. Which word is the program is not known behind `timeout 5` and its like, so
/// each that is called like one counts.
pub(super) fn runs_code(words: &[Text]) -> bool {
    let text = |w: &Text| w.as_literal().unwrap_or_else(|| w.to_string());
    let option = |w: &Text| {
        let text = text(w);
        PROGRAM_OPTIONS.contains(&text.split('=').next().unwrap_or_default())
    };
    // Its options begin with a sign, or a reference holds them.
    let opens = |w: &Text| match w.pieces.first() {
        Some(Piece::Literal(text)) => text.starts_with('-'),
        _ => true,
    };
    let at = words.iter().position(is_interpreter);
    program(words).is_some_and(|w| !is_plain(w) && !is_interpreter(w))
        || words.iter().filter_map(file_name).any(|name| SHELLS.contains(&name))
        || words.iter().any(option)
        || (0..words.len()).any(|at| own_option(words, at) || asks_git(words, at) || asks_cmake(words, at))
        || at.is_some_and(|at| words[at + 1..].iter().any(opens))
}

/// True for a program that reads its words as words, and for one of the package's own, by its path among the sources.
fn is_plain(word: &Text) -> bool {
    // What a reference names, or leads to, may be any program.
    let Some(word) = word.as_literal() else { return false };
    let name = last_part(&word);
    let own = word.contains('/') && !word.starts_with('/') && !word.split('/').any(|part| part == "..");
    own || word.starts_with('%')
        || PLAIN.split_whitespace().any(|plain| plain == name)
        || FAMILIES.iter().any(|begin| name.starts_with(begin))
}

/// True for git where it is asked for what may run a word.
fn asks_git(words: &[Text], at: usize) -> bool {
    if file_name(&words[at]) != Some("git") {
        return false;
    }
    let mut behind = words[at + 1..].iter().map(Text::as_literal);
    while let Some(word) = behind.next() {
        match word.as_deref() {
            // Its value is the next word.
            Some("-C" | "--git-dir" | "--work-tree") => _ = behind.next(),
            Some(option) if option.starts_with('-') => {}
            Some("submodule") => return behind.any(|w| w.is_none_or(|w| w == "foreach")),
            Some(asked) => return !OF_GIT.contains(&asked),
            None => return true,
        }
    }
    false
}

/// True for `cmake -E env` and its like, which run what stands behind, and for arguments that name what is run.
fn asks_cmake(words: &[Text], at: usize) -> bool {
    if file_name(&words[at]) != Some("cmake") {
        return false;
    }
    let literals: Vec<String> =
        words[at + 1..].iter().map(|w| w.as_literal().unwrap_or_else(|| w.to_string())).collect();
    let runs =
        |pair: &[String]| pair[0] == "-E" && ["env", "time", "__run_co_compile"].contains(&pair[1].as_str());
    let define = |word: &String| {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        word.starts_with("-D") && is_handed_to_a_shell(name, Some(&Text::literal(value)))
    };
    literals.windows(2).any(runs) || literals.iter().any(define)
}

/// True when a word is a program whose own options or variables, behind it, hold what it runs.
fn own_option(words: &[Text], at: usize) -> bool {
    let Some(name) = file_name(&words[at]) else { return false };
    let behind = || words[at + 1..].iter().map(|w| w.as_literal().unwrap_or_else(|| w.to_string()));
    if MAKES.contains(&name) {
        // A reference is spelt by a backend: what is looked at stands between them.
        let shell = |w: &Text| {
            let mut literals = w.literals();
            w.to_string().contains('=') && literals.any(|l| l.contains(|c: char| "$`;&|()<>\n".contains(c)))
        };
        let option = |w: String| w.starts_with("-E") || w.starts_with("--ev");
        return words[at + 1..].iter().any(shell) || behind().any(option);
    }
    let Some((_, options)) = OWN_OPTIONS.iter().find(|(program, _)| *program == name) else { return false };
    let given = |(i, word): (usize, String)| {
        let long = word.split('=').next().unwrap_or_default();
        options.iter().any(|option| match option.strip_prefix("--") {
            Some(_) => long.len() > 4 && option.starts_with(long),
            None if word.starts_with("--") => false,
            // Tar takes its letters without a sign too.
            None if BUNDLES.contains(&name) => {
                (word.starts_with('-') || (name == "tar" && i == 0)) && word.contains(&option[1..])
            }
            None => word.starts_with(option),
        })
    };
    behind().enumerate().any(given)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::Span;

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
        ] {
            assert!(runs_code(&texts(words)), "{words:?}");
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
        ] {
            assert!(!runs_code(&texts(words)), "{words:?}");
        }
    }
}
