{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  protobuf,
  pkg-config,
  doxygen,
  graphviz,
  amdsmi,
  rocm-runtime,
  grpc,
  libcap,
  rocm-smi,
  libdrm,
  openssl,
  gtest,
  texliveSmall,
  buildTests ? false,
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
  ]);
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rdc";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildDocs [
    "doc"
  ]
  ++ lib.optionals buildTests [
    "test"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rdc"
      "shared"
    ];
    hash = "sha256-SmySauRxFnEQJVTjGYf4TpmQclTwZG2RZrk3u6ko5Qo=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rdc";

  patches = [
    # https://github.com/ROCm/rocm-systems/pull/2423
    ./fix-cmake-cxxflags.patch
    # https://github.com/ROCm/rocm-systems/pull/2424
    ./fix-libcap-pkgconfig.patch
  ];

  postPatch = ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'file(STRINGS /etc/os-release LINUX_DISTRO LIMIT_COUNT 1 REGEX "NAME=")' 'set(LINUX_DISTRO "NixOS")'
  '';

  nativeBuildInputs = [
    cmake
    protobuf
    pkg-config
  ]
  ++ lib.optionals buildDocs [
    doxygen
    graphviz
    latex
  ];

  buildInputs = [
    amdsmi
    rocm-runtime
    grpc
    libcap
    rocm-smi
    libdrm
    openssl
  ]
  ++ lib.optionals buildTests [
    gtest
  ];

  cmakeFlags = [
    "-DBUILD_RVS=OFF"
    "-DCMAKE_VERBOSE_MAKEFILE=ON"
    "-DRDC_INSTALL_PREFIX=${placeholder "out"}"
    "-DBUILD_ROCRTEST=ON"
    "-DRSMI_INC_DIR=${rocm-smi}/include"
    "-DRSMI_LIB_DIR=${rocm-smi}/lib"
    "-DGRPC_ROOT=${grpc}"
    (lib.cmakeFeature "CMAKE_INSTALL_LIBEXECDIR" "libexec")
    (lib.cmakeFeature "CMAKE_INSTALL_DOCDIR" "doc")
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals buildTests [
    "-DBUILD_TESTS=ON"
  ];

  postInstall = ''
    # Paths of the build folder
    find $out/bin -executable -type f -exec patchelf {} --shrink-rpath --allowed-rpath-prefixes "$NIX_STORE" \;
  ''
  + lib.optionalString buildTests ''
    mkdir -p $test/bin
    mv $out/bin/rdctst_tests $test/bin
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Watches the GPUs of a data centre, by a daemon and its client";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rdc";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
