{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  ninja,
  rocm-cmake,
  clr,
  rocm-smi,
  gfortran,
  pkg-config,
  zstd,
  python3,
  hipblas-common,
  amd-blis,
  msgpack-cxx,
  openmp,
  python3Packages,
  lapack-reference,
  llvm,
  libxml2,
  zlib,
  libffi,
  ncurses,
  gtest,
  jemalloc,
  boost,
  buildTests ? false,
  buildSamples ? false,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  # The build looks for headers beside the compiler only
  cFlags = "-Wno-switch -fopenmp -I${lib.getDev zstd}/include -I${amd-blis}/include/blis/ -I${lib.getDev msgpack-cxx}/include";
  # Targets that hipBLASLt 7.2 accepts, see its CMakeLists.txt; not gfx1103: upstream takes it, nixpkgs' list of what is built does not
  supportedTargets = lib.intersectLists gpuTargets [
    "gfx908"
    "gfx90a"
    "gfx942"
    "gfx950"
    "gfx1100"
    "gfx1101"
    "gfx1150"
    "gfx1151"
    "gfx1200"
    "gfx1201"
  ];
  supportsTargetArches = supportedTargets != [ ];
  # With an empty list upstream builds its whole default list, so one target stands in
  gpuTargets' = if supportsTargetArches then lib.concatStringsSep ";" supportedTargets else "gfx1200";
in
stdenv.mkDerivation (finalAttrs: {
  pname = "hipblaslt${clr.gpuArchSuffix}";
  version = "7.2.3";

  outputs = [
    "out"
    # Its programs are always built
    "benchmark"
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
      "projects/hipblaslt"
      "shared"
    ];
    hash = "sha256-+xMmPKb32NP9U35dHCXfXWwa6exfiL5TezfXERVDfe4=";
    postFetch = ''
      find "$out" -name '*.yaml' -path '*/Tensile/Logic/*' -exec ${lib.getExe zstd} --rm {} +
    '';
  };
  sourceRoot = "${finalAttrs.src.name}/projects/hipblaslt";

  patches = [
    # https://github.com/ROCm/rocm-libraries/issues/1242
    ./parallel-buildSourceCodeObjectFile.diff
    # Reads the .dat files that are compressed after the installation
    ./messagepack-compression-support.patch
    # Needs a tenth of the temporary files, https://github.com/ROCm/rocm-libraries/pull/2073
    ./TensileCreateLibrary-refactor.patch
    ./Tensile-interning.patch
  ];

  __structuredAttrs = true;
  strictDeps = true;
  doCheck = false;
  doInstallCheck = true;

  postPatch = ''
    # Git is asked for the commit, and the source has no history
    substituteInPlace cmake/dependencies.cmake \
      --replace-fail 'find_package(Git REQUIRED)' ""
    substituteInPlace CMakeLists.txt \
      --replace-fail ' LANGUAGES CXX' ' LANGUAGES CXX C ASM'
  '';

  nativeBuildInputs = [
    cmake
    ninja
    rocm-cmake
    clr
    rocm-smi
    gfortran
    pkg-config
    zstd
    (python3.withPackages (ps: [
      ps.msgpack
      ps.pyyaml
      ps.nanobind
      ps.setuptools
      ps.packaging
    ]))
  ];

  buildInputs = [
    rocm-cmake
    clr
    hipblas-common
    rocm-smi
    amd-blis
    msgpack-cxx
    openmp
    python3Packages.msgpack
    lapack-reference
    zstd
    llvm.llvm
    libxml2
    zlib
    libffi
    ncurses
  ]
  ++ lib.optionals buildTests [
    gtest
  ];

  env = {
    CXX = "amdclang++";
    CFLAGS = cFlags;
    CXXFLAGS = cFlags;
    ROCM_PATH = clr;
    TENSILE_ROCM_ASSEMBLER_PATH = lib.getExe' clr "amdclang++";
    TENSILE_GEN_ASSEMBLY_TOOLCHAIN = lib.getExe' clr "amdclang++";
    LD_PRELOAD = "${jemalloc}/lib/libjemalloc.so";
    MALLOC_CONF = "background_thread:true,metadata_thp:auto,dirty_decay_ms:10000,muzzy_decay_ms:10000";
  };

  cmakeFlags = [
    "-DCMAKE_C_COMPILER=amdclang"
    "-DCMAKE_HIP_COMPILER=amdclang++"
    "-DCMAKE_CXX_COMPILER=amdclang++"
    "-DFETCHCONTENT_SOURCE_DIR_NANOBIND=${python3Packages.nanobind.src}"
    (lib.cmakeBool "HIPBLASLT_ENABLE_SAMPLES" buildSamples)
    (lib.cmakeBool "HIPBLASLT_BUILD_TESTING" buildTests)
    "-DHIPBLASLT_ENABLE_MARKER=OFF"
    "-DHIPBLASLT_ENABLE_ROCROLLER=OFF"
    "-DBoost_INCLUDE_DIR=${lib.getDev boost}/include"
    (lib.cmakeBool "BUILD_TESTING" buildTests)
    "-DHIPBLASLT_ENABLE_BLIS=ON"
    # rocm-cmake would be downloaded otherwise
    "-DROCM_FOUND=ON"
    "-DBLIS_ROOT=${amd-blis}"
    "-DBLIS_LIB=${amd-blis}/lib/libblis-mt.so"
    "-DBLIS_INCLUDE_DIR=${amd-blis}/include/blis/"
    "-DBLA_PREFER_PKGCONFIG=ON"
    (lib.cmakeBool "HIPBLASLT_ENABLE_DEVICE" supportsTargetArches)
    (lib.cmakeFeature "GPU_TARGETS" gpuTargets')
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  preConfigure = ''
    # The source is kept compressed
    find . -name '*.yaml.zst' -path '*/Tensile/Logic/*' -exec zstd -d --rm '{}' +
  '';

  postInstall = ''
    # Build farms refuse outputs as large as these are uncompressed
    for file in $out/lib/hipblaslt/library/*.dat; do
      zstd -19 --long -f "$file" -o "$file.tmp" && mv "$file.tmp" "$file"
    done
  ''
  + lib.optionalString buildTests ''
    mkdir -p $test/bin
    mv $out/bin/hipblaslt-test $out/bin/hipblaslt_gtest.data $test/bin
  ''
  + ''
    mkdir -p $benchmark/bin
    mv $out/bin/hipblaslt-{api-overhead,bench*} $out/bin/*.yaml $out/bin/*.py $benchmark/bin
  ''
  + lib.optionalString buildSamples ''
    mkdir -p $sample/bin
    mv $out/bin/sample_hipblaslt_* $sample/bin
  ''
  + ''
    rmdir $out/bin
  '';

  installCheckPhase = ''
    runHook preInstallCheck

    # With a plus sign find tells that a command failed
    find "$out" -name '*.dat' -type f -size +2M -exec sh -c '
      echo "not compressed well enough: $0 $*" >&2
      exit 1
    ' {} +
    echo "every .dat file is small enough"
    runHook postInstallCheck
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    inherit supportsTargetArches;
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Matrix products with fused epilogues for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipblaslt";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
