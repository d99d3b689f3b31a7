{
  lib,
  buildPythonPackage,
  fetchFromGitHub,
  fetchpatch,
  rocmUpdateScript,
  setuptools,
  pyyaml,
  msgpack,
  joblib,
  pandas,
  distro,
  rich,
  filelock,
  pytestCheckHook,
  clr,
}:

buildPythonPackage (finalAttrs: {
  pname = "tensile";
  version = "7.2.3";
  pyproject = true;

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-libraries";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "shared/tensile"
      "shared"
    ];
    hash = "sha256-sYudPiEPGeZLmf6+3XfQDZqRXiKgRsGPucApzYwlGV8=";
  };
  sourceRoot = "${finalAttrs.src.name}/shared/tensile";

  patches = [
    ./tensile-solutionstructs-perf-fix.diff
    ./tensile-create-library-dont-copy-twice.diff
    # Code objects of a compatible ISA may be loaded
    (fetchpatch {
      name = "tensile-isa-compatibility.patch";
      url = "https://github.com/GZGavinZhao/rocm-libraries/commit/1f7135dfc0cdb175c8f0e5eb71b2d24699942873.patch";
      relative = "shared/tensile";
      hash = "sha256-ZHXNYSeLkhhNDaIfdqQm68Pxmh1shUL7mAVmh8/I6Xk=";
    })
  ];

  # Most of them fail without a GPU
  doCheck = false;
  pythonImportsCheck = [ "Tensile" ];

  postPatch = ''
    # What the assembler can do is known; asking it takes long and is done at every start
    substituteInPlace Tensile/Common.py \
      --replace-fail 'if globalParameters["AssemblerPath"] is not None:' 'if False:'

    # Without this ISA the compiler is broken or not found, and kernels would be wrong
    substituteInPlace Tensile/KernelWriter.py \
      --replace-fail '= (9,0,0)' '= (9,0,0);assert(globalParameters["AsmCaps"][(9,0,0)]["SupportedISA"])'
    find . -type f -iname '*.sh' -exec chmod +x '{}' +
    patchShebangs Tensile
  '';

  buildInputs = [ setuptools ];

  propagatedBuildInputs = [
    pyyaml
    msgpack
    joblib
    pandas
    distro
    rich
  ];

  nativeCheckInputs = [
    filelock
    pytestCheckHook
    clr
  ];

  env.ROCM_PATH = clr;

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Generator of matrix product kernels for rocBLAS";
    homepage = "https://github.com/ROCm/rocm-libraries/tree/develop/shared/tensile";
    license = lib.licenses.mit;
    teams = [ lib.teams.rocm ];
    platforms = lib.platforms.linux;
  };
})
