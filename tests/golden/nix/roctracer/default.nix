{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  clr,
  python3Packages,
  libxml2,
  libbacktrace,
  rocm-device-libs,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "roctracer";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/roctracer"
      "shared"
    ];
    hash = "sha256-Ps9b/MMdxXthGV96ZDg0kZGPdmn7Sy5if1a/Fjx2fEE=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/roctracer";

  postPatch = ''
    # The tests need a GPU, and would be installed
    substituteInPlace CMakeLists.txt \
      --replace-fail 'add_subdirectory(test)' ""
  '';

  nativeBuildInputs = [
    cmake
    clr
  ];

  buildInputs = [
    python3Packages.python
    python3Packages.cppheaderparser
    libxml2
    libbacktrace
  ];

  env = {
    NIX_CFLAGS_COMPILE = "-Wno-error=array-bounds";
    HIP_DEVICE_LIB_PATH = "${rocm-device-libs}/amdgcn/bitcode";
  };

  cmakeFlags = [
    "-DCMAKE_MODULE_PATH=${clr}/hip/cmake"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Traces calls of the HIP and ROCm runtimes";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/roctracer";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
