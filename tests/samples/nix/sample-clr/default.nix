{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  rocm-cmake,
  numactl,
  python3Packages,
  localGpuTargets ? null,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "clr";
  version = "7.2.3";

  outputs = [
    "out"
    "icd"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "clr";
    tag = "rocm-${finalAttrs.version}";
    hash = lib.fakeHash;
  };

  nativeBuildInputs = [
    cmake
    rocm-cmake
    python3Packages.cppheaderparser
  ];

  buildInputs = [ numactl ];

  cmakeFlags = [
    (lib.cmakeBool "CLR_BUILD_HIP" true)
    "-DPROF_API_HEADER_PATH=${lib.getDev numactl}/include"
  ];

  passthru = {
    gpuTargets = [
      "gfx90a"
      "gfx1100"
    ];
    gpuArchSuffix = lib.optionalString (localGpuTargets != null) (
      "-" + lib.concatStringsSep "-" localGpuTargets
    );
  }
  // lib.optionalAttrs (localGpuTargets != null) {
    inherit localGpuTargets;
  };

  meta = {
    description = "Runtime of the sample stack";
    homepage = "https://github.com/ROCm/clr";
    license = with lib.licenses; [ mit ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
