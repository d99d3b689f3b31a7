{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-runtime,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-bandwidth-test";
  version = "6.3.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm_bandwidth_test";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-dHyfYpRB13wUvim152nZ61McZOQ1zUZFx4dUo2vVqZM=";
  };

  nativeBuildInputs = [ cmake ];

  buildInputs = [ rocm-runtime ];

  cmakeFlags = [ (lib.cmakeFeature "ROCT_INC_DIR" "${rocm-runtime}/include/libhsakmt") ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Measures how fast data move between GPUs and the host";
    homepage = "https://github.com/ROCm/rocm_bandwidth_test";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.fangpen ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
