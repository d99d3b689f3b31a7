{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  pkg-config,
  clr,
  rocm-docs-core,
  python3,
  rpp,
  half,
  openmp,
  protobuf,
  opencv,
  ffmpeg,
  lmdb,
  rapidjson,
  python3Packages,
  boost,
  qtcreator,
  miopen,
  rocblas,
  migraphx,
  useCPU ? false,
  useOpenCL ? false,
  buildDocs ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "mivisionx-${
    if useCPU then
      "cpu"
    else if useOpenCL then
      "opencl"
    else
      "hip"
  }";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "MIVisionX";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-LyiPcZi4vU0R+eI/AbYk8ioewuqET5lCtArtPltJ+Gw=";
  };

  patches = [ ./0001-set-__STDC_CONSTANT_MACROS-to-make-rocAL-compile.patch ];

  postPatch = lib.optionalString (!useCPU && !useOpenCL) ''
    substituteInPlace amd_openvx_extensions/CMakeLists.txt \
      --replace-fail 'miopen     PATHS ''${ROCM_PATH} QUIET' 'miopen PATHS ${miopen} QUIET' \
      --replace-fail "\''${ROCM_PATH}/include/miopen/config.h" '${miopen}/include/miopen/config.h'
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    pkg-config
  ]
  ++ lib.optionals (!useCPU && !useOpenCL) [
    clr
  ]
  ++ lib.optionals buildDocs [
    rocm-docs-core
    python3
  ];

  buildInputs = [
    rpp
    half
    openmp
    protobuf
    opencv
    ffmpeg
    lmdb
    rapidjson
    python3Packages.pybind11
    python3Packages.numpy
    boost
    qtcreator
  ]
  ++ lib.optionals (!useCPU && !useOpenCL) [
    miopen
    rocblas
    migraphx
  ];

  cmakeFlags = [
    (lib.cmakeFeature "CMAKE_INSTALL_PREFIX_PYTHON" "lib")
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals (!useCPU && !useOpenCL) [
    "-DROCM_PATH=${clr}"
    "-DAMDRPP_PATH=${rpp}"
    "-DCMAKE_C_COMPILER=hipcc"
    "-DCMAKE_CXX_COMPILER=hipcc"
    "-DBACKEND=HIP"
  ]
  ++ lib.optionals (useOpenCL && !useCPU) [
    "-DBACKEND=OCL"
  ]
  ++ lib.optionals useCPU [
    "-DBACKEND=CPU"
  ];

  postBuild = lib.optionalString buildDocs ''
    python3 -m sphinx -T -E -b html -d _build/doctrees -D language=en ../docs _build/html
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "OpenVX with extensions for computer vision and neural networks";
    homepage = "https://github.com/ROCm/MIVisionX";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
    broken = useOpenCL;
  };
})
