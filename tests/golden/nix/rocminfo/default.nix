{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  python3,
  rocm-runtime,
  busybox,
  gnugrep,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocminfo";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    tag = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocminfo"
      "shared"
    ];
    hash = "sha256-0esRBEXVibC2uzyonpc0ABNNHQ2NAWZrBmmg6p1zP0c=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocminfo";

  strictDeps = true;

  prePatch = ''
    patchShebangs rocm_agent_enumerator

    # The command runs without a PATH
    sed -i -e 's#lsmod [|] grep #${lib.getExe' busybox "lsmod"} | ${lib.getExe' gnugrep "grep"} #' rocminfo.cc
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    python3
  ];

  buildInputs = [ rocm-runtime ];

  cmakeFlags = [
    # _FORTIFY_SOURCE needs an optimised build, and CMAKE_BUILD_TYPE is not read
    "-DROCRTST_BLD_TYPE=Release"
  ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Reports the agents and memory pools that the ROCm runtime sees";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocminfo";
    changelog = "https://github.com/ROCm/rocm-systems/releases/tag/${finalAttrs.src.tag}";
    license = lib.licenses.ncsa;
    mainProgram = "rocminfo";
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
