//! Commands that are called without `|| die` in an ebuild.

/// Commands that need no `|| die`. Those of the package manager and of eclasses die by themselves
/// since EAPI 4 (PMS 12.3.3). Builtins of bash, such as `local` and `return`, don't fail here.
const HELPERS: &[&str] = &[
    "addpredict",
    "addread",
    "addwrite",
    "cuda_src_prepare",
    "default",
    "die",
    "distutils_install_for_testing",
    "dostrip",
    "eapply",
    "edo",
    "edob",
    "ego",
    "einfo",
    "einstalldocs",
    "elog",
    "emake",
    "epytest",
    "eval",
    "ewarn",
    "exeinto",
    "eprefixify",
    "export",
    "fowners",
    "fperms",
    "hprefixify",
    "insinto",
    "keepdir",
    "local",
    "newbin",
    "newins",
    "optfeature",
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
    "strip-",
    "systemd_",
    "tc-",
];

/// Returns true for a command that installs files, such as `dobin` and `newins` (PMS 12.3).
fn installs(name: &str) -> bool {
    [
        "bin", "conf", "confd", "doc", "envd", "exe", "header", "html", "info", "initd", "ins",
        "lib", "lib.a", "lib.so", "man", "sbin", "sym",
    ]
    .iter()
    .any(|w| name.strip_prefix("do").or(name.strip_prefix("new")) == Some(*w))
        || name == "dodir"
}

/// The first letters of functions that print a result, such as `get_` of `get_libdir`. The result
/// may be empty, so their exit status is no error.
const QUESTIONS: &[&str] = &[
    "get_",
    "makeopts_",
    "prefixify_",
    "python_get_",
    "tc-get",
    "test-flag",
    "use",
    "ver_",
];

/// Returns true for a function that is called for the text that it prints.
pub(crate) fn is_question(name: &str) -> bool {
    QUESTIONS.iter().any(|q| name.starts_with(q))
}

/// Returns true for a command that needs no `|| die`, as it dies by itself or does not fail.
pub(crate) fn is_helper(name: &str) -> bool {
    HELPERS.contains(&name) || HELPER_PREFIXES.iter().any(|p| name.starts_with(p)) || installs(name)
}
