{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  rocm-smi,
  openmp,
  gtest,
  rocblas,
  buildTests ? false,
  buildSamples ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

let
  # https://github.com/ROCm/TheRock/issues/1944
  supportedTargets = lib.subtractLists [
    "gfx900"
    "gfx906"
    "gfx90c"
    "gfx1010"
    "gfx1011"
    "gfx1012"
    "gfx1030"
    "gfx1031"
    "gfx1032"
    "gfx1033"
    "gfx1034"
    "gfx1035"
    "gfx1036"
  ] gpuTargets;
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocwmma";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildTests [
    "test"
  ]
  ++ lib.optionals buildSamples [
    "sample"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocwmma"
      "shared"
    ];
    hash = "sha256-eoF8a7zknpgvDOSDzolOrdtszUJ5tC7Ur2sRShiQEO0=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocwmma";

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
  ];

  buildInputs = [
    rocm-smi
    openmp
  ]
  ++ lib.optionals buildTests [
    gtest
    rocblas
  ];

  cmakeFlags = [
    (lib.cmakeBool "ROCWMMA_BUILD_SAMPLES" buildSamples)
    (lib.cmakeBool "ROCWMMA_BUILD_TESTS" buildTests)
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (supportedTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" supportedTargets}"
  ]
  ++ lib.optionals buildTests [
    # It would be downloaded otherwise
    "-DROCWMMA_USE_SYSTEM_GOOGLETEST=ON"
  ];

  postInstall =
    lib.optionalString buildTests ''
      mkdir -p $test/bin
      mv $out/bin/*_test $out/bin/*-validate $test/bin
    ''
    + lib.optionalString buildSamples ''
      mkdir -p $sample/bin
      mv $out/bin/simple_* $out/bin/perf_* $out/bin/hipRTC_gemm $sample/bin
    ''
    + lib.optionalString (buildTests || buildSamples) ''
      rm -r $out/bin/rocwmma
      rmdir $out/bin
    '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Matrix products of a wavefront in mixed precision, as headers";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocwmma";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
