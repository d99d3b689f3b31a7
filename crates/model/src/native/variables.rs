//! Variables whose values are code: of the environment, and of CMake.

/// Shells, by the names of their programs.
pub(super) const SHELLS: &[&str] = &[
    "ash", "awk", "bash", "busybox", "csh", "dash", "ed", "ex", "expect", "fish", "gawk", "ksh", "m4",
    "mawk", "mksh", "nawk", "parallel", "rbash", "sed", "sh", "tcsh", "xargs", "zsh",
];

/// Programs that take a program among their options.
pub(super) const INTERPRETERS: &[&str] =
    &["guile", "lua", "luajit", "node", "nodejs", "perl", "php", "pypy", "python", "ruby", "tclsh"];

/// Variables of the environment by which programs are told what to run, or what to load first.
const RUNS: &[&str] = &[
    "ACLOCAL",
    "AUTOCONF",
    "AUTOHEADER",
    "AUTOM4TE",
    "AUTOMAKE",
    "BASH_ENV",
    "CCACHE_PREFIX",
    "CMAKE_BINARY",
    "CMAKE_TOOLCHAIN_FILE",
    "CONFIG_SHELL",
    "CONFIG_SITE",
    "CTEST_INTERACTIVE_DEBUG_MODE",
    "EDITOR",
    "ENV",
    "EXTRA_ECONF",
    "GCC_EXEC_PREFIX",
    "GNUMAKEFLAGS",
    "HOME",
    "IFS",
    "LD_AUDIT",
    "LD_PRELOAD",
    "LIBTOOLIZE",
    "LUA_INIT",
    "M4",
    "MAKE",
    "MAKEFILES",
    "MAKEFLAGS",
    "MAKEOPTS",
    "MFLAGS",
    "NINJAFLAGS",
    "NINJAOPTS",
    "NODE_OPTIONS",
    "PAGER",
    "PERL5LIB",
    "PERL5OPT",
    "PKG_CONFIG",
    "PROMPT_COMMAND",
    "PS4",
    "PYTEST_ADDOPTS",
    "PYTEST_PLUGINS",
    "PYTHONHOME",
    "PYTHONINSPECT",
    "PYTHONSTARTUP",
    "RSYNC_RSH",
    "RUBYOPT",
    "SHELL",
    "SHELLOPTS",
    "TAR_OPTIONS",
    "VISUAL",
    "BROWSER",
    "BUILD_CC",
    "BUILD_CXX",
    "CUDACXX",
    "EXTRA_EMAKE",
    "INSTALL",
    "MYCMAKEARGS",
    "PYTHONWARNINGS",
    "XDG_CONFIG_HOME",
    "buildCommand",
    "shellHook",
    "stdenv",
];

/// What the names of variables begin with that git, bash and ssh read as what they are configured by.
const RUNS_BEGIN: &[&str] = &["BASH_FUNC_", "GIT_", "SSH_"];

/// Those of them that are names of people and times.
const PLAIN_BEGIN: &[&str] = &["GIT_AUTHOR_", "GIT_COMMITTER_"];

/// What the names of variables, of the environment and of CMake, end with whose values are commands.
const RUNS_END: &[&str] = &[
    "_CLANG_TIDY",
    "_COMMAND",
    "_CPPCHECK",
    "_CPPLINT",
    "_EMULATOR",
    "_INCLUDE_WHAT_YOU_USE",
    "_LAUNCHER",
    "_LAUNCH_COMPILE",
    "_LAUNCH_CUSTOM",
    "_LAUNCH_LINK",
    "_MAKE_PROGRAM",
    "_PAGER",
    "_RSH",
    "_WRAPPER",
];

/// What the names of CMake's own variables hold that are rules of the build, or files that it runs.
const RULES: &[&str] = &[
    "_ARCHIVE_APPEND",
    "_ARCHIVE_CREATE",
    "_ARCHIVE_FINISH",
    "_COMPILE_OBJECT",
    "_CREATE_",
    "_LINK_EXECUTABLE",
    "_TOOLCHAIN_FILE",
    "_TOP_LEVEL_INCLUDES",
    "_USER_MAKE_RULES",
];

/// Variables of the environment that name a tool of the compiler.
const TOOLS: &[&str] = &[
    "AR", "AS", "CC", "CPP", "CXX", "F77", "FC", "HIPCC", "HIPCXX", "LD", "NM", "OBJCOPY", "RANLIB", "STRIP",
];

/// What the names of CMake's variables end with that name a tool.
const TOOL_OF_CMAKE: &[&str] = &["_AR", "_COMPILER", "_EXECUTABLE", "_LINKER", "_NM", "_RANLIB", "_STRIP"];

/// True for a variable of the environment whose value is code: a command, options of one, or text that a shell or make expands.
pub(super) fn of_environment(name: &str, value: &str) -> bool {
    let begins = |list: &[&str]| list.iter().any(|begin| name.starts_with(begin));
    RUNS.contains(&name)
        || begins(RUNS_BEGIN) && !begins(PLAIN_BEGIN)
        || ends(name, RUNS_END) && !is_switch(value)
        || TOOLS.contains(&name) && !is_tool(value)
        || is_hook(name)
        || LISTS.contains(&name)
        || expands(value)
        || name.contains("FLAGS") && run_something(value)
}

/// Lists of options that nixpkgs' phases hand to tools.
pub(super) const LISTS: &[&str] =
    &["cmakeFlags", "configureFlags", "installFlags", "makeFlags", "mesonFlags", "ninjaFlags"];

