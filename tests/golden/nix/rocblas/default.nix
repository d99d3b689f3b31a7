{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  gitMinimal,
  pkg-config,
  removeReferencesTo,
  tensile,
  roctracer,
  openmp,
  amd-blis,
  python3,
  hipblas-common,
  hipblaslt,
  gtest,
  rocm-smi,
  gfortran,
  msgpack-cxx,
  zstd,
  libxml2,
  python3Packages,
  diffutils,
  boost,
  buildTests ? true,
  buildBenchmarks ? true,
  withHipBlasLt ? true,
  buildTensile ? true,
  tensileSepArch ? true,
  tensileLazyLib ? true,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  gpuTargets' = lib.concatStringsSep ";" gpuTargets;
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocblas${clr.gpuArchSuffix}";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildTests [
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
      "projects/rocblas"
      "shared"
    ];
    hash = "sha256-wrjcr2ASSF+bk5atjvKfIYSbg+vevo/a2W2ca9Nft/4=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocblas";

  patches = [
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "rocblas-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-libraries/commit/49f21f3cfe7eb4b8ac724eef81fa2cae97a3c22e.patch";
      relative = "projects/rocblas";
      hash = "sha256-vAVVpTwt49lGHu2YopR1X68v5LwFOjUYuSC4ucBpFGg=";
    })
  ];

  enableParallelBuilding = true;

  postPatch = ''
    # Tensile would take every core
    substituteInPlace cmake/build-options.cmake \
      --replace-fail 'Tensile_CPU_THREADS ""' 'Tensile_CPU_THREADS "$ENV{NIX_BUILD_CORES}"'

    # BLIS is looked for in folders of other distributions
    substituteInPlace clients/CMakeLists.txt \
      --replace-fail 'if ( NOT WIN32 )' 'if(OFF)' \
      --replace-fail 'else() # WIN32' 'elseif(OFF)'
  ''
  + lib.optionalString buildTests ''
    substituteInPlace clients/include/testing_logging.hpp \
      --replace-fail '/usr/bin/diff' '${lib.getExe' diffutils "diff"}'
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    gitMinimal
    pkg-config
    removeReferencesTo
  ]
  ++ lib.optionals buildTensile [
    tensile
  ];

  buildInputs = [
    roctracer
    openmp
    amd-blis
    python3
    hipblas-common
  ]
  ++ lib.optionals withHipBlasLt [
    hipblaslt
  ]
  ++ lib.optionals (buildTests || buildBenchmarks) [
    gtest
    rocm-smi
    gfortran
  ]
  ++ lib.optionals buildTensile [
    msgpack-cxx
    zstd
    libxml2
    python3Packages.msgpack
    python3Packages.zstandard
  ]
  ++ lib.optionals (buildTests || buildBenchmarks || buildTensile) [
    python3Packages.pyyaml
  ];

  env = {
    # The programs use functions of CBLAS that nothing else links
    LDFLAGS = "-Wl,--as-needed -lzstd" + lib.optionalString (buildTests || buildBenchmarks) " -lcblas";
    CXXFLAGS = "-fopenmp -I${lib.getDev boost}/include -I${hipblas-common}/include -I${roctracer}/include";
    TENSILE_ROCM_ASSEMBLER_PATH = "${stdenv.cc}/bin/clang++";
  };

  cmakeFlags = [
    (lib.cmakeBool "BUILD_WITH_TENSILE" buildTensile)
    (lib.cmakeBool "BUILD_WITH_HIPBLASLT" withHipBlasLt)
    "-DBoost_INCLUDE_DIR=${lib.getDev boost}/include"
    "-DCMAKE_EXECUTE_PROCESS_COMMAND_ECHO=STDERR"
    "-DCMAKE_Fortran_COMPILER=${lib.getBin gfortran}/bin/gfortran"
    "-DCMAKE_Fortran_COMPILER_AR=${lib.getBin gfortran}/bin/ar"
    "-DCMAKE_Fortran_COMPILER_RANLIB=${lib.getBin gfortran}/bin/ranlib"
    "-Dpython=python3"
    "-DROCM_SYMLINK_LIBS=OFF"
    (lib.cmakeFeature "ROCBLAS_TENSILE_LIBRARY_DIR" "lib/rocblas")
    "-DBUILD_OFFLOAD_COMPRESS=ON"
    (lib.cmakeFeature "SUPPORTED_TARGETS" gpuTargets')
    (lib.cmakeFeature "AMDGPU_TARGETS" gpuTargets')
    (lib.cmakeFeature "GPU_TARGETS" gpuTargets')
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals buildBenchmarks [
    "-DBUILD_CLIENTS_SAMPLES=ON"
    "-DBUILD_CLIENTS_BENCHMARKS=ON"
  ]
  ++ lib.optionals buildTests [
    "-DBUILD_CLIENTS_TESTS=ON"
  ]
  ++ lib.optionals buildTensile [
    # Nothing is fetched while building
    "-DBUILD_WITH_PIP=OFF"
    "-DCPACK_SET_DESTDIR=OFF"
    "-DLINK_BLIS=ON"
    "-DBLAS_LIBRARY=${amd-blis}/lib/libblis-mt.so"
    "-DBLIS_INCLUDE_DIR=${amd-blis}/include/blis/"
    "-DBLA_PREFER_PKGCONFIG=ON"
    "-DTensile_CODE_OBJECT_VERSION=default"
    "-DTensile_LOGIC=asm_full"
    "-DTensile_LIBRARY_FORMAT=msgpack"
    (lib.cmakeBool "Tensile_SEPARATE_ARCHITECTURES" tensileSepArch)
    (lib.cmakeBool "Tensile_LAZY_LIBRARY_LOADING" tensileLazyLib)
  ];

  postInstall = ''
    # Nothing of Tensile is used any more, and it is 400 MB of Python
    remove-references-to -t ${tensile} $out/lib/librocblas.so.*
  ''
  + lib.optionalString buildBenchmarks ''
    moveToOutput 'bin/*-tune' $benchmark
    moveToOutput 'bin/*-bench' $benchmark
    moveToOutput 'bin/*example*' $benchmark
    cp $out/bin/*.yaml $out/bin/*.txt $benchmark/bin
  ''
  + lib.optionalString buildTests ''
    moveToOutput 'bin/*test*' $test
    cp $out/bin/*.yaml $out/bin/*.txt $test/bin
  ''
  + ''
    if [ -d "$out/bin" ]; then
      rm "$out"/bin/*.{yaml,txt} || true
      rmdir "$out/bin"
    fi
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    amdgpu_targets = gpuTargets';
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Dense linear algebra (BLAS) for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocblas";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
