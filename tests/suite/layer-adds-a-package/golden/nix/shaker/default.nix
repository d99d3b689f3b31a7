{
  lib,
  stdenv,
  fetchurl,
  rocmUpdateScript,
  cmake,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "shaker";
  version = "7.2.0";

  src = fetchurl {
    url = "https://github.com/ROCm/Shaker/archive/refs/tags/rocm-${finalAttrs.version}.tar.gz";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  nativeBuildInputs = [ cmake ];

  cmakeFlags = [ "-DBUILD_SHARED_LIBS=ON" ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "A library of one's own";
    homepage = "https://example.org/shaker";
    license = lib.licenses.mit;
    platforms = lib.platforms.linux;
  };
})
