{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  pkg-config,
  rocblas,
  rocsparse,
  rocprim,
  rocrand,
  openmp,
  openmpi,
  gtest,
  buildTests ? false,
  buildBenchmarks ? false,
  buildSamples ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocalution";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildSamples [
    "sample"
  ]
  ++ lib.optionals buildTests [
    "test"
  ]
  ++ lib.optionals buildBenchmarks [
    "benchmark"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocALUTION";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-yPM26e8tGNpPScIriAPRb+6OZfdpX4PgE0E9bmc3FkU=";
  };

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    pkg-config
  ];

  buildInputs = [
    rocblas
    rocsparse
    rocprim
    rocrand
    openmp
    openmpi
  ]
  ++ lib.optionals buildTests [
    gtest
  ];

  cmakeFlags = [
    (lib.cmakeFeature "ROCM_PATH" "${clr}")
    (lib.cmakeFeature "HIP_ROOT_DIR" "${clr}")
    (lib.cmakeBool "SUPPORT_MPI" true)
    (lib.cmakeBool "BUILD_CLIENTS_SAMPLES" buildSamples)
    (lib.cmakeBool "SUPPORT_HIP" true)
    (lib.cmakeBool "SUPPORT_OMP" true)
    # Upstream joins these to the prefix, so they must be relative
    (lib.cmakeFeature "CMAKE_INSTALL_BINDIR" "bin")
    (lib.cmakeFeature "CMAKE_INSTALL_LIBDIR" "lib")
    (lib.cmakeFeature "CMAKE_INSTALL_INCLUDEDIR" "include")
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    (lib.cmakeFeature "AMDGPU_TARGETS" (lib.concatStringsSep ";" gpuTargets))
    (lib.cmakeFeature "GPU_TARGETS" (lib.concatStringsSep ";" gpuTargets))
  ]
  ++ lib.optionals buildTests [
    (lib.cmakeBool "BUILD_CLIENTS_TESTS" true)
  ]
  ++ lib.optionals buildBenchmarks [
    (lib.cmakeBool "BUILD_CLIENTS_BENCHMARKS" true)
  ];

  postInstall =
    lib.optionalString buildTests ''
      mkdir -p $test/bin
      mv $out/bin/rocalution-test $test/bin
    ''
    + lib.optionalString buildBenchmarks ''
      mkdir -p $benchmark/bin
      mv $out/bin/rocalution-bench $benchmark/bin
    ''
    + lib.optionalString buildSamples ''
      mkdir -p $sample/bin
      mv clients/staging/* $sample/bin
      rm -f "$sample"/bin/rocalution-{test,bench}
      patchelf --set-rpath "$out/lib:${lib.makeLibraryPath finalAttrs.buildInputs}:${clr}/lib" "$sample"/bin/*
    ''
    + lib.optionalString (buildTests || buildBenchmarks) ''
      rmdir $out/bin
    '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Iterative sparse solvers and preconditioners for AMD GPUs";
    homepage = "https://github.com/ROCm/rocALUTION";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
