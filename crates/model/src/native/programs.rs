//! Programs and functions of which it is known what they do with their words.

/// Programs that read their words as words: of coreutils and other tools, of Gentoo (PMS 12.3 and eclasses), of nixpkgs' setup.
/// Of some, single options are looked at below.
pub(super) const PLAIN: &str = "\
    : [ ar autoconf autoheader automake autoreconf b2sum base64 basename bsdtar bunzip2 bzip2 cat cd chgrp chmod chown \
    chrpath cksum cmake cmp comm cp ctest cut date desktop-file-validate diff dirname dos2unix doxygen du echo egrep \
    expand export false fgrep file find fold git gmake grep gunzip gzip head id install join llvm-strip ln local ls make \
    md5sum meson mkdir mktemp mv ninja nm nproc objcopy objdump od paste patch patchelf pathchk pkg-config popd pr printf \
    pushd pwd ranlib readelf readlink realpath rm rmdir rsync sha256sum sha512sum sleep sort split stat strings strip sum \
    tac tail tar tee test touch tr true truncate tsort umask uname unexpand uniq unlink unset unxz unzip wc which xxd xz \
    xzcat zcat zstd \
    \
    addpredict addread addwrite check_amdgpu default die diropts dobin docinto docompress doconfd dodir dodoc doenvd doexe \
    doheader dohtml doicon doinfo doinitd doins dolib.a dolib.so doman domenu domo dosbin dostrip dosym dotmpfiles eapply \
    eapply_user eautoreconf ebegin econf eend eerror einfo einstalldocs elibtoolize elog emake eninja epytest eqawarn \
    ewarn exeinto exeopts fcaps fowners fperms has_version insinto insopts into keepdir libopts newbin newconfd newdoc \
    newenvd newexe newheader newicon newinitd newins newlib.a newlib.so newman newmenu newsbin newtmpfiles optfeature \
    systemd_dounit systemd_douserunit systemd_newunit udev_dorules udev_newrules unpack use \
    \
    addToSearchPath appendToVar autoPatchelf concatTo installBin installFonts installManPage installShellCompletion \
    makeBinaryWrapper makeWrapper moveToOutput nuke-refs patchShebangs prependToVar remove-references-to runHook \
    substitute substituteAllInPlace substituteInPlace wrapProgram";

/// What functions of Gentoo's eclasses begin with that read their words as words.
pub(super) const FAMILIES: &str = "\
    append- check-reqs_ cmake_ default_ distutils-r1_ docs_ filter- linux-info_ llvm-r2_ llvm_ python_ replace- \
    rocm_ strip- tc-";

/// Those of them that run or evaluate their words all the same.
pub(super) const NOT_IN_FAMILIES: &str = "\
    cmake_run_in llvm_fix_clang_version llvm_fix_tool_path python_foreach_impl tc-env_build tc-getBUILD_PROG \
    tc-getPROG";

/// What git is asked that runs nothing of its words.
pub(super) const OF_GIT: &str = "\
    add am apply checkout cherry-pick clean clone commit describe diff fetch init log ls-files merge mv reset \
    restore rev-parse revert rm show status submodule switch tag";

/// The tools of `cmake -E` that run nothing.
pub(super) const OF_CMAKE: &str = "\
    cat compare_files copy copy_directory copy_if_different create_hardlink create_symlink echo make_directory \
    md5sum remove remove_directory rename rm sha256sum sha512sum sleep tar touch true";

/// What meson is asked that runs nothing of its words.
pub(super) const OF_MESON: &[&str] = &["compile", "configure", "dist", "install", "setup", "test"];

/// Options behind which stands a program, a script or shell text, of programs that are plain else. A long one may be shortened.
pub(super) const OPTIONS: &[(&str, &[&str])] = &[
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
    ("diropts", &["--strip-program"]),
    ("exeopts", &["--strip-program"]),
    ("insopts", &["--strip-program"]),
    ("install", &["--strip-program"]),
    ("libopts", &["--strip-program"]),
    ("makeWrapper", &["--add-flags", "--append-flags", "--argv0", "--run"]),
    ("meson", &["--cross-file", "--gdb-path", "--native-file", "--wrapper"]),
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
pub(super) const BUNDLES: &[&str] = &["rsync", "tar"];

/// What options of nixpkgs' wrappers begin with behind which stands the name of a variable, which is written as it is.
pub(super) const NAMED: &[&str] = &["--prefix", "--set", "--suffix", "--unset"];

/// Programs that hand the values of their variables to a shell.
pub(super) const MAKES: &[&str] = &["emake", "gmake", "make"];
