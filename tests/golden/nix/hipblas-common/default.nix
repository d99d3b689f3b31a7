{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "hipblas-common";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    tag = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/hipblas-common"
      "shared"
    ];
    hash = "sha256-83LgS4I1fMSaNtWdVFf1qhYRMT7a9jVzO3XpUzEipXg=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/hipblas-common";

  strictDeps = true;

  nativeBuildInputs = [ cmake ];

  buildInputs = [ rocm-cmake ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Headers shared by hipBLAS and hipBLASLt";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/hipblas-common";
    changelog = "https://github.com/ROCm/rocm-libraries/releases/tag/${finalAttrs.src.tag}";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
