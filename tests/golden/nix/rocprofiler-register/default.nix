{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  cmake,
  clang,
  fmt,
  glog,
  numactl,
  libpciaccess,
  libxml2,
  elfutils,
  python3Packages,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocprofiler-register";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocprofiler-register"
      "shared"
    ];
    hash = "sha256-XhxED3LHIjxBcSVyyEC3pgg0fyKyfKtHkF7umExSboM=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocprofiler-register";

  patches = [
    # The next one changes the lines that this one brings
    (fetchpatch {
      name = "rocprofiler-register-cpack-component.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/ef7253365c420ca486f074b9e9119a222e30fea0.patch";
      relative = "projects/rocprofiler-register";
      hash = "sha256-dwqvZ4AaTcOk2mSnxgHp/NbhjlD8W6KVz1H5ZF4i/Tw=";
    })
    # The build with fmt and glog of the system
    (fetchpatch {
      name = "rocprofiler-register-system-fmt-glog.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/c8ad2522083c6e00539ce5c1c22df766c20084fb.patch";
      relative = "projects/rocprofiler-register";
      hash = "sha256-VloRKV6kUzIfIInltx/bV1EM0FUfeQZrVAx6qgdsLyg=";
    })
    # Since fmt 12.2, fmt/core.h does not bring fmt::format
    (fetchpatch {
      name = "rocprofiler-register-fmt-format.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/e2f588592ecfb0653ed5b3078753186325adf70a.patch";
      relative = "projects/rocprofiler-register";
      hash = "sha256-ip/s7tmUptcXMen3fyQJYKiZKwoe3SH0XqTVb0YBA7k=";
    })
  ];

  nativeBuildInputs = [
    cmake
    clang
  ];

  buildInputs = [
    fmt
    glog
    numactl
    libpciaccess
    libxml2
    elfutils
    python3Packages.lxml
    python3Packages.cppheaderparser
    python3Packages.pyyaml
    python3Packages.barectf
    python3Packages.pandas
  ];

  cmakeFlags = [
    "-DROCPROFILER_REGISTER_BUILD_GLOG=OFF"
    "-DROCPROFILER_REGISTER_BUILD_FMT=OFF"
    "-DROCPROFILER_REGISTER_BUILD_TESTS=OFF"
    "-DROCPROFILER_REGISTER_BUILD_SAMPLES=OFF"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Lets profilers intercept the calls of ROCm runtimes";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocprofiler-register";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
