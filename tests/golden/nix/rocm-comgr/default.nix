{
  lib,
  stdenv,
  fetchpatch,
  cmake,
  python3,
  rocm-device-libs,
  llvm,
  zlib,
  zstd,
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
in
stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-comgr";
  inherit (llvm.llvm) version;

  src = llvm.llvm.monorepoSrc;
  sourceRoot = "${finalAttrs.src.name}/amd/comgr";

  patches = [
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "comgr-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-llvm-project/commit/7002dc04863d38c57cfd2e6fc60a1cf5a613fd8e.patch";
      relative = "amd/comgr";
      hash = "sha256-X2VPGigK582J+a/u2Kg74w25/+CTpVWU9D3Eqgnb2PU=";
    })
    # Those of compressed bundles too
    (fetchpatch {
      name = "comgr-compressed-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-llvm-project/commit/2c1e44fc3eacadcafdd4ada3e3184a092b6f26c5.patch";
      relative = "amd/comgr";
      hash = "sha256-/50I+PqxL3oaQMqg5vR7+ibUcXO1SvfXBdw/sybRt1o=";
    })
    # A code object of a compressed bundle keeps the name of the target it was asked for, by which HIP looks it up
    ./fix-ccob-compat-output-filename.patch
  ];

  strictDeps = true;

  postPatch = ''
    # The CMake files of clang are in another output than its headers
    substituteInPlace cmake/opencl_header.cmake \
      --replace-fail "\''${CLANG_CMAKE_DIR}/../../../" '${llvm.clang-unwrapped.lib}'

    # Code that is compiled at run time finds the headers of the C++ library there
    substituteInPlace src/comgr-env.cpp \
      --replace-fail 'return EnvLLVMPath;' 'return EnvLLVMPath ? EnvLLVMPath : "${llvm.rocm-toolchain}";'
  '';

  nativeBuildInputs = [
    cmake
    python3
  ];

  buildInputs = [
    rocm-device-libs
    llvm.clang-unwrapped
    llvm.lld
    llvm.llvm
    zlib
    zstd
  ];

  cmakeFlags = [ "-DLLVM_TARGETS_TO_BUILD=AMDGPU;${llvmNativeTarget}" ];

  meta = {
    description = "Code object manager that compiles and inspects GPU code at run time";
    homepage = "https://github.com/ROCm/ROCm-CompilerSupport/tree/amd-stg-open/lib/comgr";
    license = lib.licenses.ncsa;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
