{
  lib,
  stdenv,
  callPackage,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  cmake,
  python3Packages,
  perl,
  makeWrapper,
  libx11,
  libGL,
  numactl,
  khronos-ocl-icd-loader,
  rocprofiler-register,
  llvm,
  libxml2,
  libffi,
  zstd,
  zlib,
  rocminfo,
  rocm-comgr,
  rocm-runtime,
  rocm-core,
  rocm-device-libs,
  symlinkJoin,
  writeShellScriptBin,
  gcc-unwrapped,
  hipcc,
  hip-common,
  roctracer,
  rocm-smi,
  localGpuTargets ? null,
}:

let
  # HIP wants the compiler and the binary tools in one folder; the plain tools must win over the wrapped ones
  hipClang = symlinkJoin {
    name = "hipClang";
    paths = [
      llvm.bintools.bintools
      llvm.rocm-toolchain
    ];
    postBuild = ''
      rm -rf $out/{etc,include,lib,nix-support,share,usr}
    '';
  };
  hipClangPath = "${hipClang}/bin";
  wrapperArgs = lib.concatStringsSep " " [
    "--prefix PATH : $out/bin"
    "--prefix LD_LIBRARY_PATH : ${rocm-runtime}"
    "--set HIP_PLATFORM amd"
    "--set HIP_PATH $out"
    "--set HIP_CLANG_PATH ${hipClangPath}"
    "--set DEVICE_LIB_PATH ${rocm-device-libs}/amdgcn/bitcode"
    "--set HSA_PATH ${rocm-runtime}"
    "--set ROCM_PATH $out"
  ];
  amdclang = writeShellScriptBin "amdclang" ''
    exec ${hipClang}/bin/clang "$@"
  '';
  amdclangxx = writeShellScriptBin "amdclang++" ''
    exec ${hipClang}/bin/clang++ "$@"
  '';
