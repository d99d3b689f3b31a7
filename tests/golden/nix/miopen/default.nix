{
  lib,
  stdenv,
  callPackage,
  fetchFromGitHub,
  fetchpatch,
  fetchurl,
  cmake,
  rocm-cmake,
  clr,
  pkg-config,
  rocrand,
  rocblas,
  hipblaslt,
  hipblas-common,
  sqlite,
  bzip2,
  boost,
  roctracer,
  nlohmann_json,
  half,
  rocmlir-rock,
  frugally-deep,
  hipblas,
  composable_kernel,
  gtest,
  zlib,
  doxygen,
  sphinx,
  rocm-docs-core,
  python3Packages,
  symlinkJoin,
  linkFarm,
  runCommand,
  lbzip2,
  texliveSmall,
  rocm-runtime,
  rocm-comgr,
  buildTests ? false,
  withComposableKernel ? !composable_kernel.meta.broken,
  buildDocs ? false,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  # The build looks for headers beside the compiler only
  cFlags = "-Wno-documentation-pedantic --offload-compress -I${hipblas-common}/include -I${hipblas}/include -I${roctracer}/include -I${nlohmann_json}/include -I${lib.getDev sqlite}/include -I${rocrand}/include";
  # Headers that kernels include which are compiled at run time
  runTimeRocm = symlinkJoin {
    name = "miopen-run-time-rocm";
    paths = [
      clr
      rocrand
    ];
  };
  # Kernels that AMD built, some hundred megabytes for each processor
  kernelDatabases = linkFarm "miopen-kernel-databases" (
    lib.mapAttrs' (
      target: archive:
      lib.nameValuePair "${target}.kdb" (
        runCommand "miopen-${target}.kdb"
          {
            archive = fetchurl archive;
            preferLocalBuild = true;
          }
          ''
            ${lib.getExe' lbzip2 "lbzip2"} -dc $archive > $out
          ''
      )
    ) (lib.filterAttrs (target: _: lib.elem target supportedTargets) (import ./kdbs.nix))
  );
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
  ]);
  # Composable Kernel's headers define CK_BUFFER_RESOURCE_3RD_DWORD for these alone
  supportedTargets = lib.intersectLists gpuTargets [
    "gfx900"
    "gfx906"
    "gfx908"
    "gfx90a"
    "gfx942"
    "gfx950"
    "gfx1030"
    "gfx1031"
    "gfx1100"
    "gfx1101"
    "gfx1102"
    "gfx1150"
    "gfx1151"
    "gfx1200"
    "gfx1201"
  ];
