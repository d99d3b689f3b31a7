{
  lib,
  stdenv,
  fetchFromGitHub,
  rocmUpdateScript,
  cmake,
  pkg-config,
  wrapPython,
  libdrm,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "rocm-smi";
  version = "7.2.3";

  src = fetchFromGitHub {
    owner = "ROCm";
    repo = "rocm-systems";
    rev = "rocm-${finalAttrs.version}";
    sparseCheckout = [
      "projects/rocm-smi-lib"
      "shared"
    ];
    hash = "sha256-Si8SbeVKUBtqk6h2QJ9ssQV68bLq6TvESrYXJuArHd8=";
  };
  sourceRoot = "${finalAttrs.src.name}/projects/rocm-smi-lib";

  nativeBuildInputs = [
    cmake
    pkg-config
    wrapPython
  ];

  propagatedBuildInputs = [ libdrm ];

  cmakeFlags = [
    (lib.cmakeFeature "CMAKE_INSTALL_LIBEXECDIR" "libexec")
    # Upstream joins these to the prefix, so they must be relative
    "-DCMAKE_INSTALL_BINDIR=bin"
    "-DCMAKE_INSTALL_LIBDIR=lib"
    "-DCMAKE_INSTALL_INCLUDEDIR=include"
  ];

  postInstall = ''
    wrapPythonProgramsIn $out

    # These two are modules, which others read by that name
    mv $out/libexec/rocm_smi/.rsmiBindingsInit.py-wrapped $out/libexec/rocm_smi/rsmiBindingsInit.py
    mv $out/libexec/rocm_smi/.rsmiBindings.py-wrapped $out/libexec/rocm_smi/rsmiBindings.py

    # The compiler of ROCm is told no folders of what others propagate, and few look for this package by CMake
    ln -s ${lib.getDev libdrm}/include/libdrm/ $out/include/
  '';

  passthru.updateScript = rocmUpdateScript { inherit finalAttrs; };

  meta = {
    description = "Older library and program that watch AMD GPUs";
    homepage = "https://github.com/ROCm/rocm-systems/tree/develop/projects/rocm-smi-lib";
    license = lib.licenses.mit;
    maintainers = [ lib.maintainers.lovesegfault ];
    teams = [ lib.teams.rocm ];
    platforms = [ "x86_64-linux" ];
  };
})
