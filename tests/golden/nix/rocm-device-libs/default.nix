{
  lib,
  stdenv,
  cmake,
  ninja,
  python3,
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
  pname = "rocm-device-libs";
  inherit (llvm.llvm) version;

  src = llvm.llvm.monorepoSrc;
  sourceRoot = "${finalAttrs.src.name}/amd/device-libs";

  patches = [ ./cmake.patch ];

  __structuredAttrs = true;
  strictDeps = true;

  postPatch = ''
    # The wrapped compiler knows where the system's headers are
    substituteInPlace cmake/OCL.cmake \
      --replace-fail '$<TARGET_FILE:clang>' '${lib.getExe' llvm.rocm-toolchain "clang"}'
  '';

  nativeBuildInputs = [
    cmake
    ninja
    python3
    llvm.rocm-toolchain
  ];

  buildInputs = [
    llvm.clang-unwrapped
    zlib
    zstd
    llvm.llvm
  ];

  cmakeFlags = [ "-DLLVM_TARGETS_TO_BUILD=AMDGPU;${llvmNativeTarget}" ];

  meta = {
    description = "Bitcode libraries of device functions for AMD GPUs";
    homepage = "https://github.com/ROCm/ROCm-Device-Libs";
    license = lib.licenses.ncsa;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
