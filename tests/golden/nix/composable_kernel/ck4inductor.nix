{
  lib,
  buildPythonPackage,
  setuptools-scm,
  setuptools,
  rocm-toolchain,
  composable_kernel,
  python3Packages,
}:

buildPythonPackage (finalAttrs: {
  pname = "ck4inductor";
  inherit (composable_kernel) version;
  pyproject = true;

  src = composable_kernel.src;
  sourceRoot = "${finalAttrs.src.name}/projects/composablekernel";

  checkPhase = ''
    test -d "$out/${python3Packages.python.sitePackages}/ck4inductor"
  '';
  pythonImportsCheck = [
    "ck4inductor"
    "ck4inductor.universal_gemm.gen_instances"
    "ck4inductor.universal_gemm.op"
  ];

  buildInputs = [
    setuptools-scm
    setuptools
  ];

  propagatedBuildInputs = [ rocm-toolchain ];

  meta = {
    description = "Matrix products of Composable Kernel for PyTorch's Inductor";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/projects/composablekernel";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
