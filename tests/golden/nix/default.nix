{
  lib,
  stdenv,
  callPackage,
  newScope,
  python3Packages,
  boost179,
  opencv,
  openmpi,
  pkgs,
  config,
}:

let
  scope = lib.makeScope newScope (
    self:
    {
      # Device code needs ROCm's own compiler; packages without any get the usual one below
      stdenv = self.llvm.rocmClangStdenv;

      rocmUpdateScript = self.callPackage ./update.nix { };

      # Only the source of the device libraries is used, so this is no cycle
      llvm = lib.recurseIntoAttrs (callPackage ./llvm { inherit (self) rocm-device-libs; });
      inherit (self.llvm) clang openmp rocm-toolchain;

      rocm-docs-core = python3Packages.callPackage ./rocm-docs-core { };
      rocprof-compute-viewer = self.callPackage ./rocprof-compute-viewer { };
      ck4inductor = python3Packages.callPackage ./composable_kernel/ck4inductor.nix {
        composable_kernel = self.composable_kernel;
        rocm-toolchain = self.rocm-toolchain;
      };
      tensile = python3Packages.callPackage ./tensile { inherit (self) rocmUpdateScript clr; };
      amdsmi = python3Packages.callPackage ./amdsmi { inherit (self) rocmUpdateScript; };
      rocm-smi = python3Packages.callPackage ./rocm-smi { inherit (self) rocmUpdateScript; };
      hipify = self.callPackage ./hipify { inherit stdenv; };
      rocprofiler-register = self.callPackage ./rocprofiler-register { clang = self.llvm.clang; };
      hip-common = self.callPackage ./hip-common { };
      rocm-runtime = self.callPackage ./rocm-runtime { inherit stdenv; };
      rdc = self.callPackage ./rdc { };
      rocm-bandwidth-test = self.callPackage ./rocm-bandwidth-test { rocmPackages = self; };
      hipcc = self.callPackage ./hipcc { inherit stdenv; };
      rocm-device-libs = self.callPackage ./rocm-device-libs { };
      rocm-comgr = self.callPackage ./rocm-comgr { };
      rocprof-trace-decoder = self.callPackage ./rocprof-trace-decoder { };
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
      rocmlir-rock = self.callPackage ./rocmlir { buildRockCompiler = true; };
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

      rocmClangStdenv = self.llvm.rocmClangStdenv;
      rpp-cpu = self.rpp.override { useCPU = true; };
      rpp-hip = self.rpp.override { useCPU = false; };
      mivisionx-cpu = self.mivisionx.override {
        rpp = self.rpp-cpu;
        useOpenCL = false;
        useCPU = true;
      };
      mivisionx-hip = self.mivisionx.override {
        rpp = self.rpp-hip;
        useOpenCL = false;
        useCPU = false;
      };
      openmpi = openmpi.override (
        old:
        let
          ucx = old.ucx.override {
            enableCuda = false;
            enableRocm = true;
            rocmPackages = self;
          };
        in
        {
          inherit ucx;
          ucc = old.ucc.override {
            enableCuda = false;
            inherit ucx;
          };
        }
      );
      aotriton = self.callPackage ./aotriton { inherit stdenv; };
      hiprt = self.callPackage ./hiprt { };
      mscclpp = self.callPackage ./mscclpp { };
      rocm-tests = self.callPackage ./rocm-tests { rocmPackages = self; };
      meta = {
        # The attributes of nixpkgs that its build farm builds with ROCm, and for what
        release-packagePlatforms =
          let
            listed = map (lib.splitString ".") (lib.importJSON ./release-attrPaths.json).attrPaths;
            there = lib.filter (path: lib.hasAttrByPath path pkgs) listed;
            built = map (path: lib.setAttrByPath path [ "x86_64-linux" ]) there;
          in
          lib.foldl' lib.recursiveUpdate { } built;
      };
      hsakmt = self.rocm-runtime;
      miopen-hip = self.miopen;
      mpi = self.openmpi;
      rocmlir = self.rocmlir-rock;
    }
    // lib.optionalAttrs config.allowAliases {
      clang-ocl = throw "'clang-ocl' has been removed: ROCm's clang compiles OpenCL by itself"; # Added 2025-03-16
      hsa-amd-aqlprofile-bin = lib.warnOnInstantiate "'hsa-amd-aqlprofile-bin' is called 'aqlprofile' now" self.aqlprofile; # Added 2025-08-27
      miopen-opencl = throw "'miopen-opencl' has been removed"; # Added 2024-03-03
      miopengemm = throw "'miopengemm' has been removed"; # Added 2024-03-03
      mivisionx-opencl = throw "'mivisionx-opencl' has been removed"; # Added 2024-03-24
      rocm-merged-llvm = throw "'rocm-merged-llvm' has been removed"; # Added 2025-09-30
      rocm-thunk = throw "'rocm-thunk' has been removed: it is part of rocm-runtime"; # Added 2025-03-16
      rocmPath = throw "'rocmPath' has been removed"; # Added 2025-09-30
      rpp-opencl = throw "'rpp-opencl' has been removed"; # Added 2026-03-08
      triton = throw "'triton' has been removed"; # Added 2025-08-24
    }
  );

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
    "gfx906"
    "gfx908"
    "gfx90a"
    "gfx942"
  ];
  gfx10 = narrowTo [
    "gfx1010"
    "gfx1030"
  ];
  gfx11 = narrowTo [
    "gfx1100"
    "gfx1101"
    "gfx1102"
    "gfx1150"
    "gfx1151"
  ];
  gfx12 = narrowTo [
    "gfx1200"
    "gfx1201"
  ];
}
