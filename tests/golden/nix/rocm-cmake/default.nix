{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-core,
  testers,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-cmake";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-cmake";
    tag = "rocm-${finalAttrs.version}";
    hash = "sha256-gY6jzIIN1pSXGbCMN6y35Q/VJgbIqWDRjD8aI/fc1L0=";
  };

  __structuredAttrs = true;
  strictDeps = true;

  nativeBuildInputs = [ cmake ];

  buildInputs = [ rocm-core ];

  passthru = {
    tests.cmake-config = testers.hasCmakeConfigModules { package = finalAttrs.finalPackage; };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "CMake modules shared by the builds of ROCm components";
    homepage = "https://github.com/ROCm/rocm-cmake";
    changelog = "https://github.com/ROCm/rocm-cmake/releases/tag/${finalAttrs.src.tag}";
    cmakeConfigModules = [
      "ROCM"
      "ROCmCMakeBuildTools"
    ];
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.unix;
  };
})