in
stdenv.mkDerivation (finalAttrs: {
  pname = "clr";
  version = "7.2.3";

  outputs = [
    "out"
    "icd"
  ];

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/clr"
      "shared"
    ];
    hash = "sha256-n8yWWDxE36m2NN0cmqHXQy5omYPiYoqnaNbqWm63q3E=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/clr";

  patches = [
    ./cmake-find-x11-libgl.patch
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "clr-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-systems/commit/039cb23b24d739adb8c0f9de8b550d9f557de031.patch";
      relative = "projects/clr";
      hash = "sha256-3MsDL+OQg24wH1RDhbao74RuIbzEAmduwla9KOPzQ/M=";
    })
  ];

  __structuredAttrs = true;
  strictDeps = true;
  cmakeBuildType = "RelWithDebInfo";
  separateDebugInfo = true;
  disallowedRequisites = [ gcc-unwrapped ];

  postPatch = ''
    patchShebangs hipamd/*.sh
    patchShebangs hipamd/src

    # Batch files are Windows' and are not there
    substituteInPlace hipamd/CMakeLists.txt \
      --replace-fail 'install(PROGRAMS ''${HIPCC_BIN_DIR}/hipcc.bat DESTINATION bin)' "" \
      --replace-fail 'install(PROGRAMS ''${HIPCC_BIN_DIR}/hipconfig.bat DESTINATION bin)' ""
    substituteInPlace hipamd/src/hip_embed_pch.sh \
      --replace-fail '$LLVM_DIR/bin/clang' '${hipClangPath}/clang' \
      --replace-fail '$LLVM_DIR/bin/llvm-mc' '${lib.getExe' llvm.bintools.bintools "llvm-mc"}'

    # Where NixOS puts the drivers
    substituteInPlace opencl/khronos/icd/loader/icd_platform.h \
      --replace-fail '#define ICD_VENDOR_PATH "/etc/OpenCL/vendors/";' \
      '#define ICD_VENDOR_PATH "/run/opengl-driver/etc/OpenCL/vendors/";'
  '';

  nativeBuildInputs = [
    cmake
    python3Packages.python
    python3Packages.cppheaderparser
    perl
    makeWrapper
    amdclang
    amdclangxx
  ];

  buildInputs = [
    libx11
    libGL
    numactl
    khronos-ocl-icd-loader
    rocprofiler-register
    llvm.llvm
    libxml2
    libffi
    zstd
    zlib
    hipClang
  ];

  propagatedBuildInputs = [
    rocminfo
    rocm-comgr
    rocm-runtime
    rocm-core
    rocm-device-libs
    hipClangPath
  ];

  env.LLVM_DIR = "";

  cmakeFlags = [
    "-DCLR_BUILD_HIP=ON"
    "-DCLR_BUILD_OCL=ON"
    "-DHIP_PLATFORM=amd"
    "-DHIPCC_BIN_DIR=${hipcc}/bin"
    # The vendor-neutral OpenGL libraries
    "-DCMAKE_POLICY_DEFAULT_CMP0072=NEW"
    "-DHIP_COMMON_DIR=${hip-common}"
    "-DPROF_API_HEADER_PATH=${roctracer.src}/inc/ext"
    "-DROCM_PATH=${rocminfo}"
    "-DBUILD_ICD=ON"
    "-DAMD_ICD_LIBRARY_DIR=${khronos-ocl-icd-loader}"
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  postInstall = ''
    chmod +x $out/bin/*
    patchShebangs $out/bin

    # Programs by AMD's names for the compiler
    cp ${amdclang}/bin/* $out/bin/
    cp ${amdclangxx}/bin/* $out/bin/
    for program in hipcc hipconfig; do
      wrapProgram $out/bin/"$program" ${wrapperArgs}
    done
    printf '%s\n' \
      'export HIP_PATH="${placeholder "out"}"' \
      'export HIP_PLATFORM=amd' \
      'export HIP_DEVICE_LIB_PATH="${rocm-device-libs}/amdgcn/bitcode"' \
      'export NIX_CC_USE_RESPONSE_FILE=0' \
      'export HIP_CLANG_PATH="${hipClangPath}"' \
      'export ROCM_LIBPATCH_VERSION="'${lib.escapeShellArg rocm-core.ROCM_LIBPATCH_VERSION}'"' \
      'export HSA_PATH="${rocm-runtime}"' \
      | install -Dm644 /dev/stdin $out/nix-support/setup-hook

    # Other builds look for these below HIP's prefix
    ln -s ${rocminfo}/bin/* $out/bin
    ln -s ${rocm-core}/include/* $out/include/
    mkdir -p $icd/etc/OpenCL/vendors
    echo $out/lib/libamdocl64.so > $icd/etc/OpenCL/vendors/amdocl64.icd

    # The version of the whole stack
    ln -s ${rocm-core}/.info $out/.info
    ln -s ${hipClang} $out/llvm
  '';

  postFixup = ''
    # The libraries load each other and themselves by name alone, and what looks unused was taken from their paths before
    patchelf --add-rpath $out/lib $out/lib/*.so
  '';

  passthru = {
    # Processors that this package set builds for unless its scope is narrowed
    gpuTargets = [
      "gfx900"
      "gfx906"
      "gfx908"
      "gfx90a"
      "gfx942"
      "gfx950"
      "gfx1010"
      "gfx1030"
      "gfx1100"
      "gfx1101"
      "gfx1102"
      "gfx1103"
      "gfx1150"
      "gfx1151"
      "gfx1200"
      "gfx1201"
    ];
    # Tells the narrowed builds of one package apart
    gpuArchSuffix = lib.optionalString (
      localGpuTargets != null
    ) "-${lib.concatStringsSep "-" localGpuTargets}";
    # Those targets of a narrowed scope that a package supports
    selectGpuTargets =
      {
        supported ? [ ],
      }:
      if localGpuTargets == null then
        supported
      else if supported == [ ] then
        localGpuTargets
      else
        lib.intersectLists localGpuTargets supported;
    inherit hipClangPath;
    impureTests = {
      rocm-smi = callPackage ./test-rocm-smi.nix {
        inherit rocm-smi;
        clr = finalAttrs.finalPackage;
      };
      opencl-cts = callPackage ./test-opencl-cts.nix { clr = finalAttrs.finalPackage; };
      hiprtc-type-traits = callPackage ./test-hiprtc-type-traits.nix {
        inherit rocm-smi;
        clr = finalAttrs.finalPackage;
      };
      isa-compat = callPackage ./test-isa-compat.nix {
        clr = finalAttrs.finalPackage;
        name = "isa-compat";
        offloadArches = [
          "gfx900"
          "gfx1010"
          "gfx1030"
        ];
      };
      generic-arch = callPackage ./test-isa-compat.nix {
        clr = finalAttrs.finalPackage;
        name = "generic-arch";
        offloadArches = [
          "gfx9-generic"
          "gfx10-1-generic"
          "gfx10-3-generic"
          "gfx11-generic"
          "gfx12-generic"
        ];
      };
      spirv = callPackage ./test-isa-compat.nix {
        clr = finalAttrs.finalPackage;
        name = "spirv";
        offloadArches = [ "amdgcnspirv" ];
      };
    };
    updateScript = rocmUpdateScript { inherit finalAttrs; };
  }
  // lib.optionalAttrs (localGpuTargets != null) { inherit localGpuTargets; };

  meta = {
    description = "HIP and OpenCL runtimes for AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/clr";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
