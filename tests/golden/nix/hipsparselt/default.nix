{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  ninja,
  rocm-cmake,
  clr,
  pkg-config,
  zstd,
  gitMinimal,
  python3,
  hipsparse,
  msgpack-cxx,
  rocm-smi,
  openmp,
  llvm,
  libxml2,
  zlib,
  python3Packages,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  supportsTargetArches = supportedTargets != [ ];
  # Targets that hipSPARSELt 7.2 accepts, see cmake/hipsparselt_supported_architectures.cmake
  supportedTargets = lib.intersectLists gpuTargets [
    "gfx942"
    "gfx950"
  ];
in
stdenv.mkDerivation (finalAttrs: {
  pname = "hipsparselt${clr.gpuArchSuffix}";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/hipsparselt"
      "projects/hipblaslt/tensilelite"
      "projects/hipblaslt/cmake"
      "projects/hipblaslt/device-library"
      "shared/origami"
    ];
    hash = "sha256-Al/0yZPn/wqtBFQU1FcGoSquDMObk6HQ3D5sSh5biHg=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/hipsparselt";

  __structuredAttrs = true;
  strictDeps = true;

  nativeBuildInputs = [
    cmake
    ninja
    rocm-cmake
    clr
    pkg-config
    zstd
    gitMinimal
    (python3.withPackages (ps: [
      ps.msgpack
      ps.pyyaml
      ps.joblib
      ps.nanobind
      ps.setuptools
      ps.packaging
    ]))
  ];

  buildInputs = [
    rocm-cmake
    clr
    hipsparse
    msgpack-cxx
    rocm-smi
    openmp
    zstd
    llvm.llvm
    libxml2
    zlib
  ];

  env = {
    CXX = "amdclang++";
    ROCM_PATH = clr;
    TENSILE_ROCM_ASSEMBLER_PATH = lib.getExe' clr "amdclang++";
    TENSILE_GEN_ASSEMBLY_TOOLCHAIN = lib.getExe' clr "amdclang++";
  };

  cmakeFlags = [
    "-DCMAKE_C_COMPILER=amdclang"
    "-DCMAKE_HIP_COMPILER=amdclang++"
    "-DCMAKE_CXX_COMPILER=amdclang++"
    "-DFETCHCONTENT_SOURCE_DIR_NANOBIND=${python3Packages.nanobind.src}"
    "-DHIPSPARSELT_ENABLE_CLIENT=OFF"
    "-DHIPSPARSELT_ENABLE_SAMPLES=OFF"
    "-DHIPSPARSELT_ENABLE_BENCHMARKS=OFF"
    "-DHIPSPARSELT_BUILD_TESTING=OFF"
    "-DHIPSPARSELT_ENABLE_MARKER=OFF"
    "-DHIPBLASLT_ENABLE_ROCROLLER=OFF"
    "-DHIPBLASLT_ENABLE_MARKER=OFF"
    (lib.cmakeBool "HIPSPARSELT_ENABLE_DEVICE" supportsTargetArches)
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" supportedTargets}"
  ];

  requiredSystemFeatures = [ "big-parallel" ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Matrix products with structured sparsity for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipsparselt";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
