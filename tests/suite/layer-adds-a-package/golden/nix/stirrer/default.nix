{
  lib,
  stdenv,
  fetchurl,
  rocmUpdateScript,
  cmake,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "stirrer";
  version = "7.2.0";

  src = fetchurl {
    url = "https://github.com/ROCm/Stirrer/archive/refs/tags/rocm-${finalAttrs.version}.tar.gz";
    hash = "sha256-AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=";
  };

  nativeBuildInputs = [ cmake ];

  cmakeFlags = [ "-DBUILD_SHARED_LIBS=ON" ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "A library of one's own too";
    homepage = "https://example.org/stirrer";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.own ];
    platforms = lib.platforms.linux;
  };
})
