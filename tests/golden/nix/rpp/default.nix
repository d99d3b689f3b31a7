{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  rocm-docs-core,
  python3,
  half,
  openmp,
  boost,
  useCPU ? false,
  buildDocs ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rpp-${if useCPU then "cpu" else "hip"}";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rpp";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-6e4JHKFC2dvtSGo9xbQKzIdUwlHB09pr5C/5xHwP3l4=";
  };

  postPatch = lib.optionalString (!useCPU) ''
    substituteInPlace CMakeLists.txt \
      --replace-fail 'COMPILER_FOR_HIP ''${ROCM_PATH}/llvm/bin/clang++' 'COMPILER_FOR_HIP ${clr}/bin/hipcc'
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
  ]
  ++ lib.optionals buildDocs [
    rocm-docs-core
    python3
  ];

  buildInputs = [
    half
    openmp
    boost
  ];

  cmakeFlags = [
    (lib.cmakeFeature "BACKEND" (if useCPU then "CPU" else "HIP"))
    "-DROCM_PATH=${clr}"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ];

  postBuild = lib.optionalString buildDocs ''
    python3 -m sphinx -T -E -b html -d _build/doctrees -D language=en ../docs _build/html
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Primitives that prepare images and audio for computer vision, on GPUs or CPUs";
    homepage = "https://github.com/ROCm/rpp";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
