{
  lib,
  config,
  callPackage,
  newScope,
  boost179,
  opencv,
  python3Packages,
  openmpi,
  stdenv,
  pkgs,
}:

let
  whole = lib.makeScope newScope (
    self:
    let
      inherit (self) llvm;
      usualStdenv = stdenv;
      py = python3Packages;
      usual-openmpi = openmpi;
      rocmClangStdenv = llvm.rocmClangStdenv;
    in
    {
      inherit rocmClangStdenv;
      stdenv = rocmClangStdenv;

      rocmUpdateScript = self.callPackage ./update.nix { };

      ## The compiler ##
      llvm = lib.recurseIntoAttrs (
        callPackage ./llvm/default.nix {
          # its source alone is read, so nothing depends on itself
          inherit (self) rocm-device-libs;
        }
      );
      inherit (self.llvm) rocm-toolchain clang openmp;

      rocm-core = self.callPackage ./rocm-core { stdenv = usualStdenv; };

      rocm-cmake = self.callPackage ./rocm-cmake { stdenv = usualStdenv; };

      rocm-device-libs = self.callPackage ./rocm-device-libs { };

      rocm-runtime = self.callPackage ./rocm-runtime {
        stdenv = usualStdenv;
      };

      # The thunk became a part of the runtime
      hsakmt = self.rocm-runtime;

      rocm-comgr = self.callPackage ./rocm-comgr { };

      rocminfo = self.callPackage ./rocminfo { stdenv = usualStdenv; };

      amdsmi = py.callPackage ./amdsmi {
        inherit (self) rocmUpdateScript;
      };

      rocm-smi = py.callPackage ./rocm-smi {
        inherit (self) rocmUpdateScript;
      };

      aqlprofile = self.callPackage ./aqlprofile { };

      rdc = self.callPackage ./rdc { };

      rocm-docs-core = python3Packages.callPackage ./rocm-docs-core { };

      hip-common = self.callPackage ./hip-common { };

      hipcc = self.callPackage ./hipcc { stdenv = usualStdenv; };

      # The runtime, and the list of GPU targets that all others follow
      clr = self.callPackage ./clr { };

      aotriton = self.callPackage ./aotriton { stdenv = usualStdenv; };

      hipify = self.callPackage ./hipify {
        stdenv = usualStdenv;
      };

      rocsparse = self.callPackage ./rocsparse { };

      rocblas = self.callPackage ./rocblas { };

      roctracer = self.callPackage ./roctracer { };

      rocprofiler = self.callPackage ./rocprofiler {
        inherit (llvm) clang;
      };
      # To do: the scripts for Python
      rocgdb = self.callPackage ./rocgdb { };

      rpp = self.callPackage ./rpp { };

      rpp-hip = self.rpp.override { useCPU = false; };

      rpp-cpu = self.rpp.override { useCPU = true; };

      rocrand = self.callPackage ./rocrand { };

      hipblas = self.callPackage ./hipblas { };

      rocr-debug-agent = self.callPackage ./rocr-debug-agent { };

      mscclpp = self.callPackage ./mscclpp { };

      rccl = self.callPackage ./rccl { };

      hipsolver = self.callPackage ./hipsolver { };

      hipblaslt = self.callPackage ./hipblaslt { };

      rocalution = self.callPackage ./rocalution { };

      hiprt = self.callPackage ./hiprt { };

      half = self.callPackage ./half { };

      rocshmem = self.callPackage ./rocshmem { };

      hipsparse = self.callPackage ./hipsparse { };

      rocprim = self.callPackage ./rocprim { };

      rocmlir-rock = self.callPackage ./rocmlir { buildRockCompiler = true; };
      rocmlir = self.rocmlir-rock;

      miopen = self.callPackage ./miopen {
        boost = boost179.override {
          enableStatic = true;
        };
      };

      miopen-hip = self.miopen;

      mivisionx = self.callPackage ./mivisionx {
        opencv = opencv.override {
          enablePython = true;
        };
        stdenv = usualStdenv;
      };

      mivisionx-hip = self.mivisionx.override {
        rpp = self.rpp-hip;
        useCPU = false;
        useOpenCL = false;
      };

      mivisionx-cpu = self.mivisionx.override {
        rpp = self.rpp-cpu;
        useCPU = true;
        useOpenCL = false;
      };

      hipfort = self.callPackage ./hipfort { };

      # Headers alone
      hipblas-common = self.callPackage ./hipblas-common { };

      rocprof-compute-viewer = self.callPackage ./rocprof-compute-viewer { };

      rocprofiler-register = self.callPackage ./rocprofiler-register {
        inherit (llvm) clang;
      };

      hipcub = self.callPackage ./hipcub { };

      rocprof-trace-decoder = self.callPackage ./rocprof-trace-decoder { };

      rocwmma = self.callPackage ./rocwmma { };

      # hipTensor: for data centres alone, nobody asked for it

      composable_kernel_base = self.callPackage ./composable_kernel/base.nix { };
      composable_kernel = self.callPackage ./composable_kernel { };

      ck4inductor = py.callPackage ./composable_kernel/ck4inductor.nix {
        inherit (self) composable_kernel rocm-toolchain;
      };

      hipsparselt = self.callPackage ./hipsparselt { };

      rocsolver = self.callPackage ./rocsolver { };

      rocfft = self.callPackage ./rocfft { };

      rocdbgapi = self.callPackage ./rocdbgapi { };

      hiprand = self.callPackage ./hiprand { };

      rocprofiler-sdk = self.callPackage ./rocprofiler-sdk { };

      hipfft = self.callPackage ./hipfft { };

      tensile = py.callPackage ./tensile {
        inherit (self)
          clr
          rocmUpdateScript
          ;
      };

      migraphx = self.callPackage ./migraphx { stdenv = usualStdenv; };

      rocthrust = self.callPackage ./rocthrust { };

      # What is built here talks to AMD's GPUs, whatever the configuration says of all others
      openmpi = usual-openmpi.override (
        prev:
        let
          ucx = prev.ucx.override {
            enableCuda = false;
            enableRocm = true;
            rocmPackages = self;
          };
        in
        {
          inherit ucx;
          ucc = prev.ucc.override {
            enableCuda = false;
            inherit ucx;
          };
        }
      );
      mpi = self.openmpi;

      meta = {
        # The packages that a build farm has on its list, by their paths
        release-packagePlatforms =
          let
            platforms = [ "x86_64-linux" ];
            paths = (builtins.fromJSON (builtins.readFile ./release-attrPaths.json)).attrPaths;
            known = path: lib.hasAttrByPath (lib.splitString "." path) pkgs;
          in
          lib.genAttrs (lib.filter known paths) (_: platforms);
      };

      rocm-bandwidth-test = self.callPackage ./rocm-bandwidth-test {
        rocmPackages = self;
      };

      rocm-tests = self.callPackage ./rocm-tests {
        rocmPackages = self;
      };
    }
    // lib.optionalAttrs config.allowAliases {
      rpp-opencl = throw ''
        rpp is built for HIP or for the CPU.
      ''; # Added 2026-03-08

      rocmPath = throw ''
        There is no one folder with all of ROCm.
        Join the packages that are needed.
      ''; # Added 2025-09-30

      rocm-merged-llvm = throw ''
        The merged LLVM was too large.
        Use 'rocmPackages.rocm-toolchain', whose ''${out} holds clang and lld.
      ''; # Added 2025-09-30

      hsa-amd-aqlprofile-bin = lib.warn ''
        'hsa-amd-aqlprofile-bin' is built from source now, as 'aqlprofile'.
      '' self.aqlprofile; # Added 2025-08-27

      triton = throw ''
        Triton is 'python3Packages.triton'.
      ''; # Added 2025-08-24

      rocm-thunk = throw ''
        rocm-thunk is a part of 'rocm-runtime'.
      ''; # Added 2025-03-16

      clang-ocl = throw ''
        Upstream gave clang-ocl up: clang compiles OpenCL itself.
      ''; # Added 2025-03-16

      mivisionx-opencl = throw ''
        MIVisionX is built for HIP or for the CPU.
        Use 'mivisionx-hip' or 'mivisionx-cpu'.
      ''; # Added 2024-03-24

      miopengemm = throw ''
        miopengemm was for the OpenCL backend of MIOpen.
      ''; # Added 2024-03-03

      miopen-opencl = throw ''
        MIOpen has no OpenCL backend any more.
      ''; # Added 2024-03-03

    }
  );
  narrowed =
    targets:
    whole.overrideScope (
      _final: prev: {
        clr = prev.clr.override {
          localGpuTargets = targets;
        };
      }
    );
in
whole
// builtins.listToAttrs (
  map (target: {
    name = target;
    value = narrowed [ target ];
  }) whole.clr.gpuTargets
)
// {
  gfx9 = narrowed [
    "gfx906"
    "gfx908"
    "gfx90a"
    "gfx942"
  ];
  gfx10 = narrowed [
    "gfx1010"
    "gfx1030"
  ];
  gfx11 = narrowed [
    "gfx1100"
    "gfx1101"
    "gfx1102"
    "gfx1150"
    "gfx1151"
  ];
  gfx12 = narrowed [
    "gfx1200"
    "gfx1201"
  ];
}
