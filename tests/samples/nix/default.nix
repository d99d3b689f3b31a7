{
  lib,
  newScope,
  llvm,
}:

lib.makeScope newScope (
  self:
  let
    inherit (self) callPackage;
    targets = [
      "gfx90a"
      "gfx1100"
    ];
    narrowedTo =
      name: localGpuTargets:
      lib.nameValuePair name (
        lib.recurseIntoAttrs (
          self.overrideScope (
            _: prev: {
              clr = prev.clr.override { inherit localGpuTargets; };
            }
          )
        )
      );
  in
  {
    inherit llvm;
    inherit (llvm) rocmClangStdenv;

    rocm-cmake = callPackage ./sample-cmake { };
    clr = callPackage ./sample-clr { };
    sample-blas = callPackage ./sample-blas { stdenv = self.rocmClangStdenv; };
  }
  // lib.listToAttrs (map (target: narrowedTo target [ target ]) targets)
  // {
    sample-old = throw "sample-old was removed";
  }
)
