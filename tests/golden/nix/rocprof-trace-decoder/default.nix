{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  rocm-comgr,
  rocm-runtime,
  nlohmann_json,
  gtest,
  python3,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocprof-trace-decoder";
  version = "0.1.7";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "feeca99950c590e0b8228733405c4a1a10fa4773";
    sparseCheckout = [
      "projects/rocprof-trace-decoder"
      "shared"
    ];
    hash = "sha256-aJhPiZf5380jj2IeCipgcTEQYogr5R19UnVwKRGnkxo=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocprof-trace-decoder";

  patches = [
    ./use-system-dependencies.patch
    # https://github.com/ROCm/rocm-systems/pull/3800
    ./fix-test-dependency.patch
  ];

  strictDeps = true;
  doCheck = true;

  nativeBuildInputs = [ cmake ];

  buildInputs = [
    rocm-comgr
    rocm-runtime
    nlohmann_json
    gtest
    python3
  ];

  cmakeFlags = [ "-DBUILD_TESTS=ON" ];

  checkPhase = ''
    runHook preCheck
    patchShebangs test

    # Those of the sanitizer load a library that a sandbox has not
    ctest --test-dir . --output-on-failure -E '_sanitize$'
    runHook postCheck
  '';

  meta = {
    description = "Decodes what GPUs record about the instructions that they run";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocprof-trace-decoder";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
