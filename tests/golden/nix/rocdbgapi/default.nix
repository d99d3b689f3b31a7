{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  doxygen,
  graphviz,
  writableTmpDirAsHomeHook,
  rocm-comgr,
  rocm-runtime,
  hwdata,
  texliveSmall,
  buildDocs ? true,
}:

let
  latex = texliveSmall.withPackages (ps: [
    ps.changepage
    ps.latexmk
    ps.varwidth
    ps.multirow
    ps.hanging
    ps.adjustbox
    ps.collectbox
    ps.stackengine
    ps.enumitem
    ps.alphalph
    ps.wasysym
    ps.sectsty
    ps.tocloft
    ps.newunicodechar
    ps.etoc
    ps.helvetic
    ps.wasy
    ps.courier
    ps.tabularray
    ps.ltablex
    ps.ninecolors
    ps.xltabular
  ]);
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocdbgapi";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildDocs [
    "doc"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "ROCdbgapi";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-KqvhwfIv8pbr8WbnfAKl71fg5yxbwYcpzZcGU9Htdkc=";
  };

  nativeBuildInputs = [
    cmake
    rocm-cmake
  ]
  ++ lib.optionals buildDocs [
    doxygen
    graphviz
    # TeX keeps its fonts there
    writableTmpDirAsHomeHook
    latex
  ];

  buildInputs = [
    rocm-comgr
    rocm-runtime
    hwdata
  ];

  cmakeFlags = [
    "-DPCI_IDS_PATH=${hwdata}/share/hwdata"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  postBuild = lib.optionalString buildDocs ''
    make -j$NIX_BUILD_CORES doc
  '';

  postInstall = lib.optionalString buildDocs ''
    mv $out/share/html/amd-dbgapi $doc/share/doc/amd-dbgapi/html
    rmdir $out/share/html
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Debugger's interface to the waves of AMD GPUs";
    homepage = "https://github.com/ROCm/ROCdbgapi";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