/// True for flags by which a compiler runs or loads a program, or which a shell reads as more than flags.
pub(super) fn run_something(value: &str) -> bool {
    let runs = ["-wrapper", "-specs", "--specs", "-fplugin", "-fpass-plugin", "-B", "-load"];
    let loads = value.split_whitespace().any(|flag| runs.iter().any(|begin| flag.starts_with(begin)));
    loads || expands(value) || value.contains([';', '|', '&', '<', '>'])
}

/// True for an argument of CMake whose value is code: `-D` and the type may stand with its name.
pub(super) fn of_cmake(name: &str, value: &str) -> bool {
    let name =
        name.trim_start_matches("-D").trim_start_matches(['=', ' ']).split(':').next().unwrap_or_default();
    let own = name.starts_with("CMAKE_");
    // Another option: a script, a file of values.
    let option = ["-C", "-P", "--"].iter().any(|begin| name.starts_with(begin));
    option
        || ends(name, RUNS_END) && !is_switch(value)
        || name.starts_with("RULE_LAUNCH_")
        || own && (RULES.iter().any(|part| name.contains(part)) || includes(name))
        || ends(name, TOOL_OF_CMAKE) && !is_tool(value)
        || name.contains("FLAGS") && run_something(value)
}

/// True for the name of a hook or a phase of nixpkgs, the value of which is evaluated.
pub(super) fn is_hook(name: &str) -> bool {
    let behind = |begin| {
        name.strip_prefix(begin).is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_uppercase()))
    };
    let ends = ["Phase", "Phases", "Hook", "Hooks"].iter().any(|end| name.ends_with(end));
    behind("pre") || behind("post") || ends
}

/// True for what a shell or make reads as a command inside of text.
fn expands(value: &str) -> bool {
    value.contains(['`', '\n']) || value.contains("$(") || value.contains("${")
}

/// `CMAKE_PROJECT_INCLUDE`, `CMAKE_PROJECT_x_INCLUDE_BEFORE` and their like.
fn includes(name: &str) -> bool {
    name.starts_with("CMAKE_PROJECT_") && name.contains("INCLUDE")
}

fn ends(name: &str, list: &[&str]) -> bool {
    list.iter().any(|end| name.ends_with(end))
}

/// True for a value that only turns something on or off.
fn is_switch(value: &str) -> bool {
    ["", "ON", "OFF", "TRUE", "FALSE", "YES", "NO", "1", "0"].contains(&value.to_ascii_uppercase().as_str())
}

/// True for the name of one program that is no shell.
fn is_tool(value: &str) -> bool {
    let name = value.rsplit('/').next().unwrap_or_default();
    let bare = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    !SHELLS.contains(&name)
        && !INTERPRETERS.contains(&bare)
        && !value.contains(|c: char| c.is_whitespace() || "$;|&<>()`".contains(c))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_that_say_what_is_run_are_code() {
        for (name, value) in [
            ("LD_PRELOAD", "./x.so"),
            ("GIT_SSH_COMMAND", "x"),
            ("CC", "sh"),
            ("CXX", "python3"),
            ("CC", "touch x"),
            ("preInstall", "touch x"),
            ("postBuildHooks", "touch x"),
            ("CFLAGS", "$(shell touch x)"),
            ("LDFLAGS", "; touch x"),
            ("ANY", "`touch x`"),
            ("PYTEST_ADDOPTS", "-p x"),
            ("CXXFLAGS", "-wrapper touch,x"),
            ("cmakeFlags", "-C x.txt"),
        ] {
            assert!(of_environment(name, value), "{name}");
        }
        for (name, value) in [
            ("GIT_AUTHOR_NAME", "x"),
            ("LD_LIBRARY_PATH", "/lib"),
            ("CC", "/bin/amdclang"),
            ("BUILD_FORTRAN_WRAPPER", "ON"),
            ("GPU_TARGETS", "gfx900;gfx906"),
            ("CFLAGS", "-O2 -DX='y'"),
            ("prefix", "x"),
            ("posture", "x"),
        ] {
            assert!(!of_environment(name, value), "{name}");
        }
    }

    #[test]
    fn arguments_of_cmake_that_say_what_is_run_are_code() {
        for (name, value) in [
            ("CMAKE_CXX_COMPILER_LAUNCHER", "x"),
            ("-DCMAKE_CXX_COMPILER:STRING", "x;-c;y"),
            ("CMAKE_CXX_CLANG_TIDY", "x"),
            ("CMAKE_CXX_COMPILE_OBJECT", "touch x"),
            ("CMAKE_C_CREATE_SHARED_LIBRARY", "touch x"),
            ("CMAKE_PROJECT_sample_INCLUDE_BEFORE", "x.txt"),
            ("CMAKE_TOOLCHAIN_FILE", "x.txt"),
            ("PERL_EXECUTABLE", "sh;-c;touch x"),
            ("CMAKE_CXX_FLAGS", "; touch x #"),
            ("CMAKE_CXX_FLAGS", "-O2 -wrapper touch,x"),
            ("-Cx.txt", ""),
            ("--toolchain=x.txt", ""),
            ("-D=CMAKE_TOOLCHAIN_FILE", "x.txt"),
            ("-D CMAKE_TOOLCHAIN_FILE", "x.txt"),
        ] {
            assert!(of_cmake(name, value), "{name}");
        }
        for (name, value) in [
            ("CMAKE_CXX_COMPILER", "amdclang++"),
            ("BUILD_FORTRAN_WRAPPER", "ON"),
            ("GIT_COMMIT", "x"),
            ("GPU_TARGETS", "gfx900;gfx906"),
            ("CMAKE_CXX_FLAGS", "-O2"),
            ("Python_EXECUTABLE", "/usr/bin/tool"),
            ("CMAKE_INSTALL_PREFIX", "/usr"),
        ] {
            assert!(!of_cmake(name, value), "{name}");
        }
    }
}
