{
  lib,
  stdenv,
  fetchFromGitHub,
  cmake,
  rocm-cmake,
  clr,
  gtest,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
  buildTests ? false,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "sample-blas${clr.gpuArchSuffix}";
  version = "7.2.3";

  outputs = [ "out" ] ++ lib.optionals buildTests [ "test" ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    tag = "rocm-${finalAttrs.version}";
    sparseCheckout = [ "projects/rocblas" ];
    hash = lib.fakeHash;
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocblas";

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
  ];

  buildInputs = lib.optionals buildTests [ gtest ];

  cmakeFlags = [
    (lib.cmakeFeature "GPU_TARGETS" (lib.concatStringsSep ";" gpuTargets))
    (lib.cmakeBool "BUILD_CLIENTS_TESTS" buildTests)
  ];

  postInstall = lib.optionalString buildTests ''
    moveToOutput bin/sample-test "$test"
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  meta = {
    description = "Linear algebra of the sample stack";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/rocblas";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
