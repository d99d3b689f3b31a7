{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  clr,
  clang,
  python3,
  aqlprofile,
  elfutils,
  numactl,
  gtest,
  llvm,
  libpciaccess,
  libxml2,
  mpi,
  symlinkJoin,
  rocm-core,
  rocm-runtime,
  rocm-device-libs,
  roctracer,
  rocdbgapi,
  gpuTargets ? clr.localGpuTargets or clr.gpuTargets,
}:

let
  # Whoever builds against it finds all that its headers include
  toolkit = symlinkJoin {
    name = "rocmtoolkit-merged";
    paths = [
      rocm-core
      rocm-runtime
      rocm-device-libs
      roctracer
      rocdbgapi
      clr
    ];
    postBuild = ''
      rm -rf $out/nix-support
    '';
  };
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocprofiler";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocprofiler"
      "shared"
    ];
    fetchSubmodules = true;
    hash = "sha256-Wo0pymD8LsrdczdIUEEVe5x2Id//KIFkh40kliAQgWo=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocprofiler";

  postPatch = ''
    patchShebangs .

    # The sources hold the submodules already
    substituteInPlace cmake_modules/rocprofiler_utils.cmake \
      --replace-fail 'function(ROCPROFILER_CHECKOUT_GIT_SUBMODULE)' \
      'function(ROCPROFILER_CHECKOUT_GIT_SUBMODULE)
      return()'
    substituteInPlace CMakeLists.txt \
      --replace-fail 'set(ROCPROFILER_BUILD_TESTS ON)' ""
    substituteInPlace tests-v2/featuretests/profiler/CMakeLists.txt \
      --replace-quiet '--build-id=sha1' \
      '--build-id=sha1 --rocm-path=${clr} --rocm-device-lib-path=${rocm-device-libs}/amdgcn/bitcode'
    substituteInPlace test/CMakeLists.txt \
      --replace-quiet "\''${ROCM_ROOT_DIR}/amdgcn/bitcode" '${rocm-device-libs}/amdgcn/bitcode'
  '';

  nativeBuildInputs = [
    cmake
    clr
    clang
    (python3.withPackages (ps: [
      ps.lxml
      ps.cppheaderparser
      ps.pyyaml
      ps.barectf
      ps.pandas
    ]))
  ];

  buildInputs = [
    aqlprofile
    elfutils
    numactl
    gtest
    llvm.clang-unwrapped
    llvm.llvm
    libpciaccess
    libxml2
    mpi
  ];

  propagatedBuildInputs = [ toolkit ];

  # Its CMake files forget these folders
  env.CXXFLAGS = "-I${libpciaccess}/include -I${lib.getDev numactl}/include -I${toolkit}/include -I${lib.getDev elfutils}/include -w";

  cmakeFlags = [
    "-DCMAKE_MODULE_PATH=${clr}/lib/cmake/hip"
    "-DHIP_ROOT_DIR=${clr}"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DAMDGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ];

  postInstall = ''
    # These describe counters and are no programs
    chmod -x $out/libexec/rocprofiler/counters/*.xml

    # rocprofiler's script looks for this program in its own folder
    ln -s ${clr}/bin/rocm_agent_enumerator $out/bin/rocm_agent_enumerator
  '';

  postFixup = ''
    patchelf $out/lib/*.so --add-rpath ${aqlprofile}/lib --add-needed libhsa-amd-aqlprofile64.so
  '';

  passthru = {
    rocmtoolkit-merged = toolkit;
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Older profiler of programs on AMD GPUs, by counters and traces";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocprofiler";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
