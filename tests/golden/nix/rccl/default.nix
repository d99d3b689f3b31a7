{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  rocm-cmake,
  clr,
  hipify,
  python3,
  perl,
  pkg-config,
  autoPatchelfHook,
  rocm-smi,
  roctracer,
  fmt,
  gtest,
  rocprofiler-register,
  rocprofiler,
  mscclpp,
  chrpath,
  rocm-core,
  rccl,
  buildTests ? false,
  gpuTargets ? clr.localGpuTargets or [ ],
}:

let
  sanitizers = lib.optionalString buildTests "-fno-gpu-sanitize -fsanitize=undefined -fsanitize=address -shared-libsan ";
  # Upstream's code breaks the rules of aliasing
  cFlags = "-I${clr}/include -I${roctracer}/include -O2 -fno-strict-aliasing ${sanitizers}-fno-omit-frame-pointer -momit-leaf-frame-pointer";
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rccl${clr.gpuArchSuffix}";
  version = "7.2.3";

  outputs = [
    "out"
  ]
  ++ lib.optionals buildTests [
    "test"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rccl";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-A1IQYIDWqu3JLiPQ70G52s1/0ZweQxFlgMUH81qJWmU=";
  };

  patches = [
    ./rccl-test-missing-iomanip.diff
    ./fix_hw_reg_hw_id_gt_gfx10.patch
  ];

  postPatch = ''
    patchShebangs src tools
    substituteInPlace CMakeLists.txt \
      --replace-fail "\''${HOST_OS_ID}" '"ubuntu"' \
      --replace-fail 'target_include_directories(rccl PRIVATE ''${ROCM_SMI_INCLUDE_DIR})' \
      'target_include_directories(rccl PRIVATE ''${ROCM_SMI_INCLUDE_DIRS})'
  '';

  nativeBuildInputs = [
    cmake
    rocm-cmake
    clr
    hipify
    python3
    perl
    pkg-config
    # The sanitizers' libraries are not found without it
    autoPatchelfHook
  ];

  buildInputs = [
    rocm-smi
    roctracer
    fmt
    gtest
    rocprofiler-register
    rocprofiler
    mscclpp
  ]
  ++ lib.optionals buildTests [
    chrpath
  ];

  env = {
    CFLAGS = cFlags;
    CXXFLAGS = cFlags;
    LDFLAGS = sanitizers;
  };

  cmakeFlags = [
    "-DROCM_PATH=${clr}"
    # Downloads while it builds
    "-DENABLE_MSCCLPP=OFF"
    "-DHIP_CLANG_NUM_PARALLEL_JOBS=4"
    "-DHIP_COMPILER=${lib.getExe' clr "amdclang++"}"
    "-DCMAKE_CXX_COMPILER=${lib.getExe' clr "amdclang++"}"
    "-DROCM_PATCH_VERSION=${rocm-core.ROCM_LIBPATCH_VERSION}"
    "-DROCM_VERSION=${rocm-core.ROCM_LIBPATCH_VERSION}"
    "-DBUILD_BFD=OFF"
    "-DENABLE_MSCCL_KERNEL=ON"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ]
  ++ lib.optionals (gpuTargets != [ ]) [
    "-DAMDGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
    "-DGPU_TARGETS=${lib.concatStringsSep ";" gpuTargets}"
  ]
  ++ lib.optionals buildTests [
    "-DBUILD_TESTS=ON"
  ];

  postInstall = lib.optionalString buildTests ''
    patchelf --add-needed \
      ${clr}/llvm/lib/linux/libclang_rt.asan-${stdenv.hostPlatform.parsed.cpu.name}.so \
      $out/lib/librccl.so
    mkdir -p $test/bin
    mv $out/bin/* $test/bin
    rmdir $out/bin
  '';

  requiredSystemFeatures = [ "big-parallel" ];

  passthru = {
    tests.rccl = rccl.override { buildTests = true; };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  };

  meta = {
    description = "Collective communication between AMD GPUs";
    homepage = "https://github.com/ROCm/rccl";
    license = with lib.licenses; [
      bsd2
      bsd3
    ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
