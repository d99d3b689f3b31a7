{
  lib,
  stdenv,
  llvm,
  cmake,
  python3,
  rocm-device-libs,
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

  strictDeps = true;

  postPatch = ''
    # The CMake files of clang are in another output than its headers
    substituteInPlace cmake/opencl_pch.cmake \
      --replace-fail "\''${CLANG_CMAKE_DIR}/../../../" '${llvm.clang-unwrapped.lib}'
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

  cmakeFlags = [ (lib.cmakeFeature "LLVM_TARGETS_TO_BUILD" "AMDGPU;${llvmNativeTarget}") ];

  meta = {
    description = "Code object manager that compiles and inspects GPU code at run time";
    homepage = "https://github.com/ROCm/ROCm-CompilerSupport/tree/amd-stg-open/lib/comgr";
    license = lib.licenses.ncsa;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
