{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  rocm-runtime,
  rocmPackages,
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

  cmakeFlags = [ "-DROCT_INC_DIR=${rocmPackages.rocm-runtime}/include/libhsakmt" ];

  meta = {
    description = "Measures how fast data move between GPUs and the host";
    homepage = "https://github.com/ROCm/rocm_bandwidth_test";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.fangpen ];
    teams = [ lib.teams.rocm ];
    platforms = [ "x86_64-linux" ];
  };
})
