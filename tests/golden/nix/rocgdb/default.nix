{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  python3,
  texinfo,
  bison,
  flex,
  pkg-config,
  perl,
  rocdbgapi,
  gmp,
  mpfr,
  expat,
  ncurses,
  zlib,
  zstd,
  babeltrace,
  source-highlight,
}:

let
  cFlags = "-Wno-switch -Wno-format-nonliteral -I${lib.getDev zstd}/include -I${lib.getDev zlib}/include -I${lib.getDev expat}/include -I${lib.getDev ncurses}/include";
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocgdb";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "ROCgdb";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-oml/HLExnnjh7+axeWPZRWecpwK2BnzVOaGvXYhrxKs=";
  };

  configureFlags = [
    # Code of GPUs, and of this processor
    "--enable-targets=${stdenv.targetPlatform.config},amdgcn-amd-amdhsa"
    "--with-amd-dbgapi=yes"
    "--with-iconv-path=${lib.getBin stdenv.cc.libc}"
    "--enable-tui"
    "--with-babeltrace=${babeltrace}"
    "--with-python=python3"
    "--with-system-zlib"
    "--with-system-zstd"
    "--enable-64-bit-bfd"
    "--with-gmp=${lib.getDev gmp}"
    "--with-mpfr=${lib.getDev mpfr}"
    "--with-expat=${expat}"
    # Its program is called rocgdb
    "--program-prefix=roc"
    # Not needed to debug GPUs
    "--disable-sim"
    "--disable-gdbserver"
    "--disable-ld"
    "--disable-gas"
    "--disable-gdbtk"
    "--disable-gprofng"
    "--disable-shared"
  ];

  postPatch = ''
    for file in *; do
      if [ -f "$file" ]; then
        patchShebangs "$file"
      fi
    done
  '';

  nativeBuildInputs = [
    python3
    texinfo
    bison
    flex
    pkg-config
    # mkinstalldirs is a script of it
    perl
  ];

  buildInputs = [
    rocdbgapi
    gmp
    mpfr
    expat
    ncurses
    zlib
    zstd
    python3
    babeltrace
    source-highlight
  ];

  env = {
    CFLAGS = cFlags;
    CXXFLAGS = cFlags;
  };

  installPhase = ''
    # The tree holds all of GNU's tools, and the debugger alone is wanted
    make install-gdb
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "GDB that debugs programs on AMD GPUs too";
    homepage = "https://github.com/ROCm/ROCgdb";
    license = lib.licenses.gpl3Plus;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
