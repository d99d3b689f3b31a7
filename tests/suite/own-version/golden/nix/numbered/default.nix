{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  user,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "numbered";
  version = "2.2.1";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "Numbered";
    rev = "rocm-7.2.0";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  nativeBuildInputs = [ cmake ];

  buildInputs = [ user ];

  meta = {
    description = "Headers with a number of their own";
    homepage = "https://example.org/numbered";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
