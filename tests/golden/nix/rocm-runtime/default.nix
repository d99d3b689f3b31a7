{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  cmake,
  xxd,
  pkg-config,
  llvm,
  elfutils,
  libdrm,
  numactl,
  rocprofiler-register,
  rocm-device-libs,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-runtime";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocr-runtime"
      "shared"
    ];
    hash = "sha256-hcyjOLMtoBX/p6r6R9Bl9635DuvI6rTn1KziHMeyYM0=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocr-runtime";

  patches = [
    # A queue that can't be made is an error, not a crash
    ./queue-failure.patch
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "rocr-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-systems/commit/dcef23cf896f4dcbc7ed81abeaa4ec2208dcdd8c.patch";
      relative = "projects/rocr-runtime";
      hash = "sha256-8r2Lb5lBfFaZC3knCxfXGcnkzNv6JxOKyJn2rD5gus4=";
    })
    (fetchpatch {
      name = "kfd-ioctl-shift.patch";
      url = "https://github.com/ROCm/ROCR-Runtime/commit/41bfc66aef437a5b349f71105fa4b907cc7e17d5.patch";
      hash = "sha256-A7VhPR3eSsmjq2cTBSjBIz9i//WiNjoXm0EsRKtF+ns=";
    })
    # aqlprofile needs this library itself; rocprofiler loads it instead
    ./remove-hsa-aqlprofile-dep.patch
  ];

  __structuredAttrs = true;
  strictDeps = true;
  cmakeBuildType = "RelWithDebInfo";
  separateDebugInfo = true;

  postPatch = ''
    patchShebangs --build \
      runtime/hsa-runtime/core/runtime/trap_handler/create_trap_handler_header.sh \
      runtime/hsa-runtime/core/runtime/blit_shaders/create_blit_shader_header.sh \
      runtime/hsa-runtime/image/blit_src/create_hsaco_ascii_file.sh
    patchShebangs --host image core runtime
    substituteInPlace CMakeLists.txt \
      --replace-quiet 'hsa/include/hsa' 'include/hsa'
    substituteInPlace runtime/hsa-runtime/image/blit_src/CMakeLists.txt \
      --replace-fail 'COMMAND clang' 'COMMAND ${lib.getExe' llvm.rocm-toolchain "clang"}'
    export HIP_DEVICE_LIB_PATH=${rocm-device-libs}/amdgcn/bitcode
  '';

  nativeBuildInputs = [
    cmake
    # Makes headers of the image kernels
    xxd
    pkg-config
    llvm.rocm-toolchain
  ];

  buildInputs = [
    elfutils
    libdrm
    llvm.clang-unwrapped
    numactl
    rocprofiler-register
    llvm.llvm
  ];

  cmakeFlags = [
    "-DBUILD_SHARED_LIBS=ON"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "User-mode runtime of the Heterogeneous System Architecture on AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocr-runtime";
    license = lib.licenses.ncsa;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
