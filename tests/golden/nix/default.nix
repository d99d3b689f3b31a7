{
  lib,
  stdenv,
  callPackage,
  newScope,
  python3Packages,
  boost179,
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

      tensile = python3Packages.callPackage ./tensile { inherit (self) rocmUpdateScript clr; };
      rocprofiler-register = self.callPackage ./rocprofiler-register { };
      hip-common = self.callPackage ./hip-common { };
      rocm-runtime = self.callPackage ./rocm-runtime { inherit stdenv; };
      hipcc = self.callPackage ./hipcc { inherit stdenv; };
      rocm-device-libs = self.callPackage ./rocm-device-libs { };
      rocm-comgr = self.callPackage ./rocm-comgr { };
      rocm-core = self.callPackage ./rocm-core { inherit stdenv; };
      rocm-cmake = self.callPackage ./rocm-cmake { inherit stdenv; };
      hipblas-common = self.callPackage ./hipblas-common { };
      rocminfo = self.callPackage ./rocminfo { inherit stdenv; };
      clr = self.callPackage ./clr { };
      composable_kernel_base = self.callPackage ./composable_kernel/base.nix { };
      composable_kernel = self.callPackage ./composable_kernel { };
      rocwmma = self.callPackage ./rocwmma { };
      hipblaslt = self.callPackage ./hipblaslt { };
      rocrand = self.callPackage ./rocrand { };
      hiprand = self.callPackage ./hiprand { };
      rocfft = self.callPackage ./rocfft { };
      rocprim = self.callPackage ./rocprim { };
      rocthrust = self.callPackage ./rocthrust { };
      hipcub = self.callPackage ./hipcub { };
      roctracer = self.callPackage ./roctracer { };
      rccl = self.callPackage ./rccl { };
      rocblas = self.callPackage ./rocblas { };
      rocsparse = self.callPackage ./rocsparse { };
      hipsparse = self.callPackage ./hipsparse { };
      hipsparselt = self.callPackage ./hipsparselt { };
      rocsolver = self.callPackage ./rocsolver { };
      hipsolver = self.callPackage ./hipsolver { };
      hipblas = self.callPackage ./hipblas { };
      miopen = self.callPackage ./miopen {
        boost = boost179.override { enableStatic = true; };
      };

      rocmClangStdenv = self.llvm.rocmClangStdenv;
      hsakmt = self.rocm-runtime;
      miopen-hip = self.miopen;
    }
    // lib.optionalAttrs config.allowAliases {
      clang-ocl = throw "'clang-ocl' has been removed: ROCm's clang compiles OpenCL by itself"; # Added 2025-03-16
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
