{
  lib,
  stdenv,
  cmake,
  llvm,
  lsb-release,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "hipcc";
  inherit (llvm.llvm) version;

  src = llvm.llvm.monorepoSrc;
  sourceRoot = "${finalAttrs.src.name}/amd/hipcc";

  strictDeps = true;

  postPatch = ''
    substituteInPlace src/hipBin_amd.h \
      --replace-fail '/usr/bin/lsb_release' '${lib.getExe' lsb-release "lsb_release"}'
  '';

  nativeBuildInputs = [
    cmake
    llvm.rocm-toolchain
  ];

  buildInputs = [ llvm.clang-unwrapped ];

  cmakeFlags = [ "-DCMAKE_BUILD_TYPE=Release" ];

  postInstall = ''
    # Programs look for their neighbours in both folders
    rm -r $out/hip/bin
    ln -s $out/bin $out/hip/bin
  '';

  meta = {
    description = "Compiler driver that turns HIP sources into programs";
    homepage = "https://github.com/ROCm/HIPCC";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
