{
  lib,
  stdenv,
  callPackage,
  newScope,
  python3Packages,
  boost179,
  opencv,
}:

let
  scope = lib.makeScope newScope (self: {
    # Device code needs ROCm's own compiler; packages without any get the usual one below
    stdenv = self.llvm.rocmClangStdenv;

    rocmUpdateScript = self.callPackage ./update.nix { };

    # Only the source of the device libraries is used, so this is no cycle
    llvm = lib.recurseIntoAttrs (callPackage ./llvm { inherit (self) rocm-device-libs; });
    inherit (self.llvm) clang openmp rocm-toolchain;

    ck4inductor = python3Packages.callPackage ./ck4inductor {
      inherit (self) ;
      composable_kernel = self.composable_kernel;
      llvm = self.llvm;
    };
    tensile = python3Packages.callPackage ./tensile { inherit (self) rocmUpdateScript clr; };
    amdsmi = self.callPackage ./amdsmi { inherit stdenv; };
    rocm-smi = self.callPackage ./rocm-smi { inherit stdenv; };
    hipify = self.callPackage ./hipify { inherit stdenv; };
    rocprofiler-register = self.callPackage ./rocprofiler-register { clang = self.llvm.clang; };
    hip-common = self.callPackage ./hip-common { };
    rocm-runtime = self.callPackage ./rocm-runtime { inherit stdenv; };
    rdc = self.callPackage ./rdc { };
    rocm-bandwidth-test = self.callPackage ./rocm-bandwidth-test { };
    hipcc = self.callPackage ./hipcc { inherit stdenv; };
    rocm-device-libs = self.callPackage ./rocm-device-libs { };
    rocm-comgr = self.callPackage ./rocm-comgr { };
    rocm-core = self.callPackage ./rocm-core { inherit stdenv; };
    rocm-cmake = self.callPackage ./rocm-cmake { inherit stdenv; };
    half = self.callPackage ./half { };
    hipfort = self.callPackage ./hipfort { };
    hipblas-common = self.callPackage ./hipblas-common { };
    rocdbgapi = self.callPackage ./rocdbgapi { };
    rocgdb = self.callPackage ./rocgdb { };
    rocminfo = self.callPackage ./rocminfo { inherit stdenv; };
    clr = self.callPackage ./clr { };
    rocshmem = self.callPackage ./rocshmem { };
    rpp = self.callPackage ./rpp { };
    rocmlir-rock = self.callPackage ./rocmlir-rock { buildRockCompiler = true; };
    composable_kernel_base = self.callPackage ./composable_kernel/base.nix { };
    composable_kernel = self.callPackage ./composable_kernel { };
    rocwmma = self.callPackage ./rocwmma { };
    hipblaslt = self.callPackage ./hipblaslt { };
    rocrand = self.callPackage ./rocrand { };
    hiprand = self.callPackage ./hiprand { };
    rocfft = self.callPackage ./rocfft { };
    hipfft = self.callPackage ./hipfft { };
    rocprim = self.callPackage ./rocprim { };
    rocthrust = self.callPackage ./rocthrust { };
    hipcub = self.callPackage ./hipcub { };
    roctracer = self.callPackage ./roctracer { };
    rocblas = self.callPackage ./rocblas { };
    rocsparse = self.callPackage ./rocsparse { };
    rocalution = self.callPackage ./rocalution { };
    hipsparse = self.callPackage ./hipsparse { };
    hipsparselt = self.callPackage ./hipsparselt { };
    rocsolver = self.callPackage ./rocsolver { };
    hipsolver = self.callPackage ./hipsolver { };
    hipblas = self.callPackage ./hipblas { };
    miopen = self.callPackage ./miopen {
      boost = boost179.override { enableStatic = true; };
    };
    migraphx = self.callPackage ./migraphx { inherit stdenv; };
    mivisionx = self.callPackage ./mivisionx {
      inherit stdenv;
      opencv = opencv.override { enablePython = true; };
    };
    rocr-debug-agent = self.callPackage ./rocr-debug-agent { };
    aqlprofile = self.callPackage ./aqlprofile { };
    rocprofiler = self.callPackage ./rocprofiler { clang = self.llvm.clang; };
    rccl = self.callPackage ./rccl { };
    rocprofiler-sdk = self.callPackage ./rocprofiler-sdk { };
  });

  # All packages take their targets from this one, so it alone is changed
  narrowTo =
    targets:
    scope.overrideScope (
      _: prev: {
        clr = prev.clr.override { localGpuTargets = targets; };
      }
    );
in
scope
// lib.genAttrs scope.clr.gpuTargets (target: narrowTo [ target ])
// {
  gfx9 = narrowTo [
    "gfx900"
    "gfx906"
    "gfx908"
    "gfx90a"
    "gfx942"
    "gfx950"
  ];
  gfx10 = narrowTo [
    "gfx1010"
    "gfx1030"
  ];
  gfx11 = narrowTo [
    "gfx1100"
    "gfx1101"
    "gfx1102"
    "gfx1103"
    "gfx1150"
    "gfx1151"
  ];
  gfx12 = narrowTo [
    "gfx1200"
    "gfx1201"
  ];
}
