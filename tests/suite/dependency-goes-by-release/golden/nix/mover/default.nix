{
  lib,
  stdenv,
  fetchurl,
  rocmUpdateScript,
  cmake,
  zstd,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "mover";
  version = "7.2.0";

  src = fetchurl {
    url = "https://github.com/ROCm/Mover/archive/refs/tags/rocm-${finalAttrs.version}.tar.gz";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  nativeBuildInputs = [ cmake ];

  buildInputs = [ zstd ];

  cmakeFlags = [ "-DWITH_NEW_QUEUE=ON" ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "A small library";
    homepage = "https://example.org/mover";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
