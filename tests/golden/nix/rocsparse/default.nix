{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchzip,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  gfortran,
  rocprim,
  rocblas,
  gtest,
  python3Packages,
  boost,
  python3,
  buildTests ? false,
  buildBenchmarks ? false,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocsparse${clr.gpuArchSuffix}";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals (buildTests || buildBenchmarks) [
    "test"
  ]
  ++ lib.optionals buildBenchmarks [
    "benchmark"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocsparse"
      "shared"
    ];
    hash = "sha256-hkfBTcLig39al2w8zFTSQQnouaou9wlD6VlvIyFTNMg=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocsparse";

  postPatch = lib.optionalString (buildTests || buildBenchmarks) ''
    # Upstream's build fetches these matrices, and converts them with a program of its own
    mkdir matrices
    for matrix in ${toString (lib.attrValues finalAttrs.passthru.matrices)}; do
      ln -s "$matrix"/*.mtx matrices
    done

    # Right-hand sides, which the converter can't read
    rm -r matrices/*_b.mtx
    hipcc deps/convert.cpp -O3 -o deps/mtx2csr
    for matrix in matrices/*.mtx; do
      deps/mtx2csr "$matrix" "''${matrix%.mtx}.csr"
      rm "$matrix"
    done
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    gfortran
  ];

  buildInputs = [
    rocprim
    rocblas
  ]
  ++ lib.optionals (buildTests || buildBenchmarks) [
    gtest
    python3Packages.pyyaml
    boost
    python3
  ];

  cmakeFlags = [
    "-DCMAKE_CXX_COMPILER=amdclang++"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DAMDGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals (buildTests || buildBenchmarks) [
    "-DBUILD_CLIENTS_TESTS=ON"
    "-Dpython=python3"
  ]
  ++ lib.optionals buildBenchmarks [
    "-DBUILD_CLIENTS_BENCHMARKS=ON"
  ];

  preConfigure = lib.optionalString (buildTests || buildBenchmarks) ''
    appendToVar cmakeFlags -DCMAKE_MATRICES_DIR="$NIX_BUILD_TOP/$sourceRoot"/matrices
  '';

  postInstall =
    lib.optionalString buildBenchmarks ''
      mkdir -p $benchmark/bin
      cp -r $out/bin/* $benchmark/bin
      rm -r $benchmark/bin/rocsparse-test
    ''
    + lib.optionalString (buildTests || buildBenchmarks) ''
      mkdir -p $test/bin
      mv $out/bin/* $test/bin
      rm $test/bin/rocsparse-bench || true
      mv "$NIX_BUILD_TOP/$sourceRoot"/matrices $test
      rmdir $out/bin
    '';

  passthru = {
    matrices = import ./deps.nix {
      inherit fetchzip;
      mirror1 = "https://sparse.tamu.edu/MM";
      mirror2 = "https://www.cise.ufl.edu/research/sparse/MM";
    };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Sparse linear algebra for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocsparse";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
