{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  gitMinimal,
  clr,
  python3,
  rocminfo,
  hipify,
  zstd,
  rocm-cmake,
  jemalloc,
  gtest,
  buildTests ? false,
  buildExamples ? false,
  miOpenReqLibsOnly ? true,
  withDeprecatedKernels ? false,
  gpuTargets ?
    clr.localGpuTargets or [
      "gfx900"
      "gfx906"
      "gfx908"
      "gfx90a"
      "gfx942"
      "gfx950"
      "gfx10-3-generic"
      "gfx11-generic"
      "gfx12-generic"
    ],
}:

let
  # Broken without a target of the ninth generation
  anyGfx9Target =
    lib.intersectLists gpuTargets [
      "gfx900"
      "gfx906"
      "gfx908"
      "gfx90a"
      "gfx942"
      "gfx950"
    ] != [ ];
in
stdenv.mkDerivation (finalAttrs: {
  pname = "composable_kernel_base";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildTests [
    "test"
  ]
  ++ lib.optionals buildExamples [
    "example"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/composablekernel"
      "shared"
    ];
    hash = "sha256-Zs6wwPmys1kUlgDD4XzKKw273nH/Ur3HtuYxJjvjDs0=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/composablekernel";

  patches = [
    # A kernel may have no target left, and is linked all the same
    ./fix-empty-offload-targets.diff
  ];

  strictDeps = true;
  # Make on purpose, since Ninja would not take the objects of the parts for built
  enableParallelBuilding = true;

  postPatch = ''
    # Thousands of goals that nobody builds make the configuration slow
    substituteInPlace library/src/utility/CMakeLists.txt library/src/tensor_operation_instance/gpu/CMakeLists.txt \
      --replace-fail 'clang_tidy_check' '#clang_tidy_check'
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(profiler)' ""
    substituteInPlace cmake/EnableCompilerWarnings.cmake \
      --replace-fail '-Werror' ""
  ''
  + lib.optionalString (!withDeprecatedKernels) ''
    substituteInPlace include/ck/ck.hpp \
      --replace-fail 'CK_BUILD_DEPRECATED 1' 'CK_BUILD_DEPRECATED 0'
  ''
  + lib.optionalString (!buildTests) ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(test)' ""
    substituteInPlace codegen/CMakeLists.txt \
      --replace-fail 'include(ROCMTest)' ""
  ''
  + lib.optionalString (!buildExamples) ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(example)' ""
  '';

  nativeBuildInputs = [
    cmake
    gitMinimal
    clr
    python3
    rocminfo
    hipify
    zstd
  ];

  buildInputs = [
    rocm-cmake
    clr
    zstd
  ];

  env = {
    ROCM_PATH = "${clr}";
    # The compiler spends much of its time on templates, and so on allocation
    LD_PRELOAD = "${jemalloc}/lib/libjemalloc.so";
    MALLOC_CONF = "background_thread:true,metadata_thp:auto,dirty_decay_ms:10000,muzzy_decay_ms:10000";
  };

  cmakeFlags = [
    "-DROCM_PATH=${clr}"
    # Warnings are errors otherwise
    "-DBUILD_DEV=OFF"
    (lib.cmakeBool "MIOPEN_REQ_LIBS_ONLY" miOpenReqLibsOnly)
    "-DDISABLE_DL_KERNELS=ON"
    "-DDISABLE_DPP_KERNELS=ON"
    "-DDL_KERNELS=OFF"
    "-DCK_TIME_KERNEL=OFF"
    "-DCMAKE_MODULE_PATH=${clr}/hip/cmake"
    "-DCMAKE_POLICY_DEFAULT_CMP0069=NEW"
    "-DBUILD_MHA_LIB=ON"
    "-DENABLE_CLANG_CPP_CHECKS=OFF"
    "-DCMAKE_HIP_COMPILER_ROCM_ROOT=${clr}"
    # Emulated FP8 builds for hours, and nobody would use kernels that slow
    "-DCK_USE_FP8_ON_UNSUPPORTED_ARCH=OFF"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_ARCHS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals buildTests [
    "-DGOOGLETEST_DIR=${gtest.src}"
  ];

  preBuild = ''
    echo 'the base of the parts is never built itself' >&2
    exit 1
  '';

  postInstall =
    lib.optionalString buildTests ''
      mkdir -p $test/bin
      mv $out/bin/test_* $test/bin
    ''
    + lib.optionalString buildExamples ''
      mkdir -p $example/bin
      mv $out/bin/example_* $example/bin
    '';

  passthru = {
    inherit anyGfx9Target gpuTargets miOpenReqLibsOnly;
    anyMfmaTarget =
      lib.intersectLists gpuTargets [
        "gfx908"
        "gfx90a"
        "gfx942"
        "gfx950"
      ] != [ ];
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Fused tensor operations made from composable building blocks";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/composablekernel";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
    # Its parts are built, never the base
    broken = true;
  };
})
