{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  library,
  gpuTargets ? [ ],
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "user";
  version = "1-b42";

  src = fetchFromGitHub {
    owner = "maker";
    repo = "user";
    rev = "b42";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  nativeBuildInputs = [ cmake ];

  buildInputs = [ library ];

  cmakeFlags = [
    "-DWITH_NEW=ON"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ];

  meta = {
    description = "What is built upon the library";
    homepage = "https://example.org/user";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
