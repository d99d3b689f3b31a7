{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  clr,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "aqlprofile";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    tag = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/aqlprofile"
      "shared"
    ];
    hash = "sha256-74HjB5Ughu17rSRx9mfCCsPJI4TVyXnT4aU7vIbm7ak=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/aqlprofile";

  __structuredAttrs = true;
  strictDeps = true;

  nativeBuildInputs = [
    cmake
    clr
  ];

  buildInputs = [ clr ];

  env.CXXFLAGS = "-DROCP_LD_AQLPROFILE=1";

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Makes the packets that read the performance counters of AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/aqlprofile";
    changelog = "https://github.com/ROCm/rocm-systems/releases/tag/${finalAttrs.src.tag}";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
