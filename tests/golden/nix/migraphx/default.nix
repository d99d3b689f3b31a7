{
  lib,
  stdenv,
  callPackage,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  python3,
  pkg-config,
  doxygen,
  sphinx,
  docutils,
  ghostscript,
  python3Packages,
  writableTmpDirAsHomeHook,
  rocblas,
  miopen,
  hipblas,
  hipblas-common,
  hipblaslt,
  rocmlir-rock,
  protobuf,
  msgpack-cxx,
  sqlite,
  half,
  nlohmann_json,
  onednn_2,
  blaze,
  openmp,
  boost,
  abseil-cpp,
  texliveSmall,
  buildTests ? false,
  buildDocs ? false,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  # The build looks for headers beside the compiler only
  includes = "-w -isystem${rocmlir-rock}/include/rocmlir -I${half}/include -I${lib.getInclude abseil-cpp}/include -I${hipblas-common}/include -I${lib.getInclude protobuf}/include";
  latex = texliveSmall.withPackages (ps: [
    ps.latexmk
    ps.tex-gyre
    ps.fncychap
    ps.wrapfig
    ps.capt-of
    ps.framed
    ps.needspace
    ps.tabulary
    ps.varwidth
    ps.titlesec
    ps.epstopdf
  ]);
in
stdenv.mkDerivation (finalAttrs: {
  pname = "migraphx";
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
    repo = "AMDMIGraphX";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-raYsrMZASdEIxSstk14b38q9dt5EOq3rKidoFvobnxk=";
  };

  postPatch = ''
    export CXXFLAGS+=" ${includes}"
    patchShebangs tools

    # The checks of clang-tidy don't find HIP's headers
    substituteInPlace CMakeLists.txt \
      --replace-quiet 'set(MIGRAPHX_TIDY_ERRORS ALL)' ""

    # Its sign is no ASCII character, and does not fit into the array of bytes that the file becomes
    substituteInPlace src/targets/gpu/kernels/include/migraphx/kernels/bit.hpp \
      --replace-fail '// popcount(~(x | −x))' '// popcount(~(x | -x))'
  ''
  + lib.optionalString (!buildDocs) ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(doc)' ""
  ''
  + lib.optionalString (!buildTests) ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(test)' ""
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    python3
    pkg-config
  ]
  ++ lib.optionals buildDocs [
    doxygen
    sphinx
    docutils
    ghostscript
    python3Packages.sphinx-rtd-theme
    python3Packages.breathe
    writableTmpDirAsHomeHook
    latex
  ];

  buildInputs = [
    rocblas
    miopen
    hipblas
    hipblas-common
    hipblaslt
    rocmlir-rock
    protobuf
    msgpack-cxx
    sqlite
    half
    nlohmann_json
    python3Packages.pybind11
    onednn_2
    blaze
    openmp
    boost
    abseil-cpp
    python3Packages.onnx
  ];

  env.LDFLAGS = "-Wl,--allow-shlib-undefined";

  cmakeFlags = [
    "-DROCM_PATH=${clr}"
    "-DHIP_ROOT_DIR=${clr}"
    "-DCMAKE_C_COMPILER=amdclang"
    "-DCMAKE_CXX_COMPILER=amdclang++"
    "-DCMAKE_VERBOSE_MAKEFILE=ON"
    "-DMIGRAPHX_ENABLE_CPU=ON"
    "-DMIGRAPHX_USE_COMPOSABLEKERNEL=OFF"
    "-DMIGRAPHX_ENABLE_GPU=ON"
    "-DMIGRAPHX_ENABLE_FPGA=ON"
    "-DMIGRAPHX_ENABLE_MLIR=ON"
    # lld fails otherwise
    "-DEMBED_USE=CArrays"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ];

  preInstall = lib.optionalString buildDocs ''
    make -j$NIX_BUILD_CORES doc
    pushd "$NIX_BUILD_TOP/$sourceRoot"/doc/pdf
    make -j$NIX_BUILD_CORES
    popd
  '';

  postInstall =
    lib.optionalString buildDocs ''
      mv "$NIX_BUILD_TOP/$sourceRoot"/doc/html $out/share/doc/migraphx
      mv "$NIX_BUILD_TOP/$sourceRoot"/doc/pdf/MIGraphX.pdf $out/share/doc/migraphx
    ''
    + lib.optionalString buildTests ''
      mkdir -p $test/bin
      mv bin/test_* $test/bin
      patchelf "$test"/bin/test_* --shrink-rpath --allowed-rpath-prefixes "$NIX_STORE"
    '';

  passthru = {
    impureTests.migraphx-driver = callPackage ./test-migraphx-driver.nix {
      migraphx = finalAttrs.finalPackage;
    };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Compiler and engine that run neural networks as graphs";
    homepage = "https://github.com/ROCm/AMDMIGraphX";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
