{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  cmake,
  ninja,
  clr,
  pkg-config,
  python3,
  makeWrapper,
  rocm-cmake,
  rocm-runtime,
  rocm-comgr,
  rocprofiler-register,
  aqlprofile,
  rccl,
  libdrm,
  elfutils,
  sqlite,
  numactl,
  fmt,
  glog,
  gtest,
  yaml-cpp,
  elfio,
  otf2,
  nlohmann_json,
  python3Packages,
  zlib,
  zstd,
  xz,
  rocprof-trace-decoder,
  buildTests ? false,
  buildSamples ? false,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocprofiler-sdk";
  version = "7.2.3";

  outputs = [
    "out"
    "dev"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [ "projects/rocprofiler-sdk" ];
    fetchSubmodules = true;
    hash = "sha256-SQjV1FnAgnK1LS5SiApgfvDSjB3AKpucja+PBZSmLvQ=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocprofiler-sdk";

  patches = [
    # The build with libraries of the system: https://github.com/ROCm/rocm-systems/pull/2319
    (fetchpatch {
      name = "rocprofiler-sdk-system-libraries.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/86ee7b2eb2273adaf1181ef9a6b2091465c6f0c7.patch";
      relative = "projects/rocprofiler-sdk";
      excludes = [ "external/fmt" ];
      hash = "sha256-PRmv8SI90jmO6MgJmk1DWf/WVmFy18nUTZClfOvI6a8=";
    })
    # A header that newer fmt does not include
    (fetchpatch {
      name = "rocprofiler-sdk-memory-header.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/36d9d33d90879bfbd406498011070ebd929a56b1.patch";
      relative = "projects/rocprofiler-sdk";
      hash = "sha256-yRy5pmCX9hd4eeZIz/g3B5VFCL9idkEaGK+S5+2sOsk=";
    })
    # A test that is linked without comgr
    (fetchpatch {
      name = "rocprofiler-sdk-comgr-linkage.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/94a4595a5d02bc066f7a32e1b2134a99a5231213.patch";
      relative = "projects/rocprofiler-sdk";
      hash = "sha256-86Fx0bKL0pvXTwVN8QJL+yzCbMYkmMaKzcU4PYcW6ig=";
    })
    # This and the next seven: https://github.com/ROCm/rocm-systems/pull/4721
    ./0001-rocprofiler-sdk-rename-consumer-test-for-dependent-c.patch
    ./0002-rocprofiler-sdk-add-missing-stl-headers.patch
    # https://github.com/ROCm/rocm-systems/pull/4721
    ./0003-rocprofiler-sdk-add-missing-rocprofiler-sdk-rocprofi.patch
    ./0004-rocprofiler-sdk-fix-find_package-dependency-scoping-.patch
    ./0005-rocprofiler-sdk-allow-using-system-elfio-dependency.patch
    ./0006-rocprofiler-sdk-allow-using-system-otf2-dependency.patch
    ./0007-rocprofiler-sdk-Allow-using-system-json-dependency.patch
    ./0008-rocprofiler-sdk-stop-manually-setting-warning-flags-.patch
    # OpenMP starts it before its log is set up, and what imports torch crashes; upstream has another log since
    ./0009-rocprofiler-sdk-guard-ompt-auto-start.patch
    # Since fmt 12.2, fmt/core.h does not bring fmt::format
    ./0010-fmt-12.2.0-format.h.patch
  ];

  strictDeps = true;
  # They need a GPU
  doCheck = false;

  postPatch = ''
    # Programs for GPUs by OpenMP can't be built here
    substituteInPlace samples/CMakeLists.txt \
      --replace-fail 'add_subdirectory(openmp_target)' '# add_subdirectory(openmp_target)'
    substituteInPlace tests/CMakeLists.txt \
      --replace-fail 'add_subdirectory(openmp-tools)' '# add_subdirectory(openmp-tools)'
    substituteInPlace tests/bin/CMakeLists.txt \
      --replace-fail 'add_subdirectory(openmp)' '# add_subdirectory(openmp)'

    # One of its scripts builds a program of Perfetto's
    substituteInPlace tests/CMakeLists.txt \
      --replace-fail 'add_subdirectory(pytest-packages)' ""
    patchShebangs \
      source/libexec/rocprofiler-sdk/rocprofiler-sdk-launch-compiler/rocprofiler-sdk-launch-compiler.sh
  '';

  nativeBuildInputs = [
    cmake
    ninja
    clr
    pkg-config
    python3
    makeWrapper
  ];

  buildInputs = [
    rocm-cmake
    clr
    rocm-runtime
    rocm-comgr
    rocprofiler-register
    aqlprofile
    rccl
    libdrm
    elfutils
    sqlite
    numactl
    fmt
    glog
    gtest
    yaml-cpp
    elfio
    otf2
    nlohmann_json
    python3Packages.pybind11
    zlib
    zstd
    xz
  ];

  cmakeFlags = [
    "-DROCPROFILER_BUILD_FMT=OFF"
    "-DROCPROFILER_BUILD_GLOG=OFF"
    "-DROCPROFILER_BUILD_GTEST=OFF"
    "-DROCPROFILER_BUILD_PYBIND11=OFF"
    "-DROCPROFILER_BUILD_YAML_CPP=OFF"
    "-DROCPROFILER_BUILD_ELFIO=OFF"
    "-DROCPROFILER_BUILD_OTF2=OFF"
    "-DROCPROFILER_BUILD_JSON=OFF"
    "-DROCPROFILER_BUILD_GHC_FS=OFF"
    "-DROCPROFILER_BUILD_BENCHMARK=OFF"
    "-DROCPROFILER_BUILD_WERROR=OFF"
    # Its CMake files forget the folder
    "-DCMAKE_HIP_FLAGS=-I${rocm-runtime}/include"
    # Its compiler's wrapper is called by that
    (lib.cmakeFeature "CMAKE_INSTALL_LIBEXECDIR" "libexec")
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals buildTests [
    "-DROCPROFILER_BUILD_TESTS=ON"
  ]
  ++ lib.optionals buildSamples [
    "-DROCPROFILER_BUILD_SAMPLES=ON"
  ];

  postInstall = ''
    mkdir -p $dev/lib $dev/share/rocprofiler-sdk
    mv $out/lib/cmake $dev/lib/
    mv $out/share/rocprofiler-sdk/samples $out/share/rocprofiler-sdk/tests $dev/share/rocprofiler-sdk/
  '';

  postFixup = ''
    patchelf $out/lib/*.so --add-rpath ${aqlprofile}/lib --add-needed libhsa-amd-aqlprofile64.so
    wrapProgram \
      $out/bin/rocprofv3 \
      --add-flags \
      '--att-library-path ${lib.getLib rocprof-trace-decoder}/lib'
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Interfaces and programs that profile and trace programs on AMD GPUs";
    homepage = "https://github.com/ROCm/rocprofiler-sdk";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
