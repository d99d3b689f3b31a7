{
  lib,
  stdenv,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  llvm,
  rocm-device-libs,
  cmake,
  xxd,
  pkg-config,
  elfutils,
  libdrm,
  numactl,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-runtime";
  version = "7.1.1";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "ROCR-Runtime";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-gqe1trGc/Cu1XFA4aYjOzFurUgebLbdTHEJi4iw2+kk=";
  };

  patches = [
    # A queue that can't be made is an error, not a crash
    ./queue-failure.patch
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "rocr-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-systems/commit/c13cd118fcc8e0bc9ae8de62897542dca7352b71.patch";
      relative = "projects/rocr-runtime";
      hash = "sha256-8r2Lb5lBfFaZC3knCxfXGcnkzNv6JxOKyJn2rD5gus4=";
    })
    (fetchpatch {
      name = "kfd-ioctl-shift.patch";
      url = "https://github.com/ROCm/ROCR-Runtime/commit/41bfc66aef437a5b349f71105fa4b907cc7e17d5.patch";
      hash = "sha256-A7VhPR3eSsmjq2cTBSjBIz9i//WiNjoXm0EsRKtF+ns=";
    })
    # The name of gfx1151 alone; the register count that comes with it fails on older kernels
    (fetchpatch {
      name = "rocr-gfx1151-version.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/09ba45b3f43ec333a84a0ca178fcd1e3ea9400a9.patch";
      relative = "projects/rocr-runtime";
      includes = [ "libhsakmt/src/libhsakmt.h" ];
      hash = "sha256-/V5i+sr88n7fK4yNjR/FpY0ZpiEG5xAD6Oq+9ZOikd4=";
    })
    # Stack sizes are asked of the kernel where it can tell them
    (fetchpatch {
      name = "rocr-kernel-stack-size.patch";
      url = "https://github.com/ROCm/rocm-systems/commit/7037a71f311c021974fafd13727dfefd8a1cc79d.patch";
      relative = "projects/rocr-runtime";
      hash = "sha256-EbDxuEvNu0fyQJZmqq0fbcCdNtaEWUbmyPLvcfqDPjc=";
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
    llvm.llvm
  ];

  cmakeFlags = [
    (lib.cmakeBool "BUILD_SHARED_LIBS" true)
    # Upstream joins these to the prefix, so they must be relative
    (lib.cmakeFeature "CMAKE_INSTALL_BINDIR" "bin")
    (lib.cmakeFeature "CMAKE_INSTALL_LIBDIR" "lib")
    (lib.cmakeFeature "CMAKE_INSTALL_INCLUDEDIR" "include")
  ];

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "User-mode runtime of the Heterogeneous System Architecture on AMD GPUs";
    homepage = "https://github.com/ROCm/ROCR-Runtime";
    license = lib.licenses.ncsa;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
