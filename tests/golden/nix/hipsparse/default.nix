{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  gfortran,
  rocsparse,
  gtest,
  openmp,
  buildTests ? false,
  buildBenchmarks ? false,
  buildSamples ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

let
  # All of rocSPARSE's but the last five
  matrixFolders = lib.concatMapStringsSep " " toString (
    lib.take 19 (lib.attrValues rocsparse.matrices)
  );
in
stdenv.mkDerivation (finalAttrs: {
  pname = "hipsparse";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildTests [
    "test"
  ]
  ++ lib.optionals buildBenchmarks [
    "benchmark"
  ]
  ++ lib.optionals buildSamples [
    "sample"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/hipsparse"
      "shared"
    ];
    hash = "sha256-E1chG+giFtf02fjutoV4yM2XvrQKjgXRSvxs0NBBkvI=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/hipsparse";

  postPatch = lib.optionalString buildTests ''
    # Upstream's build fetches these matrices, and converts them with a program of its own
    mkdir matrices
    for matrix in ${matrixFolders}; do
      ln -s "$matrix"/*.mtx matrices
    done

    # Right-hand sides, which the converter can't read
    rm -r matrices/*_b.mtx
    hipcc deps/convert.cpp -O3 -o deps/mtx2csr
    for matrix in matrices/*.mtx; do
      deps/mtx2csr "$matrix" "''${matrix%.mtx}.bin"
      rm "$matrix"
    done
    substituteInPlace clients/tests/CMakeLists.txt \
      --replace-fail "\''${PROJECT_BINARY_DIR}/matrices" "$NIX_BUILD_TOP/$sourceRoot/matrices"
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    gfortran
  ];

  buildInputs = [
    rocsparse
  ]
  ++ lib.optionals (buildTests || buildBenchmarks) [
    gtest
  ]
  ++ lib.optionals (buildTests || buildSamples) [
    openmp
  ];

  cmakeFlags = [
    (lib.cmakeBool "BUILD_CLIENTS_SAMPLES" buildSamples)
    (lib.cmakeBool "BUILD_CLIENTS_BENCHMARKS" buildBenchmarks)
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DAMDGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals buildTests [
    "-DBUILD_CLIENTS_TESTS=ON"
  ];

  postInstall =
    lib.optionalString buildTests ''
      mkdir -p $test/bin
      mv $out/bin/hipsparse-test $test/bin
    ''
    + lib.optionalString buildBenchmarks ''
      mkdir -p $benchmark/bin
      mv $out/bin/hipsparse-bench $benchmark/bin
    ''
    + lib.optionalString buildSamples ''
      mkdir -p $sample/bin
      mv clients/staging/example_* $sample/bin
      patchelf --shrink-rpath --allowed-rpath-prefixes $NIX_STORE $sample/bin/example_*
    ''
    + lib.optionalString buildTests ''
      mv "$NIX_BUILD_TOP/$sourceRoot"/matrices $test
    ''
    + lib.optionalString (buildTests || buildBenchmarks) ''
      rmdir $out/bin
    '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "One sparse linear algebra interface over rocSPARSE and cuSPARSE";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipsparse";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
