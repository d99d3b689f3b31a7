{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  python3,
  rocm-comgr,
  rocm-runtime,
  rocm-device-libs,
  libxml2,
  libedit,
  zstd,
  zlib,
  ncurses,
  buildTests ? false,
  buildRockCompiler ? false,
}:

let
  # LLVM's name of the processor that the compiler runs on
  llvmNativeTarget =
    if stdenv.hostPlatform.isx86_64 then
      "X86"
    else if stdenv.hostPlatform.isAarch64 then
      "AArch64"
    else
      throw "ROCm's LLVM is built for x86-64 and AArch64 only";
  libPath = lib.makeLibraryPath [
    zstd
    zlib
    ncurses
    clr
    stdenv.cc.cc
  ];
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocmlir-rock";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals (!buildRockCompiler) [
    "external"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocMLIR";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-0OvQT8pX6GbEqUwuauKGI66IHw8dsnt5mIijnzYyiRc=";
  };

  doCheck = true;
  dontBuild = true;
  # Libraries that no other goal makes are made for the tests
  checkTarget =
    if buildRockCompiler then
      "librockCompiler"
    else if buildTests then
      "check-rocmlir"
    else
      "check-rocmlir-build-only";

  postPatch = ''
    patchShebangs mlir
    patchShebangs external/llvm-project/mlir/lib/Dialect/GPU/AmdDeviceLibsIncGen.py

    # Hides the function read of the system
    substituteInPlace mlir/lib/Analysis/BufferDependencyAnalysis.cpp \
      --replace-fail 'enum EffectType { read, write, unknown };' \
      'enum class EffectType { read, write, unknown };'
    substituteInPlace mlir/utils/performance/common/CMakeLists.txt \
      --replace-fail ' PATHS /opt/rocm' ""
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    (python3.withPackages (ps: [ ps.tomli ]))
  ];

  buildInputs = [
    rocm-comgr
    rocm-runtime
    rocm-device-libs
    libxml2
    libedit
  ];

  propagatedBuildInputs = [
    zstd
    zlib
    ncurses
  ];

  cmakeFlags = [
    "-DROCM_PATH=${clr}"
    (lib.cmakeFeature "LLVM_TARGETS_TO_BUILD" (
      if buildRockCompiler then "AMDGPU" else "AMDGPU;${llvmNativeTarget}"
    ))
    "-DLLVM_USE_LINKER=lld"
    "-DLLVM_ENABLE_ZSTD=FORCE_ON"
    "-DLLVM_ENABLE_ZLIB=FORCE_ON"
    "-DLLVM_ENABLE_LIBCXX=ON"
    "-DLLVM_ENABLE_TERMINFO=ON"
    (lib.cmakeBool "MLIR_ENABLE_ROCM_RUNNER" (!buildRockCompiler))
    (lib.cmakeBool "BUILD_FAT_LIBROCKCOMPILER" buildRockCompiler)
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals buildRockCompiler [
    "-DLLVM_INCLUDE_TESTS=OFF"
  ]
  ++ lib.optionals (!buildRockCompiler) [
    "-DROCM_TEST_CHIPSET=gfx900"
  ];

  postInstall = lib.optionalString (!buildRockCompiler) ''
    mkdir -p $external/lib
    cp -a external/llvm-project/llvm/lib/{*.a*,*.so*} "$external/lib"
    patchelf --set-rpath "$external/lib:$out/lib:${libPath}" "$external"/lib/*.so*
    patchelf --set-rpath "$out/lib:$external/lib:${libPath}" "$out"/{bin/*,lib/*.so*}
  '';

  passthru.updateScript = rocmUpdateScript {
    inherit finalAttrs;
    page = "tags";
  };

  meta = {
    description = "MLIR dialects and a compiler of kernels for convolutions and matrix products";
    homepage = "https://github.com/ROCm/rocMLIR";
    license = lib.licenses.asl20;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
