{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  perl,
  llvm,
  zlib,
  zstd,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "hipify";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "HIPIFY";
    rev = "rocm-${finalAttrs.version}";
    hash = "sha256-LC0lnYetV7RPVw92zew6za6bDH4zmnERXUM4MVaRVtc=";
  };

  strictDeps = true;

  postPatch = ''
    # clang is another package than the rest of LLVM
    substituteInPlace CMakeLists.txt \
      --replace-fail "\''${LLVM_TOOLS_BINARY_DIR}/clang" '${lib.getExe' llvm.rocm-toolchain "clang"}'
    chmod +x bin/*
  '';

  nativeBuildInputs = [
    cmake
    perl
    llvm.rocm-toolchain
  ];

  buildInputs = [
    llvm.clang-unwrapped
    llvm.llvm
    perl
    zlib
    zstd
  ];

  env.CXXFLAGS = "-I${lib.getInclude llvm.llvm}/include -I${lib.getInclude llvm.clang-unwrapped}/include";

  postInstall = ''
    # A copy of what is in libexec, by a path that is not there
    rm -r $out/bin/hipify-perl
    chmod +x $out/bin/*
    chmod +x $out/libexec/*
    patchShebangs $out/bin $out/libexec
    ln -s $out/libexec/hipify/hipify-perl $out/bin/hipify-perl
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Translators of CUDA sources into portable HIP";
    homepage = "https://github.com/ROCm/HIPIFY";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
