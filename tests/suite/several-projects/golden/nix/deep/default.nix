{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "deep";
  version = "7.2.0";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "Mono";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/whole/deep";

  nativeBuildInputs = [ cmake ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "A part of a project";
    homepage = "https://example.org/deep";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