in
stdenv.mkDerivation (finalAttrs: {
  pname = "miopen";
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
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/miopen"
      "shared"
    ];
    fetchSubmodules = true;
    hash = "sha256-plZpBTbEBVMa5CasjfbUsu45xP/BYstrEpWKK2H7QQ4=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/miopen";

  patches = [
    ./skip-preexisting-dbs.patch
    # PyTorch needs zstd as a target
    (fetchpatch {
      name = "miopen-find-zstd.patch";
      url = "https://github.com/ROCm/MIOpen/commit/e608b4325646afeabb5e52846997b926d2019d19.patch";
      hash = "sha256-oxa3qlIC2bzbwGxrQOZXoY/S7CpLsMrnWRB7Og0tk0M=";
    })
    (fetchpatch {
      name = "miopen-zstd-target.patch";
      url = "https://github.com/ROCm/MIOpen/commit/3413d2daaeb44b7d6eadcc03033a5954a118491e.patch";
      hash = "sha256-ST4snUcTmmSI1Ogx815KEX9GdMnmubsavDzXCGJkiKs=";
    })
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "miopen-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-libraries/commit/02f0fedffdc197f146dd45f41e10990a00cde3ee.patch";
      relative = "projects/miopen";
      hash = "sha256-My32iZw75rvB4fyvUJJ2kw2bU9/39awGteFGjzijixw=";
    })
  ];

  enableParallelBuilding = true;

  postPatch = ''
    patchShebangs test src/composable_kernel fin utils install_deps.cmake

    # Thousands of goals that nobody builds make the configuration slow
    substituteInPlace cmake/ClangTidy.cmake \
      --replace-fail 'macro(enable_clang_tidy)' \
      'macro(enable_clang_tidy)
    endmacro()
    macro(enable_clang_tidy_of_upstream)' \
      --replace-fail 'function(clang_tidy_check TARGET)' 'function(clang_tidy_check TARGET)
      return()'
    substituteInPlace src/comgr.cpp \
      --replace-fail '"/opt/rocm"' '"${runTimeRocm}"'

    # The build takes kernel databases that it finds there
    mkdir -p build/share/miopen/db
    find ${kernelDatabases} -name '*.kdb' -exec ln -sf -t src/kernels '{}' +
    find ${kernelDatabases} -name '*.kdb' -exec ln -sf -t build/share/miopen/db '{}' +
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    pkg-config
  ];

  buildInputs = [
    rocrand
    rocblas
    hipblaslt
    hipblas-common
    sqlite
    bzip2
    boost
    roctracer
    nlohmann_json
    half
    rocmlir-rock
    frugally-deep
    hipblas
  ]
  ++ lib.optionals withComposableKernel [
    composable_kernel
  ]
  ++ lib.optionals buildTests [
    gtest
    zlib
  ]
  ++ lib.optionals buildDocs [
    doxygen
    sphinx
    rocm-docs-core
    python3Packages.sphinx-rtd-theme
    python3Packages.breathe
    python3Packages.myst-parser
    latex
  ];

  env = {
    ROCM_PATH = clr;
    CFLAGS = cFlags;
    CXXFLAGS = cFlags;
    LD_LIBRARY_PATH = lib.makeLibraryPath [ rocm-runtime ];
  };

  cmakeFlags = [
    "-DROCM_PATH=${clr}"
    "-DHIP_ROOT_DIR=${clr}"
    "-DCMAKE_C_COMPILER=amdclang"
    "-DCMAKE_CXX_COMPILER=amdclang++"
    "-DCMAKE_VERBOSE_MAKEFILE=ON"
    "-DMIOPEN_BACKEND=HIP"
    (lib.cmakeBool "MIOPEN_USE_COMPOSABLEKERNEL" withComposableKernel)
    "-DCMAKE_MODULE_PATH=${clr}/hip/cmake"
    "-DCMAKE_BUILD_TYPE=Release"
    # Must write to the standard output
    "-DUNZIPPER=${lib.getExe' bzip2 "bzcat"}"
    "-DMIOPEN_USE_ROCBLAS=ON"
    "-DMIOPEN_USE_HIPBLASLT=ON"
    "-DMIOPEN_USE_HIPRTC=ON"
    "-DMIOPEN_USE_COMGR=ON"
    "-DCMAKE_HIP_COMPILER_ROCM_ROOT=${clr}"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DAMDGPU_TARGETS=${lib.concatStringsSep ";" supportedTargets}"
    "-DGPU_TARGETS=${lib.concatStringsSep ";" supportedTargets}"
    "-DGPU_ARCHS=${lib.concatStringsSep ";" supportedTargets}"
  ]
  ++ lib.optionals buildTests [
    "-DMIOPEN_TEST_ALL=ON"
    "-DBUILD_TESTS=ON"
  ];

  postBuild =
    lib.optionalString buildDocs ''
      python -m sphinx -T -E -b html -d _build/doctrees -D language=en ../docs _build/html
    ''
    + lib.optionalString buildTests ''
      make -j$NIX_BUILD_CORES check
    '';

  postInstall = ''
    rm -r $out/libexec/miopen/install_precompiled_kernels.sh

    # A link in place of what the build installed
    find ${kernelDatabases} -name '*.kdb' -exec ln -sf -t $out/share/miopen/db '{}' +
  ''
  + lib.optionalString buildDocs ''
    mkdir -p $doc/share/doc
    mv _build/html $doc/share/doc/miopen-hip
  ''
  + lib.optionalString buildTests ''
    mkdir -p $test/bin
    mv bin/test_* $test/bin

    # They are moved from the build folder, not installed
    patchelf --set-rpath \
      $out/lib:${clr}/lib:${lib.getLib rocm-comgr}/lib:${lib.makeLibraryPath finalAttrs.buildInputs} \
      $test/bin/*
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    impureTests = {
      bnorm = callPackage ./test-runtime-compilation.nix {
        miopen = finalAttrs.finalPackage;
        name = "bnorm";
        testScript = "MIOpenDriver bnorm -n 16 -c 16 -H 512 -W 512 -m 1 -F 1 -s 1 -r 1";
      };
      conv = callPackage ./test-runtime-compilation.nix {
        miopen = finalAttrs.finalPackage;
        name = "conv";
        testScript = "MIOpenDriver conv -n 1 -c 1 -H 4 -W 4 -k 1 -y 3 -x 3 -p 0 -q 0 -V 0";
      };
      dropout = callPackage ./test-runtime-compilation.nix {
        miopen = finalAttrs.finalPackage;
        name = "dropout";
        testScript = "MIOpenDriver dropout -d 64,32,14,14";
      };
      pool = callPackage ./test-runtime-compilation.nix {
        miopen = finalAttrs.finalPackage;
        name = "pool";
        testScript = "MIOpenDriver pool -W 1x1x4x4 -y 2 -x 2 -p 0 -q 0 -F 1 -V 0";
      };
    };
    tests.can-load-models = callPackage ./test-frugally-deep-model-loading.nix {
      inherit (finalAttrs) src version;
      inherit frugally-deep nlohmann_json;
    };
    updateScript = ./update.sh;
  };

  meta = {
    description = "Deep learning primitives for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/miopen";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
